// SPDX-License-Identifier: Apache-2.0
#define REAL       double
#define TWIN(name) name
#define WORK       ap_work
#define BATCH      ap_batch
#define KIND       ap__batch_eval_f64
#include "eval/batch.inc"
