// SPDX-License-Identifier: Apache-2.0
// What the functions of contact.h share: the points in place, the Delassus matrix, and the forces
// of given modes.
//
// Every point i has three directions: the wall's unit normal n and two tangents. Row 3 i + d of J
// takes v to the point's velocity along direction d; W = J M^-1 J^T takes forces along all these
// directions to accelerations along them (the Delassus matrix), b holds the accelerations without
// any contact force. A row has entries on the path from the point's link to the ground alone, and
// so has its half of W: with M = L^T D L, y = L^-T j, W = y^T D^-1 y. The normal's entry of b has
// the curvature of the wall in it: what vanishes while a point stays on c = 0 is
//
//   grad c . p'' + p'^T H p',  both divided by |grad c|.

#ifndef AP_SIM_CONTACT_SYSTEM_H
#define AP_SIM_CONTACT_SYSTEM_H

#include <stdint.h>

#include "contact.h"
#include "dyn/factor_rows.h"
#include "impact/polygon.h"
#include "num/qr.h"

enum { CONTACT_LANES = AP__FACTOR_LANES }; // three directions, and one that is zero

// For each place k of the path of point i, from the last on.
#define CONTACT_PATH(s, i, k)                                                                      \
  for (int at_##k = 0, k; at_##k < (s)->npath[i] && (k = (s)->path[(i) * (s)->nv + at_##k], true); \
       at_##k++)

// A point in place.
typedef struct contact_place {
  double frame[3]
              [3]; // normal, two tangents, the second one of length `across`: stretched, friction
  double across;   // is the same in all directions (impact.c); 1 where it is anyway
  double at[3];    // m, world
  double velocity[3]; // along them, m/s, relative to the wall,
  double wall[3];     // and of the wall
  double gap;         // c / |grad c|, m
  double slip[2];     // direction of sliding along the tangents, against which friction acts; or 0
  double along;       // speed along the direction of sliding that the caller keeps, m/s
} contact_place;

// The configuration that the places, J and W in scratch memory belong to, so that they are made
// once where several ask for them; and the set of points that the islands there are of.
typedef struct contact_memo {
  struct contact_system *laid; // how this memory was cut the last time,
  const ap_model *model;       // for which robot; NULL: not yet
  int n;                       // points; -1: none are known
  size_t who;                  // which they are
  bool factor;                 // of the response
  double *q;                   // [nq]
  int sorted;                  // points of the islands; -1: none are known
  size_t set;                  // which they are
  int nisland;
} contact_memo;

// Contacts from .. to - 1.
typedef struct contact_span {
  int from, to;
} contact_span;

// By which contacts are sorted: trees of joints in the order of their islands, then links.
typedef struct contact_key {
  uint64_t tree, link;
} contact_key;

// Components of a force and its moment: so many directions of two links are independent.
enum { CONTACT_WRENCH = 6 };

// For each span of the contacts that bodies couple with contact i, from the first on: W has zeros
// elsewhere.
#define CONTACT_SPANS(s, i, x)                                                 \
  for (const contact_span *x = (s)->span + (s)->near[(s)->group[i]],           \
                          *end_##x = (s)->span + (s)->near[(s)->group[i] + 1]; \
       x < end_##x; x++)

typedef struct contact_system {
  int n, nv, nq;
  contact_place *place; // [n]
  ap_plant *plant;
  contact_memo *memo; // what the scratch memory is of
  const ap__factor_rows *through;
  ap_response responds; // at the state, P [nv * nv] of it also scratch
  int *run;   // [nv] for each place in v the first one of those right before it on its path
  int *path;  // [n * nv] places in v that move a point, or its wall, descending,
  int *npath; // [n] and how many
  // contact_islands.c
  ap_resting *sorted;            // [n] the contacts, island by island; `host` inside the island
  int *order;                    // [n] which of the caller's stands where
  int nisland;                   // sets of contacts that no body couples,
  int *start;                    // [nisland + 1] the first contact of each,
  struct contact_system *island; // [nisland] and what is here, of its contacts alone
  contact_key *key;              // [n]
  int *label;                    // [3 nv + 1 + 4 n] room
  int *group;                    // [n] contacts of the same two links have the same number, in turn
  int *member;                   // [groups + 1] the first contact of a group
  int *tree;          // [2 groups] first places in v of the trees that it is between, or -1
  contact_span *span; // contacts that bodies couple with each group,
  int *near;          // [groups + 1] of which these are a group's
  // contact_solve.c
  int ngroup;
  int *first;           // [n + 1] the first unknown of each contact and those behind it
  int *core;            // [groups + 1] the first of the reduced unknowns of a group
  int *last;            // [3 n] last entry of a row that is not zero
  double *left, *right; // [3 n * CONTACT_WRENCH] what takes unknowns to reduced ones, see there
  double *block;        // [3 n * CONTACT_WRENCH] room
  bool symmetric;       // the reduced matrix is
  int unknowns;         // that were reduced
  int *turn;            // [2 n] places of rolling and spinning friction of a contact; -1: none
  int *column;          // [n] its first unknown; -1: it has none
  double *J;            // [n * nv * CONTACT_LANES] rows of J of each point side by side: a column's
  double *Y;            //   entry d is the one of direction d; and their halves of W, or J P;
                        //   both on the paths alone
  double *B, *X;        // [3 n * nv] room of ap__contact_mobility()
  double *W;            // [3 n * 3 n]
  double *b;            // [3 n]
  double *free;         // [nv] accelerations without contact forces; of a factor L^-T of the
                        //   joint forces less the bias
  double *jacobian;     // [6 * nv] of a link
  double *force;        // [3 n] along the three directions of each point
  double *base;         // [3 n] b, with what brakes do that slide
  double *apart;        // [3 n] likewise, with what all brakes do
  double *response;     // [3 n] b + W force
  ap_qr qr;             // of the reduced unknowns of the modes, 3 n at most; or,
  bool regular;         // where its rank is beyond doubt, triangles
  double *N;            // [3 n * 3 n] basis of the unknowns' values that do nothing
  int *row;             // [3 n] which row of J an unknown belongs to
  double *scale;        // [3 n] of the unknowns, to share forces
  double *x, *y, *rhs;  // [3 n]
  double *old;          // [3 n]
  double *sweep;        // [3 n] forces while modes are looked for
  double *small;        // [3 n]
  bool *still;          // [n] has friction and does not move along its wall
  bool *passive;        // [n] room for a set of points
  bool *points;         // [n] likewise: no brakes
  bool *kept;           // [n] those that stay
  ap_polygon polygon;   // of up to AP_POLYGON_MOST points
  double *friction;     // [n]
  double *way;          // [2 n] directions of those that slide
  double *q, *best;     // [nq]
  double *v;            // [nv]
} contact_system;

// Below this speed (m/s) a tangential velocity counts as none: rounding leaves less where one was
// taken out, and nothing that is seen to move is slower.
#define AP__CONTACT_STILL 1e-12

// Cut the scratch memory, which forgets what it has for another number of points; NULL measures.
size_t ap__contact_layout(const ap_model *m, int n, void *scratch, contact_system *s);

// The response, places, J and W at q; with v also velocities and that part of b that they cause. v
// NULL: at rest. AP_E_SINGULAR; AP_E_ARG for a link that does not exist.
ap_status ap__contact_gather(ap_plant *p, const double *q, const double *v,
                             const ap_resting *resting, contact_system *s);

// What friction takes with it of a unit of an unknown: parts along other rows, with the other sign.
typedef struct contact_drag {
  int n, row[6];
  double part[6];
} contact_drag;
// That of the unknown of a row: of a normal force, sliding and turning; without friction none.
contact_drag ap__contact_drag(const ap_resting *resting, bool friction, const contact_system *s,
                              int row);

// Whether there may be any.
static inline bool ap__contact_drags(const ap_resting *resting, bool friction,
                                     const contact_system *s, int row) {
  if (!friction || row % 3 != 0) return false;
  const int i = row / 3;
  return !resting[i].sticks || s->turn[2 * i] >= 0 || s->turn[2 * i + 1] >= 0;
}

// Frame, rows of J, velocity and acceleration due to velocities of rolling or spinning friction.
void ap__contact_gather_turning(const ap_plant *plant, const ap_resting *r, int i,
                                contact_system *s);
// s->turn, from the hosts.
void ap__contact_link_turning(const ap_resting *resting, contact_system *s);
// Two tangents of a place from its normal; the path from two links, or one and -1, to the ground;
// where the path of a link begins; and the direction of sliding, velocities being known.
void ap__contact_tangents(contact_place *place);
void ap__contact_set_path(int one, int other, int i, contact_system *s);
int ap__contact_start_of(const ap_model *m, int link);
void ap__contact_set_slip(const ap_resting *r, contact_place *place);

// Whether the scratch memory has all of that for q already; then s is ready.
bool ap__contact_known(ap_plant *p, const double *q, const ap_resting *resting, contact_system *s);

// The gaps alone at another q; the places' frames stay.
ap_status ap__contact_gaps(ap_plant *p, const double *q, contact_system *s);

// The contacts sorted into islands, the paths of the response being known; `set` tells sets of
// contacts apart.
void ap__contact_split(const ap_resting *resting, size_t set, contact_system *s);
// The sorted contacts back to where they came from.
void ap__contact_join(const contact_system *s, ap_resting *resting);

// The velocity along row r of J.
double ap__contact_velocity(const contact_system *s, int r, const double *v);

// x := M^-1 J^T y over n unknowns, whose rows are in `row`; over all rows in turn where that is
// NULL.
void ap__contact_push(const contact_system *s, int n, const int *row, const double *y, double *x);

// Accelerations with the forces in s->force of all contacts, and in s->v without any.
void ap__contact_accelerate(contact_system *s, double *a);

// All of it for a state under joint forces: `free` and the whole of b besides.
ap_status ap__contact_state(ap_plant *p, const double *q, const double *v, const double *tau,
                            const ap_resting *resting, contact_system *s);

// Number of unknowns of these modes, with `row` filled: three where a point sticks, one where it
// slides or where `normals` says so, none where keep (NULL: all) says no; of a brake the tangent
// where it sticks, else none.
int ap__contact_unknowns(const ap_resting *resting, const bool *keep, bool normals,
                         contact_system *s);

// Factor W restricted to the rows and columns of the unknowns, which are those of the last
// ap__contact_unknowns(), each column times its `scale`. With friction, a column of a sliding point
// has its friction in it.
void ap__contact_factor(const ap_resting *resting, int unknowns, bool friction, contact_system *s);

// Its first half: elimination alone. False where a pivot is small; then, for another try, all
// unknowns filled in again, none being reduced.
bool ap__contact_eliminate(const ap_resting *resting, int unknowns, bool friction,
                           contact_system *s);
void ap__contact_refill(const ap_resting *resting, bool friction, contact_system *s);

// x, not scaled back: the shortest solution of what was factored, for s->rhs, which is used up.
void ap__contact_solve(contact_system *s);
// The same for k right sides: B and X are [unknowns * k].
void ap__contact_solve_many(contact_system *s, int k, const double *B, double *X);

// s->N, a basis of the solutions that do nothing, in the unknowns as they were factored: as many
// columns as are returned. What was factored is used up.
int ap__contact_null(contact_system *s);

// Elimination of a positive definite matrix of n rows in s->qr.A, of which the upper half is read;
// false where rounding makes it none. And x := its solution for x. What was factored is used up.
bool ap__contact_definite(int n, contact_system *s);
void ap__contact_substitute(int n, const contact_system *s, double *x);

// The scale of tangential unknowns by what friction can hold with the forces in s->y; false where
// nothing sticks.
bool ap__contact_weigh(const ap_resting *resting, int n, contact_system *s);

// The shortest forces of n unknowns that depend on each other, in s->x and s->y, in the scale of
// ap__contact_weigh(), from what was filled in again; s->N and its number of columns. 0:
// ap__contact_factor() has to see to it.
int ap__contact_spread(const ap_resting *resting, int n, contact_system *s);

// Where forces of n unknowns are not unique: s->y, from the shortest ones in s->x and s->y, into
// the cones, smoothly (contact_choice.c); d: columns of s->N, 0: it is not known.
void ap__contact_choose(const ap_resting *resting, int n, int d, contact_system *s);

// Forces of the points' modes in s->force, and s->response.
void ap__contact_forces(const ap_resting *resting, const bool *keep, contact_system *s);

// The directions of the points that follow their accelerations, and forces with them.
//
// The direction of a point that slides at speed v turns towards that of its acceleration in a time
// v / r, r being the acceleration that friction causes. Where that time is short the direction is
// where it turns to: slip is such that the tangential acceleration is along it. False where no such
// directions are found.
bool ap__contact_follow(const ap_resting *resting, const bool *keep, contact_system *s);

// s->response = b + W force.
void ap__contact_respond(contact_system *s);

// How far a force is inside Coulomb's cone: friction * normal force - |tangential force|, N.
double ap__contact_margin(double friction, const double force[3]);

// The point of Coulomb's cone nearest to a force, in place.
void ap__contact_into_cone(double friction, double force[3]);
// A direction along the tangents in the world.
void ap__contact_direction(const contact_place *place, const double slip[2], double world[3]);
// The largest of n absolute values.
double ap__contact_largest(const double *x, int n);

// One sweep over the points, in `force`, with accelerations b + W force: still ones get a force in
// Coulomb's cone, others one of sliding. Repeated it comes near a solution.
void ap__contact_sweep(const ap_resting *resting, const bool *still, const double *b, double *force,
                       const contact_system *s);

// Forces of the points under Coulomb's law with cones of many sides, of which each further pass has
// more near those of the one before; still ones choose their direction. False where none are found,
// and for more points than AP_POLYGON_MOST.
bool ap__contact_polygon(const ap_resting *resting, const bool *still, int pass, double *force,
                         contact_system *s);

#endif
