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

// A bound of derivative `order` of a coordinate over a whole piece, as a function of what its
// coefficients are about: the sum of what its terms reach.
static double most_of_terms(const ap_piece *p, int j, int order) {
  const double *c = p->coefficient + (size_t)j * (size_t)p->stride;
  const double end = p->along ? p->length : p->duration;
  double sum = 0;
  if (p->kind == PIECE_FOURIER) {
    if (order == 0) sum = fabs(c[0]);
    for (int l = 1; l <= p->harmonics; l++)
      sum += pow(l * p->frequency, order) * hypot(c[2 * l - 1], c[2 * l]);
    return sum;
  }
  for (int k = order; k < AP__POWERS; k++) {
    double factor = 1;
    for (int i = 0; i < order; i++) factor *= k - i;
    sum += factor * fabs(c[k]) * pow(end, k - order);
  }
  return sum;
}

// A bound of derivative `order`, up to 4, by the time. Along a path, with r = s' and u = s'' (which
// is constant), the derivatives of q(s(t)) are
//   q' r,  q'' r2 + q' u,  q''' r3 + 3 q'' r u,  q'''' r4 + 6 q''' r2 u + 3 q'' u2.
static double most_of(const ap_piece *p, int j, int order) {
  if (!p->along || order == 0) return most_of_terms(p, j, order);
  const double u = 2 * fabs(p->way[2]);
  const double r = fmax(fabs(p->way[1]), fabs(p->way[1] + 2 * p->way[2] * p->duration));
  const double first = most_of_terms(p, j, 1), second = most_of_terms(p, j, 2);
  if (order == 1) return first * r;
  if (order == 2) return second * r * r + first * u;
  const double third = most_of_terms(p, j, 3);
  if (order == 3) return third * r * r * r + 3 * second * r * u;
  return most_of_terms(p, j, 4) * r * r * r * r + 6 * third * r * r * u + 3 * second * u * u;
}

typedef struct span {
  double low, high, at_low, at_high;
} span;

// The largest value of sign * x in a piece. Between two times that lie h apart, x stays below the
// larger of its values there and K h^2 / 8, where K bounds its second derivative. Spans in which
// that is more than 1e-14 of the size of x above the largest value seen are halved; close to a top
// they need not be short, so there are few. Infinite where a value is too large for a number.
static double top_of_piece(const ap_piece *p, int j, int order, double sign) {
  enum { DEPTH = 60 };
  span stack[DEPTH + 2];
  int n = 0;
  double end = p->duration;
  if (p->kind == PIECE_FOURIER && !p->along)
    end = fmin(end, 2 * acos(-1.0) / p->frequency); // then it repeats
  const double K = most_of(p, j, order + 2), spare = 1e-14 * most_of(p, j, order);
  const double first = sign * derivative(p, j, order, 0),
               last = sign * derivative(p, j, order, end);
  double most = fmax(first, last);
  if (!isfinite(first) || !isfinite(last) || !isfinite(K)) return INFINITY;
  stack[n++] = (span){0, end, first, last};
  while (n > 0) {
    const span x = stack[--n];
    const double h = x.high - x.low;
    if (fmax(x.at_low, x.at_high) + K * h * h / 8 <= most + spare || n >= DEPTH) continue;
    const double middle = x.low + h / 2, here = sign * derivative(p, j, order, middle);
    if (!isfinite(here)) return INFINITY;
    most = fmax(most, here);
    stack[n++] = (span){x.low, middle, x.at_low, here};
    stack[n++] = (span){middle, x.high, here, x.at_high};
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
