// The kinematic texts in the counting arithmetic.

#ifndef AP_KIN_TEXT_H
#define AP_KIN_TEXT_H

#include <appell/kin.h>

#include <float.h>

#include "research/arith_count.h"
#include "num/vocabulary.inc"

#define WORK               ap_work_count
#define PART               ap_part_count
#define ARITHMETIC_EPSILON DBL_EPSILON
#define OFFLINE(ctx, x)    r_param(ctx, r_store(x))
#include "kin/text.inc"

#endif
