/// @file trials.h
/// Every method of a model on the same random states: operations, time, single-precision error.
///
/// Operations and errors are found in child processes, because nobody knows beforehand how long a
/// method takes on a model: one evaluation that takes longer than CLI_TRIAL_SECONDS ends its child,
/// and what it had found so far is kept. Times are then taken in turns, a batch of one method after
/// a batch of another, so that a processor that changes its clock does so for all of them.

#ifndef CLI_TRIALS_H
#define CLI_TRIALS_H

#include <appell/research.h>
#include <stdint.h>

#include "report.h"

/// The longest that one evaluation may take, in seconds of processor time.
#define CLI_TRIAL_SECONDS 0.3

/// One method and what was found about it. The parts are found in this order, each only if those
/// before it were: once, count, error.
typedef struct cli_trial {
  const ap_method *method;
  ap_status status; ///< AP_OK, or why there is no result in double precision
  double once;      ///< ns of a single evaluation; 0: it takes too long
  bool counted;     ///< whether count is known; if not, counting takes too long
  ap_count count;
  bool judged;  ///< whether error is known; if not, the exact result or this one takes too long
  double error; ///< in single precision, largest over the states
  int failed;   ///< states without a finite result in single precision
  double ns;    ///< of an evaluation: median
} cli_trial;

/// What to try, and what came out. Set what stands before the blank line, the rest is filled in.
typedef struct cli_trials {
  const ap_model *model;
  const double *gravity; ///< NULL: the model's own
  const ap_quantity *what;
  int quantities;
  uint64_t seed;
  int states; ///< 0: as many as the size of the model allows

  cli_trial *trial; ///< by quantity, in the order of what
  int trials;
  ap_arithmetic exact; ///< what errors are taken against: AP_F128, or AP_F64 where there is none
  int rounds;          ///< batches of each method that were timed
} cli_trials;

/// Run everything; reports what is wrong and returns a status other than CLI_OK. Free the trials in
/// either case. Shows its progress where standard error is a terminal.
int cli_trials_run(cli_trials *t);
void cli_trials_free(cli_trials *t);

#endif
