// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "dyn/factor_rows.h"

enum { LANES = AP__FACTOR_LANES };
typedef double lanes __attribute__((vector_size(8 * LANES)));

static inline lanes load(const double *x) {
  lanes y;
  memcpy(&y, x, sizeof y);
  return y;
}

static inline void store(double *x, lanes y) { memcpy(x, &y, sizeof y); }

// Whether the path of some rows is that of one link.
static bool is_chain(const int *next, const ap__factor_path *p) {
  int i = 1;
  while (i < p->n && next[p->at[i - 1]] == p->at[i]) i++;
  return i >= p->n;
}

// Along one chain each column takes what all before it leave of it, in a register.
static void halve_chain(int n, const double *L, const ap__factor_path *p) {
  const int count = p->n, *at = p->at;
  for (int i = 0; i < count; i++) {
    const size_t j = (size_t)at[i];
    const double *column = L + j;
    lanes y = load(p->J + LANES * j);
    for (int k = 0; k < i; k++)
      y -= column[(size_t)at[k] * (size_t)n] * load(p->Y + LANES * (size_t)at[k]);
    store(p->Y + LANES * j, y);
  }
}

static void halve(int n, const double *L, const int *next, const ap__factor_path *p) {
  const int count = p->n, *at = p->at;
  const double *J = p->J;
  double *Y = p->Y;
  if (is_chain(next, p)) {
    halve_chain(n, L, p);
    return;
  }
  for (int i = 0; i < count; i++)
    store(Y + (size_t)(LANES * at[i]), load(J + (size_t)(LANES * at[i])));
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)at[i];
    const double *row = L + k * (size_t)n;
    const lanes y = load(Y + LANES * k);
    for (long j = next[k]; j >= 0; j = next[j])
      store(Y + LANES * j, load(Y + LANES * j) - row[j] * y);
  }
}

static void meet(int n, const double *L, const ap__factor_path *a, const ap__factor_path *b,
                 double block[3][LANES]) {
  const int *one = a->at, *two = b->at, *last = one + a->n, *end = two + b->n;
  lanes row0 = {0}, row1 = {0}, row2 = {0};
  while (one < last && two < end) {
    const int k = *one;
    if (k != *two) {
      if (k > *two)
        one++;
      else
        two++;
      continue;
    }
    one++, two++;
    const lanes y = L[k * n + k] * load(a->Y + LANES * k), z = load(b->Y + LANES * k);
    row0 += y[0] * z;
    row1 += y[1] * z;
    row2 += y[2] * z;
  }
  store(block[0], row0), store(block[1], row1), store(block[2], row2);
}

static void along(int n, const double *L, const double *x, const ap__factor_path *p,
                  double sum[LANES]) {
  lanes all = {0};
  for (int i = 0; i < p->n; i++) {
    const size_t k = (size_t)p->at[i];
    all += L[k * (size_t)n + k] * x[k] * load(p->Y + LANES * k);
  }
  store(sum, all);
}

// y -= l x
static inline void subtract_row(int n, double l, const double *x, double *y) {
  int c = 0;
  for (; c + LANES <= n; c += LANES) store(y + c, load(y + c) - l * load(x + c));
  for (; c < n; c++) y[c] -= l * x[c];
}

static bool eliminate(int n, double *A, int *last, double small) {
  for (int k = 0; k < n; k++) {
    double *top = A + (size_t)k * (size_t)n, pivot = top[k];
    if (!(pivot > small || -pivot > small)) return false;
    top[k] = 1 / pivot;
    for (int r = k + 1; r <= last[k]; r++) {
      double *row = A + (size_t)r * (size_t)n, l = top[k] * top[r];
      if (l == 0) continue;
      for (; last[r] < last[k]; last[r]++) row[last[r] + 1] = 0;
      subtract_row(last[k] - r + 1, l, top + r, row + r);
    }
  }
  return true;
}

static inline const double *row_of(int n, const int *at, int k, const double *X) {
  return X + (size_t)(at ? at[k] : k) * (size_t)n;
}

// Four vectors, which stay in registers.
static inline void subtract_four(int n, int count, const double *c, int step, const int *at,
                                 const double *X, double *y) {
  lanes s0 = load(y), s1 = load(y + LANES), s2 = load(y + 2 * LANES), s3 = load(y + 3 * LANES);
  for (int k = 0; k < count; k++) {
    const double *x = row_of(n, at, k, X), part = c[step * k];
    s0 -= part * load(x);
    s1 -= part * load(x + LANES);
    s2 -= part * load(x + 2 * LANES);
    s3 -= part * load(x + 3 * LANES);
  }
  store(y, s0), store(y + LANES, s1), store(y + 2 * LANES, s2), store(y + 3 * LANES, s3);
}

static inline void subtract_one(int n, int count, const double *c, int step, const int *at,
                                const double *X, double *y) {
  lanes sum = load(y);
  for (int k = 0; k < count; k++) sum -= c[step * k] * load(row_of(n, at, k, X));
  store(y, sum);
}

typedef double pair __attribute__((vector_size(16)));

// The last columns, one or two.
static inline __attribute__((always_inline)) void subtract_last(int n, int last, int count,
                                                                const double *c, int step,
                                                                const int *at, const double *X,
                                                                double *y) {
  const size_t bytes = (size_t)last * sizeof *y;
  pair sum = {0}, x = {0};
  memcpy(&sum, y, bytes);
  for (int k = 0; k < count; k++) {
    memcpy(&x, row_of(n, at, k, X), bytes);
    sum -= c[step * k] * x;
  }
  memcpy(y, &sum, bytes);
}

static void subtract(int n, int count, const double *c, int step, const int *at, const double *X,
                     double *y) {
  int j = 0;
  for (; j + 4 * LANES <= n; j += 4 * LANES) subtract_four(n, count, c, step, at, X + j, y + j);
  for (; j + LANES <= n; j += LANES) subtract_one(n, count, c, step, at, X + j, y + j);
  if (j + 2 <= n) subtract_last(n, 2, count, c, step, at, X + j, y + j), j += 2;
  if (j < n) subtract_last(n, 1, count, c, step, at, X + j, y + j);
}

#define NAME2(isa) ap__factor_rows_##isa
#define NAME1(isa) NAME2(isa)

extern const ap__factor_rows NAME1(AP_ISA);
const ap__factor_rows NAME1(AP_ISA) = {halve, meet, along, eliminate, subtract};
