// SPDX-License-Identifier: Apache-2.0
// Scenes that tests of runs share, one run at a time.

#ifndef AP_TESTS_SIM_SCENES_H
#define AP_TESTS_SIM_SCENES_H

#include <appell/dyn.h>
#include <appell/sim.h>

#include "test.h"

enum { MAX_EVENTS = 4096, MAX_V = 24 };

#define PI 3.14159265358979323846

// What a run tells.
typedef struct record {
  ap_sim *sim;
  int nv; // velocities kept
  int n;
  ap_event event[MAX_EVENTS];
  double v[64][MAX_V]; // velocities after the first events
} record;

static record told; // one run at a time

static inline void listen(void *context, const ap_event *event) {
  record *r = context;
  ap_sim_state state;
  if (r->n >= MAX_EVENTS) return;
  if (r->n < 64 && !ap_sim_now(r->sim, &state, NULL))
    for (int i = 0; i < r->nv; i++) r->v[r->n][i] = state.v[i];
  r->event[r->n++] = *event;
}

static unsigned char model_memory[65536];

static inline const ap_model *model_of(const ap_robot_def *def) {
  ap_error error = {0};
  const ap_model *m = ap_model_init(def, model_memory, sizeof model_memory, &error);
  if (!CHECK(m != NULL)) printf("  %s\n", error.text);
  return m;
}

// NULL, and a failed check, where the scene is refused.
static inline ap_sim *create(const ap_scene *scene) {
  ap_sim *sim = NULL;
  ap_error error = {0};
  ap_status status = ap_sim_create(scene, &sim, &error);
  if (!CHECK_OK(status)) printf("  %s\n", error.text);
  told = (record){.sim = sim, .nv = ap_nv(scene->model) < MAX_V ? ap_nv(scene->model) : MAX_V};
  ap_sim_on_event(sim, listen, &told);
  return sim;
}

static inline bool start(ap_sim *sim, const double *q, const double *v) {
  ap_error error = {0};
  bool good = CHECK_OK(ap_sim_start(sim, 0, q, v, &error));
  if (!good) printf("  %s\n", error.text);
  return good;
}

static inline ap_sim_state advance(ap_sim *sim, double t) {
  ap_error error = {0};
  ap_sim_state state = {0};
  if (!CHECK_OK(ap_sim_advance(sim, t, &error))) printf("  %s\n", error.text);
  if (!CHECK_OK(ap_sim_now(sim, &state, &error))) printf("  %s\n", error.text);
  return state;
}

// A point of 2 kg that slides along x and z, on which gravity acts as given.
static inline const ap_model *slider(double gx, double gz) {
  static ap_body_def body[2];
  body[0] = body[1] = ap_default_body();
  body[0].name = "along";
  body[1].name = "ball";
  body[0].joint = body[1].joint = AP_PRISMATIC;
  body[0].axis[0] = 1, body[0].axis[2] = 0;
  body[1].parent = 1;
  body[1].mass = 2;
  ap_robot_def def = ap_default_robot();
  def.bodies = body;
  def.nbody = 2;
  def.gravity[0] = gx, def.gravity[2] = gz;
  return model_of(&def);
}

static ap_contact_point ball_point = {.name = "ball", .body = 2};

static inline ap_scene plane_scene(const ap_model *m, ap_wall *plane, double restitution,
                                   double friction) {
  *plane = ap_default_wall();
  plane->name = "ground";
  plane->restitution = restitution;
  plane->friction = friction;
  ap_scene s = ap_default_scene();
  s.model = m;
  s.wall = plane;
  s.nwall = 1;
  s.point = &ball_point;
  s.npoint = 1;
  return s;
}

// Two links that swing about y, hung at the origin, with friction and springs to be set.
static inline const ap_model *double_pendulum(double viscous, double coulomb) {
  static ap_body_def body[2];
  for (int i = 0; i < 2; i++) {
    body[i] = ap_default_body();
    body[i].name = i ? "lower" : "upper";
    body[i].parent = i;
    body[i].joint = AP_REVOLUTE;
    body[i].axis[1] = 1, body[i].axis[2] = 0;
    body[i].place.xyz[2] = i ? -1 : 0;
    body[i].mass = 1.5 - 0.5 * i;
    body[i].com[2] = -0.5;
    body[i].inertia[0] = body[i].inertia[3] = 0.1;
    body[i].inertia[5] = 0.01;
    body[i].viscous = viscous;
    body[i].coulomb = coulomb;
    body[i].rotor_inertia = 0.001;
    body[i].gear_ratio = 5;
  }
  ap_robot_def def = ap_default_robot();
  def.bodies = body;
  def.nbody = 2;
  return model_of(&def);
}

static inline const ap_model *brick(void) {
  static ap_body_def body;
  body = ap_default_body();
  body.name = "brick";
  body.joint = AP_FREE;
  body.mass = 3;
  body.inertia[0] = 0.02, body.inertia[3] = 0.05, body.inertia[5] = 0.06;
  ap_robot_def def = ap_default_robot();
  def.bodies = &body;
  def.nbody = 1;
  return model_of(&def);
}

static ap_contact_point corner[8];

static inline void make_corners(void) {
  static char name[8][8];
  for (int i = 0; i < 8; i++) {
    snprintf(name[i], sizeof name[i], "c%d", i);
    corner[i] =
        (ap_contact_point){.name = name[i],
                           .body = 1,
                           .at = {i & 1 ? 0.2 : -0.2, i & 2 ? 0.1 : -0.1, i & 4 ? 0.05 : -0.05}};
  }
}

static inline ap_scene brick_scene(ap_wall *plane, double restitution, double friction) {
  ap_scene s = plane_scene(brick(), plane, restitution, friction);
  make_corners();
  s.point = corner;
  s.npoint = 8;
  return s;
}

static inline double lowest_corner(const double *q) {
  double low = INFINITY, x = q[3], y = q[4], z = q[5], w = q[6];
  for (int i = 0; i < 8; i++) {
    const double *c = corner[i].at;
    low = fmin(low, q[2] + 2 * (x * z - w * y) * c[0] + 2 * (y * z + w * x) * c[1] +
                        (1 - 2 * (x * x + y * y)) * c[2]);
  }
  return low;
}

#endif
