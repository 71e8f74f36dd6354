// SPDX-License-Identifier: Apache-2.0
// Derivatives of the dynamics in independent coordinates, by the chain rule through the closures.
//
// A column k of P is what the tree does while q_k moves alone, so d/dq_k is the derivative along
// P_k. K P = [0; 1], K xd = [0; v] and K xdd + K' xd = [0; a] hold for all q, hence
//
//   dP = -K^+ dK P,   dxd = dP v,   dxdd = -K^+ d(K xdd + K' xd)
//
// the last at xdd held and with dxd in it. With the tree's forces f(x, xd, xdd) and their
// derivatives, Q = P^T f gives
//
//   dQ = dP^T f + P^T (f_x P_k + f_xd dxd + M_t dxdd)
//
// and tau follows from J_act^T tau = Q, J_act = S P. See docs/loops.md.

#include <string.h>

#include "loop/displaced.h"
#include "loop/matrix.h"
#include "loop/work.h"
#include "num/cholesky.h"

// Where derivatives are made.
typedef struct ap_slopes {
  ap_displaced *displaced;
  double *by[3];    // [nv * nv] the tree's forces by x, xd and xdd
  double *Q[3];     // [n * n] the forces on the coordinates by q, v and a
  double *dJ;       // [n * nact * n] J_act by each q
  double *dP;       // [nv * n] P by one q
  double *y;        // [nv] a column of P
  double *dxd;      // [nv]
  double *dxdd;     // [nv]
  double *g;        // [nv]
  double *change;   // [rows]
  double *inverse;  // [nact * n] that of J_act^T
  double *room;     // [nact * n]
  double *identity; // [n * n]
  double *tau;      // [nact]
  double *a;        // [n]
  double *z;        // [n]
  double *c;        // [nact]
  double *out[3];   // [larger of n, nact times n, or n * nact]
} slopes;

static size_t lay_out(const ap_mechanism *m, void *mem, slopes **where, void **displaced) {
  ap_arena a = ap__arena(mem);
  const size_t nv = (size_t)m->nv, n = (size_t)m->n, nact = (size_t)m->nact;
  const size_t most = n * (n > nact ? n : nact);
  slopes none, *s = AP_TAKE(&a, slopes, 1);
  *where = s;
  if (!s) s = &none;
  *displaced = AP_TAKE_ALIGNED(&a, unsigned char, ap__displaced_size(m));
  for (int k = 0; k < 3; k++) {
    s->by[k] = AP_TAKE(&a, double, nv *nv);
    s->Q[k] = AP_TAKE(&a, double, n *n);
    s->out[k] = AP_TAKE(&a, double, most);
  }
  s->dJ = AP_TAKE(&a, double, n *nact *n);
  s->dP = AP_TAKE(&a, double, nv *n);
  s->y = AP_TAKE(&a, double, nv);
  s->dxd = AP_TAKE(&a, double, nv);
  s->dxdd = AP_TAKE(&a, double, nv);
  s->g = AP_TAKE(&a, double, nv);
  s->change = AP_TAKE(&a, double, (size_t)m->nrow + n);
  s->inverse = AP_TAKE(&a, double, nact *n);
  s->room = AP_TAKE(&a, double, nact *n);
  s->identity = AP_TAKE(&a, double, n *n);
  s->tau = AP_TAKE(&a, double, nact);
  s->a = AP_TAKE(&a, double, n);
  s->z = AP_TAKE(&a, double, n);
  s->c = AP_TAKE(&a, double, nact);
  return ap__arena_size(&a);
}

size_t ap__slopes_size(const ap_mechanism *m) {
  slopes *s;
  void *displaced;
  return lay_out(m, NULL, &s, &displaced);
}

slopes *ap__slopes_init(const ap_mechanism *m, void *mem) {
  slopes *s;
  void *displaced;
  lay_out(m, mem, &s, &displaced);
  s->displaced = ap__displaced_init(m, displaced);
  return s;
}

// ---- forces on the coordinates -----------------------------------------------------------------

// y [rows] += A [rows * n] x
static void add_product(int rows, int n, const double *A, const double *x, double *y) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
}

// dP, dxd and dJ of coordinate k, whose column of P is s->y.
static void turn_map(const ap_mechanism *m, ap_loop *l, const double *v, int k) {
  slopes *s = l->slopes;
  const int rows = m->nrow + m->n, nv = m->nv, n = m->n;
  ap__rows(m, l, l->x, s->y, AP_ROWS_RATES, l->try_F); // Kd is dK along y
  multiply(rows, nv, n, l->Kd, l->P, l->B);
  for (int i = 0; i < rows * n; i++) l->B[i] = -l->B[i];
  ap__qr_solve_many(&l->qr, n, l->B, l->Z, s->dP);
  multiply(nv, n, 1, s->dP, v, s->dxd);
  for (int i = 0; i < m->nact; i++) {
    const int column = m->actuated_column[i];
    for (int j = 0; j < n; j++)
      s->dJ[(k * m->nact + i) * n + j] = column < 0 ? 0 : s->dP[column * n + j];
  }
}

// s->dxdd, as the motion is displaced along y (may be NULL) and its rates change by dxd.
static void turn_acceleration(const ap_mechanism *m, ap_loop *l, const double *y,
                              const double *dxd) {
  slopes *s = l->slopes;
  const ap_displacement by = {l->x, l->xd, l->xdd, y, dxd};
  ap__displaced_rows(m, s->displaced, &by, s->change);
  for (int i = 0; i < m->nrow + m->n; i++) s->change[i] = -s->change[i];
  ap__qr_solve(&l->qr, s->change, s->dxdd);
}

// Column k of a matrix n * n becomes P^T g.
static void put_column(const ap_mechanism *m, const ap_loop *l, int k, double *matrix) {
  const slopes *s = l->slopes;
  for (int i = 0; i < m->n; i++) {
    double sum = 0;
    for (int j = 0; j < m->nv; j++) sum += l->P[j * m->n + i] * s->g[j];
    matrix[i * m->n + k] = sum;
  }
}

// s->Q and s->dJ at a state where the map is made. l->vec is Q itself.
static ap_status forces_derivatives(const ap_mechanism *m, ap_loop *l, const double *v,
                                    const double *a) {
  slopes *s = l->slopes;
  const int nv = m->nv, n = m->n;
  const size_t size = sizeof(double) * (size_t)nv;
  ap__loop_forces(m, l, v, a, l->vec);
  ap_status status = ap_inverse_dynamics_derivatives(m->tree, l->work, l->x, l->xd, l->xdd,
                                                     s->by[0], s->by[1], s->by[2]);
  if (status != AP_OK) return status;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < nv; i++) s->y[i] = l->P[i * n + k];
    turn_map(m, l, v, k);
    turn_acceleration(m, l, s->y, s->dxd);
    memset(s->g, 0, size);
    add_product(nv, nv, s->by[0], s->y, s->g);
    add_product(nv, nv, s->by[1], s->dxd, s->g);
    add_product(nv, nv, s->by[2], s->dxdd, s->g);
    put_column(m, l, k, s->Q[0]);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < nv; j++) s->Q[0][i * n + k] += s->dP[j * n + i] * l->f[j];
    turn_acceleration(m, l, NULL, s->y);
    memset(s->g, 0, size);
    add_product(nv, nv, s->by[1], s->y, s->g);
    add_product(nv, nv, s->by[2], s->dxdd, s->g);
    put_column(m, l, k, s->Q[1]);
    multiply(nv, nv, 1, s->by[2], s->y, s->g);
    put_column(m, l, k, s->Q[2]);
  }
  return AP_OK;
}

// All results, or none where one is no number.
static ap_status hand_out(const slopes *s, const int size[3], double *const out[3]) {
  for (int k = 0; k < 3; k++)
    if (!ap__finite(size[k], s->out[k])) return AP_E_ARG;
  for (int k = 0; k < 3; k++)
    if (out[k]) memcpy(out[k], s->out[k], sizeof(double) * (size_t)size[k]);
  return AP_OK;
}

// ---- inverse dynamics --------------------------------------------------------------------------

// The inverse A^+ of A = J_act^T, whose factors are in small_qr, and z with tau = J_act z.
static void invert_actuation(const ap_mechanism *m, ap_loop *l) {
  slopes *s = l->slopes;
  const int n = m->n;
  memset(s->identity, 0, sizeof(double) * (size_t)n * (size_t)n);
  for (int i = 0; i < n; i++) s->identity[i * n + i] = 1;
  ap__qr_solve_many(&l->small_qr, n, s->identity, s->room, s->inverse);
  transposed(m->nact, n, s->inverse, s->tau, s->z);
}

// tau = J (J^T J)^-1 Q. With J changing by dJ
//   dtau = A^+ (dQ - dJ^T tau) + (1 - A^+ A) dJ z.
static void turn_torques(const ap_mechanism *m, ap_loop *l, int k, double *out) {
  slopes *s = l->slopes;
  const int n = m->n, nact = m->nact;
  const double *dJ = s->dJ + k * nact * n;
  multiply(nact, n, 1, dJ, s->z, s->c);
  for (int i = 0; i < n; i++) {
    double sum = s->Q[0][i * n + k];
    for (int j = 0; j < nact; j++) sum -= dJ[j * n + i] * s->tau[j] + l->J_act[j * n + i] * s->c[j];
    l->vec[i] = sum;
  }
  for (int j = 0; j < nact; j++) {
    double sum = s->c[j];
    for (int i = 0; i < n; i++) sum += s->inverse[j * n + i] * l->vec[i];
    out[j * n + k] = sum;
  }
}

ap_status ap_loop_inverse_dynamics_derivatives(const ap_mechanism *m, ap_loop *l, const double *q,
                                               const double *v, const double *a, double *dtau_dq,
                                               double *dtau_dv, double *dtau_da) {
  slopes *s = l->slopes;
  const int n = m->n, nact = m->nact;
  if (nact < n) return AP_E_UNSUPPORTED;
  if (!ap__finite(n, v) || !ap__finite(n, a)) return AP_E_ARG;
  ap_status status = ap__loop_map(m, l, q);
  if (status == AP_OK) status = forces_derivatives(m, l, v, a);
  if (status == AP_OK) status = ap__loop_actuate(m, l, l->vec, s->tau);
  if (status != AP_OK) return status;
  invert_actuation(m, l);
  for (int k = 0; k < n; k++) turn_torques(m, l, k, s->out[0]);
  for (int k = 1; k < 3; k++) multiply(nact, n, n, s->inverse, s->Q[k], s->out[k]);
  return hand_out(s, (const int[3]){nact * n, nact * n, nact * n},
                  (double *const[3]){dtau_dq, dtau_dv, dtau_da});
}

// ---- forward dynamics --------------------------------------------------------------------------

// M da = d(J^T tau) - dQ at held a, for all columns of out[0] and out[1]; M da = J^T dtau.
static void solve_slopes(const ap_mechanism *m, ap_loop *l, const double *tau) {
  slopes *s = l->slopes;
  const int n = m->n, nact = m->nact;
  for (int by = 0; by < 3; by++) {
    const int columns = by < 2 ? n : nact;
    for (int k = 0; k < columns; k++) {
      for (int i = 0; i < n; i++) {
        double sum = by < 2 ? -s->Q[by][i * n + k] : l->J_act[k * n + i];
        for (int j = 0; by == 0 && j < nact; j++) sum += s->dJ[(k * nact + j) * n + i] * tau[j];
        s->z[i] = sum;
      }
      ap__cholesky_solve(n, l->small, s->z);
      for (int i = 0; i < n; i++) s->out[by][i * columns + k] = s->z[i];
    }
  }
}

ap_status ap_loop_forward_dynamics_derivatives(const ap_mechanism *m, ap_loop *l, const double *q,
                                               const double *v, const double *tau, double *da_dq,
                                               double *da_dv, double *da_dtau) {
  slopes *s = l->slopes;
  const int n = m->n;
  ap_status status = ap_loop_forward_dynamics(m, l, q, v, tau, s->a);
  if (status == AP_OK) status = forces_derivatives(m, l, v, s->a);
  if (status != AP_OK) return status;
  ap__loop_inertia(m, l, l->small);
  if (!ap__cholesky(n, l->small)) return AP_E_SINGULAR;
  solve_slopes(m, l, tau);
  return hand_out(s, (const int[3]){n * n, n * n, n * m->nact},
                  (double *const[3]){da_dq, da_dv, da_dtau});
}
