// SPDX-License-Identifier: Apache-2.0
// How the accelerations of closures and coordinates change as a motion is displaced.

#ifndef AP_LOOP_DISPLACED_H
#define AP_LOOP_DISPLACED_H

#include "loop/mechanism.h"

typedef struct ap_displaced ap_displaced;

// Memory, and what is kept in it.
size_t ap__displaced_size(const ap_mechanism *m);
ap_displaced *ap__displaced_init(const ap_mechanism *m, void *mem);

// A motion of the tree at one instant, and its displacement: the configuration moves along y, and
// the numbers xd change by dxd. Each has nv entries but x; y and dxd may be NULL, which is zero.
typedef struct ap_displacement {
  const double *x, *xd, *xdd;
  const double *y, *dxd;
} ap_displacement;

// The change of K xdd + K' xd, all rows of Phi and s, per unit of that displacement.
void ap__displaced_rows(const ap_mechanism *m, ap_displaced *d, const ap_displacement *by,
                        double *change);

#endif
