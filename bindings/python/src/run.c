// SPDX-License-Identifier: Apache-2.0
// Runs: simulations and controllers are recorded to a log, and logs are read.
#include <appell/run.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "threads.h"

// ---- recording ---------------------------------------------------------------------------------

typedef struct recording {
  errand errand;
  PyObject *arguments; // that the texts are of
  const char *path, *log, *robot, *reference;
  int kind;         // ap_run_kind
  double end, step; // NAN: as the scenario says
  ap_run *run;
  ap_error error;
  const char *about; // the file that the error is about
} recording;

static bool watch(void *context, const ap_run *run, double part) {
  (void)run;
  recording *r = context;
  r->errand.part = part;
  return !r->errand.abandoned;
}

static ap_status open_run(const recording *r, ap_run **run, ap_error *error) {
  ap_run_options options = {.kind = (ap_run_kind)r->kind,
                            .control = {.robot = r->robot, .reference = r->reference}};
  ap_status status = ap_run_open(r->path, &options, run, error);
  if (status == AP_OK && !(isnan(r->end) && isnan(r->step))) {
    double start, end, step;
    ap_run_times(*run, &start, &end, &step);
    status = ap_run_set_times(*run, isnan(r->end) ? end : r->end, isnan(r->step) ? step : r->step,
                              error);
  }
  return status;
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

static void do_recording(errand *e) {
  recording *r = (recording *)e;
  ap_status status = open_run(r, &r->run, &r->error);
  if (status == AP_OK && (status = ap_run_record(r->run, r->log, &r->error)) != AP_OK &&
      !r->error.line)
    r->about = r->log;
  if (status == AP_OK) status = ap_run_all(r->run, watch, r, &r->error);
  r->error.status = status;
}

static void end_recording(errand *e) {
  recording *r = (recording *)e;
  ap_run_free(r->run);
  Py_DECREF(r->arguments);
  free(r);
}

static bool read_recording(recording *r, PyObject *args) {
  PyObject *end, *step;
  r->end = r->step = NAN;
  if (!PyArg_ParseTuple(args, "ssizzOOO", &r->path, &r->log, &r->kind, &r->robot, &r->reference,
                        &end, &step, &r->errand.progress))
    return false;
  r->about = r->path;
  return (end == Py_None || read_number(end, "end", &r->end)) &&
         (step == Py_None || read_number(step, "step", &r->step));
}

PyObject *record_run(PyObject *module, PyObject *args) {
  (void)module;
  recording *r = calloc(1, sizeof *r);
  if (!r) return PyErr_NoMemory();
  r->errand.work = do_recording;
  r->errand.release = end_recording;
  r->arguments = Py_NewRef(args);
  PyObject *warnings = NULL;
  if (read_recording(r, args)) {
    if (!errand_run(&r->errand)) return NULL;
    if (r->error.status == AP_OK)
      warnings = warnings_of(r->run);
    else
      raise_error(&r->error, r->about);
  }
  end_recording(&r->errand);
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
