// SPDX-License-Identifier: Apache-2.0
// Stops. One of category 1 decelerates the joints by the drives, under supervision: in every period
// each joint must be where the deceleration leads it, within a band. Whatever is found besides
// makes it a stop of category 0: no torque, brakes on.

#include <math.h>
#include <string.h>

#include "ctrl/ctrl.h"
#include "ctrl/servo.h"

static const double part_of_torque = 0.8; // of the largest torques, for the deceleration of a fault
static const double release = 0.05;       // s in which the drives hand over to the brakes
static const double sag = 5e-4;           // rad or m that a joint may move then
static const double held_speed = 0.2;     // rad/s or m/s of a joint that is held
static const double slack = 0.3;          // of the deceleration that may be missing

const char *ap_stop_name(ap_stop stop) {
  switch (stop) {
#define STOP_NAME(code, name, text, category) \
  case code: return name;
    AP_STOP_LIST(STOP_NAME)
#undef STOP_NAME
  }
  return "";
}

const char *ap_stop_text(ap_stop stop) {
  switch (stop) {
#define STOP_TEXT(code, name, text, category) \
  case code: return text;
    AP_STOP_LIST(STOP_TEXT)
#undef STOP_TEXT
  }
  return "";
}

int ap_stop_category(ap_stop stop) {
  static const int categories[] = {
#define STOP_CATEGORY(code, name, text, category) [code] = (category),
      AP_STOP_LIST(STOP_CATEGORY)
#undef STOP_CATEGORY
  };
  const bool known = (size_t)stop < sizeof categories / sizeof categories[0];
  return known ? categories[stop] : 0;
}

const char *ap_cut_text(ap_cut cut) {
  switch (cut) {
#define CUT_TEXT(code, text) \
  case code: return text;
    AP_CUT_LIST(CUT_TEXT)
#undef CUT_TEXT
  }
  return "";
}

// s that the estimate of a speed is late.
static double delay(const ap_servo *s) { return 2 / s->def.observer; }

// ---- the deceleration --------------------------------------------------------------------------

// The shortest time in which the drives bring all joints to rest together, by the model: in time T
// joint j needs the torque  h_j - (M v)_j / T.  What is faster than the estimate of speeds cannot
// be supervised. Negative: h alone is too much for the drives.
static double shortest_time(ap_servo *s) {
  const ap_model *m = ap_ctrl_model(s->def.ctrl);
  ap_work *w = ap_ctrl_work(s->def.ctrl);
  const double *limit = ap__ctrl_limit(s->def.ctrl);
  double *h = s->work1, *whole = s->work2, *back = s->work3, *passive = s->work4, time = delay(s);
  for (int j = 0; j < s->n; j++) back[j] = -s->v[j];
  ap_bias(m, w, s->q, s->v, h);
  ap_inverse_dynamics(m, w, s->q, s->v, back, whole);
  ap_passive_forces(m, w, s->q, passive);
  for (int j = 0; j < s->n; j++) {
    double stops = whole[j] - h[j] - s->rotor[j] * s->v[j];
    double holds = h[j] + passive[j];
    double rest = part_of_torque * limit[j] - copysign(holds, holds * stops);
    if (!(rest > 0)) return -1;
    time = fmax(time, fabs(stops) / rest);
  }
  return time;
}

// What was asked for takes the deceleration that was asked for, and so does a reference that cannot
// be followed: sensors and drives are beyond doubt. After a fault the drives do what
// they can, where they are done before the brakes would have closed, however late and weak the
// supervision lets them be: then giving up at any moment of the stop costs no more way than closing
// the brakes at once. False: they need longer.
static bool plan(ap_servo *s, ap_stop stop) {
  const bool asked = stop == AP_STOP_REQUEST || stop == AP_STOP_REFERENCE;
  double time = asked ? 0 : shortest_time(s);
  if (time < 0 || time > (1 - slack) * (s->def.brake_close - delay(s))) return false;
  for (int j = 0; j < s->n; j++) {
    s->brake_q[j] = s->q[j], s->brake_v[j] = s->v[j];
    s->brake_up[j] = fmax(copysign(s->ad[j], s->ad[j] * s->v[j]), 0);
    s->brake_a[j] = asked ? s->def.brake : fabs(s->v[j]) / time;
  }
  return true;
}

static bool moves(const ap_servo *s) {
  return s->record.phase != AP_PHASE_HOME || s->home != HOME_SETTLE;
}

static void cut(ap_servo *s, ap_cut why) {
  if (s->record.category == 1 || ap_stop_category(s->record.stop) == 1) s->result.cut = why;
  s->record.category = s->result.category = 0;
  ap__servo_enter(s, AP_PHASE_SAFE);
}

void ap__servo_stop(ap_servo *s, ap_stop stop, int axis) {
  ap__servo_found(s, stop, axis, NAN, NAN, "");
}

void ap__servo_found(ap_servo *s, ap_stop stop, int axis, double value, double limit,
                     const char *unit) {
  if (s->record.stop != AP_STOP_NONE) { // the first reason stays, another one may harden the stop
    if (s->record.phase == AP_PHASE_BRAKE && ap_stop_category(stop) == 0) cut(s, AP_CUT_GUARD);
    return;
  }
  s->record.stop = stop, s->record.stop_axis = axis;
  s->result.stop = stop, s->result.stop_axis = axis, s->result.stop_t = s->t;
  s->result.stop_value = value, s->result.stop_limit = limit, s->result.stop_unit = unit;
  if (stop == AP_STOP_DONE || !moves(s)) {
    s->record.category = s->result.category = 1;
    ap__servo_enter(s, AP_PHASE_SAFE);
  } else if (ap_stop_category(stop) == 1 && plan(s, stop)) {
    s->record.category = s->result.category = 1;
    ap__servo_enter(s, AP_PHASE_BRAKE);
    ap_ctrl_reset(s->def.ctrl, s->brake_q);
    ap_ctrl_switch(s->def.ctrl, AP_LAW_TRACKING, NULL);
  } else {
    cut(s, AP_CUT_SLOW);
  }
}

// At rest the drives hold the joints until the brakes have closed. Then their torques fade; where a
// joint moves, its brake does not hold yet, and the drives hold it on.
static void hold(ap_servo *s) {
  s->holding = true, s->hold_began = s->t, s->released = 0;
  memcpy(s->hold_q, s->q, (size_t)s->n * sizeof *s->q);
}

static void try_brakes(ap_servo *s) {
  double closed = s->t - s->hold_began - s->def.brake_close;
  s->released = fmin(fmax(closed / release, 0), 1);
  for (int j = 0; s->released > 0 && j < s->n; j++)
    if (fabs(s->q[j] - s->hold_q[j]) > sag + 4 * s->resolution[j]) {
      hold(s);
      return;
    }
}

void ap__refer_brake(ap_servo *s) {
  double since = s->t - s->phase_began;
  bool rests = true;
  for (int j = 0; j < s->n; j++) {
    double v = s->brake_v[j], most = s->brake_a[j];
    double ends = most > 0 ? fabs(v) / most : 0, a = copysign(most, -v);
    double time = fmin(since, ends);
    bool goes = since < ends;
    s->qd[j] = s->brake_q[j] + v * time + a * time * time / 2;
    s->vd[j] = goes ? v + a * time : 0;
    s->ad[j] = goes ? a : 0;
    rests = rests && !goes;
  }
  // One period more than the deceleration takes, so that every stop brakes for one at least.
  if (!s->holding && rests && since >= s->def.period / 2) hold(s);
  if (s->holding) try_brakes(s);
  if (since > s->def.brake_time || s->released >= 1) ap__servo_enter(s, AP_PHASE_SAFE);
}

// ---- supervision -------------------------------------------------------------------------------

// Does joint j decelerate? Its speed, in the direction in which the stop began, may exceed what was
// asked for a delay ago by a part of the deceleration; its way the planned one likewise; both by
// what the encoder leaves open.
static bool decelerates(const ap_servo *s, int j) {
  if (s->holding) return fabs(s->v[j]) <= fmax(fabs(s->brake_v[j]) / 2, held_speed);
  double since = s->t - s->phase_began, late = delay(s), v = fabs(s->brake_v[j]);
  double way = s->brake_v[j] < 0 ? -1 : 1, a = (1 - slack) * s->brake_a[j];
  double blur = ap__servo_speed_noise(s, j), up = s->brake_up[j] * late;
  double fast = fmax(v - a * fmax(since - late, 0), 0) + up + blur;
  double planned = a > 0 ? v * v / (2 * a) + (v + up) * late : 0;
  double off = 4 * s->resolution[j] + blur * late, gone = way * (s->q[j] - s->brake_q[j]);
  return way * s->v[j] <= fast && -way * s->v[j] <= slack * v + up + blur &&
         gone <= planned + off && gone >= -(planned / 2 + off);
}

void ap__guard_brake(ap_servo *s) {
  for (int j = 0; j < s->n; j++)
    if (!decelerates(s, j)) {
      cut(s, AP_CUT_ASTRAY);
      return;
    }
}
