// SPDX-License-Identifier: Apache-2.0
// A scene as C: the structures of its robot, walls, points, shapes and forces as initialisers,
// every field that is not zero. What reads them back is in fmu_scene_text.c.

#include "codegen/fmu_scene_source.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "codegen/write.h"
#include "file/number.h"
#include "sim/scenario.h"

// A field of a structure: its name, place, how many of them, and what it is.
typedef struct field {
  const char *name;
  size_t at;
  int count;
  char type; // d double, i int or enumeration, u unsigned, l long, b bool, s text
} field;

#define FIELD(type, structure, name) \
  { #name, offsetof(structure, name), 1, type }
#define FIELDS(structure, name, count) \
  { #name, offsetof(structure, name), count, 'd' }
#define LAST \
  { NULL, 0, 0, 0 }

#define BODY(type, name)       FIELD(type, ap_body_def, name)
#define BODY_NUMBERS(name, n)  FIELDS(ap_body_def, name, n)
#define WALL(type, name)       FIELD(type, ap_wall, name)
#define WALL_NUMBERS(name, n)  FIELDS(ap_wall, name, n)
#define POINT(type, name)      FIELD(type, ap_contact_point, name)
#define MATERIAL(type, name)   FIELD(type, ap_material_pair, name)
#define CLOSURE(type, name)    FIELD(type, ap_closure_def, name)
#define CLOSURE_NUMBERS(name)  FIELDS(ap_closure_def, name, 3)
#define COORDINATE(type, name) FIELD(type, ap_coordinate_def, name)
#define SCENE(type, name)      FIELD(type, ap_scene, name)

static const field body_fields[] = {BODY('s', name),
                                    BODY('i', parent),
                                    BODY('s', joint_name),
                                    BODY('i', joint),
                                    BODY('i', place.kind),
                                    BODY_NUMBERS(place.xyz, 3),
                                    BODY_NUMBERS(place.rpy, 3),
                                    BODY_NUMBERS(place.matrix, 9),
                                    BODY('d', place.alpha),
                                    BODY('d', place.a),
                                    BODY('d', place.d),
                                    BODY('d', place.theta),
                                    BODY_NUMBERS(axis, 3),
                                    BODY('d', mass),
                                    BODY_NUMBERS(com, 3),
                                    BODY_NUMBERS(inertia, 6),
                                    BODY_NUMBERS(inertia_rpy, 3),
                                    BODY('d', viscous),
                                    BODY('d', coulomb),
                                    BODY('d', stiction),
                                    BODY('d', stiffness),
                                    BODY_NUMBERS(rest, AP_JOINT_NQ),
                                    BODY('d', gravity_compensation),
                                    BODY('d', rotor_inertia),
                                    BODY('d', gear_ratio),
                                    BODY('d', lower),
                                    BODY('d', upper),
                                    BODY('d', velocity_limit),
                                    BODY('d', effort_limit),
                                    BODY('i', mimic),
                                    BODY('d', mimic_ratio),
                                    BODY('d', mimic_offset),
                                    BODY('u', cookie),
                                    LAST};

static const field wall_fields[] = {WALL('s', name),
                                    WALL('i', kind),
                                    WALL_NUMBERS(centre, 3),
                                    WALL_NUMBERS(axis, 3),
                                    WALL_NUMBERS(x, 3),
                                    WALL_NUMBERS(size, 3),
                                    WALL('b', inside),
                                    WALL('d', restitution),
                                    WALL('d', friction),
                                    WALL('d', static_friction),
                                    WALL('d', rolling_friction),
                                    WALL('d', spinning_friction),
                                    WALL('i', npoint),
                                    WALL('i', count),
                                    WALL('d', restitution_speed),
                                    WALL('d', friction_across),
                                    WALL_NUMBERS(surface_velocity, 3),
                                    WALL_NUMBERS(motion.velocity, 3),
                                    WALL_NUMBERS(motion.amplitude, 3),
                                    WALL_NUMBERS(motion.axis, 3),
                                    WALL_NUMBERS(motion.pivot, 3),
                                    WALL('d', motion.spin),
                                    WALL('d', motion.swing),
                                    WALL('d', motion.frequency),
                                    WALL('d', motion.phase),
                                    WALL('d', motion.from),
                                    WALL('d', motion.to),
                                    WALL('s', material),
                                    WALL('u', cookie),
                                    LAST};

static const field point_fields[] = {POINT('s', name),
                                     POINT('i', body),
                                     FIELDS(ap_contact_point, at, 3),
                                     FIELDS(ap_contact_point, orientation, 4),
                                     POINT('d', restitution),
                                     POINT('d', friction),
                                     POINT('d', rolling_friction),
                                     POINT('d', spinning_friction),
                                     POINT('i', contype),
                                     POINT('i', conaffinity),
                                     LAST};

static const field shape_fields[] = {FIELD('i', ap_convex, kind),  FIELD('d', ap_convex, radius),
                                     FIELDS(ap_convex, half, 3),   FIELDS(ap_convex, centre, 3),
                                     FIELD('d', ap_convex, reach), LAST};

static const field material_fields[] = {MATERIAL('s', one),
                                        MATERIAL('s', other),
                                        MATERIAL('d', restitution),
                                        MATERIAL('d', restitution_speed),
                                        MATERIAL('d', friction),
                                        MATERIAL('d', static_friction),
                                        MATERIAL('d', friction_across),
                                        MATERIAL('d', rolling_friction),
                                        MATERIAL('d', spinning_friction),
                                        LAST};

static const field spring_fields[] = {
    FIELD('i', ap_joint_spring, v), FIELD('d', ap_joint_spring, stiffness),
    FIELD('d', ap_joint_spring, rest), FIELD('d', ap_joint_spring, damping), LAST};

static const field stop_fields[] = {
    FIELD('i', ap_joint_stop, v), FIELD('d', ap_joint_stop, restitution),
    FIELD('d', ap_joint_stop, stiffness), FIELD('d', ap_joint_stop, damping), LAST};

static const field load_fields[] = {FIELD('i', ap_load, body),
                                    FIELDS(ap_load, at, 3),
                                    FIELDS(ap_load, force, 3),
                                    FIELDS(ap_load, couple, 3),
                                    FIELD('d', ap_load, from),
                                    FIELD('d', ap_load, to),
                                    LAST};

static const field closure_fields[] = {
    CLOSURE('s', name),       CLOSURE('i', kind),       CLOSURE('i', body[0]),
    CLOSURE('i', body[1]),    CLOSURE_NUMBERS(at[0]),   CLOSURE_NUMBERS(at[1]),
    CLOSURE_NUMBERS(axis[0]), CLOSURE_NUMBERS(axis[1]), CLOSURE_NUMBERS(rpy[0]),
    CLOSURE_NUMBERS(rpy[1]),  CLOSURE('d', distance),   CLOSURE('d', ratio),
    CLOSURE('d', offset),     CLOSURE('u', cookie),     LAST};

static const field coordinate_fields[] = {COORDINATE('s', name),
                                          COORDINATE('i', kind),
                                          COORDINATE('i', body),
                                          FIELDS(ap_coordinate_def, at, 3),
                                          FIELDS(ap_coordinate_def, along, 3),
                                          LAST};

static const field scene_fields[] = {SCENE('i', nwall),
                                     SCENE('i', npoint),
                                     SCENE('i', nmaterial),
                                     SCENE('i', nspring),
                                     SCENE('i', nload),
                                     SCENE('b', limits),
                                     SCENE('i', nstop),
                                     SCENE('b', joint_friction),
                                     SCENE('i', stepping),
                                     SCENE('d', relative),
                                     SCENE('d', absolute),
                                     SCENE('d', step),
                                     SCENE('d', window),
                                     SCENE('d', depth),
                                     SCENE('l', most_events),
                                     SCENE('i', most_contacts),
                                     SCENE('b', links),
                                     SCENE('u', cookie),
                                     LAST};

// ---- values ------------------------------------------------------------------------------------

static void put_double(ap__text *t, double x) {
  char number[32];
  if (isinf(x)) {
    put(t, x > 0 ? "INFINITY" : "-INFINITY");
    return;
  }
  ap_format_shortest(x, number);
  put(t, number);
}

static void put_doubles(ap__text *t, const double *x, int n) {
  for (int k = 0; k < n; k++) {
    put(t, k == 0 ? "" : k % 8 ? ", " : ",\n    ");
    put_double(t, x[k]);
  }
}

// A text as a literal: whatever is not a plain character by its number.
static void put_literal(ap__text *t, const char *text) {
  put(t, "\"");
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?')
      ap__text_add(t, "\\%03o", (unsigned)c);
    else
      ap__text_bytes(t, text, 1);
  }
  put(t, "\"");
}

static bool is_zero(const field *f, const char *value) {
  if (f->type == 's') return !*(const char *const *)(const void *)value;
  for (int k = 0; f->type == 'd' && k < f->count; k++) {
    const double x = ((const double *)(const void *)value)[k];
    if (x != 0 || signbit(x)) return false;
  }
  return f->type == 'd'   ? true
         : f->type == 'b' ? !*(const bool *)value
         : f->type == 'l' ? *(const long *)(const void *)value == 0
                          : *(const int *)(const void *)value == 0;
}

static void put_value(ap__text *t, const field *f, const char *value) {
  const void *v = value;
  switch (f->type) {
    case 's': put_literal(t, *(const char *const *)v); break;
    case 'b': put(t, "true"); break;
    case 'u': ap__text_add(t, "%uu", *(const unsigned *)v); break;
    case 'l': ap__text_add(t, "%ld", *(const long *)v); break;
    case 'i': ap__text_add(t, "%d", *(const int *)v); break;
    default:
      put(t, f->count > 1 ? "{" : "");
      put_doubles(t, v, f->count);
      put(t, f->count > 1 ? "}" : "");
  }
}

// The fields of one structure that are not zero, without braces; returns how many.
static int put_fields(ap__text *t, const field *f, const void *structure) {
  int n = 0;
  for (; f->name; f++) {
    const char *value = (const char *)structure + f->at;
    if (is_zero(f, value)) continue;
    ap__text_add(t, "%s.%s = ", n++ ? ", " : "", f->name);
    put_value(t, f, value);
  }
  return n;
}

// An array of n structures. Where n is 0 it has one, of zeros, which C asks for.
static void put_array(ap__text *t, const char *type, const char *name, const field *fields,
                      const void *first, size_t size, int n) {
  ap__text_add(t, "static const %s %s[] = {", type, name);
  for (int k = 0; k < n; k++) {
    put(t, k ? ",\n    {" : "\n    {");
    if (put_fields(t, fields, (const char *)first + (size_t)k * size) == 0) put(t, "0");
    put(t, "}");
  }
  put(t, n ? "};\n" : "{0}};\n");
}
#define PUT_ARRAY(t, type, name, fields, array, n) \
  put_array(t, #type, name, fields, array, sizeof(type), n)

// ---- parts -------------------------------------------------------------------------------------

static void put_robot(ap__text *t, const ap_model *m) {
  put(t, "static const ap_body_def BODY[] = {");
  for (int i = 1; i < ap_nbody(m); i++) {
    put(t, i > 1 ? ",\n    {" : "\n    {");
    put_fields(t, body_fields, ap_body(m, i));
    put(t, "}");
  }
  put(t, "};\nstatic const ap_robot_def ROBOT = {.name = ");
  put_literal(t, ap_model_name(m));
  ap__text_add(t, ", .bodies = BODY, .nbody = %d, .gravity = {", ap_nbody(m) - 1);
  put_doubles(t, ap_gravity(m), 3);
  ap__text_add(t, "}, .cookie = %uu};\n", AP_COOKIE);
}

static void put_mechanism(ap__text *t, const ap_mechanism *m) {
  const int n = ap_mechanism_n(m), closures = ap_mechanism_nclosure(m);
  put(t, "static const ap_closure_def CLOSURE[] = {");
  for (int i = 0; i < closures; i++) {
    put(t, i ? ",\n    {" : "\n    {");
    put_fields(t, closure_fields, ap_mechanism_closure(m, i));
    put(t, "}");
  }
  put(t, "};\nstatic const ap_coordinate_def COORDINATE[] = {");
  for (int i = 0; i < n; i++) {
    put(t, i ? ",\n    {" : "\n    {");
    put_fields(t, coordinate_fields, ap_mechanism_coordinate(m, i));
    put(t, "}");
  }
  put(t, "};\nstatic const int ACTUATED[] = {");
  for (int i = 0; i < ap_mechanism_nact(m); i++)
    ap__text_add(t, "%d, ", ap_mechanism_actuated(m, i));
  put(t, ap_mechanism_nact(m) ? "};\n" : "0};\n");
  put(t, "static const double GUESS[] = {");
  put_doubles(t, ap_mechanism_guess(m), ap_nq(ap_mechanism_tree(m)));
  put(t, "};\nstatic const ap_mechanism_def CLOSED = {.name = ");
  put_literal(t, ap_mechanism_name(m));
  ap__text_add(t,
               ", .robot = &ROBOT,\n    .closures = CLOSURE, .nclosure = %d, .coordinates = "
               "COORDINATE, .ncoordinate = %d,\n    .actuated = ACTUATED, .nactuated = %d, .guess "
               "= GUESS};\nstatic const ap_mechanism_def *const MECHANISM = &CLOSED;\n",
               closures, n, ap_mechanism_nact(m));
}

// Numbers that a wall points to.
static int wall_points(const ap_wall *w) {
  return !w->points ? 0 : w->kind == AP_WALL_PROFILE ? 2 * w->npoint : w->npoint;
}

static void put_walls(ap__text *t, const ap_scene *s) {
  for (int k = 0; k < s->nwall; k++) {
    if (!wall_points(&s->wall[k])) continue;
    ap__text_add(t, "static const double WALL_%d[] = {\n    ", k);
    put_doubles(t, s->wall[k].points, wall_points(&s->wall[k]));
    put(t, "};\n");
  }
  put(t, "static const ap_wall WALL[] = {");
  for (int k = 0; k < s->nwall; k++) {
    put(t, k ? ",\n    {" : "\n    {");
    put_fields(t, wall_fields, &s->wall[k]);
    if (wall_points(&s->wall[k])) ap__text_add(t, ", .points = WALL_%d", k);
    put(t, "}");
  }
  put(t, s->nwall ? "};\n" : "{0}};\n");
}

static void put_corners(ap__text *t, const ap_hull *hull, int k) {
  int corners, edges, faces;
  ap_hull_counts(hull, &corners, &edges, &faces);
  ap__text_add(t, "static const double CORNERS_%d[] = {\n    ", k);
  for (int i = 0; i < corners; i++) {
    put_doubles(t, ap_hull_corner(hull, i), 3);
    put(t, i + 1 < corners ? ",\n    " : "};\n");
  }
}

static const ap_hull *hull_of(const ap_contact_point *p) {
  return p->shape && p->shape->kind == AP_CONVEX_HULL ? p->shape->hull : NULL;
}

// Shapes that are hulls are made again of their corners.
static int put_hulls(ap__text *t, const ap_scene *s) {
  int n = 0;
  for (int k = 0; k < s->npoint; k++)
    if (hull_of(&s->point[k])) put_corners(t, hull_of(&s->point[k]), n++);
  put(t, "static const double *const CORNERS[] = {");
  for (int k = 0; k < n; k++) ap__text_add(t, "CORNERS_%d, ", k);
  put(t, n ? "};\n" : "0};\n");
  put(t, "static const int CORNER_COUNT[] = {");
  for (int k = 0; k < n; k++) ap__text_add(t, "sizeof CORNERS_%d / (3 * sizeof(double)), ", k);
  put(t, n ? "};\n" : "0};\n");
  put(t, "static const int HULL_OF[] = {");
  for (int k = 0, next = 0; k < s->npoint; k++)
    ap__text_add(t, "%d, ", hull_of(&s->point[k]) ? next++ : -1);
  put(t, s->npoint ? "};\n" : "0};\n");
  return n;
}

static void put_points(ap__text *t, const ap_scene *s) {
  const int n = s->npoint, hulls = put_hulls(t, s);
  PUT_ARRAY(t, ap_contact_point, "POINT", point_fields, s->point, n);
  put(t, "static const ap_convex SHAPE[] = {");
  for (int k = 0; k < n; k++) {
    put(t, k ? ",\n    {" : "\n    {");
    const ap_convex *shape = s->point[k].shape;
    put(t, shape && put_fields(t, shape_fields, shape) > 0 ? "}" : "0}");
  }
  put(t, n ? "};\n" : "{0}};\n");
  put(t, "static const bool HAS_SHAPE[] = {");
  for (int k = 0; k < n; k++) put(t, s->point[k].shape ? "true, " : "false, ");
  put(t, n ? "};\n" : "false};\n");
  put(t, "static const char *const POINT_MATERIAL[] = {");
  for (int k = 0; k < n; k++) {
    const char *name = s->point_material ? s->point_material[k] : NULL;
    if (name) put_literal(t, name);
    put(t, name ? ", " : "0, ");
  }
  put(t, n ? "};\n" : "0};\n");
  ap__text_add(t, "enum { NPOINT = %d, POINTS = %d, NHULL = %d, HULLS = %d };\n", n, n ? n : 1,
               hulls, hulls ? hulls : 1);
}

// Joint forces of a scenario: constant ones and a table over time, 0 rows where there is none.
static void put_forces(ap__text *t, const ap__forces *f, int nv) {
  const int rows = f ? f->rows : 0, columns = rows ? f->columns : 0;
  put(t, "static const double CONSTANT[] = {");
  for (int k = 0; k < nv; k++) {
    put(t, k ? ", " : "");
    put_double(t, f && f->constant ? f->constant[k] : 0);
  }
  put(t, "};\nstatic const double TABLE[] = {\n    ");
  if (rows)
    put_doubles(t, f->table, rows * (1 + columns));
  else
    put(t, "0");
  put(t, "};\nstatic const int PLACE[] = {");
  for (int k = 0; k < columns; k++) ap__text_add(t, "%d, ", f->place[k]);
  put(t, columns ? "};\n" : "0};\n");
  ap__text_add(t, "enum { ROWS = %d, COLUMNS = %d };\n", rows, columns);
}

void ap__put_scene(ap__text *t, const ap_scene *s, const ap_model *m) {
  put_robot(t, m);
  if (s->mechanism)
    put_mechanism(t, s->mechanism);
  else
    put(t, "static const ap_mechanism_def *const MECHANISM = 0;\n");
  put_walls(t, s);
  put_points(t, s);
  put_forces(t, s->force ? s->context : NULL, ap_nv(m));
  PUT_ARRAY(t, ap_material_pair, "MATERIAL", material_fields, s->material, s->nmaterial);
  PUT_ARRAY(t, ap_joint_spring, "SPRING", spring_fields, s->spring, s->nspring);
  PUT_ARRAY(t, ap_joint_stop, "STOP", stop_fields, s->stop, s->nstop);
  PUT_ARRAY(t, ap_load, "LOAD", load_fields, s->load, s->nload);
  if (s->gravity) {
    put(t, "static const double GRAVITY[] = {");
    put_doubles(t, s->gravity, 3);
    put(t, "};\n");
  }
  put(t, "static const ap_scene SCENE = {");
  put_fields(t, scene_fields, s);
  ap__text_add(t,
               ",\n    .wall = WALL, .material = MATERIAL, .point_material = %s, .spring = "
               "SPRING,\n    .load = LOAD, .stop = STOP, .gravity = %s};\n",
               s->point_material ? "POINT_MATERIAL" : "0", s->gravity ? "GRAVITY" : "0");
}
