// SPDX-License-Identifier: Apache-2.0
// Thin, fast, spinning shapes of two free bodies: the first touch against brute force.
//
// The bodies have the inertia of a ball, so that without forces they move uniformly and turn at a
// constant rate: the poses at any time are known. Brute force steps along them by the distance of
// the shapes over the highest speed that any of their points can have, which cannot step over a
// touch. The distance is that of ap_convex_distance(), which knows nothing of the search.
//
// The argument, or APPELL_PAIRS, is the number of pairs: 10000 take some minutes.

#include <appell/kin.h>

#include "sim_scenes.h"

#define DURATION 1.0

typedef struct scene_of_two {
  ap_body_def body[2];
  ap_robot_def def;
  ap_convex shape[2];
  ap_hull *hull[2];
  ap_contact_point point[2];
  double q[14], v[12];
} scene_of_two;

// A sphere, capsule, box or hull of four to eight corners, mostly thin.
static void make_shape(rng *r, scene_of_two *s, int i) {
  double size = rng_uniform(r, 0.05, 0.5), thin = size * pow(10, rng_uniform(r, -3, 0));
  const double sides[3] = {size, rng_uniform(r, 0.2, 1) * size, thin};
  double vertex[8][3];
  int n = rng_int(r, 4, 8);
  switch (rng_int(r, 0, 3)) {
    case 0: CHECK_OK(ap_convex_sphere(0.5 * thin, &s->shape[i], NULL)); break;
    case 1: CHECK_OK(ap_convex_capsule(0.5 * thin, size, &s->shape[i], NULL)); break;
    case 2: CHECK_OK(ap_convex_box(sides, &s->shape[i], NULL)); break;
    default:
      for (int k = 0; k < n; k++)
        for (int c = 0; c < 3; c++) vertex[k][c] = rng_uniform(r, -0.5, 0.5) * sides[c];
      if (!CHECK_OK(ap_hull_make(vertex[0], n, &s->hull[i], NULL))) exit(1);
      s->shape[i] = ap_convex_of_hull(s->hull[i]);
      break;
  }
}

static void random_quaternion(rng *r, double q[4]) {
  double n = 0;
  for (int k = 0; k < 4; k++) q[k] = rng_uniform(r, -1, 1);
  for (int k = 0; k < 4; k++) n += q[k] * q[k];
  for (int k = 0; k < 4; k++) q[k] /= sqrt(n);
}

// The second flies towards the first, not always so that it hits.
static void make_scene(rng *r, scene_of_two *s) {
  *s = (scene_of_two){.def = ap_default_robot()};
  for (int i = 0; i < 2; i++) {
    ap_body_def *b = &s->body[i];
    *b = ap_default_body();
    b->name = i ? "b" : "a";
    b->joint = AP_FREE;
    b->mass = rng_uniform(r, 0.2, 2);
    b->inertia[0] = b->inertia[3] = b->inertia[5] = 0.01 * b->mass;
    make_shape(r, s, i);
    s->point[i] =
        (ap_contact_point){.name = b->name, .body = i + 1, .shape = &s->shape[i], .restitution = 1};
    for (int k = 0; k < 3; k++) s->point[i].at[k] = rng_uniform(r, -0.1, 0.1);
    random_quaternion(r, s->point[i].orientation);
    random_quaternion(r, s->q + 7 * i + 3);
    double spin = pow(10, rng_uniform(r, -1, 2));
    for (int k = 0; k < 3; k++) s->v[6 * i + 3 + k] = rng_uniform(r, -1, 1) * spin;
  }
  double way[3], speed = pow(10, rng_uniform(r, 0.5, 2)), world[3];
  const double *p = s->q + 10;
  for (int k = 0; k < 3; k++) {
    s->q[7 + k] = rng_uniform(r, -1, 1) + (k == 0 ? 2 : 0);
    way[k] = -s->q[7 + k] + rng_uniform(r, -0.2, 0.2);
    world[k] = speed * way[k] / 2;
  }
  // v of a free joint is along the axes of its body: R^T x
  const double c[3] = {p[1] * world[2] - p[2] * world[1], p[2] * world[0] - p[0] * world[2],
                       p[0] * world[1] - p[1] * world[0]};
  const double d[3] = {p[1] * c[2] - p[2] * c[1], p[2] * c[0] - p[0] * c[2],
                       p[0] * c[1] - p[1] * c[0]};
  for (int k = 0; k < 3; k++) s->v[6 + k] = world[k] + 2 * (d[k] - p[3] * c[k]);
  s->def.bodies = s->body, s->def.nbody = 2;
  for (int k = 0; k < 3; k++) s->def.gravity[k] = 0;
}

// ---- brute force -------------------------------------------------------------------------------

static void matrix_of(const double q[4], double R[9]) {
  const double m[9] = {1 - 2 * (q[1] * q[1] + q[2] * q[2]), 2 * (q[0] * q[1] - q[3] * q[2]),
                       2 * (q[0] * q[2] + q[3] * q[1]),     2 * (q[0] * q[1] + q[3] * q[2]),
                       1 - 2 * (q[0] * q[0] + q[2] * q[2]), 2 * (q[1] * q[2] - q[3] * q[0]),
                       2 * (q[0] * q[2] - q[3] * q[1]),     2 * (q[1] * q[2] + q[3] * q[0]),
                       1 - 2 * (q[0] * q[0] + q[1] * q[1])};
  memcpy(R, m, sizeof m);
}

// The pose of shape i at time t.
static ap_pose pose_at(const scene_of_two *s, int i, double t) {
  const double *q = s->q + 7 * i, *v = s->v + 6 * i, *w = v + 3;
  double rate = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), half = 0.5 * rate * t;
  double turn[4] = {0, 0, 0, cos(half)}, now[4];
  for (int k = 0; k < 3; k++) turn[k] = sin(half) * w[k] / rate;
  const double *a = q + 3, *b = turn; // a b
  now[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
  now[1] = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
  now[2] = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
  now[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
  ap_pose body, own, first;
  matrix_of(q + 3, first.R);
  matrix_of(now, body.R);
  for (int k = 0; k < 3; k++) {
    const double *R = first.R + 3 * k;
    body.p[k] = q[k] + t * (R[0] * v[0] + R[1] * v[1] + R[2] * v[2]);
  }
  matrix_of(s->point[i].orientation, own.R);
  memcpy(own.p, s->point[i].at, sizeof own.p);
  return ap_pose_compose(&body, &own);
}

static double gap_at(const scene_of_two *s, double t) {
  ap_pose a = pose_at(s, 0, t), b = pose_at(s, 1, t);
  ap_closest closest;
  CHECK_OK(ap_convex_distance(&s->shape[0], &a, &s->shape[1], &b, &closest));
  return closest.distance;
}

static double norm(const double x[3]) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

// The first time at which the gap is `least` or less; INFINITY: never in the run.
static double first_touch(const scene_of_two *s, double least) {
  double fastest = 0;
  for (int i = 0; i < 2; i++) {
    const ap_convex *c = &s->shape[i];
    double reach = norm(s->point[i].at) + norm(c->centre) + c->reach;
    fastest += norm(s->v + 6 * i) + reach * norm(s->v + 6 * i + 3);
  }
  for (double t = 0; t < DURATION;) {
    double gap = gap_at(s, t);
    if (gap <= least) return t;
    t += fmax(gap - least, 1e-11) / fastest;
  }
  return INFINITY;
}

// ---- both --------------------------------------------------------------------------------------

typedef struct tally {
  int hits, misses, near;
} tally;

static void compare(uint64_t seed, tally *count) {
  rng r = rng_seed(seed);
  scene_of_two s;
  make_scene(&r, &s);
  test_context("pair %" PRIu64, seed);
  ap_scene scene = ap_default_scene();
  scene.model = model_of(&s.def);
  scene.point = s.point, scene.npoint = 2, scene.nforce_time = 0;
  double touches = first_touch(&s, 1e-9);
  bool inside = gap_at(&s, 0) < 1e-6;
  ap_sim *sim = inside ? NULL : create(&scene);
  if (sim && start(sim, s.q, s.v)) {
    double until = fmin(DURATION, touches + 1e-4);
    ap_error error = {0};
    if (!CHECK_OK(ap_sim_advance(sim, until, &error))) printf("  %s\n", error.text);
    double first = told.n ? told.event[0].t : INFINITY, deepest = first_touch(&s, -1e-7);
    if (isinf(touches)) {
      count->misses++;
      CHECK(told.n == 0);
    } else if (isfinite(deepest) && deepest <= until) { // a touch that cannot be a graze
      count->hits++;
      if (CHECK(told.n > 0)) {
        CHECK(first >= touches - 1e-9 && first <= deepest + 1e-9);
        CHECK_CLOSE(gap_at(&s, first), 0, 1e-8);
      }
    } else {
      count->near++;
    }
  }
  ap_sim_free(sim);
  for (int i = 0; i < 2; i++) ap_hull_free(s.hull[i]);
}

TEST(no_touch_is_missed) {
  const char *asked = getenv("APPELL_PAIRS");
  long pairs = asked ? strtol(asked, NULL, 10) : 150;
  tally count = {0};
  for (long i = 0; i < pairs; i++) compare((uint64_t)i + 1, &count);
  test_context("all");
  printf("%ld pairs: %d hit, %d pass, %d neither for sure\n", pairs, count.hits, count.misses,
         count.near);
  CHECK(count.hits > pairs / 4 && count.misses > pairs / 20);
}
