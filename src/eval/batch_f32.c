// SPDX-License-Identifier: Apache-2.0
#define REAL       float
#define TWIN(name) name##_f32
#define WORK       ap_work_f32
#define BATCH      ap_batch_f32
#define KIND       ap__batch_eval_f32
#include "eval/batch.inc"
