// SPDX-License-Identifier: Apache-2.0
// Newton's method on Coulomb's law. De Saxce's form of the law tells for each touch whether it
// leaves, sticks or slides, and in which direction d friction pushes; then
//
//   sticks   three impulses so that u = 0
//   slides   p = p_n (1, mu d): p_n so that u_n = 0, and d turns so that u_t is along it
//
// A turn by an angle moves p by s = mu p_n times the angle across d, and the equation d x u_t = 0
// by -d . u_t times the angle; in s all unknowns are impulses and the matrix is like W.

#include <math.h>

#include "impact/law.h"

typedef enum mode { LEAVES, STICKS, SLIDES } mode;

// Part of the largest entry above which all pivots of elimination are where the rank is beyond
// doubt.
static const double REGULAR = 1e-6;

// The same as below of one against turning, whose host's mode is known.
static mode turning_mode(const ap_law *c, int i, double d[2]) {
  double z[3], radius = ap__turn_radius(c, i, c->p);
  if (c->point[i].bound <= 0 || c->mode[c->touch[i].host] == LEAVES || radius <= 0) return LEAVES;
  ap__turn_forward(c, i, c->p, c->x, z);
  double side = sqrt(z[1] * z[1] + z[2] * z[2]);
  if (side <= radius) return STICKS;
  d[0] = z[1] / side, d[1] = z[2] / side;
  return SLIDES;
}

// The mode of touch i at p and x, with the direction of friction.
static mode mode_of(const ap_law *c, int i, double d[2]) {
  const ap_point *o = &c->point[i];
  double u[3], z[3];
  d[0] = d[1] = 0;
  if (c->touch[i].turn != AP_TURN_NONE) return turning_mode(c, i, d);
  if (o->W[0] <= 0) return LEAVES;
  for (int k = 0; k < 3; k++) u[k] = ap__relative(c, i, k, c->x);
  double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
  u[0] += o->mu * slip;
  for (int k = 0; k < 3; k++) z[k] = c->p[3 * i + k] - u[k] / o->bound;
  double side = sqrt(z[1] * z[1] + z[2] * z[2]);
  if (z[0] + o->mu * side <= 0) return LEAVES;
  if (o->mu > 0 && side <= o->mu * z[0]) return STICKS;
  if (side > 0) d[0] = z[1] / side, d[1] = z[2] / side;
  return SLIDES;
}

// z = sum_k s_k a_k of touch i.
static void combine(const ap_law *c, int i, double s0, double s1, double s2, double *z) {
  for (int k = 0; k < c->nv; k++) z[k] = 0;
  ap__add_scaled(c->nv, s0, ap__direction(c, i, 0), z);
  ap__add_scaled(c->nv, s1, ap__direction(c, i, 1), z);
  ap__add_scaled(c->nv, s2, ap__direction(c, i, 2), z);
}

// The normal impulse that bounds the friction of touch i: its own, or its host's.
static double *bounding(ap_law *c, int i) {
  return c->p + 3 * (c->touch[i].turn != AP_TURN_NONE ? c->touch[i].host : i);
}

// The first direction of touch i: one against turning has no normal.
static int first_of(const ap_law *c, int i) { return c->touch[i].turn != AP_TURN_NONE ? 1 : 0; }

// The modes of all touches; p of those that slide is put on the cone.
static void set_modes(ap_law *c) {
  for (int i = 0; i < c->n; i++) {
    double *d = c->way + 2 * i, *p = c->p + 3 * i, mu = c->point[i].mu;
    c->mode[i] = (int)mode_of(c, i, d);
    if (c->mode[i] == LEAVES) p[0] = p[1] = p[2] = 0;
    if (c->mode[i] == SLIDES) {
      p[0] = fmax(p[0], 0);
      double most = mu * *bounding(c, i);
      p[1] = most * d[0], p[2] = most * d[1];
    }
  }
  ap__state_of(c, c->p, c->x);
}

// Equations and unknowns of touch i, which sticks: its directions do not move. What slides against
// turning goes with its normal impulse.
static int set_up_sticking(ap_law *c, int i, int count) {
  for (int k = first_of(c, i); k < 3; k++, count++) {
    combine(c, i, k == 0, k == 1, k == 2, c->row + count * c->nv);
    combine(c, i, k == 0, k == 1, k == 2, c->col + count * c->nv);
    if (k == 0) ap__turn_drag(c, i, SLIDES, c->col + count * c->nv);
    c->row_wall[count] = c->wall[3 * i + k];
    c->extra[count] = 0;
  }
  return count;
}

// The same of one that slides.
static int set_up_sliding(ap_law *c, int i, int count) {
  double *d = c->way + 2 * i, mu = c->point[i].mu, most = mu * *bounding(c, i);
  int nv = c->nv;
  if (first_of(c, i) == 0) {
    combine(c, i, 1, 0, 0, c->row + count * nv);
    combine(c, i, 1, mu * d[0], mu * d[1], c->col + count * nv);
    ap__turn_drag(c, i, SLIDES, c->col + count * nv);
    c->row_wall[count] = c->wall[3 * i];
    c->extra[count++] = 0;
  }
  if (!(most > 0)) return count;
  combine(c, i, 0, -d[1], d[0], c->row + count * nv);
  combine(c, i, 0, -d[1], d[0], c->col + count * nv);
  c->row_wall[count] = d[0] * c->wall[3 * i + 2] - d[1] * c->wall[3 * i + 1];
  double along = d[0] * ap__relative(c, i, 1, c->x) + d[1] * ap__relative(c, i, 2, c->x);
  c->extra[count++] = fmax(0, -along) / most;
  return count;
}

// Equations and unknowns of all touches. Their number.
static int set_up(ap_law *c) {
  int count = 0;
  set_modes(c);
  for (int i = 0; i < c->n; i++) {
    int from = count;
    if (c->mode[i] == STICKS) count = set_up_sticking(c, i, count);
    if (c->mode[i] == SLIDES) count = set_up_sliding(c, i, count);
    for (int k = from; k < count; k++) c->of[k] = i;
  }
  return count;
}

// The matrix of a step by columns, in mix, and its right side. Vectors of touches have zeros beside
// what they reach.
static void set_matrix(ap_law *c, int count) {
  int nv = c->nv;
  for (int j = 0; j < count; j++) {
    const int *reach = c->reach + 4 * c->of[j];
    const double *col = c->col + j * nv;
    for (int i = 0; i < count; i++) {
      const double *row = c->row + i * nv;
      double sum = 0;
      for (int k = reach[0]; k < reach[1]; k++) sum += row[k] * col[k];
      for (int k = reach[2]; k < reach[3]; k++) sum += row[k] * col[k];
      c->mix[j * count + i] = sum;
    }
    c->mix[j * count + j] += c->extra[j];
    c->rhs[j] = c->row_wall[j] - ap__dot(nv, c->row + j * nv, c->x);
  }
}

// The solution by elimination with exchanges of rows, where no pivot is small: then it is the only
// one. Zeros are left out.
static bool eliminate(ap_law *c, int n) {
  double *A = c->cols, *x = c->shared, largest = 0;
  for (int i = 0; i < n; i++) {
    x[i] = c->rhs[i];
    for (int j = 0; j < n; j++) {
      A[i * n + j] = c->mix[j * n + i];
      largest = fmax(largest, fabs(A[i * n + j]));
    }
  }
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int r = k + 1; r < n; r++)
      if (fabs(A[r * n + k]) > fabs(A[best * n + k])) best = r;
    if (!(fabs(A[best * n + k]) > REGULAR * largest)) return false;
    for (int j = k; j < n && best != k; j++) {
      double swap = A[k * n + j];
      A[k * n + j] = A[best * n + j], A[best * n + j] = swap;
    }
    double swap = x[k];
    x[k] = x[best], x[best] = swap;
    for (int r = k + 1; r < n; r++) {
      double l = A[r * n + k] / A[k * n + k];
      if (l == 0) continue;
      ap__add_scaled(n - k - 1, -l, A + k * n + k + 1, A + r * n + k + 1);
      x[r] -= l * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--)
    x[k] = (x[k] - ap__dot(n - k - 1, A + k * n + k + 1, x + k + 1)) / A[k * n + k];
  return true;
}

// One step; false where it cannot be made.
static bool step(ap_law *c) {
  int count = set_up(c), at = 0;
  if (count == 0) return true;
  set_matrix(c, count);
  if (!eliminate(c, count) && !(ap__share(c, count, count, false, c->rhs, c->shared) < INFINITY))
    return false;
  for (int i = 0; i < c->n; i++) {
    double *d = c->way + 2 * i, *p = c->p + 3 * i, mu = c->point[i].mu;
    for (int k = first_of(c, i); c->mode[i] == STICKS && k < 3; k++) p[k] += c->shared[at++];
    if (c->mode[i] != SLIDES) continue;
    double old = first_of(c, i) ? sqrt(p[1] * p[1] + p[2] * p[2]) : mu * p[0];
    if (first_of(c, i) == 0) p[0] += c->shared[at++];
    if (old > 0) {
      double angle = c->shared[at++] / old, x = d[0] - angle * d[1];
      double y = d[1] + angle * d[0], length = sqrt(x * x + y * y);
      d[0] = x / length, d[1] = y / length;
    }
    double most = mu * *bounding(c, i); // the host is before it
    p[1] = most * d[0], p[2] = most * d[1];
  }
  ap__state_of(c, c->p, c->x);
  return true;
}

bool ap__modes(ap_law *c) {
  enum { STEPS = 20 };
  double length = ap__length(c, c->y);
  for (int j = 0; j < 3 * c->n; j++) c->kept[j] = c->p[j];
  for (int i = 0; i < STEPS && step(c); i++) {
    double error = ap__coulomb_error(c, c->p, c->x);
    if (!(error < INFINITY)) break;
    if (error <= AP_LAWFUL * length) return true;
  }
  for (int j = 0; j < 3 * c->n; j++) c->p[j] = c->kept[j];
  ap__state_of(c, c->p, c->x);
  return false;
}

// The vectors of the impulses that the modes leave open, into mix. Their number; *slide tells
// whether all slide.
static int open_impulses(ap_law *c, bool *slide) {
  int nv = c->nv, count = 0;
  *slide = true;
  for (int i = 0; i < c->n; i++) {
    double *d = c->way + 2 * i;
    c->mode[i] = *bounding(c, i) > 0 ? (int)mode_of(c, i, d) : LEAVES;
  }
  for (int i = 0; i < c->n; i++) {
    double *d = c->way + 2 * i, mu = c->point[i].mu;
    for (int k = first_of(c, i); c->mode[i] == STICKS && k < 3; k++) {
      combine(c, i, k == 0, k == 1, k == 2, c->mix + nv * count++);
      if (k == 0) ap__turn_drag(c, i, SLIDES, c->mix + nv * (count - 1));
    }
    if (c->mode[i] == STICKS) *slide = false;
    if (c->mode[i] != SLIDES || first_of(c, i)) continue;
    combine(c, i, 1, mu * d[0], mu * d[1], c->mix + nv * count++);
    ap__turn_drag(c, i, SLIDES, c->mix + nv * (count - 1));
  }
  return count;
}

void ap__modes_share(ap_law *c) {
  bool slide;
  int count = open_impulses(c, &slide), at = 0;
  double length = ap__length(c, c->y);
  for (int k = 0; k < c->nv; k++) c->g[k] = c->x[k] - c->y[k];
  double rest = ap__share(c, c->nv, count, slide, c->g, c->shared);
  if (c->basis.rank == count || !(rest <= 1e-9)) return;
  for (int j = 0; j < 3 * c->n; j++) c->kept[j] = c->p[j];
  for (int i = 0; i < c->n; i++) {
    double *d = c->way + 2 * i, *p = c->p + 3 * i, mu = c->point[i].mu;
    p[0] = p[1] = p[2] = 0;
    for (int k = first_of(c, i); c->mode[i] == STICKS && k < 3; k++) p[k] = c->shared[at++];
    if (c->mode[i] != SLIDES) continue;
    if (first_of(c, i) == 0) p[0] = c->shared[at++];
    double most = mu * *bounding(c, i);
    p[1] = most * d[0], p[2] = most * d[1];
  }
  ap__state_of(c, c->p, c->x);
  if (ap__coulomb_error(c, c->p, c->x) <= 4 * AP_LAWFUL * length) return;
  for (int j = 0; j < 3 * c->n; j++) c->p[j] = c->kept[j];
}
