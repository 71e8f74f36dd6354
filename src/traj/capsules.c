// SPDX-License-Identifier: Apache-2.0
// Capsules that enclose the links of a robot: from its shapes, its meshes, or its joints.

#include <appell/clearance.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/mesh.h"
#include "file/robot.h"
#include "model/pack.h"
#include "num/rpy.h"
#include "num/vec3.h"

enum { MOST_SLICES = 4, STEPS = 32 };
static const double pi = 3.14159265358979323846;
// Rounding must not let a corner stand out.
static const double rounding = 1e-9;

typedef struct capsules {
  ap_capsule *capsule;
  int n, capacity;
} capsules;

static bool add(capsules *list, const ap_capsule *c) {
  ap_capsule *to = ap__append(&list->capsule, &list->n, &list->capacity, sizeof *to);
  if (to) *to = *c;
  return to != NULL;
}

// ---- one shape ---------------------------------------------------------------------------------

static double volume(double half, double radius) {
  return pi * radius * radius * (2 * half + 4.0 / 3 * radius);
}

// The smallest capsule along the axis of a cylinder, around it: half the length of its segment, and
// its radius.
static double around_cylinder(double half, double radius, double *segment) {
  double best = INFINITY, r = 0;
  for (int k = 0; k <= STEPS; k++) {
    const double s = half * k / STEPS, out = hypot(half - s, radius);
    if (volume(s, out) < best) best = volume(s, out), *segment = s, r = out;
  }
  return r;
}

// Where a shape is in its link frame.
typedef struct place {
  double R[9], p[3];
} place;

static place place_of(const ap_shape *shape) {
  place at;
  ap__matrix_of_rpy(shape->rpy, at.R);
  memcpy(at.p, shape->xyz, sizeof at.p);
  return at;
}

// A capsule about `middle`, `half` to either side along axis k of the shape.
static bool add_along(capsules *list, const ap_capsule *like, const place *at,
                      const double middle[3], int k, double half, double radius) {
  ap_capsule c = *like;
  double centre[3];
  turn3(at->R, middle, centre);
  for (int i = 0; i < 3; i++) {
    c.from[i] = at->p[i] + centre[i] - half * at->R[3 * i + k];
    c.to[i] = at->p[i] + centre[i] + half * at->R[3 * i + k];
  }
  c.radius = radius * (1 + rounding) + rounding;
  return add(list, &c);
}

// Axes of a box, longest first.
static void sort_axes(const double half[3], int axis[3]) {
  for (int k = 0; k < 3; k++) axis[k] = k;
  for (int k = 0; k < 3; k++)
    for (int l = k + 1; l < 3; l++)
      if (half[axis[l]] > half[axis[k]]) {
        const int other = axis[k];
        axis[k] = axis[l], axis[l] = other;
      }
}

// A flat box is cut along its middle axis into slices that are about as wide as high, each with a
// capsule along the longest axis.
static int slices_of(const double half[3], const int axis[3]) {
  const double thin = half[axis[2]], wide = half[axis[1]];
  const int n = thin > wide / MOST_SLICES ? (int)ceil(wide / thin - 1e-6) : MOST_SLICES;
  return n < 1 ? 1 : n;
}

// Half a segment and the radius of the capsule around one slice.
static double around_slice(const double half[3], const int axis[3], double *segment) {
  const double across = hypot(half[axis[1]] / slices_of(half, axis), half[axis[2]]);
  return around_cylinder(half[axis[0]], across, segment);
}

static bool add_box(capsules *list, const ap_capsule *like, const place *at, const double centre[3],
                    const double half[3]) {
  int axis[3];
  double segment = 0;
  sort_axes(half, axis);
  const double radius = around_slice(half, axis, &segment);
  const int n = slices_of(half, axis);
  bool good = true;
  for (int k = 0; k < n && good; k++) {
    double middle[3] = {centre[0], centre[1], centre[2]};
    middle[axis[1]] += half[axis[1]] * ((2 * k + 1.0) / n - 1);
    good = add_along(list, like, at, middle, axis[0], segment, radius);
  }
  return good;
}

static bool usable(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) < 1e6)) return false;
  return true;
}

// ---- meshes ------------------------------------------------------------------------------------

// A direction, and the capsule along it around all points.
typedef struct fit {
  double u[3], middle[3], low, high, radius;
} fit;

static void farthest(const double *point, int n, const double from[3], double to[3]) {
  double most = -1;
  for (int k = 0; k < n; k++) {
    const double *p = point + 3 * (size_t)k,
                 d[3] = {p[0] - from[0], p[1] - from[1], p[2] - from[2]};
    if (dot3(d, d) > most) most = dot3(d, d), memcpy(to, p, 3 * sizeof *to);
  }
}

// The axis goes through the middle of the bounding box; the radius is that of the farthest point,
// and the ends reach as far as a point asks for.
static void fit_along(fit *f, const double *point, int n) {
  f->radius = 0, f->low = INFINITY, f->high = -INFINITY;
  for (int turn = 0; turn < 2; turn++)
    for (int k = 0; k < n; k++) {
      const double *p = point + 3 * (size_t)k;
      const double d[3] = {p[0] - f->middle[0], p[1] - f->middle[1], p[2] - f->middle[2]};
      const double x = dot3(d, f->u), across = sqrt(fmax(dot3(d, d) - x * x, 0));
      if (turn == 0) {
        f->radius = fmax(f->radius, across);
      } else {
        const double cap = sqrt(fmax(f->radius * f->radius - across * across, 0));
        f->low = fmin(f->low, x + cap), f->high = fmax(f->high, x - cap);
      }
    }
  if (f->low > f->high) f->low = f->high = (f->low + f->high) / 2;
}

static double fit_volume(const fit *f) { return volume((f->high - f->low) / 2, f->radius); }

// The smallest of the capsules along x, y, z and along the line between two distant points; or
// those of the slices of the bounding box, if they are smaller together.
static bool add_points(capsules *list, const ap_capsule *like, const place *at, const double *point,
                       int n) {
  double low[3], high[3], half[3], middle[3], ends[2][3], segment = 0;
  for (int i = 0; i < 3; i++) low[i] = INFINITY, high[i] = -INFINITY;
  for (int k = 0; k < 3 * n; k++)
    low[k % 3] = fmin(low[k % 3], point[k]), high[k % 3] = fmax(high[k % 3], point[k]);
  for (int i = 0; i < 3; i++) middle[i] = (low[i] + high[i]) / 2, half[i] = (high[i] - low[i]) / 2;
  farthest(point, n, middle, ends[0]);
  farthest(point, n, ends[0], ends[1]);
  fit best = {.radius = INFINITY};
  for (int k = 0; k < 4; k++) {
    fit f = {.middle = {middle[0], middle[1], middle[2]}};
    for (int i = 0; i < 3; i++) f.u[i] = k < 3 ? k == i : ends[1][i] - ends[0][i];
    const double length = norm3(f.u);
    for (int i = 0; i < 3; i++) f.u[i] = length > 0 ? f.u[i] / length : i == 0;
    fit_along(&f, point, n);
    if (k == 0 || fit_volume(&f) < fit_volume(&best)) best = f;
  }
  int axis[3];
  sort_axes(half, axis);
  const double radius = around_slice(half, axis, &segment);
  if (slices_of(half, axis) * volume(segment, radius) < fit_volume(&best))
    return add_box(list, like, at, middle, half);
  ap_capsule c = *like;
  for (int end = 0; end < 2; end++) {
    double in[3], *out = end ? c.to : c.from;
    for (int i = 0; i < 3; i++) in[i] = best.middle[i] + (end ? best.high : best.low) * best.u[i];
    turn3(at->R, in, out);
    for (int i = 0; i < 3; i++) out[i] += at->p[i];
  }
  c.radius = best.radius * (1 + rounding) + rounding;
  return add(list, &c);
}

// AP_E_NOT_FOUND and the like: the mesh is not there, or none. Only AP_E_MEMORY is a failure.
static ap_status add_mesh(capsules *list, const ap_capsule *like, const ap_shape *shape,
                          const char *robot_file, const char *meshes) {
  ap__mesh mesh = {0};
  ap_error error;
  int file;
  char *text = NULL;
  size_t length;
  const char *format = shape->file ? ap__mesh_format(shape->file) : NULL;
  ap_status status = format ? AP_OK : AP_E_NOT_FOUND;
  if (!status) status = ap__mesh_open(shape->file, robot_file, meshes, &file, &error);
  if (!status) status = ap__read_open_file(file, &text, &length, &error);
  if (!status) status = ap__mesh_read(&mesh, format, text, length, &error);
  free(text);
  if (!status && (mesh.nvertex < 1 || !usable(shape->size, 3))) status = AP_E_NOT_FOUND;
  if (!status) {
    const place at = place_of(shape);
    for (int k = 0; k < 3 * mesh.nvertex; k++) mesh.vertex[k] *= shape->size[k % 3];
    if (!add_points(list, like, &at, mesh.vertex, mesh.nvertex)) status = AP_E_MEMORY;
  }
  ap__mesh_free(&mesh);
  return status;
}

// ---- links -------------------------------------------------------------------------------------

static ap_status add_shape(capsules *list, const ap_shape *shape, const char *file,
                           const char *meshes) {
  const double *size = shape->size, origin[3] = {0};
  const place at = place_of(shape);
  ap_capsule like = {.body = shape->body, .source = AP_CAPSULE_SHAPE};
  bool good = true;
  if (!usable(shape->xyz, 3) || !usable(shape->rpy, 3)) return AP_E_NOT_FOUND;
  if (shape->kind == AP_SHAPE_MESH) {
    like.source = AP_CAPSULE_MESH;
    return add_mesh(list, &like, shape, file, meshes);
  } else if (shape->kind == AP_SHAPE_BOX && usable(size, 3)) {
    const double half[3] = {fabs(size[0]) / 2, fabs(size[1]) / 2, fabs(size[2]) / 2};
    good = add_box(list, &like, &at, origin, half);
  } else if (shape->kind == AP_SHAPE_CYLINDER && usable(size, 2)) {
    double segment = 0;
    const double radius = around_cylinder(fabs(size[1]) / 2, fabs(size[0]), &segment);
    good = add_along(list, &like, &at, origin, 2, segment, radius);
  } else if (shape->kind == AP_SHAPE_SPHERE && usable(size, 1)) {
    good = add_along(list, &like, &at, origin, 2, 0, fabs(size[0]));
  } else {
    return AP_E_NOT_FOUND;
  }
  return good ? AP_OK : AP_E_MEMORY;
}

// The shapes of one kind of a link. AP_E_NOT_FOUND: there are none, or not all of them are known;
// then none is taken.
static ap_status add_kind(capsules *list, const ap_robot *robot, int link, bool collision,
                          const char *meshes) {
  const ap_shape *shape;
  const int before = list->n;
  ap_status status = AP_OK;
  for (int k = 0; !status && (shape = ap_robot_shape(robot, link, k)); k++)
    if (shape->collision == collision) status = add_shape(list, shape, robot->path, meshes);
  if (status) list->n = before;
  return status ? status : list->n > before ? AP_OK : AP_E_NOT_FOUND;
}

// Where a point of a body's internal frame is in the frame of its link.
static void to_link(const ap_model *m, int link, const double x[3], double y[3]) {
  const ap_packed_frame *f = &m->packed_frame[link];
  for (int i = 0; i < 3; i++) {
    y[i] = 0;
    for (int k = 0; k < 3; k++) y[i] += f->R[3 * k + i] * (x[k] - f->p[k]);
  }
}

// From the joint of a moving body to the joints that it carries and to its centre of mass.
static bool guess(capsules *list, const ap_model *m, int body, double radius) {
  const int link = m->joint[body].link;
  const double origin[3] = {0};
  ap_capsule c = {.body = link, .radius = radius, .source = AP_CAPSULE_GUESS};
  to_link(m, link, origin, c.from);
  to_link(m, link, m->packed_body[body].com, c.to);
  bool good = add(list, &c);
  for (int i = body + 1; i < m->nbody && good; i++) {
    if (m->joint[i].parent != body) continue;
    to_link(m, link, m->packed_body[i].s, c.to);
    good = add(list, &c);
  }
  return good;
}

ap_status ap_robot_capsules(const ap_robot *robot, const ap_model *m, const char *meshes,
                            double radius, ap_capsule **found, int *n, ap_error *error) {
  *found = NULL, *n = 0;
  if (!(radius >= 0) || !isfinite(radius))
    return AP__REFUSE(error, AP_E_ARG, 0, "a capsule's radius is %g m (0 or more is possible)",
                      radius);
  if (robot && robot->nbody + 1 != m->nlink)
    return AP__REFUSE(error, AP_E_ARG, 0, "the model has %d bodies, the robot %d", m->nlink,
                      robot->nbody + 1);
  capsules list = {0};
  bool *known = calloc((size_t)m->nbody, sizeof *known); // by moving body: has shapes, all known
  bool *open = calloc((size_t)m->nbody, sizeof *open);   // has a shape that is not
  ap_status status = known && open ? AP_OK : AP_E_MEMORY;
  for (int link = 0; link < m->nlink && robot && !status; link++) {
    if (!ap_robot_shape(robot, link, 0)) continue;
    status = add_kind(&list, robot, link, true, meshes);
    if (status == AP_E_MEMORY) break;
    if (status) status = add_kind(&list, robot, link, false, meshes);
    if (status == AP_E_MEMORY) break;
    if (status)
      open[m->mover[link]] = true;
    else
      known[m->mover[link]] = true;
    status = AP_OK;
  }
  for (int body = 1; body < m->nbody && !status; body++)
    if (open[body] || (!known[body] && m->packed_body[body].mass > 0))
      if (!guess(&list, m, body, radius)) status = AP_E_MEMORY;
  free(known), free(open);
  if (status) {
    free(list.capsule);
    return ap__no_memory(error);
  }
  *found = list.capsule, *n = list.n;
  return AP_OK;
}
