// SPDX-License-Identifier: Apache-2.0
// kin.h in single precision.

#include "base/isa.h"
#include "kin/text_f32.h"

#define F(name) name##_f32
#define FLOAT   float
#include "kin/api.inc"

#include "kin/quaternion.h"
#include "kin/manifold.inc"

AP_TABLE_OF(manifold_kernels, ap__manifold_f32, manifold_of)
#include "kin/manifold_api.inc"
