// Sine and cosine in double: sincos_f64(q, offset, &s, &c) and sincos_n_f64 (see sincos.inc).
//
// Any finite arguments. Up to |q + offset| = 2^20 pi/2 (1.6e6) without a branch, beyond it by an
// exact reduction in integers. bench/accuracy_sincos measures the error.

#ifndef APPELL_NUM_SINCOS_F64_H
#define APPELL_NUM_SINCOS_F64_H

#include <stdint.h>

#define SC(name) name##_f64
#define SC_FLT   double
#define SC_INT   int64_t
#define SC_UINT  uint64_t
#ifndef SC_VECTOR_BYTES // arith_lanes_f64.h asks for its own
#ifdef __AVX2__
#define SC_VECTOR_BYTES 32
#else
#define SC_VECTOR_BYTES 16
#endif
#endif
#define SC_MAGIC       0x1.8p52
#define SC_TWO_OVER_PI 0x1.45f306dc9c883p-1
// Three parts of 33 bits, times n of 20 bits; the remainder of pi/2 is below 2^-159.
#define SC_PIO2_1     0x1.921fb544p+0
#define SC_PIO2_2     0x1.0b4611a6p-34
#define SC_PIO2_3     0x1.3198a2ep-69
#define SC_PIO2_4     0x1.b839a252049c1p-104
#define SC_FAR        INT64_C(0x413921fb54442d18)
#define SC_SIGN_SHIFT 62

// Minimax for the relative error of the whole sine, 2^-57.8, and cosine, 2^-63.9, on
// |r| <= pi/4 (1 + 2^-20), coefficients rounded one after the other with the rest fitted anew.
// Evaluated in pairs: half the latency of Horner's rule.
#define SC_SIN_TAIL                                                                            \
  {                                                                                            \
    -0x1.5555555555548p-3, 0x1.111111110f73p-7, -0x1.a01a019be9217p-13, 0x1.71de35552b52cp-19, \
        -0x1.ae5e4b83e46f4p-26, 0x1.5d8b559495e1dp-33                                          \
  }
#define SC_COS_TAIL                                                                              \
  {                                                                                              \
    0x1.555555555554bp-5, -0x1.6c16c16c15015p-10, 0x1.a01a019c8f254p-16, -0x1.27e4f7f19148bp-22, \
        0x1.1ee9dbcefbddep-29, -0x1.8fa684873ff41p-37                                            \
  }
#define SC_TAIL(k, z, zz) ((z * k[1] + k[0]) + zz * ((z * k[3] + k[2]) + zz * (z * k[5] + k[4])))

#include "sincos.inc"

#endif
