// SPDX-License-Identifier: Apache-2.0
// The kinematic texts in double.

#ifndef AP_KIN_TEXT_H
#define AP_KIN_TEXT_H

#include <appell/kin.h>

#include <float.h>

#include "num/arith_f64.h"
#include "num/vocabulary.inc"

#define WORK               ap_work
#define PART               ap_part
#define ARITHMETIC_EPSILON DBL_EPSILON
#include "kin/text.inc"

#endif
