// SPDX-License-Identifier: Apache-2.0
// The shortest forces of unknowns that depend on each other, by elimination with exchanges of rows:
// columns without a pivot are dependent, and each of them is the end of a solution that does
// nothing. An orthonormal basis N of these makes any solution y the shortest, y - N N^T y, in
// whatever scale of the unknowns, at a part of the cost of QR: inside the envelope.
//
// Pivots are told from rounding only where none is between: elsewhere, and where the right side is
// not in the range of the columns, QR decides (contact_solve.c).

#include <math.h>
#include <string.h>

#include "contact_system.h"

// Parts of the largest entry: pivots are above the first, rounding is below the second.
static const double SURE = 1e-6, NONE = 1e-11;
// Part of the right side that is none.
static const double LEFT = 1e-9;

static void swap(int n, double *x, double *y) {
  for (int c = 0; c < n; c++) {
    double keep = x[c];
    x[c] = y[c], y[c] = keep;
  }
}

// The row from `first` on that is largest in column k.
static int largest_in(int n, const double *A, int first, int k) {
  int best = first;
  for (int r = first + 1; r < n; r++)
    if (fabs(A[r * n + k]) > fabs(A[best * n + k])) best = r;
  return best;
}

static void subtract(int n, double l, const double *restrict x, double *restrict y) {
  for (int c = 0; c < n; c++) y[c] -= l * x[c];
}

// Echelon form of s->qr.A with s->rhs; the columns of its rows in s->qr.pivot, and behind them
// those without a row. The rank, or -1 where it is in doubt.
static int reduce(int n, contact_system *s) {
  double *A = s->qr.A, *b = s->rhs, most = ap__contact_largest(A, n * n);
  const double right = ap__contact_largest(b, n);
  int rank = 0, end = n;
  for (int k = 0; k < n; k++) {
    int best = rank < n ? largest_in(n, A, rank, k) : rank;
    double pivot = rank < n ? fabs(A[best * n + k]) : 0, *top = A + rank * n;
    if (pivot <= NONE * most) {
      s->qr.pivot[--end] = k;
      continue;
    }
    if (!(pivot > SURE * most)) return -1;
    if (best != rank) {
      swap(n - k, top + k, A + best * n + k);
      swap(1, b + rank, b + best);
      int last = s->last[best];
      s->last[best] = s->last[rank], s->last[rank] = last;
    }
    for (int r = rank + 1; r < n; r++) {
      double *row = A + r * n, l = row[k] / top[k];
      if (l == 0) continue;
      subtract(s->last[rank] - k, l, top + k + 1, row + k + 1);
      b[r] -= l * b[rank];
      if (s->last[r] < s->last[rank]) s->last[r] = s->last[rank];
    }
    s->qr.pivot[rank++] = k;
  }
  for (int r = rank; r < n; r++)
    if (!(fabs(b[r]) <= LEFT * right)) return -1;
  return rank;
}

// The solution for right side b (NULL: none) whose entries without a row are those of x.
static void substitute(int n, int rank, const double *b, const contact_system *s, double *x) {
  for (int r = rank - 1; r >= 0; r--) {
    const double *row = s->qr.A + r * n;
    int k = s->qr.pivot[r];
    double sum = b ? b[r] : 0;
    for (int c = k + 1; c <= s->last[r]; c++) sum -= row[c] * x[c];
    x[k] = sum / row[k];
  }
}

static double product(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// d vectors in a piece each made orthonormal (Gram and Schmidt, each twice).
static void orthonormalise(int n, int d, double *N) {
  for (int k = 0; k < d; k++) {
    double *own = N + k * n;
    for (int twice = 0; twice < 2; twice++)
      for (int j = 0; j < k; j++) subtract(n, product(n, N + j * n, own), N + j * n, own);
    double length = sqrt(product(n, own, own));
    for (int c = 0; c < n; c++) own[c] /= length;
  }
}

// s->x, the shortest in the scale of the unknowns, from any solution in s->y; and s->y from it.
static void shorten(int n, int d, double *N, contact_system *s) {
  orthonormalise(n, d, N);
  for (int c = 0; c < n; c++) s->x[c] = s->y[c] / s->scale[c];
  for (int k = 0; k < d; k++) subtract(n, product(n, N + k * n, s->x), N + k * n, s->x);
  for (int c = 0; c < n; c++) s->y[c] = s->scale[c] * s->x[c];
}

int ap__contact_spread(const ap_resting *resting, int n, contact_system *s) {
  double *N = s->N;
  for (int r = 0; r < n; r++) s->rhs[r] = -s->base[s->row[r]];
  int rank = reduce(n, s), d = n - rank;
  if (rank < 0 || d == 0) return 0;
  for (int c = 0; c < n; c++) s->y[c] = 0;
  substitute(n, rank, s->rhs, s, s->y);
  for (int k = 0; k < d; k++) {
    memset(N + k * n, 0, (size_t)n * sizeof *N);
    N[k * n + s->qr.pivot[rank + k]] = 1;
    substitute(n, rank, NULL, s, N + k * n);
  }
  shorten(n, d, N, s);
  if (ap__contact_weigh(resting, n, s)) {
    for (int k = 0; k < d; k++)
      for (int c = 0; c < n; c++) N[k * n + c] /= s->scale[c];
    shorten(n, d, N, s);
  }
  memcpy(s->qr.A, N, (size_t)d * (size_t)n * sizeof *N);
  for (int c = 0; c < n; c++)
    for (int k = 0; k < d; k++) N[c * d + k] = s->qr.A[k * n + c];
  return d;
}
