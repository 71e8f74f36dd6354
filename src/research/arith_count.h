// SPDX-License-Identifier: Apache-2.0
// Arithmetic: double, counted. Same words as arith_f64.h, and the same values.
//
// A value knows whether it is structural, that is 0, 1 or -1 whatever the state of the robot. What
// such a value makes unnecessary is not counted, as in the papers: x + 0, x * 0 (a structural 0
// again), x * 1, x * -1, x / 1, and every negation. `real` is a struct, so that an operator that
// slipped into a kernel does not compile.

#ifndef APPELL_NUM_ARITH_H
#define APPELL_NUM_ARITH_H

#include <appell/base.h> // ap_count
#include <math.h>
#include <stddef.h>

#include "num/sincos_f64.h"

#define ARITH_COUNTS
#define ARITH_COMPACT

enum { REAL_GENERAL, REAL_ZERO, REAL_ONE, REAL_MINUS_ONE };

typedef struct {
  double v;
  ap_count *n; // who counts; NULL in a literal: what is made of literals alone is not counted
  unsigned char kind;
} real;

typedef ap_count *arith_ctx;

static inline unsigned char count_kind(double x) {
  return x == 0 ? REAL_ZERO : x == 1 ? REAL_ONE : x == -1 ? REAL_MINUS_ONE : REAL_GENERAL;
}

static inline ap_count *count_of(real a, real b) { return a.n ? a.n : b.n; }

static inline real count_general(double v, ap_count *n) {
  return (real){.v = v, .n = n, .kind = REAL_GENERAL};
}

static inline real count_structural(double v, ap_count *n) {
  return (real){.v = v, .n = n, .kind = count_kind(v)};
}

static inline real count_moved(real a, ap_count *n) {
  a.n = n;
  return a;
}

static inline real r_const(double x) { return count_structural(x, NULL); }
static inline real r_param(arith_ctx ctx, double x) { return count_structural(x, ctx); }
static inline real r_input(arith_ctx ctx, double x) { return count_general(x, ctx); }
static inline double r_store(real x) { return x.v; }
// What is counted from here on belongs to this step of the method; 0: to none.
static inline void r_step(arith_ctx ctx, int step) {
  if (ctx) ctx->step = step;
}

static inline real r_neg(real a) {
  a.v = -a.v;
  if (a.kind == REAL_ONE || a.kind == REAL_MINUS_ONE) a.kind = count_kind(a.v);
  return a;
}

static inline real r_add(real a, real b) {
  ap_count *n = count_of(a, b);
  if (a.kind == REAL_ZERO) return count_moved(b, n);
  if (b.kind == REAL_ZERO) return count_moved(a, n);
  if (a.kind && b.kind) return count_structural(a.v + b.v, n); // 1 - 1 vanishes, 1 + 1 is known
  if (n) n->add++, n->add_in[n->step]++;
  return count_general(a.v + b.v, n);
}

static inline real r_sub(real a, real b) { return r_add(a, r_neg(b)); }

static inline real r_mul(real a, real b) {
  ap_count *n = count_of(a, b);
  if (a.kind == REAL_ZERO || b.kind == REAL_ZERO) return count_structural(0, n);
  if (a.kind == REAL_ONE) return count_moved(b, n);
  if (b.kind == REAL_ONE) return count_moved(a, n);
  if (a.kind == REAL_MINUS_ONE) return count_moved(r_neg(b), n);
  if (b.kind == REAL_MINUS_ONE) return count_moved(r_neg(a), n);
  if (n) n->mul++, n->mul_in[n->step]++;
  return count_general(a.v * b.v, n);
}

// One multiplication and one addition, rounded apart.
static inline real r_fma(real a, real b, real c) { return r_add(r_mul(a, b), c); }
static inline real r_fms(real a, real b, real c) { return r_sub(r_mul(a, b), c); }
static inline real r_fnma(real a, real b, real c) { return r_sub(c, r_mul(a, b)); }
static inline real r_fma_known(real p, real a, real b, real c) {
  return (void)a, (void)b, r_add(p, c);
}
static inline real r_fnma_known(real p, real a, real b, real c) {
  return (void)a, (void)b, r_sub(c, p);
}

static inline real r_div(real a, real b) {
  ap_count *n = count_of(a, b);
  if (b.kind == REAL_ONE) return count_moved(a, n);
  if (b.kind == REAL_MINUS_ONE) return count_moved(r_neg(a), n);
  if (a.kind == REAL_ZERO && b.kind != REAL_ZERO) return count_moved(a, n);
  if (n) n->div++;
  return count_general(a.v / b.v, n);
}

static inline real r_sqrt(real a) {
  if (a.kind == REAL_ZERO || a.kind == REAL_ONE) return a;
  if (a.n) a.n->sqrt++;
  return count_general(sqrt(a.v), a.n);
}

// Free: they only feed statuses. Their result depends on the state, so it is never structural.
static inline real r_abs(real a) { return count_general(fabs(a.v), a.n); }

/// Angle of the direction (x, y).
static inline real r_angle(real y, real x) {
  return count_general(atan2(y.v, x.v), count_of(y, x));
}

static inline real r_min(real a, real b) {
  return count_general(a.v < b.v || a.v != a.v ? a.v : b.v, count_of(a, b));
}

static inline real r_max(real a, real b) {
  return count_general(a.v > b.v || a.v != a.v ? a.v : b.v, count_of(a, b));
}

// Free too, as in num/scalar_operations.inc.
typedef bool r_truth;
static inline r_truth r_true(void) { return true; }
static inline r_truth r_and(r_truth a, r_truth b) { return a && b; }
static inline r_truth r_less(real a, real b) { return a.v < b.v; }
static inline real r_pick(r_truth which, real a, real b) {
  real x = which ? a : b;
  return count_general(x.v, count_of(a, b));
}
static inline real r_sign(real a) { return r_const((a.v > 0) - (a.v < 0)); }
static inline r_truth r_exceeds(real a, double factor, real b) { return a.v > factor * b.v; }

static inline bool r_always(r_truth t) { return t; }

typedef ap_count r_counts;
static inline r_counts r_pause(arith_ctx ctx) { return ctx ? *ctx : (ap_count){0}; }
static inline void r_resume(arith_ctx ctx, r_counts before) {
  if (ctx) *ctx = before;
}

/// Sine and cosine of the exact sum q + offset: one sincos, and an addition unless one of them is
/// a structural 0.
static inline void r_sincos(real q, real offset, real *s, real *c) {
  ap_count *n = r_add(q, offset).n;
  if (n) n->sincos++;
  *s = count_general(0, n);
  *c = count_general(0, n);
  sincos_f64(q.v, offset.v, &s->v, &c->v);
}

static inline void r_sincos_n(int n, const real *q, const real *offset, real *s, real *c) {
  for (int i = 0; i < n; i++) r_sincos(q[i], offset[i], s + i, c + i);
}

#include "num/simd_scalar.inc"

#endif
