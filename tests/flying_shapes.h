// SPDX-License-Identifier: Apache-2.0
// Thin, fast, spinning shapes on free bodies with the inertia of a ball: without forces they move
// uniformly and turn at a constant rate, so that their poses at any time are known.

#ifndef TESTS_FLYING_SHAPES_H
#define TESTS_FLYING_SHAPES_H

#include <appell/kin.h>

#include "sim_scenes.h"

typedef struct scene_of_two {
  ap_body_def body[2];
  ap_robot_def def;
  ap_convex shape[2];
  ap_hull *hull[2];
  ap_contact_point point[2];
  double q[14], v[12];
} scene_of_two;

// A sphere, capsule, box or hull of four to eight corners, mostly thin.
static inline void make_shape(rng *r, scene_of_two *s, int i) {
  double size = rng_uniform(r, 0.05, 0.5), thin = size * pow(10, rng_uniform(r, -3, 0));
  const double sides[3] = {size, rng_uniform(r, 0.2, 1) * size, thin};
  double vertex[8][3];
  int n = rng_int(r, 4, 8);
  switch (rng_int(r, 0, 3)) {
    case 0: CHECK_OK(ap_convex_sphere(0.5 * thin, &s->shape[i], NULL)); break;
    case 1: CHECK_OK(ap_convex_capsule(0.5 * thin, size, &s->shape[i], NULL)); break;
    case 2: CHECK_OK(ap_convex_box(sides, &s->shape[i], NULL)); break;
    default:
      for (int k = 0; k < n; k++)
        for (int c = 0; c < 3; c++) vertex[k][c] = rng_uniform(r, -0.5, 0.5) * sides[c];
      if (!CHECK_OK(ap_hull_make(vertex[0], n, &s->hull[i], NULL))) exit(1);
      s->shape[i] = ap_convex_of_hull(s->hull[i]);
      break;
  }
}

// A cylinder, a disc or a rod.
static inline void make_cylinder(rng *r, scene_of_two *s, int i) {
  double size = rng_uniform(r, 0.05, 0.5), thin = size * pow(10, rng_uniform(r, -3, 0));
  bool disc = rng_int(r, 0, 1) == 1;
  CHECK_OK(ap_convex_cylinder(0.5 * (disc ? size : thin), disc ? thin : size, &s->shape[i], NULL));
}

static inline void random_quaternion(rng *r, double q[4]) {
  double n = 0;
  for (int k = 0; k < 4; k++) q[k] = rng_uniform(r, -1, 1);
  for (int k = 0; k < 4; k++) n += q[k] * q[k];
  for (int k = 0; k < 4; k++) q[k] /= sqrt(n);
}

static inline void matrix_of(const double q[4], double R[9]) {
  const double m[9] = {1 - 2 * (q[1] * q[1] + q[2] * q[2]), 2 * (q[0] * q[1] - q[3] * q[2]),
                       2 * (q[0] * q[2] + q[3] * q[1]),     2 * (q[0] * q[1] + q[3] * q[2]),
                       1 - 2 * (q[0] * q[0] + q[2] * q[2]), 2 * (q[1] * q[2] - q[3] * q[0]),
                       2 * (q[0] * q[2] - q[3] * q[1]),     2 * (q[1] * q[2] + q[3] * q[0]),
                       1 - 2 * (q[0] * q[0] + q[1] * q[1])};
  memcpy(R, m, sizeof m);
}

// The pose of shape i at time t.
static inline ap_pose pose_at(const scene_of_two *s, int i, double t) {
  const double *q = s->q + 7 * i, *v = s->v + 6 * i, *w = v + 3;
  double rate = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), half = 0.5 * rate * t;
  double turn[4] = {0, 0, 0, cos(half)}, now[4];
  for (int k = 0; k < 3; k++) turn[k] = sin(half) * w[k] / rate;
  const double *a = q + 3, *b = turn; // a b
  now[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
  now[1] = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
  now[2] = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
  now[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
  ap_pose body, own, first;
  matrix_of(q + 3, first.R);
  matrix_of(now, body.R);
  for (int k = 0; k < 3; k++) {
    const double *R = first.R + 3 * k;
    body.p[k] = q[k] + t * (R[0] * v[0] + R[1] * v[1] + R[2] * v[2]);
  }
  matrix_of(s->point[i].orientation, own.R);
  memcpy(own.p, s->point[i].at, sizeof own.p);
  return ap_pose_compose(&body, &own);
}

static inline double norm(const double x[3]) {
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

#endif
