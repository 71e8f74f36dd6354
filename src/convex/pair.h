// SPDX-License-Identifier: Apache-2.0
// Two shapes and the set of differences b - a of their points, in A's frame. Spheres and capsules
// are a point and a segment here: their radii are subtracted at the end.

#ifndef AP_CONVEX_PAIR_H
#define AP_CONVEX_PAIR_H

#include "appell/convex.h"

typedef struct ap__pair {
  const ap_convex *a, *b;
  double R[9], p[3]; // pose of B in A's frame
  double size;       // no coordinate of a difference is larger
  int steps;         // support points computed
} ap__pair;

// A point of the difference. Those of a cylinder have the number -1.
typedef struct ap__corner {
  double z[3];       // b - a
  double a[3], b[3]; // in A's frame
  int ia, ib;        // numbers of the vertices
} ap__corner;

// What is known of the gap of the cores: lower <= gap <= upper, lower = s(n), and the closest
// points are the sums of lambda[i] s[i].
typedef struct ap__bracket {
  double lower, upper, n[3];
  ap__corner s[4];
  double lambda[4];
  int k;        // of s
  bool overlap; // the origin is in the difference, or too close to it to tell
} ap__bracket;

// Farthest vertex of a shape without its radius along a direction of its own frame; its number.
int ap__core_support(const ap_convex *shape, const double direction[3], double x[3]);
// The b - a with the smallest n . (b - a).
void ap__pair_support(ap__pair *pair, const double n[3], ap__corner *w);
// s(n), which may improve the lower bound.
void ap__pair_try(ap__pair *pair, const double n[3], ap__corner *w, ap__bracket *best);

// GJK: the point of the difference that is closest to the origin.
void ap__separation(ap__pair *pair, ap__bracket *best);
// The face of the difference that is closest to the origin, from inside or outside. The difference
// has a volume.
void ap__penetration(ap__pair *pair, ap__bracket *best);
// The triangle's normal (of any length), and lambda of its point closest to the origin: false where
// that is not inside. *height is along the normal.
bool ap__triangle_foot(const ap__corner *s, double n[3], double lambda[3], double *height);

// The feature of a shape that has these vertices, or where that cannot be, the one that is farthest
// along the direction.
ap_feature ap__feature_of(const ap_convex *shape, const int *vertex, int n,
                          const double direction[3]);

static inline double ap__core_radius(const ap_convex *s) {
  return s->kind == AP_CONVEX_SPHERE || s->kind == AP_CONVEX_CAPSULE ? s->radius : 0;
}

// Is its core a point or a segment?
static inline bool ap__core_thin(const ap_convex *s) {
  return s->kind == AP_CONVEX_SPHERE || s->kind == AP_CONVEX_CAPSULE;
}

#endif
