/// @file mechanism.h
/// Mechanisms with closed chains: what `eval` and `info` do with them.

#ifndef CLI_MECHANISM_H
#define CLI_MECHANISM_H

#include <appell/research.h>

#include "ui/json.h"
#include "load.h"

/// What is to be computed of a mechanism.
typedef struct cli_mechanism_job {
  const cli_model *model;
  const char *branch; ///< name of one of its branches; NULL: its own guess
  ap_quantity what;
  bool friction;
  const double *gravity; ///< NULL: the mechanism's own
  const char *path;      ///< the state file; "-" is standard input
  const char *output;    ///< NULL: standard output
} cli_mechanism_job;

/// Compute every state of the file, each from the same first guess, so that a result does not
/// depend on the states before it.
int cli_mechanism_eval(const cli_mechanism_job *job);
/// That the closures, of that rank, leave another number of freedoms than there are coordinates.
/// Returns text.
const char *cli_mechanism_freedoms(const ap_mechanism *m, int rank, char *text, size_t size);

#endif
