// SPDX-License-Identifier: Apache-2.0
// A robot file: its joints, what is odd about it, and the torques that hold it against gravity.
//
//   urdf [FILE]      models/two_link.urdf by default; where that is not there, a built-in robot

#include <appell/appell.h>
#include <appell/file.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char *path, const ap_error *error) {
  fprintf(stderr, "%s:%d: %s\n", path, error->line, error->text);
  return 1;
}

static void print_remarks(const ap_robot *robot, const ap_model *m, const char *path) {
  char text[320];
  for (int i = 0; i < ap_robot_warnings(robot); i++) {
    const ap_error *warning = ap_robot_warning(robot, i);
    printf("%s:%d: %s\n", path, warning->line, warning->text);
  }
  for (int i = 0; i < ap_model_remarks(m); i++) {
    ap_remark_text(m, ap_model_remark(m, i), text, sizeof text);
    printf("%s:%d: %s\n", path, ap_robot_message_line(robot, text), text);
  }
}

// Joints in the order of q and v, each with the force that holds it at q = 0.
static int print_joints(const ap_model *m) {
  size_t size = ap_work_size(m);
  void *memory = malloc(size);
  double *q = calloc((size_t)ap_nq(m) + 1, sizeof *q);
  double *tau = calloc((size_t)ap_nv(m) + 1, sizeof *tau);
  ap_work *w = memory ? ap_work_init(m, memory, size) : NULL;
  if (w && q && tau) {
    ap_neutral(m, q);
    ap_gravity_forces(m, w, q, tau);
    for (int i = 1; i < ap_nbody(m); i++)
      if (ap_body_mover(m, i) == i && !ap_body(m, i)->mimic)
        for (int k = 0; k < ap_joint_nv(m, i); k++)
          printf("%-12s moves %-12s %12.6f\n", ap_body(m, i)->joint_name, ap_body(m, i)->name,
                 tau[ap_joint_v(m, i) + k]);
  }
  free(tau);
  free(q);
  free(memory);
  return w ? 0 : 1;
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "models/two_link.urdf";
  ap_read_options options = {.floating = false, .ignore_mimic = false};
  ap_robot *robot;
  ap_model *m;
  ap_error error;
  ap_status found = ap_robot_read(path, &options, &robot, &error);
  if (found == AP_E_FILE && argc == 1)
    found = ap_robot_builtin(path = "scara", &options, &robot, &error);
  if (found != AP_OK) return fail(path, &error);
  int status = 1;
  if (ap_robot_model(robot, &m, &error) == AP_OK) {
    printf("%s: %d degrees of freedom\n", ap_model_name(m), ap_nv(m));
    print_remarks(robot, m, path);
    status = print_joints(m);
    ap_model_free(m);
  } else {
    fail(path, &error);
  }
  ap_robot_free(robot);
  return status;
}
