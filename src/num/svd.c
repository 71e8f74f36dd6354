#include "svd.h"

#include <float.h>
#include <math.h>

// Turn columns i and j until they are perpendicular; false where they are already.
static bool turn_columns(int m, int n, double *A, int i, int j) {
  double a = 0, b = 0, c = 0;
  for (int k = 0; k < m; k++) {
    double x = A[k * n + i], y = A[k * n + j];
    a += x * x, b += y * y, c += x * y;
  }
  if (!(fabs(c) > 2 * DBL_EPSILON * sqrt(a * b))) return false;
  double zeta = (b - a) / (2 * c);
  double t = copysign(1 / (fabs(zeta) + hypot(1, zeta)), zeta);
  double cosine = 1 / sqrt(1 + t * t), sine = cosine * t;
  for (int k = 0; k < m; k++) {
    double x = A[k * n + i], y = A[k * n + j];
    A[k * n + i] = cosine * x - sine * y;
    A[k * n + j] = sine * x + cosine * y;
  }
  return true;
}

void ap__singular_values(int m, int n, double *A, double *sigma) {
  enum { SWEEPS = 60 }; // ten are plenty; the bound is against matrices that are not finite
  bool turned = true;
  for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
    turned = false;
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++)
        if (turn_columns(m, n, A, i, j)) turned = true;
  }
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int k = 0; k < m; k++) sum += A[k * n + j] * A[k * n + j];
    double length = sqrt(sum);
    int place = j;
    for (; place > 0 && sigma[place - 1] < length; place--) sigma[place] = sigma[place - 1];
    sigma[place] = length;
  }
}
