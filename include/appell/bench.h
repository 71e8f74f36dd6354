// SPDX-License-Identifier: Apache-2.0
/// @file bench.h
/// How fast a model's dynamics are on one core, in every way there is: the general library, code
/// generated for the model, many states at once, and other libraries that the caller names.
///
/// All of them get the same random states and give the same values, or there is no result. Times
/// are taken in turns, a short sample of each way after the other, so that what disturbs one
/// disturbs all. Calls in a loop are apart from that: between two of them a millisecond of
/// dependent integer multiplications, which use no vectors, so that the processor has put its wide
/// ones to sleep; a call is left out if the core was taken away since the one before.

#ifndef APPELL_BENCH_H
#define APPELL_BENCH_H

#include <appell/research.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Quantities that are measured: inverse, inertia, forward, and the derivatives of inverse and of
/// forward dynamics.
enum { AP_BENCH_QUANTITIES = 5 };
/// The k-th of them.
AP_API ap_quantity ap_bench_quantity(int k);
/// Its name in results: "inverse", "d-forward", ...
AP_API const char *ap_bench_name(ap_quantity what);

/// Another library with the robot in it.
typedef struct ap_peer {
  const char *name;  ///< the path of its rows
  unsigned computes; ///< bit 1u << what of every quantity that it computes
  void *own;         ///< what it works with; NULL: it does not take this robot
  /// Compute one quantity of a state; x is a, or tau for forward dynamics. out may be NULL: then
  /// the result stays where the library leaves it. Derivatives are by q, by v, by x.
  void (*run)(void *own, ap_quantity what, const double *q, const double *v, const double *x,
              double *out);
} ap_peer;

/// How to measure. Start from ap_default_bench().
typedef struct ap_bench_options {
  double seconds;         ///< for each way of computing one quantity; default 0.25
  bool no_generated;      ///< leave out what has to be compiled first
  double most_operations; ///< code with more multiplications and additions is not compiled;
                          ///< default INFINITY
  const ap_peer *peer;    ///< other libraries
  int peers;              ///< how many, 8 at most
  unsigned cookie;        ///< ap_default_bench() sets it
} ap_bench_options;
/// The defaults named above.
AP_API ap_bench_options ap_default_bench(void);

/// One way of computing one quantity.
typedef struct ap_bench_row {
  ap_quantity what; ///< what is computed
  const char *path; ///< "general", "generated", "batch" (per state), or the name of a peer
  const char *real; ///< "f64" or "f32"
  double ns;        ///< of one state: median of the samples
  double p10;       ///< and their first decile
  double p90;       ///< and their last decile
  double loop;      ///< ns of a single call after a millisecond of other work, as in a control
                    ///< loop: median; 0: a batch
} ap_bench_row;

/// What came out.
typedef struct ap_bench {
  ap_bench_row *row;                      ///< by quantity
  int rows;                               ///< how many there are
  double operations[AP_BENCH_QUANTITIES]; ///< of generated code; 0: not known
  bool too_many;                          ///< together more than most_operations
  char note[400];                         ///< why code could not be compiled; empty: nothing failed
} ap_bench;

/// Measure. AP_E_MODEL where nothing moves, AP_E_NO_CONVERGENCE where a way gives other values than
/// the library. Fills *b, which ap_bench_free() frees after success.
/// options may be NULL: the defaults.
AP_API ap_status ap_bench_run(const ap_model *m, const ap_bench_options *options, ap_bench *b,
                              ap_error *error);
/// Free what a result holds.
AP_API void ap_bench_free(ap_bench *b);
/// The row of a quantity; NULL: none.
AP_API const ap_bench_row *ap_bench_find(const ap_bench *b, ap_quantity what, const char *path,
                                         const char *real);

/// Keep the calling thread on the core that it runs on, where the system can do that: times are
/// steadier.
AP_API void ap_bench_pin(void);
/// Multiplications and additions per ns of one core in double precision, in the widest vectors of
/// this processor, each rounded (not fused), as ours are; measured in a fraction of a second.
AP_API double ap_bench_peak(void);
/// A chain of n slender links on revolute joints, each turned against the one before about two
/// axes, so that nothing is planar: to see how times grow. Freed by ap_model_free(); NULL: no
/// memory.
AP_API ap_model *ap_bench_chain(int n);

#ifdef __cplusplus
}
#endif

#endif
