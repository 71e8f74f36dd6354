// SPDX-License-Identifier: Apache-2.0
// Doubts about a log that need no fit: times, positions, velocities and columns that are dead.

#include "ident/doubt.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/frozen.h"

#define DEGREE 0.017453292519943295

static const char *const kind_names[AP_DOUBT_KINDS] = {"time",  "degrees",   "limits",   "rates",
                                                       "dead",  "sign",      "swapped",  "scale",
                                                       "delay", "bandwidth", "residual", "mass"};

const char *ap_doubt_name(ap_doubt_kind kind) {
  return (int)kind >= 0 && (int)kind < AP_DOUBT_KINDS ? kind_names[kind] : "unknown";
}

bool ap_doubts_grave(const ap_doubts *d) {
  for (int k = 0; k < d->count; k++)
    if (d->doubt[k].grave) return true;
  return false;
}

ap_doubt *ap__doubt_add(ap_doubts *d, ap_doubt_kind kind, bool grave, int joint, double value,
                        double bound) {
  ap_doubt *doubt = &d->doubt[d->count < AP_DOUBTS ? d->count++ : AP_DOUBTS - 1];
  *doubt = (ap_doubt){kind, grave, joint, -1, value, bound, ""};
  return doubt;
}

void ap__doubt_say(ap_doubt *doubt, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(doubt->text, sizeof doubt->text, format, arguments);
  va_end(arguments);
}

int ap__hinges(const ap_model *m, hinge **list) {
  int n = 0;
  *list = calloc((size_t)m->nbody, sizeof **list);
  for (int i = 1; *list && i < m->nbody; i++) {
    const ap_joint *j = &m->joint[i];
    const ap_body_def *b = &m->link[j->link];
    if (j->leader || j->nv != 1) continue;
    const bool limited = isfinite(b->lower) && isfinite(b->upper) && b->upper > b->lower;
    (*list)[n++] = (hinge){.q = j->q,
                           .v = j->v,
                           .turns = j->type == AP_REVOLUTE,
                           .low = limited ? b->lower : -INFINITY,
                           .high = limited ? b->upper : INFINITY,
                           .speed = b->velocity_limit > 0 ? b->velocity_limit : INFINITY,
                           .name = b->joint_name};
  }
  return n;
}

// ---- what is looked at -------------------------------------------------------------------------

typedef struct look {
  ap_ident *id;
  const ap_samples *x;
  double step; // s, as a rule
  hinge *hinge;
  int hinges;
  ap_doubts *doubts;
} look;

// Room for the names in a line.
static int shown(const char *name) { return ap__shown(name) < 60 ? ap__shown(name) : 60; }

static double at(const double *x, int i, int n, int k) { return x[ap__row(i, n) + (size_t)k]; }

typedef struct range {
  double low, high;
} range;

static range range_of(const double *x, int from, int to, int n, int k) {
  range r = {INFINITY, -INFINITY};
  for (int i = from; i < to; i++) {
    const double y = at(x, i, n, k);
    r.low = fmin(r.low, y), r.high = fmax(r.high, y);
  }
  return r;
}

static double farthest(range r) { return fmax(fabs(r.low), fabs(r.high)); }

// The largest speed over ten samples, so that neither noise nor a spike makes it alone: the
// second largest of a few thousand.
static double speed_of(const look *l, int k) {
  const ap_samples *x = l->x;
  const int span = x->n > 40 ? 10 : 1, last = x->n - span, stride = last / 4000 + 1;
  double most = 0, second = 0;
  for (int i = 0; i < last; i += stride) {
    const double time = x->t[i + span] - x->t[i];
    double v = fabs(at(x->q, i + span, l->id->nq, k) - at(x->q, i, l->id->nq, k)) / time;
    if (!(time > 0) || !(v > second)) continue;
    second = fmin(v, most), most = fmax(v, most);
  }
  return second;
}

// ---- times -------------------------------------------------------------------------------------

// Steps of half a second and more, in which the robot creeps; a thousand or a million times faster
// it moves as robots do.
static bool doubt_time(const look *l) {
  static const struct {
    double from, factor;
    const char *name;
  } unit[] = {{5e5, 1e-9, "nanoseconds"}, {5e2, 1e-6, "microseconds"}, {0.5, 1e-3, "milliseconds"}};
  double most = 0, of_limit = 0;
  for (int k = 0; k < l->hinges; k++) {
    const double speed = speed_of(l, l->hinge[k].q);
    most = fmax(most, speed);
    of_limit = fmax(of_limit, speed / l->hinge[k].speed);
  }
  for (int k = 0; k < 3; k++) {
    if (!(l->step >= unit[k].from)) continue;
    const double fast = most / unit[k].factor;
    if (!(most < 0.05 && fast > 0.01 && fast < 50 && of_limit / unit[k].factor < 2)) return false;
    ap_doubt *d =
        ap__doubt_add(l->doubts, AP_DOUBT_TIME, true, -1, l->step, l->step * unit[k].factor);
    ap__doubt_say(d,
                  "t goes in steps of %.4g s, and no joint is faster than %.2g rad/s or m/s: are "
                  "these %s (--columns 't=t*%g')?",
                  l->step, most, unit[k].name, unit[k].factor);
    return true;
  }
  return false;
}

// ---- positions ---------------------------------------------------------------------------------

// Whether an angle is beyond what the joint can do, and, taken as degrees, is not.
static bool beyond(const look *l, const hinge *h, range r) {
  const double speed = speed_of(l, h->q);
  if (isfinite(h->high) && (r.low < h->low - 0.5 || r.high > h->high + 0.5)) return true;
  if (isfinite(h->speed)) return speed > 3 * h->speed;
  return speed > 15;
}

static bool fits_as_degrees(const look *l, const hinge *h, range r) {
  const double margin = 0.1, speed = speed_of(l, h->q) * DEGREE;
  if (isfinite(h->high) && (r.low * DEGREE < h->low - margin || r.high * DEGREE > h->high + margin))
    return false;
  return farthest(r) * DEGREE < 7 && speed < (isfinite(h->speed) ? 1.5 * h->speed : 15);
}

// A third of the joints that move, or more, and none speaks against it.
static bool doubt_degrees(const look *l) {
  int wrong = 0, moving = 0, worst = -1;
  double most = 0;
  for (int k = 0; k < l->hinges; k++) {
    const hinge *h = &l->hinge[k];
    if (!h->turns) continue;
    const range r = range_of(l->x->q, 0, l->x->n, l->id->nq, h->q);
    if (!fits_as_degrees(l, h, r)) return false;
    moving += r.high > r.low;
    if (farthest(r) < 7 || !beyond(l, h, r)) continue; // a turn and more
    wrong++;
    if (farthest(r) > most) most = farthest(r), worst = k;
  }
  if (wrong == 0 || 3 * wrong < moving) return false;
  const hinge *h = &l->hinge[worst];
  ap_doubt *d = ap__doubt_add(l->doubts, AP_DOUBT_DEGREES, true, h->v, most, most * DEGREE);
  ap__doubt_say(d,
                "q.%.*s reaches %.4g: are positions in degrees (%.3g rad)? %d of %d joints go "
                "beyond their limits as they are, none as degrees (--columns "
                "'q=q.{joint}*deg')",
                shown(h->name), h->name, most, most * DEGREE, wrong, moving);
  return true;
}

static void doubt_limits(const look *l) {
  for (int k = 0; k < l->hinges; k++) {
    const hinge *h = &l->hinge[k];
    if (!isfinite(h->high)) continue;
    const double margin = 0.01 * (h->high - h->low);
    long out = 0;
    for (int i = 0; i < l->x->n; i++) {
      const double q = at(l->x->q, i, l->id->nq, h->q);
      out += q < h->low - margin || q > h->high + margin;
    }
    if (out == 0) continue;
    const range r = range_of(l->x->q, 0, l->x->n, l->id->nq, h->q);
    ap_doubt *d = ap__doubt_add(l->doubts, AP_DOUBT_LIMITS, false, h->v,
                                (double)out / (double)l->x->n, r.high > h->high ? h->high : h->low);
    ap__doubt_say(d,
                  "q.%.*s is outside the joint's limits in %.3g %% of the samples: %.4g to "
                  "%.4g, allowed %.4g to %.4g %s",
                  shown(h->name), h->name, 100 * d->value, r.low, r.high, h->low, h->high,
                  h->turns ? "rad" : "m");
  }
}

// ---- velocities and accelerations --------------------------------------------------------------

// The ratio of the steps of x to the steps that its derivative v tells (trapezoids), and the
// standard deviation of that; NAN where nothing moves.
static double step_ratio(const look *l, const double *x, int nx, int kx, const double *v, int kv,
                         double *deviation) {
  double both = 0, told = 0, gone = 0;
  long steps = 0;
  for (int i = 1; i < l->x->n; i++) {
    const double time = l->x->t[i] - l->x->t[i - 1];
    if (!(time > 0) || time > 3.5 * l->step) continue;
    const double dx = at(x, i, nx, kx) - at(x, i - 1, nx, kx);
    const double vdt = time * (at(v, i, l->id->nv, kv) + at(v, i - 1, l->id->nv, kv)) / 2;
    both += dx * vdt, told += vdt * vdt, gone += dx * dx, steps++;
  }
  *deviation = INFINITY;
  if (!(told > 0) || steps < 10) return gone > 0 && steps >= 10 ? INFINITY : NAN;
  *deviation = sqrt(fmax(0, gone - both * both / told) / (double)steps / told);
  return both / told;
}

static bool near(double x, double y) { return fabs(x / y - 1) < 0.1; }

static void doubt_derivative(const look *l, const hinge *h, char of, const double *x, int nx,
                             int kx, char rate, const double *v) {
  double deviation;
  const double k = step_ratio(l, x, nx, kx, v, h->v, &deviation);
  if (isnan(k) || fabs(k - 1) < 0.15 || (isfinite(k) && fabs(k - 1) < 6 * deviation)) return;
  const range moves = range_of(x, 0, l->x->n, nx, kx);
  if (!(moves.high - moves.low > 1e-3)) return;
  const bool degrees = near(k, 1 / DEGREE) || near(k, DEGREE), turned = near(k, -1);
  const bool grave = degrees || turned || isinf(k) || near(k, 1e-3) || near(k, 1e-6);
  ap_doubt *d = ap__doubt_add(l->doubts, AP_DOUBT_RATES, grave, h->v, k, 1);
  const char *hint = degrees                          ? " (is one of them in degrees?)"
                     : turned                         ? " (opposite signs)"
                     : isinf(k)                       ? " (it is zero)"
                     : near(k, 1e-3) || near(k, 1e-6) ? " (t in ms or microseconds?)"
                                                      : "";
  ap__doubt_say(d,
                "%c.%.*s is not the derivative of %c.%.*s: that one changes %.4g times as much%s",
                rate, shown(h->name), h->name, of, shown(h->name), h->name, k, hint);
}

static void doubt_rates(const look *l) {
  const ap_samples *x = l->x;
  for (int k = 0; k < l->hinges; k++) {
    const hinge *h = &l->hinge[k];
    if (x->v) doubt_derivative(l, h, 'q', x->q, l->id->nq, h->q, 'v', x->v);
    if (x->v && x->a) doubt_derivative(l, h, 'v', x->v, l->id->nv, h->v, 'a', x->a);
  }
}

// ---- forces ------------------------------------------------------------------------------------

// The longest run of samples with the same force, from *from on.
static int longest_run(const look *l, int j, int *from) {
  int most = 0, begin = 0;
  for (int i = 1; i <= l->x->n; i++) {
    if (i < l->x->n && at(l->x->tau, i, l->id->nv, j) == at(l->x->tau, begin, l->id->nv, j))
      continue;
    if (i - begin > most) most = i - begin, *from = begin;
    begin = i;
  }
  return most;
}

// A joint that moves by a twentieth of a radian needs another force at times.
static void doubt_dead(const look *l) {
  for (int k = 0; k < l->hinges; k++) {
    const hinge *h = &l->hinge[k];
    int from = 0;
    const int n = l->x->n, run = l->id->silent[h->v] ? 0 : longest_run(l, h->v, &from);
    if (run < 50 || 5 * (long long)run < n) continue;
    const range r = range_of(l->x->q, from, from + run, l->id->nq, h->q);
    if (!(r.high - r.low > 0.05)) continue;
    const double share = (double)run / n;
    ap_doubt *d = ap__doubt_add(l->doubts, AP_DOUBT_DEAD, run == n, h->v, share, 0.2);
    ap__doubt_say(d,
                  "tau.%.*s is %.6g in %.3g %% of the samples on end, while the joint moves from "
                  "%.3g to %.3g %s: is the column dead?",
                  shown(h->name), h->name, at(l->x->tau, from, l->id->nv, h->v), 100 * share, r.low,
                  r.high, h->turns ? "rad" : "m");
  }
}

ap_status ap_doubt_samples(ap_ident *ident, const ap_samples *samples,
                           const ap_prepare_options *options, ap_doubts *doubts, ap_error *error) {
  look l = {.id = ident, .x = samples, .step = ap__samples_step(samples), .doubts = doubts};
  if (samples->n < 2) return AP_OK;
  l.hinges = ap__hinges(ident->m, &l.hinge);
  if (!l.hinge) return ap__no_memory(error);
  const bool moves = !options || !options->at_rest;
  const bool late = moves && doubt_time(&l);
  if (!doubt_degrees(&l)) doubt_limits(&l);
  if (moves && !late) doubt_rates(&l);
  if (moves) doubt_dead(&l);
  free(l.hinge);
  return AP_OK;
}
