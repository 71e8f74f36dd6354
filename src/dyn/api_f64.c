// work.h and dyn.h in double.

#include <appell/dyn.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "dyn/isa.h"
#include "dyn/study.h"
#include "kin/text_f64.h"
#include "num/eigen3.h"

#include "dyn/kernels.inc"
#include "dyn/articulated.inc"

#define OFFLINE(ctx, x)    ((void)(ctx), (x))
#define ARITHMETIC_EPSILON DBL_EPSILON
#include "dyn/model_in_double.inc"

extern const ap_kernels ap__kernels_f64_base, ap__kernels_f64_v3, ap__kernels_f64_v4;

static const ap_kernels *best_kernels(void) {
#ifdef AP_HAVE_ISA_V4
  if (runs_v4()) return &ap__kernels_f64_v4;
#endif
#ifdef AP_HAVE_ISA_V3
  if (runs_v3()) return &ap__kernels_f64_v3;
#endif
  return &ap__kernels_f64_base;
}

#define F(name) name
#define FLOAT   double
#define WRENCH  ap_wrench
#include "dyn/api.inc"

static WORK *init_study(const ap_model *m, bool study, void *mem, size_t size, ap_count *count) {
  (void)count;
  return init(m, study, mem, size);
}

#define WORK_INIT init_study
#include "dyn/study.inc"

const study_ops ap__study_f64 = STUDY_OPS;
