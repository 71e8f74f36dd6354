// SPDX-License-Identifier: Apache-2.0
// The PUMA on the straight lines of the papers: motions, torques, simulations, reports, figures.

#include "experiments.h"
#include "line_run.h"

#include <unistd.h>

#include "golden/puma_lines.h"
#include "golden/puma_runs.h"
#include "test.h"

static const double pi = 3.14159265358979323846;

static const straight_line *const lines[4] = {&provenzano2002_line, &valera2003_line,
                                              &mata2002_in_5s, &mata2002_at_100mm_per_s};

static puma arm;

static bool make_arm(void) {
  ap_error error = {0};
  bool made = CHECK_OK(puma_make(&arm, &error));
  if (!made) printf("  %s\n", error.text), puma_free(&arm);
  return made;
}

// ---- the prescribed motion ---------------------------------------------------------------------

// Angles, their rates, torques: the Jacobians' condition stays below a hundred on these lines, so
// some hundred roundings of it stay below 1e-11 of the largest entry.
TEST(motions_and_torques_are_the_golden_ones) {
  if (!make_arm()) return;
  for (size_t k = 0; k < sizeof golden_points / sizeof *golden_points; k++) {
    const golden_point *want = &golden_points[k];
    double turned[6];
    motion x;
    test_context("%s, branch %d, t = %g", lines[want->line]->name, want->branch, want->t);
    if (!CHECK_OK(line_motion(&arm, lines[want->line], want->branch, want->t, &x))) continue;
    for (int i = 0; i < 6; i++) turned[i] = want->q[i] + remainder(x.q[i] - want->q[i], 2 * pi);
    CHECK_NEAR(turned, want->q, 6, 1e-12);
    CHECK_NEAR(x.v, want->v, 6, 1e-11);
    CHECK_NEAR(x.a, want->a, 6, 1e-11);
    CHECK_NEAR(x.tau, want->tau, 6, 1e-11);
  }
  puma_free(&arm);
}

// The same line at another speed: the rates scale with it, the accelerations with its square.
TEST(both_readings_are_one_line) {
  if (!make_arm()) return;
  CHECK_CLOSE(line_length(&mata2002_at_100mm_per_s) / mata2002_at_100mm_per_s.duration, 0.1, 1e-16);
  double ratio = mata2002_in_5s.duration / mata2002_at_100mm_per_s.duration;
  for (int branch = 0; branch < LINE_BRANCHES; branch++) {
    motion slow, fast;
    test_context("branch %d", branch);
    CHECK_OK(line_motion(&arm, &mata2002_in_5s, branch, 2, &slow));
    CHECK_OK(line_motion(&arm, &mata2002_at_100mm_per_s, branch, 2 / ratio, &fast));
    for (int i = 0; i < 6; i++) slow.v[i] *= ratio, slow.a[i] *= ratio * ratio;
    CHECK_WITHIN(fast.q, slow.q, 6, 1e-13);
    CHECK_NEAR(fast.v, slow.v, 6, 1e-11);
    CHECK_NEAR(fast.a, slow.a, 6, 1e-11);
  }
  puma_free(&arm);
}

// The tool moves as asked: what ap_kinematics() says of a motion is the line again.
TEST(the_tool_is_on_the_line) {
  if (!make_arm()) return;
  for (int k = 0; k < 4; k++)
    for (int branch = 0; branch < LINE_BRANCHES; branch++)
      for (double t = 0; t < lines[k]->duration; t += 0.7) {
        double wanted[9] = {0}, is[9];
        motion x;
        test_context("%s, branch %d, t = %g", lines[k]->name, branch, t);
        if (!CHECK_OK(line_motion(&arm, lines[k], branch, t, &x))) continue;
        line_tool(lines[k], t, wanted, wanted + 3);
        tool_of(&arm, x.q, x.v, x.a, is);
        CHECK_WITHIN(is, wanted, 9, 1e-14);
      }
  puma_free(&arm);
}

TEST(a_line_beyond_reach_is_named) {
  if (!make_arm()) return;
  const straight_line far = {"a line too far", {0.5, 0, 0}, {1.5, 0, 0}, 1, {0, 90, 0}};
  ap_error error = {0};
  motion x;
  CHECK_STATUS(line_motion_or_say(&arm, &far, 3, 0.75, &x, &error), AP_E_UNREACHABLE);
  CHECK_STR(error.text, "a line too far, branch (1,-1,-1), t = 0.75 s: the pose cannot be reached");
  const ap_method *method;
  CHECK_STATUS(find_method(AP_FORWARD, "by-hand", &method, &error), AP_E_NOT_FOUND);
  CHECK_STR(error.text, "the library has no method \"by-hand\" for forward dynamics");
  puma_free(&arm);
}

// ---- simulations -------------------------------------------------------------------------------

static bool simulated(const run_plan *plan, line_run *run, line_errors *e) {
  ap_error error = {0};
  bool good = CHECK_OK(simulate_line(&arm, plan, run, &error)) &&
              CHECK_OK(errors_of_run(&arm, plan, run, e, &error));
  if (!good) printf("  %s\n", error.text);
  return good;
}

// Within a factor of the golden error.
static void check_order(double ours, double golden, double factor, const char *what) {
  test_true(ours < factor * golden && ours > golden / factor, what, __FILE__, __LINE__);
  if (!(ours < factor * golden && ours > golden / factor))
    printf("  %.3g, golden %.3g\n", ours, golden);
}

// The golden errors come from another implementation of the same Runge-Kutta pair, with its own
// first step and step control. The error is of order five in the step: a factor of ten is a step
// longer or shorter by 1.6. At the end of the line errors lie along the one direction that grows,
// so where they are small the ratio of largest to mean is free of their size.
TEST(errors_are_of_the_golden_size) {
  if (!make_arm()) return;
  const ap_method *forward = ap_find_method(AP_FORWARD, NULL);
  for (size_t k = 0; k < sizeof golden_runs / sizeof *golden_runs; k++) {
    const golden_run *want = &golden_runs[k];
    run_plan plan = {lines[want->line], want->branch, forward,
                     want->restarted ? RESTARTED : ONE_RUN};
    line_run run;
    line_errors e;
    test_context("%s, branch %d, %s", plan.line->name, plan.branch, run_mode_name(plan.mode));
    if (!simulated(&plan, &run, &e)) continue;
    for (int d = 0; d < LINE_DERIVATIVES; d++) {
      check_order(e.tool[d].max, want->tool[0][d], 10, "error of the tool, max");
      check_order(e.tool[d].mean, want->tool[1][d], 10, "error of the tool, mean");
      check_order(e.joint[d].max, want->joint[0][d], 10, "error of the joints, max");
      check_order(e.joint[d].mean, want->joint[1][d], 10, "error of the joints, mean");
      if (!want->restarted || want->line == 3) continue; // large, or not to the same end
      double ratio = want->tool[0][d] / want->tool[1][d];
      CHECK_CLOSE(e.tool[d].max / e.tool[d].mean, ratio, 0.01 * ratio);
      ratio = want->joint[0][d] / want->joint[1][d];
      CHECK_CLOSE(e.joint[d].max / e.joint[d].mean, ratio, 0.01 * ratio);
    }
  }
  puma_free(&arm);
}

// With the steps given, both implementations compute the same numbers; of the golden ones we have
// five digits.
TEST(given_steps_give_the_golden_errors) {
  if (!make_arm()) return;
  for (int k = 0; k < 2; k++) {
    run_plan plan = {&provenzano2002_line, golden_steps[k].branch, ap_find_method(AP_FORWARD, NULL),
                     STEPPED};
    line_run run;
    line_errors e;
    test_context("branch %d", plan.branch);
    if (!simulated(&plan, &run, &e)) continue;
    CHECK_EQ_INT(run.outputs, 51);
    for (int d = 0; d < LINE_DERIVATIVES; d++) {
      CHECK_CLOSE(e.modulus[d].max, golden_steps[k].modulus[0][d],
                  5e-5 * golden_steps[k].modulus[0][d]);
      CHECK_CLOSE(e.modulus[d].mean, golden_steps[k].modulus[1][d],
                  5e-5 * golden_steps[k].modulus[1][d]);
    }
  }
  puma_free(&arm);
}

// The transition matrix is integrated with a tolerance of 1e-6 per step, over some dozens of steps.
TEST(growth_is_the_golden_one) {
  if (!make_arm()) return;
  for (int k = 0; k < 3; k++)
    for (int branch = 0; branch < LINE_BRANCHES; branch++) {
      double growth = 0;
      ap_error error = {0};
      test_context("%s, branch %d", lines[k]->name, branch);
      CHECK_OK(line_growth(&arm, lines[k], branch, &growth, &error));
      CHECK_CLOSE(growth, golden_growth[k][branch], 1e-4 * golden_growth[k][branch]);
    }
  puma_free(&arm);
}

// Every forward method drives the arm along the same way. With given steps they differ by rounding
// that the motion enlarges; where the integrator chooses its steps, those differ as well, and the
// distance is a small part of the error instead.
TEST(methods_agree_on_the_way) {
  if (!make_arm()) return;
  for (run_mode mode = ONE_RUN; mode < RUN_MODES; mode++) {
    run_plan plan = {&provenzano2002_line, 0, ap_find_method(AP_FORWARD, NULL), mode};
    line_run first, other;
    line_errors e;
    if (!simulated(&plan, &first, &e)) break;
    double bound = mode == STEPPED ? golden_growth[0][0] * DBL_EPSILON : 1e-3 * e.tool[0].max;
    for (int i = 0; ap_method_at(i); i++) {
      if (ap_method_at(i)->what != AP_FORWARD) continue;
      plan.forward = ap_method_at(i);
      test_context("%s, %s", plan.forward->name, run_mode_name(mode));
      if (!simulated(&plan, &other, &e)) continue;
      CHECK_CLOSE(distance_of_runs(&arm, &first, &other), 0, bound);
      if (mode == STEPPED) CHECK_EQ_INT(other.evaluations, first.evaluations);
    }
  }
  puma_free(&arm);
}

// ---- reports and figures -----------------------------------------------------------------------

typedef ap_status experiment(const paper_options *options, report *r, ap_error *error);

static experiment *const experiments[3] = {lines_mata2002, lines_provenzano2002, lines_valera2003};
static const char *const papers[3] = {"mata2002", "provenzano2002", "valera2003"};

static bool run_experiment(int k, const char *plots, report *r) {
  ap_error error = {0};
  paper_options options = {.plots = plots};
  *r = (report){0};
  test_context("%s", papers[k]);
  bool good = CHECK_OK(experiments[k](&options, r, &error));
  if (!good) printf("  %s\n", error.text);
  return good;
}

// The row of that name; NULL and a failed check where there is none.
static const report_line *find_row(const report *r, const char *quantity) {
  for (int i = 0; i < r->lines; i++)
    if (r->line[i].kind == REPORT_ROW && strcmp(r->line[i].quantity, quantity) == 0)
      return &r->line[i];
  CHECK_STR("no such row", quantity);
  return NULL;
}

TEST(reports_hold_finite_numbers) {
  for (int k = 0; k < 3; k++) {
    report r;
    int items = 0, rows = 0, details = 0;
    run_experiment(k, NULL, &r);
    for (int i = 0; i < r.lines; i++) {
      const report_line *l = &r.line[i];
      items += l->kind == REPORT_ITEM, rows += l->kind == REPORT_ROW;
      details += l->kind == REPORT_DETAIL;
      if (l->kind != REPORT_ROW && l->kind != REPORT_DETAIL) continue;
      if (!isfinite(l->ours)) CHECK_STR(l->quantity, "a finite number");
      if (!isnan(l->printed) && l->printed != l->ours && !l->note[0])
        CHECK_STR(l->quantity, "a note on the difference");
    }
    CHECK(items >= 2 && rows >= 2 && details >= LINE_BRANCHES * LINE_JOINTS);
    report_free(&r);
  }
}

TEST(table_2_stands_beside_ours) {
  report r;
  if (run_experiment(1, NULL, &r)) {
    const report_line *row = find_row(&r, "position, max, GAH, one run");
    if (row) CHECK(row->printed == 2.24446e-3 && row->ours > 2.2e-4 && row->ours < 2.2e-2);
    row = find_row(&r, "processing time, ABM, one run");
    if (row) CHECK(row->printed == 0.65 && row->ours > 0);
    row = find_row(&r, "position, max, GAH, steps of 0.1 s");
    if (row) CHECK_CLOSE(row->ours, golden_steps[0].modulus[0][0], 1e-9);
    row = find_row(&r, "growth of a deviation along the line");
    if (row) CHECK_CLOSE(row->ours, golden_growth[0][0], 1e-4 * golden_growth[0][0]);
  }
  report_free(&r);
}

// A folder of this process; the caller removes it.
static bool make_folder(char *path, size_t size) {
  const char *folder = getenv("TMPDIR");
  snprintf(path, size, "%s/appell_lines_XXXXXX", folder ? folder : "/tmp");
  return CHECK(mkdtemp(path) != NULL);
}

TEST(figures_are_drawn) {
  static const char *const files[] = {
      "mata2002-fig3.svg",       "mata2002-torques.svg",       "mata2002-errors.svg",
      "provenzano2002-fig1.svg", "provenzano2002-torques.svg", "provenzano2002-errors.svg",
      "valera2003-fig3.svg",     "valera2003-fig4.svg",        "valera2003-errors.svg"};
  char folder[300], path[400];
  if (!make_folder(folder, sizeof folder)) return;
  for (int k = 0; k < 3; k++) {
    report r;
    run_experiment(k, folder, &r);
    report_free(&r);
  }
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    char start[6] = {0};
    snprintf(path, sizeof path, "%s/%s", folder, files[k]);
    FILE *file = fopen(path, "rb");
    test_context("%s", files[k]);
    if (!CHECK(file != NULL)) continue;
    CHECK(fread(start, 1, 5, file) == 5 && start[0] == '<');
    fclose(file);
    remove(path);
  }
  CHECK(rmdir(folder) == 0); // nothing else was written
}

TEST(a_missing_folder_is_an_error) {
  char folder[300];
  if (!make_folder(folder, sizeof folder) || !CHECK(rmdir(folder) == 0)) return;
  for (int k = 0; k < 3; k++) {
    report r = {0};
    ap_error error = {0};
    paper_options options = {.plots = folder};
    test_context("%s", papers[k]);
    CHECK_STATUS(experiments[k](&options, &r, &error), AP_E_FILE);
    CHECK_HAS(error.text, folder);
    report_free(&r);
  }
}
