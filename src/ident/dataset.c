// SPDX-License-Identifier: Apache-2.0
// States from raw logs: checked, evenly spaced, filtered, differentiated, thinned.

#include <limits.h>
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
  free(states->number), free(states->slope), free(states);
}

long ap_dataset_spikes(const ap_dataset *states) { return states->spikes; }
int ap_dataset_gaps(const ap_dataset *states) { return states->gaps; }
long ap_dataset_unused(const ap_dataset *states) { return states->unused; }
double ap_dataset_cutoff(const ap_dataset *states) { return states->cutoff; }
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
  *few = (ap_dataset){.count = count, .nq = s->nq, .nv = s->nv, .currents = s->currents};
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

// Forces may be missing where that was said: the whole column is then not a number.
static bool forces_finite(const ap_ident *id, const ap_samples *x, int i) {
  for (int j = 0; j < id->nv; j++) {
    const double tau = x->tau[ap__row(i, id->nv) + (size_t)j];
    if (!(fabs(tau) < 1e100) && !(id->options.partial && isnan(tau) && isnan(x->tau[j])))
      return false;
  }
  return true;
}

static ap_status check_samples(const ap_ident *id, const ap_samples *x, int least,
                               ap_error *error) {
  if (x->n < least)
    return AP__REFUSE(error, AP_E_ARG, 0, "%d samples are too few (at least %d are needed)", x->n,
                      least);
  for (int i = 0; i < x->n; i++) {
    if (!isfinite(x->t[i]) || !row_finite(x->q, i, id->nq) || !row_finite(x->v, i, id->nv) ||
        !row_finite(x->a, i, id->nv) || !forces_finite(id, x, i))
      return AP__REFUSE(error, AP_E_ARG, line_of(x, i), "a number is not finite, or beyond 1e100");
    if (i > 0 && !(x->t[i] > x->t[i - 1]))
      return AP__REFUSE(error, AP_E_ARG, line_of(x, i),
                        "time goes from %.9g to %.9g s (it must increase)", x->t[i - 1], x->t[i]);
  }
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
  double *number; // [columns * n]: q, tau, then v, a, and the derivatives of tau where wanted
  size_t n;
  long spikes;
  bool slopes;
} bench;

static double *column_of(const bench *b, int k) { return b->number + (size_t)k * b->n; }
static double *column_q(const bench *b, int j) { return column_of(b, j); }
static double *column_tau(const bench *b, int j) { return column_of(b, b->id->nv + j); }
static double *column_v(const bench *b, int j) { return column_of(b, 2 * b->id->nv + j); }
static double *column_a(const bench *b, int j) { return column_of(b, 3 * b->id->nv + j); }
static double *column_slope(const bench *b, int j) { return column_of(b, 4 * b->id->nv + j); }

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

// x(i) becomes x(i + by), by a cubic through four numbers; the ends stay, and are not used.
static ap_status shift(double *x, size_t n, double by) {
  double *old = malloc(n * sizeof *old);
  if (!old) return AP_E_MEMORY;
  memcpy(old, x, n * sizeof *old);
  for (size_t i = 0; i < n; i++) {
    const double at = fmin(fmax((double)i + by, 1), (double)n - 3), whole = floor(at);
    const double *y = old + (size_t)whole, u = at - whole;
    x[i] =
        y[0] + u * (y[1] - y[-1] / 3 - y[0] / 2 - y[2] / 6 +
                    u * ((y[-1] + y[1]) / 2 - y[0] + u * ((y[0] - y[1]) / 2 + (y[2] - y[-1]) / 6)));
  }
  free(old);
  return AP_OK;
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
    b->spikes += ap__remove_spikes(column_of(b, k), b->n, b->options.spikes, k < id->nv, room);
  free(room);
  if (!evenly_spaced(x, 1 / b->rate)) {
    double **column = malloc((size_t)columns * sizeof *column);
    if (!column) return AP_E_MEMORY;
    for (int k = 0; k < columns; k++) column[k] = column_of(b, k);
    ap_status status = space_evenly(x, column, 1, columns);
    free(column);
    if (status) return status;
  }
  for (int j = 0; j < id->nv && b->options.delay != 0; j++) {
    ap_status status = shift(column_tau(b, j), b->n, b->options.delay * b->rate);
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
    if (!b->slopes) continue;
    differentiate(column_tau(b, j), b->n, b->rate, column_slope(b, j));
    differentiate_twice(column_tau(b, j), b->n, b->rate, column_slope(b, id->nv + j));
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
  if (s) s->currents = b->options.currents;
  if (s && b->slopes) {
    s->slope = malloc(ap__row(s->count, 2 * id->nv) * sizeof *s->slope + 1);
    if (!s->slope) return ap_dataset_free(s), NULL;
  }
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
      for (int d = 0; s->slope && d < 2; d++)
        s->slope[ap__row(k, 2 * id->nv) + (size_t)(d * id->nv + j)] =
            column_slope(b, d * id->nv + j)[i];
    }
    if (!s->currents)
      ap__ident_subtract_known(id, to, to + id->nv, to + 2 * id->nv, to + 3 * id->nv,
                               to + 3 * id->nv);
  }
  return s;
}

static bool only_simple_joints(const ap_model *m) {
  for (int i = 1; i < m->nbody; i++)
    if (m->joint[i].type != AP_REVOLUTE && m->joint[i].type != AP_PRISMATIC) return false;
  return true;
}

// ---- parts between gaps ------------------------------------------------------------------------

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double ap__samples_step(const ap_samples *x) {
  enum { LOOKED_AT = 1001 };
  double step[LOOKED_AT];
  const int steps = x->n - 1, n = steps < LOOKED_AT ? steps : LOOKED_AT;
  for (int k = 0; k < n; k++) {
    const int i = (int)((long long)steps * k / n);
    step[k] = x->t[i + 1] - x->t[i];
  }
  if (n < 1) return 0;
  qsort(step, (size_t)n, sizeof *step, by_size);
  return step[n / 2];
}

// Where the next part begins: behind a pause that interpolation cannot bridge, as it is a quarter
// of the filter's period or more, and three samples are missing.
static int end_of_part(const ap_samples *x, int from, double pause) {
  int i = from + 1;
  while (i < x->n && x->t[i] - x->t[i - 1] <= pause) i++;
  return i;
}

static const double *from_row(const double *x, int i, int n) {
  return x ? x + ap__row(i, n) : NULL;
}

static ap_samples part_of(const ap_ident *id, const ap_samples *x, int from, int to) {
  ap_samples part = {.n = to - from};
  part.t = x->t + from;
  part.q = (double *)from_row(x->q, from, id->nq);
  part.v = (double *)from_row(x->v, from, id->nv);
  part.a = (double *)from_row(x->a, from, id->nv);
  part.tau = (double *)from_row(x->tau, from, id->nv);
  return part;
}

static ap_status check_filter(const ap_ident *id, double rate, ap_prepare_options *o,
                              ap_error *error) {
  if (!only_simple_joints(id->m))
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "a joint with several degrees of freedom cannot be differentiated (its "
                      "velocities and accelerations are needed)");
  if (o->cutoff == 0) o->cutoff = fmin(10, rate / 4);
  if (!(o->cutoff > 0) || !(o->cutoff < rate / 2))
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a cutoff of %g Hz does not fit the sampling rate of %.6g Hz (it must be "
                      "positive and below half of it)",
                      o->cutoff, rate);
  if (o->order < 1 || o->order > 8)
    return AP__REFUSE(error, AP_E_ARG, 0, "the filter is of order %d (1 to 8 are possible)",
                      o->order);
  if (!(fabs(o->delay) * o->cutoff <= 4)) // as much as is left out at the ends
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a delay of %g s is longer than %g s, four periods of %g Hz", o->delay,
                      4 / o->cutoff, o->cutoff);
  return AP_OK;
}

// The ends that a filter spoils (what they do has faded to 1e-4 inside), the step between states,
// and the samples of a part that has 16 states.
typedef struct thinning {
  double ends, stride, least;
} thinning;

static thinning thinning_of(double rate, double cutoff) {
  const double samples = rate / cutoff; // of one period of the cutoff
  thinning t = {.ends = round(4 * samples) + 3, .stride = fmax(1, round(samples / 2))};
  t.least = 2 * t.ends + 16 * t.stride;
  return t;
}

// The states of a part without a gap; NULL where it is too short.
static ap_status filter_part(bench *b, ap_dataset **states) {
  *states = NULL;
  b->rate = (b->x->n - 1) / (b->x->t[b->x->n - 1] - b->x->t[0]);
  if (!(b->options.cutoff < b->rate / 2)) return AP_OK;
  const thinning t = thinning_of(b->rate, b->options.cutoff);
  if (!((double)b->n >= t.least)) return AP_OK;
  b->number = calloc((b->slopes ? 6 : 4) * (size_t)b->id->nv * b->n, sizeof(double));
  ap_status status = b->number ? fill_bench(b) : AP_E_MEMORY;
  if (!status && !(*states = pick_states(b, (size_t)t.ends, (size_t)t.stride)))
    status = AP_E_MEMORY;
  free(b->number);
  if (*states) (*states)->spikes = b->spikes, (*states)->step = t.stride / b->rate;
  return status;
}

static ap_status too_few(const ap_samples *x, double rate, double cutoff, int gaps,
                         ap_error *error) {
  const double needed = thinning_of(rate, cutoff).least;
  if (gaps > 0)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "no part between %d gaps has the %.10g samples that a filter of %g Hz needs",
                      gaps, needed, cutoff);
  return AP__REFUSE(error, AP_E_ARG, 0,
                    "%d samples are too few for a filter of %g Hz (%.10g are needed)", x->n, cutoff,
                    needed);
}

// Part by part; those that are too short for the filter are left out.
static ap_status filtered(const ap_ident *id, const ap_samples *x, ap_prepare_options o,
                          bool slopes, ap_dataset **states, ap_error *error) {
  const double rate = 1 / ap__samples_step(x);
  ap_status status = check_filter(id, rate, &o, error);
  if (status) return status;
  const double pause = fmax(3.5 / rate, 0.25 / o.cutoff);
  int gaps = 0;
  long unused = 0;
  for (int from = 0; !status && from < x->n;) {
    const int to = end_of_part(x, from, pause);
    const ap_samples part = part_of(id, x, from, to);
    bench b = {.id = id, .x = &part, .options = o, .n = (size_t)part.n, .slopes = slopes};
    ap_dataset *more = NULL;
    if (part.n >= 16) status = filter_part(&b, &more);
    if (!more) unused += part.n;
    if (more && *states) {
      status = ap_dataset_append(*states, more);
      ap_dataset_free(more);
    } else if (more) {
      *states = more;
    }
    from = to;
    if (from < x->n) gaps++;
  }
  if (status) return ap__fail(error, status, 0, "the log: %s", ap_status_text(status)), status;
  if (!*states) return too_few(x, rate, o.cutoff, gaps, error);
  (*states)->gaps = gaps, (*states)->unused = unused;
  (*states)->cutoff = o.cutoff, (*states)->rate = rate;
  return AP_OK;
}

// Samples as they are; at rest, without velocities and accelerations.
static ap_dataset *plain_states(const ap_ident *id, const ap_samples *x,
                                const ap_prepare_options *o) {
  ap_dataset *s = states_new(id, x->n);
  if (s) s->currents = o->currents;
  const size_t nq = (size_t)id->nq, nv = (size_t)id->nv;
  for (int i = 0; s && i < x->n; i++) {
    double *to = numbers_of(s, i);
    memcpy(to, x->q + (size_t)i * nq, nq * sizeof *to);
    if (o->at_rest) {
      memset(to + nq, 0, 2 * nv * sizeof *to);
    } else {
      memcpy(to + nq, x->v + (size_t)i * nv, nv * sizeof *to);
      memcpy(to + nq + nv, x->a + (size_t)i * nv, nv * sizeof *to);
    }
    memcpy(to + nq + 2 * nv, x->tau + (size_t)i * nv, nv * sizeof *to);
    if (!o->currents)
      ap__ident_subtract_known(id, to, to + nq, to + nq + nv, to + nq + 2 * nv, to + nq + 2 * nv);
  }
  return s;
}

ap_status ap__dataset_prepare(const ap_ident *id, const ap_samples *x,
                              const ap_prepare_options *options, bool slopes, ap_dataset **states,
                              ap_error *error) {
  *states = NULL;
  ap_prepare_options o = options ? *options : ap_default_prepare();
  if (!AP_STARTS_FROM(ap_default_prepare, &o, error)) return AP_E_ARG;
  ap_status status = check_samples(id, x, o.at_rest ? 1 : 16, error);
  if (status) return status;
  if (!o.at_rest && (!x->v || !x->a || o.always || slopes || o.delay != 0)) {
    status = filtered(id, x, o, slopes, states, error);
    if (!status) return AP_OK;
    ap_dataset_free(*states);
    *states = NULL;
    return status;
  }
  *states = plain_states(id, x, &o);
  return *states ? AP_OK : ap__no_memory(error);
}

ap_status ap_dataset_prepare(const ap_ident *id, const ap_samples *x,
                             const ap_prepare_options *options, ap_dataset **states,
                             ap_error *error) {
  return ap__dataset_prepare(id, x, options, false, states, error);
}

ap_status ap_dataset_append(ap_dataset *states, const ap_dataset *more) {
  const size_t width = (size_t)states->nq + 3 * (size_t)states->nv;
  if (states->nq != more->nq || states->nv != more->nv || states->currents != more->currents ||
      more->count > INT_MAX - states->count)
    return AP_E_ARG;
  const size_t have = (size_t)states->count, all = have + (size_t)more->count;
  double *number = realloc(states->number, all * width * sizeof *number + 1);
  if (!number) return AP_E_MEMORY;
  states->number = number;
  memcpy(number + have * width, more->number, (all - have) * width * sizeof *number);
  if (states->slope && more->slope) {
    const size_t wide = 2 * (size_t)states->nv;
    double *slope = realloc(states->slope, all * wide * sizeof *slope + 1);
    if (!slope) return AP_E_MEMORY;
    states->slope = slope;
    memcpy(slope + have * wide, more->slope, (all - have) * wide * sizeof *slope);
  }
  states->count = (int)all;
  states->spikes += more->spikes, states->gaps += more->gaps, states->unused += more->unused;
  return AP_OK;
}
