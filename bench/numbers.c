// SPDX-License-Identifier: Apache-2.0
// Text of numbers: times beside the C library's, then exactness.
//
//   numbers [millions of numbers to compare with the C library, default 1] [seed]

#include <appell/file.h>

#include "clock.h"
#include "number_laws.h"

enum { NUMBERS = 10000, BLOCKS = 100 };

static double number[NUMBERS];
static char text[NUMBERS][AP__WRITE_BYTES];
static volatile double sink;

static void read_ours(int k) {
  const char *end;
  double x;
  ap__parse_double_within(text[k], text[k] + AP__WRITE_BYTES, &end, &x);
  sink = x;
}
static void read_theirs(int k) { sink = strtod(text[k], NULL); }
static void write_17(int k) {
  char out[AP__WRITE_BYTES];
  sink = ap__write_double(number[k], false, out);
}
static void write_brief(int k) {
  char out[AP__WRITE_BYTES];
  sink = ap__write_double(number[k], true, out);
}
static void write_theirs(int k) {
  char out[40];
  sink = snprintf(out, sizeof out, "%.17g", number[k]);
}

// ns per call, the least of some blocks.
static double time_of(void (*call)(int)) {
  double best = INFINITY;
  for (int b = 0; b < BLOCKS; b++) {
    const double t = now();
    for (int k = 0; k < NUMBERS; k++) call(k);
    const double each = (now() - t) / NUMBERS;
    if (each < best) best = each;
  }
  return best;
}

static void measure(const char *what, const char *format, double low, double high) {
  rng r = rng_seed(1);
  for (int k = 0; k < NUMBERS; k++) {
    snprintf(text[k], sizeof text[k], format, rng_uniform(&r, low, high));
    number[k] = strtod(text[k], NULL);
  }
  printf("%-22s %7.1f %7.1f   %7.1f %7.1f %7.1f\n", what, time_of(read_ours), time_of(read_theirs),
         time_of(write_17), time_of(write_brief), time_of(write_theirs));
}

int main(int count, char **argument) {
  const long millions = count > 1 ? strtol(argument[1], NULL, 10) : 1;
  rng r = rng_seed(count > 2 ? strtoull(argument[2], NULL, 10) : 1);
  printf("ns                        read  strtod      %%.17g shortest snprintf\n");
  measure("17 digits, -3 .. 3", "%.17g", -3, 3);
  measure("6 decimals, -3 .. 3", "%.6f", -3, 3);
  measure("17 digits, 0 .. 1e-30", "%.17g", 0, 1e-30);
  measure("17 digits, 0 .. 1e300", "%.17g", 0, 1e300);
  measure("20 decimals, -3 .. 3", "%.20f", -3, 3);
  long wrong = 0;
  for (long k = 0; k < millions * 1000000; k++) {
    char any[900];
    const double x = random_number(&r, (int)(k % 6));
    random_text(&r, k % 64 == 0, any); // ties have hundreds of digits: fewer of them
    const bool good = writes_as_printf(x) && writes_shortest(x) && reads_as_strtod(any);
    if (!good && ++wrong < 10) printf("wrong: %.17g or %.60s\n", x, any);
  }
  printf("%ld million numbers written, written shortest, and read: %ld wrong\n", millions, wrong);
  return wrong > 0;
}
