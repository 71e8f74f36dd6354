// SPDX-License-Identifier: Apache-2.0
// Where two shapes, or a shape and a wall, touch, and how they move there.

#ifndef AP_SIM_CONTACT_MEETING_H
#define AP_SIM_CONTACT_MEETING_H

#include <appell/work.h>

#include "sim/contact.h"

// In world axes. The place of contact p moves on both bodies: with u = v_A(p) - v_B(p), the
// velocities of matter there, and w the velocity of the place itself as seen from B,
//
//   u' = a_A(p) - a_B(p) + w_A x (w - u) - w_B x w,
//
// a being accelerations of matter and w_A, w_B angular velocities. Of a ball w is that of its
// centre less its radius times the rate of the normal.
typedef struct contact_meeting {
  double normal[3];   // from the wall to the point's link
  double gap;         // m
  double place[3];    // of contact
  double arm[3];      // from the origin of the link to the place,
  double other[3];    // and from that of the link that carries the wall
  double velocity[3]; // u
  double wall[3];     // velocity of a wall that moves, there
  double bend;        // second derivative of the gap without accelerations of joints, m/s2
  double pull[3];     // u' likewise
  double turn[3];     // angular velocity of A as seen from B,
  double turns[3];    // its rate without accelerations of joints,
  double tilts[3];    // and the rate of the normal
} contact_meeting;

// From the kinematics in the work, at the second order; `moves` false: the gap and the normal
// alone.
void ap__contact_meet(const ap_model *m, ap_work *w, const ap_resting *r, bool moves,
                      contact_meeting *c);

// The pose of a body, as of a wall that it carries, from the kinematics in the work. order: 0 for
// the place alone, 1 with velocities, 2 with accelerations, 3 with those of no accelerations of
// joints.
void ap__carried_pose(const ap_model *m, ap_work *w, int body, int order, ap_wall_pose *pose);
// The ways of a pair of edges (sim/edges.h) in the axes of B, of bodies with these poses; b NULL: B
// is at rest. Jerks and r are 0.
void ap__carried_edges(const ap_edges *e, const ap_wall_pose *a, const ap_wall_pose *b,
                       ap_edges_way *way);

#endif
