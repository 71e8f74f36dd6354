// SPDX-License-Identifier: Apache-2.0
// The figure of `excite`: positions, velocities and forces of the motion, as parts of what the
// joints may do. Joints without such a limit have no curve where others have one; where none has,
// all are drawn in their own units.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "excite.h"
#include "ui/figure.h"

enum { SAMPLES = 600, PANELS = 3, NAME_BYTES = 64, MOST_JOINTS = 64 };
enum { POSITION, VELOCITY, FORCE };

typedef struct drawing {
  double t[SAMPLES + 1];
  double y[PANELS][MOST_JOINTS][SAMPLES + 1];
  char name[MOST_JOINTS][NAME_BYTES];
  double ends[2], bound[2][2]; // of the lines at the limits
  ap_curve curve[PANELS][MOST_JOINTS + 2];
  ap_panel panel[PANELS];
} drawing;

// What a value is counted from and by, of the joint with entry j of v; false: it has no limit.
static bool limit_of(const ap_model *m, int j, int what, double *middle, double *half) {
  for (int i = 1; i < ap_nbody(m); i++) {
    const ap_body_def *def = ap_body(m, i);
    if (ap_joint_v(m, i) != j || def->mimic) continue;
    *middle = what == POSITION ? (def->lower + def->upper) / 2 : 0;
    *half = what == POSITION   ? (def->upper - def->lower) / 2
            : what == VELOCITY ? def->velocity_limit
                               : def->effort_limit;
    return isfinite(*middle) && isfinite(*half) && *half > 0;
  }
  return false;
}

static bool sample(const ap_model *m, ap_work *w, const ap_traj *t, int joints, drawing *d) {
  const size_t n = (size_t)ap_nv(m);
  double *state = malloc(4 * n * sizeof *state);
  if (!state) return false;
  double *q = state, *v = q + n, *a = v + n, *tau = a + n;
  for (int k = 0; k <= SAMPLES; k++) {
    d->t[k] = ap_traj_duration(t) * k / SAMPLES;
    ap_traj_at(t, d->t[k], q, v, a);
    ap_inverse_dynamics(m, w, q, v, a, tau);
    for (int j = 0; j < joints; j++) {
      d->y[POSITION][j][k] = q[j];
      d->y[VELOCITY][j][k] = v[j];
      d->y[FORCE][j][k] = tau[j];
    }
  }
  free(state);
  return true;
}

static void fill_panel(const ap_model *m, int what, int joints, drawing *d) {
  static const char *const title[] = {"Positions", "Velocities", "Joint forces"};
  static const char *const part[] = {"part of the range", "part of the limit", "part of the limit"};
  static const char *const plain[] = {"rad or m", "rad/s or m/s", "N m or N"};
  double middle, half;
  bool limited = false;
  int n = 0;
  for (int j = 0; j < joints; j++) limited = limited || limit_of(m, j, what, &middle, &half);
  for (int j = 0; j < joints; j++) {
    const bool own = limit_of(m, j, what, &middle, &half);
    if (limited && !own) continue;
    for (int k = 0; limited && k <= SAMPLES; k++)
      d->y[what][j][k] = (d->y[what][j][k] - middle) / half;
    d->curve[what][n++] = (ap_curve){
        .label = d->name[j], .n = SAMPLES + 1, .x = d->t, .y = d->y[what][j], .colour = j + 1};
  }
  for (int side = 0; limited && side < 2; side++)
    d->curve[what][n++] = (ap_curve){.label = side == 0 ? "limit" : NULL,
                                     .n = 2,
                                     .x = d->ends,
                                     .y = d->bound[side],
                                     .stroke = AP_DASHED,
                                     .colour = 8};
  d->panel[what] = (ap_panel){.title = title[what],
                              .x_label = "t / s",
                              .y_label = limited ? part[what] : plain[what],
                              .curve = d->curve[what],
                              .ncurve = n};
}

int excite_draw(const ap_model *m, ap_work *w, const ap_traj *t, const char *path) {
  drawing *d = calloc(1, sizeof *d);
  const int joints = ap_nv(m) < MOST_JOINTS ? ap_nv(m) : MOST_JOINTS;
  char name[1024];
  if (!d || !sample(m, w, t, joints, d)) {
    free(d);
    return cli_no_memory();
  }
  d->ends[1] = ap_traj_duration(t);
  for (int side = 0; side < 2; side++) d->bound[side][0] = d->bound[side][1] = side == 0 ? -1 : 1;
  for (int j = 0; j < joints; j++)
    snprintf(d->name[j], NAME_BYTES, "%.60s",
             cli_column_name(m, AP_INVERSE, j, name, sizeof name) + strlen("tau."));
  for (int what = 0; what < PANELS; what++) fill_panel(m, what, joints, d);
  const ap_figure figure = {
      .title = ap_model_name(m), .panel = d->panel, .npanel = PANELS, .columns = 1};
  const int status = cli_write_figure(&figure, path);
  free(d);
  return status;
}
