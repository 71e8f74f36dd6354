// SPDX-License-Identifier: Apache-2.0
// A mechanism in the coordinates x of its tree, as simulation and impacts see it.
//
// The columns of Z [nv * free] are an orthonormal basis of the rates that the closures allow:
// Phi_x Z = 0. All motion at a place x is then
//
//   xd = Z z,   xdd = x0 + Z z',   x0 = -Phi_x^+ (Phi_x' xd),
//   Z^T M Z z' = Z^T (tau - h(x, xd) - M x0),
//
// which is M xdd + h = tau + Phi_x^T lambda with Phi_x xdd = -Phi_x' xd, lambda taken out. It needs
// no independent coordinates, so that it passes through their singularities; redundant closures do
// no harm; and M need only be regular where the mechanism can move.

#ifndef AP_LOOP_CLOSED_CHAIN_H
#define AP_LOOP_CLOSED_CHAIN_H

#include <appell/loop.h>

#include "num/qr.h"

typedef struct ap_closed {
  const ap_mechanism *m;
  ap_loop *l;
  int nv, nx;
  int rank;      // of Phi_x while nothing is singular
  int free;      // nv - rank: freedoms
  bool known;    // what follows, up to L, belongs to x
  double *x;     // [nx]
  ap_qr qr;      // of Phi_x
  double *Z;     // [nv * free]
  double *M;     // [nv * nv] of the tree
  double *L;     // [free * free] lower triangle, Z^T M Z = L L^T
  double *MZ;    // [nv * free]
  double *half;  // [nv * free] Z L^-T
  double *there; // [nx] place and
  double *rates; // [nv] rates that were found last
  double *best;  // [nx]
  double *step;  // [nv]
  double *F;     // [rows + coordinates]
  double *tall;  // [rows + coordinates]
  double *z;     // [nv]
  double *xdd;   // [nv]
  double *f;     // [nv]
  double error;  // largest entry of Phi where it was closed last, and
  double drift;  // before that
} ap_closed;

// Memory, and the mechanism in it: its loop is the caller's, whose configuration is not used.
size_t ap__closed_size(const ap_mechanism *m);
ap_closed *ap__closed_init(const ap_mechanism *m, ap_loop *l, void *mem);

// Close the mechanism near x, in place, by the least change, and learn the rank of its closures
// there. AP_E_UNREACHABLE; AP_E_SINGULAR_CLOSURES where the rank is less than nearby.
ap_status ap__closed_start(ap_closed *c, double *x);

// Z and L at a place x where the closures hold. AP_E_SINGULAR_CLOSURES, AP_E_SINGULAR.
ap_status ap__closed_at(ap_closed *c, const double *x);

// Close the mechanism near x, by the least change of x; then the rates that the closures allow and
// that are nearest to xd (may be NULL) in the metric of M: what is taken out has the energy that is
// lost. Both depend on x and xd alone. The results are `there` and `rates`. AP_E_UNREACHABLE, and
// as ap__closed_at().
ap_status ap__closed_place(ap_closed *c, const double *x, const double *xd);

// The three below at a place where the closures hold; they fail as ap__closed_at() does.

// Accelerations of the tree under joint forces tau [nv].
ap_status ap__closed_accelerate(ap_closed *c, const double *x, const double *xd, const double *tau,
                                double *xdd);
// Z (Z^T M Z)^-1 Z^T, nv * nv.
ap_status ap__closed_mobility(ap_closed *c, const double *x, double *mobility);
// L^T z of the rates Z z nearest to xd: their energy is half its square.
void ap__closed_momentum(const ap_closed *c, const double *xd, double *y);

// Independent coordinates s and their rates sd at x, xd; returns the largest entry of Phi.
double ap__closed_coordinates(ap_closed *c, const double *x, const double *xd, double *s,
                              double *sd);
// ---- beginnings, with a loop alone -------------------------------------------------------------

// As ap_loop_close(), but joints whose rates are marked in held [nv] (may be NULL) stay as they
// are.
ap_status ap__loop_close(const ap_mechanism *m, ap_loop *l, double *x, const bool *held,
                         ap_assembly *result);
// Rates of the tree at x that the closures allow and that give the independent coordinates the
// rates v (NULL: any): the shortest, and beside those that are held, which stay as they are in xd.
// Returns by how much they miss that, the largest rate of Phi or difference from v.
double ap__loop_rates(const ap_mechanism *m, ap_loop *l, const double *x, const bool *held,
                      const double *v, double *xd);
// Begin the next search at the configuration of that branch (NULL: the own) at q, where it is known
// in closed form; else false, and nothing changes.
bool ap__loop_begin_there(const ap_mechanism *m, ap_loop *l, const char *branch, const double *q);

#endif
