// SPDX-License-Identifier: Apache-2.0
#include "ui/progress.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"

enum { BAR = 24, TEXT_BYTES = 256, NARROW = 60, WIDE = 512 };

static const double first_after = 0.3, again_after = 0.1; // s

// Whether the line is there: one terminal has one last line, whoever draws on it.
static bool drawn;

void cli_progress_start(cli_progress *p, bool quiet) {
  const double now = quiet || isatty(STDERR_FILENO) != 1 ? 0 : cli_clock();
  *p = (cli_progress){.shows = now > 0, .began = now};
}

static int terminal_width(void) {
  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col > WIDE ? WIDE : size.ws_col;
}

// What is left at the pace so far, where that can be told.
static void time_left(const cli_progress *p, double fraction, double now, char *out, size_t size) {
  const double spent = now - p->began, left = spent * (1 - fraction) / fraction;
  out[0] = 0;
  if (!(spent > 2 && fraction > 0.02 && left >= 1)) return;
  if (left < 100) snprintf(out, size, "  %.0f s left", left);
  if (left >= 100) snprintf(out, size, "  %.0f min left", ceil(left / 60));
}

static void draw(cli_progress *p, double fraction, double now, const char *text) {
  char bar[BAR + 1], left[32] = "", line[WIDE + 1], cut[WIDE + 1], whole[WIDE + 16];
  const int width = terminal_width();
  if (fraction >= 0) {
    const double part = fmin(fraction, 1);
    const int full = (int)(part * BAR);
    memset(bar, '#', (size_t)full);
    memset(bar + full, '.', (size_t)(BAR - full));
    bar[BAR] = 0;
    time_left(p, part, now, left, sizeof left);
    if (width >= NARROW)
      snprintf(line, sizeof line, "[%s] %3.0f %%  %s%s", bar, floor(100 * part), text, left);
    else
      snprintf(line, sizeof line, "%3.0f %%  %s", floor(100 * part), text);
  } else {
    snprintf(line, sizeof line, "%s", text);
  }
  cli_plain(line, cut, (size_t)width); // a line that wraps could not be removed
  const int n = snprintf(whole, sizeof whole, "\r%s\033[K", cut);
  p->shown = now;
  drawn = true;
  if (n < 0 || write(STDERR_FILENO, whole, (size_t)n) < 0) p->shows = false;
}

void cli_progress_show(cli_progress *p, double fraction, const char *format, ...) {
  if (!p->shows) return;
  const double now = cli_clock();
  if (now - p->began < first_after || now - p->shown < again_after) return;
  char raw[TEXT_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(raw, sizeof raw, format, arguments);
  va_end(arguments);
  draw(p, fraction, now, raw);
}

void cli_progress_step(cli_progress *p, int k, int n, const char *format, ...) {
  if (!p->shows) return;
  char raw[TEXT_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(raw, sizeof raw, format, arguments);
  va_end(arguments);
  draw(p, n > 0 ? (double)k / n : -1, cli_clock(), raw);
}

void cli_progress_hide(void) {
  if (!drawn) return;
  drawn = false;
  static const char removing[] = "\r\033[K";
  if (write(STDERR_FILENO, removing, sizeof removing - 1) < 0) return; // nobody is left to see it
}
