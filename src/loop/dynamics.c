// SPDX-License-Identifier: Apache-2.0
// Dynamics in independent coordinates, from those of the tree. With xd = P v
//
//   M = P^T M_t P,   C = P^T (C_t P + M_t P'),   G = P^T g_t,   J_act = S P,
//   P = K^+ [0; 1],  P' = -K^+ K' P,
//
// where M_t, C_t, g_t are the tree's and S picks the actuated joints. C_t belongs to the body
// Jacobians J_t and J_t', so this C belongs to J_t P and (J_t P)': Christoffel's again. See
// docs/loops.md.

#include <string.h>

#include "loop/matrix.h"
#include "loop/work.h"
#include "num/cholesky.h"

// xd = P v
static void velocity(const ap_mechanism *m, ap_loop *l, const double *v) {
  multiply(m->nv, m->n, 1, l->P, v, l->xd);
}

// xd = P v and xdd = P a - K^+ (K' xd); a may be NULL.
static void acceleration(const ap_mechanism *m, ap_loop *l, const double *v, const double *a) {
  int rows = m->nrow + m->n, nv = m->nv;
  velocity(m, l, v);
  ap__rows(m, l, l->x, l->xd, AP_ROWS_BIAS, l->try_F);
  for (int i = 0; i < rows; i++) l->tall[i] = -l->bias[i];
  ap__qr_solve(&l->qr, l->tall, l->xdd);
  if (!a) return;
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < m->n; j++) l->xdd[i] += l->P[i * m->n + j] * a[j];
}

static bool state_is_finite(const ap_mechanism *m, const double *v, const double *a) {
  return (!v || ap__finite(m->n, v)) && (!a || ap__finite(m->n, a));
}

// Hand out a result, or nothing where it is too large for numbers.
static ap_status copy_if_finite(int n, const double *result, double *out) {
  if (!ap__finite(n, result)) return AP_E_ARG;
  memcpy(out, result, sizeof(double) * (size_t)n);
  return AP_OK;
}

#define PREPARE(v, a)                               \
  do {                                              \
    if (!state_is_finite(m, v, a)) return AP_E_ARG; \
    ap_status prepared_ = ap__loop_map(m, l, q);    \
    if (prepared_ != AP_OK) return prepared_;       \
  } while (0)

ap_status ap_loop_map(const ap_mechanism *m, ap_loop *l, const double *q, double *P) {
  PREPARE(NULL, NULL);
  memcpy(P, l->P, sizeof(double) * (size_t)m->nv * (size_t)m->n);
  return AP_OK;
}

ap_status ap_loop_velocity(const ap_mechanism *m, ap_loop *l, const double *q, const double *v,
                           double *xd) {
  PREPARE(v, NULL);
  velocity(m, l, v);
  return copy_if_finite(m->nv, l->xd, xd);
}

ap_status ap_loop_acceleration(const ap_mechanism *m, ap_loop *l, const double *q, const double *v,
                               const double *a, double *xdd) {
  PREPARE(v, a);
  acceleration(m, l, v, a);
  return copy_if_finite(m->nv, l->xdd, xdd);
}

ap_status ap_loop_actuator_map(const ap_mechanism *m, ap_loop *l, const double *q, double *J_act) {
  PREPARE(NULL, NULL);
  memcpy(J_act, l->J_act, sizeof(double) * (size_t)m->nact * (size_t)m->n);
  return AP_OK;
}

// ---- forces ------------------------------------------------------------------------------------

// Forces on the tree from outside.
typedef struct outside {
  const ap_wrench *wrench;
  int n;
} outside;

static bool is_right(const ap_mechanism *m, outside o) {
  for (int i = 0; i < o.n; i++) {
    const ap_wrench *w = &o.wrench[i];
    if (w->frame < 0 || w->frame >= ap_nframe(m->tree)) return false;
    if (!ap__finite(3, w->force) || !ap__finite(3, w->moment)) return false;
  }
  return o.n >= 0;
}

// l->f = forces that the tree's joints need.
static void tree_forces(const ap_mechanism *m, ap_loop *l, const double *v, const double *a,
                        outside o) {
  acceleration(m, l, v, a);
  if (o.n == 0)
    ap_inverse_dynamics(m->tree, l->work, l->x, l->xd, l->xdd, l->f);
  else
    ap_inverse_dynamics_ext(m->tree, l->work, l->x, l->xd, l->xdd, o.wrench, o.n, l->f);
}

// Q = P^T (forces of the tree).
static void forces(const ap_mechanism *m, ap_loop *l, const double *v, const double *a, outside o,
                   double *Q) {
  tree_forces(m, l, v, a, o);
  transposed(m->nv, m->n, l->P, l->f, Q);
}

void ap__loop_forces(const ap_mechanism *m, ap_loop *l, const double *v, const double *a,
                     double *Q) {
  forces(m, l, v, a, (outside){0}, Q);
}

ap_status ap_loop_forces(const ap_mechanism *m, ap_loop *l, const double *q, const double *v,
                         const double *a, double *Q) {
  PREPARE(v, a);
  ap__loop_forces(m, l, v, a, l->vec);
  return copy_if_finite(m->n, l->vec, Q);
}

ap_status ap__loop_actuate(const ap_mechanism *m, ap_loop *l, double *Q, double *tau) {
  ap_qr *qr = &l->small_qr;
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < m->nact; j++) qr->A[i * m->nact + j] = l->J_act[j * m->n + i];
  ap__qr_factor(qr, 1e-13);
  if (!(ap__qr_nearness(qr, m->n) > AP_PARALLEL_NEAR)) return AP_E_SINGULAR_PARALLEL;
  if (!ap__finite(m->n, Q)) return AP_E_ARG;
  ap__qr_solve(qr, Q, l->sigma);
  return copy_if_finite(m->nact, l->sigma, tau);
}

ap_status ap_loop_inverse_dynamics_ext(const ap_mechanism *m, ap_loop *l, const double *q,
                                       const double *v, const double *a, const ap_wrench *wrenches,
                                       int n, double *tau) {
  const outside o = {wrenches, n};
  if (m->nact < m->n) return AP_E_UNSUPPORTED;
  if (!is_right(m, o)) return AP_E_ARG;
  PREPARE(v, a);
  forces(m, l, v, a, o, l->vec);
  return ap__loop_actuate(m, l, l->vec, tau);
}

ap_status ap_loop_inverse_dynamics(const ap_mechanism *m, ap_loop *l, const double *q,
                                   const double *v, const double *a, double *tau) {
  return ap_loop_inverse_dynamics_ext(m, l, q, v, a, NULL, 0, tau);
}

void ap__loop_inertia(const ap_mechanism *m, ap_loop *l, double *M) {
  int n = m->n;
  ap_inertia_matrix(m->tree, l->work, l->x, l->tree);
  multiply(m->nv, m->nv, n, l->tree, l->P, l->product);
  memset(M, 0, sizeof(double) * (size_t)n * (size_t)n);
  add_transposed(m->nv, n, n, l->P, l->product, M);
  for (int i = 0; i < n; i++) // symmetric to the bit
    for (int j = 0; j < i; j++) M[i * n + j] = M[j * n + i] = 0.5 * (M[i * n + j] + M[j * n + i]);
}

ap_status ap_loop_forward_dynamics_ext(const ap_mechanism *m, ap_loop *l, const double *q,
                                       const double *v, const double *tau,
                                       const ap_wrench *wrenches, int count, double *a) {
  const outside o = {wrenches, count};
  int n = m->n;
  if (!ap__finite(m->nact, tau) || !is_right(m, o)) return AP_E_ARG;
  PREPARE(v, NULL);
  double *Q = l->vec, *L = l->small;
  ap__loop_inertia(m, l, L);
  if (!ap__cholesky(n, L)) return AP_E_SINGULAR;
  forces(m, l, v, NULL, o, Q);
  for (int i = 0; i < n; i++) {
    Q[i] = -Q[i];
    for (int j = 0; j < m->nact; j++) Q[i] += l->J_act[j * n + i] * tau[j];
  }
  ap__cholesky_solve(n, L, Q);
  return copy_if_finite(n, Q, a);
}

ap_status ap_loop_forward_dynamics(const ap_mechanism *m, ap_loop *l, const double *q,
                                   const double *v, const double *tau, double *a) {
  return ap_loop_forward_dynamics_ext(m, l, q, v, tau, NULL, 0, a);
}

// ---- forces in the closures --------------------------------------------------------------------

// What the tree's forces lack of those in its joints must come of closures: it does no work on the
// motions that these allow, but for rounding.
static bool belong_together(const ap_mechanism *m, const ap_loop *l, const double *lacking,
                            const double *tau) {
  for (int i = 0; i < m->n; i++) {
    double sum = 0, size = 0;
    for (int j = 0; j < m->nv; j++) {
      sum += l->P[j * m->n + i] * lacking[j];
      size += fabs(l->P[j * m->n + i] * l->f[j]);
    }
    for (int j = 0; j < m->nact; j++) size += fabs(l->J_act[j * m->n + i] * tau[j]);
    if (!(fabs(sum) <= 1e-8 * size)) return false;
  }
  return true;
}

ap_status ap_loop_closure_forces(const ap_mechanism *m, ap_loop *l, const double *q,
                                 const double *v, const double *a, const double *tau,
                                 const ap_wrench *wrenches, int n, double *lambda,
                                 ap_closure_force *force) {
  const outside o = {wrenches, n};
  if (!ap__finite(m->nact, tau) || !is_right(m, o)) return AP_E_ARG;
  PREPARE(v, a);
  tree_forces(m, l, v, a, o);
  double *lacking = l->step; // M_t xdd + h_t - S^T tau - J^T f = Phi_x^T lambda
  memcpy(lacking, l->f, sizeof(double) * (size_t)m->nv);
  ap__rows(m, l, l->x, NULL, AP_ROWS_JACOBIAN, l->try_F);
  for (int i = 0; i < m->nact; i++) {
    const int column = m->actuated_column[i];
    if (column >= 0) lacking[column] -= tau[i];
    for (int j = 0; j < m->nv && column < 0; j++)
      lacking[j] -= l->K[(m->nrow + AP_ALONG_COORDINATE(column)) * m->nv + j] * tau[i];
  }
  if (!belong_together(m, l, lacking, tau)) return AP_E_ARG;
  ap__multipliers(m, l, lacking);
  if (lambda) memcpy(lambda, l->lambda, sizeof(double) * (size_t)m->nrow);
  for (int i = 0; force && i < m->nclosing; i++) ap__closure_force(m, l, i, &force[i]);
  return AP_OK;
}

// ---- matrices ----------------------------------------------------------------------------------

ap_status ap_loop_inertia_matrix(const ap_mechanism *m, ap_loop *l, const double *q, double *M) {
  PREPARE(NULL, NULL);
  ap__loop_inertia(m, l, l->small);
  return copy_if_finite(m->n * m->n, l->small, M);
}

ap_status ap_loop_coriolis_matrix(const ap_mechanism *m, ap_loop *l, const double *q,
                                  const double *v, double *C) {
  int n = m->n, nv = m->nv, rows = m->nrow + n;
  PREPARE(v, NULL);
  velocity(m, l, v);
  ap__rows(m, l, l->x, l->xd, AP_ROWS_RATES, l->try_F);
  multiply(rows, nv, n, l->Kd, l->P, l->B);
  for (int i = 0; i < rows * n; i++) l->B[i] = -l->B[i];
  ap__qr_solve_many(&l->qr, n, l->B, l->Z, l->Pd);
  double *sum = l->small;
  memset(sum, 0, sizeof(double) * (size_t)n * (size_t)n);
  ap_coriolis_matrix(m->tree, l->work, l->x, l->xd, l->tree);
  multiply(nv, nv, n, l->tree, l->P, l->product);
  add_transposed(nv, n, n, l->P, l->product, sum);
  ap_inertia_matrix(m->tree, l->work, l->x, l->tree);
  multiply(nv, nv, n, l->tree, l->Pd, l->product);
  add_transposed(nv, n, n, l->P, l->product, sum);
  return copy_if_finite(n * n, sum, C);
}

ap_status ap_loop_gravity_forces(const ap_mechanism *m, ap_loop *l, const double *q, double *G) {
  PREPARE(NULL, NULL);
  ap_gravity_forces(m->tree, l->work, l->x, l->f);
  transposed(m->nv, m->n, l->P, l->f, l->vec);
  return copy_if_finite(m->n, l->vec, G);
}

ap_status ap_loop_energy(const ap_mechanism *m, ap_loop *l, const double *q, const double *v,
                         double *kinetic, double *potential) {
  PREPARE(v, NULL);
  velocity(m, l, v);
  double energy[2] = {ap_kinetic_energy(m->tree, l->work, l->x, l->xd),
                      ap_potential_energy(m->tree, l->work, l->x)};
  if (!ap__finite(2, energy)) return AP_E_ARG;
  if (kinetic) *kinetic = energy[0];
  if (potential) *potential = energy[1];
  return AP_OK;
}
