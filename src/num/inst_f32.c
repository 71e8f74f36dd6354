// SPDX-License-Identifier: Apache-2.0
// Angles too large for the kernels' reduction, where kernels fuse: compiled once per instruction
// set (AP_ISA). The others share that of sincos_slow.c.

#define AP_KERNEL
#include "num/fused.h"

#ifdef AP_FUSED_F32
#define SC_DEFINE_EACH
#endif
#include "num/sincos_f32.h"
