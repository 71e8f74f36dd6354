// SPDX-License-Identifier: Apache-2.0
// Arithmetic: truncated power series. Same words as arith_f64.h; a value is a double together with
// how it changes along a motion and beside it:
//
//   x(t, e) = sum c[j][k] t^j e^k,  j = 0, 1, 2,  k = 0, 1
//
// t is time, e a displacement of the motion as a whole. So any text gives its own velocities and
// accelerations, and the derivatives of these, without a formula for them. Where a text chooses, it
// does so by the value.

#ifndef APPELL_NUM_ARITH_H
#define APPELL_NUM_ARITH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "num/sincos_f64.h"

#define ARITH_COMPACT

typedef struct {
  double c[3][2];
} real;

typedef void *arith_ctx;

static inline real r_const(double x) { return (real){{{x, 0}, {0, 0}, {0, 0}}}; }
static inline real r_param(arith_ctx ctx, double x) { return (void)ctx, r_const(x); }
static inline double r_store(real x) { return x.c[0][0]; }

static inline real jet_combine(double p, real a, double q, real b) {
  real x;
  for (int j = 0; j < 3; j++)
    for (int k = 0; k < 2; k++) x.c[j][k] = p * a.c[j][k] + q * b.c[j][k];
  return x;
}
static inline real jet_scale(double p, real a) {
  for (int j = 0; j < 3; j++)
    for (int k = 0; k < 2; k++) a.c[j][k] *= p;
  return a;
}

static inline real r_neg(real a) { return jet_scale(-1, a); }
static inline real r_add(real a, real b) { return jet_combine(1, a, 1, b); }
static inline real r_sub(real a, real b) { return jet_combine(1, a, -1, b); }
static inline real r_mul(real a, real b) {
  real x;
  for (int j = 0; j < 3; j++) {
    x.c[j][0] = x.c[j][1] = 0;
    for (int i = 0; i <= j; i++) {
      x.c[j][0] += a.c[i][0] * b.c[j - i][0];
      x.c[j][1] += a.c[i][0] * b.c[j - i][1] + a.c[i][1] * b.c[j - i][0];
    }
  }
  return x;
}

static inline real r_fma(real a, real b, real c) { return r_add(r_mul(a, b), c); }
static inline real r_fms(real a, real b, real c) { return r_sub(r_mul(a, b), c); }
static inline real r_fnma(real a, real b, real c) { return r_sub(c, r_mul(a, b)); }
static inline real r_fma_known(real p, real a, real b, real c) {
  return (void)a, (void)b, r_add(p, c);
}
static inline real r_fnma_known(real p, real a, real b, real c) {
  return (void)a, (void)b, r_sub(c, p);
}

// A function of a = a0 + d by its series at a0, value and derivatives over factorials: d^4 is zero.
static inline real jet_function(real a, double f0, double f1, double f2, double f3) {
  real d = a, x;
  d.c[0][0] = 0;
  x = r_mul(d, jet_combine(f2, r_const(1), f3, d));
  x = r_mul(d, jet_combine(f1, r_const(1), 1, x));
  x.c[0][0] = f0;
  return x;
}

static inline real r_div(real a, real b) {
  const double y = 1 / b.c[0][0];
  real x = r_mul(a, jet_function(b, y, -y * y, y * y * y, -y * y * y * y));
  x.c[0][0] = a.c[0][0] / b.c[0][0];
  return x;
}
static inline real r_sqrt(real a) {
  const double y = a.c[0][0], s = sqrt(y);
  return jet_function(a, s, 0.5 / s, -0.125 / (s * y), 0.0625 / (s * y * y));
}

/// Angle of the direction (x, y): that of the values, and how it turns from there.
static inline real r_angle(real y, real x) {
  const double x0 = x.c[0][0], y0 = y.c[0][0];
  const real slope = r_div(jet_combine(x0, y, -y0, x), jet_combine(x0, x, y0, y));
  return jet_function(slope, atan2(y0, x0), 1, 0, -1.0 / 3);
}

typedef bool r_truth;
static inline r_truth r_true(void) { return true; }
static inline r_truth r_and(r_truth a, r_truth b) { return a && b; }
static inline r_truth r_less(real a, real b) { return a.c[0][0] < b.c[0][0]; }
static inline real r_pick(r_truth which, real a, real b) { return which ? a : b; }
static inline real r_max(real a, real b) { return r_less(b, a) ? a : b; }
static inline real r_min(real a, real b) { return r_less(a, b) ? a : b; }
static inline real r_abs(real a) { return a.c[0][0] < 0 ? r_neg(a) : a; }
static inline real r_sign(real a) { return r_const((a.c[0][0] > 0) - (a.c[0][0] < 0)); }
static inline r_truth r_exceeds(real a, double factor, real b) {
  return a.c[0][0] > factor * b.c[0][0];
}
static inline bool r_always(r_truth t) { return t; }

typedef bool r_counts;
static inline r_counts r_pause(arith_ctx ctx) { return (void)ctx, true; }
static inline void r_resume(arith_ctx ctx, r_counts before) { (void)ctx, (void)before; }

static inline void r_sincos(real q, real offset, real *s, real *c) {
  const real angle = r_add(q, offset);
  double sine, cosine;
  sincos_f64(q.c[0][0], offset.c[0][0], &sine, &cosine);
  *s = jet_function(angle, sine, cosine, -sine / 2, -cosine / 6);
  *c = jet_function(angle, cosine, -sine, -cosine / 2, sine / 6);
}
static inline void r_sincos_n(int n, const real *q, const real *offset, real *s, real *c) {
  for (int i = 0; i < n; i++) r_sincos(q[i], offset[i], s + i, c + i);
}

#include "num/simd_scalar.inc"

#endif
