// SPDX-License-Identifier: Apache-2.0
// A run recorded: a scenario, or a log that gets the other format.
//
//   record SCENARIO RUN      record models/ball.yaml ball.csv
//   record RUN RUN           record ball.csv ball.h5

#include <appell/run.h>
#include <stdio.h>

int main(int argc, char **argv) {
  ap_run *run = NULL;
  ap_error error = {0};
  if (argc != 3) return fprintf(stderr, "usage: %s SCENARIO RUN\n", argv[0]), 2;
  ap_status status = ap_run_open(argv[1], NULL, &run, &error);
  if (status == AP_OK) status = ap_run_record(run, argv[2], &error);
  if (status == AP_OK) status = ap_run_all(run, NULL, NULL, &error);
  ap_run_free(run);
  return status == AP_OK ? 0 : (fprintf(stderr, "%s: %s\n", argv[1], error.text), 1);
}
