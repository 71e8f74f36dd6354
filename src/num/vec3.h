// SPDX-License-Identifier: Apache-2.0
// Vectors of three doubles, for code outside the kernels.

#ifndef AP_NUM_VEC3_H
#define AP_NUM_VEC3_H

#include <math.h>

static inline double dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double norm3(const double a[3]) { return sqrt(dot3(a, a)); }

// The same where squares of the components may be beyond the range of a double.
static inline double length3(const double a[3]) {
  const double most = fmax(fmax(fabs(a[0]), fabs(a[1])), fabs(a[2]));
  if (!(most > 0) || (most > 1e-100 && most < 1e100) || isinf(most)) return norm3(a);
  const double b[3] = {a[0] / most, a[1] / most, a[2] / most};
  return most * norm3(b);
}

// c = a x b; c is neither a nor b.
static inline void cross3(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

// y = R x, R row-major; y is not x.
static inline void turn3(const double R[9], const double x[3], double y[3]) {
  for (int i = 0; i < 3; i++) y[i] = dot3(R + 3 * i, x);
}

#endif
