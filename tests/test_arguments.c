// Numbers and pointers that a careful program does not pass: they get a status and change nothing.

#include <appell/appell.h>

#include "test.h"

enum { MEMORY = 1 << 16 };
static unsigned char model_memory[MEMORY], work_memory[MEMORY];
static ap_model *m;
static ap_work *w;

static bool start(void) {
  m = ap_model_init(ap_builtin("puma600"), model_memory, MEMORY, NULL);
  if (!CHECK(m)) return false;
  w = ap_work_init(m, work_memory, MEMORY);
  return CHECK(w);
}

TEST(a_name_not_found_is_no_frame) {
  if (!start()) return;
  double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, zero[6] = {0};
  double x[36], before[36];
  for (int i = 0; i < 36; i++) x[i] = before[i] = i;
  ap_kinematics(m, w, q, zero, zero);
  const int bad[] = {ap_find_frame(m, "tool"), ap_nframe(m), 1 << 30};
  CHECK_EQ_INT(bad[0], -1);
  for (int k = 0; k < 3; k++) {
    CHECK(ap_frame_pose(m, w, bad[k], x, x + 9) == AP_E_ARG);
    CHECK(ap_frame_velocity(m, w, bad[k], AP_LOCAL, x) == AP_E_ARG);
    CHECK(ap_frame_acceleration(m, w, bad[k], AP_WORLD, x) == AP_E_ARG);
    CHECK(ap_frame_jacobian(m, w, bad[k], AP_MIXED, x) == AP_E_ARG);
    CHECK(ap_frame_jacobian_dot_v(m, w, bad[k], AP_LOCAL, x) == AP_E_ARG);
    ap_wrench push = {.frame = bad[k], .reference = AP_LOCAL, .force = {1, 2, 3}};
    CHECK(ap_inverse_dynamics_ext(m, w, q, zero, zero, &push, 1, x) == AP_E_ARG);
    CHECK(ap_forward_dynamics_ext(m, w, q, zero, zero, &push, 1, x) == AP_E_ARG);
    CHECK(ap_frame_name(m, bad[k]) == NULL);
    CHECK(ap_body(m, bad[k]) == NULL);
    CHECK_EQ_INT(ap_joint_q(m, bad[k]), -1);
    CHECK_EQ_INT(ap_joint_nv(m, bad[k]), 0);
    CHECK_EQ_INT(ap_body_mover(m, bad[k]), -1);
  }
  CHECK_BITS(x, before, 36);
}

TEST(absent_vectors_are_zeros) {
  if (!start()) return;
  double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, a[6], b[6], o[6] = {0};
  ap_gravity_forces(m, w, q, a);
  CHECK_OK(ap_set_payload(m, w, 6, 2, NULL, NULL));
  ap_gravity_forces(m, w, q, b);
  CHECK(b[1] != a[1]);
  CHECK_OK(ap_set_payload(m, w, 6, 2, o, o));
  double c[6];
  ap_gravity_forces(m, w, q, c);
  CHECK_BITS(c, b, 6);
  CHECK_OK(ap_set_payload(m, w, 6, 0, NULL, NULL));
  ap_gravity_forces(m, w, q, c);
  CHECK_BITS(c, a, 6);
}

TEST(inertias_that_nothing_has_are_refused) {
  if (!start()) return;
  double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, M[36], again[36], com[3] = {0};
  const double bad[] = {-1, 0, 0, -1, 0, -1}, shear[] = {1, 5, 0, 1, 0, 1};
  ap_inertia_matrix(m, w, q, M);
  CHECK(ap_set_payload(m, w, 6, 1, com, bad) == AP_E_ARG);
  CHECK(ap_set_inertia(m, w, 6, 1, com, shear) == AP_E_ARG);
  CHECK(ap_set_inertia(m, w, 6, -1, com, NULL) == AP_E_ARG);
  CHECK(ap_set_inertia(m, w, 6, NAN, com, NULL) == AP_E_ARG);
  CHECK(ap_set_inertia(m, w, 0, 1, com, NULL) == AP_E_ARG);
  CHECK(ap_set_inertia(m, w, 7, 1, com, NULL) == AP_E_ARG);
  ap_inertia_matrix(m, w, q, again);
  CHECK_BITS(again, M, 36);
}

// An axis has a direction whatever its length, and a body whose inertia is negative by less than is
// refused does not accelerate backwards.
TEST(odd_lengths_and_moments) {
  const double lengths[] = {1, 1e-320, 1e-200, 1e200, 1e308};
  ap_body_def b = ap_default_body();
  b.name = "b", b.joint = AP_REVOLUTE, b.mass = 1, b.com[0] = 1;
  ap_robot_def robot = ap_default_robot();
  robot.bodies = &b, robot.nbody = 1;
  for (int k = 0; k < 5; k++) {
    double q = 0.3, tau = 0;
    b.axis[0] = 0, b.axis[1] = lengths[k], b.axis[2] = 0;
    m = ap_model_init(&robot, model_memory, MEMORY, NULL);
    if (!CHECK(m)) continue;
    w = ap_work_init(m, work_memory, MEMORY);
    ap_gravity_forces(m, w, &q, &tau);
    CHECK(fabs(tau + 9.81 * cos(0.3)) < 1e-14);
  }
  double q = 0, v = 0, tau = 1, a = 7;
  b.mass = 0, b.com[0] = 0, b.axis[1] = 0, b.axis[2] = 1, b.inertia[5] = -9e-10;
  m = ap_model_init(&robot, model_memory, MEMORY, NULL);
  if (!CHECK(m)) return;
  w = ap_work_init(m, work_memory, MEMORY);
  CHECK(ap_forward_dynamics(m, w, &q, &v, &tau, &a) == AP_E_SINGULAR);
  CHECK(a == 7);
}

TEST(a_place_alone_needs_no_orientation) {
  if (!start()) return;
  double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, R[9], p[3], r[3];
  ap_kinematics(m, w, q, NULL, NULL);
  CHECK_OK(ap_frame_pose(m, w, 6, R, p));
  ap_ik_options options = ap_default_ik();
  double from[6] = {0.2, 0.1, 0.4, 0, 0, 0};
  CHECK(ap_inverse_kinematics(m, w, 6, NULL, p, &options, from, NULL) == AP_E_ARG);
  options.position_only = true;
  CHECK_OK(ap_inverse_kinematics(m, w, 6, NULL, p, &options, from, NULL));
  ap_kinematics(m, w, from, NULL, NULL);
  CHECK_OK(ap_frame_pose(m, w, 6, R, r));
  for (int i = 0; i < 3; i++) CHECK(fabs(r[i] - p[i]) < 1e-9);
}
