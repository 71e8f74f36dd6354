// SPDX-License-Identifier: Apache-2.0
// A singular inertia matrix is a status, the same in every path: forward dynamics, inverse of the
// matrix, derivatives, many states at once, compiled code, every method of a study, both
// precisions.
//
// The oracle is the rank of the matrix in binary128, by elimination with complete pivots after
// scaling rows and columns to a diagonal of one. An exactly singular matrix leaves a pivot of some
// 1e-33 there. A robot is taken for a test of regular ones where its least pivot is clear of the
// rounding of the arithmetic at hand, and left out in between.

#include <appell/batch.h>
#include <appell/codegen.h>
#include <appell/dyn.h>
#include <appell/research.h>

#include <unistd.h>

#include "models.h"

#include "f128.h"

#ifdef AP_HAVE_F128

enum { MOST_V = 60, STATES = 9 };
#define MARK 42.0

// Least pivots up to which a matrix is singular, and from which it is regular in double and float:
// what the rule asks for, 16 epsilons, times 1000 for the distance between a pivot of the scaled
// matrix and a quotient relative to larger sizes.
#define SINGULAR    1e-25
#define REGULAR     (16000 * DBL_EPSILON)
#define REGULAR_F32 (16000 * (double)FLT_EPSILON)

static f128 M128[MOST_V * MOST_V];
static double matrix[3][MOST_V * MOST_V];

// ---- the oracle --------------------------------------------------------------------------------

// The least pivot of the matrix A (n x n, used up) with a diagonal of one.
static double least_pivot(int n, f128 *A) {
  bool done[MOST_V] = {false};
  f128 scale[MOST_V];
  double least = 1;
  for (int i = 0; i < n; i++) {
    if (!(A[i * n + i] > 0)) return 0;
    scale[i] = 1 / ap__sqrt_f128(A[i * n + i]);
  }
  for (int i = 0; i < n * n; i++) A[i] *= scale[i / n] * scale[i % n];
  for (int step = 0; step < n; step++) {
    int p = -1;
    for (int k = 0; k < n; k++)
      if (!done[k] && (p < 0 || A[k * n + k] > A[p * n + p])) p = k;
    done[p] = true;
    f128 pivot = A[p * n + p];
    least = fmin(least, (double)pivot);
    if (!(pivot > 0)) return 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; !done[i] && j < n; j++)
        if (!done[j]) A[i * n + j] -= A[i * n + p] / pivot * A[p * n + j];
  }
  return least;
}

static double rank_margin(const test_robot *r, const double *q) {
  f128 q128[ROBOT_Q];
  work_f128 w = work_make_f128(r->m);
  for (int k = 0; k < ap_nq(r->m); k++) q128[k] = q[k];
  inertia(w.w, q128, M128);
  free(w.memory);
  return least_pivot(ap_nv(r->m), M128);
}

// ---- the paths ---------------------------------------------------------------------------------

static void mark(double *x, int n) {
  for (int k = 0; k < n; k++) x[k] = MARK;
}
static bool is_marked(const double *x, int n) {
  for (int k = 0; k < n; k++)
    if (x[k] != MARK) return false;
  return true;
}

// One state by the functions of dyn.h; outputs are untouched where it is singular.
static void check_scalar(const test_robot *r, const motion *s, ap_status want) {
  int n = ap_nv(r->m);
  double a[ROBOT_V];
  mark(a, n);
  CHECK_STATUS(ap_forward_dynamics(r->m, r->w, s->q, s->v, s->a, a), want);
  CHECK(want == AP_OK || is_marked(a, n));
  for (int k = 0; k < 3; k++) mark(matrix[k], n * n);
  CHECK_STATUS(ap_inverse_inertia_matrix(r->m, r->w, s->q, matrix[0]), want);
  CHECK(want == AP_OK || is_marked(matrix[0], n * n));
  CHECK_STATUS(ap_forward_dynamics_derivatives(r->m, r->w, s->q, s->v, s->a, matrix[0], matrix[1],
                                               matrix[2]),
               want);
  for (int k = 0; k < 3; k++) CHECK(want == AP_OK || is_marked(matrix[k], n * n));
}

static void check_f32(const test_robot *r, const motion *s, ap_status want) {
  static float q[ROBOT_Q], v[ROBOT_V], tau[ROBOT_V], a[ROBOT_V], Minv[MOST_V * MOST_V];
  size_t size = ap_work_size_f32(r->m);
  void *memory = malloc(size);
  ap_work_f32 *w = ap_work_init_f32(r->m, memory, size);
  for (int k = 0; k < ap_nq(r->m); k++) q[k] = (float)s->q[k];
  for (int k = 0; k < ap_nv(r->m); k++) v[k] = (float)s->v[k], tau[k] = (float)s->a[k];
  CHECK_STATUS(ap_forward_dynamics_f32(r->m, w, q, v, tau, a), want);
  CHECK_STATUS(ap_inverse_inertia_matrix_f32(r->m, w, q, Minv), want);
  free(memory);
}

// Some states, all of them alike.
static void check_batch(const test_robot *r, const motion *s, ap_status want) {
  static double q[STATES * ROBOT_Q], v[STATES * ROBOT_V], tau[STATES * ROBOT_V];
  static double a[STATES * ROBOT_V];
  int nq = ap_nq(r->m), n = ap_nv(r->m);
  ap_status status[STATES];
  size_t size = ap_batch_size(r->m);
  void *memory = malloc(size);
  ap_batch *b = ap_batch_init(r->m, memory, size);
  for (int k = 0; k < STATES; k++) {
    memcpy(q + k * nq, s->q, (size_t)nq * sizeof *q);
    memcpy(v + k * n, s->v, (size_t)n * sizeof *v);
    memcpy(tau + k * n, s->a, (size_t)n * sizeof *tau);
  }
  mark(a, STATES * n);
  CHECK_STATUS(
      ap_batch_forward_dynamics(r->m, b, ap_all_states(STATES, AP_ROWS), q, v, tau, a, status),
      want);
  for (int k = 0; k < STATES; k++) {
    CHECK_STATUS(status[k], want);
    CHECK(want == AP_OK || is_marked(a + k * n, n));
  }
  free(memory);
}

// Every method for accelerations. Methods differ in their rounding, and those that work about the
// world's origin or square what they should not have more of it: regular ones are left to others.
static void check_study(const test_robot *r, const motion *s, ap_arithmetic by, ap_status want) {
  static double in[ROBOT_Q + 2 * ROBOT_V], a[ROBOT_V];
  int nq = ap_nq(r->m), n = ap_nv(r->m);
  size_t size = ap_study_size(r->m, by);
  void *memory = malloc(size);
  ap_study *study = ap_study_init(r->m, by, memory, size);
  memcpy(in, s->q, (size_t)nq * sizeof *in);
  memcpy(in + nq, s->v, (size_t)n * sizeof *in);
  memcpy(in + nq + n, s->a, (size_t)n * sizeof *in);
  const ap_method *method;
  for (int i = 0; (method = ap_method_at(i)); i++) {
    if (method->what != AP_FORWARD) continue;
    ap_status status = ap_study_eval(study, method, in, a, NULL);
    if (status == AP_E_UNSUPPORTED) continue;
    if (status != want) printf("%s in %s\n", method->name, ap_arithmetic_name(by));
    CHECK_STATUS(status, want);
  }
  free(memory);
}

static int seen[2]; // regular and singular robots

static void check_robot(const test_robot *r, const motion *s) {
  if (ap_nv(r->m) == 0 || ap_nv(r->m) > MOST_V) return;
  double margin = rank_margin(r, s->q);
  if (margin > SINGULAR && margin < REGULAR) return;
  ap_status want = margin > SINGULAR ? AP_OK : AP_E_SINGULAR;
  seen[want != AP_OK]++;
  check_scalar(r, s, want);
  check_batch(r, s, want);
  check_study(r, s, AP_F64, want);
  check_study(r, s, AP_F128, want);
  if (margin > SINGULAR && margin < REGULAR_F32) return;
  check_f32(r, s, want);
  check_study(r, s, AP_F32, want);
}

// ---- random robots -----------------------------------------------------------------------------

// Some bodies lose their mass; the masses of the others are up to `spread` decades apart.
static void lighten(rng *random, test_robot *t, double massless, double spread) {
  for (int k = 0; k < t->def.nbody; k++) {
    ap_body_def *b = &t->body[k];
    double factor = pow(10, rng_uniform(random, -spread / 2, spread / 2));
    if (rng_chance(random, massless)) factor = 0;
    b->mass *= factor;
    for (int i = 0; i < 6; i++) b->inertia[i] *= factor;
  }
}

// Coordinates that are floats, so that all arithmetics have the same.
static motion state_of(rng *random, const ap_model *m) {
  static motion s;
  random_motion(random, m, &s);
  for (int k = 0; k < ap_nq(m); k++) s.q[k] = (double)(float)s.q[k];
  return s;
}

static void check_recipe(const robot_recipe *recipe, double massless, double spread, int count) {
  static test_robot r;
  for (int k = 0; k < count; k++) {
    rng random = rng_seed(7000 + (uint64_t)k);
    robot_recipe one = *recipe;
    one.nbody = rng_int(&random, 2, recipe->nbody);
    random_robot(&random, &one, &r);
    lighten(&random, &r, massless, spread);
    test_context("%s/%d", recipe->label, k);
    if (robot_make(&r)) {
      motion s = state_of(&random, r.m);
      check_robot(&r, &s);
    }
    robot_free(&r);
  }
}

TEST(random_trees_with_massless_bodies) {
  const robot_recipe trees[] = {
      {"any joint", 6, 3, ANY_JOINT, ANY_PLACE, false, 0, 0},
      {"any joint in a row", 4, 0, ANY_JOINT, ANY_PLACE, false, 0, 0},
      {"R and P", 12, 4, R_AND_P, ANY_PLACE, false, 0, 0},
      {"long chain", 14, 0, ONLY_R, ANY_PLACE, false, 0, 0},
      {"followers", 8, 3, R_AND_P, ANY_PLACE, false, 2, 0},
  };
  seen[0] = seen[1] = 0;
  for (size_t k = 0; k < sizeof trees / sizeof *trees; k++) check_recipe(&trees[k], 0.4, 0, 60);
  CHECK(seen[0] > 50 && seen[1] > 100);
}

TEST(random_trees_badly_scaled) {
  const robot_recipe tree = {"six decades", 8, 3, ANY_JOINT, ANY_PLACE, false, 0, 0};
  seen[0] = seen[1] = 0;
  check_recipe(&tree, 0, 6, 100);
  CHECK(seen[0] > 80 && seen[1] == 0);
  check_recipe(&tree, 0.4, 6, 100);
  CHECK(seen[1] > 20);
}

// Seven degrees of freedom of one body: a massless planar and a massless spherical joint in front
// of its own. No pivot is small but the last, which is rounding.
TEST(more_freedoms_than_a_body_has) {
  static test_robot r;
  const ap_joint_type joint[] = {AP_PLANAR, AP_SPHERICAL, AP_REVOLUTE};
  for (int k = 0; k < 200; k++) {
    rng random = rng_seed(300 + (uint64_t)k);
    const robot_recipe chain = {"seven", 3, 0, 1 << AP_SPHERICAL, PLAIN, false, 0, 0};
    random_robot(&random, &chain, &r);
    for (int i = 0; i < 3; i++) r.body[i].joint = joint[i];
    for (int i = 0; i < 2; i++) {
      r.body[i].mass = 0;
      memset(r.body[i].inertia, 0, sizeof r.body[i].inertia);
    }
    test_context("seven/%d", k);
    if (robot_make(&r)) {
      motion s = state_of(&random, r.m);
      CHECK(rank_margin(&r, s.q) < SINGULAR);
      check_robot(&r, &s);
    }
    robot_free(&r);
  }
}

// ---- the bound ---------------------------------------------------------------------------------

// Whether A (n x n, used up) is positive definite.
static bool is_definite(int n, f128 *A) {
  for (int k = 0; k < n; k++) {
    if (!(A[k * n + k] > 0)) return false;
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) A[i * n + j] -= A[i * n + k] / A[k * n + k] * A[k * n + j];
  }
  return true;
}

// M - bound S is positive definite at every state, rotors or not: no eigenvalue of S^-1/2 M S^-1/2
// is below the bound. Returns whether there was one.
static bool check_bound(rng *random, const test_robot *r, bool rotors) {
  int n = ap_nv(r->m);
  work_f128 w = work_make_f128(r->m);
  set_friction(w.w, rotors);
  double bound = least_eigenvalue(w.w);
  for (int state = 0; state < 3 && bound > 0; state++) {
    f128 q[ROBOT_Q];
    motion s = state_of(random, r->m);
    for (int k = 0; k < ap_nq(r->m); k++) q[k] = s.q[k];
    inertia(w.w, q, M128);
    update_sizes(w.w);
    for (int k = 0; k < n; k++) M128[k * n + k] -= bound * w.w->solver->size[k];
    CHECK(is_definite(n, M128));
  }
  free(w.memory);
  return bound > 0;
}

TEST(bodies_bound_the_least_eigenvalue) {
  static test_robot r;
  const unsigned turning = 1 << AP_REVOLUTE | 1 << AP_SPHERICAL;
  const robot_recipe kinds[] = {
      {"chain", 12, 0, ONLY_R, ANY_PLACE, false, 0, 0},
      {"tree", 10, 3, turning, ANY_PLACE, false, 0, 0},
      {"free base", 10, 3, turning, ANY_PLACE, true, 0, 0},
      {"one body", 1, 0, ANY_JOINT, ANY_PLACE, false, 0, 0},
      {"followers", 8, 3, ONLY_R, ANY_PLACE, false, 2, 0},
      {"massless", 6, 3, ONLY_R, ANY_PLACE, false, 0, 2},
      {"sliding", 8, 3, R_AND_P, ANY_PLACE, false, 0, 0},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    int bounded = 0, made = 0;
    for (int k = 0; k < 40; k++) {
      rng random = rng_seed(4000 + (uint64_t)k);
      random_robot(&random, &kinds[i], &r);
      if (k % 2) lighten(&random, &r, 0, 6);
      test_context("%s/%d", kinds[i].label, k);
      if (robot_make(&r)) made++, bounded += check_bound(&random, &r, k % 4 > 1);
      robot_free(&r);
    }
    if (i < 5) CHECK(bounded > made / 2); // or nothing was tested
    if (i == 5) CHECK(bounded < made);
  }
}

// ---- robots of a kind --------------------------------------------------------------------------

// A point mass at the end of two links of the same length: folded, it is on the first axis, and the
// entries of its row of M are rounding, the diagonal one included.
TEST(a_folded_arm_with_a_point_mass) {
  static test_robot r;
  for (int k = 0; k < 20; k++) {
    robot_clear(&r, "folded", 2);
    double length = 0.3 + 0.07 * k;
    for (int i = 0; i < 2; i++) r.body[i].joint = AP_REVOLUTE, r.body[i].axis[2] = 1;
    r.body[1].place.xyz[0] = length;
    r.body[1].mass = 1.7;
    r.body[1].com[0] = length;
    motion s = {.q = {0.1 * k, 3.14159265358979323846}};
    test_context("folded/%d", k);
    if (robot_make(&r)) {
      check_scalar(&r, &s, AP_E_SINGULAR);
      check_batch(&r, &s, AP_E_SINGULAR);
      s.q[1] = 2;
      check_scalar(&r, &s, AP_OK);
    }
    robot_free(&r);
  }
}

// A rod that turns about its own axis, its tensor given in other axes: what is left is rounding.
TEST(a_thin_rod_about_its_own_axis) {
  static test_robot r;
  rng random = rng_seed(5);
  for (int k = 0; k < 20; k++) {
    robot_clear(&r, "rod", 1);
    ap_body_def *b = &r.body[0];
    double e[3];
    random_direction(&random, 3, e);
    b->joint = AP_REVOLUTE;
    memcpy(b->axis, e, sizeof e);
    b->mass = 2;
    for (int i = 0; i < 3; i++) b->com[i] = 0.3 * e[i];
    double I[6] = {1 - e[0] * e[0], -e[0] * e[1], -e[0] * e[2],
                   1 - e[1] * e[1], -e[1] * e[2], 1 - e[2] * e[2]};
    memcpy(b->inertia, I, sizeof I);
    motion s = {.q = {0.4}};
    test_context("rod/%d", k);
    if (robot_make(&r)) check_scalar(&r, &s, AP_E_SINGULAR);
    robot_free(&r);
  }
}

// 1e-9 kg m^2 that carry a tonne on the same axis, and a gram on a tonne: regular.
TEST(a_gram_beside_a_tonne) {
  static test_robot r;
  const double light[6] = {1e-9, 0, 0, 1e-9, 0, 1e-9}, heavy[6] = {900, 0, 0, 900, 0, 900};
  for (int k = 0; k < 4; k++) {
    int carrier = k % 2;
    robot_clear(&r, "scales", 2);
    for (int i = 0; i < 2; i++) {
      ap_body_def *b = &r.body[i];
      b->joint = AP_REVOLUTE, b->axis[2] = 1;
      b->mass = i == carrier ? 1e-3 : 1e3;
      b->com[0] = i == carrier ? 1e-3 : 0;
      memcpy(b->inertia, i == carrier ? light : heavy, sizeof light);
    }
    if (k > 1) r.body[1].place.xyz[0] = 1e-3;
    motion s = {.q = {0.3, -0.7}};
    test_context("scales/%d", k);
    if (robot_make(&r)) {
      CHECK(rank_margin(&r, s.q) > SINGULAR);
      check_scalar(&r, &s, AP_OK);
      if (k > 0) check_batch(&r, &s, AP_OK);
      check_study(&r, &s, AP_F64, AP_OK);
    }
    robot_free(&r);
  }
}

// A long straight chain is badly conditioned, its inertia matrix entries of n^3 beside one; in
// float articulated bodies still have digits.
TEST(a_long_straight_chain) {
  static test_robot r;
  const double I[6] = {1e-4, 0, 0, 0.01, 0, 0.01};
  robot_clear(&r, "chain", 30);
  for (int i = 0; i < 30; i++) {
    ap_body_def *b = &r.body[i];
    b->joint = AP_REVOLUTE, b->axis[2] = 1;
    b->place.xyz[0] = i ? 0.3 : 0;
    b->mass = 1, b->com[0] = 0.15;
    memcpy(b->inertia, I, sizeof I);
  }
  motion s = {.number = 0};
  if (robot_make(&r)) {
    check_scalar(&r, &s, AP_OK);
    check_batch(&r, &s, AP_OK);
    check_f32(&r, &s, AP_OK);
  }
  robot_free(&r);
}

// ---- rotors, payloads --------------------------------------------------------------------------

// A rotor makes a massless leaf regular, while it is there; so does a payload.
TEST(rotors_and_payloads_count) {
  static test_robot r;
  double com[3] = {0.1, 0, 0}, q[1] = {0.2}, v[1] = {0}, tau[1] = {3}, a[1];
  robot_clear(&r, "rotor", 1);
  r.body[0].joint = AP_REVOLUTE, r.body[0].axis[2] = 1;
  r.body[0].rotor_inertia = 1e-5, r.body[0].gear_ratio = 10;
  if (robot_make(&r)) {
    CHECK_STATUS(ap_forward_dynamics(r.m, r.w, q, v, tau, a), AP_E_SINGULAR);
    ap_set_friction(r.m, r.w, true);
    CHECK_STATUS(ap_forward_dynamics(r.m, r.w, q, v, tau, a), AP_OK);
    ap_set_friction(r.m, r.w, false);
    CHECK_STATUS(ap_forward_dynamics(r.m, r.w, q, v, tau, a), AP_E_SINGULAR);
    CHECK_OK(ap_set_payload(r.m, r.w, 1, 1e-6, com, NULL));
    CHECK_STATUS(ap_forward_dynamics(r.m, r.w, q, v, tau, a), AP_OK);
    ap_reset_inertia(r.m, r.w);
    CHECK_STATUS(ap_forward_dynamics(r.m, r.w, q, v, tau, a), AP_E_SINGULAR);
  }
  robot_free(&r);
}

// ---- compiled code -----------------------------------------------------------------------------

// One state and many by code compiled for the robot.
static void check_compiled(const test_robot *r, const motion *s, const char *folder,
                           ap_status want) {
  ap_compile_options options = ap_default_compile();
  ap_compiled *c = NULL;
  ap_error error = {.text = ""};
  double a[ROBOT_V];
  int n = ap_nv(r->m);
  options.folder = folder, options.flags = "-O0";
  options.functions = 1u << AP_GEN_FORWARD | 1u << AP_GEN_FORWARD_DERIVATIVES;
  ap_status status = ap_compile(r->m, &options, &c, &error);
  if (status) { // a robot that is singular wherever it is may be refused
    ap_compiled_free(c);
    CHECK(status != AP_E_UNSUPPORTED || want == AP_E_SINGULAR);
    if (status != AP_E_UNSUPPORTED) test_skip("nothing is compiled: %s", error.text);
    return;
  }
  seen[want != AP_OK]++;
  const ap_functions *f = ap_compiled_functions(c);
  mark(a, n);
  CHECK_EQ_INT(f->forward_dynamics(s->q, s->v, s->a, a) != 0, want != AP_OK);
  CHECK(want == AP_OK || is_marked(a, n));
  mark(a, n);
  CHECK_EQ_INT(f->forward_dynamics_batch(1, s->q, s->v, s->a, a) != 0, want != AP_OK);
  CHECK(want == AP_OK || is_marked(a, n));
  CHECK_EQ_INT(
      f->forward_dynamics_derivatives(s->q, s->v, s->a, matrix[0], matrix[1], matrix[2]) != 0,
      want != AP_OK);
  ap_compiled_free(c);
}

TEST(compiled_code_decides_alike) {
  if (test_effort() < 3) return; // the generated text is the same
  static test_robot r;
  char folder[] = "/tmp/appell-singular-XXXXXX", command[64];
  const robot_recipe tree = {"compiled", 4, 3, ANY_JOINT, ANY_PLACE, false, 0, 0};
  if (!CHECK(mkdtemp(folder))) return;
  seen[0] = seen[1] = 0;
  for (int k = 0; k < 18; k++) {
    rng random = rng_seed(40 + (uint64_t)k);
    random_robot(&random, &tree, &r);
    lighten(&random, &r, k % 2 ? 0.6 : 0.2, 0);
    for (int i = 0; i < r.def.nbody; i++) // a massless leaf is refused before
      if (is_leaf(&r, i))
        random_inertia(&random, &r.body[i].mass, r.body[i].com, r.body[i].inertia);
    test_context("compiled/%d", k);
    if (robot_make(&r)) {
      motion s = state_of(&random, r.m);
      double margin = rank_margin(&r, s.q);
      if (margin <= SINGULAR || margin > REGULAR)
        check_compiled(&r, &s, folder, margin > SINGULAR ? AP_OK : AP_E_SINGULAR);
    }
    robot_free(&r);
  }
  CHECK((seen[0] > 4 && seen[1] > 2) || seen[0] + seen[1] == 0); // or there is no compiler
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  CHECK_EQ_INT(system(command), 0);
}

#else
TEST(binary128) { test_skip("this build has no binary128"); }
#endif
