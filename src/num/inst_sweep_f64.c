// SPDX-License-Identifier: Apache-2.0
#include "num/sweep.h"

#include "num/side_by_side.h"

// One column, and the columns of `count` vectors.
static inline void sweep_one(int rows, int n, double *restrict B, const double *restrict old,
                             const double *restrict w, const double *restrict next,
                             double *restrict dot) {
  double sum = 0, factor = *w;
  for (int i = 0; i < rows; i++, B += n) {
    *B -= old[i] * factor;
    sum += next[i] * *B;
  }
  *dot = sum;
}

static inline __attribute__((always_inline)) void sweep(
    int count, int rows, int n, double *restrict B, const double *restrict old,
    const double *restrict w, const double *restrict next, double *restrict dot) {
  lanes sum[4], factor[4];
  for (int k = 0; k < count; k++) sum[k] = (lanes){0}, factor[k] = load(w + LANES * k);
  for (int i = 0; i < rows; i++, B += n)
    for (int k = 0; k < count; k++) {
      lanes x = load(B + LANES * k) - old[i] * factor[k];
      store(B + LANES * k, x);
      sum[k] += next[i] * x;
    }
  for (int k = 0; k < count; k++) store(dot + LANES * k, sum[k]);
}

static void sweep_columns(int columns, int rows, int n, double *B, const double *old,
                          const double *w, const double *next, double *dot) {
  int j = 0;
  for (; j + 4 * LANES <= columns; j += 4 * LANES)
    sweep(4, rows, n, B + j, old, w + j, next, dot + j);
  for (; j + LANES <= columns; j += LANES) sweep(1, rows, n, B + j, old, w + j, next, dot + j);
  for (; j < columns; j++) sweep_one(rows, n, B + j, old, w + j, next, dot + j);
}

#define NAME2(isa) ap__sweep_##isa
#define NAME1(isa) NAME2(isa)

extern const ap__sweeps NAME1(AP_ISA);
const ap__sweeps NAME1(AP_ISA) = {sweep_columns};
