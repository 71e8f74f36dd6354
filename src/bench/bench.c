// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // sched_getcpu()

#include <appell/bench.h>
#include <appell/codegen.h>
#include <appell/dyn.h>
#include <appell/kin.h>
#include <float.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "bench/passes.h"
#include "bench/states.h"

// States of a pass, so many that branches cannot be learned and so few that they stay in the cache:
// fewer of large robots, but as many as fill the widest vectors.
enum { STATES = 128, LEAST_STATES = 16, RESULT_BYTES = 1 << 20 };
enum { LEAST_SAMPLES = 15, MOST_SAMPLES = 4001, MOST_WAYS = 14 };
static const double sample_seconds = 20e-6, warm_seconds = 2e-3;

// Calls in a loop: the other work between them, and how much of the time of a way they get.
enum { LEAST_CALLS = 15, MOST_CALLS = 201, MOST_TRIES = 4 };
static const double other_seconds = 1e-3, loop_share = 0.25;

// What is measured, its name in the results, and the function that computes it in generated code.
static const struct measured {
  ap_quantity what;
  const char *name;
  ap_function function;
} measured[AP_BENCH_QUANTITIES] = {
    {AP_INVERSE, "inverse", AP_GEN_INVERSE},
    {AP_INERTIA, "inertia", AP_GEN_INERTIA},
    {AP_FORWARD, "forward", AP_GEN_FORWARD},
    {AP_INVERSE_DERIVATIVES, "d-inverse", AP_GEN_INVERSE_DERIVATIVES},
    {AP_FORWARD_DERIVATIVES, "d-forward", AP_GEN_FORWARD_DERIVATIVES}};

ap_quantity ap_bench_quantity(int k) { return measured[k].what; }

const char *ap_bench_name(ap_quantity what) {
  int k = 0;
  while (k < AP_BENCH_QUANTITIES && measured[k].what != what) k++;
  return k < AP_BENCH_QUANTITIES ? measured[k].name : ap_quantity_name(what);
}

void ap_bench_pin(void) {
#ifdef __linux__
  const int here = sched_getcpu();
  cpu_set_t set;
  CPU_ZERO(&set);
  if (here < 0 || here >= CPU_SETSIZE) return;
  CPU_SET((size_t)here, &set);
  sched_setaffinity(0, sizeof set, &set); // without it times are only less steady
#endif
}

// ---- one model ---------------------------------------------------------------------------------

// A way of computing all states of a pass.
typedef struct way {
  const char *path, *real;
  const ap__pass_kind *kind; // NULL: a peer
  ap__passes *passes;
  ap__pass *pass;
  bool columns;
  const ap_peer *peer;
  int repeats; // of a pass in a sample
} way;

// Of each real, in the order of what is kept for both.
static const ap__pass_kind *const kinds[2] = {&ap__passes_f64, &ap__passes_f32};

typedef struct bench {
  const ap_bench_options *o;
  ap_bench *found;
  ap_error *error;
  ap__states states;
  double *memory;
  double *exact, *condition; // results of the reference; condition of each inertia matrix
  double *one;               // a result
  ap__passes *passes[2];
  bool compiled[2];
} bench;

static void close_bench(bench *b) {
  for (int k = 0; k < 2; k++)
    if (b->passes[k]) kinds[k]->close(b->passes[k]);
  free(b->memory);
}

static double largest(const double *x, size_t n) {
  double most = 0;
  for (size_t k = 0; k < n; k++) most = fabs(x[k]) <= most ? most : fabs(x[k]);
  return most;
}

// Motions, the forces that belong to them, and how far rounding may grow where a result is solved
// for: the condition number of the inertia matrix in the norm of its largest entry.
static void make_states(bench *b, ap_work *w) {
  ap__states *s = &b->states;
  uint64_t seed = 1;
  const size_t M = s->nv * s->nv;
  for (size_t k = 0; k < s->n; k++) {
    double *q = s->q + k * s->nq, *v = s->v + k * s->nv, *a = s->a + k * s->nv;
    double *tau = s->tau + k * s->nv;
    ap__random_motion(s->m, &seed, q, v, a);
    ap_normalize(s->m, q); // peers take quaternions of length one, not only nearly so
    ap_inverse_dynamics(s->m, w, q, v, a, tau);
    for (size_t j = 0; j < s->nv; j++) tau[j] = (double)(float)tau[j];
    ap_inertia_matrix(s->m, w, q, b->one);
    b->condition[k] = largest(b->one, M) * (double)s->nv;
    const ap_status status = ap_inverse_inertia_matrix(s->m, w, q, b->one);
    b->condition[k] *= status == AP_OK ? largest(b->one, M) : INFINITY;
  }
}

static size_t count_states(size_t nv) {
  const size_t fit = RESULT_BYTES / (3 * nv * nv * sizeof(double)) / LEAST_STATES * LEAST_STATES;
  return fit > STATES ? STATES : fit < LEAST_STATES ? LEAST_STATES : fit;
}

static bool open_states(bench *b, const ap_model *m) {
  ap__states *s = &b->states;
  const size_t nq = (size_t)ap_nq(m), nv = (size_t)ap_nv(m);
  *s = (ap__states){.m = m, .n = count_states(nv), .nq = nq, .nv = nv};
  const size_t size = ap_work_size(m), result = 3 * nv * nv;
  void *work = malloc(size);
  b->memory = calloc(s->n * (nq + 3 * nv + result + 1) + result, sizeof *b->memory);
  ap_work *w = work ? ap_work_init(m, work, size) : NULL;
  if (w && b->memory) {
    s->q = b->memory, s->v = s->q + s->n * nq;
    s->a = s->v + s->n * nv, s->tau = s->a + s->n * nv;
    b->exact = s->tau + s->n * nv, b->condition = b->exact + s->n * result;
    b->one = b->condition + s->n;
    make_states(b, w);
  }
  free(work);
  return w && b->memory;
}

// Operations of what would be generated. Returns their sum.
static double count_operations(const ap_model *m, double *operations) {
  ap_generate_options generating = ap_default_generate();
  ap_code *code = NULL;
  double sum = 0;
  generating.functions = ap_default_compile().functions;
  if (ap_generate(m, &generating, &code, NULL) != AP_OK) return 0;
  for (int k = 0; k < AP_BENCH_QUANTITIES; k++) {
    ap_count count = {0};
    ap_code_count(code, measured[k].function, &count);
    operations[k] = (double)(count.mul + count.add);
    sum += operations[k];
  }
  ap_code_free(code);
  return sum;
}

// Where the code cannot be compiled, a note says why.
static bool open_bench(bench *b, const ap_model *m) {
  ap_bench *found = b->found;
  if (!b->o->no_generated)
    found->too_many = count_operations(m, found->operations) > b->o->most_operations;
  if (!open_states(b, m)) return false;
  for (int k = 0; k < 2; k++) {
    ap_error error = {0};
    b->passes[k] = kinds[k]->open(&b->states);
    if (!b->passes[k]) return false;
    if (b->o->no_generated || found->too_many) continue;
    b->compiled[k] = kinds[k]->compile(b->passes[k], &error) == AP_OK;
    if (!b->compiled[k])
      snprintf(found->note, sizeof found->note, "no generated code: %s", error.text);
  }
  return true;
}

// ---- ways --------------------------------------------------------------------------------------

static int list_ways(const bench *b, ap_quantity what, way *ways) {
  int n = 0;
  for (int k = 0; k < 2; k++) {
    const ap__pass_kind *kind = kinds[k];
    way w = {.real = kind->real, .kind = kind, .passes = b->passes[k]};
    w.path = "general", w.pass = kind->general;
    ways[n++] = w;
    if (b->compiled[k]) {
      w.path = "generated", w.pass = kind->generated;
      ways[n++] = w;
    }
    w.path = "batch", w.pass = kind->batch, w.columns = true;
    ways[n++] = w;
  }
  for (int k = 0; k < b->o->peers && n < MOST_WAYS; k++) {
    const ap_peer *peer = &b->o->peer[k];
    if (!peer->own || !(peer->computes >> what & 1)) continue;
    ways[n++] = (way){.path = peer->name, .real = "f64", .peer = peer};
  }
  return n;
}

static const double *third_input(const ap__states *s, ap_quantity what) {
  return what == AP_FORWARD || what == AP_FORWARD_DERIVATIVES ? s->tau : s->a;
}

static void run_peer(const bench *b, const ap_peer *peer, ap_quantity what, size_t k, double *out) {
  const ap__states *s = &b->states;
  peer->run(peer->own, what, s->q + k * s->nq, s->v + k * s->nv, third_input(s, what) + k * s->nv,
            out);
}

static void run_pass(const bench *b, const way *w, ap_quantity what) {
  if (!w->peer) {
    w->pass(w->passes, what);
    return;
  }
  for (size_t k = 0; k < b->states.n; k++) run_peer(b, w->peer, what, k, NULL);
}

// ---- values ------------------------------------------------------------------------------------

// How far results may differ: rounding of some hundred operations, and where equations are solved
// what the condition makes of it. A result whose digits are all lost says nothing.
static double bound_of(const bench *b, const way *w, ap_quantity what, size_t k) {
  const double epsilon = w->kind ? w->kind->epsilon : DBL_EPSILON;
  const bool solved = what == AP_FORWARD || what == AP_FORWARD_DERIVATIVES;
  return 1e3 * epsilon * (solved ? fmax(b->condition[k], 1) : 1);
}

static bool agrees(const bench *b, const way *w, ap_quantity what) {
  const size_t n = ap__result_size(what, b->states.nv);
  // a state whose terms all but cancel has the rounding of the others
  const double least = 0.01 * largest(b->exact, n * b->states.n);
  if (!w->peer) run_pass(b, w, what);
  for (size_t k = 0; k < b->states.n; k++) {
    const double *exact = b->exact + k * n;
    if (w->peer)
      run_peer(b, w->peer, what, k, b->one);
    else
      w->kind->result(w->passes, what, w->columns, k, b->one);
    for (size_t j = 0; j < n; j++) b->one[j] -= exact[j];
    const double off = largest(b->one, n), size = largest(exact, n);
    const double bound = bound_of(b, w, what, k) * (least > 0 ? fmax(size, least) : 1);
    if (bound > 0.5 * size || off <= bound) continue;
    ap__fail(
        b->error, AP_E_NO_CONVERGENCE, 0,
        "%s by %s in %s differs from the library in some state by %.3g (at most %.3g is allowed)",
        ap_bench_name(what), w->path, w->real, off, bound);
    return false;
  }
  return true;
}

static void find_exact(const bench *b, ap_quantity what) {
  const size_t n = ap__result_size(what, b->states.nv);
  kinds[0]->general(b->passes[0], what);
  for (size_t k = 0; k < b->states.n; k++)
    kinds[0]->result(b->passes[0], what, false, k, b->exact + k * n);
}

// ---- times -------------------------------------------------------------------------------------

static double sample_of(const bench *b, const way *w, ap_quantity what) {
  const double start = ap__clock();
  for (int k = 0; k < w->repeats; k++) run_pass(b, w, what);
  return (ap__clock() - start) * 1e9 / ((double)w->repeats * (double)b->states.n);
}

// As many repeats to a sample as the clock asks for; warms up on the way. Returns ns of a sample.
static double set_repeats(const bench *b, way *w, ap_quantity what) {
  const double start = ap__clock();
  double best = INFINITY;
  w->repeats = 1;
  do best = fmin(best, sample_of(b, w, what));
  while (ap__clock() - start < warm_seconds);
  const double pass = best * 1e-9 * (double)b->states.n;
  w->repeats = pass < sample_seconds ? (int)(sample_seconds / pass) + 1 : 1;
  return pass * w->repeats * 1e9;
}

// How often the core was given to somebody else.
static long switches(void) {
  struct rusage used = {0};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_nivcsw + used.ru_nvcsw;
}

// Dependent multiplications of integers, for a millisecond.
static void work_elsewhere(void) {
  static volatile uint64_t seed = 3;
  const double end = ap__clock() + other_seconds;
  uint64_t x = seed;
  do
    for (int k = 0; k < 1000; k++) x = x * x + 1;
  while (ap__clock() < end);
  seed = x;
}

// ns of one call, less what the clock takes.
static double time_call(const bench *b, const way *w, ap_quantity what, size_t state) {
  const double start = ap__clock(), before = ap__clock();
  if (w->peer)
    run_peer(b, w->peer, what, state, NULL);
  else
    w->pass(w->passes, what);
  return (ap__clock() - before - (before - start)) * 1e9;
}

// ns of a call in a loop. A call counts if the core was ours since the one before: then caches are
// as that left them, and the vectors of others are not what keeps ours awake.
static double in_loop(const bench *b, const way *w, ap_quantity what) {
  double sample[MOST_CALLS];
  const double wanted = b->o->seconds * loop_share / other_seconds;
  const int calls = (int)fmin(fmax(wanted, LEAST_CALLS), MOST_CALLS);
  int taken = 0;
  for (int k = 0; k < MOST_TRIES * calls && taken < calls; k++) {
    const size_t state = (size_t)k % b->states.n;
    const long before = switches();
    if (!w->peer) w->kind->choose(w->passes, state, 1);
    work_elsewhere();
    sample[taken] = time_call(b, w, what, state);
    if (k > 0 && (switches() == before || k >= (MOST_TRIES - 1) * calls)) taken++;
  }
  if (!w->peer) w->kind->choose(w->passes, 0, b->states.n);
  ap__sort(sample, taken);
  return sample[taken / 2];
}

static bool measure(const bench *b, way *ways, int n, ap_quantity what) {
  double turn = 0;
  for (int k = 0; k < n; k++) turn += set_repeats(b, &ways[k], what) * 1e-9;
  const double wanted = b->o->seconds * n / turn;
  const int samples = wanted < LEAST_SAMPLES  ? LEAST_SAMPLES
                      : wanted > MOST_SAMPLES ? MOST_SAMPLES
                                              : (int)wanted;
  double *sample = malloc((size_t)n * (size_t)samples * sizeof *sample);
  if (!sample) return false;
  // where others keep the machine busy, fewer samples have to do
  const double end = ap__clock() + b->o->seconds * n;
  int taken = 0;
  while (taken < samples && (taken < LEAST_SAMPLES || ap__clock() < end)) {
    for (int k = 0; k < n; k++) sample[k * samples + taken] = sample_of(b, &ways[k], what);
    taken++;
  }
  for (int k = 0; k < n; k++) {
    double *x = sample + (size_t)k * (size_t)samples;
    ap__sort(x, taken);
    b->found->row[b->found->rows++] =
        (ap_bench_row){.what = what,
                       .path = ways[k].path,
                       .real = ways[k].real,
                       .ns = x[taken / 2],
                       .p10 = x[taken / 10],
                       .p90 = x[taken - 1 - taken / 10],
                       .loop = ways[k].columns ? 0 : in_loop(b, &ways[k], what)};
  }
  free(sample);
  return true;
}

static void keep_results(const bench *b, bool on) {
  for (int k = 0; k < 2; k++) kinds[k]->keep(b->passes[k], on);
}

static ap_status run_what(const bench *b, ap_quantity what) {
  way ways[MOST_WAYS];
  const int n = list_ways(b, what, ways);
  keep_results(b, true);
  find_exact(b, what);
  for (int k = 0; k < n; k++)
    if (!agrees(b, &ways[k], what)) return AP_E_NO_CONVERGENCE;
  keep_results(b, false);
  return measure(b, ways, n, what) ? AP_OK : AP_E_MEMORY;
}

ap_bench_options ap_default_bench(void) {
  return (ap_bench_options){.seconds = 0.25, .most_operations = INFINITY, .cookie = AP_COOKIE};
}

ap_status ap_bench_run(const ap_model *m, const ap_bench_options *options, ap_bench *found,
                       ap_error *error) {
  const ap_bench_options standard = ap_default_bench();
  bench b = {.o = options ? options : &standard, .found = found, .error = error};
  *found = (ap_bench){0};
  if (!AP_STARTS_FROM(ap_default_bench, b.o, error)) return AP_E_ARG;
  if (ap_nv(m) == 0) return AP__REFUSE(error, AP_E_MODEL, 0, "the robot has no joint that moves");
  found->row = calloc((size_t)AP_BENCH_QUANTITIES * MOST_WAYS, sizeof *found->row);
  ap_status status = found->row && open_bench(&b, m) ? AP_OK : AP_E_MEMORY;
  for (int k = 0; k < AP_BENCH_QUANTITIES && status == AP_OK; k++)
    status = run_what(&b, measured[k].what);
  close_bench(&b);
  if (status == AP_E_MEMORY) ap__fail(error, status, 0, "not enough memory");
  if (status != AP_OK) ap_bench_free(found);
  return status;
}

void ap_bench_free(ap_bench *b) {
  free(b->row);
  *b = (ap_bench){0};
}

const ap_bench_row *ap_bench_find(const ap_bench *b, ap_quantity what, const char *path,
                                  const char *real) {
  for (int k = 0; k < b->rows; k++) {
    const ap_bench_row *r = &b->row[k];
    if (r->what == what && strcmp(r->path, path) == 0 && strcmp(r->real, real) == 0) return r;
  }
  return NULL;
}
