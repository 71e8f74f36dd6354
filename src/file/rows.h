// SPDX-License-Identifier: Apache-2.0
// What the readers of rows share: of text, of .npy arrays, of HDF5; and what tests need of them.

#ifndef AP_FILE_ROWS_H
#define AP_FILE_ROWS_H

#include <appell/file.h>
#include <stdint.h>

#include "file/text.h"

// Bytes behind the last of a block that can be read: numbers are, eight characters at a time.
enum { AP__ROWS_PAD = 16 };

// How numbers stand in a file that is no text.
typedef struct ap__array {
  long long rows;
  int columns;
  bool vector;        // 1-D: one column, or one row
  bool columns_first; // Fortran order
  bool single;        // float32
  bool swapped;       // the other order of bytes
} ap__array;

struct ap_rows_block {
  const ap_rows *rows; // whose bytes they are
  char *bytes;         // capacity + AP__ROWS_PAD of them
  size_t capacity;
  size_t nominal; // how many are read at once
  size_t length;  // complete lines or rows, and nothing else
  size_t at;      // decoded up to here
  int line;       // lines or rows decoded
  int count;      // rows, of an array
  bool first;     // of the file
  bool cut;       // the last line has no newline in the file
};

struct ap_rows {
  int file;          // -1: nothing more to come
  bool close;        // the file is ours
  bool waits;        // a pipe or terminal: there may be nothing to read now, and more to come
  bool begun;        // the first bytes are looked at
  bool binary;       // an array, by its header or in HDF5
  bool any;          // nan, inf and -inf are numbers too
  bool semicolons;   // between numbers, which may have commas for points
  char describe[64]; // what a row holds, for messages
  char *carry;       // bytes read behind the last complete row
  size_t carried, carry_capacity;
  long long size;  // bytes of the file from where it was opened; 0: not known
  long long taken; // bytes read
  ap__array array;
  long long array_at;    // rows of the array that are read
  long long array_place; // in the file, of its numbers
  ap_log_reader *h5;     // where the file is HDF5, its log,
  ap__text names;        // and the names of its columns
  ap_rows_block *own;    // of ap_rows_next() and ap_rows_header()
  int lines;             // in the blocks before it
  bool end;              // it is the last
};

// As ap_rows_open(), from a text that is copied.
ap_status ap__rows_memory(const char *text, size_t length, ap_rows **rows, ap_error *error);

// Let nan, inf and -inf be numbers.
void ap__rows_allow_any(ap_rows *rows);

// From here on, semicolons are between numbers, and commas are points.
void ap__rows_semicolons(ap_rows *rows);

// Did the file end within the line that was read last, without a newline?
bool ap__rows_cut(const ap_rows *rows);

// Read up to n bytes more; *got is 0 at the end of the file alone.
ap_status ap__rows_read(ap_rows *rows, char *to, size_t n, size_t *got, ap_error *error);

// Keep bytes behind the last complete row for the next block; false: no memory.
bool ap__rows_keep(ap_rows *rows, const char *bytes, size_t n);

// Room for as many bytes; false: no memory, and the block is as it was.
bool ap__rows_reserve(ap_rows_block *block, size_t bytes);

// ---- text

// Decode one row of a block, at its next line with numbers. *found is false at the end of the
// block.
ap_status ap__text_row(ap_rows_block *block, int columns, double *row, bool *found,
                       ap_error *error);
// The next line that has something, from its first character on and closed by a zero; NULL at the
// end of the block.
ap_status ap__text_line(ap_rows_block *block, const char **text, ap_error *error);

// ---- arrays

// Do these bytes start an .npy array?
bool ap__is_npy(const char *bytes, size_t length);
// The header of an .npy array: a text of length bytes, as Python writes a dictionary.
ap_status ap__npy_parse(const char *text, size_t length, ap__array *array, ap_error *error);
// Read the header. bytes, the first of the file, are read already; the numbers among them become
// the carry.
ap_status ap__npy_begin(ap_rows *rows, const char *bytes, size_t length, ap_error *error);
// Read rows of an array in Fortran order.
ap_status ap__npy_take_columns(ap_rows *rows, ap_rows_block *block, ap_error *error);
// Bytes of a row.
size_t ap__array_row_bytes(const ap__array *array);
// Decode up to most rows of an array.
ap_status ap__array_rows(ap_rows_block *block, int columns, int most, double *x, int *n,
                         ap_error *error);

#endif
