// SPDX-License-Identifier: Apache-2.0
// The texts on lanes of many states in single precision, compiled once per instruction set
// (AP_ISA).

#define AP_KERNEL
#include <appell/batch.h>

#include <float.h>
#include <string.h>

#include "base/arena.h"
#include "batch/ops.h"
#include "model/pack.h"
#include "num/arith_lanes_f32.h"

#define F(name)            name##_f32
#define FLOAT              float
#define ARITHMETIC_EPSILON FLT_EPSILON
#include "batch/text.inc"

extern const F(batch_ops) AP_OF_ISA(ap__batch_f32);
const F(batch_ops) AP_OF_ISA(ap__batch_f32) = BATCH_OPS(AP_ISA_NAME AP_FAMILY_F32);
