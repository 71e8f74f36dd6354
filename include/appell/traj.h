// SPDX-License-Identifier: Apache-2.0
/// @file traj.h
/// Trajectories: positions, velocities and accelerations of n coordinates over time. Part of
/// libappell-tools; what makes a trajectory allocates, asking it for a time does not.
///
/// A trajectory begins at t = 0 and is a row of pieces, each a polynomial or a finite Fourier
/// series. Before its beginning and after its end it rests where it begins and ends.

#ifndef APPELL_TRAJ_H
#define APPELL_TRAJ_H

#include <appell/kin.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A trajectory; immutable, may be shared by threads. Free it with ap_traj_free().
typedef struct ap_traj ap_traj;

/// A finite Fourier series in n coordinates: with w = 2 pi / period, coordinate j is
///     q_j(t) = centre[j] + sum over l = 1 .. harmonics of
///              sine[j][l] sin(l w t) + cosine[j][l] cos(l w t).
typedef struct ap_fourier_def {
  int n;                ///< coordinates, at least 1
  int harmonics;        ///< at least 1
  double period;        ///< s
  double duration;      ///< s; a whole number of periods or any other time
  const double *centre; ///< [n]
  const double *sine;   ///< [n * harmonics], coordinate by coordinate
  const double *cosine; ///< [n * harmonics]
} ap_fourier_def;

/// A finite Fourier series. AP_E_ARG, with a reason: a number that is not finite, a period or a
/// duration that is not positive.
AP_API ap_status ap_traj_fourier(const ap_fourier_def *def, ap_traj **traj, ap_error *error);

/// Position, velocity and acceleration of n coordinates; v and a may be NULL for zeros.
typedef struct ap_traj_state {
  const double *q; ///< [n]
  const double *v; ///< [n] or NULL
  const double *a; ///< [n] or NULL
} ap_traj_state;

/// The polynomials of degree five that lead from one state to another in a given time.
AP_API ap_status ap_traj_quintic(int n, const ap_traj_state *from, const ap_traj_state *to,
                                 double duration, ap_traj **traj, ap_error *error);

/// Straight lines in the coordinates at constant speed: a ramp, whose velocity jumps at both ends.
AP_API ap_status ap_traj_ramp(int n, const double *from, const double *to, double duration,
                              ap_traj **traj, ap_error *error);

/// The same from rest to rest: at both ends the speed grows and falls evenly in the time `corner`,
/// at most half the duration.
AP_API ap_status ap_traj_blended_ramp(int n, const double *from, const double *to, double duration,
                                      double corner, ap_traj **traj, ap_error *error);

/// From rest to rest on straight lines in the coordinates, all of them in step: as fast as the
/// largest speeds and accelerations [n] allow, with a trapezoid (or triangle) of speed.
AP_API ap_status ap_traj_trapezoid(int n, const double *from, const double *to,
                                   const double *velocity, const double *acceleration,
                                   ap_traj **traj, ap_error *error);

/// Points to be passed at given times.
typedef struct ap_spline_def {
  int n;              ///< coordinates, at least 1
  int points;         ///< at least 2
  const double *time; ///< [points], s, growing; the trajectory begins at the first as its t = 0
  const double *q;    ///< [points * n], point by point
  int degree;         ///< 3: velocity and acceleration do not jump, at rest at both ends; 5: nor do
                      ///< the third and fourth derivative, and no acceleration at the ends
} ap_spline_def;

/// The spline through points.
AP_API ap_status ap_traj_spline(const ap_spline_def *def, ap_traj **traj, ap_error *error);

/// A straight line of a frame with constant orientation, for an arm with six joints of one degree
/// of freedom each.
typedef struct ap_line_def {
  int frame;           ///< that moves along the line
  double from[3];      ///< m, ground axes
  double to[3];        ///< m
  double R[9];         ///< orientation of the frame, its axes as columns
  double speed;        ///< m/s
  double acceleration; ///< m/s2, of a trapezoid of speed; 0: all the way at that speed
  const double *guess; ///< [6] joint positions near the start, which choose the branch
  double step;         ///< s between the times at which the line is met exactly; 0: 0.01
} ap_line_def;

/// Joint positions over time for a straight line: exact in position, velocity and acceleration at
/// times def->step apart, polynomials of degree five between. AP_E_UNREACHABLE or AP_E_SINGULAR,
/// with the time in *error, where the line leaves the workspace or meets a singularity.
AP_API ap_status ap_traj_line(const ap_model *m, ap_work *w, const ap_line_def *def, ap_traj **traj,
                              ap_error *error);

/// Several trajectories one after the other; they are copied. AP_E_ARG where one does not begin
/// where its predecessor ends, to 1e-9 of the size of the numbers, or has another n.
AP_API ap_status ap_traj_chain(const ap_traj *const *parts, int count, ap_traj **traj,
                               ap_error *error);

/// Free a trajectory; NULL is allowed.
AP_API void ap_traj_free(ap_traj *traj);

/// Number of coordinates.
AP_API int ap_traj_n(const ap_traj *traj);
/// When it ends, s.
AP_API double ap_traj_duration(const ap_traj *traj);
/// Where it is at time t: [n] each, any of them may be NULL. Allocates nothing; t must be a number.
AP_API void ap_traj_at(const ap_traj *traj, double t, double *q, double *v, double *a);

/// What a trajectory must keep to; [n] each, NULL for none, INFINITY for a coordinate without.
typedef struct ap_traj_limits {
  const double *lower;        ///< least position
  const double *upper;        ///< largest position
  const double *velocity;     ///< largest speed
  const double *acceleration; ///< largest magnitude of the acceleration
} ap_traj_limits;

/// What one coordinate of a trajectory reaches.
typedef struct ap_traj_reach {
  double lower;        ///< least position
  double upper;        ///< largest position
  double velocity;     ///< largest speed
  double acceleration; ///< largest magnitude of the acceleration
} ap_traj_reach;

/// What coordinate j reaches, between the pieces and within them; to 1e-9 of each number. Infinite
/// where something is too large for a number.
AP_API ap_traj_reach ap_traj_reach_of(const ap_traj *traj, int j);

/// Whether a trajectory keeps to its limits, and everywhere to what a number can hold. AP_E_ARG,
/// with the coordinate, its value and the limit in *error, where it does not; names, [n] or NULL,
/// are what *error calls the coordinates.
AP_API ap_status ap_traj_check(const ap_traj *traj, const ap_traj_limits *limits,
                               const char *const *names, ap_error *error);

#ifdef __cplusplus
}
#endif

#endif
