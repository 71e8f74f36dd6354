// SPDX-License-Identifier: Apache-2.0
// A controller on its robot, recorded; then the same controller fed with the log. It must put out
// the same voltages.
//
//   control SCENARIO RUN     control models/control/puma_spline.yaml puma.csv

#include <appell/run.h>
#include <stdio.h>

// Runs the scenario, with the inputs of the log where it is to be replayed.
static ap_status go(const char *scenario, const char *log, bool replays, ap_error *error) {
  ap_run *run = NULL;
  ap_status status = ap_run_open(scenario, NULL, &run, error);
  if (status == AP_OK)
    status = replays ? ap_run_replay(run, log, error) : ap_run_record(run, log, error);
  if (status == AP_OK) status = ap_run_all(run, NULL, NULL, error);
  if (status == AP_OK) {
    const ap_servo_result *result = ap_servo_result_of(ap_run_servo(run));
    printf("%ld periods, %s\n", result->periods, ap_stop_text(result->stop));
    if (replays) printf("%ld outputs differ\n", ap_run_differing(run));
  }
  ap_run_free(run);
  return status;
}

int main(int argc, char **argv) {
  ap_error error = {0};
  if (argc != 3) return fprintf(stderr, "usage: %s SCENARIO RUN\n", argv[0]), 2;
  const bool done =
      go(argv[1], argv[2], false, &error) == AP_OK && go(argv[1], argv[2], true, &error) == AP_OK;
  return done ? 0 : (fprintf(stderr, "%s: %s\n", argv[1], error.text), 1);
}
