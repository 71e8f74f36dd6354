// SPDX-License-Identifier: Apache-2.0
// The Agile Wrist on the trajectory of Abedloo et al. (2014): a simulator in maximal coordinates,
// what the closed form makes of its motion, and the laws that the closed form's matrices obey.

#ifndef PAPERS_ABEDLOO_RUN_H
#define PAPERS_ABEDLOO_RUN_H

#include <stdbool.h>

#include "maximal.h"

enum {
  WRIST_BRANCHES = 8,
  WRIST_STEPS_MOST = 800, ///< of a driven run
  WRIST_ANGLES = 6        ///< joints that are compared: the motors, then the elbows
};
#define WRIST_PI  3.14159265358979323846
#define WRIST_END 4.0 ///< s: one period of the trajectory

/// A wrist, as the closed form and as bodies.
typedef struct wrist_lab {
  void *memory;
  ap_wrist_def def;
  const ap_parallel *w;
  maximal_system bodies;
  double amplitude; ///< of the trajectory, times those of equation 52
} wrist_lab;

/// The Agile Wrist; bit i of branch set: limb i has sign -1.
ap_status wrist_make(int branch, double amplitude, wrist_lab *l, ap_error *error);
void wrist_free(wrist_lab *l);

/// Equation 52 with all amplitudes times scale: angles of the platform, rates, accelerations.
void wrist_trajectory(double scale, double t, double q[3], double v[3], double a[3]);

// ---- abedloo_run.c: the simulator --------------------------------------------------------------

/// The gains at each motor.
typedef struct wrist_gains {
  double p; ///< N m/rad
  double d; ///< N m s/rad
} wrist_gains;

/// A quantity by the simulator and by the closed form that was fed with the simulator's motion.
typedef struct wrist_sample {
  double t;
  double wanted[3];        ///< angles of the platform on the trajectory
  double q[3], v[3], a[3]; ///< the simulator's platform
  double angle[2][WRIST_ANGLES], rate[2][WRIST_ANGLES], acceleration[2][WRIST_ANGLES];
  double tau[2][3];
  double energy[2];
  double power[2]; ///< of the motors: tau . theta'; Q . v
} wrist_sample;

typedef struct wrist_run {
  wrist_sample sample[WRIST_STEPS_MOST + 1];
  int samples;
  double drift; ///< largest residual of the joints before a step's correction
} wrist_run;

/// Drive the bodies along the whole trajectory by PD control from its start, in so many steps.
ap_status wrist_drive(const wrist_lab *l, wrist_gains gains, int steps, wrist_run *run,
                      ap_error *error);

/// Part of the trajectory that the bodies are driven along open loop.
typedef struct wrist_stretch {
  double from, to; ///< s
  int steps;
} wrist_stretch;

/// Drive the bodies by the closed form's torques for the trajectory alone, from a state on it. At
/// the end the platform is turned by *deviation, rad, from where it should be.
ap_status wrist_open_loop(const wrist_lab *l, wrist_stretch stretch, double *deviation,
                          ap_error *error);

// ---- abedloo_laws.c: the closed form -----------------------------------------------------------

/// What holds of the matrices along the trajectory; largest over time but for the eigenvalue.
typedef struct wrist_laws {
  double asymmetry;        ///< |M - M^T|
  double least_eigenvalue; ///< of M
  double skew[2];          ///< |X + X^T|, X = M' - 2C: our C, the paper's
  double apart;            ///< |(C - the paper's C) v|
  double size;             ///< |C v|
  double balance;          ///< |change of energy - work of the motors since the start|, J
  double turnover;         ///< largest change of energy, J
} wrist_laws;

ap_status wrist_check_laws(const wrist_lab *l, wrist_laws *laws, ap_error *error);

/// Distances from both kinds of singularity along the trajectory.
typedef struct wrist_distance {
  double angle[2];          ///< least and largest angle between u_i and v_i, rad
  double serial, serial_at; ///< least angle before a limb is stretched or folded, rad, and when
  double h;                 ///< least |h_i|
  double parallel;          ///< least |det| of the unit vectors along p_1i
  double sigma, sigma_at;   ///< least singular value of them, and when
  double cos_q1;            ///< least: distance of the Euler angles' singularity
  double until_serial;      ///< amplitudes times this meet a serial singularity
  double until_parallel;    ///< the same of a parallel one; NAN: a serial one is met before
} wrist_distance;

ap_status wrist_measure_distance(const wrist_lab *l, wrist_distance *d, ap_error *error);

/// The joints that the closed form has for a motion of the platform; v and a may be NULL.
typedef struct wrist_joints {
  double theta[3], psi[3], thetad[3], psid[3], thetadd[3], psidd[3];
} wrist_joints;
ap_status wrist_inverse(const wrist_lab *l, const double *q, const double *v, const double *a,
                        wrist_joints *m);

/// The failure of a call of the closed form at q (may be NULL) in words.
ap_status wrist_fail(const wrist_lab *l, ap_status status, const double *q, double t,
                     ap_error *error);

#endif
