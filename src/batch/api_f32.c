// SPDX-License-Identifier: Apache-2.0
// batch.h in single precision.

#include <appell/batch.h>

#include "base/arena.h"
#include "batch/ops.h"
#include "base/isa.h"
#include "kin/text_f32.h"

#include "dyn/parts.inc"

#define F(name) name##_f32
#define FLOAT   float

AP_TABLE_OF(F(batch_ops), ap__batch_f32, ops_of)

#include "batch/api.inc"
