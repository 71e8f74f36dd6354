// SPDX-License-Identifier: Apache-2.0
/// @file ranks.h
/// Programs that were started together by mpirun. A build without MPI is always alone; it notices
/// that it was started with others, which would all do the same.

#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <stdbool.h>

/// This program among those that were started together.
typedef struct cli_ranks {
  int rank; ///< from 0
  int size; ///< 1: it is alone
} cli_ranks;

/// Join the others. Reports and returns CLI_BAD where there are others, but this build has no MPI;
/// CLI_FAILED where MPI cannot start.
int cli_ranks_join(cli_ranks *ranks);
/// Wait until all are here, and return the largest of their statuses.
int cli_ranks_meet(const cli_ranks *ranks, int status);
/// The end, after the last meeting.
void cli_ranks_leave(const cli_ranks *ranks);

#endif
