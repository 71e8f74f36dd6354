// SPDX-License-Identifier: Apache-2.0
// Arithmetic: binary128, the reference that the others are compared with. Same words as
// arith_f64.h.

#ifndef APPELL_NUM_ARITH_H
#define APPELL_NUM_ARITH_H

#include <math.h>

#include "research/f128.h"

#ifndef AP_HAVE_F128
#error "this target has no binary128: leave this arithmetic out"
#endif

#define ARITH_COMPACT

typedef f128 real;
#include "num/scalar_operations.inc"

static inline real r_sqrt(real a) { return ap__sqrt_f128(a); }
static inline real r_abs(real a) { return a < 0 ? -a : a; }

/// Angle of the direction (x, y): that of the doubles, and by how much it misses.
static inline real r_angle(real y, real x) {
  real near = atan2((double)y, (double)x), s, c;
  if (near == 0) return near;
  ap__sincos_f128(near, 0, &s, &c);
  return near + (y * c - x * s) / (x * c + y * s);
}

/// Sine and cosine of the exact sum q + offset.
static inline void r_sincos(real q, real offset, real *s, real *c) {
  ap__sincos_f128(q, offset, s, c);
}

/// n of them, the same bits. s and c overlap neither each other nor the inputs.
static inline void r_sincos_n(int n, const real *q, const real *offset, real *s, real *c) {
  for (int i = 0; i < n; i++) r_sincos(q[i], offset[i], s + i, c + i);
}

#include "num/simd_scalar.inc"

#endif
