// SPDX-License-Identifier: Apache-2.0
// Model: a checked robot, its settings, and the memory that threads compute in.
#include <stdlib.h>
#include <string.h>

#include "core.h"

PyTypeObject *model_type;

// ---- slots -------------------------------------------------------------------------------------

static void free_slot(slot *s) {
  for (int i = 0; i < 4; i++) free(s->memory[i]);
  free(s);
}

static bool has(const slot *s, int which) { return s->memory[which] != NULL; }

static bool make(const Model *m, slot *s, int which) {
  const ap_model *model = m->base.model;
  size_t size[4] = {ap_work_size(model), ap_work_size_f32(model), ap_batch_size(model),
                    ap_batch_size_f32(model)};
  void *memory = s->memory[which] = malloc(size[which]);
  if (!memory) return false;
  if (which == 0) s->work = ap_work_init(model, memory, size[0]);
  if (which == 1) s->work_f32 = ap_work_init_f32(model, memory, size[1]);
  if (which == 2) s->batch = ap_batch_init(model, memory, size[2]);
  if (which == 3) s->batch_f32 = ap_batch_init_f32(model, memory, size[3]);
  return true;
}

static void apply_settings(const Model *m, slot *s) {
  const ap_model *model = m->base.model;
  if (s->work) {
    settings_apply(&m->base, s->work);
    ap_work_use(model, s->work, m->compiled ? ap_compiled_functions(m->compiled) : NULL);
  }
  if (s->work_f32) {
    settings_apply_f32(&m->base, s->work_f32);
    ap_work_use_f32(model, s->work_f32,
                    m->compiled_f32 ? ap_compiled_functions_f32(m->compiled_f32) : NULL);
  }
  if (s->batch) ap_batch_use_settings(model, s->batch, s->work);
  if (s->batch_f32) ap_batch_use_settings_f32(model, s->batch_f32, s->work_f32);
  s->version = m->base.version;
}

slot *take_slot(Model *m, bool single, bool batch) {
  slot *s = m->idle;
  if (s)
    m->idle = s->next;
  else if (!(s = calloc(1, sizeof *s)))
    return NULL;
  bool fresh = s->version != m->base.version;
  for (int which = single; which < 4; which += 2) {
    if (has(s, which) || (which >= 2 && !batch)) continue;
    fresh = true;
    if (make(m, s, which)) continue;
    give_slot(m, s);
    return NULL;
  }
  if (fresh) apply_settings(m, s);
  return s;
}

void give_slot(Model *m, slot *s) {
  s->next = m->idle;
  m->idle = s;
}

// ---- making and freeing ------------------------------------------------------------------------

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  PyObject *robot;
  if ((keywords && PyDict_Size(keywords)) || !PyArg_ParseTuple(args, "O!", robot_type, &robot)) {
    PyErr_Clear();
    PyErr_SetString(PyExc_TypeError, "make a model with appell.load() or appell.build()");
    return NULL;
  }
  Robot *r = (Robot *)robot;
  ap_model *made = NULL;
  ap_error error;
  if (ap_robot_model(r->robot, &made, &error) != AP_OK) {
    PyObject *own = NULL;
    raise_error(&error, r->file == Py_None ? NULL : read_path(r->file, &own));
    Py_XDECREF(own);
    return NULL;
  }
  allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Model *self = (Model *)alloc(type, 0);
  if (!self) {
    ap_model_free(made);
    return NULL;
  }
  self->made = made;
  settings_init(&self->base, r, made);
  return (PyObject *)self;
}

bool keep_compiled(Model *m, ap_compiled *made, ap_compiled_f32 *made_f32) {
  size_t n = (size_t)m->nolder + 1;
  ap_compiled **older = realloc(m->older, n * sizeof *older);
  if (older) m->older = older;
  ap_compiled_f32 **older_f32 = realloc(m->older_f32, n * sizeof *older_f32);
  if (older_f32) m->older_f32 = older_f32;
  if (!older || !older_f32) {
    ap_compiled_free(made);
    ap_compiled_free_f32(made_f32);
    PyErr_NoMemory();
    return false;
  }
  older[n - 1] = made ? m->compiled : NULL;
  older_f32[n - 1] = made_f32 ? m->compiled_f32 : NULL;
  m->nolder++;
  if (made) m->compiled = made;
  if (made_f32) m->compiled_f32 = made_f32;
  m->base.version++;
  return true;
}

static void free_compiled(Model *self) {
  for (int i = 0; i < self->nolder; i++) {
    ap_compiled_free(self->older[i]);
    ap_compiled_free_f32(self->older_f32[i]);
  }
  ap_compiled_free(self->compiled);
  ap_compiled_free_f32(self->compiled_f32);
  free(self->older);
  free(self->older_f32);
}

static void model_dealloc(PyObject *object) {
  Model *self = (Model *)object;
  PyTypeObject *type = Py_TYPE(object);
  for (slot *s = self->idle, *next; s; s = next) {
    next = s->next;
    free_slot(s);
  }
  free_compiled(self);
  settings_free(&self->base);
  ap_model_free(self->made);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyObject *inertial_parameters(PyObject *object, PyObject *none) {
  (void)none;
  Model *m = (Model *)object;
  array like = {.name = "q"}, out;
  if (!array_new(&out, &like, (shape){1, {10 * ap_moving_bodies(m->base.model)}}, false))
    return NULL;
  slot *s = take_slot(m, false, false);
  PyObject *result = s ? Py_NewRef(out.object) : PyErr_NoMemory();
  if (s) {
    ap_inertial_parameters(m->base.model, s->work, array_data(&out));
    give_slot(m, s);
  }
  array_release(&out);
  return result;
}

static PyObject *isa(PyObject *object, void *none) {
  (void)none;
  Model *m = (Model *)object;
  slot *s = take_slot(m, false, false);
  if (!s) return PyErr_NoMemory();
  PyObject *text = PyUnicode_FromString(ap_work_isa(s->work));
  give_slot(m, s);
  return text;
}

// ---- what it contains --------------------------------------------------------------------------

static PyObject *get_size(PyObject *object, void *which) {
  const ap_model *m = ((Model *)object)->base.model;
  int (*size)(const ap_model *) = *(int (*const *)(const ap_model *))which;
  return PyLong_FromLong(size(m));
}

static PyObject *get_name(PyObject *object, void *none) {
  (void)none;
  return PyUnicode_FromString(ap_model_name(((Model *)object)->base.model));
}

// Where the joint of each body is in q and v: tuples (q, nq, v, nv) by the number of the body.
static PyObject *joint_places(PyObject *object, PyObject *none) {
  (void)none;
  const ap_model *m = ((Model *)object)->base.model;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < ap_nbody(m); i++) {
    PyObject *item = Py_BuildValue("(iiii)", ap_joint_q(m, i), ap_joint_nq(m, i), ap_joint_v(m, i),
                                   ap_joint_nv(m, i));
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *frame_names(PyObject *object, PyObject *none) {
  (void)none;
  const ap_model *m = ((Model *)object)->base.model;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < ap_nframe(m); i++) {
    PyObject *name = PyUnicode_FromString(ap_frame_name(m, i));
    if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

static PyObject *neutral(PyObject *object, PyObject *none) {
  (void)none;
  const ap_model *m = ((Model *)object)->base.model;
  array like = {.name = "q"}, out;
  if (!array_new(&out, &like, (shape){1, {ap_nq(m)}}, false)) return NULL;
  ap_neutral(m, array_data(&out));
  PyObject *result = Py_NewRef(out.object);
  array_release(&out);
  return result;
}

// ---- the type ----------------------------------------------------------------------------------

static PyMethodDef methods[64] = {
    {"inertial_parameters", inertial_parameters, METH_NOARGS,
     "inertial_parameters($self)\n--\n\nTen for each moving body, in the order of regressor(): kg, "
     "kg m, kg m2."},
    {"neutral", neutral, METH_NOARGS,
     "neutral($self)\n--\n\nA configuration: zeros, or the limit nearest to zero, and no "
     "rotation."},
    {"_joint_places", joint_places, METH_NOARGS, NULL},
    {"_frame_names", frame_names, METH_NOARGS, NULL},
};

static int (*const sizes[])(const ap_model *) = {ap_nq, ap_nv, ap_nbody, ap_nframe};

bool add_model_type(PyObject *module) {
  prepare_quantities();
  append_methods(methods, settings_methods);
  append_methods(methods, quantity_methods);
  append_methods(methods, motion_methods);
  append_methods(methods, code_methods);
  static PyGetSetDef properties[16] = {
      {"nq", get_size, NULL, "Number of coordinates.", (void *)&sizes[0]},
      {"nv", get_size, NULL, "Number of velocities: the degrees of freedom.", (void *)&sizes[1]},
      {"nbody", get_size, NULL, "Number of links, the ground included.", (void *)&sizes[2]},
      {"nframe", get_size, NULL, "Number of frames: links first.", (void *)&sizes[3]},
      {"name", get_name, NULL, "The robot's name.", NULL},
      {"isa", isa, NULL, "The instruction set of its kernels.", NULL},
      {NULL, NULL, NULL, NULL, NULL}};
  append_properties(properties, settings_properties);
  static PyType_Slot slots[] = {{Py_tp_new, model_new},
                                {Py_tp_dealloc, model_dealloc},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, properties},
                                {Py_tp_doc, "A robot, ready to compute with."},
                                {0, NULL}};
  static PyType_Spec spec = {"appell._core.Model", sizeof(Model), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  model_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return model_type && PyModule_AddObjectRef(module, "Model", (PyObject *)model_type) == 0;
}
