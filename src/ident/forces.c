// SPDX-License-Identifier: Apache-2.0
// Joint forces of a motion, bounded between samples: |tau(t + dt)| <= |tau(t)| + rate |dt|.
//
// The rate of joint j comes from norms. From the ground outwards, W, W1 and W2 bound a body's
// angular velocity and its first two derivatives, O1, O2, O3 the first three derivatives of the
// place of its joint, C1, C2, C3 of its centre of mass:
//
//     w_i   = w_p + z v                     W_i  = W_p + V
//     dw_i  = dw_p + z a + w_p x z v        W1_i = W1_p + A + W_p V
//     d2w_i = ...                           W2_i = W2_p + J + 2 W_p A + (W1_p + W_p^2) V
//     a point r that turns with a body:     r' <= W r,  r'' <= (W1 + W^2) r,
//                                           r''' <= (W2 + 3 W W1 + W^3) r
//
// With f = m (c'' - g) and n = I dw + w x I w the force of joint j is z_j . sum of
// (c_k - o_j) x f_k + n_k over the bodies that it carries (a prismatic one: z_j . sum of f_k), and
// its rate the derivative of that, term by term. Coulomb friction jumps where a joint reverses: in
// an interval where it may, both signs count.

#include "ident/forces.h"

#include <math.h>
#include <stdlib.h>

#include "model/pack.h"
#include "num/vec3.h"

enum { DEPTH = 48, MOST_STATES = 1000000 };

typedef struct bounds {
  double W, W1, W2, O1, O2, O3;
  double away;                      // sum of lengths from the ground to the joint
  double f, fx, fv, df, dfx, n, dn; // sums over the bodies that it carries: of |f|, |f| away, ...
} bounds;

// Add what a point does that is r away, moving along a fixed axis with speed V, A, J at most.
static void add_point(const bounds *turns, double r, double V, double A, double J, double *x1,
                      double *x2, double *x3) {
  const double W = turns->W, W1 = turns->W1, W2 = turns->W2;
  *x1 += W * r + V;
  *x2 += (W1 + W * W) * r + 2 * W * V + A;
  *x3 += (W2 + 3 * W * W1 + W * W * W) * r + 3 * (W1 + W * W) * V + 3 * W * A + J;
}

static void bound_motion(const ap_model *m, const ap_traj_reach *reach, const double *jerk,
                         bounds *b) {
  b[0] = (bounds){0};
  for (int i = 1; i < m->nbody; i++) {
    const ap_joint *j = &m->joint[i];
    const ap_traj_reach *r = &reach[j->v];
    const double scale = fabs(j->ratio), V = scale * r->velocity, A = scale * r->acceleration;
    const double J = scale * jerk[j->v];
    const bounds p = b[j->parent];
    bounds *x = &b[i];
    double length = norm3(m->packed_body[i].s);
    *x = (bounds){.W = p.W, .W1 = p.W1, .W2 = p.W2, .O1 = p.O1, .O2 = p.O2, .O3 = p.O3};
    if (j->type == AP_PRISMATIC) {
      length += fmax(fabs(j->ratio * r->lower + j->offset), fabs(j->ratio * r->upper + j->offset));
      add_point(&p, length, V, A, J, &x->O1, &x->O2, &x->O3);
    } else {
      add_point(&p, length, 0, 0, 0, &x->O1, &x->O2, &x->O3);
      x->W += V, x->W1 += A + p.W * V, x->W2 += J + 2 * p.W * A + (p.W1 + p.W * p.W) * V;
    }
    x->away = p.away + length;
  }
}

// Gravity compensation is a constant force at the centre of mass of a link.
static void add_compensation(const ap_model *m, int body, double g, bounds *x) {
  for (int k = 1; k < m->nlink; k++) {
    const ap_body_def *d = &m->link[k];
    if (m->mover[k] != body || d->gravity_compensation == 0) continue;
    const double f = fabs(d->gravity_compensation) * d->mass * g;
    const double c = norm3(m->packed_frame[k].p) + norm3(d->com);
    x->f += f, x->fx += f * (x->away + c), x->fv += f * (x->O1 + x->W * c);
  }
}

// What each body's own inertia adds, then those of the bodies that it carries.
static void bound_loads(const ap_model *m, bounds *b) {
  const double g = norm3(m->gravity);
  for (int i = m->nbody - 1; i > 0; i--) {
    const ap_packed_body *body = &m->packed_body[i];
    bounds *x = &b[i], *p = &b[m->joint[i].parent];
    const double c = norm3(body->com), W = x->W, moment = m->moment[3 * i + 2];
    double C1 = x->O1, C2 = x->O2, C3 = x->O3;
    add_point(x, c, 0, 0, 0, &C1, &C2, &C3);
    const double f = body->mass * (C2 + g), df = body->mass * C3;
    x->f += f, x->fx += f * (x->away + c), x->fv += f * C1;
    add_compensation(m, i, g, x);
    x->df += df, x->dfx += df * (x->away + c);
    x->n += moment * (x->W1 + W * W);
    x->dn += moment * (x->W2 + 4 * W * x->W1 + 2 * W * W * W);
    p->f += x->f, p->fx += x->fx, p->fv += x->fv, p->df += x->df, p->dfx += x->dfx;
    p->n += x->n, p->dn += x->dn;
  }
}

// rate [nv] of every joint force; dry [nv] its Coulomb friction.
static void bound_rates(const ap_model *m, const ap_traj_reach *reach, const double *jerk,
                        const bounds *b, double *rate, double *dry) {
  for (int j = 0; j < m->nv; j++) rate[j] = dry[j] = 0;
  for (int i = 1; i < m->nbody; i++) {
    const ap_joint *j = &m->joint[i];
    const ap_body_def *d = &m->link[j->link];
    const bounds *x = &b[i], *p = &b[j->parent];
    const double scale = fabs(j->ratio);
    double own = p->W * x->f + x->df;
    if (j->type == AP_REVOLUTE)
      own = p->W * (x->fx - x->away * x->f + x->n) + x->fv - x->O1 * x->f + x->dfx -
            x->away * x->df + x->dn;
    own += scale * (d->rotor_inertia * d->gear_ratio * d->gear_ratio * jerk[j->v] +
                    d->viscous * reach[j->v].acceleration + d->stiffness * reach[j->v].velocity);
    rate[j->v] += scale * own;
    dry[j->v] += scale * d->coulomb;
  }
}

typedef struct interval {
  double middle, half;
} interval;

// The largest use in an interval about a time whose forces are tau: seen there, and at most.
static void use_in(const ap_model *m, const ap_traj_reach *reach, const ap__forces *f,
                   const double *room, double half, double *seen, int *joint, double *bound) {
  const double *v = room, *tau = v + m->nv, *rate = tau + m->nv, *dry = rate + m->nv;
  *seen = *bound = 0, *joint = 0;
  for (int j = 0; j < m->nv; j++) {
    const double use = fabs(tau[j]) / f->effort[j], sign = (v[j] > 0) - (v[j] < 0);
    const bool reverses = fabs(v[j]) <= reach[j].acceleration * half;
    const double most = reverses ? fabs(tau[j] - sign * dry[j]) + dry[j] : fabs(tau[j]);
    if (use > *seen) *seen = use, *joint = j;
    *bound = fmax(*bound, (most + rate[j] * half) / f->effort[j]);
  }
}

static void search(const ap_model *m, ap_work *w, const ap_traj *traj, const ap_traj_reach *reach,
                   double *room, ap__forces *f) {
  double *v = room, *tau = v + m->nv, *q = room + 4 * m->nv, *a = q + m->nq;
  double most = 0, highest = 0;
  interval stack[DEPTH + 2];
  int n = 0, states = 0;
  stack[n++] = (interval){ap_traj_duration(traj) / 2, ap_traj_duration(traj) / 2};
  while (n > 0) {
    const interval x = stack[--n];
    double seen, bound;
    int joint;
    ap_traj_at(traj, x.middle, q, v, a);
    ap_inverse_dynamics(m, w, q, v, a, tau);
    use_in(m, reach, f, room, x.half, &seen, &joint, &bound);
    if (seen > most) most = seen, f->joint = joint;
    if (f->enough > 0 && !(most <= f->enough)) {
      f->use = most;
      return;
    }
    if (bound <= fmax(f->enough, most + f->tolerance) || n >= DEPTH || ++states > MOST_STATES) {
      highest = fmax(highest, bound);
      continue;
    }
    for (int side = -1; side <= 1; side += 2)
      stack[n++] = (interval){x.middle + side * x.half / 2, x.half / 2};
  }
  f->use = highest;
}

ap_status ap__bound_forces(const ap_model *m, ap_work *w, const ap_traj *traj, ap__forces *f,
                           ap_error *error) {
  bool limited = false;
  f->use = 0, f->joint = 0;
  for (int j = 0; j < m->nv; j++) limited |= isfinite(f->effort[j]);
  if (!limited) return AP_OK;
  bounds *b = malloc((size_t)m->nbody * sizeof *b);
  ap_traj_reach *reach = malloc((size_t)m->nv * sizeof *reach);
  double *room = malloc((5 * (size_t)m->nv + (size_t)m->nq) * sizeof *room);
  const bool good = b && reach && room;
  if (good) {
    for (int j = 0; j < m->nv; j++) reach[j] = ap_traj_reach_of(traj, j);
    bound_motion(m, reach, f->jerk, b);
    bound_loads(m, b);
    bound_rates(m, reach, f->jerk, b, room + 2 * m->nv, room + 3 * m->nv);
    ap_set_friction(m, w, true);
    search(m, w, traj, reach, room, f);
    ap_set_friction(m, w, false);
  }
  free(b), free(reach), free(room);
  return good ? AP_OK : ap__no_memory(error);
}
