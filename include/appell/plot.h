// SPDX-License-Identifier: Apache-2.0
/// @file plot.h
/// Figures as SVG files. Part of libappell-tools; allocates while it writes.

#ifndef APPELL_PLOT_H
#define APPELL_PLOT_H

#include <appell/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a curve is drawn.
typedef enum ap_stroke {
  AP_SOLID,  ///< a line
  AP_DASHED, ///< a dashed line
  AP_POINTS  ///< a mark per point
} ap_stroke;

/// A curve through n points. A point that is not finite breaks it.
typedef struct ap_curve {
  const char *label; ///< in the legend, as UTF-8; NULL or empty: not there
  int n;             ///< number of points
  const double *x;   ///< [n]
  const double *y;   ///< [n]
  ap_stroke stroke;  ///< how it is drawn
  int colour;        ///< 0: by its place in the panel; k: the k-th of the palette, from 1
} ap_curve;

/// A pair of axes with its curves.
typedef struct ap_panel {
  const char *title;     ///< above the panel; NULL: none
  const char *x_label;   ///< with its unit: "t / s"
  const char *y_label;   ///< with its unit
  const ap_curve *curve; ///< [ncurve]
  int ncurve;            ///< number of curves
  bool log_y;            ///< decades; what is not positive breaks the curve
  bool same_scale;       ///< a unit of x is as long as a unit of y: for paths
  bool log_x;            ///< decades along x, likewise; neither goes with same_scale
  double y_low;          ///< y is shown from here at least, so that panels can be compared
  double y_high;         ///< to there at least; both 0: as far as the points go
  /// [nname]: names of x = 1, 2, ..., which stand there in the place of numbers; x goes from 1/2 to
  /// nname + 1/2
  const char *const *x_name;
  int nname; ///< number of names; 0: x has numbers
} ap_panel;

/// Panels row by row.
typedef struct ap_figure {
  const char *title;     ///< above all; NULL: none
  const ap_panel *panel; ///< [npanel]
  int npanel;            ///< number of panels
  int columns;           ///< panels in a row; 0 means 1
  double width; ///< pixels, 320 or more; 0: 720 of one column, 960 of two, 400 each of more
} ap_figure;

/// Write a figure as SVG to the file path; the file appears only when complete. It looks right on
/// light and dark pages, needs nothing from outside, and the same figure gives the same bytes.
///
/// Labels are text, not markup: any character may stand in them. One too long for its place is cut,
/// and shown whole where the pointer rests on it. Ranges and ticks come from the points that can be
/// shown; a panel without any says so. Points closer than the eye can tell are left out, so that a
/// curve of a million points makes a small file. A legend that all panels share stands once, above
/// them. The palette has 8 colours for every kind of colour vision; further curves take them again
/// with another dash.
///
/// AP_E_ARG: the text names panel and curve, and what would be right. AP_E_FILE: the file cannot be
/// written. AP_E_MEMORY. error may be NULL.
AP_API ap_status ap_figure_write(const ap_figure *figure, const char *path, ap_error *error);
/// The same as a text, to be freed with free(): it can stand in a page as it is. On failure *text
/// is NULL.
AP_API ap_status ap_figure_text(const ap_figure *figure, char **text, ap_error *error);

#ifdef __cplusplus
}
#endif

#endif
