// SPDX-License-Identifier: Apache-2.0
// Arithmetic: double. Defines `real` and the words on it.

#ifndef APPELL_NUM_ARITH_H
#define APPELL_NUM_ARITH_H

#include <math.h>

#include "num/fused.h"
#include "num/square_root.h"
#include "num/sincos_f64.h"

typedef double real;

#define SINCOS(name) name##_f64
#define SIMD_MASK    long long
#define SIMD_COUNT   4
#ifdef AP_FUSED_F64
#define R_FUSED AP_FUSED_F64
#endif
#define SIMD_TYPE F64
#include "num/arith_float.inc"

static inline real r_sqrt(real a) { return root_f64(a); }
static inline real r_abs(real a) { return fabs(a); }
static inline real r_angle(real y, real x) { return atan2(y, x); } // of the direction (x, y)

#endif
