// Zeros of functions of the state, found while integrating.
//
// ARKODE looks at the functions where a step ends, and where one has changed its sign it locates
// the zero on its interpolant. That is good to the interpolant's order, one less than the method's.
// So the zero is located again on steps of the method itself, from where the step begins to where
// the zero is thought to be, and corrected by Newton's method. The error is then that of a step
// which would have been accepted.

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sim/ode.h"

#ifdef AP_HAVE_SUNDIALS

enum { CORRECTIONS = 4 };

static int events_for_arkode(realtype t, N_Vector y, realtype *g, void *data) {
  const ap_ode *ode = data;
  ode->watch.events(ode->context, t, N_VGetArrayPointer(y), g);
  return 0;
}

static void free_watch(ode_watch *w) {
  free(w->g);
  free(w->found);
  w->g = NULL;
  w->found = NULL;
  w->k = 0;
}

// Memory for k functions, and for one step of the method. False: there is none.
static bool make_room(ap_ode *ode, int k) {
  ode_watch *w = &ode->watch;
  w->g = calloc((size_t)k, sizeof *w->g);
  w->found = calloc((size_t)k, sizeof *w->found);
  if (!w->g || !w->found) return false;
  if (w->stage) return true;
  ARKodeButcherTable table = NULL;
  if (ERKStepGetCurrentButcherTable(ode->stepper, &table) || !table) return false;
  w->stages = table->stages;
  if (!w->from) w->from = N_VClone(ode->y);
  if (!w->trial) w->trial = N_VClone(ode->y);
  if (w->from && w->trial) w->stage = N_VCloneVectorArray(w->stages, ode->y);
  return w->stage;
}

ap_status ap__ode_watch(ap_ode *ode, int k, int located, const int *direction, ap_events *events,
                        ap_error *error) {
  if (!ode || k < 0 || (k > 0 && !events)) {
    ap__fail(error, AP_E_ARG, 0, "%s",
             !ode    ? "the problem is NULL"
             : k < 0 ? "the number of functions to watch is negative"
                     : "the functions to watch are NULL");
    return AP_E_ARG;
  }
  ode->running = false;
  free_watch(&ode->watch);
  if (k == 0) {
    ERKStepRootInit(ode->stepper, 0, NULL);
    return AP_OK;
  }
  int *any = NULL;
  bool good = make_room(ode, k) && !ERKStepRootInit(ode->stepper, k, events_for_arkode);
  if (good && direction) {
    any = malloc((size_t)k * sizeof *any); // ARKODE wants to be able to write
    good = any != NULL;
    if (good) memcpy(any, direction, (size_t)k * sizeof *any);
    good = good && !ERKStepSetRootDirection(ode->stepper, any);
    free(any);
  }
  if (!good) {
    free_watch(&ode->watch);
    ERKStepRootInit(ode->stepper, 0, NULL);
    ap__fail(error, AP_E_MEMORY, 0, "not enough memory to watch %d functions", k);
    return AP_E_MEMORY;
  }
  ERKStepSetNoInactiveRootWarn(ode->stepper);
  ode->watch.k = k;
  ode->watch.located = located;
  ode->watch.events = events;
  return AP_OK;
}

ap_status ap_ode_watch(ap_ode *ode, int k, ap_events *events, ap_error *error) {
  return ap__ode_watch(ode, k, k, NULL, events, error);
}

// One step of the method to time t from where ARKODE's step begins; its end in watch.trial.
static bool step_to(ap_ode *ode, double t) {
  ode_watch *w = &ode->watch;
  ARKodeButcherTable table = NULL;
  if (ERKStepGetCurrentButcherTable(ode->stepper, &table)) return false;
  double h = t - ode->step_t;
  for (int i = 0; i < w->stages; i++) {
    N_VScale(1, w->from, w->trial);
    for (int j = 0; j < i; j++)
      if (table->A[i][j] != 0) N_VLinearSum(1, w->trial, h * table->A[i][j], w->stage[j], w->trial);
    if (ap__ode_rate(ode->step_t + h * table->c[i], w->trial, w->stage[i], ode)) return false;
  }
  N_VScale(1, w->from, w->trial);
  for (int i = 0; i < w->stages; i++)
    if (table->b[i] != 0) N_VLinearSum(1, w->trial, h * table->b[i], w->stage[i], w->trial);
  return true;
}

static double value(ap_ode *ode, int i, double t, N_Vector y) {
  ode->watch.events(ode->context, t, N_VGetArrayPointer(y), ode->watch.g);
  return ode->watch.g[i];
}

// How fast function i grows at time t, where its value at watch.trial is g: by a difference along
// the rate, over a thousandth of the step, so that its error spares three digits at each
// correction.
static bool slope(ap_ode *ode, int i, double t, double g, double *result) {
  ode_watch *w = &ode->watch;
  double dt = 1e-3 * (t - ode->step_t);
  if (!(dt > 16 * DBL_EPSILON * fabs(t)) || ap__ode_rate(t, w->trial, w->stage[0], ode))
    return false;
  N_VLinearSum(1, w->trial, -dt, w->stage[0], w->stage[1]);
  *result = (g - value(ode, i, t - dt, w->stage[1])) / dt;
  return true;
}

// Correct the zero of function i, which ARKODE found at *t <= end: time and state, in ode->y. Where
// the correction does not settle, the best found stays.
static void locate(ap_ode *ode, int i, double *t, double end) {
  double best = INFINITY, next = *t;
  for (int k = 0; k < CORRECTIONS; k++) {
    if (!(next > ode->step_t && next <= end) || !step_to(ode, next)) return;
    double g = value(ode, i, next, ode->watch.trial), rise;
    if (!(fabs(g) < best)) return;
    best = fabs(g);
    *t = next;
    N_VScale(1, ode->watch.trial, ode->y);
    if (g == 0 || !slope(ode, i, next, g, &rise)) return;
    next -= g / rise;
    if (fabs(next - *t) <= 2 * DBL_EPSILON * fabs(*t)) return;
  }
}

// One step of ARKODE, or the rest of the one that it stands in. *t: where it ended.
static int one_step(ap_ode *ode, double aim, double *t) {
  double begins = ode->t;
  ERKStepGetCurrentTime(ode->stepper, &begins);
  if (ode->read_t == begins) { // the last step was read to its end
    ode->step_t = ode->t;
    N_VScale(1, ode->y, ode->watch.from);
  }
  return ERKStepEvolve(ode->stepper, aim, ode->y, t, ARK_ONE_STEP);
}

// What ARKODE found, told to the caller; the state and the time *t corrected.
static ap_status tell(ap_ode *ode, double *t, double stop, int *found, ap_error *error) {
  ode_watch *w = &ode->watch;
  ERKStepGetRootInfo(ode->stepper, w->found);
  memcpy(found, w->found, (size_t)w->k * sizeof *found);
  double end = *t;
  ERKStepGetCurrentTime(ode->stepper, &end);
  for (int i = 0; i < w->located; i++) {
    if (!found[i]) continue;
    locate(ode, i, t, fmin(end, stop));
    break;
  }
  if (!ode->failed) return AP_OK;
  ode->running = false;
  return ap__ode_explain(ode, ARK_RHSFUNC_FAIL, *t, error);
}

ap_status ap_ode_advance_watching(ap_ode *ode, double *t, double *y, int *found, ap_error *error) {
  if (!t || !found) {
    ap__fail(error, AP_E_ARG, 0, "the %s is NULL", t ? "place for what was found" : "time");
    return AP_E_ARG;
  }
  double aim = *t, reached = aim;
  ap_status status = ap__ode_check_advance(ode, aim, y, error);
  if (status) return status;
  memset(found, 0, (size_t)ode->watch.k * sizeof *found);
  if (ode->watch.k == 0) return ap_ode_advance_to(ode, aim, y, error);
  double stands = ode->t;
  ERKStepGetCurrentTime(ode->stepper, &stands);
  if (!ode->step_known || stands > aim) status = ap__ode_restart(ode, error);
  if (status) return status;
  ode->failed = AP_OK;
  ode->not_finite = -1;
  int flag = ERKStepSetStopTime(ode->stepper, aim);
  for (long taken = 0; flag == ARK_SUCCESS;) {
    flag = one_step(ode, aim + (aim - ode->t), &reached);
    taken += ap__ode_count_steps(ode);
    if (flag == ARK_ILL_INPUT && ode->at_zero && !ode->failed) {
      // A function that stays at zero for a while is none to go on from; a start passes over it.
      status = ap__ode_restart(ode, error);
      if (status) return status;
      flag = ERKStepSetStopTime(ode->stepper, aim);
      continue;
    }
    if (flag < 0 || ode->failed) break;
    ode->at_zero = flag == ARK_ROOT_RETURN;
    ode->t = ode->read_t = reached;
    if (flag == ARK_ROOT_RETURN) {
      status = tell(ode, &reached, aim, found, error);
      ode->t = *t = reached;
    }
    if (flag == ARK_ROOT_RETURN || reached >= aim) {
      if (!status) memcpy(y, N_VGetArrayPointer(ode->y), (size_t)ode->n * sizeof *y);
      return status;
    }
    if (taken >= ode->options.most_steps) flag = ARK_TOO_MUCH_WORK;
  }
  ode->running = false;
  return ap__ode_explain(ode, flag, aim, error);
}

#endif
