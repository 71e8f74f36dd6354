// SPDX-License-Identifier: Apache-2.0
// States of motion, and what times are taken with.

#ifndef APPELL_BENCH_STATES_H
#define APPELL_BENCH_STATES_H

#include <appell/model.h>
#include <stdint.h>

// The next q within the joints' limits, v within 2 and a within 5 (SI units), the same on every
// machine and all single-precision numbers, so that the rounding of states is no part of an error.
// The seed moves on.
void ap__random_motion(const ap_model *m, uint64_t *seed, double *q, double *v, double *a);

// Seconds since some moment, by a clock that nobody sets.
double ap__clock(void);
// Smallest first.
void ap__sort(double *x, int n);

#endif
