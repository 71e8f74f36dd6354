// Where the arms of a five-bar robot are, its margins, and where its motors lead.

#include "base/error.h"
#include "loop/closed_form.h"
#include "loop/five_bar.h"

ap_status ap__five_bar_pose(const ap_five_bar *f, const double *q, five_bar_pose *p, int *arm) {
  ap_status status = AP_OK;
  *arm = -1;
  p->P = vec2_of(q);
  p->det = p->arm[0].at.s = p->arm[1].at.s = 0;
  if (!vec2_is_finite(p->P)) return AP_E_ARG;
  for (int i = 0; i < 2; i++) {
    const five_bar_arm *a = &f->arm[i];
    arm_pose *k = &p->arm[i];
    ap_status met =
        two_link_solve(minus(p->P, a->motor), a->l1, a->l2, a->sign, f->def.least_serial, &k->at);
    if (met != AP_OK && status != AP_E_UNREACHABLE && (status == AP_OK || met != status)) {
      status = met;
      *arm = i;
    }
    if (met != AP_OK) continue;
    //  theta' = w . v / (l1 s), phi' = -u . v / (l2 s)
    k->A = times(1 / (a->l1 * k->at.s), k->at.w);
    k->B = times(-1 / (a->l2 * k->at.s), k->at.u);
  }
  if (status == AP_OK) p->det = outer(p->arm[0].at.w, p->arm[1].at.w);
  return status;
}

void ap__five_bar_report(const ap_five_bar *f, const five_bar_pose *p, ap_status status, int arm,
                         ap_five_bar_margin *margin) {
  if (!margin) return;
  *margin = (ap_five_bar_margin){.status = status, .arm = arm};
  if (!vec2_is_finite(p->P)) return;
  for (int i = 0; i < 2; i++) {
    const five_bar_arm *a = &f->arm[i];
    margin->reach[i] = two_link_reach(minus(p->P, a->motor), a->l1, a->l2);
    margin->serial[i] = p->arm[i].at.s;
  }
  if (arm >= 0) return;
  // Two unit vectors with the cosine c have the singular values sqrt(1 +- |c|).
  double c = inner(p->arm[0].at.w, p->arm[1].at.w);
  margin->parallel = p->det;
  margin->sigma = fabs(p->det) / sqrt(1 + fabs(c));
}

ap_status ap_five_bar_margins(const ap_five_bar *f, const double q[2], ap_five_bar_margin *margin) {
  five_bar_pose p = {0};
  int arm;
  ap_status status = ap__five_bar_pose(f, q, &p, &arm);
  if (status == AP_OK && !(fabs(p.det) > f->def.least_parallel)) status = AP_E_SINGULAR_PARALLEL;
  ap__five_bar_report(f, &p, status, arm, margin);
  return status;
}

ap_status ap_five_bar_explain(const ap_five_bar *f, const ap_five_bar_margin *margin,
                              ap_error *error) {
  ap_status status = margin->status;
  int i = margin->arm == 1;
  const five_bar_arm *a = &f->arm[i];
  if (error) *error = (ap_error){0};
  switch (status) {
    case AP_OK: break;
    case AP_E_UNREACHABLE:
      ap__fail(error, status, 0,
               "arm %d does not reach the end by %.3g m: it reaches from %.6g to %.6g m from its "
               "motor",
               i, -margin->reach[i], fabs(a->l1 - a->l2), a->l1 + a->l2);
      break;
    case AP_E_SINGULAR_SERIAL:
      ap__fail(error, status, 0,
               "serial singularity: arm %d is stretched or folded, %.3g m from its limit; the sine "
               "of its elbow's angle must be above %g",
               i, margin->reach[i], f->def.least_serial);
      break;
    case AP_E_SINGULAR_PARALLEL:
      ap__fail(
          error, status, 0,
          "parallel singularity: the motors cannot hold the end; the sine of the angle between "
          "the rods is %.3g, its size must be above %g",
          margin->parallel, f->def.least_parallel);
      break;
    case AP_E_SINGULAR:
      ap__fail(error, status, 0,
               "the inertia matrix is singular: give the links or the load a mass");
      break;
    default: ap__fail(error, status, 0, "a number is not finite, or too large"); break;
  }
  return status;
}

// ---- from motors to the end --------------------------------------------------------------------

// x with w[i] . x = r[i]
static vec2 solve(const vec2 w[2], const double r[2], double det) {
  return (vec2){(r[0] * w[1].y - r[1] * w[0].y) / det, (r[1] * w[0].x - r[0] * w[1].x) / det};
}

ap_status ap_five_bar_forward_kinematics(const ap_five_bar *f, const double theta[2],
                                         const double *thetad, const double *thetadd, int assembly,
                                         ap_five_bar_end *end) {
  const five_bar_arm *a = f->arm;
  two_link rods;
  vec2 u[2], w[2], v, acc;
  double r[2], rate[2] = {0, 0}, rate2[2] = {0, 0};
  if (assembly != 1 && assembly != -1) return AP_E_ARG;
  for (int i = 0; i < 2; i++) {
    if (thetad) rate[i] = thetad[i];
    if (thetadd) rate2[i] = thetadd[i];
    if (!isfinite(theta[i]) || !isfinite(rate[i]) || !isfinite(rate2[i])) return AP_E_ARG;
    u[i] = (vec2){cos(theta[i]), sin(theta[i])};
  }
  //  From elbow to elbow, l2_0 w_0 + l2_1 (-w_1): two links again.
  vec2 elbow = plus(a[0].motor, times(a[0].l1, u[0]));
  vec2 apart = minus(plus(a[1].motor, times(a[1].l1, u[1])), elbow);
  double least = fmax(AP_ASSEMBLY_NEAR, f->def.least_parallel);
  ap_status status = two_link_solve(apart, a[0].l2, a[1].l2, -assembly, least, &rods);
  if (status == AP_E_SINGULAR_SERIAL) return AP_E_SINGULAR_PARALLEL;
  if (status != AP_OK) return status;
  w[0] = rods.u, w[1] = times(-1, rods.w);
  double det = -rods.s;
  //  w . v = l1 theta' (u x w)
  for (int i = 0; i < 2; i++) r[i] = a[i].l1 * rate[i] * outer(u[i], w[i]);
  v = solve(w, r, det);
  //  w . a = l1 theta" (u x w) - l1 theta'^2 (u . w) - |v - l1 theta' J u|^2 / l2
  for (int i = 0; i < 2; i++) {
    vec2 turn = minus(v, times(a[i].l1 * rate[i], across(u[i])));
    r[i] = a[i].l1 * (rate2[i] * outer(u[i], w[i]) - rate[i] * rate[i] * inner(u[i], w[i])) -
           inner(turn, turn) / a[i].l2;
  }
  acc = solve(w, r, det);
  if (!vec2_is_finite(v) || !vec2_is_finite(acc)) return AP_E_ARG;
  vec2 P = plus(elbow, times(a[0].l2, w[0]));
  *end = (ap_five_bar_end){.q = {P.x, P.y}, .v = {v.x, v.y}, .a = {acc.x, acc.y}};
  for (int i = 0; i < 2; i++) {
    double s = outer(u[i], w[i]);
    end->branch[i] = fabs(s) > f->def.least_serial ? (s > 0 ? -1 : 1) : 0;
  }
  return AP_OK;
}
