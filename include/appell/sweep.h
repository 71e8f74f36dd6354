// SPDX-License-Identifier: Apache-2.0
/// @file sweep.h
/// Sweeps: one study run for many values of its parameters, in parts, on threads, machines or at
/// different times, with the same bytes at the end. Part of libappell-tools; allocates, and starts
/// threads.
///
/// The values of a trial follow from its number alone. Trials are computed in chunks; a chunk is
/// one file in a folder, which appears when it is complete. A sweep that was ended by whatever
/// computes the chunks that are missing.
///
///     ap_sweep *sweep;
///     ap_error error;
///     ap_sweep_options options = ap_default_sweep();
///     if (ap_sweep_read("models/studies/workspace.yaml", &sweep, &error) == AP_OK &&
///         ap_sweep_run(sweep, "workspace.sweep", &options, &error) == AP_OK)
///       ap_sweep_merge("workspace.sweep", "workspace.h5", &error);

#ifndef APPELL_SWEEP_H
#define APPELL_SWEEP_H

#include <appell/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A study (docs/sweep.md), read and checked. Free it with ap_sweep_free(). May be shared by
/// threads.
typedef struct ap_sweep ap_sweep;

/// Read a study and everything that it names, and find out whether a trial can be run. On failure
/// *sweep is NULL, and *error has the line and says what is wrong and what would be right.
AP_API ap_status ap_sweep_read(const char *path, ap_sweep **sweep, ap_error *error);
/// Free a study; NULL is allowed.
AP_API void ap_sweep_free(ap_sweep *sweep);
/// Its name, never NULL.
AP_API const char *ap_sweep_name(const ap_sweep *sweep);
/// What a trial is: "run", "eval", "rollout" or "identify".
AP_API const char *ap_sweep_kind(const ap_sweep *sweep);
/// The trials of the study, numbered from 0.
AP_API long long ap_sweep_trials(const ap_sweep *sweep);
/// The trials of a chunk; the last one may have fewer.
AP_API long ap_sweep_chunk(const ap_sweep *sweep);
/// Name of parameter i, from 0; NULL past the last.
AP_API const char *ap_sweep_parameter(const ap_sweep *sweep, int i);
/// Name of outcome i, from 0; NULL past the last.
AP_API const char *ap_sweep_outcome(const ap_sweep *sweep, int i);

/// The values of the parameters in a trial. AP_E_ARG: there is no such trial.
AP_API ap_status ap_sweep_values(const ap_sweep *sweep, long long trial, double *values);
/// Run one trial. record, where not NULL, is the log of a run (ap_run_record()); AP_E_ARG for
/// studies that run nothing. A trial that fails returns its status and says why in *error; its
/// outcomes are NAN.
AP_API ap_status ap_sweep_trial(const ap_sweep *sweep, long long trial, const char *record,
                                double *outcomes, ap_error *error);

// ---- sweeping ----------------------------------------------------------------------------------

/// How far a sweep is.
typedef struct ap_sweep_progress {
  long long done;    ///< trials of this part that are computed, those found at the start included
  long long fresh;   ///< trials computed by this call
  long long part;    ///< trials of this part
  long long all;     ///< trials of the study
  long long written; ///< trials of the study that are in the folder, by all parts; looked up once a
                     ///< second
  double seconds;    ///< since the start
} ap_sweep_progress;
/// Called a few times a second by the thread that called ap_sweep_run(). False ends the sweep after
/// the chunks in work.
typedef bool ap_sweep_watch(void *context, const ap_sweep_progress *progress);

/// Which part of a study is computed, and how. Begin with ap_default_sweep().
typedef struct ap_sweep_options {
  long part;             ///< from 1; default 1
  long parts;            ///< of so many nearly equal ones; default 1
  int threads;           ///< at most; 0, the default: as many as there are processors
  ap_sweep_watch *watch; ///< NULL: none
  void *context;         ///< of watch
  unsigned cookie;       ///< ap_default_sweep() sets it
} ap_sweep_options;
/// The defaults named above.
AP_API ap_sweep_options ap_default_sweep(void);

/// Compute the chunks of a part that the folder does not have yet; the folder is made where it is
/// not there. AP_E_FILE where it has another study, version or family of bits, where another
/// program computes some of these chunks, or where a file cannot be written: what is there stays.
/// *fresh (may be NULL) are the trials that were computed.
AP_API ap_status ap_sweep_run(const ap_sweep *sweep, const char *folder,
                              const ap_sweep_options *options, long long *fresh, ap_error *error);
/// Whether the folder has all chunks of the study.
AP_API bool ap_sweep_complete(const ap_sweep *sweep, const char *folder);

/// Write all trials of a complete folder to one HDF5 file, which appears only when complete:
/// /parameters and /outcomes with a row for each trial, and /status. The same study gives the same
/// bytes, however it was computed. AP_E_FILE, with what is wrong, where chunks are missing, damaged
/// or not of the same study, version or family of bits. AP_E_UNSUPPORTED where the library was
/// built without HDF5.
AP_API ap_status ap_sweep_merge(const char *folder, const char *path, ap_error *error);

// ---- summary -----------------------------------------------------------------------------------

/// Quantiles of a summary, in percent: 0.1, 1, 5, 25, 50, 75, 95, 99, 99.9.
enum { AP_SWEEP_QUANTILES = 9, AP_SWEEP_BINS = 40, AP_SWEEP_WORST = 5, AP_SWEEP_SHOWN = 1000 };
/// The quantiles, as fractions.
AP_API extern const double ap_sweep_quantile[AP_SWEEP_QUANTILES];

/// What is known of one outcome over all trials that gave a finite number.
typedef struct ap_sweep_outcome_summary {
  const char *name;                    ///< of the outcome
  long long count;                     ///< finite numbers
  double mean;                         ///< of them
  double deviation;                    ///< standard deviation, with n - 1
  double least;                        ///< of them
  double most;                         ///< of them
  double quantile[AP_SWEEP_QUANTILES]; ///< exact: the smallest number that so many are not above
  long long histogram[AP_SWEEP_BINS];  ///< from least to most
  long long worst[AP_SWEEP_WORST];     ///< trials, the worst first; -1: none
  double worst_value[AP_SWEEP_WORST];  ///< their outcomes
  double *influence[3];                ///< [parameters], see ap_sweep_summary::influence
} ap_sweep_outcome_summary;

/// A summary. Free it with ap_sweep_summary_free().
typedef struct ap_sweep_summary {
  const char *name;                  ///< of the study
  const char *kind;                  ///< of its trials: run, eval, rollout, identify
  const char *design;                ///< how values are chosen
  const char *version;               ///< of the library
  const char *family;                ///< of bits
  const char *study_file;            ///< where it was read from; NULL: unknown
  long long trials;                  ///< all of them
  long long failed;                  ///< those without a result
  long long failure[AP_SWEEP_WORST]; ///< the first of them; -1: none
  int parameters;                    ///< how many
  int outcomes;                      ///< how many
  const char *const *parameter;      ///< [parameters] names
  ap_sweep_outcome_summary *outcome; ///< [outcomes]
  /// What outcome[k].influence has. Design saltelli: "first order", "total", NULL (Sobol's indices,
  /// by the estimators of Saltelli 2010 and Jansen 1999). Design morris: "mu*", "mu", "sigma" of
  /// the elementary effects. Others: "correlation", NULL, NULL (Pearson's).
  const char *influence[3];
  int shown;       ///< trials kept for scatter plots, evenly spread, at most AP_SWEEP_SHOWN
  const double *x; ///< [shown * parameters] their values, row by row
  const double *y; ///< [shown * outcomes] their outcomes, row by row
} ap_sweep_summary;

/// Read all chunks of a complete folder, a few times, and summarise them.
AP_API ap_status ap_sweep_summarize(const char *folder, ap_sweep_summary **summary,
                                    ap_error *error);
/// Free it; NULL is allowed.
AP_API void ap_sweep_summary_free(ap_sweep_summary *summary);
/// Write it as one page that needs nothing else. command: how a trial is run again, the trial's
/// number goes behind it.
AP_API ap_status ap_sweep_page(const ap_sweep_summary *summary, const char *command,
                               ap_write *write, void *context, ap_error *error);

#ifdef __cplusplus
}
#endif

#endif
