// SPDX-License-Identifier: Apache-2.0
// Which values the parameters have in a trial: a function of its number.

#ifndef AP_SWEEP_DESIGN_H
#define AP_SWEEP_DESIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "sweep/sobol.h"

typedef enum ap__distribution {
  AP__GRID, // every value with every combination of the others
  AP__UNIFORM,
  AP__NORMAL,
  AP__LOGNORMAL,
  AP__LOGUNIFORM,
  AP__TRIANGULAR,
  AP__CHOSEN // one of the values, all alike
} ap__distribution;

typedef struct ap__parameter {
  const char *name, *key;
  bool relative; // a factor of what the file says
  int line;
  ap__distribution distribution;
  double a, b, c; // uniform, loguniform: from a to b; normal: mean, deviation; lognormal: median,
                  // deviation of the logarithm; triangular: least, mode, most
  const double *value; // [values] of a grid or choice
  int values;
} ap__parameter;

typedef enum ap__design_kind {
  AP__RANDOM,
  AP__LATIN,
  AP__SOBOL,
  AP__SALTELLI,
  AP__MORRIS
} ap__design_kind;

typedef struct ap__design {
  ap__design_kind kind;
  const ap__parameter *parameter; // [n]
  int n, random;                  // random: those that are no grid
  uint64_t seed;
  uint64_t samples; // of the random parameters
  uint64_t cells;   // of the grids
  uint64_t trials;  // all
  uint64_t *stride; // [n] of a grid: trials between two of its values
  int *dimension;   // [n] among the random ones; -1: a grid
  ap__sobol *sobol; // [dimensions]; NULL: not used, or too many dimensions
} ap__design;

enum { AP__MORRIS_LEVELS = 4 };

// Finish a design whose first fields, up to samples, are set; false: no memory. trials is 0 where
// there are more than AP__MOST_TRIALS.
#define AP__MOST_TRIALS ((uint64_t)1 << 40)
bool ap__design_init(ap__design *d);
void ap__design_free(ap__design *d);

// Points of a block of designs for sensitivities: saltelli has A, B, then for each parameter A with
// that one of B; morris a path that changes one after the other.
int ap__design_block(const ap__design *d);
// Of morris: the step of its path, from 1, at which parameter p changes, and by how much of 0 .. 1.
int ap__morris_step(const ap__design *d, uint64_t block, int p, double *change);

// The values of parameter p in n trials, every stride-th number of `to`.
void ap__design_column(const ap__design *d, int p, uint64_t first, int n, double *to, int stride);

#endif
