// SPDX-License-Identifier: Apache-2.0
// Quadratic programs with limits on every unknown: projected Newton steps.
//
// D. P. Bertsekas, Projected Newton Methods for Optimization Problems with Simple Constraints, SIAM
// J. Control 20(2), 1982; as used in Y. Tassa, N. Mansard, E. Todorov, Control-Limited Differential
// Dynamic Programming, ICRA 2014. In each iteration the unknowns that rest at a limit against which
// the gradient pushes them are held; the others take the Newton step of the rest, projected.

#include <appell/ddp.h>
#include <math.h>
#include <string.h>

#include "opt/matrix.h"

enum { MOST_STEPS = 100, HALVINGS = 40 };

static double clamped(double x, double low, double high) { return fmin(fmax(x, low), high); }

static double value(int n, const double *H, const double *g, const double *u) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double row = 0;
    for (int j = 0; j < n; j++) row += H[i * n + j] * u[j];
    sum += u[i] * (0.5 * row + g[i]);
  }
  return sum;
}

// g + H u, and which entries are free; returns how many.
static int look(int n, const double *H, const double *g, const double *lower, const double *upper,
                const double *u, double *slope, bool *free_) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    slope[i] = g[i];
    for (int j = 0; j < n; j++) slope[i] += H[i * n + j] * u[j];
    free_[i] = !((u[i] <= lower[i] && slope[i] > 0) || (u[i] >= upper[i] && slope[i] < 0));
    count += free_[i];
  }
  return count;
}

// The factor of the free part of H.
static bool factor(int n, const double *H, const bool *free_, int count, double *L) {
  for (int i = 0, r = 0; i < n; i++) {
    if (!free_[i]) continue;
    for (int j = 0, c = 0; j < n; j++)
      if (free_[j]) L[r * count + c++] = H[i * n + j];
    r++;
  }
  return ap__factor(count, L);
}

ap_status ap_box_qp(int n, const double *H, const double *g, const double *lower,
                    const double *upper, double *u, bool *free_, double *room) {
  double *L = room, *slope = L + n * n, *step = slope + n, *part = step + n, *next = part + n;
  for (int i = 0; i < n; i++) u[i] = clamped(u[i], lower[i], upper[i]);
  for (int k = 0; k < MOST_STEPS; k++) {
    const int count = look(n, H, g, lower, upper, u, slope, free_);
    double rest = 0, size = 0;
    for (int i = 0; i < n; i++) {
      if (free_[i]) rest = fmax(rest, fabs(slope[i]));
      size = fmax(size, fabs(g[i]));
    }
    if (!factor(n, H, free_, count, L)) return AP_E_SINGULAR;
    if (rest <= 1e-15 * size) return AP_OK;
    for (int i = 0, r = 0; i < n; i++)
      if (free_[i]) part[r++] = -slope[i];
    ap__solve_factored(count, L, part);
    double expected = 0;
    for (int i = 0, r = 0; i < n; i++) {
      step[i] = free_[i] ? part[r++] : 0;
      expected += step[i] * slope[i];
    }
    if (!(expected < 0)) return AP_OK;
    const double before = value(n, H, g, u);
    double share = 1;
    int halving = 0;
    for (;; halving++) {
      for (int i = 0; i < n; i++) next[i] = clamped(u[i] + share * step[i], lower[i], upper[i]);
      if (value(n, H, g, next) <= before + 0.1 * share * expected || halving == HALVINGS) break;
      share *= 0.5;
    }
    bool moved = false;
    for (int i = 0; i < n; i++)
      moved |= fabs(next[i] - u[i]) > 1e-15 * (fabs(u[i]) + fabs(next[i]));
    if (!moved || halving == HALVINGS) return AP_OK; // to rounding
    memcpy(u, next, (size_t)n * sizeof *u);
  }
  return AP_OK;
}
