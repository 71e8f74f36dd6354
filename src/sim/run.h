// SPDX-License-Identifier: Apache-2.0
// A run of a robot among walls, from the inside:
//   scene.c                creates it
//   motion_equations.c     equations of motion
//   pairs.c                pairs of points and walls, and of features of shapes
//   solid.c, edges.c       shapes, and edges against edges
//   rims.c, standing.c     rims of cylinders against planes, and cylinders that stand
//   wall_distance.c        distances of points to walls and of joints to their stops
//   path.c                 bounds on the motion inside a step
//   event_search.c         the first touch inside a step
//   contact_islands.c      contacts that no body couples, apart
//   contact_transitions.c  where a contact or a brake ceases to hold
//   events.c               changes of velocities and contacts
//   segment.c              integration from event to event
//   turning.c              rolling and spinning friction
//   time_stepping.c        short steps where contacts change too often
//   implicit_forces.c      stiff forces in fixed steps
//   run.c                  the public functions

#ifndef AP_SIM_RUN_H
#define AP_SIM_RUN_H

#include <appell/dyn.h>
#include <appell/impact.h>
#include <appell/sim.h>

#include "impact/motion.h"
#include "sim/contact.h"
#include "sim/edges.h"
#include "sim/ode.h"
#include "sim/path.h"
#include "sim/solid.h"

// No scene may ask for more contacts at a time than this: memory grows with the square.
enum { RUN_MOST_CONTACTS = 4096 };

// Depths below this part of the scene's length are grazing; bounces as low as that are over, and
// points as close as that touch.
#define RUN_GRAZE 1e-10

// Points that rest are put back on their walls when they are off by this part of the scene's length
// (and by ten times it in a second).
#define RUN_DRIFT 1e-11

// A joint that its brake holds is stopped again when it moves at more than this, rad/s or m/s.
#define RUN_STILL 1e-14

// A normal velocity below this part of the point's speed is none; nor is one below this part of the
// fastest that there was, which is rounding.
#define RUN_ALONG  1e-10
#define RUN_NOUGHT 1e-13

// Where the joints move a point along its normal by less than this part of how they move it, it is
// near a grazing point.
#define RUN_LEVER 0.05

// A point that accelerates into its wall by less than this (m/s2) need not be held.
#define RUN_FALLS 1e-6

// Sliding points whose friction makes their forces so many times what they are without it are
// jammed. Forces then grow as one over the time that is left, and no step reaches the end of it.
#define RUN_JAM 1e3

// A stride in units of the time that the scene's length takes to fall.
#define RUN_STRIDES 3e-5

// A point that slides at this part of the speed that it had has stopped.
#define RUN_STOPPED 1e-7

// A point that slides or rolls stops at once where friction lets it go no further than this part of
// the depth of grazing: from there on the way to the stop has ever shorter steps. The event is told
// with the time of the stop.
#define RUN_HALT 1

// While it goes on in strides, the Coulomb friction of a joint is viscous below this speed, rad/s
// or m/s.
#define RUN_CREEP 1e-3

// How a point lies to a wall and moves. Of a joint at its stop: its coordinate from the stop on,
// and its rate, in the first entries.
typedef struct run_gap {
  double p[3];           // of the point, or of the centre of a ball, world,
  double own[3];         // and its velocity
  double arm[3];         // from there to the place of contact
  double v[3];           // velocity there, relative to the wall, whose is
  double wall[3];        // none where a body carries it
  double centre[3];      // velocity of p relative to the wall
  double normal[3];      // unit, into the free region
  double turn[3];        // angular velocity of the link as seen from the wall, where that matters
  double slope;          // |gradient|: c / slope is a distance
  double distance, rate; // along the normal, m and m/s
  ap_gap gap;
} run_gap;

typedef enum run_was { WAS_FREE, WAS_STICKING, WAS_SLIDING } run_was;

// The two kinds of friction against turning.
enum { RUN_ROLL, RUN_SPIN, RUN_TURNS };

// One point and one wall, or one joint and one of its stops.
typedef struct run_pair {
  int point, wall; // -1: a stop
  int joint;       // place in v; -1: a point
  int coordinate;  // place in q
  double way;      // of a stop: the distance is way * q - limit
  double limit;
  double stiffness, damping; // of an elastic stop; 0: rigid
  bool pressed;              // an elastic stop is
  bool slackens;             // and has no force, as its damper would pull
  int body;
  double at[3];
  double radius;         // of a ball around it
  int carrier;           // body that carries the wall; 0: none
  int id;                // its number
  bool swapped;          // told from the other side: the point is the second shape's
  bool doubled;          // another pair is the same contact now
  bool apart;            // left out: its shapes overlap at the start, or it is not put
  int group;             // of pairs of the same two shapes; -1: none
  const ap_solid *solid; // whose corner it is, if it must be the foremost
  int corner;            // of it
  ap_edges *edges;       // two edges, in place of a point and a surface; NULL: none
  const ap_surface *surface;
  const ap_wall_pose *pose;  // of a wall that moves; NULL: it does not
  const ap_wall_pose *mount; // likewise where the point is a wall's, `swapped`
  const ap_surface *grain;   // the wall whose x is the direction of friction
  int face;                  // of the wall, and
  int first;                 // the pair of its first face with the same point, or of its rim
  bool ends;                 // the face has limits
  bool convex;               // faces of the wall exclude each other
  bool off;                  // the point is beyond them, or behind the face: it does not touch
  bool reversed;             // two edges: the normal has turned round, the pair is far behind
  bool claims;               // it has just hit, so that no other face of an edge does
  bool over;                 // it has just slid over the edge
  double eases;              // m/s: above it restitution falls; 0: it does not
  double across; // friction across x of the wall as a part of that along it; 0: the same
  double restitution, friction, stiction; // stiction: the coefficient where it sticks
  int resting;                            // its place among those that rest, -1: it does not
  double turns[RUN_TURNS];                // m: coefficients of rolling and spinning friction
  double lever;                           // m: a rad/s counts as this speed there
  int turning[RUN_TURNS];                 // their places among those that rest, -1: none
  run_was turned[RUN_TURNS];              // before the event that is being worked on
  double clear;     // m: of a flat wall at rest, how far the point is off when the step begins
  bool near;        // it touches and does not leave: it is met when it has entered by
  double slack;     // this, which is added to F; more where
  bool dips;        // it grazes or moves along its wall
  bool told;        // that it grazes, and it has not left since
  double grazing;   // where it grazes, as part of the step
  run_gap now;      // filled by ap__run_look()
  double bent;      // acceleration along the normal, filled by ap__run_bend()
  bool away;        // from its wall, after the last stride or settling
  run_was was;      // before the event that is being worked on
  bool halts;       // it stops sliding at once, see ap__run_halt()
  double rest_time; // after it, s, when it comes to rest,
  double stop_time; // or ceases to slide,
  double halt_time; // or to roll
} run_pair;

// Coulomb friction of a degree of freedom.
typedef struct run_brake {
  int v;
  double hold, slide; // N m or N: most at rest, and while it moves
  int way;            // sign of the rate against which it slides; 0: it holds
  int resting;        // its place among those that rest where it holds, else -1
  run_was was;
} run_brake;

// A contact or a brake at its limit.
typedef enum run_break_kind {
  BREAK_NONE,
  BREAK_LEAVES, // a pair that rests is not pressed any more
  BREAK_SLIDES, // friction does not hold it any more
  BREAK_STOPS,  // it does not slide on
  BREAK_SLIPS,  // a brake does not hold any more
  BREAK_HOLDS,  // a joint with a brake does not move on
  BREAK_TURNS,  // rolling (2 i) or spinning (2 i + 1) friction of pair i does not hold any more
  BREAK_HALTS,  // it does not roll or spin on
  BREAK_EASES,  // an elastic stop is not pressed any more
  BREAK_SLACKS  // its damper would pull, or would not any more
} run_break_kind;

typedef struct run_break {
  run_break_kind kind;
  int index;    // of the pair, or of the brake
  double value; // force, speed or depth that is left
} run_break;

// What ends a segment. RUN_EDGE: a pair that rests slides over the edge of its face.
typedef enum run_end { RUN_STEP, RUN_HIT, RUN_TOUCHED, RUN_EDGE, RUN_BREAK, RUN_STRIDE } run_end;

// Pairs of features of the same two shapes that touch so many sim->touch from each other are one.
#define RUN_DOUBLE 8

// A face reaches so many sim->touch beyond its limits: for points that come, for those that are
// there, and for those that rest on it, so that each is sure of the one before.
#define RUN_EDGE_COMES 1
#define RUN_EDGE_IS    2
#define RUN_EDGE_RESTS 3

// The ledger behind q and v: work of loads, energy taken, then the work of each joint force.
enum { RUN_LOADS, RUN_TAKEN, RUN_LEDGER };

// Events in a row, the last one at t.
typedef struct run_busy {
  double t;
  long events;
} run_busy;

struct ap_sim {
  void *memory;   // of all that follows
  ap_scene scene; // its arrays are copies
  const ap_model *m;
  ap_work *w;
  ap_plant plant;       // the two in motion
  ap_loop *loop;        // of a mechanism; NULL: a tree
  ap_surface **surface; // [nwall]
  run_pair *pair;       // [npair] points at walls, then stops
  ap_solid *solid;      // [scene.npoint]
  run_pair *group;      // [ngroup] balls around two shapes
  char *free;           // [ngroup] of the search: 1 nothing touches, 2 something may; 0 not known
  int ngroup;
  void *pair_room; // of surfaces, solids and edges
  size_t pair_bytes;
  ap_wall_pose *carried; // [nbody] of bodies that carry walls,
  bool *carries;         // [nbody] which they are
  int npair, npoint;     // all of them; those of points
  run_brake *brake;      // [nbrake]
  int nbrake;
  int most;      // touches at a time at most, brakes and friction against turning included,
  int nturn;     // of which so many
  int nq, nv, n; // n: entries of y
  ap_ode *ode;
  ode_stiff stiff;    // of fixed steps
  int *stiff_q;       // [nv]
  char remark[240];   // of them
  ap_wall_pose *pose; // [nwall] of those that move
  bool moving;        // some do
  double pose_t;      // the time of the poses
  double kink;        // where the motion of one has its next kink
  double wall_work;   // J: work of walls in impacts
  run_path path;
  double range;   // m: how far points fly, the length at least
  double length;  // m: of the scene
  double touch;   // m: RUN_GRAZE of it
  double moment;  // s: in which nothing of the motion changes much; one stride
  double fastest; // m/s: of any point that was looked at
  // state
  bool started;
  double t;
  double *y;          // q, v, then the ledger
  double *before;     // [nv] velocities before an event
  double *told;       // [nv] likewise, as they are told
  double *q;          // [nq] as it is told, quaternions of length one
  double *work_of;    // [nv] as it is told
  bool fresh;         // y has changed by a jump: the integrator starts again
  bool open;          // a segment is: a step of the integrator, as far as nothing happens in it
  run_end ends;       // what ends it
  int ends_with;      // the pair that hits or touches
  run_break broken;   // what breaks
  double end;         // its end,
  double *end_y;      // [n] and the state there, of a stride before it jumps
  double *after_y;    // [n] of a stride, after that
  long tiny;          // tiny steps in a row
  double calm;        // s: the longest step since the last event, as of order 8
  double ending;      // s: the time that the next point to stop has at most; INFINITY: none slides
  double until;       // forces inside it are those before this time
  bool rough;         // that state is not as good as the tolerance asks
  double worst;       // least value of ap__run_nearest() since the step began
  bool judged;        // what the contact forces at its end say is known:
  bool jams;          // points are jammed
  int stops;          // the pair that has stopped; -1: none
  bool looked;        // pair[].now is of the state
  bool held;          // points were put back on their walls at the end of a fixed step, with
  double held_lost;   // J of loss, and
  double held_driven; // J of walls' work; and
  bool held_looked;   // pair[].now is of that end
  double lost, start_energy;
  double moved;        // J: the most that was there and was moved, of fixed steps
  double energy;       // J: the most that was moving, of which the ledger's tolerance is a part
  double start_motion; // the part of start_energy that is kinetic or elastic,
  double start_held;   // and that of gravity compensation
  double drift;        // of the closures at the end of a step, the largest
  double *s, *sd;      // independent coordinates as they are told, and their rates
  long events, evaluations;
  bool stopping;  // points cease to slide, and what is left of their motion is friction's
  bool struck;    // an impact has just been, by which points that rest may leave
  long busy;      // events in a row of the trees of the last one, each at once after the one before
  double event_t; // time of the last event,
  double event_gap;      // and how far apart the last ones were; INFINITY: not known
  run_busy *busy_of;     // [nbody] likewise of each tree, by its first body; 0: what is of none
  double strides_until;  // until then it goes on in strides
  double strides_length; // s, how long that was
  double stride;         // s, of the next one
  double from;           // where the last one began, with
  double *from_y;        // [n] the state
  double from_lost;      // and the energy lost there,
  double from_driven;    // and the work of walls
  bool strides;          // a stride is under way: contacts don't hold, they get impulses
  int number;            // of the last event
  bool *acts;            // [nload] which loads act now
  ap_resting *resting;   // [most] pairs, then brakes
  ap_resting *unread;    // [most] as they were before the state was read, if
  bool read;             // it was: where forces are looked for depends on the last ones
  int nresting;
  // room
  double *tau, *driven, *total, *a; // [nv] joint forces, the callback's, all of them; acceleration
  double *pulled;                   // [nv] joint forces of loads
  double *jacobian;                 // [6 * nv]
  double *along;                    // [nv]
  int *spring_q;                    // [nspring] place of each in q
  double *stage, *y0;               // [2 * n], [n]
  int *order;                       // [norder] of the search,
  char *verdict;                    // [norder] and what is proven
  int norder;
  int *chosen;           // [most] pairs that take part in an event
  ap_touch *touched;     // [most]
  ap_resting *candidate; // [most]
  ap_resting *tried;     // [most]
  bool *keep;            // [most]
  void *impact_room, *contact_room;
  void (*tell)(void *context, const ap_event *event);
  void *tell_context;
};

// ---- scene.c

// Check the coefficients of the pairs of materials.
ap_status ap__scene_check_materials(const ap_scene *s, ap_error *error);

// ---- pairs.c

// How many pairs of points and walls, and groups of them, a scene has; solids: room for its
// ap_solids. Refuses shapes and walls that cannot touch.
ap_status ap__pairs_count(const ap_scene *s, ap_sim *sizes, void *solids, ap_error *error);
// Make them; without memory measure them, with sim->solid as counted.
ap_status ap__pairs_take(ap_arena *a, const ap_scene *s, ap_sim *sim, ap_error *error);
// At the start: shapes of one tree that overlap are left out; others are refused.
ap_status ap__pairs_start(ap_sim *sim, const double *q, ap_error *error);
// Whether joints connect two bodies without the ground.
bool ap__pairs_one_tree(const ap_model *m, int a, int b);
// The pose of a shape in its link's frame.
void ap__pairs_pose(const ap_contact_point *p, ap_pose *pose);

// ---- motion_equations.c

// dy/dt; context is the run.
ap_status ap__run_rate(void *context, double t, const double *y, double *dydt);
// What is behind q and v of it, for an ode_stiff; contact forces are those of the last
// accelerations.
ap_status ap__run_ledger(void *context, double t, const double *y, double *rate);
// Put a state back to where the robot can be; context is the run.
ap_status ap__run_place(void *context, double *y);
// Joint forces at a state: sim->tau (springs, dampers, callback) and sim->total (and loads, elastic
// stops, and brakes that slide in place of what the kernels know of Coulomb friction).
ap_status ap__run_forces(ap_sim *sim, double t, const double *q, const double *v);
// Accelerations in sim->a, under the contacts that rest; also their forces.
ap_status ap__run_accelerations(ap_sim *sim, double t, const double *q, const double *v);
// Where the coordinate of a degree of freedom of its own stands in q; -1: there is none.
int ap__run_coordinate(const ap_model *m, int v);
// Which loads act from time t on, and when that or a force next changes (INFINITY: never).
double ap__run_loads(ap_sim *sim, double t);
// How far a joint has entered an elastic stop, and the force of its spring and damper.
double ap__run_stop_depth(const run_pair *pair, const double *q);
double ap__run_stop_force(const run_pair *pair, const double *q, const double *v);
// dq/dt from v.
void ap__run_configuration_rate(const ap_model *m, const double *q, const double *v, double *rate);
// The potential of gravity compensation in the configuration that the robot was last seen in.
double ap__run_held(ap_sim *sim);
// Kinetic, potential and elastic energy of sim->y; the potential with that of gravity compensation.
void ap__run_energy(ap_sim *sim, double energy[3]);
// Their sum.
double ap__run_total(ap_sim *sim);
// The ledger's tolerance, from the energies that there are.
void ap__run_weigh(ap_sim *sim);

// ---- wall_distance.c

// How all points lie to all walls, into pair[].now.
void ap__run_look(ap_sim *sim, const double *q, const double *v);
// Put the walls that move where they are at time t, for all that asks how points lie to them.
void ap__run_walls_at(ap_sim *sim, double t);
// The next kink of a wall's motion after t; INFINITY: none.
double ap__run_kink(const ap_sim *sim, int wall, double t);
// What the impulse of touch i takes, which acts on the mean of the velocities at both ends: that
// just looked at, and that after it.
typedef struct run_loss {
  double along, across; // J, of the wall
  double driven;        // J, work of the wall
} run_loss;
run_loss ap__run_loss(const ap_sim *sim, int i);
// Accelerations along the normals in flight from sim->a, into pair[].bent; looks as well.
void ap__run_bend(ap_sim *sim, const double *q, const double *v);
// How much the joints move a point, which was just looked at, along the normal of its wall, as a
// part of how much they move it at all: 0 where all together move it along the wall only.
double ap__run_lever(ap_sim *sim, const run_pair *pair);
// The entry of ap__contact_ functions for a pair.
ap_resting ap__run_resting(const run_pair *pair);
// Power that the forces of the last accelerations take from the points that slide, in a state of
// the same configuration; *driven: that of walls that move.
double ap__run_sliding_power(ap_sim *sim, const double *q, const double *v, double *driven);
// Restitution at the normal velocity that the pair has.
double ap__run_rebound(const run_pair *pair);
// A touch of ap_impact() for a pair.
ap_touch ap__run_touch(const run_pair *pair, double restitution);

// Whether the pair shares an edge, at which faces exclude each other, with one that rests: it is
// not touched then.
bool ap__run_covered(const ap_sim *sim, const run_pair *pair);

// Whether a normal velocity is none.
bool ap__run_along(const ap_sim *sim, const run_pair *pair);

// Whether points slide under forces that grow without bound, in the state of the last
// accelerations: friction presses a point into its wall the more, the harder the wall pushes, until
// no force is enough (Painleve's paradox).
bool ap__run_jams(const ap_sim *sim);

// ---- standing.c

// At the start no place is put.
void ap__run_stand_start(ap_sim *sim);
// sim->touch is known, or has grown.
void ap__run_stand_widen(ap_sim *sim);
// A rim that rests becomes flat: it goes on at a place where it is lowest.
void ap__run_stand_flat(ap_sim *sim, run_pair *rim);
// Places that were put, and are not needed any more, are left out.
void ap__run_stand_down(ap_sim *sim);
// Of n candidates with their modes: whether a place was put where a cylinder would tip, so
// that they are to be found again. first: the pair that gave way, -1: none.
ap_status ap__run_stand_up(ap_sim *sim, int n, int first, bool *stands);

// ---- run.c

// Forget that the state was read, so that no reading changes what comes.
void ap__run_forget(ap_sim *sim);

// ---- event_search.c

// The first touch of a pair that does not rest in the last step of the integrator, whose polynomial
// is made, or the first edge that one which rests slides over, before time *t: RUN_HIT, RUN_TOUCHED
// (it goes no deeper than sim->touch) or RUN_EDGE, with its time and pair; RUN_STEP: there is none.
// Others go no deeper than that before it.
run_end ap__run_search(ap_sim *sim, double *t, int *pair);

// ---- contact_transitions.c

// The contact or brake that is nearest to its limit, or beyond it, with the forces of the last
// accelerations at state q, v; its value is in units of what counts, and below -1 it is beyond.
run_break ap__run_nearest(const ap_sim *sim, const double *q, const double *v);
// The first time in the last step of the integrator, whose polynomial is made, before *t at which
// one of them reaches its limit: told in *found, with the time in *t. BREAK_NONE: none does.
ap_status ap__run_find_break(ap_sim *sim, double *t, run_break *found);
// Directions in which points slide, as they are at the state that was looked at.
ap_status ap__run_turn(ap_sim *sim);
// Of a pair whose slide has ended along its direction, in a fixed step, at the state of sim->y: the
// direction that is left. Where friction takes what is left of its speed on next to no way and
// holds it then, pair->halts and in stop_time how long that takes. The accelerations are of that.
ap_status ap__run_halt(ap_sim *sim, run_pair *pair);

// ---- events.c

// An impact at all pairs that touch now; then which of them rest. Told.
ap_status ap__run_impact(ap_sim *sim, ap_error *error);
// Which points that touch without a normal velocity rest, and how, and which brakes hold, from now
// on. Told. What has just reached its limit does not stay as it is.
ap_status ap__run_settle(ap_sim *sim, run_break broken, ap_error *error);
// Back onto the walls where the points that rest have drifted off them.
ap_status ap__run_project(ap_sim *sim, ap_error *error);
// The end of a fixed step, in place: where the robot can be, with the points that rest on their
// walls; context is the run.
ap_status ap__run_end_step(void *context, double *y);
// Whether what is left of the way of a point that slides is next to none.
bool ap__run_stops(const ap_sim *sim, const ap_resting *r);
// Tell an event of one pair.
void ap__run_tell(ap_sim *sim, ap_event_kind kind, double t, const run_pair *pair,
                  const ap_touch *touch, double lost);
// Counts an event of a pair, or of NULL; refuses where there are too many of them.
ap_status ap__run_count(ap_sim *sim, const run_pair *pair, ap_error *error);
// A failure inside a run; where the inertia matrix is singular, the joint is named.
ap_status ap__run_failed(ap_sim *sim, ap_status status, const char *what, ap_error *error);

// ---- turning.c

// Speed (m/s) and unit direction of rolling or spinning at a pair that was looked at.
double ap__run_turning(const run_pair *pair, int which, double along[3]);
// Add the touches of rolling and spinning friction to the n that are in touched[], or candidates to
// the n of candidate[], with their pairs in chosen[]; how many there are then.
int ap__run_turn_touches(ap_sim *sim, int n);
int ap__run_turn_candidates(ap_sim *sim, int n, bool *project);
// One of them rests from now on at a place.
void ap__run_turn_taken(ap_sim *sim, const ap_resting *r, int pair, int place);
// What there was before an event; what changed in it is told.
void ap__run_turn_look_back(ap_sim *sim);
void ap__run_turn_tell(ap_sim *sim, bool *numbered);
// Whether what holds has drifted, at a state that was looked at.
bool ap__run_turn_drifted(const ap_sim *sim);
// As ap__run_sliding_power() of one pair; as ap__run_loss().
double ap__run_turn_power(const ap_sim *sim, const run_pair *pair, double *driven);
run_loss ap__run_turn_loss(const ap_sim *sim, int i);

// ---- time_stepping.c

// From now on go in strides: for a moment, and for twice the time where that happens again soon, up
// to a hundred moments.
void ap__run_begin_strides(ap_sim *sim);
// One stride, not beyond stop; after the last one, which points rest, and how, is settled.
ap_status ap__run_stride(ap_sim *sim, double stop, ap_error *error);
// The state at time t inside the last stride, in sim->y.
void ap__run_read_stride(ap_sim *sim, double t);

// ---- implicit_forces.c

// Memory for what fixed steps take implicitly, and the integrator made ready for them.
void ap__run_take_stiff(ap_arena *a, ap_sim *sim);
void ap__run_make_stiff(ap_sim *sim);
// Whether fixed steps are too long for a joint at the state as it is, into sim->remark.
void ap__run_remark(ap_sim *sim);

// ---- segment.c

// Go on to time t.
ap_status ap__run_advance(ap_sim *sim, double t, ap_error *error);

#endif
