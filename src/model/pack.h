// SPDX-License-Identifier: Apache-2.0
// The geometry and inertia of a model in the frames that the kernels work in, in double: computed
// once by ap_model_init(), converted to other arithmetics when a work is initialised. (binary128
// computes its own from the same definition; the text is pack.inc in both cases.)

#ifndef AP_MODEL_PACK_H
#define AP_MODEL_PACK_H

#include "model/frozen.h"

#define REAL         double
#define PACKED_BODY  ap_packed_body
#define PACKED_FRAME ap_packed_frame
#include "model/packed.inc"
#undef REAL
#undef PACKED_BODY
#undef PACKED_FRAME

// A principal moment below this is refused, kg m2; CAD programs print rounded zeros above it.
#define AP_LEAST_MOMENT (-1e-9)

// Mass, centre and inertia about it, in the link frame and its axes.
typedef struct ap_link_inertia {
  double mass, com[3], inertia[6];
} ap_link_inertia;

// What a work has changed of a link.
typedef struct ap_link_change {
  bool replaced; // own counts instead of the definition's inertia
  bool loaded;   // payload counts besides
  ap_link_inertia own, payload;
} ap_link_change;

// Fill body[nbody] and frame[nframe] for a model whose topology is frozen.
void ap__pack_f64(const ap_model *m, ap_packed_body *body, ap_packed_frame *frame);

// Merge the inertias of all links into their bodies, or into body `only` where that is not 0.
// change is [nlink] or NULL.
void ap__merge_inertia_f64(const ap_model *m, const ap_link_change *change, int only,
                           const ap_packed_frame *frame, ap_packed_body *body);

// What gravity compensation holds up of a body: held[0] the mass, then its first moment in the
// internal frame. change as above.
AP_API void ap__held_weight_f64(const ap_model *m, const ap_link_change *change, int body,
                                const ap_packed_frame *frame, double *held);

#endif
