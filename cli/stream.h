/// @file stream.h
/// Many states through one method: rows of numbers in, lines of numbers out, in the same order.

#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include <appell/research.h>

#include "ui/output.h"

/// What is to be computed.
typedef struct cli_job {
  const ap_model *model;
  const ap_method *method;
  ap_arithmetic arithmetic;
  bool friction;
  const double *gravity;  ///< NULL: the model's own
  const char *model_path; ///< the robot file, or the name of a built-in model
  const char *path;       ///< the state file; "-" is standard input
} cli_job;

/// Compute every state of the file and write the results to out. On standard input the results of
/// the states so far are written whenever no more input is there at once. Lines of good states that
/// stand before a bad one are written; then the bad one is reported. A failed write to out only
/// ends the work early: cli_out_close() reports it.
int cli_stream(const cli_job *job, cli_out *out);

#endif
