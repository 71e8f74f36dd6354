// SPDX-License-Identifier: Apache-2.0
// Fused products, a b + c rounded once: one instruction, correctly rounded on every processor that
// has it, so that all of them agree to the bit.
//
// Kernels fuse (AP_KERNEL, the files inst_X.c that are compiled once per instruction set) where the
// processor of that set does. What is compiled once for all of them rounds product and sum apart on
// every machine. Nothing ever calls libm for it.
//
//   AP_FUSED_F64, AP_FUSED_F32         double and float fuse here
//   AP_VECTOR_FMA(...)                 defines the word for vectors, where these are defined

#ifndef AP_NUM_FUSED_H
#define AP_NUM_FUSED_H

#include "base/vectors.h"

#ifdef AP_KERNEL
#if defined __FMA__ || defined __FP_FAST_FMA || (defined __aarch64__ && defined __ARM_FEATURE_FMA)
#define AP_FUSED_F64 __builtin_fma
#endif
#if defined AP_FUSED_F64 || defined __FP_FAST_FMAF || \
    (defined __ARM_FEATURE_FMA && defined __ARM_FP && (__ARM_FP & 4))
#define AP_FUSED_F32 __builtin_fmaf
#endif
#endif

// The name of the instruction set, and what ap_work_isa() adds to it.
#define AP_ISA_NAME       AP__STRING1(AP_ISA)
#define AP__STRING1(name) AP__STRING2(name)
#define AP__STRING2(name) #name
#ifdef AP_FUSED_F64
#define AP_FAMILY_F64 " fused"
#else
#define AP_FAMILY_F64 ""
#endif
#ifdef AP_FUSED_F32
#define AP_FAMILY_F32 " fused"
#else
#define AP_FAMILY_F32 ""
#endif

// A name of what is compiled once per instruction set.
#define AP_OF_ISA(name)        AP__OF_ISA1(name, AP_ISA)
#define AP__OF_ISA1(name, isa) AP__OF_ISA2(name, isa)
#define AP__OF_ISA2(name, isa) name##_##isa

// Compilers have no operator for it on vectors, hence the processors' own names; elsewhere lane by
// lane.
#if defined AP_FUSED_F32 && defined __FMA__
#include <immintrin.h>
#define AP__FMA_F64_16(v, a, b, c) return _mm_fmadd_pd(a, b, c);
#define AP__FMA_F32_16(v, a, b, c) return _mm_fmadd_ps(a, b, c);
#define AP__FMA_F64_32(v, a, b, c) return _mm256_fmadd_pd(a, b, c);
#define AP__FMA_F32_32(v, a, b, c) return _mm256_fmadd_ps(a, b, c);
#define AP__FMA_F64_64(v, a, b, c) return _mm512_fmadd_pd(a, b, c);
#define AP__FMA_F32_64(v, a, b, c) return _mm512_fmadd_ps(a, b, c);
#elif defined AP_FUSED_F32 && defined __aarch64__ && defined __ARM_NEON
#include <arm_neon.h>
#define AP__FMA_F64_16(v, a, b, c) \
  return (v)vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b));
#define AP__FMA_F32_16(v, a, b, c) \
  return (v)vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b));
#else
#define AP__FMA_LANES(v, fma, a, b, c)                                                 \
  for (unsigned k = 0; k < sizeof(v) / sizeof a[0]; k++) a[k] = fma(a[k], b[k], c[k]); \
  return a;
#define AP__FMA_F64_16(v, a, b, c) AP__FMA_LANES(v, AP_FUSED_F64, a, b, c)
#define AP__FMA_F32_16(v, a, b, c) AP__FMA_LANES(v, AP_FUSED_F32, a, b, c)
#endif

/// A function of that name for vectors v of so many bytes, of F64 or F32.
#define AP_VECTOR_FMA(name, v, type, bytes) AP__VECTOR_FMA(name, v, type, bytes)
#define AP__VECTOR_FMA(name, v, type, bytes)                                   \
  static inline __attribute__((always_inline, unused)) v name(v a, v b, v c) { \
    AP__FMA_##type##_##bytes(v, a, b, c)                                       \
  }

#endif
