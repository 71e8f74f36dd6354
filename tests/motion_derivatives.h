// SPDX-License-Identifier: Apache-2.0
// Derivatives along a motion by central differences, with their bounds.

#ifndef AP_TESTS_MOTION_DERIVATIVES_H
#define AP_TESTS_MOTION_DERIVATIVES_H

#include <appell/kin.h>

#include "models.h"
#include "oracle.h"

// Slopes along the motion: f'(0) for f(t) at q(t) = integrate(q, t v), v(t) = v + t a, by
//   (f(-2h) - 8 f(-h) + 8 f(h) - f(2h)) / 12 h,   error <= h^4/30 max |f^(5)|.
// What is differentiated here is at most quadratic in rotations that turn with W (the angular rates
// summed along the chain) and polynomial in sliding and in v(t), at rates of 2 at most in units of
// the link length; so |f^(5)| <= rate^5 scale, rate = 2 W + 8. With h = 1/(K rate) that is
// rate scale / (30 K^4); rounding adds 3/2 K rate times the error of one f. K = 300 makes both
// small: 4e-12 and a few times 1e-11, relative to rate scale.
enum { SLOPE_K = 300 };

static inline double state_rate(oracle *o, const motion *s) {
  num W = 0;
  oracle_move(o, s->q, s->v, s->a);
  for (int k = 0; k < o->def->nbody; k++) W = fmaxl(W, o->body[k].W);
  return 2 * (double)W + 8;
}

static inline double slope_bound(double rate, double scale, double error) {
  return rate * (scale / (30 * pow(SLOPE_K, 4)) + 1.5 * SLOPE_K * error);
}

typedef void quantity(const test_robot *r, const double *q, const double *v, double *f);

static inline void slope_of(quantity *f, const test_robot *r, const motion *s, double rate, int n,
                            double *slope) {
  static double value[ROBOT_V * ROBOT_V];
  static const double weight[] = {1, -8, 0, 8, -1};
  double h = 1 / (SLOPE_K * rate);
  memset(slope, 0, (size_t)n * sizeof *slope);
  for (int k = -2; k <= 2; k++) {
    double step[ROBOT_V], q[ROBOT_Q], v[ROBOT_V];
    if (k == 0) continue;
    for (int i = 0; i < ap_nv(r->m); i++) {
      step[i] = k * h * s->v[i];
      v[i] = s->v[i] + k * h * s->a[i];
    }
    ap_integrate(r->m, s->q, step, q);
    f(r, q, v, value);
    for (int i = 0; i < n; i++) slope[i] += weight[k + 2] * value[i] / (12 * h);
  }
}

#endif
