// SPDX-License-Identifier: Apache-2.0
// Rows through the factor of an inertia matrix, M = L^T D L: with y = L^-T j of a row j of a
// Jacobian, two rows give j_1 M^-1 j_2^T = y_1^T D^-1 y_2 over the degrees of freedom that both
// paths to the ground have. Compiled once per instruction set, without fused products: the bits are
// the same for all.

#ifndef AP_DYN_FACTOR_ROWS_H
#define AP_DYN_FACTOR_ROWS_H

#include <appell/work.h>

#include <stdbool.h>

// Rows that go side by side: three of a contact, and one that is zero.
enum { AP__FACTOR_LANES = 4 };

// A set of such rows. Column k of J and of Y is at [AP__FACTOR_LANES * k].
typedef struct ap__factor_path {
  int n;         // degrees of freedom of the path,
  const int *at; // [n] which they are, descending
  const double *J;
  double *Y;
} ap__factor_path;

// What one instruction set offers. L and next are those of an ap_factor of n degrees of freedom.
typedef struct ap__factor_rows {
  // Y = L^-T J on the path.
  void (*halve)(int n, const double *L, const int *next, const ap__factor_path *p);
  // Row d of `block`: that of a with all of b.
  void (*meet)(int n, const double *L, const ap__factor_path *a, const ap__factor_path *b,
               double block[3][AP__FACTOR_LANES]);
  // The sum over the path of x[k] D^-1_kk times column k of Y, four numbers.
  void (*along)(int n, const double *L, const double *x, const ap__factor_path *p,
                double sum[AP__FACTOR_LANES]);
  // Elimination of the upper half of a symmetric matrix A [n * n] in place, the inverse pivots on
  // the diagonal; row k ends at last[k], and so do those that it is subtracted from. False where a
  // pivot is not above `small`.
  bool (*eliminate)(int n, double *A, int *last, double small);
  // y [n] -= the sum of `count` rows of X, which are n numbers apart, row at[k] (NULL: k) times
  // c[step * k], in their order.
  void (*subtract)(int n, int count, const double *c, int step, const int *at, const double *X,
                   double *y);
} ap__factor_rows;

// That of this processor.
AP_API const ap__factor_rows *ap__rows_of_factor(void);

#endif
