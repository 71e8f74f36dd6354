// How far a pose is from singular ones, in numbers and in words.

#include "base/error.h"
#include "loop/wrist.h"

static const double PI = 3.14159265358979323846;
static const double DEGREE = 57.295779513082321; // per rad

// Least singular value of three unit columns, by one-sided Jacobi rotations: they end with columns
// perpendicular to each other, whose lengths are the singular values to the last digits.
static double least_singular_value(vec3 c[3]) {
  for (int sweep = 0; sweep < 20; sweep++) {
    bool turned = false;
    for (int k = 0; k < 3; k++) {
      vec3 *a = &c[k == 2], *b = &c[k == 0 ? 1 : 2];
      double aa = dot(*a, *a), bb = dot(*b, *b), ab = dot(*a, *b);
      if (fabs(ab) <= 1e-16 * sqrt(aa * bb) || ab == 0) continue;
      double zeta = (bb - aa) / (2 * ab);
      double t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
      double cs = 1 / sqrt(1 + t * t);
      vec3 old = *a;
      *a = scale(cs, add_scaled(old, -t, *b));
      *b = scale(cs, add_scaled(*b, t, old));
      turned = true;
    }
    if (!turned) break;
  }
  return sqrt(fmin(dot(c[0], c[0]), fmin(dot(c[1], c[1]), dot(c[2], c[2]))));
}

ap_status ap__wrist_status(ap_wrist_trouble trouble) {
  switch (trouble) {
    case AP_WRIST_NONE: return AP_OK;
    case AP_WRIST_REACH: return AP_E_UNREACHABLE;
    case AP_WRIST_SERIAL:
    case AP_WRIST_ANGLES: return AP_E_SINGULAR_SERIAL;
    case AP_WRIST_PARALLEL: return AP_E_SINGULAR_PARALLEL;
    case AP_WRIST_INERTIA: return AP_E_SINGULAR;
  }
  return AP_E_ARG;
}

// The angles between u and v at which a limb is folded and stretched.
static void range_of(const ap_wrist_limb *d, double *low, double *high) {
  double sum = d->alpha1 + d->alpha2;
  *low = fabs(d->alpha1 - d->alpha2);
  *high = fmin(sum, 2 * PI - sum);
}

static void limb_margin(const ap_wrist *w, int i, const limb_pose *p, ap_wrist_margin *margin) {
  double low, high;
  range_of(&w->def.limb[i], &low, &high);
  margin->angle[i] = atan2(hypot(p->v.x, p->v.y), p->v.z);
  margin->serial[i] = fmin(margin->angle[i] - low, high - margin->angle[i]);
}

void ap__wrist_report(const ap_wrist *w, const wrist_pose *p, ap_status status,
                      ap_wrist_trouble trouble, int limb, ap_wrist_margin *margin) {
  vec3 unit[3];
  if (!margin) return;
  *margin = (ap_wrist_margin){.trouble = trouble, .limb = limb};
  if (status == AP_E_ARG) return;
  margin->cos_q1 = p->c1;
  for (int i = 0; i < 3; i++) {
    limb_margin(w, i, &p->limb[i], margin);
    margin->h[i] = p->limb[i].h;
    unit[i] = scale(p->limb[i].h / w->limb[i].s2, p->limb[i].P1);
  }
  if (status != AP_OK) return;
  margin->det = p->det;
  margin->parallel = p->det / w->unit;
  margin->sigma = least_singular_value(unit);
}

ap_status ap_wrist_margins(const ap_wrist *w, const double q[3], ap_wrist_margin *margin) {
  wrist_pose p;
  ap_wrist_trouble trouble;
  int limb;
  ap_status status = ap__wrist_pose(w, q, &p, &trouble, &limb);
  if (status == AP_OK && !ap__wrist_holds(w, &p)) trouble = AP_WRIST_PARALLEL;
  ap__wrist_report(w, &p, status, trouble, limb, margin);
  return trouble == AP_WRIST_PARALLEL ? ap__wrist_status(trouble) : status;
}

ap_status ap_wrist_explain(const ap_wrist *w, const ap_wrist_margin *margin, ap_error *error) {
  ap_wrist_trouble trouble = margin->trouble;
  ap_status status = ap__wrist_status(trouble);
  int i = margin->limb >= 0 && margin->limb < 3 ? margin->limb : 0;
  double low, high;
  range_of(&w->def.limb[i], &low, &high);
  if (error) *error = (ap_error){0};
  switch (trouble) {
    case AP_WRIST_NONE: break;
    case AP_WRIST_REACH:
      ap__fail(error, status, 0,
               "limb %d does not reach the pose by %.3g deg: its end axes are %.6g deg apart, its "
               "links reach from %.6g to %.6g deg",
               i, -margin->serial[i] * DEGREE, margin->angle[i] * DEGREE, low * DEGREE,
               high * DEGREE);
      break;
    case AP_WRIST_SERIAL:
      ap__fail(error, status, 0,
               "serial singularity: limb %d is %s, %.3g deg from its limit of %.6g deg between its "
               "end axes; h must be above %g",
               i, margin->angle[i] - low < high - margin->angle[i] ? "folded" : "stretched",
               margin->serial[i] * DEGREE,
               (margin->angle[i] - low < high - margin->angle[i] ? low : high) * DEGREE,
               w->def.least_h);
      break;
    case AP_WRIST_PARALLEL:
      ap__fail(error, status, 0,
               "parallel singularity: the motors cannot hold the platform; the determinant of the "
               "limbs' unit vectors is %.3g, its size must be above %g",
               margin->parallel, w->def.least_det);
      break;
    case AP_WRIST_ANGLES:
      ap__fail(error, status, 0,
               "the Euler angles are singular: cos q1 is %.3g, its size must be above 1e-9",
               margin->cos_q1);
      break;
    case AP_WRIST_INERTIA:
      ap__fail(error, status, 0,
               "the inertia matrix is singular: give the platform or the links a mass");
      break;
    default: return AP_E_ARG;
  }
  return status;
}
