// SPDX-License-Identifier: Apache-2.0
#include "file/xyz_rpy.h"

#include <math.h>
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
