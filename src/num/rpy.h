// SPDX-License-Identifier: Apache-2.0
// Turns given as roll, pitch and yaw.

#ifndef AP_NUM_RPY_H
#define AP_NUM_RPY_H

#include <math.h>
#include <string.h>

// R = Rz(yaw) Ry(pitch) Rx(roll), row-major
static inline void ap__matrix_of_rpy(const double rpy[3], double R[9]) {
  double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]);
  double cy = cos(rpy[2]), sy = sin(rpy[2]);
  const double all[9] = {cy * cp,
                         cy * sp * sr - sy * cr,
                         cy * sp * cr + sy * sr,
                         sy * cp,
                         sy * sp * sr + cy * cr,
                         sy * sp * cr - cy * sr,
                         -sp,
                         cp * sr,
                         cp * cr};
  memcpy(R, all, sizeof all);
}

#endif
