// SPDX-License-Identifier: Apache-2.0
// Points that rest on walls, joints that rest against their stops, and joints that their own
// friction holds: which of them hold, slide or leave, the accelerations under their constraints,
// and the way back onto the constraints where integration drifted off.

#ifndef AP_SIM_CONTACT_H
#define AP_SIM_CONTACT_H

#include "impact/motion.h"
#include "sim/edges.h"
#include "sim/plant.h"

typedef enum ap_resting_kind {
  AP_REST_POINT, // a point on a wall
  AP_REST_STOP,  // a joint against its stop, without friction
  AP_REST_BRAKE, // a joint held by its own friction: a contact with one tangent, the joint's
                 // motion, and a normal force that is given
  AP_REST_ROLL,  // rolling friction of a contact: one with two tangents, relative turning about
                 // those of the wall, and the normal force of its host
  AP_REST_SPIN   // spinning friction likewise, with one tangent: turning about the normal
} ap_resting_kind;

// Whether it has tangents alone, and a normal force from elsewhere.
static inline bool ap__rest_borrows(ap_resting_kind kind) { return kind >= AP_REST_BRAKE; }
// Whether that is another contact's.
static inline bool ap__rest_turns(ap_resting_kind kind) { return kind >= AP_REST_ROLL; }

// One of them.
typedef struct ap_resting {
  ap_resting_kind kind;
  int point, wall;           // of the scene; -1: a joint
  int body;                  // link that carries the point
  double at[3];              // in the link's frame
  const ap_surface *surface; // the wall,
  int face;                  // and which face of it
  int carrier;               // the body that carries it; 0: none
  double radius;             // of a ball around the point
  const ap_edges *edges;     // two edges in place of a point and a surface; NULL: none
  int id;                    // the number of the pair
  const ap_wall_pose *pose;  // where it is, if it moves; NULL: it does not
  const ap_wall_pose *mount; // of a wall that moves and carries the point, the body being the
                             // ground and the carrier a link; NULL: none
  const ap_surface *grain;   // the wall whose x is the direction of friction
  int v;                     // of a joint: place in v,
  double way;                // what a unit of its rate is along the constraint,
  int coordinate;            // of a stop: place in q, and its distance is way * q - limit;
  double limit;
  double hold;         // of a brake: the normal force, N m or N
  int host;            // of rolling and spinning friction: the place of its contact among all, and
  double lever;        // m: a rad/s counts as this speed, so that its friction is a number and
                       // its force, times the lever, a couple
  double across;       // friction across x of the wall as a part of that along it; 0: the same
  double friction;     // Coulomb's coefficient of sliding
  double stiction;     // and of sticking
  bool sticks;         // or slides along `slip` (or has no friction)
  double slip[3];      // unit direction of sliding, world, tangent to the wall
  bool follows;        // it slides too slowly to have a direction of its own but that of its
                       // acceleration, see ap__contact_follow(),
  bool asked;          // or may do so
  double fast;         // m/s: the fastest that it slid
  double force[3];     // out: N on the robot, world; of turning, the couple, N m
  double place[3];     // out: where it touches, m, world
  double normal_force; // out: its part along the normal; where it falls below 0 the point leaves
  double margin;       // out: stiction * normal force - |tangential force| of one that sticks
  double least;        // out: a force that is none, N
  double speed;        // out: of sliding, along `slip`
  double hurry;        // out: tangential acceleration, m/s2
  bool slows;          // out: that is against the sliding
  double stops_in;     // out: s, until it has stopped; INFINITY: it does not, or may not
  double rub;          // out: what friction alone makes of it, m/s2
  double gap;          // out: distance to the wall, m
  double power;        // out: that the friction of one that slides takes, W
  double driven;       // out: power of a wall that moves, W
} ap_resting;

// Bytes of scratch memory for n of them, whatever the alignment; zero at first.
size_t ap__contact_scratch(const ap_model *m, int n);

// Forget what the scratch memory has of the last configuration: a wall has moved.
void ap__contact_forget(void *scratch);

// The direction of sliding that friction is against, from a vector along that friction, where it
// is not the same in all directions: in place.
void ap__contact_unstretch(const ap_resting *r, const double normal[3], double along[3]);

// What to do with a set of touching points, all of whose normal velocities vanish: the modes that
// agree with Coulomb's law and with forces that only push, from the accelerations that follow.
// keep[i] tells whether point i stays; sticks and slip are set. tau: all joint forces but those of
// contacts. A point that neither is pressed nor accelerates away stays. AP_E_NO_CONVERGENCE where
// no modes are found that keep the law, as there need not be any (Painleve's paradox); those
// nearest to it are told then, and the forces show what is broken. AP_E_SINGULAR; AP_E_ARG for a
// link that does not exist; both with all untouched.
ap_status ap__contact_modes(ap_plant *p, const double *q, const double *v, const double *tau, int n,
                            ap_resting *resting, bool *keep, void *scratch);

// Accelerations under the constraints of n points in their modes: normals and, where they stick,
// tangents do not accelerate away from their walls; where they slide, friction acts against the
// velocity along the wall, or against `slip` where that has no direction or a part against `slip`:
// so `speed` passes through zero at a stop. Dependent points share the force evenly, friction in
// proportion to what it can hold, and push only and stay in their cones wherever forces can;
// `force` of the last call is where that is looked for first. Fills the outs; fails as
// ap__contact_modes() does.
ap_status ap__contact_accelerations(ap_plant *p, const double *q, const double *v,
                                    const double *tau, int n, ap_resting *resting, double *a,
                                    void *scratch);

// The speed of a point that slides, and does not follow its acceleration, along its `slip`: what
// ap__contact_accelerations() reports, without forces.
double ap__contact_along(const ap_plant *p, const double *q, const double *v, const ap_resting *r);

// The largest normal force of points that slide with friction, in units of the largest that there
// would be without it, in the state of the last ap__contact_accelerations() with the same scratch.
// 0: nothing slides with friction.
double ap__contact_amplified(const ap_model *m, int n, const ap_resting *resting, void *scratch);

// What takes joint forces to accelerations while n points keep their constraints, friction of those
// that slide left out: M^-1 - M^-1 J^T (J M^-1 J^T)^+ J M^-1, nv * nv.
ap_status ap__contact_mobility(ap_plant *p, const double *q, int n, const ap_resting *resting,
                               double *mobility, void *scratch);

// Put the points back on their walls and take out the velocities that leave them, by the smallest
// change in the metric of the inertia matrix; q and v in place. *lost is the kinetic energy that
// the velocities taken out had, relative to the walls, never negative, *driven the work of walls
// that move; what moving back changes is an error of integration
// and not counted. Points that cannot all touch end as near as they come. Where a point sticks is
// not remembered: it may creep by errors of integration. AP_E_NO_CONVERGENCE where positions are
// not finite; fails otherwise as ap__contact_modes() does.
ap_status ap__contact_return(ap_plant *p, double *q, double *v, int n, const ap_resting *resting,
                             void *scratch, double *lost, double *driven);
// The same among walls that do not move.
ap_status ap__contact_project(ap_plant *p, double *q, double *v, int n, const ap_resting *resting,
                              void *scratch, double *lost);

#endif
