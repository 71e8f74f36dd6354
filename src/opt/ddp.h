// SPDX-License-Identifier: Apache-2.0
// What a solver of optimal control problems holds.

#ifndef AP_OPT_DDP_H
#define AP_OPT_DDP_H

#include <appell/ddp.h>

#include "opt/products.h"

// A trajectory: states before every step and after the last, and controls.
typedef struct ap__ddp_path {
  double *q, *v; // [N + 1][nq], [N + 1][nv]
  double *u;     // [N][nu]
  double cost;
} ap__ddp_path;

struct ap_ddp {
  ap_ddp_def def;
  int N, nq, nv, nx, nu, nz; // nx = 2 nv, nz = nx + nu
  bool quaternions;
  const ap__products *by; // of this processor
  double mu, rate;
  ap__ddp_path best, next;
  double *neutral; // [nq] configuration that the robot should have where none is given
  double *F;       // [N][nx * nz] derivatives of the next state by [dq dv du]
  double *lx;      // [N + 1][nx]
  double *lxx;     // [N + 1][nx * nx]
  double *lu;      // [N][nu]
  double *luu;     // [N][nu * nu]
  double *lux;     // [N][nu * nx]
  double *k;       // [N][nu] change of the controls
  double *K;       // [N][nu * nx] feedback
  double *Vx, *Vxx, *Q, *Qz, *product, *held; // of the value function, see ddp.c
  double *low, *high, *box;                   // limits of a change; room of ap_box_qp()
  bool *free_;                                // [nu]
  double *tau, *a, *x, *along;                // [nv], [4][nv], [nx], [4][nv]
  double *stage_q;                            // [nq]
  double *dq, *dv, *da;                       // derivatives of the forward dynamics, [nv * nv]
  double *stage;                              // [9][nv * nz] of stages of a step
  double *room;                               // [6 * max(nz, nx)]
  double *J;                                  // [6 * nv]
};

static inline const double *ap__ddp_goal(const ap_ddp *d) {
  return d->def.q ? d->def.q : d->neutral;
}

// ---- manifold.c --------------------------------------------------------------------------------

// As q moves by dq and the step xi by dxi, ap_integrate(q, xi) moves by what is left in dq:
// rows of dq and dxi are those of v, with n columns.
void ap__ddp_move(const ap_ddp *d, const double *xi, int n, double *dq, const double *dxi);
// As q moves by dq, r = ap_difference(goal, q) moves by D dq. gradient += D^T W r and hessian +=
// D^T W D, whose rows are nx long; W is diagonal.
void ap__ddp_pull(const ap_ddp *d, const double *W, const double *r, double *gradient,
                  double *hessian);
// The right Jacobian of the rotation vector e, and its inverse.
void ap__ddp_turn_inverse(const double e[3], double J[9]);

// ---- step.c ------------------------------------------------------------------------------------

// The state after step k of p; its derivatives go to F, which may be NULL.
ap_status ap__ddp_step(ap_ddp *d, ap_work *w, ap__ddp_path *p, int k, double *F);

// ---- cost.c ------------------------------------------------------------------------------------

// The cost of step k of p, k = N: of the end.
double ap__ddp_cost(ap_ddp *d, ap_work *w, const ap__ddp_path *p, int k);
// Its derivatives, of `best`.
void ap__ddp_cost_terms(ap_ddp *d, ap_work *w, int k);

#endif
