// SPDX-License-Identifier: Apache-2.0
// What closures transmit: multipliers of their rows, and the forces that these are.
//
// A row of Phi with multiplier lambda does the work lambda dPhi on a motion of the tree. Written
// for the two links this is the work of a force and a moment on each, equal and opposite:
//
//   point      p_0 - p_1                      force lambda
//   axis       d_0 - d_1                      moment d_0 x lambda
//   line       t_k . (p_0 - p_1)              force sum lambda_k t_k
//   frame      p_0 - p_1, x_0 - x_1, y_0 - y_1   force lambda_p, moment x_0 x lambda_x + y_0 x
//   lambda_y distance   (|p_0 - p_1|^2 - d^2) / 2d     force lambda (p_0 - p_1) / d gear       q_1
//   - rho q_0 - offset         efforts -rho lambda and lambda in the joints

#include <string.h>

#include "loop/work.h"

#define DEPENDENT 1e-9 // rows of Phi_x, relative; what rounding leaves of them is below 1e-13

void ap__multipliers(const ap_mechanism *m, ap_loop *l, double *f) {
  ap_qr *qr = &l->force_qr;
  ap__rows(m, l, l->x, NULL, AP_ROWS_JACOBIAN, l->try_F);
  for (int i = 0; i < m->nv; i++)
    for (int k = 0; k < m->nrow; k++) qr->A[i * m->nrow + k] = l->K[k * m->nv + i];
  ap__qr_factor(qr, DEPENDENT);
  ap__qr_solve(qr, f, l->lambda);
}

// y += s R a
static void add_turned(const double R[9], const double a[3], double s, double y[3]) {
  for (int i = 0; i < 3; i++)
    y[i] += s * (R[3 * i] * a[0] + R[3 * i + 1] * a[1] + R[3 * i + 2] * a[2]);
}

// y += d x lambda, d = R a
static void add_moment(const double R[9], const double a[3], const double lambda[3], double y[3]) {
  double d[3] = {0};
  add_turned(R, a, 1, d);
  y[0] += d[1] * lambda[2] - d[2] * lambda[1];
  y[1] += d[2] * lambda[0] - d[0] * lambda[2];
  y[2] += d[0] * lambda[1] - d[1] * lambda[0];
}

// Column k of a frame's axes.
static void column(const double R[9], int k, double d[3]) {
  for (int i = 0; i < 3; i++) d[i] = R[3 * i + k];
}

void ap__closure_force(const ap_mechanism *m, ap_loop *l, int i, ap_closure_force *force) {
  const ap_closing *c = &m->closing[i];
  const ap_closure_def *d = &c->def;
  const double *lambda = l->lambda + c->row;
  const ap_seen *first = &l->seen[d->body[0]], *second = &l->seen[d->body[1]];
  double other[3], axis[3];
  *force = (ap_closure_force){0};
  if (d->kind == AP_CLOSE_GEAR) {
    force->joint[0] = -d->ratio * lambda[0], force->joint[1] = lambda[0];
    return;
  }
  memcpy(force->at, first->p, sizeof first->p);
  memcpy(other, second->p, sizeof other);
  add_turned(first->R, d->at[0], 1, force->at);
  add_turned(second->R, d->at[1], 1, other);
  switch (d->kind) {
    case AP_CLOSE_FRAME:
      for (int k = 0; k < 2; k++) {
        column(c->frame[0], k, axis);
        add_moment(first->R, axis, lambda + 3 + 3 * k, force->moment);
      } // and the force of a point
      // fall through
    case AP_CLOSE_POINT: memcpy(force->force, lambda, sizeof force->force); break;
    case AP_CLOSE_AXIS: add_moment(first->R, d->axis[0], lambda, force->moment); break;
    case AP_CLOSE_POINT_ON_LINE:
      for (int k = 0; k < 2; k++) {
        column(c->frame[1], 1 + k, axis);
        add_turned(second->R, axis, lambda[k], force->force);
      }
      break;
    case AP_CLOSE_DISTANCE:
      for (int k = 0; k < 3; k++)
        force->force[k] = lambda[0] * (force->at[k] - other[k]) / d->distance;
      break;
    case AP_CLOSE_GEAR: break;
  }
}
