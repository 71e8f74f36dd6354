// SPDX-License-Identifier: Apache-2.0
// One step of the robot, and its derivatives by state and controls.

#include <math.h>

#include "opt/ddp.h"
#include "opt/matrix.h"

static void torques(ap_ddp *d, const double *u) {
  ap__clear((size_t)d->nv, d->tau);
  for (int i = 0; i < d->nu; i++) d->tau[d->def.actuated ? d->def.actuated[i] : i] = u[i];
}

static bool all_finite(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += fabs(x[i]);
  return sum < 1e100;
}

// d a (nv * nz) = a_q dq + a_v dv + a_tau dtau; dq NULL: dq and dv are those of the state itself.
static ap_status differentiate(ap_ddp *d, ap_work *w, const double *q, const double *v,
                               const double *dq, const double *dv, double *da) {
  const int n = d->nv, nz = d->nz;
  const ap_status status =
      ap_forward_dynamics_derivatives(d->def.model, w, q, v, d->tau, d->dq, d->dv, d->da);
  if (status) return status;
  ap__clear((size_t)n * (size_t)nz, da);
  for (int i = 0; i < n; i++) {
    double *row = da + (size_t)i * (size_t)nz;
    for (int j = 0; !dq && j < n; j++)
      row[j] = d->dq[(size_t)i * (size_t)n + (size_t)j],
      row[n + j] = d->dv[(size_t)i * (size_t)n + (size_t)j];
    for (int j = 0; j < d->nu; j++) {
      const int of = d->def.actuated ? d->def.actuated[j] : j;
      row[d->nx + j] = d->da[(size_t)i * (size_t)n + (size_t)of];
    }
  }
  if (!dq) return AP_OK;
  d->by->add(n, n, nz, d->dq, dq, da);
  d->by->add(n, n, nz, d->dv, dv, da);
  return AP_OK;
}

// The rows of the state itself: dq, or dv with shift nv.
static void identity(const ap_ddp *d, int shift, double *rows) {
  ap__clear((size_t)d->nv * (size_t)d->nz, rows);
  for (int i = 0; i < d->nv; i++) rows[(size_t)i * (size_t)d->nz + (size_t)(shift + i)] = 1;
}

static void add_rows(const ap_ddp *d, double scale, const double *x, double *y) {
  for (size_t i = 0; i < (size_t)d->nv * (size_t)d->nz; i++) y[i] += scale * x[i];
}

// v' = v + h a(q, v), q' = q moved by h v'.
static ap_status euler(ap_ddp *d, ap_work *w, const double *q, const double *v, double *q1,
                       double *v1, double *F) {
  const int n = d->nv;
  const double h = d->def.step;
  ap_status status = ap_forward_dynamics(d->def.model, w, q, v, d->tau, d->a);
  if (status) return status;
  for (int i = 0; i < n; i++) v1[i] = v[i] + h * d->a[i], d->along[i] = h * v1[i];
  ap_integrate(d->def.model, q, d->along, q1);
  if (!F) return AP_OK;
  const size_t rows = (size_t)n * (size_t)d->nz;
  double *dq = F, *dv = F + rows, *da = d->stage, *dxi = d->stage + rows;
  status = differentiate(d, w, q, v, NULL, NULL, da);
  identity(d, 0, dq), identity(d, n, dv);
  add_rows(d, h, da, dv);
  ap__clear(rows, dxi);
  add_rows(d, h, dv, dxi);
  ap__ddp_move(d, d->along, d->nz, dq, dxi);
  return status;
}

// Runge-Kutta with stages at 0, h/2, h/2, h: stage k has the velocity v + c h a(k - 1) and the
// position q moved by c h v(k - 1); both ends are moved by the sums with weights 1 2 2 1 over 6.
static ap_status runge_kutta(ap_ddp *d, ap_work *w, const double *q, const double *v, double *q1,
                             double *v1, double *F) {
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  const int n = d->nv;
  const size_t rows = (size_t)n * (size_t)d->nz;
  const double h = d->def.step;
  double *speed = d->along, *xi = speed + n, *all = xi + n, *last = all + n; // [nv] each
  double *a = d->a, *sum_a = a + n, *D = d->stage;
  double *dq = D, *dv = dq + rows, *da = dv + rows, *dxi = da + rows, *sum_v = dxi + rows,
         *sum = sum_v + rows, *before_v = sum + rows;
  for (int i = 0; i < n; i++) all[i] = sum_a[i] = 0;
  if (F)
    ap__clear(rows, sum_v), ap__clear(rows, sum), ap__clear(rows, da), ap__clear(rows, before_v);
  for (int k = 0; k < 4; k++) {
    const double c = node[k] * h;
    for (int i = 0; i < n; i++) xi[i] = k > 0 ? c * last[i] : 0;
    for (int i = 0; i < n; i++) speed[i] = v[i] + (k > 0 ? c * a[i] : 0);
    ap_integrate(d->def.model, q, xi, d->stage_q);
    if (F) {
      ap__clear(rows, dxi);
      add_rows(d, c, before_v, dxi);
      identity(d, 0, dq), identity(d, n, dv);
      add_rows(d, c, da, dv);
      ap__ddp_move(d, xi, d->nz, dq, dxi);
    }
    ap_status status = ap_forward_dynamics(d->def.model, w, d->stage_q, speed, d->tau, a);
    if (!status && F) status = differentiate(d, w, d->stage_q, speed, dq, dv, da);
    if (status) return status;
    for (int i = 0; i < n; i++) all[i] += weight[k] * speed[i], sum_a[i] += weight[k] * a[i];
    for (int i = 0; i < n; i++) last[i] = speed[i];
    if (!F) continue;
    add_rows(d, weight[k], dv, sum_v), add_rows(d, weight[k], da, sum);
    memcpy(before_v, dv, rows * sizeof *dv);
  }
  for (int i = 0; i < n; i++) v1[i] = v[i] + h * sum_a[i], xi[i] = h * all[i];
  ap_integrate(d->def.model, q, xi, q1);
  if (!F) return AP_OK;
  identity(d, 0, F), identity(d, n, F + rows);
  add_rows(d, h, sum, F + rows);
  ap__clear(rows, dxi);
  add_rows(d, h, sum_v, dxi);
  ap__ddp_move(d, xi, d->nz, F, dxi);
  return AP_OK;
}

ap_status ap__ddp_step(ap_ddp *d, ap_work *w, ap__ddp_path *p, int k, double *F) {
  const size_t nq = (size_t)d->nq, nv = (size_t)d->nv, at = (size_t)k;
  const double *q = p->q + at * nq, *v = p->v + at * nv;
  double *q1 = p->q + (at + 1) * nq, *v1 = p->v + (at + 1) * nv;
  torques(d, p->u + at * (size_t)d->nu);
  const ap_status status = d->def.scheme == AP_DDP_RK4 ? runge_kutta(d, w, q, v, q1, v1, F)
                                                       : euler(d, w, q, v, q1, v1, F);
  if (status) return status;
  return all_finite(d->nq, q1) && all_finite(d->nv, v1) ? AP_OK : AP_E_SINGULAR;
}
