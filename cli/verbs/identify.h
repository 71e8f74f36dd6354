// SPDX-License-Identifier: Apache-2.0
/// @file identify.h
/// What `identify` found, on its way from the computation to the report.

#ifndef CLI_IDENTIFY_H
#define CLI_IDENTIFY_H

#include <appell/drive_gains.h>

#include "load.h"
#include "ui/output.h"

/// How logs are read, and whether they are believed.
typedef struct cli_log_options {
  const char *columns; ///< which column is which; NULL: as their names say
  ap_prepare_options prepare;
  bool partial; ///< only some joints move, or have forces
  bool trust;   ///< grave doubts are warnings, too
} cli_log_options;

/// Logs, made states and reduced.
typedef struct cli_log_data {
  const char *path; ///< of the last one; NULL: there is none
  int logs;         ///< how many
  int samples;      ///< in the files
  double duration;  ///< s
  ap_dataset *states;
  ap_reduction *reduction;
} cli_log_data;

/// What was asked for about gains of currents.
typedef struct cli_gain_wish {
  bool wanted;
  char link[256]; ///< that carries the load
  double centre[3], inertia[6];
  ap_known_load load; ///< its link is NULL where there is none
  const char *loaded; ///< logs that carry it, with commas between
} cli_gain_wish;

/// One identification.
typedef struct cli_identification {
  cli_model model;
  bool stands; ///< its free base was fixed
  ap_ident *ident;
  ap_base *base;
  cli_log_data data, validation;
  cli_log_data loaded; ///< logs with the known load
  char *loaded_paths;
  struct cli_kept_log {
    const char *path;
    ap_samples *samples;
  } * kept; ///< of logs with currents: their delay shows when the gains are known
  int nkept;
  ap_drive_gains *gains;           ///< NULL: the logs have forces
  ap_fit *fit[AP_FIT_METHODS];     ///< NULL where it was not asked for
  ap_error failed[AP_FIT_METHODS]; ///< why a method could not be used
  ap_fit_method method;            ///< the one that is reported in full
  int resting, silent;             ///< joints that do not move, joints without forces
  bool at_rest;                    ///< all of them in every sample
  ap_doubts doubts;
} cli_identification;

/// Load the model of the first argument, its free base fixed at a pose where stand is not NULL.
/// Reports what is wrong and returns a status other than CLI_OK.
int cli_identify_load(const cli_arguments *arguments, const double *stand, cli_identification *f);
/// Read a log and add its states to data.
int cli_identify_read(cli_identification *f, const cli_log_options *o, const char *path,
                      cli_log_data *data);
/// Say what is doubtful about a file and keep it for the report: CLI_OK, or CLI_BAD where it is
/// grave and not to be trusted.
int cli_identify_doubt(cli_identification *f, const char *path, const ap_doubts *doubts,
                       bool trust);
/// What --gains, --load and --loaded ask for; each is NULL where it is not given.
int cli_parse_gains(const char *gains, const char *load, const char *loaded, cli_gain_wish *w);
/// Read the logs that carry the load.
int cli_identify_read_loaded(cli_identification *f, const cli_log_options *o,
                             const cli_gain_wish *w);
/// Find gains and base parameters. Joints without an identifiable gain are left out from then on.
int cli_identify_gains(cli_identification *f, const cli_gain_wish *w, double total_mass,
                       double reject, ap_base_method method);
/// Make forces of the currents of all logs, and look for delays of the forces.
int cli_identify_apply_gains(cli_identification *f, const cli_log_options *o);
/// Free what is kept for gains.
void cli_identify_free_gains(cli_identification *f);
/// Doubts about the delay of the forces of a log.
int cli_identify_doubt_delay(cli_identification *f, const cli_log_options *o, const char *path,
                             const ap_samples *samples);
/// Add what the gains leave in doubt to the deviations of all fits.
int cli_identify_widen(cli_identification *f);
/// Doubts about the states of the logs, and about the fit.
int cli_identify_doubt_states(cli_identification *f, const cli_log_options *o);
int cli_identify_doubt_fit(cli_identification *f);
/// Write the model with the parameters of the consistent fit.
int cli_identify_write(const cli_identification *f, const cli_arguments *arguments,
                       const char *path);

/// Draw measured and predicted forces by joint, and the base parameters with their intervals.
int cli_identify_draw(const cli_identification *f, const char *path);

/// Print the base parameters of a model: CLI_OK, or CLI_FAILED after saying why.
int cli_print_base(const cli_identification *found, bool json);
/// Print what was found.
int cli_print_identification(const cli_identification *found, bool json);

#endif
