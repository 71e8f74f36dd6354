// SPDX-License-Identifier: Apache-2.0
// Products of small matrices, row-major.

#ifndef AP_LOOP_MATRIX_H
#define AP_LOOP_MATRIX_H

#include <string.h>

// y [r * c] = A [r * k] B [k * c]
static inline void multiply(int r, int k, int c, const double *A, const double *B, double *y) {
  memset(y, 0, sizeof(double) * (size_t)r * (size_t)c);
  for (int i = 0; i < r; i++)
    for (int j = 0; j < k; j++)
      for (int h = 0; h < c; h++) y[i * c + h] += A[i * k + j] * B[j * c + h];
}

// y [c * d] += A^T B with A [k * c], B [k * d]
static inline void add_transposed(int k, int c, int d, const double *A, const double *B,
                                  double *y) {
  for (int j = 0; j < k; j++)
    for (int i = 0; i < c; i++)
      for (int h = 0; h < d; h++) y[i * d + h] += A[j * c + i] * B[j * d + h];
}

// y [c] = A^T b with A [k * c]
static inline void transposed(int k, int c, const double *A, const double *b, double *y) {
  memset(y, 0, sizeof(double) * (size_t)c);
  add_transposed(k, c, 1, A, b, y);
}

#endif
