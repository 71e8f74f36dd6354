#define _GNU_SOURCE // sched_getcpu()

#include "speed.h"

#include <appell/dyn.h>
#include <float.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "course.h"
#include "links.h"
#include "motions.h"
#include "ui/message.h"

// States of a pass, so many that branches cannot be learned and so few that they stay in the cache:
// fewer of large robots, but as many as fill the widest vectors.
enum { STATES = 128, LEAST_STATES = 16, RESULT_BYTES = 1 << 20 };
enum { LEAST_SAMPLES = 15, MOST_SAMPLES = 4001, MOST_WAYS = 8 };
static const double sample_seconds = 20e-6, warm_seconds = 2e-3;

const char *cli_what_name(cli_what what) {
  static const char *const names[CLI_WHATS] = {"inverse", "inertia", "forward", "d-inverse",
                                               "d-forward"};
  return names[what];
}

void cli_speed_pin(void) {
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
  const cli_course_kind *kind; // NULL: a peer
  cli_course *course;
  cli_pass *pass;
  bool columns;
  const cli_peer *peer;
  int passes;     // of a sample
  double *sample; // ns per state
  int samples;
} way;

// Of each real, in the order of what is kept for both.
static const cli_course_kind *const kinds[2] = {&cli_course_f64, &cli_course_f32};

typedef struct bench {
  cli_speeds *s;
  cli_states states;
  double *memory;
  double *exact, *condition; // results of the reference; condition of each inertia matrix
  double *one;               // a result
  cli_course *course[2];
  bool compiled[2];
  cli_links links;
  cli_peer peer[2];
} bench;

static void close_bench(bench *b) {
  for (int k = 0; k < 2; k++) {
    if (b->course[k]) kinds[k]->close(b->course[k]);
    if (b->peer[k].own) b->peer[k].close(b->peer[k].own);
  }
  cli_links_free(&b->links);
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
  cli_states *s = &b->states;
  uint64_t seed = 1;
  const size_t M = s->nv * s->nv;
  for (size_t k = 0; k < s->n; k++) {
    double *q = s->q + k * s->nq, *v = s->v + k * s->nv, *a = s->a + k * s->nv;
    double *tau = s->tau + k * s->nv;
    cli_random_motion(s->m, &seed, q, v, a);
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

static int open_states(bench *b) {
  cli_states *s = &b->states;
  *s = (cli_states){.m = b->s->model,
                    .n = count_states((size_t)ap_nv(b->s->model)),
                    .nq = (size_t)ap_nq(b->s->model),
                    .nv = (size_t)ap_nv(b->s->model)};
  const size_t size = ap_work_size(s->m), result = 3 * s->nv * s->nv;
  void *work = malloc(size);
  b->memory = calloc(s->n * (s->nq + 3 * s->nv + result + 1) + result, sizeof *b->memory);
  ap_work *w = work ? ap_work_init(s->m, work, size) : NULL;
  if (w && b->memory) {
    s->q = b->memory, s->v = s->q + s->n * s->nq;
    s->a = s->v + s->n * s->nv, s->tau = s->a + s->n * s->nv;
    b->exact = s->tau + s->n * s->nv, b->condition = b->exact + s->n * result;
    b->one = b->condition + s->n;
    make_states(b, w);
  }
  free(work);
  return w && b->memory ? CLI_OK : cli_no_memory();
}

static int open_bench(bench *b) {
  int status = open_states(b);
  for (int k = 0; k < 2 && status == CLI_OK; k++) {
    ap_error error = {0};
    b->course[k] = kinds[k]->open(&b->states);
    if (!b->course[k]) return cli_no_memory();
    if (b->s->no_generated) continue;
    if (kinds[k]->compile(b->course[k], &error) == AP_OK)
      b->compiled[k] = true;
    else
      snprintf(b->s->note, sizeof b->s->note, "no generated code: %s", error.text);
  }
  cli_links_of(b->s->model, &b->links);
  if (b->links.n > 0) {
    b->peer[0] = cli_peer_kdl(&b->links);
    b->peer[1] = cli_peer_mujoco(&b->links);
  }
  return status;
}

// ---- ways --------------------------------------------------------------------------------------

static int list_ways(bench *b, cli_what what, way *ways) {
  int n = 0;
  for (int k = 0; k < 2; k++) {
    const cli_course_kind *kind = kinds[k];
    way w = {.real = kind->real, .kind = kind, .course = b->course[k]};
    w.path = "general", w.pass = kind->general;
    ways[n++] = w;
    if (b->compiled[k] && kind->is_generated(w.course, what)) {
      w.path = "generated", w.pass = kind->generated;
      ways[n++] = w;
    }
    w.path = "batch", w.pass = kind->batch, w.columns = true;
    ways[n++] = w;
  }
  for (int k = 0; k < 2; k++) {
    const cli_peer *peer = &b->peer[k];
    if (!peer->own || !peer->can[what]) continue;
    ways[n++] = (way){.path = peer->name, .real = "f64", .peer = peer};
  }
  return n;
}

static const double *third_input(const cli_states *s, cli_what what) {
  return what == CLI_FORWARD || what == CLI_D_FORWARD ? s->tau : s->a;
}

static void run_peer(const bench *b, const cli_peer *peer, cli_what what, size_t k, double *out) {
  const cli_states *s = &b->states;
  peer->run(peer->own, what, s->q + k * s->nq, s->v + k * s->nv, third_input(s, what) + k * s->nv,
            out);
}

static void run_pass(const bench *b, const way *w, cli_what what) {
  if (!w->peer) {
    w->pass(w->course, what);
    return;
  }
  for (size_t k = 0; k < b->states.n; k++) run_peer(b, w->peer, what, k, NULL);
}

// ---- values ------------------------------------------------------------------------------------

// How far results may differ: rounding of some hundred operations, and where equations are solved
// what the condition makes of it. A result whose digits are all lost says nothing.
static double bound_of(const bench *b, const way *w, cli_what what, size_t k) {
  const double epsilon = w->kind ? w->kind->epsilon : DBL_EPSILON;
  const bool solved = what == CLI_FORWARD || what == CLI_D_FORWARD;
  return 1e3 * epsilon * (solved ? fmax(b->condition[k], 1) : 1);
}

static int compare_values(const bench *b, const way *w, cli_what what) {
  const size_t n = cli_what_size(what, b->states.nv);
  // a state whose terms all but cancel has the rounding of the others
  const double least = 0.01 * largest(b->exact, n * b->states.n);
  if (!w->peer) run_pass(b, w, what);
  for (size_t k = 0; k < b->states.n; k++) {
    const double *exact = b->exact + k * n;
    if (w->peer)
      run_peer(b, w->peer, what, k, b->one);
    else
      w->kind->result(w->course, what, w->columns, k, b->one);
    for (size_t j = 0; j < n; j++) b->one[j] -= exact[j];
    const double off = largest(b->one, n), size = largest(exact, n);
    const double bound = bound_of(b, w, what, k) * (least > 0 ? fmax(size, least) : 1);
    if (bound > 0.5 * size || off <= bound) continue;
    return cli_fail(CLI_FAILED, b->s->name, 0,
                    "%s by %s in %s differs from the library in a state: %.3g off, %.3g is allowed",
                    cli_what_name(what), w->path, w->real, off, bound);
  }
  return CLI_OK;
}

static void find_exact(const bench *b, cli_what what) {
  const size_t n = cli_what_size(what, b->states.nv);
  kinds[0]->general(b->course[0], what);
  for (size_t k = 0; k < b->states.n; k++)
    kinds[0]->result(b->course[0], what, false, k, b->exact + k * n);
}

// ---- times -------------------------------------------------------------------------------------

static double sample_of(const bench *b, const way *w, cli_what what) {
  const double start = cli_clock();
  for (int k = 0; k < w->passes; k++) run_pass(b, w, what);
  return (cli_clock() - start) * 1e9 / ((double)w->passes * (double)b->states.n);
}

// As many passes to a sample as the clock asks for; warms up on the way. Returns ns of a sample.
static double set_passes(const bench *b, way *w, cli_what what) {
  const double start = cli_clock();
  double best = INFINITY;
  w->passes = 1;
  do best = fmin(best, sample_of(b, w, what));
  while (cli_clock() - start < warm_seconds);
  const double pass = best * 1e-9 * (double)b->states.n;
  w->passes = pass < sample_seconds ? (int)(sample_seconds / pass) + 1 : 1;
  return pass * w->passes * 1e9;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int measure(const bench *b, way *ways, int n, cli_what what) {
  double turn = 0;
  for (int k = 0; k < n; k++) turn += set_passes(b, &ways[k], what) * 1e-9;
  const double wanted = b->s->seconds * n / turn;
  const int samples = wanted < LEAST_SAMPLES  ? LEAST_SAMPLES
                      : wanted > MOST_SAMPLES ? MOST_SAMPLES
                                              : (int)wanted;
  double *sample = malloc((size_t)n * (size_t)samples * sizeof *sample);
  if (!sample) return cli_no_memory();
  // where others keep the machine busy, fewer samples have to do
  const double end = cli_clock() + b->s->seconds * n;
  int taken = 0;
  while (taken < samples && (taken < LEAST_SAMPLES || cli_clock() < end)) {
    for (int k = 0; k < n; k++) sample[k * samples + taken] = sample_of(b, &ways[k], what);
    taken++;
  }
  for (int k = 0; k < n; k++) {
    double *x = sample + (size_t)k * (size_t)samples;
    qsort(x, (size_t)taken, sizeof *x, by_size);
    b->s->row[b->s->rows++] = (cli_speed){.what = what,
                                          .path = ways[k].path,
                                          .real = ways[k].real,
                                          .ns = x[taken / 2],
                                          .p10 = x[taken / 10],
                                          .p90 = x[taken - 1 - taken / 10]};
  }
  free(sample);
  return CLI_OK;
}

static void keep_results(const bench *b, bool on) {
  for (int k = 0; k < 2; k++) kinds[k]->keep(b->course[k], on);
}

static int run_what(bench *b, cli_what what) {
  way ways[MOST_WAYS];
  const int n = list_ways(b, what, ways);
  keep_results(b, true);
  find_exact(b, what);
  for (int k = 0; k < n; k++) {
    const int status = compare_values(b, &ways[k], what);
    if (status != CLI_OK) return status;
  }
  keep_results(b, false);
  return measure(b, ways, n, what);
}

int cli_speeds_run(cli_speeds *s) {
  bench b = {.s = s};
  s->rows = 0, s->note[0] = '\0';
  s->row = calloc((size_t)CLI_WHATS * MOST_WAYS, sizeof *s->row);
  int status = s->row ? open_bench(&b) : cli_no_memory();
  for (int what = 0; what < CLI_WHATS && status == CLI_OK; what++)
    status = run_what(&b, (cli_what)what);
  close_bench(&b);
  return status;
}

void cli_speeds_free(cli_speeds *s) { free(s->row); }
