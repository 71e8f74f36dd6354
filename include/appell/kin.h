// SPDX-License-Identifier: Apache-2.0
/// @file kin.h
/// Kinematics: poses, velocities, accelerations, Jacobians, centre of mass, inverse kinematics.
///
/// Call ap_kinematics() for a state, then ask about any frame. A frame number below ap_nbody(m) is
/// that body's link frame, the named frames follow; ap_find_frame() gives the number of a name. A
/// number that is no frame's, such as the -1 of a name not found, is answered by AP_E_ARG and
/// leaves the outputs untouched. Six-vectors are [linear; angular].

#ifndef APPELL_KIN_H
#define APPELL_KIN_H

#include <appell/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The axes and the point that a wrench, a Jacobian or a velocity refers to.
typedef enum ap_reference {
  AP_LOCAL, ///< axes and origin of the frame itself
  AP_WORLD, ///< axes and origin of the ground frame
  AP_MIXED  ///< axes of the ground, origin of the frame ("local world aligned")
} ap_reference;

/// Poses of all bodies for q, and, where v (and a) are given, their velocities (and
/// accelerations), kept in w for the questions below. v and a may be NULL, meaning zero, and then
/// cost nothing.
AP_API void ap_kinematics(const ap_model *m, ap_work *w, const double *q, const double *v,
                          const double *a);

/// Pose of a frame in the ground frame: axes as the columns of R (row-major), origin p.
AP_API ap_status ap_frame_pose(const ap_model *m, const ap_work *w, int frame, double R[9],
                               double p[3]);
/// Velocity of a frame: J v in the given reference.
AP_API ap_status ap_frame_velocity(const ap_model *m, const ap_work *w, int frame, ap_reference ref,
                                   double vel[6]);
/// Acceleration of a frame, gravity left out: J a + dJ/dt v, the time derivative of what
/// ap_frame_velocity() gives in the same reference. With AP_MIXED that is the acceleration of the
/// frame's origin as an observer on the ground sees it.
AP_API ap_status ap_frame_acceleration(const ap_model *m, const ap_work *w, int frame,
                                       ap_reference ref, double acc[6]);
/// Jacobian of a frame, 6 * nv row-major.
AP_API ap_status ap_frame_jacobian(const ap_model *m, ap_work *w, int frame, ap_reference ref,
                                   double *J);
/// dJ/dt v of a frame in that reference.
AP_API ap_status ap_frame_jacobian_dot_v(const ap_model *m, const ap_work *w, int frame,
                                         ap_reference ref, double acc[6]);

/// Poses and Jacobians of n frames at q: ap_kinematics() with v = a = NULL and then, of frames[k],
/// the axes in R + 9 k, the origin in p + 3 k and the Jacobian in J + 6 nv k. R, p and J may be
/// NULL: not asked for. AP_E_ARG, with the outputs untouched, where one of them is no frame.
AP_API ap_status ap_forward_kinematics(const ap_model *m, ap_work *w, const double *q,
                                       const int *frames, int n, ap_reference ref, double *R,
                                       double *p, double *J);

/// Mass of everything that moves, its centre, and the centre's velocity and acceleration in the
/// ground frame; each output may be NULL.
AP_API double ap_centre_of_mass(const ap_model *m, const ap_work *w, double com[3], double vel[3],
                                double acc[3]);
/// Centroidal momentum [linear; angular about the centre of mass], ground axes.
AP_API void ap_centroidal_momentum(const ap_model *m, const ap_work *w, double h[6]);
/// The 6 * nv matrix A with h = A v.
AP_API void ap_centroidal_matrix(const ap_model *m, ap_work *w, double *A);

/// q moved along v for one unit of time on the configuration manifold (quaternions stay unit, a
/// free base follows the screw). result may be q.
AP_API void ap_integrate(const ap_model *m, const double *q, const double *v, double *result);
/// The v with ap_integrate(q0, v) = q1, shortest way round for quaternions (not for angles).
AP_API void ap_difference(const ap_model *m, const double *q0, const double *q1, double *v);
/// Scale every quaternion in q to length one; AP_E_ARG where one is zero or not finite.
AP_API ap_status ap_normalize(const ap_model *m, double *q);

/// Options of the numeric inverse kinematics. Start from ap_default_ik().
typedef struct ap_ik_options {
  int iterations;      ///< at most; default 200
  double tolerance;    ///< of position (m) and orientation (rad) together; default 1e-10
  double damping;      ///< smallest damping factor; default 1e-6
  bool position_only;  ///< leave the orientation free; R may then be NULL
  bool respect_limits; ///< keep joints inside their limits; default true
  unsigned cookie;     ///< ap_default_ik() sets it
} ap_ik_options;

/// The defaults named above; position_only is false.
AP_API ap_ik_options ap_default_ik(void);

/// What an inverse kinematics came to.
typedef struct ap_ik_result {
  int iterations;           ///< spent, over all restarts
  double position_error;    ///< m
  double orientation_error; ///< rad
} ap_ik_result;

/// Find q, starting from the q given, that puts a frame at pose (R, p) of the ground: damped least
/// squares (Levenberg-Marquardt) on the manifold, clamped to the limits. On AP_E_UNREACHABLE or
/// AP_E_NO_CONVERGENCE q is the best found and *result says how far it is. result may be NULL,
/// options may not. AP_E_ARG: a frame, pose, q or option that cannot be.
AP_API ap_status ap_inverse_kinematics(const ap_model *m, ap_work *w, int frame, const double R[9],
                                       const double p[3], const ap_ik_options *options, double *q,
                                       ap_ik_result *result);

/// Lengths of an arm built like the PUMA: modified DH with alpha = 0, -90, 0, 90, -90, 90 degrees,
/// every length zero but these four, in Craig's numbering and with his signs.
typedef struct ap_puma_geometry {
  double a2; ///< m, from axis 2 to axis 3: the upper arm
  double a3; ///< m, from axis 3 to axis 4
  double d3; ///< m, along axis 3: how far the arm stands beside the shoulder
  double d4; ///< m, along axis 4: the forearm
} ap_puma_geometry;

/// Read the lengths off a model of that kind; AP_E_UNSUPPORTED if it is not one.
AP_API ap_status ap_puma_geometry_of(const ap_model *m, ap_puma_geometry *g);
/// Closed-form inverse kinematics of the wrist centre (the origin of frame 6) and the orientation R
/// of frame 6. branch 0..7: bit 2 set means shoulder sign -1, bit 1 elbow root -1, bit 0 wrist sign
/// (q5) -1. Angles in (-pi, pi]. AP_E_UNREACHABLE leaves q untouched; at a wrist singularity
/// (q5 = 0) q4 is set to 0 and q6 takes the rest.
AP_API ap_status ap_puma_inverse_kinematics(const ap_puma_geometry *g, const double R[9],
                                            const double p[3], int branch, double q[6]);

// ---- single precision --------------------------------------------------------------------------

/// @name Twins in single precision
/// @{

/// As its namesake in double precision.
AP_API void ap_integrate_f32(const ap_model *m, const float *q, const float *v, float *result);
AP_API void ap_difference_f32(const ap_model *m, const float *q0, const float *q1, float *v);
AP_API ap_status ap_normalize_f32(const ap_model *m, float *q);
AP_API void ap_kinematics_f32(const ap_model *m, ap_work_f32 *w, const float *q, const float *v,
                              const float *a);
AP_API ap_status ap_frame_pose_f32(const ap_model *m, const ap_work_f32 *w, int frame, float R[9],
                                   float p[3]);
AP_API ap_status ap_frame_velocity_f32(const ap_model *m, const ap_work_f32 *w, int frame,
                                       ap_reference ref, float vel[6]);
AP_API ap_status ap_frame_acceleration_f32(const ap_model *m, const ap_work_f32 *w, int frame,
                                           ap_reference ref, float acc[6]);
AP_API ap_status ap_frame_jacobian_f32(const ap_model *m, ap_work_f32 *w, int frame,
                                       ap_reference ref, float *J);
AP_API ap_status ap_frame_jacobian_dot_v_f32(const ap_model *m, const ap_work_f32 *w, int frame,
                                             ap_reference ref, float acc[6]);
AP_API ap_status ap_forward_kinematics_f32(const ap_model *m, ap_work_f32 *w, const float *q,
                                           const int *frames, int n, ap_reference ref, float *R,
                                           float *p, float *J);
AP_API float ap_centre_of_mass_f32(const ap_model *m, const ap_work_f32 *w, float com[3],
                                   float vel[3], float acc[3]);
AP_API void ap_centroidal_momentum_f32(const ap_model *m, const ap_work_f32 *w, float h[6]);
AP_API void ap_centroidal_matrix_f32(const ap_model *m, ap_work_f32 *w, float *A);
/// @}

#ifdef __cplusplus
}
#endif

#endif
