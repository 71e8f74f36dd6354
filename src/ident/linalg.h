// What identification asks of LAPACK, on column-major matrices. Every function allocates what it
// works in and says AP_E_MEMORY where there is none, AP_E_NO_CONVERGENCE where LAPACK gives up,
// AP_E_UNSUPPORTED where the library was built without it.

#ifndef AP_IDENT_LINALG_H
#define AP_IDENT_LINALG_H

#include <appell/base.h>

// Whether the library was built with LAPACK.
bool ap__lin_available(void);

// R, n x n and upper triangular, becomes the triangle of [R; B]; B, rows x n, is spent. scratch has
// ap__lin_scratch(n) numbers.
size_t ap__lin_scratch(int n);
void ap__lin_absorb(int n, double *R, int rows, double *B, int ldb, double *scratch);

// A, m x n, becomes the triangle R of A P = Q R (m x n, what lies below the diagonal is spent);
// column k of A P is column pivot[k] of A.
ap_status ap__lin_pivoted(int m, int n, double *A, int *pivot);

// A = U diag(s) V^T, m >= n: U is m x n, Vt n x n; A is spent.
ap_status ap__lin_svd(int m, int n, double *A, double *s, double *U, double *Vt);

// The x of least |A x - b|, m >= n, A of full rank; A and b are spent, x is b's first n numbers.
ap_status ap__lin_least_squares(int m, int n, double *A, double *b);

// R X = B with the upper triangle R (leading dimension ldr); X overwrites B, n x count.
ap_status ap__lin_solve_upper(int n, const double *R, int ldr, int count, double *B, int ldb);

// Number of entries of a matrix.
static inline size_t ap__lin_size(int m, int n) { return (size_t)m * (size_t)n; }

#endif
