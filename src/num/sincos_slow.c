// SPDX-License-Identifier: Apache-2.0
// Where an angle is too large for the kernels' reduction: the sum is reduced in integers, the rest
// (polynomials, quadrants) is the kernels' own.

#include "angle_reduction.h"
#include "sincos_f32.h"
#include "sincos_f64.h"

// A number by its bits: so many of the significand, below those of the exponent and the sign.
static __attribute__((noinline)) ap__exact exact(uint64_t bits, int significand, int exponents) {
  uint64_t one = UINT64_C(1) << significand, fraction = bits & (one - 1);
  int exponent = (int)(bits >> significand) & ((1 << exponents) - 1);
  if (exponent > 0)
    fraction |= one;
  else
    exponent = 1;
  return (ap__exact){.significand = {(uint32_t)fraction, (uint32_t)(fraction >> 32)},
                     .exponent = exponent - (1 << (exponents - 1)) + 1 - significand,
                     .negative = (int)(bits >> (significand + exponents))};
}

// x 2^exponent. An ap__angle has at most 576 zeros before its first bit.
static double scaled_f64(uint64_t x, int exponent) {
  return (double)x * sc_from_bits_f64((uint64_t)(exponent + 1023) << 52);
}
static float scaled_f32(uint32_t x, int exponent) {
  float y = (float)x;
  for (; exponent < -126; exponent += 126) y *= 0x1p-126f;
  return y * sc_from_bits_f32((uint32_t)(exponent + 127) << 23);
}

void ap__sincos_slow_f64(double q, double offset, double *s, double *c) {
  *s = *c = (q - q) + (offset - offset); // 0, or NaN where one is not finite
  if (*s != 0) return;
  ap__exact a = exact(sc_bits_f64(q), 52, 11), b = exact(sc_bits_f64(offset), 52, 11);
  ap__angle r = ap__reduce(&a, &b);
  double top = scaled_f64(ap__angle_bits(&r, 0, 53), r.exponent - 53);
  double next = scaled_f64(ap__angle_bits(&r, 53, 53), r.exponent - 106);
  double hi = top + next, lo = (top - hi) + next;
  sc_evaluate_f64(r.negative ? -hi : hi, r.negative ? -lo : lo, r.n, s, c);
}

void ap__sincos_slow_f32(float q, float offset, float *s, float *c) {
  *s = *c = (q - q) + (offset - offset);
  if (*s != 0) return;
  ap__exact a = exact(sc_bits_f32(q), 23, 8), b = exact(sc_bits_f32(offset), 23, 8);
  ap__angle r = ap__reduce(&a, &b);
  float top = scaled_f32((uint32_t)ap__angle_bits(&r, 0, 24), r.exponent - 24);
  float next = scaled_f32((uint32_t)ap__angle_bits(&r, 24, 24), r.exponent - 48);
  float hi = top + next, lo = (top - hi) + next;
  sc_evaluate_f32(r.negative ? -hi : hi, r.negative ? -lo : lo, r.n, s, c);
}

void ap__sincos_each_f64(int n, const double *q, const double *offset, double *s, double *c) {
  for (int i = 0; i < n; i++) sincos_f64(q[i], offset[i], s + i, c + i);
}

void ap__sincos_each_f32(int n, const float *q, const float *offset, float *s, float *c) {
  for (int i = 0; i < n; i++) sincos_f32(q[i], offset[i], s + i, c + i);
}
