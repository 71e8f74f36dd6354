// AP_VECTORS: the machine that this is compiled for has vectors of numbers. Elsewhere compilers
// make large and slow code of vector types, and memory need not be aligned for them.

#ifndef AP_BASE_VECTORS_H
#define AP_BASE_VECTORS_H

#if defined __SSE2__ || defined __ARM_NEON || defined __wasm_simd128__ || defined __ALTIVEC__ || \
    defined __VX__ || defined __riscv_vector || defined __loongarch_sx || defined __mips_msa
#define AP_VECTORS
#endif

#endif
