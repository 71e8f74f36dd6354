// SPDX-License-Identifier: Apache-2.0
// work.h and dyn.h in single precision.

#include <appell/dyn.h>

#include <assert.h>
#include <math.h>

#include "base/isa.h"
#include "dyn/builds.h"
#include "kin/text_f32.h"
#include "num/eigen3.h"

#include "dyn/parts.inc"

#define NARROW_TABLE(part) AP_TABLE_OF(part##_kernels, ap__##part##_f32, kernels_of_##part)
#define WIDE_TABLE(part) \
  AP_WIDE_TABLE_OF(part##_kernels, ap__##part##_f32, ap__wide_##part##_f32, wide_kernels_of_##part)
NARROW_PARTS(NARROW_TABLE)
WIDE_PARTS(WIDE_TABLE)

#define KERNELS(part)      kernels_of_##part(w->build)
#define WIDE_KERNELS(part) wide_kernels_of_##part(w->build)
#define BEST_BUILD         best_build()
#define WIDE_ANYWAY        wide_vectors_stay_awake()
#define PART_STORAGE
#define PART_NAME(name) ap_part_##name##_f32
#include "dyn/setup.inc"

#include "dyn/solve.inc"

#define F(name)   name##_f32
#define FLOAT     float
#define WRENCH    ap_wrench_f32
#define FUNCTIONS ap_functions_f32
#define ALL_PARTS                                                                                \
  &ap_part_changes_f32, &ap_part_passive_f32, &ap_part_inverse_f32, &ap_part_inertia_f32,        \
      &ap_part_solver_f32, &ap_part_derivatives_f32, &ap_part_frames_f32, &ap_part_coriolis_f32, \
      &ap_part_regressor_f32
#include "dyn/api.inc"
