// SPDX-License-Identifier: Apache-2.0
// The rims of a cylinder against a plane, as pairs of sim/edges.h.
//
// Take axes x, y, z with z along the normal of the plane, whose origin is on it. c is the centre of
// a rim of radius r, D the vector of length r along the axis of the cylinder, and |D| here its part
// along x and y: r times the sine of the angle between axis and normal. The lowest place of the rim
// is
//
//   (c_x, c_y) + D_z (D_x, D_y) / |D|,   and its height is   F = c_z - |D| .
//
// A cylinder that lies on its side touches with one place of each rim, one that leans with one. F
// is smooth except where the disc is parallel to the plane. There, within AP__RIM_FLAT, the lowest
// place is not defined, and AP__RIM_POINTS places of the rim carry the cylinder: it stands. Each of
// these is a point with a limit: it counts where the disc is parallel within twice that angle.
// Between two of them the rim is lower than both by at most r (1 - cos(pi / AP__RIM_POINTS)) times
// the sine of the angle. Two further places, opposite each other, are put where they are needed
// (sim/standing.c).

#ifndef AP_SIM_RIMS_H
#define AP_SIM_RIMS_H

#include "sim/edges.h"

#define AP__RIM_FLAT 5e-9
// In a scene so large that so many times sim->touch are more, |D| is that there.
#define AP__RIM_TOUCHES 8

// Pairs of a rim and a plane: its lowest place, places that carry, and those that are put.
enum { AP__RIM_PUT = 1 + AP__RIM_POINTS, AP__RIM_PAIRS = AP__RIM_PUT + 2 };

// Rim i of a solid against a plane (unit normal n through `at`, in the frame of the other side);
// pair: one of AP__RIM_PAIRS.
void ap__rim_make(const ap_solid *a, int i, int pair, const double n[3], const double at[3],
                  ap_edges *e);
// Put a place that carries in a direction, in the link's frame, from the centre of the rim on.
void ap__rim_put(ap_edges *e, const double direction[3]);

// As of sim/edges.h; way->end[1] is D, a vector.
bool ap__rim_bound(const ap_edges *e, const ap_edges_way *way, ap_gap_bound *g, bool *flat);
void ap__rim_limit_bound(const ap_edges *e, const ap_edges_way *way, ap_gap_bound *g);
double ap__rim_within(const ap_edges *e, const ap_edges_way *way);
void ap__rim_place(const ap_edges *e, const ap_edges_way *way, ap_edges_place *place);

#endif
