#include "loop/cholesky.h"

#include <float.h>
#include <math.h>

bool ap__cholesky(int n, double *M) {
  for (int j = 0; j < n; j++) {
    double *row = M + j * n, was = row[j];
    for (int k = 0; k <= j; k++) {
      double sum = row[k];
      for (int i = 0; i < k; i++) sum -= row[i] * M[k * n + i];
      if (k < j) {
        row[k] = sum / M[k * n + k];
      } else {
        if (!(sum > 16 * DBL_EPSILON * was)) return false;
        row[j] = sqrt(sum);
      }
    }
  }
  return true;
}

void ap__cholesky_solve(int n, const double *L, double *b) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) b[i] -= L[i * n + j] * b[j];
    b[i] /= L[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= L[j * n + i] * b[j];
    b[i] /= L[i * n + i];
  }
}
