/// @file sim.h
/// Motion over time: differential equations integrated to a tolerance. Part of libappell-tools;
/// allocates.

#ifndef APPELL_SIM_H
#define APPELL_SIM_H

#include <appell/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// dy/dt = f(t, y). Any status but AP_OK ends the integration, and becomes its status; so does a
/// rate that is not finite, with AP_E_NO_CONVERGENCE.
typedef ap_status ap_rate(void *context, double t, const double *y, double *dydt);

/// How to integrate. Begin with ap_default_ode_options() and change what differs.
typedef struct ap_ode_options {
  double relative;     ///< tolerance relative to each |y|: 1e-6
  double absolute;     ///< tolerance in the units of y: 1e-6
  double first_step;   ///< 0: chosen
  double longest_step; ///< 0: no limit
  long most_steps;     ///< between two outputs, before AP_E_NO_CONVERGENCE: 100000
} ap_ode_options;
/// The defaults named above.
AP_API ap_ode_options ap_default_ode_options(void);

/// An initial value problem, integrated forward in time by the explicit Runge-Kutta pair of Dormand
/// and Prince, orders 5 and 4, with adaptive steps (SUNDIALS ARKODE). The same calls give the same
/// bits.
typedef struct ap_ode ap_ode;

/// A problem of n equations; options NULL means the defaults. AP_E_UNSUPPORTED where the library
/// was built without SUNDIALS. SUNDIALS 6 does not check all of its own allocations: where memory
/// runs out here or in the first step after, the process may end. Free it with ap_ode_free().
AP_API ap_status ap_ode_create(int n, ap_rate *rate, void *context, const ap_ode_options *options,
                               ap_ode **ode, ap_error *error);
/// Free a problem; NULL is allowed.
AP_API void ap_ode_free(ap_ode *ode);
/// Start, or start again after a jump or a failure, from y at time t. Nothing of the past is kept
/// but the two counts below.
AP_API ap_status ap_ode_start(ap_ode *ode, double t, const double *y, ap_error *error);
/// Integrate on to time t, which lies ahead, and read y there. Steps are not cut at t: y is
/// interpolated between them to the order of the method. On failure y stays as it is, and, unless
/// the status is AP_E_ARG, the problem must be started again.
AP_API ap_status ap_ode_advance(ap_ode *ode, double t, double *y, ap_error *error);
/// As ap_ode_advance(), but the last step ends at t, and the rate is not evaluated beyond. Where an
/// earlier ap_ode_advance() stepped over t, the problem is first started again from what it read.
AP_API ap_status ap_ode_advance_to(ap_ode *ode, double t, double *y, ap_error *error);
/// How often the rate was evaluated since ap_ode_create().
AP_API long ap_ode_evaluations(const ap_ode *ode);
/// How many steps were taken since ap_ode_create().
AP_API long ap_ode_steps(const ap_ode *ode);

#ifdef __cplusplus
}
#endif

#endif
