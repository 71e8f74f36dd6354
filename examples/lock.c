// SPDX-License-Identifier: Apache-2.0
// A PUMA 600 whose wrist is locked: three joints, the same dynamics.

#include <appell/appell.h>
#include <stdio.h>

static unsigned char reduced_memory[8192], model_memory[8192], work_memory[49152];

int main(void) {
  const ap_lock wrist[] = {{"joint4", 1, {0.4}}, {"joint5", 1, {0.5}}, {"joint6", 0, {0}}};
  const ap_reduction_def how = {.locks = wrist, .nlock = 3};
  ap_error error;
  const ap_reduced *arm =
      ap_reduce(ap_builtin("puma600"), &how, reduced_memory, sizeof reduced_memory, &error);
  ap_model *m = arm ? ap_model_init(&arm->robot, model_memory, sizeof model_memory, &error) : NULL;
  if (!m) return fprintf(stderr, "%s\n", error.text), 1;
  ap_work *w = ap_work_init(m, work_memory, sizeof work_memory);
  if (!w) return fprintf(stderr, "the work needs %zu bytes\n", ap_work_size(m)), 1;

  double q[3] = {0.1, 0.2, 0.3}, tau[3]; // rad
  ap_gravity_forces(m, w, q, tau);
  for (int i = 0; i < ap_nv(m); i++) printf("joint %d: %10.5f N m\n", i + 1, tau[i]);
  return 0;
}
