// The verb `report`: a log, with the scenario and robot that it belongs to, as one page.

#include "page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "record.h"
#include "ui/values.h"
#include "verbs.h"

enum { OUTPUT, SCENARIO, ROWS, TITLE, DATA };
enum { MOST_WARNINGS = 200, DEFAULT_ROWS = 200000, LEAST_ROWS = 2, MOST_ROWS = 10000000 };

static const cli_option options[] = {
    [OUTPUT] = {"-o", "FILE.html", "where the page goes"},
    [SCENARIO] = {"--scenario", "SCENARIO", "the scenario of the run, not what the log says"},
    [ROWS] = {"--rows", "N", "keep at most N rows, evenly spread: 200000"},
    [TITLE] = {"--title", "NAME", "what the page is called: the scenario's name"},
    [DATA] = {"--data", NULL, "the document in the page alone, as JSON"},
    {0}};

static const char text[] =
    "RUN is a log of 'appell simulate' or 'appell control', RUN.csv or RUN.h5, or the .part that\n"
    "a killed run has left. The page needs no network and nothing beside it: plots to zoom, the\n"
    "robot in 3D replaying its motion, impacts, energies, events, the scenario. Robots are drawn\n"
    "from the visual elements of their file, otherwise from joints and ellipsoids of inertia.\n";

static const char place[] = "<script id=\"run\" type=\"application/json\">";

// ---- warnings ----------------------------------------------------------------------------------

static void keep_warning(cli_run *run, const char *line, bool told) {
  cli_remark *grown = realloc(run->warning, (size_t)(run->warnings + 1) * sizeof *grown);
  char *copy = grown ? malloc(strlen(line) + 1) : NULL;
  if (grown) run->warning = grown;
  if (!copy || run->warnings == MOST_WARNINGS) {
    free(copy);
    return;
  }
  memcpy(copy, line, strlen(line) + 1);
  run->warning[run->warnings++] = (cli_remark){copy, told};
}

void cli_run_warn(cli_run *run, const char *format, ...) {
  char line[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  keep_warning(run, line, true);
}

static void tell_warnings(const cli_run *run) {
  for (int k = 0; k < run->warnings; k++)
    if (run->warning[k].told) cli_warn(run->path, 0, run->warning[k].text);
}

// ---- scenario and robot ------------------------------------------------------------------------

// The folder of a file with a slash at its end, or ""; NULL: no memory.
static char *folder_of(const char *file) {
  const char *slash = file ? strrchr(file, '/') : NULL;
  const size_t n = slash ? (size_t)(slash - file) + 1 : 0;
  char *folder = malloc(n + 1);
  if (!folder) return NULL;
  memcpy(folder, file ? file : "", n);
  folder[n] = 0;
  return folder;
}

static bool is_control_scenario(const char *scenario) {
  for (const char *line = scenario; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, "appell-control:", 15) == 0) return true;
    if (strncmp(line, "appell-scenario:", 16) == 0) return false;
  }
  return false;
}

static ap_status parse(cli_run *run, const char *scenario, const char *file, ap_error *error) {
  char *folder = folder_of(file);
  if (!folder) return AP_E_MEMORY;
  const char *where = folder[0] ? folder : NULL;
  const size_t length = strlen(scenario);
  const ap_status status =
      is_control_scenario(scenario)
          ? ap_control_parse(scenario, length, where, NULL, &run->control, error)
          : ap_scenario_parse(scenario, length, where, &run->scenario, error);
  free(folder);
  return status;
}

// A scenario that was given: what is wrong with it is an error.
static int read_given(cli_run *run) {
  ap_error error = {0};
  const char *path = run->scenario_path;
  error.status = ap_scenario_read(path, &run->scenario, &error);
  if (error.status == AP_OK) return CLI_OK;
  ap_error other = {0};
  if (ap_control_read(path, NULL, &run->control, &other) == AP_OK) return CLI_OK;
  const bool control = strstr(other.text, "appell-scenario") != NULL || other.line > error.line;
  return cli_fail_input(path, control ? &other : &error);
}

// The log's own: without it there is less to be seen, which is said.
static void read_own(cli_run *run) {
  const char *scenario = run->about->scenario, *file = run->about->scenario_file;
  ap_error error = {0};
  if (!scenario) {
    cli_run_warn(run, "the log does not say its scenario: no robot is drawn (--scenario FILE)");
    return;
  }
  run->text = scenario;
  if (parse(run, scenario, file, &error) == AP_OK) return;
  ap_error beside = {0};
  if (parse(run, scenario, run->path, &beside) == AP_OK) return; // moved, with its files
  cli_run_warn(run, "its scenario is not read, and no robot drawn: line %d: %s (--scenario FILE)",
               error.line, error.text);
}

static void note_remarks(cli_run *run) {
  const ap_error *w;
  for (int i = 0; (w = run->scenario  ? ap_scenario_warning(run->scenario, i)
                       : run->control ? ap_control_warning(run->control, i)
                                      : NULL);
       i++)
    keep_warning(run, w->text, false); // the run has told it
  for (int i = 0; run->model && i < ap_model_remarks(run->model); i++) {
    char line[400];
    const ap_remark remark = ap_model_remark(run->model, i);
    if (remark.kind == AP_REMARK_GYRATION) continue;
    keep_warning(run, ap_remark_text(run->model, remark, line, sizeof line), false);
  }
}

static int take_scenario(cli_run *run) {
  const int status = run->scenario_path ? read_given(run) : CLI_OK;
  if (status != CLI_OK) return status;
  if (!run->scenario_path) read_own(run);
  const char *file = run->scenario_path ? run->scenario_path : run->about->scenario_file;
  if (run->scenario) {
    run->text = ap_scenario_text(run->scenario);
    run->robot = ap_scenario_robot(run->scenario);
    run->model = ap_scenario_model(run->scenario);
    run->mechanism = ap_scenario_mechanism(run->scenario);
    run->scene = ap_scenario_scene(run->scenario);
    if (ap_scenario_file(run->scenario, 0)) file = ap_scenario_file(run->scenario, 0);
  } else if (run->control) {
    run->text = ap_control_text(run->control);
    run->robot = ap_control_robot(run->control);
    run->model = ap_control_model(run->control);
  }
  if (file && !(run->robot_file = strdup(file))) return cli_no_memory();
  run->replays = run->model && cli_model_matches(run);
  if (run->model && !run->replays)
    cli_run_warn(run, "its columns are not those of the robot \"%s\": it does not move here",
                 ap_model_name(run->model));
  note_remarks(run);
  return CLI_OK;
}

// ---- facts -------------------------------------------------------------------------------------

static void fact(cli_json *json, const char *group, const char *name, const char *format, ...)
    CLI_PRINTF(4, 5);
static void fact(cli_json *json, const char *group, const char *name, const char *format, ...) {
  char value[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(value, sizeof value, format, arguments);
  va_end(arguments);
  cli_json_open(json, NULL, '{');
  cli_json_string(json, "group", group);
  cli_json_string(json, "name", name);
  cli_json_string(json, "value", value);
  cli_json_close(json, '}');
}

static void run_facts(const cli_run *run, cli_json *json) {
  const cli_rows *r = &run->rows;
  const char *slash = strrchr(run->path, '/');
  fact(json, "Run", "Log", "%s", slash ? slash + 1 : run->path);
  fact(json, "Run", "Ended", "%s", run->about->whole ? "as planned" : "before its time");
  if (r->total > 0) fact(json, "Run", "Duration", "%.9g s", r->end - r->start);
  fact(json, "Run", "Rows", "%ld", r->total);
  if (r->every > 1) fact(json, "Run", "Rows on this page", "%ld", r->rows);
  fact(json, "Run", "Events", "%ld", run->events);
  if (run->scene && run->scene->nwall > 0) fact(json, "Run", "Impacts", "%ld", run->impacts);
  if (!isnan(r->energy[0])) fact(json, "Run", "Energy at the start", "%.9g J", r->energy[0]);
  if (!isnan(r->energy[1])) fact(json, "Run", "Energy at the end", "%.9g J", r->energy[1]);
  if (!isnan(r->closing)) fact(json, "Run", "Largest closing error", "%.3g J", r->closing);
}

static void scenario_facts(const cli_run *run, cli_json *json) {
  if (run->scenario) fact(json, "Scenario", "Name", "%s", ap_scenario_name(run->scenario));
  if (run->control) fact(json, "Scenario", "Name", "%s", ap_control_name(run->control));
  const ap_scene *s = run->scene;
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

static void model_facts(const cli_run *run, cli_json *json) {
  const ap_model *m = run->model;
  const double *g = run->scene && run->scene->gravity ? run->scene->gravity : ap_gravity(m);
  double mass = 0;
  for (int i = 1; i < ap_nbody(m); i++) mass += ap_body(m, i)->mass;
  fact(json, "Model", "Name", "%s", ap_model_name(m));
  fact(json, "Model", "Links", "%d, of which %d move on joints of their own", ap_nbody(m) - 1,
       ap_moving_bodies(m));
  if (run->mechanism) {
    fact(json, "Model", "Degrees of freedom", "%d, closed chains", ap_mechanism_n(run->mechanism));
    fact(json, "Model", "Closures", "%d", ap_mechanism_nclosure(run->mechanism));
  } else {
    fact(json, "Model", "Degrees of freedom", "%d", ap_nv(m));
  }
  fact(json, "Model", "Mass", "%.9g kg", mass);
  fact(json, "Model", "Gravity", "%.6g %.6g %.6g m/s2", g[0], g[1], g[2]);
}

static void control_facts(const cli_run *run, cli_json *json) {
  const cli_rows *r = &run->rows;
  const int joints = r->columns - r->logged;
  for (int k = 0; k < joints && r->squares > 0; k++)
    fact(json, "Following errors", run->about->column[1 + k].name + 2,
         "root mean square %.4g mrad, largest %.4g mrad",
         1e3 * sqrt(r->square[k] / (double)r->squares), 1e3 * r->errors[k]);
}

// Over all joints: "following" of the document.
static void write_following(const cli_run *run, cli_json *json) {
  const cli_rows *r = &run->rows;
  const int joints = r->columns - r->logged;
  double sum = 0, most = 0;
  for (int k = 0; k < joints; k++) {
    sum += r->square[k];
    most = fmax(most, r->errors[k]);
  }
  if (joints == 0 || r->squares == 0) {
    cli_json_null(json, "following");
    return;
  }
  cli_json_open(json, "following", '{');
  cli_json_number(json, "rms", sqrt(sum / (double)joints / (double)r->squares));
  cli_json_number(json, "largest", most);
  cli_json_close(json, '}');
}

// ---- the document ------------------------------------------------------------------------------

static const char *title_of(const cli_run *run, const char *given) {
  if (given) return given;
  if (run->scenario) return ap_scenario_name(run->scenario);
  if (run->control) return ap_control_name(run->control);
  const char *slash = strrchr(run->path, '/');
  return slash ? slash + 1 : run->path;
}

static int write_document(cli_run *run, const char *title, cli_out *out, bool in_html) {
  cli_json json = {.out = out, .in_html = in_html};
  const char *slash = strrchr(run->path, '/');
  cli_json_open(&json, NULL, '{');
  cli_json_integer(&json, "format", 1);
  cli_json_string(&json, "title", title_of(run, title));
  char program[64];
  snprintf(program, sizeof program, "appell %s", ap_version());
  cli_json_string(&json, "program", run->about->program ? run->about->program : program);
  cli_json_string(&json, "made_from", slash ? slash + 1 : run->path);
  if (run->text)
    cli_json_string(&json, "scenario", run->text);
  else
    cli_json_null(&json, "scenario");
  int status = cli_model_write(run, &json);
  if (status != CLI_OK) return status;
  status = cli_events_write(run, &json);
  if (status == CLI_OK) status = cli_jumps_merge(run);
  if (status != CLI_OK) return status;
  cli_rows_write(run, &json);
  write_following(run, &json);
  cli_json_open(&json, "facts", '[');
  run_facts(run, &json);
  scenario_facts(run, &json);
  if (run->model) model_facts(run, &json);
  if (run->control) control_facts(run, &json);
  cli_json_close(&json, ']');
  cli_json_open(&json, "warnings", '[');
  for (int k = 0; k < run->warnings; k++) cli_json_string(&json, NULL, run->warning[k].text);
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  return CLI_OK;
}

static int write_page(cli_run *run, const char *title, cli_out *out, const char *page) {
  const char *at = page ? strstr(page, place) : NULL;
  if (!at) return write_document(run, title, out, false);
  const char *rest = at + strlen(place);
  cli_out_write(out, page, (size_t)(rest - page));
  const int status = write_document(run, title, out, true);
  cli_out_write(out, rest, strlen(rest));
  return status;
}

// ---- the verb ----------------------------------------------------------------------------------

static void free_run(cli_run *run) {
  cli_rows_free(&run->rows);
  cli_jumps_free(&run->jumps);
  for (int k = 0; k < run->warnings; k++) free(run->warning[k].text);
  free(run->warning);
  free(run->robot_file);
  ap_scenario_free(run->scenario);
  ap_control_free(run->control);
  ap_log_close(run->log);
}

static int make(cli_run *run, const cli_arguments *arguments, const char *page) {
  ap_error error = {0};
  error.status = ap_log_open(run->path, &run->log, &error);
  if (error.status != AP_OK)
    return error.status == AP_E_UNSUPPORTED ? cli_fail(CLI_FAILED, run->path, 0, "%s", error.text)
                                            : cli_fail_input(run->path, &error);
  run->about = ap_log_describe(run->log);
  ap_log_allow_any(run->log); // a sensor may give no number
  cli_record record = {0};    // for the units of its columns
  int status = take_scenario(run);
  if (status == CLI_OK && run->scenario) {
    status = cli_record_open(&record, NULL, run->scenario, NULL);
    run->known = record.rows.column;
    run->nknown = record.rows.n;
  }
  if (status == CLI_OK) status = cli_rows_read(run);
  if (status == CLI_OK && run->rows.total == 0) cli_run_warn(run, "the log has no rows");
  if (status == CLI_OK && run->rows.every > 1)
    cli_run_warn(run, "of its %ld rows the page has every %ldth (--rows N)", run->rows.total,
                 run->rows.every);
  const size_t n = strlen(run->path);
  if (status == CLI_OK && !run->about->whole && (n < 5 || strcmp(run->path + n - 5, ".part") != 0))
    cli_run_warn(run, "the log or its list of events ends within a line: a part of it is missing");
  cli_out out;
  if (status == CLI_OK) status = cli_out_open(&out, arguments->value[OUTPUT]);
  if (status == CLI_OK)
    status = cli_out_close(&out, write_page(run, arguments->value[TITLE], &out, page));
  if (run->scenario) cli_record_close(&record);
  return status;
}

static bool is_page_name(const char *name) {
  const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name,
             *dot = strrchr(base, '.');
  return dot && dot > base && (strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0);
}

static int run_report(const cli_arguments *arguments) {
  cli_run run = {.path = arguments->argument[0],
                 .scenario_path = arguments->value[SCENARIO],
                 .rows = {.most = DEFAULT_ROWS}};
  const bool data = arguments->value[DATA] != NULL;
  const char *rows = arguments->value[ROWS], *output = arguments->value[OUTPUT];
  const char *page = data ? NULL : cli_page_html();
  if (!data && !output) return cli_usage("report", "where does the page go? -o FILE.html");
  if (!data && !is_page_name(output))
    return cli_usage("report", "the page '%s' does not end in .html or .htm", output);
  if (rows) {
    const int status =
        cli_value_integer("report", "--rows", rows, LEAST_ROWS, MOST_ROWS, &run.rows.most);
    if (status != CLI_OK) return status;
  }
  const int status = output ? cli_check_target(output) : CLI_OK;
  if (status != CLI_OK) return status;
  if (!data && !page)
    return cli_fail(CLI_FAILED, NULL, 0,
                    "this program was built without the page of reports (install Node.js and npm, "
                    "then build again; 'appell report --data' gives its document)");
  const int made = make(&run, arguments, page);
  if (made == CLI_OK) tell_warnings(&run);
  free_run(&run);
  return made;
}

const cli_verb cli_report = {.name = "report",
                             .arguments = "RUN",
                             .about = "Make a page of a run: plots, 3D replay, impacts, energies.",
                             .text = text,
                             .example =
                                 "  appell simulate models/shafei2018.yaml -o run.csv\n"
                                 "  appell report run.csv -o run.html\n",
                             .options = options,
                             .least = 1,
                             .most = 1,
                             .run = run_report};
