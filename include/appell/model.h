// SPDX-License-Identifier: Apache-2.0
/// @file model.h
/// Robots: definition, check, freeze.
///
/// A robot is an array of bodies, each hung on an earlier one by a joint. Fill an ap_body_def from
/// ap_default_body(), change what differs, and hand the array to ap_model_init(): it checks
/// everything once and builds an immutable ap_model in memory that you provide. A model may be
/// shared by any number of threads.
///
/// Units are SI. Matrices are row-major. Body 0 is the ground; bodies[k] of a definition is body
/// k + 1, and its parent has a smaller number. Links on fixed joints are merged into the body that
/// carries them; they keep their number, their name and their frame.

#ifndef APPELL_MODEL_H
#define APPELL_MODEL_H

#include <appell/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a body moves relative to its parent; nq coordinates, nv velocities.
///
/// | type         | nq | nv | q                        | v                                      |
/// |--------------|----|----|--------------------------|----------------------------------------|
/// | AP_FIXED     | 0  | 0  |                          |                                        |
/// | AP_REVOLUTE  | 1  | 1  | angle about the axis     | its rate                               |
/// | AP_PRISMATIC | 1  | 1  | distance along the axis  | its rate                               |
/// | AP_SPHERICAL | 4  | 3  | quaternion x y z w       | angular velocity, body frame           |
/// | AP_PLANAR    | 3  | 3  | x, y in the plane, angle | their rates                            |
/// | AP_FREE      | 7  | 6  | x y z, quaternion x y z w | linear; angular velocity, body frame  |
///
/// The plane of AP_PLANAR is normal to the axis; its x and y are the joint frame's, turned by the
/// smallest rotation that takes z to the axis. "Body frame" is the joint frame that moves with the
/// body: for a link read from a URDF file, the link frame.
typedef enum ap_joint_type {
  AP_FIXED,     ///< does not move: the link is merged into its parent
  AP_REVOLUTE,  ///< turns about the axis, rad
  AP_PRISMATIC, ///< slides along the axis, m
  AP_SPHERICAL, ///< turns about any axis through the joint's origin
  AP_PLANAR,    ///< slides in a plane (m) and turns about its normal (rad)
  AP_FREE       ///< moves in every way, as a floating base does
} ap_joint_type;

/// Most coordinates that a joint has.
enum { AP_JOINT_NQ = 7 };

/// How the place of a body's joint is described.
typedef enum ap_placement_kind {
  AP_PLACE_RPY,    ///< xyz and roll-pitch-yaw: R = Rz(yaw) Ry(pitch) Rx(roll), as URDF
  AP_PLACE_MATRIX, ///< xyz and a rotation matrix
  AP_DH_MODIFIED,  ///< Craig: Rx(alpha) Tx(a) Rz(theta + q) Tz(d); the axis is z of the body
  AP_DH_STANDARD,  ///< Denavit-Hartenberg: Rz(theta + q) Tz(d) Tx(a) Rx(alpha); the axis is z of
                   ///< the parent
  AP_DH_VALERA     ///< Craig with the sign of d reversed, as printed by Valera et al. (2003)
} ap_placement_kind;

/// Place of a joint in the frame of the parent link. Only the fields of its kind are read.
/// With a DH kind the field ap_body_def::axis is not read; for AP_PRISMATIC, q adds to d along +z
/// (also for AP_DH_VALERA).
typedef struct ap_placement {
  ap_placement_kind kind; ///< says which of the fields below are read
  double xyz[3];          ///< m; AP_PLACE_RPY, AP_PLACE_MATRIX
  double rpy[3];          ///< rad; AP_PLACE_RPY
  double matrix[9];       ///< axes of the joint frame as columns; AP_PLACE_MATRIX
  double alpha;           ///< rad; DH
  double a;               ///< m; DH
  double d;               ///< m; DH
  double theta;           ///< rad; DH, added to a joint angle
} ap_placement;

/// One body and the joint that carries it. Start from ap_default_body().
///
/// A spring acts on every coordinate of its joint, tau = -stiffness (q - rest); of a quaternion it
/// is the couple -stiffness times the rotation vector from rest to q, in the body frame. Gravity
/// compensation is a force against gravity at the body's own centre of mass. Friction, springs,
/// gravity compensation and rotors take part where ap_set_friction() says so.
typedef struct ap_body_def {
  const char *name;         ///< unique among bodies, not empty
  int parent;               ///< number of an earlier body, 0 for the ground
  const char *joint_name;   ///< unique among joints; NULL: the body's name
  ap_joint_type joint;      ///< how the body moves relative to its parent
  ap_placement place;       ///< where the joint is in the parent's link frame
  double axis[3];           ///< in the joint frame, normalised here; default z
  double mass;              ///< kg
  double com[3];            ///< centre of mass in the link frame, m
  double inertia[6];        ///< xx xy xz yy yz zz about the centre of mass, kg m2; the tensor's own
                            ///< entries (xy is the tensor's, not the positive product of inertia)
  double inertia_rpy[3];    ///< axes of that tensor relative to the link frame, rad
  double viscous;           ///< N m s/rad or N s/m
  double coulomb;           ///< N m or N, of sliding
  double stiction;          ///< N m or N, Coulomb friction at rest where that is larger
  double stiffness;         ///< of a spring in the joint, N m/rad or N/m; 0: none
  double rest[AP_JOINT_NQ]; ///< q of the joint where its spring is relaxed; a quaternion of zeros
                            ///< is the identity
  double gravity_compensation; ///< fraction of the body's own weight that a force holds up
  double rotor_inertia;        ///< of the motor about its own axis, kg m2 (kg for a linear motor)
  double gear_ratio;           ///< motor turns per joint turn; gear^2 rotor_inertia at the joint
  double lower;          ///< least q of a joint with one coordinate; -INFINITY where there is none
  double upper;          ///< its largest q; INFINITY where there is none
  double velocity_limit; ///< INFINITY where there is none
  double effort_limit;   ///< INFINITY where there is none
  int mimic;             ///< number of the body whose joint this one follows, 0 for none
  double mimic_ratio;    ///< q = mimic_ratio * q_leader + mimic_offset
  double mimic_offset;   ///< rad or m, as q
  unsigned cookie;       ///< ap_default_body() sets it
} ap_body_def;

/// A named frame fixed to a body.
typedef struct ap_frame_def {
  const char *name; ///< unique among frames and bodies
  int body;         ///< number of the body that carries it, 0 for the ground
  double xyz[3];    ///< m, in the link frame
  double rpy[3];    ///< rad
} ap_frame_def;

/// A whole robot. The arrays and strings need to live only until ap_model_init() returns.
typedef struct ap_robot_def {
  const char *name;           ///< NULL or empty: "robot"
  const ap_body_def *bodies;  ///< bodies[k] is body k + 1
  int nbody;                  ///< how many, the ground not counted
  const ap_frame_def *frames; ///< named frames; NULL where there are none
  int nframe;                 ///< how many
  double gravity[3];          ///< m/s2, in the ground frame
  unsigned cookie;            ///< ap_default_robot() sets it
} ap_robot_def;

/// A massless body on a fixed joint at its parent's origin; axis z, gear ratio 1, no limits.
AP_API ap_body_def ap_default_body(void);
/// No bodies, no frames, gravity 9.81 m/s2 down z, name "robot".
AP_API ap_robot_def ap_default_robot(void);

/// A checked, immutable robot.
typedef struct ap_model ap_model;

/// Bytes that ap_model_init() needs for this definition; 0 if the counts are out of range.
AP_API size_t ap_model_size(const ap_robot_def *def);

/// Check a definition and build the model in mem (any alignment; at least ap_model_size() bytes).
/// Returns NULL and fills *error, which names body, field and reason, when the definition is
/// refused: a number that is not finite, a negative mass, a zero axis, an unknown parent, a name
/// twice, a mimic joint that cannot follow, a principal moment below -1e-9 kg m2 of a moving body.
/// error may be NULL.
AP_API ap_model *ap_model_init(const ap_robot_def *def, void *mem, size_t size, ap_error *error);

/// What a model contains that is odd but allowed, because real robots have it.
typedef enum ap_remark_kind {
  AP_REMARK_TRIANGLE,      ///< a principal moment exceeds the sum of the other two
  AP_REMARK_NOT_POSITIVE,  ///< a principal moment is negative (above -1e-9 kg m2)
  AP_REMARK_MASSLESS_LEAF, ///< a moving body with nothing beyond it has no mass or no inertia
  AP_REMARK_GYRATION,      ///< a radius of gyration larger than the link
  AP_REMARK_NOT_ROTATION ///< an AP_PLACE_MATRIX that is only roughly orthonormal; it was corrected
} ap_remark_kind;

/// One remark: about which body, and two numbers that show why.
typedef struct ap_remark {
  ap_remark_kind kind; ///< also says what the two numbers are
  int body;            ///< number of the body
  double value;        ///< a moment (kg m2), a radius (m), a defect; of a massless leaf its mass
  double bound;        ///< what was compared with; of a massless leaf its inertia at the joint
} ap_remark;

/// Number of remarks on a model, 0 where there is nothing odd.
AP_API int ap_model_remarks(const ap_model *m);
/// Remark i, 0 <= i < ap_model_remarks().
AP_API ap_remark ap_model_remark(const ap_model *m, int i);
/// Write a remark as one line for a person into text (cut to size); returns text.
AP_API char *ap_remark_text(const ap_model *m, ap_remark remark, char *text, size_t size);

/// The robot's name, never NULL; valid as long as the model.
AP_API const char *ap_model_name(const ap_model *m);
/// @{
/// Sizes: coordinates, velocities, bodies (with the ground), frames (bodies first, then named).
AP_API int ap_nq(const ap_model *m);
AP_API int ap_nv(const ap_model *m);
AP_API int ap_nbody(const ap_model *m);
AP_API int ap_nframe(const ap_model *m);
/// @}
/// Gravity in the ground frame, three numbers in m/s2; valid as long as the model.
AP_API const double *ap_gravity(const ap_model *m);
/// The definition of body i as it was given, NULL where there is no such body; valid as long as the
/// model.
AP_API const ap_body_def *ap_body(const ap_model *m, int i);
/// @{
/// Where body i's joint starts in q and in v, and how many entries it has there. A fixed joint and
/// a mimic follower have none; for a follower the indices are its leader's, for a fixed
/// joint and for what is no body -1.
AP_API int ap_joint_q(const ap_model *m, int i);
AP_API int ap_joint_v(const ap_model *m, int i);
AP_API int ap_joint_nq(const ap_model *m, int i);
AP_API int ap_joint_nv(const ap_model *m, int i);
/// @}
/// The body that moves body i: i itself, or the body that i was merged into (0: the ground); -1
/// where there is no body i.
AP_API int ap_body_mover(const ap_model *m, int i);
/// Number of bodies that have a joint of their own that moves; mimic followers count.
AP_API int ap_moving_bodies(const ap_model *m);
/// The k-th of them, from 0, in the order of their numbers; -1 past the last.
AP_API int ap_moving_body(const ap_model *m, int k);
/// Mass (kg), centre of mass (m, link frame) and inertia about it (xx xy xz yy yz zz, link axes) of
/// the body that moves body i with everything merged into it; i must be a body's number.
AP_API void ap_merged_inertia(const ap_model *m, int i, double *mass, double com[3],
                              double inertia[6]);
/// @{
/// Look up a number by name; -1 where there is none. A joint's number is that of the body it
/// carries. A frame name may be a body's name; frame
/// numbers start with the bodies', so frame i < ap_nbody(m) is the link frame of body i.
AP_API int ap_find_body(const ap_model *m, const char *name);
AP_API int ap_find_joint(const ap_model *m, const char *joint_name);
AP_API int ap_find_frame(const ap_model *m, const char *name);
/// @}
/// Name of frame i (0: "ground"), NULL where there is none.
AP_API const char *ap_frame_name(const ap_model *m, int i);
/// The configuration with every angle and distance zero and every quaternion the identity.
AP_API void ap_neutral(const ap_model *m, double *q);

// ---- fewer joints ------------------------------------------------------------------------------

/// A joint that is to stand still, and where.
typedef struct ap_lock {
  const char *joint; ///< its name
  int n;             ///< how many values are given: as many as it has coordinates, or 0: at zero
  double q[AP_JOINT_NQ]; ///< the values, within the joint's limits; a quaternion has unit length
} ap_lock;

/// Which joints of a robot stay. All zero: every one.
///
/// A locked joint becomes a fixed one. Names, masses, frames and what is said of other joints stay;
/// its friction, spring, rotor inertia and limits go. Its mimic followers stand still with it; a
/// follower that is locked locks its leader where the follower has that value. A coordinate that is
/// locked only because of root or tip is at zero, or at the limit nearest to zero.
typedef struct ap_reduction_def {
  const ap_lock *locks; ///< joints to lock
  int nlock;            ///< how many
  const char *root;     ///< a link or frame whose link is fixed to the ground where it stands with
                        ///< the joints above it locked; what does not hang on it is cut off, and
                        ///< the ground frame and gravity stay. NULL: the ground
  const char *tip; ///< a link or frame: coordinates that do not move it are locked, so that side
                   ///< branches and what is beyond it are its load. NULL: all stay
} ap_reduction_def;

/// What ap_reduce() makes.
typedef struct ap_reduced {
  ap_robot_def robot; ///< for ap_model_init(); its names are those of the whole robot's definition
  const int *number;  ///< [nbody + 1] by a body's number there: its number here, -1 if cut off
} ap_reduced;

/// Bytes that ap_reduce() needs for this definition; 0 if the counts are out of range.
AP_API size_t ap_reduced_size(const ap_robot_def *def);
/// The definition of a robot with fewer joints, in mem (any alignment; at least ap_reduced_size()
/// bytes), which must live as long as it; so must the names of def. With the locked coordinates at
/// their values and at rest, the whole robot has the same dynamics in those that stay.
/// Returns NULL and fills *error (which may be NULL) for a name that is not there, values that the
/// joint cannot have, a tip that does not hang on the root, and what ap_model_init() refuses of
/// def.
AP_API const ap_reduced *ap_reduce(const ap_robot_def *def, const ap_reduction_def *how, void *mem,
                                   size_t size, ap_error *error);

/// Built-in robots. ap_builtin_name(i) names the i-th, NULL past the last.
AP_API const char *ap_builtin_name(int i);
/// One line about a built-in robot and its source.
AP_API const char *ap_builtin_about(int i);
/// The definition of a built-in robot, which lives as long as the program; NULL if there is none.
AP_API const ap_robot_def *ap_builtin(const char *name);

#ifdef __cplusplus
}
#endif

#endif
