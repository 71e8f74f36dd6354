// SPDX-License-Identifier: Apache-2.0
// Trajectories: derivatives, joints between pieces, limits.

#define _GNU_SOURCE

#include <appell/traj.h>

#include "heap.h"
#include "test.h"

static ap_traj *made(ap_status status, ap_traj *const *traj, const ap_error *error) {
  if (status != AP_OK) printf("  refused: %s\n", error->text);
  CHECK_OK(status);
  return *traj;
}

static ap_traj *fourier(double duration) {
  static const double centre[2] = {0.1, -0.4}, sine[6] = {0.5, -0.2, 0.1, 0.3, 0, -0.25},
                      cosine[6] = {-0.1, 0.4, 0.2, 0, 0.7, -0.3};
  ap_fourier_def def = {2, 3, 2.5, duration, centre, sine, cosine};
  ap_error error;
  ap_traj *t = NULL;
  return made(ap_traj_fourier(&def, &t, &error), &t, &error);
}

static ap_traj *quintic(double duration, const double *from, const double *to) {
  ap_traj_state a = {from, from + 2, from + 4}, b = {to, to + 2, to + 4};
  ap_error error;
  ap_traj *t = NULL;
  return made(ap_traj_quintic(2, &a, &b, duration, &t, &error), &t, &error);
}

// The series term by term, in long double.
TEST(a_fourier_series_is_its_sum) {
  ap_traj *t = fourier(5);
  const long double w = 2 * acosl(-1) / 2.5L, sine[3] = {0.3L, 0, -0.25L},
                    cosine[3] = {0, 0.7L, -0.3L};
  for (double at = 0; at <= 5; at += 0.37) {
    long double x = -0.4L, v = 0, a = 0;
    for (int l = 1; l <= 3; l++) {
      long double s = sinl(l * w * at), c = cosl(l * w * at), lw = l * w;
      x += sine[l - 1] * s + cosine[l - 1] * c;
      v += lw * (sine[l - 1] * c - cosine[l - 1] * s);
      a -= lw * lw * (sine[l - 1] * s + cosine[l - 1] * c);
    }
    double q[2], qd[2], qdd[2];
    ap_traj_at(t, at, q, qd, qdd);
    CHECK_CLOSE(q[1], (double)x, 1e-14);
    CHECK_CLOSE(qd[1], (double)v, 1e-13); // 7.5 rad/s times the rounding of the angle
    CHECK_CLOSE(qdd[1], (double)a, 1e-12);
  }
  ap_traj_free(t);
}

TEST(a_quintic_meets_both_ends) {
  const double from[6] = {0.3, -1, 0.2, 0.7, -2, 0.1}, to[6] = {1.1, 0.4, -0.6, 0, 1, -3};
  ap_traj *t = quintic(1.7, from, to);
  double x[6];
  ap_traj_at(t, 0, x, x + 2, x + 4);
  CHECK_WITHIN(x, from, 6, 0);
  ap_traj_at(t, 1.7, x, x + 2, x + 4);
  CHECK_WITHIN(x, to, 6, 1e-13);
  ap_traj_free(t);
}

// Differences over 2 h are off by h^2 / 6 times a third derivative and by rounding / h.
TEST(velocity_and_acceleration_are_derivatives) {
  const double from[6] = {0.3, -1, 0.2, 0.7, -2, 0.1}, to[6] = {1.1, 0.4, -0.6, 0, 1, -3};
  ap_traj *trajs[] = {fourier(5), quintic(1.7, from, to)};
  const double h = 1e-5;
  for (int k = 0; k < 2; k++) {
    for (double at = 0.1; at < 1.6; at += 0.3) {
      double q0[2], q1[2], v0[2], v1[2], v[2], a[2];
      ap_traj_at(trajs[k], at - h, q0, v0, NULL);
      ap_traj_at(trajs[k], at + h, q1, v1, NULL);
      ap_traj_at(trajs[k], at, NULL, v, a);
      for (int j = 0; j < 2; j++) {
        CHECK_CLOSE((q1[j] - q0[j]) / (2 * h), v[j], 1e-7);
        CHECK_CLOSE((v1[j] - v0[j]) / (2 * h), a[j], 1e-6);
      }
    }
    ap_traj_free(trajs[k]);
  }
}

TEST(rests_before_and_after) {
  ap_traj *t = fourier(2.2);
  double q[2], end[2], v[2], a[2];
  const double zero[2] = {0, 0};
  ap_traj_at(t, 2.2, end, NULL, NULL);
  ap_traj_at(t, 9, q, v, a);
  CHECK_WITHIN(q, end, 2, 0);
  CHECK_WITHIN(v, zero, 2, 0);
  CHECK_WITHIN(a, zero, 2, 0);
  ap_traj_at(t, 0, end, NULL, NULL);
  ap_traj_at(t, -1, q, v, NULL);
  CHECK_WITHIN(q, end, 2, 0);
  CHECK_WITHIN(v, zero, 2, 0);
  ap_traj_free(t);
}

TEST(chains_are_smooth) {
  ap_traj *middle = fourier(2.5);
  double state[6], rest[6] = {0.2, 0.3};
  ap_traj_at(middle, 0, state, state + 2, state + 4);
  ap_traj *first = quintic(1, rest, state);
  ap_traj_at(middle, 2.5, state, state + 2, state + 4);
  ap_traj *last = quintic(1.5, state, rest), *all = NULL;
  const ap_traj *parts[] = {first, middle, last};
  ap_error error;
  made(ap_traj_chain(parts, 3, &all, &error), &all, &error);
  CHECK_CLOSE(ap_traj_duration(all), 5, 1e-15);
  CHECK_EQ_INT(ap_traj_n(all), 2);
  for (double at = 1; at < 4; at += 2.5) { // both seams; the third derivative jumps
    double x[6], y[6];
    ap_traj_at(all, at - 1e-9, x, x + 2, x + 4);
    ap_traj_at(all, at + 1e-9, y, y + 2, y + 4);
    CHECK_WITHIN(x, y, 6, 1e-6);
  }
  ap_traj_free(all);
  CHECK_STATUS(ap_traj_chain((const ap_traj *[]){first, first}, 2, &all, &error), AP_E_ARG);
  CHECK_HAS(error.text, "the part before ends at");
  ap_traj_free(first), ap_traj_free(middle), ap_traj_free(last);
}

// Against a fine grid, which misses a top by at most the curvature times step squared / 8.
TEST(reach_is_what_a_fine_grid_sees) {
  const double from[6] = {0.3, -1, 0.2, 0.7, -2, 0.1}, to[6] = {1.1, 0.4, -0.6, 0, 1, -3};
  ap_traj *trajs[] = {fourier(5), quintic(1.7, from, to)};
  for (int k = 0; k < 2; k++) {
    for (int j = 0; j < 2; j++) {
      ap_traj_reach got = ap_traj_reach_of(trajs[k], j), seen = {INFINITY, -INFINITY, 0, 0};
      for (int i = 0; i <= 100000; i++) {
        double q[2], v[2], a[2];
        ap_traj_at(trajs[k], ap_traj_duration(trajs[k]) * i / 100000, q, v, a);
        seen.lower = fmin(seen.lower, q[j]), seen.upper = fmax(seen.upper, q[j]);
        seen.velocity = fmax(seen.velocity, fabs(v[j]));
        seen.acceleration = fmax(seen.acceleration, fabs(a[j]));
      }
      CHECK_CLOSE(got.lower, seen.lower, 1e-6);
      CHECK_CLOSE(got.upper, seen.upper, 1e-6);
      CHECK_CLOSE(got.velocity, seen.velocity, 1e-6);
      CHECK_CLOSE(got.acceleration, seen.acceleration, 1e-5);
      CHECK(got.upper >= seen.upper - 1e-12 && got.acceleration >= seen.acceleration - 1e-12);
    }
    ap_traj_free(trajs[k]);
  }
}

TEST(limits_name_what_breaks_them) {
  ap_traj *t = fourier(5);
  ap_error error;
  const double wide[2] = {9, 99}, low[2] = {-9, -9}, slow[2] = {99, 0.5};
  const char *names[2] = {"hip", "knee"};
  CHECK_OK(ap_traj_check(t, &(ap_traj_limits){.lower = low, .upper = wide}, names, &error));
  CHECK_STATUS(ap_traj_check(t, &(ap_traj_limits){low, wide, slow, NULL}, names, &error), AP_E_ARG);
  CHECK_HAS(error.text, "largest speed of 'knee'");
  CHECK_STATUS(ap_traj_check(t, &(ap_traj_limits){.lower = wide}, NULL, &error), AP_E_ARG);
  CHECK_HAS(error.text, "coordinate 1");
  ap_traj_free(t);
}

TEST(asking_allocates_nothing) {
  ap_traj *t = fourier(5);
  double q[2], v[2], a[2];
  install_heap();
  allocations = 0, armed = true;
  for (int k = 0; k < 100; k++) ap_traj_at(t, 0.06 * k, q, v, a);
  armed = false;
  CHECK_EQ_INT(allocations, 0);
  ap_traj_free(t);
}

TEST(refuses_what_is_no_trajectory) {
  const double good[2] = {0, 1}, bad[2] = {0, NAN};
  ap_error error;
  ap_traj *t;
  ap_fourier_def def = {1, 1, 1, 1, good, good, good};
  def.period = 0;
  CHECK_STATUS(ap_traj_fourier(&def, &t, &error), AP_E_ARG);
  CHECK_HAS(error.text, "period");
  def.period = 1, def.n = 2, def.sine = bad;
  CHECK_STATUS(ap_traj_fourier(&def, &t, &error), AP_E_ARG);
  CHECK_HAS(error.text, "finite");
  def.harmonics = 0;
  CHECK_STATUS(ap_traj_fourier(&def, &t, &error), AP_E_ARG);
  ap_traj_state a = {good, NULL, NULL}, b = {good, bad, NULL};
  CHECK_STATUS(ap_traj_quintic(2, &a, &b, 1, &t, &error), AP_E_ARG);
  CHECK_STATUS(ap_traj_quintic(2, &a, &a, INFINITY, &t, &error), AP_E_ARG);
  CHECK_STATUS(ap_traj_quintic(0, &a, &a, 1, &t, &error), AP_E_ARG);
  CHECK_STATUS(ap_traj_chain(NULL, 0, &t, &error), AP_E_ARG);
  ap_traj_free(NULL);
}
