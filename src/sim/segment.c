// SPDX-License-Identifier: Apache-2.0
// Going on in time, from event to event.
//
// A segment is a step of the integrator, as far as nothing happens in it: its length depends on the
// tolerance, or is fixed, and on what happens, never on when the state is read. What is read inside
// it is the polynomial of the step.

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sim/run.h"

enum { CORRECTIONS = 4, MOST_SEGMENTS = 10000000, MOST_TINY = 1000, MOST_TINY_ON_WALLS = 200 };

// A step of this part of a stride is tiny.
static const double TINY = 1e-4;

// Where forces may change at any time, no step is longer than this, s.
static const double LONGEST = 0.05;

// Steps go no further than so many times the scene's range.
static const double FURTHEST = 1e4;

// How many sim->touch a point must be off its wall before it is told again that it grazes.
static const double LEFT = 100;

// ---- begin -------------------------------------------------------------------------------------

// How far a pair is off that a motion shorter than this does not bring together; 0: that is not
// known.
static double clear_of(const run_pair *p) {
  if (p->joint >= 0) return p->now.distance;
  const bool flat = p->surface && p->surface->wall.kind == AP_WALL_PLANE;
  if (!flat || p->carrier || p->pose || p->mount || p->edges || p->ends || p->group >= 0) return 0;
  return p->now.distance;
}

// Before a step: which points touch their walls and do not leave them. A place, and a time, have
// rounding, which is more than grazing far from the origin and long after the clock's zero.
static void set_near(ap_sim *sim) {
  double far = fabs(sim->t) * sim->fastest;
  for (int i = 0; i < sim->npoint; i++)
    for (int k = 0; k < 3; k++) far = fmax(far, fabs(sim->pair[i].now.p[k]));
  if (16 * DBL_EPSILON * far > sim->touch) {
    sim->touch = 16 * DBL_EPSILON * far;
    ap__run_stand_widen(sim);
  }
  for (int i = 0; i < sim->npair; i++) {
    run_pair *p = &sim->pair[i];
    p->claims = false;
    p->clear = clear_of(p);
    bool leaves = p->now.rate > 0 && !ap__run_along(sim, p);
    p->near = p->now.distance <= sim->touch && (p->dips || !leaves);
    p->dips = p->near && (p->dips || ap__run_along(sim, p));
    if (p->doubled) p->near = p->dips = true; // what it is a double of holds it
    if (p->now.distance <= sim->touch)
      p->told = true;
    else if (p->now.distance > LEFT * sim->touch)
      p->told = false;
  }
}

// The integrator starts from the state as it is.
static ap_status begin(ap_sim *sim, ap_error *error) {
  ap_status status = ap_normalize(sim->m, sim->y);
  if (status) return ap__run_failed(sim, status, "a quaternion vanished", error);
  status = ap__ode_resume(sim->ode, sim->t, sim->y, error);
  sim->fresh = status != AP_OK;
  return status;
}

// ---- a segment ---------------------------------------------------------------------------------

// The state at time t of the step by a step of the method of its own, where the robot can be.
static ap_status state_at(ap_sim *sim, double t, ap_error *error) {
  double off = 0;
  ap_status status = ap__ode_shorter(sim->ode, t, sim->end_y, &off, error);
  if (status) return status;
  sim->end = t;
  sim->rough = !(off <= 1);
  status = ap__run_place(sim, sim->end_y);
  return status ? ap__run_failed(sim, status, "the mechanism cannot be closed", error) : AP_OK;
}

// A state is moved in time by up to this part of the way to it along the polynomial's rate: what
// that leaves out is below the rounding of what that way bends.
static const double NUDGE = 1.5e-8;

// The touch of a pair that the polynomial shows at time t, corrected on steps of the method itself:
// by Newton's method, as long as that gets nearer.
static ap_status correct_hit(ap_sim *sim, const run_pair *p, double t, ap_error *error) {
  double best = INFINITY, to = sim->ode->to;
  for (int k = 0; k < CORRECTIONS; k++) {
    double before = sim->end;
    memcpy(sim->y0, sim->end_y, (size_t)sim->n * sizeof *sim->y0);
    ap_status status = state_at(sim, t, error);
    if (status) return status;
    ap__run_walls_at(sim, t);
    ap__run_look(sim, sim->end_y, sim->end_y + sim->nq);
    double off = p->now.distance;
    if (p->near) break;
    if (k > 0 && !(fabs(off) < best)) {
      sim->end = before;
      memcpy(sim->end_y, sim->y0, (size_t)sim->n * sizeof *sim->y0);
      return AP_OK;
    }
    best = fabs(off);
    double next = t - off / p->now.rate;
    if (!(next > sim->ode->from && next <= to) || fabs(next - t) <= 2 * DBL_EPSILON * fabs(t))
      break;
    if (fabs(next - t) <= NUDGE * (t - sim->ode->from)) {
      ap__ode_nudge(sim->ode, t, next - t, sim->end_y);
      sim->end = next;
      status = ap__run_place(sim, sim->end_y);
      return status ? ap__run_failed(sim, status, "the mechanism cannot be closed", error) : AP_OK;
    }
    t = next;
  }
  return AP_OK;
}

// The first thing that happens in the step that was just taken ends the segment.
static ap_status find_end(ap_sim *sim, ap_error *error) {
  ap_ode *ode = sim->ode;
  double t = ode->to;
  sim->ends = RUN_STEP;
  sim->rough = false;
  sim->end = ode->to;
  memcpy(sim->end_y, ode->y, (size_t)sim->n * sizeof *ode->y);
  bool breaks = sim->worst < -1;
  if (!breaks && !sim->npair) return AP_OK;
  ap_status status = ap__ode_interpolate(ode, error);
  if (status) return status;
  sim->ends = ap__run_search(sim, &t, &sim->ends_with); // it needs no accelerations, so it is first
  if (breaks) {
    status = ap__run_find_break(sim, &t, &sim->broken);
    if (status) return ap__run_failed(sim, status, "no acceleration", error);
    if (sim->broken.kind != BREAK_NONE) sim->ends = RUN_BREAK;
  }
  if (sim->ends == RUN_HIT) return correct_hit(sim, &sim->pair[sim->ends_with], t, error);
  return sim->ends == RUN_STEP ? AP_OK : state_at(sim, t, error);
}

// Whether a coordinate has gone so far in a step that the rounding of its polynomial is more than
// grazing: where a motion is a polynomial itself, no error limits its steps.
static bool too_far(const ap_sim *sim) {
  const ap_ode *ode = sim->ode;
  for (int i = 0; i < sim->nq && ode->fixed == 0 && sim->npair > 0; i++)
    if (fabs(ode->y[i] - ode->y0[i]) > FURTHEST * sim->range) return true;
  return false;
}

// Steps that stay far too short lead nowhere, as where the closures of a mechanism lose rank. Where
// contacts make them so short, as where edges become parallel or several contacts stop at once,
// strides go on. (Towards a stop each step is at most a part of the one before: fifty are enough.)
static ap_status check_progress(ap_sim *sim, ap_error *error) {
  const bool strides = !sim->loop && sim->nresting > 0;
  sim->tiny = sim->ode->fixed == 0 && sim->ode->h < TINY * sim->moment ? sim->tiny + 1 : 0;
  if (sim->tiny < (strides ? MOST_TINY_ON_WALLS : MOST_TINY)) return AP_OK;
  sim->tiny = 0;
  if (strides) {
    ap__run_begin_strides(sim);
    return AP_OK;
  }
  ap_status status = sim->loop ? AP_E_SINGULAR_CLOSURES : AP_E_NO_CONVERGENCE;
  return ap__run_failed(sim, status, "steps become too short", error);
}

// A fixed step that could not be taken is too long.
static ap_status too_long(ap_sim *sim, ap_status status, ap_error *error) {
  char why[160];
  snprintf(why, sizeof why, "%.*s", (int)sizeof why - 1, error ? error->text : "");
  if (status != AP_E_NO_CONVERGENCE && status != AP_E_UNREACHABLE) return status;
  return AP__REFUSE(error, AP_E_NO_CONVERGENCE, 0,
                    "steps of %g s are too long here, at t = %.9g: %s", sim->ode->fixed, sim->t,
                    why);
}

// Steps too long for a motion make energy, ever faster. They are refused at the latest when they
// have made more than all that was there and was ever moved, and that is in the motion. What a step
// of the acceleration gives is theirs in any case, so that a robot at rest has some.
static ap_status check_energy(ap_sim *sim, ap_error *error) {
  double energy[3], *ledger = sim->y + sim->nq + sim->nv, work = ledger[RUN_LOADS];
  double h = sim->ode->fixed;
  ap__run_energy(sim, energy);
  for (int i = 0; i < sim->nv && sim->scene.force; i++) work += ledger[RUN_LEDGER + i];
  double fallen = sim->start_energy - sim->start_motion - energy[1], taken = ledger[RUN_TAKEN];
  work += sim->wall_work;
  double made = energy[0] + energy[2] - sim->start_motion - fallen - work + taken + sim->lost;
  double all = sim->start_motion + fabs(fallen) + fabs(work) + fabs(taken) + fabs(sim->lost);
  all += h * h * ap_kinetic_energy(sim->m, sim->w, sim->y, sim->a);
  all += 1e-12 * (fabs(energy[1]) + fabs(sim->start_energy)); // rounding
  all = sim->moved = fmax(sim->moved, all);
  if (!(made > all && energy[0] + energy[2] > all)) return AP_OK;
  return AP__REFUSE(error, AP_E_NO_CONVERGENCE, 0,
                    "steps of %g s are too long here: by t = %.9g the energy error is %.3g J", h,
                    sim->t, made);
}

// A pair that slides ever more slowly has stopped where nothing is left of its speed, or of its
// way; -1: none.
static int any_stopped(const ap_sim *sim) {
  for (int i = 0; i < sim->nresting; i++) {
    const ap_resting *rests = &sim->resting[i];
    if (rests->kind != AP_REST_POINT && rests->kind != AP_REST_STOP) continue;
    const run_pair *p = &sim->pair[rests->id];
    const int place[] = {p->friction == 0 ? -1 : p->resting, p->turning[0], p->turning[1]};
    for (int k = 0; k < 3; k++) {
      if (place[k] < 0) continue;
      const ap_resting *r = &sim->resting[place[k]];
      if (r->sticks || !r->slows) continue;
      if (r->speed <= RUN_STOPPED * r->fast || ap__run_stops(sim, r)) return p->id;
    }
  }
  return -1;
}

// What contact forces say of a state; with NULL that of the last accelerations.
static ap_status judge(ap_sim *sim, const double *y) {
  ap_status status = y ? ap__run_accelerations(sim, sim->t, y, y + sim->nq) : AP_OK;
  if (status) return status;
  sim->jams = ap__run_jams(sim);
  sim->stops = any_stopped(sim);
  return AP_OK;
}

// The shortest time that friction alone gives a point that slides or rolls to its stop; INFINITY:
// there is none. Directions turn ever faster towards it: steps are a part of that time.
static double time_to_stop(const ap_sim *sim) {
  double least = INFINITY;
  for (int i = 0; i < sim->nresting; i++) {
    const ap_resting *r = &sim->resting[i];
    bool turns = r->kind == AP_REST_POINT || r->kind == AP_REST_ROLL;
    if (!turns || r->sticks || r->follows || !(r->speed > 0 && r->rub > 0)) continue;
    least = fmin(least, r->speed / r->rub);
  }
  return least;
}

// A step that is longer than this part of the time to a stop is shorter the next time, as that is.
static const double SHORTENS = 0.05;
// The part of it that a step of order 8 may have.
static const double TURNING = 0.25;

// Towards a stop: the next step is as much shorter as what is left of the time.
static void shorten(ap_sim *sim) {
  double left = time_to_stop(sim), h = sim->ode->h / ap__ode_unit(sim->ode);
  bool nears = !sim->fresh && left < sim->ending && h > SHORTENS * sim->ending;
  if (nears) sim->ode->next *= fmax(left / sim->ending, SHORTENS);
  sim->ending = left;
}

// After a stop: steps go on as long as they were before, or as the next stop allows.
static void lengthen(ap_sim *sim) {
  double length = fmin(sim->calm, TURNING * time_to_stop(sim)) * ap__ode_unit(sim->ode);
  if (sim->ode->fixed == 0) sim->ode->next = fmax(sim->ode->next, length);
  sim->calm = 0;
}

// The next segment, which does not reach beyond stop. Where friction changes its direction, steps
// that end there may be far less accurate than the one that led beyond: that one is then done
// again, shorter.
static ap_status open_segment(ap_sim *sim, double stop, ap_error *error) {
  sim->looked = sim->looked && !sim->fresh;
  ap_status status = sim->fresh ? begin(sim, error) : AP_OK;
  if (status) return status;
  ap__run_walls_at(sim, sim->t);
  if (!sim->looked || sim->moving) ap__run_look(sim, sim->y, sim->y + sim->nq);
  sim->looked = sim->judged = sim->held = false;
  set_near(sim);
  status = ap__run_turn(sim);
  if (status) return ap__run_failed(sim, status, "no acceleration", error);
  ap__run_weigh(sim);
  shorten(sim);
  ap__ode_expect(sim->ode, fmax(sim->event_gap, sim->t - sim->event_t));
  sim->until = nextafter(stop, -INFINITY);
  do {
    sim->worst = INFINITY;
    status = ap__ode_step(sim->ode, stop, error);
    if (!status) judge(sim, NULL);
    if (!status && too_far(sim))
      sim->rough = true, sim->end = sim->ode->from + 0.25 * sim->ode->h;
    else if (!status)
      status = find_end(sim, error);
    if (!status && sim->rough) ap__ode_undo(sim->ode, 0.5 * (sim->end - sim->ode->from));
  } while (!status && sim->rough);
  if (!status) status = check_progress(sim, error);
  if (!status) sim->calm = fmax(sim->calm, sim->ode->h / ap__ode_unit(sim->ode));
  if (status) {
    sim->fresh = true;
    return sim->ode->fixed > 0 ? too_long(sim, status, error) : status;
  }
  bool cut = sim->end >= stop; // forces may jump
  if (sim->ends == RUN_STEP && cut) sim->fresh = true;
  sim->judged = sim->ends == RUN_STEP && !cut;
  sim->open = true;
  return AP_OK;
}

// ---- what happens at its end -------------------------------------------------------------------

// A pair has touched with a normal velocity u. Bent away from the wall with c'' it goes no deeper
// than u^2 / 2 c''.
static bool grazes(ap_sim *sim, const run_pair *p, ap_error *error, ap_status *status) {
  const double *q = sim->y, *v = sim->y + sim->nq;
  *status = ap__run_accelerations(sim, sim->t, q, v);
  if (*status) {
    ap__run_failed(sim, *status, "no acceleration", error);
    return false;
  }
  ap__run_bend(sim, q, v);
  if (p->now.rate >= 0) return true;
  return p->bent > 0 && p->now.rate * p->now.rate <= 2 * p->bent * sim->touch;
}

static void tell_graze(ap_sim *sim, run_pair *p) {
  sim->fresh = p->dips = true;
  if (p->told) return;
  p->told = true;
  sim->number++;
  ap__run_tell(sim, AP_EVENT_GRAZE, sim->t, p, NULL, 0);
}

// A joint presses its elastic stop, or does not any more.
static void press(ap_sim *sim, run_pair *p, bool pressed) {
  p->pressed = pressed;
  p->slackens = false;
  sim->fresh = true;
  sim->number++;
  ap__run_tell(sim, pressed ? AP_EVENT_CONTACT : AP_EVENT_LIFTOFF, sim->t, p, NULL, 0);
}

static ap_status hit(ap_sim *sim, run_pair *p, ap_error *error) {
  ap_status status = ap__run_count(sim, p, error);
  if (status) return status;
  if (p->stiffness > 0) {
    press(sim, p, true);
    return AP_OK;
  }
  p->claims = true;
  if (grazes(sim, p, error, &status)) {
    tell_graze(sim, p);
    return AP_OK;
  }
  return status ? status : ap__run_impact(sim, error);
}

// A pair that rests has slid over the edge of its face.
static ap_status slide_over(ap_sim *sim, run_pair *p, ap_error *error) {
  ap_status status = ap__run_count(sim, p, error);
  if (status) return status;
  p->over = true;
  if (p->edges && ap__edges_lowest(p->edges)) ap__run_stand_flat(sim, p);
  status = ap__run_settle(sim, (run_break){BREAK_NONE, -1, 0}, error);
  p->over = false;
  return status;
}

// The velocity of a wall may have jumped: points that it meets are hit, those that it leaves behind
// are free.
static ap_status pass_kink(ap_sim *sim, ap_error *error) {
  bool hits = false, rests = sim->nresting > 0;
  sim->kink = INFINITY;
  for (int i = 0; i < sim->scene.nwall; i++)
    sim->kink = fmin(sim->kink, ap__run_kink(sim, i, sim->t));
  sim->fresh = true;
  ap__run_walls_at(sim, sim->t);
  ap__run_look(sim, sim->y, sim->y + sim->nq);
  for (int i = 0; i < sim->npoint; i++) {
    run_pair *p = &sim->pair[i];
    if (p->resting < 0 && p->now.distance > sim->touch) continue;
    hits = hits || (p->now.rate < 0 && !ap__run_along(sim, p));
    rests = true;
    if (p->resting >= 0 && p->now.rate > 0 && !ap__run_along(sim, p)) p->over = true;
  }
  ap_status status = AP_OK;
  if (hits)
    status = ap__run_impact(sim, error);
  else if (rests)
    status = ap__run_settle(sim, (run_break){BREAK_NONE, -1, 0}, error);
  for (int i = 0; i < sim->npoint; i++) sim->pair[i].over = false;
  return status;
}

// The end of a step in which nothing happened.
static ap_status quiet_step_end(ap_sim *sim, ap_error *error) {
  if (sim->held) sim->lost += sim->held_lost, sim->wall_work += sim->held_driven;
  if (sim->t >= sim->kink) return pass_kink(sim, error);
  ap_status status = sim->ode->fixed > 0 ? check_energy(sim, error) : AP_OK;
  if (status || !sim->nresting) return status;
  if (!sim->judged) status = judge(sim, sim->y);
  if (status) return ap__run_failed(sim, status, "no acceleration", error);
  if (sim->jams) {
    ap__run_begin_strides(sim);
    return AP_OK;
  }
  if (sim->stops >= 0) {
    status = ap__run_count(sim, &sim->pair[sim->stops], error);
    sim->stopping = true;
    if (!status) status = ap__run_settle(sim, (run_break){BREAK_NONE, -1, 0}, error);
    sim->stopping = false;
    lengthen(sim);
    return status;
  }
  sim->looked = sim->held && sim->held_looked;
  return sim->held ? AP_OK : ap__run_project(sim, error);
}

// The pair of what has just reached its limit; NULL: a brake.
static const run_pair *broken_pair(const ap_sim *sim) {
  int index = sim->broken.index;
  switch (sim->broken.kind) {
    case BREAK_SLIPS:
    case BREAK_HOLDS:
    case BREAK_NONE: return NULL;
    case BREAK_TURNS:
    case BREAK_HALTS: return &sim->pair[index / RUN_TURNS];
    default: return &sim->pair[index];
  }
}

static ap_status contact_changed(ap_sim *sim, ap_error *error) {
  const double *q = sim->y, *v = sim->y + sim->nq;
  ap_status status = ap__run_count(sim, broken_pair(sim), error);
  if (status) return status;
  run_pair *p = &sim->pair[sim->broken.index];
  if (sim->broken.kind == BREAK_EASES) press(sim, p, false);
  if (sim->broken.kind == BREAK_SLACKS) p->slackens = !p->slackens;
  if (sim->broken.kind == BREAK_EASES || sim->broken.kind == BREAK_SLACKS) return AP_OK;
  const bool stops = sim->broken.kind == BREAK_STOPS && sim->ode->fixed > 0;
  status = stops ? ap__run_halt(sim, p) : ap__run_accelerations(sim, sim->t, q, v);
  if (status) return ap__run_failed(sim, status, "no acceleration", error);
  if (ap__run_jams(sim)) ap__run_begin_strides(sim);
  if (sim->t >= sim->strides_until) {
    sim->stopping = stops && p->halts;
    status = ap__run_settle(sim, sim->broken, error);
    if (sim->stopping) sim->stopping = p->halts = false;
  }
  bool stopped = sim->broken.kind == BREAK_STOPS || sim->broken.kind == BREAK_HALTS;
  if (!status && stopped) lengthen(sim);
  return status;
}

static ap_status close_segment(ap_sim *sim, ap_error *error) {
  sim->open = false;
  sim->until = INFINITY;
  sim->t = sim->end;
  memcpy(sim->y, sim->ends == RUN_STRIDE ? sim->after_y : sim->end_y,
         (size_t)sim->n * sizeof *sim->y);
  if (sim->ends != RUN_STEP) sim->fresh = true;
  switch (sim->ends) {
    case RUN_STRIDE: return AP_OK;
    case RUN_STEP: return quiet_step_end(sim, error);
    case RUN_BREAK: return contact_changed(sim, error);
    case RUN_HIT: return hit(sim, &sim->pair[sim->ends_with], error);
    case RUN_EDGE: return slide_over(sim, &sim->pair[sim->ends_with], error);
    case RUN_TOUCHED: break;
  }
  ap__run_walls_at(sim, sim->t);
  ap__run_look(sim, sim->y, sim->y + sim->nq);
  tell_graze(sim, &sim->pair[sim->ends_with]);
  return AP_OK;
}

// ---- go on -------------------------------------------------------------------------------------

// Where the next segment must end at the latest, on the way to t.
static double stop_before(ap_sim *sim, double t) {
  double stop = ap__run_loads(sim, sim->t);
  if (sim->scene.force && sim->scene.nforce_time < 0) stop = fmin(stop, fmin(t, sim->t + LONGEST));
  return fmin(stop, fmin(sim->kink, DBL_MAX));
}

// Whether no time is left to time t: nothing moves in so little.
static bool is_there(const ap_sim *sim, double t) {
  return t - sim->t < 8 * DBL_EPSILON * fmax(fabs(t), fabs(sim->t));
}

// A segment or a stride on the way to t; or the time of a force that rounding has not reached.
static ap_status open_any(ap_sim *sim, double t, ap_error *error) {
  if (sim->t >= sim->kink) return pass_kink(sim, error);
  double stop = stop_before(sim, t);
  if (is_there(sim, stop)) {
    sim->t = stop;
    sim->fresh = true;
    return AP_OK;
  }
  if (!(sim->t < sim->strides_until)) return open_segment(sim, stop, error);
  ap_status status = ap__run_stride(sim, stop, error);
  if (status) return status;
  sim->end = sim->t;
  sim->ends = RUN_STRIDE;
  sim->open = sim->end > t;
  memcpy(sim->after_y, sim->y, (size_t)sim->n * sizeof *sim->y);
  return AP_OK;
}

static ap_status read_inside(ap_sim *sim, double t, ap_error *error) {
  ap_status status = AP_OK;
  if (sim->ends == RUN_STRIDE) {
    ap__run_read_stride(sim, t);
  } else {
    status = ap__ode_interpolate(sim->ode, error);
    if (status) return status;
    ap__ode_read(sim->ode, t, sim->y);
  }
  sim->t = t;
  status = ap__run_place(sim, sim->y);
  return status ? ap__run_failed(sim, status, "the mechanism cannot be closed", error) : AP_OK;
}

ap_status ap__run_advance(ap_sim *sim, double t, ap_error *error) {
  for (long segments = 0; sim->t < t; segments++) {
    ap_status status = AP_OK;
    if (segments > MOST_SEGMENTS)
      return AP__REFUSE(error, AP_E_NO_CONVERGENCE, 0, "%d steps reached only t = %.9g, not %g",
                        MOST_SEGMENTS, sim->t, t);
    if (!sim->open) status = open_any(sim, t, error);
    if (status) return status;
    if (sim->open && t < sim->end) return read_inside(sim, t, error);
    if (sim->open) status = close_segment(sim, error);
    if (status) return status;
  }
  return AP_OK;
}
