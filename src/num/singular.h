// SPDX-License-Identifier: Apache-2.0
// When an inertia matrix counts as singular: one rule for every solver and every arithmetic.
//
// S is diagonal and holds for every degree of freedom the size of what its inertia was added up
// from. x = M^-1 b for a fixed b without pattern is one step of inverse iteration: where M is
// nearly singular, x is the motion that hardly moves mass. M is singular where
//
//     x . M x  <=  AP_SINGULAR_ULPS epsilon  x . S x,
//
// or where a pivot is not a positive number. The quotient of the two sides is a Rayleigh quotient
// of S^-1/2 M S^-1/2: it is never below the least eigenvalue, so that rows and columns of any scale
// are no reason. Where M is exactly singular, rounding leaves up to 3 epsilons of it. See
// docs/accuracy.md.

#ifndef AP_NUM_SINGULAR_H
#define AP_NUM_SINGULAR_H

#define AP_SINGULAR_ULPS 16

// Entry k of b, for a size of 1: between 1 and 2 with changing signs. The golden section fills that
// range evenly, so that no symmetry of a robot makes b perpendicular to a motion.
static inline double ap__probe_entry(int k) {
  double part = 0.6180339887498949 * k;
  part -= (double)(long)part;
  return k % 2 ? -1 - part : 1 + part;
}

#endif
