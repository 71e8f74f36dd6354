// SPDX-License-Identifier: Apache-2.0
// Closest points of two convex shapes.

#include <math.h>
#include <string.h>

#include "convex/pair.h"
#include "convex/precise.h"

// 2 to the -53 is half a unit in the last place. A support value is three products and a rotated,
// moved point of as many: 18 roundings cover it, and the radii.
static const double rounding = 18 * 1.1102230246251565e-16;

static bool finite_pose(const ap_pose *p) {
  for (int i = 0; i < 9; i++)
    if (!isfinite(p->R[i])) return false;
  return isfinite(p->p[0]) && isfinite(p->p[1]) && isfinite(p->p[2]);
}

static double extent(const ap_convex *s) {
  return s->kind == AP_CONVEX_HALF_SPACE ? 0 : norm3(s->centre) + s->reach;
}

// B in A's frame: where both are far away, their difference is not.
static ap__pair relative(const ap_convex *a, const ap_pose *pa, const ap_convex *b,
                         const ap_pose *pb) {
  ap__pair pair = {.a = a, .b = b};
  double d[3];
  difference3(pb->p, pa->p, d);
  turn_back3(pa->R, d, pair.p);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      pair.R[3 * i + j] =
          pa->R[i] * pb->R[j] + pa->R[3 + i] * pb->R[3 + j] + pa->R[6 + i] * pb->R[6 + j];
  pair.size = extent(a) + extent(b) + norm3(pair.p);
  return pair;
}

// Two points or segments that touch: the difference is flat, and its normal parts them.
static void flat_touch(ap__pair *pair, ap__bracket *best) {
  const double z[3] = {0, 0, 1}, beside[3] = {pair->R[2], pair->R[5], pair->R[8]};
  const bool long_a = pair->a->half[2] > 0, long_b = pair->b->half[2] > 0;
  double n[3] = {0, 0, 1};
  ap__corner w;
  if (long_a && long_b) precise_cross3(z, beside, n);
  if (!(long_a && long_b && unit3(n)))
    perpendicular3(long_a ? z : long_b ? beside : (double[3]){0, 0, 0}, n);
  ap__pair_try(pair, n, &w, best);
}

static void sum_up(const ap__bracket *best, double a[3], double b[3]) {
  for (int m = 0; m < 3; m++) {
    a[m] = b[m] = 0;
    for (int i = 0; i < best->k; i++) {
      a[m] += best->lambda[i] * best->s[i].a[m];
      b[m] += best->lambda[i] * best->s[i].b[m];
    }
  }
}

static int distinct(const ap__bracket *best, bool of_b, int vertex[3]) {
  int n = 0;
  for (int i = 0; i < best->k && i < 3; i++) {
    const int v = of_b ? best->s[i].ib : best->s[i].ia;
    bool known = best->lambda[i] == 0;
    for (int j = 0; j < n; j++) known = known || vertex[j] == v;
    if (!known) vertex[n++] = v;
  }
  return n;
}

static void place(const ap_pose *p, const double x[3], double y[3]) {
  turn3(p->R, x, y);
  for (int i = 0; i < 3; i++) y[i] += p->p[i];
}

// From A's frame and cores to the shapes and all frames.
static void finish(const ap__pair *pair, const ap_pose *pa, const ap_pose *pb,
                   const ap__bracket *best, ap_closest *c) {
  const double ra = ap__core_radius(pair->a), rb = ap__core_radius(pair->b), *n = best->n;
  double a[3], b[3], back[3], d[3];
  int vertex[3];
  c->distance = best->lower - ra - rb;
  c->rounding = rounding * pair->size;
  c->error = fmax(best->upper - best->lower, 0) + c->rounding;
  c->steps = pair->steps;
  turn3(pa->R, n, c->normal);
  turn_back3(pair->R, n, d);
  for (int i = 0; i < 3; i++) back[i] = -d[i];
  sum_up(best, a, b);
  c->a = ap__feature_of(pair->a, vertex, distinct(best, false, vertex), n);
  c->b = ap__feature_of(pair->b, vertex, distinct(best, true, vertex), back);
  for (int i = 0; i < 3; i++) {
    c->on_a[i] = a[i] + ra * n[i];
    b[i] -= rb * n[i] + pair->p[i];
  }
  turn_back3(pair->R, b, c->on_b);
  place(pa, c->on_a, c->point_a);
  place(pb, c->on_b, c->point_b);
}

// A half-space A: the lowest point of B.
static void over_plane(ap__pair *pair, ap__bracket *best) {
  const double n[3] = {0, 0, 1};
  ap__corner *w = &best->s[0];
  *best = (ap__bracket){.lower = -INFINITY, .k = 1, .lambda = {1}};
  ap__pair_try(pair, n, w, best);
  best->upper = best->lower;
  w->a[0] = w->b[0];
  w->a[1] = w->b[1];
}

static void exchange(ap_closest *c) {
  const ap_closest d = *c;
  c->a = d.b;
  c->b = d.a;
  memcpy(c->on_a, d.on_b, sizeof c->on_a);
  memcpy(c->on_b, d.on_a, sizeof c->on_b);
  memcpy(c->point_a, d.point_b, sizeof c->point_a);
  memcpy(c->point_b, d.point_a, sizeof c->point_b);
  for (int i = 0; i < 3; i++) c->normal[i] = -d.normal[i];
}

ap_status ap_convex_distance(const ap_convex *a, const ap_pose *pa, const ap_convex *b,
                             const ap_pose *pb, ap_closest *closest) {
  ap__bracket best;
  if (!finite_pose(pa) || !finite_pose(pb)) return AP_E_ARG;
  if (b->kind == AP_CONVEX_HALF_SPACE) {
    if (a->kind == AP_CONVEX_HALF_SPACE) return AP_E_UNSUPPORTED;
    const ap_status status = ap_convex_distance(b, pb, a, pa, closest);
    if (!status) exchange(closest);
    return status;
  }
  ap__pair pair = relative(a, pa, b, pb);
  if (a->kind == AP_CONVEX_HALF_SPACE) {
    over_plane(&pair, &best);
  } else {
    ap__separation(&pair, &best);
    const bool thin = ap__core_thin(a) && ap__core_thin(b);
    if (thin && best.overlap) flat_touch(&pair, &best);
    if (!thin && (best.overlap || best.upper - best.lower > rounding * pair.size))
      ap__penetration(&pair, &best);
  }
  finish(&pair, pa, pb, &best, closest);
  return AP_OK;
}
