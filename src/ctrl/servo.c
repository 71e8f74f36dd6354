// SPDX-License-Identifier: Apache-2.0
// The control loop, one period at a time: read, guard, estimate, refer, control, guard, write.

#include "ctrl/servo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctrl/ctrl.h"
#include "file/robot.h"

static const double settle = 0.1;      // s that potentiometers are read before anything moves
static const double home_travel = 1.1; // of the way between two index pulses
static const double home_most = 4;     // times of homing that a joint may take to its index pulse
static const double smooth_last = 0.1; // s

const char *ap_phase_name(ap_phase phase) {
  static const char *const name[] = {"home", "approach", "run", "brake", "safe"};
  return (unsigned)phase < sizeof name / sizeof name[0] ? name[phase] : "";
}

const char *ap_stop_name(ap_stop stop) {
  switch (stop) {
#define STOP_NAME(code, name, text) \
  case code: return name;
    AP_STOP_LIST(STOP_NAME)
#undef STOP_NAME
  }
  return "";
}

const char *ap_stop_text(ap_stop stop) {
  switch (stop) {
#define STOP_TEXT(code, name, text) \
  case code: return text;
    AP_STOP_LIST(STOP_TEXT)
#undef STOP_TEXT
  }
  return "";
}

ap_servo_def ap_default_servo(void) {
  return (ap_servo_def){.period = 1e-3,
                        .home_time = 2,
                        .approach_speed = 0.5,
                        .observer = 200,
                        .brake = 5,
                        .brake_time = 2,
                        .guards = ap_default_guards(NULL),
                        .ring = 8192,
                        .cookie = AP_COOKIE};
}

// ---- making ------------------------------------------------------------------------------------

static ap_status check(const ap_servo_def *d, ap_error *error) {
  if (!AP_STARTS_FROM(ap_default_servo, d, error) ||
      !AP_STARTS_FROM(ap_default_guards, &d->guards, error))
    return AP_E_ARG;
  int n = ap_nv(ap_ctrl_model(d->ctrl));
  if (d->rack->axes != n || n > AP_RACK_AXES || ap_traj_n(d->reference) != n)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "the robot has %d joints, the rack %d axes, the reference %d coordinates "
                      "(all three must agree, at most %d)",
                      n, d->rack->axes, ap_traj_n(d->reference), AP_RACK_AXES);
  for (int j = 0; j < n; j++)
    if (!AP_STARTS_FROM(ap_default_axis, &d->axis[j], error)) return AP_E_ARG;
  const char *wrong = NULL;
  if (!(d->period > 0 && d->period <= 1)) wrong = "the period is not between 0 and 1 s";
  if (!(d->duration >= 0 && d->duration <= 1e6)) wrong = "the duration is negative or too long";
  if (!(d->home_time > 0 && d->approach_speed > 0))
    wrong = "the duration of homing or approach is not positive";
  if (!(d->observer > 0 && d->brake > 0 && d->brake_time > 0))
    wrong = "the observer, or the brake's deceleration or time, is not positive";
  if (d->ring < 2 || (d->ring & (d->ring - 1))) wrong = "the ring's size is not a power of two";
  if (d->guards.misses < 0 || d->guards.torque_periods < 0) wrong = "a guard's number is too small";
  for (int k = 1; k < d->changes; k++)
    if (d->change[k].at < d->change[k - 1].at)
      wrong = "changes of law are not in the order of time";
  return wrong ? AP__REFUSE(error, AP_E_ARG, 0, "%s", wrong) : AP_OK;
}

ap_status ap_servo_create(const ap_servo_def *def, ap_servo **servo, ap_error *error) {
  *servo = NULL;
  ap_status status = check(def, error);
  if (status) return status;
  ap_servo *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
  if (!s) return ap__no_memory(error);
  memset(s, 0, sizeof *s);
  s->def = *def, s->n = def->rack->axes;
  s->ring.record = calloc((size_t)def->ring, sizeof *s->ring.record); // written once: present
  if (!s->ring.record) {
    free(s);
    return ap__no_memory(error);
  }
  memset(s->ring.record, 1, (size_t)def->ring * sizeof *s->ring.record);
  s->ring.mask = (size_t)def->ring - 1;
  if (def->duration <= 0) s->def.duration = ap_traj_duration(def->reference) + 0.5;
  // A critically damped alpha-beta filter with both poles at exp(-observer * period).
  double pole = exp(-def->observer * def->period);
  s->alpha = 1 - pole * pole, s->beta = (1 - pole) * (1 - pole);
  for (int j = 0; j < s->n; j++) s->resolution[j] = ap_axis_count(&def->axis[j]);
  s->record.phase = AP_PHASE_HOME;
  s->record.stop_axis = s->result.stop_axis = -1;
  s->result.run_began = -1;
  *servo = s;
  return AP_OK;
}

void ap_servo_free(ap_servo *s) {
  if (!s) return;
  free(s->ring.record);
  free(s);
}

bool ap_servo_take(ap_servo *s, ap_servo_record *record) { return ap__ring_take(&s->ring, record); }
void ap_servo_request_stop(ap_servo *s) { atomic_store(&s->stop_asked, true); }
void ap_servo_set_tools(ap_servo *s, uint32_t tools) { atomic_store(&s->tools, tools); }
bool ap_servo_ended(const ap_servo *s) { return atomic_load(&s->ended); }
const ap_servo_result *ap_servo_result_of(const ap_servo *s) { return &s->result; }
const char *ap_servo_remark(const ap_servo *s, int i) {
  return i >= 0 && i < s->remarks ? s->remark[i] : NULL;
}

// ---- phases ------------------------------------------------------------------------------------

static void enter(ap_servo *s, ap_phase phase) {
  s->record.phase = phase;
  s->phase_began = s->t;
}

// The brake is a computed-torque one: every joint follows a constant deceleration from where it was
// last believed to be; a joint whose encoder is not believed is taken to follow it.
void ap__servo_stop(ap_servo *s, ap_stop stop, int axis) {
  if (s->record.stop != AP_STOP_NONE) return;
  s->record.stop = stop, s->record.stop_axis = axis;
  s->result.stop = stop, s->result.stop_axis = axis, s->result.stop_t = s->t;
  bool moves = s->record.phase != AP_PHASE_HOME || s->home == HOME_MOVE;
  enter(s, moves && stop != AP_STOP_DONE ? AP_PHASE_BRAKE : AP_PHASE_SAFE);
  memcpy(s->brake_q, s->q, sizeof s->q);
  memcpy(s->brake_v, s->v, sizeof s->v);
  ap_ctrl_reset(s->def.ctrl, s->brake_q);
  ap_ctrl_switch(s->def.ctrl, AP_LAW_TRACKING, NULL);
}

static void refer_brake(ap_servo *s) {
  double since = s->t - s->phase_began;
  bool rests = true;
  for (int j = 0; j < s->n; j++) {
    double v = s->brake_v[j], ends = fabs(v) / s->def.brake, a = copysign(s->def.brake, -v);
    double time = fmin(since, ends);
    bool moves = since < ends;
    s->qd[j] = s->brake_q[j] + v * time + a * time * time / 2;
    s->vd[j] = moves ? v + a * time : 0;
    s->ad[j] = moves ? a : 0;
    rests = rests && !moves;
    if (s->untrusted >> j & 1) s->q[j] = s->qd[j], s->v[j] = s->vd[j];
  }
  // One period more than the deceleration takes, so that every stop brakes for one at least.
  if ((rests && since >= s->def.period / 2) || since > s->def.brake_time) enter(s, AP_PHASE_SAFE);
}

static void begin_approach(ap_servo *s) {
  double q[AP__AXES], v[AP__AXES], a[AP__AXES], time = 0.1;
  ap_traj_at(s->def.reference, 0, q, v, a);
  for (int j = 0; j < s->n; j++) // 1.875: the largest speed of a rest-to-rest quintic by its mean
    time = fmax(time, 1.875 * fabs(q[j] - s->q[j]) / s->def.approach_speed);
  for (int j = 0; j < s->n; j++) {
    const double from[3] = {s->q[j], 0, 0}, to[3] = {q[j], v[j], a[j]};
    ap__quintic(s->path[j], time, from, to);
    s->stay[j] = (ap__stay){.reference = s->q[j], .mismatch = s->mismatch[j]};
  }
  s->approach_time = time;
  enter(s, AP_PHASE_APPROACH);
}

static void begin_home_move(ap_servo *s) {
  for (int j = 0; j < s->n; j++) {
    double q = s->home_sum[j] / (double)s->home_samples; // position at count 0, so far
    double lower = s->def.guards.lower[j], upper = s->def.guards.upper[j];
    s->zero[j] = q, s->mismatch[j] = 0;
    s->q[j] = s->smooth[j] = s->home_from[j] = q + (s->count[j] + 0.5) * s->resolution[j];
    bool down = isfinite(lower + upper) && s->q[j] > (lower + upper) / 2;
    s->home_way[j] = (down ? -1 : 1) * home_travel * ap_axis_pitch(&s->def.axis[j]);
    s->stay[j] = (ap__stay){.reference = s->q[j]};
  }
  s->home = HOME_MOVE, s->phase_began = s->t;
  ap_ctrl_reset(s->def.ctrl, s->q);
}

// All joints have passed an index pulse: where count 0 is, exactly.
static void end_home(ap_servo *s) {
  for (int j = 0; j < s->n; j++) {
    const ap_rack_input *in = &s->record.input;
    double zero = s->home_sum[j] / (double)s->home_samples, found;
    double here = zero + in->encoder[j] * s->resolution[j];
    if (!(in->indexed >> j & 1) ||
        ap_axis_home(&s->def.axis[j], here, in->encoder[j], in->index[j], &found)) {
      ap__servo_stop(s, AP_STOP_HOMING, j);
      return;
    }
    s->q[j] += found - s->zero[j], s->smooth[j] += found - s->zero[j];
    s->mismatch[j] -= found - s->zero[j];
    s->zero[j] = found;
  }
  begin_approach(s);
}

// A joint that friction has kept from its index pulse goes on, a distance of pulses in each time of
// homing; the others stay.
static void move_to_index(ap_servo *s, uint32_t missing) {
  for (int j = 0; j < s->n; j++) {
    double pitch = ap_axis_pitch(&s->def.axis[j]);
    bool goes = missing >> j & 1;
    s->vd[j] = goes ? copysign(pitch, s->home_way[j]) / s->def.home_time : 0;
    s->qd[j] += s->vd[j] * (s->t - s->before);
    s->ad[j] = 0;
  }
}

static void refer_home(ap_servo *s) {
  double since = s->t - s->phase_began, part = since / s->def.home_time;
  uint32_t missing = ~s->record.input.indexed & ((1u << s->n) - 1);
  for (int j = 0; j < s->n; j++) {
    const ap_rack_input *in = &s->record.input;
    s->home_sum[j] += ap_axis_potentiometer(&s->def.axis[j], in->potentiometer[j]) -
                      (in->encoder[j] + 0.5) * s->resolution[j];
  }
  s->home_samples++;
  if (s->home == HOME_SETTLE) {
    if (since >= settle) begin_home_move(s);
    return;
  }
  if (part >= 1) {
    move_to_index(s, missing);
    if (part >= home_most || (!missing && since >= s->def.home_time + settle)) end_home(s);
    return;
  }
  const double rest[3] = {0, 0, 0}, end[3] = {1, 0, 0};
  double c[AP__POWERS], x[3];
  ap__quintic(c, s->def.home_time, rest, end);
  ap__polynomial_at(c, since, x);
  for (int j = 0; j < s->n; j++) {
    s->qd[j] = s->home_from[j] + s->home_way[j] * x[0];
    s->vd[j] = s->home_way[j] * x[1];
    s->ad[j] = s->home_way[j] * x[2];
  }
}

static void refer_approach(ap_servo *s) {
  double since = s->t - s->phase_began;
  if (since >= s->approach_time) {
    enter(s, AP_PHASE_RUN);
    s->result.run_began = s->t;
    return;
  }
  for (int j = 0; j < s->n; j++) {
    double x[3];
    ap__polynomial_at(s->path[j], since, x);
    s->qd[j] = x[0], s->vd[j] = x[1], s->ad[j] = x[2];
  }
}

static void refer_run(ap_servo *s) {
  double since = s->t - s->phase_began;
  s->record.run_t = since;
  ap_traj_at(s->def.reference, since, s->qd, s->vd, s->ad);
  while (s->changed < s->def.changes && since >= s->def.change[s->changed].at) {
    const ap_servo_switch *change = &s->def.change[s->changed++];
    ap_ctrl_switch(s->def.ctrl, change->law, change->gains);
  }
  if (since > s->def.duration) ap__servo_stop(s, AP_STOP_DONE, -1);
}

static void refer(ap_servo *s) {
  s->record.run_t = -1;
  if (s->record.phase == AP_PHASE_HOME) refer_home(s);
  if (s->record.phase == AP_PHASE_APPROACH) refer_approach(s);
  if (s->record.phase == AP_PHASE_RUN) refer_run(s);
  if (s->record.phase == AP_PHASE_BRAKE) refer_brake(s);
}

// ---- measuring ---------------------------------------------------------------------------------

static void begin(ap_servo *s) {
  for (int j = 0; j < s->n; j++) {
    s->count[j] = s->record.input.encoder[j];
    if (s->def.start) s->zero[j] = s->def.start[j] - (s->count[j] + 0.5) * s->resolution[j];
    s->q[j] = s->smooth[j] = s->qd[j] = s->zero[j] + (s->count[j] + 0.5) * s->resolution[j];
  }
}

static void estimate(ap_servo *s) {
  double span = s->started ? s->t - s->before : 0;
  for (int j = 0; j < s->n; j++) {
    double ahead = s->smooth[j] + s->v[j] * span + s->ad[j] * span * span / 2;
    double v = s->v[j] + s->ad[j] * span;
    bool trusted = !(s->untrusted >> j & 1);
    if (trusted) s->count[j] = s->record.input.encoder[j];
    double seen = s->zero[j] + (s->count[j] + 0.5) * s->resolution[j];
    double off = trusted ? seen - ahead : 0;
    s->smooth[j] = ahead + s->alpha * off;
    s->v[j] = span > 0 ? v + s->beta / span * off : 0;
    s->q[j] = trusted ? seen : ahead;
  }
}

// ---- a period ----------------------------------------------------------------------------------

// True: the torques are finite.
static bool control(ap_servo *s, double *tau) {
  const ap_traj_state reference = {s->qd, s->vd, s->ad};
  ap_ctrl_step(s->def.ctrl, &reference, s->q, s->v, tau);
  for (int j = 0; j < s->n; j++)
    if (!isfinite(tau[j])) return false;
  return true;
}

// Torques of this period; zero where nothing drives.
static bool drive(ap_servo *s, double *tau) {
  memset(tau, 0, AP__AXES * sizeof *tau);
  bool settles = s->record.phase == AP_PHASE_HOME && s->home == HOME_SETTLE;
  if (settles || s->record.phase == AP_PHASE_SAFE) return false;
  bool finite = control(s, tau);
  if (s->record.phase == AP_PHASE_BRAKE) return finite;
  ap_stop before = s->record.stop;
  bool good = ap__guard_torques(s, ap_ctrl_wanted(s->def.ctrl), tau);
  if (s->record.stop == before) return good;
  refer_brake(s); // the brake begins in the period in which its reason is found
  return control(s, tau);
}

static void put_out(ap_servo *s, const double *tau, bool drives) {
  ap_rack_output *out = &s->record.output;
  *out = (ap_rack_output){.brakes = !drives, .tools = atomic_load(&s->tools)};
  for (int j = 0; j < s->n; j++) {
    s->record.tau[j] = drives ? tau[j] : 0;
    out->volt[j] = s->record.tau[j] / s->def.axis[j].torque_per_volt;
  }
  const ap_status status = s->def.rack->write(s->def.rack->context, s->t, out);
  out->failed = status != AP_OK;
  if (status && s->record.phase != AP_PHASE_SAFE) {
    ap__servo_stop(s, AP_STOP_IO, -1);
    enter(s, AP_PHASE_SAFE);
  }
}

static void note_error(ap_servo *s) {
  if (s->record.phase != AP_PHASE_RUN) return;
  s->run_periods++;
  double follow = fmin(1, fmax(s->def.period / smooth_last, 1 / (double)s->run_periods));
  for (int j = 0; j < s->n; j++) {
    double error = s->q[j] - s->qd[j];
    s->square[j] += error * error;
    s->result.rms[j] = sqrt(s->square[j] / (double)s->run_periods);
    s->result.most[j] = fmax(s->result.most[j], fabs(error));
    s->result.last[j] += follow * (error - s->result.last[j]);
  }
}

bool ap__servo_period(ap_servo *s, long number, double t, double late) {
  ap_rack_input in = {0};
  double tau[AP__AXES];
  s->before = s->t, s->t = t;
  s->record.period = number, s->record.t = t;
  ap_status status = s->def.rack->read(s->def.rack->context, t, &in);
  in.late += late;
  if (status) {
    in = s->record.input; // the last ones that came
    in.failed = true;
    s->untrusted = ~0u;
    ap__servo_stop(s, AP_STOP_IO, -1);
  }
  s->record.input = in;
  if (!s->started) begin(s);
  if (!status) ap__guard_inputs(s);
  estimate(s);
  if (!s->started && s->def.start && s->record.phase == AP_PHASE_HOME) {
    s->home = HOME_MOVE; // the arm is not held any more
    ap_ctrl_reset(s->def.ctrl, s->q);
    begin_approach(s);
  }
  s->started = true;
  if (atomic_load(&s->stop_asked)) ap__servo_stop(s, AP_STOP_REQUEST, -1);
  if (s->record.phase == AP_PHASE_APPROACH || s->record.phase == AP_PHASE_RUN) ap__guard_motion(s);
  refer(s);
  bool drives = drive(s, tau);
  if (!drives && s->record.phase == AP_PHASE_BRAKE) enter(s, AP_PHASE_SAFE);
  put_out(s, tau, drives);
  note_error(s);
  return s->record.phase != AP_PHASE_SAFE;
}

void ap__servo_record(ap_servo *s, double compute) {
  ap_servo_record *r = &s->record;
  memcpy(r->q, s->q, sizeof r->q);
  memcpy(r->v, s->v, sizeof r->v);
  memcpy(r->qd, s->qd, sizeof r->qd);
  memcpy(r->vd, s->vd, sizeof r->vd);
  memcpy(r->ad, s->ad, sizeof r->ad);
  r->compute = compute;
  s->result.phase = r->phase;
  s->result.periods++;
  if (!ap__ring_put(&s->ring, r)) s->result.dropped++;
}

bool ap_servo_step(ap_servo *s) {
  return ap_servo_step_at(s, s->result.periods ? s->record.period + 1 : 0);
}

bool ap_servo_step_at(ap_servo *s, long number) {
  if (ap_servo_ended(s)) return false;
  bool goes_on = ap__servo_period(s, number, (double)number * s->def.period, 0);
  ap__servo_record(s, 0);
  if (!goes_on) atomic_store(&s->ended, true);
  return goes_on;
}
