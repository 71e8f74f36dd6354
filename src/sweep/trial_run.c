// SPDX-License-Identifier: Apache-2.0
// Trials that run a scenario or a control scenario. Their parameters are numbers that stand in its
// file, or numbers of its robot: robot.LINK.mass; of a controller also of the robot that it
// believes in: believed.LINK.mass.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctrl/control.h"
#include "run/run.h"
#include "sweep/patch.h"
#include "sweep/study.h"
#include "sweep/statistic.h"

typedef enum target { IN_TEXT, IN_ROBOT, IN_BELIEVED } target;

// Where parameter p goes: place `at` of the texts or of the bodies.
typedef struct aim {
  target target;
  int at;
  double nominal;
} aim;

typedef struct own {
  const char *path;
  char *text;
  size_t length;
  ap_run_options options;
  aim *aim;         // [parameters]
  ap__place *place; // [places] by their order in the text
  ap__body_place *body;
  int places, bodies;
  ap__selection *taken; // [outcomes]; of an event the column of its number, -1: its time
} own;

typedef struct worker {
  const ap_sweep *sweep;
  const own *own;
  double *value;   // [parameters] of the trial
  double *written; // [places] in the text
  ap__text text;
  ap__robot_edit edit;
  ap__statistic *tally; // [outcomes]
  int columns;
} worker;

// ---- preparation -------------------------------------------------------------------------------

static const ap_robot *robot_of(const ap_run *run, bool believed) {
  if (run->scenario) return believed ? NULL : ap_scenario_robot(run->scenario);
  return believed ? run->control->robot : ap_control_robot(run->control);
}

static ap_status aim_at_robot(own *o, const ap_run *run, const ap__parameter *p, bool believed,
                              aim *a, ap_error *error) {
  char why[240];
  const ap_robot *robot = robot_of(run, believed);
  const char *key = strchr(p->key, '.') + 1;
  if (!robot)
    return ap__study_refuse(error, p->line, "%.*s: a scenario has no controller (robot.%.*s)",
                            ap__shown(p->key), p->key, ap__shown(key), key);
  if (!ap__body_find(robot, key, &o->body[o->bodies], why, sizeof why))
    return ap__study_refuse(error, p->line, "key: %s", why);
  if (o->body[o->bodies].density && !p->relative)
    return ap__study_refuse(error, p->line, "key: density is a factor (add relative: true)");
  *a = (aim){believed ? IN_BELIEVED : IN_ROBOT, o->bodies, o->body[o->bodies].nominal};
  o->bodies++;
  return AP_OK;
}

// Places are kept in the order of the text.
static ap_status aim_at_text(own *o, const ap_sweep *s, const ap__tree *tree, int p, aim *a,
                             ap_error *error) {
  char why[240];
  ap__place place;
  const ap__parameter *parameter = &s->parameter[p];
  if (!ap__place_find(tree, o->text, parameter->key, &place, why, sizeof why))
    return ap__study_refuse(error, parameter->line, "key: %s", why);
  int at = o->places;
  while (at > 0 && o->place[at - 1].offset > place.offset) at--;
  if (at > 0 && o->place[at - 1].offset == place.offset)
    return ap__study_refuse(error, parameter->line, "key: two parameters change \"%.*s\"",
                            ap__shown(parameter->key), parameter->key);
  memmove(&o->place[at + 1], &o->place[at], (size_t)(o->places - at) * sizeof *o->place);
  for (int k = 0; k < p; k++)
    if (o->aim[k].target == IN_TEXT && o->aim[k].at >= at) o->aim[k].at++;
  o->place[at] = place;
  o->places++;
  *a = (aim){IN_TEXT, at, place.nominal};
  return AP_OK;
}

static ap_status aim_all(own *o, const ap_sweep *s, const ap_run *run, ap_error *error) {
  ap__tree tree = {0};
  ap_status status = AP_OK;
  if (!ap__tree_yaml(&tree, o->text, o->length, "a scenario", "appell-scenario: 1")) {
    if (error) *error = tree.error;
    status = tree.error.status;
  }
  for (int p = 0; status == AP_OK && p < s->design.n; p++) {
    const char *key = s->parameter[p].key;
    const bool robot = strncmp(key, "robot.", 6) == 0, believed = strncmp(key, "believed.", 9) == 0;
    status = robot || believed ? aim_at_robot(o, run, &s->parameter[p], believed, &o->aim[p], error)
                               : aim_at_text(o, s, &tree, p, &o->aim[p], error);
  }
  ap__tree_free(&tree);
  return status;
}

static ap_status find_outcomes(own *o, const ap_sweep *s, const ap_run *run, ap_error *error) {
  int n, m;
  const ap_column *column = ap_run_columns(run, &n), *event = ap_run_event_columns(run, &m);
  for (int k = 0; k < s->outcomes; k++) {
    const ap__outcome *outcome = &s->outcome[k];
    if (outcome->column && strcmp(outcome->column, "compute") == 0)
      return ap__study_refuse(error, outcome->line,
                              "compute is measured by the clock, and differs from run to run");
    if (outcome->column) {
      if (!ap__selection_find(outcome, column, n, &o->taken[k], error)) return AP_E_SYNTAX;
      continue;
    }
    o->taken[k] = (ap__selection){.first = -1, .count = 1, .minus = -1};
    const ap__outcome named = {
        .column = outcome->number, .take = AP__STATISTIC_SUM, .line = outcome->line};
    if (outcome->number && !ap__selection_find(&named, event, m, &o->taken[k], error))
      return AP_E_SYNTAX;
  }
  return AP_OK;
}

static ap_status check_run(const ap_sweep *s, const ap_run *run, ap_error *error) {
  ap_realtime realtime;
  const int line = ap__study_line(s, "run");
  if (run->kind == AP_RUN_LOG)
    return ap__study_refuse(error, line, "run: a log (expected a scenario or control scenario)");
  if (run->control && ap_control_realtime(run->control, &realtime))
    return ap__study_refuse(error, line,
                            "run: it runs by the clock (a sweep needs time: simulated)");
  if (run->control && ap_control_stream(run->control))
    return ap__study_refuse(error, line,
                            "run: its reference is a stream (expected one in the "
                            "file)");
  return AP_OK;
}

// The robots as they were read, and the other files that the scenario names.
static ap_status digest(ap_sweep *s, const ap_run *run, ap_error *error) {
  ap_status status = AP_OK;
  for (int believed = 0; believed < 2 && status == AP_OK; believed++) {
    const ap_robot *robot = robot_of(run, believed);
    char *text = NULL;
    if (robot && ap_robot_text(robot, "yaml", &text, NULL) == AP_OK)
      ap__sha256_add(&s->content, text, strlen(text));
    free(text);
  }
  const char *file;
  for (int i = 0; status == AP_OK && run->scenario && (file = ap_scenario_file(run->scenario, i));
       i++)
    status = ap__study_digest(s, file, error);
  return status;
}

static bool make_own(ap_sweep *s) {
  own *o = s->own = calloc(1, sizeof *o);
  if (!o) return false;
  const size_t n = (size_t)s->design.n + 1;
  o->aim = calloc(n, sizeof *o->aim);
  o->place = calloc(n, sizeof *o->place);
  o->body = calloc(n, sizeof *o->body);
  o->taken = calloc((size_t)s->outcomes + 1, sizeof *o->taken);
  o->options = (ap_run_options){.control = {.run_alone = true}};
  return o->aim && o->place && o->body && o->taken;
}

static ap_status prepare(ap_sweep *s, ap_error *error) {
  ap_run *run = NULL;
  ap_error why = {0};
  if (!make_own(s)) return ap__no_memory(error);
  own *o = s->own;
  why.status = ap__study_file(s, s->head.run, &o->path, &why);
  if (why.status == AP_OK) why.status = ap__read_file(o->path, &o->text, &o->length, &why);
  if (why.status == AP_OK)
    why.status = ap__run_open_text(o->path, o->text, NULL, &o->options, &run, &why);
  if (why.status != AP_OK)
    return ap__study_refuse(error, ap__study_line(s, "run"), "run: %s%s%.0d: %s",
                            ap__path_end(s->head.run), why.line ? ":" : "", why.line, why.text);
  ap_status status = check_run(s, run, error);
  if (status == AP_OK) status = aim_all(o, s, run, error);
  if (status == AP_OK) status = find_outcomes(o, s, run, error);
  ap__sha256_add(&s->content, o->text, o->length);
  if (status == AP_OK) status = digest(s, run, error);
  ap_run_free(run);
  return status;
}

static void release(ap_sweep *s) {
  own *o = s->own;
  free(o->text);
  free(o->aim);
  free(o->place);
  free(o->body);
  free(o->taken);
  free(o);
}

// ---- trials ------------------------------------------------------------------------------------

static double value_for(const worker *w, int p) {
  return w->sweep->parameter[p].relative ? w->value[p] * w->own->aim[p].nominal : w->value[p];
}

static void edit_robot(void *context, ap_robot *robot, bool believed) {
  const worker *w = context;
  for (int p = 0; p < w->sweep->design.n; p++)
    if (w->own->aim[p].target == (believed ? IN_BELIEVED : IN_ROBOT))
      ap__body_set(robot, &w->own->body[w->own->aim[p].at], value_for(w, p));
}

static void hear(void *context, const ap_logged_event *event, const ap_event *touch) {
  (void)touch;
  worker *w = context;
  for (int k = 0; k < w->sweep->outcomes; k++) {
    const ap__outcome *o = &w->sweep->outcome[k];
    if (!o->event || strcmp(o->event, event->event) != 0 || !(event->t >= o->from)) continue;
    const ap__selection *taken = &w->own->taken[k];
    if (taken->first < 0)
      ap__statistic_add(&w->tally[k], event->t);
    else
      ap__selection_add(taken, event->numbers, 1, &w->tally[k]);
  }
}

static ap_status step_through(worker *w, ap_run *run, ap_error *error) {
  for (bool end = false;;) {
    const ap_status status = ap_run_step(run, &end, error);
    if (status != AP_OK) return status;
    if (end) return ap_run_finish(run, error);
    const double *row = ap_run_row(run);
    for (int k = 0; k < w->sweep->outcomes; k++)
      if (w->sweep->outcome[k].column && row[0] >= w->sweep->outcome[k].from)
        ap__selection_add(&w->own->taken[k], row, 1, &w->tally[k]);
  }
}

static ap_status one(void *context, uint64_t trial, const char *record, double *outcome,
                     ap_error *error) {
  worker *w = context;
  const ap_sweep *s = w->sweep;
  ap_run *run = NULL;
  ap_error own_error = {0};
  if (!error) error = &own_error;
  for (int p = 0; p < s->design.n; p++) {
    ap__design_column(&s->design, p, trial, 1, &w->value[p], 1);
    if (w->own->aim[p].target == IN_TEXT) w->written[w->own->aim[p].at] = value_for(w, p);
  }
  ap__place_write(w->own->text, w->own->length, w->own->place, w->written, w->own->places,
                  &w->text);
  if (w->text.failed) return ap__no_memory(error);
  memset(w->tally, 0, (size_t)s->outcomes * sizeof *w->tally);
  ap_status status =
      ap__run_open_text(w->own->path, w->text.text, &w->edit, &w->own->options, &run, error);
  if (status == AP_OK && record) status = ap_run_record(run, record, error);
  if (status == AP_OK) {
    ap_run_on_event(run, hear, w);
    status = step_through(w, run, error);
  }
  ap_run_free(run);
  for (int k = 0; k < s->outcomes; k++)
    outcome[k] = status == AP_OK
                     ? ap__statistic_value(&w->tally[k], (ap__statistic_kind)s->outcome[k].take)
                     : NAN;
  return status;
}

static bool rows(void *context, uint64_t first, int n, double *outcome, unsigned char *status) {
  worker *w = context;
  for (int k = 0; k < n; k++) {
    const ap_status one_status =
        one(w, first + (uint64_t)k, NULL, outcome + (ptrdiff_t)k * w->sweep->outcomes, NULL);
    if (one_status == AP_E_MEMORY) return false;
    status[k] = (unsigned char)one_status;
  }
  return true;
}

static void close_worker(void *context) {
  worker *w = context;
  free(w->value);
  free(w->written);
  free(w->tally);
  ap__text_free(&w->text);
  free(w);
}

static void *open_worker(const ap_sweep *s) {
  worker *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  w->sweep = s;
  w->own = s->own;
  w->edit = (ap__robot_edit){edit_robot, w};
  w->value = calloc((size_t)s->design.n + 1, sizeof *w->value);
  w->written = calloc((size_t)s->design.n + 1, sizeof *w->written);
  w->tally = calloc((size_t)s->outcomes + 1, sizeof *w->tally);
  if (w->value && w->written && w->tally) return w;
  close_worker(w);
  return NULL;
}

const ap__trial_kind ap__trial_run = {.name = "run",
                                      .chunk = 50,
                                      .timed = true,
                                      .prepare = prepare,
                                      .release = release,
                                      .open = open_worker,
                                      .close = close_worker,
                                      .rows = rows,
                                      .one = one};
