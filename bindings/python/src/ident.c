// SPDX-License-Identifier: Apache-2.0
// Identification: base parameters, estimation, excitation.
#include <appell/ident.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "threads.h"

static PyObject *numbers(const double *x, size_t n) {
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

static ap_ident_options look_for(int flags) {
  return (ap_ident_options){.rotor = flags & 1,
                            .viscous = flags & 2,
                            .coulomb = flags & 4,
                            .offset = flags & 8,
                            .stiffness = flags & 16};
}

// ---- base parameters ---------------------------------------------------------------------------

static PyObject *factors_of(const ap_ident *ident, const ap_base *base) {
  int n = ap_base_count(base), np = ap_ident_count(ident);
  double *factor = malloc((size_t)n * (size_t)np * sizeof *factor + 1);
  if (!factor) return PyErr_NoMemory();
  for (int k = 0; k < n; k++)
    for (int i = 0; i < np; i++)
      factor[(size_t)k * (size_t)np + (size_t)i] = ap_base_factor(base, k, i);
  PyObject *bytes = numbers(factor, (size_t)n * (size_t)np);
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
  bool done = put(d, "nominal", numbers(p, np));
  free(p);
  return done;
}

static bool put_base(PyObject *d, const ap_ident *ident, const ap_base *base) {
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

// ---- estimation --------------------------------------------------------------------------------

typedef struct fitting {
  errand errand;
  Model *model; // a reference of its own
  ap_ident_options look_for;
  char *path; // NULL: arrays
  array t, q, v, a, tau;
  ap_samples given;
  ap_prepare_options prepare;
  ap_fit_method method;
  double reject;
  ap_ident *ident;
  ap_base *base;
  ap_dataset *states;
  ap_reduction *reduction;
  ap_fit *fit;
  double *force, *error_rms; // [nv]
  ap_error error;
} fitting;

static ap_status prepare_states(fitting *f, ap_error *error) {
  if (!f->path) return ap_dataset_prepare(f->ident, &f->given, &f->prepare, &f->states, error);
  ap_samples *samples = NULL;
  ap_status status = ap_samples_read(f->ident, f->path, &samples, error);
  if (status == AP_OK)
    status = ap_dataset_prepare(f->ident, samples, &f->prepare, &f->states, error);
  ap_samples_free(samples);
  return status;
}

static ap_status fit(fitting *f, ap_error *error) {
  int nv = ap_nv(f->model->base.model);
  f->force = calloc((size_t)nv + 1, sizeof *f->force);
  f->error_rms = calloc((size_t)nv + 1, sizeof *f->error_rms);
  if (!f->force || !f->error_rms) return error->status = AP_E_MEMORY;
  ap_status status = begin(f->model, &f->look_for, AP_BASE_QR, &f->ident, &f->base, error);
  if (status == AP_OK) status = prepare_states(f, error);
  if (status == AP_OK)
    status = ap_dataset_reduce(f->states, f->ident, f->base, f->method == AP_FIT_RIDGE ? 5 : 1,
                               f->reject, &f->reduction, error);
  if (status == AP_OK) status = ap_fit_make(f->reduction, f->base, f->method, NULL, &f->fit, error);
  if (status == AP_OK) {
    ap_reduction_force_rms(f->reduction, f->force);
    ap_reduction_error_rms(f->reduction, f->fit->parameter, f->error_rms);
  }
  return status;
}

static void do_fit(errand *e) {
  fitting *f = (fitting *)e;
  f->error.status = fit(f, &f->error);
}

// The robot with what was found, where that is physical; else None.
static PyObject *identified(const fitting *f) {
  const ap_robot_def *def = ap_robot_definition(f->model->base.robot->robot);
  if (!ap_ident_physical(f->ident, f->fit->parameter)) return Py_NewRef(Py_None);
  ap_body_def *bodies = malloc((size_t)def->nbody * sizeof *bodies + 1);
  if (!bodies) return PyErr_NoMemory();
  memcpy(bodies, def->bodies, (size_t)def->nbody * sizeof *bodies);
  ap_error error = {.text = "the parameters are those of no robot"};
  error.status = ap_ident_apply(f->ident, f->fit->parameter, bodies);
  ap_robot_def changed = *def;
  changed.bodies = bodies;
  ap_robot *robot = NULL;
  if (error.status == AP_OK) error.status = ap_robot_from_definition(&changed, &robot, &error);
  free(bodies);
  return robot ? new_robot(robot, Py_None) : raise_error(&error, NULL);
}

static PyObject *fit_dictionary(const fitting *f) {
  const ap_fit *fit = f->fit;
  size_t n = (size_t)fit->n, np = (size_t)fit->np, nv = (size_t)fit->nv;
  PyObject *d = PyDict_New();
  if (d && put_base(d, f->ident, f->base) && put(d, "value", numbers(fit->value, n)) &&
      put(d, "deviation", numbers(fit->deviation, n)) &&
      put(d, "parameter", numbers(fit->parameter, np)) &&
      put(d, "parameter_deviation", numbers(fit->parameter_deviation, np)) &&
      put(d, "determined", numbers(fit->determined, np)) &&
      put(d, "prior", PyFloat_FromDouble(fit->prior)) && put(d, "noise", numbers(fit->noise, nv)) &&
      put(d, "residual_rms", numbers(fit->residual_rms, nv)) &&
      put(d, "force_rms", numbers(f->force, nv)) &&
      put(d, "error_rms", numbers(f->error_rms, nv)) &&
      put(d, "condition", PyFloat_FromDouble(fit->condition)) &&
      put(d, "states", PyLong_FromLong(ap_dataset_count(f->states))) &&
      put(d, "spikes", PyLong_FromLong(ap_dataset_spikes(f->states))) &&
      put(d, "physical", PyBool_FromLong(ap_ident_physical(f->ident, fit->parameter))) &&
      put(d, "robot", identified(f)))
    return d;
  Py_XDECREF(d);
  return NULL;
}

static bool column_block(array *a, PyObject *from, const char *name, shape s, int n,
                         double **data) {
  *data = NULL;
  if (from == Py_None) return true;
  if (!array_of(a, from, name, s, false)) return false;
  bool fits = !a->single && a->leading == 1 && a->rows && array_states(a) == (size_t)n;
  if (!fits)
    PyErr_Format(PyExc_ValueError, "%s must be float64, %d rows in a block of memory", name, n);
  *data = array_data(a);
  return fits;
}

static bool read_samples(fitting *f, PyObject *const *value) {
  const ap_model *m = f->model->base.model;
  shape nq = {1, {ap_nq(m)}}, nv = {1, {ap_nv(m)}}, one = {0, {0}};
  ap_samples *s = &f->given;
  if (value[0] == Py_None || value[1] == Py_None || value[4] == Py_None)
    return PyErr_SetString(PyExc_TypeError, "t, q and tau are needed"), false;
  if (!array_of(&f->t, value[0], "t", one, false)) return false;
  size_t n = array_states(&f->t);
  if (f->t.single || f->t.leading != 1 || !f->t.rows || n > INT_MAX)
    return PyErr_SetString(PyExc_ValueError, "t must be (n,) of float64"), false;
  s->n = (int)n;
  s->t = array_data(&f->t);
  return column_block(&f->q, value[1], "q", nq, s->n, &s->q) &&
         column_block(&f->v, value[2], "v", nv, s->n, &s->v) &&
         column_block(&f->a, value[3], "a", nv, s->n, &s->a) &&
         column_block(&f->tau, value[4], "tau", nv, s->n, &s->tau);
}

static void end_fitting(errand *e) {
  fitting *f = (fitting *)e;
  ap_fit_free(f->fit);
  ap_reduction_free(f->reduction);
  ap_dataset_free(f->states);
  ap_base_free(f->base);
  ap_ident_free(f->ident);
  free(f->force);
  free(f->error_rms);
  array *all[] = {&f->t, &f->q, &f->v, &f->a, &f->tau};
  for (int i = 0; i < 5; i++) array_release(all[i]);
  Py_XDECREF((PyObject *)f->model);
  free(f->path);
  free(f);
}

static bool read_method(const char *name, ap_fit_method *method) {
  int k = 0;
  while (k < AP_FIT_METHODS && strcmp(ap_fit_method_name((ap_fit_method)k), name) != 0) k++;
  *method = (ap_fit_method)k;
  if (k < AP_FIT_METHODS) return true;
  PyErr_Format(PyExc_ValueError,
               "there is no method '%s' (qr, svd, pinv, ridge, weighted, consistent)", name);
  return false;
}

// identify(model, look_for, method, path, t, q, v, a, tau, cutoff, order, always, spikes, reject)
static PyObject *identify(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *model, *value[5], *result = NULL;
  const char *method, *path;
  int flags, always;
  fitting *f = calloc(1, sizeof *f);
  if (!f) return PyErr_NoMemory();
  f->errand.work = do_fit;
  f->errand.release = end_fitting;
  f->prepare = ap_default_prepare();
  bool read =
      PyArg_ParseTuple(args, "O!iszOOOOOdipdd", model_type, &model, &flags, &method, &path,
                       &value[0], &value[1], &value[2], &value[3], &value[4], &f->prepare.cutoff,
                       &f->prepare.order, &always, &f->prepare.spikes, &f->reject) &&
      read_method(method, &f->method);
  if (read) {
    f->model = (Model *)Py_NewRef(model);
    f->look_for = look_for(flags);
    f->prepare.always = always;
    f->path = path ? strdup(path) : NULL;
    read = path ? f->path || PyErr_NoMemory() : read_samples(f, value);
  }
  if (read && !errand_run(&f->errand)) return NULL;
  if (read) result = f->error.status == AP_OK ? fit_dictionary(f) : raise_error(&f->error, f->path);
  end_fitting(&f->errand);
  return result;
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
  PyObject *bytes = numbers(x, (size_t)*rows * width);
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
     "identify(model, look_for, method, path, /, *rest)\n--\n\nFields of Fit."},
    {"excite", excite, METH_VARARGS,
     "excite(model, look_for, harmonics, period, velocity, acceleration, range, margin, "
     "evaluations, seed, rate, lower, upper, velocity_scale, acceleration_scale, self_, floor, "
     "frame, box, distance, radius, meshes, /)\n--\n\nSamples of a motion and what it is worth."},
    {NULL, NULL, 0, NULL}};
