// SPDX-License-Identifier: Apache-2.0
// What an evaluation is made of.

#ifndef APPELL_EVAL_EVAL_H
#define APPELL_EVAL_EVAL_H

#include <appell/eval.h>

// Many states at once by the library's batches: the bits of one state after the other, sooner.
typedef struct ap__batch_eval ap__batch_eval;

// One arithmetic.
typedef struct ap__batch_kind {
  // NULL: no memory.
  ap__batch_eval *(*open)(const ap_model *m, const ap_eval_options *o, size_t most);
  void (*close)(ap__batch_eval *b);
  void (*run)(ap__batch_eval *b, size_t n, const double *in, double *out, ap_status *status);
} ap__batch_kind;

extern const ap__batch_kind ap__batch_eval_f64, ap__batch_eval_f32;

struct ap_eval {
  const ap_model *m;
  ap_eval_options o;
  double gravity[3]; // where the options have one
  int in, out;       // columns
  int most;          // states at once
  void *memory;
  ap_study *study;            // of a tree
  const ap__batch_kind *kind; // of its batch
  ap__batch_eval *batch;      // NULL: one state after the other
  const ap_mechanism *mechanism;
  ap_loop *loop; // of a mechanism
  double *zero;  // n of them, then room for a result
};

// A mechanism: prepare, compute a state, say why it has no result.
ap_status ap__eval_open_mechanism(ap_eval *e, ap_error *error);
ap_status ap__eval_mechanism(ap_eval *e, const double *in, double *out);
void ap__eval_explain_mechanism(ap_eval *e, const double *in, ap_status status, char *text,
                                size_t size);

#endif
