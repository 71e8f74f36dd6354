// SPDX-License-Identifier: Apache-2.0
// What the files of this module share.

#ifndef AP_IDENT_IDENT_H
#define AP_IDENT_IDENT_H

#include <appell/batch.h>
#include <appell/ident.h>

#include "file/robot.h"
#include "num/triangle.h"

// Standard parameters of one kind for one joint.
typedef enum {
  DRIVE_ROTOR,
  DRIVE_VISCOUS,
  DRIVE_COULOMB,
  DRIVE_STRIBECK,
  DRIVE_LOAD,
  DRIVE_VISCOUS_ASYMMETRY,
  DRIVE_COULOMB_ASYMMETRY,
  DRIVE_STIFFNESS,
  DRIVE_OFFSET,
  DRIVE_KINDS
} drive_kind;

typedef struct drive {
  drive_kind kind;
  int body;     // of the frozen model
  int row;      // joint force that it acts on
  double ratio; // of a mimic follower; 1 for others
} drive;

// A joint that rests, and where.
typedef struct scope {
  bool rests;
  double low, high;
} scope;

struct ap_ident {
  const ap_model *m;
  ap_work *w;
  ap_batch *batch;
  void *work_memory, *batch_memory;
  ap_ident_options options;
  int nq, nv, bodies, np, drives;
  int width;            // columns of K: ten of every moving body of the model
  int payload;          // body whose load is looked for, 0: all bodies are
  int first;            // column of K of the first parameter
  double *file;         // [width] inertial parameters of the model
  drive *drive;         // [drives], the parameters from 10 * bodies on
  char **name;          // [np]
  int **active;         // [nv] columns of a row that are not zero by the structure of the tree
  int *nactive;         // [nv]
  bool *silent;         // [nv] forces that are not measured
  scope *scope;         // [bodies + 1] of the states that the parameters are limited to; or NULL
  double *K;            // [nv * 10 * bodies]
  double *known, *less; // [nv] forces that are known, forces without them
  double *side;         // [AP__CHUNK * (nq + 2 nv)] states side by side
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
// States of a reduction that are kept, in runs of successive ones: for the correlation of noise.
enum { AP__SEGMENT = 512, AP__KEPT = 8 * AP__SEGMENT };

typedef struct ap__kept {
  long seen, stride; // states so far; every stride-th run is kept
  int count;
  size_t width;   // nq + 3 nv
  double *number; // [AP__KEPT * width]
} ap__kept;

struct ap_reduction {
  ap_ident *ident;
  int folds;
  long states;
  triangle *triangle; // [folds * nv]
  long *rows, *out;   // [nv]
  double *scratch;
  ap__kept kept;
};

struct ap_dataset {
  int count, nq, nv;
  bool currents;  // tau are motor currents, and nothing was subtracted
  long spikes;    // numbers of the log that were replaced
  int gaps;       // pauses of the log that nothing was filtered across
  long unused;    // samples between them that were too few for the filter
  double cutoff;  // Hz, of the filter; 0: none
  double rate;    // Hz, of the samples, where they were filtered
  double step;    // s between states, where they were filtered
  double *number; // [count * (nq + 3 nv)]: q, v, a, tau less what is known of each state
  double *slope;  // [count * 2 nv] first and second derivatives of tau; NULL: not asked for
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
void ap__ident_row(const ap_ident *id, const double *K, int j, const double *q, const double *v,
                   const double *a, double *row);
// The joint forces less those that no parameter has: of the model's springs and gravity
// compensation, and where a payload is looked for of the whole model. less [nv] may be tau.
void ap__ident_subtract_known(const ap_ident *id, const double *q, const double *v, const double *a,
                              const double *tau, double *less);

// ap_reduction_add() of a state whose regressor is K and whose forces are without what is known.
void ap__reduction_add(ap_reduction *r, const double *K, const double *q, const double *v,
                       const double *a, const double *tau);
// The triangle of all joints and of all folds but one (-1: none is left out), joint j weighted by
// weight[j] (NULL: 1); G is (np + 1) x (np + 1), its last column the forces.
ap_status ap__reduction_gather(ap_reduction *r, const double *weight, int without, double *G);
// Sum of squares of the differences between W p and the forces, [nv], of one fold (-1: all).
void ap__reduction_squares(ap_reduction *r, const double *p, int fold, double *square);

void ap__kept_add(ap__kept *k, const ap_ident *id, const double *q, const double *v,
                  const double *a, const double *tau);

// An estimator (A^T A)^-1 A^T of n base parameters: rows weighted, columns divided by scale.
typedef struct ap__estimator {
  int n;
  const int *leader;                         // [n]
  const double *weight, *scale, *covariance; // [nv], [n], [n * n] (A^T A)^-1
} ap__estimator;
// By how much noise that is correlated in time makes the variance of each base parameter larger
// than white noise does, [n], at least 1. p are the parameters of the fit.
ap_status ap__inflation(ap_reduction *r, const ap__estimator *e, const double *p,
                        double *inflation);

// By how much larger the variance of a mean of z is than that of independent numbers, at least 1:
// of count contributions to one estimate, in their order in time, runs of AP__SEGMENT successive
// ones. z is used up.
double ap__long_run(double *z, int count);

// Random numbers, the same on every machine: uniform in [low, high), and normal.
typedef struct ap__random {
  unsigned long long state;
} ap__random;
double ap__uniform(ap__random *r, double low, double high);
double ap__normal(ap__random *r);
// Joints that rest do so in a random state.
void ap__ident_limit_state(const ap_ident *id, ap__random *r, double *q, double *v, double *a);
// A state within the model's limits.
void ap__random_state(ap__random *r, const ap_model *m, double *q, double *v, double *a);

// How far the angle of the model that was rounded most is off, rad; 0 where none was.
double ap__rounding_of(const ap_model *m);
// The triangle of what moving such angles by some times as much changes in the regressor of random
// states, divided by the root of their number: D is (np + 1) x (np + 1).
ap_status ap__rounding_effect(ap_ident *id, double rounding, double *D, ap_error *error);

// Whether a drive parameter cannot be negative.
static inline bool ap__drive_has_sign(drive_kind kind) {
  return kind != DRIVE_OFFSET && kind != DRIVE_VISCOUS_ASYMMETRY && kind != DRIVE_COULOMB_ASYMMETRY;
}

// What the consistent fit starts from besides the triangle.
typedef struct ap__consistent {
  const ap_fit_options *options;
  const double *known; // [np] the model's parameters: a rotor of zero says nothing
  const ap_base *base; // drive parameters that no base parameter has keep the model's values
} ap__consistent;
// Least squares over physical parameters: starts from fit->parameter (corrected where it is not
// physical), which is also the prior. Fills parameter, parameter_deviation, determined, prior and
// iterations of the fit. G is the triangle of the weighted problem.
ap_status ap__fit_consistent(const ap_ident *ident, const double *G, const ap__consistent *about,
                             ap_fit *fit, ap_error *error);

// Numbers of x that are farther from the median of the eleven around them than `most` robust
// deviations of those (Hampel's rule), and of a smooth column also those that a cubic through their
// neighbours misses by as many, are interpolated between the good ones; says how many. room has n
// numbers.
long ap__remove_spikes(double *x, size_t n, double most, bool smooth, double *room);

// The time from one sample to the next, as a rule (the median); 0 where there is one sample.
double ap__samples_step(const ap_samples *x);
// As ap_dataset_prepare(); with slopes, always filtered, and tau differentiated twice.
ap_status ap__dataset_prepare(const ap_ident *id, const ap_samples *x,
                              const ap_prepare_options *options, bool slopes, ap_dataset **states,
                              ap_error *error);

#endif
