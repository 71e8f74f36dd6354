// SPDX-License-Identifier: Apache-2.0
// Time-optimal motion along a path: the sets of speeds from which the end can be reached, backward;
// the fastest motion within them, forward.
//
// Pham, Pham: A New Approach to Time-Optimal Path Parameterization Based on Reachability Analysis,
// IEEE T-RO 34(3), 2018. In an interval of length D that begins with x, u is constant and the next
// x is x + 2 D u. The unknowns of the linear programs are U = u L, with L the length of the path,
// and x, which have the same unit.

#include "traj/topp.h"

#include <math.h>

enum { MOST_PASSES = 60, DAMPED_FROM = 12 };

// ---- limits as rows ----------------------------------------------------------------------------

// The size of an expression alpha U + beta x + gamma is to stay within limit.
typedef struct expression {
  double alpha, beta, least, most; // least and most: gamma, where it is not known exactly
} expression;

static void add_rows(ap__half_plane *row, int *n, const expression *e, double limit) {
  if (!(limit < INFINITY)) return;
  row[(*n)++] = (ap__half_plane){e->alpha, e->beta, limit - e->most};
  row[(*n)++] = (ap__half_plane){-e->alpha, -e->beta, limit + e->least};
}

// How far sqrt(x) rises above its chord within an interval, x being linear in s there:
// (p - r)^2 / (4 (p + r)) with the roots r and p at its ends.
static double bulge(const ap_topp *t, int i) {
  const double r = sqrt(t->point[i].before), p = sqrt(t->point[i + 1].before);
  return r + p > 0 ? (p - r) * (p - r) / (4 * (p + r)) : 0;
}

// sqrt(x) is replaced by its tangent at the x of the pass before: r / 2 + x / (2 r), r = sqrt(x).
// Next to a point of rest it rises above its chord between grid points, which limits at the grid
// points alone would not see. Where a joint turns back inside the interval, either sign of its
// Coulomb friction may act.
static expression torque_of(const ap_topp *t, int i, int end, int j, double step, double least) {
  const ap__topp_term *x = &ap__topp_terms(t, i, end)[j], *y = &ap__topp_terms(t, i, 1 - end)[j];
  const double r = sqrt(fmax(t->point[i + end].before, least));
  const double rise = t->viscous && !t->def.collocation ? bulge(t, i) : 0;
  double b = x->b, c = x->c;
  if (r > 0) b += x->viscous / (2 * r), c += x->viscous * r / 2;
  return (expression){
      .alpha = x->a / t->length + (end ? b * step : 0),
      .beta = b,
      .least = c + fmin(x->slide, y->slide) + rise * fmin(0, fmin(x->viscous, y->viscous)),
      .most = c + fmax(x->slide, y->slide) + rise * fmax(0, fmax(x->viscous, y->viscous))};
}

// Rows of interval i but those on x at its start; least: below that, x is taken for that in the
// tangents.
static int rows_of(const ap_topp *t, int i, double least, ap__half_plane *row) {
  const ap__topp_point *next = &t->point[i + 1];
  const double step = 2 * (t->interval[i].to - t->interval[i].from) / t->length;
  int n = 0;
  row[n++] = (ap__half_plane){step, 1, next->high};
  row[n++] = (ap__half_plane){-step, -1, -next->low};
  for (int end = 0; end < (t->def.collocation ? 1 : 2); end++) {
    const ap__topp_term *term = ap__topp_terms(t, i, end);
    for (int j = 0; j < t->n; j++) {
      if (t->def.acceleration) {
        const expression e = {
            .alpha = term[j].first / t->length + (end ? term[j].second * step : 0),
            .beta = term[j].second};
        add_rows(row, &n, &e, t->def.acceleration[j]);
      }
      if (t->def.effort) {
        const expression e = torque_of(t, i, end, j, step, least);
        add_rows(row, &n, &e, t->def.effort[j]);
      }
    }
  }
  return n;
}

// ---- refusals ----------------------------------------------------------------------------------

// Why interval i has no speed at all: a joint that cannot even hold, or several limits together.
static ap_status refuse(const ap_topp *t, int i, ap_error *error) {
  for (int j = 0; t->def.effort && j < t->n; j++) {
    const ap__topp_term *term = &ap__topp_terms(t, i, 0)[j];
    const double hold = term->c + term->slide, limit = t->def.effort[j];
    if (fabs(hold) < limit) continue;
    const char *name = ap__topp_name(t, j);
    return AP__REFUSE(error, AP_E_UNREACHABLE, 0,
                      "at s = %.6g of %.6g joint '%.*s' needs a torque of %.6g to move at all "
                      "(its limit is %.6g)",
                      t->point[i].s, t->length, ap__shown(name ? name : "?"), name ? name : "?",
                      hold, limit);
  }
  return AP__REFUSE(error, AP_E_UNREACHABLE, 0,
                    "at s = %.6g of %.6g the limits allow no speed from which the end can be "
                    "reached (larger limits, or lower speeds at the ends)",
                    t->point[i].s, t->length);
}

// ---- backward and forward ----------------------------------------------------------------------

static ap_status backward(ap_topp *t, double least, ap_error *error) {
  ap__topp_point *end = &t->point[t->intervals];
  end->low = end->high = t->def.end_speed * t->def.end_speed;
  if (end->high > end->bound) return refuse(t, t->intervals - 1, error);
  for (int i = t->intervals - 1; i >= 0; i--) {
    ap__topp_point *p = &t->point[i];
    int n = rows_of(t, i, least, t->row);
    t->row[n++] = (ap__half_plane){0, -1, 0};
    if (p->bound < INFINITY) t->row[n++] = (ap__half_plane){0, 1, p->bound};
    double high[2], low[2];
    if (!ap__plane_extreme(t->row, n, 1, high) || !ap__plane_extreme(t->row, n, -1, low))
      return refuse(t, i, error);
    p->high = fmax(high[1], 0), p->low = fmin(fmax(low[1], 0), p->high);
    if (p->high > 1e-3 * AP__PLANE_FAR)
      return AP__REFUSE(error, AP_E_ARG, 0,
                        "nothing limits the speed at s = %.6g of %.6g (limits of velocity, "
                        "acceleration or torque are needed)",
                        p->s, t->length);
  }
  return AP_OK;
}

static ap_status forward(ap_topp *t, double least, ap_error *error) {
  const double start = t->def.start_speed * t->def.start_speed;
  if (!(start >= t->point[0].low * (1 - 1e-9) && start <= t->point[0].high * (1 + 1e-9)))
    return AP__REFUSE(error, AP_E_UNREACHABLE, 0,
                      "the path cannot begin at the speed %.6g (%.6g to %.6g are possible)",
                      t->def.start_speed, sqrt(t->point[0].low), sqrt(t->point[0].high));
  t->point[0].x = fmin(start, t->point[0].high), t->point[0].time = 0;
  for (int i = 0; i < t->intervals; i++) {
    ap__topp_point *p = &t->point[i], *next = p + 1;
    const double length = t->interval[i].to - t->interval[i].from, step = 2 * length / t->length;
    double low, high;
    if (!ap__plane_slice(t->row, rows_of(t, i, least, t->row), p->x, &low, &high))
      high = 0.5 * (low + high); // one point but for rounding, as x is in the set
    next->x = fmin(fmax(p->x + step * high, next->low), next->high);
    t->interval[i].u = (next->x - p->x) / (2 * length);
    if (!(p->x + next->x > 0)) return refuse(t, i, error);
    next->time = p->time + 2 * length / (sqrt(p->x) + sqrt(next->x));
  }
  return AP_OK;
}

// How far x moved since the pass before, and its largest.
static double change(ap_topp *t, double *largest) {
  double most = 0;
  *largest = 0;
  for (int i = 0; i <= t->intervals; i++) {
    most = fmax(most, fabs(t->point[i].x - t->point[i].before));
    *largest = fmax(*largest, t->point[i].x);
  }
  return most;
}

ap_status ap_topp_solve(ap_topp *t, ap_work *w, ap_error *error) {
  t->solved = false, t->passes = 0;
  if (t->def.model && !w) return AP__REFUSE(error, AP_E_ARG, 0, "a model without a work");
  ap__topp_prepare(t, w);
  for (int i = 0; i <= t->intervals; i++) t->point[i].before = 0;
  double largest = 0;
  while (t->passes < MOST_PASSES) {
    ap_status status = backward(t, 1e-8 * largest, error);
    if (!status) status = forward(t, 1e-8 * largest, error);
    if (status) return status;
    const double moved = change(t, &largest);
    t->passes++;
    if (!t->viscous || moved <= 1e-9 * largest) {
      t->solved = true;
      return AP_OK;
    }
    const double share = t->passes < DAMPED_FROM ? 1 : 0.5;
    for (int i = 0; i <= t->intervals; i++)
      t->point[i].before += share * (t->point[i].x - t->point[i].before);
  }
  return AP__REFUSE(error, AP_E_NO_CONVERGENCE, 0,
                    "viscous friction did not settle in %d passes (a finer grid may help)",
                    MOST_PASSES);
}
