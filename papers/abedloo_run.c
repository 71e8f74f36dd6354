// SPDX-License-Identifier: Apache-2.0
#include "abedloo_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLATFORM = 6 };

// ---- the wrist ---------------------------------------------------------------------------------

ap_status wrist_make(int branch, double amplitude, wrist_lab *l, ap_error *error) {
  *l = (wrist_lab){
      .memory = malloc(ap_parallel_size()), .def = ap_agile_wrist(), .amplitude = amplitude};
  if (!l->memory) {
    *error = (ap_error){.status = AP_E_MEMORY};
    snprintf(error->text, sizeof error->text, "no memory for a wrist");
    return AP_E_MEMORY;
  }
  for (int i = 0; i < 3; i++) l->def.limb[i].branch = branch >> i & 1 ? -1 : 1;
  l->w = ap_wrist_init(&l->def, l->memory, ap_parallel_size(), error);
  if (!l->w) return error->status;
  maximal_wrist(&l->def, &l->bodies);
  return AP_OK;
}

void wrist_free(wrist_lab *l) {
  free(l->memory);
  *l = (wrist_lab){0};
}

ap_status wrist_inverse(const wrist_lab *l, const double *q, const double *v, const double *a,
                        wrist_joints *m) {
  double y[6], yd[6], ydd[6];
  ap_status status = ap_parallel_inverse_kinematics(l->w, q, v, a, y, yd, ydd);
  if (status != AP_OK) return status;
  for (int i = 0; i < 3; i++) {
    m->theta[i] = y[i], m->psi[i] = y[3 + i];
    m->thetad[i] = yd[i], m->psid[i] = yd[3 + i];
    m->thetadd[i] = ydd[i], m->psidd[i] = ydd[3 + i];
  }
  return AP_OK;
}

ap_status wrist_fail(const wrist_lab *l, ap_status status, const double *q, double t,
                     ap_error *error) {
  ap_error why = {0};
  if (q) ap_parallel_explain(l->w, q, status, &why);
  *error = (ap_error){.status = status};
  snprintf(error->text, sizeof error->text, "the wrist at t = %.4g s: %.200s", t,
           why.text[0] ? why.text : ap_status_text(status));
  return status;
}

void wrist_trajectory(double scale, double t, double q[3], double v[3], double a[3]) {
  const double amplitude[3] = {WRIST_PI / 18, WRIST_PI / 6, WRIST_PI / 9};
  const double frequency[3] = {WRIST_PI, WRIST_PI / 2, 3 * WRIST_PI / 2};
  for (int i = 0; i < 3; i++) {
    double x = scale * amplitude[i], b = frequency[i];
    q[i] = x * sin(b * t);
    v[i] = x * b * cos(b * t);
    a[i] = -x * b * b * sin(b * t);
  }
}

// ---- Euler angles and rotations ----------------------------------------------------------------

/// Axes that the platform turns about at the rates of q1 and q2 (that of q0 is z), and their rates.
typedef struct euler_axes {
  double y[3], x[3], dy[3], dx[3];
  double s1, c1;
} euler_axes;

static euler_axes axes_at(const double *q, const double *v) {
  double s0 = sin(q[0]), c0 = cos(q[0]), s1 = sin(q[1]), c1 = cos(q[1]);
  return (euler_axes){
      .y = {-s0, c0, 0},
      .x = {c0 * c1, s0 * c1, -s1},
      .dy = {-c0 * v[0], -s0 * v[0], 0},
      .dx = {-s0 * c1 * v[0] - c0 * s1 * v[1], c0 * c1 * v[0] - s0 * s1 * v[1], -c1 * v[1]},
      .s1 = s1,
      .c1 = c1,
  };
}

static void spin_of(const double *q, const double *v, double *omega) {
  euler_axes e = axes_at(q, v);
  for (int k = 0; k < 3; k++) omega[k] = (k == 2) * v[0] + e.y[k] * v[1] + e.x[k] * v[2];
}

// Rates of the Euler angles from an angular velocity; of the axes y and x alone are used.
static void rates_of(const euler_axes *e, const double *omega, double *v) {
  v[1] = e->y[0] * omega[0] + e->y[1] * omega[1];
  v[2] = (e->y[1] * omega[0] - e->y[0] * omega[1]) / e->c1;
  v[0] = omega[2] + e->s1 * v[2];
}

// Angles, rates and accelerations of the platform from what the simulator knows of it.
static void platform_motion(const maximal_state *state, const maximal_rate *rate, wrist_sample *s) {
  const double *R = state->R, none[3] = {0, 0, 0};
  double rest[3];
  s->q[0] = atan2(R[3], R[0]);
  s->q[1] = atan2(-R[6], hypot(R[0], R[3]));
  s->q[2] = atan2(R[7], R[8]);
  euler_axes e = axes_at(s->q, none);
  rates_of(&e, state->w, s->v);
  e = axes_at(s->q, s->v);
  for (int k = 0; k < 3; k++) rest[k] = rate->w[k] - e.dy[k] * s->v[1] - e.dx[k] * s->v[2];
  rates_of(&e, rest, s->a);
}

// The angle about z of the rotation A^T B, which is about z but for a tilt about x before it:
// A^T B = Rx(tilt) Rz(angle).
static double angle_between(const double *A, const double *B, double tilt) {
  double x[3]; // B's x axis in A
  for (int i = 0; i < 3; i++) x[i] = A[i] * B[0] + A[3 + i] * B[3] + A[6 + i] * B[6];
  return atan2(cos(tilt) * x[1] + sin(tilt) * x[2], x[0]);
}

// Angles of the motors and elbows from the rotations of the links.
static void joint_angles(const ap_wrist_def *def, const maximal_state *state, double *angle) {
  for (int i = 0; i < 3; i++) {
    const ap_wrist_limb *l = &def->limb[i];
    const double c = cos(l->lambda), s = sin(l->lambda);
    const double turned[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    angle[i] = angle_between(turned, state[2 * i].R, l->gamma - WRIST_PI);
    angle[3 + i] = angle_between(state[2 * i].R, state[2 * i + 1].R, l->alpha1);
  }
}

// ---- driving -----------------------------------------------------------------------------------

/// Who gives torques, and what kept him from it.
typedef struct driver {
  const wrist_lab *l;
  wrist_gains gains;
  ap_status status;
  double t, q[3]; // of the failure
} driver;

static void give_up(driver *d, ap_status status, double t, const double *q, double *tau) {
  if (d->status == AP_OK) d->status = status, d->t = t, memcpy(d->q, q, sizeof d->q);
  for (int i = 0; i < 3; i++) tau[i] = 0;
}

// PD control of the motors' angles.
static void controller(void *context, double t, const maximal_state *state, double *tau) {
  driver *d = context;
  double q[3], v[3], a[3], angle[WRIST_ANGLES];
  wrist_joints want;
  wrist_trajectory(d->l->amplitude, t, q, v, a);
  ap_status status = wrist_inverse(d->l, q, v, a, &want);
  if (status != AP_OK) {
    give_up(d, status, t, q, tau);
    return;
  }
  joint_angles(&d->l->def, state, angle);
  for (int i = 0; i < 3; i++) {
    double speed;
    maximal_joint_rate(&d->l->bodies, state, NULL, i, &speed, NULL);
    tau[i] = d->gains.p * remainder(want.theta[i] - angle[i], 2 * WRIST_PI) +
             d->gains.d * (want.thetad[i] - speed);
  }
}

// The closed form's torques for the trajectory, wherever the bodies are.
static void feed_forward(void *context, double t, const maximal_state *state, double *tau) {
  driver *d = context;
  double q[3], v[3], a[3];
  (void)state;
  wrist_trajectory(d->l->amplitude, t, q, v, a);
  ap_status status = ap_parallel_inverse_dynamics(d->l->w, q, v, a, tau);
  if (status != AP_OK) give_up(d, status, t, q, tau);
}

// The bodies on the trajectory. Of the closed form only which elbow is meant is used: angles to one
// digit, from which Newton's method closes the joints.
static ap_status start_at(const wrist_lab *l, double t, maximal_state *state, ap_error *error) {
  double q[3], v[3], a[3], omega[3];
  wrist_joints m;
  wrist_trajectory(l->amplitude, t, q, v, a);
  ap_status status = wrist_inverse(l, q, v, a, &m);
  if (status != AP_OK) return wrist_fail(l, status, q, t, error);
  for (int i = 0; i < 3; i++) {
    m.theta[i] = round(10 * m.theta[i]) / 10;
    m.psi[i] = round(10 * m.psi[i]) / 10;
  }
  maximal_wrist_state(&l->def, q, m.theta, m.psi, state);
  if (!(maximal_close(&l->bodies, state) < 1e-14))
    return wrist_fail(l, AP_E_SINGULAR, NULL, t, error);
  spin_of(q, v, omega);
  maximal_move(&l->bodies, omega, state);
  return AP_OK;
}

// What the simulator knows, first of each pair.
static void measure(const wrist_lab *l, const maximal_state *state, const maximal_rate *rate,
                    wrist_sample *s) {
  double kinetic, potential;
  platform_motion(&state[PLATFORM], &rate[PLATFORM], s);
  joint_angles(&l->def, state, s->angle[0]);
  for (int j = 0; j < WRIST_ANGLES; j++)
    maximal_joint_rate(&l->bodies, state, rate, j, &s->rate[0][j], &s->acceleration[0][j]);
  maximal_energy(&l->bodies, state, &kinetic, &potential);
  s->energy[0] = kinetic + potential;
  s->power[0] = 0;
  for (int i = 0; i < 3; i++) s->power[0] += s->tau[0][i] * s->rate[0][i];
}

// What the closed form says of the same motion, second of each pair.
static ap_status model(const wrist_lab *l, wrist_sample *s, ap_error *error) {
  wrist_joints m;
  double Q[3], kinetic, potential;
  ap_status status = wrist_inverse(l, s->q, s->v, s->a, &m);
  if (status == AP_OK) status = ap_parallel_inverse_dynamics(l->w, s->q, s->v, s->a, s->tau[1]);
  if (status == AP_OK) status = ap_parallel_forces(l->w, s->q, s->v, s->a, Q);
  if (status == AP_OK) status = ap_parallel_energy(l->w, s->q, s->v, &kinetic, &potential);
  if (status != AP_OK) return wrist_fail(l, status, s->q, s->t, error);
  s->power[1] = 0;
  s->energy[1] = kinetic + potential;
  for (int i = 0; i < 3; i++) {
    s->angle[1][i] = m.theta[i];
    s->angle[1][3 + i] = m.psi[i];
    s->rate[1][i] = m.thetad[i];
    s->rate[1][3 + i] = m.psid[i];
    s->acceleration[1][i] = m.thetadd[i];
    s->acceleration[1][3 + i] = m.psidd[i];
    s->power[1] += Q[i] * s->v[i];
  }
  return AP_OK;
}

ap_status wrist_drive(const wrist_lab *l, wrist_gains gains, int steps, wrist_run *run,
                      ap_error *error) {
  driver d = {.l = l, .gains = gains};
  maximal_state state[MAXIMAL_BODIES];
  ap_status status = start_at(l, 0, state, error);
  run->drift = 0;
  run->samples = 0;
  for (int k = 0; k <= steps && status == AP_OK; k++) {
    wrist_sample *s = &run->sample[k];
    maximal_rate rate[MAXIMAL_BODIES];
    double v[3], a[3];
    s->t = WRIST_END * k / steps;
    wrist_trajectory(l->amplitude, s->t, s->wanted, v, a);
    controller(&d, s->t, state, s->tau[0]);
    maximal_accelerations(&l->bodies, state, s->tau[0], rate);
    measure(l, state, rate, s);
    status = model(l, s, error);
    if (status == AP_OK) run->samples++;
    if (status != AP_OK || k == steps) break;
    double drift = maximal_step(&l->bodies, controller, &d, s->t, WRIST_END / steps, state);
    run->drift = fmax(run->drift, drift);
    if (d.status != AP_OK) status = wrist_fail(l, d.status, d.q, d.t, error);
  }
  return status;
}

ap_status wrist_open_loop(const wrist_lab *l, wrist_stretch stretch, double *deviation,
                          ap_error *error) {
  driver d = {.l = l};
  maximal_state state[MAXIMAL_BODIES], want[MAXIMAL_BODIES];
  const double step = (stretch.to - stretch.from) / stretch.steps, none[3] = {0, 0, 0};
  double q[3], v[3], a[3], sum = 0;
  ap_status status = start_at(l, stretch.from, state, error);
  if (status != AP_OK) return status;
  for (int k = 0; k < stretch.steps; k++)
    maximal_step(&l->bodies, feed_forward, &d, stretch.from + k * step, step, state);
  if (d.status != AP_OK) return wrist_fail(l, d.status, d.q, d.t, error);
  wrist_trajectory(l->amplitude, stretch.to, q, v, a);
  maximal_wrist_state(&l->def, q, none, none, want);
  for (int i = 0; i < 9; i++) {
    double apart = state[PLATFORM].R[i] - want[PLATFORM].R[i];
    sum += apart * apart;
  }
  *deviation = 2 * asin(fmin(sqrt(sum / 8), 1)); // |R - R'| = 2 sqrt 2 sin(angle / 2)
  return AP_OK;
}
