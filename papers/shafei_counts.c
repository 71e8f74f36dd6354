// SPDX-License-Identifier: Apache-2.0
// Table 1 and Figs. 12 and 13 of Shafei and Shafei 2018: operations for the equations of motion of
// a tree of n_b branches with n_m links each, as printed and as counted by running the methods.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "figure.h"
#include "polynomial.h"
#include "survey.h"

enum { SIZES = 10, MOST_FIXED = 6, SLIDES = 2, MOST_BODIES = SLIDES + MOST_FIXED * SIZES };
enum { MULTIPLICATIONS, ADDITIONS, OPERATIONS };
enum { LAGRANGE, GIBBS_3X3, GIBBS_4X4, FORMULATIONS };

static const char *const operation_name[OPERATIONS] = {"multiplications", "additions"};

// The bias, the inertia matrix and Cholesky's solution; printed is
// (square n_m^2 + linear n_m + constant) n_b without the solution.
static const struct {
  const char *label, *method, *text;
  double square[OPERATIONS], linear[OPERATIONS], constant[OPERATIONS];
} formulation[FORMULATIONS] = {
    [LAGRANGE] = {"Lagrange 4x4",
                  "lagrange-4x4",
                  "lagrange-4x4 (Lagrangian, 4x4)",
                  {340, 463.0 / 2},
                  {1296, 2111.0 / 2},
                  {504, 350}},
    [GIBBS_3X3] = {"Gibbs-Appell 3x3",
                   "gibbs-cholesky",
                   "gibbs-tensor and gibbs-hessian (Gibbs-Appell, 3x3)",
                   {186, 148},
                   {57, 145},
                   {-162, -215}},
    [GIBBS_4X4] = {"Gibbs-Appell 3x3 and 4x4",
                   "gibbs-4x4",
                   "gibbs-4x4 (present work)",
                   {507.0 / 2, 146},
                   {1631.0 / 2, 643},
                   {297, 165}},
};

static double printed_count(int f, int operation, int links, int branches) {
  double n = links, each = formulation[f].square[operation] * n * n +
                           formulation[f].linear[operation] * n +
                           formulation[f].constant[operation];
  return each * branches;
}

// ---- trees -------------------------------------------------------------------------------------

typedef enum { ANY_DIRECTION, IN_A_PLANE, GEOMETRIES } tree_geometry;
static const char *const geometry_name[GEOMETRIES] = {
    [ANY_DIRECTION] = "axes in any direction", [IN_A_PLANE] = "parallel axes"};

typedef struct tree {
  ap_body_def body[MOST_BODIES];
  char name[MOST_BODIES][16], joint_name[MOST_BODIES][16];
  ap_robot_def def;
} tree;

static ap_body_def *add_body(tree *t, int parent, const char *kind) {
  int i = t->def.nbody++;
  ap_body_def *b = &t->body[i];
  *b = ap_default_body();
  snprintf(t->name[i], sizeof t->name[i], "%s%d", kind, i + 1);
  snprintf(t->joint_name[i], sizeof t->joint_name[i], "q%d", i + 1);
  b->name = t->name[i], b->joint_name = t->joint_name[i];
  b->parent = parent;
  return b;
}

// A rod along x with the cross-section's share in its inertia, as the paper has them. No two rods
// are the same, and no number is 0 or 1 that is not so in all of them.
static void add_rod(tree *t, int parent, bool first, tree_geometry geometry) {
  int i = t->def.nbody;
  double length = 0.5 + 0.01 * i, mass = 2 - 0.01 * i, thin = mass * length * length / 12;
  ap_body_def *b = add_body(t, parent, "rod");
  b->joint = AP_REVOLUTE;
  b->place.kind = AP_DH_MODIFIED;
  b->place.a = first ? 0 : 0.5 + 0.01 * (i - 1); // the length of the rod before
  b->place.alpha = geometry == ANY_DIRECTION ? 0.6 + 0.01 * i : 0;
  b->mass = mass;
  b->com[0] = length / 2;
  b->inertia[0] = 6e-4 * mass;
  b->inertia[3] = b->inertia[5] = thin + 3e-4 * mass;
}

// n_b branches of n_m rods from a point that two slides carry in the plane.
static void make_tree(int links, int branches, tree_geometry geometry, tree *t) {
  memset(t, 0, sizeof *t);
  t->def = ap_default_robot();
  t->def.name = "tree";
  t->def.bodies = t->body;
  for (int k = 0; k < SLIDES; k++) {
    ap_body_def *b = add_body(t, k, "slide");
    b->joint = AP_PRISMATIC;
    memset(b->axis, 0, sizeof b->axis);
    b->axis[k] = 1;
  }
  for (int m = 0; m < branches; m++)
    for (int k = 0; k < links; k++) add_rod(t, k ? t->def.nbody : SLIDES, k == 0, geometry);
  static const double gravity[3] = {0, -9.81, 0};
  memcpy(t->def.gravity, gravity, sizeof gravity);
}

// ---- counting ----------------------------------------------------------------------------------

// Bias and inertia matrix: the forward dynamics less Cholesky's two steps and the subtraction of
// the bias from the forces.
static ap_status count_equations(int f, int links, int branches, tree_geometry geometry,
                                 long ours[OPERATIONS], ap_error *error) {
  tree t;
  ap_count count;
  make_tree(links, branches, geometry, &t);
  ap_status status = survey_robot(&t.def, AP_FORWARD, formulation[f].method, &count, error);
  if (status != AP_OK) return status;
  ours[MULTIPLICATIONS] = count.mul - count.mul_in[1] - count.mul_in[2];
  ours[ADDITIONS] = count.add - count.add_in[1] - count.add_in[2] - t.def.nbody;
  return AP_OK;
}

// The counts of one figure: over n_m at fixed branches, or over n_b at fixed links.
typedef struct series {
  bool over_branches;
  int links, branches; // those of the table
  long ours[GEOMETRIES][FORMULATIONS][SIZES][OPERATIONS];
} series;

static int links_at(const series *s, int i) { return s->over_branches ? s->links : i + 1; }
static int branches_at(const series *s, int i) { return s->over_branches ? i + 1 : s->branches; }

static ap_status count_series(series *s, ap_error *error) {
  for (int g = 0; g < GEOMETRIES; g++)
    for (int f = 0; f < FORMULATIONS; f++)
      for (int i = 0; i < SIZES; i++) {
        ap_status status = count_equations(f, links_at(s, i), branches_at(s, i), (tree_geometry)g,
                                           s->ours[g][f][i], error);
        if (status != AP_OK) return status;
      }
  return AP_OK;
}

// ---- report ------------------------------------------------------------------------------------

#define NOT_REPRODUCED                                                                        \
  "the printed formula could not be reproduced by counting; which products it takes as full " \
  "and which zeros as free is not said"

static void show_table(report *r, const series *over_links) {
  for (int g = 0; g < GEOMETRIES; g++)
    for (int f = 0; f < FORMULATIONS; f++)
      for (int o = 0; o < OPERATIONS; o++) {
        char quantity[128];
        snprintf(quantity, sizeof quantity, "%s, %s, %s", operation_name[o], formulation[f].text,
                 geometry_name[g]);
        report_row(r, quantity, "", printed_count(f, o, over_links->links, over_links->branches),
                   (double)over_links->ours[g][f][over_links->links - 1][o], NOT_REPRODUCED);
      }
}

// The law of the counts for a fixed n_b, a polynomial in n_m, as text.
static void law_of(const series *over_links, int g, int f, int o, char *text, size_t size) {
  long value[SIZES];
  polynomial p;
  int from;
  for (int i = 0; i < SIZES; i++) value[i] = over_links->ours[g][f][i][o];
  if (polynomial_fit(value, 1, SIZES, &p, &from))
    polynomial_text(&p, text, size);
  else
    snprintf(text, size, "%ld at n = 10", value[SIZES - 1]);
}

static void show_laws(report *r, const series *over_links) {
  for (int g = 0; g < GEOMETRIES; g++)
    for (int f = 0; f < FORMULATIONS; f++) {
      char text[OPERATIONS][128];
      for (int o = 0; o < OPERATIONS; o++) law_of(over_links, g, f, o, text[o], sizeof text[o]);
      report_remark(
          r, "Counted with %d branches of n links, %s: %s: %s multiplications and %s additions.",
          over_links->branches, geometry_name[g], formulation[f].method, text[0], text[1]);
    }
}

// Mata et al. 2002, Table 3, the matrix D and the bias of a chain of n links, by powers of n from 2
// down: the 3x3 formulation is said to be theirs.
static const double mata_chain[OPERATIONS][3] = {{11.5, 19.5 + 96, -49 - 108},
                                                 {8.5, 31.5 + 83, -69 - 105}};

// Why counted and printed differ: the two laws beside each other.
static void say_why(const series *over_links, int g, int f, int o, char *note, size_t size) {
  const double b = over_links->branches;
  char counted[128];
  law_of(over_links, g, f, o, counted, sizeof counted);
  int used = snprintf(note, size, "%g branches of n links: counted %s, printed %gn^2%+gn%+g", b,
                      counted, b * formulation[f].square[o], b * formulation[f].linear[o],
                      b * formulation[f].constant[o]);
  if (f == GIBBS_3X3 && used > 0 && (size_t)used < size)
    snprintf(note + used, size - (size_t)used,
             "; Mata et al. 2002, whose method this is, print %gn^2%+gn%+g for as many chains",
             b * mata_chain[o][0], b * mata_chain[o][1], b * mata_chain[o][2]);
}

// The term n_m^2 for each branch.
static double per_pair(const series *over_links, int f) {
  long value[SIZES];
  polynomial p;
  int from;
  for (int i = 0; i < SIZES; i++) value[i] = over_links->ours[ANY_DIRECTION][f][i][MULTIPLICATIONS];
  if (!polynomial_fit(value, 1, SIZES, &p, &from)) return NAN;
  return (double)p.sixths[2] / 6 / over_links->branches;
}

static void remark_laws(report *r, const series *over_links) {
  report_remark(
      r,
      "The figure draws the formulas of Table 1, and printed is what they give; its curves are not "
      "read off. Printed and counted differ by a factor, not at the ends of the branches: the term "
      "n_m^2 of a branch has %g, %g and %g multiplications as printed (Lagrangian, 3x3, combined) "
      "and %g, %g and %g as counted, axes in any direction. For 3x3 rotations %g is also what Mata "
      "et al. (2002) print, whose method it is; how the paper comes to %g is not said. The notes "
      "of "
      "the rows, which --all shows, have the formulas.",
      formulation[LAGRANGE].square[0], formulation[GIBBS_3X3].square[0],
      formulation[GIBBS_4X4].square[0], per_pair(over_links, LAGRANGE),
      per_pair(over_links, GIBBS_3X3), per_pair(over_links, GIBBS_4X4), mata_chain[0][0],
      formulation[GIBBS_3X3].square[0]);
}

static void show_series(report *r, const series *s, const series *over_links) {
  for (int i = 0; i < SIZES; i++)
    for (int g = 0; g < GEOMETRIES; g++)
      for (int f = 0; f < FORMULATIONS; f++)
        for (int o = 0; o < OPERATIONS; o++) {
          char narrowed[64], quantity[128], note[320];
          say_why(over_links, g, f, o, note, sizeof note);
          snprintf(narrowed, sizeof narrowed, "n_m = %d, n_b = %d, %s", links_at(s, i),
                   branches_at(s, i), geometry_name[g]);
          snprintf(quantity, sizeof quantity, "%s, %s", operation_name[o], formulation[f].text);
          report_detail(r, narrowed, quantity, "",
                        printed_count(f, o, links_at(s, i), branches_at(s, i)),
                        (double)s->ours[g][f][i][o], note);
        }
}

// ---- figures -----------------------------------------------------------------------------------

typedef struct curves {
  double x[SIZES], y[OPERATIONS][2 * FORMULATIONS][SIZES];
  char label[2 * FORMULATIONS][64];
  ap_curve curve[OPERATIONS][2 * FORMULATIONS];
} curves;

// Of each formulation the printed formula, dashed, and ours in the same colour.
static void draw_formulation(const series *s, int f, curves *c) {
  snprintf(c->label[2 * f], sizeof c->label[0], "%s, printed", formulation[f].label);
  snprintf(c->label[2 * f + 1], sizeof c->label[0], "%s, counted", formulation[f].label);
  for (int o = 0; o < OPERATIONS; o++) {
    for (int i = 0; i < SIZES; i++) {
      c->x[i] = i + 1;
      c->y[o][2 * f][i] = printed_count(f, o, links_at(s, i), branches_at(s, i));
      c->y[o][2 * f + 1][i] = (double)s->ours[ANY_DIRECTION][f][i][o];
    }
    for (int k = 2 * f; k < 2 * f + 2; k++)
      c->curve[o][k] =
          (ap_curve){c->label[k], SIZES, c->x, c->y[o][k], k % 2 ? AP_SOLID : AP_DASHED, f + 1};
  }
}

static ap_status draw_series(const paper_options *options, const series *s, const char *file,
                             ap_error *error) {
  if (!options || !options->plots) return AP_OK;
  curves c;
  for (int f = 0; f < FORMULATIONS; f++) draw_formulation(s, f, &c);
  char x_label[64];
  snprintf(x_label, sizeof x_label,
           s->over_branches ? "branches of %d links" : "links of each of %d branches",
           s->over_branches ? s->links : s->branches);
  ap_panel panel[OPERATIONS];
  for (int o = 0; o < OPERATIONS; o++)
    panel[o] = (ap_panel){.x_label = x_label,
                          .y_label = operation_name[o],
                          .curve = c.curve[o],
                          .ncurve = 2 * FORMULATIONS,
                          .log_y = true};
  ap_figure figure = {.title = "Operations for the equations of motion of a tree",
                      .panel = panel,
                      .npanel = OPERATIONS,
                      .columns = 2};
  return figure_write(&figure, (figure_place){options->plots, file}, error);
}

// ---- the paper ---------------------------------------------------------------------------------

ap_status counts_shafei2018(const paper_options *options, report *r, ap_error *error) {
  const int links = (int)paper_value(&paper_shafei2018, options, SHAFEI_LINKS);
  const int branches = (int)paper_value(&paper_shafei2018, options, SHAFEI_BRANCHES);
  series over_links = {.links = links, .branches = branches}, over_branches = over_links;
  over_branches.over_branches = true;
  char about[80];
  ap_status status = count_series(&over_links, error);
  if (status == AP_OK) status = count_series(&over_branches, error);
  if (status != AP_OK) return status;
  snprintf(about, sizeof about,
           "operations for the equations of motion; rows at n_m = %d, n_b = %d", links, branches);
  report_item(r, "Table 1", about);
  report_remark(
      r,
      "Counted by running the methods on trees of n_b branches with n_m rods each, on two "
      "slides: bias and inertia matrix, zeros and ones of the model free. The trees are "
      "made twice, with axes in any direction and, as in the case study, with parallel "
      "ones.");
  report_remark(
      r,
      "The printed formulas could not be reproduced by counting. As in the paper, "
      "3x3 rotations alone need by far the fewest operations. Unlike in the paper, the "
      "combined form needs more than the Lagrangian one: the motion takes the same 4x4 products "
      "in both, and where the one has rotations besides, the other has a body's whole "
      "mass distribution in one constant matrix.");
  show_table(r, &over_links);
  show_laws(r, &over_links);
  snprintf(about, sizeof about, "the same over the number of links, n_b = %d", branches);
  report_item(r, "Fig. 12", about);
  remark_laws(r, &over_links);
  show_series(r, &over_links, &over_links);
  status = draw_series(options, &over_links, "shafei2018-fig12.svg", error);
  if (status != AP_OK) return status;
  snprintf(about, sizeof about, "the same over the number of branches, n_m = %d", links);
  report_item(r, "Fig. 13", about);
  report_remark(
      r,
      "Printed and counted grow in proportion to the branches, apart from the two slides, so "
      "that the factors are those of Fig. 12 at n_m = %d.",
      links);
  show_series(r, &over_branches, &over_links);
  return draw_series(options, &over_branches, "shafei2018-fig13.svg", error);
}
