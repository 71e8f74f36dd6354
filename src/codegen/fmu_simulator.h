// SPDX-License-Identifier: Apache-2.0
// The sources of the simulator, for FMUs that carry it.

#ifndef AP_CODEGEN_FMU_SIMULATOR_H
#define AP_CODEGEN_FMU_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ap_simulator_source {
  char name[120]; // with folders: include/appell/sim.h, src/sim/run.c
  const char *text;
  size_t size;
  bool compiled; // or included
} ap_simulator_source;

/// The next of them, from *at on, which is NULL before the first; false behind the last.
bool ap__next_source(const char **at, ap_simulator_source *source);

/// How they are compiled, besides with include/ and src/ as folders of headers: definitions, up to
/// a NULL, each with its name and value.
extern const char *const ap__simulator_definitions[][2];

#endif
