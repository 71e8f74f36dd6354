// SPDX-License-Identifier: Apache-2.0
// A work with few parts gives the bits of a whole one; what it lacks it says; it stays in its
// memory, which is as small as promised.

#include <appell/dyn.h>

#include "models.h"

enum { GUARD = 64, NUMBERS = 10 * ROBOT_V * ROBOT_BODIES + 3 * ROBOT_V * ROBOT_V };

// What a part brings along.
enum {
  GRAVITY = 1,
  INVERSE = 2,
  INERTIA = 4,
  SOLVER = 8,
  DERIVATIVES = 16,
  FRAMES = 32,
  CORIOLIS = 64,
  REGRESSOR = 128,
  IK = 256,
  CHANGES = 512,
  PASSIVE = 1024
};

#define F(name) name
#define FLOAT   double
#define WORK    ap_work
#define PART    ap_part
#define WRENCH  ap_wrench
#include "parts_calls.h"
#undef F
#undef FLOAT
#undef WORK
#undef PART
#undef WRENCH

#define F(name) name##_f32
#define FLOAT   float
#define WORK    ap_work_f32
#define PART    ap_part_f32
#define WRENCH  ap_wrench_f32
#include "parts_calls.h"

#define EACH_SET(X)                          \
  X(GRAVITY, gravity)                        \
  X(INVERSE | GRAVITY | PASSIVE, inverse)    \
  X(INERTIA, inertia)                        \
  X(SOLVER | INERTIA | PASSIVE, solver)      \
  X(DERIVATIVES | PASSIVE, derivatives)      \
  X(FRAMES, frames)                          \
  X(CORIOLIS | FRAMES, coriolis)             \
  X(REGRESSOR | INERTIA | FRAMES, regressor) \
  X(PASSIVE, passive)                        \
  X(CHANGES, changes)

static void try_each(const test_robot *r, const motion *s) {
#define TRY(set, name)                                                     \
  try_parts(r, s, (const ap_part *const[]){&ap_part_##name, NULL}, (set)); \
  try_parts_f32(r, s, (const ap_part_f32 *const[]){&ap_part_##name##_f32, NULL}, (set));
  EACH_SET(TRY)
#undef TRY
  try_parts(r, s, (const ap_part *const[]){&ap_part_ik, NULL}, IK | FRAMES);
  try_parts(r, s, (const ap_part *const[]){NULL}, 0);
  try_parts_f32(r, s, (const ap_part_f32 *const[]){NULL}, 0);
  try_parts(r, s, (const ap_part *const[]){&ap_part_inverse, &ap_part_frames, NULL},
            INVERSE | GRAVITY | PASSIVE | FRAMES);
  try_parts_f32(r, s,
                (const ap_part_f32 *const[]){&ap_part_solver_f32, &ap_part_derivatives_f32, NULL},
                SOLVER | INERTIA | DERIVATIVES | PASSIVE);
  try_parts(r, s,
            (const ap_part *const[]){&ap_part_derivatives, &ap_part_solver, &ap_part_frames,
                                     &ap_part_solver, NULL}, // named twice
            SOLVER | INERTIA | DERIVATIVES | PASSIVE | FRAMES);
}

TEST(few_parts_give_the_bits_of_all) {
  FOR_EACH_MODEL (r) {
    if (ap_nbody(r->m) < 2 || number_r > RECIPES) continue;
    FOR_EACH_STATE (r, s, 1) try_each(r, &s);
  }
}

TEST(inverse_kinematics_is_a_part) {
  const ap_robot_def *puma = ap_builtin("puma600");
  static unsigned char model_memory[1 << 16], few_memory[1 << 16], all_memory[1 << 18];
  const ap_model *m = ap_model_init(puma, model_memory, sizeof model_memory, NULL);
  const ap_part *const frames[] = {&ap_part_frames, NULL}, *const ik[] = {&ap_part_ik, NULL};
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p[3] = {0.4, 0.2, 0.3}, q[2][6] = {{0.1, 0.2}};
  ap_ik_options options = ap_default_ik();
  ap_ik_result result;
  if (!CHECK(m)) return;
  ap_work *w = ap_work_init_for(m, frames, few_memory, sizeof few_memory);
  CHECK_STATUS(ap_inverse_kinematics(m, w, 6, R, p, &options, q[0], &result), AP_E_UNSUPPORTED);
  w = ap_work_init_for(m, ik, few_memory, sizeof few_memory);
  memcpy(q[1], q[0], sizeof q[0]);
  ap_status status = ap_inverse_kinematics(m, w, 6, R, p, &options, q[0], &result);
  w = ap_work_init(m, all_memory, sizeof all_memory);
  CHECK_STATUS(ap_inverse_kinematics(m, w, 6, R, p, &options, q[1], &result), status);
  CHECK_BITS(q[0], q[1], 6);
}

TEST(payloads_reach_the_other_parts) {
  const ap_part *const parts[] = {&ap_part_inverse, &ap_part_changes, NULL};
  FOR_EACH_MODEL (r) {
    if (ap_nbody(r->m) < 2 || number_r > RECIPES) continue;
    FOR_EACH_STATE (r, s, 1) {
      double few[ROBOT_V], all[ROBOT_V], com[3] = {0.1, -0.2, 0.3};
      size_t size = ap_work_size_for(r->m, parts);
      void *memory = malloc(size);
      ap_work *w = ap_work_init_for(r->m, parts, memory, size);
      int last = ap_nbody(r->m) - 1;
      CHECK_OK(ap_set_payload(r->m, w, last, 0.7, com, NULL));
      CHECK_OK(ap_set_payload(r->m, r->w, last, 0.7, com, NULL));
      ap_inverse_dynamics(r->m, w, s.q, s.v, s.a, few);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, all);
      CHECK_BITS(few, all, ap_nv(r->m));
      ap_reset_inertia(r->m, r->w);
      free(memory);
    }
  }
}

// What docs/real-time.md promises.
TEST(works_are_small) {
  static const struct {
    const char *label;
    const ap_part *parts[3];
    const ap_part_f32 *parts_f32[3];
  } rows[] = {
      {"gravity", {&ap_part_gravity}, {&ap_part_gravity_f32}},
      {"inverse dynamics", {&ap_part_inverse}, {&ap_part_inverse_f32}},
      {"inertia matrix", {&ap_part_inertia}, {&ap_part_inertia_f32}},
      {"forward dynamics", {&ap_part_solver}, {&ap_part_solver_f32}},
      {"frames", {&ap_part_frames}, {&ap_part_frames_f32}},
      {"derivatives of both",
       {&ap_part_derivatives, &ap_part_solver},
       {&ap_part_derivatives_f32, &ap_part_solver_f32}},
  };
  static unsigned char memory[1 << 16];
  const ap_model *m = ap_model_init(ap_builtin("puma600"), memory, sizeof memory, NULL);
  if (!CHECK(m)) return;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    printf("| %s | %zu | %zu |\n", rows[k].label, ap_work_size_for(m, rows[k].parts),
           ap_work_size_for_f32(m, rows[k].parts_f32));
  printf("| everything | %zu | %zu |\n", ap_work_size(m), ap_work_size_f32(m));
  CHECK(ap_work_size_for(m, rows[1].parts) <= 8192);
}
