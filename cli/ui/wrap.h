// SPDX-License-Identifier: Apache-2.0
/// @file wrap.h
/// Sentences broken into lines.

#ifndef CLI_WRAP_H
#define CLI_WRAP_H

#include "ui/output.h"

/// Characters that fit into a line of standard output: what COLUMNS says, or its terminal; INT_MAX
/// where there is neither, so that what a program reads does not depend on a window.
int cli_terminal_width(void);
/// The same for sentences, which are easier to read in lines of at most 100 characters.
int cli_line_width(void);
/// The same for help: at most 80.
int cli_help_width(void);
/// Print text in lines of at most width characters. The first begins with lead, the others with as
/// many blanks. A word that is longer than a line gets one of its own.
void cli_wrap(cli_out *out, int width, const char *lead, const char *text);
/// Print a text of paragraphs: lines that start with a blank stay as they are, those between them
/// are filled up to width.
void cli_wrap_text(cli_out *out, int width, const char *text);

#endif
