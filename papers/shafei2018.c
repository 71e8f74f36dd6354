// SPDX-License-Identifier: Apache-2.0
// Shafei and Shafei 2018: trees by 3x3 rotations and 4x4 transformations, their impacts with walls.
//
// Read as: the wall is a circle of 2.5 m about the origin, joint angles are relative, J' adds to
// the inertia of a thin rod, and what the paper calls relative velocity is the jump of the velocity
// along the normal. Nothing corrects the motion.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiments.h"
#include "shafei_figures.h"
#include "shafei_run.h"

#define PI            3.14159265358979323846
#define PRINTED_START (-1.366)

enum { PRINTED_IMPACTS = 5, MORE_IMPACTS = 8, PAIRS = 4 };
/// The main run: 3 s, a state every 2 ms, of which Figs. 14 to 17 show 1.5 s.
enum { SAMPLES = 1500, SHOWN_SAMPLES = 751, COMPARED_EVERY = 10 };
static const double main_end = 3;

/// A column of Table 3 as printed.
typedef struct column {
  double t, angle, velocity, impulse;
  const char *points;
} column;
static const column table3[PRINTED_IMPACTS] = {{0.3851, 33.12, 6.32, 5.26, "O1 and O5"},
                                               {0.5698, 25.38, 8.62, 31.42, "O2 and O4"},
                                               {1.01, 36.87, 8.64, 4.12, "O8 and O11"},
                                               {1.082, 0, 12.48, 57.46, "O3"},
                                               {1.387, 34.108, 30.14, 15.96, "O1 and O5"}};

/// What the experiments share.
typedef struct study {
  const char *plots; ///< or NULL
  report *r;
  ap_error *error;
  double start, window; ///< of the main run
  char changed[128];    ///< what makes it another experiment than the paper's; "": it is that
  tree_lab lab;
  tree_run run; ///< the main one
} study;

// ---- Table 2 -----------------------------------------------------------------------------------

// The circle that O1, which falls upright with the tree until it touches, meets with that angle or
// at that time.
static void report_radius(report *r, double used) {
  double x = TREE_START, t = table3[0].t;
  report_row(r, "radius of the circle, used", "m", NAN, used, NULL);
  report_row(r, "radius by the printed angle of the first impact", "m", NAN,
             fabs(x) / sin(table3[0].angle * PI / 180), NULL);
  report_row(r, "radius by the printed time of the first impact", "m", NAN,
             hypot(x, x - 9.81 * t * t / 2), NULL);
}

static void report_parameters(study *s) {
  report *r = s->r;
  const ap_robot_def *def = &s->lab.def;
  const ap_body_def *rod = &def->bodies[def->nbody - 1];
  const double *end = def->frames[def->nframe - 1].xyz;
  double length = end[0], thin = rod->mass * length * length / 12;
  report_item(r, "Table 2", "parameters of the case study");
  report_remark(r,
                "The paper prints neither the wall nor what the angles are measured from. Both "
                "follow from its results: a circle about the origin, and angles relative to the "
                "link before.");
  report_remark(r,
                "J' is read as the cross-section's share, added to m l^2 / 12 of a thin rod. Its "
                "largest moment is more than the sum of the others, which no body has; that is "
                "rounding to three digits, and it is used as printed.");
  report_row(r, "length of a rod", "m", 1, length, NULL);
  report_row(r, "mass of a rod by length", "kg/m", 1, rod->mass / length, NULL);
  report_row(r, "J' along the rod", "kg m", 5.89e-5, rod->inertia[0] / length, NULL);
  report_row(r, "moment of inertia across the rod", "kg m2", thin + 2.94e-5 * length,
             rod->inertia[5], "m l^2 / 12 + J' l with the printed J' of 2.94e-5 kg m");
  report_row(r, "gravity", "m/s2", 9.81, -def->gravity[1], NULL);
  report_row(r, "coefficient of restitution", "", 1, s->lab.setup.restitution, NULL);
  report_row(
      r, "X1 and X2 at the start", "m", PRINTED_START, s->start,
      s->start == TREE_START
          ? "-(1 + sqrt 3) / 2, for which the tree is symmetric; the printed start is run too"
          : NULL);
  report_radius(r, s->lab.setup.radius);
}

// ---- Figs. 14 to 18 ----------------------------------------------------------------------------

// How far the tree is from symmetry about X1 = 0, by figure: places and velocities along X1, along
// X2. Points on the axis are pairs with themselves.
static void asymmetry(const study *s, double largest[4]) {
  static const int pair[PAIRS + 3][2] = {{1, 5}, {2, 4}, {7, 10}, {8, 11}, {3, 3}, {6, 6}, {9, 9}};
  memset(largest, 0, 4 * sizeof *largest);
  for (int k = 0; k < SHOWN_SAMPLES; k++) {
    double x[2][TREE_POINTS][2];
    tree_points(&s->lab, s->run.sample[k].q, s->run.sample[k].v, x[0], x[1]);
    for (int f = 0; f < 4; f++)
      for (int i = 0; i < PAIRS + 3; i++) {
        double a = x[f % 2][pair[i][0] - 1][f / 2], b = x[f % 2][pair[i][1] - 1][f / 2];
        largest[f] = fmax(largest[f], fabs(f < 2 ? a + b : a - b));
      }
  }
}

static ap_status report_motion(study *s) {
  static const struct {
    const char *item, *about, *quantity, *unit;
  } figure[4] = {
      {"Fig. 14", "places of the points along X1 over 1.5 s", "largest |X1 + X1'| of a pair", "m"},
      {"Fig. 15", "their velocities along X1", "largest |V1 + V1'| of a pair", "m/s"},
      {"Fig. 16", "their places along X2", "largest |X2 - X2'| of a pair", "m"},
      {"Fig. 17", "their velocities along X2", "largest |V2 - V2'| of a pair", "m/s"}};
  double largest[4];
  asymmetry(s, largest);
  for (int f = 0; f < 4; f++) {
    report_item(s->r, figure[f].item, figure[f].about);
    if (f == 0)
      report_remark(s->r,
                    "The figures' values are not printed. The paper reads from them that the tree "
                    "stays symmetric about X1 = 0; pairs are O1 and O5, O2 and O4, O7 and O10, O8 "
                    "and O11, and each of O3, O6 and O9 with itself.");
    report_row(s->r, figure[f].quantity, figure[f].unit, NAN, largest[f], NULL);
  }
  if (!s->plots) return AP_OK;
  return figure_points(&s->lab, &s->run, SHOWN_SAMPLES, s->plots, s->error);
}

static ap_status report_configurations(study *s) {
  report_item(s->r, "Fig. 18", "configurations at the impacts");
  report_remark(s->r,
                "The text to this figure has O2 and O4 touch at 1.08 s, which is the time of O3, "
                "and later names 0.5695 s; Table 3 has 0.5698 s.");
  for (int k = 0; k < PRINTED_IMPACTS && k < s->run.impacts; k++) {
    double at[TREE_POINTS][2];
    char narrowed[32];
    tree_points(&s->lab, s->run.impact[k].q, NULL, at, NULL);
    snprintf(narrowed, sizeof narrowed, "impact %d", k + 1);
    for (int i = 0; i < TREE_POINTS; i++)
      for (int j = 0; j < 2; j++) {
        char quantity[32];
        snprintf(quantity, sizeof quantity, "X%d of O%d", j + 1, i + 1);
        report_detail(s->r, narrowed, quantity, "m", NAN, at[i][j], NULL);
      }
  }
  if (!s->plots) return AP_OK;
  return figure_configurations(&s->lab, &s->run, s->plots, s->error);
}

// ---- Table 3 -----------------------------------------------------------------------------------

#define BEYOND_DIGITS                                                                          \
  "apart by more than the printed digits; most of it comes out where impacts are found late, " \
  "as the runs with fixed steps below show, the rest is not known"

/// A quantity of Table 3: as printed, its last digit, and ours.
typedef struct cell {
  const char *quantity, *unit;
  double printed, digit, ours;
} cell;

static void cells_of(const tree_impact *x, const column *printed, cell c[4]) {
  const column none = {NAN, NAN, NAN, NAN, ""};
  if (!printed) printed = &none;
  c[0] = (cell){"t", "s", printed->t, printed->t < 1 ? 1e-4 : 1e-3, x->t};
  if (printed->t == 1.01) c[0].digit = 1e-2;
  c[1] = (cell){"angle", "deg", printed->angle, 1e-2, x->angle[0]};
  if (printed->angle == 34.108) c[1].digit = 1e-3;
  c[2] = (cell){"velocity", "m/s", printed->velocity, 1e-2, x->velocity[0]};
  c[3] = (cell){"impulse", "N s", printed->impulse, 1e-2, x->impulse[0]};
}

// What the second point of a pair has, and what the header of the table would mean.
static void detail_impact(report *r, const char *narrowed, const tree_impact *x) {
  char quantity[48];
  for (int k = 0; k < x->points; k++) {
    int o = x->point[k] + 1;
    snprintf(quantity, sizeof quantity, "angle, O%d", o);
    report_detail(r, narrowed, quantity, "deg", NAN, x->angle[k], NULL);
    snprintf(quantity, sizeof quantity, "velocity, O%d", o);
    report_detail(r, narrowed, quantity, "m/s", NAN, x->velocity[k], NULL);
    snprintf(quantity, sizeof quantity, "velocity, whole jump, O%d", o);
    report_detail(r, narrowed, quantity, "m/s", NAN, x->jump[k],
                  "the length of the vector that the table's header names; not what it holds");
    snprintf(quantity, sizeof quantity, "impulse, O%d", o);
    report_detail(r, narrowed, quantity, "N s", NAN, x->impulse[k], NULL);
  }
  report_detail(r, narrowed, "energy lost", "J", NAN, x->lost, NULL);
}

/// How a run is shown.
typedef struct showing {
  const char *variant; ///< put behind the names of the impacts: ", start -1.366"
  const char *note;    ///< to numbers that differ by more than the printed digits
} showing;

// The impacts of a run beside the printed ones.
static void report_impacts(report *r, const tree_run *run, const showing *how) {
  for (int k = 0; k < run->impacts && k < MORE_IMPACTS; k++) {
    const tree_impact *x = &run->impact[k];
    const column *printed = k < PRINTED_IMPACTS ? &table3[k] : NULL;
    char narrowed[64];
    cell c[4];
    snprintf(narrowed, sizeof narrowed, "impact %d%s", k + 1, how->variant);
    cells_of(x, printed, c);
    for (int i = 0; i < 4; i++) {
      const char *note = fabs(c[i].ours - c[i].printed) > c[i].digit / 2 ? how->note : NULL;
      if (printed)
        report_narrowed_row(r, narrowed, c[i].quantity, c[i].unit, c[i].printed, c[i].ours, note);
      else
        report_detail(r, narrowed, c[i].quantity, c[i].unit, c[i].printed, c[i].ours, note);
    }
    detail_impact(r, narrowed, x);
  }
}

static ap_status report_printed_start(study *s) {
  tree_plan plan = {.start = PRINTED_START, .window = 1e-4, .end = 1.5, .samples = 1};
  tree_run run;
  ap_status status = tree_simulate(&s->lab, &plan, &run, s->error);
  if (status == AP_OK) {
    report_item(s->r, "Table 3", "the same from the printed start");
    report_remark(s->r,
                  "From -1.366 m the tree is 2.5e-5 m beside the axis of symmetry, and points of a "
                  "pair touch apart in time. Impacts within 1e-4 s of each other count as one.");
    report_impacts(s->r, &run, &(showing){", start -1.366", BEYOND_DIGITS});
  }
  tree_run_free(&run);
  return status;
}

// Taken one after the other, the impacts of a pair are not those of the table.
static ap_status report_one_by_one(study *s) {
  tree_plan plan = {.start = PRINTED_START, .end = 1.5, .samples = 1};
  tree_run run;
  ap_status status = tree_simulate(&s->lab, &plan, &run, s->error);
  if (status == AP_OK && run.impacts > 1) {
    report_item(s->r, "Table 3", "the same, no two impacts taken together");
    report_remark(s->r,
                  "From the printed start O%d touches %.3g s before O%d, and the law of impacts "
                  "jumps where two of them coincide: the table is lost. So the paper took its "
                  "impacts in pairs, and the time within which two are one is part of the model.",
                  run.impact[0].point[0] + 1, run.impact[1].t - run.impact[0].t,
                  run.impact[1].point[0] + 1);
    for (int k = 0; k < run.impacts && run.impact[k].t < 1.4; k++) {
      const tree_impact *x = &run.impact[k];
      char narrowed[64], quantity[32];
      cell c[4];
      snprintf(narrowed, sizeof narrowed, "event %d, start -1.366, one by one", k + 1);
      snprintf(quantity, sizeof quantity, "t, O%d", x->point[0] + 1);
      report_narrowed_row(s->r, narrowed, quantity, "s", NAN, x->t, NULL);
      cells_of(x, NULL, c);
      for (int i = 1; i < 4; i++)
        report_detail(s->r, narrowed, c[i].quantity, c[i].unit, NAN, c[i].ours, NULL);
    }
  }
  tree_run_free(&run);
  return status;
}

// Shorter steps than these come closer to the exact values, and take longer.
static ap_status report_late(study *s) {
  tree_plan plan = {.start = TREE_START, .end = 1.4, .samples = 1, .step = 1e-4};
  tree_run run;
  ap_status status = tree_simulate(&s->lab, &plan, &run, s->error);
  if (status == AP_OK) {
    report_item(s->r, "Table 3", "the same, impacts found late");
    report_remark(
        s->r,
        "From the exact start in fixed steps of 1e-4 s (classical Runge-Kutta), the last digit of "
        "the first printed times, impacts taken where the step that passed them ends: angles, "
        "velocities and impulses of impacts 3 to 5 come closer to the printed ones. The paper "
        "names ode45 and steps of 1e-5 s, and the latter deviate less than these; what made its "
        "table is not known.");
    report_impacts(s->r, &run,
                   &(showing){", steps of 1e-4 s", "apart by more than the printed digits"});
  }
  tree_run_free(&run);
  return status;
}

// "O1 and O5, O2 and O4, O3": the points of the first impacts.
static void name_points(const tree_run *run, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; k < run->impacts && k < PRINTED_IMPACTS; k++)
    for (int i = 0; i < run->impact[k].points && used < size; i++)
      used += (size_t)snprintf(text + used, size - used, "%sO%d",
                               i   ? " and "
                               : k ? ", "
                                   : "",
                               run->impact[k].point[i] + 1);
}

static ap_status report_table3(study *s) {
  char points[128];
  name_points(&s->run, points, sizeof points);
  report_item(s->r, "Table 3", "impacts of the tree with the circle");
  report_remark(s->r, "The first impacts are those of %s.", points[0] ? points : "no point");
  report_remark(s->r,
                "From %.17g m, tolerance %g of the integrator; the points of a pair touch at the "
                "same moment and are one impact. The angle is that between incoming velocity and "
                "normal. The velocity is the jump of the normal component, (1 + e) |v_n|, which "
                "the numbers fit; the table's header names the vector. The impulse is that at one "
                "of the points.",
                s->start, s->lab.setup.tolerance);
  report_impacts(s->r, &s->run, &(showing){"", BEYOND_DIGITS});
  if (s->changed[0]) return AP_OK; // the variants below explain the paper's numbers
  ap_status status = report_printed_start(s);
  if (status == AP_OK) status = report_one_by_one(s);
  return status == AP_OK ? report_late(s) : status;
}

// ---- Fig. 19 and times -------------------------------------------------------------------------

static ap_status report_energy(study *s) {
  const tree_sample *first = &s->run.sample[0];
  double start = first->kinetic + first->potential, largest = 0, lost = 0;
  for (int k = 0; k < s->run.samples; k++) {
    const tree_sample *x = &s->run.sample[k];
    double total = x->kinetic + x->potential;
    for (int i = 0; i < s->run.impacts && s->run.impact[i].t <= x->t; i++)
      total += s->run.impact[i].lost;
    largest = fmax(largest, fabs(total - start));
  }
  for (int k = 0; k < s->run.impacts; k++) lost = fmax(lost, fabs(s->run.impact[k].lost));
  report_item(s->r, "Fig. 19", "energy over 3 s");
  if (!s->changed[0])
    report_remark(s->r,
                  "The run ends at 3 s. After about 3.7 s the motion is chaotic: what comes out "
                  "depends on the tolerance, though the energy stays.");
  report_row(s->r, "total energy at the start", "J", 18.66, start, NULL);
  report_row(s->r, "largest deviation from it", "J", NAN, largest,
             lost > 1e-9 ? "what impacts have taken is added" : NULL);
  report_row(s->r, "largest change by an impact", "J", NAN, lost, NULL);
  return s->plots ? figure_energy(&s->run, s->plots, s->error) : AP_OK;
}

static ap_status report_time(study *s) {
  tree_plan plan = {.start = s->start, .window = s->window, .end = main_end, .samples = 1};
  tree_run run;
  char note[80];
  ap_status status = tree_simulate(&s->lab, &plan, &run, s->error);
  if (status == AP_OK) {
    snprintf(note, sizeof note, "of this machine, in this run: tolerance %g, every impact located",
             s->lab.setup.tolerance);
    report_item(s->r, "CPU time", "of 3 s of motion");
    report_remark(s->r,
                  "The paper needs about 40 hr for deriving and solving the equations with steps "
                  "of 1e-5 s, on an Intel Core i3-3220. How much of it the derivation took, and "
                  "how many seconds of motion were computed, it does not say, so that no ratio "
                  "means anything.");
    report_row(s->r, "processor time", "s", NAN, run.seconds, note);
    report_row(s->r, "evaluations of the equations of motion", "", NAN, (double)run.evaluations,
               NULL);
  }
  tree_run_free(&run);
  return status;
}

// ---- the formulations --------------------------------------------------------------------------

/// A quantity by the Gibbs-Appell method with 3x3 rotations, and by those with 4x4 matrices.
typedef struct contest {
  ap_quantity what;
  const char *name, *base;
} contest;

// Largest difference of two methods over the run, relative to the largest entry.
static ap_status compare_methods(study *s, const contest *c, const char *other, double *largest) {
  const ap_method *method[2] = {ap_find_method(c->what, c->base), ap_find_method(c->what, other)};
  int n = ap_columns_out(s->lab.m, c->what);
  *largest = 0;
  for (int k = 0; k < s->run.samples; k += COMPARED_EVERY) {
    double in[3 * TREE_DOFS] = {0}, out[2][TREE_DOFS * TREE_DOFS], apart = 0, size = 0;
    memcpy(in, s->run.sample[k].q, sizeof s->run.sample[k].q);
    memcpy(in + TREE_DOFS, s->run.sample[k].v, sizeof s->run.sample[k].v);
    for (int i = 0; i < 2; i++) {
      ap_status status =
          method[i] ? ap_study_eval(s->lab.study, method[i], in, out[i], NULL) : AP_E_NOT_FOUND;
      if (status == AP_OK) continue;
      s->error->status = status;
      snprintf(s->error->text, sizeof s->error->text, "%s by %s: %s", ap_quantity_name(c->what),
               i ? other : c->base, ap_status_text(status));
      return status;
    }
    for (int i = 0; i < n; i++) {
      apart = fmax(apart, fabs(out[0][i] - out[1][i]));
      size = fmax(size, fabs(out[0][i]));
    }
    if (size > 0) *largest = fmax(*largest, apart / size);
  }
  return AP_OK;
}

static ap_status report_methods(study *s) {
  static const contest contests[3] = {{AP_INERTIA, "inertia matrix", "gibbs-hessian"},
                                      {AP_BIAS, "bias", "gibbs-tensor"},
                                      {AP_FORWARD, "acceleration", "gibbs-cholesky"}};
  static const char *const others[2] = {"gibbs-4x4", "lagrange-4x4"};
  report_item(s->r, "Equations of motion", "the formulations of Table 1 along the run");
  report_remark(s->r,
                "Largest difference over %d states of the 3 s, relative to the largest entry. The "
                "acceleration multiplies it by the condition of the inertia matrix.",
                (s->run.samples - 1) / COMPARED_EVERY + 1);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 2; i++) {
      double largest;
      char quantity[96];
      ap_status status = compare_methods(s, &contests[k], others[i], &largest);
      if (status != AP_OK) return status;
      snprintf(quantity, sizeof quantity, "%s, %s against %s", contests[k].name, others[i],
               contests[k].base);
      report_row(s->r, quantity, "", NAN, largest, NULL);
    }
  return AP_OK;
}

// ---- the paper ---------------------------------------------------------------------------------

static ap_status case_study(study *s) {
  tree_plan plan = {.start = s->start, .window = s->window, .end = main_end, .samples = SAMPLES};
  report_parameters(s);
  report_changed(s->r, s->changed);
  ap_status status = tree_simulate(&s->lab, &plan, &s->run, s->error);
  if (status == AP_OK) status = report_motion(s);
  if (status == AP_OK) status = report_configurations(s);
  if (status == AP_OK) status = report_table3(s);
  if (status == AP_OK) status = report_energy(s);
  if (status == AP_OK) status = report_time(s);
  if (status == AP_OK) status = report_methods(s);
  report_changed(s->r, "");
  return status;
}

static const paper_parameter parameters[] = {
    [SHAFEI_GRAVITY] = {"gravity", "m/s2", 9.81, 0, 100, false, "along -X2"},
    [SHAFEI_RADIUS] = {"radius", "m", 2.5, 2, 10, false,
                       "of the circle; not printed, it follows from Table 3"},
    [SHAFEI_RESTITUTION] = {"restitution", "", 1, 0, 1, false, "coefficient of restitution"},
    [SHAFEI_START] = {"start", "m", TREE_START, -1.4, -1.3, false,
                      "X1 and X2 of the first point, O1, at rest; printed -1.366"},
    [SHAFEI_TOLERANCE] = {"tolerance", "", 1e-12, 1e-14, 1e-4, false,
                          "of the integrator, relative and absolute"},
    [SHAFEI_WINDOW] = {"window", "s", 0, 0, 0.01, false,
                       "impacts so close in time count as one; 0: those at the same moment"},
    [SHAFEI_LINKS] = {"links", "", 4, 1, 6, true, "n_m of the rows of Table 1 and of Fig. 13"},
    [SHAFEI_BRANCHES] = {"branches", "", 4, 1, 6, true,
                         "n_b of the rows of Table 1 and of Fig. 12"},
    {0}};

static ap_status run(const paper_options *options, report *r, ap_error *error) {
  *error = (ap_error){0};
  const paper *p = &paper_shafei2018;
  const tree_setup setup = {.gravity = paper_value(p, options, SHAFEI_GRAVITY),
                            .radius = paper_value(p, options, SHAFEI_RADIUS),
                            .restitution = paper_value(p, options, SHAFEI_RESTITUTION),
                            .tolerance = paper_value(p, options, SHAFEI_TOLERANCE)};
  study s = {.plots = options ? options->plots : NULL,
             .r = r,
             .error = error,
             .start = paper_value(p, options, SHAFEI_START),
             .window = paper_value(p, options, SHAFEI_WINDOW)};
  paper_is_changed(p, options, SHAFEI_EXPERIMENT, s.changed, sizeof s.changed);
  ap_status status = counts_shafei2018(options, r, error);
  if (status == AP_OK) status = tree_make(&setup, &s.lab, error);
  if (status == AP_OK) status = case_study(&s);
  tree_run_free(&s.run);
  tree_free(&s.lab);
  return status;
}

const paper paper_shafei2018 = {
    "shafei2018",
    "Dynamic modeling of tree-type robotic systems by combining 3x3 rotation and 4x4 "
    "transformation matrices",
    "A. M. Shafei, H. R. Shafei, Multibody System Dynamics 44 (2018) 367-395",
    run,
    parameters,
};
