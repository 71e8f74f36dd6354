// SPDX-License-Identifier: Apache-2.0
// Straight lines of a frame with constant orientation, as joint positions over time.
//
// At times a step apart the inverse kinematics gives q; with the Jacobian J of the frame
//     J q' = [p'; 0],   J q" = [p"; 0] - J' q'
// give its derivatives exactly. Polynomials of degree five join them: between the times the line is
// left by the order of step^6.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/vec3.h"
#include "traj/traj.h"

enum { N = 6, MOST_SAMPLES = 200000 };

typedef struct line {
  const ap_model *m;
  ap_work *w;
  const ap_line_def *def;
  double way[3], length; // direction, m
  ap__profile profile;
  double duration;
} line;

// Solve A x = b by elimination with row pivots. False: A is singular to working precision.
static bool solve(double A[N][N], double b[N]) {
  for (int k = 0; k < N; k++) {
    int best = k;
    for (int i = k + 1; i < N; i++)
      if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
    if (!(fabs(A[best][k]) > 1e-9)) return false;
    for (int c = 0; c < N; c++) {
      double swap = A[k][c];
      A[k][c] = A[best][c], A[best][c] = swap;
    }
    double swap = b[k];
    b[k] = b[best], b[best] = swap;
    for (int i = k + 1; i < N; i++) {
      double f = A[i][k] / A[k][k];
      for (int c = k; c < N; c++) A[i][c] -= f * A[k][c];
      b[i] -= f * b[k];
    }
  }
  for (int i = N - 1; i >= 0; i--) {
    for (int c = i + 1; c < N; c++) b[i] -= A[i][c] * b[c];
    b[i] /= A[i][i];
  }
  return true;
}

// Way, speed and acceleration along the line at time t. With constant speed nothing accelerates.
static void profile_at(const line *l, double t, double s[3]) {
  const ap__profile *p = &l->profile;
  double a = p->acceleration, speed = a * p->rise;
  if (l->def->acceleration <= 0) {
    s[0] = l->def->speed * t, s[1] = l->def->speed, s[2] = 0;
  } else if (t < p->rise) {
    s[0] = a * t * t / 2, s[1] = a * t, s[2] = a;
  } else if (t <= p->rise + p->cruise) {
    s[0] = speed * (t - p->rise / 2), s[1] = speed, s[2] = 0;
  } else {
    double left = fmax(l->duration - t, 0);
    s[0] = l->length - a * left * left / 2, s[1] = a * left, s[2] = -a;
  }
}

// Joint positions, velocities and accelerations for a way, speed and acceleration along the line;
// x[0] holds a position near by.
static ap_status joints_at(const line *l, const double s[3], double x[3][N]) {
  double p[3], J[N * N], A[N][N], drift[6];
  ap_ik_options options = ap_default_ik();
  for (int i = 0; i < 3; i++) p[i] = l->def->from[i] + l->way[i] * s[0];
  ap_status status =
      ap_inverse_kinematics(l->m, l->w, l->def->frame, l->def->R, p, &options, x[0], NULL);
  for (int order = 1; order < 3 && !status; order++) {
    ap_kinematics(l->m, l->w, x[0], order > 1 ? x[1] : NULL, NULL);
    status = ap_frame_jacobian(l->m, l->w, l->def->frame, AP_MIXED, J);
    if (!status && order > 1)
      status = ap_frame_jacobian_dot_v(l->m, l->w, l->def->frame, AP_MIXED, drift);
    memcpy(A, J, sizeof J);
    for (int i = 0; i < N; i++)
      x[order][i] = (i < 3 ? l->way[i] * s[order] : 0) - (order > 1 ? drift[i] : 0);
    if (!status && !solve(A, x[order])) status = AP_E_SINGULAR;
  }
  return status;
}

static ap_status check(line *l, ap_error *error) {
  const ap_line_def *d = l->def;
  double sum = d->speed + d->acceleration + d->step;
  for (int i = 0; i < 3; i++) l->way[i] = d->to[i] - d->from[i];
  l->length = norm3(l->way);
  if (ap_nq(l->m) != N || ap_nv(l->m) != N)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "a straight line needs an arm with six joints of one degree of freedom each");
  if (!(l->length > 0) || !isfinite(l->length + sum) || !(d->speed > 0) || !(d->step >= 0) ||
      !(d->acceleration >= 0))
    return AP__REFUSE(
        error, AP_E_ARG, 0,
        "a line of %g m at %g m/s and %g m/s2 (it needs two different points and a positive speed)",
        l->length, d->speed, d->acceleration);
  for (int i = 0; i < 3; i++) l->way[i] /= l->length;
  l->duration = l->length / d->speed;
  if (d->acceleration > 0) {
    ap__trapezoid(l->length, d->speed, d->acceleration, &l->profile);
    l->duration = 2 * l->profile.rise + l->profile.cruise;
  }
  return AP_OK;
}

static ap_status sample(const line *l, double *time, double (*x)[3][N], int count,
                        ap_error *error) {
  double near[N];
  memcpy(near, l->def->guess, sizeof near);
  for (int k = 0; k < count; k++) {
    double s[3];
    profile_at(l, time[k], s);
    memcpy(x[k][0], near, sizeof near);
    ap_status status = joints_at(l, s, x[k]);
    if (status)
      return AP__REFUSE(error, status, 0, "%g s along the line, at %g m: %s", time[k], s[0],
                        ap_status_text(status));
    for (int j = 0; j < N; j++) near[j] = x[k][0][j];
  }
  return AP_OK;
}

// Times at which the line is met: steps of equal length in each part of the profile, since
// accelerations jump between them.
static int times_of(const line *l, double *time) {
  const ap__profile *p = &l->profile;
  double step = l->def->step > 0 ? l->def->step : 0.01;
  const double whole[1] = {l->duration}, parts[3] = {p->rise, p->cruise, p->rise};
  bool varies = l->def->acceleration > 0;
  double t = 0;
  int count = 0;
  for (int k = 0; k < (varies ? 3 : 1); k++) {
    double length = varies ? parts[k] : whole[0];
    double steps = ceil(length / step * (1 - 1e-9));
    if (steps > MOST_SAMPLES) return -1;
    for (int i = 0; i < (int)steps; i++, count++)
      if (time) time[count] = t + length * i / steps;
    t += length;
  }
  if (time) time[count] = l->duration;
  return count + 1;
}

// The acceleration jumps where a part of the profile ends, so a piece takes the one inside it.
static ap_status piece(const line *l, double from, double to, double (*x)[3][N], double *c) {
  double ends[2][3][N], middle[3];
  profile_at(l, (from + to) / 2, middle);
  for (int e = 0; e < 2; e++) {
    double s[3];
    profile_at(l, e ? to : from, s);
    s[2] = middle[2];
    memcpy(ends[e], x[e], sizeof ends[e]);
    ap_status status = s[2] != 0 || l->def->acceleration > 0 ? joints_at(l, s, ends[e]) : AP_OK;
    if (status) return status;
  }
  for (int j = 0; j < N; j++) {
    const double p[3] = {ends[0][0][j], ends[0][1][j], ends[0][2][j]};
    const double e[3] = {ends[1][0][j], ends[1][1][j], ends[1][2][j]};
    ap__quintic(c + (size_t)j * AP__POWERS, to - from, p, e);
  }
  return AP_OK;
}

static ap_status build(const line *l, const double *time, double (*x)[3][N], int count,
                       ap_traj **traj, ap_error *error) {
  double *c;
  ap_traj *t = ap__traj_new(N, count - 1, (size_t)(count - 1) * N * AP__POWERS, &c, error);
  if (!t) return AP_E_MEMORY;
  for (int k = 0; k + 1 < count; k++, c += (size_t)N * AP__POWERS) {
    t->piece[k] = (ap_piece){.kind = PIECE_POLYNOMIAL,
                             .start = time[k],
                             .duration = time[k + 1] - time[k],
                             .stride = AP__POWERS,
                             .coefficient = c};
    ap_status status = piece(l, time[k], time[k + 1], x + k, c);
    if (status) {
      ap_traj_free(t);
      return AP__REFUSE(error, status, 0, "%g s along the line: %s", time[k],
                        ap_status_text(status));
    }
  }
  t->duration = l->duration;
  *traj = t;
  return AP_OK;
}

ap_status ap_traj_line(const ap_model *m, ap_work *w, const ap_line_def *def, ap_traj **traj,
                       ap_error *error) {
  line l = {.m = m, .w = w, .def = def};
  *traj = NULL;
  ap_status status = check(&l, error);
  if (status) return status;
  int count = times_of(&l, NULL);
  if (count < 2)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a line of %g s in steps of %g s has too many steps (at most %d)", l.duration,
                      def->step, MOST_SAMPLES);
  double *time = calloc((size_t)count, sizeof *time);
  double(*x)[3][N] = malloc((size_t)count * sizeof *x);
  if (time && x) {
    times_of(&l, time);
    status = sample(&l, time, x, count, error);
    if (!status) status = build(&l, time, x, count, traj, error);
  } else {
    status = ap__no_memory(error);
  }
  free(time);
  free(x);
  return status;
}
