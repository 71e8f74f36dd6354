// SPDX-License-Identifier: Apache-2.0
// Cylinders on cylinders: motions and impacts solved by hand, and energy.
//
// The cylinder of models/cylinder.yaml, 0.1 m in radius and 0.4 m long, 2 kg, and a second one like
// it, with a shape that a test gives; or a capped cylinder or a disc as a wall.

#include <appell/scenario.h>

#include "rng.h"
#include "test.h"

#define PI 3.14159265358979323846
#define G  9.81

static ap_scenario *scenario;
static ap_sim *sim;
static double weight = G; // m/s2
static double left_at;    // angle of the line of the centres at the first liftoff

static void close_run(void) {
  ap_sim_free(sim);
  ap_scenario_free(scenario);
  sim = NULL;
  scenario = NULL;
}

static ap_status parse(const char *walls, const char *first, const char *second, const char *start,
                       ap_error *error) {
  char text[4096];
  close_run();
  int size = snprintf(text, sizeof text,
                      "appell-scenario: 1\nrobot: cylinder.yaml\ngravity: [0, 0, %.17g]\n%s%s%s"
                      "contacts:\n"
                      "  - {name: c, link: cylinder, shape: cylinder, %s}\n%s%s%s"
                      "start:\n%sduration: 10\n...\n",
                      -weight, *second ? "others:\n  - {robot: cylinder.yaml, name: second}\n" : "",
                      *walls ? "walls:\n" : "", walls, first,
                      *second ? "  - {name: s, link: second_cylinder, shape: cylinder, " : "",
                      second, *second ? "}\n" : "", start);
  return ap_scenario_parse(text, (size_t)size, "models", &scenario, error);
}

static void listen(void *context, const ap_event *event) {
  ap_sim_state s;
  (void)context;
  if (event->kind != AP_EVENT_LIFTOFF || isfinite(left_at) || ap_sim_now(sim, &s, NULL)) return;
  left_at = atan2(s.q[0], s.q[2]);
}

static bool run(const char *walls, const char *first, const char *second, const char *start,
                double t, ap_sim_state *s) {
  ap_error error = {0};
  bool good =
      CHECK_OK(parse(walls, first, second, start, &error)) &&
      CHECK_OK(ap_sim_create(ap_scenario_scene(scenario), &sim, &error)) &&
      CHECK_OK(ap_sim_start(sim, 0, ap_scenario_q(scenario), ap_scenario_v(scenario), &error));
  left_at = INFINITY;
  if (good) ap_sim_on_event(sim, listen, NULL);
  good = good && CHECK_OK(ap_sim_advance(sim, t, &error)) && CHECK_OK(ap_sim_now(sim, s, &error));
  if (!good) printf("  %s\n", error.text);
  return good;
}

static double norm3_of(const double x[3]) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

static const char floor_only[] = "  - {name: floor, kind: plane, friction: 0.5}\n";
static const char own[] = "radius: 0.1, length: 0.4, friction: 0.5";

// A solid cylinder rolls without slipping from the top of a fixed one: with the angle a of the line
// of the centres, energy gives 3/4 (R + r) a'^2 = g (cos a0 - cos a), and the normal force
// m g cos a - m (R + r) a'^2 vanishes where cos a = 4/7 cos a0. Friction is so large that it slips
// in the last 1e-6 of the force alone.
TEST(it_leaves_a_cylinder_at_the_known_angle) {
  ap_sim_state s;
  const double a0 = 0.1, R = 0.5, r = 0.1;
  const char wall[] =
      "  - {name: w, kind: capped_cylinder, radius: 0.5, length: 2, axis: [0, 1, 0], friction: "
      "1e6}\n";
  char start[256];
  snprintf(start, sizeof start,
           "  cylinder: {position: [%.17g, 0, %.17g], rpy: [1.5707963267948966, 0, 0]}\n",
           (R + r) * sin(a0), (R + r) * cos(a0));
  if (run(wall, own, "", start, 0.6, &s)) {
    double a = atan2(s.q[0], s.q[2]), rate = hypot(s.v[0], s.v[1]) / (R + r);
    CHECK_CLOSE(hypot(s.q[0], s.q[2]), R + r, 1e-10);
    CHECK_CLOSE(0.75 * (R + r) * rate * rate, G * (cos(a0) - cos(a)), 1e-8);
    CHECK_CLOSE(s.q[1], 0, 1e-12);
  }
  if (run(wall, own, "", start, 1.2, &s)) {
    CHECK_CLOSE(left_at, acos(4.0 / 7 * cos(a0)), 1e-6);
    CHECK_CLOSE(s.closing, 0, 1e-9 * 2 * G);
    CHECK_CLOSE(s.lost, 0, 1e-9);
  }
  close_run();
}

// A cylinder rolls down a height field, over seams that are nothing, with 2/3 g sin; it rolls over
// a rectangle and off its end, and stands on a step and on a disc.
TEST(it_rolls_and_stands_on_walls_with_edges) {
  ap_sim_state s;
  const double t = 0.8, sine = 0.6, way = 0.5 * 2 / 3 * G * sine * t * t; // of 3, 4, 5
  const char slope[] =
      "  - {name: w, kind: height_field, spacing: [0.8, 0.8], heights: "
      "[[0, -0.6, -1.2, -1.8], [0, -0.6, -1.2, -1.8], [0, -0.6, -1.2, -1.8]], "
      "friction: 0.5}\n";
  const char place[] = // on (0.33, -0.2475)
      "  cylinder: {position: [0.39, 0.7, -0.1675], rpy: [1.5707963267948966, 0, 0]}\n";
  if (run(slope, own, "", place, t, &s)) {
    CHECK_CLOSE(s.q[0], 0.39 + 0.8 * way, 1e-8);
    CHECK_CLOSE(s.q[2], -0.1675 - 0.6 * way, 1e-8);
    CHECK_CLOSE(s.closing, 0, 1e-9 * 2 * G);
  }
  const char table[] = "  - {name: w, kind: rectangle, lengths: [1, 1], friction: 0.5}\n";
  if (run(table, own, "",
          "  cylinder: {position: [0.2, 0, 0.1], rpy: [1.5707963267948966, 0, 0], velocity: "
          "[1, 0, 0], angular_velocity: [0, 10, 0]}\n",
          0.6, &s)) {
    CHECK(s.q[0] > 0.55 && s.q[2] < 0);
    CHECK_CLOSE(s.lost, 0, 1e-9);
    CHECK_CLOSE(s.closing, 0, 1e-9 * 2 * G);
  }
  static const char *const steps[] = {
      "  - {name: w, kind: stairs, axis: [0, -1, 0], steps: 3, rise: 0.1, run: 0.3, friction: "
      "0.5}\n",
      "  - {name: w, kind: disc, centre: [0.45, 0, 0.2], radius: 0.3, friction: 0.5}\n"};
  for (int i = 0; i < 2; i++)
    if (run(steps[i], own, "", "  cylinder: {position: [0.45, 0, 0.5]}\n", 1, &s)) {
      CHECK_CLOSE(s.q[2], 0.4, 1e-9);
      CHECK_CLOSE(s.q[0], 0.45, 1e-9);
      CHECK_CLOSE(s.lost, 2 * G * 0.1, 1e-8);
    }
  close_run();
}

// Two cylinders meet end to end on one axis, side by side, crosswise and end to side: the impulse
// of a central impact with the restitution of both. Turned by the start, speeds are those of the
// world.
TEST(they_collide) {
  static const char *const starts[] = {
      "position: [0, 0, 0.6], velocity: [0, 0, -1]", "position: [0.4, 0, 0], velocity: [-1, 0, 0]",
      "position: [0.4, 0, 0], rpy: [1.5707963267948966, 0, 0], velocity: [-1, 0, 0]",
      "position: [0, 0, 0.6], rpy: [1.5707963267948966, 0, 0], velocity: [0, 0, -1]",
      "position: [0.1, 0, 0.6], rpy: [0.3, 1.2, 0.4], velocity: [-0.16, 0, -1]"};
  const char bounces[] = "radius: 0.1, length: 0.4, restitution: 0.5";
  weight = 0;
  for (int i = 0; i < 4; i++) {
    ap_sim_state s;
    char start[256];
    test_context("start %d", i);
    snprintf(start, sizeof start, "  cylinder: {position: [0, 0, 0]}\n  second_cylinder: {%s}\n",
             starts[i]);
    if (!run("", bounces, bounces, start, 0.5, &s)) continue;
    CHECK_CLOSE(norm3_of(s.v), 0.75, 1e-12);
    CHECK_CLOSE(norm3_of(s.v + 6), 0.25, 1e-12);
    CHECK_CLOSE(norm3_of(s.v + 3) + norm3_of(s.v + 9), 0, 1e-12);
    CHECK_CLOSE(s.lost, 0.375, 1e-12);
  }
  // End to end with parallel axes at the distance d: by symmetry the impulse P acts half way, where
  // both ends are, and both turn alike: P (2 / m + 2 (d / 2)^2 / I) = 1 + e, w = P d / 2 I.
  ap_sim_state s;
  const double d = hypot(0.05, 0.02), P = 1.5 / (1 + d * d / (2 * 0.03166666666666667));
  if (run("", bounces, bounces,
          "  cylinder: {position: [0, 0, 0]}\n  second_cylinder: {position: [0.05, 0.02, 0.6], "
          "velocity: [0, 0, -1]}\n",
          0.5, &s)) {
    CHECK_CLOSE(norm3_of(s.v), P / 2, 1e-9);
    CHECK_CLOSE(norm3_of(s.v + 6), 1 - P / 2, 1e-9);
    CHECK_CLOSE(norm3_of(s.v + 3), P * d / 2 / 0.03166666666666667, 1e-9);
    CHECK_CLOSE(norm3_of(s.v + 9), P * d / 2 / 0.03166666666666667, 1e-9);
    CHECK_CLOSE(s.closing, 0, 1e-9);
  }
  weight = G;
  close_run();
}

// One lies on the floor and the other across it, balanced; it may fall there first.
TEST(one_lies_across_another) {
  ap_sim_state s;
  for (int i = 0; i < 2; i++) {
    char start[256];
    double height = i ? 0.35 : 0.3;
    snprintf(start, sizeof start,
             "  cylinder: {position: [0, 0, 0.1], rpy: [1.5707963267948966, 0, 0]}\n"
             "  second_cylinder: {position: [0, 0, %g], rpy: [0, 1.5707963267948966, 0]}\n",
             height);
    if (!run(floor_only, own, own, start, 1, &s)) continue;
    CHECK_CLOSE(s.q[2], 0.1, 1e-9);
    CHECK_CLOSE(s.q[9], 0.3, 1e-9);
    CHECK_CLOSE(s.q[7], 0, 1e-9);
    CHECK_CLOSE(s.lost, 2 * G * (height - 0.3), 1e-9);
    CHECK_CLOSE(s.closing, 0, 1e-9 * 2 * G);
  }
  close_run();
}

// One stands on the other: coaxial, and with its centre of mass over the end of the other one, in
// directions to the places that carry and between them. Beyond that it falls.
TEST(one_stands_on_another) {
  ap_sim_state s;
  static const double off[] = {0, 0.03, 0.09, 0.097, 0.103};
  for (int i = 0; i < 15; i++) {
    double angle = i / 5 * PI / 16, d = off[i % 5];
    char start[256];
    test_context("%g m off, %g", d, angle);
    snprintf(start, sizeof start,
             "  cylinder: {position: [0, 0, 0.2]}\n"
             "  second_cylinder: {position: [%.17g, %.17g, 0.6]}\n",
             d * cos(angle), d * sin(angle));
    if (!run(floor_only, own, own, start, 1, &s)) continue;
    CHECK_CLOSE(s.closing, 0, 1e-9 * 2 * G);
    CHECK((fabs(s.q[9] - 0.6) < 1e-9) == (d < 0.1));
    if (d < 0.1) CHECK_CLOSE(hypot(s.q[7], s.q[8]), d, 1e-9);
  }
  // of other radii, and fallen there
  if (run(floor_only, own, "radius: 0.05, length: 0.2, friction: 0.5",
          "  cylinder: {position: [0, 0, 0.2]}\n"
          "  second_cylinder: {position: [0.02, 0.01, 0.6]}\n",
          1, &s)) {
    CHECK_CLOSE(s.q[9], 0.5, 1e-9);
    CHECK_CLOSE(s.lost, 2 * G * 0.1, 1e-8);
    CHECK_CLOSE(s.closing, 0, 1e-9 * 2 * G);
  }
  close_run();
}

// They fall on each other and on the floor. Where a contact at the limit of its friction begins and
// ceases to slide at one moment, the run goes on in strides, whose balance is 1e-6 of the energy
// (docs/impacts.md); that is rare.
TEST(they_fall_on_each_other) {
  const double energy = 2 * G * 1.3;
  int strides = 0;
  static const char *const shapes[] = {own, "radius: 0.15, length: 0.05, friction: 0.5",
                                       "radius: 0.03, length: 0.5, friction: 0.5"};
  for (int i = 0; i < 24; i++) {
    rng random = rng_seed((uint64_t)i + 1);
    char start[512];
    ap_sim_state s;
    double angle[6], x = rng_uniform(&random, -0.15, 0.15);
    for (int k = 0; k < 6; k++) angle[k] = rng_uniform(&random, -1.5, 1.5);
    test_context("scene %d", i);
    bool above = i / 4 % 2 == 1;
    snprintf(start, sizeof start,
             "  cylinder: {position: [0, 0, %g], rpy: [%g, %g, %g]}\n"
             "  second_cylinder: {position: [%g, 0, %g], rpy: [%g, %g, %g]}\n",
             above ? 0.9 : 0.4, angle[0], angle[1], angle[2], x, above ? 0.3 : 0.9, angle[3],
             angle[4], angle[5]);
    if (!run(floor_only, own, shapes[i % 3], start, 0.8, &s)) continue;
    CHECK_CLOSE(s.closing, 0, 1e-6 * energy);
    strides += fabs(s.closing) > 1e-9 * energy;
  }
  CHECK(strides <= 2);
  close_run();
}
