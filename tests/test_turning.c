// SPDX-License-Identifier: Apache-2.0
// Rolling and spinning friction against what is solved by hand.

#include <appell/kin.h>

#include "sim_scenes.h"

static const double G = 9.81, R = 0.1, INERTIA = 0.4 * 0.01; // of a ball of 1 kg

static ap_wall ground;
static ap_convex ball;
static ap_contact_point point[4];

// n free balls of 1 kg above a plane whose normal is in the plane of x and z, at an angle to z.
static ap_scene balls(int n, double angle) {
  static ap_robot_def def;
  static ap_body_def body[4];
  static const char *const name[4] = {"a", "b", "c", "d"};
  for (int i = 0; i < n; i++) {
    body[i] = ap_default_body();
    body[i].name = name[i];
    body[i].joint = AP_FREE;
    body[i].mass = 1;
    for (int k = 0; k < 3; k++) body[i].inertia[k == 0 ? 0 : k == 1 ? 3 : 5] = INERTIA;
    point[i] = (ap_contact_point){.name = name[i], .body = i + 1, .shape = &ball};
  }
  CHECK_OK(ap_convex_sphere(R, &ball, NULL));
  def = ap_default_robot();
  def.bodies = body, def.nbody = n;
  def.gravity[0] = def.gravity[1] = 0, def.gravity[2] = -G;
  ground = ap_default_wall();
  ground.axis[0] = sin(angle), ground.axis[2] = cos(angle);
  ground.friction = 0.5;
  ap_scene scene = ap_default_scene();
  scene.model = model_of(&def);
  scene.point = point, scene.npoint = n;
  scene.wall = &ground, scene.nwall = 1;
  scene.nforce_time = 0;
  return scene;
}

static bool run_to(const ap_scene *scene, const double *q, const double *v, double t,
                   ap_sim_state *state) {
  static ap_sim *running; // its state is read after this
  ap_error error = {0};
  ap_sim_free(running);
  running = create(scene);
  if (!running || !start(running, q, v)) return false;
  if (!CHECK_OK(ap_sim_advance(running, t, &error))) {
    printf("  %s\n", error.text);
    return false;
  }
  return CHECK_OK(ap_sim_now(running, state, NULL));
}

// Valid until the next call.
static ap_work *work_for(const ap_model *m) {
  static unsigned char memory[1 << 20];
  ap_work *w = ap_work_init(m, memory, sizeof memory);
  CHECK(w);
  return w;
}

// The time of the only event of a kind; -1: there is none, or several.
static double time_of(ap_event_kind kind) {
  double t = -1;
  int n = 0;
  for (int i = 0; i < told.n; i++)
    if (told.event[i].kind == kind) t = told.event[i].t, n++;
  return n == 1 ? t : -1;
}

// A ball that rolls on a plane: 7/5 m a = -mu m g / r. It stops and stays.
TEST(a_rolling_ball_comes_to_rest) {
  const ap_stepping stepping[] = {AP_ADAPTIVE, AP_FIXED_RK4, AP_FIXED_EULER};
  const double off[] = {1e-9, 1e-6, 2e-3}, mu = 0.004, speed = 0.7;
  for (int k = 0; k < 3; k++) {
    ap_scene scene = balls(1, 0);
    ground.rolling_friction = mu;
    scene.stepping = stepping[k];
    scene.step = k == 2 ? 1e-4 : 1e-3; // Euler's error is that of axes that turn with the ball
    double q[7] = {0, 0, R, 0, 0, 0, 1}, v[6] = {speed, 0, 0, 0, speed / R, 0};
    double a = 5.0 / 7 * mu * G / R, stop = speed / a, way = 0.5 * speed * stop;
    ap_sim_state state;
    if (!run_to(&scene, q, v, stop + 3, &state)) return;
    CHECK_CLOSE(state.q[0], way, off[k]);
    CHECK_CLOSE(state.v[0], 0, 1e-12);
    CHECK_CLOSE(state.v[4], 0, 1e-11);
    CHECK_CLOSE(time_of(AP_EVENT_HALT), stop, 10 * off[k]);
    CHECK_CLOSE(state.dissipated, 0.7 * speed * speed, off[k]);
    CHECK_CLOSE(state.closing, 0, off[k]);
  }
}

// On an incline it stays where tan is below mu / r, and rolls with 5/7 g (sin - mu cos / r) above.
TEST(a_ball_on_an_incline_sticks_below_the_threshold) {
  const double mu = 0.02; // tan is 0.2 at the threshold
  for (int k = 0; k < 2; k++) {
    const double angle = atan(k ? 0.25 : 0.199), t = 1.3;
    ap_scene scene = balls(1, angle);
    ground.rolling_friction = mu;
    double q[7] = {R * sin(angle), 0, R * cos(angle), 0, 0, 0, 1}, v[6] = {0};
    double a = k ? 5.0 / 7 * G * (sin(angle) - mu / R * cos(angle)) : 0, way = 0.5 * a * t * t;
    ap_sim_state state;
    if (!run_to(&scene, q, v, t, &state)) return;
    CHECK_CLOSE(state.q[0], q[0] + way * cos(angle), 1e-9);
    CHECK_CLOSE(state.q[2], q[2] - way * sin(angle), 1e-9);
    CHECK_CLOSE(state.v[4], a * t / R, 1e-7);
    CHECK_CLOSE(state.closing, 0, 1e-9);
  }
}

// A load that grows breaks it loose: rolling friction of 0.02 m holds 1.962 N on a ball of 0.1 m
// at its centre.
static ap_status pull(void *context, double t, const double *q, const double *v, double *tau) {
  (void)context, (void)q, (void)v;
  tau[0] += t;
  return AP_OK;
}

TEST(a_pull_begins_to_roll_at_the_threshold) {
  ap_scene scene = balls(1, 0);
  ground.rolling_friction = 0.02;
  scene.force = pull;
  double q[7] = {0, 0, R, 0, 0, 0, 1}, v[6] = {0}, begins = 0.02 * G / R, t = begins + 0.5;
  ap_sim_state state;
  if (!run_to(&scene, q, v, t, &state)) return;
  CHECK_CLOSE(time_of(AP_EVENT_TURN), begins, 1e-8);
  CHECK_CLOSE(hypot(state.q[0], state.q[1]), 5.0 / 7 * pow(0.5, 3) / 6, 2e-3); // tau turns with it
  CHECK_CLOSE(state.closing, 0, 1e-9);
}

// Spinning about the vertical it is slowed by mu m g / I.
TEST(a_spinning_ball_comes_to_rest) {
  const double mu = 0.001, spin = 20;
  ap_scene scene = balls(1, 0);
  ground.spinning_friction = mu;
  double q[7] = {0, 0, R, 0, 0, 0, 1}, v[6] = {0, 0, 0, 0, 0, spin},
         stop = INERTIA * spin / (mu * G);
  ap_sim_state state;
  if (!run_to(&scene, q, v, 0.5 * stop, &state)) return;
  CHECK_CLOSE(state.v[5], 0.5 * spin, 1e-8);
  if (!run_to(&scene, q, v, stop + 5, &state)) return;
  CHECK_CLOSE(state.v[5], 0, 1e-12);
  CHECK_CLOSE(time_of(AP_EVENT_HALT), stop, 1e-8);
  CHECK_CLOSE(state.dissipated, 0.5 * INERTIA * spin * spin, 1e-9);
  CHECK_CLOSE(state.closing, 0, 1e-9);
}

// Both at once do not disturb each other on a plane.
TEST(rolling_and_spinning_are_apart) {
  const double roll = 0.004, about = 0.001, spin = 20, speed = 1.1;
  ap_scene scene = balls(1, 0);
  ground.rolling_friction = roll, ground.spinning_friction = about;
  double q[7] = {0, 0, R, 0, 0, 0, 1}, v[6] = {speed, 0, 0, 0, speed / R, spin};
  double a = 5.0 / 7 * roll * G / R, stop = INERTIA * spin / (about * G);
  ap_sim_state state;
  if (!run_to(&scene, q, v, 1, &state)) return;
  CHECK_CLOSE(state.q[0], speed - 0.5 * a, 1e-8);
  if (!run_to(&scene, q, v, fmax(stop, speed / a) + 1, &state)) return;
  CHECK_CLOSE(state.q[0], 0.5 * speed * speed / a, 1e-8);
  int halts = 0;
  for (int i = 0; i < told.n; i++) halts += told.event[i].kind == AP_EVENT_HALT;
  CHECK_EQ_INT(halts, 2);
  CHECK_CLOSE(state.closing, 0, 1e-9);
}

// In a bowl, where the normal turns, all energy of motion goes; the ledger has it.
TEST(a_ball_in_a_bowl_comes_to_rest) {
  ap_scene scene = balls(1, 0);
  ground = ap_default_wall();
  ground.kind = AP_WALL_SPHERE, ground.inside = true;
  ground.size[0] = 1.1, ground.friction = 1;
  ground.rolling_friction = 0.01, ground.spinning_friction = 0.002;
  double q[7] = {0.6, 0, -0.8, 0, 0, 0, 1}, v[6] = {0, 1, 0, 0, 0, 3};
  ap_sim_state state;
  if (!run_to(&scene, q, v, 12, &state)) return;
  CHECK_CLOSE(state.kinetic, 0, 1e-15);
  CHECK(hypot(state.q[0], state.q[1]) < 0.1 * 1.2); // where tan is mu / r
  CHECK_CLOSE(state.closing, 0, 1e-9);
  CHECK(state.dissipated > 1);
}

// A wheel: a capsule that rolls on its two ends.
TEST(a_wheel_comes_to_rest) {
  const double mu = 0.003, speed = 0.9;
  ap_scene scene = balls(1, 0);
  CHECK_OK(ap_convex_capsule(R, 0.3, &ball, NULL));
  double turn = sqrt(0.5);
  point[0].orientation[0] = turn, point[0].orientation[3] = turn; // its axis along y
  ground.rolling_friction = mu;
  double q[7] = {0, 0, R, 0, 0, 0, 1}, v[6] = {speed, 0, 0, 0, speed / R, 0};
  double a = 5.0 / 7 * mu * G / R, stop = speed / a;
  ap_sim_state state;
  if (!run_to(&scene, q, v, stop + 1, &state)) return;
  CHECK_CLOSE(state.q[0], 0.5 * speed * stop, 1e-8);
  CHECK_CLOSE(state.v[0], 0, 1e-11);
  CHECK_CLOSE(state.closing, 0, 1e-9);
}

// A box that spins on four corners: friction of the patch, mu m g d at the distance d of a corner.
TEST(a_box_spins_down_on_its_corners) {
  const double side[3] = {0.6, 0.8, 0.1}, d = 0.5, mu = 0.3, spin = 12;
  ap_scene scene = balls(1, 0);
  CHECK_OK(ap_convex_box(side, &ball, NULL));
  ground.friction = mu;
  double q[7] = {0, 0, 0.05, 0, 0, 0, 1}, v[6] = {0, 0, 0, 0, 0, spin};
  double stop = INERTIA * spin / (mu * G * d);
  ap_sim_state state;
  if (!run_to(&scene, q, v, 0.5 * stop, &state)) return;
  CHECK_CLOSE(state.v[5], 0.5 * spin, 1e-7);
  CHECK_EQ_INT(state.contacts, 4);
  if (!run_to(&scene, q, v, stop + 1, &state)) return;
  CHECK_CLOSE(state.v[5], 0, 1e-11);
  CHECK_CLOSE(hypot(state.q[0], state.q[1]), 0, 1e-8);
  CHECK_CLOSE(state.closing, 0, 1e-9);
}

// A turntable takes a ball in its middle along: I w' = mu m g until it turns with it.
TEST(a_turntable_takes_a_ball_along) {
  const double mu = 0.002, spin = 6;
  ap_scene scene = balls(1, 0);
  ground.spinning_friction = mu;
  ground.motion.spin = spin;
  double q[7] = {0, 0, R, 0, 0, 0, 1}, v[6] = {0}, stop = INERTIA * spin / (mu * G);
  ap_sim_state state;
  if (!run_to(&scene, q, v, stop + 2, &state)) return;
  CHECK_CLOSE(state.v[5], spin, 1e-9);
  CHECK_CLOSE(time_of(AP_EVENT_HALT), stop, 1e-8);
  CHECK_CLOSE(state.work, INERTIA * spin * spin, 1e-9); // half of it is dissipated
  CHECK_CLOSE(state.dissipated, 0.5 * INERTIA * spin * spin, 1e-9);
  CHECK_CLOSE(state.closing, 0, 1e-9);
}

// Between two bodies it acts on both: a ball spins on another, which a third carries; the sum of
// their angular momenta about the vertical stays, and both turn alike at the end.
TEST(balls_on_each_other_share_their_spin) {
  ap_scene scene = balls(2, 0);
  for (int i = 0; i < 2; i++) point[i].friction = 1, point[i].spinning_friction = 0.001;
  double q[14] = {0, 0, R, 0, 0, 0, 1, 0, 0, 3 * R, 0, 0, 0, 1}, v[12] = {0};
  v[11] = 8;
  ap_sim_state state;
  if (!run_to(&scene, q, v, 3, &state)) return;
  CHECK_CLOSE(state.v[5], 4, 1e-8);
  CHECK_CLOSE(state.v[11], 4, 1e-8);
  CHECK_CLOSE(time_of(AP_EVENT_HALT), 0.5 * INERTIA * 8 / (0.001 * G), 1e-7);
  CHECK_CLOSE(state.closing, 0, 1e-9);
}

// An impact has impulses of couples with the same bounds: a ball that falls at u with both spins.
TEST(an_impact_slows_spins) {
  const double u = 2, e[] = {0, 0.5}, roll = 0.001, about = 0.0005;
  for (int k = 0; k < 2; k++) {
    ap_scene scene = balls(1, 0);
    ap_touch touch[3] = {{.body = 1, .normal = {0, 0, 1}, .arm = {0, 0, -R}, .restitution = e[k]}};
    touch[1] = touch[2] = touch[0];
    touch[1].turn = AP_TURN_ROLL, touch[1].friction = roll;
    touch[2].turn = AP_TURN_SPIN, touch[2].friction = about;
    double q[7] = {0, 0, R, 0, 0, 0, 1}, v[6] = {0, 0, -u, 3, 4, 5};
    double first = (1 + e[k]) * roll * u / INERTIA, second = (1 + e[k]) * about * u / INERTIA;
    void *room = malloc(ap_impact_scratch(scene.model, 3));
    ap_work *w = work_for(scene.model);
    ap_impact_result result;
    CHECK_OK(ap_impact(scene.model, w, q, v, 3, touch, room, &result));
    CHECK_CLOSE(v[2], e[k] * u, 1e-13);
    CHECK_CLOSE(v[3], 3 - 0.6 * first, 1e-12);
    CHECK_CLOSE(v[4], 4 - 0.8 * first, 1e-12);
    CHECK_CLOSE(v[5], 5 - second, 1e-12);
    CHECK_CLOSE(touch[2].impulse[2], -(1 + e[k]) * about * u, 1e-14);
    CHECK_CLOSE(touch[1].before[1], 4, 1e-12);
    CHECK_CLOSE(touch[1].after[1], v[4], 1e-12);
    CHECK(result.lost > 0);
    touch[1].host = 1; // itself
    CHECK_EQ_INT(ap_impact(scene.model, w, q, v, 3, touch, room, &result), AP_E_ARG);
    free(room);
  }
}

// Friction enough to stop it altogether does no more than that.
TEST(an_impact_stops_spins) {
  ap_scene scene = balls(1, 0);
  ground.spinning_friction = ground.rolling_friction = 0.05;
  double q[7] = {0, 0, R + 0.5 * G * 0.04, 0, 0, 0, 1}, v[6] = {0, 0, 0, 0.4, 0.1, 3};
  ap_sim_state state;
  if (!run_to(&scene, q, v, 0.5, &state)) return;
  CHECK_CLOSE(state.kinetic, 0, 1e-20);
  CHECK_CLOSE(state.lost, 0.5 * (G * 0.2) * (G * 0.2) + 0.5 * INERTIA * (0.17 + 9), 1e-9);
  CHECK_CLOSE(state.closing, 0, 1e-9);
}

// The law of random impacts of several touches: impulses are in their bounds and against what is
// left of the motion, and energy does not grow.
static void check_law(const ap_touch *t, int n, const ap_impact_result *result) {
  CHECK(result->lost >= -1e-12);
  for (int i = 0; i < n; i++) {
    if (t[i].turn == AP_TURN_NONE) continue;
    const ap_touch *host = &t[t[i].host];
    double push = 0, couple = 0, left = 0, work = 0, about = 0;
    for (int k = 0; k < 3; k++) {
      push += host->impulse[k] * host->normal[k];
      about += t[i].after[k] * t[i].normal[k];
      couple += t[i].impulse[k] * t[i].impulse[k];
    }
    for (int k = 0; k < 3; k++) {
      double part = about * t[i].normal[k];
      double w = t[i].turn == AP_TURN_SPIN ? part : t[i].after[k] - part;
      left += w * w;
      work += w * t[i].impulse[k];
    }
    couple = sqrt(couple), left = sqrt(left);
    CHECK(couple <= t[i].friction * push * (1 + 1e-9) + 1e-12);
    if (left > 1e-8 && !result->relaxed) { // it slides: the largest couple, against it
      CHECK_CLOSE(couple, t[i].friction * push, 1e-9);
      CHECK_CLOSE(work, -couple * left, 1e-9);
    }
  }
}

TEST(random_impacts_obey_the_law) {
  rng r = {7};
  ap_scene scene = balls(3, 0);
  ap_work *w = work_for(scene.model);
  void *room = malloc(ap_impact_scratch(scene.model, 12));
  int relaxed = 0;
  for (int trial = 0; trial < 400; trial++) {
    double q[21] = {0}, v[18];
    ap_touch touch[12];
    int n = 0;
    for (int i = 0; i < 3; i++) q[7 * i] = 2.0 * R * i, q[7 * i + 2] = R, q[7 * i + 6] = 1;
    for (int i = 0; i < 18; i++) v[i] = rng_uniform(&r, -2, 2);
    for (int i = 0; i < 4; i++) { // two balls on the ground, and two between balls
      int one = i < 2 ? i : i - 2;
      ap_touch t = {.body = 1 + one, .friction = rng_uniform(&r, 0, 0.5)};
      t.normal[i < 2 ? 2 : 0] = i < 2 ? 1 : -1;
      t.arm[i < 2 ? 2 : 0] = i < 2 ? -R : R;
      if (i >= 2) t.other = 2 + one;
      int host = n;
      touch[n++] = t;
      for (int k = 0; k < 2; k++) {
        touch[n] = t;
        touch[n].turn = k ? AP_TURN_SPIN : AP_TURN_ROLL;
        touch[n].host = host;
        touch[n++].friction = rng_uniform(&r, 0, 0.05);
      }
    }
    ap_impact_result result;
    if (!CHECK_OK(ap_impact(scene.model, w, q, v, n, touch, room, &result))) break;
    check_law(touch, n, &result);
    relaxed += result.relaxed;
  }
  CHECK(relaxed <= 2);
  free(room);
}

// Materials have them, too.
TEST(materials_have_coefficients) {
  ap_scene scene = balls(1, 0);
  static const ap_material_pair rough = {
      .one = "felt", .other = "ivory", .friction = 0.4, .rolling_friction = 0.004};
  static const char *const name[] = {"ivory"};
  ground.material = "felt";
  scene.material = &rough, scene.nmaterial = 1, scene.point_material = name;
  double q[7] = {0, 0, R, 0, 0, 0, 1}, v[6] = {0.5, 0, 0, 0, 5, 0};
  ap_sim_state state;
  if (!run_to(&scene, q, v, 3, &state)) return;
  CHECK_CLOSE(state.q[0], 0.5 * 0.25 / (5.0 / 7 * 0.004 * G / R), 1e-8);
  ground.rolling_friction = -1;
  ap_error error;
  ap_sim *none = NULL;
  CHECK_EQ_INT(ap_sim_create(&scene, &none, &error), AP_E_ARG);
  CHECK(strstr(error.text, "rolling_friction"));
}
