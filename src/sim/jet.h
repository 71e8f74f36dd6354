// SPDX-License-Identifier: Apache-2.0
// Functions of time with bounds on their derivatives, from the ways of places.

#ifndef AP_SIM_JET_H
#define AP_SIM_JET_H

#include <math.h>

#include "impact/surface.h"
#include "num/vec3.h"

// A function of time over |t| <= r: it and its first two derivatives at 0, and upper bounds of the
// absolute values of it and of its first three derivatives.
typedef struct jet {
  double c[3], M[4], r;
} jet;

// The bounds that follow from the third derivative, where they are lower.
static inline jet jet_tight(jet f) {
  double r = f.r, a = fabs(f.c[0]), b = fabs(f.c[1]), c = fabs(f.c[2]);
  f.M[2] = fmin(f.M[2], c + r * f.M[3]);
  f.M[1] = fmin(f.M[1], b + r * (c + r / 2 * f.M[3]));
  f.M[0] = fmin(f.M[0], a + r * (b + r / 2 * (c + r / 3 * f.M[3])));
  return f;
}

static inline jet jet_number(double x, double r) { return (jet){{x, 0, 0}, {fabs(x), 0, 0, 0}, r}; }

static inline jet jet_part(const double axis[3], const double origin[3], const ap_way *way) {
  jet f = {.c = {dot3(axis, way->p) - dot3(axis, origin), dot3(axis, way->v), dot3(axis, way->a)},
           .M = {INFINITY, INFINITY, INFINITY, way->jerk},
           .r = way->r};
  return jet_tight(f);
}

// a f + b g
static inline jet jet_mix(double a, jet f, double b, jet g) {
  jet h = {.r = f.r};
  for (int k = 0; k < 3; k++) h.c[k] = a * f.c[k] + b * g.c[k];
  for (int k = 0; k < 4; k++) h.M[k] = fabs(a) * f.M[k] + fabs(b) * g.M[k];
  return jet_tight(h);
}

static inline jet jet_times(jet f, jet g) {
  const double *a = f.c, *b = g.c, *A = f.M, *B = g.M;
  jet h = {
      .c = {a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2]},
      .M = {A[0] * B[0], A[1] * B[0] + A[0] * B[1], A[2] * B[0] + 2 * A[1] * B[1] + A[0] * B[2],
            A[3] * B[0] + 3 * A[2] * B[1] + 3 * A[1] * B[2] + A[0] * B[3]},
      .r = f.r};
  return jet_tight(h);
}

// The least value.
static inline double jet_least(jet f) {
  return f.c[0] - f.r * (fabs(f.c[1]) + f.r / 2 * (fabs(f.c[2]) + f.r / 3 * f.M[3]));
}

// The root of f, which is at least `low` > 0: h h' = f' / 2, ...
static inline jet jet_root(jet f, double low) {
  double h = sqrt(f.c[0]), l = sqrt(low);
  jet g = {.c = {h, f.c[1] / (2 * h), 0}, .r = f.r};
  g.c[2] = (f.c[2] / 2 - g.c[1] * g.c[1]) / h;
  g.M[0] = sqrt(f.M[0]);
  g.M[1] = f.M[1] / (2 * l);
  g.M[2] = (f.M[2] / 2 + g.M[1] * g.M[1]) / l;
  g.M[3] = (f.M[3] / 2 + 3 * g.M[1] * g.M[2]) / l;
  return jet_tight(g);
}

#endif
