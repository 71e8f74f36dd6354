// SPDX-License-Identifier: Apache-2.0
// Control scenarios: what is read, what is refused, and that nothing breaks the reader.

#include <appell/control.h>

#include "ctrl/control.h"
#include "manual.h"

static const char head[] =
    "appell-control: 1\n"
    "robot: puma600\n"
    "axes:\n"
    "  - {joint: joint1}\n  - {joint: joint2}\n  - {joint: joint3}\n"
    "  - {joint: joint4}\n  - {joint: joint5}\n  - {joint: joint6}\n";

// A scenario of the head, with more behind it.
static ap_status read_with(const char *more, ap_control **c, ap_error *error) {
  char text[8192];
  int n = snprintf(text, sizeof text, "%s%s...\n", head, more);
  *error = (ap_error){0};
  return ap_control_parse(text, (size_t)n, "models/control", NULL, c, error);
}

static void refused(const char *more, const char *what) {
  ap_control *c = NULL;
  ap_error error;
  test_context("%.120s", more);
  CHECK(read_with(more, &c, &error) != AP_OK);
  CHECK(c == NULL && error.line > 0);
  CHECK_HAS(error.text, what);
}

#define HOLD "reference: {kind: hold, to: 0.1}\n"

TEST(defaults_are_the_library_s) {
  ap_control *c;
  ap_error error;
  ap_realtime realtime;
  CHECK_OK(read_with(HOLD, &c, &error));
  CHECK_STR(ap_control_name(c), "control");
  CHECK(!ap_control_realtime(c, &realtime) && !ap_control_logs_run_alone(c));
  const ap_servo_def d = ap_default_servo();
  CHECK(c->servo_def.period == d.period && c->servo_def.observer == d.observer);
  CHECK(c->servo_def.guards.stuck == d.guards.stuck && c->servo_def.ring == d.ring);
  CHECK(c->sim.pot_noise == ap_default_sim_rack().pot_noise && c->sim.seed == 1);
  CHECK(c->gains[3].kp == 400 && c->gains[3].kd == 40 && c->torque[2] == 10);
  double q[6];
  ap_traj_at(ap_control_reference(c), 0.5, q, NULL, NULL);
  CHECK(q[0] == 0.1 && q[5] == 0.1);
  ap_control_free(c);
}

TEST(numbers_go_where_they_belong) {
  ap_control *c;
  ap_error error;
  CHECK_OK(
      read_with(HOLD
                "rate: 500\nlog: run\ncontroller: {law: point, bandwidth: [1, 2, 3, 4, 5, 6]}\n"
                "changes: [{at: 1, law: pd_gravity}, {at: 2, law: tracking}]\n"
                "rack: {spread: 0.1, coulomb: [1, 2, 3, 4, 5, 6], payload: 2, seed: 9}\n"
                "fault: {kind: thermo, joint: joint4, at: 3}\n"
                "guards: {velocity: 2, misses: 7, torque_periods: 0}\n",
                &c, &error));
  CHECK(c->servo_def.period == 0.002 && c->run_alone && c->law.law == AP_LAW_POINT);
  CHECK(c->servo_def.changes == 2 && c->change[0].law == AP_LAW_PD_GRAVITY);
  CHECK(c->imperfection[4].coulomb == 5 && c->sim.payload == 2 && c->sim.seed == 9);
  CHECK(c->fault.kind == AP_FAULT_THERMO && c->fault.axis == 3 && c->fault.at == 3);
  CHECK(c->servo_def.guards.velocity[5] == 2 && c->servo_def.guards.misses == 7);
  ap_control_free(c);
}

TEST(every_kind_of_reference_is_made) {
  static const char *const kinds[] = {"{kind: ramp, from: 0, to: [1, 2, 3, 4, 5, 6], time: 3}",
                                      "{kind: trapezoid, from: 0, to: 1, velocity: 0.5}",
                                      "{kind: quintic, from: 0, to: 1, time: 2}",
                                      "{kind: spline, degree: 3, times: [0, 1, 2], points: [[0, 0, "
                                      "0, 0, 0, 0], [1, 1, 1, 1, 1, 1], "
                                      "[0, 0, 0, 0, 0, 0]]}",
                                      "{kind: fourier, period: 2, time: 4, sine: [[1], [1], [1], "
                                      "[1], [1], [1]], cosine: [[0], [0], "
                                      "[0], [0], [0], [0]]}",
                                      "{kind: line, from: [0.6, 0.175, 0.25], to: [0.5, 0.275, "
                                      "0.25], euler: [0.785, 1.047, 1.571], "
                                      "guess: [0.04, 0.32, 0.2, 1.09, 0.72, 1.04]}"};
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    char more[1024];
    ap_control *c = NULL;
    ap_error error;
    snprintf(more, sizeof more, "reference: %s\n", kinds[k]);
    test_context("%s", kinds[k]);
    if (!CHECK_OK(read_with(more, &c, &error))) printf("%s\n", error.text);
    ap_control_free(c);
  }
}

TEST(what_cannot_be_is_refused_with_its_line) {
  refused("", "reference");
  refused("reference: {kind: quintic, from: [1e308, 0, 0, 0, 0, 0], to: 0, time: 2}\n", "inf");
  refused(HOLD "rate: 0\n", "rate: 0 Hz");
  refused(HOLD "rate: fast\n", "not a number");
  refused(HOLD "controller: {law: pid}\n", "tracking_integral");
  refused(HOLD "controller: {bandwidth: [1, 2]}\n", "bandwidth");
  refused(HOLD "controller: {damping: -1}\n", "negative");
  refused(HOLD "rack: {coulomb: -1}\n", "negative");
  refused(HOLD "rack: {payload_link: hand}\n", "no such link");
  refused(HOLD "rack: {output_bits: 99}\n", "between 1 and 32");
  refused(HOLD "rack: {kind: comedi}\n", "time: real");
  refused(HOLD "time: real\nrack: {kind: comedi}\n", "devices");
  refused(HOLD "guards: {misses: 0}\n", "misses");
  refused(HOLD "guards: {following: -1}\n", "not positive");
  refused(HOLD "guards: {lower: 1, upper: 0}\n", "lower not below upper");
  refused(HOLD "rack: {latency: 10}\n", "latency");
  refused("reference: {kind: hold, to: 1e300}\n", "limit is 1e+06");
  refused(HOLD "guards: {misses: 2.5}\n", "misses");
  refused(HOLD "guards: {deadline: never}\n", "stop count");
  refused(HOLD "ring: 1000\n", "power of two");
  refused(HOLD "priority: 100\n", "priority 100");
  refused(HOLD "cpu: 0.5\n", "cpu 0.5");
  refused(HOLD "rack: {seed: 1.5}\n", "whole");
  refused(HOLD "rack: {drive_spread: 1}\n", "spread");
  refused("reference: {kind: ramp, from: 0, to: 1, time: 1, corner: 0.6}\n", "corners");
  refused(HOLD "fault: {kind: thermo, joint: joint9, at: 1}\n", "did you mean");
  refused(HOLD "guards: {upper: 0.05}\n", "limit is 0.05");
  refused(HOLD "changes: [{at: 2, law: point}, {at: 1, law: point}]\n", "order of time");
  refused(HOLD "axes: []\n", "duplicate");
  refused("reference: {kind: ramp, to: 1}\n", "from is missing");
  refused(
      "reference: {kind: spline, times: [0, 0], points: [[0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, "
      "1]]}\n",
      "times must increase");
  refused("reference: {kind: line, from: [9, 0, 0], to: [9, 1, 0]}\n", "along the line");
  refused("reference: {kind: line, from: [0.6, 0.175, 0.25], to: [0.5, 0.2, 0.2], frame: x}\n",
          "no such frame");
  refused("reference: {kind: file, file: nothing.csv}\n", "reference");
}

TEST(the_manual_shows_every_key) { manual_shows("docs/control.md", ap__control_keys); }

// The manual's table of stops is the library's list, with its categories.
TEST(the_manual_shows_every_stop) {
  char *manual = file_text("docs/control.md", NULL);
  if (!CHECK(manual)) return;
  static const ap_stop stops[] = {
#define STOP(code, name, text, category) code,
      AP_STOP_LIST(STOP)
#undef STOP
  };
  const char *table = strstr(manual, "| reason | category | found when |");
  const char *end = table ? strstr(table, "\n\n") : NULL;
  int rows = -2; // heading and rule
  for (const char *row = table; end && row < end && (row = strchr(row, '\n')); row++) rows++;
  CHECK_EQ_INT(rows, (int)(sizeof stops / sizeof stops[0]) - 1); // none is no stop
  for (size_t k = 1; k < sizeof stops / sizeof stops[0]; k++) {
    char row[100];
    snprintf(row, sizeof row, "\n| %s | %d |", ap_stop_name(stops[k]), ap_stop_category(stops[k]));
    const char *found = table ? strstr(table, row) : NULL;
    if (!CHECK(found && found < end)) printf("%s\n", row);
  }
  free(manual);
}

// The kinds of faults in files are those of the rack, in their order; the manual explains each.
TEST(the_manual_explains_every_fault) {
  char *manual = file_text("docs/control.md", NULL), names[600] = "", line[64];
  if (!CHECK(manual)) return;
#define FAULT(code, name, text)                           \
  snprintf(line, sizeof line, "\n- `%s`: ", name);        \
  CHECK_HAS(manual, line);                                \
  if (names[0]) strncat(names, " ", 2);                   \
  strncat(names, name, sizeof names - strlen(names) - 1); \
  CHECK_STR(ap_fault_name(code), name);
  AP_FAULT_LIST(FAULT)
#undef FAULT
  for (const ap__yaml_key *k = ap__control_keys; k->map; k++)
    if (strcmp(k->map, "fault") == 0 && strcmp(k->key, "kind") == 0) CHECK_STR(k->of, names);
  free(manual);
}

TEST(models_are_read_without_a_warning) {
  static const char *const names[] = {"puma_spline",  "puma_ramp",    "puma_line",
                                      "puma_payload", "puma_fault",   "puma_clock",
                                      "puma_quintic", "ur10_quintic", "iiwa_quintic"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    char path[80];
    ap_control *c = NULL;
    ap_error error = {0};
    snprintf(path, sizeof path, "models/control/%s.yaml", names[k]);
    test_context("%s", path);
    if (!CHECK_OK(ap_control_read(path, NULL, &c, &error))) printf("%s\n", error.text);
    CHECK(c && ap_control_warning(c, 0) == NULL);
    ap_control_free(c);
  }
}

// Whatever is done to a scenario, it is read or refused with a reason.
TEST(a_broken_file_breaks_nothing) {
  size_t length;
  char *text = file_text("models/control/puma_payload.yaml", &length);
  if (!CHECK(text)) return;
  static const char bytes[] = "\n -:[]{}#0919e.x\"'\xff";
  unsigned seed = 1;
  for (int k = 0; k < 1500; k++) {
    char *copy = malloc(length + 1);
    memcpy(copy, text, length + 1);
    size_t n = length;
    for (int changes = 0; changes < 1 + k % 4; changes++) {
      seed = seed * 1664525u + 1013904223u;
      copy[(seed >> 8) % length] = bytes[(seed >> 3) % (sizeof bytes - 1)];
    }
    if (k % 5 == 0) n = (seed >> 7) % length;
    ap_control *c = NULL;
    ap_error error = {0};
    ap_status status = ap_control_parse(copy, n, "models/control", NULL, &c, &error);
    CHECK((status == AP_OK) == (c != NULL));
    if (status) CHECK(error.status == status && error.text[0]);
    ap_control_free(c);
    free(copy);
  }
  free(text);
}
