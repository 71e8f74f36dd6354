// SPDX-License-Identifier: Apache-2.0
// Ramps, trapezoids and splines.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traj/traj.h"

static ap_status check_numbers(int n, const double *x, int count, const char *what,
                               ap_error *error) {
  if (n < 1)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a trajectory has %d coordinates (at least one is needed)", n);
  for (int k = 0; k < n * count; k++)
    if (!isfinite(x[k]))
      return AP__REFUSE(error, AP_E_ARG, 0, "%s of coordinate %d is not a finite number", what,
                        k % n + 1);
  return AP_OK;
}

static ap_status check_ends(int n, const double *from, const double *to, ap_error *error) {
  ap_status status = check_numbers(n, from, 1, "the beginning", error);
  return status ? status : check_numbers(n, to, 1, "the end", error);
}

static ap_traj *new_polynomials(int n, int pieces, double **c, ap_error *error) {
  ap_traj *t = ap__traj_new(n, pieces, (size_t)n * (size_t)pieces * AP__POWERS, c, error);
  if (t) memset(*c, 0, (size_t)n * (size_t)pieces * AP__POWERS * sizeof **c);
  return t;
}

// Piece k of a trajectory, after those before it.
static void add_piece(ap_traj *t, int k, double duration, const double *c) {
  t->piece[k] = (ap_piece){.kind = PIECE_POLYNOMIAL,
                           .start = t->duration,
                           .duration = duration,
                           .stride = AP__POWERS,
                           .coefficient = c + (size_t)k * (size_t)t->n * AP__POWERS};
  t->duration += duration;
}

ap_status ap_traj_ramp(int n, const double *from, const double *to, double duration, ap_traj **traj,
                       ap_error *error) {
  *traj = NULL;
  ap_status status = check_ends(n, from, to, error);
  if (status) return status;
  if (!(duration > 0 && isfinite(duration)))
    return AP__REFUSE(error, AP_E_ARG, 0, "a ramp lasts %g s (it must be positive and finite)",
                      duration);
  double *c;
  ap_traj *t = new_polynomials(n, 1, &c, error);
  if (!t) return AP_E_MEMORY;
  add_piece(t, 0, duration, c);
  for (int j = 0; j < n; j++) {
    c[j * AP__POWERS] = from[j];
    c[j * AP__POWERS + 1] = (to[j] - from[j]) / duration;
  }
  *traj = t;
  return AP_OK;
}

// ---- trapezoids --------------------------------------------------------------------------------

void ap__trapezoid(double length, double speed, double acceleration, ap__profile *p) {
  double rise = speed / acceleration;
  if (speed * rise > length) rise = sqrt(length / acceleration), speed = acceleration * rise;
  double cruise = (length - speed * rise) / speed;
  if (cruise < 1e-12 * rise) cruise = 0;
  *p = (ap__profile){.rise = rise, .cruise = cruise, .acceleration = acceleration};
}

// All coordinates on their straight ways by one profile of the part that is behind, from 0 to 1.
static ap_status in_step(int n, const double *from, const double *to, const ap__profile *p,
                         ap_traj **traj, ap_error *error) {
  const double length[3] = {p->rise, p->cruise, p->rise};
  const double slope[3] = {p->acceleration, 0, -p->acceleration};
  double *c, s = 0, rate = 0;
  int pieces = p->cruise > 0 ? 3 : 2;
  ap_traj *t = new_polynomials(n, pieces, &c, error);
  if (!t) return AP_E_MEMORY;
  for (int k = 0; k < pieces; k++) {
    int part = k > 0 && pieces == 2 ? 2 : k;
    add_piece(t, k, length[part], c);
    for (int j = 0; j < n; j++) {
      double *to_c = c + ((size_t)k * (size_t)n + (size_t)j) * AP__POWERS, way = to[j] - from[j];
      to_c[0] = from[j] + way * s, to_c[1] = way * rate, to_c[2] = way * slope[part] / 2;
    }
    s += rate * length[part] + slope[part] * length[part] * length[part] / 2;
    rate += slope[part] * length[part];
  }
  *traj = t;
  return AP_OK;
}

ap_status ap_traj_trapezoid(int n, const double *from, const double *to, const double *velocity,
                            const double *acceleration, ap_traj **traj, ap_error *error) {
  *traj = NULL;
  ap_status status = check_ends(n, from, to, error);
  if (status) return status;
  double v = INFINITY, a = INFINITY; // of the way from 0 to 1, which all coordinates share
  for (int j = 0; j < n; j++) {
    double way = fabs(to[j] - from[j]);
    if (!(velocity[j] > 0 && acceleration[j] > 0))
      return AP__REFUSE(error, AP_E_ARG, 0,
                        "the largest speed or acceleration of coordinate %d is not positive",
                        j + 1);
    if (way > 0) v = fmin(v, velocity[j] / way), a = fmin(a, acceleration[j] / way);
  }
  if (!isfinite(v) || !isfinite(a))
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "no coordinate moves, or none has a limit of speed and acceleration");
  ap__profile p;
  ap__trapezoid(1, v, a, &p);
  return in_step(n, from, to, &p, traj, error);
}

ap_status ap_traj_blended_ramp(int n, const double *from, const double *to, double duration,
                               double corner, ap_traj **traj, ap_error *error) {
  *traj = NULL;
  ap_status status = check_ends(n, from, to, error);
  if (status) return status;
  if (!(corner > 0 && 2 * corner <= duration && isfinite(duration)))
    return AP__REFUSE(
        error, AP_E_ARG, 0,
        "a ramp of %g s has corners of %g s (they must be positive, and both must fit)", duration,
        corner);
  const ap__profile p = {.rise = corner,
                         .cruise = duration - 2 * corner,
                         .acceleration = 1 / (corner * (duration - corner))};
  return in_step(n, from, to, &p, traj, error);
}

// ---- splines -----------------------------------------------------------------------------------

// A block tridiagonal system of 2 by 2 blocks, one for each inner point: lower * x(i-1) + middle *
// x(i) + upper * x(i+1) = right, with x = (velocity, acceleration). A cubic uses the first row and
// column alone.
typedef struct row {
  double lower[2][2], middle[2][2], upper[2][2], right[2];
} row;

// [d = difference of positions] Third and fourth derivative of the polynomial of degree five with
// given ends:
//   at its start  (60 d - 36 v0 h - 24 v1 h -  9 a0 h2 +  3 a1 h2) / h3
//                 (-360 d + 192 v0 h + 168 v1 h + 36 a0 h2 - 24 a1 h2) / h4
//   at its end    (60 d - 24 v0 h - 36 v1 h -  3 a0 h2 +  9 a1 h2) / h3
//                 (360 d - 168 v0 h - 192 v1 h - 24 a0 h2 + 36 a1 h2) / h4
// An inner point has the same on both sides: end of the piece before less start of the next is 0.
static void quintic_row(row *r, double h, double d, double k, double e) {
  const double h2 = h * h, k2 = k * k, h3 = h2 * h, k3 = k2 * k;
  *r = (row){
      .lower = {{-24 / h2, -3 / h}, {-168 / h3, -24 / h2}},
      .middle = {{-36 / h2 + 36 / k2, 9 / h + 9 / k}, {-192 / h3 - 192 / k3, 36 / h2 - 36 / k2}},
      .upper = {{24 / k2, -3 / k}, {-168 / k3, 24 / k2}},
      .right = {-60 * d / h3 + 60 * e / k3, -360 * d / (h3 * h) - 360 * e / (k3 * k)}};
}

// The second derivative of a cubic: at its start (6 d - 4 v0 h - 2 v1 h) / h2, at its end
// (-6 d + 2 v0 h + 4 v1 h) / h2.
static void cubic_row(row *r, double h, double d, double k, double e) {
  *r = (row){.lower = {{2 / h, 0}, {0, 0}},
             .middle = {{4 / h + 4 / k, 0}, {0, 1}},
             .upper = {{2 / k, 0}, {0, 0}},
             .right = {6 * d / (h * h) + 6 * e / (k * k), 0}};
}

// x = A^-1 b for a 2 by 2 matrix.
static void solve2(double A[2][2], const double b[2], double x[2]) {
  double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
  double first = (b[0] * A[1][1] - b[1] * A[0][1]) / det;
  x[1] = (A[0][0] * b[1] - A[1][0] * b[0]) / det;
  x[0] = first;
}

// Elimination from the first inner point to the last, and back; x[i] for the inner points.
static void solve_rows(row *r, int inner, double (*x)[2]) {
  for (int i = 1; i < inner; i++) {
    for (int k = 0; k < 2; k++) { // rows of lower * middle(before)^-1, by its transpose
      row *b = &r[i - 1];
      double T[2][2] = {{b->middle[0][0], b->middle[1][0]}, {b->middle[0][1], b->middle[1][1]}};
      double f[2];
      solve2(T, r[i].lower[k], f);
      for (int c = 0; c < 2; c++)
        r[i].middle[k][c] -= f[0] * b->upper[0][c] + f[1] * b->upper[1][c];
      r[i].right[k] -= f[0] * b->right[0] + f[1] * b->right[1];
    }
  }
  for (int i = inner - 1; i >= 0; i--) {
    double right[2] = {r[i].right[0], r[i].right[1]};
    for (int k = 0; i + 1 < inner && k < 2; k++)
      right[k] -= r[i].upper[k][0] * x[i + 1][0] + r[i].upper[k][1] * x[i + 1][1];
    solve2(r[i].middle, right, x[i]);
  }
}

// Coordinate j: velocities and accelerations of the inner points, then the pieces.
static void fit(const ap_spline_def *d, int j, row *rows, double (*x)[2], double *c) {
  int inner = d->points - 2, n = d->n;
  for (int i = 0; i < inner; i++) {
    const double *t = d->time + i, *q = d->q + (size_t)i * (size_t)n + j;
    double first = q[n] - q[0], second = q[2 * n] - q[n];
    (d->degree == 3 ? cubic_row : quintic_row)(&rows[i], t[1] - t[0], first, t[2] - t[1], second);
  }
  solve_rows(rows, inner, x);
  for (int i = 0; i < d->points - 1; i++) {
    double h = d->time[i + 1] - d->time[i];
    const double *q = d->q + (size_t)i * (size_t)n + j;
    double *to = c + ((size_t)i * (size_t)n + (size_t)j) * AP__POWERS;
    const double zero[2] = {0, 0}, *a = i > 0 ? x[i - 1] : zero, *b = i < inner ? x[i] : zero;
    const double from[3] = {q[0], a[0], a[1]}, end[3] = {q[n], b[0], b[1]};
    if (d->degree == 5) {
      ap__quintic(to, h, from, end);
      continue;
    }
    double rest = end[0] - from[0];
    to[0] = from[0], to[1] = from[1];
    to[2] = (3 * rest - (2 * from[1] + end[1]) * h) / (h * h);
    to[3] = (-2 * rest + (from[1] + end[1]) * h) / (h * h * h);
  }
}

static ap_status check_spline(const ap_spline_def *d, ap_error *error) {
  if (d->points < 2 || d->points > 1000000)
    return AP__REFUSE(error, AP_E_ARG, 0, "a spline has %d points (2 to 1000000 are possible)",
                      d->points);
  if (d->degree != 3 && d->degree != 5)
    return AP__REFUSE(error, AP_E_ARG, 0, "a spline of degree %d (3 or 5)", d->degree);
  ap_status status = check_numbers(d->n, d->q, d->points, "a point", error);
  for (int i = 0; !status && i + 1 < d->points; i++)
    if (!(d->time[i + 1] > d->time[i]) || !isfinite(d->time[i + 1] - d->time[i]))
      return AP__REFUSE(
          error, AP_E_ARG, 0,
          "point %d of a spline is at %g s, the one before at %g s (times must increase)", i + 2,
          d->time[i + 1], d->time[i]);
  return status;
}

ap_status ap_traj_spline(const ap_spline_def *def, ap_traj **traj, ap_error *error) {
  *traj = NULL;
  ap_status status = check_spline(def, error);
  if (status) return status;
  size_t inner = (size_t)def->points;
  row *rows = calloc(inner, sizeof *rows);
  double(*x)[2] = calloc(inner, sizeof *x), *c;
  ap_traj *t = rows && x ? new_polynomials(def->n, def->points - 1, &c, error) : NULL;
  if (t) {
    for (int k = 0; k + 1 < def->points; k++) add_piece(t, k, def->time[k + 1] - def->time[k], c);
    for (int j = 0; j < def->n; j++) fit(def, j, rows, x, c);
  }
  free(rows);
  free(x);
  *traj = t;
  return t ? AP_OK : ap__no_memory(error);
}
