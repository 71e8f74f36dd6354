// SPDX-License-Identifier: Apache-2.0
/// @file wrist.h
/// Spherical parallel robots in closed form: three limbs, each of two links and three revolute
/// joints whose axes meet in one point O, carry a platform that turns about O (3-RRR, such as the
/// Agile Wrist). Equations of Abedloo, Molaei and Taghirad (2014) with their errata; docs/theory.md
/// derives them. What is computed is in parallel.h.
///
/// The coordinates q are the platform's Euler angles, R = Rz(q0) Ry(q1) Rx(q2). Limb i starts at
/// the axis u_i = Rz(lambda) Rx(gamma - pi) z of its motor, turns by theta_i about it, passes the
/// axis w_i at the angle alpha1 from u_i, turns by psi_i about that, and ends at the axis v_i, at
/// the angle alpha2 from w_i and fixed in the platform: R Rz(eta) Rx(-beta) z. The joints of a limb
/// are theta and psi.
///
/// Margins: reach is the angle that u_i and v_i may change by, serial is h_i = (v_i x w_i) . u_i,
/// parallel the determinant of unit vectors along v_i x w_i. Where the Euler angles are singular,
/// |cos q1| at or below 1e-9, inverse dynamics works and forward dynamics does not
/// (AP_E_SINGULAR_SERIAL).

#ifndef APPELL_WRIST_H
#define APPELL_WRIST_H

#include <appell/parallel.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A uniform thin arc about O, from the z axis of its frame to Rx(angle) z, inertia about O: radius
/// m, density kg/m, angle rad, 0 to pi.
AP_API ap_parallel_link ap_wrist_arc(double radius, double density, double angle);

/// One limb. Angles in rad; alpha1 and alpha2 strictly between 0 and pi. The inertias of its links
/// are about O (not the centre of mass), and so are com.
typedef struct ap_wrist_limb {
  double gamma;  ///< from the vertical to the motor's axis: u = Rz(lambda) Rx(gamma - pi) z
  double beta;   ///< from the platform's z to the platform's joint: v* = Rz(eta) Rx(-beta) z
  double alpha1; ///< arc of the link at the motor, u to w
  double alpha2; ///< arc of the link at the platform, w to v
  double eta;    ///< where the limb meets the platform, about its z
  double lambda; ///< where the limb stands on the ground, about z
  int branch;    ///< 1 or -1: the sign of h, the elbow's side
  ap_parallel_link first;  ///< link at the motor; z along u, arc in the y-z plane towards -y
  ap_parallel_link second; ///< link at the platform; z along w, arc in the y-z plane towards -y
} ap_wrist_limb;

/// A spherical parallel robot. Begin with ap_agile_wrist() and change what differs.
typedef struct ap_wrist_def {
  ap_wrist_limb limb[3];     ///< the limbs
  ap_parallel_link platform; ///< the platform with what it carries, inertia about O; its frame is
                             ///< the world's at q = 0
  double gravity[3];         ///< m/s2, world: 0 0 -9.81
  double least_serial;       ///< serial singularity: |h_i| at or below this, 1e-7 to 0.1: 1e-6
  double least_parallel; ///< parallel singularity: |parallel| at or below this, 1e-12 to 0.1: 1e-9
  unsigned cookie;       ///< ap_agile_wrist() sets it
} ap_wrist_def;

/// The Agile Wrist of Abedloo et al. (2014), section IV: gamma = acos(1/sqrt 3), beta =
/// asin(1/sqrt 3), arcs of 80 and 70 degrees with 1.378 kg/m, limbs at 0, 120, 240 degrees, a
/// platform of 1.351 kg. The paper does not give the radius of the arcs (0.1 m here), nor the
/// centre of mass of the platform (0 0 0.05 m), nor the point of its inertia (O). All branches 1.
AP_API ap_wrist_def ap_agile_wrist(void);

/// Check a definition and make it ready in mem, ap_parallel_size() bytes. NULL when it is not valid
/// or size is too small; *error (may be NULL) says what is wrong and what would be right.
AP_API ap_parallel *ap_wrist_init(const ap_wrist_def *def, void *mem, size_t size, ap_error *error);

#ifdef __cplusplus
}
#endif

#endif
