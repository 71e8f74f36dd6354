// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of a symmetric 3x3 matrix; in double, for checks when a model is frozen.

#ifndef AP_NUM_EIGEN3_H
#define AP_NUM_EIGEN3_H

#include <appell/base.h>

// s is xx xy xz yy yz zz, finite; w gets the eigenvalues in ascending order. The error of each is a
// few units in the last place of the largest.
AP_API void ap__eigen3(const double s[6], double w[3]);

#endif
