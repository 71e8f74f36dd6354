// Small symmetric systems, row-major.

#ifndef AP_LOOP_CHOLESKY_H
#define AP_LOOP_CHOLESKY_H

#include <stdbool.h>

// M [n * n] = L L^T in place, of which the lower half is read. False where M is not positive
// definite, up to the rounding of its entries.
bool ap__cholesky(int n, double *M);
// b [n] becomes the x of L L^T x = b.
void ap__cholesky_solve(int n, const double *L, double *b);

#endif
