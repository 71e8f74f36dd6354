#include "trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "motions.h"
#include "ui/progress.h"

// Up to TIMED_STATES states take turns in a batch, few enough to stay in the processor's cache.
enum { MOST_STATES = 100, TIMED_STATES = 16, LEAST_ROUNDS = 5, MOST_ROUNDS = 501 };
static const double batch_ns = 1e5, timing_ns = 2e9;

// What all trials of one run share.
typedef struct bench {
  cli_trials *t;
  int nq, nv, row;               // a state has row numbers
  double *motion, *forced;       // the states: q v a, and q v tau
  double *out;                   // one result
  ap_study *study[AP_COUNT + 1]; // NULL: this build lacks the arithmetic
  void *memory[AP_COUNT + 1];    // of the studies
  double *exact;                 // results of the default method, state by state
  cli_progress progress;
} bench;

// ---- states ------------------------------------------------------------------------------------

// A motion, and the forces that belong to it.
static void random_state(bench *b, uint64_t *seed, int state) {
  const ap_model *m = b->t->model;
  double *q = b->motion + (size_t)state * (size_t)b->row, *v = q + b->nq, *a = v + b->nv;
  cli_random_motion(m, seed, q, v, a);
  double *forced = b->forced + (size_t)state * (size_t)b->row, *tau = forced + b->nq + b->nv;
  memcpy(forced, q, (size_t)b->row * sizeof *q);
  if (ap_study_eval(b->study[AP_F64], ap_find_method(AP_INVERSE, NULL), q, tau, NULL) != AP_OK) {
    return; // no inverse dynamics at all: the accelerations serve as forces as well
  }
  for (int k = 0; k < b->nv; k++) tau[k] = (double)(float)tau[k];
}

static const double *input(const bench *b, const ap_method *method, int state) {
  const double *states = method->what == AP_FORWARD ? b->forced : b->motion;
  return states + (size_t)state * (size_t)b->row;
}

// ---- one method --------------------------------------------------------------------------------

static double now_ns(void) { return cli_clock() * 1e9; }

// Methods that fill a matrix take n^2 operations for n degrees of freedom, those that factorise one
// n^3; all others take n. A limit on n keeps each kind to seconds, and unlike one on time it is the
// same in every run.
static bool is_recursion(const ap_method *method) {
  return method->what == AP_INVERSE || method->what == AP_BIAS ||
         (method->what == AP_FORWARD && (method == ap_find_method(AP_FORWARD, NULL) ||
                                         strncmp(method->name, "articulated-body", 16) == 0));
}

static int most_velocities(const ap_method *method) {
  if (is_recursion(method)) return CLI_MOST_VELOCITIES;
  const bool fills =
      method->what == AP_INERTIA && strcmp(method->name, "orthogonal-complement") != 0;
  return fills ? CLI_MOST_FILLED : CLI_MOST_FACTORISED;
}

static ap_status evaluate(const bench *b, ap_arithmetic arithmetic, const ap_method *method,
                          int state, ap_count *count) {
  return ap_study_eval(b->study[arithmetic], method, input(b, method, state), b->out, count);
}

// The results that errors are taken against, rounded to double. A singular state has none: NAN.
static void find_exact(const bench *b, const ap_method *method) {
  const size_t n = (size_t)ap_columns_out(b->t->model, method->what);
  for (int state = 0; state < b->t->states; state++) {
    double *exact = b->exact + (size_t)state * n;
    const ap_status status = evaluate(b, b->t->exact, method, state, NULL);
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

static void judge(const bench *b, cli_trial *trial) {
  const int n = ap_columns_out(b->t->model, trial->method->what);
  for (int state = 0; state < b->t->states; state++) {
    const ap_status status = evaluate(b, AP_F32, trial->method, state, NULL);
    const double *exact = b->exact + (size_t)state * (size_t)n;
    if (status != AP_OK || !isfinite(largest(b->out, n)) || !isfinite(largest(exact, n))) {
      trial->failed++;
    } else {
      trial->error = fmax(trial->error, error_of(b, exact, n));
    }
  }
}

static int timed_states(const bench *b) {
  return b->t->states < TIMED_STATES ? b->t->states : TIMED_STATES;
}

// All about a method but its time.
static void try_method(const bench *b, cli_trial *trial) {
  if (b->nv > most_velocities(trial->method)) {
    trial->most = most_velocities(trial->method);
    return;
  }
  for (int state = 0; state < timed_states(b) && trial->status == AP_OK; state++) {
    const double start = now_ns();
    trial->status = evaluate(b, AP_F64, trial->method, state, NULL);
    trial->once = fmax(now_ns() - start, 1);
  }
  if (trial->status == AP_OK) {
    trial->status = evaluate(b, AP_COUNT, trial->method, 0, &trial->count);
  }
  if (trial->status == AP_OK) judge(b, trial);
}

// By quantity; the first method of each is the default.
static void try_all(bench *b) {
  const cli_trials *t = b->t;
  for (int k = 0; k < t->trials; k++) {
    const ap_method *method = t->trial[k].method;
    const bool first = k == 0 || method->what != t->trial[k - 1].method->what;
    cli_progress_step(&b->progress, k, 2 * t->trials, "%s by %s", ap_quantity_name(method->what),
                      method->name);
    if (first && b->nv <= most_velocities(method)) find_exact(b, method);
    try_method(b, &t->trial[k]);
  }
}

// ---- time --------------------------------------------------------------------------------------

static bool can_be_timed(const cli_trial *trial) {
  return trial->status == AP_OK && trial->most == 0;
}

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

static int batch_size(const cli_trial *trial) {
  return trial->once < batch_ns ? (int)(batch_ns / trial->once) : 1;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x, int n) {
  qsort(x, (size_t)n, sizeof *x, by_size);
  return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

// A first round, not counted, brings code and states into the cache and tells the size of batches.
static void warm_up(const bench *b) {
  for (int k = 0; k < b->t->trials; k++) {
    cli_trial *trial = &b->t->trial[k];
    if (can_be_timed(trial) && trial->once < batch_ns) {
      trial->once = time_batch(b, trial->method, TIMED_STATES);
    }
  }
}

static bool take_times(bench *b) {
  cli_trials *t = b->t;
  double *times = malloc(sizeof *times * MOST_ROUNDS * (size_t)t->trials);
  if (!times) return false;
  warm_up(b);
  const double start = now_ns();
  for (t->rounds = 0; t->rounds < MOST_ROUNDS; t->rounds++) {
    const double spent = (now_ns() - start) / timing_ns;
    if (t->rounds >= LEAST_ROUNDS && spent > 1) break;
    cli_progress_show(&b->progress, 0.5 + 0.5 * fmin(spent, 1), "timing, round %d", t->rounds + 1);
    for (int k = 0; k < t->trials; k++) {
      cli_trial *trial = &t->trial[k];
      if (!can_be_timed(trial)) continue;
      times[k * MOST_ROUNDS + t->rounds] = time_batch(b, trial->method, batch_size(trial));
    }
  }
  for (int k = 0; k < t->trials; k++) {
    if (can_be_timed(&t->trial[k])) t->trial[k].ns = median(times + k * MOST_ROUNDS, t->rounds);
  }
  free(times);
  return true;
}

// ---- setting up --------------------------------------------------------------------------------

// In exact arithmetic a state of n joints takes n^2 to n^3 operations.
static int choose_states(int nv) {
  const double states = 1e5 / ((double)nv * nv);
  return states > MOST_STATES ? MOST_STATES : states > 1 ? (int)states : 1;
}

static bool list_methods(cli_trials *t) {
  size_t methods = 1;
  while (ap_method_at((int)methods)) methods++;
  t->trial = calloc(methods, sizeof *t->trial);
  if (!t->trial) return false;
  for (int k = 0; k < t->quantities; k++) {
    for (int i = 0; ap_method_at(i); i++) {
      if (ap_method_at(i)->what == t->what[k]) t->trial[t->trials++].method = ap_method_at(i);
    }
  }
  return true;
}

static bool open_studies(bench *b) {
  for (int k = 0; k <= AP_COUNT; k++) {
    const size_t size = ap_study_size(b->t->model, (ap_arithmetic)k);
    if (size == 0) continue;
    b->memory[k] = malloc(size);
    b->study[k] = ap_study_init(b->t->model, (ap_arithmetic)k, b->memory[k], size);
    if (!b->study[k]) return false;
    if (b->t->gravity) ap_study_set_gravity(b->study[k], b->t->gravity);
  }
  b->t->exact = b->study[AP_F128] ? AP_F128 : AP_F64;
  return true;
}

static bool open_bench(bench *b) {
  cli_trials *t = b->t;
  const size_t states = (size_t)t->states, numbers = states * (size_t)b->row;
  int widest = 1;
  for (int k = 0; k < t->quantities; k++) {
    const int n = ap_columns_out(t->model, t->what[k]);
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

static int run_bench(bench *b) {
  cli_trials *t = b->t;
  if (!list_methods(t) || !open_bench(b)) return cli_no_memory();
  uint64_t seed = t->seed;
  for (int state = 0; state < t->states; state++) random_state(b, &seed, state);
  try_all(b);
  const int status = take_times(b) ? CLI_OK : cli_no_memory();
  cli_progress_hide();
  return status;
}

int cli_trials_run(cli_trials *t) {
  bench b = {.t = t, .nq = ap_nq(t->model), .nv = ap_nv(t->model)};
  b.row = b.nq + 2 * b.nv;
  cli_progress_start(&b.progress, false);
  if (t->states == 0) t->states = choose_states(b.nv);
  const int status = run_bench(&b);
  close_bench(&b);
  return status;
}

void cli_trials_free(cli_trials *t) {
  free(t->trial);
  t->trial = NULL;
}
