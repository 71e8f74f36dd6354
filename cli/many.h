/// @file many.h
/// One quantity of many states at once, by the library's lanes: the bits of one state after the
/// other, sooner.

#ifndef CLI_MANY_H
#define CLI_MANY_H

#include <appell/research.h>

/// What is to be computed: a job of stream.h that takes a default method in f64 or f32.
typedef struct cli_many_job {
  const ap_model *model;
  ap_quantity what;
  bool friction;
  const double *gravity; ///< NULL: the model's own
  size_t most;           ///< states at once
} cli_many_job;

typedef struct cli_many cli_many;

/// One arithmetic.
typedef struct cli_many_kind {
  /// NULL: no memory.
  cli_many *(*open)(const cli_many_job *job);
  void (*close)(cli_many *m);
  /// n states, rows of ap_columns_in() numbers, into rows of ap_columns_out() in out; status[k] is
  /// AP_OK, or why row k of out is what it was.
  void (*run)(cli_many *m, size_t n, const double *in, double *out, ap_status *status);
} cli_many_kind;

extern const cli_many_kind cli_many_f64, cli_many_f32;

/// Whether there are lanes for a quantity.
static inline bool cli_many_can(ap_quantity what) { return what != AP_ENERGY; }

#endif
