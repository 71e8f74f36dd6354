// SPDX-License-Identifier: Apache-2.0
// Points of links as contacts need them, in the state of the last ap_kinematics(). Exported,
// because libappell-tools makes contacts of them.

#ifndef AP_KIN_POINT_H
#define AP_KIN_POINT_H

#include <appell/work.h>

// As ap_kinematics() of the configuration that the work was in last, as after ap__factorize().
AP_API void ap__see_again(const ap_model *m, ap_work *w, const double *v);

typedef struct ap_point {
  double p[3], arm[3]; // m: from the ground's origin and from the frame's, world
  double v[3], acc[3]; // m/s, m/s2: for a = 0
} ap_point;

// The point `at` (m, in the frame) of a frame. AP_E_ARG: there is no such frame.
AP_API ap_status ap__point(const ap_model *m, const ap_work *w, int frame, const double at[3],
                           ap_point *seen);

enum { AP__POINT_LANES = 4 };

// Rows of the Jacobian of a point at the end of an arm (world) from a frame's origin, along three
// directions: entry d of column k, at J[AP__POINT_LANES * k + d], is what unit velocity k does
// along along[3 d .. 3 d + 2]. `add`: to what is there. Columns on the path from the frame to the
// ground alone. Returns a length of which entries have the rounding error. No mimic joints.
AP_API double ap__point_rows(const ap_model *m, const ap_work *w, int frame, const double arm[3],
                             const double along[9], bool add, double *J);

#endif
