// SPDX-License-Identifier: Apache-2.0
// One touch alone: 0 <= p_n, 0 <= u_n, one of them zero; |p_t| <= mu p_n; what slides slides
// against p_t, which then is mu p_n. With u = b + W p there are three cases.
//
//   leaves   b_n >= 0: p = 0
//   sticks   S p = -c has a solution in the cone
//   slides   p = p_n (1, mu d), |d| = 1, with  p_n = -b_n / (W_nn + mu W_nt d)  from u_n = 0 and
//            u_t = b_t + p_n (W_tn + mu W_tt d) = -k d, k >= 0: an equation for the angle of d,
//            f = d x u_t = 0, a trigonometric polynomial of second degree: four roots at most

#include "impact/point.h"

#include <float.h>
#include <math.h>

#include "num/vec3.h"

void ap__cone(double mu, double p[3]) {
  double side = sqrt(p[1] * p[1] + p[2] * p[2]);
  if (p[0] >= 0 && side <= mu * p[0]) return;
  double along = (p[0] + mu * side) / (1 + mu * mu);
  if (along <= 0 || side <= 0) {
    p[0] = fmax(0, side <= 0 ? p[0] : 0), p[1] = p[2] = 0;
    return;
  }
  p[0] = along;
  p[1] *= mu * along / side;
  p[2] *= mu * along / side;
}

// A unit vector across a and b; where those are parallel, across a.
static void unit_normal_to(const double *a, const double *b, double *c) {
  cross3(a, b, c);
  double length = norm3(c);
  if (!(length > 0)) {
    int least = fabs(a[0]) < fabs(a[1]) ? 0 : 1;
    if (fabs(a[2]) < fabs(a[least])) least = 2;
    cross3(a, (double[3]){least == 0, least == 1, least == 2}, c);
    length = norm3(c);
  }
  for (int k = 0; k < 3; k++) c[k] /= length;
}

void ap__point_finish(ap_point *o) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      o->W[3 * i + k] = 0;
      for (int j = 0; j < o->rank; j++) o->W[3 * i + k] += o->S[3 * j + i] * o->S[3 * j + k];
    }
  o->bound = o->W[0] + o->W[4] + o->W[8];
  if (o->rank == 0) return;
  if (o->rank == 1) unit_normal_to(o->S, o->S, o->S + 3);
  if (o->rank <= 2) unit_normal_to(o->S, o->S + 3, o->S + 6);
}

// Rank 3: S^T s = u by the reciprocal rows of S. Else s = g u_n / |g|^2 + z h, g being what S has
// of the normal and h across it, with the z that leaves least of the tangents.
void ap__point_follow(const ap_point *o, double u[3], double s[3]) {
  double r[3][3], g[2] = {o->S[0], o->rank > 1 ? o->S[3] : 0}, square = g[0] * g[0] + g[1] * g[1];
  for (int i = 0; i < 3; i++) s[i] = 0;
  for (int i = 0; i < 3; i++) cross3(o->S + 3 * ((i + 1) % 3), o->S + 3 * ((i + 2) % 3), r[i]);
  for (int i = 0; i < 3 && o->rank == 3; i++) s[i] = dot3(u, r[i]) / dot3(o->S, r[0]);
  if (o->rank == 3) return;
  if (square > 0) {
    double h[2] = {o->rank > 1 ? -g[1] : 0, o->rank > 1 ? g[0] : 0}, top = 0, bottom = 0;
    for (int i = 0; i < 2; i++) s[i] = g[i] * u[0] / square;
    for (int k = 1; k < 3; k++) {
      double turn = o->S[k] * h[0] + o->S[3 + k] * h[1];
      top += turn * (u[k] - o->S[k] * s[0] - (o->rank > 1 ? o->S[3 + k] * s[1] : 0));
      bottom += turn * turn;
    }
    for (int i = 0; i < 2 && bottom > 0; i++) s[i] += h[i] * top / bottom;
  }
  for (int k = 0; k < 3; k++) {
    u[k] = 0;
    for (int i = 0; i < o->rank; i++) u[k] += o->S[3 * i + k] * s[i];
  }
}

static bool in_cone(double mu, const double p[3]) {
  return p[0] >= 0 && p[1] * p[1] + p[2] * p[2] <= mu * mu * p[0] * p[0];
}

// ---- sticks ------------------------------------------------------------------------------------

// S p = -c, by the reciprocal rows of S; the smallest p where that leaves a choice.
static void stop(const ap_point *o, const double c[3], double p[3]) {
  double r[3][3];
  for (int i = 0; i < 3; i++) cross3(o->S + 3 * ((i + 1) % 3), o->S + 3 * ((i + 2) % 3), r[i]);
  double volume = dot3(o->S, r[0]);
  for (int k = 0; k < 3; k++) p[k] = 0;
  for (int i = 0; i < o->rank; i++)
    for (int k = 0; k < 3; k++) p[k] -= c[i] / volume * r[i][k];
}

// Rank 2: from p along the direction across S to the nearest place in the cone.
static bool slide_into_cone(const ap_point *o, double p[3]) {
  const double *k = o->S + 6;
  double m2 = o->mu * o->mu, best = INFINITY;
  double A = k[1] * k[1] + k[2] * k[2] - m2 * k[0] * k[0];
  double B = p[1] * k[1] + p[2] * k[2] - m2 * p[0] * k[0];
  double C = p[1] * p[1] + p[2] * p[2] - m2 * p[0] * p[0];
  double root = B * B - A * C;
  if (!(root >= 0)) return false;
  double far = -B - copysign(sqrt(root), B);
  double t[2] = {far / A, C / far};
  for (int i = 0; i < 2; i++)
    if (isfinite(t[i]) && p[0] + t[i] * k[0] > 0 && fabs(t[i]) < fabs(best)) best = t[i];
  if (!isfinite(best)) return false;
  for (int i = 0; i < 3; i++) p[i] += best * k[i];
  ap__cone(o->mu, p);
  return true;
}

// Rank 1: the point can move along one line only, and can always be stopped on it.
static void stop_on_line(const ap_point *o, double c, double p[3]) {
  double s[3];
  for (int k = 0; k < 3; k++) p[k] = s[k] = c < 0 ? o->S[k] : -o->S[k];
  ap__cone(o->mu, p);
  double part = dot3(s, p);
  for (int k = 0; k < 3; k++) p[k] = part > 0 ? p[k] * (fabs(c) / part) : 0;
}

static bool sticks(const ap_point *o, const double c[3], double p[3]) {
  if (o->rank == 1) {
    stop_on_line(o, c[0], p);
    return true;
  }
  stop(o, c, p);
  return in_cone(o->mu, p) || (o->rank == 2 && slide_into_cone(o, p));
}

// ---- slides ------------------------------------------------------------------------------------

// f and df/d(angle), times W_nn + mu W_nt d.
static double sliding_residual(const ap_point *o, const double b[3], const double d[2],
                               double *slope) {
  const double *W = o->W;
  double mu = o->mu, e[2] = {-d[1], d[0]};
  double den = W[0] + mu * (W[1] * d[0] + W[2] * d[1]);
  double change = mu * (W[1] * e[0] + W[2] * e[1]);
  double x = W[1] + mu * (W[4] * d[0] + W[5] * d[1]);
  double y = W[2] + mu * (W[5] * d[0] + W[8] * d[1]);
  double dx = mu * (W[4] * e[0] + W[5] * e[1]), dy = mu * (W[5] * e[0] + W[8] * e[1]);
  double across = d[0] * b[2] - d[1] * b[1];
  *slope = (e[0] * b[2] - e[1] * b[1]) * den + across * change -
           b[0] * (e[0] * y - e[1] * x + d[0] * dy - d[1] * dx);
  return across * den - b[0] * (d[0] * y - d[1] * x);
}

// The impulse with direction d; false where it would pull or drive the sliding.
static bool slides(const ap_point *o, const double b[3], const double d[2], double p[3]) {
  const double *W = o->W;
  double mu = o->mu, den = W[0] + mu * (W[1] * d[0] + W[2] * d[1]);
  if (!(den > 8 * DBL_EPSILON * W[0])) return false;
  double pn = -b[0] / den;
  double x = b[1] + pn * (W[1] + mu * (W[4] * d[0] + W[5] * d[1]));
  double y = b[2] + pn * (W[2] + mu * (W[5] * d[0] + W[8] * d[1]));
  double size = fabs(b[0]) + fabs(b[1]) + fabs(b[2]);
  if (!(isfinite(pn) && d[0] * x + d[1] * y <= 1e-14 * size)) return false;
  p[0] = pn, p[1] = pn * mu * d[0], p[2] = pn * mu * d[1];
  return true;
}

// Newton's method from d; true where it settles.
static bool refine_direction(const ap_point *o, const double b[3], double d[2]) {
  for (int i = 0; i < 12; i++) {
    double slope, f = sliding_residual(o, b, d, &slope), turn = -f / slope;
    if (f == 0) return true;
    if (!(fabs(turn) < 0.5)) return false;
    double x = d[0] - turn * d[1], y = d[1] + turn * d[0], length = sqrt(x * x + y * y);
    d[0] = x / length, d[1] = y / length;
    if (fabs(turn) < 4 * DBL_EPSILON) return true;
  }
  return false;
}

// The root between two angles with f of different sign.
static void bisect(const ap_point *o, const double b[3], double low, double high, double d[2]) {
  double slope, at_low = sliding_residual(o, b, (double[2]){cos(low), sin(low)}, &slope);
  for (int i = 0; i < 60; i++) {
    double middle = low + (high - low) / 2;
    d[0] = cos(middle), d[1] = sin(middle);
    double f = sliding_residual(o, b, d, &slope);
    if ((f < 0) == (at_low < 0))
      low = middle;
    else
      high = middle;
  }
}

static double work(const ap_point *o, const double b[3], const double p[3]) {
  double sum = dot3(b, p);
  for (int i = 0; i < 3; i++) sum += 0.5 * p[i] * dot3(o->W + 3 * i, p);
  return sum;
}

// Keep of two impulses the one that takes more energy.
static void keep_best(const ap_point *o, const double b[3], const double d[2], double *best,
                      double p[3]) {
  double candidate[3];
  if (!slides(o, b, d, candidate)) return;
  double gain = work(o, b, candidate);
  if (gain >= *best) return;
  *best = gain;
  for (int k = 0; k < 3; k++) p[k] = candidate[k];
}

// All roots: f has four at most, and 48 samples tell apart those that matter.
static bool search(const ap_point *o, const double b[3], double p[3]) {
  enum { SAMPLES = 48 };
  const double step = 6.28318530717958647693 / SAMPLES;
  double best = INFINITY, d[2], slope;
  if (o->W[8] <= 0) { // in a plane
    keep_best(o, b, (double[2]){1, 0}, &best, p);
    keep_best(o, b, (double[2]){-1, 0}, &best, p);
    return best < INFINITY;
  }
  double before = sliding_residual(o, b, (double[2]){1, 0}, &slope);
  for (int i = 1; i <= SAMPLES; i++) {
    double now = sliding_residual(o, b, (double[2]){cos(i * step), sin(i * step)}, &slope);
    if ((now < 0) != (before < 0)) {
      bisect(o, b, (i - 1) * step, i * step, d);
      keep_best(o, b, d, &best, p);
    }
    before = now;
  }
  return best < INFINITY;
}

void ap__point_solve(const ap_point *o, const double c[3], double p[3]) {
  double b[3] = {0, 0, 0}, d[2], guess[3] = {p[0], p[1], p[2]};
  for (int i = 0; i < o->rank; i++)
    for (int k = 0; k < 3; k++) b[k] += o->S[3 * i + k] * c[i];
  p[0] = p[1] = p[2] = 0;
  if (b[0] >= 0 || o->W[0] <= 0) return;
  if (o->mu <= 0 || o->W[4] <= 0) {
    p[0] = -b[0] / o->W[0];
    return;
  }
  if (sticks(o, c, p)) return;
  double side = sqrt(guess[1] * guess[1] + guess[2] * guess[2]);
  if (side > 0 && o->W[8] > 0) {
    d[0] = guess[1] / side, d[1] = guess[2] / side;
    if (refine_direction(o, b, d) && slides(o, b, d, p)) return;
  }
  if (search(o, b, p)) return;
  for (int k = 0; k < 3; k++) // none found: a step downhill inside the cone
    p[k] = guess[k] - (b[k] + dot3(o->W + 3 * k, guess)) / o->bound;
  ap__cone(o->mu, p);
}
