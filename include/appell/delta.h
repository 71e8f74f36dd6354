/// @file delta.h
/// Delta robots (R. Clavel) in closed form: three limbs, each of an arm at a motor and a pair of
/// parallel rods, carry a platform that stays level. docs/loops.md derives the equations; the
/// general recipe of loop.h gives the same numbers and takes longer. Part of libappell-tools;
/// nothing here allocates.
///
/// The coordinates q are x, y, z of the platform's point P, v and a their rates. The frame of limb
/// i is the ground's turned by `angle` about z. In it the motor's axis is parallel to y through
/// (base, 0, 0); the arm turns by theta_i about it, from x downwards, to the knee; the pair of rods
/// turns by beta_i about y, from x downwards, and by chi_i out of the plane xz, so that a rod has
/// the direction w_i = (cos beta cos chi, sin chi, -sin beta cos chi); it ends at P + (platform, 0,
/// 0). The rods of a pair are at equal distances from there along y.
///
/// Two kinds of pose are singular. In a serial one a limb is stretched or folded, cos chi_i
/// sin(beta_i - theta_i) = 0: no finite rate of its motor gives some motion of the platform. In a
/// parallel one det [w_0 w_1 w_2] = 0: the motors cannot hold the platform. ap_delta_margins()
/// tells how near both are.

#ifndef APPELL_DELTA_H
#define APPELL_DELTA_H

#include <appell/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Mass of an arm. Its frame stands on the motor's axis, x towards the knee, y along the axis.
typedef struct ap_delta_arm {
  double mass;    ///< kg, with what is fixed to it at the knee
  double com[3];  ///< centre of mass, m
  double inertia; ///< about the axis through the centre of mass parallel to y, kg m2
} ap_delta_arm;

/// Mass of one rod of a pair. Its frame stands at the knee, x along the rod; it is turned by beta
/// about y, then by chi about its own z, as a universal joint does. A rod between ball joints turns
/// about its own axis as it likes; with its centre of mass on that axis and no moment of inertia
/// about it this does not matter.
typedef struct ap_delta_rod {
  double mass;       ///< kg
  double com[3];     ///< centre of mass, m
  double inertia[6]; ///< about the centre of mass, kg m2: xx xy xz yy yz zz
} ap_delta_rod;

/// A uniform slender arm: kg, m.
AP_API ap_delta_arm ap_delta_slender_arm(double mass, double length);
/// A uniform slender rod: kg, m.
AP_API ap_delta_rod ap_delta_slender_rod(double mass, double length);

/// One limb.
typedef struct ap_delta_limb {
  double angle;      ///< of its plane about z, rad
  double base;       ///< the motor's axis from z, m
  double platform;   ///< the end of the rods from P, m
  double arm_length; ///< m
  double rod_length; ///< m
  int branch;        ///< 1 or -1: sign of sin(beta - theta); 1: the knee is outside
  ap_delta_arm arm;  ///< link at the motor
  ap_delta_rod rod;  ///< each of the two rods
  double rotor;      ///< inertia of the rotor as the arm feels it, gear^2 times its own, kg m2
} ap_delta_limb;

/// A Delta robot. Begin with ap_default_delta() and change what differs.
typedef struct ap_delta_def {
  ap_delta_limb limb[3]; ///< the limbs
  double platform;       ///< mass of the platform with what it carries, kg
  double gravity[3];     ///< m/s2
  double least_serial;   ///< serial singularity: |serial| or cos chi at or below this, 1e-7 to 0.1:
                         ///< 1e-6
  double least_parallel; ///< parallel singularity: |parallel| at or below this, 1e-12 to 0.1: 1e-9
} ap_delta_def;

/// The built-in mechanism `delta` of loop.h: the dimensions of the ABB FlexPicker IRB 360-1/1600 in
/// R. L. Williams II (2016), base 0.164 m, platform 0.044 m, arms 0.524 m, rods 1.244 m, limbs at
/// 0, 120, 240 degrees. Assumed: slender arms of 1.2 kg, slender rods of 0.15 kg each, platform
/// 0.4 kg. Gravity 9.81 m/s2 along -z, all branches 1.
AP_API ap_delta_def ap_default_delta(void);

/// A Delta robot checked and made ready; lives in the caller's memory, constant from then on.
typedef struct ap_delta ap_delta;
/// Bytes that ap_delta_init() needs, whatever the alignment.
AP_API size_t ap_delta_size(void);
/// Check a definition and make it ready in mem. NULL when it is not valid or size is too small;
/// *error (may be NULL) says what is wrong and what would be right.
AP_API ap_delta *ap_delta_init(const ap_delta_def *def, void *mem, size_t size, ap_error *error);
/// The definition that it was made of.
AP_API const ap_delta_def *ap_delta_definition(const ap_delta *d);

/// How far a pose is from where it cannot be reached and from both kinds of singularity.
typedef struct ap_delta_margin {
  ap_status status; ///< what the call met: AP_OK, AP_E_ARG, AP_E_UNREACHABLE, AP_E_SINGULAR_SERIAL,
                    ///< AP_E_SINGULAR_PARALLEL or AP_E_SINGULAR
  int limb;         ///< 0 to 2: the limb that it met it in; -1: none
  double reach[3];  ///< m that the platform may move in the plane of limb i, along the line to its
                    ///< motor, before the limb is stretched or folded; negative: the limb does not
                    ///< reach by as much, in that plane or across it
  double serial[3]; ///< sin(beta_i - theta_i), -1 to 1; 0 where limb i does not reach
  double parallel;  ///< det [w_0 w_1 w_2], -1 to 1; 0 where a limb does not reach
  double sigma;     ///< least singular value of [w_0 w_1 w_2], 0 to 1: the least length of
                    ///< sum y_i w_i for |y| = 1
  double level; ///< the same for the normals of the three parallelograms, (sin beta, 0, cos beta):
                ///< at 0 rods with ball joints do not keep the platform level, which the equations
                ///< here take for granted; no status comes of it
} ap_delta_margin;

/// The margins of a pose. AP_E_UNREACHABLE, AP_E_SINGULAR_SERIAL, AP_E_SINGULAR_PARALLEL, the first
/// that holds; AP_E_ARG where q is not finite. *margin is filled always and holds no NaN.
AP_API ap_status ap_delta_margins(const ap_delta *d, const double q[3], ap_delta_margin *margin);
/// *margin in words, for a person: what is wrong, in which limb, and what would be right. Returns
/// its status; the text is empty for AP_OK.
AP_API ap_status ap_delta_explain(const ap_delta *d, const ap_delta_margin *margin,
                                  ap_error *error);

// All functions below leave their outputs untouched unless they return AP_OK. v and a may be NULL
// for zero. AP_E_ARG where a number is not finite or so large that an output would not be.

/// Where the platform is, by ap_delta_forward_kinematics().
typedef struct ap_delta_end {
  double q[3];   ///< x, y, z of P
  double v[3];   ///< their rates
  double a[3];   ///< their accelerations
  int branch[3]; ///< branch of each limb; 0 where it is stretched or folded
} ap_delta_end;
/// The place that angles, rates and accelerations of the motors give; thetad and thetadd may be
/// NULL for zero. assembly, 1 or -1, is the sign of det [w_0 w_1 w_2], which chooses between two
/// places; -1 has the platform below the knees where the limbs' angles grow. The branches of the
/// definition play no part. AP_E_UNREACHABLE: the rods do not meet. AP_E_SINGULAR_PARALLEL:
/// |det| at or below least_parallel or 1e-7, where both places meet and rounding alone would tell
/// them apart, or knees in one line.
AP_API ap_status ap_delta_forward_kinematics(const ap_delta *d, const double theta[3],
                                             const double *thetad, const double *thetadd,
                                             int assembly, ap_delta_end *end);

// Below, margin (may be NULL) is filled always, which costs time; the statuses are those of its
// comment.

/// Joints of a motion of the platform.
typedef struct ap_delta_motion {
  double theta[3];   ///< angles of the motors, rad, -pi to pi
  double beta[3];    ///< angles of the rods about y, the same
  double chi[3];     ///< angles of the rods out of the limb's plane, -pi/2 to pi/2
  double thetad[3];  ///< rates of theta
  double betad[3];   ///< rates of beta
  double chid[3];    ///< rates of chi
  double thetadd[3]; ///< accelerations of theta
  double betadd[3];  ///< accelerations of beta
  double chidd[3];   ///< accelerations of chi
} ap_delta_motion;
/// The joints that a motion of the platform needs. Needs no parallel singularity to be far.
AP_API ap_status ap_delta_inverse_kinematics(const ap_delta *d, const double q[3], const double *v,
                                             const double *a, ap_delta_motion *motion,
                                             ap_delta_margin *margin);

/// The matrices of M(q) a + C(q, v) v + G(q) = Q = J_act^T tau and theta' = J_act v, row-major;
/// each may be NULL. C is Christoffel's: M' - 2C is skew-symmetric. They exist at parallel
/// singularities too.
AP_API ap_status ap_delta_matrices(const ap_delta *d, const double q[3], const double *v, double *M,
                                   double *C, double *G, double *J_act, ap_delta_margin *margin);
/// Forces on P, Q = M a + C v + G.
AP_API ap_status ap_delta_forces(const ap_delta *d, const double q[3], const double *v,
                                 const double *a, double Q[3], ap_delta_margin *margin);
/// Torques of the motors, tau = J_act^-T Q.
AP_API ap_status ap_delta_inverse_dynamics(const ap_delta *d, const double q[3], const double *v,
                                           const double *a, double tau[3], ap_delta_margin *margin);
/// Acceleration under torques of the motors. Works at parallel singularities. AP_E_SINGULAR where
/// massless bodies leave M singular.
AP_API ap_status ap_delta_forward_dynamics(const ap_delta *d, const double q[3], const double *v,
                                           const double tau[3], double a[3],
                                           ap_delta_margin *margin);
/// Kinetic energy and potential energy of gravity, J; the latter is zero for a mass at the origin,
/// the platform's being at P. Each may be NULL.
AP_API ap_status ap_delta_energy(const ap_delta *d, const double q[3], const double *v,
                                 double *kinetic, double *potential, ap_delta_margin *margin);

#ifdef __cplusplus
}
#endif

#endif
