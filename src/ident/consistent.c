// SPDX-License-Identifier: Apache-2.0
// Least squares over parameters that bodies can have.
//
// Of a body with density rho >= 0 the pseudo-inertia
//     P = [S  h; h^T  m],   S = 1/2 trace(I) 1 - I,   h = m c
// is the integral of rho (x, 1)(x, 1)^T: positive definite, and every positive definite P belongs
// to some body (Wensing, Kim, Slotine 2018). P is linear in the parameters, so
//     |W p - tau|^2 + mu sum over bodies of (trace(P0^-1 P) - log det(P0^-1 P) - 4)
// is convex. The last term, the Bregman divergence of log det, is a barrier that no step crosses,
// and holds what no force shows near the body P0 of the model (Lee, Wensing, Park 2020). Friction
// and rotor inertia have the same in one dimension, x / x0 - log(x / x0) - 1. mu goes down to where
// it is far below the noise; Newton's method follows.
//
// With P = U U^T the second derivative of the divergence is that of |U^-1 dP U^-T|^2 / 2 and its
// first that of U^-1 dP U^-T times U^T P0^-1 U - 1, so that a step of Newton is itself a least
// squares problem: |W d + r|^2 + mu/2 |F d + g|^2.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ident/ident.h"
#include "model/frozen.h"
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

static bool has_barrier(const ap_ident *id, int k) { return id->drive[k].kind != DRIVE_OFFSET; }

// ---- one point ---------------------------------------------------------------------------------

typedef struct search {
  const ap_ident *id;
  const double *G; // [rows * rows]
  int n, rows;     // n parameters, rows = n + 1 of the triangle
  double mu;
  double *p, *p0, *trial, *step; // [n]
  double *R, *B,
      *room; // [rows * rows], [n * rows]: the rows of a step, the last column their sides
} search;

static bool search_make(search *s) {
  size_t n = (size_t)s->n, rows = (size_t)s->rows;
  s->p = malloc(n * sizeof(double)), s->p0 = malloc(n * sizeof(double));
  s->trial = malloc(n * sizeof(double)), s->step = malloc(n * sizeof(double));
  s->R = malloc(rows * rows * sizeof(double)), s->B = malloc(n * rows * sizeof(double));
  s->room = malloc(ap__triangle_room(s->rows, s->n) * sizeof(double));
  return s->p && s->p0 && s->trial && s->step && s->R && s->B && s->room;
}

static void search_free(search *s) {
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

static double cost_at(const search *s, const double *p) {
  const int inertial = 10 * s->id->bodies;
  double sum = 0;
  for (int i = 0; i < inertial; i += 10) sum += divergence(p + i, s->p0 + i);
  for (int k = 0; k < s->id->drives; k++) {
    double x = p[inertial + k] / s->p0[inertial + k];
    if (has_barrier(s->id, k)) sum += x > 0 ? x - log(x) - 1 : INFINITY;
  }
  return squares_at(s, p) + s->mu * sum;
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

// The least squares problem of a step, solved into step: [W -r] is a triangle already, and takes in
// the rows of the barriers.
static ap_status find_step(search *s) {
  const int inertial = 10 * s->id->bodies, n = s->n;
  memcpy(s->R, s->G, ap__row(s->rows, s->rows) * sizeof *s->R);
  memset(s->B, 0, ap__row(n, s->rows) * sizeof *s->B);
  for (int i = 0; i < s->rows; i++)
    s->R[ap__row(i, s->rows) + (size_t)n] = -residual_at(s, s->p, i);
  for (int i = 0; i < inertial; i += 10) barrier_of_body(s, i);
  for (int k = inertial; k < n; k++) {
    bool barrier = has_barrier(s->id, k - inertial);
    double weight = sqrt(s->mu / 2), *row = s->B + ap__row(k, s->rows);
    row[k] = barrier ? weight / s->p[k] : weight;
    row[n] = barrier ? -weight * (s->p[k] / s->p0[k] - 1) : 0;
  }
  ap__triangle_absorb(s->rows, s->R, n, s->B, s->room);
  for (int k = 0; k < n; k++) s->step[k] = s->R[ap__row(k, s->rows) + (size_t)n];
  return ap__triangle_solve(n, s->R, s->rows, 1, s->step, 1) ? AP_OK : AP_E_NO_CONVERGENCE;
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

// Down to a mu of a millionth: the problem is weighted so that noise has the deviation one.
static ap_status minimise(search *s, int iterations, int *spent) {
  s->mu = fmax(squares_at(s, s->p) / s->n, 1);
  *spent = 0;
  if (!isfinite(s->mu)) return AP_E_NO_CONVERGENCE;
  for (bool last = false; !last;) {
    double gain = INFINITY;
    int turn = 0;
    last = s->mu <= 1e-6;
    for (; gain > 0.1 * s->mu && turn < 40 && *spent < iterations; turn++, (*spent)++) {
      ap_status status = improve(s, &gain);
      if (status) return status;
    }
    s->mu *= turn < 8 ? 0.1 : 0.3; // as fast as Newton's method can follow
  }
  return AP_OK;
}

ap_status ap__fit_consistent(const ap_ident *id, const double *G, int iterations, double *p,
                             int *spent, ap_error *error) {
  search s = {.id = id, .G = G, .n = id->np, .rows = id->np + 1};
  ap_status status = search_make(&s) ? AP_OK : ap__no_memory(error);
  if (!status) {
    memcpy(s.p, p, (size_t)s.n * sizeof *p);
    for (int i = 0; i < id->bodies; i++) correct_body(s.p + 10 * i);
    for (int k = 0; k < id->drives; k++)
      if (has_barrier(id, k)) s.p[10 * id->bodies + k] = fmax(p[10 * id->bodies + k], 1e-4);
    memcpy(s.p0, s.p, (size_t)s.n * sizeof *s.p);
    status = minimise(&s, iterations, spent);
    memcpy(p, s.p, (size_t)s.n * sizeof *p);
  }
  search_free(&s);
  return status;
}

// ---- physical parameters -----------------------------------------------------------------------

bool ap_ident_physical(const ap_ident *id, const double *p) {
  for (int i = 0; i < id->bodies; i++) {
    mat4 P = pseudo_inertia(p + 10 * i), U;
    if (!factor(&P, &U)) return false;
  }
  for (int k = 0; k < id->drives; k++)
    if (id->drive[k].kind != DRIVE_OFFSET && !(p[10 * id->bodies + k] >= 0)) return false;
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
    case DRIVE_OFFSET:
    case DRIVE_KINDS: break;
  }
}

ap_status ap_ident_apply(const ap_ident *id, const double *p, ap_body_def *bodies) {
  const ap_model *m = id->m;
  if (!ap_ident_physical(id, p)) return AP_E_ARG;
  for (int i = 1; i < m->nlink; i++) {
    bodies[i - 1] = m->link[i];
    if (m->mover[i] == 0 || m->joint[m->mover[i]].link == i) continue;
    bodies[i - 1].mass = 0;
    memset(bodies[i - 1].com, 0, sizeof bodies[i - 1].com);
    memset(bodies[i - 1].inertia, 0, sizeof bodies[i - 1].inertia);
  }
  for (int i = 1; i < m->nbody; i++) put_inertia(p + 10 * (i - 1), &bodies[m->joint[i].link - 1]);
  for (int k = 0; k < id->drives; k++)
    put_drive(&id->drive[k], p[10 * id->bodies + k], &bodies[m->joint[id->drive[k].body].link - 1]);
  return AP_OK;
}
