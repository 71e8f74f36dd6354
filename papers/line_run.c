// SPDX-License-Identifier: Apache-2.0
#include "line_run.h"

#include <appell/sim.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STATE = 2 * LINE_JOINTS };
static const double output_every = 0.1; // s
static const double turn = 6.28318530717958647692;

const char *run_mode_name(run_mode mode) {
  static const char *const name[RUN_MODES] = {"one run", "restarted every 0.1 s", "steps of 0.1 s"};
  return name[mode];
}

double clock_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double median(double *x, int n) {
  qsort(x, (size_t)n, sizeof *x, ascending);
  return x[n / 2];
}

// ---- simulation --------------------------------------------------------------------------------

typedef struct simulation {
  const puma *p;
  const run_plan *plan;
} simulation;

// y = [q; v], dy/dt = [v; a] with M(q) a + h(q, v) = torques of the line at time t
static ap_status state_rate(void *context, double t, const double *y, double *dydt) {
  const simulation *s = context;
  const run_plan *plan = s->plan;
  double in[STATE + LINE_JOINTS], a[LINE_JOINTS];
  motion x;
  ap_status status = line_motion(s->p, plan->line, plan->branch, t, &x);
  if (status != AP_OK) return status;
  memcpy(in, y, STATE * sizeof *in);
  memcpy(in + STATE, x.tau, sizeof x.tau);
  status = ap_study_eval(s->p->study, plan->forward, in, a, NULL);
  if (status != AP_OK) return status;
  memcpy(dydt, y + LINE_JOINTS, sizeof a);
  memcpy(dydt + LINE_JOINTS, a, sizeof a);
  return AP_OK;
}

// Outputs at 0, 0.1 s, ... and at the end; a last step shorter than rounding is none.
static int output_times(const straight_line *l, double *t) {
  int n = 0;
  for (; n < OUTPUTS_MOST - 1 && n * output_every < l->duration - 1e-9; n++)
    t[n] = n * output_every;
  t[n] = l->duration;
  return n + 1;
}

static ap_status integrate(const run_plan *plan, ap_ode *ode, const double *start, line_run *run,
                           ap_error *error) {
  double y[STATE];
  memcpy(y, start, sizeof y);
  ap_status status = ap_ode_start(ode, 0, y, error);
  for (int k = 0; status == AP_OK; k++) {
    memcpy(run->q[k], y, sizeof run->q[k]);
    memcpy(run->v[k], y + LINE_JOINTS, sizeof run->v[k]);
    if (k == run->outputs - 1) break;
    if (plan->mode != ONE_RUN && k > 0) status = ap_ode_start(ode, run->t[k], y, error);
    if (status != AP_OK) break;
    // in one run the last step may end beyond the line, which then just goes on
    status = plan->mode == ONE_RUN ? ap_ode_advance(ode, run->t[k + 1], y, error)
                                   : ap_ode_advance_to(ode, run->t[k + 1], y, error);
  }
  run->evaluations = ap_ode_evaluations(ode);
  return status;
}

static ap_status accelerations(simulation *s, line_run *run, ap_error *error) {
  for (int k = 0; k < run->outputs; k++) {
    double y[STATE], rate[STATE];
    memcpy(y, run->q[k], sizeof run->q[k]);
    memcpy(y + LINE_JOINTS, run->v[k], sizeof run->v[k]);
    ap_status status = state_rate(s, run->t[k], y, rate);
    if (status != AP_OK) return line_fail(error, status, s->plan->line, s->plan->branch, run->t[k]);
    memcpy(run->a[k], rate + LINE_JOINTS, sizeof run->a[k]);
  }
  return AP_OK;
}

ap_status simulate_line(const puma *p, const run_plan *plan, line_run *run, ap_error *error) {
  simulation s = {p, plan};
  double start[STATE];
  motion x;
  ap_ode *ode = NULL;
  run->outputs = output_times(plan->line, run->t);
  double before = clock_seconds();
  ap_status status = line_motion_or_say(p, plan->line, plan->branch, 0, &x, error);
  if (status != AP_OK) return status;
  memcpy(start, x.q, sizeof x.q);
  memcpy(start + LINE_JOINTS, x.v, sizeof x.v);
  ap_ode_options options = ap_default_ode_options();
  options.relative = options.absolute = LINE_TOLERANCE;
  options.order = 5;
  if (plan->mode == STEPPED) options.first_step = output_every;
  status = ap_ode_create(STATE, state_rate, &s, &options, &ode, error);
  if (status == AP_OK) status = integrate(plan, ode, start, run, error);
  ap_ode_free(ode);
  run->seconds = clock_seconds() - before;
  return status == AP_OK ? accelerations(&s, run, error) : status;
}

// ---- errors ------------------------------------------------------------------------------------

static double length3(const double x[3]) { return hypot(hypot(x[0], x[1]), x[2]); }

static void add_to(stray *s, double value, double share) {
  s->max = fmax(s->max, value);
  s->mean += share * value;
  s->last = value;
}

// Position, velocity and acceleration of the tool on the line.
static void tool_wanted(const straight_line *l, double t, double tool[9]) {
  line_tool(l, t, tool, tool + 3);
  tool[6] = tool[7] = tool[8] = 0;
}

static void add_tool_errors(const double *is, const double *wanted, double share, line_errors *e) {
  for (int d = 0; d < LINE_DERIVATIVES; d++) {
    double difference[3];
    for (int i = 0; i < 3; i++) difference[i] = is[3 * d + i] - wanted[3 * d + i];
    add_to(&e->tool[d], length3(difference), share);
    add_to(&e->modulus[d], fabs(length3(is + 3 * d) - length3(wanted + 3 * d)), share);
  }
}

static void add_joint_errors(const line_run *run, int k, const motion *x, line_errors *e) {
  double share = 1.0 / run->outputs;
  for (int d = 0; d < LINE_DERIVATIVES; d++) {
    double largest = 0;
    for (int i = 0; i < LINE_JOINTS; i++) {
      // angles may differ by whole turns
      double difference = d == 0   ? remainder(run->q[k][i] - x->q[i], turn)
                          : d == 1 ? run->v[k][i] - x->v[i]
                                   : run->a[k][i] - x->a[i];
      add_to(&e->joint[d], fabs(difference), share / LINE_JOINTS);
      e->of_joint[d][i] += share * fabs(difference);
      largest = fmax(largest, fabs(difference));
    }
    e->joint[d].last = largest;
  }
}

ap_status errors_of_run(const puma *p, const run_plan *plan, const line_run *run, line_errors *e,
                        ap_error *error) {
  *e = (line_errors){0};
  for (int k = 0; k < run->outputs; k++) {
    double is[9], wanted[9];
    motion x;
    ap_status status = line_motion_or_say(p, plan->line, plan->branch, run->t[k], &x, error);
    if (status != AP_OK) return status;
    tool_of(p, run->q[k], run->v[k], run->a[k], is);
    tool_wanted(plan->line, run->t[k], wanted);
    add_joint_errors(run, k, &x, e);
    add_tool_errors(is, wanted, 1.0 / run->outputs, e);
  }
  return AP_OK;
}

double tool_error_at(const puma *p, const run_plan *plan, const line_run *run, int k) {
  double is[9], wanted[9];
  tool_of(p, run->q[k], NULL, NULL, is);
  tool_wanted(plan->line, run->t[k], wanted);
  for (int i = 0; i < 3; i++) is[i] -= wanted[i];
  return length3(is);
}

double distance_of_runs(const puma *p, const line_run *one, const line_run *other) {
  double largest = 0;
  for (int k = 0; k < one->outputs && k < other->outputs; k++) {
    double a[9], b[9];
    tool_of(p, one->q[k], NULL, NULL, a);
    tool_of(p, other->q[k], NULL, NULL, b);
    for (int i = 0; i < 3; i++) a[i] -= b[i];
    largest = fmax(largest, length3(a));
  }
  return largest;
}
