// The kinematic texts in the tape arithmetic.

#ifndef AP_KIN_TEXT_H
#define AP_KIN_TEXT_H

#include <appell/kin.h>

#include <float.h>

#include "num/arith_tape.h"
#include "num/vocabulary.inc"

#define WORK               ap_work_tape
#define PART               ap_part_tape
#define ARITHMETIC_EPSILON DBL_EPSILON
#include "kin/text.inc"

#endif
