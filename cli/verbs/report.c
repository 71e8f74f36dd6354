// SPDX-License-Identifier: Apache-2.0
// The verb `report`: a log, with the scenario and robot that it belongs to, as one page.

#include <appell/run.h>
#include <string.h>

#include "ui/output.h"
#include "ui/values.h"
#include "verbs.h"

enum { OUTPUT, SCENARIO, ROWS, TITLE, MESHES, DATA };
enum { LEAST_ROWS = 2, MOST_ROWS = 10000000, MOST_RUNS = 16 };

static const cli_option options[] = {
    [OUTPUT] = {"-o", "FILE.html", "where the page goes"},
    [SCENARIO] = {"--scenario", "SCENARIO", "the scenario of the runs, not what the logs say"},
    [ROWS] = {"--rows", "N", "keep at most N rows, evenly spread: 200000"},
    [TITLE] = {"--title", "NAME", "title of the page; without it the scenario's name"},
    [MESHES] = {"--meshes", "DIR", "allow meshes of this folder besides the robot's own"},
    [DATA] = {"--data", NULL, "the document in the page alone, as JSON"},
    {0}};

static const char text[] =
    "RUN is a log of 'appell simulate' or 'appell control', RUN.csv or RUN.h5, or the .part that\n"
    "a killed run has left. The page needs no network and nothing beside it: plots to zoom, the\n"
    "robot in 3D replaying its motion, impacts, energies, events, the scenario. Robots are drawn\n"
    "from the visual elements of their file, then from its collision elements, otherwise from\n"
    "joints, masses and inertias. Further RUNs are compared with the first: their robots as "
    "ghosts,\n"
    "their curves over its own, or what differs.\n";

static int open_log(const char *path, const char *scenario, ap_run **run) {
  const ap_run_options log = {.kind = AP_RUN_LOG};
  ap_error error = {0};
  error.status = ap_run_open(path, &log, run, &error);
  if (error.status == AP_E_UNSUPPORTED) return cli_fail(CLI_FAILED, path, 0, "%s", error.text);
  if (error.status != AP_OK) return cli_fail_input(path, &error);
  if (scenario) error.status = ap_run_set_scenario(*run, scenario, &error);
  return error.status == AP_OK ? CLI_OK : cli_fail_input(scenario, &error);
}

typedef struct logs {
  ap_run *run[MOST_RUNS];
  char *const *path;
  int n;
} logs;

static int open_logs(logs *l, const char *scenario) {
  int status = CLI_OK;
  for (int k = 0; status == CLI_OK && k < l->n; k++)
    status = open_log(l->path[k], scenario, &l->run[k]);
  return status;
}

static int write_report(const logs *l, ap_report_options *report, const char *output) {
  cli_out out;
  ap_error error = {0};
  int status = cli_out_open(&out, output), line;
  if (status != CLI_OK) return status;
  report->others = l->run + 1;
  report->nother = l->n - 1;
  error.status = ap_run_report(l->run[0], report, cli_out_sink, &out, &error);
  if (error.status != AP_OK) // of several logs it names its own
    status = cli_fail_input(l->n > 1 ? NULL : l->path[0], &error);
  status = cli_out_close(&out, status);
  const char *warning;
  for (int k = 0; status == CLI_OK && k < l->n; k++)
    for (int i = 0; (warning = ap_run_warning(l->run[k], i, &line)); i++)
      cli_warn(l->path[k], line, warning);
  return status;
}

static int run(const cli_arguments *arguments) {
  const char *output = arguments->value[OUTPUT];
  const bool data = arguments->value[DATA] != NULL;
  ap_report_options report = ap_default_report();
  report.title = arguments->value[TITLE];
  report.meshes = arguments->value[MESHES];
  report.page = data ? NULL : ap_report_page();
  if (!data && !output) return cli_usage("report", "where does the page go? -o FILE.html");
  int status = data ? CLI_OK : cli_check_page("report", output);
  if (status == CLI_OK)
    status = cli_value_integer(arguments, ROWS, LEAST_ROWS, MOST_ROWS, &report.rows);
  if (status == CLI_OK && data && output) status = cli_check_target(output);
  if (status != CLI_OK) return status;
  logs l = {.path = arguments->argument, .n = arguments->count};
  status = open_logs(&l, arguments->value[SCENARIO]);
  if (status == CLI_OK) status = write_report(&l, &report, output);
  for (int k = 0; k < l.n; k++) ap_run_free(l.run[k]);
  return status;
}

const cli_verb cli_report = {.name = "report",
                             .arguments = "RUN...",
                             .about = "Make a page of a run: plots, 3D replay, events.",
                             .text = text,
                             .example =
                                 "  appell simulate models/shafei2018.yaml -o run.csv\n"
                                 "  appell report run.csv -o run.html\n"
                                 "  appell report run.csv other.csv -o both.html\n",
                             .options = options,
                             .least = 1,
                             .most = MOST_RUNS,
                             .run = run};
