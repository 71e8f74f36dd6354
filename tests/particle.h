// SPDX-License-Identifier: Apache-2.0
// A point mass among walls, for tests of what walls do.

#ifndef AP_TESTS_PARTICLE_H
#define AP_TESTS_PARTICLE_H

#include "sim_scenes.h"

#define G 9.81

// A mass on three slides, x, y, z.
static inline const ap_model *particle(void) {
  static ap_body_def body[3];
  static ap_robot_def def;
  for (int k = 0; k < 3; k++) {
    body[k] = ap_default_body();
    body[k].name = k == 0 ? "x" : k == 1 ? "y" : "ball";
    body[k].parent = k;
    body[k].joint = AP_PRISMATIC;
    for (int i = 0; i < 3; i++) body[k].axis[i] = i == k;
  }
  body[2].mass = 1;
  def = ap_default_robot();
  def.bodies = body, def.nbody = 3;
  def.gravity[0] = def.gravity[1] = 0, def.gravity[2] = -G;
  return model_of(&def);
}

static const ap_contact_point ball = {.name = "ball", .body = 3};

static inline ap_scene scene_of(const ap_wall *wall, int n) {
  ap_scene scene = ap_default_scene();
  scene.model = particle();
  scene.wall = wall, scene.nwall = n;
  scene.point = &ball, scene.npoint = 1;
  scene.nforce_time = 0;
  return scene;
}

static inline ap_sim_state run(const ap_scene *scene, const double q[3], const double v[3],
                               double t) {
  static ap_sim *sim;
  ap_sim_state state = {0};
  ap_error error = {0};
  ap_sim_free(sim);
  sim = create(scene);
  if (!sim || !start(sim, q, v)) return state;
  if (!CHECK_OK(ap_sim_advance(sim, t, &error))) printf("  %s\n", error.text);
  CHECK_OK(ap_sim_now(sim, &state, NULL));
  return state;
}

static inline bool is_event(int i, ap_event_kind kind, double t, double tolerance) {
  if (!CHECK(i < told.n)) return false;
  bool good = CHECK_EQ_INT(told.event[i].kind, kind);
  return CHECK_CLOSE(told.event[i].t, t, tolerance) && good;
}

#endif
