// SPDX-License-Identifier: Apache-2.0
// Trials that compute a quantity of a state: many at once, in the lanes of the processor.
//
// Parameters are q.JOINT, v.JOINT and a.JOINT or tau.JOINT, as far as the quantity reads them; what
// none of them names is zero. A parameter of the robot, robot.LINK.mass, builds a robot for each
// trial.

#include <appell/batch.h>
#include <appell/eval.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/smooth.h"

// States at once: their numbers stay in the near caches.
enum { BLOCK = 256 };

typedef struct own {
  ap__smooth smooth;
  ap_eval_options options;
} own;

typedef struct worker {
  const ap_sweep *sweep;
  const own *own;
  ap_eval *eval;   // by rows; NULL: robots differ
  ap_batch *batch; // by columns; NULL: for none of these quantities
  void *memory, *work;
  ap__variant variant;
  double *in, *out; // [BLOCK] states
  ap_status *status;
} worker;

// ---- preparation -------------------------------------------------------------------------------

static ap_status find_method(const ap_sweep *s, ap_eval_options *options, ap_error *error) {
  const ap__eval_map *e = &s->head.eval;
  const int line = ap__study_line(s, "eval");
  for (int k = AP_INVERSE; k <= AP_ENERGY; k++) {
    if (strcmp(e->quantity, ap_quantity_name((ap_quantity)k)) != 0) continue;
    options->method = ap_find_method((ap_quantity)k, e->method);
    if (options->method) return AP_OK;
    return ap__study_refuse(error, line, "method: there is no \"%.*s\" (see `appell methods`)",
                            ap__shown(e->method), e->method);
  }
  return ap__study_refuse(
      error, line,
      "quantity: \"%.*s\" is unknown (inverse, forward, inertia, bias, gravity or energy)",
      ap__shown(e->quantity), e->quantity);
}

static void add_columns(own *o, ap_quantity what) {
  ap__smooth *m = &o->smooth;
  const ap_model *model = m->model;
  const int nv = ap_nv(model);
  m->states = true;
  ap__columns_joints(&m->in, "q", model, AP_JOINT_Q, NULL);
  if (what != AP_INERTIA && what != AP_GRAVITY)
    ap__columns_joints(&m->in, "v", model, AP_JOINT_V, NULL);
  if (what == AP_INVERSE) ap__columns_joints(&m->in, "a", model, AP_JOINT_A, NULL);
  if (what == AP_FORWARD) ap__columns_joints(&m->in, "tau", model, AP_JOINT_TAU, NULL);
  if (what == AP_ENERGY) {
    ap__columns_add(&m->out, "kinetic", "", "", NULL);
    ap__columns_add(&m->out, "potential", "", "", NULL);
  } else if (what == AP_INERTIA) {
    for (int k = 0; k < nv * nv; k++) {
      char name[40];
      snprintf(name, sizeof name, "M.%d.%d", k / nv + 1, k % nv + 1);
      ap__columns_add_named(&m->out, name, "");
    }
  } else {
    ap__columns_joints(&m->out, what == AP_FORWARD ? "a" : "tau", model,
                       what == AP_FORWARD ? AP_JOINT_A : AP_JOINT_TAU, NULL);
  }
}

static ap_status prepare(ap_sweep *s, ap_error *error) {
  const ap__eval_map *e = &s->head.eval;
  own *o = s->own = calloc(1, sizeof *o);
  if (!o) return ap__no_memory(error);
  o->options = (ap_eval_options){.arithmetic = AP_F64, .friction = e->friction};
  ap_status status = find_method(s, &o->options, error);
  if (status == AP_OK)
    status = ap__smooth_open(s, "eval", e->model, e->floating, &o->smooth, error);
  if (status != AP_OK) return status;
  const ap_quantity what = o->options.method->what;
  if (what == AP_INERTIA && ap_nv(o->smooth.model) > 100)
    return ap__study_refuse(error, ap__study_line(s, "eval"),
                            "quantity: the inertia matrix has %d rows (at most 100)",
                            ap_nv(o->smooth.model));
  // the last of the map's keys
  if (e->seen >> 5 & 1) o->options.gravity = e->gravity;
  add_columns(o, what);
  status = ap__smooth_resolve(s, &o->smooth, error);
  ap_eval *try = NULL;
  ap_error why = {0};
  if (status == AP_OK && ap_eval_make(o->smooth.model, NULL, &o->options, &try, &why) != AP_OK)
    status = ap__study_refuse(error, ap__study_line(s, "eval"), "%s", why.text);
  ap_eval_free(try);
  return status;
}

static void release(ap_sweep *s) {
  own *o = s->own;
  ap__smooth_free(&o->smooth);
  free(o);
}

// ---- workers -----------------------------------------------------------------------------------

static void close_worker(void *context) {
  worker *w = context;
  ap_eval_free(w->eval);
  ap__variant_close(&w->variant);
  free(w->memory);
  free(w->work);
  free(w->in);
  free(w->out);
  free(w->status);
  free(w);
}

// The default methods have kernels for lanes of states.
static bool has_lanes(const own *o) {
  const ap_method *method = o->options.method;
  return !o->smooth.edits && method == ap_find_method(method->what, NULL) &&
         method->what != AP_ENERGY;
}

static bool open_batch(worker *w) {
  const own *o = w->own;
  const ap_model *m = o->smooth.model;
  const size_t size = ap_batch_size(m), work_size = ap_work_size(m);
  w->memory = malloc(size);
  w->work = malloc(work_size);
  ap_work *work = w->work ? ap_work_init(m, w->work, work_size) : NULL;
  w->batch = w->memory ? ap_batch_init(m, w->memory, size) : NULL;
  if (!work || !w->batch) return false;
  if (o->options.friction) ap_set_friction(m, work, true);
  if (o->options.gravity) ap_set_gravity(m, work, o->options.gravity);
  return ap_batch_use_settings(m, w->batch, work) == AP_OK;
}

static void *open_worker(const ap_sweep *s) {
  worker *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  const own *o = w->own = s->own;
  w->sweep = s;
  w->in = malloc((size_t)BLOCK * (size_t)o->smooth.in.n * sizeof *w->in);
  w->out = malloc((size_t)BLOCK * (size_t)o->smooth.out.n * sizeof *w->out);
  w->status = calloc(BLOCK, sizeof *w->status);
  bool good = w->in && w->out && w->status && ap__variant_open(&o->smooth, &w->variant);
  if (good && has_lanes(o)) good = open_batch(w);
  if (good && !w->batch && !o->smooth.edits)
    good = ap_eval_make(o->smooth.model, NULL, &o->options, &w->eval, NULL) == AP_OK;
  if (good) return w;
  close_worker(w);
  return NULL;
}

// ---- trials ------------------------------------------------------------------------------------

static void by_columns(worker *w, uint64_t first, int n, double *outcome) {
  const own *o = w->own;
  const ap_model *m = o->smooth.model;
  const ap_states states = ap_all_states((size_t)n, AP_COLUMNS);
  const double *q = w->in, *v = q + (long)ap_nq(m) * n, *x = v + (long)ap_nv(m) * n;
  ap__smooth_states(w->sweep, &o->smooth, first, n, w->in, n, 1);
  switch (o->options.method->what) {
    case AP_INVERSE: ap_batch_inverse_dynamics(m, w->batch, states, q, v, x, w->out); break;
    case AP_FORWARD:
      ap_batch_forward_dynamics(m, w->batch, states, q, v, x, w->out, w->status);
      break;
    case AP_BIAS: ap_batch_bias(m, w->batch, states, q, v, w->out); break;
    case AP_INERTIA: ap_batch_inertia_matrix(m, w->batch, states, q, w->out); break;
    default: ap_batch_gravity_forces(m, w->batch, states, q, w->out); break;
  }
  ap__smooth_outcomes(w->sweep, &o->smooth, n, w->out, n, 1, outcome);
}

static void by_rows(worker *w, ap_eval *eval, uint64_t first, int n, double *outcome) {
  const ap__smooth *m = &w->own->smooth;
  const int most = ap_eval_most(eval);
  ap__smooth_states(w->sweep, m, first, n, w->in, 1, m->in.n);
  for (int k = 0; k < n; k += most)
    ap_eval_rows(eval, n - k < most ? n - k : most, w->in + (long)k * m->in.n,
                 w->out + (long)k * m->out.n, w->status + k);
  ap__smooth_outcomes(w->sweep, m, n, w->out, 1, m->out.n, outcome);
}

// A robot of its own; false: no memory.
static bool by_robots(worker *w, uint64_t trial, double *outcome, ap_error *error) {
  ap_error why = {0};
  ap_eval *eval = NULL;
  ap_model *model = ap__variant_make(w->sweep, &w->own->smooth, trial, &w->variant, &why);
  w->status[0] = !model ? (why.status ? why.status : AP_E_MODEL)
                        : ap_eval_make(model, NULL, &w->own->options, &eval, &why);
  if (w->status[0] == AP_OK)
    by_rows(w, eval, trial, 1, outcome);
  else if (error)
    *error = why;
  ap_eval_free(eval);
  return w->status[0] != AP_E_MEMORY;
}

// Whether all outcomes are numbers: those of a state that is far too large are not. Without a
// branch, so that vectors look at several.
static bool are_numbers(const double *outcome, int n) {
  int bad = 0;
  for (int i = 0; i < n; i++) bad |= !(fabs(outcome[i]) <= DBL_MAX);
  return !bad;
}

static bool all_good(const ap_status *status, int n) {
  int bad = 0;
  for (int k = 0; k < n; k++) bad |= (int)status[k];
  return !bad;
}

static bool block(worker *w, uint64_t first, int n, double *outcome, unsigned char *status) {
  const int outcomes = w->sweep->outcomes;
  memset(w->status, 0, (size_t)n * sizeof *w->status);
  if (w->batch) by_columns(w, first, n, outcome);
  if (w->eval) by_rows(w, w->eval, first, n, outcome);
  if ((w->batch || w->eval) && all_good(w->status, n) && are_numbers(outcome, n * outcomes)) {
    memset(status, 0, (size_t)n);
    return true;
  }
  for (int k = 0; k < n; k++) {
    ap_status one = w->status[k];
    if (!w->batch && !w->eval) {
      if (!by_robots(w, first + (uint64_t)k, outcome + (long)k * outcomes, NULL)) return false;
      one = w->status[0];
    }
    if (one == AP_OK && !are_numbers(outcome + (long)k * outcomes, outcomes)) one = AP_E_ARG;
    status[k] = (unsigned char)one;
    for (int i = 0; one != AP_OK && i < outcomes; i++) outcome[(long)k * outcomes + i] = NAN;
  }
  return true;
}

static bool rows(void *context, uint64_t first, int n, double *outcome, unsigned char *status) {
  worker *w = context;
  bool good = true;
  for (int k = 0; good && k < n; k += BLOCK)
    good = block(w, first + (uint64_t)k, n - k < BLOCK ? n - k : BLOCK,
                 outcome + (long)k * w->sweep->outcomes, status + k);
  return good;
}

static ap_status one(void *context, uint64_t trial, const char *record, double *outcome,
                     ap_error *error) {
  worker *w = context;
  unsigned char status;
  if (record)
    return AP__REFUSE(error, AP_E_ARG, 0, "such a trial has no log (only those of a run have)");
  if (!block(w, trial, 1, outcome, &status)) return ap__no_memory(error);
  if (status == AP_E_ARG)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a result is too large for a number (smaller parameters are needed)");
  if (status) ap__fail(error, (ap_status)status, 0, "%s", ap_status_text((ap_status)status));
  if (status && w->own->smooth.edits) (void)by_robots(w, trial, outcome, error);
  return (ap_status)status;
}

const ap__trial_kind ap__trial_eval = {.name = "eval",
                                       .chunk = 65536,
                                       .prepare = prepare,
                                       .release = release,
                                       .open = open_worker,
                                       .close = close_worker,
                                       .rows = rows,
                                       .one = one};
