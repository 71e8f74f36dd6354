// SPDX-License-Identifier: Apache-2.0
// The kernels in single precision that use wide vectors, compiled once per instruction set (AP_ISA)
// that has them.

#define AP_KERNEL
#define AP_WIDE
#include "kin/text_f32.h"

#include "dyn/text.inc"

#ifdef AP_TWO_WIDTHS
#define EXPORT(part, ...)                                       \
  extern const part##_kernels AP_OF_ISA(ap__wide_##part##_f32); \
  const part##_kernels AP_OF_ISA(ap__wide_##part##_f32) = {__VA_ARGS__};
EITHER_TABLES(EXPORT)
WIDE_TABLES(EXPORT)
#endif
