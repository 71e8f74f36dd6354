// SPDX-License-Identifier: Apache-2.0
/// @file sim.h
/// Motion over time: differential equations integrated to a tolerance, and robots among walls with
/// every impact located. Part of libappell-tools; allocates when something is created, not while it
/// runs.

#ifndef APPELL_SIM_H
#define APPELL_SIM_H

#include <appell/convex.h>
#include <appell/impact.h>
#include <appell/loop.h>
#include <appell/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/// dy/dt = f(t, y). Any status but AP_OK ends the integration, and becomes its status; so does a
/// rate that is not finite, with AP_E_NO_CONVERGENCE.
typedef ap_status ap_rate(void *context, double t, const double *y, double *dydt);

/// How to integrate. Begin with ap_default_ode_options() and change what differs.
typedef struct ap_ode_options {
  double relative;     ///< tolerance relative to each |y|: 1e-6
  double absolute;     ///< tolerance in the units of y: 1e-6
  double first_step;   ///< 0: chosen
  double longest_step; ///< 0: no limit
  long most_steps;     ///< between two outputs, before AP_E_NO_CONVERGENCE: 100000
  int order;       ///< of the pair of Dormand and Prince: 8; or 5, as "ode45" and many papers have
  unsigned cookie; ///< ap_default_ode_options() sets it
} ap_ode_options;
/// The defaults named above.
AP_API ap_ode_options ap_default_ode_options(void);

/// An initial value problem, integrated forward in time by an explicit Runge-Kutta pair of Dormand
/// and Prince, with adaptive steps and a polynomial of one order less between their ends. The same
/// calls give the same bits. Every entry of y keeps its tolerance, so that the states of many
/// robots side by side are one problem as good as each of them alone.
typedef struct ap_ode ap_ode;

/// A problem of n equations; options NULL means the defaults. Nothing is allocated after this.
/// Free it with ap_ode_free().
AP_API ap_status ap_ode_create(int n, ap_rate *rate, void *context, const ap_ode_options *options,
                               ap_ode **ode, ap_error *error);
/// Free a problem; NULL is allowed.
AP_API void ap_ode_free(ap_ode *ode);
/// Start, or start again after a jump or a failure, from y at time t. Nothing of the past is kept
/// but the two counts below.
AP_API ap_status ap_ode_start(ap_ode *ode, double t, const double *y, ap_error *error);
/// Integrate on to time t, which lies ahead, and read y there. Steps are not cut at t: y is that of
/// the polynomial of a step. On failure y stays as it is, and, unless the status is AP_E_ARG, the
/// problem must be started again.
AP_API ap_status ap_ode_advance(ap_ode *ode, double t, double *y, ap_error *error);
/// As ap_ode_advance(), but the last step ends at t, and the rate is not evaluated beyond. Where an
/// earlier ap_ode_advance() stepped over t, the problem is first started again from what it read.
AP_API ap_status ap_ode_advance_to(ap_ode *ode, double t, double *y, ap_error *error);
/// How often the rate was evaluated since ap_ode_create().
AP_API long ap_ode_evaluations(const ap_ode *ode);
/// How many steps were taken since ap_ode_create().
AP_API long ap_ode_steps(const ap_ode *ode);

// ---- robots among walls ------------------------------------------------------------------------

/// A point of the robot that may touch walls, or a shape that may touch walls and other shapes.
///
/// A contact is a pair: a shape on a link, and a wall or a shape on another link. It has a point on
/// each, a normal from the second to the first, and a gap. The gap of each pair of features (corner
/// and face, corner and edge, two corners, two edges) is smooth and has bounds over a motion, by
/// which no touch is missed. A point is a shape that consists of one corner without a radius.
typedef struct ap_contact_point {
  const char *name;       ///< for events ("O1")
  int body;               ///< the link that carries it
  double at[3];           ///< in the link's frame, m: the point, or the origin of the shape's frame
  const ap_convex *shape; ///< NULL: a point. A sphere, capsule, box or hull; a hull must outlive
                          ///< the run
  double orientation[4]; ///< of the shape's frame in the link's: quaternion x y z w; all zero: none
  double restitution;    ///< of contacts between two shapes, 0 .. 1: the geometric mean of both
  double friction;       ///< and Coulomb's coefficient,
  double rolling_friction;  ///< m, and those of rolling
  double spinning_friction; ///< m, and spinning, as of ap_wall
  int contype;              ///< bits: it touches what has one of them in conaffinity,
  int conaffinity;          ///< or one of these in contype; both 0: 1 and 1, as walls have
} ap_contact_point;

/// Coefficients between two materials, in place of those of the wall, where a wall has the one and
/// a contact point the other. Fields are those of ap_wall.
typedef struct ap_material_pair {
  const char *one;          ///< name
  const char *other;        ///< name; in any order
  double restitution;       ///< 0 .. 1
  double restitution_speed; ///< m/s
  double friction;          ///< of sliding
  double static_friction;   ///< at least friction, or 0 for the same
  double friction_across;   ///< across x of the wall, or 0 for the same
  double rolling_friction;  ///< m
  double spinning_friction; ///< m
} ap_material_pair;

/// The contact points of a robot that names none: every frame that moves, the origin of every joint
/// that moves a link with mass, and every fixed link's origin beyond it (end points), each place
/// once and none that stays where it is. Writes up to room of them, with the model's names, and
/// returns how many there are.
AP_API int ap_default_contact_points(const ap_model *m, ap_contact_point *point, int room);

/// Joint forces at a time and state, added to *tau [nv], which holds those of springs and dampers.
/// Called at the integrator's stages. Any status but AP_OK ends the run with it.
typedef ap_status ap_force(void *context, double t, const double *q, const double *v, double *tau);

/// A spring and a damper in a joint with one degree of freedom: tau = -k (q - rest) - d v.
typedef struct ap_joint_spring {
  int v;            ///< its place in v
  double stiffness; ///< N m / rad or N / m
  double rest;      ///< rad or m
  double damping;   ///< N m s / rad or N s / m
} ap_joint_spring;

/// A force that does not change with time, on a point of a link.
typedef struct ap_load {
  int body;         ///< the link
  double at[3];     ///< point in the link's frame, m
  double force[3];  ///< N, world axes
  double couple[3]; ///< N m, world axes
  double from;      ///< s: when it begins to act
  double to;        ///< s: when it ends
} ap_load;

/// The stops at the limits of a joint with one degree of freedom. Rigid where stiffness is 0: the
/// joint rebounds with the restitution, or rests against the stop. Else an elastic stop: from the
/// limit on a spring and a damper push back, never pull.
typedef struct ap_joint_stop {
  int v;              ///< its place in v
  double restitution; ///< 0 .. 1, of a rigid stop
  double stiffness;   ///< N m / rad or N / m; 0: rigid
  double damping;     ///< N m s / rad or N s / m, of an elastic stop
} ap_joint_stop;

/// How time goes on.
typedef enum ap_stepping {
  AP_ADAPTIVE,  ///< Dormand-Prince of order 8 to a tolerance, impacts located to the last digits
  AP_FIXED_RK4, ///< fixed steps of the classical Runge-Kutta method; with springs and dampers of an
                ///< additive one, of order 4 as well
  AP_FIXED_EULER ///< fixed steps of the semi-implicit Euler method
} ap_stepping;

/// A robot among walls. Begin with ap_default_scene() and change what differs; everything it points
/// to is read by ap_sim_create() and may then go, except the model or mechanism.
///
/// With a mechanism its closures hold at all times, in impacts and contacts as well. Then q and v
/// are those of its tree everywhere here; bodies, springs, forces and loads too. ap_loop_place(),
/// ap_loop_configuration() and ap_loop_velocity() lead there from independent coordinates.
typedef struct ap_scene {
  const ap_model *model;         ///< the robot; NULL with a mechanism, or its tree
  const ap_mechanism *mechanism; ///< the robot as a closed chain: NULL
  const ap_wall *wall;           ///< [nwall]
  int nwall;                     ///< number of walls
  const ap_contact_point *point; ///< [npoint]; every point or shape may touch every wall, and
                                 ///< shapes those of other links, see `links`
  int npoint;                    ///< number of points
  const ap_material_pair
      *material; ///< [nmaterial]; of several with the same names the first counts
  int nmaterial; ///< number of pairs of materials
  const char *const *point_material; ///< [npoint] names of the points' materials, NULL where one
                                     ///< has none; NULL: none has
  const ap_joint_spring *spring;     ///< [nspring]
  int nspring;                       ///< number of springs and dampers
  const ap_load *load;               ///< [nload]
  int nload;                         ///< number of loads
  ap_force *force;                   ///< joint forces, NULL: none
  void *context;                     ///< of force
  const double *force_time;  ///< [nforce_time] s, growing: where forces may jump or have a kink;
                             ///< a step ends at each
  int nforce_time;           ///< their number; -1: not known, no step is longer than 0.05 s
  bool limits;               ///< limits of the model's joints act as stops: true
  const ap_joint_stop *stop; ///< [nstop] stops that are not rigid with restitution 0
  int nstop;                 ///< number of those
  bool joint_friction;       ///< friction, springs, gravity compensation, rotors of the model: true
  const double *gravity;     ///< m/s2, world; NULL: the model's
  ap_stepping stepping;      ///< AP_ADAPTIVE
  double relative;           ///< tolerance of AP_ADAPTIVE relative to each coordinate: 2e-11; with
                             ///< contacts or brakes taken as 1e-8 at the loosest
  double absolute;           ///< and in its unit: 2e-11
  double step;               ///< s, of fixed steps: 1e-3
  double window;             ///< s: impacts so close in time count as one: 0, those at once only
  double depth;              ///< m: a start deeper inside a wall is refused: 1e-9; up to 1e-3
  long most_events;          ///< in a run, before AP_E_NO_CONVERGENCE: 1000000
  int most_contacts; ///< at a time, before AP_E_UNSUPPORTED: 256, at most 4096. Memory for so
                     ///< many is taken when the run is created
  const ap_functions *code; ///< the robot (or the mechanism's tree) is computed with, where that
                            ///< fits, see ap_work_use(): NULL. With joint_friction, compile with
                            ///< friction (ap_compile_options), unless the robot has none
  bool links;               ///< shapes of different links touch: true. Left out are those of one
                            ///< link, of a link and its parent, and those of one tree of joints
                            ///< that overlap when the run starts
  unsigned cookie;          ///< ap_default_scene() sets it
} ap_scene;
/// No walls, no forces, and the defaults named above; set the model.
AP_API ap_scene ap_default_scene(void);

/// The name of a wall, or of the shape that takes its place, as ap_event::wall counts; "" where
/// there is none.
AP_API const char *ap_scene_wall_name(const ap_scene *scene, int wall);

/// What happened.
typedef enum ap_event_kind {
  AP_EVENT_IMPACT,  ///< velocities jumped
  AP_EVENT_GRAZE,   ///< a point touched a wall without an impulse
  AP_EVENT_CONTACT, ///< a point came to rest on a wall (after a Zeno sequence, or without a
                    ///< rebound), or a joint against its stop; it reached its elastic stop
  AP_EVENT_LIFTOFF, ///< it left
  AP_EVENT_SLIP,    ///< it began to slide; a joint that its friction held began to move
  AP_EVENT_STICK,   ///< it stopped sliding; its friction holds a joint
  AP_EVENT_TURN,    ///< rolling or spinning friction held a contact, which began to roll or spin
  AP_EVENT_HALT     ///< it stopped rolling or spinning
} ap_event_kind;
/// The name of a kind as in logs: "impact", ...; never NULL.
AP_API const char *ap_event_name(ap_event_kind kind);

/// One touch of one event; those of a simultaneous impact have the same number. Either a point at a
/// wall, or a joint: at its stop, or held by its own friction. Of a joint, `position`, `before`,
/// `after` and `impulse` have one entry, its coordinate, rate and impulse. Events are
/// reported in the order of time, except a contact that ends a Zeno sequence: it is reported when
/// bounces become too low to follow, with the time at which the last of them would end.
typedef struct ap_event {
  int number;             ///< of the event, from 1
  ap_event_kind kind;     ///< what happened
  double t;               ///< s
  int point;              ///< which point; -1: a joint
  int wall;               ///< which wall; from nwall on, shape number wall - nwall; -1: a joint
  int joint;              ///< its index in v; -1: a point at a wall
  double position[3];     ///< of the point, or of the contact of a shape, m, world
  double normal[3];       ///< unit normal into the free region
  double before[3];       ///< velocity of the point before, m/s; of two shapes, relative
  double after[3];        ///< and after
  double impulse[3];      ///< N s on the point's link; zero where none
  double angle;           ///< between incoming velocity and normal, rad (angle of attack)
  double lost;            ///< energy lost in the whole event, J
  const double *q;        ///< [nq] configuration at the event; valid during the call
  const double *v_before; ///< [nv] velocities just before the whole event
  const double *v_after;  ///< [nv] and just after it
} ap_event;

/// The state at a time, and where its energy went since the start. The pointers stay valid and are
/// overwritten as the run goes on.
typedef struct ap_sim_state {
  double t;              ///< s
  const double *q;       ///< [nq]
  const double *v;       ///< [nv]
  const double *a;       ///< [nv]
  const double *tau;     ///< [nv] joint forces: of the force, springs and dampers; no friction
  double kinetic;        ///< J
  double potential;      ///< J, of gravity
  double elastic;        ///< J, in springs, those of the model too, and elastic stops
  double work;           ///< J, done by the force, loads and gravity compensation
  const double *work_of; ///< [nv] of it, by joint forces
  double dissipated;     ///< J, dissipated by dampers, joint friction and sliding contacts
  double lost;           ///< J, lost in impacts and at the end of bouncing
  double closing;  ///< J, balance error: kinetic + potential + elastic - work + dissipated + lost -
                   ///< start
  int contacts;    ///< points that rest on walls now
  double closure;  ///< m or rad: largest error of a closure now; 0 without closures
  double drift;    ///< largest error after any step since the start; it is corrected at once
  const double *s; ///< independent coordinates of a mechanism; NULL without one
  const double *sd; ///< their rates
} ap_sim_state;

/// A force at a point that rests on a wall, or at a point of contact of a shape, of which there may
/// be several.
typedef struct ap_contact_state {
  int point;          ///< which point
  int wall;           ///< which wall, as of ap_event
  bool sticks;        ///< or slides
  double force[3];    ///< N on the point's link, world
  double gap;         ///< m: error of the constraint
  double position[3]; ///< of the contact, m, world
  double margin;      ///< N: what friction could hold besides, friction * normal force -
                      ///< |tangential force|; 0 where it slides
} ap_contact_state;

/// A run.
///
/// With AP_ADAPTIVE the motion within a step is a polynomial of the coordinates. No point of it
/// goes deeper into a wall, and no joint beyond a limit, than 1e-10 of the scene's length without
/// an event; shallower touches are AP_EVENT_GRAZE and have no impulse. The scene's length is the
/// largest of the points' reach, the sizes of curved walls and the distances at the start
/// (docs/impacts.md: "No event is missed"). The time of an event is as accurate as the integration.
/// Steps depend on the tolerance and on events, never on output times; they end at
/// the times in force_time and where loads begin and end. (Where those of a force are not known,
/// steps also end at output times.)
///
/// All points that touch when one hits are one impact. Bouncing ends when bounces are lower than
/// that depth: the point rests, its AP_EVENT_CONTACT has the time at which the bounces would have
/// ended, slightly later, and the remaining energy is `lost`. Resting points are held by
/// constraints; if they drift from their walls by 1e-11 of the scene's length, they are projected
/// back.
///
/// Friction is Coulomb's, at walls and in joints: against the velocity at any speed; at rest any
/// force that holds, up to the static friction. Joints held by friction do not creep. Joint
/// friction has no effect in impacts. Limits of joints act as stops unless the scene disables them.
///
/// If contact modes change too often, no contact forces obey Coulomb's law, or contacts make steps
/// far too short, the run continues for a while in strides, short steps with impulses instead of
/// forces (docs/impacts.md); sequences of impacts without progress in time lose their restitution.
///
/// Fixed steps go through the same search, events and forces. Between two points of their grid the
/// motion of AP_FIXED_RK4 is the cubic through both ends with their rates, that of AP_FIXED_EULER
/// the parabola on which its shorter steps end. Springs, dampers, viscous friction and elastic
/// stops are implicit; ap_sim_remark() names a joint that steps are too long for. Energies err by
/// the order of the method. Steps that are too long for a motion make energy: AP_E_NO_CONVERGENCE
/// at the latest when that is more than all that moved.
///
/// A mechanism moves in the coordinates of its tree, and so passes through singularities of its
/// independent coordinates and of its actuators. Where its closures lose rank it may go on in more
/// than one way: AP_E_SINGULAR_CLOSURES. Every evaluation of the equations of motion, and every
/// step's end, is put back onto the closures (docs/loops.md).
typedef struct ap_sim ap_sim;
/// Check a scene and make a run of it. On failure *error says what is wrong. Free it with
/// ap_sim_free().
AP_API ap_status ap_sim_create(const ap_scene *scene, ap_sim **sim, ap_error *error);
/// Free a run; NULL is allowed.
AP_API void ap_sim_free(ap_sim *sim);
/// Be told of every touch of every event as it is found. The function may call ap_sim_now(), which
/// then is the state after the event, and nothing else of this run.
AP_API void ap_sim_on_event(ap_sim *sim, void (*tell)(void *context, const ap_event *event),
                            void *context);
/// Start from (q, v) at time t; quaternions are normalised. AP_E_ARG for a point or shape inside a
/// wall, two shapes of different trees inside each other, or a joint beyond a rigid stop. A
/// mechanism is closed near q by the least change, and v made the nearest velocities, in the metric
/// of inertia, that the closures allow: AP_E_UNREACHABLE where it cannot be closed,
/// AP_E_SINGULAR_CLOSURES where the closures lose rank.
AP_API ap_status ap_sim_start(ap_sim *sim, double t, const double *q, const double *v,
                              ap_error *error);
/// Go on to time t, through all events on the way.
AP_API ap_status ap_sim_advance(ap_sim *sim, double t, ap_error *error);
/// The state now.
AP_API ap_status ap_sim_now(ap_sim *sim, ap_sim_state *state, ap_error *error);
/// The points that rest on walls now: up to room of them; returns how many there are.
AP_API int ap_sim_contacts(const ap_sim *sim, ap_contact_state *contact, int room);
/// Friction at all contacts of a link, as of a crate between fingers, and how far it is from its
/// limit.
typedef struct ap_friction_margin {
  int body;            ///< the link
  int contacts;        ///< of it that have friction
  double friction;     ///< N: all friction on the link together,
  double direction[3]; ///< and its direction, unit, world
  double limit;        ///< N: the most that it could be in this direction with the normal forces as
                       ///< they are. limit - friction is the further load against which friction
                       ///< can hold the link; moments are left out
} ap_friction_margin;
/// The links that friction holds now, up to room of them; returns how many there are.
AP_API int ap_sim_friction(const ap_sim *sim, ap_friction_margin *margin, int room);
/// What is to be said of the run since its start, "" if nothing: fixed steps that are too long to
/// follow a joint's spring or damper. They are stable all the same, but coarse there.
AP_API const char *ap_sim_remark(const ap_sim *sim);
/// Evaluations of the equations of motion since ap_sim_create().
AP_API long ap_sim_evaluations(const ap_sim *sim);

#ifdef __cplusplus
}
#endif

#endif
