// SPDX-License-Identifier: Apache-2.0
// A wall from inside, and bounds on the gap of a point that moves.

#ifndef AP_IMPACT_SURFACE_H
#define AP_IMPACT_SURFACE_H

#include <appell/impact.h>

#include "impact/faces.h"
#include "impact/profile.h"

// Beyond these, forces of one contact differ by more than numbers can tell apart: coefficients of
// sliding, and lengths of rolling and spinning friction, m.
#define AP__MOST_FRICTION 1e9
#define AP__MOST_TURNING  1e3

struct ap_surface {
  ap_wall wall;       // name and points are the copies
  double frame[3][3]; // unit vectors of u in the world
  double semi[3];     // quadrics: semi-axes, infinite along the axis of an endless one
  double E[3];        // quadrics: diagonal of E
  double longest;     // quadrics: A
  double sign;        // -1 where the free region is inside
  ap_profile profile;
  ap_face *face; // [nface] of a wall that ends
  int nface;     // 0: it is smooth
  bool convex;   // faces exclude each other
};

// Whether a wall is one of which ap_surface_init() makes a surface; else *error says why.
bool ap__surface_check(const ap_wall *wall, ap_error *error);
// How many faces hold points: one of a smooth wall, which is its own.
static inline int ap__surface_faces(const ap_surface *s) { return s->nface > 0 ? s->nface : 1; }
// A face; NULL: the wall is smooth.
static inline const ap_face *ap__surface_face(const ap_surface *s, int i) {
  return s->nface > 0 ? &s->face[i] : NULL;
}
// The gap to one face, as if it had no end.
void ap__surface_face_gap(const ap_surface *s, int face, const double p[3], ap_gap *gap);
// The direction of x along a wall, where its normal is n (world, unit): less what it has along n,
// or that of the axis where there is nothing left. R: how the wall is turned; NULL: not at all.
void ap__surface_along(const ap_surface *s, const double R[3][3], const double n[3],
                       double along[3]);
// The least distance of p to the limits of a face, m, negative beyond one.
double ap__surface_within(const ap_surface *s, int face, const double p[3]);

// The way of a point over the times -r .. r: p + v t + a t^2 / 2, and no further off than
// jerk |t|^3 / 6.
typedef struct ap_way {
  double p[3], v[3], a[3]; // world
  double jerk;             // m/s3, 0 or more
  double r;                // s
} ap_way;

// F(t) of a point on its way: F has the sign of the gap c, is zero with it, and |grad F| lies
// between `steep` and 1 on the surface, so that a point at a small depth d has F between -d and
// -steep d. At t = 0 it and its first two derivatives are f; |F'''| <= third all along.
typedef struct ap_gap_bound {
  double f[3];
  double third;
  double steep;
  double slope; // |grad F| at t = 0
} ap_gap_bound;
void ap__surface_bound(const ap_surface *s, int face, const ap_way *way, ap_gap_bound *bound);
// The same of G of a limit.
void ap__surface_limit_bound(const ap_surface *s, const ap_face_limit *limit, const ap_way *way,
                             ap_gap_bound *bound);

#endif
