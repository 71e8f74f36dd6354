// What the parts of the impact law share.
//
// In the mass metric: M = L L^T, y = L^T v, so that the kinetic energy is |y|^2 / 2. A direction k
// of touch i has the row J v of a velocity and the vector a = L^-1 J^T; then u = a . y is the
// velocity of the point along it, and an impulse p along it changes y by a p. W = A^T A is never
// formed: lengths and angles of the vectors a say the same without squaring the condition.

#ifndef AP_IMPACT_LAW_H
#define AP_IMPACT_LAW_H

#include <appell/impact.h>

#include "impact/basis.h"

typedef struct ap_law {
  int nv, n;
  const ap_touch *touch;
  double *L;                    // nv * nv, lower triangle
  double *jac;                  // 6 * nv
  double *axes;                 // 9 per touch: normal and two tangents in the world
  double *a;                    // nv per direction, 3 directions per touch: the vectors a
  double *size;                 // per direction: |a|
  double *start;                // nv: the state before everything
  double *y;                    // nv: the state now
  double *x;                    // nv: the state after
  double *e;                    // n: restitutions in use
  double *p;                    // 3 n: impulses along the axes
  double *total;                // 3 n: over all passes
  double *u;                    // 3 n
  double *d;                    // n: least normal velocities asked for
  bool *on;                     // n: set that a solver works on
  bool *use;                    // 3 n: and one inside it
  bool *given_up;               // n: touches that depend on others and differ by rounding
  int *active;                  // n
  double *lambda, *r;           // n
  double *room, *room2, *room3; // max(nv, 3 n)
  double *g;                    // nv: a change of state
  double *mix, *shared;         // 3 n vectors of nv numbers, and their parts in g
  double *cols;                 // 3 n * min(nv, 3 n): the vectors in the coordinates of a basis
  ap_basis basis, rows;         // of vectors of nv and of 3 n numbers
} ap_law;

// The vector of direction k (0: normal) of touch i.
static inline const double *ap__direction(const ap_law *c, int i, int k) {
  return c->a + (3 * i + k) * c->nv;
}

// u of all 3 n directions at y.
void ap__velocities(const ap_law *c, const double *y, double *u);

// How much of a normal velocity is rounding: this times |a| |y|.
static const double AP_STILL = 1e-13;

typedef enum ap_projected { AP_PROJECTED, AP_WEDGED, AP_TOO_LONG } ap_projected;

// The x closest to y with a_i . x >= d_i for all normals, into c->x; its pressed normals, linearly
// independent, in active (count in *nactive) with the impulses lambda. AP_WEDGED: there is none;
// on[] then tells the touches that contradict each other.
ap_projected ap__project(ap_law *c, int *nactive);

// Least p with sum m_j p_j = g over the first count vectors of mix, p >= 0 if push; false where
// none was found.
bool ap__share(ap_law *c, int count, bool push, const double *g, double *p);

// Newton's law without friction, restitutions c->e times scale: impulses into p, state into x.
ap_status ap__newton(ap_law *c, double scale, int *rank);

// Coulomb's law without restitution: impulses into p, state into x.
ap_status ap__coulomb(ap_law *c);

#endif
