// SPDX-License-Identifier: Apache-2.0
// Closed chains and parallel robots: golden samples, laws of the reduced equations, assembly.

#include <appell/delta.h>
#include <appell/five_bar.h>
#include <appell/loop.h>
#include <appell/wrist.h>

#include "golden/parallel.h"
#include "loop/displaced.h"
#include "loop/work.h"
#include "models.h"
#include "mechanism_rig.h"
#include "test.h"

enum { N = 6, X = 40 };

// ---- golden samples ----------------------------------------------------------------------------

// The samples are printed with 16 digits and, but for the wrist, computed in double precision;
// 1e-10 of the largest entry is what is promised, and what comes out is better (below).
static void check_sample(const rig *r, const parallel_sample *s) {
  double M[36], C[36], Cv[6], G[6], J[36], tau[6], a[6], sum[6], bias[6];
  int n = s->n;
  ap_assembly found;
  CHECK_OK(ap_loop_place(r->m, r->l, s->q, &found));
  CHECK(found.closure_error < 1e-13 && found.coordinate_error < 1e-13);
  for (int i = 0; i < n; i++) {
    int entry = ap_joint_q(ap_mechanism_tree(r->m), ap_mechanism_actuated(r->m, i));
    CHECK_CLOSE(ap_loop_configuration(r->l)[entry], s->act[i], 1e-11);
  }
  CHECK_OK(ap_loop_inertia_matrix(r->m, r->l, s->q, M));
  CHECK_OK(ap_loop_coriolis_matrix(r->m, r->l, s->q, s->v, C));
  CHECK_OK(ap_loop_gravity_forces(r->m, r->l, s->q, G));
  CHECK_OK(ap_loop_actuator_map(r->m, r->l, s->q, J));
  CHECK_OK(ap_loop_inverse_dynamics(r->m, r->l, s->q, s->v, s->a, tau));
  CHECK_OK(ap_loop_forward_dynamics(r->m, r->l, s->q, s->v, tau, a));
  CHECK_OK(ap_loop_forces(r->m, r->l, s->q, s->v, (double[6]){0}, bias));
  apply(n, C, s->v, Cv);
  for (int i = 0; i < n; i++) sum[i] = Cv[i] + G[i];
  CHECK_NEAR(M, s->M, n * n, 1e-11);
  CHECK_NEAR(C, s->C, n * n, 1e-11);
  CHECK_WITHIN(Cv, s->Cv, n, 1e-11 * (test_norm(s->Cv, n) + test_norm(s->C, n * n)));
  CHECK_NEAR(G, s->G, n, 1e-11);
  CHECK_NEAR(J, s->J_act, n * n, 1e-11);
  CHECK_NEAR(tau, s->tau, n, 1e-11);
  CHECK_NEAR(sum, bias, n, 1e-12);
  // cond(M) is below 1e4 here.
  CHECK_WITHIN(a, s->a, n, 1e-10 * (1 + test_norm(s->a, n)));
}

static void check_samples(const char *name, const parallel_sample *s, int count) {
  rig r = builtin(name);
  for (int i = 0; r.m && i < count; i++) {
    test_context("%s %d", name, i);
    check_sample(&r, &s[i]);
  }
  drop(&r);
}

TEST(golden_five_bar) { check_samples("five-bar", golden_five_bar, COUNT(golden_five_bar)); }
TEST(golden_stewart) { check_samples("stewart", golden_stewart, COUNT(golden_stewart)); }
TEST(golden_wrist) { check_samples("agile-wrist", golden_wrist, COUNT(golden_wrist)); }

// ---- rows --------------------------------------------------------------------------------------

// Closures of every kind and coordinates on random robots: K against differences of F, dK/dt
// against differences of K, and dK/dt xd against the bias.
static int random_closures(rng *r, const ap_model *m, ap_closure_def *c, ap_coordinate_def *s,
                           int *ncoordinate) {
  int moving[ROBOT_BODIES + 1], single[ROBOT_BODIES + 1], nmoving = 0, nsingle = 0, count = 0;
  static const char *const names[] = {"point", "axis", "line", "frame", "distance", "gear"};
  static const char *const kinds[] = {"joint", "position", "yaw", "pitch", "roll"};
  for (int i = 1; i < ap_nbody(m); i++) {
    if (ap_body_mover(m, i) != 0) moving[nmoving++] = i;
    if (ap_joint_nq(m, i) == 1 && ap_body(m, i)->mimic <= 0) single[nsingle++] = i;
  }
  if (nmoving == 0) return 0;
  for (int kind = AP_CLOSE_POINT; kind <= AP_CLOSE_GEAR; kind++) {
    ap_closure_def d = ap_default_closure();
    bool gear = kind == AP_CLOSE_GEAR;
    if (gear && nsingle < 2) continue;
    d.name = names[kind];
    d.kind = (ap_closure_kind)kind;
    d.body[0] = gear ? single[0] : moving[rng_int(r, 0, nmoving - 1)];
    d.body[1] = gear ? single[1] : rng_int(r, 0, ap_nbody(m) - 1);
    if (!gear && ap_body_mover(m, d.body[1]) == ap_body_mover(m, d.body[0])) d.body[1] = 0;
    for (int i = 0; i < 2; i++) {
      random_vector(r, 0.5, d.at[i]), random_vector(r, 2, d.rpy[i]);
      random_direction(r, 3, d.axis[i]);
    }
    d.distance = rng_uniform(r, 0.2, 2), d.ratio = rng_uniform(r, -3, 3), d.offset = 0.3;
    c[count++] = d;
  }
  *ncoordinate = 0;
  for (int kind = AP_COORDINATE_JOINT; kind <= AP_COORDINATE_ROLL; kind++) {
    if (kind == AP_COORDINATE_JOINT && nsingle == 0) continue;
    ap_coordinate_def d = {.name = kinds[kind], .kind = (ap_coordinate_kind)kind};
    d.body = kind == AP_COORDINATE_JOINT ? single[nsingle - 1] : moving[nmoving - 1];
    random_vector(r, 0.5, d.at), random_direction(r, 3, d.along);
    s[(*ncoordinate)++] = d;
  }
  return count;
}

enum { ROWS = 30 };
static double K[2][ROWS * ROBOT_V], dK[ROWS * ROBOT_V], F[3][ROWS], column[ROWS], expected[ROWS];

// Central differences with step h are good to h^2 times third derivatives, which grow with the
// robots' lengths and, for yaw and roll, with 1 / cos(pitch)^3; rounding adds 1e-16 / h.
static void check_rows(const rig *r, const double *x, const double *xd) {
  const double h = 1e-5;
  int nv = r->m->nv, rows = r->m->nrow + r->m->n;
  double step[ROBOT_V] = {0}, moved[ROBOT_Q];
  ap__rows(r->m, r->l, x, xd, AP_ROWS_RATES, F[2]);
  size_t bytes = sizeof(double) * (size_t)(rows * nv);
  memcpy(dK, r->l->Kd, bytes);
  memcpy(K[0], r->l->K, bytes);
  double size = 1 + test_norm(K[0], rows * nv);
  size *= size * size;
  for (int j = 0; j < nv; j++) {
    for (int side = 0; side < 2; side++) {
      step[j] = side ? -h : h;
      ap_integrate(r->m->tree, x, step, moved);
      ap__rows(r->m, r->l, moved, NULL, AP_ROWS_VALUES, F[side]);
    }
    step[j] = 0;
    for (int i = 0; i < rows; i++)
      expected[i] = (F[0][i] - F[1][i]) / (2 * h), column[i] = K[0][i * nv + j];
    CHECK_WITHIN(column, expected, rows, 1e-8 * size);
  }
  for (int i = 0; i < rows; i++) {
    expected[i] = 0;
    for (int j = 0; j < nv; j++) expected[i] += dK[i * nv + j] * xd[j];
  }
  CHECK_WITHIN(r->l->bias, expected, rows, 1e-12 * size);
  ap__rows(r->m, r->l, x, xd, AP_ROWS_BIAS, F[2]);
  CHECK_WITHIN(r->l->bias, expected, rows, 1e-12 * size);
  for (int side = 0; side < 2; side++) {
    for (int j = 0; j < nv; j++) step[j] = (side ? -h : h) * xd[j];
    ap_integrate(r->m->tree, x, step, moved);
    ap__rows(r->m, r->l, moved, NULL, AP_ROWS_JACOBIAN, F[2]);
    memcpy(K[side], r->l->K, bytes);
  }
  for (int i = 0; i < rows * nv; i++) K[0][i] = (K[0][i] - K[1][i]) / (2 * h);
  CHECK_WITHIN(dK, K[0], rows * nv, 1e-7 * size);
}

// How K xdd + K' xd changes as the motion is displaced along y and its rates change by dxd, against
// differences; the series compute it with another text than rows.c.
static void check_displaced(const rig *r, rng *random, const double *x, const double *xd) {
  const double h = 1e-5;
  const int nv = r->m->nv, rows = r->m->nrow + r->m->n;
  double xdd[ROBOT_V], y[ROBOT_V], dxd[ROBOT_V], step[ROBOT_V], rates[ROBOT_V], moved[ROBOT_Q];
  void *memory = malloc(ap__displaced_size(r->m));
  ap_displaced *d = ap__displaced_init(r->m, memory);
  const ap_displacement by = {x, xd, xdd, y, dxd};
  double size = 1;
  for (int j = 0; j < nv; j++) {
    xdd[j] = rng_uniform(random, -1, 1), y[j] = rng_uniform(random, -1, 1);
    dxd[j] = rng_uniform(random, -1, 1);
  }
  for (int side = 0; side < 2; side++) {
    for (int j = 0; j < nv; j++) {
      step[j] = (side ? -h : h) * y[j];
      rates[j] = xd[j] + (side ? -h : h) * dxd[j];
    }
    ap_integrate(r->m->tree, x, step, moved);
    ap__rows(r->m, r->l, moved, rates, AP_ROWS_RATES, F[2]);
    for (int i = 0; i < rows; i++) {
      F[side][i] = r->l->bias[i];
      for (int j = 0; j < nv; j++) F[side][i] += r->l->K[i * nv + j] * xdd[j];
    }
    size = fmax(size, test_norm(r->l->K, rows * nv));
  }
  for (int i = 0; i < rows; i++) expected[i] = (F[0][i] - F[1][i]) / (2 * h);
  ap__displaced_rows(r->m, d, &by, column);
  CHECK_WITHIN(column, expected, rows, 1e-7 * size * size * size * size * size);
  free(memory);
}

TEST(rows_and_their_rates) {
  rng random = rng_seed(51);
  int tried = 0;
  FOR_EACH_MODEL (t) {
    ap_closure_def c[6];
    ap_coordinate_def s[5];
    ap_mechanism_def def = {.robot = &t->def, .closures = c, .coordinates = s};
    def.nclosure = random_closures(&random, t->m, c, s, &def.ncoordinate);
    // Too few rows for this many rates: refused, and not what is tested here.
    if (def.nclosure == 0 || def.ncoordinate == 0 || ap_nv(t->m) > 18) continue;
    test_context("%s", t->label);
    rig r = rig_of(&def);
    motion state;
    for (int k = 0; r.m && k < 3; k++) {
      random_motion(&random, t->m, &state);
      check_rows(&r, state.q, state.v);
      check_displaced(&r, &random, state.q, state.v);
    }
    tried++;
    drop(&r);
  }
  CHECK(tried > 20);
}

// ---- laws --------------------------------------------------------------------------------------

// M' - 2 C is skew, by differences; power of the forces is the rate of the energy; the forward
// dynamics invert the inverse; M is symmetric and positive.
static void check_laws(rng *random, const rig *r) {
  const double h = 1e-4;
  int n = r->m->n;
  double q[N], v[N], a[N], moved[N], M[3][N * N], C[N * N], E[4][2], tau[N], back[N], rates[N];
  double J[N * N];
  random_pose(random, r, q);
  for (int i = 0; i < n; i++) v[i] = rng_uniform(random, -1, 1), a[i] = rng_uniform(random, -3, 3);
  CHECK_OK(ap_loop_coriolis_matrix(r->m, r->l, q, v, C));
  CHECK_OK(ap_loop_inertia_matrix(r->m, r->l, q, M[2]));
  CHECK_OK(ap_loop_inverse_dynamics(r->m, r->l, q, v, a, tau));
  CHECK_OK(ap_loop_actuator_map(r->m, r->l, q, J));
  CHECK_OK(ap_loop_forward_dynamics(r->m, r->l, q, v, tau, back));
  CHECK_WITHIN(back, a, n, 1e-9);
  for (int k = 0; k < 4; k++) { // at -2h, -h, h, 2h: fourth order
    double t = h * (double[]){-2, -1, 1, 2}[k], vk[N], Mk[N * N];
    const double weight = (double[]){1, -8, 8, -1}[k] / (12 * h);
    for (int i = 0; i < n; i++) {
      moved[i] = q[i] + t * v[i] + 0.5 * t * t * a[i];
      vk[i] = v[i] + t * a[i];
    }
    CHECK_OK(ap_loop_energy(r->m, r->l, moved, vk, &E[k][0], &E[k][1]));
    for (int i = 0; i < n; i++) moved[i] = q[i] + t * v[i];
    CHECK_OK(ap_loop_inertia_matrix(r->m, r->l, moved, Mk));
    for (int i = 0; i < n * n; i++) M[0][i] = (k ? M[0][i] : 0) + weight * Mk[i];
  }
  double power = 0, rate = 0, scale = test_norm(C, n * n) + 1e-3;
  for (int k = 0; k < 4; k++) rate += (double[]){1, -8, 8, -1}[k] / (12 * h) * (E[k][0] + E[k][1]);
  apply(n, J, v, rates);
  for (int i = 0; i < n; i++) power += tau[i] * rates[i];
  // Differences of energies of some 10 J over 1e-4 s keep 1e-10; truncation is h^4.
  CHECK_CLOSE(rate, power, 1e-8 * (1 + fabs(power)));
  for (int i = 0; i < n; i++) {
    CHECK(M[2][i * n + i] > 0);
    for (int j = 0; j < n; j++) {
      double ij = M[0][i * n + j] - 2 * C[i * n + j], ji = M[0][j * n + i] - 2 * C[j * n + i];
      CHECK(fabs(ij + ji) < 1e-8 * (1 + scale));
      CHECK(M[2][i * n + j] == M[2][j * n + i]);
    }
  }
}

TEST(laws_of_the_reduced_equations) {
  rng random = rng_seed(52);
  for (int i = 0; ap_mechanism_builtin_name(i); i++) {
    rig r = builtin(ap_mechanism_builtin_name(i));
    for (int k = 0; r.m && k < 25; k++) check_laws(&random, &r);
    drop(&r);
  }
}

TEST(rates_of_the_tree) {
  const double h = 1e-4;
  for (int i = 0; ap_mechanism_builtin_name(i); i++) {
    rig r = builtin(ap_mechanism_builtin_name(i));
    if (!r.m) continue;
    rng random = rng_seed(53);
    const ap_model *tree = ap_mechanism_tree(r.m);
    int n = r.m->n, nv = ap_nv(tree);
    double q[N], v[N], a[N], P[X * N], xd[X], xdd[X], x[2][X], d[X], ahead[2][X], moved[N];
    random_pose(&random, &r, q);
    for (int k = 0; k < n; k++) v[k] = 0.3 + 0.1 * k, a[k] = 1 - 0.3 * k;
    CHECK_OK(ap_loop_map(r.m, r.l, q, P));
    CHECK_OK(ap_loop_velocity(r.m, r.l, q, v, xd));
    CHECK_OK(ap_loop_acceleration(r.m, r.l, q, v, a, xdd));
    for (int side = 0; side < 2; side++) {
      double t = side ? h : -h, vk[N];
      for (int k = 0; k < n; k++) moved[k] = q[k] + t * v[k] + t * t / 2 * a[k];
      for (int k = 0; k < n; k++) vk[k] = v[k] + t * a[k];
      CHECK_OK(ap_loop_velocity(r.m, r.l, moved, vk, ahead[side]));
      memcpy(x[side], ap_loop_configuration(r.l), sizeof(double) * (size_t)ap_nq(tree));
    }
    ap_difference(tree, x[0], x[1], d);
    for (int k = 0; k < nv; k++) d[k] /= 2 * h;
    CHECK_WITHIN(d, xd, nv, 1e-6 * (1 + test_norm(xd, nv)));
    for (int k = 0; k < nv; k++) d[k] = (ahead[1][k] - ahead[0][k]) / (2 * h);
    CHECK_WITHIN(d, xdd, nv, 1e-6 * (1 + test_norm(xdd, nv)));
    CHECK_OK(ap_loop_velocity(r.m, r.l, q, v, xd));
    memcpy(x[0], ap_loop_configuration(r.l), sizeof(double) * (size_t)ap_nq(tree));
    ap_loop_rates(r.m, r.l, x[0], xd, d); // there and back
    CHECK_WITHIN(d, v, n, 1e-9 * (1 + test_norm(xd, nv)));
    drop(&r);
  }
}

// ---- assembly ----------------------------------------------------------------------------------

TEST(redundant_closures) {
  static const struct {
    const char *name;
    int rows, rank;
  } want[] = {{"agile-wrist", 18, 9}, {"five-bar", 3, 2}, {"stewart", 18, 18}, {"delta", 18, 12}};
  for (int i = 0; i < COUNT(want); i++) {
    rig r = builtin(want[i].name);
    double q[N];
    ap_assembly found;
    ap_singularity near;
    rng random = rng_seed(54);
    if (!r.m) continue;
    random_pose(&random, &r, q);
    CHECK_EQ_INT(ap_mechanism_nrow(r.m), want[i].rows);
    CHECK_OK(ap_loop_place(r.m, r.l, q, &found));
    CHECK_EQ_INT(found.rank, want[i].rank);
    CHECK_OK(ap_loop_singularity(r.m, r.l, q, &near));
    CHECK_EQ_INT(near.rank, want[i].rank);
    CHECK(near.serial > 0.01 && near.parallel > 0.001 && near.act_least > 0.01);
    drop(&r);
  }
}

// The closed form of the wrist's inverse kinematics: Abedloo et al. 2014, (32) to (34), as
// corrected: a limb's proximal angle on the branch of the given sign.
static double wrist_angle(int limb, double sign, const double q[3]) {
  const double gamma = acos(1 / sqrt(3)), beta = acos(sqrt(2.0 / 3)), a1 = 80 * acos(-1) / 180;
  const double a2 = 70 * acos(-1) / 180, lambda = limb * 2 * acos(-1) / 3;
  double cy = cos(q[0]), sy = sin(q[0]), cp = cos(q[1]), sp = sin(q[1]), cr = cos(q[2]),
         sr = sin(q[2]);
  double s[3] = {-sin(lambda) * sin(beta), cos(lambda) * sin(beta), cos(beta)}, v[3], u[3];
  v[0] = cy * cp * s[0] + (cy * sp * sr - sy * cr) * s[1] + (cy * sp * cr + sy * sr) * s[2];
  v[1] = sy * cp * s[0] + (sy * sp * sr + cy * cr) * s[1] + (sy * sp * cr - cy * sr) * s[2];
  v[2] = -sp * s[0] + cp * sr * s[1] + cp * cr * s[2];
  double x = cos(lambda) * v[0] + sin(lambda) * v[1], y = cos(lambda) * v[1] - sin(lambda) * v[0];
  double c = cos(gamma - acos(-1)), d = sin(gamma - acos(-1));
  u[0] = x, u[1] = c * y + d * v[2], u[2] = c * v[2] - d * y;
  double A = -sin(a1) * u[1], B = sin(a1) * u[0], D = cos(a2) - cos(a1) * u[2];
  return atan2(B, A) + sign * atan2(sqrt(A * A + B * B - D * D), D);
}

// Every branch, each pose of the trajectory reached in one call from the level platform.
TEST(branches_of_the_wrist) {
  rig r = builtin("agile-wrist");
  for (int b = 0; r.m && b < 8; b++)
    for (int k = 0; k < COUNT(golden_wrist); k++) {
      char branch[4] = {b & 4 ? '-' : '+', b & 2 ? '-' : '+', b & 1 ? '-' : '+', 0};
      double x[13];
      test_context("branch %s, pose %d", branch, k);
      CHECK_OK(ap_mechanism_builtin_branch("agile-wrist", branch, x));
      CHECK_OK(ap_loop_set_guess(r.m, r.l, x));
      CHECK_OK(ap_loop_place(r.m, r.l, golden_wrist[k].q, NULL));
      for (int i = 0; i < 3; i++) {
        double theta = wrist_angle(i, branch[i] == '+' ? 1 : -1, golden_wrist[k].q);
        double off = remainder(ap_loop_configuration(r.l)[2 * i] - theta, 2 * acos(-1));
        CHECK_CLOSE(off, 0, 1e-12);
      }
    }
  drop(&r);
}

// The same for any pose with angles up to 0.9 rad, far beyond the trajectory: what the closed form
// reaches is reached on the branch asked for, what it cannot reach is not.
TEST(wrist_far_away) {
  rig r = builtin("agile-wrist");
  rng random = rng_seed(58);
  int reached = 0, tried = 800;
  for (int k = 0; r.m && k < tried; k++) {
    int b = rng_int(&random, 0, 7);
    char branch[4] = {b & 4 ? '-' : '+', b & 2 ? '-' : '+', b & 1 ? '-' : '+', 0};
    double x[13], q[3], theta[3];
    for (int i = 0; i < 3; i++) q[i] = rng_uniform(&random, -0.9, 0.9);
    for (int i = 0; i < 3; i++) theta[i] = wrist_angle(i, branch[i] == '+' ? 1 : -1, q);
    bool can = isfinite(theta[0] + theta[1] + theta[2]);
    test_context("branch %s, pose %g %g %g", branch, q[0], q[1], q[2]);
    CHECK_OK(ap_mechanism_builtin_branch("agile-wrist", branch, x));
    CHECK_OK(ap_loop_set_guess(r.m, r.l, x));
    CHECK_STATUS(ap_loop_place(r.m, r.l, q, NULL), can ? AP_OK : AP_E_UNREACHABLE);
    reached += can;
    for (int i = 0; can && i < 3; i++) {
      double off = remainder(ap_loop_configuration(r.l)[2 * i] - theta[i], 2 * acos(-1));
      CHECK_CLOSE(off, 0, 1e-10); // near the edge of the reach digits are lost
    }
  }
  CHECK(reached > tried / 2 && reached < tried);
  drop(&r);
}

// The closed form shares no line with the general recipe: every branch, random states.
TEST(general_recipe_against_closed_form) {
  rig r = builtin("agile-wrist");
  rng random = rng_seed(59);
  size_t size = ap_parallel_size();
  void *memory = malloc(size);
  for (int k = 0; r.m && k < 400; k++) {
    char branch[4] = {k & 4 ? '-' : '+', k & 2 ? '-' : '+', k & 1 ? '-' : '+', 0};
    ap_wrist_def def = ap_agile_wrist();
    for (int i = 0; i < 3; i++) def.limb[i].branch = branch[i] == '+' ? 1 : -1;
    ap_parallel *w = ap_wrist_init(&def, memory, size, NULL);
    double x[13], q[3], v[3], a[3], M[9], C[9], G[3], J[9], tau[3], M2[9], C2[9], G2[3], J2[9],
        tau2[3];
    for (int i = 0; i < 3; i++) {
      q[i] = rng_uniform(&random, -0.4, 0.4), v[i] = rng_uniform(&random, -2, 2);
      a[i] = rng_uniform(&random, -5, 5);
    }
    test_context("branch %s, pose %g %g %g", branch, q[0], q[1], q[2]);
    CHECK_OK(ap_parallel_matrices(w, q, v, M2, C2, G2, J2));
    CHECK_OK(ap_mechanism_builtin_branch("agile-wrist", branch, x));
    CHECK_OK(ap_loop_set_guess(r.m, r.l, x));
    CHECK_OK(ap_loop_inertia_matrix(r.m, r.l, q, M));
    CHECK_OK(ap_loop_coriolis_matrix(r.m, r.l, q, v, C));
    CHECK_OK(ap_loop_gravity_forces(r.m, r.l, q, G));
    CHECK_OK(ap_loop_actuator_map(r.m, r.l, q, J));
    CHECK_NEAR(M, M2, 9, 1e-11);
    CHECK_NEAR(C, C2, 9, 1e-10); // one more division by h, which comes down to 0.3
    CHECK_NEAR(G, G2, 3, 1e-11);
    CHECK_NEAR(J, J2, 9, 1e-11);
    // Near a parallel singularity both lose as many digits as J_act^-1 amplifies.
    ap_singularity near;
    CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, q, v, a, tau));
    CHECK_OK(ap_parallel_inverse_dynamics(w, q, v, a, tau2));
    CHECK_OK(ap_loop_singularity(r.m, r.l, q, &near));
    CHECK_NEAR(tau, tau2, 3, 1e-12 * near.act_largest / near.act_least + 1e-11);
  }
  free(memory);
  drop(&r);
}

// How often what was met.
typedef struct answers {
  int ok, unreachable, far; // far from singularities
} answers;

// Both recipes say the same of a pose: that it is out of reach, where it is singular, and what the
// torques are, on every branch, up to the edge of the reach.
static void same_answers(const rig *r, const ap_parallel *w, const double *q, const double *v,
                         const double *a, answers *met) {
  double tau[3] = {0}, tau2[3] = {0}, back[3], back2[3];
  ap_parallel_margin margin;
  ap_status closed = ap_parallel_inverse_dynamics(w, q, v, a, tau2);
  ap_parallel_margins(w, q, &margin);
  CHECK_STATUS(ap_loop_inverse_dynamics(r->m, r->l, q, v, a, tau), closed);
  met->ok += closed == AP_OK, met->unreachable += closed == AP_E_UNREACHABLE;
  if (closed != AP_OK) return;
  ap_singularity near;
  CHECK_OK(ap_loop_singularity(r->m, r->l, q, &near));
  // Rounding of x, 3e-14, is divided by h, of the torques once more by the condition of J_act.
  double h = fmin(fabs(margin.serial[0]), fmin(fabs(margin.serial[1]), fabs(margin.serial[2])));
  double loss = 1e-12 / (h * h) * (1 + near.act_largest / near.act_least);
  CHECK_NEAR(tau, tau2, 3, 1e-11 + loss);
  if (h > 0.2 && near.act_least > 0.1 * near.act_largest) {
    met->far++; // the bound of the golden samples
    CHECK_NEAR(tau, tau2, 3, 1e-10);
  }
  CHECK_OK(ap_loop_forward_dynamics(r->m, r->l, q, v, tau2, back));
  CHECK_OK(ap_parallel_forward_dynamics(w, q, v, tau2, back2));
  CHECK_NEAR(back, back2, 3, 1e-10 + loss * 10);
}

TEST(both_recipes_on_every_branch) {
  rig r = builtin("agile-wrist");
  rng random = rng_seed(60);
  size_t size = ap_parallel_size();
  void *memory = malloc(size);
  answers met = {0};
  for (int k = 0; r.m && k < 1600; k++) {
    char branch[4] = {k & 4 ? '-' : '+', k & 2 ? '-' : '+', k & 1 ? '-' : '+', 0};
    ap_wrist_def def = ap_agile_wrist();
    for (int i = 0; i < 3; i++) def.limb[i].branch = branch[i] == '+' ? 1 : -1;
    ap_parallel *w = ap_wrist_init(&def, memory, size, NULL);
    double q[3], v[3], a[3];
    for (int i = 0; i < 3; i++) {
      q[i] = rng_uniform(&random, -0.9, 0.9), v[i] = rng_uniform(&random, -2, 2);
      a[i] = rng_uniform(&random, -5, 5);
    }
    test_context("branch %s, pose %.17g %.17g %.17g", branch, q[0], q[1], q[2]);
    CHECK_OK(ap_loop_set_guess(r.m, r.l, ap_mechanism_find_branch(r.m, branch)));
    same_answers(&r, w, q, v, a, &met);
  }
  CHECK(met.ok > 800 && met.unreachable > 5 && met.far > 800);
  free(memory);
  drop(&r);
}

// At the edge of the reach, found by bisection in the closed form, both call it serial or say that
// it is out of reach; nothing that is no number comes out.
TEST(both_recipes_at_the_edge) {
  rig r = builtin("agile-wrist");
  rng random = rng_seed(61);
  size_t size = ap_parallel_size();
  void *memory = malloc(size);
  int serial = 0;
  const ap_wrist_def def = ap_agile_wrist();
  ap_parallel *w = ap_wrist_init(&def, memory, size, NULL);
  for (int k = 0; r.m && k < 200; k++) {
    double way[3], q[3], tau[3] = {7, 7, 7}, low = 0, high = 4;
    for (int i = 0; i < 3; i++) way[i] = rng_uniform(&random, -0.9, 0.9);
    for (int i = 0; i < 3; i++) q[i] = high * way[i];
    if (ap_parallel_margins(w, q, &(ap_parallel_margin){0}) != AP_E_UNREACHABLE) continue;
    for (int step = 0; step < 60; step++) {
      double middle = (low + high) / 2;
      for (int i = 0; i < 3; i++) q[i] = middle * way[i];
      *(ap_parallel_margins(w, q, &(ap_parallel_margin){0}) == AP_E_UNREACHABLE ? &high : &low) =
          middle;
    }
    for (int i = 0; i < 3; i++) q[i] = low * way[i];
    if (fabs(q[1]) > 1.4) continue; // beyond, the Euler angles turn over
    test_context("edge %.17g %.17g %.17g", q[0], q[1], q[2]);
    ap_status closed = ap_parallel_inverse_dynamics(w, q, NULL, NULL, tau);
    CHECK_STATUS(closed, AP_E_SINGULAR_SERIAL);
    for (double by = 1; by > 1e-3 && low > 0; by *= 0.5) { // along the path, to stay on the branch
      double on[3] = {q[0] * (1 - by), q[1] * (1 - by), q[2] * (1 - by)};
      if (by == 1) CHECK_OK(ap_loop_set_guess(r.m, r.l, ap_mechanism_guess(r.m)));
      ap_loop_place(r.m, r.l, on, NULL);
    }
    ap_status general = ap_loop_inverse_dynamics(r.m, r.l, q, (double[3]){0}, (double[3]){0}, tau);
    CHECK(general == AP_E_SINGULAR_SERIAL || general == AP_E_UNREACHABLE);
    serial += general == AP_E_SINGULAR_SERIAL;
    CHECK(tau[0] == 7 && tau[1] == 7 && tau[2] == 7);
  }
  CHECK(serial > 10);
  free(memory);
  drop(&r);
}

// ---- the branch that is named, at any pose ------------------------------------------------------

// Poses from all over the workspace, one after the other on random branches: where the mechanism
// begins at a branch, forces and the angles of the motors are those of the closed form.
static void five_bar_on_its_branch(rng *random, const rig *r, const char *branch, int *reached) {
  unsigned char room[8192];
  double q[2] = {rng_uniform(random, -0.7, 0.7), rng_uniform(random, -0.6, 0.6)}, tau[2], want[2];
  ap_five_bar_def def = ap_default_five_bar();
  ap_parallel_margin margin;
  double joints[4];
  for (int i = 0; i < 2; i++) def.limb[i].branch = branch[i] == '+' ? 1 : -1;
  const ap_parallel *f = ap_five_bar_init(&def, room, sizeof room, NULL);
  if (!CHECK(f)) return;
  test_context("branch %s, pose %.17g %.17g", branch, q[0], q[1]);
  ap_status status = ap_parallel_inverse_dynamics(f, q, NULL, NULL, want);
  ap_parallel_margins(f, q, &margin);
  CHECK_OK(ap_loop_begin(r->m, r->l, branch, q));
  if (status != AP_OK || fabs(margin.parallel) < 1e-3 || fabs(margin.serial[0]) < 1e-3 ||
      fabs(margin.serial[1]) < 1e-3)
    return;
  CHECK_OK(ap_loop_inverse_dynamics(r->m, r->l, q, (double[2]){0}, (double[2]){0}, tau));
  CHECK_NEAR(tau, want, 2, 1e-8);
  CHECK_OK(ap_parallel_inverse_kinematics(f, q, NULL, NULL, joints, NULL, NULL));
  for (int i = 0; i < 2; i++) {
    double off = remainder(ap_loop_configuration(r->l)[2 * i] - joints[i], 2 * acos(-1));
    CHECK_CLOSE(off, 0, 1e-10);
  }
  ++*reached;
}

static void delta_on_its_branch(rng *random, const rig *r, const char *branch, int *reached) {
  unsigned char room[8192];
  double q[3] = {rng_uniform(random, -1, 1), rng_uniform(random, -1, 1),
                 rng_uniform(random, -1.6, 1)};
  double tau[3], want[3];
  ap_delta_def def = ap_default_delta();
  ap_parallel_margin margin;
  for (int i = 0; i < 3; i++) def.limb[i].branch = branch[i] == '+' ? 1 : -1;
  const ap_parallel *d = ap_delta_init(&def, room, sizeof room, NULL);
  if (!CHECK(d)) return;
  test_context("branch %s, pose %.17g %.17g %.17g", branch, q[0], q[1], q[2]);
  ap_status status = ap_parallel_inverse_dynamics(d, q, NULL, NULL, want);
  ap_parallel_margins(d, q, &margin);
  CHECK_OK(ap_loop_begin(r->m, r->l, branch, q));
  if (status != AP_OK || fabs(margin.parallel) < 1e-3 || fabs(margin.level) < 1e-2 ||
      fmin(fabs(margin.serial[0]), fmin(fabs(margin.serial[1]), fabs(margin.serial[2]))) < 1e-3)
    return;
  CHECK_OK(ap_loop_inverse_dynamics(r->m, r->l, q, (double[3]){0}, (double[3]){0}, tau));
  CHECK_NEAR(tau, want, 3, 1e-8);
  ++*reached;
}

static void wrist_on_its_branch(rng *random, const rig *r, const char *branch, int *reached) {
  unsigned char room[8192];
  double q[3] = {rng_uniform(random, -3.1, 3.1), rng_uniform(random, -1.5, 1.5),
                 rng_uniform(random, -3.1, 3.1)};
  double tau[3], want[3];
  ap_wrist_def def = ap_agile_wrist();
  ap_parallel_margin margin;
  for (int i = 0; i < 3; i++) def.limb[i].branch = branch[i] == '+' ? 1 : -1;
  const ap_parallel *w = ap_wrist_init(&def, room, sizeof room, NULL);
  if (!CHECK(w)) return;
  test_context("branch %s, pose %.17g %.17g %.17g", branch, q[0], q[1], q[2]);
  ap_status status = ap_parallel_inverse_dynamics(w, q, NULL, NULL, want);
  ap_parallel_margins(w, q, &margin);
  CHECK_OK(ap_loop_begin(r->m, r->l, branch, q));
  if (status != AP_OK || fabs(margin.parallel) < 1e-3 ||
      fmin(fabs(margin.serial[0]), fmin(fabs(margin.serial[1]), fabs(margin.serial[2]))) < 1e-3)
    return;
  CHECK_OK(ap_loop_inverse_dynamics(r->m, r->l, q, (double[3]){0}, (double[3]){0}, tau));
  CHECK_NEAR(tau, want, 3, 1e-8);
  ++*reached;
}

TEST(begins_on_the_branch_that_is_named) {
  static const struct {
    const char *name;
    void (*check)(rng *, const rig *, const char *, int *);
  } kinds[] = {{"five-bar", five_bar_on_its_branch},
               {"delta", delta_on_its_branch},
               {"agile-wrist", wrist_on_its_branch}};
  rng random = rng_seed(77);
  for (int k = 0; k < COUNT(kinds); k++) {
    rig r = builtin(kinds[k].name);
    int reached = 0;
    for (int i = 0; r.m && i < 2000; i++) {
      int b = rng_int(&random, 0, ap_mechanism_nbranch(r.m) - 1);
      kinds[k].check(&random, &r, ap_mechanism_branch(r.m, b)->name, &reached);
    }
    CHECK(reached > 200);
    drop(&r);
  }
}

TEST(beginnings_by_name) {
  rig r = builtin("five-bar"), s = builtin("stewart");
  double x[X] = {7}, far[2] = {0.157696, -0.285556};
  if (r.m && s.m) {
    CHECK(ap_mechanism_find_branch(r.m, NULL) == ap_mechanism_guess(r.m));
    CHECK_STATUS(ap_loop_begin(r.m, r.l, "+", far), AP_E_NOT_FOUND);
    CHECK_STATUS(ap_loop_begin(r.m, r.l, "++", (double[2]){NAN, 0}), AP_E_ARG);
    CHECK_OK(ap_loop_begin(r.m, r.l, "++", (double[2]){9, 9})); // then it is the guess
    CHECK(!memcmp(ap_loop_configuration(r.l), ap_mechanism_find_branch(r.m, "++"),
                  4 * sizeof(double)));
    CHECK_OK(ap_loop_begin(s.m, s.l, NULL, (double[6]){0}));
  }
  CHECK_STATUS(ap_mechanism_builtin_configuration("no", NULL, far, x), AP_E_NOT_FOUND);
  CHECK_STATUS(ap_mechanism_builtin_configuration("five-bar", "+", far, x), AP_E_ARG);
  CHECK_STATUS(ap_mechanism_builtin_configuration("five-bar", "++", (double[2]){9, 9}, x),
               AP_E_UNREACHABLE);
  CHECK_STATUS(ap_mechanism_builtin_configuration("stewart", NULL, (double[6]){0}, x),
               AP_E_UNSUPPORTED);
  CHECK(x[0] == 7);
  CHECK_OK(ap_mechanism_builtin_configuration("five-bar", NULL, far, x));
  drop(&r);
  drop(&s);
}

TEST(branches_by_name) {
  double x[X];
  CHECK_STATUS(ap_mechanism_builtin_branch("no such", NULL, x), AP_E_NOT_FOUND);
  CHECK_STATUS(ap_mechanism_builtin_branch("agile-wrist", "++", x), AP_E_ARG);
  CHECK_STATUS(ap_mechanism_builtin_branch("agile-wrist", "++++", x), AP_E_ARG);
  CHECK_STATUS(ap_mechanism_builtin_branch("agile-wrist", "+0+", x), AP_E_ARG);
  CHECK_STATUS(ap_mechanism_builtin_branch("stewart", "+", x), AP_E_ARG);
  CHECK_OK(ap_mechanism_builtin_branch("stewart", NULL, x));
  CHECK(ap_mechanism_builtin("no such") == NULL && ap_mechanism_builtin(NULL) == NULL);
  CHECK(ap_mechanism_builtin_name(-1) == NULL && ap_mechanism_builtin_about(99) == NULL);
  // Five-bar: a sign is that of the elbow's side, so the angle of the rod has the other sign.
  rig r = builtin("five-bar");
  for (int b = 0; r.m && b < 4; b++) {
    char branch[3] = {b & 2 ? '-' : '+', b & 1 ? '-' : '+', 0};
    CHECK_OK(ap_mechanism_builtin_branch("five-bar", branch, x));
    CHECK_OK(ap_loop_set_guess(r.m, r.l, x));
    CHECK_OK(ap_loop_place(r.m, r.l, (double[]){0.03, 0.4}, NULL));
    const double *found = ap_loop_configuration(r.l);
    for (int i = 0; i < 2; i++) CHECK(found[2 * i + 1] * (branch[i] == '+' ? 1 : -1) < -0.5);
  }
  drop(&r);
}

// The same pose from guesses that are off by up to 0.1 rad or m in every entry.
TEST(perturbed_guesses) {
  rng random = rng_seed(55);
  for (int i = 0; ap_mechanism_builtin_name(i); i++) {
    rig r = builtin(ap_mechanism_builtin_name(i));
    if (!r.m) continue;
    const ap_model *tree = ap_mechanism_tree(r.m);
    double q[N], want[X], x[X], off[X], d[X];
    for (int k = 0; k < 50; k++) {
      random_pose(&random, &r, q);
      CHECK_OK(ap_loop_set_guess(r.m, r.l, ap_mechanism_guess(r.m)));
      CHECK_OK(ap_loop_place(r.m, r.l, q, NULL));
      memcpy(want, ap_loop_configuration(r.l), sizeof(double) * (size_t)ap_nq(tree));
      for (int j = 0; j < ap_nv(tree); j++) off[j] = rng_uniform(&random, -0.1, 0.1);
      ap_integrate(tree, want, off, x);
      CHECK_OK(ap_loop_set_guess(r.m, r.l, x));
      CHECK_OK(ap_loop_place(r.m, r.l, q, NULL));
      ap_difference(tree, want, ap_loop_configuration(r.l), d);
      CHECK_WITHIN(d, (double[X]){0}, ap_nv(tree), 1e-12);
    }
    drop(&r);
  }
}

// Williams (2016) gives the arm angles of the Delta robot for two places, in degrees with one
// digit.
TEST(delta_of_williams) {
  rig r = builtin("delta");
  static const struct { double p[3], degrees[3]; } want[] = {{{0, 0, -0.9}, {-20.5, -20.5, -20.5}}};
  for (int i = 0; r.m && i < COUNT(want); i++) {
    CHECK_OK(ap_loop_place(r.m, r.l, want[i].p, NULL));
    for (int k = 0; k < 3; k++)
      CHECK_CLOSE(ap_loop_configuration(r.l)[3 * k] * 180 / acos(-1), want[i].degrees[k], 0.05);
  }
  drop(&r);
}
