// SPDX-License-Identifier: Apache-2.0
// Time-optimal motion along a path: published sets, closed forms, a search by brute force over
// speeds with the inverse dynamics itself, limits between grid points, zero-inertia points, bad
// input, no heap.

#define _GNU_SOURCE

#include <appell/file.h>
#include <appell/topp.h>

#include "heap.h"
#include "test.h"
#include "traj/plane_program.h"

// A solver in memory of its own.
typedef struct solved {
  void *memory;
  ap_topp *t;
  ap_error error;
} solved;

static solved solve(const ap_topp_def *def, ap_work *w) {
  solved s = {0};
  const size_t size = ap_topp_size(def);
  s.memory = malloc(size + 1);
  s.t = ap_topp_init(def, s.memory, size, &s.error);
  if (s.t) ap_topp_solve(s.t, w, &s.error);
  return s;
}

static double x_at(const ap_topp *t, int i) {
  double x;
  ap_topp_point(t, i, NULL, &x, NULL);
  return x;
}

// An arm from a file with its work.
typedef struct arm {
  ap_robot *robot;
  ap_model *m;
  ap_work *w;
  void *memory;
  int n;
  double effort[24], velocity[24];
} arm;

static arm open_arm(const char *path, bool friction) {
  arm a = {0};
  ap_error error = {0};
  CHECK_OK(ap_robot_read(path, &(ap_read_options){0}, &a.robot, &error));
  CHECK_OK(ap_robot_model(a.robot, &a.m, &error));
  const size_t size = ap_work_size(a.m);
  a.memory = malloc(size);
  a.w = ap_work_init(a.m, a.memory, size);
  ap_set_friction(a.m, a.w, friction);
  a.n = ap_nv(a.m);
  for (int i = 1; i < ap_nbody(a.m); i++) {
    const int j = ap_joint_v(a.m, i);
    if (ap_joint_nv(a.m, i) != 1) continue;
    a.effort[j] = ap_body(a.m, i)->effort_limit, a.velocity[j] = ap_body(a.m, i)->velocity_limit;
  }
  return a;
}

static void close_arm(arm *a) {
  free(a->memory);
  ap_model_free(a->m);
  ap_robot_free(a->robot);
}

// ---- linear programs ---------------------------------------------------------------------------

// The best of all corners of two rows that the others allow.
static bool best_corner(const ap__half_plane *row, int n, double sign, double *best) {
  bool found = false;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      const double det = row[i].u * row[j].v - row[i].v * row[j].u;
      if (fabs(det) < 1e-9) continue;
      const double x = (row[i].w * row[j].v - row[i].v * row[j].w) / det;
      const double y = (row[i].u * row[j].w - row[i].w * row[j].u) / det;
      bool good = true;
      for (int k = 0; k < n && good; k++)
        good = row[k].u * x + row[k].v * y <= row[k].w + 1e-9 * (1 + fabs(x) + fabs(y));
      if (!good || (found && sign * y <= sign * *best)) continue;
      *best = y, found = true;
    }
  }
  return found;
}

TEST(linear_programs_have_their_optimum_at_a_corner) {
  rng r = {7};
  int solvable = 0;
  for (int trial = 0; trial < 3000; trial++) {
    ap__half_plane row[24] = {{1, 0, 50}, {-1, 0, 50}, {0, 1, 50}, {0, -1, 50}};
    const int n = 4 + rng_int(&r, 1, 20);
    for (int k = 4; k < n; k++) {
      const double angle = rng_uniform(&r, 0, 7), near = rng_uniform(&r, -0.5, 3);
      row[k] = (ap__half_plane){cos(angle), sin(angle), near};
      if (k % 5 == 0) row[k].u = 0;        // rows that do not hold x[0]
      if (k % 7 == 0) row[k] = row[k - 1]; // the same twice
    }
    const double sign = trial % 2 ? 1 : -1;
    double x[2], best = 0;
    const bool wanted = best_corner(row, n, sign, &best);
    const bool got = ap__plane_extreme(row, n, sign, x);
    test_context("trial %d", trial);
    if (wanted) CHECK(got); // 1e-9 more is allowed to the corners
    if (wanted && got) CHECK_CLOSE(x[1], best, 1e-6), solvable++;
    for (int k = 0; got && k < n; k++) CHECK(row[k].u * x[0] + row[k].v * x[1] <= row[k].w + 1e-9);
    double low, high;
    if (got && ap__plane_slice(row, n, x[1] - 1e-9 * sign, &low, &high))
      CHECK(low <= x[0] + 1e-6 && x[0] <= high + 1e-6);
  }
  CHECK(solvable > 500 && solvable < 2900); // both kinds occur
}

// ---- published and closed forms ----------------------------------------------------------------

// The cubic -s^3 / 2 + {1.5 s^2, s^2 / 2 + 3 s}, s = 0 .. 3, of TOPP-RA's own tests.
static ap_traj *published_path(void) {
  const double from[6] = {0, 0, 0, 3, 3, 1}, to[6] = {0, 0, -4.5, -7.5, -6, -8};
  const ap_traj_state a = {from, from + 2, from + 4}, b = {to, to + 2, to + 4};
  ap_traj *path = NULL;
  CHECK_OK(ap_traj_quintic(2, &a, &b, 3, &path, NULL));
  return path;
}

static ap_topp_def published_case(const ap_traj *path) {
  static const double velocity[2] = {1, 1}, acceleration[2] = {0.2, 0.2};
  ap_topp_def def = ap_default_topp();
  def.path = path, def.velocity = velocity, def.acceleration = acceleration;
  def.grid = 50;
  return def;
}

// Upper ends of the controllable sets by collocation at 51 points, to the eight digits printed in
// cpp/tests/test_algorithm.cpp of toppra 0.6.2.
TEST(controllable_sets_are_those_published) {
  static const double K[51] = {
      0.06666667, 0.07624309, 0.08631706, 0.09690258, 0.1005511,  0.09982804, 0.09979021,
      0.1004364,  0.10178673, 0.10184412, 0.09655088, 0.09173679, 0.08734254, 0.08331796,
      0.07962037, 0.07621325, 0.07306521, 0.07014913, 0.0674415,  0.06492188, 0.06257244,
      0.06037764, 0.05832397, 0.05639984, 0.05459563, 0.05290407, 0.05132158, 0.04985238,
      0.04852317, 0.04745694, 0.04761905, 0.05457026, 0.06044905, 0.06527948, 0.08479263,
      0.10990991, 0.13252362, 0.15269631, 0.15777077, 0.12111776, 0.09525987, 0.07641998,
      0.06232537, 0.05154506, 0.04314353, 0.03257513, 0.02268898, 0.01495548, 0.0088349,
      0.00394283, 0};
  ap_traj *path = published_path();
  ap_topp_def def = published_case(path);
  def.collocation = true;
  solved s = solve(&def, NULL);
  CHECK_OK(s.error.status);
  CHECK_EQ_INT(ap_topp_intervals(s.t), 50);
  for (int i = 0; i <= 50; i++) {
    double high;
    ap_topp_point(s.t, i, NULL, NULL, &high);
    CHECK_CLOSE(high, K[i], 1.5e-8);
  }
  free(s.memory);
  ap_traj_free(path);
}

// At s = 1.84 the second coordinate turns round: its acceleration does not depend on u there, the
// zero-inertia point of the case above. By collocation x jumps up and down beside it (the published
// profile falls to 0.0286 and returns to 0.0538); with limits at both ends of each interval it is
// smooth: second differences of x are of second order in the step.
TEST(zero_inertia_points_do_not_chatter) {
  ap_traj *path = published_path();
  for (int collocation = 0; collocation < 2; collocation++) {
    ap_topp_def def = published_case(path);
    def.collocation = collocation, def.grid = 400;
    solved s = solve(&def, NULL);
    CHECK_OK(s.error.status);
    double worst = 0;
    for (int i = 0; i + 2 <= 400; i++) {
      double at;
      ap_topp_point(s.t, i + 1, &at, NULL, NULL);
      if (at < 1.7 || at > 2.1) continue;
      worst = fmax(worst, fabs(x_at(s.t, i) - 2 * x_at(s.t, i + 1) + x_at(s.t, i + 2)));
    }
    // x'' is below 1 but for one kink of x' by 0.1, and the step is 0.0075
    if (!collocation) CHECK(worst < 1.0 * 0.0075 * 0.0075 + 0.1 * 0.0075);
    if (collocation) CHECK(worst > 1e-3);
    free(s.memory);
  }
  ap_traj_free(path);
}

// On one straight line all is known: a trapezoid. Its switches lie between grid points, which costs
// time in the two intervals that hold them: of the second order in their length.
TEST(straight_lines_give_trapezoids) {
  const double points[4] = {0.3, -1, 1.1, 0.5}, velocity[2] = {0.7, 0.9}, most[2] = {2, 1.3};
  ap_traj *path = NULL, *trapezoid = NULL;
  CHECK_OK(ap_traj_path(2, 2, points, AP_PATH_LINES, &path, NULL));
  CHECK_OK(ap_traj_trapezoid(2, points, points + 2, velocity, most, &trapezoid, NULL));
  ap_topp_def def = ap_default_topp();
  def.path = path, def.velocity = velocity, def.acceleration = most;
  for (int grid = 100; grid <= 6400; grid *= 8) {
    def.grid = grid;
    solved s = solve(&def, NULL);
    CHECK_OK(s.error.status);
    const double late = ap_topp_duration(s.t) - ap_traj_duration(trapezoid);
    CHECK(late > -1e-12 && late < 2.0 / grid / grid);
    for (double time = 0; time < 3; time += 0.0817) {
      double q[2], v[2], Q[2], V[2];
      ap_topp_at(s.t, time, q, v, NULL);
      ap_traj_at(trapezoid, time, Q, V, NULL);
      CHECK_WITHIN(q, Q, 2, 2.0 / grid / grid);
      CHECK_WITHIN(v, V, 2, 3.0 / grid); // a switch is late by a part of an interval
    }
    free(s.memory);
  }
  ap_traj_free(path), ap_traj_free(trapezoid);
}

// At corners between lines the motion stops; where the next line goes on straight it does not.
TEST(motions_stop_at_corners_only) {
  const double points[8] = {0, 0, 1, 1, 2, 2, 3, 1}, most[2] = {1, 1};
  ap_traj *path = NULL;
  CHECK_OK(ap_traj_path(2, 4, points, AP_PATH_LINES, &path, NULL));
  ap_topp_def def = ap_default_topp();
  def.path = path, def.acceleration = most;
  solved s = solve(&def, NULL);
  CHECK_OK(s.error.status);
  // 2 and 1 along each axis with acceleration 1 from rest to rest
  CHECK_CLOSE(ap_topp_duration(s.t), 2 * sqrt(2) + 2, 1e-4);
  for (int i = 1; i < ap_topp_intervals(s.t); i++) {
    double at;
    ap_topp_point(s.t, i, &at, NULL, NULL);
    const bool corner = fabs(at - 2 * sqrt(2)) < 1e-9;
    CHECK((x_at(s.t, i) == 0) == corner);
  }
  free(s.memory);
  ap_traj_free(path);
}

// ---- brute force -------------------------------------------------------------------------------

// Whether u and x at the place s of the path keep to every limit, by inverse dynamics.
static bool allowed(const arm *a, const ap_topp_def *d, double s, double u, double x) {
  double q[8], v[8], acc[8], tau[8], first[8], second[8];
  ap_traj_at(d->path, s, q, first, second);
  for (int j = 0; j < a->n; j++) {
    v[j] = first[j] * sqrt(x), acc[j] = first[j] * u + second[j] * x;
    if (d->velocity && fabs(v[j]) > d->velocity[j]) return false;
    if (d->acceleration && fabs(acc[j]) > d->acceleration[j]) return false;
  }
  ap_inverse_dynamics(a->m, a->w, q, v, acc, tau);
  for (int j = 0; j < a->n; j++)
    if (fabs(tau[j]) > d->effort[j]) return false;
  return true;
}

// Backward over N slices of s and X levels of x: from which levels some level of the next slice can
// be reached with a u that is allowed at both ends and in the middle; then the fastest way forward.
// Nothing here knows that torques are linear in u and x. The duration.
static double brute_force(const arm *a, const ap_topp_def *d, int N, int X, double top) {
  const double L = ap_traj_duration(d->path), D = L / N;
  bool *good = calloc((size_t)(N + 1) * (size_t)X, sizeof *good);
  int *best = calloc((size_t)(N + 1) * (size_t)X, sizeof *best);
  good[(size_t)N * (size_t)X] = true;
  for (int i = N - 1; i >= 0; i--) {
    for (int k = 0; k < X; k++) {
      const double x = top * k / (X - 1);
      // the highest level that can follow; u of neighbours is within reach of one interval only
      for (int h = X - 1; h >= 0 && !good[(size_t)i * (size_t)X + (size_t)k]; h--) {
        if (!good[(size_t)(i + 1) * (size_t)X + (size_t)h] || h + k == 0) continue;
        const double y = top * h / (X - 1), u = (y - x) / (2 * D);
        if (!allowed(a, d, D * i, u, x) || !allowed(a, d, D * (i + 0.5), u, (x + y) / 2) ||
            !allowed(a, d, D * (i + 1), u, y))
          continue;
        good[(size_t)i * (size_t)X + (size_t)k] = true;
        best[(size_t)i * (size_t)X + (size_t)k] = h;
      }
    }
  }
  double time = 0;
  for (int i = 0, k = 0; i < N; i++) {
    const int h = best[(size_t)i * (size_t)X + (size_t)k];
    time += 2 * D / (sqrt(top * k / (X - 1)) + sqrt(top * h / (X - 1)));
    k = h;
  }
  const bool possible = good[0];
  free(good), free(best);
  return possible ? time : INFINITY;
}

// A bent path of two joints of an arm with friction, on about as many intervals (27) as the search
// has slices (24). Levels of the search are 1/200 of the largest x apart: it stays below the exact
// x by up to one level, which takes up to 2 % longer where x is small, and is faster by no more
// than the two grids differ.
TEST(a_search_by_brute_force_finds_nothing_faster) {
  for (int friction = 0; friction < 2; friction++) {
    arm a = open_arm("models/two_link.urdf", friction);
    const double points[8] = {0, 0, 0.6, -0.4, 1.4, 0.3, 1.5, 1.2};
    double effort[8] = {20, 6};
    ap_traj *path = NULL;
    CHECK_OK(ap_traj_path(2, 4, points, AP_PATH_SPLINE, &path, NULL));
    ap_topp_def def = ap_default_topp();
    def.model = a.m, def.path = path, def.effort = effort, def.grid = 24;
    solved s = solve(&def, a.w);
    CHECK_OK(s.error.status);
    double top = 0;
    for (int i = 0; i <= ap_topp_intervals(s.t); i++) top = fmax(top, x_at(s.t, i));
    const double searched = brute_force(&a, &def, 24, 200, 1.1 * top);
    const double found = ap_topp_duration(s.t);
    printf("friction %d: %.5f s, by brute force %.5f s\n", friction, found, searched);
    CHECK(searched > 0.995 * found && searched < 1.03 * found);
    free(s.memory);
    ap_traj_free(path);
    close_arm(&a);
  }
}

// ---- limits between grid points ----------------------------------------------------------------

static void random_path(rng *r, const arm *a, int points, double *q) {
  for (int i = 0; i < points; i++) {
    for (int j = 0; j < a->n; j++) {
      const ap_body_def *b = ap_body(a->m, j + 1);
      q[i * a->n + j] =
          0.5 * (b->lower + b->upper) + rng_uniform(r, -0.3, 0.3) * (b->upper - b->lower);
    }
  }
}

// Random paths of an arm of seven axes with friction: the excess between grid points is of second
// order in their distance (four times as many, a sixteenth of it, but for chance), some limit is
// met nearly everywhere, and the trajectory made of it is the same motion.
TEST(limits_hold_between_grid_points) {
  arm a = open_arm("models/arm7.yaml", true);
  rng r = {3};
  for (int trial = 0; trial < 6; trial++) {
    double q[5 * 8], excess[2];
    ap_traj *path = NULL, *motion = NULL;
    test_context("path %d", trial);
    random_path(&r, &a, 5, q);
    CHECK_OK(ap_traj_path(a.n, 5, q, AP_PATH_SPLINE, &path, NULL));
    ap_topp_def def = ap_default_topp();
    def.model = a.m, def.path = path, def.effort = a.effort, def.velocity = a.velocity;
    for (int k = 0; k < 2; k++) {
      def.grid = k == 0 ? 250 : 1000;
      solved s = solve(&def, a.w);
      if (!CHECK_OK(s.error.status)) printf("%s\n", s.error.text);
      ap_topp_report report;
      CHECK_OK(ap_topp_measure(s.t, a.w, 7, &report));
      CHECK(report.active > (k == 0 ? 0.9 : 0.97));
      excess[k] = fmax(report.excess, 1e-12);
      free(s.memory);
    }
    CHECK(excess[1] < 1e-3);
    CHECK(excess[1] < excess[0] / 6 || excess[1] < 1e-6);
    ap_topp_report report;
    ap_error error;
    CHECK_OK(ap_traj_time_optimal(&def, a.w, 1e-4, &motion, &report, &error));
    CHECK(report.excess <= 1e-4);
    CHECK_CLOSE(ap_traj_duration(motion), report.duration, 1e-12);
    for (int j = 0; j < a.n; j++)
      CHECK(ap_traj_reach_of(motion, j).velocity <= a.velocity[j] * (1 + 2e-4));
    ap_traj_free(motion), ap_traj_free(path);
  }
  close_arm(&a);
}

// The trajectory is the motion of the solver, and its derivatives are derivatives.
TEST(the_trajectory_is_the_motion) {
  arm a = open_arm("models/arm7.yaml", false);
  rng r = {11};
  double q[4 * 8];
  random_path(&r, &a, 4, q);
  ap_traj *path = NULL, *motion = NULL;
  CHECK_OK(ap_traj_path(a.n, 4, q, AP_PATH_SPLINE, &path, NULL));
  ap_topp_def def = ap_default_topp();
  def.model = a.m, def.path = path, def.effort = a.effort, def.velocity = a.velocity,
  def.grid = 200;
  solved s = solve(&def, a.w);
  CHECK_OK(s.error.status);
  CHECK_OK(ap_topp_traj(s.t, &motion, NULL));
  const double end = ap_topp_duration(s.t), h = 1e-6;
  double x[24], y[24];
  for (int k = -1; k <= 60; k++) {
    const double time = end * k / 59;
    ap_topp_at(s.t, time, x, x + 8, x + 16);
    ap_traj_at(motion, time, y, y + 8, y + 16);
    for (int part = 0; part < 24; part += 8) CHECK_WITHIN(x + part, y + part, a.n, 1e-9);
    if (k < 1 || k > 58) continue;
    ap_traj_at(motion, time + h, x, NULL, NULL);
    ap_traj_at(motion, time - h, x + 8, NULL, NULL);
    for (int j = 0; j < a.n; j++) // u jumps by up to 100 / s2: h / 2 of that
      CHECK_CLOSE((x[j] - x[8 + j]) / (2 * h), y[8 + j], 1e-4);
  }
  ap_traj_at(motion, 0, x, NULL, NULL);
  CHECK_WITHIN(x, q, a.n, 1e-14);
  ap_traj_at(motion, end, x, NULL, NULL);
  CHECK_WITHIN(x, q + 3 * a.n, a.n, 1e-9);
  free(s.memory);
  ap_traj_free(path), ap_traj_free(motion);
  close_arm(&a);
}

// Torque limits are what is used: with 60 % of them the motion is slower.
TEST(less_torque_takes_longer) {
  arm a = open_arm("models/arm7.yaml", false);
  const double q[14] = {-1, 0.3, 0.2, 0.8, 0, 1, 0, 1, 1, -0.5, 1.7, 0.7, 2, 1};
  ap_traj *path = NULL;
  CHECK_OK(ap_traj_path(7, 2, q, AP_PATH_SPLINE, &path, NULL));
  double half[8], before = 0;
  for (int j = 0; j < 7; j++) half[j] = 0.6 * a.effort[j];
  ap_topp_def def = ap_default_topp();
  def.model = a.m, def.path = path;
  for (int k = 0; k < 2; k++) {
    def.effort = k == 0 ? a.effort : half;
    solved s = solve(&def, a.w);
    CHECK_OK(s.error.status);
    CHECK(ap_topp_duration(s.t) > before * 1.02);
    before = ap_topp_duration(s.t);
    free(s.memory);
  }
  ap_traj_free(path);
  close_arm(&a);
}

// ---- paths that are hard -----------------------------------------------------------------------

// Lengths from 1e-7 to 1e3, a path there and back on itself, a spline clamped at its ends (whose
// derivative by s is zero there), a Fourier series, ends in motion.
TEST(hard_paths_are_solved) {
  const double there[9] = {0, 0, 0, 0, 1e-7, 0, 0, 0, 0}, most[3] = {100, 1000, 100};
  const double time[3] = {0, 1, 2}, centre[3] = {0, 0, 0}, sine[3] = {1, 0.5, 0}, cosine[3] = {0};
  ap_traj *path[5] = {0};
  double scaled[9];
  for (int k = 0; k < 9; k++) scaled[k] = 1e10 * there[k] + k;
  CHECK_OK(ap_traj_path(3, 3, there, AP_PATH_LINES, &path[0], NULL));
  CHECK_OK(ap_traj_path(3, 3, there, AP_PATH_SPLINE, &path[1], NULL));
  CHECK_OK(ap_traj_path(3, 3, scaled, AP_PATH_SPLINE, &path[2], NULL));
  CHECK_OK(ap_traj_spline(&(ap_spline_def){3, 3, time, there, 3}, &path[3], NULL));
  CHECK_OK(ap_traj_fourier(&(ap_fourier_def){3, 1, 2, 3.3, centre, sine, cosine}, &path[4], NULL));
  for (int k = 0; k < 5; k++) {
    test_context("path %d", k);
    ap_topp_def def = ap_default_topp();
    def.path = path[k], def.velocity = most, def.acceleration = most;
    if (k == 4) def.start_speed = 1, def.end_speed = 2;
    ap_traj *motion = NULL;
    ap_topp_report report;
    ap_error error;
    if (!CHECK_OK(ap_traj_time_optimal(&def, NULL, 1e-2, &motion, &report, &error)))
      printf("%s\n", error.text);
    CHECK(isfinite(report.duration) && report.duration > 0);
    // 1e-7 forth and back at 1000: four times sqrt(1e-7 / 1000)
    if (k == 0) CHECK_CLOSE(report.duration, 4e-5, 4e-8);
    ap_traj_free(motion);
    ap_traj_free(path[k]);
  }
}

// ---- refusals ----------------------------------------------------------------------------------

static void refused(const ap_topp_def *def, ap_work *w, ap_status status, const char *words) {
  solved s = solve(def, w);
  CHECK_STATUS(s.error.status, status);
  CHECK_HAS(s.error.text, words);
  CHECK(!s.t || ap_topp_duration(s.t) == 0);
  free(s.memory);
}

TEST(bad_paths_are_refused) {
  const double one[2] = {1, 2}, equal[6] = {0, 1, 2, 3, 2, 3}, wrong[4] = {0, 1, NAN, 2};
  ap_traj *path = NULL;
  ap_error error;
  CHECK_STATUS(ap_traj_path(2, 1, one, AP_PATH_SPLINE, &path, &error), AP_E_ARG);
  CHECK_HAS(error.text, "a path has 1 point (");
  CHECK_STATUS(ap_traj_path(2, 3, equal, AP_PATH_LINES, &path, &error), AP_E_ARG);
  CHECK_HAS(error.text, "points 2 and 3 are equal");
  CHECK_STATUS(ap_traj_path(2, 2, wrong, AP_PATH_SPLINE, &path, &error), AP_E_ARG);
  CHECK_HAS(error.text, "coordinate 1 of point 2 is not a finite number");
  CHECK(!path);
}

TEST(limits_that_allow_no_motion_are_refused) {
  arm a = open_arm("models/arm7.yaml", true);
  const double q[14] = {0, 0, 0, 0.5, 0, 0, 0, 0, 1.5, 0, 0.5, 0, 0, 0};
  double little[8], zero[8] = {1, 1, 1, 0, 1, 1, 1};
  memcpy(little, a.effort, sizeof little); // of seven joints
  little[1] = 30;
  ap_traj *path = NULL;
  CHECK_OK(ap_traj_path(7, 2, q, AP_PATH_SPLINE, &path, NULL));
  ap_topp_def def = ap_default_topp();
  def.model = a.m, def.path = path, def.effort = little;
  refused(&def, a.w, AP_E_UNREACHABLE, "joint 'axis2' needs a torque of ");
  def.effort = zero;
  refused(&def, a.w, AP_E_ARG, "torque of coordinate 4 is 0");
  zero[3] = NAN;
  refused(&def, a.w, AP_E_ARG, "torque of coordinate 4 is nan");
  def.effort = NULL;
  refused(&def, a.w, AP_E_ARG, "nothing limits the speed");
  def.effort = a.effort, def.velocity = a.velocity, def.start_speed = 100;
  refused(&def, a.w, AP_E_UNREACHABLE, "cannot begin at the speed 100");
  def.start_speed = 0, def.end_speed = 100;
  refused(&def, a.w, AP_E_UNREACHABLE, "allow no speed");
  def.end_speed = NAN;
  refused(&def, a.w, AP_E_ARG, "speeds 0 and nan");
  def.end_speed = 0, def.grid = 0;
  refused(&def, a.w, AP_E_ARG, "a grid of 0 intervals");
  def.grid = 100, def.cookie = 0;
  refused(&def, a.w, AP_E_ARG, "ap_default_topp");
  ap_traj_free(path);
  close_arm(&a);
}

TEST(models_must_fit_their_path) {
  arm a = open_arm("models/quadruped.yaml", false), b = open_arm("models/arm7.yaml", false);
  const double q[4] = {0, 0, 1, 1};
  ap_traj *path = NULL;
  CHECK_OK(ap_traj_path(2, 2, q, AP_PATH_SPLINE, &path, NULL));
  ap_topp_def def = ap_default_topp();
  def.path = path, def.model = a.m;
  refused(&def, a.w, AP_E_UNSUPPORTED, "quaternions");
  def.model = b.m;
  refused(&def, b.w, AP_E_ARG, "the path has 2 coordinates, the robot 7");
  ap_traj_free(path);
  close_arm(&a), close_arm(&b);
}

// ---- memory ------------------------------------------------------------------------------------

TEST(solving_uses_no_heap) {
  arm a = open_arm("models/arm7.yaml", true);
  const double q[14] = {0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 1.5, 0, 1, 0};
  ap_traj *path = NULL;
  CHECK_OK(ap_traj_path(7, 2, q, AP_PATH_SPLINE, &path, NULL));
  ap_topp_def def = ap_default_topp();
  def.model = a.m, def.path = path, def.effort = a.effort, def.grid = 100;
  const size_t size = ap_topp_size(&def);
  unsigned char *memory = malloc(size + 1);
  ap_error error = {0};
  CHECK(!ap_topp_init(&def, memory, size - 1, &error));
  CHECK_STATUS(error.status, AP_E_MEMORY);
  install_heap();
  allocations = 0, armed = true;
  ap_topp *t = ap_topp_init(&def, memory + 1, size, &error); // any alignment
  ap_status status = t ? ap_topp_solve(t, a.w, &error) : error.status;
  double x[24];
  ap_topp_report report = {0};
  if (!status) status = ap_topp_measure(t, a.w, 3, &report);
  if (!status) ap_topp_at(t, 0.1, x, x + 8, x + 16);
  armed = false;
  CHECK_OK(status);
  CHECK_EQ_INT(allocations, 0);
  free(memory);
  ap_traj_free(path);
  close_arm(&a);
}
