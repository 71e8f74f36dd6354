// SPDX-License-Identifier: Apache-2.0
// The numbers of a model on their way onto a tape.

#ifndef AP_CODEGEN_CLEAN_H
#define AP_CODEGEN_CLEAN_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "model/pack.h"

// Entries that are nothing but rounding beside the largest of their vector or tensor are zero.
static inline void clean(double *x, int n) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
  for (int k = 0; k < n; k++)
    if (fabs(x[k]) < 2 * DBL_EPSILON * most) x[k] = 0;
}

static inline void pack_clean(const ap_model *m, ap_packed_body *body, ap_packed_frame *frame) {
  memcpy(body, m->packed_body, sizeof *body * (size_t)m->nbody);
  memcpy(frame, m->packed_frame, sizeof *frame * (size_t)m->nframe);
  for (int i = 0; i < m->nbody; i++)
    clean(body[i].s, 3), clean(body[i].com, 3), clean(body[i].inertia, 6);
}

#endif
