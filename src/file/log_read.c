// SPDX-License-Identifier: Apache-2.0
// Logs read back: the choice of a format, and what all formats have to keep.

#include "file/log_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"

ap_status ap__log_add_column(ap_log_reader *r, bool event, const char *name, size_t length,
                             const char *unit, int line, ap_error *error) {
  int *n = event ? &r->about.event_columns : &r->about.columns;
  int *room = event ? &r->event_room : &r->column_room;
  ap_column **list = event ? &r->event_column : &r->column;
  if (*n == AP__LOG_COLUMNS)
    return AP__REFUSE(error, AP_E_SYNTAX, line, "more than %d columns", AP__LOG_COLUMNS);
  if (length == 0) return AP__REFUSE(error, AP_E_SYNTAX, line, "column %d has no name", *n + 1);
  if (ap__has_control(name, length))
    return AP__REFUSE(error, AP_E_SYNTAX, line,
                      "the name of column %d has a control character (expected a line of names)",
                      *n + 1);
  ap_column *grown = ap__grown(*list, *n, room, sizeof *grown);
  if (!grown) return ap__no_memory(error);
  *list = grown;
  const char *own = ap__pool_text(&r->pool, name, length);
  const char *own_unit = ap__pool_text(&r->pool, unit, strlen(unit));
  if (!own || !own_unit) return ap__no_memory(error);
  grown[(*n)++] = (ap_column){own, own_unit};
  return AP_OK;
}

ap_status ap__log_ready(ap_log_reader *r, ap_error *error) {
  ap_log_about *about = &r->about;
  about->column = r->column;
  about->event_column = r->event_column;
  if (!r->dataset && (about->columns == 0 || strcmp(r->column[0].name, "t") != 0))
    return AP__REFUSE(error, AP_E_SYNTAX, 1,
                      "not the log of a run (the first column must be \"t\")");
  r->number = calloc((size_t)about->event_columns + 1, sizeof *r->number);
  return r->number ? AP_OK : ap__no_memory(error);
}

static ap_status make(const ap__log_source *source, const char *path, const char *dataset,
                      ap_log_reader **reader, ap_error *error) {
  ap_log_reader *r = calloc(1, source->size);
  if (!r) return ap__no_memory(error);
  r->source = source;
  r->dataset = dataset;
  ap_status status = source->open(r, path, error);
  if (!status) status = ap__log_ready(r, error);
  if (status)
    ap_log_close(r);
  else
    *reader = r;
  return status;
}

static bool ends_with(const char *path, const char *ending) {
  const size_t n = strlen(path), m = strlen(ending);
  return n > m && strcmp(path + n - m, ending) == 0;
}

ap_status ap_log_open(const char *path, ap_log_reader **reader, ap_error *error) {
  static const char signature[8] = "\x89HDF\r\n\x1a\n";
  char start[sizeof signature];
  *reader = NULL;
  FILE *file = fopen(path, "rb");
  if (!file) return ap__refuse_file(error, "open the file", errno);
  errno = 0;
  const size_t n = fread(start, 1, sizeof start, file);
  const int code = ferror(file) ? errno : 0;
  fclose(file);
  if (code) return ap__refuse_file(error, "read the file", code);
  const bool h5 = n == sizeof start && memcmp(start, signature, sizeof start) == 0;
  ap_status status = make(h5 ? &ap__log_of_h5 : &ap__log_of_csv, path, NULL, reader, error);
  if (!status) (*reader)->about.whole = !ends_with(path, ".part");
  return status;
}

const ap_log_about *ap_log_describe(const ap_log_reader *reader) { return &reader->about; }

ap_status ap__log_open_h5(const char *path, const char *dataset, ap_log_reader **reader,
                          ap_error *error) {
  *reader = NULL;
  return make(&ap__log_of_h5, path, dataset, reader, error);
}

static ap_status check_time(ap_log_reader *r, double t, ap_error *error) {
  if (r->dataset) return AP_OK;
  if (!isfinite(t))
    return AP__REFUSE(error, AP_E_SYNTAX, ap_log_line(r), "the time of a row is not finite");
  if (r->rows++ > 0 && !(t >= r->t))
    return AP__REFUSE(error, AP_E_SYNTAX, ap_log_line(r),
                      "time goes back from %g s to %g s (times must not decrease)", r->t, t);
  r->t = t;
  return AP_OK;
}

ap_status ap_log_next(ap_log_reader *r, double *row, bool *end, ap_error *error) {
  ap_status status = r->source->next(r, row, end, error);
  return status || *end ? status : check_time(r, row[0], error);
}

ap_status ap__log_rows(ap_log_reader *r, int most, double *x, int *n, ap_error *error) {
  ap_status status = r->source->rows(r, most, x, n, error);
  for (int k = 0; k < *n && !status; k++)
    status = check_time(r, x[(size_t)k * (size_t)r->about.columns], error);
  return status;
}

ap_status ap_log_next_event(ap_log_reader *r, ap_logged_event *event, bool *end, ap_error *error) {
  return r->source->next_event(r, event, end, error);
}

void ap_log_allow_any(ap_log_reader *r) { r->any = true; }

int ap_log_line(const ap_log_reader *r) { return r->source->line(r); }

void ap_log_close(ap_log_reader *r) {
  if (!r) return;
  r->source->close(r);
  free(r->column);
  free(r->event_column);
  free(r->text);
  free(r->number);
  ap__pool_free(&r->pool);
  free(r);
}
