// SPDX-License-Identifier: Apache-2.0
// Directions of points that start to slide, or slide so slowly that their direction is that of
// their acceleration.

#include <math.h>
#include <string.h>

#include "contact_system.h"

enum { SIMPLE = 6, PASSES = 30, MOST = 8 };
static const double TURNED = 1e-13; // of the accelerations
static const double FURTHEST = 0.5; // rad, in one pass
static const double LITTLE = 1e-6;  // rad, for differences

// The points that follow.
typedef struct followers {
  int n, point[MOST];
} followers;

static followers find(const ap_resting *resting, const bool *keep, const contact_system *s) {
  followers f = {0};
  for (int i = 0; i < s->n && f.n < MOST; i++) {
    const ap_resting *r = &resting[i];
    if ((keep && !keep[i]) || r->sticks || !r->follows) continue;
    if (r->kind != AP_REST_POINT && r->kind != AP_REST_ROLL) continue;
    if (r->friction > 0 && hypot(s->place[i].slip[0], s->place[i].slip[1]) > 0) f.point[f.n++] = i;
  }
  return f;
}

static void rotate(double slip[2], double angle) {
  double c = cos(angle), d = sin(angle), x = slip[0], y = slip[1];
  slip[0] = c * x - d * y;
  slip[1] = c * y + d * x;
  double length = hypot(slip[0], slip[1]);
  slip[0] /= length, slip[1] /= length;
}

// What friction itself makes of the acceleration across the slip of point i: mu N p . W_tt p.
static double friction_across(const ap_resting *r, const contact_system *s, int i) {
  int rows = 3 * s->n;
  const double *W = s->W + (3 * i + 1) * rows + 3 * i + 1, *slip = s->place[i].slip;
  double p[2] = {-slip[1], slip[0]};
  double sum = p[0] * (W[0] * p[0] + W[1] * p[1]) + p[1] * (W[rows] * p[0] + W[rows + 1] * p[1]);
  return r->friction * fmax(s->force[3 * i], 0) * sum;
}

static double acceleration_along(const contact_system *s, int i) {
  const double *a = s->response + 3 * i + 1, *slip = s->place[i].slip;
  return a[0] * slip[0] + a[1] * slip[1];
}

static double acceleration_across(const contact_system *s, int i) {
  const double *a = s->response + 3 * i + 1, *slip = s->place[i].slip;
  return a[1] * slip[0] - a[0] * slip[1];
}

// Whether all of them have no acceleration across their slip.
static bool settled(const ap_resting *resting, const followers *f, const contact_system *s) {
  for (int k = 0; k < f->n; k++) {
    int i = f->point[k];
    double size = friction_across(&resting[i], s, i) + fabs(acceleration_along(s, i));
    if (!(fabs(acceleration_across(s, i)) <= TURNED * size)) return false;
  }
  return true;
}

// Newton's method for each alone: the acceleration across slip changes with its angle by -rub -
// along, the other points as they are.
static void turn_alone(const ap_resting *resting, const followers *f, contact_system *s) {
  for (int k = 0; k < f->n; k++) {
    int i = f->point[k];
    double g = acceleration_across(s, i),
           slope = -friction_across(&resting[i], s, i) - acceleration_along(s, i);
    double angle = slope < 0 ? -g / slope : copysign(FURTHEST, g);
    rotate(s->place[i].slip, fmax(-FURTHEST, fmin(FURTHEST, angle)));
  }
}

// The shortest solution of A x = g, A n * n by rows, which is used up.
static void solve(int n, double *A, double *g, double *x) {
  double left[MOST], right[MOST], spare[MOST];
  int pivot[MOST];
  ap_qr qr = {.m = n, .n = n, .A = A, .left = left, .right = right, .spare = spare};
  qr.pivot = pivot;
  ap__qr_factor(&qr, 1e-12);
  ap__qr_solve(&qr, g, x);
}

// Newton's method for all of them, derivatives by differences.
static void turn_together(const ap_resting *resting, const bool *keep, const followers *f,
                          contact_system *s) {
  double g[MOST] = {0}, turn[MOST] = {0}, slope[MOST * MOST] = {0}, most = 0;
  for (int k = 0; k < f->n; k++) g[k] = acceleration_across(s, f->point[k]);
  for (int c = 0; c < f->n; c++) {
    double *slip = s->place[f->point[c]].slip, old[2] = {slip[0], slip[1]};
    rotate(slip, LITTLE);
    ap__contact_forces(resting, keep, s);
    for (int k = 0; k < f->n; k++)
      slope[k * f->n + c] = (acceleration_across(s, f->point[k]) - g[k]) / LITTLE;
    memcpy(slip, old, sizeof old);
  }
  solve(f->n, slope, g, turn);
  for (int k = 0; k < f->n; k++) most = fmax(most, fabs(turn[k]));
  double part = most > FURTHEST ? FURTHEST / most : 1;
  for (int k = 0; k < f->n; k++) rotate(s->place[f->point[k]].slip, -part * turn[k]);
}

bool ap__contact_follow(const ap_resting *resting, const bool *keep, contact_system *s) {
  followers f = find(resting, keep, s);
  for (int pass = 0; pass < PASSES; pass++) {
    if (settled(resting, &f, s)) return true;
    if (pass < SIMPLE)
      turn_alone(resting, &f, s);
    else
      turn_together(resting, keep, &f, s);
    ap__contact_forces(resting, keep, s);
  }
  return false;
}
