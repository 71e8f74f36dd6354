// SPDX-License-Identifier: Apache-2.0
// A search for numbers without bounds that make a worth large, from values alone: an evolution
// strategy that adapts the step of each number (sep-CMA-ES, Ros and Hansen 2008).

#ifndef AP_IDENT_STRATEGY_H
#define AP_IDENT_STRATEGY_H

#include <stdbool.h>

#include "ident/ident.h"

typedef struct ap__candidate {
  double worth;
  double *gene;
} ap__candidate;

// Its state: mean, deviation of each number, paths of the last steps.
typedef struct ap__strategy {
  int n, children, parents, generation;
  double *mean, *variance, *path, *step_path, *old, *weight, *memory;
  ap__candidate *child; // [children]
  double step, mass;    // mass: of the weights, 1 / sum of squares
} ap__strategy;

// All numbers 0, deviations 1/2; false without memory, to be freed in any case.
bool ap__strategy_make(ap__strategy *s, int n);
void ap__strategy_free(ap__strategy *s);
// New genes for child k; then set its worth.
void ap__strategy_draw(ap__strategy *s, int k, ap__random *random);
// Once all children have their worth.
void ap__strategy_learn(ap__strategy *s);

#endif
