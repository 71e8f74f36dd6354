// SPDX-License-Identifier: Apache-2.0
// Time-optimal motion along a path: asking the solution, measuring it, turning it into a
// trajectory.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traj/topp.h"

double ap_topp_duration(const ap_topp *t) { return t->solved ? t->point[t->intervals].time : 0; }

int ap_topp_intervals(const ap_topp *t) { return t->intervals; }

void ap_topp_point(const ap_topp *t, int i, double *s, double *x, double *controllable) {
  if (s) *s = t->point[i].s;
  if (x) *x = t->point[i].x;
  if (controllable) *controllable = t->point[i].high;
}

// Interval of a time within the motion, by halving.
static int interval_at(const ap_topp *t, double time) {
  int low = 0, high = t->intervals - 1;
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (t->point[middle].time <= time)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

void ap_topp_at(const ap_topp *t, double time, double *q, double *v, double *a) {
  const bool rests = !t->solved || time < 0 || time > ap_topp_duration(t);
  const int i = t->solved ? interval_at(t, time) : 0;
  const ap__topp_interval *x = &t->interval[i];
  const double span = t->solved ? t->point[i + 1].time - t->point[i].time : 0;
  const double since = t->solved ? fmin(fmax(time - t->point[i].time, 0), span) : 0;
  const double begin = t->solved ? sqrt(t->point[i].x) : 0, rate = begin + x->u * since;
  const double s = x->from + (begin + 0.5 * x->u * since) * since;
  const ap_piece *p = &t->def.path->piece[x->piece];
  for (int j = 0; j < t->n; j++) {
    double y[3];
    ap__piece_of(p, j, fmin(s, x->to), y);
    if (q) q[j] = y[0];
    if (v) v[j] = rests ? 0 : y[1] * rate;
    if (a) a[j] = rests ? 0 : y[2] * rate * rate + y[1] * x->u;
  }
}

// ---- measuring ---------------------------------------------------------------------------------

// The largest share of a limit that is used z of the way through interval i, and by which joint. At
// rest, Coulomb friction is that of the motion before or after it: hence a speed that is not zero.
static double use_of(const ap_topp *t, ap_work *w, int i, double z, int *joint) {
  const ap__topp_interval *y = &t->interval[i];
  const ap__topp_point *p = &t->point[i];
  const double x = p->x + z * (p[1].x - p->x), rate = sqrt(fmax(x, 1e-60));
  double *q = t->q, *v = t->v, *a = t->a, *tau = t->tau, most = 0;
  ap__topp_path_at(t, i, y->from + z * (y->to - y->from), q, v, a);
  for (int j = 0; j < t->n; j++) a[j] = a[j] * x + v[j] * y->u, v[j] *= rate;
  if (t->def.effort) ap_inverse_dynamics(t->def.model, w, q, v, a, tau);
  for (int j = 0; j < t->n; j++) {
    double use = t->def.effort ? fabs(tau[j]) / t->def.effort[j] : 0;
    if (t->def.velocity) use = fmax(use, fabs(v[j]) / t->def.velocity[j]);
    if (t->def.acceleration) use = fmax(use, fabs(a[j]) / t->def.acceleration[j]);
    if (!(use > most)) continue;
    most = use, *joint = j;
  }
  return most;
}

ap_status ap_topp_measure(const ap_topp *t, ap_work *w, int samples, ap_topp_report *report) {
  if (!t->solved || samples < 2) return AP_E_ARG;
  ap_topp_report r = {.duration = ap_topp_duration(t),
                      .intervals = t->intervals,
                      .passes = t->passes,
                      .excess = -1};
  int met = 0;
  for (int i = 0; i < t->intervals; i++) {
    double most = 0;
    for (int k = 0; k < samples; k++) {
      const double z = (double)k / (samples - 1);
      int joint = 0;
      const double use = use_of(t, w, i, z, &joint);
      most = fmax(most, use);
      if (use - 1 <= r.excess) continue;
      r.excess = use - 1, r.excess_joint = joint;
      r.excess_s = t->point[i].s + z * (t->point[i + 1].s - t->point[i].s);
    }
    if (most >= 1 - 1e-6) met++;
  }
  r.active = (double)met / t->intervals;
  *report = r;
  return AP_OK;
}

// ---- as a trajectory ---------------------------------------------------------------------------

static size_t numbers_of(const ap_traj *path) {
  size_t sum = 0;
  for (int k = 0; k < path->count; k++) sum += (size_t)path->n * (size_t)path->piece[k].stride;
  return sum;
}

ap_status ap_topp_traj(const ap_topp *t, ap_traj **traj, ap_error *error) {
  *traj = NULL;
  if (!t->solved) return AP__REFUSE(error, AP_E_ARG, 0, "there is no motion yet");
  const ap_traj *path = t->def.path;
  double *c;
  ap_traj *made = ap__traj_new(t->n, t->intervals, numbers_of(path), &c, error);
  if (!made) return AP_E_MEMORY;
  for (int i = 0; i < t->intervals; i++) {
    const ap__topp_interval *x = &t->interval[i];
    const ap_piece *p = &path->piece[x->piece];
    const size_t size = (size_t)t->n * (size_t)p->stride;
    if (i > 0 && t->interval[i - 1].piece != x->piece)
      c += (size_t)t->n * (size_t)path->piece[t->interval[i - 1].piece].stride;
    if (i == 0 || t->interval[i - 1].piece != x->piece) memcpy(c, p->coefficient, size * sizeof *c);
    ap_piece *to = &made->piece[i];
    *to = *p;
    to->start = t->point[i].time, to->duration = t->point[i + 1].time - t->point[i].time;
    to->along = true, to->length = p->duration;
    to->way[0] = x->from, to->way[1] = sqrt(t->point[i].x), to->way[2] = 0.5 * x->u;
    to->coefficient = c;
  }
  made->duration = ap_topp_duration(t);
  *traj = made;
  return AP_OK;
}

// One grid: solved and measured.
static ap_status attempt(const ap_topp_def *def, ap_work *w, ap_traj **traj, ap_topp_report *report,
                         double tolerance, ap_error *error) {
  enum { SAMPLES = 5 };
  const size_t size = ap_topp_size(def);
  void *memory = size ? malloc(size) : NULL;
  ap_error own = {0};
  ap_topp *t = ap_topp_init(def, memory, size, &own);
  ap_status status = t ? ap_topp_solve(t, w, &own) : own.status;
  if (t && !status) status = ap_topp_measure(t, w, SAMPLES, report);
  if (t && !status && report->excess <= tolerance) status = ap_topp_traj(t, traj, &own);
  free(memory);
  if (status && error) *error = own;
  return status;
}

ap_status ap_traj_time_optimal(const ap_topp_def *def, ap_work *w, double tolerance, ap_traj **traj,
                               ap_topp_report *report, ap_error *error) {
  enum { DOUBLINGS = 8 };
  ap_topp_def finer = *def;
  ap_topp_report own = {0};
  *traj = NULL;
  if (!(tolerance > 0))
    return AP__REFUSE(error, AP_E_ARG, 0, "a tolerance of %g (it must be positive)", tolerance);
  for (int k = 0; k <= DOUBLINGS && !*traj; k++) {
    ap_status status = attempt(&finer, w, traj, &own, tolerance, error);
    if (report) *report = own;
    if (status) return status;
    if (finer.grid > 5000000) break;
    finer.grid *= 2;
  }
  if (*traj) return AP_OK;
  return AP__REFUSE(error, AP_E_NO_CONVERGENCE, 0,
                    "at s = %.6g a limit is exceeded by %.3g of it between grid points (the "
                    "tolerance is %.3g)",
                    own.excess_s, own.excess, tolerance);
}
