// SPDX-License-Identifier: Apache-2.0
// FeedForward: compensation of gravity, motion and friction, and the observer of what pushes.
#include <appell/feed_forward.h>
#include <string.h>

#include "call.h"

typedef struct FeedForward {
  PyObject_HEAD Model *model;
  void *memory;
  ap_feed_forward *f;
} FeedForward;

static PyTypeObject *type;

static PyObject *make(PyTypeObject *of, PyObject *args, PyObject *keywords) {
  PyObject *model;
  ap_feed_forward_def def = ap_default_feed_forward();
  int friction = true;
  static char *names[] = {"model", "friction", "period", "smooth", "bandwidth", NULL};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!pddd", names, model_type, &model, &friction,
                                   &def.period, &def.smooth, &def.bandwidth))
    return NULL;
  Model *m = (Model *)model;
  def.model = m->base.model;
  def.friction = friction;
  size_t size = ap_feed_forward_size(def.model);
  void *memory = malloc(size);
  ap_error error;
  ap_feed_forward *f = memory ? ap_feed_forward_init(&def, memory, size, &error) : NULL;
  allocfunc alloc = (allocfunc)PyType_GetSlot(of, Py_tp_alloc);
  FeedForward *self = f ? (FeedForward *)alloc(of, 0) : NULL;
  if (!self) {
    free(memory);
    return memory && !f ? raise_error(&error, NULL) : PyErr_NoMemory();
  }
  self->model = (Model *)Py_NewRef(model);
  self->memory = memory;
  self->f = f;
  settings_apply(&m->base, ap_feed_forward_work(f));
  ap_set_friction(def.model, ap_feed_forward_work(f), false); // compensated apart, without a jump
  return (PyObject *)self;
}

static void dealloc(PyObject *object) {
  FeedForward *self = (FeedForward *)object;
  PyTypeObject *of = Py_TYPE(object);
  free(self->memory);
  Py_XDECREF((PyObject *)self->model);
  freefunc release = (freefunc)PyType_GetSlot(of, Py_tp_free);
  release(object);
  Py_DECREF(of);
}

static PyObject *set_payload(PyObject *object, PyObject *args, PyObject *keywords) {
  FeedForward *self = (FeedForward *)object;
  change c = {.payload = true};
  if (!read_change(&self->model->base, args, keywords, &c) ||
      refuse_change(ap_set_payload(self->model->base.model, ap_feed_forward_work(self->f), c.body,
                                   c.mass, c.com, c.inertia)))
    return NULL;
  Py_RETURN_NONE;
}

static PyObject *set_friction(PyObject *object, PyObject *args) {
  int j;
  double viscous, coulomb;
  if (!PyArg_ParseTuple(args, "idd", &j, &viscous, &coulomb)) return NULL;
  ap_status status = ap_feed_forward_set_friction(((FeedForward *)object)->f, j, viscous, coulomb);
  if (status != AP_OK)
    return raise_status(status, NULL, 0, "friction must be finite and not negative");
  Py_RETURN_NONE;
}

// Inputs of one state in float64; what is None or missing stays NULL.
static bool read_state(call *c, const FeedForward *self, const char *const *names, int n,
                       PyObject *const *value, const double **x) {
  const ap_model *m = self->model->base.model;
  for (int i = 0; i < n; i++) {
    x[i] = NULL;
    if (!value[i] || value[i] == Py_None) continue;
    array *a = &c->in[c->inputs];
    shape s = {1, {i == 0 ? ap_nq(m) : ap_nv(m)}};
    if (!array_of(a, value[i], names[i], s, false)) return false;
    c->inputs++;
    if (a->leading > 0 || a->single) {
      PyErr_Format(PyExc_ValueError, "%s must be one state of float64", names[i]);
      return false;
    }
    x[i] = array_data(a);
  }
  return true;
}

typedef void compute(ap_feed_forward *f, const double *const *x, double *out);

static void compute_torque(ap_feed_forward *f, const double *const *x, double *out) {
  ap_feed_forward_torque(f, x[0], x[1], x[2], x[3], out);
}

static void compute_external(ap_feed_forward *f, const double *const *x, double *out) {
  ap_feed_forward_observe(f, x[0], x[1], x[2], out);
}

static PyObject *step(PyObject *object, const char *name, const char *const *names, int n,
                      int needed, compute *f, PyObject *const *args, Py_ssize_t nargs,
                      PyObject *keywords) {
  FeedForward *self = (FeedForward *)object;
  PyObject *value[6], *result = NULL;
  const double *x[5];
  call c; // its arrays are not zeroed, which would take a while
  c.in_place = false;
  c.inputs = c.outputs = 0;
  shape s = {1, {ap_nv(self->model->base.model)}};
  if (sort_arguments(name, names, n, needed, args, nargs, keywords, value) &&
      read_state(&c, self, names, n, value, x) && call_outputs(&c, value[n], 1, &s)) {
    f(self->f, x, array_data(&c.out[0]));
    result = call_result(&c);
  }
  call_end(&c);
  return result;
}

static PyObject *torque(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kw) {
  static const char *const names[] = {"q", "v", "v_d", "a_d", "out", NULL};
  return step(self, "torque", names, 4, 2, compute_torque, args, nargs, kw);
}

static PyObject *observe(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kw) {
  static const char *const names[] = {"q", "v", "tau", "out", NULL};
  return step(self, "observe", names, 3, 3, compute_external, args, nargs, kw);
}

static PyObject *reset(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kw) {
  static const char *const names[] = {"q", "v", NULL};
  FeedForward *self = (FeedForward *)object;
  PyObject *value[2];
  const double *x[2];
  call c = {0};
  bool read = sort_arguments("reset", names, 2, 2, args, nargs, kw, value) &&
              read_state(&c, self, names, 2, value, x);
  if (read) ap_feed_forward_reset(self->f, x[0], x[1]);
  call_end(&c);
  if (!read) return NULL;
  Py_RETURN_NONE;
}

bool add_feed_forward_type(PyObject *module) {
  static PyMethodDef methods[] = {
      {"torque", (PyCFunction)(void (*)(void))torque, METH_FASTCALL | METH_KEYWORDS,
       "torque($self, q, v, v_d=None, a_d=None, *, out=None)\n--\n\n"
       "Joint forces that hold the state (q, v), or give the acceleration a_d: (nv,), N m or N.\n\n"
       "v_d: the desired velocity, which friction follows, rad/s or m/s; None: v\n"
       "a_d: the desired acceleration, rad/s2 or m/s2; None: zero"},
      {"observe", (PyCFunction)(void (*)(void))observe, METH_FASTCALL | METH_KEYWORDS,
       "observe($self, q, v, tau, *, out=None)\n--\n\n"
       "Once in a period: the external joint forces, from the state now and the forces tau that "
       "the "
       "motors exerted since the last call: (nv,), N m or N."},
      {"reset", (PyCFunction)(void (*)(void))reset, METH_FASTCALL | METH_KEYWORDS,
       "reset($self, q, v)\n--\n\nForget the past of the observer."},
      {"set_payload", (PyCFunction)(void (*)(void))set_payload, METH_VARARGS | METH_KEYWORDS,
       "set_payload($self, link, mass, com=(0, 0, 0), inertia=(0, 0, 0, 0, 0, 0))\n--\n\n"
       "What hangs on a link besides its own mass; mass 0 takes it off.\n\nmass: kg\ncom: its "
       "centre "
       "of mass in the link frame, m\ninertia: xx xy xz yy yz zz about com, kg m2"},
      {"_set_friction", set_friction, METH_VARARGS, NULL},
      {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {{Py_tp_new, make},
                                {Py_tp_dealloc, dealloc},
                                {Py_tp_methods, methods},
                                {Py_tp_doc, "Feed-forward of a torque-controlled arm."},
                                {0, NULL}};
  static PyType_Spec spec = {"appell._core.FeedForward", sizeof(FeedForward), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  type = (PyTypeObject *)PyType_FromSpec(&spec);
  return type && PyModule_AddObjectRef(module, "FeedForward", (PyObject *)type) == 0;
}
