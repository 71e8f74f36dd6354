// SPDX-License-Identifier: Apache-2.0
#include "sim/rims.h"

#include <math.h>
#include <string.h>

#include "num/vec3.h"
#include "sim/jet.h"

void ap__rim_make(const ap_solid *a, int i, int pair, const double n[3], const double at[3],
                  ap_edges *e) {
  *e = (ap_edges){.kind = pair == 0 ? AP__EDGES_RIM : AP__EDGES_STANDS,
                  .length = {a->ring, a->ring * AP__RIM_FLAT},
                  .faces_a = true}; // steps are asked for
  int place = pair == 0 || pair >= AP__RIM_PUT ? 0 : pair - 1;
  for (int k = 0; k < 3; k++) {
    e->a[0][k] = a->rim[i][k];
    e->a[1][k] = a->ring * a->axis[k];
    for (int s = 0; s < 2; s++)
      e->beside_a[s][k] = pair == 0 ? e->a[0][k] : a->corner[AP__RIM_POINTS * i + place][k];
  }
  memcpy(e->origin, at, sizeof e->origin);
  ap__edges_axes(n, e->axes);
}

void ap__rim_put(ap_edges *e, const double direction[3]) {
  const double r = e->length[0], *d = e->a[1];
  double across[3] = {direction[0], direction[1], direction[2]};
  for (int again = 0; again < 2; again++) { // twice: next to nothing of it may be across
    double part = dot3(across, d) / (r * r);
    for (int k = 0; k < 3; k++) across[k] -= part * d[k];
  }
  double size = norm3(across);
  for (int k = 0; k < 3 && size > 0; k++)
    e->beside_a[0][k] = e->beside_a[1][k] = e->a[0][k] + r / size * across[k];
}

// All that F and G are made of.
typedef struct parts {
  jet height; // of the centre
  jet D[2];   // along x and y
  jet square; // |D|^2
} parts;

static parts parts_of(const ap_edges *e, const ap_edges_way *way) {
  static const double none[3] = {0};
  parts s = {.height = jet_part(e->axes[2], e->origin, &way->end[0])};
  for (int k = 0; k < 2; k++) s.D[k] = jet_part(e->axes[k], none, &way->end[1]);
  s.square = jet_mix(1, jet_times(s.D[0], s.D[0]), 1, jet_times(s.D[1], s.D[1]));
  return s;
}

// |D|^2 where a rim ceases to have a lowest place, and where a place ceases to carry.
static double flat_square(const ap_edges *e) {
  double flat = e->length[1];
  return (e->kind == AP__EDGES_RIM ? 1 : 4) * flat * flat;
}

static void set(jet f, ap_gap_bound *g) {
  memcpy(g->f, f.c, sizeof g->f);
  g->third = f.M[3];
  g->steep = g->slope = 1;
}

bool ap__rim_bound(const ap_edges *e, const ap_edges_way *way, ap_gap_bound *g, bool *flat) {
  *flat = false;
  if (e->kind == AP__EDGES_STANDS) {
    set(jet_part(e->axes[2], e->origin, &way->step[0]), g);
    return true;
  }
  parts s = parts_of(e, way);
  double low = jet_least(s.square);
  *flat = s.square.M[0] < flat_square(e);
  if (*flat || !(low > 0.25 * flat_square(e))) return false;
  set(jet_mix(1, s.height, -1, jet_root(s.square, low)), g);
  return true;
}

// G = (|D|^2 - flat^2) / 2 flat of a rim, and less that of a place that carries.
static jet limit_of(const ap_edges *e, const parts *s) {
  double square = flat_square(e), half = (e->kind == AP__EDGES_RIM ? 0.5 : -0.5) / sqrt(square);
  return jet_mix(half, s->square, -half * square, jet_number(1, s->square.r));
}

void ap__rim_limit_bound(const ap_edges *e, const ap_edges_way *way, ap_gap_bound *g) {
  parts s = parts_of(e, way);
  set(limit_of(e, &s), g);
}

double ap__rim_within(const ap_edges *e, const ap_edges_way *way) {
  parts s = parts_of(e, way);
  return limit_of(e, &s).c[0];
}

void ap__rim_place(const ap_edges *e, const ap_edges_way *way, ap_edges_place *place) {
  const ap_way *from = e->kind == AP__EDGES_STANDS ? &way->step[0] : &way->end[0];
  parts s = parts_of(e, way);
  jet f = jet_part(e->axes[2], e->origin, from);
  double size = sqrt(s.square.c[0]);
  *place = (ap_edges_place){.distance = f.c[0], .rate = f.c[1], .bend = f.c[2], .slope = 1};
  memcpy(place->normal, e->axes[2], sizeof place->normal);
  memcpy(place->point, from->p, sizeof place->point);
  memcpy(place->moves, from->v, sizeof place->moves);
  if (e->kind == AP__EDGES_STANDS || !(size > 0)) return;
  const double rate = s.square.c[1] / (2 * size), bend = (s.square.c[2] / 2 - rate * rate) / size;
  const double *z = e->axes[2], up = dot3(z, way->end[1].p), rises = dot3(z, way->end[1].v);
  place->distance -= size;
  place->rate -= rate;
  place->bend -= bend;
  for (int c = 0; c < 2; c++) {
    double u = s.D[c].c[0] / size, turns = (s.D[c].c[1] - u * rate) / size;
    for (int k = 0; k < 3; k++) {
      place->point[k] += up * u * e->axes[c][k];
      place->moves[k] += (rises * u + up * turns) * e->axes[c][k];
    }
  }
  for (int k = 0; k < 3; k++) {
    place->point[k] -= size * z[k];
    place->moves[k] -= rate * z[k];
  }
}
