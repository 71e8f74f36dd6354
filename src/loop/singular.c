// SPDX-License-Identifier: Apache-2.0
// Distances to singularities: singular values of what holds the mechanism when coordinates or
// actuators are held.

#include <math.h>
#include <string.h>

#include "loop/work.h"
#include "num/svd.h"

// The least singular value of l->big, and its ratio to the largest; 0 with fewer rows than columns.
static double least(const ap_mechanism *m, ap_loop *l, int rows, double *ratio) {
  ap__singular_values(rows, m->nv, l->big, l->sigma);
  double last = rows < m->nv ? 0 : l->sigma[m->nv - 1];
  *ratio = l->sigma[0] > 0 ? last / l->sigma[0] : 0;
  return last;
}

static void closures(const ap_mechanism *m, ap_loop *l, ap_singularity *r) {
  size_t nv = (size_t)m->nv, phi_size = sizeof(double) * (size_t)m->nrow * nv;
  double *below = l->big + m->nrow * m->nv;
  ap__rows(m, l, l->x, NULL, AP_ROWS_JACOBIAN, l->try_F);
  memcpy(l->big, l->K, phi_size + sizeof(double) * (size_t)m->n * nv);
  r->serial_least = least(m, l, m->nrow + m->n, &r->serial);
  memcpy(l->big, l->K, phi_size);
  memset(below, 0, sizeof(double) * (size_t)m->nact * nv);
  for (int i = 0; i < m->nact; i++) {
    const int column = m->actuated_column[i];
    double *row = below + i * m->nv;
    if (column >= 0)
      row[column] = 1;
    else
      memcpy(row, l->K + (m->nrow + AP_ALONG_COORDINATE(column)) * m->nv, sizeof(double) * nv);
  }
  r->parallel_least = least(m, l, m->nrow + m->nact, &r->parallel);
  memcpy(l->qr.A, l->K, phi_size);
  l->qr.m = m->nrow;
  r->rank = ap__qr_factor(&l->qr, 1e-7);
}

ap_status ap_loop_singularity(const ap_mechanism *m, ap_loop *l, const double *q,
                              ap_singularity *result) {
  ap_status status = ap__loop_map(m, l, q);
  int n = m->n, nact = m->nact;
  if (status != AP_OK && status != AP_E_SINGULAR_SERIAL) return status;
  *result = (ap_singularity){0};
  if (!l->placed) return status; // a pitch of +-pi/2
  closures(m, l, result);
  l->placed = false; // the factors of K are gone
  if (status != AP_OK || nact == 0) return status;
  memcpy(l->small_qr.A, l->J_act, sizeof(double) * (size_t)nact * (size_t)n);
  ap__singular_values(nact, n, l->small_qr.A, l->sigma);
  result->act_largest = l->sigma[0];
  result->act_least = nact < n ? 0 : l->sigma[n - 1];
  bool held = result->act_least > AP_PARALLEL_NEAR * result->act_largest;
  return held || nact < n ? AP_OK : AP_E_SINGULAR_PARALLEL;
}
