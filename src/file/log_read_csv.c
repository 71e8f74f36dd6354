// SPDX-License-Identifier: Apache-2.0
// Logs read back from CSV: RUN.csv, RUN.events.csv, RUN.scenario.yaml.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/alloc.h"
#include "file/folders.h"
#include "file/log.h"
#include "file/log_read.h"
#include "file/number.h"
#include "file/rows.h"

typedef struct csv_reader {
  ap_log_reader r;
  ap_rows *rows, *events; // NULL: none
  char *events_path;      // for messages
  ap__pool words;         // of the event read last
} csv_reader;

// ---- names -------------------------------------------------------------------------------------

// RUN of RUN.csv or RUN.csv.part: its length; 0 for another name.
static size_t stem_of(const char *path, bool *part) {
  size_t n = strlen(path), m = strlen(".part");
  *part = n > m && strcmp(path + n - m, ".part") == 0;
  if (*part) n -= m;
  m = strlen(ap__log_csv.ending);
  return n > m && strncmp(path + n - m, ap__log_csv.ending, m) == 0 ? n - m : 0;
}

// The file beside RUN.csv that has another ending, of a part rather the part; NULL: there is none,
// or no memory. The caller frees it.
static char *path_beside(const char *path, const char *ending, bool *no_memory) {
  bool part;
  const size_t stem = stem_of(path, &part), size = stem + strlen(ending) + sizeof ".part";
  if (stem == 0) return NULL;
  char *name = malloc(size);
  *no_memory = !name;
  for (int k = part; name && k >= 0; k--) {
    snprintf(name, size, "%.*s%s%s", (int)stem, path, ending, k ? ".part" : "");
    if (access(name, F_OK) == 0 && !ap__is_special(name)) return name;
  }
  free(name);
  return NULL;
}

// ---- the lines of names ------------------------------------------------------------------------

static const char *skip_blanks(const char *s) { return s + strspn(s, " \t"); }

// The next word of a line with commas between: its length, without blanks at its ends.
static size_t word_at(const char *s) {
  size_t n = strcspn(s, ",");
  while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t')) n--;
  return n;
}

// A word without the quote that keeps it from being a formula: where it begins, *length of it.
static const char *unquoted(const char *s, size_t *length) {
  *length = word_at(s);
  const bool quoted = *length > 1 && s[0] == AP__LOG_QUOTE && strchr(AP__LOG_FORMULA, s[1]);
  *length -= quoted;
  return s + quoted;
}

// Behind a word: the next one; NULL at the end of the line.
static const char *next_word(const char *s) {
  s += strcspn(s, ",");
  return *s ? skip_blanks(s + 1) : NULL;
}

static bool is_word(const char *s, const char *word) {
  const size_t n = strlen(word);
  return s && word_at(s) == n && strncmp(s, word, n) == 0;
}

static ap_status read_columns(csv_reader *c, ap_error *error) {
  const char *names;
  ap_status status = ap_rows_header(c->rows, &names, error);
  if (!status && !names)
    return AP__REFUSE(error, AP_E_SYNTAX, 1,
                      "the file is empty (a log begins with a line that names its columns)");
  for (const char *s = names; !status && s; s = next_word(s)) {
    size_t n;
    const char *name = unquoted(s, &n);
    status = ap__log_add_column(&c->r, false, name, n, "", ap_rows_line(c->rows), error);
  }
  return status;
}

// t,event,body/point, numbers, wall.
static ap_status read_event_columns(csv_reader *c, ap_error *error) {
  static const char *const first[] = {"t", AP__LOG_EVENT, AP__LOG_POINT};
  const char *s;
  ap_status status = ap_rows_header(c->events, &s, error);
  if (status) return status;
  if (!s) {
    ap_rows_close(c->events);
    c->events = NULL;
    return AP_OK;
  }
  for (int k = 0; k < 3; k++) {
    if (!is_word(s, first[k])) s = NULL;
    if (s) s = next_word(s);
  }
  const int line = ap_rows_line(c->events);
  for (; !status && s && next_word(s); s = next_word(s)) {
    size_t n;
    const char *name = unquoted(s, &n);
    status = ap__log_add_column(&c->r, true, name, n, "", line, error);
  }
  if (!status && !is_word(s, AP__LOG_WALL))
    return AP__REFUSE(error, AP_E_SYNTAX, line,
                      "not the events of a run (expected the columns t,%s,%s, ..., %s)",
                      AP__LOG_EVENT, AP__LOG_POINT, AP__LOG_WALL);
  return status;
}

// An error in the file of events, whose name the caller does not know.
static ap_status tell_of_events(const csv_reader *c, ap_status status, const ap_error *own,
                                ap_error *error) {
  if (status == AP_E_MEMORY) return ap__no_memory(error);
  const char *name = c->events_path ? c->events_path : "events";
  return AP__REFUSE(error, status, 0, "its events, %s:%d: %s", ap__path_end(name), own->line,
                    own->text);
}

// ---- opening -----------------------------------------------------------------------------------

static ap_status open_events(csv_reader *c, const char *path, ap_error *error) {
  bool no_memory = false;
  ap_error own = {0};
  c->events_path = path_beside(path, ".events.csv", &no_memory);
  if (no_memory) return ap__no_memory(error);
  if (!c->events_path) return AP_OK;
  ap_status status = ap_rows_open(c->events_path, &c->events, &own);
  if (!status) status = read_event_columns(c, &own);
  return status ? tell_of_events(c, status, &own, error) : AP_OK;
}

// The scenario, without the line that says where it was.
static ap_status read_scenario(csv_reader *c, const char *path, ap_error *error) {
  bool no_memory = false;
  char *name = path_beside(path, ".scenario.yaml", &no_memory);
  size_t length;
  ap_error own = {0};
  if (no_memory) return ap__no_memory(error);
  if (!name) return AP_OK;
  ap_status status = ap__read_file(name, &c->r.text, &length, &own);
  if (status == AP_E_MEMORY)
    ap__no_memory(error);
  else if (status)
    ap__fail(error, status, 0, "its scenario, %s: %s", ap__path_end(name), own.text);
  free(name);
  if (status) return status;
  const char *text = c->r.text;
  if (strncmp(text, AP__LOG_PLACE, strlen(AP__LOG_PLACE)) == 0) {
    const char *place = text + strlen(AP__LOG_PLACE), *end = place + strcspn(place, "\r\n");
    c->r.about.scenario_file = ap__pool_text(&c->r.pool, place, (size_t)(end - place));
    if (!c->r.about.scenario_file) return ap__no_memory(error);
    text = *end ? end + 1 : end;
  }
  c->r.about.scenario = text;
  return AP_OK;
}

static ap_status open_log(ap_log_reader *r, const char *path, ap_error *error) {
  csv_reader *c = (csv_reader *)r;
  ap_status status = ap_rows_open(path, &c->rows, error);
  if (!status) status = read_columns(c, error);
  if (!status) status = open_events(c, path, error);
  return status ? status : read_scenario(c, path, error);
}

// ---- reading -----------------------------------------------------------------------------------

static ap_status next(ap_log_reader *r, double *row, bool *end, ap_error *error) {
  csv_reader *c = (csv_reader *)r;
  if (r->any) ap__rows_allow_any(c->rows);
  ap_status status = ap_rows_next(c->rows, r->about.columns, row, end, error);
  if (*end || (status && status != AP_E_SYNTAX) || !ap__rows_cut(c->rows)) return status;
  *end = true; // the line that a killed run could not complete
  r->about.whole = false;
  return AP_OK;
}

static ap_status refuse_event(const csv_reader *c, const char *what, const char *s,
                              ap_error *error) {
  const int n = s ? (int)word_at(s) : 0;
  return AP__REFUSE(error, AP_E_SYNTAX, ap_rows_line(c->events), "%s, not \"%.*s\"", what,
                    n < 40 ? n : 40, s ? s : "");
}

static bool number_at(const char *s, double *x) {
  const char *end;
  return ap__parse_double(s, &end, x) == AP__NUMBER &&
         (*skip_blanks(end) == ',' || !*skip_blanks(end));
}

static ap_status read_event(csv_reader *c, const char *s, ap_logged_event *event, ap_error *error) {
  const char *word[3] = {"", "", ""};
  if (!number_at(s, &event->t))
    return refuse_event(c, "an event must begin with its time", s, error);
  ap__pool_free(&c->words);
  const int n = c->r.about.event_columns;
  for (int k = 0; k < n + 3; k++) {
    s = next_word(s);
    if (!s)
      return AP__REFUSE(error, AP_E_SYNTAX, ap_rows_line(c->events),
                        "an event has %d columns, not %d", n + 4, k + 1);
    if (k >= 2 && k < n + 2) {
      if (!number_at(s, &c->r.number[k - 2])) return refuse_event(c, "expected a number", s, error);
      continue;
    }
    size_t length;
    const char *from = unquoted(s, &length);
    const char *own = ap__pool_text(&c->words, from, length);
    if (!own) return ap__no_memory(error);
    word[k < 2 ? k : 2] = own;
  }
  if (next_word(s))
    return AP__REFUSE(error, AP_E_SYNTAX, ap_rows_line(c->events),
                      "an event has %d columns, not more", n + 4);
  event->event = word[0];
  event->point = word[1];
  event->wall = word[2];
  event->numbers = c->r.number;
  return AP_OK;
}

static ap_status next_event(ap_log_reader *r, ap_logged_event *event, bool *end, ap_error *error) {
  csv_reader *c = (csv_reader *)r;
  const char *s = NULL;
  ap_error own = {0};
  *end = !c->events;
  if (*end) return AP_OK;
  ap_status status = ap_rows_header(c->events, &s, &own);
  *end = !status && (!s || ap__rows_cut(c->events));
  if (*end && s) r->about.whole = false;
  if (!status && !*end) status = read_event(c, s, event, &own);
  return status ? tell_of_events(c, status, &own, error) : AP_OK;
}

static int line(const ap_log_reader *r) {
  const csv_reader *c = (const csv_reader *)r;
  return c->rows ? ap_rows_line(c->rows) : 0;
}

static void close_log(ap_log_reader *r) {
  csv_reader *c = (csv_reader *)r;
  ap_rows_close(c->rows);
  ap_rows_close(c->events);
  ap__pool_free(&c->words);
  free(c->events_path);
}

const ap__log_source ap__log_of_csv = {.size = sizeof(csv_reader),
                                       .open = open_log,
                                       .next = next,
                                       .next_event = next_event,
                                       .line = line,
                                       .close = close_log};

ap_status ap__log_memory(const char *rows, size_t length, const char *events, size_t event_length,
                         ap_log_reader **reader, ap_error *error) {
  *reader = NULL;
  csv_reader *c = calloc(1, sizeof *c);
  if (!c) return ap__no_memory(error);
  ap_error own = {0};
  c->r.source = &ap__log_of_csv;
  ap_status status = ap__rows_memory(rows, length, &c->rows, error);
  if (!status) status = read_columns(c, error);
  if (!status && events) status = ap__rows_memory(events, event_length, &c->events, error);
  if (!status && events && (status = read_event_columns(c, &own)))
    tell_of_events(c, status, &own, error);
  if (!status) status = ap__log_ready(&c->r, error);
  if (status)
    ap_log_close(&c->r);
  else
    *reader = &c->r;
  return status;
}
