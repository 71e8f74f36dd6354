// SPDX-License-Identifier: Apache-2.0
// How touches that depend on each other share an impulse: with the smallest sum of squares.
//
//   minimise |p|^2 / 2  subject to  sum m_j p_j = g, and p >= 0 where asked for
//
// With an orthonormal basis of the vectors m_j this is B p = s, B of full rank; then p = B^T mu,
// and with p >= 0, p = max(0, B^T mu): those that come out negative are left out, those that come
// out positive are taken in, until nothing changes (Newton's method on a piecewise linear
// equation). Where p may have any sign, B p = s is solved by a complete orthogonal decomposition.

#include <math.h>

#include "impact/law.h"
#include "num/qr.h"

// An orthonormal basis of the vectors in mix, the farthest first, and each in its coordinates. What
// is left of each vector is kept, in `left`, and becomes less by its part along each new one.
static void span(ap_law *c, int dim, int count) {
  double *size = c->room2;
  c->basis.dim = dim;
  c->basis.rank = 0;
  for (int k = 0; k < count * dim; k++) c->left[k] = c->mix[k];
  for (int j = 0; j < count; j++) size[j] = sqrt(ap__dot(dim, c->mix + j * dim, c->mix + j * dim));
  for (;;) {
    double farthest = AP_DEPENDENT;
    int which = -1;
    for (int j = 0; j < count; j++) {
      double rest = sqrt(ap__dot(dim, c->left + j * dim, c->left + j * dim));
      if (rest > farthest * size[j]) farthest = rest / size[j], which = j;
    }
    if (which < 0 || !ap__basis_add(&c->basis, c->mix + which * dim, c->room)) break;
    const double *q = c->basis.q + (c->basis.rank - 1) * dim;
    for (int j = 0; j < count; j++) {
      double *left = c->left + j * dim;
      ap__add_scaled(dim, -ap__dot(dim, q, left), q, left);
    }
    for (int k = 0; k < dim; k++) c->left[which * dim + k] = 0;
  }
  for (int k = 0; k < c->basis.rank; k++)
    for (int j = 0; j < count; j++)
      c->cols[k * count + j] = ap__dot(dim, c->basis.q + k * dim, c->mix + j * dim);
}

// The least p with B p = s over the vectors in use, and its mu. False where those do not reach s.
static bool least(ap_law *c, int count, const bool *use, const double *s, double *p, double *mu) {
  int rank = c->basis.rank;
  c->rows.dim = count;
  c->rows.rank = 0;
  for (int k = 0; k < rank; k++) {
    for (int j = 0; j < count; j++) p[j] = use[j] ? c->cols[k * count + j] : 0;
    if (!ap__basis_add(&c->rows, p, c->room)) return false;
  }
  ap__basis_solve_transposed(&c->rows, s, mu);
  for (int j = 0; j < count; j++) p[j] = 0;
  for (int k = 0; k < rank; k++) ap__add_scaled(count, mu[k], c->rows.q + k * count, p);
  ap__basis_solve(&c->rows, mu, mu);
  return true;
}

// The set of those that push for mu; true when it is another than before.
static bool regroup(const ap_law *c, int count, const double *mu, bool *use) {
  bool changed = false;
  double largest = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < count; j++) {
      double push = 0;
      for (int k = 0; k < c->basis.rank; k++) push += mu[k] * c->cols[k * count + j];
      if (pass == 0) {
        largest = fmax(largest, fabs(push));
        continue;
      }
      bool now = push > (use[j] ? -1e-13 : 1e-13) * largest;
      changed |= now != use[j];
      use[j] = now;
    }
  return changed;
}

// Without the bound on p; mix and left are used up, the basis has its rank alone.
static double shortest(ap_law *c, int dim, int count, const double *g, double *p) {
  ap_qr qr = {.m = dim, .n = count, .A = c->left, .pivot = c->of};
  double *b = c->mix, length = sqrt(ap__dot(dim, g, g));
  qr.left = c->room, qr.right = c->room2, qr.spare = c->room3;
  for (int j = 0; j < count; j++)
    for (int k = 0; k < dim; k++) qr.A[k * count + j] = c->mix[j * dim + k];
  for (int k = 0; k < dim; k++) b[k] = g[k];
  int rank = c->basis.rank = ap__qr_factor(&qr, AP_DEPENDENT);
  ap__qr_solve(&qr, b, p);
  double rest = sqrt(ap__dot(dim - rank, b + rank, b + rank));
  return length > 0 ? rest / length : 0;
}

// As the header says; the basis is left as one of vectors of dim numbers.
static double least_norm(ap_law *c, int dim, int count, const double *g, double *p) {
  double *s = c->room2, *mu = c->room3;
  bool *use = c->use;
  span(c, dim, count);
  double length = sqrt(ap__dot(dim, g, g));
  double rest = ap__basis_split(&c->basis, g, c->room, c->room2);
  for (int k = 0; k < c->basis.rank; k++) s[k] = c->room[k];
  for (int j = 0; j < count; j++) use[j] = true;
  for (int round = 0; round < 4 * count + 4; round++) {
    if (!least(c, count, use, s, p, mu)) break;
    if (regroup(c, count, mu, use)) continue;
    for (int j = 0; j < count; j++) p[j] = fmax(0, p[j]);
    return length > 0 ? rest / length : 0;
  }
  return INFINITY;
}

double ap__share(ap_law *c, int dim, int count, bool push, const double *g, double *p) {
  double rest = push ? least_norm(c, dim, count, g, p) : shortest(c, dim, count, g, p);
  c->basis.dim = c->nv;
  return rest;
}
