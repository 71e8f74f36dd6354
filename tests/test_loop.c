// Closed chains and parallel robots: golden samples, laws of the reduced equations, assembly,
// singularities, small mechanisms whose answers are known by hand.

#define _GNU_SOURCE
#include <appell/loop.h>

#include "golden/parallel.h"
#include "heap.h"
#include "loop/work.h"
#include "models.h"
#include "test.h"

enum { N = 6, X = 40 };

// A mechanism and its work on the heap.
typedef struct rig {
  ap_mechanism *m;
  ap_loop *l;
  void *memory[2];
} rig;

static rig rig_of(const ap_mechanism_def *def) {
  rig r = {NULL, NULL, {NULL, NULL}};
  ap_error error = {.text = ""};
  size_t size = ap_mechanism_size(def);
  r.memory[0] = malloc(size + 1);
  r.m = ap_mechanism_init(def, r.memory[0], size, &error);
  if (!CHECK(r.m)) {
    printf("  refused: %s\n", error.text);
    return r;
  }
  size = ap_loop_size(r.m);
  r.memory[1] = malloc(size);
  r.l = ap_loop_init(r.m, r.memory[1], size);
  CHECK(r.l);
  return r;
}

static rig builtin(const char *name) {
  test_context("%s", name);
  return rig_of(ap_mechanism_builtin(name));
}

static void drop(rig *r) {
  for (int i = 0; i < 2; i++) free(r->memory[i]);
}

// y [n] = A^T x or A x
static void apply(int n, const double *A, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
  }
}

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

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

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
    }
    tried++;
    drop(&r);
  }
  CHECK(tried > 20);
}

// ---- laws --------------------------------------------------------------------------------------

// Coordinates well inside the range of each built-in mechanism.
static void random_pose(rng *r, const rig *b, double *q) {
  ap_loop_errors(b->m, b->l, ap_mechanism_guess(b->m), NULL, q);
  for (int i = 0; i < b->m->n; i++) q[i] += rng_uniform(r, -0.06, 0.06);
}

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
  CHECK_EQ_INT(ap_mechanism_builtin_limbs("agile-wrist"), 3);
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

// ---- small mechanisms --------------------------------------------------------------------------

static ap_body_def bar(const char *name, int parent, double x, double y) {
  ap_body_def b = ap_default_body();
  b.name = name, b.parent = parent, b.joint = AP_REVOLUTE;
  b.place.xyz[0] = x, b.place.xyz[1] = y;
  return b;
}

static ap_coordinate_def joint_of(int body) {
  return (ap_coordinate_def){.name = "angle", .kind = AP_COORDINATE_JOINT, .body = body};
}

// Slider and crank: the rod's end, where all the mass is, slides along x. With crank r and rod l
// the end is at r cos + sqrt(l^2 - r^2 sin^2), and M = m (dx / dangle)^2.
TEST(point_on_line_makes_a_slider) {
  const double r = 0.1, l = 0.3, m = 2;
  ap_body_def bodies[2] = {bar("crank", 0, 0, 0), bar("rod", 1, r, 0)};
  bodies[1].mass = m, bodies[1].com[0] = l;
  ap_robot_def robot = ap_default_robot();
  robot.bodies = bodies, robot.nbody = 2;
  ap_closure_def line = ap_default_closure();
  line.name = "slide", line.kind = AP_CLOSE_POINT_ON_LINE, line.body[0] = 2;
  line.at[0][0] = l, line.axis[1][0] = 3, line.axis[1][2] = 0;
  ap_coordinate_def angle = joint_of(1);
  int actuated = 1;
  double guess[2] = {0.5, -0.7};
  ap_mechanism_def def = {.robot = &robot, .closures = &line, .nclosure = 1};
  def.coordinates = &angle, def.ncoordinate = 1, def.actuated = &actuated, def.nactuated = 1;
  def.guess = guess;
  rig b = rig_of(&def);
  for (double q = -3; b.m && q < 3; q += 0.5) {
    double M, R[9], p[3], tip, root = sqrt(l * l - r * r * sin(q) * sin(q));
    double slope = -r * sin(q) - r * r * sin(q) * cos(q) / root;
    CHECK_OK(ap_loop_inertia_matrix(b.m, b.l, &q, &M));
    CHECK_CLOSE(M, m * slope * slope, 1e-14);
    ap_kinematics(ap_mechanism_tree(b.m), ap_loop_work(b.l), ap_loop_configuration(b.l), NULL,
                  NULL);
    ap_frame_pose(ap_mechanism_tree(b.m), ap_loop_work(b.l), 2, R, p);
    tip = p[0] + R[0] * l;
    CHECK_CLOSE(tip, r * cos(q) + root, 1e-13);
  }
  drop(&b);
}

// Four bars, the coupler a distance: rates of crank and rocker are as
// b sin(coupler - rocker) to a sin(coupler - crank).
TEST(distance_makes_a_coupler) {
  const double a = 0.2, b = 0.4, c = 0.5, d = 0.6;
  ap_body_def bodies[2] = {bar("crank", 0, 0, 0), bar("rocker", 0, d, 0)};
  bodies[0].mass = bodies[1].mass = 1;
  ap_robot_def robot = ap_default_robot();
  robot.bodies = bodies, robot.nbody = 2;
  ap_closure_def rod = ap_default_closure();
  rod.name = "coupler", rod.kind = AP_CLOSE_DISTANCE, rod.body[0] = 1, rod.body[1] = 2;
  rod.at[0][0] = a, rod.at[1][0] = b, rod.distance = c;
  ap_coordinate_def angle = joint_of(1);
  double guess[2] = {0.5, 1.5};
  ap_mechanism_def def = {.robot = &robot, .closures = &rod, .nclosure = 1};
  def.coordinates = &angle, def.ncoordinate = 1, def.guess = guess;
  rig r = rig_of(&def);
  for (double q = 0; r.m && q < 6.2; q += 0.4) { // a Grashof crank turns all round
    double P[2];
    CHECK_OK(ap_loop_map(r.m, r.l, &q, P));
    const double *x = ap_loop_configuration(r.l);
    double dx = d + b * cos(x[1]) - a * cos(x[0]), dy = b * sin(x[1]) - a * sin(x[0]);
    double coupler = atan2(dy, dx);
    CHECK_CLOSE(hypot(dx, dy), c, 1e-13);
    CHECK_CLOSE(P[1], a * sin(coupler - x[0]) / (b * sin(coupler - x[1])), 1e-12);
  }
  double tau, none = 0;
  CHECK_STATUS(ap_loop_inverse_dynamics(r.m, r.l, &none, &none, &none, &tau), AP_E_UNSUPPORTED);
  drop(&r);
}

// Two wheels in mesh: M = I_1 + ratio^2 I_2.
TEST(gear_couples_two_wheels) {
  ap_body_def bodies[2] = {bar("small", 0, 0, 0), bar("large", 0, 1, 0)};
  bodies[0].inertia[5] = 0.2, bodies[1].inertia[5] = 0.7;
  bodies[0].mass = bodies[1].mass = 1;
  ap_robot_def robot = ap_default_robot();
  robot.bodies = bodies, robot.nbody = 2;
  ap_closure_def gear = ap_default_closure();
  gear.name = "mesh", gear.kind = AP_CLOSE_GEAR, gear.body[0] = 1, gear.body[1] = 2;
  gear.ratio = -2.5, gear.offset = 0.4;
  ap_coordinate_def angle = joint_of(1);
  int both[2] = {1, 2};
  ap_mechanism_def def = {.robot = &robot, .closures = &gear, .nclosure = 1};
  def.coordinates = &angle, def.ncoordinate = 1, def.actuated = both, def.nactuated = 2;
  rig r = rig_of(&def);
  double q = 20, v = 1, a = 3, M, tau[2], again;
  CHECK_OK(ap_loop_inertia_matrix(r.m, r.l, &q, &M));
  CHECK_CLOSE(M, 0.2 + 2.5 * 2.5 * 0.7, 1e-14);
  CHECK_CLOSE(ap_loop_configuration(r.l)[1], -2.5 * q + 0.4, 1e-13);
  // Two motors for one coordinate: the least forces are in the ratio of the map's rows.
  CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, &q, &v, &a, tau));
  CHECK_CLOSE(tau[0] - 2.5 * tau[1], M * a, 1e-13);
  CHECK_CLOSE(tau[1], -2.5 * tau[0], 1e-13);
  CHECK_OK(ap_loop_forward_dynamics(r.m, r.l, &q, &v, tau, &again));
  CHECK_CLOSE(again, a, 1e-13);
  drop(&r);
}

// A free body welded to an arm is a payload.
TEST(weld_is_a_payload) {
  const ap_robot_def *arm = ap_builtin("puma600");
  ap_body_def bodies[7];
  memcpy(bodies, arm->bodies, 6 * sizeof *bodies);
  ap_body_def load = ap_default_body();
  load.name = "load", load.joint = AP_FREE, load.mass = 2.3;
  load.com[0] = 0.02, load.com[1] = -0.05, load.com[2] = 0.1;
  load.inertia[0] = 0.02, load.inertia[3] = 0.03, load.inertia[5] = 0.015, load.inertia[1] = 0.004;
  bodies[6] = load;
  ap_robot_def robot = *arm;
  robot.bodies = bodies, robot.nbody = 7;
  ap_closure_def weld = ap_default_closure();
  weld.name = "weld", weld.kind = AP_CLOSE_FRAME, weld.body[0] = 6, weld.body[1] = 7;
  ap_coordinate_def q_def[6];
  int actuated[6];
  static const char *const name[6] = {"1", "2", "3", "4", "5", "6"};
  for (int i = 0; i < 6; i++) {
    q_def[i] = (ap_coordinate_def){.name = name[i], .kind = AP_COORDINATE_JOINT, .body = i + 1};
    actuated[i] = i + 1;
  }
  ap_mechanism_def def = {.robot = &robot, .closures = &weld, .nclosure = 1};
  def.coordinates = q_def, def.ncoordinate = 6, def.actuated = actuated, def.nactuated = 6;
  rig r = rig_of(&def);
  size_t size = ap_model_size(arm);
  void *memory = malloc(size), *work;
  ap_model *m = ap_model_init(arm, memory, size, NULL);
  size = ap_work_size(m);
  work = malloc(size);
  ap_work *w = ap_work_init(m, work, size);
  CHECK_OK(ap_set_payload(m, w, 6, load.mass, load.com, load.inertia));
  rng random = rng_seed(56);
  for (int k = 0; k < 20; k++) {
    double q[6], v[6], a[6], tau[6], expect[6], M[36], C[36], M2[36], C2[36];
    ap_assembly found;
    for (int i = 0; i < 6; i++)
      q[i] = rng_uniform(&random, -2, 2), v[i] = rng_uniform(&random, -2, 2), a[i] = v[i] * 2;
    CHECK_OK(ap_loop_place(r.m, r.l, q, &found));
    CHECK_EQ_INT(found.rank, 6);
    CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, q, v, a, tau));
    ap_inverse_dynamics(m, w, q, v, a, expect);
    CHECK_NEAR(tau, expect, 6, 1e-12);
    CHECK_OK(ap_loop_inertia_matrix(r.m, r.l, q, M));
    ap_inertia_matrix(m, w, q, M2);
    CHECK_NEAR(M, M2, 36, 1e-12);
    CHECK_OK(ap_loop_coriolis_matrix(r.m, r.l, q, v, C));
    ap_coriolis_matrix(m, w, q, v, C2);
    CHECK_NEAR(C, C2, 36, 1e-12);
  }
  free(work), free(memory);
  drop(&r);
}

// ---- where it ends -----------------------------------------------------------------------------

TEST(unreachable_poses) {
  rig r = builtin("five-bar");
  double q[2] = {0, 0.42}, far[2] = {0, 0.9}, x[4], v[2] = {0, 0}, tau[2] = {7, 7};
  ap_assembly found;
  CHECK_OK(ap_loop_place(r.m, r.l, q, NULL));
  memcpy(x, ap_loop_configuration(r.l), sizeof x);
  CHECK_STATUS(ap_loop_place(r.m, r.l, far, &found), AP_E_UNREACHABLE);
  // Arms of 0.6 m from (-+0.1, 0) end 0.5916 m up. Of what lacks, the least squares leave to P's
  // own place and to the joint shares between nothing and all.
  CHECK(found.closure_error + found.coordinate_error > 0.1);
  CHECK(isfinite(found.closure_error) && isfinite(found.coordinate_error) && found.worst == 0);
  CHECK_BITS(ap_loop_configuration(r.l), x, 4);
  CHECK_STATUS(ap_loop_inverse_dynamics(r.m, r.l, far, v, v, tau), AP_E_UNREACHABLE);
  CHECK(tau[0] == 7 && tau[1] == 7);
  CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, q, v, v, tau));
  double bad[2] = {NAN, 0};
  CHECK_STATUS(ap_loop_place(r.m, r.l, bad, NULL), AP_E_ARG);
  CHECK_STATUS(ap_loop_inverse_dynamics(r.m, r.l, q, bad, v, tau), AP_E_ARG);
  drop(&r);
  // The Delta robot out of its reach; the wrist where proximal and platform axis of a limb are 5
  // degrees apart, and the arcs of 80 and 70 degrees leave no less than 10.
  static const struct {
    const char *name;
    double q[3];
  } out[] = {{"delta", {5, 5, 5}}, {"agile-wrist", {0, 0, -1.4835}}};
  for (int i = 0; i < COUNT(out); i++) {
    rig b = builtin(out[i].name);
    CHECK_STATUS(ap_loop_place(b.m, b.l, out[i].q, &found), AP_E_UNREACHABLE);
    CHECK(found.closure_error > 1e-4 && found.worst >= 0);
    drop(&b);
  }
}

// The left arm stretched: at reach 0.6 from (-0.1, 0).
TEST(serial_singularity) {
  rig r = builtin("five-bar");
  const double up = 75 * acos(-1) / 180;
  double last = 1, v[2] = {0.1, 0.1}, tau[2] = {7, 7};
  ap_singularity near;
  for (int k = 1; k <= 6; k++) { // nearer by a factor of ten each time
    double reach = 0.6 - pow(10, -k), q[2] = {-0.1 + reach * cos(up), reach * sin(up)};
    CHECK_OK(ap_loop_singularity(r.m, r.l, q, &near));
    CHECK(near.serial > 0 && near.serial < last && near.parallel > 0.05);
    last = near.serial;
  }
  CHECK(last < 1e-3); // as the square root of 1e-6
  double q[2] = {-0.1 + 0.6 * cos(up), 0.6 * sin(up)};
  ap_status status = ap_loop_inverse_dynamics(r.m, r.l, q, v, v, tau);
  CHECK_STATUS(status, AP_E_SINGULAR_SERIAL);
  CHECK(tau[0] == 7 && tau[1] == 7);
  CHECK_STATUS(ap_loop_singularity(r.m, r.l, q, &near), AP_E_SINGULAR_SERIAL);
  CHECK(near.serial < 1e-6 && near.parallel > 0.05 && near.act_least == 0);
  double back[2] = {0, 0.42};
  CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, back, v, v, tau));
  drop(&r);
}

// Both elbows in one place: the rods lie upon each other, and P swings about the elbows freely.
TEST(parallel_singularity) {
  rig r = builtin("five-bar");
  double height = sqrt(0.25 * 0.25 - 0.01), left = atan2(height, 0.1), right = atan2(height, -0.1);
  double swing = 0.3, last = 1, v[2] = {0.1, 0.1}, tau[2] = {7, 7}, M[4];
  double x[4] = {left, swing - left, right, swing - right};
  ap_singularity near;
  CHECK_OK(ap_loop_set_guess(r.m, r.l, x));
  for (int k = 1; k <= 5; k++) {
    double q[2] = {0.35 * cos(swing), height + 0.35 * sin(swing) - 0.1 * pow(10, -k)};
    CHECK_OK(ap_loop_singularity(r.m, r.l, q, &near));
    CHECK(near.parallel > 0 && near.parallel < last && near.serial > 0.01);
    last = near.parallel;
  }
  CHECK(last < 1e-4);
  double q[2] = {0.35 * cos(swing), height + 0.35 * sin(swing)};
  CHECK_STATUS(ap_loop_inverse_dynamics(r.m, r.l, q, v, v, tau), AP_E_SINGULAR_PARALLEL);
  CHECK(tau[0] == 7 && tau[1] == 7);
  CHECK_STATUS(ap_loop_singularity(r.m, r.l, q, &near), AP_E_SINGULAR_PARALLEL);
  CHECK(near.parallel < 1e-12 && near.serial > 0.01);
  CHECK_OK(ap_loop_inertia_matrix(r.m, r.l, q, M)); // needs no actuators
  drop(&r);
}

// det J_act changes its sign at a parallel singularity. Along q_i = s a_i sin(b_i t) with the
// paper's amplitudes (10, 30, 20 degrees) that happens from s = 1.734 on, on the branch +++.
TEST(parallel_singularity_of_the_wrist) {
  rig r = builtin("agile-wrist");
  const double degree = acos(-1) / 180, a[3] = {10, 30, 20}, b[3] = {2, 1, 3};
  double first = 0;
  for (double s = 1.70; r.m && s < 1.77 && first == 0; s += 0.004) {
    CHECK_OK(ap_loop_set_guess(r.m, r.l, ap_mechanism_guess(r.m)));
    for (double t = 0, sign = 0; t < 4; t += 0.01) {
      double q[3], J[9];
      for (int i = 0; i < 3; i++) q[i] = s * a[i] * degree * sin(b[i] * acos(-1) / 2 * t);
      if (!CHECK_OK(ap_loop_actuator_map(r.m, r.l, q, J))) break;
      double det = J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
                   J[2] * (J[3] * J[7] - J[4] * J[6]);
      if (sign * det < 0 && first == 0) first = s;
      sign = det;
    }
  }
  CHECK(first > 1.729 && first < 1.742);
  drop(&r);
}

// Yaw and roll are not defined where the platform's x points up or down.
TEST(gimbal) {
  ap_body_def body = ap_default_body();
  body.name = "ball", body.joint = AP_SPHERICAL, body.mass = 1;
  body.inertia[0] = body.inertia[3] = body.inertia[5] = 0.1;
  ap_robot_def robot = ap_default_robot();
  robot.bodies = &body, robot.nbody = 1;
  ap_coordinate_def angles[3] = {{.name = "yaw", .kind = AP_COORDINATE_YAW, .body = 1},
                                 {.name = "pitch", .kind = AP_COORDINATE_PITCH, .body = 1},
                                 {.name = "roll", .kind = AP_COORDINATE_ROLL, .body = 1}};
  ap_mechanism_def def = {.robot = &robot, .coordinates = angles, .ncoordinate = 3};
  rig r = rig_of(&def);
  double q[3] = {0.3, 1.2, -0.4}, M[9], up[3] = {0.3, acos(0), -0.4};
  CHECK_OK(ap_loop_inertia_matrix(r.m, r.l, q, M));
  // w = E v with E of yaw and roll sin(pitch) from perpendicular.
  const double expect[9] = {0.1, 0, -0.1 * sin(1.2), 0, 0.1, 0, -0.1 * sin(1.2), 0, 0.1};
  CHECK_NEAR(M, expect, 9, 1e-13);
  CHECK(ap_loop_inertia_matrix(r.m, r.l, up, M) != AP_OK);
  CHECK_OK(ap_loop_inertia_matrix(r.m, r.l, q, M));
  CHECK_NEAR(M, expect, 9, 1e-13);
  drop(&r);
}

// More coordinates than the closures leave free.
TEST(coordinates_that_depend) {
  ap_mechanism_def def = *ap_mechanism_builtin("five-bar");
  ap_coordinate_def three[3] = {def.coordinates[0], def.coordinates[1], joint_of(1)};
  def.coordinates = three, def.ncoordinate = 3;
  rig r = rig_of(&def);
  double q[3], M[9], x[4];
  memcpy(x, ap_mechanism_guess(r.m), sizeof x);
  ap_assembly found;
  CHECK_OK(ap_loop_close(r.m, r.l, x, q, &found));
  CHECK_EQ_INT(found.rank, 2);
  CHECK(found.closure_error < 1e-12);
  CHECK_STATUS(ap_loop_inertia_matrix(r.m, r.l, q, M), AP_E_MODEL);
  drop(&r);
}

// ---- definitions -------------------------------------------------------------------------------

static void refused(const ap_mechanism_def *def, const char *name, const char *reason) {
  size_t size = ap_mechanism_size(def);
  void *memory = malloc(size + 1);
  ap_error error = {.text = ""};
  CHECK(ap_mechanism_init(def, memory, size, &error) == NULL);
  CHECK_HAS(error.text, name);
  CHECK_HAS(error.text, reason);
  CHECK(ap_mechanism_init(def, memory, size, NULL) == NULL);
  free(memory);
}

TEST(refused_definitions) {
  const ap_mechanism_def *five = ap_mechanism_builtin("five-bar");
  ap_mechanism_def def = *five;
  ap_closure_def c = five->closures[0];
  ap_coordinate_def s[2] = {five->coordinates[0], five->coordinates[1]};
  int actuated[2] = {1, 3};
  def.closures = &c, def.coordinates = s, def.actuated = actuated;
#define REFUSED(change, name, reason)                         \
  do {                                                        \
    c = five->closures[0], actuated[0] = 1, actuated[1] = 3;  \
    s[0] = five->coordinates[0], s[1] = five->coordinates[1]; \
    change;                                                   \
    refused(&def, name, reason);                              \
  } while (0)
  REFUSED(c.body[0] = 9, "closure 'P'", "there is no link 9; links are 0 (the ground) to 4");
  REFUSED(c.at[1][2] = NAN, "closure 'P'", "at[1] must be three finite numbers");
  REFUSED(c.body[1] = 2, "closure 'P'", "do not move against each other");
  REFUSED(c.name = "", "closure 0", "has no name");
  REFUSED(c.kind = (ap_closure_kind)17, "closure 'P'", "kind 17 does not exist");
  REFUSED((c.kind = AP_CLOSE_DISTANCE, c.distance = 0), "closure 'P'", "above zero");
  REFUSED((c.kind = AP_CLOSE_AXIS, c.axis[0][2] = 0), "closure 'P'", "axis[0]");
  REFUSED((c.kind = AP_CLOSE_GEAR, c.ratio = 0), "closure 'P'", "must not be zero");
  REFUSED((c.kind = AP_CLOSE_GEAR, c.ratio = 1, c.body[0] = 0), "closure 'P'", "'ground'");
  REFUSED(s[1].name = "x", "coordinate 'x'", "twice");
  REFUSED(s[1].along[1] = 0, "coordinate 'y'", "along");
  REFUSED(s[1].body = 0, "coordinate 'y'", "does not move");
  REFUSED(actuated[1] = 0, "actuator '1'", "must be revolute or prismatic");
  REFUSED(actuated[1] = 1, "actuator '1'", "also actuator 0");
  REFUSED(c.kind = AP_CLOSE_DISTANCE; c.distance = 1, "1 rows of closures", "cannot determine");
#undef REFUSED
  def = *five;
  double guess[4] = {0, INFINITY, 0, 0};
  def.guess = guess;
  refused(&def, "guess", "finite");
  def = *five, def.ncoordinate = 0;
  CHECK_EQ_INT((int)ap_mechanism_size(&def), 0);
  ap_error error;
  unsigned char little[16];
  CHECK(ap_mechanism_init(&def, little, sizeof little, &error) == NULL);
  CHECK(ap_mechanism_init(five, little, sizeof little, &error) == NULL);
  CHECK_EQ_INT(error.status, AP_E_MEMORY);
}

TEST(nothing_allocates) {
  install_heap();
  for (int i = 0; ap_mechanism_builtin_name(i); i++) {
    rig r = builtin(ap_mechanism_builtin_name(i));
    double q[N], v[N] = {0.1, 0.2, 0.1, 0, 0.3, 0.1}, a[N] = {1}, out[N], big[N * N];
    ap_singularity near;
    rng random = rng_seed(57);
    random_pose(&random, &r, q);
    allocations = 0, armed = true;
    ap_status s[6] = {ap_loop_place(r.m, r.l, q, NULL),
                      ap_loop_inverse_dynamics(r.m, r.l, q, v, a, out),
                      ap_loop_forward_dynamics(r.m, r.l, q, v, out, a),
                      ap_loop_coriolis_matrix(r.m, r.l, q, v, big),
                      ap_loop_gravity_forces(r.m, r.l, q, out),
                      ap_loop_singularity(r.m, r.l, q, &near)};
    armed = false;
    CHECK_EQ_INT(allocations, 0);
    for (int k = 0; k < 6; k++) CHECK_OK(s[k]);
    drop(&r);
  }
  allocations = 0, armed = true;
  call_free(call_malloc(10));
  armed = false;
  CHECK(allocations > 0);
}
