// Quaternions x y z w over a plain `real` (double or float), for the configuration manifold and
// inverse kinematics. Included after num/vocabulary.inc. A quaternion need not have length one,
// except where that is said.

#ifndef AP_KIN_QUATERNION_H
#define AP_KIN_QUATERNION_H

#include <float.h>

typedef struct {
  vec3 v;
  real w;
} quaternion;

INLINE quaternion load_quaternion(const real *q) { return (quaternion){load3(q), q[3]}; }
INLINE void store_quaternion(real *q, quaternion a) { store3(q, a.v), q[3] = a.w; }

// a b: the turn b, then the turn a
INLINE quaternion quaternion_product(quaternion a, quaternion b) {
  vec3 v = add(add(scale(a.w, b.v), scale(b.w, a.v)), cross(a.v, b.v));
  return (quaternion){v, a.w * b.w - dot(a.v, b.v)};
}

// The same turn back; the length stays.
INLINE quaternion conjugate(quaternion a) { return (quaternion){neg(a.v), a.w}; }

// To length one. The largest entry is divided out first, so that no square over- or underflows.
TEXT quaternion quaternion_unit(quaternion a) {
  real most = r_max(r_max(r_abs(a.v.x), r_abs(a.v.y)), r_max(r_abs(a.v.z), r_abs(a.w)));
  quaternion b = {{a.v.x / most, a.v.y / most, a.v.z / most}, a.w / most};
  real length = r_sqrt(dot(b.v, b.v) + b.w * b.w);
  return (quaternion){{b.v.x / length, b.v.y / length, b.v.z / length}, b.w / length};
}

// The turn by |w| about w.
TEXT quaternion quaternion_exp(vec3 w) {
  real square = dot(w, w), angle = r_sqrt(square), s, c;
  r_sincos(r_mul((real)0.5, angle), r_const(0), &s, &c);
  // sin(t/2)/t; the next term of the series is below 1e-19 of it
  real k = square < (real)1e-7 ? (real)0.5 - square / 48 : s / angle;
  return (quaternion){scale(k, w), c};
}

// The rotation vector of a turn, the shortest: of length pi at most. Any length of a but zero.
TEXT vec3 quaternion_log(quaternion a) {
  if (a.w < 0) a = (quaternion){neg(a.v), -a.w};
  real s = r_sqrt(dot(a.v, a.v));
  // For a small turn the angle over its sine is one to the last bit, and s may have underflowed.
  real k = s < (real)1e-9 * a.w ? 2 / a.w : 2 * r_angle(s, a.w) / s;
  return scale(k, a.v);
}

// Of a rotation matrix, by the largest of four squares, so that nothing cancels (Shepperd 1978).
TEXT quaternion quaternion_of_matrix(mat3 R) {
  real x = R.x.x, y = R.y.y, z = R.z.z, trace = x + y + z;
  real most = r_max(r_max(trace, x), r_max(y, z));
  quaternion q;
  if (most == trace)
    q = (quaternion){{R.z.y - R.y.z, R.x.z - R.z.x, R.y.x - R.x.y}, 1 + trace};
  else if (most == x)
    q = (quaternion){{1 + x - y - z, R.x.y + R.y.x, R.x.z + R.z.x}, R.z.y - R.y.z};
  else if (most == y)
    q = (quaternion){{R.x.y + R.y.x, 1 + y - x - z, R.y.z + R.z.y}, R.x.z - R.z.x};
  else
    q = (quaternion){{R.x.z + R.z.x, R.y.z + R.z.y, 1 + z - x - y}, R.y.x - R.x.y};
  return quaternion_unit(q);
}

// Finite, orthonormal to within 1e-6 and right-handed: what is taken for a rotation from outside.
TEXT bool is_rotation(const real R[9]) {
  mat3 A = {load3(R), load3(R + 3), load3(R + 6)};
  real worst = 0;
  for (int i = 0; i < 9; i++)
    if (!isfinite(R[i])) return false;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      worst = r_max(worst, r_abs(dot(column(A, i), column(A, k)) - r_const(i == k)));
  return worst <= (real)1e-6 && dot(A.x, cross(A.y, A.z)) > 0;
}

#endif
