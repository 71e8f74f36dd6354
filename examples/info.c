// SPDX-License-Identifier: Apache-2.0
// What a robot file contains: joints with their limits, bodies with their masses, what is odd.
//
//   info [FILE]      a built-in robot by default

#include <appell/info.h>
#include <stdio.h>

int main(int argc, char **argv) {
  ap_robot *robot = NULL;
  ap_model *m = NULL;
  ap_info info = {0};
  ap_error e = {0};
  e.status = argc > 1 ? ap_robot_read(argv[1], NULL, &robot, &e)
                      : ap_robot_builtin("quadruped", NULL, &robot, &e);
  if (e.status == AP_OK) e.status = ap_robot_model(robot, &m, &e);
  if (e.status == AP_OK) e.status = ap_info_make(robot, m, NULL, &info);
  for (int k = 0; k < info.joints; k++)
    printf("q[%d] %s: %s, %g to %g\n", info.joint[k].q, info.joint[k].name, info.joint[k].type,
           info.joint[k].body->lower, info.joint[k].body->upper);
  for (int k = 1; k < info.bodies; k++)
    printf("%s on %s: %g kg\n", info.body[k].name, info.body[k].parent, info.body[k].mass);
  for (int k = 0; k < info.warnings; k++) printf("odd: %s\n", info.warning[k].text);
  if (e.status != AP_OK) fprintf(stderr, "line %d: %s\n", e.line, e.text);
  ap_info_free(&info);
  ap_model_free(m);
  ap_robot_free(robot);
  return e.status == AP_OK ? 0 : 1;
}
