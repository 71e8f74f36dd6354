// SPDX-License-Identifier: Apache-2.0
#include <appell/bench.h>

#include "bench/states.h"

// Chains that do not wait for each other: more than latency times units on any core.
enum { CHAINS = 12, LANES = 8, TURNS = 2000, SAMPLES = 400 };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

// Every chain x <- x a + b, which stays near 1.
#define TURN_CHAINS                                           \
  lanes x[CHAINS];                                            \
  for (int k = 0; k < CHAINS; k++) x[k] = (lanes){0} + start; \
  for (int i = 0; i < TURNS; i++)                             \
    for (int k = 0; k < CHAINS; k++) x[k] = x[k] * 0.5 + 0.5; \
  lanes sum = {0};                                            \
  for (int k = 0; k < CHAINS; k++) sum += x[k];               \
  return sum[0] + sum[LANES - 1]

static double turn_plain(double start) { TURN_CHAINS; }

#if defined __x86_64__
__attribute__((target("avx2"))) static double turn_avx2(double start) { TURN_CHAINS; }
__attribute__((target("avx512f"))) static double turn_avx512(double start) { TURN_CHAINS; }
#endif

double ap_bench_peak(void) {
  double (*turn)(double) = turn_plain;
#if defined __x86_64__
  if (__builtin_cpu_supports("avx512f"))
    turn = turn_avx512;
  else if (__builtin_cpu_supports("avx2"))
    turn = turn_avx2;
#endif
  double best = 1e9;
  volatile double kept = 1; // so that the work is done
  for (int k = 0; k < SAMPLES; k++) {
    const double from = ap__clock();
    kept = turn(kept);
    const double took = ap__clock() - from;
    if (took < best) best = took;
  }
  return 2.0 * CHAINS * LANES * TURNS / (best * 1e9);
}
