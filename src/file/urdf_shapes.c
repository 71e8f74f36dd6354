// SPDX-License-Identifier: Apache-2.0
// URDF's visual and collision elements. They have no meaning for dynamics, so that what cannot be
// read leaves a shape of the kind AP_SHAPE_NONE and is no error. The doctor gets the shape with
// what of it could be read.

#include <math.h>
#include <string.h>

#include "file/names.h"
#include "file/urdf.h"

static ap_shape *shape_now(urdf *u) { return &u->shapes.shape[u->shapes.n - 1]; }

void ap__urdf_start_shape(urdf *u, const ap__node *e) {
  if (u->shapes.n == AP__MAX_SHAPES)
    ap__urdf_fail(u, e->line, "more than %d shapes (use fewer)", AP__MAX_SHAPES);
  ap_shape *shape = ap__shapes_add(&u->shapes, u->nlink - 1);
  if (!shape) {
    ap__urdf_no_memory(u);
    return;
  }
  shape->collision = strcmp(e->name, "collision") == 0;
  shape->line = e->line;
}

void ap__urdf_start_shape_origin(urdf *u, const ap__node *e) {
  ap__urdf_origin(u, e, shape_now(u)->xyz, shape_now(u)->rpy);
}

static bool read_mesh(urdf *u, const ap__node *e, ap_shape *shape) {
  const char *file = ap__attribute(e, "filename");
  if (file && ap__has_control(file, strlen(file)))
    ap__urdf_fail(u, e->line,
                  "<mesh filename> has a control character (a name is one line of text)");
  shape->file = file && *file ? file : NULL;
  bool scaled = ap__urdf_numbers(u, e, "scale", 3, shape->size);
  return shape->file && (scaled || !ap__attribute(e, "scale"));
}

// The first geometry of a shape counts, as elsewhere.
void ap__urdf_start_geometry(urdf *u, const ap__node *e) {
  static const char *const kinds[] = {"", "box", "cylinder", "sphere", "mesh"};
  ap_shape *shape = shape_now(u);
  int kind = AP_SHAPE_BOX;
  bool read = true;
  if (shape->kind != AP_SHAPE_NONE || shape->file) return;
  while (strcmp(kinds[kind], e->name) != 0) kind++;
  if (u->doctor) shape->line = e->line;
  if (u->doctor && kind != AP_SHAPE_MESH) memset(shape->size, 0, sizeof shape->size);
  if (kind == AP_SHAPE_MESH) read = read_mesh(u, e, shape);
  if (kind == AP_SHAPE_BOX) read = ap__urdf_numbers(u, e, "size", 3, shape->size);
  if (kind == AP_SHAPE_CYLINDER || kind == AP_SHAPE_SPHERE)
    read = ap__urdf_numbers(u, e, "radius", 1, &shape->size[0]);
  if (kind == AP_SHAPE_CYLINDER)
    read = ap__urdf_numbers(u, e, "length", 1, &shape->size[1]) && read;
  if (read || u->doctor) shape->kind = (ap_shape_kind)kind;
}

// ---- materials ---------------------------------------------------------------------------------

void ap__urdf_start_material(urdf *u, const ap__node *e) {
  const char *name = ap__attribute(e, "name");
  if (u->nmaterial == AP__MAX_SHAPES)
    ap__urdf_fail(u, e->line, "more than %d materials (use fewer)", AP__MAX_SHAPES);
  urdf_material *material =
      ap__urdf_append(u, &u->materials, &u->nmaterial, &u->material_capacity, sizeof *material);
  if (!material) return;
  material->name = name ? name : "";
  material->shape = e->parent == u->tree->root ? -1 : u->shapes.n - 1;
}

void ap__urdf_start_color(urdf *u, const ap__node *e) {
  urdf_material *material = &u->materials[u->nmaterial - 1];
  double rgba[4];
  if (u->doctor || !ap__urdf_numbers(u, e, "rgba", 4, rgba)) return;
  for (int i = 0; i < 4; i++) material->color[i] = fmin(fmax(rgba[i], 0), 1);
  material->colored = true;
}

// The robot's materials define names, and so do those of shapes with a colour of their own; the
// first definition of a name counts. A name may be used before it is defined.
bool ap__urdf_color_shapes(urdf *u) {
  ap__names names = {0};
  if (u->nmaterial == 0) return true;
  if (!ap__names_init(&names, u->nmaterial)) return false;
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
