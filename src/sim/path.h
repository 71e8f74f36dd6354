// SPDX-License-Identifier: Apache-2.0
// The motion inside a step: the polynomials of the coordinates, and bounds on how every body moves
// over a part of the step (docs/impacts.md, "No event is missed").

#ifndef AP_SIM_PATH_H
#define AP_SIM_PATH_H

#include <appell/work.h>

#include "base/arena.h"
#include "impact/surface.h"

enum { PATH_POWERS = 8, PATH_RATES = 4 };

// Upper bounds over the interval for a body: angular velocity, acceleration and jerk, and the jerk
// of its origin.
typedef struct path_body {
  double turn[3];
  double jerk;
} path_body;

typedef struct run_path {
  const ap_model *m;
  ap_work *w;
  // the step: q_i = sum_d power[d * stride + i] x^d, x = (t - from) / h
  const double *power;
  int stride;
  double from, h;
  // the interval: its middle, as part of the step, and half its length, s
  double middle, r;
  double *q, *v, *a;  // in the middle; v and a are those of the polynomials
  double *shifted;    // [PATH_POWERS * nq] powers of x - middle
  double *most;       // [PATH_RATES * nq] upper bounds of |q|, |dq/dt|, ...
  path_body *body;    // [nbody]
  double *way, *turn; // [nbody] of the whole step: how far a body's origin gets from where it was,
                      // and how much its axes turn, upper bounds
  bool undecided;     // a quaternion turns too far for bounds: the interval is too long
} run_path;

// Memory of a path.
void ap__path_take(ap_arena *a, const ap_model *m, run_path *path);

// Bound how far bodies get in the step from where they are when it begins; costs next to nothing.
void ap__path_bound(run_path *path);
// An upper bound of how far coordinate i gets, and a point of a link, m.
double ap__path_travel(const run_path *path, int i);
double ap__path_reach(const run_path *path, int link, const double at[3]);

// Look at the part of the step between x = low and high: the state in its middle, which the work
// then holds, and the bounds.
void ap__path_look(run_path *path, double low, double high);

// The configuration alone at x, in path->q and in the work.
void ap__path_place(run_path *path, double x);

// The way of a point of a link over the interval.
void ap__path_way(const run_path *path, int link, const double at[3], ap_way *way);

#endif
