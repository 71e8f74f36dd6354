// SPDX-License-Identifier: Apache-2.0
// Derivatives of steps and differences on the configuration manifold.
//
// A free joint moves by q exp(xi), xi = [linear; angular] in the body frame. With ad = ad(xi),
//   q exp(d) exp(xi) = q exp(xi) exp(Ad(exp(-xi)) d),     exp(xi + d) = exp(xi) exp(J(xi) d + ...),
//   J(xi) = 1 - ad / 2! + ad^2 / 3! - ...,                Ad(exp(-xi)) = exp(-ad) = 1 - ad J(xi).
// The series converges for every xi; a rotation by pi takes some thirty terms to the last bit. A
// quaternion alone is the same with ad = [w]x. Other joints are vector spaces.

#include <math.h>

#include "opt/ddp.h"
#include "opt/matrix.h"

static void cross_matrix(const double w[3], double *M, int stride) {
  M[0] = 0, M[1] = -w[2], M[2] = w[1];
  M[stride] = w[2], M[stride + 1] = 0, M[stride + 2] = -w[0];
  M[2 * stride] = -w[1], M[2 * stride + 1] = w[0], M[2 * stride + 2] = 0;
}

// ad of a turn (n = 3) or of a twist [linear; angular] (n = 6).
static void adjoint(int n, const double *xi, double ad[36]) {
  ap__clear(36, ad);
  if (n == 3) {
    cross_matrix(xi, ad, 3);
    return;
  }
  cross_matrix(xi + 3, ad, 6);
  cross_matrix(xi, ad + 3, 6);
  cross_matrix(xi + 3, ad + 21, 6);
}

static void jacobian(int n, const double ad[36], double J[36]) {
  double term[36], next[36];
  ap__clear(36, J);
  for (int i = 0; i < n; i++) J[i * n + i] = 1;
  memcpy(term, J, sizeof term);
  for (int k = 2; k < 200; k++) {
    double most = 0;
    ap__clear(36, next);
    ap__add_product(n, n, n, -1.0 / k, ad, term, next);
    for (int i = 0; i < n * n; i++) {
      J[i] += next[i];
      term[i] = next[i];
      most = fmax(most, fabs(next[i]));
    }
    if (most < 1e-18) break;
  }
}

// A^-1 in place of B = 1, by elimination with pivots.
static void invert(int n, double A[36], double B[36]) {
  ap__clear(36, B);
  for (int i = 0; i < n; i++) B[i * n + i] = 1;
  for (int c = 0; c < n; c++) {
    int pivot = c;
    for (int i = c + 1; i < n; i++)
      if (fabs(A[i * n + c]) > fabs(A[pivot * n + c])) pivot = i;
    for (int j = 0; j < n; j++) {
      const double a = A[c * n + j], b = B[c * n + j];
      A[c * n + j] = A[pivot * n + j], A[pivot * n + j] = a;
      B[c * n + j] = B[pivot * n + j], B[pivot * n + j] = b;
    }
    for (int i = 0; i < n; i++) {
      const double f = A[i * n + c] / A[c * n + c];
      if (i == c || f == 0) continue;
      for (int j = 0; j < n; j++)
        A[i * n + j] -= f * A[c * n + j], B[i * n + j] -= f * B[c * n + j];
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) B[i * n + j] /= A[i * n + i];
}

void ap__ddp_turn_inverse(const double e[3], double J[9]) {
  double ad[36], A[36], B[36];
  adjoint(3, e, ad);
  jacobian(3, ad, A);
  invert(3, A, B);
  memcpy(J, B, 9 * sizeof *J);
}

// Where the joint of body i begins in v if it has quaternions, and its degrees of freedom; else -1.
static int curved_joint(const ap_ddp *d, int i, int *n) {
  const ap_model *m = d->def.model;
  *n = ap_joint_nv(m, i);
  return *n != ap_joint_nq(m, i) ? ap_joint_v(m, i) : -1;
}

void ap__ddp_move(const ap_ddp *d, const double *xi, int n, double *dq, const double *dxi) {
  const size_t columns = (size_t)n;
  for (int i = 1; d->quaternions && i < ap_nbody(d->def.model); i++) {
    int size;
    const int first = curved_joint(d, i, &size);
    if (first < 0) continue;
    double ad[36], J[36], Ad[36], *rows = dq + (size_t)first * columns;
    adjoint(size, xi + first, ad);
    jacobian(size, ad, J);
    ap__clear(36, Ad);
    for (int k = 0; k < size; k++) Ad[k * size + k] = 1;
    ap__add_product(size, size, size, -1, ad, J, Ad);
    ap__clear((size_t)size * columns, d->room);
    ap__add_product(size, size, n, 1, Ad, rows, d->room);
    ap__add_product(size, size, n, 1, J, dxi + (size_t)first * columns, d->room);
    // what the loop below adds to all rows is taken off again
    for (size_t k = 0; k < (size_t)size * columns; k++)
      rows[k] = d->room[k] - dxi[(size_t)first * columns + k];
  }
  for (size_t k = 0; k < (size_t)d->nv * columns; k++) dq[k] += dxi[k];
}

void ap__ddp_pull(const ap_ddp *d, const double *W, const double *r, double *gradient,
                  double *hessian) {
  const int nx = d->nx;
  for (int i = 1; i < ap_nbody(d->def.model); i++) {
    int n;
    const int curved = curved_joint(d, i, &n), first = ap_joint_v(d->def.model, i);
    if (curved < 0) {
      for (int k = first; n > 0 && k < first + n; k++)
        gradient[k] += W[k] * r[k], hessian[k * nx + k] += W[k];
      continue;
    }
    double ad[36], J[36], D[36];
    adjoint(n, r + first, ad);
    jacobian(n, ad, J);
    invert(n, J, D);
    for (int k = 0; k < n; k++) {
      const double weight = W[first + k];
      for (int a = 0; weight != 0 && a < n; a++) {
        gradient[first + a] += D[k * n + a] * weight * r[first + k];
        for (int b = 0; b < n; b++)
          hessian[(first + a) * nx + first + b] += D[k * n + a] * weight * D[k * n + b];
      }
    }
  }
}
