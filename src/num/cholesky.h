// Small symmetric systems by Cholesky's factors, n * n row-major, of which the lower triangle is
// read and written.

#ifndef AP_NUM_CHOLESKY_H
#define AP_NUM_CHOLESKY_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

// M = L L^T in place. -1; or where M is singular the first row whose pivot is rounding beside its
// diagonal.
static inline int ap__cholesky_fails(int n, double *M) {
  for (int j = 0; j < n; j++) {
    double *row = M + j * n, was = row[j], pivot = was;
    for (int k = 0; k < j; k++) {
      double sum = row[k];
      for (int i = 0; i < k; i++) sum -= row[i] * M[k * n + i];
      row[k] = sum / M[k * n + k];
    }
    for (int i = 0; i < j; i++) pivot -= row[i] * row[i];
    if (!(pivot > 16 * DBL_EPSILON * was && isfinite(pivot))) return j;
    row[j] = sqrt(pivot);
  }
  return -1;
}

// M = L L^T in place. False where M is singular.
static inline bool ap__cholesky(int n, double *M) { return ap__cholesky_fails(n, M) < 0; }

// L x = b in place.
static inline void ap__cholesky_lower(int n, const double *L, double *x) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) x[i] -= L[i * n + j] * x[j];
    x[i] /= L[i * n + i];
  }
}

// L^T x = b in place.
static inline void ap__cholesky_upper(int n, const double *L, double *x) {
  for (int i = n - 1; i >= 0; i--) {
    x[i] /= L[i * n + i];
    for (int j = 0; j < i; j++) x[j] -= L[i * n + j] * x[i];
  }
}

// L L^T x = b in place.
static inline void ap__cholesky_solve(int n, const double *L, double *x) {
  ap__cholesky_lower(n, L, x);
  ap__cholesky_upper(n, L, x);
}

#endif
