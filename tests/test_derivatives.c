// SPDX-License-Identifier: Apache-2.0
// Derivatives of the dynamics: against differences of binary128 results, in every arithmetic, for
// every joint type, trees, free bases, followers, friction.
//
// The reference: (f(-2h) - 8 f(-h) + 8 f(h) - f(2h)) / 12 h in binary128 with h = 1e-6. Its error
// is h^4/30 of a fifth derivative plus 2e-34 / h of the terms, 1e-24 and 1e-27 relative to what the
// terms add up to: a double cannot tell it from the truth.

#include <appell/dyn.h>
#include <appell/kin.h>
#include <appell/research.h>

#include "models.h"
#include "oracle.h"

#include "f128.h"

#ifdef AP_HAVE_F128

enum { MATRIX = ROBOT_V * ROBOT_V };

static oracle newton;

// The state in binary128.
typedef struct state {
  real q[ROBOT_Q], v[ROBOT_V], a[ROBOT_V];
} state;

static void widen(const ap_model *m, const motion *s, state *x) {
  for (int k = 0; k < ap_nq(m); k++) x->q[k] = s->q[k];
  for (int k = 0; k < ap_nv(m); k++) x->v[k] = s->v[k], x->a[k] = s->a[k];
}

// A quaternion turned by t about axis k of its body, up to t^3 (whose derivative at 0 is 0) and its
// length (which nothing depends on).
static void turn_quaternion(real *q, int k, real t) {
  real x = q[0], y = q[1], z = q[2], w = q[3], h = t / 2;
  const real by[3][4] = {{w, z, -y, -x}, {-z, w, x, -y}, {y, -x, w, -z}};
  for (int i = 0; i < 4; i++) q[i] += h * by[k][i];
}

// q moved by t along degree of freedom j.
static void move(const ap_model *m, real *q, int j, real t) {
  for (int i = 1; i < ap_nbody(m); i++) {
    int k = j - ap_joint_v(m, i);
    if (ap_joint_nv(m, i) == 0 || k < 0 || k >= ap_joint_nv(m, i)) continue;
    real *at = q + ap_joint_q(m, i);
    ap_joint_type type = ap_body(m, i)->joint;
    if (type == AP_SPHERICAL) {
      turn_quaternion(at, k, t);
    } else if (type == AP_FREE && k >= 3) {
      turn_quaternion(at + 3, k - 3, t);
    } else if (type == AP_FREE) {
      vec3 step = apply(quaternion_matrix(at + 3), unit(k));
      store3(at, add(load3(at), scale(t, step)));
    } else {
      at[k] += t;
    }
  }
}

typedef enum { BY_Q, BY_V, BY_A } variable;

// What is differentiated: tau at (q, v, a), or a at (q, v, tau).
typedef struct dynamics {
  WORK *w;
  bool forward;
} dynamics;

static void dynamics_at(const dynamics *d, const state *x, real *y) {
  if (d->forward)
    CHECK_OK(forward(d->w, x->q, x->v, x->a, NULL, y));
  else
    inverse(d->w, x->q, x->v, x->a, NULL, y);
}

static void difference(const dynamics *d, const state *x, variable by, real *D) {
  const ap_model *m = d->w->model;
  const real h = (real)1e-6;
  int n = ap_nv(m);
  for (int k = 0; k < n * n; k++) D[k] = 0;
  for (int j = 0; j < n; j++)
    for (int s = -2; s <= 2; s++) {
      static const int weight[] = {1, -8, 0, 8, -1};
      real y[ROBOT_V];
      state moved = *x;
      if (s == 0) continue;
      if (by == BY_Q) move(m, moved.q, j, s * h);
      if (by == BY_V) moved.v[j] += s * h;
      if (by == BY_A) moved.a[j] += s * h;
      dynamics_at(d, &moved, y);
      for (int i = 0; i < n; i++) D[i * n + j] += weight[s + 2] * y[i] / (12 * h);
    }
}

// Rounding of a derivative of the inverse dynamics. Each of its terms is a term of tau with one
// factor replaced by its derivative; taken at rates larger by one (what a unit rate puts in the
// place of a rate) the sum of the magnitudes of the terms of tau bounds theirs. Eight times: levers
// are measured from O and may be twice as long, twice in an inertia; a velocity enters squared.
static double bound_of(const motion *s, double eps) {
  double v[ROBOT_V], a[ROBOT_V], tau[ROBOT_V];
  for (int k = 0; k < newton.nv; k++) v[k] = fabs(s->v[k]) + 1, a[k] = fabs(s->a[k]) + 1;
  oracle_inverse(&newton, s->q, v, a, NULL, 0, tau);
  return 8 * oracle_bound(&newton, eps);
}

static double *doubles(const real *x, int n, double *y) {
  for (int k = 0; k < n; k++) y[k] = (double)x[k];
  return y;
}

static real wide[3][MATRIX], reference[MATRIX];
static double narrow[3][MATRIX], expected[MATRIX];

// The largest difference of two matrices of binary128.
static double apart(const real *x, const real *y, int n) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs((double)(x[k] - y[k])));
  return most;
}

TEST(inverse_derivatives_are_slopes) {
  FOR_EACH_MODEL (r) {
    work_f128 x = work_make_f128(r->m);
    int n = ap_nv(r->m);
    oracle_init(&newton, &r->def);
    if (!CHECK(x.w)) return;
    FOR_EACH_STATE (r, s, 2) {
      state y;
      set_friction(x.w, newton.friction = s.number > 0);
      ap_set_friction(r->m, r->w, s.number > 0);
      widen(r->m, &s, &y);
      double size = bound_of(&s, 1), bound = bound_of(&s, DBL_EPSILON);
      derivatives(x.w, y.q, y.v, y.a, NULL, NULL, (real *const[]){wide[0], wide[1], wide[2]});
      CHECK_OK(ap_inverse_dynamics_derivatives(r->m, r->w, s.q, s.v, s.a, narrow[0], narrow[1],
                                               narrow[2]));
      for (variable by = BY_Q; by <= BY_A; by++) {
        test_context("%s, state %d, by %d", r->label, s.number, by);
        difference(&(dynamics){x.w, false}, &y, by, reference);
        CHECK(apart(wide[by], reference, n * n) <= 1e-24 * size);
        CHECK_WITHIN(narrow[by], doubles(reference, n * n, expected), n * n, bound);
      }
    }
    free(x.memory);
  }
}

// Of the forward dynamics: M D = -d tau at the a that tau causes. With d the bound above at that a,
// the right-hand side is off by d and by n d times the error of a, the matrix by `of_M`, and what
// is off is enlarged by |M^-1|. Infinite where a first-order argument does not hold.
static double forward_bound(const motion *s, const double *a, double size, double eps) {
  static double M[MATRIX], inverse[MATRIX];
  int n = newton.nv;
  motion there = *s;
  memcpy(there.a, a, (size_t)n * sizeof *a);
  double of_tau = bound_of(&there, eps);
  oracle_inertia(&newton, s->q, M);
  double of_M = n * oracle_bound(&newton, eps) + 4 * n * eps * dense_norm(M, n);
  if (!CHECK(dense_inverse(M, n, inverse))) return 0;
  double gain = dense_norm(inverse, n);
  if (gain * of_M > 0.1) return INFINITY;
  double of_a = 2 * gain * (of_tau + of_M * test_norm(a, n));
  return 2 * gain * (of_tau + n * of_tau / eps * of_a + of_M * size);
}

TEST(forward_derivatives_are_slopes) {
  FOR_EACH_MODEL (r) {
    if (ap_nv(r->m) > 24) continue; // minutes of binary128, and nothing new
    work_f128 x = work_make_f128(r->m);
    int n = ap_nv(r->m);
    oracle_init(&newton, &r->def);
    if (!CHECK(x.w)) return;
    FOR_EACH_STATE (r, s, 1) {
      state y;
      real a[ROBOT_V];
      double a_double[ROBOT_V];
      widen(r->m, &s, &y);
      CHECK_OK(forward_derivatives(x.w, y.q, y.v, y.a, NULL, NULL,
                                   (real *const[]){wide[0], wide[1], wide[2]}));
      CHECK_OK(ap_forward_dynamics_derivatives(r->m, r->w, s.q, s.v, s.a, narrow[0], narrow[1],
                                               narrow[2]));
      CHECK_OK(forward(x.w, y.q, y.v, y.a, NULL, a));
      doubles(a, n, a_double);
      for (variable by = BY_Q; by <= BY_A; by++) {
        test_context("%s, by %d", r->label, by);
        difference(&(dynamics){x.w, true}, &y, by, reference);
        double size = dense_norm(doubles(reference, n * n, expected), n);
        double bound = forward_bound(&s, a_double, size, DBL_EPSILON);
        if (bound == INFINITY) continue;
        CHECK(apart(wide[by], reference, n * n) <= 1e-8 * bound);
        CHECK_WITHIN(narrow[by], expected, n * n, bound);
      }
    }
    free(x.memory);
  }
}

// Wrenches of every reference, by differences in double: with h = 1/256 their error is h^4/30 of a
// fifth derivative, 1e-11, and DBL_EPSILON / h of the terms, 6e-14. What differs from the
// derivatives without wrenches is at most the forces of 10 at levers of `reach`, turned.
static void difference_ext(const test_robot *r, const motion *s, const ap_wrench *x, int count,
                           double *D) {
  static const int weight[] = {1, -8, 0, 8, -1};
  const double h = 1. / 256;
  int n = ap_nv(r->m);
  memset(D, 0, sizeof *D * (size_t)(n * n));
  for (int j = 0; j < n; j++)
    for (int k = -2; k <= 2; k++) {
      double step[ROBOT_V] = {0}, q[ROBOT_Q], with[ROBOT_V], without[ROBOT_V];
      if (k == 0) continue;
      step[j] = k * h;
      ap_integrate(r->m, s->q, step, q);
      CHECK_OK(ap_inverse_dynamics_ext(r->m, r->w, q, s->v, s->a, x, count, with));
      ap_inverse_dynamics(r->m, r->w, q, s->v, s->a, without);
      for (int i = 0; i < n; i++) D[i * n + j] += weight[k + 2] * (with[i] - without[i]) / (12 * h);
    }
}

TEST(wrenches_are_held_as_they_say) {
  enum { COUNT = 6 };
  static double with[3][MATRIX], D[MATRIX];
  rng random = rng_seed(8);
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      int n = ap_nv(r->m);
      ap_wrench x[COUNT];
      double reach = 1;
      for (int k = 0; k < COUNT; k++) {
        x[k] = (ap_wrench){.frame = rng_int(&random, 0, ap_nframe(r->m) - 1),
                           .reference = (ap_reference)(k % 3)};
        random_vector(&random, 3, x[k].force), random_vector(&random, 3, x[k].moment);
      }
      oracle_init(&newton, &r->def);
      oracle_move(&newton, s.q, s.v, s.a);
      for (int k = 0; k < r->def.nbody; k++) reach = fmax(reach, (double)newton.body[k].reach + 1);
      double bound = 1e-9 * 5 * COUNT * reach * (double)newton.gain * (double)newton.gain;
      CHECK_OK(ap_inverse_dynamics_derivatives(r->m, r->w, s.q, s.v, s.a, narrow[0], NULL, NULL));
      CHECK_OK(ap_inverse_dynamics_derivatives_ext(r->m, r->w, s.q, s.v, s.a, x, COUNT, with[0],
                                                   with[1], with[2]));
      difference_ext(r, &s, x, COUNT, D);
      for (int k = 0; k < n * n; k++) with[0][k] -= narrow[0][k];
      CHECK_WITHIN(with[0], D, n * n, bound);
      x[0].frame = -1;
      CHECK(ap_inverse_dynamics_derivatives_ext(r->m, r->w, s.q, s.v, s.a, x, 1, D, D, D) ==
            AP_E_ARG);
      CHECK(ap_forward_dynamics_derivatives_ext(r->m, r->w, s.q, s.v, s.a, x, 1, D, D, D) ==
            AP_E_ARG);
    }
}

// What is not asked for changes nothing of the rest; float does as double does.
TEST(any_matrix_may_be_left_out) {
  static double alone[MATRIX];
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      int n = ap_nv(r->m) * ap_nv(r->m);
      for (int forward = 0; forward < 2; forward++) {
        ap_status (*f)(const ap_model *, ap_work *, const double *, const double *, const double *,
                       double *, double *, double *) =
            forward ? ap_forward_dynamics_derivatives : ap_inverse_dynamics_derivatives;
        CHECK_OK(f(r->m, r->w, s.q, s.v, s.a, narrow[0], narrow[1], narrow[2]));
        CHECK_OK(f(r->m, r->w, s.q, s.v, s.a, NULL, NULL, NULL));
        for (int k = 0; k < 3; k++) {
          double *out[3] = {NULL, NULL, NULL};
          out[k] = alone;
          CHECK_OK(f(r->m, r->w, s.q, s.v, s.a, out[0], out[1], out[2]));
          CHECK_BITS(alone, narrow[k], n);
        }
      }
    }
}

// The bound of the inverse dynamics in float, against double; inputs are numbers that float holds.
TEST(float_twins_compute_the_same) {
  static float got[3][MATRIX];
  static double got_double[MATRIX];
  FOR_EACH_MODEL (r) {
    size_t size = ap_work_size_f32(r->m);
    void *memory = malloc(size);
    ap_work_f32 *w = ap_work_init_f32(r->m, memory, size);
    oracle_init(&newton, &r->def);
    if (!CHECK(w)) return;
    FOR_EACH_STATE (r, s, 1) {
      int n = ap_nv(r->m);
      float q[ROBOT_Q], v[ROBOT_V], a[ROBOT_V];
      for (int k = 0; k < ap_nq(r->m); k++) s.q[k] = q[k] = (float)s.q[k];
      for (int k = 0; k < n; k++) s.v[k] = v[k] = (float)s.v[k], s.a[k] = a[k] = (float)s.a[k];
      CHECK_OK(ap_inverse_dynamics_derivatives(r->m, r->w, s.q, s.v, s.a, narrow[0], narrow[1],
                                               narrow[2]));
      CHECK_OK(ap_inverse_dynamics_derivatives_f32(r->m, w, q, v, a, got[0], got[1], got[2]));
      double bound = bound_of(&s, FLT_EPSILON);
      for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n * n; i++) got_double[i] = (double)got[k][i];
        CHECK_WITHIN(got_double, narrow[k], n * n, bound);
      }
      if (ap_forward_dynamics_derivatives_f32(r->m, w, q, v, a, got[0], got[1], got[2])) continue;
      for (int i = 0; i < n * n; i++) CHECK(isfinite(got[0][i]) && isfinite(got[2][i]));
    }
    free(memory);
  }
}

// Two links on one axis, the outer of no mass: its inertia is zero.
TEST(singular_inertia_leaves_all_untouched) {
  static test_robot r;
  double q[2] = {0.3, 0.4}, v[2] = {1, 2}, tau[2] = {0, 0}, out[3][4], before[3][4];
  robot_clear(&r, "singular", 2);
  for (int k = 0; k < 2; k++) r.body[k].joint = AP_REVOLUTE;
  r.body[0].mass = 1, r.body[0].com[0] = 0.1;
  for (int k = 0; k < 6; k += 3) r.body[0].inertia[k] = 0.01;
  r.body[0].inertia[5] = 0.01;
  if (!robot_make(&r)) return;
  for (int k = 0; k < 12; k++) out[k / 4][k % 4] = before[k / 4][k % 4] = k;
  CHECK(ap_forward_dynamics_derivatives(r.m, r.w, q, v, tau, out[0], out[1], out[2]) ==
        AP_E_SINGULAR);
  CHECK_BITS(out[0], before[0], 12);
  robot_free(&r);
}

#else

TEST(derivatives) { test_skip("no binary128 here, so no reference"); }

#endif
