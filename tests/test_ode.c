// SPDX-License-Identifier: Apache-2.0
// Differential equations whose solutions are known, integrated to a tolerance.

#include <appell/sim.h>

#include "test.h"

// What the rates below count and obey.
typedef struct watch {
  long calls;
  double latest;      // largest time asked for
  double fails_after; // from this time on the rate fails with status, where status is not AP_OK
  ap_status status;   // AP_OK: the rate is NaN instead
  long failing_call;  // this call of bent() fails; 0: none
} watch;

static watch fresh_watch(void) { return (watch){.latest = -INFINITY, .fails_after = INFINITY}; }

static void note(watch *w, double t) {
  w->calls++;
  w->latest = fmax(w->latest, t);
}

// y' = y
static ap_status growth(void *context, double t, const double *y, double *dydt) {
  watch *w = context;
  note(w, t);
  dydt[0] = y[0];
  if (t < w->fails_after) return AP_OK;
  dydt[0] = NAN;
  return w->status;
}

// x'' = -x: a full turn takes 2 pi.
static ap_status oscillator(void *context, double t, const double *y, double *dydt) {
  note(context, t);
  dydt[0] = y[1];
  dydt[1] = -y[0];
  return AP_OK;
}

// y' = cos(t) y, with one call that fails.
static ap_status bent(void *context, double t, const double *y, double *dydt) {
  watch *w = context;
  note(w, t);
  dydt[0] = cos(t) * y[0];
  return w->calls == w->failing_call ? AP_E_SINGULAR : AP_OK;
}

// y' = y^2 from 1 is 1 / (1 - t), which ends at t = 1.
static ap_status blow_up(void *context, double t, const double *y, double *dydt) {
  note(context, t);
  dydt[0] = y[0] * y[0];
  return AP_OK;
}

// y' = -1000 y: from 1 it falls below the smallest normal number at t = 0.71.
static ap_status decay(void *context, double t, const double *y, double *dydt) {
  note(context, t);
  dydt[0] = -1000 * y[0];
  return AP_OK;
}

static ap_ode *create(int n, ap_rate *rate, watch *w, const ap_ode_options *options) {
  ap_ode *ode = NULL;
  ap_error error = {0};
  if (!CHECK_OK(ap_ode_create(n, rate, w, options, &ode, &error))) printf("  %s\n", error.text);
  return ode;
}

static ap_ode_options tolerance(double tol) {
  ap_ode_options o = ap_default_ode_options();
  o.relative = o.absolute = tol;
  return o;
}

static const double one[1] = {1};
static const double right[2] = {1, 0};

TEST(growth_is_exponential) {
  watch w = fresh_watch();
  ap_ode *ode = create(1, growth, &w, NULL);
  if (!ode) return;
  CHECK_OK(ap_ode_start(ode, 0, one, NULL));
  for (int i = 1; i <= 20; i++) {
    double t = 0.25 * i, y[1];
    test_context("t = %g", t);
    CHECK_OK(ap_ode_advance(ode, t, y, NULL));
    // Local errors of 1e-6 (|y| + 1) a step, not more than a few tens of steps, each growing as y.
    CHECK_CLOSE(y[0], exp(t), 1e-4 * exp(t));
  }
  ap_ode_free(ode);
}

// States so small that the square of an error is below the least double: far within the tolerance.
TEST(tiny_states) {
  static const double sizes[] = {1e-150, 1e-160, -1e-170, 1e-300, 5e-324};
  for (int k = 0; k < 10; k++) {
    watch w = fresh_watch();
    ap_ode_options options = tolerance(1e-9);
    options.order = k % 2 ? 5 : 8;
    ap_ode *ode = create(2, oscillator, &w, &options);
    if (!ode) return;
    double x = sizes[k / 2], y[2] = {NAN, NAN};
    test_context("from %g, order %d", x, options.order);
    CHECK_OK(ap_ode_start(ode, 0, (double[2]){x, 0}, NULL));
    CHECK_OK(ap_ode_advance(ode, 2, y, NULL));
    CHECK(fabs(y[0]) <= 1e-9 && fabs(y[1]) <= 1e-9);
    ap_ode_free(ode);
  }
}

// The error of the oscillator after 10 turns, and the evaluations it took.
static double turn_error(double tol, bool stop, long *evaluations) {
  const double end = 20 * 3.14159265358979323846;
  watch w = fresh_watch();
  ap_ode_options options = tolerance(tol);
  ap_ode *ode = create(2, oscillator, &w, &options);
  if (!ode) return NAN;
  double y[2] = {NAN, NAN};
  CHECK_OK(ap_ode_start(ode, 0, right, NULL));
  CHECK_OK((stop ? ap_ode_advance_to : ap_ode_advance)(ode, end, y, NULL));
  *evaluations = ap_ode_evaluations(ode);
  ap_ode_free(ode);
  return hypot(y[0] - 1, y[1]);
}

// Steps h keep the local error, h^8 as it is estimated, at the tolerance. So the number of
// evaluations grows as tol^(-1/8), and the error falls in proportion to the tolerance, give or take
// what the choice of steps does.
TEST(error_falls_with_the_tolerance) {
  for (int stop = 0; stop <= 1; stop++) {
    double coarse = 0;
    long few = 0;
    for (int k = 4; k <= 10; k += 2) {
      long evaluations = 0;
      double error = turn_error(pow(10, -k), stop, &evaluations);
      test_context("tolerance 1e-%d, %s", k, stop ? "stopped" : "interpolated");
      CHECK(error < 1e3 * pow(10, -k)); // some hundred steps, errors added up
      if (k > 4) {
        CHECK(error < coarse / 10);
        double more = (double)evaluations / (double)few;
        CHECK(more > 1.3 && more < 2.4); // 100^(1/8) = 1.78
      }
      coarse = error;
      few = evaluations;
    }
  }
}

// Steps of fixed length h, as long as the tolerances are loose: halving them divides the error of a
// method of order p by 2^p, at the end of a step, and between steps, where the polynomial's own
// error is of the same order.
static void check_order(int order, double longest, double part) {
  for (int between = 0; between <= 1; between++) {
    double last = 0;
    for (int k = 0; k < 3; k++) {
      double h = longest / (1 << k);
      watch w = fresh_watch();
      ap_ode_options options = tolerance(1e3);
      options.first_step = options.longest_step = h;
      options.order = order;
      ap_ode *ode = create(2, oscillator, &w, &options);
      if (!ode) return;
      // 4 is a whole number of steps; the interpolated time lies at the same place of a step.
      double t = between ? 4 - 0.4 * h : 4, y[2] = {NAN, NAN};
      CHECK_OK(ap_ode_start(ode, 0, right, NULL));
      CHECK_OK(ap_ode_advance(ode, t, y, NULL));
      double error = hypot(y[0] - cos(t), y[1] + sin(t));
      test_context("order %d, h = %g, %s: error %g after %g", order, h,
                   between ? "between" : "at a step", error, last);
      CHECK_EQ_INT(ap_ode_steps(ode), (int)(4 / h));
      if (k > 0) CHECK(error < last / part * 2 && error > last / part / 2);
      last = error;
      ap_ode_free(ode);
    }
  }
}

TEST(orders_are_eight_and_five) {
  check_order(8, 1, 256);
  check_order(5, 0.5, 32);
}

TEST(stopping_agrees_with_interpolation) {
  watch w = fresh_watch();
  ap_ode_options options = tolerance(1e-9);
  ap_ode *dense = create(2, oscillator, &w, &options);
  if (!dense) return;
  ap_ode *stopped = create(2, oscillator, &w, &options);
  CHECK_OK(ap_ode_start(dense, 0, right, NULL));
  CHECK_OK(ap_ode_start(stopped, 0, right, NULL));
  for (int i = 1; i <= 100; i++) {
    double a[2], b[2], t = 0.01 * i * i;
    test_context("t = %g", t);
    CHECK_OK(ap_ode_advance(dense, t, a, NULL));
    w.latest = -INFINITY;
    CHECK_OK(ap_ode_advance_to(stopped, t, b, NULL));
    CHECK(w.latest <= t); // never beyond the stop
    CHECK_WITHIN(a, b, 2, 1e-6);
    CHECK_WITHIN(b, ((double[]){cos(t), -sin(t)}), 2, 1e-6);
  }
  CHECK(ap_ode_steps(dense) < ap_ode_steps(stopped)); // readings cost no steps
  ap_ode_free(dense);
  ap_ode_free(stopped);
}

// One problem, read in both ways by turns; also where a step has passed the stop already.
TEST(stops_and_readings_mix) {
  watch w = fresh_watch();
  ap_ode_options options = tolerance(1e-9);
  ap_ode *ode = create(2, oscillator, &w, &options);
  if (!ode) return;
  rng r = rng_seed(5);
  double t = 0, y[2];
  CHECK_OK(ap_ode_start(ode, 0, right, NULL));
  for (int i = 0; i < 400; i++) {
    t += rng_chance(&r, 0.5) ? rng_uniform(&r, 1e-6, 1e-3) : rng_uniform(&r, 0, 1);
    bool stop = rng_chance(&r, 0.5);
    test_context("reading %d, t = %g, %s", i, t, stop ? "stop" : "interpolation");
    w.latest = -INFINITY;
    CHECK_OK((stop ? ap_ode_advance_to : ap_ode_advance)(ode, t, y, NULL));
    if (stop) CHECK(w.latest <= t);
    CHECK_WITHIN(y, ((double[]){cos(t), -sin(t)}), 2, 1e-5);
  }
  ap_ode_free(ode);
}

TEST(restart_is_a_fresh_start) {
  static const double elsewhere[2] = {-3, 0.5};
  for (int stop = 0; stop <= 1; stop++) {
    watch w = fresh_watch();
    ap_ode *used = create(2, oscillator, &w, NULL);
    if (!used) return;
    ap_ode *fresh = create(2, oscillator, &w, NULL);
    double a[2], b[2];
    CHECK_OK(ap_ode_start(used, 0, right, NULL));
    CHECK_OK((stop ? ap_ode_advance_to : ap_ode_advance)(used, 7.7, a, NULL));
    CHECK_OK(ap_ode_start(used, -2, elsewhere, NULL));
    CHECK_OK(ap_ode_start(fresh, -2, elsewhere, NULL));
    long steps = ap_ode_steps(used), evaluations = ap_ode_evaluations(used);
    for (int i = 1; i <= 30; i++) {
      test_context("reading %d", i);
      CHECK_OK(ap_ode_advance(used, -2 + 0.3 * i, a, NULL));
      CHECK_OK(ap_ode_advance(fresh, -2 + 0.3 * i, b, NULL));
      CHECK_BITS(a, b, 2);
    }
    CHECK_EQ_INT(ap_ode_steps(used) - steps, ap_ode_steps(fresh));
    CHECK_EQ_INT(ap_ode_evaluations(used) - evaluations, ap_ode_evaluations(fresh));
    ap_ode_free(used);
    ap_ode_free(fresh);
  }
}

TEST(same_problem_same_bits) {
  double first[50][2];
  long steps = 0;
  for (int turn = 0; turn < 2; turn++) {
    watch w = fresh_watch();
    ap_ode *ode = create(2, oscillator, &w, NULL);
    if (!ode) return;
    CHECK_OK(ap_ode_start(ode, 0, right, NULL));
    for (int i = 0; i < 50; i++) {
      double y[2];
      CHECK_OK((i % 3 ? ap_ode_advance : ap_ode_advance_to)(ode, 0.37 * (i + 1), y, NULL));
      if (turn == 0)
        memcpy(first[i], y, sizeof y);
      else
        CHECK_BITS(y, first[i], 2);
    }
    if (turn == 0)
      steps = ap_ode_steps(ode);
    else
      CHECK_EQ_INT(ap_ode_steps(ode), steps);
    ap_ode_free(ode);
  }
}

TEST(counts_add_up) {
  watch w = fresh_watch();
  ap_ode *ode = create(1, growth, &w, NULL);
  if (!ode) return;
  CHECK_EQ_INT(ap_ode_steps(ode), 0);
  CHECK_EQ_INT(ap_ode_evaluations(ode), 0);
  long steps = 0;
  for (int i = 0; i < 5; i++) {
    double y[1];
    CHECK_OK(ap_ode_start(ode, 3, one, NULL));
    CHECK_EQ_INT(ap_ode_steps(ode), steps);
    CHECK_OK(ap_ode_advance_to(ode, 4, y, NULL));
    CHECK(ap_ode_steps(ode) > steps);
    steps = ap_ode_steps(ode);
    CHECK_EQ_INT(ap_ode_evaluations(ode), w.calls);
    // Twelve a step (the thirteenth is the next step's first); two to find the first step.
    CHECK(w.calls >= 12 * steps && w.calls <= 13 * steps + 15 * (i + 1));
  }
  ap_ode_free(ode);
}

TEST(the_rates_status_comes_back) {
  static const ap_status codes[] = {AP_E_SINGULAR, AP_E_UNREACHABLE, AP_E_ARG};
  for (int i = 0; i < 3; i++) {
    watch w = fresh_watch();
    w.fails_after = 2;
    w.status = codes[i];
    ap_ode *ode = create(1, growth, &w, NULL);
    if (!ode) return;
    ap_error error = {0};
    double y[1] = {-7};
    CHECK_OK(ap_ode_start(ode, 0, one, NULL));
    CHECK_STATUS(ap_ode_advance(ode, 5, y, &error), codes[i]);
    CHECK_STATUS(error.status, codes[i]);
    CHECK_HAS(error.text, "the right-hand side failed at t = ");
    CHECK_HAS(error.text, ap_status_text(codes[i]));
    CHECK(y[0] == -7);
    // Ended, until it is started again.
    CHECK_STATUS(ap_ode_advance(ode, 6, y, &error), AP_E_ARG);
    CHECK_HAS(error.text, "not started");
    CHECK_OK(ap_ode_start(ode, 0, one, NULL));
    CHECK_OK(ap_ode_advance_to(ode, 1, y, NULL));
    CHECK_CLOSE(y[0], exp(1), 1e-4);
    ap_ode_free(ode);
  }
}

// Whichever evaluation fails, also one that only serves to choose the first step or to interpolate.
TEST(no_failure_is_lost) {
  for (int stop = 0; stop <= 1; stop++) {
    long all = 0;
    for (long k = 0; k <= all; k++) {
      watch w = fresh_watch();
      w.failing_call = k;
      ap_ode *ode = create(1, bent, &w, NULL);
      if (!ode) return;
      double y[1];
      ap_status status = ap_ode_start(ode, 0, one, NULL);
      for (int i = 1; i <= 10 && !status; i++)
        status = (stop ? ap_ode_advance_to : ap_ode_advance)(ode, 0.3 * i, y, NULL);
      if (k == 0) all = ap_ode_evaluations(ode);
      test_context("evaluation %ld of %ld", k, all);
      CHECK_STATUS(status, k == 0 ? AP_OK : AP_E_SINGULAR);
      CHECK_EQ_INT(w.calls, k == 0 ? all : k); // and it is the last one
      ap_ode_free(ode);
    }
  }
}

TEST(a_failure_leaves_no_stop_behind) {
  watch w = fresh_watch();
  w.fails_after = 2;
  w.status = AP_E_SINGULAR;
  ap_ode *used = create(1, growth, &w, NULL);
  if (!used) return;
  double a[1], b[1];
  CHECK_OK(ap_ode_start(used, 0, one, NULL));
  CHECK_STATUS(ap_ode_advance_to(used, 3, a, NULL), AP_E_SINGULAR);
  w = fresh_watch();
  ap_ode *fresh = create(1, growth, &w, NULL);
  CHECK_OK(ap_ode_start(used, 1, one, NULL));
  CHECK_OK(ap_ode_start(fresh, 1, one, NULL));
  CHECK_OK(ap_ode_advance(used, 9, a, NULL));
  CHECK_OK(ap_ode_advance(fresh, 9, b, NULL));
  CHECK_BITS(a, b, 1);
  CHECK_CLOSE(a[0], exp(8), 1e-3 * exp(8));
  ap_ode_free(used);
  ap_ode_free(fresh);
}

TEST(a_rate_that_is_not_a_number) {
  watch w = fresh_watch();
  w.fails_after = 2; // with AP_OK: NaN
  ap_ode *ode = create(1, growth, &w, NULL);
  if (!ode) return;
  ap_error error = {0};
  double y[1];
  CHECK_OK(ap_ode_start(ode, 0, one, NULL));
  CHECK_STATUS(ap_ode_advance(ode, 5, y, &error), AP_E_NO_CONVERGENCE);
  CHECK_HAS(error.text, "the derivative of entry 0 is not finite at t = ");
  // From the first evaluation on.
  CHECK_OK(ap_ode_start(ode, 3, one, NULL));
  CHECK_STATUS(ap_ode_advance(ode, 5, y, &error), AP_E_NO_CONVERGENCE);
  CHECK_HAS(error.text, "at t = 3");
  ap_ode_free(ode);
}

TEST(steps_run_out) {
  watch w = fresh_watch();
  ap_ode_options options = tolerance(1e-10);
  options.most_steps = 20;
  ap_ode *ode = create(2, oscillator, &w, &options);
  if (!ode) return;
  ap_error error = {0};
  double y[2];
  CHECK_OK(ap_ode_start(ode, 0, right, NULL));
  CHECK_STATUS(ap_ode_advance(ode, 1000, y, &error), AP_E_NO_CONVERGENCE);
  CHECK_HAS(error.text, "20 steps reached only t = ");
  CHECK_EQ_INT(ap_ode_steps(ode), 20);
  // The limit holds between two readings, not over all of them.
  CHECK_OK(ap_ode_start(ode, 0, right, NULL));
  for (int i = 1; i <= 100; i++) CHECK_OK(ap_ode_advance(ode, 0.2 * i, y, NULL));
  CHECK(ap_ode_steps(ode) > 40);
  ap_ode_free(ode);
}

TEST(more_accuracy_than_there_is) {
  watch w = fresh_watch();
  ap_ode_options options = tolerance(1e-19);
  ap_ode *ode = create(2, oscillator, &w, &options);
  if (!ode) return;
  ap_error error = {0};
  double y[2];
  CHECK_OK(ap_ode_start(ode, 0, right, NULL));
  CHECK_STATUS(ap_ode_advance(ode, 1, y, &error), AP_E_NO_CONVERGENCE);
  CHECK_HAS(error.text, "double precision");
  ap_ode_free(ode);
}

TEST(a_solution_that_ends) {
  watch w = fresh_watch();
  ap_ode *ode = create(1, blow_up, &w, NULL);
  if (!ode) return;
  ap_error error = {0};
  double y[1];
  CHECK_OK(ap_ode_start(ode, 0, one, NULL));
  CHECK_OK(ap_ode_advance(ode, 0.9, y, NULL));
  CHECK_CLOSE(y[0], 10, 1e-2);
  CHECK_STATUS(ap_ode_advance(ode, 2, y, &error), AP_E_NO_CONVERGENCE);
  CHECK(error.text[0]);
  ap_ode_free(ode);
}

TEST(relative_tolerance_alone) {
  static const double zero[1] = {0};
  watch w = fresh_watch();
  ap_ode_options options = tolerance(1e-6);
  options.absolute = 0;
  ap_ode *ode = create(1, growth, &w, &options);
  if (!ode) return;
  ap_error error = {0};
  double y[1];
  CHECK_OK(ap_ode_start(ode, 0, one, NULL));
  CHECK_OK(ap_ode_advance(ode, 1, y, NULL));
  CHECK_CLOSE(y[0], exp(1), 1e-4);
  CHECK_STATUS(ap_ode_start(ode, 0, zero, &error), AP_E_ARG);
  CHECK_HAS(error.text, "absolute tolerance");
  ap_ode_free(ode);

  ode = create(1, decay, &w, &options);
  CHECK_OK(ap_ode_start(ode, 0, one, NULL));
  CHECK_STATUS(ap_ode_advance(ode, 2, y, &error), AP_E_NO_CONVERGENCE);
  CHECK_HAS(error.text, "double precision");
  ap_ode_free(ode);
}

static void refuse_options(const char *what, ap_ode_options options) {
  watch w = fresh_watch();
  ap_ode *ode = (ap_ode *)&w;
  ap_error error = {0};
  test_context("%s", what);
  CHECK_STATUS(ap_ode_create(1, growth, &w, &options, &ode, &error), AP_E_ARG);
  CHECK_STATUS(error.status, AP_E_ARG);
  CHECK(error.text[0]);
  CHECK(!ode);
}

TEST(bad_options) {
  ap_ode_options good = ap_default_ode_options(), o;
  o = good, o.relative = -1e-6, refuse_options("relative < 0", o);
  o = good, o.absolute = -1e-6, refuse_options("absolute < 0", o);
  o = good, o.relative = NAN, refuse_options("relative NaN", o);
  o = good, o.absolute = INFINITY, refuse_options("absolute infinite", o);
  o = good, o.relative = o.absolute = 0, refuse_options("both 0", o);
  o = good, o.first_step = -1, refuse_options("first step", o);
  o = good, o.longest_step = NAN, refuse_options("longest step", o);
  o = good, o.order = 4, refuse_options("order", o);
  o = good, o.most_steps = 0, refuse_options("most steps", o);
}

TEST(bad_arguments_to_create) {
  watch w = fresh_watch();
  ap_ode *ode = NULL;
  ap_error error = {0};
  CHECK_STATUS(ap_ode_create(0, growth, &w, NULL, &ode, &error), AP_E_ARG);
  CHECK_HAS(error.text, "at least 1 equation");
  CHECK_STATUS(ap_ode_create(-3, growth, &w, NULL, &ode, &error), AP_E_ARG);
  CHECK_STATUS(ap_ode_create(1, NULL, &w, NULL, &ode, &error), AP_E_ARG);
  CHECK_STATUS(ap_ode_create(1, growth, &w, NULL, NULL, &error), AP_E_ARG);
  CHECK_STATUS(ap_ode_create(1, NULL, NULL, NULL, &ode, NULL), AP_E_ARG);
  ap_ode_free(NULL);
}

TEST(bad_arguments_to_the_rest) {
  watch w = fresh_watch();
  ap_ode *ode = create(2, oscillator, &w, NULL);
  if (!ode) return;
  ap_error error = {0};
  double y[2];
  CHECK_STATUS(ap_ode_advance(ode, 1, y, &error), AP_E_ARG);
  CHECK_HAS(error.text, "not started");
  CHECK_STATUS(ap_ode_start(NULL, 0, right, &error), AP_E_ARG);
  CHECK_STATUS(ap_ode_start(ode, 0, NULL, &error), AP_E_ARG);
  CHECK_STATUS(ap_ode_start(ode, NAN, right, &error), AP_E_ARG);
  CHECK_STATUS(ap_ode_start(ode, 0, (double[]){0, INFINITY}, &error), AP_E_ARG);
  CHECK_HAS(error.text, "entry 1");
  CHECK_OK(ap_ode_start(ode, 1, right, NULL));
  for (int stop = 0; stop <= 1; stop++) {
    ap_status (*advance)(ap_ode *, double, double *, ap_error *) =
        stop ? ap_ode_advance_to : ap_ode_advance;
    CHECK_STATUS(advance(NULL, 2, y, &error), AP_E_ARG);
    CHECK_STATUS(advance(ode, 2, NULL, &error), AP_E_ARG);
    CHECK_STATUS(advance(ode, NAN, y, &error), AP_E_ARG);
    CHECK_STATUS(advance(ode, INFINITY, y, &error), AP_E_ARG);
    CHECK_STATUS(advance(ode, 1, y, &error), AP_E_ARG);
    CHECK_HAS(error.text, "is not after the current time");
    CHECK_STATUS(advance(ode, 0, y, &error), AP_E_ARG);
    CHECK_STATUS(advance(ode, nextafter(1, 2), y, &error), AP_E_ARG);
    CHECK_HAS(error.text, "too close");
  }
  // None of this did harm.
  CHECK_OK(ap_ode_advance(ode, 2, y, NULL));
  CHECK_STATUS(ap_ode_advance(ode, 2, y, &error), AP_E_ARG);
  CHECK_OK(ap_ode_advance(ode, 3, y, NULL));
  CHECK_WITHIN(y, ((double[]){cos(2), -sin(2)}), 2, 1e-4);
  ap_ode_free(ode);
}
