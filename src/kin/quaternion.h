// SPDX-License-Identifier: Apache-2.0
// Quaternions x y z w over `real`, for the configuration manifold, springs and inverse kinematics.
// Included after num/vocabulary.inc. A quaternion need not have length one, except where that is
// said.

#ifndef AP_KIN_QUATERNION_H
#define AP_KIN_QUATERNION_H

typedef struct {
  vec3 v;
  real w;
} quaternion;

INLINE quaternion load_quaternion(const real *q) { return (quaternion){load3(q), q[3]}; }
INLINE void store_quaternion(real *q, quaternion a) { store3(q, a.v), q[3] = a.w; }

// a b: the turn b, then the turn a. The vector is not fused, so that a turn back leaves nothing.
INLINE quaternion quaternion_product(quaternion a, quaternion b) {
  vec3 v = add(add(scale(a.w, b.v), scale(b.w, a.v)), cross_apart(a.v, b.v));
  return (quaternion){v, r_fms(a.w, b.w, dot(a.v, b.v))};
}

// The same turn back; the length stays.
INLINE quaternion conjugate(quaternion a) { return (quaternion){neg(a.v), a.w}; }

INLINE quaternion quaternion_over(quaternion a, real k) {
  return (quaternion){{r_div(a.v.x, k), r_div(a.v.y, k), r_div(a.v.z, k)}, r_div(a.w, k)};
}

// To length one. The largest entry is divided out first, so that no square over- or underflows.
TEXT quaternion quaternion_unit(quaternion a) {
  real most = r_max(r_max(r_abs(a.v.x), r_abs(a.v.y)), r_max(r_abs(a.v.z), r_abs(a.w)));
  quaternion b = quaternion_over(a, most);
  return quaternion_over(b, r_sqrt(r_fma(b.w, b.w, dot(b.v, b.v))));
}

// The turn by |w| about w.
TEXT quaternion quaternion_exp(vec3 w) {
  real square = dot(w, w), angle = r_sqrt(square), s, c;
  r_sincos(r_mul(r_const(0.5), angle), r_const(0), &s, &c);
  // sin(t/2)/t; the next term of the series is below 1e-19 of it
  real k = r_pick(r_less(square, r_const(1e-7)), r_sub(r_const(0.5), r_div(square, r_const(48))),
                  r_div(s, angle));
  return (quaternion){scale(k, w), c};
}

// The rotation vector of a turn, the shortest: of length pi at most. Any length of a but zero.
TEXT vec3 quaternion_log(quaternion a) {
  r_truth back = r_less(a.w, r_const(0));
  vec3 v = {r_pick(back, r_neg(a.v.x), a.v.x), r_pick(back, r_neg(a.v.y), a.v.y),
            r_pick(back, r_neg(a.v.z), a.v.z)};
  real w = r_pick(back, r_neg(a.w), a.w), s = r_sqrt(dot(v, v)), two = r_const(2);
  // For a small turn the angle over its sine is one to the last bit, and s may have underflowed.
  real k = r_pick(r_less(s, r_mul(r_const(1e-9), w)), r_div(two, w),
                  r_div(r_mul(two, r_angle(s, w)), s));
  return scale(k, v);
}

// The rotation vector from one to the other, in the axes that either leaves alone.
TEXT vec3 quaternion_difference(const real *from, const real *to) {
  return quaternion_log(quaternion_product(conjugate(load_quaternion(from)), load_quaternion(to)));
}

// ---- screws ------------------------------------------------------------------------------------

// v + a w x v + b w x (w x v)
TEXT vec3 along_screw(vec3 w, real a, real b, vec3 v) {
  vec3 u = cross(w, v);
  return scale_add(b, cross(w, u), scale_add(a, u, v));
}

// first + x / n * rest
INLINE real series(real first, real x, double n, real rest) {
  return r_fma(r_div(x, r_const(n)), rest, first);
}

// V(w)^-1 d of kin/manifold.inc for t up to pi:
// 1 - 1/2 [w]x + (1 - h cot h)/t^2 [w]x^2, h = t/2
TEXT vec3 screw_velocity(vec3 w, vec3 d) {
  real x = dot(w, w), h = r_mul(r_const(0.5), r_sqrt(x)), one = r_const(1), s, c;
  r_sincos(h, r_const(0), &s, &c);
  real b = series(r_const(1.0 / 12), x, 720, series(one, x, 42, series(one, x, 40, one)));
  b = r_pick(r_less(x, r_const(0.01)), b, r_div(r_sub(one, r_div(r_mul(h, c), s)), x));
  return along_screw(w, r_const(-0.5), b, d);
}

#endif
