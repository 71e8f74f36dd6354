// SPDX-License-Identifier: Apache-2.0
// Vertices, edges and faces of shapes, and the gap of two of them.

#include <math.h>
#include <string.h>

#include "convex/hull.h"
#include "convex/pair.h"
#include "convex/precise.h"

// ---- which feature -----------------------------------------------------------------------------

static ap_feature box_feature(const int *vertex, int n, const double d[3]) {
  int differ = 0, ndiffer = 0, k = 0;
  for (int i = 1; i < n; i++) differ |= vertex[i] ^ vertex[0];
  for (int i = 0; i < 3; i++) ndiffer += differ >> i & 1;
  if (ndiffer == 0) return (ap_feature){AP_VERTEX, vertex[0]};
  if (ndiffer == 1) {
    while (!(differ >> k & 1)) k++;
    return (ap_feature){
        AP_EDGE, 4 * k + (vertex[0] >> (k + 1) % 3 & 1) + 2 * (vertex[0] >> (k + 2) % 3 & 1)};
  }
  if (ndiffer == 2) {
    while (differ >> k & 1) k++;
    return (ap_feature){AP_FACE, 2 * k + (vertex[0] >> k & 1)};
  }
  for (int i = 1; i < 3; i++)
    if (fabs(d[i]) > fabs(d[k])) k = i;
  return (ap_feature){AP_FACE, 2 * k + (d[k] > 0)};
}

static bool corner_has_face(const ap_hull *h, int corner, int face) {
  for (int i = h->first_face[corner]; i < h->first_face[corner + 1]; i++)
    if (h->face_of[i] == face) return true;
  return false;
}

static ap_feature hull_feature(const ap_hull *h, const int *vertex, int n, const double d[3]) {
  if (n == 1) return (ap_feature){AP_VERTEX, vertex[0]};
  for (int i = h->first_edge[vertex[0]]; n == 2 && i < h->first_edge[vertex[0] + 1]; i++) {
    const hull_edge *e = &h->edge[h->edge_of[i]];
    if (e->corner[0] + e->corner[1] == vertex[0] + vertex[1])
      return (ap_feature){AP_EDGE, h->edge_of[i]};
  }
  for (int i = h->first_face[vertex[0]]; i < h->first_face[vertex[0] + 1]; i++) {
    const int f = h->face_of[i];
    if (corner_has_face(h, vertex[1], f) && (n < 3 || corner_has_face(h, vertex[2], f)))
      return (ap_feature){AP_FACE, f};
  }
  int best = 0;
  for (int f = 1; f < h->faces; f++)
    if (dot3(h->face[f].normal, d) > dot3(h->face[best].normal, d)) best = f;
  return (ap_feature){AP_FACE, best};
}

static ap_feature cylinder_feature(const double d[3]) {
  const double across = hypot(d[0], d[1]), parallel = 1e-9;
  if (across < parallel) return (ap_feature){AP_FACE, d[2] > 0};
  if (fabs(d[2]) < parallel) return (ap_feature){AP_FACE, 2};
  return (ap_feature){AP_EDGE, d[2] > 0};
}

ap_feature ap__feature_of(const ap_convex *s, const int *vertex, int n, const double d[3]) {
  switch (s->kind) {
    case AP_CONVEX_BOX: return box_feature(vertex, n, d);
    case AP_CONVEX_HULL: return hull_feature(s->hull, vertex, n, d);
    case AP_CONVEX_CYLINDER: return cylinder_feature(d);
    case AP_CONVEX_CAPSULE:
      return n < 2 ? (ap_feature){AP_VERTEX, vertex[0]} : (ap_feature){AP_EDGE, 0};
    case AP_CONVEX_SPHERE: break;
    case AP_CONVEX_HALF_SPACE: return (ap_feature){AP_FACE, 0};
  }
  return (ap_feature){AP_VERTEX, 0};
}

// ---- the gap of two features -------------------------------------------------------------------

// A point of a feature and, of an edge or face, its direction or normal, in the ground frame.
typedef struct line {
  double x[3], d[3];
} line;

static bool box_line(const ap_convex *s, ap_feature f, line *l) {
  const int k = f.kind == AP_EDGE ? f.index / 4 : f.index / 2;
  if (f.index < 0 || f.index >= (f.kind == AP_VERTEX ? 8 : f.kind == AP_EDGE ? 12 : 6))
    return false;
  for (int i = 0; i < 3; i++) {
    l->x[i] = f.kind == AP_VERTEX && f.index >> i & 1 ? s->half[i] : -s->half[i];
    l->d[i] = 0;
  }
  if (f.kind == AP_EDGE) {
    l->d[k] = 1;
    l->x[k] = 0;
    if (f.index & 1) l->x[(k + 1) % 3] = s->half[(k + 1) % 3];
    if (f.index & 2) l->x[(k + 2) % 3] = s->half[(k + 2) % 3];
  } else if (f.kind == AP_FACE) {
    l->d[k] = f.index & 1 ? 1 : -1;
    l->x[k] = l->d[k] * s->half[k];
  }
  return true;
}

static bool hull_line(const ap_hull *h, ap_feature f, line *l) {
  const int count = f.kind == AP_VERTEX ? h->corners : f.kind == AP_EDGE ? h->edges : h->faces;
  if (f.index < 0 || f.index >= count) return false;
  if (f.kind == AP_FACE) {
    for (int i = 0; i < 3; i++) {
      l->d[i] = h->face[f.index].normal[i];
      l->x[i] = l->d[i] * h->face[f.index].offset;
    }
    return true;
  }
  const int from = f.kind == AP_EDGE ? h->edge[f.index].corner[0] : f.index;
  memcpy(l->x, h->corner + 3 * (size_t)from, sizeof l->x);
  if (f.kind != AP_EDGE) return true;
  difference3(h->corner + 3 * (size_t)h->edge[f.index].corner[1], l->x, l->d);
  return unit3(l->d);
}

static bool shape_line(const ap_convex *s, const ap_pose *p, ap_feature f, const double origin[3],
                       line *l) {
  line in = {{0, 0, 0}, {0, 0, 1}};
  bool good = false;
  switch (s->kind) {
    case AP_CONVEX_BOX: good = box_line(s, f, &in); break;
    case AP_CONVEX_HULL: good = hull_line(s->hull, f, &in); break;
    case AP_CONVEX_CYLINDER:
      good = f.kind == AP_FACE && (f.index == 0 || f.index == 1);
      in.d[2] = f.index == 1 ? 1 : -1;
      in.x[2] = in.d[2] * s->half[2];
      break;
    case AP_CONVEX_CAPSULE:
      good = (f.kind == AP_VERTEX && (f.index == 0 || f.index == 1)) ||
             (f.kind == AP_EDGE && f.index == 0);
      if (f.kind == AP_VERTEX) in.x[2] = f.index == 1 ? s->half[2] : -s->half[2];
      break;
    case AP_CONVEX_SPHERE: good = f.kind == AP_VERTEX && f.index == 0; break;
    case AP_CONVEX_HALF_SPACE: good = f.kind == AP_FACE && f.index == 0; break;
  }
  turn3(p->R, in.d, l->d);
  turn3(p->R, in.x, l->x);
  for (int i = 0; i < 3; i++) l->x[i] += p->p[i] - origin[i];
  return good;
}

ap_status ap_feature_gap(const ap_convex *a, const ap_pose *pa, ap_feature fa, const ap_convex *b,
                         const ap_pose *pb, ap_feature fb, const double last[3], double *distance,
                         double normal[3]) {
  line la, lb;
  double n[3], d[3];
  if (!shape_line(a, pa, fa, pa->p, &la) || !shape_line(b, pb, fb, pa->p, &lb))
    return AP_E_UNSUPPORTED;
  difference3(lb.x, la.x, d);
  if (fa.kind == AP_FACE && fb.kind == AP_VERTEX) {
    memcpy(n, la.d, sizeof n);
  } else if (fa.kind == AP_VERTEX && fb.kind == AP_FACE) {
    for (int i = 0; i < 3; i++) n[i] = -lb.d[i];
  } else if (fa.kind == AP_FACE || fb.kind == AP_FACE) {
    return AP_E_UNSUPPORTED;
  } else if (fa.kind == AP_EDGE && fb.kind == AP_EDGE) {
    precise_cross3(la.d, lb.d, n);
    if (!(norm3(n) > 1e-14) || !unit3(n)) return AP_E_SINGULAR;
  } else {
    const double *along = fa.kind == AP_EDGE ? la.d : fb.kind == AP_EDGE ? lb.d : NULL;
    memcpy(n, d, sizeof n);
    for (int twice = 0; along && twice < 2; twice++) {
      const double t = dot3(n, along);
      for (int i = 0; i < 3; i++) n[i] -= t * along[i];
    }
    if (!unit3(n)) return AP_E_SINGULAR;
  }
  if (fa.kind != AP_FACE && fb.kind != AP_FACE && dot3(n, last) < 0)
    for (int i = 0; i < 3; i++) n[i] = -n[i];
  *distance = dot3(n, d) - ap__core_radius(a) - ap__core_radius(b);
  if (normal) memcpy(normal, n, sizeof n);
  return AP_OK;
}
