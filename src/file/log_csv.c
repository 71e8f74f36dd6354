// SPDX-License-Identifier: Apache-2.0
// Logs as CSV: rows in one file, events in another. The first line of each names the columns. A
// third one has the scenario.

#define _XOPEN_SOURCE 700 // for realpath()
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file/alloc.h"
#include "file/log.h"
#include "file/text.h"

static const char scenario_ending[] = ".scenario.yaml";

// A text is handed over when it has grown to this many bytes.
enum { FULL_BYTES = 1 << 16 };

typedef struct csv_file {
  ap__draft part;
  ap__text text; // whole lines, not yet handed over
  off_t length;  // of what was handed over
  off_t head;    // of the line of names
} csv_file;

typedef struct csv_log {
  ap_log log;
  csv_file rows, events, scenario; // the last without a part where there is none
} csv_log;

static void add_number(ap__text *t, double x) {
  char text[32];
  ap__text_bytes(t, text, (size_t)ap_format_double(x, text));
}

// A word, with what would break a line or a column replaced, and what would be a formula quoted.
static void add_word(ap__text *t, const char *word) {
  const char quote = AP__LOG_QUOTE;
  if (*word && strchr(AP__LOG_FORMULA, *word)) ap__text_bytes(t, &quote, 1);
  for (const char *s = word; *s; s++) {
    const unsigned char c = (unsigned char)*s;
    const bool breaks = c < 0x20 || c == 0x7f || c == ',' || c == '"' || c == '#';
    ap__text_bytes(t, breaks ? "_" : s, 1);
  }
}

static void add_columns(ap__text *t, const ap_column *column, int n, const char *before) {
  for (int i = 0; i < n; i++) {
    ap__text_add(t, "%s", i > 0 ? "," : before);
    add_word(t, column[i].name);
  }
}

// Hand over what there is. Where the disk is full, what fits of it stays, in whole lines.
static ap_status drain(csv_file *f, ap_error *error) {
  if (f->text.failed) return ap__no_memory(error);
  const char *text = f->text.text;
  size_t done = 0;
  int code = 0;
  while (done < f->text.length && !code) {
    ssize_t n = write(f->part.file, text + done, f->text.length - done);
    if (n >= 0)
      done += (size_t)n;
    else if (errno != EINTR)
      code = errno;
  }
  while (code && done > 0 && text[done - 1] != '\n') done--;
  f->length += (off_t)done;
  f->text.length = 0;
  if (!code) return AP_OK;
  (void)!ftruncate(f->part.file, f->length);
  return ap__refuse_file(error, "write the file", code);
}

static ap_status end_line(csv_file *f, ap_error *error) {
  ap__text_bytes(&f->text, "\n", 1);
  if (f->text.failed) return ap__no_memory(error);
  return f->text.length < FULL_BYTES ? AP_OK : drain(f, error);
}

// A file beside RUN.csv: RUN with another ending. what: what it is, in a message.
static ap_status open_beside(csv_file *f, const char *path, const char *ending, const char *what,
                             ap_error *error) {
  const size_t stem = strlen(path) - strlen(ap__log_csv.ending);
  const size_t size = stem + strlen(ending) + 1;
  char *name = malloc(size);
  if (!name) return ap__no_memory(error);
  snprintf(name, size, "%.*s%s", (int)stem, path, ending);
  ap_error own = {0};
  ap_status status = ap__draft_open(&f->part, name, &own);
  if (status == AP_E_MEMORY) ap__no_memory(error);
  if (status && status != AP_E_MEMORY)
    ap__fail(error, status, 0, "its %s, %s: %s", what, ap__path_end(name), own.text);
  free(name);
  return status;
}

// Is the scenario's own file the one that a copy of it would go to? Then it is there already.
static bool is_beside(const char *path, const char *place) {
  const size_t stem = strlen(path) - strlen(ap__log_csv.ending);
  const size_t n = place ? strlen(place) : 0, m = strlen(scenario_ending);
  char *real = n > m && strcmp(place + n - m, scenario_ending) == 0 ? realpath(place, NULL) : NULL;
  char *copy = real ? malloc(stem + m + 1) : NULL;
  if (copy) snprintf(copy, stem + m + 1, "%.*s%s", (int)stem, path, scenario_ending);
  char *there = copy ? realpath(copy, NULL) : NULL;
  const bool same = there && strcmp(there, real) == 0;
  free(there);
  free(copy);
  free(real);
  return same;
}

// The scenario as it was, behind a line that says where it was.
static ap_status write_scenario(csv_log *csv, const char *path, const ap_log_def *def,
                                ap_error *error) {
  csv_file *f = &csv->scenario;
  const char *place = def->scenario_file;
  if (!def->scenario || is_beside(path, place)) return AP_OK;
  ap_status status = open_beside(f, path, scenario_ending, "scenario", error);
  if (status) return status;
  if (place && !ap__has_control(place, strlen(place)))
    ap__text_add(&f->text, AP__LOG_PLACE "%s\n", place);
  ap__text_bytes(&f->text, def->scenario, strlen(def->scenario));
  return drain(f, error);
}

static ap_status create(ap_log *log, const char *path, const ap_log_def *def, ap_error *error) {
  csv_log *csv = (csv_log *)log;
  csv->rows.part.file = csv->events.part.file = csv->scenario.part.file = -1;
  ap_status status = ap__draft_open(&csv->rows.part, path, error);
  if (!status) status = open_beside(&csv->events, path, ".events.csv", "events", error);
  if (!status) status = write_scenario(csv, path, def, error);
  if (status) return status;
  add_columns(&csv->rows.text, def->column, def->columns, "");
  status = end_line(&csv->rows, error);
  if (status) return status;
  ap__text_add(&csv->events.text, "t,%s,%s", AP__LOG_EVENT, AP__LOG_POINT);
  add_columns(&csv->events.text, def->event_column, def->event_columns, ",");
  ap__text_add(&csv->events.text, ",%s", AP__LOG_WALL);
  status = end_line(&csv->events, error);
  if (!status) status = drain(&csv->rows, error);
  if (!status) status = drain(&csv->events, error);
  csv->rows.head = csv->rows.length;
  csv->events.head = csv->events.length;
  return status;
}

// Pass a status on, and note whether a row or an event has reached the disk.
static ap_status noted(csv_log *csv, ap_status status) {
  csv->log.holds = csv->rows.length > csv->rows.head || csv->events.length > csv->events.head;
  return status;
}

static ap_status row(ap_log *log, const double *numbers, ap_error *error) {
  csv_file *f = &((csv_log *)log)->rows;
  for (int i = 0; i < log->columns; i++) {
    if (i > 0) ap__text_bytes(&f->text, ",", 1);
    add_number(&f->text, numbers[i]);
  }
  return noted((csv_log *)log, end_line(f, error));
}

static ap_status event(ap_log *log, double t, const char *what, const char *point, const char *wall,
                       const double *numbers, ap_error *error) {
  csv_file *f = &((csv_log *)log)->events;
  add_number(&f->text, t);
  ap__text_bytes(&f->text, ",", 1);
  add_word(&f->text, what);
  ap__text_bytes(&f->text, ",", 1);
  add_word(&f->text, point);
  for (int i = 0; i < log->event_columns; i++) {
    ap__text_bytes(&f->text, ",", 1);
    add_number(&f->text, numbers[i]);
  }
  ap__text_bytes(&f->text, ",", 1);
  add_word(&f->text, wall);
  return noted((csv_log *)log, end_line(f, error));
}

static ap_status flush(ap_log *log, ap_error *error) {
  csv_log *csv = (csv_log *)log;
  ap_status status = drain(&csv->rows, error);
  if (!status) status = drain(&csv->events, error);
  return noted(csv, status);
}

// The rows last: when their name is there, all is.
static ap_status finish(ap_log *log, ap_error *error) {
  csv_log *csv = (csv_log *)log;
  ap_status status = ap__draft_publish(&csv->events.part, error);
  if (!status && csv->scenario.part.path) status = ap__draft_publish(&csv->scenario.part, error);
  return status ? status : ap__draft_publish(&csv->rows.part, error);
}

static void release(ap_log *log, bool remove) {
  csv_log *csv = (csv_log *)log;
  ap__draft_close(&csv->rows.part, remove);
  ap__draft_close(&csv->events.part, remove);
  ap__draft_close(&csv->scenario.part, remove);
  ap__text_free(&csv->rows.text);
  ap__text_free(&csv->events.text);
  ap__text_free(&csv->scenario.text);
}

const ap__log_format ap__log_csv = {.ending = ".csv",
                                    .size = sizeof(csv_log),
                                    .create = create,
                                    .row = row,
                                    .event = event,
                                    .flush = flush,
                                    .finish = finish,
                                    .release = release};
