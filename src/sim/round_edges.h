// SPDX-License-Identifier: Apache-2.0
// Edges and faces of a shape against discs, capped cylinders and cones, as pairs of sim/edges.h.
//
// Take the axes of the wall, z along its axis from the centre of a rim of radius R. The edge of A
// goes from a to b, D = b - a, l its length, and p.q is the product along x and y. A place of the
// rim is touched with a normal in the arc between those of both sides of the rim.
//
// An edge crosses the plane of the rim at Y / D_z, Y = a D_z - a_z D (along x and y):
//
//   F = (Y.Y - R^2 D_z^2) / (2 R l^2),     N = (D_z Y, -D.Y).
//
// A flat edge crosses the cylinder above the rim: with Q = D.D, P = a.D, E = P^2 - Q (a.a - R^2),
//
//   F = o (Q a_z + (-P + s sqrt E) D_z) sqrt E / (R l^3),   N = o (-s D_z X, sqrt E),
//
// where X is the place along x and y, s = 1 where the edge leaves the cylinder and -1 where it
// enters it, and o the side of the plane on which the edge is. The first holds where R^2 D_z^2 is E
// or more, the second where it is less; both are zero with the gap. |N| / R l^2 and Q |N| / R l^3
// are F over it. Where E < 0 the edge passes the rim. Edges that touch a rim along its tangent,
// within AP__ROUND_TANGENT, have no normal; then corners, rims and faces touch. What an edge cuts
// off the rim there is less than R AP__ROUND_TANGENT^2 wide.
//
// An edge touches the side of a cone, whose radius is L = L_0 - k z, where the discriminant of
// q = x^2 + y^2 - L^2 along it vanishes: with A = Q - k^2 D_z^2, B = a.D + k L_a D_z and
// C = a.a - L_a^2,
//
//   F = (A C - B^2) / (2 w l^2 R),   w = sqrt(1 + k^2),
//
// at a - (B / A) D. There F over the gap is (A L_a + k B D_z) / (l^2 R), R being the largest
// radius. A cone grown by a radius is a cone.
//
// The core of a capsule, or of the side of a cylinder, touches a rim at its least distance from it
// (sim/round_near.c). Where it is parallel to the plane of the rim within AP__ROUND_FLAT there is
// no such place, or it passes beside the cylinder above the rim: then that is a pair of its own.
//
// A face of A and a rim touch at the lowest place of the rim, as in sim/rims.h, with the roles of
// both exchanged, as far as that is in the face: inside of its sides, or, of a flat end of another
// cylinder, of the circle. All of it consists of polynomials of places and
// of roots that are kept from zero.

#ifndef AP_SIM_ROUND_EDGES_H
#define AP_SIM_ROUND_EDGES_H

#include "sim/edges.h"
#include "sim/jet.h"

// Sine of the angle within which an edge goes along the tangent of a rim.
#define AP__ROUND_TANGENT 1e-6
// That within which the core of a capsule is parallel to the plane of a rim; sim/standing.c keeps
// the height of its ends there above what counts as a touch.
#define AP__ROUND_FLAT 1e-7

// What a pair needs besides the places of the edge.
struct ap_round {
  double radius;     // R
  double arc[2][2];  // normals at the ends of the arc, along the radius and z, counter-clockwise
  double root, side; // s and o
  bool beside;       // of a capsule: flat, and beside the rim
  double from, to;   // of a cone: its ends,
  double at0, slope; // L_0 and k
  double w;
  int nside;             // of a face of A: its sides
  const double (*in)[3]; // [nside] directions into the face along x and y, and the distance of the
                         // origin to the side,
  double disc;           // or 0, and its radius of a flat end
  double outward;        // of a place that carries: z of the wall's normal
};

// A rim of a wall, or all of it, in the frame of the wall at rest.
typedef struct ap_round_rim {
  double centre[3], axes[3][3], radius, arc[2][2];
} ap_round_rim;

// Edge i of a solid and a rim: which of the three ways, s and o.
void ap__round_cross(const ap_solid *a, int i, const ap_round_rim *rim, ap_round *r, ap_edges *e);
void ap__round_level(const ap_solid *a, int i, const ap_round_rim *rim, double root, double side,
                     ap_round *r, ap_edges *e);
// The core of a capsule and a rim, by its least distance; where it is flat, ap__round_level()
// holds.
// Beside: where it is flat and passes beside the rim.
void ap__round_near(const ap_solid *a, int i, const ap_round_rim *rim, bool beside, ap_round *r,
                    ap_edges *e);
// Edge i of a solid and the side of a cone whose radius is `radius` less slope z, for z from `from`
// to `to` in the axes at centre.
void ap__round_cone(const ap_solid *a, int i, const double centre[3], const double axes[3][3],
                    double radius, double slope, double from, double to, ap_round *r, ap_edges *e);
// A rim and a face of a solid, a pair of AP__RIM_PAIRS; in: room for the sides.
void ap__round_face(const ap_solid *a, int face, const ap_round_rim *rim, int pair, double (*in)[3],
                    ap_round *r, ap_edges *e);

// The same of the flat end of a cylinder whose rim is `end`.
void ap__round_end(const ap_round_rim *end, const ap_round_rim *rim, int pair, ap_round *r,
                   ap_edges *e);
// Which way along its axis the flat end of a rim faces.
double ap__round_outward(const ap_round_rim *rim);

// As of sim/edges.h.
int ap__round_limits(const ap_edges *e);
bool ap__round_bound(const ap_edges *e, const ap_edges_way *way, ap_gap_bound *g, bool *none);
void ap__round_limit_bound(const ap_edges *e, const ap_edges_way *way, int limit, double beyond,
                           ap_gap_bound *g);
double ap__round_within(const ap_edges *e, const ap_edges_way *way);
void ap__round_place(const ap_edges *e, const ap_edges_way *way, ap_edges_place *place);

// That a core, of which D_z is given, is flat, or not: a length.
jet ap__round_flat(const ap_edges *e, jet up, bool flat);
// The same of the core of a capsule near a rim (sim/round_near.c).
bool ap__near_bound(const ap_edges *e, const ap_edges_way *way, ap_gap_bound *g, bool *none);
void ap__near_limit_bound(const ap_edges *e, const ap_edges_way *way, int limit, ap_gap_bound *g);
double ap__near_within(const ap_edges *e, const ap_edges_way *way);
void ap__near_place(const ap_edges *e, const ap_edges_way *way, ap_edges_place *place);

#endif
