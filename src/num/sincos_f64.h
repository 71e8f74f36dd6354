// SPDX-License-Identifier: Apache-2.0
// Sine and cosine in double: sincos_f64(q, offset, &s, &c) and sincos_n_f64 (see sincos.inc).
//
// Any finite arguments. Up to |q + offset| = 2^20 pi/2 (1.6e6) without a branch, beyond it by an
// exact reduction in integers. bench/accuracy_sincos measures the error.

#ifndef APPELL_NUM_SINCOS_F64_H
#define APPELL_NUM_SINCOS_F64_H

#include <stdint.h>

#include "num/fused.h"

#define SC(name) name##_f64
#define SC_FLT   double
#define SC_INT   int64_t
#define SC_UINT  uint64_t
#ifndef SC_VECTOR_BYTES // arith_lanes_f64.h asks for its own
#if defined AP_WIDE && defined __AVX2__
#define SC_VECTOR_BYTES 32
#else
#define SC_VECTOR_BYTES 16
#endif
#endif
#define SC_DOUBLE
#define SC_TYPE F64
#ifdef AP_FUSED_F64
#define SC_FUSED AP_FUSED_F64
#define SC_EACH  AP_OF_ISA(ap__sincos_each_f64)
#else
#define SC_EACH ap__sincos_each_f64
#endif
#include "sincos_constants.inc"
#include "sincos.inc"

#endif
