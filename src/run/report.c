// SPDX-License-Identifier: Apache-2.0
// The report of a log: the document that the page shows, and the page.

#include "run/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "file/text.h"

static const char place[] = "<script id=\"run\" type=\"application/json\">";

static const char *file_name(const ap_run *run) {
  const char *slash = strrchr(run->path, '/');
  return slash ? slash + 1 : run->path;
}

// ---- facts -------------------------------------------------------------------------------------

static void fact(ap_json *json, const char *group, const char *name, const char *format, ...)
    AP_PRINTF(4, 5);
static void fact(ap_json *json, const char *group, const char *name, const char *format, ...) {
  char value[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(value, sizeof value, format, arguments);
  va_end(arguments);
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "group", group);
  ap_json_string(json, "name", name);
  ap_json_string(json, "value", value);
  ap_json_close(json, '}');
}

static void run_facts(const ap__report *report, ap_json *json) {
  const ap__report_rows *r = &report->rows;
  fact(json, "Run", "Log", "%s", file_name(report->run));
  fact(json, "Run", "Ended", "%s", report->about->whole ? "as planned" : "before its time");
  if (r->total > 0) fact(json, "Run", "Duration", "%.9g s", r->end - r->start);
  fact(json, "Run", "Rows", "%ld", r->total);
  if (r->every > 1) fact(json, "Run", "Rows on this page", "%ld", r->rows);
  fact(json, "Run", "Events", "%ld", report->events);
  if (report->scene && report->scene->nwall > 0)
    fact(json, "Run", "Impacts", "%ld", report->impacts);
  if (!isnan(r->energy[0])) fact(json, "Run", "Energy at the start", "%.9g J", r->energy[0]);
  if (!isnan(r->energy[1])) fact(json, "Run", "Energy at the end", "%.9g J", r->energy[1]);
  if (!isnan(r->closing)) fact(json, "Run", "Largest energy balance error", "%.3g J", r->closing);
}

static void scenario_facts(const ap__report *report, ap_json *json) {
  if (report->run->scenario)
    fact(json, "Scenario", "Name", "%s", ap_scenario_name(report->run->scenario));
  if (report->run->control)
    fact(json, "Scenario", "Name", "%s", ap_control_name(report->run->control));
  const ap_scene *s = report->scene;
  if (!s) return;
  fact(json, "Scenario", "Walls", "%d", s->nwall);
  fact(json, "Scenario", "Contact points", "%d", s->npoint);
  if (s->nspring) fact(json, "Scenario", "Springs and dampers", "%d", s->nspring);
  if (s->nload) fact(json, "Scenario", "Loads", "%d", s->nload);
  static const char *const method[] = {"Dormand-Prince 8(5,3), adaptive", "Runge-Kutta 4, fixed",
                                       "semi-implicit Euler, fixed"};
  fact(json, "Integrator", "Method", "%s", method[s->stepping]);
  if (s->stepping == AP_ADAPTIVE) {
    fact(json, "Integrator", "Relative tolerance", "%.3g", s->relative);
    fact(json, "Integrator", "Absolute tolerance", "%.3g", s->absolute);
  } else {
    fact(json, "Integrator", "Step", "%.6g s", s->step);
  }
  if (s->window > 0) fact(json, "Integrator", "Impacts taken as one within", "%.3g s", s->window);
}

static void model_facts(const ap__report *report, ap_json *json) {
  const ap_model *m = report->model;
  const double *g =
      report->scene && report->scene->gravity ? report->scene->gravity : ap_gravity(m);
  double mass = 0;
  for (int i = 1; i < ap_nbody(m); i++) mass += ap_body(m, i)->mass;
  fact(json, "Model", "Name", "%s", ap_model_name(m));
  fact(json, "Model", "Links", "%d, of which %d have their own joints", ap_nbody(m) - 1,
       ap_moving_bodies(m));
  if (report->mechanism) {
    fact(json, "Model", "Degrees of freedom", "%d, closed chains",
         ap_mechanism_n(report->mechanism));
    fact(json, "Model", "Closures", "%d", ap_mechanism_nclosure(report->mechanism));
  } else {
    fact(json, "Model", "Degrees of freedom", "%d", ap_nv(m));
  }
  fact(json, "Model", "Mass", "%.9g kg", mass);
  fact(json, "Model", "Gravity", "%.6g %.6g %.6g m/s2", g[0], g[1], g[2]);
}

static void control_facts(const ap__report *report, ap_json *json) {
  const ap__report_rows *r = &report->rows;
  const int joints = r->columns - r->logged;
  for (int k = 0; k < joints && r->squares > 0; k++)
    fact(json, "Following errors", report->about->column[1 + k].name + 2,
         "root mean square %.4g mrad, largest %.4g mrad",
         1e3 * sqrt(r->square[k] / (double)r->squares), 1e3 * r->errors[k]);
}

// Over all joints: "following" of the document.
static void write_following(const ap__report *report, ap_json *json) {
  const ap__report_rows *r = &report->rows;
  const int joints = r->columns - r->logged;
  double sum = 0, most = 0;
  for (int k = 0; k < joints; k++) {
    sum += r->square[k];
    most = fmax(most, r->errors[k]);
  }
  if (joints == 0 || r->squares == 0) {
    ap_json_null(json, "following");
    return;
  }
  ap_json_open(json, "following", '{');
  ap_json_number(json, "rms", sqrt(sum / (double)joints / (double)r->squares));
  ap_json_number(json, "largest", most);
  ap_json_close(json, '}');
}

// ---- the document ------------------------------------------------------------------------------

static const char *title_of(const ap__report *report) {
  const ap_run *run = report->run;
  if (report->options->title) return report->options->title;
  if (run->scenario) return ap_scenario_name(run->scenario);
  return run->control ? ap_control_name(run->control) : file_name(run);
}

static void write_head(const ap__report *report, ap_json *json) {
  const ap_run *run = report->run;
  char program[64];
  snprintf(program, sizeof program, "appell %s", ap_version());
  ap_json_integer(json, "format", 1);
  ap_json_string(json, "title", title_of(report));
  ap_json_string(json, "program", report->about->program ? report->about->program : program);
  ap_json_string(json, "made_from", file_name(run));
  if (run->recorded.text)
    ap_json_string(json, "scenario", run->recorded.text);
  else
    ap_json_null(json, "scenario");
}

static ap_status write_document(ap__report *report, int others, ap_json *json) {
  const ap_run *run = report->run;
  ap_json_open(json, NULL, '{');
  write_head(report, json);
  ap_status status = ap__report_model(report, json);
  if (status == AP_OK) status = ap__report_events(report, json);
  if (status == AP_OK) status = ap__report_jumps_merge(report);
  if (status != AP_OK) return status;
  ap__report_rows_write(report, json);
  write_following(report, json);
  ap_json_open(json, "facts", '[');
  run_facts(report, json);
  scenario_facts(report, json);
  if (report->model) model_facts(report, json);
  if (run->control) control_facts(report, json);
  ap_json_close(json, ']');
  ap_json_open(json, "warnings", '[');
  for (int k = 0; k < run->recorded.warnings; k++)
    ap_json_string(json, NULL, run->recorded.warning[k].text);
  ap_json_close(json, ']');
  if (others > 0) ap_json_open(json, "others", '[');
  for (int k = 1; status == AP_OK && k <= others; k++) status = write_document(&report[k], 0, json);
  if (others > 0) ap_json_close(json, ']');
  ap_json_close(json, '}');
  return status;
}

// ---- the report --------------------------------------------------------------------------------

ap_report_options ap_default_report(void) {
  return (ap_report_options){.rows = 200000, .cookie = AP_COOKIE};
}

// Rows first: a log that cannot be read writes nothing.
static ap_status read_rows(ap__report *report) {
  const ap__report_rows *r = &report->rows;
  const char *path = report->run->path;
  const size_t n = strlen(path);
  const ap_status status = ap__report_rows_read(report);
  if (status != AP_OK) return status;
  if (r->total == 0) ap__report_warn(report, "the log has no rows");
  if (r->every > 1)
    ap__report_warn(report, "of %ld rows the page shows one in %ld (--rows N)", r->total, r->every);
  if (!report->about->whole && (n < 5 || strcmp(path + n - 5, ".part") != 0))
    ap__report_warn(report, "the log or its list of events is truncated");
  return AP_OK;
}

static ap_status write_page(ap__report *report, int others, ap_write *write, void *context) {
  const char *page = report->options->page, *at = page ? strstr(page, place) : NULL;
  ap_json json = {.write = write, .context = context, .in_html = page != NULL};
  if (!page) return write_document(report, others, &json);
  if (!at)
    return AP__REFUSE(report->error, AP_E_ARG, 0, "the page has no place for the data (%s)", place);
  const char *rest = at + strlen(place);
  write(context, page, (size_t)(rest - page));
  const ap_status status = write_document(report, others, &json);
  write(context, rest, strlen(rest));
  return status;
}

// The rows of a log, and what is known about it.
static ap_status open_report(ap_run *run, const ap_report_options *options, ap__report *report,
                             ap_error *error) {
  if (run->kind != AP_RUN_LOG)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a report needs a log (record the run, then open the log)");
  const ap_status status = ap__log_run_rewind(run, error);
  if (status != AP_OK) return status;
  *report = (ap__report){.run = run,
                         .options = options,
                         .about = ap_log_describe(run->recorded.reader),
                         .model = run->model,
                         .mechanism = run->recorded.mechanism,
                         .scene = run->scene,
                         .error = error};
  report->rows.most = options->rows;
  return read_rows(report);
}

// Says which log an error is in.
static ap_status name_log(const ap_run *run, ap_status status, ap_error *error) {
  char text[sizeof error->text], line[24] = "";
  if (status == AP_OK || !error) return status;
  if (error->line > 0) snprintf(line, sizeof line, ":%d", error->line);
  memcpy(text, error->text, sizeof text);
  snprintf(error->text, sizeof error->text, "%.100s%s: %.*s", run->path, line,
           (int)sizeof text - 130, text);
  error->line = 0;
  return status;
}

ap_status ap_run_report(ap_run *run, const ap_report_options *options, ap_write *write,
                        void *context, ap_error *error) {
  enum { MOST_OTHERS = 15 };
  const ap_report_options plain = ap_default_report();
  ap__report report[1 + MOST_OTHERS] = {0};
  if (options && !AP_STARTS_FROM(ap_default_report, options, error)) return AP_E_ARG;
  const ap_report_options *o = options ? options : &plain;
  if (o->nother < 0 || o->nother > MOST_OTHERS || (o->nother > 0 && !o->others))
    return AP__REFUSE(error, AP_E_ARG, 0, "a report compares with %d other runs (0 to %d)",
                      o->nother, MOST_OTHERS);
  ap_report_options other = *o; // their titles are their own
  other.title = NULL;
  ap_status status = open_report(run, o, &report[0], error);
  if (o->nother > 0) status = name_log(run, status, error);
  for (int k = 0; status == AP_OK && k < o->nother; k++)
    status =
        name_log(o->others[k], open_report(o->others[k], &other, &report[k + 1], error), error);
  if (status == AP_OK) status = write_page(report, o->nother, write, context);
  for (int k = 0; k <= o->nother; k++) {
    if (report[k].run && status == AP_OK && report[k].run->recorded.failed)
      status = ap__no_memory(error);
    ap__report_rows_free(&report[k].rows);
    ap__report_jumps_free(&report[k].jumps);
  }
  return status;
}

static void add_text(void *context, const char *text, size_t length) {
  ap__text_bytes(context, text, length);
}

ap_status ap_run_report_file(ap_run *run, const ap_report_options *options, const char *path,
                             ap_error *error) {
  ap__text text = {0};
  ap_status status = ap_run_report(run, options, add_text, &text, error);
  if (status == AP_OK && text.failed) status = ap__no_memory(error);
  if (status == AP_OK) status = ap__write_file(path, text.text, text.length, error);
  ap__text_free(&text);
  return status;
}
