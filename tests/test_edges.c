// SPDX-License-Identifier: Apache-2.0
// Walls that end: what a point does at their edges, against values solved by hand.

#include <math.h>

#include "particle.h"

static ap_wall table(void) {
  ap_wall w = ap_default_wall();
  w.name = "table";
  w.kind = AP_WALL_BOX;
  w.centre[2] = -0.5;
  w.size[0] = 2, w.size[1] = 1, w.size[2] = 1;
  return w;
}

static ap_wall ground(void) {
  ap_wall w = ap_default_wall();
  w.name = "floor";
  w.centre[2] = -1;
  return w;
}

// Steps of every kind of integrator: adaptive, and fixed ones.
static const ap_stepping steppings[] = {AP_ADAPTIVE, AP_FIXED_RK4, AP_FIXED_EULER};

// A point that slides off the table falls, and lands where a parabola does.
TEST(slides_over_an_edge_and_falls) {
  ap_wall wall[2] = {table(), ground()};
  for (int k = 0; k < 3; k++) {
    ap_scene scene = scene_of(wall, 2);
    scene.stepping = steppings[k];
    double q[3] = {0.25, 0.1, 0}, v[3] = {1.5, -0.3, 0}, tolerance = k < 2 ? 1e-9 : 1e-3;
    ap_sim_state s = run(&scene, q, v, 1.2);
    double leaves = 0.75 / 1.5, lands = leaves + sqrt(2 / G);
    is_event(0, AP_EVENT_CONTACT, 0, 0);
    is_event(1, AP_EVENT_LIFTOFF, leaves, 1e-9);
    is_event(2, AP_EVENT_IMPACT, lands, tolerance);
    if (told.n > 2) CHECK_CLOSE(told.event[2].position[0], 0.25 + 1.5 * lands, 2 * tolerance);
    CHECK_CLOSE(s.closing, 0, k < 2 ? 1e-9 : 0.1);
  }
}

// A point that comes from the side hits the side, from above the top, from below the bottom; one
// that passes over it, or beside it, does not touch.
TEST(comes_from_any_side) {
  ap_wall wall = table();
  wall.restitution = 1;
  static const struct {
    double q[3], v[3], normal[3], t;
  } way[] = {{{2, 0, -0.5}, {-10, 0, 0}, {1, 0, 0}, 0.1},
             {{-2, 0, -0.5}, {10, 0, 0}, {-1, 0, 0}, 0.1},
             {{0, 1, -0.2}, {0, -10, 0}, {0, 1, 0}, 0.05},
             {{0, 0, -2}, {0, 0, 10}, {0, 0, -1}, 0.1},
             {{0, 0, 1}, {0, 0, -10}, {0, 0, 1}, 0.1}};
  static const double none[3] = {0, 0, 0};
  ap_scene scene = scene_of(&wall, 1);
  scene.gravity = none;
  for (int k = 0; k < 5; k++) {
    test_context("way %d", k);
    run(&scene, way[k].q, way[k].v, 0.15);
    CHECK_EQ_INT(told.n, 1);
    if (is_event(0, AP_EVENT_IMPACT, way[k].t, 1e-12))
      CHECK_WITHIN(told.event[0].normal, way[k].normal, 3, 1e-15);
  }
  run(&scene, (double[3]){-2, 0, 1e-6}, (double[3]){10, 0, 0}, 1);
  CHECK_EQ_INT(told.n, 0);
  run(&scene, (double[3]){-2, 0.5 + 1e-6, -0.5}, (double[3]){10, 0, 0}, 1);
  CHECK_EQ_INT(told.n, 0);
}

// A point that starts on an edge is held by one face: it slides in along the top, and out over it.
TEST(starts_on_an_edge) {
  ap_wall wall = table();
  ap_scene scene = scene_of(&wall, 1);
  ap_sim_state s = run(&scene, (double[3]){1, 0, 0}, (double[3]){-1, 0, 0}, 0.5);
  CHECK_EQ_INT(told.n, 1);
  CHECK_CLOSE(s.q[0], 0.5, 1e-12);
  CHECK_CLOSE(s.q[2], 0, 1e-12);
  s = run(&scene, (double[3]){1, 0, 0}, (double[3]){1, 0, 0}, 0.5);
  CHECK_CLOSE(s.q[2], -G * 0.125, 1e-8);
  CHECK_CLOSE(s.closing, 0, 1e-9);
}

// Sheets: from the front they are hit as far as they reach, from behind they are not there.
TEST(sheets_are_hit_from_the_front) {
  static const double none[3] = {0, 0, 0};
  ap_wall wall = ap_default_wall();
  ap_scene scene = scene_of(&wall, 1);
  scene.gravity = none;
  for (int k = 0; k < 2; k++) {
    wall.kind = k ? AP_WALL_RECTANGLE : AP_WALL_DISC;
    wall.size[0] = k ? 2 : 1, wall.size[1] = 2;
    for (int side = -1; side <= 1; side += 2)
      for (int in = 0; in < 2; in++) {
        test_context("%s, side %d, %s", k ? "rectangle" : "disc", side, in ? "inside" : "outside");
        double q[3] = {in ? 1 - 1e-6 : 1 + 1e-6, 0, side}, v[3] = {0, 0, -1000.0 * side};
        run(&scene, q, v, 1);
        CHECK_EQ_INT(told.n > 0, in && side > 0);
      }
  }
}

// The corners of a block over the edge: the front one leaves, and the rear one alone bears
// m g / (1 + m r^2 / I).
TEST(block_over_an_edge) {
  static ap_body_def body;
  ap_robot_def def = ap_default_robot();
  body = ap_default_body();
  body.name = "block", body.joint = AP_PLANAR, body.mass = 10;
  body.com[0] = 0.1, body.com[1] = 0.4;
  body.inertia[0] = body.inertia[5] = 10.0 / 12 * 0.68, body.inertia[3] = 0.8 / 12;
  def.bodies = &body, def.nbody = 1;
  def.gravity[1] = -G, def.gravity[2] = 0;
  ap_wall wall = table();
  wall.centre[0] = -1, wall.centre[1] = -0.5, wall.centre[2] = 0;
  const ap_contact_point point[2] = {{.name = "rear", .body = 1},
                                     {.name = "front", .body = 1, .at = {0.2, 0, 0}}};
  ap_scene scene = ap_default_scene();
  scene.model = model_of(&def);
  scene.wall = &wall, scene.nwall = 1;
  scene.point = point, scene.npoint = 2;
  ap_sim *sim = create(&scene);
  ap_contact_state contact[2];
  if (!start(sim, (double[3]){-0.3, 0, 0}, (double[3]){0.5, 0, 0})) return;
  CHECK_OK(ap_sim_advance(sim, 0.2 + 1e-7, NULL));
  is_event(2, AP_EVENT_LIFTOFF, 0.2, 1e-8);
  ap_sim_state state;
  CHECK_OK(ap_sim_now(sim, &state, NULL));
  CHECK_EQ_INT(ap_sim_contacts(sim, contact, 2), 1);
  double r = 0.1, I = body.inertia[5];
  CHECK_CLOSE(contact[0].force[1], 10 * G / (1 + 10 * r * r / I), 1e-5);
  ap_sim_free(sim);
}

// A ball down the stairs, against parabolas from step to step.
TEST(bounces_down_the_stairs) {
  ap_wall wall[2] = {ap_default_wall(), ap_default_wall()};
  double rise = 0.18, length = 0.3, e = 0.6, x = -1.4, z = 0.9, u = 1.1, w = 0, t = 0;
  wall[0].kind = AP_WALL_STAIRS, wall[0].count = 5;
  wall[0].size[0] = rise, wall[0].size[1] = length;
  wall[0].axis[1] = 1, wall[0].axis[2] = 0, wall[0].x[0] = -1;
  wall[0].restitution = wall[1].restitution = e;
  ap_scene scene = scene_of(wall, 2);
  run(&scene, (double[3]){x, 0, z}, (double[3]){u, 0, 0}, 2);
  t = (1.4 - 4 * length) / u; // to the edge of the last tread
  is_event(1, AP_EVENT_LIFTOFF, t, 1e-9);
  x = -4 * length;
  for (int k = 2; k < 12 && t < 1.4; k++) { // the first height below that the parabola is over
    double land = 0, at = 0;
    for (int i = 4; i >= 0; i--) {
      double h = i * rise, root = w * w - 2 * G * (h - z);
      if (root < 0) continue;
      land = (w + sqrt(root)) / G, at = x + u * land;
      if (h == 0 || (at < -(i - 1) * length && at >= -i * length)) break;
    }
    t += land;
    x = at, z = round((z + w * land - G * land * land / 2) / rise) * rise;
    w = -e * (w - G * land);
    is_event(k, AP_EVENT_IMPACT, t, 1e-8);
  }
}

// On a flat height field a point crosses cells without an event; over a ridge it flies.
TEST(crosses_a_height_field) {
  static double heights[36];
  ap_wall wall = ap_default_wall();
  wall.kind = AP_WALL_HEIGHT_FIELD;
  wall.size[0] = wall.size[1] = 0.2;
  wall.points = heights, wall.npoint = 36, wall.count = 6;
  ap_scene scene = scene_of(&wall, 1);
  ap_sim_state s = run(&scene, (double[3]){0.05, 0.31, 0}, (double[3]){1, 0.4, 0}, 0.7);
  CHECK_EQ_INT(told.n, 1);
  CHECK_CLOSE(s.q[0], 0.75, 1e-10);
  CHECK_CLOSE(s.q[2], 0, 1e-12);
  CHECK_EQ_INT(s.contacts, 1);
  for (int k = 0; k < 36; k++) heights[k] = k % 6 < 3 ? 0.1 * (k % 6) : 0.1 * (5 - k % 6) - 0.05;
  s = run(&scene, (double[3]){0.3, 0.31, 0.5}, (double[3]){0, 0, 0}, 2);
  CHECK(told.n > 1);
  CHECK_CLOSE(s.closing, 0, 1e-9 * 10);
}

static void refused(ap_wall wall, const char *why) {
  static unsigned char room[4096];
  ap_error error = {0};
  CHECK(ap_surface_init(&wall, room, sizeof room, &error) == NULL);
  if (!CHECK(strstr(error.text, why) != NULL)) printf("  %s\n", error.text);
}

TEST(bad_walls_are_refused) {
  ap_wall w = ap_default_wall();
  w.kind = AP_WALL_BOX;
  w.size[0] = w.size[1] = 1;
  refused(w, "the length along the axis, size[2], is 0 m");
  w.kind = AP_WALL_DISC, w.size[0] = -1;
  refused(w, "the radius, size[0], is -1 m");
  w.size[0] = 1, w.inside = true;
  refused(w, "a disc has no inside");
  w.inside = false, w.kind = AP_WALL_CONE, w.size[2] = -0.1;
  refused(w, "the radius of the other end, size[2], is -0.1 m");
  w.kind = AP_WALL_STAIRS, w.size[1] = 1;
  refused(w, "it has 0 steps");
  w.kind = AP_WALL_HEIGHT_FIELD;
  refused(w, "it has no heights");
  double heights[6] = {0, 0, 0, 0, NAN, 0};
  w.points = heights, w.npoint = 5, w.count = 3;
  refused(w, "it has 5 heights in rows of 3");
  w.npoint = 6;
  refused(w, "height 2 of row 2 is nan m");
  w.kind = AP_WALL_RECTANGLE, w.axis[0] = 1, w.axis[2] = 0;
  refused(w, "is parallel to the axis");
}

// A start inside a solid is refused, one on it is not.
TEST(starts_inside_are_refused) {
  ap_wall wall = table();
  ap_scene scene = scene_of(&wall, 1);
  ap_sim *sim = create(&scene);
  ap_error error = {0};
  CHECK_EQ_INT(ap_sim_start(sim, 0, (double[3]){0, 0, -0.4}, (double[3]){0}, &error), AP_E_ARG);
  CHECK(strstr(error.text, "starts 0.4 m inside") != NULL);
  CHECK_OK(ap_sim_start(sim, 0, (double[3]){0, 0, 0}, (double[3]){0}, &error));
  ap_sim_free(sim);
}
