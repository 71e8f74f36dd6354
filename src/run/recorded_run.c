// SPDX-License-Identifier: Apache-2.0
// A log that is read back, with the scenario and robot that it belongs to where they are known.

#define _XOPEN_SOURCE 700 // for realpath()
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/robot.h"
#include "run/run.h"

enum { MOST_WARNINGS = 200 };

// ---- warnings ----------------------------------------------------------------------------------

void ap__log_run_warn(ap_run *run, bool told, const char *format, ...) {
  ap__log_run *l = &run->recorded;
  char line[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  ap__warning *grown = realloc(l->warning, (size_t)(l->warnings + 1) * sizeof *grown);
  if (grown) l->warning = grown;
  if (l->warnings == MOST_WARNINGS) return;
  const char *copy = grown ? ap__pool_text(&run->pool, line, strlen(line)) : NULL;
  l->failed = l->failed || !copy;
  if (copy) l->warning[l->warnings++] = (ap__warning){copy, told};
}

// ---- scenario and robot ------------------------------------------------------------------------

// A scenario that is given: what is wrong with it is an error.
static ap_status read_given(ap_run *run, const char *path, ap_error *error) {
  ap_error one = {0}, other = {0};
  const ap_status status = ap_scenario_read(path, &run->scenario, &one);
  if (status == AP_OK) return AP_OK;
  if (ap_control_read(path, NULL, &run->control, &other) == AP_OK) return AP_OK;
  const bool control = strstr(other.text, "appell-scenario") != NULL || other.line > one.line;
  if (control) one = other;
  if (!control) one.status = status;
  if (error) *error = one;
  return one.status;
}

// A log, which a stranger may have made, names any file as its scenario. It is the user's word only
// where that file has the scenario of the log, at the place that a run would have written: then the
// log leads nowhere that the scenario of the user, or of the system, does not.
static bool is_users(const ap_log_about *about, bool *failed) {
  const char *place = about->scenario_file;
  struct stat is;
  char *text = NULL, real[PATH_MAX];
  size_t length;
  bool good = place && realpath(place, real) && strcmp(real, place) == 0 && stat(real, &is) == 0 &&
              S_ISREG(is.st_mode) && (is.st_uid == geteuid() || is.st_uid == 0);
  if (good) {
    const ap_status status = ap__read_file(real, &text, &length, NULL);
    *failed = *failed || status == AP_E_MEMORY;
    good = status == AP_OK && ap__is_logged(text, about->scenario);
  }
  free(text);
  return good;
}

// The robot where the scenario was, else beside the log: the folder may have been moved.
static ap_status parse_own(ap_run *run, const ap_log_about *about, bool *users, ap_error *why) {
  const char *slash = strrchr(run->path, '/'), *place = about->scenario_file;
  const char *within =
      slash ? ap__pool_text(&run->pool, run->path, (size_t)(slash - run->path) + 1) : ".";
  const ap_run_kind kind = ap__kind_of_text(about->scenario);
  bool failed = !within;
  ap_error beside = {0};
  *users = !failed && is_users(about, &failed);
  if (failed) return AP_E_MEMORY;
  const ap_status status = ap__run_parse(run, kind, about->scenario, place ? place : run->path,
                                         *users ? NULL : within, NULL, why);
  if (status == AP_OK || status == AP_E_MEMORY || !place) return status;
  return ap__run_parse(run, kind, about->scenario, run->path, within, NULL, &beside);
}

// The log's own: without it there is less to be seen, which is said.
static ap_status read_own(ap_run *run, ap_error *error) {
  const ap_log_about *about = ap_log_describe(run->recorded.reader);
  const char *place = about->scenario_file;
  ap_error why = {0};
  bool users;
  if (!about->scenario) {
    ap__log_run_warn(run, true,
                     "the log has no scenario, so no robot is drawn (use --scenario FILE)");
    return AP_OK;
  }
  const ap_status status = parse_own(run, about, &users, &why);
  if (status == AP_E_MEMORY) return ap__no_memory(error);
  if (status == AP_OK) return AP_OK;
  const bool other = place && !users;
  ap__log_run_warn(run, true,
                   "its scenario cannot be read, so no robot is drawn: line %d: %s%s%.*s%s (use "
                   "--scenario FILE)",
                   why.line, why.text, other ? ", and the log's scenario is not that of " : "",
                   other ? ap__shown(place) : 0, other ? place : "",
                   other ? ", or that is not your file" : "");
  return AP_OK;
}

static void note_remarks(ap_run *run) {
  const ap_error *w;
  for (int i = 0; (w = run->scenario  ? ap_scenario_warning(run->scenario, i)
                       : run->control ? ap_control_warning(run->control, i)
                                      : NULL);
       i++)
    ap__log_run_warn(run, false, "%s", w->text); // the run has told it
  for (int i = 0; run->model && i < ap_model_remarks(run->model); i++) {
    char line[400];
    const ap_remark remark = ap_model_remark(run->model, i);
    if (remark.kind == AP_REMARK_GYRATION) continue;
    ap__log_run_warn(run, false, "%s", ap_remark_text(run->model, remark, line, sizeof line));
  }
}

// ---- columns -----------------------------------------------------------------------------------

static void add_columns(ap__columns *list, const ap_column *column, int n,
                        const ap__columns *known) {
  for (int k = 0; k < n; k++) {
    const ap__quantity *quantity = ap__quantity_of(column[k].name);
    const ap_column *same = ap__columns_find(known, column[k].name, k);
    const char *unit = column[k].unit[0] ? column[k].unit
                       : same            ? same->unit
                       : quantity->group ? quantity->unit
                                         : "";
    ap__columns_add_named(list, column[k].name, unit);
  }
}

// Does the log have the coordinates of the run, in their places behind t?
static bool has_coordinates(const ap_log_about *about, const ap__columns *known, int nq) {
  bool same = about->columns > nq && known->n > nq;
  for (int k = 1; same && k <= nq; k++)
    same = strcmp(about->column[k].name, known->column[k].name) == 0;
  return same;
}

// The log's columns; where it does not say their units, those of the scenario's run.
static bool name_columns(ap_run *run) {
  const ap_log_about *about = ap_log_describe(run->recorded.reader);
  ap__columns rows = {0}, events = {0};
  ap__columns_free(&run->rows);
  ap__columns_free(&run->events);
  if (run->scenario) ap__simulation_columns(run->scenario, &rows, &events);
  if (run->control) ap__control_columns(&rows, run->model);
  add_columns(&run->rows, about->column, about->columns, &rows);
  add_columns(&run->events, about->event_column, about->event_columns, &events);
  run->recorded.replays = run->model && has_coordinates(about, &rows, ap_nq(run->model));
  const bool good = !rows.failed && !events.failed;
  ap__columns_free(&rows);
  ap__columns_free(&events);
  return good && ap__columns_ready(&run->rows) && ap__columns_ready(&run->events);
}

// ---- the two together --------------------------------------------------------------------------

static void forget_scenario(ap_run *run) {
  ap_scenario_free(run->scenario);
  ap_control_free(run->control);
  run->scenario = NULL;
  run->control = NULL;
  run->model = NULL;
  run->scene = NULL;
  run->recorded.robot = NULL;
  run->recorded.mechanism = NULL;
  run->recorded.robot_file = NULL;
  run->recorded.warnings = 0;
}

// What a scenario tells of the log. Meshes are looked for from the robot's own file, never from the
// place of the scenario, which a log could invent.
static ap_status use_scenario(ap_run *run, ap_error *error) {
  ap__log_run *l = &run->recorded;
  const char *file = NULL;
  l->text = ap_log_describe(l->reader)->scenario;
  if (run->scenario) {
    l->text = ap_scenario_text(run->scenario);
    l->robot = ap_scenario_robot(run->scenario);
    l->mechanism = ap_scenario_mechanism(run->scenario);
    run->model = ap_scenario_model(run->scenario);
    run->scene = ap_scenario_scene(run->scenario);
    file = ap_scenario_file(run->scenario, 0);
  } else if (run->control) {
    l->text = ap_control_text(run->control);
    l->robot = ap_control_robot(run->control);
    run->model = ap_control_model(run->control);
    file = ap_control_file(run->control);
  }
  l->robot_file = file ? ap__pool_text(&run->pool, file, strlen(file)) : NULL;
  if (file && !l->robot_file) return ap__no_memory(error);
  if (!name_columns(run)) return ap__no_memory(error);
  if (run->model && !l->replays)
    ap__log_run_warn(run, true,
                     "its columns do not match the robot \"%s\": the robot is drawn at rest",
                     ap_model_name(run->model));
  note_remarks(run);
  l->own = l->warnings;
  return l->failed ? ap__no_memory(error) : AP_OK;
}

ap_status ap_run_set_scenario(ap_run *run, const char *path, ap_error *error) {
  if (run->kind != AP_RUN_LOG || run->stepped || run->log)
    return AP__REFUSE(error, AP_E_ARG, 0, "a scenario can be set only before the log is read");
  forget_scenario(run);
  const ap_status status = read_given(run, path, error);
  return status == AP_OK ? use_scenario(run, error) : status;
}

// ---- the kind ----------------------------------------------------------------------------------

static ap_status start(ap_run *run, ap_error *error) {
  (void)run, (void)error;
  return AP_OK;
}

// Events up to a time; a contact may be told before its time, and those behind it wait for it.
static ap_status tell_events(ap_run *run, double t, ap_error *error) {
  ap__log_run *l = &run->recorded;
  while (!l->no_events) {
    if (!l->has_event) {
      const ap_status status = ap_log_next_event(l->reader, &l->event, &l->no_events, error);
      if (status != AP_OK) return status;
      l->has_event = !l->no_events;
    }
    if (!l->has_event || l->event.t > t) break;
    ap__run_event(run, &l->event, NULL);
    l->has_event = false;
  }
  return AP_OK;
}

static ap_status step(ap_run *run, bool *end, ap_error *error) {
  const ap_status status = ap_log_next(run->recorded.reader, run->rows.row, end, error);
  return status == AP_OK ? tell_events(run, *end ? INFINITY : run->rows.row[0], error) : status;
}

static double part(const ap_run *run) {
  (void)run;
  return -1;
}

static void release(ap_run *run) {
  forget_scenario(run);
  free(run->recorded.warning);
  ap_log_close(run->recorded.reader);
}

ap_status ap__log_run_rewind(ap_run *run, ap_error *error) {
  ap__log_run *l = &run->recorded;
  l->warnings = l->own;
  if (!run->stepped) {
    run->stepped = true;
    return AP_OK;
  }
  ap_log_reader *again;
  const ap_status status = ap_log_open(run->path, &again, error);
  if (status != AP_OK) return status;
  ap_log_close(l->reader);
  l->reader = again;
  l->has_event = l->no_events = false;
  ap_log_allow_any(l->reader);
  if (!run->scenario && !run->control) l->text = ap_log_describe(l->reader)->scenario;
  if (ap_log_describe(l->reader)->columns == run->rows.n) return AP_OK;
  return AP__REFUSE(error, AP_E_FILE, 0, "the log has changed since it was opened");
}

ap_status ap__log_run_open(ap_run *run, ap_error *error) {
  static const ap__run_source source = {start, step, part, release};
  ap_status status = ap_log_open(run->path, &run->recorded.reader, error);
  if (status != AP_OK) return status;
  run->source = &source;
  ap_log_allow_any(run->recorded.reader); // a sensor may give no number
  status = read_own(run, error);
  if (status != AP_OK) return status;
  return use_scenario(run, error);
}
