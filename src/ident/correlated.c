// SPDX-License-Identifier: Apache-2.0
// Deviations where noise is correlated in time.
//
// The error of an estimate b = (A^T A)^-1 A^T tau is a sum over time, of z_t = (A^T A)^-1 x_t e_t
// with the rows x_t and the residuals e_t of all joints. Noise that is correlated over several
// samples makes the variance of the sum larger than the sum of variances. By how much is the
// long-run variance of z, relative to that of one z_t: found for every base parameter from a part
// of the states that a reduction keeps in their order, by Andrews and Monahan (1992): an
// autoregression of first order takes the most of the correlation out, Bartlett's kernel with the
// bandwidth of Andrews (1991) sums the rest.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ident/ident.h"

// Below so many states correlation is not looked for.
enum { FEWEST = 60 };
// An autoregression above that is taken for a drift: the motion shows no more about it.
#define MOST_MEMORY 0.98

// ---- states that are kept ----------------------------------------------------------------------

// Runs of AP__SEGMENT successive states; every second one is given up when there is no room left.
void ap__kept_add(ap__kept *k, const ap_ident *id, const double *q, const double *v,
                  const double *a, const double *tau) {
  long segment = k->seen++ / AP__SEGMENT;
  if (segment % k->stride != 0) return;
  if (k->count == AP__KEPT) {
    size_t run = (size_t)AP__SEGMENT * k->width;
    for (size_t i = 1; 2 * i < AP__KEPT / AP__SEGMENT; i++)
      memcpy(k->number + i * run, k->number + 2 * i * run, run * sizeof *k->number);
    k->count /= 2, k->stride *= 2;
    if (segment % k->stride != 0) return;
  }
  double *to = k->number + (size_t)k->count++ * k->width;
  memcpy(to, q, (size_t)id->nq * sizeof *to), to += id->nq;
  memcpy(to, v, (size_t)id->nv * sizeof *to), to += id->nv;
  memcpy(to, a, (size_t)id->nv * sizeof *to), to += id->nv;
  memcpy(to, tau, (size_t)id->nv * sizeof *to);
}

// ---- long-run variance -------------------------------------------------------------------------

// Sum of x_t x_(t - lag), within segments.
static double lagged(const double *x, int count, int lag) {
  double sum = 0;
  for (int from = 0; from < count; from += AP__SEGMENT) {
    int to = from + AP__SEGMENT < count ? from + AP__SEGMENT : count;
    for (int t = from + lag; t < to; t++) sum += x[t] * x[t - lag];
  }
  return sum;
}

// First autocorrelation.
static double memory_of(const double *x, int count) {
  double own = lagged(x, count, 0);
  return own > 0 ? fmax(-MOST_MEMORY, fmin(MOST_MEMORY, lagged(x, count, 1) / own)) : 0;
}

// Variance of the mean of z relative to that of independent numbers; z is used up.
static double inflation_of(double *z, int count) {
  double own = lagged(z, count, 0), memory = memory_of(z, count);
  if (!(own > 0)) return 1;
  for (int t = count - 1; t >= 0; t--) // the first of a segment has none before it
    z[t] = t % AP__SEGMENT == 0 ? z[t] * sqrt(1 - memory * memory) : z[t] - memory * z[t - 1];
  double rest = memory_of(z, count), square = rest * rest;
  double alpha = 4 * square / ((1 - square) * (1 - square));
  int width = (int)(1.1447 * cbrt(alpha * count)) + 1;
  if (width > AP__SEGMENT / 4) width = AP__SEGMENT / 4;
  if (width > count / 8) width = count / 8;
  double sum = lagged(z, count, 0);
  for (int lag = 1; lag < width; lag++)
    sum += 2 * (1 - (double)lag / width) * lagged(z, count, lag);
  return sum / ((1 - memory) * (1 - memory) * own);
}

// ---- scores ------------------------------------------------------------------------------------

// The regressors of the kept states are made in chunks, as those of a log.
static void scores(ap_reduction *r, const ap__estimator *e, const double *p, double *K, double *row,
                   double *Z) {
  ap_ident *id = r->ident;
  ap__kept *kept = &r->kept;
  ap_dataset states = {.count = kept->count, .nq = id->nq, .nv = id->nv, .number = kept->number};
  const size_t size = ap__row(id->nv, id->width);
  double *sum = row + id->np, *place = sum + e->n;
  for (int t = 0; t < kept->count; t++) {
    const double *q, *v, *a, *tau;
    if (t % AP__CHUNK == 0) {
      int left = kept->count - t;
      ap__ident_regressors(id, &states, t, left < AP__CHUNK ? left : AP__CHUNK, K);
    }
    ap_dataset_at(&states, t, &q, &v, &a, &tau);
    for (int b = 0; b < e->n; b++) sum[b] = 0;
    for (int j = 0; j < id->nv; j++) {
      if (id->silent[j] || !isfinite(tau[j])) continue;
      ap__ident_row(id, K + (size_t)(t % AP__CHUNK) * size, j, q, v, a, row);
      double off = tau[j], weight = e->weight[j] * e->weight[j];
      for (int k = 0; k < id->np; k++) place[k] = 0;
      for (int k = 0; k < id->nactive[j]; k++) {
        off -= row[k] * p[id->active[j][k]];
        place[id->active[j][k]] = row[k];
      }
      if (!isfinite(off)) continue;
      for (int b = 0; b < e->n; b++) sum[b] += weight * off * place[e->leader[b]] / e->scale[b];
    }
    for (int b = 0; b < e->n; b++) { // covariance is symmetric
      double z = 0;
      for (int c = 0; c < e->n; c++) z += e->covariance[ap__row(b, e->n) + (size_t)c] * sum[c];
      Z[ap__row(b, kept->count) + (size_t)t] = z;
    }
  }
}

double ap__long_run(double *z, int count) {
  const double x = count < FEWEST ? 1 : inflation_of(z, count);
  return x > 1 ? x : 1; // noise that alternates is no reason to be surer
}

ap_status ap__inflation(ap_reduction *r, const ap__estimator *e, const double *p,
                        double *inflation) {
  ap_ident *id = r->ident;
  const int count = r->kept.count;
  for (int b = 0; b < e->n; b++) inflation[b] = 1;
  if (count < FEWEST) return AP_OK;
  double *K = malloc(AP__CHUNK * ap__row(id->nv, id->width) * sizeof *K + 1);
  double *row = malloc((2 * (size_t)id->np + (size_t)e->n) * sizeof *row + 1);
  double *Z = malloc(ap__row(e->n, count) * sizeof *Z + 1);
  bool done = K && row && Z;
  if (done) {
    scores(r, e, p, K, row, Z);
    for (int b = 0; b < e->n; b++) inflation[b] = ap__long_run(Z + ap__row(b, count), count);
  }
  free(K), free(row), free(Z);
  return done ? AP_OK : AP_E_MEMORY;
}
