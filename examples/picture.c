// SPDX-License-Identifier: Apache-2.0
// A scenario is simulated, and its log becomes one page with plots and a replay in 3D.
//
//   picture SCENARIO STEP LOG PAGE      picture models/ball.yaml 0.01 ball.csv ball.html
//
// STEP is the time between two rows of the log, in seconds.

#include <appell/run.h>
#include <stdio.h>
#include <stdlib.h>

// The run of the scenario in rows of a step, as a log.
static ap_status simulate(const char *scenario, double step, const char *log, ap_error *error) {
  ap_run *run = NULL;
  double start, end, usual;
  ap_status status = ap_run_open(scenario, NULL, &run, error);
  if (status == AP_OK) {
    ap_run_times(run, &start, &end, &usual);
    status = ap_run_set_times(run, end, step, error);
  }
  if (status == AP_OK) status = ap_run_record(run, log, error);
  if (status == AP_OK) status = ap_run_all(run, NULL, NULL, error);
  ap_run_free(run);
  return status;
}

// The log as a page.
static ap_status draw(const char *log, const char *page, ap_error *error) {
  ap_run *run = NULL;
  ap_report_options options = ap_default_report();
  options.page = ap_report_page();
  ap_status status = ap_run_open(log, NULL, &run, error);
  if (status == AP_OK) status = ap_run_report_file(run, &options, page, error);
  ap_run_free(run);
  return status;
}

int main(int argc, char **argv) {
  ap_error error = {0};
  if (argc != 5) return fprintf(stderr, "usage: %s SCENARIO STEP LOG PAGE\n", argv[0]), 2;
  ap_status status = simulate(argv[1], strtod(argv[2], NULL), argv[3], &error);
  if (status == AP_OK) status = draw(argv[3], argv[4], &error);
  return status == AP_OK ? 0 : (fprintf(stderr, "%s: %s\n", argv[1], error.text), 1);
}
