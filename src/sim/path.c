// SPDX-License-Identifier: Apache-2.0
// How bodies move inside a step.
//
// A body's place is a sum over the joints on its way from the ground, p = sum R d, with d the
// vector from one joint's origin to the next in the frame of the body between, and R that body's
// rotation. With W, A, B upper bounds of its angular velocity, acceleration and jerk, and D0 .. D3
// of d and its derivatives,
//
//   |(R d)'''| <= (B + 3 W A + W^3) D0 + 3 (A + W^2) D1 + 3 W D2 + D3.
//
// A joint that turns at w relative to its parent, with derivatives w1 and w2 in the parent's axes,
// adds
//
//   W + w,   A + w1 + W w,   B + w2 + 2 W w1 + (A + W^2) w.

#include "sim/path.h"

#include <appell/kin.h>
#include <math.h>
#include <string.h>

#include "model/frozen.h"
#include "model/pack.h"
#include "num/vec3.h"

void ap__path_take(ap_arena *a, const ap_model *m, run_path *path) {
  size_t nq = (size_t)m->nq;
  path->m = m;
  path->q = AP_TAKE(a, double, nq);
  path->v = AP_TAKE(a, double, m->nv);
  path->a = AP_TAKE(a, double, m->nv);
  path->shifted = AP_TAKE(a, double, PATH_POWERS *nq);
  path->most = AP_TAKE(a, double, PATH_RATES *nq);
  path->way = AP_TAKE(a, double, m->nbody);
  path->turn = AP_TAKE(a, double, m->nbody);
  path->body = AP_TAKE(a, path_body, m->nbody);
}

// ---- coordinates -------------------------------------------------------------------------------

// Coordinate i in powers of x - middle, and upper bounds over |x - middle| <= half: the sum of the
// absolute values of all terms.
static void shift(run_path *path, int i, double middle, double half) {
  int nq = path->m->nq;
  double c[PATH_POWERS], scale = 1;
  for (int d = 0; d < PATH_POWERS; d++) c[d] = path->power[d * path->stride + i];
  for (int low = 0; low < PATH_POWERS - 1; low++) // Horner's scheme, repeated
    for (int d = PATH_POWERS - 2; d >= low; d--) c[d] += middle * c[d + 1];
  for (int d = 0; d < PATH_POWERS; d++) path->shifted[d * nq + i] = c[d];
  for (int rate = 0; rate < PATH_RATES; rate++) {
    double sum = 0;
    for (int d = PATH_POWERS - 1; d >= rate; d--) {
      double factor = 1; // d! / (d - rate)!
      for (int k = 0; k < rate; k++) factor *= d - k;
      sum = sum * half + factor * fabs(c[d]);
    }
    path->most[rate * nq + i] = sum * scale;
    scale /= path->h;
  }
}

// Derivatives in time of coordinate i in the middle.
static double rate_of(const run_path *path, int i) {
  return path->shifted[path->m->nq + i] / path->h;
}

static double bend_of(const run_path *path, int i) {
  return 2 * path->shifted[2 * path->m->nq + i] / (path->h * path->h);
}

// The vector part of conj(p) q.
static void turned(const double p[4], const double q[4], double u[3]) {
  u[0] = p[3] * q[0] - p[0] * q[3] - (p[1] * q[2] - p[2] * q[1]);
  u[1] = p[3] * q[1] - p[1] * q[3] - (p[2] * q[0] - p[0] * q[2]);
  u[2] = p[3] * q[2] - p[2] * q[3] - (p[0] * q[1] - p[1] * q[0]);
}

// Angular velocity and acceleration, in the body's axes, of a quaternion of any length N^(1/2):
//   w = 2 vec(conj(q) q') / N,   w' = 2 vec(conj(q) q'') / N - w N' / N.
static void spin(const run_path *path, int i, double w[3], double dw[3]) {
  double q[4], rate[4], bend[4], N = 0, dN = 0, u[3], du[3];
  for (int k = 0; k < 4; k++) {
    q[k] = path->shifted[i + k];
    rate[k] = rate_of(path, i + k);
    bend[k] = bend_of(path, i + k);
    N += q[k] * q[k];
    dN += 2 * q[k] * rate[k];
  }
  turned(q, rate, u);
  turned(q, bend, du);
  for (int k = 0; k < 3; k++) {
    w[k] = 2 * u[k] / N;
    dw[k] = 2 * du[k] / N - w[k] * dN / N;
  }
}

// R^T x for a quaternion of any length.
static void into_body(const double q[4], const double x[3], double out[3]) {
  double s = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double c[3] = {q[1] * x[2] - q[2] * x[1], q[2] * x[0] - q[0] * x[2], q[0] * x[1] - q[1] * x[0]};
  double d[3] = {q[1] * c[2] - q[2] * c[1], q[2] * c[0] - q[0] * c[2], q[0] * c[1] - q[1] * c[0]};
  for (int k = 0; k < 3; k++) out[k] = x[k] + s * (d[k] - q[3] * c[k]);
}

// v and a of joint j in the middle. Of a free joint they are along the body's axes: v = R^T x',
// v' = R^T x'' - w x v.
static void rates_of_joint(run_path *path, const ap_joint *j) {
  double *v = path->v + j->v, *a = path->a + j->v;
  if (j->type == AP_SPHERICAL) {
    spin(path, j->q, v, a);
  } else if (j->type == AP_FREE) {
    double rate[3], bend[3];
    for (int k = 0; k < 3; k++)
      rate[k] = rate_of(path, j->q + k), bend[k] = bend_of(path, j->q + k);
    spin(path, j->q + 3, v + 3, a + 3);
    into_body(path->shifted + j->q + 3, rate, v);
    into_body(path->shifted + j->q + 3, bend, a);
    a[0] -= v[4] * v[2] - v[5] * v[1];
    a[1] -= v[5] * v[0] - v[3] * v[2];
    a[2] -= v[3] * v[1] - v[4] * v[0];
  } else {
    for (int k = 0; k < j->nv; k++) {
      v[k] = rate_of(path, j->q + k);
      a[k] = bend_of(path, j->q + k);
    }
  }
}

// ---- bounds ------------------------------------------------------------------------------------

// Upper bounds of a joint: w of its turning, and D of its origin in the parent's frame.
typedef struct joint_bound {
  double w[3], D[4];
} joint_bound;

static double norm_of(const run_path *path, int rate, int i, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) {
    double x = path->most[rate * path->m->nq + i + k];
    sum += x * x;
  }
  return sqrt(sum);
}

// Of a quaternion whose length is n at least and whose derivatives are Q1 .. Q3 at most, from
//   w = 2 u / N,  u = vec(conj(q) q'),  u' = vec(conj(q) q''),  u'' = vec(conj(q') q'' + conj(q)
//   q''')
// with the derivatives of N = |q|^2; in the parent's axes w2 has w x w1 besides.
static void bound_spin(run_path *path, int i, double w[3]) {
  double length = 0, Q1 = norm_of(path, 1, i, 4), Q2 = norm_of(path, 2, i, 4);
  double Q3 = norm_of(path, 3, i, 4);
  for (int k = 0; k < 4; k++) length += path->shifted[i + k] * path->shifted[i + k];
  double n = sqrt(length) - Q1 * path->r;
  if (!(n > 0.5)) path->undecided = true;
  n = fmax(n, 0.5);
  double x = Q1 / n, y = Q2 / n;
  w[0] = 2 * x;
  w[1] = 2 * y + 4 * x * x;
  w[2] = 2 * Q3 / n + 14 * x * y + 20 * x * x * x + w[0] * w[1];
}

static void bound_joint(run_path *path, int i, joint_bound *b) {
  const ap_joint *j = &path->m->joint[i];
  const double *s = path->m->packed_body[i].s;
  *b = (joint_bound){{0}, {norm3(s)}};
  double ratio = fabs(j->ratio);
  switch (j->type) {
    case AP_SPHERICAL: bound_spin(path, j->q, b->w); break;
    case AP_FREE:
      bound_spin(path, j->q + 3, b->w);
      for (int d = 0; d < PATH_RATES; d++) b->D[d] += norm_of(path, d, j->q, 3);
      break;
    case AP_PLANAR:
      for (int d = 0; d < PATH_RATES; d++) b->D[d] += norm_of(path, d, j->q, 2);
      for (int d = 0; d < 3; d++) b->w[d] = norm_of(path, d + 1, j->q + 2, 1);
      break;
    case AP_PRISMATIC:
      b->D[0] += fabs(j->offset);
      for (int d = 0; d < PATH_RATES; d++) b->D[d] += ratio * norm_of(path, d, j->q, 1);
      break;
    default:
      for (int d = 0; d < 3; d++) b->w[d] = ratio * norm_of(path, d + 1, j->q, 1);
      break;
  }
}

// |R'''| of a body.
static double third(const path_body *b) {
  double W = b->turn[0], A = b->turn[1], B = b->turn[2];
  return B + 3 * W * A + W * W * W;
}

static void bound_body(run_path *path, int i) {
  const path_body *p = &path->body[path->m->joint[i].parent];
  double W = p->turn[0], A = p->turn[1];
  joint_bound b;
  bound_joint(path, i, &b);
  path->body[i] = (path_body){
      .turn = {W + b.w[0], A + b.w[1] + W * b.w[0],
               p->turn[2] + b.w[2] + 2 * W * b.w[1] + (A + W * W) * b.w[0]},
      .jerk = p->jerk + 3 * (A + W * W) * b.D[1] + 3 * W * b.D[2] + b.D[3],
  };
  if (W > 0) path->body[i].jerk += third(p) * b.D[0];
}

void ap__path_look(run_path *path, double low, double high) {
  const ap_model *m = path->m;
  double middle = low + 0.5 * (high - low), half = 0.5 * (high - low);
  path->middle = middle;
  path->r = half * path->h;
  path->undecided = false;
  for (int i = 0; i < m->nq; i++) shift(path, i, middle, half);
  for (int i = 1; i < m->nbody; i++)
    if (!m->joint[i].leader) rates_of_joint(path, &m->joint[i]);
  path->body[0] = (path_body){{0}, 0};
  for (int i = 1; i < m->nbody; i++) bound_body(path, i);
  memcpy(path->q, path->shifted, (size_t)m->nq * sizeof *path->q);
  ap_normalize(m, path->q);
  ap_kinematics(m, path->w, path->q, path->v, path->a);
}

void ap__path_place(run_path *path, double x) {
  for (int i = 0; i < path->m->nq; i++) {
    path->q[i] = path->power[(PATH_POWERS - 1) * path->stride + i];
    for (int d = PATH_POWERS - 2; d >= 0; d--)
      path->q[i] = path->q[i] * x + path->power[d * path->stride + i];
  }
  ap_normalize(path->m, path->q);
  ap_kinematics(path->m, path->w, path->q, NULL, NULL);
}

// ---- the whole step -----------------------------------------------------------------------------

double ap__path_travel(const run_path *path, int i) {
  double sum = 0;
  for (int d = 1; d < PATH_POWERS; d++) sum += fabs(path->power[d * path->stride + i]);
  return sum;
}

// The same of n coordinates together.
static double travel_of(const run_path *path, int i, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) {
    double x = ap__path_travel(path, i + k);
    sum += x * x;
  }
  return sqrt(sum);
}

static double length_of(const run_path *path, int i, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += path->power[i + k] * path->power[i + k];
  return sqrt(sum);
}

// |R - R_0| is 2 |q - q_0| at most for quaternions of length one, and these differ by twice what
// others do, in units of their length.
static double turn_of(const run_path *path, int i) {
  return 4 * travel_of(path, i, 4) / length_of(path, i, 4);
}

// A body's origin is p + R d, p and R its parent's, d the joint's: it moves by what p does, by
// |R - R_0| |d|, and by what d does.
static void bound_way(run_path *path, int i) {
  const ap_joint *j = &path->m->joint[i];
  double turn = 0, along = 0, d = norm3(path->m->packed_body[i].s), ratio = fabs(j->ratio);
  switch (j->type) {
    case AP_SPHERICAL: turn = turn_of(path, j->q); break;
    case AP_FREE:
      turn = turn_of(path, j->q + 3);
      along = travel_of(path, j->q, 3), d += length_of(path, j->q, 3) + along;
      break;
    case AP_PLANAR:
      turn = ap__path_travel(path, j->q + 2);
      along = travel_of(path, j->q, 2), d += length_of(path, j->q, 2) + along;
      break;
    case AP_PRISMATIC:
      along = ratio * ap__path_travel(path, j->q);
      d += fabs(j->offset) + ratio * fabs(path->power[j->q]) + along;
      break;
    default: turn = ratio * ap__path_travel(path, j->q); break;
  }
  path->way[i] = path->way[j->parent] + path->turn[j->parent] * d + along;
  path->turn[i] = path->turn[j->parent] + turn;
}

void ap__path_bound(run_path *path) {
  path->way[0] = path->turn[0] = 0;
  for (int i = 1; i < path->m->nbody; i++) bound_way(path, i);
}

double ap__path_reach(const run_path *path, int link, const double at[3]) {
  const ap_packed_frame *f = &path->m->packed_frame[link];
  int i = path->m->mover[link];
  double arm = 0;
  for (int k = 0; k < 3; k++) {
    double x = f->p[k] + f->R[3 * k] * at[0] + f->R[3 * k + 1] * at[1] + f->R[3 * k + 2] * at[2];
    arm += x * x;
  }
  return path->way[i] + path->turn[i] * sqrt(arm);
}

// ---- points ------------------------------------------------------------------------------------

void ap__path_way(const run_path *path, int link, const double at[3], ap_way *way) {
  double R[9], vel[6], acc[6], r[3], spun[3], twice[3], pushed[3], arm = 0;
  const ap_packed_frame *f = &path->m->packed_frame[link];
  const path_body *b = &path->body[path->m->mover[link]];
  ap_frame_pose(path->m, path->w, link, R, way->p);
  ap_frame_velocity(path->m, path->w, link, AP_MIXED, vel);
  ap_frame_acceleration(path->m, path->w, link, AP_MIXED, acc);
  for (int k = 0; k < 3; k++) {
    r[k] = R[3 * k] * at[0] + R[3 * k + 1] * at[1] + R[3 * k + 2] * at[2];
    double x = f->p[k] + f->R[3 * k] * at[0] + f->R[3 * k + 1] * at[1] + f->R[3 * k + 2] * at[2];
    arm += x * x;
  }
  cross3(vel + 3, r, spun);
  cross3(vel + 3, spun, twice);
  cross3(acc + 3, r, pushed);
  for (int k = 0; k < 3; k++) {
    way->p[k] += r[k];
    way->v[k] = vel[k] + spun[k];
    way->a[k] = acc[k] + pushed[k] + twice[k];
  }
  way->jerk = b->jerk + (b->turn[0] > 0 ? third(b) * sqrt(arm) : 0);
  way->r = path->r;
}
