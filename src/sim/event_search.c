// SPDX-License-Identifier: Apache-2.0
// The first touch inside a step (docs/impacts.md, "No event is missed").
//
// Over a part of the step, F of a pair and its first two derivatives are known in the middle, and
// its third derivative is bounded. From that, one of these holds:
//
//   free     F > 0 all along, or F rises, or falls and is not below 0 at the end
//   falls    F falls all along and is below 0 at the end: it has one zero, which is located
//   touches  F goes no lower than -e, a depth of at most sim->touch: it grazes
//   open     none of these is proven: the part is halved
//
// Parts are looked at from left to right, so that the first touch is found first.
//
// A face that ends is free besides where a limit G is below -e all along, or F is: the point is
// beyond the edge or behind the face. Where F falls through zero, the limits are asked at its zero.
// Of a pair that rests on such a face, each G takes the place of F: where it falls through -3 e,
// the point has slid over the edge.
//
// Walls that bodies carry are taken to rest: the way of a point is that in their axes. Shapes are
// pairs of features (sim/solid.h); where the balls around two shapes do not meet, none of their
// pairs does.

#include <math.h>
#include <string.h>

#include "model/frozen.h"
#include "sim/contact_meeting.h"
#include "sim/corner_limits.h"
#include "sim/run.h"

enum { MOST_HALVINGS = 52 }; // of a step: then a part is a rounding error long

// Part of sim->touch by which F must fall to be seen to.
static const double AT_ONCE = 1e-3;

enum { FREE, IMPACT, GRAZE, OPEN };

typedef struct run_hit {
  double x; // INFINITY: none
  int pair;
  run_end how;
} run_hit;

// What is searched for: a pair's touch, or that it slides over one of its limits.
typedef struct run_item {
  int pair, limit; // -1: its touch
} run_item;

static run_item item_of(const ap_sim *sim, int code) {
  return (run_item){code % sim->npair, code / sim->npair - 1};
}

static const ap_face *face_of(const run_pair *p) { return ap__surface_face(p->surface, p->face); }

// How the wall of a pair moves over the part that the path has looked at; false: it does not.
static bool pose_over(const ap_sim *sim, const run_pair *p, ap_wall_pose *pose) {
  const run_path *path = &sim->path;
  if (p->carrier) {
    static const double origin[3] = {0};
    ap_way way;
    ap__carried_pose(sim->m, sim->w, p->carrier, 2, pose);
    ap__path_way(path, p->carrier, origin, &way);
    pose->jerk = way.jerk;
    memcpy(pose->turn, path->body[sim->m->mover[p->carrier]].turn, sizeof pose->turn);
    return true;
  }
  if (p->pose)
    ap__pose_at(sim->surface[p->wall], fmin(path->from + path->middle * path->h, sim->until), pose);
  return p->pose != NULL;
}

// Where it is at x, for which the path has been placed.
static bool pose_at(const ap_sim *sim, const run_pair *p, double x, ap_wall_pose *pose) {
  if (p->carrier) ap__carried_pose(sim->m, sim->w, p->carrier, 0, pose);
  if (p->carrier || !p->pose) return p->carrier != 0;
  ap__pose_at(sim->surface[p->wall], fmin(sim->path.from + x * sim->path.h, sim->until), pose);
  return true;
}

// Where a wall is that carries the point of a pair, at x.
static void mount_at(const ap_sim *sim, const run_pair *p, double x, ap_wall_pose *pose) {
  ap__pose_at(p->grain, fmin(sim->path.from + x * sim->path.h, sim->until), pose);
}

// The way of a place of it.
static void wall_way(const ap_sim *sim, const run_pair *p, const double at[3], ap_way *way) {
  ap_wall_pose own;
  mount_at(sim, p, sim->path.middle, &own);
  ap__pose_place(&own, at, sim->path.r, way);
}

// The way of a place of a pair's link in the axes of its wall, over the part that the path has
// looked at.
static void way_at(const ap_sim *sim, const run_pair *p, const ap_wall_pose *pose,
                   const double at[3], ap_way *way) {
  if (p->mount)
    wall_way(sim, p, at, way);
  else
    ap__path_way(&sim->path, p->body, at, way);
  if (!pose) return;
  ap_way world = *way;
  ap__pose_way(pose, &world, way);
}

static void way_of(const ap_sim *sim, const run_pair *p, ap_way *way) {
  ap_wall_pose pose;
  bool moves = pose_over(sim, p, &pose);
  way_at(sim, p, moves ? &pose : NULL, p->at, way);
}

// The way of a vector of a rim, as that of its tip from the centre.
static void direction_way(const ap_sim *sim, const run_pair *p, const ap_wall_pose *pose,
                          ap_edges_way *way) {
  const ap_way *from = &way->end[0];
  ap_way *to = &way->end[1];
  double tip[3];
  for (int k = 0; k < 3; k++) tip[k] = p->edges->a[0][k] + p->edges->a[1][k];
  way_at(sim, p, pose, tip, to);
  for (int k = 0; k < 3; k++) {
    to->p[k] -= from->p[k];
    to->v[k] -= from->v[k];
    to->a[k] -= from->a[k];
  }
  to->jerk += from->jerk;
}

static void edges_over(const ap_sim *sim, const run_pair *p, ap_edges_way *way) {
  const ap_edges *e = p->edges;
  ap_wall_pose pose;
  const ap_wall_pose *at = pose_over(sim, p, &pose) ? &pose : NULL;
  for (int k = 0; k < 2; k++) way_at(sim, p, at, e->a[k], &way->end[k]);
  if (ap__edges_of_rim(e)) direction_way(sim, p, at, way);
  for (int k = 0; k < 2; k++) way->step[k] = way->end[0];
  for (int k = 0; k < 2 && e->faces_a; k++) way_at(sim, p, at, e->beside_a[k], &way->step[k]);
}

// G of a limit over the part that the path has looked at, of one that is `beyond` further out.
static void bound_limit(const ap_sim *sim, const run_pair *p, int limit, double beyond,
                        ap_gap_bound *g) {
  if (p->edges) {
    ap_edges_way way;
    edges_over(sim, p, &way);
    ap__edges_limit_bound(p->edges, &way, limit, beyond, g);
    return;
  }
  const ap_face *face = face_of(p);
  ap_way way, other;
  way_of(sim, p, &way);
  if (limit < face->nlimit) {
    ap__surface_limit_bound(p->surface, ap__face_limit(face, limit), &way, g);
    g->f[0] += beyond;
    return;
  }
  ap_wall_pose pose;
  const ap_wall_pose *at = pose_over(sim, p, &pose) ? &pose : NULL;
  way_at(sim, p, at, ap__corner_other(p->solid, p->corner, limit - face->nlimit), &other);
  ap__corner_bound(p->surface, face, &way, &other, g);
  g->f[0] += beyond;
}

static int limits_of(const run_pair *p) {
  if (p->edges) return ap__edges_limits(p->edges);
  return face_of(p)->nlimit + ap__corner_limits(p->solid, p->corner, face_of(p));
}

// F of a pair over the part that the path has looked at. Two edges: UNKNOWN where they may be
// parallel, NONE where they are.
typedef enum run_known { KNOWN, UNKNOWN, NONE } run_known;

static run_known bound(const ap_sim *sim, const run_pair *p, ap_gap_bound *g) {
  const run_path *path = &sim->path;
  if (p->edges) {
    ap_edges_way way;
    bool parallel;
    edges_over(sim, p, &way);
    if (ap__edges_bound(p->edges, &way, g, &parallel)) return KNOWN;
    *g = (ap_gap_bound){.steep = 1};
    return parallel ? NONE : UNKNOWN;
  }
  if (p->joint < 0) {
    ap_way way;
    way_of(sim, p, &way);
    ap__surface_bound(p->surface, p->face, &way, g);
    return KNOWN;
  }
  const double *c = path->shifted + p->coordinate;
  int nq = sim->nq;
  double h = path->h;
  *g = (ap_gap_bound){
      {p->way * c[0] - p->limit, p->way * c[nq] / h, 2 * p->way * c[2 * nq] / (h * h)},
      fabs(p->way) * path->most[3 * sim->nq + p->coordinate],
      1,
      1};
  return KNOWN;
}

// Where a place of a pair's link is at x, for which the path has been placed, in the axes of its
// wall.
static void place_at(ap_sim *sim, const run_pair *p, double x, const double own[3], double at[3]) {
  double R[9];
  ap_wall_pose pose;
  if (p->mount) {
    ap_way way;
    mount_at(sim, p, x, &pose);
    ap__pose_place(&pose, own, 0, &way);
    memcpy(at, way.p, sizeof way.p);
  } else {
    ap_frame_pose(sim->m, sim->w, p->body, R, at);
    for (int k = 0; k < 3; k++)
      at[k] += R[3 * k] * own[0] + R[3 * k + 1] * own[1] + R[3 * k + 2] * own[2];
  }
  if (!pose_at(sim, p, x, &pose)) return;
  const double world[3] = {at[0], at[1], at[2]};
  ap__pose_point(&pose, world, at);
}

static void point_at(ap_sim *sim, const run_pair *p, double x, double at[3]) {
  ap__path_place(&sim->path, x);
  place_at(sim, p, x, p->at, at);
}

static void edges_at(ap_sim *sim, const run_pair *p, double x, ap_edges_way *way) {
  *way = (ap_edges_way){.end = {{.r = 0}}};
  ap__path_place(&sim->path, x);
  const ap_edges *e = p->edges;
  double tip[3];
  place_at(sim, p, x, e->a[0], way->end[0].p);
  for (int k = 0; k < 3; k++) tip[k] = e->a[1][k] + (ap__edges_of_rim(e) ? e->a[0][k] : 0);
  place_at(sim, p, x, tip, way->end[1].p);
  for (int k = 0; k < 3 && ap__edges_of_rim(e); k++) way->end[1].p[k] -= way->end[0].p[k];
  for (int k = 0; k < 2; k++) place_at(sim, p, x, p->edges->beside_a[k], way->step[k].p);
}

// Whether F of two edges is known at x.
static bool is_known(ap_sim *sim, run_item item, double x) {
  const run_pair *p = &sim->pair[item.pair];
  ap_edges_way way;
  ap_gap_bound g;
  bool parallel;
  if (!p->edges || item.limit >= 0) return true;
  edges_at(sim, p, x, &way);
  return ap__edges_bound(p->edges, &way, &g, &parallel);
}

// The same of two edges; where they are parallel they are apart.
static double edges_value(ap_sim *sim, run_item item, double x) {
  const run_pair *p = &sim->pair[item.pair];
  ap_edges_way way;
  ap_gap_bound g;
  bool parallel;
  edges_at(sim, p, x, &way);
  if (item.limit >= 0) {
    ap__edges_limit_bound(p->edges, &way, item.limit, RUN_EDGE_RESTS * sim->touch, &g);
    return g.f[0];
  }
  return ap__edges_bound(p->edges, &way, &g, &parallel) ? g.f[0] + p->slack : sim->length;
}

// F of a pair, or what stands for it, at x alone.
static double value(ap_sim *sim, run_item item, double x) {
  const run_pair *p = &sim->pair[item.pair];
  ap_way way = {.r = 0};
  ap_gap_bound g;
  if (p->joint >= 0) {
    ap__path_place(&sim->path, x);
    return p->way * sim->path.q[p->coordinate] - p->limit + p->slack;
  }
  if (p->edges) return edges_value(sim, item, x);
  point_at(sim, p, x, way.p);
  if (item.limit >= 0) {
    const ap_face *face = face_of(p);
    ap_way other = way;
    if (item.limit < face->nlimit) {
      ap__surface_limit_bound(p->surface, ap__face_limit(face, item.limit), &way, &g);
    } else {
      const double *end = ap__corner_other(p->solid, p->corner, item.limit - face->nlimit);
      place_at(sim, p, x, end, other.p);
      ap__corner_bound(p->surface, face, &way, &other, &g);
    }
    return g.f[0] + RUN_EDGE_RESTS * sim->touch;
  }
  ap__surface_bound(p->surface, p->face, &way, &g);
  return g.f[0] + p->slack;
}

// Whether the corner of a pair is the foremost one of its shape at x, for which the path has been
// placed; at: the corner in the axes of the wall.
static bool is_foremost(ap_sim *sim, const run_pair *p, double x, const double at[3]) {
  double R[9], o[3], n[3], world[3];
  ap_wall_pose pose;
  ap_gap gap;
  if (!p->solid) return true;
  ap__surface_face_gap(p->surface, p->face, at, &gap);
  memcpy(world, gap.gradient, sizeof world);
  if (pose_at(sim, p, x, &pose)) ap__pose_direction(&pose, gap.gradient, world);
  ap_frame_pose(sim->m, sim->w, p->body, R, o);
  for (int k = 0; k < 3; k++) n[k] = R[k] * world[0] + R[3 + k] * world[1] + R[6 + k] * world[2];
  if (p->mount) {
    mount_at(sim, p, x, &pose);
    for (int k = 0; k < 3; k++) n[k] = ap__pose_part(&pose, k, world);
  }
  return ap__solid_supports(p->solid, p->corner, n, RUN_EDGE_COMES * sim->touch);
}

// Whether a pair's point is inside the limits of its face at x.
static bool is_within(ap_sim *sim, const run_pair *p, double x) {
  double at[3];
  if (!p->ends) return true;
  if (p->edges) {
    ap_edges_way way;
    edges_at(sim, p, x, &way);
    return ap__edges_within(p->edges, &way) >= -RUN_EDGE_COMES * sim->touch;
  }
  point_at(sim, p, x, at);
  return ap__surface_within(p->surface, p->face, at) >= -RUN_EDGE_COMES * sim->touch &&
         is_foremost(sim, p, x, at);
}

// The least value over |t| <= r that F may have.
static double least(const double f[3], double third, double r) {
  double low = fmin(f[0] - f[1] * r + f[2] / 2 * r * r, f[0] + f[1] * r + f[2] / 2 * r * r);
  if (f[2] > 0 && fabs(f[1]) < f[2] * r) low = f[0] - f[1] * f[1] / (2 * f[2]);
  return low - third / 6 * r * r * r;
}

// Whether the point of a pair is beyond a limit of its face all along.
static bool is_beyond(const ap_sim *sim, const run_pair *p) {
  double r = sim->path.r;
  for (int k = 0; k < limits_of(p); k++) {
    ap_gap_bound g;
    bound_limit(sim, p, k, 0, &g);
    if (-least((double[3]){-g.f[0], -g.f[1], -g.f[2]}, g.third, r) < -RUN_EDGE_COMES * sim->touch)
      return true;
  }
  return false;
}

// What is proven of a limit of a pair that rests.
static int classify_limit(const ap_sim *sim, const run_pair *p, int limit) {
  ap_gap_bound g;
  double r = sim->path.r;
  bound_limit(sim, p, limit, RUN_EDGE_RESTS * sim->touch, &g);
  double low = least(g.f, g.third, r), turn = fabs(g.f[2]) * r + g.third / 2 * r * r;
  if (sim->path.undecided) return OPEN;
  if (low > 0 || g.f[1] > turn) return FREE;
  if (g.f[1] < -turn) return IMPACT;
  return low > -sim->touch && g.third / 6 * r * r * r <= sim->touch ? FREE : OPEN;
}

// What is proven of a pair. *when: where it touches, from the middle on.
static int classify(const ap_sim *sim, const run_pair *p, double *when) {
  ap_gap_bound g;
  double r = sim->path.r;
  run_known known = bound(sim, p, &g);
  g.f[0] += p->slack;
  double low = least(g.f, g.third, r), turn = fabs(g.f[2]) * r + g.third / 2 * r * r;
  if (sim->path.undecided) return OPEN;
  if (known != KNOWN) return known == NONE || is_beyond(sim, p) ? FREE : OPEN;
  if (low > 0 || g.f[1] > turn) return FREE;
  double depth = sim->touch * g.steep;
  if (p->ends &&
      (-least((double[3]){-g.f[0], -g.f[1], -g.f[2]}, g.third, r) < -depth || is_beyond(sim, p)))
    return FREE;
  if (g.f[1] < -turn) return IMPACT;
  if (!(low > -depth) || g.third / 6 * r * r * r > depth) return OPEN;
  *when = fmax(-r, fmin(r, g.f[2] > 0 ? -g.f[1] / g.f[2] : 0));
  return GRAZE;
}

// The zero of F between low, where it is not below 0, and high, where it is: by the secant method
// with Illinois' correction, halved where that is slow.
static double locate(ap_sim *sim, run_item p, double low, double high) {
  double f_low = value(sim, p, low), f_high = value(sim, p, high), before = high - low;
  int kept = 0;
  if (!(f_low > 0)) return low;
  for (int k = 0; k < 200; k++) {
    double x = low + (high - low) * f_low / (f_low - f_high);
    if (k % 4 == 3 && high - low > 0.25 * before) x = low + 0.5 * (high - low);
    if (k % 4 == 3) before = high - low;
    if (!(x > low && x < high)) x = low + 0.5 * (high - low);
    if (!(x > low && x < high)) break;
    double f = value(sim, p, x);
    if (f == 0) return x;
    if (f > 0) {
      low = x, f_low = f;
      if (kept == 1) f_high *= 0.5;
      kept = 1;
    } else {
      high = x, f_high = f;
      if (kept == -1) f_low *= 0.5;
      kept = -1;
    }
  }
  return low;
}

static void keep_earlier(run_hit *hit, double x, int pair, run_end how) {
  if (x < hit->x) *hit = (run_hit){x, pair, how};
}

// F of an item falls from low to high: where it is zero, if that counts.
static void look_at_fall(ap_sim *sim, run_item item, double low, double high, run_hit *hit) {
  const run_pair *p = &sim->pair[item.pair];
  if (!(value(sim, item, high) < 0)) return;
  if (item.limit >= 0) {
    keep_earlier(hit, locate(sim, item, low, high), item.pair, RUN_EDGE);
    return;
  }
  if (p->ends && value(sim, item, low) < -sim->touch) return; // it is behind
  double x = locate(sim, item, low, high);
  if (is_within(sim, p, x)) keep_earlier(hit, x, item.pair, RUN_HIT);
}

// Whether the two shapes of a pair are so far apart all along that the balls around them do not
// meet.
static bool is_far(ap_sim *sim, const run_pair *p) {
  if (p->group < 0 || sim->path.undecided) return false;
  char *known = &sim->free[p->group];
  if (!*known) {
    ap_gap_bound g;
    bound(sim, &sim->group[p->group], &g);
    *known = least(g.f, g.third, sim->path.r) > sim->touch ? 1 : 2;
  }
  return *known == 1;
}

// Judge the first n items of the order over low .. high; those that are open come first then.
// Returns how many they are.
static int sift(ap_sim *sim, double low, double high, int n, bool last, run_hit *hit) {
  int open = 0;
  ap__path_look(&sim->path, low, high);
  if (sim->ngroup) memset(sim->free, 0, (size_t)sim->ngroup);
  for (int k = 0; k < n; k++) {
    int code = sim->order[k];
    run_item item = item_of(sim, code);
    run_pair *p = &sim->pair[item.pair];
    double when = 0;
    int verdict = FREE;
    if (item.limit >= 0)
      verdict = classify_limit(sim, p, item.limit);
    else if (!is_far(sim, p))
      verdict = classify(sim, p, &when);
    if (verdict == OPEN && last) verdict = item.limit < 0 && !p->edges ? GRAZE : FREE;
    p->grazing = low + 0.5 * (high - low) + when / sim->path.h;
    if (verdict == GRAZE && !p->ends && !p->told && !p->near)
      keep_earlier(hit, p->grazing, item.pair, RUN_TOUCHED);
    sim->verdict[k] = (char)verdict;
    if (verdict != OPEN) continue;
    sim->order[k] = sim->order[open];
    sim->verdict[k] = sim->verdict[open];
    sim->order[open] = code;
    sim->verdict[open++] = OPEN;
  }
  for (int k = 0; k < n; k++) {
    run_item item = item_of(sim, sim->order[k]);
    const run_pair *p = &sim->pair[item.pair];
    char verdict = sim->verdict[k];
    if (verdict == IMPACT && !last && !(is_known(sim, item, low) && is_known(sim, item, high))) {
      int code = sim->order[k]; // it ceases to be known within: that is for the halves
      sim->order[k] = sim->order[open];
      sim->verdict[k] = sim->verdict[open];
      sim->order[open] = code;
      sim->verdict[open++] = OPEN;
      continue;
    }
    if (verdict == IMPACT) look_at_fall(sim, item, low, high, hit);
    if (verdict == GRAZE && p->ends && !p->told && !p->near && is_within(sim, p, p->grazing))
      keep_earlier(hit, p->grazing, item.pair, RUN_TOUCHED);
  }
  return open;
}

// The first of low .. high, if it is before `until`: what is open beyond may never be decided, as
// where shapes are deep in each other.
static run_hit first_between(ap_sim *sim, double low, double high, double until, int n,
                             int halvings) {
  run_hit hit = {INFINITY, -1, RUN_STEP};
  int open = sift(sim, low, high, n, halvings == MOST_HALVINGS, &hit);
  if (!open) return hit;
  double middle = low + 0.5 * (high - low);
  until = fmin(until, hit.x);
  run_hit left = first_between(sim, low, middle, until, open, halvings + 1);
  if (left.x < hit.x) return left;
  if (!(middle < until)) return hit;
  run_hit right = first_between(sim, middle, high, until, open, halvings + 1);
  return right.x < hit.x ? right : hit;
}

// Pairs that touch where the step begins, and do not leave, are met as soon as they enter; those
// that graze or move along their walls when F is lower than there by what is a depth of sim->touch.
static void set_slack(ap_sim *sim, int n) {
  bool looked = false;
  for (int k = 0; k < n; k++) {
    run_pair *p = &sim->pair[item_of(sim, sim->order[k]).pair];
    ap_gap_bound g;
    p->slack = 0;
    if (!p->near || p->resting >= 0) continue;
    if (!looked) ap__path_look(&sim->path, 0, 0), looked = true;
    if (bound(sim, p, &g) != KNOWN) continue;
    p->slack = (p->dips ? 1 : AT_ONCE) * sim->touch * g.steep - fmin(g.f[0], 0);
  }
}

// Whether a pair is further off when the step begins than anything of it moves in the step.
static bool keeps_clear(const ap_sim *sim, const run_pair *p) {
  const run_path *path = &sim->path;
  if (!(p->clear > 2 * sim->touch)) return false;
  double way = p->joint >= 0 ? fabs(p->way) * ap__path_travel(path, p->coordinate)
                             : ap__path_reach(path, p->body, p->at);
  return p->clear - 2 * sim->touch > (1 + 1e-9) * way; // and rounding
}

// What is searched for, into sim->order.
static int list_items(ap_sim *sim) {
  int n = 0;
  for (int i = 0; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    if (p->apart) continue;
    if (p->resting < 0 && !p->pressed && !ap__run_covered(sim, p) && !keeps_clear(sim, p))
      sim->order[n++] = i;
    for (int k = 0; p->resting >= 0 && p->ends && k < limits_of(p); k++)
      sim->order[n++] = (k + 1) * sim->npair + i;
  }
  return n;
}

run_end ap__run_search(ap_sim *sim, double *t, int *pair) {
  const ap_ode *ode = sim->ode;
  run_path *path = &sim->path;
  path->w = sim->w;
  path->power = ode->power;
  path->stride = ode->n;
  path->from = ode->from;
  path->h = ode->h;
  ap__path_bound(path);
  int n = list_items(sim);
  if (!n) return RUN_STEP;
  set_slack(sim, n);
  run_hit hit = first_between(sim, 0, fmin(1, (*t - ode->from) / ode->h), INFINITY, n, 0);
  if (hit.pair < 0) return RUN_STEP;
  *t = fmin(fmax(ode->from + hit.x * ode->h, ode->from), *t);
  *pair = hit.pair;
  return hit.how;
}
