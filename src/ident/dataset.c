// SPDX-License-Identifier: Apache-2.0
// States from raw logs: checked, evenly spaced, filtered, differentiated, thinned.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ident/ident.h"
#include "model/frozen.h"

ap_prepare_options ap_default_prepare(void) {
  return (ap_prepare_options){.order = 4, .spikes = 8, .cookie = AP_COOKIE};
}

void ap_dataset_free(ap_dataset *states) {
  if (!states) return;
  free(states->number), free(states);
}

long ap_dataset_spikes(const ap_dataset *states) { return states->spikes; }
int ap_dataset_count(const ap_dataset *states) { return states->count; }

static double *numbers_of(const ap_dataset *s, int i) {
  return s->number + (size_t)i * ((size_t)s->nq + 3 * (size_t)s->nv);
}

void ap_dataset_at(const ap_dataset *s, int i, const double **q, const double **v, const double **a,
                   const double **tau) {
  const double *x = numbers_of(s, i);
  *q = x, *v = x + s->nq, *a = *v + s->nv, *tau = *a + s->nv;
}

static ap_dataset *states_new(const ap_ident *id, int count) {
  ap_dataset *s = malloc(sizeof *s);
  if (!s) return NULL;
  *s = (ap_dataset){.count = count, .nq = id->nq, .nv = id->nv};
  s->number = malloc((size_t)count * ((size_t)id->nq + 3 * (size_t)id->nv) * sizeof(double) + 1);
  if (s->number) return s;
  free(s);
  return NULL;
}

// One state of each of `count` equal parts, so that no period of the motion is met again and again.
ap_dataset *ap_dataset_sample(const ap_dataset *s, int count) {
  ap__random random = {1};
  ap_dataset *few = malloc(sizeof *few);
  size_t width = (size_t)s->nq + 3 * (size_t)s->nv;
  if (count > s->count) count = s->count;
  if (count < 0) count = 0;
  if (!few) return NULL;
  *few = (ap_dataset){.count = count, .nq = s->nq, .nv = s->nv};
  few->number = malloc((size_t)count * width * sizeof(double) + 1);
  if (!few->number) {
    free(few);
    return NULL;
  }
  for (int k = 0; k < count; k++) {
    int from = (int)((long long)s->count * k / count);
    int size = (int)((long long)s->count * (k + 1) / count) - from;
    int i = from + (int)ap__uniform(&random, 0, size);
    memcpy(few->number + (size_t)k * width, numbers_of(s, i), width * sizeof(double));
  }
  return few;
}

// ---- what a log must be ------------------------------------------------------------------------

static int line_of(const ap_samples *x, int i) { return x->line ? x->line[i] : i + 1; }

// Squares of larger numbers, and there are many, would not be finite.
static bool row_finite(const double *x, int i, int columns) {
  for (int k = 0; x && k < columns; k++)
    if (!(fabs(x[(size_t)i * (size_t)columns + (size_t)k]) < 1e100)) return false;
  return true;
}

static ap_status check_samples(const ap_ident *id, const ap_samples *x, ap_error *error) {
  if (x->n < 16)
    return AP__REFUSE(error, AP_E_ARG, 0, "%d samples are too few (at least 16 are needed)", x->n);
  for (int i = 0; i < x->n; i++) {
    if (!isfinite(x->t[i]) || !row_finite(x->q, i, id->nq) || !row_finite(x->v, i, id->nv) ||
        !row_finite(x->a, i, id->nv) || !row_finite(x->tau, i, id->nv))
      return AP__REFUSE(error, AP_E_ARG, line_of(x, i), "a number is not finite, or beyond 1e100");
    if (i > 0 && !(x->t[i] > x->t[i - 1]))
      return AP__REFUSE(error, AP_E_ARG, line_of(x, i),
                        "time goes from %.9g to %.9g s (it must increase)", x->t[i - 1], x->t[i]);
  }
  double mean = (x->t[x->n - 1] - x->t[0]) / (x->n - 1);
  for (int i = 1; i < x->n; i++)
    if (x->t[i] - x->t[i - 1] > 20 * mean)
      return AP__REFUSE(
          error, AP_E_ARG, line_of(x, i),
          "a gap of %.6g s between two samples, %.3g s on average (use the longer part)",
          x->t[i] - x->t[i - 1], mean);
  return AP_OK;
}

// ---- even spacing ------------------------------------------------------------------------------

static bool evenly_spaced(const ap_samples *x, double mean) {
  for (int i = 1; i < x->n; i++)
    if (fabs(x->t[i] - x->t[i - 1] - mean) > 1e-3 * mean) return false;
  return true;
}

// Natural cubic spline through (t, y), every stride-th number of y, at n even times in its place.
// curve and pivot are [n].
static void respace(const double *t, double *y, int n, size_t stride, double *curve, double *pivot,
                    double *old) {
  for (int i = 0; i < n; i++) old[i] = y[(size_t)i * stride];
  curve[0] = pivot[0] = 0;
  for (int i = 1; i < n - 1; i++) { // tridiagonal system of the second derivatives
    double left = t[i] - t[i - 1], right = t[i + 1] - t[i];
    double slope = (old[i + 1] - old[i]) / right - (old[i] - old[i - 1]) / left;
    double diagonal = 2 * (left + right) - left * pivot[i - 1];
    pivot[i] = right / diagonal;
    curve[i] = (6 * slope - left * curve[i - 1]) / diagonal;
  }
  curve[n - 1] = 0;
  for (int i = n - 2; i > 0; i--) curve[i] -= pivot[i] * curve[i + 1];
  double mean = (t[n - 1] - t[0]) / (n - 1);
  for (int i = 0, k = 0; i < n; i++) {
    double at = t[0] + mean * i;
    while (k < n - 2 && t[k + 1] < at) k++;
    double h = t[k + 1] - t[k], b = (at - t[k]) / h, a = 1 - b;
    y[(size_t)i * stride] =
        a * old[k] + b * old[k + 1] +
        ((a * a * a - a) * curve[k] + (b * b * b - b) * curve[k + 1]) * h * h / 6;
  }
}

static ap_status space_evenly(const ap_samples *x, double *const *column, size_t stride,
                              int columns) {
  size_t n = (size_t)x->n;
  double *room = malloc(3 * n * sizeof *room);
  if (!room) return AP_E_MEMORY;
  for (int k = 0; k < columns; k++)
    respace(x->t, column[k], x->n, stride, room, room + n, room + 2 * n);
  free(room);
  return AP_OK;
}

// ---- filter and differentiate ------------------------------------------------------------------

// A copy of the log that is worked on, column by column.
typedef struct bench {
  const ap_ident *id;
  const ap_samples *x;
  ap_prepare_options options;
  double rate;
  double *number; // [columns * n]: q, tau, then v, a
  size_t n;
  long spikes;
} bench;

static double *column_of(const bench *b, int k) { return b->number + (size_t)k * b->n; }
static double *column_q(const bench *b, int j) { return column_of(b, j); }
static double *column_tau(const bench *b, int j) { return column_of(b, b->id->nv + j); }
static double *column_v(const bench *b, int j) { return column_of(b, 2 * b->id->nv + j); }
static double *column_a(const bench *b, int j) { return column_of(b, 3 * b->id->nv + j); }

static void copy_column(const double *from, int columns, int j, size_t n, double *to) {
  for (size_t i = 0; i < n; i++) to[i] = from[i * (size_t)columns + (size_t)j];
}

// An angle that an encoder counts modulo a turn goes on beyond it: no joint turns by half a turn
// between two samples.
static void unwrap(double *q, size_t n) {
  const double turn = 2 * acos(-1.0);
  double shift = 0;
  for (size_t i = 1; i < n; i++) {
    double jump = q[i] + shift - q[i - 1];
    shift -= turn * round(jump / turn);
    q[i] += shift;
  }
}

// Central differences over seven samples, off by (w h)^6 / 140 at angular frequency w; three
// samples at each end are left as they are, and never used.
static void differentiate(const double *x, size_t n, double rate, double *dx) {
  for (size_t i = 3; i + 3 < n; i++)
    dx[i] = rate * (0.75 * (x[i + 1] - x[i - 1]) - 0.15 * (x[i + 2] - x[i - 2]) +
                    (x[i + 3] - x[i - 3]) / 60);
}

static void differentiate_twice(const double *x, size_t n, double rate, double *ddx) {
  for (size_t i = 3; i + 3 < n; i++)
    ddx[i] = rate * rate *
             (1.5 * (x[i + 1] + x[i - 1]) - 0.15 * (x[i + 2] + x[i - 2]) +
              (x[i + 3] + x[i - 3]) / 90 - 49.0 / 18 * x[i]);
}

static ap_status fill_bench(bench *b) {
  const ap_ident *id = b->id;
  const ap_samples *x = b->x;
  int columns = 2 * id->nv;
  for (int j = 0; j < id->nv; j++) {
    copy_column(x->q, id->nv, j, b->n, column_q(b, j));
    copy_column(x->tau, id->nv, j, b->n, column_tau(b, j));
    if (x->v) copy_column(x->v, id->nv, j, b->n, column_v(b, j)), columns = 3 * id->nv;
    if (x->a) copy_column(x->a, id->nv, j, b->n, column_a(b, j)), columns = 4 * id->nv;
  }
  for (int i = 1; i < id->m->nbody; i++)
    if (id->m->joint[i].type == AP_REVOLUTE && !id->m->joint[i].leader)
      unwrap(column_q(b, id->m->joint[i].q), b->n);
  double *room = malloc(b->n * sizeof *room);
  if (!room) return AP_E_MEMORY;
  for (int k = 0; k < columns; k++)
    b->spikes += ap__remove_spikes(column_of(b, k), b->n, b->options.spikes, room);
  free(room);
  if (!evenly_spaced(x, 1 / b->rate)) {
    double **column = malloc((size_t)columns * sizeof *column);
    if (!column) return AP_E_MEMORY;
    for (int k = 0; k < columns; k++) column[k] = column_of(b, k);
    ap_status status = space_evenly(x, column, 1, columns);
    free(column);
    if (status) return status;
  }
  for (int k = 0; k < columns; k++) {
    ap_status status = ap_filter_zero_phase(column_of(b, k), (int)b->n, 1, b->rate,
                                            b->options.cutoff, b->options.order);
    if (status) return status;
  }
  for (int j = 0; j < id->nv; j++) {
    if (!x->a && x->v) differentiate(column_v(b, j), b->n, b->rate, column_a(b, j));
    if (!x->a && !x->v) differentiate_twice(column_q(b, j), b->n, b->rate, column_a(b, j));
    if (!x->v) differentiate(column_q(b, j), b->n, b->rate, column_v(b, j));
  }
  return AP_OK;
}

// Whether v keeps its sign for `reach` samples around sample i.
static bool keeps_sign(const double *v, size_t n, size_t i, size_t reach) {
  for (size_t k = i > reach + 3 ? i - reach : 3; k <= i + reach && k + 3 < n; k++)
    if (!(v[k] * v[i] > 0)) return false;
  return true;
}

// Every step-th sample between the spoilt ends.
static ap_dataset *pick_states(const bench *b, size_t margin, size_t step) {
  const ap_ident *id = b->id;
  size_t reach = (size_t)(b->rate / b->options.cutoff) + 1; // beyond it a step has settled to 1 %
  ap_dataset *s = states_new(id, (int)((b->n - 2 * margin - 1) / step + 1));
  for (int k = 0; s && k < s->count; k++) {
    size_t i = margin + (size_t)k * step;
    double *to = numbers_of(s, k);
    for (int j = 0; j < id->nv; j++) {
      const double *v = column_v(b, j);
      bool sure = !id->options.coulomb || keeps_sign(v, b->n, i, reach);
      to[j] = column_q(b, j)[i];
      to[id->nv + j] = v[i];
      to[2 * id->nv + j] = column_a(b, j)[i];
      to[3 * id->nv + j] = sure ? column_tau(b, j)[i] : NAN;
    }
  }
  return s;
}

static bool only_simple_joints(const ap_model *m) {
  for (int i = 1; i < m->nbody; i++)
    if (m->joint[i].type != AP_REVOLUTE && m->joint[i].type != AP_PRISMATIC) return false;
  return true;
}

static ap_status check_filter(bench *b, ap_error *error) {
  ap_prepare_options *o = &b->options;
  if (!only_simple_joints(b->id->m))
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "a joint with several degrees of freedom cannot be differentiated (its "
                      "velocities and accelerations are needed)");
  if (o->cutoff == 0) o->cutoff = fmin(10, b->rate / 4);
  if (!(o->cutoff > 0) || !(o->cutoff < b->rate / 2))
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a cutoff of %g Hz does not fit the sampling rate of %.6g Hz (it must be "
                      "positive and below half of it)",
                      o->cutoff, b->rate);
  if (o->order < 1 || o->order > 8)
    return AP__REFUSE(error, AP_E_ARG, 0, "the filter is of order %d (1 to 8 are possible)",
                      o->order);
  return AP_OK;
}

static ap_status filtered(bench *b, ap_dataset **states, ap_error *error) {
  ap_status status = check_filter(b, error);
  if (status) return status;
  const double samples = b->rate / b->options.cutoff; // of one period of the cutoff
  const double ends = round(4 * samples) + 3;         // what the ends do there has faded to 1e-4
  const double stride = fmax(1, round(samples / 2));
  if (!((double)b->n >= 2 * ends + 16 * stride))
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "%zu samples are too few for a filter of %g Hz (%.10g are needed)", b->n,
                      b->options.cutoff, 2 * ends + 16 * stride);
  const size_t margin = (size_t)ends, step = (size_t)stride;
  b->number = calloc(4 * (size_t)b->id->nv * b->n, sizeof(double));
  status = b->number ? fill_bench(b) : AP_E_MEMORY;
  if (!status && !(*states = pick_states(b, margin, step))) status = AP_E_MEMORY;
  if (!status) (*states)->spikes = b->spikes;
  if (status) ap__fail(error, status, 0, "the log: %s", ap_status_text(status));
  free(b->number);
  return status;
}

ap_status ap_dataset_prepare(const ap_ident *id, const ap_samples *x,
                             const ap_prepare_options *options, ap_dataset **states,
                             ap_error *error) {
  *states = NULL;
  ap_prepare_options o = options ? *options : ap_default_prepare();
  if (!AP_STARTS_FROM(ap_default_prepare, &o, error)) return AP_E_ARG;
  ap_status status = check_samples(id, x, error);
  if (status) return status;
  if (!x->v || !x->a || o.always) {
    bench b = {.id = id, .x = x, .options = o, .n = (size_t)x->n};
    b.rate = (x->n - 1) / (x->t[x->n - 1] - x->t[0]);
    return filtered(&b, states, error);
  }
  ap_dataset *s = states_new(id, x->n);
  if (!s) return ap__no_memory(error);
  size_t nq = (size_t)id->nq, nv = (size_t)id->nv;
  for (int i = 0; i < x->n; i++) {
    double *to = numbers_of(s, i);
    memcpy(to, x->q + (size_t)i * nq, nq * sizeof *to);
    memcpy(to + nq, x->v + (size_t)i * nv, nv * sizeof *to);
    memcpy(to + nq + nv, x->a + (size_t)i * nv, nv * sizeof *to);
    memcpy(to + nq + 2 * nv, x->tau + (size_t)i * nv, nv * sizeof *to);
  }
  *states = s;
  return AP_OK;
}
