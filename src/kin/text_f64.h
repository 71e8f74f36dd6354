// The kinematic texts in double.

#ifndef AP_KIN_TEXT_H
#define AP_KIN_TEXT_H

#include <appell/kin.h>

#include "model/pack.h"

#include "num/arith_f64.h"
#include "num/vocabulary.inc"

#define WORK         ap_work
#define KERNELS      ap_kernels
#define PACKED_BODY  ap_packed_body
#define PACKED_FRAME ap_packed_frame
#include "kin/text.inc"

#endif
