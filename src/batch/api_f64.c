// SPDX-License-Identifier: Apache-2.0
// batch.h in double.

#include <appell/batch.h>

#include "base/arena.h"
#include "batch/ops.h"
#include "base/isa.h"
#include "kin/text_f64.h"

#include "dyn/parts.inc"

#define F(name) name
#define FLOAT   double

AP_TABLE_OF(F(batch_ops), ap__batch_f64, ops_of)

#include "batch/api.inc"
