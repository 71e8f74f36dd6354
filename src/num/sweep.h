// SPDX-License-Identifier: Apache-2.0
// The inner loop of ap__triangle_absorb(), compiled once per instruction set.

#ifndef AP_NUM_SWEEP_H
#define AP_NUM_SWEEP_H

// A pass over some columns of B, whose rows are n numbers apart: B -= old w^T, and dot = next^T B
// of what comes out. So one pass serves two reflections. Each column has sums of its own, in the
// order of the rows: the bits are the same for every instruction set.
typedef void ap__sweep(int columns, int rows, int n, double *B, const double *old, const double *w,
                       const double *next, double *dot);

// What one instruction set offers.
typedef struct ap__sweeps {
  ap__sweep *columns;
} ap__sweeps;

#endif
