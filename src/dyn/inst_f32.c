// SPDX-License-Identifier: Apache-2.0
// The kernels in single precision, compiled once per instruction set (AP_ISA), a table for each
// part. Where the set has wide vectors (AP_TWO_WIDTHS), inst_wide_f32.c has the others.

#define AP_KERNEL
#include "kin/text_f32.h"

#include "dyn/text.inc"

#define ISA_NAME AP_ISA_NAME AP_FAMILY_F32

#define EXPORT(part, ...)                                  \
  extern const part##_kernels AP_OF_ISA(ap__##part##_f32); \
  const part##_kernels AP_OF_ISA(ap__##part##_f32) = {__VA_ARGS__};
NARROW_TABLES(EXPORT)
EITHER_TABLES(EXPORT)
#ifndef AP_TWO_WIDTHS
WIDE_TABLES(EXPORT)
#endif
