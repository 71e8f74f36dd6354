// SPDX-License-Identifier: Apache-2.0
#include "impact/basis.h"

#include <float.h>
#include <math.h>

double ap__dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

void ap__add_scaled(int n, double s, const double *a, double *x) {
  for (int i = 0; i < n; i++) x[i] += s * a[i];
}

double ap__basis_split(const ap_basis *b, const double *a, double *along, double *rest) {
  for (int i = 0; i < b->rank; i++) along[i] = 0;
  for (int i = 0; i < b->dim; i++) rest[i] = a[i];
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < b->rank; i++) {
      const double *q = b->q + i * b->dim;
      double part = ap__dot(b->dim, q, rest);
      along[i] += part;
      ap__add_scaled(b->dim, -part, q, rest);
    }
  return sqrt(ap__dot(b->dim, rest, rest));
}

bool ap__basis_add(ap_basis *b, const double *a, double *room) {
  if (b->rank == b->most) return false;
  double *q = b->q + b->rank * b->dim, *along = room;
  double size = sqrt(ap__dot(b->dim, a, a));
  double length = ap__basis_split(b, a, along, q);
  if (!(length > AP_DEPENDENT * size && length > DBL_MIN)) return false;
  for (int i = 0; i < b->dim; i++) q[i] /= length;
  for (int i = 0; i < b->rank; i++) b->r[i * b->most + b->rank] = along[i];
  b->r[b->rank * b->most + b->rank] = length;
  b->rank++;
  return true;
}

void ap__basis_solve(const ap_basis *b, const double *c, double *x) {
  for (int i = b->rank - 1; i >= 0; i--) {
    double sum = c[i];
    for (int j = i + 1; j < b->rank; j++) sum -= b->r[i * b->most + j] * x[j];
    x[i] = sum / b->r[i * b->most + i];
  }
}

void ap__basis_solve_transposed(const ap_basis *b, const double *c, double *x) {
  for (int i = 0; i < b->rank; i++) {
    double sum = c[i];
    for (int j = 0; j < i; j++) sum -= b->r[j * b->most + i] * x[j];
    x[i] = sum / b->r[i * b->most + i];
  }
}
