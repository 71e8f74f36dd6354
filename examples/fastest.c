// SPDX-License-Identifier: Apache-2.0
// The fastest motion of an arm through three points, within its limits of torque and velocity.

#include <appell/file.h>
#include <appell/topp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 7 };

int main(void) {
  static const double points[3][N] = {{0, 0.3, 0, 1.2, 0, 1, 0},
                                      {0.8, 0.6, -0.3, 1.6, 0.2, 1.4, 0.5},
                                      {1.5, 0.1, 0.2, 0.9, -0.2, 1.1, 0}};
  double effort[N], velocity[N], q[N], v[N], a[N], tau[N];
  ap_robot *robot = NULL;
  ap_model *m = NULL;
  ap_error error;
  if (ap_robot_read("models/arm7.yaml", &(ap_read_options){0}, &robot, &error) ||
      ap_robot_model(robot, &m, &error)) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  const size_t size = ap_work_size(m);
  void *memory = malloc(size);
  ap_work *w = ap_work_init(m, memory, size);
  ap_set_friction(m, w, true);
  for (int j = 0; j < N; j++)
    effort[j] = ap_body(m, j + 1)->effort_limit, velocity[j] = ap_body(m, j + 1)->velocity_limit;

  ap_traj *path = NULL, *motion = NULL;
  ap_topp_report report;
  ap_topp_def def = ap_default_topp();
  ap_status status = ap_traj_path(N, 3, points[0], AP_PATH_SPLINE, &path, &error);
  def.model = m, def.path = path, def.effort = effort, def.velocity = velocity;
  if (!status) status = ap_traj_time_optimal(&def, w, 1e-3, &motion, &report, &error);
  if (status)
    fprintf(stderr, "%s\n", error.text);
  else
    printf("%.4f s; a limit is met in %.1f %% of the path\n", report.duration, 100 * report.active);
  for (int k = 0; !status && k <= 4; k++) {
    const double t = ap_traj_duration(motion) * k / 4;
    ap_traj_at(motion, t, q, v, a);
    ap_inverse_dynamics(m, w, q, v, a, tau);
    printf("t %.3f s: axis 1 at %6.3f rad, %6.3f rad/s, %8.3f N m\n", t, q[0], v[0], tau[0]);
  }
  ap_traj_free(motion), ap_traj_free(path);
  ap_model_free(m), ap_robot_free(robot);
  free(memory);
  return status ? 1 : 0;
}
