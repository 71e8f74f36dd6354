// SPDX-License-Identifier: Apache-2.0
// Orientations given as matrices, over a plain `real` (double or float). Included after
// num/vocabulary.inc.

#ifndef AP_KIN_ORIENTATION_H
#define AP_KIN_ORIENTATION_H

#include "kin/quaternion.h"

// Of a rotation matrix, by the largest of four squares, so that nothing cancels (Shepperd 1978).
TEXT quaternion quaternion_of_matrix(mat3 R) {
  real x = R.x.x, y = R.y.y, z = R.z.z, trace = x + y + z;
  real most = r_max(r_max(trace, x), r_max(y, z));
  quaternion q;
  if (most == trace)
    q = (quaternion){{R.z.y - R.y.z, R.x.z - R.z.x, R.y.x - R.x.y}, 1 + trace};
  else if (most == x)
    q = (quaternion){{1 + x - y - z, R.x.y + R.y.x, R.x.z + R.z.x}, R.z.y - R.y.z};
  else if (most == y)
    q = (quaternion){{R.x.y + R.y.x, 1 + y - x - z, R.y.z + R.z.y}, R.x.z - R.z.x};
  else
    q = (quaternion){{R.x.z + R.z.x, R.y.z + R.z.y, 1 + z - x - y}, R.y.x - R.x.y};
  return quaternion_unit(q);
}

// Finite, orthonormal to within 1e-6 and right-handed: what is taken for a rotation from outside.
TEXT bool is_rotation(const real R[9]) {
  mat3 A = {load3(R), load3(R + 3), load3(R + 6)};
  real worst = 0;
  for (int i = 0; i < 9; i++)
    if (!isfinite(R[i])) return false;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      worst = r_max(worst, r_abs(dot(column(A, i), column(A, k)) - r_const(i == k)));
  return worst <= (real)1e-6 && dot(A.x, cross(A.y, A.z)) > 0;
}

#endif
