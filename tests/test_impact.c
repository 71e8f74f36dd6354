// The impact law: what it promises, on random robots and on cases worked out by hand.

#include <appell/dyn.h>
#include <appell/impact.h>

#include "golden/impacts.h"
#include "models.h"

enum { MOST = 12 };

static test_robot robot;
static double inertia[ROBOT_V * ROBOT_V], jacobian[6 * ROBOT_V];

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool builtin(const char *name) {
  const ap_robot_def *def = ap_builtin(name);
  if (!CHECK(def)) return false;
  robot_clear(&robot, name, 0);
  robot.def = *def;
  memcpy(robot.body, def->bodies, (size_t)def->nbody * sizeof *robot.body);
  robot.def.nframe = 0;
  test_context("%s", name);
  return robot_make(&robot);
}

// A free body: a plate of mass 1 with the given moments of inertia.
static bool free_body(double xx, double yy, double zz) {
  robot_clear(&robot, "free body", 1);
  robot.body[0].joint = AP_FREE;
  robot.body[0].mass = 1;
  robot.body[0].inertia[0] = xx;
  robot.body[0].inertia[3] = yy;
  robot.body[0].inertia[5] = zz;
  return robot_make(&robot);
}

static ap_touch touch_at(int body, double x, double y, double z, double e, double mu) {
  return (ap_touch){
      .body = body, .at = {x, y, z}, .normal = {0, 0, 1}, .restitution = e, .friction = mu};
}

static ap_status impact(const test_robot *r, const double *q, double *v, int n, ap_touch *touch,
                        ap_impact_result *result) {
  void *scratch = malloc(ap_impact_scratch(r->m, n));
  ap_status status = ap_impact(r->m, r->w, q, v, n, touch, scratch, result);
  free(scratch);
  return status;
}

static double energy_of(const test_robot *r, const double *q, const double *v) {
  int n = ap_nv(r->m);
  double sum = 0;
  ap_inertia_matrix(r->m, r->w, q, inertia);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += v[i] * inertia[i * n + j] * v[j];
  return sum / 2;
}

// x += J^T f of a point, J from the frame's Jacobian; the point's velocity J v into vel.
static void point(const test_robot *r, const double *q, const double *v, const ap_touch *t,
                  double vel[3], double *x) {
  int n = ap_nv(r->m);
  double R[9], p[3], at[3];
  ap_kinematics(r->m, r->w, q, NULL, NULL);
  CHECK_OK(ap_frame_jacobian(r->m, r->w, t->body, AP_MIXED, jacobian));
  CHECK_OK(ap_frame_pose(r->m, r->w, t->body, R, p));
  for (int i = 0; i < 3; i++) at[i] = dot(R + 3 * i, t->at), vel[i] = 0;
  for (int k = 0; k < n; k++) {
    double a[3], o[3], J[3];
    for (int i = 0; i < 3; i++) a[i] = jacobian[i * n + k], o[i] = jacobian[(3 + i) * n + k];
    J[0] = a[0] + o[1] * at[2] - o[2] * at[1];
    J[1] = a[1] + o[2] * at[0] - o[0] * at[2];
    J[2] = a[2] + o[0] * at[1] - o[1] * at[0];
    for (int i = 0; i < 3; i++) vel[i] += J[i] * v[k];
    x[k] += dot(J, t->impulse);
  }
}

// The largest speed that any of the points could have with this energy or has.
static double speed_of(int n, const ap_touch *touch) {
  double largest = 0;
  for (int i = 0; i < n; i++)
    largest = fmax(largest, sqrt(fmax(dot(touch[i].before, touch[i].before),
                                      dot(touch[i].after, touch[i].after))));
  return largest;
}

// Everything that holds for every impact.
static void laws(const test_robot *r, const double *q, const double *before, const double *after,
                 int n, const ap_touch *touch, const ap_impact_result *result) {
  int nv = ap_nv(r->m);
  double left[ROBOT_V] = {0}, right[ROBOT_V] = {0}, none[ROBOT_V], vel[3];
  double speed = speed_of(n, touch), largest = 0, had = energy_of(r, q, before);
  double has = energy_of(r, q, after);
  CHECK(has <= had * (1 + 1e-12));
  CHECK_CLOSE(result->lost, had - has, 1e-11 * had);
  CHECK(result->lost >= -1e-12 * had);
  CHECK(result->scale >= 0 && result->scale <= 1);
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) left[i] += inertia[i * nv + j] * (after[j] - before[j]);
  for (int i = 0; i < n; i++)
    largest = fmax(largest, sqrt(dot(touch[i].impulse, touch[i].impulse)));
  for (int i = 0; i < n; i++) {
    const ap_touch *t = &touch[i];
    double push = dot(t->normal, t->impulse), side[3];
    for (int k = 0; k < 3; k++) side[k] = t->impulse[k] - push * t->normal[k];
    CHECK(push >= -1e-14 * largest);
    CHECK(sqrt(dot(side, side)) <= t->friction * push + 1e-12 * largest);
    CHECK(dot(t->normal, t->after) >= -1e-12 * speed);
    point(r, q, before, t, vel, right);
    CHECK_WITHIN(t->before, vel, 3, 1e-11 * speed);
    memset(none, 0, sizeof none);
    point(r, q, after, t, vel, none);
    CHECK_WITHIN(t->after, vel, 3, 1e-11 * speed);
  }
  CHECK_WITHIN(left, right, nv, 1e-10 * fmax(test_norm(right, nv), test_norm(left, nv)));
}

static void random_touches(rng *g, const ap_model *m, int n, double friction, ap_touch *touch) {
  for (int i = 0; i < n; i++) {
    touch[i] = touch_at(rng_int(g, 0, ap_nbody(m) - 1), 0, 0, 0, rng_uniform(g, 0, 1),
                        friction > 0 && rng_chance(g, 0.7) ? rng_uniform(g, 0, friction) : 0);
    random_vector(g, 0.4, touch[i].at);
    random_direction(g, 3, touch[i].normal);
    if (rng_chance(g, 0.3)) touch[i].restitution = rng_chance(g, 0.5);
    if (i > 0 && rng_chance(g, 0.15)) touch[i] = touch[rng_int(g, 0, i - 1)]; // the same twice
    if (i > 0 && rng_chance(g, 0.2)) touch[i].body = touch[i - 1].body;
  }
}

// ---- without friction --------------------------------------------------------------------------

TEST(nothing_touches) {
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      double v[ROBOT_V];
      ap_impact_result result;
      memcpy(v, s.v, sizeof v);
      CHECK_OK(impact(r, s.q, v, 0, NULL, &result));
      CHECK_BITS(v, s.v, ap_nv(r->m));
      CHECK(result.lost == 0 && result.scale == 1);
      CHECK_EQ_INT(result.rank, 0);
    }
}

TEST(one_point_rebounds) {
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 4) {
      double v[ROBOT_V];
      ap_touch t;
      ap_impact_result result;
      random_touches(&s.random, r->m, 1, 0, &t);
      memcpy(v, s.v, sizeof v);
      if (!CHECK_OK(impact(r, s.q, v, 1, &t, &result))) continue;
      laws(r, s.q, s.v, v, 1, &t, &result);
      double before = dot(t.normal, t.before), after = dot(t.normal, t.after);
      double want = before < 0 ? -t.restitution * before : before;
      CHECK_CLOSE(after, want, 1e-11 * speed_of(1, &t));
      CHECK(result.scale == 1);
    }
}

// Impulse to 1e-9, velocities to 1e-8 as the runs in double differ from those in 113 bits; one
// impact from the exact state does better.
TEST(golden_impacts_of_the_tree) {
  enum { N = 12 };
  if (!builtin("shafei-tree")) return;
  for (size_t k = 0; k < sizeof golden_impacts / sizeof *golden_impacts; k++) {
    const golden_impact *g = &golden_impacts[k];
    double q[N], v[N], before[N], want[N];
    ap_touch touch[2];
    ap_impact_result result;
    test_context("impact %zu", k + 1);
    for (int i = 0; i < N; i++) {
      q[(i + 2) % N] = g->q[i];
      before[(i + 2) % N] = v[(i + 2) % N] = g->before[i];
      want[(i + 2) % N] = g->after[i];
    }
    for (int i = 0; i < g->n; i++) {
      const golden_contact *c = &g->contact[i];
      // O1 is where rod 1 (body 3) begins, O(k+1) the end of rod k (body k + 2).
      touch[i] = touch_at(c->point == 1 ? 3 : c->point + 1, c->point == 1 ? 0 : 1, 0, 0, 1, 0);
      touch[i].normal[0] = c->normal[0], touch[i].normal[1] = c->normal[1];
      touch[i].normal[2] = 0;
    }
    if (!CHECK_OK(impact(&robot, q, v, g->n, touch, &result))) continue;
    laws(&robot, q, before, v, g->n, touch, &result);
    CHECK_WITHIN(v, want, N, 1e-8);
    for (int i = 0; i < g->n; i++) {
      CHECK_CLOSE(dot(touch[i].impulse, touch[i].normal), g->contact[i].impulse, 1e-9);
      CHECK_WITHIN(touch[i].before, g->contact[i].before, 2, 1e-9);
      CHECK_WITHIN(touch[i].after, g->contact[i].after, 2, 1e-8);
    }
    CHECK_EQ_INT(result.rank, g->n);
  }
  robot_free(&robot);
}

// Four corners of a square plate on the ground: three equations for four impulses.
TEST(dependent_corners_share_evenly) {
  double q[7] = {0, 0, 0, 0, 0, 0, 1}, v[6] = {0, 0, -2, 0, 0, 0};
  const double want[6] = {0, 0, 1, 0, 0, 0};
  if (!free_body(0.1, 0.1, 0.2)) return;
  for (int mu = 0; mu < 2; mu++) {
    ap_touch touch[4];
    ap_impact_result result;
    v[2] = -2;
    for (int i = 0; i < 4; i++)
      touch[i] = touch_at(1, i % 2 ? 0.5 : -0.5, i / 2 ? 0.5 : -0.5, 0, 0.5, mu * 0.3);
    if (!CHECK_OK(impact(&robot, q, v, 4, touch, &result))) continue;
    CHECK_WITHIN(v, want, 6, 1e-14);
    for (int i = 0; i < 4; i++) CHECK_CLOSE(touch[i].impulse[2], 0.75, 1e-14);
    CHECK_EQ_INT(result.rank, 3);
  }
  robot_free(&robot);
}

// Balls in a row, on slides: unit masses, the contact between neighbours being touches of a robot
// whose joints are the distances between them. The blow on the first goes through to the last.
TEST(balls_in_a_row) {
  enum { N = 4 };
  double q[N] = {0}, v[N] = {0};
  ap_touch touch[N];
  ap_impact_result result;
  robot_clear(&robot, "row", N);
  for (int k = 0; k < N; k++) {
    robot.body[k].joint = AP_PRISMATIC;
    robot.body[k].parent = 0;
    robot.body[k].axis[0] = 0, robot.body[k].axis[2] = 1;
    robot.body[k].mass = 1 + k;
  }
  if (!robot_make(&robot)) return;
  // All fall at once on the ground, each with its own restitution: they know nothing of each other.
  for (int k = 0; k < N; k++) touch[k] = touch_at(k + 1, 0, 0, 0, k / 3.0, 0), v[k] = -1 - k;
  if (CHECK_OK(impact(&robot, q, v, N, touch, &result)))
    for (int k = 0; k < N; k++) {
      CHECK_CLOSE(v[k], (1 + k) * (k / 3.0), 1e-14);
      CHECK_CLOSE(touch[k].impulse[2], (1 + k) * (1 + k) * (1 + k / 3.0), 1e-13);
    }
  CHECK_EQ_INT(result.rank, N);
  robot_free(&robot);
}

// A mirror image moves as the image of the motion.
TEST(symmetry_is_kept) {
  double q[7] = {0, 0, 0, 0, 0, 0, 1}, v[6] = {0, 0, -1, 0, 0, 0};
  if (!free_body(0.1, 0.2, 0.25)) return;
  for (int mu = 0; mu < 2; mu++) {
    ap_touch touch[6];
    ap_impact_result result;
    v[2] = -1, v[0] = v[1] = v[3] = v[4] = v[5] = 0;
    for (int i = 0; i < 6; i++) {
      int side = i < 3 ? 1 : -1;
      touch[i] = touch_at(1, 0.2 * (i % 3) - 0.1, 0.3 * side, 0.05 * (i % 3), 0.2 * (i % 3), mu);
      touch[i].normal[1] = -0.6 * side, touch[i].normal[2] = 0.8;
    }
    if (!CHECK_OK(impact(&robot, q, v, 6, touch, &result))) continue;
    CHECK_CLOSE(v[1], 0, 1e-13);
    CHECK_CLOSE(v[3], 0, 1e-13);
    CHECK_CLOSE(v[5], 0, 1e-13);
    for (int i = 0; i < 3; i++) {
      CHECK_CLOSE(touch[i].impulse[0], touch[i + 3].impulse[0], 1e-13);
      CHECK_CLOSE(touch[i].impulse[1], -touch[i + 3].impulse[1], 1e-13);
      CHECK_CLOSE(touch[i].impulse[2], touch[i + 3].impulse[2], 1e-13);
    }
  }
  robot_free(&robot);
}

// A point between two walls that face each other stops, whatever their restitution.
TEST(a_wedged_point_stops) {
  double q[7] = {0, 0, 0, 0, 0, 0, 1}, v[6] = {0.3, 0, -1, 0, 0, 0};
  const double want[6] = {0.3, 0, 0, 0, 0, 0};
  ap_touch touch[2] = {touch_at(1, 0, 0, 0, 1, 0), touch_at(1, 0, 0, 0, 1, 0)};
  ap_impact_result result;
  touch[1].normal[2] = -1;
  if (!free_body(0.1, 0.2, 0.25)) return;
  if (CHECK_OK(impact(&robot, q, v, 2, touch, &result))) {
    CHECK_WITHIN(v, want, 6, 1e-14);
    CHECK_CLOSE(touch[0].impulse[2], 1, 1e-14);
    CHECK_CLOSE(touch[1].impulse[2], 0, 1e-14);
  }
  robot_free(&robot);
}

// What each normal does is what Newton's law says, or more where there is no impulse.
static void newton(int n, const ap_touch *touch, double scale) {
  double speed = speed_of(n, touch), largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, dot(touch[i].normal, touch[i].impulse));
  for (int i = 0; i < n; i++) {
    const ap_touch *t = &touch[i];
    double least = -scale * t->restitution * fmin(0, dot(t->normal, t->before));
    double above = dot(t->normal, t->after) - least;
    CHECK(above >= -1e-11 * speed);
    if (dot(t->normal, t->impulse) > 1e-9 * largest) CHECK(above <= 1e-11 * speed);
  }
}

TEST(many_points_without_friction) {
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 6) {
      double v[ROBOT_V];
      ap_touch touch[MOST];
      ap_impact_result result;
      int n = rng_int(&s.random, 1, MOST);
      random_touches(&s.random, r->m, n, 0, touch);
      memcpy(v, s.v, sizeof v);
      if (!CHECK_OK(impact(r, s.q, v, n, touch, &result))) continue;
      laws(r, s.q, s.v, v, n, touch, &result);
      CHECK_EQ_INT(result.passes, 1);
      if (result.rank == n) newton(n, touch, result.scale);
    }
}

// Elastic, and every point moves into its wall: the energy is the same.
TEST(elastic_impacts_conserve_energy) {
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 4) {
      double v[ROBOT_V], back[ROBOT_V];
      ap_touch touch[MOST];
      ap_impact_result result;
      int n = rng_int(&s.random, 1, 4), approaching = 0;
      random_touches(&s.random, r->m, n, 0, touch);
      for (int i = 0; i < n; i++) {
        double vel[3], none[ROBOT_V] = {0};
        memset(touch[i].impulse, 0, sizeof touch[i].impulse);
        point(r, s.q, s.v, &touch[i], vel, none);
        touch[i].restitution = 1;
        if (dot(vel, touch[i].normal) < 0) touch[approaching++] = touch[i];
      }
      memcpy(v, s.v, sizeof v);
      if (!CHECK_OK(impact(r, s.q, v, approaching, touch, &result))) continue;
      CHECK(fabs(result.lost) <= 1e-12 * energy_of(r, s.q, s.v));
      CHECK_CLOSE(energy_of(r, s.q, v), energy_of(r, s.q, s.v), 1e-12 * energy_of(r, s.q, s.v));
      (void)back;
    }
}

// ---- with friction -----------------------------------------------------------------------------

TEST(many_points_with_friction) {
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 6) {
      double v[ROBOT_V];
      ap_touch touch[MOST];
      ap_impact_result result;
      int n = rng_int(&s.random, 1, MOST);
      random_touches(&s.random, r->m, n, 1.5, touch);
      memcpy(v, s.v, sizeof v);
      if (!CHECK_OK(impact(r, s.q, v, n, touch, &result))) continue;
      laws(r, s.q, s.v, v, n, touch, &result);
      CHECK(result.passes <= 8);
    }
}
