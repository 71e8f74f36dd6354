// SPDX-License-Identifier: Apache-2.0
// The torques that move a PUMA 600 as asked, and the motion that those torques cause.

#include <appell/appell.h>
#include <stdio.h>

static unsigned char model_memory[8192], work_memory[49152];

int main(void) {
  ap_error error;
  ap_model *m = ap_model_init(ap_builtin("puma600"), model_memory, sizeof model_memory, &error);
  if (!m) return fprintf(stderr, "%s\n", error.text), 1;
  ap_work *w = ap_work_init(m, work_memory, sizeof work_memory);
  if (!w) return fprintf(stderr, "the work needs %zu bytes\n", ap_work_size(m)), 1;

  double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}; // rad
  double v[6] = {0.2, 0.4, 0.6, 0.8, 1.0, 1.2}; // rad/s
  double a[6] = {0.3, 0.6, 0.9, 1.2, 1.5, 1.8}; // rad/s2
  double tau[6], again[6];
  ap_inverse_dynamics(m, w, q, v, a, tau);
  ap_status status = ap_forward_dynamics(m, w, q, v, tau, again);
  if (status != AP_OK) return fprintf(stderr, "%s\n", ap_status_text(status)), 1;
  for (int i = 0; i < 6; i++)
    printf("joint %d: %10.5f N m gives %.5f rad/s2\n", i + 1, tau[i], again[i]);
  return 0;
}
