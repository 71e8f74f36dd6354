// SPDX-License-Identifier: Apache-2.0
// Many states at once against one at a time: time per state on one core, for the built-in robots
// and chains, in both layouts and precisions. The two are measured in turns, in short bursts, and
// their first deciles compared: what else the machine does disturbs both alike. Cycles are those of
// the core, told by the time of dependent integer multiplications (three cycles each).

#include <appell/appell.h>
#include <appell/batch.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "ends.h"

enum { STATES = 64, BURSTS = 301, REPEATS = 4, MAX_NV = 64 };

// What a tenth of the bursts were faster than: the others had company.
static double typical(double *t) {
  qsort(t, BURSTS, sizeof *t, by_size);
  return t[BURSTS / 10];
}

// Nanoseconds of a cycle.
static double cycle(void) { return multiplication() / 3; }

static void *memory(size_t size) {
  void *p = aligned_alloc(64, (size + 63) / 64 * 64);
  if (!p) exit(1);
  return p;
}

#define F(name)   name
#define FLOAT     double
#define PRECISION "f64"
#include "batch.inc"
#undef F
#undef FLOAT
#undef PRECISION

#define F(name)   name##_f32
#define FLOAT     float
#define PRECISION "f32"
#include "batch.inc"

static const ap_model *model_of(const ap_robot_def *def) {
  ap_error error;
  size_t size = ap_model_size(def);
  const ap_model *m = ap_model_init(def, memory(size), size, &error);
  if (m) return m;
  fprintf(stderr, "bench: %s\n", error.text);
  exit(1);
}

int main(int argc, char **argv) {
  printf(
      "| robot | what | precision | one at a time, ns | rows, ns | columns, ns | cycles | ratio "
      "|\n");
  printf("|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; ap_builtin_name(i); i++) {
    const char *name = ap_builtin_name(i);
    if (argc > 1 && strcmp(argv[1], name) != 0) continue;
    const ap_model *m = model_of(ap_builtin(name));
    if (ap_nv(m) > MAX_NV) continue;
    bench_robot(name, m);
    bench_robot_f32(name, m);
  }
  return 0;
}
