// SPDX-License-Identifier: Apache-2.0
// The combinations of standard parameters that motion can tell.
//
// W p is the same for all p that differ by a vector of W's null space, whatever the motion. With
// the columns split into independent ones W_I and those that depend on them, W_D = W_I X, is
// W p = W_I (p_I + X p_D): the base parameters are p_I + X p_D. Columns are compared at length one,
// so that units do not matter.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ident/ident.h"
#include "model/frozen.h"
#include "num/qr.h"
#include "num/svd.h"

// A column shorter than this part of the longest, or a pivot or singular value smaller than this
// part of the largest, tells nothing. Robots have pivots above 1e-3 or, where no angle was rounded
// in a file, below 1e-14 (docs/identification.md). Where one was, remove_rounding() comes first.
#define NEGLIGIBLE 1e-6
// Factors of columns of length one that are smaller are rounding.
#define NO_FACTOR 1e-9
// Pivots that differ by less are equal: the parameter that comes first leads, and not rounding.
#define TIE 1e-6

// ---- random states -----------------------------------------------------------------------------

// Even over all orientations: the direction of a random point of the ball.
static void random_quaternion(ap__random *r, double *q) {
  double square;
  do {
    square = 0;
    for (int k = 0; k < 4; k++) q[k] = ap__uniform(r, -1, 1), square += q[k] * q[k];
  } while (square > 1 || square < 0.01);
  for (int k = 0; k < 4; k++) q[k] /= sqrt(square);
}

static void random_joint(ap__random *r, const ap_model *m, const ap_joint *j, double *q) {
  const ap_body_def *b = &m->link[j->link];
  const double turn = acos(-1.0);
  double low = j->type == AP_REVOLUTE ? -turn : -1, high = -low;
  if (isfinite(b->lower) && isfinite(b->upper) && b->upper > b->lower)
    low = b->lower, high = b->upper;
  switch (j->type) {
    case AP_FIXED: break;
    case AP_REVOLUTE:
    case AP_PRISMATIC: q[0] = ap__uniform(r, low, high); break;
    case AP_SPHERICAL: random_quaternion(r, q); break;
    case AP_PLANAR:
      q[0] = ap__uniform(r, -1, 1), q[1] = ap__uniform(r, -1, 1);
      q[2] = ap__uniform(r, -turn, turn);
      break;
    case AP_FREE:
      for (int k = 0; k < 3; k++) q[k] = ap__uniform(r, -1, 1);
      random_quaternion(r, q + 3);
      break;
  }
}

void ap__random_state(ap__random *r, const ap_model *m, double *q, double *v, double *a) {
  for (int i = 1; i < m->nbody; i++)
    if (!m->joint[i].leader) random_joint(r, m, &m->joint[i], q + m->joint[i].q);
  for (int k = 0; k < m->nv; k++) v[k] = ap__uniform(r, -2, 2), a[k] = ap__uniform(r, -5, 5);
}

// The triangle of the regressor in random states, divided by the root of their number.
static ap_status random_triangle(ap_ident *id, double *G, ap_error *error) {
  ap_reduction *r;
  ap_status status = ap_reduction_create(id, 1, &r, error);
  double *state = malloc(((size_t)id->nq + 3 * (size_t)id->nv) * sizeof *state);
  const int states = 100 + 4 * id->np;
  if (!status && !state) status = ap__no_memory(error);
  if (!status) {
    ap__random random = {1};
    double *q = state, *v = q + id->nq, *a = v + id->nv, *zero = a + id->nv;
    memset(zero, 0, (size_t)id->nv * sizeof *zero);
    for (int k = 0; k < states; k++) {
      ap__random_state(&random, id->m, q, v, a);
      ap__ident_limit_state(id, &random, q, v, a);
      ap_regressor(id->m, id->w, q, v, a, id->K);
      ap__reduction_add(r, id->K, q, v, a, zero);
    }
    if (ap__reduction_gather(r, NULL, -1, G)) status = ap__no_memory(error);
  }
  for (size_t k = 0; !status && k < ap__row(id->np + 1, id->np + 1); k++) G[k] /= sqrt(states);
  free(state), ap_reduction_free(r);
  return status;
}

// ---- rounding ----------------------------------------------------------------------------------

// Columns of length one; those that say nothing relative to the longest. D may be NULL.
static void scale_columns(int np, double *G, double *D, double *scale) {
  double most = 0;
  for (int k = 0; k < np; k++) {
    scale[k] = ap__length(G + k, k + 1, np + 1);
    most = fmax(most, scale[k]);
  }
  for (int k = 0; k < np; k++) {
    double rounding = D ? ap__length(D + k, k + 1, np + 1) : 0;
    bool empty = !(scale[k] > fmax(NEGLIGIBLE * most, rounding));
    if (empty) scale[k] = most > 0 ? most : 1;
    for (int i = 0; i <= k; i++) {
      double *x = &G[ap__row(i, np + 1) + (size_t)k];
      *x = empty && D ? 0 : *x / scale[k];
      if (D) D[ap__row(i, np + 1) + (size_t)k] *= empty ? 0 : 1 / scale[k];
    }
  }
}

// The triangle without its last column.
static void drop_last(int np, const double *G, double *A) {
  for (int k = 0; k < np; k++)
    memcpy(A + ap__row(k, np), G + ap__row(k, np + 1), (size_t)np * sizeof *A);
}

// x = G times the combination n of its columns, np rows.
static void combine(int np, const double *G, const double *n, double *x) {
  for (int i = 0; i < np; i++) {
    x[i] = 0;
    for (int k = 0; k < np; k++) x[i] += G[ap__row(i, np + 1) + (size_t)k] * n[k];
  }
}

// Of the columns that a QR factorisation keeps, one that differs from a combination of those before
// it by no more than rounding changes in that combination: it becomes the combination, in G as in
// D. Whether there was one. n and x are [np].
static bool remove_one(int np, double *G, double *D, const double *R, const int *order, int rank,
                       double *n, double *x) {
  for (int k = rank - 1; k > 0; k--) {
    for (int i = 0; i < k; i++) x[i] = R[ap__row(i, np) + (size_t)k];
    if (!ap__triangle_solve(k, R, np, 1, x, 1)) continue;
    for (int i = 0; i < np; i++) n[i] = 0;
    for (int i = 0; i < k; i++) n[order[i]] = -x[i];
    n[order[k]] = 1;
    combine(np, D, n, x);
    if (fabs(R[ap__row(k, np) + (size_t)k]) > ap__length(x, np, 1)) continue;
    n[order[k]] = 0;
    for (int turn = 0; turn < 2; turn++) {
      double *M = turn ? D : G;
      combine(np, M, n, x);
      for (int i = 0; i < np; i++) M[ap__row(i, np + 1) + (size_t)order[k]] = -x[i];
    }
    return true;
  }
  return false;
}

// What angles that were rounded in a file made of the columns of G is taken out, column by column.
static ap_status remove_rounding(int np, double *G, double *D) {
  double *A = malloc(ap__row(np, np) * sizeof *A), *room = malloc(4 * (size_t)np * sizeof *room);
  int *order = malloc((size_t)np * sizeof *order);
  bool more = true;
  for (int turn = 0; A && room && order && more && turn < np; turn++) {
    drop_last(np, G, A);
    ap_qr qr = {
        .m = np, .n = np, .A = A, .left = room, .spare = room + np, .pivot = order, .tie = TIE};
    int rank = ap__qr_triangle(&qr, NEGLIGIBLE);
    more = remove_one(np, G, D, A, order, rank, room + 2 * (size_t)np, room + 3 * (size_t)np);
  }
  bool done = A && room && order;
  free(A), free(room), free(order);
  return done ? AP_OK : AP_E_MEMORY;
}

// Columns of length one, without what rounding made of them; *no_factor: smaller factors are
// rounding.
static ap_status clean_columns(ap_ident *id, double *G, double *scale, double *no_factor,
                               ap_error *error) {
  const double rounding = ap__rounding_of(id->m);
  *no_factor = fmax(NO_FACTOR, 10 * rounding);
  if (rounding == 0) {
    scale_columns(id->np, G, NULL, scale);
    return AP_OK;
  }
  double *D = malloc(ap__row(id->np + 1, id->np + 1) * sizeof *D);
  ap_status status = D ? ap__rounding_effect(id, rounding, D, error) : ap__no_memory(error);
  if (!status) {
    scale_columns(id->np, G, D, scale);
    if (remove_rounding(id->np, G, D)) status = ap__no_memory(error);
  }
  free(D);
  return status;
}

// ---- the two ways ------------------------------------------------------------------------------

// What a decomposition comes to: order[0 .. rank - 1] are the independent columns, X is rank x
// (np - rank).
typedef struct split {
  int rank, *order;
  double *X, kept, dropped;
} split;

// A P = Q [R1 R2; 0 0] of an m x n matrix, its columns in the order of pivot, and X = R1^-1 R2.
static ap_status pivoted(int m, int n, double *A, split *s) {
  double *room = malloc(2 * (size_t)n * sizeof *room + 1);
  if (!room) return AP_E_MEMORY;
  ap_qr qr = {
      .m = m, .n = n, .A = A, .left = room, .spare = room + n, .pivot = s->order, .tie = TIE};
  s->rank = ap__qr_triangle(&qr, NEGLIGIBLE);
  s->kept = qr.kept, s->dropped = qr.dropped;
  free(room);
  int rest = n - s->rank;
  for (int i = 0; i < s->rank; i++)
    memcpy(s->X + ap__row(i, rest), A + ap__row(i, n) + s->rank, (size_t)rest * sizeof *A);
  return ap__triangle_solve(s->rank, A, n, rest, s->X, rest) ? AP_OK : AP_E_SINGULAR;
}

// The null space N, whose transpose has the last rows of V^T: W_D N_D + W_I N_I = 0. With
// N^T P = Q [T_D T_I], T_D a triangle, is X = -(T_D^-1 T_I)^T. The pivots choose as dependent the
// columns that N determines best.
static ap_status split_by_svd(int n, double *A, split *s) {
  double *sigma = malloc((size_t)n * sizeof *sigma), *X = malloc(ap__row(n, n) * sizeof *X);
  split of = {.order = malloc((size_t)n * sizeof *of.order), .X = X};
  ap_status status = sigma && X && of.order ? ap__svd(n, 0, A, sigma) : AP_E_MEMORY;
  if (!status) {
    s->rank = 0;
    while (s->rank < n && sigma[s->rank] > NEGLIGIBLE * sigma[0]) s->rank++;
    s->kept = s->rank > 0 ? sigma[s->rank - 1] / sigma[0] : 0;
    s->dropped = s->rank > 0 && s->rank < n ? sigma[s->rank] / sigma[0] : 0;
    status = pivoted(n - s->rank, n, A + ap__row(s->rank, n), &of);
  }
  int rank = s->rank, null = n - rank;
  for (int k = 0; !status && k < n; k++) s->order[k] = of.order[k < rank ? null + k : k - rank];
  for (int k = 0; !status && k < rank; k++)
    for (int i = 0; i < null; i++)
      s->X[ap__row(k, null) + (size_t)i] = -X[ap__row(i, rank) + (size_t)k];
  free(sigma), free(X), free(of.order);
  return status;
}

// ---- base --------------------------------------------------------------------------------------

static int by_number(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static ap_base *base_of(int np, const double *scale, double no_factor, const split *s) {
  ap_base *base = calloc(1, sizeof *base);
  if (!base) return NULL;
  *base = (ap_base){.n = s->rank, .np = np, .kept = s->kept, .dropped = s->dropped};
  base->leader = malloc((size_t)s->rank * sizeof *base->leader + 1);
  base->factor = calloc(ap__row(s->rank, np) + 1, sizeof *base->factor);
  int *place = malloc((size_t)np * sizeof *place);
  if (!base->leader || !base->factor || !place) {
    free(place), ap_base_free(base);
    return NULL;
  }
  memcpy(base->leader, s->order, (size_t)s->rank * sizeof *base->leader);
  qsort(base->leader, (size_t)s->rank, sizeof *base->leader, by_number);
  for (int k = 0; k < s->rank; k++) place[base->leader[k]] = k;
  for (int i = 0; i < s->rank; i++) {
    int leader = s->order[i];
    double *row = base->factor + ap__row(place[leader], np);
    row[leader] = 1;
    for (int d = 0; d < np - s->rank; d++) {
      int other = s->order[s->rank + d];
      double x = s->X[ap__row(i, np - s->rank) + (size_t)d];
      if (fabs(x) > no_factor) row[other] = x * scale[other] / scale[leader];
    }
  }
  free(place);
  return base;
}

ap_status ap_base_find(ap_ident *id, ap_base_method method, ap_base **base, ap_error *error) {
  int np = id->np;
  *base = NULL;
  size_t square = ap__row(np + 1, np + 1);
  double *G = malloc(square * sizeof *G), *A = malloc(square * sizeof *A);
  double *scale = malloc((size_t)np * sizeof *scale), no_factor = 0;
  split s = {.order = malloc((size_t)np * sizeof *s.order), .X = malloc(square * sizeof *s.X)};
  ap_status status = AP_OK;
  if (!G || !A || !scale || !s.order || !s.X) status = ap__no_memory(error);
  if (!status) status = random_triangle(id, G, error);
  if (!status) status = clean_columns(id, G, scale, &no_factor, error);
  if (!status) {
    drop_last(np, G, A);
    status = method == AP_BASE_QR ? pivoted(np, np, A, &s) : split_by_svd(np, A, &s);
    if (status) ap__fail(error, status, 0, "the base parameters: %s", ap_status_text(status));
  }
  if (!status && !(*base = base_of(np, scale, no_factor, &s))) status = ap__no_memory(error);
  free(G), free(A), free(scale), free(s.order), free(s.X);
  return status;
}

void ap_base_free(ap_base *base) {
  if (!base) return;
  free(base->leader), free(base->factor), free(base);
}

int ap_base_count(const ap_base *base) { return base->n; }

int ap_base_leader(const ap_base *base, int k) { return base->leader[k]; }

double ap_base_factor(const ap_base *base, int k, int i) {
  return base->factor[ap__row(k, base->np) + (size_t)i];
}

void ap_base_gap(const ap_base *base, double *kept, double *dropped) {
  *kept = base->kept, *dropped = base->dropped;
}

void ap_base_values(const ap_base *base, const double *p, double *value) {
  for (int k = 0; k < base->n; k++) {
    value[k] = 0;
    for (int i = 0; i < base->np; i++) value[k] += ap_base_factor(base, k, i) * p[i];
  }
}

char *ap_base_text(const ap_ident *id, const ap_base *base, int k, char *text, size_t size) {
  size_t used = 0;
  if (size > 0) text[0] = 0;
  for (int turn = 0; turn < 2; turn++) { // the leader first
    for (int i = 0; i < base->np && used < size; i++) {
      double x = ap_base_factor(base, k, i);
      if (x == 0 || (i == base->leader[k]) != (turn == 0)) continue;
      const char *sign = turn == 0 ? "" : x < 0 ? " - " : " + ";
      int n = fabs(fabs(x) - 1) < 1e-9
                  ? snprintf(text + used, size - used, "%s%s", sign, id->name[i])
                  : snprintf(text + used, size - used, "%s%.6g %s", sign, fabs(x), id->name[i]);
      used += n > 0 ? (size_t)n : 0;
    }
  }
  return text;
}
