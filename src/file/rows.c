// SPDX-License-Identifier: Apache-2.0
// Rows of numbers. A million lines of 18 numbers are half a second's work, so that the reader of
// bytes and the decoder are apart: one thread reads blocks of complete lines, others decode them.

#include "file/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/log_read.h"
#include "file/robot.h"

enum {
  OWN_BYTES = 1 << 17,
  MAX_LINE = 64 << 20 // a row of more than a million numbers: a mistake
};

// ---- open and close ----------------------------------------------------------------------------

static bool is_h5(int file) {
  static const char signature[8] = "\x89HDF\r\n\x1a\n";
  char begin[sizeof signature];
  return pread(file, begin, sizeof begin, 0) == (ssize_t)sizeof begin &&
         memcmp(begin, signature, sizeof begin) == 0;
}

// The place where FILE.h5:/DATASET is parted; NULL: it is the name of a file.
static const char *dataset_of(const char *path) {
  const char *colon = strstr(path, ":/");
  while (colon && strstr(colon + 1, ":/")) colon = strstr(colon + 1, ":/");
  return colon && access(path, F_OK) != 0 ? colon : NULL;
}

static ap_status open_h5(ap_rows *rows, const char *path, const char *dataset, ap_error *error) {
  ap_status status = ap__log_open_h5(path, dataset, &rows->h5, error);
  if (status) return status;
  const ap_log_about *about = ap_log_describe(rows->h5);
  for (int k = 0; k < about->columns; k++)
    ap__text_add(&rows->names, "%s%s", k > 0 ? "," : "", about->column[k].name);
  rows->size = 0; // who reads it is not told how far it is
  rows->binary = rows->begun = true;
  rows->array = (ap__array){.columns = about->columns};
  return rows->names.failed ? ap__no_memory(error) : AP_OK;
}

// Bytes of a file up to its end; 0 where it has none to tell.
static long long bytes_to_come(int file, const struct stat *info) {
  off_t at = S_ISREG(info->st_mode) ? lseek(file, 0, SEEK_CUR) : -1;
  return at >= 0 && at < info->st_size ? (long long)(info->st_size - at) : 0;
}

static ap_status open_file(ap_rows *rows, const char *path, ap_error *error) {
  struct stat info = {0};
  rows->close = strcmp(path, "-") != 0;
  rows->file = rows->close ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  if (rows->file < 0) return ap__refuse_file(error, "open the file", errno);
  if (fstat(rows->file, &info) != 0) return AP_OK; // reading will tell
  rows->size = bytes_to_come(rows->file, &info);
  rows->waits = S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || S_ISCHR(info.st_mode);
  return rows->close && is_h5(rows->file) ? open_h5(rows, path, NULL, error) : AP_OK;
}

static ap_status open_dataset(ap_rows *rows, const char *path, const char *colon, ap_error *error) {
  char *file = strndup(path, (size_t)(colon - path));
  if (!file) return ap__no_memory(error);
  ap_status status = access(file, R_OK) == 0 ? open_h5(rows, file, colon + 1, error)
                                             : ap__refuse_file(error, "open the file", errno);
  free(file);
  return status;
}

ap_status ap_rows_open(const char *path, ap_rows **rows, ap_error *error) {
  *rows = NULL;
  ap_rows *made = calloc(1, sizeof *made);
  if (!made) return ap__no_memory(error);
  made->file = -1;
  const char *dataset = dataset_of(path);
  ap_status status =
      dataset ? open_dataset(made, path, dataset, error) : open_file(made, path, error);
  if (status)
    ap_rows_close(made);
  else
    *rows = made;
  return status;
}

ap_status ap__rows_memory(const char *text, size_t length, ap_rows **rows, ap_error *error) {
  *rows = calloc(1, sizeof **rows);
  char *copy = *rows ? malloc(length + 1) : NULL;
  if (!copy) {
    free(*rows);
    *rows = NULL;
    return ap__no_memory(error);
  }
  memcpy(copy, text, length);
  (*rows)->file = -1;
  (*rows)->carry = copy;
  (*rows)->carried = (*rows)->carry_capacity = length;
  (*rows)->size = (*rows)->taken = (long long)length;
  return AP_OK;
}

void ap_rows_close(ap_rows *rows) {
  if (!rows) return;
  ap_log_close(rows->h5);
  ap__text_free(&rows->names);
  if (rows->close && rows->file >= 0) close(rows->file);
  ap_rows_block_free(rows->own);
  free(rows->carry);
  free(rows);
}

void ap_rows_describe(ap_rows *rows, const char *what) {
  snprintf(rows->describe, sizeof rows->describe, " (%.*s)", ap__shown(what), what);
}

static int sum_of_lines(int a, int b) { return a < INT_MAX - b ? a + b : INT_MAX; }

int ap_rows_line(const ap_rows *rows) {
  return rows->own ? sum_of_lines(rows->lines, rows->own->line) : 0;
}
void ap__rows_allow_any(ap_rows *rows) { rows->any = true; }

// Semicolons become commas, and commas points.
static void translate(ap_rows_block *block) {
  for (char *s = block->bytes + block->at, *end = block->bytes + block->length; s < end; s++)
    *s = *s == ';' ? ',' : *s == ',' ? '.' : *s;
}

void ap__rows_semicolons(ap_rows *rows) {
  if (rows->own && !rows->binary && !rows->semicolons) translate(rows->own);
  rows->semicolons = true;
}
bool ap__rows_cut(const ap_rows *rows) {
  return rows->own && rows->own->cut && rows->own->at == rows->own->length;
}

double ap_rows_fraction(const ap_rows *rows) {
  if (rows->size == 0) return -1;
  double left = (double)rows->carried;
  if (rows->own) left += (double)(rows->own->length - rows->own->at);
  double handed_out = (double)rows->taken - left;
  return handed_out < (double)rows->size ? handed_out / (double)rows->size : 1; // a file may grow
}

// ---- blocks ------------------------------------------------------------------------------------

ap_rows_block *ap_rows_block_make(size_t bytes) {
  ap_rows_block *block = calloc(1, sizeof *block);
  if (!block) return NULL;
  block->nominal = bytes;
  if (ap__rows_reserve(block, bytes)) return block;
  free(block);
  return NULL;
}

void ap_rows_block_free(ap_rows_block *block) {
  if (!block) return;
  free(block->bytes);
  free(block);
}

int ap_rows_block_line(const ap_rows_block *block) { return block->line; }

bool ap__rows_reserve(ap_rows_block *block, size_t bytes) {
  if (bytes <= block->capacity) return true;
  char *larger = realloc(block->bytes, bytes + AP__ROWS_PAD);
  if (!larger) return false;
  block->bytes = larger;
  block->capacity = bytes;
  return true;
}

// Is there something to read at once, if only the end?
static bool is_ready(int file) {
  struct pollfd ready = {.fd = file, .events = POLLIN};
  return poll(&ready, 1, 0) != 0;
}

bool ap_rows_waits(const ap_rows *rows) {
  return rows->waits && rows->file >= 0 && !is_ready(rows->file);
}

ap_status ap__rows_read(ap_rows *rows, char *to, size_t n, size_t *got, ap_error *error) {
  ssize_t done;
  *got = 0;
  if (rows->file < 0) return AP_OK;
  while ((done = read(rows->file, to, n)) < 0) {
    struct pollfd ready = {.fd = rows->file, .events = POLLIN};
    if (errno == EAGAIN)
      poll(&ready, 1, -1); // someone made it non-blocking
    else if (errno != EINTR)
      return ap__refuse_file(error, "read the file", errno);
  }
  *got = (size_t)done;
  rows->taken += done;
  if (done > 0) return AP_OK;
  if (rows->close) close(rows->file);
  rows->file = -1;
  return AP_OK;
}

// Bytes of complete lines or rows among those of a block; none of them before `from`.
static size_t complete_bytes(const ap_rows *rows, const ap_rows_block *block, size_t from) {
  if (rows->binary) return block->length - block->length % ap__array_row_bytes(&rows->array);
  for (size_t n = block->length; n > from; n--)
    if (block->bytes[n - 1] == '\n') return n;
  return 0;
}

static ap_status grow(ap_rows *rows, ap_rows_block *block, ap_error *error) {
  if (!rows->binary && block->capacity >= MAX_LINE)
    return AP__REFUSE(error, AP_E_SYNTAX, 1, "the line is longer than %d MiB", MAX_LINE >> 20);
  return ap__rows_reserve(block, 2 * block->capacity) ? AP_OK : ap__no_memory(error);
}

// Read until the block has its nominal length, and something complete; or the file ends; or nothing
// more is there for the moment. *complete bytes of it are.
static ap_status fill(ap_rows *rows, ap_rows_block *block, size_t *complete, ap_error *error) {
  size_t searched = 0;
  for (;;) {
    *complete = complete_bytes(rows, block, searched);
    searched = block->length;
    if (*complete && (block->length >= block->nominal || ap_rows_waits(rows))) return AP_OK;
    ap_status status = block->length == block->capacity ? grow(rows, block, error) : AP_OK;
    if (status) return status;
    size_t room = *complete ? block->nominal - block->length : block->capacity - block->length, got;
    status = ap__rows_read(rows, block->bytes + block->length, room, &got, error);
    block->length += got;
    if (status || got == 0) return status;
  }
}

bool ap__rows_keep(ap_rows *rows, const char *bytes, size_t n) {
  if (n > rows->carry_capacity) {
    char *larger = realloc(rows->carry, n);
    if (!larger) return false;
    rows->carry = larger;
    rows->carry_capacity = n;
  }
  if (n > 0) memmove(rows->carry, bytes, n);
  rows->carried = n;
  return true;
}

// The first bytes tell whether it is an array.
static ap_status begin(ap_rows *rows, ap_rows_block *block, ap_error *error) {
  rows->begun = true;
  size_t got = 1;
  while (got > 0 && (block->length == 0 || (block->length < 6 && block->bytes[0] == '\x93'))) {
    ap_status status =
        ap__rows_read(rows, block->bytes + block->length, block->nominal, &got, error);
    if (status) return status;
    block->length += got;
  }
  if (!ap__is_npy(block->bytes, block->length)) return AP_OK;
  rows->binary = true;
  ap_status status = ap__npy_begin(rows, block->bytes, block->length, error);
  block->length = 0;
  return status;
}

// The carry, to which the file is read on.
static ap_status take_carry(ap_rows *rows, ap_rows_block *block, ap_error *error) {
  if (!ap__rows_reserve(block, rows->carried + block->nominal)) return ap__no_memory(error);
  if (rows->carried > 0) memcpy(block->bytes, rows->carry, rows->carried);
  block->length = rows->carried;
  rows->carried = 0;
  return AP_OK;
}

// ---- taking blocks -----------------------------------------------------------------------------

static ap_status take_h5(ap_rows *rows, ap_rows_block *block, bool *end, ap_error *error) {
  const size_t row_bytes = ap__array_row_bytes(&rows->array);
  const size_t most = block->nominal < row_bytes ? 1 : block->nominal / row_bytes;
  if (!ap__rows_reserve(block, most * row_bytes)) return ap__no_memory(error);
  ap_log_allow_any(rows->h5);                 // whoever decodes them looks
  double *x = (double *)(void *)block->bytes; // of malloc()
  ap_status status = ap__log_rows(rows->h5, (int)most, x, &block->count, error);
  block->length = (size_t)block->count * row_bytes;
  *end = block->count < (int)most;
  return status;
}

// What belongs to an array among the complete rows that were read.
static ap_status end_array(ap_rows *rows, ap_rows_block *block, size_t *complete, bool *end,
                           ap_error *error) {
  const size_t row_bytes = ap__array_row_bytes(&rows->array);
  const long long left = rows->array.rows - rows->array_at;
  block->count = (int)(*complete / row_bytes);
  if (block->count > left || (block->count == left && block->length > *complete))
    return AP__REFUSE(error, AP_E_SYNTAX, 0, "there are bytes behind the array (one array a file)");
  if (block->count == 0 && left > 0)
    return AP__REFUSE(error, AP_E_SYNTAX, 0, "the array ends after %lld of %lld rows",
                      rows->array_at, rows->array.rows);
  rows->array_at += block->count;
  *end = block->count == left;
  return AP_OK;
}

// The last line may have no newline.
static void end_text(const ap_rows *rows, ap_rows_block *block, size_t *complete, bool *end) {
  *end = rows->file < 0;
  if (!*end) return;
  block->cut = block->length > *complete;
  if (block->cut) block->bytes[block->length++] = '\n'; // in front of the padding
  *complete = block->length;
}

static ap_status take_bytes(ap_rows *rows, ap_rows_block *block, bool *end, ap_error *error) {
  size_t complete;
  ap_status status = fill(rows, block, &complete, error);
  if (!status && rows->binary)
    status = end_array(rows, block, &complete, end, error);
  else if (!status)
    end_text(rows, block, &complete, end);
  if (status) return status;
  if (!ap__rows_keep(rows, block->bytes + complete, block->length - complete))
    return ap__no_memory(error);
  block->length = complete;
  memset(block->bytes + complete, 0, AP__ROWS_PAD - 1);
  if (rows->semicolons && !rows->binary) translate(block);
  return AP_OK;
}

ap_status ap_rows_take(ap_rows *rows, ap_rows_block *block, bool *end, ap_error *error) {
  block->rows = rows;
  block->length = block->at = 0;
  block->line = block->count = 0;
  block->first = !rows->begun;
  block->cut = *end = false;
  if (rows->h5) return take_h5(rows, block, end, error);
  ap_status status = take_carry(rows, block, error);
  if (!status && !rows->begun) {
    status = begin(rows, block, error);
    if (!status && rows->binary) status = take_carry(rows, block, error);
  }
  if (status) return status;
  if (!rows->binary || !rows->array.columns_first) return take_bytes(rows, block, end, error);
  status = ap__npy_take_columns(rows, block, error);
  *end = rows->array_at == rows->array.rows;
  return status;
}

ap_status ap_rows_decode(ap_rows_block *block, int columns, int most, double *x, int *line, int *n,
                         ap_error *error) {
  *n = 0;
  if (block->rows && block->rows->binary) {
    const int first = block->line;
    ap_status status = ap__array_rows(block, columns, most, x, n, error);
    for (int k = 0; line && k < *n; k++) line[k] = first + k + 1;
    return status;
  }
  while (*n < most) {
    bool found;
    ap_status status =
        ap__text_row(block, columns, x + (size_t)*n * (size_t)columns, &found, error);
    if (status || !found) return status;
    if (line) line[*n] = block->line;
    ++*n;
  }
  return AP_OK;
}

// ---- row by row --------------------------------------------------------------------------------

// Errors of a block count its lines.
static ap_status place(const ap_rows *rows, ap_status status, ap_error *error) {
  if (status && error && error->line > 0) error->line = sum_of_lines(rows->lines, error->line);
  return status;
}

// The next block of its own; *end: there is none.
static ap_status next_block(ap_rows *rows, bool *end, ap_error *error) {
  *end = rows->end;
  if (rows->end) return AP_OK;
  if (!rows->own) rows->own = ap_rows_block_make(OWN_BYTES);
  if (!rows->own) return ap__no_memory(error);
  rows->lines = sum_of_lines(rows->lines, rows->own->line);
  return place(rows, ap_rows_take(rows, rows->own, &rows->end, error), error);
}

ap_status ap_rows_header(ap_rows *rows, const char **names, ap_error *error) {
  *names = NULL;
  for (bool end = false; !end && !rows->h5;) {
    ap_status status = rows->own && !rows->binary ? ap__text_line(rows->own, names, error) : AP_OK;
    if (status || *names) {
      if (*names && **names == '#') *names += 1 + strspn(*names + 1, " \t");
      return place(rows, status, error);
    }
    status = next_block(rows, &end, error);
    if (status) return status;
    if (rows->binary)
      return AP__REFUSE(error, AP_E_SYNTAX, 0,
                        "an .npy array has no names of columns (text with a line of names has)");
  }
  if (rows->h5) *names = rows->names.text;
  return AP_OK;
}

ap_status ap_rows_next(ap_rows *rows, int columns, double *row, bool *end, ap_error *error) {
  *end = false;
  for (;;) {
    int n = 0;
    ap_status status = AP_OK;
    if (rows->own) status = ap_rows_decode(rows->own, columns, 1, row, NULL, &n, error);
    if (status || n > 0) return place(rows, status, error);
    status = next_block(rows, end, error);
    if (status || *end) return status;
  }
}
