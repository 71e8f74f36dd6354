// SPDX-License-Identifier: Apache-2.0
// Faults injected into simulated arms, and the motion that follows them. The measure is a stop of
// category 0 that begins when the documented detection time of the fault has passed: the same run
// without guards, whose brakes are commanded at that moment.

#ifndef APPELL_TESTS_FAULTS_H
#define APPELL_TESTS_FAULTS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctrl/control.h"
#include "ctrl/servo.h"

enum { FAULT_ROBOTS = 3, FAULT_PERIODS = 4000, FAULT_N = 8 };

static const char *const fault_robot[FAULT_ROBOTS] = {"puma", "ur10", "iiwa"};

// What the amount of a fault is measured in: itself, the joint's largest torque, radians of joint
// motion (counts or volts follow), metres of the tool.
typedef enum fault_unit { AS_IT_IS, OF_TORQUE, IN_RADIANS, IN_VOLTS_OF_RADIANS } fault_unit;

typedef struct fault_row {
  const char *name;
  ap_rack_fault_kind kind;
  double least, most; // amount; a random sign where `signed`
  fault_unit unit;
  bool has_sign, hot; // hot: a motor's thermo signal comes on at that moment, too
  double detection;   // s, as documented, from the moment at which the fault has led a joint so far
  double deviation;   // rad from where it would be without, or made it ten times as much in rad/s
                      // faster; 0: from the fault on
} fault_row;

// docs/control.md has this table.
static const fault_row fault_rows[] = {
    {"drive reversed", AP_FAULT_AMPLIFIER, -1, -1, AS_IT_IS, false, false, 0.02, 0.01},
    {"drive dead", AP_FAULT_AMPLIFIER, 0, 0, AS_IT_IS, false, false, 0.02, 0.04},
    {"drive at half gain", AP_FAULT_AMPLIFIER, 0.5, 0.5, AS_IT_IS, false, false, 0.02, 0.05},
    {"drive at triple gain", AP_FAULT_AMPLIFIER, 3, 3, AS_IT_IS, false, false, 0.02, 0.05},
    {"output stuck", AP_FAULT_OUTPUT, 5, 10, AS_IT_IS, true, false, 0.02, 0.02},
    {"encoder polarity", AP_FAULT_ENCODER_POLARITY, 0, 0, AS_IT_IS, false, false, 0.02, 0.01},
    {"encoder jumps", AP_FAULT_ENCODER_JUMP, 0.03, 0.2, IN_RADIANS, true, false, 0.001, 0},
    {"encoder stuck", AP_FAULT_ENCODER_STUCK, 0, 0, AS_IT_IS, false, false, 0.05, 0.12},
    {"encoder drifts", AP_FAULT_ENCODER_DRIFT, 0.3, 1, IN_RADIANS, true, false, 0.05, 0.12},
    {"counts are lost", AP_FAULT_ENCODER_LOSS, 0.3, 1, AS_IT_IS, false, false, 0.05, 0.12},
    {"encoder noise", AP_FAULT_ENCODER_NOISE, 0.001, 0.01, IN_RADIANS, false, false, 0.02, 0.01},
    {"inputs frozen", AP_FAULT_FROZEN, 0, 0, AS_IT_IS, false, false, 0.008, 0},
    {"potentiometer off", AP_FAULT_POTENTIOMETER, 0.2, 0.5, IN_VOLTS_OF_RADIANS, true, false, 0.02,
     0},
    {"potentiometer drifts", AP_FAULT_POTENTIOMETER_DRIFT, 2, 5, IN_VOLTS_OF_RADIANS, true, false,
     0.1, 0},
    {"not a number", AP_FAULT_NOT_A_NUMBER, 0, 0, AS_IT_IS, false, false, 0.001, 0},
    {"motor hot", AP_FAULT_THERMO, 0, 0, AS_IT_IS, false, false, 0.001, 0},
    {"readings late", AP_FAULT_LATE, 0.002, 0.02, AS_IT_IS, false, false, 0.005, 0},
    {"process stalls", AP_FAULT_STALL, 0.05, 0.2, AS_IT_IS, false, false, 0.02, 0},
    {"reading fails", AP_FAULT_READ, 0, 0, AS_IT_IS, false, false, 0.001, 0},
    {"writing fails", AP_FAULT_WRITE, 0, 0, AS_IT_IS, false, false, 0.02, 0},
    {"push", AP_FAULT_PUSH, 0.4, 1, OF_TORQUE, true, false, 0.02, 0.02},
    {"collision", AP_FAULT_COLLISION, 20, 100, OF_TORQUE, false, false, 0.02, 0.05},
    {"payload changes", AP_FAULT_PAYLOAD, 5, 15, AS_IT_IS, false, false, 0.02, 0.02},
    {"motor hot, brake slips", AP_FAULT_BRAKE_SLIP, 0.1, 0.5, AS_IT_IS, false, true, 0.001, 0},
    {"motor hot, brake late", AP_FAULT_BRAKE_LATE, 0.05, 0.2, AS_IT_IS, false, true, 0.001, 0},
};
enum { FAULT_ROWS = sizeof fault_rows / sizeof fault_rows[0] };

typedef struct fault_case {
  int robot, row, axis;
  double at; // s of the run
  double amount;
  unsigned seed;
} fault_case;

typedef struct fault_outcome {
  ap_stop stop;
  int stop_axis, category, n;
  double found, brakes;                  // s after the fault; negative: never
  double onset;                          // s after the fault, likewise
  double peak[FAULT_N], travel[FAULT_N]; // after the fault: rad/s, rad
  double energy;                         // J, largest kinetic
  bool false_alarm;                      // the run without the fault did not complete
  double off;                            // rad: the largest true error of a reference after it
  double count[FAULT_N];                 // rad
} fault_outcome;

static double fault_random(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 24);
}

static ap_control *fault_open(const fault_case *c, bool guarded) {
  char path[80];
  ap_error error = {0};
  ap_control *control = NULL;
  snprintf(path, sizeof path, "models/control/%s_quintic.yaml", fault_robot[c->robot]);
  if (ap_control_read(path, NULL, &control, &error) != AP_OK) {
    printf("%s:%d: %s\n", path, error.line, error.text);
    exit(1);
  }
  control->sim.step = 1e-3;
  control->sim.seed = c->seed;
  control->servo_def.ring = 64;
  if (guarded) return control;
  static double none[FAULT_N], least[FAULT_N];
  ap_guards *g = &control->servo_def.guards;
  *g = ap_default_guards();
  g->misses = 0;
  g->jump = g->stuck = g->mismatch = g->stale = g->following = INFINITY;
  for (int j = 0; j < FAULT_N; j++) none[j] = INFINITY, least[j] = -INFINITY;
  g->lower = least, g->upper = g->velocity = g->torque = g->residual = none;
  return control;
}

// A fault of this row, somewhere in the motion.
static fault_case fault_draw(int robot, int row, unsigned *seed) {
  const fault_row *r = &fault_rows[row];
  fault_case c = {.robot = robot, .row = row, .seed = *seed >> 8};
  ap_control *control = fault_open(&c, true);
  c.at = 0.1 + 0.05 + 1.4 * fault_random(seed);
  c.axis = (int)(fault_random(seed) * control->n);
  c.amount = r->least + (r->most - r->least) * fault_random(seed);
  if (r->has_sign && fault_random(seed) < 0.5) c.amount = -c.amount;
  const ap_axis *a = &control->axis[c.axis];
  if (r->unit == OF_TORQUE) c.amount *= control->torque[c.axis];
  if (r->unit == IN_RADIANS) c.amount /= ap_axis_count(a);
  if (r->unit == IN_VOLTS_OF_RADIANS) c.amount *= a->pot_gain;
  ap_control_free(control);
  return c;
}

// One moment of the true motion after the fault.
static void fault_see(const ap_control *control, ap_work *work, const double *q, const double *v,
                      const double *from, bool driven, fault_outcome *o) {
  double M[FAULT_N * FAULT_N], energy = 0;
  int n = control->n;
  ap_inertia_matrix(control->true_model, work, q, M);
  for (int j = 0; j < n; j++) {
    o->peak[j] = fmax(o->peak[j], fabs(v[j]));
    o->travel[j] = fmax(o->travel[j], fabs(q[j] - from[j]));
    if (driven) o->off = fmax(o->off, fabs(q[j] - control->servo->qd[j]));
    for (int i = 0; i < n; i++) energy += v[i] * M[i * n + j] * v[j] / 2;
  }
  o->energy = fmax(o->energy, energy);
}

// The motion without the fault.
typedef struct fault_twin {
  double q[FAULT_PERIODS][FAULT_N], v[FAULT_PERIODS][FAULT_N];
  int periods;
} fault_twin;

// A run in its modes. forced: the moment at which the brakes are commanded in place of the guards;
// negative: the guards decide. twin: to be filled where `without`, else to compare with.
typedef struct fault_mode {
  double forced;
  bool without;
  fault_twin *twin;
} fault_mode;

// The rack of the simulation, with a thermo signal from a moment on.
typedef struct fault_rack {
  ap_rack rack;
  double hot;
  int axis;
} fault_rack;

static ap_status fault_read(void *context, double t, ap_rack_input *in) {
  fault_rack *r = context;
  ap_status status = r->rack.read(r->rack.context, t, in);
  if (t >= r->hot) in->status[r->axis] |= AP_AXIS_HOT;
  return status;
}

static ap_status fault_write(void *context, double t, const ap_rack_output *out) {
  fault_rack *r = context;
  return r->rack.write(r->rack.context, t, out);
}

static bool fault_deviates(const fault_row *row, const fault_twin *twin, int k, const double *q,
                           const double *v, int n) {
  bool off = row->deviation <= 0;
  for (int j = 0; k < twin->periods && j < n; j++)
    off = off || fabs(q[j] - twin->q[k][j]) > row->deviation ||
          fabs(v[j]) - fabs(twin->v[k][j]) > 10 * row->deviation;
  return off;
}

static bool fault_step(ap_control *control, ap_rack *own, double t, bool goes_on) {
  ap_servo_record record;
  double room[8 * FAULT_N], zero[FAULT_N] = {0};
  ap_rack_input in;
  ap_rack_input_init(&in, control->n, room);
  const ap_rack_output safe = {.command = zero, .brakes = true};
  if (goes_on) {
    goes_on = ap_servo_step(control->servo);
    while (ap_servo_take(control->servo, &record)) continue;
  } else {
    own->read(own->context, t, &in);
    own->write(own->context, t, &safe);
  }
  return goes_on;
}

static fault_outcome fault_run(const fault_case *c, const fault_mode *mode) {
  ap_error error = {0};
  ap_control *control = fault_open(c, mode->forced < 0);
  ap_servo *servo = NULL;
  const fault_row *row = &fault_rows[c->row];
  fault_outcome o = {.found = -1, .brakes = -1, .onset = -1, .n = control->n};
  if (ap_control_open(control, &servo, &error) != AP_OK) exit(1);
  const size_t size = ap_work_size(control->true_model);
  void *memory = malloc(size);
  ap_work *work = ap_work_init(control->true_model, memory, size);
  if (!work) exit(1);
  const ap_rack_fault fault = {row->kind, c->axis, c->at, c->amount};
  fault_rack hot = {control->rack, row->hot && mode->forced < 0 ? c->at : INFINITY, c->axis};
  if (!mode->without) ap_rack_inject(&hot.rack, &fault);
  if (!mode->without)
    control->rack =
        (ap_rack){.context = &hot, .axes = control->n, .read = fault_read, .write = fault_write};
  double h = control->servo_def.period, from[FAULT_N] = {0}, end = -1, q[FAULT_N], v[FAULT_N];
  bool began = false, goes_on = true;
  mode->twin->periods = mode->without ? 0 : mode->twin->periods;
  for (int k = 0; k < FAULT_PERIODS; k++) {
    double t = k * h;
    if (mode->forced >= 0 && t >= mode->forced - h / 2) goes_on = false;
    goes_on = fault_step(control, &hot.rack, t, goes_on);
    if (!goes_on && end < 0) end = t;
    ap_rack_truth(&hot.rack, q, v, NULL);
    if (mode->without) {
      memcpy(mode->twin->q[k], q, sizeof q), memcpy(mode->twin->v[k], v, sizeof v);
      mode->twin->periods = goes_on ? k + 1 : mode->twin->periods;
    }
    if (t < c->at - h / 2) continue;
    if (!began) memcpy(from, q, sizeof from);
    began = true;
    if (!mode->without && o.onset < 0 && fault_deviates(row, mode->twin, k, q, v, o.n))
      o.onset = t - c->at;
    fault_see(control, work, q, v, from, goes_on, &o);
    if (!goes_on && t > end + 0.6) break;
  }
  const ap_servo_result *x = ap_servo_result_of(servo);
  o.stop = x->stop, o.stop_axis = x->stop_axis, o.category = x->category;
  if (x->stop > AP_STOP_DONE) o.found = x->stop_t - c->at, o.brakes = x->brakes_t - c->at;
  for (int j = 0; j < o.n; j++) o.count[j] = ap_axis_count(&control->axis[j]);
  control->rack = hot.rack;
  free(memory);
  ap_control_free(control);
  return o;
}

// How far beyond the measure a joint went, at the worst: 1 is the measure itself. Half a
// milliradian and what an encoder does not resolve is not counted.
static double fault_excess(const fault_outcome *is, const fault_outcome *measure, int *axis) {
  double worst = 0;
  for (int j = 0; j < is->n; j++) {
    double q = fmax(10 * is->count[j], 5e-4), v = 200 * is->count[j];
    double way = (is->travel[j] - q) / (measure->travel[j] + 1e-12);
    double speed = (is->peak[j] - v) / (measure->peak[j] + 1e-12);
    double excess = fmax(way, speed);
    if (excess > worst) worst = excess, *axis = j;
  }
  return worst;
}

// The run with the fault, and its measure: without guards, stopped when the documented time after
// the onset has passed. A fault that never leads a joint astray has none.
static fault_outcome fault_try(const fault_case *c, fault_outcome *measure) {
  static fault_twin twin;
  const fault_row *row = &fault_rows[c->row];
  const bool alarm = fault_run(c, &(fault_mode){-1, true, &twin}).stop != AP_STOP_DONE;
  fault_outcome is = fault_run(c, &(fault_mode){-1, false, &twin});
  is.false_alarm = alarm;
  // Where the guards were faster than the fault's effect, that of the run without them counts.
  if (is.onset < 0 || is.found >= 0) {
    fault_outcome free = fault_run(c, &(fault_mode){1e9, false, &twin});
    is.onset = free.onset;
  }
  *measure = (fault_outcome){.onset = -1};
  if (is.onset < 0) return is;
  // A fault may slow the joints: of the stops that begin in time, at once or at the latest, the one
  // that leads further is the measure.
  double latest = is.onset + row->detection;
  double at = is.found >= 0 && is.found < latest ? is.found : latest;
  *measure = fault_run(c, &(fault_mode){c->at + latest, false, &twin});
  fault_outcome early = fault_run(c, &(fault_mode){c->at + at, false, &twin});
  for (int j = 0; j < is.n; j++) {
    measure->peak[j] = fmax(measure->peak[j], early.peak[j]);
    measure->travel[j] = fmax(measure->travel[j], early.travel[j]);
  }
  return is;
}

#endif
