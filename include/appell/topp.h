// SPDX-License-Identifier: Apache-2.0
/// @file topp.h
/// The fastest motion along a given path: time-optimal path parametrisation by reachability
/// analysis, under limits of joint torque, speed and acceleration. Part of libappell-tools.
///
/// A path is a trajectory whose "time" is the path parameter s, in any unit: ap_traj_path() makes
/// one through points, every constructor of traj.h another. What is sought is s(t). With x = s'^2
/// and u = s'' the joint torques are
///
///     tau = a(s) u + b(s) x + c(s) + d(s) sqrt(x)
///
/// (inertia; Coriolis, centrifugal; gravity, springs, Coulomb friction; viscous friction), so every
/// limit but viscous friction is linear in (u, x). On a grid of s with u constant in between, the
/// set of speeds from which the end can be reached is an interval, found backward by linear
/// programs in two unknowns; then the largest u that stays in the sets is taken forward. Viscous
/// friction is replaced by its tangent in x at the solution before, until they agree.
/// docs/planning.md derives it and says how large the errors are.
///
/// Asking for the size, preparing and solving allocate nothing:
///
///     ap_topp_def def = ap_default_topp();
///     def.model = m, def.path = path, def.effort = effort, def.velocity = velocity;
///     ap_topp *t = ap_topp_init(&def, memory, ap_topp_size(&def), &error);   // NULL: error
///     status = ap_topp_solve(t, w, &error);
///     ap_topp_at(t, time, q, v, a);

#ifndef APPELL_TOPP_H
#define APPELL_TOPP_H

#include <appell/dyn.h>
#include <appell/traj.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- paths -------------------------------------------------------------------------------------

/// How points are joined.
typedef enum ap_path_kind {
  AP_PATH_SPLINE, ///< a natural cubic spline: direction and curvature do not jump
  AP_PATH_LINES   ///< straight lines in the coordinates; the motion stops at every corner
} ap_path_kind;

/// The path through points, by the length of the lines between them as parameter: s goes from 0 to
/// their sum. Allocates. AP_E_ARG, with a reason: fewer than two points, a number that is not
/// finite, two equal points in succession.
AP_API ap_status ap_traj_path(int n, int points, const double *q, ap_path_kind kind, ap_traj **path,
                              ap_error *error);

// ---- problem -----------------------------------------------------------------------------------

/// A path and its limits. Start from ap_default_topp(). Everything pointed to must live as long as
/// the solver. Limits are [n] largest magnitudes, positive; NULL for none, INFINITY for a
/// coordinate without.
typedef struct ap_topp_def {
  const ap_model *model; ///< of joints with one degree of freedom or planar ones, n of them in all;
                         ///< NULL: no limits of torque
  const ap_traj *path;   ///< n coordinates by s
  const double *effort;  ///< N m or N: of what ap_inverse_dynamics() gives with the work of
                         ///< ap_topp_solve(), its friction, payload and gravity included
  const double *velocity;     ///< rad/s or m/s
  const double *acceleration; ///< rad/s2 or m/s2
  double start_speed;         ///< s' at the start; default 0
  double end_speed;           ///< s' at the end; default 0
  int grid;                   ///< intervals of s, about: every piece of the path has its share of
                              ///< them and at least 8; default 1000
  bool collocation; ///< keep to limits at the start of each interval only, an error of first order
                    ///< in its length; default false: at both ends, an error of second order
  unsigned cookie;  ///< ap_default_topp() sets it
} ap_topp_def;

/// The defaults named above.
AP_API ap_topp_def ap_default_topp(void);

/// A solver with its result, in the caller's memory.
typedef struct ap_topp ap_topp;

/// Bytes that ap_topp_init() needs; 0 for a definition that it refuses.
AP_API size_t ap_topp_size(const ap_topp_def *def);
/// Check a definition and prepare a solver in mem (any alignment). NULL, with *error filled: a
/// model that does not fit the path, a limit that is not positive, a path with a part that is
/// itself the result of a solver, a grid of more than ten million intervals, too little memory.
AP_API ap_topp *ap_topp_init(const ap_topp_def *def, void *mem, size_t size, ap_error *error);

/// Find the fastest motion. w is a work of def.model with inverse dynamics (NULL without model); it
/// decides about friction, payload and gravity. No heap, no lock, no I/O; the time is proportional
/// to grid * n and to the passes that viscous friction asks for. AP_E_UNREACHABLE, with place and
/// joint in *error, where the limits allow no motion; AP_E_ARG where nothing limits the speed;
/// AP_E_NO_CONVERGENCE where viscous friction does not settle in 60 passes.
AP_API ap_status ap_topp_solve(ap_topp *t, ap_work *w, ap_error *error);

// ---- result ------------------------------------------------------------------------------------

/// What a solution is like.
typedef struct ap_topp_report {
  double duration;  ///< s
  int intervals;    ///< of the grid
  int passes;       ///< 1, or more with viscous friction
  double active;    ///< share of the intervals in which some limit is met to 1e-6 of it
  double excess;    ///< by which share of it a limit is exceeded most anywhere between grid points
  double excess_s;  ///< where
  int excess_joint; ///< which coordinate, from 0
} ap_topp_report;

/// Measure a solution: `samples` times within every interval, its ends included, with
/// ap_inverse_dynamics() itself; at least 2. No heap. AP_E_ARG before ap_topp_solve() succeeded.
AP_API ap_status ap_topp_measure(const ap_topp *t, ap_work *w, int samples, ap_topp_report *report);
/// Duration, s; 0 before ap_topp_solve() succeeded.
AP_API double ap_topp_duration(const ap_topp *t);
/// Number of intervals of the grid.
AP_API int ap_topp_intervals(const ap_topp *t);
/// Grid point i, 0 .. intervals: its s, the square x of the speed there, and the largest square
/// from which the end can still be reached. Any may be NULL.
AP_API void ap_topp_point(const ap_topp *t, int i, double *s, double *x, double *controllable);
/// Where the motion is at a time: [n] each, any may be NULL; at rest before and after. No heap.
AP_API void ap_topp_at(const ap_topp *t, double time, double *q, double *v, double *a);
/// The same motion as a trajectory of its own, exactly; allocates. It needs neither solver nor path
/// any more.
AP_API ap_status ap_topp_traj(const ap_topp *t, ap_traj **traj, ap_error *error);

/// All at once, with memory of its own: solve, measure, and double the grid until no limit is
/// exceeded by more than the share `tolerance` between grid points, at most eight times. report may
/// be NULL. AP_E_NO_CONVERGENCE where that does not suffice.
AP_API ap_status ap_traj_time_optimal(const ap_topp_def *def, ap_work *w, double tolerance,
                                      ap_traj **traj, ap_topp_report *report, ap_error *error);

#ifdef __cplusplus
}
#endif

#endif
