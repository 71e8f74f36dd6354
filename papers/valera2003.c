// SPDX-License-Identifier: Apache-2.0
// Valera et al. 2003: inverse dynamics in vector notation, and control with it.

#include "experiments.h"

static ap_status run(const paper_options *options, report *r, ap_error *error) {
  *error = (ap_error){0};
  ap_status status = counts_valera2003(r, error);
  if (status == AP_OK) status = lines_valera2003(options, r, error);
  return status;
}

static const paper_parameter parameters[] = {
    [LINE_DURATION] = {"duration", "s", 8.6, 1, 9, false, "in which the arm follows the line"},
    {0}};

const paper paper_valera2003 = {
    "valera2003",
    "Solving the inverse dynamic control for low cost real-time industrial robot control "
    "applications",
    "Á. Valera, V. Mata, M. Vallés, F. Valero, N. Rosillo, F. Benimeli, Robotica 21 (2003) 261-269",
    run,
    parameters,
};
