// SPDX-License-Identifier: Apache-2.0
#include "core.h"

#include <string.h>

// ---- NumPy -------------------------------------------------------------------------------------

static PyObject *numpy_function(const char *name, PyObject **kept) {
  if (*kept) return *kept;
  PyObject *numpy = PyImport_ImportModule("numpy");
  if (numpy) *kept = PyObject_GetAttrString(numpy, name);
  Py_XDECREF(numpy);
  return *kept;
}

static PyObject *empty(PyObject *lengths, bool single) {
  static PyObject *make, *float32;
  if (!numpy_function("empty", &make) || !numpy_function("float32", &float32)) return NULL;
  return PyObject_CallFunctionObjArgs(make, lengths, single ? float32 : NULL, NULL);
}

static PyObject *as_doubles(PyObject *from) {
  static PyObject *convert, *float64;
  if (!numpy_function("asarray", &convert) || !numpy_function("float64", &float64)) return NULL;
  return PyObject_CallFunctionObjArgs(convert, from, float64, NULL);
}

// ---- what a buffer holds -----------------------------------------------------------------------

// 'd' or 'f' in the machine's own order; 0 for anything else.
static char number_format(const Py_buffer *view) {
  const char *f = view->format ? view->format : "B";
  if (*f == '@' || *f == '=') f++;
  if ((*f != 'd' && *f != 'f') || f[1]) return 0;
  return view->itemsize == (*f == 'd' ? 8 : 4) ? *f : 0;
}

static bool hold(array *a, PyObject *from, bool writable) {
  int flags = PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
  a->held = PyObject_GetBuffer(from, &a->view, flags) == 0;
  if (!a->held) return false;
  a->object = Py_NewRef(from);
  return true;
}

static bool refuse_form(const array *a, PyObject *from, bool writable) {
  PyErr_Clear();
  if (writable)
    PyErr_Format(PyExc_TypeError,
                 "%s must be a writable array of float64 or float32 (of which copies are made "
                 "nowhere), not %R",
                 a->name, (PyObject *)Py_TYPE(from));
  else
    PyErr_Format(PyExc_TypeError, "%s must be numbers, not %R", a->name, (PyObject *)Py_TYPE(from));
  return false;
}

// A buffer of float or double as it is; anything else of which NumPy can make doubles is copied.
static bool take_buffer(array *a, PyObject *from, bool writable) {
  if (hold(a, from, writable) && number_format(&a->view)) return true;
  array_release(a);
  if (writable) return refuse_form(a, from, writable);
  PyErr_Clear();
  PyObject *converted = as_doubles(from);
  if (!converted) return refuse_form(a, from, writable);
  bool held = hold(a, converted, false);
  Py_DECREF(converted);
  return held;
}

// ---- shapes ------------------------------------------------------------------------------------

static PyObject *shape_text(const Py_ssize_t *length, int axes) {
  PyObject *tuple = PyTuple_New(axes);
  for (int i = 0; tuple && i < axes; i++) {
    PyObject *n = PyLong_FromSsize_t(length[i]);
    if (!n || PyTuple_SetItem(tuple, i, n) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}

static bool refuse_shape(const array *a, shape s) {
  PyObject *given = shape_text(a->view.shape, a->view.ndim);
  PyObject *one = shape_text(s.length, s.axes);
  if (given && one && s.axes == 1)
    PyErr_Format(PyExc_ValueError,
                 "%s has the shape %R; it must be %R for one state, (n, %zd) for n states", a->name,
                 given, one, s.length[0]);
  else if (given && one)
    PyErr_Format(PyExc_ValueError, "%s has the shape %R; it must be %R for one state", a->name,
                 given, one);
  Py_XDECREF(given);
  Py_XDECREF(one);
  return false;
}

// Whether axes from..to lie row after row, the last entries `step` bytes apart. An axis of one
// entry has no stride.
static bool packed(const Py_buffer *view, int from, int to, Py_ssize_t step) {
  for (int i = to; i-- > from;) {
    if (view->shape[i] != 1 && view->strides[i] != step) return false;
    step *= view->shape[i];
  }
  return true;
}

size_t array_states(const array *a) {
  size_t n = 1;
  for (int i = 0; i < a->leading; i++) n *= (size_t)a->view.shape[i];
  return n;
}

static void find_layouts(array *a) {
  const Py_buffer *v = &a->view;
  bool nothing = v->len == 0;
  a->rows = nothing || packed(v, 0, v->ndim, v->itemsize);
  a->columns = nothing || (a->leading == 1 && packed(v, 0, 1, v->itemsize) &&
                           packed(v, 1, v->ndim, v->itemsize * v->shape[0]));
}

// One state that has gaps in memory, such as a column of a matrix, is copied; many are not.
static bool close_gaps(array *a) {
  static PyObject *contiguous;
  if (!numpy_function("ascontiguousarray", &contiguous)) return false;
  PyObject *copy = PyObject_CallFunctionObjArgs(contiguous, a->object, NULL);
  array_release(a);
  bool held = copy && hold(a, copy, false);
  Py_XDECREF(copy);
  a->rows = true;
  return held;
}

bool array_of(array *a, PyObject *from, const char *name, shape s, bool writable) {
  *a = (array){.name = name};
  if (!take_buffer(a, from, writable)) return false;
  a->single = number_format(&a->view) == 'f';
  a->leading = a->view.ndim - s.axes;
  bool fits = a->leading >= 0 && a->view.ndim <= MOST_AXES;
  for (int i = 0; fits && i < s.axes; i++) fits = a->view.shape[a->leading + i] == s.length[i];
  if (!fits) {
    refuse_shape(a, s);
    array_release(a);
    return false;
  }
  find_layouts(a);
  return a->rows || a->leading > 0 || writable || close_gaps(a);
}

// ---- new arrays --------------------------------------------------------------------------------

static PyObject *lengths_of(const array *like, shape s, bool columns) {
  Py_ssize_t length[MOST_AXES + 2];
  int n = 0;
  for (int i = 0; columns && i < s.axes; i++) length[n++] = s.length[i];
  for (int i = 0; i < like->leading; i++) length[n++] = like->view.shape[i];
  for (int i = 0; !columns && i < s.axes; i++) length[n++] = s.length[i];
  if (n == 1) return PyLong_FromSsize_t(length[0]);
  return shape_text(length, n);
}

// The last axis first: what numpy.moveaxis(object, -1, 0) gives.
static PyObject *states_first(PyObject *object) {
  static PyObject *moveaxis;
  PyObject *moved = NULL;
  if (numpy_function("moveaxis", &moveaxis))
    moved = PyObject_CallFunction(moveaxis, "Oii", object, -1, 0);
  Py_DECREF(object);
  return moved;
}

bool array_new(array *a, const array *like, shape s, bool columns) {
  *a = (array){.name = "out"};
  PyObject *lengths = lengths_of(like, s, columns);
  PyObject *object = lengths ? empty(lengths, like->single) : NULL;
  Py_XDECREF(lengths);
  if (object && columns) object = states_first(object);
  if (!object) return false;
  bool held = hold(a, object, true);
  Py_DECREF(object);
  if (!held) return false;
  a->single = like->single;
  a->leading = like->leading;
  a->rows = !columns;
  a->columns = columns;
  return true;
}

void array_release(array *a) {
  if (a->held) PyBuffer_Release(&a->view);
  a->held = false;
  Py_CLEAR(a->object);
}
