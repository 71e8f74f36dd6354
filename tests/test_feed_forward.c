// SPDX-License-Identifier: Apache-2.0
// Feed-forward: torques are those of inverse dynamics with friction, the observer finds what
// pushes.

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // for heap.h
#endif

#include <appell/feed_forward.h>
#include <appell/file.h>

#include "heap.h"
#include "test.h"

enum { N = 6 };

typedef struct rig {
  ap_robot *robot;
  ap_model *model;
  ap_work *work;
  void *memory, *work_memory;
  ap_feed_forward *f;
} rig;

static void make(rig *r, ap_feed_forward_def def) {
  ap_error error = {0};
  *r = (rig){0};
  CHECK_OK(ap_robot_read("models/puma600_drives.yaml", &(ap_read_options){0}, &r->robot, &error));
  CHECK_OK(ap_robot_model(r->robot, &r->model, &error));
  r->work_memory = malloc(ap_work_size(r->model));
  r->work = ap_work_init(r->model, r->work_memory, ap_work_size(r->model));
  ap_set_friction(r->model, r->work, true);
  def.model = r->model;
  r->memory = malloc(ap_feed_forward_size(r->model));
  r->f = ap_feed_forward_init(&def, r->memory, ap_feed_forward_size(r->model), &error);
  CHECK(r->f);
}

static void drop(rig *r) {
  free(r->memory);
  free(r->work_memory);
  ap_model_free(r->model);
  ap_robot_free(r->robot);
}

static const double q0[N] = {0.1, -0.6, 0.4, 0.3, -0.5, 0.2};

// Fast joints: the smooth sign is the sign, and the torque that of inverse dynamics with friction.
TEST(torque_is_inverse_dynamics_with_friction) {
  rig r;
  ap_feed_forward_def def = ap_default_feed_forward();
  def.smooth = 1e-9;
  make(&r, def);
  const double v[N] = {1, -1, 0.5, 2, -2, 1}, a[N] = {3, 2, -1, 0.5, 4, -2};
  double tau[N], expected[N];
  ap_feed_forward_torque(r.f, q0, v, NULL, a, tau);
  ap_inverse_dynamics(r.model, r.work, q0, v, a, expected);
  for (int j = 0; j < N; j++) CHECK_CLOSE(tau[j], expected[j], 1e-9);
  // A payload counts in both.
  const double com[3] = {0, 0, 0.1};
  CHECK_OK(ap_set_payload(r.model, r.work, 6, 2, com, NULL));
  CHECK_OK(ap_set_payload(r.model, ap_feed_forward_work(r.f), 6, 2, com, NULL));
  ap_feed_forward_torque(r.f, q0, v, v, a, tau);
  ap_inverse_dynamics(r.model, r.work, q0, v, a, expected);
  for (int j = 0; j < N; j++) CHECK_CLOSE(tau[j], expected[j], 1e-9);
  drop(&r);
}

// At rest with a noisy velocity the torque of friction is small: no chatter between both signs.
TEST(noise_at_rest_does_not_chatter) {
  rig r;
  make(&r, ap_default_feed_forward());
  const double rest[N] = {0};
  double gravity[N], tau[N];
  ap_feed_forward_torque(r.f, q0, rest, rest, NULL, gravity);
  for (int k = 0; k < 2; k++) {
    double v[N];
    for (int j = 0; j < N; j++) v[j] = k ? 1e-4 : -1e-4;
    ap_feed_forward_torque(r.f, q0, v, rest, NULL, tau);
    for (int j = 0; j < N; j++) CHECK_CLOSE(tau[j], gravity[j], 1e-6);
    ap_feed_forward_torque(r.f, q0, v, NULL, NULL, tau);
    for (int j = 0; j < N; j++)
      CHECK(fabs(tau[j] - gravity[j]) <
            0.006 * (1 + ap_body(r.model, j + 1)->coulomb + ap_body(r.model, j + 1)->viscous));
  }
  drop(&r);
}

// A robot that is driven along a motion, pushed from 0.5 s on; small steps of its own.
TEST(a_push_is_observed) {
  rig r;
  ap_feed_forward_def def = ap_default_feed_forward();
  def.smooth = 1e-6;
  make(&r, def);
  const double push[N] = {5, -8, 3, 0.4, -0.3, 0.2};
  double q[N], v[N], tau[N], total[N], a[N], seen[N] = {0}, before = 0;
  for (int j = 0; j < N; j++) q[j] = q0[j], v[j] = 0.8 + 0.1 * j; // no joint turns back
  ap_feed_forward_reset(r.f, q, v);
  enum { FINE = 20 };
  for (int k = 0; k < 1000; k++) {
    double wished[N];
    for (int j = 0; j < N; j++) wished[j] = 20 * (0.8 + 0.1 * j - v[j]);
    ap_feed_forward_torque(r.f, q, v, NULL, wished, tau);
    for (int j = 0; j < N; j++) total[j] = tau[j] + (k >= 500 ? push[j] : 0);
    for (int s = 0; s < FINE; s++) {
      CHECK_OK(ap_forward_dynamics(r.model, r.work, q, v, total, a));
      for (int j = 0; j < N; j++) {
        v[j] += def.period / FINE * a[j];
        q[j] += def.period / FINE * v[j];
      }
    }
    ap_feed_forward_observe(r.f, q, v, tau, seen);
    if (k == 499) before = fabs(seen[1]);
    if (k == 519) CHECK(seen[1] < 0.55 * push[1] && seen[1] > 0.72 * push[1]); // 1 - exp(-1)
  }
  CHECK(before < 0.05);
  for (int j = 0; j < N; j++) CHECK_CLOSE(seen[j], push[j], 0.02 * fabs(push[j]) + 0.02);
  drop(&r);
}

TEST(what_cannot_be_is_refused) {
  rig r;
  make(&r, ap_default_feed_forward());
  size_t size = ap_feed_forward_size(r.model);
  void *memory = malloc(size);
  ap_error error;
  ap_feed_forward_def def = ap_default_feed_forward();
  def.model = r.model;
  CHECK(!ap_feed_forward_init(&def, memory, size - 1, &error) && error.status == AP_E_MEMORY);
  const double wrong[] = {0, -1, NAN, INFINITY};
  for (int k = 0; k < 4; k++) {
    ap_feed_forward_def bad[3] = {def, def, def};
    bad[0].period = bad[1].smooth = bad[2].bandwidth = wrong[k];
    for (int i = 0; i < 3; i++)
      CHECK(!ap_feed_forward_init(&bad[i], memory, size, &error) && error.status == AP_E_ARG);
  }
  CHECK(ap_feed_forward_set_friction(r.f, 6, 1, 1) == AP_E_ARG);
  CHECK(ap_feed_forward_set_friction(r.f, 0, -1, 1) == AP_E_ARG);
  CHECK_OK(ap_feed_forward_set_friction(r.f, 0, 0.1, 0.2));
  free(memory);
  drop(&r);
}

TEST(nothing_allocates) {
  rig r;
  make(&r, ap_default_feed_forward());
  const double v[N] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  double tau[N], seen[N];
  install_heap();
  allocations = 0, armed = true;
  for (int k = 0; k < 100; k++) {
    ap_feed_forward_torque(r.f, q0, v, v, v, tau);
    ap_feed_forward_observe(r.f, q0, v, tau, seen);
  }
  armed = false;
  CHECK_EQ_INT(allocations, 0);
  drop(&r);
}
