// SPDX-License-Identifier: Apache-2.0
// Coulomb's law with cones of many sides instead of round ones: a linear complementarity problem
// (D. E. Stewart and J. C. Trinkle 1996), of which Lemke's method finds a solution wherever
// impulses exist. It is near one of the law, and tells the modes of those that no descent reaches.

#ifndef AP_IMPACT_POLYGON_H
#define AP_IMPACT_POLYGON_H

#include <stdbool.h>

#include "base/arena.h"

// More points than this are not solved so.
enum { AP_POLYGON_MOST = 8 };

typedef struct ap_polygon {
  int n;            // points
  const double *W;  // [3 n * 3 n] impulses along normal and tangents to velocities along them
  const double *b;  // [3 n] velocities without impulses
  const double *mu; // [n]
  const double
      *way; // [2 n] of points whose direction of sliding is given, that; else 0. NULL: all 0
  const bool *keep; // [n] points that take part; NULL: all
  // room
  double *table; // rows of basic variables over the others, the auxiliary one and the constant
  int *basic, *other;
  double *row, *col; // [3] directions of each variable in its point's space
  int *point, *kind; // of each variable
} ap_polygon;

// Take room for up to n points.
void ap__polygon_take(ap_arena *arena, int n, ap_polygon *o);

// Impulses p [3 n] near those of the law; false where none are found. Each further pass (0: the
// first, 1, ...) has its sides closer to the directions of friction that p has of the one before.
bool ap__polygon_solve(ap_polygon *o, int pass, double *p);

#endif
