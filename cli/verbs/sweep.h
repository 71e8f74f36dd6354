// SPDX-License-Identifier: Apache-2.0
/// @file sweep.h
/// What the verb `sweep` prints.

#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include <appell/sweep.h>

/// The command that runs a trial again; its number goes behind it.
void sweep_command(const char *study, char *command, unsigned long size);
/// Print a summary: a table, or one JSON document.
int sweep_print(const ap_sweep_summary *summary, bool json);
/// Write the page of a summary.
int sweep_write_page(const ap_sweep_summary *summary, const char *path);
/// Print parameters and outcomes of one trial.
int sweep_print_trial(const ap_sweep *sweep, long long trial, const double *outcome, bool json);

#endif
