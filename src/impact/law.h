// SPDX-License-Identifier: Apache-2.0
// What the parts of the impact law share.
//
// In the mass metric: M = L L^T, y = L^T v, so that the kinetic energy is |y|^2 / 2. A direction k
// of touch i has the row J v of a velocity and the vector a = L^-1 J^T; then u = a . y is the
// velocity of the point along it, and an impulse p along it changes y by a p. W = A^T A is never
// formed: lengths and angles of the vectors a say the same without squaring the condition. With
// closures all this holds of the freedoms z of v = Z z, M standing for Z^T M Z and J for J Z
// (loop/closed_chain.h).

#ifndef AP_IMPACT_LAW_H
#define AP_IMPACT_LAW_H

#include <appell/impact.h>
#include <math.h>

#include "impact/basis.h"
#include "impact/point.h"
#include "impact/polygon.h"
#include "loop/closed_chain.h"

typedef struct ap_law {
  int nv, n;               // freedoms, touches
  bool turns;              // there are some against turning (impact/turning.c)
  int rates;               // of the model
  const ap_closed *closed; // NULL: a tree, whose rates are its freedoms
  const ap_touch *touch;
  int ntree;       // trees of joints that the freedoms are of,
  const int *tree; // ntree + 1: the first freedom of each, from tree[0] on
  int whole[2];    // that of a mechanism, which is one
  const int *rate; // nv: places in the rates, without closures
  double *L;       // a lower triangle for each tree
  double *jac;     // 6 * rates, and those of a link that carries a wall
  double *wide;    // rates
  double *axes;    // 9 per touch: normal and two tangents in the world
  double *a;       // nv per direction, 3 directions per touch: the vectors a
  int *reach;   // 4 n: the freedoms from .. to, and from .. to, beside which the vectors have zeros
  double *size; // 3 n: |a|
  double *e;    // n: restitutions in use
  double *wall; // 3 n: velocities of the walls along the directions; u = a . y - wall
  double *own_wall; // 3 n: what a state has to be so that the point moves with them, in `own`
  double all;       // the length of the state of all islands
  double drive; // the longest of these: what a length of the state is compared with where all rests

  double *start; // nv: the state before everything
  double *y;     // nv: before this pass
  double *x;     // nv: after it
  double *p;     // 3 n: impulses of this pass along the axes
  double *total; // 3 n: over all passes
  double *u;     // 3 n: velocities

  double *d;          // n: least normal velocities asked for
  int *active;        // n: the projection's constraints in use,
  double *lambda, *r; // n: their impulses, and parts of another in them
  bool *given_up;     // n: touches that depend on others and differ by rounding
  bool *on;           // n: a set of touches

  ap_point *point;     // n: touches alone
  double *own;         // 3 nv per touch: orthonormal vectors that span its directions
  int *mode;           // n: leaves, sticks, slides
  double *way;         // 2 n: direction of friction along the tangents
  double *row, *col;   // 3 n vectors of nv numbers: equations and unknowns of Newton's method
  int *of;             // 3 n: which touch they are of
  double *row_wall;    // 3 n: velocities of walls along the equations
  double *extra, *rhs; // 3 n: what is on its diagonal besides, and its right side
  double *kept;        // 3 n: impulses to go back to

  ap_polygon polygon;        // the law with cones of many sides,
  double *delassus, *beside; // 3 n * 3 n, 3 n: its W and its velocities
  double *friction;          // n

  double *mix, *left;   // 3 n vectors of max(nv, 3 n) numbers
  double *g, *shared;   // another such vector, and its parts in them
  bool *use;            // 3 n: which of them
  double *cols;         // 3 n * 3 n: the vectors in the coordinates of a basis
  ap_basis basis, rows; // of vectors of nv and of 3 n numbers

  double *room, *room2, *room3; // max(nv, 3 n)
} ap_law;

// The vector of direction k (0: normal) of touch i.
static inline const double *ap__direction(const ap_law *c, int i, int k) {
  return c->a + (3 * i + k) * c->nv;
}

// a . x of direction k of touch i, j being 3 i + k, and x += s a.
static inline double ap__along(const ap_law *c, int j, const double *x) {
  const double *a = c->a + j * c->nv;
  const int *reach = c->reach + 4 * (j / 3);
  double sum = 0;
  for (int i = reach[0]; i < reach[1]; i++) sum += a[i] * x[i];
  for (int i = reach[2]; i < reach[3]; i++) sum += a[i] * x[i];
  return sum;
}

static inline void ap__push(const ap_law *c, int j, double s, double *x) {
  const double *a = c->a + j * c->nv;
  const int *reach = c->reach + 4 * (j / 3);
  for (int i = reach[0]; i < reach[1]; i++) x[i] += s * a[i];
  for (int i = reach[2]; i < reach[3]; i++) x[i] += s * a[i];
}

// The velocity of touch i along direction k, relative to its wall, in the state x.
static inline double ap__relative(const ap_law *c, int i, int k, const double *x) {
  return ap__along(c, 3 * i + k, x) - c->wall[3 * i + k];
}

// The length that rounding of a state is a part of.
static inline double ap__length(const ap_law *c, const double *y) {
  return sqrt(ap__dot(c->nv, y, y)) + c->drive;
}

// How much of a normal velocity is rounding: this times |a| |y|.
static const double AP_STILL = 1e-13;
// How far from Coulomb's law impulses may be, beside |y|.
static const double AP_LAWFUL = 1e-13;

typedef enum ap_projected { AP_PROJECTED, AP_WEDGED, AP_TOO_LONG } ap_projected;

// The x closest to y with a_i . x >= d_i for all normals, into c->x; its pressed normals, linearly
// independent, in active (count in *nactive) with the impulses lambda. AP_WEDGED: there is none;
// on[] then tells the touches that contradict each other.
ap_projected ap__project(ap_law *c, int *nactive);

// Least p with sum m_j p_j = g over the first count vectors, of dim numbers, of mix; p >= 0 if
// push. What it leaves of g, as a part of it; INFINITY where none was found. mix is used up.
double ap__share(ap_law *c, int dim, int count, bool push, const double *g, double *p);

// Independent ones among the normals that impulses p press.
int ap__pressed(ap_law *c, const double *p);

// Newton's law without friction, restitutions c->e times scale: impulses into p, state into x.
ap_status ap__newton(ap_law *c, double scale, int *rank);

// ---- impact.c

// Normal and two tangents.
void ap__touch_axes(const double normal[3], double axes[9]);
// The vector of row j of the axes, and its length, from c->jac.
void ap__touch_direction(ap_law *c, int j);
// Those of both tangents of touch i, turned so that their vectors are orthogonal.
void ap__touch_tangents(ap_law *c, int i);

// ---- turning.c

// Directions of touch i, which is one against turning.
ap_status ap__turn_directions(ap_law *c, const ap_model *m, ap_work *w, int i);
// The touch alone, from its directions.
void ap__turn_point(ap_law *c, int i);
// The largest impulse that it can have with impulses p.
double ap__turn_radius(const ap_law *c, int i, const double *p);
// The closest impulse that is not above the radius.
void ap__turn_clamp(double radius, double p[3]);
// p solved alone, all else as it is: u stops, or the impulse is the largest, against u.
void ap__turn_solve(const ap_law *c, int i, double radius, const double u[3], double p[3]);
// What p - u / bound is of touch i in the state x.
void ap__turn_forward(const ap_law *c, int i, const double *p, const double *x, double z[3]);
// a += the vectors of those that slide at touch i, for a unit of its normal impulse; `slides` is
// the mode of sliding in c->mode, their directions are in c->way.
void ap__turn_drag(const ap_law *c, int i, int slides, double *a);
// The least normal impulse with which those at touch i can have the impulses p.
double ap__turn_least(const ap_law *c, int i, const double *p);

// The state that impulses p lead to from y.
void ap__state_of(const ap_law *c, const double *p, double *x);
// How far p and the u that follows are from Coulomb's law, in lengths of the state.
double ap__coulomb_error(const ap_law *c, const double *p, const double *x);
// Newton's method on Coulomb's law from p; true where p and x then obey it.
bool ap__modes(ap_law *c);
// The least impulses that lead to the same state in the same modes.
void ap__modes_share(ap_law *c);

// Coulomb's law without restitution: impulses into p, state into x. *exact tells whether they are
// those of the law or of its convex neighbour.
ap_status ap__coulomb(ap_law *c, bool *exact);

#endif
