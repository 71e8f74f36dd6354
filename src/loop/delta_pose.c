// Where the limbs of a Delta robot are, its margins, and where its motors lead.
//
// Across its plane a limb is told by y alone: sin(chi) = y / l2. Within the plane it is two links,
// the second as long as the rod's shadow, rho = l2 cos(chi).

#include "loop/closed_form.h"
#include "loop/delta.h"
#include "num/svd.h"

// The end of the rods, from the motor, in the limb's frame.
static vec3 end_of(const delta_limb *l, vec3 P) {
  vec3 end = to_limb(l, P);
  end.x += l->offset;
  return end;
}

static ap_status limb_pose_of(const delta_limb *l, vec3 P, double least, limb_pose *p) {
  vec3 end = end_of(l, P);
  p->end = (vec2){end.x, -end.z};
  p->sx = end.y * l->i2;
  p->cx = p->at.s = 0;
  double square = (1 - p->sx) * (1 + p->sx);
  if (!(square >= -least * least)) return AP_E_UNREACHABLE;
  if (square <= least * least) return AP_E_SINGULAR_SERIAL;
  p->cx = sqrt(square);
  p->rho = l->l2 * p->cx;
  p->ir = 1 / p->rho;
  p->tx = end.y * p->ir;
  ap_status status = two_link_solve(p->end, l->l1, p->rho, l->sign, least, &p->at);
  if (status != AP_OK) return status;
  vec2 u = p->at.u, w = p->at.w;
  p->is = 1 / p->at.s;
  // theta' = (w + tan(chi) y) . v / (l1 s), beta' = -(u + c tan(chi) y) . v / (rho s),
  // chi' = y . v / rho with u and w in the plane
  vec3 theta = scale(l->i1 * p->is, (vec3){w.x, p->tx, -w.y});
  vec3 beta = scale(-p->ir * p->is, (vec3){u.x, p->at.c * p->tx, -u.y});
  p->row[0] = to_ground(l, theta);
  p->row[1] = to_ground(l, beta);
  p->row[2] = to_ground(l, (vec3){0, p->ir, 0});
  p->rod = to_ground(l, (vec3){p->cx * w.x, p->sx, -p->cx * w.y});
  return AP_OK;
}

ap_status ap__delta_pose(const ap_delta *d, const double *q, delta_pose *p, int *limb) {
  ap_status status = AP_OK;
  *limb = -1;
  p->P = vec3_of(q);
  p->det = 0;
  if (!is_finite(p->P)) return AP_E_ARG;
  for (int i = 0; i < 3; i++) {
    ap_status met = limb_pose_of(&d->limb[i], p->P, d->def.least_serial, &p->limb[i]);
    if (met == AP_OK || status == AP_E_UNREACHABLE || met == status) continue;
    status = met;
    *limb = i;
  }
  if (status == AP_OK) p->det = dot(p->limb[0].rod, cross(p->limb[1].rod, p->limb[2].rod));
  return status;
}

// ---- margins -----------------------------------------------------------------------------------

// Least singular value of the three vectors.
static double least_singular_value(const vec3 c[3]) {
  double A[9] = {c[0].x, c[1].x, c[2].x, c[0].y, c[1].y, c[2].y, c[0].z, c[1].z, c[2].z}, sigma[3];
  ap__singular_values(3, 3, A, sigma);
  return sigma[2];
}

void ap__delta_report(const ap_delta *d, const delta_pose *p, ap_status status, int limb,
                      ap_delta_margin *margin) {
  vec3 rod[3], normal[3];
  if (!margin) return;
  *margin = (ap_delta_margin){.status = status, .limb = limb};
  if (!is_finite(p->P)) return;
  for (int i = 0; i < 3; i++) {
    const delta_limb *l = &d->limb[i];
    const limb_pose *k = &p->limb[i];
    double beside = l->l2 * (1 - fabs(k->sx));
    margin->reach[i] = k->cx > 0 ? two_link_reach(k->end, l->l1, k->rho) : beside;
    margin->serial[i] = k->at.s;
  }
  if (limb >= 0) return;
  for (int i = 0; i < 3; i++) {
    rod[i] = p->limb[i].rod;
    normal[i] = to_ground(&d->limb[i], (vec3){p->limb[i].at.w.y, 0, p->limb[i].at.w.x});
  }
  margin->parallel = p->det;
  margin->sigma = least_singular_value(rod);
  margin->level = least_singular_value(normal);
}

ap_status ap_delta_margins(const ap_delta *d, const double q[3], ap_delta_margin *margin) {
  delta_pose p;
  int limb;
  ap_status status = ap__delta_pose(d, q, &p, &limb);
  if (status == AP_OK && !(fabs(p.det) > d->def.least_parallel)) status = AP_E_SINGULAR_PARALLEL;
  ap__delta_report(d, &p, status, limb, margin);
  return status;
}

ap_status ap_delta_explain(const ap_delta *d, const ap_delta_margin *margin, ap_error *error) {
  ap_status status = margin->status;
  int i = margin->limb >= 0 && margin->limb < 3 ? margin->limb : 0;
  if (error) *error = (ap_error){0};
  switch (status) {
    case AP_OK: break;
    case AP_E_UNREACHABLE:
      ap__fail(error, status, 0,
               "limb %d does not reach the platform by %.3g m: its arm has %.6g m, its rods %.6g m",
               i, -margin->reach[i], d->limb[i].l1, d->limb[i].l2);
      break;
    case AP_E_SINGULAR_SERIAL:
      ap__fail(
          error, status, 0,
          "serial singularity: limb %d is stretched or folded, %.3g m from its limit; the sine "
          "of its knee's angle must be above %g",
          i, margin->reach[i], d->def.least_serial);
      break;
    case AP_E_SINGULAR_PARALLEL:
      ap__fail(error, status, 0,
               "parallel singularity: the motors cannot hold the platform; the determinant of the "
               "rods' directions is %.3g, its size must be above %g",
               margin->parallel, d->def.least_parallel);
      break;
    case AP_E_SINGULAR:
      ap__fail(error, status, 0,
               "the inertia matrix is singular: give the limbs or the platform a mass");
      break;
    default: ap__fail(error, status, 0, "a number is not finite, or too large"); break;
  }
  return status;
}

// ---- from motors to the platform ---------------------------------------------------------------

// Directions along an arm and of its turning, and the knee less the platform's end of the rods.
typedef struct knee {
  vec3 u, du, at;
} knee;

static knee knee_of(const delta_limb *l, double theta) {
  double c = cos(theta), s = sin(theta);
  vec3 at = {l->l1 * c - l->offset, 0, -l->l1 * s};
  return (knee){to_ground(l, (vec3){c, 0, -s}), to_ground(l, (vec3){-s, 0, -c}), to_ground(l, at)};
}

// P at the distance l2 from each knee: with x = P - knee_0 and e_i = knee_i - knee_0,
//   e_i . x = (e_i . e_i + l2_0^2 - l2_i^2) / 2,  n = e_1 x e_2,  x = (what these give) + h n /
//   |n|,
// and det [w_0 w_1 w_2] = h |n| / (product of l2).
static ap_status meet(const ap_delta *d, const knee k[3], int assembly, vec3 *P) {
  double least = fmax(AP_ASSEMBLY_NEAR, d->def.least_parallel);
  double l0 = d->limb[0].l2, l1 = d->limb[1].l2, l2 = d->limb[2].l2;
  vec3 e1 = sub(k[1].at, k[0].at), e2 = sub(k[2].at, k[0].at), n = cross(e1, e2);
  double e11 = dot(e1, e1), e22 = dot(e2, e2), nn = dot(n, n);
  if (!(nn > least * least * e11 * e22)) return AP_E_SINGULAR_PARALLEL;
  double r1 = (e11 + (l0 - l1) * (l0 + l1)) / 2, r2 = (e22 + (l0 - l2) * (l0 + l2)) / 2;
  vec3 foot = scale(1 / nn, add_scaled(scale(r1, cross(e2, n)), r2, cross(n, e1)));
  double hh = l0 * l0 - dot(foot, foot);
  double square = (hh / (l0 * l0)) * (nn / (l1 * l1 * l2 * l2));
  if (!(square >= -least * least)) return AP_E_UNREACHABLE;
  if (square <= least * least) return AP_E_SINGULAR_PARALLEL;
  *P = add(k[0].at, add_scaled(foot, assembly * sqrt(hh / nn), n));
  return AP_OK;
}

// x with w[i] . x = r[i]
static vec3 solve(const vec3 w[3], const double r[3]) {
  vec3 c0 = cross(w[1], w[2]), c1 = cross(w[2], w[0]), c2 = cross(w[0], w[1]);
  vec3 sum = add_scaled(add_scaled(scale(r[0], c0), r[1], c1), r[2], c2);
  return scale(1 / dot(w[0], c0), sum);
}

ap_status ap_delta_forward_kinematics(const ap_delta *d, const double theta[3],
                                      const double *thetad, const double *thetadd, int assembly,
                                      ap_delta_end *end) {
  static const double none[3] = {0, 0, 0};
  const double *rate = thetad ? thetad : none, *rate2 = thetadd ? thetadd : none;
  knee k[3];
  vec3 w[3], P;
  double r[3];
  if (assembly != 1 && assembly != -1) return AP_E_ARG;
  if (!is_finite(vec3_of(theta)) || !is_finite(vec3_of(rate)) || !is_finite(vec3_of(rate2)))
    return AP_E_ARG;
  for (int i = 0; i < 3; i++) k[i] = knee_of(&d->limb[i], theta[i]);
  ap_status status = meet(d, k, assembly, &P);
  if (status != AP_OK) return status;
  // w . v = l1 theta' (w . u'), u' being the slope of u by theta
  for (int i = 0; i < 3; i++) {
    w[i] = scale(1 / d->limb[i].l2, sub(P, k[i].at));
    r[i] = d->limb[i].l1 * rate[i] * dot(w[i], k[i].du);
  }
  vec3 v = solve(w, r);
  // w . a = l1 theta" (w . u') - l1 theta'^2 (w . u) - |v - l1 theta' u'|^2 / l2
  for (int i = 0; i < 3; i++) {
    const delta_limb *l = &d->limb[i];
    vec3 turn = add_scaled(v, -l->l1 * rate[i], k[i].du);
    r[i] = l->l1 * (rate2[i] * dot(w[i], k[i].du) - rate[i] * rate[i] * dot(w[i], k[i].u)) -
           dot(turn, turn) / l->l2;
  }
  vec3 a = solve(w, r);
  if (!is_finite(v) || !is_finite(a)) return AP_E_ARG;
  store(end->q, P);
  store(end->v, v);
  store(end->a, a);
  for (int i = 0; i < 3; i++) {
    double s = dot(w[i], k[i].du); // cos(chi) sin(beta - theta)
    end->branch[i] = fabs(s) > d->def.least_serial ? (s > 0 ? 1 : -1) : 0;
  }
  return AP_OK;
}
