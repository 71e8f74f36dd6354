// SPDX-License-Identifier: Apache-2.0
#include "shafei_figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"

#define PI 3.14159265358979323846

static ap_status no_memory(ap_error *error) {
  *error = (ap_error){.status = AP_E_MEMORY};
  snprintf(error->text, sizeof error->text, "no memory for a figure of the tree");
  return AP_E_MEMORY;
}

// ---- Figs. 14 to 17 ----------------------------------------------------------------------------

enum { PANELS = 2, MOST_CURVES = 6, FIGURES = 4 };

// Symmetric points have one colour, the second of them is dashed.
static const struct {
  const char *title;
  int curves;
  struct {
    int point, colour; // from 1
    ap_stroke stroke;
  } of[MOST_CURVES];
} panels[PANELS] = {
    {"end points",
     5,
     {{1, 1, AP_SOLID}, {5, 1, AP_DASHED}, {8, 2, AP_SOLID}, {11, 2, AP_DASHED}, {9, 3, AP_SOLID}}},
    {"joints",
     6,
     {{2, 4, AP_SOLID},
      {4, 4, AP_DASHED},
      {7, 5, AP_SOLID},
      {10, 5, AP_DASHED},
      {3, 6, AP_SOLID},
      {6, 7, AP_SOLID}}},
};

static const struct {
  const char *title, *label, *file;
} figures[FIGURES] = {
    {"Positions along X1 (Shafei and Shafei 2018, Fig. 14)", "X1 / m", "shafei2018-fig14.svg"},
    {"Velocities along X1 (Shafei and Shafei 2018, Fig. 15)", "velocity along X1 / (m/s)",
     "shafei2018-fig15.svg"},
    {"Positions along X2 (Shafei and Shafei 2018, Fig. 16)", "X2 / m", "shafei2018-fig16.svg"},
    {"Velocities along X2 (Shafei and Shafei 2018, Fig. 17)", "velocity along X2 / (m/s)",
     "shafei2018-fig17.svg"},
};

// y holds n numbers for each point.
static ap_status draw_points(int figure, int n, const double *t, const double *y,
                             const char *folder, ap_error *error) {
  ap_curve curve[PANELS][MOST_CURVES];
  ap_panel panel[PANELS];
  char label[PANELS][MOST_CURVES][16];
  for (int p = 0; p < PANELS; p++) {
    for (int k = 0; k < panels[p].curves; k++) {
      int point = panels[p].of[k].point;
      snprintf(label[p][k], sizeof label[p][k], "O%d", point);
      curve[p][k] = (ap_curve){
          label[p][k],           n, t, y + (ptrdiff_t)(point - 1) * n, panels[p].of[k].stroke,
          panels[p].of[k].colour};
    }
    panel[p] = (ap_panel){.title = panels[p].title,
                          .x_label = "t / s",
                          .y_label = figures[figure].label,
                          .curve = curve[p],
                          .ncurve = panels[p].curves};
  }
  ap_figure f = {.title = figures[figure].title, .panel = panel, .npanel = PANELS};
  return figure_write(&f, (figure_place){folder, figures[figure].file}, error);
}

ap_status figure_points(const tree_lab *l, const tree_run *run, int n, const char *folder,
                        ap_error *error) {
  size_t of_figure = (size_t)TREE_POINTS * (size_t)n;
  double *t = malloc(((size_t)n + FIGURES * of_figure) * sizeof *t);
  if (!t) return no_memory(error);
  double *y = t + n;
  for (int k = 0; k < n; k++) {
    double x[2][TREE_POINTS][2];
    t[k] = run->sample[k].t;
    tree_points(l, run->sample[k].q, run->sample[k].v, x[0], x[1]);
    for (int f = 0; f < FIGURES; f++)
      for (int i = 0; i < TREE_POINTS; i++)
        y[(size_t)f * of_figure + (size_t)i * (size_t)n + (size_t)k] = x[f % 2][i][f / 2];
  }
  ap_status status = AP_OK;
  for (int f = 0; f < FIGURES && status == AP_OK; f++)
    status = draw_points(f, n, t, y + (size_t)f * of_figure, folder, error);
  free(t);
  return status;
}

// ---- Fig. 18 -----------------------------------------------------------------------------------

enum { SHOTS = 6, CORNERS = 3 * TREE_RODS, ARC = 181 };

/// The tree as lines, a gap after each rod, and the points that touch.
typedef struct shot {
  double x[CORNERS], y[CORNERS], hit_x[2], hit_y[2];
  char title[64];
  ap_curve curve[3];
} shot;

static void take_shot(const tree_lab *l, const double *q, const tree_impact *impact, shot *s) {
  double at[TREE_POINTS][2];
  tree_points(l, q, NULL, at, NULL);
  for (int k = 0; k < TREE_RODS; k++) {
    const double *from = at[tree_rod_from[k]], *to = at[k + 1];
    s->x[3 * k] = from[0], s->x[3 * k + 1] = to[0], s->x[3 * k + 2] = NAN;
    s->y[3 * k] = from[1], s->y[3 * k + 1] = to[1], s->y[3 * k + 2] = NAN;
  }
  int hits = impact ? impact->points : 0;
  for (int k = 0; k < hits; k++) {
    s->hit_x[k] = at[impact->point[k]][0];
    s->hit_y[k] = at[impact->point[k]][1];
  }
  s->curve[1] = (ap_curve){"tree", CORNERS, s->x, s->y, AP_SOLID, 1};
  s->curve[2] = (ap_curve){"impact", hits, s->hit_x, s->hit_y, AP_POINTS, 2};
}

ap_status figure_configurations(const tree_lab *l, const tree_run *run, const char *folder,
                                ap_error *error) {
  shot *s = calloc(SHOTS, sizeof *s);
  if (!s) return no_memory(error);
  double circle[2][ARC];
  ap_panel panel[SHOTS];
  int shots = run->impacts < SHOTS - 1 ? run->impacts + 1 : SHOTS;
  for (int k = 0; k < ARC; k++) {
    circle[0][k] = l->setup.radius * cos(2 * PI * k / (ARC - 1));
    circle[1][k] = l->setup.radius * sin(2 * PI * k / (ARC - 1));
  }
  for (int k = 0; k < shots; k++) {
    const tree_impact *impact = k ? &run->impact[k - 1] : NULL;
    take_shot(l, impact ? impact->q : run->sample[0].q, impact, &s[k]);
    s[k].curve[0] = (ap_curve){"wall", ARC, circle[0], circle[1], AP_DASHED, 8};
    snprintf(s[k].title, sizeof s[k].title, "t = %.4g s", impact ? impact->t : 0.0);
    panel[k] = (ap_panel){.title = s[k].title,
                          .x_label = "X1 / m",
                          .y_label = "X2 / m",
                          .curve = s[k].curve,
                          .ncurve = 3,
                          .same_scale = true};
  }
  ap_figure f = {.title = "The tree at the start and at impacts (Shafei and Shafei 2018, Fig. 18)",
                 .panel = panel,
                 .npanel = shots,
                 .columns = 3};
  ap_status status = figure_write(&f, (figure_place){folder, "shafei2018-fig18.svg"}, error);
  free(s);
  return status;
}

// ---- Fig. 19 -----------------------------------------------------------------------------------

ap_status figure_energy(const tree_run *run, const char *folder, ap_error *error) {
  static const char *const name[3] = {"kinetic", "potential", "total"};
  size_t n = (size_t)run->samples;
  double *t = malloc(4 * n * sizeof *t);
  if (!t) return no_memory(error);
  ap_curve curve[3];
  for (int k = 0; k < 3; k++)
    curve[k] = (ap_curve){name[k], run->samples, t, t + (size_t)(k + 1) * n, AP_SOLID, 0};
  for (size_t i = 0; i < n; i++) {
    const tree_sample *s = &run->sample[i];
    t[i] = s->t;
    t[n + i] = s->kinetic;
    t[2 * n + i] = s->potential;
    t[3 * n + i] = s->kinetic + s->potential;
  }
  ap_panel panel = {.x_label = "t / s", .y_label = "energy / J", .curve = curve, .ncurve = 3};
  ap_figure f = {.title = "Energy of the tree (Shafei and Shafei 2018, Fig. 19)",
                 .panel = &panel,
                 .npanel = 1,
                 .columns = 1};
  ap_status status = figure_write(&f, (figure_place){folder, "shafei2018-fig19.svg"}, error);
  free(t);
  return status;
}
