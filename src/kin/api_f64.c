// SPDX-License-Identifier: Apache-2.0
// kin.h in double.

#include "kin/text_f64.h"

#define F(name) name
#define FLOAT   double
#include "kin/api.inc"

#include "kin/quaternion.h"
#include "kin/manifold_api.inc"
