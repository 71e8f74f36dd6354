// SPDX-License-Identifier: Apache-2.0
#include "lint/tensor.h"

#include <math.h>
#include <string.h>

// As in src/model/remark.c: half a percent is what printed digits explain.
#define TRIANGLE_SLACK 5e-3

void ap__lint_multiply(const double A[9], const double B[9], double AB[9]) {
  double out[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
  memcpy(AB, out, sizeof out);
}

void ap__lint_rotate(const double R[9], const double x[3], double y[3]) {
  double out[3];
  for (int i = 0; i < 3; i++) out[i] = dot3(&R[3 * i], x);
  memcpy(y, out, sizeof out);
}

static void to_matrix(const double I[6], double M[9]) {
  const double out[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
  memcpy(M, out, sizeof out);
}

static void to_tensor(const double M[9], double I[6]) {
  const double out[6] = {M[0], (M[1] + M[3]) / 2, (M[2] + M[6]) / 2, M[4], (M[5] + M[7]) / 2, M[8]};
  memcpy(I, out, sizeof out);
}

void ap__lint_turn(const double R[9], const double I[6], double turned[6]) {
  double M[9], RM[9], Rt[9];
  to_matrix(I, M);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) Rt[3 * i + j] = R[3 * j + i];
  ap__lint_multiply(R, M, RM);
  ap__lint_multiply(RM, Rt, M);
  to_tensor(M, turned);
}

// One rotation of Jacobi's method, which makes entry (p, q) of M zero; V collects the rotations.
static void jacobi(double M[9], double V[9], int p, int q) {
  double apq = M[3 * p + q];
  if (apq == 0) return;
  double theta = (M[4 * q] - M[4 * p]) / (2 * apq);
  double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1), s = t * c, J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, Jt[9];
  J[4 * p] = J[4 * q] = c;
  J[3 * p + q] = s;
  J[3 * q + p] = -s;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) Jt[3 * i + j] = J[3 * j + i];
  ap__lint_multiply(Jt, M, M);
  ap__lint_multiply(M, J, M);
  ap__lint_multiply(V, J, V);
}

static void swap_axes(double moment[3], double V[9], int i, int j) {
  double t = moment[i];
  moment[i] = moment[j];
  moment[j] = t;
  for (int k = 0; k < 3; k++) { // a swap and a change of sign: still a rotation
    t = V[3 * k + i];
    V[3 * k + i] = V[3 * k + j];
    V[3 * k + j] = -t;
  }
}

void ap__lint_principal(const double I[6], double moment[3], double axes[9]) {
  double M[9], V[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, scale = 0;
  for (int i = 0; i < 6; i++) scale = fmax(scale, fabs(I[i]));
  if (scale == 0 || !isfinite(scale)) scale = 1; // so that squares of tiny numbers do not vanish
  to_matrix(I, M);
  for (int i = 0; i < 9; i++) M[i] /= scale;
  for (int sweep = 0; sweep < 30; sweep++) {
    if (M[1] * M[1] + M[2] * M[2] + M[5] * M[5] < 1e-36) break;
    jacobi(M, V, 0, 1);
    jacobi(M, V, 0, 2);
    jacobi(M, V, 1, 2);
  }
  for (int i = 0; i < 3; i++) moment[i] = M[4 * i] * scale;
  if (moment[0] > moment[1]) swap_axes(moment, V, 0, 1);
  if (moment[1] > moment[2]) swap_axes(moment, V, 1, 2);
  if (moment[0] > moment[1]) swap_axes(moment, V, 0, 1);
  memcpy(axes, V, sizeof V);
}

void ap__lint_shift(const double I[6], double factor, double mass, const double c[3],
                    double out[6]) {
  double f = factor * mass, square = dot3(c, c);
  static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int i = 0; i < 6; i++)
    out[i] = I[i] + f * ((row[i] == column[i] ? square : 0) - c[row[i]] * c[column[i]]);
}

void ap__lint_nearest_inertia(const double I[6], double out[6]) {
  double moment[3], axes[9], second[3], largest = 0;
  ap__lint_principal(I, moment, axes);
  for (int i = 0; i < 3; i++) {
    second[i] = (moment[(i + 1) % 3] + moment[(i + 2) % 3] - moment[i]) / 2;
    largest = fmax(largest, second[i]);
  }
  for (int i = 0; i < 3; i++) second[i] = fmax(second[i], 0);
  for (int i = 0; i < 3; i++) moment[i] = second[(i + 1) % 3] + second[(i + 2) % 3];
  ap__lint_turn(axes, (double[6]){moment[0], 0, 0, moment[1], 0, moment[2]}, out);
}

bool ap__lint_breaks_triangle(const double moment[3]) {
  return moment[2] - (moment[0] + moment[1]) > TRIANGLE_SLACK * moment[2];
}

double ap__lint_difference(const double a[6], const double b[6]) {
  double difference = 0, scale = 0;
  for (int i = 0; i < 6; i++) {
    difference = fmax(difference, fabs(a[i] - b[i]));
    scale = fmax(scale, fmax(fabs(a[i]), fabs(b[i])));
  }
  return scale > 0 ? difference / scale : 0;
}
