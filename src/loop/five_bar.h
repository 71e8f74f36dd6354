// A five-bar robot made ready, and where its parts are in a pose.

#ifndef AP_LOOP_FIVE_BAR_H
#define AP_LOOP_FIVE_BAR_H

#include <appell/five_bar.h>

#include "loop/two_link.h"

// The constants of an arm, whose coordinates are theta and phi.
typedef struct five_bar_arm {
  vec2 motor;
  double l1, l2;
  double sign;     // of u x w
  double m11, m22; // inertia of theta with the rod's mass at the elbow, and of phi
  vec2 first;      // mass times centre of mass of the arm with the rod's mass at the elbow
  vec2 second;     // and of the rod
  double mass;     // of both
} five_bar_arm;

struct ap_five_bar {
  ap_five_bar_def def;
  five_bar_arm arm[2];
  vec2 g;
};

// Where an arm is. theta' = A . P', phi' = B . P'. A and B are not set unless it is regular.
typedef struct arm_pose {
  two_link at;
  vec2 A, B;
} arm_pose;

typedef struct five_bar_pose {
  vec2 P;
  arm_pose arm[2];
  double det; // w_0 x w_1
} five_bar_pose;

// Where everything is; *arm is the one that a status other than AP_OK is about, or -1.
ap_status ap__five_bar_pose(const ap_five_bar *f, const double *q, five_bar_pose *p, int *arm);
// Fill *margin (may be NULL) from a pose and what ap__five_bar_pose() said of it.
void ap__five_bar_report(const ap_five_bar *f, const five_bar_pose *p, ap_status status, int arm,
                         ap_five_bar_margin *margin);

#endif
