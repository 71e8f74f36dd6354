// SPDX-License-Identifier: Apache-2.0
// The tables of functions behind batch.h, in double and in float.

#ifndef AP_BATCH_OPS_H
#define AP_BATCH_OPS_H

#include <appell/batch.h>

#include "model/pack.h"

#define F(name) name
#define FLOAT   double
#include "batch/ops.inc"
#undef F
#undef FLOAT

#define F(name) name##_f32
#define FLOAT   float
#include "batch/ops.inc"
#undef F
#undef FLOAT

#endif
