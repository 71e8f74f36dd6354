// SPDX-License-Identifier: Apache-2.0
// Rounding errors: every method in float against binary128.
//
// The robots' parameters are rounded to float too, as a program in single precision has them, so
// that an error is what such a program's user would see. Where a build lacks binary128, double
// takes its place: it is exact enough for errors of float, and the report says so.

#include <appell/plot.h>
#include <appell/research.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "experiments.h"

#define PI 3.141592653589793

PAPERS_PRINTF(3, 4)
static ap_status fail(ap_error *error, ap_status status, const char *format, ...) {
  if (error == NULL) return status;
  va_list arguments;
  va_start(arguments, format);
  error->status = status;
  error->line = 0;
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  return status;
}

// ---- a robot in several arithmetics ------------------------------------------------------------

typedef struct lab {
  void *memory[4];
  ap_model *m;
  ap_study *single, *twice; // float and double
  ap_study *exact;          // binary128, or twice itself where the build lacks it
  bool binary128;
} lab;

static ap_study *open_study(lab *l, int slot, ap_arithmetic arithmetic) {
  size_t size = ap_study_size(l->m, arithmetic);
  if (size == 0) return NULL;
  l->memory[slot] = malloc(size);
  return l->memory[slot] ? ap_study_init(l->m, arithmetic, l->memory[slot], size) : NULL;
}

static void lab_close(lab *l) {
  for (int i = 0; i < 4; i++) free(l->memory[i]);
  *l = (lab){0};
}

// After a failure there is nothing to close.
static ap_status lab_open(const ap_robot_def *def, lab *l, ap_error *error) {
  *l = (lab){0};
  size_t size = ap_model_size(def);
  l->memory[0] = malloc(size);
  if (l->memory[0] == NULL) return fail(error, AP_E_MEMORY, "no memory for the model");
  l->m = ap_model_init(def, l->memory[0], size, error);
  if (l->m == NULL) {
    lab_close(l);
    return AP_E_MODEL;
  }
  l->binary128 = ap_study_size(l->m, AP_F128) > 0;
  l->single = open_study(l, 1, AP_F32);
  l->twice = open_study(l, 2, AP_F64);
  l->exact = l->binary128 ? open_study(l, 3, AP_F128) : l->twice;
  if (l->single && l->twice && l->exact) return AP_OK;
  lab_close(l);
  return fail(error, AP_E_MEMORY, "no memory for studies of \"%s\"", def->name);
}

static void remark_exact(const lab *l, report *r) {
  report_remark(r, l->binary128 ? "\"Exact\" is computed in binary128."
                                : "This build lacks binary128: \"exact\" is computed in double.");
  const ap_method *standard = ap_find_method(AP_FORWARD, NULL);
  report_remark(r, "The forward method %s is %s.", standard->name, standard->about);
}

static ap_status eval_failed(const ap_method *method, ap_status status, ap_error *error) {
  return fail(error, status, "%s by %s: %s", ap_quantity_name(method->what), method->name,
              ap_status_text(status));
}

// ---- Ascher's two bodies: one turn of the second -----------------------------------------------

enum { TURN = 180, STEP = 2 }; // positions; degrees

// What every method is measured by. Accelerations are [joint][position].
typedef struct turn {
  double degrees[TURN], q2[TURN], condition[TURN];
  double exact[2][TURN];   // at q2
  double rounded[2][TURN]; // exact too, at q2 rounded to float
} turn;

// Accelerations by a method over the turn, at rest, without torques; NAN where the method calls the
// matrix singular.
static ap_status sweep(ap_study *s, const ap_method *method, const double *q2, double a[2][TURN],
                       ap_error *error) {
  for (int k = 0; k < TURN; k++) {
    double in[6] = {0, q2[k], 0, 0, 0, 0}, out[2] = {NAN, NAN};
    ap_status status = ap_study_eval(s, method, in, out, NULL);
    if (status != AP_OK && status != AP_E_SINGULAR) return eval_failed(method, status, error);
    a[0][k] = out[0];
    a[1][k] = out[1];
  }
  return AP_OK;
}

// Ratio of the eigenvalues of a symmetric, positive definite [a b; b d].
static double condition_2x2(double a, double b, double d) {
  double largest = (a + d + hypot(a - d, 2 * b)) / 2;
  return largest * largest / (a * d - b * b);
}

static ap_status exact_turn(const lab *l, turn *t, ap_error *error) {
  const ap_method *inertia = ap_find_method(AP_INERTIA, NULL);
  const ap_method *forward = ap_find_method(AP_FORWARD, NULL);
  double as_float[TURN];
  for (int k = 0; k < TURN; k++) {
    t->degrees[k] = STEP * k;
    t->q2[k] = t->degrees[k] * PI / 180;
    as_float[k] = (float)t->q2[k];
    double q[2] = {0, t->q2[k]}, D[4];
    ap_status status = ap_study_eval(l->exact, inertia, q, D, NULL);
    if (status != AP_OK) return eval_failed(inertia, status, error);
    t->condition[k] = condition_2x2(D[0], D[1], D[3]);
  }
  ap_status status = sweep(l->exact, forward, t->q2, t->exact, error);
  return status != AP_OK ? status : sweep(l->exact, forward, as_float, t->rounded, error);
}

// Difference "exact - single" over the positions that came out.
typedef struct deviation {
  double max, mean_abs, mean;
} deviation;

static deviation deviation_of(const double *exact, const double *single) {
  deviation d = {0, 0, 0};
  int n = 0;
  for (int k = 0; k < TURN; k++) {
    double x = exact[k] - single[k];
    if (!isfinite(x)) continue;
    d.max = fmax(d.max, fabs(x));
    d.mean_abs += fabs(x);
    d.mean += x;
    n++;
  }
  if (n == 0) return (deviation){NAN, NAN, NAN};
  d.mean_abs /= n;
  d.mean /= n;
  return d;
}

typedef struct measured {
  deviation joint[2];   // the exact solution at the position itself
  deviation rounded[2]; // at the position rounded to float
  int refused;          // positions without a solution
} measured;

static ap_status measure(const lab *l, const turn *t, const ap_method *method, measured *d,
                         ap_error *error) {
  double a[2][TURN] = {{0}};
  ap_status status = sweep(l->single, method, t->q2, a, error);
  if (status != AP_OK) return status;
  d->refused = 0;
  for (int k = 0; k < TURN; k++) d->refused += !isfinite(a[0][k]) || !isfinite(a[1][k]);
  for (int j = 0; j < 2; j++) {
    d->joint[j] = deviation_of(t->exact[j], a[j]);
    d->rounded[j] = deviation_of(t->rounded[j], a[j]);
  }
  return AP_OK;
}

// ---- Table 5 -----------------------------------------------------------------------------------

// Its programs: what is printed, and our methods that may be the same. The paper solves by
// Gauss-Jordan elimination.
typedef struct program {
  const char *name;
  double max, average; // printed, rad/s2
  const char *method[2];
} program;

static const program programs[] = {
    {"ABA", 0.4976, 0.01324, {"articulated-body", "articulated-body-world"}},
    {"CRBA",
     1.2922,
     0.275063,
     {"composite-body-gauss-jordan", "composite-body-origin-gauss-jordan"}},
    {"GA", 0.534002, 0.0087611, {"gibbs-gauss-jordan", NULL}},
};
enum { ABA, CRBA, GA, PROGRAMS };

static const program *program_of(const ap_method *method) {
  for (int i = 0; i < PROGRAMS; i++) {
    for (int k = 0; k < 2; k++) {
      const char *name = programs[i].method[k];
      if (name && ap_find_method(AP_FORWARD, name) == method) return &programs[i];
    }
  }
  return NULL;
}

// The statistics of a difference, in the order of the rows.
static const struct {
  const char *name, *of_printed; // how the printed number is read
} statistics[] = {{"largest difference", ""},
                  {"mean of absolute differences", ", average read as of absolute values"},
                  {"mean difference", ", average read with signs"}};
enum { MAX, MEAN_ABS, MEAN, STATISTICS };

static double statistic(deviation d, int which) {
  return which == MAX ? d.max : which == MEAN_ABS ? d.mean_abs : d.mean;
}

// One row of Table 5 and what only programs want: joint 2, and the other reading of "exact".
static void table5_row(report *r, const ap_method *method, const measured *d, int which) {
  const program *p = program_of(method);
  double printed = p == NULL ? NAN : which == MAX ? p->max : p->average;
  char quantity[128], note[320] = "";
  snprintf(quantity, sizeof quantity, "%s, %s", statistics[which].name, method->name);
  if (p) {
    snprintf(note, sizeof note,
             "printed for %s%s; the order of its operations and its arithmetic are not known, ours "
             "keeps exact zeros",
             p->name, statistics[which].of_printed);
  }
  if (d->refused > 0) {
    snprintf(note, sizeof note, "singular in %d of %d positions, which are left out", d->refused,
             TURN);
  }
  report_row(r, quantity, "rad/s2", printed, statistic(d->joint[0], which), note);
  report_detail(r, "joint 2", quantity, "rad/s2", printed, statistic(d->joint[1], which), note);
  report_detail(r, "joint 1, exact at q rounded to float", quantity, "rad/s2", printed,
                statistic(d->rounded[0], which), note);
}

static ap_status table5_rows(const lab *l, const turn *t, report *r, ap_error *error) {
  for (int which = 0; which < STATISTICS; which++) {
    for (int i = 0; ap_method_at(i); i++) {
      const ap_method *method = ap_method_at(i);
      measured d;
      if (method->what != AP_FORWARD) continue;
      ap_status status = measure(l, t, method, &d, error);
      if (status != AP_OK) return status;
      table5_row(r, method, &d, which);
    }
  }
  return AP_OK;
}

static ap_status measure_by_name(const lab *l, const turn *t, const char *name, deviation *d,
                                 ap_error *error) {
  const ap_method *method = ap_find_method(AP_FORWARD, name);
  measured all;
  if (method == NULL) {
    return fail(error, AP_E_NOT_FOUND, "the library has no forward method \"%s\"", name);
  }
  ap_status status = measure(l, t, method, &all, error);
  if (status == AP_OK) *d = all.joint[0];
  return status;
}

static const char *holds(bool does) { return does ? "holds" : "does not hold"; }

// Which of the paper's orderings hold: largest ABA < GA < CRBA, average GA < ABA < CRBA. There are
// two forms of ABA and of CRBA, and the paper doesn't say which it ran.
static ap_status table5_orderings(const lab *l, const turn *t, report *r, ap_error *error) {
  const char *ga_name = programs[GA].method[0];
  deviation ga;
  int pairs = 0, below_crba[STATISTICS] = {0}, above_aba[STATISTICS] = {0};
  ap_status status = measure_by_name(l, t, ga_name, &ga, error);
  for (int k = 0; k < 4 && status == AP_OK; k++, pairs++) {
    const char *aba_name = programs[ABA].method[k / 2], *crba_name = programs[CRBA].method[k % 2];
    deviation aba, crba;
    status = measure_by_name(l, t, aba_name, &aba, error);
    if (status == AP_OK) status = measure_by_name(l, t, crba_name, &crba, error);
    if (status != AP_OK) break;
    double x[STATISTICS][PROGRAMS];
    for (int i = 0; i < STATISTICS; i++) {
      x[i][ABA] = fabs(statistic(aba, i));
      x[i][CRBA] = fabs(statistic(crba, i));
      x[i][GA] = fabs(statistic(ga, i));
      below_crba[i] += x[i][GA] < x[i][CRBA];
      above_aba[i] += x[i][GA] > x[i][ABA];
    }
    report_remark(
        r,
        "With %s, %s and %s: largest difference ABA < GA < CRBA %s (%.3g, %.3g, %.3g); average GA "
        "< "
        "ABA < CRBA %s for absolute values (%.3g, %.3g, %.3g) and %s for the modulus of the signed "
        "mean (%.3g, %.3g, %.3g).",
        aba_name, crba_name, ga_name, holds(x[MAX][ABA] < x[MAX][GA] && x[MAX][GA] < x[MAX][CRBA]),
        x[MAX][ABA], x[MAX][GA], x[MAX][CRBA],
        holds(x[MEAN_ABS][GA] < x[MEAN_ABS][ABA] && x[MEAN_ABS][ABA] < x[MEAN_ABS][CRBA]),
        x[MEAN_ABS][GA], x[MEAN_ABS][ABA], x[MEAN_ABS][CRBA],
        holds(x[MEAN][GA] < x[MEAN][ABA] && x[MEAN][ABA] < x[MEAN][CRBA]), x[MEAN][GA],
        x[MEAN][ABA], x[MEAN][CRBA]);
  }
  if (status != AP_OK) return status;
  report_remark(
      r,
      "GA has smaller errors than CRBA in %d of %d pairings by the largest difference, %d "
      "by the mean of absolute values, %d by the signed mean; larger ones than ABA in %d, "
      "%d and %d.",
      below_crba[MAX], pairs, below_crba[MEAN_ABS], below_crba[MEAN], above_aba[MAX],
      above_aba[MEAN_ABS], above_aba[MEAN]);
  return AP_OK;
}

// ---- Fig. 2 ------------------------------------------------------------------------------------

static void fig2_rows(const turn *t, report *r) {
  double low[3], high[3];
  const double *curve[3] = {t->exact[0], t->exact[1], t->condition};
  for (int i = 0; i < 3; i++) {
    low[i] = high[i] = curve[i][0];
    for (int k = 1; k < TURN; k++) {
      low[i] = fmin(low[i], curve[i][k]);
      high[i] = fmax(high[i], curve[i][k]);
    }
  }
  report_row(r, "acceleration of joint 1, exact, least", "rad/s2", NAN, low[0], NULL);
  report_row(r, "acceleration of joint 1, exact, largest", "rad/s2", NAN, high[0], NULL);
  report_row(r, "acceleration of joint 2, exact, least", "rad/s2", NAN, low[1], NULL);
  report_row(r, "acceleration of joint 2, exact, largest", "rad/s2", NAN, high[1], NULL);
  report_row(r, "condition number of the inertia matrix, least", "", NAN, low[2], NULL);
  report_row(r, "condition number of the inertia matrix, largest", "", NAN, high[2], NULL);
  for (int k = 0; k < TURN; k++) {
    char place[32];
    snprintf(place, sizeof place, "q2 = %g deg", t->degrees[k]);
    report_detail(r, place, "acceleration of joint 1, exact", "rad/s2", NAN, t->exact[0][k], NULL);
    report_detail(r, place, "acceleration of joint 2, exact", "rad/s2", NAN, t->exact[1][k], NULL);
    report_detail(r, place, "condition number of the inertia matrix", "", NAN, t->condition[k],
                  NULL);
  }
}

// The least and the largest of the finite numbers.
static void widen(const double *y, double *low, double *high) {
  for (int k = 0; k < TURN; k++) {
    if (!isfinite(y[k])) continue;
    *low = fmin(*low, y[k]);
    *high = fmax(*high, y[k]);
  }
}

// A panel per program, all with the same y: its methods in single precision, the exact solution
// dashed.
static ap_status fig2_draw(const lab *l, const turn *t, const char *path, ap_error *error) {
  static const char x_label[] = "q2 / deg", y_label[] = "acceleration of joint 1 / (rad/s2)";
  double a[PROGRAMS][2][2][TURN];
  ap_curve curve[PROGRAMS + 1][3];
  ap_panel panel[PROGRAMS + 1];
  double low = INFINITY, high = -INFINITY;
  widen(t->exact[0], &low, &high);
  for (int i = 0; i < PROGRAMS; i++) {
    int n = 0;
    for (; n < 2 && programs[i].method[n]; n++) {
      const char *name = programs[i].method[n];
      const ap_method *method = ap_find_method(AP_FORWARD, name);
      if (method == NULL) {
        return fail(error, AP_E_NOT_FOUND, "the library has no forward method \"%s\"", name);
      }
      ap_status status = sweep(l->single, method, t->q2, a[i][n], error);
      if (status != AP_OK) return status;
      curve[i][n] = (ap_curve){name, TURN, t->degrees, a[i][n][0], AP_SOLID, 0};
      widen(a[i][n][0], &low, &high);
    }
    curve[i][n] = (ap_curve){"exact", TURN, t->degrees, t->exact[0], AP_DASHED, 3};
    panel[i] = (ap_panel){.title = programs[i].name,
                          .x_label = x_label,
                          .y_label = y_label,
                          .curve = curve[i],
                          .ncurve = n + 1};
  }
  for (int i = 0; i < PROGRAMS; i++) panel[i].y_low = low, panel[i].y_high = high;
  curve[PROGRAMS][0] = (ap_curve){NULL, TURN, t->degrees, t->condition, AP_SOLID, 0};
  panel[PROGRAMS] = (ap_panel){.title = "Inertia matrix",
                               .x_label = x_label,
                               .y_label = "condition number",
                               .curve = curve[PROGRAMS],
                               .ncurve = 1};
  ap_figure figure = {.title = "Two bodies in single precision (Mata et al. 2002, Fig. 2)",
                      .panel = panel,
                      .npanel = PROGRAMS + 1,
                      .columns = 2};
  return ap_figure_write(&figure, path, error);
}

static ap_status fig2(const lab *l, const turn *t, const char *folder, report *r, ap_error *error) {
  static const char file[] = "mata2002-fig2.svg";
  report_item(r, "Fig. 2", "acceleration of joint 1 and condition number over a turn of body 2");
  report_remark(r, "The figure's values are not printed in the paper.");
  fig2_rows(t, r);
  if (folder == NULL) return AP_OK;
  int length = snprintf(NULL, 0, "%s/%s", folder, file);
  char *path = length > 0 ? malloc((size_t)length + 1) : NULL;
  if (path == NULL) return fail(error, AP_E_MEMORY, "no memory for the name of a figure");
  snprintf(path, (size_t)length + 1, "%s/%s", folder, file);
  ap_status status = fig2_draw(l, t, path, error);
  if (status == AP_OK) report_remark(r, "Drawn in %s.", file);
  free(path);
  return status;
}

ap_status two_bodies(const paper_options *options, report *r, ap_error *error) {
  lab l;
  turn t = {0};
  const ap_robot_def *def = ap_builtin("ascher2");
  if (def == NULL) return fail(error, AP_E_NOT_FOUND, "there is no built-in model \"ascher2\"");
  ap_status status = lab_open(def, &l, error);
  if (status != AP_OK) return status;
  status = exact_turn(&l, &t, error);
  if (status == AP_OK) {
    report_item(r, "Table 5", "two bodies: single precision against the exact acceleration");
    remark_exact(&l, r);
    report_remark(
        r,
        "The second body makes a turn in %d positions, at rest, without torques. Rows are "
        "of joint 1, as the table's title says; its formulae name joint 2, which is in "
        "the details.",
        TURN);
    report_remark(r,
                  "The difference is exact - single, exact at the position before its rounding "
                  "to float; at the rounded one it is in the details.");
    report_remark(r,
                  "Rounding errors depend on the order of operations and on the processor (the "
                  "paper's, a Pentium II, may have kept 80 bits in between); neither is given, so "
                  "that sizes and orderings can be compared, not digits.");
    status = table5_rows(&l, &t, r, error);
  }
  if (status == AP_OK) status = table5_orderings(&l, &t, r, error);
  if (status == AP_OK) status = fig2(&l, &t, options ? options->plots : NULL, r, error);
  lab_close(&l);
  return status;
}

// ---- every method, random states ---------------------------------------------------------------

enum { STATES = 200, MOST = GENERAL_MOST };

// Multiplicative xorshift (Marsaglia 2003, Vigna 2016): the same numbers everywhere. Uniform on
// [-1, 1], rounded to float.
static double next(uint64_t *seed) {
  *seed ^= *seed >> 12;
  *seed ^= *seed << 25;
  *seed ^= *seed >> 27;
  uint64_t bits = (*seed * UINT64_C(2685821657736338717)) >> 11;
  return (float)(2 * ((double)bits * 0x1p-53) - 1);
}

// A state whose numbers float can hold, so that rounding of inputs is no part of an error. The
// torques are those of the accelerations, rounded, and forward dynamics is asked about these.
typedef struct sample {
  double inverse[3 * MOST]; // q v a
  double forward[3 * MOST]; // q v tau
} sample;

static ap_status draw_sample(const lab *l, uint64_t *seed, sample *s, ap_error *error) {
  const ap_method *inverse = ap_find_method(AP_INVERSE, NULL);
  int n = ap_nv(l->m);
  for (int i = 0; i < 3 * n; i++) {
    s->inverse[i] = i < n ? (float)(PI * next(seed)) : next(seed);
    s->forward[i] = s->inverse[i];
  }
  double tau[MOST];
  ap_status status = ap_study_eval(l->exact, inverse, s->inverse, tau, NULL);
  if (status != AP_OK) return eval_failed(inverse, status, error);
  for (int i = 0; i < n; i++) s->forward[2 * n + i] = (float)tau[i];
  return AP_OK;
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// Largest difference, relative to the largest entry of the exact result.
static double relative_error(const double *x, const double *exact, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double difference = fabs(x[i] - exact[i]);
    if (!isfinite(difference)) return INFINITY;
    most = fmax(most, difference);
  }
  return most / largest(exact, n);
}

// The states of a robot and the exact results of one quantity.
typedef struct trial {
  lab l;
  ap_quantity what;
  sample sample[STATES];
  double exact[STATES][MOST * MOST];
} trial;

static const double *input(const trial *t, int state) {
  const sample *s = &t->sample[state];
  return t->what == AP_FORWARD ? s->forward : s->inverse;
}

// Error of a method in an arithmetic; the states that it refuses as singular are counted and left
// out, NAN where none is left.
static ap_status try_method(const trial *t, ap_study *s, const ap_method *method, double *error_of,
                            int *refused, ap_error *error) {
  double out[MOST * MOST];
  int n = ap_columns_out(t->l.m, t->what);
  *error_of = 0;
  *refused = 0;
  for (int k = 0; k < STATES; k++) {
    ap_status status = ap_study_eval(s, method, input(t, k), out, NULL);
    if (status == AP_E_SINGULAR) {
      ++*refused;
    } else if (status == AP_OK) {
      *error_of = fmax(*error_of, relative_error(out, t->exact[k], n));
    } else {
      return eval_failed(method, status, error);
    }
  }
  if (*refused == STATES) *error_of = NAN;
  return AP_OK;
}

static const char *refusals(int refused, char *note, size_t size) {
  if (refused == 0) return NULL;
  snprintf(note, size, "refused as singular in %d of %d states%s", refused, STATES,
           refused < STATES ? ", which are left out" : "");
  return note;
}

static ap_status try_quantity(trial *t, report *r, ap_error *error) {
  const ap_method *standard = ap_find_method(t->what, NULL);
  for (int k = 0; k < STATES; k++) {
    ap_status status = ap_study_eval(t->l.exact, standard, input(t, k), t->exact[k], NULL);
    if (status != AP_OK) return eval_failed(standard, status, error);
  }
  for (int i = 0; ap_method_at(i); i++) {
    const ap_method *method = ap_method_at(i);
    char quantity[128], note[96];
    double error_of;
    int refused;
    if (method->what != t->what) continue;
    snprintf(quantity, sizeof quantity, "%s, %s", ap_quantity_name(t->what), method->name);
    ap_status status = try_method(t, t->l.single, method, &error_of, &refused, error);
    if (status != AP_OK) return status;
    report_row(r, quantity, "", NAN, error_of, refusals(refused, note, sizeof note));
    if (!t->l.binary128) continue;
    status = try_method(t, t->l.twice, method, &error_of, &refused, error);
    if (status != AP_OK) return status;
    report_detail(r, "double", quantity, "", NAN, error_of, refusals(refused, note, sizeof note));
  }
  return AP_OK;
}

static ap_status try_quantities(trial *t, const char *item, report *r, ap_error *error) {
  static const ap_quantity quantities[] = {AP_INVERSE, AP_BIAS, AP_INERTIA, AP_FORWARD};
  uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
  for (int k = 0; k < STATES; k++) {
    ap_status status = draw_sample(&t->l, &seed, &t->sample[k], error);
    if (status != AP_OK) return status;
  }
  report_item(r, item, "largest relative error of float; not in the paper");
  remark_exact(&t->l, r);
  report_remark(
      r,
      "Over %d random states: angles in a full turn, rates and accelerations to 1 rad/s "
      "and 1 rad/s2, torques that give such accelerations, all rounded to float. Relative "
      "to the largest entry of the exact result.",
      STATES);
  for (int i = 0; i < 4; i++) {
    t->what = quantities[i];
    ap_status status = try_quantity(t, r, error);
    if (status != AP_OK) return status;
  }
  return AP_OK;
}

static ap_status try_robot(const ap_robot_def *def, const char *item, report *r, ap_error *error) {
  trial *t = malloc(sizeof *t);
  if (t == NULL) return fail(error, AP_E_MEMORY, "no memory for %d states", STATES);
  ap_status status = lab_open(def, &t->l, error);
  if (status == AP_OK) {
    status = try_quantities(t, item, r, error);
    lab_close(&t->l);
  }
  free(t);
  return status;
}

ap_status single_precision(report *r, ap_error *error) {
  static const struct {
    const char *model, *item;
  } robots[] = {{"puma600", "Single precision, puma600"}, {"ascher2", "Single precision, ascher2"}};
  ap_body_def bodies[GENERAL_MOST];
  ap_robot_def chain;
  for (int i = 0; i < 2; i++) {
    const ap_robot_def *def = ap_builtin(robots[i].model);
    if (def == NULL) {
      return fail(error, AP_E_NOT_FOUND, "there is no built-in model \"%s\"", robots[i].model);
    }
    ap_status status = try_robot(def, robots[i].item, r, error);
    if (status != AP_OK) return status;
  }
  general_robot(30, GENERAL_GEOMETRY, bodies, &chain);
  return try_robot(&chain, "Single precision, 30 joints", r, error);
}
