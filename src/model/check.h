// SPDX-License-Identifier: Apache-2.0
// What ap_model_init() refuses.

#ifndef AP_MODEL_CHECK_H
#define AP_MODEL_CHECK_H

#include "model/frozen.h"

// More bodies or frames than this are a mistake, and the sum of all sizes stays far from overflow.
enum { AP_COUNT_MAX = 1000000 };

// Each returns true, or fills *error (which may be NULL) and returns false.

// Whether n numbers are finite. By their bits, which takes little room where doubles are emulated.
bool ap__are_finite(const double *x, int n);

// The counts are in range and the arrays are there.
bool ap__check_counts(const ap_robot_def *def, ap_error *error);

// Everything that a definition alone can tell. The counts have been checked. scratch has room for
// 1 + nbody + nframe numbers.
bool ap__check_definition(const ap_robot_def *def, int *scratch, ap_error *error);

// What only the merged bodies can tell: finite, no principal moment below -1e-9 kg m2. Fills
// m->moment.
bool ap__check_merged(const ap_model *m, ap_error *error);

// How far R^T R is from the identity (largest entry), for a 3x3 matrix; above AP_ROTATION_EXACT an
// AP_PLACE_MATRIX is remarked (pack.inc makes it orthonormal), above AP_ROTATION_ROUGH refused.
double ap__rotation_defect(const double R[9]);
#define AP_ROTATION_EXACT 1e-12
#define AP_ROTATION_ROUGH 1e-6

// What rounding may make of a zero principal moment when links are merged.
double ap__rounding_of_moments(const ap_model *m, int body, double largest);

#endif
