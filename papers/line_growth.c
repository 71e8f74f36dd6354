// SPDX-License-Identifier: Apache-2.0
// How fast a deviation from a line grows when nothing corrects it.
//
// With y = [q; v] and y0(t) the prescribed motion, a small deviation obeys
//
//     d/dt (y - y0) = A(t) (y - y0),    A = [0 1; da/dq da/dv] at y0(t), torques as prescribed
//
// and Y' = A Y, Y(0) = 1 carries every deviation from the start to time t. The largest singular
// value of Y is the growth of the worst of them.

#include "line_run.h"

#include <appell/sim.h>
#include <math.h>
#include <string.h>

enum { STATE = 2 * LINE_JOINTS };

typedef struct linearised {
  const puma *p;
  const straight_line *line;
  int branch;
} linearised;

// Rows of A that are not [0 1], by central differences: at this step their error is of the order of
// step^2, and of eps / step from rounding, both near 1e-10.
static ap_status acceleration_slopes(const linearised *s, double t,
                                     double slope[LINE_JOINTS][STATE]) {
  const double step = 1e-5;
  motion x;
  ap_status status = line_motion(s->p, s->line, s->branch, t, &x);
  if (status != AP_OK) return status;
  double y[STATE], ahead[LINE_JOINTS], behind[LINE_JOINTS];
  memcpy(y, x.q, sizeof x.q);
  memcpy(y + LINE_JOINTS, x.v, sizeof x.v);
  for (int j = 0; j < STATE; j++) {
    double kept = y[j];
    y[j] = kept + step;
    status = ap_forward_dynamics(s->p->m, s->p->w, y, y + LINE_JOINTS, x.tau, ahead);
    if (status != AP_OK) return status;
    y[j] = kept - step;
    status = ap_forward_dynamics(s->p->m, s->p->w, y, y + LINE_JOINTS, x.tau, behind);
    if (status != AP_OK) return status;
    y[j] = kept;
    for (int i = 0; i < LINE_JOINTS; i++) slope[i][j] = (ahead[i] - behind[i]) / (2 * step);
  }
  return AP_OK;
}

// Y row-major
static ap_status transition_rate(void *context, double t, const double *Y, double *dYdt) {
  double slope[LINE_JOINTS][STATE];
  ap_status status = acceleration_slopes(context, t, slope);
  if (status != AP_OK) return status;
  memcpy(dYdt, Y + LINE_JOINTS * STATE, LINE_JOINTS * STATE * sizeof *Y);
  for (int i = 0; i < LINE_JOINTS; i++) {
    double *row = dYdt + (LINE_JOINTS + i) * STATE;
    for (int j = 0; j < STATE; j++) {
      row[j] = 0;
      for (int k = 0; k < STATE; k++) row[j] += slope[i][k] * Y[k * STATE + j];
    }
  }
  return AP_OK;
}

// By power iteration on Y^T Y; its eigenvalues lie far apart here.
static double largest_singular_value(const double *Y) {
  double x[STATE], image[STATE], largest = 0;
  for (int j = 0; j < STATE; j++) x[j] = 1;
  for (int round = 0; round < 200; round++) {
    double length = 0, squares = 0;
    for (int j = 0; j < STATE; j++) length = hypot(length, x[j]);
    for (int j = 0; j < STATE; j++) x[j] /= length;
    for (int i = 0; i < STATE; i++) {
      image[i] = 0;
      for (int j = 0; j < STATE; j++) image[i] += Y[i * STATE + j] * x[j];
      squares += image[i] * image[i];
    }
    largest = sqrt(squares);
    for (int j = 0; j < STATE; j++) {
      x[j] = 0;
      for (int i = 0; i < STATE; i++) x[j] += Y[i * STATE + j] * image[i];
    }
  }
  return largest;
}

ap_status line_growth(const puma *p, const straight_line *l, int branch, double *growth,
                      ap_error *error) {
  linearised s = {p, l, branch};
  double Y[STATE * STATE] = {0};
  ap_ode *ode = NULL;
  for (int i = 0; i < STATE; i++) Y[i * STATE + i] = 1;
  ap_status status = ap_ode_create(STATE * STATE, transition_rate, &s, NULL, &ode, error);
  if (status == AP_OK) status = ap_ode_start(ode, 0, Y, error);
  if (status == AP_OK) status = ap_ode_advance_to(ode, l->duration, Y, error);
  ap_ode_free(ode);
  if (status == AP_OK) *growth = largest_singular_value(Y);
  return status;
}
