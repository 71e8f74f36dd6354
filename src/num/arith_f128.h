// Arithmetic: binary128, the reference that the others are compared with. Same words as
// arith_f64.h.

#ifndef APPELL_NUM_ARITH_H
#define APPELL_NUM_ARITH_H

#include "f128.h"

#ifndef AP_HAVE_F128
#error "this target has no binary128: leave this arithmetic out"
#endif

#define ARITH_COMPACT

typedef f128 real;
typedef void *arith_ctx; // nothing is needed to make a value

static inline real r_const(double x) { return (real)x; }
static inline real r_param(arith_ctx ctx, double x) { return (void)ctx, (real)x; }
static inline real r_input(arith_ctx ctx, double x) { return (void)ctx, (real)x; }
static inline double r_store(real x) { return (double)x; }

static inline real r_add(real a, real b) { return a + b; }
static inline real r_sub(real a, real b) { return a - b; }
static inline real r_mul(real a, real b) { return a * b; }
static inline real r_div(real a, real b) { return a / b; }
static inline real r_neg(real a) { return -a; }
static inline real r_sqrt(real a) { return ap__sqrt_f128(a); }
static inline real r_abs(real a) { return a < 0 ? -a : a; }

// A NaN on either side comes out: the smallest pivot must not lose it.
static inline real r_min(real a, real b) { return a < b || a != a ? a : b; }
static inline real r_max(real a, real b) { return a > b || a != a ? a : b; }

/// Sine and cosine of the exact sum q + offset.
static inline void r_sincos(real q, real offset, real *s, real *c) {
  ap__sincos_f128(q, offset, s, c);
}

/// n of them, the same bits. s and c overlap neither each other nor the inputs.
static inline void r_sincos_n(int n, const real *q, const real *offset, real *s, real *c) {
  for (int i = 0; i < n; i++) r_sincos(q[i], offset[i], s + i, c + i);
}

// One lane: a real is a vector of its own.
typedef real lanes;
enum { LANES = 1 };
static inline lanes l_splat(real x) { return x; }
static inline lanes l_add(lanes a, lanes b) { return r_add(a, b); }
static inline lanes l_sub(lanes a, lanes b) { return r_sub(a, b); }
static inline lanes l_mul(lanes a, lanes b) { return r_mul(a, b); }
static inline lanes l_put(lanes a, int at, real b) { return at == 0 ? b : a; }
static inline lanes l_pick(lanes which, lanes a, lanes b) { return r_store(which) != 0 ? a : b; }

#endif
