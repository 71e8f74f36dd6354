// SPDX-License-Identifier: Apache-2.0
// Where the papers' figures go.

#ifndef PAPERS_FIGURE_H
#define PAPERS_FIGURE_H

#include <appell/plot.h>

/// Where a figure goes.
typedef struct figure_place {
  const char *folder, *file;
} figure_place;

/// Write a figure there; AP_E_FILE also for a folder whose name is too long.
ap_status figure_write(const ap_figure *figure, figure_place place, ap_error *error);

#endif
