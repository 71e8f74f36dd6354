// SPDX-License-Identifier: Apache-2.0
// Impacts without restitution under Coulomb's law: find impulses p in the cones with
//
//   u = A^T x, x = y + A p;  0 <= p_n, 0 <= u_n, p_n u_n = 0;  p_t = -mu p_n u_t / |u_t| or u_t = 0
//
// One touch after the other is solved exactly while the others wait (block Gauss-Seidel), starting
// from the impulses without friction. Where it comes near, Newton's method on the modes (leaves,
// sticks, slides) takes it to rounding. With strong friction and many touches this may not settle;
// then the convex neighbour of the law is solved, whose impulses are in the cones and take energy
// in every step, and which differs in that sliding lifts points off a little.

#include <math.h>

#include "impact/law.h"

static const double SETTLED = 1e-15; // change of the state beside |y|

void ap__state_of(const ap_law *c, const double *p, double *x) {
  for (int i = 0; i < c->nv; i++) x[i] = c->y[i];
  for (int j = 0; j < 3 * c->n; j++)
    if (p[j] != 0) ap__push(c, j, p[j], x);
}

// What touch i reaches of a vector, in one piece; its length. And back.
static int pack(const ap_law *c, int i, const double *a, double *packed) {
  const int *reach = c->reach + 4 * i;
  int n = 0;
  for (int k = reach[0]; k < reach[1]; k++) packed[n++] = a[k];
  for (int k = reach[2]; k < reach[3]; k++) packed[n++] = a[k];
  return n;
}

static void unpack(const ap_law *c, int i, const double *packed, double *a) {
  const int *reach = c->reach + 4 * i;
  for (int k = reach[0]; k < reach[1]; k++) a[k] = *packed++;
  for (int k = reach[2]; k < reach[3]; k++) a[k] = *packed++;
}

// The touch i seen alone: a_k = sum_i S_ik q_i.
static void look_at_point(ap_law *c, int i) {
  ap_point *o = &c->point[i];
  bool taken[3] = {false, false, false};
  double *a[3] = {c->mix, c->mix + c->nv, c->mix + 2 * c->nv};
  for (int k = 0; k < 3; k++) c->basis.dim = pack(c, i, ap__direction(c, i, k), a[k]);
  c->basis.rank = 0;
  for (int round = 0; round < 3; round++) {
    int longest = -1;
    double most = 0;
    for (int k = 0; k < 3; k++) {
      if (taken[k]) continue;
      double rest = ap__basis_split(&c->basis, a[k], c->room, c->room2);
      if (rest > most) most = rest, longest = k;
    }
    if (longest < 0) break;
    taken[longest] = true;
    ap__basis_add(&c->basis, a[longest], c->room);
  }
  o->rank = c->basis.rank;
  o->mu = c->touch[i].friction;
  for (int j = 0; j < o->rank; j++) {
    const double *q = c->basis.q + j * c->basis.dim;
    unpack(c, i, q, c->own + (3 * i + j) * c->nv);
    for (int k = 0; k < 3; k++) o->S[3 * j + k] = ap__dot(c->basis.dim, q, a[k]);
  }
  c->basis.dim = c->nv;
  ap__point_finish(o);
  if (c->drive > 0) ap__point_follow(o, c->wall + 3 * i, c->own_wall + 3 * i);
}

static void look_at_points(ap_law *c) {
  for (int i = 0; i < c->n; i++)
    if (c->touch[i].turn != AP_TURN_NONE)
      ap__turn_point(c, i);
    else
      look_at_point(c, i);
}

// own . x of the k-th of touch i, and x += s own.
static double own_along(const ap_law *c, int i, int k, const double *x) {
  const double *own = c->own + (3 * i + k) * c->nv;
  const int *reach = c->reach + 4 * i;
  return ap__dot(reach[1] - reach[0], own + reach[0], x + reach[0]) +
         ap__dot(reach[3] - reach[2], own + reach[2], x + reach[2]);
}

static void own_push(const ap_law *c, int i, int k, double s, double *x) {
  const double *own = c->own + (3 * i + k) * c->nv;
  const int *reach = c->reach + 4 * i;
  ap__add_scaled(reach[1] - reach[0], s, own + reach[0], x + reach[0]);
  ap__add_scaled(reach[3] - reach[2], s, own + reach[2], x + reach[2]);
}

// One against turning: the square of the change of the state.
static double sweep_turning(ap_law *c, int i) {
  double *p = c->p + 3 * i, old[3] = {0, p[1], p[2]}, u[3] = {0}, moved = 0;
  for (int k = 1; k < 3; k++) u[k] = ap__relative(c, i, k, c->x);
  ap__turn_solve(c, i, ap__turn_radius(c, i, c->p), u, p);
  for (int k = 1; k < 3; k++) {
    ap__push(c, 3 * i + k, p[k] - old[k], c->x);
    moved += (p[k] - old[k]) * (p[k] - old[k]) * c->point[i].bound;
  }
  return moved;
}

// One sweep over all touches; the square of the change of the state, summed.
static double sweep(ap_law *c, bool backwards) {
  double moved = 0;
  for (int j = 0; j < c->n; j++) {
    int i = backwards ? c->n - 1 - j : j;
    const ap_point *o = &c->point[i];
    if (c->touch[i].turn != AP_TURN_NONE) {
      moved += sweep_turning(c, i);
      continue;
    }
    double *p = c->p + 3 * i, old[3] = {p[0], p[1], p[2]}, s[3] = {0, 0, 0};
    for (int k = 0; k < o->rank; k++) {
      s[k] = own_along(c, i, k, c->x) - c->own_wall[3 * i + k];
      for (int l = 0; l < 3; l++) s[k] -= o->S[3 * k + l] * p[l];
    }
    ap__point_solve(o, s, p);
    for (int k = 0; k < o->rank; k++) {
      double step = 0;
      for (int l = 0; l < 3; l++) step += o->S[3 * k + l] * (p[l] - old[l]);
      own_push(c, i, k, step, c->x);
      moved += step * step;
    }
  }
  return moved;
}

// The same as below of one against turning: p is the nearest to p - rho u that is not too large.
static double turning_error(const ap_law *c, int i, const double *p, const double *x) {
  double z[3], off = 0, bound = c->point[i].bound;
  if (bound <= 0) return 0;
  ap__turn_forward(c, i, p, x, z);
  ap__turn_clamp(ap__turn_radius(c, i, p), z);
  for (int k = 1; k < 3; k++) off += (z[k] - p[3 * i + k]) * (z[k] - p[3 * i + k]);
  return sqrt(off * bound);
}

// How far p and the u that follows are from the law, in lengths of the state: De Saxce's form says
// that p is its own projection from p - rho (u + mu |u_t| n) onto the cone.
double ap__coulomb_error(const ap_law *c, const double *p, const double *x) {
  double worst = 0;
  for (int i = 0; i < c->n; i++) {
    const ap_point *o = &c->point[i];
    double u[3], z[3], off = 0;
    if (c->touch[i].turn != AP_TURN_NONE) worst = fmax(worst, turning_error(c, i, p, x));
    if (o->W[0] <= 0) continue;
    for (int k = 0; k < 3; k++) u[k] = ap__relative(c, i, k, x);
    u[0] += o->mu * sqrt(u[1] * u[1] + u[2] * u[2]);
    for (int k = 0; k < 3; k++) z[k] = p[3 * i + k] - u[k] / o->bound;
    ap__cone(o->mu, z);
    for (int k = 0; k < 3; k++) off += (z[k] - p[3 * i + k]) * (z[k] - p[3 * i + k]);
    worst = fmax(worst, sqrt(off * o->bound));
  }
  return worst;
}

// The nearest impulse in the cone of touch i that is enough for those against turning there.
static void into_cone(const ap_law *c, int i, double p[3]) {
  double least = ap__turn_least(c, i, c->p), mu = c->point[i].mu, side[3] = {0, p[1], p[2]};
  ap__cone(mu, p);
  if (p[0] >= least) return;
  ap__turn_clamp(mu * least, side);
  p[0] = least, p[1] = side[1], p[2] = side[2];
}

// The convex neighbour: minimise |y + A p|^2 over the cones, by steps downhill of one touch at a
// time. No step adds energy, so that it may end anywhere.
static void neighbour(ap_law *c) {
  double length = ap__length(c, c->y);
  for (int j = 0; j < 3 * c->n; j++) c->p[j] = 0;
  ap__state_of(c, c->p, c->x);
  for (int round = 0; round < 20000; round++) {
    double moved = 0;
    for (int i = 0; i < c->n; i++) {
      const ap_point *o = &c->point[i];
      double *p = c->p + 3 * i, old[3] = {p[0], p[1], p[2]}, u[3];
      bool turns = c->touch[i].turn != AP_TURN_NONE;
      if (turns ? o->bound <= 0 : o->W[0] <= 0) continue;
      for (int k = 0; k < 3; k++) u[k] = ap__relative(c, i, k, c->x);
      for (int k = 0; k < 3; k++) p[k] -= u[k] / o->bound;
      if (turns)
        ap__turn_clamp(ap__turn_radius(c, i, c->p), p), p[0] = 0;
      else
        into_cone(c, i, p);
      for (int k = 0; k < 3; k++) {
        ap__push(c, 3 * i + k, p[k] - old[k], c->x);
        moved += (p[k] - old[k]) * (p[k] - old[k]) * o->bound;
      }
    }
    if (sqrt(moved) <= SETTLED * length) break;
  }
}

// Sweeps from p, with Newton's method in between; true where p and x then obey the law.
static bool approach(ap_law *c, int most) {
  double length = ap__length(c, c->y);
  int rounds = 0;
  for (int until = 8; until <= most; until *= 4) {
    for (bool still = false; rounds < until && !still; rounds++) {
      if (rounds % 16 == 0) ap__state_of(c, c->p, c->x);
      still = sqrt(sweep(c, rounds % 2)) <= SETTLED * length;
    }
    ap__state_of(c, c->p, c->x);
    if (ap__coulomb_error(c, c->p, c->x) <= AP_LAWFUL * length || ap__modes(c)) return true;
  }
  return false;
}

// Impulses against turning as they were kept, as far as they may be so large.
static void put_turning_back(ap_law *c) {
  for (int i = 0; i < c->n; i++) {
    double *p = c->p + 3 * i;
    if (c->touch[i].turn == AP_TURN_NONE) continue;
    p[0] = 0, p[1] = c->kept[3 * i + 1], p[2] = c->kept[3 * i + 2];
    ap__turn_clamp(ap__turn_radius(c, i, c->p), p);
  }
}

// From the impulses of cones with many sides.
static bool from_polygon(ap_law *c) {
  enum { PASSES = 6 };
  int rows = 3 * c->n;
  ap_polygon *o = &c->polygon;
  if (c->n > AP_POLYGON_MOST) return false;
  for (int r = 0; r < rows; r++) {
    const double *a = c->a + r * c->nv;
    c->beside[r] = ap__dot(c->nv, a, c->y) - c->wall[r];
    for (int k = 0; k < rows; k++) c->delassus[r * rows + k] = ap__dot(c->nv, a, c->a + k * c->nv);
  }
  for (int i = 0; i < c->n; i++) {
    c->friction[i] = c->point[i].mu;
    c->on[i] =
        c->touch[i].turn == AP_TURN_NONE; // the others wait, with the impulses that they have
    for (int k = 1; k < 3; k++) c->kept[3 * i + k] = c->p[3 * i + k];
    for (int r = 0; r < rows && !c->on[i]; r++)
      for (int k = 3 * i + 1; k <= 3 * i + 2; k++)
        c->beside[r] += c->delassus[r * rows + k] * c->p[k];
  }
  o->n = c->n, o->W = c->delassus, o->b = c->beside, o->mu = c->friction;
  o->way = NULL, o->keep = c->turns ? c->on : NULL;
  for (int pass = 0; pass < PASSES; pass++) {
    if (!ap__polygon_solve(o, pass, c->p)) return false;
    put_turning_back(c);
    ap__state_of(c, c->p, c->x);
    if (ap__modes(c)) return true;
  }
  return approach(c, 32);
}

ap_status ap__coulomb(ap_law *c, bool *exact) {
  int rank;
  ap_status status = ap__newton(c, 0, &rank);
  if (status) return status;
  look_at_points(c);
  *exact = approach(c, 512) || from_polygon(c);
  for (int from = 0; from < 2 && !*exact; from++) { // from elsewhere
    if (from == 0) {
      neighbour(c);
      for (int j = 0; j < 3 * c->n; j++) c->g[j] = c->p[j];
    }
    for (int j = 0; from == 1 && j < 3 * c->n; j++) c->p[j] = 0;
    ap__state_of(c, c->p, c->x);
    *exact = ap__modes(c) || approach(c, 512);
  }
  if (*exact) ap__modes_share(c);
  for (int j = 0; !*exact && j < 3 * c->n; j++) c->p[j] = c->g[j];
  for (int i = 0; i < c->n; i++) {
    if (c->touch[i].turn == AP_TURN_NONE)
      ap__cone(c->point[i].mu, c->p + 3 * i);
    else
      ap__turn_clamp(ap__turn_radius(c, i, c->p), c->p + 3 * i);
  }
  ap__state_of(c, c->p, c->x);
  return AP_OK;
}
