// SPDX-License-Identifier: Apache-2.0
#include "file/xyz_rpy.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// Long double, so that the angles come out right to the last bit or nearly.
typedef long double wide;

// Roll, pitch, yaw of a rotation (row-major): R = Rz(yaw) Ry(pitch) Rx(roll). Roll is measured in
// the frame that yaw leaves, so that R comes out right also where pitch is a right angle.
static void rpy_of_matrix(const wide R[9], double rpy[3]) {
  wide level = hypotl(R[0], R[3]);
  wide yaw = level > 1e-15L ? atan2l(R[3], R[0]) : 0;
  wide c = cosl(yaw), s = sinl(yaw);
  rpy[0] = (double)atan2l(s * R[2] - c * R[5], c * R[4] - s * R[1]);
  rpy[1] = (double)atan2l(-R[6], c * R[0] + s * R[3]);
  rpy[2] = (double)yaw;
}

// The model makes a rough matrix orthonormal in the same way: x first, then y.
static void orthonormal(const double a[9], wide R[9]) {
  wide x[3] = {a[0], a[3], a[6]}, y[3] = {a[1], a[4], a[7]};
  wide n = sqrtl(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), dot = 0;
  for (int i = 0; i < 3; i++) x[i] /= n;
  for (int i = 0; i < 3; i++) dot += x[i] * y[i];
  for (int i = 0; i < 3; i++) y[i] -= dot * x[i];
  n = sqrtl(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
  for (int i = 0; i < 3; i++) y[i] /= n;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    R[3 * i] = x[i];
    R[3 * i + 1] = y[i];
    R[3 * i + 2] = x[j] * y[k] - x[k] * y[j];
  }
}

// Craig: Rx(alpha) Tx(a) Rz(theta) Tz(d).
static void modified(const ap_placement *p, double d, double xyz[3], double rpy[3]) {
  wide ca = cosl((wide)p->alpha), sa = sinl((wide)p->alpha);
  wide ct = cosl((wide)p->theta), st = sinl((wide)p->theta);
  xyz[0] = p->a;
  xyz[1] = (double)(-sa * (wide)d);
  xyz[2] = (double)(ca * (wide)d);
  if (p->theta == 0 || p->alpha == 0) { // exactly
    rpy[0] = p->alpha;
    rpy[1] = 0;
    rpy[2] = p->theta;
    return;
  }
  const wide R[9] = {ct, -st, 0, ca * st, ca * ct, -sa, sa * st, sa * ct, ca};
  rpy_of_matrix(R, rpy);
}

void ap__joint_xyz_rpy(const ap_placement *p, double xyz[3], double rpy[3]) {
  wide R[9];
  switch (p->kind) {
    case AP_PLACE_RPY:
      memcpy(xyz, p->xyz, 3 * sizeof *xyz);
      memcpy(rpy, p->rpy, 3 * sizeof *rpy);
      return;
    case AP_PLACE_MATRIX:
      memcpy(xyz, p->xyz, 3 * sizeof *xyz);
      orthonormal(p->matrix, R);
      rpy_of_matrix(R, rpy);
      return;
    case AP_DH_MODIFIED: modified(p, p->d, xyz, rpy); return;
    case AP_DH_VALERA: modified(p, -p->d, xyz, rpy); return;
    case AP_DH_STANDARD:
      memcpy(xyz, (double[3]){0, 0, p->d}, 3 * sizeof *xyz);
      memcpy(rpy, (double[3]){0, 0, p->theta}, 3 * sizeof *rpy);
      return;
  }
}

static void matrix_of_rpy(const double rpy[3], wide R[9]) {
  wide cr = cosl((wide)rpy[0]), sr = sinl((wide)rpy[0]);
  wide cp = cosl((wide)rpy[1]), sp = sinl((wide)rpy[1]);
  wide cy = cosl((wide)rpy[2]), sy = sinl((wide)rpy[2]);
  const wide rows[9] = {cy * cp,
                        cy * sp * sr - sy * cr,
                        cy * sp * cr + sy * sr,
                        sy * cp,
                        sy * sp * sr + cy * cr,
                        sy * sp * cr - cy * sr,
                        -sp,
                        cp * sr,
                        cp * cr};
  memcpy(R, rows, sizeof rows);
}

static void multiply(const wide A[9], const wide B[9], wide C[9]) {
  wide product[9];
  for (int i = 0; i < 9; i++) {
    product[i] = 0;
    for (int k = 0; k < 3; k++) product[i] += A[i - i % 3 + k] * B[3 * k + i % 3];
  }
  memcpy(C, product, sizeof product);
}

void ap__link_xyz_rpy(const ap_placement *p, double xyz[3], double rpy[3]) {
  ap__joint_xyz_rpy(p, xyz, rpy);
  if (p->kind != AP_DH_STANDARD) return;
  const double step[3] = {p->a, 0, 0}, turn[3] = {p->alpha, 0, 0};
  ap__compose_xyz_rpy(xyz, rpy, step, turn, xyz, rpy);
}

bool ap__all_zero(const double *x, int n) {
  for (int k = 0; k < n; k++)
    if (x[k] != 0) return false;
  return true;
}

void ap__compose_xyz_rpy(const double a_xyz[3], const double a_rpy[3], const double b_xyz[3],
                         const double b_rpy[3], double xyz[3], double rpy[3]) {
  if (ap__all_zero(a_xyz, 3) && ap__all_zero(a_rpy, 3)) { // exactly
    memmove(xyz, b_xyz, 3 * sizeof *xyz);
    memmove(rpy, b_rpy, 3 * sizeof *rpy);
    return;
  }
  wide A[9], B[9], p[3];
  matrix_of_rpy(a_rpy, A);
  matrix_of_rpy(b_rpy, B);
  for (int i = 0; i < 3; i++) {
    p[i] = a_xyz[i];
    for (int k = 0; k < 3; k++) p[i] += A[3 * i + k] * (wide)b_xyz[k];
  }
  multiply(A, B, B);
  rpy_of_matrix(B, rpy);
  for (int i = 0; i < 3; i++) xyz[i] = (double)p[i];
}

void ap__turn_back(const double rpy[3], const double x[3], double out[3]) {
  wide R[9];
  memmove(out, x, 3 * sizeof *out);
  if (ap__all_zero(rpy, 3)) return; // exactly
  matrix_of_rpy(rpy, R);
  wide turned[3] = {0};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) turned[i] += R[3 * k + i] * (wide)x[k];
  for (int i = 0; i < 3; i++) out[i] = (double)turned[i];
}

void ap__quaternion_rpy(const double q[4], double rpy[3]) {
  wide x = q[0], y = q[1], z = q[2], w = q[3], n = x * x + y * y + z * z + w * w;
  wide s = n > 0 ? 2 / n : 0;
  const wide R[9] = {1 - s * (y * y + z * z), s * (x * y - z * w),     s * (x * z + y * w),
                     s * (x * y + z * w),     1 - s * (x * x + z * z), s * (y * z - x * w),
                     s * (x * z - y * w),     s * (y * z + x * w),     1 - s * (x * x + y * y)};
  rpy_of_matrix(R, rpy);
}

void ap__planar_axes(const double axis[3], double x[3], double y[3]) {
  wide u[3], n = 0;
  for (int i = 0; i < 3; i++) n += (wide)axis[i] * (wide)axis[i];
  for (int i = 0; i < 3; i++) u[i] = (wide)axis[i] / sqrtl(n);
  wide h = u[0] * u[0] + u[1] * u[1];
  bool up = u[2] > 0;
  wide k = up ? 1 / (1 + u[2]) : h > 0 ? (1 - u[2]) / h : 0; // 1 / (1 + uz) without cancellation
  const double down = up ? 1 : -1;
  const double ends[2][3] = {{1, 0, 0}, {0, down, 0}};
  for (int i = 0; i < 2; i++) {
    double *out = i == 0 ? x : y;
    const wide turned[3] = {(wide)(i == 0) - k * u[i] * u[0], (wide)(i == 1) - k * u[i] * u[1],
                            -u[i]};
    for (int j = 0; j < 3; j++) out[j] = h > 0 ? (double)turned[j] : ends[i][j];
  }
}

// One rotation of Jacobi: S(p, q) becomes zero, V takes the rotation up.
static void annihilate(wide S[9], wide V[9], int p, int q) {
  wide off = S[3 * p + q];
  if (off == 0) return;
  wide theta = (S[4 * q] - S[4 * p]) / (2 * off);
  wide t = (theta < 0 ? -1 : 1) / (fabsl(theta) + hypotl(1, theta));
  wide c = 1 / hypotl(1, t), s = t * c;
  wide G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, turned[9];
  G[4 * p] = G[4 * q] = c;
  G[3 * p + q] = s;
  G[3 * q + p] = -s;
  multiply(S, G, S);
  multiply(V, G, V);
  for (int i = 0; i < 9; i++) turned[i] = G[3 * (i % 3) + i / 3]; // its transpose
  multiply(turned, S, S);
  S[3 * p + q] = S[3 * q + p] = 0;
}

// Moments and axes of a symmetric tensor S in axes V. Both are changed.
static void diagonalize(wide S[9], wide V[9], double moment[3], double rpy[3]) {
  enum { SWEEPS = 40 }; // it converges quadratically: ten are enough
  for (int k = 0; k < SWEEPS && (S[1] != 0 || S[2] != 0 || S[5] != 0); k++) {
    annihilate(S, V, 0, 1);
    annihilate(S, V, 0, 2);
    annihilate(S, V, 1, 2);
  }
  rpy_of_matrix(V, rpy);
  for (int i = 0; i < 3; i++) moment[i] = (double)S[4 * i];
}

ap__inertia ap__inertia_of(const ap_body_def *d) {
  const double *I = d->inertia, *c = d->com, *r = d->inertia_rpy;
  ap__inertia out = {d->mass, {c[0], c[1], c[2]}, {I[0], I[3], I[5]}, {r[0], r[1], r[2]}};
  if (I[1] == 0 && I[2] == 0 && I[4] == 0) return out;
  wide S[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]}, V[9];
  matrix_of_rpy(r, V);
  diagonalize(S, V, out.moment, out.rpy);
  return out;
}

// T += V diag(moment) V^T + mass (|x|^2 - x x^T)
static void add_tensor(const wide V[9], const double moment[3], wide mass, const wide x[3],
                       wide T[9]) {
  wide square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
  for (int i = 0; i < 9; i++) {
    const wide *row = &V[i - i % 3], *column = &V[3 * (i % 3)];
    for (int k = 0; k < 3; k++) T[i] += row[k] * (wide)moment[k] * column[k];
    T[i] += mass * ((i % 4 == 0 ? square : 0) - x[i / 3] * x[i % 3]);
  }
}

void ap__inertia_add(ap__inertia *sum, const ap__inertia *part, const double xyz[3],
                     const double rpy[3]) {
  double com[3], axes[3];
  ap__compose_xyz_rpy(xyz, rpy, part->com, part->rpy, com, axes);
  const ap__inertia a = *sum;
  const wide mass = (wide)a.mass + (wide)part->mass;
  wide from_a[3], from_part[3], V[9], T[9] = {0}, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int i = 0; i < 3; i++) {
    wide c =
        mass > 0 ? ((wide)a.mass * (wide)a.com[i] + (wide)part->mass * (wide)com[i]) / mass : 0;
    from_a[i] = a.com[i] - c;
    from_part[i] = com[i] - c;
    sum->com[i] = (double)c;
  }
  matrix_of_rpy(a.rpy, V);
  add_tensor(V, a.moment, a.mass, from_a, T);
  matrix_of_rpy(axes, V);
  add_tensor(V, part->moment, part->mass, from_part, T);
  sum->mass = (double)mass;
  diagonalize(T, one, sum->moment, sum->rpy);
}

void ap__tensor_of(const ap_body_def *d, double tensor[6]) {
  static const int place[6] = {0, 1, 2, 4, 5, 8};
  static const wide center[3] = {0};
  const ap__inertia i = ap__inertia_of(d);
  wide V[9], T[9] = {0};
  matrix_of_rpy(i.rpy, V);
  add_tensor(V, i.moment, 0, center, T);
  for (int k = 0; k < 6; k++) tensor[k] = (double)T[place[k]];
}
