// SPDX-License-Identifier: Apache-2.0
// The closed forms of parallel robots in every arithmetic: double and float against binary128, and
// generated code against the library.

#include "test.h"

#include <appell/codegen.h>

#include "generated.h"
#include "research/arith_f128.h"
#include "num/vocabulary.inc"
#include "loop/parallel.inc"

enum { ROBOTS = 40, STATES = 9, N = 3 };

static _Alignas(16) unsigned char memory[8192];

// A robot of that kind, a little off the built-in one, in double and in binary128.
static const ap_parallel *random_robot(rng *r, parallel_kind kind, robot *exact) {
  ap_error error = {0};
  ap_wrist_def wrist = ap_agile_wrist();
  ap_five_bar_def five_bar = ap_default_five_bar();
  ap_delta_def delta = ap_default_delta();
  for (int i = 0; i < 3; i++) {
    wrist.limb[i].alpha1 += rng_uniform(r, -0.1, 0.1), wrist.limb[i].eta += rng_uniform(r, 0, 0.1);
    wrist.limb[i].branch = rng_chance(r, 0.5) ? 1 : -1;
    delta.limb[i].angle += rng_uniform(r, -0.2, 0.2), delta.limb[i].base += rng_uniform(r, 0, 0.1);
    delta.limb[i].branch = rng_chance(r, 0.5) ? 1 : -1;
    delta.limb[i].arm.com[1] = delta.limb[i].rod.com[1] = rng_uniform(r, -0.1, 0.1);
    delta.limb[i].rotor = rng_uniform(r, 0, 0.1);
    if (i == 2) continue;
    five_bar.limb[i].arm_length += rng_uniform(r, -0.05, 0.05);
    five_bar.limb[i].branch = rng_chance(r, 0.5) ? 1 : -1;
    five_bar.limb[i].rod.com[1] = rng_uniform(r, -0.1, 0.1);
  }
  if (kind == WRIST) wrist_prepare(&wrist, NULL, &exact->wrist);
  if (kind == FIVE_BAR) five_bar_prepare(&five_bar, NULL, &exact->arms);
  if (kind == DELTA) delta_prepare(&delta, NULL, &exact->arms);
  const ap_parallel *p = kind == WRIST ? ap_wrist_init(&wrist, memory, sizeof memory, &error)
                         : kind == FIVE_BAR
                             ? ap_five_bar_init(&five_bar, memory, sizeof memory, &error)
                             : ap_delta_init(&delta, memory, sizeof memory, &error);
  if (!CHECK(p)) printf("%s\n", error.text);
  return p;
}

// A state that float can hold, far from the edge of the reach and from singularities.
static bool random_state(rng *r, const ap_parallel *p, double q[N], double v[N], double a[N]) {
  for (int tries = 0; tries < 500; tries++) {
    ap_parallel_margin m;
    bool far = true;
    for (int k = 0; k < N; k++) {
      q[k] = (double)(float)rng_uniform(r, -0.4, 0.4);
      if (p->kind == DELTA && k == 2) q[k] -= 1;
      v[k] = (double)(float)rng_uniform(r, -2, 2), a[k] = (double)(float)rng_uniform(r, -9, 9);
    }
    if (ap_parallel_margins(p, q, &m) != AP_OK || m.sigma < 0.2) continue;
    for (int i = 0; i < ap_parallel_n(p); i++) far = far && fabs(m.serial[i]) > 0.2;
    if (far) return true;
  }
  return false;
}

// What the library computes of a state, one after the other: tau, Q, M, C, G, J, a of tau, energies
// and joints.
enum { VALUES = 80 };

#define VALUES_OF(name, type, suffix)                                                           \
  static int name(const ap_parallel *p, const double *at[3], double *out) {                     \
    type x[VALUES], *y = x, q[3][N];                                                            \
    const int n = ap_parallel_n(p), joints = (p->kind == DELTA ? 3 : 2) * n;                    \
    for (int k = 0; k < 3 * n; k++) q[k / n][k % n] = (type)at[k / n][k % n];                   \
    CHECK_OK(ap_parallel_inverse_dynamics##suffix(p, q[0], q[1], q[2], y));                     \
    CHECK_OK(ap_parallel_forces##suffix(p, q[0], q[1], q[2], y + n));                           \
    CHECK_OK(ap_parallel_forward_dynamics##suffix(p, q[0], q[1], y, y + 2 * n));                \
    y += 3 * n;                                                                                 \
    CHECK_OK(ap_parallel_matrices##suffix(p, q[0], q[1], y, y + n * n, y + 2 * n * n,           \
                                          y + 2 * n * n + n));                                  \
    y += 3 * n * n + n;                                                                         \
    CHECK_OK(ap_parallel_energy##suffix(p, q[0], q[1], y, y + 1));                              \
    y += 2;                                                                                     \
    CHECK_OK(ap_parallel_inverse_kinematics##suffix(p, q[0], q[1], q[2], NULL, y, y + joints)); \
    y += 2 * joints;                                                                            \
    for (int k = 0; k < y - x; k++) out[k] = (double)x[k];                                      \
    return (int)(y - x);                                                                        \
  }
VALUES_OF(values_f64, double, )
VALUES_OF(values_f32, float, _f32)

static int values_f128(const ap_parallel *p, const robot *r, const double *at[3], double *out) {
  real x[VALUES], *y = x, q[3][N], none[N] = {0, 0, 0}, inertia[9];
  const parallel_kind kind = p->kind;
  const int n = limbs_of(kind), joints = joints_of(kind) * n;
  pose here, drift;
  for (int k = 0; k < 3 * n; k++) q[k / n][k % n] = at[k / n][k % n];
  place(kind, r, q[0], &here);
  drift = here;
  move(kind, r, q[1], q[2], &here), move(kind, r, q[1], none, &drift);
  torques(kind, r, &here, y), forces(kind, r, &here, y + n);
  accelerations(kind, r, &drift, y, inertia, y + 2 * n);
  y += 3 * n;
  all_matrices(kind, r, &here, y, y + n * n), gravity_forces(kind, r, &here, y + 2 * n * n);
  actuator_map(kind, r, &here, y + 2 * n * n + n);
  y += 3 * n * n + n;
  energies(kind, r, &here, y), y += 2;
  for (int k = 0; k < joints; k++) {
    y[k] = here.limb[k % n].yd[k / n], y[joints + k] = here.limb[k % n].ydd[k / n];
  }
  y += 2 * joints;
  for (int k = 0; k < y - x; k++) out[k] = r_store(x[k]);
  return (int)(y - x);
}

// Largest difference, of the largest number of its kind.
static double worst(int n, const double *got, const double *want) {
  double off = 0, size = 0;
  for (int k = 0; k < n; k++)
    off = fmax(off, fabs(got[k] - want[k])), size = fmax(size, fabs(want[k]));
  return off / size;
}

// The condition of both maps is some 1e2 at worst, that of M 1e3: of 1e-16 (6e-8 in float) 1e-13
// (1e-4) is left.
TEST(double_and_float_are_binary128_rounded) {
  rng r = rng_seed(91);
  for (parallel_kind kind = WRIST; kind <= DELTA; kind++) {
    double f64 = 0, f32 = 0;
    int done = 0;
    for (int i = 0; i < ROBOTS; i++) {
      robot exact;
      double q[N], v[N], a[N], want[VALUES], got[VALUES], single[VALUES];
      const double *at[3] = {q, v, a};
      const ap_parallel *p = random_robot(&r, kind, &exact);
      for (int k = 0; p && k < STATES && random_state(&r, p, q, v, a); k++, done++) {
        test_context("kind %d, robot %d, state %d", (int)kind, i, k);
        int n = values_f128(p, &exact, at, want);
        CHECK_EQ_INT(values_f64(p, at, got), n);
        CHECK_EQ_INT(values_f32(p, at, single), n);
        f64 = fmax(f64, worst(n, got, want)), f32 = fmax(f32, worst(n, single, want));
      }
    }
    CHECK(done > ROBOTS);
    test_context("kind %d: errors %.2g and %.2g in %d states", (int)kind, f64, f32, done);
    CHECK(f64 < 1e-13);
    CHECK(f32 < 1e-4);
  }
}

// Motors lead back in float, too; nothing is written where that is refused.
TEST(forward_kinematics_in_float) {
  rng r = rng_seed(94);
  for (parallel_kind kind = WRIST; kind <= DELTA; kind++)
    for (int i = 0; i < ROBOTS; i++) {
      robot exact;
      double q[N], v[N], a[N];
      float x[3][N], y[3][9], back[3][N] = {{7, 7, 7}, {7, 7, 7}, {7, 7, 7}};
      int branch[N];
      ap_parallel_margin m;
      const ap_parallel *p = random_robot(&r, kind, &exact);
      if (!p || !random_state(&r, p, q, v, a)) continue;
      test_context("kind %d, robot %d", (int)kind, i);
      ap_parallel_margins(p, q, &m);
      for (int k = 0; k < N; k++)
        x[0][k] = (float)q[k], x[1][k] = (float)v[k], x[2][k] = (float)a[k];
      CHECK_OK(ap_parallel_inverse_kinematics_f32(p, x[0], x[1], x[2], y[0], y[1], y[2]));
      ap_status status = ap_parallel_forward_kinematics_f32(
          p, y[0], y[1], y[2], m.parallel > 0 ? 1 : -1, back[0], back[1], back[2], branch);
      CHECK_STATUS(status, kind == WRIST ? AP_E_UNSUPPORTED : AP_OK);
      for (int k = 0; k < ap_parallel_n(p); k++) {
        CHECK_CLOSE((double)back[0][k], kind == WRIST ? 7 : q[k], 1e-5);
        CHECK_CLOSE((double)back[1][k], kind == WRIST ? 7 : v[k], 1e-4);
        CHECK_CLOSE((double)back[2][k], kind == WRIST ? 7 : a[k], 1e-2);
      }
    }
}

// ---- generated code ----------------------------------------------------------------------------

typedef void of_q(const double *q, double *out, double *margin);
typedef void of_q_v(const double *q, const double *v, double *out, double *margin);
typedef void of_q_v_a(const double *q, const double *v, const double *a, double *out,
                      double *margin);
typedef void of_batch(size_t n, const double *q, const double *v, const double *a, double *out,
                      double *margin);

static void compare_state(const ap_parallel *p, const generated *g, const double *q,
                          const double *v, const double *a) {
  const int n = ap_parallel_n(p);
  double got[9], want[9], margin[2];
  ap_parallel_margin m;
  ap_parallel_margins(p, q, &m);
  ((of_q_v_a *)generated_symbol(g, "inverse_dynamics", ""))(q, v, a, got, margin);
  CHECK_OK(ap_parallel_inverse_dynamics(p, q, v, a, want));
  CHECK_NEAR(got, want, n, 1e-13);
  CHECK_CLOSE(margin[1], m.parallel, 1e-14);
  for (int i = 0; i < n; i++) CHECK(margin[0] <= m.serial[i] * m.serial[i] * (1 + 1e-14));
  ((of_q_v_a *)generated_symbol(g, "forward_dynamics", ""))(q, v, want, got, margin);
  CHECK_WITHIN(got, a, n, 1e-11 * (1 + test_norm(a, n)));
  ((of_q_v *)generated_symbol(g, "bias", ""))(q, v, got, margin);
  CHECK_OK(ap_parallel_inverse_dynamics(p, q, v, NULL, want));
  CHECK_NEAR(got, want, n, 1e-13);
  ((of_q *)generated_symbol(g, "gravity", ""))(q, got, margin);
  CHECK_OK(ap_parallel_inverse_dynamics(p, q, NULL, NULL, want));
  CHECK_NEAR(got, want, n, 1e-13);
  ((of_q *)generated_symbol(g, "inertia_matrix", ""))(q, got, margin);
  CHECK_OK(ap_parallel_matrices(p, q, NULL, want, NULL, NULL, NULL));
  CHECK_NEAR(got, want, n * n, 1e-13);
}

static void compare_batch(const ap_parallel *p, const generated *g, rng *r) {
  const int n = ap_parallel_n(p);
  double q[N * STATES], v[N * STATES], a[N * STATES], tau[N * STATES], margin[2 * STATES];
  for (int k = 0; k < STATES; k++) {
    double x[3][N];
    if (!CHECK(random_state(r, p, x[0], x[1], x[2]))) return;
    for (int j = 0; j < n; j++) {
      const int at = j * STATES + k;
      q[at] = x[0][j], v[at] = x[1][j], a[at] = x[2][j];
    }
  }
  ((of_batch *)generated_symbol(g, "inverse_dynamics", "_batch"))(STATES, q, v, a, tau, margin);
  for (int k = 0; k < STATES; k++) {
    double x[3][N], one[N], m[2];
    for (int j = 0; j < n; j++) {
      const int at = j * STATES + k;
      x[0][j] = q[at], x[1][j] = v[at], x[2][j] = a[at];
    }
    ((of_q_v_a *)generated_symbol(g, "inverse_dynamics", ""))(x[0], x[1], x[2], one, m);
    for (int j = 0; j < n; j++)
      CHECK_CLOSE(tau[j * STATES + k], one[j], 1e-13 * (1 + fabs(one[j])));
  }
}

TEST(generated_code_is_the_library) {
  rng r = rng_seed(92);
  for (parallel_kind kind = WRIST; kind <= DELTA; kind++) {
    robot exact;
    ap_error error = {0};
    double q[N], v[N], a[N], far[N] = {9, 9, 9}, margin[2];
    generated g = {.code = NULL};
    ap_generate_options options = ap_default_generate();
    const ap_parallel *p;
    do // branches that have such states
      p = random_robot(&r, kind, &exact);
    while (p && !random_state(&r, p, q, v, a));
    test_context("kind %d", (int)kind);
    if (!p || !CHECK_OK(ap_generate_parallel(p, &options, &g.code, &error))) continue;
    generated_load(&g, "cc", "-O1");
    if (CHECK(g.library)) {
      for (int k = 0; k < STATES && random_state(&r, p, q, v, a); k++)
        compare_state(p, &g, q, v, a);
      compare_batch(p, &g, &r);
      ((of_q *)generated_symbol(&g, "gravity", ""))(far, q, margin);
      if (kind != WRIST) CHECK(!(margin[0] > 0)); // all angles are in some reach
    }
    ap_count count;
    CHECK_OK(ap_code_count(g.code, AP_GEN_INVERSE, &count));
    CHECK(count.mul > 50 && count.mul < 1200 &&
          count.sqrt == (kind == DELTA ? 6 : ap_parallel_n(p)));
    CHECK_STATUS(ap_code_count(g.code, AP_GEN_JACOBIAN, &count), AP_E_ARG);
    generated_close(&g);
  }
}

TEST(what_cannot_be_generated) {
  rng r = rng_seed(93);
  robot exact;
  ap_error error = {0};
  ap_code *code = NULL;
  ap_generate_options options = ap_default_generate();
  const ap_parallel *p = random_robot(&r, FIVE_BAR, &exact);
  options.functions = 1u << AP_GEN_JACOBIAN;
  CHECK_STATUS(ap_generate_parallel(p, &options, &code, &error), AP_E_ARG);
  CHECK_HAS(error.text, "no such function");
  CHECK(code == NULL);
}
