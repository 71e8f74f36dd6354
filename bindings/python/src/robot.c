// SPDX-License-Identifier: Apache-2.0
// Robot: what a robot file says, or a definition made in Python.
#include <math.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

PyTypeObject *robot_type;

// ---- fields of a body --------------------------------------------------------------------------

typedef struct field {
  const char *name;
  size_t offset;
  int count; // numbers; 0: one that may be infinite; below 0: up to so many, one may be alone
} field;

#define FIELD(name, count) \
  { #name, offsetof(ap_body_def, name), count }
#define PLACE(name, count) \
  { #name, offsetof(ap_body_def, place.name), count }
static const field fields[] = {FIELD(axis, 3),
                               FIELD(mass, 1),
                               FIELD(com, 3),
                               FIELD(inertia, 6),
                               FIELD(inertia_rpy, 3),
                               FIELD(viscous, 1),
                               FIELD(coulomb, 1),
                               FIELD(stiction, 1),
                               FIELD(stiffness, 1),
                               FIELD(rest, -AP_JOINT_NQ),
                               FIELD(gravity_compensation, 1),
                               FIELD(rotor_inertia, 1),
                               FIELD(gear_ratio, 1),
                               FIELD(lower, 0),
                               FIELD(upper, 0),
                               FIELD(velocity_limit, 0),
                               FIELD(effort_limit, 0),
                               FIELD(mimic_ratio, 1),
                               FIELD(mimic_offset, 1),
                               PLACE(xyz, 3),
                               PLACE(rpy, 3),
                               PLACE(matrix, 9),
                               PLACE(alpha, 1),
                               PLACE(a, 1),
                               PLACE(d, 1),
                               PLACE(theta, 1)};
enum { FIELDS = sizeof fields / sizeof *fields };

static const char *const joint_types[] = {"fixed",     "revolute", "prismatic",
                                          "spherical", "planar",   "free"};
static const int coordinates[] = {0, 1, 1, 4, 3, 7}; // of those
static const char *const placements[] = {"rpy", "matrix", "dh-modified", "dh-standard",
                                         "dh-valera"};

static int find_word(PyObject *from, const char *what, const char *const *words, int n) {
  for (int i = 0; i < n && PyUnicode_Check(from); i++)
    if (PyUnicode_CompareWithASCIIString(from, words[i]) == 0) return i;
  char list[120] = "";
  for (int i = 0; i < n; i++)
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s'%s'", i ? ", " : "", words[i]);
  PyErr_Format(PyExc_ValueError, "%s must be one of %s, not %R", what, list, from);
  return -1;
}

// What messages call a field of body n.
enum { FIELD_NAME = 64 };
static const char *field_name(int n, const char *name, char text[FIELD_NAME]) {
  snprintf(text, FIELD_NAME, "bodies[%d].%s", n, name);
  return text;
}

static bool read_field(const field *f, PyObject *from, const char *what, ap_body_def *body) {
  double *to = (double *)((char *)body + f->offset);
  if (f->count > 1) return read_numbers(from, what, f->count, to);
  if (f->count == 1 || (f->count < 0 && !PySequence_Check(from)))
    return read_number(from, what, to);
  Py_ssize_t length = f->count < 0 ? PySequence_Size(from) : 0;
  if (f->count < 0)
    return read_numbers(from, what, length < -f->count ? (int)length : -f->count, to);
  *to = PyFloat_AsDouble(from);
  if (!(*to == -1 && PyErr_Occurred())) return true;
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "%s must be a number, not %R", what, from);
  return false;
}

static bool read_text(PyObject *from, const char *what, const char **text) {
  *text = PyUnicode_Check(from) ? PyUnicode_AsUTF8AndSize(from, NULL) : NULL;
  if (!*text && !PyErr_Occurred())
    PyErr_Format(PyExc_TypeError, "%s must be a text, not %R", what, from);
  return *text;
}

static int body_number(PyObject *from, const char *what, const ap_body_def *bodies, int n) {
  const char *name = PyUnicode_Check(from) ? PyUnicode_AsUTF8AndSize(from, NULL) : NULL;
  for (int i = 0; name && i < n; i++)
    if (strcmp(bodies[i].name, name) == 0) return i + 1;
  if (from == Py_None) return 0;
  PyErr_Format(PyExc_ValueError, "%s must be the name of an earlier body, not %R", what, from);
  return -1;
}

// Body n of a list, from a dictionary of its fields; bodies before it are read already. Texts are
// those of the dictionary, which lives on.
static bool read_body_def(PyObject *from, ap_body_def *bodies, int n) {
  ap_body_def *b = &bodies[n];
  *b = ap_default_body();
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(from, &at, &key, &value)) {
    const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
    if (!name) return false;
    int i = 0, k = 0;
    char text[FIELD_NAME];
    const char *what = field_name(n, name, text);
    while (i < FIELDS && strcmp(fields[i].name, name) != 0) i++;
    if (i < FIELDS) {
      if (!read_field(&fields[i], value, what, b)) return false;
    } else if (strcmp(name, "name") == 0) {
      if (!read_text(value, what, &b->name)) return false;
    } else if (strcmp(name, "joint_name") == 0) {
      if (value != Py_None && !read_text(value, what, &b->joint_name)) return false;
    } else if (strcmp(name, "parent") == 0) {
      if ((b->parent = body_number(value, what, bodies, n)) < 0) return false;
    } else if (strcmp(name, "mimic") == 0) {
      if ((b->mimic = body_number(value, what, bodies, n)) < 0) return false;
    } else if (strcmp(name, "joint") == 0) {
      if ((k = find_word(value, what, joint_types, 6)) < 0) return false;
      b->joint = (ap_joint_type)k;
    } else if (strcmp(name, "place") == 0) {
      if ((k = find_word(value, what, placements, 5)) < 0) return false;
      b->place.kind = (ap_placement_kind)k;
    } else {
      PyErr_Format(PyExc_TypeError, "a body has no field %R", key);
      return false;
    }
  }
  return true;
}

static PyObject *numbers_tuple(const double *x, int n) {
  PyObject *tuple = PyTuple_New(n);
  for (int i = 0; tuple && i < n; i++) {
    PyObject *number = PyFloat_FromDouble(x[i]);
    if (!number || PyTuple_SetItem(tuple, i, number) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject *name_or_none(const char *name) {
  return name ? PyUnicode_FromString(name) : Py_NewRef(Py_None);
}

static PyObject *body_dictionary(const ap_robot_def *def, int i) {
  const ap_body_def *b = &def->bodies[i];
  PyObject *d = PyDict_New();
  bool good = d && put(d, "name", PyUnicode_FromString(b->name)) &&
              put(d, "parent", name_or_none(b->parent ? def->bodies[b->parent - 1].name : NULL)) &&
              put(d, "joint_name", name_or_none(b->joint_name ? b->joint_name : b->name)) &&
              put(d, "joint", PyUnicode_FromString(joint_types[b->joint])) &&
              put(d, "place", PyUnicode_FromString(placements[b->place.kind])) &&
              put(d, "mimic", name_or_none(b->mimic ? def->bodies[b->mimic - 1].name : NULL));
  for (int k = 0; good && k < FIELDS; k++) {
    const double *x = (const double *)((const char *)b + fields[k].offset);
    int count = fields[k].count < 0 ? coordinates[b->joint] : fields[k].count;
    good = put(d, fields[k].name, count > 1 ? numbers_tuple(x, count) : PyFloat_FromDouble(*x));
  }
  if (!good) Py_CLEAR(d);
  return d;
}

// ---- making robots -----------------------------------------------------------------------------

PyObject *new_robot(ap_robot *robot, PyObject *file) {
  allocfunc alloc = (allocfunc)PyType_GetSlot(robot_type, Py_tp_alloc);
  Robot *self = (Robot *)alloc(robot_type, 0);
  if (!self) {
    ap_robot_free(robot);
    return NULL;
  }
  self->robot = robot;
  self->file = Py_NewRef(file);
  return (PyObject *)self;
}

static void robot_dealloc(PyObject *object) {
  Robot *self = (Robot *)object;
  PyTypeObject *type = Py_TYPE(object);
  ap_robot_free(self->robot);
  Py_XDECREF(self->file);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyObject *robot_read(PyObject *none, PyObject *args) {
  (void)none;
  PyObject *path, *own = NULL;
  int floating, ignore_mimic, ignore_loops;
  if (!PyArg_ParseTuple(args, "Oppp", &path, &floating, &ignore_mimic, &ignore_loops)) return NULL;
  const char *file = read_path(path, &own);
  if (!file) return NULL;
  ap_read_options options = {
      .floating = floating, .ignore_mimic = ignore_mimic, .ignore_loops = ignore_loops};
  ap_robot *robot = NULL;
  ap_error error;
  ap_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = ap_robot_read(file, &options, &robot, &error);
  Py_END_ALLOW_THREADS;
  PyObject *made = NULL;
  if (status == AP_OK) {
    PyObject *name = PyUnicode_DecodeFSDefault(file);
    made = name ? new_robot(robot, name) : NULL;
    Py_XDECREF(name);
  } else {
    raise_error(&error, file);
  }
  Py_DECREF(own);
  return made;
}

static PyObject *robot_parse(PyObject *none, PyObject *args) {
  (void)none;
  const char *text, *format;
  Py_ssize_t length;
  int floating, ignore_mimic, ignore_loops;
  if (!PyArg_ParseTuple(args, "s#sppp", &text, &length, &format, &floating, &ignore_mimic,
                        &ignore_loops))
    return NULL;
  ap_read_options options = {
      .floating = floating, .ignore_mimic = ignore_mimic, .ignore_loops = ignore_loops};
  ap_robot *robot = NULL;
  ap_error error;
  if (ap_robot_parse(text, (size_t)length, format, &options, &robot, &error) != AP_OK)
    return raise_error(&error, "<text>");
  return new_robot(robot, Py_None);
}

static PyObject *robot_builtin(PyObject *none, PyObject *args) {
  (void)none;
  const char *name;
  int floating, ignore_mimic, ignore_loops;
  if (!PyArg_ParseTuple(args, "sppp", &name, &floating, &ignore_mimic, &ignore_loops)) return NULL;
  ap_read_options options = {
      .floating = floating, .ignore_mimic = ignore_mimic, .ignore_loops = ignore_loops};
  ap_robot *robot = NULL;
  ap_error error;
  const ap_mechanism_def *mechanism = ap_mechanism_builtin(name);
  ap_status status = mechanism && ignore_loops
                         ? ap_robot_from_definition(mechanism->robot, &robot, &error)
                     : mechanism ? ap_robot_from_mechanism(mechanism, &robot, &error)
                                 : ap_robot_builtin(name, &options, &robot, &error);
  if (status != AP_OK) return raise_error(&error, NULL);
  return new_robot(robot, Py_None);
}

static const char *frame_field(Py_ssize_t n, const char *name, char text[FIELD_NAME]) {
  snprintf(text, FIELD_NAME, "frames[%zd].%s", n, name);
  return text;
}

// Frames as a list of tuples (name, body, xyz, rpy).
static bool read_frames(PyObject *list, const ap_body_def *bodies, int n, ap_frame_def *frames) {
  for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
    PyObject *body, *xyz, *rpy;
    char text[FIELD_NAME];
    ap_frame_def *f = &frames[i];
    if (!PyArg_ParseTuple(PyList_GetItem(list, i), "sOOO", &f->name, &body, &xyz, &rpy) ||
        (f->body = body_number(body, frame_field(i, "body", text), bodies, n)) < 0 ||
        !read_numbers(xyz, frame_field(i, "xyz", text), 3, f->xyz) ||
        !read_numbers(rpy, frame_field(i, "rpy", text), 3, f->rpy))
      return false;
  }
  return true;
}

static PyObject *robot_define(PyObject *none, PyObject *args) {
  (void)none;
  ap_robot_def def = ap_default_robot();
  PyObject *list, *frame_list, *gravity;
  if (!PyArg_ParseTuple(args, "sO!O!O", &def.name, &PyList_Type, &list, &PyList_Type, &frame_list,
                        &gravity) ||
      !read_numbers(gravity, "gravity", 3, def.gravity))
    return NULL;
  Py_ssize_t n = PyList_Size(list), nframe = PyList_Size(frame_list);
  if (n > 1000000 || nframe > 1000000)
    return PyErr_SetString(PyExc_ValueError, "a robot has at most a million bodies"), NULL;
  ap_body_def *bodies = calloc((size_t)n + 1, sizeof *bodies);
  ap_frame_def *frames = calloc((size_t)nframe + 1, sizeof *frames);
  bool good = bodies && frames;
  if (!good) PyErr_NoMemory();
  for (int i = 0; good && i < n; i++) {
    PyObject *item = PyList_GetItem(list, i);
    good = PyDict_Check(item) && read_body_def(item, bodies, i);
    if (good && !bodies[i].name) {
      PyErr_SetString(PyExc_TypeError, "a body needs a name");
      good = false;
    }
  }
  good = good && read_frames(frame_list, bodies, (int)n, frames);
  def.bodies = bodies, def.nbody = (int)n;
  def.frames = frames, def.nframe = (int)nframe;
  ap_robot *robot = NULL;
  ap_error error;
  if (good && ap_robot_from_definition(&def, &robot, &error) != AP_OK) raise_error(&error, NULL);
  free(bodies);
  free(frames);
  return robot ? new_robot(robot, Py_None) : NULL;
}

// ---- methods -----------------------------------------------------------------------------------

static const char *file_of(const Robot *self, PyObject **own) {
  *own = NULL;
  return self->file == Py_None ? NULL : read_path(self->file, own);
}

// lock: a list of tuples (joint, values).
static PyObject *robot_reduce(PyObject *object, PyObject *args) {
  Robot *self = (Robot *)object;
  PyObject *list;
  const char *root, *tip;
  if (!PyArg_ParseTuple(args, "O!zz", &PyList_Type, &list, &root, &tip)) return NULL;
  Py_ssize_t n = PyList_Size(list);
  ap_lock *locks = calloc((size_t)n + 1, sizeof *locks);
  if (!locks) return PyErr_NoMemory();
  ap_reduction_def how = {.locks = locks, .nlock = (int)n, .root = root, .tip = tip};
  bool good = true;
  for (Py_ssize_t i = 0; good && i < n; i++) {
    PyObject *values;
    good = PyArg_ParseTuple(PyList_GetItem(list, i), "sO", &locks[i].joint, &values);
    Py_ssize_t count = good ? PySequence_Size(values) : -1;
    good = count >= 0 && count <= AP_JOINT_NQ;
    if (good) {
      good = read_numbers(values, locks[i].joint, (int)count, locks[i].q);
      locks[i].n = (int)count;
    } else if (!PyErr_Occurred()) {
      PyErr_SetString(PyExc_ValueError, "a joint is locked at one to seven numbers");
    }
  }
  ap_error error;
  if (good && ap_robot_reduce(self->robot, &how, &error) != AP_OK) {
    PyObject *own;
    const char *file = file_of(self, &own);
    raise_error(&error, file);
    Py_XDECREF(own);
    good = false;
  }
  free(locks);
  if (!good) return NULL;
  Py_RETURN_NONE;
}

// What the format of the file has no place for, as a warning; *good ends where one is an exception.
static void warn_of_loss(void *context, const char *text) {
  bool *good = context;
  if (*good && PyErr_WarnEx(PyExc_UserWarning, text, 2) < 0) *good = false;
}

static PyObject *robot_write(PyObject *object, PyObject *path) {
  Robot *self = (Robot *)object;
  PyObject *own;
  const char *file = read_path(path, &own);
  if (!file) return NULL;
  ap_error error;
  ap_status status = ap_robot_write(self->robot, file, &error);
  bool good = status == AP_OK;
  if (!good) raise_error(&error, file);
  if (good) ap_robot_visit_losses(self->robot, file, warn_of_loss, &good, &error);
  Py_DECREF(own);
  if (!good) return NULL;
  Py_RETURN_NONE;
}

static PyObject *robot_text(PyObject *object, PyObject *args) {
  const char *format;
  char *text = NULL;
  ap_error error;
  if (!PyArg_ParseTuple(args, "s", &format)) return NULL;
  if (ap_robot_text(((Robot *)object)->robot, format, &text, &error) != AP_OK)
    return raise_error(&error, NULL);
  PyObject *result = PyUnicode_FromString(text);
  free(text);
  return result;
}

static PyObject *robot_bodies(PyObject *object, PyObject *none) {
  (void)none;
  const ap_robot_def *def = ap_robot_definition(((Robot *)object)->robot);
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < def->nbody; i++) {
    PyObject *body = body_dictionary(def, i);
    if (!body || PyList_Append(list, body) < 0) Py_CLEAR(list);
    Py_XDECREF(body);
  }
  return list;
}

static PyObject *robot_warnings(PyObject *object, PyObject *none) {
  (void)none;
  const ap_robot *robot = ((Robot *)object)->robot;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < ap_robot_warnings(robot); i++) {
    const ap_error *w = ap_robot_warning(robot, i);
    PyObject *item = Py_BuildValue("(is)", w->line, w->text);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *get_name(PyObject *object, void *none) {
  (void)none;
  const char *name = ap_robot_definition(((Robot *)object)->robot)->name;
  return PyUnicode_FromString(name && *name ? name : "robot");
}

static PyObject *get_file(PyObject *object, void *none) {
  (void)none;
  return Py_NewRef(((Robot *)object)->file);
}

static PyObject *get_closed(PyObject *object, void *none) {
  (void)none;
  return PyBool_FromLong(ap_robot_mechanism(((Robot *)object)->robot) != NULL);
}

bool add_robot_type(PyObject *module) {
  static PyMethodDef methods[] = {
      {"read", robot_read, METH_VARARGS | METH_STATIC,
       "read(path, floating, ignore_mimic, ignore_loops, /)\n--\n\nOf a file."},
      {"parse", robot_parse, METH_VARARGS | METH_STATIC,
       "parse(text, format, floating, ignore_mimic, ignore_loops, /)\n--\n\nOf a text."},
      {"builtin", robot_builtin, METH_VARARGS | METH_STATIC,
       "builtin(name, floating, ignore_mimic, ignore_loops, /)\n--\n\nOne that is built in."},
      {"define", robot_define, METH_VARARGS | METH_STATIC,
       "define(name, bodies, frames, gravity, /)\n--\n\nOf bodies and frames."},
      {"reduce", robot_reduce, METH_VARARGS,
       "reduce($self, lock, root, tip, /)\n--\n\nLock joints, cut to a chain."},
      {"write", robot_write, METH_O, "write($self, path, /)\n--\n\nTo a file, by its ending."},
      {"text", robot_text, METH_VARARGS, "text($self, format, /)\n--\n\nWhat write() would write."},
      {"bodies", robot_bodies, METH_NOARGS, "bodies($self)\n--\n\nFields of every body."},
      {"warnings", robot_warnings, METH_NOARGS, "warnings($self)\n--\n\nLine and text of each."},
      {NULL, NULL, 0, NULL}};
  static PyGetSetDef properties[] = {
      {"name", get_name, NULL, "The robot's name.", NULL},
      {"file", get_file, NULL, "Where it was read, or None.", NULL},
      {"closed", get_closed, NULL, "Whether it has closed chains.", NULL},
      {NULL, NULL, NULL, NULL, NULL}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, robot_dealloc},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, properties},
                                {Py_tp_doc, "A robot as a file describes it."},
                                {0, NULL}};
  static PyType_Spec spec = {"appell._core.Robot", sizeof(Robot), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  robot_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return robot_type && PyModule_AddObjectRef(module, "Robot", (PyObject *)robot_type) == 0;
}
