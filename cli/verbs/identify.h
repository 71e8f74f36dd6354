// SPDX-License-Identifier: Apache-2.0
/// @file identify.h
/// What `identify` found, on its way from the computation to the report.

#ifndef CLI_IDENTIFY_H
#define CLI_IDENTIFY_H

#include <appell/ident.h>

#include "load.h"
#include "ui/output.h"

/// A log, made states and reduced.
typedef struct cli_log_data {
  const char *path; ///< NULL: there is none
  int samples;      ///< in the file
  double duration;  ///< s
  ap_dataset *states;
  ap_reduction *reduction;
} cli_log_data;

/// One identification.
typedef struct cli_identification {
  cli_model model;
  ap_ident *ident;
  ap_base *base;
  cli_log_data data, validation;
  ap_fit *fit[AP_FIT_METHODS];     ///< NULL where it was not asked for
  ap_error failed[AP_FIT_METHODS]; ///< why a method could not be used
  ap_fit_method method;            ///< the one that is reported in full
} cli_identification;

/// Print the base parameters of a model: CLI_OK, or CLI_FAILED after saying why.
int cli_print_base(const cli_identification *found, bool json);
/// Print what was found.
int cli_print_identification(const cli_identification *found, bool json);

#endif
