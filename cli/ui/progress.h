// SPDX-License-Identifier: Apache-2.0
/// @file progress.h
/// How far long work is: one line at the foot of the terminal, on standard error.
///
/// Nothing is shown where standard error is no terminal, in the first moments of the work, or where
/// the user wants quiet. A message of report.h takes the line's place.

#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

#include "ui/message.h"

/// Some work on its way. Start with cli_progress_start().
typedef struct cli_progress {
  bool shows;
  double began, shown; ///< s
} cli_progress;

/// Work begins. quiet: show nothing.
void cli_progress_start(cli_progress *progress, bool quiet);
/// The work is done to this fraction, 0 to 1 (negative: nobody knows), and about this. Call it as
/// often as you like; it looks at the clock, and draws ten times a second at most.
void cli_progress_show(cli_progress *progress, double fraction, const char *format, ...)
    CLI_PRINTF(3, 4);
/// Step k of n, from 0, begins and may take long: drawn at once.
void cli_progress_step(cli_progress *progress, int k, int n, const char *format, ...)
    CLI_PRINTF(4, 5);
/// Remove the line, before something else is printed or because the work has ended.
void cli_progress_hide(void);

#endif
