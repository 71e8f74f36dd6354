// SPDX-License-Identifier: Apache-2.0
// The rack and the control loop in simulated time: homing, tracking, guards, replay.

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // for heap.h
#endif

#include <appell/file.h>
#include <appell/servo.h>

#include <time.h>

#include "heap.h"
#include "test.h"

enum { N = 6 };

static const double gears[N] = {62.6, 107.8, 53.7, 76.0, 71.9, 76.7};
static const double torques[N] = {100, 190, 90, 24, 20, 21}; // at 10 V

// All that a run needs. Set what differs between lay() and go().
typedef struct arm {
  ap_robot *robot;
  ap_model *model;
  ap_axis axis[N];
  ap_joint_imperfection imperfection[N];
  double at[N];
  ap_sim_rack_def rack_def;
  ap_ctrl_def ctrl_def;
  ap_servo_def def;
  ap_gains gains[N];
  ap_rack rack;
  void *memory;
  ap_traj *reference;
  ap_servo *servo;
} arm;

static void lay_of(arm *a, const char *file) {
  ap_error error = {0};
  memset(a, 0, sizeof *a);
  if (file)
    CHECK_OK(ap_robot_read(file, &(ap_read_options){0}, &a->robot, &error));
  else
    CHECK_OK(ap_robot_builtin("puma600", &(ap_read_options){0}, &a->robot, &error));
  CHECK_OK(ap_robot_model(a->robot, &a->model, &error));
  for (int j = 0; j < N; j++) {
    a->axis[j] = ap_default_axis();
    a->axis[j].lines = j < 2 ? 200 : 250, a->axis[j].gear = gears[j];
    a->axis[j].index_at = 0.01 * (j + 1);
    a->axis[j].torque_per_volt = torques[j] / 10;
    a->imperfection[j].stiction = 1;
    a->at[j] = 0.3 - 0.15 * j;
    a->gains[j] = ap_gains_of(20, 1, 5);
  }
  a->rack_def = ap_default_sim_rack();
  a->rack_def.model = a->model, a->rack_def.axis = a->axis, a->rack_def.q = a->at;
  a->rack_def.imperfection = a->imperfection;
  a->ctrl_def = ap_default_ctrl();
  a->ctrl_def.model = a->model, a->ctrl_def.torque = torques, a->ctrl_def.gains = a->gains;
  a->def = ap_default_servo();
  a->def.axis = a->axis, a->def.rack = &a->rack, a->def.start = a->at;
}

static void lay(arm *a) { lay_of(a, NULL); }

// The way of joint j: to one side or to the other.
static double side(int j) { return j % 2 ? -1 : 1; }

// Where a->reference is not set, it leads all joints so far in that time.
static void go(arm *a, double far, double time) {
  ap_error error = {0};
  double to[N];
  for (int j = 0; j < N; j++) to[j] = a->at[j] + far * side(j);
  ap_traj_state from = {a->at, NULL, NULL}, end = {to, NULL, NULL};
  if (!a->reference) CHECK_OK(ap_traj_quintic(N, &from, &end, time, &a->reference, &error));
  CHECK_OK(ap_rack_simulated(&a->rack_def, &a->rack, &error));
  a->memory = malloc(ap_ctrl_size(a->model));
  a->ctrl_def.period = a->def.period;
  a->def.ctrl = ap_ctrl_init(&a->ctrl_def, a->memory, ap_ctrl_size(a->model), &error);
  a->def.reference = a->reference;
  CHECK_OK(ap_servo_create(&a->def, &a->servo, &error));
}

static void finish(arm *a) {
  ap_servo_free(a->servo);
  ap_rack_close(&a->rack);
  ap_traj_free(a->reference);
  free(a->memory);
  a->reference = NULL;
}

static void drop(arm *a) {
  finish(a);
  ap_model_free(a->model);
  ap_robot_free(a->robot);
}

// To the end; the last record in *r.
static const ap_servo_result *to_the_end(arm *a, ap_servo_record *r) {
  while (ap_servo_step(a->servo))
    while (ap_servo_take(a->servo, r)) continue;
  while (ap_servo_take(a->servo, r)) continue;
  return ap_servo_result_of(a->servo);
}

// ---- the rack ----------------------------------------------------------------------------------

TEST(the_outputs_of_the_tool_are_those_that_were_set_last) {
  arm a;
  ap_servo_record r;
  lay(&a);
  go(&a, 0.1, 0.2);
  for (uint32_t tools = 0; tools < 6; tools++) {
    if (tools > 0) ap_servo_set_tools(a.servo, tools);
    CHECK(ap_servo_step(a.servo) && ap_servo_take(a.servo, &r) && r.output.tools == tools);
  }
  drop(&a);
}

TEST(friction_holds_a_joint_that_torque_does_not_break_away) {
  arm a;
  lay(&a);
  for (int j = 0; j < N; j++) a.imperfection[j].coulomb = 1e3;
  go(&a, 0.1, 1);
  double room[8 * N];
  ap_rack_input in;
  ap_rack_input_init(&in, N, room);
  ap_rack_output out = {.command = (double[N]){1, 1, 1, 1, 1, 1}};
  double q[N], v[N];
  for (int k = 0; k < 200; k++) {
    CHECK_OK(a.rack.read(a.rack.context, k * 1e-3, &in));
    CHECK_OK(a.rack.write(a.rack.context, k * 1e-3, &out));
  }
  ap_rack_truth(&a.rack, q, v, NULL);
  CHECK_NEAR(q, a.at, N, 1e-12); // sticks, does not creep
  drop(&a);
}

// A robot that falls freely keeps its energy; semi-implicit Euler errs by the order of its step.
TEST(a_free_fall_converges_with_the_step) {
  double fall[3][N];
  for (int k = 0; k < 3; k++) {
    arm a;
    lay(&a);
    a.rack_def.step = 1e-3 / (1 << 2 * k), a.rack_def.watchdog = 0;
    go(&a, 0.1, 1);
    double room[8 * N];
    ap_rack_input in;
    ap_rack_input_init(&in, N, room);
    ap_rack_output out = {.command = (double[N]){0}};
    CHECK_OK(a.rack.write(a.rack.context, 0, &out));
    for (int i = 0; i <= 200; i++) CHECK_OK(a.rack.read(a.rack.context, i * 1e-3, &in));
    ap_rack_truth(&a.rack, fall[k], NULL, NULL);
    drop(&a);
  }
  double first = 0, second = 0;
  for (int j = 0; j < N; j++) {
    first = fmax(first, fabs(fall[0][j] - fall[1][j]));
    second = fmax(second, fabs(fall[1][j] - fall[2][j]));
  }
  CHECK(first < 0.01);
  CHECK(second < first / 3.5 && second > first / 4.5); // steps of a quarter
}

TEST(outputs_have_bits_and_the_same_seed_gives_the_same_bits) {
  ap_rack_input in[2];
  double room[2][8 * N] = {{0}};
  for (int k = 0; k < 2; k++) {
    arm a;
    ap_rack_input_init(&in[k], N, room[k]);
    lay(&a);
    go(&a, 0.1, 1);
    ap_rack_output out = {.command = (double[N]){5.0011, -99, 3, 0, 0, 0}};
    double tau[N];
    for (int i = 0; i < 50; i++) {
      CHECK_OK(a.rack.read(a.rack.context, i * 1e-3, &in[k]));
      CHECK_OK(a.rack.write(a.rack.context, i * 1e-3, &out));
    }
    ap_rack_truth(&a.rack, NULL, NULL, tau);
    double lsb = 20.0 / 4095;
    CHECK(fabs(tau[0] / 10 - 5.0011) < lsb / 2 + 1e-9);
    CHECK(fabs(fmod(tau[0] / 10 + 10, lsb) / lsb - nearbyint(fmod(tau[0] / 10 + 10, lsb) / lsb)) <
          1e-6);
    CHECK(fabs(tau[1] + 190) < 1e-6); // saturates at -10 V
    drop(&a);
  }
  CHECK(memcmp(room[0], room[1], sizeof room[0]) == 0);
}

TEST(homing_tells_the_pulses_apart) {
  ap_axis axis = ap_default_axis();
  axis.gear = 60, axis.index_at = 0.01;
  double pitch = ap_axis_pitch(&axis), count = ap_axis_count(&axis), zero;
  for (int k = -20; k <= 20; k++) {
    // Power-on at 0.5 rad; pulse k lies there:
    double at = axis.index_at + k * pitch;
    int32_t index = (int32_t)nearbyint((at - 0.5) / count);
    double off = at - (0.5 + index * count); // power-on is between two counts
    CHECK_OK(ap_axis_home(&axis, 0.5 + 100 * count + 0.2 * pitch, 100, index, &zero));
    CHECK(fabs(zero - 0.5 - off) < 1e-12);
    zero = 7;
    CHECK(ap_axis_home(&axis, 0.5 + 100 * count + 0.3 * pitch, 100, index, &zero) ==
          AP_E_NO_CONVERGENCE);
    CHECK(zero == 7);
  }
}

// ---- the loop ----------------------------------------------------------------------------------

TEST(an_arm_homes_and_tracks) {
  arm a;
  lay(&a);
  a.def.start = NULL;
  go(&a, 0.6, 2);
  ap_servo_record r = {0};
  const ap_servo_result *x = to_the_end(&a, &r);
  CHECK_STR(ap_stop_name(x->stop), "done");
  CHECK(x->run_began > 2 && r.phase == AP_PHASE_SAFE && r.output.brakes);
  double q[N];
  ap_rack_truth(&a.rack, q, NULL, NULL);
  // Homing is exact to the count; then the model is right, and what is left comes from the
  // encoders' counts (1e-4 rad) and the 12 bits of the outputs.
  for (int j = 0; j < N; j++) {
    CHECK(fabs(q[j] - r.q[j]) < 2 * ap_axis_count(&a.axis[j]) + 1e-3);
    CHECK(x->most[j] < 5e-3);
  }
  CHECK(x->dropped == 0 && x->missed == 0);
  drop(&a);
}

// A joint at rest is held by friction wherever its torque is within the band; only its integral
// goes on, until the error is less than the encoder can tell.
TEST(integral_action_removes_what_friction_and_payload_leave) {
  double left[2][N] = {{0}};
  arm a;
  for (int k = 0; k < 2; k++) {
    lay(&a);
    const double coulomb[N] = {6, 6, 4, 0.8, 0.6, 0.4};
    for (int j = 0; j < N; j++)
      a.imperfection[j].coulomb = coulomb[j], a.imperfection[j].viscous = 1;
    a.rack_def.payload = 1, a.rack_def.payload_body = ap_nbody(a.model) - 1;
    a.rack_def.payload_com[2] = 0.1;
    a.ctrl_def.law = k ? AP_LAW_TRACKING_INTEGRAL : AP_LAW_TRACKING;
    a.def.duration =
        20; // across the band of friction, F wide, an integral goes the slower the less is left
    go(&a, 0.6, 2);
    ap_servo_record r = {0};
    const ap_servo_result *x = to_the_end(&a, &r);
    CHECK_STR(ap_stop_name(x->stop), "done");
    double q[N];
    ap_rack_truth(&a.rack, q, NULL, NULL); // where it is, not where the encoders see it
    for (int j = 0; j < N; j++) left[k][j] = fabs(q[j] - r.qd[j]);
    drop(&a);
  }
  for (int j = 0; j < N; j++) {
    test_context("joint %d: %g rad without, %g with integral action", j + 1, left[0][j],
                 left[1][j]);
    CHECK(left[1][j] < 3 * ap_axis_count(&a.axis[j]));
    CHECK(left[0][j] > 5 * left[1][j]);
  }
}

TEST(a_law_is_switched_under_way) {
  arm a;
  lay(&a);
  const ap_servo_switch change[] = {{0.5, AP_LAW_PD_GRAVITY, NULL},
                                    {1, AP_LAW_TRACKING_INTEGRAL, NULL}};
  a.def.change = change, a.def.changes = 2;
  go(&a, 0.4, 2);
  ap_servo_record r = {0};
  double largest = 0, before[N];
  bool first = true;
  while (ap_servo_step(a.servo)) {
    if (r.tau) memcpy(before, r.tau, sizeof before);
    while (ap_servo_take(a.servo, &r)) continue;
    for (int j = 0; !first && r.phase == AP_PHASE_RUN && j < N; j++)
      largest = fmax(largest, fabs(r.tau[j] - before[j]) / torques[j]);
    first = r.phase != AP_PHASE_RUN;
  }
  CHECK_STR(ap_stop_name(ap_servo_result_of(a.servo)->stop), "done");
  CHECK(ap_ctrl_law(a.def.ctrl) == AP_LAW_TRACKING_INTEGRAL);
  // Quantised velocities make the torque jitter by a few per cent of its limit; a bump is none of
  // that size.
  CHECK(largest < 0.08);
  drop(&a);
}

// ---- guards ------------------------------------------------------------------------------------

// All faults happen to one arm with one set of guards. amount: of the fault; of a push, N m in
// parts of the largest torque, or rad/s2 that it gives to the joint.
typedef enum { FROM_FAULT, IN_TORQUES, IN_ACCELERATION, OF_REFERENCE } scale;
typedef struct trial {
  const char *name;
  ap_rack_fault_kind kind;
  scale in;
  double amount;
  double from, to; // parts of the motion between which it happens
  ap_stop stop;
  bool of_axis;
  bool blind; // without the guards that see torques and references, to try those behind them
} trial;

static const double way = 0.5, way_time = 1; // rad, s

static const trial trials[] = {
    {"the encoder jumps", AP_FAULT_ENCODER_JUMP, FROM_FAULT, 500, 0.2, 0.6, AP_STOP_ENCODER_JUMP,
     true, false},
    {"the encoder is stuck", AP_FAULT_ENCODER_STUCK, FROM_FAULT, 0, 0.2, 0.6, AP_STOP_ENCODER_STUCK,
     true, true},
    {"the potentiometer is off", AP_FAULT_POTENTIOMETER, FROM_FAULT, 0.4, 0.2, 0.6,
     AP_STOP_POTENTIOMETER, true, false},
    {"not a number", AP_FAULT_NOT_A_NUMBER, FROM_FAULT, 0, 0.2, 0.6, AP_STOP_NOT_A_NUMBER, true,
     false},
    {"a motor is hot", AP_FAULT_THERMO, FROM_FAULT, 0, 0.2, 0.6, AP_STOP_THERMO, true, false},
    {"readings come late", AP_FAULT_LATE, FROM_FAULT, 0.01, 0.2, 0.6, AP_STOP_DEADLINE, false,
     false},
    {"a card does not answer", AP_FAULT_READ, FROM_FAULT, 0, 0.2, 0.6, AP_STOP_IO, false, false},
    {"a card takes nothing", AP_FAULT_WRITE, FROM_FAULT, 0, 0.2, 0.6, AP_STOP_IO, false, false},
    {"the process stalls", AP_FAULT_STALL, FROM_FAULT, 0.1, 0.2, 0.6, AP_STOP_DEADLINE, false,
     false},
    {"nothing changes any more", AP_FAULT_FROZEN, FROM_FAULT, 0, 0.2, 1.3, AP_STOP_STALE, false,
     true},
    {"something pushes the arm", AP_FAULT_PUSH, IN_TORQUES, 1, 0.2, 0.6, AP_STOP_DYNAMICS, false,
     false},
    {"a drive is reversed", AP_FAULT_AMPLIFIER, FROM_FAULT, -5, 0.2, 0.4, AP_STOP_DYNAMICS, false,
     false},
    {"an output is stuck", AP_FAULT_OUTPUT, FROM_FAULT, 10, 0.2, 0.6, AP_STOP_DYNAMICS, false,
     false},
    {"something hits the arm", AP_FAULT_PUSH, IN_ACCELERATION, 300, 0.2, 0.6, AP_STOP_VELOCITY,
     false, true}, // it drags others along
    {"something pushes over the end", AP_FAULT_PUSH, IN_ACCELERATION, 100, 1.02, 1.3,
     AP_STOP_POSITION, true, true},
    {"too great a load", AP_FAULT_PUSH, IN_TORQUES, -1.05, 0.2, 0.6, AP_STOP_TORQUE, true, true},
    {"the reference jumps", AP_FAULT_NONE, OF_REFERENCE, 0.3, 0.2, 0.6, AP_STOP_REFERENCE, true,
     false},
    {"the reference runs away", AP_FAULT_NONE, OF_REFERENCE, 0.3, 0.2, 0.6, AP_STOP_ERROR, true,
     true},
};
enum { TRIALS = sizeof trials / sizeof trials[0] };

static ap_guards guards_of(const arm *a, bool blind) {
  static double lower[N], upper[N], velocity[N], torque[N], residual[N];
  ap_guards g = ap_default_guards();
  for (int j = 0; j < N; j++) {
    lower[j] = a->at[j] - (side(j) < 0 ? way + 0.025 : 0.3);
    upper[j] = a->at[j] + (side(j) > 0 ? way + 0.025 : 0.3);
    velocity[j] = 3;
    torque[j] = 0.7 * torques[j];
    residual[j] = blind ? INFINITY : 0;
  }
  g.lower = lower, g.upper = upper, g.velocity = velocity, g.torque = torque;
  g.residual = residual;
  if (blind) g.jump = INFINITY;
  g.torque_periods = 100, g.following = 0.25;
  return g;
}

// From here to there, with a jump of joint `axis` in one period at time `at`.
static ap_traj *jumping(const arm *a, int axis, double far, double at) {
  ap_error error = {0};
  ap_traj *part[3] = {0}, *whole = NULL;
  double q[3][N], v[N], acceleration[N];
  for (int j = 0; j < N; j++) q[2][j] = a->at[j] + way * side(j);
  const ap_traj_state from = {a->at, NULL, NULL}, end = {q[2], NULL, NULL};
  CHECK_OK(ap_traj_quintic(N, &from, &end, way_time, &whole, &error));
  ap_traj_at(whole, at, q[0], v, acceleration);
  ap_traj_free(whole);
  const ap_traj_state before = {q[0], v, acceleration};
  CHECK_OK(ap_traj_quintic(N, &from, &before, at, &part[0], &error));
  memcpy(q[1], q[0], sizeof q[1]);
  q[1][axis] += far;
  CHECK_OK(ap_traj_ramp(N, q[0], q[1], a->def.period, &part[1], &error));
  const ap_traj_state after = {q[1], v, acceleration};
  CHECK_OK(ap_traj_quintic(N, &after, &end, way_time - at, &part[2], &error));
  CHECK_OK(ap_traj_chain((const ap_traj *const[]){part[0], part[1], part[2]}, 3, &whole, &error));
  for (int k = 0; k < 3; k++) ap_traj_free(part[k]);
  return whole;
}

// Nm of a push on a joint at the middle of the way.
static double push_of(const arm *a, const trial *t, int axis) {
  if (t->in != IN_ACCELERATION) return t->amount * torques[axis] * side(axis);
  double M[N * N], q[N];
  for (int j = 0; j < N; j++) q[j] = a->at[j] + way * side(j) / 2;
  void *memory = malloc(ap_work_size(a->model));
  ap_inertia_matrix(a->model, ap_work_init(a->model, memory, ap_work_size(a->model)), q, M);
  free(memory);
  return t->amount * side(axis) * (M[axis * N + axis] + ap_body(a->model, axis + 1)->rotor_inertia);
}

// Whether a record that goes on shows something that a guard should have stopped.
static bool overlooked(const ap_servo_record *r, const ap_guards *g) {
  bool bad = r->input.failed;
  for (int j = 0; j < N; j++)
    bad = bad || (r->input.status[j] & AP_AXIS_HOT) || !isfinite(r->input.potentiometer[j]) ||
          r->q[j] < g->lower[j] || r->q[j] > g->upper[j] || fabs(r->v[j]) > g->velocity[j];
  return bad;
}

// What the records of a run say.
typedef struct story {
  long records, wrong;
  int braked;
  ap_servo_record last, stop; // the last record; the first with a reason
} story;

static void tell(const ap_servo_record *r, const ap_guards *g, story *s) {
  if (r->period != s->records++) s->wrong++; // the log has every period
  if ((r->stop == AP_STOP_NONE) != (r->phase < AP_PHASE_BRAKE)) s->wrong++;
  if (r->stop == AP_STOP_NONE && overlooked(r, g)) s->wrong++;
  if (r->stop != AP_STOP_NONE && s->stop.stop == AP_STOP_NONE) s->stop = *r;
  s->braked += r->phase == AP_PHASE_BRAKE;
  bool safe = r->phase == AP_PHASE_SAFE && !r->output.failed;
  for (int j = 0; safe && j < N; j++) s->wrong += r->output.command[j] != 0;
  s->last = *r;
}

// One fault; the record of the period that finds it has the reason and already the stop's outputs.
static void try_fault(arm *a, const trial *t, int axis, double part) {
  const double begins = 0.1; // of the approach, which goes nowhere
  double at = way_time * (t->from + (t->to - t->from) * part), amount = t->amount;
  a->def.guards = guards_of(a, t->blind);
  a->def.duration = 1.5 * way_time;
  if (t->in == OF_REFERENCE) a->reference = jumping(a, axis, t->amount, at);
  go(a, way, way_time);
  if (t->kind == AP_FAULT_PUSH) amount = push_of(a, t, axis);
  CHECK_OK(ap_rack_inject(&a->rack, &(ap_rack_fault){t->kind, axis, begins + at, amount}));
  ap_servo_record r;
  story s = {0};
  bool more = true;
  while (more) {
    more = ap_servo_step(a->servo);
    while (ap_servo_take(a->servo, &r)) tell(&r, &a->def.guards, &s);
  }
  const ap_servo_result *x = ap_servo_result_of(a->servo);
  test_context("%s, axis %d at %.4f s", t->name, axis, begins + at);
  CHECK_STR(ap_stop_name(x->stop), ap_stop_name(t->stop));
  if (t->of_axis) CHECK_EQ_INT(x->stop_axis, axis);
  CHECK(x->stop_t >= begins + at - 1e-9);
  CHECK(s.wrong == 0 && (s.braked > 0) == (s.stop.category == 1));
  CHECK(s.stop.stop == t->stop && s.stop.t == x->stop_t);
  CHECK(s.stop.category <= ap_stop_category(t->stop) && x->category <= s.stop.category);
  CHECK(s.stop.phase == (s.stop.category ? AP_PHASE_BRAKE : AP_PHASE_SAFE));
  if (t->kind == AP_FAULT_WRITE)
    CHECK(x->brakes_t < 0 && s.last.output.failed);
  else
    CHECK(x->brakes_t >= x->stop_t && (s.stop.category || x->brakes_t == x->stop_t));
  CHECK(s.last.phase == AP_PHASE_SAFE && s.last.output.brakes && s.records == x->periods);
  // What is plain to see is found in the period in which it is there.
  bool at_once = t->kind <= AP_FAULT_THERMO && t->kind != AP_FAULT_ENCODER_STUCK &&
                 t->kind != AP_FAULT_POTENTIOMETER;
  if (at_once || t->kind == AP_FAULT_READ)
    CHECK(x->stop_t < begins + at + (t->in == OF_REFERENCE ? 3 : 1) * a->def.period + 1e-9);
  finish(a);
}

TEST(every_fault_ends_in_a_safe_stop) {
  const char *asked = getenv("APPELL_TEST_FAULTS");
  int each = asked ? atoi(asked) : 100;
  arm a;
  lay_of(&a, "models/puma600_drives.yaml");
  a.rack_def.step = 1e-3;
  a.def.ring = 64;
  unsigned seed = 1;
  for (int k = 0; k < TRIALS; k++)
    for (int i = 0; i < each; i++) {
      seed = seed * 1664525u + 1013904223u;
      a.rack_def.seed = seed;
      try_fault(&a, &trials[k], i % N, (double)(seed >> 8) / (1 << 24));
    }
  ap_model_free(a.model);
  ap_robot_free(a.robot);
}

// Inputs without noise may stay as they are while the arm rests; with noise they may not.
TEST(an_arm_at_rest_without_noise_is_not_stale) {
  for (int noisy = 0; noisy < 2; noisy++) {
    arm a;
    ap_servo_record r = {0};
    lay(&a);
    a.rack_def.pot_noise = noisy ? 2e-3 : 0;
    a.def.duration = 1;
    go(&a, 0.1, 0.5);
    if (noisy) CHECK_OK(ap_rack_inject(&a.rack, &(ap_rack_fault){AP_FAULT_FROZEN, 0, 0.9, 0}));
    CHECK_STR(ap_stop_name(to_the_end(&a, &r)->stop), noisy ? "stale" : "done");
    CHECK(!noisy || r.t < 0.91);
    drop(&a);
  }
}

// The observer is as sharp as the model is said to be.
TEST(a_known_residual_sharpens_the_observer) {
  double found[2];
  for (int known = 0; known < 2; known++) {
    arm a;
    ap_servo_record r = {0};
    lay(&a);
    double residual[N] = {0};
    for (int j = 0; known && j < N; j++) residual[j] = 1e-3 * torques[j];
    a.def.guards.residual = residual;
    go(&a, 0.5, 1);
    CHECK_OK(ap_rack_inject(&a.rack, &(ap_rack_fault){AP_FAULT_AMPLIFIER, 1, 0.5, 0.5}));
    const ap_servo_result *x = to_the_end(&a, &r);
    found[known] = x->stop == AP_STOP_DYNAMICS ? x->stop_t - 0.5 : INFINITY;
    drop(&a);
  }
  CHECK(found[1] < 0.02 && found[1] < found[0]);
}

// A read that takes long, once: the process did not run.
static ap_status slow_read(void *context, double t, ap_rack_input *in) {
  const ap_rack *rack = context;
  const struct timespec stall = {.tv_nsec = 100000000};
  if (t >= 0.05 && t < 0.06) nanosleep(&stall, NULL);
  return rack->read(rack->context, t, in);
}

static ap_status pass_write(void *context, double t, const ap_rack_output *out) {
  const ap_rack *rack = context;
  return rack->write(rack->context, t, out);
}

TEST(a_process_that_stalls_misses_deadlines) {
  arm a;
  lay(&a);
  go(&a, 0.05, 0.2);
  ap_rack own = a.rack;
  a.rack = (ap_rack){.context = &own, .axes = N, .read = slow_read, .write = pass_write};
  ap_realtime realtime = {.priority = 0, .cpu = -1};
  ap_servo_run(a.servo, &realtime);
  const ap_servo_result *x = ap_servo_result_of(a.servo);
  CHECK_STR(ap_stop_name(x->stop), "deadline");
  CHECK(x->missed >= 5 && (x->category == 0 || x->stop_t == 0)); // a busy machine is late at once
  a.rack = own;
  drop(&a);
}

TEST(a_request_stops) {
  arm a;
  lay(&a);
  go(&a, 0.5, 2);
  for (int k = 0; k < 1000; k++) ap_servo_step(a.servo);
  ap_servo_request_stop(a.servo);
  ap_servo_record r = {0};
  const ap_servo_result *x = to_the_end(&a, &r);
  CHECK_STR(ap_stop_name(x->stop), "request");
  double v[N];
  ap_rack_truth(&a.rack, NULL, v, NULL);
  for (int j = 0; j < N; j++) CHECK(fabs(v[j]) < 0.05); // braked under control, not by the brakes
  drop(&a);
}

// ---- replay, memory ----------------------------------------------------------------------------

TEST(a_replay_gives_the_same_bits) {
  enum { MOST = 4000 };
  static ap_rack_input input[MOST];
  static ap_rack_output output[MOST];
  static double room[MOST][2][8 * N];
  long n = 0;
  for (int k = 0; k < MOST; k++) {
    ap_rack_input_init(&input[k], N, room[k][0]);
    ap_rack_output_init(&output[k], N, room[k][1]);
  }
  arm a;
  lay(&a);
  go(&a, 0.5, 1);
  ap_servo_record r;
  bool more = true;
  while (more) {
    more = ap_servo_step(a.servo);
    while (ap_servo_take(a.servo, &r) && n < MOST) {
      ap_rack_input_copy(N, &r.input, &input[n]);
      ap_rack_output_copy(N, &r.output, &output[n++]);
    }
  }
  finish(&a);
  go(&a, 0.5, 1);
  ap_rack_close(&a.rack);
  CHECK_OK(ap_rack_replay(N, input, output, n, &a.rack, &(ap_error){0}));
  long periods = to_the_end(&a, &r)->periods;
  CHECK_EQ_INT(periods, n);
  CHECK_EQ_INT(ap_rack_differing(&a.rack), 0);
  finish(&a);
  input[n / 2].encoder[3] += 1; // and one count more does not
  go(&a, 0.5, 1);
  ap_rack_close(&a.rack);
  CHECK_OK(ap_rack_replay(N, input, output, n, &a.rack, &(ap_error){0}));
  to_the_end(&a, &r);
  CHECK(ap_rack_differing(&a.rack) > 0);
  drop(&a);
}

TEST(a_period_allocates_nothing) {
  arm a;
  lay(&a);
  a.def.start = NULL;
  install_heap();
  go(&a, 0.1, 0.2);
  ap_servo_record r;
  allocations = 0, armed = true;
  while (ap_servo_step(a.servo)) ap_servo_take(a.servo, &r);
  armed = false;
  CHECK_EQ_INT(allocations, 0);
  drop(&a);
}

TEST(a_full_ring_drops_and_counts) {
  arm a;
  lay(&a);
  a.def.ring = 16;
  go(&a, 0.1, 0.2);
  long n = 0;
  ap_servo_record r;
  while (ap_servo_step(a.servo)) continue;
  while (ap_servo_take(a.servo, &r)) CHECK_EQ_INT(r.period, n++);
  const ap_servo_result *x = ap_servo_result_of(a.servo);
  CHECK_EQ_INT(n, 16);
  CHECK_EQ_INT(x->dropped, x->periods - 16);
  drop(&a);
}

// By the clock: whatever the machine does, the run ends, and every period is accounted for.
TEST(the_loop_runs_by_the_clock) {
  arm a;
  lay(&a);
  // A machine that stalls lets the arm fall; here that stops nothing.
  a.def.guards.misses = 0;
  a.def.guards.following = a.def.guards.jump = INFINITY;
  a.def.guards.stuck = a.def.guards.mismatch = INFINITY;
  const double residual[N] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
  a.def.guards.residual = residual;
  go(&a, 0.05, 0.2);
  ap_realtime realtime = ap_default_realtime();
  ap_servo_run(a.servo, &realtime);
  const ap_servo_result *x = ap_servo_result_of(a.servo);
  CHECK_STR(ap_stop_name(x->stop), "done");
  CHECK((long)x->latency.n == x->periods && (long)x->compute.n == x->periods);
  CHECK(x->latency.least >= 0 && x->periods + x->skipped >= 700);
  CHECK(ap_histogram_quantile(&x->latency, 0.5) <= x->latency.most);
  CHECK(ap_servo_ended(a.servo));
  drop(&a);
}

TEST(histograms_tell_their_quantiles) {
  static ap_histogram h;
  for (int k = 1; k <= 1000; k++) ap_histogram_note(&h, k * 1e-6);
  CHECK(h.n == 1000 && h.least == 1e-6 && h.most == 1e-3);
  double half = ap_histogram_quantile(&h, 0.5);
  CHECK(half > 0.49e-3 && half < 0.57e-3); // classes are 1/8 of a factor of two wide
  for (int k = 1; k < 319; k++) CHECK(ap_histogram_bound(k) < ap_histogram_bound(k + 1));
}
