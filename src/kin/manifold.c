// The configuration manifold: steps along a velocity, differences, unit quaternions.
//
// Angles, distances and the three coordinates of a planar joint form a vector space. A quaternion
// moves by q exp(v), v in the body frame. A free body follows the screw of its body twist [v; w]:
//
//   q' = q exp(w),  p' = p + R(q) V(w) v,
//   V(w) = 1 + (1 - cos t)/t^2 [w]x + (t - sin t)/t^3 [w]x^2,  t = |w|
//
// (R. M. Murray, Z. Li, S. S. Sastry, A Mathematical Introduction to Robotic Manipulation, 1994,
// section 2.3), and the difference of two poses is the logarithm of that.

#include <appell/kin.h>

#include "model/frozen.h"

#include "num/arith_f64.h"
#include "num/vocabulary.inc"

#include "kin/quaternion.h"

// v + a w x v + b w x (w x v)
TEXT vec3 along_screw(vec3 w, double a, double b, vec3 v) {
  vec3 u = cross(w, v);
  return add(v, add(scale(a, u), scale(b, cross(w, u))));
}

// V(w) v. Below t = 0.1 the series: its next terms are beyond a double. Above, what cancels in
// t - sin t is an ulp of t, which t^3 and the two products with w make an ulp of v.
TEXT vec3 screw_displacement(vec3 w, vec3 v) {
  double x = dot(w, w), t = sqrt(x), half_sin, half_cos;
  sincos_f64(0.5 * t, 0, &half_sin, &half_cos);
  double a = 0.5 - x / 24 * (1 - x / 30 * (1 - x / 56 * (1 - x / 90)));
  double b = 1.0 / 6 - x / 120 * (1 - x / 42 * (1 - x / 72));
  if (x >= 0.01) {
    a = 2 * half_sin * half_sin / x; // 1 - cos t, right near whole turns too
    b = (t - 2 * half_sin * half_cos) / (x * t);
  }
  return along_screw(w, a, b, v);
}

// V(w)^-1 d for t up to pi: 1 - 1/2 [w]x + (1 - h cot h)/t^2 [w]x^2, h = t/2
TEXT vec3 screw_velocity(vec3 w, vec3 d) {
  double x = dot(w, w), h = 0.5 * sqrt(x), s, c;
  sincos_f64(h, 0, &s, &c);
  double b = 1.0 / 12 + x / 720 * (1 + x / 42 * (1 + x / 40));
  if (x >= 0.01) b = (1 - h * c / s) / x;
  return along_screw(w, -0.5, b, d);
}

TEXT void integrate_quaternion(const double *q, vec3 w, double *result) {
  // brought back to length one, so that rounding does not pile up over many steps
  quaternion next = quaternion_product(load_quaternion(q), quaternion_exp(w));
  store_quaternion(result, quaternion_unit(next));
}

TEXT void integrate_free(const double *q, const double *v, double *result) {
  vec3 w = load3(v + 3), d = screw_displacement(w, load3(v));
  d = apply(quaternion_matrix(q + 3), d);
  store3(result, add(load3(q), d));
  integrate_quaternion(q + 3, w, result + 3);
}

TEXT vec3 quaternion_difference(const double *from, const double *to) {
  return quaternion_log(quaternion_product(conjugate(load_quaternion(from)), load_quaternion(to)));
}

TEXT void difference_free(const double *from, const double *to, double *v) {
  vec3 w = quaternion_difference(from + 3, to + 3);
  vec3 d = apply_transposed(quaternion_matrix(from + 3), sub(load3(to), load3(from)));
  store3(v, screw_velocity(w, d));
  store3(v + 3, w);
}

void ap_integrate(const ap_model *m, const double *q, const double *v, double *result) {
  for (int i = 1; i < m->nbody; i++) {
    const ap_joint *j = &m->joint[i];
    if (j->leader) continue; // a follower has no coordinates
    if (j->type == AP_SPHERICAL)
      integrate_quaternion(q + j->q, load3(v + j->v), result + j->q);
    else if (j->type == AP_FREE)
      integrate_free(q + j->q, v + j->v, result + j->q);
    else
      for (int k = 0; k < j->nq; k++) result[j->q + k] = q[j->q + k] + v[j->v + k];
  }
}

void ap_difference(const ap_model *m, const double *q0, const double *q1, double *v) {
  for (int i = 1; i < m->nbody; i++) {
    const ap_joint *j = &m->joint[i];
    if (j->leader) continue;
    if (j->type == AP_SPHERICAL)
      store3(v + j->v, quaternion_difference(q0 + j->q, q1 + j->q));
    else if (j->type == AP_FREE)
      difference_free(q0 + j->q, q1 + j->q, v + j->v);
    else
      for (int k = 0; k < j->nv; k++) v[j->v + k] = q1[j->q + k] - q0[j->q + k];
  }
}

// The quaternion among a joint's coordinates, NULL where it has none.
TEXT double *quaternion_of(const ap_joint *j, double *q) {
  if (j->type == AP_SPHERICAL) return q + j->q;
  return j->type == AP_FREE ? q + j->q + 3 : NULL;
}

ap_status ap_normalize(const ap_model *m, double *q) {
  for (int i = 1; i < m->nbody; i++) {
    const double *x = quaternion_of(&m->joint[i], q);
    if (!x) continue;
    for (int k = 0; k < 4; k++)
      if (!isfinite(x[k])) return AP_E_ARG;
    if (x[0] == 0 && x[1] == 0 && x[2] == 0 && x[3] == 0) return AP_E_ARG;
  }
  for (int i = 1; i < m->nbody; i++) {
    double *x = quaternion_of(&m->joint[i], q);
    if (x) store_quaternion(x, quaternion_unit(load_quaternion(x)));
  }
  return AP_OK;
}
