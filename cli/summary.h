// SPDX-License-Identifier: Apache-2.0
/// @file summary.h
/// What is said of a run at its end: its impacts, and where its energy went.

#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <appell/run.h>

#include "ui/output.h"

enum { CLI_EVENT_KINDS = AP_EVENT_HALT + 1, CLI_MARGINS = 16 };

/// One touch of an impact.
typedef struct cli_impact {
  int number, point, wall;
  int joint; ///< its place in v; -1: a point at a wall
  double t, impulse, angle, lost;
  double speed; ///< before the impact
  double jump;  ///< change of the velocity along the normal: (1 + e) times what it was before
} cli_impact;

/// What the end of a run has to tell. Start with {.scenario = ...}, note all events and rows, fill
/// in the rest.
typedef struct cli_summary {
  const ap_scenario *scenario;
  const char *log;             ///< the log's name; NULL: none
  long count[CLI_EVENT_KINDS]; ///< of events, by kind; those at the same moment are one
  long last[CLI_EVENT_KINDS];  ///< number of the last event of a kind
  cli_impact *impact;
  long impacts, room;
  bool no_memory;
  long rows;          ///< output times
  double start;       ///< s
  double planned;     ///< s: where the run is to end
  double energy;      ///< J, all of it at the start
  ap_sim_state state; ///< at the last row; what it points to is not used
  double closing;     ///< J: the largest closing error at an output time
  double closure;     ///< m or rad: the largest error of a closure at an output time
  ap_friction_margin friction[CLI_MARGINS]; ///< at the end, of the first links that have one,
  int frictions;                            ///< and how many have
  long evaluations;
  double seconds; ///< that the run took, by the clock
} cli_summary;

/// Note an event: an ap_run_tell.
void cli_summary_note(void *summary, const ap_logged_event *event, const ap_event *touch);
void cli_summary_row(cli_summary *summary, const ap_sim_state *state);
/// Print it, as tables or as one JSON document: CLI_OK, or CLI_FAILED after saying why.
int cli_summary_print(const cli_summary *summary, bool json);
void cli_summary_free(cli_summary *summary);
/// The last line of a summary: the command that makes a page of the log; NULL: no log, no line.
void cli_summary_report(cli_out *out, const char *log);

#endif
