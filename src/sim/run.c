// SPDX-License-Identifier: Apache-2.0
// Runs as the public sees them: start, advance, read.

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "model/frozen.h"
#include "model/pack.h"
#include "num/vec3.h"
#include "sim/round_edges.h"
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
    case AP_EVENT_TURN: return "turn";
    case AP_EVENT_HALT: return "halt";
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
    wrong = "the start time is not finite";
  if (wrong) return AP__REFUSE(error, AP_E_ARG, 0, "%s", wrong);
  for (int i = 0; i < sim->nq + sim->nv; i++) {
    if (isfinite(i < sim->nq ? q[i] : v[i - sim->nq])) continue;
    return AP__REFUSE(error, AP_E_ARG, 0, "entry %d of %s is not finite",
                      i < sim->nq ? i : i - sim->nq, i < sim->nq ? "q" : "v");
  }
  return AP_OK;
}

// Refuse a start beyond a rigid stop.
static ap_status check_limit(const ap_sim *sim, const run_pair *p, ap_error *error) {
  double limit = p->limit / p->way;
  const char *joint = "joint";
  if (p->stiffness > 0) return AP_OK;
  for (int i = 1; i < ap_nbody(sim->m); i++)
    if (ap_joint_nv(sim->m, i) == 1 && ap_joint_v(sim->m, i) == p->joint)
      joint = ap_body(sim->m, i)->joint_name;
  return AP__REFUSE(
      error, AP_E_ARG, 0,
      "joint \"%.*s\" starts at %.9g, beyond its limit of %.9g: start inside, or disable limits",
      ap__shown(joint), joint, p->now.p[0], limit);
}

// How a point lies to a wall of several faces as a whole.
static double solid_distance(const run_pair *p) {
  ap_gap gap;
  if (p->face > 0) return 0; // said by the first
  ap_surface_gap(p->surface, p->now.p, &gap);
  double slope = norm3(gap.gradient);
  return slope > 0 ? gap.c / slope : gap.c;
}

// Refuse a start inside a wall, or beyond a limit.
static ap_status check_inside(const ap_sim *sim, ap_error *error) {
  for (int i = 0; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    if (p->group >= 0) continue; // ap__pairs_start() has looked
    double distance = p->ends ? solid_distance(p) : p->now.distance;
    if (distance >= -sim->scene.depth) continue;
    if (p->joint >= 0) {
      ap_status status = check_limit(sim, p, error);
      if (status) return status;
      continue;
    }
    const char *point = sim->scene.point[p->point].name, *wall = sim->scene.wall[p->wall].name;
    const char *what = sim->scene.point[p->point].shape ? "shape" : "point";
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "%s \"%.*s\" starts %.3g m inside wall \"%.*s\", at (%.6g, %.6g, %.6g)", what,
                      ap__shown(point), point, -distance, ap__shown(wall), wall, p->now.p[0],
                      p->now.p[1], p->now.p[2]);
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
    if (p->now.distance > sim->scene.depth || !ap__run_along(sim, p)) continue;
    if (p->bent >= -RUN_FALLS || ap__run_lever(sim, p) > 1e-10) continue;
    const char *point = sim->scene.point[p->point].name;
    const char *wall = ap_scene_wall_name(&sim->scene, p->wall);
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "point \"%.*s\" starts on wall \"%.*s\" and moves into it, where no joint "
                      "can move it away: bend the robot a little, or start at rest",
                      ap__shown(point), point, ap__shown(wall), wall);
  }
  return AP_OK;
}

// The longest way from the first joint of a body to a point of it, whatever the joints that turn
// do.
static double reach_of(const ap_model *m, const run_pair *p) {
  const ap_packed_frame *f = &m->packed_frame[p->body];
  double reach = 0, x[3] = {f->p[0], f->p[1], f->p[2]};
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++) x[k] += f->R[3 * k + c] * p->at[c];
  for (int i = m->mover[p->body]; i > 0; i = m->joint[i].parent) {
    reach += norm3(x);
    memcpy(x, m->packed_body[i].s, sizeof x);
  }
  return reach;
}

// The scene's length: of the robot's reach, of its walls, and of how far they are; and what follows
// from it. Far from the origin rounding is larger than grazing.
static void measure(ap_sim *sim) {
  double length = 0, far = 0, speed = 0, g = 0;
  for (int i = 0; i < sim->npoint; i++) {
    const run_pair *p = &sim->pair[i];
    bool carries = p->edges && ap__edges_carries(p->edges) &&
                   (p->edges->kind == AP__EDGES_STANDS || p->edges->round->disc > 0);
    if ((p->edges && !carries) || p->apart) continue;
    bool carried = p->wall >= sim->scene.nwall;
    const ap_wall *wall = carried ? NULL : &sim->scene.wall[p->wall];
    double off = fmin(fabs(p->now.gap.c), fabs(p->now.distance)); // c grows as a square far away,
    length = fmax(length, fmax(reach_of(sim->m, p), off));        // c / slope near a centre
    length = fmax(length, sim->solid[p->point].reach);
    for (int k = 0; k < 3; k++) {
      far = fmax(far, fabs(p->now.p[k]));
      speed = fmax(speed, fabs(p->now.v[k]));
      if (!wall) continue;
      if (wall->kind != AP_WALL_PLANE && wall->kind != AP_WALL_PROFILE)
        length = fmax(length, wall->size[k]);
      length = fmax(length, fabs(wall->motion.amplitude[k]));
      far = fmax(far, fabs(wall->centre[k]));
    }
  }
  for (int k = 0; k < 3; k++) g = fmax(g, fabs(sim->scene.gravity[k]));
  sim->length = length > 0 ? length : 1;
  sim->range = fmax(sim->length, g > 0 ? speed * speed / g : 0);
  sim->touch = fmax(RUN_GRAZE * sim->length, 16 * DBL_EPSILON * far);
  double time = g > 0 ? sqrt(sim->length / g) : speed > 0 ? sim->length / speed : 1;
  sim->moment = RUN_STRIDES * time;
}

// Points that touch at the start hit, rest or leave; brakes hold or slide.
static ap_status first_contacts(ap_sim *sim, ap_error *error) {
  const double *v = sim->y + sim->nq;
  bool hits = false, rests = false;
  for (int i = 0; i < sim->npair; i++) {
    run_pair *p = &sim->pair[i];
    if (p->stiffness > 0) {
      p->pressed = p->now.distance < 0;
      p->slackens = p->pressed && ap__run_stop_force(p, sim->y, v) < 0;
      continue;
    }
    if (p->now.distance > sim->touch) continue;
    if (ap__run_along(sim, p))
      rests = true;
    else if (p->now.rate < 0)
      hits = true;
  }
  for (int i = 0; i < sim->nbrake; i++) {
    run_brake *b = &sim->brake[i];
    b->way = v[b->v] > 0 ? 1 : v[b->v] < 0 ? -1 : 0;
    b->resting = -1;
    rests = rests || !b->way;
  }
  if (hits) {
    ap_status status = ap__run_count(sim, NULL, error);
    return status ? status : ap__run_impact(sim, error);
  }
  return rests ? ap__run_settle(sim, (run_break){BREAK_NONE, -1, 0}, error) : AP_OK;
}

// Nothing rests, and nothing was told.
static void forget_contacts(ap_sim *sim) {
  for (int i = 0; i < sim->npair; i++) {
    sim->pair[i].resting = -1;
    sim->pair[i].turning[RUN_ROLL] = sim->pair[i].turning[RUN_SPIN] = -1;
    sim->pair[i].away = true;
    sim->pair[i].pressed = sim->pair[i].slackens = false;
    sim->pair[i].told = sim->pair[i].dips = false;
    sim->pair[i].claims = sim->pair[i].over = sim->pair[i].off = false;
  }
  for (int i = 0; i < sim->nbrake; i++) sim->brake[i].way = 0, sim->brake[i].resting = -1;
}

ap_status ap_sim_start(ap_sim *sim, double t, const double *q, const double *v, ap_error *error) {
  ap_status status = check_start(sim, t, q, v, error);
  if (status) return status;
  sim->started = false;
  memset(sim->y, 0, (size_t)sim->n * sizeof *sim->y);
  memcpy(sim->y, q, (size_t)sim->nq * sizeof *q);
  memcpy(sim->y + sim->nq, v, (size_t)sim->nv * sizeof *v);
  if (ap_normalize(sim->m, sim->y))
    return AP__REFUSE(error, AP_E_ARG, 0, "a quaternion in q is zero");
  sim->t = t;
  status = sim->plant.kind->start(&sim->plant, sim->y, sim->y + sim->nq);
  if (status) return ap__run_failed(sim, status, "the mechanism cannot start", error);
  sim->fresh = true;
  sim->lost = sim->drift = sim->wall_work = 0;
  sim->kink = INFINITY;
  for (int i = 0; i < sim->scene.nwall; i++) sim->kink = fmin(sim->kink, ap__run_kink(sim, i, t));
  sim->pose_t = NAN;
  sim->number = 0;
  sim->nresting = 0;
  sim->events = sim->busy = 0;
  sim->strides_until = -INFINITY;
  for (int i = 0; i < ap_nbody(sim->m); i++) sim->busy_of[i] = (run_busy){-INFINITY, 0};
  sim->open = sim->read = false;
  sim->until = INFINITY;
  sim->tiny = 0;
  sim->calm = 0;
  sim->ending = INFINITY;
  sim->touch = sim->fastest = 0;
  forget_contacts(sim);
  ap__run_loads(sim, t);
  ap__run_walls_at(sim, t);
  status = ap__pairs_start(sim, sim->y, error);
  if (status) return status;
  ap__run_stand_start(sim);
  ap__run_look(sim, sim->y, sim->y + sim->nq);
  measure(sim);
  ap__run_stand_widen(sim);
  ap__run_look(sim, sim->y, sim->y + sim->nq); // touches of faces depend on the scene's length
  sim->strides_length = sim->moment;
  status = check_inside(sim, error);
  if (!status) status = check_singular(sim, error);
  if (status) return status;
  double energy[3];
  ap__run_energy(sim, energy);
  sim->start_energy = energy[0] + energy[1] + energy[2];
  sim->start_motion = energy[0] + energy[2];
  sim->start_held = ap__run_held(sim);
  sim->started = true; // who is told of the first events may ask for the state
  ap__ode_begin(sim->ode, t);
  sim->event_t = t;
  sim->event_gap = INFINITY;
  sim->energy = sim->moved = 0;
  status = first_contacts(sim, error);
  if (!status) ap__run_remark(sim);
  double lift = -energy[1] - energy[2]; // onto walls, of points that start inside within `depth`
  ap__run_energy(sim, energy);
  lift += energy[1] + energy[2];
  sim->start_energy += fmax(lift, 0);
  sim->started = !status;
  return status;
}

// ---- advance -----------------------------------------------------------------------------------

ap_status ap_sim_advance(ap_sim *sim, double t, ap_error *error) {
  if (!sim || !sim->started || !isfinite(t) || t < sim->t)
    return AP__REFUSE(error, AP_E_ARG, 0, "%s",
                      !sim            ? "the run is NULL"
                      : !sim->started ? "the run is not started, or has failed"
                                      : "the end time is not after the current time");
  ap__run_forget(sim);
  ap_status status = ap__run_advance(sim, t, error);
  sim->started = !status;
  return status;
}

// ---- read --------------------------------------------------------------------------------------

ap_status ap_sim_now(ap_sim *sim, ap_sim_state *state, ap_error *error) {
  if (!sim || !state || !sim->started)
    return AP__REFUSE(error, AP_E_ARG, 0, "%s",
                      !sim || !state ? "the run or the pointer for the state is NULL"
                                     : "the run is not started, or has failed");
  double *v = sim->y + sim->nq, *ledger = v + sim->nv, energy[3];
  memcpy(sim->q, sim->y, (size_t)sim->nq * sizeof *sim->q);
  ap_normalize(sim->m, sim->q);
  ap__run_loads(sim, sim->t);
  if (!sim->read && sim->nresting)
    memcpy(sim->unread, sim->resting, (size_t)sim->nresting * sizeof *sim->resting);
  sim->read = true;
  ap_status status = ap__run_accelerations(sim, sim->t, sim->q, v);
  if (status) return ap__run_failed(sim, status, "no acceleration", error);
  ap__run_energy(sim, energy);
  double lost = sim->open && sim->ends == RUN_STRIDE ? sim->from_lost : sim->lost;
  double driven = sim->open && sim->ends == RUN_STRIDE ? sim->from_driven : sim->wall_work;
  double held = ap__run_held(sim), work = ledger[RUN_LOADS] + sim->start_held - held + driven;
  energy[1] -= held;
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
                          .lost = lost,
                          .contacts = ap_sim_contacts(sim, NULL, 0)};
  if (sim->loop) {
    state->s = sim->s;
    state->sd = sim->sd;
    state->drift = sim->drift;
    state->closure = ap__closed_coordinates(sim->plant.closed, sim->q, v, sim->s, sim->sd);
  }
  state->closing = energy[0] + energy[1] + energy[2] - work + state->dissipated + lost -
                   (sim->start_energy - sim->start_held);
  return AP_OK;
}

void ap__run_forget(ap_sim *sim) {
  if (sim->read && sim->nresting)
    memcpy(sim->resting, sim->unread, (size_t)sim->nresting * sizeof *sim->resting);
  sim->read = false;
}

int ap_sim_contacts(const ap_sim *sim, ap_contact_state *contact, int room) {
  int n = 0;
  if (!sim || !sim->started) return 0;
  for (int i = 0; i < sim->nresting; i++) {
    const ap_resting *r = &sim->resting[i];
    if (r->kind != AP_REST_POINT) continue;
    if (contact && n < room) {
      const run_pair *p = &sim->pair[r->id];
      contact[n] = (ap_contact_state){.point = r->point,
                                      .wall = r->wall,
                                      .sticks = r->sticks,
                                      .gap = r->gap,
                                      .margin = r->margin};
      for (int k = 0; k < 3; k++) {
        contact[n].force[k] = p->swapped ? -r->force[k] : r->force[k];
        contact[n].position[k] = r->place[k];
      }
    }
    n++;
  }
  return n;
}

const char *ap_sim_remark(const ap_sim *sim) { return sim ? sim->remark : ""; }

long ap_sim_evaluations(const ap_sim *sim) { return sim ? sim->evaluations : 0; }
