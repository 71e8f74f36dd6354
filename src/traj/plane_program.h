// SPDX-License-Identifier: Apache-2.0
// Linear programs in two unknowns, solved exactly in time proportional to the number of rows.

#ifndef AP_TRAJ_PLANE_PROGRAM_H
#define AP_TRAJ_PLANE_PROGRAM_H

#include <stdbool.h>

// u * x[0] + v * x[1] <= w
typedef struct ap__half_plane {
  double u, v, w;
} ap__half_plane;

// No coordinate of a solution is larger.
#define AP__PLANE_FAR 1e18

// The largest (sign 1) or least (sign -1) x[1] with n rows, and an x[0] that goes with it. false:
// no point satisfies all of them. Rows are taken in the order given; the time is proportional to n
// where most of those that bind come early or the order is random. A row counts as satisfied where
// it is to 1e-12 of the size of its terms.
bool ap__plane_extreme(const ap__half_plane *row, int n, double sign, double x[2]);

// The x[0] that n rows allow for a given x[1]. false: none, and *low is above *high.
bool ap__plane_slice(const ap__half_plane *row, int n, double x1, double *low, double *high);

#endif
