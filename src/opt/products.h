// SPDX-License-Identifier: Apache-2.0
// Products of small matrices, row-major, compiled once per instruction set. Each entry is a sum in
// the order of the inner index: the bits are the same for every instruction set.

#ifndef AP_OPT_PRODUCTS_H
#define AP_OPT_PRODUCTS_H

// What one instruction set offers.
typedef struct ap__products {
  // C (m * n) += A (m * k) B (k * n)
  void (*add)(int m, int k, int n, const double *A, const double *B, double *C);
  // C (m * n) += A^T B with A k * m, B k * n
  void (*add_transposed)(int m, int k, int n, const double *A, const double *B, double *C);
  // C (n * n) += A^T B, of which it is known that it is symmetric; A and B are k * n
  void (*add_symmetric)(int k, int n, const double *A, const double *B, double *C);
} ap__products;

#endif
