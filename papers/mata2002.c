// SPDX-License-Identifier: Apache-2.0
// Mata et al. 2002: inverse dynamics in tensor notation, the inertia matrix as a Hessian.

#include "experiments.h"

static ap_status run(const paper_options *options, report *r, ap_error *error) {
  *error = (ap_error){0};
  ap_status status = counts_mata2002(r, error);
  if (status == AP_OK) status = two_bodies(options, r, error);
  if (status == AP_OK) status = lines_mata2002(options, r, error);
  if (status == AP_OK) status = single_precision(r, error);
  return status;
}

static const paper_parameter parameters[] = {
    [LINE_DURATION] = {"duration", "s", 5, 1, 9, false, "in which the arm follows the line"},
    [MATA_SPEED] = {"speed", "m/s", 0.1, 0.04, 0.3, false,
                    "of the wrist centre in the other reading of the line"},
    {0}};

const paper paper_mata2002 = {
    "mata2002",
    "Serial-robot dynamics algorithms for moderately large numbers of joints",
    "V. Mata, S. Provenzano, F. Valero, J. I. Cuadrado, Mechanism and Machine Theory 37 (2002) "
    "739-755",
    run,
    parameters,
};
