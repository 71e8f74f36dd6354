// SPDX-License-Identifier: Apache-2.0
// Robots in Appell YAML: the tree of the file along the schema table.

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/names.h"
#include "file/chains.h"
#include "file/yaml_schema.h"

typedef struct reader {
  ap_robot *robot;
  ap__yaml_robot head;
  ap__parts bodies;
  ap__yaml_frame *frames;
  int nframe, frame_capacity;
  ap__shapes shapes;
  ap__yaml_chains chains;
} reader;

// ---- lists -------------------------------------------------------------------------------------

static ap_shape *add_shape(ap__yaml *y, const ap__node *item) {
  reader *r = y->context;
  if (r->shapes.n == AP__MAX_SHAPES) {
    ap__yaml_fail(y, item->line, "more than %d shapes (use fewer)", AP__MAX_SHAPES);
    return NULL;
  }
  ap_shape *shape = ap__shapes_add(&r->shapes, r->bodies.n - 1);
  if (shape)
    shape->line = item->line;
  else
    ap__yaml_no_memory(y);
  return shape;
}

static bool read_meshes(ap__yaml *y, const char *key, const ap__node *n) {
  if (!ap__yaml_expect_list(y, key, n, "texts")) return false;
  for (const ap__node *item = n->first; item; item = item->next) {
    ap_shape *shape = add_shape(y, item);
    if (!shape || !ap__yaml_text(y, key, item, &shape->file)) return false;
    shape->kind = AP_SHAPE_MESH;
  }
  return true;
}

static void set_shape(ap_shape *shape, const ap__yaml_shape_map *map, bool colored) {
  shape->kind = (ap_shape_kind)(AP_SHAPE_BOX + map->kind);
  shape->collision = map->use == 1;
  shape->file = map->file;
  const double round[3] = {map->radius, map->length, 1};
  const double *size = shape->kind == AP_SHAPE_BOX    ? map->size
                       : shape->kind == AP_SHAPE_MESH ? map->scale
                                                      : round;
  memcpy(shape->size, size, sizeof shape->size);
  if (shape->kind == AP_SHAPE_SPHERE) shape->size[1] = 1;
  memcpy(shape->xyz, map->xyz, sizeof shape->xyz);
  memcpy(shape->rpy, map->rpy, sizeof shape->rpy);
  memcpy(shape->color, map->color, sizeof shape->color);
  shape->colored = colored;
  shape->contype = (int)map->contype;
  shape->conaffinity = (int)map->conaffinity;
}

static bool read_shapes(ap__yaml *y, const char *key, const ap__node *n) {
  if (!ap__yaml_expect_list(y, key, n, "maps")) return false;
  for (const ap__node *item = n->first; item; item = item->next) {
    ap__yaml_shape_map map = {.scale = {1, 1, 1}, .contype = 1, .conaffinity = 1};
    if (!ap__yaml_read_map(y, item, "shape", &map)) return false;
    ap_shape *shape = add_shape(y, item);
    if (!shape) return false;
    set_shape(shape, &map, ap__yaml_has(y, "shape", map.seen, "color"));
    shape->masked = ap__yaml_has(y, "shape", map.seen, "contype") ||
                    ap__yaml_has(y, "shape", map.seen, "conaffinity");
  }
  return true;
}

static bool expect_parts(ap__yaml *y, const char *key, const ap__node *n) {
  return ap__yaml_expect_list(y, key, n, "maps") &&
         (n->length <= AP__MAX_PARTS ||
          ap__yaml_fail(y, n->line, "%s has more than %d entries (split the robot)", key,
                        AP__MAX_PARTS));
}

// NAN: not said, or not to be read.
static void forget_defaults(ap_body_def *def) {
  def->mass = def->com[0] = def->inertia[0] = NAN;
  def->lower = def->upper = def->velocity_limit = def->effort_limit = NAN;
}

static bool read_bodies(ap__yaml *y, const char *key, const ap__node *n) {
  reader *r = y->context;
  if (!expect_parts(y, key, n)) return false;
  if (n->length == 0)
    return ap__yaml_fail(y, n->line, "%s is empty (a robot has at least one body)", key);
  for (const ap__node *item = n->first; item; item = item->next) {
    ap__part *part = ap__parts_add(&r->bodies);
    if (!part) return ap__yaml_no_memory(y);
    ap__yaml_body body = {.part = *part};
    body.part.at = (ap__lines){.body = item->line, .joint = item->line};
    if (y->doctor) forget_defaults(&body.part.def);
    bool read = ap__yaml_read_map(y, item, "body", &body);
    *part = body.part;
    if (!read) return false;
  }
  return true;
}

static bool read_frames(ap__yaml *y, const char *key, const ap__node *n) {
  reader *r = y->context;
  if (!expect_parts(y, key, n)) return false;
  for (const ap__node *item = n->first; item; item = item->next) {
    ap__yaml_frame *frame = ap__append(&r->frames, &r->nframe, &r->frame_capacity, sizeof *frame);
    if (!frame) return ap__yaml_no_memory(y);
    frame->line = item->line;
    if (!ap__yaml_read_map(y, item, "frame", frame)) return false;
  }
  return true;
}

static bool read_list(ap__yaml *y, const ap__yaml_key *k, const ap__node *n, void *target) {
  reader *r = y->context;
  (void)target;
  if (strcmp(k->key, "meshes") == 0) return read_meshes(y, k->key, n);
  if (strcmp(k->key, "shapes") == 0) return read_shapes(y, k->key, n);
  if (strcmp(k->key, "bodies") == 0) return read_bodies(y, k->key, n);
  if (strcmp(k->key, "frames") == 0) return read_frames(y, k->key, n);
  return ap__yaml_chains_list(y, k, n, &r->chains);
}

// ---- rules across keys -------------------------------------------------------------------------

// Lines of the values of a map of a body.
static void note_lines(const ap__node *n, const char *map, void *target) {
#define NOTE(map, key, field) \
  { map, key, offsetof(ap__yaml_body, part.at.field) }
  static const struct {
    const char *map, *key;
    size_t line;
  } note[] = {NOTE("body", "parent", parent),
              NOTE("inertia", "mass", mass),
              NOTE("inertia", "com", com),
              NOTE("inertia", "tensor", inertia),
              NOTE("inertia", "rpy", inertia_rpy),
              NOTE("joint", "axis", axis),
              NOTE("friction", "viscous", viscous),
              NOTE("friction", "coulomb", coulomb),
              NOTE("friction", "static", stiction),
              NOTE("body", "gravity_compensation", gravity_compensation),
              NOTE("spring", "stiffness", stiffness),
              NOTE("spring", "rest", rest),
              NOTE("rotor", "inertia", rotor_inertia),
              NOTE("rotor", "gear", gear_ratio),
              NOTE("limits", "lower", lower),
              NOTE("limits", "upper", upper),
              NOTE("limits", "velocity", velocity_limit),
              NOTE("limits", "effort", effort_limit),
              NOTE("place", "matrix", place),
              NOTE("mimic", "joint", mimic),
              NOTE("mimic", "ratio", mimic_ratio),
              NOTE("mimic", "offset", mimic_offset)};
#undef NOTE
  for (size_t k = 0; k < sizeof note / sizeof note[0]; k++)
    if (strcmp(note[k].map, map) == 0)
      *(int *)(void *)((char *)target + note[k].line) = ap__line_of(n, note[k].key);
}

// How many coordinates the joint has is known by now.
static bool read_rest(ap__yaml *y, const ap__node *n, ap_body_def *def) {
  int count = ap__coordinates_of(def->joint);
  if (count == 0)
    return ap__yaml_fail(y, n->line, "rest: a fixed joint has no spring (give the joint a type)");
  return y->doctor ? y->doctor->numbers(y->doctor->context, "rest", n, count, def->rest)
                   : ap__yaml_numbers(y, "rest", n, count, def->rest);
}

static bool finish_joint(ap__yaml *y, const ap__node *n, unsigned seen, ap__yaml_body *body) {
  ap_body_def *def = &body->part.def;
  def->joint = (ap_joint_type)body->type;
  body->part.at.joint = n->line;
  const int line = ap__line_of(n, "axis");
  if (body->rest && !read_rest(y, body->rest, def)) return false;
  bool dh = ap__yaml_has(y, "joint", seen, "dh");
  if (dh) def->place.kind = (ap_placement_kind)(AP_DH_MODIFIED + body->convention);
  if (dh && ap__yaml_has(y, "joint", seen, "place"))
    return ap__yaml_fail(y, ap__line_of(n, "dh"), "place and dh together (use one of them)");
  if (!ap__yaml_has(y, "joint", seen, "axis")) return true;
  if (dh) return ap__yaml_fail(y, line, "axis and dh together (with dh the axis is z)");
  if (def->joint == AP_REVOLUTE || def->joint == AP_PRISMATIC || def->joint == AP_PLANAR)
    return true;
  return ap__yaml_fail(
      y, line,
      "axis does not apply to this type of joint (only to revolute, prismatic and planar)");
}

static bool finish_friction(ap__yaml *y, const ap__node *n, const ap_body_def *def) {
  return def->stiction == 0 || def->stiction >= fmax(def->coulomb, 0) ||
         ap__yaml_fail(y, ap__line_of(n, "static"),
                       "static: %g is below coulomb, %g (it must be at least as large)",
                       def->stiction, def->coulomb);
}

static bool check_bits(ap__yaml *y, const ap__node *n, const char *key, double bits) {
  return (bits >= INT_MIN && bits <= INT_MAX && bits == floor(bits)) ||
         ap__yaml_fail(y, ap__line_of(n, key), "%s: %g (a whole number of 32 bits)", key, bits);
}

// Each kind of shape has keys that it needs, and that the others have no use for.
static bool finish_shape(ap__yaml *y, const ap__node *n, unsigned seen, ap__yaml_shape_map *shape) {
  static const struct {
    const char *key, *kinds; // a letter for each kind: needed, optional or neither
  } rule[] = {{"size", "n---"},
              {"radius", "-nn-"},
              {"length", "-n--"},
              {"file", "---n"},
              {"scale", "---o"}};
  static const char *const kind[] = {"box", "cylinder", "sphere", "mesh"};
  for (size_t i = 0; i < sizeof rule / sizeof rule[0]; i++) {
    char use = rule[i].kinds[shape->kind];
    bool has = ap__yaml_has(y, "shape", seen, rule[i].key);
    if (use == 'n' && !has)
      return ap__yaml_fail(y, n->line, "a %s without %s", kind[shape->kind], rule[i].key);
    if (use == '-' && has)
      return ap__yaml_fail(y, ap__line_of(n, rule[i].key), "%s does not apply to a %s (remove it)",
                           rule[i].key, kind[shape->kind]);
  }
  for (int i = 0; i < 4; i++)
    if (!(shape->color[i] >= 0 && shape->color[i] <= 1))
      return ap__yaml_fail(y, ap__line_of(n, "color"), "color has %g (each number is from 0 to 1)",
                           shape->color[i]);
  shape->seen = seen;
  return check_bits(y, n, "contype", shape->contype) &&
         check_bits(y, n, "conaffinity", shape->conaffinity);
}

static bool finish_map(ap__yaml *y, const ap__node *n, const char *map, unsigned seen,
                       void *target) {
  note_lines(n, map, target);
  if (strcmp(map, "joint") == 0) return finish_joint(y, n, seen, target);
  if (strcmp(map, "shape") == 0) return finish_shape(y, n, seen, target);
  if (strcmp(map, "friction") == 0)
    return finish_friction(y, n, &((const ap__yaml_body *)target)->part.def);
  if (!ap__yaml_chains_finish(y, n, map, seen, target)) return false;
  if (strcmp(map, "place") != 0 || !ap__yaml_has(y, map, seen, "matrix")) return true;
  ((ap__yaml_body *)target)->part.def.place.kind = AP_PLACE_MATRIX;
  return !ap__yaml_has(y, map, seen, "rpy") ||
         ap__yaml_fail(y, ap__line_of(n, "matrix"), "rpy and matrix together (use one of them)");
}

// ---- the whole ---------------------------------------------------------------------------------

static const char *const map_names[][2] = {
    {"dh", "dh"},       {"limits", "limits"},           {"friction", "friction"},
    {"mimic", "mimic"}, {"end", "an end of a closure"}, {NULL, NULL}};
static const char *const own_words[][2] = {{"links", "bodies"},
                                           {"link", "body"},
                                           {"origin", "place"},
                                           {"continuous", "revolute"},
                                           {"floating", "free"},
                                           {"ball", "spherical"},
                                           {"hinge", "revolute"},
                                           {"slide", "prismatic"},
                                           {"loops", "closures"},
                                           {"constraints", "closures"},
                                           {"actuators", "actuated"},
                                           {"kind", "type"},
                                           {"weld", "frame"},
                                           {"at", "xyz"},
                                           {"stiction", "static"},
                                           {"k", "stiffness"},
                                           {"springref", "rest"},
                                           {"gravcomp", "gravity_compensation"},
                                           {NULL, NULL}};
static const ap__yaml_format robot_format = {.file = "a robot file",
                                             .opening = "appell: 1",
                                             .keys = ap__yaml_keys,
                                             .names = map_names,
                                             .own_words = own_words,
                                             .list = read_list,
                                             .finish = finish_map};

// "ground" is the ground, unless a body has that name: then true.
static bool find_ground(reader *r) {
  for (int i = 0; i < r->bodies.n; i++)
    if (strcmp(r->bodies.part[i].def.name, "ground") == 0) return true;
  for (int i = 0; i < r->bodies.n; i++) {
    ap__part *part = &r->bodies.part[i];
    if (part->parent && strcmp(part->parent, "ground") == 0) part->parent = NULL;
  }
  for (int i = 0; i < r->nframe; i++)
    if (strcmp(r->frames[i].body, "ground") == 0) r->frames[i].body = NULL;
  return false;
}

static bool attach_frames(ap__yaml *y, reader *r, const ap__names *bodies) {
  for (int i = 0; i < r->nframe; i++) {
    ap__yaml_frame *frame = &r->frames[i];
    int k = frame->body ? ap__names_find(bodies, frame->body) : -1;
    if (frame->body && k < 0)
      return ap__yaml_fail(y, frame->line, "the body \"%.*s\" of frame \"%.*s\" is not in the file",
                           ap__shown(frame->body), frame->body, ap__shown(frame->def.name),
                           frame->def.name);
    frame->def.body = k < 0 ? 0 : r->bodies.part[k].number;
    if (!ap__robot_add_frame(r->robot, &frame->def, frame->line)) return ap__yaml_no_memory(y);
  }
  return true;
}

static bool read_frames_and_shapes(ap__yaml *y, reader *r) {
  ap__names bodies = {0};
  bool good = ap__names_init(&bodies, r->bodies.n) || ap__yaml_no_memory(y);
  for (int i = 0; good && i < r->bodies.n; i++)
    ap__names_put(&bodies, r->bodies.part[i].def.name, i);
  good = good && attach_frames(y, r, &bodies);
  ap__names_free(&bodies);
  if (good && !ap__robot_set_shapes(r->robot, &r->shapes, r->bodies.part))
    good = ap__yaml_no_memory(y);
  return good;
}

// What a mechanism with closed chains has besides.
static ap_status read_chains(ap__yaml *y, const reader *r, bool ground_taken,
                             const ap_read_options *options) {
  if (options->floating || options->ignore_mimic)
    return AP__REFUSE(y->error, AP_E_ARG, r->chains.line,
                      "%s does not apply to a mechanism with closed chains (remove it)",
                      options->floating ? "floating" : "ignoring mimic");
  return ap__yaml_chains_resolve(y, &r->chains, r->head.guess, ground_taken, r->robot) ? AP_OK
                                                                                       : y->status;
}

static ap_status read_robot(ap__yaml *y, reader *r, const ap_read_options *options) {
  ap_robot_def *def = &r->robot->def;
  r->head.name = def->name;
  memcpy(r->head.gravity, def->gravity, sizeof def->gravity);
  if (!ap__yaml_read_map(y, y->root, "robot", &r->head)) return y->status;
  def->name = r->head.name;
  memcpy(def->gravity, r->head.gravity, sizeof def->gravity);
  bool ground_taken = find_ground(r);
  if (r->head.guess && !r->chains.line) r->chains.line = r->head.guess->line;
  ap_status status = ap__robot_assemble(r->robot, &r->bodies, options, y->error);
  if (status) return status;
  if (!read_frames_and_shapes(y, r)) return y->status;
  if (r->chains.line && !options->ignore_loops) return read_chains(y, r, ground_taken, options);
  if (r->chains.line)
    status = ap__robot_open_loops(r->robot, r->chains.line, r->chains.nclosure, y->error);
  if (status) return status;
  return options->floating ? ap__robot_set_free(r->robot, y->error) : AP_OK;
}

static void reader_free(reader *r) {
  free(r->bodies.part);
  free(r->frames);
  free(r->shapes.shape);
  ap__yaml_chains_free(&r->chains);
}

ap_status ap__yaml_read(const ap__tree *tree, const ap_read_options *options, ap_robot *robot,
                        ap_error *error) {
  reader r = {.robot = robot};
  ap__yaml y = {.format = &robot_format,
                .error = error,
                .kept = &robot->pool,
                .context = &r,
                .root = tree->root};
  ap_status status = tree->error.status;
  if (!status)
    status = read_robot(&y, &r, options);
  else if (error)
    *error = tree->error;
  reader_free(&r);
  return status;
}

ap_status ap__yaml_examine(const ap__tree *tree, const ap__yaml_doctor *doctor, ap__pool *kept,
                           ap__yaml_robot *head, ap__parts *bodies) {
  reader r = {.head = *head};
  ap__yaml y = {
      .format = &robot_format, .doctor = doctor, .kept = kept, .context = &r, .root = tree->root};
  ap__yaml_read_map(&y, tree->root, "robot", &r.head);
  *head = r.head;
  *bodies = r.bodies;
  r.bodies = (ap__parts){0};
  reader_free(&r);
  return y.status;
}
