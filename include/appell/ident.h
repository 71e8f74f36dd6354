// SPDX-License-Identifier: Apache-2.0
/// @file ident.h
/// Parameters of a robot from its own motion: which ones can be known, their values from measured
/// joint forces, and motions that show them. Part of libappell-tools; allocates.
///
/// In this order: ap_ident_create() for a model, ap_base_find() for the combinations of parameters
/// that motion can tell, ap_reduction_add() for every measured state, ap_fit_make() by one method
/// or several. A reduction keeps triangles instead of measurements, so its memory does not grow
/// with them. ap_dataset_prepare() makes states of a raw log, ap_excite() the motion to be logged.

#ifndef APPELL_IDENT_H
#define APPELL_IDENT_H

#include <appell/dyn.h>
#include <appell/traj.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- parameters --------------------------------------------------------------------------------

/// What is looked for besides the ten inertial parameters of every moving body. Each adds one
/// parameter for every revolute or prismatic joint.
typedef struct ap_ident_options {
  bool rotor;   ///< reflected rotor inertia: gear_ratio^2 rotor_inertia of the model
  bool viscous; ///< viscous friction
  bool coulomb; ///< Coulomb friction
  bool offset;  ///< a constant joint force, such as an error of the sensor; no model has it
} ap_ident_options;

/// The parameters of one model, and room to compute their regressor.
typedef struct ap_ident ap_ident;
/// Start; the model must live as long.
AP_API ap_status ap_ident_create(const ap_model *m, const ap_ident_options *options,
                                 ap_ident **ident, ap_error *error);
/// Free it; NULL is allowed.
AP_API void ap_ident_free(ap_ident *ident);
/// Number of standard parameters np: first the inertial ones in the order of
/// ap_inertial_parameters(), then for each joint those of the options.
AP_API int ap_ident_count(const ap_ident *ident);
/// Name of standard parameter k, as "forearm.mcx", "forearm.Ixy" or "elbow.viscous"; NULL past the
/// last. Inertial parameters are named after the body, the others after the joint.
AP_API const char *ap_ident_name(const ap_ident *ident, int k);
/// Its unit ("kg m2").
AP_API const char *ap_ident_unit(const ap_ident *ident, int k);
/// The standard parameters as the model has them (an offset is 0).
AP_API void ap_ident_nominal(const ap_ident *ident, double *p);
/// The regressor with the columns of the options: nv rows of np numbers, tau = W p.
AP_API void ap_ident_rows(ap_ident *ident, const double *q, const double *v, const double *a,
                          double *W);

// ---- base parameters ---------------------------------------------------------------------------

/// How the combinations are found.
typedef enum ap_base_method {
  AP_BASE_QR, ///< QR factorisation with column pivoting
  AP_BASE_SVD ///< the null space of the singular value decomposition (Gautier 1991)
} ap_base_method;

/// The combinations of standard parameters that joint forces depend on: base parameter k is one
/// standard parameter plus multiples of others that no motion tells from it.
typedef struct ap_base ap_base;
/// Find them from random states within the model's limits, the same ones on every machine.
AP_API ap_status ap_base_find(ap_ident *ident, ap_base_method method, ap_base **base,
                              ap_error *error);
/// Free them; NULL is allowed.
AP_API void ap_base_free(ap_base *base);
/// How many.
AP_API int ap_base_count(const ap_base *base);
/// The standard parameter that base parameter k is named after.
AP_API int ap_base_leader(const ap_base *base, int k);
/// The factor of standard parameter i in base parameter k (1 for its leader).
AP_API double ap_base_factor(const ap_base *base, int k, int i);
/// Base parameter k in words, "a.Izz + 0.1866 b.m - b.mcx", cut to size; returns text.
AP_API char *ap_base_text(const ap_ident *ident, const ap_base *base, int k, char *text,
                          size_t size);
/// The values of the base parameters for standard parameters p.
AP_API void ap_base_values(const ap_base *base, const double *p, double *value);
/// How far the decision is from being doubtful: the smallest relative pivot or singular value that
/// counts, and the largest one that does not.
AP_API void ap_base_gap(const ap_base *base, double *kept, double *dropped);

// ---- measurements, reduced ---------------------------------------------------------------------

/// Least squares problems of every joint reduced to triangles, in as many parts as folds: block
/// after block of rows is taken in by Householder's method.
typedef struct ap_reduction ap_reduction;
/// Start one; folds >= 1, and 2 or more for ridge regression, which is cross-validated over them.
AP_API ap_status ap_reduction_create(ap_ident *ident, int folds, ap_reduction **reduction,
                                     ap_error *error);
/// Free it; NULL is allowed.
AP_API void ap_reduction_free(ap_reduction *reduction);
/// Take in one state and the joint forces measured in it; a force that is not finite, or whose row
/// of the regressor is not, is left out. Each 20 successive states belong to one fold.
AP_API void ap_reduction_add(ap_reduction *reduction, const double *q, const double *v,
                             const double *a, const double *tau);
/// Rows taken in, of joint force j, and in *left_out (may be NULL) those that were not.
AP_API long ap_reduction_rows(const ap_reduction *reduction, int j, long *left_out);
/// Root mean square of the joint forces taken in, [nv].
AP_API void ap_reduction_force_rms(ap_reduction *reduction, double *rms);
/// Root mean square of the difference between what p predicts and those forces, [nv].
AP_API void ap_reduction_error_rms(ap_reduction *reduction, const double *p, double *rms);

// ---- estimation --------------------------------------------------------------------------------

/// How parameters are estimated.
typedef enum ap_fit_method {
  AP_FIT_QR,        ///< least squares on the base parameters by QR
  AP_FIT_SVD,       ///< the same by singular values, small ones left out
  AP_FIT_PINV,      ///< the pseudo-inverse of the regressor of all standard parameters
  AP_FIT_RIDGE,     ///< ridge regression, its parameter by cross-validation
  AP_FIT_WEIGHTED,  ///< least squares with each joint weighted by its own residual
  AP_FIT_CONSISTENT ///< weighted, over parameters that bodies can have
} ap_fit_method;

/// Number of methods.
enum { AP_FIT_METHODS = AP_FIT_CONSISTENT + 1 };
/// Name of a method ("qr", "svd", "pinv", "ridge", "weighted", "consistent"), never NULL.
AP_API const char *ap_fit_method_name(ap_fit_method method);

/// How to estimate. Start from ap_default_fit().
typedef struct ap_fit_options {
  double truncate;     ///< AP_FIT_SVD: relative size of singular values that are left out; 1e-8
  int iterations;      ///< AP_FIT_CONSISTENT: at most; 500
  const double *start; ///< AP_FIT_CONSISTENT: [np] where to start; NULL: the model
  unsigned cookie;     ///< ap_default_fit() sets it
} ap_fit_options;
/// The defaults named above.
AP_API ap_fit_options ap_default_fit(void);

/// What came out. Free it with ap_fit_free().
typedef struct ap_fit {
  ap_fit_method method; ///< by which it was estimated
  int n;                ///< base parameters
  int np;               ///< standard parameters
  int nv;               ///< joint forces
  double *value;        ///< [n] base parameters
  double *deviation;    ///< [n] their standard deviations
  double *parameter;    ///< [np] standard parameters with those base parameters; those of
                        ///< AP_FIT_CONSISTENT are physical, others have no meaning one by one
  double *noise;        ///< [nv] standard deviation of the joint forces about the fit
  double *residual_rms; ///< [nv] root mean square of the residuals
  double condition;     ///< of the base parameters' regressor with columns of length one
  double ridge;         ///< AP_FIT_RIDGE: what was added to the squares, relative to the largest
  int truncated;        ///< AP_FIT_SVD: singular values left out
  int iterations;       ///< AP_FIT_CONSISTENT: spent
} ap_fit;

/// Estimate. AP_E_ARG, with a reason that names a parameter, where the measurements do not
/// determine the base parameters.
AP_API ap_status ap_fit_make(ap_reduction *reduction, const ap_base *base, ap_fit_method method,
                             const ap_fit_options *options, ap_fit **fit, ap_error *error);
/// Free it; NULL is allowed.
AP_API void ap_fit_free(ap_fit *fit);

/// Whether standard parameters are those of bodies: the pseudo-inertia of every moving body
/// positive definite (mass positive, the principal moments of a distribution of mass), friction
/// and rotor inertia not negative.
AP_API bool ap_ident_physical(const ap_ident *ident, const double *p);
/// Put physical parameters into copies of the model's bodies: bodies[k] is body k + 1, and what is
/// fixed to a moving body has its mass in that body from now on. Friction and rotor inertia follow
/// where they were looked for. AP_E_ARG where p is not physical.
AP_API ap_status ap_ident_apply(const ap_ident *ident, const double *p, ap_body_def *bodies);

// ---- raw logs ----------------------------------------------------------------------------------

/// A log: n samples, row after row. What is NULL was not measured.
typedef struct ap_samples {
  int n;       ///< samples
  double *t;   ///< [n] s, increasing
  double *q;   ///< [n * nq]
  double *v;   ///< [n * nv] or NULL
  double *a;   ///< [n * nv] or NULL
  double *tau; ///< [n * nv]
  int *line;   ///< [n] lines of a file, for messages; NULL: its number from 1 stands for a sample
} ap_samples;

/// Read a log from an HDF5 or CSV file ("-" is standard input): a line that names the columns, then
/// a line for each sample. The columns are t and for each joint q.JOINT, tau.JOINT and where
/// measured v.JOINT, a.JOINT, in any order; a joint with several coordinates has one column for
/// each, named as in the logs of runs (q.base.x, v.base.wx, tau.base.fx). Other columns are left
/// alone. AP_E_FILE, AP_E_SYNTAX or AP_E_ARG with the line: a file that cannot be read, what is no
/// number, a column that is missing, there twice, or belongs to no joint.
AP_API ap_status ap_samples_read(const ap_ident *ident, const char *path, ap_samples **samples,
                                 ap_error *error);
/// Free samples that were read; NULL is allowed.
AP_API void ap_samples_free(ap_samples *samples);

/// How raw logs are treated. Start from ap_default_prepare().
typedef struct ap_prepare_options {
  double cutoff;   ///< Hz, of the low-pass filter; 10, or a quarter of the sampling rate if less
  int order;       ///< of the Butterworth filter, run forwards and back; 1 to 8, default 4
  bool always;     ///< filter although v and a were measured
  double spikes;   ///< before the filter, a number farther from the median of the eleven samples
                   ///< around it than so many robust deviations is replaced by it; 8; 0: none is
  unsigned cookie; ///< ap_default_prepare() sets it
} ap_prepare_options;
/// The defaults named above.
AP_API ap_prepare_options ap_default_prepare(void);

/// Zero-phase Butterworth low-pass of x[n], sampled at rate, every stride-th number, in place:
/// forwards and back, the ends continued by their point reflection and the filter started in its
/// steady state there. AP_E_ARG for a cutoff that is not below half the rate, or an order that is
/// not 1 to 8; AP_E_MEMORY.
AP_API ap_status ap_filter_zero_phase(double *x, int n, int stride, double rate, double cutoff,
                                      int order);

/// The states of a log, with v and a.
typedef struct ap_dataset ap_dataset;
/// Make states of samples. Where v or a is missing (or options->always), positions and forces are
/// filtered alike and positions differentiated; samples that are not evenly spaced are interpolated
/// first, the ends that the filter spoils are left out, and of the rest as many are kept as the
/// filter leaves independent. Where Coulomb friction is looked for, the force of a joint that turns
/// back within the filter's reach becomes NAN. Only joints of one degree of freedom can be
/// differentiated: others need v and a (AP_E_UNSUPPORTED). AP_E_ARG for a number that is not
/// finite, a time that does not increase, a gap; error->line is then that of the sample, 0 where
/// there are too few.
AP_API ap_status ap_dataset_prepare(const ap_ident *ident, const ap_samples *samples,
                                    const ap_prepare_options *options, ap_dataset **states,
                                    ap_error *error);
/// Free them; NULL is allowed.
AP_API void ap_dataset_free(ap_dataset *states);
/// How many numbers of the samples were spikes, and were replaced.
AP_API long ap_dataset_spikes(const ap_dataset *states);
/// How many.
AP_API int ap_dataset_count(const ap_dataset *states);
/// State i: pointers to its numbers.
AP_API void ap_dataset_at(const ap_dataset *states, int i, const double **q, const double **v,
                          const double **a, const double **tau);
/// So many states (all, where there are fewer), spread at random over the whole, the same ones
/// every time. NULL where there is no memory.
AP_API ap_dataset *ap_dataset_sample(const ap_dataset *states, int count);
/// Take all states into a reduction but for forces farther from the fit than `reject` robust
/// standard deviations (from the median of the magnitudes); 0: none is left out. The fit is made
/// again without them, in at most three passes; the first one is made from 20000 states where there
/// are more than twice as many. folds as in ap_reduction_create().
AP_API ap_status ap_dataset_reduce(const ap_dataset *states, ap_ident *ident, const ap_base *base,
                                   int folds, double reject, ap_reduction **reduction,
                                   ap_error *error);

// ---- excitation --------------------------------------------------------------------------------

/// A motion to be found. Start from ap_default_excite().
typedef struct ap_excite_options {
  int harmonics;       ///< of the Fourier series; default 5
  double period;       ///< s; default 10
  double velocity;     ///< of joints without a limit of their own, rad/s or m/s; default 1.5
  double acceleration; ///< largest of every joint; default INFINITY
  double range;        ///< joints without limits stay within -range .. range; default pi
  double margin;       ///< part of every limit that is kept free; default 0.05
  int evaluations;     ///< of the criterion; default 6000
  unsigned seed;       ///< of the random numbers; default 1
  /// Where not NULL, called now and then with the evaluations done, and with context.
  void (*progress)(void *context, int done);
  void *context;   ///< for progress
  unsigned cookie; ///< ap_default_excite() sets it
} ap_excite_options;
/// The defaults named above.
AP_API ap_excite_options ap_default_excite(void);

/// What was found.
typedef struct ap_excitation {
  double criterion;  ///< log10 of the determinant of the information for each sample, forces
                     ///< relative to their limits; only differences mean something
  double first;      ///< the same of the best random motion that the search began with
  double condition;  ///< of the base parameters' regressor with columns of length one, as in ap_fit
  double torque_use; ///< largest joint force relative to its limit; 0 where there is no limit
} ap_excitation;

/// Find one period of a Fourier series, from rest to rest, that shows the base parameters best: the
/// determinant of their information matrix is largest (D-criterion) within the model's limits of
/// position, velocity and force. The forces are those of the model as it is. Only joints of one
/// degree of freedom (AP_E_UNSUPPORTED). AP_E_NO_CONVERGENCE where no motion within the limits of
/// force was found.
AP_API ap_status ap_excite(ap_ident *ident, const ap_base *base, const ap_excite_options *options,
                           ap_traj **traj, ap_excitation *found, ap_error *error);

#ifdef __cplusplus
}
#endif

#endif
