// SPDX-License-Identifier: Apache-2.0
// kin.h in single precision.

#include "kin/text_f32.h"

#define F(name) name##_f32
#define FLOAT   float
#include "kin/api.inc"

#include "kin/quaternion.h"
#include "kin/manifold_api.inc"
