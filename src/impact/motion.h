// SPDX-License-Identifier: Apache-2.0
// Where a wall that moves is, and how it moves. Its surface does not change in its own axes, those
// in which it was made: points are taken there. A surface that a body carries would have the pose
// of that body here.

#ifndef AP_IMPACT_MOTION_H
#define AP_IMPACT_MOTION_H

#include "impact/surface.h"

// Of a wall at one time. A place x of it at rest is at o + R (x - pivot).
typedef struct ap_wall_pose {
  double R[3][3];
  double o[3], pivot[3];
  double v[3], a[3];    // of o, m/s and m/s2
  double w[3], dw[3];   // angular velocity and acceleration, world
  double belt[3];       // velocity of what the surface carries along, beside all that, world
  double jerk, turn[3]; // upper bounds, all the time: jerk of o, and |w| and its two derivatives
} ap_wall_pose;

// Whether a wall moves, or its surface does.
bool ap__wall_moves(const ap_wall *wall);
// The pose at time t; at a kink that of the motion after it.
void ap__pose_at(const ap_surface *s, double t, ap_wall_pose *pose);
// The next kink of the motion after t; INFINITY: none.
double ap__pose_kink(const ap_surface *s, double t);

// A place in the axes of the wall at rest.
void ap__pose_point(const ap_wall_pose *pose, const double p[3], double rest[3]);
// The way of a point in them.
void ap__pose_way(const ap_wall_pose *pose, const ap_way *way, ap_way *rest);
// The velocity of the wall at p, as of a rigid body; and with what its surface carries.
void ap__pose_carried(const ap_wall_pose *pose, const double p[3], double v[3]);
void ap__pose_velocity(const ap_wall_pose *pose, const double p[3], double v[3]);
// The acceleration of a point relative to the wall, world, in place of its own: less those of the
// wall there, and of Coriolis. v: the velocity of the point.
void ap__pose_relative(const ap_wall_pose *pose, const double p[3], const double v[3], double a[3]);
// A gap with derivatives in the axes at rest becomes one in the world's.
void ap__pose_gap(const ap_wall_pose *pose, ap_gap *gap);
// The way of a place of the wall, which is at x at rest, over a time r on either side.
void ap__pose_place(const ap_wall_pose *pose, const double x[3], double r, ap_way *way);
// Less what the surface carries along a normal: a belt follows the surface round its ends.
void ap__pose_belt(const ap_wall_pose *pose, const double normal[3], double belt[3]);
// The part of a direction of the world along axis k at rest.
double ap__pose_part(const ap_wall_pose *pose, int k, const double world[3]);
// A direction of the wall, of its axes at rest, in the world.
void ap__pose_direction(const ap_wall_pose *pose, const double x[3], double world[3]);

#endif
