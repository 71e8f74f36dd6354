// SPDX-License-Identifier: Apache-2.0
#include "sim/terrain.h"

#include <math.h>
#include <string.h>

#include "num/vec3.h"

bool ap__terrain_is(const ap_wall *w) {
  return w->kind == AP_WALL_STAIRS || w->kind == AP_WALL_HEIGHT_FIELD ||
         w->kind == AP_WALL_RECTANGLE;
}

static int columns_of(const ap_wall *w) { return w->count - 1; }
static int rows_of(const ap_wall *w) { return w->npoint / w->count - 1; }

static void count(const ap_wall *w, ap_solid *s, int *places) {
  *s = (ap_solid){.sheet = true, .reach = AP_CONVEX_LARGEST};
  *places = 0;
  if (w->kind == AP_WALL_RECTANGLE) {
    s->ncorner = s->nedge = *places = 4;
    s->nface = 1;
    return;
  }
  if (ap__faces_count(w) < 2) return; // it will be refused
  if (w->kind == AP_WALL_STAIRS) {
    s->nface = 2 * w->count;
    s->nedge = 2 * w->count - 1;
    *places = 2 * s->nedge; // edges without ends have no corners, but two places each
    return;
  }
  int columns = columns_of(w), rows = rows_of(w);
  s->ncorner = *places = w->npoint;
  s->nface = 2 * columns * rows;
  s->nedge = columns * (rows + 1) + rows * (columns + 1) + columns * rows;
}

// From the wall's frame to the world.
static void turn(const ap_surface *surface, const double u[3], double world[3]) {
  for (int k = 0; k < 3; k++)
    world[k] =
        u[0] * surface->frame[0][k] + u[1] * surface->frame[1][k] + u[2] * surface->frame[2][k];
}

static void place(const ap_surface *surface, const double u[3], double world[3]) {
  turn(surface, u, world);
  for (int k = 0; k < 3; k++) world[k] += surface->wall.centre[k];
}

// The direction in a face, across an edge, that points into it; `into` is any that does.
static void set_inward(const ap_solid *s, solid_edge *e, int side, const double into[3]) {
  const double *n = s->face[e->face[side]].n;
  double *in = e->inward[side];
  cross3(n, e->d, in);
  double length = norm3(in), sign = dot3(in, into) < 0 ? -1 : 1;
  for (int k = 0; k < 3; k++) in[k] *= sign / length;
}

// It is a ridge, or flat, if the one face leads down from the plane of the other.
static void set_convex(const ap_solid *s, solid_edge *e) {
  double rise = dot3(s->face[e->face[1]].n, e->inward[0]);
  e->flat = fabs(rise) <= 1e-12;
  e->convex = e->flat || rise < 0;
}

static void set_direction(const ap_solid *s, solid_edge *e) {
  const double *a = s->corner[e->corner[0]], *b = s->corner[e->corner[1]];
  for (int k = 0; k < 3; k++) e->d[k] = b[k] - a[k];
  e->length = norm3(e->d);
  for (int k = 0; k < 3; k++) e->d[k] /= e->length;
}

// ---- stairs ------------------------------------------------------------------------------------

// Face 2 i is the riser of step i, 2 i + 1 its tread; edge j is between faces j and j + 1: the
// front of a step where j is even, the foot of the next one where it is odd.
static void make_stairs(const ap_surface *surface, ap_solid *s) {
  const ap_wall *w = &surface->wall;
  double rise = w->size[0], run = w->size[1];
  for (int i = 0; i < s->nface; i++) {
    const double u[3] = {i % 2 ? 0 : -1, i % 2 ? 1 : 0, 0};
    const int step = i / 2;
    const double at[3] = {step * run, (step + 1) * rise, 0};
    double p[3];
    turn(surface, u, s->face[i].n);
    place(surface, at, p);
    s->face[i].offset = dot3(s->face[i].n, p);
  }
  for (int j = 0; j < s->nedge; j++) {
    solid_edge *e = &s->edge[j];
    const int along = (j + 1) / 2, up = j / 2 + 1;
    double u[3] = {along * run, up * rise, 0}, into[2][3];
    *e = (solid_edge){.corner = {2 * j, 2 * j + 1}, .face = {j, j + 1}, .endless = true};
    place(surface, u, s->corner[2 * j]);
    u[2] = run;
    place(surface, u, s->corner[2 * j + 1]);
    set_direction(s, e);
    const double down[3] = {0, j % 2 ? 1 : -1, 0}, on[3] = {j % 2 ? -1 : 1, 0, 0};
    turn(surface, j % 2 ? on : down, into[0]);
    turn(surface, j % 2 ? down : on, into[1]);
    for (int side = 0; side < 2; side++) set_inward(s, e, side, into[side]);
    set_convex(s, e);
  }
}

// ---- height fields and rectangles --------------------------------------------------------------

// The edge between two corners of the grid and the faces on its left and its right; -1: the sheet
// ends there, and a wall goes down.
static void field_edge(const ap_surface *surface, ap_solid *s, int i, int a, int b, int left,
                       int right) {
  solid_edge *e = &s->edge[i];
  double up[3], to_left[3];
  const double axis[3] = {0, 0, 1};
  *e = (solid_edge){.corner = {a, b}, .face = {left, right}};
  set_direction(s, e);
  turn(surface, axis, up);
  cross3(up, e->d, to_left);
  for (int side = 0; side < 2; side++) {
    double into[3];
    for (int k = 0; k < 3; k++) into[k] = side ? -to_left[k] : to_left[k];
    if (e->face[side] >= 0) {
      set_inward(s, e, side, into);
      continue;
    }
    double along = dot3(up, e->d), size = 0; // down, across the edge
    for (int k = 0; k < 3; k++) e->inward[side][k] = along * e->d[k] - up[k];
    size = norm3(e->inward[side]);
    for (int k = 0; k < 3; k++) e->inward[side][k] /= size;
  }
  e->convex = true;
  if (left >= 0 && right >= 0) set_convex(s, e);
}

static void make_field(const ap_surface *surface, ap_solid *s) {
  const ap_wall *w = &surface->wall;
  int columns = columns_of(w), rows = rows_of(w), n = 0;
  for (int i = 0; i < w->npoint; i++) {
    const int column = i % w->count, row = i / w->count;
    const double u[3] = {column * w->size[0], row * w->size[1], w->points[i]};
    place(surface, u, s->corner[i]);
  }
  for (int i = 0; i < s->nface; i++) {
    const ap_face *face = &surface->face[i];
    double at[3];
    turn(surface, face->n, s->face[i].n);
    int cell = i / 2, corner = (cell / columns) * w->count + cell % columns;
    memcpy(at, s->corner[corner], sizeof at);
    s->face[i].offset = dot3(s->face[i].n, at);
  }
  for (int j = 0; j <= rows; j++)
    for (int i = 0; i <= columns; i++) { // cell (i, j): faces c below its diagonal, c + 1 above
      int a = j * w->count + i, c = 2 * (j * columns + i), below = c - 2 * columns;
      if (i < columns)
        field_edge(surface, s, n++, a, a + 1, j < rows ? c : -1, j > 0 ? below + 1 : -1);
      if (j < rows)
        field_edge(surface, s, n++, a, a + w->count, i > 0 ? c - 2 : -1, i < columns ? c + 1 : -1);
      if (i < columns && j < rows) field_edge(surface, s, n++, a, a + w->count + 1, c + 1, c);
    }
}

// Corners counter-clockwise, seen from the front.
static void make_rectangle(const ap_surface *surface, ap_solid *s) {
  const double *size = surface->wall.size, axis[3] = {0, 0, 1};
  double square = 0;
  for (int i = 0; i < 4; i++) {
    const double u[3] = {(i == 1 || i == 2 ? 0.5 : -0.5) * size[0], (i > 1 ? 0.5 : -0.5) * size[1],
                         0};
    place(surface, u, s->corner[i]);
  }
  turn(surface, axis, s->face[0].n);
  s->face[0].offset = dot3(s->face[0].n, surface->wall.centre);
  for (int i = 0; i < 4; i++) field_edge(surface, s, i, i, (i + 1) % 4, 0, -1);
  for (int k = 0; k < 2; k++) square += size[k] * size[k] / 4;
  s->reach = sqrt(square);
}

void ap__terrain_make(ap_arena *a, const ap_wall *wall, const ap_surface *surface, ap_solid *s) {
  int places;
  count(wall, s, &places);
  s->corner = (double(*)[3])AP_TAKE(a, double, 3 * (size_t)places);
  s->edge = AP_TAKE(a, solid_edge, s->nedge);
  s->face = AP_TAKE(a, solid_face, s->nface);
  if (!s->corner || !s->edge || !s->face || !surface) return; // sizes alone
  memcpy(s->centre, wall->centre, sizeof s->centre);
  if (wall->kind == AP_WALL_STAIRS)
    make_stairs(surface, s);
  else if (wall->kind == AP_WALL_RECTANGLE)
    make_rectangle(surface, s);
  else
    make_field(surface, s);
  const double axis[3] = {0, 0, s->edge[0].length};
  turn(surface, axis, s->up);
}

// ---- the start ---------------------------------------------------------------------------------

// A rectangle is this thick where a shape may start on either side of it, m.
static const double THIN = 1e-12;

// A convex part of it, which reaches `deep` down and, where it has no end, so far.
static ap_status part(const ap_wall *w, int i, double deep, ap_convex *shape, ap_pose *at,
                      ap_hull **hull) {
  *at = ap_pose_identity();
  if (w->kind == AP_WALL_RECTANGLE) {
    const double sides[3] = {w->size[0], w->size[1], THIN};
    at->p[2] = -THIN / 2;
    return ap_convex_box(sides, shape, NULL);
  }
  if (w->kind == AP_WALL_STAIRS) {
    const double sides[3] = {deep, deep, 2 * deep};
    at->p[0] = i * w->size[1] + deep / 2;
    at->p[1] = (i + 1) * w->size[0] - deep / 2;
    return ap_convex_box(sides, shape, NULL);
  }
  int cell = i / 2, columns = columns_of(w), first = (cell / columns) * w->count + cell % columns;
  const int corner[3] = {first, first + w->count + 1, i % 2 ? first + w->count : first + 1};
  double p[6][3], lowest = INFINITY;
  for (int k = 0; k < w->npoint; k++) lowest = fmin(lowest, w->points[k]);
  for (int k = 0; k < 6; k++) {
    int c = corner[k % 3], column = c % w->count, row = c / w->count;
    p[k][0] = column * w->size[0];
    p[k][1] = row * w->size[1];
    p[k][2] = k < 3 ? w->points[c] : lowest - deep;
  }
  ap_status status = ap_hull_make(p[0], 6, hull, NULL);
  if (!status) *shape = ap_convex_of_hull(*hull);
  return status;
}

ap_status ap__terrain_distance(const ap_surface *surface, const ap_pose *wall,
                               const ap_convex *shape, const ap_pose *pose, double *distance) {
  const ap_wall *w = &surface->wall;
  int parts = w->kind == AP_WALL_STAIRS      ? w->count
              : w->kind == AP_WALL_RECTANGLE ? 1
                                             : 2 * columns_of(w) * rows_of(w);
  double off[3];
  for (int k = 0; k < 3; k++) off[k] = pose->p[k] - wall->p[k];
  double deep = 4 * (shape->reach + norm3(off) + (w->size[0] + w->size[1]) * (w->count + 1));
  ap_status status = AP_OK;
  *distance = INFINITY;
  for (int i = 0; i < parts && !status; i++) {
    ap_convex own;
    ap_pose at, whole;
    ap_hull *hull = NULL;
    ap_closest closest;
    status = part(w, i, deep, &own, &at, &hull);
    whole = ap_pose_compose(wall, &at);
    if (!status) status = ap_convex_distance(shape, pose, &own, &whole, &closest);
    if (!status) *distance = fmin(*distance, closest.distance);
    ap_hull_free(hull);
  }
  return status;
}
