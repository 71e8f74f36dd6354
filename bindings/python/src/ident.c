// SPDX-License-Identifier: Apache-2.0
// Identification: base parameters, estimation, excitation.
#include "ident.h"

#include <math.h>
#include <string.h>

#include "threads.h"

PyObject *bytes_of_numbers(const double *x, size_t n) {
  return PyBytes_FromStringAndSize((const char *)x, (Py_ssize_t)(n * sizeof *x));
}

static PyObject *names_of(const ap_ident *ident, const char *(*name)(const ap_ident *, int)) {
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < ap_ident_count(ident); i++) {
    PyObject *text = PyUnicode_FromString(name(ident, i));
    if (!text || PyList_Append(list, text) < 0) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  return list;
}

static ap_status begin(const Model *m, const ap_ident_options *look_for, ap_base_method method,
                       ap_ident **ident, ap_base **base, ap_error *error) {
  ap_status status = ap_ident_create(m->base.model, look_for, ident, error);
  return status == AP_OK ? ap_base_find(*ident, method, base, error) : status;
}

ap_ident_options look_for(int flags) {
  return (ap_ident_options){.rotor = flags & 1,
                            .viscous = flags & 2,
                            .coulomb = flags & 4,
                            .offset = flags & 8,
                            .stiffness = flags & 16,
                            .held_base = flags & 32,
                            .partial = flags & 64,
                            .asymmetric = flags & 128,
                            .load = flags & 256};
}

// ---- base parameters ---------------------------------------------------------------------------

static PyObject *factors_of(const ap_ident *ident, const ap_base *base) {
  int n = ap_base_count(base), np = ap_ident_count(ident);
  double *factor = malloc((size_t)n * (size_t)np * sizeof *factor + 1);
  if (!factor) return PyErr_NoMemory();
  for (int k = 0; k < n; k++)
    for (int i = 0; i < np; i++)
      factor[(size_t)k * (size_t)np + (size_t)i] = ap_base_factor(base, k, i);
  PyObject *bytes = bytes_of_numbers(factor, (size_t)n * (size_t)np);
  free(factor);
  return bytes;
}

static PyObject *texts_of(const ap_ident *ident, const ap_base *base) {
  PyObject *list = PyList_New(0);
  char text[4096];
  for (int k = 0; list && k < ap_base_count(base); k++) {
    ap_base_text(ident, base, k, text, sizeof text);
    PyObject *item = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static bool put_nominal(PyObject *d, const ap_ident *ident) {
  size_t np = (size_t)ap_ident_count(ident);
  double *p = malloc(np * sizeof *p + 1);
  if (!p) return PyErr_NoMemory(), false;
  ap_ident_nominal(ident, p);
  bool done = put(d, "nominal", bytes_of_numbers(p, np));
  free(p);
  return done;
}

bool put_base(PyObject *d, const ap_ident *ident, const ap_base *base) {
  double kept, dropped;
  ap_base_gap(base, &kept, &dropped);
  return put(d, "names", names_of(ident, ap_ident_name)) &&
         put(d, "units", names_of(ident, ap_ident_unit)) && put_nominal(d, ident) &&
         put(d, "texts", texts_of(ident, base)) && put(d, "factors", factors_of(ident, base)) &&
         put(d, "gap", Py_BuildValue("(dd)", kept, dropped));
}

// base_parameters(model, look_for, svd)
static PyObject *base_parameters(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *model;
  int flags, svd;
  if (!PyArg_ParseTuple(args, "O!ip", model_type, &model, &flags, &svd)) return NULL;
  ap_ident_options wanted = look_for(flags);
  ap_ident *ident = NULL;
  ap_base *base = NULL;
  ap_error error;
  ap_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = begin((Model *)model, &wanted, svd ? AP_BASE_SVD : AP_BASE_QR, &ident, &base, &error);
  Py_END_ALLOW_THREADS;
  PyObject *d = NULL;
  if (status != AP_OK)
    raise_error(&error, NULL);
  else if ((d = PyDict_New()) && !put_base(d, ident, base))
    Py_CLEAR(d);
  ap_base_free(base);
  ap_ident_free(ident);
  return d;
}

// ---- excitation --------------------------------------------------------------------------------

// Samples of a trajectory: t, then q, v and a of each, as bytes.
static PyObject *samples_of(const ap_traj *traj, double rate, int *rows) {
  int n = ap_traj_n(traj);
  double count = ap_traj_duration(traj) * rate;
  if (!(count < 1e8)) return PyErr_SetString(PyExc_ValueError, "too many samples"), NULL;
  *rows = (int)(count + 1e-9) + 1;
  size_t width = 1 + 3 * (size_t)n;
  double *x = malloc((size_t)*rows * width * sizeof *x);
  if (!x) return PyErr_NoMemory();
  for (int i = 0; i < *rows; i++) {
    double *row = x + (size_t)i * width;
    row[0] = i / rate;
    ap_traj_at(traj, row[0], row + 1, row + 1 + n, row + 1 + 2 * n);
  }
  PyObject *bytes = bytes_of_numbers(x, (size_t)*rows * width);
  free(x);
  return bytes;
}

static bool go_on_searching(void *context, int done) {
  (void)done;
  return long_work_goes_on(context);
}

// Arrays of excite() as bytes of doubles, nv each or empty: none.
static const double *doubles_of(const Py_buffer *bytes) {
  return bytes->len > 0 ? bytes->buf : NULL;
}

// What excite() keeps clear of; NULL, with AP_OK, where it is nothing.
static ap_status make_clearance(const Model *m, const char *meshes, double radius,
                                ap_clearance_def *def, ap_clearance **made, ap_error *error) {
  ap_capsule *capsules = NULL;
  *made = NULL;
  if (!def->self && def->floor == -INFINITY && def->frame < 0) return AP_OK;
  ap_status status = ap_robot_capsules(m->base.robot->robot, m->base.model, meshes, radius,
                                       &capsules, &def->ncapsules, error);
  def->capsules = capsules;
  if (status == AP_OK) status = ap_clearance_create(m->base.model, def, made, error);
  free(capsules);
  return status;
}

// excite(model, look_for, harmonics, period, velocity, acceleration, range, margin, evaluations,
// seed, rate, lower, upper, velocity_scale, acceleration_scale, self, floor, frame, box, distance,
// radius, meshes): (samples, rows, criterion, condition, torque_use, spare, distances, excited)
static PyObject *excite(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *model;
  ap_excite_options o = ap_default_excite();
  ap_clearance_def def = ap_default_clearance();
  Py_buffer x[4] = {{0}};
  int flags, self;
  double rate, radius, *box = def.box;
  const char *meshes;
  if (!PyArg_ParseTuple(args, "O!iidddddiIdy*y*y*y*pdi(dddddd)ddz", model_type, &model, &flags,
                        &o.harmonics, &o.period, &o.velocity, &o.acceleration, &o.range, &o.margin,
                        &o.evaluations, &o.seed, &rate, &x[0], &x[1], &x[2], &x[3], &self,
                        &def.floor, &def.frame, &box[0], &box[1], &box[2], &box[3], &box[4],
                        &box[5], &o.distance, &radius, &meshes))
    return NULL;
  ap_ident_options wanted = look_for(flags);
  ap_ident *ident = NULL;
  ap_base *base = NULL;
  ap_traj *traj = NULL;
  ap_clearance *clearance = NULL;
  ap_excitation found = {0};
  ap_error error;
  ap_status status;
  long_work work = {0};
  o.progress = go_on_searching, o.context = &work;
  o.lower = doubles_of(&x[0]), o.upper = doubles_of(&x[1]);
  o.velocity_scale = doubles_of(&x[2]), o.acceleration_scale = doubles_of(&x[3]);
  def.self = self, def.least = o.distance + 1e-3;
  long_work_begin(&work);
  status = begin((Model *)model, &wanted, AP_BASE_QR, &ident, &base, &error);
  if (status == AP_OK)
    status = make_clearance((Model *)model, meshes, radius, &def, &clearance, &error);
  o.clearance = clearance;
  if (status == AP_OK) status = ap_excite(ident, base, &o, &traj, &found, &error);
  PyObject *result = NULL;
  if (!long_work_end(&work)) {
    // the exception is set
  } else if (status != AP_OK) {
    raise_error(&error, NULL);
  } else {
    int rows = 0;
    PyObject *samples = samples_of(traj, rate, &rows);
    const ap_distances *d = &found.distances;
    if (samples)
      result = Py_BuildValue("(Niddd(ddd)(ddd)i)", samples, rows, found.criterion, found.condition,
                             found.torque_use, found.position_spare, found.velocity_spare,
                             found.acceleration_spare, d->self, d->floor, d->box, found.excited);
  }
  for (int k = 0; k < 4; k++) PyBuffer_Release(&x[k]);
  ap_clearance_free(clearance);
  ap_traj_free(traj);
  ap_base_free(base);
  ap_ident_free(ident);
  return result;
}

const PyMethodDef ident_functions[] = {
    {"base_parameters", base_parameters, METH_VARARGS,
     "base_parameters(model, look_for, svd, /)\n--\n\nFields of BaseParameters."},
    {"identify", identify, METH_VARARGS,
     "identify(model, look_for, method, svd, logs, columns, arrays, prepare, fit, trust, gains, "
     "/)\n--\n\n"
     "Fields of Fit."},
    {"excite", excite, METH_VARARGS,
     "excite(model, look_for, harmonics, period, velocity, acceleration, range, margin, "
     "evaluations, seed, rate, lower, upper, velocity_scale, acceleration_scale, self_, floor, "
     "frame, box, distance, radius, meshes, /)\n--\n\nSamples of a motion and what it is worth."},
    {NULL, NULL, 0, NULL}};
