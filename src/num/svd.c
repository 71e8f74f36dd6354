// SPDX-License-Identifier: Apache-2.0
#include "svd.h"

#include <float.h>
#include <math.h>

#include "triangle.h"

// Turn columns i and j until they are perpendicular; false where they are already.
static bool turn_columns(int m, int n, double *A, int i, int j) {
  double a = 0, b = 0, c = 0;
  for (int k = 0; k < m; k++) {
    double x = A[k * n + i], y = A[k * n + j];
    a += x * x, b += y * y, c += x * y;
  }
  if (!(fabs(c) > 2 * DBL_EPSILON * sqrt(a) * sqrt(b))) return false;
  double zeta = (b - a) / (2 * c);
  double t = copysign(1 / (fabs(zeta) + hypot(1, zeta)), zeta);
  double cosine = 1 / sqrt(1 + t * t), sine = cosine * t;
  for (int k = 0; k < m; k++) {
    double x = A[k * n + i], y = A[k * n + j];
    A[k * n + i] = cosine * x - sine * y;
    A[k * n + j] = sine * x + cosine * y;
  }
  return true;
}

void ap__singular_values(int m, int n, double *A, double *sigma) {
  enum { SWEEPS = 60 }; // ten are plenty; the bound is against matrices that are not finite
  bool turned = true;
  for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
    turned = false;
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++)
        if (turn_columns(m, n, A, i, j)) turned = true;
  }
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int k = 0; k < m; k++) sum += A[k * n + j] * A[k * n + j];
    double length = sqrt(sum);
    int place = j;
    for (; place > 0 && sigma[place - 1] < length; place--) sigma[place] = sigma[place - 1];
    sigma[place] = length;
  }
}

// ---- rows --------------------------------------------------------------------------------------

// Rows shorter than this part of the largest entry are zero: their squares would underflow.
#define NOTHING 1e-140

typedef struct products {
  double xx, xy, yy;
} products;

// Each product as four sums side by side.
static products products_of(const double *x, const double *y, int n) {
  double xx[4] = {0}, xy[4] = {0}, yy[4] = {0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) {
      xx[k] += x[i + k] * x[i + k];
      xy[k] += x[i + k] * y[i + k];
      yy[k] += y[i + k] * y[i + k];
    }
  for (int k = 0; i < n; i++, k++) xx[k] += x[i] * x[i], xy[k] += x[i] * y[i], yy[k] += y[i] * y[i];
  return (products){(xx[0] + xx[2]) + (xx[1] + xx[3]), (xy[0] + xy[2]) + (xy[1] + xy[3]),
                    (yy[0] + yy[2]) + (yy[1] + yy[3])};
}

static void rotate_rows(double *restrict x, double *restrict y, int width, double cosine,
                        double sine) {
  for (int i = 0; i < width; i++) {
    double a = x[i], b = y[i];
    x[i] = cosine * a - sine * b;
    y[i] = sine * a + cosine * b;
  }
}

static void swap_rows(double *x, double *y, int width) {
  for (int i = 0; i < width; i++) {
    double a = x[i];
    x[i] = y[i], y[i] = a;
  }
}

// Put the longer of rows x and y first and turn them until they are perpendicular; false where they
// are already.
static bool turn_rows(double *x, double *y, int n, int width) {
  products p = products_of(x, y, n);
  if (p.xx < p.yy) {
    swap_rows(x, y, width);
    p = (products){p.yy, p.xy, p.xx};
  }
  double rounding = fmax(2, sqrt(n)) * DBL_EPSILON;
  if (!(p.yy > NOTHING * NOTHING)) return false;
  if (!(fabs(p.xy) > rounding * sqrt(p.xx) * sqrt(p.yy))) return false;
  double zeta = (p.yy - p.xx) / (2 * p.xy);
  double t = copysign(1 / (fabs(zeta) + sqrt(1 + zeta * zeta)), zeta);
  double cosine = 1 / sqrt(1 + t * t);
  rotate_rows(x, y, width, cosine, cosine * t);
  return true;
}

// Divides by the largest entry, rounded down to a power of two so that no bit is lost; that power.
// Negative where an entry is not finite.
static double scale_rows(int n, int width, double *A) {
  double largest = 0;
  int exponent;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < width; j++) {
      double x = fabs(A[ap__row(i, width) + (size_t)j]);
      if (!(x <= DBL_MAX)) return -1;
      if (j < n) largest = fmax(largest, x);
    }
  if (!(largest > 0)) return 1;
  (void)frexp(largest, &exponent);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double *x = A + ap__row(i, width) + j;
      *x = ldexp(*x, 1 - exponent);
    }
  return ldexp(1, exponent - 1);
}

// Row i of V^T where sigma is zero: the unit vector farthest from the rows before, made
// perpendicular to them; twice, so that rounding of the first time goes too.
static void complete_row(int n, int width, double *A, int i) {
  double *row = A + ap__row(i, width), least = INFINITY;
  int axis = 0;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int k = 0; k < i; k++) {
      double x = A[ap__row(k, width) + (size_t)j];
      sum += x * x;
    }
    if (sum < least) least = sum, axis = j;
  }
  for (int j = 0; j < n; j++) row[j] = j == axis;
  for (int turn = 0; turn < 2; turn++)
    for (int k = 0; k < i; k++) {
      const double *other = A + ap__row(k, width);
      double along = products_of(row, other, n).xy;
      for (int j = 0; j < n; j++) row[j] -= along * other[j];
    }
  double length = ap__length(row, n, 1);
  for (int j = 0; j < n; j++) row[j] /= length;
}

ap_status ap__svd(int n, int more, double *A, double *sigma) {
  enum { SWEEPS = 60 }; // ten are plenty
  int width = n + more, sweep = 0;
  double scale = scale_rows(n, width, A);
  if (scale < 0) return AP_E_ARG;
  for (bool turned = true; turned; sweep++) {
    turned = false;
    if (sweep == SWEEPS) return AP_E_NO_CONVERGENCE;
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++)
        if (turn_rows(A + ap__row(i, width), A + ap__row(j, width), n, width)) turned = true;
  }
  for (int i = 0; i < n; i++) {
    double *row = A + ap__row(i, width), length = sqrt(products_of(row, row, n).xx);
    sigma[i] = length > NOTHING ? scale * length : 0;
    for (int j = 0; j < n && sigma[i] > 0; j++) row[j] /= length;
    if (!(sigma[i] > 0)) complete_row(n, width, A, i);
  }
  return AP_OK;
}
