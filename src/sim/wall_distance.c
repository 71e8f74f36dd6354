// SPDX-License-Identifier: Apache-2.0
// How points lie to walls: distance, its rate and its acceleration, and the way they slide.

#include <math.h>
#include <string.h>

#include "num/vec3.h"
#include "sim/contact_meeting.h"
#include "sim/run.h"

// Balls around two shapes that are so many sim->touch apart: nothing of them touches.
#define LOOK_AWAY 1e3

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

// Where the bodies are that carry walls, from the kinematics in the work; order: as of
// ap__carried_pose().
static void look_at_carriers(ap_sim *sim, int order) {
  for (int i = 1; i < ap_nbody(sim->m) && sim->ngroup > 0; i++)
    if (sim->carries[i]) ap__carried_pose(sim->m, sim->w, i, order, &sim->carried[i]);
}

// How the wall of a pair moves; NULL: it does not.
static const ap_wall_pose *pose_of(const ap_sim *sim, const run_pair *pair) {
  return pair->carrier ? &sim->carried[pair->carrier] : pair->pose;
}

// Place and velocity of a pair's point, from the kinematics in the work.
static void look_at_point(const ap_sim *sim, run_pair *pair) {
  double R[9], p[3], speed[6], r[3], turned[3];
  if (pair->mount) {
    ap_way way;
    ap__pose_place(pair->mount, pair->at, 0, &way);
    memcpy(pair->now.p, way.p, sizeof way.p);
    memcpy(pair->now.own, way.v, sizeof way.v);
    return;
  }
  ap_frame_pose(sim->m, sim->w, pair->body, R, p);
  ap_frame_velocity(sim->m, sim->w, pair->body, AP_MIXED, speed);
  for (int k = 0; k < 3; k++) r[k] = dot3(R + 3 * k, pair->at);
  cross3(speed + 3, r, turned);
  for (int k = 0; k < 3; k++) {
    pair->now.p[k] = p[k] + r[k];
    pair->now.own[k] = speed[k] + turned[k];
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

// What the surface of a wall carries along: a belt has no part along the normal.
static void add_belt(const run_pair *pair, run_gap *now) {
  const ap_wall_pose *pose = pair->mount ? pair->mount : pair->pose;
  double belt[3], sign = pair->mount ? 1 : -1;
  if (!pose || norm3(pose->belt) == 0) return;
  ap__pose_belt(pose, now->normal, belt);
  for (int k = 0; k < 3; k++) {
    now->v[k] += sign * belt[k];
    now->wall[k] -= sign * belt[k];
  }
}

// The gap to a wall that moves, and the velocity relative to it.
static void look_at_moving(const ap_wall_pose *pose, run_pair *pair) {
  run_gap *now = &pair->now;
  double rest[3], wall[3];
  ap__pose_point(pose, now->p, rest);
  ap__surface_face_gap(pair->surface, pair->face, rest, &now->gap);
  ap__pose_gap(pose, &now->gap);
  ap__pose_carried(pose, now->p, wall);
  for (int k = 0; k < 3; k++) now->v[k] = now->own[k] - wall[k];
  if (pair->pose) memcpy(now->wall, wall, sizeof wall);
  for (int k = 0; k < 3 && pair->mount; k++) now->wall[k] = -now->own[k];
}

// Not on it: the distance is more than that of a touch.
static void set_off(const ap_sim *sim, run_pair *pair, double beyond) {
  pair->off = true;
  pair->now.distance = fmax(fmax(fabs(pair->now.distance), beyond), 2 * sim->touch);
}

// Whether a corner is the foremost one of its shape against the normal.
static bool is_foremost(const ap_sim *sim, const run_pair *pair) {
  double R[9], p[3], n[3];
  if (!pair->solid) return true;
  const double *w = pair->now.normal;
  if (pair->mount) {
    for (int k = 0; k < 3; k++) n[k] = ap__pose_part(pair->mount, k, w);
    return ap__solid_supports(pair->solid, pair->corner, n, RUN_EDGE_IS * sim->touch);
  }
  ap_frame_pose(sim->m, sim->w, pair->body, R, p);
  for (int k = 0; k < 3; k++) n[k] = R[k] * w[0] + R[3 + k] * w[1] + R[6 + k] * w[2];
  return ap__solid_supports(pair->solid, pair->corner, n, RUN_EDGE_IS * sim->touch);
}

// Whether the point is beyond the ends of its face, or behind it.
static void look_at_ends(const ap_sim *sim, run_pair *pair) {
  double rest[3];
  const ap_wall_pose *pose = pose_of(sim, pair);
  memcpy(rest, pair->now.p, sizeof rest);
  if (pose) ap__pose_point(pose, pair->now.p, rest);
  double within = ap__surface_within(pair->surface, pair->face, rest);
  double behind = fmax(4 * sim->touch, sim->scene.depth);
  if (pair->resting >= 0 && !pair->over) return;
  if (within < -RUN_EDGE_IS * sim->touch || pair->now.distance < -behind ||
      (pair->now.distance <= sim->touch && !is_foremost(sim, pair)))
    set_off(sim, pair, -within);
}

// Ends of the edge of a pair, and steps into its faces, in the axes of its wall.
static void edges_way(const ap_sim *sim, const run_pair *pair, int order, ap_edges_way *way) {
  ap_wall_pose own;
  if (pair->mount)
    own = *pair->mount;
  else
    ap__carried_pose(sim->m, sim->w, pair->body, order, &own);
  ap__carried_edges(pair->edges, &own, pose_of(sim, pair), way);
}

// Two edges.
static void look_at_edges(const ap_sim *sim, run_pair *pair) {
  run_gap *now = &pair->now;
  const ap_wall_pose *pose = pose_of(sim, pair);
  double behind = fmax(4 * sim->touch, sim->scene.depth), at[3], v[3];
  ap_edges_way way;
  ap_edges_place place;
  edges_way(sim, pair, 1, &way);
  ap__edges_place(pair->edges, &way, &place);
  memcpy(now->normal, place.normal, sizeof now->normal);
  memcpy(at, place.point, sizeof at);
  if (pose) {
    ap__pose_direction(pose, place.normal, now->normal);
    ap__pose_direction(pose, place.point, at);
    for (int k = 0; k < 3; k++) at[k] += pose->o[k];
  }
  ap_wall_pose own;
  if (pair->mount)
    own = *pair->mount;
  else
    ap__carried_pose(sim->m, sim->w, pair->body, 1, &own);
  ap__pose_carried(&own, at, now->v);
  for (int k = 0; k < 3 && pair->mount; k++) now->wall[k] = -now->v[k];
  if (pose) {
    ap__pose_carried(pose, at, v);
    for (int k = 0; k < 3; k++) now->v[k] -= v[k];
    if (pair->pose) memcpy(now->wall, v, sizeof v);
  }
  add_belt(pair, now);
  for (int k = 0; k < 3; k++) now->arm[k] = at[k] - now->p[k];
  now->slope = 1;
  now->distance = place.distance;
  now->rate = dot3(now->normal, now->v);
  now->gap = (ap_gap){.c = place.distance};
  memcpy(now->gap.gradient, now->normal, sizeof now->normal);
  pair->off = pair->doubled = false;
  double within = ap__edges_within(pair->edges, &way);
  // A normal turns round where edges become parallel: what rested is behind then.
  // A stride goes no further into a wall than its speed takes it.
  double jump = fmax(behind, 2 * sim->fastest * sim->moment);
  if (sim->t < sim->strides_until) behind = jump;
  if (pair->edges->kind == AP__EDGES_RIM || pair->edges->kind == AP__EDGES_STANDS)
    behind = jump = INFINITY; // a plane has no other side
  pair->reversed = now->distance < -jump;
  if (pair->resting >= 0 && !pair->over && now->distance >= -behind) return;
  if (within < -RUN_EDGE_IS * sim->touch || now->distance < -behind)
    set_off(sim, pair, fmin(-within, sim->length));
}

// The velocity where a ball touches.
static void look_at_ball(const ap_sim *sim, run_pair *pair) {
  run_gap *now = &pair->now;
  const ap_wall_pose *pose = pose_of(sim, pair);
  double speed[6], spin[3], v[3];
  ap_frame_velocity(sim->m, sim->w, pair->body, AP_MIXED, speed);
  for (int k = 0; k < 3; k++)
    spin[k] = (pose ? pose->w[k] : 0) - (pair->mount ? pair->mount->w[k] : speed[3 + k]);
  cross3(spin, now->normal, v);
  for (int k = 0; k < 3; k++) {
    now->arm[k] = -pair->radius * now->normal[k];
    now->v[k] += pair->radius * v[k];
  }
}

// The angular velocity as seen from the wall.
static void look_at_turning(const ap_sim *sim, run_pair *pair) {
  const ap_wall_pose *pose = pose_of(sim, pair);
  double speed[6];
  ap_frame_velocity(sim->m, sim->w, pair->body, AP_MIXED, speed);
  for (int k = 0; k < 3; k++)
    pair->now.turn[k] = (pair->mount ? pair->mount->w[k] : speed[3 + k]) - (pose ? pose->w[k] : 0);
}

// The rest of pair->now. Where the gradient vanishes, far from the wall, there is no normal.
static void look_at_wall(const ap_sim *sim, run_pair *pair) {
  run_gap *now = &pair->now;
  const ap_wall_pose *pose = pose_of(sim, pair);
  memset(now->wall, 0, sizeof now->wall);
  if (pair->turns[RUN_ROLL] > 0 || pair->turns[RUN_SPIN] > 0) look_at_turning(sim, pair);
  if (pair->edges) {
    look_at_edges(sim, pair);
    return;
  }
  memcpy(now->v, now->own, sizeof now->v);
  if (pose)
    look_at_moving(pose, pair);
  else
    ap__surface_face_gap(pair->surface, pair->face, now->p, &now->gap);
  now->slope = norm3(now->gap.gradient);
  double scale = now->slope > 0 ? 1 / now->slope : 0;
  for (int k = 0; k < 3; k++) now->normal[k] = scale * now->gap.gradient[k];
  now->distance = now->slope > 0 ? scale * now->gap.c : now->gap.c;
  now->rate = dot3(now->normal, now->v);
  memcpy(now->centre, now->v, sizeof now->v);
  if (pair->radius > 0) look_at_ball(sim, pair);
  add_belt(pair, now);
  pair->off = pair->doubled = false;
  if (pair->ends) look_at_ends(sim, pair);
}

bool ap__run_covered(const ap_sim *sim, const run_pair *pair) {
  if (!pair->ends || pair->edges) return false;
  const ap_face *face = ap__surface_face(pair->surface, pair->face);
  for (int k = 0; pair->convex && k < ap__surface_faces(pair->surface); k++)
    if (k != pair->face && sim->pair[pair->first + k].resting >= 0) return true;
  for (int k = 0; k < face->nlimit; k++) {
    int across = ap__face_limit(face, k)->across;
    if (across >= 0 && sim->pair[pair->first + across].resting >= 0) return true;
  }
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
  if (!pair->ends || pair->edges || pair->off || pair->now.distance > sim->touch) return;
  const ap_face *face = ap__surface_face(pair->surface, pair->face);
  const run_pair *all = &sim->pair[pair->first];
  bool held = false;
  for (int k = 0; pair->convex && k < ap__surface_faces(pair->surface) && !held; k++)
    held = k != pair->face && is_held_by(sim, &all[k], pair);
  for (int k = 0; k < face->nlimit && !held; k++) {
    int across = ap__face_limit(face, k)->across;
    held = across >= 0 && is_held_by(sim, &all[across], pair);
  }
  if (held) set_off(sim, pair, 0);
}

static void note_speed(ap_sim *sim, const run_pair *pair) {
  if (pair->edges && pair->off) return;
  double square = dot3(pair->now.v, pair->now.v); // few are the fastest
  if (!(square < 0.999 * sim->fastest * sim->fastest))
    sim->fastest = fmax(sim->fastest, sqrt(square));
  if (pair->pose || pair->mount) sim->fastest = fmax(sim->fastest, norm3(pair->now.wall));
}

// Whether two touching pairs of the same shapes are one contact: at one place with one normal.
static bool is_double(const ap_sim *sim, const run_pair *a, const run_pair *b) {
  double off = 0, sign = a->swapped == b->swapped ? 1 : -1;
  for (int k = 0; k < 3; k++) {
    double d = a->now.p[k] + a->now.arm[k] - b->now.p[k] - b->now.arm[k];
    off = fmax(off, fabs(d));
  }
  return off <= RUN_DOUBLE * sim->touch && sign * dot3(a->now.normal, b->now.normal) > 1 - 1e-9;
}

static bool touches(const ap_sim *sim, const run_pair *p) {
  return p->resting >= 0 || (!p->off && p->now.distance <= sim->touch);
}

// Where a corner is at a corner or an edge of the other shape, several pairs of features are one
// contact: it is that of the first, or of the one that rests.
static void drop_doubles(const ap_sim *sim) {
  for (int i = 0; i < sim->npoint; i++) {
    run_pair *p = &sim->pair[i];
    if (p->group < 0 || p->apart || !touches(sim, p)) continue;
    for (int k = i - 1; k >= 0 && sim->pair[k].group == p->group; k--) {
      run_pair *other = &sim->pair[k];
      if (!touches(sim, other) || !is_double(sim, p, other)) continue;
      run_pair *leaves = other->resting < 0 && (p->resting >= 0 || p->claims) ? other : p;
      if (leaves->resting >= 0) continue;
      set_off(sim, leaves, 0);
      leaves->doubled = true;
    }
  }
}

// Whether a pair has the same point as the one before.
static bool is_same_point(const run_pair *pair) {
  return pair[-1].body == pair->body && pair[-1].joint < 0 && pair[-1].group == pair->group &&
         pair[-1].at[0] == pair->at[0] && pair[-1].at[1] == pair->at[1] &&
         pair[-1].at[2] == pair->at[2];
}

// A pair that is left out, or whose shapes are this far apart, does not touch.
static void look_away(run_pair *pair, const double p[3], double distance) {
  pair->off = true;
  pair->doubled = false;
  pair->now = (run_gap){.normal = {0, 0, 1}, .slope = 1, .distance = distance};
  pair->now.gap = (ap_gap){.c = distance, .gradient = {0, 0, 1}};
  memcpy(pair->now.p, p, sizeof pair->now.p);
}

// How far the balls around the two shapes of a group are apart, where the first is in group->now.p.
static void look_at_group(const ap_sim *sim, run_pair *group) {
  const ap_wall_pose *pose = pose_of(sim, group);
  const ap_face *ball = group->surface->face;
  double at[3], off[3];
  look_at_point(sim, group);
  memcpy(at, group->now.p, sizeof at);
  if (pose) ap__pose_point(pose, group->now.p, at);
  for (int k = 0; k < 3; k++) off[k] = at[k] - ball->c[k];
  group->now.distance = norm3(off) - ball->tube;
  group->off = group->now.distance > LOOK_AWAY * sim->touch && sim->scene.window == 0;
}

void ap__run_look(ap_sim *sim, const double *q, const double *v) {
  if (sim->npoint) ap_kinematics(sim->m, sim->w, q, v, NULL);
  int last = -1;
  look_at_carriers(sim, 1);
  for (int i = 0; i < sim->npair; i++) {
    run_pair *pair = &sim->pair[i];
    if (pair->joint >= 0) {
      look_at_stop(q, v, pair);
      note_speed(sim, pair);
      continue;
    }
    run_pair *group = pair->group >= 0 ? &sim->group[pair->group] : NULL;
    if (group && pair->group != last) look_at_group(sim, group), last = pair->group;
    if (pair->apart || (group && group->off)) {
      static const double nowhere[3] = {0};
      look_away(pair, group ? group->now.p : nowhere,
                pair->apart ? sim->length : group->now.distance);
      continue;
    }
    if (i > 0 && is_same_point(pair)) { // and another wall
      memcpy(pair->now.p, pair[-1].now.p, sizeof pair->now.p);
      memcpy(pair->now.own, pair[-1].now.own, sizeof pair->now.own);
    } else {
      look_at_point(sim, pair);
    }
    look_at_wall(sim, pair);
    note_speed(sim, pair);
  }
  for (int i = 0; i < sim->npoint; i++) choose_face(sim, &sim->pair[i]);
  if (sim->ngroup) drop_doubles(sim);
}

// The second derivative of the distance, where the point has the acceleration a and the velocity v
// along the wall.
static double bent(const run_pair *pair, const ap_wall_pose *pose, double a[3], const double v[3]) {
  const double *h = pair->now.gap.hessian;
  if (pose) ap__pose_relative(pose, pair->now.p, pair->now.own, a);
  double curved = h[0] * v[0] * v[0] + h[3] * v[1] * v[1] + h[5] * v[2] * v[2] +
                  2 * (h[1] * v[0] * v[1] + h[2] * v[0] * v[2] + h[4] * v[1] * v[2]);
  double slope = pair->now.slope;
  return dot3(pair->now.normal, a) + (slope > 0 ? curved / slope : 0);
}

// Second derivative of the distance: n . a + v . Hessian v / slope with v along the wall only; what
// c has of the normal's part of v is not the distance's.
static double bend(const ap_sim *sim, const run_pair *pair) {
  double R[9], p[3], speed[6], acc[6], r[3], a[3], b[3], c[3], v[3];
  const ap_wall_pose *pose = pose_of(sim, pair);
  if (pair->joint >= 0) return pair->way * sim->a[pair->joint];
  if (pair->apart || (pair->group >= 0 && sim->group[pair->group].off)) return 0;
  if (pair->edges) {
    ap_edges_way way;
    ap_edges_place place;
    edges_way(sim, pair, 2, &way);
    ap__edges_place(pair->edges, &way, &place);
    return place.bend;
  }
  for (int k = 0; k < 3; k++) v[k] = pair->now.centre[k] - pair->now.rate * pair->now.normal[k];
  if (pair->mount) {
    ap_way way;
    ap__pose_place(pair->mount, pair->at, 0, &way);
    memcpy(a, way.a, sizeof a);
    return bent(pair, pose, a, v);
  }
  ap_frame_pose(sim->m, sim->w, pair->body, R, p);
  ap_frame_velocity(sim->m, sim->w, pair->body, AP_MIXED, speed);
  ap_frame_acceleration(sim->m, sim->w, pair->body, AP_MIXED, acc);
  for (int k = 0; k < 3; k++) r[k] = dot3(R + 3 * k, pair->at);
  cross3(acc + 3, r, a);
  cross3(speed + 3, r, b);
  cross3(speed + 3, b, c);
  for (int k = 0; k < 3; k++) a[k] += acc[k] + c[k];
  return bent(pair, pose, a, v);
}

run_loss ap__run_loss(const ap_sim *sim, int i) {
  const run_gap *now = &sim->pair[sim->chosen[i]].now;
  const ap_touch *t = &sim->touched[i];
  double work = 0, push = 0, normal = 0;
  if (t->turn != AP_TURN_NONE) return ap__run_turn_loss(sim, i);
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
  look_at_carriers(sim, 2);
  for (int i = 0; i < sim->npair; i++) sim->pair[i].bent = bend(sim, &sim->pair[i]);
}

// What a body's joints do to the place of contact along the normal: added to `along` [nv] times
// sign; returns how much they move it at all.
static double add_lever(ap_sim *sim, const run_pair *pair, int body, double sign, double *along) {
  double R[9], p[3], r[3], moment[3], reach = 0, *J = sim->jacobian;
  const double *n = pair->now.normal;
  if (body <= 0) return 0;
  ap_frame_pose(sim->m, sim->w, body, R, p);
  ap_frame_jacobian(sim->m, sim->w, body, AP_MIXED, J);
  for (int k = 0; k < 3; k++) r[k] = pair->now.p[k] + pair->now.arm[k] - p[k];
  cross3(r, n, moment);
  double lever = norm3(r);
  for (int j = 0; j < sim->nv; j++)
    for (int k = 0; k < 3; k++) {
      double straight = J[k * sim->nv + j], turn = J[(k + 3) * sim->nv + j];
      along[j] += sign * (n[k] * straight + moment[k] * turn);
      reach = fmax(reach, fmax(fabs(straight), lever * fabs(turn)));
    }
  return reach;
}

double ap__run_lever(ap_sim *sim, const run_pair *pair) {
  double own = 0, *along = sim->along;
  if (pair->joint >= 0) return 1;
  memset(along, 0, (size_t)sim->nv * sizeof *along);
  double reach = add_lever(sim, pair, pair->body, 1, along);
  reach = fmax(reach, add_lever(sim, pair, pair->carrier, -1, along));
  for (int j = 0; j < sim->nv; j++) own = fmax(own, fabs(along[j]));
  return reach > 0 ? own / reach : 0;
}

ap_resting ap__run_resting(const run_pair *pair) {
  ap_resting r = {.kind = pair->joint < 0 ? AP_REST_POINT : AP_REST_STOP,
                  .point = pair->point,
                  .wall = pair->wall,
                  .body = pair->body,
                  .surface = pair->surface,
                  .face = pair->face,
                  .carrier = pair->carrier,
                  .radius = pair->radius,
                  .edges = pair->edges,
                  .id = pair->id,
                  .pose = pair->pose,
                  .mount = pair->mount,
                  .grain = pair->grain,
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
                .other = pair->carrier,
                .v = pair->joint,
                .way = pair->way};
  memcpy(t.at, pair->at, sizeof t.at);
  memcpy(t.normal, pair->now.normal, sizeof t.normal);
  memcpy(t.wall, pair->now.wall, sizeof t.wall);
  memcpy(t.arm, pair->now.arm, sizeof t.arm);
  t.across = pair->across;
  const ap_wall_pose *wall = pair->mount ? pair->mount : pair->pose;
  if (pair->across > 0) ap__surface_along(pair->grain, wall ? wall->R : NULL, t.normal, t.along);
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
    bool turns = pair->turning[RUN_ROLL] >= 0 || pair->turning[RUN_SPIN] >= 0;
    bool moves = pair->pose || pair->mount;
    if (!slides && !turns && (pair->resting < 0 || !moves)) continue;
    if (!looked) ap_kinematics(sim->m, sim->w, q, v, NULL), look_at_carriers(sim, 1);
    looked = true;
    look_at_point(sim, pair);
    look_at_wall(sim, pair);
    const double *f = sim->resting[pair->resting].force, *n = pair->now.normal;
    if (slides) power -= dot3(f, pair->now.v) - dot3(f, n) * pair->now.rate;
    if (moves) *driven += dot3(f, pair->now.wall);
    if (turns) power += ap__run_turn_power(sim, pair, driven);
  }
  return power;
}
