// SPDX-License-Identifier: Apache-2.0
// Provenzano et al. 2002: the inertia matrix as the Hessian of Gibbs' function.

#include "experiments.h"

static ap_status run(const paper_options *options, report *r, ap_error *error) {
  *error = (ap_error){0};
  ap_status status = counts_provenzano2002(r, error);
  if (status == AP_OK) status = lines_provenzano2002(options, r, error);
  return status;
}

static const paper_parameter parameters[] = {
    [LINE_DURATION] = {"duration", "s", 5, 1, 9, false, "in which the arm follows the line"}, {0}};

const paper paper_provenzano2002 = {
    "provenzano2002",
    "Efficient computation of the generalized inertial tensor of robots by using the Gibbs-Appell "
    "equations",
    "S. Provenzano, V. Mata, M. Ceccarelli, J. L. Suñer (2002)",
    run,
    parameters,
};
