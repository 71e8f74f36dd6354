// SPDX-License-Identifier: Apache-2.0
#include "bench/states.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

double ap__clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void ap__sort(double *x, int n) { qsort(x, (size_t)n, sizeof *x, by_size); }

// splitmix64 (Steele, Lea, Flood 2014)
static uint64_t next(uint64_t *seed) {
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Single-precision numbers, so that the rounding of states is no part of an error.
static double uniform(uint64_t *seed, double low, double high) {
  const double u = (double)(next(seed) >> 11) * 0x1p-53;
  return (double)(float)(low + u * (high - low));
}

// Inside a ball every direction is alike.
static void random_quaternion(uint64_t *seed, double *x) {
  double square;
  do {
    square = 0;
    for (int k = 0; k < 4; k++) {
      x[k] = uniform(seed, -1, 1);
      square += x[k] * x[k];
    }
  } while (square < 0.1 || square > 1);
  for (int k = 0; k < 4; k++) x[k] = (double)(float)(x[k] / sqrt(square));
}

// Within the limits; where one is missing, at most 2 * half from the other.
static double random_position(uint64_t *seed, const ap_body_def *body, double half) {
  double low = body->lower, high = body->upper;
  if (!isfinite(low) && !isfinite(high)) low = -half;
  if (!isfinite(low)) low = high - 2 * half;
  if (!isfinite(high)) high = low + 2 * half;
  return uniform(seed, low, high);
}

static void random_joint(uint64_t *seed, const ap_body_def *body, double *q) {
  static const double pi = 3.14159265358979323846, reach = 0.5;
  switch (body->joint) {
    case AP_FIXED: break;
    case AP_REVOLUTE: q[0] = random_position(seed, body, pi); break;
    case AP_PRISMATIC: q[0] = random_position(seed, body, reach); break;
    case AP_SPHERICAL: random_quaternion(seed, q); break;
    case AP_PLANAR:
      for (int k = 0; k < 2; k++) q[k] = uniform(seed, -reach, reach);
      q[2] = uniform(seed, -pi, pi);
      break;
    case AP_FREE:
      for (int k = 0; k < 3; k++) q[k] = uniform(seed, -reach, reach);
      random_quaternion(seed, q + 3);
      break;
  }
}

void ap__random_motion(const ap_model *m, uint64_t *seed, double *q, double *v, double *a) {
  const int n = ap_nv(m);
  for (int i = 1; i < ap_nbody(m); i++)
    if (ap_joint_nq(m, i) > 0) random_joint(seed, ap_body(m, i), q + ap_joint_q(m, i));
  for (int k = 0; k < n; k++) v[k] = uniform(seed, -2, 2);
  for (int k = 0; k < n; k++) a[k] = uniform(seed, -5, 5);
}
