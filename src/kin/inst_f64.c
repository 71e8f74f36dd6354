// SPDX-License-Identifier: Apache-2.0
// The configuration manifold in double, compiled once per instruction set (AP_ISA).

#define AP_KERNEL
#include "kin/text_f64.h"

#include "kin/quaternion.h"
#include "kin/manifold.inc"

extern const manifold_kernels AP_OF_ISA(ap__manifold_f64);
const manifold_kernels AP_OF_ISA(ap__manifold_f64) = {integrate_configuration,
                                                      difference_of_configurations};
