// SPDX-License-Identifier: Apache-2.0
// research.h in double.

#include <appell/dyn.h>

#include "base/isa.h"
#include "kin/text_f64.h"
#include "research/study.h"

#include "dyn/parts.inc"
#include "dyn/solve.inc"
#include "research/compared.inc"

AP_TABLE_OF(compared_methods, ap__compared_f64, methods_of)

#define WORK_SIZE(m)                   ap_work_size(m)
#define WORK_INIT(m, mem, size, count) ((void)(count), ap_work_init(m, mem, size))
#define STUDY_METHODS                  methods_of(best_build())
#include "research/study.inc"

const study_ops ap__study_f64 = STUDY_OPS;
