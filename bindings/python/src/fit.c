// SPDX-License-Identifier: Apache-2.0
// Estimation: as the command identify does it, step for step, so that both find the same.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "ident.h"
#include "threads.h"

enum { FOLDS = 5 }; // that ridge regression is cross-validated over, as in the command

typedef struct fitting {
  errand errand;
  Model *model; // a reference of its own
  ap_ident_options look_for;
  ap_base_method base_method;
  char *payload; // of look_for
  char **path;   // [paths]; none: arrays
  int paths;
  char *columns;
  bool trust;
  char **loaded_path; // [loaded_paths] logs with a known load
  int loaded_paths;
  char *load_link;
  double load_centre[3], load_inertia[6];
  ap_known_load load;
  array t, q, v, a, tau;
  ap_samples given;
  ap_prepare_options prepare;
  ap_fit_method method;
  ap_fit_options options;
  double reject;
  ap_ident *ident;
  ap_base *base;
  ap_dataset *states, *loaded;
  ap_drive_gains *gains;
  ap_reduction *reduction;
  ap_fit *fit, *consistent;  // may be the same
  double *force, *error_rms; // [nv]
  ap_doubts doubts;
  const char *at; // the log that is being looked at; NULL: arrays
  ap_error error;
} fitting;

// ---- doubts ------------------------------------------------------------------------------------

// Keep them; the first grave one is an error, unless the log is trusted.
static ap_status doubt(fitting *f, const ap_doubts *found, bool trust) {
  const ap_doubt *grave = NULL;
  for (int k = 0; k < found->count; k++) {
    if (f->doubts.count < AP_DOUBTS) f->doubts.doubt[f->doubts.count++] = found->doubt[k];
    if (found->doubt[k].grave && !grave) grave = &found->doubt[k];
  }
  if (!grave || trust) return AP_OK;
  const char *hint = " (trust=True goes on regardless)",
             *begins = "the log contradicts the robot: ";
  int room = (int)(sizeof f->error.text - strlen(hint) - strlen(begins) - 1);
  snprintf(f->error.text, sizeof f->error.text, "%s%.*s%s", begins, room, grave->text, hint);
  f->error.line = 0;
  return AP_E_ARG;
}

static ap_status doubt_samples(fitting *f, const ap_samples *samples) {
  ap_doubts found = {.count = 0};
  double delay, deviation;
  ap_status status = ap_doubt_samples(f->ident, samples, &f->prepare, &found, &f->error);
  if (status == AP_OK && !ap_doubts_grave(&found) && !f->prepare.currents)
    status = ap_doubt_delay(f->ident, samples, &f->prepare, &delay, &deviation, &found, &f->error);
  return status == AP_OK ? doubt(f, &found, f->trust) : status;
}

static ap_status doubt_states(fitting *f) {
  ap_doubts found = {.count = 0};
  ap_status status = ap_doubt_states(f->ident, f->states, &found, &f->error);
  return status == AP_OK ? doubt(f, &found, f->trust) : status;
}

static ap_status doubt_fit(fitting *f) {
  ap_doubts found = {.count = 0};
  ap_status status =
      ap_doubt_fit(f->ident, f->reduction, f->consistent ? f->consistent : f->fit, &found);
  return status == AP_OK ? doubt(f, &found, true) : status;
}

// ---- the work, without the interpreter's lock --------------------------------------------------

// Whether to go on: nothing is wrong, and somebody waits for the result.
static bool goes_on(fitting *f, ap_status status) {
  return status == AP_OK && !atomic_load(&f->errand.abandoned);
}

static ap_status add_samples(fitting *f, const ap_samples *samples, ap_dataset **to) {
  ap_dataset *states = NULL;
  ap_error error = {0};
  ap_status prepared = ap_dataset_prepare(f->ident, samples, &f->prepare, &states, &error);
  ap_status status = AP_OK;
  // a log that cannot be prepared may be one in other units: say that first
  if (prepared == AP_OK || error.line == 0) status = doubt_samples(f, samples);
  if (status == AP_OK && prepared != AP_OK) {
    f->error = error;
    status = prepared;
  }
  if (status == AP_OK && !*to) {
    *to = states;
    return AP_OK;
  }
  if (status == AP_OK) status = ap_dataset_append(*to, states);
  ap_dataset_free(states);
  return status;
}

static ap_status read_files(fitting *f, char **path, int paths, ap_dataset **to) {
  ap_status status = AP_OK;
  for (int k = 0; k < paths && goes_on(f, status); k++) {
    ap_samples *samples = NULL;
    f->at = path[k];
    status =
        ap_samples_read_as(f->ident, f->at, f->columns, f->prepare.at_rest, &samples, &f->error);
    if (status == AP_OK) status = add_samples(f, samples, to);
    ap_samples_free(samples);
  }
  return status;
}

static ap_status read_logs(fitting *f) {
  ap_status status = f->paths == 0 ? add_samples(f, &f->given, &f->states)
                                   : read_files(f, f->path, f->paths, &f->states);
  if (status == AP_OK) status = read_files(f, f->loaded_path, f->loaded_paths, &f->loaded);
  return status;
}

// What the logs cannot show is not looked for, where that was asked for.
static ap_status limit(fitting *f) {
  int resting, silent;
  ap_dataset *all = ap_dataset_sample(f->states, INT_MAX);
  ap_status status = all ? AP_OK : AP_E_MEMORY;
  if (status == AP_OK && f->loaded) status = ap_dataset_append(all, f->loaded);
  if (status == AP_OK) status = ap_ident_limit_to(f->ident, all, &resting, &silent);
  ap_dataset_free(all);
  return status;
}

static ap_status find_base(fitting *f) {
  ap_status status = AP_OK;
  if (f->prepare.at_rest || f->look_for.partial) status = limit(f);
  if (status == AP_OK) status = ap_base_find(f->ident, f->base_method, &f->base, &f->error);
  if (status != AP_OK || ap_base_count(f->base) > 0) return status;
  snprintf(f->error.text, sizeof f->error.text, "the log shows no parameter at all");
  return AP_E_ARG;
}

// How late forces are that are gain times current; the load is a part of the robot here.
static ap_status doubt_delay(fitting *f, const ap_samples *samples) {
  const int nv = ap_nv(f->model->base.model);
  const size_t n = (size_t)samples->n * (size_t)nv;
  ap_doubts found = {.count = 0};
  ap_prepare_options how = f->prepare;
  ap_samples forces = *samples;
  double delay, deviation;
  how.currents = false;
  if (!(forces.tau = malloc(n * sizeof *forces.tau + 1))) return AP_E_MEMORY;
  for (size_t k = 0; k < n; k++) forces.tau[k] = samples->tau[k] * f->gains->gain[k % (size_t)nv];
  ap_status status = ap_doubt_delay(f->ident, &forces, &how, &delay, &deviation, &found, &f->error);
  free(forces.tau);
  return status == AP_OK ? doubt(f, &found, f->trust) : status;
}

static ap_status doubt_delays(fitting *f) {
  ap_status status = AP_OK;
  if (f->gains->identifiable < f->gains->nv) return AP_OK;
  if (f->paths == 0) status = doubt_delay(f, &f->given);
  for (int k = 0; k < f->paths + f->loaded_paths && goes_on(f, status); k++) {
    ap_samples *samples = NULL;
    f->at = k < f->paths ? f->path[k] : f->loaded_path[k - f->paths];
    status =
        ap_samples_read_as(f->ident, f->at, f->columns, f->prepare.at_rest, &samples, &f->error);
    if (status == AP_OK) status = doubt_delay(f, samples);
    ap_samples_free(samples);
  }
  return status;
}

// Gains of currents, and forces of these.
static ap_status find_gains(fitting *f) {
  ap_drive_gain_options o = ap_default_drive_gains();
  f->at = f->paths > 0 ? f->path[0] : NULL;
  o.load = f->load_link ? &f->load : NULL;
  o.reject = f->reject, o.total_mass = f->options.total_mass;
  ap_status status = ap_drive_gains_settle(f->ident, f->base_method, &f->base, f->states, f->loaded,
                                           &o, &f->gains, &f->error);
  if (status == AP_OK) status = doubt_delays(f);
  if (status == AP_OK) status = ap_drive_gains_apply(f->gains, f->ident, false, f->states);
  if (status == AP_OK && f->loaded) {
    status = ap_drive_gains_apply(f->gains, f->ident, true, f->loaded);
    if (status == AP_OK) status = ap_dataset_append(f->states, f->loaded);
  }
  return status;
}

// The method that was asked for must succeed; the consistent one gives the model.
static ap_status make_fits(fitting *f) {
  ap_status status = ap_fit_make(f->reduction, f->base, f->method, &f->options, &f->fit, &f->error);
  if (status != AP_OK || f->method == AP_FIT_CONSISTENT) {
    f->consistent = f->fit;
    return status;
  }
  ap_error failed;
  ap_fit_make(f->reduction, f->base, AP_FIT_CONSISTENT, &f->options, &f->consistent, &failed);
  return AP_OK;
}

static ap_status fit(fitting *f) {
  int nv = ap_nv(f->model->base.model);
  f->force = calloc((size_t)nv + 1, sizeof *f->force);
  f->error_rms = calloc((size_t)nv + 1, sizeof *f->error_rms);
  if (!f->force || !f->error_rms) return AP_E_MEMORY;
  ap_status status = ap_ident_create(f->model->base.model, &f->look_for, &f->ident, &f->error);
  if (goes_on(f, status)) status = read_logs(f);
  if (goes_on(f, status)) status = find_base(f);
  if (goes_on(f, status) && f->prepare.currents) status = find_gains(f);
  if (goes_on(f, status)) status = doubt_states(f);
  if (goes_on(f, status))
    status =
        ap_dataset_reduce(f->states, f->ident, f->base, FOLDS, f->reject, &f->reduction, &f->error);
  if (goes_on(f, status)) status = make_fits(f);
  if (goes_on(f, status) && f->gains) {
    status = ap_drive_gains_widen(f->gains, f->fit);
    if (f->consistent && f->consistent != f->fit) ap_drive_gains_widen(f->gains, f->consistent);
  }
  if (goes_on(f, status)) status = doubt_fit(f);
  if (goes_on(f, status)) {
    ap_reduction_force_rms(f->reduction, f->force);
    ap_reduction_error_rms(f->reduction, f->fit->parameter, f->error_rms);
  }
  return status;
}

static void do_fit(errand *e) {
  fitting *f = (fitting *)e;
  f->error.status = fit(f);
}

// ---- what is returned --------------------------------------------------------------------------

// The robot with what was found, where that is physical; else None.
static PyObject *identified(const fitting *f) {
  const ap_robot_def *def = ap_robot_definition(f->model->base.robot->robot);
  if (!f->consistent || !ap_ident_physical(f->ident, f->consistent->parameter))
    return Py_NewRef(Py_None);
  ap_body_def *bodies = malloc((size_t)def->nbody * sizeof *bodies + 1);
  if (!bodies) return PyErr_NoMemory();
  memcpy(bodies, def->bodies, (size_t)def->nbody * sizeof *bodies);
  ap_error error = {.text = "the parameters are those of no robot"};
  error.status = ap_ident_apply(f->ident, f->consistent->parameter, bodies);
  ap_robot_def changed = *def;
  changed.bodies = bodies;
  ap_robot *robot = NULL;
  if (error.status == AP_OK) error.status = ap_robot_from_definition(&changed, &robot, &error);
  free(bodies);
  return robot ? new_robot(robot, Py_None) : raise_error(&error, NULL);
}

static PyObject *doubts_of(const ap_doubts *doubts) {
  PyObject *list = PyList_New(0);
  for (int k = 0; list && k < doubts->count; k++) {
    const ap_doubt *d = &doubts->doubt[k];
    PyObject *item = Py_BuildValue("(sNdds)", ap_doubt_name(d->kind), PyBool_FromLong(d->grave),
                                   d->value, d->bound, d->text);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

// None, or the numbers of gains and deviations, and which are identifiable.
static PyObject *gains_of(const ap_drive_gains *g) {
  if (!g) return Py_NewRef(Py_None);
  const size_t n = (size_t)g->nv;
  PyObject *sure = PyBytes_FromStringAndSize((const char *)g->sure, (Py_ssize_t)n);
  return Py_BuildValue("(NNN)", bytes_of_numbers(g->gain, n), bytes_of_numbers(g->deviation, n),
                       sure);
}

static PyObject *fit_dictionary(const fitting *f) {
  const ap_fit *fit = f->fit;
  size_t n = (size_t)fit->n, np = (size_t)fit->np, nv = (size_t)fit->nv;
  PyObject *d = PyDict_New();
  if (d && put_base(d, f->ident, f->base) && put(d, "value", bytes_of_numbers(fit->value, n)) &&
      put(d, "deviation", bytes_of_numbers(fit->deviation, n)) &&
      put(d, "parameter", bytes_of_numbers(fit->parameter, np)) &&
      put(d, "parameter_deviation", bytes_of_numbers(fit->parameter_deviation, np)) &&
      put(d, "determined", bytes_of_numbers(fit->determined, np)) &&
      put(d, "prior", PyFloat_FromDouble(fit->prior)) &&
      put(d, "noise", bytes_of_numbers(fit->noise, nv)) &&
      put(d, "residual_rms", bytes_of_numbers(fit->residual_rms, nv)) &&
      put(d, "force_rms", bytes_of_numbers(f->force, nv)) &&
      put(d, "error_rms", bytes_of_numbers(f->error_rms, nv)) &&
      put(d, "condition", PyFloat_FromDouble(fit->condition)) &&
      put(d, "states", PyLong_FromLong(ap_dataset_count(f->states))) &&
      put(d, "spikes", PyLong_FromLong(ap_dataset_spikes(f->states))) &&
      put(d, "physical", PyBool_FromLong(ap_ident_physical(f->ident, fit->parameter))) &&
      put(d, "gains", gains_of(f->gains)) && put(d, "doubts", doubts_of(&f->doubts)) &&
      put(d, "robot", identified(f)))
    return d;
  Py_XDECREF(d);
  return NULL;
}

// ---- arguments ---------------------------------------------------------------------------------

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
  if (f->consistent != f->fit) ap_fit_free(f->consistent);
  ap_fit_free(f->fit);
  ap_reduction_free(f->reduction);
  ap_drive_gains_free(f->gains);
  ap_dataset_free(f->loaded);
  ap_dataset_free(f->states);
  ap_base_free(f->base);
  ap_ident_free(f->ident);
  free(f->force);
  free(f->error_rms);
  array *all[] = {&f->t, &f->q, &f->v, &f->a, &f->tau};
  for (int i = 0; i < 5; i++) array_release(all[i]);
  for (int i = 0; i < f->paths; i++) free(f->path[i]);
  for (int i = 0; i < f->loaded_paths; i++) free(f->loaded_path[i]);
  free(f->path);
  free(f->loaded_path);
  free(f->load_link);
  free(f->payload);
  free(f->columns);
  Py_XDECREF((PyObject *)f->model);
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

static bool copy_text(const char *from, char **to) {
  *to = from ? strdup(from) : NULL;
  return *to || !from || (PyErr_NoMemory(), false);
}

static bool read_paths(PyObject *logs, char ***paths, int *count) {
  Py_ssize_t n = PyList_Size(logs);
  if (n < 1 || n > INT_MAX)
    return PyErr_Clear(), PyErr_SetString(PyExc_ValueError, "log names no file"), false;
  if (!(*paths = calloc((size_t)n, sizeof **paths))) return PyErr_NoMemory(), false;
  for (; *count < n; ++*count) {
    PyObject *own;
    const char *path = read_path(PyList_GetItem(logs, *count), &own);
    bool good = path && copy_text(path, &(*paths)[*count]);
    Py_XDECREF(own);
    if (!good) return false;
  }
  return true;
}

// What is known of a load, and the logs that carry it.
static bool read_load(fitting *f, const char *link, PyObject *centre, PyObject *inertia,
                      PyObject *loaded) {
  if (!copy_text(link, &f->load_link)) return false;
  f->load.link = f->load_link;
  f->load.centre = centre == Py_None ? NULL : f->load_centre;
  f->load.inertia = inertia == Py_None ? NULL : f->load_inertia;
  return (!f->load.centre || read_numbers(centre, "centre", 3, f->load_centre)) &&
         (!f->load.inertia || read_numbers(inertia, "inertia", 6, f->load_inertia)) &&
         (loaded == Py_None || read_paths(loaded, &f->loaded_path, &f->loaded_paths));
}

static bool read_arguments(fitting *f, PyObject *args) {
  PyObject *model, *logs, *value[5], *centre, *inertia, *loaded;
  const char *method, *columns, *payload, *link;
  int gains;
  int flags, svd, always, at_rest, trust;
  ap_prepare_options *p = &f->prepare;
  if (!PyArg_ParseTuple(args, "O!ispOz(OOOOO)(dipddp)(ddddz)p(pzdOOO)", model_type, &model, &flags,
                        &method, &svd, &logs, &columns, &value[0], &value[1], &value[2], &value[3],
                        &value[4], &p->cutoff, &p->order, &always, &p->spikes, &p->delay, &at_rest,
                        &f->reject, &f->options.prior, &f->options.total_mass,
                        &f->look_for.stribeck, &payload, &trust, &gains, &link, &f->load.mass,
                        &centre, &inertia, &loaded) ||
      !read_method(method, &f->method))
    return false;
  f->model = (Model *)Py_NewRef(model);
  double stribeck = f->look_for.stribeck;
  f->look_for = look_for(flags);
  f->look_for.stribeck = stribeck;
  f->base_method = svd ? AP_BASE_SVD : AP_BASE_QR;
  p->always = always;
  p->at_rest = at_rest;
  p->currents = gains;
  f->trust = trust;
  if (!read_load(f, link, centre, inertia, loaded)) return false;
  if (!copy_text(payload, &f->payload) || !copy_text(columns, &f->columns)) return false;
  f->look_for.payload = f->payload;
  return logs == Py_None ? read_samples(f, value) : read_paths(logs, &f->path, &f->paths);
}

PyObject *identify(PyObject *module, PyObject *args) {
  (void)module;
  fitting *f = calloc(1, sizeof *f);
  if (!f) return PyErr_NoMemory();
  f->errand.work = do_fit;
  f->errand.release = end_fitting;
  f->prepare = ap_default_prepare();
  f->options = ap_default_fit();
  PyObject *result = NULL;
  bool read = read_arguments(f, args);
  if (read && !errand_run(&f->errand)) return NULL;
  if (read) result = f->error.status == AP_OK ? fit_dictionary(f) : raise_error(&f->error, f->at);
  end_fitting(&f->errand);
  return result;
}
