// SPDX-License-Identifier: Apache-2.0
// Figures of a line: the arm on it, the torques, how far the simulation strays.

#ifndef PAPERS_LINE_FIGURES_H
#define PAPERS_LINE_FIGURES_H

#include "figure.h"
#include "line_run.h"

/// The line and the arm at its start, middle and end, seen from the side and from above.
ap_status figure_path(const puma *p, const straight_line *l, int branch, figure_place place,
                      ap_error *error);
/// The torques of the six joints over time.
ap_status figure_torques(const puma *p, const straight_line *l, int branch, figure_place place,
                         ap_error *error);
/// Distance of the wrist centre from where it should be, over time: one run, and restarted.
ap_status figure_errors(const puma *p, const straight_line *l, int branch, const ap_method *forward,
                        figure_place place, ap_error *error);

#endif
