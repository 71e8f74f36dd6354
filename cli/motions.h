/// @file motions.h
/// Random states of motion within a robot's limits, the same on every machine.

#ifndef CLI_MOTIONS_H
#define CLI_MOTIONS_H

#include <appell/model.h>
#include <stdint.h>

/// The next q within the joints' limits, v within 2 and a within 5 (SI units), all single-precision
/// numbers, so that the rounding of states is no part of an error. The seed moves on.
void cli_random_motion(const ap_model *m, uint64_t *seed, double *q, double *v, double *a);

#endif
