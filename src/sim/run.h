// A run of a robot among walls from inside. scene.c makes it, flight.c has its equations of motion
// and the functions whose zeros are events, touch.c tells how points lie to walls, events.c changes
// velocities and contacts, adaptive.c, stride.c and fixed.c go on in time, run.c is what the public
// sees.

#ifndef AP_SIM_RUN_H
#define AP_SIM_RUN_H

#include <appell/dyn.h>
#include <appell/impact.h>
#include <appell/sim.h>

#include "sim/contact.h"

// More touches at a time than this are refused.
enum { RUN_MOST_TOUCHES = 96 };

// Below this speed (m/s or rad/s) the Coulomb friction of a joint goes over into a viscous one, so
// that the equations of motion are continuous: a joint held by it creeps.
#define RUN_CREEP 1e-3

// A point whose way, without an impulse, would enter its wall by less than this (m) grazes it.
#define RUN_GRAZE 1e-12

// A point this close to a wall (m) touches it.
#define RUN_TOUCH 1e-10

// A point that accelerates into its wall by less than this (m/s2) need not be held.
#define RUN_FALLS 1e-6

// Points that rest are put back on their walls when they are off by this (m, and ten times it in
// m/s).
#define RUN_DRIFT 1e-11

// Rates of distances (m/s) are said to have changed their sign when they have passed zero by this,
// so that those which are nothing but rounding never do.
#define RUN_TURN 1e-9

// Sliding points whose friction makes their forces so many times what they are without it are
// jammed. Forces then grow as one over the time that is left, and no step reaches the end of it.
#define RUN_JAM 1e3

// How a point lies to a wall and moves.
typedef struct run_gap {
  double p[3], v[3];     // of the point, world
  double normal[3];      // unit, into the free region
  double slope;          // |gradient|: c / slope is a distance
  double distance, rate; // along the normal, m and m/s
  ap_gap gap;
} run_gap;

typedef enum run_was { WAS_FREE, WAS_STICKING, WAS_SLIDING } run_was;

// One point and one wall.
typedef struct run_pair {
  int point, wall;
  int body;
  double at[3];
  const ap_surface *surface;
  double restitution, friction;
  int resting;          // its place among those that rest, -1: it does not
  double slack;         // m: what is added to its distance, so that one that touches is watched too
  double press, slide;  // likewise to its normal force, N, and to its margin, N, or speed, m/s
  double turn;          // m/s, RUN_TURN or -RUN_TURN: what is added to the rate
  double quiet_t;       // no grazing is told until then
  run_gap now;          // filled by ap__run_look()
  double bent;          // acceleration along the normal, filled by ap__run_bend()
  double hit_t, flight; // when it last hit, and how long it had flown then
  bool away;            // from its wall, after the last stride or settling
  run_was was;          // before the event that is being worked on
  double rest_time;     // after it, s, when it comes to rest
} run_pair;

// Functions whose zeros are events, in blocks of one per pair.
enum {
  RUN_GAP,   // distance: falling means a touch
  RUN_PRESS, // normal force of a pair that rests: falling means it leaves
  RUN_SLIDE, // of one that sticks, how far friction is from its limit; of one that slides, speed
  RUN_RATE,  // rate of c, which has no jump where the normal turns over: rising means closest,
             // falling farthest
  RUN_BLOCKS
};

// The ledger behind q and v: work of loads, energy taken, then the work of each joint force.
enum { RUN_LOADS, RUN_TAKEN, RUN_LEDGER };

struct ap_sim {
  void *memory;   // of all that follows
  ap_scene scene; // its arrays are copies
  const ap_model *m;
  ap_work *w;
  ap_plant plant;       // the two in motion
  ap_loop *loop;        // of a mechanism; NULL: a tree
  ap_surface **surface; // [nwall]
  run_pair *pair;       // [npair]
  int npair, most;      // pairs; touches at a time at most
  int nq, nv, n;        // n: entries of y
  ap_ode *ode;
  // state
  bool started;
  double t;
  double *y;       // q, v, then the ledger
  double *before;  // [nv] velocities before an event
  double *told;    // [nv] likewise, as they are told
  double *q;       // [nq] as it is told, quaternions of length one
  double *work_of; // [nv] as it is told
  bool slack;      // of any pair at rest is in use
  double calm;     // how many times its usual length a leg may have, as nothing has happened
  bool fresh;      // y has changed by a jump: the integrator starts again
  double lost, start_energy;
  double start_motion; // the part of start_energy that is kinetic or elastic
  ap_status refused;   // why a trial step of adaptive stepping was, since the last one that was not
  double drift;        // of the closures at the end of a step, the largest
  double *s, *sd;      // independent coordinates as they are told, and their rates
  long events, evaluations;
  long busy; // events since busy_t, all within a window
  double busy_t;
  double plod_until;   // until then it goes on in strides
  double plod;         // s, how long that was
  bool strides;        // a stride is under way: contacts don't hold, they get impulses
  int number;          // of the last event
  bool *acts;          // [nload] which loads act now
  ap_resting *resting; // [most]
  int nresting;
  // room
  double *tau, *driven, *total, *a; // [nv] joint forces, the callback's, all of them; acceleration
  double *pulled;                   // [nv] joint forces of loads
  double *jacobian;                 // [6 * nv]
  int *spring_q;                    // [nspring] place of each in q
  double *stage, *y0;               // [5 * n], [n] of fixed steps
  int *found;                       // [RUN_BLOCKS * npair]
  int *chosen;                      // [most] pairs that take part in an event
  ap_touch *touch;                  // [most]
  ap_resting *candidate;            // [most]
  bool *keep;                       // [most]
  void *impact_room, *contact_room;
  void (*tell)(void *context, const ap_event *event);
  void *tell_context;
};

// ---- flight.c

// dy/dt; context is the run.
ap_status ap__run_rate(void *context, double t, const double *y, double *dydt);
// Put a state back to where the robot can be; context is the run.
ap_status ap__run_place(void *context, double *y);
// The functions whose zeros are events.
void ap__run_events(void *context, double t, const double *y, double *g);
// Joint forces at a state: sim->tau (springs, dampers, callback) and sim->total (and loads, and
// what makes Coulomb friction continuous).
ap_status ap__run_forces(ap_sim *sim, double t, const double *q, const double *v);
// Accelerations in sim->a, under the contacts that rest; also their forces.
ap_status ap__run_accelerations(ap_sim *sim, double t, const double *q, const double *v);
// Where the coordinate of a degree of freedom of its own stands in q; -1: there is none.
int ap__run_coordinate(const ap_model *m, int v);
// Which loads act from time t on, and when that next changes (INFINITY: never).
double ap__run_loads(ap_sim *sim, double t);
// Kinetic, potential and elastic energy of sim->y.
void ap__run_energy(ap_sim *sim, double energy[3]);

// ---- touch.c

// How all points lie to all walls, into pair[].now.
void ap__run_look(ap_sim *sim, const double *q, const double *v);
// What the impulse of touch i takes, which acts on the mean of the velocities at both ends: that
// just looked at, and that after it.
typedef struct run_loss {
  double along, across; // J, of the wall
} run_loss;
run_loss ap__run_loss(const ap_sim *sim, int i);
// Accelerations along the normals in flight from sim->a, into pair[].bent; looks as well.
void ap__run_bend(ap_sim *sim, const double *q, const double *v);
// Whether a force along the normal of a pair that was just looked at moves the robot: not where all
// joints together move the point along its wall only.
bool ap__run_pushes(ap_sim *sim, const run_pair *pair);
// The entry of ap__contact_ functions for a pair.
ap_resting ap__run_resting(const run_pair *pair);
// Power that friction takes from the points that slide, with the forces of the last accelerations.
double ap__run_sliding_power(ap_sim *sim, const double *q, const double *v);

// Whether a pair that rests slides under a force that grows without bound: friction presses it into
// its wall the more, the harder the wall pushes, until no force is enough (Painleve's paradox).
bool ap__run_jams(const ap_sim *sim, const run_pair *pair);

// ---- events.c

// An impact at all pairs that touch, or will inside the window, now; then which of them rest. Told.
ap_status ap__run_impact(ap_sim *sim, ap_error *error);
// Which points that touch without a normal velocity rest, and how, from now on. Told. Pairs whose
// force or whose friction has just reached its limit do not stay as they are (-1: there is none).
ap_status ap__run_settle(ap_sim *sim, int must_leave, int must_slide, ap_error *error);
// Back onto the walls where the points that rest have drifted off them.
ap_status ap__run_mend(ap_sim *sim, ap_error *error);
// Tell an event of one pair.
void ap__run_tell(ap_sim *sim, ap_event_kind kind, double t, const run_pair *pair,
                  const ap_touch *touch, double lost);
// Counts an event; refuses where there are too many of them, naming the pair.
ap_status ap__run_count(ap_sim *sim, const run_pair *pair, ap_error *error);
// A failure inside a run; where the inertia matrix is singular, the joint is named.
ap_status ap__run_failed(ap_sim *sim, ap_status status, const char *what, ap_error *error);

// ---- stride.c

// From now on go in strides: for a window, and for twice the time where that happens again soon, up
// to a hundred windows.
void ap__run_plod(ap_sim *sim);
// Go on in strides until they are over, or to time t; then which points rest, and how, is settled.
ap_status ap__run_strides(ap_sim *sim, double t, ap_error *error);

// ---- adaptive.c, fixed.c: go on to time t, where no load changes on the way

ap_status ap__run_adaptive(ap_sim *sim, double t, ap_error *error);
ap_status ap__run_fixed(ap_sim *sim, double t, ap_error *error);

#endif
