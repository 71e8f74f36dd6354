// SPDX-License-Identifier: Apache-2.0
// How long a corner of a shape is its foremost place against a curved face.
//
// A corner p touches a surface with the normal n, along the gradient of F. It is foremost while
// every edge from there, of length l and direction d, leads away: G = l d . n >= 0. Where G of an
// edge falls through zero, the edge touches next to its corner, and goes on in its place. Of a flat
// face the other end of the edge touches then.
//
// With D from p to the other end, and n up to the factor that keeps it a polynomial of places:
//
//   ball, tube     G = (D . x - (D . e) (x . e)) / r,   x = p - c, e along the tube
//   around a rim   G = ((P + D_z z) rho - R P) / (R r),   P = D_x x + D_y y
//   side of a cone G = (P + k D_z rho) / (w R)

#ifndef AP_SIM_CORNER_LIMITS_H
#define AP_SIM_CORNER_LIMITS_H

#include "sim/solid.h"

// How many edges lead from a corner that touches a face; 0 where it is flat.
int ap__corner_limits(const ap_solid *solid, int corner, const ap_face *face);
// The other end of the edge k of those.
const double *ap__corner_other(const ap_solid *solid, int corner, int k);
// G over the time of the ways of the corner and of that other end, in the axes of the surface.
void ap__corner_bound(const ap_surface *s, const ap_face *face, const ap_way *corner,
                      const ap_way *other, ap_gap_bound *g);

#endif
