// SPDX-License-Identifier: Apache-2.0
// The control loop, one period at a time: read, guard, estimate, refer, control, guard, write.

#include "ctrl/servo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctrl/ctrl.h"
#include "file/robot.h"

static const double settle = 0.1;        // s that potentiometers are read before anything moves
static const double home_travel = 1.1;   // of the way between two index pulses
static const double home_most = 4;       // times of homing that a joint may take to its index pulse
static const double smooth_last = 0.1;   // s
static const double hold_end = 0.5;      // s that the end of a reference is held
static const double enabling = 1;        // s that drives may take until they are enabled
static const double after_brakes = 0.15; // s that the arm is watched once its brakes have closed
static const int most_tries = 10; // periods in which brakes are commanded that were not taken

const char *ap_phase_name(ap_phase phase) {
  static const char *const name[] = {"home", "approach", "run", "brake", "safe"};
  return (unsigned)phase < sizeof name / sizeof name[0] ? name[phase] : "";
}

ap_servo_def ap_default_servo(void) {
  return (ap_servo_def){.period = 1e-3,
                        .home_time = 2,
                        .approach_speed = 0.5,
                        .observer = 200,
                        .brake = 5,
                        .brake_time = 2,
                        .brake_close = 0.03,
                        .guards = ap_default_guards(),
                        .ring = 8192,
                        .cookie = AP_COOKIE};
}

// ---- making ------------------------------------------------------------------------------------

static ap_status check(const ap_servo_def *d, ap_error *error) {
  if (!AP_STARTS_FROM(ap_default_servo, d, error) ||
      !AP_STARTS_FROM(ap_default_guards, &d->guards, error))
    return AP_E_ARG;
  int n = ap_nv(ap_ctrl_model(d->ctrl));
  int coordinates = d->stream ? ap_stream_n(d->stream) : ap_traj_n(d->reference);
  if (d->rack->axes != n || coordinates != n)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "the robot has %d joints, the rack %d axes, the reference %d coordinates "
                      "(all three must agree)",
                      n, d->rack->axes, coordinates);
  for (int j = 0; j < n; j++)
    if (ap__axis_check(&d->axis[j], j, error)) return AP_E_ARG;
  const char *wrong = NULL;
  if (!(d->period > 0 && d->period <= 1)) wrong = "the period is not between 0 and 1 s";
  if (!(d->duration >= 0 && d->duration <= 1e6)) wrong = "the duration is negative or too long";
  if (!(d->home_time > 0 && d->approach_speed > 0))
    wrong = "the duration of homing or approach is not positive";
  if (!(d->observer > 0 && d->brake > 0 && d->brake_time > 0 && d->brake_close >= 0))
    wrong = "the observer, or the brake's deceleration or time, is not positive";
  if (d->ring < 2 || (d->ring & (d->ring - 1))) wrong = "the ring's size is not a power of two";
  if (d->guards.misses < 0 || d->guards.torque_periods < 0) wrong = "a guard's number is too small";
  for (int k = 1; k < d->changes; k++)
    if (d->change[k].at < d->change[k - 1].at)
      wrong = "changes of law are not in the order of time";
  return wrong ? AP__REFUSE(error, AP_E_ARG, 0, "%s", wrong) : AP_OK;
}

// Between the limits of joint j; a joint that turns without limits has one turn of its own to tell
// apart.
static double range_of(const ap_servo *s, int j) {
  const double range = s->upper[j] - s->lower[j];
  const ap_model *m = ap_ctrl_model(s->def.ctrl);
  if (isfinite(range)) return range;
  for (int i = 1; i < ap_nbody(m); i++)
    if (ap_joint_v(m, i) == j && ap_body(m, i)->joint == AP_REVOLUTE) return 2 * acos(-1.0);
  return 0;
}

// Whether an absolute encoder tells all positions of its joint apart.
static ap_status check_range(const ap_servo *s, ap_error *error) {
  for (int j = 0; j < s->n; j++) {
    const ap_axis *a = &s->def.axis[j];
    double range = range_of(s, j), all = ap_axis_pitch(a) * a->turns;
    if (a->encoder == AP_ENCODER_ABSOLUTE && range > all * (1 + 1e-9))
      return AP__REFUSE(
          error, AP_E_ARG, 0,
          "axis %d: the absolute encoder repeats every %.4g rad, the joint's range is "
          "%.4g rad (more turns, or narrower limits)",
          j + 1, all, range);
  }
  return AP_OK;
}

static ap_status prepare(ap_servo *s, ap_error *error) {
  const ap_servo_def *d = &s->def;
  for (int j = 0; j < s->n; j++) {
    const ap_axis *a = &d->axis[j];
    s->resolution[j] = ap_axis_count(a);
    s->homes = s->homes || (!d->start && a->encoder == AP_ENCODER_INCREMENTAL);
    s->senses = s->senses || a->torque_sensor;
    s->noisy = s->noisy || a->torque_sensor || a->encoder == AP_ENCODER_INCREMENTAL;
  }
  ap__guards_begin(s);
  ap_status status = check_range(s, error);
  if (!status) status = ap__momentum_create(s, error);
  if (status) return status;
  s->stream_ended = -1;
  if (d->duration <= 0)
    s->def.duration = d->stream ? INFINITY : ap_traj_duration(d->reference) + hold_end;
  // A critically damped alpha-beta filter with both poles at exp(-observer * period).
  double pole = exp(-d->observer * d->period);
  s->alpha = 1 - pole * pole, s->beta = (1 - pole) * (1 - pole);
  s->record.phase = AP_PHASE_HOME;
  s->record.stop_axis = s->result.stop_axis = s->record.category = s->result.category = -1;
  s->result.run_began = s->result.brakes_t = -1;
  s->result.stop_value = s->result.stop_limit = NAN, s->result.stop_unit = "";
  s->result.rms = s->rms, s->result.most = s->most, s->result.last = s->last;
  s->result.coast_way = s->coast_way, s->result.coast_speed = s->coast_speed;
  for (int j = 0; j < s->n; j++) s->coast_way[j] = s->coast_speed[j] = NAN;
  return AP_OK;
}

ap_status ap_servo_create(const ap_servo_def *def, ap_servo **servo, ap_error *error) {
  *servo = NULL;
  ap_status status = check(def, error);
  if (status) return status;
  ap_servo *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
  if (!s) return ap__no_memory(error);
  memset(s, 0, sizeof *s);
  s->def = *def;
  status = ap__servo_allocate(s, def->rack->axes, def->ring, error);
  if (!status) status = prepare(s, error);
  if (status)
    ap_servo_free(s);
  else
    *servo = s;
  return status;
}

void ap_servo_free(ap_servo *s) {
  if (!s) return;
  ap__servo_release(s);
  free(s);
}

bool ap_servo_take(ap_servo *s, ap_servo_record *record) {
  const bool more = ap__ring_take(&s->ring, &s->taken);
  if (more) *record = s->taken;
  return more;
}

void ap_servo_request_stop(ap_servo *s) { atomic_store(&s->stop_asked, true); }
void ap_servo_set_tools(ap_servo *s, uint32_t tools) { atomic_store(&s->tools, tools); }
bool ap_servo_ended(const ap_servo *s) { return atomic_load(&s->ended); }
const ap_servo_result *ap_servo_result_of(const ap_servo *s) { return &s->result; }
const char *ap_servo_remark(const ap_servo *s, int i) {
  return i >= 0 && i < s->remarks ? s->remark[i] : NULL;
}

// ---- phases ------------------------------------------------------------------------------------

void ap__servo_enter(ap_servo *s, ap_phase phase) {
  s->record.phase = phase;
  s->phase_began = s->t;
}

// Where the reference begins; false: not known yet.
static bool reference_begins(ap_servo *s, double *q, double *v, double *a) {
  if (!s->def.stream) {
    ap_traj_at(s->def.reference, 0, q, v, a);
    return true;
  }
  const ap_stream_state state = s->fed ? AP_STREAM_EMPTY : ap_stream_at(s->def.stream, 0, q, v, a);
  return state == AP_STREAM_FOLLOWS || state == AP_STREAM_ENDED;
}

// A stream that has not begun: the arm is held where it is.
static void begin_approach(ap_servo *s) {
  double *q = s->work1, *v = s->work2, *a = s->work3, time = 0.1;
  const double *here = s->waits ? s->qd : s->q;
  s->waits = !reference_begins(s, q, v, a);
  if (s->waits) {
    memcpy(s->qd, here, (size_t)s->n * sizeof *q);
    if (s->record.phase != AP_PHASE_APPROACH) ap__servo_enter(s, AP_PHASE_APPROACH);
    return;
  }
  for (int j = 0; j < s->n; j++) // 1.875: the largest speed of a rest-to-rest quintic by its mean
    time = fmax(time, 1.875 * fabs(q[j] - here[j]) / s->def.approach_speed);
  for (int j = 0; j < s->n; j++) {
    const double from[3] = {here[j], 0, 0}, to[3] = {q[j], v[j], a[j]};
    ap__quintic(s->path[j], time, from, to);
    s->stay[j] = (ap__stay){.reference = s->q[j], .mismatch = s->mismatch[j]};
  }
  s->approach_time = time;
  ap__servo_enter(s, AP_PHASE_APPROACH);
}

bool ap__servo_seeks(const ap_servo *s, int j) {
  return s->def.axis[j].encoder == AP_ENCODER_INCREMENTAL &&
         !(s->record.input.status[j] & AP_AXIS_INDEXED);
}

static bool seeks(const ap_servo *s) {
  for (int j = 0; j < s->n; j++)
    if (ap__servo_seeks(s, j)) return true;
  return false;
}

// The arm is held until all drives that report their state are enabled.
static bool all_enabled(const ap_servo *s) {
  for (int j = 0; j < s->n; j++) {
    const uint32_t status = s->record.input.status[j];
    if ((status & AP_AXIS_REPORTS) && !(status & AP_AXIS_ENABLED)) return false;
  }
  return true;
}

static void begin_home_move(ap_servo *s) {
  for (int j = 0; j < s->n; j++) {
    s->home_from[j] = s->q[j], s->home_way[j] = 0, s->qd[j] = s->q[j];
    if (s->def.axis[j].encoder == AP_ENCODER_ABSOLUTE) continue;
    double q = s->home_sum[j] / (double)s->home_samples; // position at count 0, so far
    double lower = s->lower[j], upper = s->upper[j];
    s->zero[j] = q, s->mismatch[j] = 0;
    s->home_from[j] = q + (s->count[j] + 0.5) * s->resolution[j];
    s->q[j] = s->smooth[j] = s->qd[j] = s->home_from[j];
    bool down = isfinite(lower + upper) && s->q[j] > (lower + upper) / 2;
    s->home_way[j] = (down ? -1 : 1) * home_travel * ap_axis_pitch(&s->def.axis[j]);
    s->stay[j] = (ap__stay){.reference = s->q[j]};
  }
  s->home = all_enabled(s) ? HOME_MOVE : HOME_ENABLE, s->phase_began = s->t;
  ap_ctrl_reset(s->def.ctrl, s->q);
  ap__momentum_begin(s);
}

// All joints have passed an index pulse: where count 0 is, exactly.
static void end_home(ap_servo *s) {
  for (int j = 0; j < s->n; j++) {
    const ap_rack_input *in = &s->record.input;
    if (s->def.axis[j].encoder == AP_ENCODER_ABSOLUTE) continue;
    double zero = s->home_sum[j] / (double)s->home_samples, found;
    double here = zero + in->encoder[j] * s->resolution[j];
    if (ap__servo_seeks(s, j) ||
        ap_axis_home(&s->def.axis[j], here, in->encoder[j], in->index[j], &found)) {
      ap__servo_stop(s, AP_STOP_HOMING, j);
      return;
    }
    double off = found - s->zero[j];
    s->q[j] += off, s->smooth[j] += off, s->seen_q[j] += off, s->mismatch[j] -= off;
    s->zero[j] = found;
  }
  begin_approach(s);
}

// A joint that friction has kept from its index pulse goes on, a distance of pulses in each time of
// homing; the others stay.
static void move_to_index(ap_servo *s) {
  for (int j = 0; j < s->n; j++) {
    double pitch = ap_axis_pitch(&s->def.axis[j]);
    bool goes = ap__servo_seeks(s, j);
    s->vd[j] = goes ? copysign(pitch, s->home_way[j]) / s->def.home_time : 0;
    s->qd[j] += s->vd[j] * (s->t - s->before);
    s->ad[j] = 0;
  }
}

static void refer_home(ap_servo *s) {
  double since = s->t - s->phase_began, part = since / s->def.home_time;
  if (s->home == HOME_ENABLE) return;
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
    move_to_index(s);
    if (part >= home_most || (!seeks(s) && since >= s->def.home_time + settle)) end_home(s);
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

void ap__servo_feed(ap_servo *s, const ap__fed *fed) { s->fed = fed; }

// What a stream led to in the period of the log.
static void follow_log(ap_servo *s) {
  const ap__fed *f = s->fed;
  if (s->record.phase == AP_PHASE_APPROACH && f->phase == AP_PHASE_RUN) {
    ap__servo_enter(s, AP_PHASE_RUN);
    s->result.run_began = s->t, s->record.run_t = 0;
  }
  if (f->stop == AP_STOP_REFERENCE || f->stop == AP_STOP_DONE) {
    ap__servo_stop(s, f->stop, f->stop_axis);
    return;
  }
  const size_t bytes = (size_t)s->n * sizeof *s->qd;
  memcpy(s->qd, f->q, bytes);
  memcpy(s->vd, f->v, bytes);
  memcpy(s->ad, f->a, bytes);
}

static void refer_approach(ap_servo *s) {
  if (s->fed) {
    follow_log(s);
    return;
  }
  if (s->waits) begin_approach(s);
  if (s->waits) {
    for (int j = 0; j < s->n; j++) s->vd[j] = s->ad[j] = 0;
    if (ap__stream_never_begins(s->def.stream)) ap__servo_stop(s, AP_STOP_REFERENCE, -1);
    return;
  }
  double since = s->t - s->phase_began;
  if (since >= s->approach_time) {
    ap__servo_enter(s, AP_PHASE_RUN);
    s->result.run_began = s->t;
    return;
  }
  for (int j = 0; j < s->n; j++) {
    double x[3];
    ap__polynomial_at(s->path[j], since, x);
    s->qd[j] = x[0], s->vd[j] = x[1], s->ad[j] = x[2];
  }
}

static void refer_stream(ap_servo *s, double since) {
  const ap_stream_state state = ap_stream_at(s->def.stream, since, s->qd, s->vd, s->ad);
  if (state == AP_STREAM_ENDED && s->stream_ended < 0) s->stream_ended = since;
  if (state == AP_STREAM_STARVES || state == AP_STREAM_EMPTY)
    ap__servo_stop(s, AP_STOP_REFERENCE, -1);
  if (s->stream_ended >= 0 && since > s->stream_ended + hold_end)
    ap__servo_stop(s, AP_STOP_DONE, -1);
}

static void refer_run(ap_servo *s) {
  double since = s->t - s->phase_began;
  s->record.run_t = since;
  if (s->fed)
    follow_log(s);
  else if (s->def.stream)
    refer_stream(s, since);
  else
    ap_traj_at(s->def.reference, since, s->qd, s->vd, s->ad);
  while (s->changed < s->def.changes && since >= s->def.change[s->changed].at) {
    const ap_servo_switch *change = &s->def.change[s->changed++];
    ap_ctrl_switch(s->def.ctrl, change->law, change->gains);
  }
  if (since > s->def.duration && !s->fed) ap__servo_stop(s, AP_STOP_DONE, -1);
}

static void refer(ap_servo *s) {
  s->record.run_t = -1;
  if (s->record.phase == AP_PHASE_HOME) refer_home(s);
  if (s->record.phase == AP_PHASE_APPROACH) refer_approach(s);
  if (s->record.phase == AP_PHASE_RUN) refer_run(s);
  if (s->record.phase == AP_PHASE_BRAKE) ap__refer_brake(s);
}

// ---- measuring ---------------------------------------------------------------------------------

double ap__servo_count(const ap_servo *s, int j, int32_t reading, double near) {
  const ap_axis *a = &s->def.axis[j];
  return a->encoder == AP_ENCODER_ABSOLUTE ? ap_axis_unwrap(a, reading, near) : reading;
}

// The first count. That of an absolute encoder is the one nearest to the middle of the joint's
// range, or to zero where it has none.
static void begin(ap_servo *s) {
  for (int j = 0; j < s->n; j++) {
    const ap_axis *a = &s->def.axis[j];
    const bool absolute = a->encoder == AP_ENCODER_ABSOLUTE;
    double middle = (s->lower[j] + s->upper[j]) / 2;
    if (!isfinite(middle)) middle = 0;
    s->count[j] = ap__servo_count(s, j, s->record.input.encoder[j],
                                  (middle - a->index_at) / s->resolution[j]);
    if (absolute) s->zero[j] = a->index_at;
    if (!absolute && s->def.start)
      s->zero[j] = s->def.start[j] - (s->count[j] + 0.5) * s->resolution[j];
    s->q[j] = s->smooth[j] = s->qd[j] = s->zero[j] + (s->count[j] + 0.5) * s->resolution[j];
    s->same_from[j] = s->qd[j];
  }
}

static void estimate(ap_servo *s) {
  double span = s->started ? s->t - s->before : 0;
  for (int j = 0; j < s->n; j++) {
    double ahead = s->smooth[j] + s->v[j] * span + s->ad[j] * span * span / 2;
    double v = s->v[j] + s->ad[j] * span;
    s->count[j] = ap__servo_count(s, j, s->record.input.encoder[j], s->count[j]);
    double seen = s->zero[j] + (s->count[j] + 0.5) * s->resolution[j];
    double off = seen - ahead;
    s->smooth[j] = ahead + s->alpha * off;
    s->v[j] = span > 0 ? v + s->beta / span * off : 0;
    s->q[j] = seen;
  }
}

// ---- a period ----------------------------------------------------------------------------------

// True: the torques are finite.
static bool control(ap_servo *s, double *tau) {
  const ap_traj_state reference = {s->qd, s->vd, s->ad};
  ap_ctrl_step(s->def.ctrl, &reference, s->q, s->v, tau);
  memcpy(s->asked, ap_ctrl_wanted(s->def.ctrl), (size_t)s->n * sizeof *tau);
  const ap_phase phase = s->record.phase;
  if (s->def.law && (phase == AP_PHASE_APPROACH || phase == AP_PHASE_RUN))
    ap__servo_own_law(s, tau);
  for (int j = 0; j < s->n; j++)
    if (!isfinite(tau[j])) return false;
  return true;
}

// Torques of this period; zero where nothing drives.
static bool drive(ap_servo *s, double *tau) {
  memset(tau, 0, (size_t)s->n * sizeof *tau);
  bool settles = s->record.phase == AP_PHASE_HOME && s->home == HOME_SETTLE;
  if (settles || s->record.phase == AP_PHASE_SAFE) return false;
  bool finite = control(s, tau);
  if (s->record.phase == AP_PHASE_BRAKE) return finite;
  return ap__guard_torques(s, s->asked, tau);
}

static void put_out(ap_servo *s, const double *tau, bool drives) {
  ap_rack_output *out = &s->record.output;
  bool brakes = !drives || s->holding;
  out->brakes = brakes, out->tools = atomic_load(&s->tools), out->failed = false;
  for (int j = 0; j < s->n; j++) {
    s->record.tau[j] = drives ? (1 - s->released) * tau[j] : 0;
    out->command[j] = s->record.tau[j] / ap_axis_gain(&s->def.axis[j]);
  }
  const ap_status status = s->def.rack->write(s->def.rack->context, s->t, out);
  out->failed = status != AP_OK;
  bool first = s->record.stop != AP_STOP_NONE && brakes && s->result.brakes_t < 0;
  if (first && !status) s->result.brakes_t = s->t;
  if (status) ap__servo_stop(s, AP_STOP_IO, -1);
}

static void note_error(ap_servo *s) {
  if (s->record.phase != AP_PHASE_RUN) return;
  s->run_periods++;
  double follow = fmin(1, fmax(s->def.period / smooth_last, 1 / (double)s->run_periods));
  for (int j = 0; j < s->n; j++) {
    double error = s->q[j] - s->qd[j];
    s->square[j] += error * error;
    s->rms[j] = sqrt(s->square[j] / (double)s->run_periods);
    s->most[j] = fmax(s->most[j], fabs(error));
    s->last[j] += follow * (error - s->last[j]);
  }
}

// The inputs of this period, guarded, and what follows from them.
static void measure(ap_servo *s, double late) {
  ap_rack_input *in = &s->read;
  in->late = 0, in->failed = false;
  ap_status status = s->def.rack->read(s->def.rack->context, s->t, in);
  in->late += late;
  if (status) { // the last ones that came
    ap_rack_input_copy(s->n, &s->record.input, in);
    in->failed = true;
    ap__servo_stop(s, AP_STOP_IO, -1);
  }
  if (!status && s->started) ap__guard_stale(s, in);
  ap_rack_input_copy(s->n, in, &s->record.input);
  if (!s->started) begin(s);
  if (!status) ap__guard_inputs(s);
  estimate(s);
}

// The positions are known: hold them, and off to the beginning of the reference.
static void begin_known(ap_servo *s) {
  ap_ctrl_reset(s->def.ctrl, s->q);
  ap__momentum_begin(s);
  begin_approach(s);
}

// What the first periods do.
static void begin_home(ap_servo *s) {
  if (!s->started) {
    s->home = s->homes ? HOME_SETTLE : HOME_ENABLE;
    if (!s->homes) ap_ctrl_reset(s->def.ctrl, s->q);
  }
  if (s->home != HOME_ENABLE || s->record.phase != AP_PHASE_HOME) return;
  if (all_enabled(s)) {
    s->home = HOME_MOVE, s->phase_began = s->t; // the arm is not held any more
    if (!s->homes) begin_known(s);
  } else if (s->t - s->phase_began > enabling) {
    for (int j = 0; j < s->n; j++)
      if (!(s->record.input.status[j] & AP_AXIS_ENABLED)) ap__servo_stop(s, AP_STOP_DRIVE, j);
  }
}

bool ap__servo_period(ap_servo *s, long number, double t, double late) {
  double *tau = s->tau, *before = s->before_q;
  s->before = s->t, s->t = t;
  s->record.period = number, s->record.t = t;
  measure(s, late);
  if (s->record.phase == AP_PHASE_HOME) begin_home(s);
  if (s->record.phase != AP_PHASE_SAFE) ap__guard_momentum(s);
  s->started = true;
  if (atomic_load(&s->stop_asked)) ap__servo_stop(s, AP_STOP_REQUEST, -1);
  if (s->record.phase == AP_PHASE_APPROACH || s->record.phase == AP_PHASE_RUN) ap__guard_motion(s);
  memcpy(before, s->qd, (size_t)s->n * sizeof *before);
  const ap_phase phase = s->record.phase;
  refer(s);
  const bool follows = phase == AP_PHASE_APPROACH || phase == AP_PHASE_RUN;
  if (follows && phase == s->record.phase) ap__guard_reference(s, before);
  if (s->record.phase == AP_PHASE_BRAKE) ap__guard_brake(s);
  bool drives = drive(s, tau);
  if (s->record.phase == AP_PHASE_BRAKE && !drives) ap__servo_stop(s, AP_STOP_NOT_A_NUMBER, -1);
  put_out(s, tau, drives && s->record.phase != AP_PHASE_SAFE);
  note_error(s);
  // Where the outputs did not get through, the brakes are tried for a while.
  return s->record.phase != AP_PHASE_SAFE || (s->record.output.failed && s->tries++ < most_tries);
}

void ap__servo_record(ap_servo *s, double compute) {
  ap_servo_record *r = &s->record;
  const double *const from[] = {s->q, s->v, s->qd, s->vd, s->ad};
  double *const to[] = {r->q, r->v, r->qd, r->vd, r->ad};
  for (size_t k = 0; k < sizeof to / sizeof to[0]; k++)
    memcpy(to[k], from[k], (size_t)s->n * sizeof *to[k]);
  r->compute = compute;
  s->result.phase = r->phase;
  s->result.periods++;
  if (!ap__ring_put(&s->ring, r)) s->result.dropped++;
}

// ---- after the end -----------------------------------------------------------------------------

bool ap__servo_coasts(const ap_servo *s) {
  return s->record.phase == AP_PHASE_SAFE && s->result.category == 0 && s->result.brakes_t >= 0 &&
         isnan(s->coast_way[0]);
}

static void forget_coast(ap_servo *s) {
  for (int j = 0; j < s->n; j++) s->coast_way[j] = s->coast_speed[j] = NAN;
}

// The outputs are those of the stop. A rack that fails leaves the motion unknown.
bool ap__servo_coast(ap_servo *s, double t) {
  const ap_rack *rack = s->def.rack;
  if (isnan(s->coast_way[0]))
    for (int j = 0; j < s->n; j++)
      s->coast_from[j] = s->q[j], s->coast_way[j] = 0, s->coast_speed[j] = fabs(s->v[j]);
  s->before = s->t, s->t = t;
  memset(s->ad, 0, (size_t)s->n * sizeof *s->ad);
  if (rack->read(rack->context, t, &s->record.input) ||
      rack->write(rack->context, t, &s->record.output)) {
    forget_coast(s);
    return false;
  }
  estimate(s);
  for (int j = 0; j < s->n; j++) {
    s->coast_way[j] = fmax(s->coast_way[j], fabs(s->q[j] - s->coast_from[j]));
    s->coast_speed[j] = fmax(s->coast_speed[j], fabs(s->v[j]));
  }
  return t - s->result.brakes_t < s->def.brake_close + after_brakes;
}

void ap_servo_coast(ap_servo *s) {
  if (!ap_servo_ended(s) || !ap__servo_coasts(s)) return;
  for (long k = s->record.period + 1; ap__servo_coast(s, (double)k * s->def.period); k++) continue;
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
