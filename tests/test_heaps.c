// SPDX-License-Identifier: Apache-2.0
// Bodies that fall upon each other come to rest: forces of contacts that depend on each other do
// not make them creep, and cost no more steps than other forces.

#include "balls.h"

#include <string.h>

#include "test.h"

// The force of the walls on all bodies is their weight, N.
static void check_weight(ap_sim *sim, double weight) {
  static ap_contact_state contact[600];
  int n = ap_sim_contacts(sim, contact, 600);
  double sum[3] = {0};
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3 && contact[i].wall == 0; k++) sum[k] += contact[i].force[k];
  CHECK(fabs(sum[0]) <= 1e-9 * weight && fabs(sum[1]) <= 1e-9 * weight);
  CHECK(fabs(sum[2] - weight) <= 1e-9 * weight);
}

// ---- boxes -------------------------------------------------------------------------------------

enum { BOXES = 2 };
#define BOX_SIDE 0.1

// Two cubes that fall on each other and on the floor, both tilted; the lower one of 0.6 kg.
static void drop_boxes(double mass) {
  static unsigned char memory[1 << 16];
  static const double tilt[] = {0.2, -0.14}, height[] = {0.08, 0.21};
  ap_body_def body[BOXES];
  ap_contact_point point[BOXES];
  ap_convex cube;
  ap_robot_def def = ap_default_robot();
  ap_wall floor = ap_default_wall();
  ap_scene scene = ap_default_scene();
  ap_error error = {0};
  ap_sim *sim = NULL;
  ap_sim_state s;
  double q[7 * BOXES] = {0}, v[6 * BOXES] = {0};
  if (!CHECK_OK(ap_convex_box((double[3]){BOX_SIDE, BOX_SIDE, BOX_SIDE}, &cube, NULL))) return;
  for (int i = 0; i < BOXES; i++) {
    body[i] = ap_default_body();
    body[i].name = i ? "upper" : "lower", body[i].joint = AP_FREE, body[i].mass = i ? mass : 0.6;
    double inertia = body[i].mass * BOX_SIDE * BOX_SIDE / 6;
    body[i].inertia[0] = body[i].inertia[3] = body[i].inertia[5] = inertia;
    point[i] =
        (ap_contact_point){.name = body[i].name, .body = i + 1, .shape = &cube, .friction = 0.5};
    q[7 * i] = 0.003 * i, q[7 * i + 2] = height[i];
    q[7 * i + 3] = 0.6 * sin(tilt[i] / 2), q[7 * i + 4] = 0.8 * sin(tilt[i] / 2);
    q[7 * i + 6] = cos(tilt[i] / 2);
  }
  def.bodies = body, def.nbody = BOXES;
  floor.friction = 0.5;
  scene.model = ap_model_init(&def, memory, sizeof memory, NULL);
  scene.wall = &floor, scene.nwall = 1, scene.point = point, scene.npoint = BOXES;
  scene.nforce_time = 0;
  bool good = CHECK(scene.model) && CHECK_OK(ap_sim_create(&scene, &sim, &error)) &&
              CHECK_OK(ap_sim_start(sim, 0, q, v, &error)) && CHECK_OK(ap_sim_now(sim, &s, NULL));
  double energy = good ? s.potential : 0;
  good = good && CHECK_OK(ap_sim_advance(sim, 1, &error)) && CHECK_OK(ap_sim_now(sim, &s, NULL));
  if (good) {
    for (int i = 0; i < 6 * BOXES; i++) CHECK(fabs(s.v[i]) <= 1e-9);
    CHECK_CLOSE(s.q[2], 0.5 * BOX_SIDE, 1e-8);
    CHECK_CLOSE(s.q[9], 1.5 * BOX_SIDE, 1e-8);
    CHECK(fabs(s.closing) <= 1e-6 * energy); // what strides may leave
    check_weight(sim, (0.6 + mass) * 9.81);
  } else {
    printf("  %s\n", error.text);
  }
  ap_sim_free(sim);
}

// The lower box slides under all the weight of the upper one.
TEST(a_light_box_under_a_heavy_one_comes_to_rest) {
  static const double mass[] = {0.6, 6, 60};
  for (int k = 0; k < 3; k++) {
    test_context("%g kg on 0.6 kg", mass[k]);
    drop_boxes(mass[k]);
  }
}

TEST(a_light_box_on_a_heavy_one_comes_to_rest) { drop_boxes(0.06); }

// ---- balls -------------------------------------------------------------------------------------

// Two balls that fall upon 25 in a lined box. Where many contacts of an island stick, forces are
// not unique, and what slides beside them depends on the choice: as long as that does not jump, a
// run takes a few dozen evaluations for each of its 2400 events. With a choice that jumped, it took
// 140000 evaluations.
TEST(balls_upon_balls_come_to_rest) {
  static balls b;
  const balls_kind kind = {.friction = 0.3, .rolling = 5e-4, .spinning = 5e-4};
  ap_sim *sim = NULL;
  ap_sim_state s;
  ap_error error = {0};
  if (!CHECK(balls_make(27, &kind, &b))) return;
  ap_scene scene = balls_scene(&b);
  bool good = CHECK_OK(ap_sim_create(&scene, &sim, &error)) &&
              CHECK_OK(ap_sim_start(sim, 0, b.q, b.v, &error)) &&
              CHECK_OK(ap_sim_now(sim, &s, NULL));
  double energy = good ? s.kinetic + s.potential : 0;
  good = good && CHECK_OK(ap_sim_advance(sim, 3, &error)) && CHECK_OK(ap_sim_now(sim, &s, NULL));
  if (good) {
    for (int i = 0; i < 6 * b.n; i++) CHECK(fabs(s.v[i]) <= 1e-9);
    CHECK(fabs(s.closing) <= 1e-9 * energy);
    CHECK(ap_sim_evaluations(sim) <= 80000);
    check_weight(sim, b.n * BALLS_MASS * 9.81);
  } else {
    printf("  %s\n", error.text);
  }
  ap_sim_free(sim);
  balls_free(&b);
}
