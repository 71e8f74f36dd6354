// SPDX-License-Identifier: Apache-2.0
/// @file batch.h
/// Many states of one robot at once: the functions of dyn.h on every lane of the processor's
/// vectors, and rollouts of many robots over many steps.
///
/// The results are those of the functions for one state, to the bit (a NaN is a NaN). One ap_batch
/// per thread, in memory of the caller's; nothing here allocates, locks or starts a thread. To use
/// several cores, let each compute a part of the states with a batch of its own, see
/// ap_part_of_states(): the results do not depend on how the states are divided.
///
/// An array over states holds, for each of n states, a vector or a matrix of w entries, w as the
/// function of one state has them (nq for q, nv for v, nv * nv for an inertia matrix): as rows,
/// entry j of state k at [k * w + j], or as columns, at [j * n + k]. All arrays of a call have the
/// same layout. Columns are read and written as they are; rows cost a transposition.

#ifndef APPELL_BATCH_H
#define APPELL_BATCH_H

#include <appell/dyn.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How arrays over states are laid out.
typedef enum ap_layout {
  AP_ROWS,   ///< one state after the other
  AP_COLUMNS ///< one entry of all states after the other
} ap_layout;

/// The states that a call computes, and how they lie in its arrays. Begin with ap_all_states().
typedef struct ap_states {
  size_t n;         ///< states in every array of the call
  size_t first;     ///< the first of those that are computed
  size_t last;      ///< the one behind the last of them
  ap_layout layout; ///< of every array of the call
} ap_states;

/// All of n states.
AP_API ap_states ap_all_states(size_t n, ap_layout layout);
/// The part-th (from 0) of so many parts of them, nearly equal; together they are all, each once.
/// Parts begin at multiples of 64 states from the first, so that threads seldom share a cache line.
/// No states for a part that is not there.
AP_API ap_states ap_part_of_states(ap_states s, int part, int parts);

/// What the functions below work in, double precision; one per thread.
typedef struct ap_batch ap_batch;

/// Bytes that ap_batch_init() needs on this processor (any alignment of the memory is taken into
/// account).
AP_API size_t ap_batch_size(const ap_model *m);
/// Prepare mem for this model, with the kernels for the best instruction set of this processor.
/// Returns NULL when size is too small.
AP_API ap_batch *ap_batch_init(const ap_model *m, void *mem, size_t size);
/// The instruction set that its kernels were compiled for, as ap_work_isa() names it.
AP_API const char *ap_batch_isa(const ap_batch *b);
/// How many states it computes side by side: 8, 4 or 2 in double, 16, 8 or 4 in float.
AP_API int ap_batch_lanes(const ap_batch *b);
/// Copy the settings of a work, and again after they change: compute with the gravity, the
/// friction, the changed inertias and the payloads that are set in w (see work.h), and with the
/// code that w computes with (ap_work_use()). AP_E_ARG, and no change, where w belongs to another
/// model.
AP_API ap_status ap_batch_use_settings(const ap_model *m, ap_batch *b, const ap_work *w);

// Every function below returns AP_E_ARG, with the outputs untouched, where s is no range of states
// (first <= last <= n) or has no such layout.

/// tau = M(q) a + h(q, v) of each state. tau may be the same array as a.
AP_API ap_status ap_batch_inverse_dynamics(const ap_model *m, ap_batch *b, ap_states s,
                                           const double *q, const double *v, const double *a,
                                           double *tau);
/// h(q, v) of each state: the joint forces at a = 0.
AP_API ap_status ap_batch_bias(const ap_model *m, ap_batch *b, ap_states s, const double *q,
                               const double *v, double *tau);
/// The joint forces at v = a = 0 of each state.
AP_API ap_status ap_batch_gravity_forces(const ap_model *m, ap_batch *b, ap_states s,
                                         const double *q, double *tau);
/// The inertia matrix M(q) of each state, nv * nv, both triangles.
AP_API ap_status ap_batch_inertia_matrix(const ap_model *m, ap_batch *b, ap_states s,
                                         const double *q, double *M);
/// The acceleration that tau causes in each state. A state whose inertia matrix is singular, or not
/// finite because its q is not, is left out: its a is untouched, its status AP_E_SINGULAR; the
/// others are computed as ever. status has n entries, those of the range are written; it may be
/// NULL. Returns AP_E_SINGULAR where some state was left out. a may be the same array as tau.
AP_API ap_status ap_batch_forward_dynamics(const ap_model *m, ap_batch *b, ap_states s,
                                           const double *q, const double *v, const double *tau,
                                           double *a, ap_status *status);
/// Derivatives of the inverse dynamics of each state, nv * nv each; any may be NULL. See
/// ap_inverse_dynamics_derivatives().
AP_API ap_status ap_batch_inverse_dynamics_derivatives(const ap_model *m, ap_batch *b, ap_states s,
                                                       const double *q, const double *v,
                                                       const double *a, double *dtau_dq,
                                                       double *dtau_dv, double *dtau_da);
/// Derivatives of the forward dynamics of each state, nv * nv each; any may be NULL. See
/// ap_forward_dynamics_derivatives(); singular states as in ap_batch_forward_dynamics().
AP_API ap_status ap_batch_forward_dynamics_derivatives(const ap_model *m, ap_batch *b, ap_states s,
                                                       const double *q, const double *v,
                                                       const double *tau, double *da_dq,
                                                       double *da_dv, double *da_dtau,
                                                       ap_status *status);
/// Poses and Jacobians of nframes frames in each state: R has 9 entries for each of them, p 3 and J
/// 6 * nv, as ap_forward_kinematics() gives them; R, p and J may be NULL. AP_E_ARG too where one of
/// them is no frame.
AP_API ap_status ap_batch_forward_kinematics(const ap_model *m, ap_batch *b, ap_states s,
                                             const double *q, const int *frames, int nframes,
                                             ap_reference ref, double *R, double *p, double *J);

/// The regressor of each state, nv rows of 10 * ap_moving_bodies(m). See ap_regressor().
AP_API ap_status ap_batch_regressor(const ap_model *m, ap_batch *b, ap_states s, const double *q,
                                    const double *v, const double *a, double *K);

// ---- rollouts ----------------------------------------------------------------------------------

/// How a rollout steps through time.
typedef enum ap_integrator {
  /// v' = v + h a(q, v), q' = ap_integrate(q, h v').
  AP_SEMI_IMPLICIT_EULER,
  /// Order 4 on the configuration manifold too: the commutator-free method of Celledoni, Marthinsen
  /// and Owren (2003), which is the classical Runge-Kutta method where q is a vector. With u_i, a_i
  /// velocity and acceleration of stage i,
  ///
  ///     q_2 = q (+) h u_1/2,   q_3 = q (+) h u_2/2,   q_4 = q_2 (+) h (u_3 - u_1/2),
  ///     q'  = q (+) h/12 (3 u_1 + 2 u_2 + 2 u_3 - u_4) (+) h/12 (-u_1 + 2 u_2 + 2 u_3 + 3 u_4),
  ///
  /// (+) being ap_integrate(), and the classical combinations for v.
  AP_RK4
} ap_integrator;

/// Some states side by side, as a control function sees them: entry j of state first + k is at
/// [j * stride + k], k < count.
typedef struct ap_control_block {
  double t;        ///< time since the start, s
  long step;       ///< steps taken
  size_t first;    ///< number of the first of these states
  int count;       ///< how many there are
  int stride;      ///< from an entry to the next
  const double *q; ///< configurations
  const double *v; ///< velocities
} ap_control_block;

/// Joint forces of a block of states at the beginning of a step. tau holds those that the rollout
/// names itself; the function adds to them or replaces them. Called from the thread that called
/// ap_batch_rollout(), for one block after the other, each through all its steps.
typedef void ap_batch_control(void *context, const ap_control_block *block, double *tau);

/// What happens in a rollout. Begin with ap_default_rollout() and change what differs. Joint forces
/// are computed at the beginning of each step and held through it:
///
///     tau + kp (target_q - q) + kd (target_v - v), then what control does to that,
///
/// target_q - q being ap_difference(q, target_q). Arrays over states have the layout of the call.
typedef struct ap_rollout {
  ap_integrator integrator;  ///< default AP_SEMI_IMPLICIT_EULER
  double dt;                 ///< length of a step, s; default 0.001
  long steps;                ///< how many; default 0
  const double *tau;         ///< over states, nv: constant joint forces; NULL: none
  const double *kp;          ///< [nv] stiffness of the controller; NULL: none
  const double *kd;          ///< [nv] its damping; NULL: none
  const double *target_q;    ///< over states, nq: where kp pulls to; needed where kp is given
  const double *target_v;    ///< over states, nv: the velocity that kd damps to; NULL: zeros
  ap_batch_control *control; ///< NULL: none
  void *context;             ///< of control
  long every;                ///< record the states after so many steps, again and again; 0: never
  double *record_q;          ///< [steps / every] arrays over states, nq; NULL: not recorded
  double *record_v;          ///< [steps / every] arrays over states, nv; NULL: not recorded
  unsigned cookie;           ///< ap_default_rollout() sets it
} ap_rollout;

/// No forces, the defaults named above, nothing recorded.
AP_API ap_rollout ap_default_rollout(void);

/// Move each state (q, v) through the steps of r. A state whose inertia matrix becomes singular, or
/// not finite, stays as it was before that step, with status AP_E_SINGULAR, and so is recorded from
/// then on; the others are moved as ever. status as in ap_batch_forward_dynamics(). Nothing else is
/// tested: a motion that grows beyond all bounds (dt too long) ends in numbers that are not finite.
/// The bits are those of the same steps taken with ap_forward_dynamics() and ap_integrate() one
/// state at a time. AP_E_ARG also for a negative number of steps, kp without target_q, an unknown
/// integrator.
AP_API ap_status ap_batch_rollout(const ap_model *m, ap_batch *b, ap_states s, const ap_rollout *r,
                                  double *q, double *v, ap_status *status);

// ---- single precision --------------------------------------------------------------------------

/// What the twins work in, single precision.
typedef struct ap_batch_f32 ap_batch_f32;

/// ap_control_block in single precision.
typedef struct ap_control_block_f32 {
  double t;       ///< as in ap_control_block
  long step;      ///< as in ap_control_block
  size_t first;   ///< as in ap_control_block
  int count;      ///< as in ap_control_block
  int stride;     ///< as in ap_control_block
  const float *q; ///< configurations
  const float *v; ///< velocities
} ap_control_block_f32;

/// ap_batch_control in single precision.
typedef void ap_batch_control_f32(void *context, const ap_control_block_f32 *block, float *tau);

/// ap_rollout in single precision.
typedef struct ap_rollout_f32 {
  ap_integrator integrator;      ///< as in ap_rollout
  float dt;                      ///< as in ap_rollout
  long steps;                    ///< as in ap_rollout
  const float *tau;              ///< as in ap_rollout
  const float *kp;               ///< as in ap_rollout
  const float *kd;               ///< as in ap_rollout
  const float *target_q;         ///< as in ap_rollout
  const float *target_v;         ///< as in ap_rollout
  ap_batch_control_f32 *control; ///< as in ap_rollout
  void *context;                 ///< as in ap_rollout
  long every;                    ///< as in ap_rollout
  float *record_q;               ///< as in ap_rollout
  float *record_v;               ///< as in ap_rollout
  unsigned cookie;               ///< ap_default_rollout_f32() sets it
} ap_rollout_f32;

/// @name Twins in single precision
/// @{

/// As its namesake in double precision.
AP_API size_t ap_batch_size_f32(const ap_model *m);
AP_API ap_batch_f32 *ap_batch_init_f32(const ap_model *m, void *mem, size_t size);
AP_API const char *ap_batch_isa_f32(const ap_batch_f32 *b);
AP_API int ap_batch_lanes_f32(const ap_batch_f32 *b);
AP_API ap_status ap_batch_use_settings_f32(const ap_model *m, ap_batch_f32 *b,
                                           const ap_work_f32 *w);
AP_API ap_status ap_batch_inverse_dynamics_f32(const ap_model *m, ap_batch_f32 *b, ap_states s,
                                               const float *q, const float *v, const float *a,
                                               float *tau);
AP_API ap_status ap_batch_bias_f32(const ap_model *m, ap_batch_f32 *b, ap_states s, const float *q,
                                   const float *v, float *tau);
AP_API ap_status ap_batch_gravity_forces_f32(const ap_model *m, ap_batch_f32 *b, ap_states s,
                                             const float *q, float *tau);
AP_API ap_status ap_batch_inertia_matrix_f32(const ap_model *m, ap_batch_f32 *b, ap_states s,
                                             const float *q, float *M);
AP_API ap_status ap_batch_forward_dynamics_f32(const ap_model *m, ap_batch_f32 *b, ap_states s,
                                               const float *q, const float *v, const float *tau,
                                               float *a, ap_status *status);
AP_API ap_status ap_batch_inverse_dynamics_derivatives_f32(const ap_model *m, ap_batch_f32 *b,
                                                           ap_states s, const float *q,
                                                           const float *v, const float *a,
                                                           float *dtau_dq, float *dtau_dv,
                                                           float *dtau_da);
AP_API ap_status ap_batch_forward_dynamics_derivatives_f32(const ap_model *m, ap_batch_f32 *b,
                                                           ap_states s, const float *q,
                                                           const float *v, const float *tau,
                                                           float *da_dq, float *da_dv,
                                                           float *da_dtau, ap_status *status);
AP_API ap_status ap_batch_forward_kinematics_f32(const ap_model *m, ap_batch_f32 *b, ap_states s,
                                                 const float *q, const int *frames, int nframes,
                                                 ap_reference ref, float *R, float *p, float *J);
AP_API ap_status ap_batch_regressor_f32(const ap_model *m, ap_batch_f32 *b, ap_states s,
                                        const float *q, const float *v, const float *a, float *K);
AP_API ap_rollout_f32 ap_default_rollout_f32(void);
AP_API ap_status ap_batch_rollout_f32(const ap_model *m, ap_batch_f32 *b, ap_states s,
                                      const ap_rollout_f32 *r, float *q, float *v,
                                      ap_status *status);
/// @}

#ifdef __cplusplus
}
#endif

#endif
