// SPDX-License-Identifier: Apache-2.0
// What the tests of robot files share: reading from text and from files, comparing definitions.

#ifndef AP_TESTS_ROBOT_FILES_H
#define AP_TESTS_ROBOT_FILES_H

#include <appell/loop.h>
#include <unistd.h>

#include "test.h"

// A whole file, closed by a zero; NULL where there is none. The caller frees it.
static inline char *file_text(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  size_t capacity = 1 << 20;
  char *text = malloc(capacity);
  size_t n = text ? fread(text, 1, capacity - 1, file) : 0;
  fclose(file);
  if (!text) return NULL;
  text[n] = 0;
  if (length) *length = n;
  return text;
}

// A robot that must be read; NULL (and a failed check) where it is refused.
static inline ap_robot *read_good(const char *text, const char *format, ap_read_options options) {
  ap_error error = {0};
  ap_robot *robot = NULL;
  ap_status status = ap_robot_parse(text, strlen(text), format, &options, &robot, &error);
  if (!CHECK_OK(status)) printf("  line %d: %s\n", error.line, error.text);
  return robot;
}

// Build a robot's model, or the mechanism that it is, and forget it.
static inline ap_status build_robot(const ap_robot *robot, ap_error *error) {
  ap_model *model = NULL;
  ap_mechanism *mechanism = NULL;
  ap_status status = ap_robot_mechanism(robot) ? ap_mechanism_make(robot, &mechanism, error)
                                               : ap_robot_model(robot, &model, error);
  CHECK((status == AP_OK) == (model || mechanism));
  ap_model_free(model);
  ap_mechanism_free(mechanism);
  return status;
}

// A text that must be refused at this line, by the reader or by the model, with these words.
static inline void expect_refused(const char *text, size_t length, const char *format, int line,
                                  const char *words) {
  ap_error error = {0};
  ap_robot *robot = NULL;
  ap_status status = ap_robot_parse(text, length, format, NULL, &robot, &error);
  if (status == AP_OK) status = build_robot(robot, &error);
  CHECK(status != AP_OK);
  CHECK(error.status == status);
  CHECK_HAS(error.text, words);
  CHECK_EQ_INT(error.line, line);
  ap_robot_free(robot);
}

// The body of that name, NULL where there is none.
static inline const ap_body_def *body_named(const ap_robot *robot, const char *name) {
  const ap_robot_def *def = ap_robot_definition(robot);
  for (int i = 0; i < def->nbody; i++)
    if (strcmp(def->bodies[i].name, name) == 0) return &def->bodies[i];
  CHECK_STR("(no such body)", name);
  return NULL;
}

static inline const char *joint_of(const ap_body_def *body) {
  return body->joint_name ? body->joint_name : body->name;
}

static inline bool same_numbers(const double *a, const double *b, int n) {
  return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

// Equal to the bit in everything that is read for such a body.
static inline bool same_body(const ap_body_def *a, const ap_body_def *b) {
  const ap_placement *p = &a->place, *r = &b->place;
  bool same = strcmp(a->name, b->name) == 0 && strcmp(joint_of(a), joint_of(b)) == 0 &&
              a->parent == b->parent && a->joint == b->joint && p->kind == r->kind;
  if (p->kind <= AP_PLACE_MATRIX) same = same && same_numbers(p->xyz, r->xyz, 3);
  if (p->kind == AP_PLACE_RPY) same = same && same_numbers(p->rpy, r->rpy, 3);
  if (p->kind == AP_PLACE_MATRIX) same = same && same_numbers(p->matrix, r->matrix, 9);
  if (p->kind > AP_PLACE_MATRIX)
    same = same && same_numbers(&p->alpha, &r->alpha, 1) && same_numbers(&p->a, &r->a, 1) &&
           same_numbers(&p->d, &r->d, 1) && same_numbers(&p->theta, &r->theta, 1);
  bool axis = a->joint == AP_REVOLUTE || a->joint == AP_PRISMATIC || a->joint == AP_PLANAR;
  if (axis && p->kind <= AP_PLACE_MATRIX) same = same && same_numbers(a->axis, b->axis, 3);
  if (a->mimic)
    same = same && same_numbers(&a->mimic_ratio, &b->mimic_ratio, 1) &&
           same_numbers(&a->mimic_offset, &b->mimic_offset, 1);
  return same && a->mimic == b->mimic && same_numbers(&a->mass, &b->mass, 1) &&
         same_numbers(a->com, b->com, 3) && same_numbers(a->inertia, b->inertia, 6) &&
         same_numbers(a->inertia_rpy, b->inertia_rpy, 3) &&
         same_numbers(&a->viscous, &b->viscous, 1) && same_numbers(&a->coulomb, &b->coulomb, 1) &&
         same_numbers(&a->stiction, &b->stiction, 1) &&
         same_numbers(&a->rotor_inertia, &b->rotor_inertia, 1) &&
         same_numbers(&a->gear_ratio, &b->gear_ratio, 1) && same_numbers(&a->lower, &b->lower, 1) &&
         same_numbers(&a->upper, &b->upper, 1) &&
         same_numbers(&a->velocity_limit, &b->velocity_limit, 1) &&
         same_numbers(&a->effort_limit, &b->effort_limit, 1);
}

// Equal to the bit in everything that is read for such a closure.
static inline bool same_closure(const ap_closure_def *a, const ap_closure_def *b) {
  bool same = strcmp(a->name, b->name) == 0 && a->kind == b->kind && a->body[0] == b->body[0] &&
              a->body[1] == b->body[1];
  bool axis = a->kind == AP_CLOSE_AXIS, gear = a->kind == AP_CLOSE_GEAR;
  if (!axis && !gear) same = same && same_numbers(a->at[0], b->at[0], 6);
  if (axis) same = same && same_numbers(a->axis[0], b->axis[0], 6);
  if (a->kind == AP_CLOSE_POINT_ON_LINE) same = same && same_numbers(a->axis[1], b->axis[1], 3);
  if (a->kind == AP_CLOSE_FRAME) same = same && same_numbers(a->rpy[0], b->rpy[0], 6);
  if (a->kind == AP_CLOSE_DISTANCE) same = same && same_numbers(&a->distance, &b->distance, 1);
  if (gear)
    same = same && same_numbers(&a->ratio, &b->ratio, 1) && same_numbers(&a->offset, &b->offset, 1);
  return same;
}

static inline bool same_coordinate(const ap_coordinate_def *a, const ap_coordinate_def *b) {
  bool position = a->kind == AP_COORDINATE_POSITION;
  return strcmp(a->name, b->name) == 0 && a->kind == b->kind && a->body == b->body &&
         (!position || (same_numbers(a->at, b->at, 3) && same_numbers(a->along, b->along, 3)));
}

// nq: of the tree.
static inline bool same_mechanism(const ap_mechanism_def *x, const ap_mechanism_def *y, int nq) {
  if (!CHECK(x && y)) return false;
  bool same = CHECK_EQ_INT(y->nclosure, x->nclosure) && CHECK_EQ_INT(y->nbranch, x->nbranch) &&
              CHECK_EQ_INT(y->ncoordinate, x->ncoordinate) &&
              CHECK_EQ_INT(y->nactuated, x->nactuated) && CHECK(!x->guess == !y->guess);
  for (int i = 0; same && i < x->nclosure; i++)
    same = CHECK(same_closure(&x->closures[i], &y->closures[i]));
  for (int i = 0; same && i < x->ncoordinate; i++)
    same = CHECK(same_coordinate(&x->coordinates[i], &y->coordinates[i]));
  for (int i = 0; same && i < x->nactuated; i++)
    same = CHECK_EQ_INT(y->actuated[i], x->actuated[i]);
  if (same && x->guess) same = CHECK_BITS(y->guess, x->guess, nq);
  for (int i = 0; same && i < x->nbranch; i++)
    same = CHECK_STR(y->branches[i].name, x->branches[i].name) &&
           CHECK_BITS(y->branches[i].guess, x->branches[i].guess, nq);
  return same;
}

// Shapes that cannot be drawn are not written.
static inline bool same_shapes(const ap_robot *a, const ap_robot *b, int body) {
  const ap_shape *x, *y;
  int k = 0, j = 0;
  for (; (x = ap_robot_shape(a, body, k)); k++) {
    if (x->kind == AP_SHAPE_NONE) continue;
    if (!CHECK((y = ap_robot_shape(b, body, j++)))) return false;
    CHECK_EQ_INT(y->kind, x->kind);
    CHECK_EQ_INT(y->collision, x->collision);
    CHECK_EQ_INT(y->colored, x->colored);
    CHECK_BITS(y->xyz, x->xyz, 3);
    CHECK_BITS(y->rpy, x->rpy, 3);
    CHECK_BITS(y->size, x->size, 3);
    CHECK_BITS(y->color, x->color, 4);
    if (CHECK(!x->file == !y->file) && x->file) CHECK_STR(y->file, x->file);
  }
  return CHECK(!ap_robot_shape(b, body, j));
}

static inline bool same_robot(const ap_robot *a, const ap_robot *b) {
  const ap_robot_def *x = ap_robot_definition(a), *y = ap_robot_definition(b);
  bool same = CHECK_STR(y->name, x->name) && CHECK_BITS(y->gravity, x->gravity, 3) &&
              CHECK_EQ_INT(y->nbody, x->nbody) && CHECK_EQ_INT(y->nframe, x->nframe);
  for (int i = 0; same && i < x->nbody; i++) {
    test_context("body %s", x->bodies[i].name);
    same = CHECK(same_body(&x->bodies[i], &y->bodies[i]));
    same = same && same_shapes(a, b, i + 1);
  }
  for (int i = 0; same && i < x->nframe; i++)
    same = CHECK_STR(y->frames[i].name, x->frames[i].name) &&
           CHECK_EQ_INT(y->frames[i].body, x->frames[i].body) &&
           CHECK_BITS(y->frames[i].xyz, x->frames[i].xyz, 3) &&
           CHECK_BITS(y->frames[i].rpy, x->frames[i].rpy, 3);
  test_context("%s", "");
  return same;
}

// A name in the temporary folder that no other process uses.
static inline void temporary_name(char *path, size_t size, const char *ending) {
  const char *folder = getenv("TMPDIR");
  snprintf(path, size, "%s/appell_test_%ld_%s", folder ? folder : "/tmp", (long)getpid(), ending);
}

// A file has the text that its robot is composed to.
static inline void check_text(const ap_robot *robot, const char *format, const char *path) {
  char *text = NULL;
  FILE *file = fopen(path, "rb");
  if (!CHECK(file) || !CHECK_OK(ap_robot_text(robot, format, &text, NULL))) return;
  size_t at = 0;
  for (int c; (c = fgetc(file)) != EOF && text[at] == (char)c;) at++;
  CHECK(feof(file) && text[at] == 0);
  fclose(file);
  free(text);
}

// Write and read back; NULL where either is refused.
static inline ap_robot *through_file(const ap_robot *robot, const char *format) {
  char path[512];
  temporary_name(path, sizeof path,
                 strcmp(format, "urdf") == 0   ? "robot.urdf"
                 : strcmp(format, "mjcf") == 0 ? "robot.xml"
                                               : "robot.yaml");
  ap_error error = {0};
  ap_robot *back = NULL;
  ap_status status = ap_robot_write(robot, path, &error);
  if (!CHECK_OK(status)) printf("  %s\n", error.text);
  if (status == AP_OK) check_text(robot, format, path);
  if (status == AP_OK && !CHECK_OK(ap_robot_read(path, NULL, &back, &error)))
    printf("  line %d: %s\n", error.line, error.text);
  remove(path);
  return back;
}

// The file of the k-th mesh of a body, as written; NULL past the last.
static inline const char *mesh_of(const ap_robot *robot, int body, int k) {
  const ap_shape *shape;
  for (int i = 0; (shape = ap_robot_shape(robot, body, i)); i++)
    if (shape->file && k-- == 0) return shape->file;
  return NULL;
}

#endif
