// SPDX-License-Identifier: Apache-2.0
/// @file ddp.h
/// Optimal control by differential dynamic programming with limits on the controls: trajectories,
/// and model-predictive control in a loop. Part of the core: no heap, no I/O, libm only.
///
/// Sought are controls u(0) .. u(N - 1) within their limits, and with them the states, of least
///
///     J = sum over k < N of l(q(k), v(k), u(k))  +  L(q(N), v(N))
///
/// Steps are those of the robot: v and q follow ap_forward_dynamics(), q on its manifold
/// (ap_integrate()), so free bases and spherical joints need no further coordinates. States differ
/// by x = [dq; dv], 2 nv numbers. Second derivatives of the dynamics are left out (iLQR); those of
/// the cost are Gauss-Newton's. docs/planning.md has the method and what is verified.
///
///     ap_ddp_def def = ap_default_ddp();
///     def.model = m, def.horizon = 100, def.step = 0.02, ...;
///     ap_ddp *d = ap_ddp_init(&def, memory, ap_ddp_size(&def), &error);     // NULL: error
///     ap_ddp_start(d, q, v);
///     status = ap_ddp_solve(d, w, 200, &report);
///
/// In a loop: ap_ddp_start() with the state measured, ap_ddp_solve() with the iterations that there
/// is time for, apply ap_ddp_control(d, 0), ap_ddp_shift(d, 1), and again.

#ifndef APPELL_DDP_H
#define APPELL_DDP_H

#include <appell/dyn.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a step is made.
typedef enum ap_ddp_scheme {
  AP_DDP_EULER, ///< semi-implicit: v + h a, then q along that v; first order
  AP_DDP_RK4    ///< Runge-Kutta with four stages, u held; fourth order, of joints with quaternions
                ///< second order
} ap_ddp_scheme;

/// A frame that should be somewhere: the cost is half of each weight times the square of the
/// distance (m) and of the angle (rad).
typedef struct ap_ddp_frame {
  int frame;              ///< number of the frame
  double p[3];            ///< where its origin should be, ground frame
  double R[9];            ///< its axes there as columns; not read where both weights are 0
  double position;        ///< weight in every step
  double orientation;     ///< weight in every step
  double end_position;    ///< weight at the end
  double end_orientation; ///< weight at the end
} ap_ddp_frame;

/// Derivatives of a cost, to which a callback adds its own; matrices are row-major.
typedef struct ap_ddp_terms {
  double *x;  ///< [2 nv] by dq, then dv
  double *u;  ///< [nu]; NULL at the end
  double *xx; ///< [2 nv * 2 nv], both triangles
  double *uu; ///< [nu * nu], both triangles; NULL at the end
  double *ux; ///< [nu * 2 nv]; NULL at the end
} ap_ddp_terms;

/// A cost of the caller's own, added to that of the definition: returns its value at step k, for k
/// = horizon that of the end, where u is NULL. terms is NULL where only the value is asked for.
typedef double (*ap_ddp_cost)(void *context, int k, const double *q, const double *v,
                              const double *u, const ap_ddp_terms *terms);

/// An optimal control problem. Start from ap_default_ddp(). What is pointed to must live as long as
/// the solver; numbers in it may change between calls. Weights are [nv] or [nu], not negative, NULL
/// for zeros; the cost is half of each times the square of its difference. Weights of the steps are
/// per step, not per second.
typedef struct ap_ddp_def {
  const ap_model *model;      ///< the robot
  int horizon;                ///< number of steps N
  double step;                ///< s
  ap_ddp_scheme scheme;       ///< default AP_DDP_EULER
  int controls;               ///< nu; 0: one for every degree of freedom
  const int *actuated;        ///< [nu] which entry of tau each control is; NULL: the first nu
  const double *lower;        ///< [nu] least controls; NULL: none, -INFINITY for one without
  const double *upper;        ///< [nu] largest controls
  const double *q;            ///< [nq] where the robot should be; NULL: ap_neutral()
  const double *v;            ///< [nv] how fast it should move; NULL: at rest
  const double *u;            ///< [nu] controls that cost nothing; NULL: zero
  const double *weight_q;     ///< [nv] of ap_difference() from q, every step
  const double *weight_v;     ///< [nv] every step
  const double *weight_u;     ///< [nu] every step
  const double *end_q;        ///< [nv] the same at the end
  const double *end_v;        ///< [nv] the same at the end
  const ap_ddp_frame *frames; ///< frames with a goal; NULL: none
  int nframe;                 ///< how many
  ap_ddp_cost cost;           ///< NULL: none
  void *context;              ///< for cost
  double tolerance;           ///< of the optimality condition, see ap_ddp_report; default 1e-6
  double regularisation;      ///< least number added to the diagonal of the Hessian; default 1e-9
  unsigned cookie;            ///< ap_default_ddp() sets it
} ap_ddp_def;

/// The defaults named above.
AP_API ap_ddp_def ap_default_ddp(void);

/// A solver in the caller's memory.
typedef struct ap_ddp ap_ddp;

/// Bytes that ap_ddp_init() needs; 0 for a definition that it refuses.
AP_API size_t ap_ddp_size(const ap_ddp_def *def);
/// Check a definition and prepare a solver in mem (any alignment): the robot at rest in its neutral
/// configuration, all controls zero or at the limit nearest to it. NULL, with *error filled, for a
/// definition that cannot be or too little memory.
AP_API ap_ddp *ap_ddp_init(const ap_ddp_def *def, void *mem, size_t size, ap_error *error);

/// The state in which the robot begins: [nq] and [nv]. AP_E_ARG for numbers that are not finite.
AP_API ap_status ap_ddp_start(ap_ddp *d, const double *q, const double *v);
/// Controls to begin with, [horizon * nu], brought within their limits; NULL: zero. AP_E_ARG for
/// numbers that are not finite.
AP_API ap_status ap_ddp_guess(ap_ddp *d, const double *u);
/// Drop the first n steps and repeat the last control at the end: the warm start of the next call.
AP_API void ap_ddp_shift(ap_ddp *d, int n);

/// What a call came to.
typedef struct ap_ddp_report {
  int iterations;    ///< improvements made
  double cost;       ///< J
  double first_cost; ///< J of the controls that the call began with
  double optimality; ///< largest entry of u - clamp(u - dJ/du), 0 where nothing can be improved;
                     ///< before the last improvement where the iterations ran out
  double regularisation; ///< in the last iteration
} ap_ddp_report;

/// Improve the controls by at most so many iterations. w is a work of the model with its solver,
/// derivatives and frames; it decides about friction, payload and gravity. AP_OK: optimal to the
/// tolerance; AP_E_NO_CONVERGENCE: not yet, or no further improvement is possible; controls and
/// states are those of the best found in both cases. AP_E_SINGULAR: the start itself cannot be
/// simulated with the controls there are, or the cost is not finite. report may be NULL.
AP_API ap_status ap_ddp_solve(ap_ddp *d, ap_work *w, int iterations, ap_ddp_report *report);

/// The cost of the controls as they are, simulated anew from the start, and its derivative by all
/// of them, [horizon * nu]. AP_E_SINGULAR as above.
AP_API ap_status ap_ddp_gradient(ap_ddp *d, ap_work *w, double *cost, double *gradient);

/// Controls of step k, [nu], 0 <= k < horizon.
AP_API const double *ap_ddp_control(const ap_ddp *d, int k);
/// State before step k, [nq] and [nv], 0 <= k <= horizon: that of the last solution.
AP_API const double *ap_ddp_position(const ap_ddp *d, int k);
AP_API const double *ap_ddp_velocity(const ap_ddp *d, int k); ///< likewise
/// Feedback K of step k, nu * 2 nv: u = control + K [difference(position, q); v - velocity] is best
/// near the solution. Rows of controls at a limit are zero.
AP_API const double *ap_ddp_gain(const ap_ddp *d, int k);

/// The least of u^T H u / 2 + g^T u with lower <= u <= upper, n numbers, by projected Newton steps
/// from the u given. free_[i] tells whether entry i ends inside its limits. H is symmetric positive
/// definite, n * n; room has n * n + 4 n numbers, and its first n * n are then the Cholesky factor
/// of the free rows and columns, row-major in as many columns as are free. AP_E_SINGULAR where H is
/// not positive definite.
AP_API ap_status ap_box_qp(int n, const double *H, const double *g, const double *lower,
                           const double *upper, double *u, bool *free_, double *room);

#ifdef __cplusplus
}
#endif

#endif
