// SPDX-License-Identifier: Apache-2.0
// research.h in single precision.

#include <appell/dyn.h>

#include "base/isa.h"
#include "kin/text_f32.h"
#include "research/study.h"

#include "dyn/parts.inc"
#include "dyn/solve.inc"
#include "research/compared.inc"

AP_TABLE_OF(compared_methods, ap__compared_f32, methods_of)

#define WORK_SIZE(m)                   ap_work_size_f32(m)
#define WORK_INIT(m, mem, size, count) ((void)(count), ap_work_init_f32(m, mem, size))
#define STUDY_METHODS                  methods_of(best_build())
#include "research/study.inc"

const study_ops ap__study_f32 = STUDY_OPS;
