// SPDX-License-Identifier: Apache-2.0
// What is watched in every period. Each finding stops the run in the period in which it is made.

#include <math.h>

#include "ctrl/servo.h"

static const double smoothing = 0.02; // s, of the difference between potentiometer and encoder

ap_guards ap_default_guards(const ap_model *model) {
  ap_guards g = {.torque_periods = 20,
                 .misses = 5,
                 .jump = 20,
                 .stuck = 0.03,
                 .mismatch = 0.1,
                 .following = 0.5,
                 .cookie = AP_COOKIE};
  for (int j = 0; j < AP_RACK_AXES; j++) {
    g.lower[j] = -INFINITY;
    g.upper[j] = g.velocity[j] = g.torque[j] = INFINITY;
  }
  for (int i = 1; model && i < ap_nbody(model); i++) {
    int j = ap_joint_v(model, i);
    if (ap_joint_nv(model, i) != 1 || j >= AP_RACK_AXES) continue;
    const ap_body_def *b = ap_body(model, i);
    g.lower[j] = b->lower, g.upper[j] = b->upper;
    g.velocity[j] = b->velocity_limit;
  }
  return g;
}

static void guard_encoder(ap_servo *s, int j, double moved) {
  const ap_guards *g = &s->def.guards;
  ap__stay *stay = &s->stay[j];
  double span = fmax(s->t - s->before, s->def.period);
  if (fabs(moved) > g->jump * span + 4 * s->resolution[j]) {
    s->untrusted |= 1u << j;
    ap__servo_stop(s, AP_STOP_ENCODER_JUMP, j);
    return;
  }
  if (moved != 0) *stay = (ap__stay){.reference = s->qd[j], .mismatch = s->mismatch[j]};
  if (fabs(s->qd[j] - stay->reference) > g->stuck &&
      fabs(s->mismatch[j] - stay->mismatch) > g->stuck / 2) {
    s->untrusted |= 1u << j;
    ap__servo_stop(s, AP_STOP_ENCODER_STUCK, j);
  } else if (fabs(s->mismatch[j]) > g->mismatch) {
    ap__servo_stop(s, AP_STOP_POTENTIOMETER, j);
  }
}

void ap__guard_inputs(ap_servo *s) {
  const ap_rack_input *in = &s->record.input;
  s->late_row = in->late > s->def.period ? s->late_row + 1 : 0;
  if (s->late_row > 0) s->result.missed++;
  for (int j = 0; j < s->n; j++) {
    if (!isfinite(in->potentiometer[j])) {
      ap__servo_stop(s, AP_STOP_NOT_A_NUMBER, j);
      continue;
    }
    if (in->thermo >> j & 1) ap__servo_stop(s, AP_STOP_THERMO, j);
    double encoder = s->zero[j] + (in->encoder[j] + 0.5) * s->resolution[j];
    double apart = ap_axis_potentiometer(&s->def.axis[j], in->potentiometer[j]) - encoder;
    double follow = s->started ? 1 - exp(-s->def.period / smoothing) : 1;
    s->mismatch[j] += follow * (apart - s->mismatch[j]);
    bool homed = s->record.phase != AP_PHASE_HOME || s->home == HOME_MOVE;
    if (s->started && homed)
      guard_encoder(s, j, ((double)in->encoder[j] - s->count[j]) * s->resolution[j]);
  }
  const int most = s->def.guards.misses;
  if (most > 0 && s->late_row >= most) ap__servo_stop(s, AP_STOP_DEADLINE, -1);
}

void ap__guard_motion(ap_servo *s) {
  const ap_guards *g = &s->def.guards;
  for (int j = 0; j < s->n; j++) {
    if (s->untrusted >> j & 1) continue;
    if (s->q[j] < g->lower[j] || s->q[j] > g->upper[j]) ap__servo_stop(s, AP_STOP_POSITION, j);
    if (fabs(s->v[j]) > g->velocity[j]) ap__servo_stop(s, AP_STOP_VELOCITY, j);
    if (fabs(s->q[j] - s->qd[j]) > g->following) ap__servo_stop(s, AP_STOP_ERROR, j);
  }
}

bool ap__guard_torques(ap_servo *s, const double *wanted, const double *tau) {
  const ap_guards *g = &s->def.guards;
  for (int j = 0; j < s->n; j++) {
    if (!isfinite(tau[j])) {
      ap__servo_stop(s, AP_STOP_NOT_A_NUMBER, j);
      return false;
    }
    s->torque_row[j] = fabs(wanted[j]) > g->torque[j] ? s->torque_row[j] + 1 : 0;
    if (s->torque_row[j] > g->torque_periods) ap__servo_stop(s, AP_STOP_TORQUE, j);
  }
  return true;
}
