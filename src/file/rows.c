// SPDX-License-Identifier: Apache-2.0
// State files: rows of numbers. A million lines of 18 numbers take about a second, so the reader
// has its own buffer and looks at every byte twice at most: once for the end of the line, once to
// read.

#include "file/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/number.h"
#include "file/robot.h"
#include "file/text.h"

enum {
  FIRST_BYTES = 1 << 18,
  MAX_LINE = 64 << 20 // a row of more than a million numbers: a mistake
};

struct ap_rows {
  char *buffer; // capacity bytes and one more, for a closing zero
  size_t capacity;
  size_t begin, end; // what is read and not yet handed out
  size_t searched;   // no newline from begin up to here
  int file;          // -1: nothing more to come
  bool close;        // the file is ours
  int line;          // of the row read last
  bool cut;          // it has no newline
  long long size;    // bytes of the file from where it was opened; 0: not known
  long long taken;   // bytes read
  char describe[64]; // what a row holds, for messages
  bool any;          // nan, inf and -inf are numbers too
  ap_log_reader *h5; // where the file is HDF5, its log,
  ap__text names;    // and the names of its columns
};

// ---- open and close ----------------------------------------------------------------------------

static ap_rows *rows_new(size_t capacity) {
  ap_rows *rows = calloc(1, sizeof *rows);
  if (!rows) return NULL;
  rows->buffer = malloc(capacity + 1);
  rows->capacity = capacity;
  rows->file = -1;
  if (rows->buffer) return rows;
  free(rows);
  return NULL;
}

// Bytes of a file up to its end; 0 where it has none to tell.
static long long bytes_to_come(int file) {
  struct stat info;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
  off_t at = lseek(file, 0, SEEK_CUR);
  return at >= 0 && at < info.st_size ? (long long)(info.st_size - at) : 0;
}

static bool is_h5(int file) {
  static const char signature[8] = "\x89HDF\r\n\x1a\n";
  char begin[sizeof signature];
  return pread(file, begin, sizeof begin, 0) == (ssize_t)sizeof begin &&
         memcmp(begin, signature, sizeof begin) == 0;
}

static ap_status open_h5(ap_rows *rows, const char *path, ap_error *error) {
  ap_status status = ap_log_open(path, &rows->h5, error);
  if (status) return status;
  const ap_log_about *about = ap_log_describe(rows->h5);
  for (int k = 0; k < about->columns; k++)
    ap__text_add(&rows->names, "%s%s", k > 0 ? "," : "", about->column[k].name);
  rows->size = 0; // who reads it is not told how far it is
  return rows->names.failed ? ap__no_memory(error) : AP_OK;
}

ap_status ap_rows_open(const char *path, ap_rows **rows, ap_error *error) {
  *rows = NULL;
  bool own = strcmp(path, "-") != 0;
  int file = own ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  int code = errno;
  if (file < 0) return ap__refuse_file(error, "open the file", code);
  ap_rows *made = rows_new(FIRST_BYTES);
  if (!made) {
    if (own) close(file);
    return ap__no_memory(error);
  }
  made->file = file;
  made->size = bytes_to_come(file);
  made->close = own;
  ap_status status = own && is_h5(file) ? open_h5(made, path, error) : AP_OK;
  if (status)
    ap_rows_close(made);
  else
    *rows = made;
  return status;
}

ap_status ap__rows_memory(const char *text, size_t length, ap_rows **rows, ap_error *error) {
  *rows = rows_new(length);
  if (!*rows) return ap__no_memory(error);
  memcpy((*rows)->buffer, text, length);
  (*rows)->end = length;
  (*rows)->size = (*rows)->taken = (long long)length;
  return AP_OK;
}

void ap_rows_close(ap_rows *rows) {
  if (!rows) return;
  ap_log_close(rows->h5);
  ap__text_free(&rows->names);
  if (rows->close && rows->file >= 0) close(rows->file);
  free(rows->buffer);
  free(rows);
}

void ap_rows_describe(ap_rows *rows, const char *what) {
  snprintf(rows->describe, sizeof rows->describe, " (%.*s)", ap__shown(what), what);
}

int ap_rows_line(const ap_rows *rows) { return rows->line; }
void ap__rows_allow_any(ap_rows *rows) { rows->any = true; }

bool ap__rows_cut(const ap_rows *rows) { return rows->cut; }
double ap_rows_fraction(const ap_rows *rows) {
  if (rows->size == 0) return -1;
  double handed_out = (double)rows->taken - (double)(rows->end - rows->begin);
  return handed_out < (double)rows->size ? handed_out / (double)rows->size : 1; // a file may grow
}

// ---- lines -------------------------------------------------------------------------------------

// Move what is left to the front, make room, read on. At the end of the file, file becomes -1.
static ap_status fill(ap_rows *rows, ap_error *error) {
  size_t left = rows->end - rows->begin;
  memmove(rows->buffer, rows->buffer + rows->begin, left);
  rows->searched -= rows->begin;
  rows->begin = 0;
  rows->end = left;
  if (left == rows->capacity) {
    if (left >= MAX_LINE)
      return AP__REFUSE(error, AP_E_SYNTAX, rows->line + 1, "the line is longer than %d MiB",
                        MAX_LINE >> 20);
    char *larger = realloc(rows->buffer, 2 * rows->capacity + 1);
    if (!larger) return ap__no_memory(error);
    rows->buffer = larger;
    rows->capacity *= 2;
  }
  ssize_t n;
  do n = read(rows->file, rows->buffer + left, rows->capacity - left);
  while (n < 0 && errno == EINTR);
  if (n < 0) return ap__refuse_file(error, "read the file", errno);
  rows->end += (size_t)n;
  rows->taken += n;
  if (n > 0) return AP_OK;
  if (rows->close) close(rows->file);
  rows->file = -1;
  return AP_OK;
}

// The next line, closed by a zero in place of its newline; NULL at the end of the file.
static ap_status next_line(ap_rows *rows, char **line, size_t *length, ap_error *error) {
  char *newline;
  for (;;) {
    size_t fresh = rows->end - rows->searched;
    newline = fresh ? memchr(rows->buffer + rows->searched, '\n', fresh) : NULL;
    if (newline || rows->file < 0) break;
    rows->searched = rows->end;
    ap_status status = fill(rows, error);
    if (status) return status;
  }
  *line = rows->buffer + rows->begin;
  *length = newline ? (size_t)(newline - *line) : rows->end - rows->begin;
  if (!newline && *length == 0) {
    *line = NULL;
    return AP_OK;
  }
  (*line)[*length] = 0;
  rows->cut = !newline;
  rows->begin += *length + (newline != NULL);
  rows->searched = rows->begin;
  if (rows->line < INT_MAX) rows->line++;
  return AP_OK;
}

// ---- rows --------------------------------------------------------------------------------------

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_separator(char c) { return is_blank(c) || c == ',' || c == 0; }

static const char *skip_blanks(const char *s) {
  while (is_blank(*s)) s++;
  return s;
}

// The length of what stands there in place of a number, and a copy that can be shown.
static void show_token(const char *s, char shown[41]) {
  int n = 0;
  for (; n < 40 && !is_separator(s[n]); n++) shown[n] = s[n] > 0x20 && s[n] < 0x7f ? s[n] : '?';
  shown[n] = 0;
}

static ap_status refuse_token(const ap_rows *rows, const char *s, ap__number kind,
                              ap_error *error) {
  char shown[41];
  show_token(s, shown);
  if (kind == AP__NUMBER_HUGE)
    return AP__REFUSE(error, AP_E_SYNTAX, rows->line, "%s is beyond the range of a double", shown);
  if (!*shown)
    return AP__REFUSE(error, AP_E_SYNTAX, rows->line,
                      "a comma without a number before it or after it (separate numbers by blanks "
                      "or single commas)");
  const bool names = rows->line == 1 && strcmp(shown, "t") == 0;
  return AP__REFUSE(error, AP_E_SYNTAX, rows->line, "\"%s\" is not a number (%s)", shown,
                    names ? "this looks like a log; states are lines of numbers without names"
                          : "expected a finite decimal number");
}

static ap_status refuse_count(const ap_rows *rows, int columns, int found, const char *rest,
                              ap_error *error) {
  while (*rest) { // what comes after the last number that was wanted
    while (is_blank(*rest) || *rest == ',') rest++;
    if (*rest && found < INT_MAX) found++;
    while (!is_separator(*rest)) rest++;
  }
  return AP__REFUSE(error, AP_E_SYNTAX, rows->line, "expected %d number%s%s, found %d", columns,
                    columns == 1 ? "" : "s", rows->describe, found);
}

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

// Exactly columns numbers in a line that has something.
static ap_status read_row(const ap_rows *rows, const char *s, int columns, double *row,
                          ap_error *error) {
  for (int found = 0;;) {
    if (found == columns) return *s ? refuse_count(rows, columns, found, s, error) : AP_OK;
    const char *end;
    ap__number kind = ap__parse_double(s, &end, &row[found]);
    if (kind != AP__NUMBER && rows->any && parse_any(s, &end, &row[found])) kind = AP__NUMBER;
    if (kind != AP__NUMBER || !is_separator(*end)) return refuse_token(rows, s, kind, error);
    found++;
    s = skip_blanks(end);
    if (*s == ',') {
      s = skip_blanks(s + 1);
      if (!*s) return refuse_token(rows, s, AP__NO_NUMBER, error);
    } else if (!*s && found < columns) {
      return refuse_count(rows, columns, found, s, error);
    }
  }
}

// The next line that has something, from its first character on; NULL at the end of the file.
static ap_status next_text(ap_rows *rows, const char **text, ap_error *error) {
  for (;;) {
    char *line;
    size_t length;
    *text = NULL;
    ap_status status = next_line(rows, &line, &length, error);
    if (status || !line) return status;
    if (length && line[length - 1] == '\r') line[--length] = 0;
    const char *s = line;
    if (rows->line == 1 && length >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0)
      s += 3; // byte order mark
    s = skip_blanks(s);
    *text = s;
    if (*s == '#') return AP_OK;
    if (memchr(s, 0, length - (size_t)(s - line)))
      return AP__REFUSE(error, AP_E_SYNTAX, rows->line,
                        "the line has a NUL byte (expected plain text)");
    if (*s) return AP_OK;
  }
}

static ap_status next_of_h5(ap_rows *rows, int columns, double *row, bool *end, ap_error *error) {
  const int has = ap_log_describe(rows->h5)->columns;
  *end = false;
  if (has != columns)
    return AP__REFUSE(error, AP_E_SYNTAX, 0, "expected %d columns%s, found %d", columns,
                      rows->describe, has);
  ap_status status = ap_log_next(rows->h5, row, end, error);
  rows->line = ap_log_line(rows->h5);
  return status;
}

ap_status ap_rows_header(ap_rows *rows, const char **names, ap_error *error) {
  if (rows->h5) {
    *names = rows->names.text;
    return AP_OK;
  }
  ap_status status = next_text(rows, names, error);
  if (!status && *names && **names == '#') *names = skip_blanks(*names + 1);
  return status;
}

ap_status ap_rows_next(ap_rows *rows, int columns, double *row, bool *end, ap_error *error) {
  if (rows->h5) return next_of_h5(rows, columns, row, end, error);
  const char *s;
  ap_status status;
  do status = next_text(rows, &s, error);
  while (!status && s && *s == '#');
  *end = !status && !s;
  return status || *end ? status : read_row(rows, s, columns, row, error);
}
