// SPDX-License-Identifier: Apache-2.0
// kin.h in double.

#include "base/isa.h"
#include "kin/text_f64.h"

#define F(name) name
#define FLOAT   double
#include "kin/api.inc"

#include "kin/quaternion.h"
#include "kin/manifold.inc"

AP_TABLE_OF(manifold_kernels, ap__manifold_f64, manifold_of)
#include "kin/manifold_api.inc"
