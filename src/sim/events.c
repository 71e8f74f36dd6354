// What happens at an event: impacts, the end of Zeno sequences, points that come to rest, leave,
// begin or cease to slide.

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "num/cholesky.h"
#include "sim/contact_system.h"
#include "sim/run.h"

// So many events within a window are a sequence that does not end by itself: impacts are then
// inelastic, and it goes on in strides. Far more of them are refused.
enum { RUN_BUSY = 20, RUN_HOPELESS = 4000 };

// Two hits of a point within so many windows show that points take turns at their walls.
#define RUN_RATTLE 4

// Below this speed (m/s) a point that has turned across its way has stopped; contacts remember the
// direction of sliding up to it.
#define RUN_STOP 1e-4

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The first joint that can move, together with some before it, without moving any mass; NULL: none.
static const char *idle_joint(ap_sim *sim) {
  contact_system s;
  if (sim->loop) return NULL;
  ap__contact_layout(sim->m, sim->most, sim->contact_room, &s);
  ap_inertia_matrix(sim->m, sim->w, sim->y, s.Minv);
  int v = ap__cholesky_fails(sim->nv, s.Minv);
  for (int i = 1; i < ap_nbody(sim->m) && v >= 0; i++)
    if (v >= ap_joint_v(sim->m, i) && v < ap_joint_v(sim->m, i) + ap_joint_nv(sim->m, i))
      return ap_body(sim->m, i)->name;
  return NULL;
}

ap_status ap__run_failed(ap_sim *sim, ap_status status, const char *what, ap_error *error) {
  const char *joint = status == AP_E_SINGULAR ? idle_joint(sim) : NULL;
  if (joint) {
    ap__fail(error, status, 0,
             "%s at t = %.9g: the inertia matrix is singular here: joint \"%.*s\" can move, alone "
             "or with joints before it, without moving any mass",
             what, sim->t, ap__shown(joint), joint);
    return status;
  }
  ap__fail(error, status, 0, "%s at t = %.9g: %s", what, sim->t, ap_status_text(status));
  return status;
}

ap_status ap__run_count(ap_sim *sim, const run_pair *pair, ap_error *error) {
  const char *point = sim->scene.point[pair->point].name, *wall = sim->scene.wall[pair->wall].name;
  if (!(sim->t - sim->busy_t <= sim->scene.window)) sim->busy = 0, sim->busy_t = sim->t;
  sim->busy++;
  sim->events++;
  if (sim->events > sim->scene.most_events) {
    ap__fail(error, AP_E_NO_CONVERGENCE, 0,
             "%ld events by t = %.9g, the last where point \"%.*s\" meets wall \"%.*s\": allow "
             "more of them, or less restitution",
             sim->scene.most_events, sim->t, ap__shown(point), point, ap__shown(wall), wall);
    return AP_E_NO_CONVERGENCE;
  }
  if (sim->busy > RUN_HOPELESS) {
    ap__fail(error, AP_E_NO_CONVERGENCE, 0,
             "time does not go on from t = %.9g, where point \"%.*s\" meets wall \"%.*s\"", sim->t,
             ap__shown(point), point, ap__shown(wall), wall);
    return AP_E_NO_CONVERGENCE;
  }
  if (sim->busy >= RUN_BUSY && sim->t >= sim->plod_until) ap__run_plod(sim);
  return AP_OK;
}

// The angle between the velocity and the way into the wall.
static double attack(const double *v, const double *normal) {
  double speed = sqrt(dot(v, v));
  if (speed == 0) return 0;
  double c = -dot(v, normal) / speed;
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
                .joint = -1,
                .lost = lost,
                .q = sim->y,
                .v_before = touch ? sim->told : sim->y + sim->nq,
                .v_after = sim->y + sim->nq};
  memcpy(e.position, pair->now.p, sizeof e.position);
  memcpy(e.normal, pair->now.normal, sizeof e.normal);
  for (int k = 0; k < 3; k++) {
    e.before[k] = touch ? touch->before[k] : pair->now.v[k];
    e.after[k] = touch ? touch->after[k] : pair->now.v[k];
    e.impulse[k] = touch ? touch->impulse[k] : 0;
  }
  e.angle = attack(e.before, e.normal);
  sim->tell(sim->tell_context, &e);
}

// ---- impacts -----------------------------------------------------------------------------------

// Does the pair take part in an impact now? It rests, touches, or will touch inside the window.
static bool takes_part(const ap_sim *sim, const run_pair *p) {
  if (p->resting >= 0 || p->now.distance <= RUN_TOUCH) return true;
  return p->now.rate < -sim->scene.rest && p->now.distance + p->now.rate * sim->scene.window <= 0;
}

// The pairs that take part, in chosen[], and their touches. -1: too many.
static int choose(ap_sim *sim) {
  int n = 0;
  for (int i = 0; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    if (!takes_part(sim, p)) continue;
    if (n == sim->most) return -1;
    ap_touch *t = &sim->touch[n];
    *t = (ap_touch){.body = p->body,
                    .restitution = sim->busy > RUN_BUSY ? 0 : p->restitution,
                    .friction = p->friction};
    memcpy(t->at, p->at, sizeof t->at);
    memcpy(t->normal, p->now.normal, sizeof t->normal);
    sim->chosen[n++] = i;
  }
  return n;
}

ap_status ap__run_impact(ap_sim *sim, ap_error *error) {
  const double *q = sim->y;
  double *v = sim->y + sim->nq;
  ap__run_look(sim, q, v);
  int n = choose(sim);
  if (n < 0) {
    ap__fail(error, AP_E_UNSUPPORTED, 0, "more than %d points touch walls at t = %.9g", sim->most,
             sim->t);
    return AP_E_UNSUPPORTED;
  }
  if (n == 0) return AP_OK;
  ap_impact_result result;
  memcpy(sim->told, v, (size_t)sim->nv * sizeof *v);
  ap_status status =
      sim->plant.kind->impact(&sim->plant, q, v, n, sim->touch, sim->impact_room, &result);
  if (status) return ap__run_failed(sim, status, "the impact cannot be solved", error);
  sim->lost += result.lost;
  sim->fresh = true;
  sim->number++;
  for (int i = 0; i < n; i++) {
    const ap_touch *t = &sim->touch[i];
    run_pair *p = &sim->pair[sim->chosen[i]];
    if (p->resting < 0) p->flight = sim->t - p->hit_t, p->hit_t = sim->t;
    bool pressed = dot(t->impulse, t->impulse) > 0;
    if (pressed || p->now.rate < -sim->scene.rest)
      ap__run_tell(sim, AP_EVENT_IMPACT, sim->t, p, t, result.lost);
  }
  return ap__run_settle(sim, -1, -1, error);
}

// ---- rest --------------------------------------------------------------------------------------

// Whether a pair has just hit for the second time inside a window.
static bool rattles(const ap_sim *sim, const run_pair *p) {
  return p->hit_t == sim->t && p->flight < sim->scene.window;
}

// How long the bounces of a pair that leaves go on, where they are too short to follow: with
// flights of 2 u / |a|, each e times the one before, 2 u / (|a| (1 - e)). Negative: they are not.
// Elastic bounces would go on for ever; the first that is shorter than the window is their last.
static double chatter(const ap_sim *sim, const run_pair *p) {
  double u = p->now.rate, window = sim->scene.window;
  if (rattles(sim, p) && u > 0) return 0;
  if (!(u > 0 && p->bent < 0 && p->now.distance <= RUN_TOUCH + 4 * window * u)) return -1;
  double flight = -2 * u / p->bent;
  if (!(flight < window)) return -1;
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
    if (p->away || p->now.rate > sim->scene.rest) {
      p->resting = -1;
    } else {
      sim->candidate[n] = r;
      p->resting = n++;
    }
  }
  memcpy(sim->resting, sim->candidate, (size_t)n * sizeof *sim->resting);
  sim->nresting = n;
}

// Whether a pair that slides has come to its stop: no speed in the direction it set out, and what
// is left across it is as slow as that direction was remembered.
static bool has_stopped(const run_pair *p, const ap_resting *r, bool rattling) {
  if (r->sticks || p->friction == 0) return false;
  if (!rattling && dot(p->now.v, r->slip) > RUN_STOP / 1e4) return false;
  return dot(p->now.v, p->now.v) - p->now.rate * p->now.rate < RUN_STOP * RUN_STOP;
}

// Bounces that end take their normal velocities with them, and friction takes what it can of those
// along the walls: new ones that are as slow as that stick, and slow ones whenever any rattles.
// Without it, the normal velocity of one end of a block that rocks would become a speed of sliding,
// and tip it over to its other end.
static void hold_slow(ap_sim *sim, int n) {
  double fastest = 0;
  bool rattling = false;
  for (int i = 0; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    rattling = rattling || (p->hit_t == sim->t && p->flight < RUN_RATTLE * sim->scene.window);
  }
  for (int i = 0; i < n; i++) fastest = fmax(fastest, fabs(sim->pair[sim->chosen[i]].now.rate));
  for (int i = 0; i < n; i++) {
    const run_pair *p = &sim->pair[sim->chosen[i]];
    double square = dot(p->now.v, p->now.v) - p->now.rate * p->now.rate;
    double slow = rattling ? fmax(RUN_STOP, p->friction * fastest) : p->friction * fastest;
    if (p->resting < 0 && p->friction > 0 && sqrt(fmax(square, 0)) <= slow)
      sim->candidate[i].sticks = true;
  }
}

// The pairs that may rest from now on, as candidates: those that touch without a normal velocity,
// and those whose bounces are too short. -1: too many.
static int find_candidates(ap_sim *sim, bool *project) {
  int n = 0;
  bool rattling = false;
  *project = false;
  for (int i = 0; i < sim->npair; i++) rattling = rattling || rattles(sim, &sim->pair[i]);
  for (int i = 0; i < sim->npair; i++) {
    run_pair *p = &sim->pair[i];
    p->rest_time = 0;
    bool touches = p->resting >= 0 || fabs(p->now.distance) <= sim->scene.depth;
    if (!touches || fabs(p->now.rate) > sim->scene.rest) {
      p->rest_time = chatter(sim, p);
      if (p->rest_time < 0) continue;
    }
    if (n == sim->most) return -1;
    *project = *project || p->resting < 0;
    sim->candidate[n] = ap__run_resting(p);
    if (p->resting >= 0) {
      sim->candidate[n] = sim->resting[p->resting];
      if (has_stopped(p, &sim->candidate[n], rattling)) sim->candidate[n].sticks = *project = true;
    }
    sim->chosen[n++] = i;
  }
  hold_slow(sim, n);
  return n;
}

// A pair whose friction has just reached its limit slides, although rounding may still hold it:
// against the friction that there is.
static void let_slide(const ap_sim *sim, int n, int must_slide) {
  for (int i = 0; i < n; i++) {
    ap_resting *r = &sim->candidate[i];
    if (sim->chosen[i] != must_slide || !r->sticks) continue;
    const double *normal = sim->pair[must_slide].now.normal;
    double along[3], push = dot(r->force, normal);
    for (int k = 0; k < 3; k++) along[k] = push * normal[k] - r->force[k];
    double length = sqrt(dot(along, along));
    r->sticks = !(length > 0);
    for (int k = 0; k < 3 && length > 0; k++) r->slip[k] = along[k] / length;
  }
}

// Those of n candidates that are kept rest from now on.
static void take_over(ap_sim *sim, int n) {
  sim->nresting = 0;
  for (int i = 0; i < sim->npair; i++) sim->pair[i].resting = -1;
  for (int i = 0; i < n; i++) {
    if (!sim->keep[i]) continue;
    int place = sim->nresting++;
    sim->pair[sim->chosen[i]].resting = place;
    sim->resting[place] = sim->candidate[i];
  }
}

// A pair whose force has just vanished leaves, although rounding may still hold it; unless it would
// fall back without it, as one that sticks may, which slides instead.
static ap_status let_leave(ap_sim *sim, int n, int must_leave) {
  const run_pair *p = &sim->pair[must_leave];
  const double *q = sim->y, *v = sim->y + sim->nq;
  int place = -1;
  for (int i = 0; i < n; i++)
    if (sim->chosen[i] == must_leave) place = i;
  if (place < 0 || p->resting < 0) return AP_OK;
  if (sim->resting[p->resting].sticks != (p->was == WAS_STICKING)) return AP_OK;
  sim->keep[place] = false;
  take_over(sim, n);
  ap_status status = ap__run_accelerations(sim, sim->t, q, v);
  if (status) return status;
  ap__run_bend(sim, q, v);
  sim->keep[place] = p->bent < -RUN_FALLS;
  take_over(sim, n);
  return AP_OK;
}

// Tell what changed. Events of one moment have one number.
static void tell_changes(ap_sim *sim) {
  bool numbered = false;
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
    if (kind == AP_EVENT_LIFTOFF) p->quiet_t = sim->t + sim->scene.window;
    double after = kind == AP_EVENT_CONTACT ? fmax(p->rest_time, 0) : 0;
    ap__run_tell(sim, kind, sim->t + after, p, NULL, 0);
  }
}

ap_status ap__run_settle(ap_sim *sim, int must_leave, int must_slide, ap_error *error) {
  double *q = sim->y, *v = sim->y + sim->nq, lost = 0;
  bool project;
  for (int i = 0; i < sim->npair; i++) sim->pair[i].was = WAS_FREE;
  ap__run_look(sim, q, v);
  drop_leaving(sim);
  ap_status status = ap__run_accelerations(sim, sim->t, q, v);
  if (status) return ap__run_failed(sim, status, "no acceleration after an event", error);
  ap__run_bend(sim, q, v);
  int n = find_candidates(sim, &project);
  if (n < 0) {
    ap__fail(error, AP_E_UNSUPPORTED, 0, "more than %d points rest on walls at t = %.9g", sim->most,
             sim->t);
    return AP_E_UNSUPPORTED;
  }
  sim->fresh = true;
  if (n && project) {
    status = ap__contact_project(&sim->plant, q, v, n, sim->candidate, sim->contact_room, &lost);
    if (status) return ap__run_failed(sim, status, "points cannot be put on their walls", error);
    sim->lost += lost;
  }
  if (n) {
    status = ap__run_forces(sim, sim->t, q, v);
    if (!status)
      status = ap__contact_modes(&sim->plant, q, v, sim->total, n, sim->candidate, sim->keep,
                                 sim->contact_room);
    if (status == AP_E_NO_CONVERGENCE)
      status = AP_OK, must_leave = -1, ap__run_plod(sim);
    else if (!status)
      let_slide(sim, n, must_slide);
    if (status) return ap__run_failed(sim, status, "no contact forces agree", error);
  }
  take_over(sim, n);
  if (must_leave >= 0) status = let_leave(sim, n, must_leave);
  if (status) return ap__run_failed(sim, status, "no acceleration after an event", error);
  if (sim->nresting) status = ap__run_mend(sim, error); // what sticks has no velocity
  if (status) return status;
  ap__run_look(sim, q, v);
  for (int i = 0; i < sim->npair; i++) sim->pair[i].away = sim->pair[i].resting < 0;
  tell_changes(sim);
  return AP_OK;
}

ap_status ap__run_mend(ap_sim *sim, ap_error *error) {
  double *q = sim->y, *v = sim->y + sim->nq, lost = 0;
  bool off = false;
  ap__run_look(sim, q, v);
  for (int i = 0; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    if (p->resting < 0) continue;
    double speed = fabs(p->now.rate);
    if (sim->resting[p->resting].sticks) speed = sqrt(dot(p->now.v, p->now.v));
    off = off || fabs(p->now.distance) > RUN_DRIFT || speed > 10 * RUN_DRIFT;
  }
  if (!off) return AP_OK;
  ap_status status =
      ap__contact_project(&sim->plant, q, v, sim->nresting, sim->resting, sim->contact_room, &lost);
  if (status) return ap__run_failed(sim, status, "points cannot be put back on walls", error);
  sim->lost += lost;
  sim->fresh = true;
  return AP_OK;
}
