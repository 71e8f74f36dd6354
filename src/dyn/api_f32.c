// work.h and dyn.h in single precision.

#include <appell/dyn.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "dyn/isa.h"
#include "kin/text_f32.h"
#include "num/eigen3.h"

#include "dyn/kernels.inc"
#include "dyn/articulated.inc"
#include "dyn/compared.inc"

#define OFFLINE(ctx, x)    ((void)(ctx), (x))
#define ARITHMETIC_EPSILON FLT_EPSILON
#include "dyn/model_in_double.inc"
#include "dyn/solve.inc"

AP_BEST_OF(ap_kernels_f32, ap__kernels_f32, best_kernels)

#define F(name) name##_f32
#define FLOAT   float
#define WRENCH  ap_wrench_f32
#include "dyn/api.inc"
