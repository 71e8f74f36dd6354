// SPDX-License-Identifier: Apache-2.0
/// @file five_bar.h
/// Planar five-bar robots in closed form: two limbs, each of an arm at a motor and a rod, carry the
/// point P where their rods meet. What is computed is in parallel.h; docs/loops.md derives it.
///
/// The coordinates q are x and y of P. Limb i stands at motor_i; its arm has the length arm_length
/// and the direction u_i at the angle theta_i from x, its rod the length rod_length and the
/// direction w_i at the angle phi_i from x. The joints of a limb are theta and phi.
///
/// Margins: reach is what P may move by along its line to motor i, serial is u_i x w_i, parallel is
/// w_0 x w_1.

#ifndef APPELL_FIVE_BAR_H
#define APPELL_FIVE_BAR_H

#include <appell/parallel.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One limb. The frame of a link begins at its first joint, x towards the next one; of its inertia
/// about the centre of mass only zz has an effect.
typedef struct ap_five_bar_limb {
  double motor[2];   ///< where its motor stands, m
  double arm_length; ///< m
  double rod_length; ///< m
  int branch; ///< 1 or -1: sign of acos in theta = atan2(d) + branch acos(...), d = P - motor;
              ///< u x w has the other sign
  ap_parallel_link arm; ///< link at the motor
  ap_parallel_link rod; ///< link at P
  double rotor;         ///< reflected inertia of the rotor, gear^2 times its own, kg m2
} ap_five_bar_limb;

/// A five-bar robot. Begin with ap_default_five_bar() and change what differs.
typedef struct ap_five_bar_def {
  ap_five_bar_limb limb[2]; ///< the limbs
  double load;              ///< point mass at P, kg
  double gravity[2];        ///< m/s2
  double least_serial;      ///< serial singularity: |serial| at or below this, 1e-7 to 0.1: 1e-6
  double least_parallel;    ///< parallel singularity: |parallel| at or below this, 1e-12 to 0.1:
                            ///< 1e-9
  unsigned cookie;          ///< ap_default_five_bar() sets it
} ap_five_bar_def;

/// The built-in mechanism `five-bar` of loop.h: motors at x = -0.1 and 0.1 m, slender rods of 0.25
/// and 0.35 m with 0.5 and 0.4 kg, a load of 0.2 kg, gravity 9.81 m/s2 along -y, branches 1 and -1.
AP_API ap_five_bar_def ap_default_five_bar(void);

/// Check a definition and make it ready in mem, ap_parallel_size() bytes. NULL when it is not valid
/// or size is too small; *error (may be NULL) says what is wrong and what would be right.
AP_API ap_parallel *ap_five_bar_init(const ap_five_bar_def *def, void *mem, size_t size,
                                     ap_error *error);

#ifdef __cplusplus
}
#endif

#endif
