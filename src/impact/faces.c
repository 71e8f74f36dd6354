// SPDX-License-Identifier: Apache-2.0
#include "impact/faces.h"

#include <math.h>

#include "num/vec3.h"

// The radius at the sharp end of a cone, as a part of the other one.
static const double BLUNT = 1e-6;

static ap_face plane(double x, double y, double z, double d) {
  return (ap_face){.n = {x, y, z}, .d = d};
}

static void limit(ap_face *f, double x, double y, double z, double d, int across) {
  f->limit[f->nlimit++] = (ap_face_limit){.n = {x, y, z}, .d = d, .across = across};
}

static void round_limit(ap_face *f, double radius, int across) {
  f->limit[f->nlimit++] = (ap_face_limit){.round = radius, .across = across};
}

bool ap__faces_convex(const ap_wall *wall) {
  return !wall->inside && (wall->kind == AP_WALL_BOX || wall->kind == AP_WALL_CAPPED_CYLINDER ||
                           wall->kind == AP_WALL_CONE);
}

int ap__faces_count(const ap_wall *wall) {
  switch (wall->kind) {
    case AP_WALL_DISC:
    case AP_WALL_RECTANGLE: return 1;
    case AP_WALL_BOX: return 6;
    case AP_WALL_CAPPED_CYLINDER:
    case AP_WALL_CONE: return 3;
    case AP_WALL_STAIRS:
      return wall->count > 0 && wall->count <= AP_FACES_MOST ? 2 * wall->count : 1;
    case AP_WALL_HEIGHT_FIELD: {
      int columns = wall->count, rows = columns > 0 ? wall->npoint / columns : 0;
      if (wall->npoint > AP_FACES_MOST) return 1; // it is refused
      return columns > 1 && rows > 1 ? 2 * (columns - 1) * (rows - 1) : 1;
    }
    default: return 0;
  }
}

// ---- flat ones ---------------------------------------------------------------------------------

static void make_rectangle(const double *size, ap_face *f) {
  *f = plane(0, 0, 1, 0);
  for (int k = 0; k < 2; k++)
    for (int side = -1; side <= 1; side += 2)
      limit(f, k == 0 ? -side : 0, k == 1 ? -side : 0, 0, size[k] / 2, -1);
}

// Faces 2 k and 2 k + 1 are the lower and the upper one along axis k.
static void make_box(const ap_wall *wall, ap_face *face) {
  for (int i = 0; i < 6; i++) {
    int axis = i / 2;
    double way = i % 2 ? 1 : -1, sign = wall->inside ? -1 : 1;
    double n[3] = {0};
    n[axis] = sign * way;
    face[i] = plane(n[0], n[1], n[2], -sign * wall->size[axis] / 2);
    for (int j = 0; j < 6 && !wall->inside; j++) {
      double out = j % 2 ? 1 : -1, m[3] = {0};
      if (j / 2 == axis) continue;
      m[j / 2] = -out;
      limit(&face[i], m[0], m[1], m[2], wall->size[j / 2] / 2, j);
    }
  }
}

// ---- round ones --------------------------------------------------------------------------------

// Face 0 is the round one, 1 the lower and 2 the upper end.
static void make_round(const ap_wall *wall, ap_face *face) {
  bool cone = wall->kind == AP_WALL_CONE;
  double low = wall->size[0], length = wall->size[1], high = cone ? wall->size[2] : low;
  double from = cone ? 0 : -length / 2, to = from + length, sign = wall->inside ? -1 : 1;
  if (high == 0) high = BLUNT * low;
  double slope = (low - high) / length;
  face[0] = (ap_face){.round = fmax(low, high),
                      .radius = low + slope * from,
                      .slope = slope,
                      .least = fmin(low, high),
                      .sign = sign};
  face[1] = plane(0, 0, -sign, sign * from);
  face[2] = plane(0, 0, sign, -sign * to);
  if (wall->inside) return;
  limit(&face[0], 0, 0, 1, -from, 1);
  limit(&face[0], 0, 0, -1, to, 2);
  round_limit(&face[1], low, 0);
  round_limit(&face[2], high, 0);
}

// ---- stairs and fields -------------------------------------------------------------------------

// Step i rises at x = i run from i rise to (i + 1) rise; faces 2 i and 2 i + 1 are its riser and
// its tread. The height is u_1, as of a profile; the first riser goes down and the last tread on
// without end.
static void make_stairs(const ap_wall *wall, ap_face *face) {
  double rise = wall->size[0], run = wall->size[1];
  for (int i = 0; i < wall->count; i++) {
    ap_face *riser = &face[2 * i], *tread = &face[2 * i + 1];
    *riser = plane(-1, 0, 0, i * run);
    if (i > 0) limit(riser, 0, 1, 0, -i * rise, -1);
    limit(riser, 0, -1, 0, (i + 1) * rise, 2 * i + 1);
    *tread = plane(0, 1, 0, -(i + 1) * rise);
    limit(tread, 1, 0, 0, -i * run, 2 * i);
    if (i + 1 < wall->count) limit(tread, -1, 0, 0, (i + 1) * run, -1);
  }
}

// The corner of a height field at column i and row j.
static void corner(const ap_wall *wall, const double *heights, int i, int j, double u[3]) {
  u[0] = i * wall->size[0];
  u[1] = j * wall->size[1];
  u[2] = heights[(size_t)j * (size_t)wall->count + (size_t)i];
}

// The face through three corners, counter-clockwise seen from above, with its limits straight up.
static void make_triangle(const double a[3], const double b[3], const double c[3],
                          const int across[3], ap_face *f) {
  const double *at[4] = {a, b, c, a};
  double ab[3], ac[3], n[3];
  for (int k = 0; k < 3; k++) ab[k] = b[k] - a[k], ac[k] = c[k] - a[k];
  cross3(ab, ac, n);
  double length = norm3(n);
  *f = plane(n[0] / length, n[1] / length, n[2] / length, -dot3(n, a) / length);
  for (int k = 0; k < 3; k++) {
    double dx = at[k + 1][0] - at[k][0], dy = at[k + 1][1] - at[k][1], size = hypot(dx, dy);
    double m[3] = {-dy / size, dx / size, 0};
    limit(f, m[0], m[1], m[2], -(m[0] * at[k][0] + m[1] * at[k][1]), across[k]);
  }
}

// Each cell is cut from its corner (0, 0) to (1, 1): faces 2 c below that line and 2 c + 1 above
// it.
static void make_field(const ap_wall *wall, const double *heights, ap_face *face) {
  int columns = wall->count - 1, rows = wall->npoint / wall->count - 1;
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < columns; i++) {
      int c = 2 * (j * columns + i);
      double u[4][3];
      for (int k = 0; k < 4; k++) corner(wall, heights, i + k % 2, j + k / 2, u[k]);
      make_triangle(u[0], u[1], u[3],
                    (int[3]){j > 0 ? c - 2 * columns + 1 : -1, i + 1 < columns ? c + 3 : -1, c + 1},
                    &face[c]);
      make_triangle(u[0], u[3], u[2],
                    (int[3]){c, j + 1 < rows ? c + 2 * columns : -1, i > 0 ? c - 2 : -1},
                    &face[c + 1]);
    }
  // Where the next face rises in front, both stand by themselves.
  for (int k = 0; k < 2 * rows * columns; k++)
    for (int l = 0; l < 3; l++) {
      ap_face_limit *end = &face[k].limit[l];
      if (end->across < 0) continue;
      const ap_face *next = &face[end->across];
      double into[3] = {-end->n[0], -end->n[1], 0}; // over the edge
      double own = -dot3(face[k].n, into) / face[k].n[2], other = -dot3(next->n, into) / next->n[2];
      if (other > own) end->across = -1;
    }
}

void ap__faces_make(const ap_wall *wall, const double *heights, ap_face *face) {
  switch (wall->kind) {
    case AP_WALL_DISC:
      *face = plane(0, 0, 1, 0);
      round_limit(face, wall->size[0], -1);
      break;
    case AP_WALL_RECTANGLE: make_rectangle(wall->size, face); break;
    case AP_WALL_BOX: make_box(wall, face); break;
    case AP_WALL_STAIRS: make_stairs(wall, face); break;
    case AP_WALL_HEIGHT_FIELD: make_field(wall, heights, face); break;
    default: make_round(wall, face); break;
  }
}

// ---- values ------------------------------------------------------------------------------------

static int entry(int i, int j) { return i * (5 - i) / 2 + j; }

static void tube_value(const ap_face *f, const double u[3], ap_gap *gap) {
  double r[3], side[3];
  for (int k = 0; k < 3; k++) r[k] = u[k] - f->c[k];
  double along = dot3(f->n, r);
  for (int k = 0; k < 3; k++) side[k] = r[k] - along * f->n[k];
  double rho = norm3(side);
  *gap = (ap_gap){.c = (rho - f->tube) * (rho + f->tube) / (2 * f->tube)};
  for (int i = 0; i < 3; i++) {
    gap->gradient[i] = side[i] / f->tube;
    for (int j = i; j < 3; j++)
      gap->hessian[entry(i, j)] = ((i == j) - f->n[i] * f->n[j]) / f->tube;
  }
}

// On the axis there is no gradient along the ring; the face is not there.
static void ring_value(const ap_face *f, const double u[3], ap_gap *gap) {
  double rho = hypot(u[0], u[1]), off = rho - f->ring, up = u[2] - f->c[2], r = f->tube;
  double x = rho > 0 ? u[0] / rho : 0, y = rho > 0 ? u[1] / rho : 0;
  double bend = rho > 0 ? off / rho : 0, far = hypot(off, up);
  *gap = (ap_gap){.c = (far - r) * (far + r) / (2 * r),
                  .gradient = {off * x / r, off * y / r, up / r},
                  .hessian = {(x * x + bend * y * y) / r, (1 - bend) * x * y / r, 0,
                              (y * y + bend * x * x) / r, 0, 1 / r}};
}

void ap__face_value(const ap_face *f, const double u[3], ap_gap *gap) {
  if (f->ring > 0) {
    ring_value(f, u, gap);
    return;
  }
  if (f->tube > 0) {
    tube_value(f, u, gap);
    return;
  }
  if (!(f->round > 0)) {
    *gap = (ap_gap){.c = dot3(f->n, u) + f->d, .gradient = {f->n[0], f->n[1], f->n[2]}};
    return;
  }
  double l = f->radius - f->slope * u[2], rho = sqrt(u[0] * u[0] + u[1] * u[1]);
  double scale = f->sign / (f->round * sqrt(1 + f->slope * f->slope));
  *gap = (ap_gap){.c = scale / 2 * (rho - l) * (rho + l),
                  .gradient = {scale * u[0], scale * u[1], scale * f->slope * l},
                  .hessian = {scale, 0, 0, scale, 0, -scale * f->slope * f->slope}};
}

static double limit_value(const ap_face_limit *l, const double u[3]) {
  if (!(l->round > 0)) return dot3(l->n, u) + l->d;
  double rho = sqrt(u[0] * u[0] + u[1] * u[1]);
  return (l->outer ? -1 : 1) * (l->round - rho) * (l->round + rho) / (2 * l->round);
}

double ap__face_within(const ap_face *f, const double u[3]) {
  double least = INFINITY;
  for (int k = 0; k < f->nlimit; k++) least = fmin(least, limit_value(ap__face_limit(f, k), u));
  return least;
}

// The larger of |F| and how far the point is beyond an end.
static void sheet_gap(const ap_face *f, const double u[3], ap_gap *gap) {
  double beyond = -ap__face_within(f, u), side;
  ap__face_value(f, u, gap);
  side = gap->c < 0 ? -1 : 1;
  gap->c = fmax(fabs(gap->c), beyond);
  for (int k = 0; k < 3; k++) gap->gradient[k] *= side;
}

// The least over the steps, each of which reaches down and on without end.
static void stairs_gap(const ap_wall *wall, const double u[3], ap_gap *gap) {
  for (int i = 0; i < wall->count; i++) {
    double riser = i * wall->size[1] - u[0], tread = u[1] - (i + 1) * wall->size[0];
    double c = fmax(riser, tread);
    if (i > 0 && c >= gap->c) continue;
    *gap = (ap_gap){.c = c, .gradient = {riser > tread ? -1 : 0, riser > tread ? 0 : 1, 0}};
  }
}

// The height above the field, or how far the point is beyond its edges.
static void field_gap(const ap_wall *wall, const ap_face *face, const double u[3], ap_gap *gap) {
  int columns = wall->count - 1, rows = wall->npoint / wall->count - 1;
  double x = u[0] / wall->size[0], y = u[1] / wall->size[1];
  double beyond =
      fmax(fmax(-u[0], u[0] - columns * wall->size[0]), fmax(-u[1], u[1] - rows * wall->size[1]));
  int i = (int)fmax(0, fmin(columns - 1, floor(x))), j = (int)fmax(0, fmin(rows - 1, floor(y)));
  ap__face_value(&face[2 * (j * columns + i) + (y - j > x - i)], u, gap);
  gap->c = beyond > 0 ? fmax(beyond, gap->c) : gap->c;
}

void ap__faces_gap(const ap_wall *wall, const ap_face *face, const double u[3], ap_gap *gap) {
  if (wall->kind == AP_WALL_DISC || wall->kind == AP_WALL_RECTANGLE) {
    sheet_gap(face, u, gap);
  } else if (wall->kind == AP_WALL_STAIRS) {
    stairs_gap(wall, u, gap);
  } else if (wall->kind == AP_WALL_HEIGHT_FIELD) {
    field_gap(wall, face, u, gap);
  } else {
    for (int i = 0; i < ap__faces_count(wall); i++) {
      ap_gap one;
      ap__face_value(&face[i], u, &one);
      if (i == 0 || (wall->inside ? one.c < gap->c : one.c > gap->c)) *gap = one;
    }
  }
}
