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
  const ap_model *model = m->model;
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

static void to_single(const double *x, float *y, int n) {
  for (int i = 0; i < n; i++) y[i] = (float)x[i];
}

static void apply_f32(const Model *m, ap_work_f32 *w) {
  float gravity[3], com[3], inertia[6];
  to_single(m->gravity, gravity, 3);
  ap_set_gravity_f32(m->model, w, gravity);
  ap_set_friction_f32(m->model, w, m->friction);
  ap_reset_inertia_f32(m->model, w);
  for (int i = 0; i < m->nchange; i++) {
    const change *c = &m->changes[i];
    to_single(c->com, com, 3);
    to_single(c->inertia, inertia, 6);
    (c->payload ? ap_set_payload_f32 : ap_set_inertia_f32)(m->model, w, c->body, (float)c->mass,
                                                           com, inertia);
  }
  ap_work_use_f32(m->model, w, m->compiled_f32 ? ap_compiled_functions_f32(m->compiled_f32) : NULL);
}

static void apply(const Model *m, ap_work *w) {
  ap_set_gravity(m->model, w, m->gravity);
  ap_set_friction(m->model, w, m->friction);
  ap_reset_inertia(m->model, w);
  for (int i = 0; i < m->nchange; i++) {
    const change *c = &m->changes[i];
    (c->payload ? ap_set_payload : ap_set_inertia)(m->model, w, c->body, c->mass, c->com,
                                                   c->inertia);
  }
  ap_work_use(m->model, w, m->compiled ? ap_compiled_functions(m->compiled) : NULL);
}

static void apply_settings(const Model *m, slot *s) {
  if (s->work) apply(m, s->work);
  if (s->work_f32) apply_f32(m, s->work_f32);
  if (s->batch) ap_batch_use_settings(m->model, s->batch, s->work);
  if (s->batch_f32) ap_batch_use_settings_f32(m->model, s->batch_f32, s->work_f32);
  s->version = m->version;
}

slot *take_slot(Model *m, bool single, bool batch) {
  slot *s = m->idle;
  if (s)
    m->idle = s->next;
  else if (!(s = calloc(1, sizeof *s)))
    return NULL;
  bool fresh = s->version != m->version;
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

// ---- names -------------------------------------------------------------------------------------

static int read_name(const Model *m, PyObject *from, const char *what,
                     int (*find)(const ap_model *, const char *), int count) {
  if (PyUnicode_Check(from)) {
    const char *name = PyUnicode_AsUTF8AndSize(from, NULL);
    int i = name ? find(m->model, name) : -1;
    if (name && i < 0)
      PyErr_Format(PyExc_KeyError, "%s has no %s %R", ap_model_name(m->model), what, from);
    return i;
  }
  long i = PyLong_AsLong(from);
  if (i == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s must be a name or a number, not %R", what, from);
    return -1;
  }
  if (i >= 0 && i < count) return (int)i;
  PyErr_Format(PyExc_IndexError, "%s %ld is not 0 to %d", what, i, count - 1);
  return -1;
}

int read_frame(const Model *m, PyObject *from) {
  return read_name(m, from, "frame", ap_find_frame, ap_nframe(m->model));
}

int read_body(const Model *m, PyObject *from) {
  return read_name(m, from, "link", ap_find_body, ap_nbody(m->model));
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
  self->robot = (Robot *)Py_NewRef(robot);
  self->model = made;
  self->version = 1;
  memcpy(self->gravity, ap_gravity(made), sizeof self->gravity);
  return (PyObject *)self;
}

static void free_compiled(Model *self) {
  ap_compiled_free(self->compiled);
  ap_compiled_free_f32(self->compiled_f32);
  self->compiled = NULL;
  self->compiled_f32 = NULL;
}

static void model_dealloc(PyObject *object) {
  Model *self = (Model *)object;
  PyTypeObject *type = Py_TYPE(object);
  for (slot *s = self->idle, *next; s; s = next) {
    next = s->next;
    free_slot(s);
  }
  free_compiled(self);
  free(self->changes);
  ap_model_free(self->model);
  Py_XDECREF((PyObject *)self->robot);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

// ---- settings ----------------------------------------------------------------------------------

static PyObject *get_gravity(PyObject *object, void *none) {
  (void)none;
  const double *g = ((Model *)object)->gravity;
  return Py_BuildValue("(ddd)", g[0], g[1], g[2]);
}

static int set_gravity(PyObject *object, PyObject *value, void *none) {
  (void)none;
  Model *m = (Model *)object;
  double gravity[3];
  if (!value) return PyErr_SetString(PyExc_AttributeError, "gravity cannot be deleted"), -1;
  if (!read_numbers(value, "gravity", 3, gravity)) return -1;
  memcpy(m->gravity, gravity, sizeof gravity);
  m->version++;
  return 0;
}

static PyObject *get_friction(PyObject *object, void *none) {
  (void)none;
  return PyBool_FromLong(((Model *)object)->friction);
}

static int set_friction(PyObject *object, PyObject *value, void *none) {
  (void)none;
  if (!value) return PyErr_SetString(PyExc_AttributeError, "friction cannot be deleted"), -1;
  int on = PyObject_IsTrue(value);
  if (on < 0) return -1;
  ((Model *)object)->friction = on;
  ((Model *)object)->version++;
  return 0;
}

// The place of a change of this body among the changes; behind the last where there is none.
static int find_change(const Model *m, bool payload, int body) {
  int i = 0;
  while (i < m->nchange && (m->changes[i].payload != payload || m->changes[i].body != body)) i++;
  return i;
}

// The library refuses what is no body's inertia; its work is asked before the change is kept.
static bool accepted(Model *m, const change *c) {
  slot *s = take_slot(m, false, false);
  if (!s) return PyErr_NoMemory(), false;
  ap_status status = (c->payload ? ap_set_payload : ap_set_inertia)(m->model, s->work, c->body,
                                                                    c->mass, c->com, c->inertia);
  s->version = 0;
  give_slot(m, s);
  if (status == AP_OK) return true;
  raise_status(status, NULL, 0,
               "mass, com and inertia are those of no body: the mass is negative, or a principal "
               "moment is");
  return false;
}

static PyObject *change_inertia(PyObject *object, bool payload, PyObject *args, PyObject *keywords) {
  static char *names[] = {"link", "mass", "com", "inertia", NULL};
  Model *m = (Model *)object;
  change c = {.payload = payload};
  PyObject *link, *com = NULL, *inertia = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "Od|OO", names, &link, &c.mass, &com, &inertia))
    return NULL;
  if ((c.body = read_body(m, link)) < 0 || (com && !read_numbers(com, "com", 3, c.com)) ||
      (inertia && !read_numbers(inertia, "inertia", 6, c.inertia)))
    return NULL;
  if (c.body == 0) return PyErr_SetString(PyExc_ValueError, "the ground has no inertia"), NULL;
  if (!accepted(m, &c)) return NULL;
  int i = find_change(m, payload, c.body);
  if (i == m->nchange) {
    change *grown = realloc(m->changes, (size_t)(i + 1) * sizeof *grown);
    if (!grown) return PyErr_NoMemory();
    m->changes = grown;
    m->nchange++;
  }
  m->changes[i] = c;
  m->version++;
  Py_RETURN_NONE;
}

static PyObject *set_payload(PyObject *object, PyObject *args, PyObject *keywords) {
  return change_inertia(object, true, args, keywords);
}

static PyObject *set_inertia(PyObject *object, PyObject *args, PyObject *keywords) {
  return change_inertia(object, false, args, keywords);
}

static PyObject *reset_inertia(PyObject *object, PyObject *none) {
  (void)none;
  Model *m = (Model *)object;
  m->nchange = 0;
  m->version++;
  Py_RETURN_NONE;
}

static PyObject *inertial_parameters(PyObject *object, PyObject *none) {
  (void)none;
  Model *m = (Model *)object;
  array like = {.name = "q"}, out;
  if (!array_new(&out, &like, (shape){1, {10 * ap_moving_bodies(m->model)}}, false)) return NULL;
  slot *s = take_slot(m, false, false);
  PyObject *result = s ? Py_NewRef(out.object) : PyErr_NoMemory();
  if (s) {
    ap_inertial_parameters(m->model, s->work, array_data(&out));
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
  const ap_model *m = ((Model *)object)->model;
  int (*size)(const ap_model *) = *(int (*const *)(const ap_model *))which;
  return PyLong_FromLong(size(m));
}

static PyObject *get_name(PyObject *object, void *none) {
  (void)none;
  return PyUnicode_FromString(ap_model_name(((Model *)object)->model));
}

static PyObject *get_robot(PyObject *object, void *none) {
  (void)none;
  return Py_NewRef((PyObject *)((Model *)object)->robot);
}

// Where the joint of each body is in q and v: tuples (q, nq, v, nv) by the number of the body.
static PyObject *joint_places(PyObject *object, PyObject *none) {
  (void)none;
  const ap_model *m = ((Model *)object)->model;
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
  const ap_model *m = ((Model *)object)->model;
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
  const ap_model *m = ((Model *)object)->model;
  array like = {.name = "q"}, out;
  if (!array_new(&out, &like, (shape){1, {ap_nq(m)}}, false)) return NULL;
  ap_neutral(m, array_data(&out));
  PyObject *result = Py_NewRef(out.object);
  array_release(&out);
  return result;
}

// ---- the type ----------------------------------------------------------------------------------

static PyMethodDef methods[64] = {
    {"set_payload", (PyCFunction)(void (*)(void))set_payload, METH_VARARGS | METH_KEYWORDS,
     "set_payload($self, link, mass, com=(0, 0, 0), inertia=(0, 0, 0, 0, 0, 0))\n--\n\n"
     "Hang a payload on a link, besides its own mass; a later call replaces it, mass 0 takes it "
     "off.\n\nmass: kg\ncom: its centre of mass in the link frame, m\ninertia: xx xy xz yy yz zz "
     "about com, kg m2"},
    {"set_inertia", (PyCFunction)(void (*)(void))set_inertia, METH_VARARGS | METH_KEYWORDS,
     "set_inertia($self, link, mass, com=(0, 0, 0), inertia=(0, 0, 0, 0, 0, 0))\n--\n\n"
     "Replace mass, centre of mass and inertia of a link."},
    {"reset_inertia", reset_inertia, METH_NOARGS,
     "reset_inertia($self)\n--\n\nUndo every set_inertia() and set_payload()."},
    {"inertial_parameters", inertial_parameters, METH_NOARGS,
     "inertial_parameters($self)\n--\n\nTen for each moving body, in the order of regressor()."},
    {"neutral", neutral, METH_NOARGS,
     "neutral($self)\n--\n\nA configuration: zeros, or the limit nearest to zero, and no rotation."},
    {"_joint_places", joint_places, METH_NOARGS, NULL},
    {"_frame_names", frame_names, METH_NOARGS, NULL},
};

static int (*const sizes[])(const ap_model *) = {ap_nq, ap_nv, ap_nbody, ap_nframe};

bool add_model_type(PyObject *module) {
  int n = 0;
  while (methods[n].ml_name) n++;
  for (int i = 0; quantity_methods[i].ml_name; i++) methods[n++] = quantity_methods[i];
  static PyGetSetDef properties[] = {
      {"nq", get_size, NULL, "Number of coordinates.", (void *)&sizes[0]},
      {"nv", get_size, NULL, "Number of velocities: the degrees of freedom.", (void *)&sizes[1]},
      {"nbody", get_size, NULL, "Number of links, the ground included.", (void *)&sizes[2]},
      {"nframe", get_size, NULL, "Number of frames: links first.", (void *)&sizes[3]},
      {"name", get_name, NULL, "The robot's name.", NULL},
      {"robot", get_robot, NULL, "What its file says.", NULL},
      {"gravity_vector", get_gravity, set_gravity, "Gravity in the ground frame, m/s2.", NULL},
      {"friction", get_friction, set_friction,
       "Whether joint friction and rotor inertia take part; False until set.", NULL},
      {"isa", isa, NULL, "The instruction set of its kernels.", NULL},
      {NULL, NULL, NULL, NULL, NULL}};
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
