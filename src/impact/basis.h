// SPDX-License-Identifier: Apache-2.0
// Orthonormal bases of a few vectors, grown one vector at a time; small least-norm problems.

#ifndef AP_IMPACT_BASIS_H
#define AP_IMPACT_BASIS_H

#include <stdbool.h>

// Vectors a_0, a_1, ... of dim numbers, a_j = sum_i r[i][j] q_i, R upper triangular.
typedef struct ap_basis {
  int dim, rank;
  int most;  // vectors that there is room for
  double *q; // most * dim
  double *r; // most * most, row-major
} ap_basis;

// A vector whose part outside the others is less than this, of its length, depends on them.
static const double AP_DEPENDENT = 1e-10;

double ap__dot(int n, const double *a, const double *b);
// x += s a
void ap__add_scaled(int n, double s, const double *a, double *x);

// a = sum along[i] q_i + rest; the length of rest. Twice through, so that rest is orthogonal to
// rounding.
double ap__basis_split(const ap_basis *b, const double *a, double *along, double *rest);
// Take a in; false, and nothing changed, where it depends on those there. room holds dim numbers.
bool ap__basis_add(ap_basis *b, const double *a, double *room);
// R x = c and R^T x = c; x may be c.
void ap__basis_solve(const ap_basis *b, const double *c, double *x);
void ap__basis_solve_transposed(const ap_basis *b, const double *c, double *x);

#endif
