// SPDX-License-Identifier: Apache-2.0
#include "loop/closed_chain.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "loop/work.h"
#include "num/cholesky.h"

// Parts of the longest column of Phi_x: below the first, where closures hold to rounding, a column
// is redundant; a configuration counts as singular where less than the second holds the last of the
// columns that are not, for forces have lost eight digits there.
static const double REDUNDANT = 1e-7;
static const double SINGULAR = 1e-8;

static const double EXACT = 1e-14;  // m or rad: an error that needs no further step
static const double CLOSED = 1e-11; // one that is good enough where it no longer shrinks
static const double NEARBY = 1e-2;  // rad or m: where the rank of a start is compared

// ---- memory ------------------------------------------------------------------------------------

static size_t lay_out(const ap_mechanism *m, void *mem, ap_closed **where) {
  ap_arena a = ap__arena(mem);
  size_t nv = (size_t)m->nv, nx = (size_t)m->nx, rows = (size_t)m->nrow;
  ap_closed none, *c = AP_TAKE(&a, ap_closed, 1);
  *where = c;
  if (!c) c = &none;
  c->x = AP_TAKE(&a, double, nx);
  c->qr = ap__take_qr(&a, rows + (size_t)m->n, nv);
  c->Z = AP_TAKE(&a, double, nv *nv);
  c->M = AP_TAKE(&a, double, nv *nv);
  c->L = AP_TAKE(&a, double, nv *nv);
  c->MZ = AP_TAKE(&a, double, nv *nv);
  c->half = AP_TAKE(&a, double, nv *nv);
  c->there = AP_TAKE(&a, double, nx);
  c->best = AP_TAKE(&a, double, nx);
  c->F = AP_TAKE(&a, double, rows + (size_t)m->n);
  c->tall = AP_TAKE(&a, double, rows + (size_t)m->n);
  double **each[] = {&c->rates, &c->step, &c->z, &c->xdd, &c->f};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) *each[i] = AP_TAKE(&a, double, nv);
  return ap__arena_size(&a);
}

size_t ap__closed_size(const ap_mechanism *m) {
  ap_closed *c;
  return lay_out(m, NULL, &c);
}

ap_closed *ap__closed_init(const ap_mechanism *m, ap_loop *l, void *mem) {
  ap_closed *c;
  lay_out(m, mem, &c);
  c->m = m;
  c->l = l;
  c->nv = m->nv;
  c->nx = m->nx;
  c->rank = m->nv - m->n;
  c->free = m->n;
  c->known = false;
  c->error = c->drift = 0;
  return c;
}

// ---- places ------------------------------------------------------------------------------------

// Factors of Phi_x at x with a rank of at most `most` (0: any).
static void factor(ap_closed *c, const double *x, int most, double tolerance) {
  ap__rows(c->m, c->l, x, NULL, AP_ROWS_JACOBIAN, c->F);
  c->l->placed = c->l->mapped = false;
  memcpy(c->qr.A, c->l->K, sizeof(double) * (size_t)c->m->nrow * (size_t)c->nv);
  c->qr.m = c->m->nrow;
  c->qr.most = most;
  ap__qr_factor(&c->qr, tolerance);
}

// The largest entry of Phi at x, with Phi in F.
static double errors(ap_closed *c, const double *x) {
  double worst = 0;
  ap__rows(c->m, c->l, x, NULL, AP_ROWS_VALUES, c->F);
  for (int i = 0; i < c->m->nrow; i++)
    if (!(fabs(c->F[i]) <= worst)) worst = fabs(c->F[i]);
  return worst;
}

// Newton's method for Phi = 0 from `there`. Factors are used again while they shorten Phi well.
// What comes out depends on where it begins alone, as integrators need it.
static ap_status close_there(ap_closed *c) {
  enum { STEPS = 40 };
  double worst = errors(c, c->there), was = INFINITY;
  c->drift = worst;
  bool fresh = false;
  for (int step = 0; step < STEPS && worst > EXACT; step++) {
    if (step == 0 || !(worst < 0.1 * was)) {
      if (fresh && !(worst < was)) break;
      factor(c, c->there, c->rank, SINGULAR);
      c->known = false;
      fresh = true;
      if (c->qr.rank < c->rank) return AP_E_SINGULAR_CLOSURES;
    } else {
      fresh = false;
    }
    for (int i = 0; i < c->m->nrow; i++) c->tall[i] = -c->F[i];
    ap__qr_solve(&c->qr, c->tall, c->step);
    memcpy(c->best, c->there, sizeof(double) * (size_t)c->nx);
    ap_integrate(c->m->tree, c->there, c->step, c->there);
    was = worst;
    worst = errors(c, c->there);
    if (worst < was) continue;
    memcpy(c->there, c->best, sizeof(double) * (size_t)c->nx);
    errors(c, c->there);
    worst = was;
  }
  c->error = worst;
  return worst <= CLOSED ? AP_OK : AP_E_UNREACHABLE;
}

ap_status ap__closed_at(ap_closed *c, const double *x) {
  int nv = c->nv, count = c->free;
  if (c->known && !memcmp(c->x, x, sizeof(double) * (size_t)c->nx)) return AP_OK;
  c->known = false;
  factor(c, x, c->rank, SINGULAR);
  if (c->qr.rank < c->rank) return AP_E_SINGULAR_CLOSURES;
  ap__qr_null(&c->qr, c->Z);
  ap_inertia_matrix(c->m->tree, c->l->work, x, c->M);
  memset(c->MZ, 0, sizeof(double) * (size_t)nv * (size_t)count);
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++)
      for (int k = 0; k < count; k++)
        c->MZ[i * count + k] += c->M[i * nv + j] * c->Z[j * count + k];
  memset(c->L, 0, sizeof(double) * (size_t)count * (size_t)count);
  for (int j = 0; j < nv; j++)
    for (int i = 0; i < count; i++)
      for (int k = 0; k <= i; k++)
        c->L[i * count + k] += c->Z[j * count + i] * c->MZ[j * count + k];
  if (!ap__cholesky(count, c->L)) return AP_E_SINGULAR;
  memcpy(c->x, x, sizeof(double) * (size_t)c->nx);
  c->known = true;
  return AP_OK;
}

// y [free] = A^T b with A [nv * free].
static void transposed(const ap_closed *c, const double *A, const double *b, double *y) {
  for (int k = 0; k < c->free; k++) y[k] = 0;
  for (int i = 0; i < c->nv; i++)
    for (int k = 0; k < c->free; k++) y[k] += A[i * c->free + k] * b[i];
}

// x [nv] += Z z
static void add_rates(const ap_closed *c, const double *z, double *x) {
  for (int i = 0; i < c->nv; i++)
    for (int k = 0; k < c->free; k++) x[i] += c->Z[i * c->free + k] * z[k];
}

void ap__closed_momentum(const ap_closed *c, const double *xd, double *y) {
  transposed(c, c->MZ, xd, y);
  ap__cholesky_lower(c->free, c->L, y);
}

ap_status ap__closed_place(ap_closed *c, const double *x, const double *xd) {
  memcpy(c->there, x, sizeof(double) * (size_t)c->nx);
  ap_status status = ap_normalize(c->m->tree, c->there);
  if (!status) status = close_there(c);
  if (status || !xd) return status;
  status = ap__closed_at(c, c->there);
  if (status) return status;
  ap__closed_momentum(c, xd, c->z);
  ap__cholesky_upper(c->free, c->L, c->z);
  memset(c->rates, 0, sizeof(double) * (size_t)c->nv);
  add_rates(c, c->z, c->rates);
  return AP_OK;
}

// ---- start -------------------------------------------------------------------------------------

// The rank of Phi_x a little way from x, in a direction that has nothing to do with the mechanism;
// 0 where the closures cannot be met there. Factors at x have been used to find Z.
static int rank_nearby(ap_closed *c, const double *x) {
  int count = c->nv - c->qr.rank;
  if (count == 0) return 0;
  ap__qr_null(&c->qr, c->Z);
  for (int i = 0; i < c->nv; i++) {
    c->step[i] = 0;
    for (int k = 0; k < count; k++) c->step[i] += NEARBY * c->Z[i * count + k] * cos(1.0 + 2.4 * k);
  }
  ap_integrate(c->m->tree, x, c->step, c->there);
  if (ap_loop_close(c->m, c->l, c->there, NULL, NULL)) return 0;
  factor(c, c->there, 0, REDUNDANT);
  return c->qr.rank;
}

ap_status ap__closed_start(ap_closed *c, double *x) {
  ap_status status = ap_loop_close(c->m, c->l, x, NULL, NULL);
  if (status) return status;
  c->known = false;
  factor(c, x, 0, REDUNDANT);
  int here = c->qr.rank, nearby = rank_nearby(c, x);
  c->rank = here;
  c->free = c->nv - here;
  if (nearby > here) return AP_E_SINGULAR_CLOSURES;
  status = ap__closed_place(c, x, NULL);
  if (!status) memcpy(x, c->there, sizeof(double) * (size_t)c->nx);
  return status ? status : ap__closed_at(c, x);
}

double ap__closed_coordinates(ap_closed *c, const double *x, const double *xd, double *s,
                              double *sd) {
  int rows = c->m->nrow;
  double worst = 0;
  ap__rows(c->m, c->l, x, NULL, AP_ROWS_JACOBIAN, c->F);
  c->l->placed = c->l->mapped = false;
  for (int i = 0; i < rows; i++) worst = fmax(worst, fabs(c->F[i]));
  memcpy(s, c->F + rows, sizeof(double) * (size_t)c->m->n);
  ap__coordinate_rates(c->m, c->l, xd, sd);
  return worst;
}

// ---- motion ------------------------------------------------------------------------------------

ap_status ap__closed_accelerate(ap_closed *c, const double *x, const double *xd, const double *tau,
                                double *xdd) {
  ap_status status = ap__closed_at(c, x);
  if (status) return status;
  ap__rows(c->m, c->l, x, xd, AP_ROWS_BIAS, c->F);
  for (int i = 0; i < c->m->nrow; i++) c->tall[i] = -c->l->bias[i];
  ap__qr_solve(&c->qr, c->tall, c->xdd);
  ap_inverse_dynamics(c->m->tree, c->l->work, x, xd, c->xdd, c->f);
  for (int i = 0; i < c->nv; i++) c->f[i] = tau[i] - c->f[i];
  transposed(c, c->Z, c->f, c->z);
  ap__cholesky_solve(c->free, c->L, c->z);
  add_rates(c, c->z, c->xdd);
  memcpy(xdd, c->xdd, sizeof(double) * (size_t)c->nv);
  return AP_OK;
}

ap_status ap__closed_mobility(ap_closed *c, const double *x, double *mobility) {
  int nv = c->nv, count = c->free;
  ap_status status = ap__closed_at(c, x);
  if (status) return status;
  for (int i = 0; i < nv; i++) { // the columns of L^-1 Z^T
    double *row = c->half + i * count;
    memcpy(row, c->Z + i * count, sizeof(double) * (size_t)count);
    ap__cholesky_lower(count, c->L, row);
  }
  for (int i = 0; i < nv; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < count; k++) sum += c->half[i * count + k] * c->half[j * count + k];
      mobility[i * nv + j] = mobility[j * nv + i] = sum;
    }
  return AP_OK;
}
