// SPDX-License-Identifier: Apache-2.0
// kin.h in double.

#include <string.h>

#include "base/isa.h"
#include "kin/text_f64.h"

#include "kin/point.h"

#define F(name) name
#define FLOAT   double
#include "kin/api.inc"

#include "kin/quaternion.h"
#include "kin/manifold.inc"

AP_TABLE_OF(manifold_kernels, ap__manifold_f64, manifold_of)
#include "kin/manifold_api.inc"

// ---- point.h -----------------------------------------------------------------------------------

void ap__see_again(const ap_model *m, ap_work *w, const double *v) {
  CHECK_WORK(m, w);
  if (!w->frames) return;
  w->frames->by.see(w, NULL, expand_v(w, v, w->v), NULL);
}

ap_status ap__point(const ap_model *m, const ap_work *w, int frame, const double at[3],
                    ap_point *seen) {
  ap_status status = check_frame(m, w, frame);
  point_motion x;
  if (status) return status;
  w->frames->by.point(w, frame, at, &x);
  memcpy(seen->p, x.p, sizeof x.p), memcpy(seen->arm, x.arm, sizeof x.arm);
  memcpy(seen->v, x.v, sizeof x.v), memcpy(seen->acc, x.acc, sizeof x.acc);
  return AP_OK;
}

double ap__point_rows(const ap_model *m, const ap_work *w, int frame, const double arm[3],
                      const double along[9], bool add, double *J) {
  CHECK_WORK(m, w);
  return w->frames->by.rows(w, frame, arm, along, add, J);
}
