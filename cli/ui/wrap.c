#include "ui/wrap.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ui/table.h"

enum { WIDEST = 100, NARROWEST = 40, WORD_BYTES = 1024 };

int cli_line_width(void) {
  struct winsize size;
  if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return WIDEST;
  if (size.ws_col == 0 || size.ws_col > WIDEST) return WIDEST;
  return size.ws_col < NARROWEST ? NARROWEST : size.ws_col;
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
