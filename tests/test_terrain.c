// SPDX-License-Identifier: Apache-2.0
// Shapes on stairs, height fields and rectangles, some of which move: the first touch against brute
// force, rest on steps, edges and slopes, and what is refused.
//
// Brute force knows a staircase as boxes, a field as prisms below its triangles and a rectangle as
// a thin box. It steps along the exact motion by the distance over the highest speed of any point
// relative to the wall, which cannot step over a touch. APPELL_PAIRS is the number of flights.

#include "convex/frustum.h"
#include "flying_shapes.h"

#define DURATION 1.0
enum { COLUMNS = 4, ROWS = 3, STEPS = 3, MOST_PARTS = 2 * (COLUMNS - 1) * (ROWS - 1) };

typedef struct terrain {
  ap_wall wall;
  double height[COLUMNS * ROWS];
  int n;
  ap_convex part[MOST_PARTS];
  ap_hull *hull[MOST_PARTS];
  ap_pose at[MOST_PARTS];
} terrain;

// Step i: a box from its riser on, below its tread, 100 m wide.
static void make_stairs(rng *r, terrain *t) {
  const double sides[3] = {100, 100, 200};
  t->wall.kind = AP_WALL_STAIRS;
  t->wall.count = t->n = STEPS;
  t->wall.size[0] = rng_uniform(r, 0.05, 0.4), t->wall.size[1] = rng_uniform(r, 0.05, 0.4);
  t->wall.axis[1] = -1, t->wall.axis[2] = 0; // up is z, along is y
  for (int i = 0; i < STEPS; i++) {
    CHECK_OK(ap_convex_box((double[3]){sides[0], sides[2], sides[1]}, &t->part[i], NULL));
    t->at[i] = ap_pose_identity();
    t->at[i].p[0] = t->wall.centre[0] + i * t->wall.size[1] + 50;
    t->at[i].p[1] = t->wall.centre[1];
    t->at[i].p[2] = t->wall.centre[2] + (i + 1) * t->wall.size[0] - 50;
  }
}

static void make_rectangle(rng *r, terrain *t) {
  t->wall.kind = AP_WALL_RECTANGLE;
  t->n = 1;
  for (int k = 0; k < 2; k++) t->wall.size[k] = rng_uniform(r, 0.1, 2);
  CHECK_OK(ap_convex_box((double[3]){t->wall.size[0], t->wall.size[1], 1e-12}, &t->part[0], NULL));
  t->at[0] = ap_pose_identity();
  memcpy(t->at[0].p, t->wall.centre, sizeof t->at[0].p);
}

// A disc, a capped cylinder, a cone, which may be sharp, but not for cylinders, or a cylinder
// without end.
static void make_round(rng *r, terrain *t, bool cylinders) {
  double low = rng_uniform(r, 0.1, 1), length = rng_uniform(r, 0.1, 1), high = low;
  const int drawn = rng_int(r, 0, cylinders ? 2 : 3), kind = cylinders && drawn == 2 ? 3 : drawn;
  t->wall.kind = kind == 0 ? AP_WALL_DISC : kind == 1 ? AP_WALL_CAPPED_CYLINDER : AP_WALL_CONE;
  if (kind == 2) high = rng_chance(r, 0.3) ? 0 : rng_uniform(r, 0.1, 1);
  t->n = 1;
  t->wall.size[0] = low, t->wall.size[1] = kind ? length : 0,
  t->wall.size[2] = kind == 2 ? high : 0;
  if (kind == 0) length = 1e-12;
  if (kind == 3) length = 1000, t->wall.kind = AP_WALL_CYLINDER;
  if (high == 0) high = 1e-6 * low;
  CHECK_OK(ap__convex_frustum(low, high, length, &t->part[0]));
  t->at[0] = ap_pose_identity();
  memcpy(t->at[0].p, t->wall.centre, sizeof t->at[0].p);
  if (kind == 2) t->at[0].p[2] += length / 2;
}

// A wall that goes along and spins about an axis through its centre.
static void make_motion(rng *r, ap_wall *w) {
  for (int k = 0; k < 3; k++) {
    w->motion.velocity[k] = rng_uniform(r, -1, 1);
    w->motion.axis[k] = rng_uniform(r, -1, 1);
  }
  w->motion.spin = pow(10, rng_uniform(r, -1, 1));
}

static void make_field(rng *r, terrain *t) {
  t->wall.kind = AP_WALL_HEIGHT_FIELD;
  t->wall.count = COLUMNS, t->wall.npoint = COLUMNS * ROWS, t->wall.points = t->height;
  t->wall.size[0] = rng_uniform(r, 0.2, 0.5), t->wall.size[1] = rng_uniform(r, 0.2, 0.5);
  for (int i = 0; i < COLUMNS * ROWS; i++) t->height[i] = rng_uniform(r, 0, 0.3);
  for (int j = 0; j + 1 < ROWS; j++)
    for (int i = 0; i + 1 < COLUMNS; i++)
      for (int half = 0; half < 2; half++) {
        int a = j * COLUMNS + i, b = a + COLUMNS + 1, c = half ? a + COLUMNS : a + 1;
        const int around[3] = {a, b, c};
        double p[6][3];
        for (int k = 0; k < 6; k++) {
          int at = around[k % 3];
          p[k][0] = t->wall.centre[0] + (at % COLUMNS) * t->wall.size[0];
          p[k][1] = t->wall.centre[1] + (at / COLUMNS) * t->wall.size[1];
          p[k][2] = t->wall.centre[2] + (k < 3 ? t->height[at] : -20);
        }
        if (!CHECK_OK(ap_hull_make(p[0], 6, &t->hull[t->n], NULL))) exit(1);
        t->part[t->n] = ap_convex_of_hull(t->hull[t->n]);
        t->at[t->n++] = ap_pose_identity();
      }
}

// A shape that flies down onto it; half of all come from far beside it and may pass.
static void make_flight(rng *r, scene_of_two *s, terrain *t, bool cylinders) {
  *s = (scene_of_two){.def = ap_default_robot()};
  *t = (terrain){.wall = ap_default_wall()};
  for (int k = 0; k < 3; k++) t->wall.centre[k] = rng_uniform(r, -1, 1);
  t->wall.restitution = 1;
  switch (rng_int(r, 0, 4)) {
    case 0: make_stairs(r, t); break;
    case 1: make_rectangle(r, t); break;
    case 2:
    case 3: make_round(r, t, cylinders); break;
    default: make_field(r, t); break;
  }
  if (rng_chance(r, 0.5)) make_motion(r, &t->wall);
  ap_body_def *b = &s->body[0];
  *b = ap_default_body();
  b->name = "a", b->joint = AP_FREE, b->mass = 1;
  b->inertia[0] = b->inertia[3] = b->inertia[5] = 0.01;
  if (cylinders)
    make_cylinder(r, s, 0);
  else
    make_shape(r, s, 0);
  s->point[0] = (ap_contact_point){.name = "a", .body = 1, .shape = &s->shape[0]};
  random_quaternion(r, s->point[0].orientation);
  double spin = pow(10, rng_uniform(r, -1, 2)), speed = pow(10, rng_uniform(r, 0.5, 1.5));
  s->q[6] = 1; // velocities are along the axes of the body
  const double from[3] = {rng_uniform(r, -1, 2), rng_uniform(r, -1, 2), rng_uniform(r, 1, 2)};
  const double to[3] = {rng_uniform(r, -1, 2), rng_uniform(r, -0.5, 1.5),
                        rng_uniform(r, -0.5, 0.5)};
  for (int k = 0; k < 3; k++) {
    s->q[k] = t->wall.centre[k] + from[k];
    s->v[k] = speed * (to[k] - from[k]) / 2;
    s->v[3 + k] = rng_uniform(r, -1, 1) * spin;
  }
  s->def.bodies = s->body, s->def.nbody = 1;
  for (int k = 0; k < 3; k++) s->def.gravity[k] = 0;
}

// The pose of what is at rest in the wall's axes.
static ap_pose carried_to(const ap_wall *w, double time) {
  const double *a = w->motion.axis, length = norm(a), half = 0.5 * w->motion.spin * time;
  ap_pose pose = ap_pose_identity();
  if (w->motion.spin == 0) return pose;
  const double q[4] = {sin(half) * a[0] / length, sin(half) * a[1] / length,
                       sin(half) * a[2] / length, cos(half)};
  matrix_of(q, pose.R);
  for (int k = 0; k < 3; k++) {
    const double *R = pose.R + 3 * k, *c = w->centre;
    pose.p[k] = c[k] + w->motion.velocity[k] * time - (R[0] * c[0] + R[1] * c[1] + R[2] * c[2]);
  }
  return pose;
}

static double gap_at(const scene_of_two *s, const terrain *t, double time) {
  ap_pose a = pose_at(s, 0, time), wall = carried_to(&t->wall, time);
  double least = INFINITY;
  for (int i = 0; i < t->n; i++) {
    ap_closest closest;
    ap_pose at = ap_pose_compose(&wall, &t->at[i]);
    CHECK_OK(ap_convex_distance(&s->shape[0], &a, &t->part[i], &at, &closest));
    least = fmin(least, closest.distance);
  }
  return least;
}

// The first time at which the gap is `least` or less; INFINITY: never in the run.
static double first_touch(const scene_of_two *s, const terrain *t, double least) {
  const ap_convex *c = &s->shape[0];
  double fastest = norm(s->v) + (norm(c->centre) + c->reach) * norm(s->v + 3);
  double off = c->reach + DURATION * norm(t->wall.motion.velocity); // from the wall's centre
  for (int k = 0; k < 3; k++) off += fabs(s->q[k] - t->wall.centre[k]) + DURATION * fabs(s->v[k]);
  fastest += norm(t->wall.motion.velocity) + fabs(t->wall.motion.spin) * off;
  for (double time = 0; time < DURATION;) {
    double gap = gap_at(s, t, time);
    if (gap <= least) return time;
    time += fmax(gap - least, 1e-11) / fastest;
  }
  return INFINITY;
}

// Whether it is at the side of a field below the height of its border: a sheet has no side.
static bool is_beside(const scene_of_two *s, const terrain *t, double time) {
  ap_pose a = pose_at(s, 0, time), wall = carried_to(&t->wall, time);
  ap_closest closest;
  double least = INFINITY, down = 1;
  if (t->wall.kind != AP_WALL_HEIGHT_FIELD && t->wall.kind != AP_WALL_RECTANGLE &&
      t->wall.kind != AP_WALL_DISC)
    return false;
  for (int i = 0; i < t->n; i++) {
    ap_pose at = ap_pose_compose(&wall, &t->at[i]);
    if (ap_convex_distance(&s->shape[0], &a, &t->part[i], &at, &closest)) continue;
    if (closest.distance >= least) continue;
    least = closest.distance, down = 0;
    for (int k = 0; k < 3; k++) down += closest.normal[k] * wall.R[3 * k + 2];
  }
  return down > -1e-9;
}

typedef struct tally {
  int hits, misses, near;
} tally;

static void compare(uint64_t seed, bool cylinders, tally *count) {
  rng r = rng_seed(seed);
  scene_of_two s;
  terrain t;
  make_flight(&r, &s, &t, cylinders);
  test_context("flight %" PRIu64, seed);
  ap_scene scene = ap_default_scene();
  scene.model = model_of(&s.def);
  scene.point = s.point, scene.npoint = 1, scene.nforce_time = 0;
  scene.wall = &t.wall, scene.nwall = 1;
  double touches = first_touch(&s, &t, 1e-9);
  bool unfit = gap_at(&s, &t, 0) < 1e-6 || (isfinite(touches) && is_beside(&s, &t, touches));
  ap_sim *sim = unfit ? NULL : create(&scene);
  if (sim && start(sim, s.q, s.v)) {
    double until = fmin(DURATION, touches + 1e-4);
    ap_error error = {0};
    if (!CHECK_OK(ap_sim_advance(sim, until, &error))) printf("  %s\n", error.text);
    double first = told.n ? told.event[0].t : INFINITY, deepest = first_touch(&s, &t, -1e-7);
    if (isinf(touches)) {
      count->misses++;
      CHECK(told.n == 0);
    } else if (isfinite(deepest) && deepest <= until) { // a touch that cannot be a graze
      count->hits++;
      if (CHECK(told.n > 0)) {
        CHECK(first >= touches - 1e-9 && first <= deepest + 1e-9);
        CHECK_CLOSE(gap_at(&s, &t, first), 0, 1e-8);
      }
    } else {
      count->near++;
    }
  }
  ap_sim_free(sim);
  ap_hull_free(s.hull[0]);
  for (int i = 0; i < t.n; i++) ap_hull_free(t.hull[i]);
}

static void compare_all(bool cylinders) {
  const char *asked = getenv("APPELL_PAIRS");
  long flights = asked ? strtol(asked, NULL, 10) : 100;
  tally count = {0};
  for (long i = 0; i < flights; i++) compare((uint64_t)i + 1, cylinders, &count);
  test_context("all");
  printf("%ld flights: %d hit, %d pass, %d neither for sure\n", flights, count.hits, count.misses,
         count.near);
  CHECK(count.hits > flights / 4 && count.misses > flights / 20);
}

TEST(no_touch_is_missed) { compare_all(false); }

TEST(no_touch_of_a_cylinder_is_missed) { compare_all(true); }

// ---- rest and refusals -------------------------------------------------------------------------

enum { WIDE = 6, ROOM = WIDE * WIDE };
static double plain[ROOM];

// A free body of 1 kg with a shape, on a field of WIDE by WIDE heights, 0.4 m apart, that rises
// along -x at an angle.
static ap_scene on_slope(scene_of_two *s, ap_wall *wall, double angle) {
  *s = (scene_of_two){.def = ap_default_robot()};
  ap_body_def *b = &s->body[0];
  *b = ap_default_body();
  b->name = "a", b->joint = AP_FREE, b->mass = 1;
  b->inertia[0] = b->inertia[3] = b->inertia[5] = 0.004;
  s->point[0] = (ap_contact_point){.name = "a", .body = 1, .shape = &s->shape[0]};
  s->def.bodies = s->body, s->def.nbody = 1;
  s->def.gravity[0] = s->def.gravity[1] = 0, s->def.gravity[2] = -9.81;
  for (int i = 0; i < ROOM; i++) plain[i] = -(i % WIDE) * 0.4 * tan(angle);
  *wall = ap_default_wall();
  wall->kind = AP_WALL_HEIGHT_FIELD;
  wall->count = WIDE, wall->npoint = ROOM, wall->points = plain;
  wall->size[0] = wall->size[1] = 0.4;
  wall->friction = 0.5;
  ap_scene scene = ap_default_scene();
  scene.model = model_of(&s->def);
  scene.point = s->point, scene.npoint = 1, scene.nforce_time = 0;
  scene.wall = wall, scene.nwall = 1;
  return scene;
}

// Seams of a plain slope are nothing: a ball rolls over them with 5/7 g sin.
TEST(a_ball_rolls_over_seams) {
  const double angle = 0.3, t = 0.9;
  scene_of_two s;
  ap_wall wall;
  ap_scene scene = on_slope(&s, &wall, angle);
  CHECK_OK(ap_convex_sphere(0.1, &s.shape[0], NULL));
  double x = 0.33, q[7] = {x + 0.1 * sin(angle), 0.71, -x * tan(angle) + 0.1 * cos(angle)};
  double v[6] = {0};
  q[6] = 1;
  ap_sim *sim = create(&scene);
  ap_sim_state state;
  ap_error error = {0};
  if (sim && start(sim, q, v) && CHECK_OK(ap_sim_advance(sim, t, &error)) &&
      CHECK_OK(ap_sim_now(sim, &state, NULL))) {
    double way = 0.5 * 5 / 7 * 9.81 * sin(angle) * t * t;
    CHECK_CLOSE(state.q[0], q[0] + way * cos(angle), 1e-8);
    CHECK_CLOSE(state.q[2], q[2] - way * sin(angle), 1e-8);
    CHECK_CLOSE(state.lost, 0, 1e-10); // at seams it is put back by 1e-11 of the scene's length
    CHECK_CLOSE(state.closing, 0, 1e-9);
    CHECK_EQ_INT(told.n, 1); // at the start
  }
  ap_sim_free(sim);
}

// A box and a capsule lie on a slope below the angle of friction, across seams.
TEST(shapes_stand_on_a_field) {
  const double angle = 0.2, sides[3] = {0.5, 0.3, 0.2}, half = 0.5 * angle;
  for (int k = 0; k < 2; k++) {
    scene_of_two s;
    ap_wall wall;
    ap_scene scene = on_slope(&s, &wall, angle);
    if (k)
      CHECK_OK(ap_convex_capsule(0.1, 0.6, &s.shape[0], NULL)); // its axis up the slope
    else
      CHECK_OK(ap_convex_box(sides, &s.shape[0], NULL));
    double turn = k ? half + PI / 4 : half, x = 1.05;
    double q[7] = {
        x + 0.1 * sin(angle), 0.97, -x * tan(angle) + 0.1 * cos(angle), 0, sin(turn), 0, cos(turn)};
    double v[6] = {0}, force[3] = {0};
    ap_sim *sim = create(&scene);
    ap_sim_state state;
    ap_contact_state contact[64];
    ap_error error = {0};
    if (sim && start(sim, q, v) && CHECK_OK(ap_sim_advance(sim, 1, &error)) &&
        CHECK_OK(ap_sim_now(sim, &state, NULL))) {
      for (int i = 0; i < 3; i++) CHECK_CLOSE(state.q[i], q[i], 1e-8);
      int n = ap_sim_contacts(sim, contact, 64);
      for (int i = 0; i < n && i < 64; i++)
        for (int c = 0; c < 3; c++) force[c] += contact[i].force[c];
      CHECK_CLOSE(force[2], 9.81, 1e-6);
      CHECK_CLOSE(state.closing, 0, 1e-9);
    } else {
      printf("  %s\n", error.text);
    }
    ap_sim_free(sim);
  }
}

TEST(starts_inside_are_refused) {
  scene_of_two s;
  ap_wall wall;
  ap_scene scene = on_slope(&s, &wall, 0);
  CHECK_OK(ap_convex_sphere(0.1, &s.shape[0], NULL));
  double v[6] = {0};
  for (int k = 0; k < 2; k++) {
    double q[7] = {0.5, 0.5, 0.07, 0, 0, 0, 1};
    if (k) {
      wall.kind = AP_WALL_STAIRS, wall.count = 3, wall.size[0] = wall.size[1] = 0.2;
      wall.axis[1] = -1, wall.axis[2] = 0;
      q[0] = -0.07, q[2] = 0.1;
    }
    ap_sim *sim = create(&scene);
    ap_error error = {0};
    CHECK_EQ_INT(ap_sim_start(sim, 0, q, v, &error), AP_E_ARG);
    CHECK_STR(error.text, "shape \"a\" starts 0.03 m inside wall \"wall\" (move them apart)");
    ap_sim_free(sim);
  }
}
