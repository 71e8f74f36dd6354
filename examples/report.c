// SPDX-License-Identifier: Apache-2.0
// A log as one page with plots and a replay in 3D; where the library was built without the page,
// the document that it shows.
//
//   report RUN FILE          report ball.csv ball.html

#include <appell/run.h>
#include <stdio.h>

int main(int argc, char **argv) {
  ap_run *run = NULL;
  ap_error error = {0};
  ap_report_options options = ap_default_report();
  options.page = ap_report_page();
  int line;
  if (argc != 3) return fprintf(stderr, "usage: %s RUN FILE\n", argv[0]), 2;
  ap_status status = ap_run_open(argv[1], NULL, &run, &error);
  if (status == AP_OK) status = ap_run_report_file(run, &options, argv[2], &error);
  for (int i = 0; status == AP_OK && ap_run_warning(run, i, &line); i++)
    printf("%s: %s\n", argv[1], ap_run_warning(run, i, &line));
  ap_run_free(run);
  return status == AP_OK ? 0 : (fprintf(stderr, "%s: %s\n", argv[1], error.text), 1);
}
