// SPDX-License-Identifier: Apache-2.0
// parallel.h in single precision.

#include "num/arith_f32.h"
#include "num/cholesky.h"
#include "num/vocabulary.inc"
#include "loop/parallel.inc"

#define F(name)        ap_parallel_##name##_f32
#define ROBOT(r)       ((const robot *)(r)->f32)
#define LEAST_SERIAL   1e-3
#define LEAST_PARALLEL 1e-6
#define ASSEMBLY_NEAR  1e-3
#include "loop/parallel_api.inc"
