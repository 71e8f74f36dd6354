// SPDX-License-Identifier: Apache-2.0
// AP_VECTORS: the machine that this is compiled for has vectors of numbers. Elsewhere compilers
// make large and slow code of vector types, and memory need not be aligned for them.

#ifndef AP_BASE_VECTORS_H
#define AP_BASE_VECTORS_H

#if defined __SSE2__ || defined __ARM_NEON || defined __wasm_simd128__ || defined __ALTIVEC__ || \
    defined __VX__ || defined __riscv_vector || defined __loongarch_sx || defined __mips_msa
#define AP_VECTORS
#endif

// The widest of them.
#if defined __AVX512F__
#define AP_VECTOR_BYTES 64
#elif defined __AVX2__
#define AP_VECTOR_BYTES 32
#else
#define AP_VECTOR_BYTES 16
#endif

#endif
