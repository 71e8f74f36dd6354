// SPDX-License-Identifier: Apache-2.0
// A contact that goes on with other features: from a corner to its edge, along an edge to the
// tangent of a rim, past parallel edges. Nothing is gained or lost there.

#include <appell/scenario.h>

#include "test.h"

static ap_scenario *scenario;
static ap_sim *sim;
static int impacts;

static void close_run(void) {
  ap_sim_free(sim);
  ap_scenario_free(scenario);
  sim = NULL;
  scenario = NULL;
}

static void listen(void *context, const ap_event *event) {
  (void)context;
  impacts += event->kind == AP_EVENT_IMPACT;
}

// A scenario of models/ with these lines, up to time t.
static bool run(const char *lines, double t, ap_sim_state *s) {
  char text[2048];
  ap_error error = {0};
  close_run();
  impacts = 0;
  int size = snprintf(text, sizeof text, "appell-scenario: 1\n%sduration: 10\n...\n", lines);
  bool good = CHECK_OK(ap_scenario_parse(text, (size_t)size, "models", &scenario, &error)) &&
              CHECK_OK(ap_sim_create(ap_scenario_scene(scenario), &sim, &error));
  if (good) ap_sim_on_event(sim, listen, NULL);
  good = good &&
         CHECK_OK(ap_sim_start(sim, 0, ap_scenario_q(scenario), ap_scenario_v(scenario), &error)) &&
         CHECK_OK(ap_sim_advance(sim, t, &error)) && CHECK_OK(ap_sim_now(sim, s, &error));
  if (!good) printf("  %s\n", error.text);
  return good;
}

// Energies here are about 30 J.
#define CLOSES(s) CHECK_CLOSE((s).closing, 0, 3e-8)

// A capsule spins on a cylinder without friction: its end touches first, then its side.
TEST(a_capsule_goes_on_with_its_side) {
  ap_sim_state s;
  if (run("robot: cylinder.yaml\n"
          "walls:\n  - {name: w, kind: cylinder, radius: 0.5, axis: [0, 1, 0], centre: [0, 0, "
          "-0.5]}\n"
          "contacts:\n  - {name: c, link: cylinder, shape: capsule, radius: 0.1, length: 0.2}\n"
          "start:\n  cylinder: {position: [0, 0, 0.6], rpy: [0.6154797086703873, "
          "0.7853981633974483, 0], velocity: [0, 0, -1], angular_velocity: [0, 0, 30]}\n",
          1.2, &s)) {
    CHECK_EQ_INT(impacts, 3); // of its ends
    CLOSES(s);
  }
  close_run();
}

// A box rolls over a ball: corners, edges and faces of it touch one after the other.
TEST(a_box_goes_on_with_its_edges) {
  for (int moves = 0; moves < 2; moves++) { // the ball is a wall, or one that moves away slowly
    char lines[1024];
    ap_sim_state s;
    snprintf(lines, sizeof lines,
             "robot: crate.yaml\n"
             "walls:\n  - {name: w, kind: sphere, radius: 1, centre: [0, 0, -1], friction: 0.6, "
             "rolling_friction: 0.002, spinning_friction: 0.002%s}\n"
             "contacts:\n  - {name: c, link: crate, shape: box, sides: [0.3, 0.4, 0.2]}\n"
             "start:\n  crate: {position: [0, 0, 0.6], rpy: [0.6154797086703873, "
             "0.7853981633974483, 0], velocity: [0, 0, -1]}\n",
             moves ? ", motion: {velocity: [0.01, 0, 0]}" : "");
    test_context("%s", moves ? "moving" : "at rest");
    if (run(lines, 1, &s)) CLOSES(s);
  }
  close_run();
}

// A capsule of another robot lies across a capsule, off its end, and rolls on to its side.
TEST(capsules_go_on_with_their_sides) {
  ap_sim_state s;
  if (run("robot: cylinder.yaml\nothers:\n  - {robot: cylinder.yaml, name: low}\n"
          "walls:\n  - {name: floor, kind: plane, friction: 0.5}\n"
          "contacts:\n"
          "  - {name: a, link: cylinder, shape: capsule, radius: 0.1, length: 0.2}\n"
          "  - {name: b, link: low_cylinder, shape: capsule, radius: 0.1, length: 0.6}\n"
          "start:\n  low_cylinder: {position: [0, 0, 0.1], rpy: [1.5707963267948966, 0, 0]}\n"
          "  cylinder: {position: [0.02, 0.03, 0.45], rpy: [1, 0.2, 0], angular_velocity: [2, 1, "
          "1]}\n",
          0.6, &s))
    CLOSES(s);
  close_run();
}

// A box slides off a disc without friction. Its front edge lies along the tangent of the rim at x =
// 1 after 0.7 s at 0.5 m/s: nothing happens. Its centre of mass gets there after 0.9 s.
TEST(an_edge_leaves_a_rim_along_its_tangent) {
  ap_sim_state s;
  if (run("robot: crate.yaml\n"
          "walls:\n  - {name: w, kind: disc, radius: 1}\n"
          "contacts:\n  - {name: c, link: crate, shape: box, sides: [0.3, 0.4, 0.2]}\n"
          "start:\n  crate: {position: [0.55, 0, 0.15], rpy: [0, 1.5707963267948966, 0], velocity: "
          "[0.5, 0, 0]}\n",
          0.85, &s)) {
    CHECK_CLOSE(s.q[0], 0.975, 1e-9);
    CHECK_CLOSE(s.q[1], 0, 1e-9);
    CHECK_CLOSE(s.q[2], 0.15, 1e-9);
    CHECK_EQ_INT(impacts, 0);
    CLOSES(s);
  }
  close_run();
}

// The corner of a box falls exactly onto the rim of a capped cylinder: 0.3, 0.4, 0.5.
TEST(a_corner_falls_onto_a_rim) {
  ap_sim_state s;
  if (run("robot: crate.yaml\n"
          "walls:\n  - {name: w, kind: capped_cylinder, radius: 0.5, length: 0.2, centre: [0, 0, "
          "-0.1], friction: 0.6, rolling_friction: 0.002, spinning_friction: 0.002}\n"
          "contacts:\n  - {name: c, link: crate, shape: box, sides: [0.3, 0.4, 0.2]}\n"
          "start:\n  crate: {position: [0.5, 0.5, 0.6], rpy: [0, 1.5707963267948966, 0], velocity: "
          "[0, 0, -1]}\n",
          1, &s))
    CLOSES(s);
  close_run();
}

// Two crates, one on the other, without friction: the upper one turns while it slides, until edges
// of both are parallel. It moves uniformly.
TEST(edges_pass_where_they_are_parallel) {
  ap_sim_state s;
  if (run("robot: crate.yaml\nothers:\n  - {robot: crate.yaml, name: low}\n"
          "walls:\n  - {name: floor, kind: plane, friction: 0.5}\n"
          "contacts:\n"
          "  - {name: a, link: crate, shape: box, sides: [0.3, 0.4, 0.2]}\n"
          "  - {name: b, link: low_crate, shape: box, sides: [0.3, 0.4, 0.2]}\n"
          "start:\n  low_crate: {position: [0, 0, 0.1]}\n"
          "  crate: {position: [0, 0, 0.3], rpy: [0, 0, 0.3], velocity: [0.2, 0, 0], "
          "angular_velocity: [0, 0, -1]}\n",
          0.5, &s)) {
    CHECK_CLOSE(s.q[0], 0.1, 1e-9);
    CHECK_CLOSE(s.q[2], 0.3, 1e-9);
    CHECK_CLOSE(2 * atan2(s.q[5], s.q[6]), -0.2, 1e-9);
    CHECK_CLOSE(s.lost, 0, 1e-12);
    CLOSES(s);
  }
  close_run();
}

// A cylinder that lies on the border of a box and spins: where it is along the border the normal
// turns round, and what was above is below. The place of contact goes along the border ever faster
// then, and strides follow it where steps become too short for that. The cylinder stays above, and
// no energy is lost.
TEST(a_cylinder_spins_on_a_border) {
  ap_error error = {0};
  ap_sim_state s;
  if (run("robot: cylinder.yaml\n"
          "walls:\n  - {name: w, kind: box, lengths: [1, 1, 0.2], centre: [0, 0, -0.1], friction: "
          "0.6, rolling_friction: 0.002, spinning_friction: 0.002}\n"
          "contacts:\n  - {name: c, link: cylinder, shape: cylinder, radius: 0.1, length: 0.4}\n"
          "start:\n  cylinder: {position: [0.5, 0, 0.6], rpy: [1.5707963267948966, 0, 0], "
          "velocity: "
          "[0, 0, -1], angular_velocity: [0, 0, 30]}\n",
          0.315, &s)) {
    CHECK_CLOSE(s.q[2], 0.1, 1e-9);
    CLOSES(s);
    if (CHECK_OK(ap_sim_advance(sim, 0.33, &error)) && CHECK_OK(ap_sim_now(sim, &s, &error))) {
      CHECK_CLOSE(s.q[2], 0.1, 1e-9);
      CLOSES(s);
    }
  }
  close_run();
}
