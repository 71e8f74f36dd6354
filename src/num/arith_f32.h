// SPDX-License-Identifier: Apache-2.0
// Arithmetic: float. Doubles are met only where a value enters or leaves.

#ifndef APPELL_NUM_ARITH_H
#define APPELL_NUM_ARITH_H

#include <math.h>

#include "num/fused.h"
#include "num/sincos_f32.h"

typedef float real;

#define SINCOS(name) name##_f32
#define SIMD_MASK    int
#define SIMD_COUNT   8
#ifdef AP_FUSED_F32
#define R_FUSED AP_FUSED_F32
#endif
#define SIMD_TYPE F32
#include "num/arith_float.inc"

static inline real r_sqrt(real a) { return sqrtf(a); }
static inline real r_abs(real a) { return fabsf(a); }
static inline real r_angle(real y, real x) { return atan2f(y, x); } // of the direction (x, y)

#endif
