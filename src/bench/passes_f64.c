// SPDX-License-Identifier: Apache-2.0
#include <appell/batch.h>
#include <appell/codegen.h>
#include <float.h>

#define REAL       double
#define TWIN(name) name
#define WORK       ap_work
#define BATCH      ap_batch
#define COMPILED   ap_compiled
#define FUNCTIONS  ap_functions
#define KIND       ap__passes_f64
#define NAME       "f64"
#define EPSILON    DBL_EPSILON
#include "bench/passes.inc"
