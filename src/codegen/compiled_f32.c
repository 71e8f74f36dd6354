// SPDX-License-Identifier: Apache-2.0
#include <appell/codegen.h>

#define REAL       float
#define TWIN(name) name##_f32
#define COMPILED   ap_compiled_f32
#define FUNCTIONS  ap_functions_f32
#define ARITHMETIC AP_F32
#include "codegen/compiled.inc"
