// SPDX-License-Identifier: Apache-2.0
// Which of the forces that hold dependent points in their modes: inside their cones, and such that
// they change smoothly from one state to the next.
//
// All that hold them are y = y0 + N z, y0 being the shortest and N a basis of what does nothing
// (both in the scaled unknowns of contact_forces.c). With the unit F = |y0| of forces, margins m of
// all cones and a weight w, the choice is where
//
//   |z|^2 / 2 w F^2 - sum log (m + e) - log e + STIFF e
//
// is least over z and e > 0: a strictly convex function, so that there is one such place, which
// changes smoothly with the state and depends on nothing else. e, by which all cones are wider, is
// nearly 1 / STIFF where forces inside the cones exist. Where they do not, it is the least that
// makes some exist: the margins of those that cannot hold any longer fall through zero together.
// w goes to zero where all margins of y0 are WIDE, and y is y0 from there on.
//
// log (b^2 - |t|^2) = log (b - |t|) + log (b + |t|) of a cone |t| <= b has the second derivatives
//
//   u u^T + v v^T + w w^T,  u = grad (b - |t|) / (b - |t|),  v = grad (b + |t|) / (b + |t|),
//
// and w = sqrt(2 / (b^2 - |t|^2)) times the change of t across itself. Such a function is
// self-concordant, and Newton's method finds its least place (Y. Nesterov and A. Nemirovskii 1994)
// from any place inside, where e is made more expensive step by step.

#include <math.h>
#include <string.h>

#include "contact_system.h"
#include "num/vec3.h"

enum { STEPS = 60, BACK = 40 };
static const double WIDE = 1e-2;   // of F
static const double WEIGHT = 1e-4; // its square: what it moves forces by is about as wide
static const double LIGHT = 1e-12; // less moves no force by more than rounding
static const double STIFF = 1e10;  // so wide are cones, of F: less than a force that is none
static const double DEARER = 1000; // from one price of e to the next
static const double SURELY = 1e-9; // of F: a start with such margins is inside
static const double MOVES = 1e-7;  // less of N is rounding: nothing moves that force
static const double NEAR = 0.1;    // of Newton's decrement, before the price goes up
static const double THERE = 1e-6;  // and at the end, before the last step

// The force of some unknowns is in |t| <= friction * normal, or pushes.
typedef struct cone {
  int normal; // unknown; -1: `hold`
  double hold;
  double friction; // 1 without tangents
  int tangent, tangents;
} cone;

typedef struct choice {
  const ap_resting *resting;
  contact_system *s;
  int n, d;         // unknowns, columns of N
  double unit;      // F
  double weight;    // w
  double price;     // of e
  double *z;        // [d + 1] the last one is e
  double *slope;    // [d + 1]
  double *way;      // [d + 1]
  double *trial;    // [d + 1]
  double *along[4]; // [d + 1] room
} choice;

static bool cone_of(const ap_resting *r, const contact_system *s, int i, cone *o) {
  int c = s->column[i];
  if (c < 0) return false;
  *o = (cone){.normal = c, .friction = 1};
  if (r->kind == AP_REST_BRAKE)
    *o = (cone){-1, r->hold, r->stiction, c, 1};
  else if (ap__rest_turns(r->kind))
    *o = (cone){s->column[r->host], 0, r->stiction, c, r->kind == AP_REST_ROLL ? 2 : 1};
  else if (r->sticks && r->stiction > 0)
    *o = (cone){c, 0, r->stiction, c + 1, 2};
  return true;
}

// b and |t| of a cone, in units of F, with the direction of t.
typedef struct reach {
  double b, t, way[2];
} reach;

static reach reach_of(const cone *o, const double *y, double unit, double wider) {
  reach r = {.way = {1}};
  r.b = o->friction * ((o->normal < 0 ? o->hold : y[o->normal]) / unit + wider);
  double t[2] = {0};
  for (int k = 0; k < o->tangents; k++) t[k] = y[o->tangent + k] / unit;
  r.t = hypot(t[0], t[1]);
  for (int k = 0; k < 2 && r.t > 0; k++) r.way[k] = t[k] / r.t;
  return r;
}

// The least margin of y, in units of F and of normal forces; of those that N moves, or of all.
static double least_margin(const ap_resting *resting, double unit, bool all,
                           const contact_system *s) {
  double least = INFINITY;
  for (int i = 0; i < s->n; i++) {
    cone o;
    if (!cone_of(&resting[i], s, i, &o) || (!all && !s->passive[i])) continue;
    reach r = reach_of(&o, s->y, unit, 0);
    least = fmin(least, (r.b - r.t) / o.friction);
  }
  return least;
}

// s->y at z.
static void set_forces(const choice *o, const double *z) {
  contact_system *s = o->s;
  for (int c = 0; c < o->n; c++) {
    const double *N = s->N + c * o->d;
    double sum = 0;
    for (int k = 0; k < o->d; k++) sum += N[k] * z[k];
    s->y[c] = s->scale[c] * s->x[c] + o->unit * sum;
  }
}

// What is to be least, at z; INFINITY outside. s->y is there.
static double height(const choice *o, const double *z) {
  const double e = z[o->d];
  double sum = o->price * e - log(e), square = 0, inside = 1;
  if (!(e > 0)) return INFINITY;
  set_forces(o, z);
  for (int k = 0; k < o->d; k++) square += z[k] * z[k];
  for (int i = 0; i < o->s->n; i++) {
    cone c;
    if (!o->s->passive[i] || !cone_of(&o->resting[i], o->s, i, &c)) continue;
    reach r = reach_of(&c, o->s->y, o->unit, e);
    if (!(r.b > r.t)) return INFINITY;
    inside *= c.tangents ? (r.b - r.t) * (r.b + r.t) : r.b;
    if (inside > 1e-100 && inside < 1e100) continue; // one logarithm of many
    sum -= log(inside);
    inside = 1;
  }
  return sum - log(inside) + square / (2 * o->weight);
}

// H += x x^T, its upper half.
static void add_square(int n, const double *x, double *H) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < n && x[i] != 0; j++) H[i * n + j] += x[i] * x[j];
}

// What one cone adds to slope and second derivatives, at s->y.
static void add_cone(const choice *o, const cone *c, double *H) {
  const int d = o->d, n = d + 1;
  const contact_system *s = o->s;
  const reach r = reach_of(c, s->y, o->unit, o->z[d]);
  double *one = o->along[0], *two = o->along[1], *across = o->along[2];
  const double *b = c->normal < 0 ? NULL : s->N + c->normal * d;
  const double *t[2] = {s->N + c->tangent * d, s->N + (c->tangent + 1) * d};
  for (int k = 0; k < d; k++) {
    double up = b ? c->friction * b[k] : 0, out = 0, side = 0;
    if (c->tangents > 0) out = r.way[0] * t[0][k];
    if (c->tangents > 1) out += r.way[1] * t[1][k], side = r.way[0] * t[1][k] - r.way[1] * t[0][k];
    one[k] = (up - out) / (r.b - r.t);
    two[k] = (up + out) / (r.b + r.t);
    across[k] = side * sqrt(2 / ((r.b - r.t) * (r.b + r.t)));
  }
  one[d] = c->friction / (r.b - r.t);
  two[d] = c->friction / (r.b + r.t);
  across[d] = 0;
  for (int k = 0; k < n; k++) o->slope[k] -= one[k] + (c->tangents ? two[k] : 0);
  add_square(n, one, H);
  if (c->tangents > 0) add_square(n, two, H);
  if (c->tangents > 1) add_square(n, across, H);
}

// Newton's step at z, where s->y is; returns the square of the decrement, negative where rounding
// leaves none.
static double find_way(const choice *o) {
  const int d = o->d, n = d + 1;
  contact_system *s = o->s;
  double *H = s->qr.A, e = o->z[d], square = 0;
  memset(H, 0, (size_t)n * (size_t)n * sizeof *H);
  for (int k = 0; k < d; k++) {
    H[k * n + k] = 1 / o->weight;
    o->slope[k] = o->z[k] / o->weight;
  }
  H[d * n + d] = 1 / (e * e);
  o->slope[d] = o->price - 1 / e;
  for (int i = 0; i < s->n; i++) {
    cone c;
    if (s->passive[i] && cone_of(&o->resting[i], s, i, &c)) add_cone(o, &c, H);
  }
  if (!ap__contact_definite(n, s)) return -1;
  for (int k = 0; k < n; k++) o->way[k] = -o->slope[k];
  ap__contact_substitute(n, s, o->way);
  for (int k = 0; k < n; k++) square -= o->way[k] * o->slope[k];
  return square;
}

// A step along the way, as far as it leads downwards; false: it does not.
static bool go(const choice *o, double square) {
  const int n = o->d + 1;
  double from = height(o, o->z);
  for (int back = 0; back < BACK; back++) {
    double part = ldexp(1, -back);
    for (int k = 0; k < n; k++) o->trial[k] = o->z[k] + part * o->way[k];
    double to = height(o, o->trial);
    if (!(to <= from - 0.1 * part * square) && !(square < NEAR && isfinite(to))) continue;
    memcpy(o->z, o->trial, (size_t)n * sizeof *o->z);
    return true;
  }
  return false;
}

// Newton's method at one price, to a decrement.
static bool settle(const choice *o, double decrement) {
  set_forces(o, o->z);
  for (int step = 0; step < STEPS; step++) {
    double square = find_way(o);
    if (!(square >= 0) || !go(o, square)) return false;
    if (square <= decrement * decrement) return true;
  }
  return true;
}

// z from the forces of the last time, which change little from one state to the next; the least
// margin there.
static double start_from_last(const choice *o) {
  contact_system *s = o->s;
  memset(o->z, 0, (size_t)(o->d + 1) * sizeof *o->z);
  for (int c = 0; c < o->n; c++) {
    const int r = s->row[c];
    const ap_resting *last = &o->resting[r / 3];
    const contact_place *place = &s->place[r / 3];
    double across = r % 3 == 2 ? place->across : 1;
    if (ap__rest_turns(last->kind)) across = r % 3 ? last->lever : 1;
    double y = dot3(last->force, place->frame[r % 3]) / (across * across * o->unit);
    for (int k = 0; k < o->d; k++) o->z[k] += s->N[c * o->d + k] * y / (s->scale[c] * s->scale[c]);
  }
  set_forces(o, o->z);
  return least_margin(o->resting, o->unit, false, s);
}

// All cones are made as wide as the start needs, which is then made dearer.
static void solve(choice *o) {
  double least = start_from_last(o), wide = least > SURELY ? 1 / STIFF : SURELY - 2 * least;
  o->z[o->d] = fmax(wide, 1 / STIFF);
  for (o->price = 1 / o->z[o->d]; o->price < STIFF / DEARER;) {
    settle(o, NEAR);
    o->price *= DEARER;
  }
  o->price = STIFF;
  settle(o, THERE);
}

// Which contacts have forces that N moves: s->passive.
static void find_moving(const ap_resting *resting, int d, contact_system *s) {
  for (int i = 0; i < s->n; i++) {
    cone o;
    s->passive[i] = false;
    if (!cone_of(&resting[i], s, i, &o)) continue;
    for (int k = 0; k < d && !s->passive[i]; k++) {
      double most = o.normal < 0 ? 0 : fabs(s->N[o.normal * d + k]);
      for (int j = 0; j < o.tangents; j++) most = fmax(most, fabs(s->N[(o.tangent + j) * d + k]));
      s->passive[i] = most > MOVES;
    }
  }
}

void ap__contact_choose(const ap_resting *resting, int n, int d, contact_system *s) {
  double square = 0;
  for (int c = 0; c < n; c++) square += s->y[c] * s->y[c];
  choice o = {.resting = resting, .s = s, .n = n, .unit = sqrt(square)};
  if (!(o.unit > 0 && isfinite(o.unit))) return;
  if (least_margin(resting, o.unit, true, s) >= WIDE) return;
  o.d = d > 0 ? d : ap__contact_null(s);
  if (o.d >= n) return; // nothing can move
  for (int c = 0; c < n; c++)
    for (int k = 0; k < o.d; k++) s->N[c * o.d + k] *= s->scale[c];
  find_moving(resting, o.d, s);
  double narrow = 1 - least_margin(resting, o.unit, false, s) / WIDE;
  if (!(narrow > 0)) return;
  o.weight = WEIGHT * narrow * narrow / (1 + narrow * narrow);
  if (o.weight <= LIGHT) return;
  double **each[] = {&o.z, &o.slope, &o.way, &o.trial};
  for (int k = 0; k < 4; k++) *each[k] = s->left + k * n;
  for (int k = 0; k < 3; k++) o.along[k] = s->right + k * n;
  solve(&o);
}
