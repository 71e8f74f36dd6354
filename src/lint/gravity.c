// SPDX-License-Identifier: Apache-2.0
// Effort limits against the torque of gravity, the worst over all configurations within limits.
//
// The gravity force of a joint is, as a function of one coordinate alone, a + b cos q + c sin q for
// a joint that turns (its rotation enters once) and a + b q for one that slides. So the best value
// of that coordinate comes from three evaluations, or two; going round the coordinates until
// nothing improves climbs to a local maximum, from the best of some configurations.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lint/examine.h"
#include "lint/tensor.h"

enum { SWEEPS = 40, STARTS = 2 };
// Bodies times evaluations for the whole robot.
#define BUDGET 2e7

static const double pi = 3.14159265358979323846;

typedef struct search {
  lint *l;
  ap_work *work;
  double *q, *best, *tau; // a configuration, the best so far, nv forces
  int *body_of_q;         // body by coordinate, 0 where it is part of several
  double *sampled;        // [states * nv] forces of the typical states
  int target;             // velocity index whose force is sought
  double sign, best_sign;
  double evaluations, most;
} search;

static double force(search *s) {
  s->evaluations += 1;
  ap_gravity_forces(s->l->model, s->work, s->q, s->tau);
  return s->sign * s->tau[s->target];
}

// The best of coordinate k, the others held; returns the force there.
static double improve_coordinate(search *s, int k, double now) {
  const ap_body_def *body = ap_body(s->l->model, s->body_of_q[k]);
  double low, high, start = s->q[k], best = start, most = now;
  ap__lint_range(body, &low, &high);
  if (!(high > low)) return now;
  double tried[3] = {low, high, 0};
  int n = 2;
  if (body->joint == AP_REVOLUTE) {
    double f[3];
    for (int i = 0; i < 3; i++) {
      s->q[k] = 2 * pi / 3 * i;
      f[i] = force(s);
    }
    double b = (2 * f[0] - f[1] - f[2]) / 3, c = (f[1] - f[2]) / sqrt(3);
    double top = atan2(c, b); // may be reached with some turns more or less
    top += 2 * pi * ceil((low - top) / (2 * pi));
    if (top <= high) tried[n++] = top;
  }
  for (int i = 0; i < n; i++) {
    s->q[k] = tried[i];
    double f = force(s);
    if (f > most) most = f, best = tried[i];
  }
  s->q[k] = best;
  return most;
}

static double climb_all(search *s) {
  int nq = s->l->motion.nq;
  double most = force(s);
  for (int sweep = 0; sweep < SWEEPS && s->evaluations < s->most; sweep++) {
    double before = most;
    for (int k = 0; k < nq && s->evaluations < s->most; k++)
      if (s->body_of_q[k]) most = improve_coordinate(s, k, most);
    if (most <= before * (1 + 1e-13)) break;
  }
  return most;
}

// The largest |gravity force| of a joint; s->best is where.
static double worst(search *s, int target) {
  const lint_motion *m = &s->l->motion;
  size_t nq = (size_t)m->nq;
  double most = 0;
  s->target = target;
  for (int sign = -1; sign <= 1; sign += 2) {
    s->sign = sign;
    for (int start = 0; start < STARTS; start++) {
      double best = -INFINITY;
      int chosen = 0;
      for (int k = start; k < m->states; k += STARTS) {
        double f = s->sign * s->sampled[(size_t)k * (size_t)m->nv + (size_t)target];
        if (f > best) best = f, chosen = k;
      }
      memcpy(s->q, m->q + (size_t)chosen * nq, nq * sizeof *s->q);
      double f = s->most > 3 ? climb_all(s) : best;
      if (f <= most) continue;
      most = f;
      s->best_sign = s->sign;
      memcpy(s->best, s->q, nq * sizeof *s->q);
    }
  }
  return most;
}

// Put at zero what does not matter, so that the pose says what does.
static void simplify(search *s, double most) {
  const lint_motion *m = &s->l->motion;
  memcpy(s->q, s->best, (size_t)m->nq * sizeof *s->q);
  for (int k = 0; k < m->nq && m->nq <= 200; k++) {
    if (!s->body_of_q[k]) continue;
    double low, high, kept = s->q[k];
    ap__lint_range(ap_body(s->l->model, s->body_of_q[k]), &low, &high);
    s->q[k] = fmin(fmax(0, low), high);
    if (force(s) < most * (1 - 1e-6)) s->q[k] = kept;
  }
  memcpy(s->best, s->q, (size_t)m->nq * sizeof *s->q);
}

// The pose in words: those coordinates that are not zero, as many as fit.
static void describe(const search *s, char *out, size_t size) {
  size_t used = 0;
  int shown = 0, left = 0;
  out[0] = 0;
  for (int k = 0; k < s->l->motion.nq; k++) {
    if (!s->body_of_q[k] || fabs(s->best[k]) < 5e-4) continue;
    if (shown >= 8) {
      left++;
      continue;
    }
    const char *name = ap__joint_name(ap_body(s->l->model, s->body_of_q[k]));
    char one[96];
    int n = snprintf(one, sizeof one, "%s%.*s %.3g", shown ? ", " : "", ap__shown(name), name,
                     s->best[k]);
    if (used + (size_t)n + 24 >= size) {
      left++;
      continue;
    }
    memcpy(out + used, one, (size_t)n + 1);
    used += (size_t)n;
    shown++;
  }
  if (left) snprintf(out + used, size - used, " and %d more", left);
  if (!shown) snprintf(out, size, "all joints at zero");
}

static void look_at(search *s, int body) {
  lint *l = s->l;
  const ap_body_def *def = ap_body(l->model, body);
  const lint_link *link = &l->robot.link[l->link_of[body]];
  const lint_joint *j = &l->robot.joint[link->joint];
  if (!(def->effort_limit > 0) || !isfinite(def->effort_limit)) return;
  s->evaluations = 0;
  double most = worst(s, ap_joint_v(l->model, body));
  if (most <= def->effort_limit * (1 + 1e-6)) return;
  const char *unit = def->joint == AP_PRISMATIC ? "N" : "N m";
  char pose[220];
  s->sign = s->best_sign;
  simplify(s, most);
  describe(s, pose, sizeof pose);
  lint_note note =
      ap__lint_begin("effort-gravity", j->limit_line ? j->limit_line : j->line, j->name);
  ap__lint_what(&note, "joint \"%.*s\" needs %.4g %s against gravity, its limit is %.4g %s",
                ap__shown(j->name), j->name, most, unit, def->effort_limit, unit);
  ap__lint_why(&note, "it lacks %.3g %s, %.3g %%, at %s", most - def->effort_limit, unit,
               100 * (most / def->effort_limit - 1), pose);
  note.effect = (ap_lint_effect){j->name, unit, most - def->effort_limit, most};
  ap__lint_fix(&note,
               LINT_FORM(l, "effort: %.3g or more, or a smaller range, or less mass beyond it",
                         "effort=\"%.3g\" or more, or a smaller range, or less mass beyond it",
                         "a forcerange up to %.3g, or a smaller range, or less mass beyond it"),
               1.1 * most);
  ap__lint_end(l, &note);
}

// A follower shares its leader's coordinate, so that the force is no longer one sine of it: the
// sampling still holds, and the climbing only takes what is better.
static void find_coordinates(search *s) {
  const ap_model *m = s->l->model;
  for (int k = 0; k < ap_moving_bodies(m); k++) {
    int i = ap_moving_body(m, k);
    if (ap_joint_nq(m, i) == 1) s->body_of_q[ap_joint_q(m, i)] = i;
  }
}

static void sample(search *s) {
  const lint_motion *m = &s->l->motion;
  for (int k = 0; k < m->states; k++)
    ap_gravity_forces(m->model, m->work, m->q + (size_t)k * (size_t)m->nq,
                      s->sampled + (size_t)k * (size_t)m->nv);
}

void ap__lint_gravity(lint *l) {
  const lint_motion *m = &l->motion;
  if (!m->work || m->closed || m->nv == 0 || norm3(l->robot.gravity) == 0) return;
  if (!ap__lint_enabled(l, "effort-gravity")) return;
  size_t nq = (size_t)m->nq;
  size_t nv = (size_t)m->nv, states = (size_t)m->states;
  double *memory = calloc(2 * nq + nv + states * nv, sizeof *memory);
  int *body_of_q = calloc(nq + 1, sizeof *body_of_q);
  if (ap__lint_got(l, memory && body_of_q)) {
    int joints = 0;
    search s = {.l = l,
                .work = m->work,
                .q = memory,
                .best = memory + nq,
                .tau = memory + 2 * nq,
                .sampled = memory + 2 * nq + nv,
                .body_of_q = body_of_q};
    find_coordinates(&s);
    sample(&s);
    for (int k = 0; k < ap_moving_bodies(l->model); k++)
      joints += isfinite(ap_body(l->model, ap_moving_body(l->model, k))->effort_limit);
    s.most = BUDGET / ap_nbody(l->model) / (joints + 1);
    for (int k = 0; k < ap_moving_bodies(l->model); k++) {
      int i = ap_moving_body(l->model, k);
      if (ap_joint_nv(l->model, i) == 1) look_at(&s, i);
    }
  }
  free(memory);
  free(body_of_q);
}
