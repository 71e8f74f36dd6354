// SPDX-License-Identifier: Apache-2.0
#include "abedloo_run.h"

#include <math.h>
#include <string.h>

enum { INSTANTS = 400, REACH = 4, STENCIL = 2 * REACH + 1, GAUSS = 3 };

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static void times(const double *A, const double *x, double *y) {
  for (int i = 0; i < 3; i++) y[i] = dot(&A[3 * i], x);
}

// C += A^T B
static void add_transposed_product(const double *A, const double *B, double *C) {
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 3; k++) C[i] += A[3 * k + i / 3] * B[3 * k + i % 3];
}

// ---- the paper's Coriolis matrix ---------------------------------------------------------------

// Euler rates to angular velocity, world, and its rate of change.
static void euler_matrices(const double *q, const double *v, double *E, double *dE) {
  double s0 = sin(q[0]), c0 = cos(q[0]), s1 = sin(q[1]), c1 = cos(q[1]);
  const double at[9] = {0, -s0, c0 * c1, 0, c0, s0 * c1, 1, 0, -s1};
  const double rate[9] = {0, -c0 * v[0], -s0 * c1 * v[0] - c0 * s1 * v[1],
                          0, -s0 * v[0], c0 * c1 * v[0] - s0 * s1 * v[1],
                          0, 0,          -c1 * v[1]};
  memcpy(E, at, sizeof at);
  memcpy(dE, rate, sizeof rate);
}

/// Rows d theta'/dq', d psi'/dq' of a limb and their rates of change.
typedef struct limb_rows {
  double row[2][3], rate[2][3];
} limb_rows;

// Third axis of R, and the axis at the angle from it that an arc leads to.
static void axis_of(const double *R, double angle, double *axis) {
  for (int k = 0; k < 3; k++) axis[k] = cos(angle) * R[3 * k + 2] - sin(angle) * R[3 * k + 1];
}

static limb_rows rows_of(const maximal_state *state, const ap_wrist_limb *l, double thetad,
                         const double *omega, const double *E, const double *dE) {
  double u[3], w[3], v[3];
  axis_of(state[0].R, 0, u), axis_of(state[1].R, 0, w), axis_of(state[1].R, l->alpha2, v);
  double p[2][3], dp[2][3], dv[3], dw[3], part[3];
  limb_rows out;
  cross(v, w, p[0]);
  cross(u, v, p[1]);
  cross(omega, v, dv);
  cross(u, w, dw);
  for (int k = 0; k < 3; k++) dw[k] *= thetad;
  cross(dv, w, dp[0]);
  cross(v, dw, part);
  for (int k = 0; k < 3; k++) dp[0][k] += part[k];
  cross(u, dv, dp[1]);
  const double h = dot(p[0], u), dh = dot(dp[0], u);
  for (int n = 0; n < 2; n++)
    for (int k = 0; k < 3; k++) {
      out.row[n][k] = out.rate[n][k] = 0;
      for (int c = 0; c < 3; c++) {
        out.row[n][k] += p[n][c] / h * E[3 * c + k];
        out.rate[n][k] +=
            (dp[n][c] / h - dh * p[n][c] / (h * h)) * E[3 * c + k] + p[n][c] / h * dE[3 * c + k];
      }
    }
  return out;
}

// C += J^T I J' + J^T [w]x I J, equation 21.
static void add_body(const ap_parallel_link *l, const double *v, const double *J, const double *dJ,
                     double *C) {
  const double *i = l->inertia;
  const double I[9] = {i[0], i[1], i[2], i[1], i[3], i[4], i[2], i[4], i[5]};
  double omega[3], sum[9];
  times(J, v, omega);
  for (int c = 0; c < 3; c++) {
    const double column[3] = {J[c], J[3 + c], J[6 + c]}, rate[3] = {dJ[c], dJ[3 + c], dJ[6 + c]};
    double first[3], second[3], turned[3];
    times(I, rate, first);
    times(I, column, second);
    cross(omega, second, turned);
    for (int k = 0; k < 3; k++) sum[3 * k + c] = first[k] + turned[k];
  }
  add_transposed_product(J, sum, C);
}

// Links of limb i: equations 46 and 47, halves and all.
static void add_limb(const ap_wrist_limb *l, const wrist_joints *m, int i, const limb_rows *r,
                     const double *v, double *C) {
  const double s = sin(l->alpha1), z[3] = {0, 0, 1};
  const double e[3] = {s * sin(m->psi[i]), s * cos(m->psi[i]), cos(l->alpha1)};
  double J[9] = {0}, dJ[9] = {0}, turned[3];
  memcpy(&J[6], r->row[0], sizeof r->row[0]);
  memcpy(&dJ[6], r->rate[0], sizeof r->rate[0]);
  add_body(&l->first, v, J, dJ, C);
  cross(e, z, turned);
  for (int k = 0; k < 9; k++) {
    int row = k / 3, c = k % 3;
    J[k] = e[row] * r->row[0][c] + z[row] * r->row[1][c];
    dJ[k] = e[row] * r->rate[0][c] + z[row] * r->rate[1][c] +
            turned[row] * (m->psid[i] * r->row[0][c] + m->thetad[i] * r->row[1][c]) / 2;
  }
  add_body(&l->second, v, J, dJ, C);
}

static ap_status paper_coriolis(const wrist_lab *lab, const double *q, const double *v, double *C) {
  const ap_wrist_def *def = &lab->def;
  wrist_joints m;
  maximal_state state[MAXIMAL_BODIES];
  double E[9], dE[9], omega[3], J[9] = {0}, dJ[9] = {0};
  ap_status status = wrist_inverse(lab, q, v, NULL, &m);
  if (status != AP_OK) return status;
  memset(C, 0, 9 * sizeof *C);
  euler_matrices(q, v, E, dE);
  times(E, v, omega);
  maximal_wrist_state(def, q, m.theta, m.psi, state);
  for (int i = 0; i < 3; i++) {
    limb_rows r = rows_of(&state[2 * i], &def->limb[i], m.thetad[i], omega, E, dE);
    add_limb(&def->limb[i], &m, i, &r, v, C);
  }
  add_transposed_product(state[6].R, E, J); // equation 48
  add_transposed_product(state[6].R, dE, dJ);
  add_body(&def->platform, v, J, dJ, C);
  return AP_OK;
}

// ---- laws --------------------------------------------------------------------------------------

// Least eigenvalue of a symmetric matrix, by the angle of its characteristic cubic.
static double least_eigenvalue(const double *M) {
  double mean = (M[0] + M[4] + M[8]) / 3, B[9], square = 0;
  for (int i = 0; i < 9; i++) {
    B[i] = M[i] - (i % 4 == 0 ? mean : 0);
    square += B[i] * B[i];
  }
  double p = sqrt(square / 6);
  if (p == 0) return mean;
  double det = B[0] * (B[4] * B[8] - B[5] * B[7]) - B[1] * (B[3] * B[8] - B[5] * B[6]) +
               B[2] * (B[3] * B[7] - B[4] * B[6]);
  double cosine = fmax(-1, fmin(1, det / (2 * p * p * p)));
  return mean + 2 * p * cos((acos(cosine) + 2 * WRIST_PI) / 3);
}

// M' along q + s v, by differences of order 8.
static ap_status inertia_rate(const ap_parallel *w, const double *q, const double *v, double *dM) {
  static const double weight[STENCIL] = {1. / 280, -4. / 105, 1. / 5,   -4. / 5,  0,
                                         4. / 5,   -1. / 5,   4. / 105, -1. / 280};
  const double h = 0.0025;
  memset(dM, 0, 9 * sizeof *dM);
  for (int k = 0; k < STENCIL; k++) {
    double at[3], M[9];
    for (int i = 0; i < 3; i++) at[i] = q[i] + (k - REACH) * h * v[i];
    ap_status status = ap_parallel_matrices(w, at, NULL, M, NULL, NULL, NULL);
    if (status != AP_OK) return status;
    for (int i = 0; i < 9; i++) dM[i] += weight[k] * M[i] / h;
  }
  return AP_OK;
}

static ap_status check_matrices(const wrist_lab *l, const double *q, const double *v,
                                wrist_laws *laws) {
  double M[9], dM[9], C[2][9], Cv[2][3];
  ap_status status = ap_parallel_matrices(l->w, q, v, M, C[0], NULL, NULL);
  if (status == AP_OK) status = inertia_rate(l->w, q, v, dM);
  if (status == AP_OK) status = paper_coriolis(l, q, v, C[1]);
  if (status != AP_OK) return status;
  laws->least_eigenvalue = fmin(laws->least_eigenvalue, least_eigenvalue(M));
  for (int i = 0; i < 9; i++) {
    int mirrored = 3 * (i % 3) + i / 3;
    laws->asymmetry = fmax(laws->asymmetry, fabs(M[i] - M[mirrored]));
    for (int n = 0; n < 2; n++)
      laws->skew[n] = fmax(laws->skew[n], 2 * fabs(dM[i] - C[n][i] - C[n][mirrored]));
  }
  for (int n = 0; n < 2; n++) times(C[n], v, Cv[n]);
  for (int i = 0; i < 3; i++) {
    laws->apart = fmax(laws->apart, fabs(Cv[1][i] - Cv[0][i]));
    laws->size = fmax(laws->size, fabs(Cv[0][i]));
  }
  return AP_OK;
}

// Power of the motors on the trajectory.
static ap_status power_at(const wrist_lab *l, double t, double *power) {
  double q[3], v[3], a[3], tau[3];
  wrist_joints m;
  wrist_trajectory(l->amplitude, t, q, v, a);
  ap_status status = ap_parallel_inverse_dynamics(l->w, q, v, a, tau);
  if (status == AP_OK) status = wrist_inverse(l, q, v, a, &m);
  if (status == AP_OK) *power = dot(tau, m.thetad);
  return status;
}

// Work of the motors over a time, by Gauss's three points.
static ap_status add_work(const wrist_lab *l, double from, double to, double *work) {
  const double node[GAUSS] = {-sqrt(0.6), 0, sqrt(0.6)},
               weight[GAUSS] = {5. / 18, 8. / 18, 5. / 18};
  for (int k = 0; k < GAUSS; k++) {
    double power, t = (from + to + node[k] * (to - from)) / 2;
    ap_status status = power_at(l, t, &power);
    if (status != AP_OK) return status;
    *work += weight[k] * power * (to - from);
  }
  return AP_OK;
}

ap_status wrist_check_laws(const wrist_lab *l, wrist_laws *laws, ap_error *error) {
  double work = 0, start = 0, before = 0;
  *laws = (wrist_laws){.least_eigenvalue = INFINITY};
  for (int k = 0; k <= INSTANTS; k++) {
    double t = WRIST_END * k / INSTANTS, q[3], v[3], a[3], kinetic, potential;
    wrist_trajectory(l->amplitude, t, q, v, a);
    ap_status status = check_matrices(l, q, v, laws);
    if (status == AP_OK) status = ap_parallel_energy(l->w, q, v, &kinetic, &potential);
    if (status == AP_OK && k > 0) status = add_work(l, before, t, &work);
    if (status != AP_OK) return wrist_fail(l, status, q, t, error);
    if (k == 0) start = kinetic + potential;
    double change = kinetic + potential - start;
    laws->turnover = fmax(laws->turnover, fabs(change));
    laws->balance = fmax(laws->balance, fabs(change - work));
    before = t;
  }
  return AP_OK;
}

// ---- distances ---------------------------------------------------------------------------------

// Instants of the trajectory that are looked at; of those with other amplitudes fewer.
enum { FINE = 4000, SEARCH = 1000, COARSE = 200 };

/// What the trajectory meets with amplitudes times a factor.
typedef enum meeting { NOTHING, SERIAL, PARALLEL } meeting;

// A serial singularity is met where a limb does not reach, a parallel one where the determinant's
// sign has changed. Where both are, the serial one counts.
static meeting meets(const wrist_lab *l, double factor, int instants) {
  meeting met = NOTHING;
  double sign = 0;
  for (int k = 0; k < instants; k++) {
    double q[3], v[3], a[3];
    ap_parallel_margin margin;
    wrist_trajectory(factor * l->amplitude, WRIST_END * k / instants, q, v, a);
    ap_parallel_margins(l->w, q, &margin);
    if (margin.limb >= 0) return SERIAL;
    if (k == 0) sign = margin.parallel;
    if (margin.parallel * sign <= 0) met = PARALLEL;
  }
  return met;
}

// The least factor from which on the trajectory meets `what` or, as factors grow, more.
static double least_factor(const wrist_lab *l, meeting what) {
  const double most = 4;
  double low = 1, high = 1;
  bool found = false;
  while (!found && high < most) {
    low = high;
    high += 0.05;
    meeting met = meets(l, high, COARSE);
    found = what == SERIAL ? met == SERIAL : met != NOTHING;
  }
  if (!found) return NAN;
  while (high - low > 1e-5) {
    double mid = (low + high) / 2;
    meeting met = meets(l, mid, SEARCH);
    bool is = what == SERIAL ? met == SERIAL : met != NOTHING;
    *(is ? &high : &low) = mid;
  }
  return meets(l, high, SEARCH) == what ? high : NAN;
}

// The angle between the end axes of a limb whose links are at the angle psi.
static double angle_of(const ap_wrist_limb *l, double psi) {
  return acos(cos(l->alpha1) * cos(l->alpha2) - sin(l->alpha1) * sin(l->alpha2) * cos(psi));
}

static void look(const wrist_lab *l, const wrist_joints *at, const ap_parallel_margin *m, double t,
                 wrist_distance *d) {
  for (int i = 0; i < 3; i++) {
    double angle = angle_of(&l->def.limb[i], at->psi[i]);
    d->angle[0] = fmin(d->angle[0], angle);
    d->angle[1] = fmax(d->angle[1], angle);
    d->h = fmin(d->h, fabs(m->serial[i]));
    if (m->reach[i] < d->serial) d->serial = m->reach[i], d->serial_at = t;
  }
  d->parallel = fmin(d->parallel, fabs(m->parallel));
  if (m->sigma < d->sigma) d->sigma = m->sigma, d->sigma_at = t;
}

ap_status wrist_measure_distance(const wrist_lab *l, wrist_distance *d, ap_error *error) {
  *d = (wrist_distance){
      .angle = {WRIST_PI, 0}, .serial = WRIST_PI, .h = 1, .parallel = 1, .sigma = 1, .cos_q1 = 1};
  for (int k = 0; k <= FINE; k++) {
    double t = WRIST_END * k / FINE, q[3], v[3], a[3];
    ap_parallel_margin margin;
    wrist_joints joints;
    wrist_trajectory(l->amplitude, t, q, v, a);
    ap_status status = ap_parallel_margins(l->w, q, &margin);
    if (status == AP_OK) status = wrist_inverse(l, q, NULL, NULL, &joints);
    if (status != AP_OK) return wrist_fail(l, status, q, t, error);
    look(l, &joints, &margin, t, d);
    d->cos_q1 = fmin(d->cos_q1, fabs(cos(q[1])));
  }
  d->until_serial = least_factor(l, SERIAL);
  d->until_parallel = least_factor(l, PARALLEL);
  return AP_OK;
}
