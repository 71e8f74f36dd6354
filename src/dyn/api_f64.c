// work.h and dyn.h in double.

#include <appell/dyn.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "dyn/isa.h"
#include "kin/text_f64.h"
#include "num/eigen3.h"

#include "dyn/kernels.inc"
#include "dyn/articulated.inc"
#include "dyn/compared.inc"

#define OFFLINE(ctx, x)    ((void)(ctx), (x))
#define ARITHMETIC_EPSILON DBL_EPSILON
#include "dyn/model_in_double.inc"
#include "dyn/solve.inc"

AP_BEST_OF(ap_kernels, ap__kernels_f64, best_kernels)

#define F(name) name
#define FLOAT   double
#define WRENCH  ap_wrench
#include "dyn/api.inc"
