// SPDX-License-Identifier: Apache-2.0
// Numbers side by side in a vector of the instruction set that a file is compiled for; loads and
// stores ask for no alignment.
#ifndef AP_NUM_SIDE_BY_SIDE_H
#define AP_NUM_SIDE_BY_SIDE_H

#include <string.h>

#ifdef __AVX__
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif
typedef double lanes __attribute__((vector_size(8 * LANES)));

static inline lanes load(const double *x) {
  lanes y;
  memcpy(&y, x, sizeof y);
  return y;
}

static inline void store(double *x, lanes y) { memcpy(x, &y, sizeof y); }

#endif
