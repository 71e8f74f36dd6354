// SPDX-License-Identifier: Apache-2.0
// Sums over triangles, for the exact solid and for MuJoCo's.

#ifndef AP_FILE_MESH_SOLID_H
#define AP_FILE_MESH_SOLID_H

#include "file/solid.h"

// Area of the triangle a b c, its centre, and its unit normal; area 0 and the normal not normalised
// where it is below 5e-16, as MuJoCo passes over it.
double ap__triangle(const double *a, const double *b, const double *c, double centre[3],
                    double normal[3]);
// Add weight * integral of x x^T, as xx yy zz xy xz yz, over a unit of the triangle (parts 12) or
// of the pyramid from it to the origin (parts 20).
void ap__triangle_moments(const double *a, const double *b, const double *c, double weight,
                          double parts, double P[6]);
// Second moments to a tensor xx xy xz yy yz zz.
void ap__moments_to_inertia(const double P[6], double I[6]);

#endif
