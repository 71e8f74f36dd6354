// SPDX-License-Identifier: Apache-2.0
#include "sim/contact_meeting.h"

#include <appell/kin.h>
#include <math.h>
#include <string.h>

#include "num/vec3.h"

// ---- bodies ------------------------------------------------------------------------------------

// How a body moves: its origin, velocity, acceleration, angular velocity and acceleration.
static void read_body(const ap_model *m, ap_work *w, int body, int order, ap_wall_pose *pose) {
  double R[9], twist[6] = {0}, rate[6] = {0};
  *pose = (ap_wall_pose){.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  if (body <= 0) return;
  ap_frame_pose(m, w, body, R, pose->o);
  memcpy(pose->R, R, sizeof R);
  if (order > 0) ap_frame_velocity(m, w, body, AP_MIXED, twist);
  if (order == 2) ap_frame_acceleration(m, w, body, AP_MIXED, rate);
  if (order == 3) ap_frame_jacobian_dot_v(m, w, body, AP_MIXED, rate);
  memcpy(pose->v, twist, sizeof pose->v);
  memcpy(pose->w, twist + 3, sizeof pose->w);
  memcpy(pose->a, rate, sizeof pose->a);
  memcpy(pose->dw, rate + 3, sizeof pose->dw);
}

void ap__carried_pose(const ap_model *m, ap_work *w, int body, int order, ap_wall_pose *pose) {
  read_body(m, w, body, order, pose);
}

// Velocity and acceleration of matter of a body at a place r from its origin.
static void matter(const ap_wall_pose *b, const double r[3], double v[3], double a[3]) {
  double turned[3], twice[3], pushed[3];
  cross3(b->w, r, turned);
  cross3(b->w, turned, twice);
  cross3(b->dw, r, pushed);
  for (int k = 0; k < 3; k++) {
    v[k] = b->v[k] + turned[k];
    a[k] = b->a[k] + pushed[k] + twice[k];
  }
}

static void way_of(const ap_wall_pose *b, const double at[3], ap_way *way) {
  double r[3], from[3];
  *way = (ap_way){.r = 0};
  for (int k = 0; k < 3; k++) from[k] = at[k] - b->pivot[k];
  for (int k = 0; k < 3; k++) r[k] = dot3(b->R[k], from);
  for (int k = 0; k < 3; k++) way->p[k] = b->o[k] + r[k];
  matter(b, r, way->v, way->a);
}

// A pose without its origin, in which places are directions.
static ap_wall_pose turning(const ap_wall_pose *b) {
  ap_wall_pose turns = *b;
  for (int k = 0; k < 3; k++) turns.o[k] = turns.v[k] = turns.a[k] = turns.pivot[k] = 0;
  return turns;
}

void ap__carried_edges(const ap_edges *e, const ap_wall_pose *a, const ap_wall_pose *b,
                       ap_edges_way *way) {
  const double *at[4] = {e->a[0], e->a[1], e->beside_a[0], e->beside_a[1]};
  for (int k = 0; k < 4; k++) {
    bool vector = k == 1 && ap__edges_of_rim(e);
    const ap_wall_pose from = vector ? turning(a) : *a;
    ap_way world, *to = k < 2 ? &way->end[k] : &way->step[k - 2];
    way_of(&from, at[k], &world);
    *to = world;
    if (!b) continue;
    const ap_wall_pose rest = vector ? turning(b) : *b;
    ap__pose_way(&rest, &world, to);
  }
}

// ---- contacts ----------------------------------------------------------------------------------

// The rate of a normal that stays across both edges: e . n' = -n . e' of each. seen: that of other
// pairs in the axes of B.
static void tilt_edges(const ap_edges *edges, const ap_wall_pose *a, const ap_wall_pose *b,
                       const double seen[3], contact_meeting *c) {
  double e[2][3], d[3], rate[2], turned[3], across[2][3];
  if (edges->kind != AP__EDGES_TWO) { // it turns with B, and in its axes
    ap__pose_direction(b, seen, turned);
    cross3(b->w, c->normal, c->tilts);
    for (int k = 0; k < 3; k++) c->tilts[k] += turned[k];
    return;
  }
  for (int k = 0; k < 3; k++) d[k] = edges->a[1][k] - edges->a[0][k];
  ap__pose_direction(a, d, e[0]);
  ap__pose_direction(b, edges->axes[2], e[1]);
  for (int k = 0; k < 2; k++) {
    cross3(k ? b->w : a->w, e[k], turned);
    rate[k] = -dot3(c->normal, turned);
  }
  cross3(e[1], c->normal, across[0]); // reciprocal to both in their plane
  cross3(c->normal, e[0], across[1]);
  double area = dot3(across[0], e[0]);
  for (int k = 0; k < 3; k++)
    c->tilts[k] = (rate[0] * across[0][k] + rate[1] * across[1][k]) / area;
}

// The place, normal, gap and its bend of two edges; `glides`: the velocity of the place from B.
static void meet_edges(const ap_resting *r, const ap_wall_pose *a, const ap_wall_pose *b,
                       double p[3], double glides[3], contact_meeting *c) {
  ap_edges_way way = {.end = {{.r = 0}}};
  ap_edges_place place;
  ap__carried_edges(r->edges, a, b, &way);
  ap__edges_place(r->edges, &way, &place);
  ap__pose_direction(b, place.normal, c->normal);
  ap__pose_direction(b, place.moves, glides);
  ap__pose_direction(b, place.point, p);
  for (int k = 0; k < 3; k++) p[k] += b->o[k];
  c->gap = place.distance;
  c->bend = place.bend;
  tilt_edges(r->edges, a, b, place.turns, c);
}

// The same of a ball, or a point, at a surface.
static void meet_ball(const ap_resting *r, const ap_wall_pose *a, const ap_wall_pose *b,
                      double p[3], double glides[3], contact_meeting *c) {
  ap_way centre;
  ap_gap gap;
  double rest[3], rel[3], wall[3], turned[3];
  way_of(a, r->at, &centre);
  ap__pose_point(b, centre.p, rest);
  ap__surface_face_gap(r->surface, r->face, rest, &gap);
  ap__pose_gap(b, &gap);
  double slope = norm3(gap.gradient), acc[3] = {centre.a[0], centre.a[1], centre.a[2]}, r0[3];
  for (int k = 0; k < 3; k++) c->normal[k] = gap.gradient[k] / slope;
  for (int k = 0; k < 3; k++) r0[k] = centre.p[k] - b->o[k];
  cross3(b->w, r0, wall);
  for (int k = 0; k < 3; k++) rel[k] = centre.v[k] - b->v[k] - wall[k];
  ap__pose_relative(b, centre.p, centre.v, acc);
  const double *h = gap.hessian;
  const double H[3][3] = {{h[0], h[1], h[2]}, {h[1], h[3], h[4]}, {h[2], h[4], h[5]}};
  for (int k = 0; k < 3; k++) turned[k] = dot3(H[k], rel) / slope;
  double part = dot3(c->normal, turned);
  c->gap = gap.c / slope;
  c->bend = dot3(c->normal, acc) + dot3(rel, turned);
  cross3(b->w, c->normal, wall);
  for (int k = 0; k < 3; k++) {
    double tilts = turned[k] - part * c->normal[k];
    p[k] = centre.p[k] - r->radius * c->normal[k];
    glides[k] = rel[k] - r->radius * tilts;
    c->tilts[k] = wall[k] + tilts;
  }
}

// What the surface of a wall carries, without what is along the normal: t = b - (n . b) n, and t'.
static void add_belt(const ap_resting *r, contact_meeting *c) {
  const ap_wall_pose *pose = r->mount ? r->mount : r->pose;
  double belt[3], turned[3], along = dot3(c->normal, pose->belt), sign = r->mount ? 1 : -1;
  if (norm3(pose->belt) == 0) return;
  ap__pose_belt(pose, c->normal, belt);
  cross3(pose->w, pose->belt, turned);
  double rate = dot3(c->tilts, pose->belt) + dot3(c->normal, turned);
  for (int k = 0; k < 3; k++) {
    c->velocity[k] += sign * belt[k];
    c->wall[k] -= sign * belt[k];
    c->pull[k] += sign * (turned[k] - rate * c->normal[k] - along * c->tilts[k]);
  }
}

void ap__contact_meet(const ap_model *m, ap_work *w, const ap_resting *r, bool moves,
                      contact_meeting *c) {
  ap_wall_pose a, b;
  double p[3], glides[3], va[3], vb[3], aa[3], ab[3], seen[3], one[3], two[3];
  int order = moves ? 3 : 0;
  *c = (contact_meeting){.gap = 0};
  if (r->mount)
    a = *r->mount;
  else
    read_body(m, w, r->body, order, &a);
  if (r->pose)
    b = *r->pose;
  else
    read_body(m, w, r->carrier, order, &b);
  if (r->edges)
    meet_edges(r, &a, &b, p, glides, c);
  else
    meet_ball(r, &a, &b, p, glides, c);
  memcpy(c->place, p, sizeof c->place);
  for (int k = 0; k < 3; k++) c->arm[k] = p[k] - a.o[k], c->other[k] = p[k] - b.o[k];
  if (!moves) return;
  matter(&a, c->arm, va, aa);
  matter(&b, c->other, vb, ab);
  for (int k = 0; k < 3; k++) seen[k] = glides[k] - (va[k] - vb[k]);
  cross3(a.w, seen, one);
  cross3(b.w, glides, two);
  for (int k = 0; k < 3; k++) {
    c->velocity[k] = va[k] - vb[k];
    c->wall[k] = r->mount ? -va[k] : vb[k];
    c->pull[k] = aa[k] - ab[k] + one[k] - two[k];
    c->turn[k] = a.w[k] - b.w[k];
    c->turns[k] = a.dw[k] - b.dw[k];
  }
  if (r->pose || r->mount) add_belt(r, c);
}
