// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "columns.h"
#include "eval.h"
#include "stdin_pipe.h"
#include "ui/output.h"
#include "ui/progress.h"

// The main thread reads rows into blocks and writes finished blocks in their order; workers in
// between compute and format. Blocks go round in a ring: block number k lives in slot k % slots.
// A worker computes a state in 0.2 us and formats its numbers in a multiple of that, about as long
// as reading takes, so even one worker halves the time; more pay for the slow arithmetics.
enum { MAX_WORKERS = 8, NUMBER_BYTES = 25, RING_BYTES = 1 << 28, WHY_BYTES = 1024 };

// A quaternion this far from length one is no rounding of a unit quaternion, not even to four
// digits, but something else in its columns. What is nearer is normalised by the library.
static const double quaternion_tolerance = 1e-3;

typedef enum fault_kind {
  FAULT_NONE,
  FAULT_QUATERNION,
  FAULT_FLOAT,
  FAULT_STATUS,
  FAULT_NOT_FINITE
} fault_kind;

// Why the state in row `row` of a block has no result.
typedef struct fault {
  fault_kind kind;
  int row;
  ap_status status; // FAULT_STATUS
  int place;        // body of the quaternion, or column
  double value;     // length of the quaternion, or the number that does not fit
} fault;

typedef struct block {
  int rows;
  double *in; // rows * columns_in
  int *lines; // where each row stood
  char *text; // the results, as they are written
  size_t length;
  fault fault;         // of the first bad row; text has the rows before it
  char why[WHY_BYTES]; // of FAULT_STATUS, in words
  bool done;
} block;

struct stream;

// What one thread computes with.
typedef struct worker {
  struct stream *stream;
  pthread_t thread;
  ap_eval *eval;
  double *out;       // [block_rows * columns_out]
  ap_status *status; // [block_rows]
} worker;

typedef struct stream {
  const cli_job *job;
  cli_out *out;
  ap_rows *rows;
  int columns_in, columns_out;
  int block_rows, slots;
  block *blocks;
  worker workers[MAX_WORKERS];
  int nworker, running; // ready for work; of these, with a thread of their own
  cli_feed feed;        // tells when someone waits for the results so far

  pthread_mutex_t lock; // guards filled, taken, closing and block::done
  pthread_cond_t filled_one, done_one;
  long filled, taken; // how many blocks
  bool closing;

  long written; // how many blocks
  long states;  // for the progress
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

// The results of a block's rows. A row that must not be computed ends them; *why tells. Returns how
// many there are.
static int compute_rows(worker *w, const block *b, fault *why) {
  const stream *s = w->stream;
  int n = 0;
  *why = (fault){0};
  while (n < b->rows && why->kind == FAULT_NONE) {
    *why = check_state(s, b->in + (size_t)n * (size_t)s->columns_in);
    if (why->kind == FAULT_NONE) n++;
  }
  if (n > 0) ap_eval_rows(w->eval, n, b->in, w->out, w->status);
  return n;
}

static char *format_row(const double *numbers, int n, char *text) {
  for (int k = 0; k < n; k++) {
    if (k > 0) *text++ = ' ';
    text += ap_format_double(numbers[k], text);
  }
  *text++ = '\n';
  return text;
}

static void compute_block(worker *w, block *b) {
  const stream *s = w->stream;
  char *end = b->text;
  fault f = {0}, next;
  int row = 0;
  const int n = compute_rows(w, b, &next);
  while (row < n && f.kind == FAULT_NONE) {
    const double *out = w->out + (size_t)row * (size_t)s->columns_out;
    f = check_result(s, w->status[row], out);
    if (f.kind == FAULT_NONE) end = format_row(out, s->columns_out, end), row++;
  }
  if (f.kind == FAULT_STATUS)
    ap_eval_explain(w->eval, b->in + (size_t)row * (size_t)s->columns_in, f.status, b->why,
                    sizeof b->why);
  b->fault = f.kind == FAULT_NONE ? next : f;
  b->fault.row = row;
  b->length = (size_t)(end - b->text);
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
  const int line = b->lines[f->row];
  switch (f->kind) {
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

// Write the next block once it is done; a fault in it ends the work.
static int write_block(stream *s) {
  block *b = &s->blocks[s->written % s->slots];
  pthread_mutex_lock(&s->lock);
  while (!b->done) pthread_cond_wait(&s->done_one, &s->lock);
  pthread_mutex_unlock(&s->lock);
  s->written++;
  s->states += b->rows;
  cli_out_write(s->out, b->text, b->length);
  if (b->fault.kind != FAULT_NONE) {
    cli_out_flush(s->out);
    cli_progress_hide();
    return report_fault(s, b);
  }
  show_progress(s);
  return CLI_OK;
}

// Whether reading on would wait for more input.
static bool would_wait(stream *s) { return cli_feed_waits(&s->feed, ap_rows_line(s->rows)); }

// Hand over the results of all blocks that were filled.
static int write_blocks(stream *s) {
  int status = CLI_OK;
  while (status == CLI_OK && s->written < s->filled && !s->out->error) status = write_block(s);
  return status;
}

// Fill a block, as far as there is input at once, but with one row at least. *end: there is nothing
// behind it, either because the file ends or because of *error.
static void read_block(stream *s, block *b, bool *end, ap_error *error) {
  b->rows = 0;
  while (b->rows < s->block_rows && !*end) {
    double *row = b->in + (size_t)b->rows * (size_t)s->columns_in;
    error->status = ap_rows_next(s->rows, s->columns_in, row, end, error);
    if (error->status != AP_OK) *end = true;
    if (*end) break;
    b->lines[b->rows++] = ap_rows_line(s->rows);
    if (would_wait(s)) break;
  }
}

static int fail_reading(stream *s, const ap_error *error) {
  cli_out_flush(s->out);
  cli_progress_hide();
  return cli_fail_input(s->job->path, error);
}

static int pump(stream *s) {
  ap_error error = {0};
  int status = CLI_OK;
  bool end = false;
  while (!end && status == CLI_OK && !s->out->error) {
    if (would_wait(s)) {
      status = write_blocks(s);
      cli_out_flush(s->out);
    } else if (s->filled - s->written == s->slots) {
      status = write_block(s);
    }
    if (status != CLI_OK) break;
    block *b = &s->blocks[s->filled % s->slots];
    read_block(s, b, &end, &error);
    if (b->rows == s->block_rows) start_workers(s); // less is sooner done than a thread
    submit(s, b);
  }
  if (status == CLI_OK) status = write_blocks(s);
  if (status == CLI_OK && error.status != AP_OK) status = fail_reading(s, &error);
  cli_progress_hide();
  return status;
}

// ---- setting up --------------------------------------------------------------------------------

static bool set_up(stream *s, worker *w) {
  w->stream = s;
  w->out = malloc((size_t)s->block_rows * (size_t)s->columns_out * sizeof *w->out);
  w->status = malloc((size_t)s->block_rows * sizeof *w->status);
  if (!w->eval)
    ap_eval_make(s->job->model->model, s->job->model->mechanism, &s->job->options, &w->eval, NULL);
  return w->eval && w->out && w->status;
}

// The first worker has its evaluation already.
static bool open_workers(stream *s) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (cores < 1) cores = 1;
  if (cores > MAX_WORKERS) cores = MAX_WORKERS;
  // Lines as long as the matrix of a thousand joints: fewer blocks, for the memory they take.
  const long slots = RING_BYTES / (s->block_rows * (s->columns_out * (long)NUMBER_BYTES + 1));
  if (cores > 1 + slots / 2) cores = 1 + slots / 2;
  s->nworker = (int)cores;
  bool good = true;
  for (int k = 0; k < s->nworker && good; k++) good = set_up(s, &s->workers[k]);
  return good;
}

static bool open_blocks(stream *s) {
  const size_t rows = (size_t)s->block_rows;
  s->slots = 2 * s->nworker + 1;
  s->blocks = calloc((size_t)s->slots, sizeof *s->blocks);
  if (!s->blocks) return false;
  for (int k = 0; k < s->slots; k++) {
    block *b = &s->blocks[k];
    b->in = malloc(rows * (size_t)s->columns_in * sizeof *b->in);
    b->lines = malloc(rows * sizeof *b->lines);
    b->text = malloc(rows * ((size_t)s->columns_out * NUMBER_BYTES + 1));
    if (!b->in || !b->lines || !b->text) return false;
  }
  return true;
}

static void close_stream(stream *s) {
  for (int k = 0; s->blocks && k < s->slots; k++) {
    free(s->blocks[k].in);
    free(s->blocks[k].lines);
    free(s->blocks[k].text);
  }
  free(s->blocks);
  for (int k = 0; k < MAX_WORKERS; k++) {
    ap_eval_free(s->workers[k].eval);
    free(s->workers[k].out);
    free(s->workers[k].status);
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

static void write_mechanism_columns(const stream *s) {
  const ap_mechanism *m = s->job->model->mechanism;
  const int n = ap_mechanism_n(m);
  cli_out_printf(s->out, "#");
  for (int k = 0; k < s->columns_out; k++) {
    switch (s->job->options.method->what) {
      case AP_FORWARD: cli_out_printf(s->out, " a.%s", ap_mechanism_coordinate(m, k)->name); break;
      case AP_INERTIA: cli_out_printf(s->out, " M[%d,%d]", k / n, k % n); break;
      case AP_ENERGY: cli_out_printf(s->out, k == 0 ? " kinetic" : " potential"); break;
      default:
        cli_out_printf(s->out, " tau.%s",
                       cli_joint_name(ap_mechanism_tree(m), ap_mechanism_actuated(m, k)));
        break;
    }
  }
  cli_out_printf(s->out, "\n");
}

static int run_rows(stream *s) {
  const cli_job *job = s->job;
  describe_rows(s);
  if (!open_workers(s) || !open_blocks(s)) return cli_no_memory();
  if (job->model->mechanism)
    write_mechanism_columns(s);
  else if (!cli_write_columns(s->out, job->model->model, job->options.method->what))
    return cli_no_memory();
  if (strcmp(job->path, "-") == 0) cli_feed_start(&s->feed);
  cli_progress_start(&s->progress, isatty(s->out->fd) == 1);
  int status = pump(s);
  stop_workers(s);
  const int failed = cli_feed_stop(&s->feed);
  if (status == CLI_OK && failed)
    status = cli_fail(CLI_BAD, job->path, 0, "cannot be read: %s", strerror(failed));
  return status;
}

static int run_stream(stream *s) {
  ap_error error = {0};
  error.status = ap_rows_open(s->job->path, &s->rows, &error);
  if (error.status != AP_OK) return cli_fail_input(s->job->path, &error);
  const int status = run_rows(s);
  ap_rows_close(s->rows);
  return status;
}

int cli_stream(const cli_job *job) {
  cli_out out;
  stream s = {.job = job,
              .out = &out,
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
  s.block_rows = ap_eval_most(s.workers[0].eval);
  int status = cli_out_open(&out, job->output);
  if (status == CLI_OK) status = cli_out_close(&out, run_stream(&s));
  close_stream(&s);
  return status;
}
