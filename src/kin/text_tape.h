// The kinematic texts in the tape arithmetic.

#ifndef AP_KIN_TEXT_H
#define AP_KIN_TEXT_H

#include <appell/kin.h>

#include "model/pack.h"

#include "num/arith_tape.h"
#include "num/vocabulary.inc"

#define WORK    ap_work_tape
#define KERNELS ap_kernels_tape
typedef struct WORK WORK;
#define PACKED_BODY  ap_packed_body
#define PACKED_FRAME ap_packed_frame
#include "kin/text.inc"

#endif
