// SPDX-License-Identifier: Apache-2.0
// Sine and cosine in float, without a double anywhere: sincos_f32(q, offset, &s, &c) and
// sincos_n_f32 (see sincos.inc).
//
// Any finite arguments. Up to |q + offset| = 2^10 pi/2 (1608) without a branch, beyond it by an
// exact reduction in integers. bench/accuracy_sincos measures the error; of all floats in the first
// range, tried once, the worst is 0.849 ulp.

#ifndef APPELL_NUM_SINCOS_F32_H
#define APPELL_NUM_SINCOS_F32_H

#include <stdint.h>

#include "num/fused.h"

#define SC(name) name##_f32
#define SC_FLT   float
#define SC_INT   int32_t
#define SC_UINT  uint32_t
#ifndef SC_VECTOR_BYTES    // arith_lanes_f32.h asks for its own
#define SC_VECTOR_BYTES 16 // an arm of 6 or 7 joints is two vectors, 8 lanes would be one too wide
#endif
#define SC_TYPE F32
#ifdef AP_FUSED_F32
#define SC_FUSED AP_FUSED_F32
#define SC_EACH  AP_OF_ISA(ap__sincos_each_f32)
#else
#define SC_EACH ap__sincos_each_f32
#endif
#include "sincos_constants.inc"
#include "sincos.inc"

#endif
