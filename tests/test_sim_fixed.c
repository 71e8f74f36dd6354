// SPDX-License-Identifier: Apache-2.0
// Runs among walls by fixed steps.

#include "sim_scenes.h"

TEST(fixed_steps_converge) {
  for (int k = 0; k < 2; k++) {
    double last = 0;
    for (int i = 0; i < 4; i++) {
      ap_scene scene = ap_default_scene();
      scene.model = double_pendulum(0.1, 0);
      scene.stepping = k ? AP_FIXED_EULER : AP_FIXED_RK4;
      scene.step = (k ? 1e-3 : 1e-2) / (1 << i);
      ap_sim *sim = create(&scene);
      if (!sim) return;
      start(sim, (double[]){1.5, -0.5}, (double[]){0, 2});
      double error = fabs(advance(sim, 1).closing);
      test_context("%s, step %g: closing error %g", k ? "Euler" : "RK4", scene.step, error);
      // Halved steps: an error of order 1 is halved, one of order 4 divided by 16.
      if (i > 1) CHECK(error < last / (k ? 1.7 : 10));
      last = error;
      ap_sim_free(sim);
    }
  }
}

TEST(fixed_steps_bounce_and_rest) {
  for (int k = 0; k < 2; k++) {
    ap_wall plane;
    double h = 0.7, g = 9.81;
    ap_scene scene = plane_scene(slider(0, -g), &plane, 0.5, 0.2);
    scene.stepping = k ? AP_FIXED_EULER : AP_FIXED_RK4;
    ap_sim *sim = create(&scene);
    if (!sim) return;
    test_context("%s", k ? "Euler" : "RK4");
    start(sim, (double[]){0, h}, (double[]){0.2, 0});
    ap_sim_state s = advance(sim, 3);
    CHECK_EQ_INT(told.event[0].kind, AP_EVENT_IMPACT);
    CHECK_CLOSE(told.event[0].t, sqrt(2 * h / g), 2e-3);
    CHECK_CLOSE(s.q[1], 0, 1e-5);
    CHECK_CLOSE(s.v[1], 0, 1e-9);
    CHECK_CLOSE(s.v[0], 0, 1e-6);
    CHECK_EQ_INT(s.contacts, 1);
    int n = told.n;
    s = advance(sim, 13);
    CHECK_EQ_INT(told.n, n);
    CHECK_CLOSE(s.q[1], 0, 1e-5);
    ap_contact_state contact;
    CHECK_EQ_INT(ap_sim_contacts(sim, &contact, 1), 1);
    CHECK_CLOSE(contact.force[2], 2 * g, 1e-6);
    ap_sim_free(sim);
  }
}

TEST(fixed_steps_of_a_brick) {
  for (int k = 0; k < 2; k++) {
    ap_wall plane;
    ap_scene scene = brick_scene(&plane, 0.3, 0.4);
    scene.stepping = k ? AP_FIXED_EULER : AP_FIXED_RK4;
    ap_sim *sim = create(&scene);
    if (!sim) return;
    test_context("%s", k ? "Euler" : "RK4");
    start(sim, (double[]){0, 0, 0.5, 0.1, -0.2, 0.3, 0.9}, (double[]){0.1, 0.2, 0, 1, 2, 3});
    ap_sim_state s = advance(sim, 6);
    CHECK(lowest_corner(s.q) > -1e-4);
    CHECK_CLOSE(s.kinetic, 0, 1e-4);
    ap_sim_free(sim);
  }
}

// What holds a point takes no energy, and what rubs is dissipated: with forces that do not change,
// the ledger closes to rounding. Euler's method falls with the velocity of the end of a step, and
// so half a step too far: m g h v / 2 in every rise and fall, m being 2 kg and v halved each time.
TEST(fixed_steps_close_the_ledger) {
  for (int k = 0; k < 4; k++) {
    ap_wall plane;
    bool euler = k & 1, drop = k & 2;
    double g = 9.81, mu = 0.1, u = 3, h = drop ? 1 : 0;
    ap_scene scene = plane_scene(slider(0, -g), &plane, drop ? 0.5 : 0, drop ? 0 : mu);
    scene.stepping = euler ? AP_FIXED_EULER : AP_FIXED_RK4;
    ap_sim *sim = create(&scene);
    if (!sim) return;
    test_context("%s, %s", euler ? "Euler" : "RK4", drop ? "dropped" : "sliding");
    start(sim, (double[]){0, h}, (double[]){u, 0});
    double energy = advance(sim, 0).kinetic;
    ap_sim_state s = advance(sim, 20);
    CHECK_EQ_INT(s.contacts, 1);
    double bound = euler && drop ? 4 * g * scene.step * sqrt(2 * g * h) : 1e-10;
    CHECK_CLOSE(s.closing, 0, bound);
    CHECK_CLOSE(s.lost, drop ? 2 * g * h : 0, bound);
    CHECK_CLOSE(s.dissipated, drop ? 0 : energy, 1e-10);
    ap_sim_free(sim);
  }
}

// Springs and dampers far too stiff for the steps: stable, at rest in the end, and remarked.
TEST(fixed_steps_hold_stiff_joints) {
  for (int k = 0; k < 4; k++) {
    ap_scene scene = ap_default_scene();
    const ap_joint_spring spring = {
        .v = 1, .stiffness = k & 2 ? 1e8 : 50, .rest = 0.2, .damping = k & 2 ? 100 : 1e6};
    scene.model = slider(0, -9.81);
    scene.spring = &spring;
    scene.nspring = 1;
    scene.stepping = k & 1 ? AP_FIXED_EULER : AP_FIXED_RK4;
    scene.step = 0.01;
    ap_sim *sim = create(&scene);
    if (!sim) return;
    test_context("%s, %s", k & 1 ? "Euler" : "RK4", k & 2 ? "spring" : "damper");
    start(sim, (double[]){0, 0.1}, (double[]){0, 1});
    CHECK_HAS(ap_sim_remark(sim), k & 2 ? "spring" : "damper");
    ap_sim_state s = advance(sim, 10);
    if (k & 2) CHECK_CLOSE(s.q[1], 0.2, 1e-3);
    CHECK(fabs(s.v[1]) < 1e-3 && fabs(s.q[1]) < 0.3);
    ap_sim_free(sim);
  }
}

// A spring that is not one of the scene's, so that steps take it explicitly.
static ap_status stiff_force(void *context, double t, const double *q, const double *v,
                             double *tau) {
  (void)context, (void)t, (void)v;
  tau[1] -= 1e8 * q[1];
  return AP_OK;
}

TEST(fixed_steps_too_long_are_named) {
  for (int k = 0; k < 2; k++) {
    ap_scene scene = ap_default_scene();
    ap_error error = {0};
    scene.model = slider(0, -9.81);
    scene.force = stiff_force;
    scene.stepping = k ? AP_FIXED_EULER : AP_FIXED_RK4;
    scene.step = 0.01;
    ap_sim *sim = create(&scene);
    if (!sim) return;
    start(sim, (double[]){0, 0.1}, (double[]){0, 0});
    CHECK_EQ_INT(ap_sim_advance(sim, 10, &error), AP_E_NO_CONVERGENCE);
    CHECK(strstr(error.text, "too long") != NULL);
    ap_sim_free(sim);
  }
}
