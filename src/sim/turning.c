// SPDX-License-Identifier: Apache-2.0
// Rolling and spinning friction in a run: which of the contacts that rest have it, whether it holds
// or slides, and what it takes. As a contact, it is that of AP_REST_ROLL and AP_REST_SPIN.

#include <math.h>
#include <string.h>

#include "num/vec3.h"
#include "sim/contact_system.h"
#include "sim/run.h"

double ap__run_turning(const run_pair *p, int which, double along[3]) {
  const double *n = p->now.normal, about = dot3(n, p->now.turn);
  for (int k = 0; k < 3; k++)
    along[k] = which == RUN_SPIN ? about * n[k] : p->now.turn[k] - about * n[k];
  double rate = norm3(along);
  for (int k = 0; k < 3 && rate > 0; k++) along[k] /= rate;
  return p->lever * rate;
}

// The angular velocity of a wall that moves, as that of the second side.
static void wall_turning(const run_pair *p, double w[3]) {
  for (int k = 0; k < 3; k++) w[k] = p->pose ? p->pose->w[k] : p->mount ? -p->mount->w[k] : 0;
}

// ---- impacts -----------------------------------------------------------------------------------

int ap__run_turn_touches(ap_sim *sim, int n) {
  int all = n;
  for (int i = 0; i < n; i++) {
    const run_pair *p = &sim->pair[sim->chosen[i]];
    for (int which = 0; which < RUN_TURNS && p->joint < 0; which++) {
      if (!(p->turns[which] > 0)) continue;
      ap_touch *t = &sim->touched[all];
      *t = sim->touched[i];
      t->turn = which == RUN_SPIN ? AP_TURN_SPIN : AP_TURN_ROLL;
      t->host = i;
      t->friction = p->turns[which];
      t->across = 0;
      wall_turning(p, t->wall);
      sim->chosen[all++] = sim->chosen[i];
    }
  }
  return all;
}

run_loss ap__run_turn_loss(const ap_sim *sim, int i) {
  const run_pair *p = &sim->pair[sim->chosen[i]];
  const ap_touch *t = &sim->touched[i];
  double work = 0;
  for (int k = 0; k < 3; k++)
    work += t->impulse[k] * 0.5 * (p->now.turn[k] + t->after[k] - t->wall[k]);
  return (run_loss){.along = -work, .driven = dot3(t->impulse, t->wall)};
}

// ---- rest --------------------------------------------------------------------------------------

// Whether it holds from now on as far as its speed tells: it held and nothing has moved it since,
// or next to nothing is left of its speed.
static bool is_held(const ap_sim *sim, const run_pair *p, const ap_resting *r, int which) {
  double along[3], speed = ap__run_turning(p, which, along);
  if (r->sticks) return speed <= RUN_ALONG * (sim->fastest + sim->length);
  if (r->slows && ap__run_stops(sim, r)) return true;
  return speed <= RUN_STOPPED * r->fast || (r->follows && !(r->speed > 0));
}

static ap_resting candidate(const ap_sim *sim, run_pair *p, int which, int host) {
  ap_resting r = ap__run_resting(p);
  if (p->turning[which] >= 0) {
    r = sim->resting[p->turning[which]];
    if (r.slows && ap__run_stops(sim, &r)) p->halt_time = r.stops_in;
    r.sticks = is_held(sim, p, &r, which);
  }
  r.kind = which == RUN_SPIN ? AP_REST_SPIN : AP_REST_ROLL;
  r.host = host;
  r.lever = p->lever;
  r.friction = r.stiction = p->turns[which] / p->lever;
  r.across = 0;
  return r;
}

int ap__run_turn_candidates(ap_sim *sim, int n, bool *project) {
  int all = n;
  for (int i = 0; i < n; i++) {
    run_pair *p = &sim->pair[sim->chosen[i]];
    for (int which = 0; which < RUN_TURNS && p->joint < 0; which++) {
      if (!(p->turns[which] > 0)) continue;
      sim->candidate[all] = candidate(sim, p, which, i);
      *project = *project || sim->candidate[all].sticks;
      sim->chosen[all++] = sim->chosen[i];
    }
  }
  return all;
}

void ap__run_turn_taken(ap_sim *sim, const ap_resting *r, int pair, int place) {
  run_pair *p = &sim->pair[pair];
  p->turning[r->kind == AP_REST_SPIN ? RUN_SPIN : RUN_ROLL] = place;
  sim->resting[place].host = p->resting;
}

void ap__run_turn_look_back(ap_sim *sim) {
  for (int i = 0; i < sim->npoint; i++)
    for (int which = 0; which < RUN_TURNS; which++) {
      run_pair *p = &sim->pair[i];
      int place = p->turning[which];
      p->turned[which] = place < 0                    ? WAS_FREE
                         : sim->resting[place].sticks ? WAS_STICKING
                                                      : WAS_SLIDING;
    }
}

void ap__run_turn_tell(ap_sim *sim, bool *numbered) {
  for (int i = 0; i < sim->npoint; i++)
    for (int which = 0; which < RUN_TURNS; which++) {
      const run_pair *p = &sim->pair[i];
      if (p->turning[which] < 0 || p->turned[which] == WAS_FREE) continue;
      bool sticks = sim->resting[p->turning[which]].sticks;
      if (sticks == (p->turned[which] == WAS_STICKING)) continue;
      if (!*numbered) sim->number++, *numbered = true;
      double after = sticks && which == RUN_ROLL ? p->halt_time : 0;
      ap__run_tell(sim, sticks ? AP_EVENT_HALT : AP_EVENT_TURN, sim->t + after, p, NULL, 0);
    }
}

bool ap__run_turn_drifted(const ap_sim *sim) {
  double drift = RUN_DRIFT * sim->length, along[3];
  for (int i = 0; i < sim->npoint; i++)
    for (int which = 0; which < RUN_TURNS; which++) {
      const run_pair *p = &sim->pair[i];
      if (p->turning[which] < 0 || !sim->resting[p->turning[which]].sticks) continue;
      if (ap__run_turning(p, which, along) > 10 * drift) return true;
    }
  return false;
}

double ap__run_turn_power(const ap_sim *sim, const run_pair *p, double *driven) {
  double power = 0, wall[3];
  for (int which = 0; which < RUN_TURNS; which++) {
    if (p->turning[which] < 0) continue;
    const ap_resting *r = &sim->resting[p->turning[which]];
    if (!r->sticks) power -= dot3(r->force, p->now.turn);
    wall_turning(p, wall);
    *driven += dot3(r->force, wall);
  }
  return power;
}
