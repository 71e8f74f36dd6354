// SPDX-License-Identifier: Apache-2.0
// The work of a mechanism: memory, guesses, rates of the tree.

#include <string.h>

#include "base/arena.h"
#include "loop/work.h"

ap_qr ap__take_qr(ap_arena *a, size_t m, size_t n) {
  ap_qr qr = {.m = (int)m, .n = (int)n};
  qr.A = AP_TAKE(a, double, m *n);
  qr.left = AP_TAKE(a, double, n);
  qr.right = AP_TAKE(a, double, n);
  qr.spare = AP_TAKE(a, double, n);
  qr.pivot = AP_TAKE(a, int, n);
  return qr;
}

static size_t lay_out(const ap_mechanism *m, void *mem, ap_loop **where, void **work,
                      void **slopes) {
  ap_arena a = ap__arena(mem);
  size_t nv = (size_t)m->nv, n = (size_t)m->n, nx = (size_t)m->nx, nact = (size_t)m->nact;
  size_t rows = (size_t)m->nrow + n, most = rows > nv ? rows : nv;
  ap_loop none, *l = AP_TAKE(&a, ap_loop, 1);
  *where = l;
  if (!l) l = &none;
  *work = AP_TAKE_ALIGNED(&a, unsigned char, ap_work_size(m->tree));
  l->x = AP_TAKE(&a, double, nx);
  l->q = AP_TAKE(&a, double, n);
  l->seen = AP_TAKE(&a, ap_seen, ap_nbody(m->tree));
  l->seen_x = AP_TAKE(&a, double, nx);
  l->F = AP_TAKE(&a, double, rows);
  l->K = AP_TAKE(&a, double, rows *nv);
  l->Kd = AP_TAKE(&a, double, rows *nv);
  l->bias = AP_TAKE(&a, double, rows);
  l->qr = ap__take_qr(&a, rows + nv, nv); // the rows of a damped step included
  l->P = AP_TAKE(&a, double, nv *n);
  l->Pd = AP_TAKE(&a, double, nv *n);
  l->J_act = AP_TAKE(&a, double, nact *n);
  l->B = AP_TAKE(&a, double, most *n);
  l->Z = AP_TAKE(&a, double, most *n);
  l->xd = AP_TAKE(&a, double, nv);
  l->xdd = AP_TAKE(&a, double, nv);
  l->f = AP_TAKE(&a, double, nv);
  l->try_x = AP_TAKE(&a, double, nx);
  l->try_F = AP_TAKE(&a, double, rows);
  l->step = AP_TAKE(&a, double, nv);
  l->tree = AP_TAKE(&a, double, nv *nv);
  l->product = AP_TAKE(&a, double, nv *n);
  l->big = AP_TAKE(&a, double, (most + nact) * nv);
  l->tall = AP_TAKE(&a, double, rows + nv);
  l->small = AP_TAKE(&a, double, n *n);
  l->small_qr = ap__take_qr(&a, n, nact);
  l->force_qr = ap__take_qr(&a, nv, (size_t)m->nrow);
  l->lambda = AP_TAKE(&a, double, (size_t)m->nrow);
  l->sigma = AP_TAKE(&a, double, nv > nact ? nv : nact);
  l->vec = AP_TAKE(&a, double, n);
  *slopes = AP_TAKE_ALIGNED(&a, unsigned char, ap__slopes_size(m));
  return ap__arena_size(&a);
}

size_t ap_loop_size(const ap_mechanism *m) {
  ap_loop *l;
  void *work, *slopes;
  return lay_out(m, NULL, &l, &work, &slopes);
}

ap_loop *ap_loop_init(const ap_mechanism *m, void *mem, size_t size) {
  ap_loop *l;
  void *work, *slopes;
  if (!mem || size < ap_loop_size(m)) return NULL;
  lay_out(m, mem, &l, &work, &slopes);
  l->slopes = ap__slopes_init(m, slopes);
  l->work = ap_work_init(m->tree, work, ap_work_size(m->tree));
  memset(l->seen, 0, sizeof(ap_seen) * (size_t)ap_nbody(m->tree));
  memcpy(l->x, m->guess, sizeof(double) * (size_t)m->nx);
  l->placed = l->mapped = l->seeing = false;
  l->state = AP_OK;
  return l;
}

ap_work *ap_loop_work(ap_loop *l) { return l->work; }
const double *ap_loop_configuration(const ap_loop *l) { return l->x; }

ap_status ap_loop_set_guess(const ap_mechanism *m, ap_loop *l, const double *x) {
  if (!ap__finite(m->nx, x)) return AP_E_ARG;
  memcpy(l->try_x, x, sizeof(double) * (size_t)m->nx);
  if (ap_normalize(m->tree, l->try_x) != AP_OK) return AP_E_ARG;
  memcpy(l->x, l->try_x, sizeof(double) * (size_t)m->nx);
  l->placed = l->mapped = false;
  return AP_OK;
}

void ap_loop_errors(const ap_mechanism *m, ap_loop *l, const double *x, double *phi, double *s) {
  ap__rows(m, l, x, NULL, AP_ROWS_VALUES, l->try_F);
  if (phi) memcpy(phi, l->try_F, sizeof(double) * (size_t)m->nrow);
  if (s) memcpy(s, l->try_F + m->nrow, sizeof(double) * (size_t)m->n);
}

void ap__coordinate_rates(const ap_mechanism *m, const ap_loop *l, const double *xd, double *sd) {
  for (int i = 0; i < m->n; i++) {
    sd[i] = 0;
    for (int j = 0; j < m->nv; j++) sd[i] += l->K[(m->nrow + i) * m->nv + j] * xd[j];
  }
}

void ap_loop_rates(const ap_mechanism *m, ap_loop *l, const double *x, const double *xd,
                   double *sd) {
  ap__rows(m, l, x, NULL, AP_ROWS_JACOBIAN, l->try_F);
  l->placed = l->mapped = false; // K and its factors no longer belong together
  ap__coordinate_rates(m, l, xd, sd);
}

void ap_loop_closure_jacobian(const ap_mechanism *m, ap_loop *l, const double *x, double *phi_x) {
  ap__rows(m, l, x, NULL, AP_ROWS_JACOBIAN, l->try_F);
  memcpy(phi_x, l->K, sizeof(double) * (size_t)m->nrow * (size_t)m->nv);
}
