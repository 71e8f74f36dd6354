// SPDX-License-Identifier: Apache-2.0
#include "ui/message.h"

#include <appell/json.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/progress.h"

enum { LINE_BYTES = 8192, PLACE_BYTES = 4200, WORD_BYTES = 64 };

static const char bold_red[] = "\033[1;31m", bold_yellow[] = "\033[1;33m", normal[] = "\033[0m";

bool cli_colour(FILE *stream) {
  const char *no = getenv("NO_COLOR");
  const char *term = getenv("TERM");
  if (no && no[0]) return false;
  if (!term || strcmp(term, "dumb") == 0) return false;
  return isatty(fileno(stream)) == 1;
}

char *cli_plain(const char *text, char *out, size_t size) {
  size_t n = 0;
  for (size_t length; *text; text += length) {
    length = ap_utf8_length(text);
    if (length == 0) length = 1;
    if (n + length >= size) break;
    if (ap_is_control(text)) {
      out[n++] = '?';
    } else {
      memcpy(out + n, text, length);
      n += length;
    }
  }
  out[n] = 0;
  return out;
}

// "FILE:LINE: ", "FILE: " or nothing.
static void place_text(const char *file, int line, char *out, size_t size) {
  out[0] = 0;
  if (!file) return;
  if (line > 0)
    snprintf(out, size, "%.4096s:%d: ", file, line);
  else
    snprintf(out, size, "%.4096s: ", file);
}

// One write for the whole line: lines of processes that share a terminal or a log stay whole.
static void say(const char *file, int line, const char *kind, const char *colour,
                const char *text) {
  char place[PLACE_BYTES], raw[LINE_BYTES], plain[LINE_BYTES], whole[LINE_BYTES + 64];
  place_text(file, line, place, sizeof place);
  snprintf(raw, sizeof raw, "%s%s%s", place, kind, text);
  cli_plain(raw, plain, sizeof plain);
  const bool colours = cli_colour(stderr);
  cli_progress_hide();
  int n = snprintf(whole, sizeof whole, "%sappell:%s %s\n", colours ? colour : "",
                   colours ? normal : "", plain);
  if (n < 0 || write(STDERR_FILENO, whole, (size_t)n) < 0) return; // nobody is left to be told
}

int cli_fail(int status, const char *file, int line, const char *format, ...) {
  char text[LINE_BYTES - PLACE_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  say(file, line, "", bold_red, text);
  return status;
}

int cli_usage(const char *verb, const char *format, ...) {
  char text[LINE_BYTES - PLACE_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return cli_fail(CLI_BAD, NULL, 0, "%s (try 'appell %s%s--help')", text, verb ? verb : "",
                  verb ? " " : "");
}

static int fail_error(int status, const char *file, const ap_error *error) {
  const char *text = error->text[0] ? error->text : ap_status_text(error->status);
  return cli_fail(status, file, error->line, "%s", text);
}

int cli_fail_input(const char *file, const ap_error *error) {
  return fail_error(error->status == AP_E_MEMORY ? CLI_FAILED : CLI_BAD, file, error);
}

int cli_fail_output(const char *file, const ap_error *error) {
  return fail_error(error->status == AP_E_ARG ? CLI_BAD : CLI_FAILED, file, error);
}

int cli_no_memory(void) { return cli_fail(CLI_FAILED, NULL, 0, "not enough memory"); }

void cli_warn(const char *file, int line, const char *text) {
  say(file, line, "warning: ", bold_yellow, text);
}

static size_t smallest(size_t a, size_t b, size_t c) {
  size_t least = a < b ? a : b;
  return least < c ? least : c;
}

// Edits (insert, delete, replace, exchange of neighbours) that turn a into b: three rows of the
// usual table. Long words are cut, they are no slips of the finger.
static size_t distance(const char *a, const char *b) {
  size_t rows[3][WORD_BYTES + 1];
  const size_t na = strnlen(a, WORD_BYTES), nb = strnlen(b, WORD_BYTES);
  for (size_t j = 0; j <= nb; j++) rows[0][j] = j;
  for (size_t i = 1; i <= na; i++) {
    size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= nb; j++) {
      size_t same = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = smallest(row[j - 1] + 1, above[j] + 1, above[j - 1] + same);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = smallest(row[j], before[j - 2] + 1, row[j]);
    }
  }
  return rows[na % 3][nb];
}

void cli_nearest_offer(cli_nearest *nearest, const char *candidate) {
  // A word cut short ("inv", "puma") is meant for what it begins.
  const size_t length = strlen(nearest->word);
  const bool begins = length > 1 && strncmp(candidate, nearest->word, length) == 0;
  const size_t d = begins ? 1 : distance(nearest->word, candidate);
  if (!nearest->best || d < nearest->distance) {
    nearest->best = candidate;
    nearest->distance = d;
  }
}

const char *cli_nearest_name(const cli_nearest *nearest) {
  const size_t length = strlen(nearest->word);
  if (!nearest->best || length < 2) return NULL;
  return nearest->distance <= 1 + length / 4 ? nearest->best : NULL;
}

void cli_choice_offer(cli_choice *choice, const char *name) {
  cli_nearest_offer(&choice->nearest, name);
  if (choice->used >= sizeof choice->names) return;
  choice->used +=
      (size_t)snprintf(choice->names + choice->used, sizeof choice->names - choice->used, "%s%s",
                       choice->used > 0 ? ", " : "", name);
}

int cli_unknown(const char *verb, const char *what, const cli_choice *choice) {
  const char *near = cli_nearest_name(&choice->nearest), *of = choice->of ? choice->of : "";
  if (near)
    return cli_usage(verb, "unknown %s '%s'; did you mean '%s'? There are %s%s", what,
                     choice->nearest.word, near, choice->names, of);
  return cli_usage(verb, "unknown %s '%s', one of %s%s is needed", what, choice->nearest.word,
                   choice->names, of);
}
