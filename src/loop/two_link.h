// Vectors of the plane, and two links in it.

#ifndef AP_LOOP_TWO_LINK_H
#define AP_LOOP_TWO_LINK_H

#include <appell/base.h>

#include <math.h>

typedef struct vec2 {
  double x, y;
} vec2;

static inline vec2 vec2_of(const double *a) { return (vec2){a[0], a[1]}; }
static inline vec2 plus(vec2 a, vec2 b) { return (vec2){a.x + b.x, a.y + b.y}; }
static inline vec2 minus(vec2 a, vec2 b) { return (vec2){a.x - b.x, a.y - b.y}; }
static inline vec2 times(double k, vec2 a) { return (vec2){k * a.x, k * a.y}; }
static inline double inner(vec2 a, vec2 b) { return a.x * b.x + a.y * b.y; }
// a x b
static inline double outer(vec2 a, vec2 b) { return a.x * b.y - a.y * b.x; }
// a turned by a right angle
static inline vec2 across(vec2 a) { return (vec2){-a.y, a.x}; }
// The frame with the x axis `along`: of its components p, the vector.
static inline vec2 out_of(vec2 along, vec2 p) {
  return (vec2){along.x * p.x - along.y * p.y, along.y * p.x + along.x * p.y};
}
static inline bool vec2_is_finite(vec2 a) { return isfinite(a.x) && isfinite(a.y); }

// Directions u and w of two links, and sine and cosine of the angle from u to w.
typedef struct two_link {
  vec2 u, w;
  double s, c;
} two_link;

// The links l1 u + l2 w = d with the sign of s given. Where s^2 is within least^2 of zero they are
// stretched or folded (AP_E_SINGULAR_SERIAL), below that d is out of reach (AP_E_UNREACHABLE); *t
// is then zero.
//
//   s^2 = ((l1 + l2)^2 - d^2) (d^2 - (l1 - l2)^2) / (2 l1 l2)^2,  c = (d^2 - l1^2 - l2^2) / 2 l1
//   l2, d = (l1 + l2 e^(i psi)) u,  w = e^(i psi) u  in complex numbers
//
// The square is in factors: no digits cancel where the links are stretched.
static inline ap_status two_link_solve(vec2 d, double l1, double l2, double sign, double least,
                                       two_link *t) {
  double dd = inner(d, d), n = 1 / (2 * l1 * l2), sum = l1 + l2, rest = l1 - l2;
  double square = ((sum * sum - dd) * n) * ((dd - rest * rest) * n);
  *t = (two_link){{0, 0}, {0, 0}, 0, 0};
  if (!(square >= -least * least)) return AP_E_UNREACHABLE;
  if (square <= least * least) return AP_E_SINGULAR_SERIAL;
  t->s = copysign(sqrt(square), sign);
  t->c = (dd - l1 * l1 - l2 * l2) * n;
  double k = 1 / dd;
  vec2 turn = {(l1 + l2 * t->c) * k, -l2 * t->s * k};
  t->u = out_of(turn, d);
  t->w = out_of((vec2){t->c, t->s}, t->u);
  return AP_OK;
}

// What d may grow or shrink by before the links are stretched or folded.
static inline double two_link_reach(vec2 d, double l1, double l2) {
  double length = hypot(d.x, d.y);
  return fmin(l1 + l2 - length, length - fabs(l1 - l2));
}

#endif
