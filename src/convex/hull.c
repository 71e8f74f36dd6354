// SPDX-License-Identifier: Apache-2.0
// A convex polyhedron from points: the triangles of file/hull.c, joined to faces, with edges and
// what lies beside what.

#include "convex/hull.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "convex/precise.h"
#include "file/mesh.h"

static const double flat = 1e-12; // of the size: what counts as one plane

// Triangles on their way to faces.
typedef struct mesh {
  const double *point;
  int *triangle, n; // [3 n]
  int *beside;      // [3 n] the triangle across the edge from corner k to k + 1
  int *group;       // [n] the face
  double *area;     // [n]
  double size;
} mesh;

static const double *at(const mesh *m, int t, int k) {
  return m->point + 3 * (size_t)m->triangle[3 * t + k];
}

// Normal times twice the area.
static void area_vector(const mesh *m, int t, double n[3]) {
  double e[3], f[3];
  difference3(at(m, t, 1), at(m, t, 0), e);
  difference3(at(m, t, 2), at(m, t, 0), f);
  precise_cross3(e, f, n);
}

typedef struct half_edge {
  int from, to, place; // 3 triangle + k
} half_edge;

static int by_ends(const void *p, const void *q) {
  const half_edge *a = p, *b = q;
  if (a->from != b->from) return a->from < b->from ? -1 : 1;
  return a->to < b->to ? -1 : a->to > b->to;
}

static bool find_neighbours(mesh *m) {
  const size_t n = 3 * (size_t)m->n;
  half_edge *e = malloc(n * sizeof *e);
  if (!e) return false;
  for (int i = 0; i < (int)n; i++)
    e[i] = (half_edge){m->triangle[i], m->triangle[i - i % 3 + (i + 1) % 3], i};
  qsort(e, n, sizeof *e, by_ends);
  for (int i = 0; i < (int)n; i++) {
    const half_edge other = {e[i].to, e[i].from, 0};
    const half_edge *found = bsearch(&other, e, n, sizeof *e, by_ends);
    m->beside[e[i].place] = found->place / 3; // a hull is closed
  }
  free(e);
  return true;
}

static bool in_plane(const mesh *m, int t, const double normal[3], double offset) {
  for (int k = 0; k < 3; k++)
    if (fabs(dot3(normal, at(m, t, k)) - offset) > flat * m->size) return false;
  return true;
}

static int largest_free(const mesh *m) {
  int best = -1;
  for (int t = 0; t < m->n; t++)
    if (m->group[t] < 0 && (best < 0 || m->area[t] > m->area[best])) best = t;
  return best;
}

// Faces from their largest triangles on; queue has room for all triangles.
static int join(mesh *m, hull_face *face, int *queue) {
  int faces = 0;
  for (int t; (t = largest_free(m)) >= 0; faces++) {
    hull_face *f = &face[faces];
    area_vector(m, t, f->normal);
    unit3(f->normal);
    f->offset = dot3(f->normal, at(m, t, 0));
    int n = 0;
    queue[n++] = t;
    m->group[t] = faces;
    for (int i = 0; i < n; i++)
      for (int k = 0; k < 3; k++) {
        const int other = m->beside[3 * queue[i] + k];
        if (m->group[other] >= 0 || !in_plane(m, other, f->normal, f->offset)) continue;
        m->group[other] = faces;
        queue[n++] = other;
      }
  }
  return faces;
}

// ---- the hull ----------------------------------------------------------------------------------

// Corners are the points that triangles have, in the order of the points.
static bool take_corners(ap_hull *h, mesh *m, int n) {
  int *number = calloc((size_t)n, sizeof *number);
  if (!number) return false;
  for (int i = 0; i < 3 * m->n; i++) number[m->triangle[i]] = 1;
  for (int i = 0; i < n; i++) number[i] = number[i] ? h->corners++ : -1;
  for (int k = 0; k < 3; k++) h->x[k] = malloc(((size_t)h->corners + 1) * sizeof *h->x[k]);
  h->corner = malloc(3 * ((size_t)h->corners + 1) * sizeof *h->corner);
  const bool done = h->x[0] && h->x[1] && h->x[2] && h->corner;
  for (int i = 0; done && i < n; i++)
    for (int k = 0; k < 3 && number[i] >= 0; k++)
      h->x[k][number[i]] = h->corner[3 * number[i] + k] = m->point[3 * i + k];
  for (int i = 0; i < 3 * m->n; i++) m->triangle[i] = number[m->triangle[i]];
  free(number);
  m->point = h->corner;
  return done;
}

static bool take_edges(ap_hull *h, const mesh *m) {
  h->edge = malloc(3 * (size_t)m->n * sizeof *h->edge);
  for (int i = 0; h->edge && i < 3 * m->n; i++) {
    const int a = m->triangle[i], b = m->triangle[i - i % 3 + (i + 1) % 3];
    const int f = m->group[i / 3], g = m->group[m->beside[i]];
    if (a < b && f != g) h->edge[h->edges++] = (hull_edge){{a, b}, {f, g}};
  }
  return h->edge;
}

// A list for each corner, from pairs (corner, thing), counted first.
static bool list_edges(ap_hull *h) {
  h->first_edge = calloc((size_t)h->corners + 2, sizeof *h->first_edge);
  h->edge_of = malloc((2 * (size_t)h->edges + 1) * sizeof *h->edge_of);
  if (!h->first_edge || !h->edge_of) return false;
  for (int i = 0; i < 2 * h->edges; i++) h->first_edge[h->edge[i / 2].corner[i % 2] + 2]++;
  for (int i = 0; i < h->corners; i++) h->first_edge[i + 2] += h->first_edge[i + 1];
  for (int i = 0; i < 2 * h->edges; i++)
    h->edge_of[h->first_edge[h->edge[i / 2].corner[i % 2] + 1]++] = i / 2;
  return true;
}

// Whether corner k of triangle t is the first place where its corner meets its face.
static bool first_meeting(const ap_hull *h, const mesh *m, int i, int filled) {
  for (int j = h->first_face[m->triangle[i]]; j < filled; j++)
    if (h->face_of[j] == m->group[i / 3]) return false;
  return true;
}

static bool list_faces(ap_hull *h, const mesh *m) {
  h->first_face = calloc((size_t)h->corners + 1, sizeof *h->first_face);
  h->face_of = malloc(3 * (size_t)m->n * sizeof *h->face_of);
  int *filled = calloc((size_t)h->corners, sizeof *filled);
  const bool done = h->first_face && h->face_of && filled;
  for (int i = 0; done && i < 3 * m->n; i++) h->first_face[m->triangle[i] + 1]++;
  for (int i = 0; done && i < h->corners; i++) {
    h->first_face[i + 1] += h->first_face[i];
    filled[i] = h->first_face[i];
  }
  for (int i = 0; done && i < 3 * m->n; i++) {
    const int c = m->triangle[i];
    if (first_meeting(h, m, i, filled[c])) h->face_of[filled[c]++] = m->group[i / 3];
  }
  for (int c = 0; done && c < h->corners; c++) // unused places repeat the last face
    for (int j = filled[c]; j < h->first_face[c + 1]; j++) h->face_of[j] = h->face_of[j - 1];
  free(filled);
  return done;
}

// The middle of the box around it: not the smallest sphere, but never twice as large.
static void surround(ap_hull *h) {
  for (int k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < h->corners; i++) {
      low = fmin(low, h->x[k][i]);
      high = fmax(high, h->x[k][i]);
    }
    h->centre[k] = low + (high - low) / 2;
  }
  for (int i = 0; i < h->corners; i++) {
    double d[3];
    difference3(h->corner + 3 * i, h->centre, d);
    h->reach = fmax(h->reach, norm3(d));
  }
  h->reach *= 1 + 4e-16;
}

// Of the slab between a face and the corner farthest from it; the thinnest one.
static double thickness(const ap_hull *h) {
  double thinnest = INFINITY;
  for (int f = 0; f < h->faces; f++) {
    double most = 0;
    for (int i = 0; i < h->corners; i++)
      most = fmax(most, h->face[f].offset - dot3(h->face[f].normal, h->corner + 3 * i));
    thinnest = fmin(thinnest, most);
  }
  return thinnest;
}

static ap_status build(ap_hull *h, mesh *m, int n, ap_error *error) {
  const size_t t = (size_t)m->n;
  m->beside = malloc(3 * t * sizeof *m->beside);
  m->group = malloc(t * sizeof *m->group);
  m->area = malloc(t * sizeof *m->area);
  int *queue = malloc(t * sizeof *queue);
  h->face = malloc(t * sizeof *h->face);
  bool done = m->beside && m->group && m->area && queue && h->face && take_corners(h, m, n);
  if (done && h->corners > AP_HULL_CORNERS) {
    free(queue);
    return AP__REFUSE(error, AP_E_ARG, 0, "a hull with %d corners (at most %d: use a coarser mesh)",
                      h->corners, AP_HULL_CORNERS);
  }
  done = done && find_neighbours(m);
  if (done) {
    surround(h);
    m->size = h->reach;
    for (int i = 0; i < m->n; i++) {
      double a[3];
      area_vector(m, i, a);
      m->area[i] = norm3(a);
      m->group[i] = -1;
    }
    h->faces = join(m, h->face, queue);
    done = take_edges(h, m) && list_edges(h) && list_faces(h, m);
  }
  free(queue);
  if (!done) return ap__no_memory(error);
  if (h->reach < AP_CONVEX_SMALLEST)
    return AP__REFUSE(error, AP_E_ARG, 0, "a hull of size %g m (at least %g)", h->reach,
                      AP_CONVEX_SMALLEST);
  if (thickness(h) <= flat * h->reach)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "all %d points are in one plane within %g of their size: no convex hull with "
                      "a volume",
                      n, flat);
  return AP_OK;
}

static ap_status check_points(const double *points, int n, ap_error *error) {
  if (n < 4) return AP__REFUSE(error, AP_E_ARG, 0, "%d points (a hull needs four)", n);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      const double x = points[3 * (size_t)i + (size_t)k];
      if (!(fabs(x) <= AP_CONVEX_LARGEST))
        return AP__REFUSE(error, AP_E_ARG, 0, "point %d has the coordinate %g (at most %g m)", i, x,
                          AP_CONVEX_LARGEST);
    }
  return AP_OK;
}

ap_status ap_hull_make(const double *points, int n, ap_hull **hull, ap_error *error) {
  mesh m = {.point = points};
  *hull = NULL;
  ap_status status = check_points(points, n, error);
  if (!status) status = ap__convex_hull(points, n, &m.triangle, &m.n, error);
  if (status == AP_E_UNSUPPORTED && error) error->status = AP_E_ARG;
  if (status == AP_E_UNSUPPORTED) status = AP_E_ARG;
  if (status) return status;
  ap_hull *h = calloc(1, sizeof *h);
  status = h ? build(h, &m, n, error) : ap__no_memory(error);
  if (status) {
    ap_hull_free(h);
    h = NULL;
  }
  free(m.triangle);
  free(m.beside);
  free(m.group);
  free(m.area);
  *hull = h;
  return status;
}

void ap_hull_free(ap_hull *h) {
  if (!h) return;
  for (int k = 0; k < 3; k++) free(h->x[k]);
  free(h->corner);
  free(h->edge);
  free(h->face);
  free(h->first_edge);
  free(h->edge_of);
  free(h->first_face);
  free(h->face_of);
  free(h);
}

// ---- what a caller sees ------------------------------------------------------------------------

void ap_hull_counts(const ap_hull *h, int *corners, int *edges, int *faces) {
  *corners = h->corners;
  *edges = h->edges;
  *faces = h->faces;
}

const double *ap_hull_corner(const ap_hull *h, int i) {
  return i >= 0 && i < h->corners ? h->corner + 3 * (size_t)i : NULL;
}

ap_status ap_hull_edge(const ap_hull *h, int i, int corner[2], int face[2]) {
  if (i < 0 || i >= h->edges) return AP_E_ARG;
  memcpy(corner, h->edge[i].corner, sizeof h->edge[i].corner);
  memcpy(face, h->edge[i].face, sizeof h->edge[i].face);
  return AP_OK;
}

ap_status ap_hull_face(const ap_hull *h, int i, double normal[3], double *offset) {
  if (i < 0 || i >= h->faces) return AP_E_ARG;
  memcpy(normal, h->face[i].normal, sizeof h->face[i].normal);
  *offset = h->face[i].offset;
  return AP_OK;
}
