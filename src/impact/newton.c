// SPDX-License-Identifier: Apache-2.0
// Newton's law of impact without friction, with complementarity.

#include <math.h>

#include "impact/law.h"

// Impulses of the active normals, shared with all touches that are as tight as they are.
static void spread(ap_law *c, int nactive) {
  double length = ap__length(c, c->y);
  int count = 0;
  for (int j = 0; j < 3 * c->n; j++) c->p[j] = 0;
  for (int i = 0; i < c->n; i++) c->on[i] = false;
  for (int k = 0; k < nactive; k++) {
    c->p[3 * c->active[k]] = c->lambda[k];
    c->on[c->active[k]] = true;
  }
  for (int i = 0; i < c->n; i++) {
    double size = c->size[3 * i];
    double slack = ap__along(c, 3 * i, c->x) - c->d[i];
    if (size > 0 && slack <= 100 * AP_STILL * size * length) c->on[i] = true;
  }
  for (int i = 0; i < c->n; i++) {
    if (!c->on[i]) continue;
    const double *a = ap__direction(c, i, 0);
    for (int k = 0; k < c->nv; k++) c->mix[count * c->nv + k] = a[k];
    count++;
  }
  if (count == nactive) return;
  for (int k = 0; k < c->nv; k++) c->g[k] = c->x[k] - c->y[k];
  if (!(ap__share(c, c->nv, count, true, c->g, c->shared) <= 1e-9)) return;
  for (int i = c->n - 1; i >= 0; i--)
    if (c->on[i]) c->p[3 * i] = c->shared[--count];
}

int ap__pressed(ap_law *c, const double *p) {
  double largest = 0;
  for (int i = 0; i < c->n; i++) largest = fmax(largest, p[3 * i] * c->size[3 * i]);
  c->basis.rank = 0;
  for (int i = 0; i < c->n; i++)
    if (p[3 * i] * c->size[3 * i] > 1e-13 * largest)
      ap__basis_add(&c->basis, ap__direction(c, i, 0), c->room);
  return c->basis.rank;
}

ap_status ap__newton(ap_law *c, double scale, int *rank) {
  int nactive;
  for (int i = 0; i < c->n; i++) {
    double before = ap__relative(c, i, 0, c->y);
    c->d[i] = c->wall[3 * i] + (before < 0 ? -scale * c->e[i] * before : 0);
  }
  for (int round = 0; round <= c->n; round++) {
    ap_projected done = ap__project(c, &nactive);
    if (done == AP_PROJECTED) {
      spread(c, nactive);
      *rank = ap__pressed(c, c->p);
      return AP_OK;
    }
    if (done == AP_TOO_LONG) break;
    // A point between walls that face each other cannot rebound from one into the other.
    for (int i = 0; i < c->n; i++)
      if (c->on[i]) c->d[i] = c->wall[3 * i];
  }
  return AP_E_NO_CONVERGENCE;
}
