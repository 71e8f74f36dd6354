// SPDX-License-Identifier: Apache-2.0
// Contact points of features that are parallel: the corners of both shapes that are in their
// supporting planes, seen along the normal, are two convex polygons; the patch is what they share.

#include <math.h>
#include <string.h>

#include "convex/hull.h"
#include "convex/pair.h"
#include "convex/precise.h"

enum { MOST = 64, RIM = 16 }; // corners of a polygon; points that stand for a cylinder's rim

typedef struct polygon {
  int n;
  double x[2 * MOST + 2][2]; // counterclockwise
} polygon;

// Axes of the plane, and where it is.
typedef struct plane {
  double u[3], v[3], n[3], origin[3];
} plane;

// ---- corners in the supporting plane -----------------------------------------------------------

static int vertices(const ap_convex *s) {
  switch (s->kind) {
    case AP_CONVEX_SPHERE: return 1;
    case AP_CONVEX_CAPSULE: return 2;
    case AP_CONVEX_BOX: return 8;
    case AP_CONVEX_CYLINDER: return 2 * RIM + 2;
    case AP_CONVEX_HULL: return s->hull->corners;
    case AP_CONVEX_HALF_SPACE: break;
  }
  return 0;
}

// Vertex i of a core. Of a cylinder: points of its rims, turned so that the first ones are the
// farthest along d, then these once more.
static void vertex(const ap_convex *s, int i, const double d[3], double x[3]) {
  const double sign = i & 1 ? 1 : -1;
  x[0] = x[1] = x[2] = 0;
  switch (s->kind) {
    case AP_CONVEX_CAPSULE: x[2] = sign * s->half[2]; break;
    case AP_CONVEX_BOX:
      for (int k = 0; k < 3; k++) x[k] = i >> k & 1 ? s->half[k] : -s->half[k];
      break;
    case AP_CONVEX_CYLINDER: {
      const double start = hypot(d[0], d[1]) > 1e-12 ? atan2(d[1], d[0]) : 0;
      const double angle = start + (i / 2 % RIM) * (6.28318530717958647692 / RIM);
      x[0] = s->radius * cos(angle);
      x[1] = s->radius * sin(angle);
      x[2] = sign * s->half[2];
      break;
    }
    case AP_CONVEX_HULL: memcpy(x, s->hull->corner + 3 * (size_t)i, 3 * sizeof *x); break;
    case AP_CONVEX_SPHERE:
    case AP_CONVEX_HALF_SPACE: break;
  }
}

static double turn_of(const double a[2], const double b[2], const double c[2]) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static void put(polygon *p, const double x[2]) {
  if (p->n < 2 * MOST + 2) memcpy(p->x[p->n++], x, sizeof p->x[0]);
}

// The hull of points in the plane, by wrapping; points doubled or on an edge are left out.
static void wrap(const polygon *points, polygon *hull) {
  int first = 0, now;
  hull->n = 0;
  for (int i = 1; i < points->n; i++)
    if (points->x[i][0] < points->x[first][0] ||
        (points->x[i][0] == points->x[first][0] && points->x[i][1] < points->x[first][1]))
      first = i;
  now = first;
  do {
    const double *a = points->x[now];
    int next = -1;
    put(hull, a);
    for (int i = 0; i < points->n; i++) {
      const double *c = points->x[i];
      if (c[0] == a[0] && c[1] == a[1]) continue;
      const double *b = next < 0 ? c : points->x[next], turned = turn_of(a, b, c);
      const double near = hypot(b[0] - a[0], b[1] - a[1]), far = hypot(c[0] - a[0], c[1] - a[1]);
      if (next < 0 || turned < 0 || (turned == 0 && far > near)) next = i;
    }
    now = next;
  } while (
      now >= 0 &&
      !(points->x[now][0] == points->x[first][0] && points->x[now][1] == points->x[first][1]) &&
      hull->n < points->n);
}

// The corners within `slack` of the plane that supports a shape along `sign` n.
static void supporting_polygon(const ap_convex *s, const ap_pose *p, const plane *at, double sign,
                               double slack, polygon *out) {
  double d[3], back[3], x[3];
  polygon points = {.n = 0};
  for (int i = 0; i < 3; i++) back[i] = sign * at->n[i];
  turn_back3(p->R, back, d);
  ap__core_support(s, d, x);
  const double most = dot3(d, x);
  int found = 0, all = 0;
  for (int i = 0; i < vertices(s); i++) {
    vertex(s, i, d, x);
    all += dot3(d, x) >= most - slack;
  }
  const int every = (all + MOST - 1) / MOST; // of too many corners some: the patch lies inside
  for (int i = 0; i < vertices(s); i++) {
    double ground[3];
    vertex(s, i, d, x);
    if (!(dot3(d, x) >= most - slack) || found++ % every) continue;
    turn3(p->R, x, ground);
    for (int k = 0; k < 3; k++) ground[k] += p->p[k] - at->origin[k];
    put(&points, (double[2]){dot3(at->u, ground), dot3(at->v, ground)});
  }
  wrap(&points, out);
}

// ---- what two polygons share -------------------------------------------------------------------

// The part of p to the left of the line from a to b (Sutherland, Hodgman). A segment is cut too.
static void cut(polygon *p, const double a[2], const double b[2], double slack) {
  polygon in = *p;
  const double length = hypot(b[0] - a[0], b[1] - a[1]);
  p->n = 0;
  for (int i = 0; i < in.n; i++) {
    const double *x = in.x[i], *y = in.x[(i + 1) % in.n];
    const double hx = turn_of(a, b, x) / length, hy = turn_of(a, b, y) / length;
    if (hx >= -slack) put(p, x);
    if ((hx < -slack && hy > slack) || (hx > slack && hy < -slack)) {
      const double t = hx / (hx - hy);
      put(p, (double[2]){x[0] + t * (y[0] - x[0]), x[1] + t * (y[1] - x[1])});
    }
  }
}

// A segment ends where lines across its ends are.
static void cut_ends(polygon *p, const polygon *segment, double slack) {
  for (int i = 0; i < 2; i++) {
    const double *a = segment->x[i], *b = segment->x[1 - i];
    const double across[2] = {a[0] + b[1] - a[1], a[1] - b[0] + a[0]}; // b is to its left
    cut(p, a, across, slack);
  }
}

static void share(polygon *p, const polygon *q, double slack) {
  for (int i = 0; i < q->n && q->n >= 2; i++) cut(p, q->x[i], q->x[(i + 1) % q->n], slack);
  if (q->n == 2) cut_ends(p, q, slack);
}

// The four that span most: the two farthest apart, and the farthest on either side of their line.
static int choose(const polygon *p, int chosen[4]) {
  double most = -1, left = 0, right = 0;
  int l = -1, r = -1;
  chosen[0] = chosen[1] = 0;
  for (int i = 0; i < p->n; i++)
    for (int j = i + 1; j < p->n; j++) {
      const double d = hypot(p->x[j][0] - p->x[i][0], p->x[j][1] - p->x[i][1]);
      if (d <= most) continue;
      most = d;
      chosen[0] = i;
      chosen[1] = j;
    }
  for (int i = 0; i < p->n; i++) {
    const double h = turn_of(p->x[chosen[0]], p->x[chosen[1]], p->x[i]);
    if (h > left) l = i;
    if (h < right) r = i;
    left = fmax(left, h);
    right = fmin(right, h);
  }
  int n = 2;
  if (l >= 0) chosen[n++] = l;
  if (r >= 0) chosen[n++] = r;
  return n;
}

static void lift(const plane *at, const ap_closest *c, const double x[2], double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = at->origin[k] + x[0] * at->u[k] + x[1] * at->v[k] + c->distance / 2 * c->normal[k];
}

ap_status ap_contact_patch(const ap_convex *a, const ap_pose *pa, const ap_convex *b,
                           const ap_pose *pb, const ap_closest *closest, double tolerance,
                           ap_patch *patch) {
  plane at;
  polygon p, q, of_a;
  int chosen[4] = {0};
  if (!(tolerance >= 0) || a->kind + b->kind == 2 * AP_CONVEX_HALF_SPACE) return AP_E_ARG;
  const double size = fmin(a->reach, b->reach), slack = fmax(tolerance, 1e-15) * size;
  memcpy(at.n, closest->normal, sizeof at.n);
  memcpy(at.origin, closest->point_a, sizeof at.origin);
  perpendicular3(at.n, at.u);
  cross3(at.n, at.u, at.v);
  p.n = q.n = 0;
  if (a->kind != AP_CONVEX_HALF_SPACE) supporting_polygon(a, pa, &at, 1, slack, &p);
  if (b->kind != AP_CONVEX_HALF_SPACE) supporting_polygon(b, pb, &at, -1, slack, &q);
  of_a = p.n >= q.n ? p : q; // the one with more corners is cut by the other
  const bool both = a->kind != AP_CONVEX_HALF_SPACE && b->kind != AP_CONVEX_HALF_SPACE;
  if (both && (p.n < 2 || q.n < 2)) of_a.n = 0;
  if (both && of_a.n > 0) share(&of_a, p.n >= q.n ? &q : &p, slack);
  wrap(&of_a, &p);
  *patch = (ap_patch){.n = 1};
  if (p.n == 1) chosen[0] = 0;
  if (p.n >= 2) patch->n = choose(&p, chosen);
  const double touch[2] = {0, 0};
  for (int i = 0; i < patch->n; i++)
    lift(&at, closest, p.n >= 1 ? p.x[chosen[i]] : touch, patch->point[i]);
  return AP_OK;
}
