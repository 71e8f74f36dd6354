// SPDX-License-Identifier: Apache-2.0
// Discs, capped cylinders and cones for shapes outside: their rims and sides, their surface grown
// by a radius, and a convex shape for where a run starts. A disc is a sheet: nothing touches it
// from below.

#ifndef AP_SIM_ROUND_WALLS_H
#define AP_SIM_ROUND_WALLS_H

#include "base/arena.h"
#include "sim/round_edges.h"

// Whether a wall is one of them, free outside.
bool ap__round_is(const ap_wall *wall);
// Its rims, in the world at rest; how many there are. surface: the wall.
int ap__round_rims(const ap_wall *wall, const ap_surface *surface, ap_round_rim rim[2]);
// Radius at 0 along the axis, what it loses by a length, and both ends; false: a disc has no side.
typedef struct ap_round_side {
  double radius, slope, from, to;
} ap_round_side;
bool ap__round_side_of(const ap_wall *wall, ap_round_side *side);
// The side of a capped cylinder, or a cylinder without end, as an edge with a radius.
void ap__round_core(ap_arena *a, const ap_wall *wall, const ap_surface *surface, ap_solid *core);
// The ball around it: centre and reach of a solid.
void ap__round_ball(const ap_wall *wall, const ap_surface *surface, ap_solid *s);

// How many faces the surface grown by a radius has, and that surface; NULL without memory.
int ap__round_faces(const ap_wall *wall, double radius);
ap_surface *ap__round_surface(ap_arena *a, const ap_wall *wall, const ap_surface *surface,
                              double radius);

// The shape, and where it is in the wall's frame; of a cylinder without end a part of it.
ap_status ap__round_shape(const ap_wall *wall, ap_convex *shape, ap_pose *at);

#endif
