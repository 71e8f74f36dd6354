// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <stdio.h>
#include <string.h>

const char *input_name(char letter) {
  switch (letter) {
    case 'q': return "q";
    case 'v': return "v";
    case 'a': return "a";
    case '0': return "q0";
    case '1': return "q1";
    default: return "tau";
  }
}

static bool same_states(const call *c, const array *a) {
  const array *first = &c->in[0];
  bool same = a->leading == first->leading;
  for (int i = 0; same && i < a->leading; i++) same = a->view.shape[i] == first->view.shape[i];
  if (same) return true;
  if (a->leading == 0 || first->leading == 0)
    PyErr_Format(PyExc_ValueError, "%s has %zu states, %s is of one state: give one for each state",
                 a->leading ? a->name : first->name, array_states(a->leading ? a : first),
                 a->leading ? first->name : a->name);
  else
    PyErr_Format(PyExc_ValueError, "%s has %zu states, %s has %zu", first->name,
                 array_states(first), a->name, array_states(a));
  return false;
}

static bool same_numbers(const call *c, const array *a) {
  if (a->single == c->in[0].single) return true;
  PyErr_Format(PyExc_TypeError, "%s is %s, %s is %s: give all of them one dtype", c->in[0].name,
               c->in[0].single ? "float32" : "float64", a->name, a->single ? "float32" : "float64");
  return false;
}

bool call_inputs(call *c, int n, PyObject *const *value, const char *const *name,
                 const shape *shapes) {
  for (int i = 0; i < n; i++) {
    array *a = &c->in[i];
    if (!array_of(a, value[i], name[i], shapes[i], false)) return false;
    c->inputs = i + 1;
    if (i > 0 && !(same_states(c, a) && same_numbers(c, a))) return false;
  }
  return true;
}

// Rows where all inputs and given outputs are rows, else columns where all are those.
static bool choose_layout(call *c) {
  bool rows = true, columns = true;
  for (int i = 0; i < c->inputs; i++) {
    rows = rows && c->in[i].rows;
    columns = columns && c->in[i].columns;
  }
  for (int i = 0; i < c->outputs; i++) {
    rows = rows && c->out[i].rows;
    columns = columns && c->out[i].columns;
  }
  c->columns = !rows;
  if (rows || columns) return true;
  for (int i = 0; i < c->inputs + c->outputs; i++) {
    const array *a = i < c->inputs ? &c->in[i] : &c->out[i - c->inputs];
    if (a->rows) continue;
    PyErr_Format(PyExc_ValueError,
                 a->columns ? "%s lies column by column in memory, other arrays row by row: give "
                              "all of them one order (numpy.ascontiguousarray() copies an array)"
                            : "%s has gaps in memory, and no copy is made: give "
                              "numpy.ascontiguousarray(%s)",
                 a->name, a->name);
    return false;
  }
  return false;
}

static bool overlap(const array *a, const array *b) {
  const char *x = array_data(a), *y = array_data(b);
  return x < y + b->view.len && y < x + a->view.len && a->view.len > 0 && b->view.len > 0;
}

static bool may_overlap(const call *c, int i) {
  return c->in_place && i == c->inputs - 1 && array_data(&c->in[i]) == array_data(&c->out[0]);
}

static bool separate(const call *c) {
  for (int k = 0; k < c->outputs; k++) {
    for (int i = 0; i < c->inputs; i++)
      if (overlap(&c->out[k], &c->in[i]) && !may_overlap(c, i)) {
        PyErr_Format(PyExc_ValueError, "out overlaps %s in memory", c->in[i].name);
        return false;
      }
    for (int i = 0; i < k; i++)
      if (overlap(&c->out[k], &c->out[i])) {
        PyErr_SetString(PyExc_ValueError, "the arrays of out overlap each other in memory");
        return false;
      }
  }
  return true;
}

static bool take_out(call *c, PyObject *given, int n, const shape *shapes) {
  bool several = n > 1;
  if (several && !(PyTuple_Check(given) && PyTuple_Size(given) == n)) {
    PyErr_Format(PyExc_TypeError, "out must be a tuple of %d arrays", n);
    return false;
  }
  for (int i = 0; i < n; i++) {
    array *a = &c->out[i];
    PyObject *from = several ? PyTuple_GetItem(given, i) : given;
    if (!array_of(a, from, "out", shapes[i], true)) return false;
    c->outputs = i + 1;
    if (!(same_states(c, a) && same_numbers(c, a))) return false;
  }
  return true;
}

static bool make_out(call *c, int n, const shape *shapes) {
  for (int i = 0; i < n; i++) {
    if (!array_new(&c->out[i], &c->in[0], shapes[i], c->columns)) return false;
    c->outputs = i + 1;
  }
  return true;
}

bool call_outputs(call *c, PyObject *given, int n, const shape *shapes) {
  bool fresh = !given || given == Py_None;
  if (!fresh && !take_out(c, given, n, shapes)) return false;
  return choose_layout(c) && (fresh ? make_out(c, n, shapes) : separate(c));
}

PyObject *call_result(const call *c) {
  if (c->outputs > 1) {
    PyObject *tuple = PyTuple_New(c->outputs);
    for (int i = 0; tuple && i < c->outputs; i++)
      PyTuple_SetItem(tuple, i, Py_NewRef(c->out[i].object));
    return tuple;
  }
  bool number = c->out[0].view.ndim == 0;
  if (!number) return Py_NewRef(c->out[0].object);
  const void *x = array_data(&c->out[0]);
  return PyFloat_FromDouble(c->in[0].single ? (double)*(const float *)x : *(const double *)x);
}

void call_end(call *c) {
  for (int i = 0; i < c->inputs; i++) array_release(&c->in[i]);
  for (int i = 0; i < c->outputs; i++) array_release(&c->out[i]);
}

PyObject *refuse_states(ap_status status, const ap_status *of_each, size_t n) {
  size_t first = n, bad = 0;
  for (size_t k = n; of_each && k-- > 0;)
    if (of_each[k] != AP_OK) {
      first = k;
      bad++;
    }
  if (bad == 0) return raise_status(status, NULL, 0, ap_status_text(status));
  char text[200];
  snprintf(text, sizeof text, "%s: state %zu, the first of %zu such states among %zu",
           ap_status_text(of_each[first]), first, bad, n);
  return raise_status(of_each[first], NULL, 0, text);
}
