// SPDX-License-Identifier: Apache-2.0
// What a trajectory reaches, and whether that is allowed.

#include <math.h>

#include "traj/traj.h"

// Derivative `order` of coordinate j, t after the start of a piece.
static double derivative(const ap_piece *p, int j, int order, double t) {
  double x[3];
  ap__piece_at(p, j, t, x);
  return x[order];
}

// The largest value of sign * x between low and high, where it has one top: golden section.
static double top_between(const ap_piece *p, int j, int order, double sign, double low,
                          double high) {
  const double golden = 0.6180339887498949;
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double at_a = sign * derivative(p, j, order, a), at_b = sign * derivative(p, j, order, b);
  for (int k = 0; k < 30; k++) { // the top is flat: 1e-6 of the interval is 1e-12 of the value
    if (at_a > at_b) {
      high = b, b = a, at_b = at_a;
      a = high - golden * (high - low), at_a = sign * derivative(p, j, order, a);
    } else {
      low = a, a = b, at_a = at_b;
      b = low + golden * (high - low), at_b = sign * derivative(p, j, order, b);
    }
  }
  return fmax(at_a, at_b);
}

// The largest value of sign * x in a piece: between samples that lie close enough to tell its tops
// apart (a polynomial of degree five has four, a series two for each harmonic), then refined.
// Infinite where a sample is too large for a number.
static double top_of_piece(const ap_piece *p, int j, int order, double sign) {
  int samples = 64;
  if (p->kind == PIECE_FOURIER) {
    double turns = p->duration * p->frequency / 6.28 * p->harmonics;
    samples = turns < 1e5 ? 64 + (int)(16 * turns) : 1600064;
  }
  double step = p->duration / samples, most = -INFINITY;
  double before = -INFINITY, here = sign * derivative(p, j, order, 0);
  for (int k = 0; k <= samples; k++) {
    double after = k < samples ? sign * derivative(p, j, order, (k + 1) * step) : -INFINITY;
    if (!isfinite(here)) return INFINITY;
    if (here > most) most = here;
    if (here >= before && here >= after) {
      double low = fmax(0, (k - 1) * step), high = fmin(p->duration, (k + 1) * step);
      most = fmax(most, top_between(p, j, order, sign, low, high));
    }
    before = here, here = after;
  }
  return most;
}

static double top(const ap_traj *traj, int j, int order, double sign) {
  double most = -INFINITY;
  for (int k = 0; k < traj->count; k++)
    most = fmax(most, top_of_piece(&traj->piece[k], j, order, sign));
  return most;
}

ap_traj_reach ap_traj_reach_of(const ap_traj *traj, int j) {
  return (ap_traj_reach){.lower = -top(traj, j, 0, -1),
                         .upper = top(traj, j, 0, 1),
                         .velocity = fmax(top(traj, j, 1, 1), top(traj, j, 1, -1)),
                         .acceleration = fmax(top(traj, j, 2, 1), top(traj, j, 2, -1))};
}

static double limit_of(const double *limit, int j, double none) { return limit ? limit[j] : none; }

ap_status ap_traj_check(const ap_traj *traj, const ap_traj_limits *limits, const char *const *names,
                        ap_error *error) {
  for (int j = 0; j < traj->n; j++) {
    ap_traj_reach x = ap_traj_reach_of(traj, j);
    const struct {
      const char *what;
      double value, limit, sign;
    } test[] = {
        {"least position", x.lower, limit_of(limits->lower, j, -INFINITY), -1},
        {"largest position", x.upper, limit_of(limits->upper, j, INFINITY), 1},
        {"largest speed", x.velocity, limit_of(limits->velocity, j, INFINITY), 1},
        {"largest acceleration", x.acceleration, limit_of(limits->acceleration, j, INFINITY), 1}};
    for (int k = 0; k < 4; k++) {
      if (isfinite(test[k].value) && test[k].sign * test[k].value <= test[k].sign * test[k].limit)
        continue;
      if (names)
        return AP__REFUSE(error, AP_E_ARG, 0, "the %s of '%s' is %.6g (the limit is %.6g)",
                          test[k].what, names[j], test[k].value, test[k].limit);
      return AP__REFUSE(error, AP_E_ARG, 0, "the %s of coordinate %d is %.6g (the limit is %.6g)",
                        test[k].what, j + 1, test[k].value, test[k].limit);
    }
  }
  return AP_OK;
}
