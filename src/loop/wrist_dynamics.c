// Dynamics of spherical parallel robots by the Gibbs-Appell equations in closed form.
//
// Everything is first written for the platform's angular velocity Omega: with P1 = p1 / h and
// P2 = p2 / h, theta' = P1 . Omega and psi' = P2 . Omega [Abedloo 40], so that a limb, which is a
// serial robot with the two coordinates theta and psi, adds P1 f_theta + P2 f_psi to the couple on
// the platform. Q = E^T times that couple. The torques follow without E and exist therefore also
// where the Euler angles are singular:
//
//   sum_i P1_i tau_i = couple,  tau_i = f_theta,i + x_i,  sum_i P1_i x_i = couple less sum P1
//   f_theta

#include "loop/wrist.h"
#include "num/cholesky.h"

// Rates of a limb. dp1h and dp2h are the derivatives of p1 / h and p2 / h in the limb's frame.
typedef struct limb_motion {
  double thetad, psid, thetadd, psidd;
  vec3 dp1h, dp2h;
} limb_motion;

// Motion of the platform, world components.
typedef struct platform_motion {
  mat3 dE;
  vec3 Omega, dOmega;
} platform_motion;

static const double ZERO[3] = {0, 0, 0};

// [Abedloo 26]  Omega = E q', Omega' = E q" + E' q'
static platform_motion platform_motion_of(const wrist_pose *p, const double *v, const double *a) {
  platform_motion m;
  double d0 = v[0], d1 = v[1];
  m.dE.x = (vec3){0, 0, 0};
  m.dE.y = (vec3){-p->c0 * d0, -p->s0 * d0, 0};
  m.dE.z = (vec3){-p->s0 * p->c1 * d0 - p->c0 * p->s1 * d1, p->c0 * p->c1 * d0 - p->s0 * p->s1 * d1,
                  -p->c1 * d1};
  m.Omega = apply(p->E, vec3_of(v));
  m.dOmega = add(apply(p->E, vec3_of(a)), apply(m.dE, vec3_of(v)));
  return m;
}

static limb_motion limb_motion_of(const wrist_limb *l, const limb_pose *p,
                                  const platform_motion *m) {
  limb_motion r;
  vec3 W = apply_transposed(l->B, m->Omega), dW = apply_transposed(l->B, m->dOmega);
  double n = 1 / p->h;
  // [Abedloo 38, 40]  theta' = p1 . Omega / h, psi' = p2 . Omega / h
  r.thetad = dot(p->p1, W) * n;
  r.psid = dot(p->p2, W) * n;
  // p1' = v' x w + v x w' and p2' = u x v' with v' = Omega x v, w' = theta' u x w, and h' = p1' . u
  vec3 dv = cross(W, p->v);
  vec3 dw = {-r.thetad * p->w.y, r.thetad * p->w.x, 0};
  vec3 dp1 = add(cross(dv, p->w), cross(p->v, dw));
  vec3 dp2 = {-dv.y, dv.x, 0};
  double dh = dp1.z;
  // [Abedloo 41]  theta" = p1 . Omega' / h + ((h p1' - h' p1) / h^2) . Omega, psi" likewise
  r.dp1h = scale(n, add_scaled(dp1, -dh * n, p->p1));
  r.dp2h = scale(n, add_scaled(dp2, -dh * n, p->p2));
  r.thetadd = dot(p->p1, dW) * n + dot(r.dp1h, W);
  r.psidd = dot(p->p2, dW) * n + dot(r.dp2h, W);
  return r;
}

// [Abedloo 44]  u in the frame of the second link: i2R_i1 z
static vec3 u_in_second(const wrist_limb *l, const limb_pose *p) {
  return (vec3){l->s1 * p->sin_psi, l->s1 * p->cos_psi, l->c1};
}

// Gravity in the frames of the links; [Abedloo 27] R_i1 = B Rz(theta), R_i2 = R_i1 Rx(a1) Rz(psi).
static void gravity_of(const wrist_limb *l, const limb_pose *p, vec3 *first, vec3 *second) {
  vec3 g = l->g;
  vec3 a = {p->cos_theta * g.x + p->sin_theta * g.y, p->cos_theta * g.y - p->sin_theta * g.x, g.z};
  vec3 b = {a.x, l->c1 * a.y + l->s1 * a.z, l->c1 * a.z - l->s1 * a.y};
  *first = a;
  *second = (vec3){p->cos_psi * b.x + p->sin_psi * b.y, p->cos_psi * b.y - p->sin_psi * b.x, b.z};
}

// What a limb asks of theta and psi: [Abedloo 21] with the Jacobians of [Abedloo 46], by theta and
// psi instead of q.
static void limb_forces(const wrist_limb *l, const limb_pose *p, const limb_motion *m,
                        double *f_theta, double *f_psi) {
  const vec3 z = {0, 0, 1};
  vec3 e = u_in_second(l, p), g1, g2;
  gravity_of(l, p, &g1, &g2);
  // [Abedloo 42, 44]  w_i1 = theta' z, w_i2 = theta' e + psi' z
  vec3 w2 = add_scaled(scale(m->thetad, e), m->psid, z);
  // [Abedloo 43, 45]  alpha_i1 = theta" z, alpha_i2 = theta" e + psi" z + psi' theta' e x z
  vec3 a2 = add_scaled(add_scaled(scale(m->thetadd, e), m->psidd, z), m->psid * m->thetad,
                       (vec3){e.y, -e.x, 0});
  // I alpha + w x I w - m rho x g
  vec3 t2 = add(stretch(&l->second.I, a2), cross(w2, stretch(&l->second.I, w2)));
  t2 = sub(t2, cross(l->second.moment, g2));
  double t1 = l->first.I.zz * m->thetadd - cross(l->first.moment, g1).z;
  *f_theta = t1 + dot(e, t2);
  *f_psi = t2.z;
}

// The same for the platform, in the world: I alpha + w x I w - m rho x g.
static vec3 platform_couple(const ap_wrist *w, const wrist_pose *p, const platform_motion *m) {
  // [Abedloo 44, 45]  w_ee = R^T Omega, alpha_ee = R^T Omega'
  vec3 turn = apply_transposed(p->R, m->Omega), dturn = apply_transposed(p->R, m->dOmega);
  const wrist_body *b = &w->platform;
  vec3 t = add(stretch(&b->I, dturn), cross(turn, stretch(&b->I, turn)));
  return apply(p->R, sub(t, cross(b->moment, apply_transposed(p->R, w->g))));
}

// Couple of everything but theta's forces, which are in f.
static vec3 couple_of(const ap_wrist *w, const wrist_pose *p, const platform_motion *m,
                      double f[3]) {
  vec3 t = platform_couple(w, p, m);
  for (int i = 0; i < 3; i++) {
    double f_psi;
    limb_motion r = limb_motion_of(&w->limb[i], &p->limb[i], m);
    limb_forces(&w->limb[i], &p->limb[i], &r, &f[i], &f_psi);
    t = add_scaled(t, f_psi, p->limb[i].P2);
  }
  return t;
}

// What every call begins with: zeros for absent arguments, the pose, and the report on failure.
static ap_status begin(const ap_wrist *w, const double *q, const double **v, const double **a,
                       wrist_pose *p, ap_wrist_margin *margin) {
  ap_wrist_trouble trouble;
  int limb;
  if (!*v) *v = ZERO;
  if (!*a) *a = ZERO;
  ap_status status = ap__wrist_pose(w, q, p, &trouble, &limb);
  ap__wrist_report(w, p, status, trouble, limb, margin);
  if (status == AP_OK && !(is_finite(vec3_of(*v)) && is_finite(vec3_of(*a)))) status = AP_E_ARG;
  return status;
}

static ap_status singular(ap_wrist_trouble trouble, ap_wrist_margin *margin) {
  if (margin) margin->trouble = trouble;
  return ap__wrist_status(trouble);
}

// ---- kinematics --------------------------------------------------------------------------------

ap_status ap_wrist_kinematics(const ap_wrist *w, const double q[3], const double *v,
                              const double *a, ap_wrist_motion *motion, ap_wrist_margin *margin) {
  wrist_pose p;
  ap_status status = begin(w, q, &v, &a, &p, margin);
  if (status != AP_OK) return status;
  platform_motion m = platform_motion_of(&p, v, a);
  ap_wrist_motion out;
  for (int i = 0; i < 3; i++) {
    const wrist_limb *l = &w->limb[i];
    const limb_pose *k = &p.limb[i];
    limb_motion r = limb_motion_of(l, k, &m);
    // [Abedloo 34, 36] as angles
    out.theta[i] = atan2(k->sin_theta, k->cos_theta);
    out.psi[i] = atan2(k->sin_psi, k->cos_psi);
    out.thetad[i] = r.thetad;
    out.psid[i] = r.psid;
    out.thetadd[i] = r.thetadd;
    out.psidd[i] = r.psidd;
    store(out.u[i], l->B.z);
    store(out.w[i], apply(l->B, k->w));
    store(out.v[i], apply(l->B, k->v));
    if (!isfinite(r.thetadd) || !isfinite(r.psidd)) return AP_E_ARG;
  }
  *motion = out;
  return AP_OK;
}

// ---- forces ------------------------------------------------------------------------------------

// Q = M q" + C q' + G
static vec3 forces_of(const ap_wrist *w, const wrist_pose *p, const platform_motion *m) {
  double f[3];
  vec3 t = couple_of(w, p, m, f);
  for (int i = 0; i < 3; i++) t = add_scaled(t, f[i], p->limb[i].P1);
  return apply_transposed(p->E, t);
}

ap_status ap_wrist_forces(const ap_wrist *w, const double q[3], const double *v, const double *a,
                          double Q[3], ap_wrist_margin *margin) {
  wrist_pose p;
  ap_status status = begin(w, q, &v, &a, &p, margin);
  if (status != AP_OK) return status;
  platform_motion m = platform_motion_of(&p, v, a);
  vec3 out = forces_of(w, &p, &m);
  if (!is_finite(out)) return AP_E_ARG;
  store(Q, out);
  return AP_OK;
}

ap_status ap_wrist_inverse_dynamics(const ap_wrist *w, const double q[3], const double *v,
                                    const double *a, double tau[3], ap_wrist_margin *margin) {
  wrist_pose p;
  ap_status status = begin(w, q, &v, &a, &p, margin);
  if (status != AP_OK) return status;
  if (!ap__wrist_holds(w, &p)) return singular(AP_WRIST_PARALLEL, margin);
  platform_motion m = platform_motion_of(&p, v, a);
  double f[3];
  vec3 t = couple_of(w, &p, &m, f);
  // [Abedloo 51]  tau = J_act^-T Q: f_theta, and what turns the rest, by Cramer's rule
  vec3 a1 = p.limb[0].P1, a2 = p.limb[1].P1, a3 = p.limb[2].P1;
  vec3 c1 = cross(a2, a3), c2 = cross(a3, a1), c3 = cross(a1, a2);
  double n = 1 / dot(a1, c1);
  vec3 out = {f[0] + n * dot(c1, t), f[1] + n * dot(c2, t), f[2] + n * dot(c3, t)};
  if (!is_finite(out)) return AP_E_ARG;
  store(tau, out);
  return AP_OK;
}

// ---- matrices ----------------------------------------------------------------------------------

// Inertia of a limb in theta and psi, and the matrix of its velocity forces besides inertia times
// the derivatives of P1 and P2.
typedef struct limb_matrices {
  double m11, m12, m22, c11, c12, c21;
} limb_matrices;

// [Abedloo 46, 47]  J_i2 = e P1^T + z P2^T, J_i2' = e' P1^T + e P1'^T + z P2'^T with
// e' = psi' e x z: weight 1 on the term of psi' theta' and 0 on its twin. Then [Abedloo 21] with
// +[Sigma w]x in place of [w]x I, for which M' - 2C is skew.
static limb_matrices limb_matrices_of(const wrist_limb *l, const limb_pose *p,
                                      const limb_motion *m) {
  vec3 e = u_in_second(l, p);
  vec3 de = {m->psid * e.y, -m->psid * e.x, 0};
  vec3 w2 = {m->thetad * e.x, m->thetad * e.y, m->thetad * e.z + m->psid};
  const sym3 *I = &l->second.I;
  vec3 Ie = stretch(I, e), Ide = stretch(I, de), s = stretch(&l->second.Sigma, w2);
  double twist = e.x * s.y - e.y * s.x; // e . (Sigma w x z)
  return (limb_matrices){
      .m11 = l->first.I.zz + dot(e, Ie),
      .m12 = Ie.z,
      .m22 = I->zz,
      .c11 = dot(e, Ide),
      .c12 = twist,
      .c21 = Ide.z - twist,
  };
}

// M and C for Omega, world: M in q is E^T M E, C in q is E^T (M E' + C E).
static void limb_add(const wrist_limb *l, const limb_pose *p, const limb_motion *m, mat3 *M,
                     mat3 *C) {
  limb_matrices k = limb_matrices_of(l, p, m);
  vec3 dP1 = apply(l->B, m->dp1h), dP2 = apply(l->B, m->dp2h);
  vec3 first = add_scaled(scale(k.m11, p->P1), k.m12, p->P2);
  vec3 second = add_scaled(scale(k.m12, p->P1), k.m22, p->P2);
  add_outer(M, first, p->P1);
  add_outer(M, second, p->P2);
  add_outer(C, first, dP1);
  add_outer(C, second, dP2);
  add_outer(C, add_scaled(scale(k.c11, p->P1), k.c21, p->P2), p->P1);
  add_outer(C, scale(k.c12, p->P1), p->P2);
}

// R S R^T
static mat3 turned(const mat3 *R, const sym3 *S) {
  mat3 RS = {apply(*R, (vec3){S->xx, S->xy, S->xz}), apply(*R, (vec3){S->xy, S->yy, S->yz}),
             apply(*R, (vec3){S->xz, S->yz, S->zz})};
  mat3 T = {{R->x.x, R->y.x, R->z.x}, {R->x.y, R->y.y, R->z.y}, {R->x.z, R->y.z, R->z.z}};
  return product(RS, T);
}

// [Abedloo 48]  J_ee = R^T E, J_ee' = R^T (E' - [Omega]x E): E^T I E' is left to the caller.
static void platform_add(const ap_wrist *w, const wrist_pose *p, const platform_motion *m, mat3 *M,
                         mat3 *C) {
  mat3 I = turned(&p->R, &w->platform.I);
  vec3 O = m->Omega;
  vec3 s = apply(p->R, stretch(&w->platform.Sigma, apply_transposed(p->R, O)));
  mat3 back = {{0, -O.z, O.y}, {O.z, 0, -O.x}, {-O.y, O.x, 0}}; // -[Omega]x
  mat3 spin = {{0, s.z, -s.y}, {-s.z, 0, s.x}, {s.y, -s.x, 0}}; // [Sigma Omega]x
  *M = mat3_sum(*M, I);
  *C = mat3_sum(*C, mat3_sum(product(I, back), spin));
}

// [Abedloo 20]  the sum over the platform and all links
static void sums(const ap_wrist *w, const wrist_pose *p, const platform_motion *m, mat3 *M,
                 mat3 *C) {
  *M = *C = (mat3){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  platform_add(w, p, m, M, C);
  for (int i = 0; i < 3; i++) {
    limb_motion r = limb_motion_of(&w->limb[i], &p->limb[i], m);
    limb_add(&w->limb[i], &p->limb[i], &r, M, C);
  }
}

static bool all_finite(mat3 A) { return is_finite(A.x) && is_finite(A.y) && is_finite(A.z); }

// The mean of A and its transpose, symmetric to the bit.
static mat3 symmetric(mat3 A) {
  double xy = (A.x.y + A.y.x) / 2, xz = (A.x.z + A.z.x) / 2, yz = (A.y.z + A.z.y) / 2;
  return (mat3){{A.x.x, xy, xz}, {xy, A.y.y, yz}, {xz, yz, A.z.z}};
}

ap_status ap_wrist_matrices(const ap_wrist *w, const double q[3], const double *v, double *M,
                            double *C, double *G, double *J_act, ap_wrist_margin *margin) {
  wrist_pose p;
  const double *a = NULL;
  ap_status status = begin(w, q, &v, &a, &p, margin);
  if (status != AP_OK) return status;
  platform_motion m = platform_motion_of(&p, v, a);
  mat3 Mw, Cw;
  sums(w, &p, &m, &Mw, &Cw);
  mat3 C_q = product_transposed(p.E, mat3_sum(product(Mw, m.dE), product(Cw, p.E)));
  if (!all_finite(C_q)) return AP_E_ARG;
  if (G) { // forces at rest
    platform_motion rest = platform_motion_of(&p, ZERO, ZERO);
    store(G, forces_of(w, &p, &rest));
  }
  if (M) store_mat3(M, symmetric(product_transposed(p.E, product(Mw, p.E))));
  if (C) store_mat3(C, C_q);
  // [Abedloo 50]  row i of J_act is p_1i^T E / h_i
  for (int i = 0; J_act && i < 3; i++) store(&J_act[3 * i], apply_transposed(p.E, p.limb[i].P1));
  return AP_OK;
}

// ---- forward dynamics and energy ---------------------------------------------------------------

// x with A x = b for a positive definite A, by Cholesky's factors. False where A is singular, by
// the rule of num/singular.h.
static bool solve(mat3 A, vec3 b, vec3 *x) {
  double L[9] = {A.x.x, 0, 0, A.x.y, A.y.y, 0, A.x.z, A.y.z, A.z.z};
  if (!ap__cholesky(3, L)) return false;
  double d1 = A.x.x;
  double l21 = A.x.y / d1, l31 = A.x.z / d1;
  double d2 = A.y.y - l21 * A.x.y;
  double l32 = (A.y.z - l21 * A.x.z) / d2;
  double d3 = A.z.z - l31 * A.x.z - l32 * l32 * d2;
  double y1 = b.x, y2 = b.y - l21 * y1, y3 = b.z - l31 * y1 - l32 * y2;
  x->z = y3 / d3;
  x->y = y2 / d2 - l32 * x->z;
  x->x = y1 / d1 - l21 * x->y - l31 * x->z;
  return true;
}

ap_status ap_wrist_forward_dynamics(const ap_wrist *w, const double q[3], const double *v,
                                    const double tau[3], double a[3], ap_wrist_margin *margin) {
  wrist_pose p;
  const double *none = NULL;
  ap_status status = begin(w, q, &v, &none, &p, margin);
  if (status != AP_OK) return status;
  if (!is_finite(vec3_of(tau))) return AP_E_ARG;
  if (!(fabs(p.c1) > 1e-9)) return singular(AP_WRIST_ANGLES, margin);
  platform_motion m = platform_motion_of(&p, v, none);
  mat3 Mw, Cw;
  sums(w, &p, &m, &Mw, &Cw);
  // Couple that is left for E q": that of the motors less that of the motion with q" = 0.
  double f[3];
  vec3 t = scale(-1, couple_of(w, &p, &m, f)), x;
  for (int i = 0; i < 3; i++) t = add_scaled(t, tau[i] - f[i], p.limb[i].P1);
  if (!all_finite(Mw) || !is_finite(t)) return AP_E_ARG;
  if (!solve(symmetric(Mw), t, &x)) return singular(AP_WRIST_INERTIA, margin);
  vec3 out;
  out.z = (p.c0 * x.x + p.s0 * x.y) / p.c1;
  out.y = p.c0 * x.y - p.s0 * x.x;
  out.x = x.z + p.s1 * out.z;
  if (!is_finite(out)) return AP_E_ARG;
  store(a, out);
  return AP_OK;
}

ap_status ap_wrist_energy(const ap_wrist *w, const double q[3], const double *v, double *kinetic,
                          double *potential, ap_wrist_margin *margin) {
  wrist_pose p;
  const double *a = NULL;
  ap_status status = begin(w, q, &v, &a, &p, margin);
  if (status != AP_OK) return status;
  platform_motion m = platform_motion_of(&p, v, a);
  vec3 turn = apply_transposed(p.R, m.Omega);
  double twice = dot(turn, stretch(&w->platform.I, turn));
  double V = -dot(w->platform.moment, apply_transposed(p.R, w->g));
  for (int i = 0; i < 3; i++) {
    const wrist_limb *l = &w->limb[i];
    vec3 g1, g2, e = u_in_second(l, &p.limb[i]);
    limb_motion r = limb_motion_of(l, &p.limb[i], &m);
    vec3 w2 = add(scale(r.thetad, e), (vec3){0, 0, r.psid});
    gravity_of(l, &p.limb[i], &g1, &g2);
    twice += l->first.I.zz * r.thetad * r.thetad + dot(w2, stretch(&l->second.I, w2));
    V -= dot(l->first.moment, g1) + dot(l->second.moment, g2);
  }
  if (!isfinite(twice)) return AP_E_ARG;
  if (kinetic) *kinetic = twice / 2;
  if (potential) *potential = V;
  return AP_OK;
}
