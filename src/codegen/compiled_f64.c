#include <appell/compile.h>

#define REAL       double
#define TWIN(name) name
#define COMPILED   ap_compiled
#define FUNCTIONS  ap_functions
#define WORK       ap_work
#define BATCH      ap_batch
#define ARITHMETIC AP_F64
#include "codegen/compiled.inc"
