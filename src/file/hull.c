// SPDX-License-Identifier: Apache-2.0
// Convex hull by Quickhull [Barber, Dobkin, Huhdanpaa 1996]. The side of a plane on which a point
// lies is decided exactly (file/orient.h), and a point in the plane of a face is not outside of it.
// So the faces that a point sees are one piece with one rim, no new face is without area, and no
// tolerance is needed: a face that the rim's edge joins to an unseen one contains no point in line
// with that edge, because such a point would be in the seen face's plane.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/mesh_formats.h"
#include "file/orient.h"
#include "num/vec3.h"

typedef struct facet {
  int v[3];    // counterclockwise seen from outside
  int next[3]; // the facet across the edge from v[k] to v[k + 1]
  int first;   // of the points outside of it, -1: none
  int seen;    // by the point of this number; GONE: no part of the hull
} facet;

enum { GONE = -2, NOBODY = -1 };

typedef struct rim {
  int from, to, facet; // an edge, and the unseen facet behind it
} rim;

typedef struct hull {
  const double *point;
  int n;
  facet *facet;
  int nfacet, facet_capacity;
  int *below;   // [n] the next point in the list of the same facet, -1: none
  int *start;   // [n] the new facet whose rim starts at a point
  int *visible; // facets that a point sees
  int nvisible, visible_capacity;
  rim *rim;
  int nrim, rim_capacity;
  long budget; // of looks at points: a set that is made to cost more is refused
} hull;

#define HULL_BUDGET 2000000000L

static const double *at(const hull *h, int i) { return h->point + 3 * (size_t)i; }

// Positive where p is outside.
static double side(const hull *h, const facet *f, int p) {
  return -ap__orient(at(h, f->v[0]), at(h, f->v[1]), at(h, f->v[2]), at(h, p));
}

// ---- the first four points ---------------------------------------------------------------------

static double distance2(const double *a, const double *b) {
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return dot3(d, d);
}

// How far point i is from what v[0 .. k - 1] span, in a measure that only compares.
static double apart(const hull *h, const int *v, int k, int i) {
  const double *o = at(h, v[0]), *p = at(h, i);
  if (k == 1) return distance2(o, p);
  if (k == 3) return fabs(ap__orient(o, at(h, v[1]), at(h, v[2]), p));
  const double *b = at(h, v[1]), e[3] = {b[0] - o[0], b[1] - o[1], b[2] - o[2]};
  const double f[3] = {p[0] - o[0], p[1] - o[1], p[2] - o[2]};
  double c[3];
  cross3(e, f, c);
  return dot3(c, c);
}

static ap_status first_points(const hull *h, int v[4], ap_error *error) {
  static const char *const flat[] = {"at one place", "on one line", "in one plane"};
  v[0] = 0;
  for (int i = 1; i < h->n; i++)
    if (at(h, i)[0] < at(h, v[0])[0]) v[0] = i;
  for (int k = 1; k < 4; k++) {
    double best = 0;
    for (int i = 0; i < h->n; i++) {
      const double d = apart(h, v, k, i);
      if (d <= best) continue;
      best = d;
      v[k] = i;
    }
    if (best == 0)
      return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                        "all %d vertices are %s: no convex hull with a volume", h->n, flat[k - 1]);
  }
  return AP_OK;
}

// ---- facets ------------------------------------------------------------------------------------

static facet *add_facet(hull *h, int a, int b, int c) {
  facet *f = ap__append(&h->facet, &h->nfacet, &h->facet_capacity, sizeof *f);
  if (f) *f = (facet){{a, b, c}, {-1, -1, -1}, -1, NOBODY};
  return f;
}

// Put a point on the list of the first facet from `first` on that it is outside of.
static void assign(hull *h, int p, int first) {
  for (int k = first; k < h->nfacet; k++) {
    facet *f = &h->facet[k];
    h->budget--;
    if (side(h, f, p) <= 0) continue;
    h->below[p] = f->first;
    f->first = p;
    return;
  }
}

static bool start_hull(hull *h, int v[4]) {
  if (ap__orient(at(h, v[0]), at(h, v[1]), at(h, v[2]), at(h, v[3])) < 0) {
    const int t = v[0];
    v[0] = v[1];
    v[1] = t;
  }
  // v[3] is below 0 1 2.
  static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const int next[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int k = 0; k < 4; k++) {
    facet *f = add_facet(h, v[corner[k][0]], v[corner[k][1]], v[corner[k][2]]);
    if (!f) return false;
    memcpy(f->next, next[k], sizeof f->next);
  }
  for (int i = 0; i < h->n; i++) assign(h, i, 0);
  return true;
}

// ---- one point more ----------------------------------------------------------------------------

static bool see(hull *h, int facet_seen, int p) {
  int *list = ap__append(&h->visible, &h->nvisible, &h->visible_capacity, sizeof *list);
  if (list) *list = facet_seen;
  h->facet[facet_seen].seen = p;
  return list;
}

// All facets that p sees, from one of them on, and the rim around them.
static bool look(hull *h, int from, int p) {
  h->nvisible = h->nrim = 0;
  if (!see(h, from, p)) return false;
  for (int i = 0; i < h->nvisible; i++) {
    const facet f = h->facet[h->visible[i]];
    for (int k = 0; k < 3; k++) {
      const int other = f.next[k];
      if (h->facet[other].seen == p) continue;
      if (side(h, &h->facet[other], p) > 0) {
        if (!see(h, other, p)) return false;
        continue;
      }
      rim *r = ap__append(&h->rim, &h->nrim, &h->rim_capacity, sizeof *r);
      if (!r) return false;
      *r = (rim){f.v[k], f.v[(k + 1) % 3], other};
    }
  }
  return true;
}

// A facet from each edge of the rim to p.
static bool close_rim(hull *h, int p) {
  const int first = h->nfacet;
  for (int i = 0; i < h->nrim; i++) {
    const rim r = h->rim[i];
    facet *f = add_facet(h, r.from, r.to, p);
    if (!f) return false;
    f->next[0] = r.facet;
    h->start[r.from] = first + i;
    facet *behind = &h->facet[r.facet];
    for (int k = 0; k < 3; k++)
      if (behind->v[k] == r.to && behind->v[(k + 1) % 3] == r.from) behind->next[k] = first + i;
  }
  for (int i = first; i < h->nfacet; i++) {
    const int next = h->start[h->facet[i].v[1]];
    h->facet[i].next[1] = next;
    h->facet[next].next[2] = i;
  }
  return true;
}

// The points outside of facets that are gone are outside of new ones, or inside the hull.
static void hand_over(hull *h, int p, int first) {
  for (int i = 0; i < h->nvisible; i++) {
    facet *f = &h->facet[h->visible[i]];
    for (int q = f->first, next; q >= 0; q = next) {
      next = h->below[q];
      if (q != p) assign(h, q, first);
    }
    f->first = -1;
    f->seen = GONE;
  }
}

static int farthest(const hull *h, const facet *f) {
  int best = f->first;
  double most = 0;
  for (int q = f->first; q >= 0; q = h->below[q]) {
    const double d = side(h, f, q);
    if (d <= most) continue;
    most = d;
    best = q;
  }
  return best;
}

static ap_status build(hull *h, ap_error *error) {
  for (int i = 0; i < h->nfacet; i++) {
    if (h->facet[i].first < 0 || h->facet[i].seen == GONE) continue;
    const int p = farthest(h, &h->facet[i]), first = h->nfacet;
    if (!look(h, i, p) || !close_rim(h, p)) return ap__no_memory(error);
    hand_over(h, p, first);
    if (h->budget < 0)
      return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                        "a convex hull of %d vertices that takes too "
                        "long (use a coarser mesh)",
                        h->n);
  }
  return AP_OK;
}

// ---- the result --------------------------------------------------------------------------------

static bool copy_faces(const hull *h, int **face, int *nface) {
  int n = 0;
  *face = malloc(3 * (size_t)h->nfacet * sizeof **face);
  for (int i = 0; *face && i < h->nfacet; i++)
    if (h->facet[i].seen != GONE) memcpy(*face + 3 * (size_t)n++, h->facet[i].v, 3 * sizeof **face);
  *nface = n;
  return *face;
}

ap_status ap__convex_hull(const double *point, int n, int **face, int *nface, ap_error *error) {
  hull h = {.point = point, .n = n, .budget = HULL_BUDGET};
  int v[4];
  *face = NULL;
  *nface = 0;
  if (n < 4) return AP__REFUSE(error, AP_E_UNSUPPORTED, 0, "%d vertices (a hull needs four)", n);
  ap_status status = first_points(&h, v, error);
  if (status) return status;
  h.below = malloc((size_t)n * sizeof *h.below);
  h.start = malloc((size_t)n * sizeof *h.start);
  if (!h.below || !h.start || !start_hull(&h, v)) status = ap__no_memory(error);
  if (!status) status = build(&h, error);
  if (!status && !copy_faces(&h, face, nface)) status = ap__no_memory(error);
  free(h.below);
  free(h.start);
  free(h.facet);
  free(h.visible);
  free(h.rim);
  return status;
}
