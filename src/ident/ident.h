// SPDX-License-Identifier: Apache-2.0
// What the files of this module share.

#ifndef AP_IDENT_IDENT_H
#define AP_IDENT_IDENT_H

#include <appell/batch.h>
#include <appell/ident.h>

#include "file/robot.h"
#include "num/triangle.h"

// Standard parameters of one kind for one joint.
typedef enum { DRIVE_ROTOR, DRIVE_VISCOUS, DRIVE_COULOMB, DRIVE_OFFSET, DRIVE_KINDS } drive_kind;

typedef struct drive {
  drive_kind kind;
  int body;     // of the frozen model
  int row;      // joint force that it acts on
  double ratio; // of a mimic follower; 1 for others
} drive;

struct ap_ident {
  const ap_model *m;
  ap_work *w;
  ap_batch *batch;
  void *work_memory, *batch_memory;
  ap_ident_options options;
  int nq, nv, bodies, np, drives;
  drive *drive; // [drives], the parameters from 10 * bodies on
  char **name;  // [np]
  int **active; // [nv] columns of a row that are not zero by the structure of the tree
  int *nactive; // [nv]
  double *K;    // [nv * 10 * bodies]
  double *side; // [AP__CHUNK * (nq + 2 nv)] states side by side
};

// The rows of one joint and one fold: a triangle that was taken in, and a block that was not yet.
// The last column is the measured force.
typedef struct triangle {
  int n;     // nactive + 1
  int fill;  // rows of the block
  long rows; // of triangle and block
  double *R; // [n * n], row-major as every matrix here
  double *B; // [AP__BLOCK * n]
} triangle;

// A block of rows of a six-joint robot fits into the cache next to the processor.
enum { AP__BLOCK = 64, AP__RUN = 20, AP__CHUNK = 32 };

struct ap_reduction {
  ap_ident *ident;
  int folds;
  long states;
  triangle *triangle; // [folds * nv]
  long *rows, *out;   // [nv]
  double *scratch;
};

struct ap_dataset {
  int count, nq, nv;
  long spikes;    // numbers of the log that were replaced
  double *number; // [count * (nq + 3 nv)]: q, v, a, tau of each state
};

struct ap_base {
  int n, np;
  int *leader;    // [n], increasing
  double *factor; // [n * np], row-major
  double kept, dropped;
};

// The regressors of states from .. from + count - 1, at most AP__CHUNK, one after the other:
// K [count * nv * 10 bodies].
void ap__ident_regressors(ap_ident *id, const ap_dataset *s, int from, int count, double *K);
// The active columns of joint force j, [nactive], where the regressor is K.
void ap__ident_row(const ap_ident *id, const double *K, int j, const double *v, const double *a,
                   double *row);

// ap_reduction_add() of a state whose regressor is K.
void ap__reduction_add(ap_reduction *r, const double *K, const double *v, const double *a,
                       const double *tau);
// The triangle of all joints and of all folds but one (-1: none is left out), joint j weighted by
// weight[j] (NULL: 1); G is (np + 1) x (np + 1), its last column the forces.
ap_status ap__reduction_gather(ap_reduction *r, const double *weight, int without, double *G);
// Sum of squares of the differences between W p and the forces, [nv], of one fold (-1: all).
void ap__reduction_squares(ap_reduction *r, const double *p, int fold, double *square);

// Random numbers, the same on every machine: uniform in [low, high), and normal.
typedef struct ap__random {
  unsigned long long state;
} ap__random;
double ap__uniform(ap__random *r, double low, double high);
double ap__normal(ap__random *r);

// Least squares over physical parameters: starts from p (corrected where it is not physical) and
// ends there. G is the triangle of the weighted problem.
ap_status ap__fit_consistent(const ap_ident *ident, const double *G, int iterations, double *p,
                             int *spent, ap_error *error);

// Replaces numbers of x that are farther from the median of the eleven around them than `most`
// robust deviations of those (Hampel's rule) by that median; says how many. room has n numbers.
long ap__remove_spikes(double *x, size_t n, double most, double *room);

#endif
