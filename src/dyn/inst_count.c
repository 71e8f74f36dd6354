// The kernels in the counting arithmetic, and the studies made with them.

#include "kin/text_count.h"

#include <float.h>
#include <string.h>

#include "base/arena.h"
#include "dyn/study.h"
#include "dyn/text.inc"
#include "dyn/methods.inc"

#define OFFLINE(ctx, x)    r_param(ctx, r_store(x))
#define ARITHMETIC_EPSILON DBL_EPSILON
#include "dyn/model_in_double.inc"
#include "dyn/solve.inc"

static const KERNELS kernels = KERNEL_TABLE("count");
static const compared_methods methods = COMPARED_TABLE;

static WORK *init_count(const ap_model *m, void *mem, size_t size, ap_count *count) {
  WORK *w = work_init(m, true, mem, size, count);
  if (w) w->kernels = &kernels, w->methods = &methods;
  return w;
}

#define WORK_INIT init_count
#include "dyn/study.inc"

const study_ops ap__study_count = STUDY_OPS;
