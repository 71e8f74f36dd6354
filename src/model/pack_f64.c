// SPDX-License-Identifier: Apache-2.0
// pack.inc in double.

#include "model/pack.h"

#define ARITH_COMPACT // off line: small before fast
#include "num/arith_f64.h"
#include "num/vocabulary.inc"

#define PACK_NEGLIGIBLE 1.2e-16 // just above half an ulp of one
#define REAL            double
#define PACKED_BODY     ap_packed_body
#define PACKED_FRAME    ap_packed_frame
#include "model/pack.inc"

void ap__pack_f64(const ap_model *m, ap_packed_body *body, ap_packed_frame *frame) {
  pack_model(m, body, frame);
}

void ap__merge_inertia_f64(const ap_model *m, const ap_link_change *change, int only,
                           const ap_packed_frame *frame, ap_packed_body *body) {
  merge_inertia(m, change, only, frame, body);
}

void ap__held_weight_f64(const ap_model *m, const ap_link_change *change, int body,
                         const ap_packed_frame *frame, double *held) {
  held_weight(m, change, body, frame, held);
}
