// SPDX-License-Identifier: Apache-2.0
// Time of a period of the control loop without I/O: inputs recorded from the simulated PUMA are
// played back, so that the rack costs a copy. Beside it the law alone and the inverse dynamics
// inside it. Each figure is the least mean of a stretch of periods, in nanoseconds.

#include <appell/control.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

enum { MOST = 20000, RUNS = 40, STRETCH = 50, N = 6 };

static ap_rack_input input[MOST];
static ap_rack_output output[MOST];
static double room[MOST][2][8 * N];

static ap_control *read_scenario(const char *path) {
  ap_control *c;
  ap_error error = {0};
  if (ap_control_read(path, NULL, &c, &error) == AP_OK) return c;
  fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
  exit(1);
}

static long record(const char *path) {
  ap_control *c = read_scenario(path);
  ap_servo *s;
  ap_error error = {0};
  ap_servo_record r;
  long n = 0;
  if (ap_control_open(c, &s, &error) != AP_OK) exit(1);
  for (bool more = true; more;) {
    more = ap_servo_step(s);
    for (; ap_servo_take(s, &r) && n < MOST; n++) {
      ap_rack_input_init(&input[n], N, room[n][0]), ap_rack_output_init(&output[n], N, room[n][1]);
      ap_rack_input_copy(N, &r.input, &input[n]), ap_rack_output_copy(N, &r.output, &output[n]);
    }
  }
  ap_control_free(c);
  return n;
}

// The least mean over a stretch of periods of the whole loop.
static double loop_time(const char *path, long n) {
  double least = 1e30;
  for (int run = 0; run < RUNS; run++) {
    ap_control *c = read_scenario(path);
    ap_servo *s;
    ap_servo_record r;
    if (ap_control_open_replay(c, input, output, n, &s, &(ap_error){0}) != AP_OK) exit(1);
    for (long k = 0; k + STRETCH < n; k += STRETCH) {
      double began = now();
      for (int i = 0; i < STRETCH; i++) ap_servo_step(s);
      double mean = (now() - began) / STRETCH;
      if (k > n / 2 && mean < least) least = mean; // behind homing, along the reference
      while (ap_servo_take(s, &r)) continue;
    }
    ap_control_free(c);
  }
  return least;
}

static double law_time(ap_law law) {
  const ap_robot_def *def = ap_builtin("puma600");
  void *model_memory = malloc(ap_model_size(def));
  ap_model *m = ap_model_init(def, model_memory, ap_model_size(def), NULL);
  ap_ctrl_def d = ap_default_ctrl();
  d.model = m, d.law = law;
  void *memory = malloc(ap_ctrl_size(m));
  ap_ctrl *c = ap_ctrl_init(&d, memory, ap_ctrl_size(m), NULL);
  double q[N] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, v[N] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, tau[N];
  ap_traj_state reference = {q, v, v};
  double least = 1e30;
  for (int run = 0; run < 2000; run++) {
    double began = now();
    for (int i = 0; i < STRETCH; i++) {
      ap_ctrl_step(c, &reference, q, v, tau);
      q[0] += 1e-9 * tau[0];
    }
    double mean = (now() - began) / STRETCH;
    if (mean < least) least = mean;
  }
  free(memory);
  free(model_memory);
  return least;
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "models/control/puma_spline.yaml";
  long n = record(path);
  printf("%s, %ld periods recorded, ns:\n", path, n);
  for (int law = AP_LAW_POINT; law <= AP_LAW_PD_GRAVITY; law++)
    printf("  law %-18s %8.0f\n", ap_law_name((ap_law)law), law_time((ap_law)law));
  printf("  whole period without I/O %8.0f\n", loop_time(path, n));
  return 0;
}
