// SPDX-License-Identifier: Apache-2.0
/// @file delta.h
/// Delta robots (R. Clavel) in closed form: three limbs, each of an arm at a motor and a pair of
/// parallel rods, carry a platform that stays level. What is computed is in parallel.h;
/// docs/loops.md derives it.
///
/// The coordinates q are x, y, z of the platform's point P. The frame of limb i is the ground's
/// turned by `angle` about z. In it the motor's axis is parallel to y through (base, 0, 0); the arm
/// turns by theta_i about it, from x downwards, to the knee; the pair of rods turns by beta_i about
/// y, from x downwards, and by chi_i out of the plane xz, so that a rod has the direction w_i =
/// (cos beta cos chi, sin chi, -sin beta cos chi); it ends at P + (platform, 0, 0). The rods of a
/// pair are at equal distances from there along y. The joints of a limb are theta, beta, chi.
///
/// Margins: reach is what the platform may move by in the plane of limb i, along the line to its
/// motor, and negative where the limb does not reach in that plane or across it; serial is
/// sin(beta_i - theta_i), and singular is also cos chi_i = 0; parallel is det [w_0 w_1 w_2], below
/// 0 with the platform below the knees where the limbs' angles grow. level is the least singular
/// value of the normals (sin beta, 0, cos beta) of the parallelograms: at 0 rods with ball joints
/// do not keep the platform level, which the equations assume; no status reports this.

#ifndef APPELL_DELTA_H
#define APPELL_DELTA_H

#include <appell/parallel.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One limb. Inertias are about the centre of mass. A rod is turned by beta about y, then by chi
/// about its own z, as a universal joint does. A rod between ball joints turns about its own axis
/// as it likes; with its centre of mass on that axis and no moment of inertia about it this does
/// not matter.
typedef struct ap_delta_limb {
  double angle;         ///< of its plane about z, rad
  double base;          ///< the motor's axis from z, m
  double platform;      ///< the end of the rods from P, m
  double arm_length;    ///< m
  double rod_length;    ///< m
  int branch;           ///< 1 or -1: sign of sin(beta - theta); 1: the knee is outside
  ap_parallel_link arm; ///< link at the motor, with what is fixed to it at the knee; x towards the
                        ///< knee, y along the motor's axis; of its inertia yy alone is felt
  ap_parallel_link rod; ///< each of the two rods; from the knee, x along the rod
  double rotor;         ///< reflected inertia of the rotor, gear^2 times its own, kg m2
} ap_delta_limb;

/// A Delta robot. Begin with ap_default_delta() and change what differs.
typedef struct ap_delta_def {
  ap_delta_limb limb[3]; ///< the limbs
  double platform;       ///< mass of the platform with what it carries, kg; at P
  double gravity[3];     ///< m/s2
  double least_serial;   ///< serial singularity: |serial| or cos chi at or below this, 1e-7 to 0.1:
                         ///< 1e-6
  double least_parallel; ///< parallel singularity: |parallel| at or below this, 1e-12 to 0.1: 1e-9
  unsigned cookie;       ///< ap_default_delta() sets it
} ap_delta_def;

/// The built-in mechanism `delta` of loop.h: the dimensions of the ABB FlexPicker IRB 360-1/1600 in
/// R. L. Williams II (2016), base 0.164 m, platform 0.044 m, arms 0.524 m, rods 1.244 m, limbs at
/// 0, 120, 240 degrees. Assumed: slender arms of 1.2 kg, slender rods of 0.15 kg each, platform
/// 0.4 kg. Gravity 9.81 m/s2 along -z, all branches 1.
AP_API ap_delta_def ap_default_delta(void);

/// Check a definition and make it ready in mem, ap_parallel_size() bytes. NULL when it is not valid
/// or size is too small; *error (may be NULL) says what is wrong and what would be right.
AP_API ap_parallel *ap_delta_init(const ap_delta_def *def, void *mem, size_t size, ap_error *error);

#ifdef __cplusplus
}
#endif

#endif
