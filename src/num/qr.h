// SPDX-License-Identifier: Apache-2.0
// Linear systems of any shape and rank: Householder QR with column pivoting, made a complete
// orthogonal decomposition (G. H. Golub and C. F. Van Loan, Matrix Computations, 5.4-5.5):
//
//   A P = Q [T 0; 0 0] Z,  T upper triangular of the rank's size, P the order of the columns
//
// Nothing is allocated: the caller brings the arrays. Exported, because libappell-tools solves with
// it.

#ifndef AP_NUM_QR_H
#define AP_NUM_QR_H

#include <appell/base.h>

// A matrix with its factors. Set all but rank, then call ap__qr_factor().
typedef struct ap_qr {
  int m, n;      // rows, columns
  double *A;     // [m * n] in: the matrix, row-major; then its factors
  double *left;  // [n] of the reflections from the left
  double *right; // [n] of those from the right
  double *spare; // [n] scratch
  int *pivot;    // [n] which column of A stands where
  int most;      // rank at most; 0: any
  double tie;  // columns whose lengths differ by less than this part of them are equally long: the
               // one that stood first in A is taken; 0: only what is equal to the bit
  int rank;    // out
  double kept; // out: least length that counted, relative to the longest column of A
  double dropped; // out: greatest length that did not; 0 where nothing is left
} ap_qr;

// The first half of ap__qr_factor(): A P = Q [R1 R2; 0 0], R1 upper triangular of the rank's size.
AP_API int ap__qr_triangle(ap_qr *qr, double tolerance);

// Factor it. Columns count as dependent on those before them when the longest of what is left of
// them is at most `tolerance` times the longest column of A. Returns the rank.
AP_API int ap__qr_factor(ap_qr *qr, double tolerance);

// The shortest x [n] that makes |A x - b| least, the columns taken for dependent being so exactly.
// b [m] is used up: its entries from the rank on have that least length.
AP_API void ap__qr_solve(const ap_qr *qr, double *b, double *x);

// The same for k right sides at once: B [m * k] is used up, room [n * k] is scratch, X is [n * k].
AP_API void ap__qr_solve_many(const ap_qr *qr, int k, double *B, double *room, double *X);

// An orthonormal basis of those x that A takes to zero, the dependent columns being so exactly: the
// columns of N [n * (n - rank)].
AP_API void ap__qr_null(const ap_qr *qr, double *N);
// Column k of it alone: x [n].
AP_API void ap__qr_null_vector(const ap_qr *qr, int k, double *x);

#endif
