// SPDX-License-Identifier: Apache-2.0
// place.inc in double, as pack_f64.c has it.

#ifndef AP_MODEL_PLACE_F64_H
#define AP_MODEL_PLACE_F64_H

#include "model/pack.h"
#include "num/arith_f64.h"
#include "num/vocabulary.inc"

#define PACK_NEGLIGIBLE 1.2e-16 // just above half an ulp of one
#define PACKED_FRAME    ap_packed_frame
#include "model/place.inc"

#endif
