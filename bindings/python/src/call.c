// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <math.h>
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
                 !array_aligned(a) ? "%s does not begin at a multiple of its numbers' size in "
                                     "memory, and no copy is made: give numpy.copy(%s)"
                 : a->columns ? "%s lies column by column in memory, other arrays row by row: give "
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

// ---- states that are refused -------------------------------------------------------------------

// Entry j of state k.
static double entry_of(const call *c, const array *a, size_t k, size_t j) {
  size_t n = array_states(a), width = 1;
  for (int i = a->leading; i < a->view.ndim; i++) width *= (size_t)a->view.shape[i];
  size_t at = c->columns ? j * n + k : k * width + j;
  return a->single ? (double)((const float *)array_data(a))[at]
                   : ((const double *)array_data(a))[at];
}

static const array *not_finite(const call *c, size_t k) {
  for (int i = 0; i < c->inputs; i++) {
    size_t states = array_states(&c->in[i]);
    size_t width = (size_t)(c->in[i].view.len / c->in[i].view.itemsize) / (states ? states : 1);
    for (size_t j = 0; j < width; j++)
      if (!isfinite(entry_of(c, &c->in[i], k, j))) return &c->in[i];
  }
  return NULL;
}

// The joint whose quaternion in state k is zero; NULL: none.
static const char *without_rotation(const call *c, const ap_model *m, size_t k) {
  for (int i = 1; i < ap_nbody(m); i++) {
    int nq = ap_joint_nq(m, i), last = ap_joint_q(m, i) + nq;
    if (ap_joint_q(m, i) < 0 || nq == ap_joint_nv(m, i)) continue;
    double sum = 0;
    for (int j = last - 4; j < last; j++) sum += fabs(entry_of(c, &c->in[0], k, (size_t)j));
    const ap_body_def *b = ap_body(m, i);
    if (sum == 0) return b->joint_name ? b->joint_name : b->name;
  }
  return NULL;
}

PyObject *refuse_states(const call *c, const ap_model *m, ap_status status,
                        const ap_status *of_each) {
  size_t n = array_states(&c->in[0]), first = 0, bad = 0;
  for (size_t k = n; of_each && k-- > 0;)
    if (of_each[k] != AP_OK) {
      first = k;
      bad++;
    }
  if (bad > 0) status = of_each[first];
  char what[160], where[128] = "";
  const array *wrong = status == AP_E_MEMORY ? NULL : not_finite(c, first);
  const char *joint = m && !wrong ? without_rotation(c, m, first) : NULL;
  if (wrong)
    snprintf(what, sizeof what, "%s has numbers that are not finite", wrong->name);
  else if (joint)
    snprintf(what, sizeof what,
             "the quaternion of joint '%.80s' in %s is zero (neutral() has 0 0 0 1)", joint,
             c->in[0].name);
  else
    snprintf(what, sizeof what, "%s", ap_status_text(status));
  if (bad > 0 && c->in[0].leading > 0)
    snprintf(where, sizeof where, ": state %zu, the first of %zu such states among %zu", first, bad,
             n);
  char text[320];
  snprintf(text, sizeof text, "%s%s", what, where);
  return raise_status(wrong || joint ? AP_E_ARG : status, NULL, 0, text);
}
