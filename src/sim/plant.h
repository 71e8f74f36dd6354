// SPDX-License-Identifier: Apache-2.0
// What moves in a run. All in which kinds of robots differ goes through this one table of
// functions; places, velocities and forces are those of the tree's joints for every kind.

#ifndef AP_SIM_PLANT_H
#define AP_SIM_PLANT_H

#include <appell/dyn.h>
#include <appell/impact.h>

#include "dyn/factor.h"
#include "loop/closed_chain.h"

typedef struct ap_plant ap_plant;

// What takes joint forces, or impulses, at a state to the accelerations, or velocities, that they
// cause: the factorised inertia matrix of a tree, or the mobility of a closed chain.
typedef struct ap_response {
  int n;
  bool factor; // P is L of ap_factor
  double *P;   // [n * n], the caller's
  int *next;   // [n], the caller's: paths, as of ap_factor
} ap_response;

typedef struct ap_plant_kind {
  // Make ready to move from q, v, in place: the state near them that the robot can have.
  ap_status (*start)(ap_plant *p, double *q, double *v);
  // The state near (q, v) that the robot can have, which may be the arrays themselves; valid until
  // the next call. v, and then v_there, may be NULL.
  ap_status (*place)(ap_plant *p, const double *q, const double *v, const double **q_there,
                     const double **v_there);
  // Accelerations a under joint forces tau, which are all but those of walls.
  ap_status (*accelerate)(ap_plant *p, const double *q, const double *v, const double *tau,
                          double *a);
  // The response at q and, with v, what joint forces tau, which are all but those of walls, come
  // to: of a factor tau less the bias forces, else the accelerations under them.
  ap_status (*respond)(ap_plant *p, const double *q, const double *v, const double *tau, double *a,
                       ap_response *r);
  // x := response of x.
  void (*push)(const ap_plant *p, const ap_response *r, double *x);
  // The response as a matrix: nv * nv, symmetric.
  void (*mobility)(const ap_plant *p, const ap_response *r, double *mobility);
  // Bytes of scratch memory for impact() with n touches, and the impact: as ap_impact().
  size_t (*impact_scratch)(const ap_plant *p, int n);
  ap_status (*impact)(ap_plant *p, const double *q, double *v, int n, ap_touch *touch,
                      void *scratch, ap_impact_result *result);
} ap_plant_kind;

struct ap_plant {
  const ap_plant_kind *kind;
  const ap_model *m; // the tree
  ap_work *w;
  ap_closed *closed; // NULL: a tree
};

// place() in place; v may be NULL.
ap_status ap__plant_settle(ap_plant *p, double *q, double *v);

// A tree; w is needed for motion alone.
ap_plant ap__plant_tree(const ap_model *m, ap_work *w);
// A tree with closures, which hold at all times; closed is needed for motion alone.
ap_plant ap__plant_closed(const ap_mechanism *m, ap_closed *closed);

#endif
