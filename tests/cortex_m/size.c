// SPDX-License-Identifier: Apache-2.0
// A program around one call, for scripts/firmware_sizes. GENERATED: the code that 'appell generate'
// wrote for a robot, in HEADER. GENERAL: the library with the part of the work that the call needs.
// Neither, or FUNCTION 0: what both are compared with. PRINT shows the bytes of memory that the
// general one takes.

#define GRAVITY          1
#define INVERSE_DYNAMICS 2
#define INERTIA_MATRIX   3
#define FORWARD_DYNAMICS 4

enum { MOST = 32 };
volatile float in[3][MOST], out[MOST * MOST]; // where encoders and drives are

#ifdef GENERATED
#include HEADER
#else
#include <appell/dyn.h>
const ap_robot_def *volatile robot; // so that the built-in robots are in every program
#endif

#ifdef GENERAL
static unsigned char model_memory[32768], work_memory[65536];
#if FUNCTION == GRAVITY
static const ap_part_f32 *const parts[] = {&ap_part_gravity_f32, NULL};
#elif FUNCTION == INVERSE_DYNAMICS
static const ap_part_f32 *const parts[] = {&ap_part_inverse_f32, NULL};
#elif FUNCTION == INERTIA_MATRIX
static const ap_part_f32 *const parts[] = {&ap_part_inertia_f32, NULL};
#else
static const ap_part_f32 *const parts[] = {&ap_part_solver_f32, NULL};
#endif
#endif

#ifdef PRINT
#include <stdio.h>
int main(void) {
  const ap_robot_def *def = ap_builtin(ROBOT);
  const ap_model *m = ap_model_init(def, model_memory, sizeof model_memory, NULL);
  if (!m) return 1;
  printf("%lu %lu\n", (unsigned long)ap_model_size(def),
         (unsigned long)ap_work_size_for_f32(m, parts));
  return ap_work_init_for_f32(m, parts, work_memory, sizeof work_memory) == NULL;
}
#else
int main(void) {
  float x[3][MOST], y[MOST * MOST] = {0};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < MOST; i++) x[k][i] = in[k][i];
#ifndef GENERATED
  robot = ap_builtin(ROBOT);
#endif
#ifdef GENERAL
  const ap_model *m = ap_model_init(robot, model_memory, sizeof model_memory, NULL);
  ap_work_f32 *w = m ? ap_work_init_for_f32(m, parts, work_memory, sizeof work_memory) : NULL;
  if (!w) return 1;
#define CALL(general, generated) general
#else
#define CALL(general, generated) generated
#endif
#if (defined(GENERAL) || defined(GENERATED)) && FUNCTION > 0
#if FUNCTION == GRAVITY
  CALL(ap_gravity_forces_f32(m, w, x[0], y), robot_gravity(x[0], y));
#elif FUNCTION == INVERSE_DYNAMICS
  CALL(ap_inverse_dynamics_f32(m, w, x[0], x[1], x[2], y),
       robot_inverse_dynamics(x[0], x[1], x[2], y));
#elif FUNCTION == INERTIA_MATRIX
  CALL(ap_inertia_matrix_f32(m, w, x[0], y), robot_inertia_matrix(x[0], y));
#else
  if (CALL(ap_forward_dynamics_f32(m, w, x[0], x[1], x[2], y),
           robot_forward_dynamics(x[0], x[1], x[2], y)))
    return 1;
#endif
#endif
  for (int i = 0; i < MOST * MOST; i++) out[i] = y[i];
  return 0;
}
#endif
