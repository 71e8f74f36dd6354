// SPDX-License-Identifier: Apache-2.0
// Arithmetic: a tape. Same words as arith_f64.h, but nothing is computed unless both sides are
// known numbers: an operation becomes a node of an expression graph, from which code is generated.
//
// `real` is a struct, so that an operator that slipped into a kernel does not compile. A value is a
// number or a node with a sign: negation costs nothing, and x and -x share their node. The
// simplifications are in codegen/tape.c.

#ifndef APPELL_NUM_ARITH_H
#define APPELL_NUM_ARITH_H

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define ARITH_COMPACT

typedef struct ap_tape ap_tape;

typedef struct {
  ap_tape *t; // where its node is; NULL in a literal
  double v;   // a number, where node is 0
  int node;   // > 0: that node; < 0: its negative
} real;

typedef ap_tape *arith_ctx;

real ap__tape_add(real a, real b);
real ap__tape_mul(real a, real b);
real ap__tape_div(real a, real b);
real ap__tape_max(real a, real b);
real ap__tape_sign(real a);
real ap__tape_sqrt(real a);
real ap__tape_angle(real y, real x);
int ap__tape_less(real a, real b);
real ap__tape_pick(int which, real a, real b);
void ap__tape_sincos(real q, real offset, real *s, real *c);

static inline real r_const(double x) { return (real){.v = x}; }
static inline real r_param(arith_ctx ctx, double x) { return (real){.t = ctx, .v = x}; }
// Only numbers have a value; what asks for that of a node learns nothing.
static inline double r_store(real x) { return x.node ? (double)NAN : x.v; }

static inline real r_neg(real a) { return (real){a.t, -a.v, -a.node}; }
static inline real r_add(real a, real b) { return ap__tape_add(a, b); }
static inline real r_sub(real a, real b) { return ap__tape_add(a, r_neg(b)); }
static inline real r_mul(real a, real b) { return ap__tape_mul(a, b); }
static inline real r_div(real a, real b) { return ap__tape_div(a, b); }
// Recorded apart, so that common factors and products are found; what is fused in the end is chosen
// in codegen/fuse.c.
static inline real r_fma(real a, real b, real c) { return r_add(r_mul(a, b), c); }
static inline real r_fms(real a, real b, real c) { return r_sub(r_mul(a, b), c); }
static inline real r_fnma(real a, real b, real c) { return r_sub(c, r_mul(a, b)); }
static inline real r_fma_known(real p, real a, real b, real c) {
  return (void)a, (void)b, r_add(p, c);
}
static inline real r_fnma_known(real p, real a, real b, real c) {
  return (void)a, (void)b, r_sub(c, p);
}
static inline real r_max(real a, real b) { return ap__tape_max(a, b); }
static inline real r_abs(real a) { return r_max(a, r_neg(a)); }
static inline real r_sqrt(real a) { return ap__tape_sqrt(a); }
static inline real r_angle(real y, real x) { return ap__tape_angle(y, x); }
static inline real r_sign(real a) { return ap__tape_sign(a); }

// That the value of a reference is positive; AP_TRUE: known to be so, 0: known not to be.
typedef int r_truth;
enum { AP_TRUE = INT_MAX };
static inline r_truth r_true(void) { return AP_TRUE; }
static inline r_truth r_less(real a, real b) { return ap__tape_less(a, b); }
static inline real r_pick(r_truth which, real a, real b) { return ap__tape_pick(which, a, b); }

// What statuses are made of is not known while recording: whoever records keeps what is compared
// and has it tested later.
static inline r_truth r_and(r_truth a, r_truth b) {
  assert(a == AP_TRUE && b == AP_TRUE);
  return (void)b, a;
}
static inline r_truth r_exceeds(real a, double factor, real b) {
  return (void)a, (void)factor, (void)b, r_true();
}

static inline bool r_always(r_truth t) { return (void)t, false; }

typedef bool r_counts;
static inline r_counts r_pause(arith_ctx ctx) { return (void)ctx, true; }
static inline void r_resume(arith_ctx ctx, r_counts before) { (void)ctx, (void)before; }

/// Sine and cosine of q + offset, the offset turned by on the tape.
static inline void r_sincos(real q, real offset, real *s, real *c) {
  ap__tape_sincos(q, offset, s, c);
}
static inline void r_sincos_n(int n, const real *q, const real *offset, real *s, real *c) {
  for (int i = 0; i < n; i++) r_sincos(q[i], offset[i], s + i, c + i);
}

#include "num/simd_scalar.inc"

#endif
