// SPDX-License-Identifier: Apache-2.0
#include "impact/motion.h"

#include <math.h>
#include <string.h>

#include "num/vec3.h"

static const double TURN = 6.28318530717958647693;

bool ap__wall_moves(const ap_wall *wall) {
  const ap_wall_motion *m = &wall->motion;
  return norm3(wall->surface_velocity) > 0 || norm3(m->velocity) > 0 || norm3(m->amplitude) > 0 ||
         m->spin != 0 || m->swing != 0;
}

double ap__pose_kink(const ap_surface *s, double t) {
  const ap_wall_motion *m = &s->wall.motion;
  return m->from > t ? m->from : m->to > t ? m->to : INFINITY;
}

// sin(rate s + phase) and its first two derivatives.
static void wave(const ap_wall_motion *m, double s, bool moves, double value[3]) {
  double rate = TURN * m->frequency, angle = rate * s + m->phase;
  value[0] = sin(angle);
  value[1] = moves ? rate * cos(angle) : 0;
  value[2] = moves ? -rate * rate * sin(angle) : 0;
}

// Rodrigues' formula.
static void turn_by(const double axis[3], double angle, double R[3][3]) {
  double c = cos(angle), d = sin(angle);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sign = (j - i + 3) % 3 == 1 ? -1 : 1;
      R[i][j] = (1 - c) * axis[i] * axis[j] + (i == j ? c : sign * d * axis[3 - i - j]);
    }
}

void ap__pose_at(const ap_surface *surface, double t, ap_wall_pose *p) {
  const ap_wall *wall = &surface->wall;
  const ap_wall_motion *m = &wall->motion;
  double s = fmin(fmax(t, m->from), m->to) - m->from, w[3], rate = TURN * fabs(m->frequency);
  double moves = t >= m->from && t < m->to ? 1 : 0, length = norm3(m->axis), axis[3], belt[3];
  wave(m, s, moves > 0, w);
  for (int k = 0; k < 3; k++) {
    axis[k] = length > 0 ? m->axis[k] / length : surface->frame[2][k];
    p->pivot[k] = wall->centre[k] + m->pivot[k];
    p->o[k] = p->pivot[k] + m->velocity[k] * s + m->amplitude[k] * w[0];
    p->v[k] = moves * m->velocity[k] + m->amplitude[k] * w[1];
    p->a[k] = m->amplitude[k] * w[2];
    p->w[k] = axis[k] * (moves * m->spin + m->swing * w[1]);
    p->dw[k] = axis[k] * m->swing * w[2];
  }
  turn_by(axis, m->spin * s + m->swing * w[0], p->R);
  double along = dot3(surface->frame[2], wall->surface_velocity);
  for (int k = 0; k < 3; k++) belt[k] = wall->surface_velocity[k] - along * surface->frame[2][k];
  ap__pose_direction(p, belt, p->belt);
  p->jerk = norm3(m->amplitude) * rate * rate * rate;
  p->turn[0] = fabs(m->spin) + fabs(m->swing) * rate;
  p->turn[1] = fabs(m->swing) * rate * rate;
  p->turn[2] = p->turn[1] * rate;
}

void ap__pose_direction(const ap_wall_pose *p, const double x[3], double world[3]) {
  for (int k = 0; k < 3; k++) world[k] = dot3(p->R[k], x);
}

double ap__pose_part(const ap_wall_pose *p, int k, const double x[3]) {
  return p->R[0][k] * x[0] + p->R[1][k] * x[1] + p->R[2][k] * x[2];
}

// R^T x
static void to_rest(const ap_wall_pose *p, const double x[3], double rest[3]) {
  for (int k = 0; k < 3; k++) rest[k] = ap__pose_part(p, k, x);
}

void ap__pose_point(const ap_wall_pose *p, const double x[3], double rest[3]) {
  double r[3];
  for (int k = 0; k < 3; k++) r[k] = x[k] - p->o[k];
  to_rest(p, r, rest);
  for (int k = 0; k < 3; k++) rest[k] += p->pivot[k];
}

void ap__pose_carried(const ap_wall_pose *p, const double x[3], double v[3]) {
  double r[3];
  for (int k = 0; k < 3; k++) r[k] = x[k] - p->o[k];
  cross3(p->w, r, v);
  for (int k = 0; k < 3; k++) v[k] += p->v[k];
}

void ap__pose_velocity(const ap_wall_pose *p, const double x[3], double v[3]) {
  ap__pose_carried(p, x, v);
  for (int k = 0; k < 3; k++) v[k] += p->belt[k];
}

void ap__pose_relative(const ap_wall_pose *p, const double x[3], const double v[3], double a[3]) {
  double r[3], rel[3], turned[3], twice[3], pushed[3], coriolis[3];
  for (int k = 0; k < 3; k++) r[k] = x[k] - p->o[k];
  cross3(p->w, r, turned);
  for (int k = 0; k < 3; k++) rel[k] = v[k] - p->v[k] - turned[k];
  cross3(p->w, turned, twice);
  cross3(p->dw, r, pushed);
  cross3(p->w, rel, coriolis);
  for (int k = 0; k < 3; k++) a[k] -= p->a[k] + pushed[k] + twice[k] + 2 * coriolis[k];
}

void ap__pose_place(const ap_wall_pose *p, const double x[3], double r, ap_way *way) {
  double from[3], arm[3], turned[3], twice[3], pushed[3];
  double W = p->turn[0], A = p->turn[1], B = p->turn[2];
  for (int k = 0; k < 3; k++) from[k] = x[k] - p->pivot[k];
  ap__pose_direction(p, from, arm);
  cross3(p->w, arm, turned);
  cross3(p->w, turned, twice);
  cross3(p->dw, arm, pushed);
  for (int k = 0; k < 3; k++) {
    way->p[k] = p->o[k] + arm[k];
    way->v[k] = p->v[k] + turned[k];
    way->a[k] = p->a[k] + pushed[k] + twice[k];
  }
  way->jerk = p->jerk + (B + 3 * W * A + W * W * W) * norm3(from);
  way->r = r;
}

void ap__pose_belt(const ap_wall_pose *p, const double normal[3], double belt[3]) {
  double part = dot3(normal, p->belt);
  for (int k = 0; k < 3; k++) belt[k] = p->belt[k] - part * normal[k];
}

// The jerk in turning axes, with the bounds of a body's turning as in sim/path.c.
void ap__pose_way(const ap_wall_pose *p, const ap_way *way, ap_way *rest) {
  double v[3], a[3], r[3], own[3], bent[3], wall[3], time = way->r;
  double W = p->turn[0], A = p->turn[1], B = p->turn[2], J = way->jerk + p->jerk;
  ap__pose_carried(p, way->p, wall);
  memcpy(a, way->a, sizeof a);
  ap__pose_relative(p, way->p, way->v, a);
  for (int k = 0; k < 3; k++) {
    v[k] = way->v[k] - wall[k];
    r[k] = way->p[k] - p->o[k];
    own[k] = way->v[k] - p->v[k];
    bent[k] = way->a[k] - p->a[k];
  }
  double D2 = norm3(bent) + time * J, D1 = norm3(own) + time * (norm3(bent) + time / 2 * J);
  double D0 = norm3(r) + time * (norm3(own) + time / 2 * (norm3(bent) + time / 3 * J));
  ap__pose_point(p, way->p, rest->p);
  to_rest(p, v, rest->v);
  to_rest(p, a, rest->a);
  rest->r = time;
  rest->jerk = (B + 3 * W * A + W * W * W) * D0 + 3 * (A + W * W) * D1 + 3 * W * D2 + J;
}

void ap__pose_gap(const ap_wall_pose *p, ap_gap *gap) {
  double g[3], RH[3][3], H[3][3];
  const double *h = gap->hessian;
  const double own[3][3] = {{h[0], h[1], h[2]}, {h[1], h[3], h[4]}, {h[2], h[4], h[5]}};
  ap__pose_direction(p, gap->gradient, g);
  memcpy(gap->gradient, g, sizeof g);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      RH[i][j] = p->R[i][0] * own[0][j] + p->R[i][1] * own[1][j] + p->R[i][2] * own[2][j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) H[i][j] = dot3(RH[i], p->R[j]);
  const double flat[6] = {H[0][0], H[0][1], H[0][2], H[1][1], H[1][2], H[2][2]};
  memcpy(gap->hessian, flat, sizeof flat);
}
