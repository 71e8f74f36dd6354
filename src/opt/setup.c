// SPDX-License-Identifier: Apache-2.0
// Optimal control problems: definition, memory, start.

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/isa.h"
#include "opt/ddp.h"
#include "opt/matrix.h"

enum { MOST_STEPS = 1000000 };

ap_ddp_def ap_default_ddp(void) {
  return (ap_ddp_def){.tolerance = 1e-6, .regularisation = 1e-9, .cookie = AP_COOKIE};
}

AP_TABLE_OF(ap__products, ap__products, products_of)

// ---- definition --------------------------------------------------------------------------------

static int controls_of(const ap_ddp_def *f) { return f->controls ? f->controls : ap_nv(f->model); }

static ap_status check_weights(int n, const double *x, const char *what, ap_error *error) {
  for (int i = 0; x && i < n; i++)
    if (!(x[i] >= 0 && x[i] < INFINITY))
      return AP__REFUSE(error, AP_E_ARG, 0,
                        "entry %d of %s is %g (it must be 0 or more and finite)", i + 1, what,
                        x[i]);
  return AP_OK;
}

static ap_status check_controls(const ap_ddp_def *f, ap_error *error) {
  const int n = controls_of(f), nv = ap_nv(f->model);
  if (n < 1 || n > nv)
    return AP__REFUSE(error, AP_E_ARG, 0, "%d controls (1 to %d are possible)", n, nv);
  for (int i = 0; f->actuated && i < n; i++)
    if (f->actuated[i] < 0 || f->actuated[i] >= nv)
      return AP__REFUSE(error, AP_E_ARG, 0, "control %d is entry %d of tau (0 to %d are possible)",
                        i + 1, f->actuated[i], nv - 1);
  for (int i = 0; i < n; i++) {
    const double low = f->lower ? f->lower[i] : -INFINITY, high = f->upper ? f->upper[i] : INFINITY;
    if (!(low <= high && low < INFINITY && high > -INFINITY))
      return AP__REFUSE(error, AP_E_ARG, 0, "control %d has the limits %g and %g", i + 1, low,
                        high);
  }
  return AP_OK;
}

static ap_status check_frames(const ap_ddp_def *f, ap_error *error) {
  for (int i = 0; i < f->nframe; i++) {
    const ap_ddp_frame *x = &f->frames[i];
    const double weight[4] = {x->position, x->orientation, x->end_position, x->end_orientation};
    if (x->frame < 0 || x->frame >= ap_nframe(f->model))
      return AP__REFUSE(error, AP_E_ARG, 0, "goal %d is about frame %d, which is not there", i + 1,
                        x->frame);
    const ap_status status = check_weights(4, weight, "the weights of a frame", error);
    if (status) return status;
  }
  return AP_OK;
}

static ap_status check(const ap_ddp_def *f, ap_error *error) {
  if (!AP_STARTS_FROM(ap_default_ddp, f, error)) return AP_E_ARG;
  if (!f->model || f->horizon < 1 || f->horizon > MOST_STEPS)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a horizon of %d steps (1 to %d, and a model, are needed)", f->horizon,
                      MOST_STEPS);
  if (!(f->step > 0 && f->step < INFINITY && f->tolerance >= 0 && f->regularisation >= 0))
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a step of %g s, tolerance %g, regularisation %g (the step must be positive, "
                      "the others 0 or more)",
                      f->step, f->tolerance, f->regularisation);
  const int nv = ap_nv(f->model), nu = controls_of(f);
  ap_status status = check_controls(f, error);
  if (!status) status = check_frames(f, error);
  if (!status) status = check_weights(nv, f->weight_q, "weight_q", error);
  if (!status) status = check_weights(nv, f->weight_v, "weight_v", error);
  if (!status) status = check_weights(nu, f->weight_u, "weight_u", error);
  if (!status) status = check_weights(nv, f->end_q, "end_q", error);
  if (!status) status = check_weights(nv, f->end_v, "end_v", error);
  return status;
}

// ---- memory ------------------------------------------------------------------------------------

static void measure(ap_ddp *d, const ap_ddp_def *f) {
  *d = (ap_ddp){.def = *f,
                .N = f->horizon,
                .nq = ap_nq(f->model),
                .nv = ap_nv(f->model),
                .nu = controls_of(f),
                .by = products_of(best_build()),
                .mu = f->regularisation,
                .rate = 1};
  d->nx = 2 * d->nv, d->nz = d->nx + d->nu;
  for (int i = 1; i < ap_nbody(f->model); i++)
    if (ap_joint_nq(f->model, i) != ap_joint_nv(f->model, i)) d->quaternions = true;
}

static void place_path(const ap_ddp *d, ap__ddp_path *p, ap_arena *a) {
  const size_t N = (size_t)d->N;
  p->q = AP_TAKE(a, double, (N + 1) * (size_t)d->nq);
  p->v = AP_TAKE(a, double, (N + 1) * (size_t)d->nv);
  p->u = AP_TAKE(a, double, N *(size_t)d->nu);
}

static void place(ap_ddp *d, ap_arena *a) {
  const size_t N = (size_t)d->N, nq = (size_t)d->nq, nv = (size_t)d->nv, nx = (size_t)d->nx,
               nu = (size_t)d->nu, nz = (size_t)d->nz;
  place_path(d, &d->best, a), place_path(d, &d->next, a);
  d->neutral = AP_TAKE(a, double, nq);
  d->F = AP_TAKE_ALIGNED(a, double, N *nx *nz);
  d->lx = AP_TAKE(a, double, (N + 1) * nx);
  d->lxx = AP_TAKE(a, double, (N + 1) * nx * nx);
  d->lu = AP_TAKE(a, double, N *nu);
  d->luu = AP_TAKE(a, double, N *nu *nu);
  d->lux = AP_TAKE(a, double, N *nu *nx);
  d->k = AP_TAKE(a, double, N *nu);
  d->K = AP_TAKE(a, double, N *nu *nx);
  d->Vx = AP_TAKE(a, double, nx);
  d->Vxx = AP_TAKE_ALIGNED(a, double, nx *nx);
  d->Q = AP_TAKE_ALIGNED(a, double, nz *nz);
  d->Qz = AP_TAKE(a, double, nz);
  d->product = AP_TAKE_ALIGNED(a, double, nx *nz);
  d->held = AP_TAKE(a, double, nu *nu + nu * nx);
  d->low = AP_TAKE(a, double, nu);
  d->high = AP_TAKE(a, double, nu);
  d->box = AP_TAKE(a, double, nu *nu + 4 * nu);
  d->free_ = AP_TAKE(a, bool, nu);
  d->tau = AP_TAKE(a, double, nv);
  d->a = AP_TAKE(a, double, 2 * nv);
  d->x = AP_TAKE(a, double, nx);
  d->along = AP_TAKE(a, double, 4 * nv);
  d->stage_q = AP_TAKE(a, double, nq);
  d->dq = AP_TAKE(a, double, nv *nv);
  d->dv = AP_TAKE(a, double, nv *nv);
  d->da = AP_TAKE(a, double, nv *nv);
  d->stage = AP_TAKE_ALIGNED(a, double, 7 * nv * nz);
  d->room = AP_TAKE(a, double, 6 * nz);
  d->J = AP_TAKE(a, double, 6 * nv);
}

size_t ap_ddp_size(const ap_ddp_def *def) {
  if (check(def, NULL)) return 0;
  ap_ddp measured;
  measure(&measured, def);
  ap_arena a = ap__arena(NULL);
  AP_TAKE(&a, ap_ddp, 1);
  place(&measured, &a);
  return ap__arena_size(&a);
}

ap_ddp *ap_ddp_init(const ap_ddp_def *def, void *mem, size_t size, ap_error *error) {
  if (check(def, error)) return NULL;
  const size_t needed = ap_ddp_size(def);
  if (!mem || needed == 0 || size < needed) {
    ap__fail(error, AP_E_MEMORY, 0, "%zu bytes for a solver that needs %zu", mem ? size : 0,
             needed);
    return NULL;
  }
  ap_arena a = ap__arena(mem);
  ap_ddp *d = AP_TAKE(&a, ap_ddp, 1);
  measure(d, def);
  place(d, &a);
  ap_neutral(def->model, d->neutral);
  for (int k = 0; k <= d->N; k++)
    memcpy(d->best.q + (size_t)k * (size_t)d->nq, d->neutral, (size_t)d->nq * sizeof(double));
  ap__clear(((size_t)d->N + 1) * (size_t)d->nv, d->best.v);
  ap__clear((size_t)d->N * (size_t)d->nu * (size_t)d->nx, d->K);
  ap_ddp_guess(d, NULL);
  return d;
}

// ---- start and result --------------------------------------------------------------------------

static bool all_finite(size_t n, const double *x) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

ap_status ap_ddp_start(ap_ddp *d, const double *q, const double *v) {
  if (!all_finite((size_t)d->nq, q) || !all_finite((size_t)d->nv, v)) return AP_E_ARG;
  memcpy(d->next.q, q, (size_t)d->nq * sizeof *q);
  const ap_status status = ap_normalize(d->def.model, d->next.q);
  if (status) return status;
  memcpy(d->best.q, d->next.q, (size_t)d->nq * sizeof *q);
  memcpy(d->best.v, v, (size_t)d->nv * sizeof *v);
  return AP_OK;
}

ap_status ap_ddp_guess(ap_ddp *d, const double *u) {
  const size_t n = (size_t)d->N * (size_t)d->nu, nu = (size_t)d->nu;
  if (u && !all_finite(n, u)) return AP_E_ARG;
  for (size_t i = 0; i < n; i++) {
    const double low = d->def.lower ? d->def.lower[i % nu] : -INFINITY,
                 high = d->def.upper ? d->def.upper[i % nu] : INFINITY;
    d->best.u[i] = fmin(fmax(u ? u[i] : 0, low), high);
    d->k[i] = 0;
  }
  d->mu = d->def.regularisation, d->rate = 1;
  return AP_OK;
}

void ap_ddp_shift(ap_ddp *d, int n) {
  if (n < 1) return;
  if (n > d->N) n = d->N;
  const size_t nu = (size_t)d->nu, nv = (size_t)d->nv, nq = (size_t)d->nq,
               stay = (size_t)(d->N - n);
  ap__ddp_path *p = &d->best;
  const double *last = p->u + ((size_t)d->N - 1) * nu;
  memmove(p->u, p->u + (size_t)n * nu, stay * nu * sizeof *p->u);
  for (size_t k = stay; k + 1 < (size_t)d->N; k++) memcpy(p->u + k * nu, last, nu * sizeof *last);
  memmove(p->q, p->q + (size_t)n * nq, nq * sizeof *p->q);
  memmove(p->v, p->v + (size_t)n * nv, nv * sizeof *p->v);
  ap__clear((size_t)d->N * nu, d->k);
}

const double *ap_ddp_control(const ap_ddp *d, int k) {
  return d->best.u + (size_t)k * (size_t)d->nu;
}

const double *ap_ddp_position(const ap_ddp *d, int k) {
  return d->best.q + (size_t)k * (size_t)d->nq;
}

const double *ap_ddp_velocity(const ap_ddp *d, int k) {
  return d->best.v + (size_t)k * (size_t)d->nv;
}

const double *ap_ddp_gain(const ap_ddp *d, int k) {
  return d->K + (size_t)k * (size_t)d->nu * (size_t)d->nx;
}
