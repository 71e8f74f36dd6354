// SPDX-License-Identifier: Apache-2.0
#include "ui/wrap.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ui/table.h"

enum { WIDEST = 100, HELP_WIDTH = 80, NARROWEST = 40, WORD_BYTES = 1024, PARAGRAPH_BYTES = 4096 };

int cli_terminal_width(void) {
  const char *columns = getenv("COLUMNS");
  struct winsize size;
  long width = columns ? strtol(columns, NULL, 10) : 0;
  if (width <= 0 && isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    width = size.ws_col;
  if (width <= 0 || width > INT_MAX) return INT_MAX;
  return width < NARROWEST ? NARROWEST : (int)width;
}

int cli_line_width(void) {
  const int width = cli_terminal_width();
  return width < WIDEST ? width : WIDEST;
}

int cli_help_width(void) {
  const int width = cli_line_width();
  return width < HELP_WIDTH ? width : HELP_WIDTH;
}

void cli_wrap(cli_out *out, int width, const char *lead, const char *text) {
  const int indent = cli_width(lead);
  int column = indent;
  bool first = true;
  cli_out_printf(out, "%s", lead);
  for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
    const size_t length = strcspn(text, " \n");
    char word[WORD_BYTES], plain[WORD_BYTES];
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    const int wide = cli_width(cli_plain(word, plain, sizeof plain));
    if (first) {
      cli_out_printf(out, "%s", plain);
    } else if (column + 1 + wide <= width) {
      cli_out_printf(out, " %s", plain);
      column++;
    } else {
      cli_out_printf(out, "\n%*s%s", indent, "", plain);
      column = indent;
    }
    column += wide;
    first = false;
    text += length;
  }
  cli_out_printf(out, "\n");
}

// Bytes of the lines at text that belong to one paragraph.
static size_t paragraph(const char *text) {
  size_t n = 0;
  while (text[n] && text[n] != '\n' && (n == 0 || text[n] != ' ')) {
    n += strcspn(text + n, "\n");
    n += text[n] == '\n';
  }
  return n;
}

void cli_wrap_text(cli_out *out, int width, const char *text) {
  while (*text) {
    char filled[PARAGRAPH_BYTES];
    const bool fixed = *text == ' ' || *text == '\n';
    const size_t n = fixed ? strcspn(text, "\n") + 1 : paragraph(text);
    snprintf(filled, sizeof filled, "%.*s", (int)n, text);
    if (fixed)
      cli_out_printf(out, "%s", filled);
    else
      cli_wrap(out, width, "", filled);
    text += n;
  }
}
