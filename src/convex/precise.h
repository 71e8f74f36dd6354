// SPDX-License-Identifier: Apache-2.0
// Products of vectors that lose no digits to cancellation.

#ifndef AP_CONVEX_PRECISE_H
#define AP_CONVEX_PRECISE_H

#include <math.h>
#include <stdbool.h>

#include "num/vec3.h"

// a b - c d within 1.5 ulp [Kahan; Jeannerod, Louvet, Muller 2013].
static inline double difference_of_products(double a, double b, double c, double d) {
  const double cd = c * d, error = fma(-c, d, cd);
  return fma(a, b, -cd) + error;
}

// c = a x b, each component within 1.5 ulp.
static inline void precise_cross3(const double a[3], const double b[3], double c[3]) {
  c[0] = difference_of_products(a[1], b[2], a[2], b[1]);
  c[1] = difference_of_products(a[2], b[0], a[0], b[2]);
  c[2] = difference_of_products(a[0], b[1], a[1], b[0]);
}

static inline void difference3(const double a[3], const double b[3], double d[3]) {
  for (int i = 0; i < 3; i++) d[i] = a[i] - b[i];
}

// To length one; false where it has none.
static inline bool unit3(double a[3]) {
  const double largest = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
  if (!(largest > 0)) return false;
  for (int i = 0; i < 3; i++) a[i] /= largest; // squares neither overflow nor vanish
  const double length = norm3(a);
  for (int i = 0; i < 3; i++) a[i] /= length;
  return true;
}

// y = R^T x; y is not x.
static inline void turn_back3(const double R[9], const double x[3], double y[3]) {
  for (int i = 0; i < 3; i++) y[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}

// Some unit vector at a right angle to a, or z where a is 0.
static inline void perpendicular3(const double a[3], double n[3]) {
  const double x = fabs(a[0]), y = fabs(a[1]), z = fabs(a[2]);
  const double axis[3] = {x <= y && x <= z, !(x <= y && x <= z) && y <= z,
                          !(x <= y && x <= z) && !(y <= z)};
  cross3(axis, a, n);
  if (unit3(n)) return;
  n[0] = n[1] = 0;
  n[2] = 1;
}

#endif
