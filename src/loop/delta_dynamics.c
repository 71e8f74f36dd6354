// Dynamics of Delta robots by the Gibbs-Appell equations in closed form.
//
// A limb is a serial robot with the coordinates theta, beta and chi; the two rods of a pair turn
// alike and their centres of mass move alike, so they are one body with the sums of their masses
// and inertias. With theta' = row_0 . v, beta' = row_1 . v, chi' = row_2 . v a limb adds
// sum_r row_r f_r to the force on the platform. The torques follow as tau_i = f_0,i + x_i with
// sum_i row_0,i x_i = what is left of that force without the f_0.

#include "num/cholesky.h"
#include "loop/delta.h"

// Rates of a limb; drow are the derivatives of the rows.
typedef struct limb_motion {
  vec3 drow[3];
  double yd[3], ydd[3]; // of theta, beta, chi
} limb_motion;

// Inertia and Coriolis matrix of a limb in theta, beta, chi.
typedef struct limb_matrices {
  double m[3][3], c[3][3];
} limb_matrices;

static const double ZERO[3] = {0, 0, 0};

// The slopes in time of the rows of limb_pose_of(), with s' = c psi', c' = -s psi', psi = beta -
// theta, tan(chi)' = chi' (1 + tan(chi)^2) and rho' = -rho tan(chi) chi'.
static limb_motion limb_motion_of(const delta_limb *l, const limb_pose *p, vec3 v, vec3 acc) {
  limb_motion m;
  for (int r = 0; r < 3; r++) m.yd[r] = dot(p->row[r], v);
  const double thetad = m.yd[0], betad = m.yd[1], chid = m.yd[2], psid = betad - thetad;
  const double s = p->at.s, c = p->at.c, tx = p->tx, shrink = tx * chid;
  const vec2 u = p->at.u, w = p->at.w;
  const double dtx = chid * (1 + tx * tx), turn = psid * c * p->is;
  const double k0 = l->i1 * p->is, k1 = -p->ir * p->is;
  vec3 d0 = scale(k0, (vec3){-w.y * betad, dtx, -w.x * betad});
  vec3 d1 = scale(k1, (vec3){-u.y * thetad, c * dtx - s * psid * tx, -u.x * thetad});
  m.drow[0] = add_scaled(to_ground(l, d0), -turn, p->row[0]);
  m.drow[1] = add_scaled(to_ground(l, d1), shrink - turn, p->row[1]);
  m.drow[2] = scale(shrink, p->row[2]);
  for (int r = 0; r < 3; r++) m.ydd[r] = dot(p->row[r], acc) + dot(m.drow[r], v);
  return m;
}

// Mass times centre of mass of the rods in the frame that beta turns: Rz(chi) second.
static vec3 rods_moment(const delta_limb *l, const limb_pose *p) {
  vec3 b = l->second;
  return (vec3){p->cx * b.x - p->sx * b.y, p->sx * b.x + p->cx * b.y, b.z};
}

// With (X, Y, Z) = rods_moment, psi = beta - theta and the inertia I about the knee,
//   m_01 = l1 (X cos psi + Z sin psi),  m_02 = -l1 Y sin psi,
//   m_11 = I_xx sin^2 chi + 2 I_xy sin chi cos chi + I_yy cos^2 chi,
//   m_12 = I_xz sin chi + I_yz cos chi,  m_22 = I_zz;
// of Christoffel's symbols these are left: G_0,11 = -G_1,00 = d m_01/d psi, G_0,12 = -G_2,00 =
// d m_01/d chi, G_0,22 = d m_02/d chi, G_1,12 = -G_2,11 = 1/2 d m_11/d chi, G_1,22 = d m_12/d chi.
static limb_matrices limb_matrices_of(const delta_limb *l, const limb_pose *p,
                                      const limb_motion *m) {
  const vec3 k = rods_moment(l, p);
  const sym3 *I = &l->I;
  const double s = p->at.s, c = p->at.c, sx = p->sx, cx = p->cx, l1 = l->l1;
  const double m01 = l1 * (k.x * c + k.z * s), m02 = -l1 * k.y * s, m12 = I->xz * sx + I->yz * cx;
  const double by_psi = l1 * (k.z * c - k.x * s), by_chi = -l1 * k.y * c, twist = -l1 * k.x * s;
  const double roll = (I->xx - I->yy) * sx * cx + I->xy * (cx * cx - sx * sx);
  const double bend = I->xz * cx - I->yz * sx;
  const double thetad = m->yd[0], betad = m->yd[1], chid = m->yd[2];
  return (limb_matrices){
      .m = {{l->m11, m01, m02},
            {m01, I->xx * sx * sx + 2 * I->xy * sx * cx + I->yy * cx * cx, m12},
            {m02, m12, I->zz}},
      .c = {{0, by_psi * betad + by_chi * chid, by_chi * betad + twist * chid},
            {-by_psi * thetad, roll * chid, roll * betad + bend * chid},
            {-by_chi * thetad, -roll * betad, 0}},
  };
}

// Components of a vector of the limb's frame in the frame turned about y to the direction `along`.
static vec3 turned(vec2 along, vec3 a) {
  return (vec3){along.x * a.x - along.y * a.z, a.y, along.y * a.x + along.x * a.z};
}

// Forces of gravity on theta, beta, chi.
static void limb_gravity(const delta_limb *l, const limb_pose *p, double f[3]) {
  vec3 g0 = turned(p->at.u, l->g), g1 = turned(p->at.w, l->g), k = rods_moment(l, p);
  f[0] = l->first.x * g0.z - l->first.z * g0.x;
  f[1] = k.x * g1.z - k.z * g1.x;
  f[2] = k.y * g1.x - k.x * g1.y;
}

// f = m y" + c y' + gravity
static void limb_forces(const delta_limb *l, const limb_pose *p, const limb_motion *m,
                        double f[3]) {
  limb_matrices k = limb_matrices_of(l, p, m);
  limb_gravity(l, p, f);
  for (int r = 0; r < 3; r++)
    for (int j = 0; j < 3; j++) f[r] += k.m[r][j] * m->ydd[j] + k.c[r][j] * m->yd[j];
}

// Force on the platform of everything but theta's, which are in f_theta.
static vec3 rest_of(const ap_delta *d, const delta_pose *p, vec3 v, vec3 acc, double f_theta[3]) {
  vec3 Q = scale(d->def.platform, sub(acc, d->g));
  for (int i = 0; i < 3; i++) {
    double f[3];
    limb_motion m = limb_motion_of(&d->limb[i], &p->limb[i], v, acc);
    limb_forces(&d->limb[i], &p->limb[i], &m, f);
    f_theta[i] = f[0];
    Q = add_scaled(add_scaled(Q, f[1], p->limb[i].row[1]), f[2], p->limb[i].row[2]);
  }
  return Q;
}

// What every call begins with: zeros for absent arguments, the pose, and the report.
static ap_status begin(const ap_delta *d, const double *q, const double **v, const double **a,
                       delta_pose *p, ap_delta_margin *margin) {
  int limb;
  if (!*v) *v = ZERO;
  if (!*a) *a = ZERO;
  ap_status status = ap__delta_pose(d, q, p, &limb);
  if (status == AP_OK && !(is_finite(vec3_of(*v)) && is_finite(vec3_of(*a)))) status = AP_E_ARG;
  ap__delta_report(d, p, status, limb, margin);
  return status;
}

static ap_status met(ap_status status, ap_delta_margin *margin) {
  if (margin) margin->status = status;
  return status;
}

static ap_status give(vec3 from, double *out, ap_delta_margin *margin) {
  if (!is_finite(from)) return met(AP_E_ARG, margin);
  store(out, from);
  return AP_OK;
}

ap_status ap_delta_inverse_kinematics(const ap_delta *d, const double q[3], const double *v,
                                      const double *a, ap_delta_motion *motion,
                                      ap_delta_margin *margin) {
  delta_pose p;
  ap_delta_motion out;
  ap_status status = begin(d, q, &v, &a, &p, margin);
  if (status != AP_OK) return status;
  for (int i = 0; i < 3; i++) {
    const limb_pose *k = &p.limb[i];
    limb_motion m = limb_motion_of(&d->limb[i], k, vec3_of(v), vec3_of(a));
    out.theta[i] = atan2(k->at.u.y, k->at.u.x);
    out.beta[i] = atan2(k->at.w.y, k->at.w.x);
    out.chi[i] = atan2(k->sx, k->cx);
    out.thetad[i] = m.yd[0], out.betad[i] = m.yd[1], out.chid[i] = m.yd[2];
    out.thetadd[i] = m.ydd[0], out.betadd[i] = m.ydd[1], out.chidd[i] = m.ydd[2];
    if (!is_finite(vec3_of(m.ydd))) return met(AP_E_ARG, margin);
  }
  *motion = out;
  return AP_OK;
}

// ---- forces ------------------------------------------------------------------------------------

ap_status ap_delta_forces(const ap_delta *d, const double q[3], const double *v, const double *a,
                          double Q[3], ap_delta_margin *margin) {
  delta_pose p;
  double f_theta[3];
  ap_status status = begin(d, q, &v, &a, &p, margin);
  if (status != AP_OK) return status;
  vec3 out = rest_of(d, &p, vec3_of(v), vec3_of(a), f_theta);
  for (int i = 0; i < 3; i++) out = add_scaled(out, f_theta[i], p.limb[i].row[0]);
  return give(out, Q, margin);
}

ap_status ap_delta_inverse_dynamics(const ap_delta *d, const double q[3], const double *v,
                                    const double *a, double tau[3], ap_delta_margin *margin) {
  delta_pose p;
  double f_theta[3], out[3];
  ap_status status = begin(d, q, &v, &a, &p, margin);
  if (status != AP_OK) return status;
  if (!(fabs(p.det) > d->def.least_parallel)) return met(AP_E_SINGULAR_PARALLEL, margin);
  vec3 Q = rest_of(d, &p, vec3_of(v), vec3_of(a), f_theta);
  // Cramer's rule for sum x_i w_i / (l1_i cos(chi_i) s_i) = Q
  const double n = 1 / p.det;
  for (int i = 0; i < 3; i++) {
    const limb_pose *k = &p.limb[i];
    vec3 others = cross(p.limb[(i + 1) % 3].rod, p.limb[(i + 2) % 3].rod);
    out[i] = f_theta[i] + d->limb[i].l1 * k->cx * k->at.s * dot(others, Q) * n;
  }
  return give(vec3_of(out), tau, margin);
}

// ---- matrices ----------------------------------------------------------------------------------

// M = sum J^T m J, C = sum J^T (m J' + c J), J the three rows of a limb; the platform besides.
static void matrices_of(const ap_delta *d, const delta_pose *p, vec3 v, mat3 *M, mat3 *C) {
  const double mass = d->def.platform;
  *M = (mat3){{mass, 0, 0}, {0, mass, 0}, {0, 0, mass}};
  *C = (mat3){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < 3; i++) {
    const vec3 *row = p->limb[i].row;
    limb_motion m = limb_motion_of(&d->limb[i], &p->limb[i], v, (vec3){0, 0, 0});
    limb_matrices k = limb_matrices_of(&d->limb[i], &p->limb[i], &m);
    for (int r = 0; r < 3; r++) {
      vec3 inertia = {0, 0, 0}, velocity = {0, 0, 0};
      for (int j = 0; j < 3; j++) {
        inertia = add_scaled(inertia, k.m[r][j], row[j]);
        velocity = add_scaled(add_scaled(velocity, k.m[r][j], m.drow[j]), k.c[r][j], row[j]);
      }
      add_outer(M, row[r], inertia);
      add_outer(C, row[r], velocity);
    }
  }
}

static vec3 gravity_of(const ap_delta *d, const delta_pose *p) {
  vec3 G = scale(-d->def.platform, d->g);
  for (int i = 0; i < 3; i++) {
    double f[3];
    limb_gravity(&d->limb[i], &p->limb[i], f);
    for (int r = 0; r < 3; r++) G = add_scaled(G, f[r], p->limb[i].row[r]);
  }
  return G;
}

static bool all_finite(mat3 A) { return is_finite(A.x) && is_finite(A.y) && is_finite(A.z); }

// Row-major, the mean of A and its transpose: symmetric to the bit.
static void store_symmetric(double *out, mat3 A) {
  double xy = (A.x.y + A.y.x) / 2, xz = (A.x.z + A.z.x) / 2, yz = (A.y.z + A.z.y) / 2;
  store_mat3(out, (mat3){{A.x.x, xy, xz}, {xy, A.y.y, yz}, {xz, yz, A.z.z}});
}

ap_status ap_delta_matrices(const ap_delta *d, const double q[3], const double *v, double *M,
                            double *C, double *G, double *J_act, ap_delta_margin *margin) {
  delta_pose p;
  const double *a = NULL;
  mat3 M_q, C_q;
  ap_status status = begin(d, q, &v, &a, &p, margin);
  if (status != AP_OK) return status;
  matrices_of(d, &p, vec3_of(v), &M_q, &C_q);
  vec3 G_q = gravity_of(d, &p);
  if (!all_finite(M_q) || !all_finite(C_q) || !is_finite(G_q)) return met(AP_E_ARG, margin);
  if (M) store_symmetric(M, M_q);
  if (C) store_mat3(C, C_q);
  if (G) store(G, G_q);
  for (int i = 0; J_act && i < 3; i++) store(&J_act[3 * i], p.limb[i].row[0]);
  return AP_OK;
}

// ---- forward dynamics and energy ---------------------------------------------------------------

ap_status ap_delta_forward_dynamics(const ap_delta *d, const double q[3], const double *v,
                                    const double tau[3], double a[3], ap_delta_margin *margin) {
  delta_pose p;
  const double *none = NULL;
  mat3 M_q, C_q;
  double M[9], out[3];
  ap_status status = begin(d, q, &v, &none, &p, margin);
  if (status != AP_OK) return status;
  if (!is_finite(vec3_of(tau))) return met(AP_E_ARG, margin);
  matrices_of(d, &p, vec3_of(v), &M_q, &C_q);
  vec3 Q = scale(-1, add(apply(C_q, vec3_of(v)), gravity_of(d, &p)));
  for (int i = 0; i < 3; i++) Q = add_scaled(Q, tau[i], p.limb[i].row[0]);
  if (!all_finite(M_q) || !is_finite(Q)) return met(AP_E_ARG, margin);
  store_symmetric(M, M_q);
  if (!ap__cholesky(3, M)) return met(AP_E_SINGULAR, margin);
  store(out, Q);
  ap__cholesky_solve(3, M, out);
  return give(vec3_of(out), a, margin);
}

ap_status ap_delta_energy(const ap_delta *d, const double q[3], const double *v, double *kinetic,
                          double *potential, ap_delta_margin *margin) {
  delta_pose p;
  const double *a = NULL;
  ap_status status = begin(d, q, &v, &a, &p, margin);
  if (status != AP_OK) return status;
  vec3 rate = vec3_of(v);
  double twice = d->def.platform * dot(rate, rate), V = -d->def.platform * dot(d->g, p.P);
  for (int i = 0; i < 3; i++) {
    const delta_limb *l = &d->limb[i];
    const limb_pose *k = &p.limb[i];
    limb_motion m = limb_motion_of(l, k, rate, (vec3){0, 0, 0});
    limb_matrices of = limb_matrices_of(l, k, &m);
    for (int r = 0; r < 3; r++) twice += m.yd[r] * dot(vec3_of(of.m[r]), vec3_of(m.yd));
    V -= l->mass * l->base * l->g.x + dot(l->first, turned(k->at.u, l->g)) +
         dot(rods_moment(l, k), turned(k->at.w, l->g));
  }
  if (!isfinite(twice) || !isfinite(V)) return met(AP_E_ARG, margin);
  if (kinetic) *kinetic = twice / 2;
  if (potential) *potential = V;
  return AP_OK;
}
