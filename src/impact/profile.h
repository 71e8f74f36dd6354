// SPDX-License-Identifier: Apache-2.0
// A height over x: the natural cubic spline through points, continued straight beyond its ends.
// Natural means that the second derivative is zero at the ends, so that the height is twice
// continuously differentiable there as everywhere.

#ifndef AP_IMPACT_PROFILE_H
#define AP_IMPACT_PROFILE_H

typedef struct ap_profile {
  const double *points; // [2 n] x and height in turn; x grows
  const double *second; // [n] second derivative of the height at the points
  int n;                // 2 or more
  double steepest;      // largest |slope|
} ap_profile;

// The second derivatives at n points. scratch has n entries.
void ap__profile_solve(const double *points, int n, double *second, double *scratch);

// The largest absolute values of slope, second and third derivative between x = low and high.
void ap__profile_most(const ap_profile *p, double low, double high, double most[3]);

// Height at x, its slope and its second derivative.
void ap__profile_at(const ap_profile *p, double x, double value[3]);

#endif
