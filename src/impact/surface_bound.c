// SPDX-License-Identifier: Apache-2.0
// Bounds on how a point lies to a wall while it moves (docs/impacts.md, "No event is missed").
//
// Every wall is the zero of a polynomial F in the point's place u (of a profile: between its
// points), whose third derivative in time is bounded where those of u are. Upper-case letters are
// upper bounds over the whole interval.

#include <math.h>

#include "impact/surface.h"
#include "num/vec3.h"

// u over the interval: value, rate and second derivative in the middle, and upper bounds on the
// absolute values of them and of the third derivative.
typedef struct moving {
  double u[3][3]; // [derivative][component]
  double U[4][3];
} moving;

static void place(const ap_surface *s, const ap_way *way, moving *m) {
  double r = way->r, from[3];
  for (int k = 0; k < 3; k++) from[k] = way->p[k] - s->wall.centre[k];
  for (int k = 0; k < 3; k++) {
    m->u[0][k] = dot3(s->frame[k], from);
    m->u[1][k] = dot3(s->frame[k], way->v);
    m->u[2][k] = dot3(s->frame[k], way->a);
    m->U[3][k] = way->jerk;
    m->U[2][k] = fabs(m->u[2][k]) + r * way->jerk;
    m->U[1][k] = fabs(m->u[1][k]) + r * (fabs(m->u[2][k]) + r / 2 * way->jerk);
    m->U[0][k] =
        fabs(m->u[0][k]) + r * (fabs(m->u[1][k]) + r / 2 * (fabs(m->u[2][k]) + r / 3 * way->jerk));
  }
}

// Value and derivatives of sum weight_k u_k^2, and upper bounds of their absolute values.
typedef struct squares {
  double s[3], S[4];
} squares;

static squares sum_squares(const moving *m, const double weight[3]) {
  squares q = {{0}, {0}};
  for (int k = 0; k < 3; k++) {
    const double w = weight[k];
    const double u[3] = {m->u[0][k], m->u[1][k], m->u[2][k]};
    const double U[4] = {m->U[0][k], m->U[1][k], m->U[2][k], m->U[3][k]};
    q.s[0] += w * u[0] * u[0];
    q.s[1] += w * 2 * u[0] * u[1];
    q.s[2] += w * 2 * (u[1] * u[1] + u[0] * u[2]);
    q.S[0] += w * U[0] * U[0];
    q.S[1] += w * 2 * U[0] * U[1];
    q.S[2] += w * 2 * (U[1] * U[1] + U[0] * U[2]);
    q.S[3] += w * 2 * (3 * U[1] * U[2] + U[0] * U[3]);
  }
  return q;
}

// F = b / 2 (sum u_k^2 / a_k^2 - 1), b the shortest semi-axis: |grad F| = b |D u|, and |D u| on the
// surface lies between 1 / A and 1 / b.
static void bound_quadric(const ap_surface *s, const moving *m, ap_gap_bound *g) {
  double weight[3], shortest = INFINITY;
  for (int k = 0; k < 3; k++) {
    weight[k] = 1 / s->semi[k] / s->semi[k];
    shortest = fmin(shortest, s->semi[k]);
  }
  squares q = sum_squares(m, weight);
  for (int d = 0; d < 3; d++) g->f[d] = shortest / 2 * (q.s[d] - (d == 0));
  g->third = shortest / 2 * q.S[3];
  g->steep = shortest / s->longest;
  double Du[3];
  for (int k = 0; k < 3; k++) Du[k] = weight[k] * m->u[0][k];
  g->slope = shortest * norm3(Du);
}

// F = (s^2 - 4 R^2 rho^2) / (8 r R (R + r)) with s = u.u + R^2 - r^2: on the surface, where s =
// 2 R rho, |grad F| = s / (2 R (R + r)) = rho / (R + r).
static void bound_torus(const ap_surface *surface, const moving *m, ap_gap_bound *g) {
  double R = surface->wall.size[0], r = surface->wall.size[1];
  double scale = 1 / (8 * r * R * (R + r)), k = 4 * R * R, rest = (R - r) * (R + r);
  squares s = sum_squares(m, (double[]){1, 1, 1}), rho = sum_squares(m, (double[]){1, 1, 0});
  s.s[0] += rest;
  s.S[0] += rest;
  double side = sqrt(rho.s[0]); // in factors, the first of which is small near the surface
  double first = (side - R) * (side - R) + m->u[0][2] * m->u[0][2] - r * r;
  g->f[0] = scale * first * (s.s[0] + 2 * R * side);
  g->f[1] = scale * (2 * s.s[0] * s.s[1] - k * rho.s[1]);
  g->f[2] = scale * (2 * (s.s[1] * s.s[1] + s.s[0] * s.s[2]) - k * rho.s[2]);
  g->third = scale * (2 * (s.S[0] * s.S[3] + 3 * s.S[1] * s.S[2]) + k * rho.S[3]);
  g->steep = (R - r) / (R + r);
  double grad[3];
  for (int i = 0; i < 3; i++) grad[i] = (4 * s.s[0] - (i < 2 ? 2 * k : 0)) * m->u[0][i];
  g->slope = scale * norm3(grad);
}

// F = (u_1 - f(u_0)) / sqrt(1 + L^2), L the steepest slope of all; the bounds on f'' and f''' are
// those of the part that the point may be above.
static void bound_profile(const ap_surface *s, const ap_way *way, const moving *m,
                          ap_gap_bound *g) {
  double f[3], most[3], x = m->u[0][0], reach = 0;
  reach = way->r * m->U[1][0];
  ap__profile_at(&s->profile, x, f);
  ap__profile_most(&s->profile, x - reach, x + reach, most);
  double scale = 1 / sqrt(1 + s->profile.steepest * s->profile.steepest), v = m->u[1][0];
  const double U1 = m->U[1][0], U2 = m->U[2][0];
  g->f[0] = scale * (m->u[0][1] - f[0]);
  g->f[1] = scale * (m->u[1][1] - f[1] * v);
  g->f[2] = scale * (m->u[2][1] - f[2] * v * v - f[1] * m->u[2][0]);
  g->third = scale * ((1 + most[0]) * way->jerk + 3 * most[1] * U1 * U2 + most[2] * U1 * U1 * U1);
  g->steep = scale;
  g->slope = scale * sqrt(1 + f[1] * f[1]);
}

// F = n . u + d
static void bound_flat(const double n[3], double d, const ap_way *way, const moving *m,
                       ap_gap_bound *g) {
  *g = (ap_gap_bound){{dot3(n, m->u[0]) + d, dot3(n, m->u[1]), dot3(n, m->u[2])}, way->jerk, 1, 1};
}

// F = (rho^2 - l^2) / (2 R sqrt(1 + k^2)), l = radius - k u_2: |grad F| = l / R on the surface.
static void bound_round(const ap_face *f, const ap_way *way, const moving *m, ap_gap_bound *g) {
  double k = f->slope, scale = f->sign / (2 * f->round * sqrt(1 + k * k));
  double l[3] = {f->radius - k * m->u[0][2], -k * m->u[1][2], -k * m->u[2][2]};
  double reach = fabs(k) * way->r * m->U[1][2], K = fabs(k);
  double L[4] = {fabs(l[0]) + reach, K * m->U[1][2], K * m->U[2][2], K * m->U[3][2]};
  squares rho = sum_squares(m, (double[3]){1, 1, 0});
  double side = sqrt(rho.s[0]);
  g->f[0] = scale * (side - l[0]) * (side + l[0]);
  g->f[1] = scale * (rho.s[1] - 2 * l[0] * l[1]);
  g->f[2] = scale * (rho.s[2] - 2 * (l[1] * l[1] + l[0] * l[2]));
  g->third = fabs(scale) * (rho.S[3] + 2 * (3 * L[1] * L[2] + L[0] * L[3]));
  g->steep = fmin(1, fmax(f->least, l[0] - reach) / f->round);
  g->slope = 2 * fabs(scale) * sqrt(rho.s[0] + k * k * l[0] * l[0]);
}

// F = (|u - c|^2 - (n . (u - c))^2 - R^2) / (2 R): |grad F| = 1 on the surface.
static void bound_tube(const ap_face *f, const ap_way *way, const moving *m, ap_gap_bound *g) {
  moving from = *m, along = {{{0}}, {{0}}};
  double r = way->r, flat = 0;
  for (int k = 0; k < 3; k++) {
    from.u[0][k] -= f->c[k];
    from.U[0][k] = fabs(from.u[0][k]) +
                   r * (fabs(from.u[1][k]) + r / 2 * (fabs(from.u[2][k]) + r / 3 * way->jerk));
    flat += f->n[k] * f->n[k];
  }
  squares all = sum_squares(&from, (double[3]){1, 1, 1}), part = {{0}, {0}};
  if (flat > 0) {
    for (int d = 0; d < 3; d++) along.u[d][0] = dot3(f->n, from.u[d]);
    const double *u[3] = {along.u[0], along.u[1], along.u[2]};
    along.U[3][0] = way->jerk;
    along.U[2][0] = fabs(u[2][0]) + r * way->jerk;
    along.U[1][0] = fabs(u[1][0]) + r * (fabs(u[2][0]) + r / 2 * way->jerk);
    along.U[0][0] =
        fabs(u[0][0]) + r * (fabs(u[1][0]) + r / 2 * (fabs(u[2][0]) + r / 3 * way->jerk));
    part = sum_squares(&along, (double[3]){1, 0, 0});
  }
  double scale = 0.5 / f->tube, rho = sqrt(fmax(all.s[0] - part.s[0], 0));
  g->f[0] = scale * (rho - f->tube) * (rho + f->tube);
  for (int d = 1; d < 3; d++) g->f[d] = scale * (all.s[d] - part.s[d]);
  g->third = scale * (all.S[3] + part.S[3]);
  g->steep = 1;
  g->slope = rho / f->tube;
}

// F = ((rho - ring)^2 + z^2 - tube^2) / (2 tube), rho being the root of rho^2: with h h' = f' / 2
// and so on of h^2 = f. Where rho may vanish nothing is known of F; the face is not there.
static void bound_ring(const ap_face *f, const ap_way *way, const moving *m, ap_gap_bound *g) {
  const double r = way->r, R = f->ring, scale = 0.5 / f->tube;
  squares s = sum_squares(m, (double[3]){1, 1, 0});
  double low = s.s[0] - r * (fabs(s.s[1]) + r / 2 * (fabs(s.s[2]) + r / 3 * s.S[3]));
  double h[3] = {sqrt(s.s[0]), 0, 0}, H[4] = {sqrt(s.S[0]), INFINITY, INFINITY, INFINITY};
  moving up = *m;
  up.u[0][2] -= f->c[2];
  up.U[0][2] += fabs(f->c[2]);
  squares z = sum_squares(&up, (double[3]){0, 0, 1});
  if (h[0] > 0) {
    h[1] = s.s[1] / (2 * h[0]);
    h[2] = (s.s[2] / 2 - h[1] * h[1]) / h[0];
  }
  if (low > 0) {
    double l = sqrt(low);
    H[1] = s.S[1] / (2 * l);
    H[2] = (s.S[2] / 2 + H[1] * H[1]) / l;
    H[3] = (s.S[3] / 2 + 3 * H[1] * H[2]) / l;
  }
  double far = hypot(h[0] - R, up.u[0][2]);
  g->f[0] = scale * (far - f->tube) * (far + f->tube);
  for (int d = 1; d < 3; d++) g->f[d] = scale * (s.s[d] - 2 * R * h[d] + z.s[d]);
  g->third = scale * (s.S[3] + 2 * R * H[3] + z.S[3]);
  g->steep = 1;
  g->slope = far / f->tube;
}

void ap__surface_limit_bound(const ap_surface *s, const ap_face_limit *l, const ap_way *way,
                             ap_gap_bound *g) {
  moving m;
  place(s, way, &m);
  if (!(l->round > 0)) {
    bound_flat(l->n, l->d, way, &m, g);
    return;
  }
  double scale = l->outer ? 0.5 / l->round : -0.5 / l->round;
  squares rho = sum_squares(&m, (double[3]){1, 1, 0});
  double side = sqrt(rho.s[0]);
  *g = (ap_gap_bound){
      .f = {scale * (side - l->round) * (side + l->round), scale * rho.s[1], scale * rho.s[2]},
      .third = fabs(scale) * rho.S[3],
      .steep = 1,
      .slope = side / l->round};
}

void ap__surface_bound(const ap_surface *s, int face, const ap_way *way, ap_gap_bound *bound) {
  moving m;
  place(s, way, &m);
  if (s->nface > 0) {
    const ap_face *f = &s->face[face];
    if (f->ring > 0)
      bound_ring(f, way, &m, bound);
    else if (f->tube > 0)
      bound_tube(f, way, &m, bound);
    else if (f->round > 0)
      bound_round(f, way, &m, bound);
    else
      bound_flat(f->n, f->d, way, &m, bound);
    return;
  }
  switch (s->wall.kind) {
    case AP_WALL_PLANE:
      *bound = (ap_gap_bound){{m.u[0][2], m.u[1][2], m.u[2][2]}, way->jerk, 1, 1};
      break;
    case AP_WALL_TORUS: bound_torus(s, &m, bound); break;
    case AP_WALL_PROFILE: bound_profile(s, way, &m, bound); break;
    default: bound_quadric(s, &m, bound); break;
  }
  for (int d = 0; d < 3; d++) bound->f[d] *= s->sign;
}
