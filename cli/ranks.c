// SPDX-License-Identifier: Apache-2.0
#include "ranks.h"

#include <stdlib.h>

#include "ui/message.h"

// How many were started, by what launchers say: OpenMPI, then MPICH and others of its kind.
static long launched(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    const char *value = getenv(names[k]);
    if (value) return strtol(value, NULL, 10);
  }
  return 0;
}

#ifdef CLI_HAVE_MPI

#include <mpi.h>

int cli_ranks_join(cli_ranks *ranks) {
  *ranks = (cli_ranks){0, 1};
  if (launched() == 0 && !getenv("PMIX_RANK")) return CLI_OK;
  int level;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS ||
      MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank) != MPI_SUCCESS ||
      MPI_Comm_size(MPI_COMM_WORLD, &ranks->size) != MPI_SUCCESS)
    return cli_fail(CLI_FAILED, NULL, 0, "MPI cannot start");
  return CLI_OK;
}

static bool is_open(void) {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun && !ended;
}

int cli_ranks_meet(const cli_ranks *ranks, int status) {
  int worst = status;
  if (ranks->size > 1) MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}

void cli_ranks_leave(const cli_ranks *ranks) {
  (void)ranks;
  if (is_open()) MPI_Finalize();
}

#else

int cli_ranks_join(cli_ranks *ranks) {
  *ranks = (cli_ranks){0, 1};
  const long n = launched();
  if (n <= 1) return CLI_OK;
  return cli_fail(CLI_BAD, NULL, 0,
                  "started %ld times by mpirun, but this build is without MPI (appell-openmpi and "
                  "appell-mpich have it; or use --part)",
                  n);
}

int cli_ranks_meet(const cli_ranks *ranks, int status) {
  (void)ranks;
  return status;
}

void cli_ranks_leave(const cli_ranks *ranks) { (void)ranks; }

#endif
