// SPDX-License-Identifier: Apache-2.0
// How large links are: by their shapes, else by where their joints are. Meshes are looked for on
// the way.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/names.h"
#include "file/solid.h"
#include "lint/examine.h"
#include "lint/tensor.h"

static const double pi = 3.14159265358979323846;

// ---- meshes ------------------------------------------------------------------------------------

// A mesh file, looked at once however many links show it.
typedef struct mesh {
  const char *name;
  bool found, measured;
  double low[3], high[3]; // in the file's own unit
  double volume;          // enclosed; 0: nobody knows
  int line, count;
} mesh;

typedef struct meshes {
  mesh *mesh;
  int n;
  ap__names names;
} meshes;

// So many bytes are read of all meshes together.
#define MESH_BYTES ((size_t)256 << 20)
enum { MOST_MESHES = 2000 }; // and of so many

static void measure_mesh(const ap__mesh *read, mesh *m) {
  static const double one[3] = {1, 1, 1};
  m->measured = read->nvertex > 0;
  for (int k = 0; k < read->nvertex; k++)
    for (int i = 0; i < 3; i++) {
      const double x = read->vertex[3 * (size_t)k + (size_t)i];
      m->low[i] = k ? fmin(m->low[i], x) : x;
      m->high[i] = k ? fmax(m->high[i], x) : x;
    }
  m->volume = fabs(ap__mesh_solid(read, one).mass);
}

static void measure(lint *l, mesh *m, size_t *budget) {
  char *path = NULL;
  ap__mesh read;
  ap_error error;
  ap_status status = ap_mesh_find(m->name, l->path, &path, &error);
  l->no_memory = l->no_memory || status == AP_E_MEMORY;
  m->found = status == AP_OK || status == AP_E_UNSUPPORTED;
  if (status == AP_OK && *budget > 0 && ap__mesh_load(&read, path, &error) == AP_OK) {
    measure_mesh(&read, m);
    const size_t bytes = (size_t)read.nvertex * 24 + (size_t)read.nface * 12;
    *budget -= bytes < *budget ? bytes : *budget;
    ap__mesh_free(&read);
  }
  free(path);
}

// "package://NAME", or the folder of a name: meshes that are missing there are one finding.
static size_t place_of(const char *name) {
  const char *scheme = strstr(name, "://");
  if (scheme && strncmp(name, "file", 4) != 0) {
    const char *end = strchr(scheme + 3, '/');
    return end ? (size_t)(end - name) : strlen(name);
  }
  const char *slash = strrchr(name, '/');
  return slash ? (size_t)(slash - name) : 0;
}

// A name of n bytes, whole; where there is no room for it, its beginning and its end.
static const char *in_full(const char *name, size_t n, char *out, size_t size) {
  size_t half = (size - 4) / 2, end = n - half;
  if (n < size) {
    snprintf(out, size, "%.*s", (int)n, name);
    return out;
  }
  while (half > 0 && ((unsigned char)name[half] & 0xC0u) == 0x80u) half--;
  while (end < n && ((unsigned char)name[end] & 0xC0u) == 0x80u) end++;
  snprintf(out, size, "%.*s...%.*s", (int)half, name, (int)(n - end), name + end);
  return out;
}

static void say_missing(lint *l, const meshes *all) {
  char whole[160], place[104];
  for (int i = 0; i < all->n; i++) {
    const mesh *first = &all->mesh[i];
    size_t n = place_of(first->name);
    int count = 0, before = 0;
    for (int k = 0; k < all->n && k < MOST_MESHES; k++) {
      const mesh *m = &all->mesh[k];
      if (m->found || place_of(m->name) != n || memcmp(m->name, first->name, n) != 0) continue;
      count += m->count;
      before += k < i;
    }
    if (first->found || before) continue;
    lint_note note = ap__lint_begin("mesh-missing", first->line, "mesh");
    ap__lint_what(&note, "\"%s\" does not exist",
                  in_full(first->name, strlen(first->name), whole, sizeof whole));
    if (count > 1)
      ap__lint_what(&note, "nor do others of \"%s\": %d meshes in all",
                    in_full(first->name, n, place, sizeof place), count);
    ap__lint_why(&note,
                 "dynamics does not need it, but it cannot be drawn, and the sizes of these links "
                 "are estimated from their joints");
    if (strncmp(first->name, "package://", 10) == 0)
      ap__lint_fix(&note, "put the package beside the file or name its folder in ROS_PACKAGE_PATH");
    else
      ap__lint_fix(&note, "the path is relative to the folder of the robot file");
    ap__lint_end(l, &note);
  }
}

static void find_meshes(lint *l, meshes *all) {
  lint_robot *robot = &l->robot;
  size_t budget = MESH_BYTES;
  all->mesh = calloc((size_t)robot->nshape + 1, sizeof *all->mesh);
  if (!ap__lint_got(l, all->mesh && ap__names_init(&all->names, robot->nshape + 1))) return;
  for (int i = 0; i < robot->nshape && !l->no_memory; i++) {
    lint_shape *s = &robot->shape[i];
    if (s->kind != AP_SHAPE_MESH || !s->file) continue;
    int k = ap__names_put(&all->names, s->file, all->n);
    if (k < 0) {
      k = all->n++;
      all->mesh[k] = (mesh){.name = s->file, .line = s->line};
      all->mesh[k].found = true;
      if (k < MOST_MESHES) measure(l, &all->mesh[k], &budget);
    }
    mesh *m = &all->mesh[k];
    m->count++;
    if (!m->measured) continue;
    s->bounded = true;
    double factor = 1, box = 1;
    for (int j = 0; j < 3; j++) {
      double a = m->low[j] * s->size[j], b = m->high[j] * s->size[j];
      s->low[j] = fmin(a, b);
      s->high[j] = fmax(a, b);
      factor *= fabs(s->size[j]);
      box *= s->high[j] - s->low[j];
    }
    // An open surface encloses nothing in particular.
    double volume = m->volume * factor;
    if (volume > 0.02 * box && volume < 1.001 * box) s->volume = volume;
  }
  if (!l->no_memory) say_missing(l, all);
}

// ---- shapes ------------------------------------------------------------------------------------

static void bound(lint_shape *s) {
  const double *x = s->size;
  double half[3];
  switch (s->kind) {
    case AP_SHAPE_BOX:
      for (int i = 0; i < 3; i++) half[i] = x[i] / 2;
      s->volume = x[0] * x[1] * x[2];
      break;
    case AP_SHAPE_CYLINDER:
      half[0] = half[1] = x[0];
      half[2] = x[1] / 2;
      s->volume = pi * x[0] * x[0] * x[1];
      break;
    case AP_SHAPE_SPHERE:
      half[0] = half[1] = half[2] = x[0];
      s->volume = 4 * pi / 3 * x[0] * x[0] * x[0];
      break;
    case AP_SHAPE_NONE:
    case AP_SHAPE_MESH: return;
  }
  if (!(s->volume > 0) || !isfinite(s->volume)) {
    s->volume = 0;
    return;
  }
  s->bounded = true;
  for (int i = 0; i < 3; i++) s->low[i] = -half[i], s->high[i] = half[i];
}

// Widen the box of a link by the eight corners of a shape.
static void widen(lint_link *link, const lint_shape *s, bool *any) {
  double R[9];
  ap__matrix_of_rpy(s->rpy, R);
  for (int corner = 0; corner < 8; corner++) {
    double c[3];
    for (int i = 0; i < 3; i++) c[i] = corner >> i & 1 ? s->high[i] : s->low[i];
    ap__lint_rotate(R, c, c);
    for (int i = 0; i < 3; i++) {
      c[i] += s->xyz[i];
      if (!*any || c[i] < link->low[i]) link->low[i] = c[i];
      if (!*any || c[i] > link->high[i]) link->high[i] = c[i];
    }
    *any = true;
  }
}

// The box of a link is that of all its shapes that are known, if those of one kind (visual or
// collision) are all known.
static void box_link(lint_robot *robot, lint_link *link) {
  int of[2] = {0, 0}, known[2] = {0, 0}, single[2] = {-1, -1};
  for (int i = link->first_shape; i < link->first_shape + link->nshape; i++) {
    const lint_shape *s = &robot->shape[i];
    of[s->collision]++;
    known[s->collision] += s->bounded;
    single[s->collision] = i;
  }
  bool whole = (of[0] && known[0] == of[0]) || (of[1] && known[1] == of[1]), any = false;
  if (!whole) return;
  for (int i = link->first_shape; i < link->first_shape + link->nshape; i++)
    if (robot->shape[i].bounded) widen(link, &robot->shape[i], &any);
  link->boxed = any;
  // One shape tells a volume; of several nobody knows how far they overlap.
  for (int kind = 0; kind < 2 && link->volume == 0; kind++) {
    if (of[kind] != 1 || known[kind] != 1) continue;
    link->volume = robot->shape[single[kind]].volume;
    link->solid = single[kind];
  }
}

// How far a link is known to extend from its origin.
static void measure_link(lint_robot *robot, int i) {
  lint_link *link = &robot->link[i];
  link->length = norm3(link->com);
  for (int c = link->first_child; c >= 0; c = robot->link[c].next_sibling) {
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = robot->link[c].p[k] - link->p[k];
    link->jointed = fmax(link->jointed, norm3(d));
  }
  link->length = fmax(link->length, link->jointed);
  double corner[3];
  for (int k = 0; k < 3; k++) corner[k] = fmax(fabs(link->low[k]), fabs(link->high[k]));
  if (link->boxed) link->length = fmax(link->length, norm3(corner));
}

// ---- scale -------------------------------------------------------------------------------------

static void look_at_scale(lint *l, const lint_shape *s, double longest) {
  double side = 0;
  for (int i = 0; i < 3; i++) side = fmax(side, s->high[i] - s->low[i]);
  if (s->kind != AP_SHAPE_MESH || !s->bounded || !(side > 0) || !(longest > 0)) return;
  double ratio = side / longest, factor = ratio > 100 ? 1e-3 : ratio < 1e-3 ? 1e3 : 0;
  if (factor == 0) return;
  const char *name = l->robot.link[s->link].name;
  lint_note note = ap__lint_begin("mesh-scale", s->line, name);
  ap__lint_what(&note, "the mesh of link \"%.*s\" is %.3g m large, the links of the robot %.3g m",
                ap__shown(name), name, side, longest);
  ap__lint_why(&note,
               "a mesh in %s read as metres: its drawing and collision shape are %g times too %s",
               factor < 1 ? "millimetres" : "kilometres", factor < 1 ? 1 / factor : factor,
               factor < 1 ? "large" : "small");
  ap__lint_fix(&note, "scale=\"%g %g %g\"", s->size[0] * factor, s->size[1] * factor,
               s->size[2] * factor);
  ap__lint_end(l, &note);
}

// Where chains close, a link reaches, too.
static void measure_closures(lint *l) {
  lint_robot *robot = &l->robot;
  ap__names names = {0};
  if (!l->mechanism) return;
  if (!ap__lint_got(l, ap__names_init(&names, robot->nlink))) return;
  for (int i = 0; i < robot->nlink; i++) ap__names_put(&names, robot->link[i].name, i);
  for (int i = 0; i < ap_mechanism_nclosure(l->mechanism); i++) {
    const ap_closure_def *c = ap_mechanism_closure(l->mechanism, i);
    for (int k = 0; k < 2 && c->kind != AP_CLOSE_GEAR && c->kind != AP_CLOSE_AXIS; k++) {
      const ap_body_def *body = ap_body(ap_mechanism_tree(l->mechanism), c->body[k]);
      int link = body ? ap__names_find(&names, body->name) : -1;
      if (link < 0) continue;
      robot->link[link].jointed = fmax(robot->link[link].jointed, norm3(c->at[k]));
    }
  }
  ap__names_free(&names);
}

void ap__lint_sizes(lint *l) {
  lint_robot *robot = &l->robot;
  meshes all = {0};
  for (int i = 0; i < robot->nshape; i++) bound(&robot->shape[i]);
  if (l->find_meshes && robot->nshape > 0) find_meshes(l, &all);
  free(all.mesh);
  ap__names_free(&all.names);
  measure_closures(l);
  double longest = 0; // by joints alone: what meshes are compared with
  for (int k = 0; k < robot->norder; k++) {
    measure_link(robot, robot->order[k]);
    longest = fmax(longest, robot->link[robot->order[k]].length);
  }
  for (int i = 0; i < robot->nshape; i++) look_at_scale(l, &robot->shape[i], longest);
  for (int k = 0; k < robot->norder; k++) {
    box_link(robot, &robot->link[robot->order[k]]);
    measure_link(robot, robot->order[k]);
    robot->longest = fmax(robot->longest, robot->link[robot->order[k]].length);
  }
}
