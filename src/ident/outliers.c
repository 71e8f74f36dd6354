// SPDX-License-Identifier: Apache-2.0
// The states of a log taken in, with outliers left out.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ident/ident.h"

// FIRST: states that a first fit is made from where there are more than twice as many. They have
// hundreds of forces for each parameter.
enum { FIRST = 20000, PASSES = 4 };

typedef struct screen {
  const ap_dataset *s;
  ap_ident *id;
  const ap_base *base;
  int folds;
  double reject;
  double *K;          // [AP__CHUNK * nv * width]
  double *row;        // [np]
  double *size;       // [nv * count] magnitudes of the differences from a fit; NAN: no force
  double *some;       // [count]
  unsigned char *out; // [nv * count] what is left out
  double *tau;        // [nv]
  double *p;          // [nv * np] the parameters that each joint force depends on
} screen;

static bool screen_make(screen *c) {
  size_t nv = (size_t)c->id->nv, count = (size_t)c->s->count;
  c->K = malloc(AP__CHUNK * nv * (size_t)c->id->width * sizeof *c->K + 1);
  c->row = malloc((size_t)c->id->np * sizeof *c->row + 1);
  c->tau = malloc(nv * sizeof *c->tau);
  c->p = calloc(ap__row(c->id->nv, c->id->np) + 1, sizeof *c->p);
  if (c->reject > 0) {
    c->size = malloc(nv * count * sizeof *c->size + 1);
    c->some = malloc(count * sizeof *c->some + 1);
    c->out = calloc(nv * count + 1, 1);
  }
  return c->K && c->row && c->tau && c->p && (c->reject <= 0 || (c->size && c->some && c->out));
}

static void screen_free(screen *c) {
  free(c->K), free(c->row), free(c->size), free(c->some), free(c->out), free(c->tau), free(c->p);
}

// ---- one pass over all states ------------------------------------------------------------------

typedef struct state {
  const double *q, *v, *a, *tau;
  const double *K; // regressor, nv x width
} state;

// State i of s; where a chunk begins, the regressors of all of it.
static state state_at(screen *c, const ap_dataset *s, int i) {
  state x;
  size_t size = ap__row(c->id->nv, c->id->width);
  if (i % AP__CHUNK == 0) {
    int count = s->count - i < AP__CHUNK ? s->count - i : AP__CHUNK;
    ap__ident_regressors(c->id, s, i, count, c->K);
  }
  ap_dataset_at(s, i, &x.q, &x.v, &x.a, &x.tau);
  x.K = c->K + (size_t)(i % AP__CHUNK) * size;
  return x;
}

static void take_in(screen *c, const ap_dataset *s, const unsigned char *out, ap_reduction *r) {
  const int nv = c->id->nv;
  for (int i = 0; i < s->count; i++) {
    state x = state_at(c, s, i);
    for (int j = 0; j < nv; j++)
      c->tau[j] = out && out[ap__row(j, s->count) + (size_t)i] ? NAN : x.tau[j];
    ap__reduction_add(r, x.K, x.q, x.v, x.a, c->tau);
  }
}

// x . y, as four sums side by side.
static double dot(const double *x, const double *y, int n) {
  double sum[4] = {0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += x[i + k] * y[i + k];
  for (int k = 0; i < n; i++, k++) sum[k] += x[i] * y[i];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static void find_differences(screen *c, const double *p) {
  const ap_ident *id = c->id;
  for (int j = 0; j < id->nv; j++)
    for (int k = 0; k < id->nactive[j]; k++)
      c->p[ap__row(j, id->np) + (size_t)k] = p[id->active[j][k]];
  for (int i = 0; i < c->s->count; i++) {
    state x = state_at(c, c->s, i);
    for (int j = 0; j < id->nv; j++) {
      ap__ident_row(id, x.K, j, x.q, x.v, x.a, c->row);
      double off = x.tau[j] - dot(c->row, c->p + ap__row(j, id->np), id->nactive[j]);
      c->size[ap__row(j, c->s->count) + (size_t)i] = isfinite(off) ? fabs(off) : NAN;
    }
  }
}

// ---- limits ------------------------------------------------------------------------------------

// The number that would be x[at] if x were sorted (C. A. R. Hoare's find); x is reordered.
static double nth(double *x, size_t n, size_t at) {
  size_t low = 0, high = n - 1;
  while (low < high) {
    double pivot = x[low + (high - low) / 2];
    size_t i = low, k = high;
    for (;;) {
      while (x[i] < pivot) i++;
      while (x[k] > pivot) k--;
      if (i >= k) break;
      double swap = x[i];
      x[i++] = x[k], x[k--] = swap;
    }
    if (at <= k)
      high = k;
    else
      low = k + 1;
  }
  return x[at];
}

// What is larger is an outlier of joint force j: reject times the deviation that the median of the
// magnitudes belongs to, if the noise is normal.
static double limit_of(screen *c, int j) {
  const double *size = c->size + ap__row(j, c->s->count);
  size_t n = 0;
  for (int i = 0; i < c->s->count; i++)
    if (!isnan(size[i])) c->some[n++] = size[i];
  return n > 0 ? c->reject * 1.4826 * nth(c->some, n, n / 2) : INFINITY;
}

// Marks the outliers of a fit; whether they are others than before.
static bool mark_outliers(screen *c, const ap_fit *fit) {
  bool changed = false;
  find_differences(c, fit->parameter);
  for (int j = 0; j < fit->nv; j++) {
    size_t at = ap__row(j, c->s->count);
    // rounding is no outlier
    double limit = fmax(limit_of(c, j), 1e-9 * (fit->residual_rms[j] + 1e-3));
    for (int i = 0; i < c->s->count; i++, at++) {
      unsigned char out = c->size[at] > limit;
      changed = changed || out != c->out[at];
      c->out[at] = out;
    }
  }
  return changed;
}

// ---- all of it ---------------------------------------------------------------------------------

static ap_status reduce(screen *c, const ap_dataset *s, const unsigned char *out,
                        ap_reduction **reduction, ap_error *error) {
  ap_reduction_free(*reduction);
  *reduction = NULL;
  ap_status status = ap_reduction_create(c->id, c->folds, reduction, error);
  if (!status) take_in(c, s, out, *reduction);
  return status;
}

// A fit that one gross error cannot pull far: the joints weighted by their own residuals.
static ap_status fit_of(screen *c, ap_reduction *r, ap_fit **fit, ap_error *error) {
  return ap_fit_make(r, c->base, AP_FIT_WEIGHTED, NULL, fit, error);
}

// The first fit: of a part of the states where there are many, if that part shows all parameters.
static ap_status first_fit(screen *c, bool *whole, ap_reduction **r, ap_fit **fit,
                           ap_error *error) {
  *whole = c->s->count <= 2 * FIRST;
  if (!*whole) {
    ap_dataset *few = ap_dataset_sample(c->s, FIRST);
    ap_status status = few ? reduce(c, few, NULL, r, error) : ap__no_memory(error);
    ap_dataset_free(few);
    if (status) return status;
    if (!fit_of(c, *r, fit, NULL)) return AP_OK;
    *whole = true;
  }
  ap_status status = reduce(c, c->s, NULL, r, error);
  return status ? status : fit_of(c, *r, fit, error);
}

// Until the outliers are the same as in the pass before: then so is the triangle.
static ap_status reduce_without_outliers(screen *c, ap_reduction **r, ap_error *error) {
  bool whole = false;
  ap_fit *fit = NULL;
  ap_status status = first_fit(c, &whole, r, &fit, error);
  for (int pass = 1; !status && pass < PASSES; pass++) {
    bool changed = mark_outliers(c, fit);
    if (!changed && whole) break;
    ap_fit_free(fit);
    fit = NULL, whole = true;
    status = reduce(c, c->s, c->out, r, error);
    if (!status && pass + 1 < PASSES) status = fit_of(c, *r, &fit, error);
  }
  ap_fit_free(fit);
  return status;
}

ap_status ap_dataset_reduce(const ap_dataset *s, ap_ident *id, const ap_base *base, int folds,
                            double reject, ap_reduction **reduction, ap_error *error) {
  screen c = {.s = s, .id = id, .base = base, .folds = folds, .reject = reject};
  *reduction = NULL;
  if (s->currents)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "the states have currents, not forces (ap_drive_gains_apply() makes these)");
  ap_status status = screen_make(&c) ? AP_OK : ap__no_memory(error);
  if (!status)
    status = reject > 0 ? reduce_without_outliers(&c, reduction, error)
                        : reduce(&c, s, NULL, reduction, error);
  screen_free(&c);
  if (status) {
    ap_reduction_free(*reduction);
    *reduction = NULL;
  }
  return status;
}
