// SPDX-License-Identifier: Apache-2.0
// How fast the gap of two moving shapes can fall. The proof is in appell/convex.h.

#include <math.h>

#include "convex/pair.h"
#include "convex/precise.h"

ap_relative_motion ap_relative_motion_of(const ap_pose *pa, const double va[3], const double wa[3],
                                         const ap_pose *pb, const double vb[3],
                                         const double wb[3]) {
  ap_relative_motion motion = {.dv = 0};
  double d[3], v[3], w[3], carried[3];
  difference3(pb->p, pa->p, d);
  cross3(wa, d, carried);
  for (int i = 0; i < 3; i++) {
    v[i] = vb[i] - va[i] - carried[i];
    w[i] = wb[i] - wa[i];
  }
  turn_back3(pa->R, v, motion.v);
  turn_back3(pa->R, w, motion.w);
  return motion;
}

static bool usable(const ap_relative_motion *m, double dt) {
  return isfinite(dot3(m->v, m->v) + dot3(m->w, m->w) + m->dv + m->dw + dt) && m->dv >= 0 &&
         m->dw >= 0 && dt >= 0;
}

ap_status ap_closest_bound(const ap_closest *closest, const ap_pose *pa, const ap_convex *b,
                           const ap_pose *pb, const ap_relative_motion *motion, double dt,
                           double *bound) {
  double n[3], c[3], ground[3], wc[3], nw[3];
  if (b->kind == AP_CONVEX_HALF_SPACE) return AP_E_UNSUPPORTED;
  if (!usable(motion, dt)) return AP_E_ARG;
  turn_back3(pa->R, closest->normal, n);
  turn3(pb->R, b->centre, ground);
  turn_back3(pa->R, ground, c);
  cross3(motion->w, c, wc);
  cross3(n, motion->w, nw);
  const double turning = norm3(nw), length = norm3(c);
  const double moved = length * fmin(2, (norm3(motion->w) + motion->dw) * dt);
  const double toward = dot3(n, motion->v) + dot3(n, wc);
  const double lost =
      motion->dv + (turning + motion->dw) * b->reach + motion->dw * length + turning * moved;
  // Rounding of these sums, of which none is larger than all their terms together.
  const double all = norm3(motion->v) + norm3(motion->w) * length + lost;
  const double rate = toward - lost - 1e-14 * all;
  *bound = closest->distance - closest->rounding + fmin(0, rate * dt);
  return AP_OK;
}
