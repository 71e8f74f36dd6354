// SPDX-License-Identifier: Apache-2.0
// The kernels in the counting arithmetic, and the studies made with them.

#include <appell/kin.h>

#include <float.h>

#include "research/arith_count.h"

#include "num/vocabulary.inc"

#define WORK                 ap_work_count
#define PART                 ap_part_count
#define ARITHMETIC_EPSILON   DBL_EPSILON
#define OFFLINE(ctx, x)      r_param(ctx, r_store(x))
#define ISA_NAME             "count"
#define STUDY_CONTEXT(count) (count)
#include "kin/text.inc"

#include "research/study_by_text.inc"

const study_ops ap__study_count = STUDY_OPS;
