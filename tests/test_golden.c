// SPDX-License-Identifier: Apache-2.0
// Reference values computed elsewhere in high precision; see golden/ for where from.

#include <appell/dyn.h>
#include <appell/kin.h>
#include <appell/research.h>

#include "golden/puma_lines.h"
#include "golden/serial.h"
#include "golden/tree.h"
#include "models.h"

static const double pi = 3.14159265358979323846;

static test_robot robot;

// A built-in robot's definition, with model and work.
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

// A robot from a table of modified DH parameters.
static bool from_table(const char *name, const golden_link *links, int n) {
  robot_clear(&robot, name, n);
  for (int k = 0; k < n; k++) {
    ap_body_def *b = &robot.body[k];
    b->joint = links[k].joint == 'R' ? AP_REVOLUTE : AP_PRISMATIC;
    b->place.kind = AP_DH_MODIFIED;
    b->place.alpha = links[k].alpha;
    b->place.a = links[k].a;
    b->place.d = links[k].d;
    b->place.theta = links[k].theta;
    b->mass = links[k].mass;
    memcpy(b->com, links[k].com, sizeof b->com);
    memcpy(b->inertia, links[k].inertia, sizeof b->inertia);
  }
  test_context("%s", name);
  return robot_make(&robot);
}

// Full symmetric matrix from its lower triangle.
static void unpack(const double *lower, int n, double *M) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) M[i * n + j] = M[j * n + i] = *lower++;
}

static void check_samples(const golden_sample *samples, int count, int n) {
  for (int k = 0; k < count; k++) {
    const golden_sample *s = &samples[k];
    double x[6], M[36], want[36];
    test_context("%s, sample %d", robot.label, k);
    ap_inverse_dynamics(robot.m, robot.w, s->q, s->v, s->a, x);
    CHECK_NEAR(x, s->tau, n, 1e-13);
    ap_bias(robot.m, robot.w, s->q, s->v, x);
    CHECK_NEAR(x, s->bias, n, 1e-13);
    ap_gravity_forces(robot.m, robot.w, s->q, x);
    CHECK_NEAR(x, s->gravity, n, 1e-13);
    unpack(s->M, n, want);
    ap_inertia_matrix(robot.m, robot.w, s->q, M);
    CHECK_NEAR(M, want, n * n, 1e-13);
    CHECK_OK(ap_forward_dynamics(robot.m, robot.w, s->q, s->v, s->tau_in, x));
    CHECK_NEAR(x, s->forward, n, 1e-13);
  }
}

// Every method of every quantity, in double and in binary128.
static void check_method(ap_study *study, const ap_method *method, const golden_sample *s, int n) {
  double in[18], M[36], out[36];
  const double *third = method->what == AP_FORWARD ? s->tau_in : s->a;
  unpack(s->M, n, M);
  const double *want[] = {[AP_INVERSE] = s->tau,
                          [AP_FORWARD] = s->forward,
                          [AP_INERTIA] = M,
                          [AP_BIAS] = s->bias,
                          [AP_GRAVITY] = s->gravity};
  for (int i = 0; i < n; i++) in[i] = s->q[i], in[n + i] = s->v[i], in[2 * n + i] = third[i];
  CHECK_OK(ap_study_eval(study, method, in, out, NULL));
  CHECK_NEAR(out, want[method->what], ap_columns_out(robot.m, method->what), 1e-12);
}

static void check_methods(const golden_sample *samples, int count, int n, ap_arithmetic real) {
  size_t size = ap_study_size(robot.m, real);
  void *memory = malloc(size + 1);
  ap_study *study = ap_study_init(robot.m, real, memory, size);
  for (int i = 0; study && ap_method_at(i); i++) {
    const ap_method *method = ap_method_at(i);
    if (method->what >= AP_ENERGY) continue;
    for (int k = 0; k < count; k++) {
      test_context("%s, %s by %s, %s, sample %d", robot.label, ap_quantity_name(method->what),
                   method->name, ap_arithmetic_name(real), k);
      check_method(study, method, &samples[k], n);
    }
  }
  free(memory);
}

TEST(every_method_on_the_puma) {
  if (!builtin("puma600")) return;
  check_methods(golden_puma, 8, 6, AP_F64);
  check_methods(golden_puma, 8, 6, AP_F128);
  robot_free(&robot);
}

TEST(every_method_on_a_mixed_arm) {
  if (!from_table("rprp", golden_rprp_links, 4)) return;
  check_methods(golden_rprp, 8, 4, AP_F64);
  check_methods(golden_rprp, 8, 4, AP_F128);
  robot_free(&robot);
}

TEST(puma_built_in) {
  if (builtin("puma600")) check_samples(golden_puma, 8, 6);
  robot_free(&robot);
}

TEST(puma_from_its_table) {
  if (from_table("puma table", golden_puma_links, 6)) check_samples(golden_puma, 8, 6);
  robot_free(&robot);
}

TEST(rprp_from_its_table) {
  if (from_table("rprp", golden_rprp_links, 4)) check_samples(golden_rprp, 8, 4);
  robot_free(&robot);
}

// q_i = 0.1 i, v_i = 0.2 i, a_i = 0.3 i; five public libraries agree to the 9 decimals given.
TEST(puma_check_vector) {
  static const double want[6] = {5.451746824, -65.549918127, -5.937057935,
                                 0.368469573, 0.235297113,   0.046574652};
  double q[6], v[6], a[6], tau[6];
  if (!builtin("puma600")) return;
  for (int i = 0; i < 6; i++) {
    q[i] = 0.1 * (i + 1);
    v[i] = 0.2 * (i + 1);
    a[i] = 0.3 * (i + 1);
  }
  ap_inverse_dynamics(robot.m, robot.w, q, v, a, tau);
  CHECK_WITHIN(tau, want, 6, 0.5e-9 + 1e-13 * 66);
  robot_free(&robot);
}

// cond(M) is 1.3e4 .. 5.4e4, so 1e-11 is what double precision gives.
TEST(two_bodies_of_ascher) {
  double zero[2] = {0}, q[2] = {0}, a[2];
  if (!builtin("ascher2")) return;
  for (int k = 0; k < 180; k++) {
    test_context("ascher2, %d degrees", 2 * k);
    q[1] = 2 * k * pi / 180;
    CHECK_OK(ap_forward_dynamics(robot.m, robot.w, q, zero, zero, a));
    CHECK_NEAR(a, golden_ascher[k], 2, 1e-11);
  }
  robot_free(&robot);
}

TEST(puma_on_straight_lines) {
  double tau[6];
  if (!builtin("puma600")) return;
  for (size_t k = 0; k < sizeof golden_points / sizeof *golden_points; k++) {
    const golden_point *x = &golden_points[k];
    test_context("line %d, branch %d, t = %g", x->line, x->branch, x->t);
    ap_inverse_dynamics(robot.m, robot.w, x->q, x->v, x->a, tau);
    CHECK_NEAR(tau, x->tau, 6, 1e-13);
  }
  robot_free(&robot);
}

// Pose on a line: position at constant speed, orientation Rz Ry Rz.
static void line_pose(const golden_line *line, double t, double R[9], double p[3]) {
  double c[3], s[3];
  for (int i = 0; i < 3; i++) {
    p[i] = line->start[i] + (line->end[i] - line->start[i]) * t / line->T;
    c[i] = cos(line->zyz[i] * pi / 180);
    s[i] = sin(line->zyz[i] * pi / 180);
  }
  double zyz[9] = {c[0] * c[1] * c[2] - s[0] * s[2],
                   -c[0] * c[1] * s[2] - s[0] * c[2],
                   c[0] * s[1],
                   s[0] * c[1] * c[2] + c[0] * s[2],
                   -s[0] * c[1] * s[2] + c[0] * c[2],
                   s[0] * s[1],
                   -s[1] * c[2],
                   s[1] * s[2],
                   c[1]};
  memcpy(R, zyz, sizeof zyz);
}

// Each of the 8 branches is the posture of that name. The lines stay clear of singular postures
// (sines above 0.1), so angles are as good as the pose over 0.1^2: some 1e-13.
TEST(puma_postures_on_straight_lines) {
  ap_puma_geometry g;
  double R[9], p[3], q[6], R2[9], p2[3], difference[6], zero[6] = {0};
  if (!builtin("puma600") || !CHECK_OK(ap_puma_geometry_of(robot.m, &g))) return;
  for (size_t k = 0; k < sizeof golden_points / sizeof *golden_points; k++) {
    const golden_point *x = &golden_points[k];
    test_context("line %d, branch %d, t = %g", x->line, x->branch, x->t);
    line_pose(&golden_lines[x->line], x->t, R, p);
    if (!CHECK_OK(ap_puma_inverse_kinematics(&g, R, p, x->branch, q))) continue;
    for (int i = 0; i < 6; i++) difference[i] = remainder(q[i] - x->q[i], 2 * pi);
    CHECK_WITHIN(difference, zero, 6, 1e-13);
    ap_kinematics(robot.m, robot.w, x->q, NULL, NULL);
    ap_frame_pose(robot.m, robot.w, 6, R2, p2);
    CHECK_WITHIN(R2, R, 9, 1e-14);
    CHECK_WITHIN(p2, p, 3, 1e-14);
  }
  robot_free(&robot);
}

// Every method of a quantity gives what is wanted; in are q, v and tau, as many as it reads.
static void check_every_method(ap_quantity what, const double *in, const double *want, int n,
                               double tolerance) {
  double out[13 * 13];
  size_t size = ap_study_size(robot.m, AP_F64);
  void *memory = malloc(size);
  ap_study *s = ap_study_init(robot.m, AP_F64, memory, size);
  for (int i = 0; CHECK(s) && ap_method_at(i); i++) {
    const ap_method *method = ap_method_at(i);
    if (method->what != what) continue;
    test_context("%s, %s by %s", robot.label, ap_quantity_name(what), method->name);
    ap_status status = ap_study_eval(s, method, in, out, NULL);
    if (CHECK_OK(status)) CHECK_NEAR(out, want, n, tolerance);
  }
  free(memory);
}

// Paper's order (angles, then nbase displacements of the base) to the library's and back.
static void base_first(const double *paper, int n, int nbase, double *ours) {
  for (int i = 0; i < n; i++) ours[(i + nbase) % n] = paper[i];
}

// M and tau - bias within 1e-13; the acceleration within the condition number of M times that.
TEST(planar_tree_of_shafei) {
  enum { N = 12 };
  double in[3 * N], *q = in, *v = q + N, *tau = v + N;
  double x[N], want[N], M[N * N], lower[N * N], paper[N * N];
  if (!builtin("shafei-tree") || !CHECK_EQ_INT(ap_nv(robot.m), N)) return;
  for (size_t k = 0; k < sizeof golden_tree / sizeof *golden_tree; k++) {
    const golden_tree_state *s = &golden_tree[k];
    test_context("shafei-tree, state %zu", k);
    base_first(s->q, N, 2, q);
    base_first(s->v, N, 2, v);
    base_first(s->tau, N, 2, tau);
    base_first(s->rhs, N, 2, want);
    ap_bias(robot.m, robot.w, q, v, x);
    for (int i = 0; i < N; i++) x[i] = tau[i] - x[i];
    CHECK_NEAR(x, want, N, 1e-13);
    for (int i = 0; i < N; i++) want[i] = tau[i] - want[i];
    check_every_method(AP_BIAS, in, want, N, 1e-12);
    unpack(s->M, N, lower);
    for (int i = 0; i < N * N; i++) paper[(i / N + 2) % N * N + (i % N + 2) % N] = lower[i];
    ap_inertia_matrix(robot.m, robot.w, q, M);
    CHECK_NEAR(M, paper, N * N, 1e-13);
    check_every_method(AP_INERTIA, in, paper, N * N, 1e-12);
    base_first(s->a, N, 2, want);
    CHECK_OK(ap_forward_dynamics(robot.m, robot.w, q, v, tau, x));
    CHECK_NEAR(x, want, N, 1e-11); // cond(M) is of the order of 100
    check_every_method(AP_FORWARD, in, want, N, 1e-10);
  }
  robot_free(&robot);
}

// The tree in space: three slides carry ten rods with axes in all directions.
static bool spatial_tree(void) {
  robot_clear(&robot, "spatial tree", 13);
  memcpy(robot.def.gravity, golden_space.gravity, sizeof robot.def.gravity);
  for (int k = 0; k < 13; k++) {
    ap_body_def *b = &robot.body[k];
    b->joint = k < 3 ? AP_PRISMATIC : AP_REVOLUTE;
    if (k < 3) {
      memset(b->axis, 0, sizeof b->axis);
      b->axis[k] = 1;
      continue;
    }
    const golden_rod *rod = &golden_rods[k - 3];
    int parent = golden_tree_parent[k - 3];
    b->parent = parent + 3;
    b->place.kind = AP_PLACE_MATRIX;
    b->place.xyz[0] = parent ? golden_rods[parent - 1].length : 0;
    memcpy(b->place.matrix, rod->C, sizeof b->place.matrix);
    double m = rod->mass_per_length * rod->length, I = m * rod->length * rod->length / 12;
    b->mass = m;
    b->com[0] = rod->length / 2;
    b->inertia[0] = rod->length * rod->J[0];
    b->inertia[3] = rod->length * rod->J[1] + I;
    b->inertia[5] = rod->length * rod->J[2] + I;
  }
  return robot_make(&robot);
}

TEST(spatial_tree_of_shafei) {
  enum { N = 13 };
  double in[2 * N] = {0}, *q = in, *v = q + N;
  double x[N], want[N], M[N * N], lower[N * N], paper[N * N];
  if (!spatial_tree()) return;
  base_first(golden_space.q, N, 3, q);
  memcpy(v + 3, golden_space.qd, sizeof golden_space.qd);
  base_first(golden_space.rhs, N, 3, want);
  ap_bias(robot.m, robot.w, q, v, x);
  for (int i = 0; i < N; i++) x[i] = (i < 3 ? 0 : golden_space.tau[i - 3]) - x[i];
  CHECK_NEAR(x, want, N, 1e-13);
  for (int i = 0; i < N; i++) want[i] = (i < 3 ? 0 : golden_space.tau[i - 3]) - want[i];
  check_every_method(AP_BIAS, in, want, N, 1e-12);
  unpack(golden_space.M, N, lower);
  for (int i = 0; i < N * N; i++) paper[(i / N + 3) % N * N + (i % N + 3) % N] = lower[i];
  ap_inertia_matrix(robot.m, robot.w, q, M);
  CHECK_NEAR(M, paper, N * N, 1e-13);
  check_every_method(AP_INERTIA, in, paper, N * N, 1e-12);
  robot_free(&robot);
}
