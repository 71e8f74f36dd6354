// SPDX-License-Identifier: Apache-2.0
// How long the PUMA 600's dynamics take on one core: by the library, by code that is generated and
// compiled here, and for many states at once.

#include <appell/bench.h>
#include <appell/file.h>
#include <stdio.h>

int main(void) {
  ap_bench_options options = ap_default_bench();
  ap_robot *robot = NULL;
  ap_model *m = NULL;
  ap_bench b = {0};
  ap_error e;
  options.seconds = 0.01;
  const bool done = ap_robot_builtin("puma600", NULL, &robot, &e) == AP_OK &&
                    ap_robot_model(robot, &m, &e) == AP_OK &&
                    ap_bench_run(m, &options, &b, &e) == AP_OK;
  for (int k = 0; k < b.rows; k++)
    printf("%-10s %-10s %s %8.1f ns\n", ap_bench_name(b.row[k].what), b.row[k].path, b.row[k].real,
           b.row[k].ns);
  fprintf(stderr, "%s\n", done ? b.note : e.text);
  ap_bench_free(&b);
  ap_model_free(m);
  ap_robot_free(robot);
  return done ? 0 : 1;
}
