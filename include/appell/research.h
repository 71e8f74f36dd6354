// SPDX-License-Identifier: Apache-2.0
/// @file research.h
/// Every method in every arithmetic, by name: what `appell eval --method --real` and comparisons
/// of formulations are made of. Inputs and outputs are doubles whatever happens inside.

#ifndef APPELL_RESEARCH_H
#define APPELL_RESEARCH_H

#include <appell/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The arithmetic that a kernel is compiled for.
typedef enum ap_arithmetic {
  AP_F64,  ///< double
  AP_F32,  ///< float
  AP_F128, ///< IEEE binary128
  AP_COUNT ///< double that counts its operations
} ap_arithmetic;

/// What is computed, and the columns that it reads and writes.
typedef enum ap_quantity {
  AP_INVERSE,             ///< q v a -> tau
  AP_FORWARD,             ///< q v tau -> a
  AP_INERTIA,             ///< q -> M, row-major
  AP_BIAS,                ///< q v -> tau at a = 0
  AP_GRAVITY,             ///< q -> tau at v = a = 0
  AP_ENERGY,              ///< q v -> kinetic, potential
  AP_INVERSE_DERIVATIVES, ///< q v a -> d tau / d q, d tau / d v, d tau / d a, each row-major
  AP_FORWARD_DERIVATIVES  ///< q v tau -> d a / d q, d a / d v, d a / d tau, each row-major
} ap_quantity;

/// A method that computes one quantity.
typedef struct ap_method {
  const char *name;  ///< unique among the methods of its quantity
  ap_quantity what;  ///< the quantity
  const char *about; ///< one line with its source
  const char *needs; ///< what a model must be for it ("revolute and prismatic joints"); NULL: any
} ap_method;

/// The i-th method, NULL past the last. The first of each quantity is the library's default.
AP_API const ap_method *ap_method_at(int i);
/// By name; name NULL gives the default of that quantity. NULL where there is none.
AP_API const ap_method *ap_find_method(ap_quantity what, const char *name);
/// Name of a quantity as on the command line ("inverse", "dforward", ...), never NULL.
AP_API const char *ap_quantity_name(ap_quantity what);
/// Name of an arithmetic as on the command line ("f64", ...), never NULL.
AP_API const char *ap_arithmetic_name(ap_arithmetic arithmetic);
/// Number of columns that a quantity reads for this model.
AP_API int ap_columns_in(const ap_model *m, ap_quantity what);
/// Number of columns that it writes; 0 for matrices with more entries than an int counts (inertia:
/// nv > 46340, derivatives: nv > 26754).
AP_API int ap_columns_out(const ap_model *m, ap_quantity what);

/// A work in one of the arithmetics.
typedef struct ap_study ap_study;
/// Bytes that ap_study_init() needs, whatever the alignment; 0 if this build lacks the arithmetic.
AP_API size_t ap_study_size(const ap_model *m, ap_arithmetic arithmetic);
/// Prepare mem for this model. NULL when size is too small or this build lacks the arithmetic.
AP_API ap_study *ap_study_init(const ap_model *m, ap_arithmetic arithmetic, void *mem, size_t size);
/// As ap_set_friction().
AP_API void ap_study_set_friction(ap_study *s, bool on);
/// As ap_set_gravity().
AP_API void ap_study_set_gravity(ap_study *s, const double gravity[3]);
/// Compute one state: in has ap_columns_in() numbers (q, then v, then a or tau), out
/// ap_columns_out(). count, where not NULL and the arithmetic is AP_COUNT, receives the operations
/// of this call. AP_E_SINGULAR leaves out untouched; AP_E_UNSUPPORTED: the method does not cover
/// this model.
AP_API ap_status ap_study_eval(ap_study *s, const ap_method *method, const double *in, double *out,
                               ap_count *count);

/// The regressor in this arithmetic: in is q, v, a, and K is as ap_regressor() has it; count as in
/// ap_study_eval().
AP_API void ap_study_regressor(ap_study *s, const double *in, double *K, ap_count *count);

#ifdef __cplusplus
}
#endif

#endif
