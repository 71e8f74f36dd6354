// SPDX-License-Identifier: Apache-2.0
// Runs among walls: what mechanics says of them, and a run computed elsewhere in 113 bits.

#include "golden/shafei_run.h"
#include "sim_scenes.h"

// ---- the tree in the circle --------------------------------------------------------------------

static ap_contact_point tree_point[16];

static ap_scene tree_scene(ap_wall *circle, double tolerance) {
  const ap_model *m = model_of(ap_builtin("shafei-tree"));
  *circle = ap_default_wall();
  circle->name = "circle";
  circle->kind = AP_WALL_CIRCLE;
  circle->size[0] = 2.5;
  circle->inside = true;
  circle->restitution = 1;
  ap_scene s = ap_default_scene();
  s.model = m;
  s.wall = circle;
  s.nwall = 1;
  s.point = tree_point;
  s.npoint = ap_default_contact_points(m, tree_point, 16);
  s.relative = s.absolute = tolerance;
  return s;
}

static void tree_start(double x, double q[12]) {
  const double at[12] = {x,      x,           PI / 6, PI / 6, -2 * PI / 3, PI / 6,
                         PI / 6, -2 * PI / 3, PI / 3, 0,      2 * PI / 3,  -PI / 3};
  memcpy(q, at, sizeof at);
}

TEST(contact_points_of_the_tree) {
  ap_wall circle;
  ap_scene s = tree_scene(&circle, 1e-10);
  CHECK_EQ_INT(s.npoint, 11);
  for (int i = 0; i < s.npoint; i++) {
    char name[8];
    snprintf(name, sizeof name, "O%d", i + 1);
    CHECK_STR(tree_point[i].name, name);
  }
}

static double normal_part(const double *a, const double *n) {
  return a[0] * n[0] + a[1] * n[1] + a[2] * n[2];
}

// The impacts told, against those expected. Velocities are compared after the last touch of each.
static void check_impacts(const shafei_impact *want, int from, int to, double dt, double df,
                          double dv, double near) {
  int at = 0;
  for (int i = 0; i < to; i++) {
    for (int k = 0; k < want[i].npoint; k++, at++) {
      const ap_event *e = &told.event[at];
      test_context("impact %d, touch %d", i + 1, k);
      if (!CHECK(at < told.n)) return;
      CHECK_EQ_INT(e->kind, AP_EVENT_IMPACT);
      CHECK_EQ_INT(e->number, i + 1);
      CHECK_EQ_INT(e->point, want[i].point[k] - 1);
      if (i < from) continue;
      CHECK_CLOSE(e->t, want[i].t, dt);
      CHECK_CLOSE(normal_part(e->impulse, e->normal), want[i].impulse[k], df);
      CHECK_CLOSE(normal_part(e->after, e->normal) - normal_part(e->before, e->normal),
                  want[i].speed[k], dv);
      CHECK_CLOSE(e->angle * 180 / PI, want[i].attack[k], 1e2 * dv);
      // a point of a group may lie a window's way off the wall
      CHECK_CLOSE(hypot(e->position[0], e->position[1]), 2.5, near);
      CHECK_WITHIN(told.v[at], want[i].after, 12, dv);
    }
  }
}

TEST(the_tree_hits_the_circle_as_in_113_bits) {
  ap_wall circle;
  double q[12], v[12] = {0};
  ap_scene scene = tree_scene(&circle, 1e-12);
  ap_sim *sim = create(&scene);
  if (!sim) return;
  tree_start(-(1 + sqrt(3)) / 2, q);
  start(sim, q, v);
  // The pairs of symmetric points stay together to rounding, over 3 s.
  for (int i = 1; i <= 60; i++) {
    ap_sim_state s = advance(sim, 0.05 * i);
    test_context("t = %g", s.t);
    CHECK_CLOSE(s.kinetic + s.potential, shafei_energy, 1e-8);
    CHECK_CLOSE(s.closing, 0, 1e-8);
  }
  check_impacts(shafei_exact, 0, 5, 1e-11, 1e-9, 1e-8, 1e-10);
  check_impacts(shafei_exact, 5, 8, 1e-9, 1e-8, 1e-6, 1e-10);
  ap_sim_free(sim);
}

// The printed start breaks the symmetry by 2.5e-5 m. What the reference did with normals at points
// that have not touched yet is off by 1e-5 of an impulse, which grows to 1e-3 by the fifth impact.
TEST(the_printed_start_with_a_wider_window) {
  ap_wall circle;
  double q[12], v[12] = {0};
  ap_scene scene = tree_scene(&circle, 1e-12);
  scene.window = 1e-4;
  ap_sim *sim = create(&scene);
  if (!sim) return;
  tree_start(-1.366, q);
  start(sim, q, v);
  advance(sim, 1.4);
  check_impacts(shafei_literal, 0, 1, 1e-11, 1e-3, 1e-3, 1e-4 * 20);
  check_impacts(shafei_literal, 1, 5, 1e-4, 1e-2, 1e-1, 1e-4 * 20);
  ap_sim_free(sim);
}

TEST(same_scene_same_bits) {
  static record first;
  double end[2][12];
  for (int turn = 0; turn < 2; turn++) {
    ap_wall circle;
    double q[12], v[12] = {0};
    ap_scene scene = tree_scene(&circle, 1e-10);
    ap_sim *sim = create(&scene);
    if (!sim) return;
    tree_start(-(1 + sqrt(3)) / 2, q);
    start(sim, q, v);
    for (int i = 1; i <= 40; i++) memcpy(end[turn], advance(sim, 0.1 * i).v, sizeof end[turn]);
    if (turn == 0) first = told;
    ap_sim_free(sim);
  }
  CHECK_BITS(end[0], end[1], 12);
  CHECK_EQ_INT(told.n, first.n);
  for (int i = 0; i < told.n; i++) CHECK_BITS(&told.event[i].t, &first.event[i].t, 1);
}

// ---- points on planes --------------------------------------------------------------------------

// The flights are e as long each as the one before: sum of a geometric series.
TEST(a_ball_comes_to_rest) {
  for (int k = 0; k < 5; k++) {
    static const double restitution[] = {0, 0.1, 0.5, 0.9, 0.99};
    double e = restitution[k], h = 0.7, g = 9.81, fall = sqrt(2 * h / g);
    ap_wall plane;
    ap_scene scene = plane_scene(slider(0, -g), &plane, e, 0);
    ap_sim *sim = create(&scene);
    if (!sim) return;
    test_context("e = %g", e);
    start(sim, (double[]){0, h}, (double[]){0.25, 0});
    ap_sim_state s = advance(sim, 1.2 * fall * (1 + e) / (1 - e));
    const ap_event *last = &told.event[told.n - 1];
    CHECK_EQ_INT(last->kind, AP_EVENT_CONTACT);
    CHECK_CLOSE(last->t, fall * (1 + e) / (1 - e), 1e-9);
    CHECK_EQ_INT(s.contacts, 1);
    CHECK_CLOSE(s.q[1], 0, 1e-12);
    CHECK_CLOSE(s.v[1], 0, 1e-12);
    CHECK_CLOSE(s.lost, 2 * g * h, 1e-9);
    CHECK_CLOSE(s.closing, 0, 1e-9);
    int n = told.n;
    double t = s.t;
    s = advance(sim, t + 100);
    CHECK_EQ_INT(told.n, n);
    CHECK_CLOSE(s.q[0], 0.25 * (t + 100), 1e-8);
    CHECK_CLOSE(s.q[1], 0, 1e-12);
    CHECK_CLOSE(s.closing, 0, 1e-9);
    ap_contact_state contact;
    CHECK_EQ_INT(ap_sim_contacts(sim, &contact, 1), 1);
    CHECK_WITHIN(contact.force, ((double[]){0, 0, 2 * g}), 3, 1e-9);
    ap_sim_free(sim);
  }
}

// Two balls side by side that meet the ground 5e-6 s after each other.
TEST(a_window_makes_one_impact_of_two) {
  static const ap_contact_point both[2] = {{.name = "a", .body = 1}, {.name = "b", .body = 2}};
  ap_body_def body[2] = {ap_default_body(), ap_default_body()};
  body[0].name = "a", body[1].name = "b";
  body[0].joint = body[1].joint = AP_PRISMATIC;
  body[0].mass = body[1].mass = 1;
  ap_robot_def def = ap_default_robot();
  def.bodies = body;
  def.nbody = 2;
  def.gravity[2] = 0;
  const ap_model *m = model_of(&def);
  for (int k = 0; k < 3; k++) {
    static const double window[] = {0, 1e-6, 1e-5};
    ap_wall plane;
    ap_scene scene = plane_scene(m, &plane, 0.5, 0);
    scene.point = both;
    scene.npoint = 2;
    scene.window = window[k];
    ap_sim *sim = create(&scene);
    if (!sim) return;
    test_context("window = %g", window[k]);
    start(sim, (double[]){1, 1 + 1e-5}, (double[]){-2, -2});
    ap_sim_state s = advance(sim, 1);
    CHECK_WITHIN(s.v, ((double[]){1, 1}), 2, 1e-12);
    if (!CHECK_EQ_INT(told.n, 2)) continue;
    CHECK_EQ_INT(told.event[1].number, k == 2 ? 1 : 2);
    CHECK_CLOSE(told.event[0].t, 0.5, 1e-12);
    CHECK_CLOSE(told.event[1].t, k == 2 ? 0.5 : 0.500005, 1e-12);
    ap_sim_free(sim);
  }
}

// It makes nothing rest: a ball alone bounces as ever.
TEST(a_window_holds_no_ball) {
  static record without;
  for (int k = 0; k < 2; k++) {
    ap_wall plane;
    ap_scene scene = plane_scene(slider(0, -9.81), &plane, 0.5, 0);
    scene.window = k;
    ap_sim *sim = create(&scene);
    if (!sim) return;
    start(sim, (double[]){0, 0.7}, (double[]){0, 0});
    advance(sim, 3);
    if (k == 0) without = told;
    ap_sim_free(sim);
  }
  CHECK_EQ_INT(told.n, without.n);
  for (int i = 0; i < told.n; i++) CHECK_BITS(&told.event[i].t, &without.event[i].t, 1);
}

// Down a slope whose friction holds: v^2 / 2 (mu cos - sin) g, then it stays.
TEST(a_block_stops_on_a_slope) {
  double slope = 0.3, mu = 0.5, g = 9.81, speed = 2;
  double brake = g * (mu * cos(slope) - sin(slope)), way = speed * speed / (2 * brake);
  ap_wall plane;
  ap_scene scene = plane_scene(slider(g * sin(slope), -g * cos(slope)), &plane, 0.5, mu);
  ap_sim *sim = create(&scene);
  if (!sim) return;
  start(sim, (double[]){0, 0}, (double[]){speed, 0});
  ap_sim_state s = advance(sim, 0.5 * speed / brake);
  CHECK_EQ_INT(s.contacts, 1);
  CHECK_CLOSE(s.v[0], 0.5 * speed, 1e-9);
  CHECK_CLOSE(s.dissipated, 0.75 * way * 2 * mu * g * cos(slope), 1e-9);
  s = advance(sim, 10);
  CHECK_EQ_INT(told.n, 2);
  CHECK_EQ_INT(told.event[0].kind, AP_EVENT_CONTACT);
  CHECK_EQ_INT(told.event[1].kind, AP_EVENT_STICK);
  CHECK_CLOSE(told.event[1].t, speed / brake, 1e-9);
  CHECK_CLOSE(s.q[0], way, 1e-9);
  CHECK_CLOSE(s.v[0], 0, 1e-12);
  CHECK_CLOSE(s.dissipated, way * 2 * mu * g * cos(slope), 1e-9);
  CHECK_CLOSE(s.closing, 0, 1e-9);
  ap_sim_free(sim);
}

// A force that grows with time, along x and z.
typedef struct pull {
  double x, z;
} pull;

static ap_status growing(void *context, double t, const double *q, const double *v, double *tau) {
  const pull *p = context;
  (void)q, (void)v;
  tau[0] += p->x * t;
  tau[1] += p->z * t;
  return AP_OK;
}

TEST(a_growing_force_lifts_it) {
  double g = 9.81;
  pull p = {0, 4};
  ap_wall plane;
  ap_scene scene = plane_scene(slider(0, -g), &plane, 0.5, 0.3);
  scene.force = growing;
  scene.context = &p;
  ap_sim *sim = create(&scene);
  if (!sim) return;
  start(sim, (double[]){0, 0}, (double[]){0, 0});
  double leaves = 2 * g / p.z, t = leaves + 1;
  ap_sim_state s = advance(sim, t);
  CHECK_EQ_INT(told.n, 2);
  CHECK_EQ_INT(told.event[1].kind, AP_EVENT_LIFTOFF);
  CHECK_CLOSE(told.event[1].t, leaves, 1e-9);
  CHECK_CLOSE(s.q[1], p.z / 2 / 6, 1e-9); // from there a = p (t - leaves) / m
  CHECK_CLOSE(s.work, s.kinetic + s.potential, 1e-9);
  CHECK_CLOSE(s.work_of[1], s.work, 1e-12);
  CHECK_EQ_INT(s.contacts, 0);
  ap_sim_free(sim);
}

TEST(a_growing_force_makes_it_slip) {
  double g = 9.81, mu = 0.3;
  pull p = {4, 0};
  ap_wall plane;
  ap_scene scene = plane_scene(slider(0, -g), &plane, 0.5, mu);
  scene.force = growing;
  scene.context = &p;
  ap_sim *sim = create(&scene);
  if (!sim) return;
  start(sim, (double[]){0, 0}, (double[]){0, 0});
  double slips = 2 * mu * g / p.x, t = slips + 1;
  ap_sim_state s = advance(sim, t);
  CHECK_EQ_INT(told.n, 2);
  CHECK_EQ_INT(told.event[1].kind, AP_EVENT_SLIP);
  CHECK_CLOSE(told.event[1].t, slips, 1e-9);
  CHECK_CLOSE(s.q[0], p.x / 2 / 6, 1e-9);
  CHECK_CLOSE(s.closing, 0, 1e-9);
  ap_sim_free(sim);
}

// A point that just touches the top of a bump goes on.
TEST(grazing_has_no_impulse) {
  ap_wall ball = ap_default_wall();
  ball.kind = AP_WALL_CIRCLE;
  ball.axis[1] = 1, ball.axis[2] = 0;
  ball.size[0] = 0.5;
  ball.restitution = 1;
  ap_scene scene = plane_scene(slider(0, 0), &(ap_wall){0}, 1, 0);
  scene.wall = &ball;
  ap_sim *sim = create(&scene);
  if (!sim) return;
  start(sim, (double[]){-1, 0.5}, (double[]){1, 0});
  ap_sim_state s = advance(sim, 2);
  CHECK_EQ_INT(told.n, 1);
  CHECK_EQ_INT(told.event[0].kind, AP_EVENT_GRAZE);
  CHECK_CLOSE(told.event[0].t, 1, 1e-7); // the closest point of a flat approach
  CHECK_WITHIN(s.q, ((double[]){1, 0.5}), 2, 1e-12);
  ap_sim_free(sim);
}

TEST(a_start_inside_a_wall_is_refused) {
  ap_wall plane;
  ap_scene scene = plane_scene(slider(0, -9.81), &plane, 1, 0);
  ap_sim *sim = create(&scene);
  if (!sim) return;
  ap_error error = {0};
  CHECK_STATUS(ap_sim_start(sim, 0, (double[]){0, -0.01}, (double[]){0, 0}, &error), AP_E_ARG);
  CHECK_HAS(error.text, "\"ball\"");
  CHECK_HAS(error.text, "\"ground\"");
  CHECK_HAS(error.text, "0.01 m");
  CHECK_STATUS(ap_sim_advance(sim, 1, &error), AP_E_ARG);
  CHECK_STATUS(ap_sim_start(sim, 0, (double[]){0, NAN}, (double[]){0, 0}, &error), AP_E_ARG);
  CHECK_HAS(error.text, "entry 1 of q");
  ap_sim_free(sim);
}

// A start inside within `depth` is put on the wall; its energy counts from there.
TEST(a_start_within_depth_is_lifted) {
  ap_wall plane;
  ap_scene scene = plane_scene(slider(0, -9.81), &plane, 0.5, 0);
  scene.depth = 1e-3;
  ap_sim *sim = create(&scene);
  if (!sim) return;
  start(sim, (double[]){0, -0.9e-3}, (double[]){1, 0});
  ap_sim_state s = advance(sim, 1);
  CHECK_CLOSE(s.q[1], 0, 1e-12);
  CHECK_CLOSE(s.closing, 0, 1e-12);
  CHECK_CLOSE(s.lost, 0, 1e-12);
  ap_sim_free(sim);
  scene.depth = 2e-3;
  CHECK_EQ_INT(ap_sim_create(&scene, &sim, NULL), AP_E_ARG);
}

// With walls they are taken as 1e-8 at the loosest, but a number they must be.
TEST(tolerances_are_numbers) {
  ap_wall plane;
  ap_sim *sim = NULL;
  ap_error error = {0};
  ap_scene scene = plane_scene(slider(0, -9.81), &plane, 0, 0);
  scene.relative = NAN;
  CHECK_EQ_INT(ap_sim_create(&scene, &sim, &error), AP_E_ARG);
  CHECK_HAS(error.text, "tolerances must be finite");
  scene.relative = 1e-9, scene.absolute = NAN;
  CHECK_EQ_INT(ap_sim_create(&scene, &sim, &error), AP_E_ARG);
}

// What moves straight on, or rests, needs few steps, also where nothing presses it.
TEST(nothing_happens_in_few_steps) {
  for (int k = 0; k < 2; k++) {
    ap_wall plane;
    ap_scene scene = plane_scene(slider(0, k ? -9.81 : 0), &plane, 0, 0);
    ap_sim *sim = create(&scene);
    if (!sim) return;
    test_context("%s", k ? "at rest" : "without gravity");
    start(sim, (double[]){0, 0}, (double[]){1, 0});
    ap_sim_state s = advance(sim, 100);
    CHECK_CLOSE(s.q[0], 100, 1e-8);
    CHECK(ap_sim_evaluations(sim) < 3000);
    ap_sim_free(sim);
  }
}

TEST(an_elastic_ball_keeps_its_energy) {
  double h = 0.7, g = 9.81, fall = sqrt(2 * h / g);
  ap_wall plane;
  ap_scene scene = plane_scene(slider(0, -g), &plane, 1, 0);
  ap_sim *sim = create(&scene);
  if (!sim) return;
  start(sim, (double[]){0, h}, (double[]){0, 0});
  ap_sim_state s = advance(sim, fall * 2 * 500);
  CHECK_EQ_INT(told.n, 500);
  // Rounding of 1e-15 in a bounce, six times that by the weights of the method, adds up in the
  // speed, and that in time: 500^2 / 2 times 1e-14.
  for (int i = 0; i < told.n; i++) CHECK_CLOSE(told.event[i].t, fall * (2 * i + 1), 2e-9);
  CHECK_CLOSE(s.q[1], h, 2e-9);
  ap_sim_free(sim);
}

// ---- without walls -----------------------------------------------------------------------------

TEST(a_pendulum_keeps_its_energy) {
  ap_scene scene = ap_default_scene();
  scene.model = double_pendulum(0, 0);
  ap_sim *sim = create(&scene);
  if (!sim) return;
  start(sim, (double[]){1.5, -0.5}, (double[]){0, 2});
  for (int i = 1; i <= 20; i++) CHECK_CLOSE(advance(sim, 0.5 * i).closing, 0, 1e-7);
  ap_sim_free(sim);
}

static ap_status steer(void *context, double t, const double *q, const double *v, double *tau) {
  (void)context;
  tau[0] += sin(3 * t) - 0.3 * v[0];
  tau[1] -= 2 * q[1];
  return AP_OK;
}

TEST(the_ledger_closes) {
  const ap_joint_spring spring[2] = {{.v = 0, .stiffness = 7, .rest = 0.5, .damping = 0.3},
                                     {.v = 1, .stiffness = 2, .rest = -1, .damping = 0.1}};
  const ap_load load[2] = {{.body = 2,
                            .at = {0, 0, -1},
                            .force = {1, 2, 3},
                            .couple = {0, 0.5, 0},
                            .from = 0.3,
                            .to = 2.7},
                           {.body = 1, .force = {0, 0, 1}, .from = 1, .to = INFINITY}};
  for (int k = 0; k < 3; k++) {
    ap_scene scene = ap_default_scene();
    scene.model = double_pendulum(0.05, k == 2 ? 0.2 : 0);
    scene.spring = spring;
    scene.nspring = 2;
    scene.load = load;
    scene.nload = 2;
    scene.force = k ? steer : NULL;
    ap_sim *sim = create(&scene);
    if (!sim) return;
    start(sim, (double[]){1.5, -0.5}, (double[]){0, 2});
    ap_sim_state s = {0};
    for (int i = 1; i <= 40; i++) {
      double before = s.dissipated;
      s = advance(sim, 0.1 * i);
      test_context("case %d, t = %g", k, s.t);
      CHECK_CLOSE(s.closing, 0, 1e-8);
      CHECK(s.dissipated > before);
      if (k) CHECK(fabs(s.work_of[0]) > 0);
    }
    CHECK(s.elastic > 0);
    CHECK(fabs(s.work) > 1e-3);
    ap_sim_free(sim);
  }
}

// Dry friction alone brings a slow pendulum to a stand, and the run goes on.
TEST(joint_friction_does_not_stall) {
  ap_scene scene = ap_default_scene();
  scene.model = double_pendulum(0, 3);
  ap_sim *sim = create(&scene);
  if (!sim) return;
  start(sim, (double[]){0.05, 0}, (double[]){0.2, -0.2});
  ap_sim_state s = advance(sim, 5);
  // It creeps where 3 N m times v / sqrt(v^2 + 1e-6) carries the 1.6 N m of gravity at 0.07 rad.
  CHECK(fabs(s.v[0]) < 1e-3 && fabs(s.v[1]) < 1e-3);
  CHECK_CLOSE(s.closing, 0, 1e-7);
  ap_sim_free(sim);
}

// A load for a second: m x = F (t - 1/2) after it.
TEST(a_load_acts_in_its_time) {
  const ap_load load = {.body = 2, .force = {3, 0, 0}, .from = 1, .to = 2};
  ap_scene scene = ap_default_scene();
  scene.model = slider(0, 0);
  scene.load = &load;
  scene.nload = 1;
  ap_sim *sim = create(&scene);
  if (!sim) return;
  start(sim, (double[]){0, 0}, (double[]){0, 0});
  ap_sim_state s = advance(sim, 4);
  CHECK_CLOSE(s.v[0], 1.5, 1e-12);
  CHECK_CLOSE(s.q[0], 1.5 * 2.5, 1e-11);
  CHECK_CLOSE(s.work, 0.5 * 2 * 1.5 * 1.5, 1e-11);
  ap_sim_free(sim);
}

// About the middle axis, where it tumbles: angular momentum and energy stay, the centre falls.
TEST(a_free_body_tumbles) {
  static unsigned char room[65536];
  ap_scene scene = ap_default_scene();
  scene.model = brick();
  ap_sim *sim = create(&scene);
  if (!sim) return;
  ap_work *w = ap_work_init(scene.model, room, sizeof room);
  double q[7] = {0, 0, 0, 0.2, -0.4, 0.1, 3}, v[6] = {0.5, 1, 2, 0.01, 7, 0.02}, at[3], h[6], h0[6];
  start(sim, q, v);
  ap_sim_state s;
  CHECK_OK(ap_sim_now(sim, &s, NULL));
  ap_kinematics(scene.model, w, s.q, s.v, NULL);
  ap_centroidal_momentum(scene.model, w, h0);
  for (int i = 1; i <= 50; i++) {
    s = advance(sim, 0.2 * i);
    test_context("t = %g", s.t);
    ap_kinematics(scene.model, w, s.q, s.v, NULL);
    ap_centroidal_momentum(scene.model, w, h);
    CHECK_WITHIN(h + 3, h0 + 3, 3, 1e-8);
    CHECK_CLOSE(s.q[3] * s.q[3] + s.q[4] * s.q[4] + s.q[5] * s.q[5] + s.q[6] * s.q[6], 1, 1e-15);
    for (int k = 0; k < 3; k++) at[k] = h0[k] / 3 * s.t - (k == 2 ? 4.905 * s.t * s.t : 0);
    CHECK_WITHIN(s.q, at, 3, 1e-6); // after 10 s at 1e-10, 500 m down
    CHECK_CLOSE(s.closing, 0, 1e-5);
  }
  ap_sim_free(sim);
}

// ---- bodies with corners -----------------------------------------------------------------------

// Dropped any which way, with friction and restitution, a brick ends flat on one of its faces.
TEST(a_brick_falls_and_rests) {
  rng r = rng_seed(3);
  for (int k = 0; k < 12; k++) {
    ap_wall plane;
    ap_scene scene = brick_scene(&plane, 0.1 * (k % 6), k % 3 ? 0.4 : 0);
    scene.relative = scene.absolute = 1e-9;
    ap_sim *sim = create(&scene);
    if (!sim) return;
    double q[7] = {0, 0, 0.5}, v[6];
    for (int i = 3; i < 7; i++) q[i] = rng_uniform(&r, -1, 1);
    for (int i = 0; i < 6; i++) v[i] = rng_uniform(&r, -1, 1);
    test_context("brick %d", k);
    start(sim, q, v);
    ap_sim_state s = {0};
    double energy = INFINITY;
    for (int i = 1; i <= 100 && !test_now.failed; i++) {
      s = advance(sim, 0.1 * i);
      if (test_now.failed) break;
      CHECK(lowest_corner(s.q) > -1e-8);
      CHECK(s.kinetic + s.potential <= energy + 1e-8);
      CHECK_CLOSE(s.closing, 0, 1e-6);
      energy = s.kinetic + s.potential;
    }
    if (test_now.failed) return;
    CHECK(s.contacts >= 3);
    if (plane.friction > 0) CHECK_CLOSE(s.kinetic, 0, 1e-12);
    ap_sim_free(sim);
  }
}
