// SPDX-License-Identifier: Apache-2.0
// Runs: simulations and controllers are recorded to a log, and logs are read.
#include <appell/run.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

// ---- recording ---------------------------------------------------------------------------------

typedef struct watcher {
  PyObject *progress; // called with the part that is done; None: nothing is
  PyThreadState *thread;
  long rows;
  bool interrupted;
} watcher;

// Every now and then the interpreter may look for signals and call what the caller gave.
static bool watch(void *context, const ap_run *run, double part) {
  (void)run;
  watcher *w = context;
  if (++w->rows % 64 != 0) return true;
  PyEval_RestoreThread(w->thread);
  w->interrupted = PyErr_CheckSignals() < 0;
  if (!w->interrupted && w->progress != Py_None) {
    PyObject *done = PyObject_CallFunction(w->progress, "d", part);
    w->interrupted = !done;
    Py_XDECREF(done);
  }
  w->thread = PyEval_SaveThread();
  return !w->interrupted;
}

typedef struct recording {
  const char *path, *log, *robot, *reference;
  int kind;         // ap_run_kind
  double end, step; // NAN: as the scenario says
  PyObject *progress;
} recording;

static ap_status open_and_record(const recording *r, ap_run **run, ap_error *error) {
  ap_run_options options = {.kind = (ap_run_kind)r->kind,
                            .control = {.robot = r->robot, .reference = r->reference}};
  ap_status status = ap_run_open(r->path, &options, run, error);
  if (status == AP_OK && !(isnan(r->end) && isnan(r->step))) {
    double start, end, step;
    ap_run_times(*run, &start, &end, &step);
    status = ap_run_set_times(*run, isnan(r->end) ? end : r->end, isnan(r->step) ? step : r->step,
                              error);
  }
  return status == AP_OK ? ap_run_record(*run, r->log, error) : status;
}

static PyObject *warnings_of(const ap_run *run) {
  PyObject *list = PyList_New(0);
  int line;
  for (int i = 0; list; i++) {
    const char *text = ap_run_warning(run, i, &line);
    if (!text) break;
    PyObject *item = Py_BuildValue("(is)", line, text);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

PyObject *record_run(PyObject *module, PyObject *args) {
  (void)module;
  recording r;
  PyObject *end, *step;
  if (!PyArg_ParseTuple(args, "ssizzOOO", &r.path, &r.log, &r.kind, &r.robot, &r.reference, &end,
                        &step, &r.progress))
    return NULL;
  r.end = r.step = NAN;
  if ((end != Py_None && !read_number(end, "end", &r.end)) ||
      (step != Py_None && !read_number(step, "step", &r.step)))
    return NULL;
  watcher w = {.progress = r.progress};
  ap_run *run = NULL;
  ap_error error = {AP_OK, 0, ""};
  w.thread = PyEval_SaveThread();
  ap_status status = open_and_record(&r, &run, &error);
  if (status == AP_OK) status = ap_run_all(run, watch, &w, &error);
  PyEval_RestoreThread(w.thread);
  PyObject *warnings = NULL;
  if (w.interrupted)
    ; // an exception is set
  else if (status != AP_OK)
    raise_error(&error, r.path);
  else
    warnings = warnings_of(run);
  ap_run_free(run);
  return warnings;
}

// ---- reading -----------------------------------------------------------------------------------

typedef struct reading {
  ap_run *run;
  PyObject *events;
  bool failed;
} reading;

static void take_event(void *context, const ap_logged_event *e, const ap_event *touch) {
  (void)touch;
  reading *r = context;
  if (r->failed) return;
  int n;
  const ap_column *column = ap_run_event_columns(r->run, &n);
  PyObject *numbers = PyDict_New();
  for (int i = 0; numbers && i < n; i++)
    if (!put(numbers, column[i].name, PyFloat_FromDouble(e->numbers[i]))) Py_CLEAR(numbers);
  PyObject *item =
      numbers ? Py_BuildValue("(dsssN)", e->t, e->event, e->point, e->wall, numbers) : NULL;
  r->failed = !item || PyList_Append(r->events, item) < 0;
  Py_XDECREF(item);
}

static PyObject *columns_of(const ap_run *run) {
  int n;
  const ap_column *column = ap_run_columns(run, &n);
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < n; i++) {
    PyObject *item = Py_BuildValue("(ss)", column[i].name, column[i].unit);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

// All rows as bytes: doubles, row after row.
static PyObject *rows_of(reading *r, const char *path) {
  int columns;
  ap_run_columns(r->run, &columns);
  size_t width = (size_t)columns * sizeof(double), used = 0, room = 0;
  char *bytes = NULL;
  ap_error error;
  for (bool end = false;;) {
    ap_status status = ap_run_step(r->run, &end, &error);
    if (status != AP_OK) raise_error(&error, path);
    if (status != AP_OK || r->failed || end) {
      r->failed = r->failed || status != AP_OK;
      break;
    }
    if (used + width > room) {
      room = 2 * room + 1024 * width;
      char *grown = realloc(bytes, room);
      if (!grown) {
        PyErr_NoMemory();
        r->failed = true;
        break;
      }
      bytes = grown;
    }
    memcpy(bytes + used, ap_run_row(r->run), width);
    used += width;
  }
  PyObject *rows = r->failed ? NULL : PyBytes_FromStringAndSize(bytes, (Py_ssize_t)used);
  free(bytes);
  return rows;
}

PyObject *read_run(PyObject *module, PyObject *args) {
  (void)module;
  const char *path;
  if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
  ap_run_options options = {.kind = AP_RUN_LOG};
  reading r = {.events = PyList_New(0)};
  ap_error error;
  PyObject *result = NULL;
  if (!r.events) return NULL;
  if (ap_run_open(path, &options, &r.run, &error) == AP_OK) {
    ap_run_on_event(r.run, take_event, &r);
    PyObject *columns = columns_of(r.run), *warnings = warnings_of(r.run);
    PyObject *rows = columns && warnings ? rows_of(&r, path) : NULL;
    if (rows) result = Py_BuildValue("(OOOO)", columns, rows, r.events, warnings);
    Py_XDECREF(columns);
    Py_XDECREF(warnings);
    Py_XDECREF(rows);
  } else {
    raise_error(&error, path);
  }
  ap_run_free(r.run);
  Py_DECREF(r.events);
  return result;
}

// ---- reports -----------------------------------------------------------------------------------

PyObject *report_run(PyObject *module, PyObject *args) {
  (void)module;
  const char *log, *page, *title;
  if (!PyArg_ParseTuple(args, "ssz", &log, &page, &title)) return NULL;
  ap_run_options options = {.kind = AP_RUN_LOG};
  ap_report_options how = ap_default_report();
  how.title = title;
  how.page = ap_report_page();
  ap_run *run = NULL;
  ap_error error;
  ap_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = ap_run_open(log, &options, &run, &error);
  if (status == AP_OK) status = ap_run_report_file(run, &how, page, &error);
  ap_run_free(run);
  Py_END_ALLOW_THREADS;
  if (status != AP_OK) return raise_error(&error, error.status == AP_E_FILE ? page : log);
  Py_RETURN_NONE;
}
