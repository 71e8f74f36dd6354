// SPDX-License-Identifier: Apache-2.0
// External functions for CasADi, called as its loader calls them: values beside the library's,
// derivatives of both orders beside differences in binary128.

#include <appell/codegen.h>
#include <appell/dyn.h>
#include <appell/file.h>
#include <appell/kin.h>

#include "casadi_host.h"
#include "generated.h"
#include "models.h"

#include "f128.h" // behind them: its words are short

enum { KINDS = 6, MOST_X = 48, MOST_Y = 64 };
enum { VALUE, JAC, FWD, ADJ, JAC_ADJ, FWD_ADJ };

// ---- a function and its derivatives ------------------------------------------------------------

typedef struct family {
  host_function of[KINDS];
  int nx, ny; // numbers of all inputs and all outputs
} family;

static bool load_family(const generated *g, const char *function, int kinds, family *f) {
  static const char *const before[KINDS] = {"",      "jac_",      "fwd1_",
                                            "adj1_", "jac_adj1_", "fwd1_adj1_"};
  bool good = true;
  *f = (family){0};
  for (int k = 0; k < kinds; k++) {
    char name[256];
    snprintf(name, sizeof name, "%s%s_%s", before[k], ap_code_name(g->code), function);
    good = CHECK(host_load(g->library, name, &f->of[k])) && good;
  }
  if (!good) return false;
  for (int i = 0; i < f->of[VALUE].n_in; i++) f->nx += host_size(&f->of[VALUE].in[i]);
  for (int i = 0; i < f->of[VALUE].n_out; i++) f->ny += host_size(&f->of[VALUE].out[i]);
  if (kinds > JAC) host_check_jacobian(&f->of[VALUE], &f->of[JAC]);
  if (kinds > FWD) host_check_forward(&f->of[VALUE], &f->of[FWD]);
  if (kinds > ADJ) host_check_reverse(&f->of[VALUE], &f->of[ADJ]);
  if (kinds > JAC_ADJ) host_check_jacobian(&f->of[ADJ], &f->of[JAC_ADJ]);
  if (kinds > FWD_ADJ) host_check_forward(&f->of[ADJ], &f->of[FWD_ADJ]);
  return good;
}

static void close_family(family *f) {
  for (int k = 0; k < KINDS; k++) host_close(&f->of[k]);
}

// Numbers that arguments of a kind are taken from, one array behind the other; NULL: not given.
typedef struct numbers_of {
  const double *x, *w, *dx, *dw;
} numbers_of;

// Arguments in CasADi's order; what derivatives may do without (results of f) is not given, so that
// it is seen that they do.
static int call_kind(family *f, int kind, numbers_of from) {
  const double *arg[HOST_SLOTS] = {NULL};
  host_function *h = &f->of[kind];
  const int n = f->of[VALUE].n_in, m = f->of[VALUE].n_out;
  const bool twice = kind == FWD_ADJ;
  for (int i = 0, x = 0; i < n; x += host_size(&f->of[VALUE].in[i++])) {
    arg[i] = from.x + x;
    if (kind == FWD) arg[n + m + i] = from.dx + x;
    if (twice) arg[2 * n + 2 * m + i] = from.dx + x;
  }
  for (int i = 0, y = 0; i < m; y += host_size(&f->of[VALUE].out[i++])) {
    if (kind >= ADJ) arg[n + m + i] = from.w + y;
    if (twice) arg[3 * n + 3 * m + i] = from.dw + y;
  }
  return host_call(h, arg);
}

// All results of a kind that are no matrices, one behind the other.
static void results(const host_function *h, double *y) {
  for (int i = 0; i < h->n_out; y += host_size(&h->out[i++]))
    memcpy(y, h->result[i], (size_t)host_size(&h->out[i]) * sizeof *y);
}

// The matrix that blocks make together: rows x columns, row-major.
static void assemble(const host_function *h, int blocks, int columns, double *D) {
  int row = 0;
  for (int o = 0; o < h->n_out / blocks; o++) {
    const int rows = h->out[o * blocks].rows;
    for (int b = 0, column = 0; b < blocks; column += h->out[o * blocks + b++].columns) {
      const host_pattern *p = &h->out[o * blocks + b];
      CHECK_EQ_INT(p->rows, rows);
      for (int k = 0; k < host_size(p); k++)
        D[(row + k % rows) * columns + column + k / rows] = h->result[o * blocks + b][k];
    }
    row += rows;
  }
}

// ---- derivatives among each other --------------------------------------------------------------

static double J[MOST_Y * MOST_X], H[MOST_X * (MOST_X + 2 * MOST_Y)];

static double largest_of(const double *x, int n) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
  return most;
}

// fwd1 = J dx, adj1 = w J, fwd1_adj1 = H (dx, dw); the columns of H by w are J, those by out_y are
// zero. Sums of at most n products, each off by rounding.
static void check_products(family *f, const double *w, const double *dx, const double *dw,
                           double tolerance) {
  const int nx = f->nx, ny = f->ny, nh = nx + 2 * ny;
  double got[MOST_X + MOST_Y], want[MOST_X + MOST_Y];
  const double size = largest_of(J, nx * ny), size2 = fmax(largest_of(H, nx * nh), size);
  memset(want, 0, sizeof want);
  for (int k = 0; k < nx * ny; k++) want[k / nx] += J[k] * dx[k % nx];
  results(&f->of[FWD], got);
  CHECK_WITHIN(got, want, ny, tolerance * nx * size);
  memset(want, 0, sizeof want);
  for (int k = 0; k < nx * ny; k++) want[k % nx] += J[k] * w[k / nx];
  results(&f->of[ADJ], got);
  CHECK_WITHIN(got, want, nx, tolerance * ny * size);
  memset(want, 0, sizeof want);
  for (int i = 0; i < nx; i++) {
    for (int j = 0; j < nx; j++) want[i] += H[i * nh + j] * dx[j];
    for (int j = 0; j < ny; j++) {
      want[i] += H[i * nh + nx + ny + j] * dw[j];
      CHECK(H[i * nh + nx + j] == 0);
      CHECK_CLOSE(H[i * nh + nx + ny + j], J[j * nx + i], tolerance * size);
    }
  }
  results(&f->of[FWD_ADJ], got);
  CHECK_WITHIN(got, want, nx, tolerance * nh * size2);
}

// ---- in binary128 ------------------------------------------------------------------------------

#ifdef AP_HAVE_F128

typedef struct reference {
  WORK *w;
  ap_function function;
  int frame, nx, ny;
} reference;

static void reference_at(const reference *r, const real *x, real *y) {
  const ap_model *m = r->w->model;
  const real *v = x + ap_nq(m), *a = v + ap_nv(m);
  real R[9];
  switch (r->function) {
    case AP_GEN_INVERSE: inverse(r->w, x, v, a, NULL, y); break;
    case AP_GEN_FORWARD: CHECK_OK(forward(r->w, x, v, a, NULL, y)); break;
    case AP_GEN_INERTIA: inertia(r->w, x, y); break;
    case AP_GEN_BIAS: inverse(r->w, x, v, NULL, NULL, y); break;
    case AP_GEN_GRAVITY: inverse(r->w, x, NULL, NULL, NULL, y); break;
    default:
      see_from_ground(r->w, expand_q(r->w, x), NULL, NULL);
      frame_and_jacobian(r->w, r->frame, AP_MIXED, R, y + 9, NULL);
      for (int k = 0; k < 9; k++) y[k] = R[k % 3 * 3 + k / 3];
  }
}

// Differences of fourth order: h^4 of a fifth derivative, 1e-24, and rounding of 1e-34 / h.
static void difference_once(const reference *r, const double *at, double *D) {
  static const int weight[] = {1, -8, 0, 8, -1};
  const real h = (real)1e-6;
  for (int j = 0; j < r->nx; j++) {
    real sum[MOST_Y] = {0};
    for (int s = -2; s <= 2; s++) {
      real x[MOST_X], y[MOST_Y];
      if (s == 0) continue;
      for (int k = 0; k < r->nx; k++) x[k] = (real)at[k];
      x[j] += s * h;
      reference_at(r, x, y);
      for (int i = 0; i < r->ny; i++) sum[i] += weight[s + 2] * y[i] / (12 * h);
    }
    for (int i = 0; i < r->ny; i++) D[i * r->nx + j] = (double)sum[i];
  }
}

// Second derivatives of w . y, of second order: h^2 = 1e-16 of a fourth derivative, 1e-34 / h^2 of
// rounding.
static void difference_twice(const reference *r, const double *at, const double *w, double *D) {
  const real h = (real)1e-8;
  for (int i = 0; i < r->nx; i++)
    for (int j = 0; j <= i; j++) {
      real sum = 0;
      for (int s = 0; s < 4; s++) {
        real x[MOST_X], y[MOST_Y];
        for (int k = 0; k < r->nx; k++) x[k] = (real)at[k];
        x[i] += s & 1 ? h : -h;
        x[j] += s & 2 ? h : -h;
        reference_at(r, x, y);
        for (int k = 0; k < r->ny; k++) sum += (s == 0 || s == 3 ? 1 : -1) * (real)w[k] * y[k];
      }
      D[i * r->nx + j] = D[j * r->nx + i] = (double)(sum / (4 * h * h));
    }
}

static double wanted[MOST_X * MOST_X];

// y, J and the part of H by x beside the reference; tolerance is what rounding may make of a number
// of the size of the largest.
static void check_reference(family *f, const reference *r, const double *x, const double *w,
                            double tolerance, bool twice) {
  const int nx = f->nx, ny = f->ny, nh = nx + 2 * ny;
  real wide[MOST_X], y[MOST_Y];
  double got[MOST_Y], want[MOST_Y];
  for (int k = 0; k < nx; k++) wide[k] = (real)x[k];
  reference_at(r, wide, y);
  for (int k = 0; k < ny; k++) want[k] = (double)y[k];
  results(&f->of[VALUE], got);
  CHECK_WITHIN(got, want, ny, tolerance * largest_of(want, ny));
  difference_once(r, x, wanted);
  CHECK_WITHIN(J, wanted, nx * ny, tolerance * fmax(1, largest_of(wanted, nx * ny)));
  if (!twice) return;
  difference_twice(r, x, w, wanted);
  const double size = fmax(largest_of(wanted, nx * nx), largest_of(J, nx * ny));
  for (int i = 0; i < nx; i++)
    CHECK_WITHIN(H + i * nh, wanted + i * nx, nx, tolerance * fmax(1, size));
}

#endif

// ---- robots ------------------------------------------------------------------------------------

// Everything in one state. x: q, then v and a or tau as far as they are read.
static void compare_state(const test_robot *robot, family *f, ap_function function, int frame,
                          rng *r, double tolerance, bool friction) {
  const int nq = ap_nq(robot->m), nv = ap_nv(robot->m);
  double x[MOST_X], w[MOST_Y], dx[MOST_X], dw[MOST_Y];
  motion s;
  random_motion(r, robot->m, &s);
  memcpy(x, s.q, (size_t)nq * sizeof *x);
  memcpy(x + nq, s.v, (size_t)nv * sizeof *x), memcpy(x + nq + nv, s.a, (size_t)nv * sizeof *x);
  for (int k = 0; k < f->nx; k++) dx[k] = rng_uniform(r, -1, 1);
  for (int k = 0; k < f->ny; k++) w[k] = rng_uniform(r, -1, 1), dw[k] = rng_uniform(r, -1, 1);
  const numbers_of from = {x, w, dx, dw};
  for (int kind = 0; kind < KINDS; kind++) CHECK_EQ_INT(call_kind(f, kind, from), 0);
  assemble(&f->of[JAC], f->of[VALUE].n_in, f->nx, J);
  assemble(&f->of[JAC_ADJ], f->of[ADJ].n_in, f->nx + 2 * f->ny, H);
  check_products(f, w, dx, dw, tolerance);
#ifdef AP_HAVE_F128
  work_f128 wide = work_make_f128(robot->m);
  set_friction(wide.w, friction);
  const reference ref = {wide.w, function, frame, f->nx, f->ny};
  check_reference(f, &ref, x, w, tolerance, true);
  free(wide.memory);
#else
  (void)function, (void)frame, (void)friction;
#endif
}

// Rounding that solving with M adds, relative to the largest: its condition by norms.
static double condition(const test_robot *robot, rng r) {
  const int n = ap_nv(robot->m);
  double M[ROBOT_V * ROBOT_V], row[ROBOT_V], a[ROBOT_V], none[ROBOT_V] = {0}, worst = 1;
  for (int state = 0; state < 4; state++) {
    motion s;
    double gain = 0, size = 0, bias[ROBOT_V];
    random_motion(&r, robot->m, &s);
    ap_inertia_matrix(robot->m, robot->w, s.q, M);
    ap_bias(robot->m, robot->w, s.q, none, bias);
    for (int k = 0; k < n; k++) {
      memcpy(row, bias, (size_t)n * sizeof *row);
      row[k] += 1;
      if (ap_forward_dynamics(robot->m, robot->w, s.q, none, row, a) != AP_OK) return INFINITY;
      gain = fmax(gain, largest_of(a, n)), size = fmax(size, largest_of(M + k * n, n));
    }
    worst = fmax(worst, n * gain * size);
  }
  return worst;
}

static void compare_robot(const test_robot *robot, unsigned functions, bool friction) {
  static const ap_function function[] = {AP_GEN_INVERSE, AP_GEN_FORWARD, AP_GEN_INERTIA,
                                         AP_GEN_BIAS,    AP_GEN_GRAVITY, AP_GEN_KINEMATICS};
  ap_generate_options o = ap_default_generate();
  const int frame = ap_nframe(robot->m) - 1;
  o.target = AP_TARGET_CASADI, o.frames = &frame, o.nframes = 1, o.name = "robot";
  if (functions) o.functions = functions;
  o.friction = friction;
  ap_set_friction(robot->m, robot->w, friction);
  generated g = generated_open(robot->m, &o, generated_compiler(), "-O0");
  if (!CHECK(g.library)) return;
  for (size_t k = 0; k < sizeof function / sizeof *function; k++) {
    char name[128];
    family f;
    rng r = rng_seed(5 + k);
    if (!(o.functions >> function[k] & 1)) continue;
    if (function[k] == AP_GEN_KINEMATICS)
      snprintf(name, sizeof name, "frame_%s_pose", ap_frame_name(robot->m, frame));
    else
      snprintf(name, sizeof name, "%s", ap_function_name(function[k]));
    // 64 roundings of a number of the largest's size; solving carries the condition, and each order
    // of derivatives once more
    double tolerance = 64 * DBL_EPSILON;
    if (function[k] == AP_GEN_FORWARD) tolerance *= condition(robot, rng_seed(5 + k));
    if (load_family(&g, name, KINDS, &f))
      for (int state = 0; state < 2; state++) {
        test_context("%s, %s, state %d", robot->label, name, state);
        compare_state(robot, &f, function[k], frame, &r, tolerance, friction);
      }
    close_family(&f);
  }
  generated_close(&g);
}

// By its label, the first of the collection.
static const test_robot *robot_named(const char *label) {
  for (int k = 0; k < RECIPES; k++)
    if (strcmp(recipes[k].label, label) == 0) return robot_at(k);
  return NULL;
}

TEST(arms) {
  compare_robot(robot_named("two revolute"), 0, false);
  compare_robot(robot_named("two of R P"), 0, false);
}

TEST(quaternions) {
  compare_robot(robot_named("one free"), 0, false);
  compare_robot(robot_named("one spherical"), 0, false);
}

TEST(trees_and_followers) {
  const unsigned both = 1u << AP_GEN_FORWARD | 1u << AP_GEN_KINEMATICS;
  compare_robot(robot_named("one planar"), 0, false);
  compare_robot(robot_named("small tree"), 1u << AP_GEN_FORWARD, false);
  compare_robot(robot_named("arm with followers"), both, false);
}

TEST(friction_and_springs) {
  const unsigned forward = 1u << AP_GEN_FORWARD;
  compare_robot(robot_named("one free"), forward, true);
  compare_robot(robot_named("two of R P"), forward, true);
}

// ---- the interface -----------------------------------------------------------------------------

static generated open_casadi(const test_robot *r, int order, unsigned functions,
                             const char *flags) {
  ap_generate_options o = ap_default_generate();
  o.functions = functions;
  o.target = AP_TARGET_CASADI, o.order = order, o.name = "robot";
  return generated_open(r->m, &o, generated_compiler(), flags);
}

TEST(missing_arguments_are_zero_and_missing_results_not_wanted) {
  const test_robot *r = robot_named("two revolute");
  generated g = open_casadi(r, 1, 1u << AP_GEN_FORWARD, "-O1");
  family f;
  if (!CHECK(g.library) || !load_family(&g, "forward_dynamics", ADJ + 1, &f)) return;
  const double q[2] = {0.3, -0.4}, zero[2] = {0, 0};
  const double *given[3] = {q, zero, zero}, *missing[3] = {q, NULL, NULL};
  double a[2];
  CHECK_EQ_INT(host_call(&f.of[VALUE], given), 0);
  memcpy(a, f.of[VALUE].result[0], sizeof a);
  CHECK_EQ_INT(host_call(&f.of[VALUE], missing), 0);
  CHECK_BITS(a, f.of[VALUE].result[0], 2);
  const double *arg[4] = {q, zero, zero, NULL};
  CHECK_EQ_INT(host_call(&f.of[JAC], arg), 0);
  double by_tau[4];
  memcpy(by_tau, f.of[JAC].result[2], sizeof by_tau);
  memset(f.of[JAC].result[2], 0, sizeof by_tau);
  CHECK_EQ_INT(host_call_some(&f.of[JAC], arg, 1u << 2), 0);
  CHECK_BITS(by_tau, f.of[JAC].result[2], 4);
  CHECK_EQ_INT(host_call_some(&f.of[JAC], arg, 0), 0);
  close_family(&f);
  generated_close(&g);
}

TEST(order_says_which_derivatives_there_are) {
  const test_robot *r = robot_named("one revolute");
  for (int order = 0; order < 3; order++) {
    generated g = open_casadi(r, order, 1u << AP_GEN_GRAVITY, "-O0");
    if (!CHECK(g.library)) return;
    CHECK_EQ_INT(dlsym(g.library, "robot_gravity") != NULL, true);
    CHECK_EQ_INT(dlsym(g.library, "adj1_robot_gravity") != NULL, order > 0);
    CHECK_EQ_INT(dlsym(g.library, "fwd1_adj1_robot_gravity") != NULL, order > 1);
    generated_close(&g);
  }
}

// A joint that does not turn the links' weight, and the zeros of the patterns: of a robot with
// prismatic joints alone gravity and inertia are constant, and so are all derivatives by q.
TEST(patterns_leave_zeros_out) {
  const test_robot *r = robot_named("one prismatic");
  generated g = open_casadi(r, 2, 1u << AP_GEN_INVERSE, "-O0");
  family f;
  if (!CHECK(g.library) || !load_family(&g, "inverse_dynamics", KINDS, &f)) return;
  static const int nonzeros[] = {0, 0, 1}; // by q, v and a
  for (int k = 0; k < 3; k++) CHECK_EQ_INT(f.of[JAC].out[k].nonzeros, nonzeros[k]);
  for (int k = 0; k < f.of[JAC_ADJ].n_out; k++)
    CHECK_EQ_INT(f.of[JAC_ADJ].out[k].nonzeros,
                 strcmp(f.of[JAC_ADJ].name_out[k], "jac_adj_a_adj_tau") == 0);
  close_family(&f);
  generated_close(&g);
}

// A point mass on an arm that stands upright on its turntable: nothing resists the turntable.
TEST(singular_states_fail) {
  static test_robot t;
  robot_clear(&t, "turntable", 2);
  t.body[0].name = "table", t.body[0].joint = AP_REVOLUTE;
  t.body[0].axis[0] = t.body[0].axis[1] = 0, t.body[0].axis[2] = 1;
  t.body[1].name = "arm", t.body[1].joint = AP_REVOLUTE, t.body[1].parent = 1;
  t.body[1].axis[0] = 0, t.body[1].axis[1] = 1, t.body[1].axis[2] = 0;
  t.body[1].mass = 2, t.body[1].com[0] = 0.5;
  if (!robot_make(&t)) return;
  generated g = open_casadi(&t, 2, 1u << AP_GEN_FORWARD, "-O0");
  family f;
  if (!CHECK(g.library) || !load_family(&g, "forward_dynamics", KINDS, &f)) return;
  double x[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, w[2] = {1, 2};
  const numbers_of from = {x, w, x, w};
  for (int kind = 0; kind < KINDS; kind++) CHECK_EQ_INT(call_kind(&f, kind, from), 0);
  x[1] = acos(-1) / 2;
  for (int kind = 0; kind < KINDS; kind++) CHECK_EQ_INT(call_kind(&f, kind, from), 1);
  close_family(&f);
  generated_close(&g);
  robot_free(&t);
}

// A parallel robot in closed form: values are those of the plain C, derivatives agree.
TEST(closed_forms) {
  unsigned char memory[8192];
  const ap_parallel *five_bar = ap_parallel_builtin("five-bar", NULL, memory, sizeof memory);
  if (!CHECK(five_bar)) return;
  ap_generate_options o = ap_default_generate();
  o.name = "plain", o.functions = 1u << AP_GEN_FORWARD;
  generated plain = {0}, g = {0};
  CHECK_OK(ap_generate_parallel(five_bar, &o, &plain.code, NULL));
  o.name = "closed", o.target = AP_TARGET_CASADI;
  CHECK_OK(ap_generate_parallel(five_bar, &o, &g.code, NULL));
  generated_load(&plain, generated_compiler(), "-O0");
  generated_load(&g, generated_compiler(), "-O0");
  family f;
  if (!CHECK(plain.library && g.library) || !load_family(&g, "forward_dynamics", KINDS, &f)) return;
  const double x[6] = {0.02, 0.15, 0.1, -0.2, 0.3, 0.4}, w[4] = {0.3, -0.5, 0.2, 0.1};
  const double dx[6] = {1, -0.5, 0.3, 0.2, 0.6, -0.4}, dw[4] = {0.5, 0.25, -1, 1};
  for (int kind = 0; kind < KINDS; kind++)
    CHECK_EQ_INT(call_kind(&f, kind, (numbers_of){x, w, dx, dw}), 0);
  typedef void closed(const double *q, const double *v, const double *tau, double *a,
                      double *margin);
  double a[2], margin[2], got[4];
  ((closed *)generated_symbol(&plain, "forward_dynamics", ""))(x, x + 2, x + 4, a, margin);
  CHECK(margin[0] > 1e-12 && fabs(margin[1]) > 1e-9);
  results(&f.of[VALUE], got);
  CHECK_NEAR(got, a, 2, 1e-13);
  CHECK_NEAR(got + 2, margin, 2, 1e-13);
  assemble(&f.of[JAC], f.of[VALUE].n_in, f.nx, J);
  assemble(&f.of[JAC_ADJ], f.of[ADJ].n_in, f.nx + 2 * f.ny, H);
  check_products(&f, w, dx, dw, 1e-12);
  close_family(&f);
  generated_close(&g);
  generated_close(&plain);
}

TEST(what_cannot_be_is_refused) {
  const test_robot *r = robot_named("two revolute");
  ap_generate_options o = ap_default_generate();
  ap_error error;
  ap_code *code;
  o.target = AP_TARGET_CASADI;
  o.arithmetic = AP_F32;
  CHECK_STATUS(ap_generate(r->m, &o, &code, &error), AP_E_ARG);
  CHECK_HAS(error.text, "double");
  o.arithmetic = AP_F64, o.functions = 1u << AP_GEN_REGRESSOR;
  CHECK_STATUS(ap_generate(r->m, &o, &code, &error), AP_E_ARG);
  CHECK_HAS(error.text, "forward_kinematics only");
  o.functions = 1u << AP_GEN_GRAVITY, o.order = 3;
  CHECK_STATUS(ap_generate(r->m, &o, &code, &error), AP_E_ARG);
  CHECK_HAS(error.text, "order");
}

// acados has CasADi's functions with int in the place of casadi_int.
TEST(integers_may_be_int) {
  generated g =
      open_casadi(robot_named("one revolute"), 0, 1u << AP_GEN_GRAVITY, "-O0 -Dcasadi_int=int");
  if (!CHECK(g.library)) return;
  const int *(*sparsity)(int);
  generated_function *f = generated_symbol(&g, "gravity_sparsity_out", "");
  memcpy(&sparsity, &f, sizeof sparsity);
  if (CHECK(f)) CHECK(sparsity(0)[0] == 1 && sparsity(0)[1] == 1 && sparsity(0)[3] == 1);
  generated_close(&g);
}
