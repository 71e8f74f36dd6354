// SPDX-License-Identifier: Apache-2.0
// Optimal control: quadratic programs against all active sets, linear systems against Riccati's
// equation, gradients against differences for robots of every kind, swing-ups, reach and flight to
// their optimality conditions, model-predictive control, no heap.

#define _GNU_SOURCE

#include "ddp_cases.h"
#include "heap.h"
#include "models.h"
#include "test.h"

// ---- quadratic programs ------------------------------------------------------------------------

// Elimination with pivots; false where A is singular.
static bool solve_dense(int n, double *A, double *b) {
  for (int c = 0; c < n; c++) {
    int p = c;
    for (int i = c + 1; i < n; i++)
      if (fabs(A[i * n + c]) > fabs(A[p * n + c])) p = i;
    if (A[p * n + c] == 0) return false;
    for (int j = 0; j < n; j++) {
      const double x = A[c * n + j];
      A[c * n + j] = A[p * n + j], A[p * n + j] = x;
    }
    const double y = b[c];
    b[c] = b[p], b[p] = y;
    for (int i = 0; i < n; i++) {
      const double f = i == c ? 0 : A[i * n + c] / A[c * n + c];
      for (int j = 0; j < n; j++) A[i * n + j] -= f * A[c * n + j];
      b[i] -= f * b[c];
    }
  }
  for (int i = 0; i < n; i++) b[i] /= A[i * n + i];
  return true;
}

// The least of the quadratic function, by trying every combination of entries at their lower limit,
// at their upper limit and free, and keeping the one that satisfies all conditions.
static bool all_active_sets(int n, const double *H, const double *g, const double *lower,
                            const double *upper, double *u) {
  int sets = 1;
  for (int i = 0; i < n; i++) sets *= 3;
  for (int set = 0; set < sets; set++) {
    int kind[5], at[5], count = 0;
    double x[5], A[25], b[5];
    for (int i = 0, s = set; i < n; i++, s /= 3) {
      kind[i] = s % 3; // 0: free
      if (kind[i] == 0) at[count++] = i;
      x[i] = kind[i] == 1 ? lower[i] : upper[i];
    }
    for (int r = 0; r < count; r++) {
      b[r] = -g[at[r]];
      for (int i = 0; i < n; i++)
        if (kind[i]) b[r] -= H[at[r] * n + i] * x[i];
      for (int c = 0; c < count; c++) A[r * count + c] = H[at[r] * n + at[c]];
    }
    if (!solve_dense(count, A, b)) continue;
    for (int r = 0; r < count; r++) x[at[r]] = b[r];
    bool good = true;
    for (int i = 0; i < n && good; i++) {
      double slope = g[i];
      for (int j = 0; j < n; j++) slope += H[i * n + j] * x[j];
      if (kind[i] == 0) good = x[i] >= lower[i] && x[i] <= upper[i];
      if (kind[i] == 1) good = slope >= 0;
      if (kind[i] == 2) good = slope <= 0;
    }
    if (!good) continue;
    memcpy(u, x, (size_t)n * sizeof *u);
    return true;
  }
  return false;
}

TEST(box_programs_end_at_the_right_active_set) {
  rng r = rng_seed(5);
  int held = 0, loose = 0;
  for (int trial = 0; trial < 3000; trial++) {
    const int n = rng_int(&r, 1, 5);
    double S[25], H[25], g[5], lower[5], upper[5], u[5], best[5], room[25 + 20];
    bool free_[5];
    for (int i = 0; i < n * n; i++) S[i] = rng_uniform(&r, -1, 1);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        H[i * n + j] = i == j ? 0.05 : 0;
        for (int k = 0; k < n; k++) H[i * n + j] += S[i * n + k] * S[j * n + k];
      }
      g[i] = rng_uniform(&r, -2, 2);
      lower[i] = rng_uniform(&r, -2, 0.2), upper[i] = lower[i] + rng_uniform(&r, 0, 2);
      u[i] = rng_uniform(&r, -3, 3);
    }
    test_context("trial %d", trial);
    CHECK_OK(ap_box_qp(n, H, g, lower, upper, u, free_, room));
    if (!CHECK(all_active_sets(n, H, g, lower, upper, best))) continue;
    // conditioned no worse than the largest eigenvalue, below 25, over 0.05
    CHECK_WITHIN(u, best, n, 1e-10);
    for (int i = 0; i < n; i++) {
      if (best[i] > lower[i] + 1e-9 && best[i] < upper[i] - 1e-9) CHECK(free_[i]), loose++;
      if (!free_[i]) CHECK(u[i] == lower[i] || u[i] == upper[i]), held++;
    }
  }
  CHECK(held > 1000 && loose > 1000);
}

TEST(indefinite_programs_are_refused) {
  const double H[4] = {1, 2, 2, 1}, g[2] = {0.1, 0.2}, lower[2] = {-1, -1}, upper[2] = {1, 1};
  double u[2] = {0, 0}, room[12];
  bool free_[2];
  CHECK_STATUS(ap_box_qp(2, H, g, lower, upper, u, free_, room), AP_E_SINGULAR);
}

// ---- linear systems ----------------------------------------------------------------------------

// A mass on three slides without gravity: x(k + 1) = A x + B u with A = [1 h; 0 1], B = [h^2/m;
// h/m] in each axis. Riccati's equation in two dimensions gives the best controls; one iteration
// finds them, and the gains are Riccati's.
TEST(linear_systems_take_one_iteration) {
  enum { N = 30 };
  const double h = 0.05, mass = 2, Qv = 0.1, R = 0.01, Sq = 50, Sv = 5, Qq = 1;
  ddp_case *c = ddp_new("slides", N, h);
  ap_body_def body[3] = {ap_default_body(), ap_default_body(), ap_default_body()};
  static const char *const names[3] = {"x", "y", "z"};
  for (int i = 0; i < 3; i++) {
    body[i].name = names[i], body[i].parent = i, body[i].joint = AP_PRISMATIC;
    body[i].axis[2] = 0, body[i].axis[i] = 1;
  }
  body[2].mass = mass;
  ap_robot_def def = ap_default_robot();
  def.bodies = body, def.nbody = 3, def.gravity[2] = 0;
  ddp_use_definition(c, &def);
  ddp_fill(c->weight_q, 3, Qq), ddp_fill(c->weight_v, 3, Qv), ddp_fill(c->weight_u, 3, R);
  ddp_fill(c->end_q, 3, Sq), ddp_fill(c->end_v, 3, Sv);
  ddp_fill(c->lower, 3, -INFINITY), ddp_fill(c->upper, 3, INFINITY);
  const double start[3] = {1, -0.4, 0.3};
  memcpy(c->q0, start, sizeof start);
  c->def.regularisation = 0, c->def.tolerance = 1e-10;
  ddp_make(c);
  ap_ddp_report report;
  CHECK_OK(ap_ddp_solve(c->d, c->w, 5, &report));
  CHECK_EQ_INT(report.iterations, 1);
  // P = [a b; b c] backward
  double gain[N][2], a = Sq, b = 0, p = Sv;
  for (int k = N - 1; k >= 0; k--) {
    const double Bq = h * h / mass, Bv = h / mass;
    const double PBq = a * Bq + b * Bv, PBv = b * Bq + p * Bv, S = R + Bq * PBq + Bv * PBv;
    gain[k][0] = -PBq / S, gain[k][1] = -(PBq * h + PBv) / S;
    const double na = Qq + a - PBq * PBq / S;
    const double nb = a * h + b - PBq * (PBq * h + PBv) / S;
    const double np = Qv + a * h * h + 2 * b * h + p - (PBq * h + PBv) * (PBq * h + PBv) / S;
    a = na, b = nb, p = np;
  }
  for (int axis = 0; axis < 3; axis++) {
    double q = start[axis], v = 0;
    for (int k = 0; k < N; k++) {
      const double u = gain[k][0] * q + gain[k][1] * v, *K = ap_ddp_gain(c->d, k);
      CHECK_CLOSE(ap_ddp_control(c->d, k)[axis], u, 1e-9);
      CHECK_CLOSE(K[axis * 6 + axis], gain[k][0], 1e-8);
      CHECK_CLOSE(K[axis * 6 + 3 + axis], gain[k][1], 1e-8);
      v += h / mass * u, q += h * v;
    }
  }
  CHECK_CLOSE(report.cost, 0.5 * a * (1 + 0.16 + 0.09), 1e-9);
  ddp_free(c);
}

// ---- gradients ---------------------------------------------------------------------------------

// A cost that is neither quadratic nor separable: sin of the first control times the last velocity,
// and the first velocity to the fourth at the end.
static double own_cost(void *context, int k, const double *q, const double *v, const double *u,
                       const ap_ddp_terms *t) {
  const int nv = *(const int *)context, nx = 2 * nv;
  (void)q;
  (void)k;
  if (!u) {
    if (t) t->x[nv] += 4 * v[0] * v[0] * v[0], t->xx[nv * nx + nv] += 12 * v[0] * v[0];
    return v[0] * v[0] * v[0] * v[0];
  }
  if (t) t->u[0] += cos(u[0]) * v[nv - 1], t->x[nx - 1] += sin(u[0]);
  return sin(u[0]) * v[nv - 1];
}

// Central differences of the cost: h^2 times a third derivative and rounding / h, of the size of
// the cost, 1e-16 / 1e-5.
static void check_gradient(test_robot *r, const motion *s, ap_ddp_scheme scheme) {
  enum { N = 4 };
  const int nv = ap_nv(r->m);
  double weight[ROBOT_V], u[N * ROBOT_V], g[N * ROBOT_V], q[ROBOT_Q], small[ROBOT_V], cost, f[2];
  rng random = rng_seed(17);
  ap_ddp_def def = ap_default_ddp();
  for (int i = 0; i < nv; i++) weight[i] = rng_uniform(&random, 0.1, 2), small[i] = 0.3 * s->v[i];
  for (int i = 0; i < N * nv; i++) u[i] = rng_uniform(&random, -1, 1);
  for (int i = 0; i < nv; i++) g[i] = 0.5 * rng_uniform(&random, -1, 1);
  ap_integrate(r->m, s->q, g, q);
  ap_ddp_frame frame = {.frame = ap_nframe(r->m) - 1,
                        .p = {0.3, 0.1, 0.2},
                        .R = {0, -1, 0, 1, 0, 0, 0, 0, 1},
                        .position = 2,
                        .orientation = 0.7,
                        .end_orientation = 1.5};
  def.model = r->m, def.horizon = N, def.step = 0.02, def.scheme = scheme, def.q = q;
  def.weight_q = def.end_v = def.weight_v = def.end_q = def.weight_u = weight;
  def.frames = &frame, def.nframe = 1, def.cost = own_cost, def.context = (void *)(uintptr_t)&nv;
  const size_t size = ap_ddp_size(&def);
  void *memory = malloc(size);
  ap_ddp *d = ap_ddp_init(&def, memory, size, NULL);
  CHECK_OK(ap_ddp_start(d, s->q, small));
  CHECK_OK(ap_ddp_guess(d, u));
  const ap_status status = ap_ddp_gradient(d, r->w, &cost, g);
  for (int i = 0; status == AP_OK && i < N * nv; i += 1 + N * nv / 9) {
    const double h = 1e-4, kept = u[i];
    double ignored[N * ROBOT_V], two[2];
    for (int k = 0; k < 4; k++) { // steps h and h / 2, extrapolated
      u[i] = kept + (k % 2 ? 1 : -1) * (k < 2 ? h : h / 2);
      ap_ddp_guess(d, u);
      CHECK_OK(ap_ddp_gradient(d, r->w, &f[k % 2], ignored));
      if (k % 2) two[k / 2] = (f[1] - f[0]) / (k < 2 ? 2 * h : h);
    }
    u[i] = kept;
    const double slope = (4 * two[1] - two[0]) / 3;
    CHECK_CLOSE(g[i], slope, 1e-7 * (fabs(slope) + test_norm(g, N * nv)) + 1e-9 * (1 + fabs(cost)));
  }
  free(memory);
}

TEST(gradients_are_those_of_differences) {
  int tried = 0;
  FOR_EACH_MODEL (r) {
    if (ap_nv(r->m) < 1 || ap_nv(r->m) > 14) continue;
    FOR_EACH_STATE (r, s, 1) {
      for (int scheme = AP_DDP_EULER; scheme <= AP_DDP_RK4; scheme++) {
        test_context("%s, scheme %d", ap_model_name(r->m), scheme);
        check_gradient(r, &s, (ap_ddp_scheme)scheme);
        tried++;
      }
    }
  }
  CHECK(tried > 4);
}

// ---- cases -------------------------------------------------------------------------------------

// Solved to the optimality condition, within limits, some of which are met; the states are those of
// the controls.
static void check_solution(ddp_case *c, int iterations) {
  test_context("%s", c->name);
  ap_ddp_report r;
  const ap_status status = ap_ddp_solve(c->d, c->w, iterations, &r);
  CHECK_OK(status);
  printf("%s: %d iterations, cost %.6g, optimality %.2g\n", c->name, r.iterations, r.cost,
         r.optimality);
  CHECK(r.optimality <= c->def.tolerance && r.cost < r.first_cost);
  const int n = c->def.controls ? c->def.controls : ap_nv(c->m), N = c->def.horizon;
  double *g = malloc((size_t)N * (size_t)n * sizeof *g), cost;
  CHECK_OK(ap_ddp_gradient(c->d, c->w, &cost, g));
  CHECK_CLOSE(cost, r.cost, 1e-9 * fabs(cost));
  for (int k = 0; k < N; k++) {
    for (int i = 0; i < n; i++) { // Karush, Kuhn and Tucker's conditions
      const double u = ap_ddp_control(c->d, k)[i], slope = g[k * n + i], t = 2 * c->def.tolerance;
      CHECK(u >= c->lower[i] && u <= c->upper[i]);
      CHECK(fabs(slope) <= t || (u == c->lower[i] && slope > 0) || (u == c->upper[i] && slope < 0));
    }
  }
  free(g);
}

static int at_limit(const ddp_case *c) {
  int met = 0;
  for (int k = 0; k < c->def.horizon; k++) {
    const double u = ap_ddp_control(c->d, k)[0];
    met += u == c->lower[0] || u == c->upper[0];
  }
  return met;
}

TEST(a_cart_pole_swings_up) {
  ddp_case *c = ddp_cart_pole();
  check_solution(c, 400);
  const double *q = ap_ddp_position(c->d, 100), *v = ap_ddp_velocity(c->d, 100);
  CHECK_WITHIN(q, c->q, 2, 0.02);
  CHECK_WITHIN(v, c->v0, 2, 0.05);
  CHECK(at_limit(c) > 3);
  ddp_free(c);
}

TEST(an_acrobot_swings_up) {
  ddp_case *c = ddp_acrobot();
  c->def.tolerance = 1e-4; // the gradient grows by the instability of the upright pose
  const size_t size = ap_ddp_size(&c->def);
  c->d = ap_ddp_init(&c->def, c->memory, size, NULL);
  check_solution(c, 600);
  const double *q = ap_ddp_position(c->d, 200), *v = ap_ddp_velocity(c->d, 200);
  CHECK_WITHIN(q, c->q, 2, 0.05);
  CHECK_WITHIN(v, c->v0, 2, 0.1);
  ddp_free(c);
}

TEST(an_arm_reaches_a_pose_within_its_torques) {
  ddp_case *c = ddp_reach();
  check_solution(c, 100);
  const double *q = ap_ddp_position(c->d, 100);
  double R[9], p[3];
  CHECK_OK(ap_forward_kinematics(c->m, c->w, q, &c->frame.frame, 1, AP_LOCAL, R, p, NULL));
  CHECK_WITHIN(p, c->frame.p, 3, 1e-3);
  CHECK_WITHIN(R, c->frame.R, 9, 1e-2);
  for (int j = 0; j < 7; j++)
    CHECK(q[j] > ap_body(c->m, j + 1)->lower && q[j] < ap_body(c->m, j + 1)->upper);
  CHECK_WITHIN(ap_ddp_velocity(c->d, 100), c->v0, 7, 1e-2);
  ddp_free(c);
}

// In flight no force acts but gravity: the centre of mass falls as a stone does, to what one step
// of Euler's method is off, and the trunk turns all the same.
TEST(a_quadruped_turns_in_flight) {
  ddp_case *c = ddp_flight();
  check_solution(c, 200);
  const int N = c->def.horizon, nv = ap_nv(c->m);
  double r[DDP_NV], com[3], before[3];
  ap_difference(c->m, c->q, ap_ddp_position(c->d, N), r);
  for (int i = 3; i < 6; i++) CHECK_CLOSE(r[i], 0, 0.02);
  ap_kinematics(c->m, c->w, c->q0, NULL, NULL);
  ap_centre_of_mass(c->m, c->w, before, NULL, NULL);
  ap_kinematics(c->m, c->w, ap_ddp_position(c->d, N), ap_ddp_velocity(c->d, N), NULL);
  ap_centre_of_mass(c->m, c->w, com, NULL, NULL);
  const double T = N * c->def.step;
  CHECK_CLOSE(com[2], before[2] - 9.81 * T * T / 2, 0.05);
  CHECK_CLOSE(com[0], before[0], 0.02);
  CHECK_EQ_INT(nv, 18);
  ddp_free(c);
}

// ---- control in a loop -------------------------------------------------------------------------

// The cart-pole beside its upright pose, pushed, with a short horizon and one iteration per step:
// it stays up, and none of it touches the heap.
TEST(one_iteration_per_step_balances) {
  ddp_case *c = ddp_cart_pole();
  double q[2] = {0, c->q[1] + 0.2}, v[2] = {0, 0}, a[2], tau[2] = {0, 0};
  c->def.horizon = 40, c->def.step = 0.02;
  const size_t size = ap_ddp_size(&c->def);
  void *memory = malloc(size);
  install_heap();
  allocations = 0, armed = true;
  ap_ddp *d = ap_ddp_init(&c->def, memory, size, NULL);
  ap_status worst = AP_OK;
  for (int k = 0; k < 200; k++) {
    if (k == 100) v[1] += 0.8;
    ap_status status = ap_ddp_start(d, q, v);
    if (status) worst = status;
    status = ap_ddp_solve(d, c->w, 1, NULL);
    if (status && status != AP_E_NO_CONVERGENCE) worst = status;
    tau[0] = ap_ddp_control(d, 0)[0];
    for (int h = 0; h < 4; h++) { // finer than the model's steps
      status = ap_forward_dynamics(c->m, c->w, q, v, tau, a);
      if (status) worst = status;
      for (int i = 0; i < 2; i++) v[i] += 0.005 * a[i], q[i] += 0.005 * v[i];
    }
    ap_ddp_shift(d, 1);
  }
  armed = false;
  CHECK_EQ_INT(allocations, 0);
  CHECK_OK(worst);
  CHECK_CLOSE(q[1], c->q[1], 0.02);
  CHECK_CLOSE(q[0], 0, 0.1);
  free(memory);
  ddp_free(c);
}

// A second call begins where the first ended; shifting keeps what is left of the plan.
TEST(calls_go_on_where_they_were) {
  ddp_case *c = ddp_cart_pole(), *b = ddp_cart_pole();
  ap_ddp_report r, s;
  ap_ddp_solve(c->d, c->w, 20, &r);
  for (int k = 0; k < 4; k++) ap_ddp_solve(b->d, b->w, 5, &s);
  CHECK_CLOSE(s.cost, r.cost, 1e-12 * r.cost);
  double kept[2] = {ap_ddp_control(c->d, 3)[0], ap_ddp_control(c->d, 99)[0]};
  ap_ddp_shift(c->d, 3);
  CHECK_CLOSE(ap_ddp_control(c->d, 0)[0], kept[0], 0);
  for (int k = 96; k < 100; k++) CHECK_CLOSE(ap_ddp_control(c->d, k)[0], kept[1], 0);
  ap_ddp_shift(c->d, 1000);
  CHECK_CLOSE(ap_ddp_control(c->d, 0)[0], kept[1], 0);
  ddp_free(c), ddp_free(b);
}

// ---- refusals ----------------------------------------------------------------------------------

static void refused(const ap_ddp_def *def, const char *words) {
  unsigned char memory[8];
  ap_error error = {0};
  CHECK_EQ_INT((intmax_t)ap_ddp_size(def), 0);
  CHECK(!ap_ddp_init(def, memory, sizeof memory, &error));
  CHECK_STATUS(error.status, AP_E_ARG);
  CHECK_HAS(error.text, words);
}

TEST(bad_problems_are_refused) {
  ddp_case *c = ddp_cart_pole();
  ap_ddp_def def = c->def;
  const int wrong[1] = {2};
  const double low[1] = {3}, high[1] = {2}, minus[2] = {1, -1}, nan[2] = {NAN, 0};
  ap_ddp_frame frame = {.frame = 77};
  def.horizon = 0, refused(&def, "a horizon of 0 steps"), def = c->def;
  def.step = NAN, refused(&def, "a step of nan s"), def = c->def;
  def.controls = 3, refused(&def, "3 controls (1 to 2"), def = c->def;
  def.actuated = wrong, refused(&def, "control 1 is entry 2 of tau"), def = c->def;
  def.lower = low, def.upper = high, refused(&def, "the limits 3 and 2"), def = c->def;
  def.end_q = minus, refused(&def, "entry 2 of end_q is -1"), def = c->def;
  def.weight_v = nan, refused(&def, "entry 1 of weight_v is nan"), def = c->def;
  def.frames = &frame, def.nframe = 1, refused(&def, "frame 77"), def = c->def;
  def.cookie = 0, refused(&def, "ap_default_ddp"), def = c->def;
  ap_error error = {0};
  CHECK(!ap_ddp_init(&def, c->memory, 100, &error));
  CHECK_STATUS(error.status, AP_E_MEMORY);
  CHECK_STATUS(ap_ddp_start(c->d, nan, c->v0), AP_E_ARG);
  CHECK_STATUS(ap_ddp_guess(c->d, (double[100]){[7] = INFINITY}), AP_E_ARG);
  // a state from which nothing can be computed is told, and the solver can be used again
  const double huge[2] = {0, 1e200};
  CHECK_OK(ap_ddp_start(c->d, c->q0, huge));
  CHECK_STATUS(ap_ddp_solve(c->d, c->w, 5, NULL), AP_E_SINGULAR);
  CHECK_OK(ap_ddp_start(c->d, c->q0, c->v0));
  CHECK_STATUS(ap_ddp_solve(c->d, c->w, 5, NULL), AP_E_NO_CONVERGENCE);
  ddp_free(c);
}
