// SPDX-License-Identifier: Apache-2.0
// Methods of Model that move it: rollouts and inverse kinematics.
#include <math.h>
#include <stdio.h>
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

// Steps of states between two looks for signals, of so many states.
enum { ROLLED_AT_ONCE = 20000, ROLLED_TOGETHER = 4096 };

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

static ap_status roll_block(const void *context, slot *s, bool single, ap_states block,
                            long_work *work) {
  return single ? roll_f32(context, s->batch_f32, block, work)
                : roll_f64(context, s->batch, block, work);
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
  ap_status status;
  PyObject *result = NULL;
  if (compute_in_threads(m, c->in[0].single, all, ROLLED_TOGETHER, roll_block, &r, &status))
    result =
        status == AP_OK ? roll_result(c, &r, record) : refuse_states(c, model, status, r.status);
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

// Of each pose: reached (1) or not (0), iterations, errors of position and orientation.
enum { FOUND_REACHED, FOUND_ITERATIONS, FOUND_POSITION, FOUND_ORIENTATION, FOUND };

typedef struct ik {
  const ap_model *model;
  int frame;
  ap_ik_options options;
  array R, start;    // held where given
  const double *p;   // [n, 3]
  double *q, *found; // [n, nq], [n, FOUND]
  ap_status *status; // [n]
} ik;

static bool read_ik_options(const Base *b, PyObject **value, ik *k) {
  k->options = ap_default_ik();
  long iterations = k->options.iterations;
  if ((k->frame = read_frame(b, value[IK_FRAME])) < 0 ||
      (value[IK_TOLERANCE] &&
       !read_number(value[IK_TOLERANCE], "tolerance", &k->options.tolerance)) ||
      (value[IK_ITERATIONS] && !read_count(value[IK_ITERATIONS], "iterations", &iterations)))
    return false;
  k->options.iterations = (int)iterations;
  if (value[IK_LIMITS]) k->options.respect_limits = PyObject_IsTrue(value[IK_LIMITS]);
  if (k->options.tolerance > 0 && iterations > 0) return true;
  PyErr_SetString(PyExc_ValueError, "tolerance and iterations must be above 0");
  return false;
}

// A start within the limits: neutral, or the limit nearest to it.
static void start_within_limits(const ap_model *m, double *q) {
  ap_neutral(m, q);
  for (int i = 1; i < ap_nbody(m); i++) {
    const ap_body_def *b = ap_body(m, i);
    if (ap_joint_nq(m, i) != 1) continue;
    double *x = &q[ap_joint_q(m, i)];
    *x = fmin(fmax(*x, b->lower), b->upper);
  }
}

// An argument beside p: one for each pose or, where that is allowed, one for all.
static bool beside_poses(array *a, const array *p, bool one_for_all, const char *shape_of_one) {
  if (!a->single && a->rows && (a->leading == p->leading || (one_for_all && a->leading == 0)) &&
      (a->leading == 0 || array_states(a) == array_states(p)))
    return true;
  PyErr_Format(PyExc_ValueError, "%s must be %s of float64 for each pose%s, row by row", a->name,
               shape_of_one, one_for_all ? ", or one for all" : "");
  return false;
}

static bool read_poses(ik *k, call *c, PyObject **value) {
  shape three = {1, {3}}, nine = {2, {3, 3}}, nq = {1, {ap_nq(k->model)}};
  const shape results[2] = {nq, {1, {FOUND}}};
  PyObject *rotation = value[IK_ROTATION], *start = value[IK_START];
  static const char *const name[] = {"p"};
  if (!call_inputs(c, 1, &value[IK_POSITION], name, &three)) return false;
  if (c->in[0].single || !c->in[0].rows)
    return PyErr_SetString(PyExc_ValueError, "p must be float64, row by row"), false;
  if (!call_outputs(c, NULL, 2, results)) return false;
  k->p = array_data(&c->in[0]);
  k->q = array_data(&c->out[0]);
  k->found = array_data(&c->out[1]);
  k->options.position_only = !rotation || rotation == Py_None;
  if (!k->options.position_only && (!array_of(&k->R, rotation, "R", nine, false) ||
                                    !beside_poses(&k->R, &c->in[0], false, "(3, 3)")))
    return false;
  if (!start || start == Py_None) return true;
  return array_of(&k->start, start, "q0", nq, false) &&
         beside_poses(&k->start, &c->in[0], true, "(nq,)");
}

// Configurations to begin with, where the results go.
static void begin_poses(const ik *k, size_t n) {
  size_t nq = (size_t)ap_nq(k->model);
  const double *given = k->start.object ? array_data(&k->start) : NULL;
  for (size_t i = 0; i < n; i++) {
    if (given)
      memcpy(k->q + i * nq, given + (k->start.leading ? i * nq : 0), nq * sizeof *given);
    else
      start_within_limits(k->model, k->q + i * nq);
  }
}

static ap_status reach_block(const void *context, slot *s, bool single, ap_states block,
                             long_work *work) {
  (void)single;
  const ik *k = context;
  const double *R = k->options.position_only ? NULL : array_data(&k->R);
  ap_status worst = AP_OK;
  for (size_t i = block.first; i < block.last && long_work_goes_on(work); i++) {
    ap_ik_result at = {0};
    ap_status status =
        ap_inverse_kinematics(k->model, s->work, k->frame, R ? R + 9 * i : NULL, k->p + 3 * i,
                              &k->options, k->q + i * (size_t)ap_nq(k->model), &at);
    double *found = k->found + i * FOUND;
    found[FOUND_REACHED] = status == AP_OK;
    found[FOUND_ITERATIONS] = at.iterations;
    found[FOUND_POSITION] = at.position_error;
    found[FOUND_ORIENTATION] = at.orientation_error;
    if (status == AP_E_UNREACHABLE || status == AP_E_NO_CONVERGENCE) status = AP_OK;
    k->status[i] = status;
    if (status != AP_OK) worst = status;
  }
  return worst;
}

// What the library did not take of the first pose that it refused.
static PyObject *refuse_pose(const ik *k, const call *c, size_t n) {
  size_t i = 0;
  while (i < n && k->status[i] != AP_E_ARG) i++;
  if (i == n) return raise_status(AP_E_MEMORY, NULL, 0, "");
  const double *R = k->options.position_only ? NULL : (double *)array_data(&k->R) + 9 * i;
  const double *p = k->p + 3 * i, *q = k->q + i * (size_t)ap_nq(k->model);
  bool p_good = isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]), q_good = true;
  for (int j = 0; j < ap_nq(k->model); j++) q_good = q_good && isfinite(q[j]);
  const char *wrong =
      !p_good   ? "p has numbers that are not finite"
      : !q_good ? "q0 has numbers that are not finite"
      : R ? "R is no rotation matrix (orthonormal, determinant 1), or a quaternion of q0 is zero"
          : "a quaternion of q0 is zero (neutral() has 0 0 0 1)";
  char text[160];
  snprintf(text, sizeof text, "%s", wrong);
  if (c->in[0].leading > 0) snprintf(text, sizeof text, "%s: pose %zu of %zu", wrong, i, n);
  return raise_status(AP_E_ARG, NULL, 0, text);
}

static PyObject *reach(Model *m, ik *k, call *c, PyObject **value) {
  if (!read_ik_options(&m->base, value, k) || !read_poses(k, c, value)) return NULL;
  size_t n = array_states(&c->in[0]);
  if (!(k->status = calloc(n + 1, sizeof *k->status))) return PyErr_NoMemory();
  begin_poses(k, n);
  ap_status status = AP_OK;
  if (n > 0 && !compute_in_threads(m, false, ap_all_states(n, AP_ROWS), n, reach_block, k, &status))
    return NULL;
  return status == AP_OK ? call_result(c) : refuse_pose(k, c, n);
}

static PyObject *inverse_kinematics(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                    PyObject *keywords) {
  PyObject *value[IK_ARGUMENTS], *result = NULL;
  call c = {0};
  ik k = {.model = ((Model *)self)->base.model};
  if (sort_arguments("inverse_kinematics", ik_names, 4, 2, args, nargs, keywords, value))
    result = reach((Model *)self, &k, &c, value);
  array_release(&k.R);
  array_release(&k.start);
  free(k.status);
  call_end(&c);
  return result;
}

const PyMethodDef motion_methods[] = {
    {"rollout", (PyCFunction)(void (*)(void))rollout, METH_FASTCALL | METH_KEYWORDS,
     "rollout($self, q, v, *, dt, steps, tau=None, kp=None, kd=None, target_q=None, target_v=None, "
     "integrator='euler', every=0)\n--\n\n"
     "Move states through time, without contacts: SIMD lanes and threads.\n\n"
     "dt: length of a step, s\nsteps: how many\ntau: constant joint forces, like v, N m or N\n"
     "kp, kd: (nv,) stiffness and damping of a controller that pulls to target_q and target_v, "
     "N m/rad or N/m, N m s/rad or N s/m\n"
     "integrator: 'euler' (semi-implicit) or 'rk4'\n"
     "every: record after so many steps, again and again\n"
     "Returns (q, v) at the end, or with every the records, (times, ..., nq) and (times, ..., "
     "nv)."},
    {"_inverse_kinematics", (PyCFunction)(void (*)(void))inverse_kinematics,
     METH_FASTCALL | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL}};
