// SPDX-License-Identifier: Apache-2.0
// The end effectors of a robot, as benchmarks of kinematics take them.

#ifndef AP_BENCH_ENDS_H
#define AP_BENCH_ENDS_H

#include <appell/model.h>

enum { MAX_ENDS = 16 };

// Bodies beyond which none moves, at most MAX_ENDS; their number.
static inline int ends_of(const ap_model *m, int *end) {
  int ends = 0, moving = ap_moving_bodies(m);
  for (int k = 0; k < moving && ends < MAX_ENDS; k++) {
    bool last = true;
    int i = ap_moving_body(m, k);
    for (int j = k + 1; j < moving; j++)
      last = last && ap_body_mover(m, ap_body(m, ap_moving_body(m, j))->parent) != i;
    if (last) end[ends++] = i;
  }
  return ends;
}

#endif
