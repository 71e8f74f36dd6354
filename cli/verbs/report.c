// SPDX-License-Identifier: Apache-2.0
// The verb `report`: a log, with the scenario and robot that it belongs to, as one page.

#include <appell/run.h>
#include <string.h>

#include "ui/output.h"
#include "ui/values.h"
#include "verbs.h"

enum { OUTPUT, SCENARIO, ROWS, TITLE, MESHES, DATA };
enum { LEAST_ROWS = 2, MOST_ROWS = 10000000 };

static const cli_option options[] = {
    [OUTPUT] = {"-o", "FILE.html", "where the page goes"},
    [SCENARIO] = {"--scenario", "SCENARIO", "the scenario of the run, not what the log says"},
    [ROWS] = {"--rows", "N", "keep at most N rows, evenly spread: 200000"},
    [TITLE] = {"--title", "NAME", "title of the page; without it the scenario's name"},
    [MESHES] = {"--meshes", "DIR", "allow meshes of this folder besides the robot's own"},
    [DATA] = {"--data", NULL, "the document in the page alone, as JSON"},
    {0}};

static const char text[] =
    "RUN is a log of 'appell simulate' or 'appell control', RUN.csv or RUN.h5, or the .part that\n"
    "a killed run has left. The page needs no network and nothing beside it: plots to zoom, the\n"
    "robot in 3D replaying its motion, impacts, energies, events, the scenario. Robots are drawn\n"
    "from the visual elements of their file, otherwise from joints and ellipsoids of inertia.\n";

static int open_log(const char *path, const char *scenario, ap_run **run) {
  const ap_run_options log = {.kind = AP_RUN_LOG};
  ap_error error = {0};
  error.status = ap_run_open(path, &log, run, &error);
  if (error.status == AP_E_UNSUPPORTED) return cli_fail(CLI_FAILED, path, 0, "%s", error.text);
  if (error.status != AP_OK) return cli_fail_input(path, &error);
  if (scenario) error.status = ap_run_set_scenario(*run, scenario, &error);
  return error.status == AP_OK ? CLI_OK : cli_fail_input(scenario, &error);
}

static int write_report(ap_run *run, const char *path, const ap_report_options *report,
                        const char *output) {
  cli_out out;
  ap_error error = {0};
  int status = cli_out_open(&out, output), line;
  if (status != CLI_OK) return status;
  error.status = ap_run_report(run, report, cli_out_sink, &out, &error);
  if (error.status != AP_OK) status = cli_fail_input(path, &error);
  status = cli_out_close(&out, status);
  const char *warning;
  for (int i = 0; status == CLI_OK && (warning = ap_run_warning(run, i, &line)); i++)
    cli_warn(path, line, warning);
  return status;
}

static bool is_page_name(const char *name) {
  const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name,
             *dot = strrchr(base, '.');
  return dot && dot > base && (strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0);
}

static int run(const cli_arguments *arguments) {
  const char *path = arguments->argument[0], *output = arguments->value[OUTPUT];
  const bool data = arguments->value[DATA] != NULL;
  ap_report_options report = ap_default_report();
  report.title = arguments->value[TITLE];
  report.meshes = arguments->value[MESHES];
  report.page = data ? NULL : ap_report_page();
  if (!data && !output) return cli_usage("report", "where does the page go? -o FILE.html");
  if (!data && !is_page_name(output))
    return cli_usage("report", "the page '%s' does not end in .html or .htm", output);
  int status = cli_value_integer(arguments, ROWS, LEAST_ROWS, MOST_ROWS, &report.rows);
  if (status == CLI_OK && output) status = cli_check_target(output);
  if (status != CLI_OK) return status;
  ap_run *log = NULL;
  status = open_log(path, arguments->value[SCENARIO], &log);
  if (status == CLI_OK) status = write_report(log, path, &report, output);
  ap_run_free(log);
  return status;
}

const cli_verb cli_report = {.name = "report",
                             .arguments = "RUN",
                             .about = "Make a page of a run: plots, 3D replay, events.",
                             .text = text,
                             .example =
                                 "  appell simulate models/shafei2018.yaml -o run.csv\n"
                                 "  appell report run.csv -o run.html\n",
                             .options = options,
                             .least = 1,
                             .most = 1,
                             .run = run};
