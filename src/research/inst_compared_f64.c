// SPDX-License-Identifier: Apache-2.0
// The methods kept for comparison in double, compiled once per instruction set (AP_ISA) like the
// library's own, so that their times can be compared.

#define AP_KERNEL
#include "kin/text_f64.h"

#include "dyn/text.inc"
#include "research/methods.inc"

#define NAME2(isa) ap__compared_f64_##isa
#define NAME1(isa) NAME2(isa)

extern const compared_methods NAME1(AP_ISA);
const compared_methods NAME1(AP_ISA) = COMPARED_TABLE;
