// SPDX-License-Identifier: Apache-2.0
// What a motion needs of its joints, for every time.

#ifndef AP_IDENT_FORCES_H
#define AP_IDENT_FORCES_H

#include "ident/ident.h"

typedef struct ap__forces {
  const double *effort; // [nv] limits; INFINITY: none
  const double *jerk;   // [nv] bounds of the third derivative over the whole trajectory
  double enough;        // a use below which nobody asks how small it is; 0: always
  double tolerance;     // of the use
  double use;           // out: upper bound of |tau| / effort; that of the joint seen where it is
                        // more than enough (then the search ends)
  int joint;            // out: its joint
} ap__forces;

// AP_E_MEMORY. Friction, springs and rotors take part; w is left without them.
ap_status ap__bound_forces(const ap_model *m, ap_work *w, const ap_traj *traj, ap__forces *f,
                           ap_error *error);

#endif
