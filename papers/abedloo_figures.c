// SPDX-License-Identifier: Apache-2.0
#include "abedloo_figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "figure.h"

enum { MOST_PANELS = 3, CURVES = 6 };

/// Two numbers of a sample that belong together; a curve each, or their difference.
typedef void quantity(const wrist_sample *s, int i, double pair[2]);

static void motor_angle(const wrist_sample *s, int i, double pair[2]) {
  for (int n = 0; n < 2; n++) pair[n] = s->angle[n][i];
}
static void motor_rate(const wrist_sample *s, int i, double pair[2]) {
  for (int n = 0; n < 2; n++) pair[n] = s->rate[n][i];
}
static void motor_acceleration(const wrist_sample *s, int i, double pair[2]) {
  for (int n = 0; n < 2; n++) pair[n] = s->acceleration[n][i];
}
static void torque(const wrist_sample *s, int i, double pair[2]) {
  for (int n = 0; n < 2; n++) pair[n] = s->tau[n][i];
}
static void platform_angle(const wrist_sample *s, int i, double pair[2]) {
  pair[0] = s->q[i];
  pair[1] = s->wanted[i];
}

typedef struct panel_plan {
  const char *title, *label;
  quantity *of;
  bool difference;
  const char *curve, *second; ///< formats of labels, the number of the motor or angle in them
} panel_plan;

typedef struct figure_plan {
  const char *title, *file;
  int panels;
  panel_plan panel[MOST_PANELS];
} figure_plan;

static const figure_plan plans[] = {
    {"Simulator and model (Abedloo et al. 2014, Fig. 5)",
     "abedloo2014-fig5.svg",
     2,
     {{"motors", "angle / rad", motor_angle, false, "simulator, motor %d", "model, motor %d"},
      {"platform", "angle / rad", platform_angle, false, "simulator, angle %d",
       "equation 52, angle %d"}}},
    {"Torques (Abedloo et al. 2014, Fig. 6)",
     "abedloo2014-fig6.svg",
     2,
     {{"torques", "torque / (N m)", torque, false, "simulator, motor %d", "model, motor %d"},
      {"simulator less model", "torque / (N m)", torque, true, "motor %d", NULL}}},
    {"Simulator less model (Abedloo et al. 2014, Fig. 7)",
     "abedloo2014-fig7.svg",
     3,
     {{"angles", "rad", motor_angle, true, "motor %d", NULL},
      {"rates", "rad/s", motor_rate, true, "motor %d", NULL},
      {"accelerations", "rad/s2", motor_acceleration, true, "motor %d", NULL}}},
};

// %d of a label.
static void label_of(const char *format, int number, char *text, size_t size) {
  int length = 0;
  while (format[length] && format[length] != '%') length++;
  snprintf(text, size, "%.*s%d", length, format, number);
}

/// What a panel points into.
typedef struct panel_data {
  double *y; ///< CURVES times n
  ap_curve curve[CURVES];
  char label[CURVES][32];
} panel_data;

// Angles that simulator and model give a turn apart are brought together.
static void fill(const wrist_run *run, const panel_plan *plan, const double *t, panel_data *d) {
  const int n = run->samples, each = plan->difference ? 1 : 2;
  for (int i = 0; i < 3; i++) {
    double *y[2] = {d->y + (size_t)(i * 2) * (size_t)n, d->y + (size_t)(i * 2 + 1) * (size_t)n};
    for (int k = 0; k < n; k++) {
      double pair[2];
      plan->of(&run->sample[k], i, pair);
      if (plan->of == motor_angle) pair[1] = pair[0] - remainder(pair[0] - pair[1], 2 * WRIST_PI);
      y[0][k] = plan->difference ? pair[0] - pair[1] : pair[0];
      y[1][k] = pair[1];
    }
    for (int c = 0; c < each; c++) {
      int at = c * 3 + i;
      label_of(c ? plan->second : plan->curve, i + 1, d->label[at], sizeof d->label[at]);
      d->curve[at] = (ap_curve){d->label[at], n, t, y[c], c ? AP_DASHED : AP_SOLID, i + 1 + 3 * c};
    }
  }
}

static ap_status draw(const wrist_run *run, const figure_plan *plan, const double *t,
                      panel_data *data, figure_place place, ap_error *error) {
  ap_panel panel[MOST_PANELS];
  for (int p = 0; p < plan->panels; p++) {
    fill(run, &plan->panel[p], t, &data[p]);
    panel[p] = (ap_panel){.title = plan->panel[p].title,
                          .x_label = "t / s",
                          .y_label = plan->panel[p].label,
                          .curve = data[p].curve,
                          .ncurve = plan->panel[p].difference ? 3 : CURVES};
  }
  ap_figure f = {.title = plan->title, .panel = panel, .npanel = plan->panels};
  return figure_write(&f, place, error);
}

ap_status wrist_figures(const wrist_run *run, const char *folder, ap_error *error) {
  const size_t n = (size_t)run->samples;
  double *t = malloc((1 + MOST_PANELS * CURVES) * n * sizeof *t);
  if (!t) {
    *error = (ap_error){.status = AP_E_MEMORY};
    snprintf(error->text, sizeof error->text, "no memory for a figure of the wrist");
    return AP_E_MEMORY;
  }
  panel_data data[MOST_PANELS];
  for (size_t p = 0; p < MOST_PANELS; p++) data[p].y = t + n + p * CURVES * n;
  for (size_t k = 0; k < n; k++) t[k] = run->sample[k].t;
  ap_status status = AP_OK;
  for (size_t f = 0; f < sizeof plans / sizeof *plans && status == AP_OK; f++)
    status = draw(run, &plans[f], t, data, (figure_place){folder, plans[f].file}, error);
  free(t);
  return status;
}
