// SPDX-License-Identifier: Apache-2.0
// Works whose kernels are of a certain build, see base/isa.h; the processor must run it.

#ifndef AP_DYN_BUILDS_H
#define AP_DYN_BUILDS_H

#include <appell/work.h>

ap_work *ap__work_init_build(const ap_model *m, void *mem, size_t size, int build);
ap_work_f32 *ap__work_init_build_f32(const ap_model *m, void *mem, size_t size, int build);

#endif
