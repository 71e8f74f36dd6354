// SPDX-License-Identifier: Apache-2.0
/// @file ctrl.h
/// Controllers for arms: inverse dynamics with the Gibbs-Appell terms, and PD with gravity
/// compensation to compare with. Part of libappell-tools; nothing here allocates, locks or does
/// I/O.
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
  X(AP_LAW_PD_GRAVITY, "pd_gravity")

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

/// A controller to be made. Begin with ap_default_ctrl() and change what differs.
typedef struct ap_ctrl_def {
  const ap_model *model;    ///< what the controller believes the robot to be; must outlive it
  ap_law law;               ///< AP_LAW_TRACKING
  const ap_gains *gains;    ///< [nv]; NULL: 20 rad/s, damping 1, integral pole 5 rad/s
  const double *torque;     ///< [nv] largest torques; NULL: the model's effort limits
  double period;            ///< s between two steps: 1e-3
  double blend;             ///< s: time constant with which the bump of a switch fades: 0.05
  double windup;            ///< rad/s2: the most that integral action may ask for: 100
  const ap_functions *code; ///< to compute with where that fits, see ap_work_use(): NULL. Compile
                            ///< it without friction, which the controller compensates itself
  bool friction;            ///< compensate friction and rotors of the model (docs/control.md): true
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
/// no change, for a law or gains that cannot be.
AP_API ap_status ap_ctrl_switch(ap_ctrl *c, ap_law law, const ap_gains *gains);

#ifdef __cplusplus
}
#endif

#endif
