// SPDX-License-Identifier: Apache-2.0
// What a solver of time-optimal motion along a path holds.

#ifndef AP_TRAJ_TOPP_H
#define AP_TRAJ_TOPP_H

#include <appell/topp.h>

#include "traj/plane_program.h"
#include "traj/traj.h"

// One coordinate at one end of an interval: derivatives of the path by s, and the torque
// a u + b x + c + slide + viscous sqrt(x).
typedef struct ap__topp_term {
  double first, second;
  double a, b, c;
  double slide;   // Coulomb friction
  double viscous; // viscous friction at s' = 1
} ap__topp_term;

// An interval of the grid: a part of one piece of the path.
typedef struct ap__topp_interval {
  int piece;
  double from, to; // s since the start of that piece
  double u;        // found
} ap__topp_interval;

// A grid point.
typedef struct ap__topp_point {
  double s;
  double bound;     // of x, by limits of velocity; 0: the motion stops here
  double low, high; // x from which the end can be reached
  double x;         // found
  double before;    // x of the pass before
  double time;      // found
} ap__topp_point;

struct ap_topp {
  ap_topp_def def;
  int n, intervals, passes;
  double length; // of s
  bool solved, viscous;
  ap__topp_point *point;       // [intervals + 1]
  ap__topp_interval *interval; // [intervals]
  ap__topp_term *term;         // [intervals][2][n]
  ap__half_plane *row;         // [8 n + 4]
  double *q, *v, *a, *rest;    // [n] each; rest is zeros
  double *tau;                 // [4][n]
};

static inline ap__topp_term *ap__topp_terms(const ap_topp *t, int interval, int end) {
  return t->term + ((size_t)interval * 2 + (size_t)end) * (size_t)t->n;
}

// Position and derivatives by s within an interval, [n] each.
void ap__topp_path_at(const ap_topp *t, int interval, double local, double *q, double *first,
                      double *second);

// The torque terms of every interval, and the bounds of x. w is NULL without a model.
void ap__topp_prepare(ap_topp *t, ap_work *w);

// Name of the joint of coordinate j, or NULL without a model.
const char *ap__topp_name(const ap_topp *t, int j);

#endif
