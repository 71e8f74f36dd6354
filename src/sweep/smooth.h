// SPDX-License-Identifier: Apache-2.0
// What trials without a run share: a robot, states whose numbers are parameters, and robots whose
// bodies are.

#ifndef AP_SWEEP_SMOOTH_H
#define AP_SWEEP_SMOOTH_H

#include "file/columns.h"
#include "sweep/patch.h"
#include "sweep/statistic.h"

typedef struct ap__smooth {
  ap_robot *robot;
  ap_model *model;
  ap__columns in, out;  // numbers of a state, and of what is computed
  bool states;          // the columns of in begin with q
  double *nominal;      // [in.n] where no parameter says otherwise
  bool *varies;         // [in.n] where one does
  int *at;              // [parameters] their column; -1: of a body
  ap__body_place *body; // [parameters]
  bool edits;           // some are of bodies
  ap__selection *taken; // [outcomes] among the columns of out
} ap__smooth;

// Read the robot; in and out are for the kind to fill.
ap_status ap__smooth_open(ap_sweep *s, const char *map, const char *model, bool floating,
                          ap__smooth *m, ap_error *error);
// Then find parameters and outcomes among the columns.
ap_status ap__smooth_resolve(const ap_sweep *s, ap__smooth *m, ap_error *error);
void ap__smooth_free(ap__smooth *m);

// Numbers of n states: entry j of state k at [j * stride_j + k * stride_k].
void ap__smooth_states(const ap_sweep *s, const ap__smooth *m, uint64_t first, int n, double *to,
                       long stride_j, int stride_k);
// Outcome of each of n states from such numbers.
void ap__smooth_outcomes(const ap_sweep *s, const ap__smooth *m, int n, const double *from,
                         long stride_j, long stride_k, double *outcome);

// The robot with the bodies of a trial, built in memory of its own.
typedef struct ap__variant {
  ap_robot robot; // shares all but its bodies
  ap_body_def *bodies;
  void *memory;
  size_t size;
} ap__variant;

bool ap__variant_open(const ap__smooth *m, ap__variant *v);
// NULL, and the reason, where the trial's robot is refused.
ap_model *ap__variant_make(const ap_sweep *s, const ap__smooth *m, uint64_t trial, ap__variant *v,
                           ap_error *error);
void ap__variant_close(ap__variant *v);

#endif
