// A Delta robot made ready, and where its parts are in a pose.

#ifndef AP_LOOP_DELTA_H
#define AP_LOOP_DELTA_H

#include <appell/delta.h>

#include "loop/two_link.h"
#include "loop/wrist_vector.h"

// The constants of a limb, whose coordinates are theta, beta and chi.
typedef struct delta_limb {
  double cos_angle, sin_angle;
  double base;   // motor's axis from z
  double offset; // platform less base: the motor sees the end of the rods at q + (offset, 0, 0)
  double l1, l2;
  double i1, i2; // 1 / l1, 1 / l2
  double sign;   // of sin(beta - theta)
  double m11;    // inertia of theta with the rods' mass at the knee
  vec3 first;    // mass times centre of mass of the arm with the rods' mass at the knee
  vec3 second;   // mass times centre of mass of both rods
  sym3 I;        // inertia of both rods about the knee
  double mass;   // of all
  vec3 g;        // gravity in the limb's frame
} delta_limb;

struct ap_delta {
  ap_delta_def def;
  delta_limb limb[3];
  vec3 g;
};

// Where a limb is. `at` lies in the limb's plane with the axes x and -z, so that theta and beta
// count as angles do. Rows: theta' = row[0] . v, beta' = row[1] . v, chi' = row[2] . v in the
// ground. rod is w in the ground. Where the limb does not reach or is singular, cx is zero if chi
// is to blame, at.s is zero, and rows and rod are not set.
typedef struct limb_pose {
  two_link at;
  vec2 end;       // of the rods from the motor, in the plane
  double sx, cx;  // of chi
  double tx, rho; // tan(chi); the rod's length in the plane
  double is, ir;  // 1 / sin(beta - theta), 1 / rho
  vec3 row[3], rod;
} limb_pose;

typedef struct delta_pose {
  vec3 P;
  limb_pose limb[3];
  double det; // of [w_0 w_1 w_2]
} delta_pose;

// From the limb's frame to the ground, and back.
static inline vec3 to_ground(const delta_limb *l, vec3 a) {
  return (vec3){l->cos_angle * a.x - l->sin_angle * a.y, l->sin_angle * a.x + l->cos_angle * a.y,
                a.z};
}
static inline vec3 to_limb(const delta_limb *l, vec3 a) {
  return (vec3){l->cos_angle * a.x + l->sin_angle * a.y, l->cos_angle * a.y - l->sin_angle * a.x,
                a.z};
}

// Where everything is; *limb is the one that a status other than AP_OK is about, or -1.
ap_status ap__delta_pose(const ap_delta *d, const double *q, delta_pose *p, int *limb);
// Fill *margin (may be NULL) from a pose and what ap__delta_pose() said of it.
void ap__delta_report(const ap_delta *d, const delta_pose *p, ap_status status, int limb,
                      ap_delta_margin *margin);

#endif
