// SPDX-License-Identifier: Apache-2.0
// A cylinder whose radius differs at both ends, for distances alone: half[0] and half[1] of the
// shape are what the radii at -z and z are less than the larger one.

#ifndef AP_CONVEX_FRUSTUM_H
#define AP_CONVEX_FRUSTUM_H

#include <appell/convex.h>
#include <math.h>

static inline ap_status ap__convex_frustum(double low, double high, double length,
                                           ap_convex *shape) {
  double most = fmax(low, high);
  ap_status status = ap_convex_cylinder(most, length, shape, NULL);
  if (!status) shape->half[0] = most - low, shape->half[1] = most - high;
  return status;
}

#endif
