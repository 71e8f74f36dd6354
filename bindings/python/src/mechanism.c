// SPDX-License-Identifier: Apache-2.0
// Mechanism: a robot with closed chains in its independent coordinates.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "threads.h"

// Work of one thread.
typedef struct place {
  struct place *next;
  unsigned long version;
  ap_loop *loop;
} place;

typedef struct Mechanism {
  Base base;
  ap_mechanism *mechanism;
  place *idle;
  char *branch; // NULL: its own
} Mechanism;

static PyTypeObject *mechanism_type;

static place *take_place(Mechanism *m) {
  place *p = m->idle;
  if (p) {
    m->idle = p->next;
  } else {
    p = calloc(1, sizeof *p);
    if (p && !(p->loop = ap_loop_make(m->mechanism))) {
      free(p);
      p = NULL;
    }
    if (!p) return NULL;
  }
  if (p->version != m->base.version) settings_apply(&m->base, ap_loop_work(p->loop));
  p->version = m->base.version;
  return p;
}

static void give_place(Mechanism *m, place *p) {
  p->next = m->idle;
  m->idle = p;
}

// ---- quantities --------------------------------------------------------------------------------

typedef ap_status kernel(const ap_mechanism *m, ap_loop *l, const double *const *in,
                         double *const *out);

#define KERNEL(name)                                                                \
  static ap_status name(const ap_mechanism *m, ap_loop *l, const double *const *in, \
                        double *const *out)

KERNEL(inverse_dynamics) { return ap_loop_inverse_dynamics(m, l, in[0], in[1], in[2], out[0]); }
KERNEL(forward_dynamics) { return ap_loop_forward_dynamics(m, l, in[0], in[1], in[2], out[0]); }
KERNEL(inverse_dynamics_derivatives) {
  return ap_loop_inverse_dynamics_derivatives(m, l, in[0], in[1], in[2], out[0], out[1], out[2]);
}
KERNEL(forward_dynamics_derivatives) {
  return ap_loop_forward_dynamics_derivatives(m, l, in[0], in[1], in[2], out[0], out[1], out[2]);
}
KERNEL(forces) { return ap_loop_forces(m, l, in[0], in[1], in[2], out[0]); }
KERNEL(inertia) { return ap_loop_inertia_matrix(m, l, in[0], out[0]); }
KERNEL(coriolis) { return ap_loop_coriolis_matrix(m, l, in[0], in[1], out[0]); }
KERNEL(gravity) { return ap_loop_gravity_forces(m, l, in[0], out[0]); }
KERNEL(kinetic_energy) { return ap_loop_energy(m, l, in[0], in[1], out[0], NULL); }
KERNEL(potential_energy) {
  double v[1024] = {0}; // the kinetic energy is not asked for
  return ap_mechanism_n(m) <= 1024 ? ap_loop_energy(m, l, in[0], v, NULL, out[0]) : AP_E_ARG;
}
KERNEL(configuration) {
  ap_status status = ap_loop_place(m, l, in[0], NULL);
  if (status == AP_OK)
    memcpy(out[0], ap_loop_configuration(l), (size_t)ap_nq(ap_mechanism_tree(m)) * sizeof(double));
  return status;
}
KERNEL(tree_velocity) { return ap_loop_velocity(m, l, in[0], in[1], out[0]); }
KERNEL(tree_acceleration) { return ap_loop_acceleration(m, l, in[0], in[1], in[2], out[0]); }
KERNEL(actuator_map) { return ap_loop_actuator_map(m, l, in[0], out[0]); }
KERNEL(distances) {
  ap_singularity near;
  ap_status status = ap_loop_singularity(m, l, in[0], &near);
  out[0][0] = near.serial;
  out[0][1] = near.parallel;
  return status == AP_E_SINGULAR_SERIAL || status == AP_E_SINGULAR_PARALLEL ? AP_OK : status;
}

// Letters: q v a of the coordinates [n], t of the actuators [nact], M [n, n], A [nact, n], B [n,
// nact], s a number, x and w configuration and rates of the tree, 2 two numbers.
typedef struct quantity {
  const char *name, *in, *out;
  kernel *compute;
} quantity;

#define EACH(X)                                 \
  X(inverse_dynamics, "qva", "t")               \
  X(forward_dynamics, "qvt", "q")               \
  X(forces, "qva", "q")                         \
  X(inertia, "q", "M")                          \
  X(coriolis, "qv", "M")                        \
  X(gravity, "q", "q")                          \
  X(kinetic_energy, "qv", "s")                  \
  X(potential_energy, "q", "s")                 \
  X(configuration, "q", "x")                    \
  X(tree_velocity, "qv", "w")                   \
  X(tree_acceleration, "qva", "w")              \
  X(actuator_map, "q", "A")                     \
  X(distances, "q", "2")                        \
  X(inverse_dynamics_derivatives, "qva", "AAA") \
  X(forward_dynamics_derivatives, "qvt", "MMB")

enum {
#define NUMBER(name, in, out) QUANTITY_##name,
  EACH(NUMBER) QUANTITIES
};
static const quantity quantities[QUANTITIES] = {
#define ROW(name, in, out) {#name, in, out, name},
    EACH(ROW)};

static shape shape_of(const ap_mechanism *m, char letter) {
  int n = ap_mechanism_n(m), nact = ap_mechanism_nact(m);
  const ap_model *tree = ap_mechanism_tree(m);
  switch (letter) {
    case 't': return (shape){1, {nact}};
    case 'M': return (shape){2, {n, n}};
    case 'A': return (shape){2, {nact, n}};
    case 'B': return (shape){2, {n, nact}};
    case 's': return (shape){0, {0}};
    case 'x': return (shape){1, {ap_nq(tree)}};
    case 'w': return (shape){1, {ap_nv(tree)}};
    case '2': return (shape){1, {2}};
    default: return (shape){1, {n}};
  }
}

static PyObject *refuse(ap_status status, size_t k, size_t n, bool many) {
  char text[160];
  snprintf(text, sizeof text, "%s", ap_status_text(status));
  if (many) snprintf(text, sizeof text, "%s: state %zu of %zu", ap_status_text(status), k, n);
  return raise_status(status, NULL, 0, text);
}

// Each state from the branch, whatever the one before it was.
static ap_status compute_rows(const Mechanism *m, place *p, const quantity *q, const call *c,
                              const size_t *in_width, const size_t *out_width, size_t n, size_t *at,
                              long_work *work) {
  const double *in[MOST_INPUTS];
  double *out[MOST_OUTPUTS];
  for (size_t k = 0; k < n && long_work_goes_on(work); k++) {
    for (int i = 0; i < c->inputs; i++)
      in[i] = (const double *)array_data(&c->in[i]) + k * in_width[i];
    for (int i = 0; i < c->outputs; i++)
      out[i] = (double *)array_data(&c->out[i]) + k * out_width[i];
    ap_status status = ap_loop_begin(m->mechanism, p->loop, m->branch, in[0]);
    if (status == AP_OK) status = q->compute(m->mechanism, p->loop, in, out);
    *at = k;
    if (status != AP_OK) return status;
  }
  return AP_OK;
}

static bool read_mechanism_call(const Mechanism *m, const quantity *q, call *c, PyObject **value,
                                int inputs, const char *const *name, size_t *in_width,
                                size_t *out_width) {
  shape in[MOST_INPUTS], out[MOST_OUTPUTS];
  for (int i = 0; i < inputs; i++) {
    in[i] = shape_of(m->mechanism, q->in[i]);
    in_width[i] = (size_t)shape_entries(in[i]);
  }
  int outputs = (int)strlen(q->out);
  for (int i = 0; i < outputs; i++) {
    out[i] = shape_of(m->mechanism, q->out[i]);
    out_width[i] = (size_t)shape_entries(out[i]);
  }
  if (!call_inputs(c, inputs, value, name, in) || !call_outputs(c, value[inputs], outputs, out))
    return false;
  if (c->in[0].single || (c->columns && c->in[0].leading > 0)) {
    PyErr_Format(PyExc_TypeError, "%s() of a mechanism takes float64, row by row", q->name);
    return false;
  }
  return true;
}

static PyObject *call_quantity(PyObject *self, int number, PyObject *const *args, Py_ssize_t nargs,
                               PyObject *keywords) {
  Mechanism *m = (Mechanism *)self;
  const quantity *q = &quantities[number];
  const char *name[MOST_INPUTS + 2];
  PyObject *value[MOST_INPUTS + 2], *result = NULL;
  int inputs = 0;
  for (; q->in[inputs]; inputs++) name[inputs] = input_name(q->in[inputs]);
  name[inputs] = "out";
  name[inputs + 1] = NULL;
  call c = {0};
  size_t in_width[MOST_INPUTS], out_width[MOST_OUTPUTS], at = 0;
  if (sort_arguments(q->name, name, inputs, inputs, args, nargs, keywords, value) &&
      read_mechanism_call(m, q, &c, value, inputs, name, in_width, out_width)) {
    size_t n = array_states(&c.in[0]);
    place *p = take_place(m);
    ap_status status = AP_E_MEMORY;
    bool good = true;
    if (p) {
      long_work work = {0};
      long_work_begin(&work);
      status = compute_rows(m, p, q, &c, in_width, out_width, n, &at, &work);
      good = long_work_end(&work);
      give_place(m, p);
    }
    if (good)
      result = status == AP_OK ? call_result(&c) : refuse(status, at, n, c.in[0].leading > 0);
  }
  call_end(&c);
  return result;
}

#define METHOD(name, in, out)                                                             \
  static PyObject *method_##name(PyObject *self, PyObject *const *args, Py_ssize_t nargs, \
                                 PyObject *keywords) {                                    \
    return call_quantity(self, QUANTITY_##name, args, nargs, keywords);                   \
  }
EACH(METHOD)

// ---- the type ----------------------------------------------------------------------------------

static PyObject *mechanism_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  PyObject *robot;
  if ((keywords && PyDict_Size(keywords)) || !PyArg_ParseTuple(args, "O!", robot_type, &robot)) {
    PyErr_Clear();
    PyErr_SetString(PyExc_TypeError, "make a mechanism with appell.load()");
    return NULL;
  }
  Robot *r = (Robot *)robot;
  ap_mechanism *made = NULL;
  ap_error error;
  if (ap_mechanism_make(r->robot, &made, &error) != AP_OK) {
    PyObject *own = NULL;
    raise_error(&error, r->file == Py_None ? NULL : read_path(r->file, &own));
    Py_XDECREF(own);
    return NULL;
  }
  allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Mechanism *self = (Mechanism *)alloc(type, 0);
  if (!self) {
    ap_mechanism_free(made);
    return NULL;
  }
  self->mechanism = made;
  settings_init(&self->base, r, ap_mechanism_tree(made));
  return (PyObject *)self;
}

static void mechanism_dealloc(PyObject *object) {
  Mechanism *self = (Mechanism *)object;
  PyTypeObject *type = Py_TYPE(object);
  for (place *p = self->idle, *next; p; p = next) {
    next = p->next;
    ap_loop_free(p->loop);
    free(p);
  }
  settings_free(&self->base);
  ap_mechanism_free(self->mechanism);
  free(self->branch);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyObject *get_name(PyObject *object, void *none) {
  (void)none;
  return PyUnicode_FromString(ap_mechanism_name(((Mechanism *)object)->mechanism));
}

static PyObject *get_count(PyObject *object, void *which) {
  int (*count)(const ap_mechanism *) = *(int (*const *)(const ap_mechanism *))which;
  return PyLong_FromLong(count(((Mechanism *)object)->mechanism));
}

static PyObject *list_of(PyObject *object, int count,
                         const char *(*name)(const ap_mechanism *, int)) {
  const ap_mechanism *m = ((Mechanism *)object)->mechanism;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < count; i++) {
    PyObject *text = PyUnicode_FromString(name(m, i));
    if (!text || PyList_Append(list, text) < 0) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  return list;
}

static const char *coordinate_name(const ap_mechanism *m, int i) {
  return ap_mechanism_coordinate(m, i)->name;
}
static const char *branch_name(const ap_mechanism *m, int i) {
  return ap_mechanism_branch(m, i)->name;
}

static PyObject *get_coordinates(PyObject *object, void *none) {
  (void)none;
  return list_of(object, ap_mechanism_n(((Mechanism *)object)->mechanism), coordinate_name);
}
static PyObject *get_actuators(PyObject *object, void *none) {
  (void)none;
  return list_of(object, ap_mechanism_nact(((Mechanism *)object)->mechanism),
                 ap_mechanism_actuator_name);
}
static PyObject *get_branches(PyObject *object, void *none) {
  (void)none;
  return list_of(object, ap_mechanism_nbranch(((Mechanism *)object)->mechanism), branch_name);
}

static PyObject *get_branch(PyObject *object, void *none) {
  (void)none;
  const char *branch = ((Mechanism *)object)->branch;
  return branch ? PyUnicode_FromString(branch) : Py_NewRef(Py_None);
}

static int set_branch(PyObject *object, PyObject *value, void *none) {
  (void)none;
  Mechanism *m = (Mechanism *)object;
  const char *name = value && value != Py_None ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
  if (value && value != Py_None && !name) return -1;
  if (name && !ap_mechanism_find_branch(m->mechanism, name)) {
    PyErr_Format(PyExc_KeyError, "%s has no branch %R", ap_mechanism_name(m->mechanism), value);
    return -1;
  }
  char *copy = name ? strdup(name) : NULL;
  if (name && !copy) return PyErr_NoMemory(), -1;
  free(m->branch);
  m->branch = copy;
  return 0;
}

#define ENTRY(name, arguments, about)                                                 \
  {                                                                                   \
#name, (PyCFunction)(void (*)(void))method_##name, METH_FASTCALL | METH_KEYWORDS, \
        #name "($self, " arguments ", *, out=None)\n--\n\n" about                     \
  }

static PyMethodDef methods[40] = {
    ENTRY(inverse_dynamics, "q, v, a",
          "Forces of the actuators that give the acceleration a, (nact,), N m or N."),
    ENTRY(forward_dynamics, "q, v, tau",
          "The acceleration that the actuators' forces tau cause, (n,), rad/s2 or m/s2."),
    ENTRY(inverse_dynamics_derivatives, "q, v, a",
          "The derivatives (dtau_dq, dtau_dv, dtau_da), (nact, n) each; SI units."),
    ENTRY(forward_dynamics_derivatives, "q, v, tau",
          "The derivatives (da_dq, da_dv, da_dtau), (n, n) twice and (n, nact); SI units."),
    ENTRY(forces, "q, v, a", "Forces on the coordinates: M a + C v + G, (n,), N m or N."),
    ENTRY(inertia, "q", "The inertia matrix M of the coordinates, (n, n), kg m2 or kg."),
    ENTRY(coriolis, "q, v", "The Coriolis matrix C of the coordinates, (n, n), N m s or N s."),
    ENTRY(gravity, "q", "The forces of gravity G on the coordinates, (n,), N m or N."),
    ENTRY(kinetic_energy, "q, v", "Kinetic energy, J."),
    ENTRY(potential_energy, "q", "Potential energy of gravity and springs, J."),
    ENTRY(configuration, "q", "The configuration of all joints that closes it at q, rad or m."),
    ENTRY(tree_velocity, "q, v", "The velocities of all joints, rad/s or m/s."),
    ENTRY(tree_acceleration, "q, v, a", "The accelerations of all joints, rad/s2 or m/s2."),
    ENTRY(actuator_map, "q", "The matrix J, (nact, n), with rates of the actuators J v."),
    ENTRY(distances, "q",
          "Distances to a serial and to a parallel singularity: 0 at one, dimensionless."),
};

static int (*const counts[])(const ap_mechanism *) = {ap_mechanism_n, ap_mechanism_nact};

bool add_mechanism_type(PyObject *module) {
  append_methods(methods, settings_methods);
  static PyGetSetDef properties[16] = {
      {"n", get_count, NULL, "Number of independent coordinates.", (void *)&counts[0]},
      {"nact", get_count, NULL, "Number of actuators.", (void *)&counts[1]},
      {"name", get_name, NULL, "The mechanism's name.", NULL},
      {"coordinates", get_coordinates, NULL, "Names of the coordinates, in the order of q.", NULL},
      {"actuators", get_actuators, NULL, "Joints that are driven, in the order of tau.", NULL},
      {"branches", get_branches, NULL, "Names of the ways to assemble it.", NULL},
      {"branch", get_branch, set_branch, "The way that is used; None: its own.", NULL},
  };
  append_properties(properties, settings_properties);
  static PyType_Slot slots[] = {{Py_tp_new, mechanism_new},
                                {Py_tp_dealloc, mechanism_dealloc},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, properties},
                                {Py_tp_doc, "A robot with closed chains."},
                                {0, NULL}};
  static PyType_Spec spec = {"appell._core.Mechanism", sizeof(Mechanism), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  mechanism_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return mechanism_type &&
         PyModule_AddObjectRef(module, "Mechanism", (PyObject *)mechanism_type) == 0;
}
