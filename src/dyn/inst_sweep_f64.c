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

static void halve(int n, const double *L, const int *next, const ap__factor_path *p) {
  const int count = p->n, *at = p->at;
  const double *J = p->J;
  double *Y = p->Y;
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
  lanes row[3] = {{0}};
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
    for (int d = 0; d < 3; d++) row[d] += y[d] * z;
  }
  for (int d = 0; d < 3; d++) store(block[d], row[d]);
}

#define NAME2(isa) ap__factor_rows_##isa
#define NAME1(isa) NAME2(isa)

extern const ap__factor_rows NAME1(AP_ISA);
const ap__factor_rows NAME1(AP_ISA) = {halve, meet};
