// SPDX-License-Identifier: Apache-2.0
// What an identification may be believed: priors, what is identifiable, intervals.

#include <appell/ident.h>

#include "identify.h"

static bool is_rotor(const arm *a, int k) {
  return strstr(ap_ident_name(a->id, k), ".rotor") != NULL;
}

// A reduction of a motion with noise of that part of each joint's force, correlated over `memory`
// (the factor from one state to the next).
static ap_reduction *measured(arm *a, const wave *w, const double *p, int states, double part,
                              double memory, rng *r) {
  ap_reduction *red = NULL;
  int n = ap_nv(a->m);
  double e[MOST_V] = {0}, rms[MOST_V] = {0};
  CHECK_OK(ap_reduction_create(a->id, 1, &red, &a->error));
  for (int turn = 0; turn < 2; turn++) // first the size of the forces
    for (int k = 0; red && k < states; k++) {
      double q[MOST_V], v[MOST_V], acc[MOST_V], tau[MOST_V];
      wave_at(w, n, 0.01 * k, q, v, acc);
      forces(a, p, q, v, acc, tau);
      for (int j = 0; j < n; j++) {
        if (turn == 0) rms[j] += tau[j] * tau[j] / states;
        e[j] = memory * e[j] + sqrt(1 - memory * memory) * rng_normal(r);
        tau[j] += part * sqrt(rms[j]) * e[j];
      }
      if (turn == 1) ap_reduction_add(red, q, v, acc, tau);
    }
  return red;
}

static ap_fit *consistent(arm *a, ap_reduction *red, const ap_fit_options *o) {
  ap_fit *fit = NULL;
  if (!CHECK_OK(ap_fit_make(red, a->base, AP_FIT_CONSISTENT, o, &fit, &a->error)))
    printf("  %s\n", a->error.text);
  return fit;
}

// Without noise every mass and rotor is within 5 % of the truth or marked as not identifiable, and
// the motion of a robot with a prismatic joint does show masses.
TEST(parameters_are_right_or_marked) {
  const char *names[] = {"puma600", "stanford", "scara", "models/control/iiwa_arm.yaml"};
  for (int which = 0; which < 4; which++) {
    arm a;
    if (!arm_builtin(&a, names[which], all_drives)) return;
    rng r = rng_seed(3);
    double p[MOST_P];
    hidden_parameters(&r, &a, p);
    wave w = random_wave(&r, ap_nv(a.m));
    ap_reduction *red = measured(&a, &w, p, 1500, 0, 0, &r);
    ap_fit *fit = consistent(&a, red, NULL);
    int inertial = 10 * ap_moving_bodies(a.m), sure = 0, unsure = 0;
    for (int k = 0; fit && k < fit->np; k++) {
      if (k < inertial ? k % 10 != 0 : !is_rotor(&a, k)) continue;
      bool known = ap_fit_identifiable(fit, k);
      *(known ? &sure : &unsure) += 1;
      test_context("%s", ap_ident_name(a.id, k));
      CHECK(!known || fabs(fit->parameter[k] / p[k] - 1) < 0.05);
      CHECK(fit->determined[k] >= 0 && fit->determined[k] <= 1 && fit->parameter_deviation[k] > 0);
    }
    CHECK(sure > 0 && unsure > 0);
    ap_fit_free(fit), ap_reduction_free(red), arm_free(&a);
  }
}

// A model that is right is believed, one that is far off less; noise does not carry masses away:
// none leaves the model by more than its deviations allow.
TEST(evidence_weighs_the_model) {
  arm a;
  if (!arm_builtin(&a, "puma600", all_drives)) return;
  rng r = rng_seed(4);
  double p[MOST_P], nominal[MOST_P], prior[2] = {0, 0};
  ap_ident_nominal(a.id, nominal);
  wave w = random_wave(&r, 6);
  for (int turn = 0; turn < 2; turn++) {
    memcpy(p, nominal, sizeof p);
    if (turn == 1) hidden_parameters(&r, &a, p);
    for (int k = 60; k < ap_ident_count(a.id); k++) p[k] = 0.5;
    for (int i = 0; i < 60 && turn == 1; i += 10) {
      double factor = rng_uniform(&r, 0.4, 1.6);
      for (int k = 0; k < 10; k++) p[i + k] *= factor;
    }
    ap_reduction *red = measured(&a, &w, p, 600, 0.05, 0, &r);
    ap_fit *fit = consistent(&a, red, NULL);
    if (fit) prior[turn] = fit->prior;
    for (int i = 0; fit && i < 60; i += 10) {
      test_context("%s %d", ap_ident_name(a.id, i), turn);
      CHECK(fit->parameter[i] < 3 * nominal[i]);
      CHECK(fabs(fit->parameter[i] - p[i]) < 5 * fit->parameter_deviation[i]);
    }
    ap_fit_free(fit), ap_reduction_free(red);
  }
  CHECK(prior[0] > 0 && prior[0] < 0.1 && prior[1] > 1.5 * prior[0]);
  arm_free(&a);
}

// A known total, and bounds, are kept; a total that is given leaves less doubt.
TEST(known_masses_are_kept) {
  arm a;
  if (!arm_builtin(&a, "puma600", all_drives)) return;
  rng r = rng_seed(6);
  double p[MOST_P], total = 0, sum = 0, least[6] = {0}, most[6];
  hidden_parameters(&r, &a, p);
  for (int i = 0; i < 6; i++) total += p[10 * i], most[i] = INFINITY;
  wave w = random_wave(&r, 6);
  ap_reduction *red = measured(&a, &w, p, 600, 0.02, 0, &r);
  ap_fit_options o = ap_default_fit();
  o.prior = 0.2;
  ap_fit *free_fit = consistent(&a, red, &o);
  o.total_mass = total;
  ap_fit *fit = consistent(&a, red, &o);
  for (int i = 0; fit && i < 6; i++) sum += fit->parameter[10 * i];
  CHECK_CLOSE(sum / total, 1, 0.005);
  if (fit && free_fit) CHECK(fit->parameter_deviation[0] < 0.9 * free_fit->parameter_deviation[0]);
  if (fit) CHECK_CLOSE(fit->prior, 0.2, 1e-12);
  ap_fit_free(fit);
  o.total_mass = 0, o.mass_least = least, o.mass_most = most;
  if (free_fit) least[1] = 1.1 * free_fit->parameter[10], most[3] = 0.9 * free_fit->parameter[30];
  fit = consistent(&a, red, &o);
  if (fit) CHECK(fit->parameter[10] >= least[1] && fit->parameter[30] <= most[3]);
  if (fit) CHECK(ap_ident_physical(a.id, fit->parameter));
  ap_fit_free(fit), fit = NULL;
  least[3] = 2 * most[3];
  CHECK_STATUS(ap_fit_make(red, a.base, AP_FIT_CONSISTENT, &o, &fit, &a.error), AP_E_ARG);
  CHECK_HAS(a.error.text, "link4");
  ap_fit_free(fit), ap_fit_free(free_fit), ap_reduction_free(red), arm_free(&a);
}

// Intervals of 95 % hold the truth in 90 to 98 % of cases, with white noise and with noise whose
// correlation time is 10 states: 30 logs with 52 parameters each.
TEST(intervals_cover_the_truth) {
  arm a;
  if (!arm_builtin(&a, "puma600", all_drives)) return;
  for (int turn = 0; turn < 2; turn++) {
    rng r = rng_seed(21);
    double p[MOST_P], want[MOST_P], inside = 0, count = 0;
    hidden_parameters(&r, &a, p);
    ap_base_values(a.base, p, want);
    wave w = random_wave(&r, 6);
    for (int draw = 0; draw < 30; draw++) {
      ap_reduction *red = measured(&a, &w, p, 1500, 0.02, turn ? exp(-0.1) : 0, &r);
      ap_fit *fit = fit_by(&a, red, AP_FIT_WEIGHTED);
      for (int k = 0; fit && k < fit->n; k++, count++)
        inside += fabs(fit->value[k] - want[k]) <= 1.96 * fit->deviation[k];
      if (fit) CHECK(turn ? fit->inflation > 5 : fit->inflation < 1.5);
      ap_fit_free(fit), ap_reduction_free(red);
    }
    test_context("%s noise: %g", turn ? "correlated" : "white", inside / count);
    CHECK(inside / count > 0.90 && inside / count < 0.98);
  }
  arm_free(&a);
}

// ---- payload -----------------------------------------------------------------------------------

// The robot is known, with its friction; what the last link carries is found, all ten parameters,
// and the robot that carries it has the measured forces.
TEST(payload_of_a_known_arm) {
  ap_robot *robot = NULL;
  if (!CHECK_OK(ap_robot_builtin("puma600", NULL, &robot, NULL))) return;
  ap_robot_def def = *ap_robot_definition(robot);
  ap_body_def body[16], loaded[16];
  memcpy(body, def.bodies, (size_t)def.nbody * sizeof *body);
  for (int i = 0; i < def.nbody; i++) body[i].viscous = 0.3, body[i].coulomb = 0.5;
  def.bodies = body;
  ap_robot *arm_robot = NULL;
  ap_robot *twin = NULL;
  CHECK_OK(ap_robot_from_definition(&def, &arm_robot, NULL));
  CHECK_OK(ap_robot_from_definition(&def, &twin, NULL));
  ap_robot_free(robot);
  arm a, whole;
  if (!arm_robot || !arm_of(&a, arm_robot, (ap_ident_options){.payload = "link6"})) return;
  CHECK_EQ_INT(ap_ident_count(a.id), 10);
  CHECK_EQ_INT(ap_base_count(a.base), 10);
  if (!twin || !arm_of(&whole, twin, all_drives)) return;
  // 2 kg, 5 cm aside and 10 cm ahead, as a ball of 4 cm radius
  const double load[10] = {2, 0.1, 0, 0.2, 0.02128, 0, -0.01, 0.02628, 0, 0.00628};
  double p[MOST_P], q[MOST_V], v[MOST_V], acc[MOST_V], tau[MOST_V];
  ap_ident_nominal(whole.id, p);
  for (int k = 0; k < 10; k++) p[50 + k] += load[k];
  rng r = rng_seed(2);
  wave w = random_wave(&r, 6);
  ap_reduction *red = NULL;
  CHECK_OK(ap_reduction_create(a.id, 1, &red, &a.error));
  for (int k = 0; k < 1500; k++) {
    wave_at(&w, 6, 0.01 * k, q, v, acc);
    forces(&whole, p, q, v, acc, tau);
    for (int j = 0; j < 6; j++) tau[j] += 0.05 * rng_normal(&r);
    ap_reduction_add(red, q, v, acc, tau);
  }
  ap_fit *fit = consistent(&a, red, NULL);
  for (int k = 0; fit && k < 10; k++) {
    test_context("%s", ap_ident_name(a.id, k));
    CHECK(fabs(fit->parameter[k] - load[k]) < 4 * fit->parameter_deviation[k]);
  }
  if (fit) CHECK(ap_fit_identifiable(fit, 0) && fabs(fit->parameter[0] - 2) < 0.02);
  if (fit) CHECK_OK(ap_ident_apply(a.id, fit->parameter, loaded));
  if (fit) CHECK_CLOSE(loaded[5].mass - body[5].mass, fit->parameter[0], 1e-12);
  if (fit) CHECK_CLOSE(loaded[4].mass, body[4].mass, 1e-12);
  ap_fit_free(fit), ap_reduction_free(red), arm_free(&whole);
  ap_ident *none = NULL;
  const ap_ident_options wrong = {.payload = "hand"};
  CHECK_STATUS(ap_ident_create(a.m, &wrong, &none, &a.error), AP_E_ARG);
  CHECK_HAS(a.error.text, "hand");
  arm_free(&a);
}

// ---- friction ----------------------------------------------------------------------------------

// Stribeck, asymmetric and load-dependent friction are found with intervals that hold the truth.
TEST(richer_friction) {
  arm a;
  const ap_ident_options rich = {
      .viscous = true, .coulomb = true, .asymmetric = true, .load = true, .stribeck = 0.1};
  if (!arm_builtin(&a, "puma600", rich)) return;
  rng r = rng_seed(12);
  double p[MOST_P], want[MOST_P];
  ap_ident_nominal(a.id, p);
  int np = ap_ident_count(a.id), rest = 0;
  for (int k = 60; k < np; k++) p[k] = strstr(ap_ident_name(a.id, k), "load") ? 0.05 : 0.4;
  ap_base_values(a.base, p, want);
  wave w = random_wave(&r, 6);
  ap_reduction *red = measured(&a, &w, p, 4000, 0.005, 0, &r);
  ap_fit *fit = fit_by(&a, red, AP_FIT_WEIGHTED), *whole = consistent(&a, red, NULL);
  for (int k = 0; fit && k < fit->n; k++) {
    const char *name = ap_ident_name(a.id, ap_base_leader(a.base, k));
    test_context("%s", name);
    CHECK(fabs(fit->value[k] - want[k]) < 4.5 * fit->deviation[k]);
    if (ap_base_leader(a.base, k) < 60) continue;
    rest++;
    CHECK(fit->deviation[k] < 0.5 * want[k]);
  }
  CHECK_EQ_INT(rest, 36);
  ap_body_def body[16];
  if (whole) CHECK_OK(ap_ident_apply(a.id, whole->parameter, body));
  if (whole) CHECK(body[0].stiction > body[0].coulomb + 0.2);
  ap_fit_free(fit), ap_fit_free(whole), ap_reduction_free(red);
  ap_ident *none = NULL;
  const ap_ident_options twice = {.asymmetric = true, .offset = true};
  CHECK_STATUS(ap_ident_create(a.m, &twice, &none, &a.error), AP_E_ARG);
  const ap_ident_options wrong = {.stribeck = -1};
  CHECK_STATUS(ap_ident_create(a.m, &wrong, &none, &a.error), AP_E_ARG);
  arm_free(&a);
}
