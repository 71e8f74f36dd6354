// SPDX-License-Identifier: Apache-2.0
// Every method of the PUMA 600 on the same random states: operations, time of one evaluation, and
// rounding error in single precision.

#include <appell/compare.h>
#include <appell/file.h>
#include <stdio.h>

int main(void) {
  ap_robot *robot = NULL;
  ap_model *m = NULL;
  ap_comparison c = {0};
  ap_error e;
  const bool done = ap_robot_builtin("puma600", NULL, &robot, &e) == AP_OK &&
                    ap_robot_model(robot, &m, &e) == AP_OK && ap_compare(m, NULL, &c, &e) == AP_OK;
  for (int k = 0; k < c.trials; k++)
    if (ap_trial_was_run(&c.trial[k], NULL, 0))
      printf("%-8s %-34s %5ld mul %5ld add %6.0f ns, f32 error %.1e\n",
             ap_quantity_name(c.trial[k].method->what), c.trial[k].method->name,
             c.trial[k].count.mul, c.trial[k].count.add, c.trial[k].ns, c.trial[k].error);
  if (!done) fprintf(stderr, "%s\n", e.text);
  ap_comparison_free(&c);
  ap_model_free(m);
  ap_robot_free(robot);
  return done ? 0 : 1;
}
