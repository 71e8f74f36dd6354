// SPDX-License-Identifier: Apache-2.0
#include "sim/plant.h"

#include <string.h>

#include "impact/closed_chain.h"

ap_status ap__plant_settle(ap_plant *p, double *q, double *v) {
  const double *q_there, *v_there;
  ap_status status = p->kind->place(p, q, v, &q_there, v ? &v_there : NULL);
  if (status != AP_OK) return status;
  if (q_there != q) memcpy(q, q_there, (size_t)ap_nq(p->m) * sizeof *q);
  if (v && v_there != v) memcpy(v, v_there, (size_t)ap_nv(p->m) * sizeof *v);
  return AP_OK;
}

// ---- trees -------------------------------------------------------------------------------------

static ap_status tree_start(ap_plant *p, double *q, double *v) {
  (void)p, (void)q, (void)v;
  return AP_OK;
}

static ap_status tree_place(ap_plant *p, const double *q, const double *v, const double **q_there,
                            const double **v_there) {
  (void)p;
  *q_there = q;
  if (v) *v_there = v;
  return AP_OK;
}

static ap_status tree_accelerate(ap_plant *p, const double *q, const double *v, const double *tau,
                                 double *a) {
  return ap_forward_dynamics(p->m, p->w, q, v, tau, a);
}

static ap_status tree_respond(ap_plant *p, const double *q, const double *v, const double *tau,
                              double *a, ap_response *r) {
  ap_factor f;
  ap_status status = ap__factorize(p->m, p->w, q, v, &f);
  if (status) return status;
  r->n = f.n;
  r->factor = true;
  for (int i = 0; i < f.n; i++) {
    const int from = i * f.n + f.start[i];
    memcpy(r->P + from, f.L + from, (size_t)(i - f.start[i] + 1) * sizeof *f.L);
  }
  memcpy(r->next, f.next, (size_t)f.n * sizeof *f.next);
  for (int i = 0; i < f.n && v; i++) a[i] = tau[i] - f.h[i];
  return AP_OK;
}

static void tree_push(const ap_plant *p, const ap_response *r, double *x) {
  ap__factor_solve(p->m, p->w, r->P, x);
}

static void tree_mobility(const ap_plant *p, const ap_response *r, double *mobility) {
  ap__factor_inverse(p->m, p->w, r->P, mobility);
}

static size_t tree_impact_scratch(const ap_plant *p, int n) { return ap_impact_scratch(p->m, n); }

static ap_status tree_impact(ap_plant *p, const double *q, double *v, int n, ap_touch *touch,
                             void *scratch, ap_impact_result *result) {
  return ap_impact(p->m, p->w, q, v, n, touch, scratch, result);
}

ap_plant ap__plant_tree(const ap_model *m, ap_work *w) {
  static const ap_plant_kind tree = {.start = tree_start,
                                     .place = tree_place,
                                     .accelerate = tree_accelerate,
                                     .respond = tree_respond,
                                     .push = tree_push,
                                     .mobility = tree_mobility,
                                     .impact_scratch = tree_impact_scratch,
                                     .impact = tree_impact};
  return (ap_plant){.kind = &tree, .m = m, .w = w};
}

// ---- closed chains -----------------------------------------------------------------------------

static ap_status closed_start(ap_plant *p, double *q, double *v) {
  ap_status status = ap__closed_start(p->closed, q);
  return status ? status : ap__plant_settle(p, q, v);
}

static ap_status closed_place(ap_plant *p, const double *q, const double *v, const double **q_there,
                              const double **v_there) {
  ap_status status = ap__closed_place(p->closed, q, v);
  if (status) return status;
  *q_there = p->closed->there;
  if (v) *v_there = p->closed->rates;
  return AP_OK;
}

static ap_status closed_accelerate(ap_plant *p, const double *q, const double *v, const double *tau,
                                   double *a) {
  return ap__closed_accelerate(p->closed, q, v, tau, a);
}

static ap_status closed_respond(ap_plant *p, const double *q, const double *v, const double *tau,
                                double *a, ap_response *r) {
  ap_status status = v ? ap__closed_accelerate(p->closed, q, v, tau, a) : AP_OK;
  r->n = ap_nv(p->m);
  r->factor = false;
  for (int k = 0; k < r->n; k++) r->next[k] = k - 1;
  return status ? status : ap__closed_mobility(p->closed, q, r->P);
}

static void closed_push(const ap_plant *p, const ap_response *r, double *x) {
  double *old = p->closed->f;
  memcpy(old, x, (size_t)r->n * sizeof *x);
  for (int i = 0; i < r->n; i++) {
    x[i] = 0;
    for (int j = 0; j < r->n; j++) x[i] += r->P[i * r->n + j] * old[j];
  }
}

static void closed_mobility(const ap_plant *p, const ap_response *r, double *mobility) {
  (void)p;
  memcpy(mobility, r->P, (size_t)r->n * (size_t)r->n * sizeof *mobility);
}

static ap_status closed_impact(ap_plant *p, const double *q, double *v, int n, ap_touch *touch,
                               void *scratch, ap_impact_result *result) {
  return ap__impact_closed(p->closed, q, v, n, touch, scratch, result);
}

ap_plant ap__plant_closed(const ap_mechanism *m, ap_closed *closed) {
  static const ap_plant_kind kind = {.start = closed_start,
                                     .place = closed_place,
                                     .accelerate = closed_accelerate,
                                     .respond = closed_respond,
                                     .push = closed_push,
                                     .mobility = closed_mobility,
                                     .impact_scratch = tree_impact_scratch,
                                     .impact = closed_impact};
  return (ap_plant){.kind = &kind,
                    .m = ap_mechanism_tree(m),
                    .w = closed ? ap_loop_work(closed->l) : NULL,
                    .closed = closed};
}
