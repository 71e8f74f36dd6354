// SPDX-License-Identifier: Apache-2.0
// The texts on lanes of many states in single precision, compiled once per instruction set
// (AP_ISA).

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

#define NAME2(isa)   ap__batch_f32_##isa
#define NAME1(isa)   NAME2(isa)
#define STRING2(isa) #isa
#define STRING1(isa) STRING2(isa)

extern const F(batch_ops) NAME1(AP_ISA);
const F(batch_ops) NAME1(AP_ISA) = BATCH_OPS(STRING1(AP_ISA));
