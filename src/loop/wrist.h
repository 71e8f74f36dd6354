// A spherical parallel robot made ready, and where its parts are in a pose.

#ifndef AP_LOOP_WRIST_H
#define AP_LOOP_WRIST_H

#include <appell/wrist.h>

#include "loop/wrist_vector.h"

// A body that turns about O.
typedef struct wrist_body {
  vec3 moment; // mass times centre of mass
  sym3 I;      // inertia about O
  sym3 Sigma;  // tr(I)/2 1 - I
} wrist_body;

// The constants of a limb. Its frame is that of the motor at theta = 0, z along u.
typedef struct wrist_limb {
  mat3 B;                // limb to world, Rz(lambda) Rx(gamma - pi)
  vec3 mount;            // v*, in the platform
  vec3 g;                // gravity
  double s1, c1, s2, c2; // of alpha1, alpha2
  double near, far;      // cos(alpha1 - alpha2), cos(alpha1 + alpha2): the range of u . v
  double branch;
  wrist_body first, second;
} wrist_limb;

struct ap_wrist {
  ap_wrist_def def;
  wrist_limb limb[3];
  wrist_body platform;
  vec3 g;
  double unit; // product of the lengths of p_1i
};

// Where a limb is. Vectors in the limb's frame but for P1 and P2. Where it does not reach or is
// stretched or folded, v is there and h and P1 are zero.
typedef struct limb_pose {
  vec3 v, w;
  double h;
  double cos_theta, sin_theta, cos_psi, sin_psi;
  vec3 p1, p2; // v x w, u x v
  vec3 P1, P2; // p1 / h and p2 / h in the world: rates of theta and psi per angular velocity
} limb_pose;

typedef struct wrist_pose {
  double s0, c0, s1, c1, s2, c2; // sines and cosines of q
  mat3 R, E;
  limb_pose limb[3];
  double det; // of [p_11 p_12 p_13]
} wrist_pose;

// Where everything is. trouble and limb tell what a status other than AP_OK is about.
ap_status ap__wrist_pose(const ap_wrist *w, const double *q, wrist_pose *p,
                         ap_wrist_trouble *trouble, int *limb);
// The status that belongs to a trouble: those of the general recipe.
ap_status ap__wrist_status(ap_wrist_trouble trouble);
// [p_11 p_12 p_13] is far enough from singular.
bool ap__wrist_holds(const ap_wrist *w, const wrist_pose *p);
// Fill *margin (may be NULL) from a pose, what ap__wrist_pose() said of it, and what was met.
void ap__wrist_report(const ap_wrist *w, const wrist_pose *p, ap_status status,
                      ap_wrist_trouble trouble, int limb, ap_wrist_margin *margin);

#endif
