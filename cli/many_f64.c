#define REAL       double
#define TWIN(name) name
#define WORK       ap_work
#define BATCH      ap_batch
#define KIND       cli_many_f64
#include "many.inc"
