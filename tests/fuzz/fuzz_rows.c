// SPDX-License-Identifier: Apache-2.0
// Any bytes as a state file: rows of finite numbers, or an error with its line. And every number
// that is read is written and read back to the same.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/number.h"
#include "file/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds) {
  if (!holds) abort();
}

static void check_number(double x) {
  char ours[25], theirs[32];
  const char *end;
  double back;
  expect(isfinite(x));
  int length = ap_format_double(x, ours);
  snprintf(theirs, sizeof theirs, "%.17g", x);
  expect(strcmp(ours, theirs) == 0 && length == (int)strlen(ours));
  expect(ap__parse_double(ours, &end, &back) == AP__NUMBER && *end == 0);
  expect(memcmp(&back, &x, sizeof x) == 0);
  ap_format_shortest(x, ours);
  expect(strtod(ours, NULL) == x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  int columns = 1 + data[0] % 8;
  ap_rows *rows;
  ap_error error = {0};
  if (ap__rows_memory((const char *)data + 1, size - 1, &rows, &error)) abort();
  for (bool end = false; !end;) {
    double row[8];
    ap_status status = ap_rows_next(rows, columns, row, &end, &error);
    if (status) {
      const bool array = size > 6 && data[1] == 0x93; // an .npy header has no lines
      expect((error.line >= 1 || array) && error.text[0] && error.status == status);
      break;
    }
    for (int i = 0; i < columns && !end; i++) check_number(row[i]);
  }
  ap_rows_close(rows);
  return 0;
}
