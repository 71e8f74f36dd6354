// SPDX-License-Identifier: Apache-2.0
#include "impact/profile.h"

#include <math.h>
#include <stddef.h>

// Between points i and i + 1, at distance h, with B = (x - x_i) / h and A = 1 - B, the height is
//   f = A y_i + B y_{i+1} + h^2/6 ((A^3 - A) M_i + (B^3 - B) M_{i+1}),
// M being f'' at the points. f' is continuous at point i when
//   h_{i-1} M_{i-1} + 2 (h_{i-1} + h_i) M_i + h_i M_{i+1} = 6 (s_i - s_{i-1}),
// s_i = (y_{i+1} - y_i) / h_i; and M_0 = M_{n-1} = 0. The matrix is diagonally dominant, so
// elimination without pivoting is stable.

static double x_of(const double *points, int i) { return points[2 * (size_t)i]; }

static double step(const double *points, int i) { return x_of(points, i + 1) - x_of(points, i); }

// Slope of the straight line from point i to the next.
static double secant(const double *points, int i) {
  return (points[2 * (size_t)i + 3] - points[2 * (size_t)i + 1]) / step(points, i);
}

void ap__profile_solve(const double *points, int n, double *second, double *scratch) {
  second[0] = second[n - 1] = 0.0;
  scratch[0] = 0.0; // after elimination: M_i + scratch[i] M_{i+1} = second[i]
  for (int i = 1; i < n - 1; i++) {
    double before = step(points, i - 1), after = step(points, i);
    double right = 6.0 * (secant(points, i) - secant(points, i - 1));
    double pivot = 2.0 * (before + after) - before * scratch[i - 1];
    scratch[i] = after / pivot;
    second[i] = (right - before * second[i - 1]) / pivot;
  }
  for (int i = n - 2; i > 0; i--) second[i] -= scratch[i] * second[i + 1];
}

// The interval of x, one of the outermost two for an x beyond the ends.
static int interval(const ap_profile *p, double x) {
  int low = 0, high = p->n - 1; // x_low <= x < x_high, as far as x is within
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (x < x_of(p->points, middle))
      high = middle;
    else
      low = middle;
  }
  return low;
}

static void piece_value(const ap_profile *p, int i, double x, double value[3]) {
  const double *y = p->points + 2 * (size_t)i + 1;
  double h = step(p->points, i);
  double M0 = p->second[i], M1 = p->second[i + 1];
  double A = (x_of(p->points, i + 1) - x) / h, B = (x - x_of(p->points, i)) / h;
  value[0] = A * y[0] + B * y[2] + h * h / 6.0 * (A * (A * A - 1.0) * M0 + B * (B * B - 1.0) * M1);
  value[1] = secant(p->points, i) + h / 6.0 * ((1.0 - 3.0 * A * A) * M0 + (3.0 * B * B - 1.0) * M1);
  value[2] = A * M0 + B * M1;
}

void ap__profile_at(const ap_profile *p, double x, double value[3]) {
  double first = x_of(p->points, 0), last = x_of(p->points, p->n - 1);
  double end = x < first ? first : x > last ? last : x;
  piece_value(p, interval(p, end), end, value);
  if (end == x) return;
  value[0] += value[1] * (x - end);
  value[2] = 0.0;
}

// The slope within interval i has its extremes at the ends and where the second derivative
// vanishes.
static double steepest_within(const ap_profile *p, int i) {
  double x0 = x_of(p->points, i), h = step(p->points, i), value[3], most = 0;
  double M0 = p->second[i], M1 = p->second[i + 1], turn = M0 != M1 ? M0 / (M0 - M1) : 0;
  double at[3] = {0, 1, turn > 0 && turn < 1 ? turn : 0};
  for (int k = 0; k < 3; k++) {
    piece_value(p, i, x0 + at[k] * h, value);
    most = fmax(most, fabs(value[1]));
  }
  return most;
}

void ap__profile_most(const ap_profile *p, double low, double high, double most[3]) {
  most[0] = most[1] = most[2] = 0;
  for (int i = interval(p, low); i <= interval(p, high); i++) {
    double M0 = p->second[i], M1 = p->second[i + 1];
    most[0] = fmax(most[0], steepest_within(p, i));
    most[1] = fmax(most[1], fmax(fabs(M0), fabs(M1)));
    most[2] = fmax(most[2], fabs(M1 - M0) / step(p->points, i));
  }
}
