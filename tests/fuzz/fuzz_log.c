// SPDX-License-Identifier: Apache-2.0
// Any bytes as the log of a run, its rows and behind a zero byte its events, in CSV: an error with
// its line, or rows of finite numbers in the order of time.

#include <appell/file.h>
#include <math.h>
#include <string.h>

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_about(const ap_log_about *about) {
  fuzz_expect(about->columns >= 1 && strcmp(about->column[0].name, "t") == 0);
  for (int k = 0; k < about->columns; k++)
    fuzz_expect(about->column[k].name && about->column[k].unit);
  for (int k = 0; k < about->event_columns; k++) fuzz_expect(about->event_column[k].name != NULL);
}

static void read_rows(ap_log_reader *reader, int columns) {
  double *row = calloc((size_t)columns, sizeof *row), before = -INFINITY;
  ap_error error = {0};
  fuzz_expect(row != NULL);
  for (bool end = false;;) {
    ap_status status = ap_log_next(reader, row, &end, &error);
    fuzz_expect(status == AP_OK || (error.status == status && error.text[0] && error.line >= 1));
    if (status != AP_OK || end) break;
    for (int k = 0; k < columns; k++) fuzz_expect(isfinite(row[k]));
    fuzz_expect(row[0] >= before);
    before = row[0];
  }
  free(row);
}

static void read_events(ap_log_reader *reader) {
  ap_logged_event event;
  ap_error error = {0};
  for (bool end = false;;) {
    ap_status status = ap_log_next_event(reader, &event, &end, &error);
    fuzz_expect(status == AP_OK || (error.status == status && error.text[0]));
    if (status != AP_OK || end) break;
    fuzz_expect(isfinite(event.t) && event.event && event.point && event.wall);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[FUZZ_PATH], events[FUZZ_PATH];
  if (size >= 4 && memcmp(data, "\x89HDF", 4) == 0) return 0;
  const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
  const size_t rows = zero ? (size_t)(zero - data) : size;
  fuzz_file(data, rows, ".csv", path);
  if (zero)
    fuzz_file(zero + 1, size - rows - 1, ".events.csv", events);
  else
    remove(fuzz_file(data, 0, ".events.csv", events));
  ap_log_reader *reader = NULL;
  ap_error error = {0};
  ap_status status = ap_log_open(path, &reader, &error);
  fuzz_expect((status == AP_OK) == (reader != NULL));
  if (reader) {
    check_about(ap_log_describe(reader));
    read_rows(reader, ap_log_describe(reader)->columns);
    read_events(reader);
  } else {
    fuzz_expect(error.status == status && error.text[0]);
  }
  ap_log_close(reader);
  return 0;
}
