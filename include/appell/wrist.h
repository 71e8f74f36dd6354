/// @file wrist.h
/// Spherical parallel robots in closed form: three limbs, each of two links and three revolute
/// joints whose axes meet in one point O, carry a platform that turns about O (3-RRR, such as the
/// Agile Wrist). Equations of Abedloo, Molaei and Taghirad (2014) with their errata; docs/theory.md
/// derives them. Part of libappell-tools; nothing here allocates.
///
/// The coordinates q are the platform's Euler angles, R = Rz(q0) Ry(q1) Rx(q2), v and a their
/// rates. Limb i starts at the axis u_i = Rz(lambda) Rx(gamma - pi) z of its motor, turns by
/// theta_i about it, passes the axis w_i at the angle alpha1 from u_i, turns by psi_i about that,
/// and ends at the axis v_i, at the angle alpha2 from w_i and fixed in the platform: R Rz(eta)
/// Rx(-beta) z.
///
/// Two kinds of pose are singular. In a serial one a limb is stretched or folded, h_i = 0: no
/// finite rate of its motor gives some motion of the platform. In a parallel one det [p_11 p_12
/// p_13] = 0: the motors cannot hold the platform. ap_wrist_margins() tells how near both are.

#ifndef APPELL_WRIST_H
#define APPELL_WRIST_H

#include <appell/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Mass of a rigid body that turns about O, in its own frame.
typedef struct ap_wrist_link {
  double mass;       ///< kg
  double com[3];     ///< centre of mass from O, m
  double inertia[6]; ///< about O (not the centre of mass), kg m2: xx xy xz yy yz zz
} ap_wrist_link;

/// A uniform thin arc about O, from the z axis of its frame to Rx(angle) z: radius m, density kg/m,
/// angle rad, 0 to pi.
AP_API ap_wrist_link ap_wrist_arc(double radius, double density, double angle);

/// One limb. Angles in rad; alpha1 and alpha2 strictly between 0 and pi.
typedef struct ap_wrist_limb {
  double gamma;         ///< from the vertical to the motor's axis: u = Rz(lambda) Rx(gamma - pi) z
  double beta;          ///< from the platform's z to the platform's joint: v* = Rz(eta) Rx(-beta) z
  double alpha1;        ///< arc of the link at the motor, u to w
  double alpha2;        ///< arc of the link at the platform, w to v
  double eta;           ///< where the limb meets the platform, about its z
  double lambda;        ///< where the limb stands on the ground, about z
  int branch;           ///< 1 or -1: the sign of h, the elbow's side
  ap_wrist_link first;  ///< link at the motor; z along u, arc in the y-z plane towards -y
  ap_wrist_link second; ///< link at the platform; z along w, arc in the y-z plane towards -y
} ap_wrist_limb;

/// A spherical parallel robot. Begin with ap_agile_wrist() and change what differs.
typedef struct ap_wrist_def {
  ap_wrist_limb limb[3];  ///< the limbs
  ap_wrist_link platform; ///< the platform with what it carries; its frame is the world's at q = 0
  double gravity[3];      ///< m/s2, world: 0 0 -9.81
  double least_h;         ///< serial singularity: |h_i| at or below this, 1e-9 to 0.1: 1e-6
  double least_det;       ///< parallel singularity: |parallel| at or below this, 1e-12 to 0.1: 1e-9
} ap_wrist_def;

/// The Agile Wrist of Abedloo et al. (2014), section IV: gamma = acos(1/sqrt 3), beta =
/// asin(1/sqrt 3), arcs of 80 and 70 degrees with 1.378 kg/m, limbs at 0, 120, 240 degrees, a
/// platform of 1.351 kg. The paper does not give the radius of the arcs (0.1 m here), nor the
/// centre of mass of the platform (0 0 0.05 m), nor the point of its inertia (O). All branches 1.
AP_API ap_wrist_def ap_agile_wrist(void);

/// A wrist checked and made ready; lives in the caller's memory, constant from then on.
typedef struct ap_wrist ap_wrist;
/// Bytes that ap_wrist_init() needs, whatever the alignment.
AP_API size_t ap_wrist_size(void);
/// Check a definition and make it ready in mem. NULL when it is not valid or size is too small;
/// *error (may be NULL) says what is wrong and what would be right.
AP_API ap_wrist *ap_wrist_init(const ap_wrist_def *def, void *mem, size_t size, ap_error *error);
/// The definition that it was made of.
AP_API const ap_wrist_def *ap_wrist_definition(const ap_wrist *w);

/// What keeps a call from its answer.
typedef enum ap_wrist_trouble {
  AP_WRIST_NONE,     ///< nothing
  AP_WRIST_REACH,    ///< a limb is too short or too long for the pose (AP_E_UNREACHABLE)
  AP_WRIST_SERIAL,   ///< a limb is stretched or folded, h = 0 (AP_E_SINGULAR_SERIAL)
  AP_WRIST_PARALLEL, ///< det [p_11 p_12 p_13] = 0 (AP_E_SINGULAR_PARALLEL)
  AP_WRIST_ANGLES,   ///< cos q1 = 0: Euler angles have no rates for some motion, and so do not
                     ///< determine it (AP_E_SINGULAR_SERIAL)
  AP_WRIST_INERTIA   ///< the inertia matrix is singular: massless bodies (AP_E_SINGULAR)
} ap_wrist_trouble;

/// How far a pose is from where it cannot be reached and from both kinds of singularity.
typedef struct ap_wrist_margin {
  ap_wrist_trouble trouble; ///< what the call met
  int limb;                 ///< 0 to 2: the limb that it met it in; -1: none
  double angle[3];          ///< between u_i and v_i, rad, 0 to pi
  double serial[3];         ///< rad that angle[i] may change before limb i is stretched or folded;
                            ///< negative: the limb does not reach the pose by as much
  double h[3];              ///< h_i = (v_i x w_i) . u_i; 0 where limb i does not reach
  double det;      ///< det [p_11 p_12 p_13], p_1i = v_i x w_i; 0 where a limb does not reach
  double parallel; ///< the same for unit vectors along p_1i, -1 to 1
  double sigma;    ///< least singular value of those unit vectors, 0 to 1: the least length
                   ///< of sum y_i p_1i/|p_1i| for |y| = 1
  double cos_q1;   ///< 0 where the Euler angles are singular
} ap_wrist_margin;

/// The margins of a pose. AP_E_UNREACHABLE, AP_E_SINGULAR_SERIAL, AP_E_SINGULAR_PARALLEL (in this
/// order) as *margin says;
/// AP_E_ARG where q is not finite. *margin is filled always and holds no NaN.
AP_API ap_status ap_wrist_margins(const ap_wrist *w, const double q[3], ap_wrist_margin *margin);
/// *margin in words, for a person: what is wrong, in which limb, and what would be right. AP_OK and
/// an empty text where its trouble is AP_WRIST_NONE. Returns the status of that trouble.
AP_API ap_status ap_wrist_explain(const ap_wrist *w, const ap_wrist_margin *margin,
                                  ap_error *error);

// All functions below leave their outputs untouched unless they return AP_OK; margin (may be NULL)
// is filled always, which costs time. v and a may be NULL for zero. AP_E_UNREACHABLE and the
// statuses of singularities, which are those of loop.h, as margin says; AP_E_ARG where a number is
// not finite or so large that an output would not be.

/// Joints of a motion of the platform.
typedef struct ap_wrist_motion {
  double theta[3];   ///< angles of the motors, rad, -pi to pi
  double psi[3];     ///< angles between the links, the same
  double thetad[3];  ///< rates of theta
  double psid[3];    ///< rates of psi
  double thetadd[3]; ///< accelerations of theta
  double psidd[3];   ///< accelerations of psi
  double u[3][3];    ///< axis of motor i, world
  double w[3][3];    ///< axis between the links of limb i
  double v[3][3];    ///< axis where limb i meets the platform
} ap_wrist_motion;
/// Inverse kinematics: the joints of every limb, with rates and accelerations. Needs no parallel
/// singularity to be far.
AP_API ap_status ap_wrist_kinematics(const ap_wrist *w, const double q[3], const double *v,
                                     const double *a, ap_wrist_motion *motion,
                                     ap_wrist_margin *margin);

/// The matrices of M(q) a + C(q, v) v + G(q) = Q = J_act^T tau and theta' = J_act v, row-major;
/// each may be NULL. M' - 2C is skew-symmetric. They exist at parallel singularities too.
AP_API ap_status ap_wrist_matrices(const ap_wrist *w, const double q[3], const double *v, double *M,
                                   double *C, double *G, double *J_act, ap_wrist_margin *margin);
/// Generalised forces Q = M a + C v + G.
AP_API ap_status ap_wrist_forces(const ap_wrist *w, const double q[3], const double *v,
                                 const double *a, double Q[3], ap_wrist_margin *margin);
/// Torques of the motors, tau = J_act^-T Q. Works where the Euler angles are singular.
AP_API ap_status ap_wrist_inverse_dynamics(const ap_wrist *w, const double q[3], const double *v,
                                           const double *a, double tau[3], ap_wrist_margin *margin);
/// Acceleration under torques of the motors. Works at parallel singularities, not where the Euler
/// angles are singular (AP_WRIST_ANGLES, |cos q1| at or below 1e-9).
AP_API ap_status ap_wrist_forward_dynamics(const ap_wrist *w, const double q[3], const double *v,
                                           const double tau[3], double a[3],
                                           ap_wrist_margin *margin);
/// Kinetic energy and potential energy of gravity, J; zero with every centre of mass in O's plane
/// across gravity. Each may be NULL.
AP_API ap_status ap_wrist_energy(const ap_wrist *w, const double q[3], const double *v,
                                 double *kinetic, double *potential, ap_wrist_margin *margin);

#ifdef __cplusplus
}
#endif

#endif
