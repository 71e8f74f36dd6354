// SPDX-License-Identifier: Apache-2.0
// Strides: steps over moments in which modes change more often than they can be followed, or in
// which no contact forces obey Coulomb's law (Painleve's paradox).
//
// In a stride Coulomb's law holds for velocities and impulses instead of accelerations and forces
// (J. J. Moreau 1988, M. Jean 1999): velocities go ahead under all forces but those of walls, then
// an inelastic impact at all points that touch, in the place that is reached, gives the impulses of
// the stride. Such impulses always exist. Where forces do too, these are the forces times the
// length; where none do, they are those of an impact without a collision, which is what rigid
// bodies leave Painleve's states by. Friction opposes the velocities at the end, so that it takes
// energy. The forces without walls are the mean of both ends, and so is the velocity that moves q:
// a stride along a wall errs by the third power of its length.

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim/run.h"

// A stride is a moment long, or shorter down to this part of it.
#define STRIDE_PARTS 4096

typedef struct run_stride {
  double h;                // s
  bool jumps;              // velocities do, by more than forces do in a time h
  double before;           // J, at its beginning
  int n;                   // touches
  ap_impact_result result; // of the impact
} run_stride;

// The pairs that touch at the state in sim->y, in chosen[], with their touches. -1: too many.
static int choose(ap_sim *sim) {
  int n = 0;
  for (int i = 0; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    if (p->stiffness > 0 || p->reversed || (p->away && p->now.distance > sim->touch)) continue;
    if (n == sim->most - sim->nturn) return -1;
    sim->touched[n] = ap__run_touch(p, 0);
    sim->chosen[n++] = i;
  }
  return ap__run_turn_touches(sim, n);
}

// The rate of sim->y without contacts.
static ap_status free_rate(ap_sim *sim, double t, double *rate, ap_error *error) {
  sim->strides = true;
  ap_status status = ap__run_rate(sim, t, sim->y, rate);
  sim->strides = false;
  return status ? ap__run_failed(sim, status, "no acceleration", error) : AP_OK;
}

// From sim->y0 on for a time h: q along the mean of v there and at the end, v and the ledger with
// the rate, then the impact unless it is left out. The end is that in sim->y, or where velocities
// jump what they are before the jump.
static ap_status take_stride(ap_sim *sim, run_stride *s, const double *rate, bool meets,
                             ap_error *error) {
  double *q = sim->y, *v = sim->y + sim->nq;
  const double *v0 = sim->y0 + sim->nq, *a = rate + sim->nq;
  for (int i = 0; i < sim->nv; i++)
    sim->before[i] = 0.5 * s->h * (v0[i] + (s->jumps ? v0[i] + s->h * a[i] : v[i]));
  ap_integrate(sim->m, sim->y0, sim->before, q);
  for (int i = sim->nq; i < sim->n; i++) sim->y[i] = sim->y0[i] + s->h * rate[i];
  ap_status status = ap__plant_settle(&sim->plant, q, v);
  if (status) return ap__run_failed(sim, status, "the configuration is not admissible", error);
  s->n = 0;
  s->result = (ap_impact_result){0};
  if (!meets) return AP_OK;
  ap__run_walls_at(sim, sim->t + s->h);
  ap__run_look(sim, q, v);
  s->n = choose(sim);
  if (s->n < 0)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "more than %d contacts at t = %.9g: increase most_contacts",
                      sim->most - sim->nturn, sim->t);
  if (s->n == 0) return AP_OK;
  status =
      sim->plant.kind->impact(&sim->plant, q, v, s->n, sim->touched, sim->impact_room, &s->result);
  return status ? ap__run_failed(sim, status, "the impact cannot be solved", error) : AP_OK;
}

// What the impulses of n touches took, which act on the mean of the velocities at both ends: along
// the walls, and across them.
static void losses(ap_sim *sim, int n, double *along, double *across, double *driven) {
  *along = *across = *driven = 0;
  ap__run_look(sim, sim->y, sim->y0 + sim->nq);
  for (int i = 0; i < n; i++) {
    const run_loss took = ap__run_loss(sim, i);
    *along += took.along, *across += took.across, *driven += took.driven;
  }
}

// Book what the impulses took: to friction along the walls, to impacts across them. Where
// velocities jump it is all an impact's, of the energy that was there right before. Returns by how
// much the ledger of the stride does not close.
static double add_energies(ap_sim *sim, const run_stride *s) {
  double along, across, driven, *ledger = sim->y + sim->nq + sim->nv;
  const double *ledger0 = sim->y0 + sim->nq + sim->nv;
  losses(sim, s->n, &along, &across, &driven);
  if (s->jumps) along = 0, across = s->result.lost, driven = s->result.work;
  double change = ap__run_total(sim) - s->before + along + across - driven;
  for (int i = 0; i < sim->n - sim->nq - sim->nv; i++)
    change += (i == RUN_TAKEN ? 1 : -1) * (ledger[i] - ledger0[i]);
  if (along < 0 || s->result.relaxed) across += along, along = 0;
  ledger[RUN_TAKEN] += along;
  sim->wall_work += driven;
  sim->lost += across;
  return change;
}

// Who is pressed stays on its wall, who is not has left it.
static ap_status keep_pressed(ap_sim *sim, int n, ap_error *error) {
  int pressed = 0;
  bool off = false;
  double lost = 0, driven = 0, drift = RUN_DRIFT * sim->length;
  ap__run_walls_at(sim, sim->t);
  ap__run_look(sim, sim->y, sim->y + sim->nq);
  for (int i = 0; i < sim->npair; i++) sim->pair[i].away = true;
  for (int i = 0; i < n; i++) {
    run_pair *p = &sim->pair[sim->chosen[i]];
    const double *f = sim->touched[i].impulse;
    if (sim->touched[i].turn != AP_TURN_NONE) continue;
    p->away = f[0] == 0 && f[1] == 0 && f[2] == 0;
    if (p->away) continue;
    sim->candidate[pressed++] = ap__run_resting(p);
    off = off || fabs(p->now.distance) > drift || fabs(p->now.rate) > 10 * drift;
  }
  if (!off) return AP_OK;
  ap_status status = ap__contact_return(&sim->plant, sim->y, sim->y + sim->nq, pressed,
                                        sim->candidate, sim->contact_room, &lost, &driven);
  if (status)
    return ap__run_failed(sim, status, "points cannot be projected onto their walls", error);
  sim->lost += lost;
  sim->wall_work += driven;
  return AP_OK;
}

// A jump is told as the impact that it is.
static void tell_jump(ap_sim *sim, const run_stride *s) {
  sim->number++;
  memcpy(sim->told, sim->end_y + sim->nq, (size_t)sim->nv * sizeof *sim->told);
  for (int i = 0; i < s->n; i++) {
    const double *f = sim->touched[i].impulse;
    if (sim->touched[i].turn != AP_TURN_NONE || (f[0] == 0 && f[1] == 0 && f[2] == 0)) continue;
    ap__run_tell(sim, AP_EVENT_IMPACT, sim->t, &sim->pair[sim->chosen[i]], &sim->touched[i],
                 s->result.lost);
  }
}

// One stride from sim->y0 to sim->y.
static ap_status step(ap_sim *sim, run_stride *s, ap_error *error) {
  double *rate = sim->stage, *end = sim->stage + sim->n;
  memcpy(sim->y, sim->y0, (size_t)sim->n * sizeof *sim->y);
  ap_status status = free_rate(sim, sim->t, rate, error);
  if (!status) status = take_stride(sim, s, rate, !s->jumps, error);
  if (!status) status = free_rate(sim, sim->t + s->h, end, error);
  if (status) return status;
  for (int i = 0; i < sim->n; i++) rate[i] = 0.5 * (rate[i] + end[i]);
  return take_stride(sim, s, rate, true, error);
}

// What is read inside a stride: its beginning and its end, or what that was before a jump.
static void keep_ends(ap_sim *sim, const run_stride *s) {
  size_t bytes = (size_t)sim->n * sizeof *sim->y;
  memcpy(sim->from_y, sim->y0, bytes);
  memcpy(sim->end_y, sim->y, bytes);
  if (!s->jumps) return;
  const double *rate = sim->stage; // the mean of both ends
  for (int i = sim->nq; i < sim->n; i++) sim->end_y[i] = sim->y0[i] + s->h * rate[i];
}

// A stride of *h, and what to try next. Where the ledger would not close velocities jump; where it
// would not close then either, the stride is shorter.
static ap_status stride(ap_sim *sim, double *h, ap_error *error) {
  double kinetic = ap_kinetic_energy(sim->m, sim->w, sim->y, sim->y + sim->nq);
  double lost = sim->lost, driven = sim->wall_work, least = sim->moment / STRIDE_PARTS;
  double allowed = sim->scene.relative * kinetic + sim->scene.absolute;
  run_stride s = {.h = *h, .before = ap__run_total(sim)};
  memcpy(sim->y0, sim->y, (size_t)sim->n * sizeof *sim->y);
  for (;;) {
    sim->lost = lost;
    sim->wall_work = driven;
    ap_status status = step(sim, &s, error);
    if (status) return status;
    double off = add_energies(sim, &s);
    if (fabs(off) <= allowed || (s.jumps && s.h <= least)) break;
    if (s.jumps) s.h = fmax(0.25 * s.h, least);
    s.jumps = !s.jumps;
  }
  sim->t += s.h;
  *h = 2 * s.h;
  keep_ends(sim, &s);
  ap_status status = keep_pressed(sim, s.n, error);
  if (!status && s.jumps) tell_jump(sim, &s);
  return status;
}

void ap__run_begin_strides(ap_sim *sim) {
  double moment = sim->moment;
  bool again = sim->t - sim->strides_until < 10 * sim->strides_length;
  sim->strides_length = again ? fmin(2 * sim->strides_length, 100 * moment) : moment;
  sim->strides_until = sim->t + sim->strides_length;
  sim->stride = moment;
}

// Whether a point in flight is about to hit its wall.
static int about_to_hit(ap_sim *sim) {
  ap__run_walls_at(sim, sim->t);
  ap__run_look(sim, sim->y, sim->y + sim->nq);
  for (int i = 0; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    if (!p->away || p->off) continue;
    if (p->now.rate < 0 && !ap__run_along(sim, p) &&
        p->now.distance + p->now.rate * sim->moment <= 0)
      return i;
  }
  return -1;
}

ap_status ap__run_stride(ap_sim *sim, double stop, ap_error *error) {
  double end = fmin(stop, sim->strides_until),
         h = fmin(sim->stride, fmin(sim->moment, end - sim->t));
  int hits = about_to_hit(sim);
  ap_status status = AP_OK;
  sim->fresh = true;
  if (hits >= 0) {
    status = ap__run_count(sim, &sim->pair[hits], error);
    if (!status) status = ap__run_impact(sim, error);
    if (status) return status;
  }
  sim->from = sim->t;
  sim->from_lost = sim->lost;
  sim->from_driven = sim->wall_work;
  status = stride(sim, &h, error);
  if (status) return status;
  sim->stride = h;
  if (end - sim->t < 8 * DBL_EPSILON * fmax(fabs(end), fabs(sim->t))) sim->t = end;
  if (sim->t < sim->strides_until) return AP_OK;
  return ap__run_settle(sim, (run_break){BREAK_NONE, -1, 0}, error);
}

void ap__run_read_stride(ap_sim *sim, double t) {
  double x = (t - sim->from) / (sim->end - sim->from);
  for (int i = 0; i < sim->n; i++)
    sim->y[i] = sim->from_y[i] + x * (sim->end_y[i] - sim->from_y[i]);
}
