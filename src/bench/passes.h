// SPDX-License-Identifier: Apache-2.0
// The same states in one arithmetic, and passes over all of them: one state after the other, or
// side by side. What a pass computes is in out, state by state (rows) or entry by entry (columns).

#ifndef APPELL_BENCH_PASSES_H
#define APPELL_BENCH_PASSES_H

#include <appell/codegen.h>
#include <appell/research.h>

// Entries of a result of one state.
static inline size_t ap__result_size(ap_quantity what, size_t nv) {
  return what == AP_INVERSE || what == AP_FORWARD ? nv : what == AP_INERTIA ? nv * nv : 3 * nv * nv;
}

// States in double precision, all of them in every array.
typedef struct ap__states {
  const ap_model *m;
  size_t n, nq, nv;
  double *q, *v, *a, *tau; // rows
} ap__states;

typedef struct ap__passes ap__passes;
typedef void ap__pass(ap__passes *c, ap_quantity what);

// One arithmetic.
typedef struct ap__pass_kind {
  const char *real;
  double epsilon;
  // NULL: no memory.
  ap__passes *(*open)(const ap__states *s);
  void (*close)(ap__passes *c);
  // Whether general and generated passes keep the results of all states from now on. While they
  // are timed each result overwrites the one before, as those of the peers do: for large matrices
  // it would be the memory's time that is measured.
  void (*keep)(ap__passes *c, bool on);
  // Which states general and generated passes take from now on: all of them, if not this one.
  void (*choose)(ap__passes *c, size_t first, size_t count);
  // Compile for the generated and the batch pass; AP_OK, or why it is not possible.
  ap_status (*compile)(ap__passes *c, ap_error *error);
  ap__pass *general, *generated, *batch;
  // The result of a state after a pass.
  void (*result)(const ap__passes *c, ap_quantity what, bool columns, size_t state, double *to);
} ap__pass_kind;

extern const ap__pass_kind ap__passes_f64, ap__passes_f32;

#endif
