// SPDX-License-Identifier: Apache-2.0
// Differential dynamic programming with limits on the controls.
//
// Y. Tassa, N. Mansard, E. Todorov, Control-Limited Differential Dynamic Programming, ICRA 2014,
// with first derivatives of the dynamics alone. Backward, with z = [dx; du], F = [A B] and the
// value function V of the step after,
//   Q(z) = l(z) + V(F z):   Qz = l_z + F^T Vx,   Qzz = l_zz + F^T Vxx F,
// the best du = k + K dx is that of a quadratic program with limits; controls that rest at a limit
// have no feedback. Forward, the robot itself follows u + alpha k + K dx.

#include "opt/ddp.h"

#include <math.h>

#include "opt/matrix.h"

enum { HALVINGS = 11 };
static const double LARGEST_MU = 1e10, LEAST_MU = 1e-6, MU_FACTOR = 1.6;

static double clamp_control(const ap_ddp *d, int i, double u) {
  if (d->def.lower) u = fmax(u, d->def.lower[i]);
  if (d->def.upper) u = fmin(u, d->def.upper[i]);
  return u;
}

// ---- simulation and derivatives ----------------------------------------------------------------

// The cost of the controls of `best`.
static ap_status simulate(ap_ddp *d, ap_work *w) {
  ap__ddp_path *p = &d->best;
  p->cost = 0;
  for (int k = 0; k < d->N; k++) {
    p->cost += ap__ddp_cost(d, w, p, k);
    const ap_status status = ap__ddp_step(d, w, p, k, NULL);
    if (status) return status;
  }
  p->cost += ap__ddp_cost(d, w, p, d->N);
  return isfinite(p->cost) ? AP_OK : AP_E_SINGULAR;
}

static ap_status linearise(ap_ddp *d, ap_work *w) {
  const size_t size = (size_t)d->nx * (size_t)d->nz;
  for (int k = 0; k < d->N; k++) {
    const ap_status status = ap__ddp_step(d, w, &d->best, k, d->F + (size_t)k * size);
    if (status) return status;
    ap__ddp_cost_terms(d, w, k);
  }
  ap__ddp_cost_terms(d, w, d->N);
  return AP_OK;
}

// z = [l_x; l_u] + F^T p of step k.
static void slope(const ap_ddp *d, int k, const double *p, double *z) {
  const int nx = d->nx, nu = d->nu, nz = d->nz;
  const double *F = d->F + (size_t)k * (size_t)nx * (size_t)nz;
  memcpy(z, d->lx + (size_t)k * (size_t)nx, (size_t)nx * sizeof *z);
  memcpy(z + nx, d->lu + (size_t)k * (size_t)nu, (size_t)nu * sizeof *z);
  ap__add_transposed(nz, nx, 1, F, p, z);
}

// The derivative of the cost by every control, by the adjoint equation p = l_x + A^T p; gradient
// may be NULL. Returns the largest entry of u - clamp(u - gradient).
static double optimality(ap_ddp *d, double *gradient) {
  double *p = d->Vx, most = 0;
  memcpy(p, d->lx + (size_t)d->N * (size_t)d->nx, (size_t)d->nx * sizeof *p);
  for (int k = d->N - 1; k >= 0; k--) {
    const double *u = d->best.u + (size_t)k * (size_t)d->nu;
    slope(d, k, p, d->Qz);
    for (int i = 0; i < d->nu; i++) {
      const double g = d->Qz[d->nx + i];
      if (gradient) gradient[(size_t)k * (size_t)d->nu + (size_t)i] = g;
      most = fmax(most, fabs(u[i] - clamp_control(d, i, u[i] - g)));
    }
    memcpy(p, d->Qz, (size_t)d->nx * sizeof *p);
  }
  return most;
}

// ---- backward ----------------------------------------------------------------------------------

// Qzz of step k, from Vxx.
static void curvature(ap_ddp *d, int k) {
  const int nx = d->nx, nu = d->nu, nz = d->nz;
  const double *F = d->F + (size_t)k * (size_t)nx * (size_t)nz;
  const double *lxx = d->lxx + (size_t)k * (size_t)nx * (size_t)nx,
               *luu = d->luu + (size_t)k * (size_t)nu * (size_t)nu,
               *lux = d->lux + (size_t)k * (size_t)nu * (size_t)nx;
  for (int i = 0; i < nx; i++) {
    double *row = d->Q + (size_t)i * (size_t)nz;
    memcpy(row, lxx + (size_t)i * (size_t)nx, (size_t)nx * sizeof *row);
    for (int j = 0; j < nu; j++) row[nx + j] = lux[(size_t)j * (size_t)nx + (size_t)i];
  }
  for (int i = 0; i < nu; i++) {
    double *row = d->Q + (size_t)(nx + i) * (size_t)nz;
    memcpy(row, lux + (size_t)i * (size_t)nx, (size_t)nx * sizeof *row);
    memcpy(row + nx, luu + (size_t)i * (size_t)nu, (size_t)nu * sizeof *row);
  }
  ap__clear((size_t)nx * (size_t)nz, d->product);
  d->by->add(nx, nx, nz, d->Vxx, F, d->product);
  d->by->add_symmetric(nx, nz, F, d->product, d->Q);
}

// K = -Quu^-1 Qux in the free rows, by the factor that ap_box_qp() left.
static void feedback(ap_ddp *d, double *K) {
  const int nx = d->nx, nu = d->nu, nz = d->nz;
  double *part = d->held + (size_t)nu * (size_t)nu;
  const double *L = d->box;
  int count = 0;
  for (int i = 0; i < nu; i++) count += d->free_[i];
  for (int i = 0, r = 0; i < nu; i++) {
    if (!d->free_[i]) continue;
    const double *row = d->Q + (size_t)(nx + i) * (size_t)nz;
    double *to = part + (size_t)r * (size_t)nx;
    for (int j = 0; j < nx; j++) to[j] = -row[j];
    for (int h = 0; h < r; h++) ap__add_product(1, 1, nx, -1, &L[r * count + h], part + h * nx, to);
    for (int j = 0; j < nx; j++) to[j] /= L[r * count + r];
    r++;
  }
  for (int r = count - 1; r >= 0; r--) {
    double *to = part + (size_t)r * (size_t)nx;
    for (int h = r + 1; h < count; h++)
      ap__add_product(1, 1, nx, -1, &L[h * count + r], part + h * nx, to);
    for (int j = 0; j < nx; j++) to[j] /= L[r * count + r];
  }
  ap__clear((size_t)nu * (size_t)nx, K);
  for (int i = 0, r = 0; i < nu; i++)
    if (d->free_[i])
      memcpy(K + (size_t)i * (size_t)nx, part + (size_t)r++ * (size_t)nx, (size_t)nx * sizeof *K);
}

// V of this step from Q, k and K; the improvement that is expected is added to gain.
static void value_function(ap_ddp *d, const double *k, const double *K, double gain[2]) {
  const int nx = d->nx, nu = d->nu, nz = d->nz;
  double *rows = d->product; // Quu K + Qux, nu * nx
  memcpy(d->Vx, d->Qz, (size_t)nx * sizeof *d->Vx);
  for (int i = 0; i < nx; i++)
    memcpy(d->Vxx + (size_t)i * (size_t)nx, d->Q + (size_t)i * (size_t)nz,
           (size_t)nx * sizeof *d->Vxx);
  for (int i = 0; i < nu; i++) {
    const double *Q = d->Q + (size_t)(nx + i) * (size_t)nz, *Quu = Q + nx;
    double *row = rows + (size_t)i * (size_t)nx, push = d->Qz[nx + i], curve = 0;
    memcpy(row, Q, (size_t)nx * sizeof *row);
    d->by->add(1, nu, nx, Quu, K, row);
    for (int j = 0; j < nu; j++) curve += Quu[j] * k[j];
    gain[0] += k[i] * push, gain[1] += 0.5 * k[i] * curve;
    push += curve;
    for (int j = 0; j < nx; j++)
      d->Vx[j] += K[(size_t)i * (size_t)nx + (size_t)j] * push + Q[j] * k[i];
  }
  // K^T (Quu K + Qux) + Qux^T K, of which both products together are symmetric
  for (int i = 0; i < nu; i++)
    d->by->add_transposed(nx, 1, nx, d->Q + (size_t)(nx + i) * (size_t)nz,
                          K + (size_t)i * (size_t)nx, d->Vxx);
  d->by->add_transposed(nx, nu, nx, K, rows, d->Vxx);
  for (int i = 0; i < nx; i++) {
    for (int j = 0; j < i; j++) {
      double *a = &d->Vxx[(size_t)i * (size_t)nx + (size_t)j],
             *b = &d->Vxx[(size_t)j * (size_t)nx + (size_t)i];
      *a = *b = 0.5 * (*a + *b);
    }
  }
}

// Changes and feedback of all steps. AP_E_SINGULAR where a Hessian is not positive definite.
static ap_status backward(ap_ddp *d, double gain[2]) {
  const int nx = d->nx, nu = d->nu, nz = d->nz;
  gain[0] = gain[1] = 0;
  memcpy(d->Vx, d->lx + (size_t)d->N * (size_t)nx, (size_t)nx * sizeof *d->Vx);
  memcpy(d->Vxx, d->lxx + (size_t)d->N * (size_t)nx * (size_t)nx,
         (size_t)nx * (size_t)nx * sizeof *d->Vxx);
  for (int t = d->N - 1; t >= 0; t--) {
    double *k = d->k + (size_t)t * (size_t)nu, *K = d->K + (size_t)t * (size_t)nu * (size_t)nx;
    const double *u = d->best.u + (size_t)t * (size_t)nu;
    slope(d, t, d->Vx, d->Qz);
    curvature(d, t);
    for (int i = 0; i < nu; i++) {
      d->low[i] = d->def.lower ? d->def.lower[i] - u[i] : -INFINITY;
      d->high[i] = d->def.upper ? d->def.upper[i] - u[i] : INFINITY;
      memcpy(d->held + (size_t)i * (size_t)nu, d->Q + (size_t)(nx + i) * (size_t)nz + nx,
             (size_t)nu * sizeof *d->held);
      d->held[i * nu + i] += d->mu;
    }
    const ap_status status =
        ap_box_qp(nu, d->held, d->Qz + nx, d->low, d->high, k, d->free_, d->box);
    if (status) return status;
    feedback(d, K);
    value_function(d, k, K, gain);
  }
  return AP_OK;
}

// ---- forward -----------------------------------------------------------------------------------

// The robot with the share alpha of the changes, in `next`; its cost, infinite where it fails.
static double forward(ap_ddp *d, ap_work *w, double alpha) {
  const ap__ddp_path *p = &d->best;
  ap__ddp_path *x = &d->next;
  const size_t nq = (size_t)d->nq, nv = (size_t)d->nv, nu = (size_t)d->nu, nx = (size_t)d->nx;
  memcpy(x->q, p->q, nq * sizeof *x->q), memcpy(x->v, p->v, nv * sizeof *x->v);
  x->cost = 0;
  for (size_t k = 0; k < (size_t)d->N; k++) {
    double *u = x->u + k * nu;
    ap_difference(d->def.model, p->q + k * nq, x->q + k * nq, d->x);
    for (size_t i = 0; i < nv; i++) d->x[nv + i] = x->v[k * nv + i] - p->v[k * nv + i];
    for (size_t i = 0; i < nu; i++) {
      const double *K = d->K + (k * nu + i) * nx;
      double sum = p->u[k * nu + i] + alpha * d->k[k * nu + i];
      for (size_t j = 0; j < nx; j++) sum += K[j] * d->x[j];
      u[i] = clamp_control(d, (int)i, sum);
    }
    if (!isfinite(u[0])) return INFINITY;
    x->cost += ap__ddp_cost(d, w, x, (int)k);
    if (ap__ddp_step(d, w, x, (int)k, NULL)) return INFINITY;
  }
  x->cost += ap__ddp_cost(d, w, x, d->N);
  return isfinite(x->cost) ? x->cost : INFINITY;
}

// Whether some share of the changes is an improvement, which is then `best`.
static bool improve(ap_ddp *d, ap_work *w, const double gain[2]) {
  for (int k = 0; k < HALVINGS; k++) {
    const double alpha = ldexp(1, -k);
    const double expected = -alpha * (gain[0] + alpha * gain[1]);
    if (!(expected > 0)) continue;
    if (!(d->best.cost - forward(d, w, alpha) > 1e-4 * expected)) continue;
    const ap__ddp_path old = d->best;
    d->best = d->next, d->next = old;
    return true;
  }
  return false;
}

static void more_regular(ap_ddp *d) {
  d->rate = fmax(d->rate * MU_FACTOR, MU_FACTOR);
  d->mu = fmax(d->mu * d->rate, LEAST_MU);
}

static void less_regular(ap_ddp *d) {
  d->rate = fmin(d->rate / MU_FACTOR, 1 / MU_FACTOR);
  d->mu = d->mu * d->rate >= LEAST_MU ? d->mu * d->rate : d->def.regularisation;
}

ap_status ap_ddp_solve(ap_ddp *d, ap_work *w, int iterations, ap_ddp_report *report) {
  ap_ddp_report own, *r = report ? report : &own;
  *r = (ap_ddp_report){.cost = INFINITY, .first_cost = INFINITY, .optimality = INFINITY};
  ap_status status = simulate(d, w);
  if (status) return status;
  r->first_cost = d->best.cost;
  bool changed = true, done = false;
  for (int k = 0; k < iterations && !done && !status; k++) {
    if (changed) status = linearise(d, w);
    if (status) break;
    if (changed) r->optimality = optimality(d, NULL);
    changed = false;
    done = r->optimality <= d->def.tolerance;
    double gain[2];
    if (done && r->iterations > 0) break; // the feedback is that of the last pass
    if (backward(d, gain) == AP_OK) {
      if (done) break;
      changed = improve(d, w, gain);
      // no step is expected to bring more than rounding
      if (!changed && -gain[0] <= 1e-14 * fabs(d->best.cost)) break;
    }
    if (changed)
      less_regular(d), r->iterations++;
    else
      more_regular(d);
    if (d->mu > LARGEST_MU) break;
  }
  d->mu = fmin(d->mu, LARGEST_MU);
  r->cost = d->best.cost, r->regularisation = d->mu;
  return status ? status : done ? AP_OK : AP_E_NO_CONVERGENCE;
}

ap_status ap_ddp_gradient(ap_ddp *d, ap_work *w, double *cost, double *gradient) {
  ap_status status = simulate(d, w);
  if (!status) status = linearise(d, w);
  if (status) return status;
  *cost = d->best.cost;
  optimality(d, gradient);
  return AP_OK;
}
