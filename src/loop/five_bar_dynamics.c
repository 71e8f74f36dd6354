// Dynamics of five-bar robots by the Gibbs-Appell equations in closed form.
//
// An arm is a serial robot with the coordinates theta and phi, both angles from x, so that its
// velocity forces are two squares. With theta' = A . v and phi' = B . v it adds
// A f_theta + B f_phi to the force on P. The torques follow without A^-1:
//
//   sum_i A_i tau_i = Q,  tau_i = f_theta,i + x_i,  sum_i A_i x_i = Q less sum A f_theta,
//   and A_i = w_i / (l1_i s_i)

#include "num/cholesky.h"
#include "loop/five_bar.h"

// Rates of an arm; dA and dB are the derivatives of A and B.
typedef struct arm_motion {
  vec2 dA, dB;
  double thetad, phid, thetadd, phidd;
} arm_motion;

static const double ZERO[2] = {0, 0};

static arm_motion arm_motion_of(const five_bar_arm *a, const arm_pose *p, vec2 v, vec2 acc) {
  arm_motion m;
  m.thetad = inner(p->A, v);
  m.phid = inner(p->B, v);
  //  A' = (phi' J w - w s' / s) / (l1 s), B' = -(theta' J u - u s' / s) / (l2 s) with
  // s' = (phi' - theta') c
  double n = 1 / p->at.s, rate = (m.phid - m.thetad) * p->at.c * n;
  m.dA = minus(times(m.phid * n / a->l1, across(p->at.w)), times(rate, p->A));
  m.dB = minus(times(-m.thetad * n / a->l2, across(p->at.u)), times(rate, p->B));
  m.thetadd = inner(p->A, acc) + inner(m.dA, v);
  m.phidd = inner(p->B, acc) + inner(m.dB, v);
  return m;
}

//  m12 = l1 u . (mass times centre of mass of the rod), and its slope by phi - theta.
static double coupling(const five_bar_arm *a, const arm_pose *p, double *slope) {
  *slope = -a->l1 * (a->second.x * p->at.s + a->second.y * p->at.c);
  return a->l1 * (a->second.x * p->at.c - a->second.y * p->at.s);
}

//  G_theta = -(first x g), G_phi = -(second x g), the moments in the plane's frame.
static void arm_gravity(const five_bar_arm *a, const arm_pose *p, vec2 g, double f[2]) {
  f[0] = -outer(out_of(p->at.u, a->first), g);
  f[1] = -outer(out_of(p->at.w, a->second), g);
}

//  f_theta = m11 theta" + m12 phi" + m12' phi'^2 + G_theta,
//               f_phi = m12 theta" + m22 phi" - m12' theta'^2 + G_phi
static void arm_forces(const five_bar_arm *a, const arm_pose *p, const arm_motion *m, vec2 g,
                       double f[2]) {
  double slope, m12 = coupling(a, p, &slope);
  arm_gravity(a, p, g, f);
  f[0] += a->m11 * m->thetadd + m12 * m->phidd + slope * m->phid * m->phid;
  f[1] += m12 * m->thetadd + a->m22 * m->phidd - slope * m->thetad * m->thetad;
}

// Force on P of everything but theta's, which are in f.
static vec2 rest_of(const ap_five_bar *f, const five_bar_pose *p, vec2 v, vec2 acc,
                    double f_theta[2]) {
  vec2 Q = times(f->def.load, minus(acc, f->g));
  for (int i = 0; i < 2; i++) {
    double both[2];
    arm_motion m = arm_motion_of(&f->arm[i], &p->arm[i], v, acc);
    arm_forces(&f->arm[i], &p->arm[i], &m, f->g, both);
    f_theta[i] = both[0];
    Q = plus(Q, times(both[1], p->arm[i].B));
  }
  return Q;
}

// What every call begins with: zeros for absent arguments, the pose, and the report.
static ap_status begin(const ap_five_bar *f, const double *q, const double **v, const double **a,
                       five_bar_pose *p, ap_five_bar_margin *margin) {
  int arm;
  if (!*v) *v = ZERO;
  if (!*a) *a = ZERO;
  ap_status status = ap__five_bar_pose(f, q, p, &arm);
  if (status == AP_OK && !(vec2_is_finite(vec2_of(*v)) && vec2_is_finite(vec2_of(*a))))
    status = AP_E_ARG;
  ap__five_bar_report(f, p, status, arm, margin);
  return status;
}

static ap_status met(ap_status status, ap_five_bar_margin *margin) {
  if (margin) margin->status = status;
  return status;
}

static ap_status give(vec2 from, double *out, ap_five_bar_margin *margin) {
  if (!vec2_is_finite(from)) return met(AP_E_ARG, margin);
  out[0] = from.x;
  out[1] = from.y;
  return AP_OK;
}

ap_status ap_five_bar_inverse_kinematics(const ap_five_bar *f, const double q[2], const double *v,
                                         const double *a, ap_five_bar_motion *motion,
                                         ap_five_bar_margin *margin) {
  five_bar_pose p;
  ap_five_bar_motion out;
  ap_status status = begin(f, q, &v, &a, &p, margin);
  if (status != AP_OK) return status;
  for (int i = 0; i < 2; i++) {
    const two_link *at = &p.arm[i].at;
    arm_motion m = arm_motion_of(&f->arm[i], &p.arm[i], vec2_of(v), vec2_of(a));
    out.theta[i] = atan2(at->u.y, at->u.x);
    out.phi[i] = atan2(at->w.y, at->w.x);
    out.thetad[i] = m.thetad;
    out.phid[i] = m.phid;
    out.thetadd[i] = m.thetadd;
    out.phidd[i] = m.phidd;
    if (!isfinite(m.thetadd) || !isfinite(m.phidd)) return met(AP_E_ARG, margin);
  }
  *motion = out;
  return AP_OK;
}

// ---- forces ------------------------------------------------------------------------------------

ap_status ap_five_bar_forces(const ap_five_bar *f, const double q[2], const double *v,
                             const double *a, double Q[2], ap_five_bar_margin *margin) {
  five_bar_pose p;
  double f_theta[2];
  ap_status status = begin(f, q, &v, &a, &p, margin);
  if (status != AP_OK) return status;
  vec2 out = rest_of(f, &p, vec2_of(v), vec2_of(a), f_theta);
  for (int i = 0; i < 2; i++) out = plus(out, times(f_theta[i], p.arm[i].A));
  return give(out, Q, margin);
}

ap_status ap_five_bar_inverse_dynamics(const ap_five_bar *f, const double q[2], const double *v,
                                       const double *a, double tau[2], ap_five_bar_margin *margin) {
  five_bar_pose p;
  double f_theta[2];
  ap_status status = begin(f, q, &v, &a, &p, margin);
  if (status != AP_OK) return status;
  if (!(fabs(p.det) > f->def.least_parallel)) return met(AP_E_SINGULAR_PARALLEL, margin);
  vec2 Q = rest_of(f, &p, vec2_of(v), vec2_of(a), f_theta);
  //  Cramer's rule for sum x_i w_i / (l1_i s_i) = Q
  const two_link *k0 = &p.arm[0].at, *k1 = &p.arm[1].at;
  vec2 out = {f_theta[0] + f->arm[0].l1 * k0->s * outer(Q, k1->w) / p.det,
              f_theta[1] + f->arm[1].l1 * k1->s * outer(k0->w, Q) / p.det};
  return give(out, tau, margin);
}

// ---- matrices ----------------------------------------------------------------------------------

// M += a b^T, row-major
static void add_product(double M[4], vec2 a, vec2 b) {
  M[0] += a.x * b.x;
  M[1] += a.x * b.y;
  M[2] += a.y * b.x;
  M[3] += a.y * b.y;
}

//  M = sum J^T m J, C = sum J^T (m J' + c J) with J = [A^T; B^T], m = [m11 m12; m12
// m22], c = [0 m12' phi'; -m12' theta' 0]; the load besides
static void matrices_of(const ap_five_bar *f, const five_bar_pose *p, vec2 v, double M[4],
                        double C[4]) {
  M[0] = M[3] = f->def.load;
  M[1] = M[2] = C[0] = C[1] = C[2] = C[3] = 0;
  for (int i = 0; i < 2; i++) {
    const five_bar_arm *a = &f->arm[i];
    vec2 A = p->arm[i].A, B = p->arm[i].B;
    arm_motion m = arm_motion_of(a, &p->arm[i], v, (vec2){0, 0});
    double slope, m12 = coupling(a, &p->arm[i], &slope);
    add_product(M, A, plus(times(a->m11, A), times(m12, B)));
    add_product(M, B, plus(times(m12, A), times(a->m22, B)));
    add_product(C, A, plus(plus(times(a->m11, m.dA), times(m12, m.dB)), times(slope * m.phid, B)));
    add_product(C, B,
                minus(plus(times(m12, m.dA), times(a->m22, m.dB)), times(slope * m.thetad, A)));
  }
  M[1] = M[2] = (M[1] + M[2]) / 2; // symmetric to the bit
}

static vec2 gravity_of(const ap_five_bar *f, const five_bar_pose *p) {
  vec2 G = times(-f->def.load, f->g);
  for (int i = 0; i < 2; i++) {
    double both[2];
    arm_gravity(&f->arm[i], &p->arm[i], f->g, both);
    G = plus(G, plus(times(both[0], p->arm[i].A), times(both[1], p->arm[i].B)));
  }
  return G;
}

static bool all_finite(const double M[4]) {
  return isfinite(M[0]) && isfinite(M[1]) && isfinite(M[2]) && isfinite(M[3]);
}

ap_status ap_five_bar_matrices(const ap_five_bar *f, const double q[2], const double *v, double *M,
                               double *C, double *G, double *J_act, ap_five_bar_margin *margin) {
  five_bar_pose p;
  const double *a = NULL;
  double M_q[4], C_q[4];
  ap_status status = begin(f, q, &v, &a, &p, margin);
  if (status != AP_OK) return status;
  matrices_of(f, &p, vec2_of(v), M_q, C_q);
  vec2 G_q = gravity_of(f, &p);
  if (!all_finite(M_q) || !all_finite(C_q) || !vec2_is_finite(G_q)) return met(AP_E_ARG, margin);
  for (int i = 0; i < 4; i++) {
    if (M) M[i] = M_q[i];
    if (C) C[i] = C_q[i];
  }
  if (G) G[0] = G_q.x, G[1] = G_q.y;
  for (int i = 0; J_act && i < 2; i++) J_act[2 * i] = p.arm[i].A.x, J_act[2 * i + 1] = p.arm[i].A.y;
  return AP_OK;
}

// ---- forward dynamics and energy ---------------------------------------------------------------

ap_status ap_five_bar_forward_dynamics(const ap_five_bar *f, const double q[2], const double *v,
                                       const double tau[2], double a[2],
                                       ap_five_bar_margin *margin) {
  five_bar_pose p;
  const double *none = NULL;
  double M[4], C[4];
  ap_status status = begin(f, q, &v, &none, &p, margin);
  if (status != AP_OK) return status;
  if (!vec2_is_finite(vec2_of(tau))) return met(AP_E_ARG, margin);
  matrices_of(f, &p, vec2_of(v), M, C);
  vec2 G = gravity_of(f, &p);
  vec2 Q = {-C[0] * v[0] - C[1] * v[1] - G.x, -C[2] * v[0] - C[3] * v[1] - G.y};
  for (int i = 0; i < 2; i++) Q = plus(Q, times(tau[i], p.arm[i].A));
  if (!all_finite(M) || !vec2_is_finite(Q)) return met(AP_E_ARG, margin);
  if (!ap__cholesky(2, M)) return met(AP_E_SINGULAR, margin);
  double out[2] = {Q.x, Q.y};
  ap__cholesky_solve(2, M, out);
  return give(vec2_of(out), a, margin);
}

ap_status ap_five_bar_energy(const ap_five_bar *f, const double q[2], const double *v,
                             double *kinetic, double *potential, ap_five_bar_margin *margin) {
  five_bar_pose p;
  const double *a = NULL;
  ap_status status = begin(f, q, &v, &a, &p, margin);
  if (status != AP_OK) return status;
  vec2 rate = vec2_of(v);
  double twice = f->def.load * inner(rate, rate), V = -f->def.load * inner(f->g, p.P);
  for (int i = 0; i < 2; i++) {
    const five_bar_arm *k = &f->arm[i];
    const two_link *at = &p.arm[i].at;
    double slope, m12 = coupling(k, &p.arm[i], &slope);
    double thetad = inner(p.arm[i].A, rate), phid = inner(p.arm[i].B, rate);
    twice += k->m11 * thetad * thetad + 2 * m12 * thetad * phid + k->m22 * phid * phid;
    vec2 moment = plus(out_of(at->u, k->first), out_of(at->w, k->second));
    V -= inner(f->g, plus(times(k->mass, k->motor), moment));
  }
  if (!isfinite(twice) || !isfinite(V)) return met(AP_E_ARG, margin);
  if (kinetic) *kinetic = twice / 2;
  if (potential) *potential = V;
  return AP_OK;
}
