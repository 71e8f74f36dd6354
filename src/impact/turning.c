// SPDX-License-Identifier: Apache-2.0
// Friction against turning: rolling and spinning. A touch of its own with two directions, or one,
// of relative angular velocity, and no normal: its impulses, those of a couple, are bounded by the
// normal impulse of its host.
//
//   |p| <= mu P_n,   p = -mu P_n u / |u| or u = 0
//
// Directions have a length such that the vectors a are as long as that of the host's normal: all
// impulses are then of one unit. The two of rolling are orthogonal in the metric of inertia.

#include "impact/law.h"

// The Jacobian of the relative angular velocity, in the first three rows of c->jac; the fourth has
// how large the terms were.
static ap_status angular_jacobian(ap_law *c, const ap_model *m, ap_work *w, const ap_touch *t) {
  int nv = c->rates;
  double *J = c->jac, *other = c->jac + 6 * nv;
  ap_status status = ap_frame_jacobian(m, w, t->body, AP_MIXED, J);
  if (!status && t->other) status = ap_frame_jacobian(m, w, t->other, AP_MIXED, other);
  if (status) return status;
  for (int k = 0; k < nv; k++) {
    double size = 0;
    for (int d = 0; d < 3; d++) {
      double own = J[(3 + d) * nv + k], less = t->other ? other[(3 + d) * nv + k] : 0;
      J[d * nv + k] = own - less;
      size += fabs(own) + fabs(less);
    }
    J[3 * nv + k] = size;
  }
  return AP_OK;
}

// Give the directions the length of the host's normal.
static void scale(ap_law *c, int i) {
  int host = c->touch[i].host;
  double longest = fmax(c->size[3 * i + 1], c->size[3 * i + 2]);
  double length = longest > 0 && c->size[3 * host] > 0 ? c->size[3 * host] / longest : 1;
  for (int j = 3 * i + 1; j <= 3 * i + 2; j++) {
    for (int k = 0; k < 3; k++) c->axes[3 * j + k] *= length;
    for (int k = 0; k < c->nv; k++) c->a[j * c->nv + k] *= length;
    c->size[j] *= length;
  }
}

static void no_direction(ap_law *c, int j) {
  for (int k = 0; k < c->nv; k++) c->a[j * c->nv + k] = 0;
  c->size[j] = 0;
}

ap_status ap__turn_directions(ap_law *c, const ap_model *m, ap_work *w, int i) {
  const ap_touch *t = &c->touch[i];
  double *axes = c->axes + 9 * i;
  ap_status status = angular_jacobian(c, m, w, t);
  if (status) return status;
  ap__touch_axes(t->normal, axes);
  no_direction(c, 3 * i);
  if (t->turn == AP_TURN_SPIN) {
    for (int k = 0; k < 3; k++) { // the normal is the first of the two
      double x = axes[k];
      axes[k] = axes[3 + k], axes[3 + k] = x;
    }
    ap__touch_direction(c, 3 * i + 1);
    no_direction(c, 3 * i + 2);
  } else {
    ap__touch_tangents(c, i);
  }
  scale(c, i);
  return AP_OK;
}

void ap__turn_point(ap_law *c, int i) {
  ap_point *o = &c->point[i];
  const double *size = c->size + 3 * i;
  double length = sqrt(ap__dot(3, c->axes + 9 * i + 3, c->axes + 9 * i + 3));
  *o = (ap_point){.mu = c->touch[i].friction / length};
  o->W[4] = size[1] * size[1];
  o->W[8] = size[2] * size[2];
  o->bound = fmax(o->W[4], o->W[8]);
}

double ap__turn_radius(const ap_law *c, int i, const double *p) {
  return c->point[i].mu * fmax(p[3 * c->touch[i].host], 0);
}

void ap__turn_clamp(double radius, double p[3]) {
  double length = sqrt(p[1] * p[1] + p[2] * p[2]);
  for (int k = 1; k < 3 && length > radius; k++) p[k] *= radius / length;
}

// Where |b / (W + x)| is the radius, x > 0: Newton's method on the reciprocal, which comes from
// below and does not overshoot (J. J. More and D. C. Sorensen 1983).
void ap__turn_solve(const ap_law *c, int i, double radius, const double u[3], double p[3]) {
  enum { STEPS = 60 };
  const double W[3] = {0, c->point[i].W[4], c->point[i].W[8]};
  double b[3] = {0}, x = 0;
  for (int k = 1; k < 3; k++) b[k] = W[k] > 0 ? u[k] - W[k] * p[k] : 0;
  for (int step = 0; step < STEPS; step++) {
    double square = 0, slope = 0;
    for (int k = 1; k < 3; k++) {
      p[k] = W[k] > 0 ? -b[k] / (W[k] + x) : 0;
      square += p[k] * p[k];
      slope += W[k] > 0 ? p[k] * p[k] / (W[k] + x) : 0;
    }
    double length = sqrt(square);
    if (!(radius > 0)) break;
    double further = length > radius ? square / slope * (length - radius) / radius : 0;
    if (!(further > 1e-16 * (x + W[1] + W[2]))) break;
    x += further;
  }
  ap__turn_clamp(fmax(radius, 0), p);
}

void ap__turn_forward(const ap_law *c, int i, const double *p, const double *x, double z[3]) {
  z[0] = 0;
  for (int k = 1; k < 3; k++) z[k] = p[3 * i + k] - ap__relative(c, i, k, x) / c->point[i].bound;
}

static bool is_at(const ap_law *c, int t, int i) {
  return c->touch[t].turn != AP_TURN_NONE && c->touch[t].host == i;
}

void ap__turn_drag(const ap_law *c, int i, int slides, double *a) {
  for (int t = i + 1; t < c->n && c->turns; t++) {
    if (!is_at(c, t, i) || c->mode[t] != slides) continue;
    for (int k = 0; k < 2; k++)
      ap__add_scaled(c->nv, c->point[t].mu * c->way[2 * t + k], ap__direction(c, t, 1 + k), a);
  }
}

double ap__turn_least(const ap_law *c, int i, const double *p) {
  double least = 0;
  for (int t = i + 1; t < c->n && c->turns; t++) {
    double length = sqrt(p[3 * t + 1] * p[3 * t + 1] + p[3 * t + 2] * p[3 * t + 2]);
    if (is_at(c, t, i) && c->point[t].mu > 0) least = fmax(least, length / c->point[t].mu);
  }
  return least;
}
