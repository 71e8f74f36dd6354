// Programs as C: one state at a time, and many states side by side.

#ifndef AP_CODEGEN_C_SOURCE_H
#define AP_CODEGEN_C_SOURCE_H

#include "codegen/write.h"

/// What a whole file is written from.
typedef struct ap_unit {
  const ap_model *m;
  const ap_generate_options *options;
  const char *name;       // prefix of all names
  const ap_program *part; // [parts]
  const char **part_name; // [parts] without the prefix: "inverse_dynamics"
  int parts;
  int regrouped;   // inertial parameters that were moved
  ap_count *count; // [AP_FUNCTIONS]
} ap_unit;

/// NAME.c and NAME.h. A text that failed ran out of memory.
void ap__put_c_source(ap__text *t, const ap_unit *u);
void ap__put_c_header(ap__text *t, const ap_unit *u);

#endif
