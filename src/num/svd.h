// SPDX-License-Identifier: Apache-2.0
// Singular values by the one-sided Jacobi method (M. R. Hestenes 1958; J. Demmel and K. Veselic
// 1992 on why the small ones come out well).

#ifndef AP_NUM_SVD_H
#define AP_NUM_SVD_H

#include <appell/base.h>

// The singular values of A [m * n, row-major, used up] into sigma [n], largest first; where m < n
// the last n - m are zero to rounding. Entries must be finite and no square of them overflow.
// Exported, because libappell-tools asks for it.
AP_API void ap__singular_values(int m, int n, double *A, double *sigma);

// A = U diag(sigma) V^T of a square A: its n rows, n + more numbers wide, become the rows of V^T,
// and the columns behind the first n become U^T times what they were. sigma [n], largest first;
// where it is zero, the rows complete V^T. AP_E_ARG where an entry is not finite,
// AP_E_NO_CONVERGENCE where the rows do not become perpendicular.
AP_API ap_status ap__svd(int n, int more, double *A, double *sigma);

#endif
