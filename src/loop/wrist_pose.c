// Where the limbs of a spherical parallel robot are, in closed form.
//
// A limb is solved in its own frame, where u = z. The angles themselves are not needed: with
// a cos(theta) + b sin(theta) = c and h = +-sqrt(a^2 + b^2 - c^2),
//   cos(theta) = (a c - b h) / (a^2 + b^2),  sin(theta) = (b c + a h) / (a^2 + b^2),
// which saves the arc tangents and their rounding.

#include "loop/wrist.h"

// [Abedloo 25, 26]  R = Rz(q0) Ry(q1) Rx(q2), Omega = E q'
static void platform_pose(const double *q, wrist_pose *p) {
  double s0 = p->s0 = sin(q[0]), c0 = p->c0 = cos(q[0]);
  double s1 = p->s1 = sin(q[1]), c1 = p->c1 = cos(q[1]);
  double s2 = p->s2 = sin(q[2]), c2 = p->c2 = cos(q[2]);
  p->R.x = (vec3){c0 * c1, s0 * c1, -s1};
  p->R.y = (vec3){c0 * s1 * s2 - s0 * c2, s0 * s1 * s2 + c0 * c2, c1 * s2};
  p->R.z = (vec3){c0 * s1 * c2 + s0 * s2, s0 * s1 * c2 - c0 * s2, c1 * c2};
  p->E = (mat3){{0, 0, 1}, {-s0, c0, 0}, p->R.x};
}

static ap_wrist_trouble limb_pose_of(const wrist_limb *l, const mat3 *R, double least_h,
                                     limb_pose *p) {
  // [Abedloo 29]  v = R v*
  vec3 v = p->v = apply_transposed(l->B, apply(*R, l->mount));

  // [Abedloo 32]  (b, a, .) = diag(sin a1, -sin a1, cos a1) v
  double a = -l->s1 * v.y, b = l->s1 * v.x;
  // [Abedloo 33]  a cos(theta) + b sin(theta) = c, which is [Abedloo 30] v . w = cos(alpha2)
  double c = l->c2 - l->c1 * v.z;

  // [Abedloo 34]  h^2 = a^2 + b^2 - c^2, factored: no digits cancel where the limb is stretched
  double square = (l->near - v.z) * (v.z - l->far), least = least_h * least_h;
  p->h = 0;
  p->P1 = (vec3){0, 0, 0};
  if (!(square >= -least)) return AP_WRIST_REACH;
  if (square <= least) return AP_WRIST_SERIAL;
  double h = p->h = copysign(sqrt(square), l->branch);

  double n = 1 / (a * a + b * b);
  double ct = p->cos_theta = (a * c - b * h) * n, st = p->sin_theta = (b * c + a * h) * n;
  // [Abedloo 31]  w = diag(sin a1, -sin a1, cos a1) (sin(theta), cos(theta), 1)
  vec3 w = p->w = (vec3){l->s1 * st, -l->s1 * ct, l->c1};

  // [Abedloo 35, 36]  n1 = u x w / sin a1, n2 = w x v / sin a2: sin(psi) = w . (n1 x n2) and
  // cos(psi) = n1 . n2 are -h and cos a1 cos a2 - u . v, divided by sin a1 sin a2
  double s12 = 1 / (l->s1 * l->s2);
  p->sin_psi = -h * s12;
  p->cos_psi = (l->c1 * l->c2 - v.z) * s12;

  // [Abedloo 39]  p1 = v x w, p2 = u x v, h = p1 . u
  p->p1 = (vec3){v.y * w.z - v.z * w.y, v.z * w.x - v.x * w.z, h};
  p->p2 = (vec3){-v.y, v.x, 0};
  p->P1 = apply(l->B, scale(1 / h, p->p1));
  p->P2 = apply(l->B, scale(1 / h, p->p2));
  return AP_WRIST_NONE;
}

ap_status ap__wrist_pose(const ap_wrist *w, const double *q, wrist_pose *p,
                         ap_wrist_trouble *trouble, int *limb) {
  *trouble = AP_WRIST_NONE;
  *limb = -1;
  if (!is_finite(vec3_of(q))) return AP_E_ARG;
  platform_pose(q, p);
  for (int i = 0; i < 3; i++) {
    ap_wrist_trouble met = limb_pose_of(&w->limb[i], &p->R, w->def.least_h, &p->limb[i]);
    bool worse = met == AP_WRIST_REACH ? *trouble != AP_WRIST_REACH : *trouble == AP_WRIST_NONE;
    if (met == AP_WRIST_NONE || !worse) continue;
    *trouble = met;
    *limb = i;
  }
  if (*trouble != AP_WRIST_NONE) return ap__wrist_status(*trouble);
  p->det = p->limb[0].h * p->limb[1].h * p->limb[2].h *
           dot(p->limb[0].P1, cross(p->limb[1].P1, p->limb[2].P1));
  return AP_OK;
}

bool ap__wrist_holds(const ap_wrist *w, const wrist_pose *p) {
  return fabs(p->det) > w->def.least_det * w->unit;
}
