// SPDX-License-Identifier: Apache-2.0
// A four-bar whose last joint is a whole hinge in space, for tests of closed chains.

#ifndef AP_TESTS_FOUR_BAR_H
#define AP_TESTS_FOUR_BAR_H

#include "mechanism_rig.h"

typedef struct four_bar {
  ap_body_def body[3];
  ap_robot_def robot;
  ap_closure_def closure[2];
  ap_coordinate_def coordinate;
  int actuated;
  double guess[3];
  ap_mechanism_def def;
} four_bar;

// Crank, coupler and rocker in the plane xy, ground 0.4 m; the last joint a whole hinge in space,
// six rows of which two are independent.
static inline void make_four_bar(four_bar *f, double crank, double coupler, double rocker) {
  static const char *const names[3] = {"crank", "coupler", "rocker"};
  const double length[3] = {crank, coupler, rocker};
  *f = (four_bar){.robot = ap_default_robot()};
  for (int i = 0; i < 3; i++) {
    ap_body_def *b = &f->body[i];
    double l = length[i];
    *b = ap_default_body();
    b->name = names[i], b->joint = AP_REVOLUTE, b->parent = i == 1;
    b->place.xyz[0] = i == 0 ? 0 : i == 1 ? crank : 0.4;
    b->mass = 2 * l, b->com[0] = l / 2;
    b->inertia[3] = b->inertia[5] = b->mass * l * l / 12, b->inertia[0] = 1e-4;
    if (i < 2) {
      f->closure[i] = ap_default_closure();
      f->closure[i].name = i ? "hinge axis" : "hinge";
      f->closure[i].kind = i ? AP_CLOSE_AXIS : AP_CLOSE_POINT;
      f->closure[i].body[0] = 2, f->closure[i].body[1] = 3;
      f->closure[i].at[0][0] = coupler, f->closure[i].at[1][0] = rocker;
    }
  }
  f->robot.name = "four-bar", f->robot.bodies = f->body, f->robot.nbody = 3;
  f->robot.gravity[1] = -9.81, f->robot.gravity[2] = 0;
  f->coordinate = (ap_coordinate_def){.name = "crank", .kind = AP_COORDINATE_JOINT, .body = 1};
  f->actuated = 1;
  f->guess[0] = 1.2, f->guess[1] = -1.2, f->guess[2] = 1.2;
  f->def = (ap_mechanism_def){.robot = &f->robot, .closures = f->closure, .nclosure = 2};
  f->def.coordinates = &f->coordinate, f->def.ncoordinate = 1;
  f->def.actuated = &f->actuated, f->def.nactuated = 1, f->def.guess = f->guess;
}

#endif
