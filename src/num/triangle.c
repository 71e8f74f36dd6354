// SPDX-License-Identifier: Apache-2.0
#include "triangle.h"

#include <math.h>
#include <string.h>

#include "base/isa.h"
#include "num/sweep.h"

double ap__length(const double *x, int count, int stride) {
  double largest = 0, sum = 0;
  for (int i = 0; i < count; i++) {
    largest = fmax(largest, fabs(x[ap__row(i, stride)]));
    sum += x[ap__row(i, stride)];
  }
  if (!(largest > 0)) return sum; // 0, or not a number
  sum = 0;
  for (int i = 0; i < count; i++) {
    double part = x[ap__row(i, stride)] / largest;
    sum += part * part;
  }
  return largest * sqrt(sum);
}

// Sum of squares, as eight sums side by side.
static double squares(const double *x, int count) {
  double sum[8] = {0};
  int i = 0;
  for (; i + 8 <= count; i += 8)
    for (int k = 0; k < 8; k++) sum[k] += x[i + k] * x[i + k];
  for (int k = 0; i < count; i++, k++) sum[k] += x[i] * x[i];
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

// Length of (top, x), by plain squares; with care where these over- or underflow.
static double length_with(double top, const double *x, int count) {
  double sum = top * top + squares(x, count);
  if (sum > 1e-280 && sum < 1e280) return sqrt(sum);
  double both[2] = {top, ap__length(x, count, 1)};
  return ap__length(both, 2, 1);
}

// The reflection 1 - beta (1, u) (1, u)^T that takes (*top, x) to a multiple of the first unit
// vector. Leaves u in x, that multiple in *top and returns beta; 0 where x is zero.
static double make_reflection(double *top, double *x, int count) {
  bool zero = true;
  for (int i = 0; i < count; i++) zero = zero && x[i] == 0;
  if (zero) return 0;
  double whole = copysign(length_with(*top, x, count), *top); // of this sign nothing cancels
  double sum = *top + whole;
  for (int i = 0; i < count; i++) x[i] /= sum;
  *top = -whole;
  return sum / whole;
}

AP_TABLE_OF(ap__sweeps, ap__sweep, sweep_of)

size_t ap__triangle_room(int n, int rows) { return 2 * ((size_t)n + (size_t)rows); }

void ap__triangle_absorb(int n, double *R, int rows, double *B, double *room) {
  double *old = room, *next = old + rows, *w = next + rows, *dot = w + n;
  ap__sweep *sweep = sweep_of(best_build())->columns;
  int used = 0; // rows beyond have had zeros alone
  memset(room, 0, ap__triangle_room(n, rows) * sizeof *room);
  for (int k = 0; k < n; k++) {
    double *row = R + ap__row(k, n);
    for (int i = used; i < rows; i++)
      if (B[ap__row(i, n) + (size_t)k] != 0) used = i + 1;
    if (used == 0) continue;
    for (int i = 0; i < used; i++) next[i] = B[ap__row(i, n) + (size_t)k] - old[i] * w[k];
    double beta = make_reflection(row + k, next, used), *swap = old;
    sweep(n - k - 1, used, n, B + k + 1, old, w + k + 1, next, dot + k + 1);
    for (int j = k + 1; j < n; j++) {
      w[j] = beta * (row[j] + dot[j]);
      row[j] -= w[j];
    }
    old = next, next = swap;
  }
}

bool ap__triangle_solve(int n, const double *R, int ldr, int count, double *B, int ldb) {
  for (int i = n - 1; i >= 0; i--) {
    const double *row = R + ap__row(i, ldr);
    double *x = B + ap__row(i, ldb);
    if (row[i] == 0) return false;
    for (int j = i + 1; j < n; j++)
      for (int k = 0; k < count; k++) x[k] -= row[j] * B[ap__row(j, ldb) + (size_t)k];
    for (int k = 0; k < count; k++) x[k] /= row[i];
  }
  return true;
}
