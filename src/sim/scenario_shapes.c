// SPDX-License-Identifier: Apache-2.0
// Contact shapes of a scenario: those of `contacts`, and the collision shapes of the robot file.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/mesh.h"
#include "model/frozen.h"
#include "sim/run.h"
#include "sim/scenario.h"

// Corners that a hull may have here: pairs of edges grow as the square.
enum { MOST_CORNERS = 64 };

static const char *const kind_names[] = {"point", "sphere", "capsule", "box", "hull", "cylinder"};
enum { POINT, SPHERE, CAPSULE, BOX, HULL, CYLINDER };

static void orientation_of(const double rpy[3], double q[4]) {
  double c[3], s[3];
  for (int k = 0; k < 3; k++) c[k] = cos(rpy[k] / 2), s[k] = sin(rpy[k] / 2);
  q[0] = s[0] * c[1] * c[2] - c[0] * s[1] * s[2];
  q[1] = c[0] * s[1] * c[2] + s[0] * c[1] * s[2];
  q[2] = c[0] * c[1] * s[2] - s[0] * s[1] * c[2];
  q[3] = c[0] * c[1] * c[2] + s[0] * s[1] * s[2];
}

// ---- contacts ----------------------------------------------------------------------------------

// Which kinds may have a key, as bits; those that may must.
static const struct {
  const char *key;
  unsigned kinds;
} fits[] = {{"radius", 1u << SPHERE | 1u << CAPSULE | 1u << CYLINDER},
            {"length", 1u << CAPSULE | 1u << CYLINDER},
            {"sides", 1u << BOX},
            {"points", 1u << HULL}};

static bool check_keys(ap__scenario_reader *r, const ap__node *n, const ap__scenario_contact *c) {
  ap__yaml *y = &r->yaml;
  static const char *const of_shapes[] = {"rpy", "restitution", "friction", "rolling_friction",
                                          "spinning_friction"};
  for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++) {
    bool there = ap__yaml_has(y, "contact", c->seen, fits[i].key);
    bool fitting = fits[i].kinds >> c->shape & 1u;
    if (there && !fitting)
      return ap__yaml_fail(y, ap__line_of(n, fits[i].key),
                           "%s does not apply to a contact of shape %s (remove it)", fits[i].key,
                           kind_names[c->shape]);
    if (!there && fitting)
      return ap__yaml_fail(y, n->line, "a contact of shape %s without \"%s\" (it needs one)",
                           kind_names[c->shape], fits[i].key);
  }
  for (size_t i = 0; i < sizeof of_shapes / sizeof of_shapes[0] && c->shape == POINT; i++)
    if (ap__yaml_has(y, "contact", c->seen, of_shapes[i]))
      return ap__yaml_fail(y, ap__line_of(n, of_shapes[i]),
                           "%s does not apply to a contact without a shape (remove it, or add one)",
                           of_shapes[i]);
  return true;
}

// The corners of a hull.
static ap_hull *read_hull(ap__scenario_reader *r, const ap__node *n, ap_error *error) {
  ap__yaml *y = &r->yaml;
  ap_hull *hull = NULL;
  if (!ap__yaml_expect_list(y, "points", n, "three numbers each")) return NULL;
  double *x = calloc(3 * (size_t)n->length + 1, sizeof *x), *next = x;
  bool good = x != NULL || ap__yaml_no_memory(y);
  for (const ap__node *item = n->first; good && item; item = item->next, next += 3)
    good = ap__yaml_numbers(y, "points", item, 3, next);
  if (good && ap_hull_make(x, n->length, &hull, error))
    ap__yaml_fail(y, n->line, "points: %s (expected four or more, not in one plane)", error->text);
  free(x);
  return hull;
}

static bool keep_hull(ap__scenario_reader *r, ap_hull *hull, int line, ap_convex *shape) {
  ap_scenario *s = r->scenario;
  int corners, edges, faces;
  s->hulls[s->nhull++] = hull;
  ap_hull_counts(hull, &corners, &edges, &faces);
  *shape = ap_convex_of_hull(hull);
  return corners <= MOST_CORNERS ||
         ap__yaml_fail(&r->yaml, line, "a hull of %d corners (at most %d: leave some out)", corners,
                       MOST_CORNERS);
}

// Coefficients of a contact, or of the map of collisions.
static bool check_coefficients(ap__scenario_reader *r, const ap__node *n, double restitution,
                               double friction, double rolling, double spinning) {
  if (!(restitution >= 0 && restitution <= 1))
    return ap__yaml_fail(&r->yaml, ap__line_of(n, "restitution"), "restitution: %g (from 0 to 1)",
                         restitution);
  if (!(friction >= 0))
    return ap__yaml_fail(&r->yaml, ap__line_of(n, "friction"), "friction: %g (0 or more)",
                         friction);
  return ap__scenario_turning(r, n, rolling, spinning);
}

bool ap__scenario_read_shape(ap__scenario_reader *r, const ap__node *n,
                             const ap__scenario_contact *c, ap_contact_point *point) {
  ap_scenario *s = r->scenario;
  ap_convex *shape = &s->shapes[point - s->contacts];
  ap_error own = {0};
  ap_status status = AP_OK;
  if (!check_keys(r, n, c)) return false;
  if (c->shape == POINT) return true;
  if (c->shape == SPHERE) status = ap_convex_sphere(c->radius, shape, &own);
  if (c->shape == CAPSULE) status = ap_convex_capsule(c->radius, c->length, shape, &own);
  if (c->shape == CYLINDER) status = ap_convex_cylinder(c->radius, c->length, shape, &own);
  if (c->shape == BOX) status = ap_convex_box(c->sides, shape, &own);
  if (status) return ap__yaml_fail(&r->yaml, n->line, "contacts: %s", own.text);
  if (c->shape == HULL) {
    ap_hull *hull = read_hull(r, c->points, &own);
    if (!hull || !keep_hull(r, hull, n->line, shape)) return false;
  }
  if (!check_coefficients(r, n, c->restitution, c->friction, c->rolling_friction,
                          c->spinning_friction))
    return false;
  orientation_of(c->rpy, point->orientation);
  point->shape = shape;
  point->restitution = c->restitution;
  point->friction = c->friction;
  point->rolling_friction = c->rolling_friction;
  point->spinning_friction = c->spinning_friction;
  return true;
}

// ---- the robot's own ---------------------------------------------------------------------------

// Whether shapes k, k + 1 and k + 2 of a body are a capsule, as files without capsules write it: a
// cylinder and two balls at its ends.
static bool is_capsule(const ap_robot *robot, int body, int k) {
  const ap_shape *c = ap_robot_shape(robot, body, k);
  double q[4];
  orientation_of(c->rpy, q);
  const double axis[3] = {2 * (q[0] * q[2] + q[3] * q[1]), 2 * (q[1] * q[2] - q[3] * q[0]),
                          1 - 2 * (q[0] * q[0] + q[1] * q[1])};
  for (int end = 0; end < 2; end++) {
    const ap_shape *ball = ap_robot_shape(robot, body, k + 1 + end);
    if (!ball || ball->kind != AP_SHAPE_SPHERE || ball->collision != c->collision) return false;
    if (ball->contype != c->contype || ball->conaffinity != c->conaffinity) return false;
    if (fabs(ball->size[0] - c->size[0]) > 1e-9 * c->size[0]) return false;
    double way = (end ? 0.5 : -0.5) * c->size[1];
    for (int i = 0; i < 3; i++)
      if (fabs(ball->xyz[i] - c->xyz[i] - way * axis[i]) > 1e-9 * (c->size[1] + 1)) return false;
  }
  return true;
}

static ap_status hull_of_mesh(ap__scenario_reader *r, const ap_shape *shape, ap_hull **hull,
                              ap_error *error) {
  ap__mesh mesh = {0};
  char *path = NULL;
  const char *file = r->scenario->nfile > 0 ? r->scenario->file[0] : NULL;
  ap_status status = ap_mesh_find(shape->file ? shape->file : "", file, &path, error);
  if (!status) status = ap__mesh_load(&mesh, path, error);
  for (int i = 0; i < 3 * mesh.nvertex && !status; i++) mesh.vertex[i] *= shape->size[i % 3];
  if (!status) status = ap_hull_make(mesh.vertex, mesh.nvertex, hull, error);
  ap__mesh_free(&mesh);
  free(path);
  return status;
}

static bool takes_cylinders(const ap__scenario_reader *r, ap_error *error);

// A shape of the file as one that touches. False, and a remark in *error: it is none; *taken: how
// many shapes of the file it is made of.
static bool take_shape(ap__scenario_reader *r, int body, int k, ap_convex *shape, int *taken,
                       ap_error *error) {
  const ap_robot *robot = r->scenario->robot;
  const ap_shape *own = ap_robot_shape(robot, body, k);
  ap_hull *hull = NULL;
  int corners = 0, edges, faces;
  *taken = 1;
  switch (own->kind) {
    case AP_SHAPE_SPHERE: return !ap_convex_sphere(own->size[0], shape, error);
    case AP_SHAPE_BOX: return !ap_convex_box(own->size, shape, error);
    case AP_SHAPE_CYLINDER:
      if (is_capsule(robot, body, k)) {
        *taken = 3;
        return !ap_convex_capsule(own->size[0], own->size[1], shape, error);
      }
      if (!takes_cylinders(r, error)) return false;
      return !ap_convex_cylinder(own->size[0], own->size[1], shape, error);
    case AP_SHAPE_MESH:
      if (hull_of_mesh(r, own, &hull, error)) return false;
      r->scenario->hulls[r->scenario->nhull++] = hull;
      ap_hull_counts(hull, &corners, &edges, &faces);
      *shape = ap_convex_of_hull(hull);
      snprintf(error->text, sizeof error->text, "its hull has %d corners (at most %d)", corners,
               MOST_CORNERS);
      return corners <= MOST_CORNERS;
    default:
      snprintf(error->text, sizeof error->text, "it is no box, sphere, capsule, cylinder or mesh");
      return false;
  }
}

// Whether shape k of a body may touch: a geom of MJCF by its bits; of other files one for
// collision, or any where the body has no such shape.
static bool may_touch(const ap_robot *robot, int body, int k) {
  const ap_shape *shape = ap_robot_shape(robot, body, k);
  if (shape->masked) return shape->contype || shape->conaffinity;
  if (shape->collision) return true;
  for (int i = 0; ap_robot_shape(robot, body, i); i++)
    if (ap_robot_shape(robot, body, i)->collision) return false;
  return true;
}

int ap__scenario_collisions(const ap__scenario_reader *r) {
  const ap_robot *robot = r->scenario->robot;
  int n = 0;
  if (!ap__yaml_has(&r->yaml, "scenario", r->seen, "collisions")) return 0;
  for (int body = 1; body < ap_nbody(r->scenario->model); body++)
    for (int k = 0; ap_robot_shape(robot, body, k); k++) n += may_touch(robot, body, k);
  return n;
}

// Whether cylinders touch a wall (docs/impacts.md, "Walls and shapes").
static bool touches_cylinders(const ap_wall *w) {
  switch (w->kind) {
    case AP_WALL_PLANE:
    case AP_WALL_BOX:
    case AP_WALL_DISC:
    case AP_WALL_RECTANGLE:
    case AP_WALL_STAIRS:
    case AP_WALL_HEIGHT_FIELD: return true;
    case AP_WALL_CIRCLE:
    case AP_WALL_CYLINDER:
    case AP_WALL_SPHERE:
    case AP_WALL_CAPPED_CYLINDER: return !w->inside;
    default: return false;
  }
}

// Whether cylinders of the robot file can touch all walls.
static bool takes_cylinders(const ap__scenario_reader *r, ap_error *error) {
  const ap_scene *s = &r->scenario->scene;
  for (int i = 0; i < s->nwall; i++) {
    const ap_wall *w = &s->wall[i];
    if (touches_cylinders(w)) continue;
    snprintf(error->text, sizeof error->text, "cylinders cannot touch wall \"%.*s\"",
             ap__shown(w->name), w->name ? w->name : "wall");
    return false;
  }
  return true;
}

bool ap__scenario_take_collisions(ap__scenario_reader *r) {
  ap_scenario *s = r->scenario;
  const ap__scenario_collisions_map *c = &r->head.collisions;
  const ap__node *map = ap__child(r->yaml.root, "collisions");
  int line = ap__line_of(r->yaml.root, "collisions"), wanted = ap__scenario_collisions(r);
  if (map && !check_coefficients(r, map, c->restitution, c->friction, c->rolling_friction,
                                 c->spinning_friction))
    return false;
  if (map && wanted == 0 &&
      !ap__scenario_warn(
          r, line, "collisions: the robot has no shapes that may touch: nothing of it touches"))
    return false;
  for (int body = 1; body < ap_nbody(s->model) && wanted > 0; body++) {
    int number = 0, taken = 1;
    for (int k = 0; ap_robot_shape(s->robot, body, k); k += taken) {
      const ap_shape *own = ap_robot_shape(s->robot, body, k);
      ap_error why = {0};
      int i = s->scene.npoint;
      char name[128];
      taken = 1;
      if (!may_touch(s->robot, body, k)) continue;
      const char *link = s->model->link[body].name;
      if (!take_shape(r, body, k, &s->shapes[i], &taken, &why)) {
        if (!ap__scenario_warn(r, line, "collisions: a shape of link \"%.*s\" is left out: %s",
                               ap__shown(link), link, why.text))
          return false;
        continue;
      }
      int length = snprintf(name, sizeof name, "%.90s_shape%d", link, ++number);
      ap_contact_point *p = &s->contacts[s->scene.npoint++];
      *p = (ap_contact_point){.name = ap__pool_text(&s->source.pool, name, (size_t)length),
                              .body = body,
                              .at = {own->xyz[0], own->xyz[1], own->xyz[2]},
                              .shape = &s->shapes[i],
                              .restitution = c->restitution,
                              .friction = c->friction,
                              .rolling_friction = c->rolling_friction,
                              .spinning_friction = c->spinning_friction,
                              .contype = own->contype,
                              .conaffinity = own->conaffinity};
      orientation_of(own->rpy, p->orientation);
      s->contact_materials[i] = c->material;
      if (!p->name) return ap__yaml_no_memory(&r->yaml);
    }
  }
  return true;
}

// ---- the start ---------------------------------------------------------------------------------

bool ap__scenario_check_shapes(ap__scenario_reader *r) {
  const ap_scenario *s = r->scenario;
  ap_sim *sim = NULL;
  ap_error own = {0};
  bool any = false;
  for (int i = 0; i < s->scene.npoint; i++) any = any || s->scene.point[i].shape;
  if (!any) return true;
  ap_status status = ap_sim_create(&s->scene, &sim, &own);
  int line = ap__line_of(r->yaml.root, status || !r->head.start ? "contacts" : "start");
  if (!status) status = ap_sim_start(sim, s->start, s->q, s->v, &own);
  ap_sim_free(sim);
  return !status || ap__yaml_fail(&r->yaml, line > 0 ? line : r->head.robot->line, "%s", own.text);
}
