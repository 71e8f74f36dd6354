// SPDX-License-Identifier: Apache-2.0
// Shapes on links: rolling, impacts between bodies, edges and corners, and no touch missed.

#include <appell/kin.h>

#include "sim_scenes.h"

enum { MOST_BODIES = 12 };

static ap_body_def body_def[MOST_BODIES];
static ap_contact_point shape_point[MOST_BODIES];
static ap_convex shape[MOST_BODIES];
static ap_wall floor_wall;

// n free bodies of 1 kg, at most MOST_BODIES, with the inertia of a solid ball of 0.1 m, each with
// a shape.
static ap_scene free_bodies(int n, double g) {
  static ap_robot_def def;
  static const char *const name[MOST_BODIES] = {"a", "b", "c", "d", "e", "f",
                                                "g", "h", "i", "j", "k", "l"};
  for (int i = 0; i < n; i++) {
    body_def[i] = ap_default_body();
    body_def[i].name = name[i];
    body_def[i].joint = AP_FREE;
    body_def[i].parent = 0;
    body_def[i].mass = 1;
    for (int k = 0; k < 3; k++) body_def[i].inertia[k == 0 ? 0 : k == 1 ? 3 : 5] = 0.4 * 0.01;
    shape_point[i] =
        (ap_contact_point){.name = name[i], .body = i + 1, .shape = &shape[i], .restitution = 1};
  }
  def = ap_default_robot();
  def.bodies = body_def, def.nbody = n;
  def.gravity[0] = def.gravity[1] = 0, def.gravity[2] = -g;
  ap_scene scene = ap_default_scene();
  scene.model = model_of(&def);
  scene.point = shape_point, scene.npoint = n;
  scene.nforce_time = 0;
  return scene;
}

static void upright(int n, double *q) {
  for (int i = 0; i < n; i++) {
    memset(q + 7 * i, 0, 7 * sizeof *q);
    q[7 * i + 6] = 1;
  }
}

// A run to time t; the state is valid until the next.
static bool run_to(const ap_scene *scene, const double *q, const double *v, double t,
                   ap_sim_state *state) {
  static ap_sim *sim;
  ap_error error = {0};
  ap_sim_free(sim);
  sim = create(scene);
  if (!sim || !start(sim, q, v)) return false;
  if (!CHECK_OK(ap_sim_advance(sim, t, &error))) {
    printf("  %s\n", error.text);
    return false;
  }
  return CHECK_OK(ap_sim_now(sim, state, NULL));
}

// ---- balls -------------------------------------------------------------------------------------

// A ball on an incline of 20 degrees: with 5/7 g sin it rolls, where friction holds.
TEST(a_ball_rolls_down_an_incline) {
  ap_scene scene = free_bodies(1, 9.81);
  const double angle = 20 * PI / 180, t = 1.5;
  CHECK_OK(ap_convex_sphere(0.1, &shape[0], NULL));
  floor_wall = ap_default_wall();
  floor_wall.axis[0] = sin(angle), floor_wall.axis[2] = cos(angle);
  floor_wall.friction = 0.3;
  scene.wall = &floor_wall, scene.nwall = 1;
  double q[7] = {0.1 * sin(angle), 0, 0.1 * cos(angle), 0, 0, 0, 1}, v[6] = {0};
  ap_sim_state state;
  if (!run_to(&scene, q, v, t, &state)) return;
  double way = 0.5 * 5 / 7 * 9.81 * sin(angle) * t * t;
  CHECK_CLOSE(state.q[0], q[0] + way * cos(angle), 1e-9);
  CHECK_CLOSE(state.q[2], q[2] - way * sin(angle), 1e-9);
  CHECK_CLOSE(state.v[4], way * 2 / t / 0.1, 1e-7); // angular velocity
  CHECK_CLOSE(state.closing, 0, 1e-9);
  CHECK_EQ_INT(state.contacts, 1);
}

// With less friction than 2/7 tan it slides: (sin - mu cos) g, and spins up by 5/2 mu g cos / r.
TEST(a_ball_slides_down_a_steep_incline) {
  ap_scene scene = free_bodies(1, 9.81);
  const double angle = 40 * PI / 180, mu = 0.1, t = 1;
  CHECK_OK(ap_convex_sphere(0.1, &shape[0], NULL));
  floor_wall = ap_default_wall();
  floor_wall.axis[0] = sin(angle), floor_wall.axis[2] = cos(angle);
  floor_wall.friction = mu;
  scene.wall = &floor_wall, scene.nwall = 1;
  double q[7] = {0.1 * sin(angle), 0, 0.1 * cos(angle), 0, 0, 0, 1}, v[6] = {0};
  ap_sim_state state;
  if (!run_to(&scene, q, v, t, &state)) return;
  double way = 0.5 * 9.81 * (sin(angle) - mu * cos(angle)) * t * t;
  CHECK_CLOSE(hypot(state.q[0] - q[0], state.q[2] - q[2]), way, 1e-8);
  CHECK_CLOSE(state.v[4], 2.5 * mu * 9.81 * cos(angle) / 0.1 * t, 1e-7);
  CHECK_CLOSE(state.closing, 0, 1e-9);
}

// A bowling ball that slides at first rolls at 5/7 of its speed.
TEST(a_sliding_ball_begins_to_roll) {
  ap_scene scene = free_bodies(1, 9.81);
  CHECK_OK(ap_convex_sphere(0.1, &shape[0], NULL));
  floor_wall = ap_default_wall();
  floor_wall.friction = 0.2;
  scene.wall = &floor_wall, scene.nwall = 1;
  double q[7] = {0, 0, 0.1, 0, 0, 0, 1}, v[6] = {3, 1, 0, 0, 0, 0};
  ap_sim_state state;
  if (!run_to(&scene, q, v, 2, &state)) return;
  double speed = sqrt(10), stick = 2 * speed / (7 * 0.2 * 9.81);
  double way = speed * stick - 0.5 * 0.2 * 9.81 * stick * stick + 5.0 / 7 * speed * (2 - stick);
  CHECK_CLOSE(hypot(state.q[0], state.q[1]), way, 1e-8);
  bool found = false;
  for (int i = 0; i < told.n; i++)
    if (told.event[i].kind == AP_EVENT_STICK) found = CHECK_CLOSE(told.event[i].t, stick, 1e-8);
  CHECK(found);
  CHECK_CLOSE(state.closing, 0, 1e-9);
}

// Ball on ball: two equal balls exchange their velocities along the line of centres.
TEST(two_balls_exchange_their_velocities) {
  ap_scene scene = free_bodies(2, 0);
  CHECK_OK(ap_convex_sphere(0.1, &shape[0], NULL));
  CHECK_OK(ap_convex_sphere(0.2, &shape[1], NULL));
  double q[14], v[12] = {2, 0, 0};
  upright(2, q);
  q[7] = 1.3;
  ap_sim_state state;
  if (!run_to(&scene, q, v, 1, &state)) return;
  CHECK_EQ_INT(told.n, 1);
  CHECK_CLOSE(told.event[0].t, 0.5, 1e-12);
  CHECK_CLOSE(told.event[0].position[0], 1.1, 1e-12);
  CHECK_CLOSE(told.event[0].normal[0], -1, 1e-12);
  CHECK_STR(ap_scene_wall_name(&scene, told.event[0].wall), "b");
  CHECK_CLOSE(state.v[0], 0, 1e-12);
  CHECK_CLOSE(state.v[6], 2, 1e-12);
}

// Newton's cradle: one ball hits four that touch. The law of simultaneous impacts solves all
// touches at once: docs/impacts.md has what follows, and it keeps momentum and energy. Balls that
// are a little apart do what everyone has seen.
TEST(newtons_cradle) {
  for (int apart = 0; apart < 2; apart++) {
    ap_scene scene = free_bodies(5, 0);
    double q[35], v[30] = {1, 0, 0};
    upright(5, q);
    for (int i = 0; i < 5; i++) CHECK_OK(ap_convex_sphere(0.1, &shape[i], NULL));
    for (int i = 1; i < 5; i++) q[7 * i] = 0.1 + 0.2 * i + apart * 1e-6 * i;
    ap_sim_state state;
    test_context(apart ? "apart" : "touching");
    if (!run_to(&scene, q, v, 0.5, &state)) return;
    double momentum = 0, energy = 0;
    for (int i = 0; i < 5; i++) {
      momentum += state.v[6 * i];
      energy += state.v[6 * i] * state.v[6 * i];
    }
    CHECK_CLOSE(momentum, 1, 1e-12);
    CHECK_CLOSE(energy, 1, 1e-12);
    for (int i = 0; i < 5; i++) {
      double together = i == 0 ? -0.6 : 0.4; // 1 = v1 + 4 v2 and v2 - v1 = 1
      CHECK_CLOSE(state.v[6 * i], apart ? i == 4 : together, 1e-12);
    }
  }
}

// ---- edges and corners -------------------------------------------------------------------------

// A box that lies flat on another one, partly over its edge, stands; farther out it tips.
TEST(a_box_on_a_box) {
  for (int far = 0; far < 2; far++) {
    ap_scene scene = free_bodies(2, 9.81);
    CHECK_OK(ap_convex_box((double[3]){1, 1, 0.2}, &shape[0], NULL));
    CHECK_OK(ap_convex_box((double[3]){0.4, 0.4, 0.2}, &shape[1], NULL));
    body_def[1].inertia[0] = body_def[1].inertia[3] = (0.16 + 0.04) / 12;
    body_def[1].inertia[5] = 0.32 / 12;
    for (int i = 0; i < 2; i++) shape_point[i].friction = 0.5, shape_point[i].restitution = 0;
    floor_wall = ap_default_wall();
    floor_wall.friction = 0.5;
    scene.wall = &floor_wall, scene.nwall = 1;
    double q[14], v[12] = {0};
    upright(2, q);
    q[2] = 0.1, q[9] = 0.3;
    q[7] = far ? 0.52 : 0.45;
    q[8] = 0.1;
    ap_sim_state state;
    test_context(far ? "over the edge" : "on it");
    if (!run_to(&scene, q, v, 0.3, &state)) return;
    if (far)
      CHECK(state.q[9] < 0.3 - 1e-3);
    else
      CHECK_CLOSE(state.q[9], 0.3, 1e-9);
    CHECK_CLOSE(state.closing, 0, 1e-9);
  }
}

// A cube slides without friction over the edge of a table: its bottom stays flat until its centre
// is above the edge, where it begins to tip.
TEST(a_cube_over_an_edge) {
  ap_scene scene = free_bodies(1, 9.81);
  CHECK_OK(ap_convex_box((double[3]){0.2, 0.2, 0.2}, &shape[0], NULL));
  floor_wall = ap_default_wall();
  floor_wall.name = "table", floor_wall.kind = AP_WALL_BOX;
  floor_wall.centre[0] = -0.5, floor_wall.centre[2] = -0.25;
  floor_wall.size[0] = floor_wall.size[1] = 1, floor_wall.size[2] = 0.5;
  scene.wall = &floor_wall, scene.nwall = 1;
  double q[7] = {-0.25, 0.03, 0.1, 0, 0, 0, 1}, v[6] = {0.5};
  ap_sim_state state;
  if (!run_to(&scene, q, v, 0.49, &state)) return;
  CHECK_CLOSE(state.q[0], -0.005, 1e-9);
  CHECK_CLOSE(state.q[2], 0.1, 1e-9);
  CHECK_CLOSE(state.q[4], 0, 1e-9);
  if (!run_to(&scene, q, v, 0.7, &state)) return;
  CHECK(state.q[4] > 1e-3); // it turns about y
  CHECK(state.q[2] < 0.1);
  CHECK_CLOSE(state.closing, 0, 1e-9);
}

// A capsule across another one: their edges meet.
TEST(crossed_capsules_meet_edge_on_edge) {
  ap_scene scene = free_bodies(2, 0);
  CHECK_OK(ap_convex_capsule(0.02, 1, &shape[0], NULL));
  CHECK_OK(ap_convex_capsule(0.03, 1, &shape[1], NULL));
  double q[14], v[12] = {0};
  upright(2, q);
  q[3] = sqrt(0.5), q[6] = sqrt(0.5);               // along y
  q[7] = 0.4, q[11] = sqrt(0.5), q[13] = sqrt(0.5); // along x, 0.4 m ahead: crosses at its end part
  q[9] = 1;
  v[6] = 2; // R^T (0, 0, -2): -z of the world is x of this body
  ap_sim_state state;
  if (!run_to(&scene, q, v, 1, &state)) return;
  if (!CHECK(told.n > 0)) return;
  CHECK_CLOSE(told.event[0].t, 0.95 / 2, 1e-12);
  CHECK_CLOSE(told.event[0].position[0], 0, 1e-12);
  CHECK_CLOSE(told.event[0].position[2], 0.02, 1e-12);
  CHECK_CLOSE(told.event[0].normal[2], -1, 1e-12);
  CHECK_CLOSE(state.closing, 0, 1e-12);
}

// Boxes that fly into each other without loss keep their energy.
TEST(cubes_collide) {
  rng r = rng_seed(7);
  for (int k = 0; k < 30; k++) {
    ap_scene scene = free_bodies(2, 0);
    double q[14], v[12], before = 0, after = 0;
    test_context("pair %d", k);
    upright(2, q);
    for (int i = 0; i < 2; i++) {
      double length = 0;
      CHECK_OK(ap_convex_box((double[3]){0.3, 0.2, 0.1}, &shape[i], NULL));
      for (int c = 3; c < 7; c++) q[7 * i + c] = rng_uniform(&r, -1, 1);
      for (int c = 3; c < 7; c++) length += q[7 * i + c] * q[7 * i + c];
      for (int c = 3; c < 7; c++) q[7 * i + c] /= sqrt(length);
      for (int c = 0; c < 6; c++) v[6 * i + c] = rng_uniform(&r, -2, 2);
    }
    q[7] = 0.6;
    ap_sim_state state;
    for (int c = 0; c < 12; c++) before += v[c] * v[c] * (c % 6 < 3 ? 1 : 0.004) / 2;
    if (!run_to(&scene, q, v, 1, &state)) return;
    for (int c = 0; c < 12; c++) after += state.v[c] * state.v[c] * (c % 6 < 3 ? 1 : 0.004) / 2;
    CHECK_CLOSE(after, before, 1e-10 * before); // tolerances of 2e-11 over a second
    CHECK_CLOSE(state.closing, 0, 1e-10);
  }
}

// ---- links of one robot ------------------------------------------------------------------------

// The third link of a chain folds back onto the first; neighbours, which overlap, do not touch.
TEST(a_chain_folds_onto_itself) {
  static ap_body_def link[3];
  static ap_contact_point point[3];
  static ap_convex rod;
  ap_robot_def def = ap_default_robot();
  CHECK_OK(ap_convex_capsule(0.02, 0.4, &rod, NULL));
  for (int i = 0; i < 3; i++) {
    link[i] = ap_default_body();
    link[i].name = i == 0 ? "one" : i == 1 ? "two" : "three";
    link[i].parent = i;
    link[i].joint = AP_REVOLUTE;
    link[i].axis[0] = 0, link[i].axis[1] = 1, link[i].axis[2] = 0;
    if (i > 0) link[i].place.xyz[2] = 0.4;
    link[i].mass = 1, link[i].com[2] = 0.2;
    link[i].inertia[0] = link[i].inertia[3] = 0.0133, link[i].inertia[5] = 1e-4;
    point[i] = (ap_contact_point){
        .name = link[i].name, .body = i + 1, .at = {0, 0, 0.2}, .shape = &rod, .friction = 0.3};
  }
  def.bodies = link, def.nbody = 3;
  for (int k = 0; k < 3; k++) def.gravity[k] = 0;
  ap_scene scene = ap_default_scene();
  scene.model = model_of(&def);
  scene.point = point, scene.npoint = 3, scene.nforce_time = 0;
  double q[3] = {0, 1.2, 1.2}, v[3] = {0, 0, 3};
  ap_sim_state state;
  if (!run_to(&scene, q, v, 1, &state)) return;
  if (!CHECK(told.n > 0)) return;
  CHECK_EQ_INT(told.event[0].kind, AP_EVENT_IMPACT);
  CHECK_EQ_INT(told.event[0].point, 0);
  CHECK_EQ_INT(told.event[0].wall, 2);
  CHECK_CLOSE(state.closing, 0, 1e-9);
  CHECK(state.lost > 0);
}

// ---- what is refused ---------------------------------------------------------------------------

static void check_refused(const ap_scene *scene, const double *q, const char *text) {
  ap_sim *sim = NULL;
  ap_error error = {0};
  double v[MOST_BODIES * 6] = {0};
  ap_status status = ap_sim_create(scene, &sim, &error);
  if (!status) status = ap_sim_start(sim, 0, q, v, &error);
  CHECK(status != AP_OK);
  if (!CHECK(strstr(error.text, text) != NULL)) printf("  %s\n", error.text);
  ap_sim_free(sim);
}

TEST(refusals) {
  ap_scene scene = free_bodies(2, 0);
  ap_error error = {0};
  double q[14];
  upright(2, q);
  CHECK_OK(ap_convex_sphere(0.1, &shape[0], NULL));
  CHECK_OK(ap_convex_box((double[3]){1, 1, 1}, &shape[1], NULL));
  q[7] = 0.5;
  check_refused(&scene, q, "shape \"a\" starts 0.1 m inside shape \"b\"");
  scene.links = false;
  ap_sim *sim = create(&scene);
  CHECK(sim && start(sim, q, (double[12]){0}));
  ap_sim_free(sim);
  floor_wall = ap_default_wall();
  floor_wall.name = "steps", floor_wall.kind = AP_WALL_TORUS, floor_wall.inside = true;
  floor_wall.size[0] = 9, floor_wall.size[1] = 0.1;
  scene.wall = &floor_wall, scene.nwall = 1;
  check_refused(&scene, q, "cannot touch wall \"steps\"");
  floor_wall.kind = AP_WALL_BOX, floor_wall.inside = false;
  for (int k = 0; k < 3; k++) floor_wall.size[k] = 0.1;
  check_refused(&scene, q, "inside wall \"steps\"");
  floor_wall.kind = AP_WALL_CYLINDER, floor_wall.inside = true;
  CHECK_OK(ap_convex_cylinder(0.1, 1, &shape[0], NULL));
  check_refused(&scene, q, "cannot touch wall \"steps\"");
  floor_wall.inside = false;
  shape[0] = ap_convex_half_space();
  check_refused(&scene, q, "has a shape that cannot touch");
  CHECK_OK(ap_convex_sphere(0.1, &shape[0], NULL));
  floor_wall.kind = (ap_wall_kind)99; // pairs of features are not counted before walls are checked
  check_refused(&scene, q, "kind is 99");
  floor_wall.kind = AP_WALL_HEIGHT_FIELD;
  check_refused(&scene, q, "wall \"steps\"");
  floor_wall.kind = AP_WALL_STAIRS;
  check_refused(&scene, q, "it has 0 steps");
  CHECK(ap_convex_sphere(0, &shape[0], &error) == AP_E_ARG);
  CHECK(ap_convex_box((double[3]){1, 0, 1}, &shape[0], &error) == AP_E_ARG);
}

// ---- a stack -----------------------------------------------------------------------------------

TEST(a_stack_stands) {
  ap_scene scene = free_bodies(4, 9.81);
  double q[28], v[24] = {0};
  ap_contact_state contact[96];
  upright(4, q);
  for (int i = 0; i < 4; i++) {
    CHECK_OK(ap_convex_box((double[3]){0.1, 0.1, 0.1}, &shape[i], NULL));
    shape_point[i].friction = 0.5, shape_point[i].restitution = 0;
    q[7 * i + 2] = 0.05 + 0.1 * i;
  }
  floor_wall = ap_default_wall();
  floor_wall.friction = 0.5;
  scene.wall = &floor_wall, scene.nwall = 1;
  ap_sim *sim = create(&scene);
  ap_sim_state state;
  if (!sim || !start(sim, q, v) || !CHECK_OK(ap_sim_advance(sim, 100, NULL))) return;
  CHECK_OK(ap_sim_now(sim, &state, NULL));
  for (int i = 0; i < 28; i++) CHECK_CLOSE(state.q[i], q[i], 1e-9);
  int n = ap_sim_contacts(sim, contact, 96);
  double weight[5] = {0};
  for (int i = 0; i < n; i++) weight[contact[i].wall] += fabs(contact[i].force[2]);
  CHECK_EQ_INT(n, 16);
  CHECK_CLOSE(weight[0], 4 * 9.81, 1e-9);
  for (int i = 1; i < 4; i++) CHECK_CLOSE(weight[1 + i], (4 - i) * 9.81, 1e-9);
  ap_sim_free(sim);
}

// ---- heaps -------------------------------------------------------------------------------------

// The deepest overlap of any two shapes.
static double deepest(int n, const double *q) {
  double least = INFINITY;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      ap_pose pose[2];
      ap_closest closest;
      for (int k = 0; k < 2; k++) {
        const double *x = q + 7 * (k ? j : i), *p = x + 3;
        const double R[9] = {1 - 2 * (p[1] * p[1] + p[2] * p[2]), 2 * (p[0] * p[1] - p[3] * p[2]),
                             2 * (p[0] * p[2] + p[3] * p[1]),     2 * (p[0] * p[1] + p[3] * p[2]),
                             1 - 2 * (p[0] * p[0] + p[2] * p[2]), 2 * (p[1] * p[2] - p[3] * p[0]),
                             2 * (p[0] * p[2] - p[3] * p[1]),     2 * (p[1] * p[2] + p[3] * p[0]),
                             1 - 2 * (p[0] * p[0] + p[1] * p[1])};
        memcpy(pose[k].R, R, sizeof R);
        memcpy(pose[k].p, x, sizeof pose[k].p);
      }
      CHECK_OK(ap_convex_distance(&shape[i], &pose[0], &shape[j], &pose[1], &closest));
      least = fmin(least, closest.distance);
    }
  return least;
}

// Shapes of all kinds fall on each other in a bowl: nothing overlaps, and the energy balances.
TEST(shapes_fall_on_each_other) {
  enum { N = 4 };
  const char *asked = getenv("APPELL_HEAPS"); // more of them; with sanitizers one is enough
  long heaps = asked ? strtol(asked, NULL, 10) : getenv("APPELL_TEST_EFFORT") ? 1 : 2;
  for (long seed = 1; seed <= heaps; seed++) {
    rng r = rng_seed((uint64_t)seed);
    ap_scene scene = free_bodies(N, 9.81);
    double q[7 * N], v[6 * N] = {0};
    upright(N, q);
    for (int i = 0; i < N; i++) {
      double length = 0, *p = q + 7 * i + 3;
      shape_point[i].friction = 0.4, shape_point[i].restitution = 0.3;
      const double sides[3] = {0.2, 0.15, 0.1};
      if (i % 3 == 0) CHECK_OK(ap_convex_box(sides, &shape[i], NULL));
      if (i % 3 == 1) CHECK_OK(ap_convex_capsule(0.05, 0.2, &shape[i], NULL));
      if (i % 3 == 2) CHECK_OK(ap_convex_sphere(0.1, &shape[i], NULL));
      for (int c = 0; c < 4; c++) p[c] = rng_uniform(&r, -1, 1);
      for (int c = 0; c < 4; c++) length += p[c] * p[c];
      for (int c = 0; c < 4; c++) p[c] /= sqrt(length);
      q[7 * i] = rng_uniform(&r, -0.1, 0.1), q[7 * i + 1] = rng_uniform(&r, -0.1, 0.1);
      q[7 * i + 2] = 0.3 + 0.4 * i;
    }
    floor_wall = ap_default_wall();
    floor_wall.friction = 0.4, floor_wall.restitution = 0.3;
    scene.wall = &floor_wall, scene.nwall = 1;
    ap_sim *sim = create(&scene);
    ap_sim_state state;
    ap_error error = {0};
    bool good = sim && start(sim, q, v);
    for (int k = 1; k <= 11 && good; k++) {
      test_context("heap %ld, t = %g", seed, 0.1 * k);
      good =
          CHECK_OK(ap_sim_advance(sim, 0.1 * k, &error)) && CHECK_OK(ap_sim_now(sim, &state, NULL));
      if (!good) printf("  %s\n", error.text);
      if (good) good = CHECK(deepest(N, state.q) > -1e-8) && CHECK_CLOSE(state.closing, 0, 1e-8);
    }
    ap_sim_free(sim);
  }
}
