// SPDX-License-Identifier: Apache-2.0
// MJCF: geoms as shapes of links. Visible geoms (groups 0 to 2, which MuJoCo shows) are what a link
// looks like; the others are what it collides as.

#include <limits.h>
#include <math.h>
#include <string.h>

#include "file/mjcf_geom.h"
#include "file/number.h"
#include "file/xyz_rpy.h"

static void set_origin(ap_shape *shape, const mjcf_pose *place) {
  ap_placement at;
  ap__mjcf_set_place(&at, place);
  ap__joint_xyz_rpy(&at, shape->xyz, shape->rpy);
}

// Four numbers, or no colour: nobody computes with them.
static bool read_rgba(const mjcf_item *item, double color[4]) {
  const char *text = ap__mjcf_text(item, "rgba");
  return text && ap__parse_numbers(text, 4, color) == 4;
}

// rgba of the geom, else of its material.
static void read_color(mjcf *m, const mjcf_item *item, ap_shape *shape) {
  const mjcf_model *model = item->scope->model;
  const char *name = ap__mjcf_text(item, "material");
  int k = name ? ap__names_find(&model->material_names, name) : -1;
  shape->colored = read_rgba(item, shape->color);
  if (!shape->colored && k >= 0) {
    const mjcf_item material =
        ap__mjcf_item(m, model->materials[k].e, item->scope, MJCF_MATERIAL, 0, mjcf_here());
    shape->colored = read_rgba(&material, shape->color);
  }
  for (int i = 0; i < 4; i++) shape->color[i] = fmin(fmax(shape->color[i], 0), 1);
}

// contype and conaffinity: 1 if not given, as in MuJoCo.
static void read_masks(mjcf *m, const mjcf_item *item, int *contype, int *conaffinity) {
  double bits[2] = {1, 1};
  ap__mjcf_numbers(m, item, "contype", 1, 1, &bits[0]);
  ap__mjcf_numbers(m, item, "conaffinity", 1, 1, &bits[1]);
  for (int i = 0; i < 2; i++) bits[i] = fmin(fmax(bits[i], INT_MIN), INT_MAX);
  *contype = (int)bits[0], *conaffinity = (int)bits[1];
}

static ap_shape *add(mjcf *m, const mjcf_item *item, int part, const mjcf_pose *place) {
  if (m->shapes.n == AP__MAX_SHAPES) {
    ap__mjcf_fail(m, item->e, "more than %d geoms (use fewer)", AP__MAX_SHAPES);
    return NULL;
  }
  ap_shape *shape = ap__shapes_add(&m->shapes, part);
  if (!shape) {
    ap__mjcf_no_memory(m);
    return NULL;
  }
  double group = 0;
  ap__mjcf_numbers(m, item, "group", 1, 1, &group);
  shape->collision = group > 2;
  shape->masked = true;
  read_masks(m, item, &shape->contype, &shape->conaffinity);
  shape->line = item->e->line;
  set_origin(shape, place);
  read_color(m, item, shape);
  return shape;
}

// A mesh is drawn as its file has it: refpos and refquat move it, before the scale.
static void add_mesh(mjcf *m, const mjcf_item *item, int part, const mjcf_geom *geom) {
  const ap__mesh_use use = ap__mjcf_mesh_use(m, item->scope, geom->mesh);
  const char *file = ap__mjcf_mesh_file(m, item->scope, geom->mesh);
  mjcf_pose ref = mjcf_here(), place;
  memcpy(ref.q, use.refquat, sizeof ref.q);
  if (!mjcf_quat_unit(ref.q)) ref = mjcf_here();
  memcpy(ref.p, use.refpos, sizeof ref.p);
  ref = mjcf_inverse(ref);
  for (int i = 0; i < 3; i++) ref.p[i] *= use.scale[i];
  place = mjcf_compose(geom->place, ref);
  ap_shape *shape = m->status ? NULL : add(m, item, part, &place);
  if (!shape || !file || ap__has_control(file, strlen(file))) return;
  shape->kind = AP_SHAPE_MESH;
  shape->file = ap__robot_text(m->robot, file, strlen(file));
  if (!shape->file) ap__mjcf_no_memory(m);
  memcpy(shape->size, use.scale, sizeof use.scale);
}

// A cylinder with a sphere at each end.
static void add_capsule(mjcf *m, const mjcf_item *item, int part, const mjcf_geom *geom) {
  ap_shape *shape = add(m, item, part, &geom->place);
  if (!shape) return;
  shape->kind = AP_SHAPE_CYLINDER;
  shape->size[0] = geom->size[0];
  shape->size[1] = 2 * geom->size[1];
  for (int end = -1; end <= 1 && !m->status; end += 2) {
    const double tip[3] = {0, 0, end * geom->size[1]};
    const mjcf_pose place = mjcf_compose(geom->place, mjcf_at_point(tip, 1));
    ap_shape *ball = add(m, item, part, &place);
    if (!ball) return;
    ball->kind = AP_SHAPE_SPHERE;
    ball->size[0] = geom->size[0];
  }
}

void ap__mjcf_add_shapes(mjcf *m, const mjcf_item *item, int part) {
  mjcf_geom geom;
  if (!ap__mjcf_read_geom(m, item, &geom)) return;
  if (geom.type == MJCF_MESH_GEOM || geom.type == MJCF_SDF) {
    add_mesh(m, item, part, &geom);
    return;
  }
  if (geom.mesh || geom.type == MJCF_PLANE || geom.type == MJCF_HFIELD) return;
  if (geom.type == MJCF_CAPSULE) {
    add_capsule(m, item, part, &geom);
    return;
  }
  ap_shape *shape = add(m, item, part, &geom.place);
  if (!shape) return;
  if (geom.type == MJCF_SPHERE || geom.type == MJCF_CYLINDER) {
    shape->kind = geom.type == MJCF_SPHERE ? AP_SHAPE_SPHERE : AP_SHAPE_CYLINDER;
    shape->size[0] = geom.size[0];
    if (geom.type == MJCF_CYLINDER) shape->size[1] = 2 * geom.size[1];
  } else if (geom.type == MJCF_BOX) {
    shape->kind = AP_SHAPE_BOX;
    for (int i = 0; i < 3; i++) shape->size[i] = 2 * geom.size[i];
  }
}

void ap__mjcf_count_ground_geoms(mjcf *m) {
  ap_robot *robot = m->robot;
  for (int i = 0; i < m->nown && !m->status; i++) {
    int contype, conaffinity;
    if (m->own[i].kind != MJCF_GEOM) continue;
    read_masks(m, &m->own[i], &contype, &conaffinity);
    if (!(contype || conaffinity)) continue;
    if (robot->ground_geoms++ == 0) robot->ground_geom_line = m->own[i].e->line;
  }
}
