// SPDX-License-Identifier: Apache-2.0
/// @file feed_forward.h
/// Feed-forward for arms whose motors take torques: gravity, Coriolis, inertia, friction and
/// payload compensated from the model, and the torque that the surroundings exert, observed. Part
/// of libappell-tools; nothing here allocates, locks or does I/O.
///
///     tau = M(q) a_d + C(q, v) v + G(q) + viscous v_d + coulomb s(v_d)
///
/// Friction follows the desired velocity, not the measured one: what a person pushes is then not
/// driven on by its own compensation. s is a sign that does not chatter, v / sqrt(v^2 + smooth^2):
/// it rises over the width `smooth` instead of jumping.
///
/// The observer follows the generalised momentum p = M v (De Luca and Mattone 2005):
///
///     r = bandwidth (p - p_0 - integral of (tau - friction(v) + C^T v - G + r))
///
/// r is the external torque behind a first-order filter of this bandwidth; accelerations are not
/// needed. Robots of any kind; friction only of joints with one degree of freedom.

#ifndef APPELL_FEED_FORWARD_H
#define APPELL_FEED_FORWARD_H

#include <appell/dyn.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What to compensate. Begin with ap_default_feed_forward() and change what differs.
typedef struct ap_feed_forward_def {
  const ap_model *model; ///< must outlive it
  ap_work *work;         ///< to compute with, payloads included; NULL: one of its own
  double period;         ///< s between two steps: 1e-3
  double smooth;         ///< rad/s or m/s over which Coulomb friction changes its sign: 0.02
  double bandwidth;      ///< of the observer, 1/s: 50; at most 1 / period
  bool friction;         ///< compensate friction, springs and rotors of the model: true
  unsigned cookie;       ///< ap_default_feed_forward() sets it
} ap_feed_forward_def;
/// The defaults named above; set the model.
AP_API ap_feed_forward_def ap_default_feed_forward(void);

/// A feed-forward and its observer. One thread at a time.
typedef struct ap_feed_forward ap_feed_forward;
/// Bytes that ap_feed_forward_init() needs.
AP_API size_t ap_feed_forward_size(const ap_model *m);
/// Make one in mem. NULL, with *error filled: memory too small, a number that cannot be.
AP_API ap_feed_forward *ap_feed_forward_init(const ap_feed_forward_def *def, void *mem, size_t size,
                                             ap_error *error);
/// The work that it computes with: payloads and gravity are set there.
AP_API ap_work *ap_feed_forward_work(ap_feed_forward *f);
/// Coulomb friction of the joint of v's entry j from now on, viscous friction likewise; AP_E_ARG,
/// and no change, for what is negative or not finite, and for an entry that is not there.
AP_API ap_status ap_feed_forward_set_friction(ap_feed_forward *f, int j, double viscous,
                                              double coulomb);

/// Torques [nv] in the state (q, v). v_d, the desired velocity, may be NULL: then friction follows
/// v. a_d may be NULL for zeros.
AP_API void ap_feed_forward_torque(ap_feed_forward *f, const double *q, const double *v,
                                   const double *v_d, const double *a_d, double *tau);
/// Forget the past of the observer: the robot is in the state (q, v), and nothing pushes it.
AP_API void ap_feed_forward_reset(ap_feed_forward *f, const double *q, const double *v);
/// Once in a period: the state now, and the torques tau that the motors exerted in the period
/// before it. external [nv] is what the surroundings exerted. The first call resets.
AP_API void ap_feed_forward_observe(ap_feed_forward *f, const double *q, const double *v,
                                    const double *tau, double *external);

#ifdef __cplusplus
}
#endif

#endif
