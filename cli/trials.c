// For MAP_ANONYMOUS: memory that a process shares with its children.
#define _DEFAULT_SOURCE
#include "trials.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Up to TIMED_STATES states take turns in a batch, few enough to stay in the processor's cache.
enum { MOST_STATES = 100, TIMED_STATES = 16, MOST_ROUNDS = 501 };
static const double batch_ns = 1e5, timing_ns = 2e9;

// What all trials of one run share.
typedef struct bench {
  cli_trials *t;
  int nq, nv, row;               // a state has row numbers
  double *motion, *forced;       // the states: q v a, and q v tau
  double *out;                   // one result
  ap_study *study[AP_COUNT + 1]; // NULL: this build lacks the arithmetic
  void *memory[AP_COUNT + 1];    // of the studies
  double *exact;                 // shared: results of the default method, state by state
  int *exact_states;             // shared: how many there are
  size_t exact_bytes;
  bool shows; // progress
} bench;

// ---- states ------------------------------------------------------------------------------------

// splitmix64 (Steele, Lea, Flood 2014)
static uint64_t next(uint64_t *seed) {
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Single-precision numbers, so that the rounding of states is no part of an error.
static double uniform(uint64_t *seed, double low, double high) {
  const double u = (double)(next(seed) >> 11) * 0x1p-53;
  return (double)(float)(low + u * (high - low));
}

// Inside a ball every direction is alike.
static void random_quaternion(uint64_t *seed, double *x) {
  double square;
  do {
    square = 0;
    for (int k = 0; k < 4; k++) {
      x[k] = uniform(seed, -1, 1);
      square += x[k] * x[k];
    }
  } while (square < 0.1 || square > 1);
  for (int k = 0; k < 4; k++) x[k] = (double)(float)(x[k] / sqrt(square));
}

// Within the limits; where one is missing, at most 2 * half from the other.
static double random_position(uint64_t *seed, const ap_body_def *body, double half) {
  double low = body->lower, high = body->upper;
  if (!isfinite(low) && !isfinite(high)) low = -half;
  if (!isfinite(low)) low = high - 2 * half;
  if (!isfinite(high)) high = low + 2 * half;
  return uniform(seed, low, high);
}

static void random_joint(uint64_t *seed, const ap_body_def *body, double *q) {
  static const double pi = 3.14159265358979323846, reach = 0.5;
  switch (body->joint) {
    case AP_FIXED: break;
    case AP_REVOLUTE: q[0] = random_position(seed, body, pi); break;
    case AP_PRISMATIC: q[0] = random_position(seed, body, reach); break;
    case AP_SPHERICAL: random_quaternion(seed, q); break;
    case AP_PLANAR:
      for (int k = 0; k < 2; k++) q[k] = uniform(seed, -reach, reach);
      q[2] = uniform(seed, -pi, pi);
      break;
    case AP_FREE:
      for (int k = 0; k < 3; k++) q[k] = uniform(seed, -reach, reach);
      random_quaternion(seed, q + 3);
      break;
  }
}

// q, v within 2 and a within 5 (SI units), and the forces that belong to them.
static void random_state(bench *b, uint64_t *seed, int state) {
  const ap_model *m = b->t->model;
  double *q = b->motion + (size_t)state * (size_t)b->row, *v = q + b->nq, *a = v + b->nv;
  for (int i = 1; i < ap_nbody(m); i++) {
    if (ap_joint_nq(m, i) > 0) random_joint(seed, ap_body(m, i), q + ap_joint_q(m, i));
  }
  for (int k = 0; k < b->nv; k++) v[k] = uniform(seed, -2, 2);
  for (int k = 0; k < b->nv; k++) a[k] = uniform(seed, -5, 5);
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

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

// From now on the process has CLI_TRIAL_SECONDS until SIGPROF ends it.
static void limit_time(void) {
  const struct itimerval limit = {.it_value = {.tv_usec = (long)(CLI_TRIAL_SECONDS * 1e6)}};
  setitimer(ITIMER_PROF, &limit, NULL);
}

static ap_status evaluate(const bench *b, ap_arithmetic arithmetic, const ap_method *method,
                          int state, ap_count *count) {
  limit_time();
  return ap_study_eval(b->study[arithmetic], method, input(b, method, state), b->out, count);
}

// The results that errors are taken against, rounded to double. A singular state has none: NAN.
static void find_exact(const bench *b, cli_trial *trial) {
  const ap_method *method = trial->method;
  const size_t n = (size_t)ap_columns_out(b->t->model, method->what);
  for (int state = 0; state < b->t->states; state++) {
    double *exact = b->exact + (size_t)state * n;
    const ap_status status = evaluate(b, b->t->exact, method, state, NULL);
    for (size_t k = 0; k < n; k++) exact[k] = status == AP_OK ? b->out[k] : NAN;
    *b->exact_states = state + 1;
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
  if (*b->exact_states < b->t->states) return;
  for (int state = 0; state < b->t->states; state++) {
    const ap_status status = evaluate(b, AP_F32, trial->method, state, NULL);
    const double *exact = b->exact + (size_t)state * (size_t)n;
    if (status != AP_OK || !isfinite(largest(b->out, n)) || !isfinite(largest(exact, n))) {
      trial->failed++;
    } else {
      trial->error = fmax(trial->error, error_of(b, exact, n));
    }
  }
  trial->judged = true;
}

static int timed_states(const bench *b) {
  return b->t->states < TIMED_STATES ? b->t->states : TIMED_STATES;
}

// All about a method but its time. Every finding is in shared memory as soon as it is made.
static void try_method(const bench *b, cli_trial *trial) {
  for (int state = 0; state < timed_states(b) && trial->status == AP_OK; state++) {
    const double start = now_ns();
    trial->status = evaluate(b, AP_F64, trial->method, state, NULL);
    trial->once = now_ns() - start;
  }
  if (trial->status != AP_OK) return;
  ap_count count;
  trial->status = evaluate(b, AP_COUNT, trial->method, 0, &count);
  if (trial->status != AP_OK) return;
  trial->count = count;
  trial->counted = true;
  judge(b, trial);
}

// Run find(b, trial) in a child; that its time is over is no failure.
static int in_child(const bench *b, void (*find)(const bench *b, cli_trial *trial),
                    cli_trial *trial) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGPROF, SIG_DFL);
    find(b, trial);
    _exit(CLI_OK);
  }
  int how = 0;
  pid_t ended = child;
  do {
    if (child > 0) ended = waitpid(child, &how, 0);
  } while (ended < 0 && child > 0 && errno == EINTR);
  if (ended < 0) {
    return cli_fail(CLI_FAILED, NULL, 0, "cannot start a process: %s", strerror(errno));
  }
  if (WIFEXITED(how) || WTERMSIG(how) == SIGPROF) return CLI_OK;
  return cli_fail(CLI_FAILED, NULL, 0, "a process ended with signal %d", WTERMSIG(how));
}

static void show(const bench *b, const char *what, const char *name) {
  if (b->shows) fprintf(stderr, "\r\033[Kappell: %s%s%s", what, name[0] ? " " : "", name);
}

// The methods of one quantity, t->trial[first] up to the next quantity; the first is the default.
static int try_quantity(bench *b, int first) {
  const ap_quantity what = b->t->trial[first].method->what;
  *b->exact_states = 0;
  show(b, ap_quantity_name(what), "");
  int status = in_child(b, find_exact, &b->t->trial[first]);
  for (int k = first; k < b->t->trials && status == CLI_OK; k++) {
    cli_trial *trial = &b->t->trial[k];
    if (trial->method->what != what) break;
    show(b, ap_quantity_name(what), trial->method->name);
    status = in_child(b, try_method, trial);
  }
  return status;
}

static int try_all(bench *b) {
  const cli_trials *t = b->t;
  int status = CLI_OK;
  for (int k = 0; k < t->trials && status == CLI_OK; k++) {
    if (k == 0 || t->trial[k].method->what != t->trial[k - 1].method->what) {
      status = try_quantity(b, k);
    }
  }
  return status;
}

// ---- time --------------------------------------------------------------------------------------

static bool can_be_timed(const cli_trial *trial) {
  return trial->status == AP_OK && trial->once > 0;
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

static bool take_times(const bench *b) {
  cli_trials *t = b->t;
  double *times = malloc(sizeof *times * MOST_ROUNDS * (size_t)t->trials);
  if (!times) return false;
  show(b, "timing", "");
  warm_up(b);
  const double start = now_ns();
  for (t->rounds = 0; t->rounds < MOST_ROUNDS; t->rounds++) {
    if (t->rounds > 0 && now_ns() - start > timing_ns) break;
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

static void *shared(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

// In exact arithmetic a state of n joints takes n^2 to n^3 operations.
static int choose_states(int nv) {
  const double states = 1e5 / ((double)nv * nv);
  return states > MOST_STATES ? MOST_STATES : states > 1 ? (int)states : 1;
}

static size_t trial_bytes(void) {
  size_t methods = 0;
  while (ap_method_at((int)methods)) methods++;
  return methods * sizeof(cli_trial);
}

static bool list_methods(cli_trials *t) {
  t->trial = shared(trial_bytes());
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
  b->exact_bytes = (1 + states * (size_t)widest) * sizeof *b->exact;
  b->exact = shared(b->exact_bytes);
  b->motion = malloc(numbers * sizeof *b->motion);
  b->forced = malloc(numbers * sizeof *b->forced);
  b->out = malloc((size_t)widest * sizeof *b->out);
  if (!b->exact || !b->motion || !b->forced || !b->out) return false;
  b->exact_states = (int *)(void *)(b->exact + states * (size_t)widest);
  return open_studies(b);
}

static void close_bench(bench *b) {
  for (int k = 0; k <= AP_COUNT; k++) free(b->memory[k]);
  if (b->exact) munmap(b->exact, b->exact_bytes);
  free(b->motion);
  free(b->forced);
  free(b->out);
}

static int run_bench(bench *b) {
  cli_trials *t = b->t;
  if (!list_methods(t) || !open_bench(b)) return cli_no_memory();
  uint64_t seed = t->seed;
  for (int state = 0; state < t->states; state++) random_state(b, &seed, state);
  int status = try_all(b);
  if (status == CLI_OK && !take_times(b)) status = cli_no_memory();
  if (b->shows) fprintf(stderr, "\r\033[K");
  return status;
}

int cli_trials_run(cli_trials *t) {
  bench b = {.t = t, .nq = ap_nq(t->model), .nv = ap_nv(t->model)};
  b.row = b.nq + 2 * b.nv;
  b.shows = isatty(STDERR_FILENO) == 1;
  if (t->states == 0) t->states = choose_states(b.nv);
  const int status = run_bench(&b);
  close_bench(&b);
  return status;
}

void cli_trials_free(cli_trials *t) {
  if (t->trial) munmap(t->trial, trial_bytes());
  t->trial = NULL;
}
