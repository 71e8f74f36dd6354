// SPDX-License-Identifier: Apache-2.0
// Rollouts of many robots are those of one robot at a time, to the bit, and converge as their
// methods promise.

#include <appell/batch.h>

#include "models.h"

enum { STATES = 70 };

#define F(name) name
#define FLOAT   double
#define REAL(x) x
#include "rollout_laws.inc"
#undef F
#undef FLOAT
#undef REAL

#define F(name) name##_f32
#define FLOAT   float
#define REAL(x) x##F
#include "rollout_laws.inc"

TEST(a_rollout_is_one_robot_at_a_time) {
  FOR_EACH_MODEL (r)
    if (ap_nv(r->m) <= 24) check_model(r->m), check_model_f32(r->m);
}

// Where a rollout of one second from the state s with steps of 1 / n s ends.
static void end_of(const test_robot *r, const motion *s, ap_integrator by, long n, motion *end) {
  size_t size = ap_batch_size(r->m);
  void *memory = malloc(size);
  ap_batch *b = ap_batch_init(r->m, memory, size);
  ap_rollout how = ap_default_rollout();
  how.integrator = by, how.steps = n, how.dt = 1 / (double)n;
  *end = *s;
  CHECK_OK(ap_batch_rollout(r->m, b, ap_all_states(1, AP_ROWS), &how, end->q, end->v, NULL));
  free(memory);
}

// Distance of two states.
static double distance(const ap_model *m, const motion *a, const motion *b) {
  double d[ROBOT_V], sum = 0;
  ap_difference(m, a->q, b->q, d);
  for (int j = 0; j < ap_nv(m); j++) sum += d[j] * d[j] + (a->v[j] - b->v[j]) * (a->v[j] - b->v[j]);
  return sqrt(sum);
}

// Halving the steps must divide the error by 2 and by 16: on a free body that tumbles, on a
// spherical joint and on an arm. The next power of the step changes the ratio by less than a fifth
// at these steps; the reference, with 16 times shorter steps, is exact beside them.
TEST(methods_have_their_order) {
  const int numbers[] = {4, 6, 7}; // one spherical, one free, two revolute
  for (int i = 0; i < 3; i++) {
    const test_robot *r = robot_at(numbers[i]);
    FOR_EACH_STATE (r, s, 3) {
      motion coarse, fine, exact;
      end_of(r, &s, AP_RK4, 6400, &exact);
      end_of(r, &s, AP_RK4, 200, &coarse), end_of(r, &s, AP_RK4, 400, &fine);
      double ratio = distance(r->m, &coarse, &exact) / distance(r->m, &fine, &exact);
      CHECK_CLOSE(ratio, 16, 3.2);
      end_of(r, &s, AP_SEMI_IMPLICIT_EULER, 3200, &coarse);
      end_of(r, &s, AP_SEMI_IMPLICIT_EULER, 6400, &fine);
      ratio = distance(r->m, &coarse, &exact) / distance(r->m, &fine, &exact);
      CHECK_CLOSE(ratio, 2, 0.4);
    }
  }
}
