// SPDX-License-Identifier: Apache-2.0
// Upper triangles that rows are taken into: the R of a QR factorisation whose rows come block by
// block, by Householder's method (G. H. Golub and C. F. Van Loan, Matrix Computations, 5.2, 12.5).
//
// Matrices are row-major. Only +, -, *, / and square roots are used, each sum has one order of its
// own, and vectors of the processor run across columns: the bits are the same whatever the compiler
// makes of the loops. Nothing is allocated. Exported, because libappell-tools identifies with it.

#ifndef AP_NUM_TRIANGLE_H
#define AP_NUM_TRIANGLE_H

#include <appell/base.h>

// Entries before row i of a matrix with n columns, and so the size of one with i rows.
static inline size_t ap__row(int i, int n) { return (size_t)i * (size_t)n; }

// Length of x[0], x[stride], ..., count of them; neither over- nor underflows on the way.
AP_API double ap__length(const double *x, int count, int stride);

// R, n x n, becomes the triangle of [R; B]; B, rows x n, is used up. What stands below the diagonal
// of R is left alone. room has ap__triangle_room(n, rows) numbers. Leading zeros of the rows of B
// cost nothing where rows are sorted by how many they have, fewest first.
AP_API size_t ap__triangle_room(int n, int rows);
AP_API void ap__triangle_absorb(int n, double *R, int rows, double *B, double *room);

// R X = B: X overwrites B, n x count with rows ldb apart; those of R are ldr apart. False, with B
// spoilt, where an entry of R's diagonal is zero.
AP_API bool ap__triangle_solve(int n, const double *R, int ldr, int count, double *B, int ldb);

#endif
