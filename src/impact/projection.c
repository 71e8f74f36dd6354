// SPDX-License-Identifier: Apache-2.0
// The projection of a state onto the states that no wall forbids:
//
//   minimise |x - y|^2 / 2  subject to  a_i . x >= d_i
//
// Its multipliers are the impulses: x = y + sum a_i p_i, 0 <= p_i, a_i . x - d_i >= 0, one of them
// zero. x is unique. By the dual method of D. Goldfarb and A. Idnani (1983): start from y, take in
// the worst violated constraint, drop those that would begin to pull. The constraints in use are
// always linearly independent, every step ends farther from y, so that it ends; and where the
// constraints contradict each other a step shows which of them do.

#include <math.h>

#include "impact/law.h"

static const double PRESSES = 1e-12; // coefficients below it are rounding

// The constraint that is violated most, seen in lengths of its own; -1: none.
static int most_violated(const ap_law *c) {
  double worst = AP_STILL * ap__length(c, c->y);
  int which = -1;
  for (int i = 0; i < c->n; i++) {
    double size = c->size[3 * i];
    if (size <= 0 || c->given_up[i]) continue;
    double depth = (c->d[i] - ap__along(c, 3 * i, c->x)) / size;
    if (depth > worst) worst = depth, which = i;
  }
  return which;
}

// The basis of the active normals from the one at `from` on: those before are in it.
static void rebuild(ap_law *c, int from, int *nactive) {
  int kept = from;
  c->basis.rank = from;
  for (int k = from; k < *nactive; k++) {
    if (!ap__basis_add(&c->basis, ap__direction(c, c->active[k], 0), c->room)) continue;
    c->active[kept] = c->active[k];
    c->lambda[kept++] = c->lambda[k];
  }
  *nactive = kept;
}

// The active constraint that would begin to pull first along r, with the step until then; parts
// of r shorter than least are rounding.
static int first_to_pull(const ap_law *c, int nactive, double least, double *step) {
  int which = -1;
  *step = INFINITY;
  for (int k = 0; k < nactive; k++) {
    if (c->r[k] * c->size[3 * c->active[k]] <= least) continue;
    double t = c->lambda[k] / c->r[k];
    if (t < *step) *step = t, which = k;
  }
  return which;
}

static void drop(ap_law *c, int k, int *nactive) {
  for (int i = k; i + 1 < *nactive; i++) {
    c->active[i] = c->active[i + 1];
    c->lambda[i] = c->lambda[i + 1];
  }
  (*nactive)--;
  rebuild(c, k, nactive); // a change of one touch changes all behind it
}

// The touches that contradict each other: j and those that would be pressed without end with it.
static void mark_wedged(ap_law *c, int j, int nactive, double least) {
  for (int i = 0; i < c->n; i++) c->on[i] = i == j;
  for (int k = 0; k < nactive; k++)
    if (c->r[k] * c->size[3 * c->active[k]] < -least) c->on[c->active[k]] = true;
}

// Take in constraint j. False: it contradicts the active ones, marked in on[].
static bool take_in(ap_law *c, int j, int *nactive) {
  const double *a = ap__direction(c, j, 0);
  double size = c->size[3 * j], least = PRESSES * size, lambda = 0, *z = c->room2;
  for (;;) {
    // a_j = sum r_k a_k + z
    double rest = ap__basis_split(&c->basis, a, c->room, z), step, full = INFINITY;
    ap__basis_solve(&c->basis, c->room, c->r);
    int k = first_to_pull(c, *nactive, least, &step);
    bool depends = rest <= AP_DEPENDENT * size;
    if (depends && k < 0) {
      mark_wedged(c, j, *nactive, least);
      return false;
    }
    if (!depends) full = fmax(0, (c->d[j] - ap__along(c, 3 * j, c->x)) / (rest * rest));
    double t = fmin(full, step);
    for (int i = 0; i < *nactive; i++) c->lambda[i] = fmax(0, c->lambda[i] - t * c->r[i]);
    lambda += t;
    if (!depends) ap__add_scaled(c->nv, t, z, c->x);
    if (full <= step) {
      c->active[*nactive] = j;
      c->lambda[(*nactive)++] = lambda;
      rebuild(c, *nactive - 1, nactive);
      return true;
    }
    drop(c, k, nactive);
  }
}

// The state once more from the active set alone, so that no rounding of the way there is left:
// x = y + Q s with R^T s = d - A^T y.
static void solve_active(ap_law *c, int nactive) {
  double *s = c->room2;
  for (int k = 0; k < nactive; k++) {
    int i = c->active[k];
    s[k] = c->d[i] - ap__along(c, 3 * i, c->y);
  }
  ap__basis_solve_transposed(&c->basis, s, s);
  for (int i = 0; i < c->nv; i++) c->x[i] = c->y[i];
  for (int k = 0; k < nactive; k++) ap__add_scaled(c->nv, s[k], c->basis.q + k * c->nv, c->x);
  ap__basis_solve(&c->basis, s, c->lambda);
  for (int k = 0; k < nactive; k++) c->lambda[k] = fmax(0, c->lambda[k]);
}

ap_projected ap__project(ap_law *c, int *nactive) {
  *nactive = 0;
  c->basis.rank = 0;
  for (int i = 0; i < c->nv; i++) c->x[i] = c->y[i];
  for (int i = 0; i < c->n; i++) c->given_up[i] = false;
  for (int round = 0; round < 100 * (c->n + 1); round++) {
    int j = most_violated(c);
    if (j < 0) {
      solve_active(c, *nactive);
      return AP_PROJECTED;
    }
    double deep = c->d[j] - ap__along(c, 3 * j, c->x);
    if (take_in(c, j, nactive)) continue;
    if (deep > 1e-10 * c->size[3 * j] * ap__length(c, c->y)) return AP_WEDGED;
    c->given_up[j] = true; // it depends on others and contradicts them by rounding alone
  }
  return AP_TOO_LONG;
}
