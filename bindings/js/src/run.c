// SPDX-License-Identifier: Apache-2.0
// Runs of scenarios: rows and events gathered in memory.

#include <appell/run.h>

#include <stdlib.h>
#include <string.h>

#include "js.h"

typedef struct js_run {
  ap_run *run;
  double *row; // [rows * columns]
  size_t rows, room;
  int columns;
  char *event; // a list as JSON
  size_t events, event_room;
  ap_json json;
  bool lost; // no memory
  bool end;
} js_run;

JS(js_run_close) void js_run_close(js_run *r) {
  if (!r) return;
  ap_run_free(r->run);
  free(r->row);
  free(r->event);
  free(r);
}

static void add_event_text(void *context, const char *text, size_t length) {
  js_run *r = context;
  if (r->event_room - r->events < length) {
    const size_t room = 2 * (r->events + length);
    char *more = realloc(r->event, room);
    r->lost = r->lost || !more;
    if (!more) return;
    r->event = more;
    r->event_room = room;
  }
  memcpy(r->event + r->events, text, length);
  r->events += length;
}

static void on_event(void *context, const ap_logged_event *e, const ap_event *touch) {
  js_run *r = context;
  int n;
  (void)touch;
  ap_run_event_columns(r->run, &n);
  ap_json_open(&r->json, NULL, '{');
  ap_json_number(&r->json, "time", e->t);
  ap_json_string(&r->json, "kind", e->event);
  ap_json_string(&r->json, "point", e->point);
  ap_json_string(&r->json, "wall", e->wall);
  ap_json_numbers(&r->json, "numbers", e->numbers, n);
  ap_json_close(&r->json, '}');
}

JS(js_run_open) js_run *js_run_open(const char *path, double end, double step) {
  js_run *r = calloc(1, sizeof *r);
  if (!r) return js_fail(AP_E_MEMORY), NULL;
  ap_status status = ap_run_open(path, NULL, &r->run, &js_failure);
  double own_start, own_end, own_step;
  if (status == AP_OK) ap_run_times(r->run, &own_start, &own_end, &own_step);
  if (status == AP_OK && (end == end || step == step)) // NaN: not given
    status = ap_run_set_times(r->run, end == end ? end : own_end, step == step ? step : own_step,
                              &js_failure);
  if (status == AP_OK) status = ap_run_start(r->run, &js_failure);
  if (status != AP_OK) return js_run_close(r), NULL;
  ap_run_columns(r->run, &r->columns);
  r->json = (ap_json){.write = add_event_text, .context = r};
  ap_json_open(&r->json, NULL, '[');
  ap_run_on_event(r->run, on_event, r);
  return r;
}

static void columns_json(ap_json *json, const char *key, const ap_column *column, int n) {
  ap_json_open(json, key, '[');
  for (int i = 0; i < n; i++) {
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "name", column[i].name);
    ap_json_string(json, "unit", column[i].unit);
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

JS(js_run_describe) int js_run_describe(const js_run *r) {
  static const char *const kinds[] = {"", "simulation", "control", "log"};
  ap_json json = js_begin_json();
  int n, line;
  const char *warning;
  double start, end, step;
  ap_run_times(r->run, &start, &end, &step);
  ap_json_open(&json, NULL, '{');
  ap_json_string(&json, "kind", kinds[ap_run_kind_of(r->run)]);
  const ap_column *column = ap_run_columns(r->run, &n);
  columns_json(&json, "columns", column, n);
  column = ap_run_event_columns(r->run, &n);
  columns_json(&json, "eventColumns", column, n);
  ap_json_number(&json, "start", start);
  ap_json_number(&json, "end", end);
  ap_json_number(&json, "step", step);
  ap_json_open(&json, "warnings", '[');
  for (int i = 0; (warning = ap_run_warning(r->run, i, &line)); i++) {
    ap_json_open(&json, NULL, '{');
    ap_json_integer(&json, "line", line);
    ap_json_string(&json, "text", warning);
    ap_json_close(&json, '}');
  }
  ap_json_close(&json, ']');
  ap_json_close(&json, '}');
  return (int)js_end_text();
}

static bool add_row(js_run *r) {
  const size_t width = (size_t)r->columns * sizeof *r->row;
  if (r->rows == r->room) {
    const size_t room = 2 * r->room + 64;
    double *more = realloc(r->row, room * width);
    if (!more) return false;
    r->row = more;
    r->room = room;
  }
  memcpy(r->row + r->rows++ * (size_t)r->columns, ap_run_row(r->run), width);
  return true;
}

// Go on by at most so many rows; js_run_ended() tells whether there are more.
JS(js_run_go_on) int js_run_go_on(js_run *r, int rows) {
  for (int k = 0; k < rows && !r->end; k++) {
    const ap_status status = ap_run_step(r->run, &r->end, &js_failure);
    if (status != AP_OK) return (int)status;
    if (r->lost || (!r->end && !add_row(r))) return (int)js_fail(AP_E_MEMORY);
  }
  return AP_OK;
}

JS(js_run_ended) bool js_run_ended(const js_run *r) { return r->end; }
JS(js_run_rows) size_t js_run_rows(const js_run *r) { return r->rows; }
JS(js_run_numbers) const double *js_run_numbers(const js_run *r) { return r->row; }

// The events so far, as a text.
JS(js_run_events) int js_run_events(js_run *r) {
  js_begin_text();
  js_add_text(NULL, r->event, r->events);
  js_add_text(NULL, "]", 1);
  return (int)js_end_text();
}
