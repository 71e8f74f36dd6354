// LAPACK behind linalg.h. The _work calls of LAPACKE take column-major matrices as they are and
// allocate nothing themselves.

#include "ident/linalg.h"

#ifdef AP_HAVE_LAPACK

#include <lapacke.h>
#include <stdlib.h>

bool ap__lin_available(void) { return true; }

// Columns that dtpqrt treats together.
static int block_of(int n) { return n < 32 ? n : 32; }

size_t ap__lin_scratch(int n) { return 2 * ap__lin_size(block_of(n), n); }

void ap__lin_absorb(int n, double *R, int rows, double *B, int ldb, double *scratch) {
  const int nb = block_of(n);
  if (rows > 0)
    LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, rows, n, 0, nb, R, n, B, ldb, scratch, nb,
                        scratch + ap__lin_size(nb, n));
}

static ap_status outcome(lapack_int info) { return info == 0 ? AP_OK : AP_E_NO_CONVERGENCE; }

// Room that a routine asks for, by its own query.
static double *room_for(double wanted, lapack_int *size) {
  *size = (lapack_int)wanted;
  return malloc((size_t)*size * sizeof(double));
}

ap_status ap__lin_pivoted(int m, int n, double *A, int *pivot) {
  double wanted = 0, *tau = malloc((size_t)n * sizeof *tau + 1);
  lapack_int *order = calloc((size_t)n + 1, sizeof *order), size = 0;
  LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, A, m, order, tau, &wanted, -1);
  double *work = room_for(wanted, &size);
  ap_status status = AP_E_MEMORY;
  if (tau && order && work) {
    for (int k = 0; k < n; k++) order[k] = 0;
    status = outcome(LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, A, m, order, tau, work, size));
    for (int k = 0; k < n; k++) pivot[k] = order[k] - 1;
  }
  free(tau), free(order), free(work);
  return status;
}

ap_status ap__lin_svd(int m, int n, double *A, double *s, double *U, double *Vt) {
  double wanted = 0;
  lapack_int size = 0;
  LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'S', 'S', m, n, A, m, s, U, m, Vt, n, &wanted, -1);
  double *work = room_for(wanted, &size);
  if (!work) return AP_E_MEMORY;
  lapack_int info =
      LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'S', 'S', m, n, A, m, s, U, m, Vt, n, work, size);
  free(work);
  return outcome(info);
}

ap_status ap__lin_least_squares(int m, int n, double *A, double *b) {
  double wanted = 0;
  lapack_int size = 0;
  LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', m, n, 1, A, m, b, m, &wanted, -1);
  double *work = room_for(wanted, &size);
  if (!work) return AP_E_MEMORY;
  lapack_int info = LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', m, n, 1, A, m, b, m, work, size);
  free(work);
  return outcome(info);
}

ap_status ap__lin_solve_upper(int n, const double *R, int ldr, int count, double *B, int ldb) {
  if (n == 0 || count == 0) return AP_OK;
  return outcome(LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', 'N', 'N', n, count, R, ldr, B, ldb));
}

#else

bool ap__lin_available(void) { return false; }

// ap_ident_create() refuses before any of these is reached.

size_t ap__lin_scratch(int n) {
  (void)n;
  return 1;
}

void ap__lin_absorb(int n, double *R, int rows, double *B, int ldb, double *scratch) {
  (void)n, (void)R, (void)rows, (void)B, (void)ldb, (void)scratch;
}

ap_status ap__lin_pivoted(int m, int n, double *A, int *pivot) {
  (void)m, (void)n, (void)A, (void)pivot;
  return AP_E_UNSUPPORTED;
}

ap_status ap__lin_svd(int m, int n, double *A, double *s, double *U, double *Vt) {
  (void)m, (void)n, (void)A, (void)s, (void)U, (void)Vt;
  return AP_E_UNSUPPORTED;
}

ap_status ap__lin_least_squares(int m, int n, double *A, double *b) {
  (void)m, (void)n, (void)A, (void)b;
  return AP_E_UNSUPPORTED;
}

ap_status ap__lin_solve_upper(int n, const double *R, int ldr, int count, double *B, int ldb) {
  (void)n, (void)R, (void)ldr, (void)count, (void)B, (void)ldb;
  return AP_E_UNSUPPORTED;
}

#endif
