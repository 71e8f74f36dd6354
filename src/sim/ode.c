// Initial value problems by the explicit Runge-Kutta steppers of SUNDIALS ARKODE.

#include <appell/sim.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#include "sim/ode.h"

ap_ode_options ap_default_ode_options(void) {
  return (ap_ode_options){.relative = 1e-6, .absolute = 1e-6, .most_steps = 100000};
}

// Zero or a positive finite number.
static bool usable(double x) { return isfinite(x) && x >= 0; }

static ap_status check_options(const ap_ode_options *o, ap_error *error) {
  const char *wrong = NULL;
  if (!usable(o->relative) || !usable(o->absolute))
    wrong = "a tolerance is negative or not finite";
  else if (o->relative == 0 && o->absolute == 0)
    wrong = "both tolerances are 0; one of them must be positive";
  else if (!usable(o->first_step) || !usable(o->longest_step))
    wrong = "a step length is negative or not finite; 0 leaves it to the integrator";
  else if (o->most_steps < 1)
    wrong = "most_steps must be at least 1";
  if (!wrong) return AP_OK;
  ap__fail(error, AP_E_ARG, 0, "%s", wrong);
  return AP_E_ARG;
}

static ap_status check_problem(int n, ap_rate *rate, const ap_ode_options *options, ap_ode **ode,
                               ap_error *error) {
  if (ode) *ode = NULL;
  if (!ode || !rate) {
    ap__fail(error, AP_E_ARG, 0, "a problem needs a rate and a place for the result, not NULL");
    return AP_E_ARG;
  }
  if (n < 1) {
    ap__fail(error, AP_E_ARG, 0, "a problem has at least 1 equation, not %d", n);
    return AP_E_ARG;
  }
  return check_options(options, error);
}

#ifndef AP_HAVE_SUNDIALS

ap_status ap_ode_create(int n, ap_rate *rate, void *context, const ap_ode_options *options,
                        ap_ode **ode, ap_error *error) {
  (void)context;
  ap_ode_options o = options ? *options : ap_default_ode_options();
  ap_status status = check_problem(n, rate, &o, ode, error);
  if (status) return status;
  ap__fail(error, AP_E_UNSUPPORTED, 0,
           "built without SUNDIALS, which integrates over time: install SUNDIALS 6 "
           "(libsundials-dev on Debian 12) and build again");
  return AP_E_UNSUPPORTED;
}

// No problem exists in this build.
static ap_status no_problem(ap_error *error) {
  ap__fail(error, AP_E_ARG, 0, "the problem is NULL");
  return AP_E_ARG;
}

void ap_ode_free(ap_ode *ode) { (void)ode; }

ap_status ap_ode_start(ap_ode *ode, double t, const double *y, ap_error *error) {
  (void)ode, (void)t, (void)y;
  return no_problem(error);
}

ap_status ap_ode_advance(ap_ode *ode, double t, double *y, ap_error *error) {
  (void)ode, (void)t, (void)y;
  return no_problem(error);
}

ap_status ap_ode_advance_to(ap_ode *ode, double t, double *y, ap_error *error) {
  (void)ode, (void)t, (void)y;
  return no_problem(error);
}

ap_status ap_ode_watch(ap_ode *ode, int k, ap_events *events, ap_error *error) {
  (void)ode, (void)k, (void)events;
  return no_problem(error);
}

ap_status ap__ode_watch(ap_ode *ode, int k, int located, const int *direction, ap_events *events,
                        ap_error *error) {
  (void)ode, (void)k, (void)located, (void)direction, (void)events;
  return no_problem(error);
}

ap_status ap_ode_advance_watching(ap_ode *ode, double *t, double *y, int *found, ap_error *error) {
  (void)ode, (void)t, (void)y, (void)found;
  return no_problem(error);
}

void ap__ode_govern(ap_ode *ode, int n) { (void)ode, (void)n; }

void ap__ode_mend(ap_ode *ode, ap_mend *mend) { (void)ode, (void)mend; }

long ap_ode_evaluations(const ap_ode *ode) {
  (void)ode;
  return 0;
}

long ap_ode_steps(const ap_ode *ode) {
  (void)ode;
  return 0;
}

#else

// ARKODE's view of the rate. The explicit stepper knows no failure that a shorter step could mend,
// so the first one ends the integration; what ARKODE asks for after it is refused.
int ap__ode_rate(realtype t, N_Vector y, N_Vector dydt, void *data) {
  ap_ode *ode = data;
  double *f = N_VGetArrayPointer(dydt);
  if (ode->failed) return -1;
  ode->evaluations++;
  ode->failed_at = t;
  ode->failed = ode->rate(ode->context, t, N_VGetArrayPointer(y), f);
  if (ode->failed) return -1;
  for (int i = 0; i < ode->n; i++) {
    if (isfinite(f[i])) continue;
    ode->failed = AP_E_NO_CONVERGENCE;
    ode->not_finite = i;
    return -1;
  }
  return 0;
}

// Takes what ARKODE would print.
static void keep_quiet(int code, const char *module, const char *function, char *text, void *data) {
  (void)code, (void)module, (void)function, (void)text, (void)data;
}

// Weights of the error of a step, whose root mean square is to stay below 1: over the entries that
// govern alone. The others have weights, which ARKODE wants positive, that count for nothing.
static int weights(N_Vector y, N_Vector weight, void *data) {
  const ap_ode *ode = data;
  const double *x = N_VGetArrayPointer(y);
  double *w = N_VGetArrayPointer(weight), share = sqrt((double)ode->n / ode->governing);
  for (int i = 0; i < ode->n; i++) {
    double bound = ode->options.relative * fabs(x[i]) + ode->options.absolute;
    if (!(bound > 0)) return -1;
    w[i] = i < ode->governing ? share / bound : 1e-100;
  }
  return 0;
}

void ap__ode_govern(ap_ode *ode, int n) {
  ode->governing = n;
  ERKStepWFtolerances(ode->stepper, weights);
}

static int mend_for_arkode(realtype t, N_Vector y, void *data) {
  ap_ode *ode = data;
  ap_status status = ode->mend(ode->context, N_VGetArrayPointer(y));
  if (status) ode->failed = status, ode->failed_at = t;
  return status ? -1 : 0;
}

void ap__ode_mend(ap_ode *ode, ap_mend *mend) {
  ode->mend = mend;
  ERKStepSetPostprocessStepFn(ode->stepper, mend ? mend_for_arkode : NULL);
}

// Everything that stays as it is over restarts. False: no memory.
static bool set_up(ap_ode *ode) {
  const ap_ode_options *o = &ode->options;
  if (SUNContext_Create(NULL, &ode->sundials)) return false;
  ode->y = N_VNew_Serial(ode->n, ode->sundials);
  if (!ode->y) return false;
  N_VConst(0, ode->y);
  ode->stepper = ERKStepCreate(ap__ode_rate, 0, ode->y, ode->sundials);
  if (!ode->stepper) return false;
  void *s = ode->stepper;
  return !ERKStepSetErrHandlerFn(s, keep_quiet, NULL) && !ERKStepSetUserData(s, ode) &&
         !ERKStepSetTableNum(s, ARKODE_DORMAND_PRINCE_7_4_5) &&
         !ERKStepSStolerances(s, o->relative, o->absolute) &&
         !ERKStepSetMaxNumSteps(s, o->most_steps) && !ERKStepSetMaxHnilWarns(s, -1) &&
         !ERKStepSetInitStep(s, o->first_step) && !ERKStepSetMaxStep(s, o->longest_step);
}

ap_status ap_ode_create(int n, ap_rate *rate, void *context, const ap_ode_options *options,
                        ap_ode **ode, ap_error *error) {
  ap_ode_options o = options ? *options : ap_default_ode_options();
  ap_status status = check_problem(n, rate, &o, ode, error);
  if (status) return status;
  ap_ode *made = calloc(1, sizeof *made);
  if (made) {
    *made = (ap_ode){.n = n, .rate = rate, .context = context, .options = o};
    if (set_up(made)) {
      *ode = made;
      return AP_OK;
    }
    ap_ode_free(made);
  }
  ap__fail(error, AP_E_MEMORY, 0, "not enough memory to integrate %d equations", n);
  return AP_E_MEMORY;
}

void ap_ode_free(ap_ode *ode) {
  if (!ode) return;
  if (ode->stepper) ERKStepFree(&ode->stepper);
  if (ode->watch.from) N_VDestroy(ode->watch.from);
  if (ode->watch.trial) N_VDestroy(ode->watch.trial);
  if (ode->watch.stage) N_VDestroyVectorArray(ode->watch.stage, ode->watch.stages);
  free(ode->watch.g);
  free(ode->watch.found);
  if (ode->y) N_VDestroy(ode->y);
  if (ode->sundials) SUNContext_Free(&ode->sundials);
  free(ode);
}

// Let go of the past; go on from ode->y at ode->t.
ap_status ap__ode_restart(ap_ode *ode, ap_error *error) {
  ode->counted = 0;
  ode->step_known = true;
  ode->at_zero = false;
  ode->step_t = ode->read_t = ode->t;
  if (ode->watch.from) N_VScale(1, ode->y, ode->watch.from);
  ode->running = ERKStepReInit(ode->stepper, ap__ode_rate, ode->t, ode->y) == ARK_SUCCESS;
  if (ode->running) return AP_OK;
  ap__fail(error, AP_E_MEMORY, 0, "not enough memory to start");
  return AP_E_MEMORY;
}

ap_status ap_ode_start(ap_ode *ode, double t, const double *y, ap_error *error) {
  if (!ode || !y) {
    ap__fail(error, AP_E_ARG, 0, "the %s is NULL", ode ? "state" : "problem");
    return AP_E_ARG;
  }
  if (!isfinite(t)) {
    ap__fail(error, AP_E_ARG, 0, "the time to start at is not finite");
    return AP_E_ARG;
  }
  for (int i = 0; i < ode->n; i++) {
    if (!isfinite(y[i])) {
      ap__fail(error, AP_E_ARG, 0, "entry %d of the state to start from is not finite", i);
      return AP_E_ARG;
    }
    if (ode->options.relative * fabs(y[i]) + ode->options.absolute == 0) {
      ap__fail(error, AP_E_ARG, 0,
               "entry %d of the state is 0, where the relative tolerance asks for an exact "
               "result; the absolute tolerance must be positive",
               i);
      return AP_E_ARG;
    }
  }
  memcpy(N_VGetArrayPointer(ode->y), y, (size_t)ode->n * sizeof *y);
  ode->t = t;
  return ap__ode_restart(ode, error);
}

// What a person is told of ARKODE's flag after an integration towards t.
ap_status ap__ode_explain(const ap_ode *ode, int flag, double t, ap_error *error) {
  double reached = ode->t;
  ERKStepGetCurrentTime(ode->stepper, &reached);
  ap_status status = AP_E_NO_CONVERGENCE;
  if (ode->failed && ode->not_finite >= 0)
    ap__fail(error, status, 0, "the rate of entry %d is not finite at t = %g", ode->not_finite,
             ode->failed_at);
  else if (ode->failed)
    ap__fail(error, status = ode->failed, 0, "the rate failed at t = %g: %s", ode->failed_at,
             ap_status_text(ode->failed));
  else if (flag == ARK_TOO_MUCH_WORK)
    ap__fail(error, status, 0,
             "%ld steps led to t = %g only, not to %g: allow more of them, or ask for less "
             "accuracy",
             ode->options.most_steps, reached, t);
  else if (flag == ARK_TOO_MUCH_ACC || flag == ARK_ILL_INPUT) // the latter: an entry is 0 exactly
    ap__fail(error, status, 0,
             "the tolerances (relative %g, absolute %g) ask for more at t = %g than double "
             "precision carries",
             ode->options.relative, ode->options.absolute, reached);
  else if (flag == ARK_ERR_FAILURE)
    ap__fail(error, status, 0,
             "no step from t = %g is short enough for the tolerances: the rate may jump there",
             reached);
  else if (flag == ARK_MEM_FAIL)
    ap__fail(error, status = AP_E_MEMORY, 0, "not enough memory to integrate %d equations", ode->n);
  else
    ap__fail(error, status, 0, "ARKODE stopped at t = %g with flag %d", reached, flag);
  return status;
}

ap_status ap__ode_check_advance(const ap_ode *ode, double t, const double *y, ap_error *error) {
  if (!ode || !y)
    ap__fail(error, AP_E_ARG, 0, "the %s is NULL", ode ? "place for the state" : "problem");
  else if (!ode->running)
    ap__fail(error, AP_E_ARG, 0, "the problem is not started; a failure ends it as well");
  else if (!isfinite(t))
    ap__fail(error, AP_E_ARG, 0, "the time to integrate to is not finite");
  else if (t <= ode->t)
    ap__fail(error, AP_E_ARG, 0, "t = %.17g does not lie ahead: the problem stands at %.17g", t,
             ode->t);
  else if (t - ode->t < 4 * DBL_EPSILON * fmax(fabs(t), fabs(ode->t)))
    ap__fail(error, AP_E_ARG, 0, "t = %.17g is too close to %.17g, where the problem stands", t,
             ode->t);
  else
    return AP_OK;
  return AP_E_ARG;
}

long ap__ode_count_steps(ap_ode *ode) {
  long steps = 0;
  ERKStepGetNumSteps(ode->stepper, &steps);
  long more = steps - ode->counted;
  ode->steps += more;
  ode->counted = steps;
  return more;
}

// Integrate until t is passed or stop is reached, and read y at the earlier of the two. ARKODE
// keeps a stop time until it is reached, so every call sets one.
static ap_status evolve(ap_ode *ode, double t, double stop, double *y, ap_error *error) {
  double reached = t < stop ? t : stop;
  ode->failed = AP_OK;
  ode->not_finite = -1;
  int flag = ERKStepSetStopTime(ode->stepper, stop);
  bool passing = flag == ARK_SUCCESS;
  while (passing) { // zeros of functions that are watched don't matter here
    flag = ERKStepEvolve(ode->stepper, t, ode->y, &(double){0}, ARK_NORMAL);
    passing = flag == ARK_ROOT_RETURN;
  }
  ap__ode_count_steps(ode);
  ode->step_known = false;
  // ARKODE does not look whether the evaluation of the rate failed with which it interpolates.
  if (flag < 0 || ode->failed) {
    ode->running = false;
    return ap__ode_explain(ode, flag, reached, error);
  }
  ode->t = reached;
  memcpy(y, N_VGetArrayPointer(ode->y), (size_t)ode->n * sizeof *y);
  return AP_OK;
}

ap_status ap_ode_advance(ap_ode *ode, double t, double *y, ap_error *error) {
  ap_status status = ap__ode_check_advance(ode, t, y, error);
  return status ? status : evolve(ode, t, DBL_MAX, y, error);
}

ap_status ap_ode_advance_to(ap_ode *ode, double t, double *y, ap_error *error) {
  ap_status status = ap__ode_check_advance(ode, t, y, error);
  if (status) return status;
  double stands = ode->t;
  ERKStepGetCurrentTime(ode->stepper, &stands);
  // An earlier reading was interpolated, and the step it lies in ends beyond t: go back to it.
  if (stands > t) status = ap__ode_restart(ode, error);
  // The aim lies beyond the stop, so that ARKODE sees the stop first and forgets it.
  return status ? status : evolve(ode, t + (t - ode->t), t, y, error);
}

long ap_ode_evaluations(const ap_ode *ode) { return ode ? ode->evaluations : 0; }

long ap_ode_steps(const ap_ode *ode) { return ode ? ode->steps : 0; }

#endif
