// Arithmetic: double. Defines `real` and the words on it.

#ifndef APPELL_NUM_ARITH_H
#define APPELL_NUM_ARITH_H

#include <math.h>

#include "sincos_f64.h"

typedef double real;
#include "num/plain.inc"

static inline real r_sqrt(real a) { return sqrt(a); }
static inline real r_abs(real a) { return fabs(a); }

/// Angle of the direction (x, y).
static inline real r_angle(real y, real x) { return atan2(y, x); }

/// Sine and cosine of the exact sum q + offset.
static inline void r_sincos(real q, real offset, real *s, real *c) { sincos_f64(q, offset, s, c); }

/// n of them, the same bits. s and c overlap neither each other nor the inputs.
static inline void r_sincos_n(int n, const real *q, const real *offset, real *s, real *c) {
  sincos_n_f64(n, q, offset, s, c);
}

#define LANE_REAL  double
#define LANE_MASK  long long
#define LANE_COUNT 4
#include "num/lanes.inc"

#endif
