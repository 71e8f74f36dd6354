// SPDX-License-Identifier: Apache-2.0
// Methods of Model that move it: rollouts and inverse kinematics.
#include <math.h>
#include <string.h>

#include "call.h"
#include "threads.h"

// ---- rollouts ----------------------------------------------------------------------------------

typedef struct rolling {
  const ap_model *model;
  ap_integrator integrator;
  double dt;
  long steps, every;
  const void *tau, *kp, *kd, *target_q, *target_v;
  void *q, *v, *record_q, *record_v;
  ap_status *status;
} rolling;

#define R          double
#define F(name)    name
#define NAME(name) name##_f64
#define BATCH      ap_batch
#define ROLLOUT    ap_rollout
#include "rollout.inc"
#undef R
#undef F
#undef NAME
#undef BATCH
#undef ROLLOUT
#define R          float
#define F(name)    name##_f32
#define NAME(name) name##_f32
#define BATCH      ap_batch_f32
#define ROLLOUT    ap_rollout_f32
#include "rollout.inc"
#undef R
#undef F
#undef NAME
#undef BATCH
#undef ROLLOUT

static ap_status roll_part(const void *context, slot *s, bool single, ap_states part) {
  return single ? roll_f32(context, s->batch_f32, part) : roll_f64(context, s->batch, part);
}

// An optional argument: over states like q and v, or [nv] for all of them.
static bool optional_array(call *c, array *a, PyObject *from, const char *name, shape s,
                           bool over_states, const void **data) {
  *data = NULL;
  if (!from || from == Py_None) return true;
  if (!array_of(a, from, name, s, false)) return false;
  const array *q = &c->in[0];
  bool fits = a->single == q->single && a->leading == (over_states ? q->leading : 0) &&
              array_states(a) == (over_states ? array_states(q) : 1) &&
              (c->columns && over_states ? a->columns : a->rows);
  if (!fits)
    PyErr_Format(PyExc_ValueError, "%s must have the dtype%s of q", name,
                 over_states ? ", the states and the order in memory" : "");
  *data = array_data(a);
  return fits;
}

static bool read_integrator(PyObject *from, ap_integrator *integrator) {
  *integrator = AP_SEMI_IMPLICIT_EULER;
  if (!from) return true;
  if (PyUnicode_Check(from) && PyUnicode_CompareWithASCIIString(from, "euler") == 0) return true;
  *integrator = AP_RK4;
  if (PyUnicode_Check(from) && PyUnicode_CompareWithASCIIString(from, "rk4") == 0) return true;
  PyErr_Format(PyExc_ValueError, "integrator must be 'euler' (semi-implicit) or 'rk4', not %R",
               from);
  return false;
}

static bool read_count(PyObject *from, const char *what, long *count) {
  *count = from ? PyLong_AsLong(from) : 0;
  if (PyErr_Occurred()) return false;
  if (*count >= 0 && *count <= 1000000000) return true;
  PyErr_Format(PyExc_ValueError, "%s must be 0 to a billion, not %R", what, from);
  return false;
}

// Final states begin as copies of the given ones.
static void copy_states(const call *c, rolling *r) {
  r->q = array_data(&c->out[0]);
  r->v = array_data(&c->out[1]);
  memcpy(r->q, array_data(&c->in[0]), (size_t)c->in[0].view.len);
  memcpy(r->v, array_data(&c->in[1]), (size_t)c->in[1].view.len);
}

// Arrays for records: an axis of times before those of q and v.
static bool make_records(const call *c, rolling *r, array record[2], const shape *s) {
  if (r->every == 0) return true;
  long times = r->steps / r->every;
  for (int i = 0; i < 2; i++) {
    Py_ssize_t length[MOST_AXES + 1] = {times};
    array like = c->in[i];
    like.view.shape = length;
    like.leading = c->in[i].leading + 1;
    for (int k = 0; k < c->in[i].leading; k++) length[k + 1] = c->in[i].view.shape[k];
    if (!array_new(&record[i], &like, s[i], false)) return false;
  }
  r->record_q = array_data(&record[0]);
  r->record_v = array_data(&record[1]);
  return true;
}

enum {
  ROLL_Q,
  ROLL_V,
  ROLL_DT,
  ROLL_STEPS,
  ROLL_TAU,
  ROLL_KP,
  ROLL_KD,
  ROLL_TQ,
  ROLL_TV,
  ROLL_INTEGRATOR,
  ROLL_EVERY,
  ROLL_ARGUMENTS
};
static const char *const roll_names[] = {"q",  "v",        "dt",       "steps",      "tau",   "kp",
                                         "kd", "target_q", "target_v", "integrator", "every", NULL};

static PyObject *roll_result(const call *c, const rolling *r, const array record[2]) {
  if (r->every == 0) return call_result(c);
  return Py_BuildValue("(OO)", record[0].object, record[1].object);
}

static PyObject *roll(Model *m, call *c, PyObject **value, array extra[5], array record[2]) {
  const ap_model *model = m->base.model;
  const shape s[2] = {{1, {ap_nq(model)}}, {1, {ap_nv(model)}}};
  rolling r = {.model = model};
  if (!read_number(value[ROLL_DT], "dt", &r.dt) ||
      !read_count(value[ROLL_STEPS], "steps", &r.steps) ||
      !read_count(value[ROLL_EVERY], "every", &r.every) ||
      !read_integrator(value[ROLL_INTEGRATOR], &r.integrator) ||
      !call_inputs(c, 2, value, roll_names, s) || !call_outputs(c, NULL, 2, s) ||
      !optional_array(c, &extra[0], value[ROLL_TAU], "tau", s[1], true, &r.tau) ||
      !optional_array(c, &extra[1], value[ROLL_KP], "kp", s[1], false, &r.kp) ||
      !optional_array(c, &extra[2], value[ROLL_KD], "kd", s[1], false, &r.kd) ||
      !optional_array(c, &extra[3], value[ROLL_TQ], "target_q", s[0], true, &r.target_q) ||
      !optional_array(c, &extra[4], value[ROLL_TV], "target_v", s[1], true, &r.target_v))
    return NULL;
  if ((r.kp == NULL) != (r.target_q == NULL))
    return PyErr_SetString(PyExc_ValueError, "kp and target_q go together: give both or neither"),
           NULL;
  if (r.every > 0 && c->columns)
    return PyErr_SetString(PyExc_ValueError,
                           "states are recorded row by row: give q in that order"),
           NULL;
  if (!make_records(c, &r, record, s)) return NULL;
  copy_states(c, &r);
  size_t n = array_states(&c->in[0]);
  if (!(r.status = calloc(n + 1, sizeof *r.status))) return PyErr_NoMemory();
  ap_states all = ap_all_states(n, c->columns ? AP_COLUMNS : AP_ROWS);
  ap_status status = compute_in_threads(m, c->in[0].single, all, roll_part, &r);
  PyObject *result =
      status == AP_OK ? roll_result(c, &r, record) : refuse_states(status, r.status, n);
  free(r.status);
  return result;
}

static PyObject *rollout(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                         PyObject *keywords) {
  PyObject *value[ROLL_ARGUMENTS], *result = NULL;
  call c = {0};
  array extra[5] = {{0}}, record[2] = {{0}};
  if (sort_arguments("rollout", roll_names, 2, 4, args, nargs, keywords, value))
    result = roll((Model *)self, &c, value, extra, record);
  for (int i = 0; i < 5; i++) array_release(&extra[i]);
  for (int i = 0; i < 2; i++) array_release(&record[i]);
  call_end(&c);
  return result;
}

// ---- inverse kinematics ------------------------------------------------------------------------

enum {
  IK_FRAME,
  IK_POSITION,
  IK_ROTATION,
  IK_START,
  IK_TOLERANCE,
  IK_ITERATIONS,
  IK_LIMITS,
  IK_ARGUMENTS
};
static const char *const ik_names[] = {"frame",          "p", "R", "q0", "tolerance", "iterations",
                                       "respect_limits", NULL};

typedef struct ik {
  int frame;
  double p[3], R[9];
  ap_ik_options options;
} ik;

static bool read_ik(const Base *b, PyObject **value, ik *k) {
  k->options = ap_default_ik();
  if ((k->frame = read_frame(b, value[IK_FRAME])) < 0 ||
      !read_numbers(value[IK_POSITION], "p", 3, k->p))
    return false;
  PyObject *rotation = value[IK_ROTATION];
  k->options.position_only = !rotation || rotation == Py_None;
  if (!k->options.position_only) {
    array a;
    if (!array_of(&a, rotation, "R", (shape){2, {3, 3}}, false)) return false;
    bool good = a.leading == 0 && !a.single;
    if (good) memcpy(k->R, array_data(&a), sizeof k->R);
    array_release(&a);
    if (!good) return PyErr_SetString(PyExc_ValueError, "R must be (3, 3) of float64"), false;
  }
  if (value[IK_TOLERANCE] && !read_number(value[IK_TOLERANCE], "tolerance", &k->options.tolerance))
    return false;
  long iterations = k->options.iterations;
  if (value[IK_ITERATIONS] && !read_count(value[IK_ITERATIONS], "iterations", &iterations))
    return false;
  k->options.iterations = (int)iterations;
  if (value[IK_LIMITS]) k->options.respect_limits = PyObject_IsTrue(value[IK_LIMITS]);
  return true;
}

// Neutral, or the limit nearest to it.
static void start_within_limits(const ap_model *m, double *q) {
  ap_neutral(m, q);
  for (int i = 1; i < ap_nbody(m); i++) {
    const ap_body_def *b = ap_body(m, i);
    if (ap_joint_nq(m, i) != 1) continue;
    double *x = &q[ap_joint_q(m, i)];
    *x = fmin(fmax(*x, b->lower), b->upper);
  }
}

static PyObject *inverse_kinematics(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                    PyObject *keywords) {
  Model *m = (Model *)self;
  const ap_model *model = m->base.model;
  PyObject *value[IK_ARGUMENTS], *result = NULL;
  ik k;
  if (!sort_arguments("inverse_kinematics", ik_names, 4, 2, args, nargs, keywords, value) ||
      !read_ik(&m->base, value, &k))
    return NULL;
  shape s = {1, {ap_nq(model)}};
  array like = {.name = "q"}, q, start = {0};
  if (!array_new(&q, &like, s, false)) return NULL;
  start_within_limits(model, array_data(&q));
  bool good = true;
  if (value[IK_START] && value[IK_START] != Py_None) {
    good = array_of(&start, value[IK_START], "q0", s, false);
    if (good && (start.leading > 0 || start.single)) {
      PyErr_SetString(PyExc_ValueError, "q0 must be (nq,) of float64");
      good = false;
    }
    if (good) memcpy(array_data(&q), array_data(&start), (size_t)start.view.len);
  }
  slot *place = good ? take_slot(m, false, false) : NULL;
  if (good && !place) PyErr_NoMemory();
  if (place) {
    ap_ik_result found;
    ap_status status =
        ap_inverse_kinematics(model, place->work, k.frame, k.options.position_only ? NULL : k.R,
                              k.p, &k.options, array_data(&q), &found);
    give_slot(m, place);
    if (status == AP_OK || status == AP_E_UNREACHABLE || status == AP_E_NO_CONVERGENCE)
      result = Py_BuildValue("(OOidd)", q.object, status == AP_OK ? Py_True : Py_False,
                             found.iterations, found.position_error, found.orientation_error);
    else
      raise_status(
          status, NULL, 0,
          "R must be a rotation matrix, p, q0, tolerance and iterations finite and above 0");
  }
  array_release(&start);
  array_release(&q);
  return result;
}

const PyMethodDef motion_methods[] = {
    {"rollout", (PyCFunction)(void (*)(void))rollout, METH_FASTCALL | METH_KEYWORDS,
     "rollout($self, q, v, *, dt, steps, tau=None, kp=None, kd=None, target_q=None, target_v=None, "
     "integrator='euler', every=0)\n--\n\n"
     "Move states through time, without contacts: SIMD lanes and threads.\n\n"
     "dt: length of a step, s\nsteps: how many\ntau: constant joint forces, like v\n"
     "kp, kd: (nv,) stiffness and damping of a controller that pulls to target_q and target_v\n"
     "integrator: 'euler' (semi-implicit) or 'rk4'\n"
     "every: record after so many steps, again and again\n"
     "Returns (q, v) at the end, or with every the records, (times, ..., nq) and (times, ..., "
     "nv)."},
    {"_inverse_kinematics", (PyCFunction)(void (*)(void))inverse_kinematics,
     METH_FASTCALL | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL}};
