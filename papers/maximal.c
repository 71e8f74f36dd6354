// SPDX-License-Identifier: Apache-2.0
// Mechanisms in maximal coordinates, with multipliers.
//
// Velocities u = (v, w of each body). The joints ask A u = 0 and A u' = b, the bodies M u' = f +
// A^T lambda + B tau. A may have dependent rows. K = [A; rows that pick the platform's w] has full
// column rank wherever the platform's motion fixes that of all bodies, and N = [A; B^T] wherever
// the motors hold it; both are factored by Householder reflections, least squares for what
// overdetermines, the shortest solution for what underdetermines.

#include "maximal.h"

#include <math.h>
#include <string.h>

enum {
  COLS = 6 * MAXIMAL_BODIES,
  JOINT_ROWS = 5 * MAXIMAL_JOINTS,
  ROWS = JOINT_ROWS + 3,
  NEWTON = 30
};

// ---- vectors -----------------------------------------------------------------------------------

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c) {
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
  double z = a[0] * b[1] - a[1] * b[0];
  c[0] = x, c[1] = y, c[2] = z;
}

// R b, R row by row; NULL: the ground.
static void turn(const double *R, const double *b, double *c) {
  double x[3];
  for (int i = 0; i < 3; i++) x[i] = R ? dot(&R[3 * i], b) : b[i];
  memcpy(c, x, sizeof x);
}

static void multiply(const double *A, const double *B, double *C) {
  double out[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
  memcpy(C, out, sizeof out);
}

// Rotation by the vector r (Rodrigues).
static void rotation(const double *r, double *R) {
  double angle = sqrt(dot(r, r));
  double s = angle > 1e-8 ? sin(angle) / angle : 1;
  double half = sin(angle / 2), c = angle > 1e-8 ? 2 * half * half / (angle * angle) : 0.5;
  const double X[9] = {0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0};
  double XX[9];
  multiply(X, X, XX);
  for (int i = 0; i < 9; i++) R[i] = (i % 4 == 0) + s * X[i] + c * XX[i];
}

// The rotation next to R, by Newton's iteration R (3 - R^T R) / 2.
static void straighten(double *R) {
  for (int pass = 0; pass < 3; pass++) {
    double T[9], S[9];
    for (int i = 0; i < 9; i++) T[i] = R[3 * (i % 3) + i / 3];
    multiply(T, R, S);
    for (int i = 0; i < 9; i++) S[i] = ((i % 4 == 0 ? 3 : 0) - S[i]) / 2;
    multiply(R, S, R);
  }
}

// ---- least squares -----------------------------------------------------------------------------

// A tall matrix of full column rank with its reflections below the diagonal.
typedef struct tall {
  double A[ROWS][COLS];
  double scale[COLS]; // of the reflections, 2 / |y|^2
  double diagonal[COLS];
} tall;

static void factor(tall *q) {
  for (int k = 0; k < COLS; k++) {
    double square = 0;
    for (int i = k; i < ROWS; i++) square += q->A[i][k] * q->A[i][k];
    double head = q->A[k][k], length = copysign(sqrt(square), -head);
    q->diagonal[k] = length;
    q->A[k][k] = head - length;
    double y2 = square - 2 * head * length + length * length;
    q->scale[k] = y2 > 0 ? 2 / y2 : 0;
    for (int j = k + 1; j < COLS; j++) {
      double s = 0;
      for (int i = k; i < ROWS; i++) s += q->A[i][k] * q->A[i][j];
      s *= q->scale[k];
      for (int i = k; i < ROWS; i++) q->A[i][j] -= s * q->A[i][k];
    }
  }
}

static void reflect(const tall *q, int k, double *b) {
  double s = 0;
  for (int i = k; i < ROWS; i++) s += q->A[i][k] * b[i];
  s *= q->scale[k];
  for (int i = k; i < ROWS; i++) b[i] -= s * q->A[i][k];
}

// x with |A x - b| least.
static void solve_least(const tall *q, const double *b, double *x) {
  double y[ROWS];
  memcpy(y, b, sizeof y);
  for (int k = 0; k < COLS; k++) reflect(q, k, y);
  for (int k = COLS - 1; k >= 0; k--) {
    double s = y[k];
    for (int j = k + 1; j < COLS; j++) s -= q->A[k][j] * x[j];
    x[k] = s / q->diagonal[k];
  }
}

// The shortest x with A^T x = b.
static void solve_shortest(const tall *q, const double *b, double *x) {
  memset(x, 0, ROWS * sizeof *x);
  for (int k = 0; k < COLS; k++) {
    double s = b[k];
    for (int j = 0; j < k; j++) s -= q->A[j][k] * x[j];
    x[k] = s / q->diagonal[k];
  }
  for (int k = COLS - 1; k >= 0; k--) reflect(q, k, x);
}

// x with A x = b, A three by three (Cramer).
static void solve3(double A[3][3], const double *b, double *x) {
  double c[3][3];
  for (int i = 0; i < 3; i++) cross(A[(i + 1) % 3], A[(i + 2) % 3], c[i]);
  double det = dot(A[0], c[0]);
  for (int k = 0; k < 3; k++) x[k] = (c[0][k] * b[0] + c[1][k] * b[1] + c[2][k] * b[2]) / det;
}

// ---- equations of the joints -------------------------------------------------------------------

// Two unit vectors across n.
static void across(const double *n, double t[2][3]) {
  int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2)
                                      : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
  const double e[3] = {least == 0, least == 1, least == 2};
  cross(n, e, t[0]);
  double length = sqrt(dot(t[0], t[0]));
  for (int k = 0; k < 3; k++) t[0][k] /= length;
  cross(n, t[0], t[1]);
}

// A joint in a state: levers, the axis in b, directions across the axis in a; world components.
typedef struct placed {
  double ra[3], rb[3], axis[3], across[2][3];
} placed;

static const maximal_state *body_of(const maximal_state *state, int k) {
  return k < 0 ? NULL : &state[k];
}

static placed place(const maximal_joint *j, const maximal_state *a, const maximal_state *b) {
  placed p;
  double t[2][3];
  turn(a ? a->R : NULL, j->point_a, p.ra);
  turn(b->R, j->point_b, p.rb);
  turn(b->R, j->axis_b, p.axis);
  across(j->axis_a, t);
  for (int k = 0; k < 2; k++) turn(a ? a->R : NULL, t[k], p.across[k]);
  return p;
}

static void joint_gap(const maximal_joint *j, const maximal_state *state, double gap[5]) {
  const maximal_state *a = body_of(state, j->a), *b = &state[j->b];
  placed p = place(j, a, b);
  for (int k = 0; k < 3; k++) gap[k] = (a ? a->x[k] : 0) + p.ra[k] - b->x[k] - p.rb[k];
  for (int k = 0; k < 2; k++) gap[3 + k] = dot(p.across[k], p.axis);
}

// The five rows of a joint in A: its gap's rate is row . u.
static void joint_rows(const maximal_joint *j, const maximal_state *state, double (*A)[COLS]) {
  const maximal_state *a = body_of(state, j->a), *b = &state[j->b];
  placed p = place(j, a, b);
  for (int r = 0; r < 5; r++) memset(A[r], 0, sizeof A[r]);
  for (int k = 0; k < 3; k++) {
    // (w x r)_k = (r x e_k) . w
    const double e[3] = {k == 0, k == 1, k == 2};
    double la[3], lb[3];
    cross(p.ra, e, la);
    cross(p.rb, e, lb);
    A[k][6 * j->b + k] = -1;
    for (int c = 0; c < 3; c++) A[k][6 * j->b + 3 + c] = -lb[c];
    if (!a) continue;
    A[k][6 * j->a + k] = 1;
    for (int c = 0; c < 3; c++) A[k][6 * j->a + 3 + c] = la[c];
  }
  for (int k = 0; k < 2; k++) {
    double n[3];
    cross(p.across[k], p.axis, n);
    for (int c = 0; c < 3; c++) {
      A[3 + k][6 * j->b + 3 + c] = -n[c];
      if (a) A[3 + k][6 * j->a + 3 + c] = n[c];
    }
  }
}

// What A u' must be: minus the terms of velocities in the second derivative of the gap.
static void joint_bias(const maximal_joint *j, const maximal_state *state, double b[5]) {
  static const double still[3] = {0, 0, 0};
  const maximal_state *sa = body_of(state, j->a), *sb = &state[j->b];
  placed p = place(j, sa, sb);
  const double *wa = sa ? sa->w : still, *wb = sb->w;
  double ta[3], tb[3];
  cross(wa, p.ra, ta);
  cross(wa, ta, ta);
  cross(wb, p.rb, tb);
  cross(wb, tb, tb);
  for (int k = 0; k < 3; k++) b[k] = tb[k] - ta[k];
  for (int k = 0; k < 2; k++) {
    double dt[3], dz[3], first[3], second[3], sum = 0;
    cross(wa, p.across[k], dt);
    cross(wb, p.axis, dz);
    cross(dt, p.axis, first);
    cross(p.across[k], dz, second);
    for (int c = 0; c < 3; c++) sum += (first[c] + second[c]) * (wa[c] - wb[c]);
    b[3 + k] = -sum;
  }
}

static void axis_of(const maximal_system *s, const maximal_state *state, int j, double *axis) {
  const maximal_state *b = &state[s->joint[j].b];
  turn(b->R, s->joint[j].axis_b, axis);
}

// K: the joints, and the platform's angular velocity.
static void leading(const maximal_system *s, const maximal_state *state, tall *K) {
  for (int j = 0; j < MAXIMAL_JOINTS; j++) joint_rows(&s->joint[j], state, &K->A[5 * j]);
  for (int k = 0; k < 3; k++) {
    double *row = K->A[JOINT_ROWS + k];
    memset(row, 0, sizeof K->A[0]);
    row[6 * s->platform + 3 + k] = 1;
  }
  factor(K);
}

// N: the joints, and the power of unit torques.
static void driven(const maximal_system *s, const maximal_state *state, tall *N) {
  for (int j = 0; j < MAXIMAL_JOINTS; j++) joint_rows(&s->joint[j], state, &N->A[5 * j]);
  for (int j = 0; j < MAXIMAL_DRIVEN; j++) {
    double *row = N->A[JOINT_ROWS + j], axis[3];
    memset(row, 0, sizeof N->A[0]);
    axis_of(s, state, j, axis);
    for (int c = 0; c < 3; c++) {
      row[6 * s->joint[j].b + 3 + c] = axis[c];
      if (s->joint[j].a >= 0) row[6 * s->joint[j].a + 3 + c] = -axis[c];
    }
  }
  factor(N);
}

// ---- bodies ------------------------------------------------------------------------------------

// I w in the world.
static void angular_momentum(const maximal_body *b, const maximal_state *s, const double *w,
                             double *L) {
  double T[9], x[3];
  for (int i = 0; i < 9; i++) T[i] = s->R[3 * (i % 3) + i / 3];
  turn(T, w, x);
  turn(b->inertia, x, x);
  turn(s->R, x, L);
}

// M u for any u.
static void inertia_times(const maximal_system *s, const maximal_state *state, const double *u,
                          double *out) {
  for (int k = 0; k < MAXIMAL_BODIES; k++) {
    for (int c = 0; c < 3; c++) out[6 * k + c] = s->body[k].mass * u[6 * k + c];
    angular_momentum(&s->body[k], &state[k], &u[6 * k + 3], &out[6 * k + 3]);
  }
}

// Forces that are not those of joints and motors: weight, and -w x I w.
static void free_forces(const maximal_system *s, const maximal_state *state, double *f) {
  for (int k = 0; k < MAXIMAL_BODIES; k++) {
    double L[3];
    angular_momentum(&s->body[k], &state[k], state[k].w, L);
    cross(L, state[k].w, &f[6 * k + 3]);
    for (int c = 0; c < 3; c++) f[6 * k + c] = s->body[k].mass * s->gravity[c];
  }
}

// u' of a state when the platform's angular acceleration is alpha.
static void accelerations(const maximal_system *s, const maximal_state *state, const tall *K,
                          const double *alpha, double *u) {
  double b[ROWS];
  for (int j = 0; j < MAXIMAL_JOINTS; j++) joint_bias(&s->joint[j], state, &b[5 * j]);
  memcpy(&b[JOINT_ROWS], alpha, 3 * sizeof *alpha);
  solve_least(K, b, u);
}

static void unpack(const double *u, maximal_rate *rate) {
  for (int k = 0; rate && k < MAXIMAL_BODIES; k++) {
    memcpy(rate[k].v, &u[6 * k], sizeof rate[k].v);
    memcpy(rate[k].w, &u[6 * k + 3], sizeof rate[k].w);
  }
}

// ---- positions and velocities ------------------------------------------------------------------

double maximal_gap(const maximal_system *s, const maximal_state *state) {
  double most = 0;
  for (int j = 0; j < MAXIMAL_JOINTS; j++) {
    double gap[5];
    joint_gap(&s->joint[j], state, gap);
    for (int r = 0; r < 5; r++) most = fmax(most, fabs(gap[r]));
  }
  return most;
}

double maximal_close(const maximal_system *s, maximal_state *state) {
  double gap = maximal_gap(s, state);
  for (int pass = 0; pass < NEWTON && gap > 1e-17; pass++) {
    tall K;
    double b[ROWS] = {0}, u[COLS], before = gap;
    maximal_state old[MAXIMAL_BODIES];
    memcpy(old, state, MAXIMAL_BODIES * sizeof *state);
    leading(s, state, &K);
    for (int j = 0; j < MAXIMAL_JOINTS; j++) joint_gap(&s->joint[j], state, &b[5 * j]);
    solve_least(&K, b, u);
    for (int k = 0; k < MAXIMAL_BODIES; k++) {
      double turned[9];
      const double back[3] = {-u[6 * k + 3], -u[6 * k + 4], -u[6 * k + 5]};
      for (int c = 0; c < 3; c++) state[k].x[c] -= u[6 * k + c];
      if (k == s->platform) continue; // it leads
      rotation(back, turned);
      multiply(turned, state[k].R, state[k].R);
      straighten(state[k].R);
    }
    gap = maximal_gap(s, state);
    if (gap < before || before > 1e-10) continue;
    memcpy(state, old, MAXIMAL_BODIES * sizeof *state); // rounding is reached
    return before;
  }
  return gap;
}

void maximal_move(const maximal_system *s, const double omega[3], maximal_state *state) {
  tall K;
  double b[ROWS] = {0}, u[COLS];
  leading(s, state, &K);
  memcpy(&b[JOINT_ROWS], omega, 3 * sizeof *omega);
  solve_least(&K, b, u);
  for (int k = 0; k < MAXIMAL_BODIES; k++) {
    memcpy(state[k].v, &u[6 * k], sizeof state[k].v);
    memcpy(state[k].w, &u[6 * k + 3], sizeof state[k].w);
  }
}

void maximal_joint_rate(const maximal_system *s, const maximal_state *state,
                        const maximal_rate *rate, int j, double *speed, double *acceleration) {
  int a = s->joint[j].a, b = s->joint[j].b;
  double axis[3], turning[3], w[3], dw[3] = {0}, wa[3] = {0}; // w: of b less that of a
  if (a >= 0) memcpy(wa, state[a].w, sizeof wa);
  for (int k = 0; k < 3; k++) {
    w[k] = state[b].w[k] - wa[k];
    if (rate) dw[k] = rate[b].w[k] - (a < 0 ? 0 : rate[a].w[k]);
  }
  axis_of(s, state, j, axis);
  cross(wa, axis, turning); // the axis moves with both bodies
  *speed = dot(axis, w);
  if (rate) *acceleration = dot(axis, dw) + dot(turning, w);
}

void maximal_energy(const maximal_system *s, const maximal_state *state, double *kinetic,
                    double *potential) {
  *kinetic = *potential = 0;
  for (int k = 0; k < MAXIMAL_BODIES; k++) {
    double L[3], m = s->body[k].mass;
    angular_momentum(&s->body[k], &state[k], state[k].w, L);
    *kinetic += (m * dot(state[k].v, state[k].v) + dot(L, state[k].w)) / 2;
    *potential -= m * dot(s->gravity, state[k].x);
  }
}

// ---- motion ------------------------------------------------------------------------------------

double maximal_torques(const maximal_system *s, const maximal_state *state, const double alpha[3],
                       double tau[MAXIMAL_DRIVEN], maximal_rate *rate) {
  tall K, N;
  double u[COLS], f[COLS], need[COLS], x[ROWS], most = 0;
  leading(s, state, &K);
  accelerations(s, state, &K, alpha, u);
  inertia_times(s, state, u, need);
  free_forces(s, state, f);
  for (int i = 0; i < COLS; i++) need[i] -= f[i];
  driven(s, state, &N);
  solve_shortest(&N, need, x); // multipliers, then torques
  memcpy(tau, &x[JOINT_ROWS], MAXIMAL_DRIVEN * sizeof *tau);
  unpack(u, rate);
  for (int j = 0; j < MAXIMAL_JOINTS; j++) {
    double A[5][COLS];
    joint_rows(&s->joint[j], state, A);
    for (int r = 0; r < 5; r++)
      for (int i = 0; i < COLS; i++) need[i] -= A[r][i] * x[5 * j + r];
  }
  for (int j = 0; j < MAXIMAL_DRIVEN; j++) {
    double axis[3];
    axis_of(s, state, j, axis);
    for (int c = 0; c < 3; c++) {
      need[6 * s->joint[j].b + 3 + c] -= axis[c] * tau[j];
      if (s->joint[j].a >= 0) need[6 * s->joint[j].a + 3 + c] += axis[c] * tau[j];
    }
  }
  for (int i = 0; i < COLS; i++) most = fmax(most, fabs(need[i]));
  return most;
}

// Every motion that the joints allow is Z alpha with the platform's alpha: Gauss's principle, in
// which the multipliers do no work, gives Z^T (M u' - f - B tau) = 0.
void maximal_accelerations(const maximal_system *s, const maximal_state *state,
                           const double tau[MAXIMAL_DRIVEN], maximal_rate *rate) {
  static const double none[3] = {0, 0, 0};
  tall K;
  double u[COLS], f[COLS], Mu[COLS], Z[3][COLS], MZ[COLS], A[3][3], b[3], alpha[3];
  leading(s, state, &K);
  accelerations(s, state, &K, none, u);
  inertia_times(s, state, u, Mu);
  free_forces(s, state, f);
  for (int j = 0; j < MAXIMAL_DRIVEN; j++) {
    double axis[3];
    axis_of(s, state, j, axis);
    for (int c = 0; c < 3; c++) {
      f[6 * s->joint[j].b + 3 + c] += axis[c] * tau[j];
      if (s->joint[j].a >= 0) f[6 * s->joint[j].a + 3 + c] -= axis[c] * tau[j];
    }
  }
  for (int k = 0; k < 3; k++) {
    double unit[ROWS] = {0};
    unit[JOINT_ROWS + k] = 1;
    solve_least(&K, unit, Z[k]);
    b[k] = 0;
    for (int i = 0; i < COLS; i++) b[k] += Z[k][i] * (f[i] - Mu[i]);
  }
  for (int k = 0; k < 3; k++) {
    inertia_times(s, state, Z[k], MZ);
    for (int r = 0; r < 3; r++) {
      A[r][k] = 0;
      for (int i = 0; i < COLS; i++) A[r][k] += Z[r][i] * MZ[i];
    }
  }
  solve3(A, b, alpha);
  for (int i = 0; i < COLS; i++)
    u[i] += Z[0][i] * alpha[0] + Z[1][i] * alpha[1] + Z[2][i] * alpha[2];
  unpack(u, rate);
}

// out = state + dt slope, where slope is that of `at` with the accelerations rate.
static void advance(const maximal_state *state, const maximal_state *at, const maximal_rate *rate,
                    double dt, maximal_state *out) {
  for (int k = 0; k < MAXIMAL_BODIES; k++) {
    const double *w = at[k].w, W[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    double dR[9];
    multiply(W, at[k].R, dR);
    for (int i = 0; i < 9; i++) out[k].R[i] = state[k].R[i] + dt * dR[i];
    for (int c = 0; c < 3; c++) {
      out[k].x[c] = state[k].x[c] + dt * at[k].v[c];
      out[k].v[c] = state[k].v[c] + dt * rate[k].v[c];
      out[k].w[c] = state[k].w[c] + dt * rate[k].w[c];
    }
  }
}

double maximal_step(const maximal_system *s, maximal_motors *motors, void *context, double t,
                    double dt, maximal_state *state) {
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  size_t bytes = MAXIMAL_BODIES * sizeof *state;
  maximal_state at[MAXIMAL_BODIES], next[MAXIMAL_BODIES], end[MAXIMAL_BODIES];
  memcpy(at, state, bytes);
  memcpy(end, state, bytes);
  for (int stage = 0; stage < 4; stage++) {
    double tau[MAXIMAL_DRIVEN];
    maximal_rate rate[MAXIMAL_BODIES];
    motors(context, t + node[stage] * dt, at, tau);
    maximal_accelerations(s, at, tau, rate);
    advance(end, at, rate, weight[stage] * dt, next);
    memcpy(end, next, bytes);
    if (stage == 3) break;
    advance(state, at, rate, node[stage + 1] * dt, next);
    memcpy(at, next, bytes);
  }
  memcpy(state, end, bytes);
  for (int k = 0; k < MAXIMAL_BODIES; k++) straighten(state[k].R);
  double drift = maximal_gap(s, state);
  maximal_close(s, state);
  const double omega[3] = {state[s->platform].w[0], state[s->platform].w[1],
                           state[s->platform].w[2]};
  maximal_move(s, omega, state);
  return drift;
}
