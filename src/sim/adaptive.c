// Going on in time to a tolerance, from event to event.

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "sim/run.h"

// While points rest, the state is looked at so often, s, and put back where it has drifted.
#define RUN_LEG 0.05
// Sooner where a force or a speed started at zero, until it has left it.
#define RUN_SHORT_LEG 1e-3
// Each leg on which nothing happened makes the next twice as long, up to this many times RUN_LEG;
// but not beyond RUN_LEG where forces may change with time, which contacts that hold would hide
// from the integrator.
#define RUN_CALM 20

// Slower than this (m/s) a point may slide backwards, and weaker than this (N) may a wall pull,
// before what the integrator did not see is put right.
#define RUN_UNSEEN 1e-8

// Only above this speed (m/s) is a point said to slide in a new direction.
#define RUN_TURNING 1e-3

// Pairs that ask for something, -1: none.
typedef struct run_wish {
  int impact; // hits
  int settle; // may come to rest, or rests in another way
  int leaves; // is not pressed any more
  int slides; // friction does not hold it any more
} run_wish;

static void touch_without_speed(ap_sim *sim, int i, double quiet) {
  run_pair *p = &sim->pair[i];
  if (sim->t > p->quiet_t) {
    sim->number++;
    ap__run_tell(sim, AP_EVENT_GRAZE, sim->t, p, NULL, 0);
  }
  p->quiet_t = sim->t + sim->scene.window + quiet;
}

// Whether a pair that has touched with a small speed only grazes: bent away from the wall, it would
// enter by u^2 / 2 a. *quiet: until it is out again.
static bool grazes(ap_sim *sim, int i, double *quiet) {
  run_pair *p = &sim->pair[i];
  const double *q = sim->y, *v = sim->y + sim->nq;
  if (p->now.rate < -1e-3 || ap__run_accelerations(sim, sim->t, q, v)) return false;
  ap__run_bend(sim, q, v);
  if (!(p->bent > 0)) return false;
  *quiet = -2 * p->now.rate / p->bent;
  return p->now.rate * p->now.rate <= 2 * p->bent * RUN_GRAZE;
}

// What to add to a function that starts at zero or beyond, so that it is seen to fall on.
static double slack_of(ap_sim *sim, double value) {
  if (value > RUN_UNSEEN) return 0;
  sim->slack = true;
  return RUN_UNSEEN - fmin(value, 0);
}

// Before the integrator starts: what it is to watch. A point at its wall that does not clearly
// leave it is met when it has entered a little; one that leaves, when it comes back.
static void set_watch(ap_sim *sim) {
  ap__run_look(sim, sim->y, sim->y + sim->nq);
  sim->slack = false;
  for (int i = 0; i < sim->npair; i++) {
    run_pair *p = &sim->pair[i];
    bool stays = p->now.distance <= RUN_TOUCH && p->now.rate <= sim->scene.rest;
    p->slack = stays ? RUN_TOUCH - p->now.gap.c : 0;
    p->turn = p->now.rate < -RUN_TURN ? -RUN_TURN : RUN_TURN;
    if (p->resting < 0) continue;
    const ap_resting *r = &sim->resting[p->resting];
    p->press = slack_of(sim, r->normal_force);
    p->slide = p->friction > 0 ? slack_of(sim, r->sticks ? r->margin : r->speed) : 0;
  }
}

// Where a force or a speed has left zero, it is watched as it is.
static void ease_watch(ap_sim *sim) {
  sim->slack = false;
  for (int i = 0; i < sim->npair; i++) {
    run_pair *p = &sim->pair[i];
    if (p->resting < 0) continue;
    const ap_resting *r = &sim->resting[p->resting];
    if (r->normal_force > 10 * RUN_UNSEEN) p->press = 0;
    if ((r->sticks ? r->margin : r->speed) > 10 * RUN_UNSEEN) p->slide = 0;
    sim->slack = sim->slack || p->press > 0 || p->slide > 0;
  }
}

// A zero of the rate is looked for on its other side from now on.
static void turn_watch(ap_sim *sim) {
  for (int i = 0; i < sim->npair; i++) {
    run_pair *p = &sim->pair[i];
    int turned = sim->found[RUN_RATE * sim->npair + i];
    if (turned) p->turn = turned > 0 ? RUN_TURN : -RUN_TURN;
    if (turned && p->now.distance > 2 * RUN_TOUCH) p->slack = 0;
  }
}

static void wishes_in_flight(ap_sim *sim, int i, run_wish *wish) {
  const run_pair *p = &sim->pair[i];
  int n = sim->npair, touched = sim->found[RUN_GAP * n + i], turned = sim->found[RUN_RATE * n + i];
  bool closing = p->now.rate < -sim->scene.rest;
  // At exactly zero a distance counts as found whenever any zero is, also that of a point on its
  // way out; slow ones may be the last of a graze.
  if (p->now.rate > 1e-3) touched = 0;
  bool near = fabs(p->now.distance) <= sim->scene.depth;
  double quiet = 0;
  if (closing && touched < 0 && grazes(sim, i, &quiet))
    touch_without_speed(sim, i, quiet);
  else if (closing && (touched < 0 || p->now.distance < -sim->scene.depth))
    wish->impact = i;
  else if (touched < 0) // with no speed: it goes on, or rests
    touch_without_speed(sim, i, 0), wish->settle = i;
  else if (turned > 0 && near)
    touch_without_speed(sim, i, 0);
  else if (turned < 0 && p->now.distance <= RUN_TOUCH) // left too slowly to be seen leaving
    wish->settle = i;
}

static void wishes_at_rest(const ap_sim *sim, int i, run_wish *wish) {
  const run_pair *p = &sim->pair[i];
  const ap_resting *r = &sim->resting[p->resting];
  int n = sim->npair;
  bool slides = !r->sticks && p->friction > 0;
  if (sim->found[RUN_PRESS * n + i] || r->normal_force < -RUN_UNSEEN)
    wish->leaves = wish->settle = i;
  if (sim->found[RUN_SLIDE * n + i] || (slides && r->speed < -RUN_UNSEEN)) wish->settle = i;
  if (r->sticks && (sim->found[RUN_SLIDE * n + i] || r->margin < -RUN_UNSEEN))
    wish->slides = wish->settle = i;
}

// A pair that slides keeps the direction in which it set out; where that has turned far, the new
// one is kept from here on.
static void turn_slip(ap_sim *sim, const run_pair *p) {
  ap_resting *r = &sim->resting[p->resting];
  if (r->sticks || p->friction == 0) return;
  double along[3], speed = 0, cosine = 0;
  for (int k = 0; k < 3; k++) {
    along[k] = p->now.v[k] - p->now.rate * p->now.normal[k];
    speed += along[k] * along[k];
    cosine += along[k] * r->slip[k];
  }
  speed = sqrt(speed);
  if (speed < RUN_TURNING || cosine > 0.95 * speed) return;
  for (int k = 0; k < 3; k++) r->slip[k] = along[k] / speed;
  sim->fresh = true;
}

static bool any_jams(const ap_sim *sim) {
  for (int i = 0; i < sim->npair; i++)
    if (ap__run_jams(sim, &sim->pair[i])) return true;
  return false;
}

// After the integrator has stopped somewhere.
static ap_status react(ap_sim *sim, ap_error *error) {
  run_wish wish = {-1, -1, -1, -1};
  const double *q = sim->y, *v = sim->y + sim->nq;
  ap_status status = sim->nresting ? ap__run_accelerations(sim, sim->t, q, v) : AP_OK;
  if (status) return ap__run_failed(sim, status, "no acceleration", error);
  ap__run_look(sim, q, v);
  turn_watch(sim);
  for (int i = 0; i < sim->npair; i++) {
    if (sim->pair[i].resting < 0)
      wishes_in_flight(sim, i, &wish);
    else
      wishes_at_rest(sim, i, &wish);
  }
  int first = wish.impact >= 0 ? wish.impact : wish.settle;
  if (first < 0) {
    for (int i = 0; i < sim->npair; i++)
      if (sim->pair[i].resting >= 0) turn_slip(sim, &sim->pair[i]);
    ease_watch(sim);
    return sim->nresting ? ap__run_mend(sim, error) : AP_OK;
  }
  status = ap__run_count(sim, &sim->pair[first], error);
  if (status) return status;
  if (wish.impact >= 0) return ap__run_impact(sim, error);
  if (!(sim->t < sim->plod_until) && any_jams(sim)) ap__run_plod(sim);
  if (sim->t < sim->plod_until) return AP_OK;
  return ap__run_settle(sim, wish.leaves, wish.slides, error);
}

// Start the integrator from the state as it is.
static ap_status begin(ap_sim *sim, ap_error *error) {
  ap_status status = ap_normalize(sim->m, sim->y);
  if (status) return ap__run_failed(sim, status, "a quaternion vanished", error);
  if (sim->nresting) status = ap__run_accelerations(sim, sim->t, sim->y, sim->y + sim->nq);
  if (status) return ap__run_failed(sim, status, "no acceleration", error);
  if (any_jams(sim)) {
    ap__run_plod(sim);
    return AP_OK;
  }
  set_watch(sim);
  status = ap_ode_start(sim->ode, sim->t, sim->y, error);
  sim->fresh = status != AP_OK;
  return status;
}

// How long points may rest before they are looked at again.
static double leg_of(const ap_sim *sim) {
  double most = sim->scene.force ? RUN_LEG : RUN_CALM * RUN_LEG;
  return fmin(sim->calm * (sim->slack ? RUN_SHORT_LEG : RUN_LEG), most);
}

ap_status ap__run_adaptive(ap_sim *sim, double t, ap_error *error) {
  while (sim->t < t) {
    if (t - sim->t < 8 * DBL_EPSILON * fmax(fabs(t), fabs(sim->t))) {
      sim->t = t; // nothing moves in so little time
      sim->fresh = true;
      return AP_OK;
    }
    ap_status status = AP_OK;
    if (sim->fresh && !(sim->t < sim->plod_until)) status = begin(sim, error);
    if (!status && sim->t < sim->plod_until) {
      status = ap__run_strides(sim, t, error);
      if (status) return status;
      continue;
    }
    if (status) return status;
    double end = t, leg = leg_of(sim);
    if (sim->nresting && sim->t + 1.5 * leg < t) end = sim->t + leg;
    sim->refused = AP_OK;
    status = ap_ode_advance_watching(sim->ode, &end, sim->y, sim->found, error);
    if (status) {
      sim->fresh = true;
      if (sim->refused && status == AP_E_NO_CONVERGENCE)
        return ap__run_failed(sim, sim->refused, "the mechanism cannot go on", error);
      return status;
    }
    sim->t = end;
    status = ap__run_place(sim, sim->y);
    if (status) return ap__run_failed(sim, status, "the mechanism cannot be closed", error);
    long before = sim->events;
    status = react(sim, error);
    if (status) return status;
    sim->calm = sim->events > before || sim->fresh ? 1 : fmin(2 * sim->calm, 1e3);
  }
  return AP_OK;
}
