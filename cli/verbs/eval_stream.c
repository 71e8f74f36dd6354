// SPDX-License-Identifier: Apache-2.0
// For sched_getaffinity(), which tells the cores that this program may use.
#define _GNU_SOURCE
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "columns.h"
#include "eval.h"
#include "eval_sink.h"
#include "ui/progress.h"

// The main thread reads blocks of bytes and writes finished blocks in their order; workers in
// between decode numbers, compute and encode the results. Blocks go round in a ring: block number k
// lives in slot k % slots.
enum { MAX_WORKERS = 8, BLOCK_BYTES = 1 << 17, RING_BYTES = 1 << 28, WHY_BYTES = 1024 };

// A quaternion this far from length one is no rounding of a unit quaternion, not even to four
// digits, but something else in its columns. What is nearer is normalised by the library.
static const double quaternion_tolerance = 1e-3;

typedef enum fault_kind {
  FAULT_NONE,
  FAULT_QUATERNION,
  FAULT_FLOAT,
  FAULT_STATUS,
  FAULT_NOT_FINITE,
  FAULT_MEMORY
} fault_kind;

// Why a state has no result.
typedef struct fault {
  fault_kind kind;
  int line;         // of the block
  ap_status status; // FAULT_STATUS
  int place;        // body of the quaternion, or column
  double value;     // length of the quaternion, or the number that does not fit
} fault;

typedef struct block {
  ap_rows_block *in;
  cli_bytes out;       // the results, as they are written
  int states;          // how many
  fault fault;         // of the first bad row; the results are those of the rows before it
  ap_error error;      // of what follows them in the file
  char why[WHY_BYTES]; // of FAULT_STATUS, in words
  bool done;
} block;

struct stream;

// What one thread computes with.
typedef struct worker {
  struct stream *stream;
  pthread_t thread;
  ap_eval *eval;
  double *in, *out;  // [most] states and results
  ap_status *status; // [most]
  int *line;         // [most] of the block
} worker;

typedef struct stream {
  const cli_job *job;
  cli_sink *sink;
  ap_rows *rows;
  int columns_in, columns_out;
  int most; // states at once
  int slots;
  block *blocks;
  worker workers[MAX_WORKERS];
  int nworker, running; // ready for work; of these, with a thread of their own

  pthread_mutex_t lock; // guards filled, taken, closing and block::done
  pthread_cond_t filled_one, done_one;
  long filled, taken; // how many blocks
  bool closing;

  long written; // how many blocks
  long states;  // in these
  int lines;    // likewise
  cli_progress progress;
} stream;

// ---- computing ---------------------------------------------------------------------------------

// Every quaternion of q has length one, roughly.
static fault check_quaternions(const ap_model *m, const double *q) {
  for (int i = 1; i < ap_nbody(m); i++) {
    if (ap_joint_nq(m, i) < 4) continue;
    const double *x = q + ap_joint_q(m, i) + ap_joint_nq(m, i) - 4;
    const double norm = hypot(hypot(x[0], x[1]), hypot(x[2], x[3]));
    if (fabs(norm - 1) > quaternion_tolerance)
      return (fault){.kind = FAULT_QUATERNION, .place = i, .value = norm};
  }
  return (fault){0};
}

// Every number of a state has its place in the range of single precision.
static fault check_floats(const double *in, int n) {
  for (int k = 0; k < n; k++)
    if (fabs(in[k]) > (double)FLT_MAX)
      return (fault){.kind = FAULT_FLOAT, .place = k, .value = in[k]};
  return (fault){0};
}

// What is wrong with a state before it is computed.
static fault check_state(const stream *s, const double *in) {
  const ap_model *m = s->job->model->model;
  if (s->job->model->mechanism) return (fault){0};
  fault f = ap_nq(m) != ap_nv(m) ? check_quaternions(m, in) : (fault){0};
  if (f.kind == FAULT_NONE && s->job->options.arithmetic == AP_F32)
    f = check_floats(in, s->columns_in);
  return f;
}

// What is wrong with its result.
static fault check_result(const stream *s, ap_status status, const double *out) {
  if (status != AP_OK) return (fault){.kind = FAULT_STATUS, .status = status};
  for (int k = 0; k < s->columns_out && !s->job->model->mechanism; k++)
    if (!isfinite(out[k])) return (fault){.kind = FAULT_NOT_FINITE, .place = k};
  return (fault){0};
}

// Compute n states of a block, up to the first that has no result, and append the results.
static void compute_states(worker *w, block *b, int n) {
  const stream *s = w->stream;
  fault next = {0}, f = {0};
  int good = 0, row = 0;
  while (good < n && next.kind == FAULT_NONE) {
    next = check_state(s, w->in + (size_t)good * (size_t)s->columns_in);
    if (next.kind == FAULT_NONE) good++;
  }
  if (good > 0) ap_eval_rows(w->eval, good, w->in, w->out, w->status);
  while (row < good && f.kind == FAULT_NONE) {
    f = check_result(s, w->status[row], w->out + (size_t)row * (size_t)s->columns_out);
    if (f.kind == FAULT_NONE) row++;
  }
  if (f.kind == FAULT_STATUS)
    ap_eval_explain(w->eval, w->in + (size_t)row * (size_t)s->columns_in, f.status, b->why,
                    sizeof b->why);
  b->fault = f.kind == FAULT_NONE ? next : f;
  b->fault.line = row < n ? w->line[row] : 0;
  b->states += row;
  if (!cli_sink_encode(s->sink, row, w->out, &b->out)) b->fault.kind = FAULT_MEMORY;
}

static void compute_block(worker *w, block *b) {
  const stream *s = w->stream;
  int n = 1;
  b->states = 0;
  b->out.length = 0;
  b->fault = (fault){0};
  while (n > 0 && b->error.status == AP_OK && b->fault.kind == FAULT_NONE) {
    b->error.status = ap_rows_decode(b->in, s->columns_in, s->most, w->in, w->line, &n, &b->error);
    if (n > 0) compute_states(w, b, n);
  }
}

static void *work(void *context) {
  worker *w = context;
  stream *s = w->stream;
  pthread_mutex_lock(&s->lock);
  for (;;) {
    while (s->taken == s->filled && !s->closing) pthread_cond_wait(&s->filled_one, &s->lock);
    if (s->taken == s->filled) break;
    block *b = &s->blocks[s->taken++ % s->slots];
    pthread_mutex_unlock(&s->lock);
    compute_block(w, b);
    pthread_mutex_lock(&s->lock);
    b->done = true;
    pthread_cond_signal(&s->done_one);
  }
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

// Where threads are not to be had, the main thread computes.
static void start_workers(stream *s) {
  while (s->running < s->nworker) {
    worker *w = &s->workers[s->running];
    if (pthread_create(&w->thread, NULL, work, w) != 0) break;
    s->running++;
  }
}

static void submit(stream *s, block *b) {
  b->done = s->running == 0;
  if (b->done) compute_block(&s->workers[0], b);
  pthread_mutex_lock(&s->lock);
  s->filled++;
  if (b->done) s->taken++;
  pthread_cond_signal(&s->filled_one);
  pthread_mutex_unlock(&s->lock);
}

static void stop_workers(stream *s) {
  pthread_mutex_lock(&s->lock);
  s->closing = true;
  s->taken = s->filled; // after a fault the rest is not wanted any more
  pthread_cond_broadcast(&s->filled_one);
  pthread_mutex_unlock(&s->lock);
  for (int k = 0; k < s->running; k++) pthread_join(s->workers[k].thread, NULL);
}

// ---- reading and writing -----------------------------------------------------------------------

// A method says what it needs; a mimic joint that is in the way can be told by name, with a cure.
static int report_unsupported(const cli_job *job) {
  const ap_model *m = job->model->model;
  const ap_method *method = job->options.method;
  const bool no_mimic = method->needs && strstr(method->needs, "mimic");
  for (int i = 1; no_mimic && i < ap_nbody(m); i++) {
    if (ap_body(m, i)->mimic == 0) continue;
    return cli_fail(CLI_FAILED, job->model->path, 0,
                    "method '%s' does not cover mimic joints, such as '%.200s' (another method, or "
                    "--ignore-mimic)",
                    method->name, cli_joint_name(m, i));
  }
  if (!method->needs)
    return cli_fail(CLI_FAILED, job->model->path, 0,
                    "method '%s' does not cover this model (try another one)", method->name);
  return cli_fail(CLI_FAILED, job->model->path, 0,
                  "method '%s' does not cover this model (it needs %s)", method->name,
                  method->needs);
}

static int report_too_large(const cli_job *job, int line, int column) {
  char name[256];
  cli_column_name(job->model->model, job->options.method->what, column, name, sizeof name);
  if (job->options.arithmetic == AP_F32)
    return cli_fail(CLI_FAILED, job->path, line,
                    "the result %s is too large for f32 (f64 goes to "
                    "1.8e308)",
                    name);
  return cli_fail(CLI_FAILED, job->path, line,
                  "the result %s is too large for a number (smaller numbers are needed)", name);
}

static int report_fault(const stream *s, const block *b) {
  const cli_job *job = s->job;
  const fault *f = &b->fault;
  const int line = s->lines + f->line;
  switch (f->kind) {
    case FAULT_MEMORY: return cli_no_memory();
    case FAULT_QUATERNION:
      return cli_fail(CLI_BAD, job->path, line,
                      "the quaternion of joint '%.200s' has length %g (1 is needed; order x y z w)",
                      cli_joint_name(job->model->model, f->place), f->value);
    case FAULT_FLOAT:
      return cli_fail(CLI_BAD, job->path, line,
                      "number %d of the state, %g, does not fit f32 (at most 3.4e38; f64 takes it)",
                      f->place + 1, f->value);
    case FAULT_NOT_FINITE: return report_too_large(job, line, f->place);
    default: break;
  }
  if (f->status == AP_E_UNSUPPORTED) return report_unsupported(job);
  return cli_fail(CLI_FAILED, job->path, line, "%s", b->why);
}

// Results that scroll over a terminal are progress enough.
static void show_progress(stream *s) {
  cli_progress_show(&s->progress, ap_rows_fraction(s->rows), "%ld states", s->states);
}

// What a block ends with: nothing, a state without a result, or something that is no state.
static int report_block(stream *s, block *b) {
  if (b->fault.kind == FAULT_NONE && b->error.status == AP_OK) return CLI_OK;
  cli_sink_flush(s->sink);
  cli_progress_hide();
  if (b->fault.kind != FAULT_NONE) return report_fault(s, b);
  if (b->error.line > 0) b->error.line += s->lines;
  return cli_fail_input(s->job->path, &b->error);
}

// Write the next block once it is done; a fault in it ends the work.
static int write_block(stream *s) {
  block *b = &s->blocks[s->written % s->slots];
  pthread_mutex_lock(&s->lock);
  while (!b->done) pthread_cond_wait(&s->done_one, &s->lock);
  pthread_mutex_unlock(&s->lock);
  s->written++;
  cli_sink_write(s->sink, &b->out, b->states);
  const int status = report_block(s, b);
  s->states += b->states;
  s->lines += ap_rows_block_line(b->in);
  if (status == CLI_OK) show_progress(s);
  return status;
}

// Hand over the results of all blocks that were filled.
static int write_blocks(stream *s) {
  int status = CLI_OK;
  while (status == CLI_OK && s->written < s->filled && !cli_sink_failed(s->sink))
    status = write_block(s);
  return status;
}

static int pump(stream *s) {
  int status = CLI_OK;
  bool end = false;
  while (!end && status == CLI_OK && !cli_sink_failed(s->sink)) {
    if (ap_rows_waits(s->rows)) { // someone may wait for the results so far
      status = write_blocks(s);
      cli_sink_flush(s->sink);
    } else if (s->filled - s->written == s->slots) {
      status = write_block(s);
    }
    if (status != CLI_OK) break;
    block *b = &s->blocks[s->filled % s->slots];
    b->error = (ap_error){0};
    b->error.status = ap_rows_take(s->rows, b->in, &end, &b->error);
    end = end || b->error.status != AP_OK;
    if (!end && !ap_rows_waits(s->rows)) start_workers(s); // one block is sooner done than a thread
    submit(s, b);
  }
  if (status == CLI_OK) status = write_blocks(s);
  cli_progress_hide();
  return status;
}

// ---- setting up --------------------------------------------------------------------------------

static bool set_up(stream *s, worker *w) {
  const size_t most = (size_t)s->most;
  w->stream = s;
  w->in = malloc(most * (size_t)s->columns_in * sizeof *w->in);
  w->out = malloc(most * (size_t)s->columns_out * sizeof *w->out);
  w->status = malloc(most * sizeof *w->status);
  w->line = malloc(most * sizeof *w->line);
  if (!w->eval)
    ap_eval_make(s->job->model->model, s->job->model->mechanism, &s->job->options, &w->eval, NULL);
  return w->eval && w->in && w->out && w->status && w->line;
}

// Cores that this program may use, where the system says so.
static long usable_cores(void) {
#ifdef CPU_COUNT
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return sysconf(_SC_NPROCESSORS_ONLN);
}

// The first worker has its evaluation already.
static bool open_workers(stream *s) {
  long cores = usable_cores();
  if (cores < 1) cores = 1;
  if (cores > MAX_WORKERS) cores = MAX_WORKERS;
  // Lines as long as the matrix of a thousand joints: fewer blocks, for the memory they take.
  const long slots = (long)(RING_BYTES / cli_sink_room(s->sink, s->most));
  if (cores > 1 + slots / 2) cores = 1 + slots / 2;
  s->nworker = (int)cores;
  bool good = true;
  for (int k = 0; k < s->nworker && good; k++) good = set_up(s, &s->workers[k]);
  return good;
}

// Results may be much longer than states: blocks of no more bytes than make 8 MiB of them, where a
// number of the input takes two.
static size_t block_bytes(const stream *s) {
  const size_t most = (8u << 20) / cli_sink_room(s->sink, 1) * 2 * (size_t)s->columns_in;
  return most < 4096 ? 4096 : most < BLOCK_BYTES ? most : BLOCK_BYTES;
}

static bool open_blocks(stream *s) {
  s->slots = 2 * s->nworker + 1;
  s->blocks = calloc((size_t)s->slots, sizeof *s->blocks);
  for (int k = 0; s->blocks && k < s->slots; k++) {
    s->blocks[k].in = ap_rows_block_make(block_bytes(s));
    if (!s->blocks[k].in) return false;
  }
  return s->blocks != NULL;
}

static void close_stream(stream *s) {
  for (int k = 0; s->blocks && k < s->slots; k++) {
    ap_rows_block_free(s->blocks[k].in);
    free(s->blocks[k].out.bytes);
  }
  free(s->blocks);
  for (int k = 0; k < MAX_WORKERS; k++) {
    ap_eval_free(s->workers[k].eval);
    free(s->workers[k].in);
    free(s->workers[k].out);
    free(s->workers[k].status);
    free(s->workers[k].line);
  }
}

// What a line holds, for the message about one that holds something else: "6 q, 6 v, 6 a". A mimic
// joint has no column; who gives it one is told how many there would be then.
static void describe_rows(const stream *s) {
  const ap_model *m = s->job->model->model;
  const ap_mechanism *closed = s->job->model->mechanism;
  const ap_quantity what = s->job->options.method->what;
  const bool forward = what == AP_FORWARD || what == AP_FORWARD_DERIVATIVES;
  const int nq = closed ? ap_mechanism_n(closed) : ap_nq(m);
  const int nv = closed ? ap_mechanism_n(closed) : ap_nv(m);
  const bool has_v = s->columns_in > nq, has_third = s->columns_in > nq + nv;
  char text[64];
  int n = snprintf(text, sizeof text, "%d q", nq), followers = 0;
  if (has_v) n += snprintf(text + n, sizeof text - (size_t)n, ", %d v", nv);
  if (has_third)
    n += snprintf(text + n, sizeof text - (size_t)n, ", %d %s", s->columns_in - nq - nv,
                  forward ? "tau" : "a");
  for (int i = 1; i < ap_nbody(m) && !closed; i++) followers += ap_body(m, i)->mimic > 0;
  if (followers > 0)
    snprintf(text + n, sizeof text - (size_t)n, "; %d with --ignore-mimic",
             s->columns_in + (1 + has_v + has_third) * followers);
  ap_rows_describe(s->rows, text);
}

static char **free_names(char **name, int n) {
  for (int k = 0; k < n; k++) free(name[k]);
  free(name);
  return NULL;
}

// The names of the columns of the results; NULL: no memory.
static char **name_columns(const stream *s) {
  const cli_job *job = s->job;
  char **name = calloc((size_t)s->columns_out, sizeof *name);
  for (int k = 0; name && k < s->columns_out; k++) {
    name[k] =
        cli_new_column_name(job->model->model, job->model->mechanism, job->options.method->what, k);
    if (!name[k]) return free_names(name, k);
  }
  return name;
}

static int run_rows(stream *s) {
  describe_rows(s);
  if (!open_workers(s) || !open_blocks(s)) return cli_no_memory();
  cli_progress_start(&s->progress, cli_sink_shown(s->sink));
  const int status = pump(s);
  stop_workers(s);
  return status;
}

static int run_stream(stream *s) {
  ap_error error = {0};
  char **name = name_columns(s);
  if (!name) return cli_no_memory();
  error.status = ap_rows_open(s->job->path, &s->rows, &error);
  int status = CLI_OK;
  if (error.status != AP_OK) status = cli_fail_input(s->job->path, &error);
  if (status == CLI_OK) status = cli_sink_begin(s->sink, s->columns_out, name);
  if (status == CLI_OK) status = run_rows(s);
  ap_rows_close(s->rows);
  free_names(name, s->columns_out);
  return status;
}

int cli_stream(const cli_job *job) {
  cli_sink sink;
  stream s = {.job = job,
              .sink = &sink,
              .lock = PTHREAD_MUTEX_INITIALIZER,
              .filled_one = PTHREAD_COND_INITIALIZER,
              .done_one = PTHREAD_COND_INITIALIZER};
  ap_error error = {0};
  error.status = ap_eval_make(job->model->model, job->model->mechanism, &job->options,
                              &s.workers[0].eval, &error);
  if (error.status == AP_E_MEMORY) return cli_no_memory();
  if (error.status != AP_OK)
    return cli_fail(error.status == AP_E_MODEL ? CLI_BAD : CLI_FAILED, job->model->path, 0, "%s",
                    error.text);
  s.columns_in = ap_eval_columns_in(s.workers[0].eval);
  s.columns_out = ap_eval_columns_out(s.workers[0].eval);
  s.most = ap_eval_most(s.workers[0].eval);
  int status = cli_sink_open(&sink, job->output, job->shortest);
  if (status == CLI_OK) status = cli_sink_close(&sink, run_stream(&s));
  close_stream(&s);
  return status;
}
