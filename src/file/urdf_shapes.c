// URDF's visual and collision elements. They have no meaning for dynamics, so that what cannot be
// read leaves a shape of the kind AP_SHAPE_NONE and is no error.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/names.h"
#include "file/number.h"
#include "file/urdf.h"

static const char *skip_blanks(const char *s) { return s + strspn(s, " \t\r\n"); }

// Exactly n numbers, or x stays as it is.
static bool numbers(const char *text, int n, double *x) {
  double read[4];
  if (!text) return false;
  const char *s = skip_blanks(text), *end;
  for (int i = 0; i < n; i++, s = skip_blanks(end)) {
    if (ap__parse_double(s, &end, &read[i]) != AP__NUMBER) return false;
    if (*end && skip_blanks(end) == end) return false;
  }
  if (*s) return false;
  memcpy(x, read, (size_t)n * sizeof *x);
  return true;
}

static bool attribute(const char **attributes, const char *name, int n, double *x) {
  return numbers(ap__urdf_attribute(attributes, name), n, x);
}

static ap_shape *shape_now(urdf *u) { return &u->shapes.shape[u->shapes.n - 1]; }

static bool start_shape(urdf *u, bool collision) {
  if (u->shapes.n == AP__MAX_SHAPES)
    return ap__urdf_fail(u, "more than %d shapes (draw the robot with fewer)", AP__MAX_SHAPES);
  ap_shape *shape = ap__shapes_add(&u->shapes, u->links.n - 1);
  if (!shape) return ap__urdf_no_memory(u);
  shape->collision = collision;
  shape->line = ap__urdf_line(u);
  return true;
}

bool ap__urdf_start_visual(urdf *u, const char **attributes) {
  (void)attributes;
  return start_shape(u, false);
}

bool ap__urdf_start_collision(urdf *u, const char **attributes) {
  (void)attributes;
  return start_shape(u, true);
}

bool ap__urdf_start_shape_origin(urdf *u, const char **attributes) {
  attribute(attributes, "xyz", 3, shape_now(u)->xyz);
  attribute(attributes, "rpy", 3, shape_now(u)->rpy);
  return true;
}

// ---- geometry ----------------------------------------------------------------------------------

// The first geometry of a shape counts, as elsewhere.
static bool is_first(const ap_shape *shape) { return shape->kind == AP_SHAPE_NONE && !shape->file; }

static bool set_kind(urdf *u, ap_shape_kind kind, bool read) {
  ap_shape *shape = shape_now(u);
  if (read) shape->kind = kind;
  return true;
}

bool ap__urdf_start_box(urdf *u, const char **attributes) {
  if (!is_first(shape_now(u))) return true;
  return set_kind(u, AP_SHAPE_BOX, attribute(attributes, "size", 3, shape_now(u)->size));
}

bool ap__urdf_start_cylinder(urdf *u, const char **attributes) {
  if (!is_first(shape_now(u))) return true;
  double *size = shape_now(u)->size;
  return set_kind(
      u, AP_SHAPE_CYLINDER,
      attribute(attributes, "radius", 1, &size[0]) && attribute(attributes, "length", 1, &size[1]));
}

bool ap__urdf_start_sphere(urdf *u, const char **attributes) {
  if (!is_first(shape_now(u))) return true;
  return set_kind(u, AP_SHAPE_SPHERE, attribute(attributes, "radius", 1, shape_now(u)->size));
}

bool ap__urdf_start_mesh(urdf *u, const char **attributes) {
  const char *file = ap__urdf_attribute(attributes, "filename");
  const char *scale = ap__urdf_attribute(attributes, "scale");
  if (!file || !*file || !is_first(shape_now(u))) return true;
  if (ap__has_control(file, strlen(file)))
    return ap__urdf_fail(u, "<mesh filename> has a control character (a name is one line of text)");
  shape_now(u)->file = ap__robot_text(u->robot, file, strlen(file));
  if (!shape_now(u)->file) return ap__urdf_no_memory(u);
  return set_kind(u, AP_SHAPE_MESH, !scale || numbers(scale, 3, shape_now(u)->size));
}

// ---- materials ---------------------------------------------------------------------------------

static bool start_material(urdf *u, const char **attributes, int shape) {
  const char *name = ap__urdf_attribute(attributes, "name");
  if (u->nmaterial == AP__MAX_SHAPES)
    return ap__urdf_fail(u, "more than %d materials (draw the robot with fewer)", AP__MAX_SHAPES);
  urdf_material *grown =
      ap__grown(u->materials, u->nmaterial, &u->material_capacity, sizeof *grown);
  if (!grown) return ap__urdf_no_memory(u);
  u->materials = grown;
  const char *kept = name ? ap__robot_text(u->robot, name, strlen(name)) : "";
  if (!kept) return ap__urdf_no_memory(u);
  u->materials[u->nmaterial++] = (urdf_material){.name = kept, .shape = shape};
  return true;
}

bool ap__urdf_start_robot_material(urdf *u, const char **attributes) {
  return start_material(u, attributes, -1);
}

bool ap__urdf_start_shape_material(urdf *u, const char **attributes) {
  return start_material(u, attributes, u->shapes.n - 1);
}

static double clamped(double x) { return fmin(fmax(x, 0), 1); }

bool ap__urdf_start_color(urdf *u, const char **attributes) {
  urdf_material *material = &u->materials[u->nmaterial - 1];
  double rgba[4];
  if (!attribute(attributes, "rgba", 4, rgba)) return true;
  for (int i = 0; i < 4; i++) material->color[i] = clamped(rgba[i]);
  material->colored = true;
  return true;
}

// The robot's materials define names, and so do those of shapes with a colour of their own; the
// first definition of a name counts. A name may be used before it is defined.
bool ap__urdf_color_shapes(urdf *u) {
  ap__names names = {0};
  if (u->nmaterial == 0) return true;
  if (!ap__names_init(&names, u->nmaterial)) return ap__urdf_no_memory(u);
  for (int global = 1; global >= 0; global--)
    for (int i = 0; i < u->nmaterial; i++) {
      const urdf_material *m = &u->materials[i];
      if (m->colored && *m->name && (m->shape < 0) == global) ap__names_put(&names, m->name, i);
    }
  for (int i = 0; i < u->nmaterial; i++) {
    const urdf_material *m = &u->materials[i];
    if (m->shape < 0) continue;
    int named = m->colored || !*m->name ? -1 : ap__names_find(&names, m->name);
    const urdf_material *from = named < 0 ? m : &u->materials[named];
    if (!from->colored) continue;
    ap_shape *shape = &u->shapes.shape[m->shape];
    memcpy(shape->color, from->color, sizeof shape->color);
    shape->colored = true;
  }
  ap__names_free(&names);
  return true;
}
