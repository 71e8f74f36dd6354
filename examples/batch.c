// SPDX-License-Identifier: Apache-2.0
// Two hundred PUMA 600 arms pulled to a pose by a controller with gravity compensation: two seconds
// in steps of 2 ms, on all processors where the compiler has OpenMP (-fopenmp), else on one. How
// many processors there are does not change a bit of the result.

#include <appell/batch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { ARMS = 200, JOINTS = 6 };

static unsigned char model_memory[8192];
static double q[ARMS * JOINTS], v[ARMS * JOINTS], target[ARMS * JOINTS], weight[ARMS * JOINTS];

// Each starts elsewhere and is asked for another pose.
static void choose_poses(void) {
  for (int i = 0; i < ARMS * JOINTS; i++) {
    q[i] = sin(0.7 * i);
    target[i] = q[i] + 0.3 * cos(1.3 * i);
  }
}

// One thread's share: the torques that hold the arms in their targets, then the motion there.
static ap_status move(const ap_model *m, const ap_rollout *how, int part, int parts) {
  size_t size = ap_batch_size(m);
  void *memory = malloc(size);
  ap_batch *b = ap_batch_init(m, memory, size);
  ap_states mine = ap_part_of_states(ap_all_states(ARMS, AP_ROWS), part, parts);
  ap_status status = b ? ap_batch_gravity_forces(m, b, mine, target, weight) : AP_E_MEMORY;
  if (!status) status = ap_batch_rollout(m, b, mine, how, q, v, NULL);
  free(memory);
  return status;
}

int main(void) {
  ap_model *m = ap_model_init(ap_builtin("puma600"), model_memory, sizeof model_memory, NULL);
  if (!m) return fprintf(stderr, "not enough memory\n"), 1;
  static const double kp[JOINTS] = {200, 400, 200, 20, 20, 10}, kd[JOINTS] = {60, 90, 40, 3, 3, 2};
  ap_rollout how = ap_default_rollout();
  how.dt = 0.002, how.steps = 1000;
  how.tau = weight, how.kp = kp, how.kd = kd, how.target_q = target;
  choose_poses();

  int failed = 0;
#ifdef _OPENMP
#pragma omp parallel reduction(+ : failed)
  failed += move(m, &how, omp_get_thread_num(), omp_get_num_threads()) != AP_OK;
#else
  failed += move(m, &how, 0, 1) != AP_OK;
#endif
  if (failed) return fprintf(stderr, "some arm could not be moved\n"), 1;

  double worst = 0;
  for (int i = 0; i < ARMS * JOINTS; i++) worst = fmax(worst, fabs(q[i] - target[i]));
  printf("after 2 s the farthest joint of %d arms is %.4f rad from its target\n", ARMS, worst);
  return worst < 0.05 ? 0 : 1;
}
