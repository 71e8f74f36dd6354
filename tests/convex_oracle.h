// SPDX-License-Identifier: Apache-2.0
// Gap of two convex hulls by brute force: the largest s(n) over every direction that can be the
// best one. Those are normals of faces of the difference (of three points of one hull; of two
// points of each), perpendiculars from the origin to its edges (two points and one), and its
// vertices. Nothing is known about which points are corners or neighbours. In long double; a
// direction whose value in double is clearly not the largest is not looked at twice.

#ifndef AP_TESTS_CONVEX_ORACLE_H
#define AP_TESTS_CONVEX_ORACLE_H

#include <appell/convex.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { ORACLE_POINTS = 16 };

typedef struct oracle_points {
  int n;
  long double x[ORACLE_POINTS][3]; // relative to the origin of A's frame, ground axes
  double f[ORACLE_POINTS][3];      // the same rounded
} oracle_points;

typedef struct oracle {
  oracle_points a, b;
  double size;
  long double best, n[3];
} oracle;

static void oracle_place(const double (*point)[3], int n, const ap_pose *p, const double origin[3],
                         oracle_points *out) {
  out->n = n;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      long double x = (long double)p->p[k] - (long double)origin[k];
      for (int j = 0; j < 3; j++) x += (long double)p->R[3 * k + j] * (long double)point[i][j];
      out->x[i][k] = x;
      out->f[i][k] = (double)x;
    }
}

static void oracle_minus(const long double *a, const long double *b, long double *c) {
  for (int k = 0; k < 3; k++) c[k] = a[k] - b[k];
}

static void oracle_cross(const long double *a, const long double *b, long double *c) {
  for (int k = 0; k < 3; k++)
    c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static long double oracle_dot(const long double *a, const long double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double oracle_rough(const oracle *o, const double n[3]) {
  double most = -INFINITY, least = INFINITY;
  for (int i = 0; i < o->a.n; i++)
    most = fmax(most, n[0] * o->a.f[i][0] + n[1] * o->a.f[i][1] + n[2] * o->a.f[i][2]);
  for (int i = 0; i < o->b.n; i++)
    least = fmin(least, n[0] * o->b.f[i][0] + n[1] * o->b.f[i][1] + n[2] * o->b.f[i][2]);
  return least - most;
}

static void oracle_one(oracle *o, const long double n[3]) {
  const double rough[3] = {(double)n[0], (double)n[1], (double)n[2]};
  if (oracle_rough(o, rough) < (double)o->best - 1e-14 * o->size) return;
  long double most = -INFINITY, least = INFINITY;
  for (int i = 0; i < o->a.n; i++) most = fmaxl(most, oracle_dot(n, o->a.x[i]));
  for (int i = 0; i < o->b.n; i++) least = fminl(least, oracle_dot(n, o->b.x[i]));
  if (!(least - most > o->best)) return;
  o->best = least - most;
  for (int k = 0; k < 3; k++) o->n[k] = n[k];
}

static void oracle_try(oracle *o, const long double *d) {
  const long double length = sqrtl(oracle_dot(d, d));
  if (!(length > 0)) return;
  const long double n[3] = {d[0] / length, d[1] / length, d[2] / length};
  const long double back[3] = {-n[0], -n[1], -n[2]};
  oracle_one(o, n);
  oracle_one(o, back);
}

static void oracle_faces(oracle *o, const oracle_points *p) {
  for (int i = 0; i < p->n; i++)
    for (int j = i + 1; j < p->n; j++)
      for (int k = j + 1; k < p->n; k++) {
        long double e[3], f[3], n[3];
        oracle_minus(p->x[j], p->x[i], e);
        oracle_minus(p->x[k], p->x[i], f);
        oracle_cross(e, f, n);
        oracle_try(o, n);
      }
}

// Points and segments that meet leave the direction open: any one across, or any at all.
static void oracle_across(oracle *o, const oracle_points *p) {
  for (int k = 0; k < 3; k++) {
    const long double axis[3] = {k == 0, k == 1, k == 2};
    oracle_try(o, axis);
    for (int i = 1; i < p->n; i++) {
      long double e[3], n[3];
      oracle_minus(p->x[i], p->x[0], e);
      oracle_cross(axis, e, n);
      oracle_try(o, n);
    }
  }
}

// From a point to the lines through two of the others.
static void oracle_lines(oracle *o, const oracle_points *p, const oracle_points *q) {
  for (int i = 0; i < p->n; i++)
    for (int j = i + 1; j < p->n; j++)
      for (int k = 0; k < q->n; k++) {
        long double e[3], d[3];
        oracle_minus(p->x[j], p->x[i], e);
        oracle_minus(q->x[k], p->x[i], d);
        for (int twice = 0; twice < 2; twice++) {
          const long double ee = oracle_dot(e, e), t = ee > 0 ? oracle_dot(d, e) / ee : 0;
          for (int m = 0; m < 3; m++) d[m] -= t * e[m];
        }
        oracle_try(o, d);
      }
}

// The gap of the hulls of points; the radii of round shapes are the caller's.
static long double oracle_gap(oracle *o) {
  o->best = -INFINITY;
  for (int i = 0; i < o->a.n; i++)
    for (int j = 0; j < o->b.n; j++) {
      long double d[3];
      oracle_minus(o->b.x[j], o->a.x[i], d);
      oracle_try(o, d);
    }
  oracle_lines(o, &o->a, &o->b);
  oracle_lines(o, &o->b, &o->a);
  oracle_faces(o, &o->a);
  oracle_faces(o, &o->b);
  oracle_across(o, &o->a);
  oracle_across(o, &o->b);
  for (int i = 0; i < o->a.n; i++)
    for (int j = i + 1; j < o->a.n; j++)
      for (int k = 0; k < o->b.n; k++)
        for (int l = k + 1; l < o->b.n; l++) {
          long double e[3], f[3], n[3];
          oracle_minus(o->a.x[j], o->a.x[i], e);
          oracle_minus(o->b.x[l], o->b.x[k], f);
          oracle_cross(e, f, n);
          oracle_try(o, n);
        }
  return o->best;
}

#endif
