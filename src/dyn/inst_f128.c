// The kernels in binary128, and the studies made with them.

#include "num/f128.h"

#ifdef AP_HAVE_F128

#include "kin/text_f128.h"

#include "base/arena.h"
#include "dyn/study.h"
#include "dyn/text.inc"
#include "dyn/methods.inc"

#include "dyn/model_in_f128.inc"

static const KERNELS kernels = KERNEL_TABLE("f128");
static const compared_methods methods = COMPARED_TABLE;

static WORK *init_f128(const ap_model *m, void *mem, size_t size, ap_count *count) {
  (void)count;
  WORK *w = work_init(m, true, mem, size, NULL);
  if (w) w->kernels = &kernels, w->methods = &methods;
  return w;
}

#define WORK_INIT init_f128
#include "dyn/study.inc"

const study_ops ap__study_f128 = STUDY_OPS;

#else
typedef int ap__no_binary128; // a translation unit must declare something
#endif
