// Going on in time to a tolerance, from event to event.

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "sim/run.h"

// While points rest, the state is looked at so often, s, and put back where it has drifted.
#define RUN_LEG 0.05

// What a zero found at a pair that flies asks for.
typedef struct run_wish {
  int impact, settle, leaves; // a pair that asks for it, -1: none
} run_wish;

static void touch_without_speed(ap_sim *sim, int i) {
  run_pair *p = &sim->pair[i];
  if (sim->t - p->quiet_t <= sim->scene.window) return;
  p->quiet_t = sim->t;
  sim->number++;
  ap__run_tell(sim, AP_EVENT_GRAZE, sim->t, p, NULL, 0);
}

static void wishes_in_flight(ap_sim *sim, int i, run_wish *wish) {
  const run_pair *p = &sim->pair[i];
  int n = sim->npair, touched = sim->found[RUN_GAP * n + i], turned = sim->found[RUN_RATE * n + i];
  bool closing = p->now.rate < -sim->scene.rest;
  bool near = fabs(p->now.distance) <= sim->scene.depth;
  if (closing && (touched < 0 || p->now.distance < -sim->scene.depth))
    wish->impact = i;
  else if (touched < 0) // with no speed: it goes on, or rests
    touch_without_speed(sim, i), wish->settle = i;
  else if (turned > 0 && near)
    touch_without_speed(sim, i);
  else if (turned < 0 && p->now.distance <= RUN_TOUCH) // left too slowly to be seen leaving
    wish->settle = i;
}

static void wishes_at_rest(const ap_sim *sim, int i, run_wish *wish) {
  int n = sim->npair;
  if (sim->found[RUN_PRESS * n + i]) wish->leaves = wish->settle = i;
  if (sim->found[RUN_SLIDE * n + i]) wish->settle = i;
}

// After the integrator has stopped somewhere.
static ap_status react(ap_sim *sim, ap_error *error) {
  run_wish wish = {-1, -1, -1};
  ap__run_look(sim, sim->y, sim->y + sim->nq);
  for (int i = 0; i < sim->npair; i++) {
    if (sim->pair[i].resting < 0)
      wishes_in_flight(sim, i, &wish);
    else
      wishes_at_rest(sim, i, &wish);
  }
  if (wish.impact < 0 && sim->t < sim->blind_until) wish.settle = -1;
  int first = wish.impact >= 0 ? wish.impact : wish.settle;
  if (first < 0) return sim->nresting ? ap__run_mend(sim, error) : AP_OK;
  ap_status status = ap__run_count(sim, &sim->pair[first], error);
  if (status) return status;
  return wish.impact >= 0 ? ap__run_impact(sim, error) : ap__run_settle(sim, wish.leaves, error);
}

ap_status ap__run_adaptive(ap_sim *sim, double t, ap_error *error) {
  while (sim->t < t) {
    double end = t;
    if (sim->nresting && sim->t + 1.5 * RUN_LEG < t) end = sim->t + RUN_LEG;
    if (end - sim->t < 8 * DBL_EPSILON * fmax(fabs(end), fabs(sim->t))) {
      sim->t = end; // nothing moves in so little time
      sim->fresh = true;
      continue;
    }
    ap_status status = AP_OK;
    if (sim->fresh) {
      status = ap_normalize(sim->m, sim->y);
      if (status) return ap__run_failed(sim, status, "a quaternion vanished", error);
      status = ap_ode_start(sim->ode, sim->t, sim->y, error);
    }
    if (status) return status;
    sim->fresh = false;
    status = ap_ode_advance_watching(sim->ode, &end, sim->y, sim->found, error);
    if (status) return sim->fresh = true, status;
    sim->t = end;
    status = react(sim, error);
    if (status) return status;
  }
  return AP_OK;
}
