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

// A column shorter than this part of the longest, or a pivot or singular value smaller than this
// part of the largest, is rounding: what counts stays above 1e-5 for robots of usual shapes.
#define NEGLIGIBLE 1e-9

// ---- random states -----------------------------------------------------------------------------

static void random_quaternion(ap__random *r, double *q) {
  double square = 0;
  for (int k = 0; k < 4; k++) q[k] = ap__normal(r), square += q[k] * q[k];
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

static void random_state(ap__random *r, const ap_model *m, double *q, double *v, double *a) {
  for (int i = 1; i < m->nbody; i++)
    if (!m->joint[i].leader) random_joint(r, m, &m->joint[i], q + m->joint[i].q);
  for (int k = 0; k < m->nv; k++) v[k] = ap__uniform(r, -2, 2), a[k] = ap__uniform(r, -5, 5);
}

// The triangle of the regressor in random states, its columns then of length one; scale holds what
// they were, 0 for a column of nothing.
static ap_status random_triangle(ap_ident *id, double *G, double *scale, ap_error *error) {
  ap_reduction *r;
  ap_status status = ap_reduction_create(id, 1, &r, error);
  double *state = malloc(((size_t)id->nq + 3 * (size_t)id->nv) * sizeof *state);
  if (!status && !state) status = ap__no_memory(error);
  if (!status) {
    ap__random random = {1};
    double *q = state, *v = q + id->nq, *a = v + id->nv, *zero = a + id->nv;
    memset(zero, 0, (size_t)id->nv * sizeof *zero);
    for (int k = 0; k < 100 + 4 * id->np; k++) {
      random_state(&random, id->m, q, v, a);
      ap_reduction_add(r, q, v, a, zero);
    }
    if (ap__reduction_gather(r, NULL, -1, G)) status = ap__no_memory(error);
  }
  free(state), ap_reduction_free(r);
  double most = 0;
  for (int k = 0; !status && k < id->np; k++) {
    scale[k] = 0;
    const double *column = G + ap__lin_size(k, id->np + 1);
    for (int i = 0; i <= k; i++) scale[k] = hypot(scale[k], column[i]);
    most = fmax(most, scale[k]);
  }
  for (int k = 0; !status && k < id->np; k++) {
    if (scale[k] < NEGLIGIBLE * most) scale[k] = 0;
    double *column = G + ap__lin_size(k, id->np + 1);
    for (int i = 0; i <= k; i++) column[i] = scale[k] > 0 ? column[i] / scale[k] : 0;
  }
  return status;
}

// ---- the two ways ------------------------------------------------------------------------------

// What a decomposition comes to: order[0 .. rank - 1] are the independent columns, X is rank x
// (np - rank), column-major.
typedef struct split {
  int rank, *order;
  double *X, kept, dropped;
} split;

static int rank_of(int n, const double *size, size_t step, split *s) {
  int rank = 0;
  while (rank < n && fabs(size[(size_t)rank * step]) > NEGLIGIBLE * fabs(size[0])) rank++;
  s->kept = rank > 0 ? fabs(size[(size_t)(rank - 1) * step] / size[0]) : 0;
  s->dropped = rank < n && rank > 0 ? fabs(size[(size_t)rank * step] / size[0]) : 0;
  return s->rank = rank;
}

// A P = Q [R11 R12; 0 0], X = R11^-1 R12
static ap_status split_by_qr(int n, double *A, split *s) {
  ap_status status = ap__lin_pivoted(n, n, A, s->order);
  if (status) return status;
  int rank = rank_of(n, A, (size_t)n + 1, s);
  for (int k = 0; k < n - rank; k++)
    memcpy(s->X + ap__lin_size(k, rank), A + ap__lin_size(rank + k, n), (size_t)rank * sizeof *A);
  return ap__lin_solve_upper(rank, A, n, n - rank, s->X, rank);
}

// The null space N, whose transpose has the last rows of V^T: W_D N_D + W_I N_I = 0. With
// N^T P = Q [T_D T_I], T_D a triangle, is X = -(T_D^-1 T_I)^T. The pivots choose as dependent the
// columns that N determines best.
static ap_status split_by_svd(int n, double *A, split *s) {
  double *value = malloc((size_t)n * sizeof *value), *U = malloc(ap__lin_size(n, n) * sizeof *U);
  double *Vt = malloc(ap__lin_size(n, n) * sizeof *Vt), *N = malloc(ap__lin_size(n, n) * sizeof *N);
  int *pivot = malloc((size_t)n * sizeof *pivot);
  ap_status status = value && U && Vt && N && pivot ? AP_OK : AP_E_MEMORY;
  if (!status) status = ap__lin_svd(n, n, A, value, U, Vt);
  if (!status) {
    int rank = rank_of(n, value, 1, s), null = n - rank;
    for (int c = 0; c < n; c++)
      for (int i = 0; i < null; i++)
        N[ap__lin_size(c, null) + (size_t)i] = Vt[ap__lin_size(c, n) + (size_t)(rank + i)];
    if (null > 0) status = ap__lin_pivoted(null, n, N, pivot);
    if (null == 0)
      for (int k = 0; k < n; k++) pivot[k] = k;
    double *T = N + ap__lin_size(null, null);
    if (!status) status = ap__lin_solve_upper(null, N, null, rank, T, null);
    for (int k = 0; !status && k < n; k++) s->order[k] = pivot[k < rank ? null + k : k - rank];
    for (int k = 0; !status && k < rank; k++)
      for (int i = 0; i < null; i++)
        s->X[ap__lin_size(i, rank) + (size_t)k] = -T[ap__lin_size(k, null) + (size_t)i];
  }
  free(value), free(U), free(Vt), free(N), free(pivot);
  return status;
}

// ---- base --------------------------------------------------------------------------------------

static int by_number(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static ap_base *base_of(int np, const double *scale, const split *s) {
  ap_base *base = calloc(1, sizeof *base);
  if (!base) return NULL;
  *base = (ap_base){.n = s->rank, .np = np, .kept = s->kept, .dropped = s->dropped};
  base->leader = malloc((size_t)s->rank * sizeof *base->leader + 1);
  base->factor = calloc(ap__lin_size(s->rank, np) + 1, sizeof *base->factor);
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
    double *row = base->factor + ap__lin_size(place[leader], np);
    row[leader] = 1;
    for (int d = 0; d < np - s->rank; d++) {
      int other = s->order[s->rank + d];
      double x = s->X[ap__lin_size(d, s->rank) + (size_t)i];
      if (fabs(x) > NEGLIGIBLE) row[other] = x * scale[other] / scale[leader];
    }
  }
  free(place);
  return base;
}

ap_status ap_base_find(ap_ident *id, ap_base_method method, ap_base **base, ap_error *error) {
  int np = id->np;
  *base = NULL;
  size_t square = ap__lin_size(np + 1, np + 1);
  double *G = malloc(square * sizeof *G), *A = malloc(square * sizeof *A);
  double *scale = malloc((size_t)np * sizeof *scale);
  split s = {.order = malloc((size_t)np * sizeof *s.order), .X = malloc(square * sizeof *s.X)};
  ap_status status = AP_OK;
  if (!G || !A || !scale || !s.order || !s.X) status = ap__no_memory(error);
  if (!status) status = random_triangle(id, G, scale, error);
  if (!status) {
    for (int k = 0; k < np; k++)
      memcpy(A + ap__lin_size(k, np), G + ap__lin_size(k, np + 1), (size_t)np * sizeof *A);
    status = method == AP_BASE_QR ? split_by_qr(np, A, &s) : split_by_svd(np, A, &s);
    if (status) ap__fail(error, status, 0, "the base parameters: %s", ap_status_text(status));
  }
  if (!status && !(*base = base_of(np, scale, &s))) status = ap__no_memory(error);
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
  return base->factor[ap__lin_size(k, base->np) + (size_t)i];
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
