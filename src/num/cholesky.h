// SPDX-License-Identifier: Apache-2.0
// Small symmetric systems by Cholesky's factors, n * n row-major, of which the lower triangle is
// read and written; the rest of the first row is scratch.

#ifndef AP_NUM_CHOLESKY_H
#define AP_NUM_CHOLESKY_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "num/singular.h"

// The diagonal that L L^T has in row i.
static inline double ap__cholesky_diagonal(int n, const double *L, int i) {
  double sum = 0;
  for (int k = 0; k <= i; k++) sum += L[i * n + k] * L[i * n + k];
  return sum;
}

// The rule of num/singular.h with the diagonal for S. -1; or where L L^T is singular the last row
// that moves in the motion x that hardly moves mass. x takes the place of the first row of L.
static inline int ap__cholesky_probe(int n, double *L) {
  double energy = 0, size = 0, least = 0, first = L[0], *x = L;
  int row = 0;
  for (int i = 0; i < n; i++) { // L y = b
    double y = ap__probe_entry(i) * sqrt(ap__cholesky_diagonal(n, L, i));
    for (int k = 0; k < i; k++) y -= L[i * n + k] * x[k];
    x[i] = y / (i ? L[i * n + i] : first);
    energy += x[i] * x[i];
  }
  for (int i = n - 1; i >= 0; i--) { // L^T x = y
    for (int k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
    x[i] /= i ? L[i * n + i] : first;
    double part = (i ? ap__cholesky_diagonal(n, L, i) : first * first) * x[i] * x[i];
    size += part;
    if (part > least)
      least = 1e8 * part, row = i; // rows that rest have rounding of those that move
  }
  L[0] = first;
  return energy > AP_SINGULAR_ULPS * DBL_EPSILON * size ? -1 : row;
}

// M = L L^T in place. -1; or where M is singular a row that can move, together with some before it,
// at no expense.
static inline int ap__cholesky_fails(int n, double *M) {
  for (int j = 0; j < n; j++) {
    double *row = M + j * n, pivot = row[j];
    for (int k = 0; k < j; k++) {
      double sum = row[k];
      for (int i = 0; i < k; i++) sum -= row[i] * M[k * n + i];
      row[k] = sum / M[k * n + k];
    }
    for (int i = 0; i < j; i++) pivot -= row[i] * row[i];
    if (!(pivot > 0 && isfinite(pivot))) return j;
    row[j] = sqrt(pivot);
  }
  return n > 0 ? ap__cholesky_probe(n, M) : -1;
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
