// SPDX-License-Identifier: Apache-2.0
/// @file loop.h
/// Closed chains and parallel robots: a tree whose links are closed upon each other, in the
/// coordinates that its users think in. Part of libappell-tools; nothing here allocates but the
/// functions of the section "files".
///
/// A mechanism is a tree (an ap_robot_def), closures Phi(x) = 0 between its links, independent
/// coordinates q = s(x) such as the pose of a platform, and actuated joints. x are the tree's
/// coordinates. Sizes: x has ap_nq() entries of the tree, its rates ap_nv(); q, v, a have
/// ap_mechanism_n(); tau has ap_mechanism_nact(). Redundant closures are normal.
///
/// An ap_loop remembers the configuration x it found last; the next search starts there, and so
/// stays on the same branch (elbow up or down) while q moves on continuously. A search takes steps
/// of at most 0.2 rad or m, that also a distant q is approached along a path.
///
/// Statuses of every function that takes q, which then leaves its outputs untouched:
/// - AP_E_ARG: a number that is not finite, or so large that an output would not be;
/// - AP_E_UNREACHABLE: the closures cannot be met at that q; the configuration stays what it was;
/// - AP_E_SINGULAR_SERIAL: q does not determine the rates of the mechanism here, or, at a pitch of
///   +-pi/2, where yaw and roll turn about one axis, not even its configuration;
/// - AP_E_SINGULAR_PARALLEL, where actuators take part: these do not hold it here;
/// - AP_E_MODEL: the closures leave fewer degrees of freedom than there are coordinates.

#ifndef APPELL_LOOP_H
#define APPELL_LOOP_H

#include <appell/dyn.h>
#include <appell/file.h>
#include <appell/mechanism.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A checked, immutable mechanism, which any number of threads may share.
typedef struct ap_mechanism ap_mechanism;

/// Bytes that ap_mechanism_init() needs; 0 if the counts are out of range.
AP_API size_t ap_mechanism_size(const ap_mechanism_def *def);
/// Check a definition and build the mechanism, with the model of its tree, in mem (any alignment).
/// NULL when it is refused; *error, which may be NULL, names the closure, coordinate or actuator
/// and says what is wrong and what would be right. Whether the closures can be met is seen by
/// ap_loop_place() alone.
AP_API ap_mechanism *ap_mechanism_init(const ap_mechanism_def *def, void *mem, size_t size,
                                       ap_error *error);
/// Its name, never NULL.
AP_API const char *ap_mechanism_name(const ap_mechanism *m);
/// The model of its tree.
AP_API const ap_model *ap_mechanism_tree(const ap_mechanism *m);
/// @{
/// Sizes: independent coordinates, actuated joints, rows of all closures, closures.
AP_API int ap_mechanism_n(const ap_mechanism *m);
AP_API int ap_mechanism_nact(const ap_mechanism *m);
AP_API int ap_mechanism_nrow(const ap_mechanism *m);
AP_API int ap_mechanism_nclosure(const ap_mechanism *m);
/// @}
/// Closure i as it was given, its axes of length one, with its own copy of the name; NULL where
/// there is none.
AP_API const ap_closure_def *ap_mechanism_closure(const ap_mechanism *m, int i);
/// Coordinate i as it was given, its direction of length one; NULL where there is none.
AP_API const ap_coordinate_def *ap_mechanism_coordinate(const ap_mechanism *m, int i);
/// Number of the link whose joint is actuator i; -1 where there is none.
AP_API int ap_mechanism_actuated(const ap_mechanism *m, int i);
/// The name of that joint, or of the coordinate that actuator i acts along; NULL past the last.
AP_API const char *ap_mechanism_actuator_name(const ap_mechanism *m, int i);
/// The configuration to begin with.
AP_API const double *ap_mechanism_guess(const ap_mechanism *m);
/// Number of branches.
AP_API int ap_mechanism_nbranch(const ap_mechanism *m);
/// Branch i, with its own copies; NULL where there is none.
AP_API const ap_branch_def *ap_mechanism_branch(const ap_mechanism *m, int i);
/// The configuration of the branch of that name, for ap_loop_set_guess(); NULL where there is none.
/// The name NULL asks for the mechanism's own, ap_mechanism_guess().
AP_API const double *ap_mechanism_find_branch(const ap_mechanism *m, const char *name);

// ---- work --------------------------------------------------------------------------------------

/// The memory that the functions below work in; one per thread.
typedef struct ap_loop ap_loop;

/// Bytes that ap_loop_init() needs (any alignment of the memory is taken into account).
AP_API size_t ap_loop_size(const ap_mechanism *m);
/// Prepare mem for this mechanism; the configuration is its guess. NULL when size is too small.
AP_API ap_loop *ap_loop_init(const ap_mechanism *m, void *mem, size_t size);
/// The work of its tree: payloads, gravity and friction are set there and take part here.
AP_API ap_work *ap_loop_work(ap_loop *l);
/// Begin the next search at x: this chooses the branch. AP_E_ARG, and no change, where a number is
/// not finite or a quaternion zero.
AP_API ap_status ap_loop_set_guess(const ap_mechanism *m, ap_loop *l, const double *x);
/// Begin the next search, which is for q, on the branch of that name (NULL: the mechanism's own).
/// Of the built-in mechanisms, and files that say the same, this is its configuration at q, by
/// ap_mechanism_builtin_configuration(). Else it is the branch's guess, a hint and no more: the
/// search is local, and far from the guess it may end on another branch. AP_E_NOT_FOUND: no such
/// branch; AP_E_ARG: q is not finite; then nothing changes.
AP_API ap_status ap_loop_begin(const ap_mechanism *m, ap_loop *l, const char *branch,
                               const double *q);
/// The configuration x of the tree that was found last, or the guess.
AP_API const double *ap_loop_configuration(const ap_loop *l);

/// What a search came to.
typedef struct ap_assembly {
  int iterations;          ///< Newton steps
  double closure_error;    ///< largest entry of Phi, m or rad
  double coordinate_error; ///< largest entry of s(x) - q, m or rad
  int worst;               ///< number of the closure with that entry; -1 where there are none
  int rank;                ///< of the closures' Jacobian Phi_x; set where q was reached
} ap_assembly;

/// Find the configuration x with Phi(x) = 0 and s(x) = q by Newton's method from the last one, with
/// rank-revealing least squares. AP_E_UNREACHABLE: the search ended at a place where the errors are
/// least but not zero; *result (may be NULL) has them.
/// AP_E_SINGULAR_SERIAL: x is found, and is the configuration, but q does not determine its rates.
/// At a pitch of +-pi/2 no x may be found; then the configuration stays what it was, and
/// coordinate_error is not zero.
AP_API ap_status ap_loop_place(const ap_mechanism *m, ap_loop *l, const double *q,
                               ap_assembly *result);
/// Close the mechanism near the configuration x (in: guess; out: result) whatever q is: Phi = 0
/// alone, the least change of x. Then q = s(x), which may be NULL.
AP_API ap_status ap_loop_close(const ap_mechanism *m, ap_loop *l, double *x, double *q,
                               ap_assembly *result);
/// Phi and s of a configuration x; either output may be NULL.
AP_API void ap_loop_errors(const ap_mechanism *m, ap_loop *l, const double *x, double *phi,
                           double *s);
/// The rates of s, n entries, where the tree is at x and has the rates xd, nv entries.
AP_API void ap_loop_rates(const ap_mechanism *m, ap_loop *l, const double *x, const double *xd,
                          double *sd);
/// Phi_x, ap_mechanism_nrow() * nv, of a configuration x.
AP_API void ap_loop_closure_jacobian(const ap_mechanism *m, ap_loop *l, const double *x,
                                     double *phi_x);
/// @{
/// Rates of the tree, nv entries: P v, and P a + dP/dt v; P itself, nv * n.
AP_API ap_status ap_loop_velocity(const ap_mechanism *m, ap_loop *l, const double *q,
                                  const double *v, double *xd);
AP_API ap_status ap_loop_acceleration(const ap_mechanism *m, ap_loop *l, const double *q,
                                      const double *v, const double *a, double *xdd);
AP_API ap_status ap_loop_map(const ap_mechanism *m, ap_loop *l, const double *q, double *P);
/// @}
/// The actuator map, nact * n: rates of the actuated joints are J_act v, forces on q are
/// J_act^T tau.
AP_API ap_status ap_loop_actuator_map(const ap_mechanism *m, ap_loop *l, const double *q,
                                      double *J_act);

// ---- dynamics: M(q) a + C(q, v) v + G(q) = J_act^T tau -----------------------------------------

/// Actuator forces that give acceleration a in state (q, v); with more actuators than coordinates
/// the least ones. AP_E_UNSUPPORTED with fewer.
AP_API ap_status ap_loop_inverse_dynamics(const ap_mechanism *m, ap_loop *l, const double *q,
                                          const double *v, const double *a, double *tau);
/// The same under n external wrenches on links or frames of the tree:  M a + C v + G = J_act^T tau
/// + sum J^T f. AP_E_ARG also for a wrench that is not finite or on a frame that does not exist.
AP_API ap_status ap_loop_inverse_dynamics_ext(const ap_mechanism *m, ap_loop *l, const double *q,
                                              const double *v, const double *a,
                                              const ap_wrench *wrenches, int n, double *tau);
/// The acceleration that tau causes in state (q, v). AP_E_SINGULAR where M is singular.
AP_API ap_status ap_loop_forward_dynamics(const ap_mechanism *m, ap_loop *l, const double *q,
                                          const double *v, const double *tau, double *a);
/// The same under n external wrenches, as ap_loop_inverse_dynamics_ext().
AP_API ap_status ap_loop_forward_dynamics_ext(const ap_mechanism *m, ap_loop *l, const double *q,
                                              const double *v, const double *tau,
                                              const ap_wrench *wrenches, int n, double *a);
/// Forces on the coordinates, n entries: M a + C v + G, friction included where it is on.
AP_API ap_status ap_loop_forces(const ap_mechanism *m, ap_loop *l, const double *q, const double *v,
                                const double *a, double *Q);
/// The inertia matrix M(q), n * n.
AP_API ap_status ap_loop_inertia_matrix(const ap_mechanism *m, ap_loop *l, const double *q,
                                        double *M);
/// The Coriolis matrix C(q, v), n * n: Christoffel's, so that dM/dt - 2 C is skew-symmetric.
AP_API ap_status ap_loop_coriolis_matrix(const ap_mechanism *m, ap_loop *l, const double *q,
                                         const double *v, double *C);
/// The forces of gravity G(q).
AP_API ap_status ap_loop_gravity_forces(const ap_mechanism *m, ap_loop *l, const double *q,
                                        double *G);
/// Kinetic and potential energy; either output may be NULL.
AP_API ap_status ap_loop_energy(const ap_mechanism *m, ap_loop *l, const double *q, const double *v,
                                double *kinetic, double *potential);

// ---- derivatives -------------------------------------------------------------------------------

/// Derivatives of ap_loop_inverse_dynamics() by q, v and a: nact * n each, row-major; any may be
/// NULL. They are exact, by the chain rule through the closures. Coulomb friction is constant on
/// either side of rest.
AP_API ap_status ap_loop_inverse_dynamics_derivatives(const ap_mechanism *m, ap_loop *l,
                                                      const double *q, const double *v,
                                                      const double *a, double *dtau_dq,
                                                      double *dtau_dv, double *dtau_da);
/// Derivatives of ap_loop_forward_dynamics() by q and v, n * n each, and by tau, n * nact; any may
/// be NULL. AP_E_SINGULAR where M is singular.
AP_API ap_status ap_loop_forward_dynamics_derivatives(const ap_mechanism *m, ap_loop *l,
                                                      const double *q, const double *v,
                                                      const double *tau, double *da_dq,
                                                      double *da_dv, double *da_dtau);

// ---- forces in the closures --------------------------------------------------------------------

/// What a closure transmits: what the link body[1] exerts on body[0] there, in axes of the ground.
/// body[1] gets the opposite, at the same point. For a gear: its efforts on the two joints.
typedef struct ap_closure_force {
  double at[3];     ///< where the force acts: the point at[0] of the link body[0], m
  double force[3];  ///< N
  double moment[3]; ///< N m, about that point
  double joint[2];  ///< of a gear: efforts in the joints of body[0] and body[1], N m or N
} ap_closure_force;

/// The multipliers lambda of all closures, ap_mechanism_nrow() entries, and the forces of each, one
/// for every closure; either may be NULL. With the tree's inertia and bias
///
///     M_t xdd + h_t = S^T tau + sum J^T f + Phi_x^T lambda .
///
/// a and tau belong together: what ap_loop_inverse_dynamics_ext() or ap_loop_forward_dynamics_ext()
/// gave for the other under the same n wrenches (n = 0: none); AP_E_ARG where they do not. Where
/// closures are redundant, their forces are not determined; the shortest lambda is taken, which
/// depends on units where rows are in N and N m: rows of directions are in N m.
AP_API ap_status ap_loop_closure_forces(const ap_mechanism *m, ap_loop *l, const double *q,
                                        const double *v, const double *a, const double *tau,
                                        const ap_wrench *wrenches, int n, double *lambda,
                                        ap_closure_force *forces);

// ---- singularities -----------------------------------------------------------------------------

/// How near a configuration is to the two kinds of singularity.
///
/// Serial: with q held, parts of the mechanism can still move; where q is a platform's pose, a limb
/// is stretched or folded. The map is [Phi_x; s_x].
/// Parallel: with the actuators locked, the mechanism can still move. The map is [Phi_x; S], S the
/// rows that pick the actuated joints.
/// A distance is the least singular value of the map over its largest: 0 at the singularity. It
/// depends on units where lengths and angles are mixed: m and rad.
typedef struct ap_singularity {
  double serial;         ///< distance to a serial singularity
  double serial_least;   ///< least singular value of that map
  double parallel;       ///< distance to a parallel singularity
  double parallel_least; ///< least singular value of that map
  double act_least;      ///< least singular value of J_act; 0 at a serial singularity
  double act_largest;    ///< and largest; 0 at a serial singularity
  int rank;              ///< of Phi_x
} ap_singularity;

/// Distances at q. AP_OK, AP_E_SINGULAR_SERIAL and AP_E_SINGULAR_PARALLEL fill *result, with zeros
/// where no configuration is found at a pitch of +-pi/2.
AP_API ap_status ap_loop_singularity(const ap_mechanism *m, ap_loop *l, const double *q,
                                     ap_singularity *result);

// ---- built in ----------------------------------------------------------------------------------

/// Built-in mechanisms: name of the i-th, NULL past the last.
AP_API const char *ap_mechanism_builtin_name(int i);
/// One line about it and its source.
AP_API const char *ap_mechanism_builtin_about(int i);
/// Its definition, which lives as long as the program; NULL if there is none of that name.
AP_API const ap_mechanism_def *ap_mechanism_builtin(const char *name);
/// A configuration to begin with on a branch, one sign '+' or '-' for each limb, such as "+-+" of
/// the agile-wrist: ap_nq() entries of its tree. NULL asks for the definition's own branch.
/// AP_E_NOT_FOUND: no such mechanism; AP_E_ARG: no such branch.
AP_API ap_status ap_mechanism_builtin_branch(const char *name, const char *branch, double *x);
/// The configuration of a branch (NULL: the definition's own) at the pose q, in closed form, for
/// ap_loop_set_guess(): on that branch however far q is from its guess, where a search may go
/// astray. AP_E_NOT_FOUND: no such mechanism; AP_E_ARG: no such branch, or q is not finite;
/// AP_E_UNREACHABLE and AP_E_SINGULAR_SERIAL: a limb does not reach q, or is stretched or folded
/// there; AP_E_UNSUPPORTED: stewart, which has one branch only. Unless AP_OK, x is untouched.
AP_API ap_status ap_mechanism_builtin_configuration(const char *name, const char *branch,
                                                    const double *q, double *x);

// ---- files: these allocate ----------------------------------------------------------------------

/// A mechanism of a file (Appell YAML with closures or coordinates) or a built-in one by its name.
/// *mechanism is freed with ap_mechanism_free(); *robot, which may be NULL where it is not wanted,
/// with ap_robot_free(): it has warnings and lines. AP_E_MODEL where the model is a tree without
/// closures and coordinates. On failure both are NULL, and *error says what is wrong, in which
/// line, and what would be right.
AP_API ap_status ap_mechanism_read(const char *model, ap_mechanism **mechanism, ap_robot **robot,
                                   ap_error *error);
/// Build the mechanism of a robot that was read, for which ap_robot_mechanism() is not NULL, on the
/// heap; free it with ap_mechanism_free(). It does not need the robot any longer. Errors carry the
/// line of what they are about.
AP_API ap_status ap_mechanism_make(const ap_robot *robot, ap_mechanism **mechanism,
                                   ap_error *error);
/// Free a mechanism made by the two functions above; NULL is allowed.
AP_API void ap_mechanism_free(ap_mechanism *m);
/// The work of a mechanism on the heap, for ap_loop_free(); NULL: no memory.
AP_API ap_loop *ap_loop_make(const ap_mechanism *m);
/// Free a work made by ap_loop_make(); NULL is allowed.
AP_API void ap_loop_free(ap_loop *l);

#ifdef __cplusplus
}
#endif

#endif
