// SPDX-License-Identifier: Apache-2.0
#include "qr.h"

#include <math.h>

#include "triangle.h"

// A vector inside a matrix: its first entry, and the others from x[offset], `stride` apart.
typedef struct strip {
  double *x;
  int offset, stride;
} strip;

// Length of the others.
static double rest_length(strip s, int count) {
  return ap__length(s.x + s.offset, count, s.stride);
}

// The reflection 1 - beta u u^T that takes s to a multiple of the first unit vector. Its u begins
// with 1, and the others of s are replaced by u's. Returns beta, 0 where there is nothing to do.
static double make_reflection(strip s, int count) {
  double tail = rest_length(s, count);
  if (!(tail > 0)) return 0;
  double both[] = {*s.x, tail};
  double whole = copysign(ap__length(both, 2, 1), *s.x); // of this sign nothing cancels
  double top = *s.x + whole;
  for (int i = 0; i < count; i++) s.x[s.offset + i * s.stride] /= top;
  *s.x = -whole;
  return top / whole;
}

static void reflect(double beta, strip u, strip s, int count) {
  if (beta == 0) return;
  double sum = *s.x;
  for (int i = 0; i < count; i++)
    sum += u.x[u.offset + i * u.stride] * s.x[s.offset + i * s.stride];
  sum *= beta;
  *s.x -= sum;
  for (int i = 0; i < count; i++)
    s.x[s.offset + i * s.stride] -= sum * u.x[u.offset + i * u.stride];
}

// Column j from row i down, and row i from column j on with the columns between j and r left out.
static strip column(const ap_qr *qr, int i, int j) {
  return (strip){qr->A + i * qr->n + j, qr->n, qr->n};
}
static strip row(const ap_qr *qr, int i, int j) {
  return (strip){qr->A + i * qr->n + j, qr->rank - j, 1};
}

// y += s x. Matrices are walked along their rows, which compilers vectorise.
static void add_scaled(int n, double s, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] += s * x[i];
}

// Of the columns from k on that are as long as the longest, the one that stood first in A. spare
// has their lengths, or the squares of them: then a tie is half as wide.
static int first_of_longest(const ap_qr *qr, int k, int longest) {
  if (qr->tie == 0) return longest;
  double least = qr->spare[longest] * (1 - qr->tie);
  int first = longest;
  for (int j = k; j < qr->n; j++)
    if (qr->spare[j] >= least && qr->pivot[j] < qr->pivot[first]) first = j;
  return first;
}

// The column from k on with the longest rest from row k down, by plain squares; where these over-
// or underflow, with care.
static int longest_column(ap_qr *qr, int k) {
  int n = qr->n, best = k;
  double *sum = qr->spare;
  for (int j = k; j < n; j++) sum[j] = 0;
  for (int i = k; i < qr->m; i++) {
    const double *line = qr->A + i * n;
    for (int j = k; j < n; j++) sum[j] += line[j] * line[j];
  }
  for (int j = k; j < n; j++)
    if (sum[j] > sum[best]) best = j;
  if (!(sum[best] > 1e-280 && sum[best] < 1e280)) {
    for (int j = k; j < n; j++) sum[j] = rest_length((strip){qr->A + k * n + j, 0, n}, qr->m - k);
    best = k;
    for (int j = k; j < n; j++)
      if (sum[j] > sum[best]) best = j;
  }
  return first_of_longest(qr, k, best);
}

// Apply reflection k from the left to columns k + 1 .. n - 1.
static void reflect_columns(ap_qr *qr, int k) {
  int n = qr->n, from = k + 1, count = n - from;
  double beta = qr->left[k], *top = qr->A + k * n + from, *sum = qr->spare;
  if (beta == 0) return;
  for (int j = 0; j < count; j++) sum[j] = top[j];
  for (int i = from; i < qr->m; i++) add_scaled(count, qr->A[i * n + k], qr->A + i * n + from, sum);
  for (int j = 0; j < count; j++) sum[j] *= beta;
  for (int j = 0; j < count; j++) top[j] -= sum[j];
  for (int i = from; i < qr->m; i++)
    add_scaled(count, -qr->A[i * n + k], sum, qr->A + i * n + from);
}

// Bring the column with the longest rest from row k down to place k; that length.
static double choose_pivot(ap_qr *qr, int k) {
  int best = longest_column(qr, k);
  double longest = rest_length((strip){qr->A + k * qr->n + best, 0, qr->n}, qr->m - k);
  for (int i = 0; i < qr->m; i++) {
    double *line = qr->A + i * qr->n, swap = line[k];
    line[k] = line[best];
    line[best] = swap;
  }
  int swap = qr->pivot[k];
  qr->pivot[k] = qr->pivot[best];
  qr->pivot[best] = swap;
  return longest;
}

int ap__qr_triangle(ap_qr *qr, double tolerance) {
  int m = qr->m, n = qr->n, least = m < n ? m : n;
  double first = 0;
  qr->kept = qr->dropped = 0;
  if (qr->most > 0 && qr->most < least) least = qr->most;
  for (int j = 0; j < n; j++) qr->pivot[j] = j;
  for (qr->rank = 0; qr->rank < least; qr->rank++) {
    int k = qr->rank;
    double longest = choose_pivot(qr, k);
    if (k == 0) first = longest;
    *(longest > tolerance * first ? &qr->kept : &qr->dropped) = first > 0 ? longest / first : 0;
    if (!(longest > tolerance * first)) break;
    qr->left[k] = make_reflection(column(qr, k, k), m - k - 1);
    reflect_columns(qr, k);
  }
  return qr->rank;
}

int ap__qr_factor(ap_qr *qr, double tolerance) {
  int n = qr->n;
  ap__qr_triangle(qr, tolerance);
  // [R1 R2] Z^T = [T 0], from the last row up: a reflection touches its column and the tail.
  for (int i = qr->rank - 1; i >= 0; i--) {
    qr->right[i] = make_reflection(row(qr, i, i), n - qr->rank);
    for (int j = 0; j < i; j++) reflect(qr->right[i], row(qr, i, i), row(qr, j, i), n - qr->rank);
  }
  return qr->rank;
}

void ap__qr_solve(const ap_qr *qr, double *b, double *x) {
  int n = qr->n, r = qr->rank;
  double *z = qr->spare;
  for (int k = 0; k < r; k++)
    reflect(qr->left[k], column(qr, k, k), (strip){b + k, 1, 1}, qr->m - k - 1);
  for (int i = 0; i < n; i++) z[i] = i < r ? b[i] : 0;
  for (int i = r - 1; i >= 0; i--) { // T z = Q^T b
    for (int j = i + 1; j < r; j++) z[i] -= qr->A[i * n + j] * z[j];
    z[i] /= qr->A[i * n + i];
  }
  for (int i = 0; i < r; i++) reflect(qr->right[i], row(qr, i, i), (strip){z + i, r - i, 1}, n - r);
  for (int j = 0; j < n; j++) x[qr->pivot[j]] = z[j];
}

// Column k of the basis of null vectors, in qr->spare, its entries in the order of the factors.
static void make_null(const ap_qr *qr, int k) {
  int n = qr->n, r = qr->rank;
  double *z = qr->spare;
  for (int i = 0; i < n; i++) z[i] = i == r + k;
  for (int i = 0; i < r; i++) reflect(qr->right[i], row(qr, i, i), (strip){z + i, r - i, 1}, n - r);
}

void ap__qr_null_vector(const ap_qr *qr, int k, double *x) {
  make_null(qr, k);
  for (int j = 0; j < qr->n; j++) x[qr->pivot[j]] = qr->spare[j];
}

void ap__qr_null(const ap_qr *qr, double *N) {
  int n = qr->n, count = n - qr->rank;
  for (int k = 0; k < count; k++) {
    make_null(qr, k);
    for (int j = 0; j < n; j++) N[qr->pivot[j] * count + k] = qr->spare[j];
  }
}

// Reflection u (its first entry 1 left out, count entries stride apart) of the rows of B, k wide:
// row 0 and those from row `offset` on.
static void reflect_rows(double beta, strip u, int count, int k, double *B, int offset,
                         double *restrict sum) {
  if (beta == 0) return;
  for (int j = 0; j < k; j++) sum[j] = B[j];
  for (int i = 0; i < count; i++)
    add_scaled(k, u.x[u.offset + i * u.stride], B + (offset + i) * k, sum);
  for (int j = 0; j < k; j++) sum[j] *= beta;
  for (int j = 0; j < k; j++) B[j] -= sum[j];
  for (int i = 0; i < count; i++)
    add_scaled(k, -u.x[u.offset + i * u.stride], sum, B + (offset + i) * k);
}

void ap__qr_solve_many(const ap_qr *qr, int k, double *B, double *room, double *X) {
  int n = qr->n, r = qr->rank;
  for (int i = 0; i < r; i++) // X serves as scratch until it is filled
    reflect_rows(qr->left[i], column(qr, i, i), qr->m - i - 1, k, B + i * k, 1, X);
  for (int i = 0; i < n * k; i++) room[i] = i < r * k ? B[i] : 0;
  for (int i = r - 1; i >= 0; i--) {
    double *z = room + i * k, by = 1 / qr->A[i * n + i];
    for (int j = i + 1; j < r; j++) add_scaled(k, -qr->A[i * n + j], room + j * k, z);
    for (int j = 0; j < k; j++) z[j] *= by;
  }
  for (int i = 0; i < r; i++)
    reflect_rows(qr->right[i], row(qr, i, i), n - r, k, room + i * k, r - i, X);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k; j++) X[qr->pivot[i] * k + j] = room[i * k + j];
}
