// SPDX-License-Identifier: Apache-2.0
// Many states at once give the bits of one state at a time: every function, every robot, both
// layouts, both precisions, every instruction set that this processor has.

#include <appell/batch.h>

#include "batch/ops.h"
#include "base/isa.h"
#include "dyn/builds.h"
#include "models.h"

// States, and degrees of freedom up to which derivatives are compared (time).
enum { MOST = 40, MOST_DERIVED = 36 };
#define MARK 12345 // what an output that must stay alone holds

#include "batch_laws.h"

// Every built-in robot, one after the other.
static const ap_model *builtin(int i) {
  static _Alignas(64) unsigned char memory[1 << 18];
  ap_error error;
  if (!ap_builtin_name(i)) return NULL;
  test_context("%s", ap_builtin_name(i));
  const ap_model *m = ap_model_init(ap_builtin(ap_builtin_name(i)), memory, sizeof memory, &error);
  CHECK(m);
  return m;
}

TEST(batch_is_one_state_at_a_time) {
  FOR_EACH_MODEL (r) check_robot(r->m), check_robot_f32(r->m);
  const ap_model *m;
  for (int i = 0; (m = builtin(i)); i++) check_robot(m), check_robot_f32(m);
}

TEST(any_number_of_states) {
  for (int k = 0; k < robot_count(); k += 7) {
    const test_robot *r = robot_at(k);
    if (ap_nv(r->m) <= MOST_DERIVED) check_counts(r->m), check_counts_f32(r->m);
  }
}

TEST(an_odd_state_leaves_the_others_alone) {
  FOR_EACH_MODEL (r)
    if (ap_nq(r->m) > 0) check_odd_states(r->m), check_odd_states_f32(r->m);
}

TEST(outputs_may_be_inputs) {
  FOR_EACH_MODEL (r) check_in_place(r->m), check_in_place_f32(r->m);
}

// ---- arguments ---------------------------------------------------------------------------------

TEST(parts_are_all_states_once) {
  for (size_t n = 0; n < 1000; n += 37)
    for (int parts = 1; parts < 9; parts++) {
      ap_states all = {n + 5, 2, n + 2, AP_COLUMNS};
      size_t at = 2, least = SIZE_MAX, most = 0;
      for (int i = 0; i < parts; i++) {
        ap_states part = ap_part_of_states(all, i, parts);
        CHECK(part.first == at && part.last >= at && part.n == all.n);
        CHECK(part.first == part.last || part.first % 64 == 2);
        size_t groups = (part.last - part.first + 63) / 64;
        least = groups < least ? groups : least, most = groups > most ? groups : most;
        at = part.last;
      }
      CHECK(at == n + 2);
      CHECK(most - least <= 1);
    }
  ap_states all = ap_all_states(100, AP_ROWS), none = ap_part_of_states(all, 3, 3);
  CHECK(none.first == none.last);
  none = ap_part_of_states(all, -1, 3);
  CHECK(none.first == none.last);
  none = ap_part_of_states(all, 0, 0);
  CHECK(none.first == none.last);
}

TEST(arguments_that_cannot_be_are_refused) {
  const ap_model *m = builtin(0);
  static double x[6][64 * 36];
  size_t size = ap_batch_size(m);
  void *memory = malloc(size + 1);
  CHECK(!ap_batch_init(m, memory, size - 1));
  CHECK(!ap_batch_init(m, NULL, size));
  ap_batch *b = ap_batch_init(m, (char *)memory + 1, size);
  CHECK(b);
  CHECK_EQ_INT(ap_batch_lanes(b) * 2, (ap_batch_isa(b)[0] == 'b'   ? 4
                                       : ap_batch_isa(b)[1] == '3' ? 8
                                                                   : 16));
  const int frames[] = {0, ap_nframe(m), -1};
  const ap_states bad[] = {{10, 5, 4, AP_ROWS}, {10, 0, 11, AP_ROWS}, {10, 0, 10, (ap_layout)7}};
  for (int i = 0; i < 3; i++) {
    ap_rollout r = ap_default_rollout();
    ap_states s = bad[i];
    CHECK_STATUS(ap_batch_inverse_dynamics(m, b, s, x[0], x[1], x[2], x[3]), AP_E_ARG);
    CHECK_STATUS(ap_batch_bias(m, b, s, x[0], x[1], x[3]), AP_E_ARG);
    CHECK_STATUS(ap_batch_gravity_forces(m, b, s, x[0], x[3]), AP_E_ARG);
    CHECK_STATUS(ap_batch_inertia_matrix(m, b, s, x[0], x[3]), AP_E_ARG);
    CHECK_STATUS(ap_batch_forward_dynamics(m, b, s, x[0], x[1], x[2], x[3], NULL), AP_E_ARG);
    CHECK_STATUS(ap_batch_forward_kinematics(m, b, s, x[0], frames, 1, AP_LOCAL, NULL, NULL, x[3]),
                 AP_E_ARG);
    CHECK_STATUS(ap_batch_regressor(m, b, s, x[0], x[1], x[2], x[3]), AP_E_ARG);
    CHECK_STATUS(ap_batch_inverse_dynamics_derivatives(m, b, s, x[0], x[1], x[2], x[3], x[4], x[5]),
                 AP_E_ARG);
    CHECK_STATUS(
        ap_batch_forward_dynamics_derivatives(m, b, s, x[0], x[1], x[2], x[3], x[4], x[5], NULL),
        AP_E_ARG);
    CHECK_STATUS(ap_batch_rollout(m, b, s, &r, x[0], x[1], NULL), AP_E_ARG);
  }
  ap_states s = ap_all_states(3, AP_ROWS);
  for (int k = 1; k < 3; k++)
    CHECK_STATUS(
        ap_batch_forward_kinematics(m, b, s, x[0], frames, k + 1, AP_LOCAL, x[3], NULL, NULL),
        AP_E_ARG);
  ap_rollout wrong[4] = {ap_default_rollout(), ap_default_rollout(), ap_default_rollout(),
                         ap_default_rollout()};
  wrong[0].steps = -1, wrong[1].every = -1, wrong[2].kp = x[5];
  wrong[3].integrator = (ap_integrator)9;
  for (int i = 0; i < 4; i++)
    CHECK_STATUS(ap_batch_rollout(m, b, s, &wrong[i], x[0], x[1], NULL), AP_E_ARG);
  const test_robot *other = robot_at(1);
  CHECK_STATUS(ap_batch_use_settings(m, b, other->w), AP_E_ARG);
  free(memory);
}
