// SPDX-License-Identifier: Apache-2.0
// Controllers: the laws of Table 4 as corrected, limits, anti-windup, switching.

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // for heap.h
#endif

#include <appell/ctrl.h>
#include <appell/file.h>

#include "heap.h"
#include "test.h"

enum { N = 6 };

typedef struct bench {
  ap_robot *robot;
  ap_model *model;
  ap_work *work;
  void *memory, *work_memory;
  ap_ctrl *ctrl;
} bench;

static ap_ctrl *make_of(bench *b, const ap_ctrl_def *base, const char *file) {
  ap_error error = {0};
  *b = (bench){0};
  if (file)
    CHECK_OK(ap_robot_read(file, &(ap_read_options){0}, &b->robot, &error));
  else
    CHECK_OK(ap_robot_builtin("puma600", &(ap_read_options){0}, &b->robot, &error));
  CHECK_OK(ap_robot_model(b->robot, &b->model, &error));
  b->work_memory = malloc(ap_work_size(b->model));
  b->work = ap_work_init(b->model, b->work_memory, ap_work_size(b->model));
  ap_ctrl_def def = *base;
  def.model = b->model;
  b->memory = malloc(ap_ctrl_size(b->model));
  b->ctrl = ap_ctrl_init(&def, b->memory, ap_ctrl_size(b->model), &error);
  CHECK(b->ctrl);
  return b->ctrl;
}

static ap_ctrl *make(bench *b, const ap_ctrl_def *base) { return make_of(b, base, NULL); }

static void drop(bench *b) {
  free(b->memory);
  free(b->work_memory);
  ap_model_free(b->model);
  ap_robot_free(b->robot);
}

static double noise(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}

typedef struct situation {
  double q[N], v[N], qd[N], vd[N], ad[N];
} situation;

static situation any(unsigned *seed) {
  situation s;
  for (int j = 0; j < N; j++) {
    s.q[j] = 2 * noise(seed), s.v[j] = noise(seed);
    s.qd[j] = s.q[j] + 0.1 * noise(seed), s.vd[j] = noise(seed), s.ad[j] = 3 * noise(seed);
  }
  return s;
}

static ap_traj_state reference(const situation *s) { return (ap_traj_state){s->qd, s->vd, s->ad}; }

TEST(gains_have_the_poles_asked_for) {
  ap_gains g = ap_gains_of(12, 0.7, 0);
  CHECK(g.kp == 144 && fabs(g.kd - 16.8) < 1e-12 && g.ki == 0);
  g = ap_gains_of(12, 0.7, 3); // s^3 + kd s^2 + kp s + ki vanishes at s = -3
  CHECK(fabs(-27 + g.kd * 9 - g.kp * 3 + g.ki) < 1e-9);
}

// Where the model is right the robot accelerates by u, whatever its state: forward dynamics, which
// knows nothing of the controller, gives Table 4 back. M's condition is about 1e3 here.
TEST(a_known_robot_obeys_the_table) {
  bench b;
  ap_gains gains[N];
  for (int j = 0; j < N; j++) gains[j] = ap_gains_of(10 + j, 0.8, 4);
  for (int law = AP_LAW_POINT; law <= AP_LAW_TRACKING_INTEGRAL; law++) {
    ap_ctrl_def def = ap_default_ctrl();
    def.law = (ap_law)law, def.gains = gains, def.period = 0.01;
    ap_ctrl *c = make(&b, &def);
    unsigned seed = 7;
    double integral[N] = {0};
    for (int k = 0; k < 50; k++) {
      situation s = any(&seed);
      ap_traj_state d = reference(&s);
      double tau[N], a[N], u[N];
      ap_ctrl_step(c, &d, s.q, s.v, tau);
      CHECK_OK(ap_forward_dynamics(b.model, b.work, s.q, s.v, tau, a));
      for (int j = 0; j < N; j++) {
        double e = s.q[j] - s.qd[j];
        u[j] = -gains[j].kp * e - gains[j].kd * (law == AP_LAW_POINT ? s.v[j] : s.v[j] - s.vd[j]);
        if (law != AP_LAW_POINT) u[j] += s.ad[j];
        if (law == AP_LAW_TRACKING_INTEGRAL) u[j] -= gains[j].ki * integral[j];
        integral[j] += 0.01 * e;
      }
      CHECK_NEAR(a, u, N, 1e-9);
    }
    drop(&b);
  }
}

TEST(pd_holds_against_gravity) {
  bench b;
  ap_ctrl_def def = ap_default_ctrl();
  def.law = AP_LAW_PD_GRAVITY;
  ap_ctrl *c = make(&b, &def);
  unsigned seed = 3;
  situation s = any(&seed);
  double tau[N], G[N], zero[N] = {0}, M[N * N], want[N];
  ap_ctrl_reset(c, s.q);
  ap_traj_state here = {s.q, NULL, NULL}, away = {s.qd, NULL, NULL};
  ap_ctrl_step(c, &here, s.q, zero, tau);
  ap_gravity_forces(b.model, b.work, s.q, G);
  CHECK_NEAR(tau, G, N, 1e-12);
  ap_inertia_matrix(b.model, b.work, s.q, M);
  ap_gains g = ap_gains_of(20, 1, 5);
  for (int j = 0; j < N; j++) want[j] = G[j] - M[j * N + j] * g.kp * (s.q[j] - s.qd[j]);
  ap_ctrl_step(c, &away, s.q, zero, tau);
  CHECK_NEAR(tau, want, N, 1e-10);
  drop(&b);
}

// Friction F keeps a joint from moving unless |tau - G| > F. Without compensation that takes an
// error of F / (D kp); with it, y of that, where y + 8 y / sqrt(1 + 64 y^2) = 1: y = 0.18.
TEST(known_friction_holds_no_joint_far_from_its_reference) {
  bench b;
  ap_ctrl_def def = ap_default_ctrl();
  ap_ctrl *c = make_of(&b, &def, "models/puma600_drives.yaml");
  unsigned seed = 13;
  situation s = any(&seed);
  double tau[N], G[N], zero[N] = {0}, M[N * N];
  ap_gains g = ap_gains_of(20, 1, 5);
  ap_ctrl_reset(c, s.q);
  ap_gravity_forces(b.model, b.work, s.q, G);
  ap_inertia_matrix(b.model, b.work, s.q, M);
  for (int j = 0; j < N; j++) {
    const ap_body_def *body = ap_body(b.model, j + 1);
    double F = body->coulomb, D = M[j * N + j] + body->rotor_inertia, qd[N], vd[N] = {0};
    for (int far = 0; far < 2; far++) {
      memcpy(qd, s.q, sizeof qd);
      qd[j] += (far ? 0.2 : 0.16) * F / (D * g.kp);
      ap_traj_state d = {qd, NULL, NULL};
      ap_ctrl_step(c, &d, s.q, zero, tau);
      CHECK((tau[j] - G[j] > F) == (far == 1));
    }
    vd[j] = -0.05; // on its way all of F is fed forward
    ap_traj_state moving = {s.q, vd, NULL};
    ap_ctrl_step(c, &moving, s.q, vd, tau);
    double bias[N];
    ap_bias(b.model, b.work, s.q, vd, bias);
    CHECK(fabs(tau[j] - bias[j] - body->viscous * vd[j] + F) < 1e-3 * F);
  }
  drop(&b);
}

TEST(a_switch_makes_no_bump_and_fades) {
  bench b;
  ap_ctrl_def def = ap_default_ctrl();
  def.law = AP_LAW_TRACKING_INTEGRAL, def.blend = 0.05;
  ap_ctrl *c = make(&b, &def), *pure;
  unsigned seed = 5;
  situation s = any(&seed);
  ap_traj_state d = reference(&s);
  double before[N], after[N], plain[N];
  ap_law had = AP_LAW_TRACKING_INTEGRAL;
  for (int k = 0; k < 20; k++) ap_ctrl_step(c, &d, s.q, s.v, before);
  for (int law = AP_LAW_POINT; law <= AP_LAW_PD_GRAVITY; law++) {
    ap_gains gains[N];
    for (int j = 0; j < N; j++) gains[j] = ap_gains_of(15 + law, 0.9, 0);
    CHECK_OK(ap_ctrl_switch(c, (ap_law)law, gains));
    ap_ctrl_step(c, &d, s.q, s.v, after);
    // No bump is left from before. An integral has grown by a period: ki e period = 0.2 rad/s2.
    CHECK_NEAR(after, before, N, had == AP_LAW_TRACKING_INTEGRAL ? 3 : 1e-9);
    had = (ap_law)law;
    for (int k = 0; k < 2000; k++) ap_ctrl_step(c, &d, s.q, s.v, before);
    bench other;
    ap_ctrl_def fresh = ap_default_ctrl();
    fresh.law = (ap_law)law, fresh.gains = gains;
    pure = make(&other, &fresh);
    ap_ctrl_step(pure, &d, s.q, s.v, plain);
    if (law != AP_LAW_TRACKING_INTEGRAL) CHECK_NEAR(before, plain, N, 1e-9);
    drop(&other);
  }
  CHECK(ap_ctrl_switch(c, (ap_law)77, NULL) == AP_E_ARG);
  CHECK(ap_ctrl_law(c) == AP_LAW_PD_GRAVITY);
  drop(&b);
}

// The first switch of a controller without a past bump is exact.
TEST(the_first_switch_keeps_the_torque_to_the_bit) {
  bench b;
  ap_ctrl_def def = ap_default_ctrl();
  ap_ctrl *c = make(&b, &def);
  unsigned seed = 9;
  situation s = any(&seed);
  ap_traj_state d = reference(&s);
  double before[N], after[N];
  ap_ctrl_step(c, &d, s.q, s.v, before);
  CHECK_OK(ap_ctrl_switch(c, AP_LAW_PD_GRAVITY, NULL));
  ap_ctrl_step(c, &d, s.q, s.v, after);
  CHECK_NEAR(after, before, N, 1e-12);
  drop(&b);
}

TEST(torques_are_cut_and_integrals_do_not_wind_up) {
  bench b;
  ap_ctrl_def def = ap_default_ctrl();
  double limit[N] = {60, 60, 60, 20, 20, 20};
  def.law = AP_LAW_TRACKING_INTEGRAL, def.torque = limit;
  ap_ctrl *c = make(&b, &def);
  double q[N] = {0}, far[N] = {3, 0, 0, 0, 0, 0}, v[N] = {0}, tau[N];
  ap_traj_state d = {far, NULL, NULL}, here = {q, NULL, NULL};
  for (int k = 0; k < 5000; k++) {
    ap_ctrl_step(c, &d, q, v, tau);
    for (int j = 0; j < N; j++) CHECK(fabs(tau[j]) <= limit[j]);
  }
  CHECK(tau[0] == limit[0]);
  // Five seconds at the limit have left no more than was there when the cut began: without error
  // the joint gets no more than a period's integral.
  ap_ctrl_step(c, &here, q, v, tau);
  double G[N];
  ap_gravity_forces(b.model, b.work, q, G);
  CHECK(fabs(tau[0] - G[0]) < 1);
  drop(&b);
}

TEST(a_step_allocates_nothing) {
  bench b;
  ap_ctrl_def def = ap_default_ctrl();
  install_heap();
  ap_ctrl *c = make(&b, &def);
  unsigned seed = 11;
  situation s = any(&seed);
  ap_traj_state d = reference(&s);
  double tau[N];
  allocations = 0, armed = true;
  for (int law = AP_LAW_POINT; law <= AP_LAW_PD_GRAVITY; law++) {
    ap_ctrl_switch(c, (ap_law)law, NULL);
    ap_ctrl_step(c, &d, s.q, s.v, tau);
  }
  ap_ctrl_reset(c, s.q);
  armed = false;
  CHECK_EQ_INT(allocations, 0);
  drop(&b);
}

TEST(what_cannot_be_is_refused) {
  bench b;
  ap_ctrl_def def = ap_default_ctrl();
  make(&b, &def);
  ap_error error = {0};
  ap_gains bad[N] = {{0}};
  bad[2].kd = -1;
  def.model = b.model;
  CHECK(!ap_ctrl_init(&def, b.memory, 100, &error) && error.status == AP_E_MEMORY);
  def.gains = bad;
  CHECK(!ap_ctrl_init(&def, b.memory, ap_ctrl_size(b.model), &error) && error.status == AP_E_ARG);
  def.gains = NULL, def.period = NAN;
  CHECK(!ap_ctrl_init(&def, b.memory, ap_ctrl_size(b.model), &error) && error.status == AP_E_ARG);
  drop(&b);
}
