// SPDX-License-Identifier: Apache-2.0
// Events of a log as the page has them.

#include <stdio.h>
#include <string.h>

#include "run/report.h"

enum { MOST_EVENTS = 100000 };

// Numbers of an event; NAME.x, NAME.y, NAME.z side by side are one vector NAME. The state is among
// the rows.
static void write_numbers(const ap__report *report, const ap_logged_event *e, ap_json *json) {
  const ap_log_about *about = report->about;
  for (int k = 0; k < about->event_columns; k++) {
    const char *name = about->event_column[k].name;
    const size_t n = strlen(name);
    char vector[256];
    if (report->jumps.of_state[k]) continue;
    const bool is_vector = n > 2 && n < sizeof vector && strcmp(name + n - 2, ".x") == 0 &&
                           k + 2 < about->event_columns;
    if (!is_vector) {
      ap_json_number(json, name, e->numbers[k]);
      continue;
    }
    snprintf(vector, sizeof vector, "%.*s", (int)n - 2, name);
    ap_json_numbers(json, vector, e->numbers + k, 3);
    k += 2;
  }
}

static void write_event(const ap__report *report, const ap_logged_event *e, ap_json *json) {
  ap_json_open(json, NULL, '{');
  ap_json_number(json, "t", e->t);
  ap_json_string(json, "event", e->event);
  ap_json_string(json, "point", e->point);
  ap_json_string(json, "wall", e->wall);
  write_numbers(report, e, json);
  ap_json_close(json, '}');
}

ap_status ap__report_events(ap__report *report, ap_json *json) {
  ap_logged_event event;
  double last = 0; // touches of one impact share its number
  ap_status status = ap__report_jumps_plan(report);
  if (status != AP_OK) return status;
  const int number = report->jumps.number;
  ap_json_open(json, "events", '[');
  for (bool end = false;;) {
    status = ap_log_next_event(report->run->recorded.reader, &event, &end, report->error);
    if (status != AP_OK) return status;
    if (end) break;
    if (report->events++ < MOST_EVENTS) write_event(report, &event, json);
    status = ap__report_jumps_note(report, &event);
    if (status != AP_OK) return status;
    if (strcmp(event.event, "impact") != 0 || (number >= 0 && event.numbers[number] == last))
      continue;
    if (number >= 0) last = event.numbers[number];
    report->impacts++;
  }
  ap_json_close(json, ']');
  if (report->events > MOST_EVENTS)
    ap__report_warn(report, "of %ld events the page shows the first %d", report->events,
                    MOST_EVENTS);
  return AP_OK;
}
