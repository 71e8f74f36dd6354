/// @file trials.h
/// Every method of a model on the same random states: operations, time, single-precision error.
///
/// What is tried depends on the model alone, never on a clock: a method whose cost grows with the
/// square or the cube of the degrees of freedom is left out of models beyond a limit. Times are
/// taken in turns, a batch of one method after a batch of another, so that a processor that changes
/// its clock does so for all of them.

#ifndef CLI_TRIALS_H
#define CLI_TRIALS_H

#include <appell/research.h>
#include <stdint.h>

#include "ui/message.h"

/// The most degrees of freedom: of a model, because matrices of more rows take gigabytes; for
/// methods that fill an inertia matrix; for those that factorise one, or build it from factors.
enum { CLI_MOST_VELOCITIES = 4000, CLI_MOST_FILLED = 1000, CLI_MOST_FACTORISED = 500 };

/// One method and what was found about it.
typedef struct cli_trial {
  const ap_method *method;
  ap_status status; ///< AP_OK, or why there is no result in double precision
  int most;         ///< not 0: not tried, because the model has more degrees of freedom
  double once;      ///< ns of a single evaluation
  ap_count count;
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
