// SPDX-License-Identifier: Apache-2.0
// Shapes on walls that end and on walls that move, against what is known by other means.

#include <appell/kin.h>

#include "sim_scenes.h"

static const double G = 9.81;
static ap_body_def link;
static ap_convex shape;
static ap_contact_point contact;
static ap_wall wall;

// A free body of 2 kg with a shape, and a wall of a kind, friction as given.
static ap_scene one_body(ap_wall_kind kind, double friction) {
  ap_robot_def def = ap_default_robot();
  link = ap_default_body();
  link.name = "a", link.joint = AP_FREE, link.mass = 2;
  link.inertia[0] = 0.01, link.inertia[3] = 0.02, link.inertia[5] = 0.015;
  def.bodies = &link, def.nbody = 1;
  def.gravity[0] = def.gravity[1] = 0, def.gravity[2] = -G;
  contact = (ap_contact_point){.name = "a", .body = 1, .shape = &shape};
  wall = ap_default_wall();
  wall.kind = kind, wall.name = "table", wall.friction = friction;
  ap_scene scene = ap_default_scene();
  scene.model = model_of(&def);
  scene.point = &contact, scene.npoint = 1, scene.nforce_time = 0;
  scene.wall = &wall, scene.nwall = 1;
  return scene;
}

static bool run(const ap_scene *scene, const double *q, const double *v, double t,
                ap_sim_state *state, ap_sim **sim) {
  *sim = create(scene);
  if (!*sim || !start(*sim, q, v)) return false;
  *state = advance(*sim, t);
  return true;
}

// ---- a block over the edge of a table ----------------------------------------------------------

enum { S, TILT, DS, DTILT, BLOCK };

// A block whose bottom slides over an edge without friction: the foot of its centre of mass is s
// beyond the edge along the bottom, h below the centre, and the block is tilted. From Lagrange's
// equations.
static void block_rate(const double *x, double h, double m, double I, double *rate) {
  double s = x[S], c = cos(x[TILT]), w = x[DTILT];
  rate[S] = x[DS];
  rate[TILT] = w;
  rate[DTILT] = m * s * (G * c - 2 * x[DS] * w - h * w * w) / (I + m * s * s);
  rate[DS] = s * w * w + G * sin(x[TILT]) - h * rate[DTILT];
}

static void block_after(double *x, double h, double m, double I, double t) {
  enum { STEPS = 2000 };
  double step = t / STEPS;
  for (int i = 0; i < STEPS; i++) {
    double k[4][BLOCK], y[BLOCK];
    for (int j = 0; j < 4; j++) {
      const double part[4] = {0, 0.5, 0.5, 1};
      for (int c = 0; c < BLOCK; c++) y[c] = x[c] + (j ? part[j] * step * k[j - 1][c] : 0);
      block_rate(y, h, m, I, k[j]);
    }
    for (int c = 0; c < BLOCK; c++)
      x[c] += step / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
  }
}

// A block of height 2 h slides along x at 0.5 m/s over the edge at x = 0 and tips where its centre
// of mass is over it.
static void check_block_over(ap_scene *scene) {
  const double v0 = 0.5, h = 0.1, from = -0.1, beyond = 0.15;
  CHECK_OK(ap_convex_box((double[3]){0.4, 0.3, 2 * h}, &shape, NULL));
  double q[7] = {from, 0, h, 0, 0, 0, 1}, v[6] = {v0};
  ap_sim *sim;
  ap_sim_state s;
  if (run(scene, q, v, -from / v0 + beyond, &s, &sim)) {
    double x[BLOCK] = {0, 0, v0, 0};
    block_after(x, h, link.mass, link.inertia[3], beyond);
    CHECK(x[TILT] > 0.02);
    CHECK_CLOSE(s.q[0], x[S] * cos(x[TILT]) + h * sin(x[TILT]), 1e-8);
    CHECK_CLOSE(s.q[2], -x[S] * sin(x[TILT]) + h * cos(x[TILT]), 1e-8);
    CHECK_CLOSE(2 * asin(s.q[4]), x[TILT], 1e-8);
    CHECK_CLOSE(s.closing, 0, 1e-9);
    CHECK_CLOSE(s.lost, 0, 1e-9);
  }
  ap_sim_free(sim);
}

TEST(a_block_slides_over_the_edge_of_a_table) {
  ap_scene scene = one_body(AP_WALL_RECTANGLE, 0);
  wall.size[0] = 2, wall.size[1] = 1, wall.centre[0] = -1;
  check_block_over(&scene);
}

// ---- a ball over an edge -----------------------------------------------------------------------

// Without friction the centre goes round the edge as a point on a circle and leaves it where
// cos = 2/3 + v^2 / (3 g r).
static void check_ball_over(ap_scene *scene, double way) {
  const double r = 0.1, v0 = 0.3, cosine = 2.0 / 3 + v0 * v0 / (3 * G * r);
  CHECK_OK(ap_convex_sphere(r, &shape, NULL));
  double q[7] = {-way, 0, r, 0, 0, 0, 1}, v[6] = {v0};
  ap_sim *sim;
  ap_sim_state s;
  double leaves = 0;
  if (run(scene, q, v, 1, &s, &sim) && CHECK(told.n > 0)) {
    CHECK_EQ_INT(told.event[told.n - 1].kind, AP_EVENT_LIFTOFF);
    leaves = told.event[told.n - 1].t;
    CHECK_CLOSE(s.lost, 0, 1e-9);
    CHECK_CLOSE(s.closing, 0, 1e-9);
  }
  ap_sim_free(sim);
  if (run(scene, q, v, leaves, &s, &sim)) {
    CHECK_CLOSE(s.q[2], r * cosine, 1e-8);
    CHECK_CLOSE(s.q[0], r * sqrt(1 - cosine * cosine), 1e-8);
    CHECK_CLOSE(s.v[0], sqrt(G * r * cosine) * cosine, 1e-8);
  }
  ap_sim_free(sim);
}

TEST(a_ball_goes_over_the_edge_of_a_table) {
  ap_scene scene = one_body(AP_WALL_RECTANGLE, 0);
  wall.size[0] = 2, wall.size[1] = 1, wall.centre[0] = -1;
  check_ball_over(&scene, 0.1);
}

// ---- walls that move ---------------------------------------------------------------------------

// A box that sticks to a table which rises, falls and swings moves with it: the table is larger
// than the box, or smaller, so that its corners bear the box.
static void check_carried(ap_wall_kind kind, double side) {
  ap_scene scene = one_body(kind, 2);
  ap_sim *sim;
  ap_sim_state s;
  const double t = 1.3, h = 0.1;
  CHECK_OK(ap_convex_box((double[3]){0.3, 0.4, 2 * h}, &shape, NULL));
  wall.size[0] = wall.size[1] = wall.size[2] = side;
  wall.centre[2] = kind == AP_WALL_BOX ? -side / 2 : 0;
  wall.motion.amplitude[2] = 0.1, wall.motion.amplitude[0] = 0.05;
  wall.motion.frequency = 0.5, wall.motion.swing = 0.2;
  wall.motion.axis[1] = 0.6, wall.motion.axis[2] = 0.8;
  wall.motion.pivot[0] = 0.02, wall.motion.pivot[2] = -wall.centre[2];
  wall.motion.phase = -PI / 2; // it starts at rest
  // where the phase of -90 degrees puts it: turned by -0.2 about the pivot
  double q[7] = {0}, v[6] = {0}, w0 = sin(wall.motion.phase);
  for (int k = 0; k < 2; k++) {
    double w = k ? sin(2 * PI * 0.5 * t + wall.motion.phase) : w0, half = 0.1 * w;
    const double u[4] = {0, 0.6 * sin(half), 0.8 * sin(half), cos(half)};
    const double d[3] = {-0.02, 0, h};
    double c[3] = {u[1] * d[2] - u[2] * d[1], u[2] * d[0] - u[0] * d[2], u[0] * d[1] - u[1] * d[0]};
    double at[3];
    for (int i = 0; i < 3; i++) {
      double twice = u[(i + 1) % 3] * c[(i + 2) % 3] - u[(i + 2) % 3] * c[(i + 1) % 3];
      at[i] = wall.motion.amplitude[i] * w + (i == 0 ? 0.02 : 0) + d[i] + 2 * (u[3] * c[i] + twice);
    }
    if (k) {
      if (!run(&scene, q, v, t, &s, &sim)) break;
      for (int i = 0; i < 3; i++) CHECK_CLOSE(s.q[i], at[i], 1e-8);
      for (int i = 0; i < 4; i++) CHECK_CLOSE(s.q[3 + i], u[i], 1e-8);
      CHECK_CLOSE(s.closing, 0, 1e-9);
      CHECK_CLOSE(s.lost, 0, 1e-9);
      CHECK(s.contacts >= 3);
    } else {
      memcpy(q, at, sizeof at);
      memcpy(q + 3, u, sizeof u);
    }
  }
  ap_sim_free(sim);
}

TEST(a_box_is_carried_by_a_table) {
  check_carried(AP_WALL_RECTANGLE, 1);
  check_carried(AP_WALL_RECTANGLE, 0.2);
  check_carried(AP_WALL_BOX, 1);
  check_carried(AP_WALL_BOX, 0.2);
}

// A box lands on a lift at 0.3 m/s: the impact takes m u^2 / 2 of the relative velocity.
TEST(a_box_lands_on_a_lift) {
  for (int small = 0; small < 2; small++) {
    ap_scene scene = one_body(AP_WALL_RECTANGLE, 0.5);
    CHECK_OK(ap_convex_box((double[3]){0.3, 0.4, 0.2}, &shape, NULL));
    wall.size[0] = wall.size[1] = small ? 0.2 : 1;
    wall.motion.velocity[2] = 0.3;
    double q[7] = {0, 0, 0.3, 0, 0, 0, 1}, v[6] = {0};
    double hit = (-0.3 + sqrt(0.09 + 2 * G * 0.2)) / G, u = 0.3 + G * hit;
    ap_sim *sim;
    ap_sim_state s;
    if (run(&scene, q, v, 1, &s, &sim)) {
      CHECK_CLOSE(told.event[0].t, hit, 1e-10);
      CHECK_CLOSE(s.q[2], 0.3 * 1 + 0.1, 1e-9);
      CHECK_CLOSE(s.lost, 0.5 * link.mass * u * u, 1e-9);
      // the impulse times 0.3 m/s, then the weight on the way up
      CHECK_CLOSE(s.work, link.mass * (u + G * (1 - hit)) * 0.3, 1e-8);
      CHECK_CLOSE(s.closing, 0, 1e-9);
      CHECK_EQ_INT(s.contacts, 4);
    }
    ap_sim_free(sim);
  }
}

// A cylinder on its side lands on a plane that rises.
TEST(a_cylinder_lands_on_a_lift) {
  ap_scene scene = one_body(AP_WALL_PLANE, 0.5);
  CHECK_OK(ap_convex_cylinder(0.1, 0.4, &shape, NULL));
  wall.motion.velocity[2] = 0.3;
  double q[7] = {0, 0, 0.3, sqrt(0.5), 0, 0, sqrt(0.5)}, v[6] = {0};
  double hit = (-0.3 + sqrt(0.09 + 2 * G * 0.2)) / G, u = 0.3 + G * hit;
  ap_sim *sim;
  ap_sim_state s;
  if (run(&scene, q, v, 1, &s, &sim)) {
    CHECK_CLOSE(s.q[2], 0.3 + 0.1, 1e-9);
    CHECK_CLOSE(s.lost, 0.5 * link.mass * u * u, 1e-9);
    CHECK_CLOSE(s.work, link.mass * (u + G * (1 - hit)) * 0.3, 1e-8);
    CHECK_CLOSE(s.closing, 0, 1e-9);
  }
  ap_sim_free(sim);
}

// A box is put on a belt: it slides for v / (mu g), and the belt does the work m v^2. On a narrow
// belt its own edges are borne.
TEST(a_belt_takes_a_box_along) {
  for (int narrow = 0; narrow < 2; narrow++) {
    const double speed = 0.5, mu = 0.3, t = speed / (mu * G);
    ap_scene scene = one_body(AP_WALL_RECTANGLE, mu);
    CHECK_OK(ap_convex_box((double[3]){0.3, 0.4, 0.02}, &shape, NULL));
    wall.size[0] = 4, wall.size[1] = narrow ? 0.2 : 1;
    wall.surface_velocity[0] = speed;
    double q[7] = {0, 0, 0.01, 0, 0, 0, 1}, v[6] = {0};
    ap_sim *sim;
    ap_sim_state s;
    if (run(&scene, q, v, 1, &s, &sim)) {
      CHECK_CLOSE(s.q[0], speed - speed * t / 2, 1e-8);
      CHECK_CLOSE(s.work, link.mass * speed * speed, 1e-8);
      CHECK_CLOSE(s.dissipated, 0.5 * link.mass * speed * speed, 1e-8);
      CHECK_CLOSE(s.closing, 0, 1e-9);
    }
    ap_sim_free(sim);
  }
}

// ---- round walls -------------------------------------------------------------------------------

TEST(a_ball_goes_over_the_rim_of_a_disc) {
  ap_scene scene = one_body(AP_WALL_DISC, 0);
  wall.size[0] = 0.4, wall.centre[0] = -0.4;
  check_ball_over(&scene, 0.1);
  wall.kind = AP_WALL_CAPPED_CYLINDER;
  wall.size[1] = 0.2, wall.centre[2] = -0.1;
  check_ball_over(&scene, 0.1);
  wall.kind = AP_WALL_CONE; // narrower below
  wall.size[0] = 0.35, wall.size[1] = 0.2, wall.size[2] = 0.4, wall.centre[2] = -0.2;
  check_ball_over(&scene, 0.1);
}

// Its bottom touches the rim at one place. The block is as wide as to be borne by that.
TEST(a_block_slides_over_the_rim_of_a_disc) {
  for (int kind = 0; kind < 2; kind++) {
    ap_scene scene = one_body(kind ? AP_WALL_CAPPED_CYLINDER : AP_WALL_DISC, 0);
    wall.size[0] = 0.8, wall.centre[0] = -0.8;
    wall.size[1] = kind ? 0.1 : 0, wall.centre[2] = kind ? -0.05 : 0;
    check_block_over(&scene);
  }
}

// Boxes that stand on a disc, on a capped cylinder and across a cylinder that lies, and how many
// places bear them: corners, crossings of edges and the rim, places of the rim.
TEST(boxes_rest_on_round_walls) {
  const struct {
    ap_wall_kind kind;
    double size[3], sides[3], axis[3];
  } all[] = {{AP_WALL_DISC, {1}, {0.3, 0.4, 0.2}, {0, 0, 1}},
             {AP_WALL_DISC, {0.1}, {0.3, 0.4, 0.2}, {0, 0, 1}},
             {AP_WALL_DISC, {0.2}, {0.3, 0.5, 0.2}, {0, 0, 1}},
             {AP_WALL_CAPPED_CYLINDER, {0.17, 0.3}, {0.3, 0.4, 0.2}, {0, 0, 1}},
             {AP_WALL_CAPPED_CYLINDER, {0.17, 0.3}, {0.3, 0.4, 0.2}, {1, 0, 0}},
             {AP_WALL_CONE, {0.3, 0.3, 0.1}, {0.3, 0.4, 0.2}, {0, 0, 1}},
             {AP_WALL_CONE, {0.1, 0.3, 0.3}, {0.3, 0.4, 0.2}, {0, 0, 1}}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ap_scene scene = one_body(all[i].kind, 0.5);
    bool lies = all[i].axis[0] > 0, cone = all[i].kind == AP_WALL_CONE;
    double top = all[i].kind == AP_WALL_DISC ? 0 : lies ? all[i].size[0] : all[i].size[1] / 2;
    test_context("case %zu", i);
    memcpy(wall.size, all[i].size, sizeof wall.size);
    memcpy(wall.axis, all[i].axis, sizeof wall.axis);
    if (lies) wall.x[0] = 0, wall.x[2] = 1;
    if (cone) wall.centre[2] = -all[i].size[1] / 2;
    CHECK_OK(ap_convex_box(all[i].sides, &shape, NULL));
    double q[7] = {0.03 * !lies, 0, top + 0.1, 0, 0, 0, 1}, v[6] = {0};
    ap_sim *sim;
    ap_sim_state s;
    if (run(&scene, q, v, 1, &s, &sim)) {
      for (int k = 0; k < 7; k++) CHECK_CLOSE(s.q[k], q[k], 1e-8);
      CHECK_CLOSE(s.closing, 0, 1e-9);
      CHECK(s.contacts >= (lies ? 2 : 4));
      ap_contact_state told_of[64];
      int n = ap_sim_contacts(sim, told_of, 64);
      double force = 0;
      for (int k = 0; k < n; k++) force += told_of[k].force[2];
      CHECK_CLOSE(force, link.mass * G, 1e-6);
    }
    ap_sim_free(sim);
  }
}

// A hull falls on a cone: nothing enters it, the ledger closes, and it lies on the floor at last.
TEST(a_hull_falls_on_a_cone) {
  static const double vertex[6][3] = {{0.1, 0, -0.05},       {-0.06, 0.09, -0.06},
                                      {-0.07, -0.08, -0.04}, {0.05, 0.06, 0.1},
                                      {-0.06, 0, 0.09},      {0.04, -0.07, 0.08}};
  ap_hull *hull;
  if (!CHECK_OK(ap_hull_make(vertex[0], 6, &hull, NULL))) return;
  for (int k = 0; k < 6; k++) {
    ap_scene scene = one_body(AP_WALL_CONE, k % 2 ? 0.3 : 0);
    ap_wall both[2] = {wall, ap_default_wall()};
    both[0].size[0] = 0.3, both[0].size[1] = 0.4, both[0].size[2] = k / 2 * 0.05;
    both[0].restitution = 0.3;
    both[1].friction = 0.4;
    scene.wall = both, scene.nwall = 2;
    shape = ap_convex_of_hull(hull);
    double q[7] = {0.02, 0.03, 0.7, 0, 0, 0, 1}, v[6] = {0.1, 0, 0, 1 + k, 2, -1};
    ap_sim *sim;
    ap_sim_state s;
    test_context("case %d", k);
    if (run(&scene, q, v, 1.5, &s, &sim)) {
      CHECK(told.n > 0 && told.event[0].wall == 0);
      CHECK_CLOSE(s.closing, 0, 1e-9);
      CHECK(s.lost > 0);
    }
    ap_sim_free(sim);
  }
  ap_hull_free(hull);
}

// A ball, and a capsule that hangs upright, fall onto the side of a funnel: the lowest ball is its
// radius from the side, at the height z where (rho - R - k z) / sqrt(1 + k^2) = -r.
TEST(balls_and_capsules_in_a_funnel) {
  for (int long_one = 0; long_one < 2; long_one++) {
    const double r = 0.05, x = 0.25, k = 0.8, low = 0.1, half = long_one ? 0.1 : 0;
    ap_scene scene = one_body(AP_WALL_CONE, 0.1);
    wall.inside = true;
    wall.size[0] = low, wall.size[1] = 1, wall.size[2] = low + k;
    wall.restitution = 0.5;
    if (long_one)
      CHECK_OK(ap_convex_capsule(r, 2 * half, &shape, NULL));
    else
      CHECK_OK(ap_convex_sphere(r, &shape, NULL));
    double touch = (x - low + r * sqrt(1 + k * k)) / k + half, from = touch + 0.2;
    double q[7] = {x, 0, from, 0, 0, 0, 1}, v[6] = {0};
    ap_sim *sim;
    ap_sim_state s;
    if (run(&scene, q, v, 3, &s, &sim) && CHECK(told.n > 0)) {
      CHECK_CLOSE(told.event[0].t, sqrt(2 * 0.2 / G), 1e-10);
      CHECK_CLOSE(told.event[0].normal[0], -1 / sqrt(1 + k * k), 1e-9);
      CHECK_CLOSE(s.closing, 0, 1e-9);
    }
    ap_sim_free(sim);
  }
  ap_scene scene = one_body(AP_WALL_CONE, 0); // no room for the ball at the sharp end
  wall.inside = true, wall.size[0] = 0.3, wall.size[1] = 1, wall.size[2] = 0;
  CHECK_OK(ap_convex_sphere(0.05, &shape, NULL));
  ap_sim *sim = NULL;
  ap_error error = {0};
  CHECK_EQ_INT(ap_sim_create(&scene, &sim, &error), AP_E_UNSUPPORTED);
  CHECK(strstr(error.text, "shape \"a\" (sphere) cannot touch wall \"table\" (cone, inside)"));
}

// A board stays level on a beam without end, a capsule falls across one.
TEST(shapes_on_a_beam) {
  for (int k = 0; k < 2; k++) {
    ap_scene scene = one_body(AP_WALL_CYLINDER, 0.5);
    wall.axis[1] = 1, wall.axis[2] = 0;
    wall.size[0] = 0.2;
    if (k)
      CHECK_OK(ap_convex_capsule(0.05, 0.6, &shape, NULL));
    else
      CHECK_OK(ap_convex_box((double[3]){0.3, 0.4, 0.1}, &shape, NULL));
    double q[7] = {0, 0, k ? 0.4 : 0.25, 0, k ? sqrt(0.5) : 0, 0, k ? sqrt(0.5) : 1}, v[6] = {0};
    ap_sim *sim;
    ap_sim_state s;
    if (run(&scene, q, v, 1, &s, &sim) && CHECK(told.n > 0)) {
      CHECK_CLOSE(told.event[0].t, k ? sqrt(2 * 0.15 / G) : 0, 1e-9);
      CHECK_CLOSE(s.q[2], 0.25, 1e-8);
      CHECK_CLOSE(s.closing, 0, 1e-9);
    }
    ap_sim_free(sim);
  }
}

// A capsule lies across a disc and beyond it, is dropped on its rim, and slides over it.
TEST(capsules_on_rims) {
  ap_sim *sim;
  ap_sim_state s;
  const double r = 0.05;
  ap_scene scene = one_body(AP_WALL_DISC, 0.5);
  wall.size[0] = 0.2;
  CHECK_OK(ap_convex_capsule(r, 0.8, &shape, NULL));
  double q[7] = {0.03, 0.05, r, 0, sqrt(0.5), 0, sqrt(0.5)}, v[6] = {0};
  if (run(&scene, q, v, 1, &s, &sim)) {
    CHECK_CLOSE(s.q[2], r, 1e-8);
    CHECK_CLOSE(s.closing, 0, 1e-9);
    CHECK(s.contacts >= 2);
  }
  ap_sim_free(sim);
  for (int k = 0; k < 3; k++) { // leaning on the rim, it turns about the place of contact
    scene = one_body(k == 2 ? AP_WALL_CONE : k ? AP_WALL_CAPPED_CYLINDER : AP_WALL_DISC, 0.3);
    wall.size[0] = 0.2, wall.size[1] = 0.4, wall.size[2] = 0.15;
    wall.restitution = 0.4;
    CHECK_OK(ap_convex_capsule(r, 0.8, &shape, NULL));
    const double half = 0.5 * (PI / 2 - 0.4),
                 from[7] = {0.3, 0.02, 0.7, 0, sin(half), 0, cos(half)};
    test_context("case %d", k);
    if (run(&scene, from, v, 0.8, &s, &sim)) {
      CHECK(told.n > 0);
      CHECK_CLOSE(s.closing, 0, 1e-9);
    }
    ap_sim_free(sim);
  }
  test_context("all");
}
