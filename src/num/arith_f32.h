// Arithmetic: float. Doubles are met only where a value enters or leaves. Same words as
// arith_f64.h.

#ifndef APPELL_NUM_ARITH_H
#define APPELL_NUM_ARITH_H

#include <math.h>

#include "base/vectors.h"
#include "sincos_f32.h"

typedef float real;
#include "num/plain.inc"

static inline real r_sqrt(real a) { return sqrtf(a); }
static inline real r_abs(real a) { return fabsf(a); }

/// Angle of the direction (x, y).
static inline real r_angle(real y, real x) { return atan2f(y, x); }

/// n sines and cosines of the exact sums q + offset. s and c overlap neither each other nor the
/// inputs.
static inline void r_sincos_n(int n, const real *q, const real *offset, real *s, real *c) {
#ifdef AP_VECTORS
  sincos_n_f32(n, q, offset, s, c);
#else
  ap__sincos_each_f32(n, q, offset, s, c);
#endif
}

/// One of them, the same bits.
static inline void r_sincos(real q, real offset, real *s, real *c) {
#ifdef AP_VECTORS
  sincos_f32(q, offset, s, c);
#else
  r_sincos_n(1, &q, &offset, s, c);
#endif
}

#ifdef AP_VECTORS
#define LANE_REAL  float
#define LANE_MASK  int
#define LANE_COUNT 8
#include "num/lanes.inc"
#else
#include "num/one_lane.inc"
#endif

#endif
