// SPDX-License-Identifier: Apache-2.0
// The figure of `identify`: forces of each joint, measured and as the estimate predicts them, of
// the log that was kept aside where there is one; then the base parameters, a panel for each unit,
// with intervals of two standard deviations.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "identify.h"
#include "ui/figure.h"

enum { MOST_STATES = 2000, MOST_UNITS = 8, MOST_PANELS = 64, NAME_BYTES = 200 };

typedef struct drawing {
  int states, joints, n;         // n: base parameters
  double *number;                // [states]
  double *force[2];              // measured, predicted: [joints][states]
  double *at, *value, *low_high; // [n], [n], [3 n]
  double *at_interval;           // [3 n]
  ap_curve curve[2 * MOST_PANELS];
  ap_panel panel[MOST_PANELS];
  char title[MOST_PANELS][NAME_BYTES];
} drawing;

static bool make_room(drawing *d) {
  const size_t states = (size_t)d->states, n = (size_t)d->n, all = states * (size_t)d->joints;
  double *x = calloc(states + 2 * all + 8 * n + 1, sizeof *x);
  d->number = x;
  if (!x) return false;
  d->force[0] = x + states;
  d->force[1] = d->force[0] + all;
  d->at = d->force[1] + all;
  d->value = d->at + n;
  d->low_high = d->value + n;
  d->at_interval = d->low_high + 3 * n;
  return true;
}

// tau = W p, and what is known.
static bool predict(const cli_identification *f, const ap_dataset *states, drawing *d) {
  const int np = ap_ident_count(f->ident), nv = ap_nv(f->model.model);
  const ap_fit *fit = f->fit[f->method];
  const int all = ap_dataset_count(states);
  double *known = malloc(((size_t)nv * (size_t)np + (size_t)nv) * sizeof *known + 1);
  if (!known) return false;
  double *W = known + nv;
  for (int k = 0; k < d->states; k++) {
    const int i = (int)((long)k * all / d->states);
    const double *q, *v, *a, *tau;
    ap_dataset_at(states, i, &q, &v, &a, &tau);
    ap_ident_rows(f->ident, q, v, a, W);
    ap_ident_known(f->ident, q, v, a, known);
    d->number[k] = i + 1;
    for (int j = 0; j < d->joints; j++) {
      double sum = known[j];
      for (int p = 0; p < np; p++) sum += W[(size_t)j * (size_t)np + (size_t)p] * fit->parameter[p];
      d->force[0][j * d->states + k] = tau[j];
      d->force[1][j * d->states + k] = sum;
    }
  }
  free(known);
  return true;
}

static void draw_joint(const cli_identification *f, int j, drawing *d) {
  char name[1024];
  ap_curve *curve = &d->curve[2 * j];
  for (int side = 0; side < 2; side++)
    curve[side] = (ap_curve){.label = side == 0 ? "measured" : "predicted",
                             .n = d->states,
                             .x = d->number,
                             .y = d->force[side] + (size_t)j * (size_t)d->states,
                             .stroke = side == 0 ? AP_SOLID : AP_DASHED,
                             .colour = side + 1};
  snprintf(d->title[j], NAME_BYTES, "%.150s",
           cli_column_name(f->model.model, AP_INVERSE, j, name, sizeof name) + strlen("tau."));
  d->panel[j] = (ap_panel){.title = d->title[j],
                           .x_label = "state",
                           .y_label = "force / N m or N",
                           .curve = curve,
                           .ncurve = 2};
}

static const char *unit_of(const cli_identification *f, int k) {
  return ap_ident_unit(f->ident, ap_base_leader(f->base, k));
}

// Parameters of one unit, from number `first` of all drawn on; returns how many.
static int draw_unit(const cli_identification *f, const char *unit, int first, int at, drawing *d) {
  const ap_fit *fit = f->fit[f->method];
  int n = 0;
  for (int k = 0; k < fit->n; k++) {
    if (strcmp(unit_of(f, k), unit) != 0) continue;
    const int i = first + n++;
    const double s = 2 * fit->deviation[k];
    d->at[i] = k + 1;
    d->value[i] = fit->value[k];
    for (int e = 0; e < 3; e++) {
      d->at_interval[3 * i + e] = e < 2 ? k + 1.0 : (double)NAN;
      d->low_high[3 * i + e] = e < 2 ? fit->value[k] + (e == 0 ? -s : s) : (double)NAN;
    }
  }
  ap_curve *curve = &d->curve[2 * at];
  curve[0] = (ap_curve){.label = "estimate",
                        .n = n,
                        .x = d->at + first,
                        .y = d->value + first,
                        .stroke = AP_POINTS,
                        .colour = 1};
  curve[1] = (ap_curve){.label = "two standard deviations",
                        .n = 3 * n,
                        .x = d->at_interval + 3 * first,
                        .y = d->low_high + 3 * first,
                        .colour = 2};
  snprintf(d->title[at], NAME_BYTES, "Base parameters, %.40s", unit);
  d->panel[at] = (ap_panel){.title = d->title[at],
                            .x_label = "number in the list",
                            .y_label = unit,
                            .curve = curve,
                            .ncurve = 2};
  return n;
}

static int draw_parameters(const cli_identification *f, drawing *d) {
  const ap_fit *fit = f->fit[f->method];
  const char *units[MOST_UNITS];
  int found = 0, drawn = 0;
  for (int k = 0; k < fit->n && found < MOST_UNITS; k++) {
    bool known = false;
    for (int u = 0; u < found; u++) known = known || strcmp(units[u], unit_of(f, k)) == 0;
    if (known) continue;
    units[found] = unit_of(f, k);
    drawn += draw_unit(f, units[found], drawn, d->joints + found, d);
    found++;
  }
  return found;
}

int cli_identify_draw(const cli_identification *f, const char *path) {
  const ap_dataset *states = f->validation.states ? f->validation.states : f->data.states;
  const int nv = ap_nv(f->model.model), most = MOST_PANELS - MOST_UNITS;
  const int all = ap_dataset_count(states);
  drawing *d = calloc(1, sizeof *d);
  if (!d) return cli_no_memory();
  d->states = all < MOST_STATES ? all : MOST_STATES;
  d->joints = nv < most ? nv : most;
  d->n = f->fit[f->method]->n;
  if (!make_room(d) || !predict(f, states, d)) {
    free(d->number);
    free(d);
    return cli_no_memory();
  }
  for (int j = 0; j < d->joints; j++) draw_joint(f, j, d);
  const ap_figure figure = {.title = ap_model_name(f->model.model),
                            .panel = d->panel,
                            .npanel = d->joints + draw_parameters(f, d),
                            .columns = 2};
  const int status = cli_write_figure(&figure, path);
  free(d->number);
  free(d);
  return status;
}
