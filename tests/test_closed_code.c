// SPDX-License-Identifier: Apache-2.0
// Generated code of closed chains: compiled by the system's compilers, its results beside those of
// the library, statuses, starts, batches, single precision.

#include <appell/codegen.h>
#include <appell/dyn.h>
#include <appell/loop.h>

#include "generated.h"
#include "mechanism_rig.h"
#include "test.h"

enum { N = 8, X = 40, SIZE = N * N };

typedef int one(const double *q, double *out);
typedef int two(const double *q, const double *v, double *out);
typedef int three(const double *q, const double *v, const double *a, double *out);
typedef void begin(double *x);
typedef int from_x(double *x, const double *q, double *out);
typedef int slopes(const double *q, const double *v, const double *a, double *by_q, double *by_v,
                   double *by_a);

// A function of the code; what C calls it.
static void *find(const generated *g, const char *function) {
  char name[128];
  snprintf(name, sizeof name, "%s_%s", ap_code_name(g->code), function);
  void *found = dlsym(g->library, name);
  if (!CHECK(found)) printf("  %s is missing\n", name);
  return found;
}
#define FIND(g, type, name) ((type *)(uintptr_t)find(g, name))

static generated open_code(const ap_mechanism *m, const ap_generate_options *o,
                           const char *compiler, const char *flags) {
  generated g = {.code = NULL};
  ap_error error = {0};
  if (CHECK_OK(ap_generate_mechanism(m, o, &g.code, &error))) generated_load(&g, compiler, flags);
  if (!CHECK(g.library)) printf("  %s\n", error.text);
  return g;
}

static bool has_clang(void) { return system("clang --version >/dev/null 2>&1") == 0; }

// A state near the guess. The library begins there, too: both searches take the same path.
typedef struct state {
  double q[N], v[N], a[N], tau[N];
} state;

static void random_state(rng *random, const ap_mechanism *m, ap_loop *l, state *s) {
  ap_loop_set_guess(m, l, ap_mechanism_guess(m));
  ap_loop_errors(m, l, ap_mechanism_guess(m), NULL, s->q);
  for (int i = 0; i < ap_mechanism_n(m); i++) {
    s->q[i] += rng_uniform(random, -0.05, 0.05);
    s->v[i] = rng_uniform(random, -1, 1), s->a[i] = rng_uniform(random, -3, 3);
  }
  for (int i = 0; i < N; i++) s->tau[i] = rng_uniform(random, -3, 3);
}

// Both assemblies end with rows below 3e-14, and what is computed from there rounds differently:
// 1e-12 of the largest number, times the condition of M for accelerations, below 1e4 here.
static void check_values(const generated *g, const ap_mechanism *m, ap_loop *l, const state *s) {
  const int n = ap_mechanism_n(m), nact = ap_mechanism_nact(m);
  double got[SIZE], want[SIZE], zero[N] = {0}, x[X];
  if (nact >= n) {
    CHECK_EQ_INT(FIND(g, three, "inverse_dynamics")(s->q, s->v, s->a, got), 0);
    CHECK_OK(ap_loop_inverse_dynamics(m, l, s->q, s->v, s->a, want));
    CHECK_WITHIN(got, want, nact, 1e-12 * (1 + test_norm(want, nact)));
    CHECK_EQ_INT(FIND(g, two, "bias")(s->q, s->v, got), 0);
    CHECK_OK(ap_loop_inverse_dynamics(m, l, s->q, s->v, zero, want));
    CHECK_WITHIN(got, want, nact, 1e-12 * (1 + test_norm(want, nact)));
    CHECK_EQ_INT(FIND(g, one, "gravity")(s->q, got), 0);
    CHECK_OK(ap_loop_inverse_dynamics(m, l, s->q, zero, zero, want));
    CHECK_WITHIN(got, want, nact, 1e-12 * (1 + test_norm(want, nact)));
  }
  CHECK_EQ_INT(FIND(g, one, "inertia_matrix")(s->q, got), 0);
  CHECK_OK(ap_loop_inertia_matrix(m, l, s->q, want));
  CHECK_WITHIN(got, want, n * n, 1e-12 * (1 + test_norm(want, n * n)));
  CHECK_EQ_INT(FIND(g, three, "forward_dynamics")(s->q, s->v, s->tau, got), 0);
  CHECK_OK(ap_loop_forward_dynamics(m, l, s->q, s->v, s->tau, want));
  CHECK_WITHIN(got, want, n, 1e-10 * (1 + test_norm(want, n)));
  FIND(g, begin, "start")(x);
  CHECK_EQ_INT(FIND(g, one, "configuration")(s->q, x), 0);
  CHECK_WITHIN(x, ap_loop_configuration(l), ap_nq(ap_mechanism_tree(m)), 1e-12);
}

static void check_slopes(const generated *g, const ap_mechanism *m, ap_loop *l, const state *s) {
  const int n = ap_mechanism_n(m), nact = ap_mechanism_nact(m);
  double got[3][SIZE], want[3][SIZE];
  if (nact >= n) {
    CHECK_EQ_INT(
        FIND(g, slopes, "inverse_dynamics_derivatives")(s->q, s->v, s->a, got[0], got[1], got[2]),
        0);
    CHECK_OK(
        ap_loop_inverse_dynamics_derivatives(m, l, s->q, s->v, s->a, want[0], want[1], want[2]));
    for (int k = 0; k < 3; k++)
      CHECK_WITHIN(got[k], want[k], nact * n, 1e-10 * (1 + test_norm(want[k], nact * n)));
  }
  CHECK_EQ_INT(
      FIND(g, slopes, "forward_dynamics_derivatives")(s->q, s->v, s->tau, got[0], got[1], got[2]),
      0);
  CHECK_OK(
      ap_loop_forward_dynamics_derivatives(m, l, s->q, s->v, s->tau, want[0], want[1], want[2]));
  for (int k = 0; k < 3; k++) {
    const int size = k < 2 ? n * n : n * nact;
    CHECK_WITHIN(got[k], want[k], size, 1e-9 * (1 + test_norm(want[k], size)));
  }
}

static void check_mechanism(const ap_mechanism *m, ap_loop *l, const char *compiler,
                            const char *flags, bool friction) {
  rng random = rng_seed(7);
  ap_generate_options o = ap_default_generate();
  o.friction = friction;
  ap_set_friction(ap_mechanism_tree(m), ap_loop_work(l), friction);
  generated g = open_code(m, &o, compiler, flags);
  for (int k = 0; g.library && k < 3; k++) {
    state s;
    random_state(&random, m, l, &s);
    check_values(&g, m, l, &s);
    check_slopes(&g, m, l, &s);
  }
  generated_close(&g);
}

TEST(builtin_mechanisms) {
  for (int i = 0; ap_mechanism_builtin_name(i); i++) {
    rig r = builtin(ap_mechanism_builtin_name(i));
    if (r.m) check_mechanism(r.m, r.l, "gcc", "-O1", false);
    drop(&r);
  }
}

static void check_file(const char *path) {
  ap_mechanism *m;
  ap_error error = {0};
  test_context("%s", path);
  if (!CHECK_OK(ap_mechanism_read(path, &m, NULL, &error))) return;
  ap_loop *l = ap_loop_make(m);
  if (CHECK(l)) check_mechanism(m, l, has_clang() ? "clang" : "gcc", "-O1", true);
  ap_loop_free(l);
  ap_mechanism_free(m);
}

TEST(mechanisms_of_files) { check_file("models/four-bar.yaml"), check_file("models/press.yaml"); }

// MuJoCo's format, closed by `connect`.
TEST(mechanism_of_mjcf) { check_file("models/gripper.xml"); }

// The same numbers by every compiler and level.
TEST(compilers) {
  static const char *const flags[] = {"-O0", "-O2", "-O3 -march=native"};
  rig r = builtin("five-bar");
  for (int k = 0; k < COUNT(flags); k++) {
    test_context("gcc %s", flags[k]);
    check_mechanism(r.m, r.l, "gcc", flags[k], true);
    test_context("clang %s", flags[k]);
    if (has_clang()) check_mechanism(r.m, r.l, "clang", flags[k], false);
  }
  drop(&r);
}

// What the caller hands over keeps the branch; what cannot be done leaves outputs as they were.
TEST(starts_and_statuses) {
  rig r = builtin("five-bar");
  ap_generate_options o = ap_default_generate();
  o.functions = 1u << AP_GEN_GRAVITY | 1u << AP_GEN_FORWARD | 1u << AP_GEN_KINEMATICS;
  generated g = open_code(r.m, &o, "gcc", "-O1");
  if (!g.library) return;
  from_x *from = FIND(&g, from_x, "gravity_from");
  one *gravity = FIND(&g, one, "gravity");
  double q[2], tau[2] = {7, 7}, want[2], x[X], far[2] = {9, 9}, bad[2] = {NAN, 0};
  ap_loop_errors(r.m, r.l, ap_mechanism_guess(r.m), NULL, q);
  CHECK_EQ_INT(gravity(far, tau), 2);
  CHECK_EQ_INT(gravity(bad, tau), 1);
  CHECK(tau[0] == 7 && tau[1] == 7);
  for (int i = 0; i < ap_mechanism_nbranch(r.m); i++) {
    const ap_branch_def *branch = ap_mechanism_branch(r.m, i);
    memcpy(x, branch->guess, sizeof(double) * (size_t)ap_nq(ap_mechanism_tree(r.m)));
    ap_loop_set_guess(r.m, r.l, branch->guess);
    ap_loop_errors(r.m, r.l, branch->guess, NULL, q);
    for (int k = 0; k < 5; k++) {
      q[0] += 0.01, q[1] += 0.005;
      const ap_status status =
          ap_loop_inverse_dynamics(r.m, r.l, q, (double[2]){0}, (double[2]){0}, want);
      CHECK_EQ_INT(from(x, q, tau) == 0, status == AP_OK);
      if (status == AP_OK) CHECK_WITHIN(tau, want, 2, 1e-11 * (1 + test_norm(want, 2)));
    }
  }
  generated_close(&g);
  drop(&r);
}

// Batches are the functions of one state, bit by bit; a state that fails keeps its outputs.
TEST(batches) {
  enum { MANY = 5 };
  rig r = builtin("five-bar");
  ap_generate_options o = ap_default_generate();
  o.functions = 1u << AP_GEN_GRAVITY;
  generated g = open_code(r.m, &o, "gcc", "-O1");
  if (!g.library) return;
  int (*batch)(size_t, const double *, double *) =
      (int (*)(size_t, const double *, double *))(uintptr_t)find(&g, "gravity_batch");
  one *gravity = FIND(&g, one, "gravity");
  double q[2], many[2 * MANY], tau[2 * MANY], single[2];
  ap_loop_errors(r.m, r.l, ap_mechanism_guess(r.m), NULL, q);
  for (int k = 0; k < MANY; k++)
    many[k] = k == 3 ? 50 : q[0] + 0.01 * k, many[MANY + k] = q[1], tau[k] = tau[MANY + k] = 7;
  CHECK_EQ_INT(batch(MANY, many, tau), 2);
  for (int k = 0; k < MANY; k++) {
    const int status = gravity((double[2]){many[k], many[MANY + k]}, single);
    CHECK_EQ_INT(status, k == 3 ? 2 : 0);
    const double got[2] = {tau[k], tau[MANY + k]}, seven[2] = {7, 7};
    CHECK_BITS(got, status ? seven : single, 2);
  }
  generated_close(&g);
  drop(&r);
}

// In float: an assembly good to 1e-6, and what that and rounding leave of the torques.
TEST(single_precision) {
  typedef int three_f32(const float *q, const float *v, const float *a, float *out);
  static const char *const name[] = {"five-bar", "stewart"};
  for (int i = 0; i < COUNT(name); i++) {
    rig r = builtin(name[i]);
    rng random = rng_seed(8);
    const int n = ap_mechanism_n(r.m);
    ap_generate_options o = ap_default_generate();
    o.arithmetic = AP_F32, o.batch = false;
    o.functions = 1u << AP_GEN_INVERSE | 1u << AP_GEN_FORWARD;
    generated g = open_code(r.m, &o, "gcc", "-O1 -Wdouble-promotion");
    for (int k = 0; g.library && k < 3; k++) {
      state s;
      float in[3][N], out[N], back[N];
      double got[N], again[N], want[N];
      random_state(&random, r.m, r.l, &s);
      for (int j = 0; j < n; j++)
        in[0][j] = (float)s.q[j], in[1][j] = (float)s.v[j], in[2][j] = (float)s.a[j];
      CHECK_EQ_INT(FIND(&g, three_f32, "inverse_dynamics")(in[0], in[1], in[2], out), 0);
      CHECK_EQ_INT(FIND(&g, three_f32, "forward_dynamics")(in[0], in[1], out, back), 0);
      CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, s.q, s.v, s.a, want));
      for (int j = 0; j < n; j++) got[j] = (double)out[j], again[j] = (double)back[j];
      CHECK_WITHIN(got, want, n, 1e-3 * (1 + test_norm(want, n)));
      CHECK_WITHIN(again, s.a, n, 1e-2 * (1 + test_norm(s.a, n)));
    }
    generated_close(&g);
    drop(&r);
  }
}
