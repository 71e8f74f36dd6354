// SPDX-License-Identifier: Apache-2.0
// Faces of walls that end. A face is a smooth surface F = 0, in the wall's own frame u, as far as
// its limits G >= 0 reach. A point enters the wall where F of a face falls through zero inside its
// limits. Solids have a face on each side, whose limits are where the next one begins.

#ifndef AP_IMPACT_FACES_H
#define AP_IMPACT_FACES_H

#include <appell/impact.h>

// AP_FACES_MOST: heights of a field at most.
enum { AP_FACE_LIMITS = 4, AP_FACES_MOST = 100000 };

// One end of a face: G = n . u + d with |n| = 1, or, where round > 0, (round^2 - rho^2) / 2 round,
// less than 0 where that is `outer`.
typedef struct ap_face_limit {
  double n[3], d;
  double round;
  bool outer;
  int across; // the face that begins there, where the edge is convex or flat; -1: none
} ap_face_limit;

// F = n . u + d with |n| = 1, or, where round > 0, a cone about the axis whose radius at u_2 is
// l = radius - slope u_2: F = sign (rho^2 - l^2) / (2 round sqrt(1 + slope^2)), round being the
// largest radius and least the smallest. |grad F| = l / round there. Where tube > 0, all that is
// this far from the line through c along n, or from c where n = 0:
// F = (|u - c|^2 - (n . (u - c))^2 - tube^2) / (2 tube). Where ring > 0, all that is `tube` from
// the circle of that radius about the axis at c: F = ((rho - ring)^2 + (u_2 - c_2)^2 - tube^2) / (2
// tube).
typedef struct ap_face {
  double n[3], d;
  double round, radius, slope, least, sign;
  double tube, c[3], ring;
  int nlimit;
  ap_face_limit limit[AP_FACE_LIMITS];
  const ap_face_limit *many; // [nlimit] in place of those; NULL: none
} ap_face;

static inline const ap_face_limit *ap__face_limit(const ap_face *face, int k) {
  return face->many ? &face->many[k] : &face->limit[k];
}

// Whether a wall is one convex solid: at most one face of it holds a point at a time.
bool ap__faces_convex(const ap_wall *wall);

// How many faces a wall has; 0: it is smooth and has none. Never negative, whatever the wall.
int ap__faces_count(const ap_wall *wall);
// Fill them in. heights: of a height field.
void ap__faces_make(const ap_wall *wall, const double *heights, ap_face *face);

// F and its derivatives at u.
void ap__face_value(const ap_face *face, const double u[3], ap_gap *gap);
// The least G, m; INFINITY without limits.
double ap__face_within(const ap_face *face, const double u[3]);
// c of the whole wall at u: negative inside a solid alone.
void ap__faces_gap(const ap_wall *wall, const ap_face *face, const double u[3], ap_gap *gap);

#endif
