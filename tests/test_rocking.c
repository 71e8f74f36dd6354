// SPDX-License-Identifier: Apache-2.0
// Cylinders that rock, tip and roll on their rims: energy, and motions solved by hand.
//
// The cylinder of models/cylinder.yaml: radius r, half of its length h, 2 kg.

#include <appell/scenario.h>

#include "rng.h"
#include "test.h"

static const double r = 0.1, h = 0.2, mass = 2, g = 9.81, across = 0.03166666666666667,
                    along = 0.01;
static const double pi = 3.14159265358979323846;

static ap_scenario *scenario;
static ap_sim *sim;
static int impacts;
static ap_event first; // impact

static void listen(void *context, const ap_event *event) {
  (void)context;
  if (event->kind == AP_EVENT_IMPACT && impacts++ == 0) first = *event;
}

static void close_run(void) {
  ap_sim_free(sim);
  ap_scenario_free(scenario);
  sim = NULL;
  scenario = NULL;
}

// On a plane with a normal; `wall` is the rest of that and `start` that of the start.
static bool run(const double n[3], const char *wall, const char *start, double t, ap_sim_state *s) {
  char text[1024];
  ap_error error = {0};
  close_run();
  impacts = 0;
  int size = snprintf(
      text, sizeof text,
      "appell-scenario: 1\nrobot: cylinder.yaml\nwalls:\n"
      "  - {name: floor, kind: plane, normal: [%.17g, %.17g, %.17g], %s}\n"
      "contacts:\n  - {name: c, link: cylinder, shape: cylinder, radius: 0.1, length: 0.4}\n"
      "start:\n  cylinder: {%s}\nduration: 10\n...\n",
      n[0], n[1], n[2], wall, start);
  bool good = CHECK_OK(ap_scenario_parse(text, (size_t)size, "models", &scenario, &error)) &&
              CHECK_OK(ap_sim_create(ap_scenario_scene(scenario), &sim, &error));
  if (good) ap_sim_on_event(sim, listen, NULL);
  good = good &&
         CHECK_OK(ap_sim_start(sim, 0, ap_scenario_q(scenario), ap_scenario_v(scenario), &error)) &&
         CHECK_OK(ap_sim_advance(sim, t, &error)) && CHECK_OK(ap_sim_now(sim, s, &error));
  if (!good) printf("  %s\n", error.text);
  return good;
}

static void axis_of(const ap_sim_state *s, double axis[3]) {
  const double *q = s->q + 3;
  axis[0] = 2 * (q[0] * q[2] + q[3] * q[1]);
  axis[1] = 2 * (q[1] * q[2] - q[3] * q[0]);
  axis[2] = 1 - 2 * (q[0] * q[0] + q[1] * q[1]);
}

// How far its lowest place is above the plane through the origin.
static double height(const ap_sim_state *s, const double n[3]) {
  double a[3], c[3];
  axis_of(s, a);
  for (int k = 0; k < 3; k++)
    c[k] = a[(k + 1) % 3] * n[(k + 2) % 3] - a[(k + 2) % 3] * n[(k + 1) % 3];
  double up = n[0] * s->q[0] + n[1] * s->q[1] + n[2] * s->q[2];
  double lean = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
  return up - h * fabs(a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) - r * lean;
}

static const double upright[3] = {0, 0, 1};

// Released leaning, on its rim or above it, exactly in a plane or with a turn out of it: then its
// lowest place sweeps round the rim, the faster the smaller that is. Energy is that of the fall
// from the plane's lowest place, m g times the height of the start.
TEST(rocking_keeps_its_ledger) {
  static const char *const walls[] = {"friction: 0", "friction: 0.3", "friction: 1000",
                                      "friction: 0.3, restitution: 0.5"};
  const double turns[] = {0, 1e-9, 1e-8, 1e-7, 3e-7, 1e-6, 1e-4, 1e-2, 1};
  for (int wall = 0; wall < 4; wall++)
    for (int k = 0; k < 9; k++) {
      char start[256];
      ap_sim_state s;
      double tilt = k % 2 ? 0.03 : 0.1, z = h * cos(tilt) + r * sin(tilt);
      test_context("%s, turns %g", walls[wall], turns[k]);
      snprintf(start, sizeof start,
               "position: [0, 0, %.17g], rpy: [0, %g, 0], angular_velocity: [%g, 0, 0]", z, tilt,
               turns[k]);
      if (!run(upright, walls[wall], start, 0.5, &s)) continue;
      CHECK_CLOSE(s.closing, 0, 1e-9 * mass * g * z);
      CHECK(height(&s, upright) > -1e-10);
      if (turns[k] >= 1e-6 && wall == 0) CHECK_CLOSE(s.lost, 0, 1e-12); // it rolls: no impact
    }
  close_run();
}

// The same on inclines in random directions, dropped, turning about its axis.
TEST(rocking_anywhere) {
  for (int i = 0; i < 30; i++) {
    rng random = rng_seed((uint64_t)i + 1);
    double slope = rng_uniform(&random, 0, 0.1), way = rng_uniform(&random, 0, 2 * pi);
    double c = 1 / sqrt(1 + slope * slope);
    const double n[3] = {slope * c * cos(way), slope * c * sin(way), c};
    double tilt = pow(10, rng_uniform(&random, -3, -1)), yaw = rng_uniform(&random, 0, 2 * pi);
    const double a[3] = {sin(tilt) * cos(yaw), sin(tilt) * sin(yaw), cos(tilt)};
    double lean = a[0] * n[0] + a[1] * n[1] + a[2] * n[2];
    double up = h * lean + r * sqrt(1 - lean * lean) + rng_uniform(&random, 0, 0.01);
    char wall[64], start[256];
    ap_sim_state s;
    test_context("scene %d", i);
    snprintf(wall, sizeof wall, "friction: %g, restitution: %g", i % 3 * 0.3,
             i % 2 * rng_uniform(&random, 0, 0.5));
    snprintf(start, sizeof start,
             "position: [%.17g, %.17g, %.17g], rpy: [0, %.17g, %.17g], angular_velocity: [%.17g, "
             "0, %.17g]",
             n[0] * up, n[1] * up, n[2] * up, tilt, yaw, pow(10, rng_uniform(&random, -9, -1)),
             rng_uniform(&random, 0, 1));
    if (!run(n, wall, start, 0.4, &s)) continue;
    CHECK_CLOSE(s.closing, 0, 1e-9 * mass * g * up);
    CHECK(height(&s, n) > -1e-10);
  }
  close_run();
}

// Exactly in a plane the lowest place jumps to the opposite side: an inelastic impact there. With
// friction it turns about that place, without any it keeps its place above.
TEST(rocking_in_a_plane) {
  const double sticks = (across + mass * (h * h - r * r)) / (across + mass * (h * h + r * r));
  const double slides = (across - mass * r * r) / (across + mass * r * r);
  for (int k = 0; k < 2; k++)
    for (int way = 0; way < 4; way++) {
      double tilt = 0.1, ratio = k ? sticks : slides, yaw = way * pi / 16;
      double z = h * cos(tilt) + r * sin(tilt), fell = mass * g * (z - h);
      char start[160];
      ap_sim_state s;
      snprintf(start, sizeof start, "position: [0, 0, %.17g], rpy: [0, %g, %.17g]", z, tilt, yaw);
      if (!run(upright, k ? "friction: 1000" : "friction: 0", start, 0.14, &s)) continue;
      if (!CHECK(impacts > 0)) continue;
      CHECK_CLOSE(first.lost, fell * (1 - ratio * ratio), 1e-7 * fell);
    }
  close_run();
}

// It tips over the side of its flat end in any direction, also between two places that carry:
// where tan = r / h.
TEST(it_tips_in_any_direction) {
  for (int k = 0; k < 9; k++)
    for (int over = 0; over < 2; over++) {
      double way = k * pi / 32, slope = r / h * (over ? 1 + 1e-6 : 1 - 1e-6);
      double c = 1 / sqrt(1 + slope * slope), half = 0.5 * atan(slope), axis[3];
      const double n[3] = {slope * c * cos(way), slope * c * sin(way), c};
      double x = -sin(way) * sin(half), y = cos(way) * sin(half), w = cos(half);
      char start[256];
      ap_sim_state s;
      test_context("%d of 32, %s", k, over ? "over" : "under");
      snprintf(start, sizeof start, "position: [%.17g, %.17g, %.17g], rpy: [%.17g, %.17g, %.17g]",
               h * n[0], h * n[1], h * n[2], atan2(2 * w * x, 1 - 2 * (x * x + y * y)),
               asin(2 * w * y), atan2(2 * x * y, 1 - 2 * y * y));
      if (!run(n, "friction: 2", start, 1, &s)) continue;
      axis_of(&s, axis);
      double off = hypot(axis[0] - n[0], hypot(axis[1] - n[1], axis[2] - n[2]));
      if (over)
        CHECK(off > 1e-5); // an unstable start: (g / r) 1e-6 grows at 6 / s
      else
        CHECK_CLOSE(off, 0, 1e-12);
      CHECK_CLOSE(s.closing, 0, 1e-9);
    }
  close_run();
}

// Steady rolling with the centre at rest, tilted by a: with L the angular momentum
//
//   W k x L = (place of contact - centre) x m g k,
//   W^2 sin a (A cos a - C (h / r) sin a) = m g (r cos a - h sin a),
//
// which for a thin disc is W^2 sin a = 4 g / r. The axis turns at W.
static double steady_rate(double a) {
  return sqrt(mass * g * (r * cos(a) - h * sin(a)) /
              (sin(a) * (across * cos(a) - along * h / r * sin(a))));
}

static void steady_start(double a, char *text, size_t size) {
  double rate = steady_rate(a), u = -rate * sin(a), w = rate * sin(a) * h / r;
  snprintf(text, size,
           "position: [0, 0, %.17g], rpy: [0, %.17g, 0], angular_velocity: [%.17g, 0, %.17g]",
           h * cos(a) + r * sin(a), a, u * cos(a) + w * sin(a), -u * sin(a) + w * cos(a));
}

TEST(eulers_disk_turns_steadily) {
  for (int k = 0; k < 3; k++) {
    const double tilts[] = {0.3, 0.1, 0.01};
    char start[256];
    double axis[3], t = 0.5;
    ap_sim_state s;
    steady_start(tilts[k], start, sizeof start);
    if (!run(upright, k ? "friction: 0.5" : "friction: 0", start, t, &s)) continue;
    axis_of(&s, axis);
    double turned = steady_rate(tilts[k]) * t;
    CHECK_CLOSE(remainder(atan2(axis[1], axis[0]) - turned, 2 * pi), 0, 1e-8);
    CHECK_CLOSE(asin(hypot(axis[0], axis[1])), tilts[k], 1e-9);
    CHECK_CLOSE(s.closing, 0, 1e-9);
    CHECK_CLOSE(s.lost, 0, 1e-12);
  }
  close_run();
}

// With rolling friction it comes down, ever faster, and stands.
TEST(eulers_disk_comes_down) {
  char start[256];
  double axis[3];
  ap_sim_state s;
  steady_start(5e-4, start, sizeof start);
  if (run(upright, "friction: 1, rolling_friction: 0.03", start, 0.1, &s)) {
    axis_of(&s, axis);
    CHECK_CLOSE(hypot(axis[0], axis[1]), 0, 1e-9);
    CHECK_CLOSE(s.q[2], h, 1e-10);
    CHECK(s.contacts >= 8);
    CHECK_CLOSE(s.closing, 0, 1e-9 * mass * g * h);
  }
  close_run();
}
