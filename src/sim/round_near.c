// SPDX-License-Identifier: Apache-2.0
// The straight core of a capsule near a rim (sim/round_edges.h).
//
// With x(m, t) = a + m D along the core and rho^2 = x^2 + y^2 the square of the distance to the rim
// is, at one place,
//
//   f(m, t) = |x|^2 + R^2 - 2 R rho ,
//
// and the capsule touches where F = (f - r^2) / 2 r vanishes at the m* of its minimum. Outside the
// cylinder above the rim f is the square of the distance to the disc, which is convex: there is one
// minimum. f_m(m*, t) = 0 gives the derivatives of m*, and
//
//   F''' = (f_ttt + 3 f_mtt m' + 3 f_mmt m'^2 + f_mmm m'^3) / 2 r ,
//
// of which all is bounded over a box of m and t in which m* stays: f_mm is positive there, and
// |f_mt| t / f_mm is no more than half the box. Derivatives of rho are those of the root of a
// polynomial.

#include <math.h>
#include <string.h>

#include "num/vec3.h"
#include "sim/round_edges.h"

enum { ORDERS = 5, TIMES = 4 };

// Derivatives by m and t, up to the fourth in all and the third by t.
typedef struct table {
  double d[ORDERS][TIMES];
} table;

static const double BINOMIAL[ORDERS][ORDERS] = {
    {1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};

// c0 + 2 m c1 + m^2 c2, from derivatives of the three by t; bounds: at |m| <= most.
static table polynomial(const double c[3][TIMES], double m) {
  table s = {{{0}}};
  for (int j = 0; j < TIMES; j++) {
    s.d[0][j] = c[0][j] + 2 * m * c[1][j] + m * m * c[2][j];
    s.d[1][j] = 2 * c[1][j] + 2 * m * c[2][j];
    s.d[2][j] = 2 * c[2][j];
  }
  return s;
}

// Of the root of s, which is root^2 or, of bounds (sign 1), no less: from (rho^2)_ij = s_ij.
static table root_of(const table *s, double value, double root, double sign) {
  table r = {{{0}}};
  for (int n = 0; n < ORDERS; n++)
    for (int j = 0; j <= n && j < TIMES; j++) {
      int i = n - j;
      double sum = s->d[i][j];
      for (int a = 0; a <= i; a++)
        for (int b = 0; b <= j; b++)
          if (a + b > 0 && a + b < n)
            sum += sign * BINOMIAL[i][a] * BINOMIAL[j][b] * r.d[a][b] * r.d[i - a][j - b];
      r.d[i][j] = n == 0 ? value : sum / (2 * root);
    }
  return r;
}

// f from |x|^2 + R^2 and rho, or bounds of it.
static table distance(const table *v, const table *rho, double R, double sign) {
  table f;
  for (int i = 0; i < ORDERS; i++)
    for (int j = 0; j < TIMES; j++) f.d[i][j] = v->d[i][j] + sign * 2 * R * rho->d[i][j];
  return f;
}

typedef struct core {
  jet a[3], D[3], A, P, Q; // A = a.a, P = a.D, Q = D.D along x and y
  jet whole, p, square;    // along all three
  double now[3][TIMES], whole_now[3][TIMES];
} core;

static jet plane_dot(const jet x[2], const jet y[2]) {
  return jet_mix(1, jet_times(x[0], y[0]), 1, jet_times(x[1], y[1]));
}

static core core_of(const ap_edges *e, const ap_edges_way *way) {
  core s;
  double R = e->round->radius;
  for (int k = 0; k < 3; k++) {
    s.a[k] = jet_part(e->axes[k], e->origin, &way->end[0]);
    s.D[k] = jet_mix(1, jet_part(e->axes[k], e->origin, &way->end[1]), -1, s.a[k]);
  }
  s.A = plane_dot(s.a, s.a), s.P = plane_dot(s.a, s.D), s.Q = plane_dot(s.D, s.D);
  jet up = jet_mix(1, jet_times(s.a[2], s.a[2]), R * R, jet_number(1, s.A.r));
  s.whole = jet_mix(1, s.A, 1, up);
  s.p = jet_mix(1, s.P, 1, jet_times(s.a[2], s.D[2]));
  s.square = jet_mix(1, s.Q, 1, jet_times(s.D[2], s.D[2]));
  const jet flat[3] = {s.A, s.P, s.Q}, all[3] = {s.whole, s.p, s.square};
  for (int c = 0; c < 3; c++)
    for (int j = 0; j < TIMES; j++) {
      s.now[c][j] = j < 3 ? flat[c].c[j] : 0;
      s.whole_now[c][j] = j < 3 ? all[c].c[j] : 0;
    }
  return s;
}

// Half the derivative along the core of the square of the distance to the disc, at m in the middle.
static double slope_at(const core *s, double m, double R) {
  double square = s->now[0][0] + 2 * m * s->now[1][0] + m * m * s->now[2][0];
  double rho = sqrt(fmax(square, 0)), z = s->a[2].c[0] + m * s->D[2].c[0];
  double out = rho > R ? (rho - R) / rho * (s->now[1][0] + m * s->now[2][0]) : 0;
  return z * s->D[2].c[0] + out;
}

// Where the minimum of a core without ends is in the middle: within R of the foot of the rim's
// centre.
static void reach_along(const core *s, double R, double *low, double *high) {
  double foot = -s->p.c[0] / s->square.c[0], half = 1.01 * R / sqrt(s->square.c[0]);
  *low = foot - half, *high = foot + half;
}

// The place of the minimum in the middle; false: it is not on the core, or above the disc.
static bool find_place(const ap_edges *e, const core *s, double *m) {
  double low = -0.25, high = 1.25, R = e->round->radius;
  if (e->endless) reach_along(s, R, &low, &high);
  if (slope_at(s, low, R) > 0 || slope_at(s, high, R) < 0) return false;
  for (int k = 0; k < 60; k++) {
    double half = 0.5 * (low + high);
    if (slope_at(s, half, R) > 0)
      high = half;
    else
      low = half;
  }
  *m = 0.5 * (low + high);
  return s->now[0][0] + 2 * *m * s->now[1][0] + *m * *m * s->now[2][0] > R * R * (1 - 1e-9);
}

// Bounds of the three at m - m0: a core that is far longer than the rim is wide would have much
// larger ones at its end.
typedef struct moments {
  double most[3][TIMES];
} moments;

static moments shift_to(const jet c[3], double m0) {
  moments s;
  jet P = jet_mix(1, c[1], m0, c[2]);
  jet A = jet_mix(1, jet_mix(1, c[0], m0, c[1]), m0, P);
  for (int j = 0; j < TIMES; j++) {
    s.most[0][j] = A.M[j];
    s.most[1][j] = P.M[j];
    s.most[2][j] = c[2].M[j];
  }
  return s;
}

// f and m* in the middle, and bounds.
typedef struct near {
  bool known;
  double m[3], most[4]; // of m*
  table f, bound;
} near;

static near near_of(const ap_edges *e, const core *s) {
  near n = {.known = false};
  double R = e->round->radius, r = s->A.r;
  if (!find_place(e, s, &n.m[0])) return n;
  table flat = polynomial(s->now, n.m[0]), all = polynomial(s->whole_now, n.m[0]);
  double rho = sqrt(flat.d[0][0]);
  table root = root_of(&flat, rho, rho, -1);
  n.f = distance(&all, &root, R, -1);
  if (!(n.f.d[2][0] > 0)) return n;
  n.m[0] -= n.f.d[1][0] / n.f.d[2][0];
  n.m[1] = -n.f.d[1][1] / n.f.d[2][0];
  n.m[2] = -(n.f.d[3][0] * n.m[1] * n.m[1] + 2 * n.f.d[2][1] * n.m[1] + n.f.d[1][2]) / n.f.d[2][0];
  n.known = r == 0;
  double wide = 2 * r * fabs(n.m[1]) + 1e-12; // of the box of m, on both sides
  const moments flat_most = shift_to((const jet[3]){s->A, s->P, s->Q}, n.m[0]);
  const moments all_most = shift_to((const jet[3]){s->whole, s->p, s->square}, n.m[0]);
  for (int k = 0; k < 6 && !n.known; k++) {
    table top = polynomial(flat_most.most, wide), high = polynomial(all_most.most, wide);
    jet there = jet_mix(1, jet_mix(1, s->A, 2 * n.m[0], s->P), n.m[0] * n.m[0], s->Q);
    double low = jet_least(there) - wide * top.d[1][0];
    if (!(low > 0.25 * R * R)) return n;
    table most = root_of(&top, sqrt(top.d[0][0]), sqrt(low), 1);
    n.bound = distance(&high, &most, R, 1);
    double curve = n.f.d[2][0] - wide * n.bound.d[3][0] - r * n.bound.d[2][1];
    if (!(curve > 0.1 * n.f.d[2][0])) return n;
    n.most[1] = n.bound.d[1][1] / curve;
    if (n.most[1] * r > 0.5 * wide) { // the bound may be far above the rate in the middle
      wide = 4 * n.most[1] * r;
      continue;
    }
    double(*f)[TIMES] = n.bound.d, m1 = n.most[1];
    n.most[0] = fabs(n.m[0]) + wide;
    n.most[2] = (f[3][0] * m1 * m1 + 2 * f[2][1] * m1 + f[1][2]) / curve;
    n.most[3] = (3 * f[3][0] * m1 * n.most[2] + f[4][0] * m1 * m1 * m1 + 3 * f[3][1] * m1 * m1 +
                 3 * f[2][1] * n.most[2] + 3 * f[2][2] * m1 + f[1][3]) /
                curve;
    n.known = true;
  }
  return n;
}

static jet place_along(const core *s, const near *n) {
  jet m = {.r = s->A.r};
  memcpy(m.c, n->m, sizeof m.c);
  memcpy(m.M, n->most, sizeof m.M);
  return m;
}

// Whether the line of a core goes through the disc all along: it has been below.
static bool pierces(const core *s, double R) {
  jet square = jet_times(s->D[2], s->D[2]), Y[2];
  for (int k = 0; k < 2; k++)
    Y[k] = jet_mix(1, jet_times(s->a[k], s->D[2]), -1, jet_times(s->a[2], s->D[k]));
  return jet_least(jet_mix(R * R, square, -1, plane_dot(Y, Y))) > 0;
}

// Whether a core does not touch all along, whatever its minimum: below a rim of which only the
// upper side is there, above the disc, or with the minimum beyond an end.
static bool is_away(const ap_edges *e, const core *s) {
  double R = e->round->radius;
  jet a[2][3], way[2][3];
  for (int k = 0; k < 3; k++) {
    a[0][k] = s->a[k];
    a[1][k] = jet_mix(1, s->a[k], 1, s->D[k]);
    way[0][k] = s->D[k];
    way[1][k] = jet_mix(-1, s->D[k], 0, s->D[k]);
  }
  bool below = e->round->arc[0][1] >= 0, inside = true;
  if (e->endless) return pierces(s, R);
  for (int k = 0; k < 2; k++) {
    jet square = plane_dot(a[k], a[k]);
    jet up = jet_times(a[k][2], way[k][2]), along = plane_dot(a[k], way[k]);
    double low = jet_least(square), most = -jet_least(jet_mix(-1, square, 0, square));
    below = below && jet_least(jet_mix(-1, a[k][2], 0, a[k][2])) > 0;
    inside = inside && most < R * R;
    if (most < R * R && jet_least(up) > 0) return true;
    if (!(low > R * R)) continue;
    // rho (up + along) - R along > 0
    jet f = jet_mix(1, jet_times(jet_root(square, low), jet_mix(1, up, 1, along)), -R, along);
    if (jet_least(f) > 0) return true;
  }
  return below || inside || pierces(s, R);
}

// The least distance of the core to the disc in the middle, less what its ends can move.
static double least_distance(const ap_edges *e, const core *s, double *speed) {
  double R = e->round->radius, low = 0, high = 1, v[2] = {0}, off[3];
  if (e->endless) reach_along(s, R, &low, &high);
  const double end[2] = {low, high};
  for (int k = 0; k < 40; k++) {
    double half = 0.5 * (low + high);
    if (slope_at(s, half, R) > 0)
      high = half;
    else
      low = half;
  }
  for (int k = 0; k < 3; k++) {
    off[k] = s->a[k].c[0] + low * s->D[k].c[0];
    for (int c = 0; c < 2; c++) {
      jet b = jet_mix(1, s->a[k], end[c], s->D[k]);
      v[c] += b.M[1] * b.M[1];
    }
  }
  *speed = sqrt(fmax(v[0], v[1]));
  double far = (high - low) * e->length[0];
  return hypot(fmax(hypot(off[0], off[1]) - R, 0), off[2]) - far - *speed * s->A.r;
}

// E of sim/round_edges.h: negative where the line of a core passes beside the rim.
static jet beside(const ap_edges *e, const core *s) {
  double R = e->round->radius;
  jet from = jet_mix(1, s->A, -R * R, jet_number(1, s->A.r));
  return jet_mix(1, jet_times(s->P, s->P), -1, jet_times(s->Q, from));
}

// Whether a core is not one of its pair: flat, or not so or not beside the rim.
static bool is_other(const ap_edges *e, const core *s) {
  double flat = e->length[1];
  if (!e->round->beside) return s->D[2].M[0] < flat;
  return jet_least(jet_times(s->D[2], s->D[2])) > 16 * flat * flat || jet_least(beside(e, s)) > 0;
}

bool ap__near_bound(const ap_edges *e, const ap_edges_way *way, ap_gap_bound *g, bool *none) {
  core s = core_of(e, way);
  double r = e->radius;
  *none = s.A.r > 0 && (is_other(e, &s) || is_away(e, &s));
  if (*none) return false;
  double speed, least = s.A.r > 0 ? least_distance(e, &s, &speed) - r : 0;
  if (least > 0) { // F is no less: that is enough
    *g = (ap_gap_bound){.f = {least, 0, 0}, .steep = 1, .slope = 1};
    return true;
  }
  near n = near_of(e, &s);
  if (!n.known) return false;
  double(*f)[TIMES] = n.f.d, (*b)[TIMES] = n.bound.d;
  double m = n.most[1], scale = 0.5 / r, far = sqrt(fmax(f[0][0], 0));
  *g = (ap_gap_bound){
      .f = {scale * (far - r) * (far + r), scale * f[0][1], scale * (f[0][2] + f[1][1] * n.m[1])},
      .steep = 1,
      .slope = far / r};
  if (s.A.r > 0)
    g->third = scale * (b[0][3] + 3 * b[1][2] * m + 3 * b[2][1] * m * m + b[3][0] * m * m * m);
  return true;
}

// Along the core (2), of the arc (2), not flat; or flat, and beside the rim.
static bool limit_of(const ap_edges *e, const core *s, const near *n, int limit, jet *g) {
  const double *arc = e->round->arc[limit & 1], l = e->length[0], R = e->round->radius;
  if (limit == 4) {
    *g = ap__round_flat(e, s->D[2], e->round->beside);
    return true;
  }
  if (limit == 5) {
    *g = jet_mix(-0.5 / (l * l * R), beside(e, s), 0, s->A);
    return true;
  }
  if (!n->known) return false;
  jet m = place_along(s, n), one = jet_number(1, s->A.r);
  if (limit < 2 && e->endless) {
    *g = jet_number(l, s->A.r);
    return true;
  }
  if (limit < 2) {
    *g = limit == 0 ? jet_mix(l, m, 0, m) : jet_mix(l, one, -l, m);
    return true;
  }
  jet x[3];
  for (int k = 0; k < 3; k++) x[k] = jet_mix(1, s->a[k], 1, jet_times(m, s->D[k]));
  jet square = plane_dot(x, x);
  double low = s->A.r > 0 ? jet_least(square) : square.c[0];
  if (!(low > 0)) return false;
  jet out = jet_mix(1, jet_root(square, low), -R, one);
  double sign = limit == 2 ? 1 : -1;
  *g = jet_mix(sign * arc[0], x[2], -sign * arc[1], out);
  return true;
}

void ap__near_limit_bound(const ap_edges *e, const ap_edges_way *way, int limit, ap_gap_bound *g) {
  core s = core_of(e, way);
  near n = near_of(e, &s);
  jet f = jet_number(0, s.A.r);
  limit_of(e, &s, &n, limit, &f);
  memcpy(g->f, f.c, sizeof g->f);
  g->third = f.M[3];
  g->steep = g->slope = 1;
}

double ap__near_within(const ap_edges *e, const ap_edges_way *way) {
  core s = core_of(e, way);
  near n = near_of(e, &s);
  double least = INFINITY;
  for (int k = 0; k < ap__round_limits(e); k++) {
    jet f;
    if (!limit_of(e, &s, &n, k, &f)) return -INFINITY;
    least = fmin(least, f.c[0]);
  }
  return least;
}

void ap__near_place(const ap_edges *e, const ap_edges_way *way, ap_edges_place *place) {
  core s = core_of(e, way);
  near n = near_of(e, &s);
  *place = (ap_edges_place){.distance = INFINITY};
  if (!n.known || !(n.f.d[0][0] > 0)) return;
  double(*f)[TIMES] = n.f.d, d = sqrt(f[0][0]);
  place->distance = d - e->radius;
  place->rate = f[0][1] / (2 * d);
  place->bend = ((f[0][2] + f[1][1] * n.m[1]) / 2 - place->rate * place->rate) / d;
  place->slope = d / e->radius;
  double x[3][2], rho[2], out[3][2];
  for (int k = 0; k < 3; k++) {
    x[k][0] = s.a[k].c[0] + n.m[0] * s.D[k].c[0];
    x[k][1] = s.a[k].c[1] + n.m[0] * s.D[k].c[1] + n.m[1] * s.D[k].c[0];
  }
  rho[0] = hypot(x[0][0], x[1][0]);
  rho[1] = (x[0][0] * x[0][1] + x[1][0] * x[1][1]) / rho[0];
  double part = 1 - e->round->radius / rho[0];
  for (int k = 0; k < 3; k++) {
    double turned = e->round->radius * rho[1] / (rho[0] * rho[0]);
    double off = k < 2 ? part * x[k][0] : x[k][0];
    double moves = k < 2 ? part * x[k][1] + turned * x[k][0] : x[k][1];
    out[k][0] = off / d;
    out[k][1] = (moves - out[k][0] * place->rate) / d;
  }
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 3; k++) {
      const double axis = e->axes[c][k];
      place->normal[k] += out[c][0] * axis;
      place->turns[k] += out[c][1] * axis;
      place->point[k] += (x[c][0] - e->own * out[c][0]) * axis;
      place->moves[k] += (x[c][1] - e->own * out[c][1]) * axis;
    }
  for (int k = 0; k < 3; k++) place->point[k] += e->origin[k];
}
