// SPDX-License-Identifier: Apache-2.0
/// @file eval.h
/// Many states through one method: rows of numbers in, rows of numbers out, in the same order.

#ifndef CLI_EVAL_H
#define CLI_EVAL_H

#include <appell/eval.h>

#include "load.h"

/// What is to be computed.
typedef struct cli_job {
  const cli_model *model;
  ap_eval_options options;
  const char *path;   ///< the state file; "-" is standard input
  const char *output; ///< NULL: standard output
  bool shortest;      ///< numbers with the fewest digits that read back to the same
} cli_job;

/// Compute every state of the file and write the results. On standard input the results of the
/// states so far are written whenever no more input is there at once. Results of good states that
/// stand before a bad one are written to standard output; then the bad one is reported.
int cli_stream(const cli_job *job);

#endif
