// SPDX-License-Identifier: Apache-2.0
// One touch alone under Coulomb's law without restitution.

#ifndef AP_IMPACT_POINT_H
#define AP_IMPACT_POINT_H

#include <stdbool.h>

// How the velocity of a touch answers its own impulse, along normal, tangent, tangent:
// u = S^T (c + S p) with c the state of the robot seen from the touch, p = 0.
typedef struct ap_point {
  int rank;     // rows of S: directions in which the point can be moved
  double S[9];  // 3 by 3, row-major; the rows from rank on are unit vectors across the others
  double W[9];  // S^T S of the rows below rank
  double mu;    // Coulomb's coefficient
  double bound; // at least the largest eigenvalue of W
} ap_point;

// W and what follows from S below the rank.
void ap__point_finish(ap_point *point);

// The state s of the robot, seen from the touch, with which the point moves with its wall, whose
// velocity is u: S^T s = u. Where the point cannot follow along the tangents, u is what it can.
void ap__point_follow(const ap_point *point, double u[3], double s[3]);

// The closest vector in Coulomb's cone |p_t| <= mu p_n.
void ap__cone(double mu, double p[3]);

// The impulse that stops the point, or lets it slide against friction, or is zero where it leaves.
// p on entry: a guess.
void ap__point_solve(const ap_point *point, const double c[3], double p[3]);

#endif
