// SPDX-License-Identifier: Apache-2.0
// Trials that identify a robot: the joint forces that its parameters give on a recorded motion,
// with noise of the trial's own, and an estimate from them.
//
// Parameters are the standard deviations of the noise: noise.tau as a part of the root mean square
// of each joint's force, noise.q (rad, m), noise.v and noise.a. Outcomes: condition; residual.JOINT
// (rms); and for each base parameter, by the standard parameter that it is named after, value.NAME,
// error.NAME, deviation.NAME (what the estimator says) and pull.NAME, error / deviation.

#include <appell/ident.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/random.h"
#include "sweep/smooth.h"

enum { NOISE_Q, NOISE_V, NOISE_A, NOISE_TAU, NOISES };
enum { PER_BASE = 4, FOLDS = 5 };

typedef struct own {
  ap__smooth smooth;
  ap_ident_options options;
  ap_base *base;
  ap_dataset *states;
  double *tau;   // [states * nv] without noise
  double *rms;   // [nv] of them
  double *truth; // [base parameters]
} own;

typedef struct worker {
  const ap_sweep *sweep;
  const own *own;
  ap_ident *ident;
  double *numbers; // q, v, a, tau of a state
  double *in, *out;
} worker;

// ---- preparation -------------------------------------------------------------------------------

static ap_status add_columns(own *o, const ap_ident *ident) {
  static const char *const of[PER_BASE] = {"value", "error", "deviation", "pull"};
  static const char *const noise[NOISES] = {"noise.q", "noise.v", "noise.a", "noise.tau"};
  ap__smooth *m = &o->smooth;
  for (int k = 0; k < NOISES; k++) ap__columns_add_named(&m->in, noise[k], "");
  ap__columns_add_named(&m->out, "condition", "");
  ap__columns_joints(&m->out, "residual", m->model, AP_JOINT_TAU, NULL);
  for (int i = 0; i < PER_BASE; i++) {
    for (int k = 0; k < ap_base_count(o->base); k++) {
      char name[200];
      const int leader = ap_base_leader(o->base, k);
      snprintf(name, sizeof name, "%s.%.150s", of[i], ap_ident_name(ident, leader));
      ap__columns_add_named(&m->out, name, i < 3 ? ap_ident_unit(ident, leader) : "");
    }
  }
  return AP_OK;
}

// Forces on the states of the log, by the parameters of the model.
static bool make_truth(own *o, ap_ident *ident) {
  const ap_model *m = o->smooth.model;
  const int nv = ap_nv(m), np = ap_ident_count(ident), n = ap_dataset_count(o->states);
  double *p = malloc((size_t)np * sizeof *p);
  double *W = malloc((size_t)nv * (size_t)np * sizeof *W);
  o->tau = calloc((size_t)n * (size_t)nv, sizeof *o->tau);
  o->rms = calloc((size_t)nv, sizeof *o->rms);
  o->truth = calloc((size_t)ap_base_count(o->base) + 1, sizeof *o->truth);
  const bool good = p && W && o->tau && o->rms && o->truth;
  if (good) ap_ident_nominal(ident, p);
  for (int k = 0; good && k < n; k++) {
    const double *q, *v, *a, *measured;
    ap_dataset_at(o->states, k, &q, &v, &a, &measured);
    ap_ident_rows(ident, q, v, a, W);
    for (int j = 0; j < nv; j++) {
      double *tau = &o->tau[(long)k * nv + j];
      for (int i = 0; i < np; i++) *tau += W[(long)j * np + i] * p[i];
      o->rms[j] += *tau * *tau / n;
    }
  }
  for (int j = 0; good && j < nv; j++) o->rms[j] = sqrt(o->rms[j]);
  if (good) ap_base_values(o->base, p, o->truth);
  free(p);
  free(W);
  return good;
}

static ap_status read_motion(ap_sweep *s, ap_ident *ident, ap_error *error) {
  own *o = s->own;
  const char *path;
  ap_samples *samples = NULL;
  const ap_prepare_options how = ap_default_prepare();
  ap_error why = {0};
  why.status = ap__study_file(s, s->head.identify.data, &path, &why);
  if (why.status == AP_OK) why.status = ap_samples_read(ident, path, &samples, &why);
  if (why.status == AP_OK) why.status = ap__study_digest(s, path, &why);
  if (why.status == AP_OK) why.status = ap_dataset_prepare(ident, samples, &how, &o->states, &why);
  ap_samples_free(samples);
  if (why.status == AP_OK) why.status = ap_base_find(ident, AP_BASE_QR, &o->base, &why);
  if (why.status == AP_E_MEMORY) return ap__no_memory(error);
  return why.status == AP_OK
             ? AP_OK
             : ap__study_refuse(error, ap__study_line(s, "identify"), "data: %s%s%.0d: %s",
                                ap__path_end(s->head.identify.data), why.line ? ":" : "", why.line,
                                why.text);
}

static ap_status prepare(ap_sweep *s, ap_error *error) {
  const ap__identify_map *i = &s->head.identify;
  own *o = s->own = calloc(1, sizeof *o);
  ap_ident *ident = NULL;
  if (!o) return ap__no_memory(error);
  ap__smooth *m = &o->smooth;
  o->options = (ap_ident_options){.viscous = i->friction, .coulomb = i->friction};
  ap_status status = ap__smooth_open(s, "identify", i->model, false, m, error);
  if (status == AP_OK) status = ap_ident_create(m->model, &o->options, &ident, error);
  if (status == AP_OK) status = read_motion(s, ident, error);
  if (status == AP_OK && !make_truth(o, ident)) status = ap__no_memory(error);
  if (status == AP_OK) status = add_columns(o, ident);
  ap_ident_free(ident);
  if (status == AP_OK) status = ap__smooth_resolve(s, m, error);
  if (status == AP_OK && m->edits)
    status = ap__study_refuse(error, s->parameter[0].line,
                              "key: the robot is the truth here (noise.tau, noise.q, ...)");
  return status;
}

static void release(ap_sweep *s) {
  own *o = s->own;
  ap_base_free(o->base);
  ap_dataset_free(o->states);
  ap__smooth_free(&o->smooth);
  free(o->tau);
  free(o->rms);
  free(o->truth);
  free(o);
}

// ---- trials ------------------------------------------------------------------------------------

static void close_worker(void *context) {
  worker *w = context;
  ap_ident_free(w->ident);
  free(w->numbers);
  free(w->in);
  free(w->out);
  free(w);
}

static void *open_worker(const ap_sweep *s) {
  worker *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  const own *o = w->own = s->own;
  const ap_model *m = o->smooth.model;
  w->sweep = s;
  w->numbers = malloc((size_t)(ap_nq(m) + 3 * ap_nv(m)) * sizeof *w->numbers);
  w->in = malloc(NOISES * sizeof *w->in);
  w->out = malloc((size_t)o->smooth.out.n * sizeof *w->out);
  if (w->numbers && w->in && w->out && ap_ident_create(m, &o->options, &w->ident, NULL) == AP_OK)
    return w;
  close_worker(w);
  return NULL;
}

// The noise of number i of a trial: a stream for each trial, behind those of the parameters.
static double noise(const worker *w, uint64_t trial, uint64_t i, double deviation) {
  if (deviation == 0) return 0;
  const uint64_t stream = ((uint64_t)1 << 63) | trial;
  return deviation * ap__normal_quantile(ap__random_unit(w->sweep->design.seed, stream, i));
}

static void add_state(worker *w, uint64_t trial, int k, ap_reduction *reduction) {
  const own *o = w->own;
  const int nq = ap_nq(o->smooth.model), nv = ap_nv(o->smooth.model);
  const double *from[NOISES];
  const int width[NOISES] = {nq, nv, nv, nv};
  double *at = w->numbers, *part[NOISES];
  uint64_t i = (uint64_t)k * (uint64_t)(nq + 3 * nv);
  const double *measured;
  ap_dataset_at(o->states, k, &from[NOISE_Q], &from[NOISE_V], &from[NOISE_A], &measured);
  from[NOISE_TAU] = o->tau + (long)k * nv;
  for (int what = 0; what < NOISES; what++) {
    part[what] = at;
    for (int j = 0; j < width[what]; j++, i++) {
      const double scale = what == NOISE_TAU ? o->rms[j] : 1;
      *at++ = from[what][j] + noise(w, trial, i, scale * w->in[what]);
    }
  }
  ap_reduction_add(reduction, part[NOISE_Q], part[NOISE_V], part[NOISE_A], part[NOISE_TAU]);
}

static void put_fit(worker *w, const ap_fit *fit) {
  const own *o = w->own;
  double *to = w->out;
  *to++ = fit->condition;
  for (int j = 0; j < fit->nv; j++) *to++ = fit->residual_rms[j];
  for (int i = 0; i < PER_BASE; i++) {
    for (int k = 0; k < fit->n; k++) {
      const double error = fit->value[k] - o->truth[k];
      *to++ = i == 0   ? fit->value[k]
              : i == 1 ? error
              : i == 2 ? fit->deviation[k]
                       : error / fit->deviation[k];
    }
  }
}

static ap_status one(void *context, uint64_t trial, const char *record, double *outcome,
                     ap_error *error) {
  worker *w = context;
  const own *o = w->own;
  const ap_sweep *s = w->sweep;
  const ap_fit_method method = (ap_fit_method)s->head.identify.method;
  const ap_fit_options options = ap_default_fit();
  ap_reduction *reduction = NULL;
  ap_fit *fit = NULL;
  if (record)
    return AP__REFUSE(error, AP_E_ARG, 0, "such a trial has no log (only those of a run have)");
  ap__smooth_states(s, &o->smooth, trial, 1, w->in, 1, 1);
  ap_status status =
      ap_reduction_create(w->ident, method == AP_FIT_RIDGE ? FOLDS : 1, &reduction, error);
  for (int k = 0; status == AP_OK && k < ap_dataset_count(o->states); k++)
    add_state(w, trial, k, reduction);
  if (status == AP_OK) status = ap_fit_make(reduction, o->base, method, &options, &fit, error);
  if (status == AP_OK) {
    put_fit(w, fit);
    ap__smooth_outcomes(s, &o->smooth, 1, w->out, 1, 1, outcome);
  }
  for (int k = 0; status != AP_OK && k < s->outcomes; k++) outcome[k] = NAN;
  ap_fit_free(fit);
  ap_reduction_free(reduction);
  return status;
}

static bool rows(void *context, uint64_t first, int n, double *outcome, unsigned char *status) {
  const worker *w = context;
  for (int k = 0; k < n; k++) {
    const ap_status own_status =
        one(context, first + (uint64_t)k, NULL, outcome + (long)k * w->sweep->outcomes, NULL);
    if (own_status == AP_E_MEMORY) return false;
    status[k] = (unsigned char)own_status;
  }
  return true;
}

const ap__trial_kind ap__trial_identify = {.name = "identify",
                                           .chunk = 50,
                                           .prepare = prepare,
                                           .release = release,
                                           .open = open_worker,
                                           .close = close_worker,
                                           .rows = rows,
                                           .one = one};
