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

#include <math.h>

#include "sim/run.h"

enum { MOST_HALVINGS = 52 }; // of a step: then a part is a rounding error long

// Part of sim->touch by which F must fall to be seen to.
static const double AT_ONCE = 1e-3;

enum { FREE, IMPACT, GRAZE, OPEN };

typedef struct run_hit {
  double x; // INFINITY: none
  int pair;
  bool grazes;
} run_hit;

// F of a pair over the part that the path has looked at.
static void bound(const ap_sim *sim, const run_pair *p, ap_gap_bound *g) {
  const run_path *path = &sim->path;
  if (p->joint < 0) {
    ap_way way;
    ap__path_way(path, p->body, p->at, &way);
    ap__surface_bound(p->surface, &way, g);
    return;
  }
  const double *c = path->shifted + p->coordinate;
  int nq = sim->nq;
  double h = path->h;
  *g = (ap_gap_bound){
      {p->way * c[0] - p->limit, p->way * c[nq] / h, 2 * p->way * c[2 * nq] / (h * h)},
      fabs(p->way) * path->most[3 * sim->nq + p->coordinate],
      1,
      1};
}

// F of a pair at x alone.
static double value(ap_sim *sim, const run_pair *p, double x) {
  ap_way way = {.r = 0};
  ap_gap_bound g;
  ap__path_place(&sim->path, x);
  if (p->joint >= 0) return p->way * sim->path.q[p->coordinate] - p->limit + p->slack;
  double R[9];
  ap_frame_pose(sim->m, sim->w, p->body, R, way.p);
  for (int k = 0; k < 3; k++)
    way.p[k] += R[3 * k] * p->at[0] + R[3 * k + 1] * p->at[1] + R[3 * k + 2] * p->at[2];
  ap__surface_bound(p->surface, &way, &g);
  return g.f[0] + p->slack;
}

// The least value over |t| <= r that F may have.
static double least(const double f[3], double third, double r) {
  double low = fmin(f[0] - f[1] * r + f[2] / 2 * r * r, f[0] + f[1] * r + f[2] / 2 * r * r);
  if (f[2] > 0 && fabs(f[1]) < f[2] * r) low = f[0] - f[1] * f[1] / (2 * f[2]);
  return low - third / 6 * r * r * r;
}

// What is proven of a pair. *when: where it touches, from the middle on.
static int classify(const ap_sim *sim, const run_pair *p, double *when) {
  ap_gap_bound g;
  double r = sim->path.r;
  bound(sim, p, &g);
  g.f[0] += p->slack;
  double low = least(g.f, g.third, r), turn = fabs(g.f[2]) * r + g.third / 2 * r * r;
  if (sim->path.undecided) return OPEN;
  if (low > 0 || g.f[1] > turn) return FREE;
  if (g.f[1] < -turn) return IMPACT;
  double depth = sim->touch * g.steep;
  if (!(low > -depth) || g.third / 6 * r * r * r > depth) return OPEN;
  *when = fmax(-r, fmin(r, g.f[2] > 0 ? -g.f[1] / g.f[2] : 0));
  return GRAZE;
}

// The zero of F between low, where it is not below 0, and high, where it is: by the secant method
// with Illinois' correction, halved where that is slow.
static double locate(ap_sim *sim, const run_pair *p, double low, double high) {
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

static void keep_earlier(run_hit *hit, double x, int pair, bool grazes) {
  if (x < hit->x) *hit = (run_hit){x, pair, grazes};
}

// Judge the first n pairs of the order over low .. high; those that are open come first then.
// Returns how many they are.
static int sift(ap_sim *sim, double low, double high, int n, bool last, run_hit *hit) {
  int open = 0;
  ap__path_look(&sim->path, low, high);
  for (int k = 0; k < n; k++) {
    int i = sim->order[k];
    run_pair *p = &sim->pair[i];
    double when = 0;
    p->verdict = (char)classify(sim, p, &when);
    if (p->verdict == OPEN && last) p->verdict = GRAZE;
    if (p->verdict == GRAZE && !p->told && !p->near)
      keep_earlier(hit, low + 0.5 * (high - low) + when / sim->path.h, i, true);
    if (p->verdict != OPEN) continue;
    sim->order[k] = sim->order[open];
    sim->order[open++] = i;
  }
  for (int k = 0; k < n; k++) {
    const run_pair *p = &sim->pair[sim->order[k]];
    if (p->verdict != IMPACT || !(value(sim, p, high) < 0)) continue;
    keep_earlier(hit, locate(sim, p, low, high), sim->order[k], false);
  }
  return open;
}

static run_hit first_between(ap_sim *sim, double low, double high, int n, int halvings) {
  run_hit hit = {INFINITY, -1, false};
  int open = sift(sim, low, high, n, halvings == MOST_HALVINGS, &hit);
  if (!open) return hit;
  double middle = low + 0.5 * (high - low);
  run_hit left = first_between(sim, low, middle, open, halvings + 1);
  if (left.x < hit.x) return left;
  if (!(middle < hit.x)) return hit;
  run_hit right = first_between(sim, middle, high, open, halvings + 1);
  return right.x < hit.x ? right : hit;
}

// Pairs that touch where the step begins, and do not leave, are met as soon as they enter; those
// that graze or move along their walls when F is lower than there by what is a depth of sim->touch.
static void set_slack(ap_sim *sim, int n) {
  bool looked = false;
  for (int k = 0; k < n; k++) {
    run_pair *p = &sim->pair[sim->order[k]];
    ap_gap_bound g;
    p->slack = 0;
    if (!p->near) continue;
    if (!looked) ap__path_look(&sim->path, 0, 0), looked = true;
    bound(sim, p, &g);
    p->slack = (p->dips ? 1 : AT_ONCE) * sim->touch * g.steep - fmin(g.f[0], 0);
  }
}

bool ap__run_search(ap_sim *sim, double *t, int *pair, bool *grazes) {
  const ap_ode *ode = sim->ode;
  run_path *path = &sim->path;
  int n = 0;
  path->w = sim->w;
  path->power = ode->power;
  path->stride = ode->n;
  path->from = ode->from;
  path->h = ode->h;
  for (int i = 0; i < sim->npair; i++)
    if (sim->pair[i].resting < 0 && !sim->pair[i].pressed) sim->order[n++] = i;
  if (!n) return false;
  set_slack(sim, n);
  run_hit hit = first_between(sim, 0, fmin(1, (*t - ode->from) / ode->h), n, 0);
  if (hit.pair < 0) return false;
  *t = fmin(fmax(ode->from + hit.x * ode->h, ode->from), *t);
  *pair = hit.pair;
  *grazes = hit.grazes;
  return true;
}
