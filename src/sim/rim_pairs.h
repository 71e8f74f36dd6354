// SPDX-License-Identifier: Apache-2.0
// A rim of a cylinder against a rim of another, as pairs of sim/edges.h.
//
// a and b are the outward normals of the two flat ends, R_A and R_B their radii, c the centre of
// A's less that of B's. The planes of the ends meet in a line along E = a x b. Two discs that are
// apart touch where an end of the part of the line that is in the one is an end of that in the
// other. With
//
//   sigma = |E|,  h_A = c . b,  h_B = c . a,  k = sqrt(R_A^2 sigma^2 - h_A^2),  y = o c . E - k
//
// A's rim crosses the plane of B at
//
//   X = (h_B (a - (a . b) b) + o y E) / sigma^2   from B's centre on,
//
// o = 1 where A is on the side of E, and -1 where it is on the other. The rims touch where
//
//   F = (y^2 + h_B^2 - R_B^2 sigma^2) / (4 R_B sigma),
//
// which is (|X|^2 - R_B^2) sigma / 4 R_B, falls through zero. Its gradient is N / 2 R_B sigma,
//
//   N = y (o E + (h_A / k) b) + h_B a.
//
// The limits are
//
//   N . b, -N . a, y >= 0              N is between the normals of both sides of both rims
//   k^2 / R_A^2 >= 1 - h_B^2 / R_B^2   (over sigma^2) the line is steeper to A's rim than to B's:
//                                      otherwise the pair with A and B exchanged holds
//   R_A sigma >= flat                  as of sim/rims.h
//   |N| k / R_A R_B sigma^2 >= AP__RIMS_TANGENT
//
// The last is the sine of the angle between the tangents of both rims. Rims that touch along their
// tangents have no normal; then rims touch sides or flat ends (sim/round_edges.h), and no more than
// R AP__RIMS_TANGENT^2 is overlooked. So 2 |grad F| is sin(angle) over k / R_A sigma, at least
// AP__RIMS_TANGENT and at most 2.
//
// Two flat ends that lie on each other bear each other with places of their rims
// (sim/round_edges.h), and where the rims cross. With c and the rest in the plane of B,
//
//   Q = c . c,  P = (Q + R_B^2 - R_A^2) / 2,  K = sqrt(R_B^2 Q - P^2),  X = (P c + o K c+) / Q,
//
// c+ being c turned by a quarter, and F is the height of A's plane above B's there. It holds where
// R_A sigma <= 2 flat, with the tangents at the angle whose sine is K / R_A R_B.

#ifndef AP_SIM_RIM_PAIRS_H
#define AP_SIM_RIM_PAIRS_H

#include "sim/round_edges.h"

// Sine of the angle within which rims go along each other.
#define AP__RIMS_TANGENT 1e-6

// A's rim in the frame of its link and B's in that of its own; side: o.
void ap__rims_make(const ap_round_rim *a, const ap_round_rim *b, ap_edges_kind kind, double side,
                   ap_round *r, ap_edges *e);

// As of sim/edges.h; way->end[1] is R_A a, a vector.
int ap__rims_limits(const ap_edges *e);
bool ap__rims_bound(const ap_edges *e, const ap_edges_way *way, ap_gap_bound *g, bool *none);
void ap__rims_limit_bound(const ap_edges *e, const ap_edges_way *way, int limit, ap_gap_bound *g);
double ap__rims_within(const ap_edges *e, const ap_edges_way *way);
void ap__rims_place(const ap_edges *e, const ap_edges_way *way, ap_edges_place *place);

#endif
