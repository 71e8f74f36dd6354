// SPDX-License-Identifier: Apache-2.0
#include "sim/rim_pairs.h"

#include <math.h>
#include <string.h>

#include "num/vec3.h"
#include "sim/jet.h"
#include "sim/rims.h"

void ap__rims_make(const ap_round_rim *a, const ap_round_rim *b, ap_edges_kind kind, double side,
                   ap_round *r, ap_edges *e) {
  double z[3], out_a = ap__round_outward(a), out_b = ap__round_outward(b);
  *r = (ap_round){.radius = b->radius};
  *e = (ap_edges){
      .kind = kind, .round = r, .length = {a->radius, a->radius * AP__RIM_FLAT}, .side = side};
  for (int k = 0; k < 3; k++) {
    e->a[0][k] = a->centre[k];
    e->a[1][k] = a->radius * out_a * a->axes[2][k];
    z[k] = out_b * b->axes[2][k];
    for (int s = 0; s < 2; s++) e->beside_a[s][k] = a->centre[k];
  }
  memcpy(e->origin, b->centre, sizeof e->origin);
  ap__edges_axes(z, e->axes);
}

int ap__rims_limits(const ap_edges *e) { return e->kind == AP__EDGES_LENS ? 3 : 6; }

// ---- jets --------------------------------------------------------------------------------------

static jet scaled(double a, jet f) { return jet_mix(a, f, 0, f); }
static jet minus(jet f, jet g) { return jet_mix(1, f, -1, g); }
static jet plus(jet f, jet g) { return jet_mix(1, f, 1, g); }
static jet square_of(jet f) { return jet_times(f, f); }
static double jet_most(jet f) { return -jet_least(scaled(-1, f)); }

// One over f, which is at least `low` > 0.
static jet inverse_of(jet f, double low) {
  double h = 1 / f.c[0], l = 1 / low, *M = f.M;
  jet g = {.r = f.r};
  g.c[0] = h;
  g.c[1] = -f.c[1] * h * h;
  g.c[2] = -f.c[2] * h * h + 2 * f.c[1] * f.c[1] * h * h * h;
  g.M[0] = l;
  g.M[1] = M[1] * l * l;
  g.M[2] = M[2] * l * l + 2 * M[1] * M[1] * l * l * l;
  g.M[3] = M[3] * l * l + 6 * M[1] * M[2] * l * l * l + 6 * M[1] * M[1] * M[1] * l * l * l * l;
  return jet_tight(g);
}

typedef struct parts {
  jet c[3], a[3], square;  // sigma^2
  double flat;             // of it
  bool is_flat, has_line;  // all along; the planes meet in a line all along
  jet over, one;           // 1 / sigma^2, 1 / sigma
  jet hB, WA, WB, uA, uB;  // k^2, and that of B's rim; both over (R sigma)^2
  bool none, known;        // the rims do not cross all along; k is known
  jet k, y, F, rise, N[3]; // rise: y h_A / k
  jet slope, X[3];
} parts;

static double flat_square(const ap_edges *e) {
  double flat = e->length[1] / e->length[0] * (e->kind == AP__EDGES_LENS ? 2 : 1);
  return flat * flat;
}

static void read_ways(const ap_edges *e, const ap_edges_way *way, parts *s) {
  static const double none[3] = {0};
  for (int k = 0; k < 3; k++) {
    s->c[k] = jet_part(e->axes[k], e->origin, &way->end[0]);
    s->a[k] = scaled(1 / e->length[0], jet_part(e->axes[k], none, &way->end[1]));
  }
  s->square = plus(square_of(s->a[0]), square_of(s->a[1]));
  s->flat = flat_square(e);
}

// Where A's rim crosses the plane of B.
static void cross_planes(const ap_edges *e, parts *s) {
  double A = e->length[0], B = e->round->radius, low = jet_least(s->square);
  s->is_flat = s->square.M[0] < s->flat;
  s->has_line = !s->is_flat && low > 0.25 * s->flat;
  if (!s->has_line) return;
  s->over = inverse_of(s->square, low);
  s->one = inverse_of(jet_root(s->square, low), sqrt(low));
  s->hB = plus(plus(jet_times(s->c[0], s->a[0]), jet_times(s->c[1], s->a[1])),
               jet_times(s->c[2], s->a[2]));
  s->WA = jet_mix(A * A, s->square, -1, square_of(s->c[2]));
  s->WB = jet_mix(B * B, s->square, -1, square_of(s->hB));
  jet unit = jet_number(1, s->square.r);
  s->uA = jet_mix(1, unit, -1 / (A * A), jet_times(square_of(s->c[2]), s->over));
  s->uB = jet_mix(1, unit, -1 / (B * B), jet_times(square_of(s->hB), s->over));
}

// What of k^2 / (R_A sigma)^2 is too little: where the last limit holds it is no less than a
// quarter of that limit's square, as A's is the larger one of both.
static const double TOO_LITTLE = AP__RIMS_TANGENT * AP__RIMS_TANGENT / 8;

static void cross_rims(const ap_edges *e, parts *s) {
  double o = e->side, A = e->length[0], B = e->round->radius, low = jet_least(s->uA);
  if (!s->has_line) return;
  s->none = jet_most(s->uA) < TOO_LITTLE;
  s->known = !s->none && low > 0.25 * TOO_LITTLE;
  if (!s->known) return;
  double least = fmax(jet_least(s->WA), 0.99 * low * A * A * jet_least(s->square));
  s->known = s->WA.c[0] > 0 && least > 0;
  if (!s->known) return;
  s->k = jet_root(s->WA, least);
  jet along = minus(jet_times(s->c[0], s->a[1]), jet_times(s->c[1], s->a[0]));
  s->y = jet_mix(o, along, -1, s->k);
  s->F = scaled(1 / (4 * B), jet_times(s->one, minus(square_of(s->y), s->WB)));
  s->rise = jet_times(s->y, jet_times(s->c[2], inverse_of(s->k, sqrt(least))));
  s->N[0] = plus(scaled(o, jet_times(s->y, s->a[1])), jet_times(s->hB, s->a[0]));
  s->N[1] = plus(scaled(-o, jet_times(s->y, s->a[0])), jet_times(s->hB, s->a[1]));
  s->N[2] = plus(s->rise, jet_times(s->hB, s->a[2]));
  for (int k = 0; k < 3; k++) s->N[k] = scaled(1 / (2 * B), jet_times(s->N[k], s->one));
  s->slope = plus(plus(square_of(s->N[0]), square_of(s->N[1])), square_of(s->N[2])); // its square
  jet out = jet_times(s->hB, s->over), side = scaled(o, jet_times(s->y, s->over));
  s->X[0] = plus(jet_times(out, s->a[0]), jet_times(side, s->a[1]));
  s->X[1] = minus(jet_times(out, s->a[1]), jet_times(side, s->a[0]));
  s->X[2] = jet_number(0, s->y.r);
}

// Where the rims cross in one plane.
static void cross_flat(const ap_edges *e, parts *s) {
  double A = e->length[0], B = e->round->radius, none = A * B * AP__RIMS_TANGENT;
  jet unit = jet_number(1, s->square.r);
  jet Q = plus(square_of(s->c[0]), square_of(s->c[1]));
  jet P = jet_mix(0.5, Q, 0.5 * (B - A) * (B + A), unit);
  s->WA = jet_mix(B * B, Q, -1, square_of(P)); // K^2
  double low = jet_least(s->WA), least = fmax(jet_least(Q), low / (B * B));
  s->none = jet_most(s->WA) < 0.5 * none * none;
  s->known = !s->none && low > 0.125 * none * none;
  if (!s->known) return;
  s->k = jet_root(s->WA, low);
  jet over = inverse_of(Q, least);
  jet along = jet_times(P, over), side = scaled(e->side, jet_times(s->k, over));
  s->X[0] = minus(jet_times(along, s->c[0]), jet_times(side, s->c[1]));
  s->X[1] = plus(jet_times(along, s->c[1]), jet_times(side, s->c[0]));
  jet lean = plus(jet_times(s->a[0], minus(s->c[0], s->X[0])),
                  jet_times(s->a[1], minus(s->c[1], s->X[1])));
  s->F = plus(s->c[2], jet_times(s->a[2], lean));
  s->X[2] = s->F;
  for (int k = 0; k < 3; k++) s->N[k] = jet_number(k == 2, s->square.r);
  s->slope = unit;
}

static parts parts_of(const ap_edges *e, const ap_edges_way *way) {
  parts s = {.known = false};
  read_ways(e, way, &s);
  if (e->kind == AP__EDGES_LENS) {
    cross_flat(e, &s);
    return s;
  }
  cross_planes(e, &s);
  cross_rims(e, &s);
  return s;
}

// ---- apart -------------------------------------------------------------------------------------

static double cross_size(const double u[3], const double v[3]) {
  double w[3];
  cross3(u, v, w);
  return norm3(w);
}

// The least distance of two discs all along, or less: that in a direction in the middle, less what
// they move.
static double least_distance(const ap_edges *e, const parts *s) {
  double A = e->length[0], B = e->round->radius, c[3], a[3], speed[2] = {0}, most = -INFINITY;
  const double b[3] = {0, 0, 1};
  for (int k = 0; k < 3; k++) {
    c[k] = s->c[k].c[0], a[k] = s->a[k].c[0];
    speed[0] += s->c[k].M[1] * s->c[k].M[1];
    speed[1] += s->a[k].M[1] * s->a[k].M[1];
  }
  double both[3] = {c[0], c[1], c[2]}, size = norm3(both);
  for (int again = 0; again < 4 && size > 0; again++) { // turned towards what it lacks
    double n[3], low[3];
    for (int k = 0; k < 3; k++) n[k] = both[k] / size;
    double sa = cross_size(a, n), sb = cross_size(b, n), an = dot3(a, n);
    most = fmax(most, dot3(n, c) - A * sa - B * sb);
    for (int k = 0; k < 3; k++) { // between the foremost places
      low[k] = c[k];
      if (sa > 0) low[k] -= A / sa * (n[k] - an * a[k]);
      if (sb > 0) low[k] -= B / sb * (n[k] - n[2] * b[k]);
    }
    double step = norm3(low);
    if (!(step > 0)) break;
    for (int k = 0; k < 3; k++) both[k] = n[k] + low[k] / step;
    size = norm3(both);
  }
  double sine = cross_size(a, b);
  most = fmax(most, fmax(fabs(c[2]) - A * sine, fabs(dot3(c, a)) - B * sine));
  return most - (sqrt(speed[0]) + A * sqrt(speed[1])) * s->c[0].r;
}

// ---- as of edges.h -----------------------------------------------------------------------------

static void set(jet f, ap_gap_bound *g) {
  memcpy(g->f, f.c, sizeof g->f);
  g->third = f.M[3];
  g->steep = g->slope = 1;
}

bool ap__rims_bound(const ap_edges *e, const ap_edges_way *way, ap_gap_bound *g, bool *none) {
  parts s = {.known = false};
  read_ways(e, way, &s);
  double least = s.square.r > 0 ? least_distance(e, &s) : 0;
  *none = false;
  if (least > 0) { // F is not needed
    *g = (ap_gap_bound){.f = {least, 0, 0}, .steep = 1, .slope = 1};
    return true;
  }
  s = parts_of(e, way);
  *none = s.none || s.is_flat;
  if (!s.known) return false;
  set(s.F, g);
  if (e->kind == AP__EDGES_LENS) return true;
  g->slope = sqrt(s.slope.c[0]);
  g->steep = sqrt(fmax(jet_least(s.slope), 0.25 * AP__RIMS_TANGENT * AP__RIMS_TANGENT));
  return true;
}

static jet flat_limit(const ap_edges *e, const parts *s) {
  double R = e->length[0], half = (e->kind == AP__EDGES_LENS ? -0.5 : 0.5) * R / sqrt(s->flat);
  return jet_mix(half, s->square, -half * s->flat, jet_number(1, s->square.r));
}

// Of the tangents, as a length that falls fast.
static jet tangent_limit(const ap_edges *e, const parts *s) {
  double A = e->length[0], B = e->round->radius, half = A / 2, none = AP__RIMS_TANGENT;
  jet sine = s->WA, unit = jet_number(1, s->square.r);
  if (e->kind == AP__EDGES_LENS) none *= A * B;
  if (e->kind != AP__EDGES_LENS) sine = scaled(4, jet_times(s->slope, s->uA));
  return jet_mix(half / (none * none), sine, -half, unit);
}

static jet limit_of(const ap_edges *e, const parts *s, int limit) {
  double A = e->length[0];
  if (e->kind == AP__EDGES_LENS)
    return limit == 0 ? scaled(-A, s->a[2]) : limit == 1 ? flat_limit(e, s) : tangent_limit(e, s);
  switch (limit) {
    case 0: return jet_times(plus(s->rise, jet_times(s->hB, s->a[2])), s->one);
    case 1: return scaled(-1, jet_times(plus(jet_times(s->rise, s->a[2]), s->hB), s->one));
    case 2: return jet_times(s->y, s->one);
    case 3: return scaled(A, minus(s->uA, s->uB));
    case 4: return flat_limit(e, s);
    default: return tangent_limit(e, s);
  }
}

// Whether a limit can be told.
static bool is_told(const ap_edges *e, const parts *s, int limit) {
  if (e->kind == AP__EDGES_LENS || limit == 4) return true;
  return limit == 3 ? s->has_line : s->known;
}

void ap__rims_limit_bound(const ap_edges *e, const ap_edges_way *way, int limit, ap_gap_bound *g) {
  parts s = parts_of(e, way);
  set(is_told(e, &s, limit) ? limit_of(e, &s, limit) : jet_number(0, s.square.r), g);
}

double ap__rims_within(const ap_edges *e, const ap_edges_way *way) {
  parts s = parts_of(e, way);
  double least = INFINITY;
  if (!s.known) return -INFINITY;
  double scale = 1 / (2 * sqrt(fmax(s.slope.c[0], TOO_LITTLE)));
  for (int k = 0; k < ap__rims_limits(e); k++) {
    bool normal = e->kind == AP__EDGES_RIMS && k < 2;
    least = fmin(least, (normal ? scale : 1) * limit_of(e, &s, k).c[0]);
  }
  return least;
}

void ap__rims_place(const ap_edges *e, const ap_edges_way *way, ap_edges_place *place) {
  parts s = parts_of(e, way);
  *place = (ap_edges_place){.distance = INFINITY};
  if (!s.known || !(s.slope.c[0] > 0)) return;
  jet size = jet_root(s.slope, s.slope.c[0]), over = inverse_of(size, size.c[0]);
  jet gap = jet_times(s.F, over);
  place->distance = gap.c[0];
  place->rate = gap.c[1];
  place->bend = gap.c[2];
  place->slope = size.c[0];
  for (int c = 0; c < 3; c++) {
    jet n = jet_times(s.N[c], over);
    for (int k = 0; k < 3; k++) {
      const double axis = e->axes[c][k];
      place->normal[k] += n.c[0] * axis;
      place->turns[k] += n.c[1] * axis;
      place->point[k] += s.X[c].c[0] * axis;
      place->moves[k] += s.X[c].c[1] * axis;
    }
  }
  for (int k = 0; k < 3; k++) place->point[k] += e->origin[k];
}
