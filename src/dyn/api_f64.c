// SPDX-License-Identifier: Apache-2.0
// work.h and dyn.h in double.

#include <appell/dyn.h>

#include <assert.h>
#include <math.h>

#include "base/isa.h"
#include "dyn/builds.h"
#include "dyn/factor.h"
#include "kin/text_f64.h"
#include "num/eigen3.h"

#include "dyn/parts.inc"

#define NARROW_TABLE(part) AP_TABLE_OF(part##_kernels, ap__##part##_f64, kernels_of_##part)
#define WIDE_TABLE(part) \
  AP_WIDE_TABLE_OF(part##_kernels, ap__##part##_f64, ap__wide_##part##_f64, wide_kernels_of_##part)
NARROW_PARTS(NARROW_TABLE)
WIDE_PARTS(WIDE_TABLE)

#define KERNELS(part)      kernels_of_##part(w->build)
#define WIDE_KERNELS(part) wide_kernels_of_##part(w->build)
#define BEST_BUILD         best_build()
#define WIDE_ANYWAY        wide_vectors_stay_awake()
#define PART_STORAGE
#define PART_NAME(name) ap_part_##name
#include "dyn/setup.inc"

#include "dyn/solve.inc"

#define F(name)   name
#define FLOAT     double
#define WRENCH    ap_wrench
#define FUNCTIONS ap_functions
#define ALL_PARTS                                                                          \
  &ap_part_changes, &ap_part_passive, &ap_part_inverse, &ap_part_inertia, &ap_part_solver, \
      &ap_part_derivatives, &ap_part_frames, &ap_part_coriolis, &ap_part_regressor, &ap_part_ik
#include "dyn/api.inc"

// ---- factor.h ----------------------------------------------------------------------------------

ap_status ap__factorize(const ap_model *m, ap_work *w, const double *q, const double *v,
                        ap_factor *f) {
  CHECK_WORK(m, w);
  if (!w->solver) return AP_E_UNSUPPORTED;
  if (v)
    equations_of_motion(w, q, v, NULL);
  else
    inertia(w, q, w->solver->L);
  *f = (ap_factor){m->nv, w->solver->L, elimination(w)->next, w->solver->start,
                   v ? w->solver->x : NULL};
  return factorized(w, w->solver->L) ? AP_OK : AP_E_SINGULAR;
}

void ap__factor_solve(const ap_model *m, const ap_work *w, const double *L, double *x) {
  w->solver->by.solve(w, m->nv, elimination(w), L, x);
}

void ap__factor_inverse(const ap_model *m, ap_work *w, const double *L, double *Minv) {
  w->solver->by.solve_columns(w, m->nv, elimination(w), L, (double *const[]){NULL, NULL, Minv});
}
