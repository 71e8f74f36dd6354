// SPDX-License-Identifier: Apache-2.0
// Every method in every arithmetic, by name.
#include <appell/research.h>
#include <string.h>

#include "threads.h"

static PyObject *methods(PyObject *module, PyObject *none) {
  (void)module, (void)none;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && ap_method_at(i); i++) {
    const ap_method *m = ap_method_at(i);
    PyObject *item =
        Py_BuildValue("(sssz)", ap_quantity_name(m->what), m->name, m->about, m->needs);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static const ap_method *find_method(const char *what, const char *name) {
  for (int i = 0; ap_method_at(i); i++) {
    const ap_method *m = ap_method_at(i);
    if (strcmp(ap_quantity_name(m->what), what) == 0 && (!name || strcmp(m->name, name) == 0))
      return m;
  }
  PyErr_Format(PyExc_ValueError, name ? "there is no method '%s' of '%s'" : "%s'%s' is no quantity",
               name ? name : "", what);
  return NULL;
}

static int find_arithmetic(const char *name) {
  for (int k = AP_F64; k <= AP_COUNT; k++)
    if (strcmp(ap_arithmetic_name((ap_arithmetic)k), name) == 0) return k;
  PyErr_Format(PyExc_ValueError, "there is no arithmetic '%s' (f64, f32, f128, count)", name);
  return -1;
}

static PyObject *counted(const ap_count *c) {
  return Py_BuildValue("(lllll)", c->mul, c->add, c->div, c->sqrt, c->sincos);
}

static PyObject *evaluate(Model *m, const ap_method *method, ap_arithmetic arithmetic,
                          const array *in, array *out) {
  const ap_model *model = m->base.model;
  size_t size = ap_study_size(model, arithmetic), n = array_states(in);
  void *memory = size ? malloc(size) : NULL;
  ap_study *s = memory ? ap_study_init(model, arithmetic, memory, size) : NULL;
  ap_status status = !size ? AP_E_UNSUPPORTED : s ? AP_OK : AP_E_MEMORY;
  ap_count count = {0};
  long_work work = {0};
  bool good = true;
  if (s) {
    size_t wide = (size_t)ap_columns_in(model, method->what);
    size_t width = (size_t)ap_columns_out(model, method->what);
    ap_study_set_friction(s, m->base.friction);
    ap_study_set_gravity(s, m->base.gravity);
    long_work_begin(&work);
    for (size_t k = 0; k < n && status == AP_OK && long_work_goes_on(&work); k++)
      status = ap_study_eval(s, method, (const double *)array_data(in) + k * wide,
                             (double *)array_data(out) + k * width,
                             arithmetic == AP_COUNT ? &count : NULL);
    good = long_work_end(&work);
  }
  free(memory);
  if (!good) return NULL;
  if (status != AP_OK) return raise_status(status, NULL, 0, ap_status_text(status));
  return Py_BuildValue("(ON)", out->object, counted(&count));
}

// evaluate(model, quantity, method or None, arithmetic, rows): (results, operations of the last
// row)
static PyObject *evaluate_method(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *model, *rows;
  const char *what, *name, *words;
  if (!PyArg_ParseTuple(args, "O!szsO", model_type, &model, &what, &name, &words, &rows))
    return NULL;
  const ap_method *method = find_method(what, name);
  int arithmetic = method ? find_arithmetic(words) : -1;
  if (arithmetic < 0) return NULL;
  Model *m = (Model *)model;
  shape wide = {1, {ap_columns_in(m->base.model, method->what)}};
  shape width = {1, {ap_columns_out(m->base.model, method->what)}};
  array in, out;
  if (!array_of(&in, rows, "states", wide, false)) return NULL;
  PyObject *result = NULL;
  if (in.single || !in.rows)
    PyErr_SetString(PyExc_TypeError, "states must be float64, row by row");
  else if (array_new(&out, &in, width, false)) {
    result = evaluate(m, method, (ap_arithmetic)arithmetic, &in, &out);
    array_release(&out);
  }
  array_release(&in);
  return result;
}

const PyMethodDef research_functions[] = {
    {"methods", methods, METH_NOARGS, "methods()\n--\n\nFields of every Method."},
    {"evaluate", evaluate_method, METH_VARARGS,
     "evaluate(model, what, method, arithmetic, rows, /)\n--\n\nResults and operations."},
    {NULL, NULL, 0, NULL}};
