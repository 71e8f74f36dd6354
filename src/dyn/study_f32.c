// research.h in single precision.

#include <float.h>
#include <string.h>

#include "base/arena.h"
#include "dyn/isa.h"
#include "dyn/study.h"
#include "kin/text_f32.h"

#include "dyn/kernels.inc"
#include "dyn/articulated.inc"
#include "dyn/compared.inc"

#define OFFLINE(ctx, x)    ((void)(ctx), (x))
#define ARITHMETIC_EPSILON FLT_EPSILON
#include "dyn/model_in_double.inc"
#include "dyn/solve.inc"

AP_BEST_OF(ap_kernels_f32, ap__kernels_f32, best_kernels)
AP_BEST_OF(compared_methods, ap__compared_f32, best_methods)

#include "dyn/study_by_isa.inc"

const study_ops ap__study_f32 = STUDY_OPS;
