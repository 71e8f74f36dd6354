// SPDX-License-Identifier: Apache-2.0
// Cylinders that stand. Places at equal angles carry a flat rim. Between two of them it could be
// borne further out, and it comes down, or tips, where it likes: two more places are put there.
//
//   A rim that becomes flat goes on at the place where it was lowest, and comes up against the one
//   opposite.
//
//   Normal forces of a rim have one resultant. Where it is outside the places, but not outside the
//   rim, one more place in its direction carries it: it is then between that place and its two
//   neighbours. Where it is outside the rim, the cylinder tips over that place. Of two flat ends on
//   each other, places of both rims and where they cross have one resultant.

#include <math.h>
#include <string.h>

#include "num/vec3.h"
#include "sim/rims.h"
#include "sim/round_edges.h"
#include "sim/run.h"

// A place whose direction changes by less than this stays.
static const double SAME = 1e-9;

static bool is_rim(const run_pair *p) { return p->edges && ap__edges_lowest(p->edges); }

static bool is_put(const ap_sim *sim, const run_pair *p) {
  return p->edges && ap__edges_carries(p->edges) && p->id - p->first >= AP__RIM_PUT &&
         is_rim(&sim->pair[p->first]);
}

void ap__run_stand_start(ap_sim *sim) {
  for (int i = 0; i < sim->npoint; i++)
    if (is_put(sim, &sim->pair[i])) sim->pair[i].apart = true;
}

void ap__run_stand_widen(ap_sim *sim) {
  for (int i = 0; i < sim->npoint; i++) {
    ap_edges *e = sim->pair[i].edges;
    bool near = e && (e->kind == AP__EDGES_NEAR || (e->kind == AP__EDGES_LEVEL && e->radius > 0));
    if (e && e->sides)
      e->parallel = fmax(e->parallel, sqrt(0.2 * e->radius * sim->touch) / e->length[0]);
    if (near || (e && ap__edges_of_rim(e)))
      e->length[1] =
          fmax(e->length[0] * (near ? AP__ROUND_FLAT : AP__RIM_FLAT), AP__RIM_TOUCHES * sim->touch);
  }
}

void ap__run_stand_down(ap_sim *sim) {
  for (int i = 0; i < sim->npoint; i++) {
    run_pair *p = &sim->pair[i];
    if (is_put(sim, p) && p->resting < 0 && p->off) p->apart = true;
  }
}

static void put(ap_sim *sim, run_pair *p, const double direction[3]) {
  ap__rim_put(p->edges, direction);
  memcpy(p->at, p->edges->beside_a[0], sizeof p->at);
  p->apart = false;
  ap__contact_forget(sim->contact_room);
}

// A pair that rests goes on as another one.
static void go_on(ap_sim *sim, run_pair *from, run_pair *to) {
  ap_resting *r = &sim->resting[from->resting], last = *r;
  *r = ap__run_resting(to);
  r->sticks = last.sticks;
  r->follows = last.follows;
  r->fast = last.fast;
  memcpy(r->slip, last.slip, sizeof r->slip);
  memcpy(r->force, last.force, sizeof r->force);
  to->away = false;
  to->resting = from->resting;
  from->resting = -1;
  for (int k = 0; k < RUN_TURNS; k++) {
    int place = from->turning[k];
    to->turning[k] = place;
    from->turning[k] = -1;
    if (place >= 0) sim->resting[place].id = to->id;
  }
}

// A direction of the world in the frame of a pair's link, or of its wall.
static void to_link(const ap_sim *sim, const run_pair *p, const double world[3], double own[3]) {
  double R[9], o[3];
  ap_frame_pose(sim->m, sim->w, p->body, R, o);
  for (int k = 0; k < 3; k++)
    own[k] = p->mount ? ap__pose_part(p->mount, k, world)
                      : R[k] * world[0] + R[3 + k] * world[1] + R[6 + k] * world[2];
}

void ap__run_stand_flat(ap_sim *sim, run_pair *rim) {
  double low[3], high[3], lean[3];
  ap__run_walls_at(sim, sim->t);
  ap__run_look(sim, sim->y, sim->y + sim->nq);
  to_link(sim, rim, rim->now.normal, high);
  cross3(rim->edges->a[1], high, lean);
  if (!(norm3(lean) < rim->edges->length[1])) return; // it is over another limit
  for (int k = 0; k < 3; k++) low[k] = -high[k];
  run_pair *two = &sim->pair[rim->first + AP__RIM_PUT];
  put(sim, &two[0], low);
  put(sim, &two[1], high);
  go_on(sim, rim, &two[0]);
}

// Whether a pair is of two flat ends on each other.
static bool is_of_ends(const run_pair *p) {
  if (!p->edges) return false;
  return p->edges->kind == AP__EDGES_LENS ||
         (ap__edges_carries(p->edges) && p->edges->round && p->edges->round->disc > 0);
}

// Whether a pair carries a rim, alone or with others.
static bool carries_rim(const ap_sim *sim, const run_pair *p, int rim) {
  const run_pair *like = &sim->pair[rim + 1];
  if (is_of_ends(like)) return is_of_ends(p) && p->group == like->group;
  return p->edges && p->first == rim && ap__edges_carries(p->edges);
}

// Candidate j of a rim's places that carry, and its pair; NULL: another.
static const run_pair *place_of(const ap_sim *sim, int j, int rim) {
  if (sim->candidate[j].kind != AP_REST_POINT) return NULL;
  const run_pair *p = &sim->pair[sim->chosen[j]];
  return carries_rim(sim, p, rim) ? p : NULL;
}

// How many of n candidates carry a rim, and how many of them stay; *like: one that does, else one
// of them.
static int count_places(const ap_sim *sim, int n, int rim, int *stay, int *like) {
  int count = 0;
  *stay = 0;
  for (int j = 0; j < n; j++) {
    if (!place_of(sim, j, rim)) continue;
    count++;
    if (sim->keep[j] || *stay == 0) *like = j;
    if (sim->keep[j]) ++*stay;
  }
  return count;
}

// Where a pair carries a rim, from the centre of that on, in the link's frame.
static void place_on(const ap_sim *sim, const run_pair *p, int rim, double place[3]) {
  const run_pair *centre = &sim->pair[rim];
  double world[3];
  if (is_of_ends(p)) {
    for (int k = 0; k < 3; k++) world[k] = p->now.p[k] + p->now.arm[k] - centre->now.p[k];
    to_link(sim, centre, world, place);
    return;
  }
  for (int k = 0; k < 3; k++) place[k] = p->edges->beside_a[0][k] - p->edges->a[0][k];
}

// The resultant of a rim's normal forces if all its candidates held it: from the centre on, in the
// link's frame. False: nothing presses.
static ap_status find_centre(ap_sim *sim, int n, int rim, int like, bool *presses,
                             double centre[3]) {
  const double *q = sim->y, *v = sim->y + sim->nq;
  int m = 0;
  double sum = 0;
  for (int j = 0; j < n; j++) {
    const ap_resting *r = &sim->candidate[j];
    bool carries = place_of(sim, j, rim) != NULL;
    if (ap__rest_turns(r->kind)) continue;
    if (r->kind == AP_REST_BRAKE ? !r->sticks : !(carries || sim->keep[j])) continue;
    ap_resting *to = &sim->tried[m++];
    *to = *r;
    if (!carries || sim->keep[j]) continue;
    to->sticks = sim->candidate[like].sticks;
    to->follows = sim->candidate[like].follows;
    memcpy(to->slip, sim->candidate[like].slip, sizeof to->slip);
  }
  ap_status status = ap__contact_accelerations(&sim->plant, q, v, sim->total, m, sim->tried, sim->a,
                                               sim->contact_room);
  memset(centre, 0, 3 * sizeof *centre);
  for (int j = 0; j < m && !status; j++) {
    const ap_resting *r = &sim->tried[j];
    double place[3];
    if (!r->edges || !carries_rim(sim, &sim->pair[r->id], rim)) continue;
    sum += r->normal_force;
    place_on(sim, &sim->pair[r->id], rim, place);
    for (int k = 0; k < 3; k++) centre[k] += r->normal_force * place[k];
  }
  *presses = sum > 0;
  for (int k = 0; k < 3 && sum > 0; k++) centre[k] /= sum;
  return status;
}

// Whether a place is put already in a direction.
static bool is_there(const run_pair *p, const double centre[3]) {
  double r = p->edges->length[0], size = norm3(centre), off = 0;
  for (int k = 0; k < 3; k++) {
    double own = (p->edges->beside_a[0][k] - p->edges->a[0][k]) / r;
    off = fmax(off, fabs(own - centre[k] / size));
  }
  return !p->apart && off <= SAME;
}

ap_status ap__run_stand_up(ap_sim *sim, int n, int first, bool *stands) {
  *stands = false;
  for (int i = 0; i < sim->npoint; i++) {
    int stay, like = -1;
    double centre[3];
    if (!is_rim(&sim->pair[i]) || count_places(sim, n, i, &stay, &like) < 3) continue;
    bool gave = first >= 0 && carries_rim(sim, &sim->pair[first], i), presses;
    if (!gave && (stay == 0 || stay > 2)) continue;
    ap_status status = find_centre(sim, n, i, like, &presses, centre);
    if (status) return status;
    run_pair *p = &sim->pair[i + AP__RIM_PUT];
    double r = p->edges->length[0], octagon = r * cos(3.14159265358979323846 / AP__RIM_POINTS);
    if (!presses || norm3(centre) < (1 - SAME) * octagon || is_there(p, centre)) continue;
    put(sim, p, centre);
    *stands = true;
  }
  return AP_OK;
}
