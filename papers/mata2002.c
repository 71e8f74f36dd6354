// Mata et al. 2002: inverse dynamics in tensor notation, the inertia matrix as a Hessian.

#include "experiments.h"

static ap_status run(const paper_options *options, report *r, ap_error *error) {
  (void)options;
  *error = (ap_error){0};
  return counts_mata2002(r, error);
}

const paper paper_mata2002 = {
    "mata2002",
    "Serial-robot dynamics algorithms for moderately large numbers of joints",
    "V. Mata, S. Provenzano, F. Valero, J. I. Cuadrado, Mechanism and Machine Theory 37 (2002) "
    "739-755",
    run,
};
