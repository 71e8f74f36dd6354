// SPDX-License-Identifier: Apache-2.0
#include "num/eigen3.h"

#include <math.h>

#include "num/square_root.h"

static double secant(double tangent) { return root_f64(tangent * tangent + 1.0); }

// One Jacobi rotation in the plane (p, q) that makes A[p][q] zero. With theta = cot(2 phi) the
// smaller of the two angles has t = tan(phi) = sign(theta) / (|theta| + root_f64(theta^2 + 1)).
static void rotate(double A[3][3], int p, int q) {
  if (A[p][q] == 0.0) return;
  double theta = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
  double t = 1.0 / (fabs(theta) + secant(theta));
  if (theta < 0.0) t = -t;
  double c = 1.0 / secant(t);
  double s = t * c;
  A[p][p] -= t * A[p][q];
  A[q][q] += t * A[p][q];
  A[p][q] = A[q][p] = 0.0;
  int r = 3 - p - q;
  double rp = A[r][p];
  double rq = A[r][q];
  A[r][p] = A[p][r] = c * rp - s * rq;
  A[r][q] = A[q][r] = s * rp + c * rq;
}

static void order(double *a, double *b) {
  if (*a <= *b) return;
  double t = *a;
  *a = *b;
  *b = t;
}

void ap__eigen3(const double s[6], double w[3]) {
  // Scaled to entries of at most 1, so that no square leaves the range of a double.
  double scale = 0.0;
  for (int i = 0; i < 6; i++) scale = fabs(s[i]) > scale ? fabs(s[i]) : scale;
  if (scale == 0.0) {
    w[0] = w[1] = w[2] = 0.0;
    return;
  }
  double A[3][3];
  for (int i = 0, k = 0; i < 3; i++)
    for (int j = i; j < 3; j++) A[i][j] = A[j][i] = s[k++] / scale;
  // Convergence is quadratic: 3x3 matrices need at most five sweeps; eight cost nothing here.
  for (int sweep = 0; sweep < 8; sweep++) {
    for (int k = 0; k < 3; k++) rotate(A, k / 2, 1 + (k + 1) / 2);
  }
  for (int i = 0; i < 3; i++) w[i] = scale * A[i][i];
  for (int k = 0; k < 3; k++) order(&w[k % 2], &w[k % 2 + 1]);
}
