// SPDX-License-Identifier: Apache-2.0
// The impact law: what it promises, on random robots and on cases worked out by hand.

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // syscall(), for mmap() of heap.h
#endif

#include <appell/dyn.h>
#include <appell/impact.h>

#include "golden/impacts.h"
#include "heap.h"
#include "impact/point.h"
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

// The same with a check that it went well; false also for a robot whose inertia is singular, where
// no velocity follows from an impulse.
static bool struck(const test_robot *r, const double *q, double *v, int n, ap_touch *touch,
                   ap_impact_result *result) {
  if (ap_inverse_inertia_matrix(r->m, r->w, q, inertia) == AP_E_SINGULAR) return false;
  return CHECK_OK(impact(r, q, v, n, touch, result));
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
      if (!struck(r, s.q, v, 1, &t, &result)) continue;
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

// Masses on slides of their own fall on the ground, each with its own restitution: they know
// nothing of each other.
TEST(separate_masses_rebound_separately) {
  enum { N = 4 };
  double q[N] = {0}, v[N];
  ap_touch touch[N];
  ap_impact_result result;
  robot_clear(&robot, "masses", N);
  for (int k = 0; k < N; k++) {
    robot.body[k].joint = AP_PRISMATIC;
    robot.body[k].parent = 0;
    robot.body[k].mass = 1 + k;
    touch[k] = touch_at(k + 1, 0, 0, 0, k / 3.0, 0), v[k] = -1 - k;
  }
  if (!robot_make(&robot)) return;
  if (CHECK_OK(impact(&robot, q, v, N, touch, &result)))
    for (int k = 0; k < N; k++) {
      CHECK_CLOSE(v[k], (1 + k) * (k / 3.0), 1e-14);
      CHECK_CLOSE(touch[k].impulse[2], (1 + k) * (1 + k) * (1 + k / 3.0), 1e-13);
    }
  CHECK_EQ_INT(result.rank, N);
  robot_free(&robot);
}

// A rod (mass 1, length 1, so W = [4 -2; -2 4] at its ends) rests with one end while the other
// strikes: the blow goes through the rod, and both ends are pressed, with W^-1 (0, 2) = (1/3, 2/3).
// Where the resting point is on the same side the blow lifts it instead.
TEST(a_blow_goes_through_to_a_resting_point) {
  double q[7] = {0, 0, 0, 0, 0, 0, 1};
  ap_touch touch[2] = {touch_at(1, -0.5, 0, 0, 1, 0), touch_at(1, 0.5, 0, 0, 1, 0)};
  ap_impact_result result;
  if (!free_body(1.0 / 12, 1.0 / 12, 1.0 / 12)) return;
  double v[6] = {0, 0, -0.5, 0, 1, 0}; // velocity of x: v_z - omega_y x
  if (CHECK_OK(impact(&robot, q, v, 2, touch, &result))) {
    CHECK_CLOSE(touch[0].impulse[2], 1.0 / 3, 1e-14);
    CHECK_CLOSE(touch[1].impulse[2], 2.0 / 3, 1e-14);
    CHECK_CLOSE(touch[0].after[2], 0, 1e-14);
    CHECK_CLOSE(touch[1].after[2], 1, 1e-14);
    CHECK_EQ_INT(result.rank, 2);
  }
  double w[6] = {0, 0, 4, 0, 10, 0}; // 0 at x = 0.4, -1 at x = 0.5
  touch[0].at[0] = 0.4;
  if (CHECK_OK(impact(&robot, q, w, 2, touch, &result))) {
    CHECK_CLOSE(touch[0].impulse[2], 0, 1e-14);
    CHECK_CLOSE(touch[1].impulse[2], 0.5, 1e-13);
    CHECK_CLOSE(touch[0].after[2], 3.4 * 0.5, 1e-13);
    CHECK_EQ_INT(result.rank, 1);
  }
  robot_free(&robot);
}

static int trees_of(const ap_model *m) {
  int trees = 0;
  for (int i = 1; i < ap_nbody(m); i++) trees += ap_body(m, i)->parent == 0;
  return trees;
}

// Points that leave while others strike take part where they are pressed; the whole of Newton's
// rebound would then add energy at times.
TEST(restitution_is_scaled_where_it_would_add_energy) {
  long scaled = 0;
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 4) {
      double v[ROBOT_V], had = energy_of(r, s.q, s.v);
      ap_touch touch[6];
      ap_impact_result result;
      random_touches(&s.random, r->m, 6, 0, touch);
      for (int i = 0; i < 6; i++) touch[i].restitution = 1;
      memcpy(v, s.v, sizeof v);
      if (!struck(r, s.q, v, 6, touch, &result)) continue;
      laws(r, s.q, s.v, v, 6, touch, &result);
      if (result.scale == 1) continue;
      scaled++;
      // The largest factor: nothing is lost, unless another tree has touches that contradict each
      // other.
      if (trees_of(r->m) == 1) CHECK(fabs(result.lost) <= 1e-12 * had);
    }
  CHECK(scaled > 0);
}

// Robots that do not touch each other are struck each for itself: all touches at once give the bits
// of those of each alone, in whatever order they come.
TEST(islands_are_struck_apart) {
  enum { BODIES = 6, EACH = 3, N = BODIES * EACH };
  static unsigned char memory[1 << 16], works[1 << 18], scratch[1 << 21];
  ap_body_def body[BODIES];
  char name[BODIES][2] = {"a", "b", "c", "d", "e", "f"};
  ap_robot_def def = ap_default_robot();
  rng random = rng_seed(22);
  for (int i = 0; i < BODIES; i++) {
    body[i] = ap_default_body();
    body[i].name = name[i], body[i].joint = AP_FREE, body[i].mass = 1 + i;
    body[i].inertia[0] = 0.1, body[i].inertia[3] = 0.2, body[i].inertia[5] = 0.15;
  }
  def.bodies = body, def.nbody = BODIES;
  const ap_model *m = ap_model_init(&def, memory, sizeof memory, NULL);
  if (!CHECK(m && ap_work_size(m) <= sizeof works && ap_impact_scratch(m, N) <= sizeof scratch))
    return;
  ap_work *w = ap_work_init(m, works, sizeof works);
  for (int trial = 0; trial < 50; trial++) {
    double q[7 * BODIES] = {0}, v[6 * BODIES], all[6 * BODIES], lost = 0;
    ap_touch touch[N], mixed[N];
    ap_impact_result result, own;
    for (int i = 0; i < BODIES; i++) q[7 * i] = i, q[7 * i + 6] = 1;
    for (int i = 0; i < 6 * BODIES; i++) v[i] = rng_uniform(&random, -1, 1);
    for (int i = 0; i < N; i++) {
      touch[i] = touch_at(1 + i / EACH, rng_uniform(&random, -1, 1), rng_uniform(&random, -1, 1),
                          rng_uniform(&random, -1, 1), 0.5, trial % 2 ? 0.4 : 0);
      mixed[i % EACH * BODIES + i / EACH] = touch[i];
    }
    memcpy(all, v, sizeof v);
    if (!CHECK_OK(ap_impact(m, w, q, all, N, mixed, scratch, &result))) return;
    for (int k = 0; k < BODIES; k++) {
      CHECK_OK(ap_impact(m, w, q, v, EACH, touch + EACH * k, scratch, &own));
      lost += own.lost;
      CHECK_BITS(v + 6 * k, all + 6 * k, 6);
    }
    CHECK_CLOSE(result.lost, lost, 1e-12);
  }
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
      if (!struck(r, s.q, v, n, touch, &result)) continue;
      laws(r, s.q, s.v, v, n, touch, &result);
      CHECK_EQ_INT(result.passes, 1);
      if (result.rank == n) newton(n, touch, result.scale);
    }
}

// Elastic, and every point moves into its wall: the energy is the same.
TEST(elastic_impacts_conserve_energy) {
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 4) {
      double v[ROBOT_V];
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
      if (!struck(r, s.q, v, approaching, touch, &result)) continue;
      CHECK(fabs(result.lost) <= 1e-12 * energy_of(r, s.q, s.v));
      CHECK_CLOSE(energy_of(r, s.q, v), energy_of(r, s.q, s.v), 1e-12 * energy_of(r, s.q, s.v));
    }
}

// ---- with friction -----------------------------------------------------------------------------

TEST(many_points_with_friction) {
  long impacts = 0, relaxed = 0;
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 6) {
      double v[ROBOT_V];
      ap_touch touch[MOST];
      ap_impact_result result;
      int n = rng_int(&s.random, 1, MOST);
      random_touches(&s.random, r->m, n, 1.5, touch);
      memcpy(v, s.v, sizeof v);
      if (!struck(r, s.q, v, n, touch, &result)) continue;
      laws(r, s.q, s.v, v, n, touch, &result);
      CHECK(result.passes <= 8);
      impacts++, relaxed += result.relaxed;
    }
  CHECK(relaxed <= impacts / 200);
}

// Without restitution every touch obeys Coulomb's law by itself: what slides is pushed against with
// all that friction can do, what is pushed with less does not slide, what is pressed does not
// leave.
TEST(coulomb_s_law_holds) {
  long impacts = 0, slides = 0, sticks = 0;
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 6) {
      double v[ROBOT_V], largest = 0;
      ap_touch touch[MOST];
      ap_impact_result result;
      int n = rng_int(&s.random, 1, 6);
      random_touches(&s.random, r->m, n, 1.5, touch);
      for (int i = 0; i < n; i++) touch[i].restitution = 0;
      memcpy(v, s.v, sizeof v);
      if (!struck(r, s.q, v, n, touch, &result) || result.relaxed) continue;
      CHECK_EQ_INT(result.passes, 1);
      impacts++;
      double speed = speed_of(n, touch), power = 0;
      for (int i = 0; i < n; i++)
        largest = fmax(largest, sqrt(dot(touch[i].impulse, touch[i].impulse)));
      power = speed * largest;
      for (int i = 0; i < n; i++) {
        const ap_touch *t = &touch[i];
        double push = dot(t->normal, t->impulse), leave = dot(t->normal, t->after), side[3],
               slip[3];
        for (int k = 0; k < 3; k++) side[k] = t->impulse[k] - push * t->normal[k];
        for (int k = 0; k < 3; k++) slip[k] = t->after[k] - leave * t->normal[k];
        CHECK(fabs(push * leave) <= 1e-10 * power);
        // side . slip = -mu push |slip| is the most that friction can take.
        CHECK_CLOSE(dot(side, slip), -t->friction * push * sqrt(dot(slip, slip)), 1e-10 * power);
        if (push > 1e-6 * largest && t->friction > 0)
          *(dot(slip, slip) > 1e-12 * speed * speed ? &slides : &sticks) += 1;
      }
    }
  CHECK(impacts > 4 * robot_count() && slides > robot_count() && sticks > robot_count());
}

// The projection onto a cone: inside it, and what it takes off is a normal of the cone there.
TEST(the_closest_impulse_in_a_cone) {
  rng g = rng_seed(9);
  for (int i = 0; i < 1000; i++) {
    double mu = i % 4 ? rng_uniform(&g, 0, 3) : 0, p[3], z[3], off[3];
    random_vector(&g, 1, p);
    if (i % 8 == 4) p[1] = p[2] = 0;
    memcpy(z, p, sizeof p);
    ap__cone(mu, z);
    for (int k = 0; k < 3; k++) off[k] = p[k] - z[k];
    CHECK(z[0] >= 0 && hypot(z[1], z[2]) <= mu * z[0] + 1e-15);
    CHECK(fabs(dot(off, z)) <= 1e-15);
    CHECK(off[0] + mu * hypot(off[1], off[2]) <= 1e-15); // in the polar cone
  }
}

// A ball-like body: at the point below its centre W = diag(1 + 2.5, 1 + 2.5, 1). It slides if
// |u_t| / 3.5 > mu (1 + e) |u_n|, otherwise it stops there.
TEST(a_ball_slides_or_stops) {
  double q[7] = {0, 0, 0, 0, 0, 0, 1};
  if (!free_body(0.4, 0.4, 0.4)) return;
  for (int k = 0; k < 2; k++) {
    double e = 0.5, mu = k ? 0.6 : 0.1, v[6] = {0.9, -1.2, -1, 0, 0, 0};
    ap_touch t = touch_at(1, 0, 0, -1, e, mu);
    ap_impact_result result;
    if (!CHECK_OK(impact(&robot, q, v, 1, &t, &result))) continue;
    // The speed is 1.5 along (0.6, -0.8); without restitution friction does at most mu.
    double side = (1 + e) * fmin(mu, 1.5 / 3.5), want[3] = {-0.6 * side, 0.8 * side, 1 + e};
    CHECK_WITHIN(t.impulse, want, 3, 1e-14);
    CHECK_CLOSE(t.after[2], e, 1e-14);
    CHECK(!result.relaxed && result.scale == 1);
  }
  robot_free(&robot);
}

// Newton's restitution of the normal velocity together with Coulomb's friction, for one point of a
// planar robot: the textbook law, whose energy T. R. Kane found to grow.
static double work_of(const double W[4], const double u[2], double n, double t) {
  return n * u[0] + t * u[1] + 0.5 * (n * n * W[0] + 2 * n * t * W[1] + t * t * W[3]);
}

static double textbook_gain(const double W[4], const double u[2], double e, double mu) {
  double det = W[0] * W[3] - W[1] * W[2], b[2] = {-(1 + e) * u[0], -u[1]};
  double n = (W[3] * b[0] - W[1] * b[1]) / det, t = (W[0] * b[1] - W[2] * b[0]) / det;
  if (n >= 0 && fabs(t) <= mu * n) return work_of(W, u, n, t);
  for (int way = -1; way <= 1; way += 2) {
    n = b[0] / (W[0] + way * mu * W[1]);
    double slip = u[1] + (W[2] + way * mu * W[3]) * n;
    if (n > 0 && way * slip <= 0) return work_of(W, u, n, way * mu * n);
  }
  return 0;
}

// Kane's double pendulum: two rods hang from a joint, the end of the second strikes the ground.
TEST(friction_creates_no_energy_where_the_textbook_does) {
  enum { STATES = 4000 };
  long gains = 0;
  rng g = rng_seed(5);
  robot_clear(&robot, "double pendulum", 2);
  for (int k = 0; k < 2; k++) {
    robot.body[k].joint = AP_REVOLUTE;
    robot.body[k].axis[0] = 0, robot.body[k].axis[1] = 1, robot.body[k].axis[2] = 0;
    robot.body[k].mass = 1;
    robot.body[k].com[2] = -0.5;
    robot.body[k].inertia[0] = robot.body[k].inertia[3] = 1.0 / 12;
    robot.body[k].place.xyz[2] = k ? -1 : 0;
  }
  if (!robot_make(&robot)) return;
  for (int i = 0; i < STATES; i++) {
    double q[2] = {rng_uniform(&g, -1.5, 1.5), rng_uniform(&g, -1.5, 1.5)}, v[2], before[2];
    double e = rng_uniform(&g, 0, 1), mu = rng_uniform(&g, 0, 1), Minv[4], J[4], W[4] = {0}, u[2];
    for (int k = 0; k < 2; k++) before[k] = v[k] = rng_uniform(&g, -1, 1);
    ap_touch t = touch_at(2, 0, 0, -1, e, mu);
    ap_impact_result result;
    // The end is at -(sin a, cos a) of a = q1 and a = q1 + q2, summed.
    J[3] = -cos(q[0] + q[1]), J[2] = J[3] - cos(q[0]);
    J[1] = sin(q[0] + q[1]), J[0] = J[1] + sin(q[0]);
    for (int k = 0; k < 2; k++) u[k] = J[2 * k] * v[0] + J[2 * k + 1] * v[1];
    CHECK_OK(ap_inverse_inertia_matrix(robot.m, robot.w, q, Minv));
    for (int k = 0; k < 16; k++)
      W[k / 4] += J[k / 8 * 2 + k % 2] * Minv[k % 2 * 2 + k / 2 % 2] * J[k / 4 % 2 * 2 + k / 2 % 2];
    if (!CHECK_OK(impact(&robot, q, v, 1, &t, &result))) break;
    laws(&robot, q, before, v, 1, &t, &result);
    CHECK_CLOSE(t.before[2], u[0], 1e-13);
    CHECK_CLOSE(t.before[0], u[1], 1e-13);
    if (u[0] < 0) gains += textbook_gain(W, u, e, mu) > 1e-3;
  }
  CHECK(gains > 10); // the law of the textbook does create energy here
  robot_free(&robot);
}

// A plate lands flat and sliding: four corners, each with its share.
TEST(a_sliding_plate_shares_evenly) {
  double q[7] = {0, 0, 0, 0, 0, 0, 1}, v[6] = {3, 4, -2, 0, 0, 0};
  ap_touch touch[4];
  ap_impact_result result;
  if (!free_body(0.1, 0.1, 0.2)) return;
  for (int i = 0; i < 4; i++) // in the plane of its centre, so that friction does not tip it
    touch[i] = touch_at(1, i % 2 ? 0.5 : -0.5, i / 2 ? 0.5 : -0.5, 0, 0, 0.1);
  if (CHECK_OK(impact(&robot, q, v, 4, touch, &result))) {
    const double want[6] = {3 - 0.12, 4 - 0.16, 0, 0, 0, 0}, share[3] = {-0.03, -0.04, 0.5};
    CHECK_WITHIN(v, want, 6, 1e-13);
    for (int i = 0; i < 4; i++) CHECK_WITHIN(touch[i].impulse, share, 3, 1e-13);
    CHECK_EQ_INT(result.rank, 3);
  }
  robot_free(&robot);
}

// ---- arguments and memory ----------------------------------------------------------------------

TEST(arguments_out_of_range_change_nothing) {
  double q[7] = {0, 0, 0, 0, 0, 0, 1}, v[6] = {1, 2, -3, 4, 5, 6}, same[6];
  ap_impact_result result = {.lost = 7};
  memcpy(same, v, sizeof v);
  if (!free_body(0.1, 0.1, 0.2)) return;
  for (int k = 0; k < 14; k++) {
    ap_touch t = touch_at(1, 0.1, 0.2, -0.3, 0.5, 0.5), kept;
    double old_q = q[0], old_v = v[0], bad = k % 2 ? NAN : INFINITY;
    test_context("case %d", k);
    if (k < 2) t.at[1] = bad;
    if (k == 2 || k == 3) t.normal[0] = bad;
    if (k == 4 || k == 5) t.friction = bad;
    if (k == 6) t.restitution = NAN;
    if (k == 7) t.restitution = 1.01;
    if (k == 8) t.restitution = -0.01;
    if (k == 9) t.friction = -0.1;
    if (k == 10) t.body = 2;
    if (k == 11) t.body = -1;
    if (k == 12) q[0] = bad;
    if (k == 13) t.normal[2] = 0.9;
    kept = t;
    CHECK_STATUS(impact(&robot, q, v, 1, &t, &result), AP_E_ARG);
    CHECK(memcmp(&kept, &t, sizeof t) == 0);
    v[0] = bad;
    t = touch_at(1, 0.1, 0.2, -0.3, 0.5, 0.5);
    CHECK_STATUS(impact(&robot, q, v, 1, &t, &result), AP_E_ARG);
    q[0] = old_q, v[0] = old_v;
    CHECK_BITS(v, same, 6);
    CHECK(result.lost == 7);
  }
  ap_touch t = touch_at(1, 0.1, 0.2, -0.3, 0.5, 0.5);
  CHECK_STATUS(ap_impact(robot.m, robot.w, q, v, -1, &t, NULL, NULL), AP_E_ARG);
  CHECK_OK(impact(&robot, q, v, 1, &t, NULL));
  robot_free(&robot);
}

TEST(a_singular_inertia_is_told) {
  double q[2] = {0.1, 0.2}, v[2] = {1, 2};
  const double same[2] = {1, 2};
  ap_touch t = touch_at(2, 0.1, 0.2, -0.3, 0.5, 0.5);
  robot_clear(&robot, "massless end", 2);
  robot.body[0].joint = robot.body[1].joint = AP_REVOLUTE;
  robot.body[0].mass = 1;
  robot.body[0].com[0] = 1;
  if (!robot_make(&robot)) return;
  CHECK_STATUS(impact(&robot, q, v, 1, &t, NULL), AP_E_SINGULAR);
  CHECK_BITS(v, same, 2);
  robot_free(&robot);
}

// Huge and tiny speeds: the law has no scale of its own.
TEST(speeds_scale) {
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      double v[ROBOT_V], scaled[ROBOT_V];
      ap_touch touch[3], again[3];
      random_touches(&s.random, r->m, 3, 1, touch);
      memcpy(again, touch, sizeof touch);
      memcpy(v, s.v, sizeof v);
      if (!struck(r, s.q, v, 3, touch, NULL)) continue;
      for (int power = -60; power <= 60; power += 120) {
        for (int i = 0; i < ap_nv(r->m); i++) scaled[i] = ldexp(s.v[i], power);
        if (!struck(r, s.q, scaled, 3, again, NULL)) continue;
        for (int i = 0; i < ap_nv(r->m); i++) scaled[i] = ldexp(scaled[i], -power);
        CHECK_BITS(scaled, v, ap_nv(r->m));
      }
    }
}

TEST(nothing_is_allocated) {
  install_heap();
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 2) {
      ap_touch touch[MOST];
      ap_impact_result result;
      random_touches(&s.random, r->m, MOST, s.number, touch);
      void *scratch = malloc(ap_impact_scratch(r->m, MOST));
      allocations = 0;
      armed = true;
      ap_status status = ap_impact(r->m, r->w, s.q, s.v, MOST, touch, scratch, &result);
      armed = false;
      CHECK(status == AP_OK || status == AP_E_SINGULAR);
      CHECK_EQ_INT(allocations, 0);
      free(scratch);
    }
}

// Scratch memory anywhere, full of anything: the same bits, and not a byte outside.
TEST(scratch_may_be_anywhere_and_dirty) {
  enum { GUARD = 64 };
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      ap_touch touch[MOST], first[MOST];
      double v[ROBOT_V], want[ROBOT_V];
      size_t size = ap_impact_scratch(r->m, MOST);
      unsigned char *memory = malloc(size + 2 * GUARD);
      random_touches(&s.random, r->m, MOST, 1, touch);
      memcpy(v, s.v, sizeof v);
      for (int k = 0; k < 4 && struck(r, s.q, v, MOST, touch, NULL); k++) {
        size_t start = (size_t)(GUARD - 13 * k), end = start + size;
        memset(memory, 0x5a, size + 2 * GUARD);
        memset(memory + start, 0x55 * k, size);
        memcpy(v, s.v, sizeof v);
        CHECK_OK(ap_impact(r->m, r->w, s.q, v, MOST, touch, memory + start, NULL));
        if (k == 0) memcpy(first, touch, sizeof touch), memcpy(want, v, sizeof v);
        CHECK_BITS(v, want, ap_nv(r->m));
        for (int i = 0; i < MOST; i++) CHECK_BITS(touch[i].impulse, first[i].impulse, 3);
        bool outside = false;
        for (size_t i = 0; i < size + 2 * GUARD; i++)
          outside |= (i < start || i >= end) && memory[i] != 0x5a;
        CHECK(!outside);
      }
      free(memory);
    }
}
