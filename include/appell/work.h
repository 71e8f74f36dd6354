// SPDX-License-Identifier: Apache-2.0
/// @file work.h
/// The memory that algorithms work in, and what may change between calls.
///
/// One ap_work per thread. Ask for the size once, place it wherever you like (static memory, a
/// stack, the heap), initialise it; after that no function that takes it allocates, locks, does
/// I/O or touches a global.
///
///     static unsigned char pool[POOL_BYTES];
///     ap_work *w = ap_work_init(model, pool, sizeof pool);   // NULL: too small
///
/// The work remembers its model: pass the same model to every function that takes both.

#ifndef APPELL_WORK_H
#define APPELL_WORK_H

#include <appell/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Work in double precision.
typedef struct ap_work ap_work;

/// Bytes that ap_work_init() needs (any alignment of the memory is taken into account).
AP_API size_t ap_work_size(const ap_model *m);
/// Prepare mem for this model, with all parts, and the kernels for the best instruction set of this
/// processor. Returns NULL when size is too small.
AP_API ap_work *ap_work_init(const ap_model *m, void *mem, size_t size);
/// The instruction set of its kernels: "base", or on x86-64 "v3" (AVX2) or "v4" (AVX-512), with
/// " fused" behind it where they fuse products. All that fuse agree to the bit, all others
/// likewise.
AP_API const char *ap_work_isa(const ap_work *w);

// ---- parts -------------------------------------------------------------------------------------

/// What a work can do, in parts that each keep what they need. A program that names its parts
/// stores nothing else and, where the library was compiled with -ffunction-sections -fdata-sections
/// and is linked with --gc-sections (docs/real-time.md), links nothing else: firmware that
/// compensates gravity needs one. A part brings along the parts that it stands on.
///
///     static const ap_part *const parts[] = {&ap_part_gravity, NULL};
///     ap_work *w = ap_work_init_for(model, parts, pool, sizeof pool);
///
/// A function whose part is missing returns AP_E_UNSUPPORTED, or gives NaN.
typedef struct ap_part ap_part;

AP_API extern const ap_part ap_part_gravity; ///< ap_gravity_forces()
AP_API extern const ap_part ap_part_inverse; ///< ap_inverse_dynamics(), ap_bias(); gravity, passive
AP_API extern const ap_part ap_part_inertia; ///< ap_inertia_matrix()
AP_API extern const ap_part ap_part_solver;  ///< ap_forward_dynamics(), M^-1; inertia, passive
AP_API extern const ap_part
    ap_part_derivatives;                    ///< of the inverse; with solver of the forward; passive
AP_API extern const ap_part ap_part_frames; ///< kin.h, energies, wrenches from outside
AP_API extern const ap_part ap_part_coriolis;  ///< ap_coriolis_matrix(); frames
AP_API extern const ap_part ap_part_regressor; ///< ap_regressor(); inertia, frames
AP_API extern const ap_part ap_part_ik;        ///< ap_inverse_kinematics(); frames
AP_API extern const ap_part ap_part_passive;   ///< springs and gravity compensation
AP_API extern const ap_part ap_part_changes;   ///< ap_set_inertia(), ap_set_payload()

/// ap_work_size() of the parts named, up to a NULL.
AP_API size_t ap_work_size_for(const ap_model *m, const ap_part *const *parts);
/// ap_work_init() with the parts named, up to a NULL.
AP_API ap_work *ap_work_init_for(const ap_model *m, const ap_part *const *parts, void *mem,
                                 size_t size);

// ---- what may change between calls -------------------------------------------------------------

/// Replace mass, centre of mass (m, link frame) and inertia about it (xx xy xz yy yz zz, link axes,
/// kg m2) of body i >= 1 from now on; ap_reset_inertia() goes back to the model's own.
/// com or inertia may be NULL for zeros. AP_E_ARG and no change for a body that is not there, a
/// negative mass, a number that is not finite, a principal moment below -1e-9 kg m2.
AP_API ap_status ap_set_inertia(const ap_model *m, ap_work *w, int i, double mass,
                                const double com[3], const double inertia[6]);
/// Undo every ap_set_inertia() and every ap_set_payload().
AP_API void ap_reset_inertia(const ap_model *m, ap_work *w);
/// Hang a payload on body i >= 1, besides its own mass; a later call replaces it, mass 0 takes it
/// off. com and inertia (about com, link axes) are in the link frame of body i. Refuses what
/// ap_set_inertia() refuses.
AP_API ap_status ap_set_payload(const ap_model *m, ap_work *w, int i, double mass,
                                const double com[3], const double inertia[6]);
/// Gravity from now on, m/s2 in the ground frame (the model's own until then).
AP_API void ap_set_gravity(const ap_model *m, ap_work *w, const double gravity[3]);
/// Whether joint friction (viscous, Coulomb), springs, gravity compensation and reflected rotor
/// inertia take part in inverse, forward, bias, gravity and inertia functions, in their derivatives
/// and in the energies; off until this is called. Springs and gravity compensation need their part.
AP_API void ap_set_friction(const ap_model *m, ap_work *w, bool on);

// ---- code written for one robot ----------------------------------------------------------------

/// Functions written for one robot, by ap_compile() while the program runs or by ap_generate()
/// ahead of it; NULL where there is none. For one state, and for n states as columns (entry j of
/// state k at [j * n + k]). They need no work and may be called by any number of threads. Those
/// with a result return 0, or not 0 where an inertia matrix is singular: then that state's outputs
/// are untouched. They know the robot as it was defined: its own gravity, masses and inertias.
typedef struct ap_functions {
  bool friction; ///< friction, springs and rotors take part in them, see ap_set_friction()
  /// As ap_inverse_dynamics(); tau may be the same array as a.
  void (*inverse_dynamics)(const double *q, const double *v, const double *a, double *tau);
  void (*inertia_matrix)(const double *q, double *M);          ///< as ap_inertia_matrix()
  void (*bias)(const double *q, const double *v, double *tau); ///< as ap_bias()
  void (*gravity)(const double *q, double *tau);               ///< as ap_gravity_forces()
  /// As ap_forward_dynamics(); a may be the same array as tau.
  int (*forward_dynamics)(const double *q, const double *v, const double *tau, double *a);
  /// As ap_inverse_dynamics_derivatives(), all three of them.
  void (*inverse_dynamics_derivatives)(const double *q, const double *v, const double *a,
                                       double *dtau_dq, double *dtau_dv, double *dtau_da);
  /// As ap_forward_dynamics_derivatives(), all three of them.
  int (*forward_dynamics_derivatives)(const double *q, const double *v, const double *tau,
                                      double *da_dq, double *da_dv, double *da_dtau);
  /// Many states at once.
  void (*inverse_dynamics_batch)(size_t n, const double *q, const double *v, const double *a,
                                 double *tau);
  void (*inertia_matrix_batch)(size_t n, const double *q, double *M);          ///< likewise
  void (*bias_batch)(size_t n, const double *q, const double *v, double *tau); ///< likewise
  void (*gravity_batch)(size_t n, const double *q, double *tau);               ///< likewise
  /// Likewise; not 0 where some state is singular.
  int (*forward_dynamics_batch)(size_t n, const double *q, const double *v, const double *tau,
                                double *a);
  /// Likewise.
  void (*inverse_dynamics_derivatives_batch)(size_t n, const double *q, const double *v,
                                             const double *a, double *dtau_dq, double *dtau_dv,
                                             double *dtau_da);
  /// Likewise; not 0 where some state is singular.
  int (*forward_dynamics_derivatives_batch)(size_t n, const double *q, const double *v,
                                            const double *tau, double *da_dq, double *da_dv,
                                            double *da_dtau);
} ap_functions;

/// From now on this work computes with f wherever f has the function and the robot is as f knows
/// it. With a payload, changed inertias or another gravity, or where friction and springs of the
/// model are on and f was made without them or the reverse, the general kernels take over until
/// that is undone. Results may differ in the last bits. f NULL: general kernels alone. f must live
/// as long as it is used.
AP_API void ap_work_use(const ap_model *m, ap_work *w, const ap_functions *f);
/// Whether it does at the moment: f is there and fits what is set.
AP_API bool ap_work_uses_code(const ap_model *m, const ap_work *w);

// ---- single precision --------------------------------------------------------------------------

/// Work in single precision. The functions with the ending _f32 do what their namesakes do; apart
/// from taking in the model, and changes of inertia and payload, they compute in float alone.
typedef struct ap_work_f32 ap_work_f32;
/// A part of it.
typedef struct ap_part_f32 ap_part_f32;

/// ap_functions in single precision.
typedef struct ap_functions_f32 {
  bool friction; ///< as in ap_functions
  /// As in ap_functions.
  void (*inverse_dynamics)(const float *q, const float *v, const float *a, float *tau);
  void (*inertia_matrix)(const float *q, float *M);         ///< as in ap_functions
  void (*bias)(const float *q, const float *v, float *tau); ///< as in ap_functions
  void (*gravity)(const float *q, float *tau);              ///< as in ap_functions
  /// As in ap_functions.
  int (*forward_dynamics)(const float *q, const float *v, const float *tau, float *a);
  /// As in ap_functions.
  void (*inverse_dynamics_derivatives)(const float *q, const float *v, const float *a,
                                       float *dtau_dq, float *dtau_dv, float *dtau_da);
  /// As in ap_functions.
  int (*forward_dynamics_derivatives)(const float *q, const float *v, const float *tau,
                                      float *da_dq, float *da_dv, float *da_dtau);
  /// As in ap_functions.
  void (*inverse_dynamics_batch)(size_t n, const float *q, const float *v, const float *a,
                                 float *tau);
  void (*inertia_matrix_batch)(size_t n, const float *q, float *M);         ///< as in ap_functions
  void (*bias_batch)(size_t n, const float *q, const float *v, float *tau); ///< as in ap_functions
  void (*gravity_batch)(size_t n, const float *q, float *tau);              ///< as in ap_functions
  /// As in ap_functions.
  int (*forward_dynamics_batch)(size_t n, const float *q, const float *v, const float *tau,
                                float *a);
  /// As in ap_functions.
  void (*inverse_dynamics_derivatives_batch)(size_t n, const float *q, const float *v,
                                             const float *a, float *dtau_dq, float *dtau_dv,
                                             float *dtau_da);
  /// As in ap_functions.
  int (*forward_dynamics_derivatives_batch)(size_t n, const float *q, const float *v,
                                            const float *tau, float *da_dq, float *da_dv,
                                            float *da_dtau);
} ap_functions_f32;

/// @name Twins in single precision
/// @{

/// As its namesake in double precision.
AP_API extern const ap_part_f32 ap_part_gravity_f32, ap_part_inverse_f32, ap_part_inertia_f32,
    ap_part_solver_f32, ap_part_derivatives_f32, ap_part_frames_f32, ap_part_coriolis_f32,
    ap_part_regressor_f32, ap_part_passive_f32, ap_part_changes_f32;
AP_API size_t ap_work_size_f32(const ap_model *m);
AP_API size_t ap_work_size_for_f32(const ap_model *m, const ap_part_f32 *const *parts);
AP_API ap_work_f32 *ap_work_init_for_f32(const ap_model *m, const ap_part_f32 *const *parts,
                                         void *mem, size_t size);
AP_API ap_work_f32 *ap_work_init_f32(const ap_model *m, void *mem, size_t size);
AP_API const char *ap_work_isa_f32(const ap_work_f32 *w);
AP_API ap_status ap_set_inertia_f32(const ap_model *m, ap_work_f32 *w, int i, float mass,
                                    const float com[3], const float inertia[6]);
AP_API void ap_reset_inertia_f32(const ap_model *m, ap_work_f32 *w);
AP_API ap_status ap_set_payload_f32(const ap_model *m, ap_work_f32 *w, int i, float mass,
                                    const float com[3], const float inertia[6]);
AP_API void ap_set_gravity_f32(const ap_model *m, ap_work_f32 *w, const float gravity[3]);
AP_API void ap_set_friction_f32(const ap_model *m, ap_work_f32 *w, bool on);
AP_API void ap_work_use_f32(const ap_model *m, ap_work_f32 *w, const ap_functions_f32 *f);
AP_API bool ap_work_uses_code_f32(const ap_model *m, const ap_work_f32 *w);
/// @}

#ifdef __cplusplus
}
#endif

#endif
