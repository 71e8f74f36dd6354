// SPDX-License-Identifier: Apache-2.0
// A scenario from a file or from memory: robot, times and integrator here; walls, starts and forces
// in the files beside this one.

#include "sim/scenario.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/join.h"
#include "file/names.h"

// ---- what the parts share ----------------------------------------------------------------------

bool ap__scenario_warn(ap__scenario_reader *r, int line, const char *format, ...) {
  ap_scenario *s = r->scenario;
  ap_error *warning = ap__append(&s->warnings, &s->nwarning, &s->warning_capacity, sizeof *warning);
  if (!warning) return ap__yaml_no_memory(&r->yaml);
  va_list arguments;
  va_start(arguments, format);
  ap__vfail(warning, AP_OK, line, format, arguments);
  va_end(arguments);
  return true;
}

ap_status ap__scenario_path(ap__scenario_reader *r, const char *name, const char **path,
                            ap_error *error) {
  ap_scenario *s = r->scenario;
  const ap_status status = ap__source_path(&s->source, name, path, error);
  if (status == AP_OK && s->nfile < AP__MAX_FILES) s->file[s->nfile++] = *path;
  return status;
}

// Names one after the other, as far as there is room.
static void add_name(char *list, size_t size, const char *name) {
  size_t used = strlen(list), length = strlen(name);
  const char *comma = used ? ", " : "";
  if (used + length + 6 <= size)
    snprintf(list + used, size - used, "%s%s", comma, name);
  else if (used && list[used - 1] != '.' && used + 6 <= size)
    snprintf(list + used, size - used, "%s...", comma);
}

static int unknown_joint(ap__scenario_reader *r, const char *what, const ap__node *name) {
  const ap_model *m = r->scenario->model;
  const char *meant = NULL;
  char all[200] = "";
  int least = INT_MAX;
  for (int i = 1; i < ap_nbody(m); i++) {
    if (ap_joint_nv(m, i) == 0) continue;
    const char *known = ap__joint_name(ap_body(m, i));
    if (ap__name_nearer(name->text, known, &least)) meant = known;
    add_name(all, sizeof all, known);
  }
  if (meant)
    ap__yaml_fail(&r->yaml, name->line,
                  "%s: the robot has no joint \"%.*s\" (did you mean \"%.*s\"?)", what,
                  ap__shown(name->text), name->text, ap__shown(meant), meant);
  else
    ap__yaml_fail(&r->yaml, name->line, "%s: the robot has no joint \"%.*s\" (it has: %s)", what,
                  ap__shown(name->text), name->text, *all ? all : "none that moves");
  return -1;
}

// The body whose joint has this name and coordinates of its own; -1 once the error is set. What:
// the list that names it.
static int find_joint(ap__scenario_reader *r, const char *what, const ap__node *name) {
  const ap_model *m = r->scenario->model;
  if (name->kind != AP__SCALAR) {
    ap__yaml_fail(&r->yaml, name->line, "a key of %s is %s (expected the name of a joint)", what,
                  ap__yaml_kind_of(name));
    return -1;
  }
  int body = ap_find_joint(m, name->text);
  if (body < 0) return unknown_joint(r, what, name);
  if (ap_joint_nv(m, body) > 0) return body;
  ap__yaml_fail(&r->yaml, name->line, "%s: the joint \"%.*s\" %s (expected an independent joint)",
                what, ap__shown(name->text), name->text,
                ap_body(m, body)->mimic ? "follows another" : "is fixed");
  return -1;
}

int ap__scenario_link(ap__scenario_reader *r, const char *what, int line, const char *name) {
  const ap_model *m = r->scenario->model;
  const char *meant = NULL;
  char all[200] = "";
  int least = INT_MAX, body = ap_find_body(m, name);
  if (body > 0) return body;
  for (int i = 1; i < ap_nbody(m); i++) {
    const char *known = ap_body(m, i)->name;
    if (ap__name_nearer(name, known, &least)) meant = known;
    add_name(all, sizeof all, known);
  }
  if (meant)
    ap__yaml_fail(&r->yaml, line, "%s: the robot has no link \"%.*s\" (did you mean \"%.*s\"?)",
                  what, ap__shown(name), name, ap__shown(meant), meant);
  else
    ap__yaml_fail(&r->yaml, line, "%s: the robot has no link \"%.*s\" (it has: %s)", what,
                  ap__shown(name), name, all);
  return -1;
}

bool ap__scenario_angle(ap__scenario_reader *r, const char *key, int line, double angle) {
  return fabs(angle) <= 1e3 ||
         ap__yaml_fail(&r->yaml, line, "%s: an angle of %g rad (radians between -1e3 and 1e3)", key,
                       angle);
}

bool ap__scenario_by_joint(ap__scenario_reader *r, const char *what, const ap__node *n,
                           ap__scenario_pair *read) {
  ap__yaml *y = &r->yaml;
  if (n->kind != AP__MAP)
    return ap__yaml_fail(y, n->line, "%s has %s (expected a map of joint names)", what,
                         ap__yaml_kind_of(n));
  bool *taken = calloc((size_t)ap_nbody(r->scenario->model), sizeof *taken);
  if (!taken) return ap__yaml_no_memory(y);
  bool good = true;
  for (const ap__node *key = n->first, *value; good && key; key = value->next) {
    value = key->next;
    int body = find_joint(r, what, key);
    if (body >= 0 && taken[body])
      good = ap__yaml_fail(y, key->line, "duplicate joint \"%.*s\" in %s (name it once)",
                           ap__shown(key->text), key->text, what);
    good = good && body >= 0 && read(r, body, value);
    if (good) taken[body] = true;
  }
  free(taken);
  return good;
}

// ---- robot -------------------------------------------------------------------------------------

static bool unknown_robot(ap__scenario_reader *r, int line, const char *name) {
  const char *meant = NULL;
  char all[160] = "";
  int least = INT_MAX;
  for (int kind = 0; kind < 2; kind++) {
    const char *known;
    for (int i = 0; (known = kind ? ap_mechanism_builtin_name(i) : ap_builtin_name(i)); i++) {
      if (ap__name_nearer(name, known, &least)) meant = known;
      add_name(all, sizeof all, known);
    }
  }
  if (meant)
    return ap__yaml_fail(&r->yaml, line,
                         "robot: there is no built-in \"%.*s\" (did you mean \"%s\"?)",
                         ap__shown(name), name, meant);
  return ap__yaml_fail(&r->yaml, line,
                       "robot: there is no built-in \"%.*s\" (%s, or a file .urdf, .xml or .yaml)",
                       ap__shown(name), name, all);
}

// Where a further robot stands: within what start positions and angles may be.
static bool check_place(ap__scenario_reader *r, const ap__scenario_other *o) {
  for (int k = 0; k < 3; k++) {
    if (!(fabs(o->xyz[k]) <= AP__SCENARIO_MOST))
      return ap__yaml_fail(&r->yaml, ap__line_of(o->node, "xyz"), "xyz: %g m (at most %g)",
                           o->xyz[k], AP__SCENARIO_MOST);
    if (!ap__scenario_angle(r, "rpy", ap__line_of(o->node, "rpy"), o->rpy[k])) return false;
  }
  return true;
}

// Geoms of the world are shapes of no link: who asks for collisions is told that they are left out.
static bool warn_of_ground(ap__scenario_reader *r, const ap_robot *robot, const char *name) {
  int n = robot->ground_geoms;
  if (n == 0 || !ap__yaml_has(&r->yaml, "scenario", r->seen, "collisions")) return true;
  return ap__scenario_warn(r, ap__line_of(r->yaml.root, "collisions"),
                           "collisions: %.*s:%d: %d geom%s of the world left out (what does not "
                           "move belongs in walls)",
                           ap__shown(name), name, robot->ground_geom_line, n, n > 1 ? "s" : "");
}

// Read one of the further robots and join it to the first.
static bool read_other(ap__scenario_reader *r, const ap__scenario_other *o) {
  const char *name, *path = NULL;
  ap_error own = {0};
  ap_robot *robot = NULL;
  ap_read_options options = {.floating = o->floating};
  if (!ap__yaml_text(&r->yaml, "robot", o->robot, &name) || !check_place(r, o)) return false;
  bool file = ap__format_of_path(name) != NULL;
  if (!file && ap_mechanism_builtin(name))
    return ap__yaml_fail(&r->yaml, o->robot->line,
                         "robot: %s has closed chains (only the first robot, alone, may have them)",
                         name);
  if (!file && !ap_builtin(name)) return unknown_robot(r, o->robot->line, name);
  ap_status status = file ? ap__scenario_path(r, name, &path, &own) : AP_OK;
  if (!status)
    status = file ? ap_robot_read(path, &options, &robot, &own)
                  : ap_robot_builtin(name, &options, &robot, &own);
  if (!status) status = ap__robot_join(r->scenario->robot, robot, o->name, o->xyz, o->rpy, &own);
  bool told = status || warn_of_ground(r, robot, name);
  ap_robot_free(robot);
  if (!told) return false;
  return !status || ap__yaml_fail_file(&r->yaml, o->robot->line, "robot", name, &own, "");
}

static ap_status open_robot(ap__scenario_reader *r, const char *name, ap_error *error) {
  ap_scenario *s = r->scenario;
  ap_read_options options = {.floating = r->head.floating,
                             .ignore_mimic = r->head.ignore_mimic,
                             .ignore_loops = r->head.ignore_loops};
  const ap_mechanism_def *mechanism = ap_mechanism_builtin(name);
  if (mechanism && (options.floating || options.ignore_mimic))
    return AP__REFUSE(error, AP_E_ARG, 0, "%s cannot be used with closed chains (remove it)",
                      options.floating ? "floating" : "ignore_mimic");
  if (mechanism) return ap_robot_from_mechanism(mechanism, &s->robot, error);
  if (!ap__format_of_path(name)) return ap_robot_builtin(name, &options, &s->robot, error);
  const char *path;
  const ap_status status = ap__scenario_path(r, name, &path, error);
  return status == AP_OK ? ap_robot_read(path, &options, &s->robot, error) : status;
}

// The tree, or the mechanism with its tree.
static ap_status make_model(ap_scenario *s, ap_error *error) {
  bool closed = ap_robot_mechanism(s->robot) != NULL;
  ap_status status = closed ? ap_mechanism_make(s->robot, &s->mechanism, error)
                            : ap_robot_model(s->robot, &s->made, error);
  if (!status) s->model = closed ? ap_mechanism_tree(s->mechanism) : s->made;
  return status;
}

static bool read_robot(ap__scenario_reader *r) {
  ap_scenario *s = r->scenario;
  const char *name;
  ap_error own = {0};
  if (!ap__yaml_text(&r->yaml, "robot", r->head.robot, &name)) return false;
  if (!ap__format_of_path(name) && !ap_builtin(name) && !ap_mechanism_builtin(name))
    return unknown_robot(r, r->head.robot->line, name);
  ap_status status = open_robot(r, name, &own);
  if (!status && !ap__yaml_reduce(&r->yaml, &r->head.part, s->robot)) return false;
  if (!status && s->source.edit) s->source.edit->apply(s->source.edit->context, s->robot, false);
  for (int i = 0; i < r->nother && !status; i++)
    if (!read_other(r, &r->others[i])) return false;
  if (!status) status = make_model(s, &own);
  if (status)
    return ap__yaml_fail_file(&r->yaml, r->head.robot->line, "robot", name, &own,
                              status == AP_E_FILE ? " (expected a file beside the scenario)" : "");
  if (r->head.branch && !s->mechanism)
    return ap__yaml_fail(&r->yaml, ap__line_of(r->yaml.root, "branch"),
                         "branch: the robot has no closed chains (remove it)");
  if (ap_nv(s->model) == 0)
    return ap__yaml_fail(
        &r->yaml, r->head.robot->line,
        "robot: nothing moves in %.*s (it needs a moving joint, or floating: true)",
        ap__shown(name), name);
  for (int i = 0; ap_robot_warning(s->robot, i); i++) {
    const ap_error *w = ap_robot_warning(s->robot, i);
    if (!ap__scenario_warn(r, r->head.robot->line, "robot: %.*s:%d: %s", ap__shown(name), name,
                           w->line, w->text))
      return false;
  }
  return warn_of_ground(r, s->robot, name);
}

// ---- times and integrator ----------------------------------------------------------------------

static bool check_positive(ap__scenario_reader *r, const char *key, double x) {
  ap__yaml *y = &r->yaml;
  return x > 0 ||
         ap__yaml_fail(y, ap__line_of(y->root, key), "%s: %g (it must be above 0)", key, x);
}

static bool check_times(ap__scenario_reader *r) {
  ap__yaml *y = &r->yaml;
  const ap__scenario_head *h = &r->head;
  ap_scenario *s = r->scenario;
  int line = ap__line_of(y->root, "output_step");
  if (!check_positive(r, "duration", h->duration) ||
      !check_positive(r, "output_step", h->output_step) || !check_positive(r, "depth", h->depth))
    return false;
  if (!(h->window >= 0))
    return ap__yaml_fail(y, ap__line_of(y->root, "window"), "window: %g (it must be 0 or more)",
                         h->window);
  if (!(h->depth <= 1e-3))
    return ap__yaml_fail(y, ap__line_of(y->root, "depth"),
                         "depth: %g m (at most 1e-3 m; start in the free region)", h->depth);
  if (!(h->most_contacts >= 1 && h->most_contacts <= 4096) ||
      h->most_contacts != floor(h->most_contacts))
    return ap__yaml_fail(y, ap__line_of(y->root, "most_contacts"),
                         "most_contacts: %g (a whole number from 1 to 4096)", h->most_contacts);
  if (!(h->duration / h->output_step <= AP__MAX_OUTPUTS) &&
      !ap__yaml_has(y, "scenario", r->seen, "output_step"))
    return ap__yaml_fail(
        y, ap__line_of(y->root, "duration"),
        "duration: %g s gives %.3g outputs, one every %g s (at most %d; use a longer output_step)",
        h->duration, h->duration / h->output_step, h->output_step, AP__MAX_OUTPUTS);
  if (!(h->duration / h->output_step <= AP__MAX_OUTPUTS))
    return ap__yaml_fail(y, line, "output_step: %g s gives %.3g outputs in %g s (at most %d)",
                         h->output_step, h->duration / h->output_step, h->duration,
                         AP__MAX_OUTPUTS);
  s->start = h->start_time;
  s->end = h->start_time + h->duration;
  s->step = h->output_step;
  // The times of the outputs must differ.
  double span = fabs(h->start_time) + h->duration;
  if (!isfinite(span) || span + h->output_step == span)
    return ap__yaml_fail(
        y, line, "output_step: %g s is below the resolution of times of %g s (use a longer step)",
        h->output_step, span);
  return true;
}

static bool check_integrator(ap__scenario_reader *r, const ap__node *n, unsigned seen) {
  ap__yaml *y = &r->yaml;
  const ap__scenario_head *h = &r->head;
  bool tolerances = ap__yaml_has(y, "integrator", seen, "relative") ||
                    ap__yaml_has(y, "integrator", seen, "absolute");
  if (h->method != AP_ADAPTIVE && tolerances)
    return ap__yaml_fail(
        y, ap__line_of(n, "method"),
        "tolerances do not apply to fixed steps (use method: adaptive, or step only)");
  if (h->method == AP_ADAPTIVE && ap__yaml_has(y, "integrator", seen, "step"))
    return ap__yaml_fail(y, ap__line_of(n, "step"),
                         "step does not apply to method adaptive (use method: rk4 or euler)");
  if (!(h->relative >= 1e-15 && h->relative <= 0.1))
    return ap__yaml_fail(y, ap__line_of(n, "relative"), "relative: %g (between 1e-15 and 0.1)",
                         h->relative);
  if (!(h->absolute > 0))
    return ap__yaml_fail(y, ap__line_of(n, "absolute"), "absolute: %g (it must be above 0)",
                         h->absolute);
  return h->step > 0 ||
         ap__yaml_fail(y, ap__line_of(n, "step"), "step: %g s (it must be above 0)", h->step);
}

static bool check_steps(ap__scenario_reader *r) {
  const ap__scenario_head *h = &r->head;
  ap__yaml *y = &r->yaml;
  const double most = 1e10; // about a day of computing
  return h->method == AP_ADAPTIVE || h->duration / h->step <= most ||
         ap__yaml_fail(y, ap__line_of(y->root, "integrator"),
                       "step: %g s gives %.3g steps in %g s (at most %g)", h->step,
                       h->duration / h->step, h->duration, most);
}

// ---- the format --------------------------------------------------------------------------------

static bool read_wall(ap__scenario_reader *r, const ap__node *item) {
  ap__scenario_wall *wall = ap__append(&r->walls, &r->nwall, &r->wall_capacity, sizeof *wall);
  if (!wall) return ap__yaml_no_memory(&r->yaml);
  *wall = (ap__scenario_wall){
      .node = item, .wall = ap_default_wall(), .normal = {0, 0, 1}, .spacing = {1, 1}};
  wall->wall.name = NULL;
  return ap__yaml_read_map(&r->yaml, item, "wall", wall);
}

static bool read_load(ap__scenario_reader *r, const ap__node *item) {
  ap__scenario_load *load = ap__append(&r->loads, &r->nload, &r->load_capacity, sizeof *load);
  if (!load) return ap__yaml_no_memory(&r->yaml);
  *load = (ap__scenario_load){.node = item, .load = {.from = -INFINITY, .to = INFINITY}};
  return ap__yaml_read_map(&r->yaml, item, "load", load);
}

static bool read_other_map(ap__scenario_reader *r, const ap__node *item) {
  ap__scenario_other *o = ap__append(&r->others, &r->nother, &r->other_capacity, sizeof *o);
  if (!o) return ap__yaml_no_memory(&r->yaml);
  *o = (ap__scenario_other){.node = item};
  return ap__yaml_read_map(&r->yaml, item, "other", o);
}

static bool read_material(ap__scenario_reader *r, const ap__node *item) {
  ap__scenario_material *m =
      ap__append(&r->materials, &r->nmaterial, &r->material_capacity, sizeof *m);
  if (!m) return ap__yaml_no_memory(&r->yaml);
  *m = (ap__scenario_material){.node = item};
  return ap__yaml_read_map(&r->yaml, item, "material", m);
}

static bool read_list(ap__yaml *y, const ap__yaml_key *k, const ap__node *n, void *target) {
  (void)target;
  ap__scenario_reader *r = y->context;
  if (!ap__yaml_expect_list(y, k->key, n, "maps")) return false;
  bool walls = strcmp(k->of, "wall") == 0, materials = strcmp(k->of, "material") == 0;
  bool others = strcmp(k->of, "other") == 0;
  int most = others ? AP__MAX_OTHERS : AP__MAX_LISTED;
  if (n->length > most)
    return ap__yaml_fail(y, n->line, "%s has %d entries (at most %d)", k->key, n->length, most);
  for (const ap__node *item = n->first; item; item = item->next)
    if (!(walls       ? read_wall(r, item)
          : materials ? read_material(r, item)
          : others    ? read_other_map(r, item)
                      : read_load(r, item)))
      return false;
  return true;
}

static bool finish_map(ap__yaml *y, const ap__node *n, const char *map, unsigned seen,
                       void *target) {
  ap__scenario_reader *r = y->context;
  if (strcmp(map, "wall") == 0) ((ap__scenario_wall *)target)->seen = seen;
  if (strcmp(map, "start") == 0) ((ap__scenario_start *)target)->seen = seen;
  if (strcmp(map, "contact") == 0) ((ap__scenario_contact *)target)->seen = seen;
  if (strcmp(map, "joint") == 0) ((ap__scenario_joint_map *)target)->seen = seen;
  if (strcmp(map, "scenario") == 0) r->seen = seen;
  return strcmp(map, "integrator") != 0 || check_integrator(r, n, seen);
}

static const char *const own_words[][2] = {{"model", "robot"},     {"time", "duration"},
                                           {"until", "duration"},  {"dt", "output_step"},
                                           {"center", "centre"},   {"e", "restitution"},
                                           {"mu", "friction"},     {"body", "link"},
                                           {"torque", "couple"},   {"initial", "start"},
                                           {"ground", "plane"},    {"floor", "plane"},
                                           {"springs", "joints"},  {"k", "stiffness"},
                                           {"d", "damping"},       {"quaternion", "orientation"},
                                           {"position", "centre"}, {"yes", "true"},
                                           {"on", "true"},         {"no", "false"},
                                           {"off", "false"},       {NULL, NULL}};
static const ap__yaml_format scenario_format = {.file = "a scenario file",
                                                .opening = "appell-scenario: 1",
                                                .keys = ap__scenario_keys,
                                                .own_words = own_words,
                                                .list = read_list,
                                                .finish = finish_map};

// ---- the whole ---------------------------------------------------------------------------------

static void set_scene(ap__scenario_reader *r) {
  ap_scenario *s = r->scenario;
  const ap__scenario_head *h = &r->head;
  ap_scene *scene = &s->scene;
  scene->model = s->model;
  scene->mechanism = s->mechanism;
  scene->joint_friction = h->joint_friction;
  scene->limits = h->limits;
  scene->links = h->links;
  memcpy(s->gravity, h->gravity, sizeof s->gravity);
  if (ap__yaml_has(&r->yaml, "scenario", r->seen, "gravity")) scene->gravity = s->gravity;
  scene->stepping = (ap_stepping)h->method;
  scene->relative = h->relative;
  scene->absolute = h->absolute;
  scene->step = h->step;
  scene->window = h->window;
  scene->depth = h->depth;
  scene->most_contacts = (int)h->most_contacts;
}

static void set_defaults(ap__scenario_reader *r) {
  const ap_scene scene = ap_default_scene();
  r->scenario->scene = scene;
  r->head = (ap__scenario_head){.name = "scenario",
                                .joint_friction = scene.joint_friction,
                                .limits = scene.limits,
                                .links = scene.links,
                                .method = AP_ADAPTIVE,
                                .relative = scene.relative,
                                .absolute = scene.absolute,
                                .step = scene.step,
                                .window = scene.window,
                                .depth = scene.depth,
                                .most_contacts = scene.most_contacts,
                                .output_step = 0.01};
}

static bool read_all(ap__scenario_reader *r) {
  ap_scenario *s = r->scenario;
  ap__yaml *y = &r->yaml;
  if (!ap__yaml_parse(y, s->source.text, s->source.length)) return false;
  set_defaults(r);
  if (!ap__yaml_read_map(y, y->root, "scenario", &r->head)) return false;
  s->name = r->head.name;
  if (!check_times(r) || !check_steps(r) || !read_robot(r)) return false;
  set_scene(r);
  return ap__scenario_read_walls(r) && ap__scenario_read_contacts(r) &&
         ap__scenario_check_contacts(r) && ap__scenario_read_materials(r) &&
         ap__scenario_read_start(r) && ap__scenario_read_joints(r) && ap__scenario_read_forces(r) &&
         ap__scenario_read_loads(r) && ap__scenario_check_limits(r) &&
         ap__scenario_check_start(r) && ap__scenario_check_shapes(r);
}

static ap_status parse(ap_scenario *s, ap_error *error) {
  ap_error own = {0};
  ap__scenario_reader r = {.scenario = s};
  r.yaml =
      (ap__yaml){.format = &scenario_format, .error = &own, .kept = &s->source.pool, .context = &r};
  bool good = read_all(&r);
  ap__yaml_free(&r.yaml);
  free(r.walls);
  free(r.materials);
  free(r.loads);
  free(r.others);
  if (!good && error) *error = own;
  return good ? AP_OK : own.status;
}

// Its source has been read with this status.
static ap_status finish(ap_scenario *s, ap_status status, ap_scenario **scenario, ap_error *error) {
  if (!status) status = parse(s, error);
  *scenario = status ? NULL : s;
  if (status) ap_scenario_free(s);
  return status;
}

ap_status ap__scenario_parse(const char *text, size_t length, const char *folder,
                             const char *within, const ap__robot_edit *edit, ap_scenario **scenario,
                             ap_error *error) {
  ap_scenario *s = calloc(1, sizeof *s);
  if (s) s->source.edit = edit;
  ap_status status =
      s ? ap__source_copy(&s->source, text, length, folder, within, error) : ap__no_memory(error);
  return finish(s, status, scenario, error);
}

ap_status ap_scenario_parse(const char *text, size_t length, const char *folder,
                            ap_scenario **scenario, ap_error *error) {
  return ap__scenario_parse(text, length, folder, NULL, NULL, scenario, error);
}

ap_status ap_scenario_read(const char *path, ap_scenario **scenario, ap_error *error) {
  ap_scenario *s = calloc(1, sizeof *s);
  ap_status status = s ? ap__source_read(&s->source, path, error) : ap__no_memory(error);
  return finish(s, status, scenario, error);
}

void ap_scenario_free(ap_scenario *s) {
  if (!s) return;
  ap_model_free(s->made);
  ap_mechanism_free(s->mechanism);
  ap_robot_free(s->robot);
  ap__forces_free(&s->forces);
  free(s->q);
  free(s->v);
  free(s->walls);
  free(s->materials);
  free(s->contact_materials);
  free(s->points);
  free(s->contacts);
  free(s->shapes);
  for (int i = 0; i < s->nhull; i++) ap_hull_free(s->hulls[i]);
  free(s->hulls);
  free(s->springs);
  free(s->stops);
  free(s->loads);
  free(s->warnings);
  ap__source_free(&s->source);
  free(s);
}

const char *ap_scenario_name(const ap_scenario *s) { return s->name; }
const char *ap_scenario_file(const ap_scenario *s, int i) {
  return i >= 0 && i < s->nfile ? s->file[i] : NULL;
}
const ap_robot *ap_scenario_robot(const ap_scenario *s) { return s->robot; }
const ap_model *ap_scenario_model(const ap_scenario *s) { return s->model; }
const ap_mechanism *ap_scenario_mechanism(const ap_scenario *s) { return s->mechanism; }
const ap_scene *ap_scenario_scene(const ap_scenario *s) { return &s->scene; }
const double *ap_scenario_q(const ap_scenario *s) { return s->q; }
const double *ap_scenario_v(const ap_scenario *s) { return s->v; }
const char *ap_scenario_text(const ap_scenario *s) { return s->source.text; }

void ap_scenario_times(const ap_scenario *s, double *start, double *end, double *step) {
  *start = s->start;
  *end = s->end;
  *step = s->step;
}

const ap_error *ap_scenario_warning(const ap_scenario *s, int i) {
  return i >= 0 && i < s->nwarning ? &s->warnings[i] : NULL;
}
