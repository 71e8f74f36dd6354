// SPDX-License-Identifier: Apache-2.0
// A scenario simulated: its kinetic energy over time, its events as they happen.
//
//   simulate SCENARIO        simulate models/ball.yaml

#include <appell/run.h>
#include <stdio.h>

static void tell(void *context, const ap_logged_event *event, const ap_event *touch) {
  (void)context, (void)touch;
  printf("%.6f s: %s of %s at %s\n", event->t, event->event, event->point, event->wall);
}

int main(int argc, char **argv) {
  ap_run *run = NULL;
  ap_error error = {0};
  bool end = false;
  if (argc != 2) return fprintf(stderr, "usage: %s SCENARIO\n", argv[0]), 2;
  if (ap_run_open(argv[1], NULL, &run, &error) == AP_OK) {
    const int kinetic = ap_run_find(run, "kinetic");
    ap_run_on_event(run, tell, NULL);
    while (ap_run_step(run, &end, &error) == AP_OK && !end)
      if (kinetic >= 0) printf("%.6f s: %g J\n", ap_run_row(run)[0], ap_run_row(run)[kinetic]);
  }
  ap_run_free(run);
  return end ? 0 : (fprintf(stderr, "%s:%d: %s\n", argv[1], error.line, error.text), 1);
}
