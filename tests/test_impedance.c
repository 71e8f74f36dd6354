// SPDX-License-Identifier: Apache-2.0
// Impedances of joints and frames against what springs, dampers and the arm's inertia do.

#include <appell/ctrl.h>
#include <appell/file.h>
#include <appell/kin.h>

#include "test.h"

enum { MOST = 7 };

// An arm without friction, its controller, and its state.
typedef struct arm {
  ap_robot *robot;
  ap_model *model;
  ap_work *work;
  void *memory, *work_memory;
  ap_ctrl *ctrl;
  int n;
  double q[MOST], v[MOST], qd[MOST];
} arm;

static void make(arm *a, const char *file, ap_law law, const ap_impedance *z) {
  ap_error error = {0};
  *a = (arm){0};
  CHECK_OK(file ? ap_robot_read(file, &(ap_read_options){0}, &a->robot, &error)
                : ap_robot_builtin("puma600", &(ap_read_options){0}, &a->robot, &error));
  CHECK_OK(ap_robot_model(a->robot, &a->model, &error));
  a->n = ap_nv(a->model);
  a->work_memory = malloc(ap_work_size(a->model));
  a->work = ap_work_init(a->model, a->work_memory, ap_work_size(a->model));
  double torque[MOST];
  for (int j = 0; j < MOST; j++) torque[j] = 1e6, a->qd[j] = 0.4 + 0.1 * j;
  ap_ctrl_def def = ap_default_ctrl();
  def.model = a->model, def.law = law, def.impedance = z, def.torque = torque;
  def.friction = false;
  a->memory = malloc(ap_ctrl_size(a->model));
  a->ctrl = ap_ctrl_init(&def, a->memory, ap_ctrl_size(a->model), &error);
  if (!CHECK(a->ctrl)) printf("%s\n", error.text);
  memcpy(a->q, a->qd, sizeof a->q);
  ap_ctrl_reset(a->ctrl, a->qd);
}

static void drop(arm *a) {
  free(a->memory);
  free(a->work_memory);
  ap_model_free(a->model);
  ap_robot_free(a->robot);
}

// The accelerations of the arm under its law, with a force [linear; angular] of the surroundings at
// a frame and torques at the joints; either may be NULL.
static void accelerate(arm *a, const double *q, const double *v, int frame, const double *force,
                       const double *push, double *out) {
  const ap_traj_state reference = {a->qd, NULL, NULL};
  double tau[MOST], J[6 * MOST];
  ap_ctrl_step(a->ctrl, &reference, q, v, tau);
  if (force)
    CHECK_OK(ap_forward_kinematics(a->model, a->work, q, &frame, 1, AP_MIXED, NULL, NULL, J));
  for (int j = 0; j < a->n; j++) {
    for (int i = 0; force && i < 6; i++) tau[j] += J[i * a->n + j] * force[i];
    if (push) tau[j] += push[j];
  }
  CHECK_OK(ap_forward_dynamics(a->model, a->work, q, v, tau, out));
}

// One step of the classical Runge-Kutta method.
static void step(arm *a, double h, int frame, const double *force, const double *push) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double dq[MOST] = {0}, dv[MOST] = {0}, sum_q[MOST] = {0}, sum_v[MOST] = {0};
  for (int k = 0; k < 4; k++) {
    double q[MOST], v[MOST];
    for (int j = 0; j < a->n; j++)
      q[j] = a->q[j] + at[k] * h * dq[j], v[j] = a->v[j] + at[k] * h * dv[j];
    memcpy(dq, v, sizeof dq);
    accelerate(a, q, v, frame, force, push, dv);
    for (int j = 0; j < a->n; j++)
      sum_q[j] += weight[k] * dq[j] / 6, sum_v[j] += weight[k] * dv[j] / 6;
  }
  for (int j = 0; j < a->n; j++) a->q[j] += h * sum_q[j], a->v[j] += h * sum_v[j];
}

static ap_impedance task(int frame, const double K[6], const double B[6]) {
  ap_impedance z = {.frame = frame};
  for (int i = 0; i < 6; i++) z.task_stiffness[7 * i] = K[i], z.task_damper[7 * i] = B[i];
  return z;
}

// ---- joints ------------------------------------------------------------------------------------

static const double K6[6] = {300, 400, 200, 60, 50, 40}, B6[6] = {40, 60, 20, 4, 3, 2};

TEST(a_push_deflects_a_joint_by_torque_over_stiffness) {
  const ap_impedance z = {.stiffness = K6, .damper = B6};
  const double push[6] = {10, -20, 15, 3, -2, 1};
  arm a;
  make(&a, NULL, AP_LAW_IMPEDANCE, &z);
  for (int k = 0; k < 12000; k++) step(&a, 1e-3, 0, NULL, push);
  for (int j = 0; j < 6; j++) {
    test_context("joint %d: %g", j + 1, (a.q[j] - a.qd[j]) * K6[j] / push[j] - 1);
    CHECK(fabs(a.q[j] - a.qd[j] - push[j] / K6[j]) < 1e-6 * fabs(push[j] / K6[j]));
  }
  drop(&a);
}

// Small deviations decay as  M e" + B e' + K e = 0  with the M of the reference; beside it, the
// same equation integrated.
TEST(a_small_deviation_decays_as_the_linear_system) {
  const ap_impedance z = {.stiffness = K6, .damper = B6};
  arm a;
  make(&a, NULL, AP_LAW_IMPEDANCE, &z);
  double e[6], r[6] = {0}, M[36];
  for (int j = 0; j < 6; j++) e[j] = 1e-6 * (j % 2 ? -1 : 1), a.q[j] += e[j];
  ap_inertia_matrix(a.model, a.work, a.qd, M);
  double largest = 0;
  for (int k = 0; k < 300; k++) {
    step(&a, 1e-3, 0, NULL, NULL);
    for (int fine = 0; fine < 200; fine++) { // semi-implicit Euler in steps of 5 us
      double A[36], f[6];
      memcpy(A, M, sizeof A);
      for (int j = 0; j < 6; j++) f[j] = -K6[j] * e[j] - B6[j] * r[j];
      for (int i = 0; i < 6; i++) // Gauss
        for (int l = i + 1; l < 6; l++) {
          double part = A[6 * l + i] / A[7 * i];
          for (int c = i; c < 6; c++) A[6 * l + c] -= part * A[6 * i + c];
          f[l] -= part * f[i];
        }
      for (int i = 5; i >= 0; i--) {
        for (int c = i + 1; c < 6; c++) f[i] -= A[6 * i + c] * f[c];
        f[i] /= A[7 * i];
      }
      for (int j = 0; j < 6; j++) r[j] += 5e-6 * f[j], e[j] += 5e-6 * r[j];
    }
    for (int j = 0; j < 6; j++) largest = fmax(largest, fabs(a.q[j] - a.qd[j] - e[j]));
  }
  // The fine steps err by their size over the fastest time constant, some milliseconds.
  CHECK(largest < 5e-3 * 1e-6);
  drop(&a);
}

static double energy_of(const arm *a, const double *K) {
  double M[MOST * MOST], E = 0;
  ap_inertia_matrix(a->model, a->work, a->q, M);
  for (int i = 0; i < a->n; i++) {
    for (int j = 0; j < a->n; j++) E += a->v[i] * M[i * a->n + j] * a->v[j] / 2;
    if (K) E += K[i] * (a->q[i] - a->qd[i]) * (a->q[i] - a->qd[i]) / 2;
  }
  return E;
}

TEST(the_energy_of_joints_never_grows) {
  static const double none[6] = {0};
  for (int damped = 0; damped < 2; damped++) {
    const ap_impedance z = {.stiffness = K6, .damper = damped ? B6 : none};
    arm a;
    make(&a, NULL, AP_LAW_IMPEDANCE, &z);
    for (int j = 0; j < 6; j++) a.q[j] += j % 2 ? -0.5 : 0.5, a.v[j] = 1 - 0.3 * j;
    const double first = energy_of(&a, K6);
    double before = first, grown = 0;
    for (int k = 0; k < 3000; k++) {
      step(&a, 2e-4, 0, NULL, NULL);
      double now = energy_of(&a, K6);
      grown = fmax(grown, now - before);
      before = now;
    }
    CHECK(grown < 1e-8 * first);
    // Without dampers it is all there in the end: neither the law nor the arm takes any.
    CHECK(damped ? before < first / 4 : fabs(before - first) < 1e-6 * first);
    drop(&a);
  }
}

TEST(dampers_that_are_not_given_are_critical_at_the_diagonal) {
  const ap_impedance z = {.stiffness = K6};
  arm a;
  make(&a, NULL, AP_LAW_IMPEDANCE, &z);
  double M[36], v[6] = {0}, tau[2][6];
  ap_inertia_matrix(a.model, a.work, a.qd, M);
  const ap_traj_state reference = {a.qd, NULL, NULL};
  ap_ctrl_step(a.ctrl, &reference, a.qd, v, tau[0]);
  v[2] = 1e-7; // so slow that C v^2 is nothing
  ap_ctrl_step(a.ctrl, &reference, a.qd, v, tau[1]);
  CHECK(fabs((tau[0][2] - tau[1][2]) / v[2] - 2 * sqrt(K6[2] * M[14])) < 1e-4);
  drop(&a);
}

// ---- frames ------------------------------------------------------------------------------------

static const double Kt[6] = {800, 1200, 600, 80, 50, 60}, Bt[6] = {160, 200, 120, 16, 12, 12};

// The deviation z of the frame, independently: by the rotation's angle and axis.
static void deviation(const arm *a, int frame, double z[6]) {
  double R[9], p[3], Rd[9], pd[3], S[9];
  CHECK_OK(ap_forward_kinematics(a->model, a->work, a->qd, &frame, 1, AP_MIXED, Rd, pd, NULL));
  CHECK_OK(ap_forward_kinematics(a->model, a->work, a->q, &frame, 1, AP_MIXED, R, p, NULL));
  for (int i = 0; i < 3; i++) {
    z[i] = 0;
    for (int k = 0; k < 3; k++) z[i] += Rd[3 * k + i] * (p[k] - pd[k]);
    for (int j = 0; j < 3; j++) {
      S[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) S[3 * i + j] += Rd[3 * k + i] * R[3 * k + j];
    }
  }
  const double axis[3] = {S[7] - S[5], S[2] - S[6], S[3] - S[1]};
  const double sine = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const double angle = atan2(sine, S[0] + S[4] + S[8] - 1);
  for (int i = 0; i < 3; i++) z[3 + i] = sine > 0 ? 2 * sin(angle / 2) * axis[i] / sine : 0;
}

TEST(a_push_deflects_a_frame_by_force_over_stiffness) {
  arm a;
  const int frame = 6;
  const ap_impedance z = task(frame, Kt, Bt);
  make(&a, NULL, AP_LAW_TASK_IMPEDANCE, &z);
  double R[9], dev[6], along[3] = {12, -9, 7}, force[6] = {0};
  CHECK_OK(ap_forward_kinematics(a.model, a.work, a.qd, &frame, 1, AP_MIXED, R, NULL, NULL));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) force[i] += R[3 * i + j] * along[j];
  for (int k = 0; k < 16000; k++) step(&a, 1e-3, frame, force, NULL);
  deviation(&a, frame, dev);
  for (int i = 0; i < 3; i++)
    CHECK(fabs(dev[i] - along[i] / Kt[i]) < 1e-5 * fabs(along[i] / Kt[i]));
  test_context("%g %g %g", dev[0] * Kt[0] / along[0] - 1, dev[3], dev[4]);
  for (int i = 3; i < 6; i++) CHECK(fabs(dev[i]) < 1e-6);
  drop(&a);
}

TEST(the_energy_of_a_frame_never_grows) {
  static const double none[6] = {0};
  for (int damped = 0; damped < 2; damped++) {
    arm a;
    const int frame = 6;
    ap_impedance z = task(frame, Kt, damped ? Bt : none);
    z.task_stiffness[3] = z.task_stiffness[18] = 40; // coupled
    make(&a, NULL, AP_LAW_TASK_IMPEDANCE, &z);
    for (int j = 0; j < 6; j++) a.q[j] += j % 2 ? -0.3 : 0.4, a.v[j] = 0.5 - 0.2 * j;
    double first = 0, before = 0, grown = 0;
    for (int k = 0; k < 2500; k++) {
      double dev[6], now = energy_of(&a, NULL);
      deviation(&a, frame, dev);
      for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) now += dev[i] * z.task_stiffness[6 * i + j] * dev[j] / 2;
      if (k == 0) first = now;
      if (k > 0) grown = fmax(grown, now - before);
      before = now;
      step(&a, 2e-4, frame, NULL, NULL);
    }
    CHECK(grown < 1e-7 * first);
    CHECK(damped ? before < first / 2 : fabs(before - first) < 1e-5 * first);
    drop(&a);
  }
}

// What the posture adds does not move the frame of an arm with a joint more than it needs.
TEST(the_posture_is_not_felt_at_the_frame) {
  const double posture[7] = {20, 20, 20, 20, 20, 20, 20};
  double tau[2][7], J[42], a_frame = 0, most = 0;
  for (int with = 0; with < 2; with++) {
    arm a;
    int frame = 7;
    ap_impedance z = task(frame, Kt, Bt);
    if (with) z.posture = posture;
    make(&a, "models/control/iiwa_arm.yaml", AP_LAW_TASK_IMPEDANCE, &z);
    const ap_traj_state reference = {a.qd, NULL, NULL};
    for (int j = 0; j < 7; j++) a.q[j] += 0.1 * (j - 3);
    ap_ctrl_step(a.ctrl, &reference, a.q, a.v, tau[with]);
    if (with) {
      double M[49], x[7];
      CHECK_OK(ap_forward_kinematics(a.model, a.work, a.q, &frame, 1, AP_MIXED, NULL, NULL, J));
      ap_inertia_matrix(a.model, a.work, a.q, M);
      for (int j = 0; j < 7; j++) x[j] = tau[1][j] - tau[0][j], most = fmax(most, fabs(x[j]));
      for (int i = 0; i < 7; i++)
        for (int l = i + 1; l < 7; l++) {
          double part = M[7 * l + i] / M[8 * i];
          for (int c = i; c < 7; c++) M[7 * l + c] -= part * M[7 * i + c];
          x[l] -= part * x[i];
        }
      for (int i = 6; i >= 0; i--) {
        for (int c = i + 1; c < 7; c++) x[i] -= M[7 * i + c] * x[c];
        x[i] /= M[8 * i];
      }
      for (int i = 0; i < 6; i++) {
        double acceleration = 0;
        for (int j = 0; j < 7; j++) acceleration += J[7 * i + j] * x[j];
        a_frame = fmax(a_frame, fabs(acceleration));
      }
    }
    drop(&a);
  }
  CHECK(most > 0.1);
  CHECK(a_frame < 1e-3 * most); // L is damped by a part of 1e-8 of its trace
}

// ---- references, what cannot be ----------------------------------------------------------------

TEST(on_its_reference_an_impedance_is_the_inverse_dynamics) {
  for (int k = 0; k < 2; k++) {
    arm a;
    ap_impedance z = task(6, Kt, Bt);
    z.stiffness = K6, z.damper = B6;
    make(&a, NULL, k ? AP_LAW_TASK_IMPEDANCE : AP_LAW_IMPEDANCE, &z);
    const double v[6] = {1, -2, 3, -1, 2, 1}, acc[6] = {5, 4, -3, 2, -1, 6};
    const ap_traj_state reference = {a.qd, v, acc};
    double tau[6], want[6];
    ap_ctrl_step(a.ctrl, &reference, a.qd, v, tau);
    ap_inverse_dynamics(a.model, a.work, a.qd, v, acc, want);
    CHECK_NEAR(tau, want, 6, 1e-10);
    drop(&a);
  }
}

TEST(springs_that_cannot_be_are_refused) {
  arm a;
  const ap_impedance good = {.stiffness = K6};
  make(&a, NULL, AP_LAW_IMPEDANCE, &good);
  static const double negative[6] = {1, -1, 1, 1, 1, 1};
  ap_impedance bad[4] = {
      {.stiffness = negative}, task(6, negative, Bt), task(6, Kt, Bt), task(99, Kt, Bt)};
  bad[2].task_stiffness[1] = 5; // not symmetric
  static const char *const what[] = {"of the joints", "semidefinite", "symmetric", "frame"};
  for (int k = 0; k < 5; k++) {
    ap_error error = {0};
    ap_ctrl_def def = ap_default_ctrl();
    def.model = a.model, def.law = AP_LAW_TASK_IMPEDANCE, def.impedance = k < 4 ? &bad[k] : NULL;
    CHECK(!ap_ctrl_init(&def, a.memory, ap_ctrl_size(a.model), &error));
    CHECK_HAS(error.text, k < 4 ? what[k] : "none is given");
  }
  drop(&a);
  make(&a, NULL, AP_LAW_TRACKING, NULL);
  CHECK(ap_ctrl_switch(a.ctrl, AP_LAW_IMPEDANCE, NULL) == AP_E_ARG);
  drop(&a);
}
