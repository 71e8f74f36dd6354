// SPDX-License-Identifier: Apache-2.0
/// @file eval.h
/// A quantity of many states: of a tree by any method in any arithmetic, of a mechanism with closed
/// chains in double precision.
///
/// A state is one row of numbers, q, then v, then a or tau, as far as the quantity reads them; so
/// is its result. Of a mechanism these are its independent coordinates and the efforts of its
/// actuators. Each state is computed on its own: a result does not hang on the states before it.

#ifndef APPELL_EVAL_H
#define APPELL_EVAL_H

#include <appell/loop.h>
#include <appell/research.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What is to be computed.
typedef struct ap_eval_options {
  const ap_method *method;  ///< of ap_find_method(); of a mechanism its quantity alone counts
  ap_arithmetic arithmetic; ///< AP_F64, AP_F32 or AP_F128
  bool friction;            ///< with friction, damping, springs and rotor inertia
  const double *gravity;    ///< NULL: the model's own
  const char *branch;       ///< of a mechanism: how it is assembled; NULL: its own guess
} ap_eval_options;

/// A model or mechanism, and what is to be computed of it. For one thread.
typedef struct ap_eval ap_eval;

/// Prepare for a model; of a mechanism, which is NULL for a tree, m is its tree. AP_E_MODEL:
/// nothing moves; AP_E_UNSUPPORTED: not in this arithmetic, too large, or not possible with these
/// actuators and closures; AP_E_NOT_FOUND: no such branch; AP_E_MEMORY.
AP_API ap_status ap_eval_make(const ap_model *m, const ap_mechanism *mechanism,
                              const ap_eval_options *options, ap_eval **e, ap_error *error);
/// Free it; NULL is allowed.
AP_API void ap_eval_free(ap_eval *e);
/// @{
/// Numbers of a row.
AP_API int ap_eval_columns_in(const ap_eval *e);
AP_API int ap_eval_columns_out(const ap_eval *e);
/// @}
/// The most states that ap_eval_rows() takes at once.
AP_API int ap_eval_most(const ap_eval *e);
/// Compute n states. status[k] is AP_OK, or why row k of out is of no
/// use.
AP_API void ap_eval_rows(ap_eval *e, int n, const double *in, double *out, ap_status *status);
/// Write to text (size bytes) why the state in has no result but that status; returns text.
AP_API char *ap_eval_explain(ap_eval *e, const double *in, ap_status status, char *text,
                             size_t size);

#ifdef __cplusplus
}
#endif

#endif
