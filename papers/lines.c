// SPDX-License-Identifier: Apache-2.0
// The PUMA on the straight lines of three papers.
//
// Read as: the tool is the wrist centre (origin of frame 6), its velocity and orientation are
// constant, the torques are those of the prescribed motion at the integrator's own times, and
// nothing corrects a deviation. No paper says on which branch of the inverse kinematics the arm
// was; (1,1,1) stands in the rows, the other seven in the details.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments.h"
#include "line_figures.h"
#include "line_run.h"

enum { MAIN_BRANCH = 0, METHODS = 3, TIMED_REPEATS = 31, READINGS = 2 };

static const char *const derivative_name[LINE_DERIVATIVES] = {"position", "velocity",
                                                              "acceleration"};
static const char *const tool_unit[LINE_DERIVATIVES] = {"m", "m/s", "m/s2"};
static const char *const joint_unit[LINE_DERIVATIVES] = {"rad", "rad/s", "rad/s2"};

/// A paper's name for a method, and ours.
typedef struct contender {
  const char *label, *method;
} contender;

/// What an experiment works with.
typedef struct bench {
  const paper_options *options;
  report *r;
  ap_error *error;
  puma p;
  straight_line line[READINGS]; ///< the paper's, with the duration or speed that is asked for
  char reading[READINGS][32];   ///< how it is read: "line in 5 s"
} bench;

/// A simulation and its errors.
typedef struct outcome {
  line_run run;
  line_errors e;
} outcome;

// ---- common to the papers ----------------------------------------------------------------------

// A time, or a ratio of times; such numbers scatter from run to run.
static void report_time(report *r, const char *quantity, const char *unit, double printed,
                        double ours, const char *note) {
  report_row(r, quantity, unit, printed, ours, note);
  report_digits(r, 2);
}

// The paper's line in the duration that is asked for, and what that changes.
static ap_status set_up(bench *b, const paper *of, const straight_line *line,
                        const paper_options *options, report *r, ap_error *error) {
  char changed[128];
  *b = (bench){.options = options, .r = r, .error = error, .line = {*line, *line}};
  b->line[0].duration = paper_value(of, options, LINE_DURATION);
  snprintf(b->reading[0], sizeof b->reading[0], "line in %g s", b->line[0].duration);
  paper_is_changed(of, options, paper_parameters(of), changed, sizeof changed);
  report_changed(r, changed);
  return puma_make(&b->p, error);
}

static void clear(bench *b) {
  report_changed(b->r, "");
  puma_free(&b->p);
}

// What the words of an item mean, and what is done.
static void remark_reading(report *r) {
  report_remark(
      r,
      "The paper's tool centre point is taken as the wrist centre, the origin of frame 6. "
      "A branch of the inverse kinematics is told by three signs: of the shoulder, of "
      "the root for the elbow, and of the wrist's angle q5.");
}

static void remark_integrator(report *r) {
  report_remark(r,
                "Integrated by the method of Dormand and Prince, order 5(4), with relative and "
                "absolute tolerance %g. Which Runge-Kutta method the paper used, and how it "
                "chose steps, is not known.",
                LINE_TOLERANCE);
}

static void remark_times(report *r) {
  report_remark(
      r,
      "Times are medians over %d repetitions on this machine, shown with two digits: they "
      "scatter by some per cent from run to run, and so do their ratios.",
      TIMED_REPEATS);
}

static ap_status simulate(bench *b, const run_plan *plan, outcome *o) {
  ap_status status = simulate_line(&b->p, plan, &o->run, b->error);
  return status == AP_OK ? errors_of_run(&b->p, plan, &o->run, &o->e, b->error) : status;
}

// The line itself: how long, how fast.
static void report_line_facts(bench *b, const straight_line *l, double printed_speed,
                              const char *note) {
  report_row(b->r, "length of the line", "m", NAN, line_length(l), NULL);
  report_row(b->r, "speed", "m/s", printed_speed, line_length(l) / l->duration, note);
}

/// Torques along a line: at its start, and their range.
typedef struct torques {
  motion start;
  double least[LINE_JOINTS], most[LINE_JOINTS];
} torques;

// Looked at every 10 ms or less.
static ap_status torques_of(bench *b, const straight_line *l, int branch, torques *x) {
  int steps = (int)ceil(l->duration / 0.01);
  ap_status status = line_motion_or_say(&b->p, l, branch, 0, &x->start, b->error);
  if (status != AP_OK) return status;
  memcpy(x->least, x->start.tau, sizeof x->least);
  memcpy(x->most, x->start.tau, sizeof x->most);
  for (int k = 1; k <= steps; k++) {
    motion now;
    status = line_motion_or_say(&b->p, l, branch, l->duration * k / steps, &now, b->error);
    if (status != AP_OK) return status;
    for (int i = 0; i < LINE_JOINTS; i++) {
      x->least[i] = fmin(x->least[i], now.tau[i]);
      x->most[i] = fmax(x->most[i], now.tau[i]);
    }
  }
  return AP_OK;
}

static ap_status report_torques(bench *b, const straight_line *l, int branch, bool as_rows) {
  static const char *const name[3] = {"torque at the start", "least torque", "largest torque"};
  torques x;
  char narrowed[40], what[60];
  ap_status status = torques_of(b, l, branch, &x);
  if (status != AP_OK) return status;
  snprintf(narrowed, sizeof narrowed, "branch %s", branch_name(branch));
  for (int i = 0; i < LINE_JOINTS; i++) {
    const double value[3] = {x.start.tau[i], x.least[i], x.most[i]};
    for (int k = 0; k < 3; k++) {
      const char *note = fabs(value[k]) < LINE_ROUNDING ? "zero but for rounding" : NULL;
      snprintf(what, sizeof what, "%s, joint %d", name[k], i + 1);
      if (as_rows && k > 0)
        report_row(b->r, what, "N m", NAN, value[k], note);
      else
        report_detail(b->r, narrowed, what, "N m", NAN, value[k], note);
    }
  }
  return AP_OK;
}

// The main branch in rows where asked for, the rest in details.
static ap_status report_torques_of_all(bench *b, const straight_line *l, bool as_rows) {
  ap_status status = AP_OK;
  for (int branch = 0; branch < LINE_BRANCHES && status == AP_OK; branch++)
    status = report_torques(b, l, branch, as_rows && branch == MAIN_BRANCH);
  return status;
}

// Every number of a simulation, for programs.
static void detail_outcome(bench *b, const char *narrowed, const outcome *o) {
  char what[80];
  for (int d = 0; d < LINE_DERIVATIVES; d++) {
    const stray *const of[3] = {&o->e.modulus[d], &o->e.tool[d], &o->e.joint[d]};
    const char *const name[3] = {"modulus of the tool's", "tool's", "joints'"};
    for (int k = 0; k < 3; k++) {
      const char *unit = k < 2 ? tool_unit[d] : joint_unit[d];
      snprintf(what, sizeof what, "error of the %s %s, max", name[k], derivative_name[d]);
      report_detail(b->r, narrowed, what, unit, NAN, of[k]->max, NULL);
      snprintf(what, sizeof what, "error of the %s %s, mean", name[k], derivative_name[d]);
      report_detail(b->r, narrowed, what, unit, NAN, of[k]->mean, NULL);
    }
  }
  report_detail(b->r, narrowed, "evaluations", "", NAN, (double)o->run.evaluations, NULL);
}

// Details of a line by one method, on every branch and in every mode.
static ap_status detail_branches(bench *b, const straight_line *l, const char *what_line,
                                 contender c) {
  const ap_method *forward;
  ap_status status = find_method(AP_FORWARD, c.method, &forward, b->error);
  if (status != AP_OK) return status;
  for (int branch = 0; branch < LINE_BRANCHES; branch++) {
    for (run_mode mode = ONE_RUN; mode < RUN_MODES; mode++) {
      outcome o;
      char narrowed[100];
      run_plan plan = {l, branch, forward, mode};
      status = simulate(b, &plan, &o);
      if (status != AP_OK) return status;
      snprintf(narrowed, sizeof narrowed, "branch %s, %s%s, %s", branch_name(branch), what_line,
               c.label, run_mode_name(mode));
      detail_outcome(b, narrowed, &o);
    }
  }
  return AP_OK;
}

// The three methods on the main branch.
static ap_status run_methods(bench *b, const straight_line *l, const contender *methods,
                             run_mode mode, outcome o[METHODS]) {
  for (int k = 0; k < METHODS; k++) {
    run_plan plan = {.line = l, .branch = MAIN_BRANCH, .mode = mode};
    ap_status status = find_method(AP_FORWARD, methods[k].method, &plan.forward, b->error);
    if (status == AP_OK) status = simulate(b, &plan, &o[k]);
    if (status != AP_OK) return status;
  }
  return AP_OK;
}

// The same several times, the methods in turn so that all see the same machine; each outcome's time
// becomes the median.
static ap_status time_methods(bench *b, const straight_line *l, const contender *methods,
                              run_mode mode, outcome o[METHODS]) {
  double seconds[METHODS][TIMED_REPEATS];
  for (int n = 0; n < TIMED_REPEATS; n++) {
    ap_status status = run_methods(b, l, methods, mode, o);
    if (status != AP_OK) return status;
    for (int k = 0; k < METHODS; k++) seconds[k][n] = o[k].run.seconds;
  }
  for (int k = 0; k < METHODS; k++) o[k].run.seconds = median(seconds[k], TIMED_REPEATS);
  return AP_OK;
}

static double spread_of_methods(const bench *b, const outcome o[METHODS]) {
  double largest = 0;
  for (int i = 0; i < METHODS; i++)
    for (int j = 0; j < i; j++)
      largest = fmax(largest, distance_of_runs(&b->p, &o[i].run, &o[j].run));
  return largest;
}

static void remark_methods(report *r, const contender *methods) {
  report_remark(r, "%s, %s and %s are run as the forward methods %s, %s and %s.", methods[0].label,
                methods[1].label, methods[2].label, methods[0].method, methods[1].method,
                methods[2].method);
}

static ap_status draw(bench *b, const straight_line *l, const char *method, const char *path,
                      const char *forces, const char *errors) {
  const char *folder = b->options->plots;
  if (!folder) return AP_OK;
  ap_status status = figure_path(&b->p, l, MAIN_BRANCH, (figure_place){folder, path}, b->error);
  if (status == AP_OK)
    status = figure_torques(&b->p, l, MAIN_BRANCH, (figure_place){folder, forces}, b->error);
  if (status != AP_OK) return status;
  const ap_method *forward;
  status = find_method(AP_FORWARD, method, &forward, b->error);
  if (status != AP_OK) return status;
  return figure_errors(&b->p, l, MAIN_BRANCH, forward, (figure_place){folder, errors}, b->error);
}

static const char *const other_machine = "another machine: nothing follows from the difference";
static const char *const time_shared = "with inverse kinematics and torques, the same for all";
static const char *const time_quotient =
    "quotient of printed numbers; another machine, and ours scatters; with inverse kinematics and "
    "torques, the same for all";
static const char *const not_in_source = "printed number not legible in our copy";

// ---- Provenzano et al. 2002 --------------------------------------------------------------------

static const contender provenzano_methods[METHODS] = {{"CRBM", "composite-body-gauss-jordan"},
                                                      {"ABM", "articulated-body"},
                                                      {"GAH", "gibbs-gauss-jordan"}};

// Table 2: max and mean ("Prom.") of position, velocity, acceleration; processing time
static const struct {
  double error[LINE_DERIVATIVES][2], seconds;
} provenzano_table2[METHODS] = {
    {{{2.24416e-3, 1.98474e-4}, {1.48353e-3, 1.01924e-4}, {1.96068e-2, 1.73333e-3}}, 0.57},
    {{{2.24506e-3, 1.98552e-4}, {1.48402e-3, 1.01960e-4}, {1.96293e-2, 1.73432e-3}}, 0.65},
    {{{2.24446e-3, 1.98500e-4}, {1.48370e-3, 1.01937e-4}, {1.96184e-2, 1.73377e-3}}, 0.56}};

// Errors of the methods from the first-th on beside the printed ones.
static void table2_errors(report *r, const outcome o[METHODS], run_mode mode, int first,
                          const char *note) {
  char what[80];
  for (int d = 0; d < LINE_DERIVATIVES; d++)
    for (int j = 0; j < 2; j++)
      for (int k = first; k < METHODS; k++) {
        const stray *s = &o[k].e.modulus[d];
        snprintf(what, sizeof what, "%s, %s, %s, %s", derivative_name[d], j ? "mean" : "max",
                 provenzano_methods[k].label, run_mode_name(mode));
        report_row(r, what, tool_unit[d], provenzano_table2[k].error[d][j], j ? s->mean : s->max,
                   note);
      }
}

// What does not depend on how large the integrator's own errors are.
enum { RATIOS = 2 * LINE_DERIVATIVES - 1 };

static const struct {
  const char *name, *unit;
} ratio_of[RATIOS] = {{"position, max / mean", ""},
                      {"velocity, max / mean", ""},
                      {"acceleration, max / mean", ""},
                      {"velocity max / position max", "1/s"},
                      {"acceleration max / position max", "1/s2"}};

static void ratios_of(const double max[], const double mean[], double ratio[RATIOS]) {
  for (int d = 0; d < LINE_DERIVATIVES; d++) ratio[d] = max[d] / mean[d];
  for (int d = 1; d < LINE_DERIVATIVES; d++) ratio[LINE_DERIVATIVES - 1 + d] = max[d] / max[0];
}

static void printed_ratios(double ratio[RATIOS]) {
  double max[LINE_DERIVATIVES], mean[LINE_DERIVATIVES];
  for (int d = 0; d < LINE_DERIVATIVES; d++) {
    max[d] = provenzano_table2[METHODS - 1].error[d][0];
    mean[d] = provenzano_table2[METHODS - 1].error[d][1];
  }
  ratios_of(max, mean, ratio);
}

static void our_ratios(const outcome *o, double ratio[RATIOS]) {
  double max[LINE_DERIVATIVES], mean[LINE_DERIVATIVES];
  for (int d = 0; d < LINE_DERIVATIVES; d++)
    max[d] = o->e.modulus[d].max, mean[d] = o->e.modulus[d].mean;
  ratios_of(max, mean, ratio);
}

// A quotient of printed numbers has no more digits than they have.
static double rounded(double x, int digits) {
  char text[40];
  snprintf(text, sizeof text, "%.*g", digits, x);
  return strtod(text, NULL);
}

static void table2_ratios(report *r, const outcome *gah) {
  double printed[RATIOS], ours[RATIOS];
  printed_ratios(printed);
  our_ratios(gah, ours);
  for (int k = 0; k < RATIOS; k++) {
    char what[80];
    bool of_velocity = strncmp(ratio_of[k].name, "velocity", 8) == 0;
    snprintf(what, sizeof what, "%s, GAH, one run", ratio_of[k].name);
    report_row(r, what, ratio_of[k].unit, rounded(printed[k], 5), ours[k],
               of_velocity
                   ? "quotient of printed numbers; changes with size and sign of a deviation "
                     "of millimetres"
                   : "quotient of printed numbers; hardly depends on the size of the "
                     "integrator's errors");
  }
}

// Which branch fits the printed ratios best, by the largest of the five quotients ours / printed or
// printed / ours.
static ap_status table2_branch(bench *b) {
  double printed[RATIOS], ours[RATIOS], best = INFINITY;
  int fits = 0;
  const ap_method *forward;
  ap_status status = find_method(AP_FORWARD, provenzano_methods[2].method, &forward, b->error);
  if (status != AP_OK) return status;
  printed_ratios(printed);
  for (int branch = 0; branch < LINE_BRANCHES; branch++) {
    outcome o;
    double misfit = 0;
    char narrowed[40];
    run_plan plan = {&b->line[0], branch, forward, ONE_RUN};
    status = simulate(b, &plan, &o);
    if (status != AP_OK) return status;
    our_ratios(&o, ours);
    for (int k = 0; k < RATIOS; k++) misfit = fmax(misfit, fabs(log(ours[k] / printed[k])));
    snprintf(narrowed, sizeof narrowed, "branch %s", branch_name(branch));
    report_detail(b->r, narrowed, "largest misfit of a ratio, one run", "", NAN, exp(misfit), NULL);
    if (misfit < best) best = misfit, fits = branch;
  }
  report_remark(b->r,
                "Of the eight branches, %s fits the printed ratios best: the worst of the five is "
                "off by a factor of %.2f.",
                branch_name(fits), exp(best));
  return AP_OK;
}

static void table2_times(report *r, const outcome o[METHODS]) {
  char what[80];
  for (int k = 0; k < METHODS; k++) {
    snprintf(what, sizeof what, "processing time, %s, one run", provenzano_methods[k].label);
    report_time(r, what, "s", provenzano_table2[k].seconds, o[k].run.seconds, other_machine);
  }
  for (int k = 0; k < METHODS - 1; k++) {
    snprintf(what, sizeof what, "processing time, %s / GAH", provenzano_methods[k].label);
    report_time(r, what, "",
                rounded(provenzano_table2[k].seconds / provenzano_table2[2].seconds, 3),
                o[k].run.seconds / o[2].run.seconds, time_quotient);
  }
  for (int k = 0; k < METHODS; k++) {
    snprintf(what, sizeof what, "evaluations, %s, one run", provenzano_methods[k].label);
    report_row(r, what, "", NAN, (double)o[k].run.evaluations, NULL);
  }
}

// Which method errs least: what the paper says, what its table says, what came out.
static void table2_order(report *r, const outcome o[METHODS]) {
  int order[METHODS] = {0, 1, 2};
  for (int i = 1; i < METHODS; i++)
    for (int j = i; j > 0 && o[order[j]].e.modulus[0].max < o[order[j - 1]].e.modulus[0].max; j--) {
      int swap = order[j];
      order[j] = order[j - 1], order[j - 1] = swap;
    }
  double apart = o[order[METHODS - 1]].e.modulus[0].max - o[order[0]].e.modulus[0].max;
  report_remark(r,
                "The text finds ABM < GAH < CRBM; its table shows CRBM < GAH < ABM, 9e-7 m apart "
                "in the largest position error.");
  report_remark(
      r,
      "Ours come out as %s < %s < %s, %.1e m apart. It is rounding, enlarged by the growth "
      "and by the integrator's choice of steps; it says nothing about the methods.",
      provenzano_methods[order[0]].label, provenzano_methods[order[1]].label,
      provenzano_methods[order[2]].label, apart);
}

static void table2_spread(bench *b, const outcome o[METHODS], run_mode mode) {
  char what[80];
  snprintf(what, sizeof what, "largest distance between two methods, %s", run_mode_name(mode));
  report_row(b->r, what, "m", NAN, spread_of_methods(b, o), NULL);
}

// One go along the line, the reading whose errors have the printed size.
static ap_status table2_one_run(bench *b) {
  outcome o[METHODS];
  ap_status status = time_methods(b, &b->line[0], provenzano_methods, ONE_RUN, o);
  if (status != AP_OK) return status;
  table2_errors(b->r, o, ONE_RUN, 0, "the size is that of the integrator's own errors");
  table2_ratios(b->r, &o[METHODS - 1]);
  status = table2_branch(b);
  table2_times(b->r, o);
  table2_order(b->r, o);
  table2_spread(b, o, ONE_RUN);
  return status;
}

// The other readings of "a time interval of 0.1 s".
static ap_status table2_other_modes(bench *b) {
  for (run_mode mode = RESTARTED; mode < RUN_MODES; mode++) {
    outcome o[METHODS];
    char what[80];
    ap_status status = run_methods(b, &b->line[0], provenzano_methods, mode, o);
    if (status != AP_OK) return status;
    table2_errors(b->r, o, mode, METHODS - 1, "another reading of \"interval of 0.1 s\"");
    snprintf(what, sizeof what, "evaluations, GAH, %s", run_mode_name(mode));
    report_row(b->r, what, "", NAN, (double)o[METHODS - 1].run.evaluations, NULL);
    table2_spread(b, o, mode);
  }
  return AP_OK;
}

static ap_status provenzano_table(bench *b) {
  double growth;
  const straight_line *l = &b->line[0];
  report_item(b->r, "Table 2", "errors and processing time of the simulated straight line");
  report_remark(b->r,
                "Errors are differences of moduli (|r|, |v|, |a| of the wrist centre), read "
                "every 0.1 s; rows are for branch (1,1,1).");
  remark_integrator(b->r);
  remark_methods(b->r, provenzano_methods);
  remark_times(b->r);
  ap_status status = line_growth(&b->p, l, MAIN_BRANCH, &growth, b->error);
  if (status != AP_OK) return status;
  report_row(b->r, "growth of a deviation along the line", "", NAN, growth,
             "the integrator's own errors are enlarged by up to this");
  status = table2_one_run(b);
  if (status == AP_OK) status = table2_other_modes(b);
  for (int k = 0; k < METHODS && status == AP_OK; k++)
    status = detail_branches(b, l, "", provenzano_methods[k]);
  return status;
}

ap_status lines_provenzano2002(const paper_options *options, report *r, ap_error *error) {
  bench b;
  const straight_line *l = &b.line[0];
  char from[64];
  ap_status status = set_up(&b, &paper_provenzano2002, &provenzano2002_line, options, r, error);
  snprintf(from, sizeof from, "from the printed end points and %g s", l->duration);
  if (status == AP_OK) {
    report_item(r, "Fig. 1", "the planned straight line of the PUMA");
    report_remark(r,
                  "The paper gives no parameters of its PUMA: those of Valera et al. 2003 are "
                  "used.");
    remark_reading(r);
    report_line_facts(&b, l, 0.1, from);
    status = report_torques_of_all(&b, l, false);
  }
  if (status == AP_OK) status = provenzano_table(&b);
  if (status == AP_OK)
    status = draw(&b, l, "gibbs-gauss-jordan", "provenzano2002-fig1.svg",
                  "provenzano2002-torques.svg", "provenzano2002-errors.svg");
  clear(&b);
  return status;
}

// ---- Mata et al. 2002 --------------------------------------------------------------------------

static const contender mata_methods[METHODS] = {
    {"CRBA", "composite-body-cholesky"}, {"ABA", "articulated-body"}, {"GA", "gibbs-cholesky"}};

static ap_status mata_table6(bench *b) {
  static const char *const name[LINE_DERIVATIVES] = {"angle", "velocity", "acceleration"};
  report_item(b->r, "Table 6", "average errors of the joints on the simulated straight line");
  const ap_method *forward;
  ap_status status = find_method(AP_FORWARD, mata_methods[2].method, &forward, b->error);
  if (status != AP_OK) return status;
  report_remark(b->r,
                "Forward method %s, branch (1,1,1), means over the six joints and outputs "
                "every 0.1 s.",
                forward->name);
  remark_integrator(b->r);
  for (int k = 0; k < 4; k++) {
    outcome o;
    char what[80], narrowed[80];
    run_plan plan = {&b->line[k / 2], MAIN_BRANCH, forward, k % 2 ? RESTARTED : ONE_RUN};
    const char *reading = b->reading[k / 2], *mode = run_mode_name(plan.mode);
    status = simulate(b, &plan, &o);
    if (status != AP_OK) return status;
    for (int d = 0; d < LINE_DERIVATIVES; d++) {
      snprintf(what, sizeof what, "average error of %s (%s, %s)", name[d], reading, mode);
      report_row(b->r, what, joint_unit[d], NAN, o.e.joint[d].mean, not_in_source);
      snprintf(what, sizeof what, "average error of %s", name[d]);
      for (int i = 0; i < LINE_JOINTS; i++) {
        snprintf(narrowed, sizeof narrowed, "joint %d, %s, %s", i + 1, reading, mode);
        report_detail(b->r, narrowed, what, joint_unit[d], NAN, o.e.of_joint[d][i], not_in_source);
      }
    }
  }
  return AP_OK;
}

static void table7_rows(bench *b, const char *reading, const outcome o[METHODS]) {
  char what[100];
  for (int k = 0; k < METHODS; k++) {
    snprintf(what, sizeof what, "processing time, %s (%s)", mata_methods[k].label, reading);
    report_time(b->r, what, "s", NAN, o[k].run.seconds, not_in_source);
  }
  for (int k = 0; k < METHODS - 1; k++) {
    snprintf(what, sizeof what, "processing time, %s / GA (%s)", mata_methods[k].label, reading);
    report_time(b->r, what, "", NAN, o[k].run.seconds / o[METHODS - 1].run.seconds, time_shared);
  }
  for (int k = 0; k < METHODS; k++) {
    snprintf(what, sizeof what, "evaluations, %s (%s)", mata_methods[k].label, reading);
    report_row(b->r, what, "", NAN, (double)o[k].run.evaluations, not_in_source);
  }
  snprintf(what, sizeof what, "largest distance between two methods (%s)", reading);
  report_row(b->r, what, "m", NAN, spread_of_methods(b, o), "\"practically the same\" in the text");
}

static ap_status mata_table7(bench *b) {
  report_item(b->r, "Table 7", "processing time and evaluations of the simulation, one run");
  remark_methods(b->r, mata_methods);
  remark_times(b->r);
  for (int k = 0; k < 2; k++) {
    outcome o[METHODS];
    ap_status status = time_methods(b, &b->line[k], mata_methods, ONE_RUN, o);
    if (status != AP_OK) return status;
    table7_rows(b, b->reading[k], o);
  }
  ap_status status = AP_OK;
  for (int k = 0; k < READINGS && status == AP_OK; k++) {
    char narrowed[40];
    snprintf(narrowed, sizeof narrowed, "%s, ", b->reading[k]);
    status = detail_branches(b, &b->line[k], narrowed, mata_methods[METHODS - 1]);
  }
  return status;
}

static ap_status mata_figure3(bench *b) {
  const straight_line *l = &b->line[0];
  char from[2][64];
  snprintf(from[0], sizeof from[0], "from the printed end points and %g s", l->duration);
  snprintf(from[1], sizeof from[1], "from the printed end points and %g m/s",
           line_length(&b->line[1]) / b->line[1].duration);
  report_item(b->r, "Fig. 3", "the planned straight line of the PUMA (section 5.2)");
  report_remark(b->r,
                "The paper gives no parameters of its PUMA: those of Valera et al. 2003 are "
                "used. Its line, speed and time do not agree, so both readings are run.");
  remark_reading(b->r);
  report_line_facts(b, l, 0.1, from[0]);
  report_row(b->r, "duration", "s", 5, b->line[1].duration, from[1]);
  return report_torques_of_all(b, l, false);
}

// The paper's line can be read in two ways.
static ap_status set_up_mata(bench *b, const paper_options *options, report *r, ap_error *error) {
  ap_status status = set_up(b, &paper_mata2002, &mata2002_in_5s, options, r, error);
  const double speed = paper_value(&paper_mata2002, options, MATA_SPEED);
  b->line[1] = mata2002_at_100mm_per_s;
  if (speed != paper_mata2002.parameter[MATA_SPEED].value)
    b->line[1].duration = line_length(&b->line[1]) / speed;
  snprintf(b->reading[1], sizeof b->reading[1], "line at %g m/s", speed);
  return status;
}

ap_status lines_mata2002(const paper_options *options, report *r, ap_error *error) {
  bench b;
  ap_status status = set_up_mata(&b, options, r, error);
  if (status == AP_OK) status = mata_figure3(&b);
  if (status == AP_OK) status = mata_table6(&b);
  if (status == AP_OK) status = mata_table7(&b);
  if (status == AP_OK)
    status = draw(&b, &b.line[0], "gibbs-cholesky", "mata2002-fig3.svg", "mata2002-torques.svg",
                  "mata2002-errors.svg");
  clear(&b);
  return status;
}

// ---- Valera et al. 2003 ------------------------------------------------------------------------

static ap_status valera_simulation(bench *b) {
  const straight_line *l = &b->line[0];
  report_item(b->r, "Section 4, simulation", "the line driven by its torques alone");
  report_remark(b->r,
                "The paper says that it simulated and prints no number. Without a controller "
                "the arm leaves the line: a deviation grows by the factor below.");
  remark_integrator(b->r);
  const ap_method *forward;
  ap_status status = find_method(AP_FORWARD, NULL, &forward, b->error);
  if (status != AP_OK) return status;
  report_remark(b->r, "The forward method is %s: %s.", forward->name, forward->about);
  double growth;
  status = line_growth(&b->p, l, MAIN_BRANCH, &growth, b->error);
  if (status != AP_OK) return status;
  report_row(b->r, "growth of a deviation along the line", "", NAN, growth, NULL);
  for (run_mode mode = ONE_RUN; mode < RUN_MODES; mode++) {
    outcome o;
    char what[80];
    run_plan plan = {l, MAIN_BRANCH, forward, mode};
    status = simulate(b, &plan, &o);
    if (status != AP_OK) return status;
    for (int d = 0; d < LINE_DERIVATIVES; d++) {
      snprintf(what, sizeof what, "error of the tool's %s at the end, %s", derivative_name[d],
               run_mode_name(mode));
      report_row(b->r, what, tool_unit[d], NAN, o.e.tool[d].last, NULL);
    }
    snprintf(what, sizeof what, "evaluations, %s", run_mode_name(mode));
    report_row(b->r, what, "", NAN, (double)o.run.evaluations, NULL);
  }
  return detail_branches(b, l, "", (contender){forward->name, forward->name});
}

enum { TIMED_STATES = 64, TIMED_ROUNDS = 40 };

// Seconds of one inverse dynamics by a method, on states of the line.
static ap_status inverse_seconds(bench *b, const ap_method *method, double *seconds) {
  const straight_line *l = &b->line[0];
  double in[TIMED_STATES][3 * LINE_JOINTS], tau[LINE_JOINTS], taken[TIMED_REPEATS];
  for (int k = 0; k < TIMED_STATES; k++) {
    motion x;
    double t = l->duration * k / (TIMED_STATES - 1);
    ap_status status = line_motion_or_say(&b->p, l, MAIN_BRANCH, t, &x, b->error);
    if (status != AP_OK) return status;
    for (int i = 0; i < LINE_JOINTS; i++)
      in[k][i] = x.q[i], in[k][LINE_JOINTS + i] = x.v[i], in[k][2 * LINE_JOINTS + i] = x.a[i];
  }
  for (int repeat = 0; repeat < TIMED_REPEATS; repeat++) {
    double before = clock_seconds();
    for (int n = 0; n < TIMED_ROUNDS * TIMED_STATES; n++) {
      ap_status status = ap_study_eval(b->p.study, method, in[n % TIMED_STATES], tau, NULL);
      if (status != AP_OK)
        return line_fail(b->error, status, l, MAIN_BRANCH,
                         l->duration * (n % TIMED_STATES) / (TIMED_STATES - 1));
    }
    taken[repeat] = (clock_seconds() - before) / (TIMED_ROUNDS * TIMED_STATES);
  }
  *seconds = median(taken, TIMED_REPEATS);
  return AP_OK;
}

static ap_status valera_time(bench *b) {
  double seconds;
  report_item(b->r, "Section 4, execution time", "one evaluation of the control algorithm");
  const ap_method *method;
  ap_status status = find_method(AP_INVERSE, "gibbs-vector", &method, b->error);
  if (status == AP_OK) status = inverse_seconds(b, method, &seconds);
  if (status != AP_OK) return status;
  report_remark(b->r,
                "Ours is the paper's inverse dynamics alone (%s), without the controller "
                "around it, on this machine.",
                method->name);
  remark_times(b->r);
  report_time(b->r, "execution time, Pentium 150 MHz", "s", 0.225e-3, seconds, other_machine);
  report_time(b->r, "execution time, Pentium II 350 MHz", "s", 0.061e-3, seconds, other_machine);
  return AP_OK;
}

ap_status lines_valera2003(const paper_options *options, report *r, ap_error *error) {
  bench b;
  const straight_line *l = &b.line[0];
  char from[64];
  ap_status status = set_up(&b, &paper_valera2003, &valera2003_line, options, r, error);
  snprintf(from, sizeof from, "from the printed end points and %g s", l->duration);
  if (status == AP_OK) {
    report_item(r, "Tables 1, 4-7, Figs. 1, 2, 5", "nothing to compute");
    report_remark(
        r,
        "Table 1 lists algorithms, Table 4 control laws, Fig. 1 frames; Tables 5-7 are the "
        "parameters that the built-in robot puma600 has; Figs. 2 and 5 show hardware and "
        "measurements on it.");
    report_item(r, "Fig. 3", "the prescribed straight line of the PUMA");
    remark_reading(r);
    report_line_facts(&b, l, 0.1, from);
    report_item(r, "Fig. 4", "torques required in each joint");
    report_remark(r, "The curves are missing in the source at hand; branch (1,1,1).");
    report_remark(r,
                  "The paper gives no gravity: 9.81 m/s2 down z0 is used. Its d has the opposite "
                  "sign of Craig's, as its vectors r = [a, d sin(alpha), -d cos(alpha)] show "
                  "(AP_DH_VALERA). The inertia tensors of links 2 and 3 belong to bodies much "
                  "larger than the links; they are used as printed.");
    status = report_torques_of_all(&b, l, true);
  }
  if (status == AP_OK) status = valera_simulation(&b);
  if (status == AP_OK) status = valera_time(&b);
  if (status == AP_OK)
    status =
        draw(&b, l, NULL, "valera2003-fig3.svg", "valera2003-fig4.svg", "valera2003-errors.svg");
  clear(&b);
  return status;
}
