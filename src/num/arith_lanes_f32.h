// SPDX-License-Identifier: Apache-2.0
// Arithmetic: floats of many states side by side, in the widest vectors of the instruction set that
// this is compiled for. See arith_lanes.inc.

#ifndef APPELL_NUM_ARITH_H
#define APPELL_NUM_ARITH_H

#include <math.h>

#include "base/vectors.h"
#include "num/fused.h"

#define LANE_BYTES      AP_VECTOR_BYTES
#define SC_VECTOR_BYTES LANE_BYTES
#include "sincos_f32.h"

#define LANE(name) name##_f32
#define LANE_FLT   float
#define LANE_INT   int32_t
#define LANE_SQRT  sqrtf
#define LANE_ANGLE atan2f
#ifdef AP_FUSED_F32
AP_VECTOR_FMA(lanes_fma, LANE(sc_vflt), F32, LANE_BYTES)
#define LANE_FUSED lanes_fma
#endif
#include "num/arith_lanes.inc"

#endif
