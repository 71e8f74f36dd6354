// SPDX-License-Identifier: Apache-2.0
// Points of a scrambled Sobol sequence by their number.

#ifndef AP_SWEEP_SOBOL_H
#define AP_SWEEP_SOBOL_H

#include <stdint.h>

enum { AP__SOBOL_DIMENSIONS = 64, AP__SOBOL_BITS = 52, AP__SOBOL_LOW = 64 };

// The columns of one dimension's generator matrix, the first bit of a coordinate on top of 52.
typedef struct ap__sobol {
  uint64_t column[AP__SOBOL_BITS];
  uint64_t low[AP__SOBOL_LOW];   // the first points, by which those of every block differ
  uint64_t step[AP__SOBOL_BITS]; // what the next block changes, by the lowest bit of its number
  uint64_t shift;
} ap__sobol;

// Prepare dimension d, from 0 and below AP__SOBOL_DIMENSIONS: the direction numbers of Joe and Kuo,
// multiplied by a random matrix that is lower triangular with ones on its diagonal, and a random
// digital shift (Matousek 1998; Owen 2003). Every seed gives a (t, s)-sequence of the same quality.
void ap__sobol_init(ap__sobol *s, int d, uint64_t seed);
// The same without scrambling.
void ap__sobol_init_plain(ap__sobol *s, int d);
// Coordinate of point i, below 2^52: 52 bits, the binary point before the first.
uint64_t ap__sobol_bits(const ap__sobol *s, uint64_t i);
// In (0, 1): in the middle of its interval of 2^-52.
double ap__sobol_unit(const ap__sobol *s, uint64_t i);
// The same of n points.
void ap__sobol_units(const ap__sobol *s, uint64_t first, int n, double *to);

#endif
