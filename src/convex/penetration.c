// SPDX-License-Identifier: Apache-2.0
// Depth of two convex sets that overlap: the face of their difference that is closest to the
// origin, by growing a polyhedron inside the difference (expanding polytope algorithm) as a branch
// and bound. A face at height h over the origin says that the difference reaches at least so far;
// the support point along its normal, how far it reaches at most. The lowest face is extended,
// until none is lower than the best direction that was tried.
//
// Which faces a new point sees is decided exactly (file/orient.h), so that the polyhedron stays
// convex and closed however flat it is. The origin need not be inside: where the sets are apart by
// less than rounding can tell, a lowest face with a negative height is the plane between them.

#include <string.h>

#include "convex/pair.h"
#include "convex/precise.h"
#include "file/orient.h"

enum { MOST_CORNERS = 200, MOST_FACES = 2 * MOST_CORNERS };

typedef struct facet {
  int v[3];    // counterclockwise seen from outside
  int next[3]; // the facet across the edge from v[k] to v[k + 1]
  double m[3]; // outward unit normal
  double h;    // its height over the origin
  bool alive, closed;
  int seen; // by the corner of this number
} facet;

typedef struct rim {
  int from, to, facet;
} rim;

typedef struct polyhedron {
  ap__corner c[MOST_CORNERS];
  int ncorner;
  facet f[MOST_FACES];
  int nfacet, free_facets, free_facet[MOST_FACES];
  int visible[MOST_FACES], nvisible;
  rim rim[MOST_FACES];
  int nrim;
  int start[MOST_CORNERS]; // the new facet whose rim starts at a corner
} polyhedron;

// Positive where p is outside of the facet. The faces of a box A are at right angles to the axes:
// equal coordinates spare the exact determinant.
static double side(const polyhedron *y, const facet *f, const double p[3]) {
  const double *u = y->c[f->v[0]].z, *v = y->c[f->v[1]].z, *w = y->c[f->v[2]].z;
  for (int k = 0; k < 3; k++)
    if (p[k] == u[k] && p[k] == v[k] && p[k] == w[k]) return 0;
  return -ap__orient(u, v, w, p);
}

static int add_facet(polyhedron *y, int a, int b, int c) {
  const int k = y->free_facets > 0 ? y->free_facet[--y->free_facets] : y->nfacet++;
  facet *f = &y->f[k];
  const ap__corner s[3] = {y->c[a], y->c[b], y->c[c]};
  double lambda[3];
  *f = (facet){.v = {a, b, c}, .alive = true, .seen = -1};
  ap__triangle_foot(s, f->m, lambda, &f->h);
  if (!(norm3(f->m) > 0)) { // too thin for a normal: its neighbours tell as much
    f->h = INFINITY;
    f->closed = true;
  }
  return k;
}

// ---- the first four points ---------------------------------------------------------------------

// The farther one of the support points along n and -n from what the polyhedron has so far.
static bool add_extreme(ap__pair *pair, polyhedron *y, const double n[3], ap__bracket *best) {
  const double back[3] = {-n[0], -n[1], -n[2]};
  ap__corner w[2];
  double far[2];
  ap__pair_try(pair, n, &w[0], best);
  ap__pair_try(pair, back, &w[1], best);
  for (int i = 0; i < 2; i++)
    far[i] = y->ncorner ? fabs(dot3(n, w[i].z) - dot3(n, y->c[0].z)) : i ? 0 : 1;
  y->c[y->ncorner++] = far[1] > far[0] ? w[1] : w[0];
  return fmax(far[0], far[1]) > 0;
}

static bool start(ap__pair *pair, polyhedron *y, ap__bracket *best) {
  double n[3], e[3], f[3], m[3];
  memcpy(n, best->n, sizeof n);
  if (!(norm3(n) > 0.5)) memcpy(n, (double[3]){0, 0, 1}, sizeof n);
  add_extreme(pair, y, n, best);
  if (!add_extreme(pair, y, n, best)) return false;
  difference3(y->c[1].z, y->c[0].z, e);
  perpendicular3(e, n);
  if (!add_extreme(pair, y, n, best)) return false;
  difference3(y->c[2].z, y->c[0].z, f);
  precise_cross3(e, f, m);
  if (!unit3(m) || !add_extreme(pair, y, m, best)) return false;
  const double volume = ap__orient(y->c[0].z, y->c[1].z, y->c[2].z, y->c[3].z);
  if (volume < 0) {
    const ap__corner c = y->c[0];
    y->c[0] = y->c[1];
    y->c[1] = c;
  }
  // 3 is below 0 1 2.
  static const int of[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const int next[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int k = 0; k < 4; k++) {
    add_facet(y, of[k][0], of[k][1], of[k][2]);
    memcpy(y->f[k].next, next[k], sizeof next[k]);
  }
  return volume != 0;
}

// ---- one point more ----------------------------------------------------------------------------

static void see(polyhedron *y, int k, int w) {
  y->f[k].seen = w;
  y->visible[y->nvisible++] = k;
}

// All facets that the newest corner sees, from one of them on, and the rim around them.
static void look(polyhedron *y, int from, int w) {
  y->nvisible = y->nrim = 0;
  see(y, from, w);
  for (int i = 0; i < y->nvisible; i++) {
    const facet *f = &y->f[y->visible[i]];
    for (int k = 0; k < 3; k++) {
      const int other = f->next[k];
      if (y->f[other].seen == w) continue;
      if (side(y, &y->f[other], y->c[w].z) > 0)
        see(y, other, w);
      else
        y->rim[y->nrim++] = (rim){f->v[k], f->v[(k + 1) % 3], other};
    }
  }
}

// A facet from each edge of the rim to the newest corner, in the place of those that it sees.
static bool close_rim(polyhedron *y, int w) {
  if (y->nfacet - y->free_facets - y->nvisible + y->nrim > MOST_FACES) return false;
  for (int i = 0; i < y->nvisible; i++) {
    y->f[y->visible[i]].alive = false;
    y->free_facet[y->free_facets++] = y->visible[i];
  }
  for (int i = 0; i < y->nrim; i++) {
    const rim r = y->rim[i];
    const int k = add_facet(y, r.from, r.to, w);
    y->f[k].next[0] = r.facet;
    y->start[r.from] = k;
    y->visible[i] = k; // the new ones, from here on
    facet *behind = &y->f[r.facet];
    for (int j = 0; j < 3; j++)
      if (behind->v[j] == r.to && behind->v[(j + 1) % 3] == r.from) behind->next[j] = k;
  }
  for (int i = 0; i < y->nrim; i++) {
    const int k = y->visible[i], next = y->start[y->f[k].v[1]];
    y->f[k].next[1] = next;
    y->f[next].next[2] = k;
  }
  return true;
}

// ---- the search --------------------------------------------------------------------------------

static int lowest(const polyhedron *y, bool open) {
  int best = -1;
  for (int k = 0; k < y->nfacet; k++)
    if (y->f[k].alive && !(open && y->f[k].closed) && (best < 0 || y->f[k].h < y->f[best].h))
      best = k;
  return best;
}

// Distance of the sum of lambda[i] s[i] from where the closest point must be.
static double offset(const ap__corner *s, const double lambda[3], int k, const ap__bracket *best) {
  double z[3];
  for (int m = 0; m < 3; m++) {
    z[m] = -best->lower * best->n[m];
    for (int i = 0; i < k; i++) z[m] += lambda[i] * s[i].z[m];
  }
  return norm3(z);
}

// The closest points: of the facets in the plane that was found, one contains the foot of the
// perpendicular from the origin.
static void find_points(const polyhedron *y, double tolerance, ap__bracket *best) {
  double least = best->k < 4 ? offset(best->s, best->lambda, best->k, best) : INFINITY;
  for (int k = 0; k < y->nfacet; k++) {
    const facet *f = &y->f[k];
    if (!f->alive || f->h > -best->lower + tolerance) continue;
    const ap__corner s[3] = {y->c[f->v[0]], y->c[f->v[1]], y->c[f->v[2]]};
    double n[3], lambda[3], h;
    ap__triangle_foot(s, n, lambda, &h);
    const double off = offset(s, lambda, 3, best);
    if (!(off < least)) continue;
    least = off;
    memcpy(best->s, s, sizeof s);
    memcpy(best->lambda, lambda, sizeof lambda);
    best->k = 3;
  }
}

void ap__penetration(ap__pair *pair, ap__bracket *best) {
  polyhedron y;
  const double small = 2e-16 * pair->size, apart = best->upper;
  const bool overlap = best->overlap;
  y.ncorner = y.nfacet = y.free_facets = 0;
  if (!start(pair, &y, best)) return;
  for (;;) {
    const int k = lowest(&y, true);
    if (k < 0 || y.f[k].h >= -best->lower - small) break;
    facet *f = &y.f[k];
    const double n[3] = {-f->m[0], -f->m[1], -f->m[2]};
    ap__corner *w = &y.c[y.ncorner];
    ap__pair_try(pair, n, w, best);
    f->closed = !(side(&y, f, w->z) > 0);
    if (f->closed) continue;
    look(&y, k, y.ncorner);
    if (y.ncorner == MOST_CORNERS - 1 || !close_rim(&y, y.ncorner)) break;
    y.ncorner++;
  }
  const int k = lowest(&y, false);
  // Inside, the gap is at most -h; outside, GJK has found points.
  best->upper = fmax(best->lower, y.f[k].h > 0 ? -y.f[k].h : overlap ? 0 : apart);
  find_points(&y, 1e-13 * pair->size + best->upper - best->lower, best);
}
