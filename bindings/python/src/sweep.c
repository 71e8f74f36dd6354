// SPDX-License-Identifier: Apache-2.0
// Studies of many trials. A study is a capsule; sweep.py makes a class of it.

#include <appell/sweep.h>

#include "core.h"

static const char capsule_name[] = "appell.study";

static void release(PyObject *capsule) {
  ap_sweep_free(PyCapsule_GetPointer(capsule, capsule_name));
}

static const ap_sweep *study_of(PyObject *capsule) {
  return PyCapsule_GetPointer(capsule, capsule_name);
}

typedef const char *name_of(const ap_sweep *study, int i);

static PyObject *names_of(const ap_sweep *study, name_of *name) {
  PyObject *list = PyList_New(0);
  for (int i = 0; list && name(study, i); i++) {
    PyObject *item = PyUnicode_FromString(name(study, i));
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *list_of(const double *x, int n) {
  PyObject *list = PyList_New(n);
  for (int i = 0; list && i < n; i++) {
    PyObject *number = PyFloat_FromDouble(x[i]);
    if (!number || PyList_SetItem(list, i, number) < 0) Py_CLEAR(list);
  }
  return list;
}

static int count(const ap_sweep *study, name_of *name) {
  int n = 0;
  while (name(study, n)) n++;
  return n;
}

static PyObject *study_read(PyObject *module, PyObject *args) {
  (void)module;
  const char *path;
  ap_sweep *study = NULL;
  ap_error error = {0};
  ap_status status;
  if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
  Py_BEGIN_ALLOW_THREADS;
  status = ap_sweep_read(path, &study, &error);
  Py_END_ALLOW_THREADS;
  if (status != AP_OK) return raise_error(&error, path);
  PyObject *capsule = PyCapsule_New(study, capsule_name, release);
  if (!capsule) return ap_sweep_free(study), NULL;
  return Py_BuildValue("(NssLNN)", capsule, ap_sweep_name(study), ap_sweep_kind(study),
                       ap_sweep_trials(study), names_of(study, ap_sweep_parameter),
                       names_of(study, ap_sweep_outcome));
}

static PyObject *study_values(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *capsule;
  long long trial;
  if (!PyArg_ParseTuple(args, "OL", &capsule, &trial)) return NULL;
  const ap_sweep *study = study_of(capsule);
  if (!study) return NULL;
  const int n = count(study, ap_sweep_parameter);
  double *values = calloc((size_t)n + 1, sizeof *values);
  if (!values) return PyErr_NoMemory();
  const ap_status status = ap_sweep_values(study, trial, values);
  PyObject *list = status ? raise_status(status, NULL, 0, "there is no trial of that number")
                          : list_of(values, n);
  free(values);
  return list;
}

static PyObject *study_trial(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *capsule;
  long long trial;
  const char *record;
  ap_error error = {0};
  if (!PyArg_ParseTuple(args, "OLz", &capsule, &trial, &record)) return NULL;
  const ap_sweep *study = study_of(capsule);
  if (!study) return NULL;
  const int n = count(study, ap_sweep_outcome);
  double *outcome = calloc((size_t)n + 1, sizeof *outcome);
  if (!outcome) return PyErr_NoMemory();
  ap_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = ap_sweep_trial(study, trial, record, outcome, &error);
  Py_END_ALLOW_THREADS;
  PyObject *list = status ? raise_error(&error, NULL) : list_of(outcome, n);
  free(outcome);
  return list;
}

// Ctrl-C ends a sweep after the chunks in work; the same call goes on.
static bool watch(void *context, const ap_sweep_progress *progress) {
  (void)progress;
  const PyGILState_STATE state = PyGILState_Ensure();
  bool *stopped = context;
  if (PyErr_CheckSignals() < 0) *stopped = true;
  PyGILState_Release(state);
  return !*stopped;
}

static PyObject *study_sweep(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *capsule;
  const char *folder;
  ap_sweep_options options = ap_default_sweep();
  ap_error error = {0};
  long long fresh = 0;
  bool stopped = false;
  if (!PyArg_ParseTuple(args, "Oslli", &capsule, &folder, &options.part, &options.parts,
                        &options.threads))
    return NULL;
  const ap_sweep *study = study_of(capsule);
  if (!study) return NULL;
  options.watch = watch, options.context = &stopped;
  ap_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = ap_sweep_run(study, folder, &options, &fresh, &error);
  Py_END_ALLOW_THREADS;
  if (stopped) return NULL; // the signal's exception
  if (status != AP_OK) return raise_error(&error, folder);
  return PyLong_FromLongLong(fresh);
}

static PyObject *merge_sweep(PyObject *module, PyObject *args) {
  (void)module;
  const char *folder, *path;
  ap_error error = {0};
  ap_status status;
  if (!PyArg_ParseTuple(args, "ss", &folder, &path)) return NULL;
  Py_BEGIN_ALLOW_THREADS;
  status = ap_sweep_merge(folder, path, &error);
  Py_END_ALLOW_THREADS;
  if (status != AP_OK) return raise_error(&error, folder);
  Py_RETURN_NONE;
}

static PyObject *influences_of(const ap_sweep_summary *s, const ap_sweep_outcome_summary *o) {
  PyObject *all = PyDict_New();
  for (int k = 0; all && k < 3 && s->influence[k]; k++) {
    PyObject *list = list_of(o->influence[k], s->parameters);
    if (!list || PyDict_SetItemString(all, s->influence[k], list) < 0) Py_CLEAR(all);
    Py_XDECREF(list);
  }
  return all;
}

static PyObject *worst_of(const ap_sweep_outcome_summary *o) {
  PyObject *list = PyList_New(0);
  for (int k = 0; list && k < AP_SWEEP_WORST && o->worst[k] >= 0; k++) {
    PyObject *item = PyLong_FromLongLong(o->worst[k]);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *summarize_sweep(PyObject *module, PyObject *args) {
  (void)module;
  const char *folder;
  ap_sweep_summary *s = NULL;
  ap_error error = {0};
  ap_status status;
  if (!PyArg_ParseTuple(args, "s", &folder)) return NULL;
  Py_BEGIN_ALLOW_THREADS;
  status = ap_sweep_summarize(folder, &s, &error);
  Py_END_ALLOW_THREADS;
  if (status != AP_OK) return raise_error(&error, folder);
  PyObject *list = PyList_New(0);
  for (int k = 0; list && k < s->outcomes; k++) {
    const ap_sweep_outcome_summary *o = &s->outcome[k];
    PyObject *item =
        Py_BuildValue("(sLddddNNN)", o->name, o->count, o->mean, o->deviation, o->least, o->most,
                      list_of(o->quantile, AP_SWEEP_QUANTILES), worst_of(o), influences_of(s, o));
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  PyObject *whole = list ? Py_BuildValue("(LLNN)", s->trials, s->failed,
                                         list_of(ap_sweep_quantile, AP_SWEEP_QUANTILES), list)
                         : NULL;
  ap_sweep_summary_free(s);
  return whole;
}

const PyMethodDef sweep_functions[] = {
    {"study_read", study_read, METH_VARARGS,
     "study_read(path, /)\n--\n\nA study, its name, kind, trials, parameters and outcomes."},
    {"study_values", study_values, METH_VARARGS,
     "study_values(study, trial, /)\n--\n\nThe parameters of a trial."},
    {"study_trial", study_trial, METH_VARARGS,
     "study_trial(study, trial, record, /)\n--\n\nThe outcomes of a trial, which is run."},
    {"study_sweep", study_sweep, METH_VARARGS,
     "study_sweep(study, folder, part, parts, threads, /)\n--\n\nCompute a part of a study."},
    {"merge_sweep", merge_sweep, METH_VARARGS,
     "merge_sweep(folder, path, /)\n--\n\nAll trials of a folder to one HDF5 file."},
    {"summarize_sweep", summarize_sweep, METH_VARARGS,
     "summarize_sweep(folder, /)\n--\n\nStatistics of the outcomes of a folder."},
    {NULL, NULL, 0, NULL}};
