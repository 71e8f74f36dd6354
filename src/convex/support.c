// SPDX-License-Identifier: Apache-2.0
// Support points: the farthest ones of a shape along a direction.

#include <math.h>
#include <string.h>

#include "convex/hull.h"
#include "convex/pair.h"
#include "convex/precise.h"

static int hull_support(const ap_hull *h, const double d[3], double x[3]) {
  const double *restrict px = h->x[0], *restrict py = h->x[1], *restrict pz = h->x[2];
  int best = 0;
  double most = -INFINITY;
  for (int i = 0; i < h->corners; i++) {
    const double value = d[0] * px[i] + d[1] * py[i] + d[2] * pz[i];
    if (value > most) {
      most = value;
      best = i;
    }
  }
  memcpy(x, h->corner + 3 * (size_t)best, 3 * sizeof *x);
  return best;
}

// On a rim, or the middle of the disk where the direction is that of the axis. Of a frustum
// (convex/frustum.h) on the rim that is farther.
static int cylinder_support(const ap_convex *s, const double d[3], double x[3]) {
  const double across = hypot(d[0], d[1]);
  const bool low = 2 * s->half[2] * d[2] + (s->half[0] - s->half[1]) * across < 0;
  const double radius = s->radius - s->half[low ? 0 : 1];
  x[0] = across > 0 ? radius * (d[0] / across) : 0;
  x[1] = across > 0 ? radius * (d[1] / across) : 0;
  x[2] = low ? -s->half[2] : s->half[2];
  return -1;
}

int ap__core_support(const ap_convex *s, const double d[3], double x[3]) {
  int index = 0;
  switch (s->kind) {
    case AP_CONVEX_HULL: return hull_support(s->hull, d, x);
    case AP_CONVEX_CYLINDER: return cylinder_support(s, d, x);
    case AP_CONVEX_BOX:
      for (int i = 0; i < 3; i++) {
        x[i] = d[i] < 0 ? -s->half[i] : s->half[i];
        index |= (d[i] >= 0) << i;
      }
      return index;
    case AP_CONVEX_CAPSULE:
      x[0] = x[1] = 0;
      x[2] = d[2] < 0 ? -s->half[2] : s->half[2];
      return d[2] >= 0;
    case AP_CONVEX_SPHERE:
    case AP_CONVEX_HALF_SPACE: break;
  }
  x[0] = x[1] = x[2] = 0;
  return 0;
}

void ap__pair_support(ap__pair *pair, const double n[3], ap__corner *w) {
  const double back[3] = {-n[0], -n[1], -n[2]};
  double d[3], x[3];
  w->ia = ap__core_support(pair->a, n, w->a);
  turn_back3(pair->R, back, d);
  w->ib = ap__core_support(pair->b, d, x);
  turn3(pair->R, x, w->b);
  for (int i = 0; i < 3; i++) {
    w->b[i] += pair->p[i];
    w->z[i] = w->b[i] - w->a[i];
  }
  pair->steps++;
}

void ap__pair_try(ap__pair *pair, const double n[3], ap__corner *w, ap__bracket *best) {
  ap__pair_support(pair, n, w);
  const double s = dot3(n, w->z);
  if (!(s > best->lower)) return;
  best->lower = s;
  memcpy(best->n, n, sizeof best->n);
}
