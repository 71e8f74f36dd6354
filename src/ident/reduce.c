// SPDX-License-Identifier: Apache-2.0
// Measurements reduced to triangles. Of [W tau] = Q [R z; 0 rho], all that least squares asks for
// is the triangle, and [R; next rows] has the same triangle as all rows together.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ident/ident.h"

static bool make_triangle(triangle *t, int n) {
  t->n = n;
  t->R = calloc(ap__row(n, n), sizeof *t->R);
  t->B = calloc(ap__row(AP__BLOCK, n), sizeof *t->B);
  return t->R && t->B;
}

// The most rows that are absorbed at once: a block, or a triangle.
static int most_rows(const ap_ident *id) { return id->np + 1 > AP__BLOCK ? id->np + 1 : AP__BLOCK; }

static bool make_triangles(ap_reduction *r) {
  const ap_ident *id = r->ident;
  int count = r->folds * id->nv;
  r->triangle = calloc((size_t)count, sizeof *r->triangle);
  r->rows = calloc((size_t)id->nv, sizeof *r->rows);
  r->out = calloc((size_t)id->nv, sizeof *r->out);
  r->kept.width = (size_t)id->nq + 3 * (size_t)id->nv, r->kept.stride = 1;
  r->kept.number = malloc(AP__KEPT * r->kept.width * sizeof(double));
  r->scratch = malloc(ap__triangle_room(id->np + 1, most_rows(id)) * sizeof(double));
  if (!r->triangle || !r->rows || !r->out || !r->scratch || !r->kept.number) return false;
  for (int k = 0; k < count; k++)
    if (!make_triangle(&r->triangle[k], id->nactive[k % id->nv] + 1)) return false;
  return true;
}

ap_status ap_reduction_create(ap_ident *ident, int folds, ap_reduction **reduction,
                              ap_error *error) {
  *reduction = NULL;
  if (folds < 1 || folds > 1000)
    return AP__REFUSE(error, AP_E_ARG, 0, "%d folds requested (1 to 1000 are possible)", folds);
  ap_reduction *r = calloc(1, sizeof *r);
  if (!r) return ap__no_memory(error);
  r->ident = ident, r->folds = folds;
  if (!make_triangles(r)) {
    ap_reduction_free(r);
    return ap__no_memory(error);
  }
  *reduction = r;
  return AP_OK;
}

void ap_reduction_free(ap_reduction *r) {
  if (!r) return;
  for (int k = 0; r->triangle && k < r->folds * r->ident->nv; k++)
    free(r->triangle[k].R), free(r->triangle[k].B);
  free(r->triangle), free(r->rows), free(r->out), free(r->scratch), free(r->kept.number), free(r);
}

// ---- rows --------------------------------------------------------------------------------------

static void settle(ap_reduction *r, triangle *t) {
  ap__triangle_absorb(t->n, t->R, t->fill, t->B, r->scratch);
  t->fill = 0;
}

// Take in what waits in blocks.
static void settle_all(ap_reduction *r) {
  for (int k = 0; k < r->folds * r->ident->nv; k++) settle(r, &r->triangle[k]);
}

static bool is_finite(const double *x, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += x[k] * 0; // not a number where one of them is none
  return sum == 0;
}

void ap__reduction_add(ap_reduction *r, const double *K, const double *q, const double *v,
                       const double *a, const double *tau) {
  const ap_ident *id = r->ident;
  int fold = (int)(r->states++ / AP__RUN % r->folds);
  ap__kept_add(&r->kept, id, q, v, a, tau);
  for (int j = 0; j < id->nv; j++) {
    triangle *t = &r->triangle[fold * id->nv + j];
    if (id->silent[j]) continue;
    double *row = t->B + ap__row(t->fill, t->n);
    row[t->n - 1] = tau[j];
    ap__ident_row(id, K, j, q, v, a, row);
    if (!is_finite(row, t->n)) {
      r->out[j]++;
      continue;
    }
    r->rows[j]++, t->rows++;
    if (++t->fill == AP__BLOCK) settle(r, t);
  }
}

void ap_reduction_add(ap_reduction *r, const double *q, const double *v, const double *a,
                      const double *tau) {
  ap_ident *id = r->ident;
  ap_regressor(id->m, id->w, q, v, a, id->K);
  ap__ident_subtract_known(id, q, v, a, tau, id->less);
  ap__reduction_add(r, id->K, q, v, a, id->less);
}

// ---- asking ------------------------------------------------------------------------------------

long ap_reduction_rows(const ap_reduction *r, int j, long *left) {
  if (left) *left = r->out[j];
  return r->rows[j];
}

// |R p - z|^2 + rho^2 of one triangle
static double squares_of(const ap_ident *id, const triangle *t, int j, const double *p) {
  double sum = 0;
  for (int i = 0; i < t->n; i++) {
    const double *row = t->R + ap__row(i, t->n);
    double x = -row[t->n - 1];
    for (int k = i; p && k < t->n - 1; k++) x += row[k] * p[id->active[j][k]];
    sum += x * x;
  }
  return sum;
}

void ap__reduction_squares(ap_reduction *r, const double *p, int fold, double *square) {
  const ap_ident *id = r->ident;
  settle_all(r);
  for (int j = 0; j < id->nv; j++) {
    square[j] = 0;
    for (int f = 0; f < r->folds; f++)
      if (fold < 0 || f == fold) square[j] += squares_of(id, &r->triangle[f * id->nv + j], j, p);
  }
}

static void rms_of(ap_reduction *r, const double *p, double *rms) {
  ap__reduction_squares(r, p, -1, rms);
  for (int j = 0; j < r->ident->nv; j++)
    rms[j] = r->rows[j] > 0 ? sqrt(rms[j] / (double)r->rows[j]) : 0;
}

void ap_reduction_force_rms(ap_reduction *r, double *rms) { rms_of(r, NULL, rms); }

void ap_reduction_error_rms(ap_reduction *r, const double *p, double *rms) { rms_of(r, p, rms); }

ap_status ap__reduction_gather(ap_reduction *r, const double *weight, int without, double *G) {
  const ap_ident *id = r->ident;
  int n = id->np + 1;
  double *B = malloc(ap__row(n, n) * sizeof *B);
  if (!B) return AP_E_MEMORY;
  settle_all(r);
  memset(G, 0, ap__row(n, n) * sizeof *G);
  for (int k = 0; k < r->folds * id->nv; k++) {
    int j = k % id->nv;
    const triangle *t = &r->triangle[k];
    if (k / id->nv == without) continue;
    memset(B, 0, ap__row(t->n, n) * sizeof *B);
    for (int i = 0; i < t->n; i++)
      for (int c = i; c < t->n; c++)
        B[ap__row(i, n) + (size_t)(c < t->n - 1 ? id->active[j][c] : id->np)] =
            (weight ? weight[j] : 1) * t->R[ap__row(i, t->n) + (size_t)c];
    ap__triangle_absorb(n, G, t->n, B, r->scratch);
  }
  free(B);
  return AP_OK;
}
