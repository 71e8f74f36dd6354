// SPDX-License-Identifier: Apache-2.0
// Derivatives of closed chains: against differences of the dynamics, for built-in mechanisms and
// files, with friction, with more actuators than coordinates; and the two directions against each
// other.

#include <appell/dyn.h>
#include <appell/loop.h>

#include "mechanism_rig.h"
#include "test.h"

enum { N = 8, SIZE = N * N };

// A state; tau as well as a.
typedef struct state {
  double q[N], v[N], u[N];
} state;

static ap_status compute(const ap_mechanism *m, ap_loop *l, const state *s, bool forward,
                         double *y) {
  return forward ? ap_loop_forward_dynamics(m, l, s->q, s->v, s->u, y)
                 : ap_loop_inverse_dynamics(m, l, s->q, s->v, s->u, y);
}

// (f(-2h) - 8 f(-h) + 8 f(h) - f(2h)) / 12 h. Its error is h^4/30 of a fifth derivative and, the
// assembly being good to 3e-14 of a row, about 1e-12 / h of the values.
static void differences(const ap_mechanism *m, ap_loop *l, const state *s, bool forward, int by,
                        int rows, int columns, double *D) {
  const double h = 1e-3;
  memset(D, 0, sizeof(double) * SIZE);
  for (int k = 0; k < columns; k++)
    for (int side = -2; side <= 2; side++) {
      static const double weight[] = {1, -8, 0, 8, -1};
      double y[N];
      state moved = *s;
      if (side == 0) continue;
      (by == 0 ? moved.q : by == 1 ? moved.v : moved.u)[k] += side * h;
      CHECK_OK(compute(m, l, &moved, forward, y));
      for (int i = 0; i < rows; i++) D[i * columns + k] += weight[side + 2] * y[i] / (12 * h);
    }
}

static void check_state(const ap_mechanism *m, ap_loop *l, const state *s, bool forward) {
  const int n = ap_mechanism_n(m), nact = ap_mechanism_nact(m), rows = forward ? n : nact;
  double D[3][SIZE], expected[SIZE];
  CHECK_OK(forward
               ? ap_loop_forward_dynamics_derivatives(m, l, s->q, s->v, s->u, D[0], D[1], D[2])
               : ap_loop_inverse_dynamics_derivatives(m, l, s->q, s->v, s->u, D[0], D[1], D[2]));
  for (int by = 0; by < 3; by++) {
    const int columns = forward && by == 2 ? nact : n;
    differences(m, l, s, forward, by, rows, columns, expected);
    const double size = 1 + test_norm(expected, rows * columns);
    CHECK_WITHIN(D[by], expected, rows * columns, 1e-8 * size);
  }
}

// d a / d tau and d tau / d a undo each other, and so do the slopes by q and v where
//   0 = da/dq + da/dtau dtau/dq, all at the same motion and with as many actuators as coordinates.
static void check_directions(const ap_mechanism *m, ap_loop *l, const state *s) {
  const int n = ap_mechanism_n(m);
  double D[3][SIZE], A[3][SIZE], product[SIZE], tau[N];
  CHECK_OK(ap_loop_inverse_dynamics(m, l, s->q, s->v, s->u, tau));
  CHECK_OK(ap_loop_inverse_dynamics_derivatives(m, l, s->q, s->v, s->u, D[0], D[1], D[2]));
  CHECK_OK(ap_loop_forward_dynamics_derivatives(m, l, s->q, s->v, tau, A[0], A[1], A[2]));
  for (int by = 0; by < 3; by++) {
    double size = 1 + test_norm(A[2], n * n) * test_norm(D[by], n * n);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++) {
        double sum = by < 2 ? A[by][i * n + k] : -(double)(i == k);
        for (int j = 0; j < n; j++) sum += A[2][i * n + j] * D[by][j * n + k];
        product[i * n + k] = sum;
      }
    for (int k = 0; k < n * n; k++) CHECK(fabs(product[k]) <= 1e-11 * size);
  }
}

static void check_mechanism(const ap_mechanism *m, ap_loop *l) {
  rng random = rng_seed(24);
  const int n = ap_mechanism_n(m), nact = ap_mechanism_nact(m);
  for (int k = 0; k < 3; k++) {
    state s;
    ap_loop_set_guess(m, l, ap_mechanism_guess(m));
    ap_loop_errors(m, l, ap_mechanism_guess(m), NULL, s.q);
    for (int i = 0; i < n; i++) {
      s.q[i] += rng_uniform(&random, -0.05, 0.05);
      s.v[i] = rng_uniform(&random, -1, 1);
    }
    for (int i = 0; i < N; i++) s.u[i] = rng_uniform(&random, -3, 3);
    ap_set_friction(ap_mechanism_tree(m), ap_loop_work(l), k > 0);
    if (nact >= n) check_state(m, l, &s, false);
    check_state(m, l, &s, true);
    if (nact == n) check_directions(m, l, &s);
  }
}

TEST(builtin_mechanisms) {
  for (int i = 0; ap_mechanism_builtin_name(i); i++) {
    rig r = builtin(ap_mechanism_builtin_name(i));
    if (r.m) check_mechanism(r.m, r.l);
    drop(&r);
  }
}

// Every kind of closure and of joint: a floating base, a gear, a weld, springs.
TEST(mechanisms_of_files) {
  static const char *const file[] = {"models/four-bar.yaml", "models/press.yaml"};
  for (int i = 0; i < COUNT(file); i++) {
    ap_mechanism *m;
    ap_error error = {0};
    test_context("%s", file[i]);
    if (!CHECK_OK(ap_mechanism_read(file[i], &m, NULL, &error))) {
      printf("  %s\n", error.text);
      continue;
    }
    ap_loop *l = ap_loop_make(m);
    if (CHECK(l)) check_mechanism(m, l);
    ap_loop_free(l);
    ap_mechanism_free(m);
  }
}

// With more actuators than coordinates the least torques are meant, whose map turns, too.
TEST(more_actuators_than_coordinates) {
  const ap_mechanism_def *plain = ap_mechanism_builtin("five-bar");
  ap_mechanism_def def = *plain;
  int actuated[] = {1, 2, 3, 4};
  def.actuated = actuated, def.nactuated = 4;
  rig r = rig_of(&def);
  if (r.m) check_mechanism(r.m, r.l);
  drop(&r);
}

TEST(statuses) {
  rig r = builtin("five-bar");
  double q[2] = {9, 9}, z[2] = {0, 0}, bad[2] = {NAN, 0}, D[3][4] = {{7}};
  CHECK_STATUS(ap_loop_inverse_dynamics_derivatives(r.m, r.l, q, z, z, D[0], D[1], D[2]),
               AP_E_UNREACHABLE);
  CHECK_STATUS(ap_loop_forward_dynamics_derivatives(r.m, r.l, q, z, z, D[0], D[1], D[2]),
               AP_E_UNREACHABLE);
  ap_loop_errors(r.m, r.l, ap_mechanism_guess(r.m), NULL, q);
  CHECK_STATUS(ap_loop_inverse_dynamics_derivatives(r.m, r.l, q, bad, z, D[0], D[1], D[2]),
               AP_E_ARG);
  CHECK_STATUS(ap_loop_forward_dynamics_derivatives(r.m, r.l, q, z, bad, D[0], D[1], D[2]),
               AP_E_ARG);
  CHECK(D[0][0] == 7);
  CHECK_OK(ap_loop_inverse_dynamics_derivatives(r.m, r.l, q, z, z, NULL, NULL, D[2]));
  drop(&r);
}
