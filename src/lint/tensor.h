// SPDX-License-Identifier: Apache-2.0
// Rotations, inertia tensors (xx xy xz yy yz zz) and what bodies of simple shape have.

#ifndef AP_LINT_TENSOR_H
#define AP_LINT_TENSOR_H

#include <stdbool.h>

#include "num/rpy.h"
#include "num/vec3.h"

void ap__lint_multiply(const double A[9], const double B[9], double AB[9]);
void ap__lint_rotate(const double R[9], const double x[3], double y[3]);
// A tensor given in axes that are turned by R, in the axes outside: R I R^T.
void ap__lint_turn(const double R[9], const double I[6], double turned[6]);
// Eigenvalues, ascending, and their directions as the columns of a rotation.
void ap__lint_principal(const double I[6], double moment[3], double axes[9]);
// I + factor * m (|c|^2 1 - c c^T): factor 1 goes from the centre of mass to a point c away.
void ap__lint_shift(const double I[6], double factor, double mass, const double c[3],
                    double out[6]);
// The nearest tensor that a body can have: the second moments of its mass, (j + k - i) / 2 of the
// principal ones, made zero where they are negative.
void ap__lint_nearest_inertia(const double I[6], double out[6]);
// Does it break the triangle inequality, by more than printed digits explain?
bool ap__lint_breaks_triangle(const double moment[3]);
// Largest difference of entries, relative to the largest entry of either.
double ap__lint_difference(const double a[6], const double b[6]);

#endif
