// What one arithmetic offers to research.h: a work behind doubles.

#ifndef AP_DYN_STUDY_H
#define AP_DYN_STUDY_H

#include <appell/research.h>

// Number of a method among those of its quantity; their names are in methods.c.
typedef enum study_method {
  STUDY_DEFAULT,
  STUDY_FACTORIZED, // forward: bias, Gibbs Hessian, Cholesky
  STUDY_ARTICULATED // forward: articulated body
} study_method;

typedef struct study_ops {
  size_t (*size)(const ap_model *m);
  void *(*init)(const ap_model *m, void *mem, size_t size, ap_count *count);
  void (*set_friction)(void *work, bool on);
  void (*set_gravity)(void *work, const double gravity[3]);
  ap_status (*eval)(void *work, ap_quantity what, study_method method, const double *in,
                    double *out);
} study_ops;

extern const study_ops ap__study_f64, ap__study_f32, ap__study_f128, ap__study_count;

#endif
