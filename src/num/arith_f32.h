// Arithmetic: float. Doubles are met only where a value enters or leaves. Same words as
// arith_f64.h.

#ifndef APPELL_NUM_ARITH_H
#define APPELL_NUM_ARITH_H

#include <math.h>

#include "sincos_f32.h"

typedef float real;
#include "num/plain.inc"

static inline real r_sqrt(real a) { return sqrtf(a); }
static inline real r_abs(real a) { return fabsf(a); }

/// Angle of the direction (x, y).
static inline real r_angle(real y, real x) { return atan2f(y, x); }

/// Sine and cosine of the exact sum q + offset.
static inline void r_sincos(real q, real offset, real *s, real *c) { sincos_f32(q, offset, s, c); }

/// n of them, the same bits. s and c overlap neither each other nor the inputs.
static inline void r_sincos_n(int n, const real *q, const real *offset, real *s, real *c) {
  sincos_n_f32(n, q, offset, s, c);
}

#define LANE_REAL  float
#define LANE_MASK  int
#define LANE_COUNT 8
#include "num/lanes.inc"

#endif
