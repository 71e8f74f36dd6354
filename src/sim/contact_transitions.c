// SPDX-License-Identifier: Apache-2.0
// Where contacts and brakes reach their limits: a normal force that vanishes, friction that cannot
// hold, sliding that comes to a stop. These are functions of state and time. They are looked at
// wherever the integrator evaluates the rate, six or some sixteen times in a step; where one is
// beyond its limit, the first time at which any is is located on the polynomial of the step.

#include <float.h>
#include <math.h>
#include <string.h>

#include "num/vec3.h"
#include "sim/contact_system.h"
#include "sim/run.h"

enum { SAMPLES = 12, CORRECTIONS = 100 };

// Speeds below this part of what the acceleration gives in a step are none.
static const double SLOW = 1e-9;

static void compare(run_break *nearest, double *margin, run_break b, double unit) {
  double m = unit > 0 ? b.value / unit : b.value < 0 ? -INFINITY : INFINITY;
  if (!(m < *margin)) return;
  *margin = m;
  *nearest = b;
}

static double slow(const ap_sim *sim, double acceleration) {
  return SLOW * fabs(acceleration) * sim->ode->h + AP__CONTACT_STILL;
}

static void look_at_pair(const ap_sim *sim, int i, run_break *nearest, double *margin) {
  const run_pair *p = &sim->pair[i];
  if (p->resting < 0) return;
  const ap_resting *r = &sim->resting[p->resting];
  compare(nearest, margin, (run_break){BREAK_LEAVES, i, r->normal_force}, r->least);
  if (p->friction == 0 && p->stiction == 0) return;
  if (r->sticks)
    compare(nearest, margin, (run_break){BREAK_SLIDES, i, r->margin}, r->least);
  else
    compare(nearest, margin, (run_break){BREAK_STOPS, i, r->speed}, slow(sim, r->hurry));
}

// Rolling and spinning friction of a pair.
static void look_at_turning(const ap_sim *sim, int i, run_break *nearest, double *margin) {
  for (int which = 0; which < RUN_TURNS; which++) {
    int place = sim->pair[i].turning[which], index = RUN_TURNS * i + which;
    if (place < 0) continue;
    const ap_resting *r = &sim->resting[place];
    if (r->sticks)
      compare(nearest, margin, (run_break){BREAK_TURNS, index, r->margin}, r->least);
    else
      compare(nearest, margin, (run_break){BREAK_HALTS, index, r->speed}, slow(sim, r->hurry));
  }
}

static void look_at_brake(const ap_sim *sim, int i, const double *v, run_break *nearest,
                          double *margin) {
  const run_brake *b = &sim->brake[i];
  if (b->resting >= 0) {
    const ap_resting *r = &sim->resting[b->resting];
    compare(nearest, margin, (run_break){BREAK_SLIPS, i, r->margin}, r->least);
  } else if (b->way) {
    compare(nearest, margin, (run_break){BREAK_HOLDS, i, b->way * v[b->v]},
            slow(sim, sim->a[b->v]));
  }
}

// The force of an elastic stop that pushes; less it where that would pull.
static double would_push(const run_pair *p, const double *q, const double *v) {
  double force = ap__run_stop_force(p, q, v);
  return p->slackens ? -force : force;
}

static run_break nearest_of(const ap_sim *sim, const double *q, const double *v, double *margin) {
  run_break nearest = {BREAK_NONE, -1, INFINITY};
  *margin = INFINITY;
  for (int k = 0; k < sim->nresting; k++) {
    const ap_resting *r = &sim->resting[k];
    if (r->kind != AP_REST_POINT && r->kind != AP_REST_STOP) continue;
    look_at_pair(sim, r->id, &nearest, margin);
    look_at_turning(sim, r->id, &nearest, margin);
  }
  for (int i = sim->npoint; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    if (!p->pressed) continue;
    compare(&nearest, margin, (run_break){BREAK_EASES, i, ap__run_stop_depth(p, q)}, sim->touch);
    compare(&nearest, margin, (run_break){BREAK_SLACKS, i, would_push(p, q, v)},
            p->stiffness * sim->touch);
  }
  for (int i = 0; i < sim->nbrake; i++) look_at_brake(sim, i, v, &nearest, margin);
  return nearest;
}

run_break ap__run_nearest(const ap_sim *sim, const double *q, const double *v) {
  double margin;
  run_break b = nearest_of(sim, q, v, &margin);
  b.value = margin;
  return b;
}

// The state at time t of the step, and its accelerations.
static ap_status look_at(ap_sim *sim, double t, const double **q, const double **v) {
  ap__ode_read(sim->ode, t, sim->y0);
  ap_status status = sim->plant.kind->place(&sim->plant, sim->y0, sim->y0 + sim->nq, q, v);
  return status ? status : ap__run_accelerations(sim, t, *q, *v);
}

// The same at time t of the step; its value in its own unit, and the margin.
static ap_status nearest_at(ap_sim *sim, double t, run_break *b, double *margin) {
  const double *q, *v;
  ap_status status = look_at(sim, t, &q, &v);
  if (!status) *b = nearest_of(sim, q, v, margin);
  return status;
}

// The value of one of them, whatever the others do.
static double value_of(const ap_sim *sim, const double *q, const double *v, const run_break *b) {
  const run_pair *p = &sim->pair[b->kind < BREAK_SLIPS || b->kind >= BREAK_EASES ? b->index : 0];
  bool turns = b->kind == BREAK_TURNS || b->kind == BREAK_HALTS;
  int turning = turns ? sim->pair[b->index / RUN_TURNS].turning[b->index % RUN_TURNS] : -1;
  const run_brake *k = &sim->brake[b->kind == BREAK_SLIPS || b->kind == BREAK_HOLDS ? b->index : 0];
  switch (b->kind) {
    case BREAK_LEAVES: return sim->resting[p->resting].normal_force;
    case BREAK_SLIDES: return sim->resting[p->resting].margin;
    case BREAK_STOPS: return sim->resting[p->resting].speed;
    case BREAK_TURNS: return sim->resting[turning].margin;
    case BREAK_HALTS: return sim->resting[turning].speed;
    case BREAK_EASES: return ap__run_stop_depth(p, q);
    case BREAK_SLACKS: return would_push(p, q, v);
    case BREAK_SLIPS: return sim->resting[k->resting].margin;
    case BREAK_HOLDS: return k->way * v[k->v];
    case BREAK_NONE: break;
  }
  return INFINITY;
}

// What slides at a point and has a direction of its own, whose speed needs no forces; NULL: that is
// not what is asked for.
static const ap_resting *slides(const ap_sim *sim, const run_break *b) {
  if (b->kind != BREAK_STOPS) return NULL;
  const ap_resting *r = &sim->resting[sim->pair[b->index].resting];
  return r->kind == AP_REST_POINT && !r->sticks && !r->follows ? r : NULL;
}

static ap_status value_at(ap_sim *sim, double t, const run_break *b, double *value) {
  const double *q, *v;
  const ap_resting *r = slides(sim, b);
  if (r) {
    ap__ode_read(sim->ode, t, sim->y0);
    ap_status status = sim->plant.kind->place(&sim->plant, sim->y0, sim->y0 + sim->nq, &q, &v);
    ap__run_walls_at(sim, t);
    if (!status) *value = ap__contact_along(&sim->plant, q, v, r);
    return status;
  }
  ap_status status = look_at(sim, t, &q, &v);
  if (!status) *value = value_of(sim, q, v, b);
  return status;
}

// Part of the unit in which a value counts that is none.
static const double NOTHING = 1e-4;

// The next time to look at between a and b, of opposite signs, c being the one before: by the
// parabola through all three where the inverse of the function is one beyond doubt, else the middle
// (T. R. Chandrupatla 1997).
static double next_time(const double t[3], const double f[3]) {
  double xi = (t[0] - t[1]) / (t[2] - t[1]), phi = (f[0] - f[1]) / (f[2] - f[1]);
  if (!(phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)) return t[0] + 0.5 * (t[1] - t[0]);
  double part = f[0] / (f[1] - f[0]) * f[2] / (f[1] - f[2]) +
                (t[2] - t[0]) / (t[1] - t[0]) * f[0] / (f[2] - f[0]) * f[1] / (f[2] - f[1]);
  return t[0] + part * (t[1] - t[0]);
}

// The zero of one of them between low and *high, where it is below 0; that is left.
static ap_status locate(ap_sim *sim, double low, double *high, const run_break *b, double unit) {
  double t[3] = {*high, low}, f[3] = {b->value}; // the last one, the one across, the one before
  ap_status status = value_at(sim, low, b, &f[1]);
  if (status) return status;
  if (!(f[1] > 0)) {
    *high = low;
    return AP_OK;
  }
  for (int k = 0; k < CORRECTIONS; k++) {
    double x = k ? next_time(t, f) : t[0] + (t[1] - t[0]) * f[0] / (f[0] - f[1]), value;
    double from = fmin(t[0], t[1]), to = fmax(t[0], t[1]);
    if (to - from <= 2 * DBL_EPSILON * fabs(to)) break;
    if (!(x > from && x < to)) x = from + 0.5 * (to - from);
    if (!(x > from && x < to)) break;
    status = value_at(sim, x, b, &value);
    if (status) return status;
    bool same = (value > 0) == (f[0] > 0);
    t[2] = same ? t[0] : t[1], f[2] = same ? f[0] : f[1];
    if (!same) t[1] = t[0], f[1] = f[0];
    t[0] = x, f[0] = value;
    if (fabs(value) <= NOTHING * unit) break;
  }
  *high = f[0] > 0 && !(fabs(f[0]) <= NOTHING * unit) ? t[1] : t[0];
  return AP_OK;
}

ap_status ap__run_find_break(ap_sim *sim, double *t, run_break *found) {
  const ap_ode *ode = sim->ode;
  double low = ode->from, margin = 0, end = *t;
  *found = (run_break){BREAK_NONE, -1, INFINITY};
  for (int k = 1; k <= SAMPLES && low < end; k++) {
    double high = fmin(k < SAMPLES ? ode->from + k * ode->h / SAMPLES : ode->to, end);
    run_break b;
    ap_status status = nearest_at(sim, high, &b, &margin);
    if (status) return status;
    for (int again = 0; margin < -1 && again < 8; again++) { // the first of those that break
      *found = b;
      status = locate(sim, low, &high, found, b.value / margin);
      if (!status) status = nearest_at(sim, high, &b, &margin);
      if (status) return status;
    }
    if (found->kind != BREAK_NONE && high == end && end < ode->to) found->kind = BREAK_NONE;
    if (found->kind != BREAK_NONE) {
      *t = high;
      return AP_OK;
    }
    low = high;
  }
  return AP_OK;
}

// The direction of a pair along its wall; returns its speed.
static double direction(const run_pair *p, double along[3]) {
  double square = 0;
  for (int k = 0; k < 3; k++) {
    along[k] = p->now.v[k] - p->now.rate * p->now.normal[k];
    square += along[k] * along[k];
  }
  double speed = sqrt(square);
  for (int k = 0; k < 3 && speed > 0; k++) along[k] /= speed;
  return speed;
}

// Cosine of the largest angle between a point's velocity and its acceleration with which it begins
// to follow the latter.
static const double ALIGNED = 1 - 5e-6;

// What slides at a pair: itself (0), or its rolling or spinning friction; NULL where that does not.
static ap_resting *sliding(ap_sim *sim, const run_pair *p, int which) {
  int place = which ? p->turning[which - 1] : p->friction > 0 ? p->resting : -1;
  if (p->joint >= 0 || place < 0 || sim->resting[place].sticks) return NULL;
  return &sim->resting[place];
}

static double direction_of(const run_pair *p, int which, double along[3]) {
  return which ? ap__run_turning(p, which - 1, along) : direction(p, along);
}

// In a fixed step friction acts along one direction. Where that has no speed any more the point may
// still slide across it, and its next direction ends as soon: its way has ever shorter parts.
ap_status ap__run_halt(ap_sim *sim, run_pair *p) {
  const double *q = sim->y, *v = sim->y + sim->nq;
  ap_resting *r = sliding(sim, p, 0);
  double along[3], left = 0;
  ap__run_walls_at(sim, sim->t);
  ap__run_look(sim, q, v);
  if (r && !r->follows) {
    left = direction(p, along);
    if (left > 0) memcpy(r->slip, along, sizeof along);
  }
  ap_status status = ap__run_accelerations(sim, sim->t, q, v);
  if (status || !r || !(left > 0) || p->stiction == 0) return status;
  const double slowing = r->hurry;
  if (!r->slows || left * left > 2 * slowing * RUN_HALT * sim->touch) return AP_OK;
  r->sticks = true;
  status = ap__run_accelerations(sim, sim->t, q, v);
  p->halts = !status && r->normal_force > r->least && r->margin > r->least;
  p->stop_time = left / slowing;
  r->sticks = false;
  return status || p->halts ? status : ap__run_accelerations(sim, sim->t, q, v);
}

// Directions of what does not follow its acceleration; whether anything asks to do so.
static bool turn(ap_sim *sim, const run_pair *p, int which) {
  double along[3];
  ap_resting *r = sliding(sim, p, which);
  if (!r) return false;
  double speed = direction_of(p, which, along);
  r->fast = fmax(r->fast, speed);
  bool slow = speed <= fmax(r->rub * sim->moment, AP__CONTACT_STILL) && r->kind != AP_REST_SPIN;
  r->asked = slow && speed > 0 && !r->follows;
  if (r->follows && !slow) sim->ode->rate_known = false; // its friction turns at once
  r->follows = slow;
  // A spin that has just begun has the way that its couple gave it: its rate is rounding.
  bool begins = r->kind == AP_REST_SPIN && speed <= AP__CONTACT_STILL;
  if (speed > 0 && !r->follows && !begins) memcpy(r->slip, along, sizeof along);
  return r->asked;
}

// One that asked follows its acceleration where it moves along that.
static void follow(ap_sim *sim, const run_pair *p, int which) {
  double along[3];
  ap_resting *r = sliding(sim, p, which);
  if (!r || !r->asked) return;
  direction_of(p, which, along);
  r->follows = dot3(along, r->slip) > ALIGNED * norm3(r->slip);
  if (!r->follows)
    memcpy(r->slip, along, sizeof along);
  else
    sim->ode->rate_known = false;
}

ap_status ap__run_turn(ap_sim *sim) {
  bool asked = false;
  for (int i = 0; i < sim->npair; i++)
    for (int which = 0; which <= RUN_TURNS; which++)
      asked = turn(sim, &sim->pair[i], which) || asked;
  ap_status status = asked ? ap__run_accelerations(sim, sim->t, sim->y, sim->y + sim->nq) : AP_OK;
  for (int i = 0; i < sim->npair && asked && !status; i++)
    for (int which = 0; which <= RUN_TURNS; which++) follow(sim, &sim->pair[i], which);
  return status;
}
