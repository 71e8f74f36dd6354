// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core.h"

void settings_init(Base *b, Robot *robot, const ap_model *model) {
  b->robot = (Robot *)Py_NewRef((PyObject *)robot);
  b->model = model;
  b->version = 1;
  memcpy(b->gravity, ap_gravity(model), sizeof b->gravity);
}

void settings_free(Base *b) {
  free(b->changes);
  Py_XDECREF((PyObject *)b->robot);
}

static void to_single(const double *x, float *y, int n) {
  for (int i = 0; i < n; i++) y[i] = (float)x[i];
}

void settings_apply_f32(const Base *m, ap_work_f32 *w) {
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
}

void settings_apply(const Base *m, ap_work *w) {
  ap_set_gravity(m->model, w, m->gravity);
  ap_set_friction(m->model, w, m->friction);
  ap_reset_inertia(m->model, w);
  for (int i = 0; i < m->nchange; i++) {
    const change *c = &m->changes[i];
    (c->payload ? ap_set_payload : ap_set_inertia)(m->model, w, c->body, c->mass, c->com,
                                                   c->inertia);
  }
}

// ---- names -------------------------------------------------------------------------------------

static int read_name(const Base *m, PyObject *from, const char *what,
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

int read_frame(const Base *m, PyObject *from) {
  return read_name(m, from, "frame", ap_find_frame, ap_nframe(m->model));
}

int read_body(const Base *m, PyObject *from) {
  return read_name(m, from, "link", ap_find_body, ap_nbody(m->model));
}

// ---- settings ----------------------------------------------------------------------------------

static PyObject *get_gravity(PyObject *object, void *none) {
  (void)none;
  const double *g = ((Base *)object)->gravity;
  return Py_BuildValue("(ddd)", g[0], g[1], g[2]);
}

static int set_gravity(PyObject *object, PyObject *value, void *none) {
  (void)none;
  Base *m = (Base *)object;
  double gravity[3];
  if (!value) return PyErr_SetString(PyExc_AttributeError, "gravity_vector cannot be deleted"), -1;
  if (!read_numbers(value, "gravity_vector", 3, gravity)) return -1;
  memcpy(m->gravity, gravity, sizeof gravity);
  m->version++;
  return 0;
}

static PyObject *get_friction(PyObject *object, void *none) {
  (void)none;
  return PyBool_FromLong(((Base *)object)->friction);
}

static int set_friction(PyObject *object, PyObject *value, void *none) {
  (void)none;
  if (!value) return PyErr_SetString(PyExc_AttributeError, "friction cannot be deleted"), -1;
  int on = PyObject_IsTrue(value);
  if (on < 0) return -1;
  ((Base *)object)->friction = on;
  ((Base *)object)->version++;
  return 0;
}

// The place of a change of this body among the changes; behind the last where there is none.
static int find_change(const Base *m, bool payload, int body) {
  int i = 0;
  while (i < m->nchange && (m->changes[i].payload != payload || m->changes[i].body != body)) i++;
  return i;
}

bool refuse_change(ap_status status) {
  if (status == AP_OK) return false;
  raise_status(
      status, NULL, 0,
      "mass, com and inertia are not physically possible: the mass or a principal moment is "
      "negative");
  return true;
}

// The library refuses what is no body's inertia; a work is asked before the change is kept.
static bool accepted(const Base *m, const change *c) {
  size_t size = ap_work_size(m->model);
  void *memory = malloc(size);
  if (!memory) return PyErr_NoMemory(), false;
  ap_status status = (c->payload ? ap_set_payload : ap_set_inertia)(
      m->model, ap_work_init(m->model, memory, size), c->body, c->mass, c->com, c->inertia);
  free(memory);
  return !refuse_change(status);
}

bool read_change(const Base *m, PyObject *args, PyObject *keywords, change *c) {
  static char *names[] = {"link", "mass", "com", "inertia", NULL};
  PyObject *link, *com = NULL, *inertia = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "Od|OO", names, &link, &c->mass, &com,
                                   &inertia) ||
      (c->body = read_body(m, link)) < 0 || (com && !read_numbers(com, "com", 3, c->com)) ||
      (inertia && !read_numbers(inertia, "inertia", 6, c->inertia)))
    return false;
  if (c->body == 0) PyErr_SetString(PyExc_ValueError, "the ground has no inertia");
  return c->body > 0;
}

static PyObject *change_inertia(PyObject *object, bool payload, PyObject *args,
                                PyObject *keywords) {
  Base *m = (Base *)object;
  change c = {.payload = payload};
  if (!read_change(m, args, keywords, &c)) return NULL;
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
  Base *m = (Base *)object;
  m->nchange = 0;
  m->version++;
  Py_RETURN_NONE;
}

// ---- tables ------------------------------------------------------------------------------------

static PyObject *get_robot(PyObject *object, void *none) {
  (void)none;
  return Py_NewRef((PyObject *)((Base *)object)->robot);
}

// Whether masses or gravity are other than the definition's.
static PyObject *is_changed(PyObject *object, void *none) {
  (void)none;
  const Base *b = (Base *)object;
  const double *own = ap_gravity(b->model);
  bool changed = b->nchange > 0;
  for (int i = 0; i < 3; i++) changed = changed || b->gravity[i] != own[i];
  return PyBool_FromLong(changed);
}

// What was set with set_payload() and set_inertia(): tuples (payload, link, mass, com, inertia).
static PyObject *list_changes(PyObject *object, PyObject *none) {
  (void)none;
  const Base *b = (Base *)object;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < b->nchange; i++) {
    const change *c = &b->changes[i];
    const double *com = c->com, *J = c->inertia;
    PyObject *item =
        Py_BuildValue("(Oid(ddd)(dddddd))", c->payload ? Py_True : Py_False, c->body, c->mass,
                      com[0], com[1], com[2], J[0], J[1], J[2], J[3], J[4], J[5]);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

const PyMethodDef settings_methods[] = {
    {"set_payload", (PyCFunction)(void (*)(void))set_payload, METH_VARARGS | METH_KEYWORDS,
     "set_payload($self, link, mass, com=(0, 0, 0), inertia=(0, 0, 0, 0, 0, 0))\n--\n\n"
     "Hang a payload on a link, besides its own mass. A later call for the same link replaces it, "
     "mass 0 takes it off; payloads of different links add up.\n\nmass: kg\ncom: its centre of "
     "mass in the link frame, m\ninertia: xx xy xz yy yz zz "
     "about com, kg m2"},
    {"set_inertia", (PyCFunction)(void (*)(void))set_inertia, METH_VARARGS | METH_KEYWORDS,
     "set_inertia($self, link, mass, com=(0, 0, 0), inertia=(0, 0, 0, 0, 0, 0))\n--\n\n"
     "Replace the inertia of a link.\n\nmass: kg\ncom: centre of mass in the link frame, m\n"
     "inertia: xx xy xz yy yz zz about com, kg m2"},
    {"_changes", list_changes, METH_NOARGS, NULL},
    {"reset_inertia", reset_inertia, METH_NOARGS,
     "reset_inertia($self)\n--\n\nUndo every set_inertia() and set_payload()."},
    {NULL, NULL, 0, NULL}};

const PyGetSetDef settings_properties[] = {
    {"robot", get_robot, NULL, "What its file or its definition says, as appell keeps it.", NULL},
    {"_is_changed", is_changed, NULL, NULL, NULL},
    {"gravity_vector", get_gravity, set_gravity, "Gravity in the ground frame, m/s2.", NULL},
    {"friction", get_friction, set_friction,
     "Whether joint friction and rotor inertia take part; False until set.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

void append_methods(PyMethodDef *to, const PyMethodDef *from) {
  while (to->ml_name) to++;
  while (from->ml_name) *to++ = *from++;
}

void append_properties(PyGetSetDef *to, const PyGetSetDef *from) {
  while (to->name) to++;
  while (from->name) *to++ = *from++;
}
