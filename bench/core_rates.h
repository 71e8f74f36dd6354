// SPDX-License-Identifier: Apache-2.0
// What operations take on this core, measured: one after the other, and side by side in vectors.

#ifndef AP_BENCH_CORE_RATES_H
#define AP_BENCH_CORE_RATES_H

#include "clock.h"

#if defined __x86_64__
#include <immintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif

// ns from operands to result.
typedef struct latencies {
  double add, mul, fma, div, sqrt;
} latencies;

// Numbers a ns in vectors filled to the last: products, each with a sum or without; and products
// and sums half and half, which some processors do beside each other.
typedef struct rates {
  double products, mixed;
} rates;

typedef struct core {
  latencies after;
  rates short_vectors, widest; // of 16 bytes; the widest there are
} core;

// CHAINS do not wait for each other: more than latency times units on any core, and no more than
// there are registers for, in which compilers keep them as they are named one by one.
enum { CHAINS = 14, TURNS = 1000, SAMPLES = 300 };
#define EACH_CHAIN(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13)

// A number that the compiler does not know.
#define HALF_FROM(seed) (0.5 + 0 * (seed))
#define START(k)        x[k] = seed + k - x[k]; // all different, or they would be one
#define GATHER(k)       sum += x[k];

#define RATE(name, vector, attributes, STEP)           \
  attributes static double name(double seed) {         \
    const vector half = HALF_FROM(seed) - (vector){0}; \
    vector x[CHAINS] = {{0}}, sum = {0};               \
    EACH_CHAIN(START)                                  \
    for (int i = 0; i < TURNS; i++) {                  \
      EACH_CHAIN(STEP)                                 \
    }                                                  \
    EACH_CHAIN(GATHER)                                 \
    return sum[0];                                     \
  }
#define SUM(k) x[k] = x[k] + half;
#define EITHER(k, PRODUCT) \
  if (k % 2 == 0) {        \
    PRODUCT(k)             \
  } else {                 \
    SUM(k)                 \
  }

typedef double vector16 __attribute__((vector_size(16)));
#define APART(k)        x[k] = x[k] * half + half;
#define APART_OR_SUM(k) EITHER(k, APART)

#if defined __x86_64__
typedef double vector32 __attribute__((vector_size(32)));
typedef double vector64 __attribute__((vector_size(64)));
#define FUSED_16(k) x[k] = _mm_fmadd_pd(x[k], half, half);
#define FUSED_32(k) x[k] = _mm256_fmadd_pd(x[k], half, half);
#define FUSED_64(k) x[k] = _mm512_fmadd_pd(x[k], half, half);
#define MIXED_16(k) EITHER(k, FUSED_16)
#define MIXED_32(k) EITHER(k, FUSED_32)
#define MIXED_64(k) EITHER(k, FUSED_64)
RATE(products_32, vector32, __attribute__((target("avx2,fma"))), FUSED_32)
RATE(mixed_32, vector32, __attribute__((target("avx2,fma"))), MIXED_32)
RATE(products_64, vector64, __attribute__((target("avx512f,fma"))), FUSED_64)
RATE(mixed_64, vector64, __attribute__((target("avx512f,fma"))), MIXED_64)
#define FUSED_TARGET __attribute__((target("avx2,fma")))
#elif defined __aarch64__
#define FUSED_16(k) \
  x[k] = (vector16)vfmaq_f64((float64x2_t)half, (float64x2_t)x[k], (float64x2_t)half);
#define MIXED_16(k) EITHER(k, FUSED_16)
#define FUSED_TARGET
#endif
#ifdef FUSED_TARGET
RATE(products_16, vector16, FUSED_TARGET, FUSED_16)
RATE(mixed_16, vector16, FUSED_TARGET, MIXED_16)
#endif
RATE(products_apart, vector16, , APART)
RATE(mixed_apart, vector16, , APART_OR_SUM)

// The least time of a call, ns.
static inline double least_time(double (*call)(double)) {
  double best = INFINITY;
  volatile double kept = 1;
  for (int k = 0; k < SAMPLES; k++) {
    const double start = now();
    kept = call(kept > 0.5 ? 1 : 0.75);
    best = fmin(best, now() - start);
  }
  return best;
}

static inline rates rates_of(double (*products)(double), double (*mixed)(double), int lanes) {
  const double numbers = (double)CHAINS * TURNS * lanes;
  return (rates){numbers / least_time(products), numbers / least_time(mixed)};
}

// One after the other. Operands are not known to the compiler, and results stay near one.
#define CHAIN(name, attributes, step)               \
  attributes static double name##_chain(double x) { \
    const double half = HALF_FROM(x);               \
    for (int i = 0; i < TURNS; i++) x = (step);     \
    return x + half;                                \
  }
CHAIN(add, , x + half)
CHAIN(mul, , x *(half + half))
CHAIN(div, , half / x)
CHAIN(sqrt, , __builtin_sqrt(x))
CHAIN(apart, , x *half + half)
#ifdef FUSED_TARGET
CHAIN(fused, FUSED_TARGET, __builtin_fma(x, half, half))
#endif

static inline double after(double (*chain)(double)) { return least_time(chain) / TURNS; }

static inline core core_here(void) {
  core c = {.after = {.add = after(add_chain),
                      .mul = after(mul_chain),
                      .fma = after(apart_chain),
                      .div = after(div_chain),
                      .sqrt = after(sqrt_chain)}};
  c.short_vectors = c.widest = rates_of(products_apart, mixed_apart, 2);
#if defined __x86_64__
  if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2")) return c;
#endif
#ifdef FUSED_TARGET
  c.after.fma = after(fused_chain);
  c.short_vectors = c.widest = rates_of(products_16, mixed_16, 2);
#endif
#if defined __x86_64__
  c.widest = rates_of(products_32, mixed_32, 4);
  if (__builtin_cpu_supports("avx512f")) c.widest = rates_of(products_64, mixed_64, 8);
#endif
  return c;
}

#endif
