// SPDX-License-Identifier: Apache-2.0
// Figures of the driven wrist.

#ifndef PAPERS_ABEDLOO_FIGURES_H
#define PAPERS_ABEDLOO_FIGURES_H

#include "abedloo_run.h"

/// Figs. 5 to 7: joint angles, torques, and how far simulator and closed form are apart.
ap_status wrist_figures(const wrist_run *run, const char *folder, ap_error *error);

#endif
