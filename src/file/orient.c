// SPDX-License-Identifier: Apache-2.0
// The determinant in double decides where it is larger than its rounding errors can be; else it is
// computed exactly, as a sum of doubles that do not overlap (Shewchuk 1997).

#include "file/orient.h"

#include <math.h>

// A sum of doubles, the smaller ones first, without overlap. 192 = 3 (2 * (2 * 2 * 2 + 2 * 2 * 2)
// * 2) are what a determinant of differences has.
typedef struct exact {
  int n;
  double x[192];
} exact;

// a + b = sum + error, exactly.
static double two_sum(double a, double b, double *error) {
  const double sum = a + b, part = sum - a;
  *error = (a - (sum - part)) + (b - part);
  return sum;
}

// A double in two halves of 26 bits.
static double upper_half(double a) {
  const double c = 134217729.0 * a; // 2^27 + 1
  return c - (c - a);
}

static double two_product(double a, double b, double *error) {
  const double product = a * b, ah = upper_half(a), bh = upper_half(b);
  const double al = a - ah, bl = b - bh;
  *error = al * bl - (((product - ah * bh) - al * bh) - ah * bl);
  return product;
}

static void add(exact *e, double b) {
  int n = 0;
  for (int i = 0; i < e->n; i++) {
    double rest;
    b = two_sum(b, e->x[i], &rest);
    if (rest != 0) e->x[n++] = rest;
  }
  if (b != 0) e->x[n++] = b;
  e->n = n;
}

// sum += a * b * sign
static void add_product(exact *sum, const exact *a, const exact *b, double sign) {
  for (int i = 0; i < a->n; i++)
    for (int k = 0; k < b->n; k++) {
      double rest;
      const double product = two_product(a->x[i], sign * b->x[k], &rest);
      add(sum, rest);
      add(sum, product);
    }
}

static exact difference(double a, double b) {
  exact e = {0};
  double rest;
  const double d = two_sum(a, -b, &rest);
  add(&e, rest);
  add(&e, d);
  return e;
}

static double exact_orient(const double a[3], const double b[3], const double c[3],
                           const double d[3]) {
  exact e[3][3], det = {0};
  for (int k = 0; k < 3; k++) {
    e[0][k] = difference(a[k], d[k]);
    e[1][k] = difference(b[k], d[k]);
    e[2][k] = difference(c[k], d[k]);
  }
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    exact minor = {0};
    add_product(&minor, &e[1][i], &e[2][j], 1);
    add_product(&minor, &e[1][j], &e[2][i], -1);
    add_product(&det, &minor, &e[0][k], 1);
  }
  return det.n ? det.x[det.n - 1] : 0;
}

double ap__orient(const double a[3], const double b[3], const double c[3], const double d[3]) {
  double e[3][3], det = 0, size = 0;
  for (int k = 0; k < 3; k++) {
    e[0][k] = a[k] - d[k];
    e[1][k] = b[k] - d[k];
    e[2][k] = c[k] - d[k];
  }
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double p = e[1][i] * e[2][j], q = e[1][j] * e[2][i];
    det += e[0][k] * (p - q);
    size += fabs(e[0][k]) * (fabs(p) + fabs(q));
  }
  // Each term has at most 8 roundings of 2^-53; 1e-15 is more than 8 of them.
  return fabs(det) > 1e-15 * size ? det : exact_orient(a, b, c, d);
}
