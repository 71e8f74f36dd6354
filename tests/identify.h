// SPDX-License-Identifier: Apache-2.0
// What the tests of identification share: a robot with its parameters, motions and their forces.

#ifndef AP_TESTS_IDENTIFY_H
#define AP_TESTS_IDENTIFY_H

#include <appell/file.h>
#include <appell/ident.h>

#include "test.h"

enum { MOST_P = 128, MOST_V = 12 };

static const ap_ident_options all_drives = {.rotor = true, .viscous = true, .coulomb = true};

// A model with everything that identification makes of it.
typedef struct arm {
  ap_robot *robot;
  ap_model *m;
  ap_ident *id;
  ap_base *base;
  ap_error error;
} arm;

static inline bool arm_of(arm *a, ap_robot *robot, ap_ident_options options) {
  *a = (arm){.robot = robot};
  ap_status status = ap_robot_model(robot, &a->m, &a->error);
  if (!status) status = ap_ident_create(a->m, &options, &a->id, &a->error);
  if (!status) status = ap_base_find(a->id, AP_BASE_QR, &a->base, &a->error);
  if (!CHECK_OK(status)) printf("  %s\n", a->error.text);
  return status == AP_OK;
}

static inline bool arm_builtin(arm *a, const char *name, ap_ident_options options) {
  ap_robot *robot = NULL;
  ap_error error = {.text = ""};
  test_context("%s", name);
  const bool file = strchr(name, '/') != NULL; // of the repository
  return CHECK_OK(file ? ap_robot_read(name, NULL, &robot, &error)
                       : ap_robot_builtin(name, NULL, &robot, &error)) &&
         arm_of(a, robot, options);
}

static inline void arm_free(arm *a) {
  ap_base_free(a->base), ap_ident_free(a->id), ap_model_free(a->m), ap_robot_free(a->robot);
}

// Standard normal, by the sum of twelve uniform numbers less six (good to four deviations).
static inline double rng_normal(rng *r) {
  double sum = -6;
  for (int k = 0; k < 12; k++) sum += rng_uniform(r, 0, 1);
  return sum;
}

// A motion of n joints: each a sum of three sines with its own frequencies and phases.
typedef struct wave {
  double amplitude[MOST_V][3], frequency[MOST_V][3], phase[MOST_V][3];
} wave;

static inline wave random_wave(rng *r, int n) {
  wave w = {.amplitude = {{0}}};
  for (int j = 0; j < n; j++)
    for (int k = 0; k < 3; k++) {
      w.amplitude[j][k] = rng_uniform(r, 0.2, 0.5);
      w.frequency[j][k] = rng_uniform(r, 1, 6);
      w.phase[j][k] = rng_uniform(r, 0, 6.28);
    }
  return w;
}

static inline void wave_at(const wave *w, int n, double t, double *q, double *v, double *a) {
  for (int j = 0; j < n; j++) {
    q[j] = v[j] = a[j] = 0;
    for (int k = 0; k < 3; k++) {
      double f = w->frequency[j][k], x = w->amplitude[j][k], at = f * t + w->phase[j][k];
      q[j] += x * sin(at), v[j] += x * f * cos(at), a[j] -= x * f * f * sin(at);
    }
  }
}

// Physical parameters near the model's: inertias by the same factor as masses, centres shifted.
static inline void hidden_parameters(rng *r, const arm *a, double *p) {
  ap_ident_nominal(a->id, p);
  int inertial = 10 * ap_moving_bodies(a->m);
  for (int i = 0; i < inertial; i += 10) {
    double factor = rng_uniform(r, 0.8, 1.2);
    for (int k = 0; k < 10; k++) p[i + k] *= factor;
  }
  for (int k = inertial; k < ap_ident_count(a->id); k++) p[k] = rng_uniform(r, 0.1, 2);
}

// Forces of parameters p in a state.
static inline void forces(const arm *a, const double *p, const double *q, const double *v,
                          const double *acc, double *tau) {
  static double W[MOST_V * MOST_P];
  int np = ap_ident_count(a->id);
  ap_ident_rows(a->id, q, v, acc, W);
  for (int j = 0; j < ap_nv(a->m); j++) {
    tau[j] = 0;
    for (int k = 0; k < np; k++) tau[j] += W[j * np + k] * p[k];
  }
}

// States of a wave, with forces of p and noise of that deviation for each joint, taken in.
static inline void take_in(ap_reduction *red, const arm *a, const wave *w, const double *p,
                           int states, const double *noise, rng *r) {
  int n = ap_nv(a->m);
  for (int k = 0; k < states; k++) {
    double q[MOST_V], v[MOST_V], acc[MOST_V], tau[MOST_V];
    wave_at(w, n, 0.01 * k, q, v, acc);
    forces(a, p, q, v, acc, tau);
    for (int j = 0; noise && j < n; j++) tau[j] += noise[j] * rng_normal(r);
    ap_reduction_add(red, q, v, acc, tau);
  }
}

static inline ap_fit *fit_by(arm *a, ap_reduction *red, ap_fit_method method) {
  ap_fit *fit = NULL;
  test_context("%s", ap_fit_method_name(method));
  if (!CHECK_OK(ap_fit_make(red, a->base, method, NULL, &fit, &a->error)))
    printf("  %s\n", a->error.text);
  return fit;
}

#endif
