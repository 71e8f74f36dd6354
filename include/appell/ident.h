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

#include <appell/clearance.h>
#include <appell/dyn.h>
#include <appell/traj.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- parameters --------------------------------------------------------------------------------

/// What is looked for besides the ten inertial parameters of every moving body. Each adds one
/// parameter for every revolute or prismatic joint.
typedef struct ap_ident_options {
  bool rotor;      ///< reflected rotor inertia: gear_ratio^2 rotor_inertia of the model
  bool viscous;    ///< viscous friction
  bool coulomb;    ///< Coulomb friction
  bool offset;     ///< a constant joint force, such as an error of the sensor; no model has it
  bool stiffness;  ///< of a spring with the model's rest; with an offset its rest need not be known
  bool held_base;  ///< the forces of free joints are not measured, as those of a stand or of the
                   ///< ground that carry a base whose motion is: their rows are left out
  bool partial;    ///< a log may be without tau of some joints: ap_samples_read() makes them NAN,
                   ///< and their rows are left out. See ap_ident_limit_to()
  bool asymmetric; ///< friction that depends on the direction: Coulomb and viscous friction are
                   ///< larger by these in positive direction, smaller by them in negative; the
                   ///< former is a constant, so that an offset cannot be looked for as well
  bool load;       ///< Coulomb friction in proportion to the magnitude of the joint force that the
                   ///< model has without friction
  double stribeck; ///< what Coulomb friction is larger by at rest, fading with exp(-(v / this)^2);
                   ///< rad/s or m/s; 0: not looked for
  const char *payload; ///< a link: only the ten parameters of what it carries in addition to the
                       ///< model are looked for (and what is named above), the robot being as the
                       ///< model says; NULL: those of all bodies
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
/// The regressor with the columns of the options: nv rows of np numbers, tau = W p. Springs that
/// are not looked for and gravity compensation are known: the functions that take measurements
/// subtract what they take (ap_passive_forces()) from the joint forces.
AP_API void ap_ident_rows(ap_ident *ident, const double *q, const double *v, const double *a,
                          double *W);
/// The part of the joint forces that is known, [nv]: what is subtracted from measured ones. Of a
/// payload it is what the robot needs without it.
AP_API void ap_ident_known(ap_ident *ident, const double *q, const double *v, const double *a,
                           double *tau);

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
  const double *start; ///< AP_FIT_CONSISTENT: [np] where to start, and the prior; NULL: the model
  double prior;      ///< AP_FIT_CONSISTENT: by which part the start's bodies may be off (a standard
                     ///< deviation; 0.2 is 20 %); 0: chosen by the evidence of the forces
  double total_mass; ///< AP_FIT_CONSISTENT: of all moving bodies, kg, to 0.2 %; 0: not known
  const double *mass_least; ///< AP_FIT_CONSISTENT: [moving bodies] bounds of masses, kg; NULL: none
  const double *mass_most;  ///< the same; INFINITY where there is none
  unsigned cookie;          ///< ap_default_fit() sets it
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
  double prior;         ///< AP_FIT_CONSISTENT: ap_fit_options::prior, or what evidence chose
  double *parameter_deviation; ///< [np] AP_FIT_CONSISTENT: standard deviations of the standard
                               ///< parameters, from noise and from doubts about the model together;
                               ///< INFINITY of friction and rotors that no force shows
  double *determined; ///< [np] AP_FIT_CONSISTENT: which part of a parameter's variance by the
                      ///< prior the forces took away, 0 (all of it is the model's) to 1
  double inflation;   ///< by which correlated noise makes variances of the base parameters larger
                      ///< than white noise would, on average; `deviation` has it
} ap_fit;

/// Whether the forces determine standard parameter k of a consistent fit: 99 % of its variance by
/// the prior are gone. Others are those of the model, changed as the forces demand.
AP_API bool ap_fit_identifiable(const ap_fit *fit, int k);

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
/// fixed to a moving body has its mass in that body from now on, a payload in the body that carries
/// it. Friction and rotor inertia follow where they were looked for; Stribeck friction is static
/// friction of the model. No model holds an offset, asymmetric or load-dependent friction.
/// AP_E_ARG where p is not physical.
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
/// alone. With ap_ident_options::held_base, tau of free joints need not be there. AP_E_FILE,
/// AP_E_SYNTAX or AP_E_ARG with the line: a file that cannot be read, what is no
/// number, a column that is missing, there twice, or belongs to no joint.
AP_API ap_status ap_samples_read(const ap_ident *ident, const char *path, ap_samples **samples,
                                 ap_error *error);
/// The same, with columns that have other names or none. `columns` is a list with commas between,
/// NULL or "": none. NAME=COLUMN says where t or q.JOINT stands: under that name, or in the column
/// of that number from 1. For all joints in their order, GROUP=A-B are columns by number and
/// GROUP=PATTERN names with {joint}, {1} or {0} in them (the joint's name, its number from 1 or 0),
/// where GROUP is q, v, a or tau. *FACTOR behind a column multiplies its numbers, *deg makes
/// radians of degrees: "t=time*0.001,q=pos_{1}*deg,tau=8-13". What the list does not name has its
/// own name. A file whose first line has numbers has no names. Columns may have commas, tabs,
/// blanks or semicolons between them; with semicolons numbers may have commas for points. Where
/// timeless, t may be missing: the number of the sample stands for it.
AP_API ap_status ap_samples_read_as(const ap_ident *ident, const char *path, const char *columns,
                                    bool timeless, ap_samples **samples, ap_error *error);
/// Free samples that were read; NULL is allowed.
AP_API void ap_samples_free(ap_samples *samples);

/// How raw logs are treated. Start from ap_default_prepare().
typedef struct ap_prepare_options {
  double cutoff; ///< Hz, of the low-pass filter; 10, or a quarter of the sampling rate if less
  int order;     ///< of the Butterworth filter, run forwards and back; 1 to 8, default 4
  bool always;   ///< filter although v and a were measured
  double spikes; ///< before the filter, a number farther from the median of the eleven samples
                 ///< around it than so many robust deviations, or a position as far from the
                 ///< cubic through its neighbours, is interpolated; 8; 0: none is
  double delay;  ///< s by which forces were measured later than the motion; they are shifted back
                 ///< and, where it is not 0, filtered; 0
  bool at_rest;  ///< every sample is a pose at rest: v and a are zero and not needed
  bool currents; ///< tau are motor currents: ap_drive_gains_find() (drive_gains.h) finds what they
                 ///< are worth
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
/// filter leaves independent. Nothing is filtered across a gap, a pause of a quarter of the
/// filter's period or more in which three samples are missing; parts that are too short for the
/// filter are left out. Where Coulomb friction is looked for, the force of a joint that turns back
/// within the filter's reach becomes NAN. Only joints of one degree of freedom can be
/// differentiated: others need v and a (AP_E_UNSUPPORTED). AP_E_ARG for a number that is not
/// finite, a time that does not increase; error->line is then that of the sample, 0 where there are
/// too few.
AP_API ap_status ap_dataset_prepare(const ap_ident *ident, const ap_samples *samples,
                                    const ap_prepare_options *options, ap_dataset **states,
                                    ap_error *error);
/// Free them; NULL is allowed.
AP_API void ap_dataset_free(ap_dataset *states);
/// How many numbers of the samples were spikes, and were interpolated.
AP_API long ap_dataset_spikes(const ap_dataset *states);
/// How many gaps the samples had that nothing was filtered across.
AP_API int ap_dataset_gaps(const ap_dataset *states);
/// How many samples were left out because the part between two gaps is too short for the filter.
AP_API long ap_dataset_unused(const ap_dataset *states);
/// Cutoff of the filter, Hz; 0 where nothing was filtered.
AP_API double ap_dataset_cutoff(const ap_dataset *states);
/// Add the states of another log of the same model. AP_E_ARG where it is not, AP_E_MEMORY.
AP_API ap_status ap_dataset_append(ap_dataset *states, const ap_dataset *more);
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

/// Look only for what these states can show: joints that rest in all of them (*resting) neither
/// turn nor accelerate where base parameters are looked for, and forces that none of them has
/// (*silent) are left out. With states at rest, only parameters of gravity, springs and offsets are
/// left. To be called before ap_base_find(). AP_E_MEMORY.
AP_API ap_status ap_ident_limit_to(ap_ident *ident, const ap_dataset *states, int *resting,
                                   int *silent);

// ---- doubts ------------------------------------------------------------------------------------

/// What a log may have that the robot contradicts.
typedef enum ap_doubt_kind {
  AP_DOUBT_TIME,      ///< t in ms or smaller
  AP_DOUBT_DEGREES,   ///< q in degrees
  AP_DOUBT_LIMITS,    ///< q outside the joint's limits
  AP_DOUBT_RATES,     ///< v is not the derivative of q
  AP_DOUBT_DEAD,      ///< a column of forces that does not change although it should
  AP_DOUBT_SIGN,      ///< a column of the opposite sign
  AP_DOUBT_SWAPPED,   ///< columns of two joints in each other's place
  AP_DOUBT_SCALE,     ///< forces in another unit, as currents
  AP_DOUBT_DELAY,     ///< forces later or earlier than the motion
  AP_DOUBT_BANDWIDTH, ///< motion too fast for filter or sampling rate
  AP_DOUBT_RESIDUAL,  ///< forces that no parameters explain
  AP_DOUBT_MASS       ///< a mass that is absurd next to the model's
} ap_doubt_kind;

/// Number of kinds.
enum { AP_DOUBT_KINDS = AP_DOUBT_MASS + 1 };
/// Name of a kind ("time", "degrees", ...), never NULL.
AP_API const char *ap_doubt_name(ap_doubt_kind kind);

/// One doubt.
typedef struct ap_doubt {
  ap_doubt_kind kind; ///< what it is about
  bool grave;         ///< the data are wrong, and so is every parameter; else something to look at
  int joint;          ///< entry of v that it is about; -1: of none, or of all
  int other;          ///< of two joints, the other one; -1
  double value;       ///< what was found: a factor, a delay (s), a share, a mass (kg)
  double bound;       ///< what it is compared with
  char text[320];     ///< one line for people
} ap_doubt;

/// Doubts at most.
enum { AP_DOUBTS = 48 };
/// Doubts in the order in which they were found. Start with {0}.
typedef struct ap_doubts {
  int count;                 ///< of them
  ap_doubt doubt[AP_DOUBTS]; ///< the first count are in use
} ap_doubts;

/// Whether one of them is grave.
AP_API bool ap_doubts_grave(const ap_doubts *doubts);
/// Look at a log before anything is computed from it: times, positions, velocities, dead columns.
/// options as for ap_dataset_prepare(); NULL: its defaults.
AP_API ap_status ap_doubt_samples(ap_ident *ident, const ap_samples *samples,
                                  const ap_prepare_options *options, ap_doubts *doubts,
                                  ap_error *error);
/// Look at forces and motion: scales and signs of columns, columns in each other's place, a filter
/// that is too slow. Forces that bodies can explain, friction included, are not doubted; where some
/// are not, other signs and orders of columns are tried on a few hundred states, one after the
/// other, the best first.
AP_API ap_status ap_doubt_states(ap_ident *ident, const ap_dataset *states, ap_doubts *doubts,
                                 ap_error *error);
/// How much later than the motion the forces are, s, and the standard deviation of that: a column
/// with the derivative of the forces takes part in a fit with friction. Nothing is found (0 and
/// INFINITY) in logs that are too short for the filter, do not excite the parameters, or are of a
/// robot with joints of several degrees of freedom.
AP_API ap_status ap_doubt_delay(ap_ident *ident, const ap_samples *samples,
                                const ap_prepare_options *options, double *delay, double *deviation,
                                ap_doubts *doubts, ap_error *error);
/// Look at a fit: residuals, and masses, as far as the forces determine them.
AP_API ap_status ap_doubt_fit(const ap_ident *ident, ap_reduction *reduction, const ap_fit *fit,
                              ap_doubts *doubts);

// ---- excitation --------------------------------------------------------------------------------

/// A motion to be found. Start from ap_default_excite().
typedef struct ap_excite_options {
  int harmonics;       ///< of the Fourier series; default 5
  double period;       ///< s; default 10
  double velocity;     ///< of joints without a limit of their own, rad/s or m/s; default 1.5
  double acceleration; ///< largest of every joint; default INFINITY
  double range;        ///< joints without limits stay within -range .. range; default pi
  double margin;       ///< kept free at all times: this part of the limits of speed, acceleration
                       ///< and force, and of the range at each of its ends; default 0.05
  int evaluations;     ///< of the criterion; default 6000
  unsigned seed;       ///< of the random numbers; default 1
  const bool *rests;   ///< [nv] joints that rest, as near to 0 as their range allows; NULL: none
  const double *lower; ///< [nv] least position, within the model's limits; NULL: theirs
  const double *upper; ///< [nv] largest position; where it is equal to lower, the joint rests there
  const double *velocity_scale;     ///< [nv] share of the velocity limit, up to 1; NULL: 1
  const double *acceleration_scale; ///< [nv] share of `acceleration`, up to 1; NULL: 1
  ap_clearance *clearance; ///< what the robot keeps clear of, of the same model; NULL: nothing
  double distance;         ///< m that it keeps from itself and from the floor; default 0.02
  bool *excited; ///< NULL, or one for each base parameter: whether the motion shows it. Where
                 ///< joints rest, some are not shown, or only together with others
  /// Where not NULL, called now and then with the evaluations done, and with context. False ends
  /// the search: the best motion so far is the result.
  bool (*progress)(void *context, int done);
  void *context;   ///< for progress
  unsigned cookie; ///< ap_default_excite() sets it
} ap_excite_options;
/// The defaults named above.
AP_API ap_excite_options ap_default_excite(void);

/// What was found. Limits and distances hold for every time, not at samples only.
typedef struct ap_excitation {
  double criterion;  ///< log10 of the determinant of the information for each sample, forces
                     ///< relative to their limits; only differences mean something
  double first;      ///< the same of the best random motion that the search began with; NAN where
                     ///< none of these was allowed
  double condition;  ///< of the base parameters' regressor with columns of length one, as in ap_fit
  double torque_use; ///< largest joint force relative to its limit, an upper bound that is at most
                     ///< 0.001 too large; 0 where there is no limit
  double position_spare;     ///< distance to the nearest end of a range, as a part of that range
  double velocity_spare;     ///< part of a velocity limit that is left
  double acceleration_spare; ///< of the largest acceleration; 1 where there is none
  ap_distances distances;    ///< lower bounds, at most 1 mm too small
  int excited;               ///< base parameters that the motion shows
} ap_excitation;

/// Find one period of a Fourier series, from rest to rest, that shows the base parameters best: the
/// determinant of their information matrix is largest (D-criterion) within the model's limits of
/// position, velocity and force, clear of obstacles. The forces are those of the model as it is.
/// Only joints of one degree of freedom (AP_E_UNSUPPORTED). AP_E_NO_CONVERGENCE where no such
/// motion was found; *error then says which limit the best one breaks, and by how much.
AP_API ap_status ap_excite(ap_ident *ident, const ap_base *base, const ap_excite_options *options,
                           ap_traj **traj, ap_excitation *found, ap_error *error);

#ifdef __cplusplus
}
#endif

#endif
