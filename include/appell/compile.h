/// @file compile.h
/// A robot's dynamics specialised while the program runs: what codegen.h writes is compiled by the
/// system's C compiler, kept in a cache, and loaded. Part of libappell-tools; ap_compile() and
/// ap_compiled_free() allocate, do input and output and start processes, nothing else here does.
///
///     ap_compiled *c;
///     ap_error why;
///     if (ap_compile(model, NULL, &c, &why) != AP_OK) log(why.text);   // slower, not wrong
///     if (c) ap_compiled_inverse_dynamics(c, w, q, v, a, tau);
///
/// Where there is no compiler, the functions below are those of dyn.h and batch.h. They compute
/// the model as it was defined: what is set in a work or a batch (gravity, friction, payload,
/// changed inertias) is not seen by compiled code, so hand them one in which nothing is set.

#ifndef APPELL_COMPILE_H
#define APPELL_COMPILE_H

#include <appell/batch.h>
#include <appell/codegen.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How to compile. Start from ap_default_compile().
typedef struct ap_compile_options {
  const char *compiler; ///< a command that takes the options of cc; NULL: what $CC names, or cc
  const char *flags;    ///< separated by blanks; NULL: "-O3 -march=native"
  const char *folder;   ///< of the cache; NULL: $XDG_CACHE_HOME/appell, or ~/.cache/appell
  unsigned functions;   ///< bit 1 << AP_GEN_...; default: those of ap_functions
  bool batch;           ///< also for many states at once; default: true
} ap_compile_options;

/// The defaults named above.
AP_API ap_compile_options ap_default_compile(void);

/// The compiled functions as they are, for one state and for n states as columns (entry j of state
/// k at [j * n + k]); NULL where there is none. They need no work and may be called by any number
/// of threads. Those with a result return 0, or not 0 where an inertia matrix is singular: then
/// that state's outputs are untouched.
typedef struct ap_functions {
  /// As ap_inverse_dynamics(); tau may be the same array as a.
  void (*inverse_dynamics)(const double *q, const double *v, const double *a, double *tau);
  void (*inertia_matrix)(const double *q, double *M);          ///< as ap_inertia_matrix()
  void (*bias)(const double *q, const double *v, double *tau); ///< as ap_bias()
  void (*gravity)(const double *q, double *tau);               ///< as ap_gravity_forces()
  /// As ap_forward_dynamics(); a may be the same array as tau.
  int (*forward_dynamics)(const double *q, const double *v, const double *tau, double *a);
  /// As ap_inverse_dynamics_derivatives(), all three of them.
  void (*inverse_dynamics_derivatives)(const double *q, const double *v, const double *a,
                                       double *dtau_dq, double *dtau_dv, double *dtau_da);
  /// As ap_forward_dynamics_derivatives(), all three of them.
  int (*forward_dynamics_derivatives)(const double *q, const double *v, const double *tau,
                                      double *da_dq, double *da_dv, double *da_dtau);
  /// Many states at once.
  void (*inverse_dynamics_batch)(size_t n, const double *q, const double *v, const double *a,
                                 double *tau);
  void (*inertia_matrix_batch)(size_t n, const double *q, double *M);          ///< likewise
  void (*bias_batch)(size_t n, const double *q, const double *v, double *tau); ///< likewise
  void (*gravity_batch)(size_t n, const double *q, double *tau);               ///< likewise
  /// Likewise; not 0 where some state is singular.
  int (*forward_dynamics_batch)(size_t n, const double *q, const double *v, const double *tau,
                                double *a);
  /// Likewise.
  void (*inverse_dynamics_derivatives_batch)(size_t n, const double *q, const double *v,
                                             const double *a, double *dtau_dq, double *dtau_dv,
                                             double *dtau_da);
  /// Likewise; not 0 where some state is singular.
  int (*forward_dynamics_derivatives_batch)(size_t n, const double *q, const double *v,
                                            const double *tau, double *da_dq, double *da_dv,
                                            double *da_dtau);
} ap_functions;

/// A model with its compiled functions; may be shared by any number of threads.
typedef struct ap_compiled ap_compiled;

/// Generate, compile or find in the cache, and load; options NULL: the defaults. The model must
/// live as long as *c.
///
/// AP_OK: what options->functions names is compiled. Any other status is explained in *error (which
/// may be NULL). AP_E_UNSUPPORTED: there is no compiler, or it failed, or there is nothing to
/// generate. AP_E_FILE: the folder of the cache cannot be made or written, or is not private (a
/// link, someone else's, writable by others). With both *c is there all the same, and its functions
/// are the general ones. AP_E_ARG (as from ap_generate()) and AP_E_MEMORY: *c is NULL.
///
/// A cached object is found again by a hash of the generated text, the flags, and what the compiler
/// says about itself and the processor it compiles for. It is verified before it is loaded; one
/// that was damaged is compiled anew. Any number of processes may use a cache at once. Who can
/// write to the folder can make this program run what they want, hence the demands on it.
AP_API ap_status ap_compile(const ap_model *m, const ap_compile_options *options, ap_compiled **c,
                            ap_error *error);
/// The file that was loaded; NULL where the functions are the general ones.
AP_API const char *ap_compiled_path(const ap_compiled *c);
/// The compiled functions themselves, all NULL where there are none; valid until
/// ap_compiled_free().
AP_API const ap_functions *ap_compiled_functions(const ap_compiled *c);
/// Unload and free; NULL is allowed.
AP_API void ap_compiled_free(ap_compiled *c);

/// As ap_inverse_dynamics().
AP_API void ap_compiled_inverse_dynamics(const ap_compiled *c, ap_work *w, const double *q,
                                         const double *v, const double *a, double *tau);
/// As ap_inertia_matrix().
AP_API void ap_compiled_inertia_matrix(const ap_compiled *c, ap_work *w, const double *q,
                                       double *M);
/// As ap_bias().
AP_API void ap_compiled_bias(const ap_compiled *c, ap_work *w, const double *q, const double *v,
                             double *tau);
/// As ap_gravity_forces().
AP_API void ap_compiled_gravity_forces(const ap_compiled *c, ap_work *w, const double *q,
                                       double *tau);
/// As ap_forward_dynamics().
AP_API ap_status ap_compiled_forward_dynamics(const ap_compiled *c, ap_work *w, const double *q,
                                              const double *v, const double *tau, double *a);
/// As ap_inverse_dynamics_derivatives(); no output may be NULL.
AP_API ap_status ap_compiled_inverse_dynamics_derivatives(const ap_compiled *c, ap_work *w,
                                                          const double *q, const double *v,
                                                          const double *a, double *dtau_dq,
                                                          double *dtau_dv, double *dtau_da);
/// As ap_forward_dynamics_derivatives(); no output may be NULL.
AP_API ap_status ap_compiled_forward_dynamics_derivatives(const ap_compiled *c, ap_work *w,
                                                          const double *q, const double *v,
                                                          const double *tau, double *da_dq,
                                                          double *da_dv, double *da_dtau);

// Many states at once: n of them as columns, entry j of state k at [j * n + k].

/// As ap_batch_inverse_dynamics() of n states as columns.
AP_API void ap_compiled_batch_inverse_dynamics(const ap_compiled *c, ap_batch *b, size_t n,
                                               const double *q, const double *v, const double *a,
                                               double *tau);
/// As ap_batch_inertia_matrix() of n states as columns.
AP_API void ap_compiled_batch_inertia_matrix(const ap_compiled *c, ap_batch *b, size_t n,
                                             const double *q, double *M);
/// As ap_batch_bias() of n states as columns.
AP_API void ap_compiled_batch_bias(const ap_compiled *c, ap_batch *b, size_t n, const double *q,
                                   const double *v, double *tau);
/// As ap_batch_gravity_forces() of n states as columns.
AP_API void ap_compiled_batch_gravity_forces(const ap_compiled *c, ap_batch *b, size_t n,
                                             const double *q, double *tau);
/// As ap_batch_forward_dynamics() of n states as columns, without a status for each.
AP_API ap_status ap_compiled_batch_forward_dynamics(const ap_compiled *c, ap_batch *b, size_t n,
                                                    const double *q, const double *v,
                                                    const double *tau, double *a);

// ---- single precision --------------------------------------------------------------------------

/// ap_functions in single precision.
typedef struct ap_functions_f32 {
  /// As in ap_functions.
  void (*inverse_dynamics)(const float *q, const float *v, const float *a, float *tau);
  void (*inertia_matrix)(const float *q, float *M);         ///< as in ap_functions
  void (*bias)(const float *q, const float *v, float *tau); ///< as in ap_functions
  void (*gravity)(const float *q, float *tau);              ///< as in ap_functions
  /// As in ap_functions.
  int (*forward_dynamics)(const float *q, const float *v, const float *tau, float *a);
  /// As in ap_functions.
  void (*inverse_dynamics_derivatives)(const float *q, const float *v, const float *a,
                                       float *dtau_dq, float *dtau_dv, float *dtau_da);
  /// As in ap_functions.
  int (*forward_dynamics_derivatives)(const float *q, const float *v, const float *tau,
                                      float *da_dq, float *da_dv, float *da_dtau);
  /// As in ap_functions.
  void (*inverse_dynamics_batch)(size_t n, const float *q, const float *v, const float *a,
                                 float *tau);
  void (*inertia_matrix_batch)(size_t n, const float *q, float *M);         ///< as in ap_functions
  void (*bias_batch)(size_t n, const float *q, const float *v, float *tau); ///< as in ap_functions
  void (*gravity_batch)(size_t n, const float *q, float *tau);              ///< as in ap_functions
  /// As in ap_functions.
  int (*forward_dynamics_batch)(size_t n, const float *q, const float *v, const float *tau,
                                float *a);
  /// As in ap_functions.
  void (*inverse_dynamics_derivatives_batch)(size_t n, const float *q, const float *v,
                                             const float *a, float *dtau_dq, float *dtau_dv,
                                             float *dtau_da);
  /// As in ap_functions.
  int (*forward_dynamics_derivatives_batch)(size_t n, const float *q, const float *v,
                                            const float *tau, float *da_dq, float *da_dv,
                                            float *da_dtau);
} ap_functions_f32;

/// ap_compiled in single precision.
typedef struct ap_compiled_f32 ap_compiled_f32;

/// @name Twins in single precision
/// @{

/// As its namesake in double precision.
AP_API ap_status ap_compile_f32(const ap_model *m, const ap_compile_options *options,
                                ap_compiled_f32 **c, ap_error *error);
AP_API const char *ap_compiled_path_f32(const ap_compiled_f32 *c);
AP_API const ap_functions_f32 *ap_compiled_functions_f32(const ap_compiled_f32 *c);
AP_API void ap_compiled_free_f32(ap_compiled_f32 *c);
AP_API void ap_compiled_inverse_dynamics_f32(const ap_compiled_f32 *c, ap_work_f32 *w,
                                             const float *q, const float *v, const float *a,
                                             float *tau);
AP_API void ap_compiled_inertia_matrix_f32(const ap_compiled_f32 *c, ap_work_f32 *w, const float *q,
                                           float *M);
AP_API void ap_compiled_bias_f32(const ap_compiled_f32 *c, ap_work_f32 *w, const float *q,
                                 const float *v, float *tau);
AP_API void ap_compiled_gravity_forces_f32(const ap_compiled_f32 *c, ap_work_f32 *w, const float *q,
                                           float *tau);
AP_API ap_status ap_compiled_forward_dynamics_f32(const ap_compiled_f32 *c, ap_work_f32 *w,
                                                  const float *q, const float *v, const float *tau,
                                                  float *a);
AP_API ap_status ap_compiled_inverse_dynamics_derivatives_f32(const ap_compiled_f32 *c,
                                                              ap_work_f32 *w, const float *q,
                                                              const float *v, const float *a,
                                                              float *dtau_dq, float *dtau_dv,
                                                              float *dtau_da);
AP_API ap_status ap_compiled_forward_dynamics_derivatives_f32(const ap_compiled_f32 *c,
                                                              ap_work_f32 *w, const float *q,
                                                              const float *v, const float *tau,
                                                              float *da_dq, float *da_dv,
                                                              float *da_dtau);
AP_API void ap_compiled_batch_inverse_dynamics_f32(const ap_compiled_f32 *c, ap_batch_f32 *b,
                                                   size_t n, const float *q, const float *v,
                                                   const float *a, float *tau);
AP_API void ap_compiled_batch_inertia_matrix_f32(const ap_compiled_f32 *c, ap_batch_f32 *b,
                                                 size_t n, const float *q, float *M);
AP_API void ap_compiled_batch_bias_f32(const ap_compiled_f32 *c, ap_batch_f32 *b, size_t n,
                                       const float *q, const float *v, float *tau);
AP_API void ap_compiled_batch_gravity_forces_f32(const ap_compiled_f32 *c, ap_batch_f32 *b,
                                                 size_t n, const float *q, float *tau);
AP_API ap_status ap_compiled_batch_forward_dynamics_f32(const ap_compiled_f32 *c, ap_batch_f32 *b,
                                                        size_t n, const float *q, const float *v,
                                                        const float *tau, float *a);
/// @}

#ifdef __cplusplus
}
#endif

#endif
