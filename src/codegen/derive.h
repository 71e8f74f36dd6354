// SPDX-License-Identifier: Apache-2.0
// Derivatives of what is on a tape, recorded behind it.

#ifndef AP_CODEGEN_DERIVE_H
#define AP_CODEGEN_DERIVE_H

#include "codegen/tape.h"

/// A value, and its derivative in one direction.
typedef struct ap_seed {
  real at, derivative;
} ap_seed;

/// Derivatives of n values in the direction that the seeds give: a seed's value depends on nothing
/// else than the seeds say, an input without a seed is constant. False: no memory.
bool ap__derive(ap_tape *t, int n, const real *value, int seeds, const ap_seed *seed,
                real *derivative);

/// The gradient of weight . value (n of each) by `count` nodes `at`, on which the values depend
/// through nothing but the tape; weights are constant. False: no memory.
bool ap__adjoin(ap_tape *t, int n, const real *value, const real *weight, int count, const real *at,
                real *gradient);

/// Values with other values in the place of n input nodes, each written anew from the inputs up.
/// The inputs must not occur in what stands for them. False: no memory.
bool ap__substitute(ap_tape *t, int n, const real *input, const real *by, int values, real *value);

#endif
