// SPDX-License-Identifier: Apache-2.0
#include "line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double degree = 3.14159265358979323846 / 180;

const straight_line mata2002_in_5s = {
    "the line of Mata et al. 2002 in 5 s", {0.50, 0, 0.05}, {0.62, 0.30, 0.11}, 5, {0, 90, 180}};
// 0.12^2 + 0.3^2 + 0.06^2 = 0.108: the length, at 0.1 m/s
const straight_line mata2002_at_100mm_per_s = {"the line of Mata et al. 2002 at 0.1 m/s",
                                               {0.50, 0, 0.05},
                                               {0.62, 0.30, 0.11},
                                               3.2863353450309968,
                                               {0, 90, 180}};
const straight_line provenzano2002_line = {"the line of Provenzano et al. 2002",
                                           {0.60, 0.175, 0.250},
                                           {0.244, 0.527, 0.250},
                                           5,
                                           {45, 60, 90}};
const straight_line valera2003_line = {
    "the line of Valera et al. 2003", {0.6, 0.175, 0.250}, {0.018, 0.757, 0}, 8.6, {45, 60, 90}};

const char *branch_name(int branch) {
  static const char *const name[LINE_BRANCHES] = {"(1,1,1)",   "(1,1,-1)",  "(1,-1,1)",
                                                  "(1,-1,-1)", "(-1,1,1)",  "(-1,1,-1)",
                                                  "(-1,-1,1)", "(-1,-1,-1)"};
  return name[branch];
}

// ---- the arm -----------------------------------------------------------------------------------

static ap_status fail(ap_error *error, ap_status status, const char *what) {
  error->status = status;
  error->line = 0;
  snprintf(error->text, sizeof error->text, "%s: %s", what, ap_status_text(status));
  return status;
}

ap_status puma_make(puma *p, ap_error *error) {
  const ap_robot_def *def = ap_builtin("puma600");
  *p = (puma){0};
  if (!def) return fail(error, AP_E_NOT_FOUND, "built-in robot puma600");
  size_t size = ap_model_size(def);
  p->memory[0] = malloc(size);
  if (!p->memory[0]) return fail(error, AP_E_MEMORY, "robot puma600");
  p->m = ap_model_init(def, p->memory[0], size, error);
  if (!p->m) return error->status;

  size = ap_work_size(p->m);
  p->memory[1] = malloc(size);
  size_t study = ap_study_size(p->m, AP_F64);
  p->memory[2] = malloc(study);
  if (!p->memory[1] || !p->memory[2]) return fail(error, AP_E_MEMORY, "work for puma600");
  p->w = ap_work_init(p->m, p->memory[1], size);
  p->study = ap_study_init(p->m, AP_F64, p->memory[2], study);
  if (!p->w || !p->study) return fail(error, AP_E_MEMORY, "work for puma600");

  ap_status status = ap_puma_geometry_of(p->m, &p->geometry);
  return status == AP_OK ? AP_OK : fail(error, status, "lengths of puma600");
}

void puma_free(puma *p) {
  for (int i = 0; i < 3; i++) free(p->memory[i]);
  *p = (puma){0};
}

ap_status find_method(ap_quantity what, const char *name, const ap_method **method,
                      ap_error *error) {
  *method = ap_find_method(what, name);
  if (*method) return AP_OK;
  error->status = AP_E_NOT_FOUND;
  error->line = 0;
  snprintf(error->text, sizeof error->text, "the library has no method \"%s\" for %s dynamics",
           name ? name : "default", ap_quantity_name(what));
  return AP_E_NOT_FOUND;
}

// ---- the line ----------------------------------------------------------------------------------

double line_length(const straight_line *l) {
  return hypot(hypot(l->end[0] - l->start[0], l->end[1] - l->start[1]), l->end[2] - l->start[2]);
}

void line_tool(const straight_line *l, double t, double position[3], double velocity[3]) {
  for (int i = 0; i < 3; i++) {
    velocity[i] = (l->end[i] - l->start[i]) / l->duration;
    position[i] = l->start[i] + (l->end[i] - l->start[i]) * (t / l->duration);
  }
}

// R = Rz(angle 0) Ry(angle 1) Rz(angle 2)
static void rotation_zyz(const double zyz[3], double R[9]) {
  double c[3], s[3];
  for (int i = 0; i < 3; i++) c[i] = cos(zyz[i] * degree), s[i] = sin(zyz[i] * degree);
  const double result[9] = {c[0] * c[1] * c[2] - s[0] * s[2],
                            -c[0] * c[1] * s[2] - s[0] * c[2],
                            c[0] * s[1],
                            s[0] * c[1] * c[2] + c[0] * s[2],
                            c[0] * c[2] - s[0] * c[1] * s[2],
                            s[0] * s[1],
                            -s[1] * c[2],
                            s[1] * s[2],
                            c[1]};
  memcpy(R, result, sizeof result);
}

// x with A x = b by elimination with row exchanges; A and b are lost.
static ap_status solve6(double A[6][6], double b[6], double x[6]) {
  for (int k = 0; k < 6; k++) {
    int best = k;
    for (int i = k + 1; i < 6; i++)
      if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
    // The entries of a Jacobian of this arm are lengths in m and cosines, so of the order of one.
    if (!(fabs(A[best][k]) > 1e-10)) return AP_E_SINGULAR;
    for (int j = 0; j < 6; j++) {
      double swap = A[k][j];
      A[k][j] = A[best][j], A[best][j] = swap;
    }
    double swap = b[k];
    b[k] = b[best], b[best] = swap;
    for (int i = k + 1; i < 6; i++) {
      double factor = A[i][k] / A[k][k];
      for (int j = k; j < 6; j++) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = 5; i >= 0; i--) {
    x[i] = b[i];
    for (int j = i + 1; j < 6; j++) x[i] -= A[i][j] * x[j];
    x[i] /= A[i][i];
  }
  return AP_OK;
}

ap_status line_motion(const puma *p, const straight_line *l, int branch, double t, motion *x) {
  double R[9], position[3], wanted[6] = {0}, rest[6], J[6][6], J2[6][6];
  rotation_zyz(l->zyz, R);
  line_tool(l, t, position, wanted); // the angular velocity stays zero
  ap_status status = ap_puma_inverse_kinematics(&p->geometry, R, position, branch, x->q);
  if (status != AP_OK) return status;

  // J v = [velocity; 0]
  ap_kinematics(p->m, p->w, x->q, NULL, NULL);
  ap_frame_jacobian(p->m, p->w, LINE_JOINTS, AP_MIXED, J[0]);
  memcpy(J2, J, sizeof J);
  status = solve6(J, wanted, x->v);
  if (status != AP_OK) return status;

  // J a + dJ/dt v = 0
  ap_kinematics(p->m, p->w, x->q, x->v, NULL);
  ap_frame_jacobian_dot_v(p->m, p->w, LINE_JOINTS, AP_MIXED, rest);
  for (int i = 0; i < 6; i++) rest[i] = -rest[i];
  status = solve6(J2, rest, x->a);
  if (status != AP_OK) return status;

  ap_inverse_dynamics(p->m, p->w, x->q, x->v, x->a, x->tau);
  return AP_OK;
}

ap_status line_fail(ap_error *error, ap_status status, const straight_line *l, int branch,
                    double t) {
  error->status = status;
  error->line = 0;
  snprintf(error->text, sizeof error->text, "%s, branch %s, t = %g s: %s", l->name,
           branch_name(branch), t,
           status == AP_E_SINGULAR ? "the arm or its inertia matrix is singular there"
                                   : ap_status_text(status));
  return status;
}

ap_status line_motion_or_say(const puma *p, const straight_line *l, int branch, double t, motion *x,
                             ap_error *error) {
  ap_status status = line_motion(p, l, branch, t, x);
  return status == AP_OK ? AP_OK : line_fail(error, status, l, branch, t);
}

void tool_of(const puma *p, const double *q, const double *v, const double *a, double tool[9]) {
  double R[9], six[6];
  ap_kinematics(p->m, p->w, q, v, a);
  ap_frame_pose(p->m, p->w, LINE_JOINTS, R, tool);
  ap_frame_velocity(p->m, p->w, LINE_JOINTS, AP_MIXED, six);
  memcpy(tool + 3, six, 3 * sizeof *six);
  ap_frame_acceleration(p->m, p->w, LINE_JOINTS, AP_MIXED, six);
  memcpy(tool + 6, six, 3 * sizeof *six);
}
