// The kernels in binary128 with the functions above them, for tests that difference results in that
// arithmetic: what research.h offers rounds to double on the way out. Empty where there is none.

#ifndef AP_TESTS_F128_H
#define AP_TESTS_F128_H

#include "num/f128.h"

#ifdef AP_HAVE_F128

#define motion frame_motion // tests have a motion of their own
#include "kin/text_f128.h"

#include "base/arena.h"
#include "dyn/text.inc"
#include "dyn/compared.inc"

#include "dyn/model_in_f128.inc"
#undef motion

static const KERNELS kernels_f128 = KERNEL_TABLE("f128");

// On the heap; free() it at .memory.
typedef struct work_f128 {
  WORK *w;
  void *memory;
} work_f128;

static inline work_f128 work_make_f128(const ap_model *m) {
  size_t size = work_size(m, false);
  work_f128 x = {NULL, malloc(size + 1)};
  x.w = work_init(m, false, x.memory, size, NULL);
  if (x.w) x.w->kernels = &kernels_f128;
  return x;
}

#endif
#endif
