// SPDX-License-Identifier: Apache-2.0
// Any bytes as an .npy array, from a file and from memory: rows of finite numbers, as many as the
// header says, or an error. Row by row and in blocks the same.

#include <math.h>
#include <string.h>

#include "file/rows.h"
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 8 };

// All rows, at most so many at a time; their number, or -1 at an error; *sum of what was read.
static long read_blocks(ap_rows *rows, int columns, int most, double *sum) {
  ap_rows_block *block = ap_rows_block_make(256);
  ap_error error = {0};
  long count = 0;
  fuzz_expect(block != NULL);
  *sum = 0;
  for (bool end = false; !end && count >= 0;) {
    if (ap_rows_take(rows, block, &end, &error)) count = -1;
    for (int n = 1; n > 0 && count >= 0;) {
      double x[MOST * MOST];
      const ap_status status = ap_rows_decode(block, columns, most, x, NULL, &n, &error);
      for (int k = 0; k < n * columns; k++) {
        fuzz_expect(isfinite(x[k]));
        *sum += x[k];
      }
      count = status ? -1 : count + n;
    }
  }
  fuzz_expect(count >= 0 || (error.text[0] && error.status != AP_OK));
  ap_rows_block_free(block);
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[FUZZ_PATH];
  if (size < 1) return 0;
  const int columns = 1 + data[0] % MOST, most = 1 + data[0] / MOST % MOST;
  ap_rows *file, *memory, *again;
  ap_error error = {0};
  double sum, other;
  fuzz_file(data + 1, size - 1, ".npy", path);
  if (ap_rows_open(path, &file, &error)) return 0; // HDF5
  if (ap__rows_memory((const char *)data + 1, size - 1, &memory, &error)) abort();
  if (ap__rows_memory((const char *)data + 1, size - 1, &again, &error)) abort();
  const long count = read_blocks(memory, columns, most, &sum);
  const long of_file = read_blocks(file, columns, MOST, &other);
  // In Fortran order memory is refused, which has no place to read from.
  fuzz_expect(count < 0 || (of_file == count && memcmp(&sum, &other, sizeof sum) == 0));
  fuzz_expect(of_file < 0 || !file->binary || file->array.vector || of_file == file->array.rows);
  double row[MOST];
  long rows = 0;
  for (bool end = false; rows >= 0 && !end;) {
    const ap_status status = ap_rows_next(again, columns, row, &end, &error);
    rows = status ? -1 : rows + !end;
  }
  fuzz_expect(rows == count);
  ap_rows_close(file);
  ap_rows_close(memory);
  ap_rows_close(again);
  unlink(path);
  return 0;
}
