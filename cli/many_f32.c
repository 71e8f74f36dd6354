#define REAL       float
#define TWIN(name) name##_f32
#define WORK       ap_work_f32
#define BATCH      ap_batch_f32
#define KIND       cli_many_f32
#include "many.inc"
