// SPDX-License-Identifier: Apache-2.0
// The gate between Octave (or MATLAB) and the library: appell_mex(COMMAND, ...). The functions in
// inst/ call it. Matrices of states have a row for each state, and lie column by column in memory:
// that is the layout AP_COLUMNS, so nothing is copied.
#include <appell/batch.h>
#include <appell/ident.h>
#include <appell/run.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mex.h"

// ---- models by number --------------------------------------------------------------------------

typedef struct entry {
  ap_robot *robot; // NULL: free
  ap_model *model;
  void *memory, *batch_memory;
  ap_work *work;
  ap_batch *batch;
} entry;

static entry *entries;
static size_t nentry;

static void free_entry(entry *e) {
  free(e->memory);
  free(e->batch_memory);
  ap_model_free(e->model);
  ap_robot_free(e->robot);
  *e = (entry){0};
}

static void free_all(void) {
  for (size_t i = 0; i < nentry; i++) free_entry(&entries[i]);
  free(entries);
  entries = NULL;
  nentry = 0;
}

static void fail(const char *file, const ap_error *error) {
  if (file && error->line > 0)
    mexErrMsgIdAndTxt("appell:error", "%s:%d: %s", file, error->line, error->text);
  else
    mexErrMsgIdAndTxt("appell:error", "%s%s%s", file ? file : "", file ? ": " : "", error->text);
}

static entry *model_of(const mxArray *x) {
  double number = mxIsNumeric(x) && mxGetNumberOfElements(x) == 1 ? mxGetScalar(x) : 0;
  if (!(number >= 1 && number <= (double)nentry) || !entries[(size_t)number - 1].robot)
    mexErrMsgIdAndTxt("appell:model", "the first argument must be a model of appell_load()");
  return &entries[(size_t)number - 1];
}

static char *text_of(const mxArray *x, const char *what) {
  char *text = mxIsChar(x) ? mxArrayToString(x) : NULL;
  if (!text) mexErrMsgIdAndTxt("appell:argument", "%s must be a text", what);
  return text;
}

// ---- load --------------------------------------------------------------------------------------

static bool is_builtin(const char *name) {
  for (int i = 0; ap_builtin_name(i); i++)
    if (strcmp(ap_builtin_name(i), name) == 0) return true;
  return false;
}

static size_t new_entry(void) {
  for (size_t i = 0; i < nentry; i++)
    if (!entries[i].robot) return i;
  entry *grown = realloc(entries, (nentry + 1) * sizeof *grown);
  if (!grown) mexErrMsgIdAndTxt("appell:memory", "not enough memory");
  entries = grown;
  entries[nentry] = (entry){0};
  return nentry++;
}

static bool make_works(entry *e) {
  size_t size = ap_work_size(e->model), batch = ap_batch_size(e->model);
  e->memory = malloc(size);
  e->batch_memory = malloc(batch);
  if (!e->memory || !e->batch_memory) return false;
  e->work = ap_work_init(e->model, e->memory, size);
  e->batch = ap_batch_init(e->model, e->batch_memory, batch);
  return true;
}

// lock: a cell of names, and values beside it in a matrix with a column for each.
static void lock_joints(entry *e, const char *file, const mxArray *names, const mxArray *values) {
  size_t n = mxGetNumberOfElements(names);
  if (n == 0) return;
  if (!mxIsCell(names) || n > 1000 || mxGetNumberOfElements(values) != n) {
    free_entry(e);
    mexErrMsgIdAndTxt("appell:argument", "lock must be a cell of names, with a value for each");
  }
  ap_lock *locks = mxCalloc(n, sizeof *locks);
  for (size_t i = 0; i < n; i++) {
    locks[i].joint = text_of(mxGetCell(names, (mwIndex)i), "a joint's name");
    locks[i].n = 1;
    locks[i].q[0] = mxGetPr(values)[i];
  }
  ap_error error;
  ap_reduction_def how = {.locks = locks, .nlock = (int)n};
  if (ap_robot_reduce(e->robot, &how, &error) == AP_OK) return;
  free_entry(e);
  fail(file, &error);
}

// load(file, floating, lock, values): the model's number
static void load(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  (void)nlhs;
  if (nrhs != 4) mexErrMsgIdAndTxt("appell:argument", "appell_load(FILE) needs a file or a name");
  char *file = text_of(prhs[0], "FILE");
  ap_read_options options = {.floating = mxGetScalar(prhs[1]) != 0};
  size_t i = new_entry();
  entry *e = &entries[i];
  ap_error error;
  ap_status status = is_builtin(file) ? ap_robot_builtin(file, &options, &e->robot, &error)
                                      : ap_robot_read(file, &options, &e->robot, &error);
  if (status != AP_OK) fail(is_builtin(file) ? NULL : file, &error);
  lock_joints(e, file, prhs[2], prhs[3]);
  if (ap_robot_model(e->robot, &e->model, &error) != AP_OK) {
    free_entry(e);
    fail(file, &error);
  }
  if (!make_works(e)) {
    free_entry(e);
    mexErrMsgIdAndTxt("appell:memory", "not enough memory");
  }
  plhs[0] = mxCreateDoubleScalar((double)(i + 1));
}

// info(model): a struct with name, nq, nv, joints, links
static void info(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  (void)nlhs, (void)nrhs;
  const ap_model *m = model_of(prhs[0])->model;
  static const char *fields[] = {"name", "nq", "nv", "joints", "frames"};
  mxArray *s = mxCreateStructMatrix(1, 1, 5, fields);
  mxSetField(s, 0, "name", mxCreateString(ap_model_name(m)));
  mxSetField(s, 0, "nq", mxCreateDoubleScalar(ap_nq(m)));
  mxSetField(s, 0, "nv", mxCreateDoubleScalar(ap_nv(m)));
  mxArray *joints = mxCreateCellMatrix(1, (mwSize)ap_moving_bodies(m));
  for (int k = 0; k < ap_moving_bodies(m); k++) {
    const ap_body_def *b = ap_body(m, ap_moving_body(m, k));
    mxSetCell(joints, (mwIndex)k, mxCreateString(b->joint_name ? b->joint_name : b->name));
  }
  mxSetField(s, 0, "joints", joints);
  mxArray *frames = mxCreateCellMatrix(1, (mwSize)ap_nframe(m));
  for (int k = 0; k < ap_nframe(m); k++)
    mxSetCell(frames, (mwIndex)k, mxCreateString(ap_frame_name(m, k)));
  mxSetField(s, 0, "frames", frames);
  plhs[0] = s;
}

static void release(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  (void)nlhs, (void)plhs, (void)nrhs;
  free_entry(model_of(prhs[0]));
}

static void warn_of_loss(void *context, const char *text) {
  (void)context;
  mexWarnMsgIdAndTxt("appell:loss", "%s", text);
}

// write(model, file)
static void write_model(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  (void)nlhs, (void)plhs;
  const entry *e = model_of(prhs[0]);
  if (nrhs != 2) mexErrMsgIdAndTxt("appell:call", "write wants a model and the name of a file");
  const char *file = text_of(prhs[1], "FILE");
  ap_error error;
  if (ap_robot_write(e->robot, file, &error) != AP_OK) fail(file, &error);
  ap_robot_visit_losses(e->robot, file, warn_of_loss, NULL, &error);
}

// set(model, what, values): friction, gravity, payload [body mass com inertia]
static void set(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  (void)nlhs, (void)plhs;
  entry *e = model_of(prhs[0]);
  char *what = nrhs == 3 ? text_of(prhs[1], "the setting") : "";
  const double *x = nrhs == 3 ? mxGetPr(prhs[2]) : NULL;
  size_t n = nrhs == 3 ? mxGetNumberOfElements(prhs[2]) : 0;
  ap_status status = AP_E_ARG;
  for (size_t i = 0; i < n; i++)
    if (!mxIsDouble(prhs[2]) || !mxIsFinite(x[i]))
      mexErrMsgIdAndTxt("appell:argument", "%s must be finite numbers", what);
  if (strcmp(what, "friction") == 0 && n == 1) {
    ap_set_friction(e->model, e->work, x[0] != 0);
    status = AP_OK;
  } else if (strcmp(what, "gravity") == 0 && n == 3) {
    ap_set_gravity(e->model, e->work, x);
    status = AP_OK;
  } else if (strcmp(what, "payload") == 0 && n == 11) {
    status = ap_set_payload(e->model, e->work, (int)x[0], x[1], x + 2, x + 5);
  }
  if (status != AP_OK)
    mexErrMsgIdAndTxt("appell:argument",
                      "there is no setting '%s' of %zu numbers, or they are not possible "
                      "(friction, gravity, payload)",
                      what, n);
  ap_batch_use_settings(e->model, e->batch, e->work);
}

// ---- quantities of states ----------------------------------------------------------------------

// q v a t: inputs by their widths; out: V nv, M nv * nv, D three of these.
typedef struct quantity {
  const char *name, *in;
  char out;
} quantity;

static const quantity quantities[] = {{"inverse_dynamics", "qvv", 'V'},
                                      {"forward_dynamics", "qvv", 'V'},
                                      {"bias", "qv", 'V'},
                                      {"gravity", "q", 'V'},
                                      {"inertia", "q", 'M'},
                                      {"jacobian", "q", 'J'},
                                      {"inverse_dynamics_derivatives", "qvv", 'D'},
                                      {"forward_dynamics_derivatives", "qvv", 'D'}};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

static const quantity *find_quantity(const char *name) {
  for (int i = 0; i < QUANTITIES; i++)
    if (strcmp(quantities[i].name, name) == 0) return &quantities[i];
  mexErrMsgIdAndTxt("appell:argument", "there is no quantity '%s'", name);
  return NULL;
}

// A state may be a column as well as a row.
static size_t states_of(const mxArray *x, size_t width, const char *name) {
  if (!mxIsDouble(x) || mxIsComplex(x) || mxIsSparse(x))
    mexErrMsgIdAndTxt("appell:argument", "%s must be a full real matrix of double", name);
  if (mxGetN(x) == width) return mxGetM(x);
  if (mxGetN(x) == 1 && mxGetM(x) == width) return 1;
  mexErrMsgIdAndTxt("appell:argument", "%s is %zu x %zu; it must be n x %zu, a row for each state",
                    name, (size_t)mxGetM(x), (size_t)mxGetN(x), width);
  return 0;
}

static ap_status compute(entry *e, const quantity *q, ap_states s, const double *const *x,
                         int frame, ap_reference reference, double *const *out) {
  const ap_model *m = e->model;
  ap_batch *b = e->batch;
  switch (q - quantities) {
    case 0: return ap_batch_inverse_dynamics(m, b, s, x[0], x[1], x[2], out[0]);
    case 1: return ap_batch_forward_dynamics(m, b, s, x[0], x[1], x[2], out[0], NULL);
    case 2: return ap_batch_bias(m, b, s, x[0], x[1], out[0]);
    case 3: return ap_batch_gravity_forces(m, b, s, x[0], out[0]);
    case 4: return ap_batch_inertia_matrix(m, b, s, x[0], out[0]);
    case 5:
      return ap_batch_forward_kinematics(m, b, s, x[0], &frame, 1, reference, NULL, NULL, out[0]);
    case 6:
      return ap_batch_inverse_dynamics_derivatives(m, b, s, x[0], x[1], x[2], out[0], out[1],
                                                   out[2]);
    default:
      return ap_batch_forward_dynamics_derivatives(m, b, s, x[0], x[1], x[2], out[0], out[1],
                                                   out[2], NULL);
  }
}

// eval(model, quantity, frame, reference, q, ...): results with a row for each state
static void eval(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  static const char *const names[] = {"q", "v", "the third argument"};
  if (nrhs < 5) mexErrMsgIdAndTxt("appell:argument", "q is missing");
  entry *e = model_of(prhs[0]);
  const quantity *q = find_quantity(text_of(prhs[1], "the quantity"));
  size_t nv = (size_t)ap_nv(e->model), n = 0;
  int inputs = (int)strlen(q->in), frame = -1;
  if (nrhs != 4 + inputs)
    mexErrMsgIdAndTxt("appell:argument", "%s needs %d arguments besides the model", q->name,
                      inputs);
  if (q->out == 'J' && (frame = ap_find_frame(e->model, text_of(prhs[2], "FRAME"))) < 0)
    mexErrMsgIdAndTxt("appell:argument", "there is no frame '%s'", text_of(prhs[2], "FRAME"));
  const double *x[3];
  for (int i = 0; i < inputs; i++) {
    size_t width = q->in[i] == 'q' ? (size_t)ap_nq(e->model) : nv;
    size_t rows = states_of(prhs[4 + i], width, names[i]);
    if (i > 0 && rows != n)
      mexErrMsgIdAndTxt("appell:argument", "q has %zu states, %s has %zu", n, names[i], rows);
    n = rows;
    x[i] = mxGetPr(prhs[4 + i]);
  }
  size_t width = q->out == 'V' ? nv : q->out == 'J' ? 6 * nv : nv * nv;
  int outputs = q->out == 'D' ? 3 : 1;
  double *out[3];
  for (int i = 0; i < outputs; i++) {
    mxArray *made = mxCreateDoubleMatrix((mwSize)n, (mwSize)width, mxREAL);
    out[i] = mxGetPr(made);
    if (i <= nlhs) plhs[i] = made;
  }
  ap_status status = compute(e, q, ap_all_states(n, AP_COLUMNS), x, frame,
                             (ap_reference)mxGetScalar(prhs[3]), out);
  if (status != AP_OK)
    mexErrMsgIdAndTxt("appell:singular", "%s: %s", q->name, ap_status_text(status));
}

// ---- runs --------------------------------------------------------------------------------------

static void simulate_rows(ap_run *run, const char *path, double **data, size_t *rows) {
  int columns;
  ap_run_columns(run, &columns);
  size_t room = 0;
  ap_error error;
  for (bool end = false;;) {
    if (ap_run_step(run, &end, &error) != AP_OK) {
      ap_run_free(run);
      free(*data);
      fail(path, &error);
    }
    if (end) return;
    if (*rows == room) {
      room = 2 * room + 1024;
      double *grown = realloc(*data, room * (size_t)columns * sizeof *grown);
      if (!grown) {
        ap_run_free(run);
        free(*data);
        mexErrMsgIdAndTxt("appell:memory", "not enough memory");
      }
      *data = grown;
    }
    memcpy(*data + *rows * (size_t)columns, ap_run_row(run), (size_t)columns * sizeof **data);
    ++*rows;
  }
}

// simulate(file): names of the columns, and a row of numbers for each time
static void simulate(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  (void)nlhs;
  if (nrhs != 1) mexErrMsgIdAndTxt("appell:argument", "simulate(FILE) needs a scenario");
  char *path = text_of(prhs[0], "FILE");
  ap_run *run = NULL;
  ap_error error;
  if (ap_run_open(path, NULL, &run, &error) != AP_OK) fail(path, &error);
  int columns;
  const ap_column *column = ap_run_columns(run, &columns);
  mxArray *names = mxCreateCellMatrix(1, (mwSize)columns);
  for (int i = 0; i < columns; i++) mxSetCell(names, (mwIndex)i, mxCreateString(column[i].name));
  double *data = NULL;
  size_t rows = 0;
  simulate_rows(run, path, &data, &rows);
  ap_run_free(run);
  mxArray *numbers = mxCreateDoubleMatrix((mwSize)rows, (mwSize)columns, mxREAL);
  double *to = mxGetPr(numbers);
  for (size_t k = 0; k < rows; k++)
    for (size_t j = 0; j < (size_t)columns; j++) to[j * rows + k] = data[k * (size_t)columns + j];
  free(data);
  plhs[0] = names;
  plhs[1] = numbers;
}

// ---- identification ----------------------------------------------------------------------------

typedef struct identification {
  ap_ident *ident;
  ap_base *base;
  ap_samples *samples;
  ap_dataset *states;
  ap_reduction *reduction;
  ap_fit *fit;
} identification;

static void free_identification(identification *f) {
  ap_fit_free(f->fit);
  ap_reduction_free(f->reduction);
  ap_dataset_free(f->states);
  ap_samples_free(f->samples);
  ap_base_free(f->base);
  ap_ident_free(f->ident);
}

// How to estimate: as the command does, unless something else was asked for.
typedef struct estimation {
  ap_ident_options look_for;
  ap_fit_method method;
  double reject;
  bool trust; // the log, although it contradicts the robot
} estimation;

enum { FOLDS = 5 };

// The first grave doubt is an error, unless the log is trusted; others are warnings.
static ap_status doubt(const ap_doubts *found, const char *log, bool trust, ap_error *error) {
  for (int k = 0; k < found->count; k++) {
    const ap_doubt *d = &found->doubt[k];
    if (d->grave && !trust) {
      error->line = 0;
      snprintf(error->text, sizeof error->text,
               "the log contradicts the robot: %.220s (\"trust\", true goes on regardless)",
               d->text);
      return AP_E_ARG;
    }
    mexWarnMsgIdAndTxt("appell:doubt", "%s: %s", log, d->text);
  }
  return AP_OK;
}

static ap_status doubt_samples(identification *f, const ap_prepare_options *prepare,
                               const char *log, bool trust, ap_error *error) {
  ap_doubts found = {.count = 0};
  double delay, deviation;
  ap_status status = ap_doubt_samples(f->ident, f->samples, prepare, &found, error);
  if (status == AP_OK && !ap_doubts_grave(&found))
    status = ap_doubt_delay(f->ident, f->samples, prepare, &delay, &deviation, &found, error);
  return status == AP_OK ? doubt(&found, log, trust, error) : status;
}

static ap_status prepare_states(identification *f, const ap_prepare_options *prepare,
                                const char *log, bool trust, ap_error *error) {
  ap_error failed = {0};
  ap_status prepared = ap_dataset_prepare(f->ident, f->samples, prepare, &f->states, &failed);
  ap_status status = AP_OK;
  // a log that cannot be prepared may be one in other units: say that first
  if (prepared == AP_OK || failed.line == 0) status = doubt_samples(f, prepare, log, trust, error);
  if (status != AP_OK || prepared == AP_OK) return status;
  *error = failed;
  return prepared;
}

static ap_status doubt_states(identification *f, const char *log, bool trust, ap_error *error) {
  ap_doubts found = {.count = 0};
  ap_status status = ap_doubt_states(f->ident, f->states, &found, error);
  return status == AP_OK ? doubt(&found, log, trust, error) : status;
}

static ap_status fit_log(identification *f, const ap_model *m, const char *log,
                         const estimation *how, ap_error *error) {
  ap_prepare_options prepare = ap_default_prepare();
  if (how->reject == 0) prepare.spikes = 0;
  ap_status status = ap_ident_create(m, &how->look_for, &f->ident, error);
  if (status == AP_OK) status = ap_samples_read(f->ident, log, &f->samples, error);
  if (status == AP_OK) status = prepare_states(f, &prepare, log, how->trust, error);
  if (status == AP_OK) status = ap_base_find(f->ident, AP_BASE_QR, &f->base, error);
  if (status == AP_OK) status = doubt_states(f, log, how->trust, error);
  if (status == AP_OK)
    status =
        ap_dataset_reduce(f->states, f->ident, f->base, FOLDS, how->reject, &f->reduction, error);
  return status == AP_OK ? ap_fit_make(f->reduction, f->base, how->method, NULL, &f->fit, error)
                         : status;
}

static mxArray *column_of(const double *x, int n) {
  mxArray *made = mxCreateDoubleMatrix((mwSize)n, 1, mxREAL);
  memcpy(mxGetPr(made), x, (size_t)n * sizeof *x);
  return made;
}

// identify(model, log, method, [rotor viscous coulomb offset stiffness reject trust]): a struct
static void identify(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  (void)nlhs;
  if (nrhs != 4 || !mxIsDouble(prhs[3]) || mxGetNumberOfElements(prhs[3]) != 7)
    mexErrMsgIdAndTxt("appell:argument",
                      "identify(MODEL, LOG) needs a log; an option is a number or true or false");
  entry *e = model_of(prhs[0]);
  char *log = text_of(prhs[1], "LOG"), *name = text_of(prhs[2], "METHOD");
  const double *x = mxGetPr(prhs[3]);
  estimation how = {.look_for = {.rotor = x[0] != 0,
                                 .viscous = x[1] != 0,
                                 .coulomb = x[2] != 0,
                                 .offset = x[3] != 0,
                                 .stiffness = x[4] != 0},
                    .reject = x[5],
                    .trust = x[6] != 0};
  if (!(how.reject >= 0))
    mexErrMsgIdAndTxt("appell:argument", "reject must be 0 (none) or above, not %g", how.reject);
  int method = 0;
  while (method < AP_FIT_METHODS && strcmp(ap_fit_method_name((ap_fit_method)method), name) != 0)
    method++;
  if (method == AP_FIT_METHODS)
    mexErrMsgIdAndTxt("appell:argument", "there is no method '%s'", name);
  identification f = {0};
  ap_error error;
  how.method = (ap_fit_method)method;
  if (fit_log(&f, e->model, log, &how, &error) != AP_OK) {
    free_identification(&f);
    fail(log, &error);
  }
  static const char *fields[] = {"text",      "value",        "deviation",
                                 "parameter", "residual_rms", "physical"};
  mxArray *s = mxCreateStructMatrix(1, 1, 6, fields);
  mxArray *texts = mxCreateCellMatrix((mwSize)f.fit->n, 1);
  char text[4096];
  for (int k = 0; k < f.fit->n; k++)
    mxSetCell(texts, (mwIndex)k,
              mxCreateString(ap_base_text(f.ident, f.base, k, text, sizeof text)));
  mxSetField(s, 0, "text", texts);
  mxSetField(s, 0, "value", column_of(f.fit->value, f.fit->n));
  mxSetField(s, 0, "deviation", column_of(f.fit->deviation, f.fit->n));
  mxSetField(s, 0, "parameter", column_of(f.fit->parameter, f.fit->np));
  mxSetField(s, 0, "residual_rms", column_of(f.fit->residual_rms, f.fit->nv));
  mxSetField(s, 0, "physical", mxCreateLogicalScalar(ap_ident_physical(f.ident, f.fit->parameter)));
  free_identification(&f);
  plhs[0] = s;
}

// ---- the gate ----------------------------------------------------------------------------------

typedef void command(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]);

static const struct {
  const char *name;
  command *run;
} commands[] = {{"load", load},         {"info", info},        {"free", release},
                {"set", set},           {"eval", eval},        {"simulate", simulate},
                {"identify", identify}, {"write", write_model}};

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  static bool begun;
  if (!begun) mexAtExit(free_all);
  begun = true;
  char *name = nrhs > 0 ? text_of(prhs[0], "COMMAND") : "";
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(commands[i].name, name) == 0) {
      if (nrhs < 2) mexErrMsgIdAndTxt("appell:argument", "%s needs an argument", name);
      commands[i].run(nlhs, plhs, nrhs - 1, prhs + 1);
      return;
    }
  mexErrMsgIdAndTxt("appell:argument", "appell_mex has no command '%s'", name);
}
