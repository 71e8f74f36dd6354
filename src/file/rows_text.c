// SPDX-License-Identifier: Apache-2.0
// Lines of numbers. Every byte is looked at once: a number ends where the next byte is none of it,
// a row where that is a newline.

#include <limits.h>
#include <math.h>
#include <string.h>

#include "file/number.h"
#include "file/robot.h"
#include "file/rows.h"

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_separator(char c) { return is_blank(c) || c == ',' || c == 0; }

static char *skip_blanks(char *s) {
  while (is_blank(*s)) s++;
  return s;
}

// Does the line end here? A return before the newline belongs to it.
static bool is_end(const char *s) { return *s == '\n' || (*s == '\r' && s[1] == '\n'); }

// ---- what is wrong -----------------------------------------------------------------------------

// A copy that can be shown of what stands there in place of a number.
static void show_token(const char *s, char shown[41]) {
  int n = 0;
  for (; n < 40 && !is_separator(s[n]); n++) shown[n] = s[n] > 0x20 && s[n] < 0x7f ? s[n] : '?';
  shown[n] = 0;
}

// Close the line with a zero and go behind it, for whoever says what is wrong with it.
static ap_status close_line(ap_rows_block *block, char *s, ap_error *error) {
  char *const end = block->bytes + block->length;
  char *newline = memchr(s, '\n', (size_t)(end - s));
  block->at = (size_t)(newline + 1 - block->bytes);
  if (newline > s && newline[-1] == '\r') newline--;
  *newline = 0;
  if (*s == '#' || !memchr(s, 0, (size_t)(newline - s))) return AP_OK;
  return AP__REFUSE(error, AP_E_SYNTAX, block->line,
                    "the line has a NUL byte (expected plain text)");
}

static ap_status refuse_token(ap_rows_block *block, char *s, ap__number kind, ap_error *error) {
  char shown[41];
  ap_status status = close_line(block, s, error);
  if (status) return status;
  show_token(s, shown);
  if (kind == AP__NUMBER_HUGE)
    return AP__REFUSE(error, AP_E_SYNTAX, block->line, "%s is beyond the range of a double", shown);
  if (!*shown)
    return AP__REFUSE(error, AP_E_SYNTAX, block->line,
                      "a comma without a number before it or after it (separate numbers by blanks "
                      "or single commas)");
  const bool names = block->first && block->line == 1 && strcmp(shown, "t") == 0;
  return AP__REFUSE(error, AP_E_SYNTAX, block->line, "\"%s\" is not a number (%s)", shown,
                    names ? "this looks like a log; states are lines of numbers without names"
                          : "expected a finite decimal number");
}

static ap_status refuse_count(ap_rows_block *block, int columns, int found, char *rest,
                              ap_error *error) {
  ap_status status = close_line(block, rest, error);
  if (status) return status;
  while (*rest) { // what comes after the last number that was wanted
    while (is_blank(*rest) || *rest == ',') rest++;
    if (*rest && found < INT_MAX) found++;
    while (!is_separator(*rest)) rest++;
  }
  return AP__REFUSE(error, AP_E_SYNTAX, block->line, "expected %d number%s%s, found %d", columns,
                    columns == 1 ? "" : "s", block->rows->describe, found);
}

// ---- lines -------------------------------------------------------------------------------------

// The next line that has something, from its first character that is not blank; NULL at the end of
// the block.
static char *next_text(ap_rows_block *block) {
  char *s = block->bytes + block->at, *const end = block->bytes + block->length;
  if (block->first && s == block->bytes && memcmp(s, "\xef\xbb\xbf", 3) == 0)
    s += 3; // byte order mark
  while (s < end) {
    if (block->line < INT_MAX) block->line++;
    s = skip_blanks(s);
    if (!is_end(s)) return s;
    s += *s == '\r' ? 2 : 1;
    block->at = (size_t)(s - block->bytes);
  }
  return NULL;
}

ap_status ap__text_line(ap_rows_block *block, const char **text, ap_error *error) {
  char *s = next_text(block);
  *text = s;
  return s ? close_line(block, s, error) : AP_OK;
}

// ---- rows --------------------------------------------------------------------------------------

// What %.17g writes for a double that is not finite.
static bool parse_any(const char *s, const char **end, double *x) {
  static const struct {
    const char *text;
    double value;
  } known[] = {{"nan", NAN}, {"-nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    const size_t length = strlen(known[k].text);
    if (strncmp(s, known[k].text, length) != 0) continue;
    *x = known[k].value, *end = s + length;
    return true;
  }
  return false;
}

// Exactly columns numbers in the line that s begins.
static ap_status read_row(ap_rows_block *block, char *s, int columns, double *row,
                          ap_error *error) {
  const char *limit = block->bytes + block->length + AP__ROWS_PAD;
  for (int found = 0; found < columns;) {
    const char *end;
    ap__number kind = ap__parse_double_within(s, limit, &end, &row[found]);
    if (kind != AP__NUMBER && block->rows->any && parse_any(s, &end, &row[found]))
      kind = AP__NUMBER;
    if (kind != AP__NUMBER || !(is_blank(*end) || *end == ',' || is_end(end)))
      return refuse_token(block, s, kind, error);
    s = skip_blanks(block->bytes + (end - block->bytes));
    found++;
    if (*s == ',') {
      s = skip_blanks(s + 1);
      if (is_end(s)) return refuse_token(block, s, AP__NO_NUMBER, error);
    } else if (is_end(s) && found < columns) {
      return refuse_count(block, columns, found, s, error);
    }
  }
  if (!is_end(s)) return refuse_count(block, columns, columns, s, error);
  block->at = (size_t)(s + (*s == '\r' ? 2 : 1) - block->bytes);
  return AP_OK;
}

ap_status ap__text_row(ap_rows_block *block, int columns, double *row, bool *found,
                       ap_error *error) {
  char *s = next_text(block);
  while (s && *s == '#') {
    close_line(block, s, NULL);
    s = next_text(block);
  }
  *found = s != NULL;
  return s ? read_row(block, s, columns, row, error) : AP_OK;
}
