// SPDX-License-Identifier: Apache-2.0
/// @file parallel.h
/// Parallel robots in closed form: two or three limbs, each with one motor at the ground, carry a
/// platform. wrist.h, five_bar.h and delta.h define three kinds of them and describe q, the limbs
/// and their joints; the functions are here. The general method of loop.h gives the same numbers
/// and takes longer; docs/loops.md has the equations. Part of libappell-tools; nothing here
/// allocates.
///
/// A robot has n limbs, n motors and n coordinates q of its platform, v and a being their rates.
/// theta are the angles of the motors, tau their torques.
///
/// Two kinds of pose are singular. In a serial one a limb is stretched or folded: no finite motor
/// speed produces some motions of the platform. In a parallel one the motors cannot hold the
/// platform. ap_parallel_margins() returns the distances to both.

#ifndef APPELL_PARALLEL_H
#define APPELL_PARALLEL_H

#include <appell/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Mass of a link.
typedef struct ap_parallel_link {
  double mass;       ///< kg
  double com[3];     ///< centre of mass in the link's frame, m
  double inertia[6]; ///< kg m2: xx xy xz yy yz zz; about the point that the robot's header names
} ap_parallel_link;

/// A uniform slender link along x from the origin of its frame, inertia about its centre of mass:
/// kg, m.
AP_API ap_parallel_link ap_slender_link(double mass, double length);

/// A robot checked and made ready; lives in the caller's memory, constant from then on. Made by
/// ap_wrist_init(), ap_five_bar_init() or ap_delta_init().
typedef struct ap_parallel ap_parallel;
/// Bytes that they need, whatever the alignment.
AP_API size_t ap_parallel_size(void);
/// The built-in mechanism of loop.h of that name: "agile-wrist", "five-bar" or "delta". branch has
/// a
/// '+' or '-' for each limb, NULL: the definition's own. NULL where it has no closed form, branch
/// is none, or size is too small.
AP_API ap_parallel *ap_parallel_builtin(const char *name, const char *branch, void *mem,
                                        size_t size);
/// Number of limbs, of motors and of coordinates: 2 or 3.
AP_API int ap_parallel_n(const ap_parallel *r);

/// How far a pose is from where it cannot be reached and from both kinds of singularity.
typedef struct ap_parallel_margin {
  ap_status status; ///< AP_OK, AP_E_ARG, AP_E_UNREACHABLE, AP_E_SINGULAR_SERIAL or
                    ///< AP_E_SINGULAR_PARALLEL
  int limb;         ///< the limb that it is about; -1: none
  double reach[3];  ///< what limb i has left before it is stretched or folded, m (of a wrist rad);
                    ///< negative: the limb does not reach the pose by as much
  double serial[3]; ///< 0 in a serial singularity, size at most 1; 0 where limb i does not reach
  double parallel;  ///< 0 in a parallel singularity, -1 to 1: the determinant of the unit vectors
                    ///< along d theta_i / d (motion of the platform); 0 where a limb does not reach
  double sigma;     ///< least singular value of these vectors, 0 to 1
  double level;     ///< of a Delta: see delta.h; otherwise 0
} ap_parallel_margin;

/// The margins of a pose. AP_E_UNREACHABLE, AP_E_SINGULAR_SERIAL, AP_E_SINGULAR_PARALLEL, the first
/// that holds; AP_E_ARG where q is not finite. *margin is filled always and holds no NaN.
AP_API ap_status ap_parallel_margins(const ap_parallel *r, const double *q,
                                     ap_parallel_margin *margin);
/// The status that a function gave at q in words, for a person: what is wrong, in which limb, and
/// what would be right. The text is empty for AP_OK.
AP_API void ap_parallel_explain(const ap_parallel *r, const double *q, ap_status status,
                                ap_error *error);

// All functions below leave their outputs untouched unless they return AP_OK. q, v, a, theta, tau
// have n entries; v, a, thetad, thetadd may be NULL for zero, and so may every output but the only
// one. AP_E_UNREACHABLE and AP_E_SINGULAR_SERIAL as ap_parallel_margins() has them; AP_E_ARG where
// a number is not finite or so large that an output would not be.

/// The joints that a motion of the platform needs, coordinate k of limb i at [k n + i]: the first n
/// are the motors, then what the robot's header names. Angles, -pi to pi; rates; accelerations.
/// Needs no parallel singularity to be far.
AP_API ap_status ap_parallel_inverse_kinematics(const ap_parallel *r, const double *q,
                                                const double *v, const double *a, double *y,
                                                double *yd, double *ydd);
/// The motion of the platform that motors give, of a five-bar or a Delta (AP_E_UNSUPPORTED: of a
/// wrist). assembly, 1 or -1, is the sign of `parallel` of the margins, which chooses between two
/// poses. The branches of the definition play no part; those of the pose are in branch (may be
/// NULL), n entries, 0 where a limb is stretched or folded. AP_E_UNREACHABLE: the limbs do not
/// meet. AP_E_SINGULAR_PARALLEL: `parallel` at or below least_parallel or 1e-7 (1e-3 in float),
/// where both poses meet and rounding alone would tell them apart, or knees in one line.
AP_API ap_status ap_parallel_forward_kinematics(const ap_parallel *r, const double *theta,
                                                const double *thetad, const double *thetadd,
                                                int assembly, double *q, double *v, double *a,
                                                int *branch);
/// The matrices of M(q) a + C(q, v) v + G(q) = Q = J^T tau and theta' = J v, row-major. C is
/// Christoffel's: M' - 2C is skew-symmetric. They exist at parallel singularities too.
AP_API ap_status ap_parallel_matrices(const ap_parallel *r, const double *q, const double *v,
                                      double *M, double *C, double *G, double *J);
/// Generalised forces Q = M a + C v + G.
AP_API ap_status ap_parallel_forces(const ap_parallel *r, const double *q, const double *v,
                                    const double *a, double *Q);
/// Torques of the motors, tau = J^-T Q. AP_E_SINGULAR_PARALLEL.
AP_API ap_status ap_parallel_inverse_dynamics(const ap_parallel *r, const double *q,
                                              const double *v, const double *a, double *tau);
/// Acceleration under torques of the motors. Works at parallel singularities. AP_E_SINGULAR where
/// massless bodies leave M singular.
AP_API ap_status ap_parallel_forward_dynamics(const ap_parallel *r, const double *q,
                                              const double *v, const double *tau, double *a);
/// Kinetic energy and potential energy of gravity, J; the latter is zero for a mass at the origin.
AP_API ap_status ap_parallel_energy(const ap_parallel *r, const double *q, const double *v,
                                    double *kinetic, double *potential);

/// @name Twins in single precision
/// @{

/// As its namesake in double precision. A limb is stretched or folded from 1e-3 on, if least_serial
/// is not larger.
AP_API ap_status ap_parallel_inverse_kinematics_f32(const ap_parallel *r, const float *q,
                                                    const float *v, const float *a, float *y,
                                                    float *yd, float *ydd);
AP_API ap_status ap_parallel_forward_kinematics_f32(const ap_parallel *r, const float *theta,
                                                    const float *thetad, const float *thetadd,
                                                    int assembly, float *q, float *v, float *a,
                                                    int *branch);
AP_API ap_status ap_parallel_matrices_f32(const ap_parallel *r, const float *q, const float *v,
                                          float *M, float *C, float *G, float *J);
AP_API ap_status ap_parallel_forces_f32(const ap_parallel *r, const float *q, const float *v,
                                        const float *a, float *Q);
AP_API ap_status ap_parallel_inverse_dynamics_f32(const ap_parallel *r, const float *q,
                                                  const float *v, const float *a, float *tau);
AP_API ap_status ap_parallel_forward_dynamics_f32(const ap_parallel *r, const float *q,
                                                  const float *v, const float *tau, float *a);
AP_API ap_status ap_parallel_energy_f32(const ap_parallel *r, const float *q, const float *v,
                                        float *kinetic, float *potential);
/// @}

#ifdef __cplusplus
}
#endif

#endif
