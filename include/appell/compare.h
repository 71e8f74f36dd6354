// SPDX-License-Identifier: Apache-2.0
/// @file compare.h
/// Every method of a model on the same random states: operations, time, single-precision error.
///
/// What is tried depends on the model alone, never on a clock: a method whose cost grows with the
/// square or the cube of the degrees of freedom is left out of models beyond a limit. Times are
/// taken in turns, a batch of one method after a batch of another, so that a processor that changes
/// its clock does so for all of them.

#ifndef APPELL_COMPARE_H
#define APPELL_COMPARE_H

#include <appell/research.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One method and what was found about it.
typedef struct ap_trial {
  const ap_method *method; ///< which one
  ap_status status;        ///< AP_OK, or why there is no result in double precision
  int most;                ///< not 0: not tried, because the model has more degrees of freedom
  ap_count count;          ///< operations of one evaluation
  double once;             ///< ns of a single evaluation
  double ns;               ///< of an evaluation: median over the batches
  double error;            ///< in single precision: max |f32 - exact| / max |exact| over the states
  int failed;              ///< states without a finite result in single precision
} ap_trial;

/// What to compare. Start from ap_default_compare().
typedef struct ap_compare_options {
  const ap_quantity *what; ///< default inverse, bias, inertia, forward
  int quantities;          ///< how many these are
  const double *gravity;   ///< NULL: the model's own
  uint64_t seed;           ///< of the random states; default 1
  int states;              ///< default 0: as many as the size of the model allows, 100 at most
  /// Where not NULL, called before every step with the part that is done, from 0 to 1, and what
  /// the step is.
  void (*progress)(void *context, double done, const char *step);
  void *context;   ///< for progress
  unsigned cookie; ///< ap_default_compare() sets it
} ap_compare_options;
/// The defaults named above.
AP_API ap_compare_options ap_default_compare(void);

/// What came out.
typedef struct ap_comparison {
  ap_trial *trial;     ///< by quantity, in the order of what; the first of each is the default
  int trials;          ///< how many there are
  int states;          ///< random states
  int rounds;          ///< batches of each method that were timed
  ap_arithmetic exact; ///< what errors are taken against: AP_F128, or AP_F64 where there is none
} ap_comparison;

/// Compare the methods of a model, for some seconds. AP_E_MODEL where nothing moves,
/// AP_E_UNSUPPORTED where the model is too large or no method can be run. Fills *c, which
/// ap_comparison_free() frees after success.
/// options may be NULL: the defaults.
AP_API ap_status ap_compare(const ap_model *m, const ap_compare_options *options, ap_comparison *c,
                            ap_error *error);
/// Free what a comparison holds.
AP_API void ap_comparison_free(ap_comparison *c);
/// Whether the method was run. If not, the reason is written to why (size bytes).
AP_API bool ap_trial_was_run(const ap_trial *trial, char *why, size_t size);

#ifdef __cplusplus
}
#endif

#endif
