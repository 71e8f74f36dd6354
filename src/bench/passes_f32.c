// SPDX-License-Identifier: Apache-2.0
#include <appell/batch.h>
#include <appell/codegen.h>
#include <float.h>

#define REAL       float
#define TWIN(name) name##_f32
#define WORK       ap_work_f32
#define BATCH      ap_batch_f32
#define COMPILED   ap_compiled_f32
#define FUNCTIONS  ap_functions_f32
#define KIND       ap__passes_f32
#define NAME       "f32"
#define EPSILON    FLT_EPSILON
#include "bench/passes.inc"
