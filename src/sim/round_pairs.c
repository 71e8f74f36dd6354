// SPDX-License-Identifier: Apache-2.0
// Pairs of cylinders, and of what is round else, feature by feature.

#include <string.h>

#include "num/vec3.h"
#include "sim/pair_builder.h"
#include "sim/rim_pairs.h"
#include "sim/rims.h"

typedef ap_pair_builder builder;

// A pair of an edge or a face and what is round; `like` of a side whose places are its a. NULL: it
// is only counted.
static ap_edges *add_edges(builder *b, const run_pair *like, run_pair **pair, ap_round **round) {
  ap_edges *e = AP_TAKE(b->arena, ap_edges, 1);
  *round = AP_TAKE(b->arena, ap_round, 1);
  int first = (int)b->pairs;
  run_pair *p = ap__pairs_next(b);
  *pair = p;
  if (!p || !e || !*round) return NULL;
  *p = *like;
  p->first = first;
  p->edges = e;
  p->ends = true;
  return e;
}

static void add_rim(builder *b, const run_pair *like, const run_pair *back, const ap_solid *a,
                    const ap_round_rim *rim) {
  ap_round *round;
  run_pair *pair;
  for (int i = 0; i < a->nedge; i++)
    for (int way = a->radius > 0 ? -1 : 0; way < 5; way++) { // beside; across the plane; s and o
      if (way > 0 && (way > 2 ? rim->arc[1][1] <= 0 : rim->arc[0][1] >= 0)) continue;
      ap_edges *e = add_edges(b, like, &pair, &round);
      if (!e) continue;
      if (way <= 0 && a->radius > 0)
        ap__round_near(a, i, rim, way < 0, round, e);
      else if (way == 0)
        ap__round_cross(a, i, rim, round, e);
      else
        ap__round_level(a, i, rim, way % 2 ? 1 : -1, way > 2 ? 1 : -1, round, e);
      memcpy(pair->at, e->a[0], sizeof pair->at);
    }
  double(*in[AP__RIM_PAIRS])[3]; // each edge is a side of two faces
  for (int k = 0; k < AP__RIM_PAIRS; k++)
    in[k] = (double(*)[3])AP_TAKE(b->arena, double, 6 * (size_t)a->nedge);
  for (int i = 0; i < a->nface; i++)
    for (int k = 0; k < AP__RIM_PAIRS; k++) {
      ap_edges *e = add_edges(b, back, &pair, &round);
      if (!e || !in[k]) continue;
      ap__round_face(a, i, rim, k, in[k], round, e);
      in[k] += round->nside;
      pair->first -= k;
      memcpy(pair->at, e->beside_a[0], sizeof pair->at);
    }
}

static void add_round_side(builder *b, const run_pair *like, const run_pair *back,
                           const ap_solid *a, const ap_wall *w, const ap_surface *own) {
  ap_round_side s;
  ap_solid core;
  ap_round *round;
  run_pair *pair;
  if (!ap__round_side_of(w, &s)) return;
  double size = sqrt(1 + s.slope * s.slope), up = a->radius * s.slope / size;
  if (w->kind == AP_WALL_CAPPED_CYLINDER) ap__round_core(b->arena, w, own, &core);
  for (int i = 0; i < a->nedge; i++)
    for (int sign = -1; sign <= 1; sign += 2) {
      if (w->kind == AP_WALL_CONE && sign > 0) continue;
      bool endless = a->sheet && a->ncorner == 0; // edges of stairs
      ap_edges *e = add_edges(b, endless ? back : like, &pair, &round);
      if (!e) continue;
      if (w->kind == AP_WALL_CONE)
        ap__round_cone(a, i, own->wall.centre, own->frame, s.radius + a->radius * size, s.slope,
                       s.from + up, s.to + up, round, e);
      else if (endless)
        ap__edges_make(&core, 0, a, i, sign, e);
      else
        ap__edges_make(a, i, &core, 0, sign, e);
      memcpy(pair->at, e->a[0], sizeof pair->at);
    }
}

void ap__pairs_round(builder *b, const run_pair *like, const run_pair *back, const ap_solid *a,
                     const ap_wall *w, const ap_surface *own) {
  ap_round_rim rim[2];
  int faces = ap__round_faces(w, a->radius), rims = ap__round_rims(w, own, rim);
  const ap_surface *surface = ap__round_surface(b->arena, w, own, a->radius);
  for (int i = 0; i < a->ncorner; i++) ap__pairs_corner(b, like, a, i, true, surface, faces);
  if (a->nedge == 0) return;
  for (int i = 0; i < rims; i++) add_rim(b, like, back, a, &rim[i]);
  add_round_side(b, like, back, a, w, own);
}

// The cylinder of a link as a wall with the frame of the link.
static void cylinder_of(const ap_solid *s, ap_wall *w, ap_surface *own) {
  double x[3];
  *w = ap_default_wall();
  w->kind = AP_WALL_CAPPED_CYLINDER;
  for (int k = 0; k < 3; k++) {
    w->centre[k] = 0.5 * (s->rim[0][k] + s->rim[1][k]);
    x[k] = s->corner ? (s->corner[0][k] - s->rim[0][k]) / s->ring : 0;
  }
  w->size[0] = s->ring, w->size[1] = s->tall;
  *own = (ap_surface){.wall = *w, .sign = 1};
  memcpy(own->frame[0], x, sizeof x);
  memcpy(own->frame[2], s->axis, sizeof s->axis);
  cross3(own->frame[2], own->frame[0], own->frame[1]);
}

void ap__pairs_round_solid(builder *b, const run_pair *like, const run_pair *back,
                           const ap_solid *round, const ap_solid *other) {
  ap_wall w;
  ap_surface own;
  cylinder_of(round, &w, &own);
  ap__pairs_round(b, like, back, other, &w, &own);
}

// The rim of a cylinder and a flat end of another, of which `end` is the rim.
static void add_end(builder *b, const run_pair *like, const ap_round_rim *rim,
                    const ap_round_rim *end) {
  ap_round *round;
  run_pair *pair;
  for (int k = 0; k < AP__RIM_PAIRS; k++) {
    ap_edges *e = add_edges(b, like, &pair, &round);
    if (!e) continue;
    ap__round_end(end, rim, k, round, e);
    pair->first -= k;
    memcpy(pair->at, e->beside_a[0], sizeof pair->at);
  }
}

// Two rims, in a way (sim/rim_pairs.h).
static void add_rims(builder *b, const run_pair *like, const ap_round_rim *x, const ap_round_rim *y,
                     ap_edges_kind kind) {
  ap_round *round;
  run_pair *pair;
  for (int o = -1; o <= 1; o += 2) {
    ap_edges *e = add_edges(b, like, &pair, &round);
    if (!e) continue;
    ap__rims_make(x, y, kind, o, round, e);
    memcpy(pair->at, e->a[0], sizeof pair->at);
  }
}

void ap__pairs_take_round(builder *b, const ap_wall *w, const ap_surface *own, ap_round_body *r) {
  r->sides = w->kind == AP_WALL_CAPPED_CYLINDER;
  if (r->sides) ap__round_core(b->arena, w, own, &r->core);
  r->rims = ap__round_rims(w, own, r->rim);
}

void ap__pairs_cylinders(builder *b, const run_pair *like, const run_pair *back,
                         const ap_round_body two[2]) {
  ap_round *round;
  run_pair *pair;
  const run_pair *from[2] = {like, back};
  for (int k = 0; k < 2; k++) {
    const ap_round_body *x = &two[k], *y = &two[1 - k];
    for (int j = 0; j < y->rims && x->sides; j++)
      add_rim(b, from[k], from[1 - k], &x->core, &y->rim[j]);
    for (int i = 0; i < x->rims; i++)
      for (int j = 0; j < y->rims; j++) {
        add_end(b, from[k], &x->rim[i], &y->rim[j]);
        add_rims(b, from[k], &x->rim[i], &y->rim[j], AP__EDGES_RIMS);
        if (k == 0) add_rims(b, like, &x->rim[i], &y->rim[j], AP__EDGES_LENS);
      }
  }
  for (int sign = -1; sign <= 1 && two[0].sides && two[1].sides; sign += 2) {
    ap_edges *e = add_edges(b, like, &pair, &round);
    if (!e) continue;
    ap__edges_make(&two[0].core, 0, &two[1].core, 0, sign, e);
    e->sides = true;
    memcpy(pair->at, e->a[0], sizeof pair->at);
  }
}

void ap__pairs_take_cylinder(builder *b, const ap_solid *s, ap_round_body *r) {
  ap_wall w;
  ap_surface own;
  cylinder_of(s, &w, &own);
  ap__pairs_take_round(b, &w, &own, r);
}
