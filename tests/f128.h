// SPDX-License-Identifier: Apache-2.0
// The kernels in binary128 with the functions above them, for tests that difference results in that
// arithmetic: what research.h offers rounds to double on the way out. Empty where there is none.

#ifndef AP_TESTS_F128_H
#define AP_TESTS_F128_H

#include "research/f128.h"

#ifdef AP_HAVE_F128

#define motion frame_motion // tests have a motion of their own
#include "research/text_f128.h"

#include "dyn/text.inc"

#define ISA_NAME "f128"
#include "dyn/own_kernels.inc"
#include "dyn/solve.inc"
#undef motion

static const PART *const parts_f128[] = {
    &part_inverse,  &part_solver,    &part_frames, &part_derivatives,
    &part_coriolis, &part_regressor, NULL};

// On the heap; free() it at .memory.
typedef struct work_f128 {
  WORK *w;
  void *memory;
} work_f128;

static inline work_f128 work_make_f128(const ap_model *m) {
  size_t size = work_size(m, parts_f128);
  work_f128 x = {NULL, malloc(size + 1)};
  x.w = work_init(m, parts_f128, x.memory, size, NULL);
  return x;
}

#endif
#endif
