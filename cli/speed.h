/// @file speed.h
/// How fast a model's dynamics are on one core, in every way there is: the general library, code
/// generated for the model, many states at once, and the peers that are built in.
///
/// All of them get the same random states and give the same values, or there is no result. Times
/// are taken in turns, a short sample of each way after the other, so that what disturbs one
/// disturbs all.

#ifndef CLI_SPEED_H
#define CLI_SPEED_H

#include <appell/model.h>

#include "peer.h"

/// One way of computing one thing.
typedef struct cli_speed {
  cli_what what;
  const char *path;    ///< "general", "generated", "batch", "kdl", "mujoco"
  const char *real;    ///< "f64" or "f32"
  double ns, p10, p90; ///< per state: median, first and last decile of the samples
} cli_speed;

/// What to measure, and what came out. Set what stands before the blank line.
typedef struct cli_speeds {
  const ap_model *model;
  const char *name;  ///< for messages
  double seconds;    ///< for each way
  bool no_generated; ///< leave out what has to be compiled first

  cli_speed *row; ///< by what
  int rows;
  char note[400]; ///< why something is missing; empty: nothing is
} cli_speeds;

/// Name of what is measured as in the results.
const char *cli_what_name(cli_what what);
/// Stay on one core from now on, where the system can do that.
void cli_speed_pin(void);
/// Measure; reports what is wrong (values that differ) and returns a status other than CLI_OK. Free
/// the rows in either case.
int cli_speeds_run(cli_speeds *s);
void cli_speeds_free(cli_speeds *s);

#endif
