// SPDX-License-Identifier: Apache-2.0
// What all runs share: opening, stepping, events, recording.

#include "run/run.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "file/names.h"
#include "file/robot.h"

enum { HEAD_BYTES = 1 << 14 };

static const double flush_every = 0.5; // s, of the log

// ---- open and free -----------------------------------------------------------------------------

ap_run_kind ap__kind_of_text(const char *text) {
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, "appell-control:", 15) == 0) return AP_RUN_CONTROL;
    if (strncmp(line, "appell-scenario:", 16) == 0) return AP_RUN_SIMULATION;
  }
  return AP_RUN_LOG;
}

// By its beginning; a file that is not there is for its reader to refuse.
static ap_run_kind kind_of_file(const char *path) {
  char head[HEAD_BYTES + 1];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t n = file >= 0 ? read(file, head, HEAD_BYTES) : 0;
  if (file >= 0) close(file);
  head[n > 0 ? n : 0] = 0;
  return ap__kind_of_text(head);
}

ap_status ap__run_open_text(const char *path, const char *text, const ap__robot_edit *edit,
                            const ap_run_options *options, ap_run **run, ap_error *error) {
  *run = NULL;
  ap_run *r = calloc(1, sizeof *r);
  if (!r) return ap__no_memory(error);
  r->path = ap__pool_text(&r->pool, path, strlen(path));
  r->text = text;
  r->edit = edit;
  r->kind = options->kind != AP_RUN_ANY ? options->kind
            : text                      ? ap__kind_of_text(text)
                                        : kind_of_file(path);
  const ap_status status = !r->path                       ? ap__no_memory(error)
                           : r->kind == AP_RUN_SIMULATION ? ap__simulation_open(r, options, error)
                           : r->kind == AP_RUN_CONTROL    ? ap__control_run_open(r, options, error)
                                                          : ap__log_run_open(r, error);
  r->text = NULL;
  r->edit = NULL;
  if (status == AP_OK)
    *run = r;
  else
    ap_run_free(r);
  return status;
}

ap_status ap_run_open(const char *path, const ap_run_options *options, ap_run **run,
                      ap_error *error) {
  const ap_run_options none = {0};
  return ap__run_open_text(path, NULL, NULL, options ? options : &none, run, error);
}

void ap_run_free(ap_run *run) {
  if (!run) return;
  if (run->source) run->source->release(run);
  ap_log_free(run->log);
  ap__columns_free(&run->rows);
  ap__columns_free(&run->events);
  ap_scenario_free(run->scenario);
  ap_control_free(run->control);
  ap__pool_free(&run->pool);
  free(run);
}

// ---- what it is --------------------------------------------------------------------------------

ap_run_kind ap_run_kind_of(const ap_run *run) { return run->kind; }
const ap_model *ap_run_model(const ap_run *run) { return run->model; }
const ap_scenario *ap_run_scenario(const ap_run *run) { return run->scenario; }
const ap_control *ap_run_control(const ap_run *run) { return run->control; }
const double *ap_run_row(const ap_run *run) { return run->at_row ? run->rows.row : NULL; }
const ap_error *ap_run_log_error(const ap_run *run) { return &run->log_error; }
const ap_error *ap_run_reference_error(const ap_run *run) { return &run->reference_error; }

const char *ap_run_warning(const ap_run *run, int i, int *line) {
  *line = 0;
  if (run->kind == AP_RUN_LOG) {
    const ap__log_run *l = &run->recorded;
    for (int k = 0; k < l->warnings; k++)
      if (l->warning[k].told && i-- == 0) return l->warning[k].text;
    return NULL;
  }
  const ap_error *w =
      run->scenario ? ap_scenario_warning(run->scenario, i) : ap_control_warning(run->control, i);
  if (w) *line = w->line;
  return w ? w->text : NULL;
}

const ap_column *ap_run_columns(const ap_run *run, int *n) {
  *n = run->rows.n;
  return run->rows.column;
}

const ap_column *ap_run_event_columns(const ap_run *run, int *n) {
  *n = run->events.n;
  return run->events.column;
}

int ap_run_find(const ap_run *run, const char *name) {
  const ap_column *column = ap__columns_find(&run->rows, name, 0);
  return column ? (int)(column - run->rows.column) : -1;
}

// ---- stepping ----------------------------------------------------------------------------------

void ap_run_on_event(ap_run *run, ap_run_tell *tell, void *context) {
  run->tell = tell;
  run->context = context;
}

void ap__run_event(ap_run *run, const ap_logged_event *e, const ap_event *touch) {
  if (run->tell) run->tell(run->context, e, touch);
  if (run->log && run->log_error.status == AP_OK)
    run->log_error.status =
        ap_log_event(run->log, e->t, e->event, e->point, e->wall, e->numbers, &run->log_error);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void flush(ap_run *run) {
  if (run->log && run->log_error.status == AP_OK)
    run->log_error.status = ap_log_flush(run->log, &run->log_error);
}

void ap__run_flush(ap_run *run) {
  if (!run->log || now() - run->flushed < flush_every) return;
  flush(run);
  run->flushed = now();
}

static ap_status fail_log(const ap_run *run, ap_error *error) {
  if (error && run->log_error.status != AP_OK) *error = run->log_error;
  return run->log_error.status;
}

ap_status ap_run_start(ap_run *run, ap_error *error) {
  const ap_status status = run->started ? AP_OK : run->source->start(run, error);
  if (status == AP_OK) run->started = true;
  return status;
}

ap_status ap_run_step(ap_run *run, bool *end, ap_error *error) {
  *end = false;
  run->at_row = false;
  ap_status status = ap_run_start(run, error);
  if (status == AP_OK) status = run->source->step(run, end, error);
  run->stepped = true;
  if (status != AP_OK || *end) return status;
  run->at_row = true;
  if (run->log && run->log_error.status == AP_OK)
    run->log_error.status = ap_log_row(run->log, run->rows.row, &run->log_error);
  ap__run_flush(run);
  return run->kind == AP_RUN_CONTROL ? AP_OK : fail_log(run, error);
}

ap_status ap_run_all(ap_run *run, ap_run_watch *watch, void *context, ap_error *error) {
  for (bool end = false;;) {
    const ap_status status = ap_run_step(run, &end, error);
    if (status != AP_OK) return status;
    if (end) return ap_run_finish(run, error);
    if (watch && !watch(context, run, run->source->part(run))) {
      flush(run);
      return fail_log(run, error);
    }
  }
}

ap_status ap_run_use(ap_run *run, const ap_functions *functions, ap_error *error) {
  if (run->kind == AP_RUN_LOG || run->started)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "only a simulation or a controller that has not started takes functions");
  run->code = functions;
  ap_sim_free(run->simulation.sim); // of a start that failed
  run->simulation.sim = NULL;
  if (run->control) ap_control_use(run->control, functions);
  return AP_OK;
}

// ---- recording ---------------------------------------------------------------------------------

static const char *joint_of(const ap_model *m, int coordinate) {
  int i = 1;
  while (coordinate >= ap_joint_q(m, i) + ap_joint_nq(m, i) || ap_joint_nq(m, i) == 0) i++;
  return ap__joint_name(ap_body(m, i));
}

// Joints whose names differ only in what no column has would have one column. The coordinates are
// the first columns behind t.
static ap_status check_joints(const ap_run *run, ap_error *error) {
  const int n = run->kind == AP_RUN_LOG ? 0 : ap_nq(run->model);
  const ap_column *column = run->rows.column + 1;
  ap__names names = {0};
  if (!ap__names_init(&names, n)) return ap__no_memory(error);
  ap_status status = AP_OK;
  for (int k = 0; k < n && status == AP_OK; k++) {
    const int same = ap__names_put(&names, column[k].name, k);
    if (same < 0) continue;
    const char *one = joint_of(run->model, same), *other = joint_of(run->model, k);
    status = AP__REFUSE(error, AP_E_ARG, 0,
                        "the joints \"%.*s\" and \"%.*s\" would share the column %.*s of the log "
                        "(rename one)",
                        ap__shown(one), one, ap__shown(other), other, ap__shown(column[k].name),
                        column[k].name);
  }
  ap__names_free(&names);
  return status;
}

ap_status ap_run_record(ap_run *run, const char *path, ap_error *error) {
  ap_status status = ap_run_start(run, error);
  if (status == AP_OK) status = check_joints(run, error);
  if (status != AP_OK) return status;
  if (run->stepped || run->log)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "recording must start before the first row, and only once");
  const ap_log_about *about =
      run->kind == AP_RUN_LOG ? ap_log_describe(run->recorded.reader) : NULL;
  const ap_log_def def = {.column = run->rows.column,
                          .columns = run->rows.n,
                          .event_column = run->events.column,
                          .event_columns = run->events.n,
                          .scenario = about           ? run->recorded.text
                                      : run->scenario ? ap_scenario_text(run->scenario)
                                                      : ap_control_text(run->control),
                          .scenario_file = about ? about->scenario_file : run->path,
                          .model = run->model ? ap_model_name(run->model)
                                   : about    ? about->model
                                              : NULL,
                          .longest_word = run->longest_word,
                          .robot = !about || run->recorded.replays ? run->model : NULL};
  run->flushed = now();
  return ap_log_create(path, &def, &run->log, error);
}

ap_status ap_run_finish(ap_run *run, ap_error *error) {
  if (run->log && run->log_error.status == AP_OK)
    run->log_error.status = ap_log_finish(run->log, &run->log_error);
  return fail_log(run, error);
}
