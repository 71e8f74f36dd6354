// SPDX-License-Identifier: Apache-2.0
// Stairs, height fields and rectangles for shapes: the solid whose corners, edges and faces are
// theirs. It is no convex one: at a concave edge both faces hold a shape.

#ifndef AP_SIM_TERRAIN_H
#define AP_SIM_TERRAIN_H

#include "sim/solid.h"

// Whether a wall is one of them.
bool ap__terrain_is(const ap_wall *wall);
// Its solid; surface: the wall, NULL without memory. Counts alone are set then.
void ap__terrain_make(ap_arena *a, const ap_wall *wall, const ap_surface *surface, ap_solid *s);

// How far a shape is from it, m: less than 0 where it is inside, as of ap_convex_distance(). The
// ground below a height field counts; a rectangle has none. AP_E_MEMORY.
ap_status ap__terrain_distance(const ap_surface *surface, const ap_pose *wall,
                               const ap_convex *shape, const ap_pose *pose, double *distance);

#endif
