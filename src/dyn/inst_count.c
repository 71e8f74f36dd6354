// The kernels in the counting arithmetic, and the studies made with them.

#include "kin/text_count.h"

#include <float.h>
#include <string.h>

#include "base/arena.h"
#include "dyn/study.h"
#include "dyn/text.inc"

#define OWN_FRAMES         false
#define PACKED_REAL        double
#define PARAM(ctx, x)      r_param(ctx, x)
#define OFFLINE(ctx, x)    r_param(ctx, r_store(x))
#define MERGE_INERTIA      ap__merge_inertia_f64
#define ARITHMETIC_EPSILON DBL_EPSILON
#include "dyn/model_in_double.inc"
#include "dyn/setup.inc"
#include "kin/coordinates.inc"
#include "dyn/solve.inc"

static const KERNELS kernels = KERNEL_TABLE("count");

static WORK *init_count(const ap_model *m, bool study, void *mem, size_t size, ap_count *count) {
  WORK *w = work_init(m, study, mem, size, count);
  if (w) w->kernels = &kernels;
  return w;
}

#define WORK_INIT init_count
#include "dyn/study.inc"

const study_ops ap__study_count = STUDY_OPS;
