// SPDX-License-Identifier: Apache-2.0
// What is watched in every period. Each finding stops the run in the period in which it is made.

#include <math.h>
#include <string.h>

#include "ctrl/ctrl.h"
#include "ctrl/servo.h"

static const double smoothing = 0.02; // s, of the difference between potentiometer and encoder

ap_guards ap_default_guards(void) {
  return (ap_guards){.torque_periods = 20,
                     .misses = 5,
                     .jump = 20,
                     .stuck = 0.03,
                     .mismatch = 0.1,
                     .stale = 0.005,
                     .cookie = AP_COOKIE};
}

void ap__guards_begin(ap_servo *s) {
  const ap_guards *g = &s->def.guards;
  const ap_model *m = ap_ctrl_model(s->def.ctrl);
  for (int i = 1; i < ap_nbody(m); i++) {
    int j = ap_joint_v(m, i);
    if (ap_joint_nv(m, i) != 1) continue;
    const ap_body_def *b = ap_body(m, i);
    s->lower[j] = g->lower ? g->lower[j] : b->lower;
    s->upper[j] = g->upper ? g->upper[j] : b->upper;
    s->velocity[j] = g->velocity ? g->velocity[j] : b->velocity_limit;
    s->torque[j] = g->torque ? g->torque[j] : INFINITY;
    s->expected[j] = g->residual ? g->residual[j] : 0;
    s->contact[j] = g->contact ? g->contact[j] : INFINITY;
  }
}

// ---- inputs ------------------------------------------------------------------------------------

static bool is_incremental(const ap_servo *s, int j) {
  return s->def.axis[j].encoder == AP_ENCODER_INCREMENTAL;
}

static void guard_encoder(ap_servo *s, int j, double moved) {
  const ap_guards *g = &s->def.guards;
  ap__stay *stay = &s->stay[j];
  double span = fmax(s->t - s->before, s->def.period) + s->record.input.late;
  if (fabs(moved) > g->jump * span + 4 * s->resolution[j]) {
    ap__servo_found(s, AP_STOP_ENCODER_JUMP, j, fabs(moved) / span, g->jump, "rad/s");
    return;
  }
  if (!is_incremental(s, j)) return; // there is no potentiometer to compare with
  if (moved != 0) *stay = (ap__stay){.reference = s->qd[j], .mismatch = s->mismatch[j]};
  if (fabs(s->qd[j] - stay->reference) > g->stuck &&
      fabs(s->mismatch[j] - stay->mismatch) > g->stuck / 2) {
    ap__servo_found(s, AP_STOP_ENCODER_STUCK, j, fabs(s->qd[j] - stay->reference), g->stuck, "rad");
  } else if (fabs(s->mismatch[j]) > g->mismatch) {
    ap__servo_found(s, AP_STOP_POTENTIOMETER, j, fabs(s->mismatch[j]), g->mismatch, "rad");
  }
}

// A drive that reports its state must be enabled while it is to give torque.
static void guard_drive(ap_servo *s, int j, uint32_t status) {
  const bool enabled = (status & AP_AXIS_ENABLED) && !(status & AP_AXIS_QUICK_STOP);
  const bool waits = s->record.phase == AP_PHASE_HOME && s->home == HOME_ENABLE;
  const bool driven = s->started && !s->record.output.brakes && !waits;
  if (status & AP_AXIS_HOT) ap__servo_stop(s, AP_STOP_THERMO, j);
  if (!(status & AP_AXIS_REPORTS)) return;
  if ((status & AP_AXIS_FAULT) || (driven && !enabled)) ap__servo_stop(s, AP_STOP_DRIVE, j);
}

static void compare_potentiometer(ap_servo *s, int j) {
  const ap_rack_input *in = &s->record.input;
  double encoder = s->zero[j] + (in->encoder[j] + 0.5) * s->resolution[j];
  double apart = ap_axis_potentiometer(&s->def.axis[j], in->potentiometer[j]) - encoder;
  double follow = s->started ? 1 - exp(-s->def.period / smoothing) : 1;
  s->mismatch[j] += follow * (apart - s->mismatch[j]);
}

void ap__guard_inputs(ap_servo *s) {
  const ap_rack_input *in = &s->record.input;
  // Periods that were skipped are deadlines that were missed.
  const double missed = fmin(floor(in->late / s->def.period), 1e9);
  s->late_row = missed > 0 ? s->late_row + missed : 0;
  s->result.missed += (long)fmax(missed, 0);
  for (int j = 0; j < s->n; j++) {
    if (!isfinite(in->potentiometer[j]) || !isfinite(in->torque[j])) {
      ap__servo_stop(s, AP_STOP_NOT_A_NUMBER, j);
      continue;
    }
    guard_drive(s, j, in->status[j]);
    if (is_incremental(s, j)) compare_potentiometer(s, j);
    bool homed = s->record.phase != AP_PHASE_HOME || s->home == HOME_MOVE;
    if (s->started && homed)
      guard_encoder(
          s, j,
          (ap__servo_count(s, j, in->encoder[j], s->count[j]) - s->count[j]) * s->resolution[j]);
  }
  const int most = s->def.guards.misses;
  if (most > 0 && s->late_row >= most)
    ap__servo_found(s, AP_STOP_DEADLINE, -1, s->late_row, most, "periods");
}

// Inputs with noise do not stay the same for long, nor do those of joints that should move. In the
// periods without a new count so far, this part had no other new input either: whether a row of
// such periods is one more of them is told by its probability.
static bool expects_news(const ap_servo *s) {
  static const double unlikely = 27.6; // -log(1e-12)
  const double part = ((double)s->same + 1) / ((double)s->still + 2);
  if (s->still > 50 && -log(part) * s->same_row > unlikely) return true;
  // Encoders alone, however fine, show nothing of a joint that friction holds: as long as the
  // torque of its error may be less than that.
  for (int j = 0; j < s->n; j++) {
    const double held = s->noisy ? 0 : s->following[j] / 2;
    if (fabs(s->qd[j] - s->same_from[j]) > 3 * s->resolution[j] + held) return true;
  }
  return false;
}

void ap__guard_stale(ap_servo *s, const ap_rack_input *in) {
  const ap_rack_input *was = &s->record.input;
  const size_t n = (size_t)s->n;
  const bool counts = memcmp(in->encoder, was->encoder, n * sizeof *in->encoder) == 0;
  const bool same =
      counts && memcmp(in->potentiometer, was->potentiometer, n * sizeof *in->potentiometer) == 0 &&
      memcmp(in->torque, was->torque, n * sizeof *in->torque) == 0;
  if (!same) memcpy(s->same_from, s->qd, n * sizeof *s->qd);
  s->same_row = same ? s->same_row + 1 : 0;
  if (s->same_row * s->def.period >= s->def.guards.stale && expects_news(s))
    ap__servo_found(s, AP_STOP_STALE, -1, s->same_row * s->def.period, s->def.guards.stale, "s");
  s->still += counts, s->same += same;
}

// A stream is not known before it arrives: what it asks for must be within the limits of the joint,
// two periods ahead, so that it is seen before the joint itself is beyond them.
static bool guard_stream(ap_servo *s, int j) {
  const double ahead = 2 * s->def.period;
  const double q = s->qd[j] + ahead * s->vd[j], v = fabs(s->vd[j] + ahead * s->ad[j]);
  const bool below = q < s->lower[j];
  if (below || q > s->upper[j])
    ap__servo_found(s, AP_STOP_REFERENCE, j, q, below ? s->lower[j] : s->upper[j], "rad");
  else if (v > s->velocity[j])
    ap__servo_found(s, AP_STOP_REFERENCE, j, v, s->velocity[j], "rad/s");
  else
    return false;
  if (s->record.phase == AP_PHASE_BRAKE) ap__refer_brake(s);
  return true;
}

void ap__guard_reference(ap_servo *s, const double *before) {
  double span = fmax(s->t - s->before, s->def.period);
  for (int j = 0; j < s->n; j++) {
    if (s->def.stream && guard_stream(s, j)) return;
    if (fabs(s->qd[j] - before[j]) <= s->def.guards.jump * span) continue;
    ap__servo_found(s, isfinite(s->qd[j]) ? AP_STOP_REFERENCE : AP_STOP_NOT_A_NUMBER, j,
                    fabs(s->qd[j] - before[j]) / span, s->def.guards.jump, "rad/s");
    if (s->record.phase == AP_PHASE_BRAKE) ap__refer_brake(s);
    return;
  }
}

void ap__guard_motion(ap_servo *s) {
  const ap_guards *g = &s->def.guards;
  const ap_gains *gains = ap__ctrl_gains(s->def.ctrl);
  for (int j = 0; j < s->n; j++) {
    if (s->q[j] < s->lower[j] || s->q[j] > s->upper[j])
      ap__servo_found(s, AP_STOP_POSITION, j, s->q[j],
                      s->q[j] < s->lower[j] ? s->lower[j] : s->upper[j], "rad");
    if (fabs(s->v[j]) > s->velocity[j])
      ap__servo_found(s, AP_STOP_VELOCITY, j, fabs(s->v[j]), s->velocity[j], "rad/s");
    double lags = g->following > 0 ? 0 : fabs(s->vd[j]) * gains[j].kd / fmax(gains[j].kp, 1e-9);
    double off = fabs(s->q[j] - s->qd[j]),
           most = fmin(s->following[j] + lags, fmax(g->following, 0.5));
    if (off > most) ap__servo_found(s, AP_STOP_ERROR, j, off, most, "rad");
  }
}

bool ap__guard_torques(ap_servo *s, const double *wanted, const double *tau) {
  const ap_guards *g = &s->def.guards;
  for (int j = 0; j < s->n; j++) {
    if (!isfinite(tau[j])) {
      ap__servo_stop(s, AP_STOP_NOT_A_NUMBER, j);
      return false;
    }
    s->torque_row[j] = fabs(wanted[j]) > s->torque[j] ? s->torque_row[j] + 1 : 0;
    if (s->torque_row[j] > g->torque_periods)
      ap__servo_found(s, AP_STOP_TORQUE, j, fabs(wanted[j]), s->torque[j], "N m");
  }
  return true;
}
