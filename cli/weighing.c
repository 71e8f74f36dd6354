// SPDX-License-Identifier: Apache-2.0
#include "weighing.h"

#include <stdio.h>

#include "ui/table.h"

static void warn(const char *path, const ap_weighed *w, const char *what, const char *text) {
  char line[800], name[100];
  if (!*text) return;
  snprintf(line, sizeof line, "link \"%s\": %s%s", cli_plain(w->link, name, sizeof name), what,
           text);
  cli_warn(path, w->line, line);
}

static void warn_of_all(const char *path, const ap_weighing *weighing) {
  for (int i = 0; i < ap_weighing_links(weighing); i++) {
    const ap_weighed *w = ap_weighing_link(weighing, i);
    warn(path, w, "", w->remark);
    warn(path, w, "its inertia stays as it is: ", w->problem);
  }
}

int cli_weigh(ap_robot *robot, const char *path, const ap_weigh_options *options,
              ap_weighing **weighing) {
  ap_error error = {0};
  error.status = ap_weigh(robot, path, options, weighing, &error);
  if (error.status != AP_OK) return cli_fail_input(path, &error);
  warn_of_all(path, *weighing);
  return CLI_OK;
}

int cli_weigh_file(const char *path, const ap_weigh_options *options, ap_weighing **weighing) {
  ap_error error = {0};
  char text[sizeof error.text + 40];
  error.status = ap_weigh_file(path, options, weighing, &error);
  if (error.status == AP_E_SYNTAX) { // a finding of its own
    snprintf(text, sizeof text, "nothing is corrected: %s", error.text);
    cli_warn(path, error.line, text);
    return CLI_OK;
  }
  if (error.status != AP_OK) return cli_fail_input(path, &error);
  warn_of_all(path, *weighing);
  return CLI_OK;
}

static void add_row(cli_table *table, const char *name, const char *of, const ap_link_mass *m) {
  cli_table_add(table, "%s", name);
  cli_table_add(table, "%s", of);
  cli_table_add(table, "%.4g", m->mass);
  for (int i = 0; i < 3; i++) cli_table_add(table, "%.4g", m->com[i]);
  for (int i = 0; i < 3; i++) cli_table_add(table, "%.4g", m->moment[i]);
}

static int count_done(const ap_weighing *weighing) {
  int n = 0;
  for (int i = 0; i < ap_weighing_links(weighing); i++) n += ap_weighing_link(weighing, i)->done;
  return n;
}

int cli_weighing_print(const ap_weighing *weighing, cli_out *out) {
  cli_table table = {.columns = 10, .keys = 2, .right = 0x1fc};
  if (count_done(weighing) == 0) {
    cli_out_printf(out, "no inertia was computed from shapes\n");
    return CLI_OK;
  }
  cli_table_headings(&table,
                     "link|from|mass kg|x m|y m|z m|I1 kg m2|I2 kg m2|I3 kg m2|because, volume");
  for (int i = 0; i < ap_weighing_links(weighing); i++) {
    const ap_weighed *w = ap_weighing_link(weighing, i);
    if (!w->done) continue;
    add_row(&table, w->link, "file", &w->before);
    cli_table_add(&table, "%s", w->reason);
    add_row(&table, "", w->collision ? "collision" : "visual", &w->after);
    cli_table_add(&table, "%.4g m3", w->volume);
  }
  const int status = cli_table_print(&table, out);
  cli_out_printf(out, "\n");
  return status;
}

static void json_mass(ap_json *json, const char *name, const ap_link_mass *m) {
  ap_json_open(json, name, '{');
  ap_json_number(json, "mass", m->mass);
  ap_json_numbers(json, "com", m->com, 3);
  ap_json_numbers(json, "inertia", m->inertia, 6);
  ap_json_numbers(json, "moments", m->moment, 3);
  ap_json_close(json, '}');
}

void cli_weighing_json(ap_json *json, const char *name, const ap_weighing *weighing) {
  ap_json_open(json, name, '[');
  for (int i = 0; i < ap_weighing_links(weighing); i++) {
    const ap_weighed *w = ap_weighing_link(weighing, i);
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "link", w->link);
    if (w->line > 0) ap_json_integer(json, "line", w->line);
    ap_json_string(json, "reason", w->reason);
    ap_json_bool(json, "done", w->done);
    ap_json_string(json, "problem", w->problem);
    ap_json_string(json, "remark", w->remark);
    ap_json_string(json, "shapes", w->collision ? "collision" : "visual");
    ap_json_integer(json, "count", w->nshape);
    ap_json_number(json, "volume", w->volume);
    ap_json_number(json, "overlap", w->overlap);
    json_mass(json, "before", &w->before);
    json_mass(json, "after", &w->after);
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}
