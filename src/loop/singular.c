// Distances to singularities: singular values of Phi_x on what is left when some motions are held.

#include <math.h>
#include <string.h>

#include "loop/work.h"
#include "num/svd.h"

// The least singular value of Phi_x on the motions that the `count` rows of l->qr.A hold at zero:
// of Phi_x (1 - A^+ A), the last that is not zero by construction. Where nothing is left to move,
// the largest of Phi_x.
static double least_on_rest(const ap_mechanism *m, ap_loop *l, int count, double largest) {
  int nv = m->nv;
  double *held = l->product; // [nv * n], of which a copy of the rows needs count * nv
  double *onto = l->tree;    // A^+ A
  memcpy(held, l->qr.A, sizeof(double) * (size_t)count * (size_t)nv);
  l->qr.m = count;
  int rank = ap__qr_factor(&l->qr, 1e-12);
  for (int j = 0; j < nv; j++) {
    for (int i = 0; i < count; i++) l->tall[i] = held[i * nv + j];
    ap__qr_solve(&l->qr, l->tall, l->step);
    for (int i = 0; i < nv; i++) onto[i * nv + j] = l->step[i];
  }
  for (int i = 0; i < m->nrow; i++)
    for (int j = 0; j < nv; j++) {
      double sum = l->K[i * nv + j];
      for (int k = 0; k < nv; k++) sum -= l->K[i * nv + k] * onto[k * nv + j];
      l->big[i * nv + j] = sum;
    }
  if (rank == nv) return largest;
  ap__singular_values(m->nrow, nv, l->big, l->sigma);
  return nv - rank > m->nrow ? 0 : l->sigma[nv - rank - 1];
}

static void closures(const ap_mechanism *m, ap_loop *l, ap_singularity *r) {
  int nv = m->nv, n = m->n;
  size_t phi_size = sizeof(double) * (size_t)m->nrow * (size_t)nv;
  ap__rows(m, l, l->x, NULL, AP_ROWS_JACOBIAN, l->try_F);
  memcpy(l->big, l->K, phi_size);
  ap__singular_values(m->nrow, nv, l->big, l->sigma);
  double largest = m->nrow > 0 && l->sigma[0] > 0 ? l->sigma[0] : 1;
  memcpy(l->qr.A, l->K + m->nrow * nv, sizeof(double) * (size_t)n * (size_t)nv);
  r->serial_least = least_on_rest(m, l, n, largest);
  r->serial = r->serial_least / largest;
  memset(l->qr.A, 0, sizeof(double) * (size_t)m->nact * (size_t)nv);
  for (int i = 0; i < m->nact; i++) l->qr.A[i * nv + m->actuated_column[i]] = 1;
  r->parallel_least = least_on_rest(m, l, m->nact, largest);
  r->parallel = r->parallel_least / largest;
  memcpy(l->qr.A, l->K, phi_size);
  l->qr.m = m->nrow;
  r->rank = ap__qr_factor(&l->qr, 1e-7);
}

ap_status ap_loop_singularity(const ap_mechanism *m, ap_loop *l, const double *q,
                              ap_singularity *result) {
  ap_status status = ap__loop_map(m, l, q);
  int n = m->n, nact = m->nact;
  if (status != AP_OK && status != AP_E_SINGULAR_SERIAL) return status;
  closures(m, l, result);
  l->placed = false; // the factors of K are gone
  result->act_least = result->act_largest = 0;
  if (status != AP_OK || nact == 0) return status;
  memcpy(l->small_qr.A, l->J_act, sizeof(double) * (size_t)nact * (size_t)n);
  ap__singular_values(nact, n, l->small_qr.A, l->sigma);
  result->act_largest = l->sigma[0];
  result->act_least = nact < n ? 0 : l->sigma[n - 1];
  bool held = result->act_least > AP_PARALLEL_NEAR * result->act_largest;
  return held || nact < n ? AP_OK : AP_E_SINGULAR_PARALLEL;
}
