// SPDX-License-Identifier: Apache-2.0
// The kernels' sines and cosines where products are fused, for tests and measurements outside the
// kernels: sincos_fused_f64(q, offset, &s, &c) and the same of float, if has_fused_sincos().

#ifndef AP_NUM_SINCOS_FUSED_H
#define AP_NUM_SINCOS_FUSED_H

#include <stdbool.h>

#include "base/isa.h"

#if defined AP_HAVE_ISA_V3
#define AP_FUSED_BUILD(name) name##_v3
static inline bool has_fused_sincos(void) { return runs_v3(); }
#elif defined AP_HAVE_ISA_V4
#define AP_FUSED_BUILD(name) name##_v4
static inline bool has_fused_sincos(void) { return runs_v4(); }
#elif defined __aarch64__
#define AP_FUSED_BUILD(name) name##_base
static inline bool has_fused_sincos(void) { return true; }
#else
static inline bool has_fused_sincos(void) { return false; }
#endif

#ifdef AP_FUSED_BUILD
void AP_FUSED_BUILD(ap__sincos_each_f64)(int n, const double *q, const double *offset, double *s,
                                         double *c);
void AP_FUSED_BUILD(ap__sincos_each_f32)(int n, const float *q, const float *offset, float *s,
                                         float *c);
static inline void sincos_fused_f64(double q, double offset, double *s, double *c) {
  AP_FUSED_BUILD(ap__sincos_each_f64)(1, &q, &offset, s, c);
}
static inline void sincos_fused_f32(float q, float offset, float *s, float *c) {
  AP_FUSED_BUILD(ap__sincos_each_f32)(1, &q, &offset, s, c);
}
#else
#define sincos_fused_f64 sincos_f64
#define sincos_fused_f32 sincos_f32
#endif

#endif
