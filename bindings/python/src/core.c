// SPDX-License-Identifier: Apache-2.0
#include "core.h"
#include "threads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- exceptions --------------------------------------------------------------------------------

static PyObject *error_type, *singular_type, *unreachable_type, *file_error_type;

static PyObject *type_of(ap_status status) {
  switch (status) {
    case AP_E_SINGULAR:
    case AP_E_SINGULAR_SERIAL:
    case AP_E_SINGULAR_PARALLEL:
    case AP_E_SINGULAR_CLOSURES: return singular_type;
    case AP_E_UNREACHABLE:
    case AP_E_NO_CONVERGENCE: return unreachable_type;
    case AP_E_FILE: return file_error_type;
    default: return error_type;
  }
}

static bool set_attribute(PyObject *object, const char *name, PyObject *value) {
  bool set = value && PyObject_SetAttrString(object, name, value) == 0;
  Py_XDECREF(value);
  return set;
}

PyObject *raise_status(ap_status status, const char *file, int line, const char *text) {
  if (status == AP_E_MEMORY) return PyErr_NoMemory();
  PyObject *message = !file      ? PyUnicode_FromString(text)
                      : line > 0 ? PyUnicode_FromFormat("%s:%d: %s", file, line, text)
                                 : PyUnicode_FromFormat("%s: %s", file, text);
  PyObject *type = type_of(status);
  PyObject *error = message ? PyObject_CallFunctionObjArgs(type, message, NULL) : NULL;
  Py_XDECREF(message);
  if (!error) return NULL;
  PyObject *name = file ? PyUnicode_DecodeFSDefault(file) : Py_NewRef(Py_None);
  if (set_attribute(error, "status", PyLong_FromLong(status)) &&
      set_attribute(error, "file", name) && set_attribute(error, "line", PyLong_FromLong(line)))
    PyErr_SetObject(type, error);
  Py_DECREF(error);
  return NULL;
}

PyObject *raise_error(const ap_error *error, const char *file) {
  return raise_status(error->status, file, error->line, error->text);
}

static PyObject *new_type(PyObject *module, const char *name, const char *about, PyObject *base) {
  char full[64];
  snprintf(full, sizeof full, "appell.%s", name);
  PyObject *type = PyErr_NewExceptionWithDoc(full, about, base, NULL);
  if (type && PyModule_AddObjectRef(module, name, type) < 0) Py_CLEAR(type);
  return type;
}

static bool add_exceptions(PyObject *module) {
  error_type = new_type(module, "Error",
                        "What Appell refuses.\n\nstatus: the library's status code\nfile: the file "
                        "it is about, or None\nline: the line there, from 1, or 0",
                        PyExc_ValueError);
  // what exceptions raised in Python have
  if (!error_type || !set_attribute(error_type, "status", PyLong_FromLong(AP_E_ARG)) ||
      !set_attribute(error_type, "file", Py_NewRef(Py_None)) ||
      !set_attribute(error_type, "line", PyLong_FromLong(0)))
    return false;
  singular_type =
      new_type(module, "SingularError",
               "An inertia matrix or a mechanism is singular in this state.", error_type);
  unreachable_type = new_type(
      module, "UnreachableError",
      "The coordinates of a mechanism cannot be reached. (inverse_kinematics() does not raise it: "
      "look at .reached.)",
      error_type);
  PyObject *both = PyTuple_Pack(2, error_type, PyExc_OSError);
  file_error_type =
      both ? new_type(module, "FileError", "A file cannot be read or written.", both) : NULL;
  Py_XDECREF(both);
  return singular_type && unreachable_type && file_error_type;
}

// ---- arguments ---------------------------------------------------------------------------------

static PyObject *out_key; // as code has it: one object for all of them

// From the last of n names on: that is 'out', the one that is given most.
static int find_name(const char *const *names, int n, PyObject *key) {
  if (key == out_key && n > 0 && strcmp(names[n - 1], "out") == 0) return n - 1;
  while (n-- > 0 && PyUnicode_CompareWithASCIIString(key, names[n]) != 0) continue;
  return n;
}

bool sort_arguments(const char *function, const char *const *names, int positional, int needed,
                    PyObject *const *args, Py_ssize_t nargs, PyObject *keywords, PyObject **value) {
  if (nargs > positional) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments, %zd were given",
                 function, positional, nargs);
    return false;
  }
  int count = 0;
  for (; names[count]; count++) value[count] = count < nargs ? args[count] : NULL;
  Py_ssize_t named = keywords ? PyTuple_Size(keywords) : 0;
  for (Py_ssize_t k = 0; k < named; k++) {
    PyObject *key = PyTuple_GetItem(keywords, k);
    int i = find_name(names, count, key);
    if (i < 0 || value[i]) {
      PyErr_Format(PyExc_TypeError, i < 0 ? "%s() has no argument %R" : "%s() was given %R twice",
                   function, key);
      return false;
    }
    value[i] = args[nargs + k];
  }
  for (int i = 0; i < needed; i++)
    if (!value[i]) {
      PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s'", function, names[i]);
      return false;
    }
  return true;
}

bool read_number(PyObject *from, const char *what, double *number) {
  *number = PyFloat_AsDouble(from);
  if (*number == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s must be a number, not %R", what, from);
    return false;
  }
  if (isfinite(*number)) return true;
  PyErr_Format(PyExc_ValueError, "%s must be finite, not %R", what, from);
  return false;
}

bool read_numbers(PyObject *from, const char *what, int n, double *number) {
  Py_ssize_t length = PySequence_Check(from) ? PySequence_Size(from) : -1;
  if (length != n) {
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "%s must be %d numbers, not %R", what, n, from);
    return false;
  }
  for (int i = 0; i < n; i++) {
    PyObject *item = PySequence_GetItem(from, i);
    bool good = item && read_number(item, what, &number[i]);
    Py_XDECREF(item);
    if (!good) return false;
  }
  return true;
}

const char *read_path(PyObject *from, PyObject **own) {
  *own = NULL;
  if (!PyUnicode_FSConverter(from, own)) return NULL;
  return PyBytes_AsString(*own);
}

bool put(PyObject *dictionary, const char *key, PyObject *value) {
  bool done = value && PyDict_SetItemString(dictionary, key, value) == 0;
  Py_XDECREF(value);
  return done;
}

// ---- the module --------------------------------------------------------------------------------

static PyObject *get_threads(PyObject *module, PyObject *none) {
  (void)module, (void)none;
  return PyLong_FromLong(most_threads);
}

static PyObject *set_threads(PyObject *module, PyObject *count) {
  (void)module;
  long n = PyLong_AsLong(count);
  if (n == -1 && PyErr_Occurred()) return NULL;
  if (n < 1 || n > 1024) {
    PyErr_Format(PyExc_ValueError, "the number of threads must be 1 to 1024, not %ld", n);
    return NULL;
  }
  most_threads = (int)n;
  Py_RETURN_NONE;
}

static PyObject *builtin_names(PyObject *module, PyObject *none) {
  (void)module, (void)none;
  PyObject *names = PyDict_New();
  for (int i = 0; names && ap_builtin_name(i); i++)
    if (!put(names, ap_builtin_name(i), PyUnicode_FromString(ap_builtin_about(i)))) Py_CLEAR(names);
  for (int i = 0; names && ap_mechanism_builtin_name(i); i++)
    if (!put(names, ap_mechanism_builtin_name(i),
             PyUnicode_FromString(ap_mechanism_builtin_about(i))))
      Py_CLEAR(names);
  return names;
}

static PyMethodDef functions[32] = {
    {"get_threads", get_threads, METH_NOARGS,
     "get_threads()\n--\n\nHow many threads a call on many states uses at most."},
    {"set_threads", set_threads, METH_O,
     "set_threads(count, /)\n--\n\nLet a call on many states use so many threads at most."},
    {"builtin_names", builtin_names, METH_NOARGS,
     "builtin_names()\n--\n\nBuilt-in robots and mechanisms: a line about each by its name."},
    {"lint", lint_robot, METH_VARARGS,
     "lint(path, robot, disabled, quick, /)\n--\n\nFindings of a file or a robot."},
    {"record_run", record_run, METH_VARARGS,
     "record_run(path, log, kind, robot, reference, end, step, progress, /)\n--\n\n"
     "Run a scenario and record it; its warnings."},
    {"read_run", read_run, METH_VARARGS,
     "read_run(log, /)\n--\n\nColumns, rows, events and warnings of a log."},
    {"report_run", report_run, METH_VARARGS,
     "report_run(log, page, title, /)\n--\n\nWrite the page of a log."},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "appell._core",
                                        "The compiled part of appell.",
                                        -1,
                                        functions,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) {
  append_methods(functions, ident_functions);
  append_methods(functions, research_functions);
  append_methods(functions, sweep_functions);
  PyObject *module = PyModule_Create(&definition);
  out_key = PyUnicode_InternFromString("out");
  if (module && add_exceptions(module) && add_robot_type(module) && add_model_type(module) &&
      add_mechanism_type(module) && add_feed_forward_type(module) &&
      PyModule_AddStringConstant(module, "__version__", ap_version()) == 0)
    return module;
  Py_XDECREF(module);
  return NULL;
}
