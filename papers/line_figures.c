// SPDX-License-Identifier: Apache-2.0
#include "line_figures.h"

#include <math.h>
#include <stdio.h>

enum { POINTS = 201, SHOTS = 3, CORNERS = LINE_JOINTS + 1 };

// ---- the arm on the line -----------------------------------------------------------------------

// Origins of the ground and the six link frames by coordinate.
typedef struct shot {
  double at[3][CORNERS];
} shot;

static ap_status take_shot(const puma *p, const straight_line *l, int branch, double t, shot *s,
                           ap_error *error) {
  motion x;
  ap_status status = line_motion_or_say(p, l, branch, t, &x, error);
  if (status != AP_OK) return status;
  ap_kinematics(p->m, p->w, x.q, NULL, NULL);
  for (int i = 0; i < CORNERS; i++) {
    double R[9], origin[3];
    status = ap_frame_pose(p->m, p->w, i, R, origin);
    if (status != AP_OK) return status;
    for (int k = 0; k < 3; k++) s->at[k][i] = origin[k];
  }
  return AP_OK;
}

ap_status figure_path(const puma *p, const straight_line *l, int branch, figure_place place,
                      ap_error *error) {
  static const char *const when[SHOTS] = {"start", "middle", "end"};
  static const int down[2] = {2, 1}; // the second axis of each view: z, y
  static const char *const axis[2] = {"z / m", "y / m"}, *const view[2] = {"side", "top"};
  shot s[SHOTS];
  double path[3][2];
  for (int k = 0; k < SHOTS; k++) {
    ap_status status = take_shot(p, l, branch, l->duration * k / (SHOTS - 1), &s[k], error);
    if (status != AP_OK) return status;
  }
  for (int i = 0; i < 3; i++) path[i][0] = l->start[i], path[i][1] = l->end[i];

  ap_curve curve[2][SHOTS + 1];
  ap_panel panel[2];
  for (int v = 0; v < 2; v++) {
    for (int k = 0; k < SHOTS; k++)
      curve[v][k] = (ap_curve){.label = when[k],
                               .n = CORNERS,
                               .x = s[k].at[0],
                               .y = s[k].at[down[v]],
                               .stroke = AP_SOLID};
    curve[v][SHOTS] =
        (ap_curve){.label = "line", .n = 2, .x = path[0], .y = path[down[v]], .stroke = AP_DASHED};
    panel[v] = (ap_panel){.title = view[v],
                          .x_label = "x / m",
                          .y_label = axis[v],
                          .curve = curve[v],
                          .ncurve = SHOTS + 1,
                          .same_scale = true};
  }
  char heading[120];
  snprintf(heading, sizeof heading, "The arm on %s, branch %s", l->name, branch_name(branch));
  ap_figure figure = {.title = heading, .panel = panel, .npanel = 2, .columns = 2};
  return figure_write(&figure, place, error);
}

// ---- torques -----------------------------------------------------------------------------------

// A torque that is zero but for rounding is drawn as zero.
static void hide_rounding(double tau[POINTS]) {
  double largest = 0;
  for (int k = 0; k < POINTS; k++) largest = fmax(largest, fabs(tau[k]));
  for (int k = 0; k < POINTS && largest < LINE_ROUNDING; k++) tau[k] = 0;
}

ap_status figure_torques(const puma *p, const straight_line *l, int branch, figure_place place,
                         ap_error *error) {
  double t[POINTS], tau[LINE_JOINTS][POINTS];
  for (int k = 0; k < POINTS; k++) {
    motion x;
    t[k] = l->duration * k / (POINTS - 1);
    ap_status status = line_motion_or_say(p, l, branch, t[k], &x, error);
    if (status != AP_OK) return status;
    for (int i = 0; i < LINE_JOINTS; i++) tau[i][k] = x.tau[i];
  }
  ap_curve curve[LINE_JOINTS];
  ap_panel panel[LINE_JOINTS];
  char title[LINE_JOINTS][16], heading[120];
  for (int i = 0; i < LINE_JOINTS; i++) {
    hide_rounding(tau[i]);
    snprintf(title[i], sizeof title[i], "joint %d", i + 1);
    curve[i] = (ap_curve){.n = POINTS, .x = t, .y = tau[i], .stroke = AP_SOLID, .colour = 1};
    panel[i] = (ap_panel){.title = title[i],
                          .x_label = "t / s",
                          .y_label = "torque / N m",
                          .curve = &curve[i],
                          .ncurve = 1};
  }
  snprintf(heading, sizeof heading, "Torques on %s, branch %s", l->name, branch_name(branch));
  ap_figure figure = {.title = heading, .panel = panel, .npanel = LINE_JOINTS, .columns = 2};
  return figure_write(&figure, place, error);
}

// ---- errors ------------------------------------------------------------------------------------

ap_status figure_errors(const puma *p, const straight_line *l, int branch, const ap_method *forward,
                        figure_place place, ap_error *error) {
  line_run run[2];
  double away[2][OUTPUTS_MOST];
  ap_curve curve[2];
  for (int k = 0; k < 2; k++) {
    run_plan plan = {l, branch, forward, k == 0 ? ONE_RUN : RESTARTED};
    ap_status status = simulate_line(p, &plan, &run[k], error);
    if (status != AP_OK) return status;
    for (int i = 0; i < run[k].outputs; i++) away[k][i] = tool_error_at(p, &plan, &run[k], i);
    curve[k] = (ap_curve){.label = run_mode_name(plan.mode),
                          .n = run[k].outputs,
                          .x = run[k].t,
                          .y = away[k],
                          .stroke = AP_SOLID};
  }
  ap_panel panel = {.x_label = "t / s",
                    .y_label = "distance from the line's point / m",
                    .curve = curve,
                    .ncurve = 2,
                    .log_y = true};
  char heading[120];
  snprintf(heading, sizeof heading, "Deviation from %s, nothing correcting it", l->name);
  ap_figure figure = {.title = heading, .panel = &panel, .npanel = 1, .columns = 1};
  return figure_write(&figure, place, error);
}
