// SPDX-License-Identifier: Apache-2.0
/// @file figure.h
/// Figures that verbs write where --plot says: SVG by <appell/plot.h>, one way for all of them.

#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include <appell/plot.h>

/// Write a figure; reports what is wrong and returns a status other than CLI_OK.
int cli_write_figure(const ap_figure *figure, const char *path);

#endif
