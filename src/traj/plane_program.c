// SPDX-License-Identifier: Apache-2.0
// Seidel's algorithm in two dimensions. The optimum of the first k rows either satisfies row k and
// stays, or the new one lies on the line of row k, where the rows before leave an interval.

#include "traj/plane_program.h"

#include <math.h>

static const double ROUNDING = 1e-12;

static bool holds(const ap__half_plane *r, const double x[2]) {
  const double a = r->u * x[0], b = r->v * x[1];
  return a + b - r->w <= ROUNDING * (fabs(a) + fabs(b) + fabs(r->w));
}

// An interval of the parameter z of a line.
typedef struct span {
  double low, high;
} span;

// What rate * z <= room leaves of it, terms being the size of what room was computed from.
static bool cut(span *s, double rate, double size, double room, double terms) {
  if (fabs(rate) <= ROUNDING * size) return room >= -ROUNDING * terms; // parallel
  const double z = room / rate;
  if (rate > 0)
    s->high = fmin(s->high, z);
  else
    s->low = fmax(s->low, z);
  return true;
}

// The best point on the line of row k that the rows before it allow. With p the point of the line
// nearest to the origin and d its direction, x = p + z d.
static bool on_line(const ap__half_plane *row, int k, double sign, double x[2]) {
  const ap__half_plane *r = &row[k];
  const double square = r->u * r->u + r->v * r->v, length = sqrt(square);
  if (!(length > 0)) return false; // 0 <= w does not hold
  const double p[2] = {r->u * r->w / square, r->v * r->w / square};
  const double d[2] = {-r->v / length, r->u / length};
  span s = {-AP__PLANE_FAR, AP__PLANE_FAR};
  for (int h = 0; h < k; h++) {
    const ap__half_plane *o = &row[h];
    const double a = o->u * p[0], b = o->v * p[1];
    if (!cut(&s, o->u * d[0] + o->v * d[1], fabs(o->u) + fabs(o->v), o->w - a - b,
             fabs(a) + fabs(b) + fabs(o->w)))
      return false;
  }
  if (s.low > s.high) {
    const double size = fmax(fabs(s.low), fabs(s.high)) + hypot(p[0], p[1]);
    if (s.low - s.high > ROUNDING * size) return false;
    s.low = s.high = 0.5 * (s.low + s.high);
  }
  const double climb = sign * d[1];
  double z = climb > 0 ? s.high : s.low;
  if (climb == 0) z = fmin(fmax(0, s.low), s.high);
  x[0] = p[0] + z * d[0], x[1] = p[1] + z * d[1];
  return true;
}

bool ap__plane_extreme(const ap__half_plane *row, int n, double sign, double x[2]) {
  x[0] = 0, x[1] = sign * AP__PLANE_FAR;
  for (int k = 0; k < n; k++)
    if (!holds(&row[k], x) && !on_line(row, k, sign, x)) return false;
  return true;
}

bool ap__plane_slice(const ap__half_plane *row, int n, double x1, double *low, double *high) {
  span s = {-AP__PLANE_FAR, AP__PLANE_FAR};
  bool possible = true;
  for (int k = 0; k < n; k++) {
    const double b = row[k].v * x1;
    possible &= cut(&s, row[k].u, fabs(row[k].u), row[k].w - b, fabs(b) + fabs(row[k].w));
  }
  *low = s.low, *high = s.high;
  return possible && s.low <= s.high;
}
