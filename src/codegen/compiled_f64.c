// SPDX-License-Identifier: Apache-2.0
#include <appell/codegen.h>

#define REAL       double
#define TWIN(name) name
#define COMPILED   ap_compiled
#define FUNCTIONS  ap_functions
#define ARITHMETIC AP_F64
#include "codegen/compiled.inc"
