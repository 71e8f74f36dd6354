// SPDX-License-Identifier: Apache-2.0
// Assembly: Newton's method on F(x) = [Phi(x); s(x) - q], and the map P of rates.
//
// A step is -K^+ F, with K = [Phi_x; s_x] factored so that dependent rows and columns do no harm,
// and no longer than REACH. Short Newton steps follow the path on which F shrinks along its own
// direction, which keeps the branch. A factor is used again while it shortens F well. Where no
// step shortens F, Levenberg-Marquardt steps look for the place where |F| is least: if F is not
// zero there, the pose cannot be reached.

#include <float.h>
#include <math.h>
#include <string.h>

#include "loop/closed_chain.h"
#include "loop/work.h"

#define REACH      0.2   // rad or m
#define RANK       1e-11 // of the columns of K in a step
#define EXACT      3e-14 // an F that needs no further step
#define CLOSED     1e-11 // an F that counts as zero, m or rad, where it no longer shrinks
#define CONSISTENT 1e-7  // what K P may lack of [0; 1]

double ap__qr_nearness(const ap_qr *qr, int full) {
  if (qr->rank < full || full == 0) return 0;
  double least = INFINITY, largest = 0;
  for (int i = 0; i < full; i++) {
    double pivot = fabs(qr->A[i * qr->n + i]);
    least = fmin(least, pivot), largest = fmax(largest, pivot);
  }
  return least / largest;
}

// A search: rows from 0 on that are to vanish.
typedef struct search {
  const ap_mechanism *m;
  ap_loop *l;
  const double *q;  // NULL: Phi alone
  const bool *held; // [nv] rates that are not to change; NULL: none
  int rows;
  int iterations;
} search;

static double wrapped(double angle) {
  const double turn = 6.28318530717958647693;
  return fabs(angle) <= turn / 2 ? angle : angle - turn * nearbyint(angle / turn);
}

// F of configuration x, and the sum of its squares.
static double evaluate(const search *s, const double *x, int what, double *F) {
  const ap_mechanism *m = s->m;
  ap__rows(m, s->l, x, NULL, what, F);
  for (int i = m->nrow; s->q && i < s->rows; i++) {
    const ap_measure *k = &m->measure[i - m->nrow];
    F[i] -= s->q[i - m->nrow];
    if (k->def.kind >= AP_COORDINATE_YAW) F[i] = wrapped(F[i]);
  }
  double sum = 0;
  for (int i = 0; i < s->rows; i++) sum += F[i] * F[i];
  return sum;
}

// Factor K (with rows sqrt(mu) 1 below it where mu > 0).
static void factor(const search *s, double mu) {
  ap_loop *l = s->l;
  int nv = s->m->nv;
  memcpy(l->qr.A, l->K, sizeof(double) * (size_t)s->rows * (size_t)nv);
  for (int i = 0; s->held && i < s->rows * nv; i++)
    if (s->held[i % nv]) l->qr.A[i] = 0;
  l->qr.m = s->rows;
  if (mu > 0) {
    double *below = l->qr.A + s->rows * nv;
    memset(below, 0, sizeof(double) * (size_t)nv * (size_t)nv);
    for (int i = 0; i < nv; i++) below[i * nv + i] = sqrt(mu);
    l->qr.m += nv;
  }
  ap__qr_factor(&l->qr, RANK);
}

// step = -K^+ F, shortened to REACH; its largest entry.
static double find_step(const search *s) {
  ap_loop *l = s->l;
  int nv = s->m->nv;
  double largest = 0;
  for (int i = 0; i < l->qr.m; i++) l->tall[i] = i < s->rows ? -l->F[i] : 0;
  ap__qr_solve(&l->qr, l->tall, l->step);
  for (int i = 0; i < nv; i++) largest = fmax(largest, fabs(l->step[i]));
  if (largest > REACH)
    for (int i = 0; i < nv; i++) l->step[i] *= REACH / largest;
  return fmin(largest, REACH);
}

static void accept(const search *s, double *x) {
  ap_loop *l = s->l;
  memcpy(x, l->try_x, sizeof(double) * (size_t)s->m->nx);
  memcpy(l->F, l->try_F, sizeof(double) * (size_t)s->rows);
}

// Try the step, and halves of it if it is fresh. The new sum of squares; the old one, and x as it
// was, where none shortens F.
static double take_step(const search *s, double *x, double sum, bool fresh) {
  ap_loop *l = s->l;
  for (int halving = 0; halving < (fresh ? 9 : 1); halving++) {
    ap_integrate(s->m->tree, x, l->step, l->try_x);
    double now = evaluate(s, l->try_x, AP_ROWS_VALUES, l->try_F);
    if (now < sum) {
      accept(s, x);
      return now;
    }
    for (int i = 0; i < s->m->nv; i++) l->step[i] *= 0.5;
  }
  return sum;
}

// Newton steps on x, the first with the factors at hand if `reuse`. True when F is zero to
// rounding; false where no step shortens it.
static bool newton(search *s, double *x, bool reuse) {
  enum { STEPS = 200 };
  ap_loop *l = s->l;
  double sum = evaluate(s, x, AP_ROWS_VALUES, l->F);
  for (; s->iterations < STEPS; s->iterations++) {
    if (sum <= EXACT * EXACT) return true;
    bool fresh = !reuse;
    if (fresh) {
      ap__rows(s->m, l, x, NULL, AP_ROWS_JACOBIAN, l->try_F);
      factor(s, 0);
    }
    double size = find_step(s), was = sum;
    if (fresh || size < REACH) sum = take_step(s, x, sum, fresh);
    if (fresh && !(sum < was)) return sum < CLOSED * CLOSED;
    reuse = sum < 0.01 * was && size < REACH;
  }
  return sum < CLOSED * CLOSED;
}

// The x that makes |F| least nearby; true where F is zero there.
static bool least_errors(search *s, double *x) {
  enum { STEPS = 600 };
  ap_loop *l = s->l;
  double mu = 1e-4, sum = evaluate(s, x, AP_ROWS_JACOBIAN, l->F);
  for (; s->iterations < STEPS && mu < 1e6; s->iterations++) {
    factor(s, mu);
    double size = find_step(s);
    ap_integrate(s->m->tree, x, l->step, l->try_x);
    double now = evaluate(s, l->try_x, AP_ROWS_VALUES, l->try_F);
    if (!(now < sum)) {
      mu *= 10;
      if (size < 1e-13) break;
      continue;
    }
    bool settled = now > (1 - 1e-12) * sum && now > CLOSED * CLOSED;
    sum = now;
    accept(s, x);
    if (sum <= EXACT * EXACT || settled) break;
    mu = fmax(mu * 0.1, 1e-14);
    evaluate(s, x, AP_ROWS_JACOBIAN, l->F);
  }
  return sum < CLOSED * CLOSED;
}

static void report(const search *s, ap_assembly *r) {
  const ap_mechanism *m = s->m;
  const double *F = s->l->F;
  r->iterations = s->iterations;
  r->closure_error = r->coordinate_error = 0;
  r->worst = -1;
  for (int i = 0; i < m->nclosing; i++)
    for (int k = m->closing[i].row; k < m->closing[i].row + m->closing[i].rows; k++)
      if (r->worst < 0 || fabs(F[k]) > r->closure_error)
        r->closure_error = fabs(F[k]), r->worst = i;
  for (int i = m->nrow; i < s->rows; i++)
    r->coordinate_error = fmax(r->coordinate_error, fabs(F[i]));
}

static bool search_from(search *s, double *x, bool reuse) {
  return newton(s, x, reuse) || least_errors(s, x);
}

// ---- the map -----------------------------------------------------------------------------------

// Rank of Phi_x at the configuration of which K is.
static int closure_rank(const ap_mechanism *m, ap_loop *l) {
  l->qr.m = m->nrow;
  memcpy(l->qr.A, l->K, sizeof(double) * (size_t)m->nrow * (size_t)m->nv);
  return ap__qr_factor(&l->qr, 1e-7);
}

// K, P and J_act at l->x.
static ap_status make_map(const ap_mechanism *m, ap_loop *l) {
  search s = {.m = m, .l = l, .rows = m->nrow + m->n};
  int nv = m->nv, n = m->n;
  ap__rows(m, l, l->x, NULL, AP_ROWS_JACOBIAN, l->try_F);
  factor(&s, 0);
  if (!(ap__qr_nearness(&l->qr, nv) > AP_SERIAL_NEAR)) return AP_E_SINGULAR_SERIAL;
  memset(l->B, 0, sizeof(double) * (size_t)s.rows * (size_t)n);
  for (int i = 0; i < n; i++) l->B[(m->nrow + i) * n + i] = 1;
  ap__qr_solve_many(&l->qr, n, l->B, l->Z, l->P);
  for (int i = nv * n; i < s.rows * n; i++)
    if (!(fabs(l->B[i]) < CONSISTENT)) return AP_E_MODEL;
  for (int i = 0; i < m->nact; i++) {
    const int column = m->actuated_column[i];
    for (int j = 0; j < n; j++) // the rate of a coordinate is itself
      l->J_act[i * n + j] = column < 0 ? j == AP_ALONG_COORDINATE(column) : l->P[column * n + j];
  }
  l->mapped = true;
  return AP_OK;
}

// A pitch of +-pi/2: what is yaw and what roll is not determined.
static bool in_gimbal(const ap_mechanism *m, const double *q) {
  for (int i = 0; i < m->n; i++)
    if (m->measure[i].def.kind == AP_COORDINATE_PITCH && fabs(cos(q[i])) < 1e-6) return true;
  return false;
}

// Place, or know that the last call did it.
static ap_status place(const ap_mechanism *m, ap_loop *l, const double *q, ap_assembly *result) {
  search s = {.m = m, .l = l, .q = q, .rows = m->nrow + m->n};
  if (!ap__finite(m->n, q)) return AP_E_ARG;
  double *x = l->big; // the search works on a copy; [most * nv] holds nx entries
  memcpy(x, l->x, sizeof(double) * (size_t)m->nx);
  bool found = search_from(&s, x, l->placed && l->mapped);
  l->placed = l->mapped = false; // the factors have changed
  if (result) report(&s, result), result->rank = 0;
  if (!found) return in_gimbal(m, q) ? AP_E_SINGULAR_SERIAL : AP_E_UNREACHABLE;
  memcpy(l->x, x, sizeof(double) * (size_t)m->nx);
  memcpy(l->q, q, sizeof(double) * (size_t)m->n);
  ap_normalize(m->tree, l->x);
  l->placed = true;
  l->state = make_map(m, l);
  if (result) result->rank = l->state == AP_OK ? m->nv - m->n : closure_rank(m, l);
  return l->state;
}

ap_status ap__loop_map(const ap_mechanism *m, ap_loop *l, const double *q) {
  if (l->placed && !memcmp(l->q, q, sizeof(double) * (size_t)m->n)) return l->state;
  return place(m, l, q, NULL);
}

ap_status ap_loop_place(const ap_mechanism *m, ap_loop *l, const double *q, ap_assembly *result) {
  return place(m, l, q, result);
}

ap_status ap__loop_close(const ap_mechanism *m, ap_loop *l, double *x, const bool *held,
                         ap_assembly *result) {
  search s = {.m = m, .l = l, .held = held, .rows = m->nrow};
  if (!ap__finite(m->nx, x)) return AP_E_ARG;
  double *copy = l->big;
  memcpy(copy, x, sizeof(double) * (size_t)m->nx);
  if (ap_normalize(m->tree, copy) != AP_OK) return AP_E_ARG;
  l->mapped = l->placed = false; // K and its factors are used here
  bool found = search_from(&s, copy, false);
  if (result) {
    report(&s, result);
    ap__rows(m, l, copy, NULL, AP_ROWS_JACOBIAN, l->try_F);
    result->rank = closure_rank(m, l);
  }
  if (!found) return AP_E_UNREACHABLE;
  memcpy(x, copy, sizeof(double) * (size_t)m->nx);
  return AP_OK;
}

ap_status ap_loop_close(const ap_mechanism *m, ap_loop *l, double *x, double *q,
                        ap_assembly *result) {
  ap_status status = ap__loop_close(m, l, x, NULL, result);
  if (status == AP_OK && q) ap_loop_errors(m, l, x, NULL, q);
  return status;
}

// ---- rates -------------------------------------------------------------------------------------

// What row i of K xd is to be: 0 of a closure, v of a coordinate.
static double rate_of_row(const ap_mechanism *m, const double *v, int i) {
  return v && i >= m->nrow ? v[i - m->nrow] : 0;
}

double ap__loop_rates(const ap_mechanism *m, ap_loop *l, const double *x, const bool *held,
                      const double *v, double *xd) {
  search s = {.m = m, .l = l, .held = held, .rows = m->nrow + (v ? m->n : 0)};
  int nv = m->nv;
  double lack = 0;
  l->mapped = l->placed = false;
  ap__rows(m, l, x, NULL, AP_ROWS_JACOBIAN, l->try_F);
  factor(&s, 0);
  for (int i = 0; i < s.rows; i++) {
    l->tall[i] = rate_of_row(m, v, i);
    for (int j = 0; held && j < nv; j++)
      if (held[j]) l->tall[i] -= l->K[i * nv + j] * xd[j];
  }
  ap__qr_solve(&l->qr, l->tall, l->step);
  for (int j = 0; j < nv; j++)
    if (!held || !held[j]) xd[j] = l->step[j];
  for (int i = 0; i < s.rows; i++) {
    double rest = -rate_of_row(m, v, i);
    for (int j = 0; j < nv; j++) rest += l->K[i * nv + j] * xd[j];
    lack = fmax(lack, fabs(rest));
  }
  return lack;
}
