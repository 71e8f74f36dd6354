// SPDX-License-Identifier: Apache-2.0
// The rows of the problem of gains: from states to triangles, outliers, correlated noise.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ident/drive_gains.h"
#include "model/frozen.h"

// One state of a log, with the regressor.
typedef struct moment {
  const double *q, *v, *a, *current, *K;
} moment;

// State i; where a chunk begins (or this is the first that is asked for), the regressors of all of
// it.
static moment moment_at(gain_problem *p, const ap_dataset *s, int i, int first) {
  moment x;
  const int from = i - (i - first) % AP__CHUNK;
  if (from == i) {
    const int left = s->count - i;
    ap__ident_regressors(p->id, s, i, left < AP__CHUNK ? left : AP__CHUNK, p->K);
  }
  ap_dataset_at(s, i, &x.q, &x.v, &x.a, &x.current);
  x.K = p->K + (size_t)(i - from) * ap__row(p->nv, p->id->width);
  if (p->id->m->passive || p->id->payload) ap_ident_known(p->id, x.q, x.v, x.a, p->known);
  return x;
}

// The row of joint j: base columns, known force, current. False where there is no current.
static bool row_of(gain_problem *p, const moment *x, int j, double *row) {
  const int columns = p->columns[j], *place = p->place + ap__row(j, p->n);
  ap__ident_row(p->id, x->K, j, x->q, x->v, x->a, p->row);
  for (int c = 0; c < columns; c++) row[c] = p->row[place[c]];
  row[columns] = p->known[j];
  row[columns + 1] = x->current[j];
  double sum = 0;
  for (int c = 0; c < columns + 2; c++) sum += row[c] * 0; // not a number where one of them is none
  return sum == 0;
}

static bool is_out(const gain_problem *p, int log, int j, int i) {
  const unsigned char *out = p->out[log];
  return out && out[ap__row(j, p->log[log]->count) + (size_t)i];
}

// ---- triangles ---------------------------------------------------------------------------------

static void settle(gain_problem *p, triangle *t) {
  ap__triangle_absorb(t->n, t->R, t->fill, t->B, p->room);
  t->fill = 0;
}

static void take_in_log(gain_problem *p, int log) {
  const ap_dataset *s = p->log[log];
  for (int i = 0; s && i < s->count; i++) {
    const moment x = moment_at(p, s, i, 0);
    for (int j = 0; j < p->nv; j++) {
      triangle *t = &p->t[log * p->nv + j];
      if (p->id->silent[j] || is_out(p, log, j, i)) continue;
      if (!row_of(p, &x, j, t->B + ap__row(t->fill, t->n))) continue;
      p->rows[j]++, t->rows++;
      if (++t->fill == AP__BLOCK) settle(p, t);
    }
  }
}

void ap__gains_take_in(gain_problem *p) {
  for (int k = 0; k < GAINS_LOGS * p->nv; k++) {
    triangle *t = &p->t[k];
    memset(t->R, 0, ap__row(t->n, t->n) * sizeof *t->R);
    t->fill = 0, t->rows = 0;
  }
  for (int j = 0; j < p->nv; j++) p->rows[j] = 0;
  for (int log = 0; log < GAINS_LOGS; log++) take_in_log(p, log);
  for (int k = 0; k < GAINS_LOGS * p->nv; k++) settle(p, &p->t[k]);
}

const double *ap__gains_parameters(gain_problem *p, int log, const double *x) {
  for (int k = 0; k < p->n; k++) {
    p->b[k] = x[k];
    if (log != GAINS_LOADED) continue;
    p->b[k] += p->d[k];
    for (int l = 0; l < p->nl; l++) p->b[k] += p->D[ap__row(k, p->nl) + (size_t)l] * x[p->n + l];
  }
  return p->b;
}

// The joint force of a row.
static double force_of(const gain_problem *p, int j, const double *row, const double *b) {
  const int *which = p->which + ap__row(j, p->n);
  double sum = row[p->columns[j]];
  for (int c = 0; c < p->columns[j]; c++) sum += row[c] * b[which[c]];
  return sum;
}

// ---- outliers ----------------------------------------------------------------------------------

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Marks the outliers of joint j in both logs; off has the differences, one log behind the other.
static bool mark_joint(gain_problem *p, int j, double *const off[GAINS_LOGS], double *some) {
  size_t n = 0;
  bool changed = false;
  for (int log = 0; log < GAINS_LOGS; log++)
    for (int i = 0; p->log[log] && i < p->log[log]->count; i++) {
      const double x = off[log][ap__row(j, p->log[log]->count) + (size_t)i];
      if (!isnan(x)) some[n++] = x;
    }
  if (n == 0) return false;
  qsort(some, n, sizeof *some, by_size);
  // the deviation that the median of magnitudes belongs to, if noise is normal; rounding is no
  // outlier
  const double limit = fmax(p->o->reject * 1.4826 * some[n / 2], 1e-9 * p->rms[j]);
  for (int log = 0; log < GAINS_LOGS; log++)
    for (int i = 0; p->log[log] && i < p->log[log]->count; i++) {
      const size_t at = ap__row(j, p->log[log]->count) + (size_t)i;
      const unsigned char out = off[log][at] > limit;
      changed = changed || out != p->out[log][at];
      p->out[log][at] = out;
    }
  return changed;
}

static void find_differences(gain_problem *p, int log, double *row, double *off) {
  const ap_dataset *s = p->log[log];
  const double *b = ap__gains_parameters(p, log, p->x);
  for (int i = 0; i < s->count; i++) {
    const moment x = moment_at(p, s, i, 0);
    for (int j = 0; j < p->nv; j++) {
      const bool there = !p->id->silent[j] && row_of(p, &x, j, row);
      const double h = p->x[gain_at(p, j)];
      off[ap__row(j, s->count) + (size_t)i] =
          there ? fabs(x.current[j] - h * force_of(p, j, row, b)) : NAN;
    }
  }
}

ap_status ap__gains_mark(gain_problem *p, bool *changed) {
  double *off[GAINS_LOGS] = {NULL, NULL};
  size_t all = 0;
  bool room = true;
  *changed = false;
  for (int log = 0; log < GAINS_LOGS; log++) {
    const size_t states = p->log[log] ? (size_t)p->log[log]->count : 0,
                 size = (size_t)p->nv * states;
    all += states;
    off[log] = calloc(size + 1, sizeof **off);
    if (!p->out[log]) p->out[log] = calloc(size + 1, 1);
    room = room && off[log] && p->out[log];
  }
  double *some = malloc(all * sizeof *some + 1), *row = malloc(((size_t)p->n + 2) * sizeof *row);
  room = room && some && row;
  for (int log = 0; room && log < GAINS_LOGS; log++)
    if (p->log[log]) find_differences(p, log, row, off[log]);
  for (int j = 0; room && j < p->nv; j++)
    if (mark_joint(p, j, off, some)) *changed = true;
  free(off[GAINS_BARE]), free(off[GAINS_LOADED]), free(some), free(row);
  return room ? AP_OK : AP_E_MEMORY;
}

// ---- correlated noise --------------------------------------------------------------------------

// What state i adds to A^T W e, with A the derivatives of the currents by x; row is [n + 2].
static void add_score(gain_problem *p, int log, int i, const moment *x, const double *b,
                      double *row, double *sum) {
  for (int j = 0; j < p->nv; j++) {
    if (!has_gain(p, j) || is_out(p, log, j, i) || !row_of(p, x, j, row)) continue;
    const int *which = p->which + ap__row(j, p->n);
    const double h = p->x[gain_at(p, j)], force = force_of(p, j, row, b);
    const double off = p->weight[j] * p->weight[j] * (x->current[j] - h * force);
    sum[gain_at(p, j)] += off * force;
    for (int c = 0; c < p->columns[j]; c++) {
      sum[which[c]] += off * h * row[c];
      for (int l = 0; log == GAINS_LOADED && l < p->nl; l++)
        sum[p->n + l] += off * h * row[c] * p->D[ap__row(which[c], p->nl) + (size_t)l];
    }
  }
}

// Successive states of a log, as many as half of what is kept: from the middle of a long one.
static void span_of(const ap_dataset *s, int *from, int *count) {
  const int most = AP__KEPT / GAINS_LOGS;
  *count = !s ? 0 : s->count < most ? s->count : most;
  *from = s ? (s->count - *count) / 2 : 0;
}

// The contribution of each state to the error of x: Z [count * states].
static void scores(gain_problem *p, const double *C, int states, double *row, double *Z) {
  double *sum = row + p->n + 2;
  for (int log = 0, t = 0; log < GAINS_LOGS; log++) {
    int from, count;
    span_of(p->log[log], &from, &count);
    const double *b = ap__gains_parameters(p, log, p->x);
    for (int i = from; i < from + count; i++, t++) {
      const moment x = moment_at(p, p->log[log], i, from);
      memset(sum, 0, (size_t)p->count * sizeof *sum);
      add_score(p, log, i, &x, b, row, sum);
      for (int k = 0; k < p->count; k++) {
        double z = 0;
        for (int c = 0; c < p->count; c++) z += C[ap__row(k, p->count) + (size_t)c] * sum[c];
        Z[ap__row(k, states) + (size_t)t] = z;
      }
    }
  }
}

ap_status ap__gains_inflation(gain_problem *p, const double *C, double *inflation) {
  int states = 0;
  for (int log = 0; log < GAINS_LOGS; log++) {
    int from, count;
    span_of(p->log[log], &from, &count);
    states += count;
  }
  double *row = malloc(((size_t)p->n + 2 + (size_t)p->count) * sizeof *row);
  double *Z = malloc(ap__row(p->count, states) * sizeof *Z + 1);
  const bool done = row && Z;
  if (done) scores(p, C, states, row, Z);
  for (int k = 0; done && k < p->count; k++)
    inflation[k] = ap__long_run(Z + ap__row(k, states), states);
  free(row), free(Z);
  return done ? AP_OK : AP_E_MEMORY;
}
