// SPDX-License-Identifier: Apache-2.0
// The kinematic texts in single precision.

#ifndef AP_KIN_TEXT_H
#define AP_KIN_TEXT_H

#include <appell/kin.h>

#include <float.h>

#include "num/arith_f32.h"
#include "num/vocabulary.inc"

#define WORK               ap_work_f32
#define PART               ap_part_f32
#define ARITHMETIC_EPSILON FLT_EPSILON
#include "kin/text.inc"

#endif
