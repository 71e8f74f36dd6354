// SPDX-License-Identifier: Apache-2.0
/// @file ctrl.h
/// Controllers for arms: inverse dynamics with the Gibbs-Appell terms, PD with gravity compensation
/// to compare with, and impedances of the joints or of a frame. Part of libappell-tools; nothing
/// here allocates, locks or does I/O.
///
/// With e = q - q_d and (28) of Valera et al. (2003), a law is  tau = C q' + G + M u, where u is
///
/// | law                      | u                                                           |
/// |--------------------------|-------------------------------------------------------------|
/// | AP_LAW_POINT             | -Kd q' - Kp e                                               |
/// | AP_LAW_TRACKING          | q"_d - Kd (q' - q'_d) - Kp e                                |
/// | AP_LAW_TRACKING_INTEGRAL | q"_d - Kd (q' - q'_d) - Kp e - Ki (integral of e)           |
/// | AP_LAW_PD_GRAVITY        | none: tau = G - D (Kd (q' - q'_d) + Kp e), D constant       |
///
/// D is the diagonal of M where the controller was reset, so that the same gains mean about the
/// same in every law. Robots have joints with one degree of freedom each.
///
/// The impedances let the surroundings deflect the arm as springs and dampers would:
///
/// | law                    | tau = M q"_d + C q'_d + G + ...                                   |
/// |------------------------|-------------------------------------------------------------------|
/// | AP_LAW_IMPEDANCE       | - K e - B (q' - q'_d), by joint                                   |
/// | AP_LAW_TASK_IMPEDANCE  | - J^T (Z^T K z + B x'), of a frame, and a posture in its nullspace |
///
/// They keep the inertia of the arm: M e" + (C + B) e' + K e = tau_external. Shaping it would need
/// the external force, measured, and would lose what this law has: with C and not C q' - C q'_d
/// left out, M' - 2 C is skew, and the energy of springs and motion never grows by the controller's
/// doing. Friction is compensated by the desired velocity alone.
///
/// z = (R_d^T (p - p_d), 2 epsilon) has the deviation of the frame in the axes of its reference,
/// the pose at q_d; epsilon is the vector part of the quaternion of R_d^T R. Z is dz by the frame's
/// motion; the potential z^T K z / 2 is exact for large angles, too. x' is the velocity of the
/// frame beside that of its reference, in the same axes, linear before angular. Of the posture's
/// torque t = - Kn e - Bn (q' - q'_d) the frame sees nothing: N t is added, with
/// N = 1 - J^T L J M^-1 and L = (J M^-1 J^T)^-1, damped near singular postures. Springs seen
/// through N have no potential: the argument about energy holds without a posture.

#ifndef APPELL_CTRL_H
#define APPELL_CTRL_H

#include <appell/dyn.h>
#include <appell/traj.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Every law with its name in files; the enum and ap_law_name() expand from this one list.
#define AP_LAW_LIST(X)                             \
  X(AP_LAW_POINT, "point")                         \
  X(AP_LAW_TRACKING, "tracking")                   \
  X(AP_LAW_TRACKING_INTEGRAL, "tracking_integral") \
  X(AP_LAW_PD_GRAVITY, "pd_gravity")               \
  X(AP_LAW_IMPEDANCE, "impedance")                 \
  X(AP_LAW_TASK_IMPEDANCE, "task_impedance")

/// A law of the table above.
typedef enum ap_law {
#define AP_LAW_ENUM(code, text) code,
  AP_LAW_LIST(AP_LAW_ENUM)
#undef AP_LAW_ENUM
} ap_law;
/// Its name: "point", ...; NULL where there is no such law.
AP_API const char *ap_law_name(ap_law law);

/// Gains of one joint.
typedef struct ap_gains {
  double kp; ///< 1/s2
  double kd; ///< 1/s
  double ki; ///< 1/s3; used by AP_LAW_TRACKING_INTEGRAL alone
} ap_gains;

/// Gains that give the error two poles of this bandwidth (rad/s) and damping, and a real pole at
/// -integral (rad/s; 0: none):  (s^2 + 2 damping bandwidth s + bandwidth^2) (s + integral).
AP_API ap_gains ap_gains_of(double bandwidth, double damping, double integral);

/// Springs and dampers of the impedances. Arrays of NULL are zeros.
typedef struct ap_impedance {
  const double *stiffness;   ///< [nv] K, N m/rad or N/m, of AP_LAW_IMPEDANCE
  const double *damper;      ///< [nv] B, N m s/rad or N s/m; NULL: a damping ratio of 1 with the
                             ///< diagonal of M where the controller was reset
  int frame;                 ///< of AP_LAW_TASK_IMPEDANCE
  double task_stiffness[36]; ///< K, row-major, symmetric and positive semidefinite: N/m, N, N m/rad
  double task_damper[36];    ///< B, row-major, symmetric and positive semidefinite
  const double *posture;     ///< [nv] Kn of the nullspace
  const double *posture_damper; ///< [nv] Bn of the nullspace
} ap_impedance;

/// A controller to be made. Begin with ap_default_ctrl() and change what differs.
typedef struct ap_ctrl_def {
  const ap_model *model;         ///< what the controller believes the robot to be; must outlive it
  ap_law law;                    ///< AP_LAW_TRACKING
  const ap_gains *gains;         ///< [nv]; NULL: 20 rad/s, damping 1, integral pole 5 rad/s
  const ap_impedance *impedance; ///< springs and dampers, copied; NULL: no such law: NULL
  const double *torque;          ///< [nv] largest torques; NULL: the model's effort limits
  double period;                 ///< s between two steps: 1e-3
  double blend;                  ///< s: time constant with which the bump of a switch fades: 0.05
  double windup;                 ///< rad/s2: the most that integral action may ask for: 100
  const ap_functions *code; ///< to compute with where that fits, see ap_work_use(): NULL. Compile
                            ///< it without friction, which the controller compensates itself
  bool friction;            ///< compensate friction, springs and rotors of the model: true
  unsigned cookie;          ///< ap_default_ctrl() sets it
} ap_ctrl_def;
/// The defaults named above; set the model.
AP_API ap_ctrl_def ap_default_ctrl(void);

/// A controller. One thread at a time.
typedef struct ap_ctrl ap_ctrl;
/// Bytes that ap_ctrl_init() needs.
AP_API size_t ap_ctrl_size(const ap_model *m);
/// Make a controller in mem. NULL, with *error filled: memory too small, a joint with more than one
/// degree of freedom or with a follower, a gain, limit or time that cannot be.
AP_API ap_ctrl *ap_ctrl_init(const ap_ctrl_def *def, void *mem, size_t size, ap_error *error);
/// The work that it computes with: payloads and inertias are changed there.
AP_API ap_work *ap_ctrl_work(ap_ctrl *c);
/// The model.
AP_API const ap_model *ap_ctrl_model(const ap_ctrl *c);
/// The law in force.
AP_API ap_law ap_ctrl_law(const ap_ctrl *c);

/// Forget the past: integrals and the rest of a switch. q is where the robot is.
AP_API void ap_ctrl_reset(ap_ctrl *c, const double *q);
/// Torques [nv] for the state (q, v) and the reference; to be called once in a period. reference->v
/// and ->a may be NULL for zeros. Torques are cut at their limits, and an integral does not grow
/// while its joint is cut. Numbers that are not finite yield such.
AP_API void ap_ctrl_step(ap_ctrl *c, const ap_traj_state *reference, const double *q,
                         const double *v, double *tau);
/// What the law asked for in the last step, before it was cut; valid until the next.
AP_API const double *ap_ctrl_wanted(const ap_ctrl *c);
/// Another law or other gains from the next step on; gains NULL: as they are. The torque of that
/// step is the one that the old law gives there; the difference fades with def.blend. AP_E_ARG, and
/// no change, for a law or gains that cannot be, and for an impedance where the definition had
/// none.
AP_API ap_status ap_ctrl_switch(ap_ctrl *c, ap_law law, const ap_gains *gains);

#ifdef __cplusplus
}
#endif

#endif
