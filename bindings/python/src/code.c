// SPDX-License-Identifier: Apache-2.0
// Methods of Model that generate and compile code for it.
#include <string.h>

#include "core.h"

static bool read_functions(PyObject *from, unsigned *functions) {
  if (from == Py_None) return true;
  *functions = 0;
  if (PyUnicode_Check(from)) {
    PyErr_SetString(PyExc_TypeError, "functions must be a list of names, not a text");
    return false;
  }
  Py_ssize_t n = PySequence_Size(from);
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *item = PySequence_GetItem(from, i);
    const char *name = item ? PyUnicode_AsUTF8AndSize(item, NULL) : NULL;
    int f = 0;
    while (name && f < AP_FUNCTIONS && strcmp(ap_function_name((ap_function)f), name) != 0) f++;
    if (name && f == AP_FUNCTIONS)
      PyErr_Format(PyExc_ValueError,
                   "there is no function %R (inverse_dynamics, inertia_matrix, gravity, ...: "
                   "docs/generate.md)",
                   item);
    Py_XDECREF(item);
    if (!name || f == AP_FUNCTIONS) return false;
    *functions |= 1u << f;
  }
  return n >= 0;
}

// _generate(name, single, functions, batch, friction, cuda): the texts of source and header by
// their file names.
static PyObject *generate(PyObject *self, PyObject *args) {
  const Model *m = (Model *)self;
  ap_generate_options options = ap_default_generate();
  PyObject *functions;
  int single, batch, friction, cuda;
  if (!PyArg_ParseTuple(args, "zpOppp", &options.name, &single, &functions, &batch, &friction,
                        &cuda) ||
      !read_functions(functions, &options.functions))
    return NULL;
  options.arithmetic = single ? AP_F32 : AP_F64;
  options.batch = batch;
  options.friction = friction;
  options.target = cuda ? AP_TARGET_CUDA : AP_TARGET_C;
  ap_code *code = NULL;
  ap_error error;
  ap_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = ap_generate(m->base.model, &options, &code, &error);
  Py_END_ALLOW_THREADS;
  if (status != AP_OK) return raise_error(&error, NULL);
  PyObject *result = PyDict_New();
  for (int header = 0; result && header < 2; header++) {
    PyObject *file = PyUnicode_FromFormat("%s%s", ap_code_name(code), ap_code_ending(code, header));
    PyObject *text = PyUnicode_FromString(header ? ap_code_header(code) : ap_code_source(code));
    if (!file || !text || PyDict_SetItem(result, file, text) < 0) Py_CLEAR(result);
    Py_XDECREF(file);
    Py_XDECREF(text);
  }
  ap_code_free(code);
  return result;
}

// _compile(single, friction, compiler, flags): from now on the model computes with compiled code.
static PyObject *compile(PyObject *self, PyObject *args) {
  Model *m = (Model *)self;
  ap_compile_options options = ap_default_compile();
  int single, friction;
  if (!PyArg_ParseTuple(args, "ppzz", &single, &friction, &options.compiler, &options.flags))
    return NULL;
  options.friction = friction;
  ap_compiled *made = NULL;
  ap_compiled_f32 *made_f32 = NULL;
  ap_error error;
  ap_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = single ? ap_compile_f32(m->base.model, &options, &made_f32, &error)
                  : ap_compile(m->base.model, &options, &made, &error);
  Py_END_ALLOW_THREADS;
  if (status != AP_OK) {
    ap_compiled_free(made);
    ap_compiled_free_f32(made_f32);
    return raise_error(&error, NULL);
  }
  if (!keep_compiled(m, made, made_f32)) return NULL;
  Py_RETURN_NONE;
}

const PyMethodDef code_methods[] = {{"_generate", generate, METH_VARARGS, NULL},
                                    {"_compile", compile, METH_VARARGS, NULL},
                                    {NULL, NULL, 0, NULL}};
