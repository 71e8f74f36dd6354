// SPDX-License-Identifier: Apache-2.0
// The cost of a step, and its derivatives.

#include "kin/text_f64.h"

#include "kin/orientation.h"
#include "opt/ddp.h"
#include "opt/matrix.h"

// Weights of step k, or of the end.
typedef struct weights {
  const double *q, *v, *u;
} weights;

static weights weights_of(const ap_ddp *d, int k) {
  const ap_ddp_def *f = &d->def;
  if (k == d->N) return (weights){f->end_q, f->end_v, NULL};
  return (weights){f->weight_q, f->weight_v, f->weight_u};
}

static double wanted(const double *x, int i) { return x ? x[i] : 0; }

static double half_squares(int n, const double *weight, const double *x, const double *goal) {
  double sum = 0;
  for (int i = 0; weight && i < n; i++) {
    const double r = x[i] - wanted(goal, i);
    sum += weight[i] * r * r;
  }
  return 0.5 * sum;
}

// ---- frames ------------------------------------------------------------------------------------

typedef struct pull {
  double position, orientation; // weights
  double p[3], e[3];            // from the goal: in the frame's axes, as a rotation vector
} pull;

static pull pull_of(ap_ddp *d, ap_work *w, const ap_ddp_frame *f, const double *q, bool end,
                    double *J) {
  double R[9], p[3];
  pull x = {.position = end ? f->end_position : f->position,
            .orientation = end ? f->end_orientation : f->orientation};
  if (x.position == 0 && x.orientation == 0) return x;
  ap_forward_kinematics(d->def.model, w, q, &f->frame, 1, AP_LOCAL, R, p, J);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) x.p[i] += R[3 * k + i] * (p[k] - f->p[k]);
  if (x.orientation == 0) return x;
  double E[9] = {0}; // goal^T R
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < 3; j++) E[3 * i + j] += f->R[3 * k + i] * R[3 * k + j];
  const mat3 turned = {load3(E), load3(E + 3), load3(E + 6)};
  store3(x.e, quaternion_log(quaternion_of_matrix(turned)));
  return x;
}

static double value_of(const pull *x) {
  return 0.5 * (x->position * (x->p[0] * x->p[0] + x->p[1] * x->p[1] + x->p[2] * x->p[2]) +
                x->orientation * (x->e[0] * x->e[0] + x->e[1] * x->e[1] + x->e[2] * x->e[2]));
}

// gradient += weight row r and hessian += weight row^T row for three rows of nv numbers.
static void add_rows(const ap_ddp *d, double weight, const double *rows, const double r[3],
                     double *gradient, double *hessian) {
  const int n = d->nv;
  for (int k = 0; weight != 0 && k < 3; k++) {
    const double *row = rows + (size_t)k * (size_t)n;
    for (int i = 0; i < n; i++) {
      const double x = weight * row[i];
      if (x == 0) continue;
      gradient[i] += x * r[k];
      for (int j = 0; j < n; j++) hessian[i * d->nx + j] += x * row[j];
    }
  }
}

// The origin moves by J in the frame's axes; the rotation vector e by the inverse of its right
// Jacobian times the frame's angular velocity.
static void add_pull(ap_ddp *d, ap_work *w, const ap_ddp_frame *f, const double *q, bool end,
                     double *gradient, double *hessian) {
  const pull x = pull_of(d, w, f, q, end, d->J);
  const size_t rows = 3 * (size_t)d->nv;
  add_rows(d, x.position, d->J, x.p, gradient, hessian);
  if (x.orientation == 0) return;
  double D[9];
  ap__ddp_turn_inverse(x.e, D);
  ap__clear(rows, d->room);
  ap__add_product(3, 3, d->nv, 1, D, d->J + rows, d->room);
  add_rows(d, x.orientation, d->room, x.e, gradient, hessian);
}

// ---- all of it ---------------------------------------------------------------------------------

double ap__ddp_cost(ap_ddp *d, ap_work *w, const ap__ddp_path *p, int k) {
  const size_t at = (size_t)k;
  const double *q = p->q + at * (size_t)d->nq, *v = p->v + at * (size_t)d->nv;
  const double *u = k < d->N ? p->u + at * (size_t)d->nu : NULL;
  const weights weight = weights_of(d, k);
  double sum = half_squares(d->nv, weight.v, v, d->def.v);
  if (u) sum += half_squares(d->nu, weight.u, u, d->def.u);
  if (weight.q) {
    ap_difference(d->def.model, ap__ddp_goal(d), q, d->x);
    sum += half_squares(d->nv, weight.q, d->x, NULL);
  }
  for (int i = 0; i < d->def.nframe; i++) {
    const pull x = pull_of(d, w, &d->def.frames[i], q, k == d->N, NULL);
    sum += value_of(&x);
  }
  if (d->def.cost) sum += d->def.cost(d->def.context, k, q, v, u, NULL);
  return sum;
}

void ap__ddp_cost_terms(ap_ddp *d, ap_work *w, int k) {
  const size_t at = (size_t)k, nx = (size_t)d->nx, nu = (size_t)d->nu;
  const int n = d->nv;
  const double *q = d->best.q + at * (size_t)d->nq, *v = d->best.v + at * (size_t)n;
  const double *u = k < d->N ? d->best.u + at * nu : NULL;
  const weights weight = weights_of(d, k);
  ap_ddp_terms t = {.x = d->lx + at * nx, .xx = d->lxx + at * nx * nx};
  ap__clear(nx, t.x), ap__clear(nx * nx, t.xx);
  if (u) {
    t.u = d->lu + at * nu, t.uu = d->luu + at * nu * nu, t.ux = d->lux + at * nu * nx;
    ap__clear(nu, t.u), ap__clear(nu * nu, t.uu), ap__clear(nu * nx, t.ux);
  }
  for (int i = 0; weight.v && i < n; i++) {
    t.x[n + i] = weight.v[i] * (v[i] - wanted(d->def.v, i));
    t.xx[(n + i) * d->nx + n + i] = weight.v[i];
  }
  for (int i = 0; u && weight.u && i < d->nu; i++) {
    t.u[i] = weight.u[i] * (u[i] - wanted(d->def.u, i));
    t.uu[i * d->nu + i] = weight.u[i];
  }
  if (weight.q) {
    ap_difference(d->def.model, ap__ddp_goal(d), q, d->x);
    ap__ddp_pull(d, weight.q, d->x, t.x, t.xx);
  }
  for (int i = 0; i < d->def.nframe; i++)
    add_pull(d, w, &d->def.frames[i], q, k == d->N, t.x, t.xx);
  if (d->def.cost) d->def.cost(d->def.context, k, q, v, u, &t);
}
