// SPDX-License-Identifier: Apache-2.0
// Whether single precision can be used with these masses: measured, not guessed. The same states in
// float and in binary128, as `appell compare` does it.

#include <appell/research.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lint/examine.h"

enum { STATES = 16, MOST_VELOCITIES = 300 };

// Errors beyond which a result has fewer than two good digits, or than three.
#define BAD_ERROR  1e-2
#define POOR_ERROR 1e-3

typedef struct trial {
  lint *l;
  ap_study *study[2]; // float, exact
  void *memory[2];
  double *in, *out[2];
  double error[2]; // inverse, forward
  int failed;      // states without a finite acceleration in float
  double share;    // of forward: the error of its worst joint in that state
  int worst;       // that joint's index in v; -1: none
} trial;

// Relative to the largest entry, as `appell compare` has it.
static double error_of(const trial *t, int nv, int *worst) {
  double scale = 0, off = 0;
  for (int i = 0; i < nv; i++) scale = fmax(scale, fabs(t->out[1][i]));
  for (int i = 0; i < nv; i++) {
    double d = fabs(t->out[0][i] - t->out[1][i]);
    if (d > off || isnan(d)) off = d, *worst = i;
  }
  return scale > 0 ? off / scale : 0;
}

// States that are exact in float, so that only the arithmetic differs.
static void fill(trial *t, int state) {
  const lint_motion *m = &t->l->motion;
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv, row = (size_t)state * nv;
  memcpy(t->in, m->q + (size_t)state * nq, nq * sizeof *t->in);
  memcpy(t->in + nq, m->v + row, nv * sizeof *t->in);
  memcpy(t->in + nq + nv, m->a + row, nv * sizeof *t->in);
  for (size_t i = 0; i < nq + 2 * nv; i++) t->in[i] = (double)(float)t->in[i];
}

static void run_state(trial *t, int state) {
  const lint_motion *m = &t->l->motion;
  const ap_method *inverse = ap_find_method(AP_INVERSE, NULL);
  const ap_method *forward = ap_find_method(AP_FORWARD, NULL);
  int worst = -1;
  fill(t, state);
  for (int k = 0; k < 2; k++) ap_study_eval(t->study[k], inverse, t->in, t->out[k], NULL);
  t->error[0] = fmax(t->error[0], error_of(t, m->nv, &worst));
  // The torques of that motion: the accelerations must come back.
  double *tau = t->in + m->nq + m->nv;
  for (int i = 0; i < m->nv; i++) tau[i] = (double)(float)t->out[1][i];
  if (ap_study_eval(t->study[1], forward, t->in, t->out[1], NULL) != AP_OK) return;
  if (ap_study_eval(t->study[0], forward, t->in, t->out[0], NULL) != AP_OK) {
    t->failed++;
    return;
  }
  double error = error_of(t, m->nv, &worst);
  if (!isfinite(error)) t->failed++;
  if (!(error > t->error[1])) return;
  t->error[1] = error;
  t->worst = worst;
}

static double merged_mass(const ap_model *m, int body) {
  double mass, com[3], I[6];
  ap_merged_inertia(m, body, &mass, com, I);
  return mass;
}

// The pair of neighbours whose masses differ most.
static void say_ratio(const trial *t, lint_note *note) {
  const ap_model *m = t->l->model;
  double most = 1;
  int pair[2] = {0, 0};
  for (int k = 0; k < ap_moving_bodies(m); k++) {
    int i = ap_moving_body(m, k), parent = ap_body_mover(m, ap_body(m, i)->parent);
    if (parent <= 0) continue;
    double a = merged_mass(m, i), b = merged_mass(m, parent);
    double ratio = a > 0 && b > 0 ? fmax(a / b, b / a) : 1;
    if (ratio > most) most = ratio, pair[0] = i, pair[1] = parent;
  }
  if (most < 100) return;
  const char *a = ap_body(m, pair[0])->name, *b = ap_body(m, pair[1])->name;
  ap__lint_fix(
      note,
      "neighbours \"%.*s\" and \"%.*s\" have a mass ratio of 1 to %.2g: check the lighter one",
      ap__shown(a), a, ap__shown(b), b, most);
}

static void report(const trial *t) {
  double error = t->error[1];
  if (error < POOR_ERROR && t->error[0] < POOR_ERROR && t->failed == 0) return;
  lint *l = t->l;
  bool bad = error >= BAD_ERROR || t->error[0] >= BAD_ERROR || t->failed > 0;
  const ap_body_def *body = t->worst >= 0 ? ap_body(l->model, l->motion.body[t->worst]) : NULL;
  const char *name = body ? ap__joint_name(body) : "";
  const lint_link *link = body ? &l->robot.link[l->link_of[l->motion.body[t->worst]]] : NULL;
  lint_note note = ap__lint_begin("single-precision", link ? link->line : 0, name);
  if (!bad) note.severity = AP_NOTE;
  if (t->failed)
    ap__lint_what(&note, "forward dynamics fails in single precision in %d of %d states", t->failed,
                  STATES);
  else
    ap__lint_what(&note,
                  "single precision gets accelerations wrong by %.2g %% (torques by %.2g %%)",
                  100 * error, 100 * t->error[0]);
  ap__lint_why(&note, "measured against binary128; %d of 7 digits remain%s%.*s%s",
               error > 0 && error < 1 ? (int)-log10(error) : 0, body ? ", joint \"" : "",
               ap__shown(name), name, body ? "\" the worst" : "");
  ap__lint_fix(&note, "compute in double precision");
  say_ratio(t, &note);
  ap__lint_end(l, &note);
}

static bool make(trial *t) {
  const lint_motion *m = &t->l->motion;
  static const ap_arithmetic arithmetic[2] = {AP_F32, AP_F128};
  size_t nv = (size_t)m->nv;
  t->in = calloc((size_t)m->nq + 2 * nv, sizeof *t->in);
  for (int k = 0; k < 2; k++) {
    ap_arithmetic a = arithmetic[k];
    size_t size = ap_study_size(t->l->model, a);
    if (size == 0) size = ap_study_size(t->l->model, a = AP_F64); // where there is no binary128
    t->memory[k] = malloc(size);
    t->out[k] = calloc(nv, sizeof *t->out[k]);
    if (!t->memory[k] || !t->out[k] || !t->in) return false;
    t->study[k] = ap_study_init(t->l->model, a, t->memory[k], size);
  }
  return t->study[0] && t->study[1];
}

void ap__lint_precision(lint *l) {
  const lint_motion *m = &l->motion;
  if (!m->work || m->closed || m->nv == 0 || m->nv > MOST_VELOCITIES) return;
  if (!ap__lint_enabled(l, "single-precision")) return;
  trial t = {.l = l, .worst = -1};
  if (ap__lint_got(l, make(&t))) {
    for (int s = 0; s < STATES && s < m->states; s++) run_state(&t, s);
    report(&t);
  }
  for (int k = 0; k < 2; k++) {
    free(t.memory[k]);
    free(t.out[k]);
  }
  free(t.in);
}
