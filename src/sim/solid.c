// SPDX-License-Identifier: Apache-2.0
#include "sim/solid.h"

#include <math.h>
#include <string.h>

#include "num/vec3.h"

bool ap__solid_takes(const ap_convex *shape) {
  return shape->kind == AP_CONVEX_SPHERE || shape->kind == AP_CONVEX_CAPSULE ||
         shape->kind == AP_CONVEX_BOX || shape->kind == AP_CONVEX_HULL ||
         shape->kind == AP_CONVEX_CYLINDER;
}

// ---- making ------------------------------------------------------------------------------------

static void count(const ap_convex *shape, ap_solid *s) {
  *s = (ap_solid){.ncorner = 1};
  if (shape->kind == AP_CONVEX_CAPSULE && shape->half[2] > 0) s->ncorner = 2, s->nedge = 1;
  if (shape->kind == AP_CONVEX_BOX) s->ncorner = 8, s->nedge = 12, s->nface = 6;
  if (shape->kind == AP_CONVEX_HULL) ap_hull_counts(shape->hull, &s->ncorner, &s->nedge, &s->nface);
  if (shape->kind == AP_CONVEX_CYLINDER) {
    s->ncorner = 2 * AP__RIM_POINTS;
    s->ring = shape->radius;
    s->tall = 2 * shape->half[2];
  }
  if (shape->kind == AP_CONVEX_SPHERE || shape->kind == AP_CONVEX_CAPSULE)
    s->radius = shape->radius;
}

// Corners, edges and faces as of ap_feature.
static void fill_box(const ap_convex *shape, ap_solid *s) {
  const double *half = shape->half;
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) s->corner[i][k] = (i >> k & 1 ? 1 : -1) * half[k];
  for (int i = 0; i < 6; i++) {
    s->face[i] = (solid_face){.offset = half[i / 2]};
    s->face[i].n[i / 2] = i % 2 ? 1 : -1;
  }
  for (int i = 0; i < 12; i++) {
    int k = i / 4, a = (k + 1) % 3, b = (k + 2) % 3, low = (i & 1) << a | (i >> 1 & 1) << b;
    s->edge[i] = (solid_edge){.corner = {low, low | 1 << k},
                              .face = {2 * a + (i & 1), 2 * b + (i >> 1 & 1)}};
  }
}

static void fill_hull(const ap_convex *shape, ap_solid *s) {
  for (int i = 0; i < s->ncorner; i++)
    memcpy(s->corner[i], ap_hull_corner(shape->hull, i), sizeof s->corner[i]);
  for (int i = 0; i < s->nface; i++) ap_hull_face(shape->hull, i, s->face[i].n, &s->face[i].offset);
  for (int i = 0; i < s->nedge; i++)
    ap_hull_edge(shape->hull, i, s->edge[i].corner, s->edge[i].face);
}

// Corners at equal angles, from x on.
static void fill_cylinder(const ap_convex *shape, ap_solid *s) {
  for (int i = 0; i < 2; i++) {
    s->rim[i][2] = (i ? 1 : -1) * shape->half[2];
    for (int k = 0; k < AP__RIM_POINTS; k++) {
      double angle = 2 * 3.14159265358979323846 / AP__RIM_POINTS * k;
      double *c = s->corner[AP__RIM_POINTS * i + k];
      c[0] = shape->radius * cos(angle), c[1] = shape->radius * sin(angle);
      c[2] = s->rim[i][2];
    }
  }
  s->axis[2] = 1;
}

static void turn(const double R[9], const double x[3], double out[3]) {
  double y[3] = {dot3(R, x), dot3(R + 3, x), dot3(R + 6, x)};
  memcpy(out, y, sizeof y);
}

// Directions of an edge, corners and faces being in place.
static void finish_edge(ap_solid *s, solid_edge *e) {
  const double *a = s->corner[e->corner[0]], *b = s->corner[e->corner[1]];
  for (int k = 0; k < 3; k++) e->d[k] = b[k] - a[k];
  e->length = norm3(e->d);
  for (int k = 0; k < 3; k++) e->d[k] /= e->length;
  for (int side = 0; side < 2 && s->face && e->face[0] >= 0; side++) {
    const double *n = s->face[e->face[side]].n, *other = s->face[e->face[1 - side]].n;
    double part = dot3(n, other), *in = e->inward[side]; // the other normal points out of the face
    for (int k = 0; k < 3; k++) in[k] = part * n[k] - other[k];
    double along = dot3(in, e->d);
    for (int k = 0; k < 3; k++) in[k] -= along * e->d[k];
    double length = norm3(in);
    for (int k = 0; k < 3; k++) in[k] /= length;
  }
}

void ap__solid_make(ap_arena *a, const ap_convex *shape, const double R[9], const double p[3],
                    ap_solid *s) {
  count(shape, s);
  s->corner = (double(*)[3])AP_TAKE(a, double, 3 * (size_t)s->ncorner);
  s->edge = AP_TAKE(a, solid_edge, s->nedge);
  s->face = AP_TAKE(a, solid_face, s->nface);
  if (!a->base || !s->corner) return;
  memset(s->corner[0], 0, sizeof s->corner[0]);
  if (s->ncorner == 2) {
    const double ends[2][3] = {{0, 0, -shape->half[2]}, {0, 0, shape->half[2]}};
    memcpy(s->corner, ends, sizeof ends);
    s->edge[0] = (solid_edge){.corner = {0, 1}, .face = {-1, -1}};
  }
  if (shape->kind == AP_CONVEX_BOX) fill_box(shape, s);
  if (shape->kind == AP_CONVEX_HULL) fill_hull(shape, s);
  if (shape->kind == AP_CONVEX_CYLINDER) fill_cylinder(shape, s);
  for (int i = 0; i < 2; i++) {
    turn(R, s->rim[i], s->rim[i]);
    for (int k = 0; k < 3; k++) s->rim[i][k] += p[k];
  }
  turn(R, s->axis, s->axis);
  for (int i = 0; i < s->ncorner; i++) {
    turn(R, s->corner[i], s->corner[i]);
    for (int k = 0; k < 3; k++) s->corner[i][k] += p[k];
  }
  for (int i = 0; i < s->nface && s->face; i++) {
    turn(R, s->face[i].n, s->face[i].n);
    s->face[i].offset += dot3(s->face[i].n, p);
  }
  for (int i = 0; i < s->nedge; i++) finish_edge(s, &s->edge[i]);
  turn(R, shape->centre, s->centre);
  for (int k = 0; k < 3; k++) s->centre[k] += p[k];
  s->reach = shape->reach;
}

// ---- surface -----------------------------------------------------------------------------------

// Fills the limits of faces one after the other.
typedef struct limits {
  ap_face_limit *next;
} limits;

static void open_face(limits *l, ap_face *f) { f->many = l->next, f->nlimit = 0; }

// G = n . (x - at); across: the face of a sheet that begins there, -1 if none, or all are one solid
static void limit(limits *l, ap_face *f, const double n[3], double sign, const double at[3],
                  int across) {
  if (!l->next) return; // there are no edges
  *l->next++ = (ap_face_limit){
      .n = {sign * n[0], sign * n[1], sign * n[2]}, .d = -sign * dot3(n, at), .across = across};
  f->nlimit++;
}

// The face of a sheet that begins at edge k, seen from its face on one side: the tube around it, or
// the next face where there is none.
static int next_face(const ap_solid *s, int k, int side, double radius) {
  const solid_edge *e = &s->edge[k];
  if (!s->sheet || !e->convex) return -1;
  return radius > 0 && !e->flat ? s->nface + k : e->face[1 - side];
}

static void flat_face(const ap_solid *s, int i, double radius, limits *l, ap_face *f) {
  const solid_face *own = &s->face[i];
  *f = (ap_face){.n = {own->n[0], own->n[1], own->n[2]}, .d = -own->offset - radius};
  open_face(l, f);
  for (int k = 0; k < s->nedge; k++) {
    const solid_edge *e = &s->edge[k];
    for (int side = 0; side < 2; side++)
      if (e->face[side] == i)
        limit(l, f, e->inward[side], 1, s->corner[e->corner[0]], next_face(s, k, side, radius));
  }
}

static void tube_face(const ap_solid *s, const solid_edge *e, double radius, limits *l,
                      ap_face *f) {
  const double *a = s->corner[e->corner[0]], *b = s->corner[e->corner[1]];
  *f = (ap_face){.tube = radius, .n = {e->d[0], e->d[1], e->d[2]}, .c = {a[0], a[1], a[2]}};
  open_face(l, f);
  if (!e->endless) {
    limit(l, f, e->d, 1, a, -1);
    limit(l, f, e->d, -1, b, -1);
  }
  bool faces = e->face[0] >= 0 || e->face[1] >= 0;
  for (int side = 0; side < 2 && faces; side++)
    limit(l, f, e->inward[side], -1, a, s->sheet ? e->face[side] : -1);
}

static void ball_face(const ap_solid *s, int corner, double radius, limits *l, ap_face *f) {
  const double *c = s->corner[corner];
  *f = (ap_face){.tube = radius, .c = {c[0], c[1], c[2]}};
  open_face(l, f);
  for (int k = 0; k < s->nedge; k++)
    for (int end = 0; end < 2; end++)
      if (s->edge[k].corner[end] == corner) limit(l, f, s->edge[k].d, end ? 1 : -1, c, -1);
  double size = norm3(s->up);
  const double up[3] = {s->up[0] / size, s->up[1] / size, s->up[2] / size};
  if (s->sheet) limit(l, f, up, 1, c, -1);
}

int ap__solid_faces(const ap_solid *s, double more, bool balls) {
  return s->nface + (s->radius + more > 0 ? s->nedge + (balls ? s->ncorner : 0) : 0);
}

ap_surface *ap__solid_surface(ap_arena *a, const ap_solid *s, double more, bool balls) {
  double radius = s->radius + more;
  int faces = ap__solid_faces(s, more, balls);
  ap_surface *surface = AP_TAKE(a, ap_surface, 1);
  ap_face *face = AP_TAKE(a, ap_face, faces);
  ap_face_limit *all = AP_TAKE(a, ap_face_limit, 8 * (size_t)s->nedge + (size_t)s->ncorner);
  if (!surface || !face) return NULL;
  *surface = (ap_surface){.wall = ap_default_wall(),
                          .frame = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                          .sign = 1,
                          .face = face,
                          .nface = faces,
                          .convex = !s->sheet};
  surface->wall.kind = AP_WALL_BOX;
  limits l = {all};
  for (int i = 0; i < s->nface; i++) flat_face(s, i, radius, &l, face++);
  for (int i = 0; i < s->nedge && radius > 0; i++) tube_face(s, &s->edge[i], radius, &l, face++);
  for (int i = 0; i < s->ncorner && radius > 0 && balls; i++) ball_face(s, i, radius, &l, face++);
  return surface;
}

bool ap__solid_supports(const ap_solid *s, int corner, const double n[3], double within) {
  if (s->sheet && dot3(s->up, n) > within) return false;
  for (int k = 0; k < s->nedge; k++) {
    const solid_edge *e = &s->edge[k];
    double rise = e->length * dot3(e->d, n);
    if ((e->corner[0] == corner && rise < -within) || (e->corner[1] == corner && rise > within))
      return false;
  }
  return true;
}
