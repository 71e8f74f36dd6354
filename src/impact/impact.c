// SPDX-License-Identifier: Apache-2.0
// Impacts: from touches to impulses and velocities. docs/impacts.md has the law and its proofs.

#include <appell/dyn.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "impact/closed_chain.h"
#include "impact/islands.h"
#include "impact/law.h"
#include "num/cholesky.h"

// Part of what a sum is made of that is rounding where closures hold a direction.
static const double HELD = 1e-12;

static void take_bases(ap_arena *arena, ap_law *c, size_t most) {
  ap_basis *bases[] = {&c->basis, &c->rows};
  for (int i = 0; i < 2; i++) {
    bases[i]->dim = i ? 3 * c->n : c->nv;
    bases[i]->most = (int)most;
    bases[i]->rank = 0;
    bases[i]->q = AP_TAKE(arena, double, most *(i ? most : (size_t)c->nv));
    bases[i]->r = AP_TAKE(arena, double, most *most);
  }
}

// What Newton's method, polygons and points alone need of n touches.
static void take_modes(ap_arena *arena, ap_law *c) {
  size_t nv = (size_t)c->nv, k = (size_t)c->n, few = k < AP_POLYGON_MOST ? k : AP_POLYGON_MOST;
  c->row = AP_TAKE(arena, double, 3 * k * nv);
  c->col = AP_TAKE(arena, double, 3 * k * nv);
  c->extra = AP_TAKE(arena, double, 3 * k);
  c->rhs = AP_TAKE(arena, double, 3 * k);
  c->mode = AP_TAKE(arena, int, k);
  c->of = AP_TAKE(arena, int, 3 * k);
  c->way = AP_TAKE(arena, double, 2 * k);
  c->kept = AP_TAKE(arena, double, 3 * k);
  c->point = AP_TAKE(arena, ap_point, k);
  c->delassus = AP_TAKE(arena, double, 9 * few * few);
  c->beside = AP_TAKE(arena, double, 3 * few);
  c->friction = AP_TAKE(arena, double, few);
  ap__polygon_take(arena, (int)few, &c->polygon);
  c->own = AP_TAKE(arena, double, 3 * k * nv);
}

// Of a robot with so many rates, of which `freedoms` are independent.
static size_t lay_out(ap_law *c, int rates, int freedoms, int n, void *mem) {
  ap_arena arena = ap__arena(mem);
  size_t nv = (size_t)freedoms, k = (size_t)n, most = 3 * k;
  size_t longest = nv < 3 * k ? 3 * k : nv;
  c->rates = rates;
  c->nv = freedoms;
  c->n = n;
  c->L = AP_TAKE(&arena, double, nv *nv);
  c->jac = AP_TAKE(&arena, double, 12 * (size_t)rates);
  c->wide = AP_TAKE(&arena, double, rates);
  c->axes = AP_TAKE(&arena, double, 9 * k);
  c->a = AP_TAKE(&arena, double, 3 * k * nv);
  c->reach = AP_TAKE(&arena, int, 4 * k);
  c->size = AP_TAKE(&arena, double, 3 * k);
  c->start = AP_TAKE(&arena, double, nv);
  c->y = AP_TAKE(&arena, double, nv);
  c->x = AP_TAKE(&arena, double, nv);
  c->e = AP_TAKE(&arena, double, k);
  c->wall = AP_TAKE(&arena, double, 3 * k);
  c->own_wall = AP_TAKE(&arena, double, 3 * k);
  c->row_wall = AP_TAKE(&arena, double, 3 * k);
  c->p = AP_TAKE(&arena, double, 3 * k);
  c->total = AP_TAKE(&arena, double, 3 * k);
  c->u = AP_TAKE(&arena, double, 3 * k);
  c->d = AP_TAKE(&arena, double, k);
  c->on = AP_TAKE(&arena, bool, k);
  c->use = AP_TAKE(&arena, bool, 3 * k);
  c->given_up = AP_TAKE(&arena, bool, k);
  c->active = AP_TAKE(&arena, int, k);
  c->lambda = AP_TAKE(&arena, double, k);
  c->r = AP_TAKE(&arena, double, k);
  c->room = AP_TAKE(&arena, double, longest);
  c->room2 = AP_TAKE(&arena, double, longest);
  c->room3 = AP_TAKE(&arena, double, longest);
  c->g = AP_TAKE(&arena, double, longest);
  c->mix = AP_TAKE(&arena, double, 3 * k * longest);
  c->left = AP_TAKE(&arena, double, 3 * k * longest);
  c->shared = AP_TAKE(&arena, double, 3 * k);
  c->cols = AP_TAKE(&arena, double, 3 * k * most);
  take_modes(&arena, c);
  take_bases(&arena, c, 3 * k);
  return ap__arena_size(&arena);
}

// What all islands share.
typedef struct impact_room {
  ap_islands islands;
  double *inertia; // [nv * nv]
  double *v;       // [nv] velocities as they change
  ap_touch *touch; // [n] island by island
  int *place;      // [n] where a touch stands there
  unsigned char *law;
} impact_room;

static size_t lay_out_room(const ap_model *m, int n, void *mem, impact_room *r) {
  ap_arena a = ap__arena(mem);
  size_t nv = (size_t)ap_nv(m);
  ap_law c;
  ap__islands_take(&a, m, n, &r->islands);
  r->inertia = AP_TAKE(&a, double, nv *nv);
  r->v = AP_TAKE(&a, double, nv);
  r->touch = AP_TAKE(&a, ap_touch, n);
  r->place = AP_TAKE(&a, int, n);
  r->law = AP_TAKE_ALIGNED(&a, unsigned char, lay_out(&c, ap_nv(m), ap_nv(m), n, NULL));
  return ap__arena_size(&a);
}

size_t ap_impact_scratch(const ap_model *m, int n) {
  impact_room r;
  return lay_out_room(m, n < 0 ? 0 : n, NULL, &r);
}

// ---- what comes in -----------------------------------------------------------------------------

static bool all_finite(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

// Restitutions and frictions in range, points finite, normals of length one to single precision.
static bool valid_touch(const ap_model *m, const ap_touch *all, int i) {
  const ap_touch *t = &all[i];
  if (!(t->restitution >= 0 && t->restitution <= 1)) return false;
  if (t->turn != AP_TURN_NONE) {
    if (t->turn != AP_TURN_ROLL && t->turn != AP_TURN_SPIN) return false;
    if (t->stop || t->host < 0 || t->host >= i || all[t->host].stop) return false;
    if (all[t->host].turn != AP_TURN_NONE) return false;
  }
  if (t->stop)
    return t->v >= 0 && t->v < ap_nv(m) && isfinite(t->way) && t->way != 0 && t->friction == 0;
  if (t->body < 0 || t->body >= ap_nbody(m)) return false;
  if (t->other < 0 || t->other >= ap_nbody(m) || !all_finite(3, t->arm)) return false;
  if (!all_finite(3, t->at) || !all_finite(3, t->normal) || !all_finite(3, t->wall)) return false;
  if (!(fabs(ap__dot(3, t->normal, t->normal) - 1) < 1e-6)) return false;
  if (!(t->across >= 0 && isfinite(t->across)) || !all_finite(3, t->along)) return false;
  return t->friction >= 0 && isfinite(t->friction);
}

void ap__touch_axes(const double normal[3], double axes[9]) {
  double length = sqrt(ap__dot(3, normal, normal));
  double *n = axes, *s = axes + 3, *t = axes + 6;
  for (int i = 0; i < 3; i++) n[i] = normal[i] / length;
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(n[i]) < fabs(n[least])) least = i;
  for (int i = 0; i < 3; i++) s[i] = (i == least) - n[least] * n[i];
  length = sqrt(ap__dot(3, s, s));
  for (int i = 0; i < 3; i++) s[i] /= length;
  t[0] = n[1] * s[2] - n[2] * s[1];
  t[1] = n[2] * s[0] - n[0] * s[2];
  t[2] = n[0] * s[1] - n[1] * s[0];
}

// The Jacobian of a link at p becomes that of its point at p + r, in the first three rows; row 3
// then holds how large the terms were that each column was summed from.
static void carry_to(double *J, int nv, const double r[3], const double p[3]) {
  double reach = sqrt(ap__dot(3, r, r)) + sqrt(ap__dot(3, p, p));
  for (int k = 0; k < nv; k++) {
    double o[3] = {J[3 * nv + k], J[4 * nv + k], J[5 * nv + k]};
    double v[3] = {J[k], J[nv + k], J[2 * nv + k]};
    J[k] = v[0] + o[1] * r[2] - o[2] * r[1];
    J[nv + k] = v[1] + o[2] * r[0] - o[0] * r[2];
    J[2 * nv + k] = v[2] + o[0] * r[1] - o[1] * r[0];
    J[3 * nv + k] = sqrt(ap__dot(3, v, v)) + sqrt(ap__dot(3, o, o)) * reach;
  }
}

// The Jacobian of the place of contact, relative to the link that carries the wall, in world axes;
// into jac as of carry_to().
static ap_status point_jacobian(ap_law *c, const ap_model *m, ap_work *w, const ap_touch *t) {
  int nv = c->rates;
  double R[9], p[3], r[3], *J = c->jac, *other = c->jac + 6 * nv;
  ap_status status = ap_frame_jacobian(m, w, t->body, AP_MIXED, J);
  if (!status) status = ap_frame_pose(m, w, t->body, R, p);
  if (status) return status;
  for (int i = 0; i < 3; i++) r[i] = ap__dot(3, R + 3 * i, t->at) + t->arm[i];
  carry_to(J, nv, r, p);
  if (t->other == 0) return AP_OK;
  double o[3];
  status = ap_frame_jacobian(m, w, t->other, AP_MIXED, other);
  if (!status) status = ap_frame_pose(m, w, t->other, R, o);
  if (status) return status;
  for (int i = 0; i < 3; i++) r[i] += p[i] - o[i];
  carry_to(other, nv, r, o);
  for (int k = 0; k < 3 * nv; k++) J[k] -= other[k];
  for (int k = 3 * nv; k < 4 * nv; k++) J[k] += other[k];
  return AP_OK;
}

// The freedoms' share of forces on the rates: Z^T x. Where closures hold the direction it is
// rounding and becomes zero.
static void take_freedoms(const ap_closed *closed, const double *x, double *a) {
  int freedoms = closed->free, rates = closed->nv;
  for (int k = 0; k < freedoms; k++) {
    double sum = 0, size = 0;
    for (int i = 0; i < rates; i++) {
      double part = closed->Z[i * freedoms + k] * x[i];
      sum += part;
      size += fabs(part);
    }
    a[k] = fabs(sum) <= HELD * size ? 0 : sum;
  }
}

// The vector of a row of a Jacobian in c->wide: L^-1 J^T.
static void vector_of_row(ap_law *c, double *a) {
  if (c->closed) take_freedoms(c->closed, c->wide, a);
  for (int k = 0; k < c->nv && !c->closed; k++) a[k] = c->wide[c->rate[k]];
  const double *L = c->L;
  for (int t = 0; t < c->ntree; t++) {
    int from = c->tree[t] - c->tree[0], n = c->tree[t + 1] - c->tree[t];
    bool moves = false;
    for (int k = 0; k < n; k++) moves |= a[from + k] != 0;
    if (moves) ap__cholesky_lower(n, L, a + from);
    L += (size_t)n * (size_t)n;
  }
}

// The vector of one direction: L^-1 J^T d. What is rounding in the Jacobian becomes zero, so that a
// direction in which the point cannot move has no impulse either.
static void direction_vector(ap_law *c, const double d[3], double *a) {
  const double *J = c->jac;
  int nv = c->rates;
  for (int k = 0; k < nv; k++) {
    double x = J[k] * d[0] + J[nv + k] * d[1] + J[2 * nv + k] * d[2];
    c->wide[k] = fabs(x) <= 16 * DBL_EPSILON * J[3 * nv + k] ? 0 : x;
  }
  vector_of_row(c, a);
}

// The directions of a joint at its stop: one.
static void directions_of_stop(ap_law *c, int i) {
  static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double *a = c->a + 3 * i * c->nv;
  memcpy(c->axes + 9 * i, axes, sizeof axes);
  memset(a, 0, 3 * (size_t)c->nv * sizeof *a);
  memset(c->wide, 0, (size_t)c->rates * sizeof *c->wide);
  c->wide[c->touch[i].v] = c->touch[i].way;
  vector_of_row(c, a);
  c->size[3 * i] = sqrt(ap__dot(c->nv, a, a));
  c->size[3 * i + 1] = c->size[3 * i + 2] = 0;
}

// Friction that is not the same in all directions: with f_k = s_k g_k along two tangents and
// velocities v_k = u_k / s_k, the ellipse of f is a circle of g, the power f . v is g . u, and the
// law of largest dissipation is Coulomb's for g and u. So the tangents have the length s_k.
static void stretch_tangents(const ap_touch *t, double axes[9]) {
  const double *n = axes;
  double *s = axes + 3, *b = axes + 6, part = ap__dot(3, t->along, n);
  for (int i = 0; i < 3; i++) s[i] = t->along[i] - part * n[i];
  double length = sqrt(ap__dot(3, s, s));
  for (int i = 0; i < 3; i++) s[i] /= length;
  for (int i = 0; i < 3; i++)
    b[i] = t->across * (n[(i + 1) % 3] * s[(i + 2) % 3] - n[(i + 2) % 3] * s[(i + 1) % 3]);
}

// Turn the tangents so that their vectors are orthogonal: a planar robot then has one that does
// not move.
static void turn_tangents(double *axes, const double *a, const double *b, int nv) {
  double aa = ap__dot(nv, a, a), ab = ap__dot(nv, a, b), bb = ap__dot(nv, b, b);
  if (ab == 0 && aa >= bb) return;
  double angle = 0.5 * atan2(2 * ab, aa - bb), cosine = cos(angle), sine = sin(angle);
  for (int i = 0; i < 3; i++) {
    double s = axes[3 + i], t = axes[6 + i];
    axes[3 + i] = cosine * s + sine * t;
    axes[6 + i] = cosine * t - sine * s;
  }
}

void ap__touch_direction(ap_law *c, int j) {
  double *a = c->a + j * c->nv;
  direction_vector(c, c->axes + 3 * j, a);
  c->size[j] = sqrt(ap__dot(c->nv, a, a));
}

void ap__touch_tangents(ap_law *c, int i) {
  const double *a = c->a + 3 * i * c->nv;
  for (int k = 1; k < 3; k++) ap__touch_direction(c, 3 * i + k);
  turn_tangents(c->axes + 9 * i, a + c->nv, a + 2 * c->nv, c->nv);
  for (int k = 1; k < 3; k++) ap__touch_direction(c, 3 * i + k);
}

static ap_status directions_of(ap_law *c, const ap_model *m, ap_work *w, int i) {
  double *axes = c->axes + 9 * i;
  ap_status status = point_jacobian(c, m, w, &c->touch[i]);
  if (status) return status;
  ap__touch_axes(c->touch[i].normal, axes);
  if (c->touch[i].across > 0) stretch_tangents(&c->touch[i], axes);
  ap__touch_direction(c, 3 * i);
  ap__touch_tangents(c, i);
  return AP_OK;
}

// The inertia matrices of the trees, factored, and their momenta y = L^T v.
static ap_status weigh_trees(ap_law *c, const double *inertia, const double *v) {
  double *L = c->L;
  for (int i = 0; i < c->nv; i++) c->y[i] = 0;
  for (int t = 0; t < c->ntree; t++) {
    int from = c->tree[t] - c->tree[0], n = c->tree[t + 1] - c->tree[t];
    const int *rate = c->rate + from;
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) L[i * n + j] = inertia[rate[i] * c->rates + rate[j]];
    if (!ap__cholesky(n, L)) return AP_E_SINGULAR;
    for (int i = 0; i < n; i++) ap__add_scaled(i + 1, v[rate[i]], L + i * n, c->y + from);
    L += (size_t)n * (size_t)n;
  }
  return AP_OK;
}

// The same of a mechanism that is closed at q.
static void weigh_closed(ap_law *c, const double *v) {
  memcpy(c->L, c->closed->L, (size_t)c->nv * (size_t)c->nv * sizeof *c->L);
  ap__closed_momentum(c->closed, v, c->y);
}

// The velocities of walls, without what their touches cannot follow: directions that do not move.
static void set_walls(ap_law *c) {
  c->drive = 0;
  for (int j = 0; j < 3 * c->n; j++) {
    const ap_touch *t = &c->touch[j / 3];
    bool moves = !t->stop && c->size[j] > 0;
    c->wall[j] = moves ? ap__dot(3, c->axes + 3 * j, t->wall) : 0;
    c->own_wall[j] = 0;
    if (c->wall[j] != 0) c->drive = fmax(c->drive, fabs(c->wall[j]) / c->size[j]);
  }
}

// The freedoms that each touch moves: two parts at most, of the trees that it is between.
static void set_reach(ap_law *c, const ap_model *m, const ap_islands *s, int first) {
  for (int i = 0; i < c->n; i++) {
    int *reach = c->reach + 4 * i, tree[2] = {0, -1};
    if (!c->closed) ap__islands_trees(m, s, &c->touch[i], tree);
    if (tree[1] == tree[0]) tree[1] = -1;
    if (tree[0] > tree[1] && tree[1] >= 0) {
      int swap = tree[0];
      tree[0] = tree[1], tree[1] = swap;
    }
    for (int k = 0; k < 2; k++) {
      const int *at = c->tree + (c->closed ? 0 : tree[k] - first);
      reach[2 * k] = tree[k] >= 0 ? at[0] - c->tree[0] : 0;
      reach[2 * k + 1] = tree[k] >= 0 ? at[1] - c->tree[0] : 0;
    }
  }
}

// Everything that the law needs of the robot, whose kinematics are known.
static ap_status prepare(ap_law *c, const ap_model *m, ap_work *w, const double *inertia,
                         const double *v) {
  if (c->closed) {
    weigh_closed(c, v);
  } else {
    ap_status status = weigh_trees(c, inertia, v);
    if (status) return status;
  }
  for (int i = 0; i < c->n; i++) {
    ap_status status = AP_OK;
    if (c->touch[i].stop)
      directions_of_stop(c, i);
    else if (c->touch[i].turn != AP_TURN_NONE)
      status = ap__turn_directions(c, m, w, i);
    else
      status = directions_of(c, m, w, i);
    if (status) return status;
  }
  set_walls(c);
  for (int i = 0; i < c->nv; i++) c->start[i] = c->y[i];
  for (int j = 0; j < 3 * c->n; j++) c->total[j] = 0;
  return all_finite(c->nv, c->y) ? AP_OK : AP_E_ARG;
}

// ---- the law -----------------------------------------------------------------------------------

// u of all 3 n directions at y.
static void find_velocities(const ap_law *c, const double *y, double *u) {
  for (int j = 0; j < 3 * c->n; j++) u[j] = ap__along(c, j, y);
}

static double energy(const ap_law *c, const double *y) { return 0.5 * ap__dot(c->nv, y, y); }

// Work of the walls with impulses p.
static double wall_work(const ap_law *c, const double *p) {
  return c->drive > 0 ? ap__dot(3 * c->n, p, c->wall) : 0;
}

// Rounding of an energy beside the energy before.
static const double NO_GAIN = 1e-14;

// Newton's law with the largest common factor on the restitutions that lets no energy in. With
// none the law is a projection onto a cone, which takes energy away; so there is one.
static ap_status frictionless(ap_law *c, ap_impact_result *result) {
  double most = energy(c, c->y) * (1 + NO_GAIN) + NO_GAIN * c->drive * c->drive, low = 0, high = 1;
  ap_status status = ap__newton(c, 1, &result->rank);
  if (!status && energy(c, c->x) - wall_work(c, c->p) > most) {
    while (!status && high - low > DBL_EPSILON) {
      double middle = low + (high - low) / 2;
      status = ap__newton(c, middle, &result->rank);
      *(energy(c, c->x) - wall_work(c, c->p) <= most ? &low : &high) = middle;
    }
    result->scale = low;
    if (!status) status = ap__newton(c, low, &result->rank);
  }
  result->passes = 1;
  for (int j = 0; j < 3 * c->n; j++) c->total[j] = c->p[j];
  return status;
}

// The largest factor s in 0 .. 1 on the restitutions with which the impulses (1 + s e) p take
// energy: DT = c + s b + s^2 a, c <= 0 <= a.
static double dissipative(ap_law *c, const double *p) {
  double *x = c->room, *z = c->room2;
  for (int i = 0; i < c->nv; i++) x[i] = c->y[i], z[i] = 0;
  for (int j = 0; j < 3 * c->n; j++) {
    ap__push(c, j, p[j], x);
    ap__push(c, j, c->e[j / 3] * p[j], z);
  }
  double gain = energy(c, x) - energy(c, c->y), a = energy(c, z), b = ap__dot(c->nv, x, z);
  gain -= wall_work(c, p);
  for (int j = 0; c->drive > 0 && j < 3 * c->n; j++) b -= c->e[j / 3] * p[j] * c->wall[j];
  if (gain + b + a <= NO_GAIN * (energy(c, c->y) + c->drive * c->drive)) return 1;
  if (gain >= 0) return 0;
  // The positive root, in the form that does not cancel.
  double root = sqrt(b * b - 4 * a * gain);
  double s = b > 0 ? -2 * gain / (b + root) : (root - b) / (2 * a);
  return fmin(1, fmax(0, s));
}

// Whether a point moves into its wall.
static bool enters(const ap_law *c) {
  double length = ap__length(c, c->start);
  for (int i = 0; i < c->n; i++) {
    const double *size = c->size + 3 * i;
    double still = 3 * AP_STILL * length * fmax(size[0], fmax(size[1], size[2]));
    if (ap__relative(c, i, 0, c->y) < -still) return true;
  }
  return false;
}

// Coulomb's law, its impulses multiplied by 1 + e. A point may then move into its wall that did not
// before; so the impact is repeated, without restitution from the third time on, and at last
// without friction, which leaves none.
static ap_status frictional(ap_law *c, ap_impact_result *result) {
  enum { REBOUNDS = 2, MOST = 8 };
  ap_status status = AP_OK;
  while (result->passes == 0 || (enters(c) && result->passes < MOST)) {
    result->passes++;
    for (int i = 0; i < c->n && result->passes > REBOUNDS; i++) c->e[i] = 0;
    bool exact = true;
    if (result->passes < MOST - 1)
      status = ap__coulomb(c, &exact);
    else
      status = ap__newton(c, 0, &result->rank);
    if (status) return status;
    if (!exact) result->relaxed = true;
    double s = dissipative(c, c->p);
    result->scale = fmin(result->scale, s);
    for (int j = 0; j < 3 * c->n; j++) {
      double p = (1 + s * c->e[j / 3]) * c->p[j];
      c->total[j] += p;
      ap__push(c, j, p, c->y);
    }
  }
  result->rank = ap__pressed(c, c->total);
  return AP_OK;
}

// ---- what goes out -----------------------------------------------------------------------------

static void to_world(const double axes[9], const double local[3], double world[3]) {
  for (int i = 0; i < 3; i++)
    world[i] = axes[i] * local[0] + axes[3 + i] * local[1] + axes[6 + i] * local[2];
}

// The vector with these parts along axes that may be stretched: by the reciprocal axes.
static void from_parts(const double axes[9], const double part[3], double world[3]) {
  double r[9];
  for (int k = 0; k < 3; k++) {
    const double *a = axes + 3 * ((k + 1) % 3), *b = axes + 3 * ((k + 2) % 3);
    for (int i = 0; i < 3; i++)
      r[3 * k + i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  }
  double volume = ap__dot(3, axes, r);
  for (int i = 0; i < 9; i++) r[i] /= volume;
  to_world(r, part, world);
}

// Velocities of all touches in the state x, into before or after.
static void tell_velocities(ap_law *c, const double *x, bool before, ap_touch *touch) {
  find_velocities(c, x, c->u);
  for (int i = 0; i < c->n; i++) {
    double *world = before ? touch[i].before : touch[i].after;
    if (touch[i].across > 0 || touch[i].turn != AP_TURN_NONE)
      from_parts(c->axes + 9 * i, c->u + 3 * i, world);
    else
      to_world(c->axes + 9 * i, c->u + 3 * i, world);
  }
}

// What the header promises, of the state x: no gain of energy, no point into its wall.
static bool result_is_valid(const ap_law *c, double lost) {
  double had = energy(c, c->start), speed = fmax(sqrt(2 * had), c->all) + c->drive;
  if (!(lost >= -1e-12 * (fmax(had, 0.5 * c->all * c->all) + c->drive * c->drive))) return false;
  for (int i = 0; i < c->n; i++) {
    const double *size = c->size + 3 * i;
    double still = 1e-12 * speed * fmax(size[0], fmax(size[1], size[2]));
    if (!(ap__relative(c, i, 0, c->x) >= -still)) return false;
  }
  return true;
}

static ap_status finish(ap_law *c, double *v, ap_touch *touch, ap_impact_result *result) {
  int nv = c->nv, n = c->n;
  double *change = c->room;
  for (int i = 0; i < nv; i++) change[i] = 0;
  for (int j = 0; j < 3 * n; j++) ap__push(c, j, c->total[j], change);
  result->lost = energy(c, c->start);
  for (int i = 0; i < nv; i++) c->x[i] = c->start[i] + change[i];
  result->work = wall_work(c, c->total);
  result->lost += result->work - energy(c, c->x);
  const double *L = c->L;
  for (int t = 0; t < c->ntree; t++) {
    int from = c->tree[t] - c->tree[0], rows = c->tree[t + 1] - c->tree[t];
    ap__cholesky_upper(rows, L, change + from);
    L += (size_t)rows * (size_t)rows;
  }
  if (!all_finite(nv, change) || !all_finite(3 * n, c->total)) return AP_E_ARG;
  if (!result_is_valid(c, result->lost)) return AP_E_NO_CONVERGENCE;
  tell_velocities(c, c->start, true, touch);
  tell_velocities(c, c->x, false, touch);
  for (int i = 0; i < n; i++) to_world(c->axes + 9 * i, c->total + 3 * i, touch[i].impulse);
  if (c->closed)
    for (int i = 0; i < c->rates; i++) v[i] += ap__dot(nv, c->closed->Z + i * nv, change);
  for (int i = 0; i < nv && !c->closed; i++) v[c->rate[i]] += change[i];
  return AP_OK;
}

// Whether no point moves into its wall: then there is no impulse. An island that rests has rounding
// of what moves elsewhere.
static bool nothing_meets(const ap_law *c) {
  double still = AP_STILL * fmax(ap__length(c, c->y), c->all);
  for (int i = 0; i < c->n; i++)
    if (ap__relative(c, i, 0, c->y) < -still * c->size[3 * i]) return false;
  return true;
}

// The impact of one island, at velocities r->v, which it changes.
static ap_status island_impact(ap_law *c, const ap_model *m, ap_work *w, int k, impact_room *r,
                               ap_impact_result *what) {
  const ap_islands *s = &r->islands;
  const int first = s->start[k], n = s->start[k + 1] - first, tree = s->ntree[k];
  const int freedoms = s->tree[s->ntree[k + 1]] - s->tree[tree];
  ap_touch *touch = r->touch + first;
  bool friction = false;
  c->turns = false;
  for (int i = 0; i < n; i++) {
    touch[i].host -= touch[i].turn != AP_TURN_NONE ? first : 0;
    friction |= touch[i].friction > 0;
    c->turns |= touch[i].turn != AP_TURN_NONE;
  }
  lay_out(c, ap_nv(m), c->closed ? c->closed->free : freedoms, n, r->law);
  c->whole[0] = 0, c->whole[1] = c->nv;
  c->touch = touch;
  c->ntree = c->closed ? 1 : s->ntree[k + 1] - tree;
  c->tree = c->closed ? c->whole : s->tree + tree;
  c->rate = s->rate + s->tree[tree];
  set_reach(c, m, s, tree);
  ap_status status = prepare(c, m, w, r->inertia, r->v);
  if (status) return status;
  for (int i = 0; i < n; i++) // of one against turning, its host's: bounds stay as they are
    c->e[i] = touch[touch[i].turn != AP_TURN_NONE ? touch[i].host : i].restitution;
  if (nothing_meets(c))
    what->passes = 1;
  else
    status = friction ? frictional(c, what) : frictionless(c, what);
  return status ? status : finish(c, r->v, touch, what);
}

// Touches as they are given, island by island.
static void sort_touches(int n, const ap_touch *touch, impact_room *r) {
  for (int i = 0; i < n; i++) {
    r->touch[i] = touch[r->islands.order[i]];
    r->place[r->islands.order[i]] = i;
  }
  for (int i = 0; i < n; i++)
    if (r->touch[i].turn != AP_TURN_NONE) r->touch[i].host = r->place[r->touch[i].host];
}

static void return_touches(int n, const impact_room *r, ap_touch *touch) {
  for (int i = 0; i < n; i++) {
    ap_touch *t = &touch[r->islands.order[i]];
    memcpy(t->before, r->touch[i].before, sizeof t->before);
    memcpy(t->after, r->touch[i].after, sizeof t->after);
    memcpy(t->impulse, r->touch[i].impulse, sizeof t->impulse);
  }
}

static void add_result(const ap_impact_result *own, ap_impact_result *all) {
  all->lost += own->lost;
  all->work += own->work;
  all->rank += own->rank;
  all->scale = fmin(all->scale, own->scale);
  all->passes = all->passes > own->passes ? all->passes : own->passes;
  all->relaxed |= own->relaxed;
}

// Of trees (closed NULL), or of a mechanism, for which `closed` is at q. Nothing is changed unless
// all islands are solved.
static ap_status impact(const ap_closed *closed, const ap_model *m, ap_work *w, const double *q,
                        double *v, int n, ap_touch *touch, void *scratch,
                        ap_impact_result *result) {
  ap_impact_result all = {.lost = 0, .scale = 1, .rank = 0, .passes = 0};
  ap_status status = AP_OK;
  impact_room r;
  if (n < 0 || !all_finite(ap_nq(m), q) || !all_finite(ap_nv(m), v)) return AP_E_ARG;
  for (int i = 0; i < n; i++)
    if (!valid_touch(m, touch, i)) return AP_E_ARG;
  if (n > 0) {
    lay_out_room(m, n, scratch, &r);
    ap__islands_find(m, n, touch, closed != NULL, &r.islands);
    sort_touches(n, touch, &r);
    memcpy(r.v, v, (size_t)ap_nv(m) * sizeof *v);
    double length = closed ? 0 : sqrt(fmax(0, 2 * ap_kinetic_energy(m, w, q, v)));
    if (!closed) ap_inertia_matrix(m, w, q, r.inertia);
    ap_kinematics(m, w, q, NULL, NULL);
    for (int k = 0; k < r.islands.n && !status; k++) {
      ap_impact_result own = {.lost = 0, .scale = 1, .rank = 0, .passes = 0};
      ap_law c = {.closed = closed, .all = length};
      status = island_impact(&c, m, w, k, &r, &own);
      add_result(&own, &all);
    }
    if (status) return status;
    return_touches(n, &r, touch);
    memcpy(v, r.v, (size_t)ap_nv(m) * sizeof *v);
  }
  if (result) *result = all;
  return AP_OK;
}

ap_status ap_impact(const ap_model *m, ap_work *w, const double *q, double *v, int n,
                    ap_touch *touch, void *scratch, ap_impact_result *result) {
  return impact(NULL, m, w, q, v, n, touch, scratch, result);
}

ap_status ap__impact_closed(ap_closed *c, const double *x, double *xd, int n, ap_touch *touch,
                            void *scratch, ap_impact_result *result) {
  if (!all_finite(c->nx, x)) return AP_E_ARG;
  ap_status status = ap__closed_at(c, x);
  if (status) return status;
  return impact(c, ap_mechanism_tree(c->m), ap_loop_work(c->l), x, xd, n, touch, scratch, result);
}
