// SPDX-License-Identifier: Apache-2.0
// Measured errors of sine and cosine, as the Markdown table of docs/accuracy.md:
// accuracy_sincos [samples per row, default 1000000]
//
// Reference: binary128, which tests/test_sincos.c compares with mpmath. An ulp is the distance of
// the neighbours at the exact result.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "research/f128.h"
#include "num/sincos_f32.h"
#include "num/sincos_f64.h"
#include "num/sincos_fused.h"

#ifdef AP_HAVE_F128

static const double half_pi = 0x1.921fb54442d18p+0;
static bool fused; // whether products are, in what is measured

typedef struct {
  double sine, cosine;
} worst;

typedef struct {
  uint64_t state;
} generator;

static uint64_t next(generator *g) { // splitmix64
  uint64_t z = (g->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static double uniform(generator *g, double low, double high) {
  return low + (high - low) * ((double)(next(g) >> 11) * 0x1p-53);
}

/// |got - want| in ulp of a format of that many bits, its smallest number 2^least.
static double error_ulp(f128 got, f128 want, int bits, int least) {
  f128 error = got - want, size = want < 0 ? -want : want;
  int e;
  frexp((double)size, &e);
  if (size < (f128)ldexp(1, e - 1)) e--; // the conversion had rounded up to a power of two
  int unit = e - bits > least ? e - bits : least;
  return fabs((double)(error * (f128)ldexp(1, -unit / 2) * (f128)ldexp(1, -unit - -unit / 2)));
}

static void note(worst *w, double sine, double cosine) {
  w->sine = fmax(w->sine, isnan(sine) ? HUGE_VAL : sine);
  w->cosine = fmax(w->cosine, isnan(cosine) ? HUGE_VAL : cosine);
}

static void measure_f64(worst *w, double q, double offset) {
  double s, c;
  f128 s128, c128;
  (fused ? sincos_fused_f64 : sincos_f64)(q, offset, &s, &c);
  ap__sincos_f128((f128)q, (f128)offset, &s128, &c128);
  note(w, error_ulp((f128)s, s128, 53, -1074), error_ulp((f128)c, c128, 53, -1074));
}

static void measure_f32(worst *w, double q, double offset) {
  float s, c;
  f128 s128, c128;
  (fused ? sincos_fused_f32 : sincos_f32)((float)q, (float)offset, &s, &c);
  ap__sincos_f128((f128)(float)q, (f128)(float)offset, &s128, &c128);
  note(w, error_ulp((f128)s, s128, 24, -149), error_ulp((f128)c, c128, 24, -149));
}

typedef void measure(worst *w, double q, double offset);

static worst around_zero(measure *m, generator *g, long count, double size) {
  worst w = {0};
  for (long i = 0; i < count; i++) m(&w, uniform(g, -size, size), 0);
  return w;
}

static worst any_magnitude(measure *m, generator *g, long count, int low, int high) {
  worst w = {0};
  for (long i = 0; i < count; i++) {
    m(&w, ldexp(uniform(g, -1, 1), low + (int)(next(g) % (unsigned)(high - low + 1))), 0);
  }
  return w;
}

static worst near_multiples(measure *m, generator *g, long count, double largest, double ulp) {
  worst w = {0};
  for (long i = 0; i < count; i++) {
    double x = half_pi * floor(uniform(g, -largest, largest) / half_pi);
    m(&w, x + x * ulp * floor(uniform(g, -2, 3)), 0);
  }
  return w;
}

static worst with_offset(measure *m, generator *g, long count, double size) {
  worst w = {0};
  for (long i = 0; i < count; i++) m(&w, uniform(g, -size, size), uniform(g, -4, 4));
  return w;
}

static void row(const char *arithmetic, const char *range, worst w) {
  printf("| %s, %s | %s | %.3f | %.3f |\n", arithmetic, fused ? "fused" : "apart", range, w.sine,
         w.cosine);
}

static void table(long n) {
  generator g = {2023};
  row("f64", "\\|x\\| <= pi/4", around_zero(measure_f64, &g, n, half_pi / 2));
  row("f64", "\\|x\\| <= 2 pi", around_zero(measure_f64, &g, n, 4 * half_pi));
  row("f64", "\\|x\\| <= 2^20 pi/2", around_zero(measure_f64, &g, n, half_pi * 0x1p20));
  row("f64", "2^20 pi/2 and beyond", any_magnitude(measure_f64, &g, n, 21, 1023));
  row("f64", "tiny and denormal", any_magnitude(measure_f64, &g, n, -1074, -10));
  row("f64", "multiples of pi/2 and neighbours",
      near_multiples(measure_f64, &g, n, half_pi * 0x1p20, 0x1p-53));
  row("f64", "q + offset, \\|q\\| <= 1000", with_offset(measure_f64, &g, n, 1000));
  row("f32", "\\|x\\| <= pi/4", around_zero(measure_f32, &g, n, half_pi / 2));
  row("f32", "\\|x\\| <= 2 pi", around_zero(measure_f32, &g, n, 4 * half_pi));
  row("f32", "\\|x\\| <= 2^10 pi/2", around_zero(measure_f32, &g, n, half_pi * 0x1p10));
  row("f32", "2^10 pi/2 and beyond", any_magnitude(measure_f32, &g, n, 11, 127));
  row("f32", "tiny and denormal", any_magnitude(measure_f32, &g, n, -149, -10));
  row("f32", "multiples of pi/2 and neighbours",
      near_multiples(measure_f32, &g, n, half_pi * 0x1p10, 0x1p-24));
  row("f32", "q + offset, \\|q\\| <= 100", with_offset(measure_f32, &g, n, 100));
}

int main(int argc, char **argv) {
  long n = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
  if (n <= 0) {
    fprintf(stderr, "usage: accuracy_sincos [samples per row]\n");
    return 2;
  }
  printf("| arithmetic | argument | sine, ulp | cosine, ulp |\n|---|---|---|---|\n");
  table(n);
  fused = has_fused_sincos();
  if (fused) table(n);
  return 0;
}

#else

int main(void) {
  puts("no binary128 here, so no reference to measure against");
  return 0;
}

#endif
