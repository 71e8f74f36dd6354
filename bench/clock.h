// SPDX-License-Identifier: Apache-2.0
// The clock of the benchmarks, and what a core does in a time.

#ifndef AP_BENCH_CLOCK_H
#define AP_BENCH_CLOCK_H

#include <math.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

// ns
static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// Other work of so many ns, as between the calls of a controller: dependent multiplications of
// integers, which use neither vectors nor memory.
static inline void work_elsewhere(double ns) {
  static volatile uint64_t seed = 3;
  double end = now() + ns;
  uint64_t x = seed;
  do
    for (int i = 0; i < 1000; i++) x = x * x + 1;
  while (now() < end);
  seed = x;
}

// How often the core was given to somebody else.
static inline long switches(void) {
  struct rusage used = {0};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_nivcsw + used.ru_nvcsw;
}

// For qsort().
static inline int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Nanoseconds of one dependent 64-bit multiplication: three cycles on every current x86-64 and
// AArch64 processor.
static inline double multiplication(void) {
  double best = INFINITY;
  for (int r = 0; r < 200; r++) {
    volatile uint64_t seed = 3;
    uint64_t x = seed;
    double t = now();
    for (int i = 0; i < 2000; i++) x = x * x;
    seed = x;
    t = (now() - t) / 2000;
    if (t < best) best = t;
  }
  return best;
}

#endif
