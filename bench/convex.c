// SPDX-License-Identifier: Apache-2.0
// Time of ap_convex_distance() by kind of pair: the mean over many random poses, apart and
// overlapping, least of several rounds; and the support points that a call computes.

#include <appell/convex.h>

#include <stdio.h>

#include "clock.h"
#include "rng.h"

enum { POSES = 2000, ROUNDS = 7 };

static ap_pose poses[POSES];

static void draw_poses(double spread) {
  rng r = rng_seed(1);
  for (int i = 0; i < POSES; i++) {
    double q[4], s = 0;
    for (int k = 0; k < 4; k++) {
      q[k] = rng_uniform(&r, -1, 1);
      s += q[k] * q[k];
    }
    const double f = 2 / s, x = q[0], y = q[1], z = q[2], w = q[3];
    poses[i] = (ap_pose){{1 - f * (y * y + z * z), f * (x * y - z * w), f * (x * z + y * w),
                          f * (x * y + z * w), 1 - f * (x * x + z * z), f * (y * z - x * w),
                          f * (x * z - y * w), f * (y * z + x * w), 1 - f * (x * x + y * y)},
                         {0}};
    for (int k = 0; k < 3; k++) poses[i].p[k] = rng_uniform(&r, -spread, spread);
  }
}

static void measure(const char *name, const ap_convex *a, const ap_convex *b) {
  static const double spread[] = {4, 0.4};
  printf("%-18s", name);
  for (int far = 0; far < 2; far++) {
    const ap_pose here = ap_pose_identity();
    double least = INFINITY;
    long steps = 0;
    draw_poses(spread[far]);
    for (int round = 0; round < ROUNDS; round++) {
      const double start = now();
      steps = 0;
      for (int i = 0; i < POSES; i++) {
        ap_closest c;
        ap_convex_distance(a, &here, b, &poses[i], &c);
        steps += c.steps;
      }
      least = fmin(least, (now() - start) / POSES);
    }
    printf("%10.0f ns %6.1f steps", least, (double)steps / POSES);
  }
  printf("\n");
}

int main(void) {
  enum { CORNERS = 128 };
  double point[CORNERS][3];
  rng r = rng_seed(2);
  ap_convex sphere, capsule, box, cylinder, floor = ap_convex_half_space();
  ap_hull *hull;
  for (int i = 0; i < CORNERS; i++) {
    double s = 0;
    for (int k = 0; k < 3; k++) {
      point[i][k] = rng_uniform(&r, -1, 1);
      s += point[i][k] * point[i][k];
    }
    for (int k = 0; k < 3; k++) point[i][k] /= sqrt(s);
  }
  if (ap_convex_sphere(0.5, &sphere, NULL) || ap_convex_capsule(0.3, 1, &capsule, NULL) ||
      ap_convex_box((double[]){1, 0.8, 1.2}, &box, NULL) ||
      ap_convex_cylinder(0.5, 1, &cylinder, NULL) || ap_hull_make(point[0], CORNERS, &hull, NULL))
    return 1;
  const ap_convex mesh = ap_convex_of_hull(hull);
  printf("%-18s%29s%29s\n", "pair", "mostly apart", "mostly overlapping");
  measure("sphere-sphere", &sphere, &sphere);
  measure("capsule-capsule", &capsule, &capsule);
  measure("sphere-box", &sphere, &box);
  measure("capsule-box", &capsule, &box);
  measure("box-box", &box, &box);
  measure("floor-box", &floor, &box);
  measure("cylinder-box", &cylinder, &box);
  measure("cylinder-cylinder", &cylinder, &cylinder);
  measure("hull-box", &mesh, &box);
  measure("hull-hull (128)", &mesh, &mesh);
  ap_hull_free(hull);
  return 0;
}
