// SPDX-License-Identifier: Apache-2.0
// parallel.h in double, the constants of a robot, and its margins.

#include "num/arith_f64.h"
#include "num/cholesky.h"
#include "num/svd.h"
#include "num/vocabulary.inc"
#include "loop/parallel.inc"

#define F(name)        ap_parallel_##name
#define ROBOT(r)       ((const robot *)(r)->f64)
#define LEAST_SERIAL   0
#define LEAST_PARALLEL 0
#define ASSEMBLY_NEAR  1e-7
#include "loop/parallel_api.inc"

_Static_assert(sizeof(robot) == sizeof(double[PARALLEL_CONSTANTS]), "constants of another number");

ap_parallel *ap__parallel_prepare(ap_parallel *r) {
  robot *to = (robot *)r->f64;
  if (r->kind == WRIST) wrist_prepare(&r->def.wrist, NULL, &to->wrist);
  if (r->kind == FIVE_BAR) five_bar_prepare(&r->def.five_bar, NULL, &to->arms);
  if (r->kind == DELTA) delta_prepare(&r->def.delta, NULL, &to->arms);
  for (int i = 0; i < PARALLEL_CONSTANTS; i++) r->f32[i] = (float)r->f64[i];
  return r;
}

// ---- margins -----------------------------------------------------------------------------------

// Least singular value of the columns.
static double least_singular_value(int n, const vec3 c[3]) {
  double A[9], sigma[3];
  for (int i = 0; i < n; i++) A[i] = c[i].x, A[n + i] = c[i].y, A[2 * n + i] = c[i].z;
  ap__singular_values(3, n, A, sigma);
  return sigma[n - 1];
}

// What limb i has left before it is stretched or folded.
static double reach_of(const ap_parallel *r, int i, const limb *l) {
  double at, low, high;
  if (r->kind == WRIST) {
    const ap_wrist_limb *d = &r->def.wrist.limb[i];
    const double sum = d->alpha1 + d->alpha2;
    at = atan2(hypot(l->v.x, l->v.y), l->v.z);
    low = fabs(d->alpha1 - d->alpha2), high = fmin(sum, 2 * acos(-1) - sum);
  } else {
    const arms_limb *k = &ROBOT(r)->arms.limb[i];
    if (!(l->square[0] > 0)) return k->l2 * (1 - fabs(l->sine[2]));
    at = hypot(l->end.x, l->end.z);
    low = fabs(k->l1 - l->rho), high = k->l1 + l->rho;
  }
  return fmin(at - low, high - at);
}

static double level_of(const ap_parallel *r, const pose *p) {
  vec3 normal[3];
  for (int i = 0; i < 3; i++) {
    vec3 w = {p->limb[i].sine[1], 0, p->limb[i].cosine[1]};
    normal[i] = arms_to_ground(false, &ROBOT(r)->arms.limb[i], w);
  }
  return least_singular_value(3, normal);
}

ap_status ap_parallel_margins(const ap_parallel *r, const double *q, ap_parallel_margin *margin) {
  const int n = limbs_of(r->kind);
  pose p;
  vec3 direction[3];
  *margin = (ap_parallel_margin){.status = AP_E_ARG, .limb = -1};
  if (!all_finite(n, q)) return AP_E_ARG;
  BY_KIND(place, r, q, &p);
  margin->status = pose_status(r, &p, &margin->limb);
  for (int i = 0; i < n; i++) {
    const double least = r->least_serial * r->least_serial, *square = p.limb[i].square;
    margin->reach[i] = reach_of(r, i, &p.limb[i]);
    margin->serial[i] = square[0] > least && square[1] > least ? p.limb[i].serial : 0;
    direction[i] = p.limb[i].direction;
  }
  if (margin->status != AP_OK) return margin->status;
  if (!holds(r, &p)) margin->status = AP_E_SINGULAR_PARALLEL;
  margin->parallel = p.det;
  margin->sigma = least_singular_value(n, direction);
  if (r->kind == DELTA) margin->level = level_of(r, &p);
  return margin->status;
}
