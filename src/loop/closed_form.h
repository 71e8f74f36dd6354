// What the closed forms of several mechanisms share.

#ifndef AP_LOOP_CLOSED_FORM_H
#define AP_LOOP_CLOSED_FORM_H

#include <math.h>

#include "base/error.h"

// Poses of two assemblies are closer together than rounding where the determinant that tells them
// apart is below this.
#define AP_ASSEMBLY_NEAR 1e-7

// Every number finite and at most 1e9, far from where products overflow.
static inline bool ap__moderate(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= 1e9)) return false;
  return true;
}

// Is `value`, named `what` and of the part `of`, between low and high? Otherwise *error says so.
static inline bool ap__between(double value, double low, double high, const char *what,
                               const char *of, ap_error *error) {
  if (value >= low && value <= high) return true;
  ap__fail(error, AP_E_MODEL, 0, "%s%s is %g, must be %g to %g", of, what, value, low, high);
  return false;
}

// Is it 1 or -1?
static inline bool ap__is_sign(int value, const char *what, const char *of, ap_error *error) {
  if (value == 1 || value == -1) return true;
  ap__fail(error, AP_E_MODEL, 0, "%s%s is %d, must be 1 or -1", of, what, value);
  return false;
}

#endif
