// SPDX-License-Identifier: Apache-2.0
// The sources of the simulator as bytes of the library: what an FMU of a scene carries.

#include "codegen/fmu_simulator.h"

#include <stdlib.h>
#include <string.h>

// The assembler puts the file there, as it does with pages.
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    "ap__simulator_bytes:\n"
    ".incbin \"" AP_SIMULATOR_FILE
    "\"\n"
    ".byte 0\n"
    ".previous\n");
extern const char ap__simulator_bytes[] __attribute__((visibility("hidden")));

const char *const ap__simulator_definitions[][2] = {
    {"AP_VERSION", "\"" AP_VERSION "\""}, {"AP_ISA", "base"}, {"_POSIX_C_SOURCE", "200809L"}, {0}};

// For each file a line with its size and its name; then its bytes. A line without a size ends it.
bool ap__next_source(const char **at, ap_simulator_source *source) {
  if (!*at) *at = ap__simulator_bytes;
  char *end;
  const unsigned long size = strtoul(*at, &end, 10);
  if (end == *at || *end != ' ') return false;
  const char *line = strchr(end, '\n');
  const size_t length = line ? (size_t)(line - end - 1) : sizeof source->name;
  if (length >= sizeof source->name) return false;
  memcpy(source->name, end + 1, length);
  source->name[length] = 0;
  source->text = line + 1;
  source->size = size;
  source->compiled = length > 2 && strcmp(source->name + length - 2, ".c") == 0;
  *at = source->text + size;
  return true;
}
