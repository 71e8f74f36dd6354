// SPDX-License-Identifier: Apache-2.0
// Sweeps over the rows of small matrices: a strip of a row of the result stays in vectors.

#include "opt/products.h"

#include "num/side_by_side.h"

// c += sum over h of a[h * step] times row h of B, for `count` vectors of the row.
static inline __attribute__((always_inline)) void strip(int count, int k, int n, const double *a,
                                                        int step, const double *B, double *c) {
  lanes sum[4];
  for (int i = 0; i < count; i++) sum[i] = load(c + LANES * i);
  for (int h = 0; h < k; h++, a += step, B += n)
    for (int i = 0; i < count; i++) sum[i] += *a * load(B + LANES * i);
  for (int i = 0; i < count; i++) store(c + LANES * i, sum[i]);
}

// The vectors of a row from column j on; returns the first column that is left.
static inline int sweep_row(int j, int k, int n, const double *a, int step, const double *B,
                            double *c) {
  for (; j + 4 * LANES <= n; j += 4 * LANES) strip(4, k, n, a, step, B + j, c + j);
  if (j + 2 * LANES <= n) strip(2, k, n, a, step, B + j, c + j), j += 2 * LANES;
  if (j + LANES <= n) strip(1, k, n, a, step, B + j, c + j), j += LANES;
  return j;
}

// C += A' B, where entry (i, h) of A' is A[i * row + h * step]. Columns that fill no vector are
// done for all rows together, so that no sum waits for itself.
static inline void add_any(int m, int k, int n, const double *A, int row, int step, const double *B,
                           double *C) {
  int left = 0;
  for (int i = 0; i < m; i++) left = sweep_row(0, k, n, A + i * row, step, B, C + i * n);
  for (int h = 0; h < k; h++)
    for (int j = left; j < n; j++)
      for (int i = 0; i < m; i++) C[i * n + j] += A[i * row + h * step] * B[h * n + j];
}

static void add(int m, int k, int n, const double *A, const double *B, double *C) {
  add_any(m, k, n, A, k, 1, B, C);
}

static void add_transposed(int m, int k, int n, const double *A, const double *B, double *C) {
  add_any(m, k, n, A, 1, m, B, C);
}

// Vectors that hold some entry on or above the diagonal; then those below it are copied.
static void add_symmetric(int k, int n, const double *A, const double *B, double *C) {
  int left = n - n % LANES;
  for (int i = 0; i < left; i++) sweep_row(i - i % LANES, k, n, A + i, n, B, C + i * n);
  for (int h = 0; h < k; h++)
    for (int j = left; j < n; j++)
      for (int i = 0; i <= j; i++) C[i * n + j] += A[h * n + i] * B[h * n + j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) C[i * n + j] = C[j * n + i];
}

#define NAME2(isa) ap__products_##isa
#define NAME1(isa) NAME2(isa)

extern const ap__products NAME1(AP_ISA);
const ap__products NAME1(AP_ISA) = {add, add_transposed, add_symmetric};
