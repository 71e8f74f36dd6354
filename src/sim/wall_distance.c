// SPDX-License-Identifier: Apache-2.0
// How points lie to walls: distance, its rate and its acceleration, and the way they slide.

#include <math.h>
#include <string.h>

#include "num/vec3.h"
#include "sim/run.h"

// The same of a joint at its stop.
static void look_at_stop(const double *q, const double *v, run_pair *pair) {
  double distance = pair->way * q[pair->coordinate] - pair->limit;
  double rate = v ? pair->way * v[pair->joint] : 0;
  pair->now = (run_gap){.p = {q[pair->coordinate]},
                        .v = {rate},
                        .normal = {1},
                        .slope = 1,
                        .wall = {0},
                        .distance = distance,
                        .rate = rate,
                        .gap = {.c = distance, .gradient = {1}}};
}

// Place and velocity of a pair's point, from the kinematics in the work.
static void look_at_point(const ap_sim *sim, run_pair *pair) {
  double R[9], p[3], speed[6], r[3], turned[3];
  ap_frame_pose(sim->m, sim->w, pair->body, R, p);
  ap_frame_velocity(sim->m, sim->w, pair->body, AP_MIXED, speed);
  for (int k = 0; k < 3; k++) r[k] = dot3(R + 3 * k, pair->at);
  cross3(speed + 3, r, turned);
  for (int k = 0; k < 3; k++) {
    pair->now.p[k] = p[k] + r[k];
    pair->now.v[k] = speed[k] + turned[k];
    pair->now.wall[k] = 0;
  }
}

void ap__run_walls_at(ap_sim *sim, double t) {
  double at = fmin(t, sim->until);
  if (!sim->moving || at == sim->pose_t) return;
  for (int i = 0; i < sim->scene.nwall; i++)
    if (ap__wall_moves(&sim->scene.wall[i])) ap__pose_at(sim->surface[i], at, &sim->pose[i]);
  sim->pose_t = at;
  ap__contact_forget(sim->contact_room);
}

double ap__run_kink(const ap_sim *sim, int wall, double t) {
  return ap__wall_moves(&sim->scene.wall[wall]) ? ap__pose_kink(sim->surface[wall], t) : INFINITY;
}

// The gap to a wall that moves, and the velocity relative to it.
static void look_at_moving(run_pair *pair) {
  run_gap *now = &pair->now;
  double rest[3];
  ap__pose_point(pair->pose, now->p, rest);
  ap__surface_face_gap(pair->surface, pair->face, rest, &now->gap);
  ap__pose_gap(pair->pose, &now->gap);
  ap__pose_velocity(pair->pose, now->p, now->wall);
  for (int k = 0; k < 3; k++) now->v[k] -= now->wall[k];
}

// Not on it: the distance is more than that of a touch.
static void set_off(const ap_sim *sim, run_pair *pair, double beyond) {
  pair->off = true;
  pair->now.distance = fmax(fmax(fabs(pair->now.distance), beyond), 2 * sim->touch);
}

// Whether the point is beyond the ends of its face, or behind it.
static void look_at_ends(const ap_sim *sim, run_pair *pair) {
  double rest[3];
  memcpy(rest, pair->now.p, sizeof rest);
  if (pair->pose) ap__pose_point(pair->pose, pair->now.p, rest);
  double within = ap__surface_within(pair->surface, pair->face, rest);
  double behind = fmax(4 * sim->touch, sim->scene.depth);
  if (pair->resting >= 0 && !pair->over) return;
  if (within < -RUN_EDGE_IS * sim->touch || pair->now.distance < -behind)
    set_off(sim, pair, -within);
}

// The rest of pair->now. Where the gradient vanishes, far from the wall, there is no normal.
static void look_at_wall(const ap_sim *sim, run_pair *pair) {
  run_gap *now = &pair->now;
  if (pair->pose)
    look_at_moving(pair);
  else
    ap__surface_face_gap(pair->surface, pair->face, now->p, &now->gap);
  now->slope = norm3(now->gap.gradient);
  double scale = now->slope > 0 ? 1 / now->slope : 0;
  for (int k = 0; k < 3; k++) now->normal[k] = scale * now->gap.gradient[k];
  now->distance = now->slope > 0 ? scale * now->gap.c : now->gap.c;
  now->rate = dot3(now->normal, now->v);
  pair->off = false;
  if (pair->ends) look_at_ends(sim, pair);
}

bool ap__run_covered(const ap_sim *sim, const run_pair *pair) {
  if (!pair->ends) return false;
  const ap_face *face = ap__surface_face(pair->surface, pair->face);
  for (int k = 0; pair->convex && k < ap__surface_faces(pair->surface); k++)
    if (k != pair->face && sim->pair[pair->first + k].resting >= 0) return true;
  for (int k = 0; k < face->nlimit; k++)
    if (face->limit[k].across >= 0 && sim->pair[pair->first + face->limit[k].across].resting >= 0)
      return true;
  return false;
}

// Which of two faces at their common edge holds the point: the one that it rests on or has just
// hit, or else the one that is farther out, now or soon.
static bool is_held_by(const ap_sim *sim, const run_pair *other, const run_pair *pair) {
  if (other->off || other->now.distance > sim->touch) return false;
  if (pair->resting >= 0 || pair->claims) return false;
  if (other->resting >= 0 || other->claims) return true;
  double out = other->now.distance - pair->now.distance, rate = other->now.rate - pair->now.rate;
  if (fabs(out) > 0.5 * sim->touch) return out > 0;
  return rate != 0 ? rate > 0 : other->face < pair->face;
}

// At an edge where faces exclude each other, all but one are off.
static void choose_face(const ap_sim *sim, run_pair *pair) {
  if (!pair->ends || pair->off || pair->now.distance > sim->touch) return;
  const ap_face *face = ap__surface_face(pair->surface, pair->face);
  const run_pair *all = &sim->pair[pair->first];
  bool held = false;
  for (int k = 0; pair->convex && k < ap__surface_faces(pair->surface) && !held; k++)
    held = k != pair->face && is_held_by(sim, &all[k], pair);
  for (int k = 0; k < face->nlimit && !held; k++)
    held = face->limit[k].across >= 0 && is_held_by(sim, &all[face->limit[k].across], pair);
  if (held) set_off(sim, pair, 0);
}

static void note_speed(ap_sim *sim, const run_pair *pair) {
  sim->fastest = fmax(sim->fastest, norm3(pair->now.v));
  if (pair->pose) sim->fastest = fmax(sim->fastest, norm3(pair->now.wall));
}

void ap__run_look(ap_sim *sim, const double *q, const double *v) {
  if (sim->npoint) ap_kinematics(sim->m, sim->w, q, v, NULL);
  for (int i = 0; i < sim->npair; i++) {
    run_pair *pair = &sim->pair[i];
    if (pair->joint >= 0) {
      look_at_stop(q, v, pair);
      note_speed(sim, pair);
      continue;
    }
    if (i > 0 && pair[-1].point == pair->point) { // the same point and another wall
      memcpy(pair->now.p, pair[-1].now.p, sizeof pair->now.p);
      for (int k = 0; k < 3; k++) {
        pair->now.v[k] = pair[-1].now.v[k];
        if (pair[-1].pose) pair->now.v[k] += pair[-1].now.wall[k];
        pair->now.wall[k] = 0;
      }
    } else {
      look_at_point(sim, pair);
    }
    look_at_wall(sim, pair);
    note_speed(sim, pair);
  }
  for (int i = 0; i < sim->npoint; i++) choose_face(sim, &sim->pair[i]);
}

// Second derivative of the distance: n . a + v . Hessian v / slope with v along the wall only; what
// c has of the normal's part of v is not the distance's.
static double bend(const ap_sim *sim, const run_pair *pair) {
  double R[9], p[3], speed[6], acc[6], r[3], a[3], b[3], c[3], v[3];
  const double *h = pair->now.gap.hessian;
  if (pair->joint >= 0) return pair->way * sim->a[pair->joint];
  for (int k = 0; k < 3; k++) v[k] = pair->now.v[k] - pair->now.rate * pair->now.normal[k];
  ap_frame_pose(sim->m, sim->w, pair->body, R, p);
  ap_frame_velocity(sim->m, sim->w, pair->body, AP_MIXED, speed);
  ap_frame_acceleration(sim->m, sim->w, pair->body, AP_MIXED, acc);
  for (int k = 0; k < 3; k++) r[k] = dot3(R + 3 * k, pair->at);
  cross3(acc + 3, r, a);
  cross3(speed + 3, r, b);
  cross3(speed + 3, b, c);
  for (int k = 0; k < 3; k++) a[k] += acc[k] + c[k];
  if (pair->pose) {
    double own[3];
    for (int k = 0; k < 3; k++) own[k] = pair->now.v[k] + pair->now.wall[k];
    ap__pose_relative(pair->pose, pair->now.p, own, a);
  }
  double curved = h[0] * v[0] * v[0] + h[3] * v[1] * v[1] + h[5] * v[2] * v[2] +
                  2 * (h[1] * v[0] * v[1] + h[2] * v[0] * v[2] + h[4] * v[1] * v[2]);
  double slope = pair->now.slope;
  return dot3(pair->now.normal, a) + (slope > 0 ? curved / slope : 0);
}

run_loss ap__run_loss(const ap_sim *sim, int i) {
  const run_gap *now = &sim->pair[sim->chosen[i]].now;
  const ap_touch *t = &sim->touched[i];
  double work = 0, push = 0, normal = 0;
  for (int k = 0; k < 3; k++) {
    double mean = 0.5 * (now->v[k] + (t->after[k] - now->wall[k]));
    work += t->impulse[k] * mean;
    push += t->impulse[k] * now->normal[k];
    normal += now->normal[k] * mean;
  }
  return (run_loss){.along = push * normal - work,
                    .across = -push * normal,
                    .driven = dot3(t->impulse, now->wall)};
}

void ap__run_bend(ap_sim *sim, const double *q, const double *v) {
  ap__run_look(sim, q, v);
  if (sim->npoint) ap_kinematics(sim->m, sim->w, q, v, sim->a);
  for (int i = 0; i < sim->npair; i++) sim->pair[i].bent = bend(sim, &sim->pair[i]);
}

double ap__run_lever(ap_sim *sim, const run_pair *pair) {
  double R[9], p[3], r[3], moment[3], own = 0, reach = 0, *J = sim->jacobian;
  const double *n = pair->now.normal;
  if (pair->joint >= 0) return 1;
  ap_frame_pose(sim->m, sim->w, pair->body, R, p);
  ap_frame_jacobian(sim->m, sim->w, pair->body, AP_MIXED, J);
  for (int k = 0; k < 3; k++) r[k] = dot3(R + 3 * k, pair->at);
  cross3(r, n, moment);
  double lever = norm3(r);
  for (int j = 0; j < sim->nv; j++) {
    double x = 0;
    for (int k = 0; k < 3; k++) {
      double straight = J[k * sim->nv + j], turn = J[(k + 3) * sim->nv + j];
      x += n[k] * straight + moment[k] * turn;
      reach = fmax(reach, fmax(fabs(straight), lever * fabs(turn)));
    }
    own = fmax(own, fabs(x));
  }
  return reach > 0 ? own / reach : 0;
}

ap_resting ap__run_resting(const run_pair *pair) {
  ap_resting r = {.kind = pair->joint < 0 ? AP_REST_POINT : AP_REST_STOP,
                  .point = pair->point,
                  .wall = pair->wall,
                  .body = pair->body,
                  .surface = pair->surface,
                  .face = pair->face,
                  .pose = pair->pose,
                  .across = pair->across,
                  .v = pair->joint,
                  .way = pair->way,
                  .coordinate = pair->coordinate,
                  .limit = pair->limit,
                  .friction = pair->friction,
                  .stiction = pair->stiction,
                  .gap = pair->now.distance};
  memcpy(r.at, pair->at, sizeof r.at);
  return r;
}

double ap__run_rebound(const run_pair *pair) {
  double u = -pair->now.rate;
  if (!(pair->eases > 0 && u > pair->eases)) return pair->restitution;
  return pair->restitution * pow(pair->eases / u, 0.25);
}

ap_touch ap__run_touch(const run_pair *pair, double restitution) {
  ap_touch t = {.body = pair->body,
                .restitution = restitution,
                .friction = pair->friction,
                .stop = pair->joint >= 0,
                .v = pair->joint,
                .way = pair->way};
  memcpy(t.at, pair->at, sizeof t.at);
  memcpy(t.normal, pair->now.normal, sizeof t.normal);
  memcpy(t.wall, pair->now.wall, sizeof t.wall);
  t.across = pair->across;
  if (pair->across > 0)
    ap__surface_along(pair->surface, pair->pose ? pair->pose->R : NULL, t.normal, t.along);
  return t;
}

bool ap__run_along(const ap_sim *sim, const run_pair *pair) {
  double speed = norm3(pair->now.v);
  double none = RUN_ALONG * speed + RUN_NOUGHT * sim->fastest + RUN_DRIFT * sim->length;
  return fabs(pair->now.rate) <= none;
}

bool ap__run_jams(const ap_sim *sim) {
  bool slides = false;
  for (int i = 0; i < sim->nresting && !slides; i++)
    slides = sim->resting[i].friction > 0 && !sim->resting[i].sticks;
  if (!slides) return false;
  return ap__contact_amplified(sim->m, sim->nresting, sim->resting, sim->contact_room) > RUN_JAM;
}

double ap__run_sliding_power(ap_sim *sim, const double *q, const double *v, double *driven) {
  double power = 0;
  bool looked = false;
  *driven = 0;
  for (int i = 0; i < sim->npair; i++) {
    run_pair *pair = &sim->pair[i];
    bool slides = pair->resting >= 0 && pair->friction != 0 && !sim->resting[pair->resting].sticks;
    if (!slides && (pair->resting < 0 || !pair->pose)) continue;
    if (!looked) ap_kinematics(sim->m, sim->w, q, v, NULL), looked = true;
    look_at_point(sim, pair);
    look_at_wall(sim, pair);
    const double *f = sim->resting[pair->resting].force, *n = pair->now.normal;
    if (slides) power -= dot3(f, pair->now.v) - dot3(f, n) * pair->now.rate;
    if (pair->pose) *driven += dot3(f, pair->now.wall);
  }
  return power;
}
