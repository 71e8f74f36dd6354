// work.h and dyn.h in single precision.

#include <appell/dyn.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "dyn/isa.h"
#include "dyn/study.h"
#include "kin/text_f32.h"
#include "num/eigen3.h"

#include "dyn/kernels.inc"
#include "dyn/articulated.inc"

#define OFFLINE(ctx, x)    ((void)(ctx), (x))
#define ARITHMETIC_EPSILON FLT_EPSILON
#include "dyn/model_in_double.inc"

extern const ap_kernels_f32 ap__kernels_f32_base, ap__kernels_f32_v3, ap__kernels_f32_v4;

static const ap_kernels_f32 *best_kernels(void) {
#ifdef AP_HAVE_ISA_V4
  if (runs_v4()) return &ap__kernels_f32_v4;
#endif
#ifdef AP_HAVE_ISA_V3
  if (runs_v3()) return &ap__kernels_f32_v3;
#endif
  return &ap__kernels_f32_base;
}

#define F(name) name##_f32
#define FLOAT   float
#define WRENCH  ap_wrench_f32
#include "dyn/api.inc"

static WORK *init_study(const ap_model *m, bool study, void *mem, size_t size, ap_count *count) {
  (void)count;
  return init(m, study, mem, size);
}

#define WORK_INIT init_study
#include "dyn/study.inc"

const study_ops ap__study_f32 = STUDY_OPS;
