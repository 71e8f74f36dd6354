// SPDX-License-Identifier: Apache-2.0
// Figures of the tree in its circle.

#ifndef PAPERS_SHAFEI_FIGURES_H
#define PAPERS_SHAFEI_FIGURES_H

#include "shafei_run.h"

/// Figs. 14 to 17: places and velocities of the points over the first n samples.
ap_status figure_points(const tree_lab *l, const tree_run *run, int n, const char *folder,
                        ap_error *error);
/// Fig. 18: the tree at the start and at the first five impacts.
ap_status figure_configurations(const tree_lab *l, const tree_run *run, const char *folder,
                                ap_error *error);
/// Fig. 19: energies over the whole run.
ap_status figure_energy(const tree_run *run, const char *folder, ap_error *error);

#endif
