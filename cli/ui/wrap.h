/// @file wrap.h
/// Sentences broken into lines.

#ifndef CLI_WRAP_H
#define CLI_WRAP_H

#include "ui/output.h"

/// Characters that fit into a line: the width of the terminal that is standard output, 100 where
/// that is wider or there is none.
int cli_line_width(void);
/// Print text in lines of at most width characters. The first begins with lead, the others with as
/// many blanks. A word that is longer than a line gets one of its own.
void cli_wrap(cli_out *out, int width, const char *lead, const char *text);

#endif
