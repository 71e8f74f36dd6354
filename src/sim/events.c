// SPDX-License-Identifier: Apache-2.0
// What happens at an event: impacts, the end of Zeno sequences, points that come to rest, leave,
// begin or cease to slide.

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "model/frozen.h"
#include "num/cholesky.h"
#include "num/vec3.h"
#include "sim/contact_system.h"
#include "sim/run.h"

// So many events, each at once after the last, are a sequence that does not end by itself: impacts
// are then inelastic, and it goes on in strides. Far more of them are refused.
enum { RUN_BUSY = 20, RUN_HOPELESS = 4000 };

// Part of a moment that is no time.
#define RUN_AT_ONCE 1e-5

// The first joint that can move, together with some before it, without moving any mass; NULL: none.
static const char *idle_joint(ap_sim *sim) {
  contact_system s;
  if (sim->loop) return NULL;
  ap__contact_layout(sim->m, sim->most, sim->contact_room, &s);
  ap_inertia_matrix(sim->m, sim->w, sim->y, s.responds.P);
  int v = ap__cholesky_fails(sim->nv, s.responds.P);
  for (int i = 1; i < ap_nbody(sim->m) && v >= 0; i++)
    if (v >= ap_joint_v(sim->m, i) && v < ap_joint_v(sim->m, i) + ap_joint_nv(sim->m, i))
      return ap_body(sim->m, i)->name;
  return NULL;
}

ap_status ap__run_failed(ap_sim *sim, ap_status status, const char *what, ap_error *error) {
  const char *joint = status == AP_E_SINGULAR ? idle_joint(sim) : NULL;
  if (joint)
    return AP__REFUSE(error, status, 0,
                      "%s at t = %.9g: the inertia matrix is singular here: joint \"%.*s\", alone "
                      "or with joints before it, moves no mass",
                      what, sim->t, ap__shown(joint), joint);
  return AP__REFUSE(error, status, 0, "%s at t = %.9g: %s", what, sim->t, ap_status_text(status));
}

// The trees of joints that a pair is between, by their first bodies; 0: none. What is no pair of
// points has tree 0.
static void trees_of(const ap_sim *sim, const run_pair *p, int tree[2]) {
  const ap_model *m = sim->m;
  bool point = p && p->joint < 0;
  tree[0] = point ? m->mover[p->body] : 0;
  tree[1] = point ? m->mover[p->carrier] : 0;
  for (int k = 0; k < 2; k++)
    while (tree[k] > 0 && m->joint[tree[k]].parent > 0) tree[k] = m->joint[tree[k]].parent;
}

// Events in a row of the trees of a pair, each at once after the last.
static long busy_of(const ap_sim *sim, const run_pair *p) {
  long most = 0;
  int tree[2];
  trees_of(sim, p, tree);
  for (int k = 0; k < 2; k++) {
    const run_busy *b = &sim->busy_of[tree[k]];
    if (k && tree[k] == 0) continue;
    if (sim->t - b->t <= RUN_AT_ONCE * sim->moment && b->events > most) most = b->events;
  }
  return most;
}

// How far events are apart: the mean of the last gap and what was known before it.
static void keep_gap(ap_sim *sim) {
  double gap = sim->t - sim->event_t;
  sim->event_gap = isfinite(sim->event_gap) ? 0.5 * (sim->event_gap + gap) : gap;
  sim->event_t = sim->t;
}

ap_status ap__run_count(ap_sim *sim, const run_pair *pair, ap_error *error) {
  int tree[2];
  keep_gap(sim);
  sim->busy = busy_of(sim, pair) + 1;
  trees_of(sim, pair, tree);
  for (int k = 0; k < 2; k++)
    if (k == 0 || tree[k] > 0) sim->busy_of[tree[k]] = (run_busy){sim->t, sim->busy};
  sim->events++;
  if (sim->events > sim->scene.most_events)
    return AP__REFUSE(error, AP_E_NO_CONVERGENCE, 0,
                      "%ld events by t = %.9g: increase most_events or reduce restitution",
                      sim->scene.most_events, sim->t);
  if (sim->busy > RUN_HOPELESS)
    return AP__REFUSE(error, AP_E_NO_CONVERGENCE, 0,
                      "no progress beyond t = %.9g: %ld events, each within %g s of the last",
                      sim->t, sim->busy, RUN_AT_ONCE * sim->moment);
  if (sim->busy >= RUN_BUSY && sim->t >= sim->strides_until) ap__run_begin_strides(sim);
  return AP_OK;
}

// The angle between the velocity and the way into the wall.
static double angle_of_attack(const double *v, const double *normal) {
  double speed = norm3(v);
  if (speed == 0) return 0;
  double c = -dot3(v, normal) / speed;
  return acos(fmax(-1, fmin(1, c)));
}

void ap__run_tell(ap_sim *sim, ap_event_kind kind, double t, const run_pair *pair,
                  const ap_touch *touch, double lost) {
  if (!sim->tell) return;
  ap_event e = {.number = sim->number,
                .kind = kind,
                .t = t,
                .point = pair->point,
                .wall = pair->wall,
                .joint = pair->joint,
                .lost = lost,
                .q = sim->y,
                .v_before = touch ? sim->told : sim->y + sim->nq,
                .v_after = sim->y + sim->nq};
  memcpy(e.normal, pair->now.normal, sizeof e.normal);
  for (int k = 0; k < 3; k++) {
    double own = pair->now.v[k] + (pair->pose || pair->mount ? pair->now.wall[k] : 0);
    e.position[k] = pair->now.p[k] + pair->now.arm[k];
    e.before[k] = touch ? touch->before[k] : own;
    e.after[k] = touch ? touch->after[k] : own;
    e.impulse[k] = touch ? touch->impulse[k] : 0;
  }
  for (int k = 0; k < 3 && pair->swapped; k++)
    e.normal[k] *= -1, e.before[k] *= -1, e.after[k] *= -1, e.impulse[k] *= -1;
  if (pair->joint >= 0) { // as the joint counts
    e.before[0] /= pair->way;
    e.after[0] /= pair->way;
    e.impulse[0] *= pair->way;
    e.normal[0] = pair->way > 0 ? 1 : -1;
  }
  e.angle = pair->joint < 0 ? angle_of_attack(e.before, e.normal) : 0;
  sim->tell(sim->tell_context, &e);
  ap__run_forget(sim);
}

static void tell_brake(ap_sim *sim, ap_event_kind kind, const run_brake *brake) {
  if (!sim->tell) return;
  int q = ap__run_coordinate(sim->m, brake->v);
  const double *v = sim->y + sim->nq;
  ap_event e = {.number = sim->number,
                .kind = kind,
                .t = sim->t,
                .point = -1,
                .wall = -1,
                .joint = brake->v,
                .position = {q >= 0 ? sim->y[q] : 0},
                .before = {v[brake->v]},
                .after = {v[brake->v]},
                .q = sim->y,
                .v_before = v,
                .v_after = v};
  sim->tell(sim->tell_context, &e);
  ap__run_forget(sim);
}

// ---- impacts -----------------------------------------------------------------------------------

// Does the pair take part in an impact now? It rests, touches, or will touch inside the window that
// the scene allows.
static bool takes_part(const ap_sim *sim, const run_pair *p) {
  if (p->stiffness > 0) return false;
  if (p->resting >= 0 || p->now.distance <= sim->touch) return true;
  return !p->off && p->now.rate < 0 && p->now.distance + p->now.rate * sim->scene.window <= 0;
}

// The pairs that take part, in chosen[], and their touches. -1: too many.
static int choose(ap_sim *sim) {
  int n = 0;
  for (int i = 0; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    if (!takes_part(sim, p)) continue;
    if (n == sim->most - sim->nturn) return -1;
    sim->touched[n] = ap__run_touch(p, busy_of(sim, p) > RUN_BUSY ? 0 : ap__run_rebound(p));
    sim->chosen[n++] = i;
  }
  return ap__run_turn_touches(sim, n);
}

ap_status ap__run_impact(ap_sim *sim, ap_error *error) {
  const double *q = sim->y;
  double *v = sim->y + sim->nq;
  ap__run_walls_at(sim, sim->t);
  ap__run_look(sim, q, v);
  int n = choose(sim);
  if (n < 0)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "more than %d contacts at t = %.9g: increase most_contacts",
                      sim->most - sim->nturn, sim->t);
  if (n == 0) return AP_OK;
  ap_impact_result result;
  memcpy(sim->told, v, (size_t)sim->nv * sizeof *v);
  ap_status status =
      sim->plant.kind->impact(&sim->plant, q, v, n, sim->touched, sim->impact_room, &result);
  if (status) return ap__run_failed(sim, status, "the impact cannot be solved", error);
  sim->lost += result.lost;
  sim->wall_work += result.work;
  sim->fresh = true;
  sim->number++;
  for (int i = 0; i < n; i++) {
    const ap_touch *t = &sim->touched[i];
    run_pair *p = &sim->pair[sim->chosen[i]];
    if (t->turn != AP_TURN_NONE) continue;
    p->dips = false;
    bool pressed = dot3(t->impulse, t->impulse) > 0;
    if (pressed || (p->now.rate < 0 && !ap__run_along(sim, p)))
      ap__run_tell(sim, AP_EVENT_IMPACT, sim->t, p, t, result.lost);
  }
  sim->struck = true;
  status = ap__run_settle(sim, (run_break){BREAK_NONE, -1, 0}, error);
  sim->struck = false;
  return status;
}

// ---- rest --------------------------------------------------------------------------------------

// How long the bounces of a pair that leaves go on, where they are too low to follow: with flights
// of 2 u / |a|, each e times the one before, 2 u / (|a| (1 - e)). Negative: they are not. Elastic
// bounces would go on for ever; the first that is as low as that is their last.
static double bouncing_time(const ap_sim *sim, const run_pair *p) {
  double u = p->now.rate;
  if (!(p->bent < 0 && p->now.distance <= sim->touch && u * u <= -2 * sim->touch * p->bent))
    return -1;
  double flight = -2 * fmax(u, 0) / p->bent;
  return p->restitution < 1 ? flight / (1 - p->restitution) : flight;
}

// Take the pairs out of those that rest whose normal velocity is not zero any more.
static void drop_leaving(ap_sim *sim) {
  int n = 0;
  for (int i = 0; i < sim->npair; i++) {
    run_pair *p = &sim->pair[i];
    if (p->resting < 0) continue;
    ap_resting r = sim->resting[p->resting];
    p->was = r.sticks ? WAS_STICKING : WAS_SLIDING;
    if (p->away || p->over ||
        (sim->struck && p->now.rate > 0 && !ap__run_along(sim, p) && bouncing_time(sim, p) < 0)) {
      p->resting = -1;
    } else {
      sim->candidate[n] = r;
      p->resting = n++;
    }
  }
  memcpy(sim->resting, sim->candidate, (size_t)n * sizeof *sim->resting);
  sim->nresting = n;
}

bool ap__run_stops(const ap_sim *sim, const ap_resting *r) {
  if (r->sticks || sim->ode->fixed > 0 || !(r->speed > 0) || !isfinite(r->stops_in)) return false;
  return 0.5 * r->speed * r->stops_in <= RUN_HALT * sim->touch;
}

// Whether a pair that slides has come to its stop: next to nothing is left of its speed, or of its
// way.
static bool has_stopped(const ap_sim *sim, const run_pair *p, const ap_resting *r) {
  if (r->kind != AP_REST_POINT || r->sticks || r->stiction == 0) return false;
  if (p->halts || (r->slows && ap__run_stops(sim, r))) return true;
  double square = dot3(p->now.v, p->now.v) - p->now.rate * p->now.rate;
  return sqrt(fmax(square, 0)) <= RUN_STOPPED * r->fast || (r->follows && !(r->speed > 0));
}

// Whether a pair that stuck moves along its wall, as after an impact elsewhere; less is drift.
static bool was_moved(const ap_sim *sim, const run_pair *p) {
  double square = dot3(p->now.v, p->now.v) - p->now.rate * p->now.rate;
  return sqrt(fmax(square, 0)) > RUN_ALONG * (sim->fastest + sim->length);
}

// Whether a pair takes over from one that stuck to the face before, as where a ball rolls over the
// edge between two faces: it rolls on.
static bool rolls_on(const ap_sim *sim, const run_pair *p) {
  if (!p->ends || p->edges || p->friction == 0 || was_moved(sim, p)) return false;
  for (int k = 0; k < ap__surface_faces(p->surface); k++) {
    const run_pair *other = &sim->pair[p->first + k];
    if (other->over && other->was == WAS_STICKING) return true;
  }
  return false;
}

// Whether a pair that rests, and that an impact elsewhere has moved along its wall, slides no
// further than points that touch are apart before its friction stops it.
static bool hardly_slides(const ap_sim *sim, const run_pair *p) {
  const ap_resting *r = &sim->resting[p->resting];
  double square = dot3(p->now.v, p->now.v) - p->now.rate * p->now.rate;
  return sim->struck && p->friction > 0 && square <= 2 * sim->touch * r->rub;
}

// Bounces that end take their normal velocities with them, and friction takes what it can of those
// along the walls: new ones that are as slow as that stick. Without it, the normal velocity of one
// end of a block that rocks would become a speed of sliding, and tip it over to its other end.
static void hold_slow(ap_sim *sim, int n) {
  double fastest = 0;
  for (int i = 0; i < n; i++)
    if (sim->candidate[i].kind == AP_REST_POINT)
      fastest = fmax(fastest, fabs(sim->pair[sim->chosen[i]].now.rate));
  for (int i = 0; i < n; i++) {
    if (sim->candidate[i].kind != AP_REST_POINT) continue;
    const run_pair *p = &sim->pair[sim->chosen[i]];
    double square = dot3(p->now.v, p->now.v) - p->now.rate * p->now.rate;
    if (p->resting < 0 && p->friction > 0 && sqrt(fmax(square, 0)) <= p->friction * fastest)
      sim->candidate[i].sticks = true;
  }
}

// Brakes of joints that do not move, as further candidates.
static int find_brakes(ap_sim *sim, int n) {
  for (int i = 0; i < sim->nbrake; i++) {
    run_brake *b = &sim->brake[i];
    if (b->way) continue;
    sim->candidate[n] = (ap_resting){.kind = AP_REST_BRAKE,
                                     .point = -1,
                                     .wall = -1,
                                     .v = b->v,
                                     .way = 1,
                                     .hold = b->hold,
                                     .friction = b->slide / b->hold,
                                     .stiction = 1,
                                     .sticks = true};
    if (b->resting >= 0) {
      const ap_resting *last = &sim->resting[b->resting];
      memcpy(sim->candidate[n].force, last->force, sizeof last->force);
      sim->candidate[n].margin = last->margin;
      sim->candidate[n].least = last->least;
    }
    sim->chosen[n++] = i;
  }
  return n;
}

// Whether a pair leaves so slowly that the forces of other contacts may bring it back before it has
// left: then which of them stay is asked of all of them. Not where the normal hardly moves the
// robot, as at a grazing point, where a small velocity has a large energy.
static bool returns_at_once(ap_sim *sim, const run_pair *p, double hardest) {
  if (p->now.distance > sim->touch || p->now.rate * p->now.rate > 2 * sim->touch * hardest)
    return false;
  return ap__run_lever(sim, p) > RUN_LEVER;
}

// The largest acceleration of a pair that touches; 0 where fewer than two do.
static double hardest_of(const ap_sim *sim) {
  double hardest = 0;
  int touching = 0;
  for (int i = 0; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    if (p->stiffness > 0 || (p->resting < 0 && p->now.distance > sim->touch)) continue;
    touching++;
    hardest = fmax(hardest, fabs(p->bent));
  }
  return touching > 1 ? hardest : 0;
}

// The pairs that may rest from now on, as candidates: those that touch without a normal velocity,
// and those whose bounces are too low; and the brakes that may hold. -1: too many.
static int find_candidates(ap_sim *sim, bool *project) {
  int n = 0, pairs = sim->most - sim->nbrake - sim->nturn;
  double hardest = hardest_of(sim);
  *project = false;
  for (int i = 0; i < sim->npair; i++) {
    run_pair *p = &sim->pair[i];
    p->rest_time = p->halt_time = 0;
    if (!p->halts) p->stop_time = 0;
    if (p->stiffness > 0) continue;
    if (p->apart) continue;
    bool touches = p->resting >= 0 || p->now.distance <= sim->touch;
    bool drifts = p->resting >= 0 && !sim->struck; // its normal velocity is an error
    if (!touches || !(drifts || ap__run_along(sim, p))) {
      p->rest_time = bouncing_time(sim, p);
      if (p->rest_time < 0 && returns_at_once(sim, p, hardest)) p->rest_time = 0;
      if (p->rest_time < 0) continue;
    }
    if (n == pairs) return -1;
    *project = *project || p->resting < 0 || !ap__run_along(sim, p);
    sim->candidate[n] = ap__run_resting(p);
    sim->candidate[n].sticks = p->resting < 0 && rolls_on(sim, p);
    if (p->resting >= 0) {
      sim->candidate[n] = sim->resting[p->resting];
      if (was_moved(sim, p)) sim->candidate[n].sticks = false;
      if (hardly_slides(sim, p)) sim->candidate[n].sticks = true;
      if (has_stopped(sim, p, &sim->candidate[n])) {
        if (ap__run_stops(sim, &sim->candidate[n])) p->stop_time = sim->candidate[n].stops_in;
        sim->candidate[n].sticks = true;
      }
      *project = *project || sim->candidate[n].sticks;
    }
    sim->chosen[n++] = i;
  }
  hold_slow(sim, n);
  n = ap__run_turn_candidates(sim, n, project);
  int all = find_brakes(sim, n);
  *project = *project || all > n;
  return all;
}

// Whether friction has just reached its limit at a candidate: it is the one that was seen to, or it
// shares its force with that one.
static bool gives_way(const ap_sim *sim, int i, run_break broken) {
  const ap_resting *r = &sim->candidate[i];
  bool brake = r->kind == AP_REST_BRAKE, turns = ap__rest_turns(r->kind);
  int which = r->kind == AP_REST_SPIN ? RUN_SPIN : RUN_ROLL;
  if (broken.kind != BREAK_SLIPS && broken.kind != BREAK_SLIDES && broken.kind != BREAK_TURNS)
    return false;
  if (broken.kind == (brake   ? BREAK_SLIPS
                      : turns ? BREAK_TURNS
                              : BREAK_SLIDES) &&
      (turns ? RUN_TURNS * sim->chosen[i] + which : sim->chosen[i]) == broken.index)
    return true;
  run_was was = brake   ? sim->brake[sim->chosen[i]].was
                : turns ? sim->pair[sim->chosen[i]].turned[which]
                        : sim->pair[sim->chosen[i]].was;
  return was == WAS_STICKING && !(r->margin > r->least);
}

// What has just reached the limit of its friction slides, although rounding may still hold it:
// against the friction that there is.
static void let_slide(const ap_sim *sim, int n, run_break broken) {
  for (int i = 0; i < n; i++) {
    ap_resting *r = &sim->candidate[i];
    bool brake = r->kind == AP_REST_BRAKE, turns = ap__rest_turns(r->kind);
    if (!r->sticks || !gives_way(sim, i, broken)) continue;
    double along[3] = {0, -r->force[1], 0};
    const double *normal = brake ? NULL : sim->pair[sim->chosen[i]].now.normal;
    for (int k = 0; k < 3 && turns; k++) along[k] = -r->force[k];
    for (int k = 0; k < 3 && !brake && !turns; k++)
      along[k] = dot3(r->force, normal) * normal[k] - r->force[k];
    if (!brake && r->across > 0) ap__contact_unstretch(r, normal, along);
    double length = norm3(along);
    r->sticks = !(length > 0);
    r->follows = true;
    for (int k = 0; k < 3 && length > 0; k++) r->slip[k] = along[k] / length;
  }
}

// A brake that does not hold slides.
static bool take_brake(ap_sim *sim, const ap_resting *r, int i) {
  run_brake *b = &sim->brake[i];
  b->way = r->sticks ? 0 : r->slip[1] > 0 ? 1 : -1;
  return r->sticks;
}

// Those of n candidates that are kept rest from now on.
static void take_over(ap_sim *sim, int n) {
  sim->nresting = 0;
  for (int i = 0; i < sim->npair; i++) {
    run_pair *p = &sim->pair[i];
    p->resting = p->turning[RUN_ROLL] = p->turning[RUN_SPIN] = -1;
  }
  for (int i = 0; i < sim->nbrake; i++) sim->brake[i].resting = -1;
  for (int i = 0; i < n; i++) {
    const ap_resting *r = &sim->candidate[i];
    bool brake = r->kind == AP_REST_BRAKE, turns = ap__rest_turns(r->kind);
    if (brake ? !take_brake(sim, r, sim->chosen[i]) : !sim->keep[turns ? r->host : i]) continue;
    int place = sim->nresting++;
    sim->resting[place] = *r;
    if (turns)
      ap__run_turn_taken(sim, r, sim->chosen[i], place);
    else
      *(brake ? &sim->brake[sim->chosen[i]].resting : &sim->pair[sim->chosen[i]].resting) = place;
  }
}

// Pairs whose force has just vanished leave, although rounding may still hold them; unless they
// would fall back without it, as one that sticks may, which slides instead. Where one of several
// that depend on each other has, as of two feet that lift together, all have.
static ap_status let_leave(ap_sim *sim, int n, int first) {
  const double *q = sim->y, *v = sim->y + sim->nq;
  for (int i = 0; i < n; i++) {
    const ap_resting *r = &sim->candidate[i];
    if (ap__rest_borrows(r->kind) || !sim->keep[i]) continue;
    const run_pair *p = &sim->pair[sim->chosen[i]];
    bool vanished = sim->chosen[i] == first || !(r->normal_force > r->least);
    bool same = p->was == (r->sticks ? WAS_STICKING : WAS_SLIDING);
    if (vanished && same) sim->keep[i] = false;
  }
  take_over(sim, n);
  ap_status status = ap__run_accelerations(sim, sim->t, q, v);
  if (status) return status;
  ap__run_bend(sim, q, v);
  for (int i = 0; i < n; i++)
    if (!ap__rest_borrows(sim->candidate[i].kind) && !sim->keep[i])
      sim->keep[i] = sim->pair[sim->chosen[i]].bent < -RUN_FALLS && sim->pair[sim->chosen[i]].was;
  take_over(sim, n);
  return AP_OK;
}

// A point that goes from one face of a wall to the next is on the wall all the time.
static void pass_over(ap_sim *sim) {
  for (int i = 0; i < sim->npoint; i++) {
    run_pair *p = &sim->pair[i];
    if (p->resting < 0 || p->was != WAS_FREE || !p->ends || p->edges) continue;
    for (int k = 0; k < ap__surface_faces(p->surface) && p->was == WAS_FREE; k++) {
      run_pair *other = &sim->pair[p->first + k];
      if (other->resting >= 0 || other->was == WAS_FREE) continue;
      p->was = other->was;
      other->was = WAS_FREE;
    }
  }
}

// Tell what changed, and the energy that it took. Events of one moment have one number.
static void tell_changes(ap_sim *sim, double lost) {
  bool numbered = false;
  pass_over(sim);
  for (int i = 0; i < sim->npair; i++) {
    run_pair *p = &sim->pair[i];
    bool rests = p->resting >= 0, sticks = rests && sim->resting[p->resting].sticks;
    ap_event_kind kind = AP_EVENT_CONTACT;
    if (rests && p->was == WAS_FREE)
      kind = AP_EVENT_CONTACT;
    else if (!rests && p->was != WAS_FREE)
      kind = AP_EVENT_LIFTOFF;
    else if (rests && sticks && p->was == WAS_SLIDING && p->friction > 0)
      kind = AP_EVENT_STICK;
    else if (rests && !sticks && p->was == WAS_STICKING)
      kind = AP_EVENT_SLIP;
    else
      continue;
    if (!numbered) sim->number++, numbered = true;
    if (kind == AP_EVENT_LIFTOFF) p->told = true;
    double after = kind == AP_EVENT_CONTACT ? fmax(p->rest_time, 0)
                   : kind == AP_EVENT_STICK ? p->stop_time
                                            : 0;
    ap__run_tell(sim, kind, sim->t + after, p, NULL, lost);
  }
  ap__run_turn_tell(sim, &numbered);
  for (int i = 0; i < sim->nbrake; i++) {
    const run_brake *b = &sim->brake[i];
    run_was is = b->way ? WAS_SLIDING : WAS_STICKING;
    if (is == b->was || b->was == WAS_FREE) continue;
    if (!numbered) sim->number++, numbered = true;
    tell_brake(sim, b->way ? AP_EVENT_SLIP : AP_EVENT_STICK, b);
  }
}

// Brakes act against the rates as they are now, which an impact may have turned; a joint that it
// has moved is not held.
static void turn_brakes(ap_sim *sim) {
  const double *v = sim->y + sim->nq;
  double fastest = 0;
  for (int i = 0; i < sim->nv; i++) fastest = fmax(fastest, fabs(v[i]));
  for (int i = 0; i < sim->nbrake; i++) {
    run_brake *b = &sim->brake[i];
    if (fabs(v[b->v]) > RUN_ALONG * fastest + RUN_DRIFT) b->way = v[b->v] > 0 ? 1 : -1;
  }
}

// What was there before, those that leave by themselves taken out.
static void look_back(ap_sim *sim, run_break broken) {
  for (int i = 0; i < sim->npair; i++) sim->pair[i].was = WAS_FREE;
  for (int i = 0; i < sim->nbrake; i++) {
    run_brake *b = &sim->brake[i];
    b->was = b->way ? WAS_SLIDING : b->resting >= 0 ? WAS_STICKING : WAS_FREE;
  }
  ap__run_turn_look_back(sim);
  turn_brakes(sim);
  if (broken.kind == BREAK_HOLDS) sim->brake[broken.index].way = 0;
  ap__run_look(sim, sim->y, sim->y + sim->nq);
  drop_leaving(sim);
}

// Modes of n candidates: who stays, sticks, slides.
static ap_status choose_modes(ap_sim *sim, int n, run_break *broken, ap_error *error) {
  double *q = sim->y, *v = sim->y + sim->nq;
  ap_status status = ap__run_forces(sim, sim->t, q, v);
  if (!status)
    status = ap__contact_modes(&sim->plant, q, v, sim->total, n, sim->candidate, sim->keep,
                               sim->contact_room);
  if (status == AP_E_NO_CONVERGENCE)
    status = AP_OK, broken->kind = BREAK_NONE, ap__run_begin_strides(sim);
  else if (!status)
    let_slide(sim, n, *broken);
  return status ? ap__run_failed(sim, status, "no contact forces satisfy the friction law", error)
                : AP_OK;
}

// Candidates for rest, put back onto their walls, with their modes; *n: how many.
static ap_status find_modes(ap_sim *sim, int *n, run_break *broken, ap_error *error) {
  double *q = sim->y, *v = sim->y + sim->nq, lost = 0, driven = 0;
  bool project;
  ap_status status = ap__run_accelerations(sim, sim->t, q, v);
  if (status) return ap__run_failed(sim, status, "no acceleration after an event", error);
  ap__run_bend(sim, q, v);
  *n = find_candidates(sim, &project);
  if (*n < 0)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "more than %d contacts at t = %.9g: increase most_contacts",
                      sim->most - sim->nbrake - sim->nturn, sim->t);
  sim->fresh = true;
  if (*n && project) { // bounces that end lose what they had, of motion and of height
    double energy = ap__run_total(sim);
    status = ap__contact_return(&sim->plant, q, v, *n, sim->candidate, sim->contact_room, &lost,
                                &driven);
    if (status)
      return ap__run_failed(sim, status, "points cannot be projected onto their walls", error);
    sim->wall_work += driven;
    lost = fmax(lost, energy + driven - ap__run_total(sim));
    if (sim->stopping)
      sim->y[sim->nq + sim->nv + RUN_TAKEN] += lost;
    else
      sim->lost += lost;
  }
  return *n ? choose_modes(sim, *n, broken, error) : AP_OK;
}

// So often a place is put under a cylinder that tips, at most.
enum { MOST_PUT = 4 };

ap_status ap__run_settle(ap_sim *sim, run_break broken, ap_error *error) {
  double *q = sim->y, *v = sim->y + sim->nq, before = sim->lost;
  int n;
  ap__run_walls_at(sim, sim->t);
  look_back(sim, broken);
  ap_status status = find_modes(sim, &n, &broken, error);
  for (int k = 0; k < MOST_PUT && !status; k++) {
    bool stands;
    status = ap__run_stand_up(sim, n, broken.kind == BREAK_LEAVES ? broken.index : -1, &stands);
    if (status) return ap__run_failed(sim, status, "no acceleration after an event", error);
    if (!stands) break;
    broken.kind = BREAK_NONE;
    status = find_modes(sim, &n, &broken, error);
  }
  if (status) return status;
  take_over(sim, n);
  if (broken.kind == BREAK_LEAVES) status = let_leave(sim, n, broken.index);
  if (status) return ap__run_failed(sim, status, "no acceleration after an event", error);
  if (sim->nresting) status = ap__run_project(sim, error); // what sticks has no velocity
  if (status) return status;
  ap__run_look(sim, q, v);
  for (int i = 0; i < sim->npair; i++) sim->pair[i].away = sim->pair[i].resting < 0;
  tell_changes(sim, sim->lost - before);
  ap__run_stand_down(sim);
  return AP_OK;
}

// Whether contacts that rest have drifted off, at a state that was looked at.
static bool has_drifted(const ap_sim *sim, const double *v) {
  double drift = RUN_DRIFT * sim->length;
  for (int i = 0; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    if (p->resting < 0) continue;
    double speed = sim->resting[p->resting].sticks ? norm3(p->now.v) : fabs(p->now.rate);
    if (fabs(p->now.distance) > drift || speed > 10 * drift) return true;
  }
  if (ap__run_turn_drifted(sim)) return true;
  for (int i = 0; i < sim->nbrake; i++)
    if (sim->brake[i].resting >= 0 && fabs(v[sim->brake[i].v]) > RUN_STILL) return true;
  return false;
}

// Back onto the walls at y. *moved: it had drifted; *lost: the energy that this took.
static ap_status hold(ap_sim *sim, double *y, bool *moved, double *lost, double *driven) {
  double *q = y, *v = y + sim->nq;
  *lost = *driven = 0;
  ap__run_look(sim, q, v);
  *moved = has_drifted(sim, v);
  if (!*moved) return AP_OK;
  return ap__contact_return(&sim->plant, q, v, sim->nresting, sim->resting, sim->contact_room, lost,
                            driven);
}

ap_status ap__run_project(ap_sim *sim, ap_error *error) {
  double lost, driven;
  bool moved;
  ap__run_walls_at(sim, sim->t);
  ap_status status = hold(sim, sim->y, &moved, &lost, &driven);
  if (status)
    return ap__run_failed(sim, status, "points cannot be projected onto their walls", error);
  sim->looked = !moved;
  sim->lost += lost;
  sim->wall_work += driven;
  if (moved) sim->fresh = true;
  return AP_OK;
}

ap_status ap__run_end_step(void *context, double *y) {
  ap_sim *sim = context;
  ap_status status = sim->loop ? ap__run_place(sim, y) : AP_OK;
  bool moved;
  sim->held = !status && sim->nresting > 0;
  if (!sim->held) return status;
  ap__run_walls_at(sim, sim->ode->to);
  status = hold(sim, y, &moved, &sim->held_lost, &sim->held_driven);
  sim->held_looked = !moved;
  return status;
}
