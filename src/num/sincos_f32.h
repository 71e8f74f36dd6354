// Sine and cosine in float, without a double anywhere: sincos_f32(q, offset, &s, &c) and
// sincos_n_f32 (see sincos.inc).
//
// Any finite arguments. Up to |q + offset| = 2^10 pi/2 (1608) without a branch, beyond it by an
// exact reduction in integers. bench/accuracy_sincos measures the error; of all floats in the first
// range, tried once, the worst is 0.849 ulp.

#ifndef APPELL_NUM_SINCOS_F32_H
#define APPELL_NUM_SINCOS_F32_H

#include <stdint.h>

#define SC(name) name##_f32
#define SC_FLT   float
#define SC_INT   int32_t
#define SC_UINT  uint32_t
#ifndef SC_VECTOR_BYTES    // arith_lanes_f32.h asks for its own
#define SC_VECTOR_BYTES 16 // an arm of 6 or 7 joints is two vectors, 8 lanes would be one too wide
#endif
#define SC_MAGIC       0x1.8p23f
#define SC_TWO_OVER_PI 0x1.45f306p-1f
// Three parts of 14 bits, times n of 10 bits; the remainder of pi/2 is below 2^-68.
#define SC_PIO2_1     0x1.9218p+0f
#define SC_PIO2_2     0x1.ed5p-14f
#define SC_PIO2_3     0x1.10ap-30f
#define SC_PIO2_4     0x1.4611a6p-42f
#define SC_FAR        INT32_C(0x44c90fdb)
#define SC_SIGN_SHIFT 30

// Minimax for the relative error of the whole sine, 2^-27.9, and cosine, 2^-32.9, on
// |r| <= pi/4 (1 + 2^-20), coefficients rounded one after the other with the rest fitted anew.
#define SC_SIN_TAIL \
  { -0x1.555546p-3f, 0x1.110778p-7f, -0x1.995408p-13f }
#define SC_COS_TAIL \
  { 0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e80cp-16f }
#define SC_TAIL(k, z, zz) ((z * k[1] + k[0]) + zz * k[2])

#include "sincos.inc"

#endif
