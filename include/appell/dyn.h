// SPDX-License-Identifier: Apache-2.0
/// @file dyn.h
/// Dynamics: joint forces, accelerations, inertia.
///
///     M(q) a + h(q, v) = tau + sum J^T f
///
/// q has nq entries; v, a, tau have nv. Friction, springs, gravity compensation and rotor inertia
/// enter where ap_set_friction() says so: h then holds what joint forces must overcome of them.
/// Free base: v = [linear; angular] in the body frame, a its component-wise time derivative, tau =
/// [force; torque] in that frame. No function here allocates. Arguments must be finite and
/// quaternions not zero (they are normalised on the way in); a kernel does not test. Unless said
/// otherwise outputs must not overlap inputs.

#ifndef APPELL_DYN_H
#define APPELL_DYN_H

#include <appell/kin.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A force and a moment that the surroundings exert on the body that carries a frame.
typedef struct ap_wrench {
  int frame;              ///< number of the frame; a body's number is its link frame
  ap_reference reference; ///< axes of both vectors, and the point where the force acts
  double force[3];        ///< N
  double moment[3];       ///< N m, about that point
} ap_wrench;

/// Joint forces that give acceleration a in state (q, v):  tau = M(q) a + h(q, v).
/// tau may be the same array as a.
AP_API void ap_inverse_dynamics(const ap_model *m, ap_work *w, const double *q, const double *v,
                                const double *a, double *tau);
/// The same under n external wrenches:  tau = M(q) a + h(q, v) - sum J^T f. AP_E_ARG, with tau
/// untouched, for a wrench on a frame that does not exist.
AP_API ap_status ap_inverse_dynamics_ext(const ap_model *m, ap_work *w, const double *q,
                                         const double *v, const double *a,
                                         const ap_wrench *wrenches, int n, double *tau);
/// h(q, v): the joint forces at a = 0, gravity included.
AP_API void ap_bias(const ap_model *m, ap_work *w, const double *q, const double *v, double *tau);
/// The joint forces at v = a = 0: gravity's, and where they take part those of springs and gravity
/// compensation.
AP_API void ap_gravity_forces(const ap_model *m, ap_work *w, const double *q, double *tau);
/// What springs and gravity compensation add to them, whatever ap_set_friction() says.
AP_API void ap_passive_forces(const ap_model *m, ap_work *w, const double *q, double *tau);
/// The inertia matrix M(q), nv * nv, both triangles.
AP_API void ap_inertia_matrix(const ap_model *m, ap_work *w, const double *q, double *M);
/// Its inverse. AP_E_SINGULAR leaves Minv untouched.
AP_API ap_status ap_inverse_inertia_matrix(const ap_model *m, ap_work *w, const double *q,
                                           double *Minv);
/// The acceleration that tau causes in state (q, v). Chooses between the factorised inertia matrix
/// and the articulated-body recursion by the size of the model. AP_E_SINGULAR leaves a untouched.
/// a may be the same array as tau.
AP_API ap_status ap_forward_dynamics(const ap_model *m, ap_work *w, const double *q,
                                     const double *v, const double *tau, double *a);
/// The same under n external wrenches; AP_E_ARG as in ap_inverse_dynamics_ext().
AP_API ap_status ap_forward_dynamics_ext(const ap_model *m, ap_work *w, const double *q,
                                         const double *v, const double *tau,
                                         const ap_wrench *wrenches, int n, double *a);
/// Derivatives of the inverse dynamics at (q, v, a), nv * nv each, row-major; any may be NULL.
/// Entry (i, j) of dtau_dq is the derivative of tau_i as q moves along its degree of freedom j
/// (ap_integrate() with the j-th unit vector: free and spherical joints turn in the body frame),
/// the numbers v and a held; dtau_da is M. With friction on, dtau_dq has springs and gravity
/// compensation and dtau_dv the viscous part; the Coulomb part has no derivative at rest and none
/// is added. AP_E_UNSUPPORTED where the work has no such part.
AP_API ap_status ap_inverse_dynamics_derivatives(const ap_model *m, ap_work *w, const double *q,
                                                 const double *v, const double *a, double *dtau_dq,
                                                 double *dtau_dv, double *dtau_da);
/// The same under n external wrenches. The numbers of each stay as they are while q moves: those
/// of AP_LOCAL turn with their frame, those of AP_MIXED keep their axes and act at its origin,
/// those of AP_WORLD rest. AP_E_ARG as in ap_inverse_dynamics_ext(), with nothing written.
AP_API ap_status ap_inverse_dynamics_derivatives_ext(const ap_model *m, ap_work *w, const double *q,
                                                     const double *v, const double *a,
                                                     const ap_wrench *wrenches, int n,
                                                     double *dtau_dq, double *dtau_dv,
                                                     double *dtau_da);
/// Derivatives of the forward dynamics at (q, v, tau), in the same sense; da_dtau is the inverse of
/// M. Any may be NULL. AP_E_SINGULAR leaves all untouched.
AP_API ap_status ap_forward_dynamics_derivatives(const ap_model *m, ap_work *w, const double *q,
                                                 const double *v, const double *tau, double *da_dq,
                                                 double *da_dv, double *da_dtau);
/// The same under n external wrenches, held as in ap_inverse_dynamics_derivatives_ext().
AP_API ap_status ap_forward_dynamics_derivatives_ext(const ap_model *m, ap_work *w, const double *q,
                                                     const double *v, const double *tau,
                                                     const ap_wrench *wrenches, int n,
                                                     double *da_dq, double *da_dv, double *da_dtau);
/// Coriolis matrix C(q, v), nv * nv, with h(q, v) = C v + gravity and dM/dt - 2 C skew-symmetric
/// (the Christoffel one where v is the rate of q). Rigid bodies alone: no friction.
AP_API void ap_coriolis_matrix(const ap_model *m, ap_work *w, const double *q, const double *v,
                               double *C);
/// The regressor K(q, v, a), nv rows of 10 * ap_moving_bodies(m):  tau = K p  with the inertial
/// parameters p of ap_inertial_parameters(), whatever the numbers in p. Rigid bodies alone: no
/// friction. v and a may be NULL for zeros.
AP_API void ap_regressor(const ap_model *m, ap_work *w, const double *q, const double *v,
                         const double *a, double *K);
/// The inertial parameters that w computes with, payloads and changed inertias included: ten for
/// each moving body with all that is fixed to it, in its link frame and in the order
///     m   m cx   m cy   m cz   Ixx   Ixy   Ixz   Iyy   Iyz   Izz
/// where c is the centre of mass and I the inertia about the frame's origin (kg, kg m, kg m2; Ixy
/// is the tensor's own entry). p has 10 * ap_moving_bodies(m) entries.
AP_API void ap_inertial_parameters(const ap_model *m, const ap_work *w, double *p);
/// Kinetic energy; with friction on it includes the rotors.
AP_API double ap_kinetic_energy(const ap_model *m, ap_work *w, const double *q, const double *v);
/// Energy of the springs, where ap_set_friction() lets them take part, else 0.
AP_API double ap_elastic_energy(const ap_model *m, ap_work *w, const double *q);
/// Potential energy of gravity, zero with the centre of mass at the height of the ground's origin,
/// and ap_elastic_energy(). Gravity compensation is no part of it: what that force does is work.
AP_API double ap_potential_energy(const ap_model *m, ap_work *w, const double *q);

// ---- single precision --------------------------------------------------------------------------

/// A wrench in single precision.
typedef struct ap_wrench_f32 {
  int frame;              ///< as in ap_wrench
  ap_reference reference; ///< as in ap_wrench
  float force[3];         ///< N
  float moment[3];        ///< N m
} ap_wrench_f32;

/// @name Twins in single precision
/// @{

/// As its namesake in double precision.
AP_API void ap_inverse_dynamics_f32(const ap_model *m, ap_work_f32 *w, const float *q,
                                    const float *v, const float *a, float *tau);
AP_API ap_status ap_inverse_dynamics_ext_f32(const ap_model *m, ap_work_f32 *w, const float *q,
                                             const float *v, const float *a,
                                             const ap_wrench_f32 *wrenches, int n, float *tau);
AP_API void ap_bias_f32(const ap_model *m, ap_work_f32 *w, const float *q, const float *v,
                        float *tau);
AP_API void ap_gravity_forces_f32(const ap_model *m, ap_work_f32 *w, const float *q, float *tau);
AP_API void ap_passive_forces_f32(const ap_model *m, ap_work_f32 *w, const float *q, float *tau);
AP_API void ap_inertia_matrix_f32(const ap_model *m, ap_work_f32 *w, const float *q, float *M);
AP_API ap_status ap_inverse_inertia_matrix_f32(const ap_model *m, ap_work_f32 *w, const float *q,
                                               float *Minv);
AP_API ap_status ap_forward_dynamics_f32(const ap_model *m, ap_work_f32 *w, const float *q,
                                         const float *v, const float *tau, float *a);
AP_API ap_status ap_forward_dynamics_ext_f32(const ap_model *m, ap_work_f32 *w, const float *q,
                                             const float *v, const float *tau,
                                             const ap_wrench_f32 *wrenches, int n, float *a);
AP_API ap_status ap_inverse_dynamics_derivatives_f32(const ap_model *m, ap_work_f32 *w,
                                                     const float *q, const float *v, const float *a,
                                                     float *dtau_dq, float *dtau_dv,
                                                     float *dtau_da);
AP_API ap_status ap_inverse_dynamics_derivatives_ext_f32(
    const ap_model *m, ap_work_f32 *w, const float *q, const float *v, const float *a,
    const ap_wrench_f32 *wrenches, int n, float *dtau_dq, float *dtau_dv, float *dtau_da);
AP_API ap_status ap_forward_dynamics_derivatives_ext_f32(
    const ap_model *m, ap_work_f32 *w, const float *q, const float *v, const float *tau,
    const ap_wrench_f32 *wrenches, int n, float *da_dq, float *da_dv, float *da_dtau);
AP_API ap_status ap_forward_dynamics_derivatives_f32(const ap_model *m, ap_work_f32 *w,
                                                     const float *q, const float *v,
                                                     const float *tau, float *da_dq, float *da_dv,
                                                     float *da_dtau);
AP_API void ap_coriolis_matrix_f32(const ap_model *m, ap_work_f32 *w, const float *q,
                                   const float *v, float *C);
AP_API void ap_regressor_f32(const ap_model *m, ap_work_f32 *w, const float *q, const float *v,
                             const float *a, float *K);
AP_API void ap_inertial_parameters_f32(const ap_model *m, const ap_work_f32 *w, float *p);
AP_API float ap_kinetic_energy_f32(const ap_model *m, ap_work_f32 *w, const float *q,
                                   const float *v);
AP_API float ap_elastic_energy_f32(const ap_model *m, ap_work_f32 *w, const float *q);
AP_API float ap_potential_energy_f32(const ap_model *m, ap_work_f32 *w, const float *q);
/// @}

#ifdef __cplusplus
}
#endif

#endif
