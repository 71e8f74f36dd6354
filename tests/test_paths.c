// SPDX-License-Identifier: Apache-2.0
// Ramps, trapezoids, splines and straight lines.

#include <appell/file.h>
#include <appell/traj.h>

#include "test.h"

static void at(const ap_traj *t, double time, double x[3]) {
  ap_traj_at(t, time, &x[0], &x[1], &x[2]);
}

TEST(ramps_rise_evenly) {
  const double from[2] = {1, -2}, to[2] = {3, 0.5};
  ap_error error;
  ap_traj *t;
  CHECK_OK(ap_traj_ramp(2, from, to, 4, &t, &error));
  double q[2], v[2], a[2];
  ap_traj_at(t, 1, q, v, a);
  CHECK_NEAR(q, ((double[]){1.5, -1.375}), 2, 1e-15);
  CHECK_NEAR(v, ((double[]){0.5, 0.625}), 2, 1e-15);
  CHECK(a[0] == 0 && ap_traj_duration(t) == 4);
  ap_traj_free(t);
  CHECK(ap_traj_ramp(2, from, to, 0, &t, &error) == AP_E_ARG);
}

TEST(a_blended_ramp_takes_its_time_and_does_not_jump) {
  const double from[2] = {1, -2}, to[2] = {3, 0.5}, corners[3] = {0.1, 0.5, 2};
  for (int k = 0; k < 3; k++) {
    ap_error error;
    ap_traj *t;
    double q[2], v[2], a[2], b = corners[k];
    CHECK_OK(ap_traj_blended_ramp(2, from, to, 4, b, &t, &error));
    CHECK(fabs(ap_traj_duration(t) - 4) < 1e-15);
    for (int end = 0; end < 2; end++) {
      ap_traj_at(t, 4 * end, q, v, NULL);
      CHECK_NEAR(q, end ? to : from, 2, 1e-14);
      CHECK_NEAR(v, ((double[]){0, 0}), 2, 1e-14);
    }
    ap_traj_at(t, b, q, v, a); // b / 2 of its speed are behind it
    for (int j = 0; j < 2; j++) {
      double speed = (to[j] - from[j]) / (4 - b);
      CHECK(fabs(v[j] - speed) < 1e-14 && fabs(q[j] - from[j] - speed * b / 2) < 1e-14);
      CHECK(fabs(ap_traj_reach_of(t, j).acceleration - speed / b) < 1e-9 * speed / b);
    }
    ap_traj_free(t);
    CHECK(ap_traj_blended_ramp(2, from, to, 4, -b, &t, &error) == AP_E_ARG);
  }
  ap_error error;
  ap_traj *t;
  CHECK(ap_traj_blended_ramp(2, from, to, 4, 2.1, &t, &error) == AP_E_ARG);
  CHECK_HAS(error.text, "must fit");
}

// A trapezoid reaches one of its limits and leaves none of them.
TEST(trapezoids_are_as_fast_as_allowed) {
  const double zero[2] = {0, 0}, ways[3][2] = {{1, -3}, {0.01, 0.002}, {0, 5}};
  const double velocity[2] = {0.5, 1}, acceleration[2] = {2, 3};
  for (int k = 0; k < 3; k++) {
    ap_error error;
    ap_traj *t;
    CHECK_OK(ap_traj_trapezoid(2, zero, ways[k], velocity, acceleration, &t, &error));
    double q[2], v[2], fastest = 0, hardest = 0;
    ap_traj_at(t, ap_traj_duration(t), q, v, NULL);
    for (int j = 0; j < 2; j++) {
      ap_traj_reach r = ap_traj_reach_of(t, j);
      CHECK(fabs(q[j] - ways[k][j]) < 1e-12 && fabs(v[j]) < 1e-12);
      CHECK(r.velocity <= velocity[j] * (1 + 1e-12));
      CHECK(r.acceleration <= acceleration[j] * (1 + 1e-12));
      fastest = fmax(fastest, r.velocity / velocity[j]);
      hardest = fmax(hardest, r.acceleration / acceleration[j]);
    }
    CHECK(fabs(hardest - 1) < 1e-9);
    if (k != 1) CHECK(fabs(fastest - 1) < 1e-9);
    ap_traj_free(t);
  }
}

// Continuity to derivative 2 (cubic) or 4 (quintic) at the inner points, by one-sided differences;
// and the points are met.
TEST(splines_are_as_smooth_as_promised) {
  const double time[5] = {0, 0.7, 1, 2.5, 3}, q[5] = {0, 1, -0.5, 2, 1};
  for (int degree = 3; degree <= 5; degree += 2) {
    ap_spline_def def = {1, 5, time, q, degree};
    ap_error error;
    ap_traj *t;
    CHECK_OK(ap_traj_spline(&def, &t, &error));
    double x[3], y[3];
    for (int i = 0; i < 5; i++) {
      at(t, time[i], x);
      CHECK(fabs(x[0] - q[i]) < 1e-12);
      if (i == 0 || i == 4) CHECK(fabs(x[1]) < 1e-11);
      if ((i == 0 || i == 4) && degree == 5) CHECK(fabs(x[2]) < 1e-10);
      if (i == 0 || i == 4) continue;
      at(t, time[i] - 1e-9, x), at(t, time[i] + 1e-9, y);
      CHECK(fabs(x[1] - y[1]) < 1e-6 && fabs(x[2] - y[2]) < 1e-5);
      if (degree == 3) continue;
      // Third and fourth derivative from the acceleration on either side, exact for a cubic of it.
      double h = 0.02, a[2][4], third[2], fourth[2];
      for (int side = 0; side < 2; side++) {
        double s = side ? h : -h;
        for (int k = 0; k < 4; k++)
          at(t, time[i] + k * s + (side ? 1e-12 : -1e-12), x), a[side][k] = x[2];
        third[side] =
            (-11 * a[side][0] + 18 * a[side][1] - 9 * a[side][2] + 2 * a[side][3]) / (6 * s);
        fourth[side] = (2 * a[side][0] - 5 * a[side][1] + 4 * a[side][2] - a[side][3]) / (s * s);
      }
      CHECK(fabs(third[0] - third[1]) < 1e-6 * (1 + fabs(third[0])));
      CHECK(fabs(fourth[0] - fourth[1]) < 1e-5 * (1 + fabs(fourth[0])));
    }
    ap_traj_free(t);
  }
}

// A spline through points of a cubic with flat ends is that cubic.
TEST(a_cubic_spline_gives_a_cubic_back) {
  double time[4] = {0, 1, 2.5, 3}, q[4];
  for (int i = 0; i < 4; i++) q[i] = time[i] * time[i] * (9 - 2 * time[i]) / 27;
  ap_spline_def def = {1, 4, time, q, 3};
  ap_error error;
  ap_traj *t;
  double x[3];
  CHECK_OK(ap_traj_spline(&def, &t, &error));
  for (double s = 0; s <= 3; s += 0.1) {
    at(t, s, x);
    CHECK(fabs(x[0] - s * s * (9 - 2 * s) / 27) < 1e-12);
  }
  ap_traj_free(t);
  time[2] = 1;
  CHECK(ap_traj_spline(&def, &t, &error) == AP_E_ARG);
  CHECK_HAS(error.text, "times must increase");
}

// The line of Valera et al. (2003): (0.6, 0.175, 0.25) to (0.018, 0.757, 0) at 0.1 m/s, ZYZ 45 60
// 90 degrees: 8.6 s. The wrist centre stays on it, turned as it was.
static void follow(double acceleration) {
  ap_error error;
  ap_robot *robot;
  ap_model *m;
  CHECK_OK(ap_robot_builtin("puma600", &(ap_read_options){0}, &robot, &error));
  CHECK_OK(ap_robot_model(robot, &m, &error));
  void *memory = malloc(ap_work_size(m));
  ap_work *w = ap_work_init(m, memory, ap_work_size(m));
  double c1 = sqrt(0.5), s1 = c1, c2 = 0.5, s2 = sqrt(0.75); // third turn: 90 degrees
  ap_line_def def = {.frame = ap_find_frame(m, "link6"),
                     .from = {0.6, 0.175, 0.25},
                     .to = {0.018, 0.757, 0},
                     .R = {-s1, -c1 * c2, c1 * s2, c1, -s1 * c2, s1 * s2, 0, s2, c2},
                     .speed = 0.1,
                     .acceleration = acceleration};
  ap_puma_geometry geometry;
  double guess[6];
  CHECK_OK(ap_puma_geometry_of(m, &geometry));
  CHECK_OK(ap_puma_inverse_kinematics(&geometry, def.R, def.from, 0, guess));
  def.guess = guess;
  ap_traj *t;
  CHECK_OK(ap_traj_line(m, w, &def, &t, &error));
  double T = ap_traj_duration(t), length = sqrt(0.582 * 0.582 * 2 + 0.0625);
  CHECK(fabs(T - (length / 0.1 + (acceleration > 0 ? 0.1 / acceleration : 0))) < 1e-9);
  for (int k = 0; k <= 997; k++) {
    double q[6], v[6], a[6], R[9], p[3], vel[6], on = 0, off = 0;
    ap_traj_at(t, T * k / 997, q, v, a);
    ap_kinematics(m, w, q, v, a);
    ap_frame_pose(m, w, def.frame, R, p);
    for (int i = 0; i < 3; i++) on += (p[i] - def.from[i]) * (def.to[i] - def.from[i]) / length;
    for (int i = 0; i < 3; i++)
      off = fmax(off, fabs(p[i] - def.from[i] - on * (def.to[i] - def.from[i]) / length));
    CHECK(off < 1e-9);
    CHECK_NEAR(R, def.R, 9, 1e-8);
    ap_frame_velocity(m, w, def.frame, AP_MIXED, vel);
    if (acceleration <= 0)
      CHECK(fabs(sqrt(vel[0] * vel[0] + vel[1] * vel[1] + vel[2] * vel[2]) - 0.1) < 1e-7);
    else if (k == 0 || k == 997)
      CHECK(fabs(vel[0]) < 1e-9);
  }
  ap_traj_free(t);
  def.to[0] = 3;
  CHECK(ap_traj_line(m, w, &def, &t, &error) != AP_OK);
  CHECK_HAS(error.text, "along the line");
  free(memory);
  ap_model_free(m);
  ap_robot_free(robot);
}

TEST(a_line_at_constant_speed_is_straight) { follow(0); }
TEST(a_line_from_rest_to_rest_is_straight) { follow(0.05); }
