// SPDX-License-Identifier: Apache-2.0
// Where the PUMA's hand is, how it moves, and how to get it somewhere else.

#include <appell/appell.h>
#include <math.h>
#include <stdio.h>

static unsigned char model_memory[8192], work_memory[49152];

static void print_row(const char *name, const double *x, int n) {
  printf("%s", name);
  for (int i = 0; i < n; i++) printf(" %9.5f", x[i] + 0.0);
  printf("\n");
}

// The largest difference between two poses of the hand.
static double difference(const double *R1, const double *p1, const double *R2, const double *p2) {
  double worst = 0;
  for (int i = 0; i < 9; i++)
    if (fabs(R1[i] - R2[i]) > worst) worst = fabs(R1[i] - R2[i]);
  for (int i = 0; i < 3; i++)
    if (fabs(p1[i] - p2[i]) > worst) worst = fabs(p1[i] - p2[i]);
  return worst;
}

// All postures that put the hand at a pose, in closed form; returns the largest error.
static double closed_form(const ap_model *m, ap_work *w, const double *R, const double *p) {
  ap_puma_geometry geometry;
  if (ap_puma_geometry_of(m, &geometry) != AP_OK) return HUGE_VAL;
  double worst = 0;
  printf("the same pose in closed form, q:\n");
  for (int branch = 0; branch < 8; branch++) {
    double q[6], R2[9], p2[3];
    if (ap_puma_inverse_kinematics(&geometry, R, p, branch, q) != AP_OK) continue;
    ap_kinematics(m, w, q, NULL, NULL);
    if (ap_frame_pose(m, w, 6, R2, p2) != AP_OK) return HUGE_VAL;
    double error = difference(R, p, R2, p2);
    if (error > worst) worst = error;
    print_row("  ", q, 6);
  }
  return worst;
}

int main(void) {
  ap_model *m = ap_model_init(ap_builtin("puma600"), model_memory, sizeof model_memory, NULL);
  ap_work *w = m ? ap_work_init(m, work_memory, sizeof work_memory) : NULL;
  if (!w) return fprintf(stderr, "not enough memory\n"), 1;
  int hand = ap_find_frame(m, "link6");
  if (hand < 0) return fprintf(stderr, "the robot has no frame link6\n"), 1;

  double q[6] = {0.3, -0.6, 0.4, 0.2, 0.7, -0.1}, v[6] = {0.1, 0.2, -0.1, 0.3, 0, 0.2};
  double R[9], p[3], vel[6], J[6 * 6];
  ap_kinematics(m, w, q, v, NULL);
  ap_frame_pose(m, w, hand, R, p);
  ap_frame_velocity(m, w, hand, AP_MIXED, vel);
  ap_frame_jacobian(m, w, hand, AP_MIXED, J);
  print_row("origin            ", p, 3);
  print_row("velocity          ", vel, 3);
  print_row("angular velocity  ", vel + 3, 3);
  print_row("first row of J    ", J, 6);

  // 50 mm higher, same orientation, found from here. The search is local: where it fails, another q
  // to start from may do.
  p[2] += 0.05;
  ap_ik_options options = ap_default_ik();
  ap_ik_result result;
  ap_status status = ap_inverse_kinematics(m, w, hand, R, p, &options, q, &result);
  if (status != AP_OK) return fprintf(stderr, "%s\n", ap_status_text(status)), 1;
  print_row("50 mm higher at q ", q, 6);
  double worst = closed_form(m, w, R, p);
  return worst < 1e-12 && result.position_error < 1e-9 ? 0 : 1;
}
