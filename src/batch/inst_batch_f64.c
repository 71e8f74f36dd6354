// SPDX-License-Identifier: Apache-2.0
// The texts on lanes of many states in double, compiled once per instruction set (AP_ISA).

#define AP_KERNEL
#include <appell/batch.h>

#include <float.h>
#include <string.h>

#include "base/arena.h"
#include "batch/ops.h"
#include "model/pack.h"
#include "num/arith_lanes_f64.h"

#define F(name)            name
#define FLOAT              double
#define ARITHMETIC_EPSILON DBL_EPSILON
#include "batch/text.inc"

extern const F(batch_ops) AP_OF_ISA(ap__batch_f64);
const F(batch_ops) AP_OF_ISA(ap__batch_f64) = BATCH_OPS(AP_ISA_NAME AP_FAMILY_F64);
