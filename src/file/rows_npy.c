// SPDX-License-Identifier: Apache-2.0
// Arrays as NumPy's .npy files have them, versions 1 to 3: a magic text, the length of a header,
// the header (a dictionary of Python), the numbers. And their decoding, which HDF5 shares.

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "file/robot.h"
#include "file/rows.h"

enum { MAGIC = 6, MOST_HEADER = 1 << 16, MOST_COLUMNS = 1 << 24 };

bool ap__is_npy(const char *bytes, size_t length) {
  return length >= MAGIC && memcmp(bytes, "\x93NUMPY", MAGIC) == 0;
}

static bool is_little(void) { return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__; }

// ---- the header --------------------------------------------------------------------------------

// Reading it. A failure is noted, and found at the end.
typedef struct parser {
  const char *s, *end;
  bool bad;
} parser;

static void skip(parser *h) {
  while (h->s < h->end && ap__is_space(*h->s)) h->s++;
}

// Is this the next character? Then go behind it.
static bool has(parser *h, char c) {
  skip(h);
  if (h->s == h->end || *h->s != c) return false;
  h->s++;
  return true;
}
static void expect(parser *h, char c) { h->bad = !has(h, c) || h->bad; }

// A string in quotes of either kind, without escapes; cut to the size of text.
static void read_string(parser *h, char *text, size_t size) {
  skip(h);
  const char quote = h->s < h->end ? *h->s : 0;
  size_t n = 0;
  h->bad = h->bad || (quote != '\'' && quote != '"');
  for (h->s += !h->bad; !h->bad && h->s < h->end && *h->s != quote; h->s++)
    if (n + 1 < size) text[n++] = *h->s;
  text[n] = 0;
  if (!h->bad) expect(h, quote);
}

static bool read_word(parser *h, const char *word) {
  skip(h);
  const size_t n = strlen(word);
  if ((size_t)(h->end - h->s) < n || memcmp(h->s, word, n) != 0) return false;
  h->s += n;
  return true;
}

static long long read_size(parser *h) {
  long long x = 0;
  skip(h);
  h->bad = h->bad || h->s == h->end || !ap__is_digit(*h->s);
  for (; h->s < h->end && ap__is_digit(*h->s); h->s++) {
    if (x > (LLONG_MAX >> 8) / 10) h->bad = true;
    if (!h->bad) x = 10 * x + (*h->s - '0');
  }
  if (h->s < h->end && *h->s == 'L') h->s++; // as Python 2 wrote them
  return x;
}

// (), (n,), (n, m), ...; of more than two the product is not kept. The number of them.
static int read_shape(parser *h, long long size[2]) {
  int n = 0;
  expect(h, '(');
  while (!h->bad && !has(h, ')')) {
    const long long x = read_size(h);
    if (n < 2) size[n] = x;
    n++;
    skip(h);
    if (h->s < h->end && *h->s != ')') expect(h, ',');
    h->bad = h->bad || n > 32;
  }
  return n;
}

typedef struct entries {
  char type[24];
  bool fortran;
  int dimensions;
  long long size[2];
  int seen; // a bit for each of the three
} entries;

static void read_entry(parser *h, entries *e) {
  char key[24];
  read_string(h, key, sizeof key);
  expect(h, ':');
  skip(h);
  if (strcmp(key, "descr") == 0) {
    e->seen |= 1;
    const bool fields = h->s < h->end && *h->s == '[';
    snprintf(e->type, sizeof e->type, "%s", "[...]");
    if (fields)
      h->s = h->end; // a type of several fields: refused by whoever sees it
    else
      read_string(h, e->type, sizeof e->type);
  } else if (strcmp(key, "fortran_order") == 0) {
    e->seen |= 2;
    e->fortran = read_word(h, "True");
    h->bad = h->bad || (!e->fortran && !read_word(h, "False"));
  } else if (strcmp(key, "shape") == 0) {
    e->seen |= 4;
    e->dimensions = read_shape(h, e->size);
  } else {
    h->bad = true;
  }
}

static ap_status read_type(const char *type, ap__array *array, ap_error *error) {
  const char order = type[0];
  array->single = strcmp(type + 1, "f4") == 0;
  array->swapped = order == (is_little() ? '>' : '<');
  if ((order == '<' || order == '>' || order == '=' || order == '|') && strlen(type) == 3 &&
      (array->single || strcmp(type + 1, "f8") == 0))
    return AP_OK;
  return AP__REFUSE(error, AP_E_SYNTAX, 0,
                    "the array's numbers are of type %s (expected float64 or float32)", type);
}

static ap_status read_sizes(const entries *e, ap__array *array, ap_error *error) {
  array->vector = e->dimensions == 1;
  array->columns_first = e->fortran && e->dimensions == 2;
  array->rows = e->size[0];
  const long long columns = array->vector ? 1 : e->size[1];
  if (e->dimensions != 1 && e->dimensions != 2)
    return AP__REFUSE(error, AP_E_SYNTAX, 0,
                      "the array has %d dimensions (expected 2: states, numbers)", e->dimensions);
  if (columns < 1 || columns > MOST_COLUMNS)
    return AP__REFUSE(error, AP_E_SYNTAX, 0, "the array has %lld columns (expected 1 to %d)",
                      columns, MOST_COLUMNS);
  array->columns = (int)columns;
  if (array->rows > LLONG_MAX / 16 / columns)
    return AP__REFUSE(error, AP_E_SYNTAX, 0, "the array has %lld rows: more than a file can have",
                      array->rows);
  return AP_OK;
}

ap_status ap__npy_parse(const char *text, size_t length, ap__array *array, ap_error *error) {
  parser h = {.s = text, .end = text + length};
  entries e = {0};
  *array = (ap__array){0};
  expect(&h, '{');
  while (!h.bad && !has(&h, '}')) {
    read_entry(&h, &e);
    if (strcmp(e.type, "[...]") == 0) return read_type(e.type, array, error);
    skip(&h);
    if (h.s < h.end && *h.s != '}') expect(&h, ',');
  }
  skip(&h);
  if (h.bad || h.s != h.end || e.seen != 7)
    return AP__REFUSE(error, AP_E_SYNTAX, 0,
                      "the array's header cannot be read (expected descr, fortran_order, shape)");
  ap_status status = read_type(e.type, array, error);
  return status ? status : read_sizes(&e, array, error);
}

int ap_npy_header(long long rows, int columns, char *text) {
  char *dictionary = text + 10;
  int n = snprintf(dictionary, AP_NPY_HEADER - 10,
                   "{'descr': '%cf8', 'fortran_order': False, 'shape': (%lld, %d), }",
                   is_little() ? '<' : '>', rows, columns);
  memset(dictionary + n, ' ', (size_t)(AP_NPY_HEADER - 10 - n));
  text[AP_NPY_HEADER - 1] = '\n';
  memcpy(text, "\x93NUMPY\x01\x00", 8);
  text[8] = (char)(AP_NPY_HEADER - 10);
  text[9] = 0;
  return AP_NPY_HEADER;
}

// ---- reading -----------------------------------------------------------------------------------

size_t ap__array_row_bytes(const ap__array *array) {
  return (size_t)array->columns * (array->single ? 4 : 8);
}

// The bytes [0, n) of the file, in text; bytes, length of them, are read already.
static ap_status read_front(ap_rows *rows, ap__text *text, size_t n, ap_error *error) {
  while (text->length < n) {
    char piece[4096];
    size_t got, want = n - text->length < sizeof piece ? n - text->length : sizeof piece;
    ap_status status = ap__rows_read(rows, piece, want, &got, error);
    if (status) return status;
    if (got == 0)
      return AP__REFUSE(error, AP_E_SYNTAX, 0, "the file ends within the array's header");
    ap__text_bytes(text, piece, got);
    if (text->failed) return ap__no_memory(error);
  }
  return AP_OK;
}

// Where the header begins, and how long it is.
static ap_status measure_header(ap_rows *rows, ap__text *text, size_t *at, size_t *length,
                                ap_error *error) {
  ap_status status = read_front(rows, text, 12, error);
  if (status) return status;
  const unsigned char *b = (const unsigned char *)text->text;
  const int version = b[6];
  if (version < 1 || version > 3)
    return AP__REFUSE(error, AP_E_SYNTAX, 0, "version %d of the .npy format (expected 1 to 3)",
                      version);
  *at = version == 1 ? 10 : 12;
  *length = (size_t)b[8] | (size_t)b[9] << 8;
  if (version > 1) *length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
  if (*length > MOST_HEADER)
    return AP__REFUSE(error, AP_E_SYNTAX, 0,
                      "the array's header has %zu bytes (expected at most %d)", *length,
                      MOST_HEADER);
  return read_front(rows, text, *at + *length, error);
}

// A regular file tells before anything is computed whether it is complete.
static ap_status check_bytes(ap_rows *rows, size_t header, ap_error *error) {
  const ap__array *a = &rows->array;
  const long long row_bytes = (long long)ap__array_row_bytes(a);
  const long long have = rows->size - (long long)header, want = a->rows * row_bytes;
  if (rows->size > 0 && have < want)
    return AP__REFUSE(error, AP_E_SYNTAX, 0, "the array ends after %lld of %lld rows",
                      row_bytes > 0 ? have / row_bytes : 0, a->rows);
  if (rows->size > 0 && have > want)
    return AP__REFUSE(error, AP_E_SYNTAX, 0,
                      "there are %lld bytes behind the array (one array a file)", have - want);
  if (!a->columns_first) return AP_OK;
  const off_t here = rows->size > 0 && rows->file >= 0 ? lseek(rows->file, 0, SEEK_CUR) : -1;
  if (here < 0)
    return AP__REFUSE(
        error, AP_E_UNSUPPORTED, 0,
        "an array in Fortran order cannot be read from a pipe (name the file, or save "
        "it with order='C')");
  rows->array_place = (long long)here - rows->taken + (long long)header;
  return AP_OK;
}

ap_status ap__npy_begin(ap_rows *rows, const char *bytes, size_t length, ap_error *error) {
  ap__text front = {0};
  size_t at = 0, header = 0;
  ap__text_bytes(&front, bytes, length);
  ap_status status = front.failed ? ap__no_memory(error) : AP_OK;
  if (!status) status = measure_header(rows, &front, &at, &header, error);
  if (!status) status = ap__npy_parse(front.text + at, header, &rows->array, error);
  if (!status) status = check_bytes(rows, at + header, error);
  if (!status && !ap__rows_keep(rows, front.text + at + header, front.length - at - header))
    status = ap__no_memory(error);
  ap__text_free(&front);
  return status;
}

// In every column the rows of the block lie together.
ap_status ap__npy_take_columns(ap_rows *rows, ap_rows_block *block, ap_error *error) {
  const ap__array *a = &rows->array;
  const size_t row_bytes = ap__array_row_bytes(a), size = a->single ? 4 : 8;
  const long long left = a->rows - rows->array_at;
  long long n = (long long)(block->nominal / row_bytes);
  n = n < 1 ? 1 : n;
  n = n < left ? n : left;
  if (!ap__rows_reserve(block, (size_t)n * row_bytes)) return ap__no_memory(error);
  for (int c = 0; c < a->columns; c++) {
    const size_t want = (size_t)n * size;
    const long long place = rows->array_place + (c * a->rows + rows->array_at) * (long long)size;
    const ssize_t got = pread(rows->file, block->bytes + (size_t)c * want, want, (off_t)place);
    if (got < 0) return ap__refuse_file(error, "read the file", errno);
    if (got != (ssize_t)want)
      return AP__REFUSE(error, AP_E_SYNTAX, 0, "the array ends within column %d", c + 1);
  }
  block->length = (size_t)n * row_bytes;
  block->count = (int)n;
  rows->array_at += n;
  rows->taken = rows->size - (a->rows - rows->array_at) * (long long)row_bytes;
  rows->carried = 0;
  return AP_OK;
}

// ---- decoding ----------------------------------------------------------------------------------

static double number_at(const ap__array *a, const char *bytes) {
  if (a->single) {
    uint32_t bits;
    float x;
    memcpy(&bits, bytes, sizeof bits);
    if (a->swapped) bits = __builtin_bswap32(bits);
    memcpy(&x, &bits, sizeof x);
    return (double)x;
  }
  uint64_t bits;
  double x;
  memcpy(&bits, bytes, sizeof bits);
  if (a->swapped) bits = __builtin_bswap64(bits);
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Rows [first, first + n) of a block, row by row.
static void copy_rows(const ap_rows_block *block, int first, int n, double *x) {
  const ap__array *a = &block->rows->array;
  const size_t width = (size_t)a->columns, size = a->single ? 4 : 8, count = (size_t)block->count;
  if (!a->single && !a->swapped && !a->columns_first) {
    memcpy(x, block->bytes + (size_t)first * width * size, (size_t)n * width * size);
    return;
  }
  for (size_t r = (size_t)first; r < (size_t)first + (size_t)n; r++)
    for (size_t c = 0; c < width; c++)
      *x++ = number_at(a, block->bytes + (a->columns_first ? c * count + r : r * width + c) * size);
}

static ap_status refuse_columns(const ap_rows_block *block, int columns, ap_error *error) {
  const ap__array *a = &block->rows->array;
  if (a->vector)
    return AP__REFUSE(error, AP_E_SYNTAX, 0,
                      "expected %d columns%s, found a vector of %lld numbers (reshape it to rows)",
                      columns, block->rows->describe, a->rows);
  return AP__REFUSE(error, AP_E_SYNTAX, 0, "expected %d column%s%s, found %d", columns,
                    columns == 1 ? "" : "s", block->rows->describe, a->columns);
}

// The rows before the first with a number that is none.
static ap_status check_finite(ap_rows_block *block, int columns, const double *x, int *n,
                              ap_error *error) {
  const size_t numbers = (size_t)*n * (size_t)columns;
  size_t k = 0;
  while (k < numbers && isfinite(x[k])) k++;
  if (k == numbers) return AP_OK;
  const int row = (int)(k / (size_t)columns);
  block->line -= *n - row - 1;
  *n = row;
  return AP__REFUSE(error, AP_E_SYNTAX, block->line,
                    "number %d of the row is %g (expected a finite number)",
                    (int)(k % (size_t)columns) + 1, x[k]);
}

ap_status ap__array_rows(ap_rows_block *block, int columns, int most, double *x, int *n,
                         ap_error *error) {
  const ap__array *a = &block->rows->array;
  const bool one_row = a->vector && columns > 1 && a->rows == columns && block->count == columns;
  if (columns != a->columns && !one_row) return refuse_columns(block, columns, error);
  const int left = one_row ? block->line == 0 : block->count - block->line;
  *n = left < most ? left : most;
  copy_rows(block, block->line, one_row ? *n * columns : *n, x);
  block->line += *n;
  block->at = one_row ? block->length : (size_t)block->line * ap__array_row_bytes(a);
  return block->rows->any ? AP_OK : check_finite(block, columns, x, n, error);
}
