// SPDX-License-Identifier: Apache-2.0
// References that arrive while the arm moves: followed, starved, beyond the joints' limits. And the
// motion of an arm after its power was cut.

#include <appell/control.h>
#include <math.h>

#include "ctrl/control.h"
#include "ctrl/servo.h"
#include "test.h"

enum { N = 6 };

static const char head[] =
    "appell-control: 1\nrobot: models/control/ur10_arm.yaml\nreference: {kind: stream}\n"
    "brake: 3\nring: 64\nrack: {step: 1e-3, brake_close: 0.04}\n"
    "guards: {lower: -2, upper: 2}\n...\n";

typedef struct bed {
  ap_control *control;
  ap_servo *servo;
} bed;

static bool open_bed(bed *b) {
  ap_error error = {0};
  *b = (bed){0};
  const bool good =
      CHECK_OK(ap_control_parse(head, sizeof head - 1, NULL, NULL, &b->control, &error)) &&
      CHECK_OK(ap_control_open(b->control, &b->servo, &error));
  if (!good) printf("%d: %s\n", error.line, error.text);
  return good;
}

// Where the reference is after t seconds: a ramp of 0.6 rad/s that sets out smoothly.
static double ramp(double t) { return t < 0.4 ? 0.75 * t * t : 0.12 + 0.6 * (t - 0.4); }

// A period; a point each 20 ms, up to `last` seconds. `off` is added to joint 1 from 0.5 s on.
static bool step(bed *b, int *points, double last, double off) {
  ap_servo_record r;
  while (*points * 0.02 <= last && *points * 0.02 < b->servo->record.run_t + 0.1) {
    const double t = *points * 0.02;
    double q[N];
    for (int j = 0; j < N; j++) q[j] = ramp(t) + (j == 1 && t >= 0.5 ? off : 0);
    CHECK_OK(ap_stream_put(ap_control_stream(b->control), 7 + t, q, NULL, NULL));
    ++*points;
  }
  const bool more = ap_servo_step(b->servo);
  while (ap_servo_take(b->servo, &r)) continue;
  return more;
}

static const ap_servo_result *result(bed *b) {
  const ap_servo_result *x = ap_servo_result_of(b->servo);
  test_context("%s, axis %d at %.3f s: %g, limit %g", ap_stop_name(x->stop), x->stop_axis,
               x->stop_t, x->stop_value, x->stop_limit);
  return x;
}

// Points that do not come any more: every joint decelerates as asked, from the speed that it had,
// and rests before the power goes.
TEST(a_starved_stream_ends_in_a_controlled_stop) {
  bed b;
  int points = 0;
  double q[N], v[N], from[N] = {0}, most[N] = {0};
  if (!open_bed(&b)) return;
  bool stopped = false;
  for (bool more = true; more;) {
    more = step(&b, &points, 0.7, 0);
    ap_rack_truth(&b.control->rack, q, v, NULL);
    if (!stopped && b.servo->result.stop != AP_STOP_NONE) memcpy(from, q, sizeof q), stopped = true;
    for (int j = 0; stopped && j < N; j++) most[j] = fmax(most[j], fabs(v[j]));
  }
  const ap_servo_result *x = result(&b);
  CHECK_STR(ap_stop_name(x->stop), "reference");
  CHECK(x->category == 1 && x->stop_axis == -1 && x->cut == AP_CUT_NONE);
  // The last point but one is the last that can be passed: velocities need a neighbour.
  CHECK(x->stop_t - x->run_began > 0.66 && x->stop_t - x->run_began < 0.71);
  CHECK(x->brakes_t - x->stop_t > 0.6 / 3 - 0.01); // it has rested before
  for (int j = 0; j < N; j++) {
    CHECK(fabs(v[j]) < 1e-3);
    CHECK(most[j] < 0.66);
    CHECK(fabs(q[j] - from[j] - 0.6 * 0.6 / (2 * 3)) < 0.01); // v^2 / 2 a
  }
  ap_control_free(b.control);
}

// Nor is a stream waited for that has ended before its first point.
TEST(a_stream_without_points_stops) {
  bed b;
  int points = 0, periods = 0;
  if (!open_bed(&b)) return;
  while (periods < 100 && step(&b, &points, -1, 0)) periods++; // held where it is
  CHECK_EQ_INT(periods, 100);
  ap_stream_end(ap_control_stream(b.control));
  while (periods < 10000 && step(&b, &points, -1, 0)) periods++;
  const ap_servo_result *x = result(&b);
  CHECK_STR(ap_stop_name(x->stop), "reference");
  CHECK(x->category == 1 && periods < 10000);
  ap_control_free(b.control);
}

// A jump of the points names the reference, the joint and its limit, before the arm follows it.
TEST(a_stream_that_asks_for_too_much_is_stopped_as_such) {
  static const struct {
    double off, last;
    const char *unit;
  } known[] = {{0.1, 0.7, "rad/s"}, {-3, 0.7, "rad/s"}, {0, 9, "rad"}};
  for (int k = 0; k < 3; k++) {
    bed b;
    int points = 0;
    double v[N], most = 0;
    if (!open_bed(&b)) return;
    while (step(&b, &points, known[k].last, known[k].off)) {
      ap_rack_truth(&b.control->rack, NULL, v, NULL);
      most = fmax(most, fabs(v[1]));
    }
    const ap_servo_result *x = result(&b);
    CHECK_STR(ap_stop_name(x->stop), "reference");
    CHECK_STR(x->stop_unit, known[k].unit);
    CHECK(x->stop_axis == (k < 2 ? 1 : 0)); // category 1, or 0 where the jump was felt before
    CHECK(x->stop_limit == (k < 2 ? 2.1 : 2) && x->stop_value > x->stop_limit);
    CHECK(most < 2.1);
    ap_control_free(b.control);
  }
}

// What the result says of the motion after the power was cut is what the arm did.
TEST(the_motion_after_a_cut_is_measured) {
  bed b;
  int points = 0;
  double v[N], before[N], after[N];
  if (!open_bed(&b)) return;
  const ap_rack_fault fault = {AP_FAULT_DRIVE, 2, 0.6, 0};
  CHECK_OK(ap_rack_inject(&b.control->rack, &fault));
  while (step(&b, &points, 5, 0)) continue;
  const ap_servo_result *x = result(&b);
  CHECK(x->category == 0 && isnan(x->coast_way[0]) && isnan(x->coast_speed[0]));
  ap_rack_truth(&b.control->rack, before, v, NULL);
  const long periods = x->periods;
  ap_servo_coast(b.servo);
  ap_rack_truth(&b.control->rack, after, v, NULL);
  CHECK_EQ_INT(x->periods, periods);
  for (int j = 0; j < N; j++) {
    CHECK(fabs(v[j]) < 1e-9);
    // One that swings back went further than where it ends.
    CHECK(x->coast_way[j] > fabs(after[j] - before[j]) - 1e-4);
    CHECK(x->coast_way[j] < 0.2 && x->coast_speed[j] < 3);
  }
  CHECK(x->coast_way[0] > 0.3 * 0.04 && x->coast_speed[0] > 0.3);
  const double way = x->coast_way[0];
  ap_servo_coast(b.servo); // once
  CHECK(x->coast_way[0] == way);
  ap_control_free(b.control);
}
