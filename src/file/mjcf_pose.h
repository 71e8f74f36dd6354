// SPDX-License-Identifier: Apache-2.0
// Places as MJCF has them: a position and a quaternion w x y z.

#ifndef AP_FILE_MJCF_POSE_H
#define AP_FILE_MJCF_POSE_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "num/vec3.h"

typedef struct mjcf_pose {
  double p[3], q[4]; // q has length one
} mjcf_pose;

static inline mjcf_pose mjcf_here(void) { return (mjcf_pose){.q = {1, 0, 0, 0}}; }

// c = a b; c is neither.
static inline void mjcf_quat_product(const double a[4], const double b[4], double c[4]) {
  c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

// To length one; false: it is zero, or next to it.
static inline bool mjcf_quat_unit(double q[4]) {
  const double most = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
  for (int i = 0; i < 4 && most > 1e100 && isfinite(most); i++) q[i] /= most; // squares overflow
  double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(n > 1e-14 && isfinite(n))) return false;
  for (int i = 0; i < 4 && n != 1; i++) q[i] /= n;
  return true;
}

// Row-major; exactly the identity for no rotation.
static inline void mjcf_quat_matrix(const double q[4], double R[9]) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double all[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(R, all, sizeof all);
}

// y = R(q) x; y is not x.
static inline void mjcf_turn(const double q[4], const double x[3], double y[3]) {
  double R[9];
  mjcf_quat_matrix(q, R);
  turn3(R, x, y);
}

static inline bool mjcf_is_turned(const double q[4]) { return q[1] != 0 || q[2] != 0 || q[3] != 0; }

// The turn by an angle about an axis of length one.
static inline void mjcf_quat_about(const double axis[3], double angle, double q[4]) {
  double s = sin(angle / 2);
  q[0] = cos(angle / 2);
  for (int i = 0; i < 3; i++) q[i + 1] = s * axis[i];
}

// The place b in the frame that a places.
static inline mjcf_pose mjcf_compose(mjcf_pose a, mjcf_pose b) {
  mjcf_pose c;
  double turned[3];
  mjcf_turn(a.q, b.p, turned);
  for (int i = 0; i < 3; i++) c.p[i] = a.p[i] + turned[i];
  mjcf_quat_product(a.q, b.q, c.q);
  mjcf_quat_unit(c.q);
  return c;
}

static inline mjcf_pose mjcf_inverse(mjcf_pose a) {
  mjcf_pose b = {.q = {a.q[0], -a.q[1], -a.q[2], -a.q[3]}};
  double turned[3];
  mjcf_turn(b.q, a.p, turned);
  for (int i = 0; i < 3; i++) b.p[i] = -turned[i];
  return b;
}

// A place without rotation.
static inline mjcf_pose mjcf_at_point(const double p[3], double sign) {
  mjcf_pose a = mjcf_here();
  for (int i = 0; i < 3; i++) a.p[i] = sign * p[i];
  return a;
}

#endif
