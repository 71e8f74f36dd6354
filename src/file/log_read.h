// SPDX-License-Identifier: Apache-2.0
// Logs read back: what their formats share.

#ifndef AP_FILE_LOG_READ_H
#define AP_FILE_LOG_READ_H

#include "file/robot.h"

enum { AP__LOG_COLUMNS = 100000 }; // at most: more are a mistake

// A format has its own record behind this one, and these functions.
struct ap_log_reader {
  const struct ap__log_source *source;
  const char *dataset; // the one dataset that is read, and no log; NULL: a log
  ap_log_about about;  // its arrays and texts belong to the reader
  ap_column *column, *event_column;
  int column_room, event_room;
  ap__pool pool;
  char *text;     // of the scenario
  bool any;       // numbers need not be finite
  double t;       // of the row read last
  long rows;      // read so far
  double *number; // of the event read last
};

typedef struct ap__log_source {
  size_t size; // of the format's record, the ap_log_reader at its start
  ap_status (*open)(ap_log_reader *r, const char *path, ap_error *error);
  ap_status (*next)(ap_log_reader *r, double *row, bool *end, ap_error *error);
  // Up to `most` rows at once; NULL: one at a time.
  ap_status (*rows)(ap_log_reader *r, int most, double *x, int *n, ap_error *error);
  ap_status (*next_event)(ap_log_reader *r, ap_logged_event *event, bool *end, ap_error *error);
  int (*line)(const ap_log_reader *r);
  void (*close)(ap_log_reader *r);
} ap__log_source;

extern const ap__log_source ap__log_of_csv, ap__log_of_h5;

// Append a column to those of the rows, or of the events; name and unit are copied. The error is
// set where it is refused.
ap_status ap__log_add_column(ap_log_reader *r, bool event, const char *name, size_t length,
                             const char *unit, int line, ap_error *error);
// When all columns are there: check them, and make room for events.
ap_status ap__log_ready(ap_log_reader *r, ap_error *error);
// Rows of one dataset of an HDF5 file, named by its path; NULL: of the log that it is. The columns
// have the names of its attribute "names", or numbers.
ap_status ap__log_open_h5(const char *path, const char *dataset, ap_log_reader **reader,
                          ap_error *error);
// Read up to `most` rows of it; *n is 0 behind the last.
ap_status ap__log_rows(ap_log_reader *reader, int most, double *x, int *n, ap_error *error);
// As ap_log_open() of CSV, from texts that are copied; events NULL: there are none.
ap_status ap__log_memory(const char *rows, size_t length, const char *events, size_t event_length,
                         ap_log_reader **reader, ap_error *error);

#endif
