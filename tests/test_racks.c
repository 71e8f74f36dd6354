// SPDX-License-Identifier: Apache-2.0
// Racks of today: plain URDFs, absolute encoders, currents and torques, torque sensors, status
// words, many axes, and control laws of the caller's.

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // for heap.h
#endif

#include <appell/control.h>
#include <unistd.h>

#include "ctrl/control.h"
#include "ctrl/servo.h"
#include "heap.h"
#include "robot_files.h"

// A geared arm as URDF files have them: effort limits, friction, and not a word about rotors.
// A range of 0: joints that turn without limits.
static void write_arm(const char *path, int joints, double range) {
  FILE *f = fopen(path, "w");
  if (!CHECK(f)) return;
  fprintf(f, "<robot name=\"geared\"><link name=\"l0\"/>\n");
  for (int k = 1; k <= joints; k++) {
    double mass = joints > 6 ? 0.2 : 12.0 / (k * k), size = joints > 6 ? 0.02 : 0.1 / (k * k);
    fprintf(f,
            "<link name=\"l%d\"><inertial><origin xyz=\"0 0 0.1\"/><mass value=\"%g\"/>"
            "<inertia ixx=\"%g\" iyy=\"%g\" izz=\"%g\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
            "</link>\n"
            "<joint name=\"j%d\" type=\"%s\"><parent link=\"l%d\"/><child link=\"l%d\"/>"
            "<origin xyz=\"0 0 0.2\"/><axis xyz=\"%s\"/>"
            "<limit lower=\"%g\" upper=\"%g\" effort=\"%g\" velocity=\"3\"/>"
            "<dynamics damping=\"1\" friction=\"%g\"/></joint>\n",
            k, mass, size, size, size / 2, k, range > 0 ? "revolute" : "continuous",
            joints > 6 ? 0 : k - 1, k, k % 2 ? "0 0 1" : "0 1 0", -range, range,
            joints > 6 ? 600 : 330.0 / (k < 3 ? 1 : k), 5.0 / k);
  }
  fprintf(f, "</robot>\n");
  fclose(f);
}

typedef struct bed {
  char file[200];
  ap_control *control;
  ap_servo *servo;
} bed;

// A scenario of the robot in that file; more: further lines.
static bool open_file(bed *b, const char *more) {
  char text[8192];
  ap_error error = {0};
  int n = snprintf(text, sizeof text, "appell-control: 1\nrobot: %s\n%s...\n", b->file, more);
  b->control = NULL, b->servo = NULL;
  bool good = CHECK_OK(ap_control_parse(text, (size_t)n, NULL, NULL, &b->control, &error)) &&
              CHECK_OK(ap_control_open(b->control, &b->servo, &error));
  if (!good) printf("%d: %s\n", error.line, error.text);
  return good;
}

static bool open_bed(bed *b, int joints, double range, const char *more) {
  temporary_name(b->file, sizeof b->file, "arm.urdf");
  write_arm(b->file, joints, range);
  return open_file(b, more);
}

static const ap_servo_result *run(bed *b, double *most) {
  ap_servo_record r;
  for (bool more = true; more;) {
    more = ap_servo_step(b->servo);
    while (ap_servo_take(b->servo, &r))
      for (int j = 0; most && j < b->control->n; j++) *most = fmax(*most, fabs(r.external[j]));
  }
  return ap_servo_result_of(b->servo);
}

static void drop(bed *b) {
  ap_control_free(b->control);
  remove(b->file);
}

#define MOVE "reference: {kind: quintic, from: 0, to: 0.5, time: 1.5}\n"

static void check_done(bed *b, double least) {
  const ap_servo_result *x = run(b, NULL);
  test_context("joint %d at %.3f s: %g, limit %g", x->stop_axis, x->stop_t, x->stop_value,
               x->stop_limit);
  CHECK_STR(ap_stop_name(x->stop), "done");
  for (int j = 0; j < b->control->n; j++) CHECK(x->most[j] < least);
}

// ---- plain URDFs -------------------------------------------------------------------------------

TEST(a_plain_urdf_moves_without_a_word_about_its_rack) {
  bed b;
  if (!open_bed(&b, 6, 6.28, MOVE)) return;
  const ap_axis *a = &b.control->axis[0];
  CHECK(a->encoder == AP_ENCODER_ABSOLUTE && a->turns == 2);
  CHECK(fabs(a->torque_per_volt - 33) < 1e-12 && b.control->torque[0] == 330);
  check_done(&b, 0.02);
  drop(&b);
}

// Friction that the controller does not know: gains in N m/rad, with the rotors that the file does
// not have. Homing with index pulses, too.
TEST(a_geared_arm_with_unknown_friction_homes_and_moves_by_stiffness) {
  char more[2000] = MOVE
      "controller: {stiffness: [3000, 3000, 1500, 800, 600, 500]}\n"
      "rack: {coulomb: [3, 2, 1, 0.8, 0.7, 0.6]}\n"
      "guards: {residual: [2, 2, 1, 0.8, 0.7, 0.6]}\naxes:\n";
  for (int k = 1; k <= 6; k++)
    snprintf(more + strlen(more), sizeof more - strlen(more),
             "  - {joint: j%d, gear: 100, lines: 1000, pot_gain: 0.35, rotor: 1e-4}\n", k);
  bed b;
  if (!open_bed(&b, 6, 6.28, more)) return;
  CHECK(ap_body(b.control->model, 6)->rotor_inertia == 1e-4);
  check_done(&b, 0.05);
  CHECK(ap_servo_result_of(b.servo)->run_began > 2); // it was homed
  drop(&b);
}

TEST(stiffness_and_bandwidth_are_the_same_gains) {
  bed b;
  if (!open_bed(&b, 6, 6.28, MOVE "controller: {stiffness: 500, damper: 30}\n")) return;
  double M[36];
  ap_inertia_matrix(b.control->model, b.control->work, b.control->start, M);
  for (int j = 0; j < 6; j++) {
    CHECK(fabs(M[7 * j] * b.control->gains[j].kp - 500) < 1e-9);
    CHECK(fabs(M[7 * j] * b.control->gains[j].kd - 30) < 1e-9);
  }
  drop(&b);
}

// ---- encoders ----------------------------------------------------------------------------------

TEST(an_absolute_encoder_unwraps) {
  ap_axis a = ap_default_axis();
  a.encoder = AP_ENCODER_ABSOLUTE, a.counts = 4096, a.turns = 4;
  for (int count = -100000; count < 100000; count += 977) {
    int reading = ((count % 16384) + 16384) % 16384;
    CHECK(ap_axis_unwrap(&a, reading, count + 8000) == count);
    CHECK(ap_axis_unwrap(&a, reading, count - 8000) == count);
  }
  a.counts = 1048576, a.turns = 4096; // all 32 bits
  CHECK(ap_axis_unwrap(&a, -5, 4294967290.0) == 4294967291.0);
}

// Wherever the reading wraps, the arm is where it is.
TEST(readings_that_wrap_on_the_way_do_not_matter) {
  for (int k = 0; k < 4; k++) {
    char more[1000];
    bed b;
    snprintf(more, sizeof more,
             MOVE
             "rack: {start: %g}\naxes:\n"
             "  - {joint: j1, sensor: absolute, index_at: %g, counts: 65536, gear: 50}\n"
             "  - {joint: j2, sensor: absolute, index_at: %g, turns: 1}\n",
             k % 2 ? -0.3 : 0.2, 0.1 * k, 0.25 - 0.2 * k);
    if (!open_bed(&b, 2, 2, more)) return;
    CHECK(b.control->axis[0].turns == 32 && b.control->axis[1].turns == 1);
    check_done(&b, 0.02);
    double q[2];
    ap_rack_truth(&b.control->rack, q, NULL, NULL);
    CHECK(fabs(q[0] - 0.5) < 5e-3 && fabs(q[1] - 0.5) < 5e-3); // friction at rest
    drop(&b);
  }
}

// A joint that turns without limits is where its encoder of several turns says, not within one turn
// of the motor or of the joint: nothing moves before the reference begins where the arm stands.
TEST(joints_without_limits_have_many_turns) {
  static const char *const axes[] = {
      "",
      "axes:\n  - {joint: j1, sensor: absolute, gear: 100}\n"
      "  - {joint: j2, sensor: absolute, gear: 100, counts: 16777216}\n"};
  for (int k = 0; k < 2; k++) {
    char more[500];
    bed b;
    snprintf(more, sizeof more,
             "reference: {kind: quintic, from: [4, -5], to: [11, -4.6], time: 6}\n"
             "rack: {start: [4, -5]}\n%s",
             axes[k]);
    if (!open_bed(&b, 2, 0, more)) return;
    CHECK(b.control->axis[0].turns == 4096 && b.control->axis[1].turns == (k ? 256 : 4096));
    check_done(&b, 0.03);
    double q[2];
    ap_rack_truth(&b.control->rack, q, NULL, NULL);
    CHECK(fabs(q[0] - 11) < 5e-3 && fabs(q[1] + 4.6) < 5e-3);
    CHECK(ap_servo_result_of(b.servo)->stop_t < 7); // no way to the beginning of the reference
    drop(&b);
  }
}

TEST(an_encoder_that_cannot_tell_positions_apart_is_refused) {
  bed b;
  char text[1000];
  ap_error error = {0};
  ap_servo *servo;
  temporary_name(b.file, sizeof b.file, "arm.urdf");
  write_arm(b.file, 1, 6.28);
  int n = snprintf(text, sizeof text,
                   "appell-control: 1\nrobot: %s\n" MOVE
                   "axes: [{joint: j1, sensor: absolute, turns: 1}]\n...\n",
                   b.file);
  CHECK_OK(ap_control_parse(text, (size_t)n, NULL, NULL, &b.control, &error));
  CHECK(ap_control_open(b.control, &servo, &error) == AP_E_ARG);
  CHECK_HAS(error.text, "repeats every 6.283 rad, the joint's range is 12.56 rad");
  drop(&b);
  write_arm(b.file, 1, 0); // a motor's turn is a hundredth of the joint's
  n = snprintf(text, sizeof text,
               "appell-control: 1\nrobot: %s\n" MOVE
               "axes: [{joint: j1, sensor: absolute, turns: 1, gear: 100}]\n...\n",
               b.file);
  CHECK_OK(ap_control_parse(text, (size_t)n, NULL, NULL, &b.control, &error));
  CHECK(ap_control_open(b.control, &servo, &error) == AP_E_ARG);
  CHECK_HAS(error.text, "repeats every 0.06283 rad, the joint's range is 6.283 rad");
  drop(&b);
}

// ---- commands ----------------------------------------------------------------------------------

TEST(volts_amperes_and_torques_move_alike) {
  static const char *const drives[] = {"volts", "amperes, torque_constant: 0.05", "torque"};
  for (int k = 0; k < 3; k++) {
    char more[500];
    bed b;
    snprintf(more, sizeof more,
             MOVE
             "axes:\n  - {joint: j1, sensor: absolute, gear: 80, drive: %s}\n"
             "  - {joint: j2, sensor: absolute, gear: 80, drive: %s}\n",
             drives[k], drives[k]);
    if (!open_bed(&b, 2, 3, more)) return;
    const ap_axis *a = &b.control->axis[0];
    const double largest[] = {10, 330 / (0.05 * 80), 330};
    CHECK(fabs(a->largest - largest[k]) < 1e-9 && fabs(b.control->torque[0] - 330) < 1e-9);
    check_done(&b, 0.02);
    drop(&b);
  }
}

// ---- torque sensors ----------------------------------------------------------------------------

#define SENSORS                                                                             \
  "axes:\n  - {joint: j1, sensor: absolute, torque_sensor: true, gear: 100, rotor: 1e-4}\n" \
  "  - {joint: j2, sensor: absolute, torque_sensor: true, gear: 100, rotor: 1e-4}\n"

// By the sensors the surroundings are seen whatever friction and rotors do; a push is found with
// its size.
TEST(torque_sensors_feel_the_surroundings_alone) {
  bed b;
  double most = 0;
  if (!open_bed(&b, 2, 3, MOVE SENSORS "rack: {coulomb: 3}\n")) return;
  CHECK_STR(ap_stop_name(run(&b, &most)->stop), "done");
  CHECK(most > 0 && most < 3); // of 330: noise, and what lags
  drop(&b);
  if (!open_bed(&b, 2, 3,
                MOVE SENSORS "rack: {coulomb: 3}\nguards: {contact: 12, residual: 1e9}\n"
                             "fault: {kind: push, joint: j2, at: 0.8, amount: 20}\n"))
    return;
  const ap_servo_result *x = run(&b, NULL);
  CHECK_STR(ap_stop_name(x->stop), "contact");
  CHECK(x->stop_axis == 1 && x->stop_t < 0.83 && x->category == 0);
  CHECK(x->stop_limit == 12 && x->stop_value > 12 && x->stop_value < 20);
  CHECK_STR(x->stop_unit, "N m");
  drop(&b);
}

// ---- status words ------------------------------------------------------------------------------

#define STATUS                                                    \
  "axes:\n  - {joint: j1, sensor: absolute, status_word: true}\n" \
  "  - {joint: j2, sensor: absolute, status_word: true}\n"

TEST(drives_are_enabled_before_the_arm_moves) {
  bed b;
  ap_servo_record r;
  if (!open_bed(&b, 2, 3, MOVE STATUS)) return;
  CHECK(ap_servo_step(b.servo) && ap_servo_take(b.servo, &r));
  CHECK(r.phase == AP_PHASE_HOME && !r.output.brakes);
  CHECK((r.input.status[0] & (AP_AXIS_REPORTS | AP_AXIS_READY | AP_AXIS_ENABLED)) ==
        (AP_AXIS_REPORTS | AP_AXIS_READY));
  check_done(&b, 0.02);
  drop(&b);
}

TEST(a_drive_that_reports_a_fault_stops_the_run_at_once) {
  bed b;
  if (!open_bed(&b, 2, 3, MOVE STATUS "fault: {kind: drive, joint: j2, at: 0.9}\n")) return;
  const ap_servo_result *x = run(&b, NULL);
  CHECK_STR(ap_stop_name(x->stop), "drive");
  CHECK(x->stop_axis == 1 && x->category == 0 && x->stop_t >= 0.9 && x->stop_t < 0.902);
  drop(&b);
}

// A rack whose drives never report that they are enabled.
static ap_status never_enabled(void *context, double t, ap_rack_input *in) {
  const ap_rack *own = context;
  ap_status status = own->read(own->context, t, in);
  for (int j = 0; j < own->axes; j++) in->status[j] &= ~(uint32_t)AP_AXIS_ENABLED;
  return status;
}

static ap_status pass(void *context, double t, const ap_rack_output *out) {
  const ap_rack *own = context;
  return own->write(own->context, t, out);
}

TEST(drives_that_are_not_enabled_in_time_stop_the_run) {
  bed b;
  if (!open_bed(&b, 2, 3, MOVE STATUS)) return;
  ap_rack own = b.control->rack;
  b.control->rack = (ap_rack){.context = &own, .axes = 2, .read = never_enabled, .write = pass};
  const ap_servo_result *x = run(&b, NULL);
  CHECK_STR(ap_stop_name(x->stop), "drive");
  CHECK(x->run_began < 0 && x->stop_t > 0.99 && x->stop_t < 1.1);
  b.control->rack = own;
  drop(&b);
}

// ---- many axes ---------------------------------------------------------------------------------

// A bunch of forty joints on one base.
TEST(forty_axes_are_not_too_many) {
  bed b;
  if (!open_bed(&b, 40, 3,
                "reference: {kind: quintic, from: 0, to: 0.01, time: 0.2}\n"
                "duration: 0.3\nring: 64\nrack: {step: 1e-3, drive_spread: 0}\n"
                "controller: {bandwidth: 10}\n"))
    return;
  CHECK_EQ_INT(b.control->n, 40);
  check_done(&b, 0.05);
  drop(&b);
}

// Links of 0.1 m and 0.2 kg one after the other, axes along and across in turn: 4 m and 8 kg.
static void write_chain(const char *path, int joints) {
  FILE *f = fopen(path, "w");
  if (!CHECK(f)) return;
  fprintf(f, "<robot name=\"chain\"><link name=\"l0\"/>\n");
  for (int k = 1; k <= joints; k++)
    fprintf(f,
            "<link name=\"l%d\"><inertial><origin xyz=\"0 0 0.05\"/><mass value=\"0.2\"/>"
            "<inertia ixx=\"2e-4\" iyy=\"2e-4\" izz=\"1e-4\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>"
            "</inertial></link>\n"
            "<joint name=\"j%d\" type=\"revolute\"><parent link=\"l%d\"/><child link=\"l%d\"/>"
            "<origin xyz=\"0 0 %g\"/><axis xyz=\"%s\"/>"
            "<limit lower=\"-3\" upper=\"3\" effort=\"%g\" velocity=\"3\"/>"
            "<dynamics damping=\"1\" friction=\"0.5\"/></joint>\n",
            k, k, k - 1, k, k > 1 ? 0.1 : 0, k % 2 ? "0 0 1" : "0 1 0",
            200 * (1 - (k - 1) / (double)joints) + 5);
  fprintf(f, "</robot>\n");
  fclose(f);
}

// In a chain the momentum of the first joints has the counts of all encoders in it, which is no
// collision: the guards let it move, by motors without rotors and behind gears.
TEST(a_chain_of_forty_joints_moves) {
  char geared[6000] = "axes:\n";
  for (int k = 1; k <= 40; k++) {
    size_t n = strlen(geared);
    snprintf(geared + n, sizeof geared - n,
             "  - {joint: j%d, sensor: absolute, gear: 100, rotor: 1e-4}\n", k);
  }
  for (int kind = 0; kind < 2; kind++) {
    char more[7000];
    bed b;
    snprintf(more, sizeof more,
             "reference: {kind: quintic, from: 0, to: 0.01, time: 0.5}\n"
             "duration: 0.6\nring: 64\nrack: {step: 5e-4}\n%s",
             kind ? geared : "");
    temporary_name(b.file, sizeof b.file, "chain.urdf");
    write_chain(b.file, 40);
    if (!open_file(&b, more)) return;
    CHECK_EQ_INT(b.control->n, 40);
    check_done(&b, kind ? 0.001 : 0.02);
    drop(&b);
  }
}

// ---- laws of the caller's ----------------------------------------------------------------------

typedef struct own_law {
  int calls, kind;
  double differs;
} own_law;

// kind 0: the law `tracking`, from the model's terms; 1: not a number; 2: far too much.
static void follow(void *context, const ap_law_input *in, double *tau) {
  own_law *own = context;
  own->calls++;
  for (int i = 0; i < in->n; i++) {
    double own_tau = in->bias[i] + in->v[i]; // the file's damping is 1 N m s/rad
    for (int j = 0; j < in->n; j++)
      own_tau += in->inertia[i * in->n + j] *
                 (in->ad[j] - 40 * (in->v[j] - in->vd[j]) - 400 * (in->q[j] - in->qd[j]));
    if (in->phase == AP_PHASE_RUN) own->differs = fmax(own->differs, fabs(own_tau - tau[i]));
    if (own->kind == 1 && in->run_t > 0.5) tau[i] = NAN;
    if (own->kind == 2 && in->run_t > 0.5) tau[i] = 1e6;
  }
}

TEST(a_law_of_the_caller_s_gets_what_it_needs_and_passes_the_guards) {
  static const char *const stops[] = {"done", "not_a_number", "torque"};
  install_heap();
  for (int kind = 0; kind < 3; kind++) {
    own_law own = {.kind = kind};
    bed b;
    ap_servo_record r;
    if (!open_bed(&b, 2, 3,
                  MOVE "guards: {torque: 300, torque_periods: 2, residual: 1e9, following: 0.4}\n"))
      return;
    b.servo->def.law = follow, b.servo->def.law_context = &own;
    allocations = 0, armed = true;
    double most = 0;
    while (ap_servo_step(b.servo))
      while (ap_servo_take(b.servo, &r)) most = fmax(most, fabs(r.tau[0]));
    armed = false;
    CHECK_EQ_INT(allocations, 0);
    const ap_servo_result *x = ap_servo_result_of(b.servo);
    CHECK_STR(ap_stop_name(x->stop), stops[kind]);
    CHECK(x->category == 0 || kind == 0);
    CHECK(most <= 330); // cut at the limit
    CHECK(own.calls > 500);
    // Coulomb friction of 5 and 2.5 N m, which the controller compensates, and it does not.
    CHECK(own.differs < 5 + 1e-6);
    drop(&b);
  }
}
