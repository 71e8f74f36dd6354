// SPDX-License-Identifier: Apache-2.0
// The shapes of a link as solids: what each weighs, and how far they overlap.

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lint/weigh.h"
#include "num/rpy.h"
#include "num/vec3.h"

// A shape that is being weighed.
typedef struct part {
  const ap_shape *shape;
  ap__mesh mesh; // scaled; of a mesh
  ap__simple simple;
  double half[3];         // of another
  double R[9];            // axes in the link frame
  double low[3], high[3]; // in its own frame
  ap__solid solid;        // link frame
} part;

void ap__weigh_say(char text[WEIGH_TEXT], const char *format, ...) {
  char sentence[WEIGH_TEXT];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  const size_t n = strlen(text);
  snprintf(text + n, WEIGH_TEXT - n, "%s%s", n ? "; " : "", sentence);
}

// ---- meshes ------------------------------------------------------------------------------------

// The last part of a file's name.
static const char *short_name(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? slash + 1 : file;
}

static ap_status load(part *p, const char *path, shapes_weighed *out, ap_error *error) {
  int file;
  char *text = NULL;
  size_t length = 0;
  ap_error why = {0};
  const ap_shape *s = p->shape;
  ap_status status = ap__mesh_open(s->file, path, NULL, &file, &why);
  if (!status) status = ap__read_open_file(file, &text, &length, &why);
  if (!status) status = ap__mesh_read(&p->mesh, ap__mesh_format(s->file), text, length, &why);
  free(text);
  if (status == AP_E_MEMORY) return ap__no_memory(error);
  if (status) {
    const char *name = short_name(s->file);
    if (why.line > 0)
      ap__weigh_say(out->problem, "%.*s:%d: %s", ap__shown(name), name, why.line, why.text);
    else
      ap__weigh_say(out->problem, "%.*s: %s", ap__shown(name), name, why.text);
    return AP_OK;
  }
  for (int k = 0; k < p->mesh.nvertex; k++)
    for (int i = 0; i < 3; i++) p->mesh.vertex[3 * (size_t)k + (size_t)i] *= s->size[i];
  return AP_OK;
}

// Faces counterclockwise again, seen from outside.
static void turn_faces(ap__mesh *mesh) {
  for (int f = 0; f < mesh->nface; f++) {
    int *v = mesh->face + 3 * (size_t)f;
    const int t = v[1];
    v[1] = v[2];
    v[2] = t;
  }
}

static ap_status take_hull(part *p, shapes_weighed *out, ap_error *error) {
  ap_error why = {0};
  int *face, n;
  const ap_status status = ap__convex_hull(p->mesh.vertex, p->mesh.nvertex, &face, &n, &why);
  if (status == AP_E_MEMORY) return ap__no_memory(error);
  if (status) {
    ap__weigh_say(out->problem, "%s: %s", short_name(p->shape->file), why.text);
    return AP_OK;
  }
  free(p->mesh.face);
  p->mesh.face = face;
  p->mesh.nface = p->mesh.face_capacity = n;
  return AP_OK;
}

// A surface without holes is taken as it is, turned where it is inside out; else its hull.
static ap_status close_mesh(part *p, shapes_weighed *out, ap_error *error) {
  static const double one[3] = {1, 1, 1};
  const char *name = short_name(p->shape->file);
  const int shown = ap__shown(name);
  const double *scale = p->shape->size;
  ap__mesh_closure c;
  if (ap__mesh_examine(&p->mesh, &c, error)) return error->status;
  if (p->mesh.nface == 0) {
    ap__weigh_say(out->problem, "%.*s: no faces", shown, name);
    return AP_OK;
  }
  if (c.open || c.inconsistent) {
    char how[160] = "";
    if (c.open)
      snprintf(how, sizeof how, "is open: %ld of %ld edges have a face on one side only", c.open,
               c.edges);
    else
      snprintf(how, sizeof how, "has turned or doubled faces at %ld of %ld edges", c.inconsistent,
               c.edges);
    ap__weigh_say(out->remark, "%.*s %s (gap %.2g of its area)", shown, name, how, c.gap);
    out->hulls = true;
    return take_hull(p, out, error);
  }
  if (scale[0] * scale[1] * scale[2] < 0) turn_faces(&p->mesh); // mirrored
  if (ap__mesh_solid(&p->mesh, one).mass < 0) {
    ap__weigh_say(out->remark, "%.*s is inside out: it is weighed as if turned", shown, name);
    turn_faces(&p->mesh);
  }
  return AP_OK;
}

static void bound_mesh(part *p) {
  for (int k = 0; k < p->mesh.nvertex; k++)
    for (int i = 0; i < 3; i++) {
      const double x = p->mesh.vertex[3 * (size_t)k + (size_t)i];
      p->low[i] = k ? fmin(p->low[i], x) : x;
      p->high[i] = k ? fmax(p->high[i], x) : x;
    }
}

// ---- solids ------------------------------------------------------------------------------------

// A simple shape by MuJoCo's half sizes. False: it is none.
static bool take_simple(part *p) {
  const double *s = p->shape->size;
  double r = s[0];
  switch (p->shape->kind) {
    case AP_SHAPE_BOX:
      p->simple = AP__BOX;
      for (int i = 0; i < 3; i++) p->half[i] = s[i] / 2;
      break;
    case AP_SHAPE_CYLINDER:
      p->simple = AP__CYLINDER;
      p->half[0] = r;
      p->half[1] = s[1] / 2;
      break;
    case AP_SHAPE_SPHERE:
      p->simple = AP__SPHERE;
      p->half[0] = r;
      break;
    case AP_SHAPE_NONE:
    case AP_SHAPE_MESH: return false;
  }
  for (int i = 0; i < 3; i++) {
    p->high[i] = p->simple == AP__BOX                  ? p->half[i]
                 : i == 2 && p->simple == AP__CYLINDER ? p->half[1]
                                                       : r;
    p->low[i] = -p->high[i];
  }
  return true;
}

static ap_status weigh_part(part *p, const char *path, shapes_weighed *out, ap_error *error) {
  static const double one[3] = {1, 1, 1};
  const ap_shape *s = p->shape;
  ap__matrix_of_rpy(s->rpy, p->R);
  if (s->kind == AP_SHAPE_MESH) {
    ap_status status = load(p, path, out, error);
    if (!status && !*out->problem) status = close_mesh(p, out, error);
    if (status || *out->problem) return status;
    bound_mesh(p);
    p->solid = ap__mesh_solid(&p->mesh, one);
  } else if (take_simple(p)) {
    p->solid = ap__simple_solid(p->simple, p->half, false);
  } else {
    ap__weigh_say(out->problem, "a shape%s that cannot be read", s->line ? "" : " of the link");
    return AP_OK;
  }
  if (!(p->solid.mass > 1e-15) || !isfinite(p->solid.mass))
    ap__weigh_say(out->problem, "a shape without volume");
  ap__solid_move(&p->solid, p->R, s->xyz);
  return AP_OK;
}

// ---- overlap -----------------------------------------------------------------------------------

// A line from q along x crosses a closed surface an odd number of times if q is inside.
static bool is_in_mesh(const ap__mesh *mesh, const double q[3]) {
  bool inside = false;
  for (int f = 0; f < mesh->nface; f++) {
    const int *v = mesh->face + 3 * (size_t)f;
    const double *p[3];
    int turns = 0; // of the corners about the line
    for (int k = 0; k < 3; k++) p[k] = mesh->vertex + 3 * (size_t)v[k];
    for (int k = 0; k < 3; k++) {
      const double *a = p[k], *b = p[(k + 1) % 3];
      if ((a[2] > q[2]) == (b[2] > q[2])) continue;
      const double y = a[1] + (q[2] - a[2]) / (b[2] - a[2]) * (b[1] - a[1]);
      turns += y > q[1];
    }
    if (turns % 2 == 0) continue;
    double n[3];
    const double ab[3] = {p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]};
    const double ac[3] = {p[2][0] - p[0][0], p[2][1] - p[0][1], p[2][2] - p[0][2]};
    cross3(ab, ac, n);
    const double x = p[0][0] - (n[1] * (q[1] - p[0][1]) + n[2] * (q[2] - p[0][2])) / n[0];
    if (x > q[0]) inside = !inside;
  }
  return inside;
}

static bool is_in(const part *p, const double at[3]) {
  double moved[3], q[3];
  for (int i = 0; i < 3; i++) moved[i] = at[i] - p->shape->xyz[i];
  for (int i = 0; i < 3; i++)
    q[i] = p->R[i] * moved[0] + p->R[3 + i] * moved[1] + p->R[6 + i] * moved[2];
  for (int i = 0; i < 3; i++)
    if (q[i] < p->low[i] || q[i] > p->high[i]) return false;
  if (p->shape->kind == AP_SHAPE_MESH) return is_in_mesh(&p->mesh, q);
  const double across = q[0] * q[0] + q[1] * q[1], r = p->half[0];
  if (p->simple == AP__SPHERE) return across + q[2] * q[2] <= r * r;
  return p->simple == AP__BOX || across <= r * r;
}

static double random_part(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// The share of the parts' volume that counts more than once: of points that are spread over each
// part by its volume, those that other parts have, too.
static double find_overlap(const part *parts, int n, double volume) {
  uint64_t state = 1;
  double twice = 0;
  long faces = 100;
  for (int k = 0; k < n; k++) faces += parts[k].mesh.nface;
  const long most = faces < 10000 ? 20000 : 200000000 / faces;
  for (int k = 0; k < n; k++) {
    const part *p = &parts[k];
    long in = 0;
    double shared = 0;
    for (long i = 0; i < most / n + 1; i++) {
      double q[3], at[3];
      for (int j = 0; j < 3; j++) q[j] = p->low[j] + random_part(&state) * (p->high[j] - p->low[j]);
      turn3(p->R, q, at);
      for (int j = 0; j < 3; j++) at[j] += p->shape->xyz[j];
      if (!is_in(p, at)) continue;
      int others = 0;
      for (int j = 0; j < n; j++) others += j != k && is_in(&parts[j], at);
      in++;
      shared += others / (others + 1.0);
    }
    if (in) twice += p->solid.mass * shared / (double)in;
  }
  return twice / volume;
}

// ---- a link ------------------------------------------------------------------------------------

static ap_status weigh_parts(part *parts, int n, const char *path, shapes_weighed *out,
                             ap_error *error) {
  for (int k = 0; k < n && !*out->problem; k++) {
    const ap_status status = weigh_part(&parts[k], path, out, error);
    if (status) return status;
    ap__solid_add(&out->solid, &parts[k].solid);
  }
  if (*out->problem) return AP_OK;
  if (n > 1) out->overlap = find_overlap(parts, n, out->solid.mass);
  if (out->overlap > 0.005)
    ap__weigh_say(out->remark, "%d shapes overlap: %.0f %% of their volume counts more than once",
                  n, 100 * out->overlap);
  out->good = true;
  return AP_OK;
}

ap_status ap__weigh_shapes(const ap_robot *robot, int body, bool collision, const char *path,
                           shapes_weighed *out, ap_error *error) {
  const ap_shape *shape;
  int all = 0, n = 0;
  ap_status status = AP_OK;
  while (ap_robot_shape(robot, body, all)) all++;
  *out = (shapes_weighed){.good = false};
  part *parts = calloc((size_t)all + 1, sizeof *parts);
  if (!parts) return ap__no_memory(error);
  for (int k = 0; k < all && (shape = ap_robot_shape(robot, body, k)); k++)
    if (shape->collision == collision) parts[n++].shape = shape;
  out->n = n;
  if (n == 0)
    ap__weigh_say(out->problem, "no %s shape", collision ? "collision" : "visual");
  else
    status = weigh_parts(parts, n, path, out, error);
  for (int k = 0; k < n; k++) ap__mesh_free(&parts[k].mesh);
  free(parts);
  return status;
}
