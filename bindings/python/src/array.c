// SPDX-License-Identifier: Apache-2.0
#include "core.h"

#include <stdint.h>

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

// ---- NumPy's arrays as they lie in memory ------------------------------------------------------

// What every object of numpy.ndarray begins with: NumPy's binary interface, the same since its
// version 1.0, as extensions of old and new ones have these places compiled in. A buffer of an
// array costs more than the dynamics of a small robot, so one state is read from here. Whether it
// is so is looked at once, on a few arrays; if it were not, buffers would be used.
typedef struct ndarray {
  PyObject_HEAD char *data;
  int nd;
  Py_ssize_t *dimensions, *strides;
  PyObject *base, *descr;
  int flags;
} ndarray;

enum {
  ND_ROWS = 0x1,
  ND_ALIGNED = 0x100,
  ND_WRITABLE = 0x400,
  ND_WARNS = (int)0x80000000u // of being written to
};

static struct {
  bool looked;
  PyTypeObject *type; // numpy.ndarray; NULL: buffers are used
  PyObject *float64, *float32;
} numpy_arrays;

static bool same_lengths(const Py_ssize_t *a, const Py_ssize_t *b, int n) {
  for (int i = 0; i < n; i++)
    if (a[i] != b[i]) return false;
  return true;
}

// Whether the struct says of an array what its buffer and its dtype say.
static bool lies_as_expected(PyObject *object) {
  const ndarray *x = (const ndarray *)object;
  Py_buffer v;
  PyObject *dtype = PyObject_GetAttrString(object, "dtype");
  bool held = dtype && PyObject_GetBuffer(object, &v, PyBUF_FULL_RO) == 0;
  bool same = held && x->data == v.buf && x->nd == v.ndim && x->descr == dtype && x->dimensions &&
              x->strides && same_lengths(x->dimensions, v.shape, v.ndim) &&
              same_lengths(x->strides, v.strides, v.ndim) &&
              !(x->flags & ND_ROWS) == !PyBuffer_IsContiguous(&v, 'C') &&
              !(x->flags & ND_WRITABLE) == (v.readonly != 0) &&
              !(x->flags & ND_ALIGNED) == ((uintptr_t)v.buf % (size_t)v.itemsize != 0);
  if (held) PyBuffer_Release(&v);
  Py_XDECREF(dtype);
  return same;
}

static bool is_as_large(PyObject *type) {
  PyObject *size = PyObject_GetAttrString(type, "__basicsize__");
  bool large = size && PyLong_AsSsize_t(size) >= (Py_ssize_t)sizeof(ndarray);
  Py_XDECREF(size);
  return large;
}

// numpy.frombuffer(bytes or bytearray, dtype, count, offset)[::step]
static PyObject *example(PyObject *numpy, PyObject *memory, const char *dtype, int offset,
                         int step) {
  PyObject *x = PyObject_CallMethod(numpy, "frombuffer", "Osii", memory, dtype, 6, offset);
  PyObject *by = PyLong_FromLong(step), *slice = by ? PySlice_New(NULL, NULL, by) : NULL;
  PyObject *part = x && slice ? PyObject_GetItem(x, slice) : NULL;
  Py_XDECREF(slice);
  Py_XDECREF(by);
  Py_XDECREF(x);
  return part;
}

// Writable or not, with gaps, at an odd address, of both dtypes.
static bool examples_lie_as_expected(PyObject *numpy) {
  PyObject *memory[2] = {PyBytes_FromStringAndSize(NULL, 64),
                         PyByteArray_FromStringAndSize(NULL, 64)};
  bool good = memory[0] && memory[1];
  for (int k = 0; good && k < 8; k++) {
    PyObject *x = example(numpy, memory[k & 1], k & 2 ? "f4" : "f8", k & 4 ? 1 : 0, k & 1 ? 1 : 2);
    good = x && lies_as_expected(x);
    Py_XDECREF(x);
  }
  PyObject *matrix = PyObject_CallMethod(numpy, "empty", "((ii))", 3, 2);
  PyObject *turned = matrix ? PyObject_GetAttrString(matrix, "T") : NULL;
  good = good && matrix && turned && lies_as_expected(matrix) && lies_as_expected(turned);
  Py_XDECREF(turned);
  Py_XDECREF(matrix);
  Py_XDECREF(memory[0]);
  Py_XDECREF(memory[1]);
  return good;
}

// Look once, when NumPy has been imported.
static void look_at_numpy(void) {
  PyObject *name = PyUnicode_FromString("numpy"), *numpy = name ? PyImport_GetModule(name) : NULL;
  Py_XDECREF(name);
  if (numpy) {
    numpy_arrays.looked = true;
    PyObject *type = PyObject_GetAttrString(numpy, "ndarray");
    numpy_arrays.float64 = PyObject_CallMethod(numpy, "dtype", "s", "f8");
    numpy_arrays.float32 = PyObject_CallMethod(numpy, "dtype", "s", "f4");
    if (type && PyType_Check(type) && numpy_arrays.float64 && numpy_arrays.float32 &&
        is_as_large(type) && examples_lie_as_expected(numpy))
      numpy_arrays.type = (PyTypeObject *)Py_NewRef(type);
    Py_XDECREF(type);
    Py_DECREF(numpy);
  }
  PyErr_Clear();
}

// An array of NumPy that holds one state of float or double without gaps.
static inline bool take_state(array *a, PyObject *from, shape s, bool writable) {
  if (Py_TYPE(from) != numpy_arrays.type) return false;
  const ndarray *x = (const ndarray *)from;
  const int needed = ND_ROWS | ND_ALIGNED | (writable ? ND_WRITABLE : 0);
  const bool single = x->descr == numpy_arrays.float32;
  if ((!single && x->descr != numpy_arrays.float64) || x->nd != s.axes ||
      (x->flags & (needed | ND_WARNS)) != needed)
    return false;
  Py_ssize_t entries = 1;
  for (int i = 0; i < s.axes; i++) {
    if (x->dimensions[i] != s.length[i]) return false;
    entries *= s.length[i];
  }
  a->view.buf = x->data;
  a->view.ndim = x->nd;
  a->view.shape = x->dimensions;
  a->view.itemsize = single ? 4 : 8;
  a->view.len = entries * a->view.itemsize;
  a->held = false;
  a->object = Py_NewRef(from);
  a->single = single;
  a->leading = 0;
  a->rows = true;
  a->columns = false;
  return true;
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

bool array_aligned(const array *a) {
  return a->view.len == 0 || (uintptr_t)a->view.buf % (size_t)a->view.itemsize == 0;
}

static void find_layouts(array *a) {
  const Py_buffer *v = &a->view;
  bool nothing = v->len == 0, aligned = array_aligned(a);
  a->rows = nothing || (aligned && packed(v, 0, v->ndim, v->itemsize));
  a->columns = nothing || (aligned && a->leading == 1 && packed(v, 0, 1, v->itemsize) &&
                           packed(v, 1, v->ndim, v->itemsize * v->shape[0]));
}

// One state that has gaps in memory, such as a column of a matrix, or lies at an odd address is
// copied; many are not.
static bool close_gaps(array *a) {
  static PyObject *copy_of;
  if (!numpy_function("copy", &copy_of)) return false;
  PyObject *copy = PyObject_CallFunction(copy_of, "Os", a->object, "C");
  array_release(a);
  bool held = copy && hold(a, copy, false);
  Py_XDECREF(copy);
  a->rows = true;
  return held;
}

// Whatever is no such array as take_state() takes.
static bool read_array(array *a, PyObject *from, shape s, bool writable) {
  *a = (array){.name = a->name};
  if (!numpy_arrays.looked) look_at_numpy();
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

bool array_of(array *a, PyObject *from, const char *name, shape s, bool writable) {
  a->name = name;
  return take_state(a, from, s, writable) || read_array(a, from, s, writable);
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
  a->name = "out";
  PyObject *lengths = lengths_of(like, s, columns);
  PyObject *object = lengths ? empty(lengths, like->single) : NULL;
  Py_XDECREF(lengths);
  if (object && columns) object = states_first(object);
  if (!object) return false;
  if (like->leading == 0 && !columns && take_state(a, object, s, true)) {
    Py_DECREF(object);
    return true;
  }
  *a = (array){.name = "out"};
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
