// SPDX-License-Identifier: Apache-2.0
// Where an angle is too large for the kernels' reduction: the sum is reduced in integers, the rest
// (polynomials, quadrants) is the kernels' own.

#define SC_DEFINE_EACH
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

uint64_t ap__sincos_reduced_f64(double q, double offset, double *hi, double *lo) {
  *hi = (q - q) + (offset - offset); // 0, or NaN where one is not finite
  *lo = 0;
  if (*hi != 0) return 0;
  ap__exact a = exact(sc_bits_f64(q), 52, 11), b = exact(sc_bits_f64(offset), 52, 11);
  ap__angle r = ap__reduce(&a, &b);
  double top = scaled_f64(ap__angle_bits(&r, 0, 53), r.exponent - 53);
  double next = scaled_f64(ap__angle_bits(&r, 53, 53), r.exponent - 106);
  double sum = top + next, rest = (top - sum) + next;
  *hi = r.negative ? -sum : sum, *lo = r.negative ? -rest : rest;
  return r.n;
}

uint32_t ap__sincos_reduced_f32(float q, float offset, float *hi, float *lo) {
  *hi = (q - q) + (offset - offset);
  *lo = 0;
  if (*hi != 0) return 0;
  ap__exact a = exact(sc_bits_f32(q), 23, 8), b = exact(sc_bits_f32(offset), 23, 8);
  ap__angle r = ap__reduce(&a, &b);
  float top = scaled_f32((uint32_t)ap__angle_bits(&r, 0, 24), r.exponent - 24);
  float next = scaled_f32((uint32_t)ap__angle_bits(&r, 24, 24), r.exponent - 48);
  float sum = top + next, rest = (top - sum) + next;
  *hi = r.negative ? -sum : sum, *lo = r.negative ? -rest : rest;
  return r.n;
}
