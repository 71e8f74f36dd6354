/// @file course.h
/// The same states in one arithmetic, and passes over all of them: one state after the other, or
/// side by side. What a pass computes is in out, state by state (rows) or entry by entry (columns).

#ifndef CLI_COURSE_H
#define CLI_COURSE_H

#include <appell/codegen.h>

#include "peer.h"

/// Entries of a result of one state.
static inline size_t cli_what_size(cli_what what, size_t nv) {
  return what == CLI_INVERSE || what == CLI_FORWARD ? nv
         : what == CLI_INERTIA                      ? nv * nv
                                                    : 3 * nv * nv;
}

/// States in double precision, all of them in every array.
typedef struct cli_states {
  const ap_model *m;
  size_t n, nq, nv;
  double *q, *v, *a, *tau; ///< rows
} cli_states;

typedef struct cli_course cli_course;
typedef void cli_pass(cli_course *c, cli_what what);

/// One arithmetic.
typedef struct cli_course_kind {
  const char *real;
  double epsilon;
  /// NULL: no memory.
  cli_course *(*open)(const cli_states *s);
  void (*close)(cli_course *c);
  /// Whether general and generated passes keep the results of all states from now on. While they
  /// are timed each result overwrites the one before, as those of the peers do: for large matrices
  /// it would be the memory's time that is measured.
  void (*keep)(cli_course *c, bool on);
  /// Compile for the generated and the batch pass; AP_OK, or why it is not possible.
  ap_status (*compile)(cli_course *c, ap_error *error);
  /// Whether there is a generated function.
  bool (*is_generated)(const cli_course *c, cli_what what);
  cli_pass *general, *generated, *batch;
  /// The result of a state after a pass.
  void (*result)(const cli_course *c, cli_what what, bool columns, size_t state, double *to);
} cli_course_kind;

extern const cli_course_kind cli_course_f64, cli_course_f32;

#endif
