// SPDX-License-Identifier: Apache-2.0
// Which build of the kernels this processor runs best. What there is to pick from
// (AP_HAVE_ISA_BASE, AP_HAVE_ISA_V3, AP_HAVE_ISA_V4) stands in a header that cmake/isa.cmake
// writes; where the sources are compiled without CMake, as for firmware, it is base alone.

#ifndef AP_BASE_ISA_H
#define AP_BASE_ISA_H

#include <stdbool.h>

#ifdef AP_ISA_BUILDS
#include "isa_builds.h"
#else
#define AP_HAVE_ISA_BASE
#endif

// Both ask the processor each time, when a work is initialised; no global remembers the answer.
static inline bool runs_v3(void) {
#ifdef AP_HAVE_ISA_V3
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

static inline bool runs_v4(void) {
#ifdef AP_HAVE_ISA_V4
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

// The builds by number, and whether this processor runs one.
enum { AP_BUILD_BASE, AP_BUILD_V3, AP_BUILD_V4, AP_BUILDS };

static inline bool runs_base(void) {
#ifdef AP_HAVE_ISA_BASE
  return true;
#else
  return false;
#endif
}
static inline bool runs_build(int build) {
  return build == AP_BUILD_BASE ? runs_base() : build == AP_BUILD_V3 ? runs_v3() : runs_v4();
}
static inline int best_build(void) {
  return runs_v4() ? AP_BUILD_V4 : runs_v3() ? AP_BUILD_V3 : AP_BUILD_BASE;
}

// Whether a vector of 32 bytes is as fast in a control loop as in a row of calls: those of Intel
// take some 170 us to wake up, see docs/real-time.md. Where nothing is known, they may.
static inline bool wide_vectors_stay_awake(void) {
#if defined AP_HAVE_ISA_V3 || defined AP_HAVE_ISA_V4
  __builtin_cpu_init();
  return __builtin_cpu_is("amd");
#else
  return false;
#endif
}

// static const TYPE *NAME(int build): the table PREFIX_base, PREFIX_v3 or PREFIX_v4; of a build
// that there is not, the least there is.
#define AP_TABLE_OF(type, prefix, name) AP_WIDE_TABLE_OF(type, prefix, prefix, name)
// The same with WIDE_v3 and WIDE_v4, of the instruction sets that have wide vectors.
#define AP_WIDE_TABLE_OF(type, prefix, wide, name)                                          \
  extern const type prefix##_base, wide##_v3, wide##_v4;                                    \
  static __attribute__((unused)) const type *name(int build) {                              \
    return (void)build, AP_TABLE_V4(wide) AP_TABLE_V3(wide) & AP_LEAST_TABLE(prefix, wide); \
  }

#ifdef AP_HAVE_ISA_V4
#define AP_TABLE_V4(prefix) build == AP_BUILD_V4 ? &prefix##_v4:
#else
#define AP_TABLE_V4(prefix)
#endif
#ifdef AP_HAVE_ISA_V3
#define AP_TABLE_V3(prefix) build == AP_BUILD_V3 ? &prefix##_v3:
#else
#define AP_TABLE_V3(prefix)
#endif
#if defined AP_HAVE_ISA_BASE
#define AP_LEAST_TABLE(prefix, wide) prefix##_base
#elif defined AP_HAVE_ISA_V3
#define AP_LEAST_TABLE(prefix, wide) wide##_v3
#else
#define AP_LEAST_TABLE(prefix, wide) wide##_v4
#endif

#endif
