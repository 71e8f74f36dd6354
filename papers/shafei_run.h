// SPDX-License-Identifier: Apache-2.0
// The tree of Shafei and Shafei 2018 in its circle: runs, impacts, places of its points.

#ifndef PAPERS_SHAFEI_RUN_H
#define PAPERS_SHAFEI_RUN_H

#include <appell/research.h>
#include <appell/sim.h>

enum { TREE_DOFS = 12, TREE_RODS = 10, TREE_POINTS = 11, TREE_IMPACTS_MOST = 32 };

/// The experiment: the paper's numbers, where it prints none those that its results imply.
typedef struct tree_setup {
  double gravity;     ///< m/s2, along -X2
  double radius;      ///< of the circle about the origin, m
  double restitution; ///< of an impact
  double tolerance;   ///< of the simulator, relative and absolute
} tree_setup;

/// The robot shafei-tree and what it takes to compute with it.
typedef struct tree_lab {
  tree_setup setup;
  ap_robot_def def;
  const ap_model *m;
  ap_work *w;
  ap_study *study; ///< in double precision
  int frame[TREE_POINTS];
  void *memory[3];
} tree_lab;

/// Make it; free it in any case with tree_free().
ap_status tree_make(const tree_setup *setup, tree_lab *l, ap_error *error);
void tree_free(tree_lab *l);

/// One end of each rod is a point O2 .. O11, by number from 0; this is the other one.
extern const int tree_rod_from[TREE_RODS];

/// Places in the plane (X1, X2), m, and velocities, m/s, of the points; v and rate may be NULL.
void tree_points(const tree_lab *l, const double *q, const double *v, double at[TREE_POINTS][2],
                 double rate[TREE_POINTS][2]);

/// What is run. The start is at rest in the printed angles.
typedef struct tree_plan {
  double start;  ///< X1 and X2 at the start, m
  double window; ///< s: impacts so close in time count as one
  double end;    ///< s
  int samples;   ///< evenly spaced over the time, the start not counted
  double step;   ///< s: steps of the classical Runge-Kutta method, and impacts taken where one
                 ///< ends, no state sampled; 0: the simulator, impacts located
} tree_plan;

/// X1 and X2 at the start, for which the tree is symmetric about X1 = 0: -(1 + sqrt 3) / 2.
#define TREE_START (-1.3660254037844386)

/// An impact, at one or two points.
typedef struct tree_impact {
  double t; ///< s
  int points;
  int point[2];       ///< from 0
  double angle[2];    ///< between incoming velocity and normal, degrees
  double velocity[2]; ///< jump of the normal velocity, m/s
  double jump[2];     ///< length of the jump of the whole velocity, m/s
  double impulse[2];  ///< along the normal, N s
  double lost;        ///< energy, J
  double q[TREE_DOFS];
} tree_impact;

/// A state on the way.
typedef struct tree_sample {
  double t, q[TREE_DOFS], v[TREE_DOFS], kinetic, potential;
} tree_sample;

typedef struct tree_run {
  int impacts; ///< the first TREE_IMPACTS_MOST of them are kept
  tree_impact impact[TREE_IMPACTS_MOST];
  int samples; ///< with the start
  tree_sample *sample;
  long evaluations;
  double seconds; ///< of processor time
} tree_run;

/// Run. Free it in any case with tree_run_free().
ap_status tree_simulate(const tree_lab *l, const tree_plan *plan, tree_run *run, ap_error *error);
void tree_run_free(tree_run *run);

#endif
