// SPDX-License-Identifier: Apache-2.0
// Firmware that compensates gravity: an arm of two joints, in float. The part of the work that it
// names is all that it stores and links. Compiled three ways: as it is; with EMPTY, to see what it
// adds to a program that does nothing; with PRINT, which shows every bit of some results.

#include <appell/dyn.h>

enum { JOINTS = 2 };

#ifndef EMPTY
static unsigned char model_memory[4096], work_memory[8192]; // 2048 of it on a Cortex-M4
static const ap_model *model;
static ap_work_f32 *work;
static const ap_part_f32 *const parts[] = {&ap_part_gravity_f32, NULL};

static bool start(void) {
  ap_body_def body[JOINTS] = {ap_default_body(), ap_default_body()};
  ap_robot_def robot = ap_default_robot();
  body[0].name = "upper", body[0].joint = AP_REVOLUTE, body[0].mass = 2, body[0].com[0] = 0.2;
  body[0].place.rpy[0] = 1.2; // from the vertical
  body[1].name = "fore", body[1].joint = AP_REVOLUTE, body[1].mass = 1, body[1].com[0] = 0.2;
  body[1].parent = 1, body[1].place.xyz[0] = 0.4, body[1].place.rpy[2] = 0.3;
  robot.bodies = body, robot.nbody = JOINTS;
  model = ap_model_init(&robot, model_memory, sizeof model_memory, NULL);
  if (model) work = ap_work_init_for_f32(model, parts, work_memory, sizeof work_memory);
  return work != NULL;
}
#endif

#ifdef PRINT
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  if (!start()) return 1;
  printf("# %lu\n", (unsigned long)ap_work_size_for_f32(model, parts));
  for (int k = 0; k < 40; k++) { // ever larger angles, the last far beyond a reduction in float
    float q[JOINTS] = {0.37f * (float)(k * k * k), 0.1f - 1.7e3f * (float)(k / 20 * k)};
    float tau[JOINTS];
    ap_gravity_forces_f32(model, work, q, tau);
    for (int i = 0; i < JOINTS; i++) {
      uint32_t bits;
      memcpy(&bits, &tau[i], sizeof bits);
      printf("%08lx%c", (unsigned long)bits, i + 1 < JOINTS ? ' ' : '\n');
    }
  }
  return 0;
}
#else
volatile float angle[JOINTS], torque[JOINTS]; // where a real arm's encoders and drives are

int main(void) {
#ifndef EMPTY
  float q[JOINTS], tau[JOINTS];
  if (!start()) return 1;
  for (int i = 0; i < JOINTS; i++) q[i] = angle[i];
  ap_gravity_forces_f32(model, work, q, tau);
  for (int i = 0; i < JOINTS; i++) torque[i] = tau[i];
#endif
  return 0;
}
#endif
