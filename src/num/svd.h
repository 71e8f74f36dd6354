// Singular values by the one-sided Jacobi method (M. R. Hestenes 1958; J. Demmel and K. Veselic
// 1992 on why the small ones come out well).

#ifndef AP_NUM_SVD_H
#define AP_NUM_SVD_H

#include <appell/base.h>

// The singular values of A [m * n, row-major, used up] into sigma [n], largest first; where m < n
// the last n - m are zero to rounding. Entries must be finite and no square of them overflow.
// Exported, because libappell-tools asks for it.
AP_API void ap__singular_values(int m, int n, double *A, double *sigma);

#endif
