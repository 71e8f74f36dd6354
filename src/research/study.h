// SPDX-License-Identifier: Apache-2.0
// What one arithmetic offers to research.h: a work behind doubles.

#ifndef AP_DYN_STUDY_H
#define AP_DYN_STUDY_H

#include <appell/research.h>

// How a quantity is computed; names and sources are in research.c.
typedef enum {
  BY_GIBBS_TENSOR, // the library's own
  BY_GIBBS_VECTOR,
  BY_NEWTON_EULER,
  BY_NEWTON_EULER_TENSOR,
  BY_KANE,
  BY_LAGRANGE,
  BY_GIBBS_4X4,
  BY_LAGRANGE_4X4,
  INVERSE_METHODS
} inverse_method;

typedef enum {
  INERTIA_BY_DEFAULT, // the library's own choice of the next two
  BY_GIBBS_HESSIAN,
  BY_GIBBS_HESSIAN_ROOT,
  BY_GIBBS_HESSIAN_LOADS,
  BY_COMPOSITE_BODY,
  BY_COMPOSITE_BODY_ORIGIN,
  BY_ORTHOGONAL_COMPLEMENT,
  INERTIA_BY_GIBBS_4X4, // these two only with the bias of the same name before them
  INERTIA_BY_LAGRANGE_4X4,
  INERTIA_METHODS
} inertia_method;

typedef enum {
  FORWARD_BY_DEFAULT, // the library's own choice
  FORWARD_BY_LTDL,    // these three with the bias and the inertia matrix of the method
  FORWARD_BY_CHOLESKY,
  FORWARD_BY_GAUSS_JORDAN,
  FORWARD_BY_ARTICULATED_BODY,
  FORWARD_BY_ARTICULATED_BODY_WORLD
} forward_method;

typedef struct study_method {
  inverse_method inverse; // inverse dynamics, and bias
  inertia_method inertia;
  forward_method forward;
} study_method;

typedef struct study_ops {
  size_t (*size)(const ap_model *m);
  void *(*init)(const ap_model *m, void *mem, size_t size, ap_count *count);
  void (*set_friction)(void *work, bool on);
  void (*set_gravity)(void *work, const double gravity[3]);
  ap_status (*eval)(void *work, ap_quantity what, study_method method, const double *in,
                    double *out);
  void (*regressor)(void *work, const double *in, double *K);
} study_ops;

extern const study_ops ap__study_f64, ap__study_f32, ap__study_f128, ap__study_count;

#endif
