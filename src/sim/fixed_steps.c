// SPDX-License-Identifier: Apache-2.0
// Steps of a fixed length: the classical Runge-Kutta method, one with an implicit part for springs
// and dampers, and the semi-implicit Euler method.
//
// A damper d in a joint that moves the inertia I settles in I / d; an explicit method with steps
// longer than some two of these times diverges. So the forces of springs and dampers, which are
// linear, -P (D v + K (q - rest)) as accelerations, are taken implicitly: P, the mobility that
// contacts leave, as it is where the step begins, D and K diagonal. What is left of the rate is
// taken explicitly, so that P need not be exact for the order to hold.
//
//   Runge-Kutta   the additive method of order 4 of C. A. Kennedy and M. H. Carpenter (2003),
//                 ARK4(3)6L[2]SA; without springs and dampers the classical one
//   Euler         (1 + h P (D + h K)) (v1 - v0) = h a0 - h^2 P K v0,  q1 = q0 + h q'(q0, v1);
//                 what is behind q and v, by its rate with the mean of both velocities
//
// Stages of the former are, with c = h / 4 and v*, q* from the earlier stages,
//   (1 + c P S) v = v* - c P K (q* - rest),  S = D + c K,  q = q* + c v,
// and 1 + c P S is solved by the Cholesky factor of 1 + c S^1/2 P S^1/2.

#include <math.h>
#include <string.h>

#include "sim/ode.h"

enum { CLASSICAL = 4, ADDITIVE = 6 };

static const double explicit_a[ADDITIVE][ADDITIVE - 1] = {
    {0},
    {0.5},
    {0.221776, 0.110224},
    {-0.04884659515311858, -0.177720652326401, 0.84656724747951961},
    {-0.15541685842491548, -0.3567050098221991, 1.0587258798684427, 0.30339598837867193},
    {0.20142435067267633, 0.0087420578429041849, 0.15993995707168115, 0.40382906052207751,
     0.22606457389066084},
};
static const double implicit_a[ADDITIVE][ADDITIVE - 1] = {
    {0},
    {0.25},
    {0.137776, -0.055776},
    {0.14463686602698217, -0.22393190761334475, 0.44929504158636258},
    {0.098258783283564771, -0.59154424281967044, 0.81012105382829958, 0.28316440570780599},
    {0.15791629516167136, 0, 0.18675894052400077, 0.68056529530933463, -0.27524053099500667},
};
static const double additive_b[ADDITIVE] = {
    0.15791629516167136, 0, 0.18675894052400077, 0.68056529530933463, -0.27524053099500667, 0.25};
static const double additive_c[ADDITIVE] = {0, 0.5, 0.332, 0.62, 0.85, 1};
static const double DIAGONAL = 0.25;

// ---- the implicit part -------------------------------------------------------------------------

// What has no spring and no damper drops out of the systems below.
static void list_acting(ode_stiff *s) {
  s->nacts = 0;
  for (int i = 0; i < s->n; i++)
    if (s->damping[i] > 0 || s->stiffness[i] > 0) s->acts[s->nacts++] = i;
}

// x += part P d over the velocities; d is of those that act. P is symmetric, and its rows lie in
// one piece.
static void add_mobile(const ode_stiff *s, double part, const double *d, double *x) {
  const int n = s->n;
  double *restrict sum = s->sum;
  for (int i = 0; i < n; i++) sum[i] = 0;
  for (int k = 0; k < s->nacts; k++) {
    const double *restrict row = s->mobility + s->acts[k] * n;
    for (int i = 0; i < n; i++) sum[i] += row[i] * d[k];
  }
  for (int i = 0; i < n; i++) x[i] += part * sum[i];
}

static double stretch(const ode_stiff *s, const double *y, int i) {
  return s->q[i] >= 0 ? y[s->q[i]] - s->rest[i] : 0;
}

// y -= l x from `from` on.
static void subtract_row(int from, int n, double l, const double *restrict x, double *restrict y) {
  for (int i = from; i < n; i++) y[i] -= l * x[i];
}

// The Cholesky factor U^T U of 1 + c S^1/2 P S^1/2, S = D + e K, over what acts. It is never
// singular.
static void factor(ode_stiff *s, double c, double e) {
  const int n = s->nacts, *at = s->acts;
  for (int k = 0; k < n; k++) s->root[k] = sqrt(s->damping[at[k]] + e * s->stiffness[at[k]]);
  for (int k = 0; k < n; k++) {
    const double *P = s->mobility + at[k] * s->n;
    double *row = s->U + k * n;
    for (int j = k; j < n; j++) row[j] = (k == j) + c * s->root[j] * P[at[j]] * s->root[k];
  }
  for (int k = 0; k < n; k++) {
    double *row = s->U + k * n;
    row[k] = sqrt(row[k]);
    for (int j = k + 1; j < n; j++) row[j] /= row[k];
    for (int r = k + 1; r < n; r++) subtract_row(r, n, row[r], row, s->U + r * n);
  }
}

// U^T U x = b in place.
static void solve_factor(int n, const double *U, double *x) {
  for (int k = 0; k < n; k++) {
    x[k] /= U[k * n + k];
    subtract_row(k + 1, n, x[k], U + k * n, x);
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = n - 1; j > k; j--) x[k] -= U[k * n + j] * x[j];
    x[k] /= U[k * n + k];
  }
}

// x = (1 + c P S)^-1 x by the factor of factor(): x - c P S^1/2 (1 + c S^1/2 P S^1/2)^-1 S^1/2 x.
static void solve(ode_stiff *s, double c, double *x) {
  const int n = s->nacts;
  for (int k = 0; k < n; k++) s->room[k] = s->root[k] * x[s->acts[k]];
  solve_factor(n, s->U, s->room);
  for (int k = 0; k < n; k++) s->room[k] *= s->root[k];
  add_mobile(s, -c, s->room, x);
}

// The implicit part of the rate at y, into rate: q' of coordinates with springs, and v'.
static void implicit_rate(ode_stiff *s, int n, const double *y, double *rate) {
  memset(rate, 0, (size_t)n * sizeof *rate);
  for (int k = 0; k < s->nacts; k++) {
    const int i = s->acts[k];
    s->room[k] = s->damping[i] * y[s->v + i] + s->stiffness[i] * stretch(s, y, i);
    if (s->q[i] >= 0 && s->stiffness[i] > 0) rate[s->q[i]] = y[s->v + i];
  }
  add_mobile(s, -1, s->room, rate + s->v);
}

// ---- Runge-Kutta -------------------------------------------------------------------------------

static void add(int n, double h, const double *k, double *y) {
  for (int i = 0; i < n && h != 0; i++) y[i] += h * k[i];
}

static bool step_classical(ap_ode *ode, double h, double *k, double *y) {
  static const double c[CLASSICAL] = {0, 0.5, 0.5, 1},
                      b[CLASSICAL] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  size_t bytes = (size_t)ode->n * sizeof *y;
  for (int i = 1; i < CLASSICAL; i++) {
    memcpy(y, ode->y0, bytes);
    add(ode->n, c[i] * h, k + (i - 1) * ode->n, y);
    if (!ap__ode_rate(ode, ode->from + c[i] * h, y, k + i * ode->n)) return false;
  }
  memcpy(y, ode->y0, bytes);
  for (int i = 0; i < CLASSICAL; i++) add(ode->n, b[i] * h, k + i * ode->n, y);
  return true;
}

// Stage i in y from the rates k and their implicit parts before it.
static void additive_stage(ap_ode *ode, double h, int i, const double *k, double *y) {
  ode_stiff *s = ode->stiff;
  double c = DIAGONAL * h, *v = y + s->v;
  memcpy(y, ode->y0, (size_t)ode->n * sizeof *y);
  for (int j = 0; j < i; j++) {
    add(ode->n, h * explicit_a[i][j], k + j * ode->n, y);
    add(ode->n, h * (implicit_a[i][j] - explicit_a[i][j]), s->part + j * ode->n, y);
  }
  for (int j = 0; j < s->nacts; j++)
    s->room[j] = s->stiffness[s->acts[j]] * stretch(s, y, s->acts[j]);
  add_mobile(s, -c, s->room, v);
  solve(s, c, v);
  for (int j = 0; j < s->n; j++)
    if (s->q[j] >= 0 && s->stiffness[j] > 0) y[s->q[j]] += c * v[j];
}

static bool step_additive(ap_ode *ode, double h, double *k, double *y) {
  ode_stiff *s = ode->stiff;
  factor(s, DIAGONAL * h, DIAGONAL * h);
  implicit_rate(s, ode->n, ode->y0, s->part);
  for (int i = 1; i < ADDITIVE; i++) {
    additive_stage(ode, h, i, k, y);
    implicit_rate(s, ode->n, y, s->part + i * ode->n);
    if (!ap__ode_rate(ode, ode->from + additive_c[i] * h, y, k + i * ode->n)) return false;
  }
  memcpy(y, ode->y0, (size_t)ode->n * sizeof *y);
  for (int i = 0; i < ADDITIVE; i++) add(ode->n, additive_b[i] * h, k + i * ode->n, y);
  return true;
}

// ---- Euler -------------------------------------------------------------------------------------

static bool step_euler(ap_ode *ode, double h, double *k, double *y) {
  ode_stiff *s = ode->stiff;
  double *change = s->part;
  memcpy(y, ode->y0, (size_t)ode->n * sizeof *y);
  for (int i = 0; i < s->n; i++) change[i] = h * k[s->v + i];
  for (int j = 0; j < s->nacts; j++) {
    const int i = s->acts[j];
    s->room[j] = s->q[i] >= 0 ? s->stiffness[i] * ode->y0[s->v + i] : 0;
  }
  add_mobile(s, -h * h, s->room, change);
  factor(s, h, h);
  solve(s, h, change);
  for (int i = 0; i < s->n; i++) y[s->v + i] = ode->y0[s->v + i] + change[i];
  s->configuration_rate(ode->context, ode->y0, y + s->v, k + ode->n);
  add(s->v, h, k + ode->n, y);
  double *mean = s->part, *rate = k + ode->n; // the forces of the beginning, on the mean velocity
  memcpy(mean, ode->y0, (size_t)ode->n * sizeof *mean);
  for (int i = 0; i < s->n; i++) mean[s->v + i] = 0.5 * (ode->y0[s->v + i] + y[s->v + i]);
  ode->failed = s->ledger(ode->context, ode->from, mean, rate + s->v + s->n);
  for (int i = s->v + s->n; i < ode->n && !ode->failed; i++) y[i] += h * rate[i];
  return !ode->failed;
}

bool ap__fixed_step(ap_ode *ode, double h, double *k, double *y) {
  ode->failed = ode->stiff->prepare(ode->context, ode->from, ode->y0);
  ode->not_finite = -1;
  ode->failed_at = ode->from;
  if (ode->failed) return false;
  list_acting(ode->stiff);
  if (ode->euler) return step_euler(ode, h, k, y);
  return ode->stiff->any ? step_additive(ode, h, k, y) : step_classical(ode, h, k, y);
}
