// Fixed steps, for real time: the same work at every step, no search for events. A point that has
// entered a wall by the end of a step is met there, so that impacts come up to a step late.

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim/run.h"

// q moved along v for a time h on the configuration manifold.
static void move(ap_sim *sim, double h) {
  const double *v = sim->y + sim->nq;
  for (int i = 0; i < sim->nv; i++) sim->before[i] = h * v[i];
  ap_integrate(sim->m, sim->y, sim->before, sim->y);
}

static void add(int n, double h, const double *k, double *y) {
  for (int i = 0; i < n; i++) y[i] += h * k[i];
}

// The classical Runge-Kutta method on q', v' and the ledger.
static ap_status step_rk4(ap_sim *sim, double h) {
  static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  size_t n = (size_t)sim->n;
  memcpy(sim->y0, sim->y, n * sizeof *sim->y);
  for (int i = 0; i < 4; i++) {
    double *k = sim->stage + (size_t)i * n, *at = sim->stage + 4 * n;
    memcpy(at, sim->y0, n * sizeof *at);
    if (i > 0) add(sim->n, c[i] * h, k - n, at);
    ap_status status = ap__run_rate(sim, sim->t + c[i] * h, at, k);
    if (status) return status;
  }
  for (int i = 0; i < 4; i++) add(sim->n, b[i] * h, sim->stage + (size_t)i * n, sim->y);
  return AP_OK;
}

// The new velocities, and the ledger; q moves with the new velocities when contacts have had their
// say.
static ap_status step_euler(ap_sim *sim, double h) {
  memcpy(sim->y0, sim->y, (size_t)sim->n * sizeof *sim->y);
  ap_status status = ap__run_rate(sim, sim->t, sim->y, sim->stage);
  if (!status) add(sim->n - sim->nq, h, sim->stage + sim->nq, sim->y + sim->nq);
  return status;
}

// At the end of a step a point may stand so far above its wall (m) and still rest on it.
#define NEAR 1e-7

// Which pairs meet their walls now: those at or inside them. Impacts with more speed than a step of
// the acceleration gives rebound; slower ones, which are points that rest, don't.
static int meet(ap_sim *sim, double h, bool *any) {
  int n = 0;
  *any = false;
  for (int i = 0; i < sim->npair; i++) {
    run_pair *p = &sim->pair[i];
    if (p->now.distance > NEAR || p->stiffness > 0) continue;
    if (n == sim->most) return -1;
    bool slow = p->now.rate > -2 * h * fabs(p->bent) || ap__run_along(sim, p);
    sim->touched[n] = ap__run_touch(p, slow ? 0 : p->restitution);
    sim->chosen[n++] = i;
    *any = *any || p->now.rate < 0;
  }
  return n;
}

// What the impulses of n touches took; rebound: one of them rebounds. Those of a rebound, whoever
// bears them, are an impact, and behind a step they act at its end, as the impact law has it.
// Others are the forces of a step times its length: they act all along it, on the mean of the
// velocities at its two ends, so that what holds a point against gravity takes nothing. Friction of
// points that rested before is dissipated; what else they take, by way of walls that curve, is an
// error of the step and not booked. Returns the loss at impacts.
static double book(ap_sim *sim, int n, bool behind, bool rebound, double whole) {
  double lost = 0, rubbed = 0, *v = sim->y + sim->nq;
  if (behind && rebound) return whole;
  ap__run_look(sim, sim->y, sim->y0 + sim->nq);
  for (int i = 0; i < n; i++) {
    const run_pair *p = &sim->pair[sim->chosen[i]];
    const run_loss took = ap__run_loss(sim, i);
    if (!rebound && (p->resting >= 0 || p->now.rate >= 0))
      rubbed += took.along;
    else
      lost += took.along + took.across;
  }
  ap__run_look(sim, sim->y, v);
  v[sim->nv + RUN_TAKEN] += rubbed;
  return lost;
}

// After an impact solved at a step's end: what is told, and which points count as resting. True:
// some that did not rest before.
static bool note_contacts(ap_sim *sim, int n, double h, double lost) {
  bool numbered = false, fresh = false;
  sim->nresting = 0;
  for (int i = 0; i < sim->npair; i++) {
    run_pair *p = &sim->pair[i];
    p->was = p->resting >= 0 ? WAS_SLIDING : WAS_FREE;
    p->resting = -1;
  }
  for (int i = 0; i < n; i++) {
    run_pair *p = &sim->pair[sim->chosen[i]];
    const ap_touch *t = &sim->touched[i];
    const double *f = t->impulse;
    if (f[0] == 0 && f[1] == 0 && f[2] == 0) continue;
    bool rests = t->restitution == 0;
    if (rests) {
      p->resting = sim->nresting;
      ap_resting *r = &sim->resting[sim->nresting++];
      *r = ap__run_resting(p);
      for (int k = 0; k < 3; k++) r->force[k] = f[k] / h;
    }
    if (rests && p->was != WAS_FREE) continue;
    fresh = fresh || rests;
    if (!numbered) sim->number++, numbered = true, sim->events++;
    ap__run_tell(sim, rests ? AP_EVENT_CONTACT : AP_EVENT_IMPACT, sim->t, p, t, lost);
  }
  for (int i = 0; i < sim->npair; i++) {
    run_pair *p = &sim->pair[i];
    if (p->was == WAS_FREE || p->resting >= 0) continue;
    if (!numbered) sim->number++, numbered = true, sim->events++;
    ap__run_tell(sim, AP_EVENT_LIFTOFF, sim->t, p, NULL, 0);
  }
  return fresh;
}

static double energy_of(ap_sim *sim) {
  double energy[3];
  ap__run_energy(sim, energy);
  return energy[0] + energy[1] + energy[2];
}

// Put the points that rest back on their walls. The energy of lifting fresh ones, which had fallen
// on below their walls until the step ended, belongs to their impact.
static ap_status push_out(ap_sim *sim, bool fresh, ap_error *error) {
  bool inside = false;
  for (int i = 0; i < sim->nresting; i++) inside = inside || sim->resting[i].gap < -sim->touch;
  if (!inside) return AP_OK;
  double lost = 0, energy = fresh ? energy_of(sim) : 0;
  ap_status status = ap__contact_project(&sim->plant, sim->y, sim->y + sim->nq, sim->nresting,
                                         sim->resting, sim->contact_room, &lost);
  if (status) return ap__run_failed(sim, status, "points cannot be put back on walls", error);
  sim->lost += fresh ? energy - energy_of(sim) : lost;
  return AP_OK;
}

// Contacts at the state in sim->y, whose velocities have just gone a step ahead; behind: so has q.
static ap_status contacts(ap_sim *sim, double h, bool behind, ap_error *error) {
  double *q = sim->y, *v = sim->y + sim->nq;
  bool any, fast = false;
  if (!sim->npair) return AP_OK;
  ap__run_bend(sim, q, v);
  int n = meet(sim, h, &any);
  if (n < 0) {
    ap__fail(error, AP_E_UNSUPPORTED, 0, "more than %d points touch walls at t = %.9g", sim->most,
             sim->t);
    return AP_E_UNSUPPORTED;
  }
  if (!any) {
    note_contacts(sim, 0, h, 0);
    return AP_OK;
  }
  ap_impact_result result;
  memcpy(sim->before, v, (size_t)sim->nv * sizeof *v);
  memcpy(sim->told, v, (size_t)sim->nv * sizeof *v);
  ap_status status =
      sim->plant.kind->impact(&sim->plant, q, v, n, sim->touched, sim->impact_room, &result);
  if (status) return ap__run_failed(sim, status, "the impact cannot be solved", error);
  for (int i = 0; i < n; i++) fast = fast || sim->touched[i].restitution > 0;
  double lost = book(sim, n, behind, fast, result.lost);
  sim->lost += lost;
  // An impact gives no energy; one that comes late may seem to.
  bool fresh = note_contacts(sim, n, h, fmax(lost, 0));
  if (sim->events > sim->scene.most_events) return ap__run_count(sim, error);
  if (behind && !fast) { // what the step let resting points sink: half its change of velocity
    for (int i = 0; i < sim->nv; i++) sim->before[i] = 0.5 * h * (v[i] - sim->before[i]);
    ap_integrate(sim->m, q, sim->before, q);
  }
  return push_out(sim, fresh, error);
}

// A step that failed because its state grew beyond all bounds, or so that a mechanism no longer
// closes, is too long.
static ap_status no_step(ap_sim *sim, ap_status status, double h, ap_error *error) {
  if (status == AP_E_UNREACHABLE) {
    ap__fail(error, AP_E_NO_CONVERGENCE, 0,
             "the mechanism does not close in the step from t = %.9g: steps of %g s are too long "
             "here",
             sim->t, h);
    return AP_E_NO_CONVERGENCE;
  }
  const double *at = sim->scene.stepping == AP_FIXED_RK4 ? sim->stage + 4 * (size_t)sim->n : sim->y;
  for (int i = 0; i < sim->nq + sim->nv; i++) {
    if (fabs(at[i]) < 1e100) continue;
    ap__fail(error, AP_E_NO_CONVERGENCE, 0,
             "the state is not finite at t = %.9g: steps of %g s are too long here", sim->t, h);
    return AP_E_NO_CONVERGENCE;
  }
  return ap__run_failed(sim, status, "no acceleration", error);
}

// Back to where the robot can be.
static ap_status settle(ap_sim *sim, ap_error *error) {
  ap_status status = ap__run_place(sim, sim->y);
  if (status == AP_E_UNREACHABLE)
    ap__fail(error, status, 0, "the closures cannot be met at t = %.9g: steps of %g s are too long",
             sim->t, sim->scene.step);
  else if (status)
    ap__run_failed(sim, status, "the mechanism cannot go on", error);
  return status;
}

static ap_status step(ap_sim *sim, double h, ap_error *error) {
  ap_status status;
  if (sim->scene.stepping == AP_FIXED_RK4) {
    status = step_rk4(sim, h);
    if (status) return no_step(sim, status, h, error);
    sim->t += h;
    if (ap_normalize(sim->m, sim->y))
      return ap__run_failed(sim, AP_E_NO_CONVERGENCE, "a quaternion vanished", error);
    status = settle(sim, error);
    if (!status) status = contacts(sim, h, true, error);
    return status ? status : settle(sim, error);
  }
  status = step_euler(sim, h);
  if (status) return no_step(sim, status, h, error);
  status = contacts(sim, h, false, error);
  if (status) return status;
  move(sim, h);
  sim->t += h;
  return settle(sim, error);
}

// Steps too long for a motion make energy, ever faster. They are refused at the latest when they
// have made more than all that was there and was moved, and that is in the motion. What a step of
// the acceleration gives is theirs in any case, so that a robot at rest has some.
static ap_status check_steps(ap_sim *sim, double h, ap_error *error) {
  double energy[3], *ledger = sim->y + sim->nq + sim->nv, work = ledger[RUN_LOADS];
  for (int i = 0; i < sim->nq + sim->nv; i++) {
    if (isfinite(sim->y[i])) continue;
    ap__fail(error, AP_E_NO_CONVERGENCE, 0,
             "the state is not finite at t = %.9g: steps of %g s are too long here", sim->t, h);
    return AP_E_NO_CONVERGENCE;
  }
  ap__run_energy(sim, energy);
  for (int i = 0; i < sim->nv && sim->scene.force; i++) work += ledger[RUN_LEDGER + i];
  double fallen = sim->start_energy - sim->start_motion - energy[1], taken = ledger[RUN_TAKEN];
  double made = energy[0] + energy[2] - sim->start_motion - fallen - work + taken + sim->lost;
  double all = sim->start_motion + fabs(fallen) + fabs(work) + fabs(taken) + fabs(sim->lost);
  all += h * h * ap_kinetic_energy(sim->m, sim->w, sim->y, sim->a);
  if (!(made > all && energy[0] + energy[2] > all)) return AP_OK;
  ap__fail(error, AP_E_NO_CONVERGENCE, 0,
           "steps of %g s are too long here: by t = %.9g they have made %.3g J out of nothing", h,
           sim->t, made);
  return AP_E_NO_CONVERGENCE;
}

ap_status ap__run_fixed(ap_sim *sim, double t, ap_error *error) {
  double from = sim->t, h = sim->scene.step;
  long steps = (long)ceil((t - from) / h - 1e-9);
  if (steps < 1) steps = 1;
  for (long i = 1; i <= steps; i++) {
    double next = i < steps ? from + (double)i * h : t;
    ap_status status = step(sim, next - sim->t, error);
    if (status) return status;
    sim->t = next;
  }
  return check_steps(sim, h, error);
}
