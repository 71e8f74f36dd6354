// SPDX-License-Identifier: Apache-2.0
// Trials that move a robot through fixed steps, many side by side in the lanes of the processor.
//
// Parameters are q.JOINT and v.JOINT at the start, and tau.JOINT all the time; robot.LINK.mass
// moves a robot of its own. Outcomes are taken of the rows, of which the start is the first: t, q
// and v.

#include <appell/batch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/smooth.h"

enum { BLOCK = 256, MOST_NUMBERS = 1 << 24 };

typedef struct own {
  ap__smooth smooth;
  ap_rollout rollout;
  int block;
} own;

typedef struct worker {
  const ap_sweep *sweep;
  const own *own;
  ap__variant variant;
  void *memory, *work;
  size_t size, work_size;
  double *in, *moved;   // states at the start and on their way
  double *record, *row; // record: q of all rows, then v
  ap_status *status;
  ap__statistic *tally;
} worker;

// ---- preparation -------------------------------------------------------------------------------

static bool is_whole(double x, double least, double most) {
  return x >= least && x <= most && x == floor(x);
}

static ap_status check_steps(const ap_sweep *s, own *o, ap_error *error) {
  const ap__rollout_map *r = &s->head.rollout;
  const int line = ap__study_line(s, "rollout");
  const int n = ap_nq(o->smooth.model) + ap_nv(o->smooth.model);
  if (!(r->dt > 0 && isfinite(r->dt)))
    return ap__study_refuse(error, line, "dt: %g (it must be above 0)", r->dt);
  if (!is_whole(r->steps, 1, 1e9) || !is_whole(r->every, 1, r->steps))
    return ap__study_refuse(error, line,
                            "steps: %g, every: %g (whole numbers, 1 <= every <= steps <= 1e9)",
                            r->steps, r->every);
  const double numbers = floor(r->steps / r->every) * n;
  if (!(numbers <= MOST_NUMBERS))
    return ap__study_refuse(error, line, "every: %g gives %.3g rows of a trial (a longer one)",
                            r->every, floor(r->steps / r->every));
  o->block = (int)fmin(BLOCK, fmax(1, MOST_NUMBERS / numbers));
  o->rollout = ap_default_rollout();
  o->rollout.integrator = (ap_integrator)r->integrator;
  o->rollout.dt = r->dt;
  o->rollout.steps = (long)r->steps;
  o->rollout.every = (long)r->every;
  return AP_OK;
}

static ap_status prepare(ap_sweep *s, ap_error *error) {
  const ap__rollout_map *r = &s->head.rollout;
  own *o = s->own = calloc(1, sizeof *o);
  if (!o) return ap__no_memory(error);
  ap__smooth *m = &o->smooth;
  ap_status status = ap__smooth_open(s, "rollout", r->model, r->floating, m, error);
  if (status == AP_OK) status = check_steps(s, o, error);
  if (status != AP_OK) return status;
  m->states = true;
  ap__columns_joints(&m->in, "q", m->model, AP_JOINT_Q, NULL);
  ap__columns_joints(&m->in, "v", m->model, AP_JOINT_V, NULL);
  ap__columns_joints(&m->in, "tau", m->model, AP_JOINT_TAU, NULL);
  ap__columns_add(&m->out, "t", "", "", NULL);
  ap__columns_joints(&m->out, "q", m->model, AP_JOINT_Q, NULL);
  ap__columns_joints(&m->out, "v", m->model, AP_JOINT_V, NULL);
  return ap__smooth_resolve(s, m, error);
}

static void release(ap_sweep *s) {
  own *o = s->own;
  ap__smooth_free(&o->smooth);
  free(o);
}

// ---- workers -----------------------------------------------------------------------------------

static void close_worker(void *context) {
  worker *w = context;
  ap__variant_close(&w->variant);
  free(w->memory);
  free(w->work);
  free(w->in);
  free(w->moved);
  free(w->record);
  free(w->row);
  free(w->status);
  free(w->tally);
  free(w);
}

static void *open_worker(const ap_sweep *s) {
  worker *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  const own *o = w->own = s->own;
  const ap_model *m = o->smooth.model;
  const size_t block = (size_t)o->block, n = (size_t)ap_nq(m) + (size_t)ap_nv(m);
  const size_t records = (size_t)(o->rollout.steps / o->rollout.every);
  w->sweep = s;
  w->size = ap_batch_size(m);
  w->work_size = ap_work_size(m);
  w->memory = malloc(w->size);
  w->work = malloc(w->work_size);
  w->in = malloc(block * (size_t)o->smooth.in.n * sizeof *w->in);
  w->moved = malloc(block * n * sizeof *w->moved);
  w->record = malloc(block * records * n * sizeof *w->record);
  w->row = malloc((size_t)o->smooth.out.n * sizeof *w->row);
  w->status = calloc(block, sizeof *w->status);
  w->tally = calloc((size_t)s->outcomes + 1, sizeof *w->tally);
  const bool variant = ap__variant_open(&o->smooth, &w->variant);
  const bool memory = w->memory && w->work && w->in && w->moved && w->record && w->row;
  if (variant && memory && w->status && w->tally) return w;
  close_worker(w);
  return NULL;
}

// ---- trials ------------------------------------------------------------------------------------

static void take_row(worker *w, double t, const double *q, const double *v, int stride) {
  const ap__smooth *m = &w->own->smooth;
  const int nq = ap_nq(m->model), nv = ap_nv(m->model);
  w->row[0] = t;
  for (int j = 0; j < nq; j++) w->row[1 + j] = q[(long)j * stride];
  for (int j = 0; j < nv; j++) w->row[1 + nq + j] = v[(long)j * stride];
  for (int i = 0; i < w->sweep->outcomes; i++)
    if (t >= w->sweep->outcome[i].from) ap__selection_add(&m->taken[i], w->row, 1, &w->tally[i]);
}

// Move n states of the model; false: it cannot be prepared.
static bool move(worker *w, const ap_model *m, uint64_t first, int n) {
  const own *o = w->own;
  const long nq = ap_nq(m), nv = ap_nv(m);
  const long records = o->rollout.steps / o->rollout.every;
  ap_batch *batch = ap_batch_init(m, w->memory, w->size);
  ap_work *work = ap_work_init(m, w->work, w->work_size);
  if (!batch || !work) return false;
  ap_set_friction(m, work, w->sweep->head.rollout.friction);
  if (ap_batch_use_settings(m, batch, work) != AP_OK) return false;
  ap__smooth_states(w->sweep, &o->smooth, first, n, w->in, n, 1);
  memcpy(w->moved, w->in, (size_t)((nq + nv) * n) * sizeof *w->moved);
  ap_rollout r = o->rollout;
  r.tau = w->in + (nq + nv) * n;
  r.record_q = w->record;
  r.record_v = w->record + records * nq * n;
  const ap_states states = ap_all_states((size_t)n, AP_COLUMNS);
  ap_batch_rollout(m, batch, states, &r, w->moved, w->moved + nq * n, w->status);
  return true;
}

// The outcomes of state k of n.
static void take(worker *w, int n, int k, double *outcome) {
  const own *o = w->own;
  const long nq = ap_nq(o->smooth.model), nv = ap_nv(o->smooth.model);
  const long records = o->rollout.steps / o->rollout.every;
  const int outcomes = w->sweep->outcomes;
  memset(w->tally, 0, (size_t)outcomes * sizeof *w->tally);
  take_row(w, 0, w->in + k, w->in + nq * n + k, n);
  for (long i = 0; i < records; i++)
    take_row(w, (double)((i + 1) * o->rollout.every) * o->rollout.dt, w->record + i * nq * n + k,
             w->record + records * nq * n + i * nv * n + k, n);
  for (int i = 0; i < outcomes; i++)
    outcome[i] =
        w->status[k] == AP_OK
            ? ap__statistic_value(&w->tally[i], (ap__statistic_kind)w->sweep->outcome[i].take)
            : NAN;
}

static bool block(worker *w, uint64_t first, int n, double *outcome, unsigned char *status,
                  ap_error *error) {
  const ap__smooth *m = &w->own->smooth;
  const ap_model *model = m->model;
  ap_error why = {0};
  memset(w->status, 0, (size_t)n * sizeof *w->status);
  if (m->edits) model = ap__variant_make(w->sweep, m, first, &w->variant, &why);
  if (!model) w->status[0] = why.status ? why.status : AP_E_MODEL;
  if (model && !move(w, model, first, n)) return false;
  for (int k = 0; k < n; k++) {
    take(w, n, k, outcome + (long)k * w->sweep->outcomes);
    status[k] = (unsigned char)w->status[k];
  }
  if (error && w->status[0] != AP_OK && model)
    ap__fail(error, w->status[0], 0, "%s", ap_status_text(w->status[0]));
  else if (error && !model)
    *error = why;
  return true;
}

static bool rows(void *context, uint64_t first, int n, double *outcome, unsigned char *status) {
  worker *w = context;
  const int most = w->own->smooth.edits ? 1 : w->own->block;
  bool good = true;
  for (int k = 0; good && k < n; k += most)
    good = block(w, first + (uint64_t)k, n - k < most ? n - k : most,
                 outcome + (long)k * w->sweep->outcomes, status + k, NULL);
  return good;
}

static ap_status one(void *context, uint64_t trial, const char *record, double *outcome,
                     ap_error *error) {
  worker *w = context;
  unsigned char status;
  if (record)
    return AP__REFUSE(error, AP_E_ARG, 0, "such a trial has no log (only those of a run have)");
  if (!block(w, trial, 1, outcome, &status, error)) return ap__no_memory(error);
  return (ap_status)status;
}

const ap__trial_kind ap__trial_rollout = {.name = "rollout",
                                          .chunk = 4096,
                                          .timed = true,
                                          .prepare = prepare,
                                          .release = release,
                                          .open = open_worker,
                                          .close = close_worker,
                                          .rows = rows,
                                          .one = one};
