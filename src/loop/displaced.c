// SPDX-License-Identifier: Apache-2.0
// Rows of a displaced motion: the texts about bodies and closures run on series in time and
// displacement (num/arith_jet.h), along the motion that has these rates and accelerations.

#include "loop/displaced.h"

#include <appell/kin.h>
#include <float.h>

#include "num/arith_jet.h"
#include "num/vocabulary.inc"

#define WORK               ap_work_jet
#define PART               ap_part_jet
#define ARITHMETIC_EPSILON DBL_EPSILON
#define ISA_NAME           "jet"
#include "kin/text.inc"

#include "dyn/text.inc"
#include "dyn/own_kernels.inc"
#include "kin/quaternion.h"
#include "loop/closure.inc"

static const PART *const jet_parts[] = {&part_frames, NULL};

struct ap_displaced {
  WORK *w;
  real *x; // [nq] of the tree
  real *F; // [rows]
};

static size_t lay_out_displaced(const ap_mechanism *m, void *mem, ap_displaced **where,
                                void **work) {
  ap_arena a = ap__arena(mem);
  ap_displaced none, *d = AP_TAKE(&a, ap_displaced, 1);
  *where = d;
  if (!d) d = &none;
  *work = AP_TAKE_ALIGNED(&a, unsigned char, work_size(m->tree, jet_parts));
  d->x = AP_TAKE_ALIGNED(&a, real, m->nx);
  d->F = AP_TAKE_ALIGNED(&a, real, m->nrow + m->n);
  return ap__arena_size(&a);
}

size_t ap__displaced_size(const ap_mechanism *m) {
  ap_displaced *d;
  void *work;
  return lay_out_displaced(m, NULL, &d, &work);
}

ap_displaced *ap__displaced_init(const ap_mechanism *m, void *mem) {
  ap_displaced *d;
  void *work;
  lay_out_displaced(m, mem, &d, &work);
  d->w = work_init(m->tree, jet_parts, work, work_size(m->tree, jet_parts), NULL);
  return d;
}

// ---- the motion --------------------------------------------------------------------------------

// Entry i of what may be absent.
static double given(const double *x, int i) { return x ? x[i] : 0; }

// x + e y + t (xd + e dxd) + t^2/2 xdd
static real plain_series(const ap_displacement *by, int entry, int rate) {
  return (real){{{by->x[entry], given(by->y, rate)},
                 {by->xd[rate], given(by->dxd, rate)},
                 {by->xdd[rate] / 2, 0}}};
}

// Three of a kind: rates xd + e dxd, accelerations, displacement.
static vec3 rates(const ap_displacement *by, int at) {
  vec3 r;
  real *c[3] = {&r.x, &r.y, &r.z};
  for (int k = 0; k < 3; k++)
    *c[k] = (real){{{by->xd[at + k], given(by->dxd, at + k)}, {0, 0}, {0, 0}}};
  return r;
}
static vec3 numbers(const double *x, int at) {
  return (vec3){r_const(given(x, at)), r_const(given(x, at + 1)), r_const(given(x, at + 2))};
}

static const real TIME = {{{0, 0}, {1, 0}, {0, 0}}};
static const real HALF_SQUARE = {{{0, 0}, {0, 0}, {0.5, 0}}};
static const real ASIDE = {{{0, 1}, {0, 0}, {0, 0}}};

// A turn with the body's rates w and dw: q (1 + e y/2) (1 + t w/2 + t^2/2 (dw/2 + w w/4)), the last
// product of quaternions being -|w|^2/4.
static quaternion turn_series(const ap_displacement *by, int entry, int rate) {
  quaternion q = {numbers(by->x, entry), r_const(by->x[entry + 3])};
  const vec3 w = rates(by, rate), dw = numbers(by->xdd, rate), y = numbers(by->y, rate);
  const real half = r_const(0.5), quarter = r_const(-0.25);
  const quaternion aside = {scale(r_mul(half, ASIDE), y), r_const(1)};
  const quaternion along = {add(scale(r_mul(half, TIME), w), scale(r_mul(half, HALF_SQUARE), dw)),
                            r_add(r_const(1), r_mul(r_mul(quarter, HALF_SQUARE), dot(w, w)))};
  return quaternion_product(quaternion_product(q, aside), along);
}

// A free body's place: p + R e y, and from there p' = R v, p'' = R (dv + w x v) with the displaced
// R.
static vec3 place_series(const ap_displacement *by, int entry, int rate) {
  real turned[4];
  store_quaternion(turned, turn_series(by, entry + 3, rate + 3));
  for (int k = 0; k < 4; k++) // where it is displaced to, before it moves
    for (int j = 1; j < 3; j++) turned[k].c[j][0] = turned[k].c[j][1] = 0;
  const vec3 v = rates(by, rate), w = rates(by, rate + 3);
  vec3 step = scale(ASIDE, numbers(by->y, rate));
  step = add(step, scale(TIME, v));
  step = add(step, scale(HALF_SQUARE, add(numbers(by->xdd, rate), cross(w, v))));
  return add(numbers(by->x, entry), apply(quaternion_matrix(turned), step));
}

static void set_motion(const ap_mechanism *m, const ap_displacement *by, real *x) {
  const ap_model *tree = m->tree;
  for (int i = 1; i < ap_nbody(tree); i++) {
    const int entry = ap_joint_q(tree, i), rate = ap_joint_v(tree, i);
    const int nq = ap_joint_nq(tree, i), nv = ap_joint_nv(tree, i);
    if (nq == 7) store3(x + entry, place_series(by, entry, rate));
    if (nq > nv)
      store_quaternion(x + entry + nq - 4, turn_series(by, entry + nq - 4, rate + nv - 3));
    else
      for (int k = 0; k < nv; k++) x[entry + k] = plain_series(by, entry + k, rate + k);
  }
}

void ap__displaced_rows(const ap_mechanism *m, ap_displaced *d, const ap_displacement *by,
                        double *change) {
  set_motion(m, by, d->x);
  values_of_rows(d->w, m, d->x, d->F);
  for (int i = 0; i < m->nrow + m->n; i++) change[i] = 2 * d->F[i].c[2][1];
}
