// SPDX-License-Identifier: Apache-2.0
// Generated code: what it computes is what the library computes, and many states at once give the
// same bits as one at a time.

#include <appell/codegen.h>
#include <appell/dyn.h>
#include <appell/file.h>
#include <appell/kin.h>

#include "generated.h"
#include "models.h"

enum { STATES = 21 };          // not a multiple of any number of lanes
enum { ALIGNED_STATES = 256 }; // so many that batches take their rows aligned

// A compiled robot beside its model.
typedef struct pair {
  const ap_model *m;
  ap_work *w;
  generated g;
} pair;

static double *numbers(size_t n) {
  double *x = calloc(n + 1, sizeof *x);
  if (!x) abort();
  return x;
}

// One of the functions of a state; v and a may go unread. Returns what forward dynamics returns.
static int call(const pair *p, ap_function f, const double *q, const double *v, const double *a,
                double *out) {
  generated_function *s = generated_symbol(&p->g, ap_function_name(f), "");
  if (!CHECK(s)) return -1;
  switch (f) {
    case AP_GEN_INVERSE: ((three_arrays *)s)(q, v, a, out); break;
    case AP_GEN_BIAS: ((two_arrays *)s)(q, v, out); break;
    case AP_GEN_FORWARD: return ((forward_function *)s)(q, v, a, out);
    default: ((one_array *)s)(q, out);
  }
  return 0;
}

static ap_status call_library(const pair *p, ap_function f, const motion *s, double *out) {
  switch (f) {
    case AP_GEN_INVERSE: ap_inverse_dynamics(p->m, p->w, s->q, s->v, s->a, out); break;
    case AP_GEN_BIAS: ap_bias(p->m, p->w, s->q, s->v, out); break;
    case AP_GEN_GRAVITY: ap_gravity_forces(p->m, p->w, s->q, out); break;
    case AP_GEN_INERTIA: ap_inertia_matrix(p->m, p->w, s->q, out); break;
    case AP_GEN_FORWARD: return ap_forward_dynamics(p->m, p->w, s->q, s->v, s->a, out);
    default: break;
  }
  return AP_OK;
}

static int entries(const pair *p, ap_function f) {
  return f == AP_GEN_INERTIA ? ap_nv(p->m) * ap_nv(p->m) : ap_nv(p->m);
}

static double out_generated[ROBOT_V * ROBOT_V], out_library[ROBOT_V * ROBOT_V];

// A matrix and forces are compared entry by entry with the largest of them. Accelerations carry the
// condition of the matrix: what is compared is the force that their difference stands for, with the
// forces that they balance.
static void compare_state(const pair *p, ap_function f, const motion *s) {
  int n = entries(p, f);
  for (int k = 0; k < n; k++) out_generated[k] = 12345;
  ap_status status = call_library(p, f, s, out_library);
  int got = call(p, f, s->q, s->v, s->a, out_generated);
  CHECK_EQ_INT(got != 0, status != AP_OK);
  if (status != AP_OK) {
    for (int k = 0; k < n; k++) CHECK(out_generated[k] == 12345);
    return;
  }
  if (f != AP_GEN_FORWARD) {
    CHECK_NEAR(out_generated, out_library, n, 1e-13);
    return;
  }
  double bias[ROBOT_V], force[ROBOT_V], size = 0;
  ap_bias(p->m, p->w, s->q, s->v, bias);
  ap_inverse_dynamics(p->m, p->w, s->q, s->v, out_generated, force);
  double *M = out_library;
  ap_inertia_matrix(p->m, p->w, s->q, M);
  for (int i = 0; i < n; i++) {
    double moved = fabs(bias[i]) + fabs(s->a[i]);
    for (int k = 0; k < n; k++) moved += fabs(M[i * n + k] * out_generated[k]);
    size = fmax(size, moved);
  }
  CHECK_WITHIN(force, s->a, n, 1e-13 * size);
}

static const ap_function plain[] = {AP_GEN_INVERSE, AP_GEN_INERTIA, AP_GEN_BIAS, AP_GEN_GRAVITY,
                                    AP_GEN_FORWARD};
enum { PLAIN_FUNCTIONS = sizeof plain / sizeof *plain };

static void compare_jacobians(const pair *p, const motion *s) {
  ap_kinematics(p->m, p->w, s->q, NULL, NULL);
  for (int frame = 1; frame < ap_nframe(p->m); frame++) {
    char name[128];
    snprintf(name, sizeof name, "jacobian_%s", ap_frame_name(p->m, frame));
    generated_function *function = generated_symbol(&p->g, name, "");
    if (!function) continue; // not an end point
    int n = 6 * ap_nv(p->m);
    ((one_array *)function)(s->q, out_generated);
    CHECK_OK(ap_frame_jacobian(p->m, p->w, frame, AP_MIXED, out_library));
    CHECK_NEAR(out_generated, out_library, n, 1e-13);
  }
}

typedef void one_to_three(const double *q, double *R, double *p, double *J);

// The frames of forward_kinematics: those that have a Jacobian of their own.
static int generated_frames(const pair *p, int *frames) {
  int n = 0;
  for (int frame = 1; frame < ap_nframe(p->m); frame++) {
    char name[128];
    snprintf(name, sizeof name, "jacobian_%s", ap_frame_name(p->m, frame));
    if (generated_symbol(&p->g, name, "")) frames[n++] = frame;
  }
  return n;
}

static void compare_kinematics(const pair *p, const motion *s) {
  int frames[ROBOT_BODIES + ROBOT_FRAMES], n = generated_frames(p, frames);
  const int size[3] = {9 * n, 3 * n, 6 * ap_nv(p->m) * n};
  double *x[2][3];
  for (int k = 0; k < 6; k++) x[k / 3][k % 3] = numbers((size_t)size[k % 3]);
  generated_function *f = generated_symbol(&p->g, "forward_kinematics", "");
  if (CHECK(f)) {
    ((one_to_three *)f)(s->q, x[0][0], x[0][1], x[0][2]);
    CHECK_OK(
        ap_forward_kinematics(p->m, p->w, s->q, frames, n, AP_MIXED, x[1][0], x[1][1], x[1][2]));
    for (int k = 0; k < 3; k++) CHECK_NEAR(x[0][k], x[1][k], size[k], 1e-13);
  }
  for (int k = 0; k < 6; k++) free(x[k / 3][k % 3]);
}

// Derivatives are compared as a whole, each matrix with its own size, or where that is nothing but
// rounding with that of all; those of accelerations carry the condition of the inertia matrix
// twice.
typedef int derivatives_function(const double *q, const double *v, const double *a, double *by_q,
                                 double *by_v, double *by_a);
typedef void three_outputs(const double *q, const double *v, const double *a, double *by_q,
                           double *by_v, double *by_a);

static double derived[2][3][ROBOT_V * ROBOT_V];

static void compare_derivatives(const pair *p, bool forward, const motion *s) {
  const char *name =
      ap_function_name(forward ? AP_GEN_FORWARD_DERIVATIVES : AP_GEN_INVERSE_DERIVATIVES);
  generated_function *f = generated_symbol(&p->g, name, "");
  if (!CHECK(f)) return;
  double(*a)[ROBOT_V * ROBOT_V] = derived[0], (*b)[ROBOT_V * ROBOT_V] = derived[1];
  int n = ap_nv(p->m) * ap_nv(p->m);
  if (forward) {
    CHECK_EQ_INT(((derivatives_function *)f)(s->q, s->v, s->a, a[0], a[1], a[2]), 0);
    CHECK_OK(ap_forward_dynamics_derivatives(p->m, p->w, s->q, s->v, s->a, b[0], b[1], b[2]));
  } else {
    ((three_outputs *)f)(s->q, s->v, s->a, a[0], a[1], a[2]);
    CHECK_OK(ap_inverse_dynamics_derivatives(p->m, p->w, s->q, s->v, s->a, b[0], b[1], b[2]));
  }
  double size[3] = {0}, most = 0;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < n; i++) size[k] = fmax(size[k], fabs(b[k][i]));
    most = fmax(most, size[k]);
  }
  for (int k = 0; k < 3; k++)
    CHECK_WITHIN(a[k], b[k], n, fmax((forward ? 1e-11 : 1e-13) * size[k], 1e-16 * most));
}

static void compare_regressor(const pair *p, const motion *s) {
  generated_function *f = generated_symbol(&p->g, "regressor", "");
  int n = 10 * ap_moving_bodies(p->m) * ap_nv(p->m);
  double *K = numbers((size_t)n), *library = numbers((size_t)n);
  if (CHECK(f)) {
    ((three_arrays *)f)(s->q, s->v, s->a, K);
    ap_regressor(p->m, p->w, s->q, s->v, s->a, library);
    CHECK_NEAR(K, library, n, 1e-13);
  }
  free(K), free(library);
}

// ---- many states -------------------------------------------------------------------------------

// A generated function as the test calls it: its arrays, and whether it returns a status.
typedef struct entry {
  char name[128];
  int inputs, outputs; // q, v, a as far as it reads them; how many arrays it writes
  size_t size;         // numbers in the largest output
  bool returns;
} entry;

typedef void three_outputs_batch(size_t n, const double *q, const double *v, const double *a,
                                 double *by_q, double *by_v, double *by_a);
typedef int derivatives_batch(size_t n, const double *q, const double *v, const double *a,
                              double *by_q, double *by_v, double *by_a);

typedef void one_to_three_batch(size_t n, const double *q, double *R, double *p, double *J);

static int call_entry(const pair *p, const entry *e, double *const *in, double *const *out) {
  generated_function *f = generated_symbol(&p->g, e->name, "");
  if (!CHECK(f)) return -1;
  if (e->outputs == 3 && e->returns)
    return ((derivatives_function *)f)(in[0], in[1], in[2], out[0], out[1], out[2]);
  if (e->returns) return ((forward_function *)f)(in[0], in[1], in[2], out[0]);
  if (e->outputs == 3 && e->inputs == 1)
    ((one_to_three *)f)(in[0], out[0], out[1], out[2]);
  else if (e->outputs == 3)
    ((three_outputs *)f)(in[0], in[1], in[2], out[0], out[1], out[2]);
  else if (e->inputs == 3)
    ((three_arrays *)f)(in[0], in[1], in[2], out[0]);
  else if (e->inputs == 2)
    ((two_arrays *)f)(in[0], in[1], out[0]);
  else
    ((one_array *)f)(in[0], out[0]);
  return 0;
}

static int call_batch(const pair *p, const entry *e, size_t n, double *const *in,
                      double *const *out) {
  generated_function *f = generated_symbol(&p->g, e->name, "_batch");
  if (!CHECK(f)) return -1;
  if (e->outputs == 3 && e->returns)
    return ((derivatives_batch *)f)(n, in[0], in[1], in[2], out[0], out[1], out[2]);
  if (e->returns) return ((forward_batch *)f)(n, in[0], in[1], in[2], out[0]);
  if (e->outputs == 3 && e->inputs == 1)
    ((one_to_three_batch *)f)(n, in[0], out[0], out[1], out[2]);
  else if (e->outputs == 3)
    ((three_outputs_batch *)f)(n, in[0], in[1], in[2], out[0], out[1], out[2]);
  else if (e->inputs == 3)
    ((three_arrays_batch *)f)(n, in[0], in[1], in[2], out[0]);
  else if (e->inputs == 2)
    ((two_arrays_batch *)f)(n, in[0], in[1], out[0]);
  else
    ((one_array_batch *)f)(n, in[0], out[0]);
  return 0;
}

// Column k of a batch's array beside n numbers.
static void check_column(const double *batch, size_t count, size_t k, const double *one, size_t n) {
  size_t different = 0;
  for (size_t j = 0; j < n; j++)
    different += memcmp(&batch[j * count + k], &one[j], sizeof *one) != 0;
  CHECK_EQ_INT((int)different, 0);
}

// Random states into columns of `in`; what is not computed stays -7.
static void fill_batch(const pair *p, const entry *e, size_t count, motion *s, double *const *in,
                       double *const *out) {
  size_t nq = (size_t)ap_nq(p->m), nv = (size_t)ap_nv(p->m);
  rng r = rng_seed(5 + count);
  for (size_t k = 0; k < count; k++) {
    random_motion(&r, p->m, &s[k]);
    for (size_t j = 0; j < nq; j++) in[0][j * count + k] = s[k].q[j];
    for (size_t j = 0; j < nv; j++) in[1][j * count + k] = s[k].v[j];
    for (size_t j = 0; j < nv; j++) in[2][j * count + k] = s[k].a[j];
  }
  for (int i = 0; i < e->outputs; i++)
    for (size_t j = 0; j < e->size * count; j++) out[i][j] = -7;
}

// Outputs begin `ahead` numbers behind where memory was given.
static void compare_batch(const pair *p, const entry *e, size_t count, size_t ahead) {
  size_t nq = (size_t)ap_nq(p->m), nv = (size_t)ap_nv(p->m);
  double *in[3] = {numbers(nq * count), numbers(nv * count), numbers(nv * count)};
  double *out[3], *one[3];
  for (int i = 0; i < 3; i++)
    out[i] = numbers(e->size * count + ahead) + ahead, one[i] = numbers(e->size);
  motion *s = calloc(count + 1, sizeof *s);
  fill_batch(p, e, count, s, in, out);
  int any = 0, got = call_batch(p, e, count, in, out);
  for (size_t k = 0; k < count; k++) {
    double *state[3] = {s[k].q, s[k].v, s[k].a};
    for (size_t j = 0; j < 3 * e->size; j++) one[j / e->size][j % e->size] = -7;
    any |= call_entry(p, e, state, one) != 0;
    for (int i = 0; i < e->outputs; i++) check_column(out[i], count, k, one[i], e->size);
  }
  CHECK_EQ_INT(got != 0, any);
  for (int i = 0; i < 3; i++) free(in[i]), free(out[i] - ahead), free(one[i]);
  free(s);
}

static entry entry_of(const pair *p, ap_function f) {
  size_t nv = (size_t)ap_nv(p->m);
  entry e = {.inputs = 3, .outputs = 1, .size = nv};
  snprintf(e.name, sizeof e.name, "%s", ap_function_name(f));
  if (f == AP_GEN_BIAS) e.inputs = 2;
  if (f == AP_GEN_INERTIA || f == AP_GEN_GRAVITY) e.inputs = 1;
  if (f == AP_GEN_INVERSE_DERIVATIVES || f == AP_GEN_FORWARD_DERIVATIVES) e.outputs = 3;
  if (f == AP_GEN_INERTIA || e.outputs == 3) e.size = nv * nv;
  if (f == AP_GEN_REGRESSOR) e.size = 10 * (size_t)ap_moving_bodies(p->m) * nv;
  if (f == AP_GEN_KINEMATICS) {
    int frames[ROBOT_BODIES + ROBOT_FRAMES], n = generated_frames(p, frames);
    e.inputs = 1, e.outputs = 3, e.size = (6 * nv + 9) * (size_t)n;
  }
  e.returns = f == AP_GEN_FORWARD || f == AP_GEN_FORWARD_DERIVATIVES;
  return e;
}

static void compare_counts(const pair *p, const entry *e, const char *label) {
  test_context("%s, batch of %s", label, e->name);
  for (size_t count = 0; count < STATES; count += 5) compare_batch(p, e, count, 0);
  for (size_t ahead = 0; ahead < 8; ahead += 3) compare_batch(p, e, ALIGNED_STATES, ahead);
}

// ---- models ------------------------------------------------------------------------------------

static void compare_states(const pair *p, const char *label, bool derivatives) {
  motion s;
  rng r = rng_seed(99);
  for (int k = 0; k < 10; k++) {
    random_motion(&r, p->m, &s);
    test_context("%s, state %d", label, k);
    for (int f = 0; f < PLAIN_FUNCTIONS; f++) compare_state(p, plain[f], &s);
    compare_jacobians(p, &s);
    compare_kinematics(p, &s);
    compare_regressor(p, &s);
    for (int forward = 0; derivatives && forward < 2; forward++)
      compare_derivatives(p, forward, &s);
  }
}

static void compare_batches(const pair *p, const char *label, bool derivatives) {
  for (int f = 0; f < AP_FUNCTIONS; f++) {
    bool derived_one = f == AP_GEN_INVERSE_DERIVATIVES || f == AP_GEN_FORWARD_DERIVATIVES;
    bool other = f == AP_GEN_JACOBIAN || f == AP_GEN_INTEGRATE || f == AP_GEN_DIFFERENCE;
    if (other || (derived_one && !derivatives)) continue;
    entry e = entry_of(p, (ap_function)f);
    compare_counts(p, &e, label);
  }
  entry jacobian = {.inputs = 1, .outputs = 1, .size = 6 * (size_t)ap_nv(p->m)};
  for (int frame = 1; frame < ap_nframe(p->m); frame++) {
    snprintf(jacobian.name, sizeof jacobian.name, "jacobian_%s", ap_frame_name(p->m, frame));
    if (generated_symbol(&p->g, jacobian.name, "")) compare_counts(p, &jacobian, label);
  }
}

static const unsigned no_derivatives =
    ~(1u << AP_GEN_INVERSE_DERIVATIVES | 1u << AP_GEN_FORWARD_DERIVATIVES);

// What is generated of a robot, and how it is compiled.
typedef struct build {
  bool batch, derivatives, friction;
  const char *compiler; // NULL: that of CC
  const char *flags;
} build;

static void compare_model(const ap_model *m, ap_work *w, const char *label, build b) {
  pair p = {m, w, {0}};
  ap_generate_options options = ap_default_generate();
  options.batch = b.batch, options.friction = b.friction;
  ap_set_friction(m, w, b.friction);
  if (!b.derivatives) options.functions &= no_derivatives;
  test_context("%s", label);
  p.g = generated_open(m, &options, b.compiler ? b.compiler : generated_compiler(), b.flags);
  if (CHECK(p.g.library)) {
    compare_states(&p, label, b.derivatives);
    if (b.batch) compare_batches(&p, label, b.derivatives);
  }
  generated_close(&p.g);
}

static void compare_builtin(const char *name, build b) {
  const ap_robot_def *def = ap_builtin(name);
  size_t size = ap_model_size(def);
  void *memory = malloc(size);
  ap_model *m = ap_model_init(def, memory, size, NULL);
  size = ap_work_size(m);
  void *work = malloc(size);
  char label[128];
  snprintf(label, sizeof label, "%s, %s %s", name, b.compiler ? b.compiler : generated_compiler(),
           b.flags);
  if (ap_nv(m) > 0) compare_model(m, ap_work_init(m, work, size), label, b);
  free(work);
  free(memory);
}

TEST(builtin_robots) {
  const char *name;
  for (int i = 0; (name = ap_builtin_name(i)) != NULL; i++)
    compare_builtin(name, (build){.batch = strcmp(name, "puma600") == 0,
                                  .derivatives = ap_builtin(name)->nbody < 7,
                                  .flags = "-O0 -march=native"});
}

// Every compiler and level of optimisation there is, taken one after the other.
enum { FLAGS = 6, BUILDS = 2 * FLAGS };
static bool build_at(int k, build *b) {
  static const char *const flags[FLAGS] = {"-O0",       "-O1", "-O2", "-O3", "-O3 -march=native",
                                           "-Os -mavx2"};
  b->compiler = k < FLAGS ? "gcc" : "clang";
  b->flags = flags[k % FLAGS];
  return k < FLAGS || generated_has_clang();
}

TEST(two_compilers) {
  if (!generated_has_clang()) test_skip("clang is missing (scripts/setup ci)");
}

// What optimisers make of it: a selection, or all of it for the robots whose names contain what
// APPELL_TEST_LEVELS says, and for no others. Minutes for an arm, an hour for a humanoid.
typedef enum { LEVELS_FEW, LEVELS_ALL, LEVELS_NONE } levels;
static levels levels_of(const char *robot) {
  const char *part = getenv("APPELL_TEST_LEVELS");
  return !part ? LEVELS_FEW : strstr(robot, part) ? LEVELS_ALL : LEVELS_NONE;
}

TEST(optimisation_levels) {
  if (test_effort() < 3) return; // the generated text is the same
  const char *name;
  for (int i = 0; (name = ap_builtin_name(i)) != NULL; i++) {
    const bool all = levels_of(name) == LEVELS_ALL;
    const bool chosen = levels_of(name) == LEVELS_FEW && strcmp(name, "puma600") == 0;
    for (int k = 0; (all || chosen) && k < BUILDS; k++) {
      build b = {.batch = true, .derivatives = all};
      if (build_at(k, &b) && (all || strstr(b.flags, "native"))) compare_builtin(name, b);
    }
  }
}

// Legs that look alike go in pairs, in vectors and where there are none: the same values, and the
// bits of batches, which have no pairs.
TEST(pairs_within_one_state) {
  ap_generate_options options = ap_default_generate();
  ap_code *code;
  options.functions = 1u << AP_GEN_INVERSE;
  const ap_robot_def *def = ap_builtin("quadruped");
  size_t size = ap_model_size(def);
  void *memory = malloc(size);
  if (CHECK(ap_generate(ap_model_init(def, memory, size, NULL), &options, &code, NULL) == AP_OK)) {
    CHECK(strstr(ap_code_source(code), "  const quadruped_pack t"));
    ap_code_free(code);
  }
  free(memory);
  compare_builtin("quadruped", (build){.batch = true, .flags = "-O1 -march=native"});
  compare_builtin("quadruped", (build){.batch = true, .flags = "-O1 -U__SSE2__"});
}

// Every kind of joint, free bases, followers, massless links; all recipes where APPELL_TEST_EFFORT
// asks for more than the usual.
static bool is_chosen(const char *label) {
  static const char *const few[] = {"one prismatic",      "one spherical",          "one planar",
                                    "one free",           "arm of any joint",       "free arm",
                                    "any with followers", "arm with massless links"};
  for (size_t k = 0; k < sizeof few / sizeof *few; k++)
    if (strcmp(label, few[k]) == 0) return true;
  return test_effort() > 3;
}

TEST(random_robots) {
  for (int k = 0; k < RECIPES; k++) {
    if (!is_chosen(recipes[k].label)) continue;
    test_robot *r = robot_at(k);
    if (ap_nv(r->m) > 0)
      compare_model(r->m, r->w, r->label,
                    (build){.batch = ap_nv(r->m) < 8,
                            .derivatives = ap_nv(r->m) < 10 && !recipes[k].massless,
                            .flags = "-O0"});
  }
}

// The robot of a recipe, by its label.
static test_robot *robot_of(const char *label) {
  int k = 0;
  while (strcmp(recipes[k].label, label) != 0) k++;
  return robot_at(k);
}

// A joint on the ground with nothing behind it: its acceleration times its inertia is what drives
// it less its bias, which must not fold away before it is derived.
TEST(joints_on_the_ground) {
  static const char *const label[] = {"one revolute", "one prismatic", "star"};
  for (int k = 0; k < 3; k++) {
    test_robot *r = robot_of(label[k]);
    compare_model(r->m, r->w, r->label, (build){.derivatives = true, .flags = "-O0"});
  }
}

static const unsigned dynamics_only = 1u << AP_GEN_INVERSE | 1u << AP_GEN_INERTIA |
                                      1u << AP_GEN_BIAS | 1u << AP_GEN_GRAVITY |
                                      1u << AP_GEN_FORWARD;

static void compare_dynamics(test_robot *r, ap_generate_options options) {
  options.functions = dynamics_only;
  pair p = {r->m, r->w, generated_open(r->m, &options, generated_compiler(), "-O0")};
  motion s;
  rng random = rng_seed(4);
  for (int k = 0; CHECK(p.g.library) && k < 10; k++) {
    random_motion(&random, r->m, &s);
    for (int f = 0; f < PLAIN_FUNCTIONS; f++) compare_state(&p, plain[f], &s);
  }
  for (int f = 0; p.g.library && options.batch && f < PLAIN_FUNCTIONS; f++) {
    entry e = entry_of(&p, plain[f]);
    compare_batch(&p, &e, STATES, 0);
  }
  generated_close(&p.g);
}

// With springs and gravity compensation, of balls and free bodies too.
TEST(friction) {
  static const char *const robots[] = {"arm, mixed DH", "arm of any joint",   "one spherical",
                                       "one free",      "arm with followers", "any with followers"};
  for (int k = 0; k < 6; k++) {
    test_robot *r = robot_of(robots[k]);
    compare_model(r->m, r->w, r->label,
                  (build){.batch = k < 2, .derivatives = k < 5, .friction = true, .flags = "-O0"});
  }
}

// Long enough that articulated bodies are the shorter way, and that programs are cut.
TEST(long_chain) {
  ap_generate_options options = ap_default_generate();
  compare_dynamics(robot_of("chain of 30"), options);
}

TEST(inertial_parameters_as_they_are) {
  ap_generate_options options = ap_default_generate();
  options.regroup = options.batch = false;
  compare_dynamics(robot_of("arm of any joint"), options);
}

// The files are not part of this project: APPELL_ROBOTS names a folder that has them.
static void compare_builds(const ap_model *m, ap_work *w, const char *label) {
  const bool all = levels_of(label) == LEVELS_ALL, small = ap_nv(m) < 9;
  build b = {.batch = small, .derivatives = all || small, .flags = "-O0"};
  char text[400];
  if (levels_of(label) == LEVELS_FEW) compare_model(m, w, label, b);
  for (int k = 0; all && k < BUILDS; k++) {
    if (!build_at(k, &b)) continue;
    snprintf(text, sizeof text, "%s, %s %s", label, b.compiler, b.flags);
    compare_model(m, w, text, b);
  }
}

static void compare_file(const char *path, bool floating) {
  ap_error error;
  ap_robot *robot = NULL;
  ap_model *m = NULL;
  const ap_read_options reading = {.floating = floating};
  if (!CHECK_OK(ap_robot_read(path, &reading, &robot, &error))) return;
  if (CHECK_OK(ap_robot_model(robot, &m, &error))) {
    size_t size = ap_work_size(m);
    void *work = malloc(size);
    char label[300];
    snprintf(label, sizeof label, "%s%s", floating ? "+" : "", path);
    compare_builds(m, ap_work_init(m, work, size), label);
    free(work);
  }
  ap_model_free(m);
  ap_robot_free(robot);
}

TEST(public_robots) {
  static const char *const names[] = {"double_pendulum",  "ur5_robot",     "panda",
                                      "kinova",           "+solo12",       "+anymal",
                                      "+simple_humanoid", "+talos_reduced"};
  const char *folder = getenv("APPELL_ROBOTS");
  if (!folder) {
    test_skip("APPELL_ROBOTS names no folder of robots (docs/setup.md)");
    return;
  }
  const size_t few = 5, all = sizeof names / sizeof *names;
  for (size_t k = 0; k < (test_effort() < 3 ? few : all); k++) {
    char path[256];
    bool floating = names[k][0] == '+';
    snprintf(path, sizeof path, "%s/%s.urdf", folder, names[k] + floating);
    compare_file(path, floating);
  }
}

// ---- the configuration manifold ----------------------------------------------------------------

// States from large turns down to small ones, which take series. Against the library: the rounding
// of some ten operations on numbers of size 4. Side by side: the same bits.
enum { TURNS = 60 };
static double q0_of[ROBOT_Q * TURNS], v_of[ROBOT_V * TURNS], q1_of[ROBOT_Q * TURNS],
    way_of[ROBOT_V * TURNS];

static void compare_turns(const pair *p) {
  int nq = ap_nq(p->m), nv = ap_nv(p->m);
  two_arrays *integrate = (two_arrays *)generated_symbol(&p->g, "integrate", "");
  two_arrays *difference = (two_arrays *)generated_symbol(&p->g, "difference", "");
  rng r = rng_seed(8);
  double turn = 3, out[ROBOT_Q], mine[ROBOT_Q];
  for (int k = 0; CHECK(integrate && difference) && k < TURNS; k++, turn *= 0.6) {
    motion s;
    random_motion(&r, p->m, &s);
    for (int i = 0; i < nv; i++) s.v[i] *= turn;
    ap_integrate(p->m, s.q, s.v, out);
    integrate(s.q, s.v, mine);
    CHECK_WITHIN(mine, out, nq, 1e-14);
    for (int i = 0; i < nq; i++) q0_of[i * TURNS + k] = s.q[i], q1_of[i * TURNS + k] = mine[i];
    for (int i = 0; i < nv; i++) v_of[i * TURNS + k] = s.v[i];
    ap_difference(p->m, s.q, mine, out);
    difference(s.q, mine, s.v);
    CHECK_WITHIN(s.v, out, nv, 1e-13);
    for (int i = 0; i < nv; i++) way_of[i * TURNS + k] = s.v[i];
  }
}

static void compare_turns_side_by_side(const pair *p) {
  static double out[ROBOT_Q * TURNS];
  two_arrays_batch *integrate = (two_arrays_batch *)generated_symbol(&p->g, "integrate", "_batch");
  two_arrays_batch *difference =
      (two_arrays_batch *)generated_symbol(&p->g, "difference", "_batch");
  if (!CHECK(integrate && difference)) return;
  integrate(TURNS, q0_of, v_of, out);
  CHECK_BITS(out, q1_of, TURNS * ap_nq(p->m));
  difference(TURNS, q0_of, q1_of, out);
  CHECK_BITS(out, way_of, TURNS * ap_nv(p->m));
}

TEST(configuration_manifold) {
  FOR_EACH_MODEL (r) {
    if (ap_nq(r->m) == ap_nv(r->m) || ap_nv(r->m) > 12) continue;
    ap_generate_options options = ap_default_generate();
    options.functions = 1u << AP_GEN_INTEGRATE | 1u << AP_GEN_DIFFERENCE;
    pair p = {r->m, r->w,
              generated_open(r->m, &options, generated_compiler(), "-O1 -march=native")};
    test_context("%s", r->label);
    if (CHECK(p.g.library)) compare_turns(&p), compare_turns_side_by_side(&p);
    generated_close(&p.g);
  }
}
