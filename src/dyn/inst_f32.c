// SPDX-License-Identifier: Apache-2.0
// The kernels in single precision, compiled once per instruction set (AP_ISA), a table for each
// part.

#define AP_KERNEL
#include "kin/text_f32.h"

#include "dyn/text.inc"

#define ISA_NAME AP_ISA_NAME AP_FAMILY_F32

#define NAME2(part, isa) ap__##part##_f32_##isa
#define NAME1(part, isa) NAME2(part, isa)
#define EXPORT(part, ...)                          \
  extern const part##_kernels NAME1(part, AP_ISA); \
  const part##_kernels NAME1(part, AP_ISA) = {__VA_ARGS__};
KERNEL_TABLES(EXPORT)
