// SPDX-License-Identifier: Apache-2.0
#include <appell/compare.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/states.h"

// The most degrees of freedom: of a model, because matrices of more rows take gigabytes; for
// methods that fill an inertia matrix; for those that factorise one, or build it from factors.
enum { MOST_VELOCITIES = 4000, MOST_FILLED = 1000, MOST_FACTORISED = 500 };

// Up to TIMED_STATES states take turns in a batch, few enough to stay in the processor's cache.
enum { MOST_STATES = 100, TIMED_STATES = 16, LEAST_ROUNDS = 5, MOST_ROUNDS = 501 };
static const double batch_ns = 1e5, timing_ns = 2e9;

// What all trials of one run share.
typedef struct bench {
  const ap_model *m;
  ap_compare_options o;
  ap_comparison *c;
  int nq, nv, row;               // a state has row numbers
  double *motion, *forced;       // the states: q v a, and q v tau
  double *out;                   // one result
  ap_study *study[AP_COUNT + 1]; // NULL: this build lacks the arithmetic
  void *memory[AP_COUNT + 1];    // of the studies
  double *exact;                 // results of the default method, state by state
} bench;

static void show(const bench *b, double done, const char *format, ...) AP_PRINTF(3, 4);
static void show(const bench *b, double done, const char *format, ...) {
  char step[128];
  va_list arguments;
  if (!b->o.progress) return;
  va_start(arguments, format);
  vsnprintf(step, sizeof step, format, arguments);
  va_end(arguments);
  b->o.progress(b->o.context, done, step);
}

// ---- states ------------------------------------------------------------------------------------

// A motion, and the forces that belong to it.
static void random_state(bench *b, uint64_t *seed, int state) {
  double *q = b->motion + (size_t)state * (size_t)b->row, *v = q + b->nq, *a = v + b->nv;
  ap__random_motion(b->m, seed, q, v, a);
  double *forced = b->forced + (size_t)state * (size_t)b->row, *tau = forced + b->nq + b->nv;
  memcpy(forced, q, (size_t)b->row * sizeof *q);
  if (ap_study_eval(b->study[AP_F64], ap_find_method(AP_INVERSE, NULL), q, tau, NULL) != AP_OK) {
    return; // no inverse dynamics at all: the accelerations serve as forces as well
  }
  for (int k = 0; k < b->nv; k++) tau[k] = (double)(float)tau[k];
}

static const double *input(const bench *b, const ap_method *method, int state) {
  const bool forward = method->what == AP_FORWARD || method->what == AP_FORWARD_DERIVATIVES;
  const double *states = forward ? b->forced : b->motion;
  return states + (size_t)state * (size_t)b->row;
}

// ---- one method --------------------------------------------------------------------------------

static double now_ns(void) { return ap__clock() * 1e9; }

// Methods that fill a matrix take n^2 operations for n degrees of freedom, those that factorise one
// n^3; all others take n. A limit on n keeps each kind to seconds, and unlike one on time it is the
// same in every run.
static bool is_recursion(const ap_method *method) {
  return method->what == AP_INVERSE || method->what == AP_BIAS ||
         (method->what == AP_FORWARD && (method == ap_find_method(AP_FORWARD, NULL) ||
                                         strncmp(method->name, "articulated-body", 16) == 0));
}

static int most_velocities(const ap_method *method) {
  if (is_recursion(method)) return MOST_VELOCITIES;
  const bool fills =
      method->what == AP_INERTIA && strcmp(method->name, "orthogonal-complement") != 0;
  return fills ? MOST_FILLED : MOST_FACTORISED;
}

static ap_status evaluate(const bench *b, ap_arithmetic arithmetic, const ap_method *method,
                          int state, ap_count *count) {
  return ap_study_eval(b->study[arithmetic], method, input(b, method, state), b->out, count);
}

// The results that errors are taken against, rounded to double. A singular state has none: NAN.
static void find_exact(const bench *b, const ap_method *method) {
  const size_t n = (size_t)ap_columns_out(b->m, method->what);
  for (int state = 0; state < b->c->states; state++) {
    double *exact = b->exact + (size_t)state * n;
    const ap_status status = evaluate(b, b->c->exact, method, state, NULL);
    for (size_t k = 0; k < n; k++) exact[k] = status == AP_OK ? b->out[k] : NAN;
  }
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int k = 0; k < n; k++) most = isfinite(x[k]) ? fmax(most, fabs(x[k])) : INFINITY;
  return most;
}

// The error of the result in b->out; where the exact one is zero throughout, the error itself.
static double error_of(const bench *b, const double *exact, int n) {
  const double scale = largest(exact, n);
  for (int k = 0; k < n; k++) b->out[k] -= exact[k];
  const double error = largest(b->out, n);
  return scale > 0 ? error / scale : error;
}

static void compute_errors(const bench *b, ap_trial *trial) {
  const int n = ap_columns_out(b->m, trial->method->what);
  for (int state = 0; state < b->c->states; state++) {
    const ap_status status = evaluate(b, AP_F32, trial->method, state, NULL);
    const double *exact = b->exact + (size_t)state * (size_t)n;
    if (status != AP_OK || !isfinite(largest(b->out, n)) || !isfinite(largest(exact, n)))
      trial->failed++;
    else
      trial->error = fmax(trial->error, error_of(b, exact, n));
  }
}

static int timed_states(const bench *b) {
  return b->c->states < TIMED_STATES ? b->c->states : TIMED_STATES;
}

// All about a method but its time.
static void try_method(const bench *b, ap_trial *trial) {
  if (b->nv > most_velocities(trial->method)) {
    trial->most = most_velocities(trial->method);
    return;
  }
  for (int state = 0; state < timed_states(b) && trial->status == AP_OK; state++) {
    const double start = now_ns();
    trial->status = evaluate(b, AP_F64, trial->method, state, NULL);
    trial->once = fmax(now_ns() - start, 1);
  }
  if (trial->status == AP_OK)
    trial->status = evaluate(b, AP_COUNT, trial->method, 0, &trial->count);
  if (trial->status == AP_OK) compute_errors(b, trial);
}

// By quantity; the first method of each is the default.
static void try_all(const bench *b) {
  ap_trial *trial = b->c->trial;
  for (int k = 0; k < b->c->trials; k++) {
    const ap_method *method = trial[k].method;
    const bool first = k == 0 || method->what != trial[k - 1].method->what;
    show(b, 0.5 * k / b->c->trials, "%s by %s", ap_quantity_name(method->what), method->name);
    if (first && b->nv <= most_velocities(method)) find_exact(b, method);
    try_method(b, &trial[k]);
  }
}

static bool was_run(const ap_trial *trial) { return trial->status == AP_OK && trial->most == 0; }

bool ap_trial_was_run(const ap_trial *trial, char *why, size_t size) {
  if (was_run(trial)) return true;
  if (trial->status == AP_E_UNSUPPORTED && trial->method->needs)
    snprintf(why, size, "needs %s", trial->method->needs);
  else if (trial->status == AP_E_SINGULAR)
    snprintf(why, size, "singular: every joint must move some mass");
  else if (trial->status != AP_OK)
    snprintf(why, size, "%s", ap_status_text(trial->status));
  else
    snprintf(why, size, "for models of up to %d degrees of freedom", trial->most);
  return false;
}

// ---- time --------------------------------------------------------------------------------------

// ns of an evaluation: one batch, states in turns.
static double time_batch(const bench *b, const ap_method *method, int evaluations) {
  const int states = timed_states(b);
  int state = 0;
  const double start = now_ns();
  for (int k = 0; k < evaluations; k++) {
    ap_study_eval(b->study[AP_F64], method, input(b, method, state), b->out, NULL);
    if (++state == states) state = 0;
  }
  return (now_ns() - start) / evaluations;
}

static int batch_size(const ap_trial *trial) {
  return trial->once < batch_ns ? (int)(batch_ns / trial->once) : 1;
}

static double median(double *x, int n) {
  ap__sort(x, n);
  return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

// A first round, not counted, brings code and states into the cache and tells the size of batches.
static void warm_up(const bench *b) {
  for (int k = 0; k < b->c->trials; k++) {
    ap_trial *trial = &b->c->trial[k];
    if (was_run(trial) && trial->once < batch_ns)
      trial->once = time_batch(b, trial->method, TIMED_STATES);
  }
}

static bool take_times(const bench *b) {
  ap_comparison *c = b->c;
  double *times = malloc(sizeof *times * MOST_ROUNDS * (size_t)c->trials);
  if (!times) return false;
  warm_up(b);
  const double start = now_ns();
  for (c->rounds = 0; c->rounds < MOST_ROUNDS; c->rounds++) {
    const double spent = (now_ns() - start) / timing_ns;
    if (c->rounds >= LEAST_ROUNDS && spent > 1) break;
    show(b, 0.5 + 0.5 * fmin(spent, 1), "timing, round %d", c->rounds + 1);
    for (int k = 0; k < c->trials; k++) {
      ap_trial *trial = &c->trial[k];
      if (!was_run(trial)) continue;
      times[k * MOST_ROUNDS + c->rounds] = time_batch(b, trial->method, batch_size(trial));
    }
  }
  for (int k = 0; k < c->trials; k++)
    if (was_run(&c->trial[k])) c->trial[k].ns = median(times + k * MOST_ROUNDS, c->rounds);
  free(times);
  return true;
}

// ---- setting up --------------------------------------------------------------------------------

// In exact arithmetic a state of n joints takes n^2 to n^3 operations.
static int choose_states(int nv) {
  const double states = 1e5 / ((double)nv * nv);
  return states > MOST_STATES ? MOST_STATES : states > 1 ? (int)states : 1;
}

static bool list_methods(bench *b) {
  size_t methods = 1;
  while (ap_method_at((int)methods)) methods++;
  b->c->trial = calloc(methods, sizeof *b->c->trial);
  if (!b->c->trial) return false;
  for (int k = 0; k < b->o.quantities; k++) {
    for (int i = 0; ap_method_at(i); i++)
      if (ap_method_at(i)->what == b->o.what[k])
        b->c->trial[b->c->trials++].method = ap_method_at(i);
  }
  return true;
}

static bool open_studies(bench *b) {
  for (int k = 0; k <= AP_COUNT; k++) {
    const size_t size = ap_study_size(b->m, (ap_arithmetic)k);
    if (size == 0) continue;
    b->memory[k] = malloc(size);
    b->study[k] = ap_study_init(b->m, (ap_arithmetic)k, b->memory[k], size);
    if (!b->study[k]) return false;
    if (b->o.gravity) ap_study_set_gravity(b->study[k], b->o.gravity);
  }
  b->c->exact = b->study[AP_F128] ? AP_F128 : AP_F64;
  return true;
}

static bool open_bench(bench *b) {
  const size_t states = (size_t)b->c->states, numbers = states * (size_t)b->row;
  int widest = 1;
  for (int k = 0; k < b->o.quantities; k++) {
    const int n = ap_columns_out(b->m, b->o.what[k]);
    if (n > widest) widest = n;
  }
  b->exact = malloc(states * (size_t)widest * sizeof *b->exact);
  b->motion = malloc(numbers * sizeof *b->motion);
  b->forced = malloc(numbers * sizeof *b->forced);
  b->out = malloc((size_t)widest * sizeof *b->out);
  return b->exact && b->motion && b->forced && b->out && open_studies(b);
}

static void close_bench(bench *b) {
  for (int k = 0; k <= AP_COUNT; k++) free(b->memory[k]);
  free(b->exact);
  free(b->motion);
  free(b->forced);
  free(b->out);
}

static bool run_bench(bench *b) {
  if (!list_methods(b) || !open_bench(b)) return false;
  for (int state = 0; state < b->c->states; state++) random_state(b, &b->o.seed, state);
  try_all(b);
  return take_times(b);
}

// Not a single method was run.
static bool is_empty(const ap_comparison *c, ap_error *error) {
  char why[256];
  for (int k = 0; k < c->trials; k++)
    if (was_run(&c->trial[k])) return false;
  if (c->trials == 0) {
    ap__fail(error, AP_E_UNSUPPORTED, 0, "there is no method to compare");
  } else {
    ap_trial_was_run(&c->trial[0], why, sizeof why);
    ap__fail(error, AP_E_UNSUPPORTED, 0, "no method can be run (%s)", why);
  }
  return true;
}

// ---- the comparison ----------------------------------------------------------------------------

static const ap_quantity all[] = {AP_INVERSE, AP_BIAS, AP_INERTIA, AP_FORWARD};

ap_compare_options ap_default_compare(void) {
  return (ap_compare_options){
      .what = all, .quantities = sizeof all / sizeof all[0], .seed = 1, .cookie = AP_COOKIE};
}

ap_status ap_compare(const ap_model *m, const ap_compare_options *options, ap_comparison *c,
                     ap_error *error) {
  bench b = {.m = m, .c = c, .nq = ap_nq(m), .nv = ap_nv(m)};
  ap_status status = AP_OK;
  b.o = options ? *options : ap_default_compare();
  b.row = b.nq + 2 * b.nv;
  *c = (ap_comparison){.states = b.o.states};
  if (!AP_STARTS_FROM(ap_default_compare, &b.o, error)) return AP_E_ARG;
  if (b.nv == 0)
    return AP__REFUSE(error, AP_E_MODEL, 0,
                      "nothing moves in this model (it needs at least one moving joint)");
  if (b.nv > MOST_VELOCITIES)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "%d degrees of freedom are too many to compare methods (at most %d)", b.nv,
                      MOST_VELOCITIES);
  if (c->states == 0) c->states = choose_states(b.nv);
  if (!run_bench(&b))
    ap__fail(error, status = AP_E_MEMORY, 0, "not enough memory");
  else if (is_empty(c, error))
    status = AP_E_UNSUPPORTED;
  close_bench(&b);
  if (status != AP_OK) ap_comparison_free(c);
  return status;
}

void ap_comparison_free(ap_comparison *c) {
  free(c->trial);
  *c = (ap_comparison){0};
}
