// Runs as the public sees them: start, advance, read.

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim/run.h"

void ap_sim_on_event(ap_sim *sim, void (*tell)(void *context, const ap_event *event),
                     void *context) {
  if (!sim) return;
  sim->tell = tell;
  sim->tell_context = context;
}

const char *ap_event_name(ap_event_kind kind) {
  switch (kind) {
    case AP_EVENT_IMPACT: return "impact";
    case AP_EVENT_GRAZE: return "graze";
    case AP_EVENT_CONTACT: return "contact";
    case AP_EVENT_LIFTOFF: return "liftoff";
    case AP_EVENT_SLIP: return "slip";
    case AP_EVENT_STICK: return "stick";
  }
  return "unknown";
}

// ---- start -------------------------------------------------------------------------------------

static ap_status check_start(const ap_sim *sim, double t, const double *q, const double *v,
                             ap_error *error) {
  const char *wrong = NULL;
  if (!sim || !q || !v)
    wrong = "the run, q or v is NULL";
  else if (!isfinite(t))
    wrong = "the time to start at is not finite";
  if (wrong) {
    ap__fail(error, AP_E_ARG, 0, "%s", wrong);
    return AP_E_ARG;
  }
  for (int i = 0; i < sim->nq + sim->nv; i++) {
    if (isfinite(i < sim->nq ? q[i] : v[i - sim->nq])) continue;
    ap__fail(error, AP_E_ARG, 0, "entry %d of %s is not finite", i < sim->nq ? i : i - sim->nq,
             i < sim->nq ? "q" : "v");
    return AP_E_ARG;
  }
  return AP_OK;
}

// Refuse a start inside a wall.
static ap_status check_inside(const ap_sim *sim, ap_error *error) {
  for (int i = 0; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    if (p->now.distance >= -sim->scene.depth) continue;
    const char *point = sim->scene.point[p->point].name, *wall = sim->scene.wall[p->wall].name;
    ap__fail(error, AP_E_ARG, 0,
             "point \"%.*s\" starts %.3g m inside wall \"%.*s\", at (%.6g, %.6g, %.6g)",
             ap__shown(point), point, -p->now.distance, ap__shown(wall), wall, p->now.p[0],
             p->now.p[1], p->now.p[2]);
    return AP_E_ARG;
  }
  return AP_OK;
}

// Refuse a start in which a point touches its wall and its way bends into it, and no force of the
// wall can change that: a stretched arm moves its end along the wall only, whatever its joints do.
// Rigid bodies have no motion from there.
static ap_status check_singular(ap_sim *sim, ap_error *error) {
  const double *q = sim->y, *v = sim->y + sim->nq;
  bool touches = false;
  for (int i = 0; i < sim->npair; i++)
    touches = touches || sim->pair[i].now.distance <= sim->scene.depth;
  if (!touches) return AP_OK;
  ap_status status = ap__run_accelerations(sim, sim->t, q, v);
  if (status) return ap__run_failed(sim, status, "no acceleration", error);
  ap__run_bend(sim, q, v);
  for (int i = 0; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    if (p->now.distance > sim->scene.depth || fabs(p->now.rate) > sim->scene.rest) continue;
    if (p->bent >= -RUN_FALLS || ap__run_pushes(sim, p)) continue;
    const char *point = sim->scene.point[p->point].name, *wall = sim->scene.wall[p->wall].name;
    ap__fail(error, AP_E_ARG, 0,
             "point \"%.*s\" starts on wall \"%.*s\" and on its way into it, where no joint can "
             "move it off: bend the robot a little, or start it at rest",
             ap__shown(point), point, ap__shown(wall), wall);
    return AP_E_ARG;
  }
  return AP_OK;
}

// Points that touch at the start hit, rest or leave.
static ap_status first_contacts(ap_sim *sim, ap_error *error) {
  int hits = -1, rests = -1;
  for (int i = 0; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    if (p->now.distance > sim->scene.depth) continue;
    if (p->now.rate < -sim->scene.rest)
      hits = i;
    else if (p->now.rate <= sim->scene.rest)
      rests = i;
  }
  if (hits >= 0) {
    ap_status status = ap__run_count(sim, &sim->pair[hits], error);
    return status ? status : ap__run_impact(sim, error);
  }
  return rests >= 0 ? ap__run_settle(sim, -1, -1, error) : AP_OK;
}

ap_status ap_sim_start(ap_sim *sim, double t, const double *q, const double *v, ap_error *error) {
  ap_status status = check_start(sim, t, q, v, error);
  if (status) return status;
  sim->started = false;
  memset(sim->y, 0, (size_t)sim->n * sizeof *sim->y);
  memcpy(sim->y, q, (size_t)sim->nq * sizeof *q);
  memcpy(sim->y + sim->nq, v, (size_t)sim->nv * sizeof *v);
  if (ap_normalize(sim->m, sim->y)) {
    ap__fail(error, AP_E_ARG, 0, "a quaternion in q is zero");
    return AP_E_ARG;
  }
  sim->t = t;
  status = sim->plant.kind->start(&sim->plant, sim->y, sim->y + sim->nq);
  if (status) return ap__run_failed(sim, status, "the mechanism cannot start", error);
  sim->fresh = true;
  sim->lost = sim->drift = 0;
  sim->number = 0;
  sim->nresting = 0;
  sim->events = sim->busy = 0;
  sim->busy_t = sim->plod_until = -INFINITY;
  sim->plod = sim->scene.window;
  sim->calm = 1;
  for (int i = 0; i < sim->npair; i++) {
    sim->pair[i].resting = -1;
    sim->pair[i].away = true;
    sim->pair[i].quiet_t = sim->pair[i].hit_t = -INFINITY;
  }
  ap__run_loads(sim, t);
  ap__run_look(sim, sim->y, sim->y + sim->nq);
  status = check_inside(sim, error);
  if (!status) status = check_singular(sim, error);
  if (status) return status;
  double energy[3];
  ap__run_energy(sim, energy);
  sim->start_energy = energy[0] + energy[1] + energy[2];
  sim->start_motion = energy[0] + energy[2];
  sim->started = true; // who is told of the first events may ask for the state
  if (sim->scene.stepping == AP_ADAPTIVE) status = first_contacts(sim, error);
  double lift = -energy[1] - energy[2]; // onto walls, of points that start inside within `depth`
  ap__run_energy(sim, energy);
  sim->start_energy += lift + energy[1] + energy[2];
  sim->started = !status;
  return status;
}

// ---- advance -----------------------------------------------------------------------------------

ap_status ap_sim_advance(ap_sim *sim, double t, ap_error *error) {
  if (!sim || !sim->started || !isfinite(t) || t < sim->t) {
    ap__fail(error, AP_E_ARG, 0, "%s",
             !sim            ? "the run is NULL"
             : !sim->started ? "the run is not started; a failure ends it as well"
                             : "the time to go on to does not lie ahead");
    return AP_E_ARG;
  }
  ap_status status = AP_OK;
  while (!status && sim->t < t) {
    double end = fmin(t, ap__run_loads(sim, sim->t));
    status = sim->scene.stepping == AP_ADAPTIVE ? ap__run_adaptive(sim, end, error)
                                                : ap__run_fixed(sim, end, error);
  }
  sim->started = !status;
  return status;
}

// ---- read --------------------------------------------------------------------------------------

ap_status ap_sim_now(ap_sim *sim, ap_sim_state *state, ap_error *error) {
  if (!sim || !state || !sim->started) {
    ap__fail(error, AP_E_ARG, 0, "%s",
             !sim || !state ? "the run or the place for the state is NULL"
                            : "the run is not started; a failure ends it as well");
    return AP_E_ARG;
  }
  double *v = sim->y + sim->nq, *ledger = v + sim->nv, energy[3];
  memcpy(sim->q, sim->y, (size_t)sim->nq * sizeof *sim->q);
  ap_normalize(sim->m, sim->q);
  ap__run_loads(sim, sim->t);
  ap_status status = ap__run_accelerations(sim, sim->t, sim->q, v);
  if (status) return ap__run_failed(sim, status, "no acceleration", error);
  ap__run_energy(sim, energy);
  double work = ledger[RUN_LOADS];
  for (int i = 0; i < sim->nv; i++) {
    sim->work_of[i] = sim->scene.force ? ledger[RUN_LEDGER + i] : 0;
    work += sim->work_of[i];
  }
  *state = (ap_sim_state){.t = sim->t,
                          .q = sim->q,
                          .v = v,
                          .a = sim->a,
                          .tau = sim->tau,
                          .kinetic = energy[0],
                          .potential = energy[1],
                          .elastic = energy[2],
                          .work = work,
                          .work_of = sim->work_of,
                          .dissipated = ledger[RUN_TAKEN],
                          .lost = sim->lost,
                          .contacts = sim->nresting};
  if (sim->loop) {
    state->s = sim->s;
    state->sd = sim->sd;
    state->drift = sim->drift;
    state->closure = ap__closed_coordinates(sim->plant.closed, sim->q, v, sim->s, sim->sd);
  }
  state->closing =
      energy[0] + energy[1] + energy[2] - work + state->dissipated + sim->lost - sim->start_energy;
  return AP_OK;
}

int ap_sim_contacts(const ap_sim *sim, ap_contact_state *contact, int room) {
  if (!sim || !sim->started) return 0;
  for (int i = 0; i < sim->nresting && i < room && contact; i++) {
    const ap_resting *r = &sim->resting[i];
    contact[i] = (ap_contact_state){.point = r->point,
                                    .wall = r->wall,
                                    .sticks = r->sticks,
                                    .force = {r->force[0], r->force[1], r->force[2]},
                                    .gap = r->gap};
  }
  return sim->nresting;
}

long ap_sim_evaluations(const ap_sim *sim) { return sim ? sim->evaluations : 0; }
