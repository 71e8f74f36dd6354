// Events of a log as the page has them.

#include <string.h>

#include "page.h"

enum { MOST_EVENTS = 100000 };

// Numbers of an event; NAME.x, NAME.y, NAME.z side by side are one vector NAME. The state is among
// the rows.
static void write_numbers(const cli_run *run, const ap_logged_event *e, cli_json *json) {
  const ap_log_about *about = run->about;
  for (int k = 0; k < about->event_columns; k++) {
    const char *name = about->event_column[k].name;
    const size_t n = strlen(name);
    char vector[256];
    if (run->jumps.of_state[k]) continue;
    const bool is_vector = n > 2 && n < sizeof vector && strcmp(name + n - 2, ".x") == 0 &&
                           k + 2 < about->event_columns;
    if (!is_vector) {
      cli_json_number(json, name, e->numbers[k]);
      continue;
    }
    snprintf(vector, sizeof vector, "%.*s", (int)n - 2, name);
    cli_json_numbers(json, vector, e->numbers + k, 3);
    k += 2;
  }
}

static void write_event(const cli_run *run, const ap_logged_event *e, cli_json *json) {
  cli_json_open(json, NULL, '{');
  cli_json_number(json, "t", e->t);
  cli_json_string(json, "event", e->event);
  cli_json_string(json, "point", e->point);
  cli_json_string(json, "wall", e->wall);
  write_numbers(run, e, json);
  cli_json_close(json, '}');
}

int cli_events_write(cli_run *run, cli_json *json) {
  ap_logged_event event;
  ap_error error = {0};
  double last = 0; // touches of one impact share its number
  int status = cli_jumps_plan(run);
  if (status != CLI_OK) return status;
  const int number = run->jumps.number;
  cli_json_open(json, "events", '[');
  for (bool end = false;;) {
    error.status = ap_log_next_event(run->log, &event, &end, &error);
    if (error.status != AP_OK) return cli_fail_input(run->path, &error);
    if (end) break;
    if (run->events++ < MOST_EVENTS) write_event(run, &event, json);
    status = cli_jumps_note(run, &event);
    if (status != CLI_OK) return status;
    if (strcmp(event.event, "impact") != 0 || (number >= 0 && event.numbers[number] == last))
      continue;
    if (number >= 0) last = event.numbers[number];
    run->impacts++;
  }
  cli_json_close(json, ']');
  if (run->events > MOST_EVENTS)
    cli_run_warn(run, "of %ld events the page has the first %d", run->events, MOST_EVENTS);
  return CLI_OK;
}
