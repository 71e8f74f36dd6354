// SPDX-License-Identifier: Apache-2.0
// Initial value problems: steps of a pair of Runge-Kutta methods, their lengths chosen to a
// tolerance, and the polynomial between their ends.
//
// The error of a step is that of the pair's estimate e, its largest entry in units of the
// tolerance; with a second estimate f it is e^2 / sqrt(e^2 + f^2 / 100) (Hairer, Norsett and
// Wanner, II.10). Steps are chosen by it and by that of the step before (a PI controller, IV.2),
// which settles where stability and not accuracy limits them. The same numbers whatever is read in
// between.

#include "sim/ode.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "sim/runge_kutta.h"

// Steps change their length by these factors at most.
static const double SHRINK = 0.2, GROW = 6;
static const double SAFETY = 0.9;
// After so many steps in a row that failed at first, the next that fails ends the integration.
enum { STUMBLES = 30 };
// Exponent of the last step's error; three quarters of it are taken off that of this one's.
static const double BEFORE = 0.04;

ap_ode_options ap_default_ode_options(void) {
  return (ap_ode_options){
      .relative = 1e-6, .absolute = 1e-6, .most_steps = 100000, .order = 8, .cookie = AP_COOKIE};
}

// ---- make --------------------------------------------------------------------------------------

static const char *wrong_option(const ap_ode_options *o) {
  if (!(o->relative >= 0 && isfinite(o->relative)) || !(o->absolute >= 0 && isfinite(o->absolute)))
    return "tolerances must be finite, and zero or positive";
  if (o->relative == 0 && o->absolute == 0) return "one of the two tolerances must be positive";
  if (!(o->first_step >= 0 && isfinite(o->first_step)))
    return "the first step must be positive, or 0 for an automatic choice";
  if (!(o->longest_step >= 0 && isfinite(o->longest_step)))
    return "the longest step must be positive, or 0 for no limit";
  if (o->order != 8 && o->order != 5) return "the order must be 8 or 5";
  if (o->most_steps < 1) return "at least 1 step must be allowed between two outputs";
  return NULL;
}

static size_t lay_out(ap_ode *ode, void *mem) {
  ap_arena a = ap__arena(mem);
  size_t n = (size_t)ode->n;
  ode->absolute = AP_TAKE(&a, double, n);
  ode->y0 = AP_TAKE(&a, double, n);
  ode->y = AP_TAKE(&a, double, n);
  ode->stage = AP_TAKE(&a, double, n);
  ode->k = AP_TAKE(&a, double, (size_t)ode->pair->all *n);
  ode->again = AP_TAKE(&a, double, (size_t)ode->pair->all *n);
  ode->power = AP_TAKE(&a, double, RK_POWERS *n);
  return ap__arena_size(&a);
}

ap_status ap_ode_create(int n, ap_rate *rate, void *context, const ap_ode_options *options,
                        ap_ode **ode, ap_error *error) {
  ap_ode_options o = options ? *options : ap_default_ode_options();
  const char *wrong = wrong_option(&o);
  if (ode) *ode = NULL;
  if (!AP_STARTS_FROM(ap_default_ode_options, &o, error)) return AP_E_ARG;
  if (n < 1)
    wrong = "a problem needs at least 1 equation";
  else if (!rate || !ode)
    wrong = !rate ? "the right-hand side is NULL" : "the pointer for the result is NULL";
  if (wrong) return AP__REFUSE(error, AP_E_ARG, 0, "%s", wrong);
  ap_ode sizes = {.n = n, .rate = rate, .context = context, .options = o};
  sizes.pair = o.order == 5 ? &rk_five : &rk_eight;
  sizes.rows = ap__rows_of_factor();
  size_t head = (sizeof sizes + 63) / 64 * 64;
  unsigned char *mem = calloc(1, head + lay_out(&sizes, NULL));
  if (!mem)
    return AP__REFUSE(error, AP_E_MEMORY, 0, "not enough memory to integrate %d equations", n);
  lay_out(&sizes, mem + head);
  for (int i = 0; i < n; i++) sizes.absolute[i] = o.absolute;
  *ode = memcpy(mem, &sizes, sizeof sizes);
  return AP_OK;
}

void ap_ode_free(ap_ode *ode) { free(ode); }

long ap_ode_evaluations(const ap_ode *ode) { return ode ? ode->evaluations : 0; }

long ap_ode_steps(const ap_ode *ode) { return ode ? ode->steps : 0; }

// ---- failures ----------------------------------------------------------------------------------

typedef enum ode_stop { RATE, STEPS, PRECISION, SHORT } ode_stop;

// What a person is told where the integration towards t has ended.
static ap_status explain(ap_ode *ode, ode_stop why, double t, ap_error *error) {
  ap_status status = AP_E_NO_CONVERGENCE;
  double reached = ode->to;
  ode->running = false;
  if (why == RATE && ode->not_finite >= 0)
    ap__fail(error, status, 0, "the derivative of entry %d is not finite at t = %g",
             ode->not_finite, ode->failed_at);
  else if (why == RATE)
    ap__fail(error, status = ode->failed, 0, "the right-hand side failed at t = %g: %s",
             ode->failed_at, ap_status_text(ode->failed));
  else if (why == STEPS)
    ap__fail(error, status, 0,
             "%ld steps reached only t = %g, not %g: allow more steps, or ask for less accuracy",
             ode->options.most_steps, reached, t);
  else if (why == PRECISION)
    ap__fail(error, status, 0,
             "the tolerances (relative %g, absolute %g) are below the resolution of double "
             "precision at t = %g",
             ode->options.relative, ode->options.absolute, reached);
  else
    ap__fail(error, status, 0,
             "no step from t = %g meets the tolerances: the right-hand side may jump there",
             reached);
  return status;
}

// ---- start -------------------------------------------------------------------------------------

static ap_status check_start(const ap_ode *ode, double t, const double *y, ap_error *error) {
  if (!ode || !y)
    ap__fail(error, AP_E_ARG, 0, "the %s is NULL", ode ? "state" : "problem");
  else if (!isfinite(t))
    ap__fail(error, AP_E_ARG, 0, "the start time is not finite");
  else
    for (int i = 0; i <= ode->n; i++) {
      if (i == ode->n) return AP_OK;
      if (isfinite(y[i]) && ode->options.relative * fabs(y[i]) + ode->absolute[i] > 0) continue;
      if (!isfinite(y[i]))
        ap__fail(error, AP_E_ARG, 0, "entry %d of the start state is not finite", i);
      else
        ap__fail(error, AP_E_ARG, 0,
                 "entry %d of the state is 0, so a relative tolerance alone cannot be met; the "
                 "absolute tolerance must be positive",
                 i);
      break;
    }
  return AP_E_ARG;
}

ap_status ap__ode_resume(ap_ode *ode, double t, const double *y, ap_error *error) {
  ap_status status = check_start(ode, t, y, error);
  if (status) return status;
  memmove(ode->y, y, (size_t)ode->n * sizeof *y);
  ode->t = ode->from = ode->to = t;
  ode->h = 0;
  ode->error = 1e-4;
  ode->rate_known = ode->dense = false;
  ode->running = true;
  return AP_OK;
}

void ap__ode_begin(ap_ode *ode, double t) {
  ode->pair = ode->options.order == 5 ? &rk_five : &rk_eight;
  ode->next = ode->options.first_step;
  ode->grid = t;
}

ap_status ap_ode_start(ap_ode *ode, double t, const double *y, ap_error *error) {
  ap_status status = ap__ode_resume(ode, t, y, error);
  if (!status) ap__ode_begin(ode, t);
  return status;
}

// ---- the pair ----------------------------------------------------------------------------------

// A step of order 8 is about so many times as long as one of order 5, at the tolerances of runs.
static const double LONGER = 8;
// Up to so many steps of order 5, and what is done again of the last one, take fewer evaluations
// than one of order 8: 6 each, and 6, beside 15 and 12.
static const double BRIEF = 3;

double ap__ode_unit(const ap_ode *ode) { return ode->pair == &rk_five ? 1 / LONGER : 1; }

void ap__ode_expect(ap_ode *ode, double time) {
  bool five = ode->pair == &rk_five;
  if (ode->fixed > 0 || ode->options.order == 5 || !(ode->next > 0)) return;
  double length = five ? ode->next : ode->next / LONGER;
  if ((time <= BRIEF * length) == five) return;
  const rk_pair *to = five ? &rk_eight : &rk_five;
  size_t n = (size_t)ode->n;
  if (ode->rate_known)
    memmove(ode->k + (size_t)to->stages * n, ode->k + (size_t)ode->pair->stages * n,
            n * sizeof *ode->k);
  ode->next = five ? LONGER * length : length;
  ode->pair = to;
  ode->error = 1e-4;
}

// ---- one step ----------------------------------------------------------------------------------

bool ap__ode_rate(ap_ode *ode, double t, const double *y, double *dydt) {
  ode->evaluations++;
  ode->not_finite = -1;
  ode->failed_at = t;
  ode->failed = ode->rate(ode->context, t, y, dydt);
  if (ode->failed) return false;
  for (int i = 0; i < ode->n; i++)
    if (!isfinite(dydt[i])) {
      ode->not_finite = i;
      return false;
    }
  return true;
}

// y = y0 + h sum a_j k_j over the first m rates
static void combine(const ap_ode *ode, double h, const double *a, int m, const double *k,
                    double *y) {
  int n = ode->n;
  for (int i = 0; i < n; i++) y[i] = 0;
  ode->rows->subtract(n, m, a, 1, NULL, k, y);
  for (int i = 0; i < n; i++) y[i] = ode->y0[i] - h * y[i];
}

// Stages from `first` up to `last` of a step of h in k; y is the last one's state.
static bool go_through(ap_ode *ode, double h, int first, int last, double *k, double *y) {
  for (int s = first; s < last; s++) {
    combine(ode, h, ode->pair->a[s], s, k, y);
    if (!ap__ode_rate(ode, ode->from + ode->pair->c[s] * h, y, k + s * ode->n)) return false;
  }
  return true;
}

// The tolerance of entry i on a step.
static double scale_of(const ap_ode *ode, int i) {
  return ode->absolute[i] + ode->options.relative * fmax(fabs(ode->y0[i]), fabs(ode->y[i]));
}

// The largest entry of sum e_j k_j in units of the tolerance.
static double estimate(const ap_ode *ode, const double *e, const double *k) {
  double largest = 0;
  for (int i = 0; i < ode->n; i++) {
    double sum = 0;
    for (int j = 0; j <= ode->pair->stages; j++)
      if (e[j] != 0) sum += e[j] * k[j * ode->n + i];
    largest = fmax(largest, fabs(sum) / scale_of(ode, i));
  }
  return largest;
}

// The error of a step of h with rates k.
static double error_of(const ap_ode *ode, double h, const double *k) {
  const rk_pair *p = ode->pair;
  double e = estimate(ode, p->error, k), f = p->second ? estimate(ode, p->second, k) : 0;
  if (e * e == 0) return 0; // or so small that the quotient below would be 0 / 0
  return fabs(h) * e * e / sqrt(e * e + 0.01 * f * f);
}

// A first step, from the sizes of the rate and of its change (II.4 of the book).
static bool choose_first(ap_ode *ode, double stop) {
  double size = 0, slope = 0, bend = 0, *f0 = ode->k, *f1 = ode->k + ode->n;
  for (int i = 0; i < ode->n; i++) {
    size = fmax(size, fabs(ode->y0[i]) / scale_of(ode, i));
    slope = fmax(slope, fabs(f0[i]) / scale_of(ode, i));
  }
  double h = size < 1e-5 || slope < 1e-5 ? 1e-6 : 0.01 * size / slope;
  if (ode->options.longest_step > 0) h = fmin(h, ode->options.longest_step);
  h = fmin(h, stop - ode->from);
  for (int i = 0; i < ode->n; i++) ode->stage[i] = ode->y0[i] + h * f0[i];
  if (!ap__ode_rate(ode, ode->from + h, ode->stage, f1)) return false;
  for (int i = 0; i < ode->n; i++) bend = fmax(bend, fabs(f1[i] - f0[i]) / scale_of(ode, i) / h);
  double most = fmax(slope, bend);
  ode->next =
      fmin(100 * h, most <= 1e-15 ? fmax(1e-6, 1e-3 * h) : pow(0.01 / most, ode->pair->part));
  return true;
}

// Whether the tolerance is below what rounding leaves.
static bool too_precise(const ap_ode *ode) {
  for (int i = 0; i < ode->n; i++)
    if (!(DBL_EPSILON * fabs(ode->y0[i]) <= scale_of(ode, i)) || scale_of(ode, i) < DBL_MIN)
      return true;
  return false;
}

// Make the end of the last step the beginning of the next.
static bool move_on(ap_ode *ode) {
  size_t bytes = (size_t)ode->n * sizeof *ode->y;
  ode->from = ode->to;
  ode->dense = false;
  memcpy(ode->y0, ode->y, bytes);
  if (ode->rate_known)
    memcpy(ode->k, ode->k + ode->pair->stages * ode->n, bytes);
  else if (!ap__ode_rate(ode, ode->from, ode->y0, ode->k))
    return false;
  ode->rate_known = false;
  return true;
}

// The rate at the end of a trial, which may be projected first.
static bool end_step(ap_ode *ode) {
  if (ode->project) {
    ode->failed = ode->project(ode->context, ode->y);
    ode->not_finite = -1;
    ode->failed_at = ode->to;
    if (ode->failed) return false;
  }
  ode->rate_known = ap__ode_rate(ode, ode->to, ode->y, ode->k + ode->pair->stages * ode->n);
  return ode->rate_known;
}

// One trial of ode->h: its end in ode->y, its error in *e. False: the rate failed.
static bool try_step(ap_ode *ode, double *e) {
  const rk_pair *p = ode->pair;
  bool last = p->error[p->stages] != 0; // the rate at the end is part of the estimate
  if (!go_through(ode, ode->h, 1, p->stages, ode->k, ode->stage)) return false;
  combine(ode, ode->h, p->a[p->stages], p->stages, ode->k, ode->y);
  if (last && !end_step(ode)) return false;
  *e = error_of(ode, ode->h, ode->k);
  return last || !(*e <= 1) || end_step(ode);
}

// The step to try: the next one, cut at the stop, or half the way where it would leave a little.
static void set_length(ap_ode *ode, double stop) {
  double left = stop - ode->from, h = ode->next;
  if (ode->options.longest_step > 0) h = fmin(h, ode->options.longest_step);
  ode->h = 1.01 * h >= left ? left : 2 * h > left ? 0.5 * left : h;
  ode->to = ode->h == left ? stop : ode->from + ode->h;
}

// Leave a step that could not be taken.
static ap_status give_up(ap_ode *ode, ode_stop why, double stop, ap_error *error) {
  ode->to = ode->from;
  return explain(ode, why, stop, error);
}

// One step of a fixed length, to the next point of their grid.
static ap_status step_on_grid(ap_ode *ode, double stop, ap_error *error) {
  double next = floor((ode->from - ode->grid) / ode->fixed + 1 + 1e-9);
  ode->to = fmin(stop, ode->grid + next * ode->fixed);
  ode->h = ode->to - ode->from;
  if (!ap__fixed_step(ode, ode->h, ode->k, ode->y) || !end_step(ode))
    return give_up(ode, RATE, stop, error);
  ode->steps++;
  return AP_OK;
}

ap_status ap__ode_step(ap_ode *ode, double stop, ap_error *error) {
  double e = 0, chosen = 0, exponent = ode->pair->part - 0.75 * BEFORE;
  bool rejected = false, stumbles = false;
  if (!move_on(ode)) return explain(ode, RATE, stop, error);
  if (ode->fixed > 0) return step_on_grid(ode, stop, error);
  memcpy(ode->y, ode->y0, (size_t)ode->n * sizeof *ode->y);
  if (too_precise(ode)) return explain(ode, PRECISION, stop, error);
  if (!(ode->next > 0) && !choose_first(ode, stop)) return explain(ode, RATE, stop, error);
  for (;;) {
    double least = 4 * DBL_EPSILON * fmax(fabs(ode->from), DBL_MIN / DBL_EPSILON);
    chosen = ode->next;
    set_length(ode, stop);
    bool good = try_step(ode, &e);
    if (good && e <= 1) break;
    bool failed = !good;
    stumbles = stumbles || failed;
    if (failed && (!ode->patient || ode->stumbles > STUMBLES))
      return give_up(ode, RATE, stop, error);
    double part = failed || !isfinite(e) ? 0.25 : fmax(SHRINK, SAFETY * pow(e, -exponent));
    ode->next = part * ode->h;
    rejected = true;
    if (ode->next <= least) return give_up(ode, failed ? RATE : SHORT, stop, error);
  }
  double part = e > 0 ? SAFETY * pow(e, -exponent) * pow(ode->error, BEFORE) : GROW;
  double next = ode->h * fmin(rejected ? 1 : GROW, fmax(SHRINK, part));
  // A step that was cut at the stop says little of how long it might have been.
  ode->next = ode->h < 0.999 * chosen ? fmax(next, fmin(chosen, GROW * ode->h)) : next;
  ode->error = fmax(e, 1e-4);
  ode->stumbles = stumbles ? ode->stumbles + 1 : 0;
  ode->steps++;
  return AP_OK;
}

// ---- within a step -----------------------------------------------------------------------------

// The continuous extension, first in Hairer's nested form
//   y0 + x (r0 + (1 - x) (r1 + x (r2 + (1 - x) (r3 + x (r4 + ...))))),
// then in powers of x. Between the ends of fixed steps it is the cubic through both with their
// rates; of Euler's method the parabola through both with the rate where it begins, which is where
// shorter steps lead to.
ap_status ap__ode_interpolate(ap_ode *ode, ap_error *error) {
  const rk_pair *pair = ode->pair;
  int n = ode->n, terms = ode->fixed > 0 ? (ode->euler ? 2 : 3) : 3 + pair->terms;
  if (ode->dense) return AP_OK;
  if (ode->fixed == 0 && !go_through(ode, ode->h, pair->stages + 1, pair->all, ode->k, ode->stage))
    return explain(ode, RATE, ode->to, error);
  for (int i = 0; i < n; i++) {
    const double *k = ode->k + i;
    double change = ode->y[i] - ode->y0[i], r[RK_POWERS], p[RK_POWERS] = {0};
    r[0] = change;
    r[1] = ode->h * k[0] - change;
    r[2] = 2 * change - ode->h * (k[0] + k[pair->stages * n]);
    for (int j = 3; j < terms; j++) {
      r[j] = 0;
      for (int s = 0; s < pair->all; s++) r[j] += pair->dense[j - 3][s] * k[s * n];
      r[j] *= ode->h;
    }
    for (int j = terms - 1; j >= 0; j--) { // p = (p + r_j) times x, or times 1 - x
      p[0] += r[j];
      for (int d = RK_POWERS - 1; d > 0; d--) p[d] = j % 2 == 0 ? p[d - 1] : p[d] - p[d - 1];
      if (j % 2 == 0) p[0] = 0;
    }
    p[0] = ode->y0[i];
    for (int d = 0; d < RK_POWERS; d++) ode->power[d * n + i] = p[d];
  }
  ode->dense = true;
  return AP_OK;
}

void ap__ode_read(const ap_ode *ode, double t, double *y) {
  double x = (t - ode->from) / ode->h;
  if (t == ode->to) {
    memcpy(y, ode->y, (size_t)ode->n * sizeof *y);
    return;
  }
  for (int i = 0; i < ode->n; i++) {
    const double *p = ode->power + i;
    y[i] = p[(RK_POWERS - 1) * ode->n];
    for (int d = RK_POWERS - 2; d >= 0; d--) y[i] = y[i] * x + p[d * ode->n];
  }
}

void ap__ode_nudge(const ap_ode *ode, double t, double dt, double *y) {
  double x = (t - ode->from) / ode->h;
  for (int i = 0; i < ode->n; i++) {
    double rate = 0;
    for (int d = RK_POWERS - 1; d > 0; d--) rate = rate * x + d * ode->power[d * ode->n + i];
    y[i] += dt * (rate / ode->h);
  }
}

ap_status ap__ode_shorter(ap_ode *ode, double t, double *y, double *off, ap_error *error) {
  double h = t - ode->from;
  memcpy(ode->again, ode->k, (size_t)ode->n * sizeof *ode->k);
  *off = 0;
  if (ode->fixed > 0 && ode->euler && !ap__ode_rate(ode, ode->from, ode->y0, ode->again))
    return explain(ode, RATE, t, error); // whose contact forces the ledger needs
  if (ode->fixed > 0)
    return ap__fixed_step(ode, h, ode->again, y) ? AP_OK : explain(ode, RATE, t, error);
  int last = ode->pair->stages;
  if (!go_through(ode, h, 1, last, ode->again, ode->stage)) return explain(ode, RATE, t, error);
  combine(ode, h, ode->pair->a[last], last, ode->again, y);
  memset(ode->again + last * ode->n, 0, (size_t)ode->n * sizeof *y);
  if (ode->pair->error[last] != 0 && !ap__ode_rate(ode, t, y, ode->again + last * ode->n))
    return explain(ode, RATE, t, error);
  *off = error_of(ode, h, ode->again);
  return AP_OK;
}

void ap__ode_undo(ap_ode *ode, double h) {
  size_t bytes = (size_t)ode->n * sizeof *ode->y;
  ode->to = ode->from;
  ode->next = fmin(ode->next, h);
  memcpy(ode->y, ode->y0, bytes);
  memcpy(ode->k + ode->pair->stages * ode->n, ode->k, bytes);
  ode->rate_known = true;
}

// ---- as the public sees it ---------------------------------------------------------------------

static ap_status check_advance(const ap_ode *ode, double t, const double *y, ap_error *error) {
  if (!ode || !y)
    ap__fail(error, AP_E_ARG, 0, "the %s is NULL", ode ? "place for the state" : "problem");
  else if (!ode->running)
    ap__fail(error, AP_E_ARG, 0, "the problem is not started, or has failed");
  else if (!isfinite(t))
    ap__fail(error, AP_E_ARG, 0, "the end time is not finite");
  else if (t <= ode->t)
    ap__fail(error, AP_E_ARG, 0, "t = %.17g is not after the current time %.17g", t, ode->t);
  else if (t - ode->t < 4 * DBL_EPSILON * fmax(fabs(t), fabs(ode->t)))
    ap__fail(error, AP_E_ARG, 0, "t = %.17g is too close to the current time %.17g", t, ode->t);
  else
    return AP_OK;
  return AP_E_ARG;
}

// Steps until one ends at or beyond t, none beyond stop.
static ap_status pass(ap_ode *ode, double t, double stop, ap_error *error) {
  for (long taken = 0; ode->to < t; taken++) {
    if (taken >= ode->options.most_steps) return explain(ode, STEPS, t, error);
    ap_status status = ap__ode_step(ode, stop, error);
    if (status) return status;
  }
  return AP_OK;
}

ap_status ap_ode_advance(ap_ode *ode, double t, double *y, ap_error *error) {
  ap_status status = check_advance(ode, t, y, error);
  if (!status) status = pass(ode, t, DBL_MAX, error);
  if (!status && t != ode->to) status = ap__ode_interpolate(ode, error);
  if (status) return status;
  ap__ode_read(ode, t, y);
  ode->t = t;
  return AP_OK;
}

ap_status ap_ode_advance_to(ap_ode *ode, double t, double *y, ap_error *error) {
  ap_status status = check_advance(ode, t, y, error);
  // An earlier reading was interpolated, and the step it lies in ends beyond t: go back to it.
  if (!status && ode->to > t) {
    ap__ode_read(ode, ode->t, ode->stage);
    status = ap__ode_resume(ode, ode->t, ode->stage, error);
  }
  if (!status) status = pass(ode, t, t, error);
  if (status) return status;
  memcpy(y, ode->y, (size_t)ode->n * sizeof *y);
  ode->t = t;
  return AP_OK;
}
