// SPDX-License-Identifier: Apache-2.0
#include "sim/edges.h"

#include <math.h>
#include <string.h>

#include "num/vec3.h"
#include "sim/jet.h"
#include "sim/rim_pairs.h"
#include "sim/rims.h"
#include "sim/round_edges.h"

// ---- a pair ------------------------------------------------------------------------------------

void ap__edges_axes(const double z[3], double axes[3][3]) {
  double *x = axes[0];
  int low = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(z[k]) < fabs(z[low])) low = k;
  const double unit[3] = {low == 0, low == 1, low == 2};
  memcpy(axes[2], z, sizeof axes[2]);
  cross3(axes[2], unit, x);
  double size = norm3(x);
  for (int k = 0; k < 3; k++) x[k] /= size;
  cross3(axes[2], x, axes[1]);
}

void ap__edges_make(const ap_solid *a, int i, const ap_solid *b, int j, double side, ap_edges *e) {
  const solid_edge *ea = &a->edge[i], *eb = &b->edge[j];
  *e = (ap_edges){.length = {ea->length, eb->length},
                  .faces_a = ea->face[0] >= 0 || ea->face[1] >= 0,
                  .faces_b = eb->face[0] >= 0 || eb->face[1] >= 0,
                  .endless = eb->endless,
                  .side = side,
                  .radius = a->radius + b->radius,
                  .own = a->radius,
                  .parallel = AP__EDGES_PARALLEL};
  for (int k = 0; k < 2; k++) memcpy(e->a[k], a->corner[ea->corner[k]], sizeof e->a[k]);
  memcpy(e->origin, b->corner[eb->corner[0]], sizeof e->origin);
  const double *x = e->axes[0], *y = e->axes[1];
  ap__edges_axes(eb->d, e->axes);
  for (int k = 0; k < 2; k++) {
    for (int c = 0; c < 3; c++) e->beside_a[k][c] = e->a[0][c] + ea->length * ea->inward[k][c];
    e->beside_b[k][0] = eb->length * dot3(x, eb->inward[k]);
    e->beside_b[k][1] = eb->length * dot3(y, eb->inward[k]);
  }
}

int ap__edges_limits(const ap_edges *e) {
  if (ap__edges_round(e)) return ap__round_limits(e);
  if (ap__edges_rims(e)) return ap__rims_limits(e);
  return e->kind == AP__EDGES_TWO ? 5 + 2 * e->faces_b + 2 * e->faces_a : 1;
}

// All that F and G are made of.
typedef struct parts {
  jet p[3], D[3]; // of the first end along x, y, z; to the second one
  jet N[2];
  jet square; // |D|^2 along x and y
} parts;

static parts parts_of(const ap_edges *e, const ap_edges_way *way) {
  parts s;
  for (int k = 0; k < 3; k++) {
    s.p[k] = jet_part(e->axes[k], e->origin, &way->end[0]);
    s.D[k] = jet_mix(1, jet_part(e->axes[k], e->origin, &way->end[1]), -1, s.p[k]);
  }
  s.N[0] = jet_mix(-e->side, s.D[1], 0, s.D[1]);
  s.N[1] = jet_mix(e->side, s.D[0], 0, s.D[0]);
  s.square = jet_mix(1, jet_times(s.D[0], s.D[0]), 1, jet_times(s.D[1], s.D[1]));
  return s;
}

static jet plane_dot(const jet a[2], const jet b[2]) {
  return jet_mix(1, jet_times(a[0], b[0]), 1, jet_times(a[1], b[1]));
}

static void set(jet f, ap_gap_bound *g) {
  memcpy(g->f, f.c, sizeof g->f);
  g->third = f.M[3];
  g->steep = g->slope = 1;
}

bool ap__edges_bound(const ap_edges *e, const ap_edges_way *way, ap_gap_bound *g, bool *parallel) {
  if (ap__edges_round(e)) return ap__round_bound(e, way, g, parallel);
  if (ap__edges_rims(e)) return ap__rims_bound(e, way, g, parallel);
  if (e->kind != AP__EDGES_TWO) return ap__rim_bound(e, way, g, parallel);
  parts s = parts_of(e, way);
  double l = e->length[0], none = l * l * e->parallel * e->parallel;
  double low = jet_least(s.square);
  *parallel = s.square.M[0] < none;
  if (*parallel || !(low > 0.25 * none)) return false;
  jet f = jet_mix(1 / l, plane_dot(s.N, s.p), 0, s.p[0]);
  if (e->radius > 0) f = jet_mix(1, f, -e->radius / l, jet_root(s.square, low));
  set(f, g);
  g->steep = sqrt(low) / l;
  g->slope = sqrt(s.square.c[0]) / l;
  return true;
}

static jet limit_of(const ap_edges *e, const ap_edges_way *way, const parts *s, int limit) {
  double l = e->length[0], r = way->end[0].r;
  if (limit == ap__edges_limits(e) - 1) {
    double none = l * e->parallel;
    return jet_mix(l / (2 * none * none), s->square, -l / 2, jet_number(1, r));
  }
  if (limit == 0) return jet_mix(-1 / l, plane_dot(s->p, s->D), 0, s->p[0]);
  if (limit == 1)
    return jet_mix(1 / l, jet_mix(1, s->square, 1, plane_dot(s->p, s->D)), 0, s->p[0]);
  if (limit < 4 && e->endless) return jet_number(l, r);
  if (limit < 4) {
    jet z = jet_mix(
        1 / (l * l),
        jet_mix(1, jet_times(s->p[2], s->square), -1, jet_times(plane_dot(s->p, s->D), s->D[2])), 0,
        s->p[0]);
    return limit == 2 ? z : jet_mix(e->length[1] / (l * l), s->square, -1, z);
  }
  int k = (limit - 4) % 2;
  if (e->faces_b && limit < 6) {
    const jet t[2] = {jet_number(e->beside_b[k][0], r), jet_number(e->beside_b[k][1], r)};
    return jet_mix(-1 / l, plane_dot(s->N, t), 0, t[0]);
  }
  jet t[2];
  for (int c = 0; c < 2; c++)
    t[c] = jet_mix(1, jet_part(e->axes[c], e->origin, &way->step[k]), -1, s->p[c]);
  return jet_mix(1 / l, plane_dot(s->N, t), 0, t[0]);
}

void ap__edges_limit_bound(const ap_edges *e, const ap_edges_way *way, int limit, double beyond,
                           ap_gap_bound *g) {
  if (ap__edges_round(e)) {
    ap__round_limit_bound(e, way, limit, beyond, g);
    return;
  }
  if (e->kind != AP__EDGES_TWO) {
    if (ap__edges_rims(e))
      ap__rims_limit_bound(e, way, limit, g);
    else
      ap__rim_limit_bound(e, way, g);
    g->f[0] += beyond;
    return;
  }
  parts s = parts_of(e, way);
  jet one = jet_number(1, s.square.r),
      slope = jet_mix(1 / (e->length[0] * e->length[0]), s.square, 0, one);
  set(jet_mix(1, limit_of(e, way, &s, limit), beyond, limit < 4 ? slope : one), g);
}

double ap__edges_within(const ap_edges *e, const ap_edges_way *way) {
  if (ap__edges_round(e)) return ap__round_within(e, way);
  if (ap__edges_rims(e)) return ap__rims_within(e, way);
  if (e->kind != AP__EDGES_TWO) return ap__rim_within(e, way);
  parts s = parts_of(e, way);
  double square = s.square.c[0], l = e->length[0], least = INFINITY;
  if (!(square > l * l * e->parallel * e->parallel)) return -INFINITY;
  for (int k = 0; k < ap__edges_limits(e) - 1; k++) {
    double scale = k < 4 ? l * l / square : l / sqrt(square);
    least = fmin(least, scale * limit_of(e, way, &s, k).c[0]);
  }
  return least;
}

void ap__edges_place(const ap_edges *e, const ap_edges_way *way, ap_edges_place *place) {
  if (ap__edges_round(e)) {
    ap__round_place(e, way, place);
    return;
  }
  if (ap__edges_rims(e)) {
    ap__rims_place(e, way, place);
    return;
  }
  if (e->kind != AP__EDGES_TWO) {
    ap__rim_place(e, way, place);
    return;
  }
  parts s = parts_of(e, way);
  double size = sqrt(s.square.c[0]);
  if (!(size > 0)) {
    *place = (ap_edges_place){.distance = INFINITY};
    return;
  }
  const double h[3] = {
      size, s.square.c[1] / (2 * size),
      (s.square.c[2] / 2 - s.square.c[1] * s.square.c[1] / (4 * size * size)) / size};
  jet D = plane_dot(s.N, s.p), along = plane_dot(s.p, s.D);
  double g = D.c[0] / h[0], dg = (D.c[1] - g * h[1]) / h[0];
  place->distance = g - e->radius;
  place->rate = dg;
  place->bend = (D.c[2] - 2 * dg * h[1] - g * h[2]) / h[0];
  place->slope = size / e->length[0];
  double part = -along.c[0] / s.square.c[0];
  double glides = -(along.c[1] + part * s.square.c[1]) / s.square.c[0];
  if (!(part >= 0 && part <= 1)) { // they do not touch: lines that are nearly parallel meet far off
    part = part > 0.5 ? 1 : 0;
    glides = 0;
  }
  double n[2] = {s.N[0].c[0] / size, s.N[1].c[0] / size};
  double dn[2] = {(s.N[0].c[1] - n[0] * h[1]) / size, (s.N[1].c[1] - n[1] * h[1]) / size};
  const ap_way *a = &way->end[0], *b = &way->end[1];
  for (int k = 0; k < 3; k++) {
    const double x = e->axes[0][k], y = e->axes[1][k];
    place->normal[k] = n[0] * x + n[1] * y;
    double turns = dn[0] * x + dn[1] * y;
    place->point[k] = a->p[k] + part * (b->p[k] - a->p[k]) - e->own * place->normal[k];
    place->moves[k] =
        a->v[k] + part * (b->v[k] - a->v[k]) + glides * (b->p[k] - a->p[k]) - e->own * turns;
  }
}
