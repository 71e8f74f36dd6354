// SPDX-License-Identifier: Apache-2.0
// Walls and contact points of a scenario, and whether the start is free of both.

#include <appell/kin.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/names.h"
#include "sim/run.h"
#include "sim/scenario.h"

// ---- walls -------------------------------------------------------------------------------------

static const char *const kind_names[] = {"plane",  "circle",    "ellipse",     "cylinder",
                                         "sphere", "ellipsoid", "torus",       "profile",
                                         "disc",   "rectangle", "box",         "capped_cylinder",
                                         "cone",   "stairs",    "height_field"};

// Kinds as bits.
#define OF(kind) (1u << (kind))
enum {
  ROUND = OF(AP_WALL_CIRCLE) | OF(AP_WALL_CYLINDER) | OF(AP_WALL_SPHERE),
  OVAL = OF(AP_WALL_ELLIPSE) | OF(AP_WALL_ELLIPSOID),
  TORUS = OF(AP_WALL_TORUS),
  PROFILE = OF(AP_WALL_PROFILE),
  PLANE = OF(AP_WALL_PLANE),
  DISC = OF(AP_WALL_DISC),
  RECTANGLE = OF(AP_WALL_RECTANGLE),
  BOX = OF(AP_WALL_BOX),
  CAPPED = OF(AP_WALL_CAPPED_CYLINDER),
  CONE = OF(AP_WALL_CONE),
  STAIRS = OF(AP_WALL_STAIRS),
  FIELD = OF(AP_WALL_HEIGHT_FIELD),
  FLAT = PLANE | DISC | RECTANGLE,
  TURNED = OVAL | PROFILE | RECTANGLE | BOX | STAIRS | FIELD
};

// Which kinds may have a key, and which must.
static const struct {
  const char *key;
  unsigned may, must;
} fits[] = {{"normal", FLAT, 0},
            {"axis", ROUND | OVAL | TORUS | PROFILE | BOX | CAPPED | CONE | STAIRS | FIELD, 0},
            {"x", TURNED | FLAT | ROUND | CAPPED | CONE | TORUS, 0},
            {"radius", ROUND | DISC | CAPPED | CONE, ROUND | DISC | CAPPED | CONE},
            {"semi_axes", OVAL, OVAL},
            {"lengths", RECTANGLE | BOX, RECTANGLE | BOX},
            {"length", CAPPED | CONE, CAPPED | CONE},
            {"top_radius", CONE, 0},
            {"steps", STAIRS, STAIRS},
            {"rise", STAIRS, STAIRS},
            {"run", STAIRS, STAIRS},
            {"heights", FIELD, FIELD},
            {"spacing", FIELD, 0},
            {"ring", TORUS, TORUS},
            {"tube", TORUS, TORUS},
            {"points", PROFILE, PROFILE},
            {"inside", ROUND | OVAL | TORUS | BOX | CAPPED | CONE, 0}};

static bool check_keys(ap__scenario_reader *r, const ap__scenario_wall *w) {
  ap__yaml *y = &r->yaml;
  unsigned kind = OF(w->kind);
  for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++) {
    bool there = ap__yaml_has(y, "wall", w->seen, fits[i].key);
    if (!there && (fits[i].must & kind))
      return ap__yaml_fail(y, w->node->line, "a wall of kind %s without \"%s\" (it needs one)",
                           kind_names[w->kind], fits[i].key);
    if (!there || (fits[i].may & kind)) continue;
    bool axis = (kind & FLAT) && strcmp(fits[i].key, "axis") == 0;
    return ap__yaml_fail(y, ap__line_of(w->node, fits[i].key),
                         "%s does not apply to a wall of kind %s (remove it%s%s%s)", fits[i].key,
                         kind_names[w->kind], axis ? "; the direction of a " : "",
                         axis ? kind_names[w->kind] : "", axis ? " is its normal" : "");
  }
  return true;
}

static bool check_length(ap__scenario_reader *r, const ap__scenario_wall *w, const char *key,
                         double x) {
  ap__yaml *y = &r->yaml;
  return (x >= 1e-9 && x <= 1e9) ||
         ap__yaml_fail(y, ap__line_of(w->node, key), "%s: %g m (between 1e-9 and 1e9 m)", key, x);
}

// The sizes of walls that end.
static bool set_ends(ap__scenario_reader *r, ap__scenario_wall *w) {
  ap__yaml *y = &r->yaml;
  double *size = w->wall.size;
  unsigned kind = OF(w->kind);
  if (kind & (RECTANGLE | BOX)) {
    int count = kind & BOX ? 3 : 2;
    if (!ap__yaml_numbers(y, "lengths", w->lengths, count, size)) return false;
    for (int i = 0; i < count; i++)
      if (!check_length(r, w, "lengths", size[i])) return false;
  } else if (kind & (CAPPED | CONE)) {
    size[0] = w->radius, size[1] = w->length, size[2] = w->top_radius;
    if (!check_length(r, w, "radius", size[0]) || !check_length(r, w, "length", size[1]))
      return false;
    if (!(size[2] >= 0 && size[2] <= 1e9))
      return ap__yaml_fail(y, ap__line_of(w->node, "top_radius"),
                           "top_radius: %g m (between 0 and 1e9 m)", size[2]);
  } else if (kind & STAIRS) {
    size[0] = w->rise, size[1] = w->run;
    w->wall.count = w->steps >= 1 && w->steps <= 1000 ? (int)w->steps : 0;
    if (w->wall.count != w->steps)
      return ap__yaml_fail(y, ap__line_of(w->node, "steps"),
                           "steps: %g (a whole number from 1 to 1000)", w->steps);
    return check_length(r, w, "rise", size[0]) && check_length(r, w, "run", size[1]);
  } else if (kind & FIELD) {
    for (int i = 0; i < 2; i++) {
      size[i] = w->spacing[i];
      if (!check_length(r, w, "spacing", size[i])) return false;
    }
  }
  return true;
}

static bool set_size(ap__scenario_reader *r, ap__scenario_wall *w) {
  ap__yaml *y = &r->yaml;
  double *size = w->wall.size;
  unsigned kind = OF(w->kind);
  if (kind & DISC) {
    size[0] = w->radius;
    return check_length(r, w, "radius", size[0]);
  }
  if (kind & (RECTANGLE | BOX | CAPPED | CONE | STAIRS | FIELD)) return set_ends(r, w);
  if (kind & ROUND) {
    size[0] = w->radius;
    return check_length(r, w, "radius", size[0]);
  }
  if (kind & TORUS) {
    size[0] = w->ring;
    size[1] = w->tube;
    if (!check_length(r, w, "ring", size[0]) || !check_length(r, w, "tube", size[1])) return false;
    return size[1] < size[0] ||
           ap__yaml_fail(y, ap__line_of(w->node, "tube"),
                         "tube: %g m in a ring of %g m (it must be smaller than the ring)", size[1],
                         size[0]);
  }
  int count = w->kind == AP_WALL_ELLIPSE ? 2 : 3;
  if (!(kind & OVAL)) return true;
  if (!ap__yaml_numbers(y, "semi_axes", w->semi_axes, count, size)) return false;
  for (int i = 0; i < count; i++)
    if (!check_length(r, w, "semi_axes", size[i])) return false;
  return true;
}

static bool read_points(ap__scenario_reader *r, ap__scenario_wall *w, double *x) {
  ap__yaml *y = &r->yaml;
  const ap__node *n = w->points;
  w->wall.points = x;
  w->wall.npoint = n->length;
  if (n->length < 2)
    return ap__yaml_fail(y, n->line, "points: %d of them (at least 2 are needed)", n->length);
  double last = -INFINITY;
  for (const ap__node *item = n->first; item; item = item->next) {
    if (!ap__yaml_numbers(y, "points", item, 2, x)) return false;
    if (!(x[0] > last))
      return ap__yaml_fail(y, item->line, "points: x is %g m after %g m (x must increase)", x[0],
                           last);
    last = x[0];
    x += 2;
  }
  return true;
}

// The rows of a height field, all of one length.
static bool read_heights(ap__scenario_reader *r, ap__scenario_wall *w, double *x) {
  ap__yaml *y = &r->yaml;
  const ap__node *n = w->heights;
  int columns = n->first->length;
  w->wall.points = x;
  w->wall.count = columns;
  w->wall.npoint = n->length * columns;
  if (n->length < 2 || columns < 2)
    return ap__yaml_fail(y, n->line, "heights: %d rows of %d (at least 2 rows of 2 are needed)",
                         n->length, columns);
  for (const ap__node *row = n->first; row; row = row->next, x += columns)
    if (!ap__yaml_numbers(y, "heights", row, columns, x)) return false;
  return true;
}

// How many numbers the points or heights of a wall have; -1: they are no lists.
static long count_points(ap__scenario_reader *r, const ap__scenario_wall *w) {
  long count = 0;
  if (w->points) {
    if (!ap__yaml_expect_list(&r->yaml, "points", w->points, "pairs of numbers")) return -1;
    count = 2 * (long)w->points->length;
  }
  if (!w->heights) return count;
  if (!ap__yaml_expect_list(&r->yaml, "heights", w->heights, "rows of numbers")) return -1;
  const ap__node *row = w->heights->first;
  if (!row || !ap__yaml_expect_list(&r->yaml, "heights", row, "rows of numbers")) {
    if (!row) ap__yaml_fail(&r->yaml, w->heights->line, "heights: none (rows of numbers)");
    return -1;
  }
  return count + (long)w->heights->length * row->length;
}

bool ap__scenario_turning(ap__scenario_reader *r, const ap__node *n, double rolling,
                          double spinning) {
  const bool rolls = rolling >= 0 && rolling <= AP__MOST_TURNING;
  const char *key = rolls ? "spinning_friction" : "rolling_friction";
  if (rolls && spinning >= 0 && spinning <= AP__MOST_TURNING) return true;
  return ap__yaml_fail(&r->yaml, ap__line_of(n, key), "%s: %g m (it must be from 0 to %g)", key,
                       rolls ? spinning : rolling, AP__MOST_TURNING);
}

// What a file says is not "the same as friction", which 0 means in C.
static bool check_frictions(ap__scenario_reader *r, const ap__node *n, double friction,
                            double static_friction, double across) {
  ap__yaml *y = &r->yaml;
  if (ap__child(n, "static_friction") && !(static_friction >= friction))
    return ap__yaml_fail(y, ap__line_of(n, "static_friction"),
                         "static_friction: %g is below friction, %g (it must be at least as large)",
                         static_friction, friction);
  return !ap__child(n, "friction_across") || across > 0 ||
         ap__yaml_fail(y, ap__line_of(n, "friction_across"),
                       "friction_across: %g (it must be from 1e-3 to 1e3 times friction)", across);
}

// Nor that of a motion "the wall's".
static bool check_axis(ap__scenario_reader *r, const ap__scenario_wall *w) {
  const ap__node *motion = ap__child(w->node, "motion");
  const double *axis = w->wall.motion.axis;
  if (!motion || !ap__child(motion, "axis") || axis[0] != 0 || axis[1] != 0 || axis[2] != 0)
    return true;
  return ap__yaml_fail(&r->yaml, ap__line_of(motion, "axis"),
                       "axis: 0 0 0 (it must be a direction, such as 0 0 1)");
}

static bool finish_wall(ap__scenario_reader *r, ap__scenario_wall *w, double *points) {
  ap__yaml *y = &r->yaml;
  ap_wall *wall = &w->wall;
  wall->kind = (ap_wall_kind)w->kind;
  wall->inside = w->inside;
  if (OF(w->kind) & FLAT) memcpy(wall->axis, w->normal, sizeof wall->axis);
  if (!check_keys(r, w) || !set_size(r, w)) return false;
  if (!(wall->restitution >= 0 && wall->restitution <= 1))
    return ap__yaml_fail(y, ap__line_of(w->node, "restitution"),
                         "restitution: %g (between 0, no rebound, and 1, no loss)",
                         wall->restitution);
  if (!(wall->friction >= 0 && wall->friction <= AP__MOST_FRICTION))
    return ap__yaml_fail(y, ap__line_of(w->node, "friction"),
                         "friction: %g (it must be from 0 to %g)", wall->friction,
                         AP__MOST_FRICTION);
  if (!check_frictions(r, w->node, wall->friction, wall->static_friction, wall->friction_across) ||
      !check_axis(r, w))
    return false;
  if (!ap__scenario_turning(r, w->node, wall->rolling_friction, wall->spinning_friction))
    return false;
  if (w->heights) return read_heights(r, w, points);
  return !w->points || read_points(r, w, points);
}

// Names of walls that have none, and no name twice.
static bool name_walls(ap__scenario_reader *r, ap__names *names) {
  for (int i = 0; i < r->nwall; i++) {
    ap__scenario_wall *w = &r->walls[i];
    if (!w->wall.name) {
      char name[24];
      int length = snprintf(name, sizeof name, "wall%d", i + 1);
      w->wall.name = ap__pool_text(&r->scenario->source.pool, name, (size_t)length);
      if (!w->wall.name) return ap__yaml_no_memory(&r->yaml);
    }
    int other = ap__names_put(names, w->wall.name, i);
    if (other >= 0)
      return ap__yaml_fail(
          &r->yaml, w->node->line,
          "the name \"%.*s\" is already used by the wall on line %d (names must be unique)",
          ap__shown(w->wall.name), w->wall.name, r->walls[other].node->line);
  }
  return true;
}

bool ap__scenario_read_walls(ap__scenario_reader *r) {
  ap_scenario *s = r->scenario;
  size_t points = 0;
  for (int i = 0; i < r->nwall; i++) {
    long count = count_points(r, &r->walls[i]);
    if (count < 0) return false;
    points += (size_t)count;
  }
  ap__names names = {0};
  s->walls = calloc((size_t)r->nwall + 1, sizeof *s->walls);
  s->points = calloc(points + 1, sizeof *s->points);
  if (!s->walls || !s->points || !ap__names_init(&names, r->nwall))
    return ap__yaml_no_memory(&r->yaml);
  bool good = name_walls(r, &names);
  ap__names_free(&names);
  double *next = s->points;
  for (int i = 0; good && i < r->nwall; i++) {
    good = finish_wall(r, &r->walls[i], next);
    next += count_points(r, &r->walls[i]);
    s->walls[i] = r->walls[i].wall;
  }
  s->scene.wall = s->walls;
  s->scene.nwall = r->nwall;
  return good;
}

// ---- contact points ----------------------------------------------------------------------------

static bool unknown_frame(ap__scenario_reader *r, const ap__node *n) {
  const ap_model *m = r->scenario->model;
  const char *meant = NULL;
  int least = INT_MAX;
  for (int i = 1; i < ap_nframe(m); i++)
    if (ap__name_nearer(n->text, ap_frame_name(m, i), &least)) meant = ap_frame_name(m, i);
  if (meant)
    return ap__yaml_fail(&r->yaml, n->line,
                         "contacts: the robot has no frame \"%.*s\" (did you mean \"%.*s\"?)",
                         ap__shown(n->text), n->text, ap__shown(meant), meant);
  return ap__yaml_fail(&r->yaml, n->line,
                       "contacts: the robot has no frame \"%.*s\" (`appell info` lists them; or "
                       "{link: NAME, at: [x, y, z]})",
                       ap__shown(n->text), n->text);
}

static bool read_frame_contact(ap__scenario_reader *r, const ap__node *n, ap_contact_point *point) {
  const ap_model *m = r->scenario->model;
  if (!ap__yaml_text(&r->yaml, "contacts", n, &point->name)) return false;
  int frame = ap_find_frame(m, point->name);
  if (frame < 0) return unknown_frame(r, n);
  point->body = frame;
  if (frame < ap_nbody(m)) return true;
  const ap_frame_def *def = &ap_robot_definition(r->scenario->robot)->frames[frame - ap_nbody(m)];
  point->body = def->body;
  memcpy(point->at, def->xyz, sizeof point->at);
  return true;
}

static bool read_contact(ap__scenario_reader *r, const ap__node *n, ap_contact_point *point) {
  if (n->kind == AP__SCALAR) {
    if (!read_frame_contact(r, n, point)) return false;
  } else {
    ap__scenario_contact contact = {0};
    if (!ap__yaml_read_map(&r->yaml, n, "contact", &contact)) return false;
    point->name = contact.name ? contact.name : contact.link;
    point->body = ap__scenario_link(r, "contacts", n->line, contact.link);
    if (point->body < 0) return false;
    memcpy(point->at, contact.at, sizeof point->at);
    for (int k = 0; k < 3; k++)
      if (!(fabs(contact.at[k]) <= 1e9))
        return ap__yaml_fail(&r->yaml, ap__line_of(n, "at"), "at: %g m (at most 1e9 m)",
                             contact.at[k]);
    r->scenario->contact_materials[point - r->scenario->contacts] = contact.material;
    if (!ap__scenario_read_shape(r, n, &contact, point)) return false;
  }
  return ap_body_mover(r->scenario->model, point->body) != 0 ||
         ap__yaml_fail(&r->yaml, n->line,
                       "contacts: \"%.*s\" is fixed to the ground (expected a moving point)",
                       ap__shown(point->name), point->name);
}

static bool read_list(ap__scenario_reader *r, const ap__node *list, ap__names *names) {
  ap__yaml *y = &r->yaml;
  int i = 0;
  for (const ap__node *n = list->first; n; n = n->next, i++) {
    ap_contact_point *point = &r->scenario->contacts[i];
    if (!read_contact(r, n, point)) return false;
    if (ap__names_put(names, point->name, i) >= 0)
      return ap__yaml_fail(y, n->line, "contacts: duplicate name \"%.*s\" (names must be unique)",
                           ap__shown(point->name), point->name);
  }
  return true;
}

// Room for n contacts and the robot's own shapes.
static bool make_room(ap__scenario_reader *r, int n) {
  ap_scenario *s = r->scenario;
  size_t most = (size_t)n + (size_t)ap__scenario_collisions(r) + 1;
  s->contacts = calloc(most, sizeof *s->contacts);
  s->contact_materials = calloc(most, sizeof *s->contact_materials);
  s->shapes = calloc(most, sizeof *s->shapes);
  s->hulls = (ap_hull **)calloc(most, sizeof(void *));
  return (s->contacts && s->contact_materials && s->shapes && s->hulls) ||
         ap__yaml_no_memory(&r->yaml);
}

static bool default_contacts(ap__scenario_reader *r) {
  ap_scenario *s = r->scenario;
  int n = ap_default_contact_points(s->model, NULL, 0);
  if (!make_room(r, n)) return false;
  s->scene.npoint = ap_default_contact_points(s->model, s->contacts, n);
  return true;
}

static bool named_contacts(ap__scenario_reader *r, const ap__node *list) {
  ap_scenario *s = r->scenario;
  ap__yaml *y = &r->yaml;
  if (!ap__yaml_expect_list(y, "contacts", list, "frames or maps")) return false;
  if (list->length > AP__MAX_LISTED)
    return ap__yaml_fail(y, list->line, "contacts has %d entries (at most %d)", list->length,
                         AP__MAX_LISTED);
  ap__names names = {0};
  bool good =
      make_room(r, list->length) && (ap__names_init(&names, list->length) || ap__yaml_no_memory(y));
  good = good && read_list(r, list, &names);
  ap__names_free(&names);
  s->scene.npoint = list->length;
  return good;
}

bool ap__scenario_read_contacts(ap__scenario_reader *r) {
  ap_scenario *s = r->scenario;
  ap__yaml *y = &r->yaml;
  const ap__node *list = r->head.contacts;
  bool own = ap__yaml_has(y, "scenario", r->seen, "collisions");
  if (!(list ? named_contacts(r, list) : own ? make_room(r, 0) : default_contacts(r))) return false;
  if (!ap__scenario_take_collisions(r)) return false;
  s->scene.point = s->contacts;
  int line = ap__line_of(y->root, list ? "contacts" : "walls");
  if (s->scene.nwall && !s->scene.npoint)
    return ap__scenario_warn(r, line, "there are walls, but no contact points: nothing touches");
  long pairs = (long)s->scene.nwall * s->scene.npoint;
  return pairs <= AP__MAX_PAIRS ||
         ap__yaml_fail(y, line, "%d contact points and %d walls give %ld pairs (at most %d)",
                       s->scene.npoint, s->scene.nwall, pairs, AP__MAX_PAIRS);
}

// ---- materials ---------------------------------------------------------------------------------

// Whether a material is in an entry.
static bool known_material(ap__scenario_reader *r, const char *name, int line) {
  const ap_scene *scene = &r->scenario->scene;
  for (int i = 0; i < scene->nmaterial; i++)
    if (strcmp(name, scene->material[i].one) == 0 || strcmp(name, scene->material[i].other) == 0)
      return true;
  return ap__yaml_fail(&r->yaml, line, "material: \"%.*s\" is in no entry of materials",
                       ap__shown(name), name);
}

static bool read_between(ap__scenario_reader *r, ap__scenario_material *m) {
  ap__yaml *y = &r->yaml;
  const ap__node *n = m->between;
  if (!ap__yaml_expect_list(y, "between", n, "two names")) return false;
  if (n->length != 2)
    return ap__yaml_fail(y, n->line, "between: %d names (expected two)", n->length);
  return ap__yaml_text(y, "between", n->first, &m->pair.one) &&
         ap__yaml_text(y, "between", n->first->next, &m->pair.other);
}

bool ap__scenario_read_materials(ap__scenario_reader *r) {
  ap_scenario *s = r->scenario;
  s->materials = calloc((size_t)r->nmaterial + 1, sizeof *s->materials);
  if (!s->materials) return ap__yaml_no_memory(&r->yaml);
  for (int i = 0; i < r->nmaterial; i++) {
    ap__scenario_material *m = &r->materials[i];
    const ap_material_pair *p = &m->pair;
    if (!read_between(r, m) ||
        !check_frictions(r, m->node, p->friction, p->static_friction, p->friction_across))
      return false;
    s->materials[i] = m->pair;
    ap_scene one = {.material = &m->pair, .nmaterial = 1};
    ap_error own = {0};
    if (ap__scene_check_materials(&one, &own))
      return ap__yaml_fail(&r->yaml, m->node->line, "%s", own.text);
  }
  s->scene.material = s->materials;
  s->scene.nmaterial = r->nmaterial;
  for (int i = 0; i < r->nwall; i++)
    if (s->walls[i].material && !known_material(r, s->walls[i].material, r->walls[i].node->line))
      return false;
  s->scene.point_material = s->contact_materials;
  for (int i = 0; i < s->scene.npoint && s->contact_materials; i++)
    if (s->contact_materials[i] &&
        !known_material(r, s->contact_materials[i],
                        r->head.contacts ? r->head.contacts->line : r->head.robot->line))
      return false;
  return true;
}

// ---- the start ---------------------------------------------------------------------------------

// Where the points are at the start: x y z of each. NULL: no memory.
static double *start_points(const ap_scenario *s) {
  const ap_scene *scene = &s->scene;
  size_t size = ap_work_size(s->model);
  void *memory = malloc(size);
  double *place = calloc(3 * (size_t)scene->npoint + 1, sizeof *place);
  if (memory && place) {
    ap_work *w = ap_work_init(s->model, memory, size);
    ap_kinematics(s->model, w, s->q, NULL, NULL);
    for (int i = 0; i < scene->npoint; i++) {
      double R[9], p[3];
      const double *at = scene->point[i].at;
      ap_frame_pose(s->model, w, scene->point[i].body, R, p);
      for (int k = 0; k < 3; k++)
        place[3 * i + k] = p[k] + R[3 * k] * at[0] + R[3 * k + 1] * at[1] + R[3 * k + 2] * at[2];
    }
  } else {
    free(place);
    place = NULL;
  }
  free(memory);
  return place;
}

static bool check_points(ap__scenario_reader *r, const ap_surface *surface, const ap_wall *wall,
                         int wall_line, const double *place) {
  ap__yaml *y = &r->yaml;
  const ap_scene *scene = &r->scenario->scene;
  int line = r->head.start ? r->head.start->line : wall_line;
  for (int i = 0; i < scene->npoint; i++) {
    const double *p = place + 3 * (size_t)i;
    ap_gap gap;
    if (scene->point[i].shape) continue; // ap__scenario_check_shapes() looks
    ap_surface_gap(surface, p, &gap);
    double slope = sqrt(gap.gradient[0] * gap.gradient[0] + gap.gradient[1] * gap.gradient[1] +
                        gap.gradient[2] * gap.gradient[2]);
    double distance = slope > 0 ? gap.c / slope : gap.c;
    if (distance >= -scene->depth) continue;
    const char *name = scene->point[i].name;
    return ap__yaml_fail(y, line,
                         "start: point \"%.*s\" at %.6g %.6g %.6g is %.3g m inside wall \"%.*s\" "
                         "of line %d (start in the free region)",
                         ap__shown(name), name, p[0], p[1], p[2], -distance, ap__shown(wall->name),
                         wall->name, wall_line);
  }
  return true;
}

static bool check_wall(ap__scenario_reader *r, int i, const double *place) {
  const ap_wall *wall = &r->scenario->walls[i];
  int line = r->walls[i].node->line;
  ap_error own = {0};
  const double *n = wall->axis;
  if ((OF(wall->kind) & FLAT) && n[0] == 0 && n[1] == 0 && n[2] == 0)
    return ap__yaml_fail(&r->yaml, ap__line_of(r->walls[i].node, "normal"),
                         "wall \"%.*s\": normal is 0 0 0 (it must be a direction, such as 0 0 1)",
                         ap__shown(wall->name), wall->name);
  size_t size = ap_surface_size(wall);
  void *memory = malloc(size);
  if (!memory) return ap__yaml_no_memory(&r->yaml);
  ap_surface *surface = ap_surface_init(wall, memory, size, &own);
  bool good = surface ? check_points(r, surface, wall, line, place)
                      : ap__yaml_fail(&r->yaml, line, "%s", own.text);
  free(memory);
  return good;
}

bool ap__scenario_check_start(ap__scenario_reader *r) {
  if (r->nwall == 0) return true;
  double *place = start_points(r->scenario);
  if (!place) return ap__yaml_no_memory(&r->yaml);
  bool good = true;
  for (int i = 0; good && i < r->nwall; i++) good = check_wall(r, i, place);
  free(place);
  return good;
}
