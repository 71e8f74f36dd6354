// SPDX-License-Identifier: Apache-2.0
// Distance of two convex sets by the algorithm of Gilbert, Johnson and Keerthi: a simplex of up to
// four support points approaches the point of the difference that is closest to the origin.
//
// What differs from the textbook, for the sake of the last digits: the closest point of a simplex
// is the best of *all* its parts that contain the newest point, so that no wrong decision about a
// region can make it worse; a direction is that of the part's normal (of a triangle from its edges,
// of an edge made perpendicular to it), not that of the closest point, whose own digits are lost
// where the distance is small; and every direction gives a lower bound, the best of which is kept.

#include <string.h>

#include "convex/pair.h"
#include "convex/precise.h"
#include "file/orient.h"

enum { MOST_STEPS = 200, MOST_STALLS = 12 };

// A part of a simplex, its closest point to the origin, and the direction there.
typedef struct part {
  int index[3], k;
  double lambda[3], n[3], distance;
} part;

static void vertex_part(const ap__corner *s, int i, part *best) {
  const double d = norm3(s[i].z);
  if (!(d < best->distance)) return;
  *best = (part){.index = {i}, .k = 1, .lambda = {1}, .distance = d};
  memcpy(best->n, s[i].z, sizeof best->n);
}

static void edge_part(const ap__corner *s, int i, int j, part *best) {
  double e[3], v[3];
  difference3(s[j].z, s[i].z, e);
  const double ee = dot3(e, e);
  double t = -dot3(s[i].z, e) / ee;
  if (!(t > 0 && t < 1)) return;
  const double *near = t < 0.5 ? s[i].z : s[j].z, step = t < 0.5 ? t : t - 1;
  for (int m = 0; m < 3; m++) v[m] = near[m] + step * e[m];
  const double rest = dot3(v, e) / ee; // what rounding has left along the edge
  for (int m = 0; m < 3; m++) v[m] -= rest * e[m];
  t -= rest;
  const double d = norm3(v);
  if (!(d < best->distance)) return;
  *best = (part){.index = {i, j}, .k = 2, .lambda = {1 - t, t}, .distance = d};
  memcpy(best->n, v, sizeof v);
}

bool ap__triangle_foot(const ap__corner *s, double n[3], double lambda[3], double *height) {
  double e[3][3], r[3][3], sum = 0;
  for (int i = 0; i < 3; i++) difference3(s[(i + 2) % 3].z, s[(i + 1) % 3].z, e[i]);
  int longest = 0, nearest = 0;
  for (int i = 1; i < 3; i++) {
    if (dot3(e[i], e[i]) > dot3(e[longest], e[longest])) longest = i;
    if (dot3(s[i].z, s[i].z) < dot3(s[nearest].z, s[nearest].z)) nearest = i;
  }
  // The two shorter edges have the smaller rounding errors.
  precise_cross3(e[(longest + 1) % 3], e[(longest + 2) % 3], n);
  const double length = norm3(n);
  if (!(length > 0)) return false;
  for (int i = 0; i < 3; i++) n[i] /= length;
  *height = dot3(n, s[nearest].z);
  for (int i = 0; i < 3; i++)
    for (int m = 0; m < 3; m++) r[i][m] = s[i].z[m] - *height * n[m];
  bool inside = true;
  for (int i = 0; i < 3; i++) {
    double area[3];
    precise_cross3(r[(i + 1) % 3], r[(i + 2) % 3], area);
    lambda[i] = dot3(n, area);
    inside = inside && lambda[i] > 0;
    lambda[i] = fmax(lambda[i], 0);
    sum += lambda[i];
  }
  for (int i = 0; i < 3; i++) lambda[i] = sum > 0 ? lambda[i] / sum : 1.0 / 3;
  return inside;
}

static void triangle_part(const ap__corner *s, int i, int j, int k, part *best) {
  const ap__corner t[3] = {s[i], s[j], s[k]};
  double n[3], lambda[3], h;
  if (!ap__triangle_foot(t, n, lambda, &h) || !(fabs(h) < best->distance)) return;
  *best = (part){.index = {i, j, k}, .k = 3, .distance = fabs(h)};
  for (int m = 0; m < 3; m++) {
    best->lambda[m] = lambda[m];
    best->n[m] = h < 0 ? -n[m] : n[m];
  }
}

// Is the origin in the tetrahedron, its faces included? Exactly.
static bool inside(const ap__corner *s) {
  static const double origin[3] = {0, 0, 0};
  const double volume = ap__orient(s[0].z, s[1].z, s[2].z, s[3].z);
  if (volume == 0) return false;
  for (int i = 0; i < 4; i++) {
    const double *v[4] = {s[0].z, s[1].z, s[2].z, s[3].z};
    v[i] = origin;
    if (ap__orient(v[0], v[1], v[2], v[3]) * (volume > 0 ? 1 : -1) < 0) return false;
  }
  return true;
}

// The best part with point k - 1.
static part closest_part(const ap__corner *s, int k) {
  part best = {.distance = INFINITY};
  const int w = k - 1;
  vertex_part(s, w, &best);
  for (int i = 0; i < w; i++) edge_part(s, i, w, &best);
  for (int i = 0; i < w; i++)
    for (int j = i + 1; j < w; j++) triangle_part(s, i, j, w, &best);
  return best;
}

static void keep(ap__bracket *best, const part *p) {
  ap__corner s[3];
  for (int i = 0; i < p->k; i++) s[i] = best->s[p->index[i]];
  memcpy(best->s, s, (size_t)p->k * sizeof *s);
  memcpy(best->lambda, p->lambda, sizeof p->lambda);
  best->k = p->k;
  best->upper = p->distance;
}

static bool known(const ap__bracket *best, const ap__corner *w) {
  for (int i = 0; i < best->k; i++)
    if (best->s[i].z[0] == w->z[0] && best->s[i].z[1] == w->z[1] && best->s[i].z[2] == w->z[2])
      return true;
  return false;
}

void ap__separation(ap__pair *pair, ap__bracket *best) {
  const double small = 2e-16 * pair->size;
  const bool round = pair->a->kind == AP_CONVEX_CYLINDER || pair->b->kind == AP_CONVEX_CYLINDER;
  double n[3], c[3];
  int stalls = 0;
  turn3(pair->R, pair->b->centre, c);
  for (int i = 0; i < 3; i++) n[i] = c[i] + pair->p[i] - pair->a->centre[i];
  *best = (ap__bracket){.lower = -INFINITY, .upper = INFINITY};
  for (int step = 0; step < MOST_STEPS; step++) {
    ap__corner w;
    if (!unit3(n)) memcpy(n, (double[3]){0, 0, 1}, sizeof n);
    ap__pair_try(pair, n, &w, best);
    if ((round && best->upper - best->lower <= small) || known(best, &w)) return;
    best->s[best->k] = w;
    const part p = closest_part(best->s, best->k + 1);
    if (best->k == 3 && inside(best->s)) {
      best->k = 4;
      best->overlap = true;
      return;
    }
    // A step may turn the direction and shorten the distance by less than its last digit.
    if (p.distance < best->upper) stalls = 0;
    if (p.distance > best->upper * (1 + 4e-16) || stalls++ == MOST_STALLS) return;
    keep(best, &p);
    memcpy(n, p.n, sizeof n);
    if (p.distance <= small) {
      // A vertex or an edge through the origin has no direction; a triangle has one.
      if (p.k == 3) ap__pair_try(pair, n, &w, best);
      best->overlap = true;
      return;
    }
  }
}
