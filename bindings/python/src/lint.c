// SPDX-License-Identifier: Apache-2.0
#include <appell/lint.h>

#include "core.h"

static PyObject *findings_of(const ap_lint *lint) {
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < ap_lint_findings(lint); i++) {
    const ap_finding *f = ap_lint_finding(lint, i);
    PyObject *item = Py_BuildValue("(ssisssszddz)", ap_severity_name(f->severity), f->rule, f->line,
                                   f->subject, f->what, f->why, f->fix, f->effect.joint,
                                   f->effect.difference, f->effect.largest, f->effect.unit);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

PyObject *lint_robot(PyObject *module, PyObject *args) {
  (void)module;
  const char *path, *disabled[64];
  PyObject *robot, *ids;
  int quick;
  if (!PyArg_ParseTuple(args, "zOO!p", &path, &robot, &PyTuple_Type, &ids, &quick)) return NULL;
  Py_ssize_t n = PyTuple_Size(ids);
  if (n > 64) return PyErr_SetString(PyExc_ValueError, "at most 64 rules can be disabled"), NULL;
  for (Py_ssize_t i = 0; i < n; i++)
    if (!(disabled[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(ids, i), NULL))) return NULL;
  ap_lint_options options = {.disabled = disabled, .ndisabled = (int)n, .quick = quick};
  ap_lint *lint = NULL;
  ap_error error;
  ap_status status;
  const ap_robot *read = robot == Py_None ? NULL : ((Robot *)robot)->robot;
  Py_BEGIN_ALLOW_THREADS;
  status = read ? ap_lint_robot(read, &options, &lint, &error)
                : ap_lint_file(path, &options, &lint, &error);
  Py_END_ALLOW_THREADS;
  if (status != AP_OK) return raise_error(&error, path);
  PyObject *list = findings_of(lint);
  ap_lint_free(lint);
  return list;
}
