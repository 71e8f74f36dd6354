// SPDX-License-Identifier: Apache-2.0
// An initial value problem from inside: single steps, and the polynomial that the motion is within
// each of them.

#ifndef AP_SIM_ODE_H
#define AP_SIM_ODE_H

#include <appell/sim.h>

#include "dyn/factor_rows.h"

// Project the state, in place, at the end of every step; the rate must be the same before and
// after. A status ends the integration with it.
typedef ap_status ap_projection(void *context, double *y);

// A pair of Runge-Kutta methods (runge_kutta.h).
enum { RK_ALL = 16, RK_POWERS = 8 }; // rates and powers at most

typedef struct rk_pair {
  int stages;  // of a step; the rate at its end is number `stages`, the next step's number 0
  int all;     // with those of the continuous extension
  int terms;   // of the continuous extension that have weights, behind three that follow from ends
  double part; // of the tolerance by which the error changes: 1 / order of the estimate
  const double *c;               // [all] where in the step each stage is
  const double (*a)[RK_ALL - 1]; // [all] weights of the earlier rates; row `stages`: of the step
  const double *error;           // [stages + 1] weights of the error estimate
  const double *second; // [stages + 1] of another, by which the first is made sharper; or NULL
  const double (*dense)[RK_ALL]; // [terms] weights of the continuous extension
} rk_pair;

// Forces of springs and dampers in the velocities of the state, which fixed steps take implicitly
// (fixed_steps.c).
typedef struct ode_stiff {
  int n, v;     // velocities, and where they begin in the state
  const int *q; // [n] place of each one's coordinate in the state; -1: it has none
  bool any;     // any spring or damper acts
  double *damping, *stiffness, *rest; // [n]
  double *mobility;                   // [n * n] P
  double *part;                       // [6 * entries of the state] implicit parts of the rates
  int nacts, *acts;                   // [n] velocities with a spring or a damper
  double *U, *root, *room, *sum;      // [n * n], [n], [n], [n]
  // What acts and the mobility at a state.
  ap_status (*prepare)(void *context, double t, const double *y);
  // What is behind q and v in the rate at y, with contact forces as the last rate found them.
  ap_status (*ledger)(void *context, double t, const double *y, double *rate);
  // q' from the configuration and the velocities.
  void (*configuration_rate)(void *context, const double *q, const double *v, double *rate);
} ode_stiff;

struct ap_ode {
  int n;
  ap_rate *rate;
  ap_projection *project; // NULL: none
  void *context;
  ap_ode_options options;
  const rk_pair *pair;
  const ap__factor_rows *rows; // of the processor
  double fixed;                // s: length of steps; 0: to the tolerance
  double grid;                 // time from which they count
  bool euler;                  // by Euler's method, else of order 4
  ode_stiff *stiff;            // of fixed steps
  bool patient;                // trial steps whose rate fails are made shorter instead of failing
  double *absolute;            // [n] absolute tolerances
  double t;                    // of the last start or reading
  bool running;                // started, and nothing failed since
  double next;                 // length of the next step to try; 0: not known
  double from, to;             // the step that was taken last; both the same: none yet
  double h;                    // its length
  double error;                // of that step, in units of the tolerance
  double *y0, *y;              // [n] the states where it begins and ends
  double *k;                   // [all * n] its rates; number `stages` is the one at its end
  double *again;               // [all * n] rates of another step from its beginning
  double *stage;               // [n]
  double *power;               // [8 * n] polynomial of the step in (t - from) / h
  bool rate_known;             // number `stages` is the rate at the end
  bool dense;                  // power is that of the step
  ap_status failed;            // what ended the last integration: the rate's status, or
  int not_finite;              // the entry of the rate that was not finite; -1: none
  double failed_at;            // the time of that
  int stumbles;                // steps in a row in which the rate failed at first
  long evaluations;            // since the problem was made
  long steps;                  // likewise
};

// The rate at a state; false where it failed or is not finite.
bool ap__ode_rate(ap_ode *ode, double t, const double *y, double *dydt);

// y: the end of a fixed step of h from ode->y0; k [6 * n] has the rate there first.
bool ap__fixed_step(ap_ode *ode, double h, double *k, double *y);

// Start as ap_ode_start(), with the length of steps that the last ones had.
ap_status ap__ode_resume(ap_ode *ode, double t, const double *y, ap_error *error);

// Forget the lengths of steps: the problem begins at t.
void ap__ode_begin(ap_ode *ode, double t);

// Something is expected to end the steps after so long (INFINITY: nothing): of the pairs up to the
// order that was asked for, take the one that gets there with fewer evaluations.
void ap__ode_expect(ap_ode *ode, double time);

// How long steps of the pair in use are beside those of order 8.
double ap__ode_unit(const ap_ode *ode);

// One step to the tolerance from where the last one ended, not beyond `stop`, which lies ahead. It
// goes from ode->from to ode->to, where the state is ode->y.
ap_status ap__ode_step(ap_ode *ode, double stop, ap_error *error);

// Make the polynomial of the last step.
ap_status ap__ode_interpolate(ap_ode *ode, ap_error *error);

// The polynomial of the last step at time t, which must have been made.
void ap__ode_read(const ap_ode *ode, double t, double *y);

// Move a state of time t by dt along the rate that the polynomial of the last step has at t.
void ap__ode_nudge(const ap_ode *ode, double t, double dt, double *y);

// y: the end of one step of the method from the beginning of the last one to time t inside it. *off
// is its error in units of the tolerance.
ap_status ap__ode_shorter(ap_ode *ode, double t, double *y, double *off, ap_error *error);

// Undo the last step; the next one is no longer than h.
void ap__ode_undo(ap_ode *ode, double h);

#endif
