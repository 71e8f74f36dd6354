// SPDX-License-Identifier: Apache-2.0
// Serial robots of any length, made by formulae: for counting operations and for rounding errors.
//
// As in the papers the joint variable is theta itself (no offset) and gravity acts along z of the
// base. With general geometry the first axis is inclined to it, so that gravity has all three
// components in frame 1; with ALPHA1_ZERO only alpha of the first joint differs.
//
// Sizes are those of an arm: links of 0.1 to 0.3 m and of 6 kg at the base, each 6 % lighter than
// the one before, so that a chain of 30 still is a robot and not a numerical accident.

#include <math.h>

#include "experiments.h"

#define HALF_PI 1.5707963267948966

// Names of links and joints, as many as GENERAL_MOST.
#define NAMES(i) \
  { "link" #i, "joint" #i }
static const struct {
  const char *link, *joint;
} names[GENERAL_MOST] = {
    NAMES(1),  NAMES(2),  NAMES(3),  NAMES(4),  NAMES(5),  NAMES(6),  NAMES(7),  NAMES(8),
    NAMES(9),  NAMES(10), NAMES(11), NAMES(12), NAMES(13), NAMES(14), NAMES(15), NAMES(16),
    NAMES(17), NAMES(18), NAMES(19), NAMES(20), NAMES(21), NAMES(22), NAMES(23), NAMES(24),
    NAMES(25), NAMES(26), NAMES(27), NAMES(28), NAMES(29), NAMES(30), NAMES(31), NAMES(32),
};

// The j-th number of link k, between low and high and like no other: multiples of two irrational
// numbers, modulo 1, fill the interval evenly and never repeat.
static double between(double low, double high, int k, int j) {
  double x = 0.7548776662466927 * k + 0.5698402909980532 * j;
  return low + (high - low) * (x - floor(x));
}

// ---- general -----------------------------------------------------------------------------------

// Inertia tensor of a mass m whose points spread by s[i] along axis i (root mean square), with
// correlations c of xy, xz, yz: tr(S) 1 - S with the second moments S. Any |c| < 1/2 makes S
// positive definite, and the tensor that of a body that can be built.
static void tensor(double m, const double s[3], const double c[3], double inertia[6]) {
  inertia[0] = m * (s[1] * s[1] + s[2] * s[2]);
  inertia[3] = m * (s[0] * s[0] + s[2] * s[2]);
  inertia[5] = m * (s[0] * s[0] + s[1] * s[1]);
  inertia[1] = -m * c[0] * s[0] * s[1];
  inertia[2] = -m * c[1] * s[0] * s[2];
  inertia[4] = -m * c[2] * s[1] * s[2];
}

static void general_link(int k, ap_body_def *b) {
  double side = k % 2 == 0 ? 1 : -1;
  b->place.alpha = side * between(0.5, 1.2, k, 1); // 29 to 69 degrees
  b->place.a = between(0.1, 0.2, k, 2);
  b->place.d = between(0.05, 0.2, k, 3);
  b->com[0] = between(0.06, 0.1, k, 4);
  b->com[1] = side * between(0.02, 0.06, k, 5);
  b->com[2] = between(0.02, 0.06, k, 6);
  b->mass *= between(0.95, 1.05, k, 7);
  double s[3], c[3];
  for (int i = 0; i < 3; i++) {
    s[i] = between(0.02, 0.05, k, 8 + i);
    c[i] = between(0.1, 0.3, k, 11 + i);
  }
  tensor(b->mass, s, c, b->inertia);
}

// ---- special -----------------------------------------------------------------------------------

// Right angles in turn to one side and the other; odd joints are offset along their own axis, even
// ones along the common normal. The centre of mass lies on the way to the next joint, the link's
// axes are its principal axes.
static double right_angle(int k) {
  if (k == 1) return 0;
  return k % 2 == 0 ? -HALF_PI : HALF_PI;
}

static void special_link(int k, ap_body_def *b) {
  bool along_axis = k % 2 == 1;
  static const double none[3] = {0, 0, 0};
  b->place.alpha = right_angle(k);
  b->place.a = along_axis ? 0 : between(0.1, 0.3, k, 2);
  b->place.d = along_axis ? between(0.1, 0.3, k, 3) : 0;
  double middle = between(0.06, 0.12, k, 4);
  if (along_axis) {
    b->com[0] = middle; // the next joint lies along x
  } else {
    b->com[1] = -sin(right_angle(k + 1)) * middle; // the next joint lies along its own axis
  }
  double s[3] = {between(0.02, 0.05, k, 5), between(0.02, 0.05, k, 6), between(0.02, 0.05, k, 7)};
  tensor(b->mass, s, none, b->inertia);
}

// ---- the robot ---------------------------------------------------------------------------------

void general_robot(int n, general_geometry geometry, ap_body_def *bodies, ap_robot_def *def) {
  static const char *const label[] = {[GENERAL_GEOMETRY] = "general",
                                      [ALPHA1_ZERO] = "general, alpha1 = 0",
                                      [SPECIAL_GEOMETRY] = "special"};
  for (int k = 1; k <= n; k++) {
    ap_body_def *b = &bodies[k - 1];
    *b = ap_default_body();
    b->name = names[k - 1].link;
    b->joint_name = names[k - 1].joint;
    b->parent = k - 1;
    b->joint = AP_REVOLUTE;
    b->place.kind = AP_DH_MODIFIED;
    b->mass = 6 * pow(0.94, k - 1);
    if (geometry == SPECIAL_GEOMETRY) {
      special_link(k, b);
    } else {
      general_link(k, b);
    }
  }
  if (geometry == ALPHA1_ZERO) bodies[0].place.alpha = 0;
  *def = ap_default_robot();
  def->name = label[geometry];
  def->bodies = bodies;
  def->nbody = n;
}
