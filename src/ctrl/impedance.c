// SPDX-License-Identifier: Apache-2.0
// Impedances without inertia shaping. With the error e of the joints,
//     M e" + (C + B) e' + K e = tau_external,
// and since M' - 2 C is skew, the energy e'^T M e' / 2 + e^T K e / 2 changes by
// e'^T tau_external - e'^T B e': springs give back what they took, dampers take.
//
// Of a frame, z = (R_d^T (p - p_d), 2 epsilon) with the quaternion (eta, epsilon) of R_d^T R. Its
// rates by the velocity (v, w) of the frame in the axes of the reference are
//     z' = (v, (eta - [epsilon]) w):
// the body's own rate R^T_rel w gives epsilon' = (eta + [epsilon]) R_rel^T w / 2, and
// (eta + [epsilon]) R_rel^T = eta - [epsilon]. The force of the potential z^T K z / 2 is -Z^T K z.

#include "ctrl/impedance.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

struct ap__impedance {
  int n, frame;
  bool damped;                                           // dampers of the joints were given
  double *stiffness, *damper, *posture, *posture_damper; // [n]
  double task_stiffness[36], task_damper[36];
  double *torque, *zero, *column; // [n]
  double *matrix;                 // [n * n] C, then M and its factor
  double *J, *Jd, *X;             // [6 * n] of the frame at q, at q_d, and L^-1 J^T by columns
};

static const double damping = 1e-4; // of L, as a part of the trace of J M^-1 J^T

static ap__impedance *lay_out(ap_arena *a, int n) {
  ap__impedance *z = AP_TAKE(a, ap__impedance, 1), none;
  ap__impedance *to = z ? z : &none;
  double **const vectors[] = {&to->stiffness, &to->damper, &to->posture, &to->posture_damper,
                              &to->torque,    &to->zero,   &to->column};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = AP_TAKE(a, double, n);
  to->matrix = AP_TAKE(a, double, n *n);
  double **const wide[] = {&to->J, &to->Jd, &to->X};
  for (size_t k = 0; k < 3; k++) *wide[k] = AP_TAKE(a, double, 6 * n);
  return z;
}

size_t ap__impedance_size(int n) {
  ap_arena a = ap__arena(NULL);
  lay_out(&a, n);
  return ap__arena_size(&a);
}

// ---- making ------------------------------------------------------------------------------------

static bool good_vector(const double *x, int n) {
  for (int j = 0; x && j < n; j++)
    if (!(x[j] >= 0 && isfinite(x[j]))) return false;
  return true;
}

// Symmetric and positive semidefinite, by an LDL^T that allows zeros.
static bool good_matrix(const double *K) {
  double A[36], most = 0;
  memcpy(A, K, sizeof A);
  for (int i = 0; i < 6; i++) most = fmax(most, fabs(K[i * 7]));
  for (int i = 0; i < 36; i++)
    if (!isfinite(K[i]) || fabs(K[i] - K[i % 6 * 6 + i / 6]) > 1e-9 * most) return false;
  for (int k = 0; k < 6; k++) {
    double pivot = A[k * 7];
    if (pivot < -1e-12 * most) return false;
    for (int i = k + 1; i < 6; i++) {
      if (pivot <= 1e-12 * most) {
        if (fabs(A[i * 6 + k]) > 1e-9 * most) return false;
        continue;
      }
      for (int j = k + 1; j < 6; j++) A[i * 6 + j] -= A[i * 6 + k] * A[k * 6 + j] / pivot;
    }
  }
  return true;
}

const char *ap__impedance_check(const ap_model *m, ap_law law, const ap_impedance *d) {
  const bool complies = law == AP_LAW_IMPEDANCE || law == AP_LAW_TASK_IMPEDANCE;
  if (!d) return complies ? "the law is an impedance, and none is given" : NULL;
  const int n = ap_nv(m);
  if (!good_vector(d->stiffness, n) || !good_vector(d->damper, n) || !good_vector(d->posture, n) ||
      !good_vector(d->posture_damper, n))
    return "a stiffness or damper of the joints is negative or not finite";
  if (!good_matrix(d->task_stiffness) || !good_matrix(d->task_damper))
    return "a stiffness or damper of the frame is not symmetric and positive semidefinite";
  if (law == AP_LAW_TASK_IMPEDANCE && (d->frame < 0 || d->frame >= ap_nframe(m)))
    return "the impedance's frame is not there";
  return NULL;
}

static void take(double *to, const double *from, int n) {
  for (int j = 0; j < n; j++) to[j] = from ? from[j] : 0;
}

ap__impedance *ap__impedance_init(const ap_model *m, const ap_impedance *d, void *mem) {
  ap_arena a = ap__arena(mem);
  const int n = ap_nv(m);
  ap__impedance *z = lay_out(&a, n);
  z->n = n, z->frame = d->frame, z->damped = d->damper;
  take(z->stiffness, d->stiffness, n);
  take(z->damper, d->damper, n);
  take(z->zero, NULL, n);
  take(z->posture, d->posture, n);
  take(z->posture_damper, d->posture_damper, n);
  memcpy(z->task_stiffness, d->task_stiffness, sizeof z->task_stiffness);
  memcpy(z->task_damper, d->task_damper, sizeof z->task_damper);
  return z;
}

void ap__impedance_reset(ap__impedance *z, const double *diagonal) {
  for (int j = 0; !z->damped && j < z->n; j++)
    z->damper[j] = 2 * sqrt(z->stiffness[j] * diagonal[j]);
}

double ap__impedance_stiffness(const ap__impedance *z, int j) { return z->stiffness[j]; }

// ---- joints ------------------------------------------------------------------------------------

void ap__impedance_forward(ap__impedance *z, const ap_model *m, ap_work *w, const ap_traj_state *d,
                           const double *q, const double *v, double *tau) {
  const int n = z->n;
  // M a_d + G, and then C v_d.
  ap_inverse_dynamics(m, w, q, z->zero, d->a, tau);
  ap_coriolis_matrix(m, w, q, v, z->matrix);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) tau[i] += z->matrix[i * n + j] * d->v[j];
}

void ap__impedance_joint(const ap__impedance *z, const ap_traj_state *d, const double *q,
                         const double *v, double *tau) {
  for (int j = 0; j < z->n; j++)
    tau[j] -= z->stiffness[j] * (q[j] - d->q[j]) + z->damper[j] * (v[j] - d->v[j]);
}

// ---- frames ------------------------------------------------------------------------------------

// R^T x.
static void back(const double R[9], const double x[3], double y[3]) {
  for (int i = 0; i < 3; i++) y[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

// The quaternion of R_d^T R with eta >= 0, by its largest entry (Shepperd 1978).
static double quaternion(const double Rd[9], const double R[9], double epsilon[3]) {
  double S[9], x[4];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      S[3 * i + j] = Rd[i] * R[j] + Rd[3 + i] * R[3 + j] + Rd[6 + i] * R[6 + j];
  const double trace = S[0] + S[4] + S[8], of[4] = {trace, S[0], S[4], S[8]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (of[i] > of[k]) k = i;
  const double c[3] = {S[7] - S[5], S[2] - S[6], S[3] - S[1]};
  if (k == 0) {
    x[0] = 1 + trace;
    for (int i = 0; i < 3; i++) x[i + 1] = c[i];
  } else {
    const int a = k - 1, b = k % 3, e = (k + 1) % 3;
    x[0] = c[a];
    x[a + 1] = 1 + 2 * S[4 * a] - trace;
    x[b + 1] = S[3 * a + b] + S[3 * b + a];
    x[e + 1] = S[3 * a + e] + S[3 * e + a];
  }
  double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
  if (x[0] < 0) length = -length;
  for (int i = 0; i < 3; i++) epsilon[i] = x[i + 1] / length;
  return x[0] / length;
}

static void times(const double A[36], const double x[6], double y[6]) {
  for (int i = 0; i < 6; i++) {
    y[i] = 0;
    for (int j = 0; j < 6; j++) y[i] += A[6 * i + j] * x[j];
  }
}

// The force on the frame, in the axes of the ground at its origin. x: its velocity beside that of
// the reference, in the axes of the ground.
static void force_of(const ap__impedance *z, const double Rd[9], const double pd[3],
                     const double R[9], const double p[3], const double x[6], double force[6]) {
  const double off[3] = {p[0] - pd[0], p[1] - pd[1], p[2] - pd[2]};
  double dev[6], spring[6], damper[6], rate[6], epsilon[3], turned[3];
  const double eta = quaternion(Rd, R, epsilon);
  back(Rd, off, dev);
  for (int i = 0; i < 3; i++) dev[3 + i] = 2 * epsilon[i];
  times(z->task_stiffness, dev, spring);
  back(Rd, x, rate);
  back(Rd, x + 3, rate + 3);
  times(z->task_damper, rate, damper);
  // (eta - [epsilon])^T m = eta m + epsilon x m.
  cross(epsilon, spring + 3, turned);
  for (int i = 0; i < 3; i++) {
    damper[i] += spring[i];
    damper[3 + i] += eta * spring[3 + i] + turned[i];
  }
  for (int i = 0; i < 3; i++) {
    force[i] = force[3 + i] = 0;
    for (int j = 0; j < 3; j++) {
      force[i] -= Rd[3 * i + j] * damper[j];
      force[3 + i] -= Rd[3 * i + j] * damper[3 + j];
    }
  }
}

// Cholesky of the n * n A in place, and a solution with it.
static void factor(int n, double *A) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double s = A[i * n + j];
      for (int k = 0; k < j; k++) s -= A[i * n + k] * A[j * n + k];
      A[i * n + j] = i == j ? sqrt(s) : s / A[j * n + j];
    }
}

static void solve(int n, const double *A, double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= A[i * n + k] * x[k];
    x[i] /= A[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= A[k * n + i] * x[k];
    x[i] /= A[i * n + i];
  }
}

// tau += (1 - J^T L J M^-1) t: what the frame does not feel.
static void add_posture(ap__impedance *z, const ap_model *m, ap_work *w, const double *rotor,
                        const ap_traj_state *d, const double *q, const double *v, double *tau) {
  const int n = z->n;
  double L[36], y[6], trace = 0, *t = z->torque, *c = z->column;
  ap_inertia_matrix(m, w, q, z->matrix);
  for (int j = 0; j < n; j++) z->matrix[j * n + j] += rotor[j];
  factor(n, z->matrix);
  for (int k = 0; k < 6; k++) { // row k of X: M^-1 J^T, column k
    memcpy(z->X + (ptrdiff_t)k * n, z->J + (ptrdiff_t)k * n, (size_t)n * sizeof *z->X);
    solve(n, z->matrix, z->X + (ptrdiff_t)k * n);
  }
  for (int j = 0; j < n; j++) {
    t[j] = -z->posture[j] * (q[j] - d->q[j]) - z->posture_damper[j] * (v[j] - d->v[j]);
    c[j] = t[j];
  }
  for (int i = 0; i < 6; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) y[i] += z->X[i * n + j] * t[j];
    for (int k = 0; k < 6; k++) {
      L[6 * i + k] = 0;
      for (int j = 0; j < n; j++) L[6 * i + k] += z->J[i * n + j] * z->X[k * n + j];
    }
    trace += L[7 * i];
  }
  for (int i = 0; i < 6; i++) L[7 * i] += damping * damping * trace;
  factor(6, L);
  solve(6, L, y);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < 6; i++) c[j] -= z->J[i * n + j] * y[i];
    tau[j] += c[j];
  }
}

void ap__impedance_task(ap__impedance *z, const ap_model *m, ap_work *w, const double *rotor,
                        const ap_traj_state *d, const double *q, const double *v, double *tau) {
  double Rd[9], pd[3], R[9], p[3], x[6], force[6];
  const int n = z->n;
  ap_forward_kinematics(m, w, d->q, &z->frame, 1, AP_MIXED, Rd, pd, z->Jd);
  ap_forward_kinematics(m, w, q, &z->frame, 1, AP_MIXED, R, p, z->J);
  bool rests = true;
  for (int i = 0; i < 6; i++) {
    x[i] = 0;
    for (int j = 0; j < n; j++) x[i] += z->J[i * n + j] * v[j] - z->Jd[i * n + j] * d->v[j];
  }
  force_of(z, Rd, pd, R, p, x, force);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < 6; i++) tau[j] += z->J[i * n + j] * force[i];
    rests = rests && z->posture[j] == 0 && z->posture_damper[j] == 0;
  }
  if (!rests) add_posture(z, m, w, rotor, d, q, v, tau);
}
