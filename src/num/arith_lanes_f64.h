// SPDX-License-Identifier: Apache-2.0
// Arithmetic: doubles of many states side by side, in the widest vectors of the instruction set
// that this is compiled for. See arith_lanes.inc.

#ifndef APPELL_NUM_ARITH_H
#define APPELL_NUM_ARITH_H

#include <math.h>

#include "base/vectors.h"
#include "num/fused.h"

#define LANE_BYTES      AP_VECTOR_BYTES
#define SC_VECTOR_BYTES LANE_BYTES
#include "sincos_f64.h"

#define LANE(name) name##_f64
#define LANE_FLT   double
#define LANE_INT   int64_t
#define LANE_SQRT  sqrt
#define LANE_ANGLE atan2
#ifdef AP_FUSED_F64
AP_VECTOR_FMA(lanes_fma, LANE(sc_vflt), F64, LANE_BYTES)
#define LANE_FUSED lanes_fma
#endif
#include "num/arith_lanes.inc"

#endif
