/// @file five_bar.h
/// Planar five-bar robots in closed form: two arms, each of a link at a motor and a rod, carry the
/// point P where their rods meet. docs/loops.md derives the equations; the general recipe of
/// loop.h gives the same numbers and takes longer. Part of libappell-tools; nothing here allocates.
///
/// The coordinates q are x and y of P, v and a their rates. Arm i stands at motor_i and turns by
/// theta_i from x; its link has the length arm_length and the direction u_i, then comes its rod
/// with rod_length and the direction w_i at the angle phi_i from x.
///
/// Two kinds of pose are singular. In a serial one an arm is stretched or folded, u_i x w_i = 0: no
/// finite rate of its motor gives some motion of P. In a parallel one both rods are in line,
/// w_0 x w_1 = 0: the motors cannot hold P. ap_five_bar_margins() tells how near both are.

#ifndef APPELL_FIVE_BAR_H
#define APPELL_FIVE_BAR_H

#include <appell/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Mass of a link. Its frame begins at its first joint, x towards the next one.
typedef struct ap_five_bar_link {
  double mass;    ///< kg
  double com[2];  ///< centre of mass, m
  double inertia; ///< about the centre of mass, kg m2
} ap_five_bar_link;

/// A uniform slender rod: kg, m.
AP_API ap_five_bar_link ap_five_bar_rod(double mass, double length);

/// One arm.
typedef struct ap_five_bar_arm {
  double motor[2];      ///< where its motor stands, m
  double arm_length;    ///< of the link at the motor, m
  double rod_length;    ///< of the link at P, m
  int branch;           ///< 1 or -1: sign of acos in theta = atan2(d) + branch acos(...), d = P -
                        ///< motor; u x w has the other sign
  ap_five_bar_link arm; ///< link at the motor
  ap_five_bar_link rod; ///< link at P
  double rotor;         ///< inertia of the rotor as the arm feels it, gear^2 times its own, kg m2
} ap_five_bar_arm;

/// A five-bar robot. Begin with ap_default_five_bar() and change what differs.
typedef struct ap_five_bar_def {
  ap_five_bar_arm arm[2]; ///< the arms
  double load;            ///< point mass at P, kg
  double gravity[2];      ///< m/s2
  double least_serial;    ///< serial singularity: |u_i x w_i| at or below this, 1e-7 to 0.1: 1e-6
  double least_parallel; ///< parallel singularity: |w_0 x w_1| at or below this, 1e-12 to 0.1: 1e-9
} ap_five_bar_def;

/// The built-in mechanism `five-bar` of loop.h: motors at x = -0.1 and 0.1 m, slender rods of 0.25
/// and 0.35 m with 0.5 and 0.4 kg, a load of 0.2 kg, gravity 9.81 m/s2 along -y, branches 1 and -1.
AP_API ap_five_bar_def ap_default_five_bar(void);

/// A five-bar robot checked and made ready; lives in the caller's memory, constant from then on.
typedef struct ap_five_bar ap_five_bar;
/// Bytes that ap_five_bar_init() needs, whatever the alignment.
AP_API size_t ap_five_bar_size(void);
/// Check a definition and make it ready in mem. NULL when it is not valid or size is too small;
/// *error (may be NULL) says what is wrong and what would be right.
AP_API ap_five_bar *ap_five_bar_init(const ap_five_bar_def *def, void *mem, size_t size,
                                     ap_error *error);
/// The definition that it was made of.
AP_API const ap_five_bar_def *ap_five_bar_definition(const ap_five_bar *f);

/// How far a pose is from where it cannot be reached and from both kinds of singularity.
typedef struct ap_five_bar_margin {
  ap_status status; ///< what the call met: AP_OK, AP_E_ARG, AP_E_UNREACHABLE, AP_E_SINGULAR_SERIAL,
                    ///< AP_E_SINGULAR_PARALLEL or AP_E_SINGULAR
  int arm;          ///< 0 or 1: the arm that it met it in; -1: none
  double reach[2];  ///< m that P may move along its line to motor i before arm i is stretched or
                    ///< folded; negative: the arm does not reach by as much
  double serial[2]; ///< u_i x w_i, -1 to 1; 0 where arm i does not reach
  double parallel;  ///< w_0 x w_1, -1 to 1; 0 where an arm does not reach
  double sigma;     ///< least singular value of [w_0 w_1], 0 to 1: the least length of
                    ///< y_0 w_0 + y_1 w_1 for |y| = 1
} ap_five_bar_margin;

/// The margins of a pose. AP_E_UNREACHABLE, AP_E_SINGULAR_SERIAL, AP_E_SINGULAR_PARALLEL, the first
/// that holds; AP_E_ARG where q is not finite. *margin is filled always and holds no NaN.
AP_API ap_status ap_five_bar_margins(const ap_five_bar *f, const double q[2],
                                     ap_five_bar_margin *margin);
/// *margin in words, for a person: what is wrong, in which arm, and what would be right. Returns
/// its status; the text is empty for AP_OK.
AP_API ap_status ap_five_bar_explain(const ap_five_bar *f, const ap_five_bar_margin *margin,
                                     ap_error *error);

// All functions below leave their outputs untouched unless they return AP_OK. v and a may be NULL
// for zero. AP_E_ARG where a number is not finite or so large that an output would not be.

/// Where the end is, by ap_five_bar_forward_kinematics().
typedef struct ap_five_bar_end {
  double q[2];   ///< x and y of P
  double v[2];   ///< their rates
  double a[2];   ///< their accelerations
  int branch[2]; ///< branch of each arm; 0 where it is stretched or folded
} ap_five_bar_end;
/// The end that angles, rates and accelerations of the motors give; thetad and thetadd may be NULL
/// for zero. assembly, 1 or -1, is the sign of w_0 x w_1, which chooses between two ends. The
/// branches of the definition play no part. AP_E_UNREACHABLE: the rods do not meet.
/// AP_E_SINGULAR_PARALLEL: |w_0 x w_1| at or below least_parallel or 1e-7, where both ends meet and
/// rounding alone would tell them apart.
AP_API ap_status ap_five_bar_forward_kinematics(const ap_five_bar *f, const double theta[2],
                                                const double *thetad, const double *thetadd,
                                                int assembly, ap_five_bar_end *end);

// Below, margin (may be NULL) is filled always, which costs time; the statuses are those of its
// comment.

/// Joints of a motion of P.
typedef struct ap_five_bar_motion {
  double theta[2];   ///< angles of the motors, rad, -pi to pi
  double phi[2];     ///< angles of the rods from x, the same
  double thetad[2];  ///< rates of theta
  double phid[2];    ///< rates of phi
  double thetadd[2]; ///< accelerations of theta
  double phidd[2];   ///< accelerations of phi
} ap_five_bar_motion;
/// The joints that a motion of P needs. Needs no parallel singularity to be far.
AP_API ap_status ap_five_bar_inverse_kinematics(const ap_five_bar *f, const double q[2],
                                                const double *v, const double *a,
                                                ap_five_bar_motion *motion,
                                                ap_five_bar_margin *margin);

/// The matrices of M(q) a + C(q, v) v + G(q) = Q = J_act^T tau and theta' = J_act v, row-major;
/// each may be NULL. C is Christoffel's: M' - 2C is skew-symmetric. They exist at parallel
/// singularities too.
AP_API ap_status ap_five_bar_matrices(const ap_five_bar *f, const double q[2], const double *v,
                                      double *M, double *C, double *G, double *J_act,
                                      ap_five_bar_margin *margin);
/// Forces on P, Q = M a + C v + G.
AP_API ap_status ap_five_bar_forces(const ap_five_bar *f, const double q[2], const double *v,
                                    const double *a, double Q[2], ap_five_bar_margin *margin);
/// Torques of the motors, tau = J_act^-T Q.
AP_API ap_status ap_five_bar_inverse_dynamics(const ap_five_bar *f, const double q[2],
                                              const double *v, const double *a, double tau[2],
                                              ap_five_bar_margin *margin);
/// Acceleration under torques of the motors. Works at parallel singularities. AP_E_SINGULAR where
/// massless bodies leave M singular.
AP_API ap_status ap_five_bar_forward_dynamics(const ap_five_bar *f, const double q[2],
                                              const double *v, const double tau[2], double a[2],
                                              ap_five_bar_margin *margin);
/// Kinetic energy and potential energy of gravity, J; the latter is zero for a mass at the origin.
/// Each may be NULL.
AP_API ap_status ap_five_bar_energy(const ap_five_bar *f, const double q[2], const double *v,
                                    double *kinetic, double *potential, ap_five_bar_margin *margin);

#ifdef __cplusplus
}
#endif

#endif
