// SPDX-License-Identifier: Apache-2.0
// Mesh files, as far as their size goes: STL (both kinds) and OBJ.

#ifndef AP_LINT_MESH_H
#define AP_LINT_MESH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct mesh_extent {
  double low[3], high[3]; // in the file's own unit
  double volume;          // enclosed; meaningless where the surface is open
  long points;
} mesh_extent;

// The extent of a mesh in memory; format by the ending of its name. False: not a format that is
// known here, or nothing in it.
bool ap__mesh_measure(const char *name, const char *text, size_t length, mesh_extent *extent);

#endif
