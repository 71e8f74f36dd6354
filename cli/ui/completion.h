// SPDX-License-Identifier: Apache-2.0
/// @file completion.h
/// Completion of the command line by a shell, written from the table of verbs.

#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "ui/output.h"

/// The script for bash.
void cli_completion_bash(cli_out *out);

#endif
