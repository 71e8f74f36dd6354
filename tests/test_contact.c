// SPDX-License-Identifier: Apache-2.0
// Points that rest on walls: forces and accelerations known by hand, laws on random robots, the way
// back onto the walls.

#include "sim/contact.h"

#include "models.h"

enum { POINTS = 8 };

static const double G = 9.81;

// ---- fixtures ----------------------------------------------------------------------------------

static void *scratch(const ap_model *m, int n) {
  static void *memory;
  free(memory);
  memory = calloc(1, ap__contact_scratch(m, n));
  return memory;
}

static ap_plant *plant_of(const test_robot *r) {
  static ap_plant plant;
  plant = ap__plant_tree(r->m, r->w);
  return &plant;
}

// A surface in memory of its own, which the next POINTS surfaces leave alone.
static const ap_surface *surface_of(const ap_wall *wall) {
  static void *memory[2 * POINTS];
  static int next;
  next = (next + 1) % (2 * POINTS);
  free(memory[next]);
  size_t size = ap_surface_size(wall);
  memory[next] = malloc(size);
  ap_error error = {.text = ""};
  const ap_surface *s = ap_surface_init(wall, memory[next], size, &error);
  if (!s) printf("%s\n", error.text);
  CHECK(s);
  return s;
}

static const ap_surface *plane(double x, double y, double z, double height) {
  ap_wall wall = ap_default_wall();
  double axis[3] = {x, y, z}, length = sqrt(x * x + y * y + z * z);
  for (int k = 0; k < 3; k++) {
    wall.axis[k] = axis[k];
    wall.centre[k] = height * axis[k] / length;
  }
  return surface_of(&wall);
}

static ap_resting point_at(int body, double x, double y, double z, const ap_surface *s,
                           double friction) {
  return (ap_resting){
      .body = body, .at = {x, y, z}, .surface = s, .friction = friction, .stiction = friction};
}

static double dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Place and velocity of a point, and its acceleration under a.
static void point_motion(const test_robot *r, const ap_resting *at, const double *q,
                         const double *v, const double *a, double p[3], double vel[3],
                         double acc[3]) {
  double R[9], twist[6], change[6], arm[3], *w = twist + 3, *t = change + 3;
  ap_kinematics(r->m, r->w, q, v, a);
  ap_frame_pose(r->m, r->w, at->body, R, p);
  ap_frame_velocity(r->m, r->w, at->body, AP_MIXED, twist);
  ap_frame_acceleration(r->m, r->w, at->body, AP_MIXED, change);
  for (int k = 0; k < 3; k++) arm[k] = dot3(R + 3 * k, at->at);
  double spin[3] = {w[1] * arm[2] - w[2] * arm[1], w[2] * arm[0] - w[0] * arm[2],
                    w[0] * arm[1] - w[1] * arm[0]};
  double turn[3] = {t[1] * arm[2] - t[2] * arm[1], t[2] * arm[0] - t[0] * arm[2],
                    t[0] * arm[1] - t[1] * arm[0]};
  double spin2[3] = {w[1] * spin[2] - w[2] * spin[1], w[2] * spin[0] - w[0] * spin[2],
                     w[0] * spin[1] - w[1] * spin[0]};
  for (int k = 0; k < 3; k++) {
    p[k] += arm[k];
    vel[k] = twist[k] + spin[k];
    acc[k] = change[k] + turn[k] + spin2[k];
  }
}

static double gap_at(const ap_surface *s, const double p[3], double normal[3]) {
  ap_gap gap;
  ap_surface_gap(s, p, &gap);
  double slope = sqrt(dot3(gap.gradient, gap.gradient));
  for (int k = 0; k < 3; k++) normal[k] = gap.gradient[k] / slope;
  return gap.c / slope;
}

// grad c . p'' + p'^T H p', divided by |grad c|.
static double leaving(const ap_surface *s, const double p[3], const double v[3],
                      const double a[3]) {
  ap_gap gap;
  ap_surface_gap(s, p, &gap);
  const double *H = gap.hessian;
  double bend = H[0] * v[0] * v[0] + H[3] * v[1] * v[1] + H[5] * v[2] * v[2] +
                2 * (H[1] * v[0] * v[1] + H[2] * v[0] * v[2] + H[4] * v[1] * v[2]);
  return (dot3(gap.gradient, a) + bend) / sqrt(dot3(gap.gradient, gap.gradient));
}

// A free block of mass 3 kg, its origin the centre of mass.
static void make_block(test_robot *r) {
  robot_clear(r, "block", 1);
  r->body[0].joint = AP_FREE;
  r->body[0].mass = 3;
  const double inertia[6] = {0.02, 0, 0, 0.05, 0, 0.06};
  memcpy(r->body[0].inertia, inertia, sizeof inertia);
  robot_make(r);
}

// The block on a slope that falls along x, feet 0.1 m below its centre of mass; v along the fall.
static void on_slope(double angle, double friction, double q[7], ap_resting foot[4]) {
  double normal[3] = {sin(angle), 0, cos(angle)};
  const ap_surface *s = plane(normal[0], 0, normal[2], 0);
  for (int k = 0; k < 3; k++) q[k] = 0.1 * normal[k];
  q[3] = q[5] = 0, q[4] = sin(angle / 2), q[6] = cos(angle / 2);
  for (int i = 0; i < 4; i++)
    foot[i] = point_at(1, i & 1 ? 0.2 : -0.2, i & 2 ? 0.15 : -0.15, -0.1, s, friction);
}

// ---- forces known by hand ----------------------------------------------------------------------

// Feet of a table share its weight evenly, sticking or not.
TEST(table) {
  test_robot r;
  make_block(&r);
  double q[7], v[6] = {0}, tau[6] = {0}, a[6], zero[6] = {0};
  ap_resting foot[4];
  for (int sticks = 0; sticks < 2; sticks++) {
    on_slope(0, 0.5, q, foot);
    for (int i = 0; i < 4; i++) foot[i].sticks = sticks;
    CHECK_OK(ap__contact_accelerations(plant_of(&r), q, v, tau, 4, foot, a, scratch(r.m, 4)));
    CHECK_WITHIN(a, zero, 6, 1e-13);
    for (int i = 0; i < 4; i++) {
      double want[3] = {0, 0, 3 * G / 4};
      CHECK_WITHIN(foot[i].force, want, 3, 1e-13);
      CHECK_CLOSE(foot[i].normal_force, 3 * G / 4, 1e-13);
      CHECK_CLOSE(foot[i].gap, 0, 1e-16);
    }
  }
  robot_free(&r);
}

// Below the angle of friction a block sticks: the forces carry its weight, and every foot has the
// same part of what its friction can hold, so that all reach the limit at the angle of friction.
TEST(block_sticks_on_a_slope) {
  test_robot r;
  make_block(&r);
  double q[7], v[6] = {0}, tau[6] = {0}, a[6], zero[6] = {0};
  ap_resting foot[4];
  for (int step = -4; step <= 4; step++) {
    double angle = 0.1 * step;
    on_slope(angle, 0.5, q, foot);
    for (int i = 0; i < 4; i++) foot[i].sticks = true;
    CHECK_OK(ap__contact_accelerations(plant_of(&r), q, v, tau, 4, foot, a, scratch(r.m, 4)));
    CHECK_WITHIN(a, zero, 6, 1e-13);
    double sum[3] = {0}, weight[3] = {0, 0, 3 * G};
    for (int i = 0; i < 4; i++) {
      for (int c = 0; c < 3; c++) sum[c] += foot[i].force[c];
      CHECK_CLOSE(foot[i].margin, foot[i].normal_force * (0.5 - fabs(tan(angle))), 1e-12);
    }
    CHECK_WITHIN(sum, weight, 3, 1e-12);
  }
  robot_free(&r);
}

// A table whose load goes from its middle to a foot, and a little beyond: s = 1 is at the foot. The
// shortest forces would pull at the opposite foot from s = 1/2 on.
static void forces_of_load(test_robot *r, double at, bool forget, ap_resting foot[4]) {
  double q[7], v[6] = {0}, tau[6] = {0}, a[6], zero[6] = {0}, angle = 0;
  ap_resting last[4];
  memcpy(last, foot, sizeof last);
  on_slope(angle, 0.5, q, foot);
  for (int i = 0; i < 4; i++) {
    foot[i].sticks = true;
    for (int k = 0; k < 3 && !forget; k++) foot[i].force[k] = last[i].force[k];
  }
  tau[3] = -0.15 * at * 3 * G, tau[4] = 0.2 * at * 3 * G;
  CHECK_OK(ap__contact_accelerations(plant_of(r), q, v, tau, 4, foot, a, scratch(r->m, 4)));
  CHECK_WITHIN(a, zero, 6, 1e-11);
}

// Forces of feet that depend on each other push wherever they can, do not jump, and are those of
// the state alone, whatever they were before. All of a foot's force goes from one to another while
// the load goes from 0 to 1: a part of the way as long as d moves no more than some d of it. Where
// no forces hold the table, the three feet that let go have reached their limit together.
TEST(forces_of_dependent_feet_do_not_jump) {
  test_robot r;
  make_block(&r);
  enum { STEPS = 1000 };
  ap_resting foot[4] = {0}, other[4] = {0}, before[4];
  for (int step = 0; step < STEPS; step++) {
    memcpy(before, foot, sizeof before);
    forces_of_load(&r, step / (double)STEPS, false, foot);
    forces_of_load(&r, step / (double)STEPS, true, other);
    test_context("load at %g", step / (double)STEPS);
    for (int i = 0; i < 4; i++) {
      CHECK(foot[i].normal_force > 0);
      CHECK(foot[i].margin > 0);
      CHECK_WITHIN(foot[i].force, other[i].force, 3, 1e-8 * 3 * G);
      double change = fabs(foot[i].normal_force - before[i].normal_force);
      if (step > 0) CHECK(change <= 4. / STEPS * 3 * G);
    }
  }
  forces_of_load(&r, 1.01, false, foot);
  for (int i = 0; i < 3; i++) {
    CHECK(foot[i].normal_force < -1e-4 * 3 * G);
    CHECK_CLOSE(foot[i].normal_force, foot[0].normal_force, 1e-6 * 3 * G);
  }
  robot_free(&r);
}

// Above it, it slides with g (sin - mu cos); moving the other way friction brakes it.
TEST(block_slides_on_a_slope) {
  test_robot r;
  make_block(&r);
  double q[7], tau[6] = {0}, a[6];
  ap_resting foot[4];
  for (int way = -1; way <= 1; way += 2) {
    double angle = 0.6, v[6] = {0.7 * way};
    double want[6] = {G * (sin(angle) - way * 0.5 * cos(angle))};
    on_slope(angle, 0.5, q, foot);
    for (int i = 0; i < 4; i++)
      foot[i].slip[0] = way * cos(angle), foot[i].slip[2] = -way * sin(angle);
    CHECK_OK(ap__contact_accelerations(plant_of(&r), q, v, tau, 4, foot, a, scratch(r.m, 4)));
    CHECK_WITHIN(a, want, 6, 1e-12);
    double normal = 0;
    for (int i = 0; i < 4; i++) {
      normal += foot[i].normal_force;
      CHECK_CLOSE(foot[i].speed, 0.7, 1e-15);
    }
    CHECK_CLOSE(normal, 3 * G * cos(angle), 1e-12);
  }
  robot_free(&r);
}

// A bead of mass 2 inside a vertical ring of radius 0.5: the ring pushes with m v^2 / r and what
// gravity has along the radius.
TEST(bead_in_a_ring) {
  test_robot r;
  robot_clear(&r, "bead", 2);
  for (int k = 0; k < 2; k++) {
    r.body[k].joint = AP_PRISMATIC;
    r.body[k].axis[0] = k == 0, r.body[k].axis[2] = k == 1;
  }
  r.body[1].mass = 2;
  robot_make(&r);
  ap_wall wall = ap_default_wall();
  wall.kind = AP_WALL_CIRCLE, wall.inside = true, wall.size[0] = 0.5;
  wall.axis[1] = 1, wall.axis[2] = 0;
  for (int step = -12; step < 12; step++) {
    double angle = 0.25 * step;
    double speed = 2, c = cos(angle), s = sin(angle);
    double q[2] = {0.5 * c, 0.5 * s}, v[2] = {-speed * s, speed * c}, tau[2] = {0}, a[2];
    ap_resting bead = point_at(2, 0, 0, 0, surface_of(&wall), 0);
    CHECK_OK(ap__contact_accelerations(plant_of(&r), q, v, tau, 1, &bead, a, scratch(r.m, 1)));
    double push = 2 * speed * speed / 0.5 - 2 * G * s;
    double along = -G * c, inwards = speed * speed / 0.5;
    double want[2] = {-inwards * c - along * s, -inwards * s + along * c};
    CHECK_CLOSE(bead.normal_force, push, 1e-12);
    CHECK_WITHIN(a, want, 2, 1e-12);
  }
  robot_free(&r);
}

// A rod on a hinge 0.3 m above the floor leans on it: the floor's moment balances gravity's. With
// only one degree of freedom, the point can stick without a tangential force being needed; the
// shortest force that stops the rod then points against its motion.
TEST(rod_leans_on_the_floor) {
  test_robot r;
  robot_clear(&r, "rod", 1);
  r.body[0].joint = AP_REVOLUTE;
  r.body[0].axis[1] = 1, r.body[0].axis[2] = 0;
  r.body[0].place.xyz[2] = 0.3;
  r.body[0].mass = 1.5;
  r.body[0].com[0] = 0.25;
  r.body[0].inertia[3] = 0.03;
  robot_make(&r);
  double q[1] = {asin(0.6)}, v[1] = {0}, tau[1] = {0}, a[1];
  ap_resting tip = point_at(1, 0.5, 0, 0, plane(0, 0, 1, 0), 0);
  CHECK_OK(ap__contact_accelerations(plant_of(&r), q, v, tau, 1, &tip, a, scratch(r.m, 1)));
  CHECK_CLOSE(tip.normal_force, 1.5 * G * 0.25 / 0.5, 1e-13);
  CHECK_CLOSE(a[0], 0, 1e-13);
  robot_free(&r);
}

// ---- modes -------------------------------------------------------------------------------------

// Modes, then the accelerations and forces under them; returns how many points stay, and the places
// of those are moved to the front.
static int settle(const test_robot *r, const double *q, const double *v, const double *tau, int n,
                  ap_resting *rest, bool *keep, double *a) {
  int stay = 0;
  CHECK_OK(ap__contact_modes(plant_of(r), q, v, tau, n, rest, keep, scratch(r->m, n)));
  for (int i = 0; i < n; i++)
    if (keep[i]) rest[stay++] = rest[i];
  CHECK_OK(ap__contact_accelerations(plant_of(r), q, v, tau, stay, rest, a, scratch(r->m, n)));
  return stay;
}

// Below the angle of friction the block stays at rest, above it starts to slide; both close to the
// limit, and either way along the slope.
TEST(modes_of_a_block_on_a_slope) {
  test_robot r;
  make_block(&r);
  double q[7], v[6] = {0}, tau[6] = {0}, a[6], limit = atan(0.5);
  ap_resting foot[4];
  bool keep[4];
  const double part[] = {0, 0.5, 0.9, 0.999, 1.001, 1.1, 1.5};
  for (int way = -1; way <= 1; way += 2)
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
      double angle = way * limit * part[k], want[6] = {0};
      test_context("%g of the angle of friction", part[k]);
      on_slope(angle, 0.5, q, foot);
      CHECK_EQ_INT(settle(&r, q, v, tau, 4, foot, keep, a), 4);
      if (part[k] > 1) want[0] = G * (sin(angle) - way * 0.5 * cos(angle));
      CHECK_WITHIN(a, want, 6, 1e-10);
      for (int i = 0; i < 4; i++) {
        CHECK(foot[i].sticks == (part[k] < 1));
        if (!foot[i].sticks) CHECK_CLOSE(foot[i].slip[0], way * cos(angle), 1e-6);
      }
    }
  robot_free(&r);
}

// A force that lifts one side: those feet leave, the others stay; one that lifts all: all leave.
TEST(feet_leave) {
  test_robot r;
  make_block(&r);
  double q[7], v[6] = {0}, a[6];
  ap_resting foot[4];
  bool keep[4];
  for (int friction = 0; friction < 2; friction++) {
    // A torque about y that tips the block over its feet at x = 0.2 needs more than m g 0.2.
    double tip[6] = {0, 0, 0, 0, 3 * G * 0.2 * 1.01, 0}, most[6] = {0, 0, 0, 0, 3 * G * 0.2 * 0.99};
    double up[6] = {0, 0, 3 * G * 1.01};
    on_slope(0, 0.5 * friction, q, foot);
    CHECK_EQ_INT(settle(&r, q, v, tip, 4, foot, keep, a), 2);
    CHECK(!keep[0] && keep[1] && !keep[2] && keep[3]);
    CHECK_CLOSE(foot[0].normal_force, foot[1].normal_force, 1e-10);
    CHECK(a[4] > 0);
    on_slope(0, 0.5 * friction, q, foot);
    CHECK_EQ_INT(settle(&r, q, v, most, 4, foot, keep, a), 4);
    CHECK_CLOSE(a[4], 0, 1e-12);
    for (int i = 0; i < 4; i++) CHECK(foot[i].normal_force > 0);
    on_slope(0, 0.5 * friction, q, foot);
    CHECK_EQ_INT(settle(&r, q, v, up, 4, foot, keep, a), 0);
    CHECK_CLOSE(a[2], 0.01 * G, 1e-12);
  }
  robot_free(&r);
}

// A weight over one foot: least squares would let the foot across pull, but forces that only push
// carry it, so nothing moves.
TEST(feet_that_could_pull_do_not) {
  test_robot r;
  make_block(&r);
  double q[7], v[6] = {0}, a[6], zero[6] = {0};
  ap_resting foot[4];
  bool keep[4];
  for (int friction = 0; friction < 2; friction++) {
    double tau[6] = {0, 0, 0, 3 * G * 0.15 * 0.8, 3 * G * 0.2 * 0.8, 0};
    on_slope(0, 0.5 * friction, q, foot);
    CHECK_EQ_INT(settle(&r, q, v, tau, 4, foot, keep, a), 4);
    CHECK_WITHIN(a, zero, 6, 1e-11);
    for (int i = 0; i < 4; i++) CHECK(foot[i].normal_force >= 0);
  }
  robot_free(&r);
}

// A rod slides with its tip on the floor, its centre behind the tip and friction above 4/3 (P.
// Painleve 1895): its own friction would press the tip into the floor, whatever the force, and
// no mode obeys the law. In the other direction it slides.
TEST(painleve_rod) {
  test_robot r;
  robot_clear(&r, "rod", 1);
  r.body[0].joint = AP_PLANAR; // its plane is that of x and z, y its normal
  r.body[0].axis[1] = 1, r.body[0].axis[2] = 0;
  r.body[0].mass = 1;
  r.body[0].inertia[0] = r.body[0].inertia[3] = 1. / 3;
  robot_make(&r);
  // The rod is 2 m long, along the link's z; tip at -z.
  for (int way = -1; way <= 1; way += 2) {
    double q[3] = {0, 0, 0}, v[3] = {0}, tau[3] = {0}, p[3], vel[3], acc[3], a[3];
    ap_resting tip = point_at(1, 0, 0, -1, NULL, 2);
    bool keep;
    // Lean by atan(1/2), and find height and sideways velocity whatever the plane's axes are.
    q[2] = atan(0.5);
    point_motion(&r, &tip, q, v, NULL, p, vel, acc);
    tip.surface = plane(0, 0, 1, p[2]);
    double lean = -p[0] > 0 ? 1 : -1, speed[3];
    for (int k = 0; k < 2; k++) {
      double unit[3] = {k == 0, k == 1, 0};
      point_motion(&r, &tip, q, unit, NULL, p, speed, acc);
      v[k] = way * lean * speed[0];
    }
    ap_status status = ap__contact_modes(plant_of(&r), q, v, tau, 1, &tip, &keep, scratch(r.m, 1));
    CHECK(status == (way < 0 ? AP_E_NO_CONVERGENCE : AP_OK));
    if (status) continue;
    CHECK(keep && !tip.sticks);
    CHECK_OK(ap__contact_accelerations(plant_of(&r), q, v, tau, 1, &tip, a, scratch(r.m, 1)));
    CHECK(tip.normal_force > 0);
  }
  robot_free(&r);
}

// A block on wheels in a slot: the frictionless slope lets it go, however flat.
TEST(without_friction_everything_slides) {
  test_robot r;
  make_block(&r);
  double q[7], v[6] = {0}, tau[6] = {0}, a[6], want[6] = {G * sin(0.01)};
  ap_resting foot[4];
  bool keep[4];
  on_slope(0.01, 0, q, foot);
  CHECK_EQ_INT(settle(&r, q, v, tau, 4, foot, keep, a), 4);
  CHECK_WITHIN(a, want, 6, 1e-12);
  for (int i = 0; i < 4; i++) CHECK(!foot[i].sticks);
  robot_free(&r);
}

// ---- laws on random robots ---------------------------------------------------------------------

// Points of random links, each on a plane or in a ball or on a ring through its place, in a random
// mode; returns how many.
static int random_contacts(rng *g, const test_robot *r, const double *q, const double *v, int most,
                           ap_resting *rest) {
  int n = ap_nbody(r->m) > 1 ? rng_int(g, 1, most) : 0;
  for (int i = 0; i < n; i++) {
    double p[3], vel[3], acc[3], axis[3], normal[3];
    rest[i] = point_at(rng_int(g, 1, ap_nbody(r->m) - 1), 0, 0, 0, NULL, rng_uniform(g, 0, 0.3));
    random_vector(g, 0.3, rest[i].at);
    point_motion(r, &rest[i], q, v, NULL, p, vel, acc);
    random_direction(g, 3, axis);
    ap_wall wall = ap_default_wall();
    memcpy(wall.axis, axis, sizeof axis);
    memcpy(wall.centre, p, sizeof p);
    if (rng_chance(g, 0.5)) {
      wall.kind = AP_WALL_SPHERE;
      wall.size[0] = rng_uniform(g, 0.5, 2);
      wall.inside = rng_chance(g, 0.5);
      for (int k = 0; k < 3; k++) wall.centre[k] -= wall.size[0] * axis[k];
    }
    rest[i].surface = surface_of(&wall);
    rest[i].sticks = rng_chance(g, 0.3);
    gap_at(rest[i].surface, p, normal);
    double away = dot3(vel, normal), length = 0;
    for (int k = 0; k < 3; k++) rest[i].slip[k] = vel[k] - away * normal[k];
    length = sqrt(dot3(rest[i].slip, rest[i].slip));
    for (int k = 0; k < 3 && length > 0; k++) rest[i].slip[k] /= length;
  }
  return n;
}

// J^T f of all points, by ap_inverse_dynamics_ext: the difference that the wrenches make.
static void equation_of_motion(const test_robot *r, const double *q, const double *v,
                               const double *a, int n, const ap_resting *rest, double *tau) {
  ap_wrench wrench[POINTS];
  for (int i = 0; i < n; i++) {
    double R[9], p[3], arm[3];
    ap_kinematics(r->m, r->w, q, NULL, NULL);
    ap_frame_pose(r->m, r->w, rest[i].body, R, p);
    for (int k = 0; k < 3; k++) arm[k] = dot3(R + 3 * k, rest[i].at);
    const double *f = rest[i].force;
    wrench[i] = (ap_wrench){.frame = rest[i].body,
                            .reference = AP_MIXED,
                            .force = {f[0], f[1], f[2]},
                            .moment = {arm[1] * f[2] - arm[2] * f[1], arm[2] * f[0] - arm[0] * f[2],
                                       arm[0] * f[1] - arm[1] * f[0]}};
  }
  CHECK_OK(ap_inverse_dynamics_ext(r->m, r->w, q, v, a, wrench, n, tau));
}

// The equations of motion hold with the forces told, and so do the constraints,
// as the velocities keep them. Accelerations and forces of ill-conditioned
// contacts (a point near a joint) are large; errors are told relative to them.
TEST(constraints_and_equations_of_motion) {
  rng g = rng_seed(11);
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 6) {
      double tau[ROBOT_V], again[ROBOT_V], a[ROBOT_V];
      ap_resting rest[POINTS];
      int nv = ap_nv(r->m);
      int n = random_contacts(&g, r, s.q, s.v, nv < 9 ? 1 : 3, rest);
      double lost;
      CHECK_OK(ap__contact_project(plant_of(r), s.q, s.v, n, rest, scratch(r->m, n), &lost));
      for (int j = 0; j < nv; j++) tau[j] = rng_uniform(&g, -1, 1);
      CHECK_OK(ap__contact_accelerations(plant_of(r), s.q, s.v, tau, n, rest, a, scratch(r->m, n)));
      equation_of_motion(r, s.q, s.v, a, n, rest, again);
      double size = 10;
      for (int i = 0; i < n; i++) size = fmax(size, test_norm(rest[i].force, 3));
      CHECK_WITHIN(again, tau, nv, 1e-11 * size);
      for (int i = 0; i < n; i++) {
        double p[3], vel[3], acc[3], zero[3] = {0};
        point_motion(r, &rest[i], s.q, s.v, a, p, vel, acc);
        size = 10 + 100 * test_norm(a, nv);
        CHECK_CLOSE(leaving(rest[i].surface, p, vel, acc), 0, 1e-12 * size);
        if (rest[i].sticks) {
          double bend = leaving(rest[i].surface, p, vel, zero), normal[3];
          gap_at(rest[i].surface, p, normal);
          for (int k = 0; k < 3; k++) acc[k] += bend * normal[k];
          CHECK_WITHIN(acc, zero, 3, 1e-12 * size);
        }
      }
    }
}

// Forces change accelerations by the mobility under the contacts, sliding ones without friction. It
// is the same to the bit where the accelerations have left places and matrices to take it from.
TEST(mobility_is_what_forces_change) {
  static double mobility[ROBOT_V * ROBOT_V], again[ROBOT_V * ROBOT_V];
  rng g = rng_seed(15);
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 6) {
      double tau[ROBOT_V], push[ROBOT_V], a[ROBOT_V], b[ROBOT_V], sum[ROBOT_V] = {0}, size = 1;
      ap_resting rest[POINTS];
      int nv = ap_nv(r->m), n = random_contacts(&g, r, s.q, s.v, nv < 9 ? 1 : 3, rest);
      for (int i = 0; i < n; i++) rest[i].friction = 0;
      for (int j = 0; j < nv; j++)
        tau[j] = rng_uniform(&g, -1, 1), push[j] = rng_uniform(&g, -1, 1);
      void *room = scratch(r->m, n);
      CHECK_OK(ap__contact_accelerations(plant_of(r), s.q, s.v, tau, n, rest, a, room));
      CHECK_OK(ap__contact_mobility(plant_of(r), s.q, n, rest, mobility, room));
      CHECK_OK(ap__contact_mobility(plant_of(r), s.q, n, rest, again, scratch(r->m, n)));
      CHECK(memcmp(mobility, again, (size_t)nv * (size_t)nv * sizeof *again) == 0);
      for (int j = 0; j < nv; j++) tau[j] += push[j];
      CHECK_OK(ap__contact_accelerations(plant_of(r), s.q, s.v, tau, n, rest, b, scratch(r->m, n)));
      for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++) sum[i] += mobility[i * nv + j] * push[j];
        size = fmax(size, fmax(fabs(a[i]), fabs(mobility[i * nv + i])));
        b[i] -= a[i];
      }
      CHECK_WITHIN(b, sum, nv, 1e-10 * size);
    }
}

// What friction takes is its force against the velocity along the wall; the force of a point that
// sticks takes nothing.
TEST(power_of_friction) {
  rng g = rng_seed(16);
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 6) {
      double tau[ROBOT_V] = {0}, a[ROBOT_V];
      ap_resting rest[POINTS];
      int n = random_contacts(&g, r, s.q, s.v, ap_nv(r->m) < 9 ? 1 : 3, rest);
      CHECK_OK(ap__contact_accelerations(plant_of(r), s.q, s.v, tau, n, rest, a, scratch(r->m, n)));
      for (int i = 0; i < n; i++) {
        double p[3], vel[3], acc[3], normal[3];
        point_motion(r, &rest[i], s.q, s.v, NULL, p, vel, acc);
        gap_at(rest[i].surface, p, normal);
        double across = dot3(rest[i].force, normal) * dot3(vel, normal);
        double taken = rest[i].sticks ? 0 : across - dot3(rest[i].force, vel);
        double size = test_norm(rest[i].force, 3) * test_norm(vel, 3);
        CHECK_CLOSE(rest[i].power, taken, 1e-13 + 1e-13 * size);
      }
    }
}

// Whether forces and accelerations of all points obey the law: those that left do not come back,
// those that stay push, sticking ones inside the cone, starting ones forwards.
static bool law_holds(const test_robot *r, const double *q, const double *v, const double *a, int n,
                      const ap_resting *rest, const bool *keep, double size) {
  bool good = true;
  for (int i = 0; i < n; i++) {
    double p[3], vel[3], acc[3];
    point_motion(r, &rest[i], q, v, a, p, vel, acc);
    double away = leaving(rest[i].surface, p, vel, acc);
    good &= away > -1e-7 * size;
    if (!keep[i]) continue;
    good &= away < 1e-7 * size && rest[i].normal_force > -1e-7 * size;
    if (rest[i].sticks) good &= rest[i].margin > -1e-7 * size;
    if (!rest[i].sticks && rest[i].friction > 0 && test_norm(vel, 3) < 1e-9)
      good &= dot3(acc, rest[i].slip) > -1e-7 * size;
  }
  return good;
}

// Modes of random robots, at rest and in motion, obey the law, or are said not to. Where points
// slide there need not be modes that do (Painleve), and with coefficients up to 0.3 that is rare:
// more than one in a hundred would be a fault of the search.
TEST(modes_obey_the_law) {
  rng g = rng_seed(13);
  int tried = 0, none = 0;
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 8) {
      double tau[ROBOT_V], a[ROBOT_V], size = 10, lost;
      ap_resting rest[POINTS], kept[POINTS];
      bool keep[POINTS], moves = s.number % 2;
      int nv = ap_nv(r->m), stay = 0;
      int n = random_contacts(&g, r, s.q, s.v, 5, rest);
      for (int i = 0; i < n; i++) rest[i].sticks = false;
      for (int j = 0; j < nv; j++) tau[j] = rng_uniform(&g, -5, 5);
      if (!moves) memset(s.v, 0, sizeof s.v);
      CHECK_OK(ap__contact_project(plant_of(r), s.q, s.v, n, rest, scratch(r->m, n), &lost));
      ap_status status =
          ap__contact_modes(plant_of(r), s.q, s.v, tau, n, rest, keep, scratch(r->m, n));
      tried++;
      if (status == AP_E_NO_CONVERGENCE && ++none) continue;
      CHECK_OK(status);
      for (int i = 0; i < n; i++)
        if (keep[i]) kept[stay++] = rest[i];
      CHECK_OK(
          ap__contact_accelerations(plant_of(r), s.q, s.v, tau, stay, kept, a, scratch(r->m, n)));
      for (int i = n - 1; i >= 0; i--)
        if (keep[i]) rest[i] = kept[--stay];
      for (int i = 0; i < n; i++) size = fmax(size, test_norm(rest[i].force, 3));
      size = fmax(size, test_norm(a, nv));
      CHECK(law_holds(r, s.q, s.v, a, n, rest, keep, size));
    }
  CHECK(none <= tried / 100);
}

// ---- projection --------------------------------------------------------------------------------

// Gaps close to rounding, velocities into walls (all velocities of points that stick) vanish, what
// is lost is the difference of the kinetic energies, and the change of velocity is M-orthogonal to
// every velocity that the constraints allow: doing it again changes nothing. Random points may hold
// almost the same motion: what rounding leaves at them, 1e-12 m/s, is a thousand times as much in
// joints that move them with levers of a millimetre, and the impulses grow likewise.
TEST(projection) {
  rng g = rng_seed(12);
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 4) {
      double q[ROBOT_Q], v[ROBOT_V], offset[ROBOT_V], lost = -1;
      ap_resting rest[POINTS];
      int nv = ap_nv(r->m), nq = ap_nq(r->m);
      int n = random_contacts(&g, r, s.q, s.v, nv < 9 ? 1 : 3, rest);
      for (int j = 0; j < nv; j++) offset[j] = rng_uniform(&g, -1e-5, 1e-5);
      ap_integrate(r->m, s.q, offset, q);
      memcpy(v, s.v, sizeof v);
      CHECK_OK(ap__contact_project(plant_of(r), q, v, n, rest, scratch(r->m, n), &lost));
      double before = ap_kinetic_energy(r->m, r->w, q, s.v);
      double after = ap_kinetic_energy(r->m, r->w, q, v);
      CHECK_CLOSE(lost, before - after, 1e-10 * (1 + before));
      CHECK(lost >= 0);
      for (int i = 0; i < n; i++) {
        double p[3], vel[3], acc[3], normal[3], zero[3] = {0};
        point_motion(r, &rest[i], q, v, NULL, p, vel, acc);
        CHECK_CLOSE(gap_at(rest[i].surface, p, normal), 0, 1e-14);
        CHECK_CLOSE(dot3(vel, normal), 0, 1e-12);
        if (rest[i].sticks) CHECK_WITHIN(vel, zero, 3, 1e-12);
      }
      double q2[ROBOT_Q], v2[ROBOT_V];
      memcpy(q2, q, sizeof q), memcpy(v2, v, sizeof v);
      CHECK_OK(ap__contact_project(plant_of(r), q2, v2, n, rest, scratch(r->m, n), &lost));
      CHECK_WITHIN(q2, q, nq, 1e-12);
      CHECK_WITHIN(v2, v, nv, 1e-9);
    }
}

TEST(singular_inertia_is_told) {
  test_robot r;
  robot_clear(&r, "massless", 1);
  r.body[0].joint = AP_PRISMATIC;
  robot_make(&r);
  double q[1] = {0}, v[1] = {1}, tau[1] = {0}, a[1], lost = 0;
  ap_resting tip = point_at(1, 0, 0, 0, plane(0, 0, 1, 0), 0);
  void *room = scratch(r.m, 1);
  CHECK_STATUS(ap__contact_accelerations(plant_of(&r), q, v, tau, 1, &tip, a, room), AP_E_SINGULAR);
  CHECK_STATUS(ap__contact_project(plant_of(&r), q, v, 1, &tip, room, &lost), AP_E_SINGULAR);
  CHECK(v[0] == 1);
  robot_free(&r);
}
