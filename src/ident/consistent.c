// SPDX-License-Identifier: Apache-2.0
// Least squares over parameters that bodies can have.
//
// Of a body with density rho >= 0 the pseudo-inertia
//     P = [S  h; h^T  m],   S = 1/2 trace(I) 1 - I,   h = m c
// is the integral of rho (x, 1)(x, 1)^T: positive definite, and every positive definite P belongs
// to some body (Wensing, Kim, Slotine 2018). P is linear in the parameters, so
//     |W p - tau|^2 + mu sum over bodies of (trace(P0^-1 P) - log det(P0^-1 P) - 4)
// is convex. The last term, the Bregman divergence of log det, is a barrier that no step crosses,
// and holds what no force shows near the body P0 of the model (Lee, Wensing, Park 2020). A rotor of
// the model has the same in one dimension, x / x0 - log(x / x0) - 1; of other rotors and of
// friction nothing is known but the sign. Newton's method follows mu down.
//
// The problem is weighted so that noise has the deviation one. Half of the cost is then the
// negative logarithm of a posterior density, and mu says how much the model is believed: masses are
// off by a part of sigma = sqrt(2 / mu). With the metric F of the divergence at the minimum,
// Laplace's approximation of the evidence, the probability of the forces whatever the bodies, is
//     log Z = -cost / 2 + n/2 log(mu / 2) + log |det F| - log |det R|,   R^T R = W^T W + mu/2 F^T
//     F,
// and the covariance of the parameters R^-1 R^-T. It has two parts, (R^T R)^-1 W^T W (R^T R)^-1
// from the noise and (R^T R)^-1 mu/2 F^T F (R^T R)^-1 from the doubts about the model. A parameter
// is identifiable where the latter is small.
//
// With P = U U^T the second derivative of the divergence is that of |U^-1 dP U^-T|^2 / 2 and its
// first that of U^-1 dP U^-T times U^T P0^-1 U - 1, so that a step of Newton is itself a least
// squares problem: |W d + r|^2 + mu/2 |F d + g|^2.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ident/ident.h"
#include "model/pack.h"
#include "num/vec3.h"

// ---- pseudo-inertia ----------------------------------------------------------------------------

typedef struct mat4 {
  double a[4][4];
} mat4;

// From the ten parameters m, h, Ixx Ixy Ixz Iyy Iyz Izz and back.
static mat4 pseudo_inertia(const double *p) {
  double half = (p[4] + p[7] + p[9]) / 2;
  return (mat4){{{half - p[4], -p[5], -p[6], p[1]},
                 {-p[5], half - p[7], -p[8], p[2]},
                 {-p[6], -p[8], half - p[9], p[3]},
                 {p[1], p[2], p[3], p[0]}}};
}

static void inertial_of(const mat4 *P, double *p) {
  const double(*a)[4] = P->a;
  p[0] = a[3][3];
  for (int k = 0; k < 3; k++) p[1 + k] = a[k][3];
  p[4] = a[1][1] + a[2][2], p[7] = a[0][0] + a[2][2], p[9] = a[0][0] + a[1][1];
  p[5] = -a[0][1], p[6] = -a[0][2], p[8] = -a[1][2];
}

// U of P = U U^T, upper triangular; false where P is not positive definite.
static bool factor(const mat4 *P, mat4 *U) {
  *U = (mat4){0};
  for (int j = 3; j >= 0; j--) {
    double d = P->a[j][j];
    for (int k = j + 1; k < 4; k++) d -= U->a[j][k] * U->a[j][k];
    if (!(d > 0)) return false;
    U->a[j][j] = sqrt(d);
    for (int i = 0; i < j; i++) {
      double x = P->a[i][j];
      for (int k = j + 1; k < 4; k++) x -= U->a[i][k] * U->a[j][k];
      U->a[i][j] = x / U->a[j][j];
    }
  }
  return true;
}

// U^-1 A U^-T of a symmetric A, in place.
static void divide_by_factor(const mat4 *U, mat4 *A) {
  for (int turn = 0; turn < 2; turn++) { // U^-1 A, transposed: once for each side
    mat4 B = {0};
    for (int c = 0; c < 4; c++)
      for (int i = 3; i >= 0; i--) {
        double x = A->a[i][c];
        for (int k = i + 1; k < 4; k++) x -= U->a[i][k] * B.a[c][k];
        B.a[c][i] = x / U->a[i][i];
      }
    *A = B;
  }
}

// The ten numbers of a symmetric matrix whose squares sum to the squares of all sixteen.
static void ten_of(const mat4 *A, double *x) {
  for (int i = 0; i < 4; i++)
    for (int j = i; j < 4; j++) *x++ = i == j ? A->a[i][i] : sqrt(2) * A->a[i][j];
}

// A body near the one described that has a density: what is missing of mass is put in place, what
// is missing of S is added to its diagonal. A place to start from, nothing more.
static void correct_body(double *p) {
  mat4 P = pseudo_inertia(p), U;
  if (factor(&P, &U) && U.a[3][3] > 1e-2) { // 0.1 g
    double least = fmin(fmin(U.a[0][0], U.a[1][1]), U.a[2][2]);
    if (least > 1e-3 * U.a[3][3]) return; // 1 mm wide
  }
  if (!(P.a[3][3] > 1e-4)) P.a[3][3] = 0.1;
  double m = P.a[3][3], size = 0.05; // kg, m: half the width of a small link
  for (int k = 0; k < 3; k++) size = fmax(size, 0.3 * fabs(P.a[k][3]) / m);
  for (int k = 0; k < 3; k++) P.a[k][k] = fmax(P.a[k][k], P.a[k][3] * P.a[k][3] / m);
  double more = 0.01 * m * size * size;
  for (int tries = 0; tries < 200; tries++) { // fewer unless a number is not finite
    for (int k = 0; k < 3; k++) P.a[k][k] += more;
    if (factor(&P, &U)) break;
    more *= 2;
  }
  inertial_of(&P, p);
}

static bool has_barrier(const ap_ident *id, int k) { return ap__drive_has_sign(id->drive[k].kind); }

// Weights of barriers that only keep a sign: a millionth of the noise.
#define BARRIER 1e-6
// The range of sigma that evidence chooses from, and the ratio of mu between two looks at it.
#define SIGMA_LEAST 0.02
#define SIGMA_MOST  4.0
#define PRIOR_STEP  0.31622776601683794
// A known total mass is right to this part of it.
#define TOTAL_SIGMA 0.002
// Doubts of the model are looked at as if they were at most this, to say what is identifiable.
#define DOUBT 0.25

static double mu_of(double sigma) { return 2 / (sigma * sigma); }
static double sigma_of(double mu) { return sqrt(2 / mu); }

// ---- one point ---------------------------------------------------------------------------------

typedef struct search {
  const ap_ident *id;
  const ap__consistent *about;
  const double *G; // [rows * rows]
  int n, rows;     // n parameters, rows = n + 1 of the triangle
  int extra;       // rows of a step besides: the total mass, bounds of masses
  double mu;
  bool *held;                    // [drives] no force shows them: they are the model's
  double *p, *p0, *trial, *step; // [n]
  double *R, *B, *room; // [rows * rows], [(n + extra) * rows]: the rows of a step, the last column
                        // their sides
} search;

static bool search_make(search *s) {
  size_t n = (size_t)s->n, rows = (size_t)s->rows;
  s->p = malloc(n * sizeof(double)), s->p0 = malloc(n * sizeof(double));
  s->trial = malloc(n * sizeof(double)), s->step = malloc(n * sizeof(double));
  s->held = calloc((size_t)s->id->drives + 1, sizeof *s->held);
  s->extra = 1 + 2 * s->id->bodies;
  s->R = malloc(rows * rows * sizeof(double));
  s->B = malloc((n + (size_t)s->extra) * rows * sizeof(double));
  s->room = malloc(ap__triangle_room(s->rows, s->n + s->extra) * sizeof(double));
  return s->p && s->p0 && s->trial && s->step && s->held && s->R && s->B && s->room;
}

static void search_free(search *s) {
  free(s->held);
  free(s->p), free(s->p0), free(s->trial), free(s->step), free(s->R), free(s->B), free(s->room);
}

// trace(P0^-1 P) - log det(P0^-1 P) - 4; infinite where P is no pseudo-inertia.
static double divergence(const double *p, const double *p0) {
  mat4 P = pseudo_inertia(p), P0 = pseudo_inertia(p0), U, U0;
  if (!factor(&P, &U) || !factor(&P0, &U0)) return INFINITY;
  divide_by_factor(&U0, &P); // similar to P0^-1 P
  double sum = -4;
  for (int k = 0; k < 4; k++) sum += P.a[k][k] - 2 * log(U.a[k][k] / U0.a[k][k]);
  return sum;
}

// Row i of G [p; -1]
static double residual_at(const search *s, const double *p, int i) {
  const double *row = s->G + ap__row(i, s->rows);
  double r = -row[s->n];
  for (int k = i; k < s->n; k++) r += row[k] * p[k];
  return r;
}

static double squares_at(const search *s, const double *p) {
  double sum = 0;
  for (int i = 0; i < s->rows; i++) sum += pow(residual_at(s, p, i), 2);
  return sum;
}

// Whether drive parameter k shows in no force. Without data its sign alone would let it grow.
static bool is_hidden(const search *s, int k) {
  const ap_base *base = s->about->base;
  for (int b = 0; b < base->n; b++)
    if (ap_base_factor(base, b, 10 * s->id->bodies + k) != 0) return false;
  return true;
}

// Whether the model says something about a drive parameter: its rotors, where it has any.
static bool has_prior(const search *s, int k) {
  return !s->held[k] && s->id->drive[k].kind == DRIVE_ROTOR &&
         s->about->known[10 * s->id->bodies + k] > 0;
}

static double total_mass(const search *s, const double *p) {
  double sum = 0;
  for (int i = 0; i < s->id->bodies; i++) sum += p[10 * i];
  return sum;
}

// Bound `which` of the masses: how far inside mass is. Infinite where there is none.
static double inside(const search *s, const double *p, int which) {
  const ap_fit_options *o = s->about->options;
  const double *bound = which % 2 ? o->mass_most : o->mass_least;
  if (!bound || !isfinite(bound[which / 2])) return INFINITY;
  double x = p[(ptrdiff_t)10 * (which / 2)] - bound[which / 2];
  return which % 2 ? -x : x;
}

// Squares and barriers that do not depend on mu.
static double sure_cost(const search *s, const double *p) {
  const int inertial = 10 * s->id->bodies;
  const double total = s->about->options->total_mass;
  double sum = squares_at(s, p), barrier = 0;
  if (total > 0) sum += pow((total_mass(s, p) / total - 1) / TOTAL_SIGMA, 2);
  for (int k = 0; k < s->id->drives; k++)
    if (has_barrier(s->id, k) && !has_prior(s, k) && !s->held[k])
      barrier -= p[inertial + k] > 0 ? log(p[inertial + k]) : -INFINITY;
  for (int k = 0; k < 2 * s->id->bodies; k++) {
    double x = inside(s, p, k);
    if (x < INFINITY) barrier -= x > 0 ? log(x) : -INFINITY;
  }
  return sum + BARRIER * barrier;
}

static double cost_at(const search *s, const double *p) {
  const int inertial = 10 * s->id->bodies;
  double sum = 0;
  for (int i = 0; i < inertial; i += 10) sum += divergence(p + i, s->p0 + i);
  for (int k = 0; k < s->id->drives; k++) {
    double x = p[inertial + k] / s->p0[inertial + k];
    if (has_prior(s, k)) sum += x > 0 ? x - log(x) - 1 : INFINITY;
  }
  return sure_cost(s, p) + s->mu * sum;
}

// ---- Newton ------------------------------------------------------------------------------------

// The rows i .. i + 9 of one body's barrier, [F -g].
static void barrier_of_body(search *s, int i) {
  double weight = sqrt(s->mu / 2), ten[10], one[10] = {0};
  mat4 P = pseudo_inertia(s->p + i), P0 = pseudo_inertia(s->p0 + i), U, U0;
  if (!factor(&P, &U) || !factor(&P0, &U0)) return; // never: both are physical
  for (int k = 0; k < 10; k++) {
    one[k] = 1;
    mat4 E = pseudo_inertia(one);
    one[k] = 0;
    divide_by_factor(&U, &E);
    ten_of(&E, ten);
    for (int r = 0; r < 10; r++) s->B[ap__row(i + r, s->rows) + (size_t)(i + k)] = weight * ten[r];
  }
  mat4 B = {0}, g = {0}; // U^T P0^-1 U - 1 = B^T B - 1 with B = U0^-1 U
  for (int c = 0; c < 4; c++)
    for (int r = 3; r >= 0; r--) {
      double x = U.a[r][c];
      for (int k = r + 1; k < 4; k++) x -= U0.a[r][k] * B.a[k][c];
      B.a[r][c] = x / U0.a[r][r];
    }
  for (int r = 0; r < 4; r++)
    for (int c = 0; c < 4; c++) {
      g.a[r][c] = r == c ? -1 : 0;
      for (int k = 0; k < 4; k++) g.a[r][c] += B.a[k][r] * B.a[k][c];
    }
  ten_of(&g, ten);
  for (int r = 0; r < 10; r++) s->B[ap__row(i + r, s->rows) + (size_t)s->n] = -weight * ten[r];
}

// The rows of drive parameter k. What has neither sign nor prior still gets a pivot.
static void barrier_of_drive(search *s, int k) {
  const int at = 10 * s->id->bodies + k;
  double *row = s->B + ap__row(at, s->rows), x = s->p[at];
  if (s->held[k]) {
    row[at] = 1; // no step
    return;
  }
  bool prior = has_prior(s, k), barrier = has_barrier(s->id, k);
  double weight = sqrt((prior ? s->mu : BARRIER) / 2);
  row[at] = barrier ? weight / x : weight;
  row[s->n] = !barrier ? 0 : prior ? -weight * (x / s->p0[at] - 1) : weight;
}

// The rows of the total mass and of the bounds of masses.
static void rows_of_masses(search *s) {
  const double total = s->about->options->total_mass, weight = sqrt(BARRIER / 2);
  double *row = s->B + ap__row(s->n, s->rows);
  for (int i = 0; i < s->id->bodies && total > 0; i++) row[10 * i] = 1 / (total * TOTAL_SIGMA);
  if (total > 0) row[s->n] = -(total_mass(s, s->p) / total - 1) / TOTAL_SIGMA;
  for (int k = 0; k < 2 * s->id->bodies; k++) { // -log of the distance x to a bound
    double x = inside(s, s->p, k);
    row += s->rows;
    if (!(x < INFINITY)) continue;
    row[10 * (k / 2)] = (k % 2 ? -1 : 1) * weight / x;
    row[s->n] = weight;
  }
}

// The rows of barriers and of what is known, in B.
static void find_rows(search *s) {
  const int inertial = 10 * s->id->bodies;
  memset(s->B, 0, ap__row(s->n + s->extra, s->rows) * sizeof *s->B);
  for (int i = 0; i < inertial; i += 10) barrier_of_body(s, i);
  for (int k = 0; k < s->id->drives; k++) barrier_of_drive(s, k);
  rows_of_masses(s);
}

// The triangle of a step: [W -r] is one already, and takes in the other rows.
static void find_triangle(search *s) {
  memcpy(s->R, s->G, ap__row(s->rows, s->rows) * sizeof *s->R);
  for (int i = 0; i < s->rows; i++) {
    s->R[ap__row(i, s->rows) + (size_t)s->n] = -residual_at(s, s->p, i);
    for (int k = 0; k < s->id->drives; k++)
      if (s->held[k]) s->R[ap__row(i, s->rows) + (size_t)(10 * s->id->bodies + k)] = 0;
  }
  find_rows(s);
  ap__triangle_absorb(s->rows, s->R, s->n + s->extra, s->B, s->room);
}

// The least squares problem of a step, solved into step.
static ap_status find_step(search *s) {
  find_triangle(s);
  for (int k = 0; k < s->n; k++) s->step[k] = s->R[ap__row(k, s->rows) + (size_t)s->n];
  return ap__triangle_solve(s->n, s->R, s->rows, 1, s->step, 1) ? AP_OK : AP_E_NO_CONVERGENCE;
}

// A step of Newton, shortened until it stays physical and the cost falls; *gain is by how much.
static ap_status improve(search *s, double *gain) {
  double before = cost_at(s, s->p), length = 1;
  ap_status status = find_step(s);
  *gain = 0;
  for (int tries = 0; !status && tries < 50 && *gain <= 0; tries++) {
    for (int k = 0; k < s->n; k++) s->trial[k] = s->p[k] + length * s->step[k];
    *gain = before - cost_at(s, s->trial);
    length /= 2;
  }
  if (!status && *gain > 0) memcpy(s->p, s->trial, (size_t)s->n * sizeof *s->p);
  return status;
}

// To the minimum at mu; *turns is how many steps it took.
static ap_status settle(search *s, int iterations, int *spent, int *turns) {
  double gain = INFINITY;
  for (*turns = 0; gain > 1e-7 * fmax(s->mu, 0.1) && *turns < 60 && *spent < iterations;
       ++*turns, ++*spent) {
    ap_status status = improve(s, &gain);
    if (status) return status;
  }
  return AP_OK;
}

// Down to `to`, as fast as Newton's method can follow.
static ap_status descend(search *s, double to, int iterations, int *spent) {
  s->mu = fmax(squares_at(s, s->p) / s->n, to);
  if (!isfinite(s->mu)) return AP_E_NO_CONVERGENCE;
  for (;;) {
    int turns;
    ap_status status = settle(s, iterations, spent, &turns);
    if (status || s->mu <= to) return status;
    s->mu = fmax(s->mu * (turns < 8 ? 0.1 : 0.3), to);
  }
}

// ---- evidence ----------------------------------------------------------------------------------

// log Z at the minimum at mu.
static double evidence(search *s) {
  const int inertial = 10 * s->id->bodies;
  int n = inertial;
  find_triangle(s);
  double sum = -cost_at(s, s->p) / 2;
  for (int i = 0; i < inertial; i += 10) { // det F of a body: that of P = U U^T to the power -5/2
    mat4 P = pseudo_inertia(s->p + i), U;
    if (!factor(&P, &U)) return -INFINITY;
    for (int k = 0; k < 4; k++) sum -= 5 * log(U.a[k][k]);
  }
  for (int k = 0; k < s->id->drives; k++)
    if (has_prior(s, k)) n++, sum -= log(s->p[inertial + k]);
  for (int k = 0; k < s->n; k++) sum -= log(fabs(s->R[ap__row(k, s->rows) + (size_t)k]));
  return sum + 0.5 * n * log(s->mu / 2);
}

// The top of the parabola through three values at -1, 0, 1.
static double top_of(double a, double b, double c) {
  double bend = a - 2 * b + c;
  return bend < 0 ? fmax(-1, fmin(1, (a - c) / (2 * bend))) : 0;
}

// The mu of most evidence, from the largest down, and the minimum there.
static ap_status weigh_prior(search *s, int iterations, int *spent) {
  double value[3] = {-INFINITY, -INFINITY, -INFINITY}; // around the best
  double best_mu = s->mu, last = -INFINITY;
  for (bool more = true; more;) {
    int turns;
    ap_status status = settle(s, iterations, spent, &turns);
    if (status) return status;
    double now = evidence(s);
    if (now > value[1])
      value[0] = last, value[1] = now, value[2] = -INFINITY, best_mu = s->mu;
    else if (!isfinite(value[2]))
      value[2] = now;
    last = now;
    more = now > value[1] - 10 && s->mu * PRIOR_STEP >= mu_of(SIGMA_MOST) && *spent < iterations;
    if (more) s->mu *= PRIOR_STEP;
  }
  bool between = isfinite(value[0]) && isfinite(value[2]);
  s->mu = best_mu * pow(PRIOR_STEP, between ? top_of(value[0], value[1], value[2]) : 0);
  int turns;
  return settle(s, iterations, spent, &turns);
}

// ---- what is known of every parameter ----------------------------------------------------------

// Deviation of parameter k of a body by the prior alone, for mu = 2: with dP = U Z U^T the length
// of its derivative by the ten numbers of Z.
static void prior_of_body(const double *p, double *deviation) {
  mat4 P = pseudo_inertia(p), U;
  double sum[10] = {0};
  if (!factor(&P, &U)) return;
  for (int i = 0; i < 4; i++)
    for (int j = i; j < 4; j++) {
      mat4 dP = {0};
      double ten[10], unit = i == j ? 0.5 : sqrt(0.5);
      for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
          dP.a[r][c] = unit * (U.a[r][i] * U.a[c][j] + U.a[r][j] * U.a[c][i]);
      inertial_of(&dP, ten);
      for (int k = 0; k < 10; k++) sum[k] += ten[k] * ten[k];
    }
  for (int k = 0; k < 10; k++) deviation[k] = sqrt(sum[k]);
}

// The deviation that a parameter is called identifiable against: that of a model in doubt by sigma,
// or by a quarter where sigma is more.
static void references(const search *s, double *reference) {
  const int inertial = 10 * s->id->bodies;
  double sigma = fmin(DOUBT, sigma_of(s->mu));
  for (int i = 0; i < inertial; i += 10) prior_of_body(s->p + i, reference + i);
  for (int k = 0; k < inertial; k++) reference[k] *= sigma;
  for (int k = inertial; k < s->n; k++)
    reference[k] = (has_prior(s, k - inertial) ? sigma : DOUBT) * fabs(s->p[k]);
}

// Deviations of all parameters, and which part of them forces determine. C is [n * (n + extra)].
static ap_status judge(search *s, double *C, double *deviation, double *determined) {
  const int n = s->n, rows = s->n + s->extra;
  find_triangle(s);
  find_rows(s);               // they were used up
  for (int k = 0; k < n; k++) // R^-1
    for (int i = 0; i < n; i++) C[ap__row(i, n) + (size_t)k] = i == k;
  if (!ap__triangle_solve(n, s->R, s->rows, n, C, n)) return AP_E_NO_CONVERGENCE;
  references(s, determined);
  double *half = s->step;
  for (int k = 0; k < n; k++) {
    const double *r = C + ap__row(k, n); // row k of R^-1
    double whole = 0, doubt = 0;
    for (int i = 0; i < n; i++) whole += r[i] * r[i];
    for (int i = 0; i < n; i++) { // R^-1 times it: column k of the covariance
      half[i] = 0;
      for (int c = i > k ? i : k; c < n; c++) half[i] += C[ap__row(i, n) + (size_t)c] * r[c];
    }
    for (int i = 0; i < rows; i++) {
      const double *b = s->B + ap__row(i, s->rows);
      double x = 0;
      for (int c = 0; c < n; c++) x += b[c] * half[c];
      doubt += x * x;
    }
    deviation[k] = sqrt(whole);
    double part = determined[k] > 0 ? doubt / (determined[k] * determined[k]) : 1;
    determined[k] = fmax(0, 1 - part);
  }
  for (int k = 0; k < s->id->drives; k++) // nothing says how far the model is off
    if (s->held[k])
      deviation[10 * s->id->bodies + k] = INFINITY, determined[10 * s->id->bodies + k] = 0;
  return AP_OK;
}

// ---- all of it ---------------------------------------------------------------------------------

// Masses inside their bounds, the rest of a body with its mass.
static void bring_inside(const search *s, double *p) {
  const ap_fit_options *o = s->about->options;
  for (int i = 0; i < s->id->bodies; i++) {
    double least = o->mass_least ? fmax(o->mass_least[i], 0) : 0;
    double most = o->mass_most ? o->mass_most[i] : INFINITY, *body = p + (ptrdiff_t)10 * i;
    double margin = isfinite(most) ? 0.05 * (most - least) : 0.05 * least;
    double mass = fmin(fmax(body[0], least + margin), most - margin), factor = mass / body[0];
    for (int k = 0; k < 10 && factor != 1; k++) body[k] *= factor;
  }
}

static ap_status check_bounds(const ap_ident *id, const ap_fit_options *o, ap_error *error) {
  for (int i = 0; i < id->bodies; i++) {
    double least = o->mass_least ? o->mass_least[i] : 0;
    double most = o->mass_most ? o->mass_most[i] : INFINITY;
    if (!(least < most) || !(most > 0) || !isfinite(least))
      return AP__REFUSE(error, AP_E_ARG, 0, "the mass of '%s' cannot be between %g and %g kg",
                        id->name[10 * i], least, most);
  }
  if (!(o->prior >= 0) || !(o->total_mass >= 0) || !isfinite(o->total_mass))
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a prior of %g or a total mass of %g kg (they must be positive, or 0)",
                      o->prior, o->total_mass);
  return AP_OK;
}

static ap_status start_search(search *s, const double *p) {
  const ap_ident *id = s->id;
  memcpy(s->p, p, (size_t)s->n * sizeof *p);
  for (int i = 0; i < id->bodies; i++) correct_body(s->p + 10 * i);
  bring_inside(s, s->p);
  for (int k = 0; k < id->drives; k++)
    if (has_barrier(id, k)) s->p[10 * id->bodies + k] = fmax(p[10 * id->bodies + k], 1e-4);
  for (int k = 0; k < id->drives; k++) {
    s->held[k] = is_hidden(s, k);
    if (s->held[k]) s->p[10 * id->bodies + k] = s->about->known[10 * id->bodies + k];
  }
  memcpy(s->p0, s->p, (size_t)s->n * sizeof *s->p);
  return AP_OK;
}

ap_status ap__fit_consistent(const ap_ident *id, const double *G, const ap__consistent *about,
                             ap_fit *fit, ap_error *error) {
  const ap_fit_options *o = about->options;
  search s = {.id = id, .about = about, .G = G, .n = id->np, .rows = id->np + 1};
  const bool given = o->prior > 0 || id->payload; // no model says what a payload is
  const double prior = o->prior > 0 ? o->prior : SIGMA_MOST;
  ap_status status = check_bounds(id, o, error);
  if (status) return status;
  status = search_make(&s) ? AP_OK : ap__no_memory(error);
  double *C = malloc(ap__row(s.n, s.n) * sizeof *C + 1);
  if (!status && !C) status = ap__no_memory(error);
  if (!status) status = start_search(&s, fit->parameter);
  if (!status)
    status = descend(&s, mu_of(given ? prior : SIGMA_LEAST), o->iterations, &fit->iterations);
  if (!status && !given) status = weigh_prior(&s, o->iterations, &fit->iterations);
  if (!status) status = judge(&s, C, fit->parameter_deviation, fit->determined);
  if (!status) {
    memcpy(fit->parameter, s.p, (size_t)s.n * sizeof *s.p);
    fit->prior = sigma_of(s.mu);
  }
  free(C), search_free(&s);
  return status;
}

// ---- physical parameters -----------------------------------------------------------------------

bool ap_ident_physical(const ap_ident *id, const double *p) {
  for (int i = 0; i < id->bodies; i++) {
    mat4 P = pseudo_inertia(p + 10 * i), U;
    if (!factor(&P, &U)) return false;
  }
  for (int k = 0; k < id->drives; k++)
    if (has_barrier(id, k) && !(p[10 * id->bodies + k] >= 0)) return false;
  return true;
}

// Mass, centre and inertia about it of the ten parameters, into a definition.
static void put_inertia(const double *p, ap_body_def *b) {
  double m = p[0], c[3] = {p[1] / m, p[2] / m, p[3] / m};
  double square = dot3(c, c);
  b->mass = m;
  memcpy(b->com, c, sizeof c);
  for (int r = 0, k = 0; r < 3; r++)
    for (int s = r; s < 3; s++, k++)
      b->inertia[k] = p[4 + k] - m * ((r == s ? square : 0) - c[r] * c[s]);
  for (int k = 0; k < 3; k++) b->inertia_rpy[k] = 0;
}

static void put_drive(const drive *d, double x, ap_body_def *b) {
  switch (d->kind) {
    case DRIVE_ROTOR:
      b->rotor_inertia = b->gear_ratio != 0 ? x / (b->gear_ratio * b->gear_ratio) : x;
      if (b->gear_ratio == 0) b->gear_ratio = 1;
      break;
    case DRIVE_VISCOUS: b->viscous = x; break;
    case DRIVE_COULOMB:
      b->coulomb = x;
      if (b->stiction != 0) b->stiction = fmax(b->stiction, x);
      break;
    case DRIVE_STRIBECK: b->stiction = b->coulomb + x; break; // after Coulomb's
    case DRIVE_STIFFNESS: b->stiffness = x; break;
    default: break; // no model has it
  }
}

ap_status ap_ident_apply(const ap_ident *id, const double *p, ap_body_def *bodies) {
  const ap_model *m = id->m;
  if (!ap_ident_physical(id, p)) return AP_E_ARG;
  for (int i = 1; i < m->nlink; i++) {
    bodies[i - 1] = m->link[i];
    if (m->mover[i] == 0 || m->joint[m->mover[i]].link == i) continue;
    bodies[i - 1].mass = bodies[i - 1].gravity_compensation = 0;
    memset(bodies[i - 1].com, 0, sizeof bodies[i - 1].com);
    memset(bodies[i - 1].inertia, 0, sizeof bodies[i - 1].inertia);
  }
  for (int i = 1; i < m->nbody; i++) {
    ap_body_def *b = &bodies[m->joint[i].link - 1];
    double held[4], own[10];
    ap__held_weight_f64(m, NULL, i, m->packed_frame, held);
    for (int k = 0; k < 10; k++) {
      double file = id->file[10 * (i - 1) + k];
      own[k] = !id->payload ? p[10 * (i - 1) + k] : i == id->payload ? file + p[k] : file;
    }
    if (own[0] > 0) put_inertia(own, b);
    if (m->packed_body[i].mass > 0) b->gravity_compensation = held[0] / m->packed_body[i].mass;
  }
  for (int k = 0; k < id->drives; k++)
    put_drive(&id->drive[k], p[10 * id->bodies + k], &bodies[m->joint[id->drive[k].body].link - 1]);
  return AP_OK;
}
