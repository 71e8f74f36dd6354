// SPDX-License-Identifier: Apache-2.0
// Closed-form inverse kinematics of an arm built like the PUMA (J. J. Craig, Introduction to
// Robotics, section 4.7, here with alpha_3 = +90 and alpha_5 = +90 degrees).
//
// The arm. Seen from the turned shoulder the wrist centre is at (X, d3, -Y), and
//
//   px = c1 X - s1 d3,  py = s1 X + c1 d3,  pz = -Y                             (1)
//   (X, Y) = Rz(q2) (a2 + K, -H),  K = a3 c3 + d4 s3,  H = d4 c3 - a3 s3        (2)
//
// With rho^2 = a3^2 + d4^2 and L^2 = X^2 + Y^2: K = (L^2 - a2^2 - rho^2) / (2 a2), and H is a side
// of the same triangle a2, rho, L. The signs of X and of -H are two of the branches.
//
// The wrist. Rx(90)^T R03^T R = Rz(q4) Ry(q5) Rz(q6); the sign of q5 is the third branch.

#include <appell/kin.h>

#include <float.h>

#include "model/pack.h"

#include "num/arith_f64.h"
#include "num/vocabulary.inc"

#include "kin/orientation.h"

static const double pi = 3.14159265358979323846;

// ---- the lengths of a model --------------------------------------------------------------------

// Angles and lengths that rounding alone keeps from their nominal values; rad and m.
TEXT bool same(double a, double b) { return fabs(a - b) <= 1e-12; }

TEXT bool same3(const double *a, double x, double y, double z) {
  return same(a[0], x) && same(a[1], y) && same(a[2], z);
}

// Joint i hangs on joint i - 1 by Rx(alpha) and turns on its own.
TEXT bool is_puma_joint(const ap_model *m, int i) {
  static const double cos_alpha[] = {1, 1, 0, 1, 0, 0, 0}, sin_alpha[] = {0, 0, -1, 0, 1, -1, 1};
  const ap_joint *j = &m->joint[i];
  const ap_packed_body *b = &m->packed_body[i];
  return j->type == AP_REVOLUTE && j->parent == i - 1 && j->leader == 0 && same(b->cos_gamma, 1) &&
         same(b->sin_gamma, 0) && same(b->cos_alpha, cos_alpha[i]) &&
         same(b->sin_alpha, sin_alpha[i]) && same(b->theta0, 0);
}

ap_status ap_puma_geometry_of(const ap_model *m, ap_puma_geometry *g) {
  if (m->nbody != 7) return AP_E_UNSUPPORTED;
  for (int i = 1; i <= 6; i++)
    if (!is_puma_joint(m, i)) return AP_E_UNSUPPORTED;
  const ap_packed_body *b = m->packed_body;
  // origin of a body in its parent's frame: (a, -d sin alpha, d cos alpha)
  ap_puma_geometry read = {.a2 = b[3].s[0], .a3 = b[4].s[0], .d3 = b[3].s[2], .d4 = -b[4].s[1]};
  if (!same3(b[1].s, 0, 0, 0) || !same3(b[2].s, 0, 0, 0) || !same3(b[3].s, read.a2, 0, read.d3) ||
      !same3(b[4].s, read.a3, -read.d4, 0) || !same3(b[5].s, 0, 0, 0) || !same3(b[6].s, 0, 0, 0))
    return AP_E_UNSUPPORTED;
  // The link frame of the last joint must be the frame that the closed form speaks of.
  const ap_packed_frame *f = &m->packed_frame[m->joint[6].link];
  if (!same3(f->R, 1, 0, 0) || !same3(f->R + 3, 0, 1, 0) || !same3(f->R + 6, 0, 0, 1) ||
      !same3(f->p, 0, 0, 0))
    return AP_E_UNSUPPORTED;
  *g = read;
  return AP_OK;
}

// ---- closed form -------------------------------------------------------------------------------

// An angle of (-2 pi, 2 pi] brought to (-pi, pi].
TEXT double folded(double angle) {
  if (angle > pi) angle -= 2 * pi;
  return angle <= -pi ? angle + 2 * pi : angle;
}

// (a - b)(a + b): a difference of squares of lengths that keeps its digits where they are nearly
// the same, at the edges of the workspace. It must not be negative; what rounding of a point of
// that size can cause counts as zero. False: it is negative.
TEXT bool squares_apart(double a, double b, double size, double *difference) {
  *difference = fmax((a - b) * (a + b), 0);
  return (a - b) * (a + b) >= -16 * DBL_EPSILON * size * size;
}

// q1, q2, q3 for the wrist centre p; false where it is out of reach.
TEXT bool solve_arm(const ap_puma_geometry *g, const double p[3], double shoulder, double elbow,
                    double q[3]) {
  double r = hypot(p[0], p[1]), square, outer, inner;
  double size = r + fabs(g->d3) + fabs(p[2]);
  if (!squares_apart(r, fabs(g->d3), size, &square)) return false;
  double X = shoulder * sqrt(square), Y = -p[2];

  double rho = hypot(g->a3, g->d4), upper = fabs(g->a2), L = hypot(X, Y);
  if (!squares_apart(upper + rho, L, size, &outer)) return false;
  if (!squares_apart(L, fabs(upper - rho), size, &inner)) return false;
  double K = (L * L - g->a2 * g->a2 - rho * rho) / (2 * g->a2);
  double H =
      -elbow * sqrt(outer * inner) / (2 * upper); // root +1: q3 = atan2(d4, a3) + acos(K/rho)

  q[0] = folded(atan2(p[1], p[0]) - atan2(g->d3, X));
  q[1] = folded(atan2(Y, X) - atan2(-H, g->a2 + K));
  q[2] = folded(atan2(K, H) - atan2(g->a3, g->d4)); // (K, H) = rho (sin, cos)(q3 + atan2(a3, d4))
  return true;
}

// Rz of the exact sum of two angles.
TEXT mat3 turn_about_z(double angle, double more) {
  double s, c;
  sincos_f64(angle, more, &s, &c);
  return (mat3){{c, -s, 0}, {s, c, 0}, {0, 0, 1}};
}

// q4, q5, q6 such that M = Rz(q4) Ry(q5) Rz(q6). q5 and q6 are taken from Rz(q4)^T M, so that near
// the singularity, where q4 is loose, they make up for it.
TEXT void solve_wrist(mat3 M, double sign, double q[3]) {
  double straight = hypot(M.x.z, M.y.z);
  bool singular = straight <= 32 * DBL_EPSILON; // no more than the rounding of M
  q[0] = singular ? 0 : folded(atan2(sign * M.y.z, sign * M.x.z));
  mat3 N = product(transpose(turn_about_z(q[0], 0)), M); // Ry(q5) Rz(q6)
  q[1] = folded(singular ? atan2(0, M.z.z) : sign * atan2(straight, M.z.z));
  q[2] = folded(atan2(N.y.x, N.y.y));
}

TEXT bool is_geometry(const ap_puma_geometry *g) {
  return isfinite(g->a2) && isfinite(g->a3) && isfinite(g->d3) && isfinite(g->d4) && g->a2 != 0 &&
         (g->a3 != 0 || g->d4 != 0);
}

ap_status ap_puma_inverse_kinematics(const ap_puma_geometry *g, const double R[9],
                                     const double p[3], int branch, double q[6]) {
  if (branch < 0 || branch > 7 || !is_geometry(g) || !is_rotation(R)) return AP_E_ARG;
  if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) return AP_E_ARG;
  double shoulder = branch & 4 ? -1 : 1, elbow = branch & 2 ? -1 : 1, wrist = branch & 1 ? -1 : 1;
  double arm[3];
  if (!solve_arm(g, p, shoulder, elbow, arm)) return AP_E_UNREACHABLE;
  // R03 = Rz(q1) Rx(-90) Rz(q2 + q3)
  const mat3 down = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}; // Rx(-90) = Rx(90)^T
  mat3 R03 = product(product(turn_about_z(arm[0], 0), down), turn_about_z(arm[1], arm[2]));
  mat3 pose = {load3(R), load3(R + 3), load3(R + 6)};
  solve_wrist(product(down, product(transpose(R03), pose)), wrist, q + 3);
  for (int i = 0; i < 3; i++) q[i] = arm[i];
  return AP_OK;
}
