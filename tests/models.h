// SPDX-License-Identifier: Apache-2.0
// Random robots and states for tests of laws: serial chains and trees of every joint type, every
// way of placing a joint, physical inertias, named frames, mimic couplings, free bases. The same
// robots on every machine.
//
//     FOR_EACH_MODEL(r) {
//       FOR_EACH_STATE(r, s, 10) {
//         ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, tau);
//       }
//     }
//
// One robot of FOR_EACH_MODEL lives at a time: don't nest the loop in itself.

#ifndef AP_TESTS_MODELS_H
#define AP_TESTS_MODELS_H

#include <appell/model.h>
#include <appell/work.h>

#include "test.h"

enum {
  ROBOT_BODIES = 31,
  ROBOT_FRAMES = 3,
  ROBOT_Q = 7 * ROBOT_BODIES,
  ROBOT_V = 6 * ROBOT_BODIES
};

// A definition with the model and the work made of it.
typedef struct test_robot {
  char label[64];
  ap_body_def body[ROBOT_BODIES];
  ap_frame_def frame[ROBOT_FRAMES];
  ap_robot_def def;
  ap_model *m;
  ap_work *w;
  void *model_memory, *work_memory;
} test_robot;

// "b1", "b2", ...: lives as long as the program, so that robots can be copied.
static inline const char *body_name(int k) {
  static char names[ROBOT_BODIES + ROBOT_FRAMES + 2][16];
  snprintf(names[k], sizeof names[k], "b%d", k);
  return names[k];
}

// Check the definition and make model and work. False, and a failed check, when it is refused.
static inline bool robot_make(test_robot *r) {
  r->def.bodies = r->body;
  r->def.frames = r->frame;
  size_t size = ap_model_size(&r->def);
  r->model_memory = malloc(size ? size : 1);
  r->work_memory = NULL;
  ap_error error = {.text = ""};
  r->m = ap_model_init(&r->def, r->model_memory, size, &error);
  r->w = NULL;
  if (!r->m) printf("%s: refused: %s\n", r->label, error.text);
  if (!CHECK(r->m)) return false;
  size = ap_work_size(r->m);
  r->work_memory = malloc(size);
  r->w = ap_work_init(r->m, r->work_memory, size);
  return CHECK(r->w);
}

static inline void robot_free(test_robot *r) {
  free(r->model_memory);
  free(r->work_memory);
  r->model_memory = r->work_memory = NULL;
  r->m = NULL;
  r->w = NULL;
}

// An empty robot; its bodies are defaults until they are filled in.
static inline void robot_clear(test_robot *r, const char *label, int nbody) {
  memset(r, 0, sizeof *r);
  snprintf(r->label, sizeof r->label, "%.40s", label);
  r->def = ap_default_robot();
  r->def.nbody = nbody;
  for (int k = 0; k < nbody; k++) {
    r->body[k] = ap_default_body();
    r->body[k].name = body_name(k + 1);
    r->body[k].parent = k;
  }
}

// The definition of another robot, without its model.
static inline void robot_copy(test_robot *r, const test_robot *from) {
  *r = *from;
  r->model_memory = r->work_memory = NULL;
  r->m = NULL;
  r->w = NULL;
}

// ---- random parts ------------------------------------------------------------------------------

static inline void random_vector(rng *r, double size, double x[3]) {
  for (int i = 0; i < 3; i++) x[i] = rng_uniform(r, -size, size);
}

// Uniform on the unit sphere of n dimensions; n = 3 an axis, n = 4 a quaternion.
static inline void random_direction(rng *r, int n, double *x) {
  double square = 0;
  while (square < 0.01 || square > 1) {
    square = 0;
    for (int i = 0; i < n; i++) {
      x[i] = rng_uniform(r, -1, 1);
      square += x[i] * x[i];
    }
  }
  for (int i = 0; i < n; i++) x[i] /= sqrt(square);
}

// Rotation matrix, row-major, of a unit quaternion x y z w.
static inline void rotation_of_quaternion(const double q[4], double R[9]) {
  double x = q[0], y = q[1], z = q[2], w = q[3];
  double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                 2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                 2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
  memcpy(R, m, sizeof m);
}

// Mass, centre and inertia of six point masses: what a body can have.
static inline void random_inertia(rng *r, double *mass, double com[3], double inertia[6]) {
  enum { POINTS = 6 };
  double m[POINTS], x[POINTS][3];
  *mass = 0;
  com[0] = com[1] = com[2] = 0;
  for (int k = 0; k < POINTS; k++) {
    m[k] = rng_uniform(r, 0.1, 1);
    random_vector(r, 0.25, x[k]);
    *mass += m[k];
    for (int i = 0; i < 3; i++) com[i] += m[k] * x[k][i];
  }
  for (int i = 0; i < 3; i++) com[i] /= *mass;
  memset(inertia, 0, 6 * sizeof *inertia);
  for (int k = 0; k < POINTS; k++) {
    double a = x[k][0] - com[0], b = x[k][1] - com[1], c = x[k][2] - com[2];
    double add[6] = {b * b + c * c, -a * b, -a * c, a * a + c * c, -b * c, a * a + b * b};
    for (int i = 0; i < 6; i++) inertia[i] += m[k] * add[i];
  }
}

static inline void random_place(rng *r, ap_placement_kind kind, ap_placement *place) {
  double quaternion[4];
  place->kind = kind;
  random_vector(r, 0.4, place->xyz);
  random_vector(r, 3, place->rpy);
  random_direction(r, 4, quaternion);
  rotation_of_quaternion(quaternion, place->matrix);
  place->alpha = rng_uniform(r, -3, 3);
  place->a = rng_uniform(r, -0.4, 0.4);
  place->d = rng_uniform(r, -0.4, 0.4);
  place->theta = rng_uniform(r, -3, 3);
}

// ---- recipes -----------------------------------------------------------------------------------

// Sets of joint types and of placements, one bit each.
enum {
  ONLY_R = 1 << AP_REVOLUTE,
  ONLY_P = 1 << AP_PRISMATIC,
  R_AND_P = ONLY_R | ONLY_P,
  ANY_1 = R_AND_P | 1 << AP_FIXED,
  ANY_JOINT = ANY_1 | 1 << AP_SPHERICAL | 1 << AP_PLANAR | 1 << AP_FREE,
  PLAIN = 1 << AP_PLACE_RPY | 1 << AP_PLACE_MATRIX,
  ANY_DH = 1 << AP_DH_MODIFIED | 1 << AP_DH_STANDARD | 1 << AP_DH_VALERA,
  ANY_PLACE = PLAIN | ANY_DH
};

typedef struct robot_recipe {
  const char *label;
  int nbody;
  int children;    // 0: a chain; otherwise each body's parent is one of the last `children` bodies
  unsigned joints; // set of joint types
  unsigned places; // set of placements; multi-DOF joints are always placed plainly
  bool free_base;
  int mimics;
  int massless; // every massless-th body that is no leaf has no mass of its own; 0: none
} robot_recipe;

static inline int random_member(rng *r, unsigned set) {
  for (;;) {
    int k = rng_int(r, 0, 7);
    if (set >> k & 1) return k;
  }
}

static inline bool has_one_dof(const ap_body_def *b) {
  return b->joint == AP_REVOLUTE || b->joint == AP_PRISMATIC;
}

static inline void random_body(rng *r, const robot_recipe *recipe, int k, ap_body_def *b) {
  b->joint = (ap_joint_type)random_member(r, recipe->joints);
  b->parent = k;
  if (recipe->children) b->parent = rng_int(r, k > recipe->children ? k - recipe->children : 0, k);
  if (k == 0 && recipe->free_base) b->joint = AP_FREE;
  bool dh = has_one_dof(b) || b->joint == AP_FIXED;
  random_place(r, (ap_placement_kind)random_member(r, dh ? recipe->places : PLAIN), &b->place);
  do random_direction(r, 3, b->axis);
  while (b->axis[2] < -0.9); // -z has no smallest rotation from z, which the planar joint needs
  for (int i = 0; i < 3; i++) b->axis[i] *= 1.5; // axes need not come normalised
  random_inertia(r, &b->mass, b->com, b->inertia);
  random_vector(r, 3, b->inertia_rpy);
}

// Joint friction and motors; multi-DOF joints have none.
static inline void random_drive(rng *r, ap_body_def *b) {
  b->viscous = rng_uniform(r, 0, 2);
  b->coulomb = rng_uniform(r, 0, 2);
  b->rotor_inertia = rng_uniform(r, 0, 1e-3);
  b->gear_ratio = rng_uniform(r, -50, 50);
}

static inline bool is_leaf(const test_robot *t, int k) {
  for (int i = k + 1; i < t->def.nbody; i++)
    if (t->body[i].parent == k + 1) return false;
  return true;
}

// Make some joints follow others; leaders may have a higher number, and may follow themselves.
static inline void random_mimics(rng *r, test_robot *t, int count) {
  int last = -1;
  for (int tries = 0; count > 0 && tries < 200; tries++) {
    int f = rng_int(r, 0, t->def.nbody - 1), l = rng_int(r, 0, t->def.nbody - 1);
    if (count == 1 && last >= 0) l = last; // the last one follows a follower
    ap_body_def *follower = &t->body[f];
    if (f == l || follower->mimic || !has_one_dof(follower) || !has_one_dof(&t->body[l])) continue;
    bool leads = false, second = t->body[l].mimic != 0;
    for (int i = 0; i < t->def.nbody; i++) leads |= t->body[i].mimic == f + 1;
    if (leads || (second && l != last)) continue;
    follower->mimic = l + 1;
    follower->mimic_ratio = rng_uniform(r, 0.5, 1.5) * (rng_chance(r, 0.5) ? 1 : -1);
    follower->mimic_offset = rng_uniform(r, -1, 1);
    last = f;
    count--;
  }
}

static inline void random_coordinates(rng *r, ap_joint_type joint, double *q);

// Springs in half of the joints, and some of the weight of a third of the bodies held up; some of
// the springs of balls and free bodies at rest where they are not turned.
static inline void random_springs(rng *r, test_robot *t) {
  for (int k = 0; k < t->def.nbody; k++) {
    ap_body_def *b = &t->body[k];
    if (rng_chance(r, 0.33)) b->gravity_compensation = rng_uniform(r, -0.2, 1.3);
    if (b->joint == AP_FIXED || rng_chance(r, 0.5)) continue;
    b->stiffness = rng_uniform(r, 0.5, 20);
    if (rng_chance(r, 0.8)) random_coordinates(r, b->joint, b->rest);
  }
}

static inline void random_robot(rng *r, const robot_recipe *recipe, test_robot *t) {
  robot_clear(t, recipe->label, recipe->nbody);
  for (int k = 0; k < recipe->nbody; k++) {
    random_body(r, recipe, k, &t->body[k]);
    if (has_one_dof(&t->body[k])) random_drive(r, &t->body[k]);
  }
  for (int k = 0; recipe->massless && k < recipe->nbody; k += recipe->massless) {
    if (is_leaf(t, k) || t->body[k].joint == AP_FREE) continue;
    t->body[k].mass = 0;
    memset(t->body[k].inertia, 0, sizeof t->body[k].inertia);
  }
  random_mimics(r, t, recipe->mimics);
  t->def.nframe = recipe->nbody > 0 ? ROBOT_FRAMES : 0;
  for (int k = 0; k < t->def.nframe; k++) {
    ap_frame_def *f = &t->frame[k];
    f->name = body_name(recipe->nbody + 1 + k);
    f->body = rng_int(r, 0, recipe->nbody);
    random_vector(r, 0.3, f->xyz);
    random_vector(r, 3, f->rpy);
  }
  random_vector(r, 8, t->def.gravity);
  rng own = *r; // a copy: springs change nothing of what is drawn next
  random_springs(&own, t);
}

static const robot_recipe recipes[] = {
    {"empty", 0, 0, ONLY_R, PLAIN, false, 0, 0},
    {"one revolute", 1, 0, ONLY_R, PLAIN, false, 0, 0},
    {"one prismatic", 1, 0, ONLY_P, PLAIN, false, 0, 0},
    {"one fixed", 1, 0, 1 << AP_FIXED, PLAIN, false, 0, 0},
    {"one spherical", 1, 0, 1 << AP_SPHERICAL, PLAIN, false, 0, 0},
    {"one planar", 1, 0, 1 << AP_PLANAR, PLAIN, false, 0, 0},
    {"one free", 1, 0, 1 << AP_FREE, PLAIN, false, 0, 0},
    {"two revolute", 2, 0, ONLY_R, PLAIN, false, 0, 0},
    {"two of R P", 2, 0, R_AND_P, ANY_PLACE, false, 0, 0},
    {"three of R P", 3, 0, R_AND_P, ANY_PLACE, false, 0, 0},
    {"three free", 3, 0, 1 << AP_FREE, PLAIN, false, 0, 0},
    {"three spherical", 3, 0, 1 << AP_SPHERICAL, PLAIN, false, 0, 0},
    {"three planar", 3, 0, 1 << AP_PLANAR, PLAIN, false, 0, 0},
    {"arm, modified DH", 6, 0, ONLY_R, 1 << AP_DH_MODIFIED, false, 0, 0},
    {"arm, standard DH", 6, 0, ONLY_R, 1 << AP_DH_STANDARD, false, 0, 0},
    {"arm, Valera's DH", 6, 0, R_AND_P, 1 << AP_DH_VALERA, false, 0, 0},
    {"arm, mixed DH", 7, 0, R_AND_P, ANY_DH, false, 0, 0},
    {"arm, frames", 7, 0, ONLY_R, 1 << AP_PLACE_RPY, false, 0, 0},
    {"arm, matrices", 7, 0, R_AND_P, 1 << AP_PLACE_MATRIX, false, 0, 0},
    {"arm with fixed links", 9, 0, ANY_1, ANY_PLACE, false, 0, 0},
    {"arm of any joint", 5, 0, ANY_JOINT, ANY_PLACE, false, 0, 0},
    {"free arm", 5, 0, ANY_1, ANY_PLACE, true, 0, 0},
    {"small tree", 5, 2, R_AND_P, PLAIN, false, 0, 0},
    {"tree, DH", 9, 3, ONLY_R, ANY_DH, false, 0, 0},
    {"tree of R P", 10, 4, R_AND_P, ANY_PLACE, false, 0, 0},
    {"tree with fixed links", 14, 4, ANY_1, ANY_PLACE, false, 0, 0},
    {"tree of any joint", 8, 3, ANY_JOINT, ANY_PLACE, false, 0, 0},
    {"bush of any joint", 12, 12, ANY_JOINT, ANY_PLACE, false, 0, 0},
    {"free tree", 12, 4, ANY_1, ANY_PLACE, true, 0, 0},
    {"free tree of any joint", 10, 5, ANY_JOINT, ANY_PLACE, true, 0, 0},
    {"star", 8, 1, R_AND_P, PLAIN, true, 0, 0},
    {"arm with followers", 6, 0, R_AND_P, ANY_PLACE, false, 2, 0},
    {"tree with followers", 12, 4, ANY_1, ANY_PLACE, true, 3, 0},
    {"any with followers", 12, 3, ANY_JOINT, ANY_PLACE, false, 3, 0},
    {"arm with massless links", 8, 0, R_AND_P, PLAIN, false, 0, 2},
    {"tree with massless links", 12, 3, ANY_1, ANY_PLACE, true, 0, 3},
    {"chain of 16", 16, 0, ONLY_R, ANY_PLACE, false, 0, 0},
    {"chain of 30", 30, 0, R_AND_P, ANY_PLACE, false, 0, 0},
    {"tree of 30", 30, 6, ANY_1, ANY_PLACE, true, 0, 0},
    {"tree of 30, any joint", 30, 5, ANY_JOINT, ANY_PLACE, false, 4, 0},
};

enum { RECIPES = sizeof recipes / sizeof *recipes };

// Every recipe is cooked a few times.
static inline int robot_count(void) { return RECIPES * test_effort(); }

// The k-th robot of the collection, in one place of memory.

static inline test_robot *robot_at(int k) {
  static test_robot robot;
  robot_free(&robot);
  for (int count = robot_count(); k < count; k++) {
    rng r = rng_seed(1000 + (uint64_t)k);
    random_robot(&r, &recipes[k % RECIPES], &robot);
    snprintf(robot.label, sizeof robot.label, "%.40s/%d", recipes[k % RECIPES].label, k);
    test_context("%s", robot.label);
    if (robot_make(&robot)) return &robot;
  }
  return NULL;
}

#define FOR_EACH_MODEL(r)                               \
  for (int number_##r = 0; number_##r < robot_count();) \
    for (test_robot *r = robot_at(number_##r++); r; r = NULL)

// ---- states ------------------------------------------------------------------------------------

typedef struct motion {
  double q[ROBOT_Q], v[ROBOT_V], a[ROBOT_V];
  int number;
  rng random;
} motion;

static inline void random_coordinates(rng *r, ap_joint_type joint, double *q) {
  switch (joint) {
    case AP_FIXED: break;
    case AP_REVOLUTE: q[0] = rng_uniform(r, -3.1, 3.1); break;
    case AP_PRISMATIC: q[0] = rng_uniform(r, -0.5, 0.5); break;
    case AP_SPHERICAL: random_direction(r, 4, q); break;
    case AP_PLANAR:
      q[0] = rng_uniform(r, -0.5, 0.5);
      q[1] = rng_uniform(r, -0.5, 0.5);
      q[2] = rng_uniform(r, -3.1, 3.1);
      break;
    case AP_FREE:
      random_vector(r, 0.5, q);
      random_direction(r, 4, q + 3);
      break;
  }
}

static inline void random_motion(rng *r, const ap_model *m, motion *s) {
  for (int i = 1; i < ap_nbody(m); i++)
    if (ap_joint_nq(m, i)) random_coordinates(r, ap_body(m, i)->joint, s->q + ap_joint_q(m, i));
  for (int i = 0; i < ap_nv(m); i++) {
    s->v[i] = rng_uniform(r, -1, 1);
    s->a[i] = rng_uniform(r, -2, 2);
  }
}

static inline motion motion_first(const test_robot *r) {
  motion s = {.number = 0, .random = rng_seed(77)};
  random_motion(&s.random, r->m, &s);
  test_context("%s, state 0", r->label);
  return s;
}

static inline void motion_next(const test_robot *r, motion *s) {
  random_motion(&s->random, r->m, s);
  s->number++;
  test_context("%s, state %d", r->label, s->number);
}

#define FOR_EACH_STATE(r, s, count) \
  for (motion s = motion_first(r); s.number < (count); motion_next(r, &s))

#endif
