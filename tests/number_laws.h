// SPDX-License-Identifier: Apache-2.0
// Text of numbers against the C library: the same bits read as by strtod, the same characters
// written as by printf, the fewest digits that read back.

#ifndef NUMBER_LAWS_H
#define NUMBER_LAWS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/number.h"
#include "rng.h"

static inline bool same_bits(double x, double y) { return memcmp(&x, &y, sizeof x) == 0; }

// Read as strtod does, with and without bytes behind it that may be read.
static inline bool reads_as_strtod(const char *text) {
  char padded[900] = {0};
  const char *end;
  double x, y, want = strtod(text, NULL);
  const ap__number kind = isfinite(want) ? AP__NUMBER : AP__NUMBER_HUGE;
  const size_t length = strlen(text);
  memcpy(padded, text, length);
  if (ap__parse_double(text, &end, &x) != kind || *end) return false;
  if (ap__parse_double_within(padded, padded + sizeof padded, &end, &y) != kind ||
      end != padded + length)
    return false;
  return kind == AP__NUMBER_HUGE || (same_bits(x, want) && same_bits(y, want));
}

// The digits of a number that count; how many.
static inline int significant(const char *text, char digits[40]) {
  int n = 0;
  for (const char *s = text; *s && *s != 'e'; s++)
    if (*s >= '0' && *s <= '9' && (n > 0 || *s != '0')) digits[n++] = *s;
  while (n > 1 && digits[n - 1] == '0') n--;
  digits[n] = 0;
  return n;
}

// Written as "%.17g" does, and read back.
static inline bool writes_as_printf(double x) {
  char ours[25], theirs[40];
  const int length = ap_format_double(x, ours);
  snprintf(theirs, sizeof theirs, "%.17g", x);
  if (strcmp(ours, theirs) != 0 || length != (int)strlen(ours)) return false;
  return !isfinite(x) || reads_as_strtod(ours);
}

// The fewest digits: one less reads as another number. And of that many the nearest, unless that
// is another number, as it may be below a power of two.
static inline bool writes_shortest(double x) {
  char ours[25], theirs[40], digits[40], nearest[40];
  const int length = ap_format_shortest(x, ours), n = significant(ours, digits);
  if (length != (int)strlen(ours) || !same_bits(strtod(ours, NULL), x)) return false;
  if (n > 1) {
    snprintf(theirs, sizeof theirs, "%.*e", n - 2, x);
    if (strtod(theirs, NULL) == x) return false;
  }
  snprintf(theirs, sizeof theirs, "%.*e", n > 0 ? n - 1 : 0, x);
  significant(theirs, nearest);
  return strcmp(digits, nearest) == 0 || strtod(theirs, NULL) != x;
}

// A double of some kind: any bits, an angle, a short decimal, a subnormal, an integer.
static inline double random_number(rng *r, int kind) {
  uint64_t bits = rng_bits(r);
  double x;
  switch (kind % 6) {
    case 0: break; // any
    case 1: return rng_uniform(r, -10, 10);
    case 2: return (double)rng_int(r, -100000, 100000) / pow(10, rng_int(r, 0, 12));
    case 3: bits &= UINT64_C(0x800fffffffffffff) >> rng_int(r, 0, 51); break; // subnormal
    case 4: return (double)(int64_t)(bits >> rng_int(r, 0, 62));
    default: return ldexp(rng_uniform(r, 1, 2), rng_int(r, -140, 70));
  }
  memcpy(&x, &bits, sizeof x);
  return isfinite(x) ? x : 1 / 3.0;
}

// Text of a number: any digits, point and exponent; or exactly in the middle of two doubles, or a
// little beside it.
static inline void random_text(rng *r, int kind, char text[900]) {
  int n = 0;
  if (kind % 2) {
    double x = fabs(random_number(r, rng_int(r, 0, 5))), middle;
    int e;
    x = frexp(x, &e);
    // Exact in long double, where that has 64 bits; printf writes all digits.
    middle = ldexp(1, -54);
    long double y = ldexpl((long double)x + (long double)middle, e);
    n = snprintf(text, 880, "%.*Le", rng_chance(r, 0.5) ? 800 : rng_int(r, 16, 30), y);
    if (rng_chance(r, 0.3)) { // the last digit of the mantissa another one
      char *digit = strchr(text, 'e') - 1;
      *digit = (char)('0' + rng_int(r, 0, 9));
    }
    return;
  }
  if (rng_chance(r, 0.5)) n += sprintf(text + n, "-");
  const int digits = rng_int(r, 1, 25), point = rng_int(r, 0, digits);
  for (int k = 0; k < digits; k++) {
    if (k == point) text[n++] = '.';
    text[n++] = (char)('0' + (rng_chance(r, 0.1) ? 0 : rng_int(r, 0, 9)));
  }
  text[n] = 0;
  if (rng_chance(r, 0.5)) sprintf(text + n, "e%d", rng_int(r, -340, 310));
}

#endif
