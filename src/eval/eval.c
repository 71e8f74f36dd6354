// SPDX-License-Identifier: Apache-2.0
// A quantity of many states: which way each of them takes.

#include "eval/eval.h"

#include <appell/batch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { MOST_STATES = 1024, MOST_NUMBERS = 16384, MOST_BATCH_BYTES = 1 << 22 };

// The default methods have kernels for many states at once, with the same bits. A work for them is
// as large as all their states together: past the size of a cache they gain nothing.
static const ap__batch_kind *batch_for(const ap_eval *e) {
  const ap_quantity what = e->o.method->what;
  if (e->o.method != ap_find_method(what, NULL) || what == AP_ENERGY) return NULL;
  if (ap_batch_size(e->m) > MOST_BATCH_BYTES) return NULL;
  return e->o.arithmetic == AP_F64   ? &ap__batch_eval_f64
         : e->o.arithmetic == AP_F32 ? &ap__batch_eval_f32
                                     : NULL;
}

// What no method can do, whatever the states are.
static ap_status check_tree(const ap_eval *e, ap_error *error) {
  const int nv = ap_nv(e->m);
  if (nv == 0)
    return AP__REFUSE(error, AP_E_MODEL, 0,
                      "nothing moves in this model (it needs at least one moving joint)");
  if (e->out == 0)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0, "the matrices are too large (%d rows)", nv);
  if (ap_study_size(e->m, e->o.arithmetic) == 0)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "arithmetic %s is not available here (f64 always is)",
                      ap_arithmetic_name(e->o.arithmetic));
  return AP_OK;
}

static int choose_most(const ap_eval *e) {
  const int most = MOST_NUMBERS / (e->in > e->out ? e->in : e->out);
  return most > MOST_STATES ? MOST_STATES : most < 1 ? 1 : most;
}

static ap_status open_tree(ap_eval *e, ap_error *error) {
  const ap_quantity what = e->o.method->what;
  e->in = ap_columns_in(e->m, what);
  e->out = ap_columns_out(e->m, what);
  const ap_status status = check_tree(e, error);
  if (status != AP_OK) return status;
  const size_t size = ap_study_size(e->m, e->o.arithmetic);
  e->most = choose_most(e);
  e->memory = malloc(size);
  e->study = e->memory ? ap_study_init(e->m, e->o.arithmetic, e->memory, size) : NULL;
  e->kind = batch_for(e);
  if (e->kind) e->batch = e->kind->open(e->m, &e->o, (size_t)e->most);
  if (!e->study || (e->kind && !e->batch)) return AP_E_MEMORY;
  if (e->o.friction) ap_study_set_friction(e->study, true);
  if (e->o.gravity) ap_study_set_gravity(e->study, e->o.gravity);
  return AP_OK;
}

ap_status ap_eval_make(const ap_model *m, const ap_mechanism *mechanism,
                       const ap_eval_options *options, ap_eval **made, ap_error *error) {
  ap_eval *e = calloc(1, sizeof *e);
  ap_status status = AP_E_MEMORY;
  *made = NULL;
  if (e) {
    e->m = m, e->mechanism = mechanism, e->o = *options;
    if (e->o.gravity) e->o.gravity = memcpy(e->gravity, e->o.gravity, sizeof e->gravity);
    status = mechanism ? ap__eval_open_mechanism(e, error) : open_tree(e, error);
    if (mechanism && status == AP_OK) e->most = choose_most(e);
  }
  if (status == AP_E_MEMORY) ap__fail(error, status, 0, "not enough memory");
  if (status == AP_OK)
    *made = e;
  else
    ap_eval_free(e);
  return status;
}

void ap_eval_free(ap_eval *e) {
  if (!e) return;
  if (e->batch) e->kind->close(e->batch);
  ap_loop_free(e->loop);
  free(e->memory);
  free(e->zero);
  free(e);
}

int ap_eval_columns_in(const ap_eval *e) { return e->in; }
int ap_eval_columns_out(const ap_eval *e) { return e->out; }
int ap_eval_most(const ap_eval *e) { return e->most; }

void ap_eval_rows(ap_eval *e, int n, const double *in, double *out, ap_status *status) {
  if (e->batch && n > 1) {
    e->kind->run(e->batch, (size_t)n, in, out, status);
    return;
  }
  for (int k = 0; k < n; k++, in += e->in, out += e->out)
    status[k] = e->mechanism ? ap__eval_mechanism(e, in, out)
                             : ap_study_eval(e->study, e->o.method, in, out, NULL);
}

char *ap_eval_explain(ap_eval *e, const double *in, ap_status status, char *text, size_t size) {
  if (e->mechanism)
    ap__eval_explain_mechanism(e, in, status, text, size);
  else if (status == AP_E_SINGULAR)
    snprintf(text, size,
             "the inertia matrix is singular in this state (every joint must move some mass)");
  else
    snprintf(text, size, "%s", ap_status_text(status));
  return text;
}
