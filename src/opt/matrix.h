// SPDX-License-Identifier: Apache-2.0
// Small dense matrices, row-major. Inner loops run along rows, so that compilers vectorise them.

#ifndef AP_OPT_MATRIX_H
#define AP_OPT_MATRIX_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

// C (m * n) += scale * A (m * k) B (k * n)
static inline void ap__add_product(int m, int k, int n, double scale, const double *restrict A,
                                   const double *restrict B, double *restrict C) {
  for (int i = 0; i < m; i++) {
    double *restrict row = C + (size_t)i * (size_t)n;
    for (int h = 0; h < k; h++) {
      const double a = scale * A[(size_t)i * (size_t)k + (size_t)h];
      const double *restrict b = B + (size_t)h * (size_t)n;
      if (a == 0) continue;
      for (int j = 0; j < n; j++) row[j] += a * b[j];
    }
  }
}

// C (m * n) += A^T B with A k * m, B k * n
static inline void ap__add_transposed(int m, int k, int n, const double *restrict A,
                                      const double *restrict B, double *restrict C) {
  for (int h = 0; h < k; h++) {
    const double *restrict b = B + (size_t)h * (size_t)n;
    for (int i = 0; i < m; i++) {
      const double a = A[(size_t)h * (size_t)m + (size_t)i];
      double *restrict row = C + (size_t)i * (size_t)n;
      if (a == 0) continue;
      for (int j = 0; j < n; j++) row[j] += a * b[j];
    }
  }
}

static inline void ap__clear(size_t n, double *x) { memset(x, 0, n * sizeof *x); }

// A = L L^T in place, lower triangle; false where A is not positive definite.
static inline bool ap__factor(int n, double *A) {
  for (int j = 0; j < n; j++) {
    double *row = A + (size_t)j * (size_t)n, pivot = row[j];
    for (int k = 0; k < j; k++) {
      const double *other = A + (size_t)k * (size_t)n;
      double sum = row[k];
      for (int i = 0; i < k; i++) sum -= row[i] * other[i];
      row[k] = sum / other[k];
    }
    for (int i = 0; i < j; i++) pivot -= row[i] * row[i];
    if (!(pivot > 1e-14 * fabs(row[j]) && isfinite(pivot))) return false;
    row[j] = sqrt(pivot);
  }
  return true;
}

// x = (L L^T)^-1 x
static inline void ap__solve_factored(int n, const double *L, double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= L[(size_t)i * (size_t)n + (size_t)k] * x[k];
    x[i] /= L[(size_t)i * (size_t)n + (size_t)i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= L[(size_t)k * (size_t)n + (size_t)i] * x[k];
    x[i] /= L[(size_t)i * (size_t)n + (size_t)i];
  }
}

#endif
