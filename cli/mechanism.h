/// @file mechanism.h
/// The built-in mechanisms with closed chains: what `eval` and `info` do with them.

#ifndef CLI_MECHANISM_H
#define CLI_MECHANISM_H

#include <appell/research.h>

#include "report.h"

/// What is to be computed of a mechanism.
typedef struct cli_mechanism_job {
  const char *name;   ///< of the built-in mechanism
  const char *branch; ///< a sign for each limb; NULL: its own
  ap_quantity what;
  bool friction;
  const double *gravity; ///< NULL: the mechanism's own
  const char *path;      ///< the state file; "-" is standard input
  const char *output;    ///< NULL: standard output
} cli_mechanism_job;

/// Whether a MODEL argument is the name of a built-in mechanism.
bool cli_is_mechanism(const char *name);
/// Compute every state of the file, each from the same first guess, so that a result does not
/// depend on the states before it.
int cli_mechanism_eval(const cli_mechanism_job *job);
/// Show coordinates, actuators and closures.
int cli_mechanism_info(const char *name, bool json);

#endif
