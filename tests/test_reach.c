// SPDX-License-Identifier: Apache-2.0
// Bounds on how far points of a robot get in a step: random robots with all kinds of joints, whose
// coordinates are random polynomials of time.

#include <appell/kin.h>

#include "models.h"
#include "sim/path.h"

enum { SAMPLES = 20, PLACES = 3 };

// Where a point of a link is at x.
static void place(run_path *path, double x, int link, const double at[3], double p[3]) {
  double R[9];
  ap__path_place(path, x);
  ap_frame_pose(path->m, path->w, link, R, p);
  for (int k = 0; k < 3; k++)
    p[k] += R[3 * k] * at[0] + R[3 * k + 1] * at[1] + R[3 * k + 2] * at[2];
}

// A path of coordinates with these powers of time, in memory to be freed.
static void *open_path(const test_robot *robot, const double *power, run_path *path) {
  ap_arena measured = ap__arena(NULL);
  ap__path_take(&measured, robot->m, path);
  size_t size = ap__arena_size(&measured);
  void *memory = size ? malloc(size) : NULL;
  if (!memory) abort();
  ap_arena a = ap__arena(memory);
  ap__path_take(&a, robot->m, path);
  path->w = robot->w, path->power = power, path->stride = ap_nq(robot->m);
  path->from = 0, path->h = 1;
  return memory;
}

static void check_point(run_path *path, rng *r, int link) {
  double at[3], from[3], p[3], most = 0;
  random_vector(r, 0.5, at);
  double reach = ap__path_reach(path, link, at);
  place(path, 0, link, at, from);
  for (int k = 1; k <= SAMPLES; k++) {
    double square = 0;
    place(path, (double)k / SAMPLES, link, at, p);
    for (int i = 0; i < 3; i++) square += (p[i] - from[i]) * (p[i] - from[i]);
    most = fmax(most, sqrt(square));
  }
  CHECK(most <= reach + 1e-13);
}

TEST(no_point_gets_further_than_its_bound) {
  FOR_EACH_MODEL (robot)
    FOR_EACH_STATE (robot, s, 6) {
      static double power[PATH_POWERS * ROBOT_Q];
      const ap_model *m = robot->m;
      int nq = ap_nq(m);
      run_path path;
      void *memory = open_path(robot, power, &path);
      double size = pow(10, -s.number); // from wild steps to short ones
      for (int i = 0; i < nq; i++) power[i] = s.q[i];
      for (int i = nq; i < PATH_POWERS * nq; i++) power[i] = size * rng_uniform(&s.random, -1, 1);
      ap__path_bound(&path);
      for (int k = 0; k < PLACES * ap_nbody(m); k++) check_point(&path, &s.random, k % ap_nbody(m));
      free(memory);
    }
}

// A motion of one revolute joint alone: the bound is the arc of the longest arm there may be.
TEST(the_bound_of_a_turning_link_is_its_arc) {
  FOR_EACH_MODEL (robot) {
    static double power[PATH_POWERS * ROBOT_Q];
    const ap_model *m = robot->m;
    int nq = ap_nq(m), body = 0;
    for (int i = ap_nbody(m) - 1; i > 0; i--)
      if (ap_body(m, i)->joint == AP_REVOLUTE && ap_body(m, i)->mimic == 0) body = i;
    if (!body) continue;
    motion s = motion_first(robot);
    run_path path;
    void *memory = open_path(robot, power, &path);
    memset(power, 0, sizeof power);
    for (int i = 0; i < nq; i++) power[i] = s.q[i];
    power[2 * nq + ap_joint_q(m, body)] = 1e-3;
    ap__path_bound(&path);
    CHECK_CLOSE(ap__path_travel(&path, ap_joint_q(m, body)), 1e-3, 1e-18);
    CHECK(ap__path_reach(&path, 0, (double[]){1, 2, 3}) == 0); // the ground
    CHECK(ap__path_reach(&path, body, (double[]){0.3, 0.4, 0}) <= 1e-3 * (0.5 + 2));
    free(memory);
  }
}
