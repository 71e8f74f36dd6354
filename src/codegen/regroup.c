// SPDX-License-Identifier: Apache-2.0
// Base parameters (Gautier and Khalil 1990), numerically and by the type of the joint alone: a
// distribution of mass that moves with the parent just as it does with the body may belong to
// either.

#include "codegen/regroup.h"

#include <math.h>
#include <string.h>

#include "num/vec3.h"

void ap__lumps_of(const ap_model *m, ap_lumps *lumps) {
  for (int i = 0; i < m->nbody; i++) {
    const ap_packed_body *b = &m->packed_body[i];
    const double *c = b->com, *I = b->inertia, k = b->mass;
    lumps[i] =
        (ap_lumps){.mass = k,
                   .moment = {k * c[0], k * c[1], k * c[2]},
                   .inertia = {I[0] + k * (c[1] * c[1] + c[2] * c[2]), I[1] - k * c[0] * c[1],
                               I[2] - k * c[0] * c[2], I[3] + k * (c[0] * c[0] + c[2] * c[2]),
                               I[4] - k * c[1] * c[2], I[5] + k * (c[0] * c[0] + c[1] * c[1])}};
  }
}

// Columns of the rotation from a body's frame at q = 0 to its parent's.
static void axes_in_parent(const ap_packed_body *b, const double theta[2], double R[9]) {
  double c = theta[0], s = theta[1], ca = b->cos_alpha, sa = b->sin_alpha;
  double cg = b->cos_gamma, sg = b->sin_gamma;
  double A[9] = {c, -s, 0, ca * s, ca * c, -sa, sa * s, sa * c, ca}; // Rx(alpha) Rz(theta)
  for (int k = 0; k < 3; k++) {
    R[k] = cg * A[k] - sg * A[3 + k];
    R[3 + k] = sg * A[k] + cg * A[3 + k];
    R[6 + k] = A[6 + k];
  }
}

// R I R^T
static void rotate_tensor(const double R[9], const double I[6], double out[6]) {
  const double full[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
  double half[9], all[9];
  for (int k = 0; k < 3; k++) turn3(R, full + 3 * k, half + 3 * k); // rows of I R^T
  for (int k = 0; k < 9; k++) all[k] = half[3 * (k % 3) + k / 3];
  for (int k = 0; k < 3; k++) turn3(R, all + 3 * k, half + 3 * k);
  const int at[6] = {0, 1, 2, 4, 5, 8};
  for (int k = 0; k < 6; k++) out[k] = half[at[k]];
}

// Add to the parent the part of a body at s, turned by R.
static void add_part(const double R[9], const double s[3], const ap_lumps *part, ap_lumps *p) {
  double f[3], I[6], m = part->mass;
  turn3(R, part->moment, f);
  rotate_tensor(R, part->inertia, I);
  p->mass += m;
  for (int k = 0; k < 3; k++) p->moment[k] += f[k] + m * s[k];
  // 2 (s.f) 1 - s f^T - f s^T + m (s.s 1 - s s^T)
  double all =
      2 * (s[0] * f[0] + s[1] * f[1] + s[2] * f[2]) + m * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
  for (int i = 0, n = 0; i < 3; i++)
    for (int j = i; j < 3; j++, n++)
      p->inertia[n] += I[n] + (i == j ? all : 0) - s[i] * f[j] - f[i] * s[j] - m * s[i] * s[j];
}

// The part of a body that is the parent's as well.
static ap_lumps movable(ap_joint_type type, const ap_lumps *b) {
  ap_lumps part = {0};
  switch (type) {
    case AP_REVOLUTE: {
      // Euler's Jzz = (Ixx + Iyy - Izz) / 2 is that of the masses on the axis
      double k = (b->inertia[0] + b->inertia[3] - b->inertia[5]) / 2;
      part.mass = b->mass, part.moment[2] = b->moment[2];
      part.inertia[0] = part.inertia[3] = k;
      break;
    }
    case AP_PRISMATIC: memcpy(part.inertia, b->inertia, sizeof part.inertia); break;
    case AP_SPHERICAL: part.mass = b->mass; break;
    case AP_FIXED:
    case AP_PLANAR:
    case AP_FREE: break;
  }
  return part;
}

static void subtract_part(const ap_lumps *part, ap_lumps *b) {
  b->mass -= part->mass;
  for (int k = 0; k < 3; k++) b->moment[k] -= part->moment[k];
  for (int k = 0; k < 6; k++) b->inertia[k] -= part->inertia[k];
}

static int nonzeros(const ap_lumps *part) {
  int count = part->mass != 0;
  for (int k = 0; k < 3; k++) count += part->moment[k] != 0;
  if (part->inertia[1] == 0 && part->inertia[0] == part->inertia[3]) // of an axis: one number
    return count + (part->inertia[0] != 0);
  for (int k = 0; k < 6; k++) count += part->inertia[k] != 0;
  return count;
}

int ap__regroup(const ap_model *m, ap_lumps *lumps) {
  int moved = 0;
  for (int i = m->nbody - 1; i > 0; i--) {
    const ap_packed_body *b = &m->packed_body[i];
    ap_lumps part = movable(m->joint[i].type, &lumps[i]);
    // what turns with the joint is symmetric about z, so any angle serves; a slide has theta0
    double R[9], theta[2] = {cos(b->theta0), sin(b->theta0)};
    axes_in_parent(b, theta, R);
    add_part(R, b->s, &part, &lumps[m->joint[i].parent]);
    subtract_part(&part, &lumps[i]);
    moved += nonzeros(&part);
  }
  return moved;
}
