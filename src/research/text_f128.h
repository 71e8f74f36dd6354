// SPDX-License-Identifier: Apache-2.0
// The kinematic texts in binary128. The model is packed anew in this arithmetic, so that results
// are right to its own last digits.

#ifndef AP_KIN_TEXT_H
#define AP_KIN_TEXT_H

#include <appell/kin.h>

#include <math.h>

#include "model/pack.h"

#include "research/arith_f128.h"
#include "num/vocabulary.inc"

#define PACK_NEGLIGIBLE 1e-34
#define REAL            real
#define PACKED_BODY     packed_body_f128
#define PACKED_FRAME    packed_frame_f128
#include "model/packed.inc"
#include "model/pack.inc"

#define WORK               ap_work_f128
#define PART               ap_part_f128
#define ARITHMETIC_EPSILON 1.93e-34 // 2^-112
#define PACKED_REAL        real
#define PARAM(ctx, x)      ((void)(ctx), (x))
#define PACK_MODEL         pack_model
#define MERGE_INERTIA      merge_inertia
#define HELD_WEIGHT        held_weight
#include "kin/text.inc"

#endif
