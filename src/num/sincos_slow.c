// Where an angle is too large for the kernels' reduction: the sum is reduced in integers, the rest
// (polynomials, quadrants) is the kernels' own.

#include <math.h>

#include "reduce.h"
#include "sincos_f32.h"
#include "sincos_f64.h"

static ap__exact exact_f64(double x) {
  uint64_t bits = sc_bits_f64(x);
  int exponent = (int)(bits >> 52 & 0x7ff);
  uint64_t significand = bits & (UINT64_MAX >> 12);
  if (exponent > 0) significand |= UINT64_C(1) << 52;
  return (ap__exact){.significand = {(uint32_t)significand, (uint32_t)(significand >> 32)},
                     .exponent = (exponent > 0 ? exponent : 1) - 1075,
                     .negative = (int)(bits >> 63)};
}

static ap__exact exact_f32(float x) {
  uint32_t bits = sc_bits_f32(x);
  int exponent = (int)(bits >> 23 & 0xff);
  uint32_t significand = bits & (UINT32_MAX >> 9);
  if (exponent > 0) significand |= UINT32_C(1) << 23;
  return (ap__exact){.significand = {significand},
                     .exponent = (exponent > 0 ? exponent : 1) - 150,
                     .negative = (int)(bits >> 31)};
}

void ap__sincos_slow_f64(double q, double offset, double *s, double *c) {
  if (!isfinite(q) || !isfinite(offset)) {
    *s = *c = (q - q) + (offset - offset);
    return;
  }
  ap__exact a = exact_f64(q), b = exact_f64(offset);
  ap__angle r = ap__reduce(&a, &b);
  double top = ldexp((double)ap__angle_bits(&r, 0, 53), r.exponent - 53);
  double next = ldexp((double)ap__angle_bits(&r, 53, 53), r.exponent - 106);
  double hi = top + next, lo = (top - hi) + next;
  sc_evaluate_f64(r.negative ? -hi : hi, r.negative ? -lo : lo, r.n, s, c);
}

void ap__sincos_slow_f32(float q, float offset, float *s, float *c) {
  if (!isfinite(q) || !isfinite(offset)) {
    *s = *c = (q - q) + (offset - offset);
    return;
  }
  ap__exact a = exact_f32(q), b = exact_f32(offset);
  ap__angle r = ap__reduce(&a, &b);
  float top = ldexpf((float)(uint32_t)ap__angle_bits(&r, 0, 24), r.exponent - 24);
  float next = ldexpf((float)(uint32_t)ap__angle_bits(&r, 24, 24), r.exponent - 48);
  float hi = top + next, lo = (top - hi) + next;
  sc_evaluate_f32(r.negative ? -hi : hi, r.negative ? -lo : lo, r.n, s, c);
}

void ap__sincos_each_f64(int n, const double *q, const double *offset, double *s, double *c) {
  for (int i = 0; i < n; i++) sincos_f64(q[i], offset[i], s + i, c + i);
}

void ap__sincos_each_f32(int n, const float *q, const float *offset, float *s, float *c) {
  for (int i = 0; i < n; i++) sincos_f32(q[i], offset[i], s + i, c + i);
}
