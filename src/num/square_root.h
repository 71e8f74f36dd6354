// SPDX-License-Identifier: Apache-2.0
// The square root of a double, rounded correctly, where the processor has none: in integers, in
// less room than the C library's.

#ifndef AP_NUM_SQUARE_ROOT_H
#define AP_NUM_SQUARE_ROOT_H

#include <math.h>

#if defined __arm__ && !(defined __ARM_FP && (__ARM_FP & 8))
#define AP_SOFT_DOUBLE
#endif

double ap__root(double x);

static inline double root_f64(double x) {
#ifdef AP_SOFT_DOUBLE
  return ap__root(x);
#else
  return sqrt(x);
#endif
}

#endif
